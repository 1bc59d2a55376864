//! The file's frame: package, imports, modifiers, type declarations, modules.

use ide_model::{SymbolKind, TextRange, Visibility};

use crate::facts::{
    DefFlags, DefId, Expr, ExprId, Import, ImportFlags, ImportKind, List, RefId, Role, ScopeKind, SuperKind,
    SuperType, TypeExpr,
};
use crate::kit::{Kind, value};

use super::Parser;
use super::lexer::words as w;

/// The modifiers and annotations before a declaration.
pub(super) struct Modifiers {
    pub(super) start: u32,
    pub(super) flags: DefFlags,
    pub(super) visibility: Option<Visibility>,
    pub(super) decorators: Vec<ExprId>,
    pub(super) doc: Option<TextRange>,
}

/// The type whose members are read.
#[derive(Clone, Copy)]
pub(super) struct Owner<'a> {
    pub(super) kind: SymbolKind,
    pub(super) name: &'a str,
}

impl<'a> Parser<'a> {
    pub(super) fn unit(&mut self) {
        // A file may hold members without a class around them.
        let owner = Owner { kind: SymbolKind::Class, name: "" };
        while !self.c.is_end() {
            let before = self.c.at;
            let token = self.c.peek();
            if token.kind == Kind::Word && token.sub == w::IMPORT {
                self.import();
            } else if token.kind == Kind::Close {
                self.c.at += 1;
            } else {
                let modifiers = self.modifiers();
                if self.c.is_word(w::PACKAGE) {
                    self.package(&modifiers);
                } else if self.at_module() {
                    self.module(modifiers);
                } else {
                    self.member_after(modifiers, owner);
                }
            }
            if self.c.at == before {
                self.c.skip();
            }
        }
    }

    fn package(&mut self, modifiers: &Modifiers) {
        self.c.at += 1;
        let (text, _) = self.qualified(Role::Package);
        self.b.set_package(&text);
        if let Some(doc) = modifiers.doc {
            self.documentation(doc);
        }
        self.want(b';');
    }

    /// `a.b.c`: the text without spaces and the references of the segments.
    pub(super) fn qualified(&mut self, role: Role) -> (String, Vec<RefId>) {
        let mut text = String::with_capacity(64);
        let mut path = Vec::with_capacity(8);
        let mut receiver = None;
        while self.at_name() {
            let token = self.c.bump();
            let (name, expr) = value::name(&mut self.b, receiver, self.c.str(token), token.range(), role);
            receiver = Some(expr);
            path.push(name);
            if !text.is_empty() {
                text.push('.');
            }
            text.push_str(self.c.str(token));
            if !self.c.is(b'.') || !Self::is_name(self.c.nth(1)) {
                break;
            }
            self.c.at += 1;
        }
        if path.is_empty() {
            self.unexpected("a name");
        }
        (text, path)
    }

    fn import(&mut self) {
        self.c.at += 1;
        let mut flags = ImportFlags::NONE;
        if self.c.eat_word(w::STATIC) {
            flags.set(ImportFlags::STATIC);
        }
        // `import module.Type;` takes from a package of that name.
        let is_module = self.c.is_word(w::MODULE) && Self::is_name(self.c.nth(1));
        self.c.at += usize::from(is_module);
        let (text, mut path) = self.qualified(Role::Import);
        let scope = self.b.scope();
        if is_module {
            self.module_import(ImportKind::Module, flags, &text, path);
            self.want(b';');
            return;
        }
        let star = self.c.is(b'.') && self.c.nth(1).is(b'*');
        if star {
            self.c.at += 2;
            let module = self.b.name(&text);
            let path = self.b.list(path);
            let (kind, level) = (ImportKind::Star, 0);
            let import = Import {
                kind,
                flags,
                scope,
                module,
                level,
                path,
                member: None,
                exported_as: None,
                def: None,
            };
            self.b.import(import);
        } else if let Some(member) = path.pop() {
            let (module, name) = text.rsplit_once('.').unwrap_or(("", &text));
            let range = self.b.facts().reference(member).range;
            let def = self.b.def(name, range, SymbolKind::Import);
            let module = self.b.name(module);
            let path = self.b.list(path);
            self.b.import(Import {
                kind: ImportKind::Member,
                flags,
                scope,
                module,
                level: 0,
                path,
                member: Some(member),
                exported_as: None,
                def: Some(def),
            });
        }
        self.want(b';');
    }

    /// An import that names a module or a package and binds no name of its own.
    fn module_import(&mut self, kind: ImportKind, flags: ImportFlags, module: &str, path: Vec<RefId>) {
        let scope = self.b.scope();
        let module = self.b.name(module);
        let path = self.b.list(path);
        let (member, exported_as, def, level) = (None, None, None, 0);
        self.b.import(Import { kind, flags, scope, module, level, path, member, exported_as, def });
    }

    /// Modifiers and annotations at the cursor, with the comment before them.
    pub(super) fn modifiers(&mut self) -> Modifiers {
        let mut m = Modifiers {
            start: self.c.peek().start,
            flags: DefFlags::NONE,
            visibility: None,
            decorators: Vec::new(),
            doc: self.c.tokens.doc_before(self.c.at),
        };
        loop {
            let token = self.c.peek();
            if token.is(b'@') && Self::is_name(self.c.nth(1)) {
                m.flags = m.flags | annotation_flags(self.c.str(self.c.nth(1)));
                m.decorators.push(self.annotation());
                continue;
            }
            if token.kind != Kind::Word {
                return m;
            }
            match token.sub {
                w::PUBLIC => m.visibility = Some(Visibility::Public),
                w::PROTECTED => m.visibility = Some(Visibility::Protected),
                w::PRIVATE => m.visibility = Some(Visibility::Private),
                // `static {`, `synchronized (` and `default:` are no modifiers, but the first is read as one.
                w::SYNCHRONIZED if self.c.nth(1).is(b'(') => return m,
                w::DEFAULT if self.c.nth(1).is(b':') || self.c.joined_at(self.c.at + 1, b"->") => return m,
                w::NON if self.c.nth(1).is(b'-') && self.c.nth(2).sub == w::SEALED => self.c.at += 2,
                w::SEALED if !self.modifier_follows() => return m,
                sub => match modifier_flag(sub) {
                    Some(flag) => m.flags.set(flag),
                    None => return m,
                },
            }
            self.c.at += 1;
        }
    }

    /// `sealed` is a modifier when a declaration or another modifier comes next.
    fn modifier_follows(&self) -> bool {
        let next = self.c.nth(1);
        next.is(b'@')
            || next.kind == Kind::Word
                && (matches!(next.sub, w::CLASS | w::INTERFACE | w::PUBLIC | w::PROTECTED | w::PRIVATE)
                    || modifier_flag(next.sub).is_some())
    }

    /// The kind of the type declaration at the cursor, if one is there.
    pub(super) fn type_declaration(&self) -> Option<SymbolKind> {
        let token = self.c.peek();
        if token.is(b'@') && self.c.nth(1).kind == Kind::Word && self.c.nth(1).sub == w::INTERFACE {
            return Some(SymbolKind::Annotation);
        }
        if token.kind != Kind::Word || !Self::is_name(self.c.nth(1)) {
            return None;
        }
        match token.sub {
            w::CLASS => Some(SymbolKind::Class),
            w::INTERFACE => Some(SymbolKind::Interface),
            w::ENUM => Some(SymbolKind::Enum),
            w::RECORD if self.c.nth(2).is(b'(') || self.c.nth(2).is(b'<') => Some(SymbolKind::Record),
            _ => None,
        }
    }

    /// A class, interface, enum, record or annotation at its keyword.
    pub(super) fn class(
        &mut self,
        modifiers: Modifiers,
        kind: SymbolKind,
        outer: Option<SymbolKind>,
    ) -> DefId {
        self.c.at += if kind == SymbolKind::Annotation { 2 } else { 1 };
        let name = self.c.bump();
        let owner = Owner { kind, name: self.str(name) };
        let shown = match kind {
            SymbolKind::Class if modifiers.flags.has(DefFlags::ABSTRACT) => SymbolKind::AbstractClass,
            other => other,
        };
        let def = self.b.def(owner.name, name.range(), shown);
        let body = self.find_body();
        self.b.open(ScopeKind::Class, self.c.token(body).start, Some(def));
        let type_params = self.type_params();
        let components = if kind == SymbolKind::Record { self.components() } else { List::EMPTY };
        let supers = self.supers(kind);
        if let Some(doc) = modifiers.doc {
            self.documentation(doc);
        }
        if self.c.is(b'{') {
            self.class_body(owner);
        } else {
            self.unexpected("`{`");
            // The opening brace is missing where the closing one has no partner.
            if let Some(close) = self.missing_brace() {
                self.members(owner, close);
                self.c.at = self.c.at.max(close + 1);
            }
        }
        let end = self.c.last_end();
        self.b.close(end);
        let mut flags = modifiers.flags;
        let in_type = matches!(outer, Some(SymbolKind::Interface | SymbolKind::Annotation));
        if outer.is_some() {
            if in_type || kind != SymbolKind::Class {
                flags.set(DefFlags::STATIC);
            } else if !flags.has(DefFlags::STATIC) {
                flags.set(DefFlags::INNER);
            }
        }
        let is_local = self.b.facts().def(def).flags.has(DefFlags::LOCAL);
        let default = if in_type { Visibility::Public } else { Visibility::Package };
        let decorators = self.b.list(modifiers.decorators);
        let range = TextRange::new(modifiers.start, end);
        let d = self.b.def_mut(def);
        d.range = range;
        d.flags = d.flags | flags;
        d.visibility = modifiers.visibility.or((!is_local).then_some(default));
        d.type_params = type_params;
        d.params = components;
        d.supers = supers;
        d.decorators = decorators;
        d.doc = modifiers.doc;
        def
    }

    /// The index of the brace that opens the body of the declaration whose head is at the cursor, or of what ends
    /// the head when there is no body.
    fn find_body(&self) -> usize {
        let mut i = self.c.at;
        loop {
            let token = self.c.token(i);
            if token.is(b'{') || token.is(b';') || matches!(token.kind, Kind::Close | Kind::End) {
                return i;
            }
            i = self.c.over(i);
        }
    }

    pub(super) fn type_params(&mut self) -> List<DefId> {
        if !self.c.eat(b'<') {
            return List::EMPTY;
        }
        let mut all = Vec::new();
        while !self.c.is(b'>') && !self.c.is_end() {
            let start = self.c.peek().start;
            let decorators = self.annotations();
            if !self.at_name() {
                self.unexpected("a type parameter");
                break;
            }
            let name = self.c.bump();
            let def = self.b.def(self.c.str(name), name.range(), SymbolKind::TypeParameter);
            let bound = self.c.eat_word(w::EXTENDS).then(|| self.joined_types(b'&'));
            let decorators = self.b.list(decorators);
            let range = self.c.since(start);
            let d = self.b.def_mut(def);
            d.ty = bound;
            d.decorators = decorators;
            d.range = range;
            all.push(def);
            if !self.c.eat(b',') {
                break;
            }
        }
        self.want(b'>');
        self.b.list(all)
    }

    fn supers(&mut self, kind: SymbolKind) -> List<SuperType> {
        let mut all: Vec<SuperType> = Vec::new();
        loop {
            let (role, edge) = if self.c.eat_word(w::EXTENDS) {
                (Role::Extends, SuperKind::Extends)
            } else if self.c.eat_word(w::IMPLEMENTS) {
                (Role::Implements, SuperKind::Implements)
            } else if kind != SymbolKind::Annotation && self.c.eat_word(w::PERMITS) {
                (Role::Type, SuperKind::Other)
            } else {
                return self.b.list(all);
            };
            loop {
                let ty = self.ty(role);
                all.push(SuperType { kind: edge, ty });
                if !self.c.eat(b',') {
                    break;
                }
            }
        }
    }

    /// The members between the braces at the cursor.
    pub(super) fn class_body(&mut self, owner: Owner<'a>) {
        let open = self.c.at;
        if !self.c.deeper() {
            self.c.skip();
            return;
        }
        self.c.at += 1;
        let flow = std::mem::take(&mut self.flow);
        self.members(owner, self.c.group_end(open));
        self.flow = flow;
        self.leave_group(open);
        self.c.shallower();
    }

    fn members(&mut self, owner: Owner<'a>, end: usize) {
        if owner.kind == SymbolKind::Enum {
            self.enum_constants(end);
        }
        while self.c.at < end {
            let before = self.c.at;
            let modifiers = self.modifiers();
            self.member_after(modifiers, owner);
            if self.c.at == before {
                self.c.skip();
            }
        }
    }

    fn enum_constants(&mut self, end: usize) {
        while self.c.at < end && !self.c.eat(b';') {
            let modifiers = self.modifiers();
            if !self.at_name() {
                if !self.c.eat(b',') && !self.c.is(b';') {
                    return;
                }
                continue;
            }
            self.enum_constant(modifiers);
            if !self.c.eat(b',') && !self.c.is(b';') {
                if self.c.at < end {
                    self.unexpected("`,` or `;`");
                }
                return;
            }
        }
    }

    fn enum_constant(&mut self, modifiers: Modifiers) {
        let name = self.c.bump();
        let def = self.b.def(self.c.str(name), name.range(), SymbolKind::EnumCase);
        if let Some(doc) = modifiers.doc {
            self.documentation(doc);
        }
        let ty = self.b.ty(TypeExpr::This);
        let pending = self.pending.mark();
        let args = if self.c.is(b'(') { self.arguments() } else { List::EMPTY };
        let new = self.b.expr(Expr::New { ty, args });
        self.pending.settle_arguments(&mut self.b, pending, new);
        if self.c.is(b'{') {
            let edge = SuperType { kind: SuperKind::Extends, ty };
            self.anonymous_class(new, edge);
        }
        let range = self.c.since(modifiers.start);
        let decorators = self.b.list(modifiers.decorators);
        let d = self.b.def_mut(def);
        d.ty = Some(ty);
        d.init = Some(new);
        d.range = range;
        d.flags = d.flags | modifiers.flags | DefFlags::STATIC | DefFlags::FINAL;
        d.visibility = Some(Visibility::Public);
        d.decorators = decorators;
        d.doc = modifiers.doc;
    }

    fn at_module(&self) -> bool {
        let open = usize::from(self.c.is_word(w::OPEN));
        let (module, name, next) = (self.c.nth(open), self.c.nth(open + 1), self.c.nth(open + 2));
        module.kind == Kind::Word
            && module.sub == w::MODULE
            && Self::is_name(name)
            && (next.is(b'.') || next.is(b'{'))
    }

    fn module(&mut self, modifiers: Modifiers) {
        self.c.eat_word(w::OPEN);
        self.c.at += 1;
        let start = self.c.peek().start;
        let mut name = String::new();
        while self.at_name() || self.c.is(b'.') {
            let token = self.c.bump();
            name.push_str(self.c.str(token));
        }
        let def = self.b.def(&name, self.c.since(start), SymbolKind::Module);
        let open = self.c.at;
        if !self.c.is(b'{') {
            self.unexpected("`{`");
            return;
        }
        self.b.open(ScopeKind::Module, self.c.peek().start, Some(def));
        if let Some(doc) = modifiers.doc {
            self.documentation(doc);
        }
        self.c.at += 1;
        while self.c.at < self.c.group_end(open) {
            self.directive();
        }
        self.leave_group(open);
        self.b.close(self.c.last_end());
        let range = self.c.since(modifiers.start);
        let decorators = self.b.list(modifiers.decorators);
        let d = self.b.def_mut(def);
        d.range = range;
        d.decorators = decorators;
        d.doc = modifiers.doc;
    }

    /// One line of a module: `requires`, `exports`, `opens`, `uses`, `provides`.
    fn directive(&mut self) {
        let word = self.c.bump();
        match word.sub {
            w::REQUIRES => {
                let mut flags = ImportFlags::NONE;
                while self.c.is_word(w::STATIC) || self.c.is_word(w::TRANSITIVE) && !self.c.nth(1).is(b';') {
                    if self.c.is_word(w::TRANSITIVE) {
                        flags.set(ImportFlags::EXPORTED);
                    }
                    self.c.at += 1;
                }
                let (text, path) = self.qualified(Role::Import);
                self.module_import(ImportKind::SideEffect, flags, &text, path);
            }
            w::EXPORTS | w::OPENS => {
                let (text, path) = self.qualified(Role::Package);
                if word.sub == w::EXPORTS {
                    self.module_import(ImportKind::ReExportStar, ImportFlags::NONE, &text, path);
                }
                if self.c.eat_word(w::TO) {
                    self.directive_list(Role::Import);
                }
            }
            w::USES => {
                self.ty(Role::Type);
            }
            w::PROVIDES => {
                self.ty(Role::Type);
                if self.c.eat_word(w::WITH) {
                    self.directive_list(Role::Type);
                }
            }
            _ => {
                while !self.c.is(b';') && !self.c.is_end() && self.c.peek().kind != Kind::Close {
                    self.c.skip();
                }
            }
        }
        self.want(b';');
    }

    fn directive_list(&mut self, role: Role) {
        loop {
            if role == Role::Type {
                self.ty(role);
            } else {
                self.qualified(role);
            }
            if !self.c.eat(b',') {
                return;
            }
        }
    }
}

fn modifier_flag(word: u8) -> Option<DefFlags> {
    Some(match word {
        w::ABSTRACT => DefFlags::ABSTRACT,
        w::FINAL => DefFlags::FINAL,
        w::NATIVE => DefFlags::NATIVE,
        w::STATIC => DefFlags::STATIC,
        w::STRICTFP => DefFlags::NONE,
        w::SYNCHRONIZED => DefFlags::SYNCHRONIZED,
        w::TRANSIENT => DefFlags::TRANSIENT,
        w::VOLATILE => DefFlags::VOLATILE,
        w::DEFAULT => DefFlags::DEFAULT,
        w::SEALED => DefFlags::SEALED,
        _ => return None,
    })
}

/// The flags that a well-known annotation gives to a declaration.
fn annotation_flags(name: &str) -> DefFlags {
    match name {
        "Override" => DefFlags::OVERRIDE,
        "Deprecated" => DefFlags::DEPRECATED,
        "Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory" | "TestTemplate" => DefFlags::TEST,
        "Generated" => DefFlags::GENERATED,
        "FunctionalInterface" => DefFlags::FUN_INTERFACE,
        _ => DefFlags::NONE,
    }
}
