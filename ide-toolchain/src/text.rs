//! Output of programs as text: without colours, with one kind of line ends.

/// Longer lines are cut: no message of a compiler is so long, and a minified file is shown by some.
const MAX_LINE: usize = 4_000;

/// Text without terminal sequences, with `\n` at the end of every line. A line that carriage returns overwrite
/// keeps its last state.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        let line = line.trim_end_matches('\r');
        let line = line.rsplit('\r').next().unwrap_or(line);
        plain.push_str(cut(&without_colours(line)));
        plain.push_str(end);
    }
    plain
}

fn cut(line: &str) -> &str {
    if line.len() <= MAX_LINE {
        return line;
    }
    let end = (0..=MAX_LINE).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    &line[..end]
}

/// A line without the sequences that begin with an escape character.
fn without_colours(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            if c == '\t' || !c.is_control() {
                plain.push(c);
            }
            continue;
        }
        match chars.next() {
            // Colours and the cursor: numbers, then a letter.
            Some('[') => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
            // Titles and links: until a bell or the string terminator.
            Some(']') => {
                while let Some(c) = chars.next() {
                    if c == '\u{7}' || c == '\u{1b}' && chars.next_if_eq(&'\\').is_some() {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    plain
}

/// The end of a text in at most so many characters, from the beginning of a line on.
pub(crate) fn tail(text: &str, most: usize) -> &str {
    let text = text.trim_end();
    let Some((at, _)) = text.char_indices().rev().nth(most.saturating_sub(1)).filter(|(at, _)| *at > 0)
    else {
        return text;
    };
    text[at..].split_once('\n').map_or(&text[at..], |(_, rest)| rest)
}

/// A text in at most so many characters, its middle left out.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most / 2).collect();
    let tail: String = text.chars().skip(count - most / 2).collect();
    format!("{head}\n[{} characters left out]\n{tail}", count - most / 2 * 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_links_and_overwritten_lines_go() {
        assert_eq!(plain("\u{1b}[1;31merror\u{1b}[0m: x\r\nb"), "error: x\nb");
        assert_eq!(plain("10%\r20%\rdone\r\n"), "done\n");
        assert_eq!(plain("\u{1b}]8;;https://a\u{1b}\\E1\u{1b}]8;;\u{7} b\u{0}c\u{1b}"), "E1 bc");
        assert_eq!(plain(&"é".repeat(MAX_LINE)).len(), MAX_LINE);
    }

    #[test]
    fn tails_begin_with_a_line() {
        assert_eq!(tail("one\ntwo\nthree\n", 8), "three");
        assert_eq!(tail("one\n", 8), "one");
        assert_eq!(tail("onetwothree", 5), "three");
        assert_eq!(shortened("abcdefgh", 4), "ab\n[4 characters left out]\ngh");
        assert_eq!(shortened("abcd", 4), "abcd");
    }
}
