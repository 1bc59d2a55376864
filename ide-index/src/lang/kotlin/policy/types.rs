//! Conversions between types: Java's and Kotlin's names of the same thing, subtyping, common supertypes.

use std::sync::{Arc, OnceLock};

use ide_model::SymbolKind;

use super::members::{bound, companion, single_method};
use super::names::{kotlin, library, package_of};
use crate::facts::{BinaryOp, DefFlags, DefId, ScopeKind};
use crate::guard::{self, Limit};
use crate::lang::java::names::seen_by;
use crate::resolve::{FileView, Recent, Resolver, Substitution, Ty, Types, unify};
use crate::world::{FileId, GlobalDef};

/// The name under which `null` has a type.
pub(super) const NULL: &str = "null";

/// Classes that Kotlin sees under a name of its own.
const MAPPED: [(&str, &str, &str); 26] = [
    ("java.lang.Object", "kotlin", "Any"),
    ("java.lang.String", "kotlin", "String"),
    ("java.lang.CharSequence", "kotlin", "CharSequence"),
    ("java.lang.Throwable", "kotlin", "Throwable"),
    ("java.lang.Cloneable", "kotlin", "Cloneable"),
    ("java.lang.Number", "kotlin", "Number"),
    ("java.lang.Comparable", "kotlin", "Comparable"),
    ("java.lang.Enum", "kotlin", "Enum"),
    ("java.lang.annotation.Annotation", "kotlin", "Annotation"),
    ("java.lang.Iterable", "kotlin.collections", "MutableIterable"),
    ("java.util.Iterator", "kotlin.collections", "MutableIterator"),
    ("java.util.Collection", "kotlin.collections", "MutableCollection"),
    ("java.util.List", "kotlin.collections", "MutableList"),
    ("java.util.Set", "kotlin.collections", "MutableSet"),
    ("java.util.Map", "kotlin.collections", "MutableMap"),
    ("java.util.Map.Entry", "kotlin.collections", "MutableMap.MutableEntry"),
    ("java.util.ListIterator", "kotlin.collections", "MutableListIterator"),
    ("java.lang.Integer", "kotlin", "Int"),
    ("java.lang.Long", "kotlin", "Long"),
    ("java.lang.Short", "kotlin", "Short"),
    ("java.lang.Byte", "kotlin", "Byte"),
    ("java.lang.Character", "kotlin", "Char"),
    ("java.lang.Boolean", "kotlin", "Boolean"),
    ("java.lang.Float", "kotlin", "Float"),
    ("java.lang.Double", "kotlin", "Double"),
    ("java.lang.Void", "kotlin", "Nothing"),
];

const PRIMITIVES: [(&str, &str); 9] = [
    ("int", "Int"),
    ("long", "Long"),
    ("short", "Short"),
    ("byte", "Byte"),
    ("char", "Char"),
    ("boolean", "Boolean"),
    ("float", "Float"),
    ("double", "Double"),
    ("void", "Unit"),
];

/// The names of a class.
struct Named {
    full: Arc<str>,
    /// Without what tells a collection that can be changed from one that cannot; `None` when that is the same.
    read_only: Option<Box<str>>,
    in_library: bool,
    /// Package and name under which Kotlin sees it.
    mapped: Option<(&'static str, &'static str)>,
}

/// The types of a file with what they are called, as far as it was asked for.
struct AllNamed(Vec<(DefId, OnceLock<Named>)>);

impl AllNamed {
    fn of(file: &FileView) -> Self {
        let types = file.def_ids().filter(|def| file.def(*def).kind.is_type());
        Self(types.map(|def| (def, OnceLock::new())).collect())
    }
}

impl Named {
    fn with<T>(rx: &Resolver, def: GlobalDef, then: impl FnOnce(&Self) -> T) -> T {
        Self::of(rx.file(def.file), def.def, then)
    }

    fn of<T>(file: &FileView, def: DefId, then: impl FnOnce(&Self) -> T) -> T {
        let AllNamed(all) = file.derived(AllNamed::of);
        match all.binary_search_by_key(&def, |(def, _)| *def) {
            Ok(at) => then(all[at].1.get_or_init(|| Self::read(file, def))),
            Err(_) => then(&Self::read(file, def)),
        }
    }

    /// Package and name under which Kotlin sees a class.
    fn mapped(rx: &Resolver, def: GlobalDef) -> Option<(&'static str, &'static str)> {
        let file = rx.file(def.file);
        // Only classes of Java have another name; most packages are told apart without looking for the class.
        let may_be = package_of(file).starts_with("java.");
        may_be.then(|| Self::of(file, def.def, |named| named.mapped)).flatten()
    }

    fn read(file: &FileView, def: DefId) -> Self {
        let full = qualified_name(file, def);
        let package = package_of(file);
        let in_library = package.starts_with("java.") || package.starts_with("kotlin");
        Self {
            read_only: full.contains("Mutable").then(|| full.replace("Mutable", "").into()),
            in_library,
            mapped: mapped_name(&full).filter(|_| in_library),
            full,
        }
    }

    fn read_only(&self) -> &str {
        self.read_only.as_deref().unwrap_or(&self.full)
    }
}

/// Package and name under which Kotlin sees a class of Java.
fn mapped_name(java: &str) -> Option<(&'static str, &'static str)> {
    let mut of_java = MAPPED.iter().filter(|_| java.starts_with("java."));
    let found = of_java.find(|(name, ..)| *name == java);
    found.map(|(_, package, class)| (*package, *class))
}

/// The class of Java that a collection of Kotlin is at run time, by their names.
pub(super) fn java_of(name: &str) -> Option<&'static str> {
    let (package, class) = name.rsplit_once('.').filter(|(package, _)| *package == "kotlin.collections")?;
    let is_it = |written: &str| written == class || written.strip_prefix("Mutable") == Some(class);
    MAPPED.iter().find(|(_, of, written)| *of == package && is_it(written)).map(|(java, ..)| *java)
}

/// The qualified name of a type's declaration.
pub(super) fn full_name(rx: &Resolver, ty: &Ty) -> Option<Arc<str>> {
    match ty {
        Ty::Instance(def, _) => Some(Named::with(rx, *def, |named| named.full.clone())),
        Ty::External(name, _) => Some(name.clone()),
        _ => None,
    }
}

fn qualified_name(file: &FileView, def: DefId) -> Arc<str> {
    let mut name = file.def_name(def).to_owned();
    let mut scope = file.def(def).scope;
    while let Some(owner) = file.enclosing_def(scope) {
        name = format!("{}.{name}", file.def_name(owner));
        scope = file.def(owner).scope;
    }
    let package = package_of(file);
    if package.is_empty() { name.into() } else { format!("{package}.{name}").into() }
}

pub(super) fn in_library(rx: &Resolver, ty: &Ty) -> bool {
    match ty {
        Ty::Instance(def, _) => Named::with(rx, *def, |named| named.in_library),
        Ty::External(..) => true,
        _ => false,
    }
}

/// Types of more parts stay as they are.
const LARGEST: usize = 1_000;

/// A type of a Java declaration as Kotlin sees it.
pub(super) fn from_java(rx: &Resolver, from: &FileView, ty: &Ty) -> Ty {
    // Every part is gone through, also where parts are shared.
    if ty.is_larger_than(LARGEST) {
        guard::note(Limit::Work);
        return ty.clone();
    }
    otherwise(rx, from, ty).unwrap_or_else(|| ty.clone())
}

/// [`from_java`], where that is another type.
fn otherwise(rx: &Resolver, from: &FileView, ty: &Ty) -> Option<Ty> {
    let all = |types: &[Ty]| types.iter().map(|ty| from_java(rx, from, ty)).collect::<Vec<_>>();
    let others = |types: &[Ty]| {
        let (at, first) = types.iter().enumerate().find_map(|(i, ty)| Some((i, otherwise(rx, from, ty)?)))?;
        let before = types[..at].iter().cloned().chain([first]);
        Some(before.chain(types[at + 1..].iter().map(|ty| from_java(rx, from, ty))).collect::<Types>())
    };
    match ty {
        Ty::Primitive(name) => {
            let (_, class) = PRIMITIVES.iter().find(|(p, _)| **p == **name)?;
            Some(kotlin(rx, from, class))
        }
        Ty::Array(item) => match &**item {
            Ty::Primitive(name) => {
                let (_, class) = PRIMITIVES.iter().find(|(p, _)| **p == **name)?;
                Some(kotlin(rx, from, &format!("{class}Array")))
            }
            item => Some(library(rx, from, "kotlin", "Array", vec![from_java(rx, from, item)])),
        },
        Ty::Instance(def, args) => match Named::mapped(rx, *def) {
            Some((package, class)) => Some(mapped(rx, from, package, class, all(args))),
            None => {
                let (seen, new) = (seen_by(rx, from.language(), *def), others(args));
                (seen.is_some() || new.is_some())
                    .then(|| Ty::Instance(seen.unwrap_or(*def), new.unwrap_or_else(|| args.clone())))
            }
        },
        Ty::External(name, args) => {
            mapped_name(name).map(|(package, class)| mapped(rx, from, package, class, all(args)))
        }
        Ty::Callable { params, result } => {
            let (new, new_result) = (others(params), otherwise(rx, from, result));
            (new.is_some() || new_result.is_some()).then(|| Ty::Callable {
                params: new.unwrap_or_else(|| params.clone()),
                result: new_result.map_or_else(|| result.clone(), Arc::new),
            })
        }
        Ty::Union(parts) => others(parts).map(|parts| Ty::union(parts.iter().cloned())),
        Ty::Intersection(parts) => others(parts).map(Ty::Intersection),
        _ => None,
    }
}

/// The class that Kotlin sees in place of a type's, without arguments.
fn other_class(rx: &Resolver, from: &FileView, ty: &Ty) -> Option<Ty> {
    let found = match ty {
        Ty::Instance(def, _) => Named::mapped(rx, *def),
        Ty::External(name, _) => mapped_name(name),
        _ => return otherwise(rx, from, ty),
    };
    found.map(|(package, class)| mapped(rx, from, package, class, Vec::new()))
}

/// An array of values of a type; of numbers it has a class of its own.
pub(super) fn array_of(rx: &Resolver, from: &FileView, item: &Ty) -> Ty {
    let number = full_name(rx, item).and_then(|name| {
        let short = name.strip_prefix("kotlin.")?;
        PRIMITIVES.iter().find(|(_, class)| *class == short && short != "Unit").map(|(_, class)| *class)
    });
    match number {
        Some(class) => kotlin(rx, from, &format!("{class}Array")),
        None => library(rx, from, "kotlin", "Array", vec![item.clone()]),
    }
}

fn mapped(rx: &Resolver, from: &FileView, package: &str, class: &str, args: Vec<Ty>) -> Ty {
    match class.split_once('.') {
        Some((outer, inner)) => {
            let nested = library(rx, from, package, outer, Vec::new());
            let found = nested.def().and_then(|d| crate::lang::java::names::member_type(rx, d, inner));
            match found {
                Some(def) => Ty::Instance(def, args.into()),
                None => Ty::External(format!("{package}.{class}").into(), args.into()),
            }
        }
        None => library(rx, from, package, class, args),
    }
}

/// The type is that class of the standard library.
pub(super) fn is_named(rx: &Resolver, ty: &Ty, full: &str) -> bool {
    match ty {
        Ty::Instance(def, _) => {
            // Mostly the last name tells, before anything is put together.
            let file = rx.file(def.file);
            let before = full.strip_suffix(file.def_name(def.def));
            before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
                && Named::of(file, def.def, |named| *named.full == *full)
        }
        Ty::External(name, _) => **name == *full,
        _ => false,
    }
}

/// A class in a test or cast without its arguments: they are those that the value's type says.
pub(super) fn completed(rx: &Resolver, bare: Ty, value: &Ty) -> Ty {
    let Ty::Instance(class, args) = &bare else { return bare };
    let params = rx.type_params(*class);
    if params.is_empty() || args.iter().any(|arg| !arg.is_unknown()) {
        return bare;
    }
    let own = rx.self_type(*class);
    let line = rx.linearization(&own);
    let mut known = Substitution::default();
    for part in value.parts() {
        if let Some(seen) = line.iter().find(|ty| ty.def().is_some() && ty.def() == part.def()) {
            unify(seen, part, &params, &mut known);
        }
    }
    if known.is_empty() { bare } else { own.substitute(&known).forget(&params) }
}

/// How well a value of one type fits where another is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    No,
    /// Something is not known.
    Maybe,
    Yes,
}

pub(super) fn fit(rx: &Resolver, from: &FileView, value: &Ty, wanted: &Ty) -> Fit {
    fit_in(rx, from, value, wanted, 0)
}

fn fit_in(rx: &Resolver, from: &FileView, value: &Ty, wanted: &Ty, depth: u32) -> Fit {
    if depth > 8 {
        return Fit::Maybe;
    }
    let again = |v: &Ty, w: &Ty| fit_in(rx, from, v, w, depth + 1);
    let yes = |is: bool| if is { Fit::Yes } else { Fit::No };
    // Classes that have nothing to do with each other.
    let clash = |a: &Ty, b: &Ty| {
        let is_class = |ty: &Ty| matches!(ty, Ty::Instance(..) | Ty::External(..));
        is_class(a) && is_class(b) && again(a, b) == Fit::No && again(b, a) == Fit::No
    };
    match (value, wanted) {
        (Ty::Unknown, _) | (_, Ty::Unknown) => Fit::Maybe,
        (Ty::Primitive(v), _) if &**v == NULL => Fit::Maybe,
        (Ty::Primitive(_) | Ty::Array(_), _) => match from_java(rx, from, value) {
            same if same == *value => Fit::Maybe,
            mapped => again(&mapped, wanted),
        },
        (_, Ty::Primitive(_) | Ty::Array(_)) => match from_java(rx, from, wanted) {
            same if same == *wanted => Fit::Maybe,
            mapped => again(value, &mapped),
        },
        (Ty::Union(parts), _) => {
            let known = parts.iter().filter(|p| !matches!(p, Ty::Primitive(n) if &**n == NULL));
            known.map(|p| again(p, wanted)).min().unwrap_or(Fit::Maybe)
        }
        (Ty::Intersection(parts), _) => parts.iter().map(|p| again(p, wanted)).max().unwrap_or(Fit::Maybe),
        (_, Ty::Intersection(parts) | Ty::Union(parts)) => {
            parts.iter().map(|w| again(value, w)).min().unwrap_or(Fit::Maybe)
        }
        (Ty::Param(v), Ty::Param(w)) if v == w => Fit::Yes,
        (_, Ty::Param(w)) => {
            let inferred = is_inferred(rx, *w);
            match again(value, &bound(rx, *w)) {
                Fit::Yes if !inferred => Fit::Maybe,
                other => other,
            }
        }
        (Ty::Param(v), _) => again(&bound(rx, *v), wanted),
        (Ty::Class(def, _), _) => match companion(rx, *def) {
            Some(companion) => again(&Ty::instance(companion), wanted),
            None => Fit::No,
        },
        (Ty::Pointer(v), Ty::Pointer(w)) => again(v, w),
        (Ty::Callable { params: p, result: r }, Ty::Callable { params: q, result: s }) => {
            yes(p.len() == q.len() && !clash(r, s) && !p.iter().zip(&**q).any(|(a, b)| clash(a, b)))
        }
        (Ty::Callable { .. } | Ty::Function(..), Ty::Instance(..)) => {
            let any = is_named(rx, wanted, "kotlin.Any");
            yes(any || single_method(rx, wanted).is_some() || is_function_class(rx, wanted))
        }
        (Ty::Function(..), Ty::Callable { .. }) => Fit::Maybe,
        (Ty::Instance(..) | Ty::External(..), Ty::Callable { .. }) => {
            let line = rx.linearization(value);
            if line.iter().any(|ty| matches!(ty, Ty::Callable { .. })) {
                Fit::Yes
            } else if line.iter().any(is_open) {
                Fit::Maybe
            } else {
                Fit::No
            }
        }
        (Ty::Instance(v, _), Ty::Instance(w, _)) => {
            if is_named(rx, wanted, "kotlin.Any") {
                return Fit::Yes;
            }
            if v == w {
                return yes(!value.args().iter().zip(wanted.args()).any(|(a, b)| clash(a, b)));
            }
            Subtyping::of(rx, from, value, wanted, (*v, *w))
        }
        (_, Ty::External(w, _)) if &**w == "kotlin.Any" => Fit::Yes,
        (Ty::External(v, _), Ty::External(w, _)) => {
            if v == w {
                Fit::Yes
            } else if is_final(v) && is_final(w) || is_final(v) && !w.starts_with("kotlin.") {
                Fit::No
            } else {
                Fit::Maybe
            }
        }
        (Ty::Instance(..), Ty::External(..)) => class_fit(rx, from, &rx.linearization(value), wanted),
        (Ty::External(v, _), Ty::Instance(..)) => {
            if is_named(rx, wanted, "kotlin.Any") {
                Fit::Yes
            } else if in_library(rx, wanted) && !is_final(v) {
                Fit::Maybe
            } else {
                Fit::No
            }
        }
        _ => Fit::Maybe,
    }
}

/// Whether values of one class are of another one, as files asked last: the same few classes are asked for over and over.
/// The arguments of the types make no difference.
struct Subtyping(Recent<(FileId, GlobalDef, GlobalDef), Fit>);

impl Subtyping {
    const KEPT: usize = 4096;

    fn of(rx: &Resolver, from: &FileView, value: &Ty, wanted: &Ty, (v, w): (GlobalDef, GlobalDef)) -> Fit {
        let known = rx.extension(|_| Self(Recent::new(Self::KEPT)));
        known.0.answer(rx, (from.id, v, w), || {
            let line = rx.linearization(value);
            if line.iter().any(|ty| ty.def() == Some(w)) {
                return Fit::Yes;
            }
            // An expected class may be an actual one under a name of its own.
            let is_expected =
                [v, w].into_iter().any(|class| rx.file(class.file).has_flag(class.def, DefFlags::EXPECT));
            class_fit(rx, from, &line, wanted).max(if is_expected { Fit::Maybe } else { Fit::No })
        })
    }
}

/// Subtyping where classes have two names, or are not indexed.
fn class_fit(rx: &Resolver, from: &FileView, line: &[Ty], wanted: &Ty) -> Fit {
    let other = other_class(rx, from, wanted);
    let wanted = other.as_ref().unwrap_or(wanted);
    let target = full_name(rx, wanted);
    let target = target.as_deref();
    for ty in line {
        let other = other_class(rx, from, ty);
        let seen = other.as_ref().unwrap_or(ty);
        if seen.def().is_some() && seen.def() == wanted.def() {
            return Fit::Yes;
        }
        let is_alike = match seen {
            Ty::Instance(def, _) => Named::with(rx, *def, |named| {
                named.in_library && (Some(&*named.full) == target || Some(named.read_only()) == target)
            }),
            Ty::External(name, _) => Some(&**name) == target || Some(&*name.replace("Mutable", "")) == target,
            _ => false,
        };
        if is_alike {
            return Fit::Yes;
        }
        // The class that is seen instead has supertypes of its own.
        if other.is_some()
            && let (Some(seen_def), Some(wanted_def)) = (seen.def(), wanted.def())
            && rx.linearization(&Ty::instance(seen_def)).iter().any(|t| t.def() == Some(wanted_def))
        {
            return Fit::Yes;
        }
    }
    if line.iter().any(is_open) { Fit::Maybe } else { Fit::No }
}

/// A supertype about whose own supertypes nothing is known.
fn is_open(ty: &Ty) -> bool {
    match ty {
        Ty::External(name, _) => {
            !matches!(&**name, "kotlin.Any" | "kotlin.Enum" | "java.lang.Object" | "java.io.Serializable")
        }
        Ty::Unknown => true,
        _ => false,
    }
}

fn is_final(name: &str) -> bool {
    let Some(short) = name.strip_prefix("kotlin.") else { return false };
    matches!(
        short,
        "String" | "Int" | "Long" | "Short" | "Byte" | "Char" | "Boolean" | "Float" | "Double" | "Unit"
    )
}

fn is_function_class(rx: &Resolver, ty: &Ty) -> bool {
    full_name(rx, ty).is_some_and(|name| {
        name.starts_with("kotlin.Function")
            || name.starts_with("kotlin.reflect.K")
            || name.starts_with("kotlin.jvm.functions")
    })
}

/// A type parameter of a function rather than of a class.
fn is_inferred(rx: &Resolver, param: GlobalDef) -> bool {
    let file = rx.file(param.file);
    file.scope(file.def(param.def).scope).kind != ScopeKind::Class
}

/// Whether two parameter types are the same after erasure, whichever language they are written in. Parameters of a class
/// have been replaced by what they stand for; one that is left is the heir's own, or that of a function.
pub(super) fn same_type(rx: &Resolver, from: &FileView, a: &Ty, b: &Ty) -> bool {
    let (a, b) = (from_java(rx, from, a), from_java(rx, from, b));
    match (&a, &b) {
        (Ty::Unknown, _) | (_, Ty::Unknown) => true,
        (Ty::Param(p), Ty::Param(q)) => {
            p == q || rx.owner_class(*p).is_none() && rx.owner_class(*q).is_none()
        }
        (Ty::Instance(..) | Ty::External(..), Ty::Instance(..) | Ty::External(..)) => {
            let bare = |ty: &Ty| full_name(rx, ty).map(|name| name.replace("Mutable", ""));
            a.def().is_some() && a.def() == b.def() || bare(&a) == bare(&b)
        }
        (Ty::Callable { params: p, .. }, Ty::Callable { params: q, .. }) => p.len() == q.len(),
        // Function types are interfaces in class files.
        (Ty::Callable { params, .. }, other) | (other, Ty::Callable { params, .. }) => {
            let function = full_name(rx, other);
            let count = function.as_ref().and_then(|name| name.strip_prefix("kotlin.jvm.functions.Function"));
            count.is_some_and(|count| count.parse() == Ok(params.len()))
        }
        // `T & Any` is a `T` that is there.
        (Ty::Intersection(parts), other) | (other, Ty::Intersection(parts)) => {
            parts.iter().any(|part| same_type(rx, from, part, other))
        }
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

/// Whether two types that extensions are for are the same, down to their type arguments.
pub(super) fn same_receiver(rx: &Resolver, from: &FileView, a: &Ty, b: &Ty) -> bool {
    let (of_a, of_b) = match (a, b) {
        (Ty::Instance(_, x) | Ty::External(_, x), Ty::Instance(_, y) | Ty::External(_, y)) => {
            (&x[..], &y[..])
        }
        _ => (&[][..], &[][..]),
    };
    same_type(rx, from, a, b) && of_a.iter().zip(of_b).all(|(x, y)| same_type(rx, from, x, y))
}

/// The type of a value that is one of several: the nearest class that all of them are.
pub(super) fn common(rx: &Resolver, types: impl IntoIterator<Item = Ty>) -> Ty {
    let known = types.into_iter().filter(|ty| !matches!(ty, Ty::Primitive(n) if &**n == NULL));
    let mut known = known.filter(|ty| !is_named(rx, ty, "kotlin.Nothing"));
    let union = match (known.next(), known.next()) {
        (Some(only), None) => only,
        (first, second) => Ty::union(first.into_iter().chain(second).chain(known)),
    };
    let Ty::Union(parts) = &union else { return union };
    if !parts.iter().all(|p| matches!(p, Ty::Instance(..))) {
        return union;
    }
    let line = rx.linearization(&parts[0]);
    let shared = line.iter().find(|ty| {
        let def = ty.def();
        def.is_some()
            && !is_named(rx, ty, "kotlin.Any")
            && parts[1..].iter().all(|part| rx.linearization(part).iter().any(|t| t.def() == def))
    });
    shared.cloned().unwrap_or(union)
}

const NUMBERS: [&str; 6] = ["Byte", "Short", "Int", "Long", "Float", "Double"];

fn rank(rx: &Resolver, ty: &Ty) -> Option<usize> {
    let name = full_name(rx, ty)?;
    let short = name.strip_prefix("kotlin.")?;
    NUMBERS.iter().position(|n| *n == short)
}

/// The value of an operator on numbers and texts; `None` where a function decides.
pub(super) fn builtin_operator(
    rx: &Resolver,
    from: &FileView,
    op: BinaryOp,
    left: &Ty,
    right: &Ty,
) -> Option<Ty> {
    match op {
        BinaryOp::Compare | BinaryOp::And | BinaryOp::Or | BinaryOp::TypeTest | BinaryOp::In => {
            Some(kotlin(rx, from, "Boolean"))
        }
        BinaryOp::Coalesce => Some(common(rx, [left.clone(), right.clone()])),
        BinaryOp::Plus if is_named(rx, left, "kotlin.String") => Some(left.clone()),
        BinaryOp::Plus | BinaryOp::Arithmetic => {
            let rank = rank(rx, left)?.max(rank(rx, right)?).max(2);
            Some(kotlin(rx, from, NUMBERS[rank]))
        }
        BinaryOp::Range => {
            let wide = rank(rx, left)?.max(rank(rx, right)?);
            (wide <= 3).then(|| {
                library(
                    rx,
                    from,
                    "kotlin.ranges",
                    if wide == 3 { "LongRange" } else { "IntRange" },
                    Vec::new(),
                )
            })
        }
        _ => None,
    }
}

/// A lambda or an anonymous function.
pub(super) fn is_lambda(file: &FileView, def: DefId) -> bool {
    let d = file.def(def);
    d.kind == SymbolKind::Function
        && d.flags.has(DefFlags::ANONYMOUS)
        && !d.flags.has(DefFlags::GETTER)
        && !d.flags.has(DefFlags::SETTER)
}
