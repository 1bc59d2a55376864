//! How deep the constructs of a text may be nested, at most, and how much of it may be read again, told from its tokens.

/// Bounds for a text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bounds {
    /// The brackets that are open, and what stands in each since the last sign that ends a construct.
    pub(crate) depth: usize,
    /// For each `<`, those that stand open before it: possible type arguments are tried as such, and read once more where they
    /// are not.
    pub(crate) again: usize,
}

/// The way in which a language writes what is no code.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quotes {
    Ecma,
    Rust,
}

/// The bounds of a text. In strings and comments, brackets without a mate close nothing: where one is taken for the
/// other, the depth only grows.
pub(crate) fn bounds(quotes: Quotes, text: &str) -> Bounds {
    let mut counter = Counter {
        quotes,
        text,
        open: vec![Open::default()],
        sum: 0,
        angles: 0,
        last: b' ',
        bounds: Bounds::default(),
    };
    counter.count();
    counter.bounds
}

/// A bracket that is open.
#[derive(Clone, Copy, Default)]
struct Open {
    /// Tokens since the last end in it.
    tokens: usize,
    /// `<` since the last end of a statement in it.
    angles: usize,
    /// It stands in what is no code: any bracket of the code around closes it.
    is_soft: bool,
    /// `${`: behind its end the text goes on.
    is_in_template: bool,
}

struct Counter<'t> {
    quotes: Quotes,
    text: &'t str,
    open: Vec<Open>,
    /// Of all that is open.
    sum: usize,
    angles: usize,
    /// The last byte that is no space.
    last: u8,
    bounds: Bounds,
}

impl Counter<'_> {
    fn count(&mut self) {
        let mut at = 0;
        while let Some(byte) = self.byte(at) {
            if byte.is_ascii_whitespace() {
                at = self.space(at);
                continue;
            }
            at = match byte {
                b'(' | b'[' | b'{' => self.opened(Open::default(), at + 1),
                b')' | b']' | b'}' => self.closed(byte, at + 1),
                b';' => {
                    self.end_or_count(!goes_on(self.text, at + 1), true);
                    at + 1
                }
                b',' => {
                    self.end_or_count(true, false);
                    at + 1
                }
                b'<' | b'>' => {
                    self.angle(byte, at);
                    at + 1
                }
                b'/' if matches!(self.byte(at + 1), Some(b'/' | b'*')) => {
                    self.no_code(at, self.comment_end(at))
                }
                b'/' if self.quotes == Quotes::Ecma && self.starts_pattern(at) => {
                    self.token();
                    self.no_code(at, self.pattern_end(at))
                }
                b'`' if self.quotes == Quotes::Ecma => {
                    self.token();
                    self.template(at + 1)
                }
                b'"' | b'\'' => {
                    self.token();
                    self.no_code(at, self.string_end(at, byte))
                }
                _ if is_word(byte) => {
                    self.token();
                    self.word_end(at)
                }
                _ => {
                    self.token();
                    at + 1
                }
            };
            self.last = self.byte(at - 1).unwrap_or(b' ');
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn token(&mut self) {
        self.end_or_count(false, false);
    }

    fn end_or_count(&mut self, is_end: bool, is_statement: bool) {
        let Some(last) = self.open.last_mut() else { return };
        if is_end {
            self.sum -= std::mem::take(&mut last.tokens);
            if is_statement {
                let angles = std::mem::take(&mut last.angles);
                self.sum -= angles;
                self.angles -= angles;
            }
        } else {
            last.tokens += 1;
            self.sum += 1;
        }
        self.bounds.depth = self.bounds.depth.max(self.sum);
    }

    fn angle(&mut self, byte: u8, at: usize) {
        let before = at.checked_sub(1).and_then(|before| self.byte(before));
        self.token();
        let Some(last) = self.open.last_mut() else { return };
        if byte == b'<' {
            self.bounds.again += self.angles;
            last.angles += 1;
            self.angles += 1;
            self.sum += 1;
        } else if last.angles > 0 && !matches!(before, Some(b'=' | b'-')) {
            last.angles -= 1;
            self.angles -= 1;
            self.sum -= 1;
        }
        self.bounds.depth = self.bounds.depth.max(self.sum);
    }

    fn opened(&mut self, open: Open, behind: usize) -> usize {
        self.sum += 1;
        self.open.push(open);
        self.bounds.depth = self.bounds.depth.max(self.sum);
        behind
    }

    fn closed(&mut self, byte: u8, behind: usize) -> usize {
        while self.open.last().is_some_and(|open| open.is_soft) {
            self.pop();
        }
        let is_in_template = byte == b'}' && self.open.last().is_some_and(|open| open.is_in_template);
        if self.open.len() > 1 {
            self.pop();
        }
        if is_in_template {
            return self.template(behind);
        }
        self.end_or_count(byte == b'}' && ends_behind(self.text, behind), true);
        behind
    }

    fn pop(&mut self) {
        let open = self.open.pop().unwrap_or_default();
        self.sum -= 1 + open.tokens + open.angles;
        self.angles -= open.angles;
    }

    /// A new line may be the end of a statement.
    fn space(&mut self, at: usize) -> usize {
        let rest = &self.text.as_bytes()[at..];
        let len = rest.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(rest.len());
        let is_whole = self.last.is_ascii_alphanumeric() || b"_)]\"'`;}".contains(&self.last);
        if is_whole && rest[..len].contains(&b'\n') && ends_behind(self.text, at + len) {
            self.end_or_count(true, true);
        }
        at + len
    }

    /// Brackets that stand in what is no code, or is taken for that.
    fn no_code(&mut self, from: usize, to: usize) -> usize {
        let outer = self.open.len();
        for byte in &self.text.as_bytes()[from..to] {
            match byte {
                b'(' | b'[' | b'{' => {
                    self.opened(Open { is_soft: true, ..Open::default() }, 0);
                }
                b')' | b']' | b'}' if self.open.len() > outer => self.pop(),
                _ => {}
            }
        }
        to
    }

    /// The text of a template, up to its end or to `${`.
    fn template(&mut self, from: usize) -> usize {
        let mut at = from;
        while let Some(byte) = self.byte(at) {
            match byte {
                b'\\' => at += 1,
                b'`' => return self.no_code(from, at) + 1,
                b'$' if self.byte(at + 1) == Some(b'{') => {
                    self.no_code(from, at);
                    return self.opened(Open { is_in_template: true, ..Open::default() }, at + 2);
                }
                _ => {}
            }
            at += 1;
        }
        self.no_code(from, self.text.len())
    }

    fn word_end(&self, at: usize) -> usize {
        let rest = &self.text.as_bytes()[at..];
        at + rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len())
    }

    fn comment_end(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        if rest.starts_with("//") {
            return at + rest.find('\n').unwrap_or(rest.len());
        }
        let mut level = 0;
        let mut end = at;
        while let Some(byte) = self.byte(end) {
            match (byte, self.byte(end + 1)) {
                (b'/', Some(b'*')) if level == 0 || self.quotes == Quotes::Rust => {
                    (level, end) = (level + 1, end + 2)
                }
                (b'*', Some(b'/')) => (level, end) = (level - 1, end + 2),
                _ => end += 1,
            }
            if level == 0 {
                break;
            }
        }
        end.min(self.text.len())
    }

    fn string_end(&self, at: usize, quote: u8) -> usize {
        let bytes = self.text.as_bytes();
        if self.quotes == Quotes::Rust {
            let hashes = bytes[..at].iter().rev().take_while(|byte| **byte == b'#').count();
            let is_raw = quote == b'"' && bytes[..at - hashes].last() == Some(&b'r');
            if is_raw {
                let end = format!("\"{}", &"#".repeat(hashes));
                return self.text[at + 1..]
                    .find(&end)
                    .map_or(bytes.len(), |found| at + 1 + found + end.len());
            }
            if quote == b'\'' {
                return self.character_end(at);
            }
        }
        let mut end = at + 1;
        while let Some(byte) = self.byte(end) {
            match byte {
                b'\\' => end += 1,
                b'\n' if self.quotes == Quotes::Ecma => return end,
                _ if byte == quote => return end + 1,
                _ => {}
            }
            end += 1;
        }
        bytes.len()
    }

    /// Behind a character, or the mark of a lifetime.
    fn character_end(&self, at: usize) -> usize {
        let rest = &self.text[at + 1..];
        let mut characters = rest.char_indices().skip(1);
        let end = match rest.as_bytes().first() {
            Some(b'\\') => characters.skip(1).find(|(_, c)| matches!(c, '\'' | '\n')),
            _ => characters.next(),
        };
        end.filter(|(_, c)| *c == '\'').map_or(at + 1, |(behind, _)| at + 2 + behind)
    }

    /// Whether `/` begins a regular expression: where a value may stand, as behind a sign.
    fn starts_pattern(&self, at: usize) -> bool {
        let before = self.text[..at].trim_end();
        let word =
            before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$').map_or(0, |n| n + 1);
        match before.as_bytes().last() {
            None => true,
            Some(b')' | b']' | b'"' | b'\'' | b'`') => false,
            Some(byte) if is_word(*byte) => matches!(
                before.get(word..).unwrap_or(""),
                "return"
                    | "typeof"
                    | "case"
                    | "in"
                    | "of"
                    | "delete"
                    | "void"
                    | "do"
                    | "else"
                    | "await"
                    | "yield"
            ),
            _ => true,
        }
    }

    fn pattern_end(&self, at: usize) -> usize {
        let mut is_in_class = false;
        let mut end = at + 1;
        while let Some(byte) = self.byte(end) {
            match byte {
                b'\n' => return at + 1,
                b'\\' => end += 1,
                b'[' => is_in_class = true,
                b']' => is_in_class = false,
                b'/' if !is_in_class => return end + 1,
                _ => {}
            }
            end += 1;
        }
        at + 1
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether what follows begins something new.
fn ends_behind(text: &str, at: usize) -> bool {
    let next = text[at..].trim_start();
    let is_word =
        next.starts_with(|c: char| c.is_alphanumeric() || "_@#}$\"'".contains(c)) || next.is_empty();
    is_word && !goes_on(text, at)
}

/// Whether the next word goes on with what stands before it.
fn goes_on(text: &str, at: usize) -> bool {
    let next = text[at..].trim_start();
    let end = next.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(next.len());
    matches!(
        &next[..end],
        "else"
            | "catch"
            | "finally"
            | "while"
            | "as"
            | "satisfies"
            | "in"
            | "of"
            | "instanceof"
            | "is"
            | "extends"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(quotes: Quotes, text: &str) -> usize {
        bounds(quotes, text).depth
    }

    #[test]
    fn ordinary_files_are_shallow_and_chains_are_deep() {
        let file =
            "fn f(a: u8) -> u8 {\n    if a == 1 {\n        g(a, h(2));\n    }\n    a\n}\n\n".repeat(2_000);
        assert!(depth(Quotes::Rust, &file) < 60, "{}", depth(Quotes::Rust, &file));
        let lines = "const a = f(1)\nconst b = a.c\n".repeat(2_000);
        assert!(depth(Quotes::Ecma, &lines) < 30, "{}", depth(Quotes::Ecma, &lines));
        for open in [
            "(",
            "a = ",
            "!",
            "a +\n",
            "if (a) b; else ",
            "if a {} else ",
            "a ? b : ",
            "x => ",
            "<a>",
            "A<B, ",
        ] {
            for quotes in [Quotes::Ecma, Quotes::Rust] {
                let depth = depth(quotes, &open.repeat(5_000));
                assert!(depth >= 5_000, "{open}: {depth}");
            }
        }
    }

    #[test]
    fn brackets_that_are_no_code_close_nothing() {
        for open in [
            "f(')', ",
            "f(/* ) */ ",
            "f( // )\n",
            "f(/[/)]/, ",
            "f(`${a})`, ",
            "f(`)${`)`}`, ",
            "f(`${g(')')}",
            "f('\\')', ",
        ] {
            let depth = depth(Quotes::Ecma, &open.repeat(5_000));
            assert!(depth >= 5_000, "{open}: {depth}");
        }
        for open in
            ["f(')', ", "f(b'\\'', \"\n)\", ", "f(r#\")\")\"#, ", "f(/* /* */ ) */ ", "f::<'a>(\")\", "]
        {
            let depth = depth(Quotes::Rust, &open.repeat(5_000));
            assert!(depth >= 5_000, "{open}: {depth}");
        }
        let strings = "g(() => { f('(', \"a) b\", /[(]/, `(${a}`) // it's (\n});\n".repeat(5_000);
        assert!(depth(Quotes::Ecma, &strings) < 60, "{}", depth(Quotes::Ecma, &strings));
        let strings = "fn a() { f('(', \"a) b\", r\"(\", '\\'', 'é'); // it's (\n}\n".repeat(5_000);
        assert!(depth(Quotes::Rust, &strings) < 60, "{}", depth(Quotes::Rust, &strings));
    }

    #[test]
    fn comparisons_may_be_type_arguments_up_to_the_end() {
        let again = |text: &str| bounds(Quotes::Ecma, text).again;
        assert_eq!(again(&"f(a < b, c < d);\nconst g: Map<A, B<C>> = a > b;\n".repeat(1_000)), 2_000);
        assert!(again(&"a < b, ".repeat(2_000)) > 1_000_000);
        assert!(again(&"a < (".repeat(2_000)) > 1_000_000);
    }
}
