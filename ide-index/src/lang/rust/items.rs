//! Items: functions, types, traits, implementations, modules, constants, macros.

use ide_model::{SymbolKind, TextRange, Visibility};

use super::attributes::Attributes;
use super::front::Parser;
use super::lexer::{
    ASYNC, CONST, CRATE, ENUM, EXTERN, FN, FOR, IMPL, IN, MOD, MUT, PUB, SELF, SELF_TYPE, STATIC, STRING,
    STRUCT, SUPER, TRAIT, TYPE, UNSAFE, USE,
};
use crate::facts::{DefFlags, DefId, Expr, Role, ScopeKind, SuperKind, SuperType, TypeExpr};
use crate::guard;
use crate::kit::{Kind, Token};

impl Parser<'_> {
    /// Items until token `end`, in the innermost scope.
    pub(super) fn items(&mut self, end: usize) {
        while self.c.at < end {
            let before = self.c.at;
            if !self.c.eat(b';') && !self.item() {
                self.b.error(self.c.peek().range(), "expected an item");
                self.c.skip();
                self.resume(end);
            }
            if self.c.at == before {
                self.c.skip();
            }
        }
    }

    /// After an error: to the next line that begins an item.
    fn resume(&mut self, end: usize) {
        while self.c.at < end && !(self.c.peek().after_newline && self.begins_item()) {
            self.c.skip();
        }
    }

    /// Whether the next token can only begin an item (or an attribute before one, or a macro call).
    fn begins_item(&self) -> bool {
        let token = self.c.peek();
        token.is(b'#') || self.is_item_at(self.c.at)
    }

    /// An item, not an expression or a local variable, begins at a token behind its attributes.
    pub(super) fn is_item_at(&self, at: usize) -> bool {
        let token = self.c.token(at);
        let next = self.c.token(at + 1);
        let is_word = |index: usize, words: &[u8]| {
            let token = self.c.token(index);
            token.kind == Kind::Word && words.contains(&token.sub)
        };
        let named = |index: usize| self.is_name_at(index);
        if token.kind != Kind::Word {
            return false;
        }
        match token.sub {
            PUB | STRUCT | ENUM | TRAIT | MOD | TYPE | USE | IMPL => true,
            FN => named(at + 1),
            EXTERN => true,
            CONST => {
                is_word(at + 1, &[FN, UNSAFE, ASYNC, EXTERN, MUT])
                    || named(at + 1) && self.c.token(at + 2).is(b':')
            }
            STATIC => !next.is(b'|') && !is_word(at + 1, &[super::lexer::MOVE]),
            UNSAFE => is_word(at + 1, &[FN, IMPL, TRAIT, EXTERN, MOD]) || self.is_soft_item(at + 1),
            ASYNC => is_word(at + 1, &[FN]) || is_word(at + 1, &[UNSAFE]) && is_word(at + 2, &[FN]),
            0 => self.is_soft_item(at),
            _ => false,
        }
    }

    /// `union U`, `auto trait T`, `macro_rules! m`, `macro m`, `safe fn f`, `default fn f`.
    fn is_soft_item(&self, at: usize) -> bool {
        let next = self.c.token(at + 1);
        if !self.is_name_at(at) {
            return false;
        }
        match self.text(self.c.token(at)) {
            "union" => self.is_name_at(at + 1) && !next.after_newline,
            "macro_rules" => next.is(b'!') && self.c.token(at + 2).kind == Kind::Word,
            "macro" => self.is_name_at(at + 1),
            "auto" => self.is_word_at(at + 1, TRAIT),
            "safe" => self.is_word_at(at + 1, FN) || self.is_word_at(at + 1, STATIC),
            "default" => {
                next.kind == Kind::Word && matches!(next.sub, FN | IMPL | CONST | TYPE | ASYNC | UNSAFE)
            }
            _ => false,
        }
    }

    /// One item with its attributes. False, with nothing read but attributes, when there is none.
    pub(super) fn item(&mut self) -> bool {
        let (start, from) = (self.c.at, self.c.peek().start);
        let mut attributes = self.attributes();
        let conditions = std::mem::take(&mut attributes.conditions);
        let is_item = guard::deeper(|| self.item_with(start, attributes)).unwrap_or(false);
        self.under(conditions, from);
        is_item
    }

    /// An item whose attributes were read.
    pub(super) fn item_with(&mut self, start: usize, attributes: Attributes<'_>) -> bool {
        if self.c.at > start && (self.c.is_end() || self.c.peek().kind == Kind::Close) {
            return true;
        }
        let visibility = self.visibility();
        let mut flags = DefFlags::NONE;
        loop {
            let token = self.c.peek();
            if self.c.is_joined(b"::") && !self.b.is_local(self.b.scope()) {
                return self.item_macro();
            }
            if token.kind != Kind::Word {
                return self.c.at > start && token.kind == Kind::Open && visibility.is_none();
            }
            match token.sub {
                CONST if self.is_const_item() => {
                    self.constant(start, visibility, attributes, flags);
                    return true;
                }
                CONST => flags.set(DefFlags::CONST),
                ASYNC => flags.set(DefFlags::ASYNC),
                UNSAFE => flags.set(DefFlags::UNSAFE),
                EXTERN if self.is_word_at(self.c.at + 1, CRATE) => {
                    self.c.at += 2;
                    self.extern_crate(visibility.unwrap_or(Visibility::Private), &attributes, start);
                    return true;
                }
                EXTERN => {
                    self.c.bump();
                    if self.is_text(STRING) {
                        self.c.bump();
                    }
                    if self.c.is(b'{') {
                        self.group(|p, end| p.items(end));
                        return true;
                    }
                    flags.set(DefFlags::NATIVE);
                    continue;
                }
                0 if matches!(self.text(token), "default" | "auto" | "safe")
                    && self.is_soft_item(self.c.at) => {}
                _ => break,
            }
            self.c.bump();
        }
        self.item_body(start, visibility, attributes, flags)
    }

    fn is_const_item(&self) -> bool {
        let next = self.c.nth(1);
        let is_modifier =
            next.kind == Kind::Word && matches!(next.sub, FN | UNSAFE | ASYNC | EXTERN | IMPL | TRAIT);
        !(is_modifier || next.is(b'{') || next.is(b'|'))
    }

    fn item_body(
        &mut self,
        start: usize,
        visibility: Option<Visibility>,
        attributes: Attributes<'_>,
        flags: DefFlags,
    ) -> bool {
        let token = self.c.peek();
        match token.sub {
            FN if self.is_name_at(self.c.at + 1) => self.function(start, visibility, attributes, flags),
            STATIC => self.constant(start, visibility, attributes, flags),
            STRUCT => self.structure(start, visibility, attributes, SymbolKind::Struct),
            ENUM => self.enumeration(start, visibility, attributes),
            TRAIT => self.trait_item(start, visibility, attributes, flags),
            IMPL => self.implementation(start, attributes, flags),
            TYPE => self.type_alias(start, visibility, attributes),
            MOD => self.module(start, visibility, attributes),
            USE => {
                self.c.bump();
                self.use_declaration(visibility.unwrap_or(Visibility::Private), &attributes, start);
            }
            0 => match self.text(token) {
                "union" if self.is_soft_item(self.c.at) => {
                    self.structure(start, visibility, attributes, SymbolKind::Union);
                }
                "macro_rules" | "macro" if self.is_soft_item(self.c.at) => {
                    self.macro_definition(start, visibility, attributes);
                }
                _ => return self.item_macro(),
            },
            SELF | CRATE | SUPER => return self.item_macro(),
            _ => return false,
        }
        true
    }

    /// `pub`, `pub(crate)`, `pub(in path)`.
    pub(super) fn visibility(&mut self) -> Option<Visibility> {
        self.seen_above = false;
        if !self.c.eat_word(PUB) {
            return None;
        }
        let next = self.c.nth(1);
        self.seen_above = self.c.is(b'(') && self.is_word_at(self.c.at + 1, SUPER);
        let restricted =
            self.c.is(b'(') && next.kind == Kind::Word && matches!(next.sub, CRATE | SUPER | SELF | IN);
        if !restricted {
            return Some(Visibility::Public);
        }
        self.group(|p, end| {
            p.c.eat_word(IN);
            p.path(super::types::Place::Type, Role::Type);
            p.c.at = end;
        });
        Some(if next.sub == SELF { Visibility::Private } else { Visibility::Internal })
    }

    /// Declares an item by its name token; the visibility is what was written.
    pub(super) fn declare(
        &mut self,
        name: Token,
        kind: SymbolKind,
        start: usize,
        visibility: Option<Visibility>,
        attributes: Attributes<'_>,
    ) -> DefId {
        let text = self.text(name);
        let def = self.b.def(if text == "_" { "" } else { text }, name.range(), kind);
        let doc = self.doc_before(start);
        self.apply(def, attributes);
        let d = self.b.def_mut(def);
        d.doc = doc;
        d.visibility = Some(visibility.unwrap_or(Visibility::Private));
        if visibility.is_some() {
            d.flags.set(DefFlags::EXPORTED);
        }
        if text == "_" {
            d.flags.set(DefFlags::ANONYMOUS);
        }
        if visibility == Some(Visibility::Internal) && self.seen_above {
            d.flags.set(super::SEEN_ABOVE);
        }
        def
    }

    pub(super) fn in_class(&self) -> bool {
        self.b.facts().scope(self.b.scope()).kind == ScopeKind::Class
    }

    fn function(
        &mut self,
        start: usize,
        visibility: Option<Visibility>,
        attributes: Attributes<'_>,
        flags: DefFlags,
    ) {
        self.c.bump();
        let name = self.c.bump();
        let kind = if self.in_class() { SymbolKind::Method } else { SymbolKind::Function };
        let def = self.declare(name, kind, start, visibility, attributes);
        let d = self.b.def_mut(def);
        d.flags = d.flags | flags;
        if kind == SymbolKind::Method {
            d.flags.set(DefFlags::STATIC);
        }
        self.b.open(ScopeKind::Function, name.end, Some(def));
        self.type_parameters(def);
        self.parameters(def);
        if self.c.eat_joined(b"->") {
            let ty = self.ty();
            self.b.def_mut(def).ty = Some(ty);
        } else {
            let unit = self.unit_type();
            self.b.def_mut(def).ty = Some(unit);
        }
        self.where_clause(def);
        if self.c.is(b'{') {
            self.function_body(def);
        } else {
            self.b.def_mut(def).flags.set(DefFlags::SIGNATURE);
            self.c.eat(b';');
        }
        self.b.close(self.c.last_end());
        self.finish_range(def, start);
    }

    fn parameters(&mut self, def: DefId) {
        let mut params = Vec::new();
        self.group(|p, end| {
            let attributes = p.attributes();
            if p.self_parameter(def) {
            } else if p.c.is_joined(b"...") {
                p.c.at += 3;
            } else if p.c.at < end {
                let parameter = p.parameter(end);
                p.apply(parameter, attributes);
                params.push(parameter);
            }
            p.c.eat(b',');
        });
        let params = self.b.list(params);
        self.b.def_mut(def).params = params;
    }

    /// `self`, `&'a mut self`, `mut self: Box<Self>`.
    fn self_parameter(&mut self, def: DefId) -> bool {
        let mut at = self.c.at;
        if self.c.token(at).is(b'&') {
            at += 1;
            if self.c.token(at).kind == Kind::Text {
                at += 1;
            }
        }
        let is_mut = self.is_word_at(at, MUT);
        let is_lent_to_change = is_mut && at > self.c.at;
        at += usize::from(is_mut);
        if !self.is_word_at(at, SELF) || self.c.joined_at(at + 1, b"::") {
            return false;
        }
        while self.c.at < at {
            if self.c.peek().kind == Kind::Text {
                self.lifetime(Role::Type);
            } else {
                self.c.bump();
            }
        }
        self.c.bump();
        let d = self.b.def_mut(def);
        d.flags = DefFlags(d.flags.0 & !DefFlags::STATIC.0);
        if is_lent_to_change {
            d.flags.set(DefFlags::MUT);
        }
        if self.c.eat(b':') {
            let token = self.c.peek();
            if token.kind == Kind::Word && token.sub != SELF_TYPE {
                self.b.def_mut(def).flags.set(super::BEHIND_POINTER);
            }
            self.ty();
        }
        true
    }

    /// `name: Type` or `pattern: Type`; the latter is a parameter without a name of its own.
    pub(super) fn parameter(&mut self, end: usize) -> DefId {
        let start = self.c.at;
        let by_value = usize::from(self.is_word_at(self.c.at, MUT));
        let named = self.is_name_at(start + by_value) && {
            let next = self.c.token(start + by_value + 1);
            let is_path = self.c.joined_at(start + by_value + 1, b"::");
            (next.is(b':') && !is_path) || next.is(b',') || next.is(b'|') || start + by_value + 1 >= end
        };
        let (def, value) = if named {
            self.c.at = start + by_value;
            let name = self.c.bump();
            let text = self.text(name);
            let def = self.b.def(if text == "_" { "" } else { text }, name.range(), SymbolKind::Parameter);
            if text == "_" {
                self.b.def_mut(def).flags.set(DefFlags::ANONYMOUS);
            }
            if by_value == 1 {
                self.b.def_mut(def).flags.set(DefFlags::MUT);
            }
            (def, None)
        } else {
            let def = self.anonymous(SymbolKind::Parameter);
            (def, Some(self.b.expr(Expr::Value(def))))
        };
        if let Some(value) = value {
            let from = self.c.peek().start;
            self.parameter_pattern(value, from);
        }
        if self.c.is(b':') && !self.c.is_joined(b"::") {
            self.c.bump();
            let ty = self.ty();
            self.b.def_mut(def).ty = Some(ty);
        }
        self.finish_range(def, start);
        def
    }

    fn constant(
        &mut self,
        start: usize,
        visibility: Option<Visibility>,
        attributes: Attributes<'_>,
        flags: DefFlags,
    ) {
        let is_static = self.c.is_word(STATIC);
        self.c.bump();
        let is_mut = self.c.eat_word(MUT);
        // `static ref` of a well-known macro.
        if self.c.is_word(super::lexer::REF) {
            self.c.bump();
        }
        if self.c.peek().kind != Kind::Word {
            return;
        }
        let name = self.c.bump();
        let def = self.declare(name, SymbolKind::Constant, start, visibility, attributes);
        let is_thread_local = self.is_thread_local;
        let d = self.b.def_mut(def);
        d.flags = d.flags | flags;
        if is_static {
            d.flags.set(DefFlags::STATIC);
        }
        if is_static && is_thread_local {
            d.flags.set(super::THREAD_LOCAL);
        }
        if is_mut {
            d.flags.set(DefFlags::MUT);
        }
        if self.c.is(b'<') {
            self.type_parameters(def);
        }
        if self.c.eat(b':') {
            let ty = self.ty();
            self.b.def_mut(def).ty = Some(ty);
        } else if self.macros > 0 && self.in_class() {
            // One flag of a set.
            let ty = self.self_type();
            self.b.def_mut(def).ty = Some(ty);
        }
        if self.c.eat(b'=') {
            self.b.open(ScopeKind::Block, self.c.peek().start, None);
            let value = self.expr();
            self.b.close(self.c.last_end());
            self.b.def_mut(def).init = Some(value);
        }
        self.where_clause(def);
        self.c.eat(b';');
        self.finish_range(def, start);
    }

    fn structure(
        &mut self,
        start: usize,
        visibility: Option<Visibility>,
        mut attributes: Attributes<'_>,
        kind: SymbolKind,
    ) {
        self.c.bump();
        if !self.is_name() {
            return;
        }
        let name = self.c.bump();
        let derived = std::mem::take(&mut attributes.derived);
        let def = self.declare(name, kind, start, visibility, attributes);
        let supers = self.b.list(derived);
        self.b.def_mut(def).supers = supers;
        self.b.open(ScopeKind::Class, name.end, Some(def));
        self.type_parameters(def);
        self.where_clause(def);
        if self.flags_of() {
            self.group(|p, end| p.items(end));
        }
        self.fields();
        self.where_clause(def);
        self.c.eat(b';');
        self.b.close(self.c.last_end());
        self.finish_range(def, start);
    }

    /// In a macro, `: u32` before the constants of a set of flags.
    fn flags_of(&mut self) -> bool {
        let has = self.macros > 0 && self.c.eat(b':');
        if has {
            self.ty();
        }
        has
    }

    /// The fields of a struct, union or variant, in the scope that is open.
    fn fields(&mut self) {
        if self.c.is(b'{') {
            self.group(|p, _| {
                p.field();
                p.c.eat(b',');
            });
            return;
        }
        if !self.c.is(b'(') {
            return;
        }
        let mut index = 0u32;
        self.group(|p, end| {
            let attributes = p.attributes();
            let visibility = p.visibility();
            let at = p.c.peek().start;
            if p.c.at < end {
                let def = p.b.def(&index.to_string(), TextRange::new(at, at), SymbolKind::Field);
                let ty = p.ty();
                let range = p.c.since(at);
                p.apply(def, attributes);
                let d = p.b.def_mut(def);
                d.ty = Some(ty);
                d.range = range;
                d.flags.set(DefFlags::SYNTHETIC);
                d.visibility = Some(visibility.unwrap_or(Visibility::Private));
                index += 1;
            }
            p.c.eat(b',');
        });
    }

    fn field(&mut self) {
        let (mut start, from) = (self.c.at, self.c.peek().start);
        let mut attributes = self.attributes();
        let conditions = std::mem::take(&mut attributes.conditions);
        // In a macro, `path::to::Tag => field: Type`.
        if self.macros > 0 && self.c.joined_at(self.c.at + 1, b"::") {
            let path = self.path(super::types::Place::Value, Role::Read);
            if let Some(last) = path.last {
                self.b.expr(Expr::Ref(last));
            }
            if !self.c.eat_joined(b"=>") {
                return;
            }
            start = self.c.at;
            attributes = self.attributes();
        }
        let visibility = self.visibility();
        if self.c.peek().kind != Kind::Word {
            return;
        }
        let name = self.c.bump();
        let def = self.declare(name, SymbolKind::Field, start, visibility, attributes);
        if self.c.eat(b':') {
            let ty = self.ty();
            self.b.def_mut(def).ty = Some(ty);
        }
        if self.c.eat(b'=') {
            let value = self.expr();
            self.b.def_mut(def).init = Some(value);
        }
        self.finish_range(def, start);
        self.under(conditions, from);
    }

    fn enumeration(&mut self, start: usize, visibility: Option<Visibility>, mut attributes: Attributes<'_>) {
        self.c.bump();
        if !self.is_name() {
            return;
        }
        let name = self.c.bump();
        let derived = std::mem::take(&mut attributes.derived);
        let def = self.declare(name, SymbolKind::Enum, start, visibility, attributes);
        let supers = self.b.list(derived);
        self.b.def_mut(def).supers = supers;
        self.b.open(ScopeKind::Class, name.end, Some(def));
        self.type_parameters(def);
        self.where_clause(def);
        self.group(|p, _| {
            p.variant(visibility);
            p.c.eat(b',');
        });
        self.b.close(self.c.last_end());
        self.finish_range(def, start);
    }

    fn variant(&mut self, visibility: Option<Visibility>) {
        let (start, from) = (self.c.at, self.c.peek().start);
        let mut attributes = self.attributes();
        let conditions = std::mem::take(&mut attributes.conditions);
        self.visibility();
        if !self.is_name() {
            return;
        }
        let name = self.c.bump();
        let def = self.declare(name, SymbolKind::EnumCase, start, None, attributes);
        self.b.def_mut(def).visibility = Some(visibility.unwrap_or(Visibility::Private));
        self.b.open(ScopeKind::Class, name.end, Some(def));
        self.fields();
        self.b.close(self.c.last_end());
        if self.c.eat(b'=') {
            let value = self.expr();
            self.b.def_mut(def).init = Some(value);
        }
        self.finish_range(def, start);
        self.under(conditions, from);
    }

    fn trait_item(
        &mut self,
        start: usize,
        visibility: Option<Visibility>,
        attributes: Attributes<'_>,
        flags: DefFlags,
    ) {
        self.c.bump();
        if !self.is_name() {
            return;
        }
        let name = self.c.bump();
        let def = self.declare(name, SymbolKind::Trait, start, visibility, attributes);
        let d = self.b.def_mut(def);
        d.flags = d.flags | flags;
        self.b.open(ScopeKind::Class, name.end, Some(def));
        self.type_parameters(def);
        if self.c.eat(b':') {
            let bounds = self.bounds(Role::Extends);
            let supers = self.b.list(bounds.into_iter().map(|ty| SuperType { kind: SuperKind::Extends, ty }));
            self.b.def_mut(def).supers = supers;
        }
        if self.c.is(b'=') {
            // A trait alias.
            self.c.bump();
            let bounds = self.bounds(Role::Extends);
            let supers = self.b.list(bounds.into_iter().map(|ty| SuperType { kind: SuperKind::Extends, ty }));
            self.b.def_mut(def).supers = supers;
        }
        self.where_clause(def);
        self.group(|p, end| p.items(end));
        self.c.eat(b';');
        self.b.close(self.c.last_end());
        self.finish_range(def, start);
    }

    fn implementation(&mut self, start: usize, attributes: Attributes<'_>, flags: DefFlags) {
        let keyword = self.c.bump();
        let first = self.c.token(start).start;
        let first = if flags.has(DefFlags::UNSAFE) { first } else { keyword.start };
        let at = TextRange::new(first, first);
        let def = self.b.def("", at, SymbolKind::Impl);
        self.apply(def, attributes);
        let d = self.b.def_mut(def);
        d.flags = d.flags | flags | DefFlags::ANONYMOUS;
        self.b.open(ScopeKind::Class, keyword.end, Some(def));
        if self.c.is(b'<') && !self.c.is_joined(b"<<") && self.opens_parameters() {
            self.type_parameters(def);
        }
        self.c.eat_word(CONST);
        let is_negative = self.c.eat(b'!');
        let names_trait = self.names_trait();
        let first = self.ty_with(if names_trait { Role::Implements } else { Role::Type });
        if self.c.eat_word(FOR) {
            if !is_negative {
                let supers = self.b.list([SuperType { kind: SuperKind::Implements, ty: first }]);
                self.b.def_mut(def).supers = supers;
            }
            let ty = self.ty();
            self.b.def_mut(def).ty = Some(ty);
        } else {
            self.b.def_mut(def).ty = Some(first);
            self.flags_of();
        }
        self.where_clause(def);
        self.group(|p, end| p.items(end));
        self.c.eat(b';');
        self.b.close(self.c.last_end());
        self.finish_range(def, start);
    }

    /// `impl<T> …` declares, `impl <T as Trait>::Out {` does not.
    fn opens_parameters(&self) -> bool {
        let first = self.c.nth(1);
        first.is(b'>')
            || first.is(b'#')
            || first.kind == Kind::Text
            || self.is_word_at(self.c.at + 1, CONST)
            || self.is_name_at(self.c.at + 1) && {
                let second = self.c.nth(2);
                second.is(b'>')
                    || second.is(b',')
                    || second.is(b'=')
                    || second.is(b':') && !self.c.joined_at(self.c.at + 2, b"::")
            }
    }

    /// `for` comes before the body of the implementation.
    fn names_trait(&self) -> bool {
        let mut i = self.c.at;
        loop {
            let token = self.c.token(i);
            if token.is(b'{') || token.is(b';') || matches!(token.kind, Kind::End | Kind::Close) {
                return false;
            }
            if token.kind == Kind::Word && token.sub == FOR && !self.c.token(i + 1).is(b'<') {
                return true;
            }
            if token.kind == Kind::Word && token.sub == super::lexer::WHERE {
                return false;
            }
            i = self.c.over(i).max(i + 1);
        }
    }

    fn type_alias(&mut self, start: usize, visibility: Option<Visibility>, attributes: Attributes<'_>) {
        self.c.bump();
        if !self.is_name() {
            return;
        }
        let name = self.c.bump();
        let def = self.declare(name, SymbolKind::TypeAlias, start, visibility, attributes);
        self.b.open(ScopeKind::Class, name.end, Some(def));
        self.type_parameters(def);
        if self.c.eat(b':') {
            let bounds = self.bounds(Role::Type);
            let bounds = self.b.list(bounds);
            let ty = self.b.ty(TypeExpr::Bounds(bounds));
            self.b.def_mut(def).ty = Some(ty);
        }
        self.where_clause(def);
        if self.c.eat(b'=') {
            let ty = self.ty();
            self.b.def_mut(def).ty = Some(ty);
        }
        self.where_clause(def);
        self.c.eat(b';');
        self.b.close(self.c.last_end());
        self.finish_range(def, start);
    }

    fn module(&mut self, start: usize, visibility: Option<Visibility>, attributes: Attributes<'_>) {
        self.c.bump();
        if self.c.peek().kind != Kind::Word {
            return;
        }
        let name = self.c.bump();
        let path = attributes.file();
        let def = self.declare(name, SymbolKind::Module, start, visibility, attributes);
        if let Some(path) = path {
            let path = self.b.name(path);
            let path = self.b.expr(Expr::Text(path));
            self.b.def_mut(def).init = Some(path);
        }
        if self.c.is(b'{') {
            self.b.open(ScopeKind::Module, name.end, Some(def));
            self.group(|p, end| p.items(end));
            self.b.close(self.c.last_end());
        } else {
            self.c.eat(b';');
        }
        self.finish_range(def, start);
    }

    /// The standard library writes the methods of all integers once, in rules that begin with `(Self = $SelfT:ty,`: they are
    /// members of the macro.
    fn methods_of_integers(&mut self, def: DefId, body: usize) {
        const HEAD: [&str; 5] = ["Self", "=", "$", "SelfT", ":"];
        let (whole, matcher) = (body, body + 1);
        let is_head = (matcher + 1..).zip(HEAD).all(|(at, word)| self.text(self.c.token(at)) == word);
        if !is_head || !self.c.is_closed(whole) || !self.c.is_closed(matcher) {
            return;
        }
        // Behind `=>`.
        self.c.at = self.c.group_end(matcher) + 3;
        self.b.open(ScopeKind::Class, self.c.peek().start, Some(def));
        self.group(|p, end| p.items(end));
        self.b.close(self.c.last_end());
        self.c.at = body;
    }

    /// `macro_rules! name { … }`, `macro name(…) { … }`.
    fn macro_definition(&mut self, start: usize, visibility: Option<Visibility>, attributes: Attributes<'_>) {
        self.c.bump();
        let is_old = self.c.eat(b'!');
        let name = self.c.bump();
        let exported = attributes.flags.has(DefFlags::EXPORTED);
        let def = self.declare(name, SymbolKind::Macro, start, visibility, attributes);
        if exported {
            self.b.def_mut(def).visibility = Some(Visibility::Public);
        }
        let body = self.c.at;
        self.keep_rules(self.c.str(name), body);
        self.methods_of_integers(def, body);
        // `macro` has its parameters first.
        let groups =
            if self.c.is(b'(') && self.c.token(self.c.over(body)).is(b'{') && !is_old { 2 } else { 1 };
        for _ in 0..groups {
            if self.c.peek().kind == Kind::Open {
                self.c.skip();
            }
        }
        let made = self.made_by_rules(body);
        if !made.is_empty() {
            self.makers.insert(self.text(name), made);
        }
        if self.takes_apart(body) {
            let of = self.b.expr(Expr::Unknown);
            let value = self.b.expr(Expr::Try(of));
            self.b.def_mut(def).init = Some(value);
        }
        self.own_paths(body);
        // The meaning of other words is known where the macro is used; their presence is recorded.
        for at in body..self.c.at {
            let token = self.c.token(at);
            if token.kind == Kind::Word {
                self.b.name(self.text(token));
            }
        }
        self.c.eat(b';');
        self.finish_range(def, start);
    }
}
