//! Stepping over the bodies of functions: what sketches do.

use std::ops::Range;

use ide_model::TextRange;

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
    pub(crate) fn new(tokens: &Tokens, mut is_telling: impl FnMut(&[Token], usize) -> bool) -> Option<Self> {
        let all = &tokens.list;
        let mut telling = || (0..all.len()).filter(|at| is_telling(all, *at)).map(|at| at as u32).collect();
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
        self.over_names(c, b, |c, at| {
            let token = c.tokens.list[at];
            is_name(token).then(|| token.range())
        })
    }

    /// As [`Self::over`]; `name` gives the name that the word at an index is.
    pub(crate) fn over_names(
        &self,
        c: &mut Cursor<'_>,
        b: &mut FactBuilder,
        name: impl Fn(&Cursor<'_>, usize) -> Option<TextRange>,
    ) -> bool {
        let (open, end) = (c.at, c.group_end(c.at));
        if any_within(&self.telling, open..end) {
            return false;
        }
        for at in open..end {
            if c.tokens.list[at].kind == Kind::Word
                && let Some(name) = name(c, at)
            {
                b.word_in(c.text, name.start as usize..name.end as usize);
            }
        }
        c.at = c.behind_group(open);
        true
    }
}

/// Whether one of the tokens, which are in order, is in a range.
pub(crate) fn any_within(tokens: &[u32], range: Range<usize>) -> bool {
    !within(tokens, range).is_empty()
}

/// The tokens in a range; `tokens` is in order.
pub(crate) fn within(tokens: &[u32], range: Range<usize>) -> &[u32] {
    let before = |end: usize| tokens.partition_point(|at| (*at as usize) < end);
    &tokens[before(range.start)..before(range.end.max(range.start))]
}
