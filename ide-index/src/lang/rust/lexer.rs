//! Rust's literals, lifetimes, comments and keywords.

use crate::kit::{Kind, Repair, Tokens, keywords, scan};

keywords! {
    WORDS:
    AS "as", ASYNC "async", AWAIT "await", BREAK "break", CONST "const", CONTINUE "continue", CRATE "crate", DYN "dyn",
    ELSE "else", ENUM "enum", EXTERN "extern", FALSE "false", FN "fn", FOR "for", IF "if", IMPL "impl", IN "in",
    LET "let", LOOP "loop", MATCH "match", MOD "mod", MOVE "move", MUT "mut", PUB "pub", REF "ref", RETURN "return",
    SELF "self", SELF_TYPE "Self", STATIC "static", STRUCT "struct", SUPER "super", TRAIT "trait", TRUE "true",
    TYPE "type", UNSAFE "unsafe", USE "use", WHERE "where", WHILE "while",
}

/// [`crate::kit::Token::sub`] of literals.
pub(super) const STRING: u8 = 1;
pub(super) const CHAR: u8 = 2;
pub(super) const BYTE_STRING: u8 = 3;
pub(super) const BYTE: u8 = 4;
/// `'a`, as a literal of its own: the name with its quote.
pub(super) const LIFETIME: u8 = 5;
pub(super) const INT: u8 = 1;
pub(super) const FLOAT: u8 = 2;

const REPAIR: Repair = Repair { semicolons_after: None, indented: true };

pub(super) fn lex(text: &str) -> Tokens {
    let bytes = text.as_bytes();
    let mut tokens = Tokens::with_capacity(text.len());
    let mut i = skip_shebang(text);
    while i < bytes.len() {
        let start = i;
        i = match bytes[i] {
            b'\n' => {
                tokens.newline();
                scan::blanks(bytes, i + 1)
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => scan::blanks(bytes, i + 1),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => word(text, i, &mut tokens),
            b'/' if matches!(scan::byte_at(text, i + 1), b'/' | b'*') => comment(text, i, &mut tokens),
            b'0'..=b'9' => {
                let end =
                    number(text, i, tokens.last().is_some_and(|t| t.is(b'.') && t.end as usize == start));
                let kind = if is_float(&text[start..end]) { FLOAT } else { INT };
                tokens.push(Kind::Number, kind, start, end);
                end
            }
            b'"' => {
                let end = scan::quoted(text, i, true);
                tokens.push(Kind::Text, STRING, start, end);
                end
            }
            b'\'' => {
                let (end, kind) = quote(text, i);
                tokens.push(Kind::Text, kind, start, end);
                end
            }
            c @ (b'(' | b'[' | b'{') => {
                tokens.open(c, i);
                i + 1
            }
            c @ (b')' | b']' | b'}') => {
                tokens.close(c, i);
                i + 1
            }
            c @ ..0x80 => {
                tokens.push(Kind::Punct, c, start, i + 1);
                i + 1
            }
            _ => word(text, i, &mut tokens),
        };
    }
    tokens.finish(text, REPAIR);
    tokens
}

/// An identifier, a literal that begins with a letter, or a character that is none.
fn word(text: &str, start: usize, tokens: &mut Tokens) -> usize {
    let end = scan::word(text, start, false);
    if end == start {
        let end = start + text[start..].chars().next().map_or(1, char::len_utf8);
        tokens.push(Kind::Punct, 0, start, end);
        return end;
    }
    if matches!(scan::byte_at(text, end), b'"' | b'\'' | b'#') {
        if let Some((end, kind)) = prefixed(text, start) {
            tokens.push(Kind::Text, kind, start, end);
            return end;
        }
        // The name of a raw identifier is without its `r#`.
        let raw = scan::word(text, end + 1, false);
        if text[start..].starts_with("r#") && raw > end + 1 {
            tokens.push(Kind::Word, 0, end + 1, raw);
            return raw;
        }
    }
    tokens.push(Kind::Word, WORDS.number(&text[start..end]), start, end);
    end
}

/// `#!/usr/bin/env …` on the first line, which is no inner attribute.
fn skip_shebang(text: &str) -> usize {
    let is_attribute = text.strip_prefix("#!").is_none_or(|rest| rest.trim_start().starts_with('['));
    if is_attribute { scan::byte_order_mark(text) } else { scan::line(text, 0) }
}

fn comment(text: &str, at: usize, tokens: &mut Tokens) -> usize {
    let rest = &text[at..];
    let end = if rest.starts_with("//") { scan::line(text, at) } else { scan::block_comment(text, at, true) };
    let is_doc = rest.starts_with("///") && !rest.starts_with("////")
        || rest.starts_with("/**") && !rest.starts_with("/***") && !rest.starts_with("/**/");
    if memchr::memchr(b'\n', &text.as_bytes()[at..end]).is_some() {
        tokens.newline();
    }
    tokens.comment(at, end, is_doc);
    end
}

/// `1`, `1.5`, `1.`, `0xff_u8`; behind a dot (`t.0.1`) digits alone.
fn number(text: &str, at: usize, is_field: bool) -> usize {
    if is_field {
        let len = text.as_bytes()[at..].iter().take_while(|b| scan::is_word_byte(**b)).count();
        return at + len;
    }
    let end = scan::number(text, at, true).max(at + 1);
    // `1.e()` is no float with an exponent.
    match text[at..end].find('.') {
        Some(dot) if text[at + dot + 1..end].starts_with(|c: char| !c.is_ascii_digit()) => at + dot,
        _ => end,
    }
}

fn is_float(text: &str) -> bool {
    let based = ["0x", "0b", "0o"].iter().any(|p| text.starts_with(p));
    !based && (text.contains('.') || text.ends_with("f32") || text.ends_with("f64") || has_exponent(text))
}

fn has_exponent(text: &str) -> bool {
    text.find(['e', 'E'])
        .is_some_and(|at| !text[..at].contains(|c: char| c.is_alphabetic()) && !text[..at].is_empty())
}

/// A character or a lifetime.
fn quote(text: &str, at: usize) -> (usize, u8) {
    let mut chars = text[at + 1..].chars();
    match (chars.next(), chars.next()) {
        (Some('\\'), _) => (scan::quoted(text, at, false), CHAR),
        (Some(c), Some('\'')) => (at + 2 + c.len_utf8(), CHAR),
        _ => {
            let end = scan::word(text, at + 1, false);
            if end > at + 1 { (end, LIFETIME) } else { (at + 1, CHAR) }
        }
    }
}

/// Literals with letters before their quote.
fn prefixed(text: &str, at: usize) -> Option<(usize, u8)> {
    let bytes = &text.as_bytes()[at..];
    let letters = match bytes {
        [b'b' | b'c', b'r', ..] => 2,
        [b'b' | b'c' | b'r', ..] => 1,
        _ => return None,
    };
    let kind = if bytes[0] == b'b' { BYTE_STRING } else { STRING };
    let is_raw = bytes[letters - 1] == b'r';
    let hashes = bytes[letters..].iter().take_while(|b| **b == b'#').count();
    match bytes.get(letters + hashes) {
        Some(b'"') if is_raw => Some((raw_end(text, at + letters + hashes + 1, hashes), kind)),
        Some(b'"') if hashes == 0 => Some((scan::quoted(text, at + letters, true), kind)),
        Some(b'\'') if hashes == 0 && bytes[0] == b'b' && letters == 1 => {
            Some((scan::quoted(text, at + 1, false), BYTE))
        }
        _ => None,
    }
}

/// Behind a raw string whose content begins at `at`: behind its next quote with as many `#` as it began with.
fn raw_end(text: &str, at: usize, hashes: usize) -> usize {
    let bytes = text.as_bytes();
    let behind = |quote: usize| &bytes[at + quote + 1..];
    let ends =
        |quote: &usize| behind(*quote).len() >= hashes && behind(*quote)[..hashes].iter().all(|b| *b == b'#');
    memchr::memchr_iter(b'"', &bytes[at..]).find(ends).map_or(text.len(), |quote| at + quote + 1 + hashes)
}
