//! The disk side of the index: walking, watching, mapped segments, journal, freshness, text search.
//!
//! [`ProjectBackend`] is the whole of it: a backend whose snapshots describe the bytes that were on disk when they were
//! asked for. One updater owns the state; callers and a thread in the background take turns with it. Bringing the index up
//! to date needs no thread, no timer and no notice from the caller: see the module `watch`.

mod archive_text;
mod backend;
mod classes;
mod classify;
mod copies;
mod decode;
mod dependencies;
mod dependency_list;
mod directory;
mod disk;
mod enumerate;
mod extract;
mod ignored;
mod installed;
mod jars;
mod memory;
mod open;
mod os_fs;
mod pending;
#[cfg(feature = "tree-sitter")]
mod readable;
mod shapes;
mod snapshot;
mod text_search;
mod trigrams;
mod unread;
mod updater;
mod watch;

pub use archive_text::{ArchiveText, archive_text};
pub use backend::{Options, ProjectBackend};
pub use classes::{ArchiveProblem, class_library, find_jdk};
pub use copies::Copies;
pub use decode::decode;
pub use dependencies::Places;
pub use dependency_list::{Availability, ListedDependency, list_dependencies};
pub use enumerate::{left_out_by, named_files};
pub use extract::{Log, is_read};
pub use open::{open_real, open_regular, read_real, read_regular};
pub use os_fs::OsFs;
pub use snapshot::StoreSnapshot;
pub use text_search::{
    Classify, MAX_TEXT_BYTES, SearchFile, Skipped, TextFound, TextPattern, TextPatternOptions, search_text,
    stream_text,
};
