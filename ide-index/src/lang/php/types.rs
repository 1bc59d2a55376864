//! PHP's types as written in code.

use super::front::Parser;
use super::lexer::STATIC;
use crate::facts::{Expr, List, Role, TypeExpr, TypeId};
use crate::kit::Kind;

/// Types without a declaration.
pub(super) const PRIMITIVES: &[&str] = &[
    "array", "bool", "callable", "false", "float", "int", "iterable", "mixed", "never", "null", "object",
    "string", "true", "void",
];

impl Parser<'_> {
    /// Whether a type begins here.
    pub(super) fn at_type(&self) -> bool {
        let token = self.c.peek();
        self.at_name()
            || token.is(b'?')
            || token.is(b'(') && token.kind == Kind::Open
            || token.kind == Kind::Word && token.sub == STATIC
    }

    /// `?A`, `A|B`, `A&B`, `(A&B)|null`.
    pub(super) fn ty(&mut self) -> Option<TypeId> {
        if !self.at_type() || !self.c.deeper() {
            return None;
        }
        let nullable = self.c.eat(b'?');
        let mut parts = Vec::new();
        let mut is_intersection = false;
        loop {
            if self.c.is(b'(') {
                let end = self.c.group_end(self.c.at);
                self.c.bump();
                parts.extend(self.ty());
                self.c.at = end;
                self.c.eat(b')');
            } else {
                parts.extend(self.single_type());
            }
            // `A &$x` is a parameter by reference, not an intersection.
            let next = self.c.nth(1);
            let joins = self.c.is(b'|') && !next.is(b'|')
                || self.c.is(b'&')
                    && !next.is(b'.')
                    && !next.is(b'&')
                    && (next.kind != Kind::Word || next.sub != super::lexer::VARIABLE);
            if !joins {
                break;
            }
            is_intersection |= self.c.is(b'&');
            self.c.bump();
        }
        self.c.shallower();
        let ty = match parts[..] {
            [] => return None,
            [one] => one,
            _ => {
                let list = self.b.list(parts);
                self.b.ty(if is_intersection { TypeExpr::Intersection(list) } else { TypeExpr::Union(list) })
            }
        };
        Some(if nullable { self.b.ty(TypeExpr::Nullable(ty)) } else { ty })
    }

    fn single_type(&mut self) -> Option<TypeId> {
        let (segments, absolute) = self.segments();
        if let ([one], false) = (&segments[..], absolute) {
            let text = self.text(*one);
            if let Some(ty) = self.special_type(text) {
                return Some(ty);
            }
        }
        let (name, _) = self.name_of(&segments, absolute, Role::Type)?;
        Some(self.b.ty(TypeExpr::Named { name, args: List::EMPTY }))
    }

    /// A primitive, `self`, `static`, `parent`.
    pub(super) fn special_type(&mut self, text: &str) -> Option<TypeId> {
        let lower = text.to_ascii_lowercase();
        if PRIMITIVES.contains(&&*lower) {
            let name = self.b.name(&lower);
            return Some(self.b.ty(TypeExpr::Primitive(name)));
        }
        match &*lower {
            "self" | "static" | "$this" => {
                let scope = self.b.scope();
                let this = self.b.expr(Expr::This(scope));
                Some(self.b.ty(TypeExpr::TypeOf(this)))
            }
            "parent" => {
                let scope = self.b.scope();
                let parent = self.b.expr(Expr::Super(scope));
                Some(self.b.ty(TypeExpr::TypeOf(parent)))
            }
            _ => None,
        }
    }
}
