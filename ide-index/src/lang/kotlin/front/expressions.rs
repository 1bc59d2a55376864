//! Operators by precedence, and what follows a value: accesses, calls, indexes, lambdas.

use crate::facts::{BinaryOp, Expr, ExprId, List, RefFlags, RefId, Role, TypeId, UnaryOp};
use crate::kit::{Kind, value};

use super::lexer::words as w;
use super::{Parser, Value};

/// A binary operator, with what needs more than two operands' types.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Plain(BinaryOp),
    /// `is`, or `!is`.
    Is(bool),
    /// `as`, or `as?`.
    As(bool),
    /// A function between its operands.
    Infix,
}

impl Parser<'_> {
    /// An expression. An expression without a type of its own stays pending.
    pub(super) fn expression(&mut self) -> ExprId {
        if !self.c.deeper() {
            self.c.skip();
            return self.b.expr(Expr::Unknown);
        }
        let value = self.binary(0);
        self.c.shallower();
        value.expr
    }

    /// The operator at the cursor: what it is, how tightly it binds, of how many tokens it is made.
    fn operator(&self) -> Option<(Operator, u8, usize)> {
        use Operator::{As, Infix, Is, Plain};
        let token = self.c.peek();
        let newline = self.at_newline();
        let joined = |run: &[u8]| self.c.is_joined(run);
        if token.kind == Kind::Word {
            if token.sub == w::AS {
                let safe = self.c.nth(1).is(b'?') && self.c.nth(1).start == token.end;
                return Some((As(safe), 11, 1 + usize::from(safe)));
            }
            if newline {
                return None;
            }
            return match token.sub {
                w::IN => Some((Plain(BinaryOp::In), 5, 1)),
                w::IS => Some((Is(true), 5, 1)),
                w::WHERE if self.in_head => None,
                _ if Self::is_name(token) => (!self.starts_nothing(1)).then_some((Infix, 7, 1)),
                _ => None,
            };
        }
        if token.kind != Kind::Punct {
            return None;
        }
        let (plain, level, run) = match token.sub {
            b'|' if joined(b"||") => (BinaryOp::Or, 1, 2),
            b'&' if joined(b"&&") => (BinaryOp::And, 2, 2),
            b'?' if joined(b"?:") => (BinaryOp::Coalesce, 6, 2),
            _ if newline => return None,
            b'=' if joined(b"===") => (BinaryOp::Compare, 3, 3),
            b'=' if joined(b"==") => (BinaryOp::Compare, 3, 2),
            b'!' if joined(b"!==") => (BinaryOp::Compare, 3, 3),
            b'!' if joined(b"!=") => (BinaryOp::Compare, 3, 2),
            b'!' => {
                let next = self.c.nth(1);
                let adjacent = next.kind == Kind::Word && next.start == token.end;
                return match next.sub {
                    w::IN if adjacent => Some((Plain(BinaryOp::In), 5, 2)),
                    w::IS if adjacent => Some((Is(false), 5, 2)),
                    _ => None,
                };
            }
            b'<' | b'>' => (BinaryOp::Compare, 4, 1 + usize::from(joined(&[token.sub, b'=']))),
            b'.' if joined(b"..<") => (BinaryOp::Range, 8, 3),
            b'.' if joined(b"..") => (BinaryOp::Range, 8, 2),
            b'+' | b'-' | b'*' | b'/' | b'%' if joined(&[token.sub, b'=']) => return None,
            b'-' if joined(b"->") => return None,
            b'+' => (BinaryOp::Plus, 9, 1),
            b'-' => (BinaryOp::Arithmetic, 9, 1),
            b'*' | b'/' | b'%' => (BinaryOp::Arithmetic, 10, 1),
            _ => return None,
        };
        Some((Plain(plain), level, run))
    }

    /// No value begins at the token `n` behind the next one.
    fn starts_nothing(&self, n: usize) -> bool {
        let token = self.c.nth(n);
        match token.kind {
            Kind::Close | Kind::End => true,
            Kind::Word => matches!(token.sub, w::ELSE | w::IN | w::IS | w::AS),
            Kind::Punct => !matches!(token.sub, b'-' | b'+' | b'!' | b'@' | b':'),
            _ => false,
        }
    }

    pub(super) fn binary(&mut self, floor: u8) -> Value {
        let (mark, tests) = (self.pending.mark(), self.tests.len());
        let mut left = self.unary();
        while let Some((op, level, run)) = self.operator().filter(|(_, level, _)| *level > floor) {
            let name = self.c.peek();
            self.c.at += run;
            let expr = match op {
                Operator::Is(positive) => {
                    self.tests.truncate(tests);
                    let ty = self.ty(Role::Type);
                    self.note_test(left, ty, positive);
                    let right = self.b.expr(Expr::Type(ty));
                    self.b.expr(Expr::Binary { op: BinaryOp::TypeTest, left: left.expr, right })
                }
                Operator::As(safe) => {
                    self.tests.truncate(tests);
                    let ty = self.ty(Role::Type);
                    if !safe {
                        self.note_cast(left, ty);
                    }
                    self.pending.settle(&mut self.b, mark, crate::facts::Expectation::Type(ty));
                    self.b.expr(Expr::Cast { ty, value: left.expr })
                }
                Operator::Infix => {
                    self.pending.forget(mark);
                    let text = self.c.str(name);
                    let (_, callee) =
                        value::name(&mut self.b, Some(left.expr), text, name.range(), Role::Call);
                    let right = self.binary(level).expr;
                    self.tests.truncate(tests);
                    let call = value::call(&mut self.b, callee, List::EMPTY, &[right]);
                    self.pending.settle_arguments(&mut self.b, mark, call);
                    call
                }
                Operator::Plain(op) => self.plain_operator(op, level, left.expr, mark, tests),
            };
            left = Value::of(expr);
        }
        left
    }

    fn plain_operator(&mut self, op: BinaryOp, level: u8, left: ExprId, mark: usize, tests: usize) -> ExprId {
        let start = self.c.last_end();
        let between = self.tests.len();
        let right = self.binary(level).expr;
        let range = self.c.since(start);
        let known = self.tests[tests..between].to_vec();
        match op {
            BinaryOp::And => {
                self.hold_all(&known, true, range);
                self.keep_tests(tests, true);
            }
            BinaryOp::Or => {
                self.hold_all(&known, false, range);
                self.keep_tests(tests, false);
            }
            _ => self.tests.truncate(tests),
        }
        if op != BinaryOp::Coalesce {
            self.pending.forget(mark);
        }
        self.b.expr(Expr::Binary { op, left, right })
    }

    fn unary(&mut self) -> Value {
        let token = self.c.peek();
        let op = match (token.kind, token.sub) {
            (Kind::Punct, b'!') => UnaryOp::Not,
            (Kind::Punct, b'+' | b'-') => UnaryOp::Arithmetic,
            (Kind::Punct, b'@') if self.at_annotation() => {
                self.annotations();
                return if self.c.deeper() {
                    let value = self.unary();
                    self.c.shallower();
                    value
                } else {
                    self.unknown()
                };
            }
            _ => {
                let label = self.label();
                if label.is_some() {
                    self.lambda_label = label;
                }
                let first = self.primary();
                return self.suffixes(first);
            }
        };
        if !self.c.deeper() {
            self.c.skip();
            return self.unknown();
        }
        let steps = self.c.eat_joined(b"++") || self.c.eat_joined(b"--");
        if !steps {
            self.c.at += 1;
        }
        let tests = self.tests.len();
        let operand = self.unary();
        self.c.shallower();
        if steps {
            if let Some(name) = operand.name {
                self.b.ref_mut(name).role = Role::ReadWrite;
            }
            return Value::of(operand.expr);
        }
        if op == UnaryOp::Not {
            self.negate_tests(tests);
        } else {
            self.tests.truncate(tests);
        }
        Value::of(self.b.expr(Expr::Unary { op, value: operand.expr }))
    }

    /// The suffixes of a value.
    pub(super) fn suffixes(&mut self, mut left: Value) -> Value {
        let (mark, tests) = (self.pending.mark(), self.tests.len());
        loop {
            let token = self.c.peek();
            let same_line = !self.at_newline();
            let next = match (token.kind, token.sub) {
                (Kind::Punct, b'.') if !self.c.is_joined(b"..") => self.access(left, false),
                (Kind::Punct, b'?') if self.c.is_joined(b"?.") => {
                    self.c.at += 1;
                    self.access(left, true)
                }
                (Kind::Punct, b'?') if self.c.is_joined(b"?::") => {
                    self.c.at += 1;
                    Some(Value::of(self.callable_reference(Some(left.expr))))
                }
                (Kind::Punct, b':') if same_line && self.c.is_joined(b"::") => {
                    if let Some(name) = left.name {
                        self.flag(name, RefFlags::TYPE_ONLY);
                    }
                    let expr = self.callable_reference(Some(left.expr));
                    left = Value::of(expr);
                    // The context of a callable reference decides its type.
                    continue;
                }
                (Kind::Punct, b'!') if same_line && self.c.is_joined(b"!!") => {
                    self.c.at += 2;
                    Some(Value::of(self.b.expr(Expr::NonNull(left.expr))))
                }
                (Kind::Punct, b'+' | b'-')
                    if same_line && (self.c.is_joined(b"++") || self.c.is_joined(b"--")) =>
                {
                    self.c.at += 2;
                    if let Some(name) = left.name {
                        self.b.ref_mut(name).role = Role::ReadWrite;
                    }
                    Some(Value::of(left.expr))
                }
                (Kind::Open, b'[') if same_line => Some(self.index(left.expr)),
                (Kind::Open, b'(') if same_line => Some(Value::of(self.call(left.expr, List::EMPTY))),
                (Kind::Open, b'{') | (Kind::Punct, b'@')
                    if self.at_trailing_lambda() && self.is_callable(left.expr) =>
                {
                    Some(Value::of(self.call(left.expr, List::EMPTY)))
                }
                _ => None,
            };
            match next {
                Some(value) => left = value,
                None => return left,
            }
            self.pending.forget(mark);
            self.tests.truncate(tests);
        }
    }

    fn is_callable(&self, expr: ExprId) -> bool {
        matches!(self.b.facts().expr(expr), Expr::Call { .. } | Expr::Index { .. } | Expr::NonNull(_))
    }

    fn index(&mut self, base: ExprId) -> Value {
        let open = self.c.at;
        if self.skims_in_function() {
            let index = self.b.expr(Expr::Unknown);
            return Value::of(self.b.expr(Expr::Index { base, index }));
        }
        if !self.c.deeper() {
            self.c.skip();
            return self.unknown();
        }
        self.c.at += 1;
        let end = self.c.group_end(open);
        let mark = self.pending.mark();
        let mut first = None;
        let in_head = std::mem::take(&mut self.in_head);
        self.with_newlines(false, |p| {
            while p.c.at < end {
                let before = p.c.at;
                let value = p.expression();
                first = first.or(Some(value));
                if !p.c.eat(b',') || p.c.at == before {
                    break;
                }
            }
        });
        self.in_head = in_head;
        self.pending.forget(mark);
        self.leave_group(open);
        self.c.shallower();
        let index = first.unwrap_or_else(|| self.b.expr(Expr::Unknown));
        Value::of(self.b.expr(Expr::Index { base, index }))
    }

    /// The member behind the dot at the cursor.
    fn access(&mut self, left: Value, safe: bool) -> Option<Value> {
        self.c.at += 1;
        let token = self.c.peek();
        if Self::is_name(token) {
            let value = self.member(Some(left.expr), safe);
            return Some(value);
        }
        if token.is(b'(') {
            // `a.(f)()`: a function with receiver in parentheses.
            return Some(left);
        }
        self.unexpected("a name");
        None
    }

    /// The name at the cursor as a member of `receiver`, with its call if arguments follow.
    pub(super) fn member(&mut self, receiver: Option<ExprId>, safe: bool) -> Value {
        let token = self.c.bump();
        let text = self.c.str(token);
        let type_args = self.call_type_args();
        let is_call =
            self.at_arguments() || self.at_trailing_lambda() || !type_args.is_empty() && self.c.is(b'{');
        let role = if is_call { Role::Call } else { Role::Read };
        if receiver.is_none() && text == "it" {
            self.mention_it();
        }
        let (name, expr) = value::name(&mut self.b, receiver, text, token.range(), role);
        if safe {
            self.flag(name, RefFlags::OPTIONAL_CHAIN);
        }
        if is_call {
            let tests = self.tests.len();
            let call = self.call(expr, type_args);
            let asserts = receiver.is_none() && matches!(text, "require" | "check" | "assert" | "assertTrue");
            let known = self.take_tests(tests);
            if asserts {
                self.prove(&known, true);
            }
            Value::of(call)
        } else {
            Value { expr, name: Some(name) }
        }
    }

    /// Type arguments between a name and what makes it a call; nothing is read when they are a comparison.
    fn call_type_args(&mut self) -> List<TypeId> {
        if !self.c.is(b'<') || self.at_newline() {
            return List::EMPTY;
        }
        let Some(behind) = self.skip_angles(self.c.at) else { return List::EMPTY };
        let next = self.c.token(behind);
        let is_call = match next.kind {
            Kind::Open => next.sub == b'{' && !self.in_head || next.sub != b'[' && !next.after_newline,
            Kind::Punct => matches!(next.sub, b'.' | b',' | b';' | b'?') || self.c.joined_at(behind, b"::"),
            Kind::Close => true,
            Kind::Word => next.after_newline || !self.in_head && self.is_labelled_lambda(behind),
            _ => false,
        };
        if is_call { self.type_args() } else { List::EMPTY }
    }

    fn at_arguments(&self) -> bool {
        self.c.is(b'(') && !self.at_newline()
    }

    /// `name@{`.
    fn is_labelled_lambda(&self, at: usize) -> bool {
        let (name, sign) = (self.c.token(at), self.c.token(at + 1));
        Self::is_name(name) && sign.is(b'@') && sign.start == name.end && self.c.token(at + 2).is(b'{')
    }

    /// A lambda stands at the cursor that belongs to the call before it.
    fn at_trailing_lambda(&self) -> bool {
        if self.in_head || self.c.peek().after_newline {
            return false;
        }
        // `f @A { }`.
        let at = self.skip_annotations(self.c.at);
        self.c.token(at).is(b'{') || self.is_labelled_lambda(at)
    }

    /// Calls `callee` with the arguments and lambdas at the cursor.
    pub(super) fn call(&mut self, callee: ExprId, type_args: List<TypeId>) -> ExprId {
        if !self.c.deeper() {
            self.c.skip();
            return self.b.expr(Expr::Unknown);
        }
        let label = match self.b.facts().expr(callee) {
            Expr::Ref(name) => Some(self.b.facts().ref_name(name).into()),
            _ => None,
        };
        let outer_label = std::mem::replace(&mut self.lambda_label, label);
        let mark = self.pending.mark();
        let values = self.values.len();
        let mut keys = Vec::new();
        // Behind type arguments a lambda may stand on the next line.
        let is_bare = !type_args.is_empty() && !self.in_head && self.c.is(b'{');
        if self.at_arguments() && !self.skims_in_function() {
            keys = self.arguments(values);
        }
        if self.at_trailing_lambda() || is_bare {
            self.annotations();
            if let Some(own) = self.label() {
                self.lambda_label = Some(own);
            }
            let pending = self.pending.mark();
            let lambda = self.lambda(true);
            self.pending.number(pending, (self.values.len() - values) as u32);
            self.values.push(lambda);
        }
        self.lambda_label = outer_label;
        let args = self.b.list(self.values.drain(values..));
        let call = self.b.expr(Expr::Call { callee, type_args, args });
        self.pending.settle_arguments(&mut self.b, mark, call);
        self.own_keys(&keys, call);
        let facts = self.b.facts();
        if facts.list(args).any(|arg| matches!(facts.expr(arg), Expr::Function(_))) {
            // The expected type of the call may determine the types of a lambda's parameters.
            self.pending.push(call);
        }
        self.c.shallower();
        call
    }

    /// The parenthesised arguments at the cursor, pushed behind `first`. Pending expressions in them have got their
    /// numbers. Gives the names of named ones.
    pub(super) fn arguments(&mut self, first: usize) -> Vec<RefId> {
        let open = self.c.at;
        self.c.at += 1;
        let end = self.c.group_end(open);
        let in_head = std::mem::take(&mut self.in_head);
        let mut keys = Vec::new();
        self.with_newlines(false, |p| {
            while p.c.at < end {
                let before = p.c.at;
                let pending = p.pending.mark();
                let value = p.argument(&mut keys);
                p.pending.number(pending, (p.values.len() - first) as u32);
                p.values.push(value);
                if !p.c.eat(b',') {
                    if p.c.at < end {
                        p.unexpected("`,` or `)`");
                        if !p.c.is_closed(open) {
                            break;
                        }
                        while p.c.at < end && !p.c.eat(b',') {
                            p.c.skip();
                        }
                    }
                } else if p.c.at == before {
                    break;
                }
            }
        });
        self.in_head = in_head;
        self.leave_group(open);
        keys
    }

    fn argument(&mut self, keys: &mut Vec<RefId>) -> ExprId {
        let is_named = self.at_name() && self.c.nth(1).is(b'=') && !self.c.joined_at(self.c.at + 1, b"==");
        if !is_named {
            return if self.c.eat(b'*') {
                let value = self.expression();
                self.b.expr(Expr::Spread(value))
            } else {
                self.expression()
            };
        }
        let token = self.c.bump();
        self.c.at += 1;
        let key = self.b.reference(self.c.str(token), token.range(), Role::Key);
        keys.push(key);
        let spread = self.c.eat(b'*');
        let mut value = self.expression();
        if spread {
            value = self.b.expr(Expr::Spread(value));
        }
        self.b.expr(Expr::Named { key, value })
    }
}
