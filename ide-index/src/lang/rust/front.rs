//! The parser's state, what all its parts use, and the file as a whole.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use ide_model::{Language, SymbolKind, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};

use super::lexer;
use super::makers::Made;
use super::rules::{MacroRules, Source};
use super::skimming::Skimmed;
use crate::builder::FactBuilder;
use crate::facts::{DefFlags, DefId, Expr, ExprId, FileFacts, RefFlags, RefId, Role};
use crate::front::{FrontEnd, Others};
use crate::kit::value::Pending;
use crate::kit::{Cursor, Kind, Token, Tokens};
use crate::sketch::Sketch;

pub(crate) struct Rust;

impl FrontEnd for Rust {
    fn facts(&self, _path: &str, text: &str) -> FileFacts {
        read(text, &lexer::lex(text), FactBuilder::new(Language::Rust, text.len() as u32), None, None)
            .finish()
    }

    fn sketch(&self, _path: &str, text: &str) -> Option<Sketch> {
        let tokens = lexer::lex(text);
        let mut builder = FactBuilder::sketch(Language::Rust, text.len() as u32);
        let skim = Skimmed::new(Source { text, tokens: &tokens }, &mut builder)?;
        Some(read(text, &tokens, builder, None, Some(skim)).finish_sketch())
    }

    fn facts_among(&self, _path: &str, text: &str, others: &dyn Others) -> FileFacts {
        let builder = FactBuilder::new(Language::Rust, text.len() as u32);
        read(text, &lexer::lex(text), builder, Some(others), None).finish()
    }
}

fn read<'a>(
    text: &'a str,
    tokens: &'a Tokens,
    mut builder: FactBuilder,
    others: Option<&'a dyn Others>,
    skim: Option<Skimmed>,
) -> FactBuilder {
    for range in &tokens.unmatched {
        builder.error(*range, "this bracket has no partner");
    }
    super::sharing::share(&mut builder, text, tokens);
    let mut parser = Parser {
        c: Cursor::new(text, tokens),
        skim,
        free: 0..0,
        b: builder,
        pending: Pending::default(),
        functions: Vec::new(),
        no_struct: false,
        macros: 0,
        breaks: Vec::new(),
        seen_above: false,
        makers: FxHashMap::default(),
        made: FxHashSet::default(),
        is_thread_local: false,
        rules: FxHashMap::default(),
        others,
        given: FxHashMap::default(),
        too_much: FxHashSet::default(),
        gave_up: false,
        makes_items: false,
        nested: 0,
        room: super::expand::room(text.len()),
        steps: super::expand::steps(text.len()).into(),
        statement_at: 0,
    };
    let end = tokens.list.len() - 1;
    parser.items(end);
    parser.b
}

pub(super) struct Parser<'a> {
    pub(super) c: Cursor<'a>,
    /// For a sketch: what need not be read.
    pub(super) skim: Option<Skimmed>,
    /// Tokens that say no more than their words, up to one that does.
    pub(super) free: Range<usize>,
    pub(super) b: FactBuilder,
    pub(super) pending: Pending,
    /// The functions and closures around, innermost last.
    pub(super) functions: Vec<DefId>,
    /// In the head of `if`, `while`, `match`, `for`: `x {` is no literal there.
    pub(super) no_struct: bool,
    /// How many macro calls are around.
    pub(super) macros: u32,
    /// The breaks of the loops and labelled blocks around, with their values; the innermost is the last.
    pub(super) breaks: Vec<Breaks<'a>>,
    /// The visibility that was read last is `pub(super)`.
    pub(super) seen_above: bool,
    /// Macros of the file that make items.
    pub(super) makers: FxHashMap<&'a str, Vec<Made>>,
    /// The offsets at which names in macro calls are declarations.
    pub(super) made: FxHashSet<u32>,
    /// In a call of `thread_local!`.
    pub(super) is_thread_local: bool,
    /// Macros of the file so far.
    pub(super) rules: FxHashMap<Box<str>, Rc<MacroRules>>,
    /// The parts that other files give.
    pub(super) others: Option<&'a dyn Others>,
    /// Macros of other files, once asked for.
    pub(super) given: FxHashMap<Box<str>, Option<Rc<MacroRules>>>,
    /// Macros that stand for more than is followed.
    pub(super) too_much: FxHashSet<Box<str>>,
    /// In a call that leads to too much.
    pub(super) gave_up: bool,
    /// The outermost of the calls that are read as what they stand for makes items.
    pub(super) makes_items: bool,
    /// In how many calls that are read as what they stand for.
    pub(super) nested: u32,
    /// How much text calls may stand for yet.
    pub(super) room: usize,
    /// How many tokens may yet be looked at to find out what calls stand for.
    pub(super) steps: Cell<usize>,
    /// The mark of the macro call that a statement begins with.
    pub(super) statement_at: usize,
}

/// The values of the breaks that leave a loop, or what has a label.
pub(super) struct Breaks<'a> {
    pub(super) label: Option<&'a str>,
    pub(super) values: Vec<ExprId>,
}

impl<'a> Parser<'a> {
    pub(super) fn text(&self, token: Token) -> &'a str {
        self.c.str(token)
    }

    /// A word that is no keyword is next.
    pub(super) fn is_name(&self) -> bool {
        self.is_name_at(self.c.at)
    }

    pub(super) fn is_name_at(&self, index: usize) -> bool {
        let token = self.c.token(index);
        token.kind == Kind::Word && token.sub == 0
    }

    /// The word `text`, which is a keyword at some places only, is next.
    pub(super) fn is_soft(&self, text: &str) -> bool {
        self.is_name() && self.text(self.c.peek()) == text
    }

    pub(super) fn is_word_at(&self, index: usize, word: u8) -> bool {
        let token = self.c.token(index);
        token.kind == Kind::Word && token.sub == word
    }

    pub(super) fn is_text(&self, kind: u8) -> bool {
        let token = self.c.peek();
        token.kind == Kind::Text && token.sub == kind
    }

    /// Reads what stands in the group that is next, with whatever `part` does, and goes behind it. `part` is called
    /// until the end; what it does not read is stepped over.
    pub(super) fn group(&mut self, mut part: impl FnMut(&mut Self, usize)) {
        if self.c.peek().kind != Kind::Open {
            return;
        }
        let open = self.c.at;
        let end = self.c.group_end(open);
        if !self.c.deeper() {
            self.c.skip();
            return;
        }
        self.c.bump();
        while self.c.at < end {
            let before = self.c.at;
            part(self, end);
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.at = end;
        if self.c.is_closed(open) {
            self.c.at = end + 1;
        }
        self.c.shallower();
    }

    /// A nameless declaration at the next token.
    pub(super) fn anonymous(&mut self, kind: SymbolKind) -> DefId {
        let at = self.c.peek().start;
        let def = self.b.def("", TextRange::new(at, at), kind);
        self.b.def_mut(def).flags.set(DefFlags::ANONYMOUS);
        def
    }

    pub(super) fn reference(&mut self, token: Token, role: Role, receiver: Option<ExprId>) -> RefId {
        let reference = self.b.reference(self.c.str(token), token.range(), role);
        let r = self.b.ref_mut(reference);
        r.receiver = receiver;
        if self.macros > 0 {
            r.flags.set(RefFlags::IN_MACRO);
        }
        reference
    }

    pub(super) fn unknown(&mut self) -> ExprId {
        self.b.expr(Expr::Unknown)
    }

    /// A lifetime or label that is used.
    pub(super) fn lifetime(&mut self, role: Role) {
        let token = self.c.bump();
        if !matches!(self.text(token), "'static" | "'_") {
            self.reference(token, role, None);
        }
    }

    /// The end of what has been read so far belongs to a declaration that began at token `start`.
    pub(super) fn finish_range(&mut self, def: DefId, start: usize) {
        let end = self.c.last_end();
        let start = self.c.token(start).start;
        self.b.def_mut(def).range = TextRange::new(start, end.max(start));
    }

    /// The documentation right before a token: all its lines.
    pub(super) fn doc_before(&self, index: usize) -> Option<TextRange> {
        let comments = self.c.tokens.comments_before(index);
        let last = comments.iter().rposition(|c| c.is_doc)?;
        let first = comments[..=last].iter().rposition(|c| !c.is_doc).map_or(0, |i| i + 1);
        Some(TextRange::new(comments[first].range.start, comments[last].range.end))
    }
}
