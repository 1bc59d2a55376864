//! The one-level queries of the catalogue, over the resolver. No language is named here.
//!
//! Every function takes [`Resolvers`], a world with resolvers to lend, so that the memory of one query serves the
//! next and several threads can work on one query.

mod calls;
pub(crate) mod definition;
mod describe;
mod diagnostics;
mod head;
pub(crate) mod hierarchy;
mod outline;
pub(crate) mod references;
mod symbol;

use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{FileMeta, FilePath, QueryError};

use crate::library::{LayeredWorld, Library};
use crate::resolve::Resolver;
use crate::world::{FileEntry, FileId, World};

pub use calls::{callees, callers};
pub use definition::{At, definition_at, resolve, target_at};
pub use describe::describe;
pub use diagnostics::diagnostics;
pub use hierarchy::{implementations, subtypes, super_methods, supertypes};
pub use outline::outline;
pub use references::references;
pub use symbol::{declaration, enclosing, symbol};

/// A world with the resolvers that have worked on it.
pub struct Resolvers {
    world: Arc<dyn World>,
    idle: Mutex<Vec<Resolver>>,
}

/// Resolvers are dropped rather than that all that are kept remember more than this many answers: about 100 bytes each.
const MAX_REMEMBERED: usize = 640_000;

impl Resolvers {
    /// Resolvers for a project with the bundled libraries.
    pub fn new(project: Arc<dyn World>) -> Self {
        Self::with_libraries(project, [])
    }

    /// Resolvers for a project with the bundled libraries and more.
    pub fn with_libraries(
        project: Arc<dyn World>,
        libraries: impl IntoIterator<Item = Arc<dyn Library>>,
    ) -> Self {
        let world = Arc::new(LayeredWorld::new(project, libraries));
        Self { world, idle: Mutex::new(Vec::new()) }
    }

    pub fn world(&self) -> &Arc<dyn World> {
        &self.world
    }

    /// Runs with a resolver that no one else uses meanwhile.
    pub fn with<T>(&self, run: impl FnOnce(&Resolver) -> T) -> T {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let rx = idle.unwrap_or_else(|| Resolver::new(self.world.clone()));
        let out = run(&rx);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let kept: usize = idle.iter().map(Resolver::remembered).sum();
        if kept + rx.remembered() <= MAX_REMEMBERED {
            idle.push(rx);
        }
        drop(idle);
        out
    }
}

/// What filters see of a file.
pub fn file_meta(entry: &FileEntry) -> FileMeta {
    FileMeta {
        path: entry.path.clone(),
        language: entry.language,
        source: entry.source,
        is_generated: entry.is_generated,
        size: entry.size,
    }
}

pub(crate) fn file_id(world: &dyn World, path: &FilePath) -> Result<FileId, QueryError> {
    world.file_by_path(path.as_str()).ok_or_else(|| QueryError::NoFile { path: path.to_string() })
}
