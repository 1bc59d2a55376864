//! Java's tokens.

use crate::kit::{Kind, Repair, Tokens, scan};

/// Keywords. Keywords from [`LAST_RESERVED`] on are names too where the grammar does not want them.
pub(super) mod words {
    crate::kit::keywords! { WORDS:
        _ "boolean", _ "byte", _ "char", _ "short", _ "int", _ "long", _ "float",
        _ "double", VOID "void",
        ABSTRACT "abstract", FINAL "final", NATIVE "native", PRIVATE "private", PROTECTED "protected",
        PUBLIC "public", STATIC "static", STRICTFP "strictfp", SYNCHRONIZED "synchronized",
        TRANSIENT "transient", VOLATILE "volatile", DEFAULT "default",
        ASSERT "assert", BREAK "break", CASE "case", CATCH "catch", CLASS "class", _ "const",
        CONTINUE "continue", DO "do", ELSE "else", ENUM "enum", EXTENDS "extends", FALSE "false",
        FINALLY "finally", FOR "for", _ "goto", IF "if", IMPLEMENTS "implements", IMPORT "import",
        INSTANCEOF "instanceof", INTERFACE "interface", NEW "new", NULL "null", PACKAGE "package",
        RETURN "return", SUPER "super", SWITCH "switch", THIS "this", THROW "throw", THROWS "throws",
        TRUE "true", TRY "try", WHILE "while",
        VAR "var", RECORD "record", YIELD "yield", SEALED "sealed", NON "non", PERMITS "permits", WHEN "when",
        MODULE "module", OPEN "open", REQUIRES "requires", EXPORTS "exports", OPENS "opens", USES "uses",
        PROVIDES "provides", TO "to", WITH "with", TRANSITIVE "transitive",
    }
    pub(crate) const LAST_PRIMITIVE: u8 = VOID;
    pub(crate) const LAST_RESERVED: u8 = WHILE;
}

/// [`crate::kit::Token::sub`] of literals.
pub(super) const STRING: u8 = 0;
pub(super) const CHARACTER: u8 = 1;

const REPAIR: Repair = Repair { semicolons_after: Some(&[words::FOR, words::TRY]), indented: true };

pub(super) fn lex(text: &str) -> Tokens {
    let bytes = text.as_bytes();
    let mut tokens = Tokens::with_capacity(text.len());
    let mut i = 0;
    while i < bytes.len() {
        let c = bytes[i];
        if scan::is_space(c) {
            if c == b'\n' || c == b'\r' {
                tokens.newline();
            }
            i = scan::blanks(bytes, i + 1);
            continue;
        }
        let word = scan::word(text, i, true);
        if word > i {
            tokens.push(Kind::Word, words::WORDS.number(&text[i..word]), i, word);
            i = word;
            continue;
        }
        i = match c {
            b'/' if scan::byte_at(text, i + 1) == b'/' => {
                let is_doc = is_doc_line(text, i);
                let mut end = scan::line(text, i);
                // Lines of documentation are one comment.
                while let Some(next) = next_line(text, end).filter(|next| is_doc && is_doc_line(text, *next))
                {
                    end = scan::line(text, next);
                }
                tokens.comment(i, end, is_doc);
                end
            }
            b'/' if scan::byte_at(text, i + 1) == b'*' => {
                let end = scan::block_comment(text, i, false);
                let is_doc = bytes[i..end].starts_with(b"/**") && end - i > 4;
                tokens.comment(i, end, is_doc);
                end
            }
            b'"' => {
                let end = if bytes[i..].starts_with(b"\"\"\"") {
                    scan::delimited(text, i, "\"\"\"", true)
                } else {
                    scan::quoted(text, i, false)
                };
                push(&mut tokens, Kind::Text, STRING, i, end)
            }
            b'\'' => push(&mut tokens, Kind::Text, CHARACTER, i, scan::quoted(text, i, false)),
            b'0'..=b'9' => push(&mut tokens, Kind::Number, 0, i, scan::number(text, i, true)),
            b'.' if scan::is_digit(scan::byte_at(text, i + 1)) => {
                push(&mut tokens, Kind::Number, 0, i, scan::number(text, i + 1, false))
            }
            _ if scan::is_open(c) => {
                tokens.open(c, i);
                i + 1
            }
            _ if scan::is_close(c) => {
                tokens.close(c, i);
                i + 1
            }
            _ if c < 0x80 => push(&mut tokens, Kind::Punct, c, i, i + 1),
            _ => {
                let other = text[i..].chars().next().expect("tokens begin on character boundaries");
                let end = i + other.len_utf8();
                if !other.is_whitespace() && other != '\u{feff}' {
                    tokens.push(Kind::Punct, 0, i, end);
                }
                end
            }
        }
    }
    tokens.finish(text, REPAIR);
    tokens
}

/// The start of the next line's text, behind a line that ends at `end`.
fn next_line(text: &str, end: usize) -> Option<usize> {
    let rest = &text[end..];
    let rest = rest.strip_prefix('\r').unwrap_or(rest).strip_prefix('\n')?;
    Some(text.len() - rest.trim_start_matches([' ', '\t', '\u{c}']).len())
}

/// `///` and no further slash, where documentation is written in Markdown.
fn is_doc_line(text: &str, at: usize) -> bool {
    text.as_bytes()[at..].starts_with(b"///") && scan::byte_at(text, at + 3) != b'/'
}

fn push(tokens: &mut Tokens, kind: Kind, sub: u8, start: usize, end: usize) -> usize {
    tokens.push(kind, sub, start, end);
    end
}
