//! The cache directory of a project: one mapped segment, a journal of what changed since, and a lock.
//!
//! `base.seg` is written under another name, made durable, then renamed, so it is whole whenever it is there. Its journal
//! is named after its checksum; the changes of a record that was being written when a process died are found again by the
//! walk at the start. The facts of a base of sketches lie in a file that is named after its checksum too, once they were read.
//! A process that cannot take the lock reads all of these and writes none.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ide_index::{Assembled, IndexSnapshot, SCHEMA, Segment, SegmentBytes, journal_record, journal_records};
use xxhash_rust::xxh3::xxh3_64;

use crate::extract::Log;
use crate::memory;

const BASE: &str = "base.seg";
const LOCK: &str = "lock";
/// Lists of files by trigram, see [`crate::trigrams`].
const LISTS: &str = "text.tri";
/// Facts beside a base of sketches, before the checksum of the base.
const FACTS: &str = "facts-";

/// The cache of one project and build.
pub(crate) struct Disk {
    directory: PathBuf,
    build_id: u64,
    lock: File,
    is_writer: bool,
    journal: Option<Journal>,
    /// The segment that [`Self::write_first`] wrote.
    first: Option<(PathBuf, Arc<Segment>)>,
    /// Why [`Self::load`] could not use what was there.
    pub(crate) refused: Option<String>,
    log: Arc<Log>,
}

struct Journal {
    file: File,
    len: u64,
}

impl Disk {
    /// Opens or makes the cache of the project at `root` below `cache`.
    pub(crate) fn open(cache: &Path, root: &Path, build_id: u64, log: Arc<Log>) -> io::Result<Self> {
        let project = cache.join(format!("{:016x}", xxh3_64(root.as_os_str().as_encoded_bytes())));
        let directory = project.join(format!("{SCHEMA}-{build_id:016x}"));
        create_private(&directory)?;
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(directory.join(LOCK))?;
        let mut disk = Self {
            directory,
            build_id,
            lock,
            is_writer: false,
            journal: None,
            first: None,
            refused: None,
            log,
        };
        if disk.elect()? {
            disk.remove_other_builds(&project);
        }
        Ok(disk)
    }

    /// Tries to become the writer; true when this process is the one.
    pub(crate) fn elect(&mut self) -> io::Result<bool> {
        if !self.is_writer {
            match self.lock.try_lock() {
                Ok(()) => self.is_writer = true,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Ok(self.is_writer)
    }

    pub(crate) fn is_writer(&self) -> bool {
        self.is_writer
    }

    /// Bytes in the journal; `None` when changes are not being recorded.
    pub(crate) fn journal_len(&self) -> Option<u64> {
        self.journal.as_ref().map(|journal| journal.len)
    }

    /// The segments of the last state that was kept, the lowest first; none when there is nothing of use.
    pub(crate) fn load(&mut self) -> Vec<Arc<Segment>> {
        match self.try_load() {
            Ok(segments) => segments,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    let because = format!("the kept index is of no use and is built anew: {error}");
                    (self.log)(&because);
                    self.refused = Some(because);
                }
                Vec::new()
            }
        }
    }

    fn try_load(&mut self) -> io::Result<Vec<Arc<Segment>>> {
        let base = self.map_base()?;
        self.find_facts(&base);
        let path = self.journal_path(base.checksum());
        let mut segments = vec![base];
        let kept = match open_to_read(&path) {
            Ok(mut file) => {
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes)?;
                let (changes, kept) = journal_records(&bytes, self.build_id);
                segments.extend(changes);
                kept as u64
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(error) => return Err(error),
        };
        if self.is_writer {
            let file = OpenOptions::new().create(true).truncate(false).append(true).open(&path)?;
            before_write()?;
            file.set_len(kept)?;
            self.journal = Some(Journal { file, len: kept });
        }
        Ok(segments)
    }

    fn map_base(&self) -> io::Result<Arc<Segment>> {
        let mapped: SegmentBytes = Arc::new(memory::map(&open_to_read(&self.directory.join(BASE))?)?);
        Segment::open(mapped, self.build_id).map(Arc::new).map_err(|error| {
            self.remove_base();
            io::Error::new(io::ErrorKind::InvalidData, error)
        })
    }

    /// Lets a base have the facts that lie beside it. Damaged ones are as good as none.
    fn find_facts(&self, base: &Segment) {
        let path = self.facts_path(base.checksum());
        let found = open_to_read(&path).and_then(|file| memory::map(&file));
        let taken = found.and_then(|bytes| base.keep_facts(Arc::new(bytes)).map_err(io::Error::other));
        if let Err(error) = taken
            && error.kind() != io::ErrorKind::NotFound
        {
            (self.log)(&format!("the kept facts are of no use and are read anew: {error}"));
        }
    }

    /// Ends the recording until the next base and removes the one that is there, which turned out to be damaged: this
    /// process may end before it has another one to put in its place. One that cannot write becomes the writer for it
    /// when there is no other.
    pub(crate) fn forget(&mut self) -> io::Result<()> {
        self.journal = None;
        self.elect()?;
        self.remove_base();
        Ok(())
    }

    fn remove_base(&self) {
        if self.is_writer
            && let Err(error) = before_write().and_then(|()| fs::remove_file(self.directory.join(BASE)))
            && error.kind() != io::ErrorKind::NotFound
        {
            (self.log)(&format!("cannot remove a damaged index: {error}"));
        }
    }

    /// Records a change. A failure ends the recording until the next base: later records would be out of reach.
    pub(crate) fn append(&mut self, change: &Segment) {
        let Some(journal) = &mut self.journal else { return };
        let written = journal_record(change).map_err(io::Error::other).and_then(|record| {
            write_all(&mut journal.file, &record)?;
            Ok(record.len() as u64)
        });
        match written {
            Ok(len) => journal.len += len,
            Err(error) => {
                (self.log)(&format!("changes are not recorded any more: {error}"));
                self.journal = None;
            }
        }
    }

    /// [`Self::stage`] that gives the segment back mapped.
    pub(crate) fn write_first(&mut self, segment: Assembled) -> io::Result<Arc<Segment>> {
        let path = Self::stage(&self.directory, segment)?;
        let segment = Arc::new(self.map_written(&path).map_err(|error| removed(&path, error))?);
        self.first = Some((path, segment.clone()));
        Ok(segment)
    }

    /// The file of [`Self::write_first`] when its segment is all of the index.
    pub(crate) fn take_first(&mut self, index: &IndexSnapshot) -> Option<PathBuf> {
        let (path, first) = self.first.take()?;
        let mut segments = index.segments();
        let is_all = segments.len() == 1 && segments.any(|segment| Arc::ptr_eq(segment, &first));
        is_all.then_some(path)
    }

    /// Writes a segment under a temporary name, so that it is never in memory as a whole. May be called while others use
    /// the cache.
    pub(crate) fn stage(directory: &Path, segment: Assembled) -> io::Result<PathBuf> {
        Self::create(directory, "staged", |file| {
            before_write()?;
            segment.write(&mut BufWriter::with_capacity(1 << 16, file))
        })
    }

    /// [`Self::stage`] for the facts beside a base.
    pub(crate) fn stage_facts(
        directory: &Path,
        write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
    ) -> io::Result<PathBuf> {
        Self::create(directory, "facts-staged", |file| {
            before_write()?;
            let mut out = BufWriter::with_capacity(1 << 16, file);
            write(&mut out)?;
            out.flush()
        })
    }

    /// Lets `base` have the staged facts from now on; without one they are removed.
    pub(crate) fn keep_facts(&self, staged: &Path, base: Option<&Segment>) -> io::Result<()> {
        let Some(base) = base else { return fs::remove_file(staged) };
        before_write()?;
        fs::rename(staged, self.facts_path(base.checksum())).map_err(|error| removed(staged, error))?;
        self.find_facts(base);
        Ok(())
    }

    fn facts_path(&self, base: u64) -> PathBuf {
        self.directory.join(format!("{FACTS}{base:016x}"))
    }

    /// Makes durable what was staged.
    pub(crate) fn sync(path: PathBuf) -> io::Result<PathBuf> {
        let synced = before_write().and_then(|()| open_to_read(&path)?.sync_all());
        synced.map_err(|error| removed(&path, error))?;
        Ok(path)
    }

    /// A new file under a name of this process; none when it cannot be written. One of this name that is still mapped
    /// lives on without it.
    fn create(
        directory: &Path,
        name: &str,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<PathBuf> {
        let path = directory.join(format!("{name}-{}", std::process::id()));
        before_write()?;
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = OpenOptions::new().create_new(true).write(true).open(&path)?;
        write(&mut file).map_err(|error| removed(&path, error))?;
        Ok(path)
    }

    fn map_written(&self, path: &Path) -> io::Result<Segment> {
        let bytes: SegmentBytes = Arc::new(memory::map(&open_to_read(path)?)?);
        Segment::open_written(bytes, self.build_id)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Makes what was staged the base, with `changes` as its journal, and gives the base back mapped.
    pub(crate) fn install(&mut self, staged: &Path, changes: &[Arc<Segment>]) -> io::Result<Arc<Segment>> {
        self.try_install(staged, changes).map_err(|error| removed(staged, error))
    }

    fn try_install(&mut self, staged: &Path, changes: &[Arc<Segment>]) -> io::Result<Arc<Segment>> {
        let base = self.map_written(staged)?;
        let path = self.journal_path(base.checksum());
        // A journal of an earlier base with the same content may be there: it is emptied before it can be taken for ours.
        before_write()?;
        let file = OpenOptions::new().create(true).truncate(true).write(true).open(&path)?;
        self.journal = Some(Journal { file, len: 0 });
        for change in changes {
            self.append(change);
        }
        before_write()?;
        fs::rename(staged, self.directory.join(BASE))?;
        open_to_read(&self.directory)?.sync_all()?;
        self.remove_leftovers(&path);
        Ok(Arc::new(base))
    }

    /// The directory of the lists of text search.
    pub(crate) fn lists(directory: &Path) -> PathBuf {
        directory.join(LISTS)
    }

    /// The kept lists, mapped.
    pub(crate) fn load_lists(directory: &Path) -> io::Result<SegmentBytes> {
        Ok(Arc::new(memory::map(&open_to_read(&Self::lists(directory))?)?))
    }

    /// Puts lists in the place of those that are there.
    pub(crate) fn keep_lists(directory: &Path, bytes: &[u8]) -> io::Result<()> {
        let path = Self::create(directory, "lists", |file| {
            write_all(file, bytes)?;
            file.sync_all()
        })?;
        before_write()?;
        fs::rename(path, Self::lists(directory))
    }

    fn journal_path(&self, base: u64) -> PathBuf {
        self.directory.join(format!("journal-{base:016x}"))
    }

    /// Removes journals of earlier bases and what processes that died left behind.
    fn remove_leftovers(&self, journal: &Path) {
        let result = fs::read_dir(&self.directory).and_then(|entries| {
            for entry in entries {
                let entry = entry?;
                let name = entry.file_name();
                let keep = name == BASE || name == LOCK || name == LISTS || entry.path() == journal;
                if !keep {
                    before_write()?;
                    fs::remove_file(entry.path())?;
                }
            }
            Ok(())
        });
        if let Err(error) = result {
            (self.log)(&format!("cannot tidy the cache: {error}"));
        }
    }

    /// Removes the caches that other builds made for this project and that no process uses.
    fn remove_other_builds(&self, project: &Path) {
        let result = fs::read_dir(project).and_then(|entries| {
            for entry in entries {
                let path = entry?.path();
                if path == self.directory {
                    continue;
                }
                let lock =
                    OpenOptions::new().create(true).truncate(false).write(true).open(path.join(LOCK))?;
                if lock.try_lock().is_ok() {
                    fs::remove_dir_all(&path)?;
                }
            }
            Ok(())
        });
        if let Err(error) = result {
            (self.log)(&format!("cannot remove the caches of other builds: {error}"));
        }
    }
}

/// Stands before everything that changes the cache, so that a test can end the world there.
#[cfg(not(test))]
fn before_write() -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
use tests::before_write;

fn write_all(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    if let Err(end) = before_write() {
        // A process may die in the middle of a write.
        file.write_all(&bytes[..bytes.len() / 2])?;
        return Err(end);
    }
    file.write_all(bytes)
}

/// The error that made a file useless, which is removed with it: on a full disk it would take what room is left.
fn removed(path: &Path, why: io::Error) -> io::Error {
    match before_write().and_then(|()| fs::remove_file(path)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            io::Error::other(format!("{why}; {} is left behind: {error}", path.display()))
        }
        _ => why,
    }
}

fn open_to_read(path: &Path) -> io::Result<File> {
    #[expect(clippy::disallowed_methods, reason = "this crate reads its own cache")]
    File::open(path)
}

/// Makes a directory that only its owner can look into: facts tell about the code.
fn create_private(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "fixtures are written to a real disk")]
mod tests {
    use std::cell::Cell;

    use ide_index::{FileEntry, SegmentBuilder, Stamp, Unit};
    use ide_model::{FilePath, SourceKind};

    use super::*;

    thread_local! {
        /// How many writes this thread still makes before it counts as dead.
        static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
        /// Whether the write that fails then is the only one: the disk was full for it.
        static IS_FULL: Cell<bool> = const { Cell::new(false) };
    }

    pub(super) fn before_write() -> io::Result<()> {
        match LEFT.get() {
            0 if IS_FULL.get() => {
                LEFT.set(usize::MAX);
                Err(io::ErrorKind::StorageFull.into())
            }
            0 => Err(io::Error::other("the process is dead")),
            left => {
                LEFT.set(left.saturating_sub(1));
                Ok(())
            }
        }
    }

    /// The life of a process that may be dead from some write on, and how far it came, by its own account.
    fn live(cache: &Path) -> usize {
        let mut disk = open(cache);
        disk.load();
        disk.append(&segment("two"));
        let mut came = usize::from(LEFT.get() > 0);
        let Ok(staged) = stage(&disk, "base2") else { return came };
        if disk.install(&staged, &[segment("three")]).is_ok() {
            came = 2;
            disk.append(&segment("four"));
            came += usize::from(LEFT.get() > 0);
        }
        if Disk::keep_lists(disk.directory(), b"lists").is_ok() {
            came = 4;
        }
        came
    }

    fn empty() -> IndexSnapshot {
        IndexSnapshot::new("/", [], 7, Arc::default(), None, 0)
    }

    fn assembled(path: &str) -> Assembled {
        empty()
            .assemble(&[path], &[], |path, builder| Some(builder.encode(unit(path))), |_, _, _| None)
            .unwrap()
    }

    /// An index that consists of a segment with one file.
    fn first(disk: &mut Disk) -> io::Result<IndexSnapshot> {
        Ok(empty().with(disk.write_first(assembled("first"))?).unwrap())
    }

    fn stage(disk: &Disk, path: &str) -> io::Result<PathBuf> {
        Disk::stage(disk.directory(), assembled(path)).and_then(Disk::sync)
    }

    fn files(disk: &Disk) -> Vec<String> {
        let entries = fs::read_dir(disk.directory()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn what_does_not_fit_on_a_disk_is_taken_away_again() {
        type Write = fn(&mut Disk) -> io::Result<()>;
        let all: [(usize, Write); 4] = [
            (2, |disk| first(disk).map(drop)),
            (3, |disk| stage(disk, "base").map(drop)),
            (2, |disk| Disk::keep_lists(disk.directory(), b"lists")),
            (5, |disk| disk.install(&stage(disk, "base")?, &[]).map(drop)),
        ];
        IS_FULL.set(true);
        for (writes, write) in all {
            for fits in 0..writes {
                let cache = tempfile::tempdir().unwrap();
                let mut disk = open(cache.path());
                LEFT.set(fits);
                assert_eq!(write(&mut disk).unwrap_err().kind(), io::ErrorKind::StorageFull);
                let left =
                    files(&disk).into_iter().filter(|name| name.contains(&std::process::id().to_string()));
                assert_eq!(left.collect::<Vec<_>>(), [""; 0], "{fits} writes fit");
            }
        }
    }

    #[test]
    fn a_first_segment_is_used_where_it_was_written_and_becomes_the_base() {
        let cache = tempfile::tempdir().unwrap();
        let mut disk = open(cache.path());
        let index = first(&mut disk).unwrap();
        assert_eq!(index.segments().next().unwrap().bytes(), segment("first").bytes());
        let staged = Disk::sync(disk.take_first(&index).unwrap()).unwrap();
        disk.install(&staged, &[]).unwrap();
        drop(disk);
        assert_eq!(kept(&mut open(cache.path())), ["first"]);
        // It is still read by those who hold it.
        assert_eq!(index.segments().next().unwrap().bytes(), segment("first").bytes());
    }

    #[test]
    fn a_first_segment_below_changes_is_not_the_base() {
        let cache = tempfile::tempdir().unwrap();
        let mut disk = open(cache.path());
        let index = first(&mut disk).unwrap();
        assert_eq!(disk.take_first(&index.with(segment("second")).unwrap()), None);
        first(&mut disk).unwrap();
        assert_eq!(index.segments().next().unwrap().bytes(), segment("first").bytes());
    }

    #[test]
    fn a_first_segment_that_cannot_be_written_is_an_error_and_leaves_nothing_to_be_read() {
        for writes in 0..2 {
            let cache = tempfile::tempdir().unwrap();
            let mut disk = open(cache.path());
            LEFT.set(writes);
            assert!(first(&mut disk).is_err());
            LEFT.set(usize::MAX);
            drop(disk);
            assert!(open(cache.path()).load().is_empty());
        }
    }

    #[test]
    fn a_death_before_or_within_any_write_loses_only_what_was_not_written() {
        let states: [&[&str]; 5] = [
            &["base", "one"],
            &["base", "one", "two"],
            &["base2", "three"],
            &["base2", "three", "four"],
            &["base2", "three", "four"],
        ];
        let mut deaths = 0;
        loop {
            let cache = tempfile::tempdir().unwrap();
            let mut disk = open(cache.path());
            let staged = stage(&disk, "base").unwrap();
            disk.install(&staged, &[segment("one")]).unwrap();
            drop(disk);
            LEFT.set(deaths);
            let came = live(cache.path());
            LEFT.set(usize::MAX);
            let mut disk = open(cache.path());
            let found = kept(&mut disk);
            let reached = states.iter().rposition(|state| *state == found);
            let reached = reached.unwrap_or_else(|| panic!("dead at write {deaths}: {found:?}"));
            assert!(reached >= came.min(3), "dead at write {deaths}: {found:?} after step {came}");
            disk.append(&segment("new"));
            assert_eq!(kept(&mut disk).last().unwrap(), "new", "what follows a death is kept");
            if came == 4 {
                assert_eq!(fs::read(Disk::lists(disk.directory())).unwrap(), b"lists");
                break;
            }
            deaths += 1;
        }
        assert!(deaths > 8, "{deaths} writes only");
    }

    fn unit(path: &str) -> Unit {
        Unit {
            entry: FileEntry {
                path: FilePath::new(path),
                language: None,
                source: SourceKind::Other,
                is_generated: false,
                size: 1,
                content_hash: 0,
            },
            stamp: Stamp::default(),
            facts: None,
            configuration: None,
        }
    }

    fn segment(path: &str) -> Arc<Segment> {
        let encoded =
            SegmentBuilder::build(&[path], &[], 7, |path, builder| Some(builder.encode(unit(path))));
        Arc::new(Segment::open(Arc::new(encoded.unwrap()), 7).unwrap())
    }

    fn open(cache: &Path) -> Disk {
        Disk::open(cache, Path::new("/project"), 7, Arc::new(|_: &str| {})).unwrap()
    }

    fn kept(disk: &mut Disk) -> Vec<String> {
        disk.load().iter().map(|segment| segment.rows()[0].entry.path.to_string()).collect()
    }

    #[test]
    fn a_journal_cut_anywhere_or_damaged_anywhere_gives_whole_records_only() {
        let cache = tempfile::tempdir().unwrap();
        let mut disk = open(cache.path());
        let staged = stage(&disk, "base").unwrap();
        disk.install(&staged, &[segment("one")]).unwrap();
        disk.append(&segment("two"));
        let journal = disk.journal_path(segment("base").checksum());
        let whole = fs::read(&journal).unwrap();
        let first = journal_record(&segment("one")).unwrap().len();
        assert_eq!(kept(&mut disk), ["base", "one", "two"]);
        for cut in 0..whole.len() {
            fs::write(&journal, &whole[..cut]).unwrap();
            let wanted = if cut < first { 1 } else { 2 };
            assert_eq!(kept(&mut disk), ["base", "one"][..wanted], "cut at {cut}");
            disk.append(&segment("new"));
            assert_eq!(kept(&mut disk).last().unwrap(), "new", "what follows a cut is kept");
            let mut bad = whole.clone();
            bad[cut] ^= 0x40;
            fs::write(&journal, &bad).unwrap();
            assert_eq!(kept(&mut disk).len(), wanted, "damaged at {cut}");
        }
    }

    #[test]
    fn one_of_two_writes_and_the_other_takes_over() {
        let cache = tempfile::tempdir().unwrap();
        let mut first = open(cache.path());
        let staged = stage(&first, "base").unwrap();
        first.install(&staged, &[]).unwrap();
        let mut second = open(cache.path());
        assert!(first.is_writer() && !second.is_writer());
        first.append(&segment("one"));
        assert_eq!(kept(&mut second), ["base", "one"]);
        assert_eq!(second.journal_len(), None, "only the writer records");
        drop(first);
        assert!(second.elect().unwrap());
    }

    #[test]
    fn a_damaged_base_is_removed_and_other_builds_are_swept_away() {
        let cache = tempfile::tempdir().unwrap();
        let mut disk = open(cache.path());
        let staged = stage(&disk, "base").unwrap();
        disk.install(&staged, &[]).unwrap();
        let base = disk.directory().join(BASE);
        let mut bytes = fs::read(&base).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&base, bytes).unwrap();
        assert!(kept(&mut disk).is_empty() && disk.refused.is_some());
        assert!(!base.exists());
        let staged = stage(&disk, "base").unwrap();
        disk.install(&staged, &[]).unwrap();
        let mut reader = open(cache.path());
        reader.forget().unwrap();
        assert!(base.exists(), "another process writes");
        drop(disk);
        reader.forget().unwrap();
        assert!(!base.exists(), "what turns out to be damaged later is gone with its process");
        let disk = reader;
        let old = disk.directory().to_owned();
        drop(disk);
        let newer = Disk::open(cache.path(), Path::new("/project"), 8, Arc::new(|_: &str| {})).unwrap();
        assert!(newer.directory().exists() && !old.exists());
    }
}
