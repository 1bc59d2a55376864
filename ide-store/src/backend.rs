//! A project on disk as a backend of code intelligence.

use std::io::{PipeReader, PipeWriter, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use ide_index::parallel::Threads;
use ide_index::{FactSource, FactsCache, IndexSnapshot, LazyLibrary};
use ide_model::{
    Backend, Completeness, Cx, Depth, Engine, LANGUAGES, LanguageState, Provider, QueryError, Readiness,
    Snapshot, Status,
};
use ide_project_resolver::{Exclusions, Place, Root};

use crate::dependencies::{Dependencies, Places};
use crate::disk::Disk;
use crate::enumerate::Enumerator;
use crate::extract::{Extractor, FactReader, Log, RACY_NS, now_ns};
use crate::memory::give_back_free;
use crate::snapshot::{StoreSnapshot, Texts};
use crate::text_search::MAX_TEXT_BYTES;
use crate::trigrams::{self, GivenUp, Trigrams};
use crate::unread::because;
use crate::updater::{PHASES, Progress, UpdateError, Updater};
use crate::watch::Watcher;

/// How a project is indexed.
#[derive(Clone)]
pub struct Options {
    /// The directory of caches, e.g. `$XDG_CACHE_HOME/ide-index`; `None` keeps the index in memory only.
    pub cache_dir: Option<PathBuf>,
    /// Directories that are not looked into.
    pub exclusions: Exclusions,
    /// The directories in which build files may name modules outside of the project.
    pub trusted: Vec<Root>,
    /// Use the watcher of the operating system where it can prove freshness. Answers are the same without, later.
    pub watch: bool,
    /// Threads for indexing; 0 means one for each core.
    pub threads: usize,
    /// Keeps decoded facts; all projects of a process should have the same.
    pub facts: Arc<FactsCache>,
    /// Names the program that makes the facts: caches of another one are not used. `None` takes the identity of the
    /// running executable.
    pub build_id: Option<u64>,
    /// Told of what goes wrong without failing a call.
    pub log: Arc<Log>,
    /// Bytes of files from which on text search keeps lists of what they hold. Smaller projects are read through before
    /// anybody notices.
    pub text_lists_from: u64,
    /// Compiled classes beside the project: a JDK, jars. See [`crate::class_library`].
    pub library: Option<Arc<LazyLibrary>>,
    /// The places of installed packages that are shared by projects. Packages below the project are found
    /// without it.
    pub places: Places,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cache_dir: None,
            exclusions: Exclusions::default(),
            trusted: Vec::new(),
            watch: true,
            threads: 0,
            facts: Arc::default(),
            build_id: None,
            log: Arc::new(|_| {}),
            text_lists_from: 30_000_000,
            library: None,
            places: Places::default(),
        }
    }
}

/// The embedded index of one project. Opening returns at once; the first index is built by a thread of its own, and
/// [`Backend::snapshot`] waits for it.
pub struct ProjectBackend {
    pub(crate) shared: Arc<Shared>,
    worker: Option<JoinHandle<()>>,
}

pub(crate) struct Shared {
    /// The writer's state while no one uses it.
    idle: Mutex<Option<Box<Updater>>>,
    freed: Condvar,
    /// The newest snapshot.
    published: ArcSwapOption<StoreSnapshot>,
    texts: Arc<Texts>,
    text_lists_from: u64,
    library: Option<Arc<LazyLibrary>>,
    places: Places,
    progress: Arc<Progress>,
    last_indexed_ms: AtomicU64,
    /// Why there is no watcher, why the last update failed.
    notes: Mutex<Notes>,
    /// Somebody asked since the worker looked last.
    is_asked: AtomicBool,
    facts: Arc<FactsCache>,
    /// Held by who reads facts to keep them.
    filling: Mutex<()>,
    stop: AtomicBool,
    wake: Mutex<PipeWriter>,
    log: Arc<Log>,
}

#[derive(Debug, Default)]
struct Notes {
    unwatched: Option<String>,
    failure: Option<String>,
    rebuilt: Option<String>,
}

/// How long a caller sleeps before it looks whether it was cancelled.
const PATIENCE: Duration = Duration::from_millis(20);
/// Facts are read that are not kept yet, and the lists of text search are made, when nothing happened for so long: longer than a file counts as young.
const QUIET: Duration = Duration::from_secs(3);
/// Caches that were not used for so long are dropped.
const UNUSED: Duration = Duration::from_secs(120);

impl ProjectBackend {
    /// Starts to index the project at `root`, which need not exist yet.
    ///
    /// # Errors
    /// When threads or pipes cannot be made. A cache that cannot be used is reported to the log, and done without.
    pub fn open(root: &Path, options: Options) -> std::io::Result<Self> {
        // Files are opened by real paths. A root that is not there yet has none.
        let root = std::path::absolute(root)?;
        let root = root.canonicalize().unwrap_or(root);
        let log = options.log.clone();
        let build_id = options.build_id.unwrap_or_else(executable_id);
        let pool = Threads::new("ide-index", options.threads, 16 << 20)?;
        let (wake_reader, wake) = std::io::pipe()?;
        let progress = Arc::new(Progress::default());
        let shared = Arc::new(Shared {
            idle: Mutex::new(None),
            freed: Condvar::new(),
            published: ArcSwapOption::empty(),
            texts: Arc::new(Texts::new(&root)),
            text_lists_from: options.text_lists_from,
            library: options.library.clone(),
            places: options.places.clone(),
            progress: progress.clone(),
            last_indexed_ms: AtomicU64::new(0),
            notes: Mutex::default(),
            is_asked: AtomicBool::new(false),
            facts: options.facts.clone(),
            filling: Mutex::default(),
            stop: AtomicBool::new(false),
            wake: Mutex::new(wake),
            log: log.clone(),
        });
        let exclusions = Arc::new(options.exclusions.clone());
        let texts = shared.texts.clone();
        let setup = Setup { root, options, exclusions, build_id, pool, progress, texts };
        let worker = std::thread::Builder::new().name("ide-index".to_owned()).spawn({
            let shared = shared.clone();
            move || work(&shared, setup, wake_reader)
        })?;
        Ok(Self { shared, worker: Some(worker) })
    }

    /// Reads the facts of all files that are known by sketches only, and keeps them: what happens by itself when nobody asks
    /// and nothing changes for some seconds. Returns when it is done, at once where nothing is kept on disk or another
    /// process keeps it.
    ///
    /// # Errors
    /// When `cx` ends before it begins.
    pub fn fill(&self, cx: Cx<'_>) -> Result<(), QueryError> {
        self.store_snapshot(cx)?;
        self.shared.fill(cx)
    }

    /// Like [`Backend::snapshot`], with the type that knows the index.
    ///
    /// # Errors
    /// See [`Backend::snapshot`].
    pub fn store_snapshot(&self, cx: Cx<'_>) -> Result<Arc<StoreSnapshot>, QueryError> {
        if !self.shared.is_asked.swap(true, Ordering::Relaxed) {
            // From now on there is something to forget.
            self.shared.wake();
        }
        let mut updater = self.shared.take(cx)?;
        self.shared
            .refresh(&mut updater)
            .map_err(|error| QueryError::Failed { message: error.to_string() })?;
        let mut snapshot = self.shared.published.load_full();
        if snapshot.as_ref().is_some_and(|snapshot| !snapshot.dependencies().is_current()) {
            self.shared.publish_with(&updater, None);
            snapshot = self.shared.published.load_full();
        }
        drop(updater);
        snapshot.ok_or_else(|| QueryError::NotReady { what: "the index is still being built".to_owned() })
    }
}

impl Drop for ProjectBackend {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        self.shared.wake();
        if let Some(worker) = self.worker.take()
            && worker.join().is_err()
        {
            (self.shared.log)("the thread of the index had failed");
        }
    }
}

impl Backend for ProjectBackend {
    fn snapshot(&self, cx: Cx<'_>) -> Result<Arc<dyn Snapshot>, QueryError> {
        Ok(self.store_snapshot(cx)?)
    }

    fn providers(&self) -> &[Arc<dyn Provider>] {
        &[]
    }

    fn status(&self) -> Status {
        let shared = &*self.shared;
        let phase = PHASES[shared.progress.phase.load(Ordering::Relaxed).min(PHASES.len() - 1)];
        let published = shared.published.load_full();
        let is_first = published.is_none();
        let notes = shared.notes();
        let last = shared.last_indexed_ms.load(Ordering::Relaxed);
        let index = published.as_ref().map(|snapshot| snapshot.index());
        let (done, total) =
            (shared.progress.done.load(Ordering::Relaxed), shared.progress.total.load(Ordering::Relaxed));
        let files = index.map_or(0, |index| index.rows().len());
        let is_parsing = phase == "parse";
        Status {
            engine: Engine::Embedded,
            is_indexing: is_first || phase != "ready",
            phase: if is_first && phase == "ready" { "scan" } else { phase },
            files_indexed: if is_first { done } else { files },
            files_total: if is_first { total } else { files },
            last_indexed_at: (last > 0).then_some(last),
            pending_changes: if is_parsing && !is_first { total.saturating_sub(done) } else { 0 },
            languages: index.map_or_else(Vec::new, |index| languages(index)),
            symbols: index.map_or(0, |index| index.rows().map(|row| row.symbols as usize).sum()),
            generation: index.map_or(0, |index| index.generation()),
            completeness: match (&notes.failure, is_first) {
                (Some(failure), _) => Completeness::AtLeast { because: failure.clone() },
                (None, true) => {
                    Completeness::AtLeast { because: "the index is still being built".to_owned() }
                }
                (None, false) => match published.as_ref().and_then(|snapshot| because(snapshot.unread())) {
                    Some(because) => Completeness::AtLeast { because },
                    None => Completeness::Exact,
                },
            },
            rebuilt: notes.rebuilt.clone(),
            kind_of_freshness: if notes.unwatched.is_some() { "walk" } else { "watch" },
        }
    }
}

/// How far each language with files is.
fn languages(index: &IndexSnapshot) -> Vec<LanguageState> {
    let mut files = vec![0; LANGUAGES.len()];
    for row in index.rows() {
        if let Some(language) = row.entry.language {
            files[language as usize] += 1;
        }
    }
    LANGUAGES
        .iter()
        .filter(|row| files[row.language as usize] > 0 && row.depth >= Depth::Structure)
        .map(|row| {
            let is_read = ide_index::lang::front_end(row.language).is_some();
            LanguageState {
                language: row.language,
                files: files[row.language as usize],
                readiness: if is_read { Readiness::Ready } else { Readiness::Unavailable },
                reason: (!is_read).then(|| "this build has no front end for the language".to_owned()),
            }
        })
        .collect()
}

/// The parts from which the worker makes the updater.
struct Setup {
    root: PathBuf,
    options: Options,
    exclusions: Arc<Exclusions>,
    build_id: u64,
    pool: Threads,
    progress: Arc<Progress>,
    texts: Arc<Texts>,
}

impl Setup {
    /// Loads what the cache holds. Nothing of it is published before it was compared with the disk.
    fn updater(self) -> Updater {
        let Self { root, options, exclusions, build_id, pool, progress, texts } = self;
        let mut disk = options.cache_dir.as_deref().and_then(|cache| {
            Disk::open(cache, &root, build_id, options.log.clone())
                .map_err(|error| (options.log)(&format!("the cache cannot be used: {error}")))
                .ok()
        });
        let segments = disk.as_mut().map_or_else(Vec::new, Disk::load);
        if let Some(disk) = &disk {
            texts.find_lists(disk.directory());
        }
        // Later than every generation that an earlier process gave out.
        let generation = (now_ns() / 1_000_000) as u64;
        let name = root.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        let reader = Arc::new(FactReader {
            root: root.clone(),
            front_ends: Box::new(ide_index::lang::front_end),
            log: options.log.clone(),
            unread: Arc::default(),
        });
        let source = Some(reader.clone() as Arc<dyn FactSource>);
        let new = |segments| {
            let (facts, source) = (options.facts.clone(), source.clone());
            IndexSnapshot::new(&name, segments, build_id, facts, source, generation)
        };
        let kept = catch_unwind(AssertUnwindSafe(|| new(segments)));
        let is_broken = kept.is_err();
        let index = kept.unwrap_or_else(|_| new(Vec::new()));
        let beside = exclusions.rows().iter().filter_map(|row| match &row.place {
            Place::Beside(files) | Place::RootUnless(files) => Some(files.clone()),
            _ => None,
        });
        let watcher = if options.watch {
            Watcher::new(&root, beside.flatten().collect())
        } else {
            Err("watching is switched off".to_owned())
        };
        let extractor = Extractor { reader, model: Arc::default() };
        let enumerator = Enumerator { root, outer: Arc::default(), exclusions };
        let mut updater = Updater::new(
            Arc::new(index),
            enumerator,
            extractor,
            pool,
            watcher,
            disk,
            progress,
            options.log,
            options.trusted,
        );
        if is_broken {
            updater.start_over("reading it failed");
        }
        updater
    }
}

/// The updater, given back when dropped.
struct Lease<'s> {
    shared: &'s Shared,
    updater: Option<Box<Updater>>,
}

impl std::ops::Deref for Lease<'_> {
    type Target = Updater;

    fn deref(&self) -> &Updater {
        self.updater.as_ref().expect("is there until dropped")
    }
}

impl std::ops::DerefMut for Lease<'_> {
    fn deref_mut(&mut self) -> &mut Updater {
        self.updater.as_mut().expect("is there until dropped")
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Some(updater) = &mut self.updater
        {
            // Interrupted work is done again from the start.
            updater.pending.all = true;
        }
        *self.shared.idle() = self.updater.take();
        self.shared.freed.notify_one();
    }
}

impl Shared {
    fn idle(&self) -> MutexGuard<'_, Option<Box<Updater>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The updater, as soon as no one else uses it.
    fn take(&self, cx: Cx<'_>) -> Result<Lease<'_>, QueryError> {
        let mut idle = self.idle();
        loop {
            if let Some(updater) = idle.take() {
                return Ok(Lease { shared: self, updater: Some(updater) });
            }
            match cx.check() {
                Err(QueryError::DeadlineExceeded) if self.published.load().is_none() => {
                    return Err(QueryError::NotReady { what: "the index is still being built".to_owned() });
                }
                other => other?,
            }
            if self.stop.load(Ordering::Acquire) {
                return Err(QueryError::Cancelled);
            }
            idle = self.freed.wait_timeout(idle, PATIENCE).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Brings the index up to date and publishes it.
    fn refresh(&self, updater: &mut Updater) -> Result<(), UpdateError> {
        let result = updater.refresh();
        let mut notes = self.notes();
        notes.rebuilt.clone_from(&updater.rebuilt);
        notes.unwatched.clone_from(&updater.unwatched);
        notes.failure = result.as_ref().err().map(ToString::to_string);
        drop(notes);
        let has_other = |snapshot: &Arc<StoreSnapshot>| snapshot.unread() != &updater.unread;
        if result? || self.published.load_full().as_ref().is_none_or(has_other) {
            self.publish(updater);
        }
        if updater.wants_merge() || updater.index.is_thick() {
            self.wake();
        }
        Ok(())
    }

    /// Facts read of dependencies are kept with them; whether it still holds is asked where a snapshot is handed out.
    fn publish(&self, updater: &Updater) {
        let known = self.published.load_full().map(|snapshot| snapshot.dependencies().clone());
        self.publish_with(updater, known);
    }

    fn publish_with(&self, updater: &Updater, dependencies: Option<Arc<Dependencies>>) {
        let dependencies = dependencies.unwrap_or_else(|| self.dependencies());
        let (index, unread) = (updater.index.clone(), updater.unread.clone());
        let classifier = updater.classifier().clone();
        let snapshot = StoreSnapshot::new(index, self.texts.clone(), dependencies, unread, classifier);
        self.published.store(Some(Arc::new(snapshot)));
        self.last_indexed_ms.store((now_ns() / 1_000_000) as u64, Ordering::Relaxed);
    }

    /// Forgets what was not used for long. True when there is nothing more to forget until somebody asks.
    fn rest(&self, now: Duration) -> bool {
        self.facts.forget_unused(now, UNUSED / 2);
        if self.is_asked.swap(false, Ordering::Relaxed) {
            return false;
        }
        if let Some(snapshot) = self.published.load_full() {
            let (index, unread) = (snapshot.index().clone(), snapshot.unread().clone());
            let (texts, classifier) = (self.texts.clone(), snapshot.classifier().clone());
            let fresh = StoreSnapshot::new(index, texts, self.dependencies(), unread, classifier);
            // Unless there is a newer one.
            self.published.compare_and_swap(&snapshot, Some(Arc::new(fresh)));
        }
        give_back_free();
        true
    }

    fn dependencies(&self) -> Arc<Dependencies> {
        Arc::new(Dependencies::new(&self.texts.root, &self.places, self.library.as_ref(), &self.log))
    }

    /// Makes the lists of text search anew when they are worth it and know too little of the files. Takes a while and
    /// nothing that anybody waits for.
    pub(crate) fn renew_lists(&self, directory: &Path, young_from: i64) {
        let Some(snapshot) = self.published.load_full() else { return };
        let rows = || snapshot.index().rows();
        let sizes = rows().map(|row| row.entry.size).filter(|size| *size <= MAX_TEXT_BYTES);
        let is_new = |lists: &Trigrams| rows().filter(|row| lists.number(row).is_none()).count();
        let is_fine = self.texts.lists().is_some_and(|lists| is_new(&lists) <= rows().len() / 20);
        if is_fine || sizes.sum::<u64>() < self.text_lists_from {
            return;
        }
        let kept = match trigrams::build(&self.texts.root, rows(), young_from, &self.stop) {
            Ok(bytes) => Disk::keep_lists(directory, &bytes),
            Err(GivenUp::Stopped) => return,
            Err(GivenUp::TooLarge) => Err(std::io::Error::other("they exceed 4 GiB")),
        };
        match kept {
            Ok(()) => self.texts.find_lists(directory),
            Err(error) => (self.log)(&format!("text search has no lists: {error}")),
        }
    }

    fn wake(&self) {
        let mut wake = self.wake.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = wake.write_all(&[0]) {
            (self.log)(&format!("the thread of the index cannot be woken: {error}"));
        }
    }

    /// Writes the state out, while calls go on.
    fn merge(&self, lease: Lease<'_>) {
        let mut lease = lease;
        let Ok(begun) = catch_unwind(AssertUnwindSafe(|| lease.begin_merge())) else {
            return self.start_over(&mut lease);
        };
        let Some(merge) = begun else { return };
        drop(lease);
        let staged = catch_unwind(AssertUnwindSafe(|| merge.stage()));
        if let Some(mut lease) = self.take_for_worker() {
            match staged {
                Ok(staged) => {
                    lease.end_merge(staged);
                    self.publish(&lease);
                }
                Err(_) => self.start_over(&mut lease),
            }
        }
    }

    /// Merges small layers, while calls go on.
    fn thin(&self, lease: Lease<'_>) {
        let index = lease.index.clone();
        drop(lease);
        let thin = catch_unwind(AssertUnwindSafe(|| index.thin()));
        if let Some(mut lease) = self.take_for_worker() {
            match thin {
                Ok(thin) => lease.end_thin(thin),
                Err(_) => self.start_over(&mut lease),
            }
        }
    }

    /// Builds the index again after merging it failed.
    fn start_over(&self, lease: &mut Lease<'_>) {
        lease.start_over("merging it failed");
        if let Err(error) = self.refresh(lease) {
            (self.log)(&error.to_string());
        }
    }

    /// Reads the facts of files of which there are sketches only, and keeps them, while calls go on; once at a time.
    fn fill(&self, cx: Cx<'_>) -> Result<(), QueryError> {
        let _one = self.filling.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lease = self.take(cx)?;
        while lease.is_merging() {
            drop(lease);
            drop(self.freed.wait_timeout(self.idle(), PATIENCE).unwrap_or_else(PoisonError::into_inner));
            lease = self.take(cx)?;
        }
        let Some(fill) = lease.begin_fill() else { return Ok(()) };
        drop(lease);
        let Ok(staged) = catch_unwind(AssertUnwindSafe(|| fill.stage(&self.stop))) else {
            (self.log)("facts are not kept: reading them failed");
            return Ok(());
        };
        // At the end of the process: the sketches do for the next one as well.
        if !self.stop.load(Ordering::Acquire)
            && let Some(lease) = self.take_for_worker()
        {
            lease.end_fill(&fill, staged);
        }
        Ok(())
    }

    /// The updater for the thread that nobody cancels; `None` at the end.
    fn take_for_worker(&self) -> Option<Lease<'_>> {
        let never = ide_model::Stop::new();
        self.take(Cx::new(&never)).ok()
    }
}

/// The life of the worker: the first index, then whatever the watcher reports while nobody asks, and merges.
fn work(shared: &Shared, setup: Setup, wake: PipeReader) {
    // Taken for used from the start, so that callers wait for it; given back even when this thread fails.
    let mut lease = Lease { shared, updater: Some(Box::new(setup.updater())) };
    let mut events = Events { wake, watcher: lease.watcher.clone() };
    let mut is_first = true;
    let mut is_list_due = true;
    // Nothing is remembered that nobody has asked for lately.
    let mut is_rested = false;
    loop {
        if is_first || events.watcher.is_some() {
            if let Err(error) = shared.refresh(&mut lease) {
                (shared.log)(&error.to_string());
            }
            is_first = false;
        }
        if lease.watcher.is_none() {
            events.watcher = None;
        }
        // Lists that do not outlive the process are not worth reading everything.
        let kept =
            lease.disk.as_ref().filter(|disk| disk.is_writer()).map(|disk| disk.directory().to_owned());
        if lease.wants_merge() {
            shared.merge(lease);
            is_list_due = true;
        } else if lease.index.is_thick() {
            shared.thin(lease);
        } else {
            drop(lease);
        }
        is_rested &= !shared.is_asked.load(Ordering::Relaxed);
        loop {
            let may_rest = Events::HAS_LIMITS && !is_rested;
            let pause = if is_list_due { Some(QUIET) } else { may_rest.then_some(UNUSED) };
            match events.wait(pause) {
                Ok(WaitEnd::Woken) => break,
                Ok(WaitEnd::Quiet) if !is_list_due => {
                    is_rested = shared.rest(Duration::from_nanos(now_ns() as u64))
                }
                Ok(WaitEnd::Quiet) => {
                    is_list_due = false;
                    let never = ide_model::Stop::new();
                    if shared.fill(Cx::new(&never)).is_err() {
                        return;
                    }
                    if let Some(directory) = &kept {
                        shared.renew_lists(directory, now_ns() - RACY_NS);
                    }
                }
                Err(error) => {
                    (shared.log)(&format!("the thread of the index ends: {error}"));
                    return;
                }
            }
        }
        if shared.stop.load(Ordering::Acquire) {
            return;
        }
        match shared.take_for_worker() {
            Some(next) => lease = next,
            None => return,
        }
    }
}

/// How a wait of the worker ended.
enum WaitEnd {
    Woken,
    /// Nothing happened for as long as was asked for.
    Quiet,
}

/// The event sources of the worker.
struct Events {
    wake: PipeReader,
    watcher: Option<Arc<Watcher>>,
}

impl Events {
    /// Whether a wait can end by itself.
    const HAS_LIMITS: bool = cfg!(target_os = "linux");

    #[cfg(target_os = "linux")]
    fn wait(&mut self, quiet: Option<Duration>) -> std::io::Result<WaitEnd> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let quiet = quiet.map(|quiet| Timespec { tv_sec: quiet.as_secs() as i64, tv_nsec: 0 });
        let mut fds = vec![PollFd::new(&self.wake, PollFlags::IN)];
        if let Some(watcher) = &self.watcher {
            fds.push(PollFd::new(&**watcher, PollFlags::IN));
        }
        loop {
            match poll(&mut fds, quiet.as_ref()) {
                Ok(0) => return Ok(WaitEnd::Quiet),
                Ok(_) => break,
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let is_woken = !fds[0].revents().is_empty();
        if is_woken {
            self.take_wake()?;
        }
        Ok(WaitEnd::Woken)
    }

    #[cfg(not(target_os = "linux"))]
    fn wait(&mut self, quiet: Option<Duration>) -> std::io::Result<WaitEnd> {
        // A pipe cannot be waited for with a limit here: what is due in quiet times is done at once.
        if quiet.is_some() {
            return Ok(WaitEnd::Quiet);
        }
        self.take_wake()?;
        Ok(WaitEnd::Woken)
    }

    /// Takes the wake-up calls that are there; waits for the first.
    fn take_wake(&mut self) -> std::io::Result<()> {
        let mut calls = [0; 64];
        if std::io::Read::read(&mut self.wake, &mut calls)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }
}

/// Tells one build of a program from another: path, length and time of the running executable.
fn executable_id() -> u64 {
    let identity = std::env::current_exe().and_then(|path| {
        let meta = path.metadata()?;
        Ok(format!("{} {} {:?}", path.display(), meta.len(), meta.modified()?))
    });
    // Without an identity every start is a build of its own: nothing stale can be met.
    let identity = identity.unwrap_or_else(|_| format!("{} {}", std::process::id(), now_ns()));
    xxhash_rust::xxh3::xxh3_64(identity.as_bytes())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "fixtures are written to a real disk")]
mod tests {
    use super::*;

    fn options(cache: &Path) -> Options {
        Options { cache_dir: Some(cache.to_owned()), build_id: Some(7), ..Options::default() }
    }

    /// Ends the worker after its merge, if one was due.
    fn close(backend: ProjectBackend) {
        drop(backend);
    }

    #[test]
    fn a_warm_start_reads_only_what_changed() {
        let dir = tempfile::tempdir().unwrap();
        let (root, cache) = (dir.path().join("p"), dir.path().join("c"));
        std::fs::create_dir_all(&root).unwrap();
        let old = std::time::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let put = |name: &str, text: &str| {
            std::fs::write(root.join(name), text).unwrap();
            std::fs::File::options().write(true).open(root.join(name)).unwrap().set_modified(old).unwrap();
        };
        for i in 0..20 {
            put(&format!("F{i}.java"), &format!("class F{i} {{}}"));
        }
        let stop = ide_model::Stop::new();
        let read_at_start = || {
            let backend = ProjectBackend::open(&root, options(&cache)).unwrap();
            let snapshot = backend.store_snapshot(Cx::new(&stop)).unwrap();
            let read = backend.shared.progress.total.load(Ordering::Relaxed);
            let files = snapshot.index().rows().len();
            close(backend);
            (read, files)
        };
        assert_eq!(read_at_start(), (20, 20), "everything is new");
        assert_eq!(read_at_start(), (0, 20), "nothing changed");
        put("F3.java", "class Changed {}");
        std::fs::remove_file(root.join("F4.java")).unwrap();
        assert_eq!(read_at_start(), (1, 19), "one changed, one went");
        assert_eq!(read_at_start(), (0, 19));
    }

    #[test]
    fn a_large_file_that_is_saved_says_what_a_small_one_says() {
        let dir = tempfile::tempdir().unwrap();
        let (root, cache) = (dir.path().join("p"), dir.path().join("c"));
        std::fs::create_dir_all(&root).unwrap();
        let text = |local: &str, length: usize| {
            format!("class A {{ void f() {{ int {local}; {local}++; }} }}\n{}", "// padding\n".repeat(length))
        };
        let stop = ide_model::Stop::new();
        // Whether it is a sketch, and where the variable that the function counts up is declared.
        let answer = |backend: &ProjectBackend, at: &str| {
            let snapshot = backend.store_snapshot(Cx::new(&stop)).unwrap();
            let row = snapshot.index().rows().find(|row| row.entry.path.as_str() == "A.java").unwrap();
            let offset = std::fs::read_to_string(root.join("A.java")).unwrap().find(at).unwrap() as u32;
            let target = ide_model::Target::Position { file: row.entry.path.clone(), offset };
            let found = snapshot.resolve(Cx::new(&stop), &target).unwrap().value;
            (row.is_sketch, found.into_iter().map(|(symbol, _)| symbol.key).collect::<Vec<_>>())
        };
        std::fs::write(root.join("A.java"), text("one", 0)).unwrap();
        let backend = ProjectBackend::open(&root, options(&cache)).unwrap();
        backend.fill(Cx::new(&stop)).unwrap();
        for (length, is_sketch) in [(1, false), (2_000, true), (2, false), (3_000, true)] {
            std::fs::write(root.join("A.java"), text("other", length)).unwrap();
            let (sketched, found) = answer(&backend, "other++");
            assert_eq!((sketched, found.len()), (is_sketch, 1), "{length} lines");
        }
        let before = answer(&backend, "other++");
        close(backend);
        let again = ProjectBackend::open(&root, options(&cache)).unwrap();
        assert_eq!(answer(&again, "other++"), before, "after a restart");
        close(again);
    }

    #[test]
    fn what_nobody_asks_for_is_forgotten_and_answered_alike() {
        let dir = tempfile::tempdir().unwrap();
        let (root, cache) = (dir.path().join("p"), dir.path().join("c"));
        std::fs::create_dir_all(&root).unwrap();
        std::fs::write(root.join("A.java"), "class A { A a; }").unwrap();
        let stop = ide_model::Stop::new();
        let cx = Cx::new(&stop);
        // Nothing but questions makes a snapshot then.
        let options = Options { watch: false, ..options(&cache) };
        let backend = ProjectBackend::open(&root, options).unwrap();
        let found = |snapshot: &StoreSnapshot| {
            let file = ide_model::FilePath("A.java".into());
            let found =
                snapshot.resolve(cx, &ide_model::Target::Position { file, offset: 10 }).unwrap().value;
            found.into_iter().map(|(symbol, _)| symbol.key).collect::<Vec<_>>()
        };
        // Write everything that the first index left to write.
        backend.fill(cx).unwrap();
        let shared = &backend.shared;
        let published = || shared.published.load_full().unwrap();
        let busy = published();
        let before = found(&busy);
        assert!(!shared.rest(UNUSED), "somebody has just asked");
        assert!(Arc::ptr_eq(&published(), &busy));
        assert!(shared.rest(UNUSED * 2));
        let rested = published();
        assert!(!Arc::ptr_eq(&rested, &busy));
        assert_eq!(rested.index().generation(), busy.index().generation());
        assert_eq!((found(&rested), before.len()), (before, 1));
        close(backend);
    }
}
