//! What changing Python by meaning needs to know.

use super::pytest::is_fixture;
use crate::facts::ImportId;
use crate::resolve::{FileView, Resolver};

/// Files whose imports are there for others: the face of a package, what the test runner reads, stubs.
const FACES: &[&str] = &["__init__.py", "conftest.py", "__init__.pyi"];

/// Imports of packages' faces, names given again on purpose (`a as a`), fixtures, switches of the language.
pub(super) fn import_works_unnamed(rx: &Resolver, file: &FileView, id: ImportId) -> bool {
    let import = file.import(id);
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    if FACES.contains(&name) || file.name(import.module) == "__future__" {
        return true;
    }
    let imported = import.member.or_else(|| file.list(import.path).last());
    let is_given_again = import.def.zip(imported).is_some_and(|(def, imported)| {
        let (def, imported) = (file.def(def), file.reference(imported));
        def.name == imported.name
            && def.name_range != imported.range
            && def.name_range.start > imported.range.end
            && (import.member.is_some() || file.list(import.path).len() == 1)
    });
    let found = rx.policy(file).import(rx, file, id);
    is_given_again || found.defs().any(|def| is_fixture(&rx.file(def.file), def.def))
}
