//! The interface of a front end.

use std::sync::Arc;

use crate::facts::FileFacts;
use crate::sketch::Sketch;

/// Turns the text of one file into facts. No shared syntax tree: each language reads its own way and writes into a
/// [`crate::FactBuilder`]. A front end never panics, takes linear time, and keeps every span inside the text on
/// character boundaries.
pub trait FrontEnd: Sync {
    /// The facts of `text`. `path` decides dialects (`.tsx`, `.pyi`, `.kts`); nothing is read from it.
    fn facts(&self, path: &str, text: &str) -> FileFacts;

    /// The facts of `text` without what stands inside of functions; `None` where leaving it out saves nothing, or where
    /// it may say something about the rest.
    fn sketch(&self, _path: &str, _text: &str) -> Option<Sketch> {
        None
    }

    /// The facts of `text` with what other files of the project give: as [`Self::facts`] where it needs nothing of them.
    fn facts_among(&self, path: &str, text: &str, _others: &dyn Others) -> FileFacts {
        self.facts(path, text)
    }
}

/// The parts of other files that the reading of one file needs.
pub trait Others {
    /// The rules, as written, of the macro that the file means by a name; `krate` is the crate that is said to have it,
    /// where that is not the own one.
    fn macro_rules(&self, krate: Option<&str>, name: &str) -> Option<Arc<str>>;
}
