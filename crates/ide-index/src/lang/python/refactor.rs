//! What changing Python by meaning needs to know.

use std::collections::BTreeSet;

use ide_model::paths;

use super::modules::{self, Module, SOURCES, modules};
use super::pytest::is_fixture;
use crate::facts::{Import, ImportFlags, ImportId, ImportKind, ScopeId};
use crate::resolve::{FileView, Resolver};
use crate::world::FileId;

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

/// The name of a module: with dots where the importer's package is its own and the habit there is dots.
///
/// # Errors
/// Why it cannot be imported: what lies in `src` is installed without what lies beside.
pub(super) fn module_name(
    rx: &Resolver,
    like: &FileView,
    importer: &str,
    module: &str,
) -> Result<String, String> {
    let all = modules(rx);
    if all.is_in_sources(importer) && !all.is_in_sources(module) {
        return Err(format!("{importer} is installed without {module}, which lies outside of `{SOURCES}`"));
    }
    let absolute = all.name_of(module);
    let uses_dots = like.imports.iter().any(|import| import.level > 0);
    let top = |path: &str| path.split('/').next().unwrap_or(path).to_owned();
    let is_near = paths::directory(importer) == paths::directory(module) || top(importer) == top(module);
    let by_dots = || modules::moved(".", importer, (module, module));
    if uses_dots
        && is_near
        && let Some(name) = by_dots()
    {
        Ok(name)
    } else {
        Ok(absolute)
    }
}

/// Whether a module waits for what an import gives while it is being read.
fn is_at_once(import: &Import) -> bool {
    let later = [ImportFlags::CONDITIONAL, ImportFlags::DYNAMIC];
    import.scope == ScopeId(0) && !later.iter().any(|flag| import.flags.has(*flag))
}

/// A module that takes a name from another one which waits for it.
pub(super) fn import_problem(rx: &Resolver, file: FileId) -> Option<String> {
    let all = modules(rx);
    let leads = |from: FileId| -> Vec<FileId> {
        let view = rx.file(from);
        let takes = |import: &&Import| matches!(import.kind, ImportKind::Member | ImportKind::Star);
        let mut found = Vec::new();
        for import in view.imports.iter().filter(takes).filter(|import| is_at_once(import)) {
            let module = all.resolve(rx, &view, view.name(import.module), import.level);
            let below = import.member.and_then(|name| all.submodule(rx, &module, view.ref_name(name)));
            for module in [Some(module), below].into_iter().flatten() {
                if let Module::File(file) = module
                    && rx.world().file(file).source != ide_model::SourceKind::Library
                {
                    found.push(file);
                }
            }
        }
        found
    };
    let mut seen: BTreeSet<FileId> = BTreeSet::new();
    let mut todo = leads(file);
    while let Some(next) = todo.pop() {
        if next == file {
            let path = &rx.world().file(file).path;
            return Some(format!("{path} would import names from a module that imports it while it is read"));
        }
        if seen.insert(next) {
            todo.extend(leads(next));
        }
    }
    None
}
