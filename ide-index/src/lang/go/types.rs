//! Go's types, parameters and fields.

use ide_model::{SymbolKind, TextRange};

use super::front::Parser;
use super::lexer::{CHAN, FUNC, INTERFACE, MAP, STRUCT};
use crate::facts::{
    DefFlags, DefId, Expr, ExprId, List, RefId, Role, ScopeKind, SuperKind, SuperType, TypeExpr, TypeId,
};
use crate::guard;
use crate::kit::{Kind, Token};

impl Parser<'_> {
    /// A type. A text that is no type gives [`TypeExpr::Unknown`] and reads nothing.
    pub(super) fn ty(&mut self) -> TypeId {
        if !self.c.deeper() {
            self.c.skip();
            return self.b.ty(TypeExpr::Unknown);
        }
        let ty = self.ty_inner(Role::Type);
        self.c.shallower();
        self.b.ty(ty)
    }

    fn ty_inner(&mut self, role: Role) -> TypeExpr {
        guard::deeper(|| self.ty_inside(role)).unwrap_or_else(|| {
            self.c.skip();
            TypeExpr::Unknown
        })
    }

    fn ty_inside(&mut self, role: Role) -> TypeExpr {
        let token = self.c.peek();
        match (token.kind, token.sub) {
            (Kind::Word, 0) => self.named_type(role),
            (Kind::Word, FUNC) => {
                self.c.bump();
                self.function_type()
            }
            (Kind::Word, STRUCT | INTERFACE) => {
                let def = self.anonymous(SymbolKind::Struct);
                self.members(def);
                TypeExpr::Object(def)
            }
            (Kind::Word, MAP) => {
                self.c.bump();
                if !self.c.is(b'[') {
                    return TypeExpr::Unknown;
                }
                self.c.bump();
                let key = self.ty();
                self.c.eat(b']');
                let value = self.ty();
                TypeExpr::Map { key, value }
            }
            (Kind::Word, CHAN) => {
                self.c.bump();
                let is_sender = self.c.eat_joined(b"<-");
                let item = self.ty();
                if is_sender { TypeExpr::Sender(item) } else { TypeExpr::Channel(item) }
            }
            (Kind::Punct, b'<') if self.c.is_joined(b"<-") => {
                self.c.at += 2;
                self.c.eat_word(CHAN);
                TypeExpr::Receiver(self.ty())
            }
            (Kind::Punct, b'*') => {
                self.c.bump();
                TypeExpr::Pointer(self.ty())
            }
            (Kind::Punct, b'~') => {
                self.c.bump();
                self.ty_inner(role)
            }
            (Kind::Punct, b'.') if self.c.is_joined(b"...") => {
                self.c.at += 3;
                TypeExpr::Varargs(self.ty())
            }
            (Kind::Open, b'[') => {
                let end = self.c.group_end(self.c.at);
                self.c.bump();
                let first = self.c.peek();
                let length = (self.c.at < end).then(|| {
                    let is_number = self.c.at + 1 == end && first.kind == Kind::Number;
                    let number = is_number.then(|| self.b.name(self.c.str(first)));
                    self.b.ty(number.map_or(TypeExpr::Unknown, TypeExpr::Literal))
                });
                if length.is_some() && !self.c.is_joined(b"...") {
                    self.expr();
                }
                self.c.at = end;
                self.c.eat(b']');
                let item = self.ty();
                length.map_or(TypeExpr::Array(item), |length| TypeExpr::Sized { item, length })
            }
            (Kind::Open, b'(') => {
                let end = self.c.group_end(self.c.at);
                self.c.bump();
                let ty = self.ty_inner(role);
                self.c.at = end;
                self.c.eat(b')');
                ty
            }
            _ => TypeExpr::Unknown,
        }
    }

    /// `pkg.Name[Args]`.
    fn named_type(&mut self, role: Role) -> TypeExpr {
        let name = self.type_name(role);
        let args = if self.c.is(b'[') && !self.c.peek().after_newline && !self.c.nth(1).is(b']') {
            self.type_arguments()
        } else {
            List::EMPTY
        };
        TypeExpr::Named { name, args }
    }

    fn type_name(&mut self, role: Role) -> RefId {
        let first = self.c.bump();
        let qualified = self.c.is(b'.') && self.c.nth(1).kind == Kind::Word && !self.c.is_joined(b"...");
        if !qualified {
            return self.b.reference(self.text(first), first.range(), role);
        }
        let package = self.b.reference(self.text(first), first.range(), Role::Read);
        let receiver = self.b.expr(Expr::Ref(package));
        self.c.bump();
        let last = self.c.bump();
        let name = self.b.reference(self.text(last), last.range(), role);
        self.b.ref_mut(name).receiver = Some(receiver);
        name
    }

    pub(super) fn type_arguments(&mut self) -> List<TypeId> {
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        let mut args = Vec::new();
        while self.c.at < end {
            let before = self.c.at;
            args.push(self.ty());
            self.c.eat(b',');
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.at = end;
        self.c.eat(b']');
        self.b.list(args)
    }

    fn function_type(&mut self) -> TypeExpr {
        if !self.c.is(b'(') {
            return TypeExpr::Unknown;
        }
        // The names of parameters are declared in a scope of their own: nothing may refer to them.
        self.b.open(ScopeKind::Function, self.c.peek().start, None);
        let params = self.parameters();
        let result = self.result();
        self.b.close(self.c.last_end());
        self.function_of(params, result)
    }

    /// The type of the functions with these parameters.
    pub(super) fn function_of(&mut self, params: Vec<DefId>, result: Option<TypeId>) -> TypeExpr {
        let is_variadic = |def: &DefId| self.b.facts().def(*def).flags.has(DefFlags::VARARG);
        let is_variadic = params.last().is_some_and(is_variadic);
        let mut types: Vec<TypeId> =
            params.into_iter().filter_map(|def| self.b.facts().def(def).ty).collect();
        if let Some(last) = types.last_mut().filter(|_| is_variadic) {
            *last = self.b.ty(TypeExpr::Varargs(*last));
        }
        let params = self.b.list(types);
        TypeExpr::Function { receiver: None, params, result }
    }

    /// The type behind `*` and parentheses of a receiver, as it stands.
    pub(super) fn receiver_type(&mut self) -> Option<TypeId> {
        let token = self.c.peek();
        match token.kind {
            Kind::Word if token.sub == 0 => {
                let name = self.type_name(Role::Type);
                let mut args = Vec::new();
                if self.c.is(b'[') {
                    let open = self.c.at;
                    for i in open + 1..self.c.group_end(open) {
                        let t = self.c.token(i);
                        if t.kind == Kind::Word && t.sub == 0 && self.text(t) == "_" {
                            args.push(self.b.ty(TypeExpr::Unknown));
                        } else if t.kind == Kind::Word && t.sub == 0 {
                            let def = self.b.reference(self.text(t), t.range(), Role::Type);
                            self.b.ref_mut(def).flags.set(crate::facts::RefFlags::IMPLICIT);
                            args.push(self.b.ty(TypeExpr::Named { name: def, args: List::EMPTY }));
                        }
                    }
                    self.c.at = self.c.behind_group(open);
                }
                let args = self.b.list(args);
                Some(self.b.ty(TypeExpr::Named { name, args }))
            }
            Kind::Punct if token.is(b'*') => {
                self.c.bump();
                let inner = self.receiver_type()?;
                Some(self.b.ty(TypeExpr::Pointer(inner)))
            }
            Kind::Open => {
                self.c.bump();
                let ty = self.receiver_type();
                self.c.eat(b')');
                ty
            }
            _ => None,
        }
    }

    /// The type that follows the name in a type specification.
    pub(super) fn underlying_type(&mut self, def: DefId) {
        let token = self.c.peek();
        let is_alias = self.b.facts().def(def).kind == SymbolKind::TypeAlias;
        match token.sub {
            STRUCT if token.kind == Kind::Word && !is_alias => {
                self.b.def_mut(def).kind = SymbolKind::Struct;
                self.members(def);
            }
            INTERFACE if token.kind == Kind::Word && !is_alias => {
                self.b.def_mut(def).kind = SymbolKind::Interface;
                self.members(def);
            }
            _ => {
                let ty = self.ty();
                self.b.def_mut(def).ty = Some(ty);
            }
        }
    }

    pub(super) fn anonymous(&mut self, kind: SymbolKind) -> DefId {
        let at = self.c.peek().start;
        let def = self.b.def("", TextRange::new(at, at), kind);
        self.b.def_mut(def).flags.set(DefFlags::ANONYMOUS);
        def
    }

    /// `struct { … }` or `interface { … }`.
    fn members(&mut self, owner: DefId) {
        let start = self.c.peek().start;
        let is_struct = self.c.is_word(STRUCT);
        self.c.bump();
        if !self.c.is(b'{') {
            return;
        }
        if !is_struct {
            self.b.def_mut(owner).kind = SymbolKind::Interface;
        }
        let end = self.c.group_end(self.c.at);
        self.b.open(ScopeKind::Class, self.c.peek().start, Some(owner));
        self.c.bump();
        let mut supers = Vec::new();
        while self.c.at < end {
            let before = self.c.at;
            if self.c.eat(b';') {
                continue;
            }
            if is_struct {
                self.field(&mut supers);
            } else {
                self.interface_element(&mut supers);
            }
            while self.c.at < end && !self.at_line_end() {
                self.c.skip();
            }
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.at = end;
        self.c.eat(b'}');
        self.b.close(self.c.last_end());
        let supers = self.b.list(supers);
        let range = self.c.since(start);
        let def = self.b.def_mut(owner);
        def.supers = supers;
        if def.flags.has(DefFlags::ANONYMOUS) {
            def.range = range;
        }
    }

    fn field(&mut self, supers: &mut Vec<SuperType>) {
        let start = self.c.at;
        let next = self.c.nth(1);
        let embedded = self.c.is(b'*')
            || self.is_name()
                && (next.is(b'.')
                    || next.after_newline
                    || next.is(b';')
                    || next.kind == Kind::Text
                    || next.is(b'}')
                    || next.is(b'[') && {
                        let behind = self.c.token(self.c.behind_group(self.c.at + 1));
                        behind.after_newline || behind.kind == Kind::Close
                    });
        if embedded {
            self.embedded(start, supers);
        } else {
            let mut names: Vec<Token> = Vec::new();
            while self.is_name() {
                names.push(self.c.bump());
                if !self.c.eat(b',') {
                    break;
                }
            }
            if names.is_empty() {
                return;
            }
            let ty = self.ty();
            for name in names {
                let def = self.declare(name, SymbolKind::Field, start);
                let range = self.c.since(self.c.token(start).start);
                let d = self.b.def_mut(def);
                d.ty = Some(ty);
                d.range = range;
            }
        }
        if self.c.peek().kind == Kind::Text && !self.c.peek().after_newline {
            self.c.bump();
        }
    }

    /// An embedded type is a field too, under the type's name and at its place.
    fn embedded(&mut self, start: usize, supers: &mut Vec<SuperType>) {
        let pointer = self.c.eat(b'*');
        let written = self.ty_inner(Role::Extends);
        let TypeExpr::Named { name, .. } = written else { return };
        let ty = self.b.ty(written);
        supers.push(SuperType { kind: SuperKind::Mixes, ty });
        let r = *self.b.facts().reference(name);
        let text = self.b.facts().name(r.name).to_owned();
        let def = self.b.def(&text, r.range, SymbolKind::Field);
        let ty = if pointer { self.b.ty(TypeExpr::Pointer(ty)) } else { ty };
        let range = self.c.since(self.c.token(start).start);
        let d = self.b.def_mut(def);
        d.ty = Some(ty);
        d.range = range;
        d.flags.set(DefFlags::SYNTHETIC);
        if !self.is_built {
            d.flags.set(DefFlags::NOT_BUILT);
        }
    }

    fn interface_element(&mut self, supers: &mut Vec<SuperType>) {
        let start = self.c.at;
        if self.is_name() && self.c.nth(1).is(b'(') {
            let name = self.c.bump();
            let def = self.declare(name, SymbolKind::Method, start);
            self.b.def_mut(def).flags.set(DefFlags::ABSTRACT);
            self.b.open(ScopeKind::Function, name.end, Some(def));
            self.signature(def);
            self.b.close(self.c.last_end());
            let range = self.c.since(name.start);
            self.b.def_mut(def).range = range;
            return;
        }
        let mut terms = Vec::new();
        let mut is_plain = self.is_name();
        loop {
            let before = self.c.at;
            let written = self.ty_inner(if is_plain { Role::Extends } else { Role::Type });
            is_plain |= matches!(written, TypeExpr::Object(def) if self.b.facts().def(def).kind == SymbolKind::Interface);
            terms.push(self.b.ty(written));
            if self.c.at == before || !self.c.eat(b'|') {
                break;
            }
        }
        let kind = if terms.len() == 1 && is_plain { SuperKind::Extends } else { SuperKind::Other };
        supers.extend(terms.into_iter().map(|ty| SuperType { kind, ty }));
    }

    /// `[K comparable, V any]`; the declarations go into the innermost scope.
    pub(super) fn type_parameters(&mut self, owner: DefId) {
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        let mut all: Vec<DefId> = Vec::new();
        while self.c.at < end {
            let before = self.c.at;
            let mut group = Vec::new();
            while self.is_name() {
                let token = self.c.bump();
                let def = self.b.def(self.text(token), token.range(), SymbolKind::TypeParameter);
                group.push(def);
                if !self.c.eat(b',') {
                    break;
                }
            }
            let bound = self.constraint(end);
            for def in &group {
                self.b.def_mut(*def).ty = bound;
            }
            all.extend(group);
            self.c.eat(b',');
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.at = end;
        self.c.eat(b']');
        let params = self.b.list(all);
        self.b.def_mut(owner).type_params = params;
    }

    fn constraint(&mut self, end: usize) -> Option<TypeId> {
        let mut terms = Vec::new();
        while self.c.at < end && !self.c.is(b',') {
            let before = self.c.at;
            terms.push(self.ty());
            self.c.eat(b'|');
            if self.c.at == before {
                self.c.skip();
            }
        }
        match terms[..] {
            [] => None,
            [one] => Some(one),
            _ => {
                let parts = self.b.list(terms);
                Some(self.b.ty(TypeExpr::Union(parts)))
            }
        }
    }

    /// `(a, b int, c ...string)` or `(int, string)`: one declaration each, nameless ones anonymous.
    pub(super) fn parameters(&mut self) -> Vec<DefId> {
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        let first = self.c.at;
        let named = self.segments(first, end).iter().any(|(from, to)| self.is_named_parameter(*from, *to));
        let mut defs = Vec::new();
        let mut waiting: Vec<DefId> = Vec::new();
        while self.c.at < end {
            let before = self.c.at;
            if named && self.is_name() {
                let token = self.c.bump();
                let def = self.declare(token, SymbolKind::Parameter, usize::MAX);
                waiting.push(def);
                defs.push(def);
                if self.c.eat(b',') {
                    continue;
                }
            } else if !named {
                let def = self.anonymous(SymbolKind::Parameter);
                waiting.push(def);
                defs.push(def);
            }
            if self.c.at < end {
                let is_variadic = self.c.is_joined(b"...");
                if is_variadic {
                    self.c.at += 3;
                }
                let ty = self.ty();
                for def in waiting.drain(..) {
                    let range = self.c.since(self.b.facts().def(def).name_range.start);
                    let d = self.b.def_mut(def);
                    d.ty = Some(ty);
                    d.range = range;
                    if is_variadic {
                        d.flags.set(DefFlags::VARARG);
                    }
                }
            }
            self.c.eat(b',');
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.at = end;
        self.c.eat(b')');
        defs
    }

    fn segments(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let mut all = Vec::new();
        let mut start = from;
        let mut i = from;
        while i < to {
            if self.c.token(i).is(b',') {
                all.push((start, i));
                start = i + 1;
            }
            i = self.c.over(i).max(i + 1);
        }
        if start < to {
            all.push((start, to));
        }
        all
    }

    fn is_named_parameter(&self, from: usize, to: usize) -> bool {
        let (first, second) = (self.c.token(from), self.c.token(from + 1));
        first.kind == Kind::Word
            && first.sub == 0
            && from + 1 < to
            && (!second.is(b'.') || self.c.joined_at(from + 1, b"..."))
            && !(second.is(b'[') && self.c.over(from + 1) >= to)
    }

    /// The result of a signature: nothing, one type, or several as a tuple. Named results are declared.
    pub(super) fn result(&mut self) -> Option<TypeId> {
        if self.c.is(b'(') && !self.c.peek().after_newline {
            let defs = self.parameters();
            let types: Vec<TypeId> = defs.iter().filter_map(|d| self.b.facts().def(*d).ty).collect();
            for def in defs {
                self.b.def_mut(def).kind = SymbolKind::Variable;
            }
            return match types[..] {
                [] => None,
                [one] => Some(one),
                _ => {
                    let items = self.b.list(types);
                    Some(self.b.ty(TypeExpr::Tuple(items)))
                }
            };
        }
        let token = self.c.peek();
        let begins = !token.after_newline
            && (token.kind == Kind::Word && matches!(token.sub, 0 | FUNC | STRUCT | INTERFACE | MAP | CHAN)
                || token.is(b'*')
                || token.is(b'[')
                || self.c.is_joined(b"<-"));
        begins.then(|| self.ty())
    }

    /// A type as a value: `[]int{…}`, `map[K]V{…}`, conversions.
    pub(super) fn type_value(&mut self) -> (TypeId, ExprId) {
        let ty = self.ty();
        (ty, self.b.expr(Expr::Type(ty)))
    }
}
