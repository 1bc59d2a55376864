//! Statements and patterns.

use ide_model::{SymbolKind, TextRange};

use crate::facts::{BinaryOp, DefFlags, Expectation, Expr, ExprId, Role, ScopeKind, TypeExpr};
use crate::kit::Kind;

use super::Parser;
use super::declarations::Modifiers;
use super::lexer::words as w;

/// How deep the look-ahead goes into record patterns.
const MAX_PATTERN_DEPTH: u32 = 32;

impl Parser<'_> {
    /// `{ … }` in a scope of its own.
    pub(super) fn block(&mut self) {
        self.b.open(ScopeKind::Block, self.c.peek().start, None);
        self.statements_in_braces();
        self.b.close(self.c.last_end());
    }

    /// `{ … }` in the scope that is open.
    pub(super) fn statements_in_braces(&mut self) {
        let open = self.c.at;
        if !self.c.deeper() {
            self.c.skip();
            return;
        }
        self.c.at += 1;
        self.statements(self.c.group_end(open));
        self.leave_group(open);
        self.c.shallower();
    }

    pub(super) fn statements(&mut self, end: usize) {
        while self.c.at < end {
            let before = self.c.at;
            self.statement();
            if self.c.at == before {
                self.unexpected("a statement");
                self.c.skip();
            }
        }
    }

    fn statement(&mut self) {
        let token = self.c.peek();
        match token.kind {
            Kind::Open if token.sub == b'{' => self.block(),
            Kind::Punct if token.sub == b';' => self.c.at += 1,
            Kind::Punct if token.sub == b'@' => self.declaration_statement(),
            Kind::Close | Kind::End => {}
            Kind::Word if token.sub == 0 => self.name_statement(),
            Kind::Word => {
                if !self.c.deeper() {
                    self.skip_to_semicolon();
                    return;
                }
                self.keyword_statement(token.sub);
                self.c.shallower();
            }
            _ => self.expression_statement(),
        }
    }

    fn name_statement(&mut self) {
        if self.c.nth(1).is(b':') && !self.c.joined_at(self.c.at + 1, b"::") {
            self.label();
        } else if self.is_variable_declaration() {
            self.declaration_statement();
        } else {
            self.expression_statement();
        }
    }

    fn label(&mut self) {
        let name = self.c.bump();
        let def = self.b.def(self.c.str(name), name.range(), SymbolKind::Label);
        self.c.at += 1;
        if self.c.deeper() {
            self.statement();
            self.c.shallower();
        }
        self.b.def_mut(def).range = self.c.since(name.start);
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

    fn keyword_statement(&mut self, word: u8) {
        match word {
            w::IF => self.if_statement(),
            w::WHILE => self.scoped(|p| {
                p.c.at += 1;
                p.condition();
                p.statement();
            }),
            w::DO => self.scoped(|p| {
                p.c.at += 1;
                p.statement();
                if p.c.eat_word(w::WHILE) {
                    p.condition();
                }
                p.want(b';');
            }),
            w::FOR => self.scoped(Self::for_statement),
            w::TRY => self.try_statement(),
            w::SWITCH => self.switch_statement(),
            w::SYNCHRONIZED if self.c.nth(1).is(b'(') => {
                self.c.at += 1;
                self.condition();
                self.block_or_report();
            }
            w::RETURN => self.return_statement(),
            w::THROW => {
                self.c.at += 1;
                self.plain_value();
                self.end_statement();
            }
            w::BREAK | w::CONTINUE => {
                self.c.at += 1;
                if self.at_name() && !self.c.peek().after_newline {
                    let label = self.c.bump();
                    self.b.reference(self.c.str(label), label.range(), Role::Label);
                }
                self.end_statement();
            }
            w::ASSERT => {
                self.c.at += 1;
                self.plain_value();
                if self.c.eat(b':') {
                    self.plain_value();
                }
                self.end_statement();
            }
            w::YIELD if self.at_yield() => self.yield_statement(),
            w::ELSE | w::CATCH | w::FINALLY => self.orphan(),
            w::CASE | w::DEFAULT if !self.c.nth(1).is(b'@') => self.orphan(),
            w::ABSTRACT..=w::DEFAULT | w::CLASS | w::INTERFACE | w::ENUM => self.declaration_statement(),
            w::RECORD | w::SEALED | w::NON if self.type_follows() => self.declaration_statement(),
            word if word <= w::LAST_PRIMITIVE && self.is_variable_declaration() => {
                self.declaration_statement()
            }
            word if word > w::LAST_RESERVED => self.name_statement(),
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

    fn scoped(&mut self, read: impl FnOnce(&mut Self)) {
        self.b.open(ScopeKind::Block, self.c.peek().start, None);
        read(self);
        self.b.close(self.c.last_end());
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

    fn block_or_report(&mut self) {
        if self.c.is(b'{') {
            self.block();
        } else {
            self.unexpected("`{`");
        }
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

    fn if_statement(&mut self) {
        // A condition that must fail for the branch to be left binds its variables for what follows.
        let escapes = self.pattern_escapes();
        if !escapes {
            self.b.open(ScopeKind::Block, self.c.peek().start, None);
        }
        let mut opened = u32::from(!escapes);
        loop {
            self.c.at += 1;
            self.condition();
            self.statement();
            if !self.c.eat_word(w::ELSE) {
                break;
            }
            if !self.c.is_word(w::IF) {
                self.statement();
                break;
            }
            // A chain of `else if` nests scopes but not calls.
            self.b.open(ScopeKind::Block, self.c.peek().start, None);
            opened += 1;
        }
        for _ in 0..opened {
            self.b.close(self.c.last_end());
        }
    }

    /// `if (!(x instanceof T t)) return;`
    fn pattern_escapes(&self) -> bool {
        let open = self.c.at + 1;
        if !self.c.token(open).is(b'(') {
            return false;
        }
        let close = self.c.group_end(open);
        let condition = &self.c.tokens.list[open..close];
        let tests = condition.iter().any(|t| t.kind == Kind::Word && t.sub == w::INSTANCEOF);
        let negates = condition.iter().any(|t| t.is(b'!') || t.kind == Kind::Word && t.sub == w::FALSE);
        tests && negates && self.leaves(self.c.behind_group(open))
    }

    /// The statement at `i` ends by leaving.
    fn leaves(&self, i: usize) -> bool {
        let is_leave = |i: usize| {
            let token = self.c.token(i);
            token.kind == Kind::Word
                && matches!(token.sub, w::RETURN | w::THROW | w::BREAK | w::CONTINUE | w::YIELD)
        };
        if !self.c.token(i).is(b'{') {
            return is_leave(i);
        }
        let end = self.c.group_end(i);
        let mut at = i + 1;
        let mut start = at;
        while at < end {
            let token = self.c.token(at);
            let ends = token.is(b';') || token.is(b'{');
            at = self.c.over(at);
            if ends && at < end {
                start = at;
            }
        }
        is_leave(start)
    }

    fn for_statement(&mut self) {
        self.c.at += 1;
        if !self.c.is(b'(') {
            self.unexpected("`(`");
            return;
        }
        let open = self.c.at;
        self.c.at += 1;
        let end = self.c.group_end(open);
        let is_declaration = self.c.is(b'@') || self.c.is_word(w::FINAL) || self.is_variable_declaration();
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
            if self.c.at < end && !self.c.is(b';') {
                self.plain_value();
            }
            self.want(b';');
            self.expression_list(end);
        }
        self.leave_group(open);
        self.statement();
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
        let element = self.b.expr(Expr::Element(iterable));
        self.b.def_mut(variable).init = Some(element);
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

    fn try_statement(&mut self) {
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
        self.block_or_report();
        self.b.close(self.c.last_end());
        while self.c.is_word(w::CATCH) {
            self.scoped(Self::catch_clause);
        }
        if self.c.eat_word(w::FINALLY) {
            self.block_or_report();
        }
    }

    fn resource(&mut self) {
        if self.c.is(b'@') || self.c.is_word(w::FINAL) || self.is_variable_declaration() {
            let modifiers = self.modifiers();
            self.declarators(modifiers, SymbolKind::Variable);
        } else {
            self.plain_value();
        }
    }

    fn catch_clause(&mut self) {
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
        self.block_or_report();
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

    fn switch_statement(&mut self) {
        let mark = self.pending.mark();
        let value = self.switch();
        self.pending.forget(mark);
        // A statement may go on with a member of the switch's value, in theory.
        if self.c.is(b'.') {
            self.suffixes(super::Value::of(value));
            self.end_statement();
        }
    }

    /// A switch, as statement or value, at its keyword.
    pub(super) fn switch(&mut self) -> ExprId {
        self.c.at += 1;
        let selector = self.condition();
        if !self.c.is(b'{') || !self.c.deeper() {
            self.unexpected("`{`");
            if self.c.is(b'{') {
                self.c.skip();
            }
            return self.b.expr(Expr::Unknown);
        }
        let open = self.c.at;
        self.b.open(ScopeKind::Block, self.c.peek().start, None);
        self.yields.push(Vec::new());
        self.c.at += 1;
        let end = self.c.group_end(open);
        while self.c.at < end {
            let before = self.c.at;
            if self.c.is_word(w::CASE) || self.c.is_word(w::DEFAULT) {
                self.case(selector);
            } else {
                self.statement();
            }
            if self.c.at == before {
                self.unexpected("`case`");
                self.c.skip();
            }
        }
        self.leave_group(open);
        self.b.close(self.c.last_end());
        self.c.shallower();
        let values = self.yields.pop().unwrap_or_default();
        let values = self.b.list(values);
        self.b.expr(Expr::Choice(values))
    }

    fn case(&mut self, selector: ExprId) {
        let start = self.c.bump();
        self.b.open(ScopeKind::Block, start.start, None);
        if start.sub == w::CASE {
            let outside = std::mem::replace(&mut self.in_label, true);
            loop {
                self.case_label(selector);
                if !self.c.eat(b',') {
                    break;
                }
            }
            if self.c.eat_word(w::WHEN) {
                self.plain_value();
            }
            self.in_label = outside;
        }
        if self.c.eat_joined(b"->") {
            self.case_result();
        } else {
            self.want(b':');
            // The variables of a pattern are seen by the statements up to the next label.
            while !self.c.is_word(w::CASE)
                && !self.at_default_label()
                && !matches!(self.c.peek().kind, Kind::Close | Kind::End)
            {
                let before = self.c.at;
                self.statement_in_group();
                if self.c.at == before {
                    break;
                }
            }
        }
        self.b.close(self.c.last_end());
    }

    fn at_default_label(&self) -> bool {
        self.c.is_word(w::DEFAULT) && (self.c.nth(1).is(b':') || self.c.joined_at(self.c.at + 1, b"->"))
    }

    /// A statement of an old-style group: what it declares is seen in the whole switch.
    fn statement_in_group(&mut self) {
        let is_yield = self.c.is_word(w::YIELD) && self.at_yield();
        if self.c.is(b'@') || self.c.is_word(w::FINAL) || !is_yield && self.is_variable_declaration() {
            let outer = self.b.facts().scope(self.b.scope()).parent;
            if let Some(outer) = outer {
                self.b.enter(outer);
                self.declaration_statement();
                self.b.leave();
                return;
            }
        }
        self.statement();
    }

    fn case_result(&mut self) {
        if self.c.is(b'{') {
            self.block();
        } else if self.c.is_word(w::THROW) {
            self.statement();
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
    }

    fn case_label(&mut self, selector: ExprId) {
        if self.c.eat_word(w::DEFAULT) || self.c.eat_word(w::NULL) {
            return;
        }
        if self.at_pattern() {
            self.pattern();
            return;
        }
        let next = self.c.nth(1);
        if self.at_name() && (next.is(b',') || next.is(b':') || self.c.joined_at(self.c.at + 1, b"->")) {
            let name = self.c.bump();
            let reference = self.b.reference(self.c.str(name), name.range(), Role::Read);
            let label = self.b.expr(Expr::Ref(reference));
            self.b.expect(label, Expectation::Assigned(selector));
            return;
        }
        self.plain_value();
    }

    /// A type and then a name or a parenthesis stand at the cursor.
    fn at_pattern(&self) -> bool {
        if self.c.is(b'@') || self.c.is_word(w::FINAL) {
            return true;
        }
        self.skip_type(self.c.at).is_some_and(|i| {
            let next = self.c.token(i);
            let is_type = i > self.c.at + 1 || !next.is(b'(') || self.record_pattern_follows(i, 0);
            (Self::is_name(next) && next.sub != w::WHEN
                || Self::is_name(next) && !self.expression_follows(i + 1)
                || next.is(b'(') && self.record_pattern_follows(i, 0))
                && is_type
        })
    }

    /// `when` at `i - 1` is a guard.
    fn expression_follows(&self, i: usize) -> bool {
        let next = self.c.token(i);
        !(next.is(b':') || next.is(b',') || next.is(b')') || next.is(b'&') || self.c.joined_at(i, b"->"))
            && !(next.kind == Kind::Word && next.sub == w::WHEN)
    }

    /// The parentheses at `i` hold patterns rather than arguments: they are empty or begin with one.
    fn record_pattern_follows(&self, i: usize, depth: u32) -> bool {
        let first = i + 1;
        if first == self.c.group_end(i) {
            return true;
        }
        self.c.token(first).is(b'@')
            || self.skip_type(first).is_some_and(|j| {
                Self::is_name(self.c.token(j))
                    || self.c.token(j).is(b'(')
                        && depth < MAX_PATTERN_DEPTH
                        && self.record_pattern_follows(j, depth + 1)
            })
    }

    /// A type pattern or a record pattern.
    pub(super) fn pattern(&mut self) {
        let modifiers = self.modifiers();
        let is_var = self.c.is_word(w::VAR) && Self::is_name(self.c.nth(1));
        let ty = if is_var {
            self.c.at += 1;
            None
        } else {
            Some(self.ty(Role::Type))
        };
        if self.c.is(b'(') && self.c.deeper() {
            let open = self.c.at;
            self.c.at += 1;
            let end = self.c.group_end(open);
            let mut index = 0;
            while self.c.at < end {
                let before = self.c.at;
                self.component_pattern(ty, index);
                index += 1;
                if !self.c.eat(b',') || self.c.at == before {
                    break;
                }
            }
            self.leave_group(open);
            self.c.shallower();
        }
        let is_guard = self.c.is_word(w::WHEN) && self.in_label && self.expression_follows(self.c.at + 1);
        if self.at_name() && !is_guard {
            self.pattern_variable(modifiers, ty, is_var);
        }
    }

    /// A pattern inside a record pattern; a variable without a type takes that of the component.
    fn component_pattern(&mut self, record: Option<crate::TypeId>, index: u32) {
        let defs = self.b.facts().defs.len();
        let is_var = self.c.is_word(w::VAR) && Self::is_name(self.c.nth(1));
        self.pattern();
        if let (true, Some(record)) = (is_var && self.b.facts().defs.len() > defs, record) {
            let unknown = self.b.expr(Expr::Unknown);
            let base = self.b.expr(Expr::Cast { ty: record, value: unknown });
            let item = self.b.expr(Expr::Item { base, index });
            self.b.def_mut(crate::DefId(defs as u32)).init = Some(item);
        }
    }

    fn pattern_variable(&mut self, modifiers: Modifiers, ty: Option<crate::TypeId>, is_var: bool) {
        let name = self.c.bump();
        if self.b.facts().scope(self.b.scope()).kind == ScopeKind::Class {
            self.b.open(ScopeKind::Block, name.start, None);
        }
        let flags = if is_var { modifiers.flags | DefFlags::VAR } else { modifiers.flags };
        self.variable(name, SymbolKind::Variable, Modifiers { flags, ..modifiers }, ty);
    }

    /// `instanceof` was read: the type or pattern behind it.
    pub(super) fn type_test(&mut self, left: ExprId) -> ExprId {
        let start = if self.c.is(b'@') || self.c.is_word(w::FINAL) {
            self.pattern();
            None
        } else {
            let behind = self.skip_type(self.c.at);
            let is_pattern = behind.is_some_and(|i| {
                let next = self.c.token(i);
                Self::is_name(next) || next.is(b'(') && i > self.c.at
            });
            if is_pattern {
                self.pattern();
                None
            } else {
                Some(self.ty(Role::Type))
            }
        };
        let ty = start.unwrap_or_else(|| self.b.ty(TypeExpr::Unknown));
        let right = self.b.expr(Expr::Type(ty));
        self.b.expr(Expr::Binary { op: BinaryOp::TypeTest, left, right })
    }
}
