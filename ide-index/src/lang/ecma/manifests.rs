//! The paths in manifests and configurations of packages that lead to files: `exports` and `imports`, `main`, `paths`. They
//! follow a file that moves, and importers that name a key of theirs keep it.

use ide_model::{TextRange, paths};
use serde_json::Value;

use super::packages::package_of;
use super::paths::{Paths, around, exported_targets, join};
use crate::resolve::Resolver;
use crate::world::FileId;

/// The names of such files.
const NAMES: [&str; 3] = ["package.json", "tsconfig.json", "jsconfig.json"];

/// Fields of a manifest that lead to the module that the package is.
const MAINS: [&str; 6] = ["main", "module", "types", "typings", "source", "browser"];

/// The places in manifests and configurations where the path of a file stands that moves, with the new one; `None` where it
/// cannot be written.
pub(in crate::lang) fn followed(
    rx: &Resolver,
    moves: &dyn Fn(&str) -> Option<String>,
) -> Vec<(FileId, TextRange, Option<String>)> {
    let world = rx.world();
    let mut found = Vec::new();
    for path in world.configurations() {
        let is_one = NAMES.contains(&path.rsplit('/').next().unwrap_or(&path));
        if !is_one || path.split('/').any(|part| part == "node_modules") {
            continue;
        }
        let (Some(file), Some(text)) = (world.file_by_path(&path), world.configuration(&path)) else {
            continue;
        };
        let directory = paths::directory(&path);
        let base = Paths::of(rx).base_of(directory);
        for (range, value) in values(&text) {
            let bases = [Some(directory), base].into_iter().flatten();
            let mut moved = bases.filter_map(|base| Some((base, moves(&join(base, value))?)));
            let Some((base, to)) = moved.next() else { continue };
            let inside = if base.is_empty() { Some(to.as_str()) } else { to.strip_prefix(base) };
            let inside = inside.map(|rest| rest.trim_start_matches('/'));
            let dot = if value.starts_with("./") { "./" } else { "" };
            found.push((file, range, inside.map(|inside| format!("{dot}{inside}"))));
        }
    }
    found
}

/// The texts of a JSON file that are no keys, with the ranges of what stands between their quotes. Comments are stepped over.
fn values(text: &str) -> Vec<(TextRange, &str)> {
    let bytes = text.as_bytes();
    let (mut at, mut found) = (0, Vec::new());
    while at < bytes.len() {
        let rest = &text[at..];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
        } else if bytes[at] == b'"' {
            let mut end = at + 1;
            while end < bytes.len() && bytes[end] != b'"' {
                end += if bytes[end] == b'\\' { 2 } else { 1 };
            }
            let end = end.min(bytes.len());
            let is_key = text.get(end + 1..).is_some_and(|behind| behind.trim_start().starts_with(':'));
            if let (false, Some(value)) = (is_key, text.get(at + 1..end)) {
                found.push((TextRange::new(at as u32 + 1, end as u32), value));
            }
            at = end + 1;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    found
}

/// The specifier of a file that moves, and perhaps its importer; each with its path before and after.
pub(super) fn moved(
    rx: &Resolver,
    written: &str,
    importer: (&str, &str),
    target: (&str, &str),
) -> Option<String> {
    let is_path = written.starts_with('.') || target.0 == target.1;
    if !is_path && is_key_of(rx, importer.0, written, target.0) {
        return Some(written.to_owned());
    }
    let new = super::paths::moved(written, importer.1, target)?;
    (is_path || is_offered(rx, &new)).then_some(new)
}

/// Whether a specifier names a key of a manifest, or an exact alias, whose value is the path of a file itself.
fn is_key_of(rx: &Resolver, importer: &str, specifier: &str, target: &str) -> bool {
    let paths_of = Paths::of(rx);
    let directory = paths::directory(importer);
    if around(directory).any(|at| paths_of.has_exact_alias(at, specifier, target)) {
        return true;
    }
    let leads = |root: &str, targets: &[String]| targets.iter().any(|to| join(root, to) == target);
    if specifier.starts_with('#') {
        let Some((root, manifest)) = around(directory).find_map(|at| paths_of.manifest_at(at)) else {
            return false;
        };
        return leads(root, &texts_in(&manifest["imports"][specifier]));
    }
    let (name, rest) = package_of(specifier);
    let Some((root, manifest)) = paths_of.package(name) else { return false };
    let key = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
    let exports = &manifest["exports"];
    let entry = if exports.get(&key).is_some() || !rest.is_empty() { &exports[&key] } else { exports };
    let is_main = || {
        let named = MAINS.iter().filter_map(|field| manifest[*field].as_str()).map(str::to_owned);
        rest.is_empty() && leads(root, &named.collect::<Vec<_>>())
    };
    leads(root, &texts_in(entry)) || is_main()
}

/// Whether the package of this world that a specifier names gives that path to others.
fn is_offered(rx: &Resolver, specifier: &str) -> bool {
    let (name, rest) = package_of(specifier);
    Paths::of(rx).package(name).is_none_or(|(_, manifest)| {
        manifest["exports"].is_null() || !exported_targets(manifest, rest, &|_| true).is_empty()
    })
}

/// The texts in an entry, under whatever conditions.
fn texts_in(entry: &Value) -> Vec<String> {
    match entry {
        Value::String(text) => vec![text.clone()],
        Value::Array(all) => all.iter().flat_map(texts_in).collect(),
        Value::Object(map) => {
            map.iter().filter(|(key, _)| !key.starts_with('.')).flat_map(|(_, e)| texts_in(e)).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::values;

    #[test]
    fn values_are_told_from_keys_and_comments() {
        let text = "{\"a\": \"./b\", // \"c\"\n \"d\" : [\"e\\\"f\", /* \"g\" */ \"h\"]}";
        let found: Vec<&str> = values(text).into_iter().map(|(_, value)| value).collect();
        assert_eq!(found, ["./b", "e\\\"f", "h"]);
    }
}
