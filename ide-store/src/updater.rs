//! The one writer: brings the index up to what is on disk.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ide_index::parallel::Threads;
use ide_index::{
    FactSource, FileRow, IndexError, IndexSnapshot, KeptWriter, Macros, Segment, SegmentBuilder, Stamp, Thin,
    World,
};
use ide_model::paths;
use ide_project_resolver::{Classifier, Root};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_128;

use crate::classify::{FileClass, classify, is_build_file, read_model};
use crate::directory::{Directory, stamp};
use crate::disk::Disk;
use crate::enumerate::{Enumerator, FoundFile, Listing, OnDirectory};
use crate::extract::{Extractor, FactReader, Log, fresh, read};
use crate::open::open_real;
use crate::pending::Pending;
use crate::unread::UnreadPlace;
use crate::watch::Watcher;

/// Changed files above the base before it is merged, if they are also a twentieth of all.
const SMALL_OVERLAY: usize = 128;
const LARGE_OVERLAY: usize = 2_000;
/// A journal longer than this, and than the base, is merged.
const SMALL_JOURNAL: u64 = 4 << 20;

/// How far the work at hand is; read by others at any time.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    pub(crate) phase: AtomicUsize,
    pub(crate) done: AtomicUsize,
    pub(crate) total: AtomicUsize,
}

/// The names of the values of [`Progress::phase`].
pub(crate) const PHASES: [&str; 3] = ["ready", "scan", "parse"];
const READY: usize = 0;
const SCAN: usize = 1;
const PARSE: usize = 2;

/// Owns the state of a project's index.
pub(crate) struct Updater {
    pub(crate) index: Arc<IndexSnapshot>,
    pub(crate) enumerator: Enumerator,
    pub(crate) extractor: Extractor,
    pub(crate) pool: Threads,
    pub(crate) watcher: Option<Arc<Watcher>>,
    /// Why there is no watcher.
    pub(crate) unwatched: Option<String>,
    pub(crate) disk: Option<Disk>,
    pub(crate) progress: Arc<Progress>,
    pub(crate) log: Arc<Log>,
    pub(crate) pending: Pending,
    /// The directories in which build files may name modules outside of the project.
    trusted: Vec<Root>,
    /// The build files were read once.
    has_model: bool,
    /// Modules outside of the project that are named and not there.
    missing: Vec<String>,
    /// Device and inode of the root, then of the outer content roots and the missing ones, when they were walked.
    root_ids: Vec<Option<(u64, u64)>>,
    /// Content hashes of files whose rows are marked as racy without need.
    settled: FxHashMap<Arc<str>, u128>,
    /// The places that could not be read as of the last refresh.
    pub(crate) unread: Arc<[UnreadPlace]>,
    /// Changes since a merge began that runs elsewhere.
    since: Option<Vec<Arc<Segment>>>,
    /// Why the index was thrown away and built again, if it was.
    pub(crate) rebuilt: Option<String>,
}

/// Why the index could not be brought up to date.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UpdateError {
    /// The project's directory is not there.
    #[error("the project directory cannot be read: {0}")]
    NoRoot(std::io::Error),
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The index cannot be brought up to date, not even from nothing.
    #[error("the index cannot be brought up to date; the log says more")]
    Panicked,
}

/// True when nothing was done to the file between the two, as far as times tell.
fn is_same_time(a: Stamp, b: Stamp) -> bool {
    Stamp { is_racy: false, ..a } == Stamp { is_racy: false, ..b }
}

/// The identity of a directory, which tells it from another one at the same place.
fn id(meta: &std::fs::Metadata) -> (u64, u64) {
    #[cfg(unix)]
    return (std::os::unix::fs::MetadataExt::dev(meta), std::os::unix::fs::MetadataExt::ino(meta));
    #[cfg(not(unix))]
    return (0, stamp(meta).inode);
}

/// The result of a second look at a file.
enum Recheck {
    Changed,
    Same,
    /// The same content, at a time when a later change would show: the mark as racy has done its duty.
    Settled(u128),
}

/// Paths to be read anew, and paths that are gone.
#[derive(Debug, Default)]
struct Plan {
    changed: BTreeSet<Arc<str>>,
    removed: BTreeSet<Arc<str>>,
}

/// A state that is to be kept.
pub(crate) struct Merge {
    index: Arc<IndexSnapshot>,
    directory: PathBuf,
    /// The file, when it is written already.
    first: Option<PathBuf>,
}

/// The facts of files of which there are sketches, to be read and kept.
pub(crate) struct Fill {
    base: Arc<Segment>,
    reader: Arc<FactReader>,
    directory: PathBuf,
}

impl Fill {
    /// Writes them under a temporary name and makes them durable.
    ///
    /// # Errors
    /// The errors of the disk, and an error when `stop` is set meanwhile.
    pub(crate) fn stage(&self, stop: &AtomicBool) -> std::io::Result<PathBuf> {
        let path = Disk::stage_facts(&self.directory, |out| {
            let mut writer = KeptWriter::new(&self.base, out).map_err(std::io::Error::other)?;
            for row in self.base.rows() {
                if stop.load(Ordering::Relaxed) {
                    return Err(std::io::ErrorKind::Interrupted.into());
                }
                // One that changed is not of the base any more.
                let facts = row.is_sketch.then(|| self.reader.facts(&row.entry)).flatten();
                writer.put(facts.as_ref())?;
            }
            writer.finish().map(drop)
        })?;
        Disk::sync(path)
    }
}

impl Merge {
    /// Makes the state durable under a temporary name.
    pub(crate) fn stage(self) -> std::io::Result<PathBuf> {
        let path = match self.first {
            Some(path) => path,
            None => Disk::stage(&self.directory, self.index.merged().map_err(std::io::Error::other)?)?,
        };
        Disk::sync(path)
    }
}

impl Updater {
    #[expect(clippy::too_many_arguments, reason = "every part is made by the caller, once")]
    pub(crate) fn new(
        index: Arc<IndexSnapshot>,
        enumerator: Enumerator,
        extractor: Extractor,
        pool: Threads,
        watcher: Result<Watcher, String>,
        disk: Option<Disk>,
        progress: Arc<Progress>,
        log: Arc<Log>,
        trusted: Vec<Root>,
    ) -> Self {
        let (watcher, unwatched) = match watcher {
            Ok(watcher) => (Some(Arc::new(watcher)), None),
            Err(why) => (None, Some(why)),
        };
        let pending = Pending { all: true, ..Pending::default() };
        let rebuilt = disk.as_ref().and_then(|disk| disk.refused.clone());
        Self {
            index,
            enumerator,
            extractor,
            pool,
            watcher,
            unwatched,
            disk,
            progress,
            log,
            pending,
            trusted,
            has_model: false,
            missing: Vec::new(),
            root_ids: Vec::new(),
            settled: FxHashMap::default(),
            unread: Arc::default(),
            since: None,
            rebuilt,
        }
    }

    /// [`Self::see`]; an index that makes that panic is thrown away with its cache, and built again once.
    pub(crate) fn refresh(&mut self) -> Result<bool, UpdateError> {
        let see = |this: &mut Self| catch_unwind(AssertUnwindSafe(|| this.see()));
        if let Ok(seen) = see(self) {
            return seen;
        }
        self.start_over("reading it failed");
        see(self).unwrap_or(Err(UpdateError::Panicked))
    }

    /// Sees every change that happened before this call; true when the index changed.
    fn see(&mut self) -> Result<bool, UpdateError> {
        self.try_unread_again();
        let changed = self.refresh_index()?;
        let unread = self.extractor.reader.unread.all(|path| self.index.file_by_path(path).is_some());
        if *self.unread != *unread {
            self.unread = unread.into();
        }
        Ok(changed)
    }

    /// Tries the unread places again where they can be read by now: no event need tell of it.
    fn try_unread_again(&mut self) {
        for place in self.unread.iter() {
            let full = self.enumerator.root.join(&*place.path);
            if place.is_directory {
                self.pending.all |= Directory::open(&full).is_ok() || full.symlink_metadata().is_err();
            } else if open_real(&full).is_ok() {
                self.pending.files.insert(place.path.to_string());
            }
        }
    }

    fn refresh_index(&mut self) -> Result<bool, UpdateError> {
        // Emptied first: the queue would not let the worker sleep.
        match &self.watcher {
            Some(watcher) => watcher.drain(&mut self.pending),
            None => self.pending.all = true,
        }
        self.check_root()?;
        if self.index.is_damaged() {
            self.start_over("it was damaged");
        }
        let has_met_change = self.forget_changed_file();
        if self.pending.is_empty() && self.has_model {
            return Ok(has_met_change);
        }
        let work = std::mem::take(&mut self.pending);
        self.progress.phase.store(SCAN, Ordering::Relaxed);
        let had_model = self.has_model;
        let result = self.plan(&work).and_then(|mut plan| {
            let outer = self.enumerator.outer.clone();
            // One that the plan read knows the files of the plan.
            if had_model {
                self.update_model(&mut plan);
            }
            if self.enumerator.outer != outer {
                let everywhere = self.plan(&Pending { all: true, ..Pending::default() })?;
                plan.changed.retain(|path| !everywhere.removed.contains(path));
                plan.changed.extend(everywhere.changed);
                plan.removed = everywhere.removed;
            }
            self.apply(plan)
        });
        self.progress.phase.store(READY, Ordering::Relaxed);
        if result.is_err() {
            self.pending.merge(work);
        }
        Ok(result? || has_met_change)
    }

    /// A file that was met changed is looked at whatever its times say, and the snapshots from now on do not know of it.
    fn forget_changed_file(&mut self) -> bool {
        let Some(path) = self.index.changed_file().map(|path| path.to_string()) else { return false };
        self.pending.files.insert(path);
        self.index = Arc::new(self.index.with_no_changed_file());
        true
    }

    /// The root may have been renamed away, replaced or mounted over: then nothing that is watched counts.
    fn check_root(&mut self) -> Result<(), UpdateError> {
        match self.ids() {
            Ok(ids) => {
                if self.root_ids != ids {
                    self.root_ids = ids;
                    self.pending.all = true;
                    self.has_model = false;
                }
                Ok(())
            }
            Err(error) => {
                self.root_ids.clear();
                self.pending.all = true;
                Err(UpdateError::NoRoot(error))
            }
        }
    }

    /// See [`Self::root_ids`].
    fn ids(&self) -> std::io::Result<Vec<Option<(u64, u64)>>> {
        let root = std::fs::metadata(&self.enumerator.root)?;
        if !root.is_dir() {
            return Err(std::io::ErrorKind::NotADirectory.into());
        }
        let outer = self.enumerator.outer.iter().chain(&self.missing);
        let outer = outer.map(|root| std::fs::metadata(root).ok().map(|meta| id(&meta)));
        Ok(std::iter::once(Some(id(&root))).chain(outer).collect())
    }

    /// Forgets an index that turned out to be damaged, and what is kept of it.
    pub(crate) fn start_over(&mut self, because: &str) {
        let because = format!("the index was thrown away and built again: {because}");
        (self.log)(&because);
        self.rebuilt = Some(because);
        self.since = None;
        let empty = self.index.emptied();
        self.index = Arc::new(empty);
        if let Some(Err(error)) = self.disk.as_mut().map(Disk::forget) {
            (self.log)(&format!("the cache cannot be used: {error}"));
            self.disk = None;
        }
        self.pending.all = true;
    }

    fn plan(&mut self, work: &Pending) -> Result<Plan, UpdateError> {
        let mut plan = Plan::default();
        let is_all = work.all || !self.has_model;
        if is_all || work.trees.iter().any(|tree| self.enumerator.outer.contains(tree)) {
            let mut listing = self.walk_all()?;
            while !self.has_model {
                // After the walk, from which on changes of the build files are seen.
                let outer = self.enumerator.outer.clone();
                self.read_model();
                if self.enumerator.outer != outer {
                    listing = self.walk_all()?;
                }
            }
            let rows: Vec<&FileRow> = self.index.rows().collect();
            self.compare(&rows, &listing, &mut plan);
            return Ok(plan);
        }
        let mut directories = work.directories.clone();
        for file in &work.files {
            if self.index.file_by_path(file).is_some() {
                // Its event says that it was written to: the times may be equal all the same.
                if self.enumerator.root.join(file).symlink_metadata().is_ok_and(|meta| meta.is_file()) {
                    plan.changed.insert(file.as_str().into());
                } else {
                    plan.removed.insert(file.as_str().into());
                }
            } else {
                directories.insert(paths::directory(file).to_owned());
            }
        }
        let mut trees = work.trees.clone();
        for directory in &directories {
            self.plan_directory(directory, &mut trees, &mut plan);
        }
        // The remaining trees are not listed by their parents: they are gone or ignored.
        for tree in trees {
            let inside = format!("{tree}/");
            plan.removed.extend(self.rows_below(&inside).map(|row| row.entry.path.0.clone()));
        }
        if let Some(failure) = self.watcher.as_ref().and_then(|watcher| watcher.failure()) {
            self.give_up_watching(failure);
            self.pending.all = true;
        }
        Ok(plan)
    }

    /// Lists a directory; those of its subdirectories that are new, or in `trees`, are walked and taken from it.
    fn plan_directory(&self, directory: &str, trees: &mut BTreeSet<String>, plan: &mut Plan) {
        let is_known = self.watcher.as_ref().is_none_or(|watcher| watcher.watches(directory));
        if !is_known {
            // Ignored, or part of a tree that came or went as a whole.
            return;
        }
        let listing = self.enumerator.flat(directory);
        self.report(&listing);
        if !listing.unread.is_empty() {
            self.extractor.reader.unread.note_directories(directory, &listing.unread);
        }
        let rows: Vec<&FileRow> = match self.index.directory(directory) {
            Some(entries) => entries.files.into_iter().map(|id| self.index.row(id)).collect(),
            None => Vec::new(),
        };
        self.compare(&rows, &listing, plan);
        for sub in &listing.directories {
            let is_watched = self.watcher.as_ref().is_some_and(|watcher| watcher.watches(sub));
            if trees.remove(sub) || !is_watched {
                let listing = self.walk(sub, true);
                self.report(&listing);
                self.extractor.reader.unread.note_directories(sub, &listing.unread);
                let inside = format!("{sub}/");
                let rows: Vec<&FileRow> = self.rows_below(&inside).collect();
                self.compare(&rows, &listing, plan);
            }
        }
    }

    /// Tells the kind of a file by its path, as the build files have it.
    pub(crate) fn classifier(&self) -> &Arc<Classifier> {
        &self.extractor.model
    }

    fn read_model(&mut self) {
        let root = self.enumerator.root.to_string_lossy();
        let model = read_model(&root, &self.trusted, &self.enumerator.exclusions, &*self.log);
        self.extractor.model = Arc::new(model.classifier);
        if self.enumerator.outer != model.outer || self.missing != model.missing {
            self.enumerator.outer = model.outer;
            self.missing = model.missing;
            // The roots of now are those that are walked next; one that is gone by then differs.
            self.root_ids = self.ids().unwrap_or_default();
        }
        self.has_model = true;
    }

    /// Reads the build files again when one of them is part of the plan, or a directory that was not there before, which
    /// may be a source root. Files that are for something else now become part of the plan.
    fn update_model(&mut self, plan: &mut Plan) {
        let is_new = |path: &str| {
            let directory = paths::directory(path);
            !directory.is_empty() && self.index.directory(directory).is_none()
        };
        let touched = plan.changed.iter().chain(&plan.removed).any(|path| is_build_file(path));
        if !touched && !plan.changed.iter().any(|path| is_new(path)) {
            return;
        }
        self.read_model();
        let others = self
            .index
            .rows()
            .map(|row| &row.entry)
            .filter(|entry| entry.source != classify(&self.extractor.model, entry.path.as_str()).source);
        plan.changed
            .extend(others.map(|entry| entry.path.0.clone()).filter(|path| !plan.removed.contains(path)));
    }

    /// Everything below a directory, which is watched from now on.
    fn walk(&self, directory: &str, with_state: bool) -> Listing {
        let watch = self.watcher.as_ref().map(|watcher| |directory: &str| watcher.add(directory));
        let watch = watch.as_ref().map(|watch| watch as &OnDirectory<'_>);
        self.pool.install(|| self.enumerator.tree(directory, with_state, watch))
    }

    fn walk_all(&mut self) -> Result<Listing, UpdateError> {
        loop {
            if let Some(watcher) = &self.watcher {
                watcher.reset();
            }
            let listing = self.walk("", self.index.file_count() > 0);
            if let Some(failure) = self.watcher.as_ref().and_then(|watcher| watcher.failure()) {
                self.give_up_watching(failure);
            }
            // A root that went away during the walk must not look like an empty project.
            self.check_root()?;
            if !std::mem::take(&mut self.pending.all) {
                self.report(&listing);
                self.extractor.reader.unread.note_directories("", &listing.unread);
                return Ok(listing);
            }
        }
    }

    fn give_up_watching(&mut self, why: String) {
        (self.log)(&format!("{why}; changes are found by walking from now on"));
        self.watcher = None;
        self.unwatched = Some(why);
    }

    fn report(&self, listing: &Listing) {
        for problem in &listing.problems {
            (self.log)(problem);
        }
    }

    fn rows_below<'u>(&'u self, inside: &'u str) -> impl Iterator<Item = &'u FileRow> {
        self.index.rows_from(inside).take_while(move |row| row.entry.path.as_str().starts_with(inside))
    }

    /// Compares rows of the index with what is there; both are ordered by path.
    fn compare(&self, rows: &[&FileRow], listing: &Listing, plan: &mut Plan) {
        let model = &self.extractor.model;
        let mut rows = rows.iter().peekable();
        let mut around = ("", model.directory(""));
        for found in &listing.files {
            while let Some(row) = rows.next_if(|row| *row.entry.path.0 < *found.path) {
                plan.removed.insert(row.entry.path.0.clone());
            }
            let row = rows.next_if(|row| *row.entry.path.0 == *found.path);
            let (path, name) = found.path.rsplit_once('/').unwrap_or(("", &found.path));
            if around.0 != path {
                around = (path, model.directory(path));
            }
            if row.is_none_or(|row| self.differs(row, found, around.1.file(name).into())) {
                plan.changed.insert(found.path.clone());
            }
        }
        plan.removed.extend(rows.map(|row| row.entry.path.0.clone()));
    }

    fn differs(&self, row: &FileRow, found: &FoundFile, class: FileClass) -> bool {
        found.state.is_none_or(|(size, stamp)| row.entry.size != size || !is_same_time(row.stamp, stamp))
            || row.entry.source != class.source
            || row.stamp.is_racy && self.settled.get(&found.path) != Some(&row.entry.content_hash)
    }

    /// Whether reading the file again would change anything.
    fn look(&self, path: &str) -> Recheck {
        let Some(row) = self.index.file_by_path(path).map(|id| self.index.row(id)) else {
            return Recheck::Changed;
        };
        let full = self.enumerator.root.join(path);
        let Ok(meta) = full.symlink_metadata() else { return Recheck::Changed };
        let now = fresh(stamp(&meta));
        if row.entry.source != classify(&self.extractor.model, path).source
            || row.entry.size != meta.len()
            || !is_same_time(row.stamp, now)
        {
            return Recheck::Changed;
        }
        if row.entry.content_hash == 0 {
            // Was not read, or could not be: that is still so, or it is read now.
            let found = if self.extractor.wants(path, meta.len()) { read(&full).map(drop) } else { Ok(()) };
            if let Err(error) = &found {
                self.extractor.reader.unread.note_file(&path.into(), Some(error));
            }
            let is_same = found.is_err() || !self.extractor.wants(path, meta.len());
            return if is_same { Recheck::Same } else { Recheck::Changed };
        }
        match read(&full) {
            Ok((bytes, _)) if xxh3_128(&bytes) == row.entry.content_hash => {
                if now.is_racy {
                    Recheck::Same
                } else {
                    Recheck::Settled(row.entry.content_hash)
                }
            }
            _ => Recheck::Changed,
        }
    }

    /// Keeps the paths that really changed.
    fn look_at_all(&mut self, changed: Vec<Arc<str>>) -> Vec<Arc<str>> {
        let this = &*self;
        let looks: Vec<(Arc<str>, Recheck)> = this.pool.install(|| {
            changed
                .into_par_iter()
                .map(|path| {
                    let look = this.look(&path);
                    (path, look)
                })
                .collect()
        });
        let mut really = Vec::new();
        for (path, look) in looks {
            match look {
                Recheck::Changed => really.push(path),
                Recheck::Same => {}
                Recheck::Settled(hash) => {
                    self.settled.insert(path, hash);
                }
            }
        }
        really
    }

    fn apply(&mut self, mut plan: Plan) -> Result<bool, UpdateError> {
        plan.removed.retain(|path| !plan.changed.contains(path) && self.index.file_by_path(path).is_some());
        let mut changed: Vec<Arc<str>> = plan.changed.into_iter().collect();
        if self.index.file_count() > 0 {
            changed = self.look_at_all(changed);
        }
        if changed.is_empty() && plan.removed.is_empty() {
            return Ok(false);
        }
        let removed: Vec<Arc<str>> = plan.removed.into_iter().collect();
        self.progress.done.store(0, Ordering::Relaxed);
        self.progress.total.store(changed.len(), Ordering::Relaxed);
        self.progress.phase.store(PARSE, Ordering::Relaxed);
        let (before, extractor, progress) = (self.index.clone(), &self.extractor, &self.progress);
        let part = |path: &Arc<str>, builder: &SegmentBuilder| {
            let part = extractor.part(path, &before, builder);
            progress.done.fetch_add(1, Ordering::Relaxed);
            part
        };
        let again = |path: &Arc<str>, builder: &SegmentBuilder, macros: &Macros<'_>| {
            extractor.part_among(path, &before, builder, macros)
        };
        if before.segments().len() == 0
            && let Some(disk) =
                self.disk.as_mut().filter(|disk| disk.is_writer() && disk.journal_len().is_none())
        {
            let first_part = |path: &Arc<str>, builder: &SegmentBuilder| {
                let part = extractor.first_part(path, &before, builder);
                progress.done.fetch_add(1, Ordering::Relaxed);
                part
            };
            let first = self.pool.install(|| before.assemble(&changed, &removed, first_part, again))?;
            match self.pool.install(|| disk.write_first(first)) {
                Ok(first) => {
                    self.index = Arc::new(before.with(first)?);
                    return Ok(true);
                }
                Err(error) => {
                    (self.log)(&format!("the index is not kept: {error}"));
                    self.disk = None;
                    progress.done.store(0, Ordering::Relaxed);
                }
            }
        }
        let (index, segment) = self.pool.install(|| before.changed(&changed, &removed, part, again))?;
        self.index = Arc::new(index);
        if let Some(disk) = &mut self.disk {
            disk.append(&segment);
        }
        if let Some(since) = &mut self.since {
            since.push(segment);
        }
        Ok(true)
    }

    /// True when the state should be written out as one segment.
    pub(crate) fn wants_merge(&self) -> bool {
        let Some(disk) = &self.disk else { return false };
        if self.since.is_some() {
            return false;
        }
        let overlay = self.index.overlay_size();
        let files = self.index.file_count() as usize;
        let is_large = overlay > LARGE_OVERLAY || overlay > SMALL_OVERLAY && overlay > files / 20;
        let base = self.index.segments().next().map_or(0, |base| base.bytes().len() as u64);
        match disk.journal_len() {
            Some(len) => is_large || len > SMALL_JOURNAL.max(base),
            // No base yet, or another process is the writer.
            None => disk.is_writer() && self.index.file_count() > 0 || is_large,
        }
    }

    /// Begins a merge that runs without the updater; `None` when another process keeps the cache: then the layers are
    /// merged in memory.
    pub(crate) fn begin_merge(&mut self) -> Option<Merge> {
        let disk = self.disk.as_mut()?;
        let elected = disk.elect();
        match elected {
            Ok(true) => {
                self.since = Some(Vec::new());
                let first = disk.take_first(&self.index);
                Some(Merge { index: self.index.clone(), directory: disk.directory().to_owned(), first })
            }
            Ok(false) => {
                if let Err(error) = self.merge_in_memory() {
                    (self.log)(&format!("cannot merge the index: {error}"));
                }
                None
            }
            Err(error) => {
                (self.log)(&format!("the cache cannot be used: {error}"));
                self.disk = None;
                None
            }
        }
    }

    /// The state is being written out, or about to be.
    pub(crate) fn is_merging(&self) -> bool {
        self.since.is_some() || self.wants_merge()
    }

    /// The base whose facts are to be read and kept; `None` when they are, or another process keeps the cache.
    pub(crate) fn begin_fill(&self) -> Option<Fill> {
        let disk = self.disk.as_ref().filter(|disk| disk.journal_len().is_some())?;
        let base = self.index.segments().next().filter(|base| base.lacks_facts())?.clone();
        let reader = self.extractor.reader.clone();
        Some(Fill { base, reader, directory: disk.directory().to_owned() })
    }

    /// Gives the base the facts that were staged, unless there is another one by now.
    pub(crate) fn end_fill(&self, fill: &Fill, staged: std::io::Result<PathBuf>) {
        let Some(disk) = &self.disk else { return };
        let is_base = self.index.segments().next().is_some_and(|base| Arc::ptr_eq(base, &fill.base));
        let kept = staged.and_then(|path| disk.keep_facts(&path, is_base.then_some(&*fill.base)));
        if let Err(error) = kept {
            (self.log)(&format!("facts are not kept: {error}"));
        }
    }

    /// Takes layers that were merged meanwhile, unless others lie there by now.
    pub(crate) fn end_thin(&mut self, thin: Result<Option<Thin>, IndexError>) {
        match thin {
            Ok(Some(thin)) => self.index = Arc::new(self.index.with_thin(&thin)),
            Ok(None) => {}
            Err(error) => (self.log)(&format!("cannot merge changes: {error}")),
        }
    }

    fn merge_in_memory(&mut self) -> Result<(), IndexError> {
        let merged = self.index.open_segment(Arc::new(self.index.merged()?.into_bytes()))?;
        self.index = Arc::new(self.index.rebased(merged));
        Ok(())
    }

    /// Ends a merge: the staged file becomes the base, changes made meanwhile lie on top.
    pub(crate) fn end_merge(&mut self, staged: std::io::Result<PathBuf>) {
        // Without, the index was thrown away meanwhile.
        let Some(since) = self.since.take() else { return };
        let Some(disk) = &mut self.disk else { return };
        let result = staged.and_then(|path| disk.install(&path, &since)).and_then(|base| {
            let rebased = since.into_iter().try_fold(self.index.rebased(base), |index, s| index.with(s));
            rebased.map_err(std::io::Error::other)
        });
        match result {
            Ok(index) => self.index = Arc::new(index.at_generation(self.index.generation())),
            Err(error) => {
                (self.log)(&format!("the index is not kept: {error}"));
                self.disk = None;
            }
        }
    }
}
