//! Statements and patterns.

use ide_model::{SymbolKind, TextRange};

use crate::facts::{Expectation, Expr, ExprId, Role, ScopeKind};
use crate::kit::Kind;

use super::Parser;
use super::flow::{Bound, End};
use super::lexer::words as w;

/// One case of a switch.
struct Case {
    /// Whether a switch with its labels must take every value.
    is_exhaustive: bool,
    /// `case … ->` rather than `case …:`.
    is_rule: bool,
    completes: bool,
}

impl Parser<'_> {
    /// `{ … }` in a scope of its own. Says whether it can end normally, as do all that read statements.
    pub(super) fn block(&mut self) -> bool {
        self.b.open(ScopeKind::Block, self.c.peek().start, None);
        let completes = self.statements_in_braces();
        self.b.close(self.c.last_end());
        completes
    }

    /// `{ … }` in the scope that is open.
    pub(super) fn statements_in_braces(&mut self) -> bool {
        let open = self.c.at;
        if !self.c.deeper() {
            self.c.skip();
            return true;
        }
        self.c.at += 1;
        let completes = self.statements(self.c.group_end(open));
        self.leave_group(open);
        self.c.shallower();
        completes
    }

    pub(super) fn statements(&mut self, end: usize) -> bool {
        let scope = self.b.scope();
        self.binding_in(Some(scope), |p| {
            p.statements_while(
                |p| p.c.at < end,
                |p| {
                    let before = p.c.at;
                    let ended = p.statement();
                    if p.c.at == before {
                        p.unexpected("a statement");
                        p.c.skip();
                    }
                    ended
                },
            )
        })
    }

    /// Statements of one list, in which each may introduce variables for those behind it.
    fn statements_while(
        &mut self,
        goes_on: impl Fn(&Self) -> bool,
        mut read: impl FnMut(&mut Self) -> End,
    ) -> bool {
        let mut completes = true;
        let mut introduced = Vec::new();
        while goes_on(self) {
            let End { completes: ends, binds } = read(self);
            completes &= ends;
            if !binds.is_empty() {
                introduced.push((binds, self.c.last_end()));
            }
        }
        for (variables, start) in introduced {
            self.visible(&variables, start);
        }
        completes
    }

    fn statement(&mut self) -> End {
        let token = self.c.peek();
        match token.kind {
            Kind::Open if token.sub == b'{' => return End::of(self.block()),
            Kind::Punct if token.sub == b';' => self.c.at += 1,
            Kind::Punct if token.sub == b'@' => self.declaration_statement(),
            Kind::Close | Kind::End => {}
            Kind::Word if token.sub == 0 => return self.name_statement(),
            Kind::Word => {
                if !self.c.deeper() {
                    self.skip_to_semicolon();
                    return End::of(true);
                }
                let end = self.keyword_statement(token.sub);
                self.c.shallower();
                return end;
            }
            _ => self.expression_statement(),
        }
        End::of(true)
    }

    fn name_statement(&mut self) -> End {
        if self.c.nth(1).is(b':') && !self.c.joined_at(self.c.at + 1, b"::") {
            return self.label();
        } else if self.is_variable_declaration() {
            self.declaration_statement();
        } else {
            self.expression_statement();
        }
        End::of(true)
    }

    fn label(&mut self) -> End {
        let name = self.c.bump();
        let def = self.b.def(self.c.str(name), name.range(), SymbolKind::Label);
        self.c.at += 1;
        let mut end = End::of(true);
        if self.c.deeper() {
            let label = self.b.facts().def(def).name;
            let (inner, is_left, _) = self.leavable(Some(label), Self::statement);
            end = End { completes: inner.completes || is_left, ..inner };
            self.c.shallower();
        }
        self.b.def_mut(def).range = self.c.since(name.start);
        end
    }

    /// A type and a name stand at the cursor, and then what may follow a declared name.
    fn is_variable_declaration(&self) -> bool {
        self.skip_type(self.c.at).is_some_and(|name| {
            let next = self.c.token(name + 1);
            let follows = [b'=', b';', b',', b':', b'[', b')', b'}'].iter().any(|byte| next.is(*byte));
            // A value without the `=` before it: still a declaration.
            let is_value = matches!(next.kind, Kind::Number | Kind::Text)
                || next.kind == Kind::Word && matches!(next.sub, w::NEW | w::NULL | w::TRUE | w::FALSE);
            Self::is_name(self.c.token(name))
                && (follows || next.kind == Kind::End || is_value && !next.after_newline)
        })
    }

    /// A local variable or a local class.
    fn declaration_statement(&mut self) {
        let modifiers = self.modifiers();
        if let Some(kind) = self.type_declaration() {
            self.class(modifiers, kind, None);
            return;
        }
        if self.skip_type(self.c.at).is_none() {
            self.unexpected("a declaration");
            self.skip_to_semicolon();
            return;
        }
        self.declarators(modifiers, SymbolKind::Variable);
        self.end_statement();
    }

    fn keyword_statement(&mut self, word: u8) -> End {
        match word {
            w::IF => return self.if_statement(),
            w::WHILE => return self.while_statement(),
            w::DO => return self.do_statement(),
            w::FOR => return self.scoped(Self::for_statement),
            w::TRY => return End::of(self.try_statement()),
            w::SWITCH => return End::of(self.switch_statement()),
            w::SYNCHRONIZED if self.c.nth(1).is(b'(') => {
                self.c.at += 1;
                self.condition();
                return End::of(self.block_or_report());
            }
            w::RETURN => {
                self.return_statement();
                return End::of(false);
            }
            w::THROW => {
                self.c.at += 1;
                self.plain_value();
                self.end_statement();
                return End::of(false);
            }
            w::BREAK | w::CONTINUE => {
                self.c.at += 1;
                let mut label = None;
                if self.at_name() && !self.c.peek().after_newline {
                    let name = self.c.bump();
                    let reference = self.b.reference(self.c.str(name), name.range(), Role::Label);
                    label = Some(self.b.facts().reference(reference).name);
                }
                self.jump(word == w::BREAK, label);
                self.end_statement();
                return End::of(false);
            }
            w::ASSERT => {
                self.c.at += 1;
                self.plain_value();
                if self.c.eat(b':') {
                    self.plain_value();
                }
                self.end_statement();
            }
            w::YIELD if self.at_yield() => {
                self.yield_statement();
                return End::of(false);
            }
            word if word > w::LAST_RESERVED && !self.local_type_follows(word) => {
                return self.name_statement();
            }
            _ => self.plain_keyword_statement(word),
        }
        End::of(true)
    }

    fn local_type_follows(&self, word: u8) -> bool {
        matches!(word, w::RECORD | w::SEALED | w::NON) && self.type_follows()
    }

    /// A statement that ends normally, or what is none.
    fn plain_keyword_statement(&mut self, word: u8) {
        match word {
            w::ELSE | w::CATCH | w::FINALLY => self.orphan(),
            w::CASE | w::DEFAULT if !self.c.nth(1).is(b'@') => self.orphan(),
            w::ABSTRACT..=w::DEFAULT | w::CLASS | w::INTERFACE | w::ENUM => self.declaration_statement(),
            _ if self.local_type_follows(word) => self.declaration_statement(),
            word if word <= w::LAST_PRIMITIVE && self.is_variable_declaration() => {
                self.declaration_statement()
            }
            w::THIS | w::SUPER | w::NEW | w::TRUE | w::FALSE | w::NULL => self.expression_statement(),
            word if word <= w::LAST_PRIMITIVE => self.expression_statement(),
            _ => {}
        }
    }

    /// `else`, `catch`, `case` without what they belong to: what follows is read as a statement.
    fn orphan(&mut self) {
        self.unexpected("a statement");
        self.c.at += 1;
    }

    fn type_follows(&self) -> bool {
        if self.type_declaration().is_some() {
            return true;
        }
        !self.c.is_word(w::RECORD)
            && (self.c.nth(1).kind == Kind::Word && matches!(self.c.nth(1).sub, w::ABSTRACT..=w::INTERFACE)
                || self.c.is_word(w::NON) && self.c.nth(1).is(b'-') && self.c.nth(2).sub == w::SEALED)
    }

    /// `yield` is a name before an assignment, an access or a call.
    fn at_yield(&self) -> bool {
        let next = self.c.nth(1);
        !self.yields.is_empty() && ![b'=', b'.', b'[', b';'].iter().any(|byte| next.is(*byte))
    }

    fn scoped<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.b.open(ScopeKind::Block, self.c.peek().start, None);
        let value = read(self);
        self.b.close(self.c.last_end());
        value
    }

    /// A parenthesised expression.
    pub(super) fn condition(&mut self) -> ExprId {
        if !self.c.is(b'(') {
            self.unexpected("`(`");
            return self.b.expr(Expr::Unknown);
        }
        let open = self.c.at;
        self.c.at += 1;
        let value = self.plain_value();
        self.leave_group(open);
        value
    }

    /// An expression of which nothing is expected.
    pub(super) fn plain_value(&mut self) -> ExprId {
        let mark = self.pending.mark();
        let value = self.expression();
        self.pending.forget(mark);
        value
    }

    fn block_or_report(&mut self) -> bool {
        if self.c.is(b'{') {
            return self.block();
        }
        self.unexpected("`{`");
        true
    }

    fn end_statement(&mut self) {
        if !self.c.eat(b';') {
            let at = self.c.last_end();
            self.b.error(TextRange::new(at, at), "expected `;`");
            // The rest of the line belongs to the broken statement.
            while !self.c.peek().after_newline
                && !matches!(self.c.peek().kind, Kind::Close | Kind::End)
                && !self.c.eat(b';')
                && !self.c.is(b'{')
            {
                self.c.skip();
            }
        }
    }

    fn skip_to_semicolon(&mut self) {
        while !matches!(self.c.peek().kind, Kind::Close | Kind::End) && !self.c.eat(b';') {
            self.c.skip();
        }
    }

    fn expression_statement(&mut self) {
        let before = self.c.at;
        self.plain_value();
        if self.c.at > before {
            self.end_statement();
        }
    }

    fn if_statement(&mut self) -> End {
        // A chain of `else if` is many statements but no calls.
        let mut tests = Vec::new();
        let mut end = loop {
            self.c.at += 1;
            self.condition();
            let bound = self.take_bound();
            let start = self.c.last_end();
            let branch = self.statement().completes;
            self.visible(&bound.if_true, start);
            let behind = self.c.last_end();
            if !self.c.eat_word(w::ELSE) {
                break End { completes: true, binds: if branch { Vec::new() } else { bound.if_false } };
            }
            tests.push((bound, branch, behind));
            if !self.c.is_word(w::IF) {
                break End::of(self.statement().completes);
            }
        };
        let last = self.c.last_end();
        for (bound, branch, behind) in tests.into_iter().rev() {
            self.visible_in(&bound.if_false, behind, last);
            let binds = match (branch, end.completes) {
                (true, false) => bound.if_true,
                (false, true) => bound.if_false,
                _ => Vec::new(),
            };
            end = End { completes: branch || end.completes, binds };
        }
        end
    }

    fn while_statement(&mut self) -> End {
        self.c.at += 1;
        let open = self.c.at;
        self.condition();
        let bound = self.take_bound();
        let is_endless = self.is_always_true(open);
        let start = self.c.last_end();
        let (_, is_left, _) = self.leavable(None, Self::statement);
        self.visible(&bound.if_true, start);
        let binds = if is_left { Vec::new() } else { bound.if_false };
        End { completes: !is_endless || is_left, binds }
    }

    fn do_statement(&mut self) -> End {
        self.c.at += 1;
        let (body, is_left, is_continued) = self.leavable(None, Self::statement);
        let mut is_endless = false;
        let mut binds = Vec::new();
        if self.c.eat_word(w::WHILE) {
            let open = self.c.at;
            self.condition();
            is_endless = self.is_always_true(open);
            binds = self.take_bound().if_false;
        }
        self.want(b';');
        if is_left {
            binds.clear();
        }
        End { completes: is_left || !is_endless && (body.completes || is_continued), binds }
    }

    fn for_statement(&mut self) -> End {
        self.c.at += 1;
        if !self.c.is(b'(') {
            self.unexpected("`(`");
            return End::of(true);
        }
        let open = self.c.at;
        self.c.at += 1;
        let end = self.c.group_end(open);
        let is_declaration = self.c.is(b'@') || self.c.is_word(w::FINAL) || self.is_variable_declaration();
        let mut bound = Bound::default();
        let mut start = self.c.last_end();
        let mut is_endless = false;
        if is_declaration && self.is_for_each() {
            self.for_each_head();
        } else {
            if is_declaration {
                let modifiers = self.modifiers();
                self.declarators(modifiers, SymbolKind::Variable);
            } else {
                self.expression_list(end);
            }
            self.want(b';');
            is_endless = self.c.is(b';') || self.c.is_word(w::TRUE) && self.c.nth(1).is(b';');
            if self.c.at < end && !self.c.is(b';') {
                self.plain_value();
                bound = self.take_bound();
            }
            start = self.c.last_end();
            self.want(b';');
            self.expression_list(end);
        }
        self.leave_group(open);
        let (_, is_left, _) = self.leavable(None, Self::statement);
        self.visible(&bound.if_true, start);
        let binds = if is_left { Vec::new() } else { bound.if_false };
        End { completes: !is_endless || is_left, binds }
    }

    fn is_for_each(&self) -> bool {
        let mut i = self.skip_annotations(self.c.at);
        while self.c.token(i).kind == Kind::Word && self.c.token(i).sub == w::FINAL {
            i = self.skip_annotations(i + 1);
        }
        self.skip_type(i).is_some_and(|name| self.c.token(self.skip_dimensions(name + 1)).is(b':'))
    }

    fn for_each_head(&mut self) {
        let Some(variable) = self.param(SymbolKind::Variable) else { return };
        self.want(b':');
        let iterable = self.plain_value();
        let (element, end) = (self.b.expr(Expr::Element(iterable)), self.c.last_end());
        let variable = self.b.def_mut(variable);
        variable.init = Some(element);
        variable.range.end = end;
    }

    fn expression_list(&mut self, end: usize) {
        while self.c.at < end && !self.c.is(b';') {
            let before = self.c.at;
            self.plain_value();
            if !self.c.eat(b',') || self.c.at == before {
                return;
            }
        }
    }

    fn try_statement(&mut self) -> bool {
        self.b.open(ScopeKind::Block, self.c.peek().start, None);
        self.c.at += 1;
        if self.c.is(b'(') {
            let open = self.c.at;
            self.c.at += 1;
            let end = self.c.group_end(open);
            while self.c.at < end {
                let before = self.c.at;
                self.resource();
                if !self.c.eat(b';') || self.c.at == before {
                    break;
                }
            }
            self.leave_group(open);
        }
        let mut completes = self.block_or_report();
        self.b.close(self.c.last_end());
        while self.c.is_word(w::CATCH) {
            completes |= self.scoped(Self::catch_clause);
        }
        if self.c.eat_word(w::FINALLY) {
            completes &= self.block_or_report();
        }
        completes
    }

    fn resource(&mut self) {
        if self.c.is(b'@') || self.c.is_word(w::FINAL) || self.is_variable_declaration() {
            let modifiers = self.modifiers();
            self.declarators(modifiers, SymbolKind::Variable);
        } else {
            self.plain_value();
        }
    }

    fn catch_clause(&mut self) -> bool {
        self.c.at += 1;
        if self.c.is(b'(') {
            let open = self.c.at;
            self.c.at += 1;
            let modifiers = self.modifiers();
            let ty = self.joined_types(b'|');
            if self.at_name() {
                let name = self.c.bump();
                self.variable(name, SymbolKind::Variable, modifiers, Some(ty));
            } else {
                self.unexpected("a name");
            }
            self.leave_group(open);
        }
        self.block_or_report()
    }

    fn return_statement(&mut self) {
        self.c.at += 1;
        if self.c.is(b';') {
            self.c.at += 1;
            return;
        }
        let before = self.c.at;
        let mark = self.pending.mark();
        let value = self.expression();
        match self.functions.last_mut() {
            Some(function) => {
                let what = Expectation::Return(function.def);
                if function.is_lambda && self.c.at > before {
                    function.returns.push(value);
                }
                self.pending.settle(&mut self.b, mark, what);
            }
            None => self.pending.forget(mark),
        }
        self.end_statement();
    }

    fn yield_statement(&mut self) {
        self.c.at += 1;
        let value = self.expression();
        if let Some(values) = self.yields.last_mut() {
            values.push(value);
        }
        self.end_statement();
    }

    fn switch_statement(&mut self) -> bool {
        let mark = self.pending.mark();
        let (value, completes) = self.switch();
        self.pending.forget(mark);
        // A statement may go on with a member of the switch's value, in theory.
        if self.c.is(b'.') {
            self.suffixes(super::Value::of(value));
            self.end_statement();
            return true;
        }
        completes
    }

    /// A switch, as statement or value, at its keyword; and whether it can end normally as a statement.
    pub(super) fn switch(&mut self) -> (ExprId, bool) {
        self.c.at += 1;
        let selector = self.condition();
        if !self.c.is(b'{') || !self.c.deeper() {
            self.unexpected("`{`");
            if self.c.is(b'{') {
                self.c.skip();
            }
            return (self.b.expr(Expr::Unknown), true);
        }
        let open = self.c.at;
        self.b.open(ScopeKind::Block, self.c.peek().start, None);
        self.yields.push(Vec::new());
        self.c.at += 1;
        let ((is_exhaustive, completes), is_left, _) =
            self.leavable(None, |p| p.cases(selector, p.c.group_end(open)));
        self.leave_group(open);
        self.b.close(self.c.last_end());
        self.c.shallower();
        let values = self.yields.pop().unwrap_or_default();
        let values = self.b.list(values);
        (self.b.expr(Expr::Choice(values)), is_left || !is_exhaustive || completes)
    }

    /// The cases up to `end`: whether one of them is taken for certain, and whether one can end normally.
    fn cases(&mut self, selector: ExprId, end: usize) -> (bool, bool) {
        let (mut is_exhaustive, mut completes) = (false, true);
        let mut is_first = true;
        while self.c.at < end {
            let before = self.c.at;
            if self.c.is_word(w::CASE) || self.c.is_word(w::DEFAULT) {
                let case = self.case(selector);
                is_exhaustive |= case.is_exhaustive;
                // Of groups the last is that which ends.
                completes = case.completes || case.is_rule && !is_first && completes;
                is_first = false;
            } else {
                self.statement();
            }
            if self.c.at == before {
                self.unexpected("`case`");
                self.c.skip();
            }
        }
        (is_exhaustive, completes)
    }

    fn case(&mut self, selector: ExprId) -> Case {
        // Declarations of a group stand in the scope of the switch, and see what patterns bind before them.
        let (start, outside) = (self.c.bump(), self.b.scope());
        self.b.open(ScopeKind::Block, start.start, None);
        let case = self.binding_in(Some(outside), |p| p.case_in_scope(selector, start.sub == w::CASE));
        self.b.close(self.c.last_end());
        case
    }

    fn case_in_scope(&mut self, selector: ExprId, has_labels: bool) -> Case {
        let mut is_exhaustive = !has_labels;
        let mut bound = Vec::new();
        let mut behind = self.c.last_end();
        if has_labels {
            let outside = std::mem::replace(&mut self.in_label, true);
            loop {
                is_exhaustive |= self.case_label(selector);
                bound.append(&mut self.take_bound().if_true);
                if !self.c.eat(b',') {
                    break;
                }
            }
            behind = self.c.last_end();
            if self.c.eat_word(w::WHEN) {
                self.plain_value();
                bound.append(&mut self.take_bound().if_true);
            }
            self.in_label = outside;
        }
        let is_rule = self.c.eat_joined(b"->");
        let completes = if is_rule {
            self.case_result()
        } else {
            self.want(b':');
            // The variables of a pattern are seen by the statements up to the next label.
            let goes_on = |p: &Self| {
                !p.c.is_word(w::CASE)
                    && !p.at_default_label()
                    && !matches!(p.c.peek().kind, Kind::Close | Kind::End)
            };
            let stuck = std::cell::Cell::new(false);
            self.statements_while(
                |p| goes_on(p) && !stuck.get(),
                |p| {
                    let before = p.c.at;
                    let end = p.statement_in_group();
                    stuck.set(p.c.at == before);
                    end
                },
            )
        };
        self.visible(&bound, behind);
        Case { is_exhaustive, is_rule, completes }
    }

    fn at_default_label(&self) -> bool {
        self.c.is_word(w::DEFAULT) && (self.c.nth(1).is(b':') || self.c.joined_at(self.c.at + 1, b"->"))
    }

    /// A statement of an old-style group: what it declares is seen in the whole switch.
    fn statement_in_group(&mut self) -> End {
        let is_yield = self.c.is_word(w::YIELD) && self.at_yield();
        if self.c.is(b'@') || self.c.is_word(w::FINAL) || !is_yield && self.is_variable_declaration() {
            let outer = self.b.facts().scope(self.b.scope()).parent;
            if let Some(outer) = outer {
                self.b.enter(outer);
                self.declaration_statement();
                self.b.leave();
                return End::of(true);
            }
        }
        self.statement()
    }

    fn case_result(&mut self) -> bool {
        if self.c.is(b'{') {
            return self.block();
        } else if self.c.is_word(w::THROW) {
            return self.statement().completes;
        } else {
            let before = self.c.at;
            let value = self.expression();
            if self.c.at > before {
                if let Some(values) = self.yields.last_mut() {
                    values.push(value);
                }
                self.end_statement();
            }
        }
        true
    }

    /// Says whether a switch with this label must take every value.
    fn case_label(&mut self, selector: ExprId) -> bool {
        if self.c.eat_word(w::DEFAULT) || self.c.eat_word(w::NULL) {
            return true;
        }
        self.flow.bound = Bound::default();
        if self.at_pattern() {
            self.pattern();
            return true;
        }
        let next = self.c.nth(1);
        if self.at_name() && (next.is(b',') || next.is(b':') || self.c.joined_at(self.c.at + 1, b"->")) {
            let name = self.c.bump();
            let reference = self.b.reference(self.c.str(name), name.range(), Role::Read);
            let label = self.b.expr(Expr::Ref(reference));
            self.b.expect(label, Expectation::Assigned(selector));
            return false;
        }
        self.plain_value();
        false
    }
}
