//! Tests of what class a value is, as conditions make them.

use crate::facts::{Collection, Expr, ExprId, FileFacts, RefId};
use crate::guard;

use super::parser::{Parser, Test};

impl Parser<'_> {
    /// The test that `isinstance(x, A) or isinstance(x, B)` makes; the tests of the parts end where `spans` say, the
    /// last at the end.
    pub(super) fn either_class(&mut self, mark: usize, spans: &[(usize, u32)]) -> Option<Test> {
        let tests = &self.tests[mark..];
        let is_one_each = tests.len() == spans.len() + 1
            && spans.iter().enumerate().all(|(i, (upto, _))| *upto == mark + i + 1);
        let facts = self.b.facts();
        let subject = tests.first()?.subject;
        let is_class_of_it = |test: &Test| {
            test.when_true == Some(false)
                && !matches!(facts.expr(test.class), Expr::Spread(_) | Expr::Deref(_))
                && is_written_alike(facts, test.subject, subject)
        };
        if !is_one_each || !tests.iter().all(is_class_of_it) {
            return None;
        }
        let classes: Vec<ExprId> = tests.iter().map(|test| test.class).collect();
        let items = self.list(&classes);
        let class = self.b.expr(Expr::Collection { kind: Collection::Tuple, items });
        Some(Test { subject, class, when_true: Some(false), when_false: None })
    }

    /// Remembers what `isinstance(x, C)` and `issubclass(x, C)` test.
    pub(super) fn note_test(&mut self, function: &str, subject: ExprId, second: ExprId) {
        let Expr::Ref(subject) = self.b.facts().expr(subject) else { return };
        let class = match function {
            "isinstance" => second,
            "issubclass" => self.b.expr(Expr::Spread(second)),
            _ => return,
        };
        self.tests.push(Test { subject, class, when_true: Some(false), when_false: Some(true) });
    }

    /// Remembers that a function may promise of what class its argument is (`TypeGuard`).
    pub(super) fn note_promise(&mut self, callee: ExprId, args: &[ExprId]) {
        let facts = self.b.facts();
        let [subject, ..] = *args else { return };
        if let (Expr::Ref(_), Expr::Ref(subject)) = (facts.expr(callee), facts.expr(subject)) {
            let class = self.b.expr(Expr::Deref(callee));
            self.tests.push(Test { subject, class, when_true: Some(false), when_false: None });
        }
    }

    /// Remembers what `type(x) is C` tests; what fails it may still be of a class that derives from it.
    pub(super) fn note_class_test(&mut self, left: ExprId, class: ExprId) {
        let facts = self.b.facts();
        let Expr::Call { callee, args, .. } = facts.expr(left) else { return };
        let (Expr::Ref(callee), Some(value)) = (facts.expr(callee), facts.list(args).next()) else { return };
        let is_type = facts.ref_name(callee) == "type" && facts.reference(callee).receiver.is_none();
        if let (true, Expr::Ref(subject)) = (is_type, facts.expr(value)) {
            self.tests.push(Test { subject, class, when_true: Some(false), when_false: None });
        }
    }
}

/// Whether two references are the same names behind the same names.
fn is_written_alike(facts: &FileFacts, a: RefId, b: RefId) -> bool {
    let (a, b) = (facts.reference(a), facts.reference(b));
    let receivers = (a.receiver.map(|e| facts.expr(e)), b.receiver.map(|e| facts.expr(e)));
    a.name == b.name
        && match receivers {
            (None, None) => true,
            (Some(Expr::Ref(a)), Some(Expr::Ref(b))) => {
                guard::deeper(|| is_written_alike(facts, a, b)).unwrap_or(false)
            }
            _ => false,
        }
}
