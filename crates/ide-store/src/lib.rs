//! The disk side of the index: walking, watching, mapped segments, journal, freshness, text search.

mod decode;
mod os_fs;
mod text_search;
mod walk;

pub use decode::decode;
pub use os_fs::OsFs;
pub use text_search::{
    Classify, MAX_TEXT_BYTES, SearchFile, Skipped, TextFound, TextPattern, TextPatternOptions, search_text,
    stream_text,
};
pub use walk::{Listing, VISIBLE_HIDDEN, WalkProblem, WalkedDirectory, WalkedFile, walk};
