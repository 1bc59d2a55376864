//! Expressions, flattened to what an index asks for.

use ide_model::{SymbolKind, TextRange};

use crate::facts::{
    BinaryOp, Collection, DefFlags, Expectation, Expr, ExprId, List, Literal, RefFlags, RefId, Role,
    ScopeKind, UnaryOp,
};

use super::lexer::{StrParts, T, Tok};
use super::parser::{Frame, FrameKind, MAX_DEPTH, Parser, is_identifier};

impl<'a> Parser<'a> {
    /// Comma-separated expressions; several make a tuple.
    pub(super) fn expr_list(&mut self) -> ExprId {
        let first = self.item();
        if self.kind() != T::Comma {
            return first;
        }
        let mut items = vec![first];
        while self.eat(T::Comma) {
            if !self.at_expr() {
                break;
            }
            items.push(self.item());
        }
        let items = self.list(&items);
        self.b.expr(Expr::Collection { kind: Collection::Tuple, items })
    }

    /// An element of a display or argument list: `*x`, `x := y`, or an expression.
    fn item(&mut self) -> ExprId {
        match self.kind() {
            T::Star | T::DoubleStar => {
                self.bump();
                let value = self.expr();
                self.b.expr(Expr::Spread(value))
            }
            T::Yield => self.yielded(),
            _ => self.named_expr(),
        }
    }

    pub(super) fn named_expr(&mut self) -> ExprId {
        if self.kind() != T::Name || self.ahead(1) != T::Walrus {
            return self.expr();
        }
        let tok = self.bump();
        let target = self.bind(tok, true);
        self.bump();
        let value = self.expr();
        self.give(&target, value);
        value
    }

    fn at_expr(&self) -> bool {
        !matches!(
            self.kind(),
            T::Eof
                | T::Newline
                | T::Indent
                | T::Dedent
                | T::RParen
                | T::RBrack
                | T::RBrace
                | T::FClose
                | T::FEnd
                | T::Assign
                | T::AugAssign
                | T::Colon
                | T::Semi
                | T::Comma
                | T::For
                | T::In
                | T::If
                | T::Else
                | T::As
        )
    }

    /// An expression without top-level commas or walrus.
    pub(super) fn expr(&mut self) -> ExprId {
        if self.depth >= MAX_DEPTH {
            return self.flat_expression();
        }
        self.depth += 1;
        let value = if self.kind() == T::Lambda { self.lambda() } else { self.conditional() };
        self.depth -= 1;
        value
    }

    /// Takes an expression that is nested too deeply as bare names.
    fn flat_expression(&mut self) -> ExprId {
        let mut value = None;
        while self.at_expr() {
            let open = matches!(self.kind(), T::LParen | T::LBrack | T::LBrace | T::FStart);
            if open {
                let close = self.partner(self.pos);
                value = Some(self.flat_until(close));
                self.leave_bracket(close);
            } else {
                self.stray_token();
            }
        }
        value.unwrap_or_else(|| self.unknown())
    }

    fn conditional(&mut self) -> ExprId {
        let start = self.tok().start;
        let outer_tests = self.tests.len();
        let first = self.disjunction();
        if self.kind() != T::If {
            return first;
        }
        let mut choices = vec![first];
        let mut start = start;
        while self.kind() == T::If {
            let end = self.last_end;
            self.bump();
            let mark = self.tests.len();
            self.disjunction();
            let tests = self.tests.split_off(mark);
            self.emit_guards(&tests, true, TextRange::new(start, end.max(start)));
            if !self.eat(T::Else) {
                break;
            }
            start = self.tok().start;
            let other = if self.kind() == T::Lambda { self.expr() } else { self.disjunction() };
            choices.push(other);
            self.emit_guards(&tests, false, TextRange::new(start, self.last_end.max(start)));
        }
        self.tests.truncate(outer_tests);
        let choices = self.list(&choices);
        self.b.expr(Expr::Choice(choices))
    }

    pub(super) fn disjunction(&mut self) -> ExprId {
        self.junction(T::Or)
    }

    /// `a or b or c`, or one level down `a and b and c`: what a part tests holds for the parts after it.
    fn junction(&mut self, op: T) -> ExprId {
        let is_or = op == T::Or;
        let mark = self.tests.len();
        let mut left = if is_or { self.junction(T::And) } else { self.negation() };
        if self.kind() != op {
            return left;
        }
        let mut spans = Vec::new();
        while self.kind() == op {
            spans.push((self.tests.len(), self.last_end));
            self.bump();
            let right = if is_or { self.junction(T::And) } else { self.negation() };
            let op = if is_or { BinaryOp::Or } else { BinaryOp::And };
            left = self.b.expr(Expr::Binary { op, left, right });
        }
        let either = if is_or { self.either_class(mark, &spans) } else { None };
        let mut from = mark;
        for (upto, start) in spans {
            let tests = self.tests[from..upto].to_vec();
            self.emit_guards(&tests, !is_or, TextRange::new(start, self.last_end.max(start)));
            from = upto;
        }
        for test in &mut self.tests[mark..] {
            *(if is_or { &mut test.when_true } else { &mut test.when_false }) = None;
        }
        self.tests.extend(either);
        left
    }

    fn negation(&mut self) -> ExprId {
        if self.kind() != T::Not {
            return self.comparison();
        }
        let mut is_odd = false;
        while self.eat(T::Not) {
            is_odd = !is_odd;
        }
        let mark = self.tests.len();
        let value = self.comparison();
        if is_odd {
            for test in &mut self.tests[mark..] {
                std::mem::swap(&mut test.when_true, &mut test.when_false);
            }
        }
        self.b.expr(Expr::Unary { op: UnaryOp::Not, value })
    }

    fn comparison(&mut self) -> ExprId {
        let mark = self.tests.len();
        let mut left = self.arithmetic();
        loop {
            let op = match self.kind() {
                T::Compare => BinaryOp::Compare,
                T::In => BinaryOp::In,
                T::Is => BinaryOp::Compare,
                T::Not if self.ahead(1) == T::In => BinaryOp::In,
                _ => return left,
            };
            let operator = self.bump();
            let is_not = self.eat(T::Not);
            self.eat(T::In);
            let right = self.arithmetic();
            self.tests.truncate(mark);
            if matches!(self.text(operator), "is" | "==") && !is_not {
                self.note_class_test(left, right);
            }
            left = self.b.expr(Expr::Binary { op, left, right });
        }
    }

    pub(super) fn arithmetic(&mut self) -> ExprId {
        let mut left = self.unary();
        loop {
            let op = match self.kind() {
                T::Plus => BinaryOp::Plus,
                T::Minus | T::Star | T::DoubleStar | T::Mul | T::At => BinaryOp::Arithmetic,
                T::Pipe | T::Bits => BinaryOp::Bits,
                T::Shift => BinaryOp::Shift,
                _ => return left,
            };
            self.bump();
            let right = self.unary();
            left = self.b.expr(Expr::Binary { op, left, right });
        }
    }

    fn unary(&mut self) -> ExprId {
        let mut is_signed = false;
        while matches!(self.kind(), T::Plus | T::Minus | T::Tilde) {
            self.bump();
            is_signed = true;
        }
        let mut value = if self.eat(T::Await) {
            let value = self.primary(Role::Read);
            self.b.expr(Expr::Await(value))
        } else {
            self.primary(Role::Read)
        };
        if is_signed {
            value = self.b.expr(Expr::Unary { op: UnaryOp::Arithmetic, value });
        }
        value
    }

    /// An atom with everything that is taken from it; the last name gets `role` unless it is called.
    pub(super) fn primary(&mut self, role: Role) -> ExprId {
        let first = self.pos;
        let mut value = self.atom(role);
        let mut name = (self.toks[first].kind == T::Name).then(|| (None, self.text(self.toks[first])));
        loop {
            match self.kind() {
                T::Dot => {
                    self.bump();
                    if self.kind() != T::Name {
                        self.complain("a name is missing after the dot");
                        // A keyword being typed as a name.
                        if !self.kind().is_layout() && self.tok().start == self.last_end && self.at_expr() {
                            self.bump();
                        }
                        return self.unknown();
                    }
                    let tok = self.bump();
                    let role = self.role_here(role);
                    let member = self.member(tok, role, value);
                    value = self.b.expr(Expr::Ref(member));
                    let base = name.and_then(|(base, name)| base.is_none().then_some(name));
                    name = Some((base.or(Some("")), self.text(tok)));
                }
                T::LParen => {
                    value = self.call(value, name.take());
                }
                T::LBrack => {
                    value = match name.take() {
                        Some((base, name)) if self.is_typing_subscript(base, name) => {
                            self.typing_value(value)
                        }
                        _ => self.index(value),
                    };
                }
                _ => return value,
            }
        }
    }

    /// The role of the name just taken: a call makes it one, and what is taken from further is only read.
    fn role_here(&self, role: Role) -> Role {
        match self.kind() {
            T::LParen if role == Role::Read => Role::Call,
            T::Dot | T::LBrack => Role::Read,
            _ => role,
        }
    }

    pub(super) fn atom(&mut self, role: Role) -> ExprId {
        let literal = match self.kind() {
            T::Name => {
                let tok = self.bump();
                let role = self.role_here(role);
                let reference = self.reference(tok, role);
                return self.b.expr(Expr::Ref(reference));
            }
            T::Str | T::FStart => return self.strings(),
            T::LParen => return self.group(),
            T::LBrack => return self.display(Collection::List),
            T::LBrace => return self.display(Collection::Map),
            T::Lambda => return self.expr(),
            T::Number => {
                let text = self.text(self.tok());
                let is_hex = text.len() > 1 && text.as_bytes()[1] | 0x20 == b'x';
                if !is_hex && text.bytes().any(|b| matches!(b | 0x20, b'.' | b'e' | b'j')) {
                    Literal::Float
                } else {
                    Literal::Int
                }
            }
            T::True | T::False => Literal::Bool,
            T::None => Literal::Null,
            T::Ellipsis => Literal::Other,
            T::Backtick => {
                self.bump();
                if self.at_expr() && self.depth < MAX_DEPTH {
                    self.expr();
                }
                self.eat(T::Backtick);
                return self.b.expr(Expr::Literal(Literal::String));
            }
            _ => {
                self.complain("an expression is missing");
                return self.unknown();
            }
        };
        self.bump();
        self.b.expr(Expr::Literal(literal))
    }

    /// Adjacent string literals; the code inside f-strings is read.
    fn strings(&mut self) -> ExprId {
        let first = self.tok();
        let mut count = 0;
        let mut is_bytes = false;
        while matches!(self.kind(), T::Str | T::FStart) {
            count += 1;
            if self.kind() == T::FStart {
                self.format_string();
                continue;
            }
            is_bytes = StrParts::of(self.bump()).is_bytes;
        }
        if is_bytes {
            return self.b.expr(Expr::Literal(Literal::Bytes));
        }
        if count == 1 && first.kind == T::Str {
            let content = Self::string_content(first);
            let text = &self.src[content.start as usize..content.end as usize];
            // Keys, and what may choose an overload (`open(path, "rb")`).
            let longest = match self.kind() {
                T::RBrack | T::Colon => 64,
                T::Comma | T::RParen => 24,
                _ => 0,
            };
            if !text.is_empty() && text.len() <= longest {
                let name = self.b.name(text);
                return self.b.expr(Expr::Text(name));
            }
        }
        self.b.expr(Expr::Literal(Literal::String))
    }

    fn format_string(&mut self) {
        let end = self.partner(self.pos);
        if self.depth >= MAX_DEPTH {
            self.flat_until(end);
            self.leave_bracket(end);
            return;
        }
        self.depth += 1;
        self.bump();
        self.fields(end);
        self.depth -= 1;
        self.leave_bracket(end);
    }

    /// The replacement fields up to a token; those of format specifications are nested in theirs.
    fn fields(&mut self, end: usize) {
        while self.pos < end {
            if self.kind() != T::FOpen || self.depth >= MAX_DEPTH {
                self.stray_token();
                continue;
            }
            let close = self.partner(self.pos);
            self.bump();
            if self.pos < close {
                self.expr_or_yield();
                self.eat(T::Assign);
                self.depth += 1;
                self.fields(close);
                self.depth -= 1;
            }
            self.leave_bracket(close);
        }
    }

    pub(super) fn expr_or_yield(&mut self) -> ExprId {
        if self.kind() == T::Yield { self.yielded() } else { self.expr_list() }
    }

    fn yielded(&mut self) -> ExprId {
        self.bump();
        let is_from = self.eat(T::From);
        let value = if self.at_expr() { self.expr_list() } else { self.unknown() };
        let value = if is_from { self.b.expr(Expr::Element(value)) } else { value };
        let result = self.b.expr(Expr::Yield(value));
        let is_function = |kind| matches!(kind, FrameKind::Function | FrameKind::Lambda);
        if let Some(frame) = self.frames.iter_mut().rfind(|f| is_function(f.kind)) {
            frame.is_generator = true;
            frame.returns.push(result);
        }
        result
    }

    /// `(…)`: a group, a tuple or a generator.
    fn group(&mut self) -> ExprId {
        let open = self.pos;
        let close = self.partner(open);
        if self.depth >= MAX_DEPTH {
            let value = self.flat_until(close);
            self.leave_bracket(close);
            return value;
        }
        self.depth += 1;
        let value = if self.is_comprehension(open) {
            self.comprehension(Collection::Array)
        } else {
            self.bump();
            if self.pos < close {
                self.expr_or_yield()
            } else {
                self.b.expr(Expr::Collection { kind: Collection::Tuple, items: List::EMPTY })
            }
        };
        self.depth -= 1;
        self.leave_bracket(close);
        value
    }

    /// `[…]` and `{…}`; braces without a colon make a set.
    fn display(&mut self, kind: Collection) -> ExprId {
        let open = self.pos;
        let close = self.partner(open);
        if self.depth >= MAX_DEPTH {
            let value = self.flat_until(close);
            self.leave_bracket(close);
            return value;
        }
        self.depth += 1;
        let value = if self.over_group() {
            self.unknown()
        } else if self.is_comprehension(open) {
            self.comprehension(kind)
        } else {
            self.bump();
            let mark = self.tests.len();
            let mut items = Vec::new();
            let mut has_values = false;
            while self.pos < close {
                let at = self.pos;
                if self.kind() == T::DoubleStar {
                    has_values = true;
                }
                items.push(self.item());
                if kind == Collection::Map && self.eat(T::Colon) {
                    has_values = true;
                    items.push(self.expr());
                }
                if !self.eat(T::Comma) && self.pos < close {
                    self.complain("a comma is missing");
                    if self.pos == at {
                        self.stray_token();
                    }
                }
            }
            self.tests.truncate(mark);
            let is_set = kind == Collection::Map && !has_values && !items.is_empty();
            let kind = if is_set { Collection::Set } else { kind };
            let items = self.list(&items);
            self.b.expr(Expr::Collection { kind, items })
        };
        self.depth -= 1;
        self.leave_bracket(close);
        value
    }

    /// A comprehension in the bracket that starts here; what its bracket makes is `kind`.
    fn comprehension(&mut self, kind: Collection) -> ExprId {
        let close = self.partner(self.pos);
        let start = self.bump().start;
        let outer = self.b.scope();
        let scope = self.b.open(ScopeKind::Comprehension, start, None);
        self.frames.push(Frame::new(FrameKind::Comprehension, scope));
        let mut items = vec![self.item()];
        let mut kind = kind;
        if kind == Collection::Map {
            if self.eat(T::Colon) {
                items.push(self.expr());
            } else {
                kind = Collection::Set;
            }
        }
        let mark = self.tests.len();
        let mut is_first = true;
        while self.pos < close {
            let at = self.pos;
            let is_async = self.eat(T::Async);
            if self.eat(T::For) {
                let target = self.targets();
                if !self.eat(T::In) {
                    self.complain("`in` is missing");
                }
                if is_first {
                    self.b.enter(outer);
                }
                let source = self.disjunction_or_lambda();
                if std::mem::take(&mut is_first) {
                    self.b.leave();
                }
                let value = self.element_of(source, is_async);
                self.give(&target, value);
            } else if self.eat(T::If) {
                self.disjunction_or_lambda();
            }
            if self.pos == at {
                break;
            }
        }
        let tests = self.tests.split_off(mark);
        let end = self.toks[close].start.max(start);
        self.emit_guards(&tests, true, TextRange::new(start, end));
        self.frames.pop();
        self.b.close(end);
        let items = self.list(&items);
        self.b.expr(Expr::Collection { kind, items })
    }

    fn disjunction_or_lambda(&mut self) -> ExprId {
        if self.kind() == T::Lambda { self.expr() } else { self.disjunction() }
    }

    fn lambda(&mut self) -> ExprId {
        let start = self.bump().start;
        let name_range = TextRange::new(start, start);
        let def = self.b.def("", name_range, SymbolKind::Function);
        self.b.def_mut(def).flags.set(DefFlags::ANONYMOUS);
        let outer = self.b.scope();
        let scope = self.b.open(ScopeKind::Function, start, Some(def));
        self.b.enter(outer);
        let params = self.parameters(scope, None);
        self.b.leave();
        if !self.eat(T::Colon) {
            self.complain("`:` is missing");
        }
        self.frames.push(Frame::new(FrameKind::Lambda, scope));
        let mark = self.tests.len();
        let value = self.expr();
        self.tests.truncate(mark);
        let mut frame = self.frames.pop().expect("pushed above");
        if !frame.is_generator {
            frame.returns = vec![value];
        }
        self.b.close(self.last_end);
        let returns = self.list(&frame.returns);
        let params = self.list(&params);
        let end = self.last_end.max(start);
        let made = self.b.def_mut(def);
        made.params = params;
        made.returns = returns;
        made.range = TextRange::new(start, end);
        if frame.is_generator {
            made.flags.set(DefFlags::GENERATOR);
        }
        self.b.expr(Expr::Function(def))
    }

    /// `value(…)`. `name` is what is called, as (base name, name), where it is a plain or dotted name.
    pub(super) fn call(&mut self, callee: ExprId, name: Option<(Option<&'a str>, &'a str)>) -> ExprId {
        let open = self.pos;
        let close = self.partner(open);
        if self.depth >= MAX_DEPTH {
            let value = self.flat_until(close);
            self.leave_bracket(close);
            return value;
        }
        self.depth += 1;
        let mark = self.tests.len();
        let typing = name.and_then(|(base, name)| self.typing_member(base, name));
        let mut args = Vec::new();
        let is_stepped_over = typing.is_none() && self.over_group();
        if !is_stepped_over && self.is_comprehension(open) {
            args.push(self.comprehension(Collection::Array));
        } else if !is_stepped_over {
            self.bump();
            self.arguments(close, typing, &mut args);
        }
        self.tests.truncate(mark);
        self.depth -= 1;
        self.leave_bracket(close);
        if typing == Some("cast")
            && let [ty, value] = args[..]
            && let Expr::Type(ty) = self.b.facts().expr(ty)
        {
            return self.b.expr(Expr::Cast { ty, value });
        }
        if name == Some((None, "super")) && args.len() != 1 {
            let scope = self.b.scope();
            return self.b.expr(Expr::Super(scope));
        }
        let is_test = matches!(name, Some((None, "isinstance" | "issubclass")));
        if let (true, Some((_, function)), [subject, second, ..]) = (is_test, name, &args[..]) {
            self.note_test(function, *subject, *second);
        }
        let listed = self.list(&args);
        let call = self.b.expr(Expr::Call { callee, type_args: List::EMPTY, args: listed });
        self.expect_functions(call, &args);
        if !is_test {
            self.note_promise(callee, &args);
        }
        if name.is_some_and(|(_, function)| super::pytest::TAKE_NAMES.contains(&function)) {
            self.fixture_names(open);
        }
        if name.is_some_and(|(_, function)| function == "namedtuple") {
            self.made_tuple = Some((call, self.second_argument(open)));
        }
        call
    }

    /// Names of fixtures that a call gives as strings.
    fn fixture_names(&mut self, open: usize) {
        let close = self.partner(open);
        let strings: Vec<Tok> = self.toks[open + 1..close]
            .iter()
            .take_while(|t| matches!(t.kind, T::Str | T::Comma))
            .copied()
            .collect();
        for string in strings.into_iter().filter(|tok| tok.kind == T::Str) {
            self.string_reference(string, RefFlags::DYNAMIC);
        }
    }

    /// The strings of the second argument in a call's bracket: a list, a tuple or one string.
    fn second_argument(&self, open: usize) -> Vec<Tok> {
        let close = self.partner(open);
        let comma = (open + 1..close).find(|i| self.toks[*i].kind == T::Comma);
        let start = comma.map_or(close, |comma| comma + 1);
        let end = match self.toks[start].kind {
            T::LBrack | T::LParen => self.partner(start).min(close),
            T::Str => start + 1,
            _ => start,
        };
        self.toks[start..end].iter().filter(|t| t.kind == T::Str).copied().collect()
    }

    /// Notes where lambdas among the arguments go.
    fn expect_functions(&mut self, call: ExprId, args: &[ExprId]) {
        for (index, arg) in args.iter().enumerate() {
            match self.b.facts().expr(*arg) {
                Expr::Function(_) => {
                    self.b.expect(*arg, Expectation::Argument { call, index: index as u32 });
                }
                Expr::Named { key, value } if matches!(self.b.facts().expr(value), Expr::Function(_)) => {
                    self.b.expect(value, Expectation::Named { call, key });
                }
                _ => {}
            }
        }
    }

    fn arguments(&mut self, close: usize, typing: Option<&str>, args: &mut Vec<ExprId>) {
        // A key that stands before, and whether it is the unpacking `**keys`.
        let (mut has_key, mut has_unpacked) = (false, false);
        while self.pos < close {
            let at = self.pos;
            let is_key = self.kind() == T::Name && self.ahead(1) == T::Assign;
            let is_unpacked = self.kind() == T::DoubleStar;
            if !is_key && !is_unpacked && (has_unpacked || has_key && self.kind() != T::Star) {
                self.complain("a positional argument stands behind a keyword argument");
            }
            has_key |= is_key;
            has_unpacked |= is_unpacked;
            let arg = if is_key {
                let tok = self.bump();
                let key = self.reference(tok, Role::Key);
                self.bump();
                let is_bound = typing == Some("TypeVar") && self.text(tok) == "bound";
                let value = if is_bound { self.type_value() } else { self.named_expr() };
                self.b.expr(Expr::Named { key, value })
            } else if self.is_type_argument(typing, args.len()) {
                self.type_value()
            } else {
                self.item()
            };
            args.push(arg);
            if !self.eat(T::Comma) && self.pos < close {
                self.complain("a comma is missing");
                if self.pos == at {
                    self.stray_token();
                }
            }
        }
    }

    fn is_type_argument(&self, typing: Option<&str>, index: usize) -> bool {
        match typing {
            Some("cast") => index == 0,
            Some("TypeVar" | "NewType") => index > 0,
            _ => false,
        }
    }

    /// `value[…]`.
    pub(super) fn index(&mut self, base: ExprId) -> ExprId {
        let open = self.pos;
        let close = self.partner(open);
        if self.depth >= MAX_DEPTH {
            let value = self.flat_until(close);
            self.leave_bracket(close);
            return value;
        }
        self.depth += 1;
        self.bump();
        let mark = self.tests.len();
        let mut items = Vec::new();
        let mut is_slice = false;
        let mut is_tuple = false;
        while self.pos < close {
            let at = self.pos;
            match self.kind() {
                T::Colon => {
                    is_slice = true;
                    self.bump();
                }
                T::Comma => {
                    is_tuple = true;
                    self.bump();
                }
                _ => items.push(self.item()),
            }
            if self.pos == at {
                self.complain("not understood");
                self.stray_token();
            }
        }
        let number = (self.pos == open + 2).then(|| self.text(self.toks[open + 1]).parse().ok()).flatten();
        self.tests.truncate(mark);
        self.depth -= 1;
        self.leave_bracket(close);
        if is_slice && !is_tuple {
            return self.b.expr(Expr::Slice(base));
        }
        let index = match (&items[..], number) {
            ([literal], Some(index)) => self.b.expr(Expr::Item { base: *literal, index }),
            ([index], _) if !is_tuple => *index,
            _ => {
                let items = self.list(&items);
                self.b.expr(Expr::Collection { kind: Collection::Tuple, items })
            }
        };
        self.b.expr(Expr::Index { base, index })
    }

    /// Makes a string that names something a use of it.
    pub(super) fn string_reference(&mut self, tok: Tok, flags: RefFlags) -> Option<RefId> {
        let range = Self::string_content(tok);
        let text = &self.src[range.start as usize..range.end as usize];
        is_identifier(text).then(|| {
            let reference = self.b.reference(text, range, Role::Read);
            self.b.ref_mut(reference).flags = RefFlags::IN_STRING | flags;
            reference
        })
    }
}
