//! The one-level queries of the catalogue, over the resolver. No language is named here.
//!
//! Every function takes [`Resolvers`], a world with resolvers to lend, so that the memory of one query serves the
//! next and several threads can work on one query.

pub(crate) mod calls;
mod complete;
pub(crate) mod definition;
pub(crate) mod describe;
mod diagnostics;
mod head;
pub(crate) mod hierarchy;
mod in_order;
mod inherited;
mod outline;
pub(crate) mod references;
mod source;
pub(crate) mod symbol;
mod written;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{FileMeta, FilePath, QueryError};

use crate::facts::FileFacts;
use crate::library::{LayeredWorld, Library};
use crate::resolve::{Resolver, Views};
use crate::world::{FileEntry, FileId, World};

pub use calls::{callees, callers};
pub(crate) use complete::names_of_members;
pub use complete::{complete, importable};
pub use definition::{At, definition_at, name_at, resolve, target_at};
pub use describe::describe;
pub use diagnostics::diagnostics;
pub use hierarchy::{implementations, subtypes, super_methods, supertypes};
pub use outline::outline;
pub use references::{references, unlisted_callers};
pub use source::source;
pub use symbol::{declaration, enclosing, symbol};
pub use written::{names, value_type};

/// A world with the resolvers that have worked on it.
pub struct Resolvers {
    world: Arc<dyn World>,
    idle: Mutex<Vec<Resolver>>,
    views: Arc<Views>,
    /// How many long questions are being answered that come back to the same files.
    long: AtomicUsize,
}

/// Resolvers forget half of what they know rather than that all that are kept remember more than this many answers: about
/// 100 bytes each.
const MAX_REMEMBERED: usize = 1_500_000;

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
        Self { world, idle: Mutex::default(), views: Arc::default(), long: AtomicUsize::new(0) }
    }

    /// These resolvers, for a world of which some facts are at hand.
    #[must_use]
    pub fn knowing(self, facts: impl IntoIterator<Item = (FileId, FileFacts)>) -> Self {
        Self { views: Arc::new(Views::knowing(facts)), ..self }
    }

    /// Resolvers for the same world in which one file has other facts.
    pub(crate) fn with_facts(&self, file: FileId, facts: FileFacts) -> Self {
        Self {
            world: self.world.clone(),
            idle: Mutex::default(),
            views: Arc::new(Views::knowing([(file, facts)])),
            long: AtomicUsize::new(0),
        }
    }

    pub fn world(&self) -> &Arc<dyn World> {
        &self.world
    }

    /// Runs with a resolver that no one else uses meanwhile.
    pub fn with<T>(&self, run: impl FnOnce(&Resolver) -> T) -> T {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let rx = idle.unwrap_or_else(|| Resolver::sharing(self.world.clone(), self.views.clone()));
        rx.begin_turn();
        let out = run(&rx);
        self.keep([rx]);
        out
    }

    /// Until what this gives is dropped, nothing is forgotten: for questions that go through the same files several times.
    pub(crate) fn remembering(&self) -> Remembering<'_> {
        self.long.fetch_add(1, Ordering::Relaxed);
        Remembering(self)
    }

    /// Puts resolvers back. When all together remember too much, they forget what they have not used for long.
    fn keep(&self, used: impl IntoIterator<Item = Resolver>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.extend(used);
        let kept: usize = idle.iter().map(Resolver::remembered).sum();
        if kept <= MAX_REMEMBERED || self.long.load(Ordering::Relaxed) > 0 {
            return;
        }
        let mut full = std::mem::take(&mut *idle);
        drop(idle);
        full.sort_unstable_by_key(Resolver::remembered);
        let (mut left, mut others) = (MAX_REMEMBERED / 2, full.len());
        for rx in &mut full {
            rx.forget_down_to(left / others);
            left = left.saturating_sub(rx.remembered());
            others -= 1;
        }
        self.views.forget_unheld();
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).extend(full);
    }
}

/// See [`Resolvers::remembering`].
pub(crate) struct Remembering<'r>(&'r Resolvers);

impl Drop for Remembering<'_> {
    fn drop(&mut self) {
        let Self(resolvers) = self;
        if resolvers.long.fetch_sub(1, Ordering::Relaxed) == 1 {
            let used = std::mem::take(&mut *resolvers.idle.lock().unwrap_or_else(PoisonError::into_inner));
            resolvers.keep(used);
        }
    }
}

/// The facts about a file that filters see.
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
