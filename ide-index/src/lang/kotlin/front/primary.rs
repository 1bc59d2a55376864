//! Values that begin a chain: names, literals, templates, lambdas, parentheses.

use ide_model::{SymbolKind, TextRange};

use crate::facts::{Collection, DefFlags, DefId, Expectation, Expr, ExprId, List, Literal, Role, ScopeKind};
use crate::kit::Kind;

use super::lexer::{CHARACTER, HEAD, TAIL, words as w};
use super::{Function, Parser, Value};

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Value {
        let token = self.c.peek();
        match (token.kind, token.sub) {
            (Kind::Number, _) => {
                self.c.at += 1;
                let literal = number(self.str(token));
                Value::of(self.b.expr(Expr::Literal(literal)))
            }
            (Kind::Text, HEAD) => self.template(),
            (Kind::Text, sub) => {
                self.c.at += 1;
                let literal = if sub == CHARACTER { Literal::Char } else { Literal::String };
                Value::of(self.b.expr(Expr::Literal(literal)))
            }
            (Kind::Word, _) if Self::is_name(token) => self.member(None, false),
            (Kind::Word, word) => self.keyword_primary(word),
            (Kind::Open, b'(') => self.parenthesis(),
            (Kind::Open, b'{') => {
                let lambda = self.lambda(false);
                Value::of(lambda)
            }
            (Kind::Open, _) => self.collection(),
            (Kind::Punct, b':') if self.c.is_joined(b"::") => {
                let expr = self.callable_reference(None);
                Value::of(expr)
            }
            _ => {
                self.unexpected("an expression");
                self.unknown()
            }
        }
    }

    fn keyword_primary(&mut self, word: u8) -> Value {
        match word {
            w::TRUE | w::FALSE | w::NULL => {
                self.c.at += 1;
                let literal = if word == w::NULL { Literal::Null } else { Literal::Bool };
                Value::of(self.b.expr(Expr::Literal(literal)))
            }
            w::THIS => {
                self.c.at += 1;
                let scope = self.b.scope();
                let expr = match self.label_use() {
                    Some(label) => Expr::OuterThis(label),
                    None => Expr::This(scope),
                };
                Value::of(self.b.expr(expr))
            }
            w::SUPER => self.super_value(),
            w::IF => Value::of(self.if_value()),
            w::WHEN => Value::of(self.when_value()),
            w::TRY => Value::of(self.try_value()),
            w::OBJECT => Value::of(self.object_value()),
            w::FUN => Value::of(self.anonymous_function()),
            w::RETURN | w::THROW | w::BREAK | w::CONTINUE => Value::of(self.leave(word)),
            w::FOR | w::WHILE | w::DO => {
                match word {
                    w::FOR => self.for_loop(),
                    w::WHILE => self.while_loop(),
                    _ => self.do_loop(),
                }
                self.unknown()
            }
            _ => {
                self.unexpected("an expression");
                self.unknown()
            }
        }
    }

    fn super_value(&mut self) -> Value {
        self.c.at += 1;
        let mut ty = None;
        if self.c.eat(b'<') {
            ty = Some(self.ty(Role::Type));
            self.want(b'>');
        }
        let scope = self.b.scope();
        let expr = match self.label_use() {
            Some(label) => {
                let outer = self.b.expr(Expr::OuterThis(label));
                self.b.expr(Expr::Enter(outer))
            }
            None => self.b.expr(Expr::Super(scope)),
        };
        Value::of(match ty {
            Some(ty) => self.b.expr(Expr::Cast { ty, value: expr }),
            None => expr,
        })
    }

    fn parenthesis(&mut self) -> Value {
        let open = self.c.at;
        // The content of the parentheses tells whether braces behind them are a lambda.
        if !self.c.token(self.c.behind_group(open)).is(b'{') && self.skims_in_function() {
            return self.unknown();
        }
        if !self.c.deeper() {
            self.c.skip();
            return self.unknown();
        }
        self.c.at += 1;
        let in_head = std::mem::take(&mut self.in_head);
        let inner = self.with_newlines(false, |p| p.binary(0));
        self.in_head = in_head;
        self.leave_group(open);
        self.c.shallower();
        inner
    }

    /// `[a, b]` in annotations.
    fn collection(&mut self) -> Value {
        let open = self.c.at;
        if !self.c.deeper() {
            self.c.skip();
            return self.unknown();
        }
        let first = self.values.len();
        self.arguments(first);
        self.c.shallower();
        let items = self.b.list(self.values.drain(first..));
        debug_assert!(self.c.at > open);
        Value::of(self.b.expr(Expr::Collection { kind: Collection::Array, items }))
    }

    /// A string with templates.
    fn template(&mut self) -> Value {
        self.c.at += 1;
        if self.c.deeper() {
            let (mark, tests) = (self.pending.mark(), self.tests.len());
            loop {
                let token = self.c.peek();
                match (token.kind, token.sub) {
                    (Kind::Punct, b'$') => {
                        self.c.at += 1;
                        let word = self.c.peek();
                        if word.sub == w::THIS {
                            self.c.at += 1;
                        } else if word.kind == Kind::Word {
                            self.template_name();
                        }
                    }
                    (Kind::Open, b'{') => {
                        if !self.skims_in_function() {
                            let open = self.c.at;
                            self.c.at += 1;
                            self.statements(self.c.group_end(open));
                            self.leave_group(open);
                        }
                    }
                    (Kind::Text, TAIL) => {
                        self.c.at += 1;
                        break;
                    }
                    _ => break,
                }
                self.pending.forget(mark);
                self.tests.truncate(tests);
            }
            self.c.shallower();
        } else {
            while !matches!(self.c.peek().kind, Kind::Text | Kind::End) {
                self.c.skip();
            }
            self.c.bump();
        }
        Value::of(self.b.expr(Expr::Literal(Literal::String)))
    }

    fn template_name(&mut self) {
        let token = self.c.bump();
        let text = self.c.str(token);
        if text == "it" {
            self.mention_it();
        }
        self.b.reference(text, token.range(), Role::Read);
    }

    /// Whether the braces at `open` begin with parameters and an arrow.
    pub(super) fn lambda_arrow(&self, open: usize) -> bool {
        let end = self.c.group_end(open);
        let (mut i, mut angles) = (open + 1, 0_u32);
        while i < end {
            let token = self.c.token(i);
            if self.c.joined_at(i, b"->") {
                // `{ Channel<() -> Unit>() }` has none.
                if angles == 0 {
                    return true;
                }
                i += 2;
                continue;
            }
            angles = (angles + u32::from(token.is(b'<'))).saturating_sub(u32::from(token.is(b'>')));
            let may_stand = match token.kind {
                Kind::Word => Self::is_name(token) || matches!(token.sub, w::IN),
                Kind::Punct => matches!(token.sub, b',' | b':' | b'.' | b'<' | b'>' | b'?' | b'*' | b'@'),
                Kind::Open => token.sub == b'(',
                _ => false,
            };
            if !may_stand {
                return false;
            }
            i = self.c.over(i);
        }
        false
    }

    /// The braces at the cursor as a lambda.
    pub(super) fn lambda(&mut self, is_trailing: bool) -> ExprId {
        let open = self.c.at;
        let start = self.c.peek().start;
        if !self.c.deeper() {
            self.c.skip();
            return self.b.expr(Expr::Unknown);
        }
        let def = self.b.def("", TextRange::new(start, start), SymbolKind::Function);
        let scope = self.b.open(ScopeKind::Function, start, Some(def));
        let label = self.lambda_label.take();
        if self.skims() {
            self.b.close(self.c.last_end());
            let range = self.c.since(start);
            return self.finish_lambda(def, DefFlags::ANONYMOUS, range, &[], &[]);
        }
        self.functions.push(Function { def, is_lambda: true, it: None, label, returns: Vec::new() });
        let has_arrow = self.lambda_arrow(open);
        self.c.at += 1;
        let mut params = Vec::new();
        if has_arrow {
            params = self.with_newlines(false, Self::lambda_params);
            if !self.c.eat_joined(b"->") {
                self.unexpected("`->`");
            }
        }
        let (mark, tests) = (self.pending.mark(), self.tests.len());
        let initializers = self.initializers.take();
        let value = self.statements(self.c.group_end(open));
        self.initializers = initializers;
        self.tests.truncate(tests);
        self.pending.settle(&mut self.b, mark, Expectation::Return(def));
        self.leave_group(open);
        let end = self.c.last_end();
        let function = self.functions.pop();
        if let Some(flags) = function.as_ref().and_then(|f| f.it)
            && !has_arrow
        {
            let it = self.b.def_in(scope, "it", TextRange::new(start + 1, start + 1), SymbolKind::Parameter);
            self.b.def_mut(it).flags = DefFlags::SYNTHETIC | DefFlags::LOCAL | flags;
            params.push(it);
        }
        self.b.close(end);
        let mut returns = function.map(|f| f.returns).unwrap_or_default();
        returns.extend(value);
        let mut flags = DefFlags::ANONYMOUS | DefFlags::ARROW;
        if is_trailing {
            flags.set(DefFlags::KEYWORD_ONLY);
        }
        if returns.is_empty() {
            flags.set(DefFlags::VOID);
        }
        // A lambda that names no parameters may have one, and one that has an arrow has just those.
        if has_arrow {
            flags.set(DefFlags::POSITIONAL_ONLY);
        }
        self.finish_lambda(def, flags, TextRange::new(start, end), &params, &returns)
    }

    fn finish_lambda(
        &mut self,
        def: DefId,
        flags: DefFlags,
        range: TextRange,
        params: &[DefId],
        returns: &[ExprId],
    ) -> ExprId {
        self.c.shallower();
        let params = self.b.list(params.iter().copied());
        let returns = self.b.list(returns.iter().copied());
        let d = self.b.def_mut(def);
        d.range = range;
        d.params = params;
        d.returns = returns;
        d.flags = d.flags | flags;
        let lambda = self.b.expr(Expr::Function(def));
        self.pending.push(lambda);
        lambda
    }

    fn lambda_params(&mut self) -> Vec<DefId> {
        let mut all = Vec::new();
        while !self.c.is_joined(b"->") && !self.c.is_end() {
            let before = self.c.at;
            self.annotations();
            if self.c.is(b'(') {
                // Taken apart at once: the parameter itself has no name.
                let start = self.c.peek().start;
                let def = self.b.def("", TextRange::new(start, start), SymbolKind::Parameter);
                self.b.def_mut(def).flags.set(DefFlags::ANONYMOUS);
                let value = self.b.expr(Expr::Value(def));
                let names = self.destructured();
                self.take_apart(&names, value);
                all.push(def);
            } else if self.at_name() {
                let name = self.c.bump();
                let def = self.b.def(self.c.str(name), name.range(), SymbolKind::Parameter);
                let ty = self.c.eat(b':').then(|| self.ty(Role::Type));
                let range = self.c.since(name.start);
                let d = self.b.def_mut(def);
                d.ty = ty;
                d.range = range;
                if self.c.str(name) == "_" {
                    self.b.def_mut(def).flags.set(DefFlags::ANONYMOUS);
                }
                all.push(def);
            }
            if !self.c.eat(b',') || self.c.at == before {
                break;
            }
        }
        all
    }

    /// `fun (x: Int): Int { … }` as a value.
    fn anonymous_function(&mut self) -> ExprId {
        let start = self.c.peek().start;
        if !self.c.deeper() {
            self.c.skip();
            return self.b.expr(Expr::Unknown);
        }
        self.c.at += 1;
        let def = self.b.def("", TextRange::new(start, start), SymbolKind::Function);
        self.b.open(ScopeKind::Function, start, Some(def));
        let receiver = self.receiver();
        let params = if self.c.is(b'(') { self.params(None) } else { List::EMPTY };
        let ty = self.c.eat(b':').then(|| self.ty(Role::Type));
        let d = self.b.def_mut(def);
        d.params = params;
        d.ty = ty;
        d.receiver = receiver;
        self.body(def, "", ty.is_some());
        let end = self.c.last_end();
        self.b.close(end);
        let params: Vec<DefId> = self.b.facts().list(params).collect();
        let returns: Vec<ExprId> = self.b.facts().list(self.b.facts().def(def).returns).collect();
        let flags = DefFlags::ANONYMOUS | DefFlags::POSITIONAL_ONLY;
        self.finish_lambda(def, flags, TextRange::new(start, end), &params, &returns)
    }
}

fn number(text: &str) -> Literal {
    let hex = text.starts_with("0x") || text.starts_with("0X");
    match text.as_bytes().last().copied().unwrap_or(b'0') {
        b'L' => Literal::Long,
        b'f' | b'F' if !hex => Literal::SmallFloat,
        _ if !hex && text.contains(['.', 'e', 'E']) => Literal::Float,
        _ => Literal::Int,
    }
}
