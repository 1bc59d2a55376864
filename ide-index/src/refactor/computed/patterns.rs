//! Names that are put together from texts and other things: `"on_" + name`, `f"on_{name}"`, `` `${name}X` ``, `'get' . $name`.

/// Bytes in which an argument must end.
const FAR: usize = 300;

/// The text that a name begins and ends with, as far as both are written down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pattern {
    prefix: String,
    suffix: String,
}

impl Pattern {
    /// The pattern of an expression; one that is not understood says nothing.
    pub(super) fn of(key: &str) -> Self {
        Self::read(key.trim()).unwrap_or_default()
    }

    fn read(key: &str) -> Option<Self> {
        let parts = parts_of(key)?;
        let (first, last) = (parts.first()?, parts.last()?);
        let is_one = parts.len() == 1;
        // A name that is written down whole is none that is made.
        if is_one && first.text.is_some_and(|text| before_hole(text, first.holes) == text) {
            return None;
        }
        let prefix = first.text.map(|text| before_hole(text, first.holes));
        let suffix = last.text;
        Some(Self {
            prefix: prefix.unwrap_or_default().to_owned(),
            suffix: suffix.map(|text| behind_holes(text, last.holes)).unwrap_or_default().to_owned(),
        })
    }

    /// Whether anything of the name is written down.
    pub(super) fn is_said(&self) -> bool {
        !self.prefix.is_empty() || !self.suffix.is_empty()
    }

    /// Whether a name may be made by it.
    pub(super) fn fits(&self, name: &str) -> bool {
        name.len() >= self.prefix.len() + self.suffix.len()
            && name.starts_with(&self.prefix)
            && name.ends_with(&self.suffix)
    }
}

/// An operand of a concatenation.
struct Part<'t> {
    /// The inside of its quotes, if it is a text.
    text: Option<&'t str>,
    holes: Holes,
}

/// How a text says that something is put in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holes {
    None,
    /// `{x}` of Python.
    Braces,
    /// `${x}`; `$x` and `{$x}` of PHP.
    Dollars,
    /// `%s` before `%`.
    Percent,
}

fn before_hole(text: &str, holes: Holes) -> &str {
    let hole = match holes {
        Holes::None => None,
        Holes::Braces => text.find('{'),
        Holes::Dollars => text.find('$').map(|at| if text[..at].ends_with('{') { at - 1 } else { at }),
        Holes::Percent => text.find('%'),
    };
    hole.map_or(text, |at| &text[..at])
}

fn behind_holes(text: &str, holes: Holes) -> &str {
    match holes {
        Holes::None => text,
        Holes::Braces => text.rfind('}').map_or(text, |at| &text[at + 1..]),
        Holes::Dollars => {
            let Some(at) = text.rfind('$') else { return text };
            match text.rfind('}').filter(|end| *end > at) {
                Some(end) => &text[end + 1..],
                None => {
                    let behind = text[at + 1..].trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
                    // `$o->name` and `$all[0]` go on.
                    if behind.starts_with(['-', '[', '?']) { "" } else { behind }
                }
            }
        }
        // The end of `%(key)s` or `%03d` is not looked for.
        Holes::Percent => text.rfind('%').map_or(text, |at| {
            let behind = text[at + 1..].strip_prefix(char::is_alphabetic);
            behind.unwrap_or("")
        }),
    }
}

/// The operands of a concatenation of texts and other values; `None` for any other operation.
fn parts_of(key: &str) -> Option<Vec<Part<'_>>> {
    let mut parts = Vec::new();
    let mut rest = key;
    loop {
        rest = rest.trim_start();
        let marks = rest.len() - rest.trim_start_matches(['f', 'r', 'F', 'R', 'b', 'u']).len();
        let quote = rest[marks..].chars().next()?;
        let is_text = marks <= 2 && matches!(quote, '"' | '\'' | '`');
        let end = if is_text { quoted_end(rest, marks)? } else { operand_end(rest)? };
        let operand = &rest[..end];
        rest = rest[end..].trim_start();
        if is_text {
            let is_template = operand[..marks].contains(['f', 'F']);
            let holes = match quote {
                _ if is_template => Holes::Braces,
                '`' => Holes::Dollars,
                '"' if operand.contains('$') => Holes::Dollars,
                _ if rest.starts_with('%') => Holes::Percent,
                _ => Holes::None,
            };
            let inside = &operand[marks + 1..operand.len() - 1];
            // An escape stands for another character.
            parts.push(Part { text: Some(inside).filter(|inside| !inside.contains('\\')), holes });
            if holes == Holes::Percent {
                return Some(parts);
            }
        } else {
            parts.push(Part { text: None, holes: Holes::None });
        }
        if rest.is_empty() {
            return Some(parts);
        }
        // A dot joins texts in PHP, where variables have a sigil; elsewhere it asks a text for something.
        let joins = rest.starts_with('+') || rest.starts_with('.') && key.contains('$');
        rest = rest.get(1..).filter(|_| joins)?;
    }
}

/// The end of a text that begins behind some marks.
fn quoted_end(text: &str, marks: usize) -> Option<usize> {
    let quote = text[marks..].chars().next()?;
    let mut escaped = false;
    let inside = text[marks + 1..].char_indices();
    for (at, c) in inside {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return Some(marks + 1 + at + 1),
            _ => {}
        }
    }
    None
}

/// The end of an operand that is no text: names, members, calls.
fn operand_end(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            '"' | '\'' | '`' => at += quoted_end(&text[at..], 0)? - 1,
            '-' if text[at..].starts_with("->") => at += 1,
            '.' | '+' if depth == 0 && text[..at].ends_with(' ') => return Some(at),
            '+' if depth == 0 => return Some(at),
            '.' if depth == 0 && text[at + 1..].starts_with(['\'', '"', ' ', '$']) => return Some(at),
            ' ' | '.' | '_' | '$' | ':' | '\\' => {}
            _ if c.is_alphanumeric() || depth > 0 => {}
            _ => return None,
        }
        at += text[at..].chars().next().map_or(1, char::len_utf8);
    }
    (depth == 0).then_some(text.len())
}

/// An argument in the brackets that open at the beginning of a text.
pub(super) fn argument(text: &str, number: usize) -> Option<&str> {
    let rest = text.trim_start().trim_start_matches(['?', '!', '.']);
    let inside = rest.strip_prefix(['(', '['])?;
    let (mut depth, mut at, mut start, mut count) = (0usize, 0, 0, 0);
    while let Some(c) = inside.get(at..).filter(|_| at < FAR)?.chars().next() {
        let is_end = depth == 0 && matches!(c, ')' | ']' | ',');
        match c {
            _ if is_end && count == number => return Some(inside[start..at].trim()),
            ',' if is_end => (count, start) = (count + 1, at + 1),
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            '(' | '[' | '{' => depth += 1,
            '"' | '\'' | '`' => at += quoted_end(&inside[at..], 0)? - 1,
            _ => {}
        }
        at += inside[at..].chars().next().map_or(1, char::len_utf8);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_how_they_begin_and_end() {
        for (key, prefix, suffix) in [
            ("\"on_\" + name", "on_", ""),
            ("f\"on_{name}_x\"", "on_", "_x"),
            ("\"on_%s\" % name", "on_", ""),
            ("\"on_%s_x\" % name", "on_", "_x"),
            ("\"on_%(of)s_x\" % all", "on_", ""),
            ("'o\\x6e' + k + \"X\"", "", "X"),
            ("\"get$o->name\"", "get", ""),
            ("\"get$all[0]x\"", "get", ""),
            ("k + \"x\"", "", "x"),
            ("`${k}x`", "", "x"),
            ("'on' . ucfirst($e)", "on", ""),
            ("\"on$e\"", "on", ""),
            ("\"get{$e}Now\"", "get", "Now"),
            ("$e . 'Of' . 'It'", "", "It"),
            ("$m", "", ""),
            ("a ? 'x' : 'y' + b", "", ""),
            ("'a,b'.split(',')[i]", "", ""),
            ("names[0]", "", ""),
            ("'whole'", "", ""),
        ] {
            let wanted = Pattern { prefix: prefix.to_owned(), suffix: suffix.to_owned() };
            assert_eq!(Pattern::of(key), wanted, "{key}");
        }
        assert!(Pattern::of("'on' + k").fits("onOpen") && !Pattern::of("'on' + k").fits("open"));
        assert!(!Pattern::of("'ab' + k + 'ba'").fits("aba"));
    }

    #[test]
    fn arguments_are_found_by_their_number() {
        assert_eq!(argument("(o, \"a,)\" + f(b, c), d)", 1), Some("\"a,)\" + f(b, c)"));
        assert_eq!(argument("?.[k + \"x\"]()", 0), Some("k + \"x\""));
        assert_eq!(argument("(o)", 1), None);
        assert_eq!(argument(" = 1", 0), None);
    }
}
