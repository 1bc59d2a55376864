//! Values: operators, calls, accesses, closures, literals.

use ide_model::{SymbolKind, TextRange};

use super::front::Parser;
use super::lexer::{
    AS, ASYNC, AWAIT, BREAK, BYTE, BYTE_STRING, CHAR, CONST, CONTINUE, CRATE, FALSE, FLOAT, FOR, IF, LET,
    LIFETIME, LOOP, MATCH, MOVE, MUT, RETURN, SELF, SELF_TYPE, STATIC, STRING, SUPER, TRUE, UNSAFE, WHILE,
};
use super::types::{Path, Place};
use crate::facts::{
    Assign, BinaryOp, Collection, DefFlags, Expectation, Expr, ExprId, List, Literal, RefFlags, RefId, Role,
    ScopeKind, TypeExpr, TypeId, UnaryOp,
};
use crate::kit::{Kind, Token, value};

/// Binding strengths of operators; higher binds tighter.
const ASSIGNMENT: u8 = 1;
const RANGE: u8 = 2;
const OR: u8 = 3;
pub(super) const AND: u8 = 4;
const COMPARE: u8 = 5;

/// An operator, its strength and its width in tokens.
type Operator = (Option<BinaryOp>, u8, usize);

impl Parser<'_> {
    /// A value.
    pub(super) fn expr(&mut self) -> ExprId {
        self.operand_above(0)
    }

    /// A value of operators that bind tighter than `strength`.
    pub(super) fn operand_above(&mut self, strength: u8) -> ExprId {
        if !self.c.deeper() {
            self.c.skip();
            return self.unknown();
        }
        let left = if self.c.is_joined(b"..") { self.range(None) } else { self.prefix() };
        let value = self.operators(left, strength);
        self.c.shallower();
        value
    }

    /// The operators behind a left side.
    pub(super) fn operators(&mut self, mut left: ExprId, strength: u8) -> ExprId {
        loop {
            if self.c.is_word(AS) {
                self.c.bump();
                let ty = self.ty_plain();
                left = self.b.expr(Expr::Cast { ty, value: left });
                continue;
            }
            let Some((op, own, width)) = self.operator() else { return left };
            if own <= strength {
                return left;
            }
            left = match own {
                ASSIGNMENT => self.assignment(left, width),
                RANGE => self.range(Some(left)),
                _ => {
                    self.c.at += width;
                    let right = self.operand_above(own);
                    let op = op.unwrap_or(BinaryOp::Other);
                    self.b.expr(Expr::Binary { op, left, right })
                }
            };
        }
    }

    fn operator(&self) -> Option<Operator> {
        const OPERATORS: [(&[u8], Option<BinaryOp>, u8); 30] = [
            (b"<<=", None, ASSIGNMENT),
            (b">>=", None, ASSIGNMENT),
            (b"..", Some(BinaryOp::Range), RANGE),
            (b"&&", Some(BinaryOp::And), AND),
            (b"||", Some(BinaryOp::Or), OR),
            (b"==", Some(BinaryOp::Compare), COMPARE),
            (b"!=", Some(BinaryOp::Compare), COMPARE),
            (b"<=", Some(BinaryOp::Compare), COMPARE),
            (b">=", Some(BinaryOp::Compare), COMPARE),
            (b"=>", None, 0),
            (b"->", None, 0),
            (b"+=", None, ASSIGNMENT),
            (b"-=", None, ASSIGNMENT),
            (b"*=", None, ASSIGNMENT),
            (b"/=", None, ASSIGNMENT),
            (b"%=", None, ASSIGNMENT),
            (b"^=", None, ASSIGNMENT),
            (b"&=", None, ASSIGNMENT),
            (b"|=", None, ASSIGNMENT),
            (b"<<", Some(BinaryOp::Shift), 9),
            (b">>", Some(BinaryOp::Shift), 9),
            (b"=", None, ASSIGNMENT),
            (b"<", Some(BinaryOp::Compare), COMPARE),
            (b">", Some(BinaryOp::Compare), COMPARE),
            (b"|", Some(BinaryOp::Bits), 6),
            (b"^", Some(BinaryOp::Bits), 7),
            (b"&", Some(BinaryOp::Bits), 8),
            (b"+", Some(BinaryOp::Plus), 10),
            (b"-", Some(BinaryOp::Arithmetic), 10),
            (b"*", Some(BinaryOp::Arithmetic), 11),
        ];
        let token = self.c.peek();
        if token.kind != Kind::Punct {
            return None;
        }
        if token.is(b'/') || token.is(b'%') {
            let assigns = self.c.joined_at(self.c.at, &[token.sub, b'=']);
            return Some(if assigns { (None, ASSIGNMENT, 2) } else { (Some(BinaryOp::Arithmetic), 11, 1) });
        }
        let (text, op, strength) = OPERATORS.iter().find(|(text, ..)| self.c.is_joined(text)).copied()?;
        (strength > 0).then_some((op, strength, text.len()))
    }

    fn assignment(&mut self, target: ExprId, width: usize) -> ExprId {
        let at = self.c.peek().start;
        let is_compound = width > 1;
        self.mark_written(target, if is_compound { Role::ReadWrite } else { Role::Write });
        self.c.at += width;
        let mark = self.pending.mark();
        let value = self.operand_above(0);
        self.pending.settle(&mut self.b, mark, Expectation::Assigned(target));
        if !is_compound {
            self.b.assign(Assign { target, value, at });
        }
        self.unknown()
    }

    fn mark_written(&mut self, target: ExprId, role: Role) {
        if let Expr::Ref(reference) = self.b.facts().expr(target) {
            self.b.ref_mut(reference).role = role;
        }
    }

    /// `a..b`, `..=b`, `a..`.
    fn range(&mut self, left: Option<ExprId>) -> ExprId {
        self.c.at += 2;
        self.c.eat(b'=');
        let has_right = self.begins_value() && !(self.no_struct && self.c.is(b'{'));
        let right = has_right.then(|| self.operand_above(RANGE));
        let unknown = self.unknown();
        let (left, right) = (left.or(right).unwrap_or(unknown), right.or(left).unwrap_or(unknown));
        self.b.expr(Expr::Binary { op: BinaryOp::Range, left, right })
    }

    /// A value can begin with what is next.
    pub(super) fn begins_value(&self) -> bool {
        let token = self.c.peek();
        match token.kind {
            Kind::Close | Kind::End => false,
            Kind::Punct => {
                matches!(token.sub, b'&' | b'*' | b'-' | b'!' | b'|' | b':' | b'<' | b'#' | b'$')
                    || self.c.is_joined(b"..")
            }
            Kind::Word => !matches!(token.sub, super::lexer::ELSE | AS | super::lexer::IN),
            Kind::Open => !(token.is(b'{') && self.no_struct),
            Kind::Number | Kind::Text => true,
        }
    }

    /// Operators before a value, and the value with what follows it.
    pub(super) fn prefix(&mut self) -> ExprId {
        let token = self.c.peek();
        if token.kind != Kind::Punct {
            let value = self.primary();
            return self.postfix(value);
        }
        if !self.c.deeper() {
            self.c.skip();
            return self.unknown();
        }
        let value = match token.sub {
            b'&' => {
                self.c.bump();
                if self.is_soft("raw")
                    && (self.is_word_at(self.c.at + 1, MUT) || self.is_word_at(self.c.at + 1, CONST))
                {
                    self.c.at += 1;
                    self.c.eat_word(CONST);
                }
                self.c.eat_word(MUT);
                let value = self.prefix();
                self.b.expr(Expr::Unary { op: UnaryOp::AddressOf, value })
            }
            b'*' => {
                self.c.bump();
                let value = self.prefix();
                self.b.expr(Expr::Deref(value))
            }
            b'!' | b'-' => {
                self.c.bump();
                let op = if token.sub == b'!' { UnaryOp::Not } else { UnaryOp::Arithmetic };
                let value = self.prefix();
                self.b.expr(Expr::Unary { op, value })
            }
            b'#' => {
                let conditions = self.attributes().conditions;
                let value = self.prefix();
                self.under(conditions, token.start);
                value
            }
            _ => {
                let value = self.primary();
                self.postfix(value)
            }
        };
        self.c.shallower();
        value
    }

    pub(super) fn primary(&mut self) -> ExprId {
        let token = self.c.peek();
        match (token.kind, token.sub) {
            (Kind::Number, kind) => {
                self.c.bump();
                self.number(token, kind)
            }
            (Kind::Text, LIFETIME) => {
                if self.c.nth(1).is(b':') {
                    return self.labelled();
                }
                self.c.bump();
                self.unknown()
            }
            (Kind::Text, kind) => {
                self.c.bump();
                if self.macros > 0 && kind == STRING {
                    self.captures(token);
                }
                self.b.expr(Expr::Literal(match kind {
                    CHAR => Literal::Char,
                    BYTE_STRING => Literal::Bytes,
                    BYTE => Literal::Other,
                    _ => Literal::String,
                }))
            }
            (Kind::Open, b'(') => self.parenthesised(),
            (Kind::Open, b'[') => self.array(),
            (Kind::Open, b'{') => self.block(),
            (Kind::Punct, b'|') => self.closure(),
            (Kind::Punct, b':' | b'<' | b'$') => self.path_expression(),
            (Kind::Word, word) => self.word_expression(word),
            _ => self.unknown(),
        }
    }

    fn number(&mut self, token: Token, kind: u8) -> ExprId {
        let text = self.text(token);
        if let Some(suffix) = number_type(text) {
            let name = self.b.name(suffix);
            let ty = self.b.ty(TypeExpr::Primitive(name));
            let value = self.unknown();
            return self.b.expr(Expr::Cast { ty, value });
        }
        self.b.expr(Expr::Literal(if kind == FLOAT { Literal::Float } else { Literal::Int }))
    }

    fn word_expression(&mut self, word: u8) -> ExprId {
        let next = self.c.nth(1);
        match word {
            IF => self.if_expression(),
            MATCH => self.match_expression(),
            WHILE => self.while_expression(),
            LOOP => self.loop_expression(),
            FOR if next.is(b'<') => {
                self.c.bump();
                self.higher_ranked();
                self.closure()
            }
            FOR => self.for_expression(),
            LET => self.let_condition(),
            RETURN | BREAK | CONTINUE => self.jump(),
            TRUE | FALSE => {
                self.c.bump();
                self.b.expr(Expr::Literal(Literal::Bool))
            }
            UNSAFE if next.is(b'{') => {
                self.c.bump();
                self.block()
            }
            CONST if next.is(b'{') => {
                self.c.bump();
                self.block()
            }
            MOVE | STATIC | CONST => {
                self.c.bump();
                self.primary_in()
            }
            ASYNC => {
                self.c.bump();
                self.c.eat_word(MOVE);
                if self.c.is(b'{') {
                    let value = self.block();
                    // A future of the block's value, which awaiting gives.
                    return self.b.expr(Expr::NonNull(value));
                }
                self.primary_in()
            }
            0 if self.is_soft("yield") && self.c.nth(1).kind == Kind::Word => self.jump(),
            // `_ = value` names nothing.
            0 if self.is_soft("_") => {
                self.c.bump();
                self.unknown()
            }
            0 | CRATE | SELF | SUPER | SELF_TYPE => self.path_expression(),
            _ => self.unknown(),
        }
    }

    /// The expression behind a word that only modifies it.
    fn primary_in(&mut self) -> ExprId {
        if !self.c.deeper() {
            self.c.skip();
            return self.unknown();
        }
        let value = self.primary();
        self.c.shallower();
        value
    }

    fn parenthesised(&mut self) -> ExprId {
        let outer = std::mem::replace(&mut self.no_struct, false);
        let mut items = Vec::new();
        let mut is_tuple = self.c.nth(1).is(b')');
        self.group(|p, _| {
            let mark = p.pending.mark();
            items.push(p.expr());
            if p.c.eat(b',') {
                is_tuple = true;
            }
            if is_tuple {
                p.pending.forget(mark);
            }
        });
        self.no_struct = outer;
        match items[..] {
            [one] if !is_tuple => one,
            _ => {
                let items = self.b.list(items);
                self.b.expr(Expr::Collection { kind: Collection::Tuple, items })
            }
        }
    }

    fn array(&mut self) -> ExprId {
        if self.over_group() {
            return self.unknown();
        }
        let outer = std::mem::replace(&mut self.no_struct, false);
        let mut items = Vec::new();
        let mut is_repeat = false;
        self.group(|p, _| {
            let value = p.expr();
            if !is_repeat {
                items.push(value);
            }
            is_repeat |= p.c.eat(b';');
            p.c.eat(b',');
        });
        self.no_struct = outer;
        let items = self.b.list(items);
        self.b.expr(Expr::Collection { kind: Collection::Array, items })
    }

    /// `|a, (b, c): T| value`, `|| -> T { … }`.
    fn closure(&mut self) -> ExprId {
        // `move`, `async` and the like belong to it.
        let is_modifier =
            |token: Token| token.kind == Kind::Word && matches!(token.sub, MOVE | ASYNC | STATIC);
        let mut start = self.c.at;
        while start > 0 && is_modifier(self.c.token(start - 1)) {
            start -= 1;
        }
        let at = self.c.token(start).start;
        let def = self.b.def("", TextRange::new(at, at), SymbolKind::Function);
        self.b.def_mut(def).flags.set(DefFlags::ANONYMOUS);
        self.b.open(ScopeKind::Function, at, Some(def));
        let mut params = Vec::new();
        if !self.c.eat(b'|') {
            self.b.close(self.c.last_end());
            return self.unknown();
        }
        while !self.c.is(b'|') && !matches!(self.c.peek().kind, Kind::Close | Kind::End) {
            let before = self.c.at;
            self.attributes();
            params.push(self.parameter(usize::MAX));
            self.c.eat(b',');
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.eat(b'|');
        let params = self.b.list(params);
        self.b.def_mut(def).params = params;
        if self.c.eat_joined(b"->") {
            let ty = self.ty_plain();
            self.b.def_mut(def).ty = Some(ty);
        }
        self.functions.push(def);
        let mark = self.pending.mark();
        let value = self.operand_above(0);
        self.pending.settle(&mut self.b, mark, Expectation::Return(def));
        self.functions.pop();
        let mut returns: Vec<ExprId> = self.b.facts().list(self.b.facts().def(def).returns).collect();
        returns.insert(0, value);
        let returns = self.b.list(returns);
        self.b.def_mut(def).returns = returns;
        self.b.close(self.c.last_end());
        self.finish_range(def, start);
        let value = self.b.expr(Expr::Function(def));
        self.pending.push(value);
        value
    }

    fn path_expression(&mut self) -> ExprId {
        let path = self.path(Place::Value, Role::Read);
        let Some(last) = path.last else {
            return self.keyword_value(&path);
        };
        if self.c.is(b'!') && !self.c.is_joined(b"!=") && self.c.nth(1).kind == Kind::Open {
            return self.expanded_value(last).unwrap_or_else(|| self.macro_call(last));
        }
        if self.c.is(b'{') && !self.no_struct && self.looks_like_fields() {
            self.names_a_type(last, Role::New);
            let ty = self.b.ty(TypeExpr::Named { name: last, args: path.args });
            return self.struct_literal(ty);
        }
        let value = self.b.expr(Expr::Ref(last));
        if self.c.is(b'(') {
            return self.call(value, path.args);
        }
        self.pending.push(value);
        value
    }

    /// `self`, `Self`, `Self(…)`, `Self { … }`.
    fn keyword_value(&mut self, path: &Path) -> ExprId {
        match path.keyword {
            SELF if path.root.is_none() => {
                let scope = self.b.scope();
                self.b.expr(Expr::This(scope))
            }
            SELF_TYPE if self.c.is(b'{') && !self.no_struct && self.looks_like_fields() => {
                let ty = self.self_type();
                self.struct_literal(ty)
            }
            SELF_TYPE => {
                let Some(value) = path.root else { return self.unknown() };
                if self.c.is(b'(') { self.call(value, List::EMPTY) } else { value }
            }
            _ => self.unknown(),
        }
    }

    /// The braces that are next hold fields, not statements.
    fn looks_like_fields(&self) -> bool {
        let (first, second) = (self.c.nth(1), self.c.nth(2));
        let is_key = matches!(first.kind, Kind::Word | Kind::Number);
        first.is(b'}')
            || first.is(b'#')
            || self.c.joined_at(self.c.at + 1, b"..")
            || is_key
                && (second.is(b',')
                    || second.is(b'}')
                    || second.is(b':') && !self.c.joined_at(self.c.at + 2, b"::"))
            || self.macros > 0 && first.is(b'$')
    }

    fn struct_literal(&mut self, ty: TypeId) -> ExprId {
        if self.over_group() {
            return self.unknown();
        }
        let outer = std::mem::replace(&mut self.no_struct, false);
        let (mut args, mut keys) = (Vec::new(), Vec::new());
        let mark = self.pending.mark();
        self.group(|p, _| {
            let from = p.c.peek().start;
            let conditions = p.attributes().conditions;
            if p.c.eat_joined(b"..") {
                if p.begins_value() {
                    let inner = p.pending.mark();
                    p.expr();
                    p.pending.forget(inner);
                }
                return;
            }
            let token = p.c.peek();
            if !matches!(token.kind, Kind::Word | Kind::Number) {
                return;
            }
            p.c.bump();
            let inner = p.pending.mark();
            if p.c.is(b':') {
                p.c.bump();
                let key = p.key(token);
                keys.push(key);
                let value = p.expr();
                args.push(p.b.expr(Expr::Named { key, value }));
                for_key(p, inner, key);
            } else if token.kind == Kind::Word {
                let key = p.key(token);
                p.b.ref_mut(key).flags.set(RefFlags::IMPLICIT);
                keys.push(key);
                let reference = p.reference(token, Role::Read, None);
                let value = p.b.expr(Expr::Ref(reference));
                args.push(p.b.expr(Expr::Named { key, value }));
            }
            p.under(conditions, from);
            p.c.eat(b',');
        });
        self.no_struct = outer;
        let args = self.b.list(args);
        let literal = self.b.expr(Expr::New { ty, args });
        for key in keys {
            self.b.ref_mut(key).call = Some(literal);
        }
        self.pending.forget(mark);
        literal
    }

    /// `.field`, `.method(…)`, `.0`, `.await`, `(…)`, `[…]`, `?`.
    pub(super) fn postfix(&mut self, mut value: ExprId) -> ExprId {
        loop {
            let token = self.c.peek();
            value = match (token.kind, token.sub) {
                (Kind::Punct, b'?') => {
                    self.c.bump();
                    self.b.expr(Expr::Try(value))
                }
                (Kind::Punct, b'.') if !self.c.is_joined(b"..") => match self.member(value) {
                    Some(value) => value,
                    None => return value,
                },
                (Kind::Open, b'(') => self.call(value, List::EMPTY),
                (Kind::Open, b'[') => self.index(value),
                _ => return value,
            };
        }
    }

    fn member(&mut self, base: ExprId) -> Option<ExprId> {
        let next = self.c.nth(1);
        match next.kind {
            Kind::Number => {
                self.c.at += 2;
                let index = self.text(next).parse().unwrap_or(u32::MAX);
                Some(self.b.expr(Expr::Item { base, index }))
            }
            Kind::Word if next.sub == AWAIT => {
                self.c.at += 2;
                Some(self.b.expr(Expr::Await(base)))
            }
            Kind::Word => {
                self.c.at += 2;
                let reference = self.reference(next, Role::Read, Some(base));
                let args = self.method_arguments();
                let value = self.b.expr(Expr::Ref(reference));
                Some(if self.c.is(b'(') { self.call(value, args) } else { value })
            }
            _ => {
                self.c.bump();
                None
            }
        }
    }

    fn method_arguments(&mut self) -> List<TypeId> {
        if !self.c.is_joined(b"::<") {
            return List::EMPTY;
        }
        // Type arguments are those of a path that has only them.
        self.turbofish()
    }

    fn call(&mut self, callee: ExprId, type_args: List<TypeId>) -> ExprId {
        // `(self.f)(x)` calls what a field holds, never a method.
        let is_grouped = self.c.at > 0 && self.c.token(self.c.at - 1).is(b')');
        if let Expr::Ref(reference) = self.b.facts().expr(callee)
            && !is_grouped
        {
            self.b.ref_mut(reference).role = Role::Call;
        }
        if self.over_group() {
            return self.unknown();
        }
        let outer = std::mem::replace(&mut self.no_struct, false);
        let mark = self.pending.mark();
        let mut args = Vec::new();
        self.group(|p, _| {
            let (argument, from) = (p.pending.mark(), p.c.peek().start);
            let conditions = p.attributes().conditions;
            let value = p.expr();
            p.under(conditions, from);
            p.pending.number(argument, args.len() as u32);
            args.push(value);
            if !p.c.eat(b',') && p.macros > 0 && p.c.peek().kind == Kind::Punct {
                p.c.bump();
            }
        });
        self.no_struct = outer;
        let call = value::call(&mut self.b, callee, type_args, &args);
        // `Box::new(|x| …)`: what is expected of the box says what is expected of the closure.
        let wraps_closure =
            matches!(args[..], [only] if matches!(self.b.facts().expr(only), Expr::Function(_)));
        self.pending.settle_arguments(&mut self.b, mark, call);
        if wraps_closure {
            self.pending.push(call);
        }
        call
    }

    fn index(&mut self, base: ExprId) -> ExprId {
        let outer = std::mem::replace(&mut self.no_struct, false);
        let mark = self.pending.mark();
        let mut index = None;
        self.group(|p, _| {
            let value = p.expr();
            index.get_or_insert(value);
            p.c.eat(b',');
        });
        self.pending.forget(mark);
        self.no_struct = outer;
        match index {
            Some(index) => {
                let is_range = matches!(self.b.facts().expr(index), Expr::Binary { op: BinaryOp::Range, .. });
                self.b.expr(if is_range { Expr::Slice(base) } else { Expr::Index { base, index } })
            }
            None => self.b.expr(Expr::Slice(base)),
        }
    }
}

/// The type that a number says to have.
pub(super) fn number_type(text: &str) -> Option<&str> {
    let suffix = text.find(['u', 'i', 'f']).map(|at| &text[at..]);
    suffix.filter(|suffix| super::types::is_primitive(suffix) && !text.starts_with("0x"))
}

/// Everything pending since the mark is the value of a field.
fn for_key(p: &mut Parser<'_>, mark: usize, key: RefId) {
    let call = p.b.expr(Expr::Unknown);
    p.pending.settle(&mut p.b, mark, Expectation::Named { call, key });
}
