//! PHP's expressions. Operators are flattened: what occurs with what receiver matters, precedence does not, except that an
//! assignment takes all to its right.

use ide_model::SymbolKind;

use super::front::Parser;
use super::lexer::{
    AND, CLASS, CLONE, DEFAULT, ECHO, FLOAT, FN, FUNCTION, INCLUDE, INCLUDE_ONCE, INSTANCEOF, MATCH, NEW, OR,
    PRINT, REQUIRE, REQUIRE_ONCE, STATIC, STRING, STRING_END, STRING_HEAD, THROW, VARIABLE, XOR, YIELD,
};
use crate::facts::{
    Assign, BinaryOp, Collection, Expectation, Expr, ExprId, List, Literal, RefFlags, Role, TypeExpr, UnaryOp,
};
use crate::guard;
use crate::kit::Kind;

/// Types that a value is cast to by their names in parentheses.
pub(super) const CASTS: &[&str] = &[
    "array", "binary", "bool", "boolean", "double", "float", "int", "integer", "object", "real", "string",
    "unset",
];

/// How tightly an expression is bound that is being read: what binds less ends it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binds {
    /// Nothing ends it.
    Choice,
    Or,
    And,
    Coalesce,
    Operator,
}

impl Parser<'_> {
    pub(super) fn expr_list(&mut self) -> Vec<ExprId> {
        let mut all = vec![self.expr()];
        while self.c.eat(b',') {
            all.push(self.expr());
        }
        all
    }

    pub(super) fn expr(&mut self) -> ExprId {
        self.bound_expr(Binds::Choice)
    }

    fn bound_expr(&mut self, binds: Binds) -> ExprId {
        if !self.c.deeper() {
            self.c.skip();
            return self.b.expr(Expr::Unknown);
        }
        let value = self.expr_inner(binds);
        self.c.shallower();
        value
    }

    /// An operator that binds less tightly than `binds` ends the expression.
    fn expr_inner(&mut self, binds: Binds) -> ExprId {
        if let Some(value) = self.list_assignment() {
            return value;
        }
        if let Some(value) = self.first_assignment() {
            return value;
        }
        let mut left = self.unary();
        loop {
            if let Some(width) = self.assignment_operator() {
                return self.assignment(left, width);
            }
            if self.c.is(b'?')
                && !self.c.is_joined(b"?->")
                && !self.c.is_joined(b"??")
                && !self.c.is_joined(b"?>")
            {
                if binds > Binds::Choice {
                    return left;
                }
                self.c.bump();
                let from = self.c.last_end();
                let yes = if self.c.is(b':') { left } else { self.expr() };
                self.narrow(left, self.c.since(from), false);
                self.c.eat(b':');
                let from = self.c.last_end();
                let no = self.expr();
                self.narrow(left, self.c.since(from), true);
                let parts = self.b.list([yes, no]);
                left = self.b.expr(Expr::Choice(parts));
                continue;
            }
            if self.c.is_word(INSTANCEOF) {
                left = self.instance_of(left);
                continue;
            }
            let Some((op, width)) = self.binary_operator() else { return left };
            let inner = match op {
                BinaryOp::Coalesce => Binds::Coalesce,
                BinaryOp::And => Binds::And,
                BinaryOp::Or => Binds::Or,
                _ => Binds::Operator,
            };
            let is_ended = match inner {
                Binds::Operator => false,
                // `a ?? b ?? c` is `a ?? (b ?? c)`.
                Binds::Coalesce => binds > inner,
                _ => binds >= inner,
            };
            if is_ended {
                return left;
            }
            self.c.at += width;
            let from = self.c.last_end();
            let right = if inner == Binds::Operator { self.operand() } else { self.bound_expr(inner) };
            if matches!(inner, Binds::And | Binds::Or) {
                self.narrow(left, self.c.since(from), inner == Binds::Or);
            }
            left = self.b.expr(Expr::Binary { op, left, right });
        }
    }

    /// The right side of an operator, which may be an assignment: `!$x = f()`, `$a && $b = 1`.
    fn operand(&mut self) -> ExprId {
        if let Some(value) = self.list_assignment().or_else(|| self.first_assignment()) {
            return value;
        }
        let value = self.unary();
        match self.assignment_operator() {
            Some(width) => self.assignment(value, width),
            None => value,
        }
    }

    /// `$new = …`: the variable is declared behind its value.
    fn first_assignment(&mut self) -> Option<ExprId> {
        let token = self.c.peek();
        if token.kind != Kind::Word || token.sub != VARIABLE {
            return None;
        }
        let (name, range) = self.variable(token);
        self.c.at += 1;
        let width = self.assignment_operator();
        let has_index = self.c.is(b'[');
        self.c.at -= 1;
        let is_own = name != "this" && name != "GLOBALS" && !name.starts_with('_');
        if (width.is_none() && !(has_index && is_own)) || name == "this" || self.has_variable(name) {
            return None;
        }
        let Some(width) = width else { return self.first_element(name, range) };
        let start = self.c.at;
        self.c.at += 1 + width;
        self.c.eat(b'&');
        let mark = self.pending.mark();
        // Known from here on: a closure may capture it by reference in its own value.
        let value = self.expr();
        self.pending.forget(mark);
        let known = self.has_variable(name);
        if known {
            let reference = self.b.reference(name, range, Role::Write);
            let target = self.b.expr(Expr::Ref(reference));
            // Until its end the variable is what it was.
            self.b.assign(Assign { target, value, at: self.c.last_end() });
            return Some(self.b.expr(Expr::Assign { target, value }));
        }
        let def = self.declare_variable(name, range, SymbolKind::Variable);
        let whole = self.c.since(self.c.token(start).start);
        let d = self.b.def_mut(def);
        d.init = Some(value);
        d.range = whole;
        Some(value)
    }

    /// `$new[…] = …` makes an array.
    fn first_element(&mut self, name: &str, range: ide_model::TextRange) -> Option<ExprId> {
        let mut behind = self.c.at + 1;
        let mut depth = 0;
        while self.c.token(behind).is(b'[') {
            behind = self.c.behind_group(behind);
            depth += 1;
        }
        let assigns = self.c.token(behind).is(b'=')
            && !self.c.joined_at(behind, b"==")
            && !self.c.joined_at(behind, b"=>");
        if !assigns {
            return None;
        }
        let start = self.c.bump().start;
        let def = self.declare_variable(name, range, SymbolKind::Variable);
        let unknown = self.b.expr(Expr::Unknown);
        self.member_chain(unknown);
        self.c.at = behind + 1;
        self.c.eat(b'&');
        let mark = self.pending.mark();
        let value = self.expr();
        self.pending.forget(mark);
        let mut init = value;
        for _ in 0..depth {
            let items = self.b.list([init]);
            init = self.b.expr(Expr::Collection { kind: Collection::List, items });
        }
        let whole = self.c.since(start);
        let d = self.b.def_mut(def);
        d.init = Some(init);
        d.range = whole;
        Some(value)
    }

    /// `[$a, 'k' => $b] = …`, `list($a, $b) = …`.
    fn list_assignment(&mut self) -> Option<ExprId> {
        let token = self.c.peek();
        let is_list = token.kind == Kind::Word
            && token.sub == 0
            && self.c.nth(1).is(b'(')
            && self.c.str(token).eq_ignore_ascii_case("list");
        let open = self.c.at + usize::from(is_list);
        let bracket = self.c.token(open);
        if bracket.kind != Kind::Open || !(is_list || bracket.is(b'[')) {
            return None;
        }
        let behind = self.c.behind_group(open);
        if !self.c.token(behind).is(b'=')
            || self.c.joined_at(behind, b"==")
            || self.c.joined_at(behind, b"=>")
        {
            return None;
        }
        self.c.at = behind + 1;
        let value = self.expr();
        let (end, at) = (self.c.at, self.c.last_end());
        self.c.at = open;
        // Until the end of the value the variables are what they were.
        self.assign_list(value, at);
        self.c.at = end;
        Some(value)
    }

    fn assign_list(&mut self, value: ExprId, at: u32) {
        if !self.c.deeper() {
            self.c.skip();
            return;
        }
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        let mut index = 0;
        while self.c.at < end {
            let before = self.c.at;
            if self.c.eat(b',') {
                index += 1;
                continue;
            }
            let mut arrow = self.c.at;
            while arrow < end && !self.c.token(arrow).is(b',') && !self.c.joined_at(arrow, b"=>") {
                arrow = self.c.over(arrow).max(arrow + 1);
            }
            let item = if self.c.joined_at(arrow, b"=>") {
                let key = self.written_key(arrow).unwrap_or_else(|| self.expr());
                self.c.eat_joined(b"=>");
                Expr::Index { base: value, index: key }
            } else {
                Expr::Item { base: value, index }
            };
            self.c.eat(b'&');
            let item = self.b.expr(item);
            self.assign_target(Some(item), at);
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.at = end;
        self.c.bump();
        self.c.shallower();
    }

    /// Something that gets a value: a new variable is declared.
    pub(super) fn assign_target(&mut self, value: Option<ExprId>, at: u32) {
        let token = self.c.peek();
        if token.is(b'[') {
            if let Some(value) = value {
                self.assign_list(value, at);
            }
            return;
        }
        if token.kind == Kind::Word
            && token.sub == 0
            && self.c.nth(1).is(b'(')
            && self.c.str(token).eq_ignore_ascii_case("list")
        {
            self.c.bump();
            if let Some(value) = value {
                self.assign_list(value, at);
            }
            return;
        }
        let next = self.c.nth(1);
        let is_plain = token.kind == Kind::Word
            && token.sub == VARIABLE
            && !next.is(b'[')
            && !next.is(b'{')
            && !self.c.joined_at(self.c.at + 1, b"->")
            && !self.c.joined_at(self.c.at + 1, b"::");
        if is_plain {
            let (name, range) = self.variable(token);
            if name != "this" && !self.has_variable(name) {
                self.c.bump();
                let def = self.declare_variable(name, range, SymbolKind::Variable);
                self.b.def_mut(def).init = value;
                return;
            }
        }
        let target = self.unary();
        self.mark_written(target, Role::Write);
        if let Some(value) = value {
            self.b.assign(Assign { target, value, at });
        }
    }

    pub(super) fn mark_written(&mut self, target: ExprId, role: Role) {
        match self.b.facts().expr(target) {
            Expr::Ref(reference) => self.b.ref_mut(reference).role = role,
            // `$list[] = x` changes the list.
            Expr::Index { base, .. } => {
                guard::deeper(|| self.mark_written(base, Role::ReadWrite)).unwrap_or_default();
            }
            _ => {}
        }
    }

    fn assignment_operator(&self) -> Option<usize> {
        const COMPOUND: [&[u8]; 13] =
            [b"??=", b"**=", b"<<=", b">>=", b"+=", b"-=", b"*=", b"/=", b".=", b"%=", b"&=", b"|=", b"^="];
        let first = self.c.peek();
        if first.kind != Kind::Punct {
            return None;
        }
        if first.is(b'=') {
            return (!self.c.is_joined(b"==") && !self.c.is_joined(b"=>")).then_some(1);
        }
        COMPOUND.iter().find(|op| op[0] == first.sub && self.c.is_joined(op)).map(|op| op.len())
    }

    fn assignment(&mut self, target: ExprId, width: usize) -> ExprId {
        self.c.at += width;
        self.c.eat(b'&');
        self.mark_written(target, if width > 1 { Role::ReadWrite } else { Role::Write });
        let mark = self.pending.mark();
        let value = self.expr();
        self.pending.settle(&mut self.b, mark, Expectation::Assigned(target));
        self.b.assign(Assign { target, value, at: self.c.last_end() });
        self.b.expr(Expr::Assign { target, value })
    }

    fn binary_operator(&self) -> Option<(BinaryOp, usize)> {
        const OPERATORS: [(&[u8], BinaryOp); 26] = [
            (b"<=>", BinaryOp::Compare),
            (b"===", BinaryOp::Compare),
            (b"!==", BinaryOp::Compare),
            (b"==", BinaryOp::Compare),
            (b"!=", BinaryOp::Compare),
            (b"<>", BinaryOp::Compare),
            (b"<=", BinaryOp::Compare),
            (b">=", BinaryOp::Compare),
            (b"&&", BinaryOp::And),
            (b"||", BinaryOp::Or),
            (b"??", BinaryOp::Coalesce),
            (b"**", BinaryOp::Arithmetic),
            (b"<<", BinaryOp::Shift),
            (b">>", BinaryOp::Shift),
            (b"|>", BinaryOp::Other),
            (b"<", BinaryOp::Compare),
            (b">", BinaryOp::Compare),
            (b"+", BinaryOp::Plus),
            (b"-", BinaryOp::Arithmetic),
            (b"*", BinaryOp::Arithmetic),
            (b"/", BinaryOp::Arithmetic),
            (b"%", BinaryOp::Arithmetic),
            (b"&", BinaryOp::Bits),
            (b"|", BinaryOp::Bits),
            (b"^", BinaryOp::Bits),
            (b".", BinaryOp::Plus),
        ];
        let token = self.c.peek();
        match (token.kind, token.sub) {
            (Kind::Word, AND) => Some((BinaryOp::And, 1)),
            (Kind::Word, OR | XOR) => Some((BinaryOp::Or, 1)),
            (Kind::Punct, _) => {
                let found = OPERATORS.iter().find(|(text, _)| text[0] == token.sub && self.c.is_joined(text));
                found
                    .filter(|_| !self.c.is_joined(b"++") && !self.c.is_joined(b"--"))
                    .map(|(text, op)| (*op, text.len()))
            }
            _ => None,
        }
    }

    fn instance_of(&mut self, value: ExprId) -> ExprId {
        self.c.bump();
        if !self.at_name() {
            return self.unary();
        }
        let Some(ty) = self.ty() else { return value };
        let class = self.b.expr(Expr::Type(ty));
        self.b.expr(Expr::Binary { op: BinaryOp::TypeTest, left: value, right: class })
    }

    fn unary(&mut self) -> ExprId {
        if !self.c.deeper() {
            self.c.skip();
            return self.b.expr(Expr::Unknown);
        }
        let value = self.unary_inner();
        self.c.shallower();
        value
    }

    fn unary_inner(&mut self) -> ExprId {
        let token = self.c.peek();
        let prefix = |p: &mut Self, op: UnaryOp| {
            p.c.bump();
            let value = p.operand();
            p.b.expr(Expr::Unary { op, value })
        };
        match (token.kind, token.sub) {
            (Kind::Punct, b'!') => prefix(self, UnaryOp::Not),
            (Kind::Punct, b'@') => {
                self.c.bump();
                self.operand()
            }
            (Kind::Punct, b'&') => {
                self.c.bump();
                self.unary()
            }
            (Kind::Punct, b'-' | b'+' | b'~') => {
                if self.c.eat_joined(b"++") || self.c.eat_joined(b"--") {
                    let value = self.unary();
                    self.mark_written(value, Role::ReadWrite);
                    return value;
                }
                prefix(self, UnaryOp::Arithmetic)
            }
            (Kind::Word, NEW) => {
                let value = self.new_expr();
                self.postfix(value)
            }
            (Kind::Word, CLONE) if self.c.nth(1).is(b'(') && self.has_several(self.c.at + 1) => {
                self.c.bump();
                self.clone_with()
            }
            (Kind::Word, CLONE | PRINT | THROW | ECHO) => {
                self.c.bump();
                self.expr()
            }
            (Kind::Word, INCLUDE | INCLUDE_ONCE | REQUIRE | REQUIRE_ONCE) => {
                self.c.bump();
                self.expr();
                self.b.expr(Expr::Unknown)
            }
            (Kind::Word, YIELD) => self.yield_expr(),
            (Kind::Open, b'(') if self.is_cast() => self.cast(),
            _ => {
                let value = self.primary();
                self.postfix(value)
            }
        }
    }

    fn yield_expr(&mut self) -> ExprId {
        self.c.bump();
        self.function().yields = true;
        if Self::is_word_token(self.c.peek()) && self.c.str(self.c.peek()) == "from" {
            self.c.bump();
        }
        let next = self.c.peek();
        if next.is(b';') || matches!(next.kind, Kind::Close | Kind::End) {
            return self.b.expr(Expr::Unknown);
        }
        let mut value = self.expr();
        if self.c.eat_joined(b"=>") {
            value = self.expr();
        }
        self.b.expr(Expr::Yield(value))
    }

    fn is_cast(&self) -> bool {
        let (word, close) = (self.c.nth(1), self.c.nth(2));
        Self::is_word_token(word)
            && close.is(b')')
            && CASTS.contains(&&*self.c.str(word).to_ascii_lowercase())
    }

    fn cast(&mut self) -> ExprId {
        let name = self.c.str(self.c.nth(1)).to_ascii_lowercase();
        self.c.at += 3;
        let value = self.unary();
        let name = self.b.name(&name);
        let ty = self.b.ty(TypeExpr::Primitive(name));
        self.b.expr(Expr::Cast { ty, value })
    }

    fn new_expr(&mut self) -> ExprId {
        self.c.bump();
        self.attributes();
        if self.c.is_word(CLASS) || self.c.nth(1).kind == Kind::Word && self.c.nth(1).sub == CLASS {
            while !self.c.eat_word(CLASS) {
                self.c.bump();
            }
            if self.c.is(b'(') {
                self.arguments();
            }
            let start = self.c.at;
            let def = self.anonymous(SymbolKind::Class);
            self.class_body(def);
            self.finish_range(def, start);
            return self.b.expr(Expr::Class(def));
        }
        let start = self.c.at;
        let segments = self.at_name().then(|| self.segments()).filter(|_| !self.c.is_joined(b"::"));
        let named = if let Some((segments, absolute)) = segments {
            match (&segments[..], absolute) {
                ([one], false) if matches!(&*self.text(*one).to_ascii_lowercase(), "self" | "static") => {
                    self.special_type("self")
                }
                ([one], false) if self.text(*one).eq_ignore_ascii_case("parent") => {
                    let scope = self.b.scope();
                    let parent = self.b.expr(Expr::Super(scope));
                    Some(self.b.ty(TypeExpr::TypeOf(parent)))
                }
                _ => self
                    .name_of(&segments, absolute, Role::New)
                    .map(|(name, _)| self.b.ty(TypeExpr::Named { name, args: List::EMPTY })),
            }
        } else {
            // `new $class`, `new $this->class`, `new A::$class`, `new ($expr)`.
            self.c.at = start;
            let value = self.primary();
            let value = self.member_chain(value);
            if let Expr::Ref(class) = self.b.facts().expr(value) {
                self.b.ref_mut(class).role = Role::Read;
            }
            let instance = self.b.expr(Expr::InstanceOf(value));
            Some(self.b.ty(TypeExpr::TypeOf(instance)))
        };
        let mark = self.pending.mark();
        let args = if self.c.is(b'(') { self.arguments().0 } else { Vec::new() };
        let args = self.b.list(args);
        let Some(ty) = named else { return self.b.expr(Expr::Unknown) };
        let value = self.b.expr(Expr::New { ty, args });
        self.pending.settle_arguments(&mut self.b, mark, value);
        value
    }

    fn parenthesised(&mut self) -> ExprId {
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        let value = self.expr();
        self.c.at = end;
        self.c.eat(b')');
        value
    }

    pub(super) fn primary(&mut self) -> ExprId {
        let token = self.c.peek();
        match (token.kind, token.sub) {
            (Kind::Word, VARIABLE) => {
                self.c.bump();
                let (name, range) = self.variable(token);
                if name == "this" {
                    let scope = self.b.scope();
                    return self.b.expr(Expr::This(scope));
                }
                let reference = self.b.reference(name, range, Role::Read);
                self.b.expr(Expr::Ref(reference))
            }
            (Kind::Number, kind) => {
                self.c.bump();
                self.b.expr(Expr::Literal(if kind == FLOAT { Literal::Float } else { Literal::Int }))
            }
            (Kind::Text, STRING) => {
                self.c.bump();
                self.static_callable(token);
                self.qualified_text(token);
                self.b.expr(Expr::Literal(Literal::String))
            }
            (Kind::Text, STRING_HEAD) => self.template(),
            (Kind::Open, b'(') => self.parenthesised(),
            (Kind::Open, b'[') => self.array(),
            (Kind::Punct, b'$') => {
                // `$$name`, `${expr}`.
                self.c.bump();
                self.given_name()
            }
            (Kind::Punct, b'#') => {
                while self.c.is(b'#') {
                    let before = self.c.at;
                    self.attributes();
                    if self.c.at <= before {
                        self.c.skip();
                    }
                }
                self.primary()
            }
            (Kind::Word, FUNCTION | FN) => self.closure(),
            (Kind::Word, STATIC)
                if matches!(self.c.nth(1).sub, FUNCTION | FN) && self.c.nth(1).kind == Kind::Word =>
            {
                self.c.bump();
                self.closure()
            }
            (Kind::Word, MATCH) if self.c.nth(1).is(b'(') => self.match_expr(),
            _ if self.at_name() => self.constant_or_class(),
            _ => self.b.expr(Expr::Unknown),
        }
    }

    /// A name in an expression: a constant, a function to be called, a class before `::`.
    fn constant_or_class(&mut self) -> ExprId {
        let (segments, absolute) = self.segments();
        let next_static = self.c.is_joined(b"::");
        if let ([one], false) = (&segments[..], absolute) {
            let lower = self.text(*one).to_ascii_lowercase();
            let scope = self.b.scope();
            match &*lower {
                "self" | "static" if next_static => return self.b.expr(Expr::This(scope)),
                "parent" if next_static => return self.b.expr(Expr::Super(scope)),
                "true" | "false" => return self.b.expr(Expr::Literal(Literal::Bool)),
                "null" => return self.b.expr(Expr::Literal(Literal::Null)),
                "isset" | "empty" | "unset" | "exit" | "die" | "array" | "list" | "eval"
                    if self.c.is(b'(') =>
                {
                    return self.construct(&lower);
                }
                "exit" | "die" => return self.b.expr(Expr::Unknown),
                _ => {}
            }
        }
        let role = if next_static {
            Role::Type
        } else if self.c.is(b'(') {
            Role::Call
        } else {
            Role::Read
        };
        match self.name_of(&segments, absolute, role) {
            Some((reference, value)) => {
                if !next_static {
                    self.b.ref_mut(reference).flags.set(RefFlags::GLOBAL_FALLBACK);
                }
                value
            }
            None => self.b.expr(Expr::Unknown),
        }
    }

    /// `isset(…)`, `array(…)`: looks like a call and is none.
    fn construct(&mut self, name: &str) -> ExprId {
        if name == "array" {
            return self.array();
        }
        self.arguments();
        self.b.expr(match name {
            "isset" | "empty" => Expr::Literal(Literal::Bool),
            _ => Expr::Unknown,
        })
    }

    /// A string with values inside.
    fn template(&mut self) -> ExprId {
        self.c.bump();
        while !self.c.is_end() {
            let token = self.c.peek();
            if token.kind == Kind::Text && token.sub == STRING_END {
                self.c.bump();
                break;
            }
            let before = self.c.at;
            if token.is(b'{') && token.kind == Kind::Open {
                self.braced();
            } else {
                self.unary();
            }
            if self.c.at == before {
                self.c.bump();
            }
        }
        self.b.expr(Expr::Literal(Literal::String))
    }

    fn array(&mut self) -> ExprId {
        if self.skims_literals() {
            return self.b.expr(Expr::Collection { kind: Collection::List, items: List::EMPTY });
        }
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        let mut items = Vec::new();
        let mut keyed = false;
        let outer = self.pending.mark();
        let mut last = self.c.at;
        while self.c.at < end {
            let before = self.c.at;
            if self.c.eat(b',') {
                continue;
            }
            last = self.c.at;
            self.c.eat_joined(b"...");
            self.c.eat(b'&');
            let mut item = self.expr();
            if self.c.eat_joined(b"=>") {
                keyed = true;
                self.c.eat(b'&');
                let key = item;
                item = self.expr();
                items.push(key);
            } else if keyed {
                items.push(item);
            }
            items.push(item);
            if self.c.at == before {
                self.c.skip();
            }
        }
        if let ([of, _], false) = (&items[..], keyed) {
            self.callable_array(*of, last, end);
        }
        self.pending.forget(outer);
        self.c.at = end;
        self.c.bump();
        let items = self.b.list(items);
        self.b.expr(Expr::Collection { kind: if keyed { Collection::Map } else { Collection::List }, items })
    }

    fn closure(&mut self) -> ExprId {
        let start = self.c.at;
        let def = self.anonymous(SymbolKind::Function);
        let word = self.c.bump();
        self.c.eat(b'&');
        self.callable(def, word.end);
        self.finish_range(def, start);
        let value = self.b.expr(Expr::Function(def));
        self.pending.push(value);
        value
    }

    fn match_expr(&mut self) -> ExprId {
        self.c.bump();
        self.parenthesised();
        if !self.c.is(b'{') {
            return self.b.expr(Expr::Unknown);
        }
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        let mut results = Vec::new();
        let mut condition = None;
        while self.c.at < end {
            let before = self.c.at;
            if !self.c.eat_word(DEFAULT) && !self.c.is_joined(b"=>") {
                condition = Some(self.expr());
            }
            if self.c.eat_joined(b"=>") {
                let from = self.c.last_end();
                results.push(self.expr());
                // Of `match (true)`; others have no tests for conditions.
                if let Some(condition) = condition.take() {
                    self.narrow(condition, self.c.since(from), false);
                }
            }
            self.c.eat(b',');
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.at = end;
        self.c.eat(b'}');
        let results = self.b.list(results);
        self.b.expr(Expr::Choice(results))
    }
}
