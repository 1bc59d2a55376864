//! Tokens of JavaScript and TypeScript. Templates and JSX are opened up: the code inside them follows as tokens, between a
//! head and an end; the text of JSX elements is left out.

use super::markup::WITHOUT_END;
use crate::kit::{Kind, Repair, Tokens, keywords, scan};

keywords! {
    WORDS:
    BREAK "break", CASE "case", CATCH "catch", CLASS "class", CONST "const", CONTINUE "continue", DEBUGGER "debugger",
    DEFAULT "default", DELETE "delete", DO "do", ELSE "else", ENUM "enum", EXPORT "export", EXTENDS "extends",
    FALSE "false", FINALLY "finally", FOR "for", FUNCTION "function", IF "if", IMPORT "import", IN "in",
    INSTANCEOF "instanceof", NEW "new", NULL "null", RETURN "return", SUPER "super", SWITCH "switch", THIS "this",
    THROW "throw", TRUE "true", TRY "try", TYPEOF "typeof", VAR "var", VOID "void", WHILE "while", WITH "with",
    // From here on words that are names in most places.
    ABSTRACT "abstract", ACCESSOR "accessor", AS "as", ASSERTS "asserts", ASYNC "async", AWAIT "await",
    DECLARE "declare", FROM "from", GET "get", GLOBAL "global", IMPLEMENTS "implements", INFER "infer",
    INTERFACE "interface", IS "is", KEYOF "keyof", LET "let", MODULE "module", NAMESPACE "namespace", OF "of",
    OVERRIDE "override", PRIVATE "private", PROTECTED "protected", PUBLIC "public", READONLY "readonly",
    SATISFIES "satisfies", SET "set", STATIC "static", TYPE "type", UNIQUE "unique", USING "using", YIELD "yield",
    OUT "out",
}

/// Words up to here are reserved everywhere.
pub(super) const LAST_RESERVED: u8 = WITH;

/// [`crate::kit::Token::sub`] of literals.
pub(super) const STRING: u8 = 1;
pub(super) const TEMPLATE_HEAD: u8 = 2;
pub(super) const TEMPLATE_END: u8 = 3;
pub(super) const REGEX: u8 = 4;
/// The `<` of an element is [`JSX_OPEN`], the `</` of its end [`JSX_CLOSE`], `>` and `/>` of a tag [`JSX_END`] and
/// [`JSX_SELF`].
pub(super) const JSX_OPEN: u8 = 5;
pub(super) const JSX_CLOSE: u8 = 6;
pub(super) const JSX_END: u8 = 7;
pub(super) const JSX_SELF: u8 = 8;

const REPAIR: Repair = Repair { semicolons_after: Some(&[FOR]), indented: true };
/// Elements and templates nested deeper are left as they are.
const MAX_NESTING: u32 = 60;

/// `jsx` is false where `<T>x` is an assertion.
pub(super) fn lex(text: &str, jsx: bool) -> Tokens {
    let start = scan::byte_order_mark(text);
    let mut lexer =
        Lexer { text, tokens: Tokens::with_capacity(text.len()), i: start, jsx, markup: false, nesting: 0 };
    if text.starts_with("#!") {
        lexer.i = scan::line(text, 0);
    }
    while lexer.i < text.len() {
        lexer.token();
    }
    lexer.tokens.finish(text, REPAIR);
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    tokens: Tokens,
    i: usize,
    jsx: bool,
    /// Elements are written as HTML allows.
    markup: bool,
    nesting: u32,
}

impl Lexer<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        scan::byte_at(self.text, self.i + ahead)
    }

    fn token(&mut self) {
        let (text, start, c) = (self.text, self.i, self.byte(0));
        match c {
            b'\n' => {
                self.tokens.newline();
                self.i = scan::blanks(text.as_bytes(), start + 1);
            }
            _ if scan::is_space(c) => self.i = scan::blanks(text.as_bytes(), start + 1),
            b'/' if self.byte(1) == b'/' => {
                self.i = scan::line(text, start);
                self.tokens.comment(start, self.i, false);
            }
            b'/' if self.byte(1) == b'*' => self.block_comment(),
            b'/' if self.value_expected() => self.regex(),
            b'"' | b'\'' => {
                self.i = scan::continued(text, start);
                self.tokens.push(Kind::Text, STRING, start, self.i);
            }
            b'`' => self.template(),
            b'<' if self.markup && text[start..].starts_with("<!--") => self.html_comment(),
            b'<' if self.jsx
                && self.nesting < MAX_NESTING
                && self.value_expected()
                && self.element_begins() =>
            {
                self.element()
            }
            b'#' if scan::word(text, start + 1, true) > start + 1 => {
                self.i = scan::word(text, start + 1, true);
                self.tokens.push(Kind::Word, 0, start, self.i);
            }
            _ if scan::is_digit(c) || c == b'.' && scan::is_digit(self.byte(1)) => {
                self.i = scan::number(text, start, true).max(start + 1);
                self.tokens.push(Kind::Number, 0, start, self.i);
            }
            _ if scan::is_open(c) => {
                self.tokens.open(c, start);
                self.i += 1;
            }
            _ if scan::is_close(c) => {
                self.tokens.close(c, start);
                self.i += 1;
            }
            _ => {
                let end = scan::word(text, start, true);
                if end > start {
                    self.i = end;
                    self.tokens.push(Kind::Word, WORDS.number(&text[start..end]), start, end);
                } else {
                    self.i += text[start..].chars().next().map_or(1, char::len_utf8);
                    self.tokens.push(Kind::Punct, if c < 0x80 { c } else { 0 }, start, self.i);
                }
            }
        }
    }

    fn block_comment(&mut self) {
        let start = self.i;
        self.i = scan::block_comment(self.text, start, false);
        let comment = &self.text[start..self.i];
        if comment.contains('\n') {
            self.tokens.newline();
        }
        self.tokens.comment(start, self.i, comment.len() > 4 && comment.starts_with("/**"));
    }

    /// Whether a value may begin here: decides over `/` and `<`.
    fn value_expected(&self) -> bool {
        let Some(last) = self.tokens.last() else { return true };
        match last.kind {
            Kind::Number => false,
            Kind::Text => {
                matches!(last.sub, JSX_END | JSX_OPEN | JSX_CLOSE) || self.markup && last.sub == JSX_SELF
            }
            Kind::Close => last.sub == b'}',
            Kind::Word => {
                last.sub != 0
                    && last.sub <= LAST_RESERVED
                    && !matches!(last.sub, THIS | SUPER | NULL | TRUE | FALSE | FUNCTION | CLASS | EXTENDS)
                    || matches!(last.sub, OF | AWAIT | YIELD) && !self.after_dot()
            }
            // `x++ / y`.
            Kind::Punct => {
                !matches!(last.sub, b'+' | b'-')
                    || !self.text[..last.start as usize].ends_with(last.sub as char)
            }
            _ => true,
        }
    }

    fn after_dot(&self) -> bool {
        let list = &self.tokens.list;
        list.len() > 1 && list[list.len() - 2].is(b'.')
    }

    fn regex(&mut self) {
        let (bytes, start) = (self.text.as_bytes(), self.i);
        let mut i = start + 1;
        let mut in_class = false;
        while i < bytes.len() {
            match bytes[i] {
                b'\n' => break,
                b'\\' => i += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => {
                    let end = scan::word(self.text, i + 1, true);
                    self.tokens.push(Kind::Text, REGEX, start, end);
                    self.i = end;
                    return;
                }
                _ => {}
            }
            i += 1;
        }
        // No end on this line: a division after all.
        self.tokens.push(Kind::Punct, b'/', start, start + 1);
        self.i = start + 1;
    }

    fn template(&mut self) {
        let (text, start) = (self.text, self.i);
        let bytes = text.as_bytes();
        let mut i = start + 1;
        let mut opened = false;
        while i < bytes.len() {
            match bytes[i] {
                b'\\' => i += 1,
                b'`' => break,
                b'$' if scan::byte_at(text, i + 1) == b'{' && self.nesting < MAX_NESTING => {
                    if !opened {
                        self.tokens.push(Kind::Text, TEMPLATE_HEAD, start, start + 1);
                        opened = true;
                    }
                    self.i = i + 1;
                    self.braces();
                    i = self.i;
                    continue;
                }
                _ => {}
            }
            i += 1;
        }
        let mut end = (i + 1).min(bytes.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        let (kind, from) = if opened { (TEMPLATE_END, i.min(end)) } else { (STRING, start) };
        self.tokens.push(Kind::Text, kind, floor(text, from), end);
        self.i = end;
    }

    /// `{ code }` with everything in it.
    fn braces(&mut self) {
        self.nesting += 1;
        let depth = self.tokens.nesting();
        self.tokens.open(b'{', self.i);
        self.i += 1;
        while self.i < self.text.len() && self.tokens.nesting() > depth {
            self.token();
        }
        self.nesting -= 1;
    }

    /// Not the type parameters of an arrow function.
    fn element_begins(&self) -> bool {
        let next = self.byte(1);
        if next == b'>' {
            return true;
        }
        let name = self.i + 1;
        let end = scan::word(self.text, name, true);
        if end == name {
            return false;
        }
        let rest = self.text[end..].trim_start();
        !(rest.starts_with(',')
            || rest.starts_with("extends ")
            || rest.starts_with('=')
            || rest.starts_with('('))
    }

    fn element(&mut self) {
        self.nesting += 1;
        let start = self.i;
        if self.tag() {
            self.raw(start);
            self.children();
        }
        self.nesting -= 1;
    }

    /// `<name attributes>`; true when children follow.
    fn tag(&mut self) -> bool {
        let text = self.text;
        self.tokens.push(Kind::Text, JSX_OPEN, self.i, self.i + 1);
        self.i += 1;
        let name = &text[self.i..dashed_word(text, self.i)];
        while self.i < text.len() {
            let (start, c) = (self.i, self.byte(0));
            match c {
                b'>' if self.markup && WITHOUT_END.contains(&name) => {
                    self.tokens.push(Kind::Text, JSX_SELF, start, start + 1);
                    self.i += 1;
                    return false;
                }
                b'`' if self.markup => self.template(),
                b'>' => {
                    self.tokens.push(Kind::Text, JSX_END, start, start + 1);
                    self.i += 1;
                    return true;
                }
                b'/' if self.byte(1) == b'>' => {
                    self.tokens.push(Kind::Text, JSX_SELF, start, start + 2);
                    self.i += 2;
                    return false;
                }
                b'{' => self.braces(),
                b'"' | b'\'' => {
                    self.i = scan::quoted(text, start, true);
                    self.tokens.push(Kind::Text, STRING, start, self.i);
                }
                b'<' => {
                    // Type arguments of a component.
                    self.tokens.push(Kind::Punct, b'<', start, start + 1);
                    self.i += 1;
                    let mut depth = 1;
                    while depth > 0 && self.i < text.len() {
                        match self.byte(0) {
                            b'<' => depth += 1,
                            b'>' => depth -= 1,
                            _ => {}
                        }
                        self.token();
                    }
                }
                b'/' if matches!(self.byte(1), b'/' | b'*') => self.token(),
                b'\n' | b'.' | b':' | b'=' => self.token(),
                _ if scan::is_space(c) => self.i += 1,
                _ => {
                    let end = dashed_word(text, start);
                    if end > start {
                        self.tokens.push(Kind::Word, 0, start, end);
                        self.i = end;
                    } else {
                        self.i += text[start..].chars().next().map_or(1, char::len_utf8);
                    }
                }
            }
        }
        false
    }

    /// The content of an element that holds no markup.
    fn raw(&mut self, start: usize) {
        let text = self.text;
        let name = &text[start + 1..dashed_word(text, start + 1)];
        let is_raw = matches!(name, "script" | "style") || text[start..self.i].contains("is:raw");
        if self.markup && is_raw {
            let end = format!("</{name}");
            self.i = text[self.i..].find(&end).map_or(text.len(), |at| self.i + at);
        }
    }

    /// `<!-- … -->`, `<!doctype …>`.
    fn html_comment(&mut self) {
        let rest = &self.text[self.i..];
        let end = if rest.starts_with("<!--") { "-->" } else { ">" };
        self.i += rest.find(end).map_or(rest.len(), |at| at + end.len());
    }

    /// Up to and with the end tag.
    fn children(&mut self) {
        let text = self.text;
        while self.i < text.len() {
            let rest = &text.as_bytes()[self.i..];
            let Some(at) = rest.iter().position(|b| matches!(b, b'{' | b'<')) else {
                self.i = text.len();
                return;
            };
            self.i += at;
            if self.byte(0) == b'{' {
                self.braces();
            } else if self.markup && self.byte(1) == b'!' {
                self.html_comment();
            } else if self.markup
                && !self.byte(1).is_ascii_alphabetic()
                && !matches!(self.byte(1), b'/' | b'>')
            {
                self.i += 1;
            } else if self.byte(1) == b'/' {
                let start = self.i;
                self.tokens.push(Kind::Text, JSX_CLOSE, start, start + 2);
                self.i += 2;
                while self.i < text.len() && self.byte(0) != b'>' {
                    let from = self.i;
                    let end = dashed_word(text, from);
                    if end > from {
                        self.tokens.push(Kind::Word, 0, from, end);
                        self.i = end;
                    } else if matches!(self.byte(0), b'.' | b':') {
                        self.token();
                    } else {
                        self.i += text[from..].chars().next().map_or(1, char::len_utf8);
                    }
                }
                let end = (self.i + 1).min(text.len());
                self.tokens.push(Kind::Text, JSX_END, self.i.min(end), end);
                self.i = end;
                return;
            } else if self.nesting < MAX_NESTING {
                self.element();
            } else {
                self.i += 1;
            }
        }
    }
}

/// The tokens of the markup in a part of a text. Elements may have no end tags, and what is no element is text.
pub(super) fn lex_markup(text: &str, from: usize, to: usize) -> Tokens {
    let text = &text[..to];
    let tokens = Tokens::with_capacity(to - from);
    let mut lexer = Lexer { text, tokens, i: from, jsx: true, markup: true, nesting: 0 };
    while lexer.i < text.len() {
        lexer.children();
    }
    lexer.tokens.finish(text, REPAIR);
    lexer.tokens
}

/// Names of attributes and elements may hold dashes.
fn dashed_word(text: &str, at: usize) -> usize {
    let mut end = scan::word(text, at, true);
    while end > at && scan::byte_at(text, end) == b'-' {
        let next = scan::word(text, end + 1, true);
        end = next.max(end + 1);
    }
    end
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The tokens of a part of a text; what follows it is not seen.
pub(super) fn lex_between(text: &str, from: usize, to: usize) -> Tokens {
    let text = &text[..to];
    let mut lexer = Lexer {
        text,
        tokens: Tokens::with_capacity(to - from),
        i: from,
        jsx: false,
        markup: false,
        nesting: 0,
    };
    while lexer.i < text.len() {
        lexer.token();
    }
    lexer.tokens.finish(text, REPAIR);
    lexer.tokens
}

/// The tokens of the end of a text: a type in a comment.
pub(super) fn lex_from(text: &str, from: usize) -> Tokens {
    let mut lexer = Lexer {
        text,
        tokens: Tokens::with_capacity(text.len() - from),
        i: from,
        jsx: false,
        markup: false,
        nesting: 0,
    };
    while lexer.i < text.len() {
        // The stars at the start of lines are no part of it.
        if lexer.byte(0) == b'*' && text[..lexer.i].trim_end_matches([' ', '\t']).ends_with('\n') {
            lexer.i += 1;
            continue;
        }
        lexer.token();
    }
    lexer.tokens.finish(text, REPAIR);
    lexer.tokens
}
