//! PHP's tokens: text outside of the tags is passed over, variables are words with a dollar, strings with values inside
//! are opened up.

use ide_model::TextRange;

use crate::kit::{Kind, Repair, Tokens, keywords, scan};

keywords! {
    WORDS:
    ABSTRACT "abstract", AND "and", AS "as", BREAK "break", CASE "case", CATCH "catch", CLASS "class", CLONE "clone",
    CONST "const", CONTINUE "continue", DECLARE "declare", DEFAULT "default", DO "do", ECHO "echo", ELSE "else",
    ELSEIF "elseif", ENDDECLARE "enddeclare", ENDFOR "endfor", ENDFOREACH "endforeach", ENDIF "endif",
    ENDSWITCH "endswitch", ENDWHILE "endwhile", EXTENDS "extends", FINAL "final", FINALLY "finally", FN "fn", FOR "for",
    FOREACH "foreach", FUNCTION "function", GLOBAL "global", GOTO "goto", IF "if", IMPLEMENTS "implements",
    INCLUDE "include", INCLUDE_ONCE "include_once", INSTANCEOF "instanceof", INSTEADOF "insteadof",
    INTERFACE "interface", MATCH "match", NAMESPACE "namespace", NEW "new", OR "or", PRINT "print", PRIVATE "private",
    PROTECTED "protected", PUBLIC "public", READONLY "readonly", REQUIRE "require", REQUIRE_ONCE "require_once",
    RETURN "return", STATIC "static", SWITCH "switch", THROW "throw", TRAIT "trait", TRY "try", USE "use", VAR "var",
    WHILE "while", XOR "xor", YIELD "yield", ENUM "enum",
}

/// [`crate::kit::Token::sub`] of `$name`; the token covers the dollar.
pub(super) const VARIABLE: u8 = 200;
/// Of literals.
pub(super) const STRING: u8 = 1;
/// The head of a string with values inside; they follow as tokens, up to [`STRING_END`].
pub(super) const STRING_HEAD: u8 = 2;
pub(super) const STRING_END: u8 = 3;
pub(super) const INT: u8 = 1;
pub(super) const FLOAT: u8 = 2;

/// Strings in values in strings are not opened up below so many.
const MAX_DEPTH: usize = 8;

/// How many bytes a string that has values inside may go on behind its first quote.
const MAX_BEHIND: usize = 4096;

const REPAIR: Repair = Repair { semicolons_after: Some(&[FOR, DECLARE]), indented: true };

pub(super) fn lex(text: &str) -> Tokens {
    let mut lexer = Lexer { text, tokens: Tokens::with_capacity(text.len()), i: 0, depth: 0 };
    lexer.markup();
    lexer.tokens.finish(text, REPAIR);
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    tokens: Tokens,
    i: usize,
    /// How many values in strings are around.
    depth: usize,
}

impl Lexer<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        scan::byte_at(self.text, self.i + ahead)
    }

    fn starts_with(&self, what: &str) -> bool {
        self.text.as_bytes()[self.i..].starts_with(what.as_bytes())
    }

    /// Outside of the tags, up to the next opening one.
    fn markup(&mut self) {
        while self.i < self.text.len() {
            let Some(at) = memchr::memmem::find(&self.text.as_bytes()[self.i..], b"<?") else {
                self.i = self.text.len();
                return;
            };
            self.i += at;
            self.tokens.newline();
            if self.text[self.i..].get(..5).is_some_and(|tag| tag.eq_ignore_ascii_case("<?php")) {
                self.i += 5;
            } else if self.starts_with("<?=") {
                self.i += 3;
            } else {
                self.i += 2;
                if self.starts_with("xml") {
                    continue;
                }
            }
            self.code();
        }
    }

    /// Inside the tags, up to the closing one.
    fn code(&mut self) {
        while self.i < self.text.len() {
            if self.byte(0) == b'?' && self.byte(1) == b'>' {
                // A closing tag ends the statement.
                self.tokens.push(Kind::Punct, b';', self.i, self.i + 1);
                self.i += 2;
                return;
            }
            self.token();
        }
    }

    fn token(&mut self) {
        let (text, start, c) = (self.text, self.i, self.byte(0));
        match c {
            _ if scan::is_space(c) => {
                let (end, ends_line) = scan::spaces(text, start);
                self.i = end;
                if ends_line {
                    self.tokens.newline();
                }
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word_or_punctuation(),
            b'#' if self.byte(1) != b'[' => self.line_comment(),
            b'/' if self.byte(1) == b'/' => self.line_comment(),
            b'/' if self.byte(1) == b'*' => {
                self.i = scan::block_comment(text, start, false);
                let is_doc = self.i > start + 4 && text[start..].starts_with("/**");
                self.tokens.comment(start, self.i, is_doc);
            }
            b'$' => {
                let end = scan::word(text, start + 1, false);
                if end == start + 1 {
                    self.word_or_punctuation();
                } else {
                    self.i = end;
                    self.tokens.push(Kind::Word, VARIABLE, start, end);
                }
            }
            b'\'' => {
                self.i = scan::quoted(text, start, true);
                self.tokens.push(Kind::Text, STRING, start, self.i);
            }
            b'"' | b'`' => {
                let end = self.template_end(start);
                let inside = scan::inside_quotes(text, TextRange::new(start as u32, end as u32));
                self.template(start, start + 1, inside.end as usize, end);
            }
            b'<' if self.starts_with("<<<") && self.heredoc() => {}
            _ if scan::is_digit(c) || c == b'.' && scan::is_digit(self.byte(1)) => {
                self.i = scan::number(text, start, true).max(start + 1);
                let float = text[start..self.i].contains('.');
                self.tokens.push(Kind::Number, if float { FLOAT } else { INT }, start, self.i);
            }
            _ if scan::is_open(c) => {
                self.tokens.open(c, start);
                self.i += 1;
            }
            _ if scan::is_close(c) => {
                self.tokens.close(c, start);
                self.i += 1;
            }
            _ => self.word_or_punctuation(),
        }
    }

    fn word_or_punctuation(&mut self) {
        let (text, start) = (self.text, self.i);
        let end = scan::word(text, start, false);
        if end > start {
            self.i = end;
            let word = &text[start..end];
            self.tokens.push(Kind::Word, WORDS.number_in_any_case(word), start, end);
        } else {
            let c = self.byte(0);
            self.i += text[start..].chars().next().map_or(1, char::len_utf8);
            self.tokens.push(Kind::Punct, if c < 0x80 { c } else { 0 }, start, self.i);
        }
    }

    /// Ends with the line or before a closing tag.
    fn line_comment(&mut self) {
        let start = self.i;
        let end = scan::line(self.text, start);
        let line = &self.text[start..end];
        self.i = line.find("?>").map_or(end, |at| start + at);
        self.tokens.comment(start, self.i, false);
    }

    /// `<<<NAME` up to the line that begins with the name again.
    fn heredoc(&mut self) -> bool {
        let (text, start) = (self.text, self.i);
        let mut i = start + 3;
        while matches!(scan::byte_at(text, i), b' ' | b'\t') {
            i += 1;
        }
        let quote = scan::byte_at(text, i);
        i += usize::from(matches!(quote, b'"' | b'\''));
        let name_end = scan::word(text, i, false);
        if name_end == i {
            return false;
        }
        let name = &text[i..name_end];
        let body = scan::line(text, name_end);
        let mut line = body;
        let (body_end, end) = loop {
            let Some(next) = text[line..].find('\n').map(|n| line + n + 1) else {
                break (text.len(), text.len());
            };
            let indent = text[next..].len() - text[next..].trim_start_matches([' ', '\t']).len();
            let at = next + indent;
            if text[at..].starts_with(name) && scan::word(text, at, false) == at + name.len() {
                break (next, at + name.len());
            }
            line = next;
        };
        if quote == b'\'' || self.depth > MAX_DEPTH {
            self.tokens.push(Kind::Text, STRING, start, end);
            self.i = end;
        } else {
            self.template(start, body, body_end, end);
        }
        true
    }

    /// Behind the string whose quote is at `start`. Quotes within its `{$…}` do not end it.
    fn template_end(&self, start: usize) -> usize {
        let (text, bytes) = (self.text, self.text.as_bytes());
        let plain = scan::quoted(text, start, true);
        let inside = &bytes[start..plain];
        if memchr::memmem::find(inside, b"{$").is_none() {
            return plain;
        }
        let last = bytes.len().min(plain + MAX_BEHIND);
        let mut open = vec![bytes[start]];
        let mut i = start + 1;
        while i < last {
            let (c, closing) = (bytes[i], open[open.len() - 1]);
            let is_code = closing == b'}';
            i += 1;
            match c {
                b'\\' => i += 1,
                _ if c == closing => {
                    open.pop();
                    if open.is_empty() {
                        return i;
                    }
                }
                b'{' if is_code || scan::byte_at(text, i) == b'$' => open.push(b'}'),
                b'"' | b'`' if is_code => open.push(c),
                b'\'' if is_code => i = scan::quoted(text, i - 1, true),
                _ => {}
            }
        }
        plain
    }

    /// A string from `start` to `end` whose inside may hold values.
    fn template(&mut self, start: usize, from: usize, to: usize, end: usize) {
        let text = self.text;
        let inside = &text.as_bytes()[from..to.max(from)];
        let has_values = memchr::memchr(b'$', inside).is_some();
        if !has_values {
            self.tokens.push(Kind::Text, STRING, start, end);
            self.i = end;
            return;
        }
        self.tokens.push(Kind::Text, STRING_HEAD, start, from);
        let mut i = from;
        while i < to {
            match text.as_bytes()[i] {
                b'\\' => i += 2,
                b'$' if scan::word(text, i + 1, false) > i + 1 => i = self.simple_value(i, to),
                b'{' if scan::byte_at(text, i + 1) == b'$' => i = self.braced_value(i, to),
                b'$' if scan::byte_at(text, i + 1) == b'{' => {
                    // `${name}` and `${name[0]}` are variables; what else is in the braces gives the name of one.
                    let name = scan::word(text, i + 2, false);
                    let is_name = name > i + 2 && name < to && matches!(text.as_bytes()[name], b'}' | b'[');
                    i = if is_name { self.named_value(i, name, to) } else { self.braced_value(i + 1, to) };
                }
                _ => i += 1,
            }
        }
        self.tokens.push(Kind::Text, STRING_END, to.min(end), end);
        self.i = end;
    }

    /// `$name`, `$name->property`, `$name[key]`.
    fn simple_value(&mut self, at: usize, to: usize) -> usize {
        let text = self.text;
        let mut i = scan::word(text, at + 1, false);
        self.tokens.push(Kind::Word, VARIABLE, at, i);
        let has_arrow = text.get(i..to).is_some_and(|rest| rest.starts_with("->"));
        let member = if has_arrow { scan::word(text, i + 2, false) } else { i };
        if member > i + 2 {
            self.tokens.push(Kind::Punct, b'-', i, i + 1);
            self.tokens.push(Kind::Punct, b'>', i + 1, i + 2);
            self.tokens.push(Kind::Word, 0, i + 2, member);
            i = member;
        } else if scan::byte_at(text, i) == b'[' && scan::byte_at(text, i + 1) == b'$' {
            let index = scan::word(text, i + 2, false);
            if index > i + 2 && scan::byte_at(text, index) == b']' {
                self.tokens.open(b'[', i);
                self.tokens.push(Kind::Word, VARIABLE, i + 1, index);
                self.tokens.close(b']', index);
                i = index + 1;
            }
        }
        i
    }

    /// `${name}`: what is in the braces begins with a variable whose dollar stands before them.
    fn named_value(&mut self, at: usize, name_end: usize, to: usize) -> usize {
        self.tokens.open(b'{', at);
        self.tokens.push(Kind::Word, VARIABLE, at + 1, name_end);
        self.value_from(name_end, to)
    }

    /// `{$value}`: code up to the brace that closes it.
    fn braced_value(&mut self, at: usize, to: usize) -> usize {
        self.tokens.open(b'{', at);
        self.value_from(at + 1, to)
    }

    /// The rest of a value in braces, and the brace that closes it. Returns what is behind.
    fn value_from(&mut self, at: usize, to: usize) -> usize {
        let outer = self.i;
        self.i = at;
        self.depth += 1;
        let mut depth = 1;
        while self.i < to {
            match self.byte(0) {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                b'"' | b'`' if self.depth > MAX_DEPTH || self.template_end(self.i) > to => {
                    self.i += 1;
                    continue;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
            self.token();
        }
        let end = self.i.min(to);
        if end < to && self.text.as_bytes()[end] == b'}' {
            self.tokens.close(b'}', end);
        }
        self.i = outer;
        self.depth -= 1;
        end + 1
    }
}
