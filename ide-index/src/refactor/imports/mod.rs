//! Imports that nothing uses go, the others are put in the order of the project; nothing else changes.
//!
//! An import stays unless it is proved that nothing in the file can mean what it binds, by the places where its name is
//! written; and the result is read again, here and wherever the name is written, like that of every refactoring.
//! Imports that other files reach are found by that, and stay.

mod edit;
mod habit;
mod joined;
mod order;
mod single;
mod statements;
mod unused;

use std::collections::BTreeSet;
use std::sync::Arc;

use ide_model::{Conflict, ConflictKind, FilePath, QueryError, Refactored, SourceKind, TextEdit, TextRange};

pub(super) use self::edit::package_range;
pub(crate) use self::edit::{ImportChange, edits};
pub(crate) use self::habit::Habit;
pub(super) use self::joined::joined;
pub(super) use self::single::single;
#[cfg(feature = "tree-sitter")]
pub(super) use self::unused::unneeded;

use self::statements::{Entry, Statement, statements};
use super::verify::{Effect, Verification};
use super::{RefactorContext, conflict, write_up};
use crate::facts::{DefFlags, ImportId, ImportKind, Quality};
use crate::lang;
use crate::lang::imports::{Imports, imports};
use crate::query::file_id;
use crate::resolve::{FileView, Resolver};
use crate::world::FileId;

/// Rounds in which imports that others need are put back.
const ROUNDS: usize = 8;

/// Plans that the imports of a file are tidied; see [`ide_model::Refactoring::OptimizeImports`].
///
/// # Errors
/// [`QueryError::Unsupported`] for languages without a resolver.
pub(super) fn optimize_imports(ctx: &RefactorContext<'_>, path: &FilePath) -> Result<Refactored, QueryError> {
    let id = file_id(&**ctx.pool.world(), path)?;
    let language = ctx.pool.world().file(id).language;
    let row = language.filter(|l| lang::has_policy(*l)).and_then(imports);
    let (Some(language), Some(row)) = (language, row) else {
        let query = "tidying imports";
        let mut supported = lang::with_policy();
        supported.retain(|language| imports(*language).is_some());
        return Err(QueryError::Unsupported { query, language, supported });
    };
    if let Some(problem) = unreadable(ctx, id) {
        return Ok(Refactored { conflicts: vec![problem], ..Refactored::default() });
    }
    let text = (ctx.text)(id)?;
    let file = ctx.pool.with(|rx| rx.shared_file(id));
    let found = statements(language, row, &text.text);
    let mut unused = ctx.pool.with(|rx| unused::unused(rx, &file, row, &text.text, &found));
    let mut warnings: Vec<String> = Vec::new();
    let style = order::style(ctx, id, language, row, (&found, &text.text))?;
    for _ in 0..ROUNDS {
        let job = Job { file: &file, row, text: &text.text, statements: &found, unused: &unused };
        if job.loses_module() {
            warnings.push("the last import stays: without one the file would not be a module".to_owned());
            unused.clear();
            continue;
        }
        let mut effect = Effect::default();
        effect.imports.insert(id);
        let edits = job.edits(|units| order::sorted(ctx, units, style, &text.text));
        if edits.is_empty() {
            return Ok(Refactored { warnings, ..Refactored::default() });
        }
        effect.edits.insert(id, edits);
        let mut conflicts = Vec::new();
        let title = format!("tidy the imports of {path}");
        let (plan, rewrites) = write_up(ctx, title, &effect, &mut conflicts)?;
        let check = Verification::new(ctx, (ctx.scratch)(&rewrites)?, &effect);
        let names: BTreeSet<Arc<str>> = unused.iter().map(|import| job.bound(*import).into()).collect();
        let found_wrong = check.run(&names, &BTreeSet::new(), &[])?;
        let needed = needed(ctx, &found_wrong)?;
        let before = unused.len();
        let keep: BTreeSet<ImportId> =
            unused.iter().filter(|import| !needed.contains(job.bound(**import))).copied().collect();
        unused = keep;
        if found_wrong.is_empty() || unused.len() == before {
            conflicts.extend(found_wrong);
            return Ok(Refactored { plan, conflicts, warnings, ..Refactored::default() });
        }
    }
    let message = "the uses of its imports could not be resolved".to_owned();
    let conflicts = vec![conflict(ConflictKind::Unresolved, message, None)];
    Ok(Refactored { conflicts, ..Refactored::default() })
}

/// The module, package or namespace that the statement of an import names, where it binds a name.
pub(crate) fn module_of(language: ide_model::Language, statement: &str, name: &str) -> Option<String> {
    let row = imports(language)?;
    let path = statements(language, row, statement).into_iter().next()?.path;
    let path = path.trim_matches(['"', '\'']);
    let before = path.strip_suffix(name).and_then(|rest| rest.strip_suffix(row.separator));
    Some(before.unwrap_or(path).to_owned())
}

/// Imports of a file whose names nothing in it can mean.
pub(crate) fn unused_imports(
    rx: &Resolver,
    file: &FileView,
    row: &'static Imports,
    text: &str,
) -> BTreeSet<ImportId> {
    unused::unused(rx, file, row, text, &statements(file.language(), row, text))
}

/// Why a file cannot be known well enough.
fn unreadable(ctx: &RefactorContext<'_>, id: FileId) -> Option<Conflict> {
    let entry = ctx.pool.world().file(id);
    let file = ctx.pool.with(|rx| rx.shared_file(id));
    let path = &entry.path;
    if entry.source == SourceKind::Library {
        return Some(conflict(ConflictKind::Outside, format!("{path} belongs to a library"), None));
    }
    if let Some(error) = file.errors.first() {
        let message = format!("{path} has syntax errors ({}), so its uses are not known", error.message);
        return Some(conflict(ConflictKind::Syntax, message, Some(ctx.at(id, error.range))));
    }
    (file.quality != Quality::Full).then(|| {
        let message = format!("{path} is too large or cannot be parsed, so its uses are not known");
        conflict(ConflictKind::Form, message, None)
    })
}

/// The names at the places where something would not mean the same any more.
fn needed(ctx: &RefactorContext<'_>, conflicts: &[Conflict]) -> Result<BTreeSet<String>, QueryError> {
    let mut names = BTreeSet::new();
    for at in conflicts.iter().filter_map(|c| c.at.as_ref()) {
        let text = (ctx.text)(file_id(&**ctx.pool.world(), &at.file)?)?;
        names.extend(text.slice(at.range).map(|name| name.trim_matches(['"', '\'']).to_owned()));
    }
    Ok(names)
}

/// A file whose imports are tidied.
struct Job<'a> {
    file: &'a FileView,
    row: &'static Imports,
    text: &'a str,
    statements: &'a [Statement],
    unused: &'a BTreeSet<ImportId>,
}

/// Statements that stand together, or would in one section, with the text between their first and last line.
struct Unit<'a> {
    statement: &'a Statement,
    /// Its lines with the comments above, without what is unused.
    text: String,
}

impl Job<'_> {
    fn bound(&self, import: ImportId) -> &str {
        self.file.import(import).def.map_or("", |def| self.file.def_name(def))
    }

    /// Whether nothing would be left that makes the file a module.
    fn loses_module(&self) -> bool {
        let is_static = |i: &ImportId| {
            let import = self.file.import(*i);
            !import.flags.has(crate::facts::ImportFlags::DYNAMIC) && import.kind != ImportKind::ReExport
        };
        let is_import = |i: &ImportId| self.file.import(*i).kind != ImportKind::Directive;
        let all = || (0..self.file.imports.len() as u32).map(ImportId).filter(is_import);
        let exports = self.file.def_ids().any(|def| self.file.has_flag(def, DefFlags::EXPORTED));
        self.row.makes_module
            && !self.unused.is_empty()
            && !exports
            && self.file.exports.is_empty()
            && !all().any(|i| !is_static(&i) && self.file.import(i).kind != ImportKind::Module)
            && all().filter(is_static).all(|i| self.unused.contains(&i))
    }

    /// Whether an entry binds only what is unused; `false` when it binds nothing that is known.
    fn is_unused(&self, entry: &Entry) -> bool {
        let inside: Vec<ImportId> = unused::imports_in(self.file, entry.range);
        !inside.is_empty() && inside.iter().all(|import| self.unused.contains(import))
    }

    /// The removals inside some entries, which are separated by commas in `inside`.
    fn cut(&self, entries: &[Entry], inside: TextRange, out: &mut Vec<TextRange>) {
        let unused: Vec<bool> = entries.iter().map(|entry| self.is_unused(entry)).collect();
        let last_used = unused.iter().rposition(|is_unused| !is_unused);
        let mut before: Option<&Entry> = None;
        for (i, entry) in entries.iter().enumerate() {
            if unused[i] {
                // With the comma behind, or before when it is the last.
                let is_last = last_used.is_none_or(|last| last < i);
                let range = match (is_last, before, entries.get(i + 1)) {
                    (true, Some(before), _) => TextRange::new(before.range.end, entry.range.end),
                    (_, _, Some(next)) => TextRange::new(entry.range.start, next.range.start),
                    _ => TextRange::new(entry.range.start, inside.end.min(entry.range.end)),
                };
                out.push(range);
                continue;
            }
            before = Some(entry);
            if let Some((group, inner)) = &entry.group {
                self.cut(inner, *group, out);
            }
        }
    }

    /// The lines of a statement without what is unused; `None` when nothing is left.
    fn rest(&self, statement: &Statement) -> Option<String> {
        let lines = TextRange::new(statement.head, statement.lines.end);
        if statement.is_fixed {
            return Some(self.slice(lines).to_owned());
        }
        if statement.entries.iter().all(|entry| self.is_unused(entry)) {
            return None;
        }
        let mut cuts = Vec::new();
        self.cut(&statement.entries, statement.range, &mut cuts);
        cuts.sort();
        let mut out = String::new();
        let mut at = lines.start;
        for cut in cuts {
            if cut.start > at {
                out.push_str(self.slice(TextRange::new(at, cut.start)));
            }
            at = at.max(cut.end);
        }
        out.push_str(self.slice(TextRange::new(at, lines.end)));
        Some(without_blank_lines(&out, self.slice(lines)))
    }

    fn slice(&self, range: TextRange) -> &str {
        &self.text[range.start as usize..range.end as usize]
    }

    /// The edits that take away what is unused and order what is left.
    fn edits(&self, sort: impl Fn(&mut Vec<Unit<'_>>) -> Option<Vec<usize>>) -> Vec<TextEdit> {
        let mut edits = Vec::new();
        for run in order::runs(self.statements, self.text) {
            self.edit_run(run, &sort, &mut edits);
        }
        self.empty_blocks(&mut edits);
        edits.sort();
        edits
    }

    fn edit_run(
        &self,
        run: &[Statement],
        sort: &impl Fn(&mut Vec<Unit<'_>>) -> Option<Vec<usize>>,
        edits: &mut Vec<TextEdit>,
    ) {
        let first = &run[0];
        // The comment above the first one may speak of all of them.
        let has_title = first.head < first.lines.start;
        let start = first.lines.start;
        let range = TextRange::new(start, run[run.len() - 1].lines.end);
        let mut units: Vec<Unit<'_>> = Vec::new();
        for (i, statement) in run.iter().enumerate() {
            let text = self.rest(statement);
            let skip = if i == 0 { (statement.lines.start - statement.head) as usize } else { 0 };
            let orphan = || self.slice(TextRange::new(statement.head, statement.lines.start)).to_owned();
            match text {
                Some(text) => units.push(Unit { statement, text: text[skip..].to_owned() }),
                // A comment above stays where it is.
                None if i > 0 && statement.head < statement.lines.start => {
                    units.push(Unit { statement, text: orphan() });
                }
                None => {}
            }
        }
        let gaps = if has_title { None } else { sort(&mut units) };
        let newline = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut new = String::new();
        match gaps {
            Some(gaps) => {
                for (i, unit) in units.iter().enumerate() {
                    if gaps.contains(&i) {
                        new.push_str(newline);
                    }
                    new.push_str(&unit.text);
                    if !unit.text.ends_with('\n') {
                        new.push_str(newline);
                    }
                }
            }
            None => self.in_place(run, range, &mut new),
        }
        let old = self.slice(range);
        if !old.ends_with('\n') && new.ends_with('\n') {
            new.truncate(new.trim_end_matches(['\n', '\r']).len());
        }
        if new == old {
            return;
        }
        let range = if new.trim().is_empty() && !has_title { self.with_blank_line(range) } else { range };
        let new = if new.trim().is_empty() { "" } else { &new };
        edits.push(TextEdit::new(range, new));
    }

    /// The text of a run with its order kept: blank lines between what is left stay, but no two of them together.
    fn in_place(&self, run: &[Statement], range: TextRange, new: &mut String) {
        let mut at = range.start;
        for (i, statement) in run.iter().enumerate() {
            let head = if i == 0 { statement.lines.start } else { statement.head };
            let gap = self.slice(TextRange::new(at, head));
            let is_doubled = new.is_empty() || new.ends_with("\n\n") || new.ends_with("\n\r\n");
            if !(gap.trim().is_empty() && is_doubled) {
                new.push_str(gap);
            }
            match self.rest(statement) {
                Some(text) => new.push_str(&text[(head - statement.head) as usize..]),
                None => new.push_str(self.slice(TextRange::new(head, statement.lines.start))),
            }
            at = statement.lines.end;
        }
        // The remaining text may end with the blank line before a removed import.
        let end = new.trim_end_matches(['\n', '\r']).len();
        let line = new[end..].find('\n').map_or(new.len(), |i| end + i + 1);
        new.truncate(line);
    }

    /// Lines with one of the two blank lines around them; at the start of a file with all behind them.
    fn with_blank_line(&self, range: TextRange) -> TextRange {
        let is_blank = |line: &str| !line.is_empty() && line.trim().is_empty();
        let above = self.text[..range.start as usize].split_inclusive('\n').next_back();
        let mut end = range.end as usize;
        if above.is_none_or(is_blank) {
            let mut below = self.text[end..].split_inclusive('\n');
            for line in below.by_ref().take_while(|line| is_blank(line)) {
                end += line.len();
                if above.is_some() {
                    break;
                }
            }
        }
        TextRange::new(range.start, end as u32)
    }

    /// Declarations in brackets of which nothing is left go whole.
    fn empty_blocks(&self, edits: &mut Vec<TextEdit>) {
        let blocks: BTreeSet<TextRange> = self.statements.iter().filter_map(|s| s.block).collect();
        for block in blocks {
            let inside = || self.statements.iter().filter(|s| s.block == Some(block));
            if inside().any(|s| self.rest(s).is_some()) || inside().next().is_none() {
                continue;
            }
            let start = self.text[..block.start as usize].rfind('\n').map_or(0, |i| i + 1) as u32;
            let end = self.text[block.end as usize..].find('\n');
            let end = end.map_or(self.text.len(), |i| block.end as usize + i + 1) as u32;
            edits.retain(|edit| !block.encloses(edit.range));
            edits.push(TextEdit::new(self.with_blank_line(TextRange::new(start, end)), ""));
        }
    }
}

/// A statement over several lines without the lines that only the cuts left blank.
fn without_blank_lines(text: &str, before: &str) -> String {
    let blank = |text: &str| text.split_inclusive('\n').filter(|line| line.trim().is_empty()).count();
    if blank(text) <= blank(before) {
        return text.to_owned();
    }
    text.split_inclusive('\n').filter(|line| !line.trim().is_empty()).collect()
}
