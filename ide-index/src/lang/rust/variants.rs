//! Declarations of which each build has one, because the modules that they stand in are alternatives.

use ide_model::{SourceKind, SymbolKind};

use super::conditions::has_conditions;
use super::refactor::modules_of;
use crate::facts::DefFlags;
use crate::resolve::{Policy, Resolver};
use crate::world::GlobalDef;

/// The declarations of other builds in the place of one, because they have another module around it.
pub(super) fn variants(rx: &Resolver, policy: &dyn Policy, def: GlobalDef) -> Vec<GlobalDef> {
    let view = rx.file(def.file);
    let d = view.def(def.def);
    let is_single = d.flags.has(DefFlags::LOCAL)
        || matches!(d.kind, SymbolKind::Import | SymbolKind::Impl | SymbolKind::Macro)
        || view.def_name(def.def).is_empty()
        || rx.world().file(def.file).source == SourceKind::Library;
    if is_single {
        return Vec::new();
    }
    let modules = modules_around(rx, def);
    if !modules.iter().any(|module| has_conditions(rx, *module)) {
        return Vec::new();
    }
    let owner = |of: GlobalDef| policy.member_owner(rx, of).map(|owner| rx.shared_name(owner));
    let sites = rx.world().declarations(view.def_name(def.def)).into_iter();
    let alike = sites.filter(|site| site.kind == d.kind && site.at != def).map(|site| site.at);
    let is_variant = |other: &GlobalDef| {
        rx.language_of(*other) == view.language()
            && !rx.def(*other).flags.has(DefFlags::LOCAL)
            && owner(*other) == owner(def)
            && are_alternatives(rx, &modules, &modules_around(rx, *other))
    };
    alike.filter(is_variant).collect()
}

/// The modules around a declaration, innermost first.
fn modules_around(rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
    let view = rx.file(def.file);
    let around = view.scope_chain(view.def(def.def).scope).filter_map(|scope| view.scope(scope).owner);
    let inline = around.filter(|owner| view.def(*owner).kind == SymbolKind::Module);
    let mut all: Vec<GlobalDef> = inline.map(|owner| view.global(owner)).collect();
    all.extend(modules_of(rx, def.file));
    all
}

/// Whether two ways through modules differ only in modules that stand under conditions in one place, and in what is below
/// those.
fn are_alternatives(rx: &Resolver, ours: &[GlobalDef], theirs: &[GlobalDef]) -> bool {
    let is_alternative = |a: GlobalDef, b: GlobalDef| {
        a.file == b.file
            && rx.def(a).scope == rx.def(b).scope
            && has_conditions(rx, a)
            && has_conditions(rx, b)
    };
    let mut below = false;
    ours.len() == theirs.len()
        && ours.iter().zip(theirs).rev().all(|(a, b)| {
            let is_one = a == b || below || is_alternative(*a, *b);
            below |= a != b;
            is_one && rx.shared_name(*a) == rx.shared_name(*b)
        })
        && below
}
