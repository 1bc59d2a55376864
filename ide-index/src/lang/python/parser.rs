//! The state of the reader, what every part of it uses, and the rules by which names are bound.
//!
//! The first binding of a name in a scope is its declaration; later assignments are uses that write. Functions,
//! classes and imports declare anew each time they bind. `self.x = …` declares in the class.

use ide_model::{SymbolKind, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::builder::FactBuilder;
use crate::facts::{
    Assign, DefFlags, DefId, Expr, ExprId, Guard, GuardTest, List, NameId, RefFlags, RefId, Role, ScopeId,
    ScopeKind, SuperKind, SuperType, TypeExpr, TypeId,
};

use super::lexer::{self, StrParts, T, Tok, Tokens, TypeComment};
use super::skimming::Skimmed;

/// Nesting (of brackets, lambdas, blocks) up to which code is understood; what lies deeper yields its names only.
pub(super) const MAX_DEPTH: u32 = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    Module,
    Class,
    Function,
    Lambda,
    Comprehension,
}

/// Whether what is read runs at all; inside of a function or class that counts anew.
#[derive(Clone, Copy, Default)]
pub(super) struct Branch {
    pub(super) is_conditional: bool,
    /// It is known not to run.
    pub(super) is_left_out: bool,
    /// It handles an exception.
    pub(super) is_fallback: bool,
}

/// A scope in which names are bound.
pub(super) struct Frame<'a> {
    pub(super) kind: FrameKind,
    pub(super) scope: ScopeId,
    /// The first parameter of a method and the class whose attributes it holds.
    pub(super) receiver: Option<(&'a str, ScopeId)>,
    pub(super) is_class_receiver: bool,
    pub(super) is_enum: bool,
    pub(super) returns: Vec<ExprId>,
    pub(super) is_generator: bool,
    /// Names that `global` (true) and `nonlocal` (false) send elsewhere.
    pub(super) outer_names: Vec<(NameId, bool)>,
    /// The strings of a class's `__slots__`.
    pub(super) slots: Vec<Tok>,
}

impl Frame<'_> {
    pub(super) fn new(kind: FrameKind, scope: ScopeId) -> Self {
        Self {
            kind,
            scope,
            receiver: None,
            is_class_receiver: false,
            is_enum: false,
            returns: Vec::new(),
            is_generator: false,
            outer_names: Vec::new(),
            slots: Vec::new(),
        }
    }
}

/// A place that a value goes to.
#[derive(Debug)]
pub(super) enum Target {
    /// A name or attribute declared here.
    New(DefId),
    /// Something declared elsewhere.
    Place(ExprId),
    Tuple(Vec<Self>),
    Star(Box<Self>),
    Nothing,
}

/// The attributes of every object; assigning to one declares nothing.
pub(super) const OF_EVERY_OBJECT: &[&str] = &["__class__", "__dict__", "__weakref__"];

/// A type test inside a condition: whether it holds (not negated) or fails (negated) when the condition came out
/// true or false; `None` when that says nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    pub(super) subject: RefId,
    pub(super) class: ExprId,
    pub(super) when_true: Option<bool>,
    pub(super) when_false: Option<bool>,
}

impl Test {
    pub(super) fn negated_if(&self, outcome: bool) -> Option<bool> {
        if outcome { self.when_true } else { self.when_false }
    }
}

pub(super) struct Parser<'a> {
    pub(super) src: &'a str,
    pub(super) b: FactBuilder,
    /// For a sketch: what need not be read.
    pub(super) skim: Option<Skimmed>,
    pub(super) toks: Vec<Tok>,
    comprehensions: Vec<u32>,
    pub(super) type_comments: Vec<TypeComment>,
    pub(super) pos: usize,
    /// End of the last token that is not layout.
    pub(super) last_end: u32,
    pub(super) depth: u32,
    /// Reading code inside a string.
    pub(super) in_string: bool,
    pub(super) frames: Vec<Frame<'a>>,
    bound: FxHashMap<(ScopeId, NameId), DefId>,
    /// Imported names that are variables too.
    beside: FxHashSet<(ScopeId, NameId)>,
    /// Tests of the condition being read.
    pub(super) tests: Vec<Test>,
    /// Tests known to have come out one way from an offset to the end of the block.
    pub(super) holding: Vec<(u32, Test, bool)>,
    /// Local names of `typing` members and modules, as (local, member); the member is empty for a module.
    pub(super) typing: Vec<(&'a str, &'a str)>,
    /// The last call that makes a class of tuples, with the strings that name its fields.
    pub(super) made_tuple: Option<(ExprId, Vec<Tok>)>,
    pub(super) branch: Branch,
    /// At the target of an assignment that says its type.
    pub(super) is_annotated: bool,
    pub(super) is_test_file: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn new(
        path: &str,
        src: &'a str,
        mut tokens: Tokens,
        mut b: FactBuilder,
        skim: Option<Skimmed>,
    ) -> Self {
        tokens.comprehensions.sort_unstable();
        for (start, end, message) in tokens.errors {
            b.error(TextRange::new(start, end), message);
        }
        let file = path.rsplit('/').next().unwrap_or(path);
        let root = Frame::new(FrameKind::Module, b.scope());
        Self {
            src,
            b,
            skim,
            toks: tokens.toks,
            comprehensions: tokens.comprehensions,
            type_comments: tokens.type_comments,
            pos: 0,
            last_end: 0,
            depth: 0,
            in_string: false,
            frames: vec![root],
            bound: FxHashMap::default(),
            beside: FxHashSet::default(),
            tests: Vec::new(),
            holding: Vec::new(),
            typing: Vec::new(),
            made_tuple: None,
            branch: Branch::default(),
            is_annotated: false,
            is_test_file: file.starts_with("test") || file.ends_with("_test.py"),
        }
    }

    pub(super) fn read(mut self) -> FactBuilder {
        self.file();
        self.b
    }

    // --- tokens ---

    pub(super) fn tok(&self) -> Tok {
        self.toks[self.pos]
    }

    pub(super) fn kind(&self) -> T {
        self.toks[self.pos].kind
    }

    /// The kind of a token further on; [`T::Eof`] behind the end.
    pub(super) fn ahead(&self, n: usize) -> T {
        self.toks.get(self.pos + n).map_or(T::Eof, |t| t.kind)
    }

    pub(super) fn text(&self, tok: Tok) -> &'a str {
        &self.src[tok.start as usize..tok.end as usize]
    }

    pub(super) fn range(tok: Tok) -> TextRange {
        TextRange::new(tok.start, tok.end)
    }

    pub(super) fn bump(&mut self) -> Tok {
        let tok = self.tok();
        if tok.kind != T::Eof {
            self.pos += 1;
            if !tok.kind.is_layout() {
                self.last_end = tok.end;
            }
        }
        tok
    }

    pub(super) fn eat(&mut self, kind: T) -> bool {
        let is_there = self.kind() == kind;
        if is_there {
            self.bump();
        }
        is_there
    }

    /// The end of the bracket or f-string at `open`, as a token index.
    pub(super) fn partner(&self, open: usize) -> usize {
        (self.toks[open].aux as usize).clamp(open + 1, self.toks.len() - 1)
    }

    /// Goes behind a bracket whose partner is known, over whatever was not understood.
    pub(super) fn leave_bracket(&mut self, close: usize) {
        if self.pos < close {
            self.complain("not understood");
        }
        while self.pos < close {
            self.stray_token();
        }
        if matches!(self.kind(), T::RParen | T::RBrack | T::RBrace | T::FClose | T::FEnd) && self.pos == close
        {
            self.bump();
        }
    }

    pub(super) fn is_comprehension(&self, open: usize) -> bool {
        self.comprehensions.binary_search(&(open as u32)).is_ok()
    }

    pub(super) fn complain(&mut self, message: &str) {
        self.complain_at(self.pos, message);
    }

    /// The same at a token before.
    pub(super) fn complain_at(&mut self, at: usize, message: &str) {
        let range = Self::range(self.toks[at]);
        // A damaged statement says so once.
        if self.b.facts().errors.last().is_none_or(|e| e.range != range) {
            self.b.error(range, message);
        }
    }

    /// Takes a token that fits nowhere; names still count as uses.
    pub(super) fn stray_token(&mut self) {
        let tok = self.bump();
        if tok.kind == T::Name {
            self.reference(tok, Role::Read);
        }
    }

    /// Takes everything up to `end` as bare names.
    pub(super) fn flat_until(&mut self, end: usize) -> ExprId {
        while self.pos < end && self.kind() != T::Eof {
            self.stray_token();
        }
        self.unknown()
    }

    /// Reads `range` of the source as one expression with `read`.
    pub(super) fn fragment<R>(&mut self, start: u32, end: u32, read: impl FnOnce(&mut Self) -> R) -> R {
        let mut tokens = lexer::expression_tokens(self.src, start, end);
        tokens.comprehensions.sort_unstable();
        let toks = std::mem::replace(&mut self.toks, tokens.toks);
        let comprehensions = std::mem::replace(&mut self.comprehensions, tokens.comprehensions);
        let (pos, last_end) = (self.pos, self.last_end);
        self.pos = 0;
        let was_in_string = std::mem::replace(&mut self.in_string, true);
        let result = read(self);
        self.in_string = was_in_string;
        (self.pos, self.last_end) = (pos, last_end);
        self.toks = toks;
        self.comprehensions = comprehensions;
        result
    }

    /// The range between the quotes of a plain string.
    pub(super) fn string_content(tok: Tok) -> TextRange {
        let parts = StrParts::of(tok);
        let start = (tok.start + parts.head).min(tok.end);
        TextRange::new(start, (tok.end - parts.tail).max(start))
    }

    // --- facts ---

    pub(super) fn frame(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("the module's frame stays")
    }

    pub(super) fn unknown(&mut self) -> ExprId {
        self.b.expr(Expr::Unknown)
    }

    pub(super) fn reference(&mut self, tok: Tok, role: Role) -> RefId {
        let reference = self.b.reference(self.text(tok), Self::range(tok), role);
        if self.in_string {
            self.b.ref_mut(reference).flags.set(RefFlags::IN_STRING);
        }
        reference
    }

    pub(super) fn member(&mut self, tok: Tok, role: Role, receiver: ExprId) -> RefId {
        let reference = self.reference(tok, role);
        self.b.ref_mut(reference).receiver = Some(receiver);
        reference
    }

    /// The frame that a plain binding goes to; a walrus passes through comprehensions.
    fn binding_frame(&self, is_walrus: bool) -> usize {
        let last = self.frames.len() - 1;
        if !is_walrus {
            return last;
        }
        self.frames.iter().rposition(|f| f.kind != FrameKind::Comprehension).unwrap_or(0)
    }

    /// Binds a name by assignment.
    pub(super) fn bind(&mut self, tok: Tok, is_walrus: bool) -> Target {
        let at = self.binding_frame(is_walrus);
        let name = self.b.name(self.text(tok));
        let frame = &self.frames[at];
        let outer = frame.outer_names.iter().find(|(n, _)| *n == name).map(|(_, is_global)| *is_global);
        let (scope, kind) = match (outer, frame.kind) {
            (Some(false), _) => {
                let reference = self.reference(tok, Role::Write);
                return Target::Place(self.b.expr(Expr::Ref(reference)));
            }
            (Some(true), _) => (ScopeId(0), SymbolKind::Variable),
            (None, FrameKind::Class) if frame.is_enum => (frame.scope, SymbolKind::EnumCase),
            (None, FrameKind::Class) => (frame.scope, SymbolKind::Field),
            (None, _) => (frame.scope, SymbolKind::Variable),
        };
        let flags = if outer.is_some() { DefFlags::HOISTED } else { DefFlags::NONE };
        self.declare_once(scope, name, tok, kind, flags, None)
    }

    /// Binds `self.x` in a method, or writes the attribute of another object.
    pub(super) fn bind_attribute(&mut self, tok: Tok, base: ExprId, base_name: Option<&str>) -> Target {
        let frame = self.frames.last().expect("the module's frame stays");
        if let (Some((receiver, class)), Some(base_name)) = (frame.receiver, base_name)
            && receiver == base_name
            && !OF_EVERY_OBJECT.contains(&self.text(tok))
        {
            let name = self.b.name(self.text(tok));
            let mut flags = DefFlags::ATTRIBUTE;
            if frame.is_class_receiver {
                flags.set(DefFlags::STATIC);
            }
            return self.declare_once(class, name, tok, SymbolKind::Field, flags, Some(base));
        }
        let reference = self.member(tok, Role::Write, base);
        Target::Place(self.b.expr(Expr::Ref(reference)))
    }

    /// Declares a name unless its scope has it; an attribute's type declares it anew, and a declaration from inside a function, or from a branch that
    /// does not run, gives way to one in place.
    fn declare_once(
        &mut self,
        scope: ScopeId,
        name: NameId,
        tok: Tok,
        kind: SymbolKind,
        flags: DefFlags,
        base: Option<ExprId>,
    ) -> Target {
        let weak = DefFlags::ATTRIBUTE.0 | DefFlags::HOISTED.0 | DefFlags::NOT_BUILT.0;
        let is_weak = |f: DefFlags| f.0 & weak != 0;
        let flags = if self.branch.is_left_out { flags | DefFlags::NOT_BUILT } else { flags };
        if let Some(known) = self.bound.get(&(scope, name))
            && (is_weak(flags) || !is_weak(self.b.facts().def(*known).flags))
            && !(self.is_annotated
                && flags.has(DefFlags::ATTRIBUTE)
                && self.b.facts().def(*known).ty.is_none())
        {
            let is_imported = base.is_none()
                && !flags.has(DefFlags::HOISTED)
                && self.b.facts().def(*known).kind == SymbolKind::Import;
            let reference = self.reference(tok, Role::Write);
            self.b.ref_mut(reference).receiver = base;
            let place = self.b.expr(Expr::Ref(reference));
            if is_imported {
                self.declare_beside(scope, name, tok, place);
            }
            return Target::Place(place);
        }
        let def = self.b.def_in(scope, self.text(tok), Self::range(tok), kind);
        let made = self.b.def_mut(def);
        made.flags = made.flags | flags;
        if flags.has(DefFlags::HOISTED) {
            made.flags = DefFlags(made.flags.0 & !DefFlags::LOCAL.0);
        }
        self.bound.insert((scope, name), def);
        self.set_visibility(def);
        Target::New(def)
    }

    /// A variable under a name that an import has bound, for searches by name: uses of the name mean what is imported.
    fn declare_beside(&mut self, scope: ScopeId, name: NameId, tok: Tok, place: ExprId) {
        let is_local = !matches!(self.b.facts().scope(scope).kind, ScopeKind::File | ScopeKind::Class);
        if is_local || !self.beside.insert((scope, name)) {
            return;
        }
        let def = self.b.def_in(scope, self.text(tok), Self::range(tok), SymbolKind::Variable);
        let made = self.b.def_mut(def);
        made.flags.set(DefFlags::SYNTHETIC);
        made.attach = Some(place);
        self.set_visibility(def);
    }

    /// Declares a function, class, import, parameter or type parameter: always anew.
    pub(super) fn declare(&mut self, scope: ScopeId, tok: Tok, kind: SymbolKind) -> DefId {
        let def = self.b.def_in(scope, self.text(tok), Self::range(tok), kind);
        let made = &mut self.b.def_mut(def).flags;
        if self.branch.is_left_out {
            made.set(DefFlags::NOT_BUILT);
        }
        if self.branch.is_fallback {
            made.set(DefFlags::OPTIONAL);
        }
        let name = self.b.facts().def(def).name;
        self.bound.entry((scope, name)).or_insert(def);
        self.set_visibility(def);
        def
    }

    /// Attributes that a class only lists, by the names in strings, and sets by other means than `self.x = …`.
    pub(super) fn declare_listed(&mut self, class: ScopeId, strings: &[Tok]) {
        for tok in strings {
            let range = Self::string_content(*tok);
            let text = &self.src[range.start as usize..range.end as usize];
            for listed in text.split([' ', ',']).filter(|listed| is_identifier(listed)) {
                let start = range.start + (listed.as_ptr() as usize - text.as_ptr() as usize) as u32;
                let name = self.b.name(listed);
                if self.bound.contains_key(&(class, name)) {
                    continue;
                }
                let range = TextRange::new(start, start + listed.len() as u32);
                let def = self.b.def_in(class, listed, range, SymbolKind::Field);
                self.b.def_mut(def).flags.set(DefFlags::ATTRIBUTE);
                self.bound.insert((class, name), def);
                self.set_visibility(def);
            }
        }
    }

    /// Makes a name the class of tuples that a call gives it.
    pub(super) fn declare_tuple(&mut self, target: &Target, value: ExprId) {
        let Target::New(def) = *target else { return };
        let Some((_, fields)) = self.made_tuple.take_if(|(call, _)| *call == value) else { return };
        let scope = self.b.open(ScopeKind::Class, self.last_end, Some(def));
        self.declare_listed(scope, &fields);
        self.b.close(self.last_end);
        let ty = self.b.ty(TypeExpr::TypeOf(value));
        let supers = self.list(&[SuperType { kind: SuperKind::Extends, ty }]);
        let made = self.b.def_mut(def);
        made.kind = SymbolKind::Class;
        made.supers = supers;
    }

    fn set_visibility(&mut self, def: DefId) {
        use ide_model::Visibility::{Internal, Private, Protected, Public};
        let facts = self.b.facts();
        let name = facts.def_name(def);
        let in_class = facts.scope(facts.def(def).scope).kind == ScopeKind::Class;
        let visibility = match (name.starts_with("__"), name.ends_with("__"), name.starts_with('_'), in_class)
        {
            (true, false, _, true) => Private,
            (false, _, true, true) => Protected,
            (_, false, true, false) => Internal,
            _ => Public,
        };
        if !facts.def(def).flags.has(DefFlags::LOCAL) {
            self.b.def_mut(def).visibility = Some(visibility);
        }
    }

    /// Gives a value to a target; parts of tuples get their items. The value counts from the end of what was read.
    pub(super) fn give(&mut self, target: &Target, value: ExprId) {
        let at = self.last_end;
        match target {
            Target::New(def) => {
                let def = self.b.def_mut(*def);
                def.init = def.init.or(Some(value));
                def.range.end = def.range.end.max(at);
            }
            Target::Place(_) if self.branch.is_left_out => {}
            Target::Place(target) => self.b.assign(Assign { target: *target, value, at }),
            Target::Tuple(items) => {
                for (index, item) in items.iter().enumerate() {
                    let part = match item {
                        Target::Star(_) => self.b.expr(Expr::Slice(value)),
                        _ => self.b.expr(Expr::Item { base: value, index: index as u32 }),
                    };
                    self.give(item, part);
                }
            }
            Target::Star(inner) => self.give(inner, value),
            Target::Nothing => {}
        }
    }

    /// Reports the tests that came out as `outcome` says, as holding in a range.
    pub(super) fn emit_guards(&mut self, tests: &[Test], outcome: bool, range: TextRange) {
        for test in tests {
            if let Some(negated) = test.negated_if(outcome)
                && !range.is_empty()
            {
                self.b.guard(Guard {
                    range,
                    subject: test.subject,
                    test: GuardTest::Class(test.class),
                    negated,
                });
            }
        }
    }

    /// Ends the tests that hold to the end of a block.
    pub(super) fn end_block(&mut self, mark: usize) {
        let end = self.last_end;
        for (start, test, outcome) in self.holding.split_off(mark) {
            if start < end {
                self.emit_guards(&[test], outcome, TextRange::new(start, end));
            }
        }
    }

    /// The member of `typing` that a name of this file stands for, given the name before a dot if there is one.
    pub(super) fn typing_member(&self, base: Option<&str>, name: &'a str) -> Option<&'a str> {
        let local = base.unwrap_or(name);
        let (_, member) = self.typing.iter().find(|(l, m)| *l == local && m.is_empty() == base.is_some())?;
        Some(if base.is_some() { name } else { member })
    }

    /// Gives the declaration that a bare name at `tok` already has a type, if it has none.
    pub(super) fn type_known(&mut self, name: Tok, ty: TypeId) {
        let scope = self.frame().scope;
        let key = (scope, self.b.name(self.text(name)));
        self.type_of_bound(key, ty);
    }

    /// The same for `self.name`.
    pub(super) fn type_known_attribute(&mut self, receiver: Tok, name: Tok, ty: TypeId) {
        let receiver_name = self.text(receiver);
        let Some((known, class)) = self.frame().receiver else { return };
        if known == receiver_name {
            let key = (class, self.b.name(self.text(name)));
            self.type_of_bound(key, ty);
        }
    }

    fn type_of_bound(&mut self, key: (ScopeId, NameId), ty: TypeId) {
        if let Some(def) = self.bound.get(&key) {
            let def = self.b.def_mut(*def);
            def.ty = def.ty.or(Some(ty));
        }
    }

    pub(super) fn list<I: Copy>(&mut self, items: &[I]) -> List<I>
    where
        u32: From<I>,
    {
        self.b.list(items.iter().copied())
    }
}

pub(super) fn is_identifier(text: &str) -> bool {
    text.bytes().next().is_some_and(|b| !b.is_ascii_digit())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80)
}
