//! The editor that a person looks at: [`EditorSurface`], which an IDE or a web page implements.
//!
//! Paths are absolute, positions are those of the tools ([`LineColumn`]). A surface may be there with nobody looking:
//! [`EditorSurface::is_attached`] tells.

mod endings;
mod hosted;

use std::fmt;
use std::sync::{Arc, Weak};

use crate::{Language, LineColumn, Severity};

pub use hosted::{HostedSurface, ShownDiff, SurfaceHost};

/// Shows code to a person and tells what that person does.
///
/// No method waits for the person: a diff is decided through the function that was handed over with it.
pub trait EditorSurface: Send + Sync {
    /// Whether a person can see it and act on it now.
    fn is_attached(&self) -> bool;

    /// The absolute folders whose files it is for, the first being the one that relative paths mean.
    fn workspaces(&self) -> Vec<String>;

    /// Opens a file, or goes to it when it is open.
    ///
    /// # Errors
    /// [`SurfaceError::NotAttached`]; [`SurfaceError::NoFile`] and [`SurfaceError::Unreadable`] for what has no text.
    fn open_file(&self, request: &OpenRequest<'_>) -> Result<OpenEditor, SurfaceError>;

    /// Every open file, in the order in which they are shown. At most one is active.
    fn open_editors(&self) -> Vec<OpenEditor>;

    /// The editor whose selection changed last, also when it is not active any more or was closed since.
    fn latest_selection(&self) -> Option<OpenEditor>;

    /// Selects a range of a file, which is opened for it; of the active file when there is no path.
    ///
    /// # Errors
    /// As [`Self::open_file`]; [`SurfaceError::NothingActive`]; [`SurfaceError::OutOfRange`].
    fn set_selection(&self, path: Option<&str>, selection: Selection) -> Result<OpenEditor, SurfaceError>;

    /// Closes a file; false when it was not open.
    fn close_file(&self, path: &str) -> bool;

    /// Shows a change and lets the person decide on it. `decided` is called once, from any thread, when the person has
    /// decided or the diff was withdrawn. The surface writes no file.
    ///
    /// # Errors
    /// [`SurfaceError::NotAttached`] when nobody could decide; [`SurfaceError::Unreadable`] when the left side has no
    /// text. A left side that does not exist is empty.
    fn show_diff(&self, request: DiffRequest, decided: OnVerdict) -> Result<DiffId, SurfaceError>;

    /// Takes a diff off the screen. One that was not decided is decided as [`Verdict::Withdrawn`].
    fn withdraw_diff(&self, diff: DiffId);

    /// Reads a file again that changed on disk.
    fn refresh(&self, path: &str);

    /// Puts a comment above a line; the file stays as it is.
    ///
    /// # Errors
    /// As [`Self::set_selection`].
    fn add_comment(&self, comment: Comment) -> Result<CommentId, SurfaceError>;

    /// The findings in a file, or in every open one. Files without findings are left out.
    fn diagnostics(&self, path: Option<&str>) -> Vec<FileDiagnostics>;

    /// The text as the person sees it, with changes that are not saved yet; of files below [`Self::workspaces`] only.
    ///
    /// # Errors
    /// [`SurfaceError::NoFile`], also for files outside.
    fn text(&self, path: &str) -> Result<Arc<str>, SurfaceError>;

    /// Saves an open file; one without changes is saved already.
    ///
    /// # Errors
    /// [`SurfaceError::NotOpen`]; failures of the disk.
    fn save(&self, path: &str) -> Result<(), SurfaceError>;

    /// Writes a file as its formatter would.
    ///
    /// # Errors
    /// [`SurfaceError::NoFile`]; [`SurfaceError::Failed`] saying what is missing.
    fn reformat(&self, path: &str) -> Result<(), SurfaceError>;

    /// Tells of every event until the listener is gone. Listeners are called in the thread of the event and must be quick.
    fn subscribe(&self, listener: Weak<dyn SurfaceListener>);
}

/// Hears of what happens on a surface.
pub trait SurfaceListener: Send + Sync {
    fn on_event(&self, event: &SurfaceEvent);
}

/// An event on a surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SurfaceEvent {
    /// The selection, the caret or the active file is another one.
    SelectionChanged {
        /// The person has let go: nothing more of the same movement follows.
        is_settled: bool,
    },
    /// The person sends a file, or lines of it counted from 1, to the agents.
    Mentioned { path: Arc<str>, lines: Option<(u32, u32)> },
    /// There may be other findings in a file.
    DiagnosticsChanged { path: Arc<str> },
    /// [`EditorSurface::is_attached`] changed.
    AttachmentChanged,
    /// [`EditorSurface::workspaces`] changed.
    WorkspacesChanged,
}

/// A request to open a file.
#[derive(Clone, Copy, Debug)]
pub struct OpenRequest<'a> {
    pub path: &'a str,
    /// The range to select in it.
    pub selection: Option<Selection>,
    /// Whether it becomes the active file.
    pub activate: bool,
    /// Whether the next file that is opened may take its place.
    pub is_preview: bool,
}

/// A range of a file that the person selected; a caret where both ends are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    pub start: LineColumn,
    pub end: LineColumn,
}

impl Selection {
    pub fn caret(at: LineColumn) -> Self {
        Self { start: at, end: at }
    }

    pub fn is_caret(self) -> bool {
        self.start == self.end
    }
}

/// A file that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenEditor {
    pub path: Arc<str>,
    pub language: Option<Language>,
    pub line_count: u32,
    pub is_active: bool,
    pub is_preview: bool,
    /// It holds changes that are not on disk.
    pub is_dirty: bool,
    pub selection: Option<Selection>,
    /// The text of the selection; empty for a caret.
    pub selected_text: Arc<str>,
    /// When it was active last, in milliseconds since 1970.
    pub active_at: u64,
}

/// A change that is to be decided on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffRequest {
    /// The file whose text stands on the left.
    pub old_path: String,
    /// The file that the change is for.
    pub new_path: String,
    pub proposal: Arc<str>,
    /// The name of the proposer, shown to the person.
    pub proposed_by: String,
}

/// The name of a diff on its surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DiffId(pub u64);

/// How a diff ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// With the text that is to be written: the proposal byte for byte, unless the person edited it.
    Accepted {
        content: Arc<str>,
    },
    Rejected,
    /// Nobody decided: it was taken off the screen, or the last person went away.
    Withdrawn,
}

/// A callback that receives the verdict on a diff.
pub type OnVerdict = Box<dyn FnOnce(Verdict) + Send>;

/// A comment on a line, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    pub path: String,
    pub line: u32,
    /// Markdown.
    pub text: String,
    pub author: String,
}

/// The name of a comment on its surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommentId(pub u64);

/// A problem of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiagnostics {
    pub path: Arc<str>,
    pub findings: Vec<Finding>,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub severity: Severity,
    pub range: Selection,
    pub message: String,
    /// The name of the program that found it.
    pub source: Option<String>,
}

/// Why a surface did not do something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SurfaceError {
    NotAttached,
    NoFile(String),
    NotOpen(String),
    NothingActive,
    Unreadable { path: String, because: String },
    OutOfRange { path: String, line_count: u32 },
    Failed(String),
}

impl fmt::Display for SurfaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAttached => f.write_str("no editor surface attached"),
            Self::NoFile(path) => write!(f, "there is no file `{path}`"),
            Self::NotOpen(path) => write!(f, "`{path}` is not open"),
            Self::NothingActive => f.write_str("no file is active"),
            Self::Unreadable { path, because } => write!(f, "`{path}` cannot be shown: {because}"),
            Self::OutOfRange { path, line_count } => write!(f, "`{path}` has {line_count} lines"),
            Self::Failed(because) => f.write_str(because),
        }
    }
}

impl std::error::Error for SurfaceError {}
