//! Statements.

use ide_model::SymbolKind;

use super::front::Parser;
use super::lexer::{
    ABSTRACT, ASYNC, AWAIT, BREAK, CASE, CATCH, CLASS, CONST, CONTINUE, DEBUGGER, DECLARE, DEFAULT, DO, ELSE,
    ENUM, EXPORT, FINALLY, FOR, FUNCTION, GLOBAL, IF, IMPORT, IN, INTERFACE, LET, MODULE, NAMESPACE, OF,
    RETURN, SWITCH, THROW, TRY, TYPE, USING, VAR, WHILE, WITH,
};
use crate::facts::{Expectation, Expr, Role, ScopeKind};
use crate::kit::Kind;

impl Parser<'_> {
    /// Up to token `end`, or to what no statement begins with.
    pub(super) fn statements(&mut self, end: usize) {
        while self.c.at < end && !self.c.is_end() {
            let before = self.c.at;
            self.statement();
            if self.c.at == before {
                self.b.error(self.c.peek().range(), "unexpected here");
                self.c.skip();
            }
        }
    }

    pub(super) fn block(&mut self) {
        if !self.c.is(b'{') {
            return;
        }
        let end = self.c.group_end(self.c.at);
        let behind = self.c.behind_group(self.c.at);
        self.c.bump();
        self.block_ends.push(self.c.token(end).start);
        self.exits = false;
        self.statements(end);
        self.block_ends.pop();
        self.c.at = behind;
    }

    pub(super) fn scoped_block(&mut self) {
        self.b.open(ScopeKind::Block, self.c.peek().start, None);
        self.block();
        self.b.close(self.c.last_end());
    }

    pub(super) fn statement(&mut self) {
        if !self.c.deeper() {
            self.c.skip();
            return;
        }
        let token = self.c.peek();
        // A label of `switch` asks whether the clause before it falls through.
        self.exits &= token.kind == Kind::Word && matches!(token.sub, CASE | DEFAULT);
        match token.kind {
            Kind::Open if token.is(b'{') => self.scoped_block(),
            Kind::Punct if token.is(b';') => {
                self.c.bump();
            }
            Kind::Punct if token.is(b'@') => self.declaration_statement(self.c.at),
            Kind::Word => self.word_statement(token.sub),
            _ => self.expression_statement(),
        }
        if token.kind == Kind::Word {
            let exits = matches!(token.sub, RETURN | THROW | BREAK | CONTINUE);
            self.exits = exits || token.sub == IF && self.exits;
        }
        self.c.shallower();
    }

    fn word_statement(&mut self, word: u8) {
        let start = self.c.at;
        let next = self.c.nth(1);
        match word {
            VAR | CONST | CLASS | FUNCTION | ENUM => self.declaration_statement(start),
            LET | USING if Self::names(next) || next.is(b'[') || next.is(b'{') => {
                self.declaration_statement(start)
            }
            AWAIT if next.kind == Kind::Word && next.sub == USING && Self::names(self.c.nth(2)) => {
                self.c.bump();
                self.declaration_statement(start);
            }
            ASYNC if next.kind == Kind::Word && next.sub == FUNCTION && !next.after_newline => {
                self.declaration_statement(start);
            }
            ABSTRACT | DECLARE if next.kind == Kind::Word && !next.after_newline => {
                self.declaration_statement(start)
            }
            INTERFACE | TYPE if Self::names(next) && !next.after_newline => self.declaration_statement(start),
            NAMESPACE | MODULE if (Self::names(next) || next.kind == Kind::Text) && !next.after_newline => {
                self.declaration_statement(start);
            }
            GLOBAL if next.is(b'{') => self.declaration_statement(start),
            IMPORT if !next.is(b'(') && !next.is(b'.') => self.import_statement(),
            EXPORT => self.export_statement(),
            IF => {
                self.c.bump();
                self.if_statement();
            }
            WHILE => {
                self.c.bump();
                self.while_statement();
            }
            WITH => {
                self.c.bump();
                self.parenthesised();
                self.statement();
            }
            ELSE | DO => {
                self.c.bump();
                self.statement();
            }
            FOR => self.for_statement(),
            SWITCH => {
                self.c.bump();
                self.switch();
            }
            TRY | FINALLY => {
                self.c.bump();
                self.scoped_block();
            }
            CATCH => self.catch(),
            RETURN => self.return_statement(),
            THROW => {
                self.c.bump();
                self.expr();
                self.end();
            }
            BREAK | CONTINUE => {
                self.c.bump();
                if self.is_name() && !self.c.peek().after_newline {
                    let label = self.c.bump();
                    self.refer(label, Role::Label);
                }
                self.end();
            }
            DEBUGGER => {
                self.c.bump();
                self.end();
            }
            CASE | DEFAULT => {
                let at = self.c.bump().start;
                let value = (!self.c.is(b':')).then(|| self.expr());
                self.c.eat(b':');
                self.clause(at, value);
            }
            _ if Self::names(self.c.peek()) && next.is(b':') => {
                let label = self.c.bump();
                self.declare(label, SymbolKind::Label);
                self.c.bump();
                if self.c.str(label) == "$" {
                    self.reactive_declaration();
                }
            }
            _ => self.expression_statement(),
        }
    }

    fn expression_statement(&mut self) {
        let mark = self.pending.mark();
        self.statement = self.c.at;
        let value = self.expr();
        self.pending.forget(mark);
        self.end();
        self.asserted(value);
    }

    /// `( … )`; without it nothing.
    pub(super) fn parenthesised(&mut self) -> Option<crate::facts::ExprId> {
        if !self.c.is(b'(') {
            return None;
        }
        let behind = self.c.behind_group(self.c.at);
        self.c.bump();
        let value = self.expr();
        self.c.at = behind;
        Some(value)
    }

    fn for_statement(&mut self) {
        self.c.bump();
        self.c.eat_word(AWAIT);
        if !self.c.is(b'(') {
            return;
        }
        self.b.open(ScopeKind::Block, self.c.peek().start, None);
        let end = self.c.group_end(self.c.at);
        let behind = self.c.behind_group(self.c.at);
        self.c.bump();
        self.for_head(end);
        self.c.at = behind;
        self.statement();
        self.b.close(self.c.last_end());
    }

    fn for_head(&mut self, end: usize) {
        let word = self.c.peek();
        let declares = word.kind == Kind::Word && matches!(word.sub, VAR | CONST | LET | USING);
        let iterated = (self.c.at..end).find(|i| {
            let token = self.c.token(*i);
            token.kind == Kind::Word && matches!(token.sub, OF | IN) && self.is_direct(self.c.at, *i)
        });
        let Some(at) = iterated.filter(|at| *at > self.c.at) else {
            // `for (a; b; c)`.
            while self.c.at < end {
                let before = self.c.at;
                if declares && before == self.c.at && self.c.peek().start == word.start {
                    self.no_in = true;
                    self.variables(self.c.at);
                    self.no_in = false;
                } else if !self.c.eat(b';') {
                    self.expr();
                }
                if self.c.at == before {
                    self.c.skip();
                }
            }
            return;
        };
        let is_of = self.c.token(at).sub == OF;
        let start = self.c.at;
        self.c.at = at + 1;
        let base = self.expr();
        let value = if is_of {
            self.b.expr(Expr::Element(base))
        } else {
            self.b.expr(Expr::Literal(crate::facts::Literal::String))
        };
        self.c.at = start;
        if declares {
            self.c.bump();
            let scope = if word.sub == VAR { self.var_scope() } else { self.b.scope() };
            let kind = if word.sub == CONST { SymbolKind::Constant } else { SymbolKind::Variable };
            self.pattern(scope, kind, Some(value));
        } else {
            let target = self.unary();
            self.mark_written(target, Role::Write);
        }
    }

    /// A token that lies in no bracket opened behind `from`.
    fn is_direct(&self, from: usize, at: usize) -> bool {
        let mut i = from;
        while i < at {
            i = self.c.over(i).max(i + 1);
        }
        i == at
    }

    fn catch(&mut self) {
        self.c.bump();
        self.b.open(ScopeKind::Block, self.c.peek().start, None);
        if self.c.is(b'(') {
            let behind = self.c.behind_group(self.c.at);
            self.c.bump();
            let scope = self.b.scope();
            // Anything may be thrown.
            let thrown = self.b.expr(Expr::Unknown);
            let is_name = Self::names(self.c.peek());
            let defs = self.pattern(scope, SymbolKind::Variable, (!is_name).then_some(thrown));
            let ty = self.annotation();
            if let [def] = defs[..] {
                self.b.def_mut(def).ty = ty;
            }
            self.c.at = behind;
        }
        self.block();
        self.b.close(self.c.last_end());
    }

    fn return_statement(&mut self) {
        self.c.bump();
        if !self.at_end() && self.c.peek().kind != Kind::Close {
            let mark = self.pending.mark();
            let value = self.expr();
            match self.functions.last_mut() {
                Some(function) => {
                    function.returns.push(value);
                    let def = function.def;
                    self.pending.settle(&mut self.b, mark, Expectation::Return(def));
                }
                None => self.pending.forget(mark),
            }
        }
        self.end();
    }
}
