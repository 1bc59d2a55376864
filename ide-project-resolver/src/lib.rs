//! Project resolution and path containment: the project of a call, its modules and roots, and the paths inside of it.
//!
//! Pure: no clock, no file access of its own. Everything about the disk is asked through [`Fs`];
//! [`MemoryFs`] is the one for tests, `ide-store` has the one for the operating system.
//!
//! - [`Projects::resolve`] answers which project a call means.
//! - [`Project::resolve_file`] is the one containment function: every path parameter of every tool
//!   goes through it before a file is touched.
//! - [`Project::open`] reads the build files of seven ecosystems for modules and source roots; it
//!   never runs a build.
//! - [`Exclusions`] is the one list of directories that are never enumerated, [`PathGlobs`]
//!   and [`FileMasks`] narrow what is left.

mod build_system;
mod contain;
mod dependencies;
mod exclude;
mod fs;
mod globs;
mod memory_fs;
mod model;
mod path;
mod project;
mod projects;
mod version_control;

pub use build_system::BuildSystem;
pub use contain::{Access, FileError, Libraries, Origin, ResolvedFile, Root, read_only};
pub use dependencies::{Dependency, DependencyReport, DependencyScope, dependencies};
pub use exclude::{Exclusion, Exclusions, Place, is_linked_worktree};
pub use fs::{DirEntry, Fs, Kind, Metadata};
pub use globs::{FileMasks, GlobError, PathGlobs};
pub use memory_fs::MemoryFs;
pub use model::{Area, Classifier, DirectoryClass, ModelProblem, Module, PathClass, RootKind};
pub use path::{AbsPath, Case, normalize};
pub use project::Project;
pub use projects::{
    AvailableProject, Choice, Hint, Listing, ProjectError, ProjectSettings, Projects, Selected, checkout_of,
};
