//! Types, type arguments and annotations, and the look-ahead that tells a type from an expression.

use crate::facts::{Expr, ExprId, List, Role, TypeExpr, TypeId};
use crate::kit::{Kind, value};

use super::Parser;
use super::lexer::words as w;

/// No type argument list is longer; it bounds the look-ahead behind every `<`.
const MAX_TYPE_TOKENS: usize = 200;

impl Parser<'_> {
    /// The index behind the `>` that closes the `<` at `i`; `None` when something stands between them that no type
    /// argument list holds.
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
                (Kind::Punct, b'-') if self.c.joined_at(i, b"->") => i += 1,
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
                (Kind::Open, b'(') => {
                    i = self.c.behind_group(i);
                    continue;
                }
                (Kind::Punct, b',' | b'.' | b'?' | b'*' | b':' | b'&') => {}
                (Kind::Word, w::IN) => {}
                (Kind::Word, _) if Self::is_name(token) => {}
                _ => return None,
            }
            i += 1;
        }
    }

    /// Behind the annotations at `i`.
    pub(super) fn skip_annotations(&self, mut i: usize) -> usize {
        while let Some(behind) = self.behind_annotation(i) {
            i = behind;
        }
        i
    }

    /// The index behind the annotation, or the list of them, at `i`.
    fn behind_annotation(&self, i: usize) -> Option<usize> {
        if !self.c.token(i).is(b'@') || self.c.token(i + 1).after_newline {
            return None;
        }
        let mut at = i + 1;
        if Self::is_name(self.c.token(at)) && self.c.token(at + 1).is(b':') {
            at += 2;
        }
        if self.c.token(at).is(b'[') {
            return Some(self.c.behind_group(at));
        }
        if !Self::is_name(self.c.token(at)) {
            return None;
        }
        at += 1;
        while self.c.token(at).is(b'.') && Self::is_name(self.c.token(at + 1)) {
            at += 2;
        }
        if self.c.token(at).is(b'<') {
            at = self.skip_angles(at).unwrap_or(at);
        }
        if self.c.token(at).is(b'(') && self.c.token(at).start == self.c.token(at - 1).end {
            at = self.c.behind_group(at);
        }
        Some(at)
    }

    pub(super) fn at_annotation(&self) -> bool {
        self.behind_annotation(self.c.at).is_some()
    }

    /// A type; `role` is that of its last name. Reports when none is there and gives an unknown one.
    pub(super) fn ty(&mut self, role: Role) -> TypeId {
        if !self.c.deeper() {
            self.c.skip();
            return self.b.ty(TypeExpr::Unknown);
        }
        let mut ty = self.ty_alone(role);
        while self.c.is(b'&') && !self.c.is_joined(b"&&") && Self::is_name(self.c.nth(1)) {
            self.c.at += 1;
            let right = self.ty_alone(role);
            let both = self.b.list([ty, right]);
            ty = self.b.ty(TypeExpr::Intersection(both));
        }
        self.c.shallower();
        ty
    }

    fn ty_alone(&mut self, role: Role) -> TypeId {
        self.annotations();
        while self.c.is_word(w::SUSPEND) && !self.c.nth(1).is(b'.') && !self.ends_type(1) {
            self.c.at += 1;
        }
        if self.c.is_word(w::CONTEXT) && self.c.nth(1).is(b'(') {
            self.c.at += 1;
            self.type_list();
        }
        let base = if self.c.is(b'(') {
            self.parenthesized_type()
        } else if self.at_name() {
            self.named_type(role)
        } else {
            self.unexpected("a type");
            return self.b.ty(TypeExpr::Unknown);
        };
        self.type_suffixes(base)
    }

    /// The token `n` behind the next one cannot continue a type, so a modifier before it was a name.
    fn ends_type(&self, n: usize) -> bool {
        let token = self.c.nth(n);
        !(Self::is_name(token) || token.is(b'(') || token.is(b'@'))
    }

    /// `?`, and the receiver's dot of a function type.
    fn type_suffixes(&mut self, mut ty: TypeId) -> TypeId {
        loop {
            let ends_receiver =
                self.c.nth(1).is(b'.') && self.c.nth(2).is(b'(') || self.c.at + 1 == self.type_end;
            if self.c.is(b'?') && (ends_receiver || !self.c.is_joined(b"?.") && !self.c.is_joined(b"?:")) {
                self.c.at += 1;
                ty = self.b.ty(TypeExpr::Nullable(ty));
            } else if self.c.is(b'!') && self.c.is_joined(b"!!") {
                self.c.at += 2;
            } else if self.c.is(b'.')
                && self.c.at != self.type_end
                && self.c.nth(1).is(b'(')
                && self.c.joined_at(self.c.behind_group(self.c.at + 1), b"->")
            {
                self.c.at += 1;
                return self.function_type(Some(ty));
            } else {
                return ty;
            }
        }
    }

    fn parenthesized_type(&mut self) -> TypeId {
        let open = self.c.at;
        if self.c.joined_at(self.c.behind_group(open), b"->") {
            return self.function_type(None);
        }
        self.c.at += 1;
        let outside = std::mem::replace(&mut self.type_end, usize::MAX);
        let inner = self.ty(Role::Type);
        self.type_end = outside;
        self.leave_group(open);
        inner
    }

    /// `(A, name: B) -> C` at its parenthesis.
    fn function_type(&mut self, receiver: Option<TypeId>) -> TypeId {
        let params = self.type_list();
        let arrow = self.c.eat_joined(b"->");
        let result = arrow.then(|| self.ty(Role::Type));
        let params = self.b.list(params);
        self.b.ty(TypeExpr::Function { receiver, params, result })
    }

    /// The parenthesised types at the cursor, with or without names.
    fn type_list(&mut self) -> Vec<TypeId> {
        let open = self.c.at;
        let end = self.c.group_end(open);
        let outside = std::mem::replace(&mut self.type_end, usize::MAX);
        self.c.at += 1;
        let mut all = Vec::new();
        while self.c.at < end {
            let before = self.c.at;
            self.annotations();
            while self.c.is_word(w::VARARG) || self.c.is_word(w::NOINLINE) || self.c.is_word(w::CROSSINLINE) {
                self.c.at += 1;
            }
            if self.at_name() && self.c.nth(1).is(b':') {
                self.c.at += 2;
            }
            all.push(self.ty(Role::Type));
            if !self.c.eat(b',') || self.c.at == before {
                break;
            }
        }
        self.type_end = outside;
        self.leave_group(open);
        all
    }

    fn named_type(&mut self, role: Role) -> TypeId {
        let mut receiver: Option<ExprId> = None;
        loop {
            let token = self.c.bump();
            let text = self.c.str(token);
            let reference = self.b.reference(text, token.range(), Role::Type);
            self.b.ref_mut(reference).receiver = receiver;
            let args = if self.c.is(b'<') { self.type_args() } else { List::EMPTY };
            let more = self.c.is(b'.') && self.c.at != self.type_end && Self::is_name(self.c.nth(1));
            if !more {
                self.b.ref_mut(reference).role = role;
                return self.b.ty(TypeExpr::Named { name: reference, args });
            }
            self.c.at += 1;
            receiver = Some(self.b.expr(Expr::Ref(reference)));
        }
    }

    /// `<A, *, in B>` at the cursor.
    pub(super) fn type_args(&mut self) -> List<TypeId> {
        self.c.at += 1;
        let outside = std::mem::replace(&mut self.type_end, usize::MAX);
        let mut args = Vec::new();
        if !self.c.deeper() {
            while !self.c.is(b'>') && !self.c.is_end() {
                self.c.skip();
            }
        } else {
            while !self.c.is(b'>') && !self.c.is_end() {
                let before = self.c.at;
                args.push(self.type_arg());
                if !self.c.eat(b',') || self.c.at == before {
                    break;
                }
            }
            self.c.shallower();
        }
        self.want(b'>');
        self.type_end = outside;
        self.b.list(args)
    }

    fn type_arg(&mut self) -> TypeId {
        if self.c.eat(b'*') {
            return self.b.ty(TypeExpr::Wildcard(None));
        }
        let projected = self.c.is_word(w::IN) || self.c.is_word(w::OUT) && Self::is_name(self.c.nth(1));
        if projected {
            self.c.at += 1;
            let bound = self.ty(Role::Type);
            return self.b.ty(TypeExpr::Wildcard(Some(bound)));
        }
        self.ty(Role::Type)
    }

    /// Annotations at the cursor, as expressions.
    pub(super) fn annotations(&mut self) -> Vec<ExprId> {
        let mut all = Vec::new();
        while self.at_annotation() {
            self.annotation(&mut all);
        }
        all
    }

    /// The annotation, or the list of them, whose `@` is at the cursor.
    fn annotation(&mut self, into: &mut Vec<ExprId>) {
        self.c.at += 1;
        let mut target = "";
        if self.at_name() && self.c.nth(1).is(b':') {
            target = self.c.str(self.c.peek());
            self.c.at += 2;
        }
        if self.c.is(b'[') {
            let open = self.c.at;
            self.c.at += 1;
            while self.c.at < self.c.group_end(open) && self.at_name() {
                let one = self.annotation_entry(target);
                into.push(one);
            }
            self.leave_group(open);
        } else {
            let one = self.annotation_entry(target);
            into.push(one);
        }
    }

    fn annotation_entry(&mut self, target: &str) -> ExprId {
        let mut receiver = None;
        let reference = loop {
            let token = self.c.bump();
            let text = self.c.str(token);
            if !self.c.is(b'.') || !Self::is_name(self.c.nth(1)) {
                let reference = self.b.reference(text, token.range(), Role::Annotation);
                self.b.ref_mut(reference).receiver = receiver;
                break reference;
            }
            receiver = Some(value::name(&mut self.b, receiver, text, token.range(), Role::Type).1);
            self.c.at += 1;
        };
        let args = if self.c.is(b'<') && self.skip_angles(self.c.at).is_some() {
            self.type_args()
        } else {
            List::EMPTY
        };
        if !self.c.is(b'(') || self.c.peek().start != self.c.last_end() {
            return self.b.expr(Expr::Ref(reference));
        }
        let ty = self.b.ty(TypeExpr::Named { name: reference, args });
        let (name, close) = (self.c.nth(1), self.c.nth(2));
        if self.b.facts().ref_name(reference) == "JvmName" && name.kind == Kind::Text && close.is(b')') {
            self.c.at += 3;
            let given = self.b.name(self.c.str(name).trim_matches('"'));
            let target = self.b.name(target);
            let args = [given, target].map(|text| self.b.expr(Expr::Text(text)));
            let args = self.b.list(args);
            return self.b.expr(Expr::New { ty, args });
        }
        self.construction(ty)
    }

    /// The parenthesised arguments at the cursor, for the construction of a type that is named by other means than
    /// a call.
    pub(super) fn construction(&mut self, ty: TypeId) -> ExprId {
        if !self.c.deeper() {
            self.c.skip();
            return self.b.expr(Expr::New { ty, args: List::EMPTY });
        }
        let mark = self.pending.mark();
        let values = self.values.len();
        let keys = self.arguments(values);
        let args = self.b.list(self.values.drain(values..));
        let new = self.b.expr(Expr::New { ty, args });
        self.pending.settle_arguments(&mut self.b, mark, new);
        self.own_keys(&keys, new);
        self.c.shallower();
        new
    }

    /// Named arguments learn of the call that they belong to.
    pub(super) fn own_keys(&mut self, keys: &[crate::facts::RefId], call: ExprId) {
        for key in keys {
            self.b.ref_mut(*key).call = Some(call);
        }
    }
}
