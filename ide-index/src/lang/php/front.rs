//! PHP source to facts: the parser's state and what is shared by its parts.
//!
//! PHP's own conventions in the tables:
//! - a local variable is declared by its first assignment in a function; names never hold the dollar;
//! - namespaces in a name are references with the role `Package`, chained as receivers;
//! - branches and loops inside functions are `Block` scopes, which declare nothing themselves; an assignment counts from its end;
//! - types from documentation comments stand where declared types stand, when those are missing or say less;
//! - a second namespace of a file is a `Module` scope; the first is the file's package.

use ide_model::{Language, SymbolKind, TextRange};
use rustc_hash::FxHashSet;

use super::lexer;
use super::skimming::Bodies;
use crate::builder::FactBuilder;
use crate::facts::{DefFlags, DefId, ExprId, FileFacts, NameId, ScopeId};
use crate::front::FrontEnd;
use crate::kit::value::Pending;
use crate::kit::{Cursor, Tokens};
use crate::sketch::Sketch;

pub(crate) struct Php;

impl FrontEnd for Php {
    fn facts(&self, _path: &str, text: &str) -> FileFacts {
        let tokens = lexer::lex(text);
        read(text, &tokens, FactBuilder::new(Language::Php, text.len() as u32), None).finish()
    }

    fn sketch(&self, _path: &str, text: &str) -> Option<Sketch> {
        let tokens = lexer::lex(text);
        let bodies = Bodies::new(text, &tokens)?;
        let builder = FactBuilder::sketch(Language::Php, text.len() as u32);
        Some(read(text, &tokens, builder, Some(bodies)).finish_sketch())
    }
}

fn read(text: &str, tokens: &Tokens, mut builder: FactBuilder, bodies: Option<Bodies>) -> FactBuilder {
    for range in &tokens.unmatched {
        builder.error(*range, "this bracket has no partner");
    }
    let mut parser = Parser {
        c: Cursor::new(text, tokens),
        b: builder,
        bodies,
        pending: Pending::default(),
        functions: vec![Function::default()],
        modules: 0,
        has_global_block: false,
        block_end: text.len() as u32,
    };
    parser.file();
    parser.b
}

pub(super) struct Parser<'a> {
    pub(super) c: Cursor<'a>,
    pub(super) b: FactBuilder,
    /// For a sketch: what need not be read.
    pub(super) bodies: Option<Bodies>,
    pub(super) pending: Pending,
    /// The functions around, outermost first; the first is the file.
    pub(super) functions: Vec<Function>,
    /// Namespace scopes opened so far.
    pub(super) modules: u32,
    /// Whether a block of the global namespace came first: `namespace { … }`.
    pub(super) has_global_block: bool,
    /// The end of the innermost block.
    pub(super) block_end: u32,
}

/// The state of a function while it is read.
#[derive(Default)]
pub(super) struct Function {
    pub(super) def: Option<DefId>,
    pub(super) scope: ScopeId0,
    /// Variables that it has, by name.
    pub(super) variables: FxHashSet<NameId>,
    pub(super) returns: Vec<ExprId>,
    pub(super) yields: bool,
    /// An arrow function: sees and changes nothing but reads everything around it.
    pub(super) is_arrow: bool,
}

/// The scope of the file until told otherwise.
#[derive(Clone, Copy)]
pub(super) struct ScopeId0(pub(super) ScopeId);

impl Default for ScopeId0 {
    fn default() -> Self {
        Self(ScopeId(0))
    }
}

impl Parser<'_> {
    fn file(&mut self) {
        while !self.c.is_end() {
            let before = self.c.at;
            self.statement();
            if self.c.at == before {
                self.b.error(self.c.peek().range(), "unexpected here");
                self.c.skip();
            }
        }
    }

    pub(super) fn function(&mut self) -> &mut Function {
        self.functions.last_mut().expect("the file is always there")
    }

    /// True when the variable is known in the innermost function.
    pub(super) fn has_variable(&mut self, name: &str) -> bool {
        let name = self.b.name(name);
        let mut functions = self.functions.iter().rev();
        loop {
            let Some(function) = functions.next() else { return false };
            if function.variables.contains(&name) {
                return true;
            }
            if !function.is_arrow {
                return false;
            }
        }
    }

    /// Declares a variable of the innermost function, in its scope, wherever the declaration stands.
    pub(super) fn declare_variable(&mut self, name: &str, range: TextRange, kind: SymbolKind) -> DefId {
        let scope = self.function().scope.0;
        let def = self.b.def_in(scope, name, range, kind);
        let id = self.b.name(name);
        self.function().variables.insert(id);
        def
    }

    pub(super) fn anonymous(&mut self, kind: SymbolKind) -> DefId {
        let at = self.c.peek().start;
        let def = self.b.def("", TextRange::new(at, at), kind);
        self.b.def_mut(def).flags.set(DefFlags::ANONYMOUS);
        def
    }
}
