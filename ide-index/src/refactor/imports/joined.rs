//! One more name in an import that has names of the same module already.

use ide_model::{QueryError, TextEdit};

use super::statements::{Entry, Statement, statements};
use crate::lang::imports::{Imports, imports};
use crate::refactor::RefactorContext;
use crate::world::FileId;

/// A line that would be longer gets a neighbour.
const LONGEST_LINE: usize = 100;
/// Marks between the parts of a path that brackets may stand behind.
const PATH_MARKS: [&str; 2] = ["::", "\\"];

/// The edit that adds the one name of a statement to an import of the file that lists names: in brackets, or, where the language lists
/// them without, one by one. `None` where no such import stands.
pub(in crate::refactor) fn joined(
    ctx: &RefactorContext<'_>,
    id: FileId,
    statement: &str,
) -> Result<Option<TextEdit>, QueryError> {
    let language = ctx.pool.with(|rx| rx.file(id).language());
    let Some(row) = imports(language) else { return Ok(None) };
    let text = (ctx.text)(id)?.text;
    let added = statements(language, row, statement);
    let [added] = &added[..] else { return Ok(None) };
    let Some((prefix, name)) = one_name(row, statement, added) else { return Ok(None) };
    let all = statements(language, row, &text);
    let lead = |text: &str, s: &Statement| {
        s.lead.map(|at| text[at.start as usize..at.end as usize].to_owned()).unwrap_or_default()
    };
    let is_like = |s: &&Statement| {
        let is_plain = !s.is_fixed && s.block.is_none() && s.attributes == s.lines.start;
        is_plain
            && lead(&text, s) == lead(statement, added)
            && (!has_path(row) || bare(&s.path) == bare(&added.path))
    };
    Ok(all.iter().filter(is_like).find_map(|s| {
        let names = names_behind(row, &text, s, prefix)?;
        insertion(&text, names, name)
    }))
}

/// Whether the module of a statement stands beside its names, not before each.
fn has_path(row: &Imports) -> bool {
    row.entries_before.is_some() || row.entries_after.is_some()
}

fn bare(path: &str) -> &str {
    path.trim_matches(['"', '\''])
}

/// The only name of a statement, with the part of its path before it.
fn one_name<'s>(row: &Imports, text: &'s str, statement: &Statement) -> Option<(&'s str, &'s str)> {
    let [entry] = &statement.entries[..] else { return None };
    let whole = &text[entry.range.start as usize..entry.range.end as usize];
    match &entry.group {
        Some((group, inner)) => {
            let [only] = &inner[..] else { return None };
            let prefix = &text[entry.range.start as usize..group.start as usize];
            let is_name = only.group.is_none();
            is_name.then(|| (prefix, &text[only.range.start as usize..only.range.end as usize]))
        }
        // Without brackets an import of an own path, or of a default, is another one.
        None if row.entries_before.is_some() => None,
        None if has_path(row) => Some(("", whole)),
        None => {
            let mark = PATH_MARKS.iter().find_map(|mark| Some(whole.rfind(mark)? + mark.len()))?;
            Some(whole.split_at(mark))
        }
    }
}

/// The names that a statement lists behind a part of a path.
fn names_behind<'s>(
    row: &Imports,
    text: &str,
    statement: &'s Statement,
    prefix: &str,
) -> Option<&'s [Entry]> {
    let before =
        |entry: &Entry, start: u32| text[entry.range.start as usize..start as usize].trim() == prefix;
    let in_brackets = statement.entries.iter().find_map(|entry| {
        let (group, inner) = entry.group.as_ref()?;
        before(entry, group.start).then_some(&inner[..])
    });
    let is_listed = row.entries_after.is_some() && statement.entries.iter().all(|e| e.group.is_none());
    in_brackets.or(is_listed.then_some(&statement.entries[..]))
}

/// The name in its order, where there is one, else behind the last.
fn insertion(text: &str, names: &[Entry], name: &str) -> Option<TextEdit> {
    let of = |entry: &Entry| &text[entry.range.start as usize..entry.range.end as usize];
    let last = names.last()?;
    if names.iter().any(|entry| of(entry) == "*" || of(entry) == name) {
        return None;
    }
    let line = |at: u32| text[..at as usize].rfind('\n').map_or(0, |end| end + 1);
    let indent = |entry: &Entry| &text[line(entry.range.start)..entry.range.start as usize];
    // In lines of their own.
    let is_tall = names.iter().all(|entry| indent(entry).trim().is_empty());
    let between = if is_tall { format!(",\n{}", indent(last)) } else { ", ".to_owned() };
    let start = line(last.range.start);
    let length = text[start..].find('\n').unwrap_or(text.len() - start) + name.len() + 2;
    if !is_tall && length > LONGEST_LINE {
        return None;
    }
    let next = names.iter().find(|entry| of(entry) > name);
    Some(match next.filter(|_| names.is_sorted_by_key(of)) {
        Some(next) => TextEdit::insert(next.range.start, format!("{name}{between}")),
        None => TextEdit::insert(last.range.end, format!("{between}{name}")),
    })
}
