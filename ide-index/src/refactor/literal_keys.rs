//! Keys of object literals that stand for members of types.

use ide_model::SymbolKind;

use super::family::Family;
use crate::facts::{DefFlags, DefId, RefId};
use crate::query::references::Sought;
use crate::resolve::{FileView, Resolver, Target, Ty};
use crate::world::{FileId, GlobalDef};

/// Keys of object literals of a file that stand for a member of the family, by the type that is expected there, and those
/// that may.
pub(super) fn literal_keys(
    rx: &Resolver,
    family: &Family,
    sought: &Sought,
    old: &str,
    id: FileId,
) -> (Vec<GlobalDef>, Vec<GlobalDef>) {
    let file = rx.file(id);
    let Some(name) = file.name_id(old) else { return Default::default() };
    let named = file.def_ids().filter(|def| file.def(*def).name == name).map(|def| file.global(def));
    let is_new = |at: &GlobalDef| is_literal_key(file, at.def) && family.defs.binary_search(at).is_err();
    let stands_for_it = |at: &GlobalDef| {
        let stands_for = |target: &Target| *target != Target::Def(*at) && sought.targets.contains(target);
        rx.policy(file).declared_as(rx, *at).targets.iter().any(stands_for)
    };
    let (keys, others): (Vec<GlobalDef>, Vec<GlobalDef>) = named.filter(is_new).partition(stands_for_it);
    let may = |at: &GlobalDef| {
        rx.policy(file).may_stand_for(rx, *at, &family.defs) || replaces_spread(rx, family, old, *at)
    };
    (keys, others.into_iter().filter(may).collect())
}

/// Whether a key, of which no type is known to ask for it, stands beside a spread object that has a member of the family: the
/// later one of both wins as long as they have one name.
fn replaces_spread(rx: &Resolver, family: &Family, old: &str, key: GlobalDef) -> bool {
    let file = rx.file(key.file);
    let is_other = |target: &Target| *target != Target::Def(key);
    if rx.policy(file).declared_as(rx, key).targets.iter().any(is_other) {
        return false;
    }
    let Some(object) = file.scope(file.def(key.def).scope).owner else { return false };
    let line = rx.linearization(&Ty::instance(file.global(object)));
    line.iter().skip(1).any(|spread| {
        let members = rx.policy(file).members(rx, file, spread, old);
        members.iter().any(|member| member.def().is_some_and(|def| family.defs.binary_search(&def).is_ok()))
    })
}

/// Whether a declaration is the key of an object literal.
pub(crate) fn is_literal_key(file: &FileView, def: DefId) -> bool {
    let owner = file.scope(file.def(def).scope).owner;
    owner.is_some_and(|owner| file.def(owner).kind == SymbolKind::Object)
}

/// Whether a member is found by the key of `{ name }`, which reads a variable of that name: the key keeps its name when
/// the variable gets another one.
pub(super) fn is_through_shorthand(
    rx: &Resolver,
    file: &FileView,
    reference: RefId,
    sought: &Sought,
) -> bool {
    let Some(receiver) = file.reference(reference).receiver else { return false };
    let ty = rx.expr_type(file, receiver);
    let name = file.ref_name(reference);
    let is_shorthand = |member: GlobalDef| {
        let view = rx.file(member.file);
        is_literal_key(view, member.def)
            && view.has_flag(member.def, DefFlags::SYNTHETIC)
            && !sought.targets.contains(&Target::Def(member))
    };
    let members = ty.parts().iter().flat_map(|part| rx.policy(file).members(rx, file, part, name));
    members.filter_map(|member| member.def()).any(is_shorthand)
}
