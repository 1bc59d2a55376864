//! Go's literals, comments and keywords.

use crate::kit::{Kind, Repair, Tokens, keywords, scan};

keywords! {
    WORDS:
    BREAK "break", CASE "case", CHAN "chan", CONST "const", CONTINUE "continue", DEFAULT "default", DEFER "defer",
    ELSE "else", FALLTHROUGH "fallthrough", FOR "for", FUNC "func", GO "go", GOTO "goto", IF "if", IMPORT "import",
    INTERFACE "interface", MAP "map", PACKAGE "package", RANGE "range", RETURN "return", SELECT "select",
    STRUCT "struct", SWITCH "switch", TYPE "type", VAR "var",
}

/// [`crate::kit::Token::sub`] of literals.
pub(super) const STRING: u8 = 1;
pub(super) const RUNE: u8 = 2;
pub(super) const INT: u8 = 1;
pub(super) const FLOAT: u8 = 2;
/// `2i`.
pub(super) const IMAGINARY: u8 = 3;

const REPAIR: Repair = Repair { semicolons_after: Some(&[FOR, IF, SWITCH]), indented: true };

/// Where an automatic semicolon stands, [`crate::kit::Token::after_newline`] of the next token is set.
pub(super) fn lex(text: &str) -> Tokens {
    let bytes = text.as_bytes();
    let mut tokens = Tokens::with_capacity(text.len());
    let mut i = scan::byte_order_mark(text);
    while i < bytes.len() {
        let c = bytes[i];
        let start = i;
        if c == b'\n' {
            tokens.newline();
            i += 1;
        } else if scan::is_space(c) {
            i = scan::blanks(bytes, i + 1);
        } else if scan::is_digit(c) || c == b'.' && scan::is_digit(scan::byte_at(text, i + 1)) {
            i = scan::number(text, i, true).max(i + 1);
            tokens.push(Kind::Number, number_kind(&text[start..i]), start, i);
        } else if c == b'/' && scan::byte_at(text, i + 1) == b'/' {
            i = scan::line(text, i);
            tokens.comment(start, i, true);
        } else if c == b'/' && scan::byte_at(text, i + 1) == b'*' {
            i = scan::block_comment(text, i, false);
            if text[start..i].contains('\n') {
                tokens.newline();
            }
            tokens.comment(start, i, true);
        } else if matches!(c, b'"' | b'\'') {
            i = scan::quoted(text, i, false);
            tokens.push(Kind::Text, if c == b'"' { STRING } else { RUNE }, start, i);
        } else if c == b'`' {
            i = scan::delimited(text, i, "`", false);
            tokens.push(Kind::Text, STRING, start, i);
        } else if scan::is_open(c) {
            tokens.open(c, i);
            i += 1;
        } else if scan::is_close(c) {
            tokens.close(c, i);
            i += 1;
        } else {
            let end = scan::word(text, i, false);
            if end > i {
                i = end;
                tokens.push(Kind::Word, WORDS.number(&text[start..i]), start, i);
            } else {
                i += text[i..].chars().next().map_or(1, char::len_utf8);
                tokens.push(Kind::Punct, if c < 0x80 { c } else { 0 }, start, i);
            }
        }
    }
    tokens.finish(text, REPAIR);
    tokens
}

fn number_kind(text: &str) -> u8 {
    let hex = text.starts_with("0x") || text.starts_with("0X");
    if text.ends_with('i') {
        IMAGINARY
    } else if text.contains('.') || (!hex && text.contains(['e', 'E'])) || (hex && text.contains(['p', 'P']))
    {
        FLOAT
    } else {
        INT
    }
}
