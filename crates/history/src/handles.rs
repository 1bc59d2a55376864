//! Opaque names for things that a client may come back to (`symbolId`, section 9).

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::Hash;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// How many handles live at once; the least recently used goes first.
const CAPACITY: usize = 4_096;

/// How long an unused handle lives.
const LIFETIME: Duration = Duration::from_secs(60 * 60);

/// The handle is unknown, evicted or unused for an hour. Nothing nearby is given instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandleExpired;

impl fmt::Display for HandleExpired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`symbolId` is no longer known; find the symbol again by name or position")
    }
}

impl std::error::Error for HandleExpired {}

struct Slot<T> {
    value: T,
    last_used: Duration,
    turn: u64,
}

/// A bounded map from opaque handles to values. An equal value keeps its handle for as long as it
/// lives, so that asking the same question again does not push others out.
pub struct Handles<T> {
    slots: HashMap<u64, Slot<T>>,
    by_value: HashMap<T, u64>,
    /// From oldest to newest use.
    order: BTreeMap<u64, u64>,
    turn: u64,
}

impl<T> Default for Handles<T> {
    fn default() -> Handles<T> {
        Handles { slots: HashMap::new(), by_value: HashMap::new(), order: BTreeMap::new(), turn: 0 }
    }
}

impl<T> fmt::Debug for Handles<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handles").field("len", &self.slots.len()).finish_non_exhaustive()
    }
}

impl<T: Clone + Eq + Hash> Handles<T> {
    /// The handle of a value, new or known. `random` must give fresh randomness on every call.
    pub fn issue(&mut self, value: &T, now: Duration, mut random: impl FnMut() -> u64) -> String {
        let known = self.by_value.get(value).copied();
        let id = known.unwrap_or_else(|| {
            let mut id = random();
            while self.slots.contains_key(&id) {
                id = random();
            }
            self.by_value.insert(value.clone(), id);
            self.slots.insert(id, Slot { value: value.clone(), last_used: now, turn: u64::MAX });
            id
        });
        self.touch(id, now);
        if self.slots.len() > CAPACITY
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.remove(oldest);
        }
        URL_SAFE_NO_PAD.encode(id.to_be_bytes())
    }

    /// The value behind a handle; this counts as use.
    ///
    /// # Errors
    /// When there is none any more.
    pub fn get(&mut self, handle: &str, now: Duration) -> Result<&T, HandleExpired> {
        let bytes = URL_SAFE_NO_PAD.decode(handle.trim()).map_err(|_| HandleExpired)?;
        let id = u64::from_be_bytes(bytes.try_into().map_err(|_| HandleExpired)?);
        let slot = self.slots.get(&id).ok_or(HandleExpired)?;
        if now.saturating_sub(slot.last_used) > LIFETIME {
            self.remove(id);
            return Err(HandleExpired);
        }
        self.touch(id, now);
        self.slots.get(&id).map(|slot| &slot.value).ok_or(HandleExpired)
    }

    /// Drops the values for which `keep` says no: a closed project, a deleted file.
    pub fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        let gone: Vec<u64> = self
            .order
            .values()
            .copied()
            .filter(|id| self.slots.get(id).is_some_and(|s| !keep(&s.value)))
            .collect();
        for id in gone {
            self.remove(id);
        }
    }

    /// The number of handles that live.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether no handle lives.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    fn touch(&mut self, id: u64, now: Duration) {
        self.turn += 1;
        if let Some(slot) = self.slots.get_mut(&id) {
            self.order.remove(&slot.turn);
            self.order.insert(self.turn, id);
            slot.turn = self.turn;
            slot.last_used = now;
        }
    }

    fn remove(&mut self, id: u64) {
        if let Some(slot) = self.slots.remove(&id) {
            self.order.remove(&slot.turn);
            self.by_value.remove(&slot.value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T0: Duration = Duration::from_secs(5);

    fn counter() -> impl FnMut() -> u64 {
        let mut n = 0;
        move || {
            n += 1;
            n / 2 // every number twice: a collision each time
        }
    }

    #[test]
    fn a_handle_leads_back() {
        let mut handles = Handles::default();
        let mut random = counter();
        let (a, b) = (handles.issue(&"a", T0, &mut random), handles.issue(&"b", T0, &mut random));
        assert_ne!(a, b);
        assert_eq!(handles.issue(&"a", T0, &mut random), a, "an equal value keeps its handle");
        assert_eq!(handles.len(), 2);
        assert_eq!(handles.get(&a, T0), Ok(&"a"));
        assert_eq!(handles.get(&b, T0), Ok(&"b"));
        for unknown in ["", "x", "AAAAAAAAAAAAAAAA", "////////_wA", "AAAAAAAAAP8"] {
            assert_eq!(handles.get(unknown, T0), Err(HandleExpired), "{unknown}");
        }
    }

    #[test]
    fn an_hour_without_use_ends_it() {
        let mut handles = Handles::default();
        let handle = handles.issue(&1, T0, counter());
        let edge = T0 + LIFETIME;
        assert!(handles.get(&handle, edge).is_ok());
        assert!(handles.get(&handle, edge + LIFETIME).is_ok(), "use prolongs life");
        assert_eq!(handles.get(&handle, edge + LIFETIME * 2 + Duration::from_millis(1)), Err(HandleExpired));
        assert!(handles.is_empty());
    }

    #[test]
    fn the_least_used_goes_when_it_is_full() {
        let mut handles = Handles::default();
        let mut random = counter();
        let all: Vec<String> = (0..CAPACITY).map(|n| handles.issue(&n, T0, &mut random)).collect();
        assert!(handles.get(&all[0], T0).is_ok());
        handles.issue(&CAPACITY, T0, &mut random);
        assert_eq!(handles.len(), CAPACITY);
        assert!(handles.get(&all[0], T0).is_ok());
        assert_eq!(handles.get(&all[1], T0), Err(HandleExpired));
        handles.retain(|n| n % 2 == 0);
        assert_eq!(handles.len(), CAPACITY / 2 + 1);
        assert_eq!((handles.by_value.len(), handles.order.len()), (handles.len(), handles.len()));
    }
}
