//! Brackets where the order of operations needs them.

use super::{NodeId, Syntax, has};

impl Syntax {
    /// How tightly an expression holds together; atoms most.
    fn tightness(&self, id: NodeId) -> usize {
        let shape = self.shape;
        if self.is_in(id, shape.atoms) {
            return usize::MAX;
        }
        if self.is_in(id, shape.unary) {
            return usize::MAX - 1;
        }
        if self.is_in(id, shape.binary) { self.level(id) } else { 0 }
    }

    /// The rank of the operator of a binary expression, counted from 1.
    fn level(&self, id: NodeId) -> usize {
        let Some(operator) = self.operator(id) else { return 0 };
        let groups = self.shape.operators.split_ascii_whitespace();
        groups
            .enumerate()
            .find(|(_, group)| group.split(',').any(|op| op == operator))
            .map_or(0, |(i, _)| i + 1)
    }

    /// Whether the value that `value` of `of` is needs brackets in the place of `at` in this tree. One that spans lines
    /// needs them wherever a line end would end it.
    pub(in super::super) fn needs_brackets(&self, at: NodeId, of: &Self, value: NodeId) -> bool {
        let tight = of.tightness(value);
        if of.shape.by_indent && of.text_of(value).contains('\n') && !of.is_in(value, of.shape.atoms) {
            return true;
        }
        if tight == usize::MAX {
            // A number before a dot is a number with a fraction.
            let is_number = of.text_of(value).starts_with(|c: char| c.is_ascii_digit());
            return is_number && self.is_receiver(at);
        }
        let Some(parent) = self.parent(at) else { return false };
        if self.stands_in(at, self.shape.free) || has(self.shape.blocks, self.kind(parent)) {
            return false;
        }
        if self.is_in(parent, self.shape.binary) {
            let (outer, is_left) = (self.level(parent), self.named(parent).next() == Some(at));
            let mixes = outer == 0 || tight == 0;
            return mixes || tight < outer || tight == outer && !(is_left && self.is_left_to_right(parent));
        }
        true
    }

    fn is_left_to_right(&self, id: NodeId) -> bool {
        let operator = self.operator(id).unwrap_or("");
        !["**", "??", "==", "!=", "<", ">", "<=", ">=", "===", "!==", "in", "is"].contains(&operator)
    }

    /// Whether something is reached through the value: `value.x`, `value[0]`, `value()`.
    fn is_receiver(&self, at: NodeId) -> bool {
        let after = &self.text[self.range(at).end as usize..];
        after.trim_start().starts_with(['.', '?'])
    }
}
