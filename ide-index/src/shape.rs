//! Code by its shape: patterns that are code with holes, matched on the trees of grammars by the library of ast-grep.
//!
//! A pattern is read in the first surroundings in which it is code: alone, as a statement, in a type, in a function.
//! The replacement of a match is a template with the same holes, indented as the match is.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use ast_grep_core::language;
use ast_grep_core::matcher::PatternBuilder;
use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc, TSLanguage};
use ast_grep_core::{AstGrep, NodeMatch, Pattern, PatternError};
use ide_model::{Language, QueryError, TextEdit, TextRange, edited};
use tree_sitter::Node;

use crate::tables;

/// The character that replaces `$` while a pattern is read: a letter in every language.
const HOLE: char = 'µ';

/// Bytes of a pattern: it is read in all surroundings.
const LONGEST: usize = 8 << 10;
/// Levels of a pattern's tree.
const DEEPEST: u32 = 200;

/// Surroundings in which a pattern may be code.
const SURROUNDINGS: &[(&str, &str)] = &[
    ("", ""),
    ("", ";"),
    ("class X { ", " }"),
    ("class X { ", "; }"),
    ("impl X { ", " }"),
    ("struct X { ", " }"),
    ("type X struct { ", " }"),
    ("fn x() { ", " }"),
    ("func x() { ", " }"),
    ("void x() { ", " }"),
    ("class X { void x() { ", "; } }"),
];

/// A grammar of ours as the library wants it.
#[derive(Clone)]
struct Reader(TSLanguage);

impl language::Language for Reader {
    fn expando_char(&self) -> char {
        HOLE
    }

    fn extract_meta_var(&self, source: &str) -> Option<MetaVariable> {
        // A variable of PHP has its sign before the hole.
        let bare = source.strip_prefix('$').filter(|rest| rest.starts_with(HOLE)).unwrap_or(source);
        let name = bare.trim_start_matches(HOLE);
        let is_name = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
                && name.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())
        };
        let n = bare[..bare.len() - name.len()].chars().count();
        let name = name.strip_suffix(';').filter(|_| n == 3).unwrap_or(name);
        match n {
            3 if name.is_empty() || name.starts_with('_') => Some(MetaVariable::Multiple),
            3 if is_name(name) => Some(MetaVariable::MultiCapture(name.to_owned())),
            1 if name.starts_with('_') && is_name(name) => Some(MetaVariable::Dropped(true)),
            1 if is_name(name) => Some(MetaVariable::Capture(name.to_owned(), true)),
            _ => None,
        }
    }

    fn kind_to_id(&self, kind: &str) -> u16 {
        self.0.id_for_node_kind(kind, true)
    }

    fn field_to_id(&self, field: &str) -> Option<u16> {
        self.0.field_id_for_name(field).map(|id| id.get())
    }

    fn build_pattern(&self, builder: &PatternBuilder<'_>) -> Result<Pattern, PatternError> {
        builder.build(|text| StrDoc::try_new(text, self.clone()))
    }
}

impl LanguageExt for Reader {
    fn get_ts_language(&self) -> TSLanguage {
        self.0.clone()
    }
}

/// A pattern for one grammar.
pub struct Shape {
    reader: Reader,
    pattern: Pattern,
    /// The pattern without the `, $$$NAME` at the ends of its lists, which stand for no code.
    shorter: Vec<Pattern>,
    rewrite: Option<Vec<Part>>,
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Hole(String),
}

/// One match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeMatch {
    pub range: TextRange,
    pub captures: Vec<(String, TextRange)>,
    /// `None` without a template, and within another match.
    pub replacement: Option<String>,
    /// The replacement would not hold together where it stands: a part of it would belong to the code around it, as the second
    /// of two statements behind `if (a)` does.
    pub is_torn: bool,
}

/// The languages whose code has a shape.
pub fn languages() -> Vec<Language> {
    tables::languages()
}

impl Shape {
    /// A pattern for the files that are read like `path`.
    ///
    /// # Errors
    /// [`QueryError::BadPattern`] when it is no code, or the template has holes that it has not.
    pub fn new(
        language: Language,
        path: &str,
        pattern: &str,
        rewrite: Option<&str>,
    ) -> Result<Self, QueryError> {
        let bad = |message: String| QueryError::BadPattern { message };
        let grammar = tables::grammar(language, path).ok_or_else(|| QueryError::Unsupported {
            query: "searching by shape",
            language: Some(language),
            supported: languages(),
        })?;
        let reader = Reader(grammar.clone());
        let text = pattern.trim();
        if text.is_empty() {
            return Err(bad("it is empty".to_owned()));
        }
        if text.len() > LONGEST {
            return Err(bad(format!("it is longer than {LONGEST} bytes")));
        }
        let mut several = false;
        let shorter: Vec<Pattern> = without_last_holes(text)
            .iter()
            .filter_map(|text| Self::new(language, path, text, None).ok())
            .map(|shape| shape.pattern)
            .collect();
        for (before, whole) in readings(text) {
            let range = before..before + whole.1;
            let tree = tables::tree_by(grammar, &whole.0);
            let Some(tree) = tree.filter(|tree| !tree.root_node().has_error()) else { continue };
            // Matching recurses down the pattern.
            if tables::is_deeper_than(&tree, DEEPEST) {
                return Err(bad(format!("it nests more than {DEEPEST} levels deep")));
            }
            let root = AstGrep::doc(StrDoc { src: whole.0, lang: reader.clone(), tree });
            let Some(node) = spanning(root.root().get_inner_node(), &range) else {
                several = true;
                continue;
            };
            // Code without the opening of its language is text.
            if node.kind() == "text" || node.parent().is_some_and(|parent| parent.kind() == "text") {
                continue;
            }
            let pattern = Pattern::from(root.adopt(node));
            let rewrite = rewrite.map(|rewrite| template(rewrite, &pattern)).transpose().map_err(bad)?;
            return Ok(Self { reader, pattern, shorter, rewrite });
        }
        let name = language.name();
        Err(bad(if several {
            format!("it is several pieces of {name} code: one expression, statement or declaration is wanted")
        } else {
            format!(
                "it is not {name} code, with $NAME for one piece of code and $$$NAME for any number of them"
            )
        }))
    }

    /// A piece of text that every match has in it; empty when there is none.
    pub fn needle(&self) -> Cow<'_, str> {
        // The shortest pattern has the least that is certain to be there.
        self.shorter.last().unwrap_or(&self.pattern).fixed_string()
    }

    /// Every match in a text, in order, an outer one before those within it. Replacements have the parentheses that keep
    /// their parts together.
    pub fn find(&self, text: &str) -> Vec<ShapeMatch> {
        let Some(tree) = tables::tree_by(&self.reader.0, text) else { return Vec::new() };
        let root = AstGrep::doc(StrDoc { src: text.to_owned(), lang: self.reader.clone(), tree });
        let mut found: Vec<ShapeMatch> = Vec::new();
        let mut placed: Vec<Placed> = Vec::new();
        let mut end = 0;
        let mut all: Vec<Matched<'_>> = std::iter::once(&self.pattern)
            .chain(&self.shorter)
            .flat_map(|pattern| root.root().find_all(pattern).collect::<Vec<_>>())
            .collect();
        if !self.shorter.is_empty() {
            all.sort_by_key(|matched| (matched.range().start, usize::MAX - matched.range().end));
        }
        for matched in all {
            let range = matched.range();
            let is_inside = range.start < end && self.rewrite.is_some();
            if let Some(parts) = self.rewrite.as_ref().filter(|_| !is_inside) {
                placed.push(expand(parts, &matched, text));
            }
            end = end.max(range.end);
            found.push(ShapeMatch {
                range: text_range(&range),
                captures: captures(&matched),
                replacement: None,
                is_torn: false,
            });
        }
        found.sort_by_key(|found| (found.range.start, u32::MAX - found.range.end));
        found.dedup_by_key(|found| found.range);
        self.bracket(text, &mut placed);
        let mut texts: BTreeMap<TextRange, Placed> =
            placed.into_iter().map(|one| (text_range(&one.range), one)).collect();
        for found in &mut found {
            if let Some(placed) = texts.remove(&found.range) {
                (found.replacement, found.is_torn) = (Some(placed.text), placed.is_torn);
            }
        }
        found
    }

    /// Puts parentheses around the values that would be read as parts of something else in the new text.
    fn bracket(&self, text: &str, placed: &mut [Placed]) {
        placed.sort_by_key(|one| one.range.start);
        if placed.is_empty() {
            return;
        }
        // Brackets around a value show whether the whole needs some, too; the last round only looks.
        for round in 0..3 {
            let (after, starts) = replaced(text, placed);
            let Some(tree) = tables::tree_by(&self.reader.0, &after) else { return };
            let root = tree.root_node();
            for (one, start) in placed.iter_mut().zip(starts) {
                if round == 2 {
                    one.is_torn = one.is_torn_in(root, start);
                    continue;
                }
                let is_apart =
                    |range: &Range<usize>| is_read_apart(root, &(start + range.start..start + range.end));
                let holes: Vec<Range<usize>> =
                    one.values.iter().filter(|hole| is_apart(hole)).cloned().collect();
                for hole in holes.into_iter().rev() {
                    one.bracket(hole);
                }
                let whole = 0..one.text.len();
                if one.is_value && is_apart(&whole) {
                    one.bracket(whole);
                }
            }
        }
    }

    /// The first line from which on a text cannot be read after edits, if it can be read less well than before.
    pub fn breaks(&self, text: &str, edits: &[TextEdit]) -> Option<u32> {
        let after = edited(text, edits)?;
        let errors = |text: &str| {
            let tree = tables::tree_by(&self.reader.0, text)?;
            Some(errors_of(tree.root_node()))
        };
        let (old, new) = (errors(text)?, errors(&after)?);
        let first = *new.first().filter(|_| new.len() > old.len())?;
        Some(after[..first].matches('\n').count() as u32 + 1)
    }
}

/// A pattern without some and at last without all of the `, $$$NAME` that end its lists. Each ends a list with one entry more.
fn without_last_holes(pattern: &str) -> Vec<String> {
    const MOST: usize = 3;
    let mut holes: Vec<Range<usize>> = Vec::new();
    for (at, _) in pattern.match_indices("$$$") {
        let name = pattern[at + 3..]
            .chars()
            .take_while(|c| c.is_ascii_uppercase() || *c == '_' || c.is_ascii_digit());
        let end = at + 3 + name.count();
        let head = pattern[..at].trim_end();
        if head.ends_with(',') && pattern[end..].trim_start().starts_with([')', ']', '}', '>']) {
            holes.push(head.len() - 1..end);
        }
    }
    holes.truncate(MOST);
    let without = |chosen: usize| {
        let mut text = pattern.to_owned();
        for (i, hole) in holes.iter().enumerate().rev() {
            if chosen & 1 << i != 0 {
                text.replace_range(hole.clone(), "");
            }
        }
        text
    };
    (1..1 << holes.len()).map(without).collect()
}

/// A pattern in its surroundings, one after another: where it starts, the whole text, and its length.
fn readings(pattern: &str) -> impl Iterator<Item = (usize, (String, usize))> {
    let ways = ["", "<?php "].into_iter().flat_map(|opening| {
        ["", "$"].into_iter().flat_map(move |sign| ["", ";"].map(|end| (opening, sign, end)))
    });
    ways.flat_map(move |(opening, sign, end)| {
        let code = holes(pattern, sign, end);
        SURROUNDINGS.iter().map(move |(before, after)| {
            (opening.len() + before.len(), (format!("{opening}{before}{code}{after}"), code.len()))
        })
    })
}

fn errors_of(root: Node<'_>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut todo = vec![root];
    while let Some(node) = todo.pop() {
        if node.is_error() || node.is_missing() {
            found.push(node.start_byte());
        } else if node.has_error() {
            todo.extend(node.children(&mut node.walk()));
        }
    }
    found.sort_unstable();
    found
}

/// The one node that spans a range, and holds no list of several things.
fn spanning<'t>(root: Node<'t>, range: &Range<usize>) -> Option<Node<'t>> {
    let node = root.descendant_for_byte_range(range.start, range.end)?;
    (node.byte_range() == *range && node.parent().is_some()).then_some(node)
}

/// A pattern with the letter for holes in the place of their sign. `sign` stands before a single one, `end` behind one
/// that is alone in braces: some languages have statements only with it.
fn holes(text: &str, sign: &str, end: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let n = rest.chars().take_while(|c| *c == '$').count();
        let name = rest[n..]
            .chars()
            .take_while(|c| c.is_ascii_uppercase() || *c == '_' || c.is_ascii_digit())
            .count();
        if n == 3 || n == 1 && name > 0 && !rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
            let is_statement = n == 3
                && out.trim_end().ends_with(['{', '}', ';'])
                && rest[n + name..].trim_start().starts_with('}');
            out.push_str(if n == 1 { sign } else { "" });
            out.extend(std::iter::repeat_n(HOLE, n));
            out.push_str(&rest[n..n + name]);
            out.push_str(if is_statement { end } else { "" });
        } else {
            out.push_str(&rest[..n + name]);
        }
        rest = &rest[n + name..];
    }
    out + rest
}

/// The pieces of a template.
fn template(text: &str, pattern: &Pattern) -> Result<Vec<Part>, String> {
    let known: BTreeSet<&str> = pattern.defined_vars().into_iter().collect();
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let n = rest.chars().take_while(|c| *c == '$').count();
        let name: String = rest[n..]
            .chars()
            .take_while(|c| c.is_ascii_uppercase() || *c == '_' || c.is_ascii_digit())
            .collect();
        if matches!(n, 1 | 3) && name.starts_with(|c: char| c.is_ascii_uppercase()) {
            if !known.contains(name.as_str()) {
                let names: Vec<&str> = known.iter().copied().collect();
                return Err(format!(
                    "`rewrite` has ${name}, which the pattern has not; it has {}",
                    names.join(", ")
                ));
            }
            parts.push(Part::Text(std::mem::take(&mut plain)));
            rest = &rest[n + name.len()..];
            parts.push(Part::Hole(name));
        } else {
            plain.push_str(&rest[..n]);
            rest = &rest[n..];
        }
    }
    plain.push_str(rest);
    parts.push(Part::Text(plain));
    Ok(parts)
}

type Matched<'t> = NodeMatch<'t, StrDoc<Reader>>;

fn captures(matched: &Matched<'_>) -> Vec<(String, TextRange)> {
    let env = matched.get_env();
    let mut all: Vec<(String, TextRange)> = env
        .get_matched_variables()
        .filter_map(|variable| match variable {
            MetaVariable::Capture(name, _) | MetaVariable::MultiCapture(name) => {
                let range = captured(matched, &name)?;
                Some((name, text_range(&range)))
            }
            _ => None,
        })
        .collect();
    all.sort();
    all
}

/// The text that a name captured; `None` for no code at all.
fn captured(matched: &Matched<'_>, name: &str) -> Option<Range<usize>> {
    let env = matched.get_env();
    if let Some(node) = env.get_match(name) {
        return Some(node.range());
    }
    let several = env.get_multiple_matches(name);
    Some(several.first()?.range().start..several.last()?.range().end)
}

/// A template filled in for a match.
struct Placed {
    /// The match in the old text.
    range: Range<usize>,
    text: String,
    /// Expressions of several parts in the new text that were captured.
    values: Vec<Range<usize>>,
    /// The match is a value among others, and not a statement.
    is_value: bool,
    /// The kind of the node that holds the statement that the match is.
    holder: Option<String>,
    is_torn: bool,
}

impl Placed {
    /// Whether the new text would not hold together in a tree.
    fn is_torn_in(&self, root: Node<'_>, start: usize) -> bool {
        let at = |range: &Range<usize>| start + range.start..start + range.end;
        let whole = 0..self.text.trim_end().len();
        let (values, all) = (self.values.iter().any(|value| is_read_apart(root, &at(value))), at(&whole));
        // Statements stand beside each other where the one stood.
        let is_apart = || match (&self.holder, root.descendant_for_byte_range(all.start, all.end)) {
            (Some(holder), Some(node)) => {
                !whole.is_empty()
                    && node.byte_range() != all
                    && node.start_byte() < all.start
                    && node.kind() != holder
                    && !node.has_error()
            }
            _ => self.is_value && is_read_apart(root, &all),
        };
        values || is_apart()
    }

    fn bracket(&mut self, range: Range<usize>) {
        self.text.insert(range.end, ')');
        self.text.insert(range.start, '(');
        for value in &mut self.values {
            let (by, longer) = match value {
                _ if *value == range => (0, 2),
                _ if value.start >= range.end => (2, 0),
                _ if value.end <= range.start => (0, 0),
                _ => (1, 0),
            };
            *value = value.start + by..value.end + by + longer;
        }
    }
}

/// The text after the replacements, and where each of them begins in it.
fn replaced(text: &str, placed: &[Placed]) -> (String, Vec<usize>) {
    let (mut out, mut starts, mut at) = (String::with_capacity(text.len()), Vec::new(), 0);
    for one in placed {
        out.push_str(&text[at..one.range.start]);
        starts.push(out.len());
        out.push_str(&one.text);
        at = one.range.end;
    }
    out.push_str(&text[at..]);
    (out, starts)
}

/// Whether no node of a tree spans a range, because its parts belong to different values: `a + b` in `a + b * c`.
fn is_read_apart(root: Node<'_>, range: &Range<usize>) -> bool {
    let Some(node) = root.descendant_for_byte_range(range.start, range.end) else { return false };
    node.byte_range() != *range && is_compound(node.kind()) && !node.has_error()
}

/// The value that an argument is nothing but.
fn only_child<'t>(
    node: &ast_grep_core::Node<'t, StrDoc<Reader>>,
) -> Option<ast_grep_core::Node<'t, StrDoc<Reader>>> {
    let mut children = node.children();
    children.next().filter(|_| children.next().is_none())
}

/// Whether expressions of a kind have several parts that an operator or a dot outside could take away from each other.
fn is_compound(kind: &str) -> bool {
    [
        "expression",
        "operator",
        "lambda",
        "await",
        "closure",
        "ternary",
        "call",
        "invocation",
        "access",
        "subscript",
        "attribute",
    ]
    .iter()
    .any(|part| kind.contains(part))
        && !["statement", "list", "arguments", "parenthesized"].iter().any(|part| kind.contains(part))
}

/// The text of a template for a match. Lines keep how far in they stand, counted from the line that they begin on.
fn expand(parts: &[Part], matched: &Matched<'_>, text: &str) -> Placed {
    let own = indent_of(text, matched.range().start);
    let mut out = String::new();
    let mut values = Vec::new();
    let mut is_empty = false;
    for (at, part) in parts.iter().enumerate() {
        match part {
            Part::Text(plain) => {
                let mut plain = plain.as_str();
                // No code needs no comma: the one before it goes, or else the one behind it.
                let before = out.trim_end().strip_suffix(',').map(str::len);
                if let Some(before) =
                    before.filter(|_| is_empty && plain.trim_start().starts_with([')', ']', '}', '>']))
                {
                    out.truncate(before);
                } else if let Some(rest) = plain.trim_start().strip_prefix(',').filter(|_| is_empty) {
                    plain = rest.trim_start();
                }
                is_empty = false;
                out.push_str(&plain.replace('\n', &format!("\n{own}")));
            }
            Part::Hole(name) => {
                let Some(range) = captured(matched, name) else {
                    is_empty = true;
                    continue;
                };
                let one = matched.get_env().get_match(name);
                let mut range = if one.is_some() { range } else { with_lines(text, range) };
                // The comma behind the last entry of a list makes way for that of the template.
                let ends_list = text[range.clone()].trim_end().strip_suffix(',').map(str::len);
                if let (Some(len), Some(Part::Text(next))) = (ends_list, parts.get(at + 1))
                    && next.trim_start().starts_with(',')
                {
                    range.end = range.start + len;
                }
                let from = indent_of(text, range.start);
                let line = out.rfind('\n').map_or("", |at| &out[at + 1..]);
                let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
                let to = if out.contains('\n') { line[..blanks].to_owned() } else { own.to_owned() };
                let start = out.len();
                for (i, line) in text[range].split('\n').enumerate() {
                    if i > 0 {
                        out.push('\n');
                        if let Some(rest) = line.strip_prefix(from) {
                            out.push_str(&to);
                            out.push_str(rest);
                            continue;
                        }
                    }
                    out.push_str(line);
                }
                let mut nodes = std::iter::successors(one.cloned(), only_child);
                if nodes.any(|node| is_compound(&node.kind())) {
                    values.push(start..out.len());
                }
            }
        }
    }
    let is_statement = |kind: &str| kind.contains("statement");
    let parent = matched.parent();
    let stands_alone = parent.as_ref().is_some_and(|parent| is_statement(&parent.kind()));
    let is_value = is_compound(&matched.kind()) && !stands_alone && !out.contains('\n');
    let holder = match parent {
        Some(parent) if is_statement(&matched.kind()) => Some(parent.kind().into_owned()),
        // The expression of a statement of its own.
        Some(parent) if parent.kind() == "expression_statement" => {
            parent.parent().map(|up| up.kind().into_owned())
        }
        _ => None,
    };
    Placed { range: matched.range(), text: out, values, is_value, holder, is_torn: false }
}

/// A range with the white space around it, on sides where that has a line ending.
fn with_lines(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text[..range.start].trim_end().len();
    let end = text.len() - text[range.end..].trim_start().len();
    let has_line = |range: Range<usize>| text[range].contains('\n');
    let start = if has_line(start..range.start) { start } else { range.start };
    let end = if has_line(range.end..end) { end } else { range.end };
    start..end
}

fn indent_of(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn text_range(range: &Range<usize>) -> TextRange {
    TextRange::new(range.start as u32, range.end as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(language: Language, path: &str, pattern: &str, rewrite: Option<&str>) -> Shape {
        Shape::new(language, path, pattern, rewrite).unwrap_or_else(|error| panic!("{pattern}: {error:?}"))
    }

    fn rewritten(language: Language, path: &str, pattern: &str, rewrite: &str, text: &str) -> String {
        let shape = shape(language, path, pattern, Some(rewrite));
        let edits: Vec<TextEdit> = shape
            .find(text)
            .into_iter()
            .filter_map(|found| Some(TextEdit::new(found.range, found.replacement?)))
            .collect();
        edited(text, &edits).unwrap()
    }

    #[test]
    fn every_language_has_calls_and_statements() {
        use Language::{
            C, CSharp, Cpp, Go, Java, JavaScript, Kotlin, Php, Python, Ruby, Rust, Scala, Swift, TypeScript,
        };
        let cases = [
            (Java, "A.java", "class A { void f() { log(1, x); } }"),
            (Kotlin, "a.kt", "fun f() { log(1, x) }"),
            (Python, "a.py", "def f():\n    log(1, x)\n"),
            (JavaScript, "a.js", "function f() { log(1, x); }"),
            (TypeScript, "a.ts", "function f(): void { log(1, x); }"),
            (TypeScript, "a.tsx", "const f = () => <a b={log(1, x)}/>;"),
            (Go, "a.go", "package a\nfunc f() { log(1, x) }"),
            (Php, "a.php", "<?php function f() { log(1, $x); }"),
            (Rust, "a.rs", "fn f() { log(1, x); }"),
            (C, "a.c", "void f() { log(1, x); }"),
            (Cpp, "a.cpp", "void f() { log(1, x); }"),
            (CSharp, "a.cs", "class A { void F() { log(1, x); } }"),
            (Ruby, "a.rb", "def f\n  log(1, x)\nend\n"),
            (Swift, "a.swift", "func f() { log(1, x) }"),
            (Scala, "a.scala", "def f() = { log(1, x) }"),
        ];
        for (language, path, text) in cases {
            let found = shape(language, path, "log($A, $B)", None).find(text);
            assert_eq!(found.len(), 1, "{path}: {found:?}");
            let range = found[0].range;
            assert_eq!(
                &text[range.start as usize..range.end as usize].replace('$', ""),
                "log(1, x)",
                "{path}"
            );
            let names: Vec<&str> = found[0].captures.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(names, ["A", "B"], "{path}");
            let out = rewritten(language, path, "log($$$ARGS)", "trace($$$ARGS)", text);
            assert_eq!(out, text.replace("log(", "trace("), "{path}");
        }
    }

    #[test]
    fn names_that_stand_twice_stand_for_the_same() {
        let text = "a = a + 1\na = b + 1\n";
        let found = shape(Language::Python, "a.py", "$X = $X + 1", None).find(text);
        assert_eq!(found.iter().map(|found| found.range).collect::<Vec<_>>(), [TextRange::new(0, 9)]);
    }

    #[test]
    fn declarations_and_statements_are_patterns_too() {
        let java = "class A {\n    public int f() { return 1; }\n    void g() { if (a) { b(); } }\n}\n";
        let count = |pattern: &str| shape(Language::Java, "A.java", pattern, None).find(java).len();
        assert_eq!(count("if ($C) { $$$BODY }"), 1);
        assert_eq!(count("return $X;"), 1);
        assert_eq!(count("void $F() { $$$ }"), 1);
        let php = "<?php class A { function f() { $a = $this->b($c); } }";
        assert_eq!(shape(Language::Php, "a.php", "$X = $this->b($Y)", None).find(php).len(), 1);
        let rust = "impl A { fn f(&self) -> u8 { self.x.unwrap() } }";
        assert_eq!(
            rewritten(Language::Rust, "a.rs", "$E.unwrap()", "$E?", rust),
            rust.replace(".unwrap()", "?")
        );
    }

    #[test]
    fn replacements_stand_as_far_in_as_their_match() {
        let text = "def f():\n    if x:\n        g(\n            1,\n            2,\n        )\n";
        let out = rewritten(Language::Python, "a.py", "g($$$ARGS)", "with y:\n    h($$$ARGS)", text);
        assert_eq!(
            out,
            "def f():\n    if x:\n        with y:\n            h(\n                1,\n                2,\n            )\n"
        );
        let tabs = "func f() {\n\tg(1)\n}\n";
        let out =
            rewritten(Language::Go, "a.go", "g($A)", "if x {\n\th($A)\n}", &format!("package a\n{tabs}"));
        assert_eq!(out, "package a\nfunc f() {\n\tif x {\n\t\th(1)\n\t}\n}\n");
    }

    #[test]
    fn any_number_of_entries_may_be_none() {
        let java = "class A { void f() { log(1); log(1, 2); log(1, 2, 3); log(); } }";
        let count = |pattern: &str| shape(Language::Java, "A.java", pattern, None).find(java).len();
        assert_eq!((count("log($A, $$$B)"), count("log($$$B)"), count("log($A, $B, $$$C)")), (3, 4, 2));
        assert_eq!(
            rewritten(Language::Java, "A.java", "log($A, $$$B)", "put($A, $$$B)", java),
            java.replace("log(1", "put(1")
        );
        assert_eq!(
            rewritten(Language::Java, "A.java", "log($$$B)", "put($$$B, x)", java),
            "class A { void f() { put(1, x); put(1, 2, x); put(1, 2, 3, x); put(x); } }"
        );
        let python = "f(\n    1,\n    2,\n)\nf()\n";
        assert_eq!(
            rewritten(Language::Python, "a.py", "f($$$A)", "f($$$A, extra=1)", python),
            "f(\n    1,\n    2, extra=1)\nf(extra=1)\n"
        );
    }

    #[test]
    fn a_match_within_a_match_is_found_and_not_rewritten() {
        let found = shape(Language::JavaScript, "a.js", "f($A)", Some("g($A)")).find("f(f(1));");
        assert_eq!(
            found.iter().map(|f| f.replacement.as_deref()).collect::<Vec<_>>(),
            [Some("g(f(1))"), None]
        );
    }

    #[test]
    fn parentheses_keep_the_parts_of_a_value_together() {
        use Language::{Go, Java, JavaScript, Kotlin, Php, Python, Rust};
        for (language, path, before, after, text, wanted) in [
            (Java, "A.java", "f($A, $B)", "$A - $B", "int x = f(1, 2 + 3);", "int x = 1 - (2 + 3);"),
            (Java, "A.java", "f($A, $B)", "$A - $B", "int x = f(1, 2) * 2;", "int x = (1 - 2) * 2;"),
            (Java, "A.java", "f($A, $B)", "$A - $B", "int x = f(a * b, c);", "int x = a * b - c;"),
            (Java, "A.java", "f($A)", "!$A", "boolean x = f(a == b);", "boolean x = !(a == b);"),
            (Java, "A.java", "f($A)", "$A.g()", "var x = f(a + b);", "var x = (a + b).g();"),
            (Java, "A.java", "f($A)", "g($A)", "var x = f(a + b) * 2;", "var x = g(a + b) * 2;"),
            (JavaScript, "a.js", "f($A, $B)", "$A ** $B", "x = f(a ? b : c, 2);", "x = (a ? b : c) ** 2;"),
            (Python, "a.py", "f($A)[0]", "$A + 0", "x = 2 * f(1)[0]\n", "x = 2 * (1 + 0)\n"),
            (Python, "a.py", "f($A, $B)", "$A and $B", "x = f(a or b, c)\n", "x = (a or b) and c\n"),
            (
                Go,
                "a.go",
                "f($A, $B)",
                "$A - $B",
                "package a\n\nvar x = f(1, 2+3) * 2\n",
                "package a\n\nvar x = (1 - (2+3)) * 2\n",
            ),
            (
                Kotlin,
                "a.kt",
                "f($A, $B)",
                "$A - $B",
                "val x = f(1, 2 + 3) * 2\n",
                "val x = (1 - (2 + 3)) * 2\n",
            ),
            (
                Php,
                "a.php",
                "f($A, $B)",
                "$A - $B",
                "<?php\n$x = f(1, 2 + 3) * 2;\n",
                "<?php\n$x = (1 - (2 + 3)) * 2;\n",
            ),
            (
                Rust,
                "a.rs",
                "f($A, $B)",
                "$A - $B",
                "const X: u8 = f(1, 2 + 3) * 2;\n",
                "const X: u8 = (1 - (2 + 3)) * 2;\n",
            ),
        ] {
            let text = if language == Java { format!("class A {{ {text} }}") } else { text.to_owned() };
            let wanted = if language == Java { format!("class A {{ {wanted} }}") } else { wanted.to_owned() };
            assert_eq!(rewritten(language, path, before, after, &text), wanted, "{before} {after}");
        }
    }

    #[test]
    fn two_statements_do_not_stand_where_one_is_taken() {
        use Language::{Go, Java, JavaScript, Python};
        let torn = |language, path, pattern, rewrite, text| {
            shape(language, path, pattern, Some(rewrite)).find(text)[0].is_torn
        };
        let two = "print(1); g();";
        for (text, wanted) in [
            ("class A { void f() { for (int i : x) p(i); } }", true),
            ("class A { void f() { if (a) p(i); } }", true),
            ("class A { void f() { if (a) b(); else p(i); } }", true),
            ("class A { void f() { p(i); } }", false),
            ("class A { void f() { b(); p(i); b(); } }", false),
            ("class A { void f() { for (int i : x) { p(i); } } }", false),
        ] {
            assert_eq!(torn(Java, "A.java", "p($X);", "q($X); q();", text), wanted, "{text}");
        }
        assert!(torn(JavaScript, "a.js", "p($X);", two, "if (a) p(1);"));
        assert!(!torn(JavaScript, "a.js", "p($X);", two, "p(1);"));
        assert!(!torn(JavaScript, "a.js", "p($X)", "q($X)", "if (a) p(1);"));
        assert!(torn(Python, "a.py", "p($X)", "q($X)\nr()", "if a: p(1)\n"));
        assert!(!torn(Python, "a.py", "p($X)", "q($X)\nr()", "if a:\n    p(1)\n"));
        assert!(!torn(
            Go,
            "a.go",
            "p($X)",
            "q($X)\nr()",
            "package a\n\nfunc f() {\n\tif a {\n\t\tp(1)\n\t}\n}\n"
        ));
    }

    #[test]
    fn what_is_no_pattern_is_told() {
        let why = |pattern: &str, rewrite: Option<&str>| match Shape::new(
            Language::Java,
            "A.java",
            pattern,
            rewrite,
        ) {
            Err(QueryError::BadPattern { message }) => message,
            Err(other) => panic!("{other:?}"),
            Ok(_) => panic!("{pattern} is one"),
        };
        assert!(why("foo(", None).contains("not Java code"));
        assert!(why(" ", None).contains("empty"));
        assert!(why("a(); b();", None).contains("several pieces"));
        assert!(why("a($X)", Some("b($Y)")).contains("$Y"));
    }
}
