//! Names of a segment under construction, shared by the threads that encode files.

use std::hash::{BuildHasher, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxBuildHasher;

use crate::facts::NameId;
use crate::names::Names;

const SHARDS: usize = 16;

/// Gives every distinct name a provisional number. Numbers depend on the order of threads; ranks, taken at the end, do
/// not.
#[derive(Debug)]
pub(super) struct Interner {
    shards: Vec<Mutex<Shard>>,
}

/// Names one after the other, found by hash.
#[derive(Debug, Default)]
pub(super) struct Shard {
    text: String,
    ends: Vec<u32>,
    /// Open addressing over a power of two: 0, or one more than a number within the shard.
    table: Vec<u32>,
}

fn hash(name: &str) -> u64 {
    let mut hasher = FxBuildHasher.build_hasher();
    hasher.write(name.as_bytes());
    hasher.finish()
}

fn shard_of(hash: u64) -> usize {
    (hash >> 32) as usize % SHARDS
}

impl Shard {
    fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start as usize..self.ends[number] as usize]
    }

    /// The number of a name, which is added when it is new.
    fn number(&mut self, name: &str, hash: u64) -> u32 {
        if self.table.len() < 2 * (self.ends.len() + 1) {
            self.grow();
        }
        let mut at = self.place(hash);
        while let Some(known) = self.table[at].checked_sub(1) {
            if self.get(known) == name {
                return known;
            }
            at = self.next(at);
        }
        let number = self.ends.len() as u32;
        self.text.push_str(name);
        self.ends.push(u32::try_from(self.text.len()).expect("names of one segment are below 64 GiB"));
        self.table[at] = number + 1;
        number
    }

    fn grow(&mut self) {
        self.table = vec![0; (2 * self.table.len()).max(16)];
        for number in 0..self.ends.len() as u32 {
            let mut at = self.place(hash(self.get(number)));
            while self.table[at] != 0 {
                at = self.next(at);
            }
            self.table[at] = number + 1;
        }
    }

    fn place(&self, hash: u64) -> usize {
        hash as usize & (self.table.len() - 1)
    }

    fn next(&self, at: usize) -> usize {
        (at + 1) & (self.table.len() - 1)
    }
}

impl Interner {
    pub(super) fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect() }
    }

    /// The number of a name.
    pub(super) fn intern(&self, name: &str) -> u32 {
        let hash = hash(name);
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
        for (name, number) in names.iter().zip(&mut numbers) {
            let hash = hash(name);
            let chain = &mut chains[shard_of(hash)];
            *number = std::mem::replace(chain, hashes.len() as u32);
            hashes.push(hash);
        }
        for (shard, mut at) in chains.into_iter().enumerate().filter(|(_, first)| *first != NONE) {
            let mut known = self.locked(shard);
            while at != NONE {
                let number = known.number(names.get(NameId(at)), hashes[at as usize]);
                at = std::mem::replace(&mut numbers[at as usize], number * SHARDS as u32 + shard as u32);
            }
        }
        numbers
    }

    pub(super) fn into_names(self) -> Interned {
        let names = |shard: Mutex<Shard>| Shard {
            table: Vec::new(),
            ..shard.into_inner().unwrap_or_else(PoisonError::into_inner)
        };
        Interned { shards: self.shards.into_iter().map(names).collect() }
    }
}

/// Every name by its provisional number.
pub(super) struct Interned {
    shards: Vec<Shard>,
}

impl Interned {
    pub(super) fn get(&self, id: u32) -> &str {
        self.shards[id as usize % SHARDS].get(id / SHARDS as u32)
    }

    /// One more than the largest number.
    pub(super) fn end(&self) -> usize {
        let most = self.shards.iter().map(|shard| shard.ends.len()).max().unwrap_or(0);
        most * SHARDS
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
