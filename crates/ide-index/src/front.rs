//! What a front end is.

use crate::facts::FileFacts;

/// Turns the text of one file into facts. No shared syntax tree: each language reads its own way and writes into a
/// [`crate::FactBuilder`]. A front end never panics, takes linear time, and keeps every span inside the text on
/// character boundaries.
pub trait FrontEnd: Sync {
    /// The facts of `text`. `path` decides dialects (`.tsx`, `.pyi`, `.kts`); nothing is read from it.
    fn facts(&self, path: &str, text: &str) -> FileFacts;
}
