//! Imports and exports, of both module systems.

use ide_model::{SymbolKind, TextRange};

use super::front::Parser;
use super::lexer::{
    ABSTRACT, AS, ASYNC, CLASS, CONST, DECLARE, DEFAULT, ENUM, FROM, FUNCTION, IMPORT, INTERFACE, STRING,
    TYPE,
};
use crate::facts::{
    DefFlags, DefId, Export, Expr, ExprId, Import, ImportFlags, ImportKind, List, RefFlags, RefId, Role,
    TypeExpr,
};
use crate::kit::{Kind, Token};

/// Functions of module systems and of those who test with them that are given the name of a module.
pub(super) const MODULE_CALLS: &[&str] = &[
    "resolve",
    "mock",
    "doMock",
    "unmock",
    "doUnmock",
    "dontMock",
    "deepUnmock",
    "setMock",
    "requireActual",
    "requireMock",
    "importActual",
    "importMock",
    "createMockFromModule",
    "unstable_mockModule",
    "unstable_unmockModule",
];

impl Parser<'_> {
    /// `/// <reference path="…" />` and `types="…"` before the first statement.
    pub(super) fn directives(&mut self) {
        let text = self.c.text;
        let head = &text[..self.c.peek().start.min(text.len() as u32) as usize];
        for (at, _) in head.match_indices("<reference ") {
            let line = head[at..].lines().next().unwrap_or("");
            if !head[..at].trim_end().ends_with("///") {
                continue;
            }
            for (attribute, prefix) in [(" path=", "./"), (" types=", "")] {
                let Some((before, quoted)) = line.split_once(attribute) else { continue };
                let Some(quote) = quoted.chars().next().filter(|c| matches!(c, '"' | '\'')) else { continue };
                let Some((written, _)) = quoted[1..].split_once(quote) else { continue };
                let start = (at + before.len() + attribute.len() + 1) as u32;
                let prefix = if written.starts_with('.') { "" } else { prefix };
                let range = TextRange::new(start, start + written.len() as u32);
                let module = self.b.reference(&format!("{prefix}{written}"), range, Role::Import);
                self.bind(ImportKind::Directive, ImportFlags::NONE, Some(module), None, None);
            }
        }
    }

    /// `import …` as a statement; `import(…)` and `import.meta` are expressions.
    pub(super) fn import_statement(&mut self) {
        let start = self.c.at;
        self.c.bump();
        let mut flags = ImportFlags::NONE;
        let next = self.c.nth(1);
        let is_from = next.kind == Kind::Word && next.sub == FROM && self.c.nth(2).kind == Kind::Text;
        if self.c.is_word(TYPE) && !is_from && !next.is(b',') && !next.is(b'=') {
            self.c.bump();
            flags.set(ImportFlags::TYPE_ONLY);
        }
        if self.is_name() && self.c.nth(1).is(b'=') {
            self.import_equals(flags, false);
            return;
        }
        let specifier = self.specifier_ahead();
        let module = self.module_reference(specifier);
        if self.c.peek().kind == Kind::Text {
            self.c.bump();
            self.bind(ImportKind::SideEffect, flags, module, None, None);
        } else {
            self.import_clause(flags, module);
            if self.c.eat_word(FROM) {
                self.c.bump();
            }
        }
        // Import attributes.
        if self.c.peek().kind == Kind::Word
            && matches!(self.str(self.c.peek()), "with" | "assert")
            && self.c.nth(1).is(b'{')
        {
            self.c.bump();
            self.c.skip();
        }
        self.end();
        debug_assert!(self.c.at > start);
    }

    /// The string that names the module of the import or export that is being read.
    fn specifier_ahead(&self) -> Option<Token> {
        let mut i = self.c.at;
        loop {
            let token = self.c.token(i);
            match token.kind {
                Kind::Text if token.sub == STRING => return Some(token),
                Kind::Word | Kind::Punct if !token.is(b';') => i += 1,
                Kind::Open if token.is(b'{') => i = self.c.over(i),
                _ => return None,
            }
        }
    }

    /// A reference to a module, in its quotes.
    fn module_reference(&mut self, specifier: Option<Token>) -> Option<RefId> {
        let token = specifier?;
        let range = self.inner(token);
        let text = self.text(range);
        let reference = self.b.reference(text, range, Role::Import);
        Some(reference)
    }

    pub(super) fn bind(
        &mut self,
        kind: ImportKind,
        flags: ImportFlags,
        module: Option<RefId>,
        member: Option<RefId>,
        def: Option<DefId>,
    ) -> crate::facts::ImportId {
        let (name, path) = match module {
            Some(reference) => (self.b.facts().reference(reference).name, self.b.list([reference])),
            None => (self.b.name(""), List::EMPTY),
        };
        let scope = self.b.scope();
        self.b.import(Import {
            kind,
            flags,
            scope,
            module: name,
            level: 0,
            path,
            member,
            exported_as: None,
            def,
        })
    }

    fn import_clause(&mut self, flags: ImportFlags, module: Option<RefId>) {
        if self.is_name() && !(self.c.is_word(FROM) && self.c.nth(1).kind == Kind::Text) {
            let name = self.c.bump();
            let def = self.declare(name, SymbolKind::Import);
            // The import says `default` without the word.
            let member = self.b.reference("default", name.range(), Role::Import);
            self.b.ref_mut(member).flags.set(RefFlags::IMPLICIT);
            self.bind(ImportKind::Default, flags, module, Some(member), Some(def));
            self.c.eat(b',');
        }
        if self.c.eat(b'*') {
            self.c.eat_word(AS);
            if self.c.peek().kind == Kind::Word {
                let name = self.c.bump();
                let def = self.declare(name, SymbolKind::Import);
                self.bind(ImportKind::Module, flags, module, None, Some(def));
            }
        } else if self.c.is(b'{') {
            self.separated(b',', |p| p.import_member(flags, module));
        }
    }

    fn import_member(&mut self, flags: ImportFlags, module: Option<RefId>) {
        let mut flags = flags;
        let next = self.c.nth(1);
        if self.c.is_word(TYPE)
            && next.kind == Kind::Word
            && !(next.sub == AS && self.c.nth(2).kind != Kind::Word)
        {
            self.c.bump();
            flags.set(ImportFlags::TYPE_ONLY);
        }
        let Some((name, range)) = self.property_name() else { return };
        let member = self.b.reference(&name, range, Role::Import);
        let bound = if self.c.eat_word(AS) { self.c.bump().range() } else { range };
        let text = self.text(bound);
        let def = self.b.def(text, bound, SymbolKind::Import);
        let kind = if name == "default" { ImportKind::Default } else { ImportKind::Member };
        self.bind(kind, flags, module, Some(member), Some(def));
    }

    /// `import a = require("m")`, `import a = N.M`.
    fn import_equals(&mut self, mut flags: ImportFlags, exported: bool) {
        let name = self.c.bump();
        self.c.bump();
        if exported {
            flags.set(ImportFlags::EXPORTED);
        }
        let is_require = self.c.peek().kind == Kind::Word
            && self.str(self.c.peek()) == "require"
            && self.c.nth(1).is(b'(');
        if is_require {
            let specifier = Some(self.c.nth(2)).filter(|t| t.kind == Kind::Text);
            let module = self.module_reference(specifier);
            self.c.bump();
            self.c.skip();
            let def = self.declare(name, SymbolKind::Import);
            flags.set(ImportFlags::DYNAMIC);
            self.bind(ImportKind::Module, flags, module, None, Some(def));
        } else {
            let def = self.declare(name, SymbolKind::TypeAlias);
            let ty = self.ty();
            // Another name for what it names.
            let named = match self.b.facts().ty(ty) {
                TypeExpr::Named { name, .. } => {
                    self.b.ref_mut(name).flags.set(RefFlags::TYPE_ONLY);
                    Some(self.b.expr(Expr::Ref(name)))
                }
                _ => None,
            };
            let d = self.b.def_mut(def);
            d.ty = Some(ty);
            d.init = named;
            if exported {
                d.flags.set(DefFlags::EXPORTED);
            }
        }
        self.end();
    }

    /// `require("m")` and `import("m")` as values: an anonymous import, whose declaration is what the value is.
    pub(super) fn dynamic_import(&mut self, specifier: Token) -> Option<ExprId> {
        self.anonymous_import(specifier, ImportFlags::DYNAMIC)
    }

    /// `jest.mock("m")`, `require.resolve("m")`, `import.meta.resolve("m")` name a module, and give something else.
    pub(super) fn name_module_by_call(&mut self, callee: ExprId) {
        let Expr::Ref(reference) = self.b.facts().expr(callee) else { return };
        let facts = self.b.facts();
        let r = facts.reference(reference);
        let Some(receiver) = r.receiver.filter(|_| MODULE_CALLS.contains(&facts.name(r.name))) else {
            return;
        };
        let takes_module = match facts.expr(receiver) {
            Expr::Ref(of) if facts.reference(of).receiver.is_none() => match facts.ref_name(of) {
                "require" => facts.name(r.name) == "resolve",
                "jest" | "vi" | "vitest" => facts.name(r.name) != "resolve",
                _ => false,
            },
            // `import.meta`.
            Expr::Unknown => facts.name(r.name) == "resolve",
            _ => false,
        };
        if takes_module {
            self.name_module(self.c.nth(1));
        }
    }

    /// `new URL("./m", import.meta.url)` names a file beside this one.
    pub(super) fn name_module_by_url(&mut self, class: Option<RefId>) {
        let is_url = class.is_some_and(|class| self.b.facts().ref_name(class) == "URL");
        let specifier = self.c.nth(1);
        let is_relative = || self.text(self.inner(specifier)).starts_with('.');
        let word = |n: usize, text: &str| {
            let token = self.c.nth(n);
            token.kind == Kind::Word && self.str(token) == text
        };
        if is_url
            && specifier.kind == Kind::Text
            && self.c.nth(2).is(b',')
            && word(3, "import")
            && word(5, "meta")
            && word(7, "url")
            && is_relative()
        {
            self.name_module(specifier);
        }
    }

    pub(super) fn name_module(&mut self, specifier: Token) {
        if specifier.kind == Kind::Text && specifier.sub == STRING {
            let module = self.module_reference(Some(specifier));
            self.bind(ImportKind::SideEffect, ImportFlags::DYNAMIC, module, None, None);
        }
    }

    /// The same with other flags.
    pub(super) fn anonymous_import(&mut self, specifier: Token, flags: ImportFlags) -> Option<ExprId> {
        if specifier.kind != Kind::Text || specifier.sub != STRING {
            return None;
        }
        let module = self.module_reference(Some(specifier));
        let at = specifier.start;
        let def = self.b.def("", TextRange::new(at, at), SymbolKind::Import);
        self.b.def_mut(def).flags.set(DefFlags::ANONYMOUS);
        self.bind(ImportKind::Module, flags, module, None, Some(def));
        Some(self.b.expr(Expr::Value(def)))
    }

    pub(super) fn export_statement(&mut self) {
        let start = self.c.at;
        self.c.bump();
        let next = self.c.nth(1);
        if self.c.is_word(DEFAULT) {
            self.export_default(start);
        } else if self.c.eat(b'*') {
            self.export_star();
        } else if self.c.is(b'{') || self.c.is_word(TYPE) && next.is(b'{') {
            self.c.eat_word(TYPE);
            self.export_list();
        } else if self.c.is_word(TYPE) && next.is(b'*') {
            self.c.at += 2;
            self.export_star();
        } else if self.c.eat(b'=') {
            let value = self.expr();
            // An exported name may be a type.
            if let Expr::Ref(name) = self.b.facts().expr(value) {
                self.b.ref_mut(name).flags.set(RefFlags::TYPE_ONLY);
            }
            let name = self.b.name("");
            self.b.export(Export { name, value });
            self.end();
        } else if self.c.is_word(AS) {
            // `export as namespace N`.
            self.c.at += 2;
            if self.is_name() {
                let token = self.c.bump();
                let name = self.b.name(self.str(token));
                let id = self.bind(ImportKind::UmdGlobal, ImportFlags::NONE, None, None, None);
                self.b.import_mut(id).exported_as = Some(name);
            }
            self.end();
        } else if self.c.is_word(IMPORT) {
            self.c.bump();
            self.import_equals(ImportFlags::NONE, true);
        } else {
            let first = self.b.facts().defs.len();
            let scope = self.b.scope();
            self.declaration_statement(start);
            for i in first..self.b.facts().defs.len() {
                let d = &self.b.facts().defs[i];
                if d.scope == scope && !d.flags.has(DefFlags::ANONYMOUS) {
                    self.b.def_mut(DefId(i as u32)).flags.set(DefFlags::EXPORTED);
                }
            }
        }
    }

    fn export_default(&mut self, start: usize) {
        self.c.bump();
        let token = self.c.peek();
        let declares = token.kind == Kind::Word
            && (matches!(token.sub, CLASS | FUNCTION | INTERFACE | ENUM)
                || matches!(token.sub, ASYNC | ABSTRACT | DECLARE)
                    && self.c.nth(1).kind == Kind::Word
                    && !self.c.nth(1).after_newline)
            || token.is(b'@');
        if !declares {
            let mut value = self.expr();
            let is_declared = matches!(
                self.b.facts().expr(value),
                Expr::Ref(_)
                    | Expr::Function(_)
                    | Expr::Class(_)
                    | Expr::Type(_)
                    | Expr::Value(_)
                    | Expr::Assign { .. }
            );
            if !is_declared {
                // A value is declared by being given out.
                let at = self.c.token(start).start;
                let def = self.b.def("", TextRange::new(at, at), SymbolKind::Constant);
                self.b.def_mut(def).flags.set(DefFlags::ANONYMOUS);
                self.b.def_mut(def).init = Some(value);
                value = self.b.expr(Expr::Value(def));
            }
            // An exported name may be a type.
            if let Expr::Ref(name) = self.b.facts().expr(value)
                && self.b.facts().reference(name).receiver.is_none()
            {
                self.b.ref_mut(name).flags.set(RefFlags::TYPE_ONLY);
            }
            let name = self.b.name("default");
            self.b.export(Export { name, value });
            self.end();
            return;
        }
        let first = self.b.facts().defs.len();
        self.declaration_statement(start);
        // A function or class without a name is the default export all the same.
        if first < self.b.facts().defs.len() {
            let def = DefId(first as u32);
            self.give_as_default(def);
        }
    }

    /// Exports a declaration as `default`.
    pub(super) fn give_as_default(&mut self, def: DefId) {
        self.b.def_mut(def).flags.set(DefFlags::EXPORTED | DefFlags::DEFAULT_EXPORT);
        let value = self.b.expr(Expr::Value(def));
        let name = self.b.name("default");
        self.b.export(Export { name, value });
    }

    fn export_star(&mut self) {
        let alias = self.c.eat_word(AS).then(|| self.property_name()).flatten();
        self.c.eat_word(FROM);
        let specifier = Some(self.c.peek()).filter(|t| t.kind == Kind::Text);
        let module = self.module_reference(specifier);
        if specifier.is_some() {
            self.c.bump();
        }
        match alias {
            Some((name, range)) => {
                // A namespace under a name: declared here, and exported.
                let def = self.b.def(&name, range, SymbolKind::Import);
                self.b.def_mut(def).flags.set(DefFlags::ANONYMOUS);
                self.bind(ImportKind::Module, ImportFlags::EXPORTED, module, None, Some(def));
                let value = self.b.expr(Expr::Value(def));
                let name = self.b.name(&name);
                self.b.export(Export { name, value });
            }
            None => {
                self.bind(ImportKind::ReExportStar, ImportFlags::EXPORTED, module, None, None);
            }
        }
        self.end();
    }

    /// `export { a, b as c }`, with or without `from`.
    fn export_list(&mut self) {
        let behind = self.c.behind_group(self.c.at);
        let from = self.c.token(behind);
        let specifier = (from.kind == Kind::Word && from.sub == FROM).then(|| self.c.token(behind + 1));
        let specifier = specifier.filter(|t| t.kind == Kind::Text);
        let module = self.module_reference(specifier);
        self.separated(b',', |p| {
            if p.c.is_word(TYPE) && p.c.nth(1).kind == Kind::Word && p.c.nth(1).sub != AS {
                p.c.bump();
            }
            let Some((name, range)) = p.property_name() else { return };
            let role = if module.is_some() { Role::Import } else { Role::Read };
            let member = p.b.reference(&name, range, role);
            if module.is_none() {
                p.b.ref_mut(member).flags.set(RefFlags::TYPE_ONLY);
            }
            let alias = if p.c.eat_word(AS) { p.property_name() } else { None };
            if let Some((alias, range)) = &alias {
                let named = p.b.reference(alias, *range, Role::Import);
                p.b.ref_mut(named).flags.set(RefFlags::IMPLICIT);
            }
            let exported = alias.map_or_else(|| name.clone(), |(alias, _)| alias);
            if module.is_some() {
                let import = p.bind(ImportKind::ReExport, ImportFlags::EXPORTED, module, Some(member), None);
                let exported = p.b.name(&exported);
                p.b.import_mut(import).exported_as = Some(exported);
            } else {
                let value: ExprId = p.b.expr(Expr::Ref(member));
                let name = p.b.name(&exported);
                p.b.export(Export { name, value });
            }
        });
        if specifier.is_some() {
            self.c.at = behind + 2;
        }
        self.end();
    }

    /// Whether a declaration begins here that `export` or `declare` may stand before.
    pub(super) fn is_const_enum(&self) -> bool {
        self.c.is_word(CONST) && self.c.nth(1).kind == Kind::Word && self.c.nth(1).sub == ENUM
    }
}
