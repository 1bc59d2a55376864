//! Just enough of the languages' tokens to break code in one place: names and signs outside of comments and texts.

use std::ops::Range;

/// A name or one sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) range: Range<usize>,
    pub(super) is_name: bool,
}

/// The tokens of a text, for a language by the ending of its files.
pub(super) fn tokens(text: &str, ending: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let has_hash = matches!(ending, "py" | "php");
    let has_slash = ending != "py";
    let mut all = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let byte = bytes[at];
        let end = if byte.is_ascii_whitespace() {
            at + 1
        } else if has_slash && rest.starts_with("//") || has_hash && byte == b'#' && !rest.starts_with("#[") {
            rest.find('\n').map_or(text.len(), |end| at + end)
        } else if has_slash && rest.starts_with("/*") {
            rest.find("*/").map_or(text.len(), |end| at + end + 2)
        } else if rest.starts_with("\"\"\"") || ending == "py" && rest.starts_with("'''") {
            let close = &rest[..3];
            rest[3..].find(close).map_or(text.len(), |end| at + end + 6)
        } else if matches!(byte, b'"' | b'`')
            || byte == b'\'' && !is_lifetime(bytes, at, ending)
            || byte == b'/' && matches!(ending, "js" | "ts") && is_pattern(text, &all)
        {
            behind_text(bytes, at)
        } else if byte == b'_' || byte.is_ascii_alphabetic() || !byte.is_ascii() {
            let name = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let end = at + name.max(rest.chars().next().map_or(1, char::len_utf8));
            all.push(Token { range: at..end, is_name: true });
            end
        } else if byte.is_ascii_digit() {
            at + rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())
        } else {
            all.push(Token { range: at..at + 1, is_name: false });
            at + 1
        };
        at = end;
    }
    all
}

fn is_lifetime(bytes: &[u8], at: usize, ending: &str) -> bool {
    ending == "rs" && bytes.get(at + 2) != Some(&b'\'') && bytes.get(at + 1) != Some(&b'\\')
}

/// Whether a slash begins a regular expression: nothing that could be divided stands before it.
fn is_pattern(text: &str, before: &[Token]) -> bool {
    before.last().is_none_or(|last| {
        let word = &text[last.range.clone()];
        if last.is_name {
            matches!(word, "return" | "typeof" | "case" | "in")
        } else {
            !matches!(word, ")" | "]" | "}")
        }
    })
}

/// Behind a text in quotes; one that is open in a line ends there.
fn behind_text(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    let mut end = at + 1;
    while end < bytes.len() {
        match bytes[end] {
            b'\\' => end += 1,
            b'\n' if quote != b'`' && quote != b'"' => return end,
            byte if byte == quote => return end + 1,
            _ => {}
        }
        end += 1;
    }
    bytes.len()
}

/// The line of an offset, from 1.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// The token that closes the bracket at an index.
pub(super) fn closing(text: &str, all: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, token) in all.iter().enumerate().skip(open) {
        match &text[token.range.clone()] {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_texts_have_no_tokens() {
        let words = |text: &str, ending: &str| -> Vec<String> {
            tokens(text, ending).into_iter().map(|token| text[token.range].to_owned()).collect()
        };
        assert_eq!(words("a /* b */ + \"c\\\" d\" // e", "java"), ["a", "+"]);
        assert_eq!(words("a # b\n'''c\nd''' e", "py"), ["a", "e"]);
        assert_eq!(words("x = /a'b/.test(y)", "js"), ["x", "=", ".", "test", "(", "y", ")"]);
        assert_eq!(
            words("fn f<'a>(x: &'a str) {}", "rs"),
            ["fn", "f", "<", "'", "a", ">", "(", "x", ":", "&", "'", "a", "str", ")", "{", "}"]
        );
        let text = "f(a, (b))";
        assert_eq!(closing(text, &tokens(text, "go"), 1), Some(7));
    }
}
