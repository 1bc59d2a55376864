//! The names that a file sees: traits whose methods it may call, members that are not private to others.

use std::sync::Mutex;

use ide_model::{SymbolKind, Visibility};
use rustc_hash::FxHashMap;

use super::crates::Crates;
use super::implementations::remembered;
use super::names::{self, Space};
use super::refactor;
use crate::facts::Import;
use crate::resolve::{FileView, Resolver, Target};
use crate::world::{FileId, GlobalDef};

/// Which files have which traits in scope somewhere.
#[derive(Default)]
struct Traits {
    known: Mutex<FxHashMap<(FileId, GlobalDef), bool>>,
}

/// Whether a trait is in scope anywhere in a file: methods of the others cannot be called there on a type.
pub(super) fn has_trait(rx: &Resolver, from: &FileView, of: GlobalDef) -> bool {
    if from.id == of.file {
        return true;
    }
    let memory = rx.extension(|_| Traits::default());
    remembered(&memory.known, &(from.id, of), || looks_for_trait(rx, from, of))
}

fn looks_for_trait(rx: &Resolver, from: &FileView, of: GlobalDef) -> bool {
    let name = rx.def_name(of);
    let is_imported = |file: &FileView| {
        let last = |import: &Import| import.member.or_else(|| file.list(import.path).last());
        file.imports.iter().filter_map(last).any(|reference| file.ref_name(reference) == &*name)
    };
    let crates = Crates::of(rx);
    let Some(module) = crates.of_file(from.id) else { return true };
    let includer = crates.module(module).file;
    if is_imported(from) || includer != from.id && is_imported(rx.file(includer)) {
        return true;
    }
    let is_it = |target: &Target| *target == Target::Def(of);
    let modules = from.stars().filter_map(|star| names::module_of(rx, from, star.scope));
    let mut modules = modules.collect::<Vec<_>>();
    modules.push(module);
    modules
        .into_iter()
        .any(|module| names::in_module(rx, module, name, Space::Type, module, None).iter().any(is_it))
        || names::block_stars(rx, from, name, module).iter().any(is_it)
}

/// Whether an inherent member may be used in a file.
pub(super) fn may_use(rx: &Resolver, from: &FileView, member: GlobalDef) -> bool {
    let d = rx.def(member);
    if d.flags.has(super::SEEN_ABOVE) {
        let crates = Crates::of(rx);
        let (here, home) = (crates.of_file(from.id), crates.of_file(member.file));
        let above = home.and_then(|home| crates.parent(home));
        return here.zip(above).is_none_or(|(here, above)| crates.is_inside(here, above));
    }
    d.visibility != Some(Visibility::Private)
        || d.kind == SymbolKind::EnumCase
        || refactor::sees_private_of(rx, from.id, member.file)
}
