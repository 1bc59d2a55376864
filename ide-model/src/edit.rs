//! Planned changes to files: what a refactoring proposes, and what carries it out.
//!
//! A plan is bound to the bytes it was made from: every file that it changes is named with the hash of its content, and
//! a file that has another one by then makes the whole plan fail before anything is written.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::{Cx, FilePath, QueryError, TextRange};

/// The prefix of files in which an editor stages new content beside the old; they are no part of a project.
pub const STAGED_PREFIX: &str = ".ide-edit-";

/// The 128-bit XXH3 hash of a file's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(pub u128);

/// Text that takes the place of a range. Offsets are those of the text as snapshots give it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextEdit {
    pub range: TextRange,
    pub text: Arc<str>,
}

impl TextEdit {
    pub fn new(range: TextRange, text: impl Into<Arc<str>>) -> Self {
        Self { range, text: text.into() }
    }

    /// Text put in at an offset.
    pub fn insert(at: u32, text: impl Into<Arc<str>>) -> Self {
        Self::new(TextRange::new(at, at), text)
    }
}

/// A change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// Edits are ordered and do not overlap; see [`EditPlan::tidy`].
    Edit {
        file: FilePath,
        before: ContentHash,
        edits: Vec<TextEdit>,
    },
    /// The file must not exist; missing directories are made. Written as UTF-8.
    Create {
        file: FilePath,
        text: Arc<str>,
    },
    Delete {
        file: FilePath,
        before: ContentHash,
    },
    /// `to` must not exist; edits are in terms of the old text.
    Move {
        from: FilePath,
        to: FilePath,
        before: ContentHash,
        edits: Vec<TextEdit>,
    },
}

impl FileChange {
    /// The file that is there before; the new one for a creation.
    pub fn file(&self) -> &FilePath {
        match self {
            Self::Edit { file, .. } | Self::Create { file, .. } | Self::Delete { file, .. } => file,
            Self::Move { from, .. } => from,
        }
    }

    /// The edits of its text.
    pub fn edits(&self) -> &[TextEdit] {
        match self {
            Self::Edit { edits, .. } | Self::Move { edits, .. } => edits,
            Self::Create { .. } | Self::Delete { .. } => &[],
        }
    }
}

/// Changes that happen together or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditPlan {
    /// For people: `rename a to b`.
    pub title: String,
    pub changes: Vec<FileChange>,
}

impl EditPlan {
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), changes: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Number of text edits, creations, deletions and moves.
    pub fn change_count(&self) -> usize {
        let of = |change: &FileChange| match change {
            FileChange::Edit { edits, .. } => edits.len(),
            FileChange::Move { edits, .. } => edits.len() + 1,
            FileChange::Create { .. } | FileChange::Delete { .. } => 1,
        };
        self.changes.iter().map(of).sum()
    }

    /// Adds edits to what already happens to a file.
    ///
    /// # Errors
    /// When the file is created or deleted by this plan, or is bound to other content.
    pub fn edit(&mut self, file: &FilePath, hash: ContentHash, more: Vec<TextEdit>) -> Result<(), PlanError> {
        for change in &mut self.changes {
            if change.file() != file {
                continue;
            }
            match change {
                FileChange::Edit { before, edits, .. } | FileChange::Move { before, edits, .. }
                    if *before == hash =>
                {
                    edits.extend(more);
                    return Ok(());
                }
                _ => return Err(PlanError { file: file.clone(), message: "is changed twice".to_owned() }),
            }
        }
        self.changes.push(FileChange::Edit { file: file.clone(), before: hash, edits: more });
        Ok(())
    }

    /// Orders changes by file and edits by place, drops repeated edits and those of nothing.
    ///
    /// # Errors
    /// When edits overlap, or two changes concern one file.
    pub fn tidy(&mut self) -> Result<(), PlanError> {
        self.changes.sort_by(|a, b| a.file().cmp(b.file()));
        for change in &mut self.changes {
            let file = change.file().clone();
            let (FileChange::Edit { edits, .. } | FileChange::Move { edits, .. }) = change else { continue };
            edits.retain(|edit| !(edit.range.is_empty() && edit.text.is_empty()));
            edits.sort();
            edits.dedup();
            if edits.windows(2).any(|pair| pair[1].range.start < pair[0].range.end) {
                return Err(PlanError { file, message: "has edits that overlap".to_owned() });
            }
        }
        self.changes.retain(|change| !matches!(change, FileChange::Edit { edits, .. } if edits.is_empty()));
        let touched = |change: &FileChange| match change {
            FileChange::Move { from, to, .. } => vec![from.clone(), to.clone()],
            other => vec![other.file().clone()],
        };
        let mut files: Vec<FilePath> = self.changes.iter().flat_map(touched).collect();
        files.sort();
        match files.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(PlanError { file: pair[0].clone(), message: "is changed twice".to_owned() }),
            None => Ok(()),
        }
    }
}

/// A plan that contradicts itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    pub file: FilePath,
    /// Completes "the file …".
    pub message: String,
}

/// The text after ordered edits that do not overlap; `None` when one does not lie on character boundaries.
pub fn edited(text: &str, edits: &[TextEdit]) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.range.start as usize)?);
        out.push_str(&edit.text);
        at = edit.range.end as usize;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

/// The new offset of an offset after edits; one inside a replaced range means the start of what replaces it.
pub fn moved_offset(edits: &[TextEdit], offset: u32) -> u32 {
    let mut shift = 0_i64;
    for edit in edits {
        if edit.range.start > offset || edit.range.start == offset && !edit.range.is_empty() {
            break;
        }
        if edit.range.end > offset {
            return (i64::from(edit.range.start) + shift) as u32;
        }
        shift += edit.text.len() as i64 - i64::from(edit.range.len());
    }
    (i64::from(offset) + shift) as u32
}

/// [`moved_offset`] for many offsets of one text.
#[derive(Clone, Debug, Default)]
pub struct MovedOffsets {
    /// The edits by their ranges, each with how far everything behind it moves.
    edits: Vec<(TextRange, i64)>,
}

impl MovedOffsets {
    /// By ordered edits that do not overlap.
    pub fn by(edits: &[TextEdit]) -> Self {
        let mut shift = 0;
        let edits = edits.iter().map(|edit| {
            shift += edit.text.len() as i64 - i64::from(edit.range.len());
            (edit.range, shift)
        });
        Self { edits: edits.collect() }
    }

    /// The new offset of an offset.
    pub fn moved(&self, offset: u32) -> u32 {
        let is_before =
            |(range, _): &(TextRange, i64)| range.start < offset || range.start == offset && range.is_empty();
        let passed = self.edits.partition_point(is_before);
        let shift = |passed: usize| passed.checked_sub(1).map_or(0, |last| self.edits[last].1);
        match passed.checked_sub(1).map(|last| self.edits[last].0) {
            Some(range) if range.end > offset => (i64::from(range.start) + shift(passed - 1)) as u32,
            _ => (i64::from(offset) + shift(passed)) as u32,
        }
    }
}

/// Text with the line endings of a file: `\r\n` when every line of the file ends so and the text has none of its own.
pub fn with_line_endings<'t>(of: &str, text: &'t str) -> Cow<'t, str> {
    let lines = of.matches('\n').count();
    let is_windows = lines > 0 && of.matches("\r\n").count() == lines;
    if is_windows && !text.contains('\r') { text.replace('\n', "\r\n").into() } else { text.into() }
}

/// How a file changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    Created,
    Changed,
    Deleted,
}

impl ChangeKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Deleted => "deleted",
        }
    }
}

/// One file of a step. A move is a deletion and a creation.
#[derive(Clone)]
pub struct FileDiff {
    pub file: FilePath,
    pub kind: ChangeKind,
    compare: Arc<dyn Fn() -> String + Send + Sync>,
    text_after: Arc<dyn Fn() -> Option<Arc<str>> + Send + Sync>,
}

impl FileDiff {
    /// `compare` makes the unified diff; it is called when someone wants to read it.
    pub fn new(
        file: FilePath,
        kind: ChangeKind,
        compare: impl Fn() -> String + Send + Sync + 'static,
    ) -> Self {
        Self { file, kind, compare: Arc::new(compare), text_after: Arc::new(|| None) }
    }

    /// With what tells the text of the file behind the step.
    #[must_use]
    pub fn leaving(self, text: impl Fn() -> Option<Arc<str>> + Send + Sync + 'static) -> Self {
        Self { text_after: Arc::new(text), ..self }
    }

    /// The text of the file behind the step; `None` when it is gone, no text, or too large.
    pub fn text_after(&self) -> Option<Arc<str>> {
        (self.text_after)()
    }

    /// A unified diff with three lines of context; a sentence for what is not text.
    pub fn unified(&self) -> String {
        (self.compare)()
    }
}

impl PartialEq for FileDiff {
    fn eq(&self, other: &Self) -> bool {
        (&self.file, self.kind) == (&other.file, other.kind) && self.unified() == other.unified()
    }
}

impl Eq for FileDiff {}

impl fmt::Debug for FileDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileDiff").field("file", &self.file).field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// Changes that were carried out, undone or redone together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditStep {
    /// Names the step for undo.
    pub id: String,
    pub title: String,
    pub files: Vec<FileDiff>,
}

/// Why a file cannot be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RefusalReason {
    /// Its content is not the one that the change was made for.
    Changed,
    Missing,
    Exists,
    ReadOnly,
    NotAFile,
    /// Outside the project, or in a place that is never written to.
    Outside,
    /// An edit does not lie on characters of the file.
    NotText,
}

impl RefusalReason {
    /// Completes "the file …".
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "was changed by someone else",
            Self::Missing => "does not exist",
            Self::Exists => "exists already",
            Self::ReadOnly => "is read-only",
            Self::NotAFile => "is not a regular file",
            Self::Outside => "may not be written to",
            Self::NotText => "cannot be edited as text",
        }
    }
}

/// A file that stands in the way of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub file: FilePath,
    pub reason: RefusalReason,
}

/// Why nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditError {
    /// Every file that stands in the way.
    Refused(Vec<Refusal>),
    Plan(PlanError),
    /// There is no such step to undo or redo; the text says which there are.
    NoStep {
        message: String,
    },
    /// The call was taken back or is late.
    Stopped(QueryError),
    /// The disk failed; everything is as it was before.
    Failed {
        message: String,
    },
    /// The step failed, and not every file could be put back. After a failure of the disk the rest is put back when the
    /// project is next written to; files behind a link that took the place of a directory are left.
    Torn {
        message: String,
    },
}

impl From<PlanError> for EditError {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}

/// Carries plans out on the files of one project, and takes them back. Writers wait for one another.
pub trait Editor: Send + Sync {
    /// The effect of a plan on each file, after every check that [`Self::apply`] makes.
    ///
    /// # Errors
    /// See [`EditError`].
    fn preview(&self, cx: Cx<'_>, plan: &EditPlan) -> Result<Vec<FileDiff>, EditError>;

    /// Does all of the plan or nothing. `cx` can stop it until the first file is written, and not any more.
    ///
    /// # Errors
    /// See [`EditError`].
    fn apply(&self, cx: Cx<'_>, plan: &EditPlan) -> Result<EditStep, EditError>;

    /// Takes the newest step back; with `id` only if it is that one. `dry` only says what would happen.
    ///
    /// # Errors
    /// [`EditError::Refused`] when a file of it was changed since, [`EditError::NoStep`].
    fn undo(&self, cx: Cx<'_>, id: Option<&str>, dry: bool) -> Result<EditStep, EditError>;

    /// Does the step again that was taken back last; with `id` only if it is that one.
    ///
    /// # Errors
    /// See [`Self::undo`].
    fn redo(&self, cx: Cx<'_>, id: Option<&str>, dry: bool) -> Result<EditStep, EditError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: u32, end: u32, text: &str) -> TextEdit {
        TextEdit::new(TextRange::new(start, end), text)
    }

    #[test]
    fn edits_are_carried_out_on_characters() {
        let edits = [edit(0, 1, "bb"), edit(3, 3, "-"), edit(4, 5, "")];
        assert_eq!(edited("aücd", &edits).as_deref(), Some("bbü-c"));
        assert_eq!(edited("aücd", &[edit(2, 3, "")]), None, "inside a character");
        assert_eq!(edited("a", &[edit(0, 9, "")]), None, "past the end");
    }

    #[test]
    fn offsets_move_with_the_text() {
        let edits = [edit(2, 4, "x"), edit(6, 6, "yyy")];
        let moved: Vec<u32> = (0..8).map(|at| moved_offset(&edits, at)).collect();
        let by_many = MovedOffsets::by(&edits);
        assert_eq!((0..8).map(|at| by_many.moved(at)).collect::<Vec<_>>(), moved);
        assert_eq!(moved, [0, 1, 2, 2, 3, 4, 8, 9]);
    }

    #[test]
    fn contradictions_are_found() {
        let file = FilePath::new("a");
        let hash = ContentHash(1);
        let mut plan = EditPlan::new("t");
        plan.edit(&file, hash, vec![edit(5, 6, "x"), edit(0, 2, "y"), edit(5, 6, "x")]).unwrap();
        plan.tidy().unwrap();
        assert_eq!(plan.change_count(), 2, "the same edit twice is one");
        assert!(plan.edit(&file, ContentHash(2), Vec::new()).is_err());
        plan.edit(&file, hash, vec![edit(1, 3, "z")]).unwrap();
        assert!(plan.tidy().unwrap_err().message.contains("overlap"));
        let mut plan = EditPlan::new("t");
        let to = FilePath::new("b");
        plan.changes.push(FileChange::Create { file: to.clone(), text: "".into() });
        plan.changes.push(FileChange::Move { from: file, to, before: hash, edits: Vec::new() });
        assert!(plan.tidy().unwrap_err().message.contains("twice"));
    }

    #[test]
    fn line_endings_follow_the_file() {
        assert_eq!(with_line_endings("a\r\nb\r\n", "x\ny"), "x\r\ny");
        assert_eq!(with_line_endings("a\r\nb\n", "x\ny"), "x\ny", "a mixed file keeps what is given");
        assert_eq!(with_line_endings("a\r\n", "x\r\ny"), "x\r\ny");
        assert_eq!(with_line_endings("", "x\n"), "x\n");
    }
}
