//! One import of a file as a statement of its own.

use ide_model::TextRange;

use super::statements::{Entry, Statement, statements};
use super::unused::imports_in;
use crate::facts::ImportId;
use crate::lang::imports::Imports;
use crate::resolve::FileView;

/// A statement that binds what this import binds and nothing else, as it is written; `None` for imports that stand in no
/// statement of the file's own.
pub(in crate::refactor) fn single(
    file: &FileView,
    row: &'static Imports,
    text: &str,
    import: ImportId,
) -> Option<String> {
    let all = statements(file.language(), row, text);
    let binds = |range: TextRange| imports_in(file, range).contains(&import);
    let statement = all.iter().find(|statement| binds(statement.range))?;
    let part = |start: u32, end: u32| &text[start as usize..end as usize];
    let whole = || one_line(part(statement.range.start, statement.range.end));
    if statement.block.is_some() {
        let word = part(statement.keyword.start, statement.keyword.end);
        return Some(format!("{word} {}", whole()));
    }
    let Some(entry) = statement.entries.iter().find(|entry| binds(entry.range)) else {
        return Some(whole());
    };
    if statement.entries.len() == 1 && entry.group.is_none() {
        return Some(whole());
    }
    let (prefix, inner, in_group) = innermost(text, entry, &binds)?;
    let (head, tail) = around(text, statement)?;
    let is_braced = in_group && row.makes_module;
    let entry = if is_braced { format!("{prefix}{{ {inner} }}") } else { format!("{prefix}{inner}") };
    Some(one_line(&format!("{head}{entry}{tail}")))
}

/// The text before and behind the entries of a statement.
fn around<'t>(text: &'t str, statement: &Statement) -> Option<(&'t str, &'t str)> {
    let (first, last) = (statement.entries.first()?, statement.entries.last()?);
    let head = &text[statement.range.start as usize..first.range.start as usize];
    let tail = &text[last.range.end as usize..statement.range.end as usize];
    Some((head, tail))
}

/// The entry inside of all groups, with what stands before the groups, and whether there is one.
fn innermost<'t>(
    text: &'t str,
    entry: &Entry,
    binds: &dyn Fn(TextRange) -> bool,
) -> Option<(String, &'t str, bool)> {
    let part = |start: u32, end: u32| &text[start as usize..end as usize];
    let Some((group, inner)) = &entry.group else {
        return Some((String::new(), part(entry.range.start, entry.range.end), false));
    };
    let before = part(entry.range.start, group.start);
    let next = inner.iter().find(|entry| binds(entry.range))?;
    let (more, name, _) = innermost(text, next, binds)?;
    Some((format!("{before}{more}"), name, true))
}

/// Comments behind the statement are not part of it; line ends within become blanks.
fn one_line(statement: &str) -> String {
    statement.split_whitespace().collect::<Vec<_>>().join(" ")
}
