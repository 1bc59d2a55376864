//! Import statements and `__all__`.

use ide_model::SymbolKind;

use crate::facts::{
    DefId, Export, Expr, Import, ImportFlags, ImportKind, List, RefFlags, RefId, Role, ScopeId,
};

use super::lexer::{T, Tok};
use super::parser::Parser;

const TYPING_MODULES: &[&str] = &["typing", "typing_extensions"];

impl<'a> Parser<'a> {
    fn import_flags(&self) -> ImportFlags {
        if self.branch.is_conditional { ImportFlags::CONDITIONAL } else { ImportFlags::NONE }
    }

    /// Declares a name that an import binds: in the scope of the file where `global` says so.
    fn declare_import(&mut self, tok: Tok) -> DefId {
        let name = self.b.name(self.text(tok));
        let frame = self.frame();
        let scope = if frame.outer_names.contains(&(name, true)) { ScopeId(0) } else { frame.scope };
        self.declare(scope, tok, SymbolKind::Import)
    }

    /// `import a.b.c as d, e`.
    pub(super) fn import_statement(&mut self) {
        self.bump();
        loop {
            if self.kind() != T::Name {
                self.complain("a module's name is missing");
                break;
            }
            let (first, path, module) = self.dotted_name();
            let alias = self.alias();
            let name = alias.unwrap_or(first);
            let scope = self.frame().scope;
            let def = self.declare_import(name);
            if TYPING_MODULES.contains(&module.as_str()) {
                self.typing.push((self.text(name), ""));
            }
            let import = Import {
                kind: ImportKind::Module,
                flags: self.import_flags(),
                scope,
                module: self.b.name(&module),
                level: 0,
                path: self.list(&path),
                member: None,
                exported_as: None,
                def: Some(def),
            };
            self.b.import(import);
            if !self.eat(T::Comma) {
                break;
            }
        }
    }

    /// `from ..a.b import c as d, e`, `from a import *`.
    pub(super) fn member_imports(&mut self) {
        self.bump();
        let mut level = 0u8;
        while matches!(self.kind(), T::Dot | T::Ellipsis) {
            level = level.saturating_add(if self.bump().kind == T::Dot { 1 } else { 3 });
        }
        let (path, module) = if self.kind() == T::Name {
            let (_, path, module) = self.dotted_name();
            (path, module)
        } else {
            (Vec::new(), String::new())
        };
        let path = self.list(&path);
        if !self.eat(T::Import) {
            self.complain("`import` is missing");
            return;
        }
        if self.kind() == T::LParen {
            let close = self.partner(self.pos);
            self.bump();
            self.members(Some(close), &module, level, path);
            self.leave_bracket(close);
        } else {
            self.members(None, &module, level, path);
        }
    }

    fn members(&mut self, close: Option<usize>, module: &str, level: u8, path: List<RefId>) {
        let scope = self.frame().scope;
        while close.is_none_or(|close| self.pos < close) {
            match self.kind() {
                T::Star => {
                    self.bump();
                    // In a branch that does not run it gives nothing.
                    let kind =
                        if self.branch.is_left_out { ImportKind::SideEffect } else { ImportKind::Star };
                    self.member_import(kind, None, module, level, path, scope);
                }
                T::Name => {
                    let tok = self.bump();
                    self.member_import(ImportKind::Member, Some(tok), module, level, path, scope);
                }
                _ if close.is_some() => self.stray_token(),
                _ => {}
            }
            if !self.eat(T::Comma) && (close.is_none() || self.kind() != T::Name) {
                break;
            }
        }
    }

    fn member_import(
        &mut self,
        kind: ImportKind,
        name: Option<Tok>,
        module: &str,
        level: u8,
        path: List<RefId>,
        scope: ScopeId,
    ) {
        let member = name.map(|tok| self.reference(tok, Role::Import));
        let alias = if name.is_some() { self.alias() } else { None };
        let def = alias.or(name).map(|tok| self.declare_import(tok));
        if let Some(name) = name
            && TYPING_MODULES.contains(&module)
        {
            self.typing.push((self.text(alias.unwrap_or(name)), self.text(name)));
        }
        let import = Import {
            kind,
            flags: self.import_flags(),
            scope,
            module: self.b.name(module),
            level,
            path,
            member,
            exported_as: None,
            def,
        };
        self.b.import(import);
    }

    fn alias(&mut self) -> Option<Tok> {
        if !self.eat(T::As) {
            return None;
        }
        if self.kind() == T::Name {
            return Some(self.bump());
        }
        self.complain("a name is missing after `as`");
        None
    }

    /// `a.b.c`: its first token, the references and the text.
    fn dotted_name(&mut self) -> (Tok, Vec<RefId>, String) {
        let first = self.bump();
        let mut last = self.reference(first, Role::Import);
        let mut path = vec![last];
        let mut module = self.text(first).to_owned();
        while self.eat(T::Dot) {
            if self.kind() != T::Name {
                self.complain("a name is missing after the dot");
                break;
            }
            let tok = self.bump();
            let receiver = self.b.expr(Expr::Ref(last));
            last = self.member(tok, Role::Import, receiver);
            path.push(last);
            module.push('.');
            module.push_str(self.text(tok));
        }
        (first, path, module)
    }

    /// Makes the strings of a list that is given to `__all__` exports. `open` is the list's bracket.
    pub(super) fn export_strings(&mut self, open: usize) {
        let close = self.partner(open);
        for i in open + 1..close {
            let tok = self.toks[i];
            if tok.kind != T::Str {
                continue;
            }
            if let Some(reference) = self.string_reference(tok, RefFlags::NONE) {
                let name = self.b.facts().reference(reference).name;
                let value = self.b.expr(Expr::Ref(reference));
                self.b.export(Export { name, value });
            }
        }
    }
}
