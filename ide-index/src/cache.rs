//! Decoded facts, kept while there is room.

use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustc_hash::FxHashMap;

use crate::facts::{Def, DefId, Expr, FileFacts, NameId, Ref, RefId, Scope, TypeExpr};

const SHARDS: usize = 16;

/// Facts by (segment, file), least recently used ones dropped first. The indexes of several projects may share one.
#[derive(Debug)]
pub struct FactsCache {
    shards: [Mutex<Shard>; SHARDS],
    /// Counts uses.
    clock: AtomicU64,
    /// Bytes that all shards hold.
    bytes: AtomicUsize,
    /// Bytes that they may hold.
    room: usize,
    /// When [`Self::forget_unused`] was last heeded, and what the clock was.
    swept: Mutex<(Option<Duration>, u64)>,
}

type Shard = FxHashMap<(u64, u32), Held>;

#[derive(Debug)]
struct Held {
    facts: Arc<FileFacts>,
    bytes: usize,
    used: u64,
}

impl Default for FactsCache {
    /// Room for the facts of about two million lines.
    fn default() -> Self {
        Self::new(512 << 20)
    }
}

impl FactsCache {
    /// Room for about this many bytes.
    pub fn new(bytes: usize) -> Self {
        Self {
            shards: Default::default(),
            clock: AtomicU64::new(0),
            bytes: AtomicUsize::new(0),
            room: bytes,
            swept: Mutex::default(),
        }
    }

    /// The facts of a file, made by `load` unless they are held.
    ///
    /// # Errors
    /// The error of `load`.
    pub fn get<E>(
        &self,
        segment: u64,
        file: u32,
        load: impl FnOnce() -> Result<FileFacts, E>,
    ) -> Result<Arc<FileFacts>, E> {
        let shard = || locked(&self.shards[(segment as usize + file as usize) % SHARDS]);
        let used = self.clock.fetch_add(1, Ordering::Relaxed);
        if let Some(held) = shard().get_mut(&(segment, file)) {
            held.used = used;
            return Ok(held.facts.clone());
        }
        // Decoded outside the lock: at worst two threads do it.
        let facts = Arc::new(load()?);
        let held = Held { facts: facts.clone(), bytes: weight(&facts), used };
        let mut bytes = self.bytes.fetch_add(held.bytes, Ordering::Relaxed) + held.bytes;
        if let Some(before) = shard().insert((segment, file), held) {
            bytes = self.bytes.fetch_sub(before.bytes, Ordering::Relaxed) - before.bytes;
        }
        if bytes > self.room {
            self.drop_oldest(self.room / 4 * 3, |last| last != used);
        }
        Ok(facts)
    }

    /// Drops what was not used since this was called last, unless that is less than `pause` ago. Times are since whenever.
    pub fn forget_unused(&self, now: Duration, pause: Duration) {
        let mut swept = self.swept.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, clock) = *swept;
        if last.is_some_and(|last| now.saturating_sub(last) < pause) {
            return;
        }
        *swept = (Some(now), self.clock.load(Ordering::Relaxed));
        drop(swept);
        self.drop_oldest(0, |used| used < clock);
    }

    /// Drops those of which the time of the last use may go, the oldest first, until no more than `bytes` are in use.
    /// A value made just now must stay: a value larger than the whole room would be made again and again otherwise.
    fn drop_oldest(&self, bytes: usize, may_go: impl Fn(u64) -> bool) {
        let mut by_age: Vec<(u64, usize, (u64, u32))> = Vec::new();
        for (number, shard) in self.shards.iter().enumerate() {
            let held = locked(shard);
            let old = held.iter().filter(|(_, held)| may_go(held.used));
            by_age.extend(old.map(|(key, held)| (held.used, number, *key)));
        }
        by_age.sort_unstable();
        for (used, number, key) in by_age {
            if self.bytes.load(Ordering::Relaxed) <= bytes {
                break;
            }
            if let Entry::Occupied(held) = locked(&self.shards[number]).entry(key)
                && held.get().used == used
            {
                self.bytes.fetch_sub(held.remove().bytes, Ordering::Relaxed);
            }
        }
    }
}

fn locked(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// About how many bytes decoded facts take.
fn weight(facts: &FileFacts) -> usize {
    facts.names.weight()
        + facts.scopes.len() * (size_of::<Scope>() + size_of::<u32>())
        + facts.defs.len() * (size_of::<Def>() + size_of::<(NameId, DefId, DefId)>())
        + facts.refs.len() * (size_of::<Ref>() + size_of::<RefId>())
        + facts.exprs.len() * size_of::<Expr>()
        + facts.types.len() * size_of::<TypeExpr>()
        + facts.lists.len() * 4
        + (facts.imports.len() + facts.assigns.len() + facts.guards.len() + facts.expectations.len()) * 64
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
        for i in 0..4 {
            cache.get(0, i, facts).unwrap();
        }
        cache.get(0, 0, || -> Result<FileFacts, ()> { panic!("was held") }).unwrap();
        for i in 4..20 {
            cache.get(0, i, facts).unwrap();
            for held in [0, i] {
                cache.get(0, held, || -> Result<FileFacts, ()> { panic!("was used just now") }).unwrap();
            }
        }
        assert!(cache.bytes.load(Ordering::Relaxed) <= one * 4);
        let held: usize = cache.shards.iter().map(|shard| shard.lock().unwrap().len()).sum();
        assert_eq!(cache.bytes.load(Ordering::Relaxed), held * one);
        assert_eq!(cache.get(0, 1, || Err("dropped")), Err("dropped"));
    }

    #[test]
    fn what_is_not_used_from_one_sweep_to_the_next_is_dropped() {
        let cache = FactsCache::new(usize::MAX);
        let minute = Duration::from_secs(60);
        let start = Duration::from_secs(1000);
        cache.get(0, 0, facts).unwrap();
        cache.get(0, 1, facts).unwrap();
        cache.forget_unused(start, minute);
        cache.get(0, 0, || -> Result<FileFacts, ()> { panic!("nothing was swept before") }).unwrap();
        // Another project asks too soon.
        cache.forget_unused(start + minute / 2, minute);
        cache.forget_unused(start + minute, minute);
        cache.get(0, 0, || -> Result<FileFacts, ()> { panic!("was used since") }).unwrap();
        assert_eq!(cache.get(0, 1, || Err("dropped")), Err("dropped"));
        cache.forget_unused(start + minute * 2, minute);
        cache.forget_unused(start + minute * 3, minute);
        assert_eq!(cache.bytes.load(Ordering::Relaxed), 0);
    }
}
