//! Members: fields, methods, constructors, initialisers, parameters, record components, anonymous classes.

use ide_model::{SymbolKind, TextRange, Visibility};

use crate::facts::{
    DefFlags, DefId, Expectation, Expr, ExprId, List, Role, ScopeKind, SuperType, TypeExpr, TypeId,
};
use crate::guard;
use crate::kit::{Kind, Token};

use super::declarations::{Modifiers, Owner};
use super::lexer::words as w;
use super::{Function, Parser};

/// A method's head while it is read.
struct Head {
    def: DefId,
    type_params: List<DefId>,
    result: Option<TypeId>,
    params: List<DefId>,
}

impl<'a> Parser<'a> {
    /// The member whose modifiers were just read.
    pub(super) fn member_after(&mut self, modifiers: Modifiers, owner: Owner<'a>) {
        if let Some(kind) = self.type_declaration() {
            let outer = (!owner.name.is_empty()).then_some(owner.kind);
            if guard::deeper(|| self.class(modifiers, kind, outer)).is_none() {
                self.c.skip();
            }
            return;
        }
        let token = self.c.peek();
        if token.is(b';') {
            self.c.at += 1;
        } else if token.is(b'{') {
            self.block();
        } else if token.is(b'<') {
            match self.c_skip_generic_head() {
                Some(name) => self.method(modifiers, owner, name),
                None => self.bad_member(),
            }
        } else if Self::is_name(token) && self.c.nth(1).is(b'(') {
            self.method(modifiers, owner, self.c.at);
        } else if owner.kind == SymbolKind::Record
            && Self::is_name(token)
            && self.str(token) == owner.name
            && self.c.nth(1).is(b'{')
        {
            self.compact_constructor(modifiers);
        } else {
            match self.skip_type(self.c.at).filter(|name| Self::is_name(self.c.token(*name))) {
                Some(name) if self.c.token(name + 1).is(b'(') => self.method(modifiers, owner, name),
                Some(_) => self.fields(modifiers, owner),
                None => self.bad_member(),
            }
        }
    }

    /// The index of the name of the method whose type parameters are at the cursor.
    fn c_skip_generic_head(&self) -> Option<usize> {
        let behind = self.skip_angles(self.c.at)?;
        if Self::is_name(self.c.token(behind)) && self.c.token(behind + 1).is(b'(') {
            return Some(behind);
        }
        self.skip_type(behind).filter(|name| Self::is_name(self.c.token(*name)))
    }

    /// Reports and steps to the end of what looks like a member.
    fn bad_member(&mut self) {
        self.unexpected("a declaration");
        loop {
            let token = self.c.peek();
            if matches!(token.kind, Kind::End | Kind::Close) {
                return;
            }
            let ends = token.is(b';') || token.is(b'{');
            if token.is(b'{') {
                // Perhaps a body whose head could not be read.
                self.block();
            } else if token.is(b'(') {
                self.c.at += 1;
                self.loose_values();
            } else {
                self.c.skip();
            }
            if ends || self.c.peek().after_newline && self.member_begins() {
                return;
            }
        }
    }

    /// Reads whatever expressions stand in a group that is not understood, the cursor being behind its bracket.
    fn loose_values(&mut self) {
        let open = self.c.at - 1;
        let end = self.c.group_end(open);
        while self.c.at < end {
            let before = self.c.at;
            self.plain_value();
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.leave_group(open);
    }

    fn member_begins(&self) -> bool {
        let token = self.c.peek();
        token.is(b'@')
            || token.kind == Kind::Word
                && (matches!(token.sub, w::ABSTRACT..=w::VOLATILE | w::CLASS | w::INTERFACE | w::ENUM)
                    || Self::is_primitive(token))
    }

    /// A method or constructor; the cursor is at its type parameters, result type or name, which is at `name`.
    fn method(&mut self, modifiers: Modifiers, owner: Owner<'a>, name: usize) {
        let name_token = self.c.token(name);
        let text = self.str(name_token);
        let has_result = !self.c.is(b'<') && self.c.at < name
            || self.c.is(b'<') && self.skip_angles(self.c.at).is_some_and(|behind| behind < name);
        let is_constructor = !has_result && (text == owner.name || owner.kind == SymbolKind::Record);
        let kind = if is_constructor { SymbolKind::Constructor } else { SymbolKind::Method };
        let def = self.b.def(text, name_token.range(), kind);
        self.b.open(ScopeKind::Function, self.c.peek().start, Some(def));
        let type_params = self.type_params();
        let result = has_result.then(|| self.ty(Role::Type));
        self.c.at = name + 1;
        let params = if self.c.is(b'(') { self.params() } else { List::EMPTY };
        let result = result.map(|ty| self.dimensions(ty));
        self.method_rest(modifiers, owner, Head { def, type_params, result, params });
    }

    fn compact_constructor(&mut self, modifiers: Modifiers) {
        let name = self.c.bump();
        let def = self.b.def(self.c.str(name), name.range(), SymbolKind::Constructor);
        self.b.open(ScopeKind::Function, name.start, Some(def));
        let owner = Owner { kind: SymbolKind::Record, name: self.c.str(name) };
        let head = Head { def, type_params: List::EMPTY, result: None, params: List::EMPTY };
        let modifiers = Modifiers { flags: modifiers.flags | DefFlags::VALUE, ..modifiers };
        self.method_rest(modifiers, owner, head);
    }

    /// From `throws` to the end of the body; closes the scope.
    fn method_rest(&mut self, modifiers: Modifiers, owner: Owner<'a>, head: Head) {
        let mut throws = Vec::new();
        if self.c.eat_word(w::THROWS) {
            loop {
                throws.push(self.ty(Role::Type));
                if !self.c.eat(b',') {
                    break;
                }
            }
        }
        if let Some(doc) = modifiers.doc {
            self.documentation(doc);
        }
        let default = self.c.eat_word(w::DEFAULT).then(|| self.element_value());
        let has_body = self.c.is(b'{');
        if has_body {
            self.function_body(head.def, false);
        } else if !self.c.eat(b';') {
            self.want(b';');
            self.body_without_brace(head.def);
        }
        let end = self.c.last_end();
        self.b.close(end);

        let mut flags = modifiers.flags;
        let in_interface = matches!(owner.kind, SymbolKind::Interface | SymbolKind::Annotation);
        if in_interface && !has_body && !flags.has(DefFlags::STATIC) {
            flags.set(DefFlags::ABSTRACT);
        }
        if head.result.is_some_and(|ty| self.is_void(ty)) {
            flags.set(DefFlags::VOID);
        }
        let throws = self.b.list(throws);
        let decorators = self.b.list(modifiers.decorators);
        let unsaid = if in_interface { Visibility::Public } else { Visibility::Package };
        let range = TextRange::new(modifiers.start, end.max(modifiers.start));
        let d = self.b.def_mut(head.def);
        d.range = range;
        d.flags = d.flags | flags;
        d.visibility = Some(modifiers.visibility.unwrap_or(unsaid));
        d.ty = head.result;
        d.type_params = head.type_params;
        d.params = head.params;
        d.throws = throws;
        d.decorators = decorators;
        d.init = default;
        d.doc = modifiers.doc;
    }

    /// Where the opening brace of a body is missing, its closing one has no partner.
    fn body_without_brace(&mut self, def: DefId) {
        let Some(close) = self.missing_brace() else { return };
        self.functions.push(Function { def, is_lambda: false, returns: Vec::new() });
        self.statements(close);
        self.functions.pop();
        self.c.at = self.c.at.max(close + 1);
    }

    fn is_void(&self, ty: TypeId) -> bool {
        let facts = self.b.facts();
        matches!(facts.ty(ty), TypeExpr::Primitive(name) if facts.name(name) == "void")
    }

    /// The braces at the cursor as the body of a function whose scope is open. Gives the values that a lambda
    /// returns.
    pub(super) fn function_body(&mut self, def: DefId, is_lambda: bool) -> Vec<ExprId> {
        if self.skim.as_ref().is_some_and(|skim| skim.over(&mut self.c, &mut self.b, Self::is_name)) {
            return Vec::new();
        }
        self.functions.push(Function { def, is_lambda, returns: Vec::new() });
        let yields = std::mem::take(&mut self.yields);
        let in_label = std::mem::take(&mut self.in_label);
        let flow = std::mem::take(&mut self.flow);
        self.statements_in_braces();
        self.flow = flow;
        self.yields = yields;
        self.in_label = in_label;
        self.functions.pop().map(|f| f.returns).unwrap_or_default()
    }

    /// The parenthesised parameters at the cursor, declared in the open scope.
    fn params(&mut self) -> List<DefId> {
        let open = self.c.at;
        self.c.at += 1;
        let end = self.c.group_end(open);
        let mut all = Vec::new();
        while self.c.at < end {
            let before = self.c.at;
            if let Some(def) = self.param(SymbolKind::Parameter) {
                all.push(def);
            }
            if !self.c.eat(b',') && self.c.at < end {
                self.unexpected("`,` or `)`");
                if !self.skip_to_comma(open) {
                    break;
                }
            }
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.leave_group(open);
        self.b.list(all)
    }

    /// Behind the next comma of the group, or to its end. False, and nothing is skipped, when the group has no
    /// closing bracket: then it probably ends here.
    pub(super) fn skip_to_comma(&mut self, open: usize) -> bool {
        let is_closed = self.c.is_closed(open);
        while is_closed && self.c.at < self.c.group_end(open) && !self.c.eat(b',') {
            self.c.skip();
        }
        is_closed
    }

    /// One parameter or record component. `None` for the receiver parameter, which declares nothing.
    pub(super) fn param(&mut self, kind: SymbolKind) -> Option<DefId> {
        let modifiers = self.modifiers();
        let is_var = self.c.is_word(w::VAR) && Self::is_name(self.c.nth(1));
        let mut ty = None;
        if is_var {
            self.c.at += 1;
        } else {
            ty = Some(self.ty(Role::Type));
        }
        let mut flags = modifiers.flags;
        self.annotations();
        if self.c.eat_joined(b"...") {
            flags.set(DefFlags::VARARG);
            ty = ty.map(|ty| self.b.ty(TypeExpr::Array(ty)));
        }
        if is_var {
            flags.set(DefFlags::VAR);
        }
        if !self.at_name() {
            self.receiver_parameter();
            return None;
        }
        let name = self.c.bump();
        if self.c.is(b'.') {
            self.receiver_parameter();
            return None;
        }
        let ty = ty.map(|ty| self.dimensions(ty));
        Some(self.variable(name, kind, Modifiers { flags, ..modifiers }, ty))
    }

    /// The rest of a receiver parameter, `Outer.this`.
    fn receiver_parameter(&mut self) {
        if !self.c.is(b'.') && !self.c.is_word(w::THIS) {
            self.unexpected("a name");
        }
        while self.c.is(b'.') || self.c.is_word(w::THIS) || self.at_name() {
            self.c.at += 1;
        }
    }

    /// Declares a variable whose name was just read; its range ends at the cursor.
    pub(super) fn variable(
        &mut self,
        name: Token,
        kind: SymbolKind,
        modifiers: Modifiers,
        ty: Option<TypeId>,
    ) -> DefId {
        let def = self.b.def(self.c.str(name), name.range(), kind);
        let range = self.c.since(modifiers.start);
        let decorators = self.b.list(modifiers.decorators);
        let d = self.b.def_mut(def);
        d.range = range;
        d.flags = d.flags | modifiers.flags;
        d.visibility = modifiers.visibility;
        d.ty = ty;
        d.decorators = decorators;
        d.doc = modifiers.doc;
        def
    }

    /// The components of a record, at the parenthesis.
    pub(super) fn components(&mut self) -> List<DefId> {
        if !self.c.is(b'(') {
            self.unexpected("`(`");
            return List::EMPTY;
        }
        let open = self.c.at;
        self.c.at += 1;
        let end = self.c.group_end(open);
        let mut all = Vec::new();
        while self.c.at < end {
            let before = self.c.at;
            if let Some(def) = self.param(SymbolKind::Field) {
                let d = self.b.def_mut(def);
                d.flags = d.flags | DefFlags::PROMOTED | DefFlags::FINAL;
                d.visibility = Some(Visibility::Private);
                all.push(def);
            }
            if !self.c.eat(b',') && self.c.at < end {
                self.unexpected("`,` or `)`");
                if !self.skip_to_comma(open) {
                    break;
                }
            }
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.leave_group(open);
        self.b.list(all)
    }

    fn fields(&mut self, modifiers: Modifiers, owner: Owner<'_>) {
        let in_interface = matches!(owner.kind, SymbolKind::Interface | SymbolKind::Annotation);
        let unsaid = if in_interface { Visibility::Public } else { Visibility::Package };
        let mut flags = modifiers.flags;
        if in_interface {
            flags = flags | DefFlags::STATIC | DefFlags::FINAL;
        }
        let visibility = Some(modifiers.visibility.unwrap_or(unsaid));
        let class = self.b.scope();
        self.declarators(Modifiers { flags, visibility, ..modifiers }, SymbolKind::Field);
        // Pattern variables of an initialiser had a scope of their own.
        while self.b.scope() != class {
            self.b.close(self.c.last_end());
        }
        self.want(b';');
    }

    /// A type and the variables declared with it, up to the `;`.
    pub(super) fn declarators(&mut self, modifiers: Modifiers, kind: SymbolKind) {
        let Modifiers { start, flags, visibility, decorators, doc } = modifiers;
        let is_var = kind == SymbolKind::Variable && self.c.is_word(w::VAR) && Self::is_name(self.c.nth(1));
        let (base, flags) = if is_var {
            self.c.at += 1;
            (None, flags | DefFlags::VAR)
        } else {
            (Some(self.ty(Role::Type)), flags)
        };
        let mut start = start;
        let scope = self.b.scope();
        let mut is_first = true;
        while self.at_name() {
            let name = self.c.bump();
            let ty = base.map(|ty| self.dimensions(ty));
            let modifiers = Modifiers { start, flags, visibility, decorators: decorators.clone(), doc };
            let def = self.variable(name, kind, modifiers, ty);
            if let Some(doc) = doc.filter(|_| is_first) {
                self.documentation(doc);
            }
            is_first = false;
            if self.c.is(b'=') {
                self.c.at += 1;
                self.initial_value(def);
                while kind == SymbolKind::Field && self.b.scope() != scope {
                    self.b.close(self.c.last_end());
                }
                self.b.def_mut(def).range = self.c.since(start);
            }
            if !self.c.eat(b',') {
                return;
            }
            start = self.c.peek().start;
        }
        self.unexpected("a name");
    }

    fn initial_value(&mut self, def: DefId) {
        let mark = self.pending.mark();
        let value = if self.c.is(b'{') { self.array_initializer() } else { self.expression() };
        self.pending.settle(&mut self.b, mark, Expectation::Init(def));
        self.b.def_mut(def).init = Some(value);
    }

    /// The body, at its brace, of a class that is constructed by `new` and derives from `edge`.
    pub(super) fn anonymous_class(&mut self, new: ExprId, edge: SuperType) -> ExprId {
        let at = self.c.peek().start;
        let def = self.b.def("", TextRange::new(at, at), SymbolKind::Class);
        self.b.open(ScopeKind::Class, at, Some(def));
        let functions = std::mem::take(&mut self.functions);
        let yields = std::mem::take(&mut self.yields);
        let in_label = std::mem::take(&mut self.in_label);
        self.class_body(Owner { kind: SymbolKind::Class, name: "" });
        self.functions = functions;
        self.yields = yields;
        self.in_label = in_label;
        let end = self.c.last_end();
        self.b.close(end);
        let supers = self.b.list([edge]);
        let d = self.b.def_mut(def);
        d.flags.set(DefFlags::ANONYMOUS);
        d.range = TextRange::new(at, end.max(at));
        d.supers = supers;
        d.init = Some(new);
        self.b.expr(Expr::Class(def))
    }
}
