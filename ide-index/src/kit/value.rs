//! Values: chains of names and calls, and the values that wait to learn what is expected of them.

use ide_model::TextRange;

use crate::builder::FactBuilder;
use crate::facts::{Expectation, Expr, ExprId, List, RefId, Role, TypeId};

/// A name with what stands before its dot, as a reference and as a value.
pub(crate) fn name(
    b: &mut FactBuilder,
    receiver: Option<ExprId>,
    text: &str,
    range: TextRange,
    role: Role,
) -> (RefId, ExprId) {
    let reference = b.reference(text, range, role);
    b.ref_mut(reference).receiver = receiver;
    (reference, b.expr(Expr::Ref(reference)))
}

pub(crate) fn call(b: &mut FactBuilder, callee: ExprId, type_args: List<TypeId>, args: &[ExprId]) -> ExprId {
    let args = b.list(args.iter().copied());
    b.expr(Expr::Call { callee, type_args, args })
}

/// Values without a type of their own (lambdas, method references, literals that adapt), until the place they
/// stand in is known. Works as a stack: take a [`Self::mark`] before reading an operand, then [`Self::settle`] or
/// [`Self::forget`] what was pushed since.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    values: Vec<(ExprId, u32)>,
}

impl Pending {
    pub(crate) fn mark(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn push(&mut self, value: ExprId) {
        self.values.push((value, 0));
    }

    /// Everything since the mark is argument `index` of a call that is not built yet.
    pub(crate) fn number(&mut self, mark: usize, index: u32) {
        for (_, i) in &mut self.values[mark..] {
            *i = index;
        }
    }

    /// Everything since the mark learns what is expected.
    pub(crate) fn settle(&mut self, b: &mut FactBuilder, mark: usize, what: Expectation) {
        for (value, _) in self.values.drain(mark..) {
            b.expect(value, what);
        }
    }

    /// Everything since the mark is an argument of `call`, with the numbers given before.
    pub(crate) fn settle_arguments(&mut self, b: &mut FactBuilder, mark: usize, call: ExprId) {
        for (value, index) in self.values.drain(mark..) {
            b.expect(value, Expectation::Argument { call, index });
        }
    }

    /// Nothing is expected of what was pushed since the mark.
    pub(crate) fn forget(&mut self, mark: usize) {
        self.values.truncate(mark);
    }
}
