//! The meaning of names in crates beside the world, and the types of their functions, fields and constants.
//!
//! Declarations are known by their paths there as everywhere, so that one type has one name; only the targets of a
//! question's calls are read.

use std::sync::{Arc, Mutex, PoisonError};

use ide_model::SymbolKind;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::infer::function_value;
use super::library;
use super::members::{as_instance, bound_only, container, self_type_of, settle, trait_seen_from};
use super::outside::{self, Place};
use super::outside_members;
use crate::facts::{Expr, ExprId, Import, ImportKind, ScopeId};
use crate::resolve::{FileView, Resolution, Resolver, Substitution, Target, Ty, Types, unify};
use crate::world::{FileId, GlobalDef};

/// Imports that lead to imports are followed this far.
const MAX_STEPS: u32 = 8;

/// The path of a type that is known by it.
pub(super) fn path_of(ty: &Ty) -> Option<&str> {
    match ty {
        Ty::External(path, _) | Ty::ExternalName(path) => Some(path),
        _ => None,
    }
}

// ---- names ------------------------------------------------------------------------------------------------------

/// The meaning of a name in a file of a crate beside the world.
pub(super) fn named(rx: &Resolver, file: &FileView, scope: ScopeId, name: &str) -> Option<Resolution> {
    let place = outside::module_of(rx, file, scope)?;
    path_in(rx, &place, name, 0).map(Resolution::external)
}

/// The type of a path's root (`crate`, `self`, `super::super`) means in such a file.
pub(super) fn root_type(rx: &Resolver, file: &FileView, scope: ScopeId, written: &str) -> Ty {
    let place = outside::module_of(rx, file, scope);
    let path = place.and_then(|place| absolute(rx, &place, written, 0));
    path.map_or(Ty::Unknown, |path| Ty::ExternalName(path.into()))
}

fn path_in(rx: &Resolver, place: &Place, name: &str, steps: u32) -> Option<String> {
    let file = rx.file(place.file);
    let mut own = file.named_in_scope(place.scope, name).iter();
    if own.any(|def| file.def(*def).kind != SymbolKind::Import) {
        return Some(format!("{}::{name}", place.path));
    }
    let mut imports = file.imports.iter().filter(|import| import.scope == place.scope);
    let is_bound = |import: &&Import| {
        import.kind != ImportKind::Star && import.def.is_some_and(|def| file.def_name(def) == name)
    };
    let bound = || imports.clone().find(is_bound);
    if steps < MAX_STEPS
        && let Some(import) = bound()
    {
        let module = absolute(rx, place, file.name(import.module), steps + 1)?;
        return Some(
            import
                .member
                .map_or_else(|| module.clone(), |member| format!("{module}::{}", file.ref_name(member))),
        );
    }
    let by_star = || {
        let def = outside::declared_in(rx, place, name)?;
        let home = rx.file(def.file);
        Some(format!("{}::{name}", outside::module_of(rx, home, home.def(def.def).scope)?.path))
    };
    let found = imports.any(|import| import.kind == ImportKind::Star).then(by_star).flatten();
    found.or_else(|| outside::is_crate(rx, name).then(|| name.to_owned()))
}

/// A path from a crate's name for one that is written in a module.
fn absolute(rx: &Resolver, place: &Place, written: &str, steps: u32) -> Option<String> {
    let mut segments = written.split("::").filter(|segment| !segment.is_empty()).peekable();
    let mut at = place.clone();
    let mut is_rooted = false;
    while let Some(first) = segments.peek() {
        at = match *first {
            "crate" | "$crate" => Arc::unwrap_or_clone(outside::root_of(rx, at.krate())?),
            "self" => at,
            "super" => *at.parent?,
            _ => break,
        };
        is_rooted = true;
        segments.next();
    }
    let start = if is_rooted { at.path } else { path_in(rx, place, segments.next()?, steps + 1)? };
    Some(segments.fold(start, |path, segment| format!("{path}::{segment}")))
}

// ---- values -----------------------------------------------------------------------------------------------------

/// The function or method that a path into a package beside the world means.
pub(super) fn function(rx: &Resolver, path: &str) -> Option<GlobalDef> {
    let is_function =
        |def: &&GlobalDef| matches!(rx.def(**def).kind, SymbolKind::Function | SymbolKind::Method);
    declared(rx, path)?.iter().find(is_function).copied()
}

/// The same as a value.
pub(super) fn function_type(rx: &Resolver, path: &str) -> Option<Ty> {
    let def = function(rx, path)?;
    let of = path.rsplit_once("::").map_or("", |(of, _)| of);
    Some(Ty::Function(def, Some(Arc::new(owner_seen_from(rx, def, &Ty::external(of))))))
}

/// The value of a field of such a package's type, or of a constant; a variant is of its enum.
pub(super) fn value(rx: &Resolver, path: &str, receiver: &Ty) -> Option<Ty> {
    if let Some(whole) = enum_of(rx, path) {
        return Some(whole);
    }
    let is_value = |def: &&GlobalDef| {
        matches!(rx.def(**def).kind, SymbolKind::Field | SymbolKind::Constant | SymbolKind::Variable)
    };
    let def = declared(rx, path)?.iter().find(is_value).copied()?;
    value_of(rx, def, receiver)
}

/// The type of a field by its place in a tuple struct or variant of such a package, for a value of the type.
pub(super) fn part(rx: &Resolver, path: &str, index: u32, of: &Ty) -> Option<Ty> {
    let holds = |def: &&GlobalDef| matches!(rx.def(**def).kind, SymbolKind::Struct | SymbolKind::EnumCase);
    let holder = declared(rx, path)?.iter().find(holds).copied()?;
    value_of(rx, *rx.own_members(holder, &index.to_string()).first()?, of)
}

fn value_of(rx: &Resolver, def: GlobalDef, receiver: &Ty) -> Option<Ty> {
    let params = rx.owner_class(def).map_or_else(Vec::new, |owner| rx.type_params(owner));
    let args: Substitution = params.into_iter().zip(receiver.args().iter().cloned()).collect();
    Some(settle(rx, &rx.def_type(def).substitute(&args))).filter(|ty| !ty.is_unknown())
}

/// The enum of a variant.
fn enum_of(rx: &Resolver, path: &str) -> Option<Ty> {
    let (whole, _) = path.rsplit_once("::").filter(|(whole, name)| is_type(whole) && is_type(name))?;
    let is_variant = |def: &GlobalDef| rx.def(*def).kind == SymbolKind::EnumCase;
    declared(rx, path)?.iter().any(is_variant).then(|| Ty::external(whole))
}

fn declared(rx: &Resolver, path: &str) -> Option<Arc<[GlobalDef]>> {
    outside::is_at_hand(rx, path).then(|| outside::declarations(rx, path))
}

/// The owner of a method, with the bindings that a receiver gives to its parameters.
pub(super) fn owner_seen_from(rx: &Resolver, method: GlobalDef, receiver: &Ty) -> Ty {
    let Some(owner) = container(rx, method) else { return Ty::Unknown };
    if rx.def(owner).kind == SymbolKind::Trait {
        return trait_seen_from(rx, &Ty::instance(owner), receiver);
    }
    let params = rx.declared_type_params(owner);
    let mut found = Substitution::default();
    // Of one type that is known by several paths.
    for (declared, actual) in self_type_of(rx, owner).args().iter().zip(receiver.args()) {
        unify(declared, actual, &params, &mut found);
    }
    let args: Types = params.iter().map(|p| found.get(p).cloned().unwrap_or(Ty::Param(*p))).collect();
    Ty::Instance(owner, args)
}

/// Nothing but the path of the function that gives it is known of a value.
fn is_open(ty: &Ty) -> bool {
    match ty {
        Ty::External(path, args) => args.is_empty() && library::last(path).starts_with(char::is_lowercase),
        _ => ty.is_unknown(),
    }
}

/// The result type of a method call, where the declaration tells more than is known.
pub(super) fn of_method(
    rx: &Resolver,
    file: &FileView,
    call: ExprId,
    path: &str,
    receiver: &Ty,
    known: Ty,
) -> Ty {
    if !is_open(&known) {
        return known;
    }
    declared_value(rx, file, path, receiver, (call, false)).unwrap_or(known)
}

/// The result type of a function call by its path. The arguments of an already known type come from the values that
/// it is made of and from its later uses.
pub(super) fn of_function(
    rx: &Resolver,
    file: &FileView,
    call: ExprId,
    callee: ExprId,
    path: &str,
    known: Ty,
) -> Ty {
    if matches!(&known, Ty::External(known, _) if **known == *path)
        && let Some(whole) = enum_of(rx, path)
    {
        return whole;
    }
    let receiver = match file.expr(callee) {
        Expr::Ref(reference) => file.reference(reference).receiver.map(|r| rx.expr_type(file, r)),
        _ => None,
    };
    let receiver = receiver.as_ref().map_or(Ty::Unknown, as_instance);
    let declared = declared_value(rx, file, path, &receiver, (call, true));
    declared.filter(|ty| is_open(&known) || !is_alike(ty, &known)).unwrap_or(known)
}

/// Whether two types are called the same, both in the standard library or both elsewhere.
fn is_alike(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::Tuple(a), Ty::Tuple(b)) => a.iter().zip(&**b).all(|(a, b)| is_alike(a, b)),
        (Ty::External(a, _), Ty::External(b, _)) => {
            library::last(a) == library::last(b) && library::is_standard(a) == library::is_standard(b)
        }
        _ => false,
    }
}

/// The declared result type of a function at a call, which may have its receiver among the arguments.
fn declared_value(
    rx: &Resolver,
    file: &FileView,
    path: &str,
    receiver: &Ty,
    (call, is_path): (ExprId, bool),
) -> Option<Ty> {
    let def = function(rx, path)?;
    let owner = owner_seen_from(rx, def, receiver);
    let given = settle(rx, &function_value(rx, file, def, &owner, call, is_path));
    (!is_open(&given)).then_some(given)
}

/// The associated type that a type of such a package gives by its implementation of a trait.
pub(super) fn associated(rx: &Resolver, ty: &Ty, of: &str, name: &str) -> Option<Ty> {
    let Ty::External(path, _) = ty else { return None };
    if !outside::is_in_package(rx, path) {
        return None;
    }
    let def = outside_members::given_by(rx, path, of, name)?;
    let file = rx.file(def.file);
    let given = rx.type_of(file, file.def(def.def).ty?);
    let owner = owner_seen_from(rx, def, ty);
    Some(given.substitute(&bound_only(&rx.arguments_of(&owner)))).filter(|ty| !ty.is_unknown())
}

// ---- traits -----------------------------------------------------------------------------------------------------

/// Traits with their paths, by the files that have them in scope.
#[derive(Default)]
struct Traits(Mutex<FxHashMap<FileId, ImportedTraits>>);

type ImportedTraits = Arc<[OfPath]>;
/// A declaration with its path.
type OfPath = (GlobalDef, String);

/// The traits from beside the world that a file imports. They are asked for while those imports are resolved too.
fn traits_of(rx: &Resolver, from: &FileView) -> ImportedTraits {
    let memory = rx.extension(|_| Traits::default());
    let known = || memory.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = known().get(&from.id) {
        return known.clone();
    }
    let find = || {
        let named = from.imports.iter().flat_map(|import| imported_types(rx, from, import));
        let mut found: Vec<OfPath> = Vec::new();
        for path in named {
            let declared = outside::declarations(rx, &path);
            let is_new = |def: &&GlobalDef| {
                rx.kind(**def) == SymbolKind::Trait && found.iter().all(|(of, _)| of != *def)
            };
            if let Some(def) = declared.iter().find(is_new) {
                found.push((*def, path));
            }
        }
        found.into()
    };
    let (found, is_whole): (ImportedTraits, bool) = rx.wholly(find);
    if is_whole {
        known().insert(from.id, found.clone());
    }
    found
}

/// The path of a member of a type which the type does not have itself, and a trait from beside the world does that the file
/// imports: one of the type's own crate, else the only one; else that of iterators, if it is one.
pub(super) fn by_trait(rx: &Resolver, from: &FileView, owner: &str, name: &str) -> Option<Arc<str>> {
    let is_standard = library::is_standard(owner);
    if is_standard && library::is_method(name) || !is_type(owner) && !outside::is_built_in(owner) {
        return None;
    }
    let traits = traits_of(rx, from);
    let mut declaring = traits.iter().filter(|(of, _)| !rx.own_members(*of, name).is_empty()).peekable();
    if is_standard && declaring.peek().is_none() {
        return None;
    }
    let may_be = if outside::is_at_hand(rx, owner) {
        let is_type = outside::declarations(rx, owner).iter().any(|def| rx.kind(*def).is_type());
        is_type && outside::declarations(rx, &format!("{owner}::{name}")).is_empty()
    } else {
        !library::is_method(name)
    };
    if !may_be {
        return None;
    }
    let home = outside::declarations(rx, owner).first().and_then(|def| outside::package_of(rx, def.file));
    let is_own = |(of, _): &&&OfPath| home.is_some() && outside::package_of(rx, of.file) == home;
    let all: SmallVec<[&OfPath; 2]> = declaring.collect();
    let only = || all.first().filter(|_| all.len() == 1);
    if let Some((_, path)) = all.iter().find(is_own).or_else(only) {
        return Some(format!("{path}::{name}").into());
    }
    let path = format!("std::iter::Iterator::{name}");
    let is_iterator = || !is_standard && outside_members::given_by(rx, owner, "Iterator", "Item").is_some();
    (is_iterator() && !outside::declarations(rx, &path).is_empty()).then(|| path.into())
}

/// Paths of types that an import brings from packages beside the world.
fn imported_types(rx: &Resolver, from: &FileView, import: &Import) -> Vec<String> {
    let Some(last) = import.member.or_else(|| from.list(import.path).last()) else { return Vec::new() };
    let resolved = rx.resolve(from.global_ref(last)).resolution;
    let paths = resolved.targets.iter().filter_map(|target| match target {
        Target::External(path) if outside::is_at_hand(rx, path) => Some(&**path),
        _ => None,
    });
    if import.kind == ImportKind::Star {
        return paths.flat_map(|path| types_of_module(rx, path)).collect();
    }
    paths.filter(|path| is_type(path)).map(str::to_owned).collect()
}

fn is_type(path: &str) -> bool {
    library::last(path).starts_with(char::is_uppercase)
}

/// Types that a module declares or passes on by their names.
fn types_of_module(rx: &Resolver, path: &str) -> Vec<String> {
    let Some(place) = outside::place_of(rx, path) else { return Vec::new() };
    let file = rx.file(place.file);
    let own = file
        .all_in_scope(place.scope)
        .iter()
        .filter(|def| matches!(file.def(**def).kind, SymbolKind::Trait | SymbolKind::Import));
    let mut found: Vec<String> = own.map(|def| format!("{path}::{}", file.def_name(*def))).collect();
    // Re-exports without a name of their own.
    let nameless = file.imports.iter().filter(|import| import.scope == place.scope);
    found.extend(nameless.filter_map(|import| {
        let member = import.member.filter(|_| import.def.is_none_or(|def| file.def_name(def) == "_"))?;
        let module = absolute(rx, &place, file.name(import.module), 0)?;
        Some(format!("{module}::{}", file.ref_name(member)))
    }));
    found.retain(|path| is_type(path));
    found
}
