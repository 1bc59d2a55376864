//! Looks at the files of projects while agents work in them, on a thread of its own.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ide_model::{Cx, SourceKind, Stop, StopReason};
use ide_tools::Project as _;

use super::store::{Content, Open, Review, ReviewStore, Touched, runs};
use super::{FIRST_LOOK, LARGEST};
use crate::calls::log;
use crate::dashboard::DashboardEditor;
use crate::project::OpenProject;
use crate::records::now_ms;

/// How often projects are looked at in which agents work.
const LOOK: Duration = Duration::from_millis(1_500);
/// So many times as long as a look took, nobody looks again unasked.
const REST: u32 = 8;
/// It is looked at after so long whatever it costs.
const LONGEST_REST: Duration = Duration::from_secs(10);
/// An agent that makes no call for so long has gone.
const IDLE_MS: u64 = 30 * 60 * 1_000;
/// Larger files, and files beyond so many bytes in all, are not copied: git may know their old text.
const LARGEST_COPY: u64 = 1 << 20;
const COPIES: u64 = 96 << 20;
/// Beyond so many bytes not even the hashes are taken.
const HASHED: u64 = 1 << 30;

/// The thread, and the way to it.
pub(crate) struct ReviewThread {
    sender: Option<Sender<Message>>,
    thread: Option<JoinHandle<()>>,
    stop: Arc<Stop>,
}

enum Message {
    /// An agent calls a tool in a project.
    Called { project: Arc<OpenProject>, agent: String, known: Option<SyncSender<()>> },
    /// A call of an agent changed files.
    Changed { project: Arc<OpenProject>, agent: String, files: Vec<String> },
    /// A person wants to see what changed by now.
    Look { project: Arc<OpenProject>, done: SyncSender<()> },
}

impl ReviewThread {
    /// A keeper that writes below `state_dir`; it does nothing without.
    pub(crate) fn new(state_dir: Option<PathBuf>, editor: Arc<DashboardEditor>) -> Self {
        let stop = Arc::new(Stop::new());
        let Some(state_dir) = state_dir else { return Self { sender: None, thread: None, stop } };
        let (sender, receiver) = channel();
        let mut eye = WatchState { state_dir, editor, watched: BTreeMap::new(), stop: stop.clone() };
        let thread = std::thread::Builder::new().name("reviews".to_owned()).spawn(move || eye.run(&receiver));
        match thread {
            Ok(thread) => Self { sender: Some(sender), thread: Some(thread), stop },
            Err(error) => {
                log(&format!("changes are not kept for review: {error}"));
                Self { sender: None, thread: None, stop }
            }
        }
    }

    /// An agent calls a tool. Before one that writes, the files are known as they are now.
    pub(crate) fn called(&self, project: &Arc<OpenProject>, agent: &str, writes: bool) {
        let Some(sender) = &self.sender else { return };
        let (done, is_done) = sync_channel(1);
        let known = writes.then_some(done);
        let call = Message::Called { project: project.clone(), agent: agent.to_owned(), known };
        if sender.send(call).is_ok() && writes {
            // A look that takes too long loses the old texts of files that are written meanwhile.
            is_done.recv_timeout(FIRST_LOOK).unwrap_or_default();
        }
    }

    /// Records everything that changed in a project by now, as far as an agent works in it.
    pub(crate) fn look(&self, project: &Arc<OpenProject>) {
        let Some(sender) = &self.sender else { return };
        let (done, is_done) = sync_channel(1);
        if sender.send(Message::Look { project: project.clone(), done }).is_ok() {
            // Later changes are shown at the next look.
            is_done.recv_timeout(FIRST_LOOK).unwrap_or_default();
        }
    }

    /// A call of an agent changed these files.
    pub(crate) fn changed(&self, project: &Arc<OpenProject>, agent: &str, files: Vec<String>) {
        let Some(sender) = &self.sender else { return };
        drop(sender.send(Message::Changed { project: project.clone(), agent: agent.to_owned(), files }));
    }
}

impl Drop for ReviewThread {
    fn drop(&mut self) {
        self.stop.stop(StopReason::Cancelled);
        drop(self.sender.take());
        if let Some(thread) = self.thread.take().filter(|t| t.thread().id() != std::thread::current().id()) {
            drop(thread.join());
        }
    }
}

/// The state of the thread.
struct WatchState {
    state_dir: PathBuf,
    editor: Arc<DashboardEditor>,
    /// By root.
    watched: BTreeMap<String, Watched>,
    stop: Arc<Stop>,
}

struct Watched {
    project: Weak<OpenProject>,
    store: ReviewStore,
    commit: Option<String>,
    files: BTreeMap<String, FileState>,
    generation: Option<u64>,
    /// A project in which a look takes long is looked at less often.
    rests_until: Instant,
    /// Bytes of copies and of hashed files.
    copied: u64,
    hashed: u64,
}

/// A file as it was looked at last.
#[derive(Clone, PartialEq, Eq)]
struct FileState {
    size: u64,
    modified_ns: u128,
    content: Content,
}

/// The change of a file.
struct Change {
    path: String,
    touched: Touched,
}

impl WatchState {
    fn run(&mut self, receiver: &Receiver<Message>) {
        loop {
            let message = match receiver.recv_timeout(LOOK) {
                Ok(message) => Some(message),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let done = catch_unwind(AssertUnwindSafe(|| match message {
                Some(Message::Called { project, agent, known }) => {
                    self.called(&project, &agent);
                    // The receiver may have given up.
                    known.map_or(Ok(()), |known| known.send(())).unwrap_or_default();
                }
                Some(Message::Changed { project, agent, files }) => {
                    self.look(&project, Some((&agent, &files)))
                }
                Some(Message::Look { project, done }) => {
                    self.look(&project, None);
                    done.send(()).unwrap_or_default();
                }
                None => self.tick(),
            }));
            if done.is_err() {
                log("looking for changes to review failed");
            }
        }
        let us = std::process::id();
        for watched in self.watched.values() {
            drop(watched.store.change(|state| state.open.retain(|open| open.process != us)));
        }
    }

    fn called(&mut self, project: &Arc<OpenProject>, agent: &str) {
        let (us, now) = (std::process::id(), now_ms());
        let is_known = self.watched.contains_key(project.root());
        if !is_known {
            let store = ReviewStore::new(&self.state_dir, project.real_root());
            store.prune();
            let watched = Watched {
                project: Arc::downgrade(project),
                commit: store.commit(),
                store,
                files: BTreeMap::new(),
                generation: None,
                rests_until: Instant::now(),
                copied: 0,
                hashed: 0,
            };
            self.watched.insert(project.root().to_owned(), watched);
        }
        let Some(watched) = self.watched.get_mut(project.root()) else { return };
        watched.project = Arc::downgrade(project);
        let is_us = |open: &Open| open.agent == agent && open.process == us;
        let open = watched.store.state().open;
        let newest = open.iter().find(|open| is_us(open)).map_or(0, |open| open.last_ms);
        let has_gone = now.saturating_sub(newest) > IDLE_MS;
        if has_gone {
            // earlier changes belong to the agent that worked before
            self.look(project, None);
        }
        let Some(watched) = self.watched.get(project.root()) else { return };
        if has_gone || now.saturating_sub(newest) > 10_000 {
            let told = watched.store.change(|state| {
                state.open.retain(|open| runs(open.process) && now.saturating_sub(open.last_ms) <= IDLE_MS);
                match state.open.iter_mut().find(|open| is_us(open)) {
                    Some(open) => open.last_ms = now,
                    None => state.open.push(Open {
                        agent: agent.to_owned(),
                        process: us,
                        since_ms: now,
                        last_ms: now,
                    }),
                }
            });
            if let Err(error) = told {
                log(&format!("changes cannot be kept for review: {error}"));
            }
        }
    }

    /// Looks where agents work.
    fn tick(&mut self) {
        self.watched.retain(|_, watched| watched.project.strong_count() > 0);
        let projects: Vec<Arc<OpenProject>> =
            self.watched.values().filter_map(|watched| watched.project.upgrade()).collect();
        for project in projects {
            let begun = Instant::now();
            let works = |watched: &Watched| {
                watched.rests_until <= begun && watched.store.state().open.iter().any(is_at_work)
            };
            if self.watched.get(project.root()).is_some_and(works) {
                self.look(&project, None);
                if let Some(watched) = self.watched.get_mut(project.root()) {
                    watched.rests_until = Instant::now() + (begun.elapsed() * REST).min(LONGEST_REST);
                }
            }
        }
    }

    /// Finds what changed since the last look; `by` is the agent whose call wrote these files.
    fn look(&mut self, project: &Arc<OpenProject>, by: Option<(&str, &[String])>) {
        let Some(watched) = self.watched.get_mut(project.root()) else { return };
        let Some(changes) = watched.changes(project, &self.stop) else { return };
        if !changes.is_empty() && watched.record(changes, by) {
            self.editor.calls_changed();
        }
    }
}

fn is_at_work(open: &Open) -> bool {
    runs(open.process) && now_ms().saturating_sub(open.last_ms) <= IDLE_MS
}

impl Watched {
    /// The changes since the last look; `None` when the files cannot be listed.
    fn changes(&mut self, project: &OpenProject, stop: &Stop) -> Option<Vec<Change>> {
        let cx = Cx::new(stop);
        let snapshot = project.backend().snapshot(cx).ok()?;
        let is_first = self.generation.is_none();
        if self.generation.replace(snapshot.generation()) == Some(snapshot.generation()) {
            return Some(Vec::new());
        }
        let files = snapshot.files(cx, &|file| file.source != SourceKind::Library).ok()?;
        let mut before = std::mem::take(&mut self.files);
        let mut changes = Vec::new();
        for file in files {
            let path = file.path.as_str().to_owned();
            let old = before.remove(&path);
            let Some(seen) = self.see(project, &path, old.as_ref()) else {
                // it went away meanwhile: the next look says so
                self.files.extend(old.map(|old| (path, old)));
                continue;
            };
            let was = old.map_or(Content::Absent, |old| old.content);
            if !is_first && was != seen.content {
                changes.push(Change {
                    path: path.clone(),
                    touched: Touched { before: was, after: seen.content.clone() },
                });
            }
            self.files.insert(path, seen);
        }
        for (path, old) in before {
            // a file that is there and not listed any more is left out, not gone
            if project.real_path(&path).is_none_or(|real| !real.exists()) {
                changes
                    .push(Change { path, touched: Touched { before: old.content, after: Content::Absent } });
            }
        }
        Some(changes)
    }

    /// The file as it is now. `None` when it cannot be read.
    fn see(&mut self, project: &OpenProject, path: &str, old: Option<&FileState>) -> Option<FileState> {
        let real = match path.starts_with('/') {
            true => project.real_path(path)?,
            false => Path::new(project.root()).join(path),
        };
        let about = std::fs::metadata(&real).ok()?;
        let modified = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let modified_ns = modified.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        if let Some(old) = old.filter(|old| (old.size, old.modified_ns) == (about.len(), modified_ns)) {
            return Some(old.clone());
        }
        // changed files are read whatever it costs; first looks stay within limits
        let is_first = old.is_none();
        if is_first && (about.len() > LARGEST || self.hashed + about.len() > HASHED) {
            return Some(FileState { size: about.len(), modified_ns, content: Content::Unknown });
        }
        let bytes = ide_store::read_real(&project.real_path(path)?, LARGEST).ok()?;
        let size = bytes.len() as u64;
        self.hashed += size;
        let copied = if size <= LARGEST_COPY && (!is_first || self.copied + size <= COPIES) {
            self.copied += size;
            self.store.keep(&bytes).ok()
        } else {
            None
        };
        let content = copied.unwrap_or_else(|| Content::of(&bytes));
        Some(FileState { size: about.len(), modified_ns, content })
    }

    /// Writes changes into the review of whom they belong to; true when there was somebody.
    fn record(&self, changes: Vec<Change>, by: Option<(&str, &[String])>) -> bool {
        let (now, commit) = (now_ms(), &self.commit);
        let recorded = self.store.change(|state| {
            let mut at_work: Vec<String> =
                state.open.iter().filter(|open| is_at_work(open)).map(|open| open.agent.clone()).collect();
            at_work.sort();
            at_work.dedup();
            let mut has_any = false;
            for Change { path, touched } in changes {
                let own = by.filter(|(_, files)| files.contains(&path));
                let agents = own.map_or_else(|| at_work.clone(), |(agent, _)| vec![agent.to_owned()]);
                let is_ours = state.written.get(&path) == Some(&touched.after);
                if agents.is_empty() || is_ours {
                    continue;
                }
                let is_same = |review: &Review| {
                    review.files.get(&path).is_some_and(|known| known.after == touched.after)
                };
                if own.is_some() {
                    // another process saw it and could not tell whose it is
                    let shared = state.reviews.iter_mut().filter(|review| review.agents.len() > 1);
                    shared
                        .filter(|review| is_same(review))
                        .for_each(|review| drop(review.files.remove(&path)));
                }
                if state.reviews.iter().any(is_same) {
                    continue;
                }
                let since = state.open.iter().filter(|open| agents.contains(&open.agent));
                let since = since.map(|open| open.since_ms).min().unwrap_or(now);
                let review = match state
                    .reviews
                    .iter()
                    .position(|review| review.agents == agents && review.started_ms == since)
                {
                    Some(at) => &mut state.reviews[at],
                    None => {
                        state.reviews.push(Review {
                            id: new_id(since, &agents),
                            agents,
                            started_ms: since,
                            changed_ms: now,
                            commit: commit.clone(),
                            files: BTreeMap::new(),
                        });
                        state.reviews.last_mut().expect("it was just pushed")
                    }
                };
                has_any = true;
                review.changed_ms = now;
                let known = review.files.entry(path.clone()).or_insert_with(|| touched.clone());
                known.after = touched.after;
                if known.before == known.after {
                    review.files.remove(&path);
                }
            }
            has_any
        });
        recorded.unwrap_or_else(|error| {
            log(&format!("changes cannot be kept for review: {error}"));
            false
        })
    }
}

/// A short name: when the session began, and whose it is.
fn new_id(since: u64, agents: &[String]) -> String {
    let Content::Hash(hash) = Content::of(format!("{since} {}", agents.join("\n")).as_bytes()) else {
        return since.to_string();
    };
    hash[..8].to_owned()
}
