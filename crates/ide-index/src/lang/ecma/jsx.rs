//! JSX elements, and types from documentation comments of JavaScript.

use ide_model::{SymbolKind, TextRange};

use super::front::Parser;
use super::lexer::{self, JSX_CLOSE, JSX_END, JSX_OPEN, JSX_SELF};
use crate::builder::FactBuilder;
use crate::facts::{
    DefFlags, DefId, Expr, ExprId, ImportFlags, ImportKind, List, RefFlags, Role, ScopeKind, TypeExpr, TypeId,
};
use crate::kit::value::Pending;
use crate::kit::{Cursor, Kind, value};

impl<'a> Parser<'a> {
    /// `<Name attr={…}>…</Name>`, `<>…</>`.
    pub(super) fn element(&mut self) -> ExprId {
        if !self.c.deeper() {
            self.c.skip();
            return self.b.expr(Expr::Unknown);
        }
        self.c.bump();
        self.element_name(Role::Read);
        if self.c.is(b'<') {
            self.type_arguments();
        }
        let mut has_children = false;
        while !self.c.is_end() {
            let token = self.c.peek();
            match (token.kind, token.sub) {
                (Kind::Text, JSX_SELF) => {
                    self.c.bump();
                    break;
                }
                (Kind::Text, JSX_END) => {
                    self.c.bump();
                    has_children = true;
                    break;
                }
                (Kind::Text, JSX_OPEN) => {
                    self.element();
                }
                (Kind::Open, b'{') => self.braced(),
                _ => {
                    self.c.bump();
                }
            }
        }
        while has_children && !self.c.is_end() {
            let token = self.c.peek();
            match (token.kind, token.sub) {
                (Kind::Text, JSX_OPEN) => {
                    self.element();
                }
                (Kind::Text, JSX_CLOSE) => {
                    self.c.bump();
                    self.element_name(Role::Read);
                    if self.c.peek().kind == Kind::Text && self.c.peek().sub == JSX_END {
                        self.c.bump();
                    }
                    break;
                }
                (Kind::Open, b'{') => self.braced(),
                _ => break,
            }
        }
        self.c.shallower();
        self.b.expr(Expr::Literal(crate::facts::Literal::Other))
    }

    fn braced(&mut self) {
        let end = self.c.group_end(self.c.at);
        let behind = self.c.behind_group(self.c.at);
        self.c.bump();
        self.c.eat_joined(b"...");
        if self.c.at < end {
            let mark = self.pending.mark();
            self.expr();
            self.pending.forget(mark);
        }
        self.c.at = behind;
    }

    /// Lower-case names are elements of the platform, not of the program.
    fn element_name(&mut self, role: Role) {
        let token = self.c.peek();
        if token.kind != Kind::Word {
            return;
        }
        let text = self.c.str(token);
        let is_component = text.starts_with(char::is_uppercase) || self.c.nth(1).is(b'.');
        self.c.bump();
        if !is_component || text.contains('-') {
            while self.c.is(b':') || self.c.is(b'.') {
                self.c.at += 2;
            }
            return;
        }
        let mut value = value::name(&mut self.b, None, text, token.range(), role).1;
        while self.c.is(b'.') && self.c.nth(1).kind == Kind::Word {
            self.c.bump();
            let token = self.c.bump();
            value = value::name(&mut self.b, Some(value), self.c.str(token), token.range(), role).1;
        }
    }

    /// Reads the types in the documentation of JavaScript declarations.
    pub(super) fn documented_types(&mut self) {
        if self.typed {
            return;
        }
        let with_doc: Vec<(DefId, TextRange)> =
            self.b.facts().def_ids().filter_map(|id| Some((id, self.b.facts().def(id).doc?))).collect();
        self.type_definitions();
        for (def, doc) in with_doc {
            self.apply_doc(def, doc);
        }
    }

    /// Tags with a type in braces: name of the tag, range of the type, offset behind it.
    pub(super) fn tags(&self, doc: TextRange) -> Vec<(&'a str, TextRange, usize)> {
        let text = self.c.text;
        let (start, end) = (doc.start as usize, doc.end as usize);
        let mut found = Vec::new();
        let mut at = start;
        while let Some(n) = text[at..end].find('@') {
            let name = at + n + 1;
            let name_end = text[name..end].find(|c: char| !c.is_ascii_alphabetic()).map_or(end, |n| name + n);
            at = name_end;
            let rest = &text[name_end..end];
            let open = name_end + (rest.len() - rest.trim_start().len());
            if !text[open..end].starts_with('{') {
                continue;
            }
            let mut depth = 0;
            let close = text[open..end].char_indices().find_map(|(i, c)| {
                depth += match c {
                    '{' => 1,
                    '}' => -1,
                    _ => 0,
                };
                (depth == 0).then_some(open + i)
            });
            let Some(close) = close else { continue };
            found.push((&text[name..name_end], TextRange::new(open as u32 + 1, close as u32), close + 1));
            at = close + 1;
        }
        found
    }

    fn apply_doc(&mut self, def: DefId, doc: TextRange) {
        let tags = self.tags(doc);
        if tags.is_empty() {
            return;
        }
        let target = self.documented_function(def).unwrap_or(def);
        let scope = self.b.facts().def(target).body.unwrap_or(self.b.facts().def(target).scope);
        self.b.enter(scope);
        let params: Vec<DefId> = self.b.facts().list(self.b.facts().def(target).params).collect();
        for (tag, range, behind) in tags {
            match tag {
                "param" | "arg" | "argument" => {
                    let rest = self.c.text[behind..doc.end as usize].trim_start();
                    let rest = rest.strip_prefix('[').unwrap_or(rest);
                    let len = rest
                        .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
                        .unwrap_or(rest.len());
                    let name = &rest[..len];
                    // `options.name` describes a part.
                    if rest[len..].starts_with('.') {
                        continue;
                    }
                    let ty = self.type_in(range);
                    let param = params.iter().find(|p| self.b.facts().def_name(**p) == name).copied();
                    if let Some(param) = param
                        && self.b.facts().def(param).ty.is_none()
                    {
                        self.b.def_mut(param).ty = ty;
                    }
                }
                "returns" | "return" => {
                    let ty = self.type_in(range);
                    if self.b.facts().def(target).ty.is_none() {
                        self.b.def_mut(target).ty = ty;
                    }
                }
                "type" => {
                    let ty = self.type_in(range);
                    if self.b.facts().def(def).ty.is_none() && !self.b.facts().def(def).kind.is_callable() {
                        self.b.def_mut(def).ty = ty;
                    }
                }
                _ => {}
            }
        }
        self.b.leave();
    }

    /// The function that a documented variable or property holds.
    fn documented_function(&self, def: DefId) -> Option<DefId> {
        let facts = self.b.facts();
        match facts.expr(facts.def(def).init?) {
            Expr::Function(function) => Some(function),
            _ => None,
        }
    }

    /// `@typedef {T} Name` anywhere, with its properties; `@callback` is left alone.
    fn type_definitions(&mut self) {
        let comments: Vec<TextRange> =
            self.c.tokens.comments.iter().filter(|c| c.is_doc).map(|c| c.range).collect();
        for doc in comments {
            let tags = self.tags(doc);
            for (_, names, behind) in tags.iter().filter(|(tag, _, _)| *tag == "import") {
                self.documented_import(*names, *behind, doc);
            }
            let Some((_, range, behind)) = tags.iter().find(|(tag, _, _)| *tag == "typedef").copied() else {
                continue;
            };
            let rest = &self.c.text[behind..doc.end as usize];
            let skipped = rest.len() - rest.trim_start().len();
            let name = rest.trim_start();
            let len =
                name.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(name.len());
            if len == 0 {
                continue;
            }
            let start = (behind + skipped) as u32;
            let name_range = TextRange::new(start, start + len as u32);
            let properties: Vec<_> =
                tags.iter().filter(|(tag, _, _)| matches!(*tag, "property" | "prop")).copied().collect();
            let kind = if properties.is_empty() { SymbolKind::TypeAlias } else { SymbolKind::Interface };
            let text = self.text(name_range);
            let def = self.b.def(text, name_range, kind);
            let d = self.b.def_mut(def);
            d.range = doc;
            d.flags.set(DefFlags::EXPORTED);
            if properties.is_empty() {
                let ty = self.type_in(range);
                self.b.def_mut(def).ty = ty;
                continue;
            }
            self.b.open(ScopeKind::Class, name_range.end, Some(def));
            for (_, range, behind) in properties {
                self.documented_property(range, behind, doc);
            }
            self.b.close(doc.end);
        }
    }

    /// `@import { A, B as C } from "m"`.
    fn documented_import(&mut self, names: TextRange, behind: usize, doc: TextRange) {
        let text = self.c.text;
        let rest = &text[behind..doc.end as usize];
        let Some(open) = rest.find(['"', '\'']) else { return };
        let Some(len) = rest[open + 1..].find(['"', '\'', '\n']) else { return };
        let start = (behind + open + 1) as u32;
        let specifier = TextRange::new(start, start + len as u32);
        let module = self.b.reference(self.text(specifier), specifier, Role::Import);
        self.b.ref_mut(module).flags.set(RefFlags::IN_DOC);
        let mut at = names.start;
        for part in self.text(names).split(',') {
            let (imported, bound) = part.split_once(" as ").unwrap_or((part, part));
            let place = |word: &str| {
                let trimmed = word.trim_matches(|c: char| c.is_whitespace() || c == '*');
                let offset = trimmed.as_ptr() as usize - part.as_ptr() as usize;
                TextRange::new(at + offset as u32, at + (offset + trimmed.len()) as u32)
            };
            let (imported, bound) = (place(imported), place(bound));
            at += part.len() as u32 + 1;
            if imported.is_empty() || bound.is_empty() {
                continue;
            }
            let member = self.b.reference(self.text(imported), imported, Role::Import);
            self.b.ref_mut(member).flags.set(RefFlags::IN_DOC);
            let def = self.b.def(self.text(bound), bound, SymbolKind::Import);
            self.bind(ImportKind::Member, ImportFlags::TYPE_ONLY, Some(module), Some(member), Some(def));
        }
    }

    fn documented_property(&mut self, range: TextRange, behind: usize, doc: TextRange) {
        let rest = &self.c.text[behind..doc.end as usize];
        let trimmed = rest.trim_start().trim_start_matches('[');
        let start =
            behind + (rest.len() - rest.trim_start().len()) + usize::from(rest.trim_start().starts_with('['));
        let len =
            trimmed.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(trimmed.len());
        if len == 0 || trimmed[len..].starts_with('.') {
            return;
        }
        let name_range = TextRange::new(start as u32, (start + len) as u32);
        let text = self.text(name_range);
        let property = self.b.def(text, name_range, SymbolKind::Property);
        let ty = self.type_in(range);
        self.b.def_mut(property).ty = ty;
    }

    /// A type written in a comment, read by the ordinary rules.
    pub(super) fn type_in(&mut self, range: TextRange) -> Option<TypeId> {
        let text = &self.c.text[..range.end as usize];
        let tokens = lexer::lex_from(text, range.start as usize);
        let language = self.b.facts().language;
        let builder = std::mem::replace(&mut self.b, FactBuilder::new(language, 0));
        let first = builder.facts().refs.len();
        let mut inner = Parser {
            c: Cursor::new(text, &tokens),
            b: builder,
            pending: Pending::default(),
            functions: Vec::new(),
            typed: true,
            ambient: false,
            no_in: false,
            conditional: None,
            statement: 0,
        };
        // Closure's words: `?T`, `!T`, `...T`, `T=`, `*`.
        while inner.c.is(b'?') || inner.c.is(b'!') || inner.c.is(b'.') {
            inner.c.bump();
        }
        let ty = if inner.c.is(b'*') { inner.b.ty(TypeExpr::Unknown) } else { inner.ty() };
        let mut builder = inner.b;
        for i in first..builder.facts().refs.len() {
            builder.ref_mut(crate::facts::RefId(i as u32)).flags.set(RefFlags::IN_DOC);
        }
        self.b = builder;
        match self.b.facts().ty(ty) {
            TypeExpr::Unknown => None,
            TypeExpr::Named { name, args } => Some(self.closure_type(name, args, ty)),
            _ => Some(ty),
        }
    }

    /// `Array.<T>` and lower-case names of documentation are read as they are meant.
    fn closure_type(&mut self, name: crate::facts::RefId, args: List<TypeId>, ty: TypeId) -> TypeId {
        let text = self.b.facts().ref_name(name);
        match text {
            "Object" | "object" | "function" | "Function" if args.is_empty() => self.b.ty(TypeExpr::Unknown),
            _ => ty,
        }
    }
}
