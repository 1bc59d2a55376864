//! Files and directories that are called like a declaration and get its new name.

use std::collections::BTreeMap;

use ide_model::{FilePath, SourceKind, paths};

use super::family::Family;
use crate::resolve::Resolver;
use crate::world::FileId;

/// The new paths of the files that must be called like a declaration of a family, or lie in a directory that is.
pub(super) fn renamed_files(
    rx: &Resolver,
    family: &Family,
    (old, new): (&str, &str),
) -> BTreeMap<FileId, FilePath> {
    let world = rx.world();
    let named = family.defs.iter().filter(|def| rx.policy_of(**def).names_its_file(rx, **def));
    let renamed = named.filter_map(|def| {
        let path = &world.file(def.file).path;
        let (stem, ending) = path.file_name().split_once('.')?;
        (stem == old).then(|| (def.file, path.with_file_name(&format!("{new}.{ending}"))))
    });
    let mut moves: BTreeMap<FileId, FilePath> = renamed.collect();
    for directory in family.defs.iter().filter_map(|def| rx.policy_of(*def).directory_of(rx, *def)) {
        let to = paths::join(paths::directory(&directory), new);
        for file in (0..world.file_count()).map(FileId) {
            let entry = world.file(file);
            let inside = entry.path.as_str().strip_prefix(&*directory);
            let inside = inside.filter(|rest| rest.starts_with('/'));
            if let Some(rest) = inside.filter(|_| entry.source != SourceKind::Library) {
                moves.insert(file, FilePath::new(format!("{to}{rest}")));
            }
        }
    }
    moves
}

/// The part of a qualified name before its last segment.
pub(super) fn place<'q>(qualified: &'q str, name: &str) -> Option<&'q str> {
    let head = qualified.split('(').next().unwrap_or(qualified);
    head.strip_suffix(name).or_else(|| head.strip_suffix(name.trim_start_matches('$')))
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn the_place_of_a_qualified_name() {
        assert_eq!(place("a.b.C#run(int)", "run"), Some("a.b.C#"));
        assert_eq!(place("a.b.C#run", "other"), None);
        assert_eq!(place("App\\C::$x", "x"), Some("App\\C::$"));
    }
}
