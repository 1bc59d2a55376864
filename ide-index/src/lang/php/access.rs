//! Accesses and calls behind a value.

use ide_model::SymbolKind;

use super::front::Parser;
use super::lexer::{CLASS, INT, STRING, VARIABLE};
use super::texts::method_in;
use crate::facts::{Expr, ExprId, List, RefFlags, Role};
use crate::guard;
use crate::kit::{Kind, value};

impl Parser<'_> {
    /// Accesses, calls and increments behind a value.
    pub(super) fn postfix(&mut self, value: ExprId) -> ExprId {
        let mut value = value;
        loop {
            let before = self.c.at;
            value = self.member_chain(value);
            if self.c.is(b'(') {
                value = self.call(value);
            } else if self.c.is_joined(b"++") || self.c.is_joined(b"--") {
                self.c.at += 2;
                self.mark_written(value, Role::ReadWrite);
            }
            if self.c.at == before {
                return value;
            }
        }
    }

    /// `->name`, `?->name`, `::name`, `[index]`, without calls.
    pub(super) fn member_chain(&mut self, mut value: ExprId) -> ExprId {
        loop {
            if self.c.is_joined(b"->") || self.c.is_joined(b"?->") {
                let optional = self.c.is(b'?');
                self.c.at += 2 + usize::from(optional);
                value = self.member_access(value, optional);
            } else if self.c.is_joined(b"::") {
                self.c.at += 2;
                value = self.static_access(value);
            } else if self.c.is(b'[') {
                let end = self.c.group_end(self.c.at);
                self.c.bump();
                let index = match self.written_key(end) {
                    Some(key) => key,
                    None if self.c.at < end => self.expr(),
                    None => self.b.expr(Expr::Unknown),
                };
                self.c.at = end;
                self.c.eat(b']');
                value = self.b.expr(Expr::Index { base: value, index });
            } else {
                return value;
            }
        }
    }

    /// The key of an item where it is written out and ends at a token.
    pub(super) fn written_key(&mut self, end: usize) -> Option<ExprId> {
        let token = self.c.peek();
        let text = self.c.str(token);
        let key = match (token.kind, token.sub) {
            _ if self.c.at + 1 != end => return None,
            (Kind::Text, STRING) => text.get(1..text.len() - 1).filter(|_| text.starts_with(['\'', '"']))?,
            (Kind::Number, INT) => text,
            _ => return None,
        };
        self.c.bump();
        let key = self.b.name(key);
        Some(self.b.expr(Expr::Text(key)))
    }

    pub(super) fn member_access(&mut self, base: ExprId, optional: bool) -> ExprId {
        let token = self.c.peek();
        if Self::is_word_token(token) {
            self.c.bump();
            let role = if self.c.is(b'(') { Role::Call } else { Role::Read };
            let (reference, value) =
                value::name(&mut self.b, Some(base), self.c.str(token), token.range(), role);
            if optional {
                self.b.ref_mut(reference).flags.set(RefFlags::OPTIONAL_CHAIN);
            }
            return value;
        }
        self.given_name()
    }

    /// A name that a value gives: `{expr}`, `$name`.
    pub(super) fn given_name(&mut self) -> ExprId {
        if self.c.is(b'{') {
            self.braced();
        } else {
            guard::deeper(|| self.primary());
        }
        self.b.expr(Expr::Unknown)
    }

    /// An expression in braces.
    pub(super) fn braced(&mut self) {
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        if self.c.at < end {
            self.expr();
        }
        self.c.at = end;
        self.c.eat(b'}');
    }

    /// Behind `::`: a constant, a method, a static property, `class`.
    pub(super) fn static_access(&mut self, base: ExprId) -> ExprId {
        let token = self.c.peek();
        if token.kind == Kind::Word && token.sub == CLASS {
            self.c.bump();
            return self.b.expr(Expr::Spread(base));
        }
        let (name, range) = if token.kind == Kind::Word && token.sub == VARIABLE {
            self.variable(token)
        } else if Self::is_word_token(token) {
            (self.c.str(token), token.range())
        } else {
            return self.given_name();
        };
        self.c.bump();
        let role = if self.c.is(b'(') { Role::Call } else { Role::Read };
        let (reference, value) = value::name(&mut self.b, Some(base), name, range, role);
        self.b.ref_mut(reference).flags.set(RefFlags::STATIC);
        value
    }

    pub(super) fn call(&mut self, callee: ExprId) -> ExprId {
        let mark = self.pending.mark();
        let start = self.c.at;
        let (args, is_reference) = self.arguments();
        self.declared_by_call(callee, start, &args);
        if is_reference {
            self.pending.forget(mark);
            return callee;
        }
        let call = value::call(&mut self.b, callee, List::EMPTY, &args);
        self.pending.settle_arguments(&mut self.b, mark, call);
        call
    }

    /// `( … )`: the values, and whether it is the `(...)` that makes a closure of the callee.
    pub(super) fn arguments(&mut self) -> (Vec<ExprId>, bool) {
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        let mut args = Vec::new();
        if self.c.is_joined(b"...") && self.c.nth(3).is(b')') {
            self.c.at = end;
            self.c.eat(b')');
            return (args, true);
        }
        while self.c.at < end {
            let before = self.c.at;
            let spread = self.c.eat_joined(b"...");
            let mark = self.pending.mark();
            let named = Self::is_word_token(self.c.peek())
                && self.c.nth(1).is(b':')
                && !self.c.joined_at(self.c.at + 1, b"::");
            let key = named.then(|| {
                let token = self.c.bump();
                self.c.bump();
                self.b.reference(self.c.str(token), token.range(), Role::Key)
            });
            // A variable that is only heard of as an argument is made by a reference parameter.
            let token = self.c.peek();
            let is_new = token.kind == Kind::Word
                && token.sub == VARIABLE
                && (self.c.nth(1).is(b',') || self.c.nth(1).is(b')'));
            let (name, range) = if is_new { self.variable(token) } else { ("this", token.range()) };
            let mut value = if name != "this" && !self.has_variable(name) {
                self.c.bump();
                self.declare_variable(name, range, SymbolKind::Variable);
                self.b.expr(Expr::Unknown)
            } else {
                self.expr()
            };
            if let Some(key) = key {
                value = self.b.expr(Expr::Named { key, value });
            } else if spread {
                value = self.b.expr(Expr::Spread(value));
            }
            self.pending.number(mark, args.len() as u32);
            args.push(value);
            self.c.eat(b',');
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.at = end;
        self.c.eat(b')');
        (args, false)
    }

    /// Whether a comma stands between the parentheses that open at a token.
    pub(super) fn has_several(&self, open: usize) -> bool {
        let end = self.c.group_end(open);
        let mut at = open + 1;
        while at < end && !self.c.token(at).is(b',') {
            at = self.c.over(at).max(at + 1);
        }
        at < end
    }

    /// `clone($object, ['property' => $value])`: the keys are properties that are written.
    pub(super) fn clone_with(&mut self) -> ExprId {
        let open = self.c.at;
        let (args, _) = self.arguments();
        let Some(object) = args.first().copied() else { return self.b.expr(Expr::Unknown) };
        let end = self.c.group_end(open);
        let second = (open + 1..end).find(|at| self.c.token(*at).is(b',')).map_or(end, |comma| comma + 1);
        let first_of = |at: usize| if self.is_key_before(at, b':') { at + 2 } else { at };
        let list = first_of(second);
        if list < end && self.c.token(list).is(b'[') {
            self.written_keys(list, object);
        }
        object
    }

    fn is_key_before(&self, at: usize, sign: u8) -> bool {
        Self::is_word_token(self.c.token(at)) && self.c.token(at + 1).is(sign)
    }

    /// Texts before `=>` in an array, as properties of an object.
    fn written_keys(&mut self, open: usize, object: ExprId) {
        let end = self.c.group_end(open);
        let mut at = open + 1;
        let mut begins = true;
        while at < end {
            let name = method_in(self.c.text, self.c.token(at)).filter(|_| begins);
            if let Some(name) = name.filter(|_| self.c.joined_at(at + 1, b"=>")) {
                let reference = self.b.reference(self.text(name), name, Role::Write);
                let r = self.b.ref_mut(reference);
                r.receiver = Some(object);
                r.flags.set(RefFlags::IN_STRING);
            }
            begins = self.c.token(at).is(b',');
            at = self.c.over(at).max(at + 1);
        }
    }
}
