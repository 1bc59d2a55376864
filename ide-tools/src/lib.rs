//! The tool catalogue: arguments, schemas, results and errors as text an agent can act on.
//!
//! One file a tool in `tools/`, one line in its list. Tools ask a [`ide_model::Snapshot`] for one-level facts;
//! recursion, paging, ranking across pages and rendering exist once, here. A tool asks the [`Services`] that the
//! server implements for everything besides code: which project, is this path inside, kept pages.
//!
//! The catalogue knows no transport, no engine and no file system, and reads no clock.

mod args;
mod checkers;
mod discover;
mod edits;
mod error;
mod filter;
mod fixes;
mod hierarchy;
mod host;
mod layout;
mod long;
mod members;
mod names;
mod page;
mod problems;
mod recorded;
mod schema;
mod services;
mod session;
mod speculation;
mod surface;
mod survey;
mod symbols;
mod target;
#[cfg(test)]
mod testing;
mod text_backend;
mod tool;
mod tools;
mod walk;

pub use args::file_uri_path;
pub use error::{ToolError, file_not_found};
pub use host::ReadOnlyHost;
pub use layout::{Available, Checkout, Dependencies, DependencyRow, ModuleRow, RootUse, Structure};
pub use services::{
    Changed, CursorHit, CursorProblem, CursorStore, EntryKind, FileContent, Formatted, Jobs, PathFilter,
    Payload, Project, ProjectRow, ProjectSelector, Services, SyncReport,
};
pub use session::project_tag;
pub use text_backend::{TextBackend, Texts};
pub use tool::{Call, Catalogue, Hints, Reply, ToolSpec};
pub use tools::{GROUP, all, find, find_any, find_in, intellij};
