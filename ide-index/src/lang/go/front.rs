//! Go source to facts: packages, imports, declarations. Types are read in `types`, statements and values in `expr`.
//!
//! Go's own conventions in the tables:
//! - the receiver type of a method is [`crate::Def::receiver`], the receiver variable the first declaration of its body;
//! - a name in a signature that a parameter bears too, and does not mean, is [`RefFlags::TYPE_ONLY`];
//! - several results are one [`TypeExpr::Tuple`]; `a, b := f()` makes [`Expr::Item`]s of the call;
//! - the key of a range over `x` is item 0 of [`Expr::Spread`] of `x`, the value is the [`Expr::Element`] of `x`;
//! - an embedded field is a supertype that mixes in, and a synthetic field at the same place;
//! - the variable of a type switch is declared once in each clause, at the same place, with the clause's type.

use ide_model::{Language, SymbolKind, TextRange, Visibility};

use super::lexer::{self, CONST, FUNC, IMPORT, PACKAGE, STRING, TYPE, VAR};
use crate::builder::FactBuilder;
use crate::facts::{
    DefFlags, DefId, Expr, ExprId, FileFacts, Import, ImportFlags, ImportKind, NameId, RefFlags, RefId, Role,
    ScopeKind, TypeId,
};
use crate::front::FrontEnd;
use crate::kit::value::Pending;
use crate::kit::{Cursor, Kind, Skim, Token, Tokens, scan};
use crate::sketch::Sketch;

pub(crate) struct Go;

impl FrontEnd for Go {
    fn facts(&self, path: &str, text: &str) -> FileFacts {
        let tokens = lexer::lex(text);
        let builder = FactBuilder::new(Language::Go, text.len() as u32);
        read(path, text, &tokens, builder, None).finish()
    }

    fn sketch(&self, path: &str, text: &str) -> Option<Sketch> {
        let tokens = lexer::lex(text);
        let skim = Skim::new(&tokens, |_, _| false)?;
        let builder = FactBuilder::sketch(Language::Go, text.len() as u32);
        Some(read(path, text, &tokens, builder, Some(skim)).finish_sketch())
    }
}

fn read(path: &str, text: &str, tokens: &Tokens, mut b: FactBuilder, skim: Option<Skim>) -> FactBuilder {
    for range in &tokens.unmatched {
        b.error(*range, "this bracket has no partner");
    }
    let mut parser = Parser {
        c: Cursor::new(text, tokens),
        b,
        skim,
        pending: Pending::default(),
        functions: Vec::new(),
        is_test: path.ends_with("_test.go"),
        is_built: super::build::is_built(path, text),
        no_literal: false,
    };
    parser.file();
    parser.b
}

pub(super) struct Parser<'a> {
    pub(super) c: Cursor<'a>,
    pub(super) b: FactBuilder,
    /// For a sketch: what need not be read.
    skim: Option<Skim>,
    pub(super) pending: Pending,
    /// The functions around, innermost last.
    pub(super) functions: Vec<DefId>,
    is_test: bool,
    pub(super) is_built: bool,
    /// In the head of `if`, `for`, `switch`: `x {` is not a literal there.
    pub(super) no_literal: bool,
}

/// The type and value that the names of a `const` group repeat when they give none.
#[derive(Clone, Copy, Default)]
struct Repeated {
    ty: Option<TypeId>,
    value: Option<ExprId>,
}

impl<'a> Parser<'a> {
    fn file(&mut self) {
        if self.c.eat_word(PACKAGE) && self.is_name() {
            let token = self.c.bump();
            let name = self.c.str(token);
            self.b.set_package(name);
            self.b.reference(name, token.range(), Role::Package);
        }
        while !self.c.is_end() {
            let before = self.c.at;
            let token = self.c.peek();
            match (token.kind, token.sub) {
                (Kind::Word, IMPORT) => self.group(|p, _| p.import_spec()),
                (Kind::Word, FUNC) => self.function_declaration(),
                (Kind::Word, TYPE | VAR | CONST) => self.declaration(),
                (Kind::Punct, b';') => {
                    self.c.bump();
                }
                _ => {
                    self.b.error(token.range(), "expected a declaration");
                    self.c.skip();
                    self.resume();
                }
            }
            if self.c.at == before {
                self.c.skip();
            }
        }
    }

    /// After an error: to the next line that begins a declaration.
    fn resume(&mut self) {
        while !self.c.is_end() {
            let token = self.c.peek();
            let begins = token.kind == Kind::Word && matches!(token.sub, FUNC | TYPE | VAR | CONST | IMPORT);
            if begins && token.after_newline {
                return;
            }
            self.c.skip();
        }
    }

    /// `type`, `var` or `const` at any level.
    pub(super) fn declaration(&mut self) {
        let token = self.c.peek();
        match token.sub {
            TYPE => self.group(|p, start| p.type_spec(start)),
            VAR => self.group(|p, start| {
                p.value_spec(start, SymbolKind::Variable, &mut Repeated::default());
            }),
            _ => {
                let mut repeated = Repeated::default();
                self.group(|p, start| p.value_spec(start, SymbolKind::Constant, &mut repeated));
            }
        }
    }

    /// The keyword, then one specification or several in parentheses. Each learns the token index at which its
    /// declaration begins, for its documentation.
    fn group(&mut self, mut spec: impl FnMut(&mut Self, usize)) {
        let keyword = self.c.at;
        self.c.bump();
        if !self.c.is(b'(') {
            spec(self, keyword);
            return;
        }
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        while self.c.at < end {
            let before = self.c.at;
            if !self.c.eat(b';') {
                spec(self, before);
            }
            if self.c.at == before {
                self.b.error(self.c.peek().range(), "unexpected here");
                self.c.skip();
            }
        }
        self.c.at = end;
        self.c.eat(b')');
    }

    pub(super) fn is_name(&self) -> bool {
        let token = self.c.peek();
        token.kind == Kind::Word && token.sub == 0
    }

    /// A statement or specification ends before the next token.
    pub(super) fn at_line_end(&self) -> bool {
        let token = self.c.peek();
        token.after_newline || token.is(b';') || matches!(token.kind, Kind::Close | Kind::End)
    }

    fn import_spec(&mut self) {
        let alias = match self.c.peek() {
            token if token.is(b'.') || self.is_name() => Some(self.c.bump()),
            _ => None,
        };
        let token = self.c.peek();
        if token.kind != Kind::Text || token.sub != STRING {
            self.b.error(token.range(), "expected an import path");
            return;
        }
        self.c.bump();
        let inner = scan::inside_quotes(self.c.text, token.range());
        let path = self.c.text.get(inner.start as usize..inner.end as usize).unwrap_or("");
        let path_ref = self.b.reference(path, inner, Role::Import);
        let (kind, bound) = match alias {
            Some(alias) if alias.is(b'.') => (ImportKind::Star, None),
            Some(alias) if self.c.str(alias) == "_" => (ImportKind::SideEffect, None),
            Some(alias) => (ImportKind::Module, Some((self.c.str(alias), alias.range()))),
            None => (ImportKind::Module, Some((package_of_path(path), token.range()))),
        };
        let def = bound.map(|(name, range)| {
            let def = self.b.def(name, range, SymbolKind::Import);
            self.b.def_mut(def).range = TextRange::new(range.start, token.end);
            def
        });
        let module = self.b.name(path);
        let path = self.b.list([path_ref]);
        let scope = self.b.scope();
        self.b.import(Import {
            kind,
            flags: ImportFlags::NONE,
            scope,
            module,
            level: 0,
            path,
            member: None,
            exported_as: None,
            def,
        });
    }

    fn function_declaration(&mut self) {
        let start = self.c.at;
        self.c.bump();
        let receiver = self.c.is(b'(').then(|| {
            let open = self.c.at;
            self.c.at = self.c.behind_group(open);
            open
        });
        if !self.is_name() {
            self.b.error(self.c.peek().range(), "expected a function name");
            self.resume();
            return;
        }
        let name = self.c.bump();
        let kind = if receiver.is_some() { SymbolKind::Method } else { SymbolKind::Function };
        let def = self.declare(name, kind, start);
        let text = self.c.str(name);
        if self.is_test && ["Test", "Benchmark", "Fuzz", "Example"].iter().any(|p| text.starts_with(p)) {
            self.b.def_mut(def).flags.set(DefFlags::TEST);
        }
        self.b.open(ScopeKind::Function, name.end, Some(def));
        let before = self.read_so_far();
        if let Some(open) = receiver {
            let behind = self.c.at;
            self.c.at = open;
            self.receiver(def);
            self.c.at = behind;
        }
        if self.c.is(b'[') {
            self.type_parameters(def);
        }
        self.signature(def);
        self.outside_of_parameters(before);
        if self.c.is(b'{') {
            self.body(def);
        } else {
            self.b.def_mut(def).flags.set(DefFlags::EXTERNAL);
        }
        self.b.close(self.c.last_end());
        self.finish_range(def, start);
    }

    /// `(r *T[K])`: the variable, and the type whose arguments declare the type parameters anew.
    fn receiver(&mut self, def: DefId) {
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        let named = self.is_name() && {
            let next = self.c.nth(1);
            !(next.is(b')') || next.is(b'[') && self.c.behind_group(self.c.at + 1) == end)
        };
        let variable = named.then(|| self.c.bump());
        // Type arguments of a receiver are declarations: `func (l *List[T]) …`.
        let brackets = (self.c.at..end).find(|i| self.c.token(*i).is(b'['));
        if let Some(open) = brackets {
            let names: Vec<Token> = (open + 1..self.c.group_end(open))
                .map(|i| self.c.token(i))
                .filter(|t| t.kind == Kind::Word && t.sub == 0)
                .collect();
            let params: Vec<DefId> = names
                .into_iter()
                .map(|t| self.b.def(self.c.str(t), t.range(), SymbolKind::TypeParameter))
                .collect();
            let params = self.b.list(params);
            self.b.def_mut(def).type_params = params;
        }
        let ty = self.receiver_type();
        self.b.def_mut(def).receiver = ty;
        if let Some(token) = variable
            && self.c.str(token) != "_"
        {
            let variable = self.b.def(self.c.str(token), token.range(), SymbolKind::Parameter);
            self.b.def_mut(variable).ty = ty;
        }
        self.c.at = end;
    }

    /// `type Name[T any] underlying`, `type Name = other`.
    fn type_spec(&mut self, start: usize) {
        if !self.is_name() {
            return;
        }
        let name = self.c.bump();
        let def = self.declare(name, SymbolKind::Class, start);
        let has_params = self.c.is(b'[') && self.is_type_parameter_list();
        // Type parameters are visible in the whole specification and nowhere else.
        let outer = has_params.then(|| self.b.open(ScopeKind::Class, self.c.peek().start, None));
        if has_params {
            self.type_parameters(def);
        }
        if self.c.eat(b'=') {
            self.b.def_mut(def).kind = SymbolKind::TypeAlias;
        }
        self.underlying_type(def);
        if outer.is_some() {
            self.b.close(self.c.last_end());
        }
        self.finish_range(def, start);
    }

    /// Told from an array type: `[N]T` has one expression before the bracket, `[P any]` a name and a constraint.
    fn is_type_parameter_list(&self) -> bool {
        let first = self.c.nth(1);
        let second = self.c.nth(2);
        first.kind == Kind::Word
            && first.sub == 0
            && !second.is(b']')
            && (second.kind == Kind::Word
                || second.is(b',')
                || second.is(b'~')
                || second.is(b'[')
                    && second.kind == Kind::Open
                    && !self.c.token(self.c.over(self.c.at + 2)).is(b']')
                || second.is(b'*')
                    && self.c.token(self.c.group_end(self.c.at)).is(b']')
                    && !self.c.token(self.c.group_end(self.c.at) + 1).after_newline
                    && self.c.nth(3).kind == Kind::Word
                    && (self.c.nth(4).is(b']') || self.c.nth(4).is(b',') || self.c.nth(4).is(b'|')))
    }

    fn value_spec(&mut self, start: usize, kind: SymbolKind, repeated: &mut Repeated) {
        let mut names = Vec::new();
        while self.is_name() {
            names.push(self.c.bump());
            if !self.c.eat(b',') {
                break;
            }
        }
        if names.is_empty() {
            return;
        }
        let ty = (!self.at_line_end() && !self.c.is(b'=')).then(|| self.ty());
        let defs: Vec<DefId> = names
            .iter()
            .map(|t| {
                let def = self.declare(*t, kind, start);
                self.b.def_mut(def).ty = ty;
                def
            })
            .collect();
        if self.c.eat(b'=') {
            let values = self.expr_list();
            self.initialise(&defs, &values);
            *repeated = Repeated { ty, value: values.first().copied() };
        } else if kind == SymbolKind::Constant {
            for def in &defs {
                let def = self.b.def_mut(*def);
                def.ty = def.ty.or(repeated.ty);
                def.init = repeated.value;
            }
        }
        for def in defs {
            self.finish_range(def, start);
        }
    }

    /// `a, b = x, y` and `a, b = f()`.
    pub(super) fn initialise(&mut self, defs: &[DefId], values: &[ExprId]) {
        for (i, def) in defs.iter().enumerate() {
            let value = match values {
                [one] if defs.len() > 1 => Some(self.b.expr(Expr::Item { base: *one, index: i as u32 })),
                _ => values.get(i).copied(),
            };
            self.b.def_mut(*def).init = value;
        }
    }

    /// Declares a name; `_` is declared nowhere, so it gets an anonymous declaration.
    pub(super) fn declare(&mut self, name: Token, kind: SymbolKind, start: usize) -> DefId {
        let text = self.c.str(name);
        let def = self.b.def(if text == "_" { "" } else { text }, name.range(), kind);
        let doc = self.c.tokens.comments_before(start);
        let doc = match (doc.first(), doc.last()) {
            (Some(first), Some(last)) => Some(self.doc_block(first.range, last.range)),
            _ => None,
        };
        let d = self.b.def_mut(def);
        d.doc = doc;
        if text == "_" {
            d.flags.set(DefFlags::ANONYMOUS);
        }
        if !self.is_built {
            d.flags.set(DefFlags::NOT_BUILT);
        }
        if text.starts_with(char::is_uppercase) {
            d.flags.set(DefFlags::EXPORTED);
            d.visibility = Some(Visibility::Public);
        } else if !d.flags.has(DefFlags::LOCAL) {
            d.visibility = Some(Visibility::Package);
        }
        def
    }

    /// The comment lines right above a declaration: those after the last blank line.
    fn doc_block(&self, first: TextRange, last: TextRange) -> TextRange {
        let text = &self.c.text[first.start as usize..last.end as usize];
        let start = text.rfind("\n\n").map_or(0, |at| at + 2);
        let start = start + (text[start..].len() - text[start..].trim_start().len());
        TextRange::new(first.start + start as u32, last.end)
    }

    fn finish_range(&mut self, def: DefId, start: usize) {
        let end = self.c.last_end();
        let start = self.c.token(start).start;
        self.b.def_mut(def).range = TextRange::new(start, end.max(start));
    }

    /// Parameters and results, after the name and the type parameters.
    pub(super) fn signature(&mut self, def: DefId) {
        let before = self.read_so_far();
        if self.c.is(b'(') {
            let params = self.parameters();
            let params = self.b.list(params);
            self.b.def_mut(def).params = params;
        }
        let result = self.result();
        self.b.def_mut(def).ty = result;
        self.outside_of_parameters(before);
    }

    /// How many references and declarations there are.
    fn read_so_far(&self) -> (usize, usize) {
        (self.b.facts().refs.len(), self.b.facts().defs.len())
    }

    /// Names in a signature do not mean its parameters: `func (node *node) f(time time.Time)`.
    fn outside_of_parameters(&mut self, (refs, defs): (usize, usize)) {
        let facts = self.b.facts();
        let new = facts.defs[defs..].iter().filter(|def| def.kind == SymbolKind::Parameter);
        let mut names: Vec<NameId> = new.map(|def| def.name).collect();
        names.sort_unstable();
        let is_declared = |name| names.binary_search(&name).is_ok();
        let all = (refs..facts.refs.len()).map(|id| RefId(id as u32));
        let hidden: Vec<RefId> = all.filter(|id| is_declared(facts.reference(*id).name)).collect();
        for id in hidden {
            self.b.ref_mut(id).flags.set(RefFlags::TYPE_ONLY);
        }
    }

    /// The block of a function whose scope is open.
    pub(super) fn body(&mut self, def: DefId) {
        let is_name = |token: Token| token.sub == 0;
        if self.skim.as_ref().is_some_and(|skim| skim.over(&mut self.c, &mut self.b, is_name)) {
            return;
        }
        let outer = std::mem::replace(&mut self.no_literal, false);
        self.functions.push(def);
        self.block();
        self.functions.pop();
        self.no_literal = outer;
    }

    pub(super) fn text(&self, token: Token) -> &'a str {
        self.c.str(token)
    }
}

/// The name under which a package is probably known: its last path segment without a major version, without the
/// decoration that module names carry. The package clause says the real name.
pub(super) fn package_of_path(path: &str) -> &str {
    let mut segments = path.rsplit('/');
    let mut last = segments.next().unwrap_or(path);
    let is_version =
        |s: &str| s.len() > 1 && s.starts_with('v') && s[1..].bytes().all(|b| b.is_ascii_digit());
    if is_version(last) {
        last = segments.next().unwrap_or(last);
    }
    if let Some((name, version)) = last.rsplit_once(".v")
        && version.bytes().all(|b| b.is_ascii_digit())
    {
        last = name;
    }
    let last = last.strip_prefix("go-").unwrap_or(last);
    last.strip_suffix("-go").or_else(|| last.strip_suffix(".go")).unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use crate::FrontEnd;
    use crate::lang::go::Go;

    #[test]
    fn an_underscore_that_is_assigned_to_is_no_name() {
        let text = "package a\nfunc f() { _, err := g(); _, err = g(); _ = err }\n";
        let facts = Go.facts("a.go", text);
        assert!(facts.refs.iter().all(|r| facts.name(r.name) != "_"));
    }
}
