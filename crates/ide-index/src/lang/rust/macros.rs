//! Macro calls: their tokens as the items, statements and values that they mostly are.

use ide_model::TextRange;

use super::front::Parser;
use super::lexer::{ENUM, LET, LIFETIME, MOD, STRUCT, TRAIT, TYPE, WHERE};
use crate::facts::{Expr, ExprId, RefFlags, RefId, Role};
use crate::kit::{Kind, Token, scan};

impl Parser<'_> {
    /// A macro call in the place of an item.
    pub(super) fn item_macro(&mut self) -> bool {
        let before = self.c.at;
        let path = self.path(super::types::Place::Value, Role::Read);
        let Some(last) = path.last.filter(|_| self.c.is(b'!')) else {
            self.c.at = before;
            return false;
        };
        let next = self.c.nth(1);
        if next.kind == Kind::Word {
            // `name! ident { … }` of old macros.
            self.c.at += 1;
        }
        if self.c.nth(1).kind != Kind::Open {
            self.c.at += 1;
            return true;
        }
        let name = self.b.facts().ref_name(last);
        if let Some(makes) = self.makers.get(name).filter(|_| path.root.is_none()).cloned() {
            self.c.bump();
            self.declare_made(&makes);
            self.c.at -= 1;
        }
        self.macro_call(last);
        self.c.eat(b';');
        true
    }

    /// Behind the path of a macro; the cursor is on `!`.
    pub(super) fn macro_call(&mut self, callee: RefId) -> ExprId {
        self.b.ref_mut(callee).role = Role::Macro;
        self.c.bump();
        self.macros += 1;
        let outer = std::mem::replace(&mut self.no_struct, false);
        let mut args = Vec::new();
        let settled = self.pending.mark();
        self.group(|p, end| args.extend(p.macro_part(end)));
        self.pending.forget(settled);
        self.no_struct = outer;
        self.macros -= 1;
        let args = self.b.list(args);
        self.b.expr(Expr::Macro { callee, args })
    }

    /// Something in the tokens of a macro call, before token `end`: a value counts as an argument.
    fn macro_part(&mut self, end: usize) -> Option<ExprId> {
        let token = self.c.peek();
        if self.made.contains(&token.start) {
            self.c.bump();
            return None;
        }
        if token.is(b'#') && self.c.nth(1).is(b'[') || self.is_item_at(self.c.at) {
            let at = self.c.at;
            if self.is_item_before(end) && self.item() {
                return None;
            }
            self.c.at = at;
            self.c.skip();
            return None;
        }
        if self.c.is_word(LET) {
            self.statement(end);
            return None;
        }
        if token.kind == Kind::Text && token.sub == LIFETIME {
            self.c.bump();
            return None;
        }
        if token.kind == Kind::Punct && !self.begins_value() {
            self.c.bump();
            return None;
        }
        let before = self.c.at;
        let value = self.expr();
        (self.c.at > before).then_some(value)
    }

    /// Behind its attributes an item begins, and it is not merely a keyword that a macro uses for something else.
    fn is_item_before(&self, end: usize) -> bool {
        let mut at = self.c.at;
        while self.c.token(at).is(b'#') && self.c.token(at + 1).is(b'[') {
            at = self.c.over(at + 1);
        }
        at < end && self.is_item_at(at) && self.has_form_of_item(at)
    }

    /// Behind the keyword of a type or module stand a name and what follows that in a declaration, not more words.
    fn has_form_of_item(&self, at: usize) -> bool {
        let token = self.c.token(at);
        if token.kind != Kind::Word || !matches!(token.sub, STRUCT | ENUM | TRAIT | MOD | TYPE) {
            return true;
        }
        let next = self.c.token(at + 2);
        let follows = [b'{', b'(', b';', b'<', b'=', b':'].iter().any(|mark| next.is(*mark));
        self.is_name_at(at + 1) && (follows || self.is_word_at(at + 2, WHERE))
    }

    /// `{name}`, `{name:width$}` in a format string: uses of the names.
    pub(super) fn captures(&mut self, token: Token) {
        let text = self.text(token);
        let bytes = text.as_bytes();
        let mut i = 0;
        while i < bytes.len() {
            if bytes[i] != b'{' {
                i += 1;
                continue;
            }
            if scan::byte_at(text, i + 1) == b'{' {
                i += 2;
                continue;
            }
            let Some(len) = text[i..].find('}') else { return };
            let inner = &text[i + 1..i + len];
            self.capture(inner, token.start + i as u32 + 1);
            i += len + 1;
        }
    }

    fn capture(&mut self, inner: &str, at: u32) {
        let (name, format) = inner.split_once(':').unwrap_or((inner, ""));
        self.captured(name.trim_end(), at);
        // `width$` and `.precision$`.
        let mut from = 0;
        while let Some(dollar) = format[from..].find('$') {
            let end = from + dollar;
            let head = &format[..end];
            let start = head.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |n| n + 1);
            if head.is_char_boundary(start) {
                self.captured(&head[start..], at + (name.len() + 1 + start) as u32);
            }
            from = end + 1;
        }
    }

    fn captured(&mut self, name: &str, at: u32) {
        let is_name = !name.is_empty() && scan::word(name, 0, false) == name.len() && name != "_";
        if is_name {
            let range = TextRange::new(at, at + name.len() as u32);
            let reference = self.b.reference(name, range, Role::Read);
            self.b.ref_mut(reference).flags = RefFlags::IN_MACRO | RefFlags::IN_STRING;
        }
    }
}
