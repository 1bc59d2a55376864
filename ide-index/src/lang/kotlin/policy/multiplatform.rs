//! Declarations that common code expects, and the actual ones of platforms: one symbol with several declarations.

use std::sync::{Arc, PoisonError, RwLock};

use ide_model::SymbolKind;
use rustc_hash::FxHashMap;

use super::names::package_of;
use crate::facts::{Def, DefFlags, TypeExpr, TypeId};
use crate::lang::java::names::nearness;
use crate::lang::java::tops::{Top, Tops};
use crate::resolve::{FileView, Resolver};
use crate::world::GlobalDef;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Expected,
    Actual,
}

/// Members of what is expected are so without a word; those of what is actual say it, but for entries.
fn side(rx: &Resolver, def: GlobalDef) -> Option<Side> {
    let d = rx.def(def);
    if d.flags.has(DefFlags::LOCAL) {
        return None;
    }
    if d.flags.has(DefFlags::EXPECT) {
        return Some(Side::Expected);
    }
    if d.flags.has(DefFlags::ACTUAL) {
        return Some(Side::Actual);
    }
    let owner = side(rx, rx.owner_class(def)?)?;
    (owner == Side::Expected || d.kind == SymbolKind::EnumCase).then_some(owner)
}

/// Groups that were asked for.
#[derive(Default)]
struct Groups(RwLock<FxHashMap<GlobalDef, Arc<[GlobalDef]>>>);

/// The expected declaration and the actual ones, in this order; the given one alone when it is neither.
pub(super) fn counterparts(rx: &Resolver, def: GlobalDef) -> Arc<[GlobalDef]> {
    let known = rx.of_world(|_| Groups::default());
    if let Some(group) = known.0.read().unwrap_or_else(PoisonError::into_inner).get(&def) {
        return group.clone();
    }
    let groups = find_groups(rx, def);
    let mut known = known.0.write().unwrap_or_else(PoisonError::into_inner);
    for group in groups {
        for member in &*group {
            known.insert(*member, group.clone());
        }
    }
    known.entry(def).or_insert_with(|| [def].into()).clone()
}

/// The groups of what has the name of a declaration and stands beside it.
fn find_groups(rx: &Resolver, def: GlobalDef) -> Vec<Arc<[GlobalDef]>> {
    if side(rx, def).is_none() {
        return Vec::new();
    }
    let file = rx.file(def.file);
    let name = file.def_name(def.def);
    let mut named: Vec<GlobalDef> = match rx.owner_class(def) {
        Some(owner) => {
            counterparts(rx, owner).iter().flat_map(|class| rx.own_members(*class, name)).collect()
        }
        None => {
            let what = if rx.kind(def).is_type() { Top::Types } else { Top::Members };
            Tops::of(rx, name).in_package(rx, name, what, package_of(file)).into_owned()
        }
    };
    named.push(def);
    let files: Vec<_> = named.iter().map(|def| rx.file(def.file)).collect();
    let mut groups: FxHashMap<Alike<'_>, Vec<(Side, GlobalDef)>> = FxHashMap::default();
    for (def, file) in named.into_iter().zip(&files) {
        if let Some(side) = side(rx, def) {
            groups.entry(alike(file, file.def(def.def))).or_default().push((side, def));
        }
    }
    let groups = groups.into_values().map(|mut group| {
        group.sort_unstable();
        group.dedup();
        group
    });
    // Without an expected declaration there is nothing that the actual ones have in common.
    let expected = groups.filter(|group| group[0].0 == Side::Expected);
    expected.map(|group| group.into_iter().map(|(_, def)| def).collect()).collect()
}

/// The properties that counterparts of one name share: they take the same, as far as the written types say. `None`
/// and nothing for types.
type Alike<'f> = (Option<SymbolKind>, Vec<Outer<'f>>);

fn alike<'f>(file: &'f FileView, d: &Def) -> Alike<'f> {
    if d.kind.is_type() { (None, Vec::new()) } else { (Some(d.kind), takes(file, d).collect()) }
}

/// The written types of the receiver and of each parameter.
fn takes<'f>(file: &'f FileView, d: &Def) -> impl Iterator<Item = Outer<'f>> {
    let params = file.list(d.params).map(|p| file.def(p).ty);
    std::iter::once(d.receiver).chain(params).map(|ty| outer(file, ty))
}

/// The outside of a written type.
#[derive(PartialEq, Eq, Hash)]
enum Outer<'f> {
    Name(&'f str),
    Function { params: u32 },
    Other,
}

fn outer(file: &FileView, ty: Option<TypeId>) -> Outer<'_> {
    match ty.map(|ty| file.ty(ty)) {
        Some(TypeExpr::Named { name, .. }) => Outer::Name(file.ref_name(name)),
        Some(TypeExpr::Nullable(inner)) => outer(file, Some(inner)),
        Some(TypeExpr::Function { params, .. }) => Outer::Function { params: params.len },
        _ => Outer::Other,
    }
}

/// Leaves of each expected declaration and its actual ones the one that code of a file sees: that of its own source set,
/// or the expected one.
pub(super) fn seen_from(rx: &Resolver, from: &FileView, all: &[GlobalDef]) -> Vec<GlobalDef> {
    let is_plain = |def: &GlobalDef| !rx.file(def.file).has_flag(def.def, DefFlags::EXPECT);
    if all.iter().all(is_plain) {
        return all.to_vec();
    }
    let near = |def: &GlobalDef| nearness(&rx.world().file(def.file).path.0, &from.path);
    let is_seen = |def: &GlobalDef| {
        let group = counterparts(rx, *def);
        if *group == [*def] {
            return true;
        }
        let there = group.iter().filter(|other| all.contains(other)).enumerate();
        there
            .max_by_key(|(i, other)| (near(other), std::cmp::Reverse(*i)))
            .is_some_and(|(_, seen)| seen == def)
    };
    all.iter().copied().filter(is_seen).collect()
}
