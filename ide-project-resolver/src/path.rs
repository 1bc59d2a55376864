//! Absolute paths as text: one spelling, whole segments, no `..`.
//!
//! Tools speak JSON, so every path here is UTF-8 with `/` as separator on every system; only the
//! implementation of [`Fs`](crate::Fs) turns it into the platform's own form.

use std::fmt;

/// Whether names on a volume differ by case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// `a` and `A` are two files.
    Sensitive,
    /// `a` and `A` are one file (Windows, the usual macOS volume).
    Insensitive,
}

impl Case {
    /// Whether two names are the same file name under this rule.
    #[must_use]
    pub fn same(self, a: &str, b: &str) -> bool {
        match self {
            Case::Sensitive => a == b,
            Case::Insensitive => {
                a == b || a.chars().flat_map(char::to_lowercase).eq(b.chars().flat_map(char::to_lowercase))
            }
        }
    }
}

/// An absolute path without `.`, `..`, empty segments and trailing separator.
///
/// `/a/b`, `C:/a/b` and `//server/share/a` are the three forms. The order is that of the text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AbsPath(String);

impl AbsPath {
    /// Takes over a path that is absolute; `.` and empty segments are dropped. A backslash stays: it
    /// is a letter on Unix, and the path must keep naming the same file.
    ///
    /// `None` when the path is relative or has a `..` segment: those must go through
    /// [`Fs::canonicalize`](crate::Fs::canonicalize), because only the disk knows what they mean.
    #[must_use]
    pub fn new(path: &str) -> Option<AbsPath> {
        let (prefix, rest) = split_prefix(path)?;
        let mut clean = prefix.to_owned();
        for segment in rest.split('/').filter(|s| !s.is_empty() && *s != ".") {
            if segment == ".." {
                return None;
            }
            if !clean.ends_with('/') {
                clean.push('/');
            }
            clean.push_str(segment);
        }
        Some(AbsPath(clean))
    }

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last segment; empty for a file-system root.
    #[must_use]
    pub fn name(&self) -> &str {
        match split_prefix(&self.0) {
            Some((_, "")) | None => "",
            Some((_, rest)) => rest.rsplit('/').next().unwrap_or(rest),
        }
    }

    /// The directory above; `None` for a file-system root.
    #[must_use]
    pub fn parent(&self) -> Option<AbsPath> {
        let (prefix, rest) = split_prefix(&self.0)?;
        if rest.is_empty() {
            return None;
        }
        Some(match rest.rfind('/') {
            Some(cut) => AbsPath(self.0[..self.0.len() - (rest.len() - cut)].to_owned()),
            None => AbsPath(prefix.to_owned()),
        })
    }

    /// This path with a relative one below it. `relative` must be free of `..`; `.` and empty
    /// segments are dropped.
    #[must_use]
    pub fn join(&self, relative: &str) -> Option<AbsPath> {
        AbsPath::new(&format!("{}/{relative}", self.0))
    }

    /// The rest of this path after `root` when this path is `root` (then empty) or lies below it. Whole segments
    /// are compared, so `/a/foo` does not own `/a/foobar`.
    #[must_use]
    pub fn below<'a>(&'a self, root: &AbsPath, case: Case) -> Option<&'a str> {
        let (prefix, rest) = split_prefix(&self.0)?;
        let (root_prefix, root_rest) = split_prefix(&root.0)?;
        if !case.same(prefix, root_prefix) {
            return None;
        }
        let mut rest = rest;
        for wanted in root_rest.split('/').filter(|s| !s.is_empty()) {
            let (segment, tail) = rest.split_once('/').unwrap_or((rest, ""));
            if !case.same(segment, wanted) {
                return None;
            }
            rest = tail;
        }
        Some(rest)
    }
}

impl fmt::Display for AbsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The part that names a volume (`/`, `C:/`, `//server/share`) and what follows it, without a
/// separator in front.
fn split_prefix(path: &str) -> Option<(&str, &str)> {
    if let Some(unc) = path.strip_prefix("//") {
        let share = unc.find('/').map(|at| unc[at + 1..].find('/').map_or(unc.len(), |n| at + 1 + n));
        return match share {
            Some(end) if !unc.starts_with('/') => {
                let (prefix, rest) = path.split_at(2 + end);
                Some((prefix, rest.trim_start_matches('/')))
            }
            _ => Some((&path[..1], path.trim_start_matches('/'))),
        };
    }
    if path.starts_with('/') {
        return Some((&path[..1], path.trim_start_matches('/')));
    }
    match path.as_bytes() {
        [drive, b':', b'/', ..] if drive.is_ascii_alphabetic() => {
            Some((&path[..3], path[3..].trim_start_matches('/')))
        }
        _ => None,
    }
}

/// Whether a normalised path is absolute on a system of the given kind.
pub(crate) fn is_absolute(path: &str, windows: bool) -> bool {
    let drive = matches!(path.as_bytes(), [d, b':', b'/', ..] if d.is_ascii_alphabetic());
    if windows { drive || path.starts_with("//") } else { path.starts_with('/') }
}

/// The spelling of a path given by a user: `\` becomes `/`, a leading `~` becomes `home`,
/// trailing separators go. Nothing is looked up; `..` stays for the disk to resolve.
#[must_use]
pub fn normalize(path: &str, home: Option<&str>) -> String {
    let mut path = path.trim().replace('\\', "/");
    if let Some(home) = home
        && let Some(rest) = path.strip_prefix('~')
        && (rest.is_empty() || rest.starts_with('/'))
    {
        path = format!("{}{rest}", home.replace('\\', "/").trim_end_matches('/'));
    }
    let volume =
        if matches!(path.as_bytes(), [d, b':', b'/', ..] if d.is_ascii_alphabetic()) { 3 } else { 1 };
    while path.len() > volume && path.ends_with('/') {
        path.pop();
    }
    path
}

/// Whether one segment can be the name of a file that is to be made: not empty, not `.` or `..`,
/// no control characters, and on Windows no stream, device or trimmed name.
pub(crate) fn plain_name(segment: &str, windows: bool) -> bool {
    if matches!(segment, "" | "." | "..") || segment.chars().any(char::is_control) {
        return false;
    }
    if !windows {
        return true;
    }
    let stem = segment.split('.').next().unwrap_or(segment).trim_end().to_ascii_uppercase();
    let numbered = |word: &str| {
        stem.strip_prefix(word).is_some_and(|n| n.len() == 1 && n.as_bytes()[0].is_ascii_digit())
    };
    !segment.contains([':', '*', '?', '"', '<', '>', '|'])
        && !segment.ends_with(['.', ' '])
        && !matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
        && !numbered("COM")
        && !numbered("LPT")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn abs(path: &str) -> AbsPath {
        AbsPath::new(path).unwrap()
    }

    #[test]
    fn one_spelling() {
        for (given, clean) in [
            ("/a//b/./c/", "/a/b/c"),
            ("/", "/"),
            ("C://a/b", "C:/a/b"),
            ("/a\\b", "/a\\b"),
            ("C:/", "C:/"),
            ("//host/share/x", "//host/share/x"),
            ("//host/share", "//host/share"),
            ("///a", "/a"),
        ] {
            assert_eq!(abs(given).as_str(), clean, "{given}");
        }
        for refused in ["a/b", "", "/a/../b", "C:a", "~"] {
            assert_eq!(AbsPath::new(refused), None, "{refused}");
        }
    }

    #[test]
    fn parents_and_names() {
        for (path, name, parent) in [
            ("/a/b", "b", Some("/a")),
            ("/a", "a", Some("/")),
            ("/", "", None),
            ("C:/a", "a", Some("C:/")),
            ("//h/s/a", "a", Some("//h/s")),
            ("//h/s", "", None),
        ] {
            assert_eq!(abs(path).name(), name);
            assert_eq!(abs(path).parent().map(|p| p.as_str().to_owned()).as_deref(), parent, "{path}");
        }
    }

    #[test]
    fn whole_segments_decide() {
        let below = |p: &str, r: &str, c| abs(p).below(&abs(r), c).map(str::to_owned);
        assert_eq!(below("/a/foo/x", "/a/foo", Case::Sensitive).as_deref(), Some("x"));
        assert_eq!(below("/a/foo", "/a/foo", Case::Sensitive).as_deref(), Some(""));
        assert_eq!(below("/a/foobar", "/a/foo", Case::Sensitive), None);
        assert_eq!(below("/A/Foo/x", "/a/foo", Case::Sensitive), None);
        assert_eq!(below("/A/Foo/X", "/a/foo", Case::Insensitive).as_deref(), Some("X"));
        assert_eq!(below("/ÄB/x", "/äb", Case::Insensitive).as_deref(), Some("x"));
        assert_eq!(below("/x", "/", Case::Sensitive).as_deref(), Some("x"));
        assert_eq!(below("c:/x", "C:/", Case::Insensitive).as_deref(), Some("x"));
    }

    #[test]
    fn users_spelling_is_normalised() {
        for (given, want) in [
            ("~/p/", "/home/u/p"),
            ("~", "/home/u"),
            ("~other/p", "~other/p"),
            (" C:\\w\\p\\ ", "C:/w/p"),
            ("C:\\", "C:/"),
            ("/", "/"),
            ("/a/../b//", "/a/../b"),
        ] {
            assert_eq!(normalize(given, Some("/home/u/")), want);
        }
        assert_eq!(normalize("~/p", None), "~/p");
    }

    #[test]
    fn windows_names_that_are_traps() {
        for bad in ["a:b", "NUL", "nul.txt", "com1.log", "x.", "x ", "a?b"] {
            assert!(!plain_name(bad, true), "{bad}");
            assert!(plain_name(bad, false), "{bad}");
        }
        for bad in ["", ".", "..", "a\0b", "a\nb"] {
            assert!(!plain_name(bad, false));
        }
        assert!(
            plain_name("console.rs", true) && plain_name(".gitignore", true) && plain_name("com10", true)
        );
    }
}
