//! References in documentation comments: `{@link …}`, `@see`, `@param`, `@throws`, and the links of Markdown.

use ide_model::TextRange;

use crate::facts::{Expr, ExprId, List, RefFlags, Role, TypeExpr, TypeId};
use crate::kit::{scan, value};

use super::Parser;

/// A reading position inside a comment.
#[derive(Clone, Copy)]
struct Spot {
    at: usize,
    end: usize,
}

impl Parser<'_> {
    /// Records what the comment mentions, as seen from the open scope.
    pub(super) fn documentation(&mut self, comment: TextRange) {
        let text = self.c.text;
        let end = comment.end as usize;
        let mut at = comment.start as usize;
        let is_markdown = text.as_bytes()[at..end].starts_with(b"///");
        while let Some(found) = self.doc_mark(at, end, is_markdown) {
            let tag = found;
            if text.as_bytes()[tag] == b'[' {
                at = self.doc_link(Spot { at: tag, end });
                continue;
            }
            at = scan::word(text, tag + 1, false).min(end).max(tag + 1);
            let spot = Spot { at: self.doc_space(Spot { at, end }), end };
            match &text[tag + 1..at] {
                "link" | "linkplain" | "value" | "see" | "throws" | "exception" => {
                    at = self.doc_reference(spot)
                }
                "param" => at = self.doc_parameter(spot),
                _ => {}
            }
        }
    }

    /// The start of the next tag or, in Markdown outside of code, of the next bracket.
    fn doc_mark(&self, from: usize, end: usize, is_markdown: bool) -> Option<usize> {
        let bytes = &self.c.text.as_bytes()[..end];
        if !is_markdown {
            return memchr::memchr(b'@', &bytes[from..]).map(|found| from + found);
        }
        let mut at = from;
        while let Some(found) = memchr::memchr3(b'@', b'[', b'`', &bytes[at..]) {
            at += found;
            match bytes[at] {
                b'`' => {
                    let fence = bytes[at..].iter().take_while(|c| **c == b'`').count();
                    let close = memchr::memmem::find(&bytes[at + fence..], &bytes[at..at + fence]);
                    at += fence + close.map_or(0, |close| close + fence);
                }
                b'[' if at > from && bytes[at - 1] == b'\\' => at += 1,
                _ => return Some(at),
            }
        }
        None
    }

    /// `[Type#member]` or `[words][Type#member]` at its first bracket. Gives the position behind what was read.
    fn doc_link(&mut self, spot: Spot) -> usize {
        let bytes = &self.c.text.as_bytes()[..spot.end];
        let close = |from: usize| {
            let mut close = from;
            while bytes.get(close).is_some_and(|c| *c != b']' || bytes[close - 1] == b'\\') {
                close += 1;
            }
            close
        };
        let mut start = spot.at + 1;
        let mut end = close(start);
        match bytes.get(end + 1) {
            // The address of a page.
            Some(b'(' | b':') => return end + 1,
            Some(b'[') => {
                start = end + 2;
                end = close(start);
            }
            _ => {}
        }
        self.doc_reference(Spot { at: start, end: end.min(spot.end) });
        (end + 1).min(spot.end)
    }

    /// Behind blanks, line ends and the asterisks or slashes that begin lines.
    fn doc_space(&self, spot: Spot) -> usize {
        let bytes = self.c.text.as_bytes();
        let mut at = spot.at;
        let mut line_start = false;
        while at < spot.end {
            match bytes[at] {
                b'\n' => line_start = true,
                b'*' | b'/' if line_start => {}
                c if scan::is_space(c) => {}
                _ => break,
            }
            at += 1;
        }
        at
    }

    fn doc_name(&self, spot: Spot) -> Option<TextRange> {
        let end = scan::word(self.c.text, spot.at, true).min(spot.end);
        (end > spot.at).then(|| TextRange::new(spot.at as u32, end as u32))
    }

    fn doc_ref(&mut self, receiver: Option<ExprId>, range: TextRange, role: Role) -> ExprId {
        let text = &self.c.text[range.start as usize..range.end as usize];
        let (name, expr) = value::name(&mut self.b, receiver, text, range, role);
        self.flag(name, RefFlags::IN_DOC);
        expr
    }

    fn doc_parameter(&mut self, mut spot: Spot) -> usize {
        if scan::byte_at(self.c.text, spot.at) == b'<' {
            spot.at += 1;
        }
        match self.doc_name(spot) {
            Some(range) => {
                self.doc_ref(None, range, Role::Read);
                range.end as usize
            }
            None => spot.at,
        }
    }

    /// `Type`, `Type#member`, `#member`, `Type#member(A, B)`. Gives the position behind it.
    fn doc_reference(&mut self, mut spot: Spot) -> usize {
        let text = self.c.text;
        let mut receiver = None;
        while let Some(range) = self.doc_name(spot) {
            receiver = Some(self.doc_ref(receiver, range, Role::Type));
            spot.at = range.end as usize;
            if scan::byte_at(text, spot.at) != b'.' || scan::word(text, spot.at + 1, true) == spot.at + 1 {
                break;
            }
            spot.at += 1;
        }
        if scan::byte_at(text, spot.at) != b'#' {
            return spot.at;
        }
        let Some(member) = self.doc_name(Spot { at: spot.at + 1, ..spot }) else { return spot.at + 1 };
        spot.at = member.end as usize;
        let receiver = receiver.unwrap_or_else(|| {
            let scope = self.b.scope();
            self.b.expr(Expr::This(scope))
        });
        if scan::byte_at(text, spot.at) != b'(' || spot.at >= spot.end {
            self.doc_ref(Some(receiver), member, Role::Read);
            return spot.at;
        }
        let callee = self.doc_ref(Some(receiver), member, Role::Call);
        self.doc_signature(callee, Spot { at: spot.at + 1, ..spot })
    }

    fn doc_signature(&mut self, callee: ExprId, mut spot: Spot) -> usize {
        let text = self.c.text;
        let mut args = Vec::new();
        loop {
            spot.at = self.doc_space(spot);
            if spot.at >= spot.end {
                break;
            }
            match scan::byte_at(text, spot.at) {
                b')' => {
                    spot.at += 1;
                    break;
                }
                b',' => spot.at += 1,
                _ => {
                    let Some((ty, at)) = self.doc_type(spot) else { break };
                    spot.at = at;
                    let value = self.b.expr(Expr::Unknown);
                    args.push(self.b.expr(Expr::Cast { ty, value }));
                    // The parameter may be named, as in the declaration.
                    let name = Spot { at: self.doc_space(spot), ..spot };
                    spot.at = self.doc_name(name).map_or(spot.at, |range| range.end as usize);
                }
            }
        }
        value::call(&mut self.b, callee, List::EMPTY, &args);
        spot.at
    }

    fn doc_type(&mut self, mut spot: Spot) -> Option<(TypeId, usize)> {
        const PRIMITIVES: [&str; 8] = ["boolean", "byte", "char", "short", "int", "long", "float", "double"];
        let text = self.c.text;
        let first = self.doc_name(spot)?;
        let word = &text[first.start as usize..first.end as usize];
        let mut ty = if PRIMITIVES.contains(&word) {
            spot.at = first.end as usize;
            let name = self.b.name(word);
            self.b.ty(TypeExpr::Primitive(name))
        } else {
            let mut receiver = None;
            let mut name = None;
            while let Some(range) = self.doc_name(spot) {
                let expr = self.doc_ref(receiver, range, Role::Type);
                receiver = Some(expr);
                name = Some(expr);
                spot.at = range.end as usize;
                if scan::byte_at(text, spot.at) != b'.' || scan::byte_at(text, spot.at + 1) == b'.' {
                    break;
                }
                spot.at += 1;
            }
            let Expr::Ref(name) = self.b.facts().expr(name?) else { return None };
            self.b.ty(TypeExpr::Named { name, args: List::EMPTY })
        };
        loop {
            let rest = &text[spot.at..spot.end];
            if rest.starts_with("[]") {
                spot.at += 2;
            } else if rest.starts_with("\\[\\]") {
                spot.at += 4;
            } else if rest.starts_with("...") {
                spot.at += 3;
            } else {
                return Some((ty, spot.at));
            }
            ty = self.b.ty(TypeExpr::Array(ty));
        }
    }
}
