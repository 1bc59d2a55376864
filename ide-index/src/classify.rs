//! The comments and string literals of a text: a small lexer driven by a table, for every language, without a
//! grammar. Text search uses it to tell a match in a comment from one in code.
//!
//! Code inside a template (`${…}`) counts as code. Interpolation that has no bracket of its own kind (`$x`, Python's
//! and C#'s braces) counts as part of the string. Regular expression literals are strings.

use ide_model::{Language, TextContext, TextRange};

/// How one language writes comments and strings.
struct Syntax {
    line: &'static [&'static str],
    /// Opening, closing, and whether they nest.
    block: &'static [(&'static str, &'static str, bool)],
    /// Longer openings first.
    strings: &'static [Quote],
    traits: &'static [Trait],
}

#[derive(Clone, Copy)]
struct Quote {
    open: &'static str,
    close: &'static str,
    /// The byte that hides the next one; `None` in raw strings.
    escape: Option<u8>,
    multiline: bool,
    /// Opening and closing of code inside.
    template: Option<(&'static str, u8)>,
}

/// Peculiarities that a delimiter table cannot say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trait {
    /// `/…/` where an operand may stand.
    Regex,
    /// `r#"…"#`, and `'a` that is no character.
    Rust,
    /// `'` is a digit separator behind a digit.
    DigitQuotes,
    /// `<<<ID`, and nothing counts outside of `<?php … ?>`.
    Php,
    /// `<<ID`, `<<-ID`, `<<~ID`.
    Heredoc,
    /// Comments and quotes start only behind white space or punctuation.
    Gap,
    /// Quotes count only inside tags.
    Markup,
    /// `=begin` … `=end` at the start of lines.
    RubyBlocks,
}

const fn quote(mark: &'static str) -> Quote {
    Quote { open: mark, close: mark, escape: Some(b'\\'), multiline: false, template: None }
}

const fn long(mark: &'static str) -> Quote {
    Quote { multiline: true, ..quote(mark) }
}

const fn raw(open: &'static str, close: &'static str) -> Quote {
    Quote { open, close, escape: None, multiline: true, template: None }
}

const fn template(mark: &'static str, open: &'static str, close: u8, multiline: bool) -> Quote {
    Quote { multiline, template: Some((open, close)), ..quote(mark) }
}

const C_BLOCK: &[(&str, &str, bool)] = &[("/*", "*/", false)];
const NESTED_BLOCK: &[(&str, &str, bool)] = &[("/*", "*/", true)];
const XML_BLOCK: &[(&str, &str, bool)] = &[("<!--", "-->", false)];
const C_STRINGS: &[Quote] = &[quote("\""), quote("'")];
const ECMA: Syntax = Syntax {
    line: &["//"],
    block: C_BLOCK,
    strings: &[quote("\""), quote("'"), template("`", "${", b'}', true)],
    traits: &[Trait::Regex],
};
const MARKUP: Syntax = Syntax {
    line: &[],
    block: XML_BLOCK,
    strings: &[raw("\"", "\""), raw("'", "'")],
    traits: &[Trait::Markup],
};
const NOTHING: Syntax = Syntax { line: &[], block: &[], strings: &[], traits: &[] };

const SYNTAXES: &[(Language, Syntax)] = &[
    (
        Language::Java,
        Syntax {
            line: &["//"],
            block: C_BLOCK,
            strings: &[long("\"\"\""), quote("\""), quote("'")],
            traits: &[],
        },
    ),
    (
        Language::Kotlin,
        Syntax {
            line: &["//"],
            block: NESTED_BLOCK,
            strings: &[
                Quote { template: Some(("${", b'}')), ..raw("\"\"\"", "\"\"\"") },
                template("\"", "${", b'}', false),
                quote("'"),
            ],
            traits: &[],
        },
    ),
    (
        Language::Python,
        Syntax {
            line: &["#"],
            block: &[],
            strings: &[long("\"\"\""), long("'''"), quote("\""), quote("'")],
            traits: &[],
        },
    ),
    (Language::JavaScript, ECMA),
    (Language::TypeScript, ECMA),
    (
        Language::Go,
        Syntax {
            line: &["//"],
            block: C_BLOCK,
            strings: &[quote("\""), quote("'"), raw("`", "`")],
            traits: &[],
        },
    ),
    (
        Language::Php,
        Syntax {
            line: &["//", "#"],
            block: C_BLOCK,
            strings: &[long("\""), long("'")],
            traits: &[Trait::Php],
        },
    ),
    (
        Language::Rust,
        Syntax {
            line: &["//"],
            block: NESTED_BLOCK,
            strings: &[long("\""), quote("'")],
            traits: &[Trait::Rust],
        },
    ),
    (Language::Vue, MARKUP),
    (Language::Svelte, MARKUP),
    (Language::Astro, MARKUP),
    (Language::Markdown, Syntax { line: &[], block: XML_BLOCK, strings: &[], traits: &[] }),
    (Language::Json, Syntax { line: &["//"], block: C_BLOCK, strings: C_STRINGS, traits: &[] }),
    (
        Language::Yaml,
        Syntax { line: &["#"], block: &[], strings: &[long("\""), raw("'", "'")], traits: &[Trait::Gap] },
    ),
    (
        Language::Toml,
        Syntax {
            line: &["#"],
            block: &[],
            strings: &[long("\"\"\""), raw("'''", "'''"), quote("\""), Quote { escape: None, ..quote("'") }],
            traits: &[],
        },
    ),
    (Language::Html, MARKUP),
    (Language::Xml, MARKUP),
    (Language::Css, Syntax { line: &[], block: C_BLOCK, strings: C_STRINGS, traits: &[] }),
    (Language::Sql, Syntax { line: &["--"], block: C_BLOCK, strings: &[raw("'", "'")], traits: &[] }),
    (
        Language::Shell,
        Syntax {
            line: &["#"],
            block: &[],
            strings: &[long("\""), raw("'", "'")],
            traits: &[Trait::Gap, Trait::Heredoc],
        },
    ),
    (Language::C, Syntax { line: &["//"], block: C_BLOCK, strings: C_STRINGS, traits: &[] }),
    (
        Language::Cpp,
        Syntax {
            line: &["//"],
            block: C_BLOCK,
            strings: &[raw("R\"(", ")\""), quote("\""), quote("'")],
            traits: &[Trait::DigitQuotes],
        },
    ),
    (
        Language::CSharp,
        Syntax {
            line: &["//"],
            block: C_BLOCK,
            strings: &[raw("\"\"\"", "\"\"\""), raw("@\"", "\""), quote("\""), quote("'")],
            traits: &[],
        },
    ),
    (
        Language::Ruby,
        Syntax {
            line: &["#"],
            block: &[],
            strings: &[template("\"", "#{", b'}', true), long("'"), template("`", "#{", b'}', true)],
            traits: &[Trait::Heredoc, Trait::RubyBlocks],
        },
    ),
    (
        Language::Swift,
        Syntax {
            line: &["//"],
            block: NESTED_BLOCK,
            strings: &[template("\"\"\"", "\\(", b')', true), template("\"", "\\(", b')', false)],
            traits: &[],
        },
    ),
    (
        Language::Scala,
        Syntax {
            line: &["//"],
            block: NESTED_BLOCK,
            strings: &[
                Quote { template: Some(("${", b'}')), ..raw("\"\"\"", "\"\"\"") },
                template("\"", "${", b'}', false),
                quote("'"),
            ],
            traits: &[Trait::Rust],
        },
    ),
    (Language::PlainText, NOTHING),
];

/// The comments and string literals of a text, in order, with their delimiters. Linear, and never fails: what does not
/// end before the text does, ends with it.
pub fn classify(language: Language, text: &str) -> Vec<(TextRange, TextContext)> {
    classify_until(language, text, text.len())
}

/// Like [`classify`], of what begins before a position.
fn classify_until(language: Language, text: &str, until: usize) -> Vec<(TextRange, TextContext)> {
    let syntax = SYNTAXES.iter().find(|(l, _)| *l == language).map_or(&NOTHING, |(_, syntax)| syntax);
    let (text, begins) = (text.as_bytes(), syntax.begins());
    let mut lexer = Lexer { text, syntax, begins, at: 0, until, found: Vec::new(), templates: Vec::new() };
    lexer.run();
    lexer.found
}

/// The context of each of some positions, which must be ascending.
pub fn contexts_at(language: Language, text: &str, offsets: &[u32]) -> Vec<TextContext> {
    let until = offsets.last().map_or(0, |last| *last as usize + 1);
    let found = classify_until(language, text, until.min(text.len()));
    offsets
        .iter()
        .map(|offset| {
            let i = found.partition_point(|(range, _)| range.end <= *offset);
            match found.get(i) {
                Some((range, context)) if range.contains(*offset) => *context,
                _ => TextContext::Code,
            }
        })
        .collect()
}

impl Syntax {
    /// The bytes at which something may begin or end that is more than a word.
    fn begins(&self) -> [bool; 256] {
        let mut begins = [false; 256];
        let marks = self.line.iter().copied().chain(self.block.iter().map(|(open, _, _)| *open));
        let marks = marks.chain(self.strings.iter().map(|quote| quote.open));
        marks.for_each(|mark| begins[usize::from(mark.as_bytes()[0])] = true);
        for (open, close) in self.strings.iter().filter_map(|quote| quote.template) {
            begins[usize::from(open.as_bytes()[open.len() - 1])] = true;
            begins[usize::from(close)] = true;
        }
        for peculiarity in self.traits {
            let bytes: &[u8] = match peculiarity {
                Trait::Regex => b"/",
                Trait::Rust => b"rbc'",
                Trait::DigitQuotes => b"'",
                Trait::Php => b"<?",
                Trait::Heredoc => b"<",
                Trait::RubyBlocks => b"=",
                Trait::Gap | Trait::Markup => b"",
            };
            bytes.iter().for_each(|byte| begins[usize::from(*byte)] = true);
        }
        begins
    }
}

/// Whether a word, of one byte at least, stands there. Most words fail at their first byte.
#[inline]
fn stands_at(text: &[u8], at: usize, word: &str) -> bool {
    let word = word.as_bytes();
    text.get(at) == Some(&word[0]) && (word.len() == 1 || text[at..].starts_with(word))
}

struct Lexer<'a> {
    text: &'a [u8],
    syntax: &'static Syntax,
    begins: [bool; 256],
    at: usize,
    /// Nothing that begins here or later is wanted.
    until: usize,
    found: Vec<(TextRange, TextContext)>,
    /// Strings around the code that is being read, each with the brackets open since.
    templates: Vec<(Quote, u32)>,
}

impl Lexer<'_> {
    fn has(&self, what: Trait) -> bool {
        self.syntax.traits.contains(&what)
    }

    fn starts(&self, word: &str) -> bool {
        stands_at(self.text, self.at, word)
    }

    fn push(&mut self, start: usize, context: TextContext) {
        if start < self.at {
            self.found.push((TextRange::new(start as u32, self.at as u32), context));
        }
    }

    fn run(&mut self) {
        if self.has(Trait::Php) {
            self.skip_html();
        }
        let mut in_tag = false;
        let is_markup = self.has(Trait::Markup);
        while self.at < self.until {
            let byte = self.text[self.at];
            if !is_markup && !self.may_begin(byte) {
                self.at += 1;
                let rest = &self.text[self.at..];
                self.at += rest.iter().take_while(|byte| !self.begins[usize::from(**byte)]).count();
                continue;
            }
            if self.comment() {
                continue;
            }
            if is_markup {
                in_tag = match byte {
                    b'<' => self.text.get(self.at + 1).is_some_and(|b| b.is_ascii_alphabetic()),
                    b'>' => false,
                    _ => in_tag,
                };
                if !in_tag {
                    self.at += 1;
                    continue;
                }
            }
            if self.has(Trait::Php) && self.starts("?>") {
                self.skip_html();
                continue;
            }
            if self.template_bracket(byte) || self.peculiar(byte) || self.string() {
                continue;
            }
            self.at += 1;
        }
    }

    /// Whether something may begin with the byte that is here. A letter inside a word begins nothing.
    fn may_begin(&self, byte: u8) -> bool {
        let is_inside = || self.at > 0 && is_word(self.text[self.at - 1]);
        self.begins[usize::from(byte)] && !(is_word(byte) && is_inside())
    }

    fn has_gap_before(&self) -> bool {
        self.at == 0 || b" \t\r\n;,[{(:=&|".contains(&self.text[self.at - 1])
    }

    fn comment(&mut self) -> bool {
        let start = self.at;
        if self.syntax.line.iter().any(|mark| self.starts(mark))
            && (!self.has(Trait::Gap) || self.has_gap_before())
        {
            let is_attribute = self.has(Trait::Php) && self.starts("#[");
            if !is_attribute {
                let rest = &self.text[self.at..];
                self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                if self.has(Trait::Php)
                    && let Some(end) = find(&self.text[start..self.at], b"?>")
                {
                    self.at = start + end;
                }
                self.push(start, TextContext::Comment);
                return true;
            }
        }
        for (open, close, nests) in self.syntax.block {
            if !self.starts(open) {
                continue;
            }
            self.at += open.len();
            if !nests {
                let rest = &self.text[self.at..];
                self.at += find(rest, close.as_bytes()).map_or(rest.len(), |end| end + close.len());
            }
            let mut depth = u32::from(*nests);
            while depth > 0 && self.at < self.text.len() {
                if self.starts(close) {
                    depth -= 1;
                    self.at += close.len();
                } else if self.starts(open) {
                    depth += 1;
                    self.at += open.len();
                } else {
                    self.at += 1;
                }
            }
            self.push(start, TextContext::Comment);
            return true;
        }
        let at_line_start = start == 0 || self.text[start - 1] == b'\n';
        if self.has(Trait::RubyBlocks) && at_line_start && self.starts("=begin") {
            let rest = &self.text[start..];
            self.at = find(rest, b"\n=end").map_or(self.text.len(), |end| start + end + 5);
            self.push(start, TextContext::Comment);
            return true;
        }
        false
    }

    /// Brackets inside the code of a template; the closing one goes back into the string.
    fn template_bracket(&mut self, byte: u8) -> bool {
        let Some((quote, depth)) = self.templates.last_mut() else { return false };
        let (open, close) = quote.template.expect("only templates are kept");
        let opening = open.as_bytes()[open.len() - 1];
        if byte == opening {
            *depth += 1;
        } else if byte == close {
            if *depth > 0 {
                *depth -= 1;
            } else {
                let quote = *quote;
                self.templates.pop();
                self.body(quote, self.at);
                return true;
            }
        }
        false
    }

    fn string(&mut self) -> bool {
        let Some(quote) = self.syntax.strings.iter().find(|quote| self.starts(quote.open)) else {
            return false;
        };
        if self.has(Trait::Gap) && !self.has_gap_before() && quote.open == "'" {
            return false;
        }
        let start = self.at;
        if quote.multiline || quote.template.is_some() {
            self.at += quote.open.len();
            self.body(*quote, start);
            return true;
        }
        let Some(end) = self.end_on_this_line(*quote) else { return false };
        self.at = end;
        self.push(start, TextContext::StringLiteral);
        true
    }

    fn end_on_this_line(&self, quote: Quote) -> Option<usize> {
        let mut at = self.at + quote.open.len();
        while let Some(byte) = self.text.get(at).filter(|byte| **byte != b'\n') {
            if quote.escape == Some(*byte) {
                // A continued line goes on in the string.
                at += 2;
                continue;
            }
            if stands_at(self.text, at, quote.close) {
                return Some(at + quote.close.len());
            }
            at += 1;
        }
        None
    }

    /// Reads a string whose visible part starts at `start` from the current position to its end, or to code in it.
    fn body(&mut self, quote: Quote, start: usize) {
        let close = quote.close.as_bytes()[0];
        let escape = quote.escape.unwrap_or(close);
        let open = quote.template.map_or(close, |(open, _)| open.as_bytes()[0]);
        while self.at < self.text.len() {
            if quote.multiline {
                let rest = &self.text[self.at..];
                self.at += memchr::memchr3(close, escape, open, rest).unwrap_or(rest.len());
                if self.at == self.text.len() {
                    break;
                }
            }
            if let Some((open, _)) = quote.template
                && self.starts(open)
            {
                self.at += open.len();
                self.push(start, TextContext::StringLiteral);
                self.templates.push((quote, 0));
                return;
            }
            let byte = self.text[self.at];
            if quote.escape == Some(byte) {
                self.at = (self.at + 2).min(self.text.len());
                continue;
            }
            if self.starts(quote.close) {
                self.at += quote.close.len();
                break;
            }
            if byte == b'\n' && !quote.multiline {
                break;
            }
            self.at += 1;
        }
        self.push(start, TextContext::StringLiteral);
    }

    fn peculiar(&mut self, byte: u8) -> bool {
        match byte {
            b'/' if self.has(Trait::Regex) => self.regex(),
            b'r' | b'b' | b'c' if self.has(Trait::Rust) => self.rust_raw(),
            b'\'' if self.has(Trait::Rust) => self.rust_char(),
            b'\'' if self.has(Trait::DigitQuotes) => {
                let is_separator = self.at > 0 && self.text[self.at - 1].is_ascii_hexdigit();
                self.at += usize::from(is_separator);
                is_separator
            }
            b'<' if self.has(Trait::Php) && self.starts("<<<") => self.heredoc(3),
            b'<' if self.has(Trait::Heredoc) && self.starts("<<") => self.heredoc(2),
            _ => false,
        }
    }

    fn regex(&mut self) -> bool {
        let before = self.text[..self.at].iter().rposition(|b| !b.is_ascii_whitespace());
        let operand = match before.map(|i| self.text[i]) {
            None => false,
            Some(b')' | b']' | b'}' | b'"' | b'\'' | b'`') => true,
            Some(b) if b.is_ascii_alphanumeric() || b == b'_' || b == b'$' => {
                let end = before.map_or(0, |i| i + 1);
                let from = self.text[..end]
                    .iter()
                    .rposition(|b| !(b.is_ascii_alphanumeric() || *b == b'_' || *b == b'$'));
                let word = &self.text[from.map_or(0, |i| i + 1)..end];
                const BEFORE: &[&[u8]] = &[
                    b"return", b"typeof", b"case", b"in", b"of", b"delete", b"void", b"throw", b"new",
                    b"else", b"do",
                ];
                !BEFORE.contains(&word)
            }
            // `</div>` of JSX.
            Some(b'<') => true,
            Some(_) => false,
        };
        if operand {
            return false;
        }
        let start = self.at;
        let (mut at, mut in_class) = (self.at + 1, false);
        while let Some(byte) = self.text.get(at) {
            match byte {
                b'\n' => return false,
                b'\\' => at += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => {
                    self.at = at + 1;
                    self.push(start, TextContext::StringLiteral);
                    return true;
                }
                _ => {}
            }
            at += 1;
        }
        false
    }

    fn rust_raw(&mut self) -> bool {
        let start = self.at;
        let rest = &self.text[start..];
        let prefix = rest.iter().take_while(|b| b"rbc".contains(b)).count();
        let hashes = rest[prefix..].iter().take_while(|b| **b == b'#').count();
        let is_raw =
            prefix <= 2 && rest[..prefix].contains(&b'r') && rest.get(prefix + hashes) == Some(&b'"');
        if !is_raw {
            return false;
        }
        let mut close = vec![b'"'];
        close.resize(hashes + 1, b'#');
        let from = start + prefix + hashes + 1;
        self.at = find(&self.text[from..], &close).map_or(self.text.len(), |end| from + end + close.len());
        self.push(start, TextContext::StringLiteral);
        true
    }

    /// A character literal, or nothing: `'a` names a lifetime.
    fn rust_char(&mut self) -> bool {
        let rest = &self.text[self.at + 1..];
        let len = match rest.first() {
            Some(b'\\') => return false,
            Some(b) if *b < 0x80 => 1,
            Some(_) => rest.iter().skip(1).take_while(|b| **b & 0xC0 == 0x80).count() + 1,
            None => 0,
        };
        let start = self.at;
        if rest.get(len) == Some(&b'\'') {
            self.at += len + 2;
            self.push(start, TextContext::StringLiteral);
        } else {
            self.at += 1;
        }
        true
    }

    fn heredoc(&mut self, marks: usize) -> bool {
        let start = self.at;
        let line_end =
            self.text[start..].iter().position(|b| *b == b'\n').map_or(self.text.len(), |i| start + i);
        let head = &self.text[start + marks..line_end];
        let skipped = head.iter().take_while(|b| b"-~ \t\"'\\".contains(b)).count();
        let word: Vec<u8> =
            head[skipped..].iter().copied().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').collect();
        let is_shift = head.first() == Some(&b' ') || head.first() == Some(&b'<');
        if word.is_empty() || word[0].is_ascii_digit() || (is_shift && marks == 2) {
            self.at += marks;
            return true;
        }
        self.at = line_end;
        while self.at < self.text.len() {
            let from = self.at + 1;
            let end = self.text[from.min(self.text.len())..]
                .iter()
                .position(|b| *b == b'\n')
                .map_or(self.text.len(), |i| from + i);
            let line = self.text.get(from..end).unwrap_or_default().trim_ascii_start();
            let closes = line
                .strip_prefix(&word[..])
                .is_some_and(|rest| rest.first().is_none_or(|b| !b.is_ascii_alphanumeric() && *b != b'_'));
            if closes {
                self.at = end - (line.len() - word.len());
                break;
            }
            self.at = end;
        }
        self.push(start, TextContext::StringLiteral);
        true
    }

    /// Goes to the first byte of PHP code.
    fn skip_html(&mut self) {
        let rest = &self.text[self.at..];
        self.at = find(rest, b"<?").map_or(self.text.len(), |i| self.at + i + 2);
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ide_model::LANGUAGES;
    use proptest::prelude::*;

    /// Comments in `«»`, strings in `‹›`.
    fn marked(language: Language, text: &str) -> String {
        let mut out = String::new();
        let mut last = 0;
        for (range, context) in classify(language, text) {
            let (open, close) = if context == TextContext::Comment { ('«', '»') } else { ('‹', '›') };
            out += &text[last..range.start as usize];
            out.push(open);
            out += &text[range.start as usize..range.end as usize];
            out.push(close);
            last = range.end as usize;
        }
        out + &text[last..]
    }

    #[test]
    fn every_language_has_a_syntax() {
        for row in LANGUAGES {
            assert!(SYNTAXES.iter().any(|(l, _)| *l == row.language), "{} has none", row.name);
        }
    }

    #[test]
    fn comments_and_strings_of_the_languages() {
        use Language::*;
        let cases = [
            (
                Java,
                "a(\"x//\\\"\") // c\n'\"' \"\"\"\n // t\n\"\"\" /* d\n */ b",
                "a(‹\"x//\\\"\"›) «// c»\n‹'\"'› ‹\"\"\"\n // t\n\"\"\"› «/* d\n */» b",
            ),
            (Kotlin, "\"a ${f(\"b\")} c\" /* /* */ x */ y", "‹\"a ${›f(‹\"b\"›)‹} c\"› «/* /* */ x */» y"),
            (Python, "x = 'it''s' # c\n'''a\n# b''' don", "x = ‹'it'›‹'s'› «# c»\n‹'''a\n# b'''› don"),
            (
                JavaScript,
                "`a ${ {b: `c`} } d` + x / y / /[/\"]\"/.test(z)",
                "‹`a ${› {b: ‹`c`›} ‹} d`› + x / y / ‹/[/\"]\"/›.test(z)",
            ),
            (TypeScript, "return /a'b/ // c", "return ‹/a'b/› «// c»"),
            (Go, "`raw\\` 'x' \"s\"", "‹`raw\\`› ‹'x'› ‹\"s\"›"),
            (
                Php,
                "it's <?php # c\n#[A('b')]\n<<<X\n a 'b\n X; 'c' ?> it's",
                "it's <?php «# c»\n#[A(‹'b'›)]\n‹<<<X\n a 'b\n X›; ‹'c'› ?> it's",
            ),
            (
                Rust,
                "'a' &'b str r#\"x\"y\"# '\\'' b\"z\" // c",
                "‹'a'› &'b str ‹r#\"x\"y\"#› ‹'\\''› b‹\"z\"› «// c»",
            ),
            (Html, "it's <a b=\"c\"> it's <!-- d --> e", "it's <a b=‹\"c\"›> it's «<!-- d -->» e"),
            (Yaml, "a: don't # c\nb: 'x'\nc: a#b", "a: don't «# c»\nb: ‹'x'›\nc: a#b"),
            (Shell, "echo $# 'a' # b\ncat <<E\n'x\nE\ny", "echo $# ‹'a'› «# b»\ncat ‹<<E\n'x\nE›\ny"),
            (Cpp, "1'000 R\"(a\"b)\" 'c'", "1'000 ‹R\"(a\"b)\"› ‹'c'›"),
            (Ruby, "=begin\nx\n=end\n\"a #{b} c\"", "«=begin\nx\n=end»\n‹\"a #{›b‹} c\"›"),
            (Swift, "\"a \\(b(1)) c\"", "‹\"a \\(›b(1)‹) c\"›"),
            (Sql, "select 'a''b' -- c", "select ‹'a'›‹'b'› «-- c»"),
            (Css, "a { b: url(http://x) } /* c */", "a { b: url(http://x) } «/* c */»"),
        ];
        for (language, text, want) in cases {
            assert_eq!(marked(language, text), want, "{}", language.name());
        }
    }

    #[test]
    fn contexts_are_looked_up_by_position() {
        let text = "a \"b\" // c";
        assert_eq!(
            contexts_at(Language::Java, text, &[0, 3, 5, 9]),
            [TextContext::Code, TextContext::StringLiteral, TextContext::Code, TextContext::Comment]
        );
    }

    #[test]
    fn deep_templates_are_read() {
        let text = "`${".repeat(100_000);
        assert_eq!(classify(Language::JavaScript, &text).len(), 100_000);
    }

    proptest! {
        #[test]
        fn ranges_are_ordered_and_inside(text in "[a-z\"'`/*#${}<>?=\\\\\n é-]{0,80}", raw in 0..LANGUAGES.len()) {
            let mut last = 0;
            for (range, _) in classify(LANGUAGES[raw].language, &text) {
                prop_assert!(range.start >= last && range.start < range.end && range.end as usize <= text.len());
                prop_assert!(text.is_char_boundary(range.start as usize));
                prop_assert!(text.is_char_boundary(range.end as usize));
                last = range.end;
            }
        }
    }
}
