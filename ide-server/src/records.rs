//! The history of calls in use: every call is handed over to one thread, which masks, keeps and stores it.
//!
//! A call never waits for its history. Entries that cannot be handed over because too many are waiting are counted
//! and dropped.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use history::{
    Database, DatabaseError, Entry, Event, Filter, Group, History, NewCall, Outcome, Page, Statistics,
};

use ide_tools::Reply;
use serde_json::Value;

use crate::calls::log;

/// Calls and outcomes that may wait for the thread: a burst of calls is longer than what is stored at once.
const WAITING: usize = 2048;
/// Calls that are stored in one transaction.
const TOGETHER: usize = 256;

/// How long a question waits for the thread to have seen what came before it.
const SETTLED: Duration = Duration::from_secs(1);

/// So many stored calls later the oldest are dropped.
const TRIM_EVERY: usize = 50;

/// A call that got no outcome in this time belongs to a process that ended.
const ABANDONED_MS: u64 = 10 * 60 * 1_000;

/// The calls of this process and, where there is a file for them, of all before it.
pub struct Records {
    sender: Option<SyncSender<Message>>,
    thread: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
    is_on: bool,
}

struct Shared {
    memory: Mutex<History>,
    /// `None` until it is needed, or when it cannot be opened.
    reader: Mutex<Option<Database>>,
    file: Option<PathBuf>,
    stored: usize,
    listeners: Mutex<Vec<Sender<Event>>>,
    lost: AtomicU64,
}

enum Message {
    Begin(Box<NewCall>, u64, u128),
    End(u128, Box<Outcome>),
    Withdraw(u128),
    Clear(Option<String>, Sender<()>),
    Settle(Sender<()>),
}

/// A call that has been handed over and has no outcome yet.
#[derive(Debug)]
pub struct Running {
    id: u128,
    started: Instant,
}

impl Running {
    /// How long it has run.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

/// The files that a result says were changed.
pub(crate) fn affected_files(reply: &Reply) -> Option<Vec<String>> {
    let result: Value = serde_json::from_str(&reply.json).ok().filter(|_| !reply.is_error)?;
    if result["dryRun"] == true {
        return None;
    }
    let files = result["affectedFiles"].as_array()?.iter();
    Some(files.filter_map(Value::as_str).map(str::to_owned).collect())
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Records {
    /// Keeps `size` calls of each project in memory, none when it is 0, and `stored` in all in a file.
    pub(crate) fn new(size: usize, stored: usize, file: Option<PathBuf>) -> std::io::Result<Self> {
        let mut memory = History::default();
        memory.set_size(size);
        let shared = Arc::new(Shared {
            memory: Mutex::new(memory),
            reader: Mutex::new(None),
            file: file.filter(|_| stored > 0 && size > 0),
            stored,
            listeners: Mutex::default(),
            lost: AtomicU64::new(0),
        });
        let is_on = size > 0;
        let (sender, receiver) = sync_channel(WAITING);
        let of_thread = shared.clone();
        let thread = std::thread::Builder::new()
            .name("history".to_owned())
            .spawn(move || Writer::new(of_thread).run(&receiver))?;
        Ok(Self { sender: Some(sender), thread: Some(thread), shared, is_on })
    }

    /// Hands over a call that is about to run. `None` when recording is off or too much is waiting.
    pub fn begin(&self, call: NewCall) -> Option<Running> {
        if !self.is_on {
            return None;
        }
        let mut id = [0; 16];
        getrandom::fill(&mut id).ok()?;
        let id = u128::from_le_bytes(id);
        self.send(Message::Begin(Box::new(call), now_ms(), id))
            .then(|| Running { id, started: Instant::now() })
    }

    /// Hands over the outcome of a call.
    pub fn end(&self, running: Running, outcome: Outcome) {
        self.send(Message::End(running.id, Box::new(outcome)));
    }

    /// Takes back a call that did not run after all.
    pub(crate) fn withdraw(&self, running: Running) {
        self.send(Message::Withdraw(running.id));
    }

    fn send(&self, message: Message) -> bool {
        let sent = self.sender.as_ref().is_some_and(|sender| sender.try_send(message).is_ok());
        if !sent {
            self.shared.lost.fetch_add(1, Ordering::Relaxed);
        }
        sent
    }

    /// Waits until what was handed over before is kept. A process that ends must do so: the last owner of the state may be a
    /// thread that ends with it.
    pub(crate) fn settle(&self) {
        let (done, is_done) = channel();
        if self.sender.as_ref().is_some_and(|sender| sender.try_send(Message::Settle(done)).is_ok()) {
            // After the time limit the history shows what it has.
            is_done.recv_timeout(SETTLED).ok();
        }
    }

    /// The entries that pass a filter, newest first, of the file where there is one.
    pub fn list(&self, filter: Filter<'_>, page: Page<'_>) -> Vec<Entry> {
        self.settle();
        self.ask(|database| database.list(filter, page)).unwrap_or_else(|| {
            let memory = locked(&self.shared.memory);
            let listed = memory.list(filter);
            let after = page.before.and_then(|id| listed.iter().position(|entry| entry.id == id));
            listed.into_iter().skip(after.map_or(0, |at| at + 1)).take(page.limit).cloned().collect()
        })
    }

    /// One entry, as a whole where it is stored.
    pub fn get(&self, id: &str) -> Option<Entry> {
        self.settle();
        let stored = self.ask(|database| database.get(id)).flatten();
        stored.or_else(|| locked(&self.shared.memory).get(id).cloned())
    }

    /// Figures of every tool or client, the most used first.
    pub fn statistics(&self, project: Option<&str>, group: Group) -> Vec<Statistics> {
        self.settle();
        self.ask(|database| database.statistics(project, group)).unwrap_or_else(|| {
            let memory = locked(&self.shared.memory);
            Statistics::of_entries(&memory.list(Filter { project, ..Filter::default() }), group)
        })
    }

    /// The projects of the calls.
    pub fn projects(&self) -> Vec<String> {
        self.settle();
        self.ask(Database::projects).unwrap_or_else(|| {
            let memory = locked(&self.shared.memory);
            let all = memory.list(Filter::default());
            let known: BTreeSet<String> = all.iter().filter_map(|entry| entry.project_path.clone()).collect();
            known.into_iter().collect()
        })
    }

    /// Drops the entries of one project, or all, in memory and in the file.
    pub fn clear(&self, project: Option<&str>) {
        let (done, is_done) = channel();
        if self.send(Message::Clear(project.map(str::to_owned), done)) {
            is_done.recv_timeout(SETTLED * 5).ok();
        }
    }

    /// Changes from now on. It ends when the receiver is dropped.
    pub fn subscribe(&self) -> Receiver<Event> {
        let (sender, receiver) = channel();
        locked(&self.shared.listeners).push(sender);
        receiver
    }

    /// Calls and outcomes that were dropped because too many waited.
    pub fn lost(&self) -> u64 {
        self.shared.lost.load(Ordering::Relaxed)
    }

    /// The answer of the file; `None` where there is none or it cannot be read.
    fn ask<T>(&self, question: impl FnOnce(&Database) -> Result<T, DatabaseError>) -> Option<T> {
        let file = self.shared.file.as_deref()?;
        let mut reader = locked(&self.shared.reader);
        if reader.is_none() {
            *reader = open(file);
        }
        match question(reader.as_ref()?) {
            Ok(answer) => Some(answer),
            Err(error) => {
                log(&format!("the history in {} cannot be read: {error}", file.display()));
                None
            }
        }
    }
}

impl Drop for Records {
    fn drop(&mut self) {
        drop(self.sender.take());
        if let Some(thread) = self.thread.take() {
            // A panic in it is logged by itself and no news here.
            drop(thread.join());
        }
    }
}

/// The database in a file that only its owner can read. One that is damaged is put aside.
fn open(file: &Path) -> Option<Database> {
    let try_open = || -> Result<Database, String> {
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        }
        let mut options = std::fs::OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        drop(options.open(file).map_err(|error| error.to_string())?);
        Database::open(file).map_err(|error| error.to_string())
    };
    let is_damaged = || std::fs::metadata(file).is_ok_and(|meta| meta.len() > 0);
    let opened = try_open().or_else(|error| {
        let aside = file.with_extension("damaged");
        if !error.contains("not a database") && !error.contains("malformed") || !is_damaged() {
            return Err(error);
        }
        log(&format!("{}: {error}; it is put aside as {}", file.display(), aside.display()));
        std::fs::rename(file, &aside).map_err(|error| error.to_string())?;
        try_open()
    });
    opened.inspect_err(|error| log(&format!("no history in {}: {error}", file.display()))).ok()
}

pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// The state of the thread.
struct Writer {
    shared: Arc<Shared>,
    /// Opened when the first call comes.
    database: Option<Option<Database>>,
    /// Calls without an outcome.
    running: HashMap<u128, Entry>,
    /// Entries to store with the next change of the file.
    unsaved: Vec<Entry>,
    since_trim: usize,
}

impl Writer {
    fn new(shared: Arc<Shared>) -> Self {
        Self { shared, database: None, running: HashMap::new(), unsaved: Vec::new(), since_trim: 0 }
    }

    fn run(mut self, receiver: &Receiver<Message>) {
        // Messages that are waiting already are stored in one transaction.
        while let Ok(first) = receiver.recv() {
            let mut next = Some(first);
            let mut waiting = Vec::new();
            while let Some(message) = next {
                match message {
                    Message::Settle(done) => waiting.push(done),
                    Message::Clear(project, done) => {
                        self.save();
                        self.clear(project.as_deref());
                        waiting.push(done);
                    }
                    Message::Begin(call, now, id) => self.begin(id, Entry::new(*call, now, id)),
                    Message::End(id, outcome) => self.end(id, *outcome),
                    Message::Withdraw(id) => self.withdraw(id),
                }
                next = if self.unsaved.len() < TOGETHER { receiver.try_recv().ok() } else { None };
            }
            self.save();
            // The receiver may have stopped waiting.
            waiting.into_iter().for_each(|done| done.send(()).unwrap_or_default());
        }
    }

    fn begin(&mut self, id: u128, entry: Entry) {
        let event = locked(&self.shared.memory).add(&entry);
        self.unsaved.push(entry.clone());
        self.running.insert(id, entry);
        self.tell(event);
    }

    fn end(&mut self, id: u128, outcome: Outcome) {
        let Some(mut entry) = self.running.remove(&id) else { return };
        entry.end(outcome);
        let event = locked(&self.shared.memory).update(&entry);
        let told = event.or_else(|| Some(Event::Updated(entry.id.clone())));
        // A call that began and ended meanwhile is stored once, in its place.
        match self.unsaved.iter_mut().find(|unsaved| unsaved.id == entry.id) {
            Some(unsaved) => *unsaved = entry,
            None => self.unsaved.push(entry),
        }
        self.tell(told);
    }

    fn withdraw(&mut self, id: u128) {
        let Some(entry) = self.running.remove(&id) else { return };
        self.save();
        let event = locked(&self.shared.memory).remove(&entry.id);
        self.change(|database| database.remove(&entry.id));
        self.tell(event);
    }

    fn clear(&mut self, project: Option<&str>) {
        let event = locked(&self.shared.memory).clear(project);
        self.change(|database| database.clear(project));
        self.tell(Some(event));
    }

    fn save(&mut self) {
        let unsaved = std::mem::take(&mut self.unsaved);
        if unsaved.is_empty() {
            return;
        }
        self.change(|database| database.put(&unsaved.iter().collect::<Vec<_>>()));
        self.since_trim += unsaved.len();
        if self.since_trim >= TRIM_EVERY {
            self.since_trim = 0;
            let keep = self.shared.stored;
            self.change(|database| database.trim(keep));
        }
    }

    /// Changes the file. A failure is logged.
    fn change(&mut self, change: impl FnOnce(&mut Database) -> Result<(), DatabaseError>) {
        let Some(file) = &self.shared.file else { return };
        let database = self.database.get_or_insert_with(|| {
            let mut database = open(file)?;
            let before = history::iso(now_ms().saturating_sub(ABANDONED_MS));
            // Another process may be writing just now; the next start tries again.
            drop(database.end_abandoned(&before, "the server ended before the call did"));
            Some(database)
        });
        if let Some(open) = database
            && let Err(error) = change(open)
        {
            log(&format!("the history in {} cannot be written: {error}", file.display()));
        }
    }

    fn tell(&self, event: Option<Event>) {
        let Some(event) = event else { return };
        locked(&self.shared.listeners).retain(|listener| listener.send(event.clone()).is_ok());
    }
}

#[cfg(test)]
mod tests {
    use history::{Client, Received, Status};
    use serde_json::json;

    use super::*;

    const ALL: Page<'_> = Page { before: None, limit: 100, with_results: true };

    fn call(tool: &str) -> NewCall {
        NewCall {
            tool_name: tool.to_owned(),
            parameters: json!({"query": tool, "token": "very secret"}),
            project_path: None,
            client: Some(Client { name: "test".to_owned(), version: "1".to_owned() }),
            replay_of: None,
        }
    }

    fn outcome(result: Result<&str, &str>) -> Outcome {
        Outcome {
            result: result.map(str::to_owned).map_err(str::to_owned),
            structured: None,
            received: Received::Text,
            duration: Duration::from_millis(1),
            affected_files: None,
            project_path: Some("/p".to_owned()),
        }
    }

    /// The same with and without a file.
    fn calls_are_listed(records: &Records) {
        let events = records.subscribe();
        let first = records.begin(call("one")).unwrap();
        let second = records.begin(call("two")).unwrap();
        records.end(first, outcome(Ok("found it")));
        let listed = records.list(Filter::default(), ALL);
        let told: Vec<_> = listed.iter().map(|entry| (entry.tool_name.as_str(), entry.status)).collect();
        assert_eq!(told, [("two", Status::Pending), ("one", Status::Success)]);
        assert_eq!(listed[1].parameters["token"], "***");
        let (two, one) = (listed[0].id.clone(), listed[1].id.clone());
        assert_eq!(records.get(&one).unwrap(), listed[1]);
        let page = Page { before: Some(&two), ..ALL };
        assert_eq!(records.list(Filter::default(), page), listed[1..]);
        assert_eq!(records.list(Filter { text: Some("FOUND"), ..Filter::default() }, ALL), listed[1..]);
        assert_eq!(records.statistics(None, Group::Client)[0].calls, 2);
        assert_eq!(records.projects(), ["/p"]);
        records.withdraw(second);
        assert_eq!(records.list(Filter::default(), ALL), listed[1..]);
        records.clear(Some("/other"));
        assert_eq!(records.list(Filter::default(), ALL).len(), 1);
        records.clear(None);
        assert!(records.list(Filter::default(), ALL).is_empty());
        let told: Vec<Event> = events.try_iter().collect();
        assert_eq!(
            told,
            [
                Event::Added(one.clone()),
                Event::Added(two.clone()),
                Event::Updated(one),
                Event::Removed(two),
                Event::Cleared(Some("/other".to_owned())),
                Event::Cleared(None),
            ]
        );
    }

    #[test]
    fn calls_are_listed_from_memory_and_from_a_file() {
        calls_are_listed(&Records::new(100, 100, None).unwrap());
        let dir = tempfile::tempdir().unwrap();
        calls_are_listed(&Records::new(100, 100, Some(dir.path().join("sub/h.sqlite"))).unwrap());
    }

    #[test]
    fn what_was_stored_is_there_at_the_next_start_and_only_so_much() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("h.sqlite");
        let records = Records::new(10, 20, Some(file.clone())).unwrap();
        for n in 0..2 * TRIM_EVERY {
            if let Some(running) = records.begin(call(&format!("t{n}"))) {
                records.end(running, outcome(Err("no")));
                records.settle();
            }
        }
        drop(records);
        let records = Records::new(10, 20, Some(file.clone())).unwrap();
        let listed = records.list(Filter::default(), ALL);
        assert_eq!(listed[0].tool_name, format!("t{}", 2 * TRIM_EVERY - 1));
        assert!((20..20 + TRIM_EVERY).contains(&listed.len()), "{}", listed.len());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o077, 0);
        }
    }

    #[test]
    fn a_file_that_cannot_be_used_troubles_no_call() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("h.sqlite");
        let of = |file: &Path| {
            let records = Records::new(10, 20, Some(file.to_owned())).unwrap();
            let running = records.begin(call("one")).unwrap();
            records.end(running, outcome(Ok("fine")));
            records.list(Filter::default(), ALL).len()
        };
        std::fs::write(&file, "no database at all, but long enough to be looked at as one").unwrap();
        assert_eq!(of(&file), 1);
        assert!(dir.path().join("h.damaged").exists(), "what was there is put aside");
        std::fs::create_dir(dir.path().join("folder")).unwrap();
        assert_eq!(of(&dir.path().join("folder")), 1, "memory serves");
        let off = Records::new(0, 20, Some(dir.path().join("off"))).unwrap();
        assert!(off.begin(call("one")).is_none() && !dir.path().join("off").exists());
    }
}
