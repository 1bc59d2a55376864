//! Names of a segment under construction, shared by the threads that encode files.

use std::hash::{BuildHasher, Hasher};
use std::sync::{Mutex, PoisonError};

use rustc_hash::{FxBuildHasher, FxHashMap};

const SHARDS: u32 = 64;

/// Gives every distinct name a provisional number. Numbers depend on the order of threads; ranks, taken at the end, do
/// not.
#[derive(Debug)]
pub(super) struct Interner {
    shards: Vec<Mutex<FxHashMap<Box<str>, u32>>>,
}

impl Interner {
    pub(super) fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect() }
    }

    pub(super) fn intern(&self, name: &str) -> u32 {
        let mut hasher = FxBuildHasher.build_hasher();
        hasher.write(name.as_bytes());
        let shard = (hasher.finish() >> 32) as u32 % SHARDS;
        // A poisoned shard still holds whole entries only.
        let mut names = self.shards[shard as usize].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = names.get(name) {
            return *id;
        }
        let id = names.len() as u32 * SHARDS + shard;
        names.insert(name.into(), id);
        id
    }

    /// Every name with its number.
    pub(super) fn into_names(self) -> Vec<(Box<str>, u32)> {
        self.shards
            .into_iter()
            .flat_map(|shard| shard.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect()
    }
}
