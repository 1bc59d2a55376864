//! Code of Kotlin 2.2 in the words of earlier ones, offset by offset, for a grammar that knows no more than those.

use super::lexer::{HEAD, STRING, TAIL, lex, words as w};
use crate::kit::{Kind, Token, Tokens};

/// The same code without guards of `when`, contexts, marks of strings and places of annotations that came with 2.2; `None`
/// where it has none of them.
pub(crate) fn older(text: &str) -> Option<String> {
    let words = ["context", "$\"", "@all:"];
    let may_guard = || text.contains("when") && text.contains(" if");
    if !words.iter().any(|word| text.contains(word)) && !may_guard() {
        return None;
    }
    let mut older = Older { tokens: lex(text), out: text.as_bytes().to_vec() };
    for index in 0..older.tokens.list.len() {
        let token = older.tokens.list[index];
        match (token.kind, token.sub) {
            (Kind::Word, w::WHEN) => older.guards(index),
            (Kind::Word, w::CONTEXT) => older.context(index),
            (Kind::Text, HEAD | STRING) if text[..token.start as usize].ends_with('$') => older.marks(index),
            (Kind::Word, 0) if text[..token.end as usize].ends_with("@all") => older.target(index),
            _ => {}
        }
    }
    String::from_utf8(older.out).ok().filter(|out| out != text)
}

struct Older {
    tokens: Tokens,
    out: Vec<u8>,
}

impl Older {
    fn token(&self, index: usize) -> Token {
        let list = &self.tokens.list;
        list[index.min(list.len() - 1)]
    }

    fn put(&mut self, token: Token, word: &str) {
        self.out[token.start as usize..token.end as usize].copy_from_slice(word.as_bytes());
    }

    fn blank(&mut self, range: std::ops::Range<usize>) {
        for byte in &mut self.out[range] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }

    /// The index behind a token, or behind the group that it opens.
    fn behind(&self, index: usize) -> usize {
        let token = self.token(index);
        if token.kind == Kind::Open { (token.mate as usize).max(index) + 1 } else { index + 1 }
    }

    fn is_arrow(&self, index: usize) -> bool {
        let (dash, angle) = (self.token(index), self.token(index + 1));
        dash.is(b'-') && angle.is(b'>') && angle.start == dash.end
    }

    /// `is A if x ->` as `is A ,  x ->`, `else if x ->` as `true ,  x ->`.
    fn guards(&mut self, when: usize) {
        let mut open = when + 1;
        if self.token(open).is(b'(') {
            open = self.behind(open);
        }
        let group = self.token(open);
        if !group.is(b'{') || group.kind != Kind::Open {
            return;
        }
        let (mut at, mut last) = (open + 1, None);
        while at < group.mate as usize && self.token(at).kind != Kind::End {
            let token = self.token(at);
            if self.is_arrow(at) {
                if let Some(guard) = last.take() {
                    let word = self.token(guard);
                    self.put(word, ", ");
                    let before = self.token(guard - 1);
                    if before.kind == Kind::Word && before.sub == w::ELSE {
                        self.put(before, "true");
                    }
                }
                at += 2;
                continue;
            }
            let before = self.token(at - 1);
            if token.kind == Kind::Word && token.sub == w::IF && self.ends_condition(at - 1) {
                last = Some(at);
            } else if token.after_newline && before.kind != Kind::Punct && token.kind != Kind::Punct
                || token.kind == Kind::Word && token.sub == w::ELSE
            {
                last = None;
            }
            at = self.behind(at);
        }
    }

    /// Whether a condition of a `when` may end with a token: a value or a type, `else` on a line of its own.
    fn ends_condition(&self, index: usize) -> bool {
        let token = self.token(index);
        match token.kind {
            Kind::Word if token.sub == w::ELSE => {
                let before = self.token(index.saturating_sub(1));
                token.after_newline || before.is(b'{') || before.is(b';')
            }
            Kind::Word => {
                token.sub == 0
                    || token.sub > w::LAST_RESERVED
                    || [w::TRUE, w::FALSE, w::NULL, w::THIS].contains(&token.sub)
            }
            Kind::Number | Kind::Text | Kind::Close => true,
            Kind::Punct => token.is(b'>') && !self.is_arrow(index - 1) || token.is(b'?'),
            Kind::Open | Kind::End => false,
        }
    }

    /// `context(a: A) fun f()` as `@ontext         fun f()`; that of a type is left out.
    fn context(&mut self, index: usize) {
        let (word, group) = (self.token(index), self.token(index + 1));
        if !group.is(b'(') || group.kind != Kind::Open {
            return;
        }
        let range = group.start as usize..self.token(group.mate as usize).end as usize;
        let next = self.token(self.behind(index + 1));
        let before = self.token(index.saturating_sub(1));
        let is_type = index > 0 && (before.is(b':') || before.is(b'<') || before.is(b'='));
        if is_type && next.is(b'(') {
            self.blank(word.start as usize..range.end);
            return;
        }
        let declares = |token: Token| {
            let is_word = [w::FUN, w::VAL, w::VAR, w::CLASS, w::INTERFACE].contains(&token.sub)
                || (w::FIRST_MODIFIER..=w::LAST_MODIFIER).contains(&token.sub);
            token.kind == Kind::Word && is_word || token.is(b'@')
        };
        let inner = index + 2..group.mate as usize;
        if declares(next) && inner.clone().any(|at| self.token(at).is(b':')) || next.sub == w::FUN {
            self.put(word, "@ontext");
            self.blank(range);
        }
    }

    /// The marks before a string, and each `$` in it that begins no template.
    fn marks(&mut self, index: usize) {
        let first = self.token(index);
        let mut start = first.start as usize;
        while start > 0 && self.out[start - 1] == b'$' {
            start -= 1;
        }
        self.blank(start..first.start as usize);
        let mut depth = usize::from(first.sub == HEAD);
        let mut kept: Vec<usize> = Vec::new();
        let mut at = index + 1;
        while depth > 0 && self.token(at).kind != Kind::End {
            let token = self.token(at);
            match (token.kind, token.sub) {
                (Kind::Text, HEAD) => depth += 1,
                (Kind::Text, TAIL) => depth -= 1,
                (Kind::Punct, b'$') => kept.push(token.start as usize),
                (Kind::Open, b'{') => kept.push((token.start as usize).saturating_sub(1)),
                _ => {}
            }
            at += 1;
        }
        let end = self.token(at - 1).end as usize;
        for at in first.start as usize..end {
            if self.out[at] == b'$' && !kept.contains(&at) {
                self.out[at] = b'%';
            }
        }
    }

    /// `@all:A` as `@get:A`.
    fn target(&mut self, index: usize) {
        if self.token(index + 1).is(b':') {
            self.put(self.token(index), "get");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::older;

    #[test]
    fn the_words_of_new_versions_become_those_of_old_ones() {
        let same = |text: &str, wanted: &str| assert_eq!(older(text).as_deref().unwrap_or(text), wanted);
        same(
            "when (s) { is A if s.x > 0 -> 1; else if b -> 2\n else -> 3 }",
            "when (s) { is A ,  s.x > 0 -> 1; true ,  b -> 2\n else -> 3 }",
        );
        same("when (s) {\n is A<B>\n  if x &&\n y -> 1 }", "when (s) {\n is A<B>\n  ,  x &&\n y -> 1 }");
        let plain = [
            "when (s) { 1 -> if (a) b else if (c) d else e; 2 -> 1 }",
            "when (s) {\n 1 -> if (a) b\n else if (c) d\n 2 -> 1 }",
            "when { if (a) b else c -> 1 }",
            "val s = 1; when (s) { 1 -> { if (a) b } else -> 1 }",
            "fun f() { context(a) { b() } }",
            "val context = 1",
            "val s = \"$a \\$ ${b}\"",
        ];
        for text in plain {
            assert_eq!(older(text), None, "{text}");
        }
        same("context(a: A)\nfun f()", "@ontext      \nfun f()");
        same("val f: context(A) (B) -> C = g", "val f:            (B) -> C = g");
        same("val s = $$\"$a $$b $c ${d} $$${e}\"", "val s =   \"%a %$b %c %{d} %%${e}\"");
        same("class A(@all:B val c: D)", "class A(@get:B val c: D)");
    }
}
