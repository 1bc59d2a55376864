//! Statements that compilers refuse for where they stand, or for what stands around them, by language.

mod go;
mod java;
mod jumps;
mod others;

use ide_model::TextRange;

use crate::check::Refused;
use crate::refactor::tree::{NodeId, Syntax, has};

pub(super) use go::go;
pub(super) use java::java;
pub(super) use others::{is_in_macro, kotlin, may_be_rewritten, php, python, rust, typescript};

/// A jump, a label or another statement in a place that has no room for it.
pub(super) const MISPLACED: &str = "misplaced-statement";
pub(super) const RETURN_VALUE: &str = "return-value";
pub(super) const MISSING_RETURN: &str = "missing-return";
pub(super) const UNREACHABLE: &str = "unreachable-code";
pub(super) const DUPLICATE_CASE: &str = "duplicate-case";
/// A write to something that cannot be written to.
pub(super) const CONSTANT: &str = "constant-assignment";
/// A variable that nothing gives a value.
pub(super) const UNRESOLVED_NAME: &str = "unresolved-name";
pub(super) const LITERAL_FIELDS: &str = "literal-fields";
pub(super) const TYPE_MISMATCH: &str = "type-mismatch";
pub(super) const VALUE_COUNT: &str = "value-count";
pub(super) const MISSING_CASE: &str = "missing-case";
pub(super) const WRONG_SUPERTYPE: &str = "wrong-supertype";
/// A member that differs from the one that it overrides.
pub(super) const INCOMPATIBLE_OVERRIDE: &str = "incompatible-override";
pub(super) const MISSING_SUPER: &str = "missing-super";
pub(super) const UNHANDLED_EXCEPTION: &str = "unhandled-exception";
pub(super) const USED_BEFORE: &str = "used-before-declaration";
pub(super) const NOT_CALLABLE: &str = "not-callable";
pub(super) const ARGUMENT_COUNT: &str = "argument-count";

/// The codes of what is found on trees.
pub(crate) const CODES: [&str; 14] = [
    MISPLACED,
    RETURN_VALUE,
    MISSING_RETURN,
    UNREACHABLE,
    DUPLICATE_CASE,
    TYPE_MISMATCH,
    MISSING_CASE,
    VALUE_COUNT,
    WRONG_SUPERTYPE,
    INCOMPATIBLE_OVERRIDE,
    MISSING_SUPER,
    UNHANDLED_EXCEPTION,
    USED_BEFORE,
    NOT_CALLABLE,
];

pub(super) fn refuse(
    found: &mut Vec<Refused>,
    code: &'static str,
    range: TextRange,
    message: impl Into<String>,
) {
    found.push(Refused { code, range, message: message.into() });
}

/// The place of the last character of a node: that of the bracket which ends a body.
fn end_of(tree: &Syntax, node: NodeId) -> TextRange {
    let end = tree.range(node).end;
    TextRange::new(end.saturating_sub(1), end)
}

/// The nearest node around another one that is of one of these kinds.
fn nearest(tree: &Syntax, node: NodeId, kinds: &str) -> Option<NodeId> {
    tree.ancestors(node).skip(1).find(|up| tree.is_in(*up, kinds))
}

/// The first child of one of these kinds.
pub(super) fn child(tree: &Syntax, node: NodeId, kinds: &str) -> Option<NodeId> {
    tree.children(node).iter().copied().find(|child| has(kinds, tree.kind(*child)))
}

/// All children of one of these kinds.
pub(super) fn children<'t>(
    tree: &'t Syntax,
    node: NodeId,
    kinds: &'t str,
) -> impl Iterator<Item = NodeId> + 't {
    tree.children(node).iter().copied().filter(move |child| has(kinds, tree.kind(*child)))
}

/// Reports the second and further of several texts that may stand there once.
fn report_twins(tree: &Syntax, nodes: impl Iterator<Item = NodeId>, what: &str, found: &mut Vec<Refused>) {
    let mut seen = std::collections::BTreeSet::new();
    for node in nodes {
        let text = tree.words(node).concat();
        if !seen.insert(text.clone()) {
            refuse(found, DUPLICATE_CASE, tree.range(node), format!("{what} `{text}` stands there twice"));
        }
    }
}
