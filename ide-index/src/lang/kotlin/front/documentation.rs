//! References in KDoc: `[name]`, `@param name`, `@see name`, `@throws Type`.

use ide_model::TextRange;

use crate::facts::{ExprId, RefFlags, Role};
use crate::kit::{scan, value};

use super::Parser;

impl Parser<'_> {
    /// Records what the comment mentions, as seen from the open scope.
    pub(super) fn documentation(&mut self, comment: TextRange) {
        let bytes = self.c.text.as_bytes();
        let end = comment.end as usize;
        let mut at = comment.start as usize;
        while let Some(found) = memchr::memchr3(b'[', b'@', b'`', &bytes[at..end]) {
            let mark = at + found;
            at = mark + 1;
            match bytes[mark] {
                b'[' => at = self.doc_link(mark + 1, end),
                b'@' if mark > 0 && !scan::is_word_byte(bytes[mark - 1]) => at = self.doc_tag(mark + 1, end),
                b'`' => {
                    // Code in backticks is not a link.
                    let line = memchr::memchr2(b'`', b'\n', &bytes[at..end]).map_or(end, |n| at + n);
                    at = (line + 1).min(end);
                }
                _ => {}
            }
        }
    }

    fn doc_tag(&mut self, at: usize, end: usize) -> usize {
        let text = self.c.text;
        let tag_end = scan::word(text, at, false).min(end);
        let is_name =
            matches!(&text[at..tag_end], "param" | "property" | "see" | "throws" | "exception" | "sample");
        let mut name = tag_end;
        while name < end && matches!(text.as_bytes()[name], b' ' | b'\t') {
            name += 1;
        }
        if !is_name || name == tag_end {
            return tag_end.max(at);
        }
        if scan::byte_at(text, name) == b'[' {
            return self.doc_link(name + 1, end);
        }
        self.doc_name(name, end)
    }

    /// `name.name]` behind the bracket.
    fn doc_link(&mut self, at: usize, end: usize) -> usize {
        let text = self.c.text;
        let mut close = at;
        loop {
            let word = scan::word(text, close, false).min(end);
            if word == close {
                return close.max(at);
            }
            close = word;
            if scan::byte_at(text, close) != b'.' {
                break;
            }
            close += 1;
        }
        let is_link = close < end && text.as_bytes()[close] == b']' && scan::byte_at(text, close + 1) != b'(';
        if is_link { self.doc_name(at, close) } else { close }
    }

    fn doc_name(&mut self, at: usize, end: usize) -> usize {
        let text = self.c.text;
        let mut at = at;
        let mut receiver: Option<ExprId> = None;
        loop {
            let word = scan::word(text, at, false).min(end);
            if word == at {
                return at;
            }
            let range = TextRange::new(at as u32, word as u32);
            let (name, expr) = value::name(&mut self.b, receiver, &text[at..word], range, Role::Read);
            self.flag(name, RefFlags::IN_DOC);
            receiver = Some(expr);
            at = word;
            if at >= end || text.as_bytes()[at] != b'.' {
                return at;
            }
            at += 1;
        }
    }
}
