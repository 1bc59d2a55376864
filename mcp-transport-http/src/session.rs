//! Sessions of revisions with a handshake: an id, a peer, and the logs of its event streams. No task, no channel.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use mcp_protocol::{UnixMillis, server::Peer};

use crate::stream::{Log, Source};

/// The standalone stream of a session.
pub(crate) const NEWS: u64 = 0;

pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) peer: Peer,
    pub(crate) principal: Option<Arc<str>>,
    last_seen: AtomicU64,
    streams: Mutex<Streams>,
}

#[derive(Default)]
struct Streams {
    last: u64,
    logs: BTreeMap<u64, Arc<Log>>,
}

impl Session {
    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a log for a request. When too many are kept the oldest that has ended goes; `None` if all still run.
    pub(crate) fn open(&self, source: Source, most: usize, events: usize) -> Option<Arc<Log>> {
        let mut streams = self.streams();
        if streams.logs.len() >= most {
            let ended = streams.logs.iter().find(|(_, log)| log.is_ended()).map(|(id, _)| *id);
            streams.logs.remove(&ended?);
        }
        streams.last += 1;
        let log = Arc::new(Log::new(streams.last, source, events));
        streams.logs.insert(log.id(), Arc::clone(&log));
        Some(log)
    }

    /// The standalone stream.
    pub(crate) fn news(&self, events: usize) -> Arc<Log> {
        let mut streams = self.streams();
        let log = streams
            .logs
            .entry(NEWS)
            .or_insert_with(|| Arc::new(Log::new(NEWS, Source::News(self.peer.clone()), events)));
        Arc::clone(log)
    }

    /// The stream of that number.
    pub(crate) fn stream(&self, id: u64) -> Option<Arc<Log>> {
        self.streams().logs.get(&id).cloned()
    }

    fn last_seen(&self) -> u64 {
        self.last_seen.load(Ordering::Relaxed)
    }

    fn is_busy(&self) -> bool {
        self.streams().logs.values().any(|log| log.is_read() || (log.id() != NEWS && !log.is_ended()))
    }

    fn end(&self) {
        self.peer.close();
        self.streams().logs.clear();
    }
}

/// Every session of a service.
pub(crate) struct Sessions {
    most: usize,
    ttl: Duration,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    by_id: HashMap<String, Arc<Session>>,
    swept: UnixMillis,
    /// The sessions that were idle for longest when this was last filled, and since when; the oldest at the end.
    oldest: Vec<(u64, Weak<Session>)>,
}

impl Table {
    /// The idle session that was used least recently. All are looked at once for many calls: of those that were oldest
    /// then, one that was not used since is still older than everything that was not among them.
    fn least_recently_used(&mut self) -> Option<Arc<Session>> {
        if let Some(found) = self.next_oldest() {
            return Some(found);
        }
        let idle = self.by_id.values().filter(|session| !session.is_busy());
        let mut idle: Vec<_> = idle.map(|session| (session.last_seen(), session)).collect();
        idle.sort_unstable_by(|(a, s), (b, t)| b.cmp(a).then_with(|| t.id.cmp(&s.id)));
        let kept = idle.len() - idle.len().div_ceil(16);
        self.oldest = idle.drain(kept..).map(|(seen, session)| (seen, Arc::downgrade(session))).collect();
        self.next_oldest()
    }

    fn next_oldest(&mut self) -> Option<Arc<Session>> {
        while let Some((seen, session)) = self.oldest.pop() {
            let is_listed =
                |s: &Arc<Session>| self.by_id.get(&s.id).is_some_and(|known| Arc::ptr_eq(known, s));
            let is_unused = |s: &Arc<Session>| s.last_seen() == seen && !s.is_busy();
            if let Some(session) = session.upgrade().filter(|s| is_listed(s) && is_unused(s)) {
                return Some(session);
            }
        }
        None
    }
}

impl Sessions {
    pub(crate) fn new(most: usize, ttl: Duration) -> Self {
        Self { most, ttl, table: Mutex::default() }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a session for a peer that has shaken hands; `None` if there is no room.
    pub(crate) fn add(
        &self,
        id: String,
        peer: Peer,
        principal: Option<Arc<str>>,
        now: UnixMillis,
    ) -> Option<Arc<Session>> {
        let mut ended = Vec::new();
        let session = {
            let mut table = self.table();
            self.sweep(&mut table, now, &mut ended);
            if table.by_id.len() >= self.most {
                let oldest = table.least_recently_used()?;
                ended.extend(table.by_id.remove(&oldest.id));
            }
            let session = Arc::new(Session {
                id: id.clone(),
                peer,
                principal,
                last_seen: AtomicU64::new(now.0),
                streams: Mutex::default(),
            });
            table.by_id.insert(id, Arc::clone(&session));
            session
        };
        ended.iter().for_each(|s| s.end());
        Some(session)
    }

    /// The session of that id, if it belongs to the principal; it counts as used now.
    pub(crate) fn get(&self, id: &str, principal: Option<&str>, now: UnixMillis) -> Option<Arc<Session>> {
        let mut ended = Vec::new();
        let found = {
            let mut table = self.table();
            self.sweep(&mut table, now, &mut ended);
            table.by_id.get(id).filter(|s| s.principal.as_deref() == principal).cloned()
        };
        ended.iter().for_each(|s| s.end());
        let found = found?;
        found.last_seen.store(now.0, Ordering::Relaxed);
        Some(found)
    }

    /// Ends a session; false if there is none.
    pub(crate) fn remove(&self, id: &str, principal: Option<&str>) -> bool {
        let removed = {
            let mut table = self.table();
            match table.by_id.get(id) {
                Some(s) if s.principal.as_deref() == principal => table.by_id.remove(id),
                _ => None,
            }
        };
        removed.is_some_and(|session| {
            session.end();
            true
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.table().by_id.len()
    }

    pub(crate) fn clear(&self) {
        let all = std::mem::take(&mut self.table().by_id);
        all.values().for_each(|s| s.end());
    }

    /// Takes out what has been idle for too long; looks at most once a second.
    fn sweep(&self, table: &mut Table, now: UnixMillis, ended: &mut Vec<Arc<Session>>) {
        if now < table.swept.plus(self.ttl.min(Duration::from_secs(1))) {
            return;
        }
        table.swept = now;
        let stale = |s: &Session| UnixMillis(s.last_seen()).plus(self.ttl) <= now && !s.is_busy();
        let ids: Vec<String> = table.by_id.values().filter(|s| stale(s)).map(|s| s.id.clone()).collect();
        ended.extend(ids.iter().filter_map(|id| table.by_id.remove(id)));
    }
}
