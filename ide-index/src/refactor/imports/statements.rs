//! The import statements of a text, with their parts, lines and comments.

use ide_model::{Language, TextContext, TextRange};

use crate::classify::classify;
use crate::guard;
use crate::kit::scan::byte_order_mark;
use crate::lang::imports::{Ends, Imports};

/// Comments that speak to tools: what they are about stays as it is.
const PRAGMAS: &[&str] = &[
    "noqa",
    "noinspection",
    "eslint",
    "@ts-",
    "biome-ignore",
    "nolint",
    "isort:",
    "pylint:",
    "pyright:",
    "phpcs:",
    "nosonar",
    "checkstyle",
    "side effect",
    "side-effect",
    "fmt:",
    "ruff:",
    "prettier-ignore",
    "@formatter",
    "rustfmt",
    "keep",
];

/// An import statement; one of a block in brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    /// From its keyword (in a block: from its alias or path) to its end.
    pub(super) range: TextRange,
    /// Its lines, with comments at their ends.
    pub(super) lines: TextRange,
    /// The start of the comment lines directly above it; the start of its lines when there are none.
    pub(super) head: u32,
    /// The start of the attributes directly above it; the start of its lines when there are none.
    pub(super) attributes: u32,
    pub(super) keyword: TextRange,
    /// A word that holds for all of it.
    pub(super) lead: Option<TextRange>,
    pub(super) path: String,
    pub(super) entries: Vec<Entry>,
    /// The declaration in brackets that it is part of.
    pub(super) block: Option<TextRange>,
    /// It shares its lines, has no entries, or a comment says that it is special.
    pub(super) is_fixed: bool,
}

/// An entry between commas, with the entries in its brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) range: TextRange,
    pub(super) group: Option<(TextRange, Vec<Entry>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Word,
    Text,
    Mark(u8),
}

#[derive(Clone, Copy, Debug)]
struct Token {
    range: TextRange,
    kind: Kind,
    /// A line begins between this token and the one before.
    is_first: bool,
}

struct Reader<'t> {
    row: &'static Imports,
    text: &'t str,
    tokens: Vec<Token>,
    comments: Vec<TextRange>,
}

/// Every import statement outside of brackets, in order.
pub(super) fn statements(language: Language, row: &'static Imports, text: &str) -> Vec<Statement> {
    let mut reader = Reader { row, text, tokens: Vec::new(), comments: Vec::new() };
    reader.tokenize(language);
    reader.read()
}

impl<'t> Reader<'t> {
    fn tokenize(&mut self, language: Language) {
        let bytes = self.text.as_bytes();
        let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80;
        let mut known = classify(language, self.text).into_iter().peekable();
        let (mut at, mut is_first) = (byte_order_mark(self.text), true);
        while at < bytes.len() {
            if let Some((range, context)) = known.next_if(|(range, _)| range.start as usize <= at) {
                if (range.end as usize) <= at {
                    continue;
                }
                if context == TextContext::Comment {
                    self.comments.push(range);
                } else {
                    self.tokens.push(Token { range, kind: Kind::Text, is_first });
                    is_first = false;
                }
                at = range.end as usize;
                continue;
            }
            let start = at;
            match bytes[at] {
                b'\n' => is_first = true,
                b if b.is_ascii_whitespace() => {}
                b if is_word(b) => {
                    let limit = known.peek().map_or(bytes.len(), |(range, _)| range.start as usize);
                    while at + 1 < limit && is_word(bytes[at + 1]) {
                        at += 1;
                    }
                    self.token(start, at + 1, Kind::Word, &mut is_first);
                }
                // The next line goes on.
                b'\\' if matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) => {
                    at += if bytes.get(at + 1) == Some(&b'\r') { 2 } else { 1 };
                }
                b => self.token(start, at + 1, Kind::Mark(b), &mut is_first),
            }
            at += 1;
        }
    }

    fn token(&mut self, start: usize, end: usize, kind: Kind, is_first: &mut bool) {
        let range = TextRange::new(start as u32, end as u32);
        self.tokens.push(Token { range, kind, is_first: std::mem::take(is_first) });
    }

    fn str(&self, range: TextRange) -> &'t str {
        &self.text[range.start as usize..range.end as usize]
    }

    fn is_word(&self, i: usize, word: &str) -> bool {
        self.tokens.get(i).is_some_and(|t| t.kind == Kind::Word && self.str(t.range) == word)
    }

    fn read(&self) -> Vec<Statement> {
        let mut found = Vec::new();
        let (mut i, mut depth) = (0, 0_u32);
        while i < self.tokens.len() {
            if depth == 0 && self.begins(i) {
                i = self.statement(i, &mut found);
                continue;
            }
            match self.tokens[i].kind {
                Kind::Mark(b'(' | b'[' | b'{') => depth += 1,
                Kind::Mark(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            i += 1;
        }
        found
    }

    fn begins(&self, i: usize) -> bool {
        let token = self.tokens[i];
        if token.kind != Kind::Word || !self.row.keywords.contains(&self.str(token.range)) {
            return false;
        }
        let at_margin = token.range.start as usize == self.line_start(token.range.start);
        if self.row.at_margin && !at_margin {
            return false;
        }
        // `import(…)` and `import.meta` are values; `import: x` and `from = x` are others' names.
        let next = self.tokens.get(i + 1).map(|t| t.kind);
        let is_value = match next {
            Some(Kind::Mark(b'(')) => !self.row.has_blocks,
            Some(Kind::Mark(b'.')) => !self.row.at_margin,
            Some(Kind::Mark(b'=' | b':' | b',' | b')')) => {
                !(self.row.binds_paths && next == Some(Kind::Mark(b':')))
            }
            _ => false,
        };
        let before = i.checked_sub(1).map(|i| self.tokens[i].kind);
        !is_value && (token.is_first || matches!(before, None | Some(Kind::Mark(b';' | b'}'))))
    }

    /// Reads a statement and says which token comes behind it.
    fn statement(&self, i: usize, found: &mut Vec<Statement>) -> usize {
        let keyword = self.tokens[i].range;
        if self.row.has_blocks && self.tokens.get(i + 1).is_some_and(|t| t.kind == Kind::Mark(b'(')) {
            let close = self.close(i + 1);
            let end = self.tokens.get(close).map_or(self.text.len() as u32, |t| t.range.end);
            let block = TextRange::new(keyword.start, end);
            let mut at = i + 2;
            while at < close {
                let end = (at + 1..close)
                    .find(|j| self.tokens[*j].is_first || self.tokens[*j].kind == Kind::Mark(b';'))
                    .unwrap_or(close);
                if self.tokens[at].kind != Kind::Mark(b';') {
                    found.push(self.finish(keyword, at, at, end, Some(block)));
                }
                at = end.max(at + 1);
            }
            return close + 1;
        }
        let end = self.end(i + 1);
        let mut first = i + 1;
        if self.row.entries_after.is_some_and(|word| self.str(keyword) != word) {
            let word = self.row.entries_after.unwrap_or("");
            first = (first..end).find(|j| self.is_word(*j, word)).map_or(end, |j| j + 1);
        }
        found.push(self.finish(keyword, i, first, end, None));
        end
    }

    /// Behind the last token of the statement that begins before `i`.
    fn end(&self, i: usize) -> usize {
        let mut at = i;
        let mut has_string = false;
        while let Some(token) = self.tokens.get(at) {
            let ends_with_line = match self.row.ends {
                Ends::Semicolon => false,
                Ends::Line => true,
                Ends::StringLine => has_string,
            };
            if token.is_first && ends_with_line {
                return at;
            }
            match token.kind {
                Kind::Mark(b';') => return at + 1,
                Kind::Mark(b'{' | b'(' | b'[') => at = self.close(at),
                Kind::Mark(b'}' | b')') => return at,
                Kind::Text => has_string = true,
                // `import a = b`: ends with the line.
                Kind::Mark(b'=') => has_string = true,
                _ => {}
            }
            at += 1;
        }
        self.tokens.len()
    }

    fn close(&self, open: usize) -> usize {
        let mut depth = 0_u32;
        for (i, token) in self.tokens.iter().enumerate().skip(open) {
            match token.kind {
                Kind::Mark(b'(' | b'[' | b'{') => depth += 1,
                Kind::Mark(b')' | b']' | b'}') => {
                    depth -= 1;
                    if depth == 0 {
                        return i;
                    }
                }
                _ => {}
            }
        }
        self.tokens.len()
    }

    fn finish(
        &self,
        keyword: TextRange,
        start: usize,
        first: usize,
        end: usize,
        block: Option<TextRange>,
    ) -> Statement {
        let range = TextRange::new(self.tokens[start].range.start, self.tokens[end - 1].range.end);
        let mut stop = end;
        while stop > first && self.tokens[stop - 1].kind == Kind::Mark(b';') {
            stop -= 1;
        }
        let mut from = first;
        let mut lead = None;
        if self.row.lead.iter().any(|word| self.is_word(from, word)) && from + 1 < stop {
            lead = Some(self.tokens[from].range);
            from += 1;
        }
        let mut path = TextRange::new(0, 0);
        let span =
            |a: usize, b: usize| TextRange::new(self.tokens[a].range.start, self.tokens[b - 1].range.end);
        if first > start + 1 {
            // `from path import …`
            path = if first > start + 2 { span(start + 1, first - 1) } else { path };
        } else if from < stop {
            path = span(from, stop);
        }
        if let Some(word) = self.row.entries_before {
            let at = (from..stop).rev().find(|j| self.is_word(*j, word));
            let is_text = |j: usize| self.tokens.get(j).is_some_and(|t| t.kind == Kind::Text);
            match at.filter(|j| is_text(j + 1)) {
                Some(at) => {
                    path = self.tokens[at + 1].range;
                    stop = at;
                }
                None => stop = from,
            }
        } else if let Some(text) = (from..stop).find(|j| self.tokens[*j].kind == Kind::Text) {
            path = self.tokens[text].range;
        }
        let entries = self.entries(from, stop);
        let lines = self.lines(range);
        let head = self.head(lines.start);
        let attributes = self.attributes(start, lines.start);
        let is_fixed =
            entries.is_empty() || self.shares_lines(range, lines) || self.is_special(start, head, lines);
        let path = self.str(path).split_whitespace().collect::<Vec<_>>();
        let path = if path.contains(&"as") { path.join(" ") } else { path.concat() };
        Statement { range, lines, head, attributes, keyword, lead, path, entries, block, is_fixed }
    }

    fn entries(&self, from: usize, to: usize) -> Vec<Entry> {
        let mut found = Vec::new();
        let mut start = from;
        let mut group = None;
        let mut i = from;
        let mut push = |start: usize, end: usize, group: Option<(TextRange, Vec<Entry>)>| {
            if start < end {
                let range = TextRange::new(self.tokens[start].range.start, self.tokens[end - 1].range.end);
                found.push(Entry { range, group });
            }
        };
        while i < to {
            match self.tokens[i].kind {
                Kind::Mark(b',') => {
                    push(start, i, group.take());
                    start = i + 1;
                }
                Kind::Mark(open) if self.row.groups.iter().any(|(o, _)| *o == open) => {
                    let close = self.close(i).min(to.saturating_sub(1));
                    let range = TextRange::new(self.tokens[i].range.start, self.tokens[close].range.end);
                    group = Some((range, guard::deeper(|| self.entries(i + 1, close)).unwrap_or_default()));
                    i = close;
                }
                _ => {}
            }
            i += 1;
        }
        push(start, to, group);
        found
    }

    fn line_start(&self, at: u32) -> usize {
        self.text[..at as usize].rfind('\n').map_or(byte_order_mark(self.text), |i| i + 1)
    }

    fn lines(&self, range: TextRange) -> TextRange {
        let end = self.text[range.end as usize..]
            .find('\n')
            .map_or(self.text.len(), |i| range.end as usize + i + 1);
        TextRange::new(self.line_start(range.start) as u32, end as u32)
    }

    /// Whether code or half a comment stands in the lines besides.
    fn shares_lines(&self, range: TextRange, lines: TextRange) -> bool {
        let before = &self.text[lines.start as usize..range.start as usize];
        let after = self.str(TextRange::new(range.end, lines.end)).trim();
        let comment = self.comments.iter().find(|c| c.start >= range.end && c.start < lines.end);
        let is_comment = comment.is_some_and(|c| c.end <= lines.end && self.str(*c).trim_end() == after);
        !before.trim().is_empty() || !after.is_empty() && !is_comment
    }

    /// The start of the comment lines directly above a line.
    fn head(&self, line: u32) -> u32 {
        let mut head = line;
        for comment in self.comments.iter().rev().filter(|c| c.end <= line) {
            let start = self.line_start(comment.start) as u32;
            let before = self.str(TextRange::new(start, comment.start));
            let between = self.str(TextRange::new(comment.end, head));
            if !before.trim().is_empty() || !between.trim().is_empty() || between.matches('\n').count() > 1 {
                break;
            }
            head = start;
        }
        head
    }

    /// The start of the attributes before a token that have lines of their own; the line when there are none.
    fn attributes(&self, token: usize, line: u32) -> u32 {
        let (mut at, mut start) = (token, line);
        while at > 0 && self.tokens[at - 1].kind == Kind::Mark(b']') {
            let mut depth = 0_usize;
            let open = (0..at).rev().find(|i| {
                match self.tokens[*i].kind {
                    Kind::Mark(b']') => depth += 1,
                    Kind::Mark(b'[') => depth -= 1,
                    _ => {}
                }
                depth == 0
            });
            let hash = open.and_then(|open| open.checked_sub(1));
            let Some(hash) =
                hash.filter(|i| self.tokens[*i].kind == Kind::Mark(b'#') && self.tokens[*i].is_first)
            else {
                break;
            };
            at = hash;
            start = self.line_start(self.tokens[hash].range.start) as u32;
        }
        start
    }

    /// Whether an attribute stands above it, or a comment speaks to a tool.
    fn is_special(&self, start: usize, head: u32, lines: TextRange) -> bool {
        let has_attribute = start.checked_sub(1).is_some_and(|i| self.tokens[i].kind == Kind::Mark(b']'));
        let about = TextRange::new(head, lines.end);
        let mut comments = self.comments.iter().filter(|c| about.encloses(**c));
        has_attribute
            || comments.any(|c| {
                let comment = self.str(*c).to_lowercase();
                PRAGMAS.iter().any(|word| comment.contains(word))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::imports::imports;

    fn read(language: Language, text: &str) -> Vec<String> {
        let show = |s: &Statement| {
            fn entry(text: &str, e: &Entry) -> String {
                match &e.group {
                    Some((_, inner)) => {
                        format!("<{}>", inner.iter().map(|e| entry(text, e)).collect::<Vec<_>>().join("|"))
                    }
                    None => text[e.range.start as usize..e.range.end as usize].to_owned(),
                }
            }
            let entries: Vec<String> = s.entries.iter().map(|e| entry(text, e)).collect();
            format!("{}: {}{}", s.path, entries.join("|"), if s.is_fixed { " fixed" } else { "" })
        };
        statements(language, imports(language).unwrap(), text).iter().map(show).collect()
    }

    #[test]
    fn statements_have_entries() {
        assert_eq!(
            read(
                Language::Python,
                "import a.b as c, d # x\nfrom .m import (e,\n  f as g)\nfrom . import h\nif x:\n    import y\n"
            ),
            ["a.b as c, d: a.b as c|d", ".m: <e|f as g>", ".: h"]
        );
        assert_eq!(
            read(
                Language::TypeScript,
                "import D, { a, type b as c } from './x'\nimport 'y';\nimport * as n from \"n\"; // keep\nlet z = import('q')\n"
            ),
            ["'./x': D|<a|type b as c>", "'y':  fixed", "\"n\": * as n fixed"]
        );
        assert_eq!(
            read(
                Language::Rust,
                "use a::{b, c::{d, e}};\n#[cfg(unix)]\nuse f::g;\npub use h;\nmod m { use x; }\n"
            ),
            ["a::{b,c::{d,e}}: <b|<d|e>>", "f::g: f::g fixed"]
        );
        assert_eq!(
            read(Language::Go, "package a\n\nimport (\n\t\"b\" // why\n\tc \"d/e\"\n)\nimport \"f\"\n"),
            ["\"b\": \"b\"", "\"d/e\": c \"d/e\"", "\"f\": \"f\""]
        );
        assert_eq!(
            read(
                Language::Php,
                "<?php\nnamespace N;\nuse A\\B, C;\nuse function D\\{e, f as g};\nclass X { use T; }\n"
            ),
            ["A\\B,C: A\\B|C", "D\\{e, f as g}: <e|f as g>"]
        );
        assert_eq!(
            read(Language::Java, "package p; import static a.B.*;\nimport c.D;\n"),
            ["a.B.*: a.B.* fixed", "c.D: c.D"]
        );
    }

    #[test]
    fn comments_above_belong_to_it() {
        let text = "import a\n\n# one\n# two\nimport b  # three\n";
        let all = statements(Language::Python, imports(Language::Python).unwrap(), text);
        let part = |start: u32, end: u32| &text[start as usize..end as usize];
        assert_eq!(part(all[1].head, all[1].lines.end), "# one\n# two\nimport b  # three\n");
    }
}
