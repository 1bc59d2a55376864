//! Places of files: the namespace of a directory, the module that a new file is, the class that a file is for others.

use std::collections::{BTreeMap, BTreeSet};

use ide_model::{Family, FilePath, Language, SourceKind, SymbolKind, paths};

use super::{go, java, kotlin, rust};
use crate::facts::DefFlags;
use crate::resolve::{FileView, NewModule, Resolver};
use crate::world::FileId;

/// The module that a new file at a path would be, for declarations of another one; see [`crate::resolve::Place::Tree`].
///
/// # Errors
/// Why no module can have its file there.
#[cfg_attr(not(feature = "tree-sitter"), expect(dead_code, reason = "only moves of declarations ask"))]
pub(crate) fn new_module(rx: &Resolver, from: FileId, to: &FilePath) -> Result<NewModule, String> {
    match rx.file(from).language() {
        Language::Rust => rust::new_module(rx, from, to),
        _ => Err(format!("the module of {to} is not known")),
    }
}

/// The builds that have a file at a path with a text, where a language says them there; empty where all have it.
pub(crate) fn condition(path: &str, text: &str) -> String {
    if Language::of_path(path) == Some(Language::Go) { go::condition(path, text) } else { String::new() }
}

/// Files that are no code by their names and that may use what a file declares, where all that may do so are such files.
pub(crate) fn unread_files(rx: &Resolver, file: FileId) -> Option<Vec<FileId>> {
    (rx.file(file).language() == Language::Rust).then(|| rust::unread_files(rx, file)).flatten()
}

/// Whether the build lets a file use what another file declares, as far as it says so.
pub(crate) fn is_in_sight(rx: &Resolver, from: &FileView, to: FileId) -> bool {
    from.family() != Family::Jvm || java::builds::distance(rx, from, to) != java::builds::Distance::Unseen
}

/// The class in which other languages find what a file declares outside of types, if it lay at a path.
pub(crate) fn class_of_file(file: &FileView, path: &FilePath) -> Option<String> {
    (file.language() == Language::Kotlin).then(|| kotlin::class_of_file(file, path.stem()))
}

/// The namespace of a directory, by the files that lie in it and around it: directories below a source root are the
/// parts of a namespace.
///
/// # Errors
/// Why it cannot be told.
pub(super) fn namespace_by_directories(
    rx: &Resolver,
    file: &FileView,
    to: &FilePath,
    separator: &str,
) -> Result<String, String> {
    let directory = paths::directory(to.as_str());
    let own = file.package.map_or("", |package| file.name(package));
    if directory == paths::directory(&file.path) {
        return Ok(own.to_owned());
    }
    let mut there: BTreeSet<String> = BTreeSet::new();
    let mut roots: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for id in (0..rx.world().file_count()).map(FileId) {
        let entry = rx.world().file(id);
        if entry.language.is_none_or(|l| l.family() != file.family()) || entry.source == SourceKind::Library {
            continue;
        }
        let facts = rx.world().facts(id);
        let package = facts.package.map_or("", |package| facts.name(package));
        let home = paths::directory(entry.path.as_str());
        if home == directory && id != file.id {
            there.insert(package.to_owned());
            // A file may have several.
            let others = facts
                .defs
                .iter()
                .filter(|def| def.kind == SymbolKind::Namespace && !def.flags.has(DefFlags::SYNTHETIC));
            there.extend(others.map(|def| facts.name(def.name).to_owned()));
        }
        let (root, head) = without_common_end(home, package, separator);
        roots.entry(root).or_default().insert(head);
    }
    // Files that say nothing of themselves do not speak for the others.
    if there.len() > 1 {
        there.remove("");
    }
    match there.len() {
        0 => {}
        1 => return Ok(there.into_iter().next().unwrap_or_default()),
        _ => return Err(format!("the files in `{directory}` declare several namespaces")),
    }
    let below = |root: &str| -> Option<String> {
        let rest = if root.is_empty() { Some(directory) } else { directory.strip_prefix(root) }?;
        match rest.strip_prefix('/') {
            Some(rest) => Some(rest.to_owned()),
            None if rest.is_empty() || root.is_empty() => Some(rest.to_owned()),
            None => None,
        }
    };
    // The head that a root adds is that of most languages' usage: none.
    let fit = |(root, heads): (&String, &BTreeSet<String>)| {
        let head = if heads.contains("") { "" } else { heads.iter().next().filter(|_| heads.len() == 1)? };
        Some((root.len(), head.to_owned(), below(root)?))
    };
    let Some((_, head, rest)) = roots.iter().filter_map(fit).max_by_key(|(len, ..)| *len) else {
        return Err(format!("`{directory}` lies below no directory of sources"));
    };
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
    if let Some(part) = parts.iter().find(|part| !is_name(part)) {
        return Err(format!("`{part}` cannot be part of a namespace"));
    }
    let head = (!head.is_empty()).then_some(head.as_str());
    Ok(head.into_iter().chain(parts).collect::<Vec<_>>().join(separator))
}

/// A directory without the end that it shares with a namespace, and the rest of that.
fn without_common_end(directory: &str, namespace: &str, separator: &str) -> (String, String) {
    let mut directories: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    let mut parts: Vec<&str> = namespace.split(separator).filter(|part| !part.is_empty()).collect();
    while !parts.is_empty() && directories.last() == parts.last() {
        directories.pop();
        parts.pop();
    }
    (directories.join("/"), parts.join(separator))
}

#[cfg(test)]
mod tests {
    use super::without_common_end;

    #[test]
    fn roots_are_what_is_left_of_both() {
        let split = |a, b| without_common_end(a, b, ".");
        assert_eq!(split("src/main/a/b", "a.b"), ("src/main".to_owned(), String::new()));
        assert_eq!(split("src/x", "org.a.x"), ("src".to_owned(), "org.a".to_owned()));
        assert_eq!(split("src", ""), ("src".to_owned(), String::new()));
    }
}
