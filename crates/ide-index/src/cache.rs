//! Decoded facts, kept while there is room.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::facts::{Def, DefId, Expr, FileFacts, NameId, Ref, Scope, TypeExpr};

const SHARDS: usize = 16;

/// Facts by (segment, file), least recently used ones dropped first.
#[derive(Debug)]
pub struct FactsCache {
    shards: [Mutex<Shard>; SHARDS],
    /// Bytes that all shards hold.
    bytes: AtomicUsize,
    /// Bytes that they may hold.
    room: usize,
}

#[derive(Debug, Default)]
struct Shard {
    held: FxHashMap<(u64, u32), Held>,
    clock: u64,
}

#[derive(Debug)]
struct Held {
    facts: Arc<FileFacts>,
    bytes: usize,
    used: u64,
}

impl FactsCache {
    /// Room for about this many bytes.
    pub fn new(bytes: usize) -> Self {
        Self { shards: Default::default(), bytes: AtomicUsize::new(0), room: bytes }
    }

    /// The bytes that this cache may hold.
    pub(crate) fn room(&self) -> usize {
        self.room
    }

    /// The facts of a file, made by `load` unless they are held.
    ///
    /// # Errors
    /// What `load` fails with.
    pub fn get<E>(
        &self,
        segment: u64,
        file: u32,
        load: impl FnOnce() -> Result<FileFacts, E>,
    ) -> Result<Arc<FileFacts>, E> {
        let shard = &self.shards[(segment as usize + file as usize) % SHARDS];
        {
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.clock += 1;
            let now = shard.clock;
            if let Some(held) = shard.held.get_mut(&(segment, file)) {
                held.used = now;
                return Ok(held.facts.clone());
            }
        }
        // Decoded outside the lock: at worst two threads do it.
        let facts = Arc::new(load()?);
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let held = Held { facts: facts.clone(), bytes: weight(&facts), used: shard.clock };
        let mut bytes = self.bytes.fetch_add(held.bytes, Ordering::Relaxed) + held.bytes;
        if let Some(before) = shard.held.insert((segment, file), held) {
            bytes = self.bytes.fetch_sub(before.bytes, Ordering::Relaxed) - before.bytes;
        }
        if bytes > self.room {
            self.bytes.fetch_sub(shard.shrink(bytes - self.room / 4 * 3), Ordering::Relaxed);
        }
        Ok(facts)
    }
}

impl Shard {
    /// Drops the oldest ones until `excess` bytes are free or one is left, and gives back how many are.
    fn shrink(&mut self, excess: usize) -> usize {
        let mut by_age: Vec<(u64, (u64, u32))> =
            self.held.iter().map(|(key, held)| (held.used, *key)).collect();
        by_age.sort_unstable();
        // One that is larger than all the room is held alone: it would be made again and again otherwise.
        by_age.pop();
        let mut freed = 0;
        for (_, key) in by_age {
            if freed >= excess {
                break;
            }
            freed += self.held.remove(&key).map_or(0, |dropped| dropped.bytes);
        }
        freed
    }
}

/// About how many bytes decoded facts take.
fn weight(facts: &FileFacts) -> usize {
    facts.names.weight()
        + facts.scopes.len() * (size_of::<Scope>() + size_of::<u32>())
        + facts.defs.len() * (size_of::<Def>() + size_of::<(NameId, DefId)>())
        + facts.refs.len() * size_of::<Ref>()
        + facts.exprs.len() * size_of::<Expr>()
        + facts.types.len() * size_of::<TypeExpr>()
        + facts.lists.len() * 4
        + (facts.imports.len() + facts.assigns.len() + facts.guards.len() + facts.expectations.len()) * 48
        + 512
}

#[cfg(test)]
mod tests {
    use ide_model::Language;

    use super::*;
    use crate::FactBuilder;

    fn facts() -> Result<FileFacts, ()> {
        Ok(FactBuilder::new(Language::Java, 0).finish())
    }

    #[test]
    fn what_was_not_used_for_long_goes_first_and_the_limit_holds() {
        let one = weight(&facts().unwrap());
        let cache = FactsCache::new(one * 4);
        // Files of one shard.
        let file = |i: u32| i * SHARDS as u32;
        for i in 0..4 {
            cache.get(0, file(i), facts).unwrap();
        }
        cache.get(0, file(0), || -> Result<FileFacts, ()> { panic!("was held") }).unwrap();
        for i in 4..20 {
            cache.get(0, file(i), facts).unwrap();
            cache.get(0, file(0), || -> Result<FileFacts, ()> { panic!("was used just now") }).unwrap();
        }
        assert!(cache.bytes.load(Ordering::Relaxed) <= one * 4);
        assert_eq!(cache.bytes.load(Ordering::Relaxed), cache.shards[0].lock().unwrap().held.len() * one);
        assert_eq!(cache.get(0, file(1), || Err("dropped")), Err("dropped"));
    }
}
