//! Stepping over the bodies of functions: what sketches do.

use super::cursor::Cursor;
use super::tokens::{Kind, Token, Tokens};
use crate::builder::FactBuilder;

/// Which bodies of a file say nothing but words.
pub(crate) struct Skim {
    /// Tokens, in order, for which the body around them must be read.
    telling: Vec<u32>,
}

impl Skim {
    /// `is_telling` gives the tokens that say, perhaps with those beside them, something about what is declared outside
    /// of functions, or a name that is not a word of the text. `None` for a file whose brackets do not match: what is in a
    /// body there is known after it was read.
    pub(crate) fn new(tokens: &Tokens, is_telling: impl Fn(&[Token], usize) -> bool) -> Option<Self> {
        let all = &tokens.list;
        let telling = || (0..all.len()).filter(|at| is_telling(all, *at)).map(|at| at as u32).collect();
        tokens.unmatched.is_empty().then(|| Self { telling: telling() })
    }

    /// Bodies in which documentation stands must be read as well.
    pub(crate) fn with_documentation(mut self, tokens: &Tokens) -> Self {
        self.telling
            .extend(tokens.comments.iter().filter(|comment| comment.is_doc).map(|comment| comment.next));
        self.telling.sort_unstable();
        self
    }

    /// Steps over the group at the cursor and takes its words for names of the file, those that `is_name` admits. False,
    /// and nothing is done, when the group must be read.
    pub(crate) fn over(
        &self,
        c: &mut Cursor<'_>,
        b: &mut FactBuilder,
        is_name: impl Fn(Token) -> bool,
    ) -> bool {
        let (open, end) = (c.at, c.group_end(c.at));
        let next = self.telling.partition_point(|at| (*at as usize) < open);
        if self.telling.get(next).is_some_and(|at| (*at as usize) < end) {
            return false;
        }
        for token in &c.tokens.list[open..end] {
            if token.kind == Kind::Word && is_name(*token) {
                b.word(c.str(*token));
            }
        }
        c.at = c.behind_group(open);
        true
    }
}
