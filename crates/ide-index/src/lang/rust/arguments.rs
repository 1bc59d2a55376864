//! What is passed to a function, as far as it chooses among implementations.

use super::members::{self, settle};
use crate::facts::{Collection, Expr, ExprId, Literal};
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::GlobalDef;

/// What is passed to a function.
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
    pub(super) fn fits(&self, declared: &Ty, params: &[GlobalDef]) -> bool {
        match (self, declared) {
            (Self::Value(ty), _) => members::matches(declared, ty, params),
            (_, Ty::Unknown | Ty::Param(_) | Ty::Intersection(_)) => true,
            (Self::Integer, Ty::Primitive(name)) => name.starts_with(['i', 'u']),
            (Self::Float, Ty::Primitive(name)) => name.starts_with('f'),
            (Self::Tuple(items), Ty::Tuple(parts)) => {
                items.len() == parts.len() && items.iter().zip(&**parts).all(|(i, p)| i.fits(p, params))
            }
            (Self::Array(items), Ty::Array(item)) => items.iter().all(|i| i.fits(item, params)),
            _ => false,
        }
    }
}
