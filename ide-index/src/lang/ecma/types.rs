//! TypeScript's types.

use ide_model::{SymbolKind, TextRange};

use super::front::Parser;
use super::lexer::{
    ABSTRACT, ASSERTS, CONST, EXTENDS, FALSE, GET, IMPORT, IN, INFER, IS, KEYOF, NEW, NULL, OUT, READONLY,
    REGEX, SET, STRING, TEMPLATE_END, TEMPLATE_HEAD, THIS, TRUE, TYPEOF, UNIQUE, VOID,
};
use super::skimming::begins_member;
use crate::facts::{
    DefFlags, DefId, Expr, ImportFlags, List, RefFlags, RefId, Role, ScopeKind, TypeExpr, TypeId,
};
use crate::guard;
use crate::kit::Kind;

/// The name of an index signature; its parameter is the key.
pub(super) const INDEX: &str = "[]";

const PRIMITIVES: &[&str] = &[
    "any",
    "bigint",
    "boolean",
    "never",
    "number",
    "object",
    "string",
    "symbol",
    "undefined",
    "unknown",
    "void",
    "null",
];

impl Parser<'_> {
    /// `: T`, if there is one.
    pub(super) fn annotation(&mut self) -> Option<TypeId> {
        self.c.eat(b':').then(|| self.ty())
    }

    pub(super) fn ty(&mut self) -> TypeId {
        if !self.c.deeper() {
            self.c.skip();
            return self.b.ty(TypeExpr::Unknown);
        }
        let outer = std::mem::replace(&mut self.no_in, false);
        let check = self.union(b'|');
        let ty = if self.c.is_word(EXTENDS) && !self.c.peek().after_newline {
            self.c.bump();
            // Inferred types are known where the condition holds.
            let scope = self.b.open(ScopeKind::Block, self.c.peek().start, None);
            let around = self.conditional.replace(scope);
            let extends = self.union(b'|');
            self.conditional = around;
            let yes = self.c.eat(b'?').then(|| self.ty());
            self.b.close(self.c.last_end());
            if let Some(yes) = yes {
                self.c.eat(b':');
                let no = self.ty();
                self.b.ty(TypeExpr::Conditional { check, extends, yes, no })
            } else {
                check
            }
        } else {
            check
        };
        self.no_in = outer;
        self.c.shallower();
        ty
    }

    fn union(&mut self, operator: u8) -> TypeId {
        self.c.eat(operator);
        let next = |p: &mut Self| if operator == b'|' { p.union(b'&') } else { p.prefixed() };
        let mut parts = vec![next(self)];
        while self.c.is(operator) && !self.c.is_joined(&[operator, operator]) {
            self.c.bump();
            parts.push(next(self));
        }
        match parts[..] {
            [one] => one,
            _ => {
                let parts = self.b.list(parts);
                self.b.ty(if operator == b'|' {
                    TypeExpr::Union(parts)
                } else {
                    TypeExpr::Intersection(parts)
                })
            }
        }
    }

    fn prefixed(&mut self) -> TypeId {
        guard::deeper(|| self.prefixed_inside()).unwrap_or_else(|| {
            self.c.skip();
            self.b.ty(TypeExpr::Unknown)
        })
    }

    fn prefixed_inside(&mut self) -> TypeId {
        let token = self.c.peek();
        let next = self.c.nth(1);
        let operand_follows = !next.after_newline
            && (matches!(next.kind, Kind::Word | Kind::Text) && next.sub != IS
                || next.is(b'(')
                || next.is(b'[')
                || next.is(b'{'));
        match (token.kind, token.sub) {
            (Kind::Word, KEYOF) if operand_follows => {
                self.c.bump();
                let inner = self.prefixed();
                self.b.ty(TypeExpr::KeyOf(inner))
            }
            (Kind::Word, READONLY | UNIQUE) if operand_follows => {
                self.c.bump();
                self.prefixed()
            }
            (Kind::Word, INFER) if Self::names(next) => {
                self.c.bump();
                let name = self.c.bump();
                let scope = self.conditional.unwrap_or(self.b.scope());
                let def = self.b.def_in(scope, self.c.str(name), name.range(), SymbolKind::TypeParameter);
                if self.c.is_word(EXTENDS) && !self.constraint_is_condition() {
                    self.c.bump();
                    let bound = self.union(b'|');
                    self.b.def_mut(def).ty = Some(bound);
                }
                self.b.ty(TypeExpr::Infer(def))
            }
            (Kind::Word, ASSERTS) if operand_follows => {
                self.c.bump();
                self.predicate()
            }
            (Kind::Word, _) if next.kind == Kind::Word && next.sub == IS && !next.after_newline => {
                self.predicate()
            }
            _ => {
                let ty = self.primary_type();
                self.postfix_type(ty)
            }
        }
    }

    /// `[infer U extends X ? …]` is a condition on the whole, not a bound; right behind the `extends` of a conditional
    /// type no other begins.
    fn constraint_is_condition(&self) -> bool {
        if self.c.at >= 3 && self.c.token(self.c.at - 3).sub == EXTENDS {
            return false;
        }
        let mut i = self.c.at + 1;
        while !matches!(self.c.token(i).kind, Kind::End | Kind::Close) && !self.c.token(i).is(b',') {
            if self.c.token(i).is(b'?') {
                return true;
            }
            i = self.c.over(i).max(i + 1);
        }
        false
    }

    /// `x is T`, with `x` read.
    fn predicate(&mut self) -> TypeId {
        let subject = self.c.bump();
        if Self::names(subject) {
            self.refer(subject, Role::Read);
        }
        if self.c.is_word(IS) {
            self.c.bump();
            let ty = self.ty();
            return self.b.ty(TypeExpr::Predicate(ty));
        }
        let name = self.b.name("void");
        let nothing = self.b.ty(TypeExpr::Primitive(name));
        self.b.ty(TypeExpr::Predicate(nothing))
    }

    fn postfix_type(&mut self, mut ty: TypeId) -> TypeId {
        while self.c.is(b'[') && !self.c.peek().after_newline {
            let end = self.c.group_end(self.c.at);
            self.c.bump();
            if self.c.at == end {
                ty = self.b.ty(TypeExpr::Array(ty));
            } else {
                let index = self.ty();
                ty = self.b.ty(TypeExpr::Indexed { base: ty, index });
            }
            self.c.at = end;
            self.c.eat(b']');
        }
        ty
    }

    fn primary_type(&mut self) -> TypeId {
        let token = self.c.peek();
        match (token.kind, token.sub) {
            (Kind::Word, TYPEOF) => {
                self.c.bump();
                if self.c.is_word(IMPORT) {
                    return self.import_type();
                }
                self.type_query()
            }
            (Kind::Word, IMPORT) => self.import_type(),
            (Kind::Word, NEW) | (Kind::Word, ABSTRACT) if token.sub == NEW || self.c.nth(1).sub == NEW => {
                self.c.eat_word(ABSTRACT);
                self.c.bump();
                self.function_type()
            }
            (Kind::Word, THIS) => {
                self.c.bump();
                let scope = self.b.scope();
                let this = self.b.expr(Expr::This(scope));
                self.b.ty(TypeExpr::TypeOf(this))
            }
            (Kind::Word, VOID | NULL | TRUE | FALSE | CONST) => {
                self.c.bump();
                let name = self.b.name(self.c.str(token));
                self.b.ty(if matches!(token.sub, TRUE | FALSE) {
                    TypeExpr::Literal(name)
                } else {
                    TypeExpr::Primitive(name)
                })
            }
            (Kind::Word, _) => self.named_type(),
            (Kind::Text, STRING) | (Kind::Number, _) | (Kind::Text, REGEX) => {
                self.c.bump();
                let text =
                    if token.kind == Kind::Text { self.text(self.inner(token)) } else { self.c.str(token) };
                let name = self.b.name(text);
                self.b.ty(TypeExpr::Literal(name))
            }
            (Kind::Text, TEMPLATE_HEAD) => self.template_type(),
            (Kind::Punct, b'-') => {
                self.c.bump();
                self.primary_type()
            }
            (Kind::Punct, b'<') => self.function_type(),
            (Kind::Punct, b'.') if self.c.is_joined(b"...") => {
                self.c.at += 3;
                self.ty()
            }
            (Kind::Open, b'(') => {
                if self.is_function_type() {
                    return self.function_type();
                }
                let end = self.c.behind_group(self.c.at);
                self.c.bump();
                let ty = self.ty();
                self.c.at = end;
                ty
            }
            (Kind::Open, b'[') => self.tuple_type(),
            (Kind::Open, b'{') => self.object_type(),
            _ => self.b.ty(TypeExpr::Unknown),
        }
    }

    fn template_type(&mut self) -> TypeId {
        self.c.bump();
        while !self.c.is_end() {
            let token = self.c.peek();
            if token.kind == Kind::Text && token.sub == TEMPLATE_END {
                self.c.bump();
                break;
            }
            if token.is(b'{') {
                let end = self.c.behind_group(self.c.at);
                self.c.bump();
                self.ty();
                self.c.at = end;
            } else {
                self.c.bump();
            }
        }
        let name = self.b.name("string");
        self.b.ty(TypeExpr::Primitive(name))
    }

    /// `typeof a.b`.
    fn type_query(&mut self) -> TypeId {
        let mut value = None;
        while self.c.peek().kind == Kind::Word {
            let token = self.c.bump();
            value = Some(if token.sub == THIS {
                let scope = self.b.scope();
                self.b.expr(Expr::This(scope))
            } else {
                crate::kit::value::name(&mut self.b, value, self.c.str(token), token.range(), Role::Read).1
            });
            if !(self.c.is(b'.') && self.c.nth(1).kind == Kind::Word) {
                break;
            }
            self.c.bump();
        }
        if self.c.is(b'<') && !self.c.peek().after_newline {
            self.type_arguments();
        }
        match value {
            Some(value) => self.b.ty(TypeExpr::TypeOf(value)),
            None => self.b.ty(TypeExpr::Unknown),
        }
    }

    /// `import("./m").T<A>`.
    fn import_type(&mut self) -> TypeId {
        self.c.bump();
        if !self.c.is(b'(') {
            return self.b.ty(TypeExpr::Unknown);
        }
        let behind = self.c.behind_group(self.c.at);
        let specifier = self.c.nth(1);
        self.c.at = behind;
        // Types of a module are beside what it gives out as a whole.
        let flags = if self.c.is(b'.') { ImportFlags::TYPE_ONLY } else { ImportFlags::DYNAMIC };
        let Some(module) = self.anonymous_import(specifier, flags) else {
            return self.b.ty(TypeExpr::Unknown);
        };
        let mut last: Option<RefId> = None;
        let mut receiver = module;
        while self.c.is(b'.') && self.c.nth(1).kind == Kind::Word {
            self.c.bump();
            let token = self.c.bump();
            let (name, value) = crate::kit::value::name(
                &mut self.b,
                Some(receiver),
                self.c.str(token),
                token.range(),
                Role::Type,
            );
            last = Some(name);
            receiver = value;
        }
        let args = if self.c.is(b'<') { self.type_arguments() } else { List::EMPTY };
        match last {
            Some(name) => self.named(name, args),
            None => self.b.ty(TypeExpr::TypeOf(module)),
        }
    }

    fn named_type(&mut self) -> TypeId {
        let token = self.c.bump();
        let text = self.c.str(token);
        let qualified = self.c.is(b'.') && self.c.nth(1).kind == Kind::Word && !self.c.is_joined(b"...");
        if PRIMITIVES.contains(&text) && !qualified {
            let name = self.b.name(text);
            return self.b.ty(TypeExpr::Primitive(name));
        }
        let mut name = self.refer(token, Role::Type);
        while self.c.is(b'.') && self.c.nth(1).kind == Kind::Word && !self.c.is_joined(b"...") {
            self.b.ref_mut(name).flags.set(RefFlags::STATIC);
            let receiver = self.b.expr(Expr::Ref(name));
            self.c.bump();
            let token = self.c.bump();
            let member = self.refer(token, Role::Type);
            self.b.ref_mut(member).receiver = Some(receiver);
            name = member;
        }
        let args =
            if self.c.is(b'<') && !self.c.peek().after_newline { self.type_arguments() } else { List::EMPTY };
        self.named(name, args)
    }

    /// `<A, B>`, the first token being `<`.
    pub(super) fn type_arguments(&mut self) -> List<TypeId> {
        self.c.bump();
        let mut args = Vec::new();
        while !self.c.is(b'>') && !self.c.is_end() && self.c.peek().kind != Kind::Close && !self.c.is(b';') {
            let before = self.c.at;
            if !self.c.eat(b',') {
                args.push(self.ty());
            }
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.eat(b'>');
        self.b.list(args)
    }

    /// Whether `(` begins the parameters of a function type. Before the body of an arrow function stands `=>` too: what
    /// lies between the brackets must begin like parameters.
    fn is_function_type(&self) -> bool {
        let behind = self.c.behind_group(self.c.at);
        if !self.c.joined_at(behind, b"=>") {
            return false;
        }
        let first = self.c.nth(1);
        if first.is(b')') || first.is(b'.') || first.is(b'@') {
            return true;
        }
        let after = match first.kind {
            Kind::Word => self.c.at + 2,
            Kind::Open if first.is(b'{') || first.is(b'[') => self.c.behind_group(self.c.at + 1),
            _ => return false,
        };
        let next = self.c.token(after);
        [b':', b',', b'?', b'=', b')'].iter().any(|byte| next.is(*byte))
    }

    fn function_type(&mut self) -> TypeId {
        let at = self.c.peek().start;
        self.b.open(ScopeKind::Function, at, None);
        if self.c.is(b'<') {
            self.type_parameters();
        }
        let params = if self.c.is(b'(') { self.parameters() } else { Vec::new() };
        let result = self.c.eat_joined(b"=>").then(|| self.ty());
        self.b.close(self.c.last_end());
        let unknown = self.b.ty(TypeExpr::Unknown);
        let mut types = Vec::new();
        for param in params {
            let d = self.b.facts().def(param);
            let (ty, is_rest) = (d.ty.unwrap_or(unknown), d.flags.has(DefFlags::VARARG));
            types.push(if is_rest { self.b.ty(TypeExpr::Varargs(ty)) } else { ty });
        }
        let params = self.b.list(types);
        self.b.ty(TypeExpr::Function { receiver: None, params, result })
    }

    fn tuple_type(&mut self) -> TypeId {
        let mut items = Vec::new();
        self.separated(b',', |p| {
            p.c.eat_joined(b"...");
            // `name: T`, `name?: T`.
            let named = p.c.peek().kind == Kind::Word
                && (p.c.nth(1).is(b':') || p.c.nth(1).is(b'?') && p.c.nth(2).is(b':'));
            if named {
                p.c.bump();
                p.c.eat(b'?');
                p.c.eat(b':');
            }
            items.push(p.ty());
            p.c.eat(b'?');
        });
        let items = self.b.list(items);
        self.b.ty(TypeExpr::Tuple(items))
    }

    fn object_type(&mut self) -> TypeId {
        if let Some(mapped) = self.mapped_type() {
            return mapped;
        }
        let start = self.c.at;
        let def = self.anonymous(SymbolKind::Interface);
        self.type_members(def);
        self.finish(def, start);
        self.b.ty(TypeExpr::Object(def))
    }

    /// `{ readonly [K in T as U]?: V }`.
    fn mapped_type(&mut self) -> Option<TypeId> {
        let behind = self.c.behind_group(self.c.at);
        let mut i = self.c.at + 1;
        while self.c.token(i).is(b'-')
            || self.c.token(i).is(b'+')
            || self.c.token(i).kind == Kind::Word && self.c.token(i).sub == READONLY
        {
            i += 1;
        }
        let name = self.c.token(i + 1);
        let is_mapped = self.c.token(i).is(b'[')
            && Self::names(name)
            && self.c.token(i + 2).kind == Kind::Word
            && self.c.token(i + 2).sub == IN;
        if !is_mapped {
            return None;
        }
        let close = self.c.behind_group(i);
        self.b.open(ScopeKind::Class, self.c.peek().start, None);
        let parameter = self.declare(name, SymbolKind::TypeParameter);
        self.c.at = i + 3;
        let keys = self.ty();
        self.b.def_mut(parameter).ty = Some(keys);
        if self.c.at + 1 < close {
            self.c.bump();
            let to = self.ty();
            if !self.keeps_name(to, parameter) {
                self.b.def_mut(parameter).flags.set(DefFlags::RENAMES_KEYS);
            }
        }
        self.c.at = close;
        while self.c.is(b'-') || self.c.is(b'+') || self.c.is(b'?') {
            self.c.bump();
        }
        let value = self.annotation();
        self.c.at = behind;
        self.b.close(self.c.last_end());
        let value = value.unwrap_or_else(|| self.b.ty(TypeExpr::Unknown));
        Some(self.b.ty(TypeExpr::Mapped { parameter, value }))
    }

    /// Whether a mapped type leaves the keys that it keeps their names: `[K in T as Exclude<K, 'a'>]`.
    fn keeps_name(&self, to: TypeId, key: DefId) -> bool {
        let facts = self.b.facts();
        let keeps = |ty: &TypeId| guard::deeper(|| self.keeps_name(*ty, key)).unwrap_or(false);
        match facts.ty(to) {
            TypeExpr::Named { name, args } => match facts.ref_name(name) {
                "Exclude" | "Extract" => facts.list(args).next().as_ref().is_some_and(keeps),
                other => other == facts.def_name(key) || other == "never",
            },
            TypeExpr::Primitive(name) => facts.name(name) == "never",
            TypeExpr::Conditional { yes, no, .. } => keeps(&yes) && keeps(&no),
            TypeExpr::Intersection(parts) => facts.list(parts).any(|part| keeps(&part)),
            _ => false,
        }
    }

    /// The members of an interface or type literal.
    pub(super) fn type_members(&mut self, owner: DefId) {
        if !self.c.is(b'{') {
            return;
        }
        self.b.open(ScopeKind::Class, self.c.peek().start, Some(owner));
        self.separated(b',', Self::type_member);
        self.b.close(self.c.last_end());
    }

    fn type_member(&mut self) {
        let start = self.c.at;
        let mut flags = DefFlags::NONE;
        loop {
            let (token, next) = (self.c.peek(), self.c.nth(1));
            let names_member = next.is(b':')
                || next.is(b'?')
                || next.is(b'(')
                || next.is(b'<')
                || next.is(b',')
                || next.is(b';')
                || next.after_newline
                || next.kind == Kind::Close;
            if token.kind != Kind::Word || names_member || !matches!(token.sub, READONLY | GET | SET) {
                break;
            }
            flags.set(match token.sub {
                READONLY => DefFlags::READONLY,
                GET => DefFlags::GETTER,
                _ => DefFlags::SETTER,
            });
            self.c.bump();
        }
        let token = self.c.peek();
        if token.is(b'(')
            || token.is(b'<')
            || token.kind == Kind::Word
                && token.sub == NEW
                && (self.c.nth(1).is(b'(') || self.c.nth(1).is(b'<'))
        {
            // A call or construct signature: a member without a name.
            let is_new = self.c.eat_word(NEW);
            let def = self.b.def(
                if is_new { "new" } else { "()" },
                TextRange::new(token.start, token.start),
                SymbolKind::Method,
            );
            self.b.def_mut(def).flags.set(DefFlags::SYNTHETIC);
            self.member_signature(def, start, flags | DefFlags::SYNTHETIC);
            return;
        }
        // A body that is stepped over shows only as much as its tokens tell.
        if !self.functions.is_empty() && !begins_member(&self.c.tokens.list, self.c.at) {
            return;
        }
        if token.is(b'[') {
            self.index_signature();
            return;
        }
        let Some((name, range)) = self.property_name() else { return };
        let kind_follows = self.c.is(b'(')
            || self.c.is(b'<')
            || self.c.is(b'?') && (self.c.nth(1).is(b'(') || self.c.nth(1).is(b'<'));
        let accessor = flags.has(DefFlags::GETTER) || flags.has(DefFlags::SETTER);
        let kind = if kind_follows && !accessor { SymbolKind::Method } else { SymbolKind::Property };
        let def = self.b.def(&name, range, kind);
        if self.c.eat(b'?') {
            flags.set(DefFlags::OPTIONAL);
        }
        if kind_follows {
            self.member_signature(def, start, flags);
        } else {
            let ty = self.annotation();
            let d = self.b.def_mut(def);
            d.ty = ty;
            d.flags = d.flags | flags;
            self.finish(def, start);
        }
    }

    fn member_signature(&mut self, def: DefId, start: usize, flags: DefFlags) {
        self.b.open(ScopeKind::Function, self.c.peek().start, Some(def));
        self.signature(def);
        self.b.close(self.c.last_end());
        let d = self.b.def_mut(def);
        d.flags = d.flags | flags | DefFlags::SIGNATURE;
        self.finish(def, start);
    }

    /// `[key: string]: T`, or a computed name.
    pub(super) fn index_signature(&mut self) {
        let end = self.c.group_end(self.c.at);
        let at = self.c.peek().start;
        let written = TextRange::new(at, self.c.token(end).end.max(at));
        self.c.bump();
        let is_signature = self.is_name() && self.c.nth(1).is(b':');
        let mut params = List::EMPTY;
        self.b.open(ScopeKind::Function, at, None);
        if is_signature {
            let name = self.c.bump();
            let def = self.declare(name, SymbolKind::Parameter);
            let ty = self.annotation();
            self.b.def_mut(def).ty = ty;
            params = self.b.list([def]);
        } else {
            self.expr();
        }
        self.b.close(self.c.last_end());
        self.c.at = end;
        self.c.eat(b']');
        self.c.eat(b'?');
        if self.c.is(b'(') || self.c.is(b'<') {
            // A well-known symbol is a name of its own.
            let name = self.text(written);
            let def = self.b.def(name, TextRange::new(at, at), SymbolKind::Method);
            self.b.def_mut(def).flags.set(DefFlags::SYNTHETIC | DefFlags::SIGNATURE);
            self.b.open(ScopeKind::Function, at, Some(def));
            self.signature(def);
            self.b.close(self.c.last_end());
            return;
        }
        let ty = self.annotation();
        if ty.is_some() {
            let name = if is_signature { INDEX } else { self.text(written) };
            let def = self.b.def(name, TextRange::new(at, at), SymbolKind::Property);
            let d = self.b.def_mut(def);
            d.ty = ty;
            d.params = params;
            d.flags.set(DefFlags::SYNTHETIC);
        }
    }

    /// `<const T extends A = B>`: declared in the innermost scope.
    pub(super) fn type_parameters(&mut self) -> Vec<DefId> {
        self.c.eat(b'<');
        let mut params = Vec::new();
        while !self.c.is(b'>') && !self.c.is_end() && self.c.peek().kind != Kind::Close {
            let before = self.c.at;
            while matches!(self.c.peek().sub, CONST | IN | OUT)
                && self.c.peek().kind == Kind::Word
                && self.c.nth(1).kind == Kind::Word
                && self.c.nth(1).sub != EXTENDS
            {
                self.c.bump();
            }
            if self.is_name() {
                let name = self.c.bump();
                let def = self.declare(name, SymbolKind::TypeParameter);
                params.push(def);
                if self.c.is_word(EXTENDS) {
                    self.c.bump();
                    let bound = self.ty();
                    self.b.def_mut(def).ty = Some(bound);
                }
                if self.c.eat(b'=') {
                    let default = self.ty();
                    let value = self.b.expr(Expr::Type(default));
                    self.b.def_mut(def).init = Some(value);
                }
            }
            self.c.eat(b',');
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.eat(b'>');
        params
    }

    /// Type parameters, parameters and result of a callable whose scope is open.
    pub(super) fn signature(&mut self, def: DefId) {
        if self.c.is(b'<') {
            let params = self.type_parameters();
            let params = self.b.list(params);
            self.b.def_mut(def).type_params = params;
        }
        if self.c.is(b'(') {
            let params = self.parameters();
            let params = self.b.list(params);
            self.b.def_mut(def).params = params;
        }
        if self.c.is(b':') {
            let ty = self.annotation();
            self.b.def_mut(def).ty = ty;
        }
    }
}
