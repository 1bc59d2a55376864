//! The file's frame, modifiers, functions, properties, type aliases.

use ide_model::{SymbolKind, TextRange, Visibility};

use crate::facts::{
    DefFlags, DefId, Expectation, Export, Expr, ExprId, Import, ImportFlags, ImportKind, List, RefId, Role,
    ScopeKind, TypeExpr, TypeId,
};
use crate::guard;
use crate::kit::{Kind, Token, value};

use super::lexer::words as w;
use super::{Function, Parser};

/// The modifiers and annotations before a declaration.
#[derive(Clone, Default)]
pub(super) struct Modifiers {
    pub(super) start: u32,
    pub(super) flags: DefFlags,
    pub(super) visibility: Option<Visibility>,
    pub(super) is_enum: bool,
    pub(super) is_annotation: bool,
    pub(super) decorators: Vec<ExprId>,
    pub(super) doc: Option<TextRange>,
    /// The parenthesis behind `context` of a function or property.
    pub(super) context: Option<usize>,
}

/// The place of a declaration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    File,
    /// In an interface, where members without a body are abstract.
    Interface,
    Class,
    Block,
}

impl Parser<'_> {
    /// The whole file; a script holds statements.
    pub(super) fn unit(&mut self, is_script: bool) {
        self.file_annotations();
        while !self.c.is_end() {
            let before = self.c.at;
            let token = self.c.peek();
            if self.c.is_word(w::PACKAGE) {
                self.package();
            } else if self.c.is_word(w::IMPORT) && Self::is_name(self.c.nth(1)) {
                self.import();
            } else if token.kind == Kind::Close || token.is(b';') {
                self.c.at += 1;
            } else if !self.declaration(Place::File) {
                if !is_script {
                    self.unexpected("a declaration");
                }
                self.statement();
            }
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.end_proofs(0);
    }

    fn file_annotations(&mut self) {
        let is_of_file = |of: &Self, at: usize| {
            of.c.token(at).is(b'@') && of.str(of.c.token(at + 1)) == "file" && of.c.token(at + 2).is(b':')
        };
        let mut at = self.c.at;
        while is_of_file(self, at) {
            at += 3;
            while self.c.token(at + 1).is(b'.') {
                at += 2;
            }
            let (name, args, text) = (self.c.token(at), self.c.token(at + 1), self.c.token(at + 2));
            if self.str(name) == "JvmName" && args.is(b'(') && text.kind == Kind::Text {
                let facade = self.str(text).trim_matches('"');
                let name = self.b.name(facade);
                let value = self.b.expr(Expr::Unknown);
                self.b.export(Export { name, value });
            }
            at = if args.is(b'(') { self.c.behind_group(at + 1) } else { at + 1 };
        }
        while is_of_file(self, self.c.at) {
            let before = self.c.at;
            self.annotations();
            if self.c.at == before {
                return;
            }
        }
    }

    fn package(&mut self) {
        let doc = self.c.tokens.doc_before(self.c.at);
        self.c.at += 1;
        let (text, _) = self.qualified(Role::Package);
        self.b.set_package(&text);
        if let Some(doc) = doc {
            self.documentation(doc);
        }
    }

    /// `a.b.c`: the text without spaces and the references of the segments.
    fn qualified(&mut self, role: Role) -> (String, Vec<RefId>) {
        let mut text = String::new();
        let mut path = Vec::new();
        let mut receiver = None;
        while self.c.peek().kind == Kind::Word {
            let token = self.c.bump();
            let (name, expr) = value::name(&mut self.b, receiver, self.c.str(token), token.range(), role);
            receiver = Some(expr);
            path.push(name);
            if !text.is_empty() {
                text.push('.');
            }
            text.push_str(self.c.str(token));
            if !self.c.is(b'.') || self.c.nth(1).kind != Kind::Word || self.c.nth(1).after_newline {
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
        let (text, mut path) = self.qualified(Role::Import);
        let scope = self.b.scope();
        let mut import = Import {
            kind: ImportKind::Star,
            flags: ImportFlags::NONE,
            scope,
            module: self.b.name(&text),
            level: 0,
            path: List::EMPTY,
            member: None,
            exported_as: None,
            def: None,
        };
        if self.c.is(b'.') && self.c.nth(1).is(b'*') {
            self.c.at += 2;
        } else if let Some(member) = path.pop() {
            let (module, name) = text.rsplit_once('.').unwrap_or(("", &text));
            let range = self.b.facts().reference(member).range;
            let alias = self.c.is_word(w::AS) && Self::is_name(self.c.nth(1));
            let def = if alias {
                let token = self.c.nth(1);
                self.c.at += 2;
                self.b.def(self.c.str(token), token.range(), SymbolKind::Import)
            } else {
                self.b.def(name, range, SymbolKind::Import)
            };
            import.kind = ImportKind::Member;
            import.module = self.b.name(module);
            import.member = Some(member);
            import.def = Some(def);
        }
        import.path = self.b.list(path);
        self.b.import(import);
        self.c.eat(b';');
    }

    /// The index of the word that says what is declared at the cursor, behind annotations and modifiers; `None` when
    /// no declaration stands there.
    pub(super) fn declared(&self, place: Place) -> Option<usize> {
        let mut i = self.c.at;
        loop {
            i = self.skip_annotations(i);
            let token = self.c.token(i);
            if token.kind != Kind::Word {
                return None;
            }
            let next = self.c.token(i + 1);
            match token.sub {
                w::CLASS | w::INTERFACE | w::VAL | w::VAR | w::TYPEALIAS => return Some(i),
                w::OBJECT => {
                    let is_companion = i > self.c.at && self.word_at(i - 1, w::COMPANION);
                    let named = Self::is_name(next) && !next.after_newline;
                    return (is_companion || named).then_some(i);
                }
                w::FUN => {
                    // `fun (x) …` is an anonymous function, which is a value.
                    let is_value = place == Place::Block && next.is(b'(') && !self.has_receiver(i + 1);
                    return (!is_value).then_some(i);
                }
                w::CONSTRUCTOR if place != Place::Block && next.is(b'(') => return Some(i),
                w::INIT if place == Place::Class && next.is(b'{') => return Some(i),
                w::CONTEXT if next.is(b'(') => i = self.c.behind_group(i + 1),
                w::FIRST_MODIFIER..=w::LAST_MODIFIER => i += 1,
                _ => return None,
            }
        }
    }

    /// The declaration at the cursor; false, and nothing is read, when none stands there.
    pub(super) fn declaration(&mut self, place: Place) -> bool {
        let Some(at) = self.declared(place) else { return false };
        guard::deeper(|| self.declared_at(at, place)).unwrap_or_else(|| {
            self.c.skip();
            true
        })
    }

    fn declared_at(&mut self, at: usize, place: Place) -> bool {
        let modifiers = self.modifiers(at);
        self.c.at = at;
        match self.c.peek().sub {
            w::CLASS | w::INTERFACE => self.class(modifiers),
            w::FUN if self.word_at(at + 1, w::INTERFACE) => {
                self.c.at += 1;
                let flags = modifiers.flags | DefFlags::FUN_INTERFACE;
                self.class(Modifiers { flags, ..modifiers });
            }
            w::OBJECT => self.object(modifiers),
            w::FUN => self.function(modifiers, place),
            w::VAL | w::VAR => self.property(modifiers, place),
            w::TYPEALIAS => self.type_alias(modifiers),
            w::CONSTRUCTOR => self.secondary_constructor(modifiers),
            _ => self.initializer(),
        }
        true
    }

    /// Reads annotations and modifiers up to the token at `end`.
    pub(super) fn modifiers(&mut self, end: usize) -> Modifiers {
        let doc = self.c.tokens.doc_before(self.c.at);
        let mut all = Modifiers { start: self.c.peek().start, doc, ..Modifiers::default() };
        while self.c.at < end {
            let before = self.c.at;
            if self.c.is(b'@') {
                let annotations = self.annotations();
                for one in &annotations {
                    all.flags = all.flags | self.annotation_flags(*one);
                }
                all.decorators.extend(annotations);
            } else if self.c.is_word(w::CONTEXT) && self.c.nth(1).is(b'(') {
                self.c.at += 1;
                if matches!(self.c.token(end).sub, w::FUN | w::VAL | w::VAR) {
                    all.context = Some(self.c.at);
                    self.c.at = self.c.behind_group(self.c.at);
                } else {
                    self.context(false);
                }
            } else {
                let token = self.c.bump();
                match token.sub {
                    w::PUBLIC => all.visibility = Some(Visibility::Public),
                    w::PROTECTED => all.visibility = Some(Visibility::Protected),
                    w::INTERNAL => all.visibility = Some(Visibility::Internal),
                    w::PRIVATE => all.visibility = Some(Visibility::Private),
                    w::ENUM => all.is_enum = true,
                    w::ANNOTATION => all.is_annotation = true,
                    word => all.flags = all.flags | modifier_flag(word),
                }
            }
            if self.c.at == before {
                self.c.at += 1;
            }
        }
        all
    }

    /// `(A, name: B)` behind `context`, whose names a function or property declares in its scope.
    pub(super) fn context(&mut self, declares: bool) {
        let open = self.c.at;
        self.c.at += 1;
        while self.c.at < self.c.group_end(open) {
            let name = self.c.peek();
            let is_named = self.at_name() && self.c.nth(1).is(b':');
            if is_named {
                self.c.at += 2;
            }
            let ty = self.ty(Role::Type);
            if is_named && declares && self.c.str(name) != "_" {
                let def = self.b.def(self.c.str(name), name.range(), SymbolKind::Parameter);
                let range = self.c.since(name.start);
                let d = self.b.def_mut(def);
                d.ty = Some(ty);
                d.range = range;
            }
            if !self.c.eat(b',') {
                break;
            }
        }
        self.leave_group(open);
    }

    fn annotation_flags(&self, annotation: ExprId) -> DefFlags {
        let facts = self.b.facts();
        let (name, args) = match facts.expr(annotation) {
            Expr::Ref(name) => (Some(name), List::EMPTY),
            Expr::New { ty, args } => match facts.ty(ty) {
                TypeExpr::Named { name, .. } => (Some(name), args),
                _ => (None, args),
            },
            _ => (None, List::EMPTY),
        };
        let is_hidden = |arg| {
            let value = if let Expr::Named { value, .. } = facts.expr(arg) { value } else { arg };
            matches!(facts.expr(value), Expr::Ref(level) if facts.ref_name(level) == "HIDDEN")
        };
        match name.map(|name| facts.ref_name(name)) {
            // Only what was compiled before sees it still.
            Some("Deprecated") if facts.list(args).any(is_hidden) => {
                DefFlags::DEPRECATED | DefFlags::NOT_BUILT
            }
            Some("Deprecated") => DefFlags::DEPRECATED,
            Some("JvmStatic") => DefFlags::STATIC,
            Some("Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory") => DefFlags::TEST,
            Some("Generated") => DefFlags::GENERATED,
            _ => DefFlags::NONE,
        }
    }

    /// Fills in what the modifiers say, and the range up to the cursor.
    pub(super) fn finish(&mut self, def: DefId, modifiers: Modifiers) {
        let range = self.c.since(modifiers.start);
        let decorators = self.b.list(modifiers.decorators);
        let d = self.b.def_mut(def);
        d.range = range;
        d.flags = d.flags | modifiers.flags;
        d.visibility = modifiers.visibility;
        d.decorators = decorators;
        d.doc = modifiers.doc;
    }

    /// The name of a declaration at the cursor; empty, and reported, when none is there.
    pub(super) fn declared_name(&mut self) -> Token {
        if self.at_name() {
            return self.c.bump();
        }
        self.unexpected("a name");
        let at = self.c.last_end();
        Token { kind: Kind::Word, sub: 0, after_newline: false, start: at, end: at, mate: 0 }
    }

    /// `<T : Bound>`, declared in the open scope.
    pub(super) fn type_params(&mut self) -> List<DefId> {
        if !self.c.eat(b'<') {
            return List::EMPTY;
        }
        let mut all = Vec::new();
        while !self.c.is(b'>') && !self.c.is_end() {
            let start = self.c.peek().start;
            let decorators = self.annotations();
            while (self.c.is_word(w::IN) || self.c.is_word(w::OUT) || self.c.is_word(w::REIFIED))
                && Self::is_name(self.c.nth(1))
            {
                self.c.at += 1;
            }
            if !self.at_name() {
                self.unexpected("a type parameter");
                break;
            }
            let name = self.c.bump();
            let def = self.b.def(self.c.str(name), name.range(), SymbolKind::TypeParameter);
            let bound = self.c.eat(b':').then(|| self.ty(Role::Type));
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

    /// `where T : A, T : B`.
    pub(super) fn constraints(&mut self, params: List<DefId>) {
        if !self.c.is_word(w::WHERE) || !Self::is_name(self.c.nth(1)) {
            return;
        }
        self.c.at += 1;
        loop {
            self.annotations();
            if !self.at_name() {
                return;
            }
            let token = self.c.bump();
            self.b.reference(self.c.str(token), token.range(), Role::Type);
            if !self.c.eat(b':') {
                return;
            }
            let bound = self.ty(Role::Type);
            let name = self.c.str(token);
            let of = self.b.facts().list(params).find(|p| self.b.facts().def_name(*p) == name);
            if let Some(param) = of {
                let both = self.b.facts().def(param).ty.map_or(bound, |first| {
                    let both = self.b.list([first, bound]);
                    self.b.ty(TypeExpr::Intersection(both))
                });
                self.b.def_mut(param).ty = Some(both);
            }
            if !self.c.eat(b',') {
                return;
            }
        }
    }

    /// The index of a declaration's name behind its receiver type, when the type and a dot stand at `i`.
    fn receiver_split(&self, i: usize) -> Option<usize> {
        let mut i = self.skip_annotations(i);
        let mut name = None;
        if self.c.token(i).is(b'(') {
            i = self.c.behind_group(i);
        } else {
            if !Self::is_name(self.c.token(i)) {
                return None;
            }
            i += 1;
        }
        loop {
            if self.c.token(i).is(b'<') {
                i = self.skip_angles(i)?;
            }
            while self.c.token(i).is(b'?') || self.c.joined_at(i, b"!!") {
                i += if self.c.token(i).is(b'?') { 1 } else { 2 };
            }
            if !self.c.token(i).is(b'.') {
                return name;
            }
            let segment = self.skip_annotations(i + 1);
            let token = self.c.token(segment);
            if token.is(b'(') && self.c.joined_at(self.c.behind_group(segment), b"->") {
                // A function type as the receiver stands in parentheses.
                return name;
            }
            if !Self::is_name(token) {
                // Half written: the name is missing.
                return name.or(Some(segment));
            }
            name = Some(segment);
            i = segment + 1;
        }
    }

    pub(super) fn has_receiver(&self, i: usize) -> bool {
        self.receiver_split(i).is_some()
    }

    /// The receiver type of an extension, up to the dot before its name.
    pub(super) fn receiver(&mut self) -> Option<TypeId> {
        let name = self.receiver_split(self.c.at)?;
        let outside = std::mem::replace(&mut self.type_end, name - 1);
        let ty = self.ty(Role::Type);
        self.type_end = outside;
        self.c.at = name;
        Some(ty)
    }

    /// A function at `fun`.
    fn function(&mut self, modifiers: Modifiers, place: Place) {
        self.c.at += 1;
        let kind = match place {
            Place::Class | Place::Interface => SymbolKind::Method,
            _ => SymbolKind::Function,
        };
        let outer = self.b.scope();
        let def = self.b.def_in(outer, "", TextRange::new(modifiers.start, modifiers.start), kind);
        self.b.open(ScopeKind::Function, self.c.peek().start, Some(def));
        let type_params = self.type_params();
        if let Some(context) = modifiers.context {
            let at = std::mem::replace(&mut self.c.at, context);
            self.context(true);
            self.c.at = at;
        }
        let receiver = self.receiver();
        let name = self.declared_name();
        let text = self.b.name(self.c.str(name));
        let d = self.b.def_mut(def);
        d.name = text;
        d.name_range = name.range();
        d.receiver = receiver;
        d.type_params = type_params;
        let label = self.str(name);
        self.function_rest(def, label, place, modifiers);
    }

    /// From the parameters to the end of the body; closes the scope.
    fn function_rest(&mut self, def: DefId, label: &str, place: Place, mut modifiers: Modifiers) {
        let params = if self.c.is(b'(') { self.params(None) } else { List::EMPTY };
        let ty = self.c.eat(b':').then(|| self.ty(Role::Type));
        let type_params = self.b.facts().def(def).type_params;
        self.constraints(type_params);
        if let Some(doc) = modifiers.doc {
            self.documentation(doc);
        }
        let d = self.b.def_mut(def);
        d.params = params;
        d.ty = ty;
        if d.receiver.is_some() {
            modifiers.flags.set(DefFlags::EXTENSION);
        }
        let has_body = self.body(def, label, ty.is_some());
        if !has_body && place == Place::Interface {
            modifiers.flags.set(DefFlags::ABSTRACT);
        }
        self.b.close(self.c.last_end());
        self.finish(def, modifiers);
    }

    /// The body of a function, constructor or accessor, if one is at the cursor: `= value` or braces.
    pub(super) fn body(&mut self, def: DefId, label: &str, has_type: bool) -> bool {
        let is_value = self.c.is(b'=') && !self.c.is_joined(b"==");
        if !is_value && !self.c.is(b'{') {
            return false;
        }
        let label = (!label.is_empty()).then(|| label.into());
        self.functions.push(Function { def, is_lambda: false, it: None, label, returns: Vec::new() });
        let initializers = self.initializers.take();
        let newlines = std::mem::replace(&mut self.newlines, true);
        if is_value {
            self.c.at += 1;
            let (proven, mark) = (self.proven.len(), self.pending.mark());
            let value = self.expression();
            self.pending.settle(&mut self.b, mark, Expectation::Return(def));
            self.end_proofs(proven);
            if !has_type {
                let returns = self.b.list([value]);
                self.b.def_mut(def).returns = returns;
            }
        } else {
            self.block();
            if !has_type {
                self.b.def_mut(def).flags.set(DefFlags::VOID);
            }
        }
        self.newlines = newlines;
        self.initializers = initializers;
        self.functions.pop();
        true
    }

    /// The parenthesised parameters at the cursor, declared in the open scope. Parameters of a primary constructor
    /// that are properties of `class` too are declared there as well.
    pub(super) fn params(&mut self, class: Option<crate::facts::ScopeId>) -> List<DefId> {
        if class.is_none() && self.skims() {
            return List::EMPTY;
        }
        let open = self.c.at;
        self.c.at += 1;
        let end = self.c.group_end(open);
        let mut all = Vec::new();
        self.with_newlines(false, |p| {
            while p.c.at < end {
                let before = p.c.at;
                if let Some(def) = p.param(class) {
                    all.push(def);
                }
                if !p.c.eat(b',') && p.c.at < end {
                    p.unexpected("`,` or `)`");
                    if !p.c.is_closed(open) {
                        break;
                    }
                    while p.c.at < end && !p.c.eat(b',') {
                        p.c.skip();
                    }
                }
                if p.c.at == before {
                    p.c.skip();
                }
            }
        });
        self.leave_group(open);
        self.b.list(all)
    }

    fn param(&mut self, class: Option<crate::facts::ScopeId>) -> Option<DefId> {
        let mut at = self.c.at;
        loop {
            at = self.skip_annotations(at);
            let token = self.c.token(at);
            let is_modifier =
                token.kind == Kind::Word && (w::FIRST_MODIFIER..=w::LAST_MODIFIER).contains(&token.sub);
            let next = self.c.token(at + 1);
            if !is_modifier || !(next.kind == Kind::Word || next.is(b'@')) {
                break;
            }
            at += 1;
        }
        let mut modifiers = self.modifiers(at);
        let is_property = self.c.is_word(w::VAL) || self.c.is_word(w::VAR);
        if self.c.eat_word(w::VAR) {
            modifiers.flags.set(DefFlags::VAR);
        } else {
            self.c.eat_word(w::VAL);
        }
        if !self.at_name() {
            self.unexpected("a parameter");
            return None;
        }
        let name = self.c.bump();
        let def = self.b.def(self.c.str(name), name.range(), SymbolKind::Parameter);
        let ty = self.c.eat(b':').then(|| self.ty(Role::Type));
        let init = (self.c.is(b'=') && !self.c.is_joined(b"==")).then(|| {
            self.c.at += 1;
            let mark = self.pending.mark();
            let value = self.expression();
            self.pending.settle(&mut self.b, mark, Expectation::Init(def));
            value
        });
        self.b.def_mut(def).ty = ty;
        self.b.def_mut(def).init = init;
        let property = class.filter(|_| is_property).map(|class| {
            let property = self.b.def_in(class, self.c.str(name), name.range(), SymbolKind::Property);
            let promoted = Modifiers { flags: modifiers.flags | DefFlags::PROMOTED, ..modifiers.clone() };
            self.finish(property, promoted);
            self.b.def_mut(property).ty = ty;
        });
        if property.is_some() {
            // Visibility and the like are the property's.
            modifiers.visibility = None;
        }
        self.finish(def, modifiers);
        Some(def)
    }

    fn type_alias(&mut self, modifiers: Modifiers) {
        self.c.at += 1;
        let name = self.declared_name();
        let def = self.b.def(self.c.str(name), name.range(), SymbolKind::TypeAlias);
        self.b.open(ScopeKind::Block, self.c.peek().start, Some(def));
        let type_params = self.type_params();
        let ty = self.c.eat(b'=').then(|| self.ty(Role::Type));
        if let Some(doc) = modifiers.doc {
            self.documentation(doc);
        }
        self.b.close(self.c.last_end());
        let d = self.b.def_mut(def);
        d.type_params = type_params;
        d.ty = ty;
        self.finish(def, modifiers);
    }
}

fn modifier_flag(word: u8) -> DefFlags {
    match word {
        w::ABSTRACT => DefFlags::ABSTRACT,
        w::ACTUAL => DefFlags::ACTUAL,
        w::COMPANION => DefFlags::COMPANION,
        w::CONST => DefFlags::CONST,
        w::DATA => DefFlags::DATA,
        w::EXPECT => DefFlags::EXPECT,
        w::EXTERNAL => DefFlags::EXTERNAL,
        w::FINAL => DefFlags::FINAL,
        w::INFIX => DefFlags::INFIX,
        w::INLINE => DefFlags::INLINE,
        w::INNER => DefFlags::INNER,
        w::LATEINIT => DefFlags::LATEINIT,
        w::OPEN => DefFlags::OPEN,
        w::OPERATOR => DefFlags::OPERATOR,
        w::OVERRIDE => DefFlags::OVERRIDE,
        w::SEALED => DefFlags::SEALED,
        w::SUSPEND => DefFlags::SUSPEND,
        w::TAILREC => DefFlags::TAILREC,
        w::VALUE => DefFlags::VALUE,
        w::VARARG => DefFlags::VARARG,
        _ => DefFlags::NONE,
    }
}
