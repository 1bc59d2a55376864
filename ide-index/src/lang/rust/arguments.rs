//! The arguments of a call, as far as they choose among implementations.

use ide_model::SymbolKind;

use super::library;
use super::members::{self, container, settle};
use crate::facts::{Collection, DefFlags, Expr, ExprId, Literal, RefId};
use crate::resolve::{FileView, Member, Resolver, Target, Ty};
use crate::world::GlobalDef;

/// `Trait::method(&value)` means what the type of the value has.
pub(super) fn of_first(rx: &Resolver, file: &FileView, reference: RefId, found: &mut [Member]) {
    let r = file.reference(reference);
    let ([member], Some(Expr::Ref(before)), Some(call)) =
        (found, r.receiver.map(|receiver| file.expr(receiver)), r.call)
    else {
        return;
    };
    let Expr::Call { args, .. } = file.expr(call) else { return };
    let (Some(def), Some(first)) = (member.def(), file.list(args).next()) else { return };
    let is_method = !rx.def(def).flags.has(DefFlags::STATIC);
    let of = container(rx, def).filter(|of| is_method && rx.def(*of).kind == SymbolKind::Trait);
    let Some(of) = of.filter(|of| rx.resolve(file.global_ref(before)).resolution.defs().next() == Some(*of))
    else {
        return;
    };
    let ty = settle(rx, &rx.expr_type(file, first));
    let is_plain = ty.def().is_some_and(|def| {
        matches!(rx.def(def).kind, SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Union)
    });
    if let Some(by) = is_plain.then(|| members::implementation(rx, &ty, of)).flatten()
        && let Some(own) = rx.own_members(by, rx.def_name(def)).first()
    {
        member.target = Target::Def(*own);
    }
}

/// An argument of a call.
pub(super) enum Given {
    Value(Ty),
    /// A number without a type of its own.
    Integer,
    Float,
    Tuple(Vec<Given>),
    Array(Vec<Given>),
}

impl Given {
    pub(super) fn of(rx: &Resolver, file: &FileView, expr: ExprId) -> Self {
        let all = |items| file.list(items).map(|item| Self::of(rx, file, item)).collect();
        match file.expr(expr) {
            Expr::Literal(Literal::Int) => Self::Integer,
            Expr::Literal(Literal::Float) => Self::Float,
            Expr::Unary { value, .. } => match Self::of(rx, file, value) {
                number @ (Self::Integer | Self::Float) => number,
                _ => Self::Value(settle(rx, &rx.expr_type(file, expr))),
            },
            Expr::Collection { kind: Collection::Tuple, items } => Self::Tuple(all(items)),
            Expr::Collection { kind: Collection::Array, items } => Self::Array(all(items)),
            _ => Self::Value(settle(rx, &rx.expr_type(file, expr))),
        }
    }

    /// Whether a parameter of a declared type takes it, as far as it is known.
    pub(super) fn fits(&self, rx: &Resolver, declared: &Ty, params: &[GlobalDef]) -> bool {
        match (self, declared) {
            (Self::Value(ty), _) => matches(rx, declared, ty, params),
            (_, Ty::Unknown | Ty::Param(_) | Ty::Intersection(_)) => true,
            (Self::Integer, Ty::Primitive(name)) => name.starts_with(['i', 'u']),
            (Self::Float, Ty::Primitive(name)) => name.starts_with('f'),
            (Self::Tuple(items), Ty::Tuple(parts)) => {
                items.len() == parts.len() && items.iter().zip(&**parts).all(|(i, p)| i.fits(rx, p, params))
            }
            (Self::Array(items), Ty::Array(item)) => items.iter().all(|i| i.fits(rx, item, params)),
            _ => false,
        }
    }
}

/// Whether a declared type can be the actual one; unknown parts can be anything.
pub(super) fn matches(rx: &Resolver, declared: &Ty, actual: &Ty, params: &[GlobalDef]) -> bool {
    let all = |a: &[Ty], b: &[Ty]| a.iter().zip(b).all(|(d, a)| matches(rx, d, a, params));
    match (declared, actual) {
        (Ty::Unknown, _) | (_, Ty::Unknown) => true,
        (Ty::Param(def), _) if params.contains(def) => true,
        (_, Ty::Param(_)) => true,
        // Projections and bounds are not worked out here.
        (Ty::Instance(def, _), _) | (_, Ty::Instance(def, _)) if members::is_projection(rx, *def) => true,
        (Ty::Instance(a, x) | Ty::Class(a, x), Ty::Instance(b, y) | Ty::Class(b, y)) => a == b && all(x, y),
        (Ty::External(a, x), Ty::External(b, y)) => library::last(a) == library::last(b) && all(x, y),
        (Ty::External(a, _), Ty::ExternalName(b)) => library::last(a) == library::last(b),
        (Ty::Primitive(a), Ty::Primitive(b) | Ty::External(b, _) | Ty::ExternalName(b)) => {
            **a == *library::last(b)
        }
        (Ty::Array(a), Ty::Array(b)) | (Ty::Pointer(a), Ty::Pointer(b)) => matches(rx, a, b, params),
        (Ty::Tuple(a), Ty::Tuple(b)) => a.len() == b.len() && all(a, b),
        (Ty::Callable { .. }, Ty::Callable { .. } | Ty::Function(..)) => true,
        (Ty::Instance(..) | Ty::Intersection(_), Ty::Intersection(_)) | (Ty::Intersection(_), _) => true,
        _ => false,
    }
}
