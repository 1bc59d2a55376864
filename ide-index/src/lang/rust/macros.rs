//! Macro calls: their tokens as the items, statements and values that they mostly are.

use ide_model::{SymbolKind, TextRange};

use super::attributes::Attributes;
use super::front::Parser;
use super::lexer::{CRATE, ELSE, ENUM, IF, LET, LIFETIME, MOD, STRING, STRUCT, TRAIT, TYPE, WHERE};
use crate::facts::{DefFlags, Expr, ExprId, RefFlags, RefId, Role, ScopeKind};
use crate::kit::{Kind, Token, scan};

/// Tokens that the head of an arm may have; more are something else.
const MAX_ARM: usize = 200;

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
        if self.expanded_items(last) || self.inclusion(last) {
            self.c.eat(b';');
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

    /// `include!("…")` among the items of a module; the cursor is on `!`.
    fn inclusion(&mut self, callee: RefId) -> bool {
        let open = self.c.at + 1;
        let text = self.c.token(open + 1);
        let is_text = text.kind == Kind::Text && text.sub == STRING && self.c.group_end(open) == open + 2;
        let facts = self.b.facts();
        let is_among_items = matches!(facts.scope(self.b.scope()).kind, ScopeKind::File | ScopeKind::Module);
        if !is_text || !is_among_items || facts.ref_name(callee) != "include" {
            return false;
        }
        let path = self.b.name(self.text(text).trim_matches(['r', '#', '"']));
        let path = self.b.expr(Expr::Text(path));
        let args = self.b.list([path]);
        self.b.ref_mut(callee).role = Role::Macro;
        self.b.expr(Expr::Macro { callee, args });
        self.c.bump();
        self.c.skip();
        true
    }

    /// Behind the path of a macro; the cursor is on `!`.
    pub(super) fn macro_call(&mut self, callee: RefId) -> ExprId {
        self.b.ref_mut(callee).role = Role::Macro;
        self.c.bump();
        self.macros += 1;
        if self.over_group() {
            self.macros -= 1;
            return self.unknown();
        }
        let outer = std::mem::replace(&mut self.no_struct, false);
        let mut args = Vec::new();
        let settled = self.pending.mark();
        let takes_pattern =
            matches!(self.b.facts().ref_name(callee), "matches" | "assert_matches" | "debug_assert_matches");
        let is_thread_local = self.b.facts().ref_name(callee) == "thread_local";
        let around = std::mem::replace(&mut self.is_thread_local, is_thread_local);
        self.group(|p, end| {
            if takes_pattern && args.is_empty() {
                args.push(p.matched());
            } else {
                args.extend(p.macro_part(end));
            }
        });
        self.is_thread_local = around;
        self.pending.forget(settled);
        self.no_struct = outer;
        self.macros -= 1;
        let args = self.b.list(args);
        self.b.expr(Expr::Macro { callee, args })
    }

    /// `value, pattern if condition`.
    fn matched(&mut self) -> ExprId {
        let value = self.expr();
        if self.c.eat(b',') {
            let start = self.c.peek().start;
            self.b.open(ScopeKind::Block, start, None);
            let bound = self.pattern(value, start);
            self.end_at(&bound, self.c.last_end());
            if self.c.eat_word(IF) {
                self.expr();
            }
            self.b.close(self.c.last_end());
        }
        value
    }

    /// Something in the tokens of a macro call, before token `end`: a value counts as an argument.
    fn macro_part(&mut self, end: usize) -> Option<ExprId> {
        let token = self.c.peek();
        if self.made.contains(&token.start) {
            self.c.bump();
            return None;
        }
        if self.is_conditional() {
            self.conditional_items();
            return None;
        }
        if self.is_arm_before(end) {
            self.arm();
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

    /// `if #[cfg(…)] {`.
    fn is_conditional(&self) -> bool {
        self.c.is_word(IF) && self.c.nth(1).is(b'#') && self.c.nth(2).is(b'[')
    }

    /// `if #[cfg(…)] { items } else if #[cfg(…)] { items } else { items }`: items of the place where the macro stands.
    fn conditional_items(&mut self) {
        let mut is_decided = false;
        loop {
            let mut conditions = Attributes::default();
            if self.c.eat_word(IF) {
                conditions = self.attributes();
            }
            if is_decided {
                conditions.flags.set(DefFlags::NOT_BUILT);
            }
            is_decided |= conditions.always_hold(self.b.facts());
            self.group(|p, end| {
                let (start, from) = (p.c.at, p.c.peek().start);
                let mut attributes = p.attributes();
                attributes.include(&conditions);
                let conditions = std::mem::take(&mut attributes.conditions);
                let is_item = p.is_item_at(p.c.at) && p.item_with(start, attributes);
                if !is_item {
                    p.statement(end);
                }
                p.under(conditions, from);
            });
            if !self.c.eat_word(ELSE) {
                return;
            }
        }
    }

    /// `pattern = value => …` or `pattern = value, if condition => …` is next, before token `end`.
    fn is_arm_before(&self, end: usize) -> bool {
        let mut at = self.c.at;
        let mut has_value = false;
        for _ in 0..MAX_ARM {
            if at >= end {
                return false;
            }
            let token = self.c.token(at);
            if token.is(b';') || token.is(b',') && !self.is_word_at(at + 1, IF) {
                return false;
            }
            if self.c.joined_at(at, b"=>") {
                return has_value;
            }
            if token.is(b'=') && !has_value {
                let is_operator = self.c.joined_at(at, b"==")
                    || at == self.c.at
                    || [b'<', b'>', b'!', b'=', b'+', b'-', b'*', b'/', b'%', b'^'].iter().any(|sign| {
                        let before = self.c.token(at - 1);
                        before.is(*sign) && before.end == token.start
                    });
                if is_operator {
                    return false;
                }
                has_value = true;
            }
            at = self.c.over(at);
        }
        false
    }

    /// A future, what it gives, and what is done with that.
    fn arm(&mut self) {
        let start = self.c.peek().start;
        self.b.open(ScopeKind::Block, start, None);
        let holder = self.anonymous(SymbolKind::Variable);
        let value = self.b.expr(Expr::Value(holder));
        let value = self.b.expr(Expr::Await(value));
        let bound = self.pattern(value, start);
        if self.c.eat(b'=') {
            let init = self.expr();
            self.b.def_mut(holder).init = Some(init);
        }
        self.end_at(&bound, self.c.last_end());
        self.c.eat(b',');
        if self.c.eat_word(IF) {
            self.expr();
        }
        if self.c.eat_joined(b"=>") {
            if self.is_block_like() {
                self.block_statement();
            } else {
                self.expr();
            }
        }
        self.b.close(self.c.last_end());
        self.c.eat(b',');
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

    /// Paths that begin with `$crate` in the rules that were just passed: they mean the same wherever the macro is used.
    pub(super) fn own_paths(&mut self, body: usize) {
        let end = self.c.at;
        self.macros += 1;
        for at in body..end {
            if self.c.token(at).is(b'$') && self.is_word_at(at + 1, CRATE) {
                self.own_path(at + 1);
            }
        }
        self.macros -= 1;
        self.c.at = end;
    }

    /// `$crate::a::b`; the keyword is at a token.
    fn own_path(&mut self, mut at: usize) {
        let keyword = self.c.token(at);
        let mut root = self.text_value(self.text(keyword), keyword);
        while self.c.joined_at(at + 1, b"::") && self.is_name_at(at + 3) {
            at += 3;
            let token = self.c.token(at);
            let has_more = self.c.joined_at(at + 1, b"::");
            let role = match self.c.token(at + 1) {
                next if next.is(b'(') => Role::Call,
                next if next.is(b'!') => Role::Macro,
                _ => Role::Read,
            };
            let reference = self.reference(token, role, Some(root));
            if has_more {
                self.b.ref_mut(reference).flags.set(RefFlags::TYPE_ONLY);
            }
            root = self.b.expr(Expr::Ref(reference));
        }
    }

    /// The names in a format string are uses.
    pub(super) fn captures(&mut self, token: Token) {
        captures(self.text(token), |name, at| {
            let start = token.start + at as u32;
            let range = TextRange::new(start, start + name.len() as u32);
            let reference = self.b.reference(name, range, Role::Read);
            self.b.ref_mut(reference).flags = RefFlags::IN_MACRO | RefFlags::IN_STRING;
        });
    }
}

/// `{name}`, `{name:width$}` in a format string: the names with their places.
pub(super) fn captures<'t>(text: &'t str, mut each: impl FnMut(&'t str, usize)) {
    let bytes = text.as_bytes();
    let mut i = 0;
    while let Some(open) = memchr::memchr(b'{', &bytes[i..]) {
        i += open;
        if scan::byte_at(text, i + 1) == b'{' {
            i += 2;
            continue;
        }
        let Some(len) = text[i..].find('}') else { return };
        capture(&text[i + 1..i + len], |name, at| each(name, i + 1 + at));
        i += len + 1;
    }
}

fn capture<'t>(inner: &'t str, mut each: impl FnMut(&'t str, usize)) {
    let is_name = |name: &str| !name.is_empty() && scan::word(name, 0, false) == name.len() && name != "_";
    let (name, format) = inner.split_once(':').unwrap_or((inner, ""));
    if is_name(name.trim_end()) {
        each(name.trim_end(), 0);
    }
    // `width$` and `.precision$`.
    let mut from = 0;
    while let Some(dollar) = format[from..].find('$') {
        let end = from + dollar;
        let head = &format[..end];
        let start = head.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |n| n + 1);
        if head.is_char_boundary(start) && is_name(&head[start..]) {
            each(&head[start..], name.len() + 1 + start);
        }
        from = end + 1;
    }
}
