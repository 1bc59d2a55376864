//! Variables, functions, type aliases, enums, namespaces.

use ide_model::SymbolKind;

use super::front::{Function, Parser};
use super::lexer::{
    ABSTRACT, ASYNC, CLASS, CONST, DECLARE, DEFAULT, ENUM, FUNCTION, GLOBAL, INTERFACE, LET, MODULE,
    NAMESPACE, TYPE, USING, VAR,
};
use crate::facts::{
    DefFlags, DefId, Expectation, Expr, ExprId, Import, ImportKind, RefFlags, Role, ScopeKind, SuperKind,
    SuperType,
};
use crate::kit::Kind;
use crate::world::BLOCKS_OF_MODULES;

impl Parser<'_> {
    /// A declaration, with what may stand before it; `start` is where it begins for its documentation.
    pub(super) fn declaration_statement(&mut self, start: usize) {
        let decorators = self.decorators();
        let mut flags = DefFlags::NONE;
        // `@d export class A`, `@d export default class A`.
        let mut exported = DefFlags::NONE;
        loop {
            let (token, next) = (self.c.peek(), self.c.nth(1));
            let modifies = token.kind == Kind::Word && next.kind == Kind::Word && !next.after_newline;
            match token.sub {
                DECLARE if modifies => flags.set(DefFlags::SIGNATURE),
                ABSTRACT if modifies => flags.set(DefFlags::ABSTRACT),
                ASYNC if modifies && next.sub == FUNCTION => flags.set(DefFlags::ASYNC),
                super::lexer::EXPORT => exported.set(DefFlags::EXPORTED),
                DEFAULT if exported.has(DefFlags::EXPORTED) => exported.set(DefFlags::DEFAULT_EXPORT),
                _ => break,
            }
            self.c.bump();
        }
        let first = self.b.facts().defs.len();
        match self.c.peek().sub {
            _ if self.c.peek().kind != Kind::Word => return,
            CONST if self.is_const_enum() => {
                self.c.bump();
                self.enum_declaration(start);
            }
            VAR | CONST | LET | USING => {
                self.variables(start);
                self.end();
            }
            FUNCTION => self.function_declaration(start, flags),
            CLASS => self.class_declaration(start, flags, decorators),
            ENUM => self.enum_declaration(start),
            INTERFACE => self.interface(start),
            TYPE => self.type_alias(start),
            NAMESPACE | MODULE | GLOBAL => self.namespace(start),
            _ => {
                self.expr();
                self.end();
            }
        }
        let def = DefId(first as u32);
        if first < self.b.facts().defs.len() {
            let signature = if flags.has(DefFlags::SIGNATURE) { DefFlags::SIGNATURE } else { DefFlags::NONE };
            self.b.def_mut(def).flags.set(signature | exported);
            if exported.has(DefFlags::DEFAULT_EXPORT) {
                self.give_as_default(def);
            }
        }
    }

    /// `var a = 1, {b} = c`, from the keyword on; `start` is where the first begins with what stands before it.
    pub(super) fn variables(&mut self, start: usize) {
        let word = self.c.bump().sub;
        let first = self.c.at;
        let scope = if word == VAR { self.var_scope() } else { self.b.scope() };
        let kind = if word == CONST { SymbolKind::Constant } else { SymbolKind::Variable };
        loop {
            let at = self.c.at;
            self.variable(scope, kind, if at == first { start } else { at });
            if !self.c.eat(b',') || self.c.at == at {
                break;
            }
        }
    }

    pub(super) fn variable(&mut self, scope: crate::facts::ScopeId, kind: SymbolKind, start: usize) {
        if self.is_name() {
            let name = self.c.bump();
            let def = self.b.def_in(scope, self.c.str(name), name.range(), kind);
            // Definite assignment.
            self.c.eat(b'!');
            let ty = self.annotation();
            self.b.def_mut(def).ty = ty;
            if self.c.is(b'=') && !self.c.is_joined(b"==") {
                self.c.bump();
                let mark = self.pending.mark();
                let value = self.assignment_expr();
                self.pending.settle(&mut self.b, mark, Expectation::Init(def));
                self.b.def_mut(def).init = Some(value);
                self.required(def, value);
            }
            self.finish(def, start);
            return;
        }
        if !self.c.is(b'[') && !self.c.is(b'{') {
            return;
        }
        // The value stands behind the pattern but must be known to its parts.
        let pattern = self.c.at;
        self.c.at = self.c.behind_group(pattern);
        let ty = self.annotation();
        let mut value = None;
        if self.c.eat(b'=') {
            let mark = self.pending.mark();
            value = Some(self.assignment_expr());
            self.pending.forget(mark);
        }
        if let Some(ty) = ty {
            let inner = value.unwrap_or_else(|| self.b.expr(Expr::Unknown));
            value = Some(self.b.expr(Expr::Cast { ty, value: inner }));
        }
        let behind = self.c.at;
        self.c.at = pattern;
        let defs = self.pattern(scope, kind, value);
        for def in defs {
            if let Some(init) = self.b.facts().def(def).init {
                self.required(def, init);
            }
        }
        self.c.at = behind;
    }

    /// `const a = require("m")`, `require("m").b`, `{ b } = require("m")`: imports in all but the word.
    fn required(&mut self, def: DefId, value: ExprId) {
        let facts = self.b.facts();
        let (module, member) = match facts.expr(value) {
            Expr::Value(module) => (module, None),
            Expr::Ref(member) => match facts.reference(member).receiver.map(|e| facts.expr(e)) {
                Some(Expr::Value(module)) => (module, Some(member)),
                _ => return,
            },
            _ => return,
        };
        let Some(import) = facts.def(module).import.filter(|_| !self.typed) else { return };
        let import = *facts.import(import);
        if let Some(member) = member {
            self.b.ref_mut(member).role = Role::Import;
        }
        self.b.def_mut(def).kind = SymbolKind::Import;
        let kind = if member.is_some() { ImportKind::Member } else { ImportKind::Module };
        if member.is_none() {
            // The name says what the module gives out as a whole.
            let (name, range) = (self.b.facts().def_name(def).to_owned(), self.b.facts().def(def).name_range);
            let whole = self.b.reference(&name, range, Role::Import);
            self.b.ref_mut(whole).flags.set(RefFlags::IMPLICIT);
        }
        self.b.import(Import { kind, member, def: Some(def), ..import });
    }

    fn function_declaration(&mut self, start: usize, flags: DefFlags) {
        self.c.bump();
        let generator = self.c.eat(b'*');
        let def = if self.is_name() {
            let name = self.c.bump();
            self.declare(name, SymbolKind::Function)
        } else {
            self.anonymous(SymbolKind::Function)
        };
        let d = self.b.def_mut(def);
        d.flags = d.flags | flags;
        if generator {
            d.flags.set(DefFlags::GENERATOR);
        }
        self.callable(def);
        self.finish(def, start);
    }

    /// Type parameters, parameters, result and body.
    pub(super) fn callable(&mut self, def: DefId) {
        self.callable_held(def, false);
    }

    /// [`Self::callable`] of a function that may be assigned to something.
    pub(super) fn callable_held(&mut self, def: DefId, is_held: bool) {
        let scope = self.b.open(ScopeKind::Function, self.c.peek().start, Some(def));
        self.signature(def);
        self.functions.push(Function { def, scope, returns: Vec::new(), is_arrow: false, is_held });
        if self.c.is(b'{') && !self.c.peek().after_newline || self.c.is(b'{') && !self.ambient {
            self.function_body();
        } else {
            self.b.def_mut(def).flags.set(DefFlags::SIGNATURE);
            self.end();
        }
        self.close_function(def);
    }

    /// The braces at the cursor, when the scope of their function is open.
    pub(super) fn function_body(&mut self) {
        if self.skims_body() {
            return;
        }
        let outer = std::mem::replace(&mut self.no_in, false);
        self.block();
        self.no_in = outer;
    }

    pub(super) fn close_function(&mut self, def: DefId) {
        self.b.close(self.c.last_end());
        let returns = self.functions.pop().map_or_else(Vec::new, |f| f.returns);
        let returns = self.b.list(returns);
        self.b.def_mut(def).returns = returns;
    }

    fn enum_declaration(&mut self, start: usize) {
        self.c.bump();
        if !self.is_name() {
            return;
        }
        let name = self.c.bump();
        let def = self.declare(name, SymbolKind::Enum);
        if self.c.is(b'{') {
            self.b.open(ScopeKind::Class, self.c.peek().start, Some(def));
            self.separated(b',', |p| {
                let at = p.c.at;
                let Some((name, range)) = p.property_name() else { return };
                let case = p.b.def(&name, range, SymbolKind::EnumCase);
                p.b.def_mut(case).flags.set(DefFlags::STATIC);
                if p.c.eat(b'=') {
                    let value = p.assignment_expr();
                    p.b.def_mut(case).init = Some(value);
                }
                p.finish(case, at);
            });
            self.b.close(self.c.last_end());
        }
        self.finish(def, start);
    }

    fn interface(&mut self, start: usize) {
        self.c.bump();
        if !self.is_name() {
            return;
        }
        let name = self.c.bump();
        let def = self.declare(name, SymbolKind::Interface);
        let outer = self.c.is(b'<');
        if outer {
            self.open_type_parameters(def);
        }
        let mut supers = Vec::new();
        if self.c.eat_word(super::lexer::EXTENDS) {
            self.super_types(SuperKind::Extends, Role::Extends, &mut supers);
        }
        let supers = self.b.list(supers);
        self.b.def_mut(def).supers = supers;
        self.type_members(def);
        if outer {
            self.b.close(self.c.last_end());
        }
        self.finish(def, start);
    }

    /// `A<B>, C`, with the role for each name.
    pub(super) fn super_types(&mut self, kind: SuperKind, role: Role, into: &mut Vec<SuperType>) {
        loop {
            let before = self.c.at;
            let ty = self.ty();
            if self.c.at == before {
                return;
            }
            if let crate::facts::TypeExpr::Named { name, .. } = self.b.facts().ty(ty) {
                self.b.ref_mut(name).role = role;
            }
            into.push(SuperType { kind, ty });
            if !self.c.eat(b',') {
                return;
            }
        }
    }

    /// Opens a scope for type parameters, which the caller closes behind what they belong to.
    pub(super) fn open_type_parameters(&mut self, owner: DefId) {
        self.b.open(ScopeKind::Class, self.c.peek().start, None);
        let params = self.type_parameters();
        let params = self.b.list(params);
        self.b.def_mut(owner).type_params = params;
    }

    fn type_alias(&mut self, start: usize) {
        self.c.bump();
        if !self.is_name() {
            return;
        }
        let name = self.c.bump();
        let def = self.declare(name, SymbolKind::TypeAlias);
        let outer = self.c.is(b'<');
        if outer {
            self.open_type_parameters(def);
        }
        if self.c.eat(b'=') {
            let ty = self.ty();
            self.b.def_mut(def).ty = Some(ty);
        }
        if outer {
            self.b.close(self.c.last_end());
        }
        self.end();
        self.finish(def, start);
    }

    /// `namespace A.B { }`, `declare module "m" { }`, `declare global { }`.
    fn namespace(&mut self, start: usize) {
        let is_declared = (start..self.c.at).any(|i| self.c.token(i).sub == DECLARE);
        let ambient = self.ambient;
        self.ambient |= is_declared;
        if self.c.peek().sub != GLOBAL {
            self.c.bump();
        }
        let mut opened = 0;
        loop {
            let token = self.c.peek();
            let def = match token.kind {
                Kind::Word if Self::names(token) => {
                    self.c.bump();
                    self.declare(token, SymbolKind::Namespace)
                }
                Kind::Text => {
                    self.c.bump();
                    let range = self.inner(token);
                    let text = self.text(range);
                    self.b.word(BLOCKS_OF_MODULES);
                    let def = self.b.def(text, range, SymbolKind::Module);
                    if text.starts_with('.') {
                        self.name_module(token);
                    }
                    def
                }
                _ => break,
            };
            if opened > 0 {
                self.b.def_mut(def).flags.set(DefFlags::EXPORTED);
            }
            self.b.open(ScopeKind::Module, self.c.last_end(), Some(def));
            opened += 1;
            if !self.c.eat(b'.') {
                break;
            }
        }
        let first = self.b.facts().defs.len();
        self.block();
        // Declarations in an ambient namespace are exported.
        for i in (first..self.b.facts().defs.len()).filter(|_| self.ambient) {
            let d = &self.b.facts().defs[i];
            if d.scope == self.b.scope() && !d.flags.has(DefFlags::ANONYMOUS) {
                self.b.def_mut(DefId(i as u32)).flags.set(DefFlags::EXPORTED);
            }
        }
        self.ambient = ambient;
        for _ in 0..opened {
            let scope = self.b.close(self.c.last_end());
            if let Some(def) = self.b.facts().scope(scope).owner {
                self.finish(def, start);
            }
        }
        self.end();
    }
}
