//! Types from the documentation comments of JavaScript.

use ide_model::{SymbolKind, TextRange};

use super::front::Parser;
use super::lexer;
use crate::builder::FactBuilder;
use crate::facts::{
    DefFlags, DefId, Expr, ImportFlags, ImportKind, List, RefFlags, RefId, Role, ScopeKind, TypeExpr, TypeId,
};

/// `@name {type} …` up to the next tag.
#[derive(Clone, Copy)]
struct Tag<'a> {
    name: &'a str,
    ty: Option<TextRange>,
    /// Offset behind the type, or behind the name.
    behind: usize,
    end: usize,
}

/// Length of the blanks at the start, of the stars before continued lines too.
fn blank(text: &str) -> usize {
    text.len() - text.trim_start_matches(|c: char| c.is_whitespace() || c == '*').len()
}

fn word_len(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(text.len())
}

/// Offset of the brace that closes the one at the start.
fn closing_brace(text: &str) -> Option<usize> {
    if !text.starts_with('{') {
        return None;
    }
    let mut depth = 0;
    let mut quote = None;
    let mut is_escaped = false;
    text.char_indices().find_map(|(i, c)| {
        let was_escaped = is_escaped;
        is_escaped = quote.is_some() && c == '\\' && !was_escaped;
        match (quote, c) {
            (Some(open), _) if c == open && !was_escaped || c == '\n' => quote = None,
            (Some(_), _) => {}
            (None, '"' | '`') => quote = Some(c),
            (None, '{') => depth += 1,
            (None, '}') => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(i)
    })
}

impl<'a> Parser<'a> {
    /// Reads the types in the documentation of JavaScript declarations.
    pub(super) fn documented_types(&mut self, from: usize) {
        if self.typed {
            return;
        }
        let facts = self.b.facts();
        let with_doc: Vec<(DefId, TextRange)> =
            facts.def_ids().skip(from).filter_map(|id| Some((id, facts.def(id).doc?))).collect();
        self.type_definitions();
        for (def, doc) in with_doc {
            self.apply_doc(def, doc);
        }
    }

    /// The block tags of a documentation comment, in order.
    fn tags(&self, doc: TextRange) -> Vec<Tag<'a>> {
        let text = self.c.text;
        let (mut at, end) = (doc.start as usize, doc.end as usize);
        let mut found: Vec<Tag<'_>> = Vec::new();
        while let Some(n) = text[at..end].find('@') {
            let sign = at + n;
            let name_end =
                text[sign + 1..end].find(|c: char| !c.is_ascii_alphabetic()).map_or(end, |n| sign + 1 + n);
            at = name_end;
            // `{@link X}` and addresses are text.
            if !text[..sign].ends_with(|c: char| c.is_whitespace() || c == '*') {
                continue;
            }
            if let Some(last) = found.last_mut() {
                last.end = sign;
            }
            let open = name_end + blank(&text[name_end..end]);
            let close = closing_brace(&text[open..end]).map(|n| open + n);
            let ty = close.map(|close| TextRange::new(open as u32 + 1, close as u32));
            let behind = close.map_or(name_end, |close| close + 1);
            found.push(Tag { name: &text[sign + 1..name_end], ty, behind, end });
            at = behind;
        }
        found
    }

    /// The name behind a tag, with its place: `name`, `[name]`, `[name=default]`; the flag says whether brackets
    /// stand around it.
    fn tagged_name(&self, tag: &Tag<'_>) -> Option<(TextRange, bool)> {
        let rest = &self.c.text[tag.behind..tag.end];
        let mut start = tag.behind + blank(rest);
        let is_optional = self.c.text[start..tag.end].starts_with('[');
        if is_optional {
            start += 1;
            start += blank(&self.c.text[start..tag.end]);
        }
        let len = word_len(&self.c.text[start..tag.end]);
        (len > 0).then(|| (TextRange::new(start as u32, (start + len) as u32), is_optional))
    }

    fn apply_doc(&mut self, def: DefId, doc: TextRange) {
        let tags = self.tags(doc);
        if tags.is_empty() {
            return;
        }
        let target = self.documented_function(def).unwrap_or(def);
        let scope = self.b.facts().def(target).body.unwrap_or(self.b.facts().def(target).scope);
        self.b.enter(scope);
        self.documented_type_parameters(target, &tags);
        let d = self.b.facts().def(target);
        let is_callable = d.kind.is_callable() || !d.params.is_empty() || d.flags.has(DefFlags::GETTER);
        if is_callable {
            self.documented_parameters(target, &tags);
        }
        for tag in &tags {
            let Some(range) = tag.ty else { continue };
            match tag.name {
                "returns" | "return" if is_callable => {
                    let ty = self.type_in(range);
                    if self.b.facts().def(target).ty.is_none() {
                        self.b.def_mut(target).ty = ty;
                    }
                }
                "this" if is_callable => {
                    let ty = self.type_in(range);
                    self.b.def_mut(target).receiver = ty;
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

    /// `@template T`, `@template {Bound} T, U`: type parameters in the innermost scope.
    fn documented_type_parameters(&mut self, owner: DefId, tags: &[Tag<'_>]) {
        let mut params = Vec::new();
        for tag in tags.iter().filter(|tag| tag.name == "template") {
            let bound = tag.ty.and_then(|range| self.type_in(range));
            let mut at = *tag;
            while let Some((range, _)) = self.tagged_name(&at) {
                let def = self.b.def(self.text(range), range, SymbolKind::TypeParameter);
                self.b.def_mut(def).ty = bound;
                params.push(def);
                let behind = range.end as usize;
                if !self.c.text[behind..tag.end].starts_with(',') {
                    break;
                }
                at.behind = behind + 1;
            }
        }
        if !params.is_empty() && self.b.facts().def(owner).type_params.is_empty() {
            let params = self.b.list(params);
            self.b.def_mut(owner).type_params = params;
        }
    }

    /// Types and mentions of the parameters of a documented function, whose scope is open.
    fn documented_parameters(&mut self, function: DefId, tags: &[Tag<'_>]) {
        let params: Vec<DefId> = self.b.facts().list(self.b.facts().def(function).params).collect();
        let described: Vec<&Tag<'_>> =
            tags.iter().filter(|tag| matches!(tag.name, "param" | "arg" | "argument")).collect();
        let mut position = 0;
        for (i, tag) in described.iter().enumerate() {
            let Some((range, is_optional)) = self.tagged_name(tag) else { continue };
            // `options.name` describes a part.
            if self.c.text[range.end as usize..].starts_with('.') {
                continue;
            }
            let name = self.text(range);
            let written = tag.ty.and_then(|range| self.type_in(range));
            let by_name = params.iter().find(|p| self.b.facts().def_name(**p) == name).copied();
            // A pattern goes by another name, or none.
            let by_place = params.get(position).copied().filter(|p| self.b.facts().def_name(*p).is_empty());
            position += 1;
            let Some(param) = by_name.or(by_place) else { continue };
            if by_name.is_some() {
                let mention = self.b.reference(name, range, Role::Read);
                self.b.ref_mut(mention).flags.set(RefFlags::IN_DOC);
            }
            if is_optional {
                self.b.def_mut(param).flags.set(DefFlags::OPTIONAL);
            }
            let ty = self.described_parts(name, &described[i + 1..]).or(written);
            if self.b.facts().def(param).ty.is_none() {
                self.b.def_mut(param).ty = ty;
            }
        }
    }

    /// The type that `@param {T} name.part` tags describe.
    fn described_parts(&mut self, name: &str, tags: &[&Tag<'_>]) -> Option<TypeId> {
        let mut parts = Vec::new();
        for tag in tags {
            let Some((range, _)) = self.tagged_name(tag) else { break };
            let rest = &self.c.text[range.end as usize..tag.end];
            if self.text(range) != name || !rest.starts_with('.') {
                break;
            }
            let start = range.end as usize + 1;
            let len = word_len(&self.c.text[start..tag.end]);
            if len > 0 && !self.c.text[start + len..tag.end].starts_with(['.', '[']) {
                parts.push((TextRange::new(start as u32, (start + len) as u32), tag.ty));
            }
        }
        let (first, last) = (parts.first()?.0, parts.last()?.0);
        let at = TextRange::new(first.start, first.start);
        let def = self.b.def("", at, SymbolKind::Interface);
        self.b.def_mut(def).flags.set(DefFlags::ANONYMOUS);
        self.b.open(ScopeKind::Class, first.start, Some(def));
        for (range, ty) in parts {
            let property = self.b.def(self.text(range), range, SymbolKind::Property);
            let ty = ty.and_then(|range| self.type_in(range));
            self.b.def_mut(property).ty = ty;
        }
        self.b.close(last.end);
        Some(self.b.ty(TypeExpr::Object(def)))
    }

    /// The function that a documented variable or property holds.
    fn documented_function(&self, def: DefId) -> Option<DefId> {
        let facts = self.b.facts();
        match facts.expr(facts.def(def).init?) {
            Expr::Function(function) => Some(function),
            _ => None,
        }
    }

    /// `@type {T}` of a comment.
    pub(super) fn documented_type(&mut self, doc: TextRange) -> Option<TypeId> {
        let tag = self.tags(doc).into_iter().find(|tag| tag.name == "type")?;
        self.type_in(tag.ty?)
    }

    /// The type of a parameter, or of an expression in parentheses, in JavaScript, by a comment right before
    /// it.
    pub(super) fn commented_type(&mut self, index: usize) -> Option<TypeId> {
        if self.typed {
            return None;
        }
        let doc = self.c.tokens.doc_before(index)?;
        self.documented_type(doc)
    }

    /// `@typedef {T} Name` with its properties, `@callback Name` with its parameters, anywhere.
    fn type_definitions(&mut self) {
        let comments: Vec<TextRange> =
            self.c.tokens.comments.iter().filter(|c| c.is_doc).map(|c| c.range).collect();
        for doc in comments {
            let tags = self.tags(doc);
            for tag in tags.iter().filter(|tag| tag.name == "import") {
                let Some(module) = self.documented_module(tag) else { continue };
                match tag.ty {
                    Some(names) => self.documented_import(names, module),
                    None => self.documented_whole(tag, module),
                }
            }
            let defines = |tag: &Tag<'_>| matches!(tag.name, "typedef" | "callback");
            let starts: Vec<usize> = (0..tags.len()).filter(|i| defines(&tags[*i])).collect();
            for (n, start) in starts.iter().enumerate() {
                let end = starts.get(n + 1).copied().unwrap_or(tags.len());
                // Template tags stand before or behind the definition.
                let from = if n == 0 { 0 } else { *start };
                self.type_definition(tags[*start], &tags[from..end], doc);
            }
        }
    }

    fn type_definition(&mut self, tag: Tag<'_>, parts: &[Tag<'_>], doc: TextRange) {
        let Some((name_range, _)) = self.tagged_name(&tag) else { return };
        let properties: Vec<&Tag<'_>> =
            parts.iter().filter(|tag| matches!(tag.name, "property" | "prop")).collect();
        let is_alias = properties.is_empty();
        let kind = if is_alias { SymbolKind::TypeAlias } else { SymbolKind::Interface };
        let def = self.b.def(self.text(name_range), name_range, kind);
        let d = self.b.def_mut(def);
        d.range = doc;
        d.flags.set(DefFlags::EXPORTED);
        self.b.open(ScopeKind::Class, name_range.end, (!is_alias).then_some(def));
        self.documented_type_parameters(def, parts);
        if tag.name == "callback" {
            let ty = self.described_callback(parts);
            self.b.def_mut(def).ty = Some(ty);
        } else if is_alias {
            let ty = tag.ty.and_then(|range| self.type_in(range));
            self.b.def_mut(def).ty = ty;
        }
        for property in properties {
            self.documented_property(property);
        }
        self.b.close(doc.end);
    }

    fn described_callback(&mut self, parts: &[Tag<'_>]) -> TypeId {
        let mut params = Vec::new();
        let mut result = None;
        for tag in parts {
            let ty = tag.ty.and_then(|range| self.type_in(range));
            match tag.name {
                "param" | "arg" | "argument" => {
                    params.push(ty.unwrap_or_else(|| self.b.ty(TypeExpr::Unknown)));
                }
                "returns" | "return" => result = ty,
                _ => {}
            }
        }
        let params = self.b.list(params);
        self.b.ty(TypeExpr::Function { receiver: None, params, result })
    }

    fn documented_property(&mut self, tag: &Tag<'_>) {
        let Some((range, is_optional)) = self.tagged_name(tag) else { return };
        if self.c.text[range.end as usize..tag.end].starts_with('.') {
            return;
        }
        let property = self.b.def(self.text(range), range, SymbolKind::Property);
        let ty = tag.ty.and_then(|range| self.type_in(range));
        let d = self.b.def_mut(property);
        d.ty = ty;
        if is_optional {
            d.flags.set(DefFlags::OPTIONAL);
        }
    }

    /// `@import { A, B as C } from "m"`.
    fn documented_import(&mut self, names: TextRange, module: RefId) {
        for part in self.text(names).split(',') {
            let (imported, bound) = part.split_once(" as ").unwrap_or((part, part));
            let place =
                |word: &str| self.range_of(word.trim_matches(|c: char| c.is_whitespace() || c == '*'));
            let (imported, bound) = (place(imported), place(bound));
            if imported.is_empty() || bound.is_empty() {
                continue;
            }
            let member = self.b.reference(self.text(imported), imported, Role::Import);
            self.b.ref_mut(member).flags.set(RefFlags::IN_DOC);
            let def = self.b.def(self.text(bound), bound, SymbolKind::Import);
            self.bind(ImportKind::Member, ImportFlags::TYPE_ONLY, Some(module), Some(member), Some(def));
        }
    }

    /// `@import name from "m"`, `@import * as name from "m"`, `@import name, { other } from "m"`.
    fn documented_whole(&mut self, tag: &Tag<'_>, module: RefId) {
        let text = self.c.text;
        let Some((clause, _)) = text[tag.behind..tag.end].split_once(" from ") else { return };
        let clause = match clause.split_once(',') {
            Some((name, others)) => {
                let inner = others.split_once('{').and_then(|(_, inner)| inner.split_once('}'));
                if let Some((names, _)) = inner {
                    self.documented_import(self.range_of(names), module);
                }
                name
            }
            None => clause,
        };
        let (name, is_namespace) = match clause.trim().strip_prefix("* as ") {
            Some(name) => (name.trim(), true),
            None => (clause.trim(), false),
        };
        if name.is_empty() || word_len(name) != name.len() {
            return;
        }
        let range = self.range_of(name);
        let def = self.b.def(name, range, SymbolKind::Import);
        if is_namespace {
            self.bind(ImportKind::Module, ImportFlags::TYPE_ONLY, Some(module), None, Some(def));
            return;
        }
        let member = self.b.reference("default", range, Role::Import);
        let flags = &mut self.b.ref_mut(member).flags;
        flags.set(RefFlags::IMPLICIT);
        flags.set(RefFlags::IN_DOC);
        self.bind(ImportKind::Default, ImportFlags::TYPE_ONLY, Some(module), Some(member), Some(def));
    }

    /// The range of a part of the text.
    fn range_of(&self, part: &str) -> TextRange {
        let start = (part.as_ptr() as usize - self.c.text.as_ptr() as usize) as u32;
        TextRange::new(start, start + part.len() as u32)
    }

    /// The module that `@import` names.
    fn documented_module(&mut self, tag: &Tag<'_>) -> Option<RefId> {
        let rest = &self.c.text[tag.behind..tag.end];
        let open = rest.find(['"', '\''])?;
        let len = rest[open + 1..].find(['"', '\'', '\n'])?;
        let start = (tag.behind + open + 1) as u32;
        let specifier = TextRange::new(start, start + len as u32);
        let module = self.b.reference(self.text(specifier), specifier, Role::Import);
        self.b.ref_mut(module).flags.set(RefFlags::IN_DOC);
        Some(module)
    }

    /// A type written in a comment, read by the ordinary rules.
    pub(super) fn type_in(&mut self, range: TextRange) -> Option<TypeId> {
        let text = &self.c.text[..range.end as usize];
        let tokens = lexer::lex_from(text, range.start as usize);
        let language = self.b.facts().language;
        let builder = std::mem::replace(&mut self.b, FactBuilder::new(language, 0));
        let first = builder.facts().refs.len();
        let mut inner = Parser::over(text, &tokens, builder, true);
        // Closure's words: `?T`, `!T`, `...T`, `T=`, `*`.
        while inner.c.is(b'?') || inner.c.is(b'!') || inner.c.is(b'.') {
            inner.c.bump();
        }
        let ty = if inner.c.is(b'*') { inner.b.ty(TypeExpr::Unknown) } else { inner.ty() };
        let mut builder = inner.b;
        for i in first..builder.facts().refs.len() {
            builder.ref_mut(RefId(i as u32)).flags.set(RefFlags::IN_DOC);
        }
        self.b = builder;
        match self.b.facts().ty(ty) {
            TypeExpr::Unknown => None,
            TypeExpr::Primitive(name) if self.b.facts().name(name) == "const" => None,
            TypeExpr::Named { name, args } => Some(self.closure_type(name, args, ty)),
            _ => Some(ty),
        }
    }

    /// `Array.<T>` and lower-case names of documentation are read as they are meant.
    fn closure_type(&mut self, name: RefId, args: List<TypeId>, ty: TypeId) -> TypeId {
        let text = self.b.facts().ref_name(name);
        match text {
            "Object" | "object" | "function" | "Function" if args.is_empty() => self.b.ty(TypeExpr::Unknown),
            _ => ty,
        }
    }
}
