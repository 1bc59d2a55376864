//! The bounds of associated types beside their declaration: by `where` clauses, in the arguments of a bound, and in
//! front of a path (`<T as Trait>::Item`).

use ide_model::SymbolKind;

use super::library;
use super::members::{self, bounds, container, trait_of, trait_seen_from};
use super::names::{self, Space};
use crate::facts::{Expr, RefId, TypeExpr, TypeId};
use crate::resolve::{FileView, Member, Policy, Resolution, Resolved, Resolver, Target, Ty};
use crate::world::GlobalDef;

/// A bound on an associated type of a parameter.
#[derive(Default)]
struct Said {
    /// `T: Tr<Item = A>`.
    equal: Option<Ty>,
    /// `T: Tr<Item: A>`, `where T::Item: A`.
    bounds: Vec<Ty>,
}

fn said_of(rx: &Resolver, parameter: GlobalDef, name: &str) -> Said {
    let file = rx.file(parameter.file);
    let mut said = Said::default();
    let Some(TypeExpr::Bounds(parts)) = file.def(parameter.def).ty.map(|ty| file.ty(ty)) else { return said };
    let mut add = |ty: TypeExpr| {
        let TypeExpr::Indexed { base, index } = ty else { return };
        let is_it = rx.named_type_ref(file, index).is_some_and(|key| file.ref_name(key) == name);
        match file.ty(base) {
            _ if !is_it => {}
            TypeExpr::Bounds(all) => said.bounds.extend(file.list(all).map(|bound| rx.type_of(file, bound))),
            _ => said.equal = Some(rx.type_of(file, base)),
        }
    };
    for part in file.list(parts) {
        match file.ty(part) {
            TypeExpr::Named { args, .. } => file.list(args).for_each(|arg| add(file.ty(arg))),
            other => add(other),
        }
    }
    said
}

/// The bounds of an associated type as what it is of has it: those of its declaration, then those that are added there.
pub(super) fn projection_bounds(rx: &Resolver, def: GlobalDef, args: &[Ty]) -> Vec<Ty> {
    let mut all = bounds(rx, def);
    if let [Ty::Param(parameter)] = args {
        all.extend(said_of(rx, *parameter, rx.def_name(def)).bounds);
    }
    all
}

/// The same of an associated type of a library trait.
pub(super) fn foreign_bounds(rx: &Resolver, name: &str, base: &Ty) -> Vec<Ty> {
    match base {
        Ty::Param(parameter) => said_of(rx, *parameter, library::last(name)).bounds,
        _ => Vec::new(),
    }
}

/// The type that a bound gives to an associated type of a parameter.
pub(super) fn equal(rx: &Resolver, base: &Ty, name: &str) -> Option<Ty> {
    match base {
        Ty::Param(parameter) => said_of(rx, *parameter, name).equal,
        _ => None,
    }
}

/// `<T as Trait>::name` is a member of that trait, or of its implementation for the type, whatever else the type has.
pub(super) fn qualified(
    rx: &Resolver,
    policy: &dyn Policy,
    file: &FileView,
    reference: RefId,
) -> Option<Resolved> {
    let Expr::Type(written) = file.expr(file.reference(reference).receiver?) else { return None };
    let TypeExpr::Intersection(parts) = file.ty(written) else {
        return of_implementation(rx, file, reference, file.ty(written));
    };
    let parts: Vec<TypeId> = file.list(parts).collect();
    let [base, of] = parts[..] else { return None };
    let (base, of) = (rx.type_of(file, base), rx.type_of(file, of));
    let is_of = |member: &Member| {
        let Some(owner) = member.def().and_then(|def| container(rx, def)) else { return false };
        match (&of, trait_of(rx, owner)) {
            (Ty::Instance(wanted, _), _) if *wanted == owner => true,
            (Ty::Instance(wanted, _), Some(has)) => has.def() == Some(*wanted),
            (Ty::External(wanted, _), Some(Ty::External(has, _))) => {
                library::last(wanted) == library::last(&has)
            }
            _ => false,
        }
    };
    let name = file.ref_name(reference);
    let mut found = members::members(rx, file, &base, name);
    found.retain(is_of);
    if found.is_empty() {
        match &of {
            Ty::Instance(def, _) => found.extend(
                rx.own_members(*def, name)
                    .into_iter()
                    .map(|member| Member { owner: trait_seen_from(rx, &of, &base), ..Member::plain(member) }),
            ),
            Ty::External(path, _) => {
                let target = Target::External(format!("{path}::{name}").into());
                return Some(Resolved { resolution: Resolution::exact(target), owner: Ty::Unknown });
            }
            _ => {}
        }
    }
    if found.is_empty() {
        return None;
    }
    let resolution = policy.choose(rx, file, reference, &found);
    let first = resolution.targets.first();
    let owner = found.iter().find(|m| Some(&m.target) == first).map_or(Ty::Unknown, |m| m.owner.clone());
    Some(Resolved { resolution, owner })
}

/// `Self::Item` in an implementation of a trait is the type that this trait has, whatever bounds `Self` has.
fn of_implementation(
    rx: &Resolver,
    file: &FileView,
    reference: RefId,
    written: TypeExpr,
) -> Option<Resolved> {
    let TypeExpr::TypeOf(this) = written else { return None };
    let (Expr::This(scope), Space::Type) = (file.expr(this), names::space_of(file, reference)) else {
        return None;
    };
    let mut around = file.scope_chain(scope).filter_map(|scope| file.scope(scope).owner);
    let owner = file.global(around.find(|owner| file.def(*owner).kind == SymbolKind::Impl)?);
    let of = trait_of(rx, owner)?;
    let this = members::self_type_of(rx, owner);
    let declared = rx.own_members(of.def()?, file.ref_name(reference)).into_iter().next()?;
    let is_type = rx.def(declared).kind == SymbolKind::TypeAlias;
    is_type
        .then(|| Resolved { resolution: Resolution::def(declared), owner: trait_seen_from(rx, &of, &this) })
}
