//! Expressions: binary operators by precedence, chains of names, calls and accesses, lambdas, constructions.

use ide_model::{SymbolKind, TextRange};

use crate::facts::{
    BinaryOp, Collection, DefFlags, DefId, Expectation, Expr, ExprId, List, Literal, RefFlags, Role,
    ScopeKind, SuperKind, SuperType, TypeExpr, TypeId, UnaryOp,
};
use crate::kit::{Kind, value};

use super::flow::{Bound, Row};
use super::lexer::{CHARACTER, words as w};
use super::{Function, Parser, Value};

/// Of `instanceof` and the comparisons.
const RELATIONAL: u8 = 7;

impl Parser<'_> {
    /// An expression, with assignments and the conditional operator. An expression without a type of its own
    /// stays pending.
    pub(super) fn expression(&mut self) -> ExprId {
        if !self.c.deeper() {
            self.c.skip();
            return self.b.expr(Expr::Unknown);
        }
        let value = self.expression_inside();
        self.c.shallower();
        value
    }

    fn expression_inside(&mut self) -> ExprId {
        let mark = self.pending.mark();
        let left = self.binary(0);
        if self.c.is(b'?') {
            self.pending.forget(mark);
            self.c.at += 1;
            return self.conditional();
        }
        let Some(run) = self.assignment() else { return left.expr };
        self.flow.bound = Bound::default();
        self.pending.forget(mark);
        self.c.at += run;
        if let Some(name) = left.name {
            self.b.ref_mut(name).role = if run == 1 { Role::Write } else { Role::ReadWrite };
        }
        let value = self.expression();
        self.flow.bound = Bound::default();
        self.pending.settle(&mut self.b, mark, Expectation::Assigned(left.expr));
        self.b.expr(Expr::Assign { target: left.expr, value })
    }

    fn conditional(&mut self) -> ExprId {
        let bound = self.take_bound();
        let start = self.c.last_end();
        let outside = std::mem::take(&mut self.in_label);
        let yes = self.expression();
        self.in_label = outside;
        self.visible(&bound.if_true, start);
        self.want(b':');
        let start = self.c.last_end();
        let no = self.expression();
        self.visible(&bound.if_false, start);
        self.flow.bound = Bound::default();
        let both = self.b.list([yes, no]);
        self.b.expr(Expr::Choice(both))
    }

    /// How many tokens the assignment operator at the cursor has, if one is there.
    fn assignment(&self) -> Option<usize> {
        let token = self.c.peek();
        if token.kind != Kind::Punct {
            return None;
        }
        let run: usize = match token.sub {
            b'=' => return (!self.c.is_joined(b"==")).then_some(1),
            b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' => 2,
            b'<' if self.c.is_joined(b"<<=") => 3,
            b'>' if self.c.is_joined(b">>>=") => 4,
            b'>' if self.c.is_joined(b">>=") => 3,
            _ => return None,
        };
        let last = self.c.nth(run - 1);
        (last.is(b'=') && last.start == token.start + run as u32 - 1).then_some(run)
    }

    /// The binary operator at the cursor: what it is, how tightly it binds, of how many tokens it is made.
    fn operator(&self) -> Option<(BinaryOp, u8, usize)> {
        let token = self.c.peek();
        if token.kind == Kind::Word && token.sub == w::INSTANCEOF {
            return Some((BinaryOp::TypeTest, RELATIONAL, 1));
        }
        if token.kind != Kind::Punct || self.assignment().is_some() {
            return None;
        }
        let joined = |run: &[u8]| self.c.is_joined(run);
        Some(match token.sub {
            b'|' if joined(b"||") => (BinaryOp::Or, 1, 2),
            b'&' if joined(b"&&") => (BinaryOp::And, 2, 2),
            b'|' => (BinaryOp::Bits, 3, 1),
            b'^' => (BinaryOp::Bits, 4, 1),
            b'&' => (BinaryOp::Bits, 5, 1),
            b'=' if joined(b"==") => (BinaryOp::Compare, 6, 2),
            b'!' if joined(b"!=") => (BinaryOp::Compare, 6, 2),
            b'<' if joined(b"<<") => (BinaryOp::Shift, 8, 2),
            b'>' if joined(b">>>") => (BinaryOp::Shift, 8, 3),
            b'>' if joined(b">>") => (BinaryOp::Shift, 8, 2),
            b'<' | b'>' => {
                let run = if self.c.nth(1).is(b'=') && self.c.nth(1).start == token.end { 2 } else { 1 };
                (BinaryOp::Compare, RELATIONAL, run)
            }
            b'+' => (BinaryOp::Plus, 9, 1),
            b'-' if joined(b"->") => return None,
            b'-' => (BinaryOp::Arithmetic, 9, 1),
            b'*' | b'/' | b'%' => (BinaryOp::Arithmetic, 10, 1),
            _ => return None,
        })
    }

    fn binary(&mut self, floor: u8) -> Value {
        let mark = self.pending.mark();
        let mut left = self.unary();
        let mut bound = self.take_bound();
        let mut row = Row::default();
        while let Some((op, level, run)) = self.operator().filter(|(_, level, _)| *level > floor) {
            self.c.at += run;
            let expr = if op == BinaryOp::TypeTest {
                let test = self.type_test(left.expr);
                bound = self.take_bound();
                test
            } else {
                let start = self.c.last_end();
                let right = self.binary(level).expr;
                bound = self.bound_by_both(op, bound, start, &mut row);
                self.b.expr(Expr::Binary { op, left: left.expr, right })
            };
            self.pending.forget(mark);
            left = Value::of(expr);
        }
        self.end_row(&mut row);
        self.flow.bound = bound;
        left
    }

    /// The bindings of an operation whose right side, which began at `start`, was just read: JLS 6.3.1.
    fn bound_by_both(&mut self, op: BinaryOp, mut left: Bound, start: u32, row: &mut Row) -> Bound {
        let mut right = self.take_bound();
        match op {
            BinaryOp::And => {
                self.known_behind(row, op, &left.if_true, start);
                left.if_true.append(&mut right.if_true);
                Bound { if_true: left.if_true, if_false: Vec::new() }
            }
            BinaryOp::Or => {
                self.known_behind(row, op, &left.if_false, start);
                left.if_false.append(&mut right.if_false);
                Bound { if_true: Vec::new(), if_false: left.if_false }
            }
            _ => {
                self.end_row(row);
                Bound::default()
            }
        }
    }

    fn unary(&mut self) -> Value {
        let token = self.c.peek();
        let op = match (token.kind, token.sub) {
            (Kind::Punct, b'!') => UnaryOp::Not,
            (Kind::Punct, b'+' | b'-' | b'~') => UnaryOp::Arithmetic,
            (Kind::Open, b'(') => return self.parenthesis(),
            _ => {
                let first = self.primary();
                let value = self.suffixes(first);
                self.flow.bound = Bound::default();
                return value;
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
        let operand = self.unary();
        self.c.shallower();
        match op {
            UnaryOp::Not if !steps => self.flow.bound.negate(),
            _ => self.flow.bound = Bound::default(),
        }
        if steps {
            if let Some(name) = operand.name {
                self.b.ref_mut(name).role = Role::ReadWrite;
            }
            return Value::of(operand.expr);
        }
        Value::of(self.b.expr(Expr::Unary { op, value: operand.expr }))
    }

    fn unknown(&mut self) -> Value {
        Value::of(self.b.expr(Expr::Unknown))
    }

    /// A lambda, a cast or a parenthesised expression.
    fn parenthesis(&mut self) -> Value {
        let open = self.c.at;
        if !self.c.deeper() {
            self.c.skip();
            return self.unknown();
        }
        let behind = self.c.behind_group(open);
        let value = if !self.in_label && self.c.joined_at(behind, b"->") {
            let lambda = self.lambda();
            self.flow.bound = Bound::default();
            Value::of(lambda)
        } else if self.is_cast(open) {
            let cast = self.cast(open);
            self.flow.bound = Bound::default();
            cast
        } else {
            self.c.at += 1;
            let outside = std::mem::take(&mut self.in_label);
            let inner = self.expression();
            self.in_label = outside;
            self.leave_group(open);
            let name = match self.b.facts().expr(inner) {
                Expr::Ref(name) if self.b.facts().reference(name).role == Role::Read => Some(name),
                _ => None,
            };
            let behind = self.c.at;
            let bound = self.take_bound();
            let value = self.suffixes(Value { expr: inner, name });
            self.flow.bound = if self.c.at == behind { bound } else { Bound::default() };
            value
        };
        self.c.shallower();
        value
    }

    fn is_cast(&self, open: usize) -> bool {
        let close = self.c.group_end(open);
        let Some(mut i) = self.skip_type(open + 1) else { return false };
        let is_primitive = Self::is_primitive(self.c.token(open + 1)) && i == close;
        while self.c.token(i).is(b'&') {
            match self.skip_type(i + 1) {
                Some(next) => i = next,
                None => return false,
            }
        }
        if i != close || self.c.behind_group(open) != close + 1 {
            return false;
        }
        let next = self.c.token(close + 1);
        match next.kind {
            _ if is_primitive => !matches!(next.kind, Kind::Close | Kind::End),
            Kind::Word => {
                Self::is_name(next)
                    || Self::is_primitive(next)
                    || matches!(
                        next.sub,
                        w::THIS | w::SUPER | w::NEW | w::TRUE | w::FALSE | w::NULL | w::SWITCH
                    )
            }
            Kind::Number | Kind::Text => true,
            Kind::Open => next.sub == b'(',
            Kind::Punct => next.sub == b'~' || next.sub == b'!' && !self.c.joined_at(close + 1, b"!="),
            _ => false,
        }
    }

    fn cast(&mut self, open: usize) -> Value {
        self.c.at += 1;
        let ty = self.joined_types(b'&');
        self.leave_group(open);
        let mark = self.pending.mark();
        // The arrow of a lambda makes it the operand; otherwise a cast binds like a prefix operator.
        let operand = self.unary();
        self.pending.settle(&mut self.b, mark, Expectation::Type(ty));
        Value::of(self.b.expr(Expr::Cast { ty, value: operand.expr }))
    }

    fn primary(&mut self) -> Value {
        let token = self.c.peek();
        match token.kind {
            Kind::Number | Kind::Text => {
                self.c.at += 1;
                let literal = if token.kind == Kind::Number {
                    number(self.str(token))
                } else if token.sub == CHARACTER {
                    Literal::Char
                } else {
                    Literal::String
                };
                Value::of(self.b.expr(Expr::Literal(literal)))
            }
            Kind::Word if Self::is_name(token) => self.name(),
            Kind::Word => self.keyword_primary(token.sub),
            Kind::Punct if token.sub == b'@' => {
                let ty = self.ty(Role::Type);
                Value::of(self.b.expr(Expr::Type(ty)))
            }
            _ => {
                self.unexpected("an expression");
                self.unknown()
            }
        }
    }

    fn keyword_primary(&mut self, word: u8) -> Value {
        match word {
            w::TRUE | w::FALSE => {
                self.c.at += 1;
                Value::of(self.b.expr(Expr::Literal(Literal::Bool)))
            }
            w::NULL => {
                self.c.at += 1;
                Value::of(self.b.expr(Expr::Literal(Literal::Null)))
            }
            w::THIS | w::SUPER => {
                self.c.at += 1;
                let scope = self.b.scope();
                let expr = self.b.expr(if word == w::THIS { Expr::This(scope) } else { Expr::Super(scope) });
                let expr = if self.c.is(b'(') { self.call(expr, List::EMPTY) } else { expr };
                Value::of(expr)
            }
            w::NEW => {
                self.c.at += 1;
                let expr = self.creation(None);
                Value::of(expr)
            }
            w::SWITCH => {
                let (expr, _) = self.switch();
                Value::of(expr)
            }
            word if word <= w::LAST_PRIMITIVE => {
                let ty = self.ty(Role::Type);
                self.type_value(ty)
            }
            _ => {
                self.unexpected("an expression");
                self.unknown()
            }
        }
    }

    /// `.class` or `::new` behind a type that is no plain name.
    fn type_value(&mut self, ty: TypeId) -> Value {
        let is_class = self.c.is(b'.') && self.c.nth(1).kind == Kind::Word && self.c.nth(1).sub == w::CLASS;
        if is_class {
            self.c.at += 2;
            let expr = self.class_literal(ty);
            return Value::of(expr);
        }
        if self.c.is_joined(b"::") {
            return self.method_reference_of_type(ty);
        }
        self.unexpected("`.class`");
        Value::of(self.b.expr(Expr::Type(ty)))
    }

    /// `T.class`: a value that stands for the type.
    fn class_literal(&mut self, ty: TypeId) -> ExprId {
        let value = self.b.expr(Expr::Type(ty));
        self.b.expr(Expr::Unary { op: UnaryOp::TypeOf, value })
    }

    fn method_reference_of_type(&mut self, ty: TypeId) -> Value {
        let next = self.c.nth(2);
        if next.kind == Kind::Word && next.sub == w::NEW {
            self.c.at += 3;
            if let TypeExpr::Named { name, .. } = self.b.facts().ty(ty) {
                self.b.ref_mut(name).role = Role::New;
                self.flag(name, RefFlags::METHOD_REF);
            }
            let expr = self.b.expr(Expr::Type(ty));
            self.pending.push(expr);
            return Value::of(expr);
        }
        let receiver = self.b.expr(Expr::Type(ty));
        self.method_reference(receiver)
    }

    /// `::name` or `::<T>name` at the cursor.
    fn method_reference(&mut self, receiver: ExprId) -> Value {
        self.c.at += 2;
        if self.c.is(b'<') {
            self.type_args();
        }
        if !self.at_name() {
            self.unexpected("a method name");
            return self.unknown();
        }
        let token = self.c.bump();
        let text = self.c.str(token);
        let (name, expr) = value::name(&mut self.b, Some(receiver), text, token.range(), Role::Call);
        self.flag(name, RefFlags::METHOD_REF);
        self.pending.push(expr);
        Value::of(expr)
    }

    /// A name at the beginning of a chain.
    fn name(&mut self) -> Value {
        if !self.in_label && self.c.joined_at(self.c.at + 1, b"->") {
            let lambda = self.lambda();
            return Value::of(lambda);
        }
        let next = self.c.nth(1);
        if (next.is(b'<') || next.is(b'[') || next.is(b'.')) && self.at_type_value() {
            let ty = self.ty(Role::Type);
            return self.type_value(ty);
        }
        self.member(None, List::EMPTY)
    }

    /// A type with arguments or dimensions stands at the cursor, and `::` or `.class` behind it.
    fn at_type_value(&self) -> bool {
        // Only look further when arguments or dimensions come at all.
        let mut i = self.c.at + 1;
        while self.c.token(i).is(b'.') && Self::is_name(self.c.token(i + 1)) {
            i += 2;
        }
        let next = self.c.token(i);
        if !(next.is(b'<') || next.is(b'[') && self.c.token(i + 1).is(b']')) {
            return false;
        }
        self.skip_type(self.c.at).is_some_and(|end| {
            let class = self.c.token(end + 1);
            self.c.joined_at(end, b"::")
                || self.c.token(end).is(b'.') && class.kind == Kind::Word && class.sub == w::CLASS
        })
    }

    /// The name at the cursor as a member of `receiver`, with its call if arguments follow.
    fn member(&mut self, receiver: Option<ExprId>, type_args: List<TypeId>) -> Value {
        let token = self.c.bump();
        let is_call = self.c.is(b'(');
        let role = if is_call { Role::Call } else { Role::Read };
        let text = self.c.str(token);
        let (name, expr) = value::name(&mut self.b, receiver, text, token.range(), role);
        if is_call { Value::of(self.call(expr, type_args)) } else { Value { expr, name: Some(name) } }
    }

    /// The suffixes of a value: accesses, calls, indexes, method references, `++`.
    pub(super) fn suffixes(&mut self, mut left: Value) -> Value {
        loop {
            let token = self.c.peek();
            match (token.kind, token.sub) {
                (Kind::Punct, b'.') => match self.access(left) {
                    Some(value) => left = value,
                    None => return left,
                },
                (Kind::Open, b'[') => {
                    let open = self.c.at;
                    self.c.at += 1;
                    let index = self.plain_value();
                    self.leave_group(open);
                    left = Value::of(self.b.expr(Expr::Index { base: left.expr, index }));
                }
                (Kind::Punct, b':') if self.c.is_joined(b"::") => {
                    let is_new = self.c.nth(2).kind == Kind::Word && self.c.nth(2).sub == w::NEW;
                    left = match left.name {
                        Some(name) if is_new => {
                            let ty = self.b.ty(TypeExpr::Named { name, args: List::EMPTY });
                            self.method_reference_of_type(ty)
                        }
                        _ => self.method_reference(left.expr),
                    };
                    // The context of a method reference decides its type, so it ends the chain.
                    return left;
                }
                (Kind::Punct, b'+' | b'-') if self.c.is_joined(b"++") || self.c.is_joined(b"--") => {
                    self.c.at += 2;
                    if let Some(name) = left.name {
                        self.b.ref_mut(name).role = Role::ReadWrite;
                    }
                    left = Value::of(left.expr);
                }
                _ => return left,
            }
        }
    }

    /// The member behind the dot at the cursor; `None` when nothing does.
    fn access(&mut self, left: Value) -> Option<Value> {
        self.c.at += 1;
        let token = self.c.peek();
        if Self::is_name(token) {
            return Some(self.member(Some(left.expr), List::EMPTY));
        }
        if token.is(b'<') {
            let type_args = self.type_args();
            if self.c.is_word(w::SUPER) || self.c.is_word(w::THIS) {
                return self.access_keyword(left, self.c.peek().sub);
            }
            if self.at_name() {
                return Some(self.member(Some(left.expr), type_args));
            }
        }
        if token.kind == Kind::Word {
            return self.access_keyword(left, token.sub);
        }
        self.unexpected("a name");
        None
    }

    fn access_keyword(&mut self, left: Value, word: u8) -> Option<Value> {
        let name = left.name;
        let expr = match (word, name) {
            (w::CLASS, Some(name)) => {
                self.mark_type(name);
                let ty = self.b.ty(TypeExpr::Named { name, args: List::EMPTY });
                self.class_literal(ty)
            }
            (w::THIS, Some(name)) => {
                self.mark_type(name);
                self.b.expr(Expr::OuterThis(name))
            }
            (w::SUPER, _) => {
                self.c.at += 1;
                let scope = self.b.scope();
                let base = self.b.expr(Expr::Super(scope));
                if self.c.is(b'(') {
                    // `outer.super(…)`
                    return Some(Value::of(self.call(base, List::EMPTY)));
                }
                let Some(name) = name else { return Some(Value::of(base)) };
                self.mark_type(name);
                let ty = self.b.ty(TypeExpr::Named { name, args: List::EMPTY });
                return Some(Value::of(self.b.expr(Expr::Cast { ty, value: base })));
            }
            (w::NEW, _) => {
                self.c.at += 1;
                let expr = self.creation(Some(left.expr));
                return Some(Value::of(expr));
            }
            _ => {
                self.unexpected("a name");
                return None;
            }
        };
        self.c.at += 1;
        Some(Value::of(expr))
    }

    /// Calls `callee` with the arguments at the cursor.
    fn call(&mut self, callee: ExprId, type_args: List<TypeId>) -> ExprId {
        let mark = self.pending.mark();
        let args = self.arguments();
        let call = self.b.expr(Expr::Call { callee, type_args, args });
        let is_open = self.pending.mark() > mark || args.len == 0 && self.may_be_static(callee);
        self.pending.settle_arguments(&mut self.b, mark, call);
        // The context of an argument may determine the result of the call, and that its own arguments.
        if is_open && type_args.len == 0 && !self.c.is(b'.') {
            self.pending.push(call);
        }
        call
    }

    /// A method by its name alone, or of what is written like a class.
    fn may_be_static(&self, callee: ExprId) -> bool {
        let facts = self.b.facts();
        let Expr::Ref(name) = facts.expr(callee) else { return false };
        match facts.reference(name).receiver.map(|receiver| facts.expr(receiver)) {
            None => true,
            Some(Expr::Ref(of)) => facts.ref_name(of).starts_with(char::is_uppercase),
            Some(_) => false,
        }
    }

    /// The parenthesised arguments at the cursor. Pending expressions in them have got their numbers.
    pub(super) fn arguments(&mut self) -> List<ExprId> {
        let open = self.c.at;
        self.c.at += 1;
        let end = self.c.group_end(open);
        let mark = self.values.len();
        let outside = std::mem::take(&mut self.in_label);
        while self.c.at < end {
            let before = self.c.at;
            let pending = self.pending.mark();
            let value = self.expression();
            self.pending.number(pending, (self.values.len() - mark) as u32);
            self.values.push(value);
            if !self.c.eat(b',') {
                if self.c.at < end {
                    self.unexpected("`,` or `)`");
                    if !self.skip_to_comma(open) {
                        break;
                    }
                }
            } else if self.c.at == before {
                break;
            }
        }
        self.in_label = outside;
        self.leave_group(open);
        self.b.list(self.values.drain(mark..))
    }

    /// The creation behind `new`; `outer` is the instance that an inner class belongs to.
    fn creation(&mut self, outer: Option<ExprId>) -> ExprId {
        if self.c.is(b'<') {
            self.type_args();
        }
        self.annotations();
        if !self.at_name() && !Self::is_primitive(self.c.peek()) {
            self.unexpected("a type");
            return self.b.expr(Expr::Unknown);
        }
        let ty = self.ty_without_dimensions(Role::New);
        let class = match self.b.facts().ty(ty) {
            TypeExpr::Named { name, .. } => Some(name),
            _ => None,
        };
        if let (Some(name), Some(_)) = (class, outer) {
            self.b.ref_mut(name).receiver = outer;
        }
        if !self.c.is(b'(') {
            if let Some(name) = class {
                self.b.ref_mut(name).role = Role::Type;
            }
            return self.array_creation(ty);
        }
        let is_diamond =
            self.c.at >= 2 && self.c.token(self.c.at - 1).is(b'>') && self.c.token(self.c.at - 2).is(b'<');
        let mark = self.pending.mark();
        let args = self.arguments();
        let new = self.b.expr(Expr::New { ty, args });
        self.pending.settle_arguments(&mut self.b, mark, new);
        if is_diamond {
            self.pending.push(new);
        }
        if self.c.is(b'{') {
            let edge = SuperType { kind: SuperKind::Extends, ty };
            return self.anonymous_class(new, edge);
        }
        new
    }

    fn array_creation(&mut self, base: TypeId) -> ExprId {
        let mut ty = base;
        self.annotations();
        while self.c.is(b'[') {
            let open = self.c.at;
            self.c.at += 1;
            if self.c.at < self.c.group_end(open) {
                self.plain_value();
            }
            self.leave_group(open);
            ty = self.b.ty(TypeExpr::Array(ty));
            self.annotations();
        }
        if ty == base {
            self.unexpected("`(` or `[`");
            return self.b.expr(Expr::Unknown);
        }
        let mark = self.pending.mark();
        let items = if self.c.is(b'{') { Some(self.array_initializer()) } else { None };
        self.pending.settle(&mut self.b, mark, Expectation::Type(ty));
        let args = self.b.list(items);
        self.b.expr(Expr::New { ty, args })
    }

    /// `{ a, b }` at the cursor.
    pub(super) fn array_initializer(&mut self) -> ExprId {
        let open = self.c.at;
        if !self.c.deeper() {
            self.c.skip();
            return self.b.expr(Expr::Unknown);
        }
        self.c.at += 1;
        let end = self.c.group_end(open);
        let mark = self.values.len();
        let pending = self.pending.mark();
        while self.c.at < end {
            let before = self.c.at;
            let value =
                if self.c.is(b'{') || self.c.is(b'@') { self.element_value() } else { self.expression() };
            self.values.push(value);
            if !self.c.eat(b',') {
                if self.c.at < end {
                    self.unexpected("`,` or `}`");
                    if !self.skip_to_comma(open) {
                        break;
                    }
                }
            } else if self.c.at == before {
                break;
            }
        }
        self.leave_group(open);
        self.c.shallower();
        let items = self.b.list(self.values.drain(mark..));
        let array = self.b.expr(Expr::Collection { kind: Collection::Array, items });
        // The elements expect what one element of the array is expected to be.
        let element = self.b.expr(Expr::Element(array));
        self.pending.settle(&mut self.b, pending, Expectation::Assigned(element));
        self.pending.push(array);
        array
    }

    /// A lambda at its parameters.
    fn lambda(&mut self) -> ExprId {
        let start = self.c.peek().start;
        let def = self.b.def("", TextRange::new(start, start), SymbolKind::Function);
        self.b.def_mut(def).flags.set(DefFlags::ANONYMOUS);
        self.b.open(ScopeKind::Function, start, Some(def));
        let params = self.lambda_params();
        let arrow = self.c.eat_joined(b"->");
        debug_assert!(arrow);
        let returns = if self.c.is(b'{') {
            if self.c.deeper() {
                let returns = self.function_body(def, true);
                self.c.shallower();
                if returns.is_empty() {
                    self.b.def_mut(def).flags.set(DefFlags::VOID);
                }
                returns
            } else {
                self.c.skip();
                Vec::new()
            }
        } else {
            self.functions.push(Function { def, is_lambda: true, returns: Vec::new() });
            let mark = self.pending.mark();
            let scope = self.b.scope();
            let value = self.binding_in(Some(scope), Self::expression);
            self.pending.settle(&mut self.b, mark, Expectation::Return(def));
            self.functions.pop();
            vec![value]
        };
        let end = self.c.last_end();
        self.b.close(end);
        let params = self.b.list(params);
        let returns = self.b.list(returns);
        let d = self.b.def_mut(def);
        d.range = TextRange::new(start, end);
        d.params = params;
        d.returns = returns;
        let lambda = self.b.expr(Expr::Function(def));
        self.pending.push(lambda);
        lambda
    }

    fn lambda_params(&mut self) -> Vec<DefId> {
        let mut all = Vec::new();
        if self.at_name() {
            let name = self.c.bump();
            all.push(self.b.def(self.c.str(name), name.range(), SymbolKind::Parameter));
            return all;
        }
        let open = self.c.at;
        self.c.at += 1;
        let end = self.c.group_end(open);
        while self.c.at < end {
            let before = self.c.at;
            let next = self.c.nth(1);
            if self.at_name() && (next.is(b',') || self.c.at + 1 == end) {
                let name = self.c.bump();
                all.push(self.b.def(self.c.str(name), name.range(), SymbolKind::Parameter));
            } else if let Some(def) = self.param(SymbolKind::Parameter) {
                all.push(def);
            }
            if !self.c.eat(b',') || self.c.at == before {
                break;
            }
        }
        self.leave_group(open);
        all
    }
}

fn number(text: &str) -> Literal {
    let last = text.as_bytes().last().copied().unwrap_or(b'0');
    let hex = text.starts_with("0x") || text.starts_with("0X");
    match last {
        b'l' | b'L' => Literal::Long,
        b'f' | b'F' if !hex || text.contains(['p', 'P']) => Literal::SmallFloat,
        b'd' | b'D' if !hex || text.contains(['p', 'P']) => Literal::Float,
        _ if text.contains('.') => Literal::Float,
        _ if !hex && text.contains(['e', 'E']) || hex && text.contains(['p', 'P']) => Literal::Float,
        _ => Literal::Int,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_tell_their_types() {
        for (text, literal) in [
            ("1", Literal::Int),
            ("0xFF", Literal::Int),
            ("0xFD", Literal::Int),
            ("1_0L", Literal::Long),
            ("1f", Literal::SmallFloat),
            ("1e3", Literal::Float),
            ("1d", Literal::Float),
            (".5", Literal::Float),
            ("0x1p3", Literal::Float),
        ] {
            assert_eq!(number(text), literal, "{text}");
        }
    }
}
