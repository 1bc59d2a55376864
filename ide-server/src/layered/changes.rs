//! Telling providers which files changed on disk.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use ide_model::{Cx, FilePath, Provider, Snapshot, Stop};

/// The files as providers were last told of them.
#[derive(Default)]
pub(super) struct Changes(Mutex<State>);

#[derive(Default)]
struct State {
    generation: Option<u64>,
    files: HashMap<FilePath, Stamp>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    size: u64,
    written: Option<SystemTime>,
}

impl Changes {
    /// Tells all providers what is different on disk in a later state than the last one. They read the first one by themselves.
    pub(super) fn tell(&self, root: &Path, snapshot: &dyn Snapshot, providers: &[Arc<dyn Provider>]) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = snapshot.generation();
        if state.generation.is_some_and(|seen| generation <= seen) {
            return;
        }
        let never = Stop::new();
        let Ok(listed) = snapshot.files(Cx::new(&never), &|_| true) else { return };
        let mut files: HashMap<FilePath, Stamp> = HashMap::with_capacity(listed.len());
        let mut changed: Vec<FilePath> = Vec::new();
        for meta in listed {
            let Ok(found) = root.join(meta.path.as_str()).symlink_metadata() else { continue };
            let stamp = Stamp { size: found.len(), written: found.modified().ok() };
            if state.files.get(&meta.path) != Some(&stamp) {
                changed.push(meta.path.clone());
            }
            files.insert(meta.path, stamp);
        }
        changed.extend(state.files.keys().filter(|file| !files.contains_key(*file)).cloned());
        changed.sort();
        let is_first = state.generation.replace(generation).is_none();
        state.files = files;
        if !is_first && !changed.is_empty() {
            providers.iter().for_each(|provider| provider.changed(&changed));
        }
    }
}
