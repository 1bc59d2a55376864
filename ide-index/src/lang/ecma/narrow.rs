//! Narrowing: the tests of values in a condition, and the ranges where they hold.
//!
//! A test is kept as an expression: the class of `instanceof`, or the whole condition (a comparison, `in`, a call). A
//! value that is tested for being true stands in [`Expr::NonNull`], so that it is not taken for a class.

use ide_model::TextRange;

use super::front::Parser;
use crate::facts::{BinaryOp, Expr, ExprId, Guard, GuardTest, RefId, UnaryOp};
use crate::kit::conditions::holding;

/// A `switch` whose clauses are being read.
pub(super) struct Switch {
    subject: ExprId,
    /// The conditions under which the current clause runs.
    labels: Vec<ExprId>,
    /// The start of the clause.
    start: u32,
    is_empty: bool,
}

impl Parser<'_> {
    /// Notes what holds in a range where a condition is true, or `negated` false.
    pub(super) fn narrow(&mut self, condition: ExprId, range: TextRange, negated: bool) {
        if range.is_empty() {
            return;
        }
        for (part, negated) in holding(self.b.facts(), condition, negated) {
            self.narrow_part(part, range, negated);
        }
    }

    fn narrow_part(&mut self, condition: ExprId, range: TextRange, negated: bool) {
        let facts = self.b.facts();
        match facts.expr(condition) {
            Expr::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), left, right } => {
                if (op == BinaryOp::And) == negated
                    && let (Some(a), Some(b)) = (self.tested(left), self.tested(right))
                    && facts.reference(a).name == facts.reference(b).name
                {
                    self.note(a, condition, range, negated);
                }
            }
            Expr::Binary { op: BinaryOp::TypeTest, left, right } => {
                if let (Expr::Ref(subject), Expr::Ref(_)) = (facts.expr(left), facts.expr(right)) {
                    self.note(subject, right, range, negated);
                }
            }
            Expr::Ref(_) => {
                // Of what is true says something only where types tell it from what is false.
                if let Some(subject) = self.tested(condition).filter(|_| self.typed) {
                    let truth = self.b.expr(Expr::NonNull(condition));
                    self.note(subject, truth, range, negated);
                }
            }
            _ => {
                if let Some(subject) = self.tested(condition) {
                    self.note(subject, condition, range, negated);
                }
            }
        }
    }

    fn note(&mut self, subject: RefId, test: ExprId, range: TextRange, negated: bool) {
        self.b.guard(Guard { range, subject, test: GuardTest::Class(test), negated });
    }

    /// The value that a single test is about.
    fn tested(&self, mut condition: ExprId) -> Option<RefId> {
        let facts = self.b.facts();
        let base = |value: ExprId| match facts.expr(value) {
            Expr::Unary { op: UnaryOp::TypeOf, value } => match facts.expr(value) {
                Expr::Ref(subject) => Some(subject),
                _ => None,
            },
            Expr::Ref(member) => match facts.reference(member).receiver.map(|e| facts.expr(e)) {
                Some(Expr::Ref(subject)) => Some(subject),
                _ => None,
            },
            _ => None,
        };
        while let Expr::Unary { op: UnaryOp::Not, value: first }
        | Expr::Binary { op: BinaryOp::Or, left: first, .. } = facts.expr(condition)
        {
            condition = first;
        }
        match facts.expr(condition) {
            Expr::Binary { op: BinaryOp::Compare, left, right } => base(left).or_else(|| base(right)),
            Expr::Binary { op: BinaryOp::In, right, .. } => match facts.expr(right) {
                Expr::Ref(subject) => Some(subject),
                _ => None,
            },
            Expr::Ref(_) => base(condition),
            Expr::Call { callee, args, .. } if matches!(facts.expr(callee), Expr::Ref(_)) => {
                match facts.list(args).next().map(|first| facts.expr(first)) {
                    Some(Expr::Ref(subject)) => Some(subject),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A call whose result nobody asks for may be of a function that `asserts` something: that holds from here on. A
    /// function's assertion about a name is recorded once.
    pub(super) fn asserted(&mut self, value: ExprId) {
        let facts = self.b.facts();
        let Expr::Call { callee, args, .. } = facts.expr(value) else { return };
        let (Expr::Ref(function), Some(first)) = (facts.expr(callee), facts.list(args).next()) else {
            return;
        };
        if !self.typed {
            return;
        }
        let subject = match facts.expr(first) {
            Expr::Ref(subject) => Some(subject),
            Expr::Binary { op: BinaryOp::TypeTest, left, .. } => match facts.expr(left) {
                Expr::Ref(subject) => Some(subject),
                _ => None,
            },
            _ => self.tested(first),
        };
        let (Some(subject), Some(end)) = (subject, self.block_ends.last().copied()) else { return };
        let key = (end, facts.reference(function).name, facts.reference(subject).name);
        let start = self.c.last_end();
        if (end > start) && self.assertions.insert(key) {
            self.note(subject, value, TextRange::new(start, end), false);
        }
    }

    /// `if`, from behind the word.
    pub(super) fn if_statement(&mut self) {
        let condition = self.parenthesised();
        let then = self.ranged_statement();
        let mut exits = self.exits;
        let Some(condition) = condition else { return };
        self.narrow(condition, then, false);
        if self.c.eat_word(super::lexer::ELSE) {
            let otherwise = self.ranged_statement();
            self.narrow(condition, otherwise, true);
            exits &= self.exits;
        } else if exits {
            let end = self.block_ends.last().copied().unwrap_or(then.end);
            self.narrow(condition, TextRange::new(then.end, end.max(then.end)), true);
            exits = false;
        }
        self.exits = exits;
    }

    /// `while`, from behind the word.
    pub(super) fn while_statement(&mut self) {
        let condition = self.parenthesised();
        let body = self.ranged_statement();
        if let Some(condition) = condition {
            self.narrow(condition, body, false);
        }
    }

    fn ranged_statement(&mut self) -> TextRange {
        let start = self.c.peek().start;
        self.statement();
        TextRange::new(start, self.c.last_end().max(start))
    }

    /// `switch`, from behind the word.
    pub(super) fn switch(&mut self) {
        let subject = self.parenthesised();
        let Some(subject) = subject else { return };
        self.switches.push(Switch { subject, labels: Vec::new(), start: 0, is_empty: true });
        self.scoped_block();
        self.end_clause(self.c.last_end());
        self.switches.pop();
    }

    /// A `case` begins, or `default` without a value.
    pub(super) fn clause(&mut self, at: u32, value: Option<ExprId>) {
        self.end_clause(at);
        let behind = self.c.last_end();
        let exits = self.exits;
        let Some(switch) = self.switches.last_mut() else { return };
        if exits || value.is_none() {
            switch.labels.clear();
        }
        switch.start = behind;
        switch.is_empty = value.is_none();
        let subject = switch.subject;
        let Some(value) = value else { return };
        let condition = match self.b.facts().expr(subject) {
            Expr::Literal(crate::facts::Literal::Bool) => value,
            _ => self.b.expr(Expr::Binary { op: BinaryOp::Compare, left: subject, right: value }),
        };
        if let Some(switch) = self.switches.last_mut() {
            switch.labels.push(condition);
        }
    }

    /// The statements of a clause end: what its labels say holds for them.
    fn end_clause(&mut self, at: u32) {
        let Some(switch) = self.switches.last_mut() else { return };
        let range = TextRange::new(switch.start, at.max(switch.start));
        let labels = std::mem::take(&mut switch.labels);
        if switch.is_empty || labels.is_empty() {
            return;
        }
        let mut all = labels[0];
        for label in &labels[1..] {
            all = self.b.expr(Expr::Binary { op: BinaryOp::Or, left: all, right: *label });
        }
        self.narrow(all, range, false);
        if let Some(switch) = self.switches.last_mut() {
            switch.labels = labels;
        }
    }
}
