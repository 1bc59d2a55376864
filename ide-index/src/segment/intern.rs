//! Names of a segment under construction, shared by the threads that encode files.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::facts::NameId;
use crate::names::{Names, Piece, Places};

const SHARDS: usize = 16;

/// Gives every distinct name a provisional number. Numbers depend on the order of threads; ranks, taken at the end, do
/// not.
#[derive(Debug)]
pub(super) struct Interner {
    shards: Vec<Mutex<Shard>>,
}

/// Names and where they are found.
#[derive(Debug, Default)]
struct Shard {
    names: Names,
    places: Places,
}

fn shard_of(hash: u64) -> usize {
    (hash >> 32) as usize % SHARDS
}

impl Shard {
    /// The number of a name, which is added when it is new.
    fn number(&mut self, name: Piece<'_>, hash: u64) -> u32 {
        self.places.intern(&mut self.names, name, hash).0
    }
}

impl Interner {
    pub(super) fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect() }
    }

    /// The number of a name.
    pub(super) fn intern(&self, name: &str) -> u32 {
        let name = Piece::of(name);
        let hash = name.hash();
        let shard = shard_of(hash);
        self.locked(shard).number(name, hash) * SHARDS as u32 + shard as u32
    }

    fn locked(&self, shard: usize) -> MutexGuard<'_, Shard> {
        // A poisoned shard still holds whole entries only.
        self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The numbers of names, in their order. Each shard is locked once: locks cost as much as what they guard, and keep the
    /// processor from looking up the next name before the last one is there.
    pub(super) fn intern_all(&self, names: &Names) -> Vec<u32> {
        const NONE: u32 = u32::MAX;
        let mut numbers = vec![0; names.len()];
        let mut hashes = Vec::with_capacity(names.len());
        // The names of each shard are chained through their numbers-to-be.
        let mut chains = [NONE; SHARDS];
        for (id, number) in names.ids().zip(&mut numbers) {
            let hash = names.piece(id).hash();
            let chain = &mut chains[shard_of(hash)];
            *number = std::mem::replace(chain, hashes.len() as u32);
            hashes.push(hash);
        }
        for (shard, mut at) in chains.into_iter().enumerate().filter(|(_, first)| *first != NONE) {
            let mut known = self.locked(shard);
            while at != NONE {
                let number = known.number(names.piece(NameId(at)), hashes[at as usize]);
                at = std::mem::replace(&mut numbers[at as usize], number * SHARDS as u32 + shard as u32);
            }
        }
        numbers
    }

    pub(super) fn into_names(self) -> Interned {
        let names = |shard: Mutex<Shard>| shard.into_inner().unwrap_or_else(PoisonError::into_inner).names;
        Interned { shards: self.shards.into_iter().map(names).collect() }
    }
}

/// Every name by its provisional number.
pub(super) struct Interned {
    shards: Vec<Names>,
}

impl Interned {
    pub(super) fn get(&self, id: u32) -> &str {
        self.shards[id as usize % SHARDS].get(NameId(id / SHARDS as u32))
    }

    /// One more than the largest number.
    pub(super) fn end(&self) -> usize {
        self.shards.iter().map(Names::len).max().unwrap_or(0) * SHARDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_distinct_name_has_one_number_and_is_found_under_it() {
        let interner = Interner::new();
        let names: Names = (0..20_000).map(|i| format!("{}é{i}", "x".repeat(i % 7))).collect();
        let ids = interner.intern_all(&names);
        assert_eq!(ids, interner.intern_all(&names));
        assert_eq!(ids, names.iter().map(|name| interner.intern(name)).collect::<Vec<_>>());
        let interned = interner.into_names();
        assert!(names.iter().zip(&ids).all(|(name, id)| interned.get(*id) == name));
        assert!(ids.iter().all(|id| (*id as usize) < interned.end()));
        let mut distinct = ids;
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), names.len());
    }
}
