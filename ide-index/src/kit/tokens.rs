//! The token array, with brackets matched and comments beside it.

use ide_model::TextRange;

/// The kind of a token; [`Token::sub`] says more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier or keyword; `sub` is the keyword's number or 0.
    Word,
    /// `sub` is the front end's own.
    Number,
    /// A string or character literal; `sub` is the front end's own.
    Text,
    /// One byte of punctuation, which is `sub`; 0 for anything else that no language knows.
    Punct,
    /// `(`, `[` or `{`, which is `sub`.
    Open,
    Close,
    /// Behind the last token, at the end of the text.
    End,
}

/// One token; see [`Tokens`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) sub: u8,
    /// A line ending stands somewhere between the previous token and this one.
    pub(crate) after_newline: bool,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// For [`Kind::Open`]: the index of the token that ends the group, its closing bracket or, when that is
    /// missing, the first token that is not in it. For [`Kind::Close`]: its opening bracket; itself when stray.
    pub(crate) mate: u32,
}

impl Token {
    pub(crate) fn range(self) -> TextRange {
        TextRange::new(self.start, self.end)
    }

    pub(crate) fn is(self, byte: u8) -> bool {
        self.sub == byte && matches!(self.kind, Kind::Punct | Kind::Open | Kind::Close)
    }
}

/// A comment, with the index of the token that follows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comment {
    pub(crate) range: TextRange,
    pub(crate) next: u32,
    /// In the form that documents declarations.
    pub(crate) is_doc: bool,
}

/// How to mend what brackets alone do not tell; used only on files whose brackets do not match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repair {
    /// Words after which parentheses may hold `;`, in languages whose statements end with it. An open parenthesis
    /// without such a keyword before it is taken to end at the first `;`.
    pub(crate) semicolons_after: Option<&'static [u8]>,
    /// Lines of a block stand further in than the line that opens it.
    pub(crate) indented: bool,
}

/// The tokens of one text, closed by [`Kind::End`] once [`Self::finish`] was called.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    pub(crate) list: Vec<Token>,
    pub(crate) comments: Vec<Comment>,
    open: Vec<u32>,
    newline: bool,
    /// Ranges of brackets without a partner.
    pub(crate) unmatched: Vec<TextRange>,
    is_unbalanced: bool,
}

impl Tokens {
    /// Room for a text of `len` bytes.
    pub(crate) fn with_capacity(len: usize) -> Self {
        Self { list: Vec::with_capacity(len / 5 + 2), ..Self::default() }
    }

    pub(crate) fn push(&mut self, kind: Kind, sub: u8, start: usize, end: usize) {
        let mate = self.list.len() as u32;
        let after_newline = std::mem::take(&mut self.newline);
        self.list.push(Token { kind, sub, after_newline, start: start as u32, end: end as u32, mate });
    }

    /// A line ending was passed.
    pub(crate) fn newline(&mut self) {
        self.newline = true;
    }

    /// The last token so far, for lexers that must know (regular expression or division?).
    pub(crate) fn last(&self) -> Option<Token> {
        self.list.last().copied()
    }

    /// How many brackets are open at this point of lexing.
    pub(crate) fn nesting(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn comment(&mut self, start: usize, end: usize, is_doc: bool) {
        let range = TextRange::new(start as u32, end as u32);
        self.comments.push(Comment { range, next: self.list.len() as u32, is_doc });
    }

    /// An opening bracket.
    pub(crate) fn open(&mut self, byte: u8, at: usize) {
        self.open.push(self.list.len() as u32);
        self.push(Kind::Open, byte, at, at + 1);
    }

    /// A closing bracket.
    pub(crate) fn close(&mut self, byte: u8, at: usize) {
        let index = self.list.len() as u32;
        self.push(Kind::Close, byte, at, at + 1);
        match self.open.last() {
            Some(open) if closes(self.list[*open as usize].sub, byte) => {
                self.pair(*open, index);
                self.open.pop();
            }
            _ => self.is_unbalanced = true,
        }
    }

    /// Ends the array. When a bracket has no partner, all are matched again: a closing brace that begins a line
    /// looks for the opening one whose line stands equally far in; round and square brackets never reach over a
    /// brace; what remains without a partner ends where its surroundings end, and is listed in
    /// [`Self::unmatched`].
    pub(crate) fn finish(&mut self, text: &str, repair: Repair) {
        self.push(Kind::End, 0, text.len(), text.len());
        if self.is_unbalanced || !self.open.is_empty() {
            self.rematch(text, repair);
        }
    }

    /// The documentation comment right before a token.
    pub(crate) fn doc_before(&self, index: usize) -> Option<TextRange> {
        self.comments_before(index).iter().rev().find(|c| c.is_doc).map(|c| c.range)
    }

    /// All comments between a token and the one before it.
    pub(crate) fn comments_before(&self, index: usize) -> &[Comment] {
        let from = self.comments.partition_point(|c| (c.next as usize) < index);
        let len = self.comments[from..].partition_point(|c| c.next as usize == index);
        &self.comments[from..from + len]
    }

    fn pair(&mut self, open: u32, close: u32) {
        self.list[open as usize].mate = close;
        self.list[close as usize].mate = open;
    }

    fn give_up(&mut self, open: u32, at: u32) {
        let token = &mut self.list[open as usize];
        token.mate = at;
        self.unmatched.push(token.range());
    }

    fn rematch(&mut self, text: &str, repair: Repair) {
        self.unmatched.clear();
        // An open bracket with the indentation of the line in which its construct begins.
        let mut stack: Vec<(u32, usize)> = Vec::new();
        let mut indents = vec![0; self.list.len()];
        let mut indent = 0;
        for i in 0..self.list.len() {
            let token = self.list[i];
            if token.after_newline || i == 0 {
                indent = column(text, token.start as usize);
            }
            indents[i] = indent;
            match token.kind {
                Kind::Open => {
                    let head = match i.checked_sub(1).map(|p| self.list[p]) {
                        Some(before) if before.kind == Kind::Close => indents[before.mate as usize],
                        _ => indent,
                    };
                    indents[i] = head;
                    stack.push((i as u32, head));
                }
                Kind::Close => {
                    self.list[i].mate = i as u32;
                    let own = (repair.indented && (token.after_newline || i == 0)).then_some(indent);
                    let at = partner(&self.list, &stack, token.sub, own);
                    let keep = at.map_or(stack.len(), |at| at + 1);
                    for (open, _) in stack.split_off(keep) {
                        self.give_up(open, i as u32);
                    }
                    match at.and_then(|_| stack.pop()) {
                        Some((open, _)) => self.pair(open, i as u32),
                        None => self.unmatched.push(token.range()),
                    }
                }
                Kind::Punct if token.sub == b';' => {
                    while let (Some(&(open, _)), Some(words)) = (stack.last(), repair.semicolons_after) {
                        let before = (open as usize).checked_sub(1).map(|p| self.list[p]);
                        let may_hold = before.is_some_and(|t| t.kind == Kind::Word && words.contains(&t.sub));
                        if self.list[open as usize].sub == b'{' || may_hold {
                            break;
                        }
                        stack.pop();
                        self.give_up(open, i as u32);
                    }
                }
                Kind::End => {
                    for (open, _) in std::mem::take(&mut stack) {
                        self.give_up(open, i as u32);
                    }
                }
                _ => {}
            }
        }
        if repair.indented {
            self.end_by_indentation(text, &indents);
        }
        self.unmatched.sort_by_key(|r| r.start);
        self.open.clear();
    }

    /// A brace without a partner ends before the first line in it that stands no further in than its own.
    fn end_by_indentation(&mut self, text: &str, indents: &[usize]) {
        for (open, own) in indents.iter().enumerate() {
            let token = self.list[open];
            let end = token.mate as usize;
            let is_open = token.kind == Kind::Open && token.sub == b'{';
            if !is_open || self.list[end].kind == Kind::Close && self.list[end].mate as usize == open {
                continue;
            }
            let mut i = open + 1;
            while i < end {
                let inner = self.list[i];
                let is_out = inner.after_newline && column(text, inner.start as usize) <= *own;
                if is_out && !matches!(inner.kind, Kind::Open | Kind::Close) {
                    self.list[open].mate = i as u32;
                    break;
                }
                i = if inner.kind == Kind::Open { (inner.mate as usize).max(i + 1) } else { i + 1 };
            }
        }
    }
}

/// Which open bracket a closing one belongs to, as a position in the stack.
fn partner(tokens: &[Token], stack: &[(u32, usize)], close: u8, indent: Option<usize>) -> Option<usize> {
    let byte = |at: &usize| tokens[stack[*at].0 as usize].sub;
    if close != b'}' {
        return (0..stack.len()).rev().take_while(|at| byte(at) != b'{').find(|at| closes(byte(at), close));
    }
    let mut braces = (0..stack.len()).rev().filter(|at| byte(at) == b'{');
    let top = braces.next()?;
    match indent {
        Some(own) if stack[top].1 != own => {
            let equal = braces.find(|at| stack[*at].1 == own);
            if equal.is_none() && stack[top].1 < own { None } else { Some(equal.unwrap_or(top)) }
        }
        _ => Some(top),
    }
}

fn closes(open: u8, close: u8) -> bool {
    matches!((open, close), (b'(', b')') | (b'[', b']') | (b'{', b'}'))
}

/// Bytes between the start of the line and `at`.
fn column(text: &str, at: usize) -> usize {
    at - text.as_bytes()[..at].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::scan;

    fn lex(text: &str) -> Tokens {
        let mut tokens = Tokens::with_capacity(text.len());
        let mut i = 0;
        while i < text.len() {
            let c = text.as_bytes()[i];
            let word = scan::word(text, i, false);
            if c == b'\n' {
                tokens.newline();
            } else if word > i {
                tokens.push(Kind::Word, u8::from(&text[i..word] == "for"), i, word);
                i = word;
                continue;
            } else if scan::is_open(c) {
                tokens.open(c, i);
            } else if scan::is_close(c) {
                tokens.close(c, i);
            } else if c == b'#' {
                let end = scan::line(text, i);
                tokens.comment(i, end, text[i..].starts_with("##"));
                i = end;
                continue;
            } else if !scan::is_space(c) {
                tokens.push(Kind::Punct, c, i, i + 1);
            }
            i += 1;
        }
        tokens.finish(text, Repair { semicolons_after: Some(&[1]), indented: true });
        tokens
    }

    /// Text of each group, outermost first, `!` before those that had to be ended.
    fn groups(text: &str) -> Vec<String> {
        let tokens = lex(text);
        let mut out = Vec::new();
        for token in tokens.list.iter().filter(|t| t.kind == Kind::Open) {
            let end = tokens.list[token.mate as usize];
            let (mark, to) = if end.kind == Kind::Close && tokens.list[end.mate as usize].start == token.start
            {
                ("", end.end)
            } else {
                ("!", end.start)
            };
            out.push(format!(
                "{mark}{}",
                text[token.start as usize..to as usize].replace('\n', " ").trim_end()
            ));
        }
        out
    }

    #[test]
    fn balanced_brackets_pair() {
        assert_eq!(groups("a(b[c]{d})"), ["(b[c]{d})", "[c]", "{d}"]);
    }

    #[test]
    fn a_missing_brace_costs_one_block_only() {
        let text = "class {\n  a() {\n    if {\n      x\n  }\n  b() {\n    y\n  }\n}";
        assert_eq!(groups(text)[3..], ["!{       x", "()", "{     y   }"].map(String::from));
        assert_eq!(lex(text).unmatched.len(), 1);
    }

    #[test]
    fn an_extra_brace_is_stray() {
        let text = "class {\n  a() {\n    x\n    }\n  }\n  b() {\n  }\n}";
        let got = groups(text);
        assert_eq!(got.iter().filter(|g| g.starts_with('!')).count(), 0, "{got:?}");
        assert!(got[0].ends_with("b() {   } }"), "{got:?}");
    }

    #[test]
    fn an_open_parenthesis_ends_at_the_semicolon_or_the_brace() {
        assert_eq!(groups("{ f(a, b; g(); }"), ["{ f(a, b; g(); }", "!(a, b", "()"]);
        assert_eq!(groups("{ for (a; b; c { } }")[1], "!(a; b; c { }");
        assert_eq!(groups("{ f(a } )"), ["{ f(a }", "!(a"]);
    }

    #[test]
    fn doc_comments_belong_to_the_next_token() {
        let tokens = lex("# x\n## doc\n# y\nname other");
        assert_eq!(tokens.doc_before(0), Some(TextRange::new(4, 10)));
        assert_eq!(tokens.comments_before(0).len(), 3);
        assert_eq!(tokens.doc_before(1), None);
    }
}
