//! Members: implementations by the head of their type, inherent before those of traits, through bounds and pointers.

use std::sync::Arc;

use ide_model::{Confidence, SymbolKind};

use super::adapters::{deref_target, item_of_adapter};
use super::arguments::matches;
use super::crates::Crates;
use super::implementations::{self, Among, Site, members_named, of_traits_named};
use super::library;
use super::names;
use super::outside_types;
use super::predicates::{self, projection_bounds};
use super::seen;
use super::types::is_primitive;
use crate::facts::{DefFlags, TypeExpr};
use crate::resolve::{FileView, Member, Resolver, Substitution, Target, Ty, Types, unify};
use crate::world::GlobalDef;

/// Pointers are followed this far.
const MAX_DEREF: usize = 8;

/// Implementations for everything that ask for others of the kind are followed this far.
const MAX_BLANKET: u32 = 3;

/// The head of a type, which decides its implementations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Head {
    Def(GlobalDef),
    /// A library type, a primitive one, or a built-in form, by its last name.
    Named(Arc<str>),
    /// A type parameter: whatever satisfies its bounds.
    Any,
}

/// The implementation or trait that a member stands in.
pub(super) fn container(rx: &Resolver, member: GlobalDef) -> Option<GlobalDef> {
    let owner = rx.owner_class(member)?;
    matches!(rx.def(owner).kind, SymbolKind::Impl | SymbolKind::Trait).then_some(owner)
}

/// The type that an implementation is for.
pub(super) fn self_type_of(rx: &Resolver, implementation: GlobalDef) -> Ty {
    let file = rx.file(implementation.file);
    file.def(implementation.def).ty.map_or(Ty::Unknown, |ty| rx.type_of(file, ty))
}

/// The declared type that an implementation is for, not a reference to it.
pub(super) fn implemented_by(rx: &Resolver, implementation: GlobalDef) -> Option<GlobalDef> {
    let file = rx.file(implementation.file);
    let ty = file.def(implementation.def).ty?;
    if matches!(file.ty(ty), TypeExpr::Reference(_) | TypeExpr::Pointer(_)) {
        return None;
    }
    match head(rx, &rx.type_of(file, ty)) {
        Some(Head::Def(class)) => Some(class),
        _ => None,
    }
}

/// The trait that an implementation is of, as written.
pub(super) fn trait_of(rx: &Resolver, implementation: GlobalDef) -> Option<Ty> {
    let file = rx.file(implementation.file);
    let edge = file.list(file.def(implementation.def).supers).next()?;
    Some(rx.type_of(file, edge.ty))
}

/// The enum of a variant, anything else as it is.
pub(super) fn whole(rx: &Resolver, def: GlobalDef) -> GlobalDef {
    if rx.def(def).kind == SymbolKind::EnumCase { rx.owner_class(def).unwrap_or(def) } else { def }
}

pub(super) fn head(rx: &Resolver, ty: &Ty) -> Option<Head> {
    Some(match ty {
        Ty::Instance(def, _) | Ty::Class(def, _) => match rx.def(*def).kind {
            SymbolKind::TypeAlias => return None,
            _ => Head::Def(whole(rx, *def)),
        },
        Ty::Param(_) => Head::Any,
        Ty::External(name, _) | Ty::ExternalName(name) => Head::Named(library::last(name).into()),
        Ty::Primitive(name) => Head::Named(name.clone()),
        Ty::Array(_) => Head::Named("slice".into()),
        Ty::Tuple(_) => Head::Named("tuple".into()),
        Ty::Callable { .. } | Ty::Function(..) => Head::Named("fn".into()),
        Ty::Pointer(_) => Head::Named("pointer".into()),
        Ty::Intersection(parts) => return parts.iter().find_map(|part| head(rx, part)),
        _ => return None,
    })
}

/// An implementation seen from a receiver: its own parameters with what the receiver says of them.
fn seen_from(rx: &Resolver, implementation: GlobalDef, receiver: &Ty) -> Ty {
    let params = rx.declared_type_params(implementation);
    let mut found = Substitution::default();
    unify(&self_type_of(rx, implementation), &as_instance(receiver), &params, &mut found);
    let args = params.iter().map(|p| found.get(p).cloned().unwrap_or(Ty::Param(*p))).collect();
    Ty::Instance(implementation, args)
}

pub(super) fn as_instance(ty: &Ty) -> Ty {
    ty.clone().instantiate()
}

/// A trait with its arguments, and the receiver for its `Self`.
pub(super) fn trait_seen_from(rx: &Resolver, of: &Ty, receiver: &Ty) -> Ty {
    let Some(def) = of.def() else { return Ty::Unknown };
    let own = rx.declared_type_params(def);
    let mut args: Vec<Ty> =
        own.iter().enumerate().map(|(i, p)| of.args().get(i).cloned().unwrap_or(Ty::Param(*p))).collect();
    args.push(as_instance(receiver));
    Ty::Instance(def, args.into())
}

/// The implementation by which a type has a trait, if the world has one. A blanket one comes last.
pub(super) fn implementation(rx: &Resolver, ty: &Ty, of: GlobalDef) -> Option<GlobalDef> {
    implementation_at(rx, ty, of, 0)
}

fn implementation_at(rx: &Resolver, ty: &Ty, of: GlobalDef, depth: u32) -> Option<GlobalDef> {
    let wanted = head(rx, ty)?;
    let mut blanket = None;
    let found = implementations::of_trait(rx, of).of_head(rx, &wanted, Among::All);
    for Site { def: candidate, .. } in found.all.iter().copied() {
        let declared = self_type_of(rx, candidate);
        match head(rx, &declared) {
            Some(Head::Any) if !forwards(rx, candidate, &declared) && satisfies(rx, ty, &declared, depth) => {
                blanket = Some(candidate);
            }
            Some(found)
                if found == wanted
                    && found != Head::Any
                    && matches(rx, &declared, &as_instance(ty), &rx.declared_type_params(candidate)) =>
            {
                return Some(candidate);
            }
            _ => {}
        }
    }
    blanket
}

/// `impl<T: Tr> Tr for &T`: gives nothing that the type does not have already.
fn forwards(rx: &Resolver, implementation: GlobalDef, declared: &Ty) -> bool {
    let Ty::Param(parameter) = declared else { return false };
    let of = trait_of(rx, implementation);
    bounds(rx, *parameter).iter().any(|bound| match (bound, &of) {
        (Ty::External(a, _), Some(Ty::External(b, _))) => library::last(a) == library::last(b),
        (bound, Some(of)) => bound.def().is_some() && bound.def() == of.def(),
        _ => false,
    })
}

/// Whether a type has what an implementation for everything asks for, as far as that can be told.
fn satisfies(rx: &Resolver, ty: &Ty, declared: &Ty, depth: u32) -> bool {
    let Ty::Param(parameter) = declared else { return true };
    if ty == declared {
        return true;
    }
    if depth >= MAX_BLANKET {
        return false;
    }
    let is_function = matches!(ty, Ty::Function(..) | Ty::Callable { .. });
    let has = |bound: &Ty| match (ty, bound) {
        // `?Sized` asks for nothing.
        (_, Ty::External(of, _)) if library::last(of) == "Sized" => true,
        (Ty::Param(own), _) => bounds(rx, *own).iter().any(|known| {
            matches!((known, bound), (Ty::Callable { .. }, Ty::Callable { .. }))
                || rx.linearization(known).iter().any(|part| match (part, bound) {
                    (Ty::External(a, _), Ty::External(b, _)) => library::last(a) == library::last(b),
                    (part, bound) => part.def().is_some() && part.def() == bound.def(),
                })
        }),
        // A value of a trait has what the trait and those above it ask for.
        (Ty::Instance(own, _), Ty::Instance(of, _))
            if rx.def(*own).kind == SymbolKind::Trait
                && rx.linearization(ty).iter().any(|part| part.def() == Some(*of)) =>
        {
            true
        }
        (_, Ty::Instance(of, _)) => match implementation_at(rx, ty, *of, depth + 1) {
            // An implementation for everything that can be called applies to functions.
            Some(by) => is_function || head(rx, &self_type_of(rx, by)) != Some(Head::Any),
            None => false,
        },
        (Ty::Function(..) | Ty::Callable { .. }, Ty::External(of, _)) => {
            matches!(
                library::last(of),
                "Sized" | "Clone" | "Copy" | "Send" | "Sync" | "Unpin" | "Fn" | "FnMut" | "FnOnce"
            )
        }
        // A type that can be called is a function, or points to one.
        (Ty::Instance(..) | Ty::Primitive(_) | Ty::Array(_) | Ty::Tuple(_), Ty::Callable { .. }) => false,
        (Ty::External(name, _), Ty::Callable { .. }) => library::is_pointer(library::last(name)),
        _ => true,
    };
    bounds(rx, *parameter).iter().all(has)
}

/// Methods, constants and types that implementations give to a type: inherent ones, else those of traits, else what
/// traits give by default, else what is implemented for everything, else what traits give by default to that.
fn implemented(rx: &Resolver, from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
    let Some(wanted) = head(rx, ty) else { return Vec::new() };
    let home = Crates::of(rx).home(from.id);
    let found = members_named(rx, name).of_head(rx, &wanted, Among::SeenFrom(home));
    let (mut inherent, mut of_traits, mut blanket) = (Vec::new(), Vec::new(), Vec::new());
    // Members that the file does not see come last, and count for types of the world only.
    let mut unseen = Vec::new();
    let (own, for_parameters) = found.apart();
    for sites in [own, for_parameters] {
        for site in sites {
            let Some((by, member)) = given(rx, &wanted, ty, *site) else { continue };
            let is_seen = match trait_of(rx, site.owner).map(|of| of.def()) {
                Some(None) => true,
                Some(Some(of)) => sees_of_trait(rx, from, site.def, of),
                None => seen::may_use(rx, from, site.def),
            };
            let into = match by {
                _ if !is_seen => &mut unseen,
                GivenBy::Type => &mut inherent,
                GivenBy::Trait => &mut of_traits,
                GivenBy::TraitOfAll => &mut blanket,
            };
            into.push(member);
        }
        if let Some(known) = [&mut inherent, &mut of_traits].into_iter().find(|found| !found.is_empty()) {
            return std::mem::take(known);
        }
    }
    let (mut by_default, mut by_blanket, mut unseen_by_default) = (Vec::new(), Vec::new(), Vec::new());
    for Site { def, owner } in found.declared.iter().copied() {
        let Some(by) = implementation(rx, ty, owner) else { continue };
        let is_blanket = head(rx, &self_type_of(rx, by)) == Some(Head::Any);
        let seen = seen_from(rx, by, ty);
        let of = trait_of(rx, by).unwrap_or(Ty::Unknown).substitute(&bound_only(&rx.arguments_of(&seen)));
        let member = Member {
            target: Target::Def(def),
            owner: trait_seen_from(rx, &of, ty),
            confidence: if is_blanket { Confidence::Inferred } else { Confidence::Exact },
        };
        match (sees_of_trait(rx, from, def, owner), is_blanket) {
            (true, false) => by_default.push(member),
            (true, true) => by_blanket.push(member),
            (false, _) => unseen_by_default.push(member),
        }
    }
    if matches!(wanted, Head::Def(_)) {
        unseen_by_default.extend(unseen);
    } else {
        unseen_by_default.clear();
    }
    let ranks = [by_default, blanket, by_blanket, unseen_by_default];
    ranks.into_iter().find(|members| !members.is_empty()).unwrap_or_default()
}

/// The kind of implementation that gives a type a member.
enum GivenBy {
    /// An implementation of the type itself.
    Type,
    /// One of a trait for the type.
    Trait,
    /// One of a trait for everything.
    TraitOfAll,
}

/// A member of an implementation that is for a type.
fn given(rx: &Resolver, wanted: &Head, ty: &Ty, Site { def, owner }: Site) -> Option<(GivenBy, Member)> {
    let declared = self_type_of(rx, owner);
    let (by, confidence) = match (head(rx, &declared)?, rx.def(owner).supers.is_empty()) {
        (Head::Any, false) if !forwards(rx, owner, &declared) && satisfies(rx, ty, &declared, 0) => {
            (GivenBy::TraitOfAll, Confidence::Inferred)
        }
        (found, is_inherent)
            if found == *wanted
                && found != Head::Any
                && matches(rx, &declared, &as_instance(ty), &rx.declared_type_params(owner)) =>
        {
            (if is_inherent { GivenBy::Type } else { GivenBy::Trait }, Confidence::Exact)
        }
        _ => return None,
    };
    Some((by, Member { target: Target::Def(def), owner: seen_from(rx, owner, ty), confidence }))
}

/// Whether a file may use a member of a trait.
fn sees_of_trait(rx: &Resolver, from: &FileView, member: GlobalDef, of: GlobalDef) -> bool {
    rx.def(member).kind == SymbolKind::TypeAlias || seen::has_trait(rx, from, of)
}

/// Without parameters that stand for themselves.
pub(super) fn bound_only(substitution: &Substitution) -> Substitution {
    substitution
        .iter()
        .filter(|(param, ty)| !ty.is_unknown() && **ty != Ty::Param(**param))
        .map(|(param, ty)| (*param, ty.clone()))
        .collect()
}

/// Members of a trait and of its supertraits, for a receiver that is known by the trait alone.
fn of_trait(rx: &Resolver, of: &Ty, receiver: &Ty, name: &str) -> Vec<Member> {
    for ty in rx.linearization(of).iter() {
        let Some(def) = ty.def().filter(|d| rx.def(*d).kind == SymbolKind::Trait) else { continue };
        let own = rx.own_members(def, name);
        let found: Vec<Member> = own
            .into_iter()
            .filter(|d| rx.def(*d).kind != SymbolKind::TypeParameter)
            .map(|d| Member {
                target: Target::Def(d),
                owner: trait_seen_from(rx, ty, receiver),
                confidence: Confidence::Exact,
            })
            .collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// The bounds of a type parameter or of an associated type; the trait itself for a `Self`.
pub(super) fn bounds(rx: &Resolver, parameter: GlobalDef) -> Vec<Ty> {
    let file = rx.file(parameter.file);
    let d = file.def(parameter.def);
    if d.kind == SymbolKind::Trait {
        return vec![rx.self_type(parameter)];
    }
    let Some(ty) = d.ty.filter(|_| !d.flags.has(DefFlags::CONST)) else { return Vec::new() };
    if let TypeExpr::Bounds(parts) = file.ty(ty) {
        let own = file.list(parts).filter(|part| !matches!(file.ty(*part), TypeExpr::Indexed { .. }));
        return own.map(|part| rx.type_of(file, part)).collect();
    }
    match rx.type_of(file, ty) {
        Ty::Intersection(parts) => parts.to_vec(),
        one => vec![one],
    }
}

/// An associated type that is declared in a trait: what stands for it until an implementation is known.
pub(super) fn is_projection(rx: &Resolver, def: GlobalDef) -> bool {
    let d = rx.def(def);
    d.kind == SymbolKind::TypeAlias && container(rx, def).is_some_and(|c| rx.def(c).kind == SymbolKind::Trait)
}

/// The associated type `name` that a type's implementation of a library trait gives.
pub(super) fn associated(rx: &Resolver, ty: &Ty, of: &str, name: &str) -> Option<Ty> {
    associated_by(rx, ty, None, of, name)
}

/// [`associated`] of any trait with a name; `meant` is the one of the world, if it is one.
fn associated_by(rx: &Resolver, ty: &Ty, meant: Option<GlobalDef>, of: &str, name: &str) -> Option<Ty> {
    let wanted = head(rx, ty).filter(|h| *h != Head::Any)?;
    let found = of_traits_named(rx, of).of_head(rx, &wanted, Among::Implementing(meant));
    for Site { def: candidate, .. } in found.all.iter().copied() {
        let declared = self_type_of(rx, candidate);
        if head(rx, &declared) != Some(wanted.clone())
            || !matches(rx, &declared, &as_instance(ty), &rx.declared_type_params(candidate))
        {
            continue;
        }
        let given = given_type(rx, candidate, ty, name);
        if given.is_some() {
            return given;
        }
    }
    let mut blanket = found.apart().1.iter().map(|site| site.def).filter(|candidate| {
        let declared = self_type_of(rx, *candidate);
        !forwards(rx, *candidate, &declared) && satisfies(rx, ty, &declared, 0)
    });
    blanket.find_map(|candidate| given_type(rx, candidate, ty, name))
}

/// The associated type that an implementation gives to a type that it is for.
fn given_type(rx: &Resolver, implementation: GlobalDef, ty: &Ty, name: &str) -> Option<Ty> {
    let alias = rx.own_members(implementation, name).first().copied()?;
    let file = rx.file(alias.file);
    let written = file.def(alias.def).ty?;
    let seen = seen_from(rx, implementation, ty);
    Some(rx.type_of(file, written).substitute(&bound_only(&rx.arguments_of(&seen))))
}

/// Replaces an associated type by what is known of it.
pub(super) fn settle(rx: &Resolver, ty: &Ty) -> Ty {
    let mut ty = ty.clone();
    for _ in 0..MAX_DEREF {
        let next = match &ty {
            Ty::Instance(def, args) if !args.is_empty() && is_projection(rx, *def) => {
                let Some(of) = container(rx, *def) else { return ty };
                let base = settle_base(rx, &args[0]);
                let name = rx.def_name(*def);
                let given = || associated_by(rx, &base, Some(of), rx.def_name(of), name);
                predicates::equal(rx, &base, name).or_else(given)
            }
            Ty::External(name, args) if args.len() == 1 && is_foreign_item(name) => {
                item(rx, &settle_base(rx, &args[0]))
            }
            _ => None,
        };
        match next {
            Some(next) if next != ty => ty = next,
            _ => return ty,
        }
    }
    ty
}

fn settle_base(rx: &Resolver, ty: &Ty) -> Ty {
    if matches!(ty, Ty::Instance(def, _) if is_projection(rx, *def)) { settle(rx, ty) } else { ty.clone() }
}

/// `I::Item` of a library trait.
fn is_foreign_item(name: &str) -> bool {
    matches!(name, "Iterator::Item" | "IntoIterator::Item")
}

/// The item type of a value, where it is known.
pub(super) fn item(rx: &Resolver, ty: &Ty) -> Option<Ty> {
    let ty = settle(rx, ty);
    match &ty {
        Ty::Array(item) => Some((**item).clone()),
        Ty::External(name, args) => {
            let last = library::last(name);
            let declared = || {
                let of_iterator = outside_types::associated(rx, &ty, "Iterator", "Item");
                of_iterator.or_else(|| outside_types::associated(rx, &ty, "IntoIterator", "Item"))
            };
            let by_table = item_of_adapter(rx, last, args);
            if let Some(yields) = by_table.or_else(|| declared().map(|item| settle(rx, &item))) {
                return Some(yields);
            }
            match args.len() {
                2 if library::shape(last, "keys").is_some() => Some(Ty::Tuple(args.clone())),
                0 => None,
                _ if library::is_pointer(last) => item(rx, &args[0]),
                _ => Some(args[0].clone()),
            }
        }
        Ty::Param(parameter) => {
            let bounds = bounds(rx, *parameter);
            let is_iterator =
                |b: &Ty| matches!(b, Ty::External(name, _) if library::is_iterator(library::last(name)));
            let said = bounds.iter().find_map(|bound| item_of_bound(rx, bound));
            let open = || Ty::External("Iterator::Item".into(), Types::from([ty.clone()]));
            said.or_else(|| bounds.iter().any(is_iterator).then(open))
        }
        Ty::Intersection(parts) => parts.iter().find_map(|part| item_of_bound(rx, part)),
        Ty::Instance(def, args) if is_projection(rx, *def) => {
            projection_bounds(rx, *def, args).iter().find_map(|bound| item_of_bound(rx, bound))
        }
        Ty::Instance(def, _) if rx.def(*def).kind == SymbolKind::Trait => item_of_bound(rx, &ty),
        Ty::Instance(..) => associated(rx, &ty, "Iterator", "Item")
            .or_else(|| associated(rx, &ty, "IntoIterator", "Item"))
            .or_else(|| pointed(rx, &ty).and_then(|target| item(rx, &target))),
        _ => None,
    }
}

fn item_of_bound(rx: &Resolver, bound: &Ty) -> Option<Ty> {
    rx.linearization(bound).iter().find_map(|ty| match ty {
        Ty::External(name, args) if library::is_iterator(library::last(name)) => args.first().cloned(),
        _ => None,
    })
}

/// The type that a pointer points to, or a type that declares that it is one.
pub(super) fn pointed(rx: &Resolver, ty: &Ty) -> Option<Ty> {
    match ty {
        Ty::External(name, args) if library::is_pointer(library::last(name)) => args.first().cloned(),
        Ty::External(..) => outside_types::associated(rx, ty, "Deref", "Target"),
        Ty::Pointer(inner) => Some((**inner).clone()),
        Ty::Instance(def, _) if !is_projection(rx, *def) => associated(rx, ty, "Deref", "Target"),
        Ty::Param(parameter) => bounds(rx, *parameter).iter().find_map(|bound| match bound {
            Ty::External(name, args) if matches!(library::last(name), "Deref" | "DerefMut") => {
                let target = || Ty::Intersection(predicates::foreign_bounds(rx, "Deref::Target", ty).into());
                Some(args.first().cloned().unwrap_or_else(target))
            }
            _ => None,
        }),
        _ => None,
    }
}

/// The types that a value dereferences to, nearest first.
pub(in crate::lang) fn pointees(rx: &Resolver, ty: &Ty) -> Vec<Ty> {
    let next = |ty: &Ty| match settle(rx, ty) {
        Ty::Class(..) | Ty::ExternalName(_) | Ty::Pointer(_) => None,
        ty => pointed(rx, &ty).or_else(|| deref_target(&ty)).filter(|next| !next.is_unknown()),
    };
    std::iter::successors(next(ty), next).map(|ty| settle(rx, &ty)).take(MAX_DEREF).collect()
}

// ---- all members ------------------------------------------------------------------------------------------------

/// Members of that name that a value or a path of this type has.
pub(super) fn members(rx: &Resolver, from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
    let mut ty = settle(rx, ty);
    let mut foreign: Option<String> = None;
    for _ in 0..MAX_DEREF {
        let found = direct(rx, from, &ty, name);
        if !found.is_empty() {
            return through_pointer(rx, from, &ty, name, &found).unwrap_or(found);
        }
        if let Some(outside) = outside(rx, &ty, name)
            && foreign.as_ref().is_none_or(|owner| hands_on(rx, owner, name))
        {
            foreign = Some(outside);
        }
        let next = match &ty {
            Ty::Class(..) | Ty::ExternalName(_) | Ty::Pointer(_) => None,
            _ => pointed(rx, &ty).or_else(|| deref_target(&ty)),
        };
        match next {
            // The unknown type that it points to may have the member just as well.
            Some(Ty::Unknown) => return Vec::new(),
            Some(next) => ty = settle(rx, &next),
            None => break,
        }
    }
    match foreign {
        Some(owner) => vec![Member {
            target: Target::External(
                Some(&owner)
                    .filter(|owner| !library::is_standard(owner))
                    .and_then(|owner| outside_types::by_trait(rx, from, owner, name))
                    .unwrap_or_else(|| format!("{owner}::{name}").into()),
            ),
            owner: Ty::Unknown,
            confidence: Confidence::Inferred,
        }],
        None => Vec::new(),
    }
}

/// A pointer of the library that does not have the member itself.
fn hands_on(rx: &Resolver, owner: &str, name: &str) -> bool {
    let last = library::last(owner);
    library::is_standard(owner)
        && library::is_pointer(last)
        && library::shape(last, name).is_none()
        && super::outside::declarations(rx, &format!("{owner}::{name}")).is_empty()
}

/// A method that takes `Pin<&mut Self>` is one of what the pointer points to, whatever has it for all pointers.
fn through_pointer(
    rx: &Resolver,
    from: &FileView,
    ty: &Ty,
    name: &str,
    found: &[Member],
) -> Option<Vec<Member>> {
    let is_behind = |m: &Member| m.def().is_some_and(|d| rx.def(d).flags.has(super::BEHIND_POINTER));
    if !matches!(ty, Ty::External(..)) || !found.iter().all(is_behind) {
        return None;
    }
    let target = settle(rx, &pointed(rx, ty)?);
    let inner = direct(rx, from, &target, name);
    if inner.iter().any(is_behind) {
        return Some(inner);
    }
    // Only a pointer to the pointer has what is implemented for the pointer.
    (head(rx, &target) != head(rx, ty)).then(Vec::new)
}

/// The library type or trait that a member which the world does not have belongs to.
fn outside(rx: &Resolver, ty: &Ty, name: &str) -> Option<String> {
    match ty {
        Ty::External(owner, _) | Ty::ExternalName(owner) => Some(owner.to_string()),
        Ty::Primitive(owner) => Some(owner.to_string()),
        Ty::Array(_) => Some("slice".to_owned()),
        Ty::Tuple(_) | Ty::Callable { .. } | Ty::Function(..) | Ty::Pointer(_) => Some("std".to_owned()),
        Ty::Param(def) => outside_bound(rx, &bounds(rx, *def), name),
        Ty::Instance(def, args) if is_projection(rx, *def) => {
            outside_bound(rx, &projection_bounds(rx, *def, args), name)
        }
        Ty::Instance(..) | Ty::Class(..) => outside_bound(rx, std::slice::from_ref(ty), name),
        Ty::Intersection(parts) => outside_bound(rx, parts, name),
        _ => None,
    }
}

fn of_every_type(name: &str) -> Option<String> {
    library::is_method(name).then(|| "std".to_owned())
}

/// The first bound outside of the world that may declare the member; where none may, that of whose pointee it may be.
fn outside_bound(rx: &Resolver, bounds: &[Ty], name: &str) -> Option<String> {
    let mut all = bounds.iter().flat_map(|bound| {
        let parts = rx.linearization(&as_instance(bound));
        let names = parts.iter().filter_map(|part| match part {
            Ty::External(name, _) => Some(name.to_string()),
            Ty::Callable { .. } => Some("std".to_owned()),
            _ => None,
        });
        names.collect::<Vec<_>>()
    });
    let first = all.next();
    let declaring = first.iter().cloned().chain(all).find(|bound| library::may_declare(bound, name));
    declaring.or(first).or_else(|| of_every_type(name))
}

fn direct(rx: &Resolver, from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
    match ty {
        Ty::Module(file) => match Crates::of(rx).of_file(*file) {
            Some(module) => names::of_module(rx, from, module, name),
            None => Vec::new(),
        },
        Ty::Package(_) => names::of_root(rx, from, name),
        Ty::Instance(def, args) | Ty::Class(def, args) => of_declared(rx, from, ty, *def, args, name),
        Ty::Param(parameter) => {
            let by_bound = bounds(rx, *parameter)
                .iter()
                .map(|bound| of_trait(rx, bound, ty, name))
                .find(|m| !m.is_empty());
            by_bound.unwrap_or_else(|| blanket(rx, from, ty, name))
        }
        Ty::Intersection(parts) => parts
            .iter()
            .map(|part| direct(rx, from, part, name))
            .find(|found| !found.is_empty())
            .unwrap_or_default(),
        // Nothing is implemented for a module.
        Ty::ExternalName(path) if !is_type_path(path) => Vec::new(),
        Ty::External(path, args) if args.len() == 1 && is_foreign_item(path) => {
            let bounds = predicates::foreign_bounds(rx, path, &args[0]);
            bounds
                .iter()
                .map(|bound| of_trait(rx, bound, ty, name))
                .find(|m| !m.is_empty())
                .unwrap_or_default()
        }
        Ty::ExternalName(_) | Ty::External(..) | Ty::Primitive(_) | Ty::Array(_) => {
            let own = head(rx, ty).and_then(|h| match h {
                Head::Named(last) => library::shape(&last, name),
                _ => None,
            });
            if own.is_some() { Vec::new() } else { implemented(rx, from, ty, name) }
        }
        Ty::Pointer(_) if library::is_of_pointers(name) => Vec::new(),
        Ty::Tuple(_) | Ty::Callable { .. } | Ty::Function(..) | Ty::Pointer(_) => {
            implemented(rx, from, ty, name)
        }
        _ => Vec::new(),
    }
}

fn is_type_path(path: &str) -> bool {
    let last = library::last(path);
    last.starts_with(char::is_uppercase) || is_primitive(last)
}

/// An implementation for everything may apply to a parameter with the right bounds.
fn blanket(rx: &Resolver, from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
    let Ty::Param(parameter) = ty else { return implemented(rx, from, ty, name) };
    let has = |bound: &Ty| match bound {
        Ty::External(of, _) => library::is_standard(of) && library::may_declare(of, name),
        _ => false,
    };
    let is_common = library::common_shape(name).is_some();
    if is_common || library::is_method(name) && bounds(rx, *parameter).iter().any(has) {
        return Vec::new();
    }
    implemented(rx, from, ty, name)
}

fn of_declared(
    rx: &Resolver,
    from: &FileView,
    ty: &Ty,
    def: GlobalDef,
    args: &Types,
    name: &str,
) -> Vec<Member> {
    let kind = rx.def(def).kind;
    match kind {
        SymbolKind::Module => match Crates::of(rx).of_declaration(def) {
            Some(module) => names::of_module(rx, from, module, name),
            None => Vec::new(),
        },
        SymbolKind::Trait => {
            let found = of_trait(rx, &as_instance(ty), ty, name);
            if found.is_empty() { implemented(rx, from, ty, name) } else { found }
        }
        SymbolKind::TypeAlias => {
            let bounds = projection_bounds(rx, def, args);
            let by_bound = bounds.iter().map(|bound| of_trait(rx, bound, ty, name));
            let by_blanket = bounds.iter().map(|bound| implemented(rx, from, bound, name));
            by_bound.chain(by_blanket).find(|m| !m.is_empty()).unwrap_or_default()
        }
        _ => {
            let own = rx.own_members(def, name).into_iter();
            let mut found: Vec<Member> = own
                .filter(|d| rx.def(*d).kind != SymbolKind::TypeParameter)
                .map(|d| Member {
                    target: Target::Def(d),
                    owner: Ty::Instance(def, args.clone()),
                    confidence: Confidence::Exact,
                })
                .collect();
            let whole = whole(rx, def);
            found.extend(implemented(rx, from, &Ty::Instance(whole, args.clone()), name));
            found
        }
    }
}
