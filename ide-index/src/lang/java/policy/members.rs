//! Members along the hierarchy, and the one method that makes an interface functional.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ide_model::{Confidence, SymbolKind, Visibility};
use rustc_hash::FxHashMap;

use super::lombok;
use super::names::{self, lang_type};
use super::types;
use crate::facts::{DefFlags, ExprId, SuperKind};
use crate::guard;
use crate::resolve::{FileView, Member, Resolver, Substitution, Target, Ty, Types, unify};
use crate::world::GlobalDef;

/// Direct supertypes: those written, and those the language adds.
pub(super) fn supers(rx: &Resolver, class: GlobalDef) -> Vec<Ty> {
    let file = rx.file(class.file);
    let d = file.def(class.def);
    if d.flags.has(DefFlags::ANONYMOUS)
        && let Some((scope, owner)) = file.enclosing_class(d.scope)
        && scope == d.scope
        && file.def(owner).kind == SymbolKind::Enum
        && matches!(file.list(d.supers).next().map(|s| file.ty(s.ty)), Some(crate::facts::TypeExpr::This))
    {
        return vec![Ty::instance(file.global(owner))];
    }
    let mut all = rx.declared_supers(class);
    all.retain(|ty| !ty.is_unknown());
    if d.flags.has(DefFlags::ANONYMOUS)
        && let (Some(new), Some(base)) = (d.init, all.first_mut())
        && let Some(inferred) = inferred_base(rx, file, new, base)
    {
        *base = inferred;
    }
    let library = |name: &str| lang_type(rx, file, name);
    match d.kind {
        SymbolKind::Enum => {
            let base = names::library_type(rx, file, "java.lang", "Enum", Types::from([Ty::instance(class)]));
            all.insert(0, base);
        }
        SymbolKind::Record => all.insert(0, library("Record")),
        SymbolKind::Annotation => {
            all.push(names::library_type(rx, file, "java.lang.annotation", "Annotation", Types::default()));
        }
        _ => {}
    }
    let is_object = d.scope.0 == 0
        && file.def_name(class.def) == "Object"
        && file.package.is_some_and(|p| file.name(p) == "java.lang");
    let has_class = all.iter().any(|ty| ty.def().is_none_or(|def| !is_interface(rx, def)));
    if !is_object && !has_class {
        all.push(library("Object"));
    }
    all
}

/// The supertype that `new Base<>() { … }` derives from, with the type arguments that its place determines.
fn inferred_base(rx: &Resolver, file: &FileView, new: ExprId, base: &Ty) -> Option<Ty> {
    let class = base.def().filter(|_| base.args().iter().all(Ty::is_unknown))?;
    let params = rx.type_params(class);
    if params.is_empty() || file.expectation(new).is_none() {
        return None;
    }
    let expected = rx.policy(file).expected(rx, file, new);
    let own = rx.self_type(class);
    let line = rx.linearization(&own);
    let mut known = Substitution::default();
    for part in expected.parts() {
        if let Some(seen) = line.iter().find(|ty| ty.def().is_some() && ty.def() == part.def()) {
            unify(seen, part, &params, &mut known);
        }
    }
    (!known.is_empty()).then(|| own.substitute(&known).forget(&params))
}

pub(super) fn is_interface(rx: &Resolver, class: GlobalDef) -> bool {
    matches!(rx.kind(class), SymbolKind::Interface | SymbolKind::Annotation)
}

/// The superclass: what `super` means in a class.
pub(super) fn super_class(rx: &Resolver, class: GlobalDef) -> Ty {
    let file = rx.file(class.file);
    let supers = rx.supers(class);
    // A class that is not known is no `Object`.
    let mut written = file.list(file.def(class.def).supers).filter(|edge| edge.kind == SuperKind::Extends);
    if !is_interface(rx, class) && written.any(|edge| rx.type_of(file, edge.ty).is_unknown()) {
        return Ty::Unknown;
    }
    let base = supers.iter().find(|ty| ty.def().is_none_or(|def| !is_interface(rx, def)));
    base.cloned().unwrap_or_else(|| lang_type(rx, file, "Object"))
}

/// Members of a type by name: overloads are kept, overridden and hidden ones are left out, as are those that
/// `from` may not touch.
pub(super) fn members_of(rx: &Resolver, from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
    match ty {
        Ty::Instance(class, args) | Ty::Class(class, args) => {
            match names::seen_by(rx, from.language(), *class) {
                Some(seen) if matches!(ty, Ty::Class(..)) => {
                    class_members(rx, from, &Ty::Class(seen, args.clone()), name)
                }
                Some(seen) => class_members(rx, from, &Ty::Instance(seen, args.clone()), name),
                None => class_members(rx, from, ty, name),
            }
        }
        Ty::Param(def) => guard::deeper(|| members_of(rx, from, &bound(rx, *def), name)).unwrap_or_default(),
        Ty::Intersection(parts) => {
            let mut all: Vec<Member> = Vec::new();
            for part in parts.iter() {
                for member in members_of(rx, from, part, name) {
                    if !all.iter().any(|m| m.target == member.target) {
                        all.push(member);
                    }
                }
            }
            all
        }
        Ty::Primitive(primitive) => match types::boxed(rx, from, primitive) {
            Some(boxed) => members_of(rx, from, &boxed, name),
            None => Vec::new(),
        },
        Ty::Array(_) => members_of(rx, from, &lang_type(rx, from, "Object"), name),
        Ty::Pointer(made) => lombok::builder_members(rx, made, name),
        // The functions and properties of a Kotlin file.
        Ty::Module(file) => {
            crate::lang::kotlin::facade_members(rx, *file, name).into_iter().map(Member::plain).collect()
        }
        Ty::Package(package) => {
            let found = names::type_in_package(rx, from, package, name);
            found.map(Member::plain).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// The bound of a type parameter.
pub(super) fn bound(rx: &Resolver, param: GlobalDef) -> Ty {
    let file = rx.file(param.file);
    match file.def(param.def).ty {
        Some(ty) => match rx.type_of(file, ty) {
            // `T extends T` is an error, but must not run in circles.
            Ty::Param(def) if def == param => Ty::Unknown,
            other => other,
        },
        None => lang_type(rx, file, "Object"),
    }
}

/// Supertypes depth first, but interfaces behind everything that extends them.
pub(in crate::lang) fn linearization(rx: &Resolver, ty: &Ty) -> Vec<Ty> {
    let line = rx.depth_first_linearization(ty);
    let mut places = FxHashMap::default();
    for (at, ty) in line.iter().enumerate() {
        if let Some(def) = ty.def().filter(|def| is_interface(rx, *def)) {
            places.entry(def).or_insert(at);
        }
    }
    let extended = |ty: &Ty| -> Vec<usize> {
        let supers = ty.def().map(|class| rx.supers(class)).into_iter();
        supers
            .flat_map(|all| all.iter().filter_map(Ty::def).collect::<Vec<_>>())
            .filter_map(|def| places.get(&def).copied())
            .collect()
    };
    // How many types that extend it are still to come.
    let mut waiting = vec![0_usize; line.len()];
    for ty in &line {
        extended(ty).into_iter().for_each(|at| waiting[at] += 1);
    }
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..line.len()).filter(|at| *at == 0 || waiting[*at] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(line.len());
    while let Some(Reverse(at)) = ready.pop() {
        order.push(at);
        for above in extended(&line[at]) {
            waiting[above] -= 1;
            if waiting[above] == 0 && above != 0 {
                ready.push(Reverse(above));
            }
        }
    }
    // Types that extend each other in a circle.
    order.extend((1..line.len()).filter(|at| waiting[*at] > 0));
    order.into_iter().map(|at| line[at].clone()).collect()
}

fn class_members(rx: &Resolver, from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
    let mut found: Vec<Member> = Vec::new();
    let line = rx.linearization(ty);
    let start = ty.def();
    for owner in line.iter() {
        let Some(class) = owner.def() else { continue };
        let above = found.len();
        // An enum has one of its own, made for it.
        if name == "valueOf"
            && start.is_some_and(|start| start != class && rx.kind(start) == SymbolKind::Enum)
        {
            continue;
        }
        for def in rx.declared_members(class, name) {
            let inherited = Some(class) != start;
            let is_lost = || start.is_some_and(|start| names::member_type(rx, start, name) != Some(def));
            if inherited && rx.kind(def).is_type() && is_lost() {
                continue;
            }
            let is_touched = can_touch(rx, from, class, def, inherited) || lombok::is_accessed(rx, def, name);
            // No method hides another one of its own class.
            let earlier = if rx.kind(def) == SymbolKind::Method { &found[..above] } else { &found[..] };
            if is_touched && !is_hidden(rx, earlier, owner, def) {
                found.push(Member {
                    target: Target::Def(def),
                    owner: owner.clone(),
                    confidence: Confidence::Exact,
                });
            }
        }
    }
    found
}

/// Whether a member of a class is a member of its subtypes and visible from a file.
fn can_touch(rx: &Resolver, from: &FileView, class: GlobalDef, def: GlobalDef, inherited: bool) -> bool {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    if d.kind == SymbolKind::Constructor || d.kind == SymbolKind::TypeParameter {
        return false;
    }
    if inherited && d.kind == SymbolKind::Method && d.flags.has(DefFlags::STATIC) && is_interface(rx, class) {
        return false;
    }
    // Private members are not inherited, also where the file has the subtype (JLS 8.2).
    if def.file == from.id {
        return !inherited || d.visibility != Some(Visibility::Private);
    }
    let promoted = d.flags.has(DefFlags::PROMOTED);
    match d.visibility {
        Some(Visibility::Private) => promoted,
        Some(Visibility::Package) => {
            let package = |f: &FileView| f.package.map(|p| f.name(p).to_owned());
            package(file) == package(from)
        }
        _ => true,
    }
}

fn is_hidden(rx: &Resolver, found: &[Member], owner: &Ty, later: GlobalDef) -> bool {
    let file = rx.file(later.file);
    let b = file.def(later.def);
    found.iter().any(|member| {
        let Some(earlier) = member.def() else { return false };
        if !guard::spend(1) {
            return false;
        }
        let earlier_file = rx.file(earlier.file);
        let a = earlier_file.def(earlier.def);
        if a.kind == SymbolKind::Method && b.kind == SymbolKind::Method {
            return earlier.file != later.file
                && same_signature(rx, (earlier, &member.owner), (later, owner))
                || earlier.file == later.file
                    && a.scope != b.scope
                    && same_signature(rx, (earlier, &member.owner), (later, owner));
        }
        // The accessor made for a field hides an inherited one.
        if a.kind == SymbolKind::Field && b.kind == SymbolKind::Method {
            let name = rx.def_name(later);
            let is_made = super::accessors_of_field(rx, earlier).iter().any(|accessor| *accessor == *name);
            let count = u32::from(
                name != rx.def_name(earlier) && (name.starts_with("set") || name.starts_with("with")),
            );
            return is_made && b.params.len == count && a.scope != b.scope;
        }
        a.kind.is_type() == b.kind.is_type()
            && (a.kind == SymbolKind::Method) == (b.kind == SymbolKind::Method)
    })
}

/// Whether two methods have the same parameter types after erasure, seen from the types that declare them.
pub(in crate::lang) fn same_signature(rx: &Resolver, a: (GlobalDef, &Ty), b: (GlobalDef, &Ty)) -> bool {
    let (file_a, file_b) = (rx.file(a.0.file), rx.file(b.0.file));
    let (def_a, def_b) = (file_a.def(a.0.def), file_b.def(b.0.def));
    if def_a.params.len != def_b.params.len {
        return false;
    }
    if def_a.params.len == 0 {
        return true;
    }
    let (args_a, args_b) = (rx.arguments_of(a.1), rx.arguments_of(b.1));
    file_a.list(def_a.params).zip(file_b.list(def_b.params)).all(|(p, q)| {
        let p = rx.def_type(file_a.global(p)).substitute(&args_a);
        let q = rx.def_type(file_b.global(q)).substitute(&args_b);
        types::same_erasure(rx, &p, &q)
    })
}

/// Whether one method overrides or implements another: same erased parameters, seen from the class that has both.
pub(super) fn overrides(rx: &Resolver, of: GlobalDef, method: GlobalDef, base: GlobalDef) -> bool {
    let (file, base_file) = (rx.file(method.file), rx.file(base.file));
    let (m, b) = (file.def(method.def), base_file.def(base.def));
    let is_method = |kind| kind == SymbolKind::Method;
    if !is_method(m.kind)
        || !is_method(b.kind)
        || m.params.len != b.params.len
        || m.flags.has(DefFlags::STATIC)
        || b.flags.has(DefFlags::STATIC)
        || b.visibility == Some(Visibility::Private)
    {
        return false;
    }
    let line = rx.linearization(&rx.self_type(of));
    let seen = |member| {
        let owner = rx.owner_class(member)?;
        line.iter().find(|ty| ty.def() == Some(owner))
    };
    let (Some(class), Some(base_class)) = (seen(method), seen(base)) else { return false };
    same_signature(rx, (method, class), (base, base_class))
}

/// The parameter types and the result type of the single abstract method of a functional interface.
pub(super) fn functional_signature(rx: &Resolver, ty: &Ty) -> Option<(Vec<Ty>, Ty)> {
    match ty {
        Ty::Instance(def, _) if is_interface(rx, *def) => {
            let (method, owner) = functional_method(rx, ty)?;
            let substitution = rx.arguments_of(&owner);
            let file = rx.file(method.file);
            let params = file
                .list(file.def(method.def).params)
                .map(|p| rx.def_type(file.global(p)).substitute(&substitution))
                .collect();
            Some((params, rx.return_type(method).substitute(&substitution)))
        }
        // A lambda among variable arguments.
        Ty::Array(item) => functional_signature(rx, item),
        Ty::Intersection(parts) | Ty::Union(parts) => {
            parts.iter().find_map(|part| functional_signature(rx, part))
        }
        _ => None,
    }
}

/// The abstract method of an interface that has exactly one, with the supertype that declares it.
pub(in crate::lang) fn functional_method(rx: &Resolver, ty: &Ty) -> Option<(GlobalDef, Ty)> {
    let line = rx.linearization(ty);
    let mut found: Option<(GlobalDef, Ty)> = None;
    let mut concrete: Vec<(GlobalDef, Ty)> = Vec::new();
    for owner in line.iter() {
        let Some(class) = owner.def().filter(|def| is_interface(rx, *def)) else { continue };
        let file = rx.file(class.file);
        let Some(body) = file.def(class.def).body else { continue };
        for def in file.all_in_scope(body) {
            let d = file.def(*def);
            if d.kind != SymbolKind::Method || d.flags.has(DefFlags::STATIC) {
                continue;
            }
            let method = file.global(*def);
            if !d.flags.has(DefFlags::ABSTRACT) {
                concrete.push((method, owner.clone()));
                continue;
            }
            let name = file.name(d.name);
            if is_object_method(name, d.params.len) {
                continue;
            }
            let covered = concrete.iter().chain(&found).any(|(earlier, seen)| {
                rx.file(earlier.file).def_name(earlier.def) == name
                    && same_signature(rx, (*earlier, seen), (method, owner))
            });
            if covered {
                continue;
            }
            if found.is_some() {
                return None;
            }
            found = Some((method, owner.clone()));
        }
    }
    found
}

/// Public methods of `Object`, which do not count in a functional interface.
fn is_object_method(name: &str, params: u32) -> bool {
    matches!((name, params), ("equals", 1) | ("hashCode" | "toString", 0))
}
