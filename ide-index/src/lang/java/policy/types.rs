//! Conversions between types and the values of operators.

use super::members::{bound, is_interface};
use super::names::lang_type;
use crate::facts::{BinaryOp, Expr, ExprId, List, RefId, ScopeKind, TypeExpr, TypeId};
use crate::resolve::{FileView, Resolver, Substitution, Ty, Types, unify};
use crate::world::GlobalDef;

/// The name under which `null` has a type.
pub(super) const NULL: &str = "null";

pub(super) fn primitive(name: &str) -> Ty {
    Ty::Primitive(name.into())
}

const BOXES: [(&str, &str); 8] = [
    ("boolean", "Boolean"),
    ("byte", "Byte"),
    ("char", "Character"),
    ("short", "Short"),
    ("int", "Integer"),
    ("long", "Long"),
    ("float", "Float"),
    ("double", "Double"),
];

pub(super) fn boxed(rx: &Resolver, from: &FileView, primitive: &str) -> Option<Ty> {
    let (_, class) = BOXES.iter().find(|(name, _)| *name == primitive)?;
    Some(lang_type(rx, from, class))
}

/// The primitive type that a box holds.
pub(super) fn unboxed(rx: &Resolver, ty: &Ty) -> Option<&'static str> {
    let class = match ty {
        Ty::Instance(def, _) => {
            let file = rx.file(def.file);
            if file.package.is_none_or(|p| file.name(p) != "java.lang") {
                return None;
            }
            let name = file.def_name(def.def);
            return BOXES.iter().find(|(_, class)| *class == name).map(|(p, _)| *p);
        }
        Ty::External(name, _) => name.strip_prefix("java.lang.")?,
        _ => return None,
    };
    BOXES.iter().find(|(_, name)| *name == class).map(|(p, _)| *p)
}

/// The numeric type of a value, after unboxing.
pub(super) fn numeric(rx: &Resolver, ty: &Ty) -> Option<&'static str> {
    match ty {
        Ty::Primitive(name) => BOXES.iter().find(|(p, _)| **p == **name).map(|(p, _)| *p),
        other => unboxed(rx, other),
    }
}

/// Position in `byte < short < int < long < float < double`; `char` widens to `int` too.
fn rank(primitive: &str) -> Option<u8> {
    ["byte", "short", "int", "long", "float", "double"].iter().position(|p| *p == primitive).map(|i| i as u8)
}

/// Whether a primitive value converts to another primitive type without a cast.
pub(super) fn widens(from: &str, to: &str) -> bool {
    if from == to {
        return true;
    }
    match (from, rank(from), rank(to)) {
        ("char", _, Some(to)) => to >= 2,
        (_, Some(from), Some(to)) => from < to,
        _ => false,
    }
}

/// How well a value of one type fits where another is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    No,
    /// Something is not known.
    Maybe,
    Yes,
}

impl From<bool> for Fit {
    fn from(fits: bool) -> Self {
        if fits { Self::Yes } else { Self::No }
    }
}

/// Subtyping without boxing, after erasure.
pub(super) fn strict_fit(rx: &Resolver, value: &Ty, wanted: &Ty) -> Fit {
    fit(rx, value, wanted, 0)
}

fn fit(rx: &Resolver, value: &Ty, wanted: &Ty, depth: u32) -> Fit {
    if depth > 8 {
        return Fit::Maybe;
    }
    let again = |v: &Ty, w: &Ty| fit(rx, v, w, depth + 1);
    match (value, wanted) {
        (Ty::Unknown, _) | (_, Ty::Unknown) => Fit::Maybe,
        (Ty::Primitive(v), Ty::Primitive(w)) => widens(v, w).into(),
        (Ty::Primitive(v), _) => (&**v == NULL).into(),
        (_, Ty::Primitive(_)) => Fit::No,
        (Ty::Union(parts), _) => {
            let known = parts.iter().filter(|p| !matches!(p, Ty::Primitive(n) if &**n == NULL));
            known.map(|p| again(p, wanted)).min().unwrap_or(Fit::Maybe)
        }
        (Ty::Intersection(parts), _) => parts.iter().map(|p| again(p, wanted)).max().unwrap_or(Fit::Maybe),
        (_, Ty::Intersection(parts) | Ty::Union(parts)) => {
            parts.iter().map(|w| again(value, w)).min().unwrap_or(Fit::Maybe)
        }
        (Ty::Param(v), Ty::Param(w)) if v == w => Fit::Yes,
        // A parameter of a method is inferred; one of a class, where it is not substituted, is the same one or not.
        (_, Ty::Param(w)) => {
            let known = is_inferred(rx, *w) || !matches!(value, Ty::Param(_));
            again(value, &bound(rx, *w)).min(if known { Fit::Yes } else { Fit::Maybe })
        }
        (Ty::Param(v), _) => again(&bound(rx, *v), wanted),
        (Ty::Array(v), Ty::Array(w)) => match (&**v, &**w) {
            (Ty::Primitive(v), Ty::Primitive(w)) => (v == w).into(),
            (v, w) => again(v, w),
        },
        (Ty::Array(_), _) => is_array_super(rx, wanted).into(),
        (_, Ty::Array(_)) => Fit::No,
        (Ty::Instance(v, _), Ty::Instance(w, _)) => {
            if v == w || is_library(rx, wanted, "Object") {
                return Fit::Yes;
            }
            let line = rx.linearization(value);
            if line.iter().any(|ty| ty.def() == Some(*w)) {
                Fit::Yes
            } else if line.iter().any(is_open) {
                Fit::Maybe
            } else {
                Fit::No
            }
        }
        (_, Ty::External(w, _)) if &**w == "java.lang.Object" => Fit::Yes,
        (Ty::External(v, _), Ty::External(w, _)) => external_fit(v, w),
        (Ty::Instance(..), Ty::External(w, _)) => {
            let line = rx.linearization(value);
            if line.iter().any(|ty| matches!(ty, Ty::External(name, _) if name == w)) {
                Fit::Yes
            } else if line.iter().any(is_open) {
                Fit::Maybe
            } else {
                Fit::No
            }
        }
        (Ty::External(v, _), Ty::Instance(..)) => {
            // A library class does not derive from one of the project.
            if is_library(rx, wanted, "Object") { Fit::Yes } else { Fit::from(v.is_empty()) }
        }
        _ => Fit::Maybe,
    }
}

/// A type parameter of a method rather than of a class.
fn is_inferred(rx: &Resolver, param: GlobalDef) -> bool {
    let file = rx.file(param.file);
    file.scope(file.def(param.def).scope).kind == ScopeKind::Function
}

/// A supertype about whose own supertypes nothing is known.
fn is_open(ty: &Ty) -> bool {
    match ty {
        Ty::External(name, _) => !matches!(
            &**name,
            "java.lang.Object"
                | "java.lang.Enum"
                | "java.lang.Record"
                | "java.io.Serializable"
                | "java.lang.Cloneable"
                | "java.lang.annotation.Annotation"
        ),
        Ty::Unknown => true,
        _ => false,
    }
}

/// The relation of library types whose declarations are not indexed.
fn external_fit(value: &str, wanted: &str) -> Fit {
    if value == wanted {
        return Fit::Yes;
    }
    let short = |name: &str| name.strip_prefix("java.lang.").map(str::to_owned);
    let (Some(v), Some(w)) = (short(value), short(wanted)) else {
        return if is_final(value) && !wanted.starts_with("java.") { Fit::No } else { Fit::Maybe };
    };
    let is_text = matches!(&*v, "String" | "StringBuilder" | "StringBuffer");
    let is_number = BOXES.iter().any(|(p, class)| *class == v && *p != "boolean" && *p != "char");
    match &*w {
        "Object" => Fit::Yes,
        "CharSequence" if is_text => Fit::Yes,
        "Number" if is_number => Fit::Yes,
        "Comparable" if is_text || is_final(value) => Fit::Yes,
        _ if is_final(value) => Fit::No,
        _ => Fit::Maybe,
    }
}

fn is_final(name: &str) -> bool {
    let Some(short) = name.strip_prefix("java.lang.") else { return false };
    matches!(short, "String" | "StringBuilder" | "StringBuffer" | "Class")
        || BOXES.iter().any(|(_, class)| *class == short)
}

fn is_array_super(rx: &Resolver, ty: &Ty) -> bool {
    is_library(rx, ty, "Object")
        || is_library(rx, ty, "Cloneable")
        || is_named(rx, ty, "java.io", "Serializable")
}

/// The type is that class of `java.lang`.
pub(super) fn is_library(rx: &Resolver, ty: &Ty, name: &str) -> bool {
    is_named(rx, ty, "java.lang", name)
}

pub(super) fn is_named(rx: &Resolver, ty: &Ty, package: &str, name: &str) -> bool {
    match ty {
        Ty::Instance(def, _) => {
            let file = rx.file(def.file);
            file.def_name(def.def) == name && file.package.is_some_and(|p| file.name(p) == package)
        }
        Ty::External(full, _) => {
            full.strip_prefix(package).and_then(|rest| rest.strip_prefix('.')) == Some(name)
        }
        _ => false,
    }
}

/// Boxing and unboxing too.
pub(super) fn loose_fit(rx: &Resolver, from: &FileView, value: &Ty, wanted: &Ty) -> Fit {
    let strict = strict_fit(rx, value, wanted);
    if strict != Fit::No {
        return strict;
    }
    match (value, wanted) {
        (Ty::Primitive(v), w) if !matches!(w, Ty::Primitive(_)) => {
            boxed(rx, from, v).map_or(Fit::No, |v| strict_fit(rx, &v, w))
        }
        (v, Ty::Primitive(w)) => match v {
            Ty::Union(parts) => {
                parts.iter().map(|p| loose_fit(rx, from, p, wanted)).min().unwrap_or(Fit::Maybe)
            }
            Ty::Param(def) => loose_fit(rx, from, &bound(rx, *def), wanted),
            v => unboxed(rx, v).is_some_and(|v| widens(v, w)).into(),
        },
        (Ty::Union(parts), _) => {
            parts.iter().map(|p| loose_fit(rx, from, p, wanted)).min().unwrap_or(Fit::Maybe)
        }
        _ => Fit::No,
    }
}

/// Whether two types erase to the same class. Unknown ones do.
pub(super) fn same_erasure(rx: &Resolver, a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::Unknown, _) | (_, Ty::Unknown) => true,
        (Ty::Param(a), Ty::Param(b)) => {
            a == b
                || match (bound(rx, *a), bound(rx, *b)) {
                    (Ty::Param(_), _) | (_, Ty::Param(_)) => true,
                    (a, b) => same_erasure(rx, &a, &b),
                }
        }
        (Ty::Param(def), other) | (other, Ty::Param(def)) => match bound(rx, *def) {
            Ty::Param(_) => true,
            bound => same_erasure(rx, &bound, other),
        },
        (Ty::Intersection(parts), other) | (other, Ty::Intersection(parts)) => {
            parts.first().is_none_or(|first| same_erasure(rx, first, other))
        }
        (Ty::Array(a), Ty::Array(b)) => same_erasure(rx, a, b),
        (Ty::Instance(a, _), Ty::Instance(b, _)) => a == b,
        // Of what star imports may bring only the last name is sure.
        (Ty::External(a, _), Ty::External(b, _)) => last(a) == last(b),
        (a, b) => a == b,
    }
}

fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// The value of a binary operator.
pub(super) fn binary(rx: &Resolver, from: &FileView, op: BinaryOp, left: &Ty, right: &Ty) -> Ty {
    match op {
        BinaryOp::Compare | BinaryOp::And | BinaryOp::Or | BinaryOp::TypeTest | BinaryOp::In => {
            primitive("boolean")
        }
        BinaryOp::Plus if is_library(rx, left, "String") || is_library(rx, right, "String") => {
            lang_type(rx, from, "String")
        }
        BinaryOp::Shift => promoted(rx, left),
        _ => match (numeric(rx, left), numeric(rx, right)) {
            (Some("boolean"), _) | (_, Some("boolean")) => primitive("boolean"),
            (Some(l), Some(r)) => {
                let rank = |name| rank(name).unwrap_or(2).max(2);
                primitive(["int", "long", "float", "double"][usize::from(rank(l).max(rank(r))) - 2])
            }
            // Something unknown is added: a string when it is one, a number otherwise.
            _ => Ty::Unknown,
        },
    }
}

/// The value of a unary numeric operator.
pub(super) fn promoted(rx: &Resolver, ty: &Ty) -> Ty {
    match numeric(rx, ty) {
        Some("byte" | "short" | "char") => primitive("int"),
        Some(name) => primitive(name),
        None => Ty::Unknown,
    }
}

/// The type of the items that a for-each loop takes from a value.
pub(super) fn element(rx: &Resolver, from: &FileView, ty: &Ty) -> Ty {
    match ty {
        Ty::Array(item) => (**item).clone(),
        Ty::Instance(..) => {
            let line = rx.linearization(ty);
            let iterable = line.iter().find(|ty| is_library(rx, ty, "Iterable"));
            let collection = || line.iter().find(|ty| matches!(ty, Ty::External(..)) && ty.args().len() == 1);
            match iterable.or_else(collection) {
                Some(found) => {
                    let lone = found.args().first().cloned();
                    lone.unwrap_or_else(|| lang_type(rx, from, "Object"))
                }
                None => Ty::Unknown,
            }
        }
        Ty::External(_, args) if args.len() == 1 => args[0].clone(),
        Ty::Param(def) => element(rx, from, &bound(rx, *def)),
        Ty::Intersection(parts) => {
            let found = parts.iter().map(|part| element(rx, from, part)).find(|ty| !ty.is_unknown());
            found.unwrap_or(Ty::Unknown)
        }
        _ => Ty::Unknown,
    }
}

/// Whether a lambda or method reference can stand where this type is asked for.
pub(super) fn may_be_functional(rx: &Resolver, ty: &Ty) -> bool {
    match ty {
        Ty::Instance(def, _) => is_interface(rx, *def),
        Ty::Primitive(_) | Ty::Array(_) => false,
        Ty::External(name, _) => !is_final(name) && &**name != "java.lang.Object",
        Ty::Param(_) | Ty::Unknown => true,
        Ty::Intersection(parts) => parts.iter().any(|part| may_be_functional(rx, part)),
        _ => true,
    }
}

pub(super) fn class_of(rx: &Resolver, from: &FileView, ty: Ty) -> Ty {
    let boxed = match &ty {
        Ty::Primitive(name) => boxed(rx, from, name).unwrap_or_else(|| lang_type(rx, from, "Void")),
        _ => ty,
    };
    super::names::library_type(rx, from, "java.lang", "Class", Types::from([boxed]))
}

/// A type some of whose arguments are `?`: such a one is as much as the type parameter demands.
pub(super) fn with_open_arguments(
    rx: &Resolver,
    file: &FileView,
    name: RefId,
    args: List<TypeId>,
) -> Option<Ty> {
    let is_open = |arg: TypeId| file.ty(arg) == TypeExpr::Wildcard(None);
    if !file.list(args).any(is_open) {
        return None;
    }
    let class = rx.resolve(file.global_ref(name)).resolution.defs().next()?;
    let params = rx.type_params(class);
    let is_bounded = |param: &&GlobalDef| rx.def(**param).ty.is_some();
    let args = file.list(args).enumerate().map(|(i, arg)| match params.get(i).filter(is_bounded) {
        Some(param) if is_open(arg) => Ty::Param(*param),
        _ => rx.type_of(file, arg),
    });
    let args: Vec<Ty> = args.collect();
    Some(rx.named_type(file, name, args.into()))
}

/// The type of a construction of a generic class without type arguments: the values determine them.
pub(super) fn made(
    rx: &Resolver,
    file: &FileView,
    new: ExprId,
    ty: TypeId,
    args: List<ExprId>,
) -> Option<Ty> {
    let TypeExpr::Named { args: written, .. } = file.ty(ty) else { return None };
    let class = rx.type_of(file, ty).def().filter(|_| written.len == 0 && args.len > 0)?;
    let params = rx.type_params(class);
    if params.is_empty() {
        return None;
    }
    let constructor = match rx.callee_of(file, new) {
        Some(Ty::Function(def, _)) => Some(def).filter(|def| rx.def(*def).params.len > 0),
        _ => None,
    };
    // The canonical constructor of a record takes its components.
    let function = constructor.unwrap_or(class);
    let mut known = Substitution::default();
    for (index, arg) in file.list(args).enumerate() {
        if matches!(file.expr(arg), Expr::Function(_)) {
            continue;
        }
        let Some(parameter) = rx.parameter_at(function, index) else { continue };
        let declared = rx.def_type(parameter);
        unify(&declared, &rx.widened(&rx.expr_type(file, arg), &declared), &params, &mut known);
    }
    (!known.is_empty()).then(|| rx.self_type(class).substitute(&known).forget(&params))
}

/// Whether a call has no arguments.
pub(super) fn is_bare(file: &FileView, call: ExprId) -> bool {
    matches!(file.expr(call), Expr::Call { args, .. } if file.list(args).next().is_none())
}
