//! The text that goes, put down in its new place: line ends, blank lines and indentation are those of that place, and what a
//! new file needs stands before it.

use ide_model::{QueryError, TextRange};

use super::order::Moment;
use super::shift::{CREATED, Shift};
use crate::refactor::draft::Piece;
use crate::refactor::imports;
use crate::refactor::members::{Declarations, Outermost};
use crate::world::FileId;

impl Shift<'_> {
    /// Puts the text down, with what it needs around it.
    pub(super) fn paste(
        &mut self,
        inner: &[(TextRange, Vec<Piece>)],
        head: &str,
        moment: Moment,
    ) -> Result<(), QueryError> {
        let from = self.scene.syntax.text.clone();
        let old = self.to.text.as_ref().map(|text| text.text.clone());
        let newline = |text: &str| if text.contains("\r\n") { "\r\n" } else { "\n" };
        let end = newline(old.as_deref().filter(|text| text.contains('\n')).unwrap_or(&from));
        let layout = Declarations::read(self.ctx, self.scene.file, &from)?.outermost();
        let mut pieces = Vec::new();
        for (i, extent) in self.extents.iter().enumerate() {
            if i > 0 {
                pieces.push(Piece::new(end.repeat(1 + gap(&layout, &from, &self.extents, i))));
            }
            pieces.extend(cut_up(self.scene.file, &from, *extent, inner, end, &|line| Some(line.to_owned())));
        }
        let is_long =
            self.extents.iter().any(|extent| from[extent.start as usize..extent.end as usize].contains('\n'));
        let was_apart = self.extents.first().map_or(0, |extent| {
            let above = from[..extent.start as usize].lines().rev();
            above.take_while(|line| line.trim().is_empty()).count()
        });
        let blank = end.repeat(if is_long { layout.blanks } else { layout.blanks.min(was_apart) });
        let Some(old) = old else {
            let top = self.head_of_new(&from, head, if is_long { layout.blanks } else { 1 });
            let mut all = vec![Piece::new(top.replace("\r\n", "\n").replace('\n', end))];
            all.extend(pieces);
            all.push(Piece::new(end));
            self.draft.insert(CREATED, 0, all);
            return Ok(());
        };
        let there = Declarations::read(self.ctx, self.to.id, &old)?.outermost();
        let (at, is_before) = self.landing_offset(&old, &there, moment);
        let mut all = Vec::new();
        let before = &old[..at as usize];
        if is_before {
            all.extend(pieces);
            all.push(Piece::new(format!("{end}{}", end.repeat(layout.blanks))));
        } else {
            let is_open = before.trim().is_empty() || before.ends_with('\n');
            let breaks = if is_open { "" } else { end };
            let is_after_blank =
                before.ends_with("\n\n") || before.ends_with("\n\r\n") || before.trim().is_empty();
            let has_import_only = there.all.is_empty();
            let blank = if is_after_blank {
                String::new()
            } else if has_import_only {
                end.repeat(layout.blanks.max(1))
            } else {
                blank
            };
            all.push(Piece::new(format!("{breaks}{blank}")));
            all.extend(pieces);
            if !old[at as usize..].starts_with(['\n', '\r']) {
                all.push(Piece::new(end));
            }
        }
        self.draft.insert(self.to.id, at, all);
        Ok(())
    }

    /// Before the first declaration that uses what comes, where it may stand there; else behind all, but before what only runs at the end.
    fn landing_offset(&self, old: &str, there: &Outermost, moment: Moment) -> (u32, bool) {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mentions = |range: &&TextRange| {
            let text = &old[range.start as usize..range.end as usize];
            self.names.iter().any(|name| {
                text.match_indices(&**name).any(|(i, _)| {
                    !text[..i].chars().next_back().is_some_and(is_word)
                        && !text[i + name.len()..].chars().next().is_some_and(is_word)
                })
            })
        };
        let is_closing = |range: &&TextRange| {
            let text = &old[range.start as usize..range.end as usize];
            text.starts_with("if __name__")
                || text.starts_with("#[cfg(test)]")
                || text.starts_with("export default")
                || text.starts_with("module.exports")
                || text.starts_with("__all__")
        };
        let needs_order = self.row.makes_module || self.row.copies_values;
        let first_use = there.all.iter().filter(|_| needs_order).find(mentions).map(|range| {
            // Not between the signatures of one function.
            let name = self.name_there(*range);
            let above = there.all.iter().rev().skip_while(|other| other.start >= range.start);
            above
                .take_while(|other| name.is_some() && self.name_there(**other) == name)
                .last()
                .unwrap_or(range)
        });
        let closing = there.all.iter().rev().take_while(|range| is_closing(range)).last();
        // Behind what it needs, which may be behind functions that use it later.
        let next = there.all.iter().find(|range| range.start >= moment.behind);
        let at = match first_use.or(closing) {
            Some(range) if range.start < moment.behind => next,
            _ if moment.is_first => next,
            found => found,
        };
        if let Some(range) = at {
            let line = old[..range.start as usize].rfind('\n').map_or(0, |i| i + 1);
            return (line as u32, true);
        }
        (old.len() as u32, false)
    }

    /// The first declaration in a part of the file at which things arrive.
    fn name_there(&self, range: TextRange) -> Option<&str> {
        let view = self.to.view.as_ref()?;
        let mut defs = view.by_place().names.within(range);
        defs.next().map(|def| view.def_name(def))
    }

    /// The text before the declarations of a new file.
    fn head_of_new(&self, from: &str, imports: &str, blanks: usize) -> String {
        let view = &self.scene.view;
        let mut out = String::new();
        if let Some(range) = imports::package_range(self.row, view, from) {
            let opens = !self.row.opening.is_empty() || self.row.has_blocks;
            if opens {
                out.push_str(&header(&from[..range.start as usize], self.row.has_blocks));
            }
            out.push_str(&from[range.start as usize..range.end as usize]);
            out.push_str("\n\n");
        } else if !self.row.opening.is_empty() {
            out.push_str(self.row.opening);
            out.push_str("\n\n");
        }
        if !imports.is_empty() {
            out.push_str(imports);
            out.push_str(&"\n".repeat(blanks.max(1)));
        }
        out
    }
}

/// The text before the line of the package, without the parts that concern only the package as it is there.
fn header(before: &str, has_constraints: bool) -> String {
    if !has_constraints {
        return before.trim_start_matches('\u{feff}').to_owned();
    }
    let constraints =
        before.lines().filter(|line| line.starts_with("//go:build") || line.starts_with("// +build"));
    let constraints: String = constraints.map(|line| format!("{line}\n")).collect();
    if constraints.is_empty() { constraints } else { format!("{constraints}\n") }
}

/// Blank lines between two declarations that go.
fn gap(layout: &Outermost, text: &str, extents: &[TextRange], i: usize) -> usize {
    let between = &text[extents[i - 1].end as usize..extents[i].start as usize];
    if between.trim().is_empty() { between.matches('\n').count().saturating_sub(1) } else { layout.blanks }
}

/// The pieces of a text: kept as it is but for changes and line ends. `indent` makes the blanks before a line those of its
/// new place; `None` keeps them.
pub(super) fn cut_up(
    file: FileId,
    text: &str,
    extent: TextRange,
    inner: &[(TextRange, Vec<Piece>)],
    end: &str,
    indent: &dyn Fn(&str) -> Option<String>,
) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = extent.start;
    let keep = |pieces: &mut Vec<Piece>, from: u32, to: u32| {
        let mut start = from;
        let part = &text[from as usize..to as usize];
        for (i, _) in part.match_indices('\n') {
            let line = from + i as u32;
            let has_return = part[..i].ends_with('\r');
            let (stop, written) = if has_return { (line - 1, "\r\n") } else { (line, "\n") };
            let next = &text[line as usize + 1..];
            let blanks = &next[..next.len() - next.trim_start_matches([' ', '\t']).len()];
            let is_blank = next[blanks.len()..].starts_with(['\n', '\r']) || line + 1 >= to;
            let new = if is_blank { Some(blanks.to_owned()) } else { indent(blanks) };
            let same = written == end && new.as_deref().is_none_or(|new| new == blanks);
            if same {
                continue;
            }
            if stop > start {
                pieces.push(Piece::Old(file, TextRange::new(start, stop)));
            }
            let inside = line + 1 + blanks.len() as u32 <= to;
            let new = new.filter(|_| inside);
            start = if new.is_some() { line + 1 + blanks.len() as u32 } else { line + 1 };
            pieces.push(Piece::new(format!("{end}{}", new.unwrap_or_default())));
        }
        if to > start {
            pieces.push(Piece::Old(file, TextRange::new(start, to)));
        }
    };
    for (range, new) in inner.iter().filter(|(range, _)| extent.encloses(*range)) {
        if range.start < at {
            continue;
        }
        keep(&mut pieces, at, range.start);
        pieces.extend(new.iter().cloned());
        at = range.end;
    }
    keep(&mut pieces, at, extent.end);
    pieces
}
