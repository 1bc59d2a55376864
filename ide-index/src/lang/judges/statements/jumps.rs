//! `break`, `continue` and labels.

use super::{MISPLACED, nearest, refuse};
use crate::check::Refused;
use crate::refactor::tree::{NodeId, Syntax, has};

/// How a language jumps, beside what its shape says.
pub(super) struct Jumps {
    /// The kind of the label of a jump; empty where it is not looked at.
    pub(super) label: &'static str,
    /// Kinds that give a statement a label, which is a child of the kind above.
    pub(super) labeled: &'static str,
    /// Statements that a `continue` may mean.
    pub(super) continued: &'static str,
    /// Functions and classes out of which nothing jumps.
    pub(super) bounds: &'static str,
    /// Bounds of which that is not certain.
    pub(super) open: &'static str,
    /// Parts of a loop that do not belong to it.
    pub(super) behind: &'static str,
}

/// Jumps that have nothing to jump out of.
pub(super) fn report(tree: &Syntax, jumps: &Jumps, found: &mut Vec<Refused>) {
    for node in tree.all() {
        let is_break = tree.is_in(node, tree.shape.breaks);
        let is_continue = tree.is_in(node, tree.shape.continues);
        // The word inside of a jump may have the name of its kind.
        let is_inner = tree
            .parent(node)
            .is_some_and(|up| tree.is_in(up, tree.shape.breaks) || tree.is_in(up, tree.shape.continues));
        if is_inner || !(is_break || is_continue) {
            continue;
        }
        let word = if is_break { "break" } else { "continue" };
        let label = tree.named(node).find(|child| tree.is_in(*child, jumps.label));
        match label {
            Some(label) => {
                if !has_label(tree, jumps, node, tree.text_of(label)) {
                    let message = format!("no statement around has the label `{}`", tree.text_of(label));
                    refuse(found, MISPLACED, tree.range(label), message);
                }
            }
            None if tree.text_of(node).contains(['@', '\'']) || tree.is_followed_by(node, '@') => {}
            None => {
                let kinds = if is_break { tree.shape.breakable } else { jumps.continued };
                if is_outside(tree, jumps, node, kinds) {
                    refuse(found, MISPLACED, tree.range(node), format!("`{word}` stands outside of a loop"));
                }
            }
        }
    }
}

/// Whether nothing of these kinds is around a node, up to the function that it is part of.
fn is_outside(tree: &Syntax, jumps: &Jumps, node: NodeId, kinds: &str) -> bool {
    let mut inner = node;
    for up in tree.ancestors(node).skip(1) {
        if has(jumps.open, tree.kind(up)) {
            return false;
        }
        if has(kinds, tree.kind(up)) && !has(jumps.behind, tree.kind(inner)) {
            return false;
        }
        if has(jumps.bounds, tree.kind(up)) {
            return true;
        }
        inner = up;
    }
    has(jumps.bounds, tree.kind(tree.root()))
}

fn has_label(tree: &Syntax, jumps: &Jumps, node: NodeId, label: &str) -> bool {
    for up in tree.ancestors(node).skip(1) {
        if has(jumps.open, tree.kind(up)) {
            return true;
        }
        let is_labeled = has(jumps.labeled, tree.kind(up));
        if is_labeled
            && tree
                .children(up)
                .iter()
                .any(|child| has(jumps.label, tree.kind(*child)) && tree.text_of(*child) == label)
        {
            return true;
        }
        if has(jumps.bounds, tree.kind(up)) {
            return false;
        }
    }
    nearest(tree, node, jumps.bounds).is_none()
}
