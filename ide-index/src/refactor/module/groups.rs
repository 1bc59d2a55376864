//! Entries of groups of imports that lead elsewhere get statements of their own.

use std::collections::{BTreeMap, BTreeSet};

use ide_model::{ConflictKind, QueryError, TextRange};

use super::moving::{Cut, Moving};
use crate::refactor::draft::Piece;
use crate::refactor::scene::Scene;
use crate::refactor::tree::{NodeId, Syntax, has};
use crate::world::FileId;

const STATEMENT: &str = "use_declaration";
const LIST: &str = "use_list";

impl Moving<'_> {
    /// Takes entries out of groups, and statements away that nobody needs any more.
    pub(super) fn cut(&mut self) -> Result<(), QueryError> {
        for (file, cuts) in std::mem::take(&mut self.cuts) {
            let scene = self.scene(file)?;
            let mut statements: BTreeMap<NodeId, Vec<Cut>> = BTreeMap::new();
            for cut in cuts {
                let syntax = &scene.syntax;
                let around = syntax.ancestors(syntax.around(cut.at));
                match around.into_iter().find(|node| syntax.kind(*node) == STATEMENT) {
                    Some(statement) => statements.entry(statement).or_default().push(cut),
                    None => self.refuse(ConflictKind::Form, "the path is not understood", file, cut.at),
                }
            }
            for (statement, cuts) in statements {
                self.cut_statement(&scene, file, statement, &cuts);
            }
        }
        Ok(())
    }

    fn cut_statement(&mut self, scene: &Scene<'_>, file: FileId, statement: NodeId, cuts: &[Cut]) {
        let syntax = &scene.syntax;
        let whole = syntax.range(statement);
        let Some(argument) = syntax.field(statement, "argument") else { return };
        let newline = if syntax.text.contains("\r\n") { "\r\n" } else { "\n" };
        let indent = syntax.indent_at(whole.start).to_owned();
        let marks = marks_of(syntax, statement);
        let start = marks.map_or(whole.start, |marks| marks.start);
        // The words up to the path, with the attributes above.
        let head = syntax.slice(TextRange::new(start, syntax.range(argument).start)).to_owned();
        let mut gone: BTreeSet<NodeId> = BTreeSet::new();
        let mut lines: Vec<Vec<Piece>> = Vec::new();
        for cut in cuts {
            let entry = entry_of(syntax, cut.at).unwrap_or(argument);
            gone.insert(entry);
            if let Some(path) = &cut.path {
                let tail = TextRange::new(cut.at.end, syntax.range(entry).end);
                lines.push(vec![
                    Piece::new(format!("{head}{path}")),
                    Piece::Old(file, tail),
                    Piece::new(";"),
                ]);
            } else if syntax.range(entry).end > cut.at.end
                || syntax.text_of(statement).starts_with("pub")
                || marks.is_some()
            {
                let message = format!("`{}` is imported there already", self.new_name());
                self.refuse(ConflictKind::Collision, message, file, cut.at);
            }
        }
        // A group of which nothing is left goes too.
        while let Some(list) = emptied(syntax, &gone) {
            let holder = syntax.parent(list).filter(|up| syntax.kind(*up) == "scoped_use_list");
            for entry in syntax.named(list) {
                gone.remove(&entry);
            }
            gone.insert(holder.unwrap_or(list));
        }
        if gone.contains(&argument) {
            let range = TextRange::new(start, whole.end);
            if lines.is_empty() {
                self.replace(file, scene.paragraph(range), "");
            } else {
                let pieces = lines.join(&Piece::new(format!("{newline}{indent}")));
                self.draft.replace(file, range, pieces);
            }
            return;
        }
        let lists: BTreeSet<NodeId> = gone.iter().filter_map(|entry| syntax.parent(*entry)).collect();
        for list in lists {
            self.thin_out(scene, file, list, &gone);
        }
        if !lines.is_empty() {
            let rest = &syntax.text[whole.end as usize..];
            let line = rest.split(['\r', '\n']).next().map_or(0, str::len) as u32;
            let at = whole.end + line;
            let pieces = lines
                .into_iter()
                .flat_map(|line| std::iter::once(Piece::new(format!("{newline}{indent}"))).chain(line));
            self.draft.insert(file, at, pieces.collect());
        }
    }

    /// Takes entries out of a list, with their commas; one that is left alone needs no braces.
    fn thin_out(&mut self, scene: &Scene<'_>, file: FileId, list: NodeId, gone: &BTreeSet<NodeId>) {
        let syntax = &scene.syntax;
        let entries: Vec<NodeId> = syntax.named(list).collect();
        let kept: Vec<NodeId> = entries.iter().copied().filter(|entry| !gone.contains(entry)).collect();
        if let [one] = kept[..]
            && !syntax.text_of(one).starts_with("self")
            && !self.draft.touches(file, syntax.range(one))
        {
            self.draft.replace(file, syntax.range(list), vec![Piece::Old(file, syntax.range(one))]);
            return;
        }
        for (i, entry) in entries.iter().enumerate().filter(|(_, entry)| gone.contains(entry)) {
            let own = syntax.range(*entry);
            let range = match (kept.iter().any(|k| *k > *entry), entries.get(i + 1)) {
                (true, Some(next)) => TextRange::new(own.start, syntax.range(*next).start),
                // With the comma before it.
                _ => TextRange::new(
                    i.checked_sub(1).map_or(own.start, |i| syntax.range(entries[i]).end),
                    own.end,
                ),
            };
            self.replace(file, range, "");
        }
    }
}

/// The entry of a group in which a name stands.
fn entry_of(syntax: &Syntax, at: TextRange) -> Option<NodeId> {
    let mut entry = syntax.around(at);
    loop {
        let parent = syntax.parent(entry)?;
        match syntax.kind(parent) {
            LIST => return Some(entry),
            STATEMENT => return None,
            _ => entry = parent,
        }
    }
}

/// A list all of whose entries are gone.
fn emptied(syntax: &Syntax, gone: &BTreeSet<NodeId>) -> Option<NodeId> {
    let lists = gone.iter().filter_map(|entry| syntax.parent(*entry));
    let mut lists = lists.filter(|list| syntax.kind(*list) == LIST);
    lists.find(|list| syntax.named(*list).all(|entry| gone.contains(&entry)))
}

/// The attributes right above a declaration.
pub(super) fn marks_of(syntax: &Syntax, node: NodeId) -> Option<TextRange> {
    let parent = syntax.parent(node)?;
    let all = syntax.children(parent);
    let at = all.iter().position(|child| *child == node)?;
    let marks = "attribute_item line_comment block_comment";
    let above = all[..at].iter().rev().take_while(|child| has(marks, syntax.kind(**child)));
    let first = above.filter(|child| syntax.kind(**child) == "attribute_item").last()?;
    Some(TextRange::new(syntax.range(*first).start, syntax.range(node).start))
}
