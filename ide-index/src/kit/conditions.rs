//! The parts of a condition, as far as languages agree on them.

use crate::facts::{BinaryOp, Expr, ExprId, FileFacts, UnaryOp};

/// A condition of more parts is not taken apart further: machines write those, and every `&&` asks for all before it.
pub(crate) const MOST_PARTS: usize = 160;

/// The facts that hold where a condition is true, or `negated` false: its parts in the order of the text, and
/// whether each is denied. `!` denies, `&&` that is true and `||` that is false hold in both halves; all else is one
/// part.
pub(crate) fn holding(facts: &FileFacts, condition: ExprId, negated: bool) -> Vec<(ExprId, bool)> {
    let mut parts = Vec::new();
    let mut left = vec![(condition, negated)];
    while let Some((condition, negated)) = left.pop() {
        match facts.expr(condition) {
            Expr::Unary { op: UnaryOp::Not, value } => left.push((value, !negated)),
            Expr::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), left: one, right: other }
                if (op == BinaryOp::And) != negated && parts.len() + left.len() < MOST_PARTS =>
            {
                left.extend([(other, negated), (one, negated)]);
            }
            _ => parts.push((condition, negated)),
        }
    }
    parts
}
