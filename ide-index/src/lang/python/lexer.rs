//! Python's tokens: lines and indentation, brackets with their partners, f-strings opened up into code.
//!
//! Brackets are matched while lexing, so that a parser may jump and never leaves the bracket it is in. Code that
//! is being typed is recovered by two rules: a closing bracket closes everything opened after its partner, and a
//! line that starts with a word that no expression can contain ends all open brackets.

use crate::kit::{Keywords, scan};

/// The kind of a token. Keywords that only start statements or sit between expressions have kinds of their own;
/// soft keywords are names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum T {
    Eof,
    Newline,
    Indent,
    Dedent,
    Name,
    Number,
    /// A plain string; `aux` packs its [`StrParts`].
    Str,
    /// Opens an f-string; its partner is the [`T::FEnd`].
    FStart,
    FEnd,
    /// `{` of a replacement field.
    FOpen,
    FClose,
    LParen,
    RParen,
    LBrack,
    RBrack,
    LBrace,
    RBrace,
    Dot,
    Comma,
    Colon,
    Semi,
    Assign,
    AugAssign,
    Walrus,
    Arrow,
    Star,
    DoubleStar,
    At,
    Pipe,
    Plus,
    Minus,
    Shift,
    /// `&`, `^`.
    Bits,
    /// `/`, `//`, `%`.
    Mul,
    Compare,
    Tilde,
    Ellipsis,
    Backtick,
    /// A character that belongs to nothing, or a closing bracket without an opening one.
    Stray,
    And,
    As,
    Assert,
    Async,
    Await,
    Break,
    Class,
    Continue,
    Def,
    Del,
    Elif,
    Else,
    Except,
    False,
    Finally,
    For,
    From,
    Global,
    If,
    Import,
    In,
    Is,
    Lambda,
    None,
    Nonlocal,
    Not,
    Or,
    Pass,
    Raise,
    Return,
    True,
    Try,
    While,
    With,
    Yield,
}

impl T {
    /// The keyword that a word is.
    #[inline]
    fn keyword(word: &str) -> Self {
        KINDS[usize::from(WORDS.number(word))]
    }

    /// True for words that start statements and occur in no expression.
    fn starts_statement(self) -> bool {
        matches!(
            self,
            Self::Assert
                | Self::Break
                | Self::Class
                | Self::Continue
                | Self::Def
                | Self::Del
                | Self::Elif
                | Self::Except
                | Self::Finally
                | Self::Global
                | Self::Import
                | Self::Nonlocal
                | Self::Pass
                | Self::Raise
                | Self::Return
                | Self::Try
                | Self::While
                | Self::With
        )
    }

    pub(super) fn is_layout(self) -> bool {
        matches!(self, Self::Newline | Self::Indent | Self::Dedent | Self::Eof)
    }
}

static WORDS: Keywords = Keywords::new(&[
    "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
    "except", "False", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "None",
    "nonlocal", "not", "or", "pass", "raise", "return", "True", "try", "while", "with", "yield",
]);

/// The kinds of the words, by their numbers.
static KINDS: [T; 36] = [
    T::Name,
    T::And,
    T::As,
    T::Assert,
    T::Async,
    T::Await,
    T::Break,
    T::Class,
    T::Continue,
    T::Def,
    T::Del,
    T::Elif,
    T::Else,
    T::Except,
    T::False,
    T::Finally,
    T::For,
    T::From,
    T::Global,
    T::If,
    T::Import,
    T::In,
    T::Is,
    T::Lambda,
    T::None,
    T::Nonlocal,
    T::Not,
    T::Or,
    T::Pass,
    T::Raise,
    T::Return,
    T::True,
    T::Try,
    T::While,
    T::With,
    T::Yield,
];

#[derive(Clone, Copy, Debug)]
pub(super) struct Tok {
    pub(super) kind: T,
    pub(super) start: u32,
    pub(super) end: u32,
    /// Brackets and f-strings: index of the partner. Strings: their parts.
    pub(super) aux: u32,
}

/// How a string literal is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct StrParts {
    /// Bytes before the content: prefix letters and quotes.
    pub(super) head: u32,
    /// Bytes after the content; 0 when the string is not closed.
    pub(super) tail: u32,
    pub(super) is_bytes: bool,
}

impl StrParts {
    fn pack(self) -> u32 {
        self.head | self.tail << 8 | u32::from(self.is_bytes) << 16
    }

    pub(super) fn of(tok: Tok) -> Self {
        Self { head: tok.aux & 0xff, tail: tok.aux >> 8 & 0xff, is_bytes: tok.aux >> 16 != 0 }
    }
}

/// A `# type:` comment: the index of the token that follows it, and the range of the type.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypeComment {
    pub(super) before: u32,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// The tokens of a text. The last is always [`T::Eof`].
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub(super) toks: Vec<Tok>,
    /// Brackets that hold a `for` of their own, as token indexes in order of the `for`s: comprehensions.
    pub(super) comprehensions: Vec<u32>,
    pub(super) type_comments: Vec<TypeComment>,
    pub(super) errors: Vec<(u32, u32, &'static str)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
enum Open {
    Paren,
    Brack,
    Brace,
    /// The literal part of an f-string.
    FString,
    /// The code of a replacement field.
    Field,
    /// The format specification of a replacement field.
    Spec,
}

struct Frame {
    open: Open,
    tok: u32,
    quote: u8,
    is_triple: bool,
    is_raw: bool,
}

/// Reads a whole file.
pub(super) fn tokens(src: &str) -> Tokens {
    let mut lexer = Lexer::new(src, 0, src.len());
    if src.starts_with('\u{feff}') {
        lexer.at = 3;
    }
    lexer.run();
    lexer.out
}

/// Reads a part of a file as one expression: no lines, no indentation.
pub(super) fn expression_tokens(src: &str, start: u32, end: u32) -> Tokens {
    let mut lexer = Lexer::new(src, start as usize, end as usize);
    lexer.is_fragment = true;
    lexer.is_line_start = false;
    lexer.run();
    lexer.out
}

struct Lexer<'a> {
    src: &'a str,
    bytes: &'a [u8],
    at: usize,
    out: Tokens,
    open: Vec<Frame>,
    /// The indexes of f-strings in `open`.
    strings: Vec<usize>,
    /// How many parentheses, brackets and braces are open, in the file and in each replacement field.
    counts: Vec<[u32; 3]>,
    indents: Vec<u32>,
    is_line_start: bool,
    is_fragment: bool,
}

/// Behind the word at a place.
#[inline]
fn word_end(bytes: &[u8], at: usize) -> usize {
    let mut end = scan::ascii_word(bytes, at, false);
    while bytes.get(end).is_some_and(|byte| *byte >= 0x80) {
        end = scan::ascii_word(bytes, end + 1, false);
    }
    end
}

impl<'a> Lexer<'a> {
    fn new(src: &'a str, start: usize, end: usize) -> Self {
        Self {
            src,
            bytes: &src.as_bytes()[..end],
            at: start,
            out: Tokens { toks: Vec::with_capacity((end - start) / 4 + 8), ..Tokens::default() },
            open: Vec::new(),
            strings: Vec::new(),
            counts: vec![[0; 3]],
            indents: vec![0],
            is_line_start: true,
            is_fragment: false,
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: T, start: usize) -> u32 {
        self.out.toks.push(Tok { kind, start: start as u32, end: self.at as u32, aux: 0 });
        self.out.toks.len() as u32 - 1
    }

    fn run(&mut self) {
        while self.at < self.bytes.len() {
            match self.open.last().map(|f| f.open) {
                Some(Open::FString | Open::Spec) => self.literal_part(),
                _ if self.is_line_start && self.open.is_empty() => self.line_start(),
                _ => self.token(),
            }
        }
        self.close_all("bracket or string is not closed");
        if !self.is_fragment {
            if self.out.toks.last().is_some_and(|t| t.kind != T::Newline) {
                self.push(T::Newline, self.at);
            }
            while self.indents.len() > 1 {
                self.indents.pop();
                self.push(T::Dedent, self.at);
            }
        }
        self.push(T::Eof, self.at);
    }

    fn push_frame(&mut self, frame: Frame) {
        match frame.open {
            Open::FString => self.strings.push(self.open.len()),
            Open::Field | Open::Spec => self.counts.push([0; 3]),
            bracket => self.counts.last_mut().expect("the file's counts stay")[bracket as usize] += 1,
        }
        self.open.push(frame);
    }

    fn pop_frame(&mut self) -> Option<Frame> {
        let frame = self.open.pop()?;
        match frame.open {
            Open::FString => {
                self.strings.pop();
            }
            Open::Field | Open::Spec => {
                self.counts.pop();
            }
            bracket => self.counts.last_mut().expect("the file's counts stay")[bracket as usize] -= 1,
        }
        Some(frame)
    }

    /// Ends the innermost open things until `left` remain: they reach to the token `end`.
    fn cut(&mut self, left: usize, end: u32, why: &'static str) {
        while self.open.len() > left {
            let Some(frame) = self.pop_frame() else { return };
            let tok = &mut self.out.toks[frame.tok as usize];
            tok.aux = end;
            self.out.errors.push((tok.start, tok.end, why));
        }
    }

    /// Ends everything open in front of the next token.
    fn close_all(&mut self, why: &'static str) {
        self.cut(0, self.out.toks.len() as u32, why);
    }

    /// Measures the indentation of a line and emits the layout tokens; skips blank and comment lines.
    fn line_start(&mut self) {
        let blanks = scan::blanks(self.bytes, self.at) - self.at;
        self.at += blanks;
        let mut column = blanks as u32;
        loop {
            match self.peek(0) {
                b' ' => column += 1,
                b'\t' => column = (column / 8 + 1) * 8,
                b'\x0c' => column = 0,
                _ => break,
            }
            self.at += 1;
        }
        match self.peek(0) {
            b'\n' | b'\r' => {
                self.at += 1;
                return;
            }
            b'#' => {
                self.comment();
                return;
            }
            0 if self.at >= self.bytes.len() => return,
            _ => {}
        }
        self.is_line_start = false;
        self.indent_to(column);
    }

    fn indent_to(&mut self, column: u32) {
        let current = *self.indents.last().expect("level 0 stays");
        if column > current {
            self.indents.push(column);
            self.push(T::Indent, self.at);
        }
        while column < *self.indents.last().expect("level 0 stays") {
            self.indents.pop();
            self.push(T::Dedent, self.at);
        }
        let level = *self.indents.last().expect("level 0 stays");
        if column > level {
            self.out.errors.push((self.at as u32, self.at as u32, "indentation fits no outer block"));
        }
    }

    fn comment(&mut self) {
        let start = self.at;
        let len = memchr::memchr(b'\n', &self.bytes[start..]).unwrap_or(self.bytes.len() - start);
        self.at = start + len;
        let text = &self.bytes[start..self.at];
        let body = text[1..].trim_ascii_start();
        let Some(ty) = body.strip_prefix(b"type:") else { return };
        let ty = ty.trim_ascii_start();
        if ty.starts_with(b"ignore") || self.is_line_start && self.open.is_empty() && !ty.starts_with(b"(") {
            return;
        }
        let from = self.at - ty.len();
        let ty = &ty[..memchr::memchr(b'#', ty).unwrap_or(ty.len())];
        let before = self.out.toks.len() as u32;
        let end = (from + ty.trim_ascii_end().len()) as u32;
        self.out.type_comments.push(TypeComment { before, start: from as u32, end });
    }

    fn token(&mut self) {
        if self.peek(0) == b' ' {
            self.at = scan::blanks(self.bytes, self.at + 1);
        }
        let start = self.at;
        let byte = self.peek(0);
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            0 if start == self.bytes.len() => {}
            b'\t' | b'\x0c' => self.at += 1,
            b'\n' | b'\r' => self.line_end(),
            b'#' => self.comment(),
            b'\\' if self.peek(1) == b'\n' => self.at += 2,
            b'\\' if self.peek(1) == b'\r' => self.at += if self.peek(2) == b'\n' { 3 } else { 2 },
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            b'"' | b'\'' => self.string(start, 0),
            0x80.. => self.word(),
            _ => self.operator(),
        }
    }

    fn line_end(&mut self) {
        let start = self.at;
        self.at += 1;
        if self.is_fragment {
            return;
        }
        if self.open.is_empty() {
            self.push(T::Newline, start);
            self.is_line_start = true;
            return;
        }
        let mut next = scan::blanks(self.bytes, self.at);
        while matches!(self.bytes.get(next), Some(b' ' | b'\t')) {
            next += 1;
        }
        let end = word_end(self.bytes, next);
        if end > next && T::keyword(&self.src[next..end]).starts_statement() {
            self.close_all("bracket is not closed before the next statement");
            self.push(T::Newline, start);
            self.is_line_start = true;
        }
    }

    fn number(&mut self) {
        let start = self.at;
        if self.peek(0) == b'0' && matches!(self.peek(1) | 0x20, b'x' | b'o' | b'b') {
            self.at += 2;
            while self.peek(0).is_ascii_alphanumeric() || self.peek(0) == b'_' {
                self.at += 1;
            }
        } else {
            self.digits();
            if self.peek(0) == b'.' {
                self.at += 1;
                self.digits();
            }
            let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
            if self.peek(0) | 0x20 == b'e' && self.peek(1 + sign).is_ascii_digit() {
                self.at += 1 + sign;
                self.digits();
            }
            if matches!(self.peek(0) | 0x20, b'j' | b'l') {
                self.at += 1;
            }
        }
        self.push(T::Number, start);
    }

    fn digits(&mut self) {
        while self.peek(0).is_ascii_digit() || self.peek(0) == b'_' {
            self.at += 1;
        }
    }

    fn word(&mut self) {
        let start = self.at;
        self.at = word_end(self.bytes, start);
        let word = &self.bytes[start..self.at];
        if word.len() <= 2 && matches!(self.peek(0), b'"' | b'\'') && is_string_prefix(word) {
            let len = word.len();
            self.string(start, len);
            return;
        }
        let kind = T::keyword(&self.src[start..self.at]);
        if kind == T::For
            && let Some(frame) = self.open.last()
        {
            self.out.comprehensions.push(frame.tok);
        }
        self.push(kind, start);
    }

    /// A string whose quote stands at the current position, behind a prefix of `prefix` bytes from `start`.
    fn string(&mut self, start: usize, prefix: usize) {
        let letters = &self.bytes[start..start + prefix];
        let has = |c: u8| letters.iter().any(|l| l | 0x20 == c);
        let (is_raw, is_bytes, is_format) = (has(b'r'), has(b'b'), has(b'f') || has(b't'));
        let quote = self.peek(0);
        let is_triple = self.peek(1) == quote && self.peek(2) == quote;
        if self.ends_outer_string(quote, is_triple) {
            self.end_outer_string(start);
            return;
        }
        let quotes = if is_triple { 3 } else { 1 };
        self.at += quotes;
        if is_format {
            let tok = self.push(T::FStart, start);
            self.push_frame(Frame { open: Open::FString, tok, quote, is_triple, is_raw });
            return;
        }
        let is_closed = self.skip_string(quote, is_triple);
        let tok = self.push(T::Str, start);
        let head = (prefix + quotes) as u32;
        let tail = if is_closed { quotes as u32 } else { 0 };
        self.out.toks[tok as usize].aux = StrParts { head, tail, is_bytes }.pack();
        if !is_closed {
            self.out.errors.push((start as u32, self.at as u32, "string is not closed"));
        }
    }

    /// Moves behind the closing quote; false when there is none.
    fn skip_string(&mut self, quote: u8, is_triple: bool) -> bool {
        loop {
            let rest = &self.bytes[self.at..];
            let Some(i) = (if is_triple {
                memchr::memchr2(quote, b'\\', rest)
            } else {
                memchr::memchr3(quote, b'\\', b'\n', rest)
            }) else {
                self.at = self.bytes.len();
                return false;
            };
            self.at += i;
            match self.bytes[self.at] {
                b'\\' => self.skip_escape(),
                b'\n' => return false,
                _ if !is_triple => {
                    self.at += 1;
                    return true;
                }
                _ if self.peek(1) == quote && self.peek(2) == quote => {
                    self.at += 3;
                    return true;
                }
                _ => self.at += 1,
            }
        }
    }

    /// Moves behind a backslash and the character after it.
    fn skip_escape(&mut self) {
        let is_crlf = self.peek(1) == b'\r' && self.peek(2) == b'\n';
        self.at = (self.at + if is_crlf { 3 } else { 2 }).min(self.bytes.len());
    }

    /// The frame of the f-string around the current replacement field.
    fn outer_string(&self) -> Option<usize> {
        self.strings.last().copied()
    }

    /// True when a quote inside a replacement field can only be the end of the f-string: the same quote, and no
    /// other follows on the line.
    fn ends_outer_string(&self, quote: u8, is_triple: bool) -> bool {
        let Some(frame) = self.outer_string().map(|i| &self.open[i]) else { return false };
        if frame.quote != quote || frame.is_triple && !is_triple {
            return false;
        }
        if frame.is_triple {
            return true;
        }
        let line = &self.bytes[self.at + 1..];
        let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
        memchr::memchr(quote, line).is_none()
    }

    /// Closes an f-string from within a replacement field that was left open.
    fn end_outer_string(&mut self, start: usize) {
        let Some(i) = self.outer_string() else { return };
        self.at += if self.open[i].is_triple { 3 } else { 1 };
        self.cut(i, self.out.toks.len() as u32, "replacement field is not closed");
        self.push(T::FEnd, start);
    }

    /// The text of an f-string up to the next replacement field or its end.
    fn literal_part(&mut self) {
        let Some(i) = self.outer_string() else { return };
        let Frame { quote, is_triple, is_raw, .. } = self.open[i];
        let in_spec = self.open.last().is_some_and(|f| f.open == Open::Spec);
        while self.at < self.bytes.len() {
            let start = self.at;
            match self.bytes[start] {
                b'\\' if matches!(self.peek(1), b'{' | b'}') => self.at += 1,
                b'\\' if !is_raw && self.peek(1) == b'N' && self.peek(2) == b'{' => {
                    let rest = &self.bytes[start..];
                    self.at += memchr::memchr2(b'}', b'\n', rest).unwrap_or(rest.len());
                }
                b'\\' => self.skip_escape(),
                b'{' if self.peek(1) == b'{' && !in_spec => self.at += 2,
                b'{' => {
                    self.at += 1;
                    let tok = self.push(T::FOpen, start);
                    self.push_frame(Frame { open: Open::Field, tok, quote, is_triple, is_raw });
                    return;
                }
                b'}' if in_spec => {
                    self.at += 1;
                    self.close_top(T::FClose, start);
                    return;
                }
                b'\n' if !is_triple => {
                    self.end_unclosed_string(i);
                    return;
                }
                b if b == quote && (!is_triple || self.peek(1) == quote && self.peek(2) == quote) => {
                    if in_spec {
                        self.end_outer_string(start);
                    } else {
                        self.at += if is_triple { 3 } else { 1 };
                        self.close_top(T::FEnd, start);
                    }
                    return;
                }
                _ => self.at += 1,
            }
        }
    }

    fn end_unclosed_string(&mut self, outer: usize) {
        self.cut(outer, self.out.toks.len() as u32, "string is not closed");
        self.push(T::FEnd, self.at);
    }

    fn close_top(&mut self, kind: T, start: usize) {
        let close = self.push(kind, start);
        if let Some(frame) = self.pop_frame() {
            self.out.toks[frame.tok as usize].aux = close;
            self.out.toks[close as usize].aux = frame.tok;
        }
    }

    fn open_bracket(&mut self, kind: T, open: Open) {
        let start = self.at;
        self.at += 1;
        let tok = self.push(kind, start);
        self.push_frame(Frame { open, tok, quote: 0, is_triple: false, is_raw: false });
    }

    fn close_bracket(&mut self, kind: T, open: Open) {
        let start = self.at;
        self.at += 1;
        // A field of an f-string is a wall for brackets inside it.
        let is_open = self.counts.last().is_some_and(|counts| counts[open as usize] > 0);
        let found = if is_open { self.open.iter().rposition(|f| f.open == open) } else { None };
        let Some(i) = found else {
            self.out.errors.push((start as u32, self.at as u32, "nothing to close"));
            self.push(T::Stray, start);
            return;
        };
        self.cut(i + 1, self.out.toks.len() as u32, "bracket is not closed");
        self.close_top(kind, start);
    }

    fn operator(&mut self) {
        let start = self.at;
        let top = self.open.last().map(|f| f.open);
        let (kind, len) = match (self.peek(0), self.peek(1), self.peek(2)) {
            (b'(', ..) => return self.open_bracket(T::LParen, Open::Paren),
            (b'[', ..) => return self.open_bracket(T::LBrack, Open::Brack),
            (b'{', ..) => return self.open_bracket(T::LBrace, Open::Brace),
            (b')', ..) => return self.close_bracket(T::RParen, Open::Paren),
            (b']', ..) => return self.close_bracket(T::RBrack, Open::Brack),
            (b'}', ..) if self.closes_field() => return self.close_field(),
            (b'}', ..) => return self.close_bracket(T::RBrace, Open::Brace),
            (b':', ..) if top == Some(Open::Field) => {
                self.at += 1;
                if let Some(frame) = self.open.last_mut() {
                    frame.open = Open::Spec;
                }
                return;
            }
            (b'!', b, _) if top == Some(Open::Field) && b.is_ascii_alphabetic() => {
                self.at += 2;
                return;
            }
            (b'*', b'*', b'=') | (b'/', b'/', b'=') | (b'<', b'<', b'=') | (b'>', b'>', b'=') => {
                (T::AugAssign, 3)
            }
            (b'.', b'.', b'.') => (T::Ellipsis, 3),
            (b'*', b'*', _) => (T::DoubleStar, 2),
            (b'/', b'/', _) => (T::Mul, 2),
            (b'<', b'<', _) | (b'>', b'>', _) => (T::Shift, 2),
            (b':', b'=', _) => (T::Walrus, 2),
            (b'-', b'>', _) => (T::Arrow, 2),
            (b'=' | b'!' | b'<' | b'>', b'=', _) | (b'<', b'>', _) => (T::Compare, 2),
            (b'+' | b'-' | b'*' | b'/' | b'%' | b'@' | b'&' | b'|' | b'^', b'=', _) => (T::AugAssign, 2),
            (b'.', ..) => (T::Dot, 1),
            (b',', ..) => (T::Comma, 1),
            (b':', ..) => (T::Colon, 1),
            (b';', ..) => (T::Semi, 1),
            (b'=', ..) => (T::Assign, 1),
            (b'*', ..) => (T::Star, 1),
            (b'@', ..) => (T::At, 1),
            (b'|', ..) => (T::Pipe, 1),
            (b'+', ..) => (T::Plus, 1),
            (b'-', ..) => (T::Minus, 1),
            (b'&' | b'^', ..) => (T::Bits, 1),
            (b'/' | b'%', ..) => (T::Mul, 1),
            (b'<' | b'>', ..) => (T::Compare, 1),
            (b'~', ..) => (T::Tilde, 1),
            (b'`', ..) => (T::Backtick, 1),
            _ => (T::Stray, 1),
        };
        self.at += len;
        self.push(kind, start);
        if kind == T::Stray {
            self.out.errors.push((start as u32, self.at as u32, "unexpected character"));
        }
    }

    /// True when `}` ends a replacement field: no brace was opened inside it.
    fn closes_field(&self) -> bool {
        self.counts.len() > 1 && self.counts.last().is_some_and(|c| c[Open::Brace as usize] == 0)
    }

    fn close_field(&mut self) {
        let start = self.at;
        self.at += 1;
        if let Some(field) = self.open.iter().rposition(|f| matches!(f.open, Open::Field | Open::Spec)) {
            self.cut(field + 1, self.out.toks.len() as u32, "bracket is not closed");
        }
        self.close_top(T::FClose, start);
    }
}

fn is_string_prefix(word: &[u8]) -> bool {
    let lower = |i: usize| word.get(i).map_or(0, |b| b | 0x20);
    matches!(
        (lower(0), lower(1)),
        (b'r' | b'b' | b'u' | b'f' | b't', 0)
            | (b'r', b'b' | b'f' | b't')
            | (b'b' | b'f' | b't' | b'u', b'r')
    )
}
