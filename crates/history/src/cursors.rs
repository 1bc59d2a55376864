//! The cursor store: results of searches, kept for later pages (section 7.4).
//!
//! The store never runs a search. When a page needs more than is held, it says so
//! ([`Step::More`]) and takes the next batch ([`Cursors::extend`]), so that no lock is held while
//! the engine works; [`Cursors::page_with`] does both for callers that need no lock.

use std::collections::HashSet;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use crate::slots::{Binding, CursorError, EntryId, Hit, Slots};
use crate::token::MAX_PAGE_SIZE;

/// How many results a first search should collect, so that the next pages need no second search.
pub const FIRST_COLLECTION: usize = 500;

/// The most results that are held for one search.
pub const MAX_HELD: usize = 5_000;

/// Results of a search, in the order in which they are to be shown.
#[derive(Clone, Debug)]
pub struct Batch<T> {
    /// The results; those already held are skipped by their keys.
    pub items: Vec<T>,
    /// Nothing follows: the search came to its natural end.
    pub exhausted: bool,
}

/// A search as it enters the store.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a, Q> {
    /// Who ran it, with what, on what.
    pub binding: Binding<'a>,
    /// The state of the project's content when it ran.
    pub generation: u64,
    /// What is needed to run it again.
    pub query: Q,
}

/// A call with a token.
#[derive(Clone, Copy, Debug)]
pub struct PageRequest<'a> {
    /// Who calls, what, on what.
    pub binding: Binding<'a>,
    /// The token.
    pub cursor: &'a str,
    /// The `pageSize` of this call, clamped; overrides the one in the token.
    pub page_size: Option<usize>,
    /// The state of the project's content now.
    pub generation: u64,
}

/// One page, with everything that the page fields of section 1.2 say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// Results held so far (`totalCount` and `totalCollected`).
    pub total_collected: usize,
    /// That number is all there is; false reads "at least".
    pub total_is_exact: bool,
    /// The token of the next page, when there is one.
    pub next_cursor: Option<String>,
    /// Another page can be fetched.
    pub has_more: bool,
    /// Something is missing behind this page, fetchable or not.
    pub truncated: bool,
    /// Index of the first item.
    pub offset: usize,
    /// The content changed since the search ran.
    pub stale: bool,
}

/// What a token leads to.
#[derive(Clone, Debug)]
pub enum Step<T, Q> {
    /// The page.
    Page(Page<T>),
    /// The search has to go on: run it for at least `wanted` results in all and call
    /// [`Cursors::extend`], then ask again.
    More {
        /// What [`Cursors::extend`] wants to know.
        entry: EntryId,
        /// The search.
        query: Arc<Q>,
        /// How many results are held.
        held: usize,
        /// How many results are needed in all.
        wanted: usize,
    },
}

/// Why a search could not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResumeError<E> {
    /// What was searched for no longer exists.
    Invalidated,
    /// The engine failed; the entry stays, so that the call can be repeated.
    Failed(E),
}

/// Why [`Cursors::page_with`] gave no page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageError<E> {
    /// The token.
    Cursor(CursorError),
    /// The search.
    Search(E),
}

struct Held<T, Q, K> {
    query: Arc<Q>,
    generation: u64,
    items: Vec<T>,
    seen: HashSet<K>,
    exhausted: bool,
    /// There is more than may be held, or the search makes no progress.
    cut: bool,
}

/// The searches of all clients. `K` is what makes a result the same result, given by `key`.
pub struct Cursors<T, Q, K> {
    key: fn(&T) -> K,
    slots: Slots<Held<T, Q, K>>,
}

impl<T, Q, K> fmt::Debug for Cursors<T, Q, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.slots.fmt(f)
    }
}

impl<T: Clone, Q, K: Hash + Eq> Cursors<T, Q, K> {
    /// An empty store.
    #[must_use]
    pub fn new(key: fn(&T) -> K) -> Cursors<T, Q, K> {
        Cursors { key, slots: Slots::default() }
    }

    /// Takes the first batch of a search and gives its first page. A search that fits the page takes
    /// no slot. `now` is any clock that only goes forward; `id` is fresh randomness.
    pub fn start(
        &mut self,
        search: Search<'_, Q>,
        batch: Batch<T>,
        page_size: usize,
        now: Duration,
        id: u128,
    ) -> Page<T> {
        let Search { binding, generation, query } = search;
        let query = Arc::new(query);
        let mut held =
            Held { query, generation, items: Vec::new(), seen: HashSet::new(), exhausted: false, cut: false };
        held.add(batch, self.key);
        let page = held.page(EntryId(id), 0, page_size.clamp(1, MAX_PAGE_SIZE), generation);
        if page.next_cursor.is_some() {
            self.slots.keep(binding, held, now, id);
        }
        page
    }

    /// Gives the page of a token, or says that the search has to go on. Reading changes nothing but
    /// the time of last use: the same token gives the same page for as long as its entry lives.
    ///
    /// # Errors
    /// See [`CursorError`].
    pub fn page(&mut self, request: PageRequest<'_>, now: Duration) -> Result<Step<T, Q>, CursorError> {
        let Hit { entry, offset, page_size, payload: held } =
            self.slots.find(request.binding, request.cursor, now)?;
        let size = request.page_size.or(page_size).ok_or(CursorError::Malformed)?.clamp(1, MAX_PAGE_SIZE);
        let wanted = offset.saturating_add(size).min(MAX_HELD);
        if wanted > held.items.len() && held.can_grow() {
            return Ok(Step::More { entry, query: held.query.clone(), held: held.items.len(), wanted });
        }
        Ok(Step::Page(held.page(entry, offset, size, request.generation)))
    }

    /// Adds what a search found when it went on. Results that are held already are skipped, so the
    /// batch may start from the beginning. An entry that has gone meanwhile is no error here: the
    /// next [`Cursors::page`] reports it.
    pub fn extend(&mut self, client: &str, entry: EntryId, batch: Batch<T>) {
        if let Some(held) = self.slots.get_mut(client, entry) {
            let before = held.items.len();
            held.add(batch, self.key);
            // asking again would only repeat the same answer
            held.cut |= held.items.len() == before && !held.exhausted;
        }
    }

    /// [`Cursors::page`] with the continuation of the search: `resume` gets the query and how many
    /// results are wanted in all.
    ///
    /// # Errors
    /// The token's, or what `resume` gives.
    pub fn page_with<E>(
        &mut self,
        request: PageRequest<'_>,
        now: Duration,
        mut resume: impl FnMut(&Q, usize) -> Result<Batch<T>, ResumeError<E>>,
    ) -> Result<Page<T>, PageError<E>> {
        let client = request.binding.client;
        loop {
            match self.page(request, now).map_err(PageError::Cursor)? {
                Step::Page(page) => return Ok(page),
                Step::More { entry, query, wanted, .. } => match resume(&query, wanted) {
                    Ok(batch) => self.extend(client, entry, batch),
                    Err(ResumeError::Failed(e)) => return Err(PageError::Search(e)),
                    Err(ResumeError::Invalidated) => {
                        self.invalidate(client, entry);
                        return Err(PageError::Cursor(CursorError::Invalidated));
                    }
                },
            }
        }
    }

    /// Forgets a search whose subject no longer exists.
    pub fn invalidate(&mut self, client: &str, entry: EntryId) {
        self.slots.remove(client, entry);
    }

    /// [`Slots::sweep`].
    pub fn sweep(&mut self, now: Duration) -> usize {
        self.slots.sweep(now)
    }

    /// [`Slots::close_project`].
    pub fn close_project(&mut self, project: &str) {
        self.slots.close_project(project);
    }
}

impl<T: Clone, Q, K: Hash + Eq> Held<T, Q, K> {
    fn add(&mut self, batch: Batch<T>, key: fn(&T) -> K) {
        for item in batch.items {
            if self.items.len() == MAX_HELD {
                self.cut |= !self.seen.contains(&key(&item));
            } else if self.seen.insert(key(&item)) {
                self.items.push(item);
            }
        }
        self.exhausted = batch.exhausted;
        self.cut |= !self.exhausted && self.items.len() == MAX_HELD;
    }

    fn can_grow(&self) -> bool {
        !self.exhausted && !self.cut
    }

    fn page(&self, entry: EntryId, offset: usize, size: usize, generation: u64) -> Page<T> {
        let start = offset.min(self.items.len());
        let end = offset.saturating_add(size).min(self.items.len());
        let has_more = end < self.items.len() || self.can_grow();
        Page {
            items: self.items[start..end.max(start)].to_vec(),
            total_collected: self.items.len(),
            total_is_exact: self.exhausted && !self.cut,
            next_cursor: has_more.then(|| entry.token(end, size)),
            has_more,
            truncated: has_more || self.cut,
            offset,
            stale: generation != self.generation,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;
    use crate::slots::LIFETIME;
    use crate::token::Token;

    type Store = Cursors<u32, String, u32>;

    const BINDING: Binding<'_> = Binding { client: "c", tool: "find", project: "/p" };

    fn search(client: &str) -> Search<'_, String> {
        Search { binding: Binding { client, ..BINDING }, generation: 7, query: "q".into() }
    }

    fn request(cursor: &str) -> PageRequest<'_> {
        PageRequest { binding: BINDING, cursor, page_size: None, generation: 7 }
    }

    fn bound<'a>(binding: Binding<'a>, cursor: &'a str) -> PageRequest<'a> {
        PageRequest { binding, ..request(cursor) }
    }

    fn batch(range: std::ops::Range<u32>, exhausted: bool) -> Batch<u32> {
        Batch { items: range.collect(), exhausted }
    }

    fn never(_: &String, _: usize) -> Result<Batch<u32>, ResumeError<&'static str>> {
        panic!("an exhausted search is not run again")
    }

    const T0: Duration = Duration::from_secs(100);

    fn started(items: u32, size: usize) -> (Store, String) {
        let mut store = Store::new(|x| *x);
        let page = store.start(search("c"), batch(0..items, true), size, T0, 1);
        (store, page.next_cursor.unwrap())
    }

    #[test]
    fn pages_follow_one_another_and_repeat() {
        let (mut store, second) = started(25, 10);
        for _ in 0..2 {
            let page = store.page_with(request(&second), T0, never).unwrap();
            assert_eq!((page.items.as_slice(), page.offset), ((10..20).collect::<Vec<_>>().as_slice(), 10));
            assert!(page.has_more && page.truncated && page.total_is_exact && !page.stale);
            let third = page.next_cursor.unwrap();
            let last = store.page_with(request(&third), T0, never).unwrap();
            assert_eq!(last.items, [20, 21, 22, 23, 24]);
            assert_eq!(
                (last.has_more, last.truncated, last.next_cursor, last.total_collected),
                (false, false, None, 25)
            );
        }
    }

    #[test]
    fn a_search_that_fits_takes_no_slot() {
        let mut store = Store::new(|x| *x);
        let page = store.start(search("c"), batch(0..10, true), 10, T0, 1);
        assert!(store.slots.is_empty() && page.next_cursor.is_none() && page.total_is_exact);
        let page = store.start(search("c"), batch(0..3, false), 10, T0, 2);
        assert!(page.has_more && !page.total_is_exact, "an unfinished search keeps its slot");
        assert_eq!(store.slots.len(), 1);
    }

    #[test]
    fn the_size_of_a_call_wins_over_that_of_the_token() {
        let (mut store, second) = started(2_000, 10);
        let page = |store: &mut Store, cursor: &str, page_size| {
            let request = PageRequest { page_size, ..request(cursor) };
            store.page_with(request, T0, never)
        };
        assert_eq!(page(&mut store, &second, None).unwrap().items.len(), 10);
        assert_eq!(page(&mut store, &second, Some(3)).unwrap().items, [10, 11, 12]);
        assert_eq!(page(&mut store, &second, Some(9_999)).unwrap().items.len(), 500);
        let old = Token { entry: 1, offset: 4, page_size: None }.encode();
        assert_eq!(page(&mut store, &old, None), Err(PageError::Cursor(CursorError::Malformed)));
        assert_eq!(page(&mut store, &old, Some(2)).unwrap().items, [4, 5]);
    }

    #[test]
    fn past_the_end_is_an_empty_page() {
        let (mut store, _) = started(25, 10);
        for offset in [25, 26, usize::MAX] {
            let cursor = Token { entry: 1, offset, page_size: Some(10) }.encode();
            let page = store.page_with(request(&cursor), T0, never).unwrap();
            assert!(page.items.is_empty() && !page.has_more && page.next_cursor.is_none());
        }
    }

    #[test]
    fn growth_skips_what_was_seen_and_stops_at_the_end() {
        let mut store = Store::new(|x| *x);
        let first = store.start(search("c"), batch(0..10, false), 10, T0, 1);
        let cursor = first.next_cursor.unwrap();
        let runs = Cell::new(0);
        // the content changed: one result went, a new one came in front
        let resume = |query: &String, wanted: usize| {
            runs.set(runs.get() + 1);
            assert_eq!((query.as_str(), wanted), ("q", 20));
            Ok::<_, ResumeError<&str>>(Batch { items: vec![99, 0, 1, 2, 3, 10, 11], exhausted: true })
        };
        let changed = PageRequest { generation: 8, ..request(&cursor) };
        let page = store.page_with(changed, T0, resume).unwrap();
        assert_eq!(page.items, [99, 10, 11]);
        assert!(page.stale && page.total_is_exact && !page.has_more);
        assert_eq!(store.page_with(changed, T0, never).unwrap(), page, "known to be exhausted");
        assert_eq!(runs.get(), 1);
    }

    #[test]
    fn the_cap_is_said() {
        let mut store = Store::new(|x| *x);
        let cursor = store.start(search("c"), batch(0..500, false), 500, T0, 1).next_cursor.unwrap();
        let grow = |_: &String, wanted: usize| {
            Ok::<_, ResumeError<&str>>(batch(0..u32::try_from(wanted).unwrap(), false))
        };
        let mut cursor = Some(cursor);
        let mut last = None;
        let mut total = 500;
        while let Some(next) = cursor {
            let page = store.page_with(request(&next), T0, grow).unwrap();
            total += page.items.len();
            cursor = page.next_cursor.clone();
            last = Some(page);
        }
        let last = last.unwrap();
        assert_eq!((total, last.total_collected), (MAX_HELD, MAX_HELD));
        assert!(!last.has_more && last.truncated && !last.total_is_exact);

        let mut store = Store::new(|x| *x);
        let page = store.start(search("c"), batch(0..5_001, true), 500, T0, 1);
        assert!(!page.total_is_exact && page.total_collected == MAX_HELD, "one too many");
        let page = store.start(search("c"), batch(0..5_000, true), 500, T0, 2);
        assert!(page.total_is_exact, "exactly as many as fit");
    }

    #[test]
    fn a_search_without_progress_ends() {
        let mut store = Store::new(|x| *x);
        let cursor = store.start(search("c"), batch(0..3, false), 3, T0, 1).next_cursor.unwrap();
        let page = store
            .page_with(request(&cursor), T0, |_, _| Ok::<_, ResumeError<()>>(batch(0..3, false)))
            .unwrap();
        assert!(page.items.is_empty() && !page.has_more && page.truncated && !page.total_is_exact);
    }

    #[test]
    fn the_errors() {
        let (mut store, cursor) = started(25, 10);
        let error = |store: &mut Store, request, now| match store.page_with(request, now, never) {
            Err(PageError::Cursor(e)) => e.slug(),
            other => panic!("{other:?}"),
        };
        assert_eq!(error(&mut store, request("nonsense"), T0), "cursor_malformed");
        let unknown = Token { entry: 2, offset: 0, page_size: Some(1) }.encode();
        assert_eq!(error(&mut store, request(&unknown), T0), "cursor_not_found");
        for (binding, slug) in [
            (Binding { client: "d", ..BINDING }, "cursor_not_found"),
            (Binding { project: "/q", ..BINDING }, "cursor_other_project"),
            (Binding { tool: "search", ..BINDING }, "cursor_other_tool"),
        ] {
            assert_eq!(error(&mut store, bound(binding, &cursor), T0), slug);
        }

        let edge = T0 + Duration::from_secs(600);
        assert!(store.page_with(request(&cursor), edge, never).is_ok(), "use prolongs life");
        let late = edge + Duration::from_millis(600_001);
        assert_eq!(error(&mut store, request(&cursor), late), "cursor_expired");
        assert_eq!(error(&mut store, request(&cursor), late), "cursor_not_found");
    }

    #[test]
    fn a_failed_search_can_be_repeated_and_a_vanished_subject_not() {
        let mut store = Store::new(|x| *x);
        let cursor = store.start(search("c"), batch(0..3, false), 3, T0, 1).next_cursor.unwrap();
        let failed = store.page_with(request(&cursor), T0, |_, _| Err(ResumeError::Failed("engine")));
        assert_eq!(failed, Err(PageError::Search("engine")));
        let gone = store.page_with(request(&cursor), T0, |_, _| Err(ResumeError::<()>::Invalidated));
        assert_eq!(gone, Err(PageError::Cursor(CursorError::Invalidated)));
        assert!(store.slots.is_empty());
    }

    #[test]
    fn twenty_per_client_and_the_least_used_goes() {
        let mut store = Store::new(|x| *x);
        let at = |n: u32| T0 + Duration::from_secs(u64::from(n));
        let cursors: Vec<String> = (0..20)
            .map(|n| {
                store.start(search("c"), batch(0..9, true), 3, at(n), u128::from(n)).next_cursor.unwrap()
            })
            .collect();
        store.start(search("other"), batch(0..9, true), 3, at(30), 100);
        assert!(store.page_with(request(&cursors[0]), at(30), never).is_ok());
        store.start(search("c"), batch(0..9, true), 3, at(31), 101);
        assert_eq!(store.slots.len(), 21);
        assert!(store.page_with(request(&cursors[0]), at(31), never).is_ok(), "just used");
        assert!(store.page_with(request(&cursors[1]), at(31), never).is_err(), "least used");
        assert_eq!(store.slots.sweep(at(30) + LIFETIME), 18);
        assert_eq!(store.slots.len(), 3);
        store.slots.close_project("/p");
        assert!(store.slots.is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Whatever sizes are asked for, the pages together are the search, in order, without repeats.
        #[test]
        fn pages_add_up(total in 0_u32..1_500, first in 1_usize..700, sizes in prop::collection::vec(1_usize..600, 1..8)) {
            let mut store = Store::new(|x| *x);
            let taken = total.min(u32::try_from(first).unwrap());
            let page = store.start(search("c"), batch(0..taken, taken == total), sizes[0], T0, 1);
            let mut all = page.items.clone();
            let mut cursor = page.next_cursor;
            for size in sizes.iter().cycle() {
                let Some(next) = cursor else { break };
                let request = PageRequest { page_size: Some(*size), ..request(&next) };
                let page = store.page_with(request, T0, |_, wanted| {
                    let end = total.min(u32::try_from(wanted).unwrap());
                    Ok::<_, ResumeError<()>>(batch(0..end, end == total))
                }).unwrap();
                prop_assert_eq!(page.offset, all.len());
                all.extend(page.items);
                cursor = page.next_cursor;
            }
            prop_assert_eq!(all, (0..total).collect::<Vec<_>>());
        }
    }
}
