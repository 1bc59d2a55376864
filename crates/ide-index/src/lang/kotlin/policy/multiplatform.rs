//! Declarations that common code expects, and the actual ones of platforms: one symbol with several declarations.

use ide_model::SymbolKind;

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

/// The expected declaration and the actual ones, in this order; the given one alone when it is neither.
pub(super) fn counterparts(rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
    if side(rx, def).is_none() {
        return vec![def];
    }
    let file = rx.file(def.file);
    let name = file.def_name(def.def);
    let named: Vec<GlobalDef> = match rx.owner_class(def) {
        Some(owner) => {
            counterparts(rx, owner).into_iter().flat_map(|class| rx.own_members(class, name)).collect()
        }
        None => {
            let what = if rx.def(def).kind.is_type() { Top::Types } else { Top::Members };
            Tops::of(rx, what, name).in_package(rx, package_of(&file)).to_vec()
        }
    };
    let same = named.into_iter().filter(|other| *other == def || is_counterpart(rx, def, *other));
    let mut all: Vec<(Side, GlobalDef)> = same.filter_map(|other| Some((side(rx, other)?, other))).collect();
    all.sort_unstable();
    all.dedup();
    // Without an expected declaration there is nothing that the actual ones have in common.
    if all.first().is_none_or(|(side, _)| *side == Side::Actual) {
        return vec![def];
    }
    all.into_iter().map(|(_, def)| def).collect()
}

/// Two declarations of one name take the same, as far as the written types say.
fn is_counterpart(rx: &Resolver, a: GlobalDef, b: GlobalDef) -> bool {
    let (file, other) = (rx.file(a.file), rx.file(b.file));
    let (d, o) = (file.def(a.def), other.def(b.def));
    if d.kind.is_type() || o.kind.is_type() {
        return d.kind.is_type() && o.kind.is_type();
    }
    let takes = |file: &FileView, d: &Def| -> Vec<String> {
        let params = file.list(d.params).map(|p| file.def(p).ty);
        std::iter::once(d.receiver).chain(params).map(|ty| outer_name(file, ty)).collect()
    };
    d.kind == o.kind && takes(&file, d) == takes(&other, o)
}

fn outer_name(file: &FileView, ty: Option<TypeId>) -> String {
    match ty.map(|ty| file.ty(ty)) {
        Some(TypeExpr::Named { name, .. }) => file.ref_name(name).to_owned(),
        Some(TypeExpr::Nullable(inner)) => outer_name(file, Some(inner)),
        Some(TypeExpr::Function { params, .. }) => format!("({})", params.len),
        _ => String::new(),
    }
}

/// Leaves of each expected declaration and its actual ones the one that code of a file sees: that of its own source set,
/// or the expected one.
pub(super) fn seen_from(rx: &Resolver, from: &FileView, all: &[GlobalDef]) -> Vec<GlobalDef> {
    let is_plain = |def: &GlobalDef| !rx.def(*def).flags.has(DefFlags::EXPECT);
    if all.iter().all(is_plain) {
        return all.to_vec();
    }
    let seen = |def: GlobalDef| {
        let group = counterparts(rx, def).into_iter().filter(|other| all.contains(other)).enumerate();
        let near = |def: &GlobalDef| nearness(&rx.world().file(def.file).path.0, &from.path);
        group.max_by_key(|(i, other)| (near(other), std::cmp::Reverse(*i))).map(|(_, other)| other)
    };
    all.iter().copied().filter(|def| seen(*def) == Some(*def)).collect()
}
