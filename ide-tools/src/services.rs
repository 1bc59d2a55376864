//! The services that the catalogue needs from its host. The server implements these traits; the catalogue
//! itself opens no file, reads no clock and knows no transport.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use ide_model::{
    Backend, BuildReport, ContentHash, Cx, Editor, EditorSurface, FileMeta, FilePath, JobKind, JobOrder,
    JobState, Snapshot, Status, Stop, TestReport,
};

use crate::ToolError;
use crate::layout::{Checkout, Dependencies, Structure};

/// The projects, the cursors and the limits of a server, as one client sees them.
pub trait Services: Send + Sync {
    /// The project that a call means, loaded when it is not yet.
    ///
    /// # Errors
    /// `multiple_projects_open`, `project_not_found`, `no_project_open`.
    fn project(&self, cx: Cx<'_>, which: ProjectSelector<'_>) -> Result<Arc<dyn Project>, ToolError>;

    /// Every project that is loaded, in the order of their paths. Never blocks and loads nothing.
    fn projects(&self) -> Vec<ProjectRow>;

    /// Closes a project that is open; files and index stay as they are.
    ///
    /// # Errors
    /// `project_not_found` when none has this root.
    fn close(&self, root: &str) -> Result<(), ToolError>;

    /// Reads the build files of an open project again and gives it back as they describe it now.
    ///
    /// # Errors
    /// `project_not_found` when its directory is gone.
    fn reload(&self, cx: Cx<'_>, root: &str) -> Result<Arc<dyn Project>, ToolError>;

    /// Waits until the index of a project is built, for some seconds at most; false when it takes longer.
    ///
    /// # Errors
    /// Failures of the engine; when the call is stopped.
    fn wait_for_index(&self, cx: Cx<'_>, project: &dyn Project, seconds: u64) -> Result<bool, ToolError>;

    /// A flag that is flipped after some seconds.
    fn stop_after(&self, seconds: u64) -> Arc<Stop>;

    fn cursors(&self) -> &dyn CursorStore;

    fn server_version(&self) -> &str;

    /// Soft limit of a result in characters; pages shrink to it.
    fn response_budget(&self) -> usize;

    /// The editor that a person looks at, attached or not; `None` where there can be none.
    fn surface(&self) -> Option<&dyn EditorSurface>;

    /// Tells the caller how far a long call is, if it wants to hear.
    fn progress(&self, message: &str);
}

/// How a call names its project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectSelector<'a> {
    /// Not at all: the only open one.
    Default,
    /// By a path: its root, a content root, or anything below.
    Path(&'a str),
    /// Not at all, but by the absolute path of a file: the open project that holds it, else the default.
    Holding(&'a str),
    /// By the tag of a symbol handle: the project whose [`project_tag`](crate::project_tag) it is.
    Tag(&'a str),
}

/// One open project.
pub trait Project: Send + Sync {
    fn name(&self) -> &str;

    /// Absolute path as the user spells it; the key of the project.
    fn root(&self) -> &str;

    fn backend(&self) -> &dyn Backend;

    /// Modules, roots and exclusions.
    fn structure(&self) -> Structure;

    /// The dependencies of the modules, or of the modules of one name.
    fn dependencies(&self, module: Option<&str>) -> Dependencies;

    /// The checkout that the project lies in.
    fn checkout(&self) -> Checkout;

    /// The containment check that stands before every file access: a path as a client wrote it to the name that
    /// snapshots use. Paths that results contained are accepted.
    ///
    /// # Errors
    /// `file_not_found` for missing and for refused paths alike, `ambiguous_path` with `candidates`.
    fn locate(&self, path: &str) -> Result<FilePath, ToolError>;

    /// Why a file that exists is not in the index: the rule that leaves it out (`dist`, a line of `.gitignore`).
    fn why_left_out(&self, file: &FilePath) -> Option<String>;

    /// A filter for the `paths` parameter.
    ///
    /// # Errors
    /// `invalid_argument` naming the glob.
    fn path_filter(&self, globs: &[String]) -> Result<PathFilter, ToolError>;

    /// The files that globs select by the name of an excluded or ignored place, which the index leaves out.
    ///
    /// # Errors
    /// `invalid_argument` naming the glob; when the call is stopped.
    fn left_out(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        globs: &[String],
    ) -> Result<Vec<FilePath>, ToolError>;

    /// A filter for the `filePattern` parameter.
    ///
    /// # Errors
    /// `invalid_argument` naming the mask.
    fn name_filter(&self, masks: &str) -> Result<PathFilter, ToolError>;

    /// The files, among these, that differ from a revision of the project's version control.
    ///
    /// # Errors
    /// `no_git`, `unknown_revision`.
    fn changed_since(&self, cx: Cx<'_>, revision: &str, files: &[FilePath]) -> Result<Changed, ToolError>;

    /// Makes the index see changes below the paths, all when there are none; returns when it has.
    ///
    /// # Errors
    /// When nothing at all matched, and failures of the engine.
    fn sync(&self, cx: Cx<'_>, paths: &[String]) -> Result<SyncReport, ToolError>;

    /// The text of a file on disk or in a library archive, indexed or not.
    ///
    /// # Errors
    /// `file_not_found`, and `invalid_argument` for binary files.
    fn read(&self, file: &FilePath) -> Result<FileContent, ToolError>;

    /// The hash of a file on disk, text or not.
    ///
    /// # Errors
    /// `file_not_found`.
    fn hash(&self, file: &FilePath) -> Result<ContentHash, ToolError>;

    /// The name of a file that is to be made: [`Self::locate`] for writing.
    ///
    /// # Errors
    /// `file_not_found` for a place outside, `file_exists`.
    fn place(&self, path: &str) -> Result<FilePath, ToolError>;

    /// The name of a place that may be written to, and what is there. `None` where nothing is.
    ///
    /// # Errors
    /// `file_not_found` for a place outside, or of version control.
    fn entry(&self, path: &str) -> Result<(FilePath, Option<EntryKind>), ToolError>;

    /// Makes a directory and those above it that are missing.
    ///
    /// # Errors
    /// `file_not_found` for a place outside, `write_failed`.
    fn make_directory(&self, path: &str) -> Result<(), ToolError>;

    /// The files in a directory and below, whether the index has them or not, at most so many.
    ///
    /// # Errors
    /// `file_not_found` for a place outside; `read_only` for the root of the project and for what version control or a
    /// link holds.
    fn files_below(&self, path: &str, most: usize) -> Result<Vec<FilePath>, ToolError>;

    /// Removes a directory in which there are no files any more, with the directories in it.
    ///
    /// # Errors
    /// Those of [`Self::files_below`], `write_failed`.
    fn remove_directories(&self, path: &str) -> Result<(), ToolError>;

    /// The editor of this project's files.
    ///
    /// # Errors
    /// `read_only` when nothing does.
    fn editor(&self) -> Result<&dyn Editor, ToolError>;

    /// The text of a file as the formatter of this project writes it. `lines` are the first and the last line that are
    /// meant, counted from 1; a formatter that knows no lines formats all.
    ///
    /// # Errors
    /// `no_formatter` naming what is missing, `format_failed` with what the formatter says; `timeout`, `cancelled`.
    fn format(
        &self,
        cx: Cx<'_>,
        file: &FilePath,
        text: &str,
        lines: Option<(u32, u32)>,
    ) -> Result<Formatted, ToolError>;

    /// Builds, test runs and checks of this project.
    fn jobs(&self) -> &dyn Jobs;
}

/// Long operations of one project by programs of the machine. They outlive the call that began them, are bounded in number,
/// and end with the project.
pub trait Jobs: Send + Sync {
    /// Starts a job, or attaches to a running one with the same order.
    ///
    /// # Errors
    /// `not_trusted`, `no_build_system`, `no_test_runner`, `busy`.
    fn start(&self, order: JobOrder) -> Result<JobState, ToolError>;

    /// The job when it has ended, else as it is after `wait`, or earlier when the call is late. A call that is taken back
    /// leaves the job alone.
    ///
    /// # Errors
    /// `job_not_found`, `cancelled`.
    fn wait(
        &self,
        cx: Cx<'_>,
        kind: JobKind,
        id: &str,
        wait: Duration,
        progress: &dyn Fn(&str),
    ) -> Result<JobState, ToolError>;

    /// Ends a job and everything that it started; what it found so far is its report.
    ///
    /// # Errors
    /// `job_not_found`.
    fn cancel(&self, kind: JobKind, id: &str) -> Result<(), ToolError>;

    /// The last build that ended.
    fn last_build(&self) -> Option<Arc<BuildReport>>;

    /// The last run of tests that ended.
    fn last_tests(&self) -> Option<Arc<TestReport>>;
}

/// The files that differ from a revision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Files with another text, and those that the revision does not have.
    pub files: Vec<FilePath>,
    /// Files of the revision that are no longer there.
    pub gone: Vec<FilePath>,
}

/// The kind of what is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Directory,
}

/// Decides by file.
pub type PathFilter = Box<dyn Fn(&FileMeta) -> bool + Send + Sync>;

/// The result of a sync.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncReport {
    /// As asked for, without those in `not_found`.
    pub synced: Vec<String>,
    /// Paths of `synced` that are gone from disk.
    pub deleted: Vec<String>,
    pub not_found: Vec<String>,
    /// Whether the index had not seen everything before.
    pub changed: bool,
}

/// A file as read from disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileContent {
    pub text: Arc<str>,
    /// `UTF-8`, `UTF-16LE`, …
    pub encoding: &'static str,
    pub is_library: bool,
    /// The hash of the bytes that the text was read from.
    pub hash: ContentHash,
}

/// A row of the project table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectRow {
    pub name: String,
    pub path: String,
    /// Content roots besides `path`, absolute.
    pub content_roots: Vec<String>,
    pub status: Status,
}

/// Keeps result sets between pages. Owns lifetimes, limits and the format of tokens.
pub trait CursorStore: Send + Sync {
    /// Keeps a result set and returns the name of its entry.
    fn keep(&self, tool: &'static str, project: &str, payload: Payload) -> String;

    /// The token of a page of an entry.
    fn token(&self, entry: &str, offset: usize, page_size: usize) -> String;

    /// The entry of a token, which a read does not change.
    ///
    /// # Errors
    /// Why there is none.
    fn find(&self, token: &str, tool: &str, project: &str) -> Result<CursorHit, CursorProblem>;
}

/// A kept result set, opaque to the store.
pub type Payload = Arc<dyn Any + Send + Sync>;

/// The position that a token means.
#[derive(Clone)]
pub struct CursorHit {
    pub entry: String,
    pub offset: usize,
    /// `None` for the old token form without it.
    pub page_size: Option<usize>,
    pub payload: Payload,
}

/// Why a token means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorProblem {
    Malformed,
    Expired,
    NotFound,
    OtherProject,
    OtherTool,
}

/// A text as a formatter writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formatted {
    pub text: String,
    /// Its name, and where it was found when that is not the search path.
    pub by: String,
}
