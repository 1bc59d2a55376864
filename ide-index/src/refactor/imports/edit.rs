//! Imports put in and taken out, where another change needs it.

use std::collections::BTreeSet;
use std::sync::Arc;

use ide_model::{QueryError, TextEdit, TextRange, with_line_endings};

use super::super::RefactorContext;
use super::order::key_of_text;
use super::statements::{Statement, statements};
use super::{Job, unused};
use crate::facts::{DefFlags, ImportId, Role, ScopeKind};
use crate::lang::imports::{Imports, Key, Style, imports};
use crate::resolve::FileView;
use crate::world::FileId;

/// The changes of a file's imports.
#[derive(Default)]
pub(crate) struct ImportChange {
    pub(crate) drop: BTreeSet<ImportId>,
    /// Whole statements, or what stands between the brackets of a block.
    pub(crate) add: BTreeSet<String>,
}

/// The edits of a change of imports. Imports that stand in no statement of the file's own stay.
pub(crate) fn edits(
    ctx: &RefactorContext<'_>,
    id: FileId,
    change: &ImportChange,
) -> Result<Vec<TextEdit>, QueryError> {
    let file = ctx.pool.with(|rx| rx.shared_file(id));
    let text = (ctx.text)(id)?;
    let Some(row) = imports(file.language()) else { return Ok(Vec::new()) };
    let found = statements(file.language(), row, &text.text);
    let job = Job { file: &file, row, text: &text.text, statements: &found, unused: &change.drop };
    let is_dropped =
        |s: &&Statement| unused::imports_in(&file, s.range).iter().any(|i| change.drop.contains(i));
    if change.add.is_empty() && !found.iter().filter(is_dropped).any(|s| s.is_fixed) {
        return Ok(job.edits(|_| None));
    }
    let mut edits = Vec::new();
    let mut kept: Vec<&Statement> = Vec::new();
    for statement in &found {
        if !is_dropped(&statement) {
            kept.push(statement);
            continue;
        }
        // A dropped import is known to be unused, whatever a comment says.
        let statement_free = Statement { is_fixed: statement.entries.is_empty(), ..statement.clone() };
        match job.rest(&statement_free) {
            Some(rest) => {
                kept.push(statement);
                let range = TextRange::new(statement.head, statement.lines.end);
                edits.push(TextEdit::new(range, rest));
            }
            None => {
                let whole = TextRange::new(statement.attributes, statement.lines.end);
                edits.push(TextEdit::new(whole, ""));
            }
        }
    }
    for line in &change.add {
        edits.extend(insertion(&job, row, &file, line, &kept, &found));
    }
    let changed: Vec<TextEdit> = merged(edits, &text.text);
    Ok(changed)
}

/// Insertions at one place become one, in order.
fn merged(mut edits: Vec<TextEdit>, text: &str) -> Vec<TextEdit> {
    edits.sort();
    edits.dedup();
    let mut out: Vec<TextEdit> = Vec::new();
    for edit in edits {
        match out.last_mut() {
            Some(last) if last.range == edit.range && edit.range.is_empty() => {
                // The blank lines around a first import stand around all of them.
                let (head, tail) = (last.text.trim_end_matches('\n'), edit.text.trim_start_matches('\n'));
                last.text = format!("{head}\n{tail}").into();
            }
            _ => out.push(edit),
        }
    }
    for edit in &mut out {
        edit.text = Arc::from(&*with_line_endings(text, &edit.text));
    }
    out
}

fn insertion(
    job: &Job<'_>,
    row: &'static Imports,
    file: &FileView,
    line: &str,
    kept: &[&Statement],
    all: &[Statement],
) -> Option<TextEdit> {
    // Where there is no usual order, the narrowest that the file keeps.
    let is_kept = |style: &&Style| {
        let keys: Vec<Key> = kept.iter().map(|s| key_of_text(style, s, job.text)).collect();
        keys.is_sorted()
    };
    let narrowest = row.styles.iter().rev().find(is_kept).filter(|_| !row.has_usual_style);
    let style = narrowest.or(row.styles.first())?;
    let new = statements(file.language(), row, line).into_iter().next()?;
    let word = |text: &str, s: &Statement| {
        s.lead.map(|l| text[l.start as usize..l.end as usize].to_owned()).unwrap_or_default()
    };
    let wanted = key_of_text(style, &new, line);
    let is_like = |s: &&&Statement| word(job.text, s) == word(line, &new);
    let key = |s: &Statement| key_of_text(style, s, job.text);
    // Imports that begin alike stand together, where there are such.
    let head = |s: &Statement| {
        let path = s.path.trim_start_matches(['"', '\'', '\\']);
        path.split(|c: char| !(c.is_alphanumeric() || "_-".contains(c))).next().unwrap_or("").to_owned()
    };
    let own = head(&new);
    let has_near = kept.iter().any(|s| is_like(&s) && head(s) == own);
    let is_near = |s: &&&Statement| is_like(s) && (!has_near || head(s) == own);
    // Imports for their effects come first where they stand first.
    let effects = kept.iter().take_while(|s| row.makes_module && s.entries.is_empty()).last();
    let before = kept.iter().rfind(|s| is_near(s) && key(s) <= wanted).or(effects);
    let first = kept.iter().find(is_near);
    let (at, indent) = match (before, first, kept.last().copied().or(all.last())) {
        (Some(s), _, _) => (s.lines.end, *s),
        (None, Some(s), _) => (s.head.min(s.attributes), *s),
        (None, None, Some(s)) => (s.lines.end, s),
        (None, None, None) => return Some(first_import(job, row, file, line)),
    };
    let in_block = indent.block.is_some();
    let body = if in_block { format!("\t{}", line.trim_start_matches("import ")) } else { line.to_owned() };
    let breaks = !job.text[..at as usize].ends_with('\n') && at > 0;
    Some(TextEdit::insert(at, format!("{}{body}\n", if breaks { "\n" } else { "" })))
}

/// A file's first import: behind its package, else before its first declaration.
fn first_import(job: &Job<'_>, row: &'static Imports, file: &FileView, line: &str) -> TextEdit {
    let text = job.text;
    if let Some(end) = package_range(row, file, text).map(|range| line_end(text, range.end)) {
        let is_followed = text[end as usize..].trim_start_matches(['\r']).starts_with('\n')
            || text[end as usize..].is_empty();
        let breaks = if text[..end as usize].ends_with('\n') { "\n" } else { "\n\n" };
        return TextEdit::insert(end, format!("{breaks}{line}\n{}", if is_followed { "" } else { "\n" }));
    }
    let start =
        |def: &crate::facts::Def| def.doc.map_or(def.range.start, |doc| doc.start.min(def.range.start));
    let is_top = |def: &&crate::facts::Def| {
        let is_member = matches!(file.scope(def.scope).kind, ScopeKind::Class | ScopeKind::Function);
        !is_member && !def.flags.has(DefFlags::LOCAL) && !def.name_range.is_empty()
    };
    let declared = file.def_ids().map(|def| file.def(def)).filter(is_top);
    let first = declared.map(start).min().unwrap_or(0) as usize;
    let open =
        text.find(row.opening).filter(|_| !row.opening.is_empty()).map(|i| line_end(text, i as u32) as usize);
    let at = text[..first].rfind('\n').map_or(0, |i| i + 1).max(open.unwrap_or(0));
    TextEdit::insert(at as u32, format!("{line}\n\n"))
}

/// The range in which a file names its package or namespace: the keyword with the name, and the semicolon.
pub(in crate::refactor) fn package_range(row: &Imports, file: &FileView, text: &str) -> Option<TextRange> {
    let declares = |at: u32| {
        let word = text[..at as usize].trim_end();
        word.ends_with(row.package_word).then(|| (word.len() - row.package_word.len()) as u32)
    };
    let mut refs = file.ref_ids().map(|r| file.reference(r)).filter(|r| r.role == Role::Package);
    let (start, first) = refs.find_map(|r| Some((declares(r.range.start)?, r.range)))?;
    let name = text[first.start as usize..].find(|c: char| !(c.is_alphanumeric() || "._\\`$".contains(c)));
    let mut end = name.map_or(text.len(), |i| first.start as usize + i);
    let rest = &text[end..];
    if rest.trim_start_matches([' ', '\t']).starts_with(';') {
        end += rest.find(';').unwrap_or(0) + 1;
    }
    Some(TextRange::new(start, end as u32))
}

fn line_end(text: &str, at: u32) -> u32 {
    text[at as usize..].find('\n').map_or(text.len() as u32, |i| at + i as u32 + 1)
}
