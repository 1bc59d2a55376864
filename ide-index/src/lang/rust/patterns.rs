//! Patterns: what they bind, with the values that the parts have.

use ide_model::{SymbolKind, TextRange};

use super::front::Parser;
use super::lexer::{CONST, CRATE, FALSE, LIFETIME, MUT, REF, SELF, SELF_TYPE, SUPER, TRUE};
use super::types::Place;
use crate::facts::{DefFlags, DefId, Expr, ExprId, RefFlags, RefId, Role, TypeExpr};
use crate::kit::{Kind, Token};

/// The form of the declarations that the names of a pattern become.
#[derive(Clone, Copy)]
struct Binding {
    kind: SymbolKind,
    /// The start of the declaration; it ends with the expression that gives the value.
    start: u32,
}

impl Parser<'_> {
    /// A pattern that takes `value` apart. Gives the names that it binds; whoever knows where the value ends sets the
    /// end of their range.
    pub(super) fn pattern(&mut self, value: ExprId, start: u32) -> Vec<DefId> {
        let mut bound = Vec::new();
        self.alternatives(value, Binding { kind: SymbolKind::Variable, start }, &mut bound);
        bound
    }

    /// The pattern of a parameter.
    pub(super) fn parameter_pattern(&mut self, value: ExprId, start: u32) {
        let mut bound = Vec::new();
        let binding = Binding { kind: SymbolKind::Parameter, start };
        self.c.eat(b'|');
        self.one_pattern(value, binding, &mut bound);
        self.end_at(&bound, self.c.last_end());
    }

    /// The declarations reach to `end`: before it the names cannot be used.
    pub(super) fn end_at(&mut self, bound: &[DefId], end: u32) {
        for def in bound {
            let range = &mut self.b.def_mut(*def).range;
            *range = TextRange::new(range.start, end.max(range.end));
        }
    }

    fn alternatives(&mut self, value: ExprId, binding: Binding, bound: &mut Vec<DefId>) {
        self.c.eat(b'|');
        loop {
            let before = self.c.at;
            self.one_pattern(value, binding, bound);
            if self.c.at == before || !self.c.is(b'|') || self.c.is_joined(b"||") || self.c.is_joined(b"|=") {
                return;
            }
            self.c.bump();
        }
    }

    fn one_pattern(&mut self, value: ExprId, binding: Binding, bound: &mut Vec<DefId>) {
        if !self.c.deeper() {
            self.c.skip();
            return;
        }
        self.pattern_inner(value, binding, bound);
        self.c.shallower();
    }

    fn pattern_inner(&mut self, value: ExprId, binding: Binding, bound: &mut Vec<DefId>) {
        let token = self.c.peek();
        match (token.kind, token.sub) {
            (Kind::Punct, b'&') => {
                self.c.bump();
                self.c.eat_word(MUT);
                self.one_pattern(value, binding, bound);
            }
            (Kind::Punct, b'.') if self.c.is_joined(b"..") => {
                self.c.at += 2;
                self.c.eat(b'=');
                self.range_end();
            }
            (Kind::Punct, b'-') | (Kind::Number, _) | (Kind::Word, TRUE | FALSE) => self.literal_pattern(),
            (Kind::Text, kind) if kind != LIFETIME => self.literal_pattern(),
            (Kind::Open, b'(') => self.tuple_pattern(value, binding, bound),
            (Kind::Open, b'[') => self.slice_pattern(value, binding, bound),
            (Kind::Word, CONST) => {
                self.prefix();
            }
            (Kind::Word, REF | MUT) => {
                let mut flags = DefFlags::NONE;
                self.c.eat_word(REF);
                if self.c.eat_word(MUT) {
                    flags.set(DefFlags::MUT);
                }
                if self.c.peek().kind == Kind::Word {
                    self.binding_pattern(value, binding, flags, bound);
                }
            }
            (Kind::Word, 0) if self.text(token) == "_" => {
                self.c.bump();
            }
            (Kind::Word, 0) if self.text(token) == "box" && self.c.nth(1).kind == Kind::Word => {
                self.c.bump();
                self.one_pattern(value, binding, bound);
            }
            (Kind::Word, 0) if self.binds(token) => {
                self.binding_pattern(value, binding, DefFlags::NONE, bound);
            }
            (Kind::Word, 0 | CRATE | SELF | SUPER | SELF_TYPE) | (Kind::Punct, b':' | b'<' | b'$') => {
                self.path_pattern(value, binding, bound);
            }
            _ => {}
        }
    }

    /// A name alone binds, unless it is written like a constant, a variant or a unit struct.
    fn binds(&self, token: Token) -> bool {
        let at = self.c.at + 1;
        let next = self.c.token(at);
        if next.is(b'@') {
            return true;
        }
        let continues = self.c.joined_at(at, b"::")
            || next.is(b'(')
            || next.is(b'{') && !self.no_struct
            || next.is(b'!')
            || next.is(b'<');
        let continues = continues || self.c.joined_at(at, b"..");
        !continues && !self.text(token).starts_with(char::is_uppercase)
    }

    fn binding_pattern(&mut self, value: ExprId, binding: Binding, flags: DefFlags, bound: &mut Vec<DefId>) {
        let token = self.c.bump();
        self.bind_variable(token, value, binding, flags, bound);
        if self.c.eat(b'@') {
            self.one_pattern(value, binding, bound);
        }
    }

    fn bind_variable(
        &mut self,
        token: Token,
        value: ExprId,
        binding: Binding,
        flags: DefFlags,
        bound: &mut Vec<DefId>,
    ) {
        let def = self.b.def(self.c.str(token), token.range(), binding.kind);
        let d = self.b.def_mut(def);
        d.init = Some(value);
        d.range = TextRange::new(binding.start.min(token.start), token.end);
        d.flags.set(flags);
        bound.push(def);
    }

    fn literal_pattern(&mut self) {
        self.c.eat(b'-');
        self.c.bump();
        self.range_pattern();
    }

    /// `..=b`, `..` behind a first bound.
    fn range_pattern(&mut self) {
        if self.c.is_joined(b"..") {
            self.c.at += if self.c.is_joined(b"..=") || self.c.is_joined(b"...") { 3 } else { 2 };
            self.range_end();
        }
    }

    fn range_end(&mut self) {
        self.c.eat(b'-');
        let token = self.c.peek();
        match (token.kind, token.sub) {
            (Kind::Number, _) => {
                self.c.bump();
            }
            (Kind::Text, kind) if kind != LIFETIME => {
                self.c.bump();
            }
            (Kind::Word, 0 | CRATE | SELF | SUPER | SELF_TYPE) if !self.is_soft("if") => {
                self.path(Place::Value, Role::Read);
            }
            _ => {}
        }
    }

    fn tuple_pattern(&mut self, value: ExprId, binding: Binding, bound: &mut Vec<DefId>) {
        let close = self.c.group_end(self.c.at);
        let is_tuple =
            self.has_comma(close) || self.c.nth(1).is(b')') || self.c.joined_at(self.c.at + 1, b"..");
        let outer = std::mem::replace(&mut self.no_struct, false);
        self.items_of(value, is_tuple, binding, bound);
        self.no_struct = outer;
    }

    /// A comma stands directly in the group that is next.
    fn has_comma(&self, close: usize) -> bool {
        let mut i = self.c.at + 1;
        while i < close {
            if self.c.token(i).is(b',') {
                return true;
            }
            i = self.c.over(i).max(i + 1);
        }
        false
    }

    /// The parts in parentheses. Behind `..` they are counted from the end, so nothing is known of their values.
    fn items_of(&mut self, value: ExprId, is_tuple: bool, binding: Binding, bound: &mut Vec<DefId>) {
        let (mut index, mut skipped) = (0, false);
        self.group(|p, _| {
            p.attributes();
            let is_rest = p.c.is_joined(b"..") && !p.c.is_joined(b"..=") && {
                let next = p.c.nth(2);
                next.is(b',') || next.is(b')')
            };
            let item = match (is_tuple, skipped) {
                (false, _) => value,
                (true, false) => p.b.expr(Expr::Item { base: value, index }),
                (true, true) => p.unknown(),
            };
            skipped |= is_rest;
            p.alternatives(item, binding, bound);
            index += 1;
            p.c.eat(b',');
        });
    }

    fn slice_pattern(&mut self, value: ExprId, binding: Binding, bound: &mut Vec<DefId>) {
        let element = self.b.expr(Expr::Element(value));
        let outer = std::mem::replace(&mut self.no_struct, false);
        self.group(|p, _| {
            let mut name = p.c.at;
            while p.is_word_at(name, REF) || p.is_word_at(name, MUT) {
                name += 1;
            }
            // `rest @ ..` is a slice itself.
            let is_rest =
                p.is_name_at(name) && p.c.token(name + 1).is(b'@') && p.c.joined_at(name + 2, b"..");
            p.alternatives(if is_rest { value } else { element }, binding, bound);
            p.c.eat(b',');
        });
        self.no_struct = outer;
    }

    fn path_pattern(&mut self, value: ExprId, binding: Binding, bound: &mut Vec<DefId>) {
        let path = self.path(Place::Value, Role::Read);
        if self.c.is(b'!') && self.c.nth(1).kind == Kind::Open {
            if let Some(last) = path.last {
                self.macro_call(last);
            }
            return;
        }
        let named = |p: &mut Self| match path.last {
            Some(name) => p.b.ty(TypeExpr::Named { name, args: path.args }),
            None => p.self_type(),
        };
        if self.c.is(b'(') {
            let ty = named(self);
            let taken = self.b.expr(Expr::Cast { ty, value });
            let outer = std::mem::replace(&mut self.no_struct, false);
            self.items_of(taken, true, binding, bound);
            self.no_struct = outer;
        } else if self.c.is(b'{') {
            if let Some(last) = path.last {
                self.names_a_type(last, Role::Type);
            }
            let ty = named(self);
            let taken = self.b.expr(Expr::Cast { ty, value });
            let outer = std::mem::replace(&mut self.no_struct, false);
            self.field_patterns(taken, binding, bound);
            self.no_struct = outer;
        } else {
            self.range_pattern();
        }
    }

    fn field_patterns(&mut self, taken: ExprId, binding: Binding, bound: &mut Vec<DefId>) {
        self.group(|p, _| {
            p.attributes();
            if p.c.eat_joined(b"..") {
                return;
            }
            let is_plain = |token: Token| matches!(token.kind, Kind::Word | Kind::Number);
            if is_plain(p.c.peek()) && p.c.nth(1).is(b':') && !p.c.joined_at(p.c.at + 1, b"::") {
                let token = p.c.bump();
                p.c.bump();
                let part = p.field_of(token, taken);
                p.alternatives(part, binding, bound);
            } else {
                let mut flags = DefFlags::NONE;
                p.c.eat_word(REF);
                if p.c.eat_word(MUT) {
                    flags.set(DefFlags::MUT);
                }
                if p.c.peek().kind == Kind::Word {
                    // `S { a }`: the field, and a variable at the same place.
                    let token = p.c.bump();
                    let part = p.field_of(token, taken);
                    p.bind_variable(token, part, binding, flags, bound);
                    p.shorthand(part);
                }
            }
            p.c.eat(b',');
        });
    }

    /// A key that is a declaration at the same place too.
    fn shorthand(&mut self, part: ExprId) {
        if let Expr::Ref(key) = self.b.facts().expr(part) {
            self.b.ref_mut(key).flags.set(RefFlags::IMPLICIT);
        }
    }

    /// The field that a key of a pattern names.
    fn field_of(&mut self, token: Token, taken: ExprId) -> ExprId {
        if token.kind == Kind::Number {
            let index = self.text(token).parse().unwrap_or(u32::MAX);
            return self.b.expr(Expr::Item { base: taken, index });
        }
        let key = self.key(token);
        self.b.ref_mut(key).call = Some(taken);
        self.b.expr(Expr::Ref(key))
    }

    /// A field named in a literal or pattern; its `call` is still to be set.
    pub(super) fn key(&mut self, token: Token) -> RefId {
        self.reference(token, Role::Key, None)
    }
}
