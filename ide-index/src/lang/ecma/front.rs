//! JavaScript and TypeScript source to facts: the parser's state and what is shared by its parts.
//!
//! Conventions of this family in the tables:
//! - object literals, type literals and anonymous classes are anonymous declarations whose members are declared in their body;
//! - a destructured name is declared with the value of a reference: `const {a: b} = x` declares `b` with the value `x.a`;
//! - `exports.f = v` declares `f` attached to `exports`, and is an export of its own; `module.exports = v` is an export
//!   without a name;
//! - `this.x = v` in a constructor or method declares a field, unless the class has one; `F.prototype.m = v` and
//!   `F.s = v` are attached to `F`;
//! - type parameters live in a scope of their own around what they belong to.

use ide_model::{Language, SymbolKind, TextRange};
use rustc_hash::FxHashSet;

use super::assign::Declared;
use super::components;
use super::lexer::{self, LAST_RESERVED};
use super::skimming::Bodies;
use crate::builder::FactBuilder;
use crate::facts::{
    DefFlags, DefId, ExprId, FileFacts, List, NameId, Role, ScopeId, ScopeKind, TypeExpr, TypeId,
};
use crate::front::FrontEnd;
use crate::kit::value::Pending;
use crate::kit::{Cursor, Kind, Token, Tokens, scan};
use crate::sketch::Sketch;

pub(crate) struct Ecma;

impl FrontEnd for Ecma {
    fn facts(&self, path: &str, text: &str) -> FileFacts {
        let language = Language::of_path(path).unwrap_or(Language::JavaScript);
        let component = components::component_of(language, text);
        let typed = match &component {
            Some(component) => component.typed,
            None => is_typed(path),
        };
        let (tokens, parts) = match &component {
            Some(component) => (lexer::lex_between(text, 0, 0), Self::lex(component, text)),
            None => (lex(path, text), Vec::new()),
        };
        let builder = FactBuilder::new(language, text.len() as u32);
        let mut parser = Parser::new(path, text, &tokens, builder, typed);
        match &component {
            Some(component) => parser.component(component, &parts),
            None => parser.file(),
        }
        parser.b.finish()
    }

    fn sketch(&self, path: &str, text: &str) -> Option<Sketch> {
        let language = Language::of_path(path)?;
        if components::component_of(language, text).is_some() {
            return None;
        }
        let (tokens, typed) = (lex(path, text), is_typed(path));
        let length = text.len() as u32;
        // In files of declarations functions have no bodies: all is read.
        let (bodies, builder) = match is_declaration_file(path) {
            true => (None, FactBuilder::new(language, length)),
            false => (Some(Bodies::new(text, &tokens, typed)?), FactBuilder::sketch(language, length)),
        };
        let mut parser = Parser::new(path, text, &tokens, builder, typed);
        parser.bodies = bodies.as_ref();
        parser.file();
        if typed {
            // The name of signatures without a name.
            parser.b.word("()");
        }
        Some(parser.b.finish_sketch())
    }
}

fn is_typed(path: &str) -> bool {
    matches!(path.rsplit('.').next(), Some("ts" | "tsx" | "mts" | "cts"))
}

fn lex(path: &str, text: &str) -> Tokens {
    lexer::lex(text, !is_typed(path) || path.ends_with(".tsx"))
}

/// A file that declares what lies elsewhere.
pub(super) fn is_declaration_file(path: &str) -> bool {
    [".d.ts", ".d.mts", ".d.cts"].iter().any(|ending| path.ends_with(ending))
}

pub(super) struct Parser<'a> {
    pub(super) c: Cursor<'a>,
    pub(super) b: FactBuilder,
    pub(super) pending: Pending,
    /// The functions around, innermost last.
    pub(super) functions: Vec<Function>,
    /// TypeScript: types may stand where JavaScript has none.
    pub(super) typed: bool,
    pub(super) ambient: bool,
    /// In the head of a `for`: `in` ends the expression.
    pub(super) no_in: bool,
    /// The question mark of the conditional whose first alternative is read.
    pub(super) choice: Option<usize>,
    /// The scope of the conditional type that is read: where `infer` declares.
    pub(super) conditional: Option<ScopeId>,
    /// The token with which the expression statement that is read begins.
    pub(super) statement: usize,
    /// Whether control never passes the statement that was read last.
    pub(super) exits: bool,
    /// The ends of the blocks around, innermost last.
    pub(super) block_ends: Vec<u32>,
    /// The end of the block, the function and the value of what may be asserted so far.
    pub(super) assertions: FxHashSet<(u32, NameId, NameId)>,
    /// The `switch` statements around, innermost last.
    pub(super) switches: Vec<super::narrow::Switch>,
    /// The declarations of names that may be assigned to.
    pub(super) declared: Declared,
    /// Declarations by assignment to members: the owner, whether it is a member itself, and the name.
    pub(super) attached: FxHashSet<(NameId, bool, NameId)>,
    /// In a component of Vue, Svelte or Astro.
    pub(super) surroundings: Option<components::Surroundings>,
    /// For a sketch: the bodies that need not be read.
    pub(super) bodies: Option<&'a Bodies>,
}

pub(super) struct Function {
    pub(super) def: DefId,
    pub(super) scope: ScopeId,
    pub(super) returns: Vec<ExprId>,
    pub(super) is_arrow: bool,
    /// A function expression that is assigned to something.
    pub(super) is_held: bool,
}

impl<'a> Parser<'a> {
    fn new(path: &str, text: &'a str, tokens: &'a Tokens, mut b: FactBuilder, typed: bool) -> Self {
        for range in &tokens.unmatched {
            b.error(*range, "this bracket has no partner");
        }
        Self {
            ambient: is_declaration_file(path),
            block_ends: vec![text.len() as u32],
            ..Self::over(text, tokens, b, typed)
        }
    }

    /// At the first of some tokens, in nothing yet.
    pub(super) fn over(text: &'a str, tokens: &'a Tokens, b: FactBuilder, typed: bool) -> Self {
        Self {
            c: Cursor::new(text, tokens),
            b,
            pending: Pending::default(),
            functions: Vec::new(),
            typed,
            ambient: false,
            no_in: false,
            choice: None,
            conditional: None,
            statement: 0,
            exits: false,
            block_ends: Vec::new(),
            switches: Vec::new(),
            assertions: FxHashSet::default(),
            declared: Declared::default(),
            attached: FxHashSet::default(),
            surroundings: None,
            bodies: None,
        }
    }

    fn file(&mut self) {
        self.directives();
        self.statements(usize::MAX);
        self.documented_types(0);
    }

    /// A word that is a name here: not reserved.
    pub(super) fn names(token: Token) -> bool {
        token.kind == Kind::Word && (token.sub == 0 || token.sub > LAST_RESERVED)
    }

    pub(super) fn is_name(&self) -> bool {
        Self::names(self.c.peek())
    }

    pub(super) fn str(&self, token: Token) -> &'a str {
        self.c.str(token)
    }

    /// The inside of a string literal.
    pub(super) fn inner(&self, token: Token) -> TextRange {
        scan::inside_quotes(self.c.text, token.range())
    }

    pub(super) fn text(&self, range: TextRange) -> &'a str {
        self.c.text.get(range.start as usize..range.end as usize).unwrap_or("")
    }

    /// A statement may end before the next token.
    pub(super) fn at_end(&self) -> bool {
        let token = self.c.peek();
        token.after_newline || token.is(b';') || token.is(b'}') || token.kind == Kind::End
    }

    pub(super) fn end(&mut self) {
        self.c.eat(b';');
    }

    pub(super) fn declare(&mut self, token: Token, kind: SymbolKind) -> DefId {
        self.b.def(self.c.str(token), token.range(), kind)
    }

    pub(super) fn anonymous(&mut self, kind: SymbolKind) -> DefId {
        let at = self.c.peek().start;
        let def = self.b.def("", TextRange::new(at, at), kind);
        self.b.def_mut(def).flags.set(DefFlags::ANONYMOUS);
        def
    }

    /// The declaration goes from token `start` to here, with the documentation before it.
    pub(super) fn finish(&mut self, def: DefId, start: usize) {
        let range = self.c.since(self.c.token(start).start);
        let doc = self.c.tokens.doc_before(start);
        let d = self.b.def_mut(def);
        d.range = range;
        d.doc = d.doc.or(doc);
    }

    /// A reference to a name in the innermost scope.
    pub(super) fn refer(&mut self, token: Token, role: Role) -> crate::facts::RefId {
        self.b.reference(self.c.str(token), token.range(), role)
    }

    pub(super) fn named(&mut self, name: crate::facts::RefId, args: List<TypeId>) -> TypeId {
        self.b.ty(TypeExpr::Named { name, args })
    }

    /// The scope of the innermost function, or of the module around: where `var` declares.
    pub(super) fn var_scope(&self) -> ScopeId {
        let facts = self.b.facts();
        facts
            .scope_chain(self.b.scope())
            .find(|id| {
                matches!(facts.scope(*id).kind, ScopeKind::Function | ScopeKind::File | ScopeKind::Module)
            })
            .unwrap_or(ScopeId(0))
    }

    /// Reads between brackets, separated by commas; `item` must read or nothing happens.
    pub(super) fn separated(&mut self, separator: u8, mut item: impl FnMut(&mut Self)) {
        let end = self.c.group_end(self.c.at);
        let close = self.c.behind_group(self.c.at);
        self.c.bump();
        while self.c.at < end {
            let before = self.c.at;
            if !self.c.eat(separator) && !self.c.eat(b';') {
                item(self);
            }
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.at = close;
    }
}
