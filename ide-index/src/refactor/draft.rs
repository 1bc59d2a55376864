//! Edits made of new text and of old text that is kept: from them follows what a verification must know.

use std::collections::{BTreeMap, BTreeSet};

use ide_model::{Conflict, ConflictKind, Landmark, QueryError, TextEdit, TextRange};
use rustc_hash::FxHashSet;

use super::verify::{Copied, Effect};
use super::{RefactorContext, conflict};
use crate::guard;
use crate::world::FileId;

/// A part of what is put into a text.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    New(String),
    /// New text that declares the name which the change is about.
    Name(String),
    /// Another word for a name that stays where it is and means what it meant.
    Word(String),
    /// Text of a file as it was.
    Old(FileId, TextRange),
}

impl Piece {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self::New(text.into())
    }
}

/// Edits of several files that are not in order yet.
#[derive(Default)]
pub(super) struct Draft {
    edits: BTreeMap<FileId, Vec<(TextRange, Vec<Piece>)>>,
    /// The ranges of the edits.
    places: FxHashSet<(FileId, TextRange)>,
    /// Files whose imports are written anew.
    imports: BTreeSet<FileId>,
    /// See [`Effect::is_untyped`].
    pub(super) is_untyped: bool,
    /// See [`Effect::loses_links`].
    pub(super) loses_links: bool,
}

impl Draft {
    /// Puts something in the place of a range.
    pub(super) fn replace(&mut self, file: FileId, range: TextRange, pieces: Vec<Piece>) {
        self.places.insert((file, range));
        self.edits.entry(file).or_default().push((range, pieces));
    }

    /// Whether a range is changed already.
    pub(super) fn touches(&self, file: FileId, range: TextRange) -> bool {
        let meets = |(other, _): &(TextRange, Vec<Piece>)| other.start < range.end && range.start < other.end;
        self.edits.get(&file).is_some_and(|edits| edits.iter().inspect(|_| guard::tick()).any(meets))
    }

    /// Gives a name in a text another word.
    pub(super) fn rename(&mut self, file: FileId, range: TextRange, word: &str) {
        if !self.places.contains(&(file, range)) {
            self.replace(file, range, vec![Piece::Word(word.to_owned())]);
        }
    }

    /// Writes the imports of a file anew.
    pub(super) fn imports(&mut self, file: FileId, edits: Vec<TextEdit>) {
        self.imports.insert(file);
        for edit in edits {
            let pieces = if edit.text.is_empty() { Vec::new() } else { vec![Piece::new(&*edit.text)] };
            self.replace(file, edit.range, pieces);
        }
    }

    pub(super) fn insert(&mut self, file: FileId, at: u32, pieces: Vec<Piece>) {
        self.replace(file, TextRange::new(at, at), pieces);
    }

    /// The finished edits, with the places of the names that they declare.
    ///
    /// # Errors
    /// The errors of reading texts.
    pub(super) fn finish(
        self,
        ctx: &RefactorContext<'_>,
        conflicts: &mut Vec<Conflict>,
    ) -> Result<(Effect, Vec<Landmark>), QueryError> {
        let (imports, is_untyped, loses_links) = (self.imports, self.is_untyped, self.loses_links);
        let mut effect = Effect { imports, is_untyped, loses_links, ..Effect::default() };
        let mut landmarks = Vec::new();
        let mut group = 0;
        for (file, mut edits) in self.edits {
            edits.sort_by_key(|(range, _)| (range.start, range.end));
            remove_once(&mut edits);
            if edits.windows(2).any(|pair| pair[1].0.start < pair[0].0.end) {
                let message = format!("{} would be changed twice in one place", ctx.path(file));
                conflicts.push(conflict(ConflictKind::Form, message, None));
                continue;
            }
            let mut shift = 0_i64;
            let mut done: Vec<TextEdit> = Vec::new();
            for (range, pieces) in edits {
                group += 1;
                let start = (i64::from(range.start) + shift) as u32;
                let is_word = matches!(pieces[..], [Piece::Word(_)]);
                let mut text = String::new();
                for piece in pieces {
                    let at = start + text.len() as u32;
                    match piece {
                        Piece::New(new) => {
                            let end = at + new.len() as u32;
                            effect.fresh.entry(file).or_default().push(TextRange::new(at, end));
                            text.push_str(&new);
                        }
                        Piece::Word(word) => text.push_str(&word),
                        Piece::Name(name) => {
                            let end = at + name.len() as u32;
                            effect.fresh.entry(file).or_default().push(TextRange::new(at, end));
                            text.push_str(&name);
                            landmarks.push(Landmark { file: ctx.path(file), offset: at, name });
                        }
                        Piece::Old(from, range) => {
                            let old = (ctx.text)(from)?;
                            text.push_str(
                                old.text.get(range.start as usize..range.end as usize).unwrap_or(""),
                            );
                            effect.copies.push(Copied { from, range, to: file, at, group });
                        }
                    }
                }
                shift += text.len() as i64 - i64::from(range.len());
                if !range.is_empty() && !is_word {
                    effect.removed.entry(file).or_default().push(range);
                }
                match done.last_mut() {
                    Some(last) if last.range.is_empty() && last.range == range => {
                        last.text = format!("{}{text}", last.text).into();
                    }
                    _ => done.push(TextEdit::new(range, text)),
                }
            }
            effect.edits.insert(file, done);
        }
        Ok((effect, landmarks))
    }
}

/// A text in two removals, such as the blank line between them, is removed by the first. The edits are in order.
fn remove_once(edits: &mut Vec<(TextRange, Vec<Piece>)>) {
    let removes =
        |pieces: &[Piece]| pieces.iter().all(|piece| matches!(piece, Piece::New(text) if text.is_empty()));
    let mut end = 0;
    edits.retain_mut(|(range, pieces)| {
        if !removes(pieces) || range.is_empty() {
            return true;
        }
        range.start = range.start.max(end.min(range.end));
        end = end.max(range.end);
        !range.is_empty()
    });
}

/// A word that is a key and a value at once, with the key before it or before what modifies the value; in markup the bracket that opened the word goes along.
pub(super) fn written_out(
    range: TextRange,
    key_at: u32,
    before: &str,
    key: &str,
    (head, tail): (&str, &str),
) -> Vec<TextEdit> {
    let mut edits = vec![TextEdit::insert(key_at, format!("{key}{head}"))];
    if before == "{" && head.ends_with('{') {
        edits.push(TextEdit::new(TextRange::new(range.start - 1, range.start), ""));
    }
    if !tail.is_empty() {
        edits.push(TextEdit::insert(range.end, tail.to_owned()));
    }
    edits
}
