//! Go's statements and expressions.

use ide_model::SymbolKind;

use super::front::Parser;
use super::lexer::{
    BREAK, CASE, CHAN, CONST, CONTINUE, DEFAULT, DEFER, ELSE, FALLTHROUGH, FLOAT, FOR, FUNC, GO, GOTO, IF,
    IMAGINARY, INTERFACE, MAP, RANGE, RETURN, SELECT, STRING, STRUCT, SWITCH, TYPE, VAR,
};
use crate::facts::{
    Assign, BinaryOp, DefFlags, Expectation, Expr, ExprId, List, Literal, Role, ScopeKind, TypeExpr, TypeId,
    UnaryOp,
};
use crate::guard;
use crate::kit::{Kind, Token, value};

impl Parser<'_> {
    /// `{ … }` in a scope that is already open.
    pub(super) fn block(&mut self) {
        if !self.c.is(b'{') {
            return;
        }
        if !self.c.deeper() {
            self.c.skip();
            return;
        }
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        self.statements(end);
        self.c.at = end;
        self.c.eat(b'}');
        self.c.shallower();
    }

    fn statements(&mut self, end: usize) {
        while self.c.at < end {
            let before = self.c.at;
            if !self.c.eat(b';') && guard::deeper(|| self.statement()).is_none() {
                self.c.skip();
            }
            if self.c.at == before {
                self.b.error(self.c.peek().range(), "unexpected here");
                self.c.skip();
            }
        }
    }

    fn scoped_block(&mut self) {
        self.b.open(ScopeKind::Block, self.c.peek().start, None);
        self.block();
        self.b.close(self.c.last_end());
    }

    fn statement(&mut self) {
        let token = self.c.peek();
        if token.is(b'{') {
            self.scoped_block();
            return;
        }
        if token.kind != Kind::Word || token.sub == 0 {
            if self.is_name() && self.c.nth(1).is(b':') && !self.c.nth(2).is(b'=') {
                let name = self.c.bump();
                self.b.def(self.text(name), name.range(), SymbolKind::Label);
                self.c.bump();
                return;
            }
            self.simple_statement();
            return;
        }
        match token.sub {
            VAR | CONST | TYPE => self.declaration(),
            GO | DEFER => {
                self.c.bump();
                self.expr();
            }
            RETURN => self.return_statement(),
            BREAK | CONTINUE | GOTO => {
                self.c.bump();
                if self.is_name() && !self.c.peek().after_newline {
                    let label = self.c.bump();
                    self.b.reference(self.text(label), label.range(), Role::Label);
                }
            }
            IF => self.if_statement(),
            FOR => self.for_statement(),
            SWITCH => self.switch_statement(),
            SELECT => {
                self.c.bump();
                self.clauses(None);
            }
            FALLTHROUGH => {
                self.c.bump();
            }
            FUNC | STRUCT | MAP | CHAN | INTERFACE => self.simple_statement(),
            _ => {
                self.c.bump();
            }
        }
    }

    fn return_statement(&mut self) {
        self.c.bump();
        if self.at_line_end() {
            return;
        }
        let mark = self.pending.mark();
        let values = self.expr_list();
        match (self.functions.last().copied(), values.len()) {
            (Some(def), 1) => self.pending.settle(&mut self.b, mark, Expectation::Return(def)),
            _ => self.pending.forget(mark),
        }
    }

    /// An expression, an assignment, a short declaration, a send, `x++`.
    fn simple_statement(&mut self) {
        if let Some(names) = self.short_declaration_ahead() {
            self.short_declaration(&names);
            return;
        }
        let mark = self.pending.mark();
        let left = self.expr_list();
        if let Some(width) = self.assignment_operator() {
            let role = if width > 1 { Role::ReadWrite } else { Role::Write };
            self.c.at += width;
            for target in &left {
                self.mark_written(*target, role);
            }
            let at = self.c.peek().start;
            let values = self.expr_list();
            match (&left[..], &values[..]) {
                ([target], [_]) => self.pending.settle(&mut self.b, mark, Expectation::Assigned(*target)),
                _ => self.pending.forget(mark),
            }
            for (target, value) in left.iter().zip(&values) {
                self.b.assign(Assign { target: *target, value: *value, at });
            }
        } else if self.c.eat_joined(b"++") || self.c.eat_joined(b"--") {
            for target in &left {
                self.mark_written(*target, Role::ReadWrite);
            }
        } else if self.c.eat_joined(b"<-") {
            self.expr();
        }
        self.pending.forget(mark);
    }

    /// How many tokens the assignment operator that is next has.
    fn assignment_operator(&self) -> Option<usize> {
        let first = self.c.peek();
        if first.kind != Kind::Punct {
            return None;
        }
        if first.is(b'=') && !self.c.is_joined(b"==") {
            return Some(1);
        }
        const COMPOUND: [&[u8]; 11] =
            [b"<<=", b">>=", b"&^=", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^="];
        COMPOUND.iter().find(|op| op[0] == first.sub && self.c.is_joined(op)).map(|op| op.len())
    }

    fn mark_written(&mut self, target: ExprId, role: Role) {
        match self.b.facts().expr(target) {
            Expr::Ref(reference) => self.b.ref_mut(reference).role = role,
            Expr::Index { .. } => {
                let value = self.b.expr(Expr::Unknown);
                self.b.expr(Expr::Assign { target, value });
            }
            _ => {}
        }
    }

    /// The names before `:=`, if a short declaration is next.
    fn short_declaration_ahead(&self) -> Option<Vec<Token>> {
        let mut names = Vec::new();
        let mut i = self.c.at;
        loop {
            let token = self.c.token(i);
            if token.kind != Kind::Word || token.sub != 0 {
                return None;
            }
            names.push(token);
            if !self.c.token(i + 1).is(b',') {
                return self.c.joined_at(i + 1, b":=").then_some(names);
            }
            i += 2;
        }
    }

    /// `a, b := …`: new names are declared, names of this very scope are assigned. A name is visible behind the
    /// statement only, so the values are read first.
    fn short_declaration(&mut self, names: &[Token]) {
        self.c.at += 2 * names.len() + 1;
        let is_range = self.c.eat_word(RANGE);
        let values = if is_range { vec![self.expr()] } else { self.expr_list() };
        for (i, token) in names.iter().enumerate() {
            let init = match (is_range, &values[..]) {
                (true, [base]) if i == 0 => {
                    let ranged = self.b.expr(Expr::Spread(*base));
                    Some(self.b.expr(Expr::Item { base: ranged, index: 0 }))
                }
                (true, [base]) => Some(self.b.expr(Expr::Element(*base))),
                (_, [one]) if names.len() > 1 => {
                    Some(self.b.expr(Expr::Item { base: *one, index: i as u32 }))
                }
                (_, values) => values.get(i).copied(),
            };
            let text = self.text(*token);
            if text == "_" {
                continue;
            }
            if self.is_declared_here(text, token.start) {
                let (_, target) = value::name(&mut self.b, None, text, token.range(), Role::Write);
                if let Some(value) = init {
                    self.b.assign(Assign { target, value, at: token.start });
                }
                continue;
            }
            let def = self.declare(*token, SymbolKind::Variable, usize::MAX);
            let range = self.c.since(names[0].start);
            let d = self.b.def_mut(def);
            d.init = init;
            d.range = range;
        }
    }

    /// In the innermost scope; parameters share the scope of the body.
    fn is_declared_here(&mut self, name: &str, before: u32) -> bool {
        let scope = self.b.scope();
        let name = self.b.name(name);
        self.b
            .facts()
            .defs
            .iter()
            .rev()
            .take(400)
            .any(|d| d.scope == scope && d.name == name && d.name_range.start < before)
    }

    fn if_statement(&mut self) {
        self.c.bump();
        self.b.open(ScopeKind::Block, self.c.last_end(), None);
        self.head(|p| p.simple_statement());
        self.scoped_block();
        if self.c.eat_word(ELSE) {
            if self.c.is_word(IF) {
                if self.c.deeper() {
                    self.if_statement();
                    self.c.shallower();
                } else {
                    self.c.skip();
                }
            } else {
                self.scoped_block();
            }
        }
        self.b.close(self.c.last_end());
    }

    /// The parts between the keyword and the block, separated by semicolons.
    fn head(&mut self, mut part: impl FnMut(&mut Self)) {
        let outer = std::mem::replace(&mut self.no_literal, true);
        loop {
            let before = self.c.at;
            if !self.c.is(b'{') && !self.c.is(b';') {
                part(self);
            }
            if !self.c.eat(b';') && (self.c.is(b'{') || self.c.at == before || self.c.is_end()) {
                break;
            }
        }
        self.no_literal = outer;
    }

    fn for_statement(&mut self) {
        self.c.bump();
        self.b.open(ScopeKind::Block, self.c.last_end(), None);
        self.head(|p| {
            if p.c.eat_word(RANGE) {
                p.expr();
                return;
            }
            p.range_or_simple();
        });
        self.scoped_block();
        self.b.close(self.c.last_end());
    }

    /// `k, v = range x` has a statement form of its own; everything else is simple.
    fn range_or_simple(&mut self) {
        let mut i = self.c.at;
        while !self.c.token(i).is(b'{') && !self.c.token(i).is(b';') && self.c.token(i).kind != Kind::End {
            if self.c.token(i).kind == Kind::Word && self.c.token(i).sub == RANGE {
                break;
            }
            i = self.c.over(i).max(i + 1);
        }
        let is_range = self.c.token(i).kind == Kind::Word && self.c.token(i).sub == RANGE;
        let assigns = is_range && i > 0 && self.c.token(i - 1).is(b'=') && !self.c.joined_at(i - 2, b":=");
        if !assigns {
            self.simple_statement();
            return;
        }
        let targets = self.expr_list();
        for target in &targets {
            self.mark_written(*target, Role::Write);
        }
        self.c.at = i + 1;
        self.expr();
    }

    fn switch_statement(&mut self) {
        self.c.bump();
        self.b.open(ScopeKind::Block, self.c.last_end(), None);
        let mut variable: Option<(Token, ExprId)> = None;
        self.head(|p| {
            let next = (p.c.nth(1), p.c.nth(2));
            if p.is_name() && next.0.is(b':') && next.1.is(b'=') && p.is_type_switch() {
                let name = p.c.bump();
                p.c.at += 2;
                variable = Some((name, p.expr()));
            } else {
                p.simple_statement();
            }
        });
        self.clauses(variable);
        self.b.close(self.c.last_end());
    }

    /// `x.(type)` stands before the end of the statement.
    fn is_type_switch(&self) -> bool {
        let mut i = self.c.at;
        let ends = |token: Token| token.kind == Kind::End || token.is(b'{') || token.is(b';');
        while !ends(self.c.token(i)) {
            let inner = self.c.token(i + 1);
            if self.c.token(i).is(b'(') && inner.kind == Kind::Word && inner.sub == TYPE {
                return true;
            }
            i = self.c.over(i).max(i + 1);
        }
        false
    }

    /// The clauses of a `switch` or `select`, each a scope. The variable of a type switch is declared in each.
    fn clauses(&mut self, variable: Option<(Token, ExprId)>) {
        if !self.c.is(b'{') {
            return;
        }
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        let mut is_first = true;
        while self.c.at < end {
            if !self.c.eat_word(CASE) && !self.c.eat_word(DEFAULT) {
                self.c.skip();
                continue;
            }
            self.b.open(ScopeKind::Block, self.c.last_end(), None);
            let types = self.case_head(variable.is_some());
            if let Some((name, value)) = variable {
                let def = self.declare(name, SymbolKind::Variable, usize::MAX);
                let d = self.b.def_mut(def);
                match types[..] {
                    [one] => d.ty = Some(one),
                    _ => d.init = Some(value),
                }
                if !is_first {
                    d.flags.set(DefFlags::SYNTHETIC);
                }
                is_first = false;
            }
            let next = self.next_clause(end);
            self.statements(next);
            self.c.at = next;
            self.b.close(self.c.peek().start);
        }
        self.c.at = end;
        self.c.eat(b'}');
    }

    fn next_clause(&self, end: usize) -> usize {
        let mut i = self.c.at;
        while i < end {
            let token = self.c.token(i);
            if token.kind == Kind::Word && matches!(token.sub, CASE | DEFAULT) {
                break;
            }
            i = self.c.over(i).max(i + 1);
        }
        i.min(end)
    }

    /// The list between `case` and the colon. In a type switch these are types.
    fn case_head(&mut self, types: bool) -> Vec<TypeId> {
        let mut found = Vec::new();
        while !self.c.is(b':') && !self.c.is_end() && self.c.peek().kind != Kind::Close {
            let before = self.c.at;
            if types {
                let ty = self.ty();
                found.push(ty);
                self.c.eat(b',');
            } else {
                self.simple_statement();
            }
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.eat(b':');
        found
    }

    // ---- expressions --------------------------------------------------------------------------------------------

    pub(super) fn expr_list(&mut self) -> Vec<ExprId> {
        let mut all = vec![self.expr()];
        while self.c.eat(b',') {
            all.push(self.expr());
        }
        all
    }

    pub(super) fn expr(&mut self) -> ExprId {
        if !self.c.deeper() {
            self.c.skip();
            return self.b.expr(Expr::Unknown);
        }
        let mut left = self.unary();
        while let Some((op, width)) = self.binary_operator() {
            self.c.at += width;
            let right = self.unary();
            left = self.b.expr(Expr::Binary { op, left, right });
        }
        self.c.shallower();
        left
    }

    fn binary_operator(&self) -> Option<(BinaryOp, usize)> {
        let token = self.c.peek();
        if token.kind != Kind::Punct || token.after_newline && self.ends_statement() {
            return None;
        }
        const OPERATORS: [(&[u8], BinaryOp); 17] = [
            (b"&&", BinaryOp::And),
            (b"||", BinaryOp::Or),
            (b"==", BinaryOp::Compare),
            (b"!=", BinaryOp::Compare),
            (b"<=", BinaryOp::Compare),
            (b">=", BinaryOp::Compare),
            (b"<<", BinaryOp::Shift),
            (b">>", BinaryOp::Shift),
            (b"&^", BinaryOp::Bits),
            (b"<", BinaryOp::Compare),
            (b">", BinaryOp::Compare),
            (b"+", BinaryOp::Plus),
            (b"-", BinaryOp::Arithmetic),
            (b"*", BinaryOp::Arithmetic),
            (b"/", BinaryOp::Arithmetic),
            (b"%", BinaryOp::Arithmetic),
            (b"|", BinaryOp::Bits),
        ];
        let first = self.c.peek();
        if first.kind != Kind::Punct
            || self.c.is_joined(b"<-")
            || self.c.is_joined(b"++")
            || self.c.is_joined(b"--")
        {
            return None;
        }
        let found =
            OPERATORS.iter().find(|(text, _)| text[0] == first.sub && self.c.is_joined(text)).copied();
        let found =
            found.or_else(|| (self.c.is(b'&') || self.c.is(b'^')).then_some((b"&" as &[u8], BinaryOp::Bits)));
        let (text, op) = found?;
        // `+=` and its like are assignments.
        let is_assignment = op != BinaryOp::Compare
            && self.c.nth(text.len()).is(b'=')
            && self.c.nth(text.len()).start == self.c.nth(text.len() - 1).end
            && !matches!(op, BinaryOp::And | BinaryOp::Or);
        (!is_assignment).then_some((op, text.len()))
    }

    /// A line break before the next token ends the statement: the token before it can end an expression.
    fn ends_statement(&self) -> bool {
        let Some(before) = self.c.at.checked_sub(1).map(|i| self.c.token(i)) else { return false };
        matches!(before.kind, Kind::Word | Kind::Number | Kind::Text | Kind::Close)
    }

    fn unary(&mut self) -> ExprId {
        let token = self.c.peek();
        if token.kind == Kind::Punct {
            if !self.c.deeper() {
                self.c.skip();
                return self.b.expr(Expr::Unknown);
            }
            let value = self.unary_operator(token);
            self.c.shallower();
            if let Some(value) = value {
                return value;
            }
        }
        self.primary()
    }

    fn unary_operator(&mut self, token: Token) -> Option<ExprId> {
        if self.c.is_joined(b"<-") {
            self.c.at += 2;
            if self.c.is_word(CHAN) {
                return Some(self.type_value().1);
            }
            let value = self.unary();
            return Some(self.b.expr(Expr::Await(value)));
        }
        match token.sub {
            b'&' => {
                self.c.bump();
                let value = self.unary();
                Some(self.b.expr(Expr::Unary { op: UnaryOp::AddressOf, value }))
            }
            b'*' => {
                self.c.bump();
                let value = self.unary();
                Some(self.b.expr(Expr::Deref(value)))
            }
            b'!' => {
                self.c.bump();
                let value = self.unary();
                Some(self.b.expr(Expr::Unary { op: UnaryOp::Not, value }))
            }
            b'-' | b'+' | b'^' => {
                self.c.bump();
                let value = self.unary();
                Some(self.b.expr(Expr::Unary { op: UnaryOp::Arithmetic, value }))
            }
            _ => None,
        }
    }

    fn primary(&mut self) -> ExprId {
        let token = self.c.peek();
        let mut value = match (token.kind, token.sub) {
            (Kind::Word, 0) if self.text(token) == "_" => {
                self.c.bump();
                self.b.expr(Expr::Unknown)
            }
            (Kind::Word, 0) => {
                self.c.bump();
                value::name(&mut self.b, None, self.c.str(token), token.range(), Role::Read).1
            }
            (Kind::Number, kind) => {
                self.c.bump();
                self.b.expr(Expr::Literal(match kind {
                    FLOAT => Literal::Float,
                    IMAGINARY => Literal::Other,
                    _ => Literal::Int,
                }))
            }
            (Kind::Text, kind) => {
                self.c.bump();
                self.b.expr(Expr::Literal(if kind == STRING { Literal::String } else { Literal::Char }))
            }
            (Kind::Word, FUNC) => self.function_literal(),
            (Kind::Word, STRUCT | MAP | CHAN | INTERFACE) | (Kind::Open, b'[') => {
                let (ty, value) = self.type_value();
                if self.c.is(b'{') {
                    let base = self.b.expr(Expr::Cast { ty, value });
                    self.composite(base);
                    base
                } else {
                    value
                }
            }
            (Kind::Open, b'(') => self.parenthesised(),
            (Kind::Open, b'{') if !self.no_literal => {
                let unknown = self.b.expr(Expr::Unknown);
                self.composite(unknown);
                unknown
            }
            _ => return self.b.expr(Expr::Unknown),
        };
        loop {
            let next = self.c.peek();
            if next.after_newline && !next.is(b'.') {
                return value;
            }
            value = match next.sub {
                b'.' if next.kind == Kind::Punct && !self.c.is_joined(b"...") => match self.selector(value) {
                    Some(value) => value,
                    None => return value,
                },
                b'(' if next.kind == Kind::Open => self.call(value),
                b'[' if next.kind == Kind::Open => self.index(value),
                b'{' if next.kind == Kind::Open && !self.no_literal && self.names_a_type(value) => {
                    self.literal_of(value)
                }
                _ => return value,
            };
        }
    }

    fn parenthesised(&mut self) -> ExprId {
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        let outer = std::mem::replace(&mut self.no_literal, false);
        let value = self.expr();
        self.no_literal = outer;
        self.c.at = end;
        self.c.eat(b')');
        value
    }

    fn function_literal(&mut self) -> ExprId {
        let start = self.c.peek().start;
        let def = self.anonymous(SymbolKind::Function);
        self.c.bump();
        self.b.open(ScopeKind::Function, start, Some(def));
        self.signature(def);
        if self.c.is(b'{') {
            self.body(def);
            self.b.close(self.c.last_end());
            let range = self.c.since(start);
            self.b.def_mut(def).range = range;
            return self.b.expr(Expr::Function(def));
        }
        self.b.close(self.c.last_end());
        // Without a body it is a type: `(func() T)(nil)`.
        let (params, result) = (self.b.facts().def(def).params, self.b.facts().def(def).ty);
        let params = self.b.facts().list(params).collect();
        let ty = self.function_of(params, result);
        let ty = self.b.ty(ty);
        self.b.expr(Expr::Type(ty))
    }

    /// `.name`, `.(T)`, `.(type)`.
    fn selector(&mut self, base: ExprId) -> Option<ExprId> {
        let next = self.c.nth(1);
        if next.is(b'(') {
            self.c.bump();
            let end = self.c.group_end(self.c.at);
            self.c.bump();
            let value = if self.c.is_word(TYPE) {
                base
            } else {
                let ty = self.ty();
                self.b.expr(Expr::Cast { ty, value: base })
            };
            self.c.at = end;
            self.c.eat(b')');
            return Some(value);
        }
        self.c.bump();
        if next.kind != Kind::Word || (next.after_newline && next.sub != 0) {
            return None;
        }
        self.c.bump();
        Some(value::name(&mut self.b, Some(base), self.c.str(next), next.range(), Role::Read).1)
    }

    fn call(&mut self, callee: ExprId) -> ExprId {
        if let Expr::Ref(reference) = self.b.facts().expr(callee) {
            self.b.ref_mut(reference).role = Role::Call;
        }
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        let outer = std::mem::replace(&mut self.no_literal, false);
        let mark = self.pending.mark();
        let mut args = Vec::new();
        while self.c.at < end {
            let before = self.c.at;
            let argument = self.pending.mark();
            let mut value = self.expr();
            if self.c.eat_joined(b"...") {
                value = self.b.expr(Expr::Spread(value));
            }
            self.pending.number(argument, args.len() as u32);
            args.push(value);
            self.c.eat(b',');
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.no_literal = outer;
        self.c.at = end;
        self.c.eat(b')');
        let call = value::call(&mut self.b, callee, List::EMPTY, &args);
        self.pending.settle_arguments(&mut self.b, mark, call);
        call
    }

    /// `x[i]`, `x[a:b]`, `F[int]`, `T[K, V]`.
    fn index(&mut self, base: ExprId) -> ExprId {
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        let outer = std::mem::replace(&mut self.no_literal, false);
        let mut indices = Vec::new();
        let mut is_slice = false;
        while self.c.at < end {
            let before = self.c.at;
            if self.c.eat(b':') {
                is_slice = true;
            } else if !self.c.eat(b',') {
                indices.push(self.expr());
            }
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.no_literal = outer;
        self.c.at = end;
        self.c.eat(b']');
        if is_slice {
            return self.b.expr(Expr::Slice(base));
        }
        // Of several each is a type argument.
        indices.into_iter().fold(base, |base, index| self.b.expr(Expr::Index { base, index }))
    }

    /// Whether `{` after this value begins a literal: a plain, qualified or instantiated name.
    fn names_a_type(&self, value: ExprId) -> bool {
        match self.b.facts().expr(value) {
            Expr::Ref(reference) => {
                let receiver = self.b.facts().reference(reference).receiver;
                receiver.is_none_or(|r| matches!(self.b.facts().expr(r), Expr::Ref(r) if self.b.facts().reference(r).receiver.is_none()))
            }
            Expr::Index { base, .. } => guard::deeper(|| self.names_a_type(base)).unwrap_or(false),
            _ => false,
        }
    }

    /// `T{…}` where `T` was read as a value.
    fn literal_of(&mut self, named: ExprId) -> ExprId {
        let mut name = named;
        while let Expr::Index { base, .. } = self.b.facts().expr(name) {
            name = base;
        }
        let Expr::Ref(reference) = self.b.facts().expr(name) else { return named };
        self.b.ref_mut(reference).role = Role::New;
        let ty = self.b.ty(TypeExpr::Named { name: reference, args: List::EMPTY });
        let made = self.b.expr(Expr::New { ty, args: List::EMPTY });
        let base = if name == named { made } else { self.b.expr(Expr::InstanceOf(named)) };
        self.composite(base);
        base
    }

    /// The braces of a literal. `base` is a value of the literal's type: keys are looked up in it, and literals
    /// without a type of their own are its elements.
    fn composite(&mut self, base: ExprId) {
        if !self.c.deeper() {
            self.c.skip();
            return;
        }
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        let outer = std::mem::replace(&mut self.no_literal, false);
        let element = self.b.expr(Expr::Element(base));
        let mut key_of_map: Option<ExprId> = None;
        while self.c.at < end {
            let before = self.c.at;
            let is_key = self.is_name() && self.c.nth(1).is(b':');
            let mark = self.pending.mark();
            if is_key {
                let token = self.c.bump();
                let key = self.b.reference(self.text(token), token.range(), Role::Key);
                self.b.ref_mut(key).receiver = Some(base);
                self.c.bump();
                self.element(element);
                self.pending.forget(mark);
            } else {
                let is_key_literal = self.c.is(b'{') && self.c.token(self.c.behind_group(self.c.at)).is(b':');
                let first = if is_key_literal {
                    *key_of_map.get_or_insert_with(|| {
                        let ranged = self.b.expr(Expr::Spread(base));
                        self.b.expr(Expr::Item { base: ranged, index: 0 })
                    })
                } else {
                    element
                };
                self.element(first);
                if self.c.eat(b':') {
                    self.element(element);
                }
                self.pending.forget(mark);
            }
            self.c.eat(b',');
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.no_literal = outer;
        self.c.at = end;
        self.c.eat(b'}');
        self.c.shallower();
    }

    fn element(&mut self, element: ExprId) {
        if self.c.is(b'{') {
            self.composite(element);
        } else if !self.c.is(b':') {
            self.expr();
        }
    }
}
