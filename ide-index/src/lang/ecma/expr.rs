//! Expressions. Operators are flattened; an assignment takes all to its right, an arrow function its body.

use ide_model::SymbolKind;

use super::front::{Function, Parser};
use super::lexer::{
    AS, ASYNC, AWAIT, CLASS, CONST, DELETE, FALSE, FUNCTION, IMPORT, IN, INSTANCEOF, JSX_OPEN, NEW, NULL,
    REGEX, SATISFIES, STRING, SUPER, TEMPLATE_END, TEMPLATE_HEAD, THIS, TRUE, TYPEOF, VOID, YIELD,
};
use crate::facts::{
    BinaryOp, Collection, DefFlags, Expectation, Expr, ExprId, List, Literal, RefFlags, Role, ScopeKind,
    TypeExpr, TypeId, UnaryOp,
};
use crate::guard;
use crate::kit::{Kind, Token, value};

/// Strings longer than this are no tags of a union.
const MAX_COMPARED: usize = 32;

/// Which operators an operand may hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    All,
    /// The right operand of `||` and `??`.
    Or,
    /// The right operand of `&&`.
    And,
}

impl Parser<'_> {
    /// Expressions separated by commas; the value is that of the last.
    pub(super) fn expr(&mut self) -> ExprId {
        let mut value = self.assignment_expr();
        while self.c.eat(b',') {
            value = self.assignment_expr();
        }
        value
    }

    pub(super) fn assignment_expr(&mut self) -> ExprId {
        if !self.c.deeper() {
            self.c.skip();
            return self.b.expr(Expr::Unknown);
        }
        let value = self.assignment_inner();
        self.c.shallower();
        value
    }

    fn assignment_inner(&mut self) -> ExprId {
        if let Some(arrow) = self.arrow_function() {
            return arrow;
        }
        if let Some(value) = self.destructuring_assignment() {
            return value;
        }
        self.operators(Level::All)
    }

    /// Operands and the operators between them that bind at least as tightly as the level says.
    fn operators(&mut self, level: Level) -> ExprId {
        let mark = self.pending.mark();
        let mut left = self.unary();
        loop {
            if let Some(width) = self.assignment_operator() {
                return if level == Level::All { self.assignment(left, width) } else { left };
            }
            let token = self.c.peek();
            if token.is(b'?') && !self.c.is_joined(b"?.") && !self.c.is_joined(b"??") {
                if level != Level::All {
                    return left;
                }
                left = self.choice(left);
            } else if token.kind == Kind::Word
                && matches!(token.sub, AS | SATISFIES)
                && !token.after_newline
                && self.typed
            {
                self.c.bump();
                if self.c.eat_word(CONST) {
                    continue;
                }
                let ty = self.ty();
                self.pending.settle(&mut self.b, mark, Expectation::Type(ty));
                if token.sub == AS {
                    left = self.b.expr(Expr::Cast { ty, value: left });
                }
            } else if token.kind == Kind::Word && token.sub == INSTANCEOF {
                self.c.bump();
                let right = self.unary();
                left = self.b.expr(Expr::Binary { op: BinaryOp::TypeTest, left, right });
            } else if let Some((op, width)) = self.binary_operator() {
                if level == Level::And && matches!(op, BinaryOp::Or | BinaryOp::Coalesce) {
                    return left;
                }
                left = self.binary(left, op, width);
            } else {
                return left;
            }
        }
    }

    /// `condition ? yes : no` from the question mark on.
    fn choice(&mut self, condition: ExprId) -> ExprId {
        let outer_choice = self.choice.replace(self.c.at);
        self.c.bump();
        let start = self.c.peek().start;
        let outer = std::mem::replace(&mut self.no_in, false);
        let yes = self.assignment_expr();
        self.no_in = outer;
        self.choice = outer_choice;
        self.narrow(condition, self.c.since(start), false);
        self.c.eat(b':');
        let start = self.c.peek().start;
        let no = self.assignment_expr();
        self.narrow(condition, self.c.since(start), true);
        let parts = self.b.list([yes, no]);
        self.b.expr(Expr::Choice(parts))
    }

    /// An operator of `width` characters with its right operand.
    fn binary(&mut self, left: ExprId, op: BinaryOp, width: usize) -> ExprId {
        let differs = op == BinaryOp::Compare && self.c.is(b'!');
        self.c.at += width;
        let start = self.c.peek().start;
        let level = match op {
            BinaryOp::And => Some(Level::And),
            BinaryOp::Or | BinaryOp::Coalesce => Some(Level::Or),
            _ => None,
        };
        let right = if let Some(arrow) = self.arrow_function() {
            arrow
        } else if let Some(level) = level.filter(|_| self.c.deeper()) {
            let right = self.operators(level);
            self.c.shallower();
            right
        } else {
            self.unary()
        };
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            self.narrow(left, self.c.since(start), op == BinaryOp::Or);
        }
        let value = self.b.expr(Expr::Binary { op, left, right });
        if differs { self.b.expr(Expr::Unary { op: UnaryOp::Not, value }) } else { value }
    }

    /// `x => …`, `(a, b): T => …`, `async …`, `<T>(a) => …`.
    fn arrow_function(&mut self) -> Option<ExprId> {
        let mut i = self.c.at;
        let first = self.c.token(i);
        let next = self.c.token(i + 1);
        let is_async = first.kind == Kind::Word
            && first.sub == ASYNC
            && !next.after_newline
            && (next.is(b'(') || next.is(b'<') || Self::names(next));
        if is_async && (!next.is(b'(') || self.arrow_behind(i + 1)) && !self.c.joined_at(i + 1, b"=>") {
            i += 1;
        }
        let token = self.c.token(i);
        let has_parameters = token.is(b'(') && token.kind == Kind::Open && self.arrow_behind(i)
            || token.is(b'<') && self.generic_arrow(i);
        let single =
            Self::names(token) && self.c.joined_at(i + 1, b"=>") && !self.c.token(i + 1).after_newline;
        if !has_parameters && !single {
            return None;
        }
        let start = self.c.at;
        self.c.at = i;
        let def = self.anonymous(SymbolKind::Function);
        self.b.def_mut(def).flags.set(DefFlags::ARROW);
        if is_async && i > start {
            self.b.def_mut(def).flags.set(DefFlags::ASYNC);
        }
        let scope = self.b.open(ScopeKind::Function, token.start, Some(def));
        if single {
            let name = self.c.bump();
            let param = self.declare(name, SymbolKind::Parameter);
            let params = self.b.list([param]);
            self.b.def_mut(def).params = params;
        } else {
            self.signature(def);
        }
        self.c.eat_joined(b"=>");
        self.functions.push(Function { def, scope, returns: Vec::new(), is_arrow: true, is_held: false });
        if self.c.is(b'{') {
            self.function_body();
        } else {
            let mark = self.pending.mark();
            let value = self.assignment_expr();
            self.pending.settle(&mut self.b, mark, Expectation::Return(def));
            if let Some(function) = self.functions.last_mut() {
                function.returns.push(value);
            }
        }
        self.close_function(def);
        let range = self.c.since(self.c.token(start).start);
        self.b.def_mut(def).range = range;
        let value = self.b.expr(Expr::Function(def));
        self.pending.push(value);
        Some(value)
    }

    /// The type arguments of what is called without asking what follows: of `new` and of a decorator.
    pub(super) fn called_types(&mut self) -> List<TypeId> {
        let is_generic = self.typed && self.c.is(b'<') && self.behind_angles(self.c.at).is_some();
        if is_generic { self.type_arguments() } else { List::EMPTY }
    }

    /// Behind the `>` that closes type arguments or parameters, when what lies between can be that.
    pub(super) fn behind_angles(&self, open: usize) -> Option<usize> {
        let mut depth = 0;
        let mut i = open;
        let limit = open + 200;
        while i < limit {
            let token = self.c.token(i);
            match token.kind {
                Kind::Punct => match token.sub {
                    b'<' => depth += 1,
                    b'>' if self.c.token(i - 1).is(b'=') && self.c.token(i - 1).end == token.start => {}
                    b'>' => {
                        depth -= 1;
                        if depth == 0 {
                            return Some(i + 1);
                        }
                    }
                    b',' | b'.' | b'|' | b'&' | b'=' | b'?' | b':' | b'-' => {}
                    _ => return None,
                },
                Kind::Word | Kind::Open | Kind::Number => {}
                Kind::Text if matches!(token.sub, STRING | TEMPLATE_HEAD | TEMPLATE_END) => {}
                _ => return None,
            }
            i = self.c.over(i).max(i + 1);
        }
        None
    }

    fn binary_operator(&self) -> Option<(BinaryOp, usize)> {
        const OPERATORS: [(&[u8], BinaryOp); 24] = [
            (b"===", BinaryOp::Compare),
            (b"!==", BinaryOp::Compare),
            (b">>>", BinaryOp::Shift),
            (b"==", BinaryOp::Compare),
            (b"!=", BinaryOp::Compare),
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
        ];
        let token = self.c.peek();
        if token.kind == Kind::Word {
            return (token.sub == IN && !self.no_in).then_some((BinaryOp::In, 1));
        }
        if token.kind != Kind::Punct
            || self.c.is_joined(b"++")
            || self.c.is_joined(b"--")
            || self.c.is_joined(b"=>")
        {
            return None;
        }
        let found = OPERATORS.iter().find(|(text, _)| text[0] == token.sub && self.c.is_joined(text));
        found.map(|(text, op)| (*op, text.len()))
    }

    pub(super) fn unary(&mut self) -> ExprId {
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
        let op = match (token.kind, token.sub) {
            (Kind::Punct, b'!') => Some(UnaryOp::Not),
            (Kind::Punct, b'~') => Some(UnaryOp::Arithmetic),
            (Kind::Punct, b'+' | b'-') => {
                if self.c.eat_joined(b"++") || self.c.eat_joined(b"--") {
                    let value = self.unary();
                    self.mark_written(value, Role::ReadWrite);
                    return value;
                }
                Some(UnaryOp::Arithmetic)
            }
            (Kind::Word, TYPEOF) => Some(UnaryOp::TypeOf),
            (Kind::Word, VOID) => Some(UnaryOp::Void),
            (Kind::Word, DELETE) => Some(UnaryOp::Delete),
            _ => None,
        };
        if let Some(op) = op {
            self.c.bump();
            let value = self.unary();
            return self.b.expr(Expr::Unary { op, value });
        }
        match (token.kind, token.sub) {
            (Kind::Word, AWAIT) if self.operand_follows() => {
                self.c.bump();
                let value = self.unary();
                self.b.expr(Expr::Await(value))
            }
            (Kind::Word, YIELD) if self.operand_follows() || self.c.nth(1).is(b'*') => {
                self.c.bump();
                let is_delegated = self.c.eat(b'*');
                let mark = self.pending.mark();
                let value = self.assignment_expr();
                match self.functions.last().filter(|_| !is_delegated) {
                    Some(function) => {
                        self.pending.settle(&mut self.b, mark, Expectation::Return(function.def));
                    }
                    None => self.pending.forget(mark),
                }
                self.b.expr(Expr::Yield(value))
            }
            (Kind::Punct, b'<') if self.typed => {
                // `<T>value`.
                self.c.bump();
                let ty = self.ty();
                self.c.eat(b'>');
                let mark = self.pending.mark();
                let value = self.unary();
                self.pending.settle(&mut self.b, mark, Expectation::Type(ty));
                self.b.expr(Expr::Cast { ty, value })
            }
            _ => {
                let value = self.postfix_only();
                if (self.c.is_joined(b"++") || self.c.is_joined(b"--")) && !self.c.peek().after_newline {
                    self.c.at += 2;
                    self.mark_written(value, Role::ReadWrite);
                }
                value
            }
        }
    }

    fn operand_follows(&self) -> bool {
        let next = self.c.nth(1);
        !next.after_newline
            && (matches!(next.kind, Kind::Word | Kind::Text | Kind::Number | Kind::Open)
                || next.is(b'!')
                || next.is(b'-')
                || self.typed && next.is(b'<') && self.behind_angles(self.c.at + 1).is_some())
            && !(next.kind == Kind::Word && matches!(next.sub, IN | INSTANCEOF | AS))
    }

    /// A value with its accesses and calls.
    pub(super) fn postfix_only(&mut self) -> ExprId {
        let mut value = self.primary();
        loop {
            let token = self.c.peek();
            let before = self.c.at;
            value = match token.kind {
                Kind::Punct => match token.sub {
                    b'.' if !self.c.is_joined(b"...") => self.member_access(value, 1, false),
                    b'?' if self.c.is_joined(b"?.") && !matches!(self.c.nth(2).kind, Kind::Number) => {
                        self.optional(value)
                    }
                    b'!' if !token.after_newline && self.typed && !self.c.is_joined(b"!=") => {
                        self.c.bump();
                        self.b.expr(Expr::NonNull(value))
                    }
                    b'<' if self.typed => match self.generic_call(value) {
                        Some(value) => value,
                        None => return value,
                    },
                    _ => return value,
                },
                Kind::Open if token.is(b'(') => self.call(value, List::EMPTY),
                Kind::Open if token.is(b'[') => self.index(value),
                Kind::Text if self.is_template(token) => self.tagged(value),
                _ => return value,
            };
            if self.c.at == before {
                return value;
            }
        }
    }

    fn is_template(&self, token: Token) -> bool {
        token.kind == Kind::Text
            && (token.sub == TEMPLATE_HEAD
                || token.sub == STRING && self.c.text[token.start as usize..].starts_with('`'))
    }

    fn member_access(&mut self, base: ExprId, width: usize, optional: bool) -> ExprId {
        let token = self.c.nth(width);
        if token.kind != Kind::Word {
            self.c.at += width;
            return base;
        }
        self.c.at += width + 1;
        let (reference, value) =
            value::name(&mut self.b, Some(base), self.c.str(token), token.range(), Role::Read);
        if optional {
            self.b.ref_mut(reference).flags.set(RefFlags::OPTIONAL_CHAIN);
        }
        self.own_properties(base, self.c.str(token), value)
    }

    /// `?.name`, `?.[i]`, `?.(…)`.
    fn optional(&mut self, base: ExprId) -> ExprId {
        let next = self.c.nth(2);
        if next.is(b'(') {
            self.c.at += 2;
            return self.call(base, List::EMPTY);
        }
        if next.is(b'[') {
            self.c.at += 2;
            return self.index(base);
        }
        self.member_access(base, 2, true)
    }

    fn index(&mut self, base: ExprId) -> ExprId {
        let behind = self.c.behind_group(self.c.at);
        self.c.bump();
        let key = self.c.peek();
        let is_alone = self.c.at + 2 == behind;
        let is_name = key.kind == Kind::Text && key.sub == STRING && is_alone;
        let place = if key.kind == Kind::Number && is_alone { self.c.str(key).parse().ok() } else { None };
        let value = if let Some(index) = place {
            self.b.expr(Expr::Item { base, index })
        } else if is_name {
            // `x["name"]` is an access like any other.
            self.c.bump();
            let range = self.inner(key);
            let text = self.text(range);
            let (reference, value) = value::name(&mut self.b, Some(base), text, range, Role::Read);
            self.b.ref_mut(reference).flags.set(RefFlags::IN_STRING);
            value
        } else {
            let outer = std::mem::replace(&mut self.no_in, false);
            let index = self.expr();
            self.no_in = outer;
            self.b.expr(Expr::Index { base, index })
        };
        self.c.at = behind;
        value
    }

    /// `f<T>(…)`: type arguments only when a call, a template or the end of the expression follows.
    fn generic_call(&mut self, callee: ExprId) -> Option<ExprId> {
        let behind = self.behind_angles(self.c.at)?;
        let next = self.c.token(behind);
        let calls = next.is(b'(') && next.kind == Kind::Open || self.is_template(next);
        let ends = next.after_newline
            || next.kind == Kind::Close
            || next.is(b',')
            || next.is(b';')
            || next.is(b'.') && next.kind == Kind::Punct;
        if !calls && !ends {
            return None;
        }
        let args = self.type_arguments();
        if self.c.is(b'(') { Some(self.call(callee, args)) } else { Some(callee) }
    }

    pub(super) fn call(&mut self, callee: ExprId, type_args: List<TypeId>) -> ExprId {
        let mut called = callee;
        while let Expr::NonNull(inner) = self.b.facts().expr(called) {
            called = inner;
        }
        if let Expr::Ref(reference) = self.b.facts().expr(called)
            && self.b.facts().reference(reference).role == Role::Read
        {
            self.b.ref_mut(reference).role = Role::Call;
        }
        // `require("m")` is an import.
        if let Expr::Ref(reference) = self.b.facts().expr(callee)
            && self.b.facts().ref_name(reference) == "require"
            && self.b.facts().reference(reference).receiver.is_none()
            && self.c.nth(2).is(b')')
        {
            let specifier = self.c.nth(1);
            if let Some(module) = self.dynamic_import(specifier) {
                self.c.skip();
                return module;
            }
        }
        self.name_module_by_call(callee);
        let mark = self.pending.mark();
        let open = self.c.at;
        let args = self.arguments();
        self.declare_by_call(callee, &args, open);
        let call = value::call(&mut self.b, callee, type_args, &args);
        let takes_function = self.pending.mark() > mark;
        self.pending.settle_arguments(&mut self.b, mark, call);
        // The expected type of the call's result determines its type parameters, for its callbacks.
        if takes_function {
            self.pending.push(call);
        }
        call
    }

    fn arguments(&mut self) -> Vec<ExprId> {
        let mut args = Vec::new();
        let outer = std::mem::replace(&mut self.no_in, false);
        self.separated(b',', |p| {
            let spread = p.c.eat_joined(b"...");
            let mark = p.pending.mark();
            let mut value = p.assignment_expr();
            if spread {
                value = p.b.expr(Expr::Spread(value));
            }
            p.pending.number(mark, args.len() as u32);
            args.push(value);
        });
        self.no_in = outer;
        args
    }

    /// A template behind a function.
    fn tagged(&mut self, callee: ExprId) -> ExprId {
        if let Expr::Ref(reference) = self.b.facts().expr(callee) {
            self.b.ref_mut(reference).role = Role::Call;
        }
        // The function gets the texts, and the values between them.
        self.template();
        let values = self.b.expr(Expr::Unknown);
        let values = self.b.expr(Expr::Spread(values));
        value::call(&mut self.b, callee, List::EMPTY, &[values])
    }

    pub(super) fn template(&mut self) -> ExprId {
        let token = self.c.peek();
        if token.sub == STRING {
            self.c.bump();
            let text = self.text(self.inner(token));
            // Short ones are compared with.
            if text.len() <= MAX_COMPARED && !text.contains(['\\', '\n']) {
                let name = self.b.name(text);
                return self.b.expr(Expr::Text(name));
            }
            return self.b.expr(Expr::Literal(Literal::String));
        }
        self.c.bump();
        while !self.c.is_end() {
            let token = self.c.peek();
            if token.kind == Kind::Text && token.sub == TEMPLATE_END {
                self.c.bump();
                break;
            }
            if token.is(b'{') {
                let behind = self.c.behind_group(self.c.at);
                self.c.bump();
                self.expr();
                self.c.at = behind;
            } else {
                self.c.bump();
            }
        }
        self.b.expr(Expr::Literal(Literal::String))
    }

    fn primary(&mut self) -> ExprId {
        let token = self.c.peek();
        let scope = self.b.scope();
        match (token.kind, token.sub) {
            (Kind::Word, FUNCTION) => self.function_expression(DefFlags::NONE),
            (Kind::Word, ASYNC)
                if self.c.nth(1).kind == Kind::Word
                    && self.c.nth(1).sub == FUNCTION
                    && !self.c.nth(1).after_newline =>
            {
                self.c.bump();
                self.function_expression(DefFlags::ASYNC)
            }
            (Kind::Word, CLASS) => self.class_expression(),
            (Kind::Word, NEW) => self.new_expr(),
            (Kind::Word, THIS) => {
                self.c.bump();
                self.b.expr(Expr::This(scope))
            }
            (Kind::Word, SUPER) => {
                self.c.bump();
                self.b.expr(Expr::Super(scope))
            }
            (Kind::Word, TRUE | FALSE) => {
                self.c.bump();
                self.b.expr(Expr::Literal(Literal::Bool))
            }
            (Kind::Word, NULL) => {
                self.c.bump();
                self.b.expr(Expr::Literal(Literal::Null))
            }
            (Kind::Word, IMPORT) => self.import_expression(),
            (Kind::Word, _) if Self::names(token) => {
                self.c.bump();
                let text = self.c.str(token);
                if text == "undefined" {
                    return self.b.expr(Expr::Literal(Literal::Null));
                }
                self.free_name(token).1
            }
            (Kind::Number, _) => {
                self.c.bump();
                self.b.expr(Expr::Literal(Literal::Int))
            }
            (Kind::Text, REGEX) => {
                self.c.bump();
                self.b.expr(Expr::Literal(Literal::Regex))
            }
            (Kind::Text, STRING | TEMPLATE_HEAD) => self.template(),
            (Kind::Text, JSX_OPEN) => {
                let first = self.element();
                // In Astro several may stand beside each other.
                while self.is_astro() && self.c.peek().kind == Kind::Text && self.c.peek().sub == JSX_OPEN {
                    self.element();
                }
                first
            }
            (Kind::Open, b'(') => {
                let behind = self.c.behind_group(self.c.at);
                let ty = self.commented_type(self.c.at);
                self.c.bump();
                let outer = std::mem::replace(&mut self.no_in, false);
                let mark = self.pending.mark();
                let value = self.expr();
                self.no_in = outer;
                self.c.at = behind;
                let Some(ty) = ty else { return value };
                self.pending.settle(&mut self.b, mark, Expectation::Type(ty));
                self.b.expr(Expr::Cast { ty, value })
            }
            (Kind::Open, b'[') => self.array(),
            (Kind::Open, b'{') => {
                let value = self.object_literal();
                self.pending.push(value);
                value
            }
            (Kind::Punct, b'@') => {
                self.decorators();
                if self.c.is_word(CLASS) { self.class_expression() } else { self.b.expr(Expr::Unknown) }
            }
            _ => self.b.expr(Expr::Unknown),
        }
    }

    fn array(&mut self) -> ExprId {
        let mut items = Vec::new();
        let outer = std::mem::replace(&mut self.no_in, false);
        let mark = self.pending.mark();
        self.separated(b',', |p| {
            let spread = p.c.eat_joined(b"...");
            let mut value = p.assignment_expr();
            if spread {
                value = p.b.expr(Expr::Element(value));
            }
            items.push(value);
        });
        self.no_in = outer;
        let items = self.b.list(items);
        let array = self.b.expr(Expr::Collection { kind: Collection::List, items });
        // The expected type of an item is the item type of the expected array.
        let item = self.b.expr(Expr::Element(array));
        self.pending.settle(&mut self.b, mark, Expectation::Assigned(item));
        self.pending.push(array);
        array
    }

    fn function_expression(&mut self, flags: DefFlags) -> ExprId {
        let start = self.c.at;
        self.c.bump();
        let generator = self.c.eat(b'*');
        let def = self.anonymous(SymbolKind::Function);
        // The own name is visible inside only.
        let name = self.is_name().then(|| self.c.bump());
        if let Some(name) = name {
            self.b.open(ScopeKind::Block, name.start, None);
            let own = self.declare(name, SymbolKind::Function);
            let value = self.b.expr(Expr::Function(def));
            self.b.def_mut(own).init = Some(value);
        }
        let d = self.b.def_mut(def);
        d.flags = d.flags | flags;
        if generator {
            d.flags.set(DefFlags::GENERATOR);
        }
        let before = self.c.token(start.saturating_sub(1));
        self.callable_held(def, start > 0 && before.is(b'='));
        if name.is_some() {
            self.b.close(self.c.last_end());
        }
        self.finish(def, start);
        let value = self.b.expr(Expr::Function(def));
        self.pending.push(value);
        value
    }

    fn class_expression(&mut self) -> ExprId {
        let start = self.c.at;
        // The own name is visible inside only, but that alone does not make the members unreachable.
        self.b.open(ScopeKind::Module, self.c.peek().start, None);
        let def = guard::deeper(|| self.class(start, DefFlags::NONE));
        self.b.close(self.c.last_end());
        let Some(def) = def else {
            self.c.skip();
            return self.b.expr(Expr::Unknown);
        };
        let ty = self.b.ty(TypeExpr::Object(def));
        self.b.expr(Expr::Type(ty))
    }

    fn new_expr(&mut self) -> ExprId {
        self.c.bump();
        if self.c.is(b'.') {
            return self.meta_property();
        }
        let mut callee = if self.c.is_word(NEW) { self.unary() } else { self.primary() };
        let mut last = None;
        while self.c.is(b'.') && self.c.nth(1).kind == Kind::Word {
            callee = self.member_access(callee, 1, false);
        }
        if let Expr::Ref(reference) = self.b.facts().expr(callee) {
            self.b.ref_mut(reference).role = Role::New;
            last = Some(reference);
        } else if self.c.is(b'[') {
            callee = self.index(callee);
        }
        let type_args = self.called_types();
        let mark = self.pending.mark();
        self.name_module_by_url(last);
        let args = if self.c.is(b'(') { self.arguments() } else { Vec::new() };
        let args = self.b.list(args);
        let ty = match last {
            Some(name) => self.named(name, type_args),
            None => {
                let instance = self.b.expr(Expr::InstanceOf(callee));
                self.b.ty(TypeExpr::TypeOf(instance))
            }
        };
        let value = self.b.expr(Expr::New { ty, args });
        self.pending.settle_arguments(&mut self.b, mark, value);
        value
    }

    /// `.target` behind `new`, `.meta` behind `import`: what runs the program gives them.
    fn meta_property(&mut self) -> ExprId {
        self.c.bump();
        if self.c.peek().kind == Kind::Word {
            let name = self.c.bump();
            let given = self.b.reference(self.c.str(name), name.range(), Role::Key);
            self.b.ref_mut(given).flags.set(RefFlags::STATIC);
        }
        self.b.expr(Expr::Unknown)
    }

    /// `import("m")`, `import.meta`.
    fn import_expression(&mut self) -> ExprId {
        self.c.bump();
        if self.c.is(b'.') {
            return self.meta_property();
        }
        if !self.c.is(b'(') {
            return self.b.expr(Expr::Unknown);
        }
        let behind = self.c.behind_group(self.c.at);
        let module = self.dynamic_import(self.c.nth(1));
        match module {
            Some(module) => {
                self.c.at = behind;
                // A promise of the module; awaiting passes through.
                module
            }
            None => {
                self.arguments();
                self.b.expr(Expr::Unknown)
            }
        }
    }
}
