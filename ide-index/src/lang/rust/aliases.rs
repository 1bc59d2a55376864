//! Names that `use … as` gives to what has another one, wherever they are used.

use ide_model::SymbolKind;

use super::crates::nearest_module;
use crate::facts::{DefId, Expr, ExprId, Import, ImportKind, RefId, Role};
use crate::query::definition::At;
use crate::resolve::{FileView, GivenName, ModulePlace, Resolver};

/// Imports that pass a name on are followed this far.
const MAX_HOPS: usize = 16;

/// The `use … as` that gives something the name by which it is written at a place.
pub(super) fn given_name(rx: &Resolver, file: &FileView, at: At) -> Option<GivenName> {
    given(rx, file, at, MAX_HOPS)
}

fn given(rx: &Resolver, file: &FileView, at: At, hops: usize) -> Option<GivenName> {
    let hops = hops.checked_sub(1)?;
    let reference = match at {
        At::Def(def) => return given_to(rx, file, def, hops),
        At::Ref(reference) => reference,
    };
    let r = file.reference(reference);
    let name = file.ref_name(reference);
    match r.receiver {
        Some(receiver) => in_module(rx, &module_of(rx, file, receiver)?, name, hops),
        None if r.role == Role::Import => {
            // `use B as C` finds the names of its own module, as any path does since the 2018 edition.
            let own = ModulePlace { path: Vec::new(), file: file.id, scope: nearest_module(file, r.scope) };
            in_module(rx, &own, name, hops)
        }
        None => match rx.bound(file, reference) {
            Some(def) => given_to(rx, file, def, hops),
            None => by_stars(rx, file, name, hops),
        },
    }
}

fn module_of(rx: &Resolver, file: &FileView, value: ExprId) -> Option<ModulePlace> {
    rx.policy(file).module_of_value(rx, file, value)
}

/// The name of a declaration, if an import gives it to something.
fn given_to(rx: &Resolver, file: &FileView, def: DefId, hops: usize) -> Option<GivenName> {
    let d = file.def(def);
    let import = file.import(d.import.filter(|_| d.kind == SymbolKind::Import)?);
    let written: RefId = import.member.or_else(|| file.list(import.path).last())?;
    if file.reference(written).range != d.name_range {
        return Some(GivenName { file: file.id, range: d.name_range });
    }
    given(rx, file, At::Ref(written), hops)
}

/// The alias by which a module calls a name that an import gives.
fn in_module(rx: &Resolver, module: &ModulePlace, name: &str, hops: usize) -> Option<GivenName> {
    let hops = hops.checked_sub(1)?;
    let view = rx.file(module.file);
    let named = view.named_in_scope(module.scope, name);
    if let Some(def) = named.iter().find(|def| view.def(**def).kind == SymbolKind::Import) {
        return given_to(rx, view, *def, hops);
    }
    if !named.is_empty() {
        return None;
    }
    let stars = view.imports.iter().filter(|import| import.kind == ImportKind::Star);
    let own = stars.filter(|import| import.scope == module.scope);
    own.filter_map(|import| star_module(rx, view, import)).find_map(|inner| in_module(rx, &inner, name, hops))
}

/// The alias that a file gets by importing everything of a module.
fn by_stars(rx: &Resolver, file: &FileView, name: &str, hops: usize) -> Option<GivenName> {
    let stars = file.imports.iter().filter(|import| import.kind == ImportKind::Star);
    stars
        .filter_map(|import| star_module(rx, file, import))
        .find_map(|module| in_module(rx, &module, name, hops))
}

/// The module of which an import takes everything.
fn star_module(rx: &Resolver, file: &FileView, import: &Import) -> Option<ModulePlace> {
    let Some(last) = file.list(import.path).last() else {
        // `use super::*` in an inline module.
        let inner = nearest_module(file, import.scope);
        let around = file.scope(inner).parent.filter(|_| file.name(import.module) == "super")?;
        return Some(ModulePlace { path: Vec::new(), file: file.id, scope: nearest_module(file, around) });
    };
    let is_last = |id: &ExprId| file.expr(*id) == Expr::Ref(last);
    module_of(rx, file, (0..file.exprs.len() as u32).map(ExprId).find(is_last)?)
}
