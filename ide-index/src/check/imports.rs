//! Imports of what is not there, and imports that nothing uses.

use ide_model::{QueryError, SourceKind, SymbolKind};

use super::{Check, Finding};
use crate::facts::{Import, ImportId, ImportKind};
use crate::lang::imports::imports;
use crate::refactor;
use crate::resolve::{Reason, Resolution, Target};
use crate::world::{FileId, GlobalDef};

/// Imports of project modules or members that do not exist. Imports that lead out of the project are not judged.
pub(super) fn unresolved(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    let (rx, file) = (check.rx, check.file);
    for import in &file.imports {
        let Some(at) = import.member.or_else(|| file.list(import.path).last()) else { continue };
        let resolution = match import.def {
            Some(def) => rx.through_imports(Resolution::def(file.global(def))),
            None => rx.resolve(file.global_ref(at)).resolution,
        };
        if check.judge.lacks_module(rx, file, import, check.text) {
            let Some(last) = file.list(import.path).last() else { continue };
            let message = format!("no module `{}` in the project", file.name(import.module));
            found.push(Finding::new(file.reference(last).range, message));
            continue;
        }
        let is_missing = resolution.is_unknown()
            && resolution.reason == Reason::NotFound
            && import.kind != ImportKind::SideEffect
            && !is_given_there(check, import)
            && check.judge.sees_all_modules(rx, file, import);
        if is_missing || check.judge.lacks_member(rx, file, import, check.text) {
            let module = file.name(import.module);
            let message = match import.member {
                Some(member) => format!("`{module}` has no `{}`", file.ref_name(member)),
                None => format!("no module `{module}` in the project"),
            };
            found.push(Finding::new(file.reference(at).range, message));
        }
    }
    check.cx.check()
}

/// Whether a module is one of a library, which may have more than its declarations say, or binds the name in a way that leads no
/// further.
fn is_given_there(check: &Check<'_>, import: &Import) -> bool {
    let (rx, file) = (check.rx, check.file);
    let Some(last) = file.list(import.path).last() else { return false };
    let found = rx.resolve(file.global_ref(last)).resolution;
    found.targets.iter().any(|target| match target {
        Target::Module(module) => {
            let is_library = rx.world().file(*module).source == SourceKind::Library;
            let name = import.member.map_or("", |member| file.ref_name(member));
            is_library
                || import.member.is_some()
                    && !rx.top_level(*module, name).is_empty()
                    && !check.judge.keeps_to_itself(rx, *module, name)
        }
        _ => false,
    })
}

/// Imports whose names nothing in their file can mean, and that no other file reaches.
pub(super) fn unused(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    for import in unneeded(check) {
        let Some(def) = check.file.import(import).def else { continue };
        let message = format!("`{}` is imported and not used", check.file.def_name(def));
        found.push(Finding::new(check.file.def(def).name_range, message));
    }
    check.cx.check()
}

/// The imports that [`unused`] finds.
pub(super) fn unneeded(check: &Check<'_>) -> Vec<ImportId> {
    let (rx, file) = (check.rx, check.file);
    let Some(row) = imports(file.language()).filter(|_| check.judge.reports_unused_imports(rx, file)) else {
        return Vec::new();
    };
    let is_free = |import: &ImportId| {
        let def = file.import(*import).def;
        def.is_some_and(|def| {
            !is_reached(check, file.def_name(def)) && !is_of_this_file(check, file.global(def))
        })
    };
    refactor::unused_imports(rx, file, row, check.text).into_iter().filter(is_free).collect()
}

/// Whether another file may have a name through this one: it writes the name and one of this module.
fn is_reached(check: &Check<'_>, name: &str) -> bool {
    let (rx, file) = (check.rx, check.file);
    if !check.judge.imports_are_passed_on() {
        return false;
    }
    let others = rx.world().files_mentioning(name);
    let passes_on =
        |other: FileId| rx.facts(other).imports.iter().any(|import| import.kind == ImportKind::Star);
    let modules = rx.policy(file).names_of_module(rx, file.id);
    let importers: Vec<FileId> =
        modules.iter().flat_map(|module| rx.world().files_mentioning(module)).collect();
    others.into_iter().any(|other| other != file.id && (importers.contains(&other) || passes_on(other)))
}

/// Whether an import binds what its own file declares: a matter of taste.
fn is_of_this_file(check: &Check<'_>, def: GlobalDef) -> bool {
    let meant = check.rx.through_imports(Resolution::def(def));
    // A package that is bound as such is declared by nobody here.
    let is_declared = |meant: &GlobalDef| check.rx.kind(*meant) != SymbolKind::Import;
    meant.defs().filter(is_declared).any(|meant| meant.file == check.file.id)
}
