//! The declarations that `CREATE` statements of SQL make, in the dialects that differ by their quotes only.

use std::ops::Range;

use ide_model::{SymbolKind, TextRange};

use super::Reader;

/// Words after `CREATE` that make something, and what that is.
const KINDS: [(&str, SymbolKind); 14] = [
    ("TABLE", SymbolKind::Struct),
    ("VIEW", SymbolKind::Struct),
    ("TYPE", SymbolKind::TypeAlias),
    ("DOMAIN", SymbolKind::TypeAlias),
    ("FUNCTION", SymbolKind::Function),
    ("PROCEDURE", SymbolKind::Function),
    ("PROC", SymbolKind::Function),
    ("TRIGGER", SymbolKind::Function),
    ("PACKAGE", SymbolKind::Package),
    ("SCHEMA", SymbolKind::Namespace),
    ("DATABASE", SymbolKind::Namespace),
    ("SEQUENCE", SymbolKind::Variable),
    ("INDEX", SymbolKind::Symbol),
    ("POLICY", SymbolKind::Symbol),
];

/// Words that may stand between `CREATE` and what is made, and between that and its name.
const BETWEEN: [&str; 25] = [
    "OR",
    "REPLACE",
    "ALTER",
    "TEMP",
    "TEMPORARY",
    "GLOBAL",
    "LOCAL",
    "UNLOGGED",
    "EXTERNAL",
    "FOREIGN",
    "VIRTUAL",
    "UNIQUE",
    "CLUSTERED",
    "NONCLUSTERED",
    "FULLTEXT",
    "SPATIAL",
    "BITMAP",
    "MATERIALIZED",
    "RECURSIVE",
    "CONSTRAINT",
    "CONCURRENTLY",
    "IF",
    "NOT",
    "EXISTS",
    "BODY",
];

/// Words that begin a line of a table which is no column.
const NO_COLUMN: [&str; 12] = [
    "PRIMARY",
    "FOREIGN",
    "UNIQUE",
    "CONSTRAINT",
    "CHECK",
    "KEY",
    "INDEX",
    "EXCLUDE",
    "LIKE",
    "FULLTEXT",
    "SPATIAL",
    "PERIOD",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    /// A name in quotes; the range is what stands between them.
    Quoted,
    Mark(u8),
}

struct Token {
    kind: Kind,
    at: Range<usize>,
}

impl Reader<'_> {
    /// Tables and views with their columns, functions, types, indexes.
    pub(super) fn sql(&mut self) {
        let text = self.text;
        let tokens = tokens(text);
        let is = |token: &Token, word: &str| {
            token.kind == Kind::Word && text[token.at.clone()].eq_ignore_ascii_case(word)
        };
        let mut i = 0;
        while i < tokens.len() {
            let start = i;
            i += 1;
            if !is(&tokens[start], "CREATE") {
                continue;
            }
            let skip = |mut i: usize| {
                while tokens.get(i).is_some_and(|token| BETWEEN.iter().any(|word| is(token, word))) {
                    i += 1;
                }
                i
            };
            i = skip(i);
            let made = tokens.get(i).and_then(|token| KINDS.iter().find(|(word, _)| is(token, word)));
            let Some((word, kind)) = made else { continue };
            i = skip(i + 1);
            let Some((name, after)) = dotted(&tokens, i) else { continue };
            i = after;
            let ends = |token: &Token| {
                token.kind == Kind::Mark(b';') || ["CREATE", "GO"].iter().any(|word| is(token, word))
            };
            let last = tokens[after..].iter().position(ends).map_or(tokens.len(), |n| after + n);
            let is_semicolon = tokens.get(last).is_some_and(|token| token.kind == Kind::Mark(b';'));
            let end = tokens[last - usize::from(!is_semicolon)].at.end;
            self.named(&name, tokens[start].at.start, *kind, 1);
            if *word == "TABLE" && matches!(tokens.get(after), Some(token) if token.kind == Kind::Mark(b'('))
            {
                i = self.columns(&tokens, after + 1, &is);
            }
            self.close_to(1, end);
        }
    }

    fn named(&mut self, name: &Range<usize>, start: usize, kind: SymbolKind, level: usize) {
        let at = TextRange::new(name.start as u32, name.end as u32);
        let text = self.text[name.clone()].to_owned();
        self.enter(&text, at, start, kind, level);
    }

    /// The columns of a table; returns where its parenthesis is closed.
    fn columns(&mut self, tokens: &[Token], from: usize, is: &dyn Fn(&Token, &str) -> bool) -> usize {
        let (mut depth, mut is_first) = (1usize, true);
        for (i, token) in tokens.iter().enumerate().skip(from) {
            match token.kind {
                Kind::Mark(b'(') => depth += 1,
                Kind::Mark(b')') => depth -= 1,
                Kind::Mark(b',') if depth == 1 => {
                    self.close_to(2, token.at.start);
                    is_first = true;
                    continue;
                }
                Kind::Word | Kind::Quoted
                    if is_first && depth == 1 && !NO_COLUMN.iter().any(|word| is(token, word)) =>
                {
                    self.named(&token.at, token.at.start, SymbolKind::Field, 2);
                }
                _ => {}
            }
            is_first = false;
            if depth == 0 {
                self.close_to(2, token.at.start);
                return i + 1;
            }
        }
        tokens.len()
    }
}

/// The last part of a dotted name, and what follows it.
fn dotted(tokens: &[Token], from: usize) -> Option<(Range<usize>, usize)> {
    let mut i = from;
    loop {
        let token = tokens.get(i).filter(|token| matches!(token.kind, Kind::Word | Kind::Quoted))?;
        match tokens.get(i + 1).map(|next| next.kind) {
            Some(Kind::Mark(b'.')) => i += 2,
            _ => return Some((token.at.clone(), i + 1)),
        }
    }
}

/// Words, quoted names and marks; text in quotes, bodies in dollars and comments are left out.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let closed = |mark: &str, from: usize| {
            rest.get(from..)
                .and_then(|rest| rest.find(mark))
                .map_or(text.len(), |end| at + from + end + mark.len())
        };
        let start = at;
        at = match c {
            '-' if rest.starts_with("--") => closed("\n", 0),
            '#' => closed("\n", 0),
            '/' if rest.starts_with("/*") => closed("*/", 2),
            '\'' => closed("'", 1),
            '"' | '`' | '[' => {
                let mark = if c == '[' { ']' } else { c };
                let inner = rest[1..].find(mark).map(|end| start + 1..start + 1 + end);
                let end = inner.as_ref().map_or(text.len(), |inner| inner.end + 1);
                tokens.extend(
                    inner.filter(|inner| !inner.is_empty()).map(|at| Token { kind: Kind::Quoted, at }),
                );
                end
            }
            '$' => match dollar_tag(rest) {
                Some(tag) => closed(tag, tag.len()),
                None => start + 1,
            },
            _ if c.is_alphanumeric() || c == '_' => {
                let is_over = |c: char| !(c.is_alphanumeric() || c == '_' || c == '$');
                let end = rest.find(is_over).map_or(text.len(), |end| start + end);
                tokens.push(Token { kind: Kind::Word, at: start..end });
                end
            }
            _ => {
                if c.is_ascii_punctuation() {
                    tokens.push(Token { kind: Kind::Mark(c as u8), at: start..start + 1 });
                }
                start + c.len_utf8()
            }
        };
    }
    tokens
}

/// `$$` or `$body$` at the start of a text.
fn dollar_tag(rest: &str) -> Option<&str> {
    let end = rest[1..].find('$')? + 2;
    rest[1..end - 1].chars().all(|c| c.is_alphanumeric() || c == '_').then(|| &rest[..end])
}
