//! Type tests and where they hold: smart casts.

use ide_model::TextRange;

use crate::facts::{Expr, Guard, GuardTest, RefFlags, Role, TypeId};
use crate::kit::conditions::MOST_PARTS;

use super::{Parser, Test, Value};

impl Parser<'_> {
    /// `value is ty`, or `!is`.
    pub(super) fn note_test(&mut self, value: Value, ty: TypeId, if_true: bool) {
        let this = match self.b.facts().expr(value.expr) {
            Expr::This(_) => {
                let at = self.c.last_end();
                let this = self.b.reference("this", TextRange::new(at, at), Role::Read);
                self.flag(this, RefFlags::IMPLICIT);
                Some(this)
            }
            Expr::OuterThis(label) => Some(label),
            _ => None,
        };
        if let Some(subject) = value.name.or(this) {
            self.tests.push(Test { subject, ty, if_true });
        }
    }

    /// Notes the type that an unsafe cast proves from here on.
    pub(super) fn note_cast(&mut self, value: Value, ty: TypeId) {
        if let Some(subject) = value.name {
            let at = self.c.last_end();
            self.proven.push((at, Test { subject, ty, if_true: true }));
        }
    }

    fn guard(&mut self, range: TextRange, test: Test) {
        if !range.is_empty() {
            let Test { subject, ty, .. } = test;
            self.b.guard(Guard { range, subject, test: GuardTest::Type(ty), negated: false });
        }
    }

    /// The tests that were taken off hold in a range.
    pub(super) fn hold_all(&mut self, tests: &[Test], outcome: bool, range: TextRange) {
        for test in tests.iter().filter(|t| t.if_true == outcome) {
            self.guard(range, *test);
        }
    }

    /// The tests since the mark that come out so hold from here to the end of the block.
    pub(super) fn prove(&mut self, tests: &[Test], outcome: bool) {
        let at = self.c.last_end();
        self.proven.extend(tests.iter().filter(|t| t.if_true == outcome).map(|t| (at, *t)));
    }

    /// Only tests with this outcome tell something behind `&&` or `||`.
    pub(super) fn keep_tests(&mut self, mark: usize, outcome: bool) {
        let mut kept: Vec<Test> = self.tests.drain(mark..).filter(|t| t.if_true == outcome).collect();
        self.tests.extend(kept.drain(kept.len().saturating_sub(MOST_PARTS)..));
    }

    pub(super) fn negate_tests(&mut self, mark: usize) {
        for test in &mut self.tests[mark..] {
            test.if_true = !test.if_true;
        }
    }

    pub(super) fn take_tests(&mut self, mark: usize) -> Vec<Test> {
        self.tests.drain(mark..).collect()
    }

    /// A block ends: what was proven in it held to here.
    pub(super) fn end_proofs(&mut self, mark: usize) {
        let end = self.c.last_end();
        for (start, test) in self.proven.split_off(mark) {
            self.guard(TextRange::new(start, end.max(start)), test);
        }
    }
}
