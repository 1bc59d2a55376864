//! Parentheses where the order of operations needs them.

use super::{NodeId, Syntax, has};

/// Tighter than every operator.
const ATOM: usize = usize::MAX;

/// The reason against taking away a text that documents.
pub(in super::super) const DOCUMENTATION: &str = "it is the documentation of what it stands in";

/// The refusal of a value for which [`Syntax::prolongs_chain`] is true.
/// Characters that end or change a text around them.
pub(in super::super) const QUOTES: [char; 5] = ['"', '\'', '\\', '`', '\n'];
pub(in super::super) const SPELLED_OUT: &str = "its own text is part of the value there: `{x = }`";
pub(in super::super) const PROLONGED: &str = "its value may end early where there is no object, and parentheses do not keep the rest of the chain out of that";

impl Syntax {
    /// How tightly an expression holds together; atoms most.
    fn tightness(&self, id: NodeId) -> usize {
        let shape = self.shape;
        if self.is_in(id, shape.atoms) {
            return ATOM;
        }
        match self.level(id) {
            0 if self.is_in(id, shape.unary) => ATOM - 1,
            level => level,
        }
    }

    /// The rank of an expression among the operators, counted from 1; 0 where it has none.
    fn level(&self, id: NodeId) -> usize {
        let (is_binary, operator) = (self.is_in(id, self.shape.binary), self.operator(id).unwrap_or(""));
        let is_it = |word: &str| match word.strip_prefix('@').filter(|rest| !rest.is_empty()) {
            Some(kind) => match kind.split_once(':') {
                Some((kind, sign)) => kind == self.kind(id) && sign == operator,
                None => kind == self.kind(id),
            },
            None => is_binary && word == operator,
        };
        let groups = self.shape.operators.split_ascii_whitespace();
        groups.enumerate().find(|(_, group)| group.split(',').any(is_it)).map_or(0, |(i, _)| i + 1)
    }

    /// Whether the value that `value` of `of` is needs parentheses in the place of `at` in this tree. One that spans lines
    /// needs them wherever a line end would end it.
    pub(in super::super) fn needs_brackets(&self, at: NodeId, of: &Self, value: NodeId) -> bool {
        let tight = of.tightness(value);
        if of.shape.by_indent && of.text_of(value).contains('\n') && !of.is_in(value, of.shape.atoms) {
            return true;
        }
        if self.is_read_otherwise(at, of, value) {
            return true;
        }
        if tight == ATOM {
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

    /// Whether code needs braces in a place: `<a><b /></a>` becomes `<a>{c}</a>`.
    pub(in super::super) fn is_markup(&self, at: NodeId) -> bool {
        self.stands_in(at, self.shape.brackets.markup)
    }

    /// Whether a value would be something else in a place, whatever the ranks of the operators are.
    fn is_read_otherwise(&self, at: NodeId, of: &Self, value: NodeId) -> bool {
        let rules = &self.shape.brackets;
        let text = of.text_of(value);
        let only = rules.only_in.iter().find(|(kinds, _)| of.is_in(value, kinds));
        let before = self.text[..self.range(at).start as usize].chars().next_back();
        let joins = text.chars().next().is_some_and(|c| {
            rules.joins.contains(c) && before == Some(c)
                || before.is_some_and(|before| are_one_sign(before, c))
        });
        let is_outside = || {
            let is_word = |id: &NodeId| of.operator(*id).is_some_and(|word| has(rules.outside.0, word));
            self.ancestors(at).any(|id| self.stands_in(id, rules.outside.1))
                && of.run_by(value).iter().any(is_word)
        };
        // `1.` is a number with a fraction.
        let last_word = text.rsplit(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$')).next();
        let takes_dot = self.text[self.range(at).end as usize..].starts_with('.')
            && last_word.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        only.is_some_and(|(_, places)| !self.stands_in(at, places))
            || joins
            || takes_dot
            || self.clashes(at, of, value)
            || self.stands_in(at, rules.chains.1) && of.ends_chains(value)
            || self.stands_in(at, rules.bare.0) && !of.is_bare(value)
            || self.begins(at, rules.openers.1) && has(rules.openers.0, first_word(text))
            || !rules.outside.1.is_empty() && is_outside()
    }

    /// Whether the operator of a value may not stand beside that of the place.
    fn clashes(&self, at: NodeId, of: &Self, value: NodeId) -> bool {
        let (one, other) = self.shape.brackets.clashes;
        let operator = |syntax: &Self, id: NodeId| {
            let word = syntax.operator(id).filter(|_| syntax.is_in(id, syntax.shape.binary)).unwrap_or("");
            (has(one, word), has(other, word))
        };
        let Some(parent) = self.parent(at) else { return false };
        let (outer, inner) = (operator(self, parent), operator(of, value));
        outer.0 && inner.1 || outer.1 && inner.0
    }

    /// Whether a chain that may end early would go on behind the value, even in parentheses.
    pub(in super::super) fn prolongs_chain(&self, at: NodeId, of: &Self, value: NodeId) -> bool {
        let rules = &self.shape.brackets;
        rules.chains_pass_parentheses && self.stands_in(at, rules.chains.1) && of.ends_chains(value)
    }

    /// Whether what stands behind a value is left out with a part of it.
    fn ends_chains(&self, value: NodeId) -> bool {
        let kinds = self.shape.brackets.chains.0;
        self.head(value).into_iter().any(|id| {
            self.is_in(id, kinds) || self.children(id).iter().any(|child| self.is_in(*child, kinds))
        })
    }

    /// Whether a value is a name, or a member of one.
    fn is_bare(&self, value: NodeId) -> bool {
        let head = self.head(value);
        self.is_in(value, "parenthesized_expression")
            || !head.is_empty() && head.into_iter().all(|id| self.is_in(id, self.shape.brackets.bare.1))
    }

    /// A value and those that it begins with, as far as they hold together without parentheses.
    fn head(&self, value: NodeId) -> Vec<NodeId> {
        let holds =
            |id: &NodeId| self.is_in(*id, self.shape.atoms) && !self.is_in(*id, "parenthesized_expression");
        std::iter::successors(Some(value).filter(holds), |id| self.named(*id).next().filter(holds)).collect()
    }

    /// Whether a node is the first thing of one of some places.
    fn begins(&self, at: NodeId, places: &str) -> bool {
        let start = self.range(at).start;
        self.ancestors(at)
            .take_while(|id| self.range(*id).start == start)
            .any(|id| self.stands_in(id, places))
    }

    /// The separator after the statement before a text that would otherwise continue it.
    pub(in super::super) fn separator(&self, at: NodeId, text: &str) -> &'static str {
        let start = self.range(at).start;
        let continues = text.chars().next().is_some_and(|c| self.shape.brackets.continues.contains(c));
        let statement = self.ancestors(at).filter(|id| self.range(*id).start == start);
        let Some(statement) = statement.filter(|id| self.is_statement(*id)).last().filter(|_| continues)
        else {
            return "";
        };
        let siblings = self.parent(statement).map(|block| self.children(block)).unwrap_or_default();
        let mut before =
            siblings.iter().filter(|id| self.range(**id).start < start && self.is_statement(**id));
        let is_open = |id: &NodeId| {
            let text = self.text_of(*id);
            !text.ends_with(';') && (!text.ends_with('}') || self.is_in(*id, self.shape.expression_statement))
                || self.kind(*id).ends_with("_declaration") && !text.ends_with([';', '}'])
        };
        if before.next_back().is_some_and(is_open) { ";" } else { "" }
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

/// Whether two characters beside each other would be one sign of a language, or part of a number or comment.
fn are_one_sign(before: char, c: char) -> bool {
    matches!((before, c), ('/', '*' | '/') | ('<', '-') | ('&', '^')) || before == '.' && c.is_ascii_digit()
}

/// The word or sign that a text begins with.
fn first_word(text: &str) -> &str {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    match text.chars().next() {
        Some(c) if is_letter(c) => text.split(|c| !is_letter(c)).next().unwrap_or(""),
        Some(c) => &text[..c.len_utf8()],
        None => "",
    }
}
