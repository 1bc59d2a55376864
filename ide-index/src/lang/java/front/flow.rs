//! The scopes of pattern variables, and the statements that can end normally (JLS 6.3 and 14.22).

use ide_model::TextRange;

use crate::facts::{BinaryOp, DefId, Guard, GuardTest, NameId, RefFlags, Role, ScopeId};
use crate::kit::Kind;

use super::Parser;
use super::lexer::words as w;

/// The pattern variables that a condition binds.
#[derive(Default)]
pub(super) struct Bound {
    pub(super) if_true: Vec<DefId>,
    pub(super) if_false: Vec<DefId>,
}

impl Bound {
    pub(super) fn negate(&mut self) {
        std::mem::swap(&mut self.if_true, &mut self.if_false);
    }
}

/// How a statement ends.
pub(super) struct End {
    /// Whether what follows can be reached from it.
    pub(super) completes: bool,
    /// The variables that it introduces for what follows in the block.
    pub(super) binds: Vec<DefId>,
}

impl End {
    pub(super) fn of(completes: bool) -> Self {
        Self { completes, binds: Vec::new() }
    }
}

/// A statement that `break` can leave.
struct Exit {
    label: Option<NameId>,
    is_left: bool,
    is_continued: bool,
}

/// A function's knowledge of the statements around the cursor.
#[derive(Default)]
pub(super) struct Flow {
    /// The bindings of the expression that was read last.
    pub(super) bound: Bound,
    /// The scope of the innermost list of statements: pattern variables are declared there.
    pub(super) scope: Option<ScopeId>,
    /// Innermost last.
    exits: Vec<Exit>,
}

/// Operands of one operator in a row: what a left one binds is known in all that follow, up to the last.
#[derive(Default)]
pub(super) struct Row {
    op: Option<BinaryOp>,
    /// Variables, and from where they are known.
    known: Vec<(DefId, u32)>,
    end: u32,
}

impl Parser<'_> {
    pub(super) fn take_bound(&mut self) -> Bound {
        std::mem::take(&mut self.flow.bound)
    }

    /// Reads with a scope in which pattern variables are declared; `None` stands for whichever is open.
    pub(super) fn binding_in<T>(&mut self, scope: Option<ScopeId>, read: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::replace(&mut self.flow.scope, scope);
        let value = read(self);
        self.flow.scope = outside;
        value
    }

    /// Pattern variables can be named from a place up to the cursor.
    pub(super) fn visible(&mut self, variables: &[DefId], start: u32) {
        let end = self.c.last_end();
        self.visible_in(variables, start, end);
    }

    /// The right operand of an operator was read, from a place up to the cursor. The variables are those that the ones before
    /// it bind.
    pub(super) fn known_behind(&mut self, row: &mut Row, op: BinaryOp, variables: &[DefId], start: u32) {
        if row.op != Some(op) {
            self.end_row(row);
            row.op = Some(op);
        }
        let new = variables.iter().skip(row.known.len()).map(|variable| (*variable, start));
        row.known.extend(new);
        row.end = self.c.last_end();
    }

    pub(super) fn end_row(&mut self, row: &mut Row) {
        row.op = None;
        for (variable, start) in std::mem::take(&mut row.known) {
            self.visible_in(&[variable], start, row.end);
        }
    }

    pub(super) fn visible_in(&mut self, variables: &[DefId], start: u32, end: u32) {
        if start >= end {
            return;
        }
        for variable in variables {
            let facts = self.b.facts();
            let behind = facts.def(*variable).name_range.end;
            let name = facts.name(facts.def(*variable).name).to_owned();
            let subject = self.b.reference(&name, TextRange::new(behind, behind), Role::Read);
            self.flag(subject, RefFlags::IMPLICIT);
            let range = TextRange::new(start, end);
            self.b.guard(Guard { range, subject, test: GuardTest::Binds(*variable), negated: false });
        }
    }

    /// Reads what `break` can leave, and says whether it does, and whether something in it goes on with the next round.
    pub(super) fn leavable<T>(
        &mut self,
        label: Option<NameId>,
        read: impl FnOnce(&mut Self) -> T,
    ) -> (T, bool, bool) {
        self.flow.exits.push(Exit { label, is_left: false, is_continued: false });
        let value = read(self);
        let exit = self.flow.exits.pop();
        let (is_left, is_continued) = exit.map_or((true, true), |exit| (exit.is_left, exit.is_continued));
        (value, is_left, is_continued)
    }

    /// `break` or `continue`, with its label.
    pub(super) fn jump(&mut self, is_break: bool, label: Option<NameId>) {
        if !is_break {
            self.flow.exits.iter_mut().for_each(|exit| exit.is_continued = true);
        } else if let Some(exit) = self.flow.exits.iter_mut().rev().find(|exit| exit.label == label) {
            exit.is_left = true;
        }
    }

    /// Whether the parenthesis at `open` holds just `true`.
    pub(super) fn is_always_true(&self, open: usize) -> bool {
        let (mut start, mut end) = (open, self.c.behind_group(open));
        while self.c.token(start).is(b'(') && self.c.behind_group(start) == end && end > start + 1 {
            (start, end) = (start + 1, self.c.group_end(start));
        }
        let token = self.c.token(start);
        end == start + 1 && token.kind == Kind::Word && token.sub == w::TRUE
    }
}
