//! A language server over [`ide_model::Snapshot`]: one process for every language that the snapshot knows.
//!
//! The crate translates. It keeps the buffers that the editor has open, lays them over the snapshot, asks the snapshot
//! and writes the answer in the words of the Language Server Protocol, revision 3.18. It knows no engine and no tool.
//!
//! Requests run on worker threads, so a slow one holds up nothing; `$/cancelRequest` and a deadline end it.
#![expect(clippy::disallowed_methods, reason = "a session measures how long its requests run")]

mod capabilities;
mod completion;
mod diagnostics;
mod documents;
mod hierarchy;
mod navigation;
mod position;
mod query;
mod refactoring;
mod session;
mod structure;
mod symbols;
mod tokens;
mod wire;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ide_model::{Backend, FilePath};

pub use lsp_server::Connection;
pub use session::{Options, ServeError, serve};
pub use wire::{Wires, over};

/// A project that the server answers for.
#[derive(Clone)]
pub struct Project {
    /// Absolute, without links.
    pub root: PathBuf,
    pub backend: Arc<dyn Backend>,
}

/// Opens projects for the server.
pub trait Host: Send + Sync {
    /// The project that a file belongs to, opened when it is not open yet. `None` for files that no project may have.
    fn project_of(&self, file: &Path) -> Option<Project>;

    /// Opens a folder of the workspace. Answers false when it cannot be a project.
    fn open(&self, folder: &Path) -> bool;

    /// Closes a folder of the workspace.
    fn close(&self, folder: &Path);

    /// Every open project, in the order in which they were opened.
    fn projects(&self) -> Vec<Project>;

    /// A file on disk with the text of a library's file that is none itself, for the editor to open.
    fn copy(&self, file: &FilePath, text: &str) -> Option<PathBuf>;

    /// A file outside of every open project as that of a library, with an open project that uses it. Snapshots do not know the
    /// sources of compiled classes.
    fn library_file(&self, path: &Path) -> Option<(Project, FilePath)>;
}
