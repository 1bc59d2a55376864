//! Places for a change: words, expressions and runs of lines of a text, found without knowing its language.

/// A sequence of numbers that looks random and is the same for the same seed.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 as usize % bound
    }

    /// True once in `n` times.
    pub(super) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// A place in a text: line and column, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// The place of an offset; nothing on a line in which columns and bytes differ.
pub(super) fn place_of(text: &str, offset: usize) -> Option<Place> {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line = text[start..].lines().next().unwrap_or("");
    let number = text[..start].matches('\n').count() + 1;
    line.is_ascii().then_some(Place { line: number, column: offset - start + 1 })
}

/// Every word of a text with its place, on the lines in which columns and bytes are the same.
pub(super) fn words(text: &str) -> Vec<Place> {
    let mut places = Vec::new();
    for (i, line) in text.lines().enumerate().filter(|(_, line)| line.is_ascii()) {
        let mut at = 0;
        for word in line.split(|c: char| !is_word(c as u8)) {
            if word.len() > 1 && !word.starts_with(|c: char| c.is_ascii_digit()) {
                places.push(Place { line: i + 1, column: at + 1 });
            }
            at += word.len() + 1;
        }
    }
    places
}

/// The word that touches a column of a line, with the character before it or behind it; empty where none does.
pub(super) fn touching(line: &str, column: usize) -> &str {
    let is_part = |c: &char| is_word(*c as u8) || *c == '$';
    let (before, behind) = line.split_at((column - 1).min(line.len()));
    let start = before.len() - before.chars().rev().take_while(is_part).count();
    let end = before.len() + behind.chars().take_while(is_part).count();
    &line[start..end]
}

/// The offsets of these lines, counted from 1, without the end of the last one.
pub(super) fn lines_at(text: &str, first: usize, last: usize) -> Option<(usize, usize)> {
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let start = *starts.get(first.checked_sub(1)?)?;
    starts.get(last.checked_sub(1)?)?;
    Some((start, starts.get(last).map_or(text.len(), |next| next - 1)))
}

/// Something between two offsets that could be an expression: it starts at a random word, and takes in what hangs on that
/// and sometimes an operator with what follows.
pub(super) fn expression(text: &str, within: (usize, usize), random: &mut Random) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    if within.0 >= within.1 {
        return None;
    }
    let mut start = within.0 + random.below(within.1 - within.0);
    while start > within.0 && is_word(bytes[start]) && is_word(bytes[start - 1]) {
        start -= 1;
    }
    let before = if start > within.0 { bytes[start - 1] } else { b' ' };
    if before == b'$' {
        start -= 1;
    } else if b".>:\"'@\\".contains(&before) {
        return None;
    }
    let mut end = operand(bytes, start, within.1, random)?;
    while random.once_in(3) {
        let Some(next) = operator(&text[end..within.1]) else { break };
        let Some(behind) = operand(bytes, end + next, within.1, random) else { break };
        end = behind;
    }
    Some((start, end))
}

/// The end of a name, number, text or bracket with the members, calls and indexes behind it, as many as chance has it.
fn operand(bytes: &[u8], start: usize, limit: usize, random: &mut Random) -> Option<usize> {
    let at = |i: usize| bytes.get(i).copied().filter(|_| i < limit);
    let mut end = match at(start)? {
        b'(' | b'[' => bracket(bytes, start, limit)?,
        quote @ (b'"' | b'\'' | b'`') => closing_quote(bytes, start, limit, quote)?,
        b'!' | b'-' | b'&' => operand(bytes, start + 1, limit, random)?,
        b'$' => word(bytes, start + 1, limit)?,
        _ => word(bytes, start, limit)?,
    };
    if [&b"new"[..], b"await"].contains(&&bytes[start..end]) && at(end) == Some(b' ') {
        end = word(bytes, end + 1, limit)?;
    }
    loop {
        let next = match at(end) {
            Some(b'(' | b'[') => bracket(bytes, end, limit),
            Some(b'.' | b':' | b'-' | b'?') if !random.once_in(4) => {
                let marks: [&[u8]; 6] = [b".", b"::", b"->", b"?.", b"?->", b"!!."];
                let mark =
                    marks.iter().filter(|mark| bytes[end..limit].starts_with(mark)).max_by_key(|m| m.len());
                mark.and_then(|mark| word(bytes, end + mark.len(), limit))
            }
            _ => None,
        };
        match next {
            Some(next) => end = next,
            None => return Some(end),
        }
    }
}

/// How long an operator with the blanks around it is, if the text starts with one.
fn operator(text: &str) -> Option<usize> {
    const OPERATORS: &str =
        "=== !== == != <= >= && || ?? ?: << >> + - * / % < > & | . and or in is instanceof";
    let inner = text.strip_prefix(' ')?;
    let rest = OPERATORS.split(' ').find_map(|op| inner.strip_prefix(op)?.strip_prefix(' '))?;
    Some(text.len() - rest.len())
}

fn word(bytes: &[u8], start: usize, limit: usize) -> Option<usize> {
    let length = bytes[start.min(limit)..limit].iter().take_while(|byte| is_word(**byte)).count();
    (length > 0).then_some(start + length)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Behind the bracket that closes the one at `start`.
fn bracket(bytes: &[u8], start: usize, limit: usize) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, start);
    while at < limit {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            quote @ (b'"' | b'\'' | b'`') => {
                at = closing_quote(bytes, at, limit, quote).map_or(at, |end| end - 1);
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Behind the quote that closes the one at `start` on the same line.
fn closing_quote(bytes: &[u8], start: usize, limit: usize, quote: u8) -> Option<usize> {
    let mut at = start + 1;
    while at < limit && bytes[at] != b'\n' {
        match bytes[at] {
            b'\\' => at += 1,
            byte if byte == quote => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// One to four lines of these, counted from 1, that could be whole statements: brackets are balanced, and what follows is
/// not further in.
pub(super) fn statements(text: &str, within: (usize, usize), random: &mut Random) -> Option<(usize, usize)> {
    let lines: Vec<&str> = text.lines().take(within.1).collect();
    if within.1 <= within.0 || lines.len() < within.1 {
        return None;
    }
    let first = within.0 + 1 + random.below(within.1 - within.0);
    let mut last = (first + random.below(4)).min(within.1);
    let indent = |line: &str| line.len() - line.trim_start().len();
    let opens = lines.get(first - 1).filter(|line| !line.trim().is_empty())?;
    let starts_inside = [
        "{", "}", ")", "]", "else", "case", "default", "catch", "finally", "except", "elif", "//", "*", "#",
        ".",
    ];
    if starts_inside.iter().any(|word| opens.trim_start().starts_with(word)) {
        return None;
    }
    // A block that is begun is taken whole.
    while last < within.1 && indent(lines[last]) > indent(opens) {
        last += 1;
    }
    if last < within.1
        && lines[last].trim_start().starts_with(['}', ')', ']'])
        && indent(lines[last]) == indent(opens)
    {
        last += 1;
    }
    let (start, end) = lines_at(text, first, last)?;
    let part = text[start..end].trim_end();
    let is_even = {
        let whole = format!("({part}\n)");
        bracket(whole.as_bytes(), 0, whole.len()) == Some(whole.len())
    };
    (is_even && last - first < 12).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_touch_columns() {
        let of = |column| touching("let ab = c;", column);
        assert_eq!([of(5), of(6), of(7), of(8), of(9), of(11), of(12)], ["ab", "ab", "ab", "", "", "c", ""]);
    }

    #[test]
    fn lines_have_their_offsets() {
        let text = "ab\n  cd\n\nef";
        assert_eq!(lines_at(text, 1, 1), Some((0, 2)));
        assert_eq!(lines_at(text, 2, 4), Some((3, 11)));
        assert_eq!(lines_at(text, 4, 4), Some((9, 11)));
        assert_eq!(lines_at(text, 5, 5), None);
        assert_eq!(place_of(text, 6), Some(Place { line: 2, column: 4 }));
        assert_eq!(place_of("é x", 3), None);
    }

    #[test]
    fn an_expression_is_grown_by_its_brackets() {
        let grow = |text: &str, start: usize| {
            let mut random = Random::new(1);
            (0..200)
                .filter_map(|_| expression(text, (0, text.len()), &mut random))
                .filter(|e| e.0 == start)
                .map(|e| &text[e.0..e.1])
                .max_by_key(|e| e.len())
                .map(str::to_owned)
        };
        assert_eq!(grow("x = a.b(c, \")\")[0] + d;", 4).as_deref(), Some("a.b(c, \")\")[0] + d"));
        assert_eq!(grow("return new A(1, f(2));", 7).as_deref(), Some("new A(1, f(2))"));
        assert_eq!(grow("$a->b($c) . 'x';", 0).as_deref(), Some("$a->b($c) . 'x'"));
        assert_eq!(grow("f(a", 0).as_deref(), Some("f"));
    }

    #[test]
    fn statements_are_whole_lines_with_even_brackets() {
        let text = "fn f() {\n  if (a) {\n    b();\n  }\n  c(1,\n    2);\n}\n";
        let mut random = Random::new(3);
        let mut found: Vec<_> = (0..300).filter_map(|_| statements(text, (1, 6), &mut random)).collect();
        found.sort_unstable();
        found.dedup();
        assert!(found.contains(&(2, 4)) && found.contains(&(3, 3)) && found.contains(&(5, 6)), "{found:?}");
        assert!(!found.contains(&(2, 2)) && !found.contains(&(4, 4)), "{found:?}");
    }
}
