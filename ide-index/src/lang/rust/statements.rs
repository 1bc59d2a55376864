//! Blocks and statements, and the expressions that hold blocks.

use ide_model::SymbolKind;

use super::attributes::Attributes;
use super::front::{Breaks, Parser};
use super::lexer::{
    ASYNC, BREAK, CONST, CONTINUE, ELSE, FOR, IF, IN, LET, LIFETIME, LOOP, MATCH, MOVE, RETURN, UNSAFE, WHILE,
};
use crate::facts::{DefFlags, DefId, Expectation, Expr, ExprId, Role, ScopeKind};
use crate::guard;
use crate::kit::Kind;

impl<'a> Parser<'a> {
    /// The block of a function whose scope is open; its last value is returned.
    pub(super) fn function_body(&mut self, def: DefId) {
        let outer = std::mem::replace(&mut self.no_struct, false);
        self.functions.push(def);
        let mark = self.pending.mark();
        let value = self.block_inner();
        self.pending.settle(&mut self.b, mark, Expectation::Return(def));
        if let Some(value) = value {
            let returns = self.b.list([value]);
            self.b.def_mut(def).returns = returns;
        }
        self.functions.pop();
        self.no_struct = outer;
    }

    /// `{ … }` in a scope of its own, as a value.
    pub(super) fn block(&mut self) -> ExprId {
        let scope = self.b.open(ScopeKind::Block, self.c.peek().start, None);
        let outer = std::mem::replace(&mut self.no_struct, false);
        let value = self.block_inner();
        self.no_struct = outer;
        self.b.close(self.c.last_end());
        match value {
            Some(value) => self.b.expr(Expr::Block { scope, value }),
            None => self.unknown(),
        }
    }

    /// The statements in braces; gives the value that the block has.
    fn block_inner(&mut self) -> Option<ExprId> {
        let mut last = None;
        if !self.c.is(b'{') || self.over_group() {
            return None;
        }
        let settled = self.pending.mark();
        self.group(|p, end| {
            p.pending.forget(settled);
            last = p.statement(end);
        });
        if last.is_none() {
            self.pending.forget(settled);
        }
        last
    }

    /// One statement before token `end`. Gives its value when nothing ends it: the value of the block around it, if
    /// it is the last one.
    pub(super) fn statement(&mut self, end: usize) -> Option<ExprId> {
        if self.c.eat(b';') {
            return None;
        }
        let (start, from) = (self.c.at, self.c.peek().start);
        let mut attributes = self.attributes();
        let conditions = std::mem::take(&mut attributes.conditions);
        let value = self.statement_with(start, attributes, end);
        self.under(conditions, from);
        value
    }

    /// A statement whose attributes were read.
    fn statement_with(&mut self, start: usize, attributes: Attributes<'_>, end: usize) -> Option<ExprId> {
        if self.c.at >= end {
            return None;
        }
        if self.c.is_word(LET) {
            self.let_statement(start, attributes);
            return None;
        }
        if self.is_item_at(self.c.at) && guard::deeper(|| self.item_with(start, attributes)).unwrap_or(false)
        {
            return None;
        }
        let is_block = self.is_block_like();
        self.statement_at = self.c.at + 1;
        let value = if is_block { self.block_statement() } else { self.expr() };
        if self.c.eat(b';') {
            return None;
        }
        if self.c.at < end && !is_block && !self.after_braces() {
            self.b.error(self.c.peek().range(), "unexpected here");
            self.c.skip();
            return None;
        }
        (self.c.at >= end).then_some(value)
    }

    fn after_braces(&self) -> bool {
        self.c.at > 0 && self.c.token(self.c.at - 1).is(b'}')
    }

    /// Whether the next expression ends with its braces when it stands as a statement.
    pub(super) fn is_block_like(&self) -> bool {
        let token = self.c.peek();
        let mut at = self.c.at;
        if token.kind == Kind::Text && token.sub == LIFETIME && self.c.nth(1).is(b':') {
            at += 2;
        }
        let token = self.c.token(at);
        if token.is(b'{') {
            return true;
        }
        if token.kind != Kind::Word {
            return false;
        }
        let next = self.c.token(at + 1);
        match token.sub {
            IF | MATCH | LOOP | WHILE | FOR => true,
            UNSAFE | CONST => next.is(b'{'),
            ASYNC => next.is(b'{') || self.is_word_at(at + 1, MOVE) && self.c.token(at + 2).is(b'{'),
            _ => false,
        }
    }

    /// An expression with a block, and what follows it only behind a dot or a question mark.
    pub(super) fn block_statement(&mut self) -> ExprId {
        let value = self.primary();
        let continues = self.c.is(b'.') && !self.c.is_joined(b"..") || self.c.is(b'?');
        if !continues {
            return value;
        }
        let value = self.postfix(value);
        self.operators(value, 0)
    }

    fn let_statement(&mut self, start: usize, attributes: Attributes<'_>) {
        self.c.bump();
        // The value is read after the pattern, but the parts of the pattern are parts of it.
        let holder = self.anonymous(SymbolKind::Variable);
        let value = self.b.expr(Expr::Value(holder));
        let at = self.c.token(start).start;
        let named = self.is_single_binding();
        let bound = self.pattern(value, at);
        if self.c.is(b':') {
            self.c.bump();
            let ty = self.ty();
            self.b.def_mut(holder).ty = Some(ty);
        }
        if self.c.eat(b'=') {
            let mark = self.pending.mark();
            let init = self.expr();
            self.pending.settle(&mut self.b, mark, Expectation::Init(holder));
            self.b.def_mut(holder).init = Some(init);
            if self.c.eat_word(ELSE) {
                self.block();
            }
        }
        if let ([one], true) = (&bound[..], named) {
            // `let x: T = v`: the variable has what the holder has.
            let held = self.b.facts().def(holder).clone();
            let d = self.b.def_mut(*one);
            d.ty = held.ty;
            d.init = held.init.or(d.init);
        }
        if !attributes.decorators.is_empty() {
            let decorators = self.b.list(attributes.decorators);
            for variable in &bound {
                self.b.def_mut(*variable).decorators = decorators;
            }
        }
        self.c.eat(b';');
        self.end_at(&bound, self.c.last_end());
    }

    /// The pattern that is next is a name, and nothing more.
    fn is_single_binding(&self) -> bool {
        let mut at = self.c.at;
        while self.is_word_at(at, super::lexer::REF) || self.is_word_at(at, super::lexer::MUT) {
            at += 1;
        }
        let next = self.c.token(at + 1);
        self.is_name_at(at)
            && (next.is(b':') && !self.c.joined_at(at + 1, b"::") || next.is(b'=') || next.is(b';'))
    }

    // ---- expressions with blocks --------------------------------------------------------------------------------

    /// `'label:` before a loop or block.
    pub(super) fn labelled(&mut self) -> ExprId {
        let token = self.c.bump();
        let def = self.b.def(self.c.str(token), token.range(), SymbolKind::Label);
        self.c.eat(b':');
        let label = self.text(token);
        let value = guard::deeper(|| {
            self.breakable(Some(label), |p| {
                let value = p.primary();
                let end = p.c.last_end();
                p.end_at(&[def], end);
                value
            })
        });
        value.unwrap_or_else(|| {
            self.c.skip();
            self.unknown()
        })
    }

    /// An expression that a `break` can leave: its value is the value of its inside, or the values of the
    /// breaks.
    fn breakable(&mut self, label: Option<&'a str>, inside: impl FnOnce(&mut Self) -> ExprId) -> ExprId {
        self.breaks.push(Breaks { label, values: Vec::new() });
        let value = inside(self);
        let breaks = self.breaks.pop().expect("pushed above, and what is inside pops its own");
        if breaks.values.is_empty() {
            return value;
        }
        let values = self.b.list(std::iter::once(value).chain(breaks.values));
        self.b.expr(Expr::Choice(values))
    }

    /// The block of a loop.
    fn looped(&mut self) -> ExprId {
        self.breakable(None, |p| {
            p.block();
            p.unknown()
        })
    }

    /// The head of a construct with a block: a literal of a struct cannot stand there.
    fn head(&mut self) -> ExprId {
        let outer = std::mem::replace(&mut self.no_struct, true);
        let value = self.expr();
        self.no_struct = outer;
        value
    }

    pub(super) fn if_expression(&mut self) -> ExprId {
        self.c.bump();
        self.b.open(ScopeKind::Block, self.c.last_end(), None);
        self.head();
        let mut values = vec![self.block()];
        self.b.close(self.c.last_end());
        if self.c.eat_word(ELSE) {
            let otherwise = if self.c.is_word(IF) {
                if self.c.deeper() {
                    let value = self.if_expression();
                    self.c.shallower();
                    value
                } else {
                    self.c.skip();
                    self.unknown()
                }
            } else {
                self.block()
            };
            values.push(otherwise);
        }
        let values = self.b.list(values);
        self.b.expr(Expr::Choice(values))
    }

    /// `let pattern = value` in a condition.
    pub(super) fn let_condition(&mut self) -> ExprId {
        let start = self.c.bump().start;
        let holder = self.anonymous(SymbolKind::Variable);
        let value = self.b.expr(Expr::Value(holder));
        let bound = self.pattern(value, start);
        if self.c.eat(b'=') {
            // `&&` ends it.
            let init = self.operand_above(super::expr::AND);
            self.b.def_mut(holder).init = Some(init);
        }
        self.end_at(&bound, self.c.last_end());
        self.unknown()
    }

    pub(super) fn while_expression(&mut self) -> ExprId {
        self.c.bump();
        self.b.open(ScopeKind::Block, self.c.last_end(), None);
        self.head();
        let value = self.looped();
        self.b.close(self.c.last_end());
        value
    }

    pub(super) fn for_expression(&mut self) -> ExprId {
        let start = self.c.bump().start;
        self.b.open(ScopeKind::Block, self.c.last_end(), None);
        let holder = self.anonymous(SymbolKind::Variable);
        let items = self.b.expr(Expr::Value(holder));
        let element = self.b.expr(Expr::Element(items));
        let bound = self.pattern(element, start);
        if self.c.eat_word(IN) {
            let iterated = self.head();
            self.b.def_mut(holder).init = Some(iterated);
        }
        self.end_at(&bound, self.c.last_end());
        let value = self.looped();
        self.b.close(self.c.last_end());
        value
    }

    pub(super) fn match_expression(&mut self) -> ExprId {
        self.c.bump();
        let value = self.head();
        let mut values = Vec::new();
        if self.over_group() {
            return self.unknown();
        }
        let outer = std::mem::replace(&mut self.no_struct, false);
        self.group(|p, _| {
            let start = p.c.peek().start;
            p.b.open(ScopeKind::Block, start, None);
            let conditions = p.attributes().conditions;
            let bound = p.pattern(value, start);
            p.end_at(&bound, p.c.last_end());
            if p.c.eat_word(IF) {
                p.expr();
            }
            if p.c.eat_joined(b"=>") {
                let is_block = p.is_block_like();
                values.push(if is_block { p.block_statement() } else { p.expr() });
            }
            p.b.close(p.c.last_end());
            p.under(conditions, start);
            p.c.eat(b',');
        });
        self.no_struct = outer;
        let values = self.b.list(values);
        self.b.expr(Expr::Choice(values))
    }

    /// `loop { … }`: its value is what its breaks give.
    pub(super) fn loop_expression(&mut self) -> ExprId {
        self.c.bump();
        self.looped()
    }

    /// `return v`, `break 'a v`, `continue 'a`, and what else leaves with a value.
    pub(super) fn jump(&mut self) -> ExprId {
        let word = self.c.bump().sub;
        let mut label = None;
        if matches!(word, BREAK | CONTINUE) && self.is_text(LIFETIME) {
            label = Some(self.text(self.c.peek()));
            self.lifetime(Role::Label);
        }
        if self.begins_value() {
            let mark = self.pending.mark();
            let value = self.expr();
            match self.functions.last().copied() {
                Some(def) if word == RETURN => {
                    self.pending.settle(&mut self.b, mark, Expectation::Return(def));
                    self.add_return(def, value);
                }
                _ => self.pending.forget(mark),
            }
            if word == BREAK
                && let Some(around) = self.breaks.iter_mut().rev().find(|around| around.label == label)
            {
                around.values.push(value);
            }
        }
        self.unknown()
    }

    /// A closure without a result type gives what it returns.
    fn add_return(&mut self, def: DefId, value: ExprId) {
        if self.b.facts().def(def).flags.has(DefFlags::ANONYMOUS) {
            let mut all: Vec<ExprId> = self.b.facts().list(self.b.facts().def(def).returns).collect();
            all.push(value);
            let all = self.b.list(all);
            self.b.def_mut(def).returns = all;
        }
    }
}
