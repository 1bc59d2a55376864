//! Blocks, statements, and the expressions that hold blocks.

use ide_model::{SymbolKind, TextRange};

use crate::facts::{BinaryOp, Expectation, Expr, ExprId, RefFlags, RefId, Role, ScopeKind};
use crate::kit::Kind;

use super::declarations::Place;
use super::lexer::words as w;
use super::{Parser, Test, Value};

impl Parser<'_> {
    /// The braces at the cursor as a scope of statements. Gives the value of the last one.
    pub(super) fn block(&mut self) -> Option<ExprId> {
        let open = self.c.at;
        if self.skims() {
            return None;
        }
        if !self.c.deeper() {
            self.c.skip();
            return None;
        }
        self.b.open(ScopeKind::Block, self.c.peek().start, None);
        self.c.at += 1;
        let value = self.statements(self.c.group_end(open));
        self.leave_group(open);
        self.b.close(self.c.last_end());
        self.c.shallower();
        value
    }

    /// Statements up to the token at `end`. Pending expressions of the last one stay so.
    pub(super) fn statements(&mut self, end: usize) -> Option<ExprId> {
        let (pending, proven) = (self.pending.mark(), self.proven.len());
        let in_head = std::mem::take(&mut self.in_head);
        let last = self.with_newlines(true, |p| {
            let mut last = None;
            while p.c.at < end {
                if p.c.eat(b';') {
                    continue;
                }
                let before = p.c.at;
                p.pending.forget(pending);
                last = p.statement();
                if p.c.at == before {
                    p.c.skip();
                }
                if p.c.at < end && !p.c.peek().after_newline && !p.c.is(b';') {
                    p.unexpected("the end of the statement");
                }
            }
            last
        });
        self.in_head = in_head;
        self.end_proofs(proven);
        last
    }

    /// One statement; its value, when it is an expression.
    pub(super) fn statement(&mut self) -> Option<ExprId> {
        if self.declaration(Place::Block) {
            return None;
        }
        let tests = self.tests.len();
        let value = self.assignment();
        self.tests.truncate(tests);
        value
    }

    /// An expression, or an assignment, which has no value.
    fn assignment(&mut self) -> Option<ExprId> {
        if !self.c.deeper() {
            self.c.skip();
            return None;
        }
        let mark = self.pending.mark();
        let left = self.binary(0);
        let run = self.assignment_operator();
        self.c.shallower();
        let Some(run) = run else { return Some(left.expr) };
        self.pending.forget(mark);
        self.c.at += run;
        if let Some(name) = left.name {
            self.b.ref_mut(name).role = if run == 1 { Role::Write } else { Role::ReadWrite };
        }
        let value = self.expression();
        self.pending.settle(&mut self.b, mark, Expectation::Assigned(left.expr));
        self.b.expr(Expr::Assign { target: left.expr, value });
        None
    }

    /// How many tokens the assignment operator at the cursor has, if one is there.
    fn assignment_operator(&self) -> Option<usize> {
        if self.at_newline() {
            return None;
        }
        let token = self.c.peek();
        match token.sub {
            b'=' if token.kind == Kind::Punct => (!self.c.is_joined(b"==")).then_some(1),
            b'+' | b'-' | b'*' | b'/' | b'%' if token.kind == Kind::Punct => {
                self.c.is_joined(&[token.sub, b'=']).then_some(2)
            }
            _ => None,
        }
    }

    /// The branch behind a condition: a block or one statement. Gives its value.
    pub(super) fn branch(&mut self) -> ExprId {
        let value = if self.c.is(b'{') && !self.at_lambda() { self.block() } else { self.assignment() };
        value.unwrap_or_else(|| self.b.expr(Expr::Unknown))
    }

    /// The braces at the cursor are a lambda where a block could stand: they name parameters.
    fn at_lambda(&self) -> bool {
        self.lambda_arrow(self.c.at)
    }

    /// The last thing in what was just read leaves the block.
    fn jumps(&self) -> bool {
        let behind = self.c.at;
        self.jump == Some(behind)
            || self.jump.is_some_and(|jump| jump + 1 == behind && self.c.token(jump).is(b'}'))
    }

    /// `(condition)` at the cursor; the tests in it are left on the stack.
    fn condition(&mut self) {
        if !self.c.is(b'(') {
            self.unexpected("`(`");
            return;
        }
        if self.skims_in_function() {
            return;
        }
        let open = self.c.at;
        self.c.at += 1;
        let mark = self.pending.mark();
        let in_head = std::mem::take(&mut self.in_head);
        self.with_newlines(false, Self::expression);
        self.in_head = in_head;
        self.pending.forget(mark);
        self.leave_group(open);
    }

    pub(super) fn if_value(&mut self) -> ExprId {
        self.c.at += 1;
        let tests = self.tests.len();
        self.condition();
        let known = self.take_tests(tests);
        let start = self.c.last_end();
        if self.c.is(b';') {
            self.c.at += 1;
        }
        let yes = if self.c.is_word(w::ELSE) { self.b.expr(Expr::Unknown) } else { self.branch() };
        self.tests.truncate(tests);
        self.hold_all(&known, true, self.c.since(start));
        let yes_jumps = self.jumps();
        let semicolon = self.c.is(b';') && self.word_at(self.c.at + 1, w::ELSE);
        self.c.at += usize::from(semicolon);
        // In front of an arrow it is the last branch of a `when` around.
        let is_of_when = self.c.is_word(w::ELSE) && self.c.joined_at(self.c.at + 1, b"->");
        if is_of_when || !self.c.eat_word(w::ELSE) {
            if yes_jumps {
                self.prove(&known, false);
            }
            let only = self.b.list([yes]);
            return self.b.expr(Expr::Choice(only));
        }
        let start = self.c.last_end();
        let no = if self.c.is(b';') { self.b.expr(Expr::Unknown) } else { self.branch() };
        self.tests.truncate(tests);
        self.hold_all(&known, false, self.c.since(start));
        match (yes_jumps, self.jumps()) {
            (true, false) => self.prove(&known, false),
            (false, true) => {
                self.prove(&known, true);
                self.jump = None;
            }
            _ => {}
        }
        let both = self.b.list([yes, no]);
        self.b.expr(Expr::Choice(both))
    }

    pub(super) fn when_value(&mut self) -> ExprId {
        self.c.at += 1;
        self.b.open(ScopeKind::Block, self.c.last_end(), None);
        let tests = self.tests.len();
        let subject = self.when_subject();
        self.tests.truncate(tests);
        let mut values = Vec::new();
        if !self.c.is(b'{') {
            self.unexpected("`{`");
        } else if self.skims() {
            self.tested_word(subject);
        } else {
            values = self.when_entries(subject);
        }
        self.jump = None;
        self.b.close(self.c.last_end());
        let values = self.b.list(values);
        self.b.expr(Expr::Choice(values))
    }

    /// The braces at the cursor; gives the values of the entries.
    fn when_entries(&mut self, subject: Option<Value>) -> Vec<ExprId> {
        let mut values = Vec::new();
        let proven = self.proven.len();
        let open = self.c.at;
        self.c.at += 1;
        let end = self.c.group_end(open);
        let in_head = std::mem::take(&mut self.in_head);
        self.with_newlines(true, |p| {
            while p.c.at < end {
                let before = p.c.at;
                if !p.c.eat(b';') {
                    let (value, known) = p.when_entry(subject);
                    values.push(value);
                    // The entries behind it are reached when the condition does not hold.
                    p.prove(&known, false);
                }
                if p.c.at == before {
                    p.c.skip();
                }
            }
        });
        self.in_head = in_head;
        self.leave_group(open);
        self.end_proofs(proven);
        values
    }

    /// `(x)` or `(val y = x)` behind `when`.
    fn when_subject(&mut self) -> Option<Value> {
        if !self.c.is(b'(') {
            return None;
        }
        let open = self.c.at;
        self.c.at += 1;
        let mark = self.pending.mark();
        let in_head = std::mem::take(&mut self.in_head);
        let subject = self.with_newlines(false, |p| {
            let at = p.skip_annotations(p.c.at);
            if !p.word_at(at, w::VAL) {
                return p.binary(0);
            }
            p.modifiers(at);
            p.c.at += 1;
            let name = p.declared_name();
            let text = p.c.str(name);
            let def = p.b.def(text, name.range(), SymbolKind::Variable);
            let ty = p.c.eat(b':').then(|| p.ty(Role::Type));
            p.b.def_mut(def).ty = ty;
            if p.c.eat(b'=') {
                let value = p.expression();
                p.b.def_mut(def).init = Some(value);
            }
            let range = p.c.since(name.start);
            p.b.def_mut(def).range = range;
            // A reference without text of its own, so that tests have a subject.
            let subject = p.b.reference(text, name.range(), Role::Read);
            p.flag(subject, RefFlags::IMPLICIT);
            Value { expr: p.b.expr(Expr::Ref(subject)), name: Some(subject) }
        });
        self.in_head = in_head;
        self.pending.forget(mark);
        self.leave_group(open);
        Some(subject)
    }

    /// The value of an entry, and what is known by its condition.
    fn when_entry(&mut self, subject: Option<Value>) -> (ExprId, Vec<Test>) {
        let tests = self.tests.len();
        let mut conditions = 0;
        loop {
            self.when_condition(subject);
            conditions += 1;
            if !self.c.eat(b',') || self.c.is_joined(b"->") {
                break;
            }
        }
        if conditions > 1 {
            self.tests.truncate(tests);
        }
        let mut known = self.take_tests(tests);
        if self.c.eat_word(w::IF) {
            let start = self.c.last_end();
            let mark = self.pending.mark();
            self.expression();
            self.pending.forget(mark);
            self.hold_all(&known, true, self.c.since(start));
            known.extend(self.take_tests(tests));
            // That it does not come to the branch may be because of either.
            known.retain(|test| test.if_true);
        }
        if !self.c.eat_joined(b"->") {
            self.unexpected("`->`");
            return (self.b.expr(Expr::Unknown), Vec::new());
        }
        let start = self.c.last_end();
        let value = self.branch();
        self.tests.truncate(tests);
        self.hold_all(&known, true, self.c.since(start));
        (value, known)
    }

    fn when_condition(&mut self, subject: Option<Value>) {
        let negated =
            self.c.is(b'!') && (self.word_at(self.c.at + 1, w::IS) || self.word_at(self.c.at + 1, w::IN));
        let word = if negated { self.c.nth(1) } else { self.c.peek() };
        let mark = self.pending.mark();
        match (word.kind, word.sub) {
            (Kind::Word, w::ELSE) => self.c.at += 1,
            (Kind::Word, w::IS) => {
                self.c.at += 1 + usize::from(negated);
                let ty = self.ty(Role::Type);
                if let Some(subject) = subject {
                    self.note_test(subject, ty, !negated);
                }
            }
            (Kind::Word, w::IN) => {
                self.c.at += 1 + usize::from(negated);
                let right = self.binary(0).expr;
                if let Some(subject) = subject {
                    self.b.expr(Expr::Binary { op: BinaryOp::In, left: subject.expr, right });
                }
            }
            _ => {
                let tests = self.tests.len();
                self.expression();
                if subject.is_some() {
                    self.tests.truncate(tests);
                }
            }
        }
        self.pending.forget(mark);
    }

    pub(super) fn try_value(&mut self) -> ExprId {
        self.c.at += 1;
        let mut values = Vec::new();
        if self.c.is(b'{') {
            values.extend(self.block());
        } else {
            self.unexpected("`{`");
        }
        while self.c.is_word(w::CATCH) && self.c.nth(1).is(b'(') {
            self.c.at += 1;
            self.b.open(ScopeKind::Block, self.c.peek().start, None);
            let open = self.c.at;
            self.c.at += 1;
            self.annotations();
            if self.at_name() {
                let name = self.c.bump();
                if self.c.str(name) == "_" {
                    self.want(b':');
                    self.ty(Role::Type);
                } else {
                    let def = self.b.def(self.c.str(name), name.range(), SymbolKind::Variable);
                    let ty = self.c.eat(b':').then(|| self.ty(Role::Type));
                    let range = self.c.since(name.start);
                    self.b.def_mut(def).ty = ty;
                    self.b.def_mut(def).range = range;
                }
                self.c.eat(b',');
            }
            self.leave_group(open);
            if self.c.is(b'{') {
                values.extend(self.block());
            }
            self.b.close(self.c.last_end());
        }
        if self.c.is_word(w::FINALLY) && self.c.nth(1).is(b'{') {
            self.c.at += 1;
            let mark = self.pending.mark();
            self.block();
            self.pending.forget(mark);
        }
        self.jump = None;
        let values = self.b.list(values);
        self.b.expr(Expr::Choice(values))
    }

    pub(super) fn for_loop(&mut self) {
        self.c.at += 1;
        self.b.open(ScopeKind::Block, self.c.peek().start, None);
        let mark = self.pending.mark();
        if self.c.is(b'(') {
            let open = self.c.at;
            self.c.at += 1;
            self.with_newlines(false, Self::for_head);
            self.leave_group(open);
        } else {
            self.unexpected("`(`");
        }
        self.loop_body();
        self.pending.forget(mark);
        self.b.close(self.c.last_end());
    }

    fn for_head(&mut self) {
        self.annotations();
        if self.c.is_word(w::VAL) || self.c.is_word(w::VAR) {
            self.c.at += 1;
        }
        let (mut variable, mut parts) = (None, Vec::new());
        if self.c.is(b'(') {
            parts = self.destructured();
        } else if self.at_name() {
            let name = self.c.bump();
            let def = self.b.def(self.c.str(name), name.range(), SymbolKind::Variable);
            let ty = self.c.eat(b':').then(|| self.ty(Role::Type));
            let range = self.c.since(name.start);
            self.b.def_mut(def).ty = ty;
            self.b.def_mut(def).range = range;
            variable = Some(def);
        }
        if !self.c.eat_word(w::IN) {
            self.unexpected("`in`");
            return;
        }
        let all = self.expression();
        let element = self.b.expr(Expr::Element(all));
        if let Some(def) = variable {
            self.b.def_mut(def).init = Some(element);
        }
        self.take_apart(&parts, element);
    }

    fn loop_body(&mut self) {
        if self.c.is(b'{') {
            self.block();
        } else if !self.c.eat(b';') {
            self.statement();
        }
        self.jump = None;
    }

    pub(super) fn while_loop(&mut self) {
        self.c.at += 1;
        let tests = self.tests.len();
        self.condition();
        let known = self.take_tests(tests);
        let start = self.c.last_end();
        let mark = self.pending.mark();
        self.loop_body();
        self.pending.forget(mark);
        self.hold_all(&known, true, self.c.since(start));
    }

    /// The condition sees what the body declares.
    pub(super) fn do_loop(&mut self) {
        self.c.at += 1;
        let mark = self.pending.mark();
        let tests = self.tests.len();
        self.b.open(ScopeKind::Block, self.c.last_end(), None);
        if self.c.is(b'{') {
            let open = self.c.at;
            self.c.at += 1;
            self.statements(self.c.group_end(open));
            self.leave_group(open);
        } else if !self.c.is_word(w::WHILE) {
            self.statement();
        }
        if self.c.eat_word(w::WHILE) {
            self.condition();
        }
        self.b.close(self.c.last_end());
        self.pending.forget(mark);
        self.tests.truncate(tests);
        self.jump = None;
    }

    /// `return`, `throw`, `break` and `continue`.
    pub(super) fn leave(&mut self, word: u8) -> ExprId {
        self.c.at += 1;
        let label = self.label_use();
        let has_value = matches!(word, w::RETURN | w::THROW) && !self.at_newline() && self.at_value();
        if has_value {
            let target = match (word, label) {
                (w::RETURN, Some(label)) => {
                    let name = self.b.facts().ref_name(label);
                    self.functions.iter().rposition(|f| f.label.as_deref() == Some(name))
                }
                (w::RETURN, None) => self.functions.iter().rposition(|f| !f.is_lambda),
                _ => None,
            };
            let mark = self.pending.mark();
            let value = self.expression();
            match target {
                Some(at) => {
                    let def = self.functions[at].def;
                    self.functions[at].returns.push(value);
                    self.pending.settle(&mut self.b, mark, Expectation::Return(def));
                }
                None => self.pending.forget(mark),
            }
        }
        self.jump = Some(self.c.at);
        self.b.expr(Expr::Unknown)
    }

    /// A value may begin at the cursor.
    fn at_value(&self) -> bool {
        let token = self.c.peek();
        match token.kind {
            Kind::Close | Kind::End => false,
            Kind::Word => !matches!(token.sub, w::ELSE | w::IN | w::IS | w::AS),
            Kind::Punct => matches!(token.sub, b'-' | b'+' | b'!' | b'@' | b':') && !self.c.is_joined(b"->"),
            _ => true,
        }
    }

    /// `@name` right behind a keyword.
    pub(super) fn label_use(&mut self) -> Option<RefId> {
        let name = self.c.nth(1);
        let is_label = self.c.is(b'@')
            && self.c.peek().start == self.c.last_end()
            && name.kind == Kind::Word
            && name.start == self.c.peek().end;
        if !is_label {
            return None;
        }
        self.c.at += 2;
        Some(self.b.reference(self.c.str(name), name.range(), Role::Label))
    }

    /// `name@` at the cursor, before what it labels.
    pub(super) fn label(&mut self) -> Option<Box<str>> {
        let (name, at) = (self.c.peek(), self.c.nth(1));
        if !Self::is_name(name)
            || !at.is(b'@')
            || at.start != name.end
            || self.c.nth(2).start == at.end && Self::is_name(self.c.nth(2))
        {
            return None;
        }
        self.c.at += 2;
        let text = self.c.str(name);
        let def = self.b.def(text, name.range(), SymbolKind::Label);
        self.b.def_mut(def).range = TextRange::new(name.start, at.end);
        Some(text.into())
    }
}
