//! Calls of macros whose rules the file has: read as what they stand for. Tokens of the call stand at their own
//! place; tokens of the rule have an empty range there.

use std::rc::Rc;

use ide_model::{SymbolKind, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};

use super::front::Parser;
use super::lexer;
use super::rules::{Expansion, MacroRules, Source};
use super::sharing;
use crate::builder::{Extent, FactBuilder};
use crate::facts::{DefFlags, Expr, ExprId, FileFacts, RefFlags, RefId, Role, ScopeKind};
use crate::kit::value::Pending;
use crate::kit::{Cursor, Kind};

/// Calls in what calls stand for are followed this far.
const MAX_NESTED: u32 = 12;

/// Items are often made one by one.
const MAX_NESTED_ITEMS: u32 = 24;

/// So much text calls may stand for in a file of some length.
pub(super) fn room(len: usize) -> usize {
    4 * len + (64 << 10)
}

/// So many tokens are looked at to find out what the calls in a file of some length stand for.
pub(super) fn steps(len: usize) -> usize {
    16 * len + (1 << 20)
}

impl Parser<'_> {
    /// The items that a macro call stands for; the cursor is on `!`. False, with nothing read, where that is unknown.
    pub(super) fn expanded_items(&mut self, callee: RefId) -> bool {
        let Some(expansion) = self.expansion_of(callee, true) else { return false };
        self.makes_items |= self.nested == 0;
        self.read_expansion(callee, &expansion, |p, end| {
            p.items(end);
            None
        })
        .is_some()
    }

    /// The value that a macro call stands for; the cursor is on `!`.
    pub(super) fn expanded_value(&mut self, callee: RefId) -> Option<ExprId> {
        let expansion = self.expansion_of(callee, false)?;
        self.makes_items &= self.nested > 0;
        let is_statement = std::mem::take(&mut self.statement_at) == self.c.at;
        let start = self.c.peek().start;
        let value = self.read_expansion(callee, &expansion, |p, end| {
            let scope = (!is_statement).then(|| p.b.open(ScopeKind::Block, 0, None));
            let mut last = None;
            while p.c.at < end {
                let before = p.c.at;
                last = p.statement(end);
                if p.c.at == before {
                    p.c.skip();
                }
            }
            if scope.is_some() {
                p.b.close(p.c.last_end());
            }
            match (last, scope) {
                (Some(value), Some(scope)) => Some(p.b.expr(Expr::Block { scope, value })),
                (value, _) => value,
            }
        });
        debug_assert!(self.c.at == 0 || self.c.last_end() >= start);
        Some(value?.unwrap_or_else(|| self.unknown()))
    }

    /// The rules of the macro that is called.
    fn rules_of(&mut self, callee: RefId) -> Option<Rc<MacroRules>> {
        let facts = self.b.facts();
        let own = self.rules.get(facts.ref_name(callee));
        let (None, Some(others)) = (own, self.others) else {
            return own.filter(|_| facts.reference(callee).receiver.is_none()).cloned();
        };
        let (krate, name) = sharing::called(facts, callee).last().copied()?;
        let key = krate.map_or_else(|| name.to_owned(), |krate| format!("{krate}::{name}"));
        if let Some(known) = self.given.get(key.as_str()) {
            return known.clone();
        }
        let rules = others.macro_rules(krate, name).map(|text| Rc::new(MacroRules::read(&text)));
        self.given.insert(key.into(), rules.clone());
        rules
    }

    fn expansion_of(&mut self, callee: RefId, is_item: bool) -> Option<Expansion> {
        let rules = self.rules_of(callee)?;
        let most = if is_item { MAX_NESTED_ITEMS } else { MAX_NESTED };
        let is_too_much = self.nested >= most || self.room == 0 || self.steps.get() == 0;
        if is_too_much || self.too_much.contains(self.b.facts().ref_name(callee)) {
            // Items are there without a value in one of them.
            self.gave_up |= self.nested > 0 && (is_item || !self.makes_items);
            return None;
        }
        let open = self.c.at + 1;
        if self.c.token(open).kind != Kind::Open || !self.c.is_closed(open) {
            return None;
        }
        rules.expand(Source { text: self.c.text, tokens: self.c.tokens }, open, &self.steps)
    }

    /// Reads what a call stands for in place of the call; `None`, with nothing read, where that leads to too much.
    fn read_expansion(
        &mut self,
        callee: RefId,
        expansion: &Expansion,
        read: impl FnOnce(&mut Parser<'_>, usize) -> Option<ExprId>,
    ) -> Option<Option<ExprId>> {
        let before = (self.c.at, self.room, self.b.extent());
        let from = self.c.token(self.c.at + 1).start;
        self.c.bump();
        self.c.skip();
        // Names that the rule takes and leaves out are references all the same.
        for at in expansion.dropped(Source { text: self.c.text, tokens: self.c.tokens }) {
            if self.is_name_at(at) {
                let name = self.reference(self.c.token(at), Role::Read, None);
                self.b.ref_mut(name).flags.set(RefFlags::IN_MACRO);
            }
        }
        let call = TextRange::new(from, self.c.last_end());
        let args = self.b.list([]);
        self.b.ref_mut(callee).role = Role::Macro;
        self.b.expr(Expr::Macro { callee, args });
        let mark = self.b.extent();
        let tokens = lexer::lex(&expansion.text);
        let mut inner = Parser {
            c: Cursor::inside(&expansion.text, &tokens, &self.c),
            skim: self.skim.take(),
            free: 0..0,
            b: std::mem::replace(&mut self.b, FactBuilder::new(ide_model::Language::Rust, 0)),
            pending: Pending::default(),
            functions: std::mem::take(&mut self.functions),
            no_struct: false,
            macros: 0,
            breaks: Vec::new(),
            seen_above: false,
            makers: self.makers.clone(),
            made: FxHashSet::default(),
            is_thread_local: false,
            rules: std::mem::take(&mut self.rules),
            others: self.others,
            given: std::mem::take(&mut self.given),
            too_much: std::mem::take(&mut self.too_much),
            gave_up: false,
            makes_items: self.makes_items,
            nested: self.nested + 1,
            room: self.room.saturating_sub(expansion.text.len()),
            steps: self.steps.take().into(),
            statement_at: 0,
        };
        let value = read(&mut inner, tokens.list.len() - 1);
        self.room = inner.room;
        self.steps = inner.steps;
        self.rules = inner.rules;
        self.given = inner.given;
        self.functions = inner.functions;
        self.b = inner.b;
        self.skim = inner.skim;
        self.too_much = inner.too_much;
        self.gave_up |= inner.gave_up && self.nested > 0;
        if inner.gave_up && self.nested == 0 {
            (self.c.at, self.room) = (before.0, before.1);
            self.b.rewind(&before.2);
            self.too_much.insert(self.b.facts().ref_name(callee).into());
            return None;
        }
        put_in_place(self.b.facts_mut(), &mark, expansion, call);
        Some(value)
    }

    /// Keeps the rules in the group at `body` for calls that come later.
    pub(super) fn keep_rules(&mut self, name: &str, body: usize) {
        if self.c.token(body).kind == Kind::Open && self.c.is_closed(body) {
            let end = self.c.token(self.c.group_end(body)).end;
            let text = &self.c.text[self.c.token(body).start as usize..end as usize];
            self.rules.insert(name.into(), Rc::new(MacroRules::read(text)));
        }
    }
}

/// Moves what was read from an expansion to the places in the call.
fn put_in_place(facts: &mut FileFacts, mark: &Extent, expansion: &Expansion, call: TextRange) {
    let start = |position: u32| expansion.start(position);
    let end = |position: u32| expansion.end(position);
    // A part with tokens of the rule at its ends has the range of the whole call.
    let around = |range: TextRange| {
        let from = start(range.start).unwrap_or(call.start);
        TextRange::new(from, end(range.end).unwrap_or(call.end).max(from))
    };
    let name = |range: TextRange, otherwise: u32| match start(range.start) {
        Some(from) => TextRange::new(from, from + range.len()),
        None => TextRange::new(otherwise, otherwise),
    };
    let mut declared = FxHashSet::default();
    let mut first_use: FxHashMap<u32, u32> = FxHashMap::default();
    for r in &facts.refs[mark.refs..] {
        if let Some(place) = start(r.range.start) {
            // A field that is called as a variable is the field.
            let at = if r.role == Role::Key { 0 } else { r.range.start };
            let first = first_use.entry(place).or_insert(at);
            *first = at.min(*first);
        }
    }
    for def in &mut facts.defs[mark.defs..] {
        let is_variable =
            matches!(def.kind, SymbolKind::Variable | SymbolKind::Parameter | SymbolKind::Label);
        let at = def.name_range.start;
        def.name_range = name(def.name_range, call.start);
        // A use before a second declaration of the name means the former one.
        let is_used = first_use.get(&def.name_range.start).is_some_and(|first| *first <= at);
        def.range = if is_variable {
            // Seen by all that follows it in the call.
            let from = start(def.range.start).unwrap_or(call.start);
            TextRange::new(from, end(def.range.end).unwrap_or(from).max(from))
        } else {
            around(def.range)
        };
        def.doc = None;
        if is_variable && is_used {
            def.flags.set(DefFlags::SYNTHETIC);
            let behind = def.name_range.end.max(def.range.start);
            def.range = TextRange::new(behind, behind.max(def.range.end));
        } else if !def.name_range.is_empty() {
            declared.insert(def.name_range.start);
        }
    }
    for scope in &mut facts.scopes[mark.scopes..] {
        scope.range = around(scope.range);
    }
    for guard in &mut facts.guards[mark.guards..] {
        guard.range = around(guard.range);
    }
    for assign in &mut facts.assigns[mark.assigns..] {
        assign.at = start(assign.at).unwrap_or(call.start);
    }
    facts.errors.truncate(mark.errors);
    // A token that the rule uses twice is one use: what it is outside of further calls.
    let mut taken = declared;
    for in_macro in [false, true] {
        for r in &mut facts.refs[mark.refs..] {
            if r.flags.has(RefFlags::IN_MACRO) != in_macro {
                continue;
            }
            let place = name(r.range, call.end);
            let is_first = place.is_empty() || taken.insert(place.start);
            r.range = if is_first { place } else { TextRange::new(call.end, call.end) };
        }
    }
    for r in &mut facts.refs[mark.refs..] {
        r.flags.set(RefFlags::IN_MACRO);
    }
}
