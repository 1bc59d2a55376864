//! Files that an oracle was told not to read: what is found there is neither confirmed nor denied.
//!
//! The oracles of Python's truth honour the project's own settings of pyright, which often leave out its tests.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::Value;

/// The files of a project that pyright reads, by `include` and `exclude` of its settings.
pub(super) struct Reads {
    include: Vec<String>,
    exclude: Vec<String>,
}

impl Reads {
    /// From `pyrightconfig.json`, else from `[tool.pyright]` in `pyproject.toml`; everything without either.
    pub(super) fn of(root: &Path) -> Result<Self> {
        let text = |name: &str| match root.join(name) {
            path if path.is_file() => std::fs::read_to_string(&path).map(Some),
            _ => Ok(None),
        };
        let settings: Value = if let Some(text) = text("pyrightconfig.json")? {
            serde_json::from_str(&text).context("pyrightconfig.json")?
        } else if let Some(text) = text("pyproject.toml")? {
            let project: toml::Table = toml::from_str(&text).context("pyproject.toml")?;
            let settings = project.get("tool").and_then(|tool| tool.get("pyright"));
            settings.map_or(Ok(Value::Null), serde_json::to_value)?
        } else {
            Value::Null
        };
        let paths = |key: &str| {
            let list = settings[key].as_array().into_iter().flatten();
            list.filter_map(Value::as_str).map(|path| path.trim_matches('/').to_owned()).collect()
        };
        Ok(Self { include: paths("include"), exclude: paths("exclude") })
    }

    /// Whether the oracle looks into a file, by its path below the root. Only Python's does not read some.
    pub(super) fn has(&self, file: &str) -> bool {
        let is_python = file.ends_with(".py") || file.ends_with(".pyi");
        let path: Vec<&str> = file.split('/').collect();
        let any = |patterns: &[String]| {
            patterns.iter().any(|pattern| begins(&pattern.split('/').collect::<Vec<_>>(), &path))
        };
        !is_python || (self.include.is_empty() || any(&self.include)) && !any(&self.exclude)
    }
}

/// Whether a pattern matches a path or a folder above it: `**` stands for any folders, `*` and `?` for characters.
fn begins(pattern: &[&str], path: &[&str]) -> bool {
    match pattern.split_first() {
        None | Some((&".", [])) => true,
        Some((&"**", rest)) => (0..path.len()).any(|skip| begins(rest, &path[skip..])),
        Some((first, rest)) => path
            .split_first()
            .is_some_and(|(name, below)| matches(first.as_bytes(), name.as_bytes()) && begins(rest, below)),
    }
}

fn matches(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => (0..=name.len()).any(|skip| matches(rest, &name[skip..])),
        (Some((b'?', rest)), Some((_, below))) => matches(rest, below),
        (Some((a, rest)), Some((b, below))) => a == b && matches(rest, below),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_say_which_files_are_read() {
        let root = tempfile::tempdir().unwrap();
        let all = Reads::of(root.path()).unwrap();
        assert!(all.has("tests/test_a.py"));
        let settings =
            "[tool.pyright]\ninclude = [\"src\", \"tests/type_check/\"]\nexclude = [\"**/gen_*\"]\n";
        std::fs::write(root.path().join("pyproject.toml"), settings).unwrap();
        let some = Reads::of(root.path()).unwrap();
        for (file, is_read) in [
            ("src/a.py", true),
            ("src/b/c.pyi", true),
            ("src/b/gen_x/c.py", false),
            ("tests/test_a.py", false),
            ("tests/type_check/a.py", true),
            ("srcs/a.py", false),
            ("docs/a.js", true),
        ] {
            assert_eq!(some.has(file), is_read, "{file}");
        }
        std::fs::write(root.path().join("pyrightconfig.json"), "{\"exclude\": [\"src\"]}").unwrap();
        assert!(!Reads::of(root.path()).unwrap().has("src/a.py"));
        std::fs::write(root.path().join("pyrightconfig.json"), "{").unwrap();
        assert!(Reads::of(root.path()).is_err());
    }
}
