//! Names of classes, functions and constants as written, with their namespaces.

use ide_model::TextRange;

use super::front::Parser;
use super::lexer::{NAMESPACE, VARIABLE};
use crate::facts::{Expr, ExprId, RefFlags, RefId, Role};
use crate::kit::{Kind, Token};

/// One segment of a name: where it stands in the text.
pub(super) type Segment = TextRange;

impl<'a> Parser<'a> {
    /// A word that may be a name here. Keywords may where only a name can stand.
    pub(super) fn is_word_token(token: Token) -> bool {
        token.kind == Kind::Word && token.sub != VARIABLE
    }

    pub(super) fn is_name(&self) -> bool {
        let token = self.c.peek();
        Self::is_word_token(token) && Self::may_be_name(token)
    }

    /// Words that are reserved nowhere or only in places.
    pub(super) fn may_be_name(token: Token) -> bool {
        use super::lexer::{ENUM, MATCH, READONLY, STATIC};
        matches!(token.sub, 0 | ENUM | MATCH | READONLY | STATIC)
    }

    /// A qualified name begins here.
    pub(super) fn at_name(&self) -> bool {
        let token = self.c.peek();
        self.is_name()
            || token.is(b'\\') && Self::is_word_token(self.c.nth(1))
            || token.kind == Kind::Word && token.sub == NAMESPACE && self.c.nth(1).is(b'\\')
    }

    /// Reads `A\B\C`, `\A\B`, `namespace\A`: the segments, and whether the name is absolute.
    pub(super) fn segments(&mut self) -> (Vec<Segment>, bool) {
        let mut segments = Vec::new();
        let absolute = self.c.eat(b'\\');
        if !absolute && self.c.is_word(NAMESPACE) && self.c.nth(1).is(b'\\') {
            self.c.at += 2;
        }
        while Self::is_word_token(self.c.peek()) {
            segments.push(self.c.bump().range());
            if !(self.c.is(b'\\') && Self::is_word_token(self.c.nth(1))) {
                break;
            }
            self.c.bump();
        }
        (segments, absolute)
    }

    /// A name as a chain of references: the last one has the role, those before it are namespaces.
    pub(super) fn name(&mut self, role: Role) -> Option<(RefId, ExprId)> {
        let (segments, absolute) = self.segments();
        self.name_of(&segments, absolute, role)
    }

    pub(super) fn name_of(
        &mut self,
        segments: &[Segment],
        absolute: bool,
        role: Role,
    ) -> Option<(RefId, ExprId)> {
        let (last, before) = segments.split_last()?;
        let head = &self.c.text[..segments[0].start as usize];
        let is_relative = !absolute && head.ends_with('\\');
        let mut receiver: Option<ExprId> = None;
        for segment in before {
            let reference = {
                let text = self.text(*segment);
                self.b.reference(text, *segment, Role::Package)
            };
            let r = self.b.ref_mut(reference);
            r.receiver = receiver;
            if absolute && receiver.is_none() {
                r.flags.set(RefFlags::ABSOLUTE);
            }
            if is_relative && receiver.is_none() {
                r.flags.set(RefFlags::RELATIVE);
            }
            receiver = Some(self.b.expr(Expr::Ref(reference)));
        }
        let reference = {
            let text = self.text(*last);
            self.b.reference(text, *last, role)
        };
        let r = self.b.ref_mut(reference);
        r.receiver = receiver;
        if absolute && receiver.is_none() {
            r.flags.set(RefFlags::ABSOLUTE);
        }
        if is_relative && receiver.is_none() {
            r.flags.set(RefFlags::RELATIVE);
        }
        Some((reference, self.b.expr(Expr::Ref(reference))))
    }

    pub(super) fn text(&self, range: TextRange) -> &'a str {
        &self.c.text[range.start as usize..range.end as usize]
    }

    /// The name of a variable token, without its dollar.
    pub(super) fn variable(&self, token: Token) -> (&'a str, TextRange) {
        let range = TextRange::new(token.start + 1, token.end);
        (self.text(range), range)
    }
}
