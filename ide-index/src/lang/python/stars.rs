//! Names that a star import binds anew: it takes the place of everything that stands before it.

use ide_model::{Language, SourceKind, SymbolKind};

use super::modules::given_by_star;
use crate::facts::{DefId, ImportId, ImportKind, ScopeId};
use crate::resolve::{FileView, Resolution, Resolver};
use crate::world::GlobalDef;

/// The star imports at the top of a file that stand behind an offset.
fn behind(view: &FileView, offset: u32) -> impl Iterator<Item = ImportId> {
    let all = (0..view.imports.len() as u32).map(ImportId);
    all.filter(move |id| {
        let import = view.import(*id);
        let at = view.list(import.path).last().map(|segment| view.reference(segment).range.start);
        import.kind == ImportKind::Star && import.scope == ScopeId(0) && at.is_some_and(|at| at > offset)
    })
}

/// Why something at the top of a file would be hidden there under a new name.
pub(in crate::lang) fn hidden(rx: &Resolver, view: &FileView, def: DefId, new: &str) -> Option<String> {
    let d = view.def(def);
    if d.scope != ScopeId(0) {
        return None;
    }
    let star = behind(view, d.name_range.start).find(|star| given_by_star(rx, view, *star, new).is_some())?;
    let module = view.name(view.import(star).module);
    Some(format!("`from {module} import *` behind it would bind `{new}` to something else"))
}

/// Why something would hide what others have under its new name, as they import it by a star; completes "the name …".
pub(super) fn hides(rx: &Resolver, def: GlobalDef, new: &str) -> Option<String> {
    let (d, old) = (rx.def(def), rx.def_name(def));
    if d.scope != ScopeId(0) || d.kind == SymbolKind::Import || new.starts_with('_') {
        return None;
    }
    let world = rx.world();
    let files = world.files_mentioning(new).into_iter().filter(|file| {
        let entry = world.file(*file);
        *file != def.file && entry.language == Some(Language::Python) && entry.source != SourceKind::Library
    });
    let is_taken = |view: &FileView| {
        let bound = rx.top_level(view.id, new);
        let first = bound.iter().map(|bound| rx.def(*bound).name_range.start).min();
        first.is_some_and(|first| {
            behind(view, first).any(|star| {
                let given = given_by_star(rx, view, star, old);
                given.is_some_and(|given| {
                    rx.through_imports(Resolution::exact(given)).defs().any(|other| other == def)
                })
            })
        })
    };
    let file = files.into_iter().find(|file| is_taken(rx.file(*file)))?;
    Some(format!("would hide what {} means by it: a star import there comes later", world.file(file).path))
}
