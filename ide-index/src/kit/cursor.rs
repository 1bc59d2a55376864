//! Reading the token array.

use ide_model::TextRange;

use super::tokens::{Kind, Token, Tokens};

/// How deep constructs may nest before a front end steps over them. Deeper nesting does not occur in written code,
/// and a stack of 2 MB holds it in an unoptimised build.
pub(crate) const MAX_DEPTH: u32 = 160;

/// How deep a text lies in what it is read in place of.
const INSIDE: u32 = 8;

/// A position in the tokens of a text. Reading past the end gives [`Kind::End`] for ever.
pub(crate) struct Cursor<'a> {
    pub(crate) text: &'a str,
    pub(crate) tokens: &'a Tokens,
    pub(crate) at: usize,
    depth: u32,
}

impl<'a> Cursor<'a> {
    /// At the first token. The tokens must have been finished.
    pub(crate) fn new(text: &'a str, tokens: &'a Tokens) -> Self {
        debug_assert!(tokens.list.last().is_some_and(|t| t.kind == Kind::End));
        Self { text, tokens, at: 0, depth: 0 }
    }

    /// At the first token of a text that is read in place of a part of another one.
    pub(crate) fn inside(text: &'a str, tokens: &'a Tokens, outer: &Cursor<'_>) -> Self {
        Self { depth: (outer.depth + INSIDE).min(MAX_DEPTH), ..Self::new(text, tokens) }
    }

    #[inline]
    pub(crate) fn token(&self, index: usize) -> Token {
        let list = &self.tokens.list;
        list[index.min(list.len() - 1)]
    }

    /// The token that is read next.
    #[inline]
    pub(crate) fn peek(&self) -> Token {
        self.token(self.at)
    }

    /// The one `n` behind it.
    #[inline]
    pub(crate) fn nth(&self, n: usize) -> Token {
        self.token(self.at + n)
    }

    #[inline]
    pub(crate) fn bump(&mut self) -> Token {
        let token = self.peek();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    pub(crate) fn is_end(&self) -> bool {
        self.peek().kind == Kind::End
    }

    /// Punctuation or bracket `byte` is next.
    #[inline]
    pub(crate) fn is(&self, byte: u8) -> bool {
        self.peek().is(byte)
    }

    #[inline]
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let found = self.is(byte);
        if found {
            self.at += 1;
        }
        found
    }

    /// The bytes of `run` stand at token `index` without space between them.
    #[inline]
    pub(crate) fn joined_at(&self, index: usize, run: &[u8]) -> bool {
        let first = self.token(index);
        first.is(run[0])
            && (1..run.len()).all(|i| {
                let token = self.token(index + i);
                token.is(run[i]) && token.start == first.start + i as u32
            })
    }

    /// The bytes of `run` are next without space between them: `->`, `::`, `>>=`.
    #[inline]
    pub(crate) fn is_joined(&self, run: &[u8]) -> bool {
        self.joined_at(self.at, run)
    }

    pub(crate) fn eat_joined(&mut self, run: &[u8]) -> bool {
        let found = self.is_joined(run);
        if found {
            self.at += run.len();
        }
        found
    }

    /// The keyword with this number is next.
    #[inline]
    pub(crate) fn is_word(&self, word: u8) -> bool {
        let token = self.peek();
        token.kind == Kind::Word && token.sub == word
    }

    #[inline]
    pub(crate) fn eat_word(&mut self, word: u8) -> bool {
        let found = self.is_word(word);
        if found {
            self.at += 1;
        }
        found
    }

    pub(crate) fn str(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// The index behind the token at `index`, or behind the whole group when it opens one.
    #[inline]
    pub(crate) fn over(&self, index: usize) -> usize {
        let token = self.token(index);
        match token.kind {
            Kind::Open => self.behind_group(index),
            Kind::End => index,
            _ => index + 1,
        }
    }

    /// The index of the token that ends the group opened at `index`; see [`Token::mate`].
    pub(crate) fn group_end(&self, index: usize) -> usize {
        self.token(index).mate as usize
    }

    /// The group opened at `index` has its closing bracket.
    pub(crate) fn is_closed(&self, index: usize) -> bool {
        let closing = self.token(self.group_end(index));
        closing.kind == Kind::Close && closing.mate as usize == index
    }

    /// The index of the closing bracket without a partner that comes next, groups stepped over.
    pub(crate) fn stray_close(&self) -> Option<usize> {
        let mut i = self.at;
        loop {
            let token = self.token(i);
            match token.kind {
                Kind::End => return None,
                Kind::Close => return (token.mate as usize == i).then_some(i),
                _ => i = self.over(i),
            }
        }
    }

    /// The index behind the group opened at `index`.
    pub(crate) fn behind_group(&self, index: usize) -> usize {
        self.group_end(index) + usize::from(self.is_closed(index))
    }

    /// Steps over a token, or over the whole group that it opens.
    pub(crate) fn skip(&mut self) {
        self.at = self.over(self.at);
    }

    /// End of the last token that was read.
    pub(crate) fn last_end(&self) -> u32 {
        self.at.checked_sub(1).map_or(0, |i| self.token(i).end)
    }

    /// From `start` to the end of the last token that was read.
    pub(crate) fn since(&self, start: u32) -> TextRange {
        TextRange::new(start, self.last_end().max(start))
    }

    /// Goes one level down; false at [`MAX_DEPTH`], and then [`Self::shallower`] must not be called. The caller
    /// steps over what it cannot enter.
    #[must_use]
    pub(crate) fn deeper(&mut self) -> bool {
        let fits = self.depth < MAX_DEPTH;
        self.depth += u32::from(fits);
        fits
    }

    pub(crate) fn shallower(&mut self) {
        self.depth -= 1;
    }
}
