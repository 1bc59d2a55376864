//! Properties and local variables: accessors, delegates, destructuring.

use ide_model::{SymbolKind, TextRange};

use crate::facts::{DefFlags, DefId, Expectation, Expr, ExprId, List, Role, ScopeKind};
use crate::kit::Kind;

use super::Parser;
use super::declarations::{Modifiers, Place};
use super::lexer::words as w;

impl Parser<'_> {
    /// A property or local variable at `val` or `var`.
    pub(super) fn property(&mut self, mut modifiers: Modifiers, place: Place) {
        if self.c.bump().sub == w::VAR {
            modifiers.flags.set(DefFlags::VAR);
        }
        let kind = if place == Place::Block { SymbolKind::Variable } else { SymbolKind::Property };
        let outer = self.b.scope();
        // Type parameters and what is given by the context are visible to the accessors too.
        let holder = (self.c.is(b'<') || modifiers.context.is_some()).then(|| {
            let start = self.c.peek().start;
            let def = self.b.def_in(outer, "", TextRange::new(start, start), kind);
            self.b.open(ScopeKind::Block, start, Some(def));
            let type_params = self.type_params();
            self.b.def_mut(def).type_params = type_params;
            if let Some(context) = modifiers.context {
                let at = std::mem::replace(&mut self.c.at, context);
                self.context(true);
                self.c.at = at;
            }
            def
        });
        if self.c.is(b'(') && !self.has_receiver(self.c.at) {
            self.destructuring(modifiers);
        } else {
            let receiver = self.receiver();
            let name = self.declared_name();
            let def = match holder {
                Some(def) => {
                    let text = self.b.name(self.c.str(name));
                    self.b.def_mut(def).name = text;
                    self.b.def_mut(def).name_range = name.range();
                    def
                }
                None => self.b.def_in(outer, self.c.str(name), name.range(), kind),
            };
            self.b.def_mut(def).receiver = receiver;
            if receiver.is_some() {
                modifiers.flags.set(DefFlags::EXTENSION);
            }
            self.property_rest(def, modifiers, place);
        }
        if holder.is_some() {
            self.b.close(self.c.last_end());
        }
    }

    fn property_rest(&mut self, def: DefId, mut modifiers: Modifiers, place: Place) {
        let ty = self.c.eat(b':').then(|| self.ty(Role::Type));
        self.b.def_mut(def).ty = ty;
        let type_params = self.b.facts().def(def).type_params;
        self.constraints(type_params);
        if let Some(doc) = modifiers.doc {
            self.documentation(doc);
        }
        let is_delegated = self.c.is_word(w::BY);
        let has_init = is_delegated || self.c.is(b'=') && !self.c.is_joined(b"==");
        if has_init {
            self.c.at += 1;
            let entered = self.initializers.take();
            if let Some(scope) = entered {
                self.b.enter(scope);
            }
            let (mark, proven) = (self.pending.mark(), self.proven.len());
            let value = self.with_newlines(true, Self::expression);
            let expected = if is_delegated { None } else { Some(Expectation::Init(def)) };
            match expected {
                Some(what) => self.pending.settle(&mut self.b, mark, what),
                None => self.pending.forget(mark),
            }
            if place != Place::Block {
                self.end_proofs(proven);
            }
            if entered.is_some() {
                self.b.leave();
            }
            self.initializers = entered;
            self.b.def_mut(def).init = Some(value);
        }
        if is_delegated {
            modifiers.flags.set(DefFlags::DELEGATED);
        }
        if self.c.is(b';') && self.accessor_at(self.c.at + 1).is_some() {
            self.c.at += 1;
        }
        let mut has_accessor = false;
        if place != Place::Block {
            while let Some(at) = self.accessor_at(self.c.at) {
                self.accessor(def, at, ty.is_none() && !has_init);
                has_accessor = true;
                if self.c.is(b';') && self.accessor_at(self.c.at + 1).is_some() {
                    self.c.at += 1;
                }
            }
        }
        if place == Place::Interface && !has_init && !has_accessor {
            modifiers.flags.set(DefFlags::ABSTRACT);
        }
        self.finish(def, modifiers);
    }

    /// The index of `get` or `set` when an accessor stands at `i`.
    fn accessor_at(&self, mut i: usize) -> Option<usize> {
        loop {
            i = self.skip_annotations(i);
            let token = self.c.token(i);
            if token.kind != Kind::Word {
                return None;
            }
            match token.sub {
                w::GET | w::SET => {
                    let next = self.c.token(i + 1);
                    let ends = next.after_newline || next.kind == Kind::Close || next.kind == Kind::End;
                    let bare = i > self.c.at || token.sub == w::SET;
                    return (next.is(b'(') && !next.after_newline || bare && (ends || next.is(b';')))
                        .then_some(i);
                }
                w::PUBLIC
                | w::PRIVATE
                | w::PROTECTED
                | w::INTERNAL
                | w::INLINE
                | w::EXTERNAL
                | w::ABSTRACT
                | w::OVERRIDE
                | w::FINAL
                | w::OPEN => i += 1,
                _ => return None,
            }
        }
    }

    fn accessor(&mut self, property: DefId, at: usize, tells_type: bool) {
        let mut modifiers = self.modifiers(at);
        modifiers.doc = None;
        let word = self.c.bump();
        let is_getter = word.sub == w::GET;
        let range = TextRange::new(word.start, word.start);
        let def = self.b.def("", range, SymbolKind::Function);
        self.b.open(ScopeKind::Function, word.start, Some(def));
        let params =
            if self.c.is(b'(') && !self.c.peek().after_newline { self.params(None) } else { List::EMPTY };
        if !is_getter {
            let property_type = self.b.facts().def(property).ty;
            let params: Vec<DefId> = self.b.facts().list(params).collect();
            for param in params {
                let d = self.b.def_mut(param);
                d.ty = d.ty.or(property_type);
            }
        }
        let ty = self.c.eat(b':').then(|| self.ty(Role::Type));
        let d = self.b.def_mut(def);
        d.params = params;
        d.ty = ty;
        let label = if is_getter { "get" } else { "set" };
        self.body(def, label, ty.is_some());
        self.b.close(self.c.last_end());
        modifiers.flags.set(DefFlags::ANONYMOUS);
        modifiers.flags.set(if is_getter { DefFlags::GETTER } else { DefFlags::SETTER });
        self.finish(def, modifiers);
        if is_getter && tells_type {
            let (returns, ty) = (self.b.facts().def(def).returns, self.b.facts().def(def).ty);
            let d = self.b.def_mut(property);
            d.returns = returns;
            d.ty = ty;
        }
    }

    /// `(a, b: T) = value` behind `val`.
    fn destructuring(&mut self, modifiers: Modifiers) {
        let names = self.destructured();
        let entered = self.initializers.take();
        if self.c.eat(b'=') {
            if let Some(scope) = entered {
                self.b.enter(scope);
            }
            let mark = self.pending.mark();
            let value = self.expression();
            self.pending.forget(mark);
            if entered.is_some() {
                self.b.leave();
            }
            self.take_apart(&names, value);
        }
        self.initializers = entered;
        for (def, _) in names {
            // None of the names is visible in the value.
            let range = self.c.since(self.b.facts().def(def).name_range.start);
            let flags = modifiers.flags;
            self.b.def_mut(def).flags = self.b.facts().def(def).flags | flags;
            self.b.def_mut(def).range = range;
        }
    }

    /// The names in the parentheses at the cursor, with their positions; `_` declares nothing.
    pub(super) fn destructured(&mut self) -> Vec<(DefId, u32)> {
        let open = self.c.at;
        self.c.at += 1;
        let mut names = Vec::new();
        let mut index = 0;
        while self.c.at < self.c.group_end(open) {
            self.annotations();
            if !self.at_name() {
                break;
            }
            let token = self.c.bump();
            let text = self.c.str(token);
            let ty = self.c.eat(b':').then(|| self.ty(Role::Type));
            if text != "_" {
                let def = self.b.def(text, token.range(), SymbolKind::Variable);
                self.b.def_mut(def).ty = ty;
                names.push((def, index));
            }
            index += 1;
            if !self.c.eat(b',') {
                break;
            }
        }
        self.leave_group(open);
        names
    }

    /// Gives destructured names their parts of a value.
    pub(super) fn take_apart(&mut self, names: &[(DefId, u32)], base: ExprId) {
        for (def, index) in names {
            let item = self.b.expr(Expr::Item { base, index: *index });
            self.b.def_mut(*def).init = Some(item);
        }
    }
}
