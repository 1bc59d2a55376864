//! Scanners over bytes: each takes the position where something begins and gives the position behind it. All stay
//! inside the text and end on character boundaries when they began on one.

use ide_model::TextRange;

/// Continues an identifier in every language (with `$` as a language wishes).
const WORD: u8 = 1;
const DIGIT: u8 = 2;
const SPACE: u8 = 4;
const DOLLAR: u8 = 8;
const OPEN: u8 = 16;
const CLOSE: u8 = 32;

static CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = match i as u8 {
            b'0'..=b'9' => DIGIT | WORD,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => WORD,
            b'$' => DOLLAR,
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => SPACE,
            b'(' | b'[' | b'{' => OPEN,
            b')' | b']' | b'}' => CLOSE,
            _ => 0,
        };
        i += 1;
    }
    table
};

pub(crate) fn is_word_byte(byte: u8) -> bool {
    CLASS[usize::from(byte)] & WORD != 0
}

pub(crate) fn is_digit(byte: u8) -> bool {
    CLASS[usize::from(byte)] & DIGIT != 0
}

pub(crate) fn is_space(byte: u8) -> bool {
    CLASS[usize::from(byte)] & SPACE != 0
}

pub(crate) fn is_open(byte: u8) -> bool {
    CLASS[usize::from(byte)] & OPEN != 0
}

pub(crate) fn is_close(byte: u8) -> bool {
    CLASS[usize::from(byte)] & CLOSE != 0
}

/// Behind the blanks (no tabs, no line endings) that begin at `at`.
#[inline]
pub(crate) fn blanks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let other = u64::from_le_bytes(*eight) ^ u64::from_ne_bytes([b' '; 8]);
        if other != 0 {
            return at + (other.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while bytes.get(at) == Some(&b' ') {
        at += 1;
    }
    at
}

/// Behind the white space that begins at `at`, and whether a line ends in it.
pub(crate) fn spaces(text: &str, mut at: usize) -> (usize, bool) {
    let mut ends_line = false;
    while is_space(byte_at(text, at)) {
        ends_line |= byte_at(text, at) == b'\n';
        at = blanks(text.as_bytes(), at + 1);
    }
    (at, ends_line)
}

/// The byte at a position, 0 behind the end.
pub(crate) fn byte_at(text: &str, at: usize) -> u8 {
    text.as_bytes().get(at).copied().unwrap_or(0)
}

/// Behind the identifier that begins at `at`; `at` itself when none does. Letters and digits of all scripts count;
/// `$` does when `dollar` is set.
#[inline]
pub(crate) fn word(text: &str, at: usize, dollar: bool) -> usize {
    let first = CLASS[usize::from(byte_at(text, at))];
    if first & DIGIT != 0 || first & (WORD | DOLLAR) == 0 && byte_at(text, at) < 0x80 {
        return at;
    }
    let end = ascii_word(text.as_bytes(), at, dollar);
    if byte_at(text, end) < 0x80 { end } else { word_of_any_script(text, end, dollar) }
}

#[cold]
fn word_of_any_script(text: &str, mut at: usize, dollar: bool) -> usize {
    while let Some(c) = text[at..].chars().next().filter(|c| is_word_char(*c)) {
        at = ascii_word(text.as_bytes(), at + c.len_utf8(), dollar);
    }
    at
}

/// Behind the letters, digits and `_` of ASCII (and `$`) from `at` on.
#[inline]
pub(crate) fn ascii_word(bytes: &[u8], mut at: usize, dollar: bool) -> usize {
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let other = others(u64::from_le_bytes(*eight), dollar);
        if other != 0 {
            return at + (other.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let accept = if dollar { WORD | DOLLAR } else { WORD };
    while bytes.get(at).is_some_and(|byte| CLASS[usize::from(*byte)] & accept != 0) {
        at += 1;
    }
    at
}

/// The highest bit of each of eight bytes that is not part of an identifier of ASCII; a loop over words that end after few
/// bytes would be mispredicted for most of them.
#[inline]
fn others(eight: u64, dollar: bool) -> u64 {
    const EACH: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = 0x80 * EACH;
    let low = eight & !HIGH;
    // The highest bit of a byte of at most 0x7f: whether it is as large as the other.
    let from = |bytes: u64, least: u8| bytes + u64::from(0x80 - least) * EACH;
    let within = |bytes: u64, least: u8, most: u8| from(bytes, least) & !from(bytes, most + 1);
    let letters = within(low | (0x20 * EACH), b'a', b'z');
    let mut all = letters | within(low, b'0', b'9') | within(low, b'_', b'_');
    if dollar {
        all |= within(low, b'$', b'$');
    }
    (!all | eight) & HIGH
}

/// Letters, digits, combining marks and what else identifiers may hold; everything beyond ASCII that is neither
/// space nor punctuation nor invisible.
fn is_word_char(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(c, '\u{300}'..='\u{36f}' | '\u{200c}' | '\u{200d}' | '\u{203f}' | '\u{2040}')
}

/// Behind the number that begins at `at`: digits, letters, `_`, one fraction part, signs behind an exponent.
/// A dot belongs to it only before a digit, or where `final_dot` is set and neither a dot nor a letter follows
/// that could begin a member's name: an exponent and a suffix may.
pub(crate) fn number(text: &str, at: usize, final_dot: bool) -> usize {
    let bytes = text.as_bytes();
    let hex = byte_at(text, at) == b'0' && matches!(byte_at(text, at + 1), b'x' | b'X');
    let exponent: &[u8] = if hex { b"pP" } else { b"eE" };
    let mut i = at;
    let mut has_dot = false;
    while i < bytes.len() {
        let c = bytes[i];
        if is_word_byte(c) {
            i += 1;
            if exponent.contains(&c)
                && matches!(byte_at(text, i), b'+' | b'-')
                && is_digit(byte_at(text, i + 1))
            {
                i += 1;
            }
        } else if c == b'.' && !has_dot {
            let next = byte_at(text, i + 1);
            let ends = final_dot
                && next != b'.'
                && next < 0x80
                && (!is_word_byte(next)
                    || b"eEfFdD".contains(&next)
                    || next == b'i' && !is_word_byte(byte_at(text, i + 2)));
            if !(is_digit(next) || ends || hex && next.is_ascii_hexdigit()) {
                break;
            }
            has_dot = true;
            i += 1;
        } else {
            break;
        }
    }
    i
}

/// Behind the line, before its line ending.
pub(crate) fn line(text: &str, at: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &text.as_bytes()[at..]).map_or(text.len(), |n| at + n)
}

/// The length of the mark that some editors put before the first line.
pub(crate) fn byte_order_mark(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

/// Behind the `*/` of the comment whose `/*` is at `at`; the end of the text when there is none.
pub(crate) fn block_comment(text: &str, at: usize, nested: bool) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 1;
    let mut i = at + 2;
    while let Some(found) = memchr::memchr(b'/', &bytes[i.min(bytes.len())..]) {
        let slash = i + found;
        if slash > i && bytes[slash - 1] == b'*' {
            depth -= 1;
            if depth == 0 {
                return slash + 1;
            }
            i = slash + 1;
        } else if nested && bytes.get(slash + 1) == Some(&b'*') {
            depth += 1;
            i = slash + 2;
        } else {
            i = slash + 1;
        }
    }
    bytes.len()
}

/// Behind the string whose opening quote is at `at`, with backslash escapes. Without its closing quote it ends
/// with the line, unless `multiline`.
pub(crate) fn quoted(text: &str, at: usize, multiline: bool) -> usize {
    quoted_from(text, at + 1, byte_at(text, at), multiline)
}

/// The same for a string that a backslash at the end of a line carries on to the next.
pub(crate) fn continued(text: &str, at: usize) -> usize {
    let quote = byte_at(text, at);
    let mut end = quoted_from(text, at + 1, quote, false);
    while matches!(byte_at(text, end), b'\n' | b'\r') && is_escaped(text, end) {
        let line_end = if text[end..].starts_with("\r\n") { 2 } else { 1 };
        end = quoted_from(text, end + line_end, quote, false);
    }
    end
}

/// An odd number of backslashes stands before `at`.
fn is_escaped(text: &str, at: usize) -> bool {
    text.as_bytes()[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

fn quoted_from(text: &str, mut i: usize, quote: u8, multiline: bool) -> usize {
    let bytes = text.as_bytes();
    while i < bytes.len() {
        match bytes[i] {
            b'\\' => i += escape(text, i),
            b'\n' | b'\r' if !multiline => return i,
            c => {
                i += 1;
                if c == quote {
                    return i;
                }
            }
        }
    }
    bytes.len()
}

/// The text between the quotes of a string; one that was not closed goes on to its end, and the end of a template that
/// was not closed is empty.
pub(crate) fn inside_quotes(text: &str, string: TextRange) -> TextRange {
    let bytes = &text.as_bytes()[string.start as usize..string.end as usize];
    let is_closed = bytes.len() > 1 && bytes.first() == bytes.last();
    TextRange::new(string.end.min(string.start + 1), string.end - u32::from(is_closed))
}

/// Behind the closing delimiter (`"""`) of a string whose opening one is at `at`; the end of the text when there
/// is none. Backslashes escape when `escapes`.
pub(crate) fn delimited(text: &str, at: usize, delimiter: &str, escapes: bool) -> usize {
    let bytes = text.as_bytes();
    let mut i = at + delimiter.len();
    while i < bytes.len() {
        if escapes && bytes[i] == b'\\' {
            i += escape(text, i);
        } else if bytes[i..].starts_with(delimiter.as_bytes()) {
            return i + delimiter.len();
        } else {
            i += 1;
        }
    }
    bytes.len()
}

/// Length of a backslash and the character behind it; a line ending is left to the caller.
fn escape(text: &str, at: usize) -> usize {
    1 + text[at + 1..].chars().next().filter(|c| !matches!(c, '\n' | '\r')).map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inside_of_a_string_that_is_not_closed_ends_with_it() {
        let inside = |text: &'static str| {
            let range = inside_quotes(text, TextRange::new(0, text.len() as u32));
            text.get(range.start as usize..range.end as usize)
        };
        assert_eq!(inside("'a'"), Some("a"));
        assert_eq!(inside("''"), Some(""));
        assert_eq!(inside("'é"), Some("é"));
        assert_eq!(inside("'"), Some(""));
    }

    #[test]
    fn words_end_at_every_other_byte() {
        for dollar in [false, true] {
            for (byte, len) in (0..=255).flat_map(|byte| (0..20).map(move |len| (byte, len))) {
                let text = [vec![b'x'; len], vec![byte], vec![b'z'; 9]].concat();
                let accept = if dollar { WORD | DOLLAR } else { WORD };
                let whole = CLASS[usize::from(byte)] & accept != 0;
                let end = if whole { text.len() } else { len };
                assert_eq!(ascii_word(&text, 0, dollar), end, "{byte} behind {len}");
            }
        }
    }

    #[test]
    fn words_hold_letters_of_all_scripts() {
        assert_eq!(word("größe+1", 0, false), "größe".len());
        assert_eq!(word("a$b", 0, false), 1);
        assert_eq!(word("a$b", 0, true), 3);
        assert_eq!(word("1a", 0, false), 0);
        assert_eq!(word("x\u{a0}y", 0, false), 1, "a no-break space is no letter");
        assert_eq!(word("変数=", 0, false), 6);
    }

    #[test]
    fn numbers_end_before_member_access_and_ranges() {
        for (text, len) in [
            ("1.5f;", 4),
            ("0x1F_ffL+1", 8),
            ("1e-9)", 4),
            ("0xE+1", 3),
            ("0x1.8p-3;", 8),
            ("1..2", 1),
            ("1.foo", 1),
            ("1_000.0", 7),
        ] {
            assert_eq!(number(text, 0, false), len, "{text}");
        }
        assert_eq!(number("1.;", 0, true), 2);
        assert_eq!(number("1.f;", 0, true), 3);
        assert_eq!(number("0.i;", 0, true), 3);
        assert_eq!(number("1.is", 0, true), 1);
        assert_eq!(number("1..2", 0, true), 1);
    }

    #[test]
    fn strings_and_comments_end_where_they_should() {
        assert_eq!(quoted(r#""a\"b" c"#, 0, false), 6);
        assert_eq!(quoted("\"a\nb\"", 0, false), 2);
        assert_eq!(quoted("\"a\nb\"", 0, true), 5);
        assert_eq!(quoted("\"a\\", 0, false), 3);
        assert_eq!(quoted("\"a\\é\"", 0, false), 6);
        assert_eq!(continued("'a\\\nb' c", 0), 6);
        assert_eq!(continued("'a\\\r\n\\\\\nb'", 0), 7, "an escaped backslash escapes no line ending");
        assert_eq!(continued("'a\nb'", 0), 2);
        assert_eq!(delimited("\"\"\"a\\\"\"\"\"x", 0, "\"\"\"", true), 9);
        assert_eq!(block_comment("/* /* */ */", 0, false), 8);
        assert_eq!(block_comment("/* /* */ */", 0, true), 11);
        assert_eq!(block_comment("/*/", 0, false), 3);
        assert_eq!(line("// a\r\nb", 0), 4);
    }
}
