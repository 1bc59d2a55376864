//! Names that are bound: variables, parameters, and the patterns that take values apart.

use ide_model::{SymbolKind, TextRange, Visibility};

use super::front::Parser;
use super::lexer::{OVERRIDE, PRIVATE, PROTECTED, PUBLIC, READONLY, STRING, THIS};
use super::skimming::begins_member;
use crate::facts::{DefFlags, DefId, Expectation, Expr, ExprId, List, Literal, Role, ScopeId, TypeId};
use crate::guard;
use crate::kit::{Kind, value};

impl Parser<'_> {
    /// Declares what a pattern binds, in a scope. `value` is what is taken apart.
    pub(super) fn pattern(&mut self, scope: ScopeId, kind: SymbolKind, value: Option<ExprId>) -> Vec<DefId> {
        let mut defs = Vec::new();
        self.pattern_into(scope, kind, value, &mut defs);
        defs
    }

    fn pattern_into(
        &mut self,
        scope: ScopeId,
        kind: SymbolKind,
        value: Option<ExprId>,
        defs: &mut Vec<DefId>,
    ) {
        let token = self.c.peek();
        if Self::names(token) {
            self.c.bump();
            let def = self.b.def_in(scope, self.c.str(token), token.range(), kind);
            self.b.def_mut(def).init = value;
            defs.push(def);
        } else if token.is(b'[') && self.c.deeper() {
            let mut index = 0;
            let end = self.c.group_end(self.c.at);
            let behind = self.c.behind_group(self.c.at);
            self.c.bump();
            while self.c.at < end {
                let before = self.c.at;
                if self.c.eat(b',') {
                    index += 1;
                    continue;
                }
                let rest = self.c.eat_joined(b"...");
                let item = value.map(|base| {
                    self.b.expr(if rest { Expr::Slice(base) } else { Expr::Item { base, index } })
                });
                self.pattern_into(scope, kind, item, defs);
                self.default_value(item, defs);
                if self.c.at == before {
                    self.c.skip();
                }
            }
            self.c.at = behind;
            self.c.shallower();
        } else if token.is(b'{') && self.c.deeper() {
            self.separated(b',', |p| p.property_pattern(scope, kind, value, defs));
            self.c.shallower();
        }
    }

    fn property_pattern(
        &mut self,
        scope: ScopeId,
        kind: SymbolKind,
        value: Option<ExprId>,
        defs: &mut Vec<DefId>,
    ) {
        if self.c.eat_joined(b"...") {
            self.pattern_into(scope, kind, value, defs);
            return;
        }
        let token = self.c.peek();
        let shorthand = Self::names(token) && !self.c.nth(1).is(b':');
        if shorthand {
            // One name, read from the value and bound.
            self.c.bump();
            let key = self.b.reference(self.c.str(token), token.range(), Role::Key);
            let r = self.b.ref_mut(key);
            r.receiver = value;
            r.flags.set(crate::facts::RefFlags::IMPLICIT);
            let read = self.b.expr(Expr::Ref(key));
            let def = self.b.def_in(scope, self.c.str(token), token.range(), kind);
            self.b.def_mut(def).init = value.map(|_| read);
            defs.push(def);
            self.default_value(value.map(|_| read), defs);
            return;
        }
        if !begins_member(&self.c.tokens.list, self.c.at) {
            return;
        }
        let part = if token.is(b'[') {
            let end = self.c.behind_group(self.c.at);
            self.c.bump();
            self.expr();
            self.c.at = end;
            None
        } else {
            self.property_name().map(|(name, range)| {
                let (_, read) = value::name(&mut self.b, value, &name, range, Role::Key);
                read
            })
        };
        if self.c.eat(b':') {
            let part = part.filter(|_| value.is_some());
            self.pattern_into(scope, kind, part, defs);
            self.default_value(part, defs);
        }
    }

    /// `= value` behind a bound name or pattern: in the place of `part` where there is none.
    fn default_value(&mut self, part: Option<ExprId>, defs: &[DefId]) {
        if !self.c.eat(b'=') {
            return;
        }
        let mark = self.pending.mark();
        let value = self.assignment_expr();
        match part {
            Some(part) => self.pending.settle(&mut self.b, mark, Expectation::Assigned(part)),
            None => self.pending.forget(mark),
        }
        if let Some(def) = defs.last() {
            let before = self.b.facts().def(*def).init;
            let both = match before {
                Some(before) => {
                    let parts = self.b.list([before, value]);
                    self.b.expr(Expr::Choice(parts))
                }
                None => value,
            };
            self.b.def_mut(*def).init = Some(both);
        }
    }

    /// A property's name: a word, a string, a number, a private name.
    pub(super) fn property_name(&mut self) -> Option<(String, TextRange)> {
        let token = self.c.peek();
        match token.kind {
            Kind::Word => {
                self.c.bump();
                Some((self.c.str(token).to_owned(), token.range()))
            }
            Kind::Text if token.sub == STRING => {
                self.c.bump();
                let range = self.inner(token);
                Some((self.text(range).to_owned(), range))
            }
            Kind::Number => {
                self.c.bump();
                Some((self.c.str(token).to_owned(), token.range()))
            }
            _ => None,
        }
    }

    /// `(a, {b}, c?: T = v, ...rest)` in the innermost scope.
    pub(super) fn parameters(&mut self) -> Vec<DefId> {
        let mut params = Vec::new();
        self.separated(b',', |p| {
            let def = p.parameter();
            params.extend(def);
        });
        params
    }

    fn parameter(&mut self) -> Option<DefId> {
        let start = self.c.at;
        let decorators = self.decorators();
        let mut flags = DefFlags::NONE;
        let mut visibility = None;
        let mut promoted = false;
        while self.c.nth(1).kind == Kind::Word && !self.c.nth(1).after_newline
            || self.c.nth(1).is(b'{')
            || self.c.nth(1).is(b'[')
        {
            let token = self.c.peek();
            let v = match token.sub {
                _ if token.kind != Kind::Word => break,
                PUBLIC => Some(Visibility::Public),
                PROTECTED => Some(Visibility::Protected),
                PRIVATE => Some(Visibility::Private),
                READONLY => {
                    flags.set(DefFlags::READONLY);
                    None
                }
                OVERRIDE => None,
                _ => break,
            };
            visibility = visibility.or(v);
            promoted = true;
            self.c.bump();
        }
        if self.c.eat_joined(b"...") {
            flags.set(DefFlags::VARARG);
        }
        if self.c.is_word(THIS) {
            // A `this` parameter is no parameter.
            self.c.bump();
            let ty = self.annotation();
            if let Some(function) = self.b.facts().scope(self.b.scope()).owner {
                self.b.def_mut(function).receiver = ty;
            }
            return None;
        }
        let token = self.c.peek();
        let scope = self.b.scope();
        let def = if Self::names(token) {
            self.c.bump();
            self.declare(token, SymbolKind::Parameter)
        } else {
            self.pattern_parameter(scope)
        };
        if self.c.eat(b'?') {
            flags.set(DefFlags::OPTIONAL);
        }
        let ty = self.annotation().or_else(|| self.commented_type(start));
        let mut init = None;
        if self.c.eat(b'=') {
            let mark = self.pending.mark();
            init = Some(self.assignment_expr());
            self.pending.settle(&mut self.b, mark, Expectation::Init(def));
            flags.set(DefFlags::OPTIONAL);
        }
        let range = self.c.since(self.c.token(start).start);
        let d = self.b.def_mut(def);
        d.ty = ty;
        d.init = d.init.or(init);
        d.flags = d.flags | flags;
        d.range = range;
        d.decorators = decorators;
        if promoted {
            self.promote(def, token, ty, flags, visibility);
        }
        Some(def)
    }

    /// A parameter that is a pattern has no name; its parts are read from it.
    fn pattern_parameter(&mut self, scope: ScopeId) -> DefId {
        let def = self.anonymous(SymbolKind::Parameter);
        let whole = self.b.expr(Expr::Value(def));
        self.pattern(scope, SymbolKind::Parameter, Some(whole));
        def
    }

    fn promote(
        &mut self,
        parameter: DefId,
        token: crate::kit::Token,
        ty: Option<TypeId>,
        flags: DefFlags,
        visibility: Option<Visibility>,
    ) {
        let Some(class) = self.b.facts().scope(self.b.scope()).parent else { return };
        let range = self.b.facts().def(parameter).range;
        let def = self.b.def_in(class, self.c.str(token), token.range(), SymbolKind::Property);
        let d = self.b.def_mut(def);
        d.ty = ty;
        d.range = range;
        d.flags = flags | DefFlags::PROMOTED;
        d.visibility = visibility.or(Some(Visibility::Public));
    }

    /// `@decorator(…)` lists.
    pub(super) fn decorators(&mut self) -> List<ExprId> {
        let mut all = Vec::new();
        while self.c.is(b'@') {
            self.c.bump();
            match guard::deeper(|| self.decorator()) {
                Some(decorator) => all.push(decorator),
                None => self.c.skip(),
            }
        }
        self.b.list(all)
    }

    fn decorator(&mut self) -> ExprId {
        if self.c.is(b'(') {
            let behind = self.c.behind_group(self.c.at);
            self.c.bump();
            let value = self.expr();
            self.c.at = behind;
            return value;
        }
        let mut value = None;
        while self.c.peek().kind == Kind::Word {
            let token = self.c.bump();
            let role = if value.is_none() { Role::Annotation } else { Role::Read };
            value = Some(value::name(&mut self.b, value, self.c.str(token), token.range(), role).1);
            if !(self.c.is(b'.') && self.c.nth(1).kind == Kind::Word) {
                break;
            }
            self.c.bump();
        }
        let Some(value) = value else { return self.b.expr(Expr::Literal(Literal::Other)) };
        let type_args = self.called_types();
        if self.c.is(b'(') { self.call(value, type_args) } else { value }
    }
}
