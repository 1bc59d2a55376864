//! Types, type arguments and annotations, and the look-ahead that tells a type from an expression.

use crate::facts::{Expr, ExprId, List, Role, TypeExpr, TypeId};
use crate::kit::{Kind, value};

use super::lexer::words as w;
use super::{Parser, RefFlags};

/// No type argument list is longer; it bounds the look-ahead behind every `<`.
const MAX_TYPE_TOKENS: usize = 200;

impl Parser<'_> {
    /// The index behind the type at `i`, with its dimensions; `None` when no type stands there.
    pub(super) fn skip_type(&self, i: usize) -> Option<usize> {
        let mut i = self.skip_annotations(i);
        let token = self.c.token(i);
        if Self::is_primitive(token) {
            i += 1;
        } else if Self::is_name(token) {
            i = self.skip_type_name(i)?;
        } else {
            return None;
        }
        Some(self.skip_dimensions(i))
    }

    fn skip_type_name(&self, mut i: usize) -> Option<usize> {
        loop {
            i += 1;
            if self.c.token(i).is(b'<') {
                i = self.skip_angles(i)?;
            }
            if !self.c.token(i).is(b'.') {
                return Some(i);
            }
            let next = self.skip_annotations(i + 1);
            if !Self::is_name(self.c.token(next)) {
                return Some(i);
            }
            i = next;
        }
    }

    pub(super) fn skip_dimensions(&self, mut i: usize) -> usize {
        loop {
            let at = self.skip_annotations(i);
            if !self.c.token(at).is(b'[') || !self.c.token(at + 1).is(b']') {
                return i;
            }
            i = at + 2;
        }
    }

    fn at_dimension(&self) -> bool {
        let at = self.skip_annotations(self.c.at);
        self.c.token(at).is(b'[') && self.c.token(at + 1).is(b']')
    }

    pub(super) fn skip_annotations(&self, mut i: usize) -> usize {
        while self.c.token(i).is(b'@') && Self::is_name(self.c.token(i + 1)) {
            i += 2;
            while self.c.token(i).is(b'.') && Self::is_name(self.c.token(i + 1)) {
                i += 2;
            }
            if self.c.token(i).is(b'(') {
                i = self.c.behind_group(i);
            }
        }
        i
    }

    /// The index behind the `>` that closes the `<` at `i`; `None` when something stands between them that no
    /// type argument list holds.
    pub(super) fn skip_angles(&self, mut i: usize) -> Option<usize> {
        let mut depth = 0;
        let limit = i + MAX_TYPE_TOKENS;
        loop {
            let token = self.c.token(i);
            if i > limit {
                return None;
            }
            match (token.kind, token.sub) {
                (Kind::Punct, b'<') => depth += 1,
                (Kind::Punct, b'>') => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(i + 1);
                    }
                }
                (Kind::Punct, b'@') => {
                    let behind = self.skip_annotations(i);
                    if behind == i {
                        return None;
                    }
                    i = behind;
                    continue;
                }
                (Kind::Punct, b',' | b'.' | b'?' | b'&') | (Kind::Open, b'[') | (Kind::Close, b']') => {}
                (Kind::Word, w::EXTENDS | w::SUPER) => {}
                (Kind::Word, _) if Self::is_name(token) || Self::is_primitive(token) => {}
                _ => return None,
            }
            i += 1;
        }
    }

    /// A type; `role` is that of its last name. Reports when none is there and gives an unknown one.
    pub(super) fn ty(&mut self, role: Role) -> TypeId {
        let base = self.ty_without_dimensions(role);
        self.dimensions(base)
    }

    /// Wraps a type in the `[]` pairs that follow.
    pub(super) fn dimensions(&mut self, base: TypeId) -> TypeId {
        let mut ty = base;
        while self.at_dimension() {
            self.annotations();
            self.c.at += 2;
            ty = self.b.ty(TypeExpr::Array(ty));
        }
        ty
    }

    pub(super) fn ty_without_dimensions(&mut self, role: Role) -> TypeId {
        self.annotations();
        let token = self.c.peek();
        if Self::is_primitive(token) {
            self.c.at += 1;
            let name = self.b.name(self.c.str(token));
            self.b.ty(TypeExpr::Primitive(name))
        } else if Self::is_name(token) {
            self.named_type(role)
        } else {
            self.unexpected("a type");
            self.b.ty(TypeExpr::Unknown)
        }
    }

    fn named_type(&mut self, role: Role) -> TypeId {
        let mut receiver: Option<ExprId> = None;
        loop {
            let token = self.c.bump();
            let text = self.c.str(token);
            let reference = self.b.reference(text, token.range(), Role::Type);
            self.b.ref_mut(reference).receiver = receiver;
            let args = if self.c.is(b'<') { self.type_args() } else { List::EMPTY };
            let next = self.skip_annotations(self.c.at + 1);
            if !self.c.is(b'.') || !Self::is_name(self.c.token(next)) {
                self.b.ref_mut(reference).role = role;
                return self.b.ty(TypeExpr::Named { name: reference, args });
            }
            self.c.at += 1;
            self.annotations();
            receiver = Some(self.b.expr(Expr::Ref(reference)));
        }
    }

    /// `<A, B>` at the cursor; empty for the diamond.
    pub(super) fn type_args(&mut self) -> List<TypeId> {
        self.c.at += 1;
        let mut args = Vec::new();
        if !self.c.deeper() {
            while !self.c.is(b'>') && !self.c.is_end() {
                self.c.skip();
            }
        } else {
            while !self.c.is(b'>') {
                args.push(self.type_arg());
                if !self.c.eat(b',') {
                    break;
                }
            }
            self.c.shallower();
        }
        self.want(b'>');
        self.b.list(args)
    }

    fn type_arg(&mut self) -> TypeId {
        self.annotations();
        if !self.c.eat(b'?') {
            return self.ty(Role::Type);
        }
        let bounded = self.c.eat_word(w::EXTENDS) || self.c.eat_word(w::SUPER);
        let bound = bounded.then(|| self.ty(Role::Type));
        self.b.ty(TypeExpr::Wildcard(bound))
    }

    /// Types separated by `separator`, as one union (`|`) or intersection (`&`) when there are several.
    pub(super) fn joined_types(&mut self, separator: u8) -> TypeId {
        let first = self.ty(Role::Type);
        if !self.c.is(separator) {
            return first;
        }
        let mut all = vec![first];
        while self.c.eat(separator) {
            all.push(self.ty(Role::Type));
        }
        let all = self.b.list(all);
        self.b.ty(if separator == b'|' { TypeExpr::Union(all) } else { TypeExpr::Intersection(all) })
    }

    /// Annotations at the cursor, as expressions.
    pub(super) fn annotations(&mut self) -> Vec<ExprId> {
        let mut all = Vec::new();
        while self.c.is(b'@') && Self::is_name(self.c.nth(1)) {
            all.push(self.annotation());
        }
        all
    }

    /// One annotation, at its `@`.
    pub(super) fn annotation(&mut self) -> ExprId {
        self.c.at += 1;
        let ty = self.annotation_type();
        if !self.c.is(b'(') {
            let TypeExpr::Named { name, .. } = self.b.facts().ty(ty) else {
                unreachable!("an annotation's type is a name");
            };
            return self.b.expr(Expr::Ref(name));
        }
        let open = self.c.at;
        if !self.c.deeper() {
            self.c.skip();
            return self.b.expr(Expr::New { ty, args: List::EMPTY });
        }
        self.c.at += 1;
        let mark = self.values.len();
        while self.c.at < self.c.group_end(open) {
            let before = self.c.at;
            let value = if self.at_name() && self.c.nth(1).is(b'=') && !self.c.joined_at(self.c.at + 1, b"==")
            {
                self.annotation_argument(ty)
            } else {
                self.element_value()
            };
            self.values.push(value);
            if !self.c.eat(b',') || self.c.at == before {
                break;
            }
        }
        self.leave_group(open);
        self.c.shallower();
        let args = self.b.list(self.values.drain(mark..));
        self.b.expr(Expr::New { ty, args })
    }

    fn annotation_type(&mut self) -> TypeId {
        let mut receiver = None;
        loop {
            let token = self.c.bump();
            let text = self.c.str(token);
            if !self.c.is(b'.') || !Self::is_name(self.c.nth(1)) {
                let reference = self.b.reference(text, token.range(), Role::Annotation);
                self.b.ref_mut(reference).receiver = receiver;
                return self.b.ty(TypeExpr::Named { name: reference, args: List::EMPTY });
            }
            receiver = Some(value::name(&mut self.b, receiver, text, token.range(), Role::Type).1);
            self.c.at += 1;
        }
    }

    fn annotation_argument(&mut self, annotation: TypeId) -> ExprId {
        let token = self.c.bump();
        self.c.at += 1;
        let of = self.b.expr(Expr::Type(annotation));
        let key = self.b.reference(self.c.str(token), token.range(), Role::Key);
        self.b.ref_mut(key).receiver = Some(of);
        self.flag(key, RefFlags::STATIC);
        let value = self.element_value();
        self.b.expr(Expr::Named { key, value })
    }

    /// The value of an annotation's element: an expression, an annotation, or several in braces.
    pub(super) fn element_value(&mut self) -> ExprId {
        if self.c.is(b'@') {
            return self.annotation();
        }
        if self.c.is(b'{') {
            return self.array_initializer();
        }
        let mark = self.pending.mark();
        let value = self.expression();
        self.pending.forget(mark);
        value
    }
}
