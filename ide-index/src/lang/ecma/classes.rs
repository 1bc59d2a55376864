//! Classes and object literals.

use ide_model::{SymbolKind, TextRange, Visibility};

use super::front::Parser;
use super::lexer::{
    ABSTRACT, ACCESSOR, ASYNC, DECLARE, EXTENDS, GET, IMPLEMENTS, OVERRIDE, PRIVATE, PROTECTED, PUBLIC,
    READONLY, SET, STATIC,
};
use super::skimming::begins_member;
use crate::facts::{
    Def, DefFlags, DefId, Expectation, Expr, ExprId, List, RefFlags, Role, ScopeId, ScopeKind, SuperKind,
    SuperType, TypeExpr,
};
use crate::kit::{Kind, Token};

impl Parser<'_> {
    pub(super) fn class_declaration(&mut self, start: usize, flags: DefFlags, decorators: List<ExprId>) {
        let def = self.class(start, flags);
        self.b.def_mut(def).decorators = decorators;
    }

    /// From `class` to the closing brace. A class without a name is anonymous.
    pub(super) fn class(&mut self, start: usize, flags: DefFlags) -> DefId {
        self.c.bump();
        let named = self.is_name() && !(self.c.peek().sub == IMPLEMENTS && self.c.nth(1).kind == Kind::Word);
        let kind = if flags.has(DefFlags::ABSTRACT) { SymbolKind::AbstractClass } else { SymbolKind::Class };
        let def = if named {
            let name = self.c.bump();
            self.declare(name, kind)
        } else {
            self.anonymous(kind)
        };
        let d = self.b.def_mut(def);
        d.flags = d.flags | flags;
        let outer = self.c.is(b'<');
        if outer {
            self.open_type_parameters(def);
        }
        let mut supers = Vec::new();
        if self.c.eat_word(EXTENDS) {
            self.extended(&mut supers);
        }
        if self.c.eat_word(IMPLEMENTS) {
            self.super_types(SuperKind::Implements, Role::Implements, &mut supers);
        }
        let supers = self.b.list(supers);
        self.b.def_mut(def).supers = supers;
        if self.c.is(b'{') {
            self.b.open(ScopeKind::Class, self.c.peek().start, Some(def));
            self.separated(b';', Self::member);
            let body = self.b.close(self.c.last_end());
            self.forget_assigned(def, body);
        }
        if outer {
            self.b.close(self.c.last_end());
        }
        self.finish(def, start);
        def
    }

    /// A property assigned through `this` is no declaration where the body declares one of that name.
    fn forget_assigned(&mut self, owner: DefId, body: ScopeId) {
        let facts = self.b.facts();
        let members: Vec<DefId> = (owner.0 + 1..facts.defs.len() as u32)
            .map(DefId)
            .filter(|d| facts.def(*d).scope == body)
            .collect();
        let is_declared = |name| {
            let is_other = |d: &Def| {
                d.name == name && !d.flags.has(DefFlags::ATTRIBUTE) && !d.flags.has(DefFlags::STATIC)
            };
            members.iter().any(|d| is_other(facts.def(*d)))
        };
        let assigned: Vec<DefId> = members
            .iter()
            .copied()
            .filter(|d| facts.def(*d).flags.has(DefFlags::ATTRIBUTE) && is_declared(facts.def(*d).name))
            .collect();
        for def in assigned {
            let d = self.b.def_mut(def);
            d.flags.set(DefFlags::ANONYMOUS);
            d.name_range = TextRange::new(d.name_range.start, d.name_range.start);
        }
    }

    /// The expression behind `extends`: a name mostly.
    fn extended(&mut self, supers: &mut Vec<SuperType>) {
        let is_name = self.is_name();
        let mut i = self.c.at + 1;
        while self.c.token(i).is(b'.') && self.c.token(i + 1).kind == Kind::Word {
            i += 2;
        }
        let behind = self.c.token(i);
        // `Base<T>` is a type, `Base<T>()` makes a class.
        let has_arguments = || self.behind_angles(i).is_none_or(|behind| !self.c.token(behind).is(b'('));
        let is_type = behind.is(b'<') && has_arguments()
            || behind.is(b'{')
            || behind.kind == Kind::Word && behind.sub == IMPLEMENTS;
        if is_name && is_type {
            let before = supers.len();
            let ty = self.ty();
            if let TypeExpr::Named { name, .. } = self.b.facts().ty(ty) {
                self.b.ref_mut(name).role = Role::Extends;
            }
            supers.push(SuperType { kind: SuperKind::Extends, ty });
            debug_assert!(supers.len() > before);
            return;
        }
        let value = self.postfix_only();
        // `f()<T>`, with the body behind it.
        self.called_types();
        let instance = self.b.expr(Expr::InstanceOf(value));
        let ty = self.b.ty(TypeExpr::TypeOf(instance));
        supers.push(SuperType { kind: SuperKind::Extends, ty });
    }

    /// Whether the word here is a modifier: a name of a member follows.
    fn modifies(&self) -> bool {
        let next = self.c.nth(1);
        !(next.is(b'(')
            || next.is(b'=')
            || next.is(b':')
            || next.is(b';')
            || next.is(b'?')
            || next.is(b'!')
            || next.is(b'}')
            || next.is(b'<')
            || next.is(b',')
            || next.after_newline && next.kind != Kind::Word && !next.is(b'['))
    }

    fn member(&mut self) {
        let start = self.c.at;
        let decorators = self.decorators();
        let mut flags = DefFlags::NONE;
        let mut visibility = None;
        while self.c.peek().kind == Kind::Word && self.modifies() {
            match self.c.peek().sub {
                STATIC if self.c.nth(1).is(b'{') => break,
                STATIC => flags.set(DefFlags::STATIC),
                ABSTRACT => flags.set(DefFlags::ABSTRACT),
                READONLY => flags.set(DefFlags::READONLY),
                OVERRIDE => flags.set(DefFlags::OVERRIDE),
                ASYNC if !self.c.nth(1).after_newline => flags.set(DefFlags::ASYNC),
                DECLARE | ACCESSOR => {}
                GET => flags.set(DefFlags::GETTER),
                SET => flags.set(DefFlags::SETTER),
                PUBLIC => visibility = Some(Visibility::Public),
                PROTECTED => visibility = Some(Visibility::Protected),
                PRIVATE => visibility = Some(Visibility::Private),
                _ => break,
            }
            self.c.bump();
        }
        if self.c.eat(b'*') {
            flags.set(DefFlags::GENERATOR);
        }
        if self.c.is_word(STATIC) && self.c.nth(1).is(b'{') {
            self.c.bump();
            let def = self.anonymous(SymbolKind::Method);
            self.callable(def);
            return;
        }
        if self.typed && self.c.is(b'[') && Self::names(self.c.nth(1)) && self.c.nth(2).is(b':') {
            self.index_signature();
            return;
        }
        let Some(def) = self.member_name(flags) else { return };
        let d = self.b.def_mut(def);
        d.flags = d.flags | flags;
        d.visibility = visibility;
        d.decorators = decorators;
        self.member_rest(def, start);
    }

    /// Declares a member by the name that is next; what follows decides over its kind.
    fn member_name(&mut self, flags: DefFlags) -> Option<DefId> {
        let token = self.c.peek();
        let (name, range) = if token.is(b'[') {
            // A computed name says nothing, unless it is a well-known symbol or a string.
            let behind = self.c.behind_group(self.c.at);
            let inner = self.c.nth(1);
            let text = &self.c.text[token.start as usize..self.c.token(behind - 1).end as usize];
            let name = if inner.kind == Kind::Text {
                self.text(self.inner(inner)).to_owned()
            } else {
                text.to_owned()
            };
            self.c.bump();
            self.expr();
            self.c.at = behind;
            (name, TextRange::new(token.start, token.start))
        } else {
            self.property_name()?
        };
        self.c.eat(b'?');
        self.c.eat(b'!');
        let is_call = self.c.is(b'(') || self.c.is(b'<');
        let kind = match (&*name, is_call) {
            _ if flags.has(DefFlags::GETTER) || flags.has(DefFlags::SETTER) => SymbolKind::Property,
            ("constructor", true) if !flags.has(DefFlags::STATIC) => SymbolKind::Constructor,
            (_, true) => SymbolKind::Method,
            _ => SymbolKind::Property,
        };
        Some(self.b.def(&name, range, kind))
    }

    fn member_rest(&mut self, def: DefId, start: usize) {
        if self.c.is(b'(') || self.c.is(b'<') {
            self.callable(def);
        } else {
            let ty = self.annotation();
            self.b.def_mut(def).ty = ty;
            if self.c.eat(b'=') {
                self.b.open(ScopeKind::Function, self.c.peek().start, None);
                let mark = self.pending.mark();
                let value = self.assignment_expr();
                self.pending.settle(&mut self.b, mark, Expectation::Init(def));
                self.b.close(self.c.last_end());
                self.b.def_mut(def).init = Some(value);
            }
            self.end();
        }
        self.finish(def, start);
    }

    /// `{ a, b: 1, get c() {}, [d]: 2, ...e }`: an anonymous declaration with its members.
    pub(super) fn object_literal(&mut self) -> ExprId {
        let start = self.c.at;
        let def = self.anonymous(SymbolKind::Object);
        self.b.open(ScopeKind::Class, self.c.peek().start, Some(def));
        let mut supers: Vec<SuperType> = Vec::new();
        let outer = self.pending.mark();
        self.separated(b',', |p| p.property(&mut supers));
        self.pending.forget(outer);
        let body = self.b.close(self.c.last_end());
        self.forget_assigned(def, body);
        self.gather_fields(def);
        let supers = self.b.list(supers);
        self.b.def_mut(def).supers = supers;
        self.finish(def, start);
        self.b.expr(Expr::Class(def))
    }

    fn property(&mut self, supers: &mut Vec<SuperType>) {
        if self.c.eat_joined(b"...") {
            let value = self.assignment_expr();
            let ty = self.b.ty(TypeExpr::TypeOf(value));
            supers.push(SuperType { kind: SuperKind::Mixes, ty });
            return;
        }
        let start = self.c.at;
        let mut flags = DefFlags::NONE;
        while self.c.peek().kind == Kind::Word
            && self.modifies()
            && matches!(self.c.peek().sub, GET | SET | ASYNC)
        {
            flags.set(match self.c.peek().sub {
                GET => DefFlags::GETTER,
                SET => DefFlags::SETTER,
                _ => DefFlags::ASYNC,
            });
            self.c.bump();
        }
        if self.c.eat(b'*') {
            flags.set(DefFlags::GENERATOR);
        }
        let token = self.c.peek();
        let next = self.c.nth(1);
        if Self::names(token) && (next.is(b',') || next.is(b'}') || next.is(b'=')) {
            self.shorthand(token);
            return;
        }
        if !begins_member(&self.c.tokens.list, self.c.at) {
            return;
        }
        let Some(def) = self.member_name(flags) else { return };
        self.key_reference(def);
        let d = self.b.def_mut(def);
        d.flags = d.flags | flags;
        if d.kind == SymbolKind::Constructor {
            d.kind = SymbolKind::Method;
        }
        if self.c.is(b'(') || self.c.is(b'<') {
            self.callable(def);
        } else if self.c.eat(b':') {
            let mark = self.pending.mark();
            let value = self.assignment_expr();
            self.pending.settle(&mut self.b, mark, Expectation::Init(def));
            self.b.def_mut(def).init = Some(value);
        }
        self.finish(def, start);
    }

    /// The key of a literal is a use of the property of the expected type, too.
    pub(super) fn key_reference(&mut self, def: DefId) {
        let d = self.b.facts().def(def);
        let (name, range) = (self.b.facts().name(d.name).to_owned(), d.name_range);
        if !range.is_empty() {
            let key = self.b.reference(&name, range, Role::Key);
            self.b.ref_mut(key).flags.set(RefFlags::IMPLICIT);
        }
    }

    /// `{ name }`: read here, and a property of the same name and place. `= default` stands there in patterns only.
    fn shorthand(&mut self, token: Token) {
        self.c.bump();
        let (_, value) = self.free_name(token);
        let def = self.declare(token, SymbolKind::Property);
        let d = self.b.def_mut(def);
        d.init = Some(value);
        d.flags.set(DefFlags::SYNTHETIC);
        self.key_reference(def);
        if self.c.eat(b'=') {
            self.assignment_expr();
        }
    }
}
