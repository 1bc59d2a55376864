//! Classes of all kinds: their heads, constructors, bodies and entries.

use ide_model::{SymbolKind, TextRange};

use crate::facts::{
    DefFlags, DefId, Expr, ExprId, List, RefFlags, Role, ScopeId, ScopeKind, SuperKind, SuperType, TypeExpr,
};
use crate::kit::{Kind, value};

use super::Parser;
use super::declarations::{Modifiers, Place};
use super::lexer::words as w;

impl Parser<'_> {
    /// A class or interface at its keyword.
    pub(super) fn class(&mut self, mut modifiers: Modifiers) {
        let keyword = self.c.bump();
        let kind = match keyword.sub {
            w::INTERFACE => SymbolKind::Interface,
            _ if modifiers.is_enum => SymbolKind::Enum,
            _ if modifiers.is_annotation => SymbolKind::Annotation,
            _ if modifiers.flags.has(DefFlags::ABSTRACT) => SymbolKind::AbstractClass,
            _ => SymbolKind::Class,
        };
        if modifiers.flags.has(DefFlags::FUN_INTERFACE) {
            modifiers.flags.0 &= !DefFlags::INLINE.0;
        }
        let name = self.declared_name();
        let def = self.b.def(self.c.str(name), name.range(), kind);
        let outside = self.initializers.take();
        let scope = self.b.open(ScopeKind::Class, self.c.last_end(), Some(def));
        let type_params = self.type_params();
        self.b.def_mut(def).type_params = type_params;
        let constructor = self.primary_constructor(scope, self.c.str(name));
        let supers = self.supers(constructor);
        self.b.def_mut(def).supers = supers;
        self.constraints(type_params);
        if let Some(doc) = modifiers.doc {
            self.documentation(doc);
        }
        self.initializers = constructor;
        self.class_body(scope, kind);
        self.b.close(self.c.last_end());
        self.initializers = outside;
        self.finish(def, modifiers);
    }

    /// `private constructor(…)` or `(…)` behind a class's name. Gives its scope.
    fn primary_constructor(&mut self, class: ScopeId, name: &str) -> Option<ScopeId> {
        let mut at = self.c.at;
        loop {
            at = self.skip_annotations(at);
            let token = self.c.token(at);
            let is_modifier =
                token.kind == Kind::Word && (w::FIRST_MODIFIER..=w::LAST_MODIFIER).contains(&token.sub);
            if !is_modifier {
                break;
            }
            at += 1;
        }
        let has_word = self.word_at(at, w::CONSTRUCTOR);
        if !has_word && (at != self.c.at || !self.c.is(b'(') || self.at_newline() && !self.c.is(b'(')) {
            return None;
        }
        let mut modifiers = self.modifiers(at);
        modifiers.doc = None;
        let start = self.c.peek();
        let range = if has_word { start.range() } else { TextRange::new(start.start, start.start) };
        self.c.at += usize::from(has_word);
        let def = self.b.def(name, range, SymbolKind::Constructor);
        if !has_word {
            // A search for the name means the class.
            modifiers.flags.set(DefFlags::SYNTHETIC);
        }
        let scope = self.b.open(ScopeKind::Function, start.start, Some(def));
        if self.c.is(b'(') {
            let params = self.params(Some(class));
            self.b.def_mut(def).params = params;
        }
        self.b.close(self.c.last_end());
        self.finish(def, modifiers);
        Some(scope)
    }

    /// `: A(x), B by y` behind a head.
    fn supers(&mut self, constructor: Option<ScopeId>) -> List<SuperType> {
        if !self.c.eat(b':') {
            return List::EMPTY;
        }
        if let Some(scope) = constructor {
            self.b.enter(scope);
        }
        let mut all: Vec<SuperType> = Vec::new();
        loop {
            self.annotations();
            if !self.at_name() && !self.c.is(b'(') {
                self.unexpected("a supertype");
                break;
            }
            let mut ty = self.ty(Role::Implements);
            let mut kind = SuperKind::Implements;
            if self.c.is(b'(') {
                kind = SuperKind::Extends;
                let new = self.construction(ty);
                if let TypeExpr::Named { name, .. } = self.b.facts().ty(ty) {
                    let name = self.b.ref_mut(name);
                    (name.role, name.call) = (Role::Extends, Some(new));
                }
            } else if self.c.is_word(w::BY) {
                self.c.at += 1;
                let mark = self.pending.mark();
                self.with_newlines(true, Self::delegate);
                self.pending.forget(mark);
            }
            if let TypeExpr::Nullable(inner) = self.b.facts().ty(ty) {
                ty = inner;
            }
            all.push(SuperType { kind, ty });
            if !self.c.eat(b',') {
                break;
            }
        }
        if constructor.is_some() {
            self.b.leave();
        }
        self.b.list(all)
    }

    /// The value that an interface is implemented by: the class's own braces do not belong to it.
    fn delegate(&mut self) -> ExprId {
        self.in_head = true;
        let value = self.expression();
        self.in_head = false;
        value
    }

    fn class_body(&mut self, scope: ScopeId, kind: SymbolKind) {
        if !self.c.is(b'{') {
            self.b.set_start(scope, self.c.last_end());
            return;
        }
        let open = self.c.at;
        self.b.set_start(scope, self.c.peek().start);
        if self.skims_in_function() {
            return;
        }
        if !self.c.deeper() {
            self.c.skip();
            return;
        }
        self.c.at += 1;
        let end = self.c.group_end(open);
        let place = if kind == SymbolKind::Interface { Place::Interface } else { Place::Class };
        self.with_newlines(true, |p| {
            if kind == SymbolKind::Enum {
                p.entries(end);
            }
            p.members(end, place);
        });
        self.leave_group(open);
        self.c.shallower();
    }

    fn members(&mut self, end: usize, place: Place) {
        while self.c.at < end {
            let before = self.c.at;
            if !self.c.eat(b';') && !self.declaration(place) {
                self.unexpected("a declaration");
                let proven = self.proven.len();
                self.statement();
                self.end_proofs(proven);
            }
            if self.c.at == before {
                self.c.skip();
            }
        }
    }

    fn entries(&mut self, end: usize) {
        while self.c.at < end && !self.c.eat(b';') {
            let at = self.skip_annotations(self.c.at);
            if !Self::is_name(self.c.token(at)) || self.declared(Place::Class).is_some() {
                if !self.c.eat(b',') {
                    return;
                }
                continue;
            }
            let modifiers = self.modifiers(at);
            self.entry(modifiers);
            if !self.c.eat(b',') && !self.c.is(b';') {
                return;
            }
        }
    }

    fn entry(&mut self, modifiers: Modifiers) {
        let name = self.c.bump();
        let def = self.b.def(self.c.str(name), name.range(), SymbolKind::EnumCase);
        if let Some(doc) = modifiers.doc {
            self.documentation(doc);
        }
        let entered = self.initializers;
        if let Some(scope) = entered {
            self.b.enter(scope);
        }
        let ty = self.b.ty(TypeExpr::This);
        let new = if self.c.is(b'(') {
            self.construction(ty)
        } else {
            self.b.expr(Expr::New { ty, args: List::EMPTY })
        };
        if entered.is_some() {
            self.b.leave();
        }
        if self.c.is(b'{') {
            let start = self.c.peek().start;
            let body = self.b.def("", TextRange::new(start, start), SymbolKind::Class);
            let supers = self.b.list([SuperType { kind: SuperKind::Extends, ty }]);
            self.anonymous_body(body, supers);
            self.b.def_mut(body).init = Some(new);
        }
        let d = self.b.def_mut(def);
        d.ty = Some(ty);
        d.init = Some(new);
        d.flags = d.flags | DefFlags::STATIC | DefFlags::FINAL;
        self.finish(def, modifiers);
    }

    /// The body of an anonymous class at its brace, or nothing.
    fn anonymous_body(&mut self, def: DefId, supers: List<SuperType>) {
        let start = self.b.facts().def(def).name_range.start;
        let outside = self.initializers.take();
        let functions = std::mem::take(&mut self.functions);
        let scope = self.b.open(ScopeKind::Class, start, Some(def));
        self.class_body(scope, SymbolKind::Class);
        self.b.close(self.c.last_end());
        self.functions = functions;
        self.initializers = outside;
        let range = self.c.since(start);
        let d = self.b.def_mut(def);
        d.range = range;
        d.supers = supers;
        d.flags.set(DefFlags::ANONYMOUS);
    }

    /// An object declaration at its keyword.
    pub(super) fn object(&mut self, mut modifiers: Modifiers) {
        let keyword = self.c.bump();
        let is_named = self.at_name() && !self.c.peek().after_newline;
        let def = if is_named {
            let name = self.c.bump();
            self.b.def(self.c.str(name), name.range(), SymbolKind::Object)
        } else {
            // A companion is called `Companion` where it has to be called at all.
            modifiers.flags.set(DefFlags::ANONYMOUS);
            let name = if modifiers.flags.has(DefFlags::COMPANION) { "Companion" } else { "" };
            self.b.def(name, keyword.range(), SymbolKind::Object)
        };
        let outside = self.initializers.take();
        let scope = self.b.open(ScopeKind::Class, self.c.last_end(), Some(def));
        let supers = self.supers(None);
        self.b.def_mut(def).supers = supers;
        if let Some(doc) = modifiers.doc {
            self.documentation(doc);
        }
        self.class_body(scope, SymbolKind::Object);
        self.b.close(self.c.last_end());
        self.initializers = outside;
        self.finish(def, modifiers);
    }

    /// `object : A(), B { … }` as a value.
    pub(super) fn object_value(&mut self) -> ExprId {
        let keyword = self.c.bump();
        let range = TextRange::new(keyword.start, keyword.start);
        let def = self.b.def("", range, SymbolKind::Object);
        let supers = self.supers(None);
        self.anonymous_body(def, supers);
        self.b.expr(Expr::Class(def))
    }

    /// `constructor(…) : this(…) { … }`.
    pub(super) fn secondary_constructor(&mut self, modifiers: Modifiers) {
        let word = self.c.bump();
        let class = self.b.scope();
        let owner = self.b.facts().scope(class).owner;
        let name = owner.map_or(String::new(), |owner| self.b.facts().def_name(owner).to_owned());
        let def = self.b.def(&name, word.range(), SymbolKind::Constructor);
        self.b.open(ScopeKind::Function, word.start, Some(def));
        let params = self.params(None);
        self.b.def_mut(def).params = params;
        if let Some(doc) = modifiers.doc {
            self.documentation(doc);
        }
        if self.c.eat(b':') {
            let scope = self.b.scope();
            let this = if self.c.is_word(w::SUPER) { Expr::Super(scope) } else { Expr::This(scope) };
            if self.c.is_word(w::SUPER) || self.c.is_word(w::THIS) {
                self.c.at += 1;
            }
            let callee = self.b.expr(this);
            if self.c.is(b'(') {
                self.call(callee, List::EMPTY);
            }
        }
        self.body(def, &name, false);
        self.b.close(self.c.last_end());
        self.finish(def, modifiers);
    }

    /// `init { … }`.
    pub(super) fn initializer(&mut self) {
        self.c.at += 1;
        let entered = self.initializers.take();
        if let Some(scope) = entered {
            self.b.enter(scope);
        }
        self.block();
        if entered.is_some() {
            self.b.leave();
        }
        self.initializers = entered;
    }

    /// `X::class`, `X::name` behind a value; the cursor is at `::`.
    pub(super) fn callable_reference(&mut self, receiver: Option<ExprId>) -> ExprId {
        self.c.at += 2;
        if self.c.is_word(w::CLASS) {
            self.c.at += 1;
            let value = receiver.unwrap_or_else(|| self.b.expr(Expr::Unknown));
            return self.b.expr(Expr::Unary { op: crate::facts::UnaryOp::TypeOf, value });
        }
        if !self.at_name() {
            self.unexpected("a name");
            return self.b.expr(Expr::Unknown);
        }
        let token = self.c.bump();
        let text = self.c.str(token);
        let (name, expr) = value::name(&mut self.b, receiver, text, token.range(), Role::Read);
        self.flag(name, RefFlags::METHOD_REF);
        self.pending.push(expr);
        expr
    }
}
