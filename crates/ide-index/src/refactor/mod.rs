//! Changes of code by meaning: planned on resolved names, then proved on a world in which they were made.
//!
//! Every plan is made twice as sure: edits come from resolution, and the edited texts are read again into a scratch world
//! in which every name that was touched, or carries a touched name, must mean what it meant before. Nothing is written
//! here, and no language is named.

mod family;
mod rename;
mod verify;

use std::sync::Arc;

use ide_model::{
    Conflict, ConflictKind, Cx, FilePath, FileText, Location, QueryError, Refactored, Refactoring, TextRange,
};

use crate::query::Resolvers;
use crate::world::FileId;

/// What a planner works with.
pub struct Workshop<'a> {
    pub pool: &'a Resolvers,
    pub cx: Cx<'a>,
    /// The text of a file as its facts were read from it.
    pub text: &'a (dyn Fn(FileId) -> Result<FileText, QueryError> + Sync),
    /// The world after files were rewritten.
    pub scratch: &'a Scratch<'a>,
}

/// Makes the world after files were rewritten.
pub type Scratch<'a> = dyn Fn(&[Rewrite]) -> Result<Resolvers, QueryError> + Sync + 'a;

/// A file before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    pub path: FilePath,
    /// Where it lies afterwards and what it holds; `None` when it is gone.
    pub becomes: Option<(FilePath, Arc<str>)>,
}

/// Plans a change; see [`Refactoring`].
///
/// # Errors
/// [`QueryError::Unsupported`] where only names are known.
pub fn plan(shop: &Workshop<'_>, what: &Refactoring<'_>) -> Result<Refactored, QueryError> {
    match *what {
        Refactoring::Rename { symbol, new_name, with_family } => {
            rename::rename(shop, symbol, new_name, with_family)
        }
    }
}

impl Workshop<'_> {
    fn path(&self, file: FileId) -> FilePath {
        self.pool.world().file(file).path.clone()
    }

    fn at(&self, file: FileId, range: TextRange) -> Location {
        Location { file: self.path(file), range }
    }
}

fn conflict(kind: ConflictKind, message: impl Into<String>, at: Option<Location>) -> Conflict {
    Conflict { kind, message: message.into(), at }
}
