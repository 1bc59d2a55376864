//! Kotlin's tokens. A string with templates is a row of tokens: [`HEAD`], then for each template a `$` and a name or
//! a group in braces, then [`TAIL`].

use crate::kit::{Kind, Repair, Tokens, scan};

/// Keywords. Keywords behind [`LAST_RESERVED`] are names too where the grammar does not want them.
pub(super) mod words {
    crate::kit::keywords! { WORDS:
        AS "as", BREAK "break", CLASS "class", CONTINUE "continue", DO "do", ELSE "else", FALSE "false", FOR "for",
        FUN "fun", IF "if", IN "in", INTERFACE "interface", IS "is", NULL "null", OBJECT "object",
        PACKAGE "package", RETURN "return", SUPER "super", THIS "this", THROW "throw", TRUE "true", TRY "try",
        TYPEALIAS "typealias", _ "typeof", VAL "val", VAR "var", WHEN "when", WHILE "while",
        ABSTRACT "abstract", ACTUAL "actual", ANNOTATION "annotation", COMPANION "companion", CONST "const",
        CROSSINLINE "crossinline", DATA "data", ENUM "enum", EXPECT "expect", EXTERNAL "external",
        FINAL "final", INFIX "infix", INLINE "inline", INNER "inner", INTERNAL "internal",
        LATEINIT "lateinit", NOINLINE "noinline", OPEN "open", OPERATOR "operator", OUT "out",
        OVERRIDE "override", PRIVATE "private", PROTECTED "protected", PUBLIC "public", REIFIED "reified",
        SEALED "sealed", SUSPEND "suspend", TAILREC "tailrec", VALUE "value", VARARG "vararg",
        BY "by", CATCH "catch", CONSTRUCTOR "constructor", CONTEXT "context", _ "dynamic",
        FINALLY "finally", GET "get", IMPORT "import", INIT "init", SET "set", WHERE "where",
    }
    pub(crate) const LAST_RESERVED: u8 = WHILE;
    pub(crate) const FIRST_MODIFIER: u8 = ABSTRACT;
    pub(crate) const LAST_MODIFIER: u8 = VARARG;
}

/// [`crate::kit::Token::sub`] of literals.
pub(super) const STRING: u8 = 0;
pub(super) const CHARACTER: u8 = 1;
/// The part of a string before its first template.
pub(super) const HEAD: u8 = 2;
/// The part behind its last one.
pub(super) const TAIL: u8 = 3;

/// Templates in templates deeper than this are text.
const MAX_TEMPLATES: u32 = 12;
/// A template's closing brace is not looked for beyond this many bytes.
const MAX_TEMPLATE: usize = 4_000;

const REPAIR: Repair = Repair { semicolons_after: None, indented: true };

pub(super) fn lex(text: &str) -> Tokens {
    let mut lexer = Lexer { text, tokens: Tokens::with_capacity(text.len()) };
    let begin = if text.starts_with("#!") { scan::line(text, 0) } else { 0 };
    lexer.code(begin, text.len(), 0);
    let mut tokens = lexer.tokens;
    tokens.finish(text, REPAIR);
    tokens
}

/// Whether a name can only be written between backticks.
pub(crate) fn needs_backticks(name: &str) -> bool {
    let is_word = !name.is_empty() && scan::word(name, 0, false) == name.len();
    !is_word || (1..=words::LAST_RESERVED).contains(&words::WORDS.number(name))
}

struct Lexer<'a> {
    text: &'a str,
    tokens: Tokens,
}

impl Lexer<'_> {
    /// Tokens of a stretch of code, which ends at `end`.
    fn code(&mut self, from: usize, end: usize, depth: u32) {
        let text = self.text;
        let bytes = text.as_bytes();
        let mut i = from;
        while i < end {
            let c = bytes[i];
            if scan::is_space(c) {
                if c == b'\n' || c == b'\r' {
                    self.tokens.newline();
                }
                i = scan::blanks(&bytes[..end], i + 1);
                continue;
            }
            let word = scan::word(text, i, false).min(end);
            if word > i {
                self.tokens.push(Kind::Word, words::WORDS.number(&text[i..word]), i, word);
                i = word;
                continue;
            }
            i = self.other(i, end, depth).min(end);
        }
    }

    /// One token that is no word, or a comment.
    fn other(&mut self, i: usize, end: usize, depth: u32) -> usize {
        let text = self.text;
        let next = scan::byte_at(text, i + 1);
        match text.as_bytes()[i] {
            b'/' if next == b'/' => {
                let close = scan::line(text, i);
                self.tokens.comment(i, close, false);
                close
            }
            b'/' if next == b'*' => {
                let close = scan::block_comment(text, i, true);
                let is_doc = text[i..close].starts_with("/**") && close - i > 4;
                self.tokens.comment(i, close, is_doc);
                close
            }
            b'"' => self.string(i, end, depth, 1),
            b'$' if scan::byte_at(text, i + dollars(text, i)) == b'"' => {
                let marks = dollars(text, i);
                if i + marks < end { self.string(i + marks, end, depth, marks) } else { end }
            }
            b'\'' => self.push(Kind::Text, CHARACTER, i, scan::quoted(text, i, false).min(end)),
            b'`' => {
                let close = scan::quoted(text, i, false).min(end);
                let inner = if text[..close].ends_with('`') && close > i + 2 { close - 1 } else { close };
                self.tokens.push(Kind::Word, 0, i + 1, inner.max(i + 1));
                close
            }
            b'0'..=b'9' => self.push(Kind::Number, 0, i, scan::number(text, i, false).min(end)),
            b'.' if scan::is_digit(next) && !text[..i].ends_with('.') => {
                self.push(Kind::Number, 0, i, scan::number(text, i + 1, false).min(end))
            }
            c if scan::is_open(c) => {
                self.tokens.open(c, i);
                i + 1
            }
            c if scan::is_close(c) => {
                self.tokens.close(c, i);
                i + 1
            }
            c if c < 0x80 => self.push(Kind::Punct, c, i, i + 1),
            _ => {
                let other = text[i..].chars().next().expect("tokens begin on character boundaries");
                let behind = i + other.len_utf8();
                if !other.is_whitespace() && other != '\u{feff}' {
                    self.tokens.push(Kind::Punct, 0, i, behind);
                }
                behind
            }
        }
    }

    fn push(&mut self, kind: Kind, sub: u8, start: usize, end: usize) -> usize {
        self.tokens.push(kind, sub, start, end);
        end
    }

    /// The string at `start`, with its templates, each behind as many `$` as `marks`.
    fn string(&mut self, start: usize, end: usize, depth: u32, marks: usize) -> usize {
        let text = self.text;
        let bytes = text.as_bytes();
        let raw = text[start..end].starts_with("\"\"\"");
        let mut i = start + if raw { 3 } else { 1 };
        // The start of the text since the last template.
        let mut piece = start;
        let mut has_templates = false;
        let close = loop {
            if i >= end {
                break end;
            }
            match bytes[i] {
                b'\\' if !raw => {
                    let behind = text[i + 1..].chars().next();
                    i += 1 + behind.filter(|c| !matches!(c, '\n' | '\r')).map_or(0, char::len_utf8);
                }
                b'\n' | b'\r' if !raw => break i,
                b'"' if !raw => break i + 1,
                b'"' if text[i..end].starts_with("\"\"\"") => {
                    // Quotes before the closing three belong to the text.
                    let run = bytes[i..end].iter().take_while(|b| **b == b'"').count();
                    break i + run;
                }
                b'$' if dollars(text, i) < marks => i += dollars(text, i),
                b'$' => {
                    if marks > 1 {
                        i += dollars(text, i) - 1;
                    }
                    let word = scan::word(text, i + 1, false).min(end);
                    let braces = (scan::byte_at(text, i + 1) == b'{' && depth < MAX_TEMPLATES)
                        .then(|| template_end(text, i + 1, end.min(i + MAX_TEMPLATE), depth))
                        .flatten();
                    if word == i + 1 && braces.is_none() {
                        i += 1;
                        continue;
                    }
                    if !has_templates {
                        self.tokens.push(Kind::Text, HEAD, start, i + 1 - marks);
                        has_templates = true;
                    }
                    match braces {
                        Some(close) => {
                            self.tokens.open(b'{', i + 1);
                            self.code(i + 2, close, depth + 1);
                            self.tokens.close(b'}', close);
                            i = close + 1;
                        }
                        None => {
                            self.tokens.push(Kind::Punct, b'$', i, i + 1);
                            let sub = words::WORDS.number(&text[i + 1..word]);
                            self.tokens.push(Kind::Word, sub, i + 1, word);
                            i = word;
                        }
                    }
                    piece = i;
                }
                c if c < 0x80 => i += 1,
                _ => i += text[i..].chars().next().map_or(1, char::len_utf8),
            }
        };
        let close = close.min(end).max(piece);
        if has_templates {
            self.tokens.push(Kind::Text, TAIL, piece, close);
        } else {
            self.tokens.push(Kind::Text, STRING, start, close);
        }
        close
    }
}

/// How many `$` stand in a row.
fn dollars(text: &str, from: usize) -> usize {
    text.as_bytes()[from..].iter().take_while(|byte| **byte == b'$').count()
}

/// The offset of the `}` that ends the template whose `{` is at `open`, strings with templates of their own
/// in between.
fn template_end(text: &str, open: usize, limit: usize, level: u32) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0;
    let mut i = open;
    while i < limit {
        match bytes[i] {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(i);
                }
            }
            b'"' => i = string_end(text, i, limit, level)? - 1,
            b'\'' if scan::byte_at(text, i + 2) == b'\'' || scan::byte_at(text, i + 1) == b'\\' => {
                i = scan::quoted(text, i, false) - 1;
            }
            _ => {}
        }
        i += 1;
    }
    None
}

/// The end of the string that begins at `start` within a template.
fn string_end(text: &str, start: usize, limit: usize, level: u32) -> Option<usize> {
    let bytes = text.as_bytes();
    let raw = bytes[start..].starts_with(b"\"\"\"");
    let mut i = start + if raw { 3 } else { 1 };
    while i < limit {
        match bytes[i] {
            b'\\' if !raw => i += 1,
            b'\n' if !raw => return None,
            b'"' if !raw => return Some(i + 1),
            b'"' if bytes[i..].starts_with(b"\"\"\"") => {
                return Some(i + bytes[i..limit].iter().take_while(|b| **b == b'"').count());
            }
            b'$' if scan::byte_at(text, i + 1) == b'{' => {
                if level >= MAX_TEMPLATES {
                    return None;
                }
                i = template_end(text, i + 1, limit, level + 1)?;
            }
            _ => {}
        }
        i += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<&str> {
        let tokens = lex(text);
        tokens.list.iter().map(|t| &text[t.start as usize..t.end as usize]).collect()
    }

    #[test]
    fn templates_are_code() {
        assert_eq!(
            tokens("\"a $b ${c.d(\"}\")} \\$e $\" f"),
            ["\"a ", "$", "b", "{", "c", ".", "d", "(", "\"}\"", ")", "}", " \\$e $\"", "f", ""]
        );
        assert_eq!(tokens("\"\"\"a\"${b}\"\"\"\" c"), ["\"\"\"a\"", "{", "b", "}", "\"\"\"\"", "c", ""]);
        let nested = "\"\"\"a${b { \"\"\"\"${c}\"\"\"\" }}\"\"\" d";
        let inner = ["\"\"\"\"", "{", "c", "}", "\"\"\"\""];
        assert_eq!(tokens(nested)[..4], ["\"\"\"a", "{", "b", "{"]);
        assert_eq!(tokens(nested)[4..9], inner);
        assert_eq!(tokens(nested)[9..], ["}", "}", "\"\"\"", "d", ""]);
        assert_eq!(tokens("\"${a\nb"), ["\"${a", "b", ""], "an open template is text");
    }

    #[test]
    fn names_in_backticks_have_no_backticks() {
        assert_eq!(tokens("fun `a b`()"), ["fun", "a b", "(", ")", ""]);
    }
}
