//! The editor of one project: plans to records, records to files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use ide_model::{
    ContentHash, Cx, EditError, EditPlan, EditStep, Editor, FileChange, FileDiff, FilePath, PlanError,
    QueryError, Refusal, RefusalReason, TextEdit,
};
use ide_project_resolver::{Access, Fs, Kind, Libraries, Project};
use xxhash_rust::xxh3::xxh3_64;

use crate::bytes::{content_hash, edited};
use crate::carrier::{self, Carrier};
use crate::diff::file_diff;
use crate::disk::{self, Halt, Mode, State};
use crate::gate::{Gate, ReadGuard, Swap, SwapError, create_private, lock_directory};
use crate::journal::{Journal, JournalEntry, Phase};
use crate::place::{Place, create_directories};
use crate::record::{Direction, Entry, Record};

/// How long a writer sleeps before it looks whether it was cancelled.
pub(crate) const PATIENCE: Duration = Duration::from_millis(20);

/// Writes the files of a project. Everyone who writes files of the same checkout takes turns, in all processes.
#[derive(Clone)]
pub struct DiskEditor(Arc<Inner>);

struct Inner {
    layout: Arc<Project>,
    fs: Arc<dyn Fs>,
    journal: Journal,
    gate: Gate,
    /// Tells staged files of this project from those of others.
    tag: String,
    is_busy: Mutex<bool>,
    freed: Condvar,
    carrier: Option<Arc<dyn Carrier>>,
}

impl DiskEditor {
    /// The editor of a project. `state_dir` is where undo data are kept, outside of every project; nothing is made there
    /// before the first write. Steps that a dead writer left unfinished are put back now, or by the next write when
    /// another process is writing.
    ///
    /// # Errors
    /// When files of an unfinished step cannot be put back.
    pub fn open(layout: Arc<Project>, fs: Arc<dyn Fs>, state_dir: &Path) -> io::Result<Self> {
        Self::carried(layout, fs, state_dir, None)
    }

    /// As [`Self::open`]; the files of steps are written by `carrier`, where it can.
    ///
    /// # Errors
    /// See [`Self::open`].
    pub fn carried(
        layout: Arc<Project>,
        fs: Arc<dyn Fs>,
        state_dir: &Path,
        carrier: Option<Arc<dyn Carrier>>,
    ) -> io::Result<Self> {
        let place = |path: &str| state_dir.join(format!("{:016x}", xxh3_64(path.as_bytes())));
        let root = layout.root().canonical().as_str();
        let journal = Journal::new(place(root));
        let gate = Gate::new(place(layout.checkout().as_str()).join("gate"));
        let tag = format!("{:08x}", xxh3_64(root.as_bytes()) as u32);
        let (is_busy, freed) = (Mutex::new(false), Condvar::new());
        let inner = Inner { layout, fs, journal, gate, tag, is_busy, freed, carrier };
        if inner.journal.exists()
            && let Some(_locks) = inner.try_lock()?
        {
            inner.recover()?;
        }
        Ok(Self(Arc::new(inner)))
    }

    /// Waits for the right to write, and puts back what a writer that died left unfinished. Until the writer is dropped
    /// nobody else writes: a plan that is made from a snapshot taken meanwhile finds the tree as it was planned for.
    ///
    /// # Errors
    /// [`EditError::Stopped`] when `cx` ends before it is our turn; failures of the disk.
    pub fn writer(&self, cx: Cx<'_>) -> Result<Writer, EditError> {
        let inner = &self.0;
        let mut is_busy = inner.is_busy.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            cx.check().map_err(EditError::Stopped)?;
            if !*is_busy && let Some(locks) = inner.try_lock().map_err(failed)? {
                *is_busy = true;
                let writer = Writer { inner: inner.clone(), _locks: locks };
                drop(is_busy);
                inner.recover().map_err(torn)?;
                return Ok(writer);
            }
            is_busy = inner.freed.wait_timeout(is_busy, PATIENCE).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until no step is half done, and keeps it so while the guard lives.
    ///
    /// # Errors
    /// When `cx` ends before; [`QueryError::Failed`] when a step that was left half done cannot be put back.
    pub fn look(&self, cx: Cx<'_>) -> Result<Looking<'_>, QueryError> {
        let look = self.0.gate.look(cx)?;
        if self.0.gate.left_by().is_none() {
            return Ok(Looking { _look: look });
        }
        drop(look);
        match self.writer(cx) {
            Ok(_recovered) => {}
            Err(EditError::Stopped(error)) => return Err(error),
            Err(EditError::Torn { message } | EditError::Failed { message }) => {
                return Err(QueryError::Failed { message });
            }
            Err(other) => return Err(QueryError::Failed { message: format!("{other:?}") }),
        }
        Ok(Looking { _look: self.0.gate.look(cx)? })
    }

    /// Makes whole files what they shall be, byte by byte, as one step of the undo history.
    ///
    /// # Errors
    /// [`EditError::Refused`] when a file is another than it is said to be; failures of the disk.
    pub fn write_whole(&self, cx: Cx<'_>, title: &str, files: &[WholeFile]) -> Result<EditStep, EditError> {
        let writer = self.writer(cx)?;
        let (mut entries, mut refusals) = (Vec::new(), Vec::new());
        for whole in files {
            match self.0.whole(whole) {
                Ok(entry) => entries.push(entry),
                Err((file, reason)) => refusals.push(Refusal { file, reason }),
            }
        }
        if !refusals.is_empty() {
            return Err(EditError::Refused(refusals));
        }
        writer.carry_out(cx, self.0.record(title.to_owned(), entries)?)
    }

    /// A step of the history as it was made, or as it was taken back, for whoever looks at it later; `None` when it is not
    /// kept any more.
    pub fn step(&self, id: &str, taken_back: bool) -> Option<EditStep> {
        let journal = &self.0.journal;
        let kept = journal.list().ok()?.into_iter().find(|kept| step_id(*kept) == id)?;
        let record = journal.read(kept).ok()?;
        let way = if taken_back { Direction::Back } else { Direction::Forward };
        Some(EditStep { id: step_id(kept), files: diffs(&record, way), title: record.title })
    }

    /// A number that grows with every step that is taken in this checkout, by whichever process.
    pub fn steps_taken(&self) -> u64 {
        self.0.gate.count()
    }
}

/// A file as a whole.
#[derive(Clone, Debug)]
pub struct WholeFile {
    pub file: FilePath,
    /// The content that it has now; `None` where there is none.
    pub before: Option<ContentHash>,
    /// The content that it gets; `None` takes it away.
    pub after: Option<Arc<[u8]>>,
}

/// Somebody who takes in the tree; meanwhile no file changes its place.
pub struct Looking<'e> {
    _look: ReadGuard<'e>,
}

/// The right to write, given back when dropped.
pub struct Writer {
    inner: Arc<Inner>,
    _locks: Locks,
}

/// The locks of the checkout and of the journal.
struct Locks {
    _checkout: Option<fs::File>,
    _journal: fs::File,
}

impl Inner {
    /// `None` when somebody else writes.
    fn try_lock(&self) -> io::Result<Option<Locks>> {
        let Some(directory) = lock_directory(Path::new(self.layout.checkout().as_str())) else {
            return Ok(None);
        };
        Ok(self.journal.try_lock()?.map(|journal| Locks { _checkout: directory, _journal: journal }))
    }

    /// Ends steps that were not finished by putting their files back.
    fn recover(&self) -> io::Result<()> {
        let is_unfinished = |kept: &JournalEntry| !kept.phase.is_settled();
        let left_by = self.gate.left_by();
        if left_by.is_none() && !self.journal.list()?.iter().any(is_unfinished) {
            return Ok(());
        }
        let never = ide_model::Stop::new();
        let swap = self.swap(Cx::new(&never)).map_err(|halt| match halt {
            Halt::Disk(_, error) => error,
            _ => io::ErrorKind::Interrupted.into(),
        })?;
        recover_journal(&self.journal)?;
        // A project inside this one, or around it, keeps a journal of its own.
        if let Some(other) = left_by.filter(|other| other != self.journal.directory()) {
            let other = Journal::new(other);
            if other.exists()
                && let Some(_lock) = other.try_lock()?
            {
                recover_journal(&other)?;
            }
        }
        swap.finish()
    }

    fn swap(&self, cx: Cx<'_>) -> Result<Swap<'_>, Halt> {
        create_private(self.gate.directory()).map_err(|error| Halt::Disk(PathBuf::new(), error))?;
        self.gate.swap(cx, self.journal.directory()).map_err(|error| match error {
            SwapError::Stopped => Halt::Stopped,
            SwapError::Disk(error) => Halt::Disk(PathBuf::new(), error),
        })
    }

    /// The files of a plan as they are and as they shall be.
    fn read(&self, plan: &EditPlan) -> Result<Record, EditError> {
        let mut plan = plan.clone();
        plan.tidy()?;
        let mut refusals = Vec::new();
        let mut entries: Vec<Entry> = Vec::new();
        for change in &plan.changes {
            match self.entries(change) {
                Ok(more) => entries.extend(more),
                Err((file, reason)) => refusals.push(Refusal { file, reason }),
            }
        }
        if !refusals.is_empty() {
            return Err(EditError::Refused(refusals));
        }
        self.record(plan.title, entries)
    }

    fn whole(&self, whole: &WholeFile) -> Result<Entry, (FilePath, RefusalReason)> {
        let shown = whole.file.clone();
        let state = |mode| match &whole.after {
            Some(bytes) => State::File { bytes: bytes.clone(), mode },
            None => State::Absent,
        };
        let Some(hash) = whole.before else {
            let path = self.free_place(&shown)?;
            return Ok(Entry { path, shown, before: State::Absent, after: state(Mode::default()) });
        };
        let (path, before) = self.existing(&shown, hash, whole.after.is_none())?;
        let State::File { mode, .. } = before else { return Err((shown, RefusalReason::Missing)) };
        Ok(Entry { path, shown, before, after: state(mode) })
    }

    fn record(&self, title: String, entries: Vec<Entry>) -> Result<Record, EditError> {
        // Two names may lead to one file.
        let mut paths: Vec<&Entry> = entries.iter().collect();
        paths.sort_by(|a, b| a.path.cmp(&b.path));
        if let Some(pair) = paths.windows(2).find(|pair| pair[0].path == pair[1].path) {
            let message = "is changed twice".to_owned();
            return Err(PlanError { file: pair[1].shown.clone(), message }.into());
        }
        let directories = missing_directories(&entries);
        Ok(Record { title, tag: self.tag.clone(), entries, directories })
    }

    fn entries(&self, change: &FileChange) -> Result<Vec<Entry>, (FilePath, RefusalReason)> {
        match change {
            FileChange::Create { file, text } => {
                let path = self.free_place(file)?;
                let after = State::File { bytes: text.as_bytes().into(), mode: Mode::default() };
                Ok(vec![Entry { path, shown: file.clone(), before: State::Absent, after }])
            }
            FileChange::Edit { file, before, edits } => {
                let (path, old) = self.existing(file, *before, false)?;
                let after = rewritten(file, &old, edits)?;
                Ok(vec![Entry { path, shown: file.clone(), before: old, after }])
            }
            FileChange::Delete { file, before } => {
                let (path, old) = self.existing(file, *before, true)?;
                Ok(vec![Entry { path, shown: file.clone(), before: old, after: State::Absent }])
            }
            FileChange::Move { from, to, before, edits } => {
                let (path, old) = self.existing(from, *before, true)?;
                let after = rewritten(from, &old, edits)?;
                let place = self.free_place(to)?;
                Ok(vec![
                    Entry { path: place, shown: to.clone(), before: State::Absent, after },
                    Entry { path, shown: from.clone(), before: old, after: State::Absent },
                ])
            }
        }
    }

    /// The real path of a file that is there and has this content. A file to be removed must not be reached through a
    /// link: the link would go, not the file.
    fn existing(
        &self,
        file: &FilePath,
        hash: ContentHash,
        goes_away: bool,
    ) -> Result<(PathBuf, State), (FilePath, RefusalReason)> {
        let refuse = |reason| (file.clone(), reason);
        let found = self.resolve(file)?;
        match found.kind {
            Some(Kind::File) => {}
            Some(_) => return Err(refuse(RefusalReason::NotAFile)),
            None => return Err(refuse(RefusalReason::Missing)),
        }
        if goes_away && found.shown != file.as_str() {
            return Err(refuse(RefusalReason::NotAFile));
        }
        let path = PathBuf::from(found.path.as_str());
        if fs::metadata(&path).is_ok_and(|meta| meta.permissions().readonly()) {
            return Err(refuse(RefusalReason::ReadOnly));
        }
        let state = disk::look(&path).map_err(|_| refuse(RefusalReason::NotAFile))?;
        match state.bytes() {
            None => Err(refuse(RefusalReason::Missing)),
            Some(bytes) if content_hash(bytes) != hash => Err(refuse(RefusalReason::Changed)),
            Some(_) => Ok((path, state)),
        }
    }

    fn free_place(&self, file: &FilePath) -> Result<PathBuf, (FilePath, RefusalReason)> {
        let found = self.resolve(file)?;
        match found.kind {
            None => Ok(PathBuf::from(found.path.as_str())),
            Some(_) => Err((file.clone(), RefusalReason::Exists)),
        }
    }

    fn resolve(
        &self,
        file: &FilePath,
    ) -> Result<ide_project_resolver::ResolvedFile, (FilePath, RefusalReason)> {
        let libraries = Libraries::default();
        // A missing file of the root is not looked for below other content roots: there may be one of its name.
        let is_relative = !Path::new(file.as_str()).is_absolute();
        let below_root = is_relative.then(|| self.layout.root().canonical().join(file.as_str())).flatten();
        let path = below_root.as_ref().map_or(file.as_str(), |path| path.as_str());
        self.layout
            .resolve_file(&*self.fs, &libraries, path, None, Access::Write)
            .map_err(|_| (file.clone(), RefusalReason::Outside))
    }

    /// Takes the steps of a record that is written down already; puts everything back when that does not work out.
    fn carry_out(
        &self,
        cx: Cx<'_>,
        kept: JournalEntry,
        record: &Record,
        way: Direction,
        (done, back_to): (Phase, Option<Phase>),
    ) -> Result<(), EditError> {
        let steps = record.steps(way);
        let made = steps
            .iter()
            .filter(|step| *step.to != State::Absent)
            .filter_map(|step| step.path.parent())
            .try_for_each(create_directories);
        let made = made.map_err(|error| Halt::Disk(record.entries[0].path.clone(), error));
        let (swap, halt) = match made {
            Ok(()) => self.carried(cx, kept, record, way, done),
            Err(halt) => (None, Some(halt)),
        };
        let Some(halt) = halt else { return swap.map_or(Ok(()), Swap::finish).map_err(torn) };
        let unreachable = put_back(&self.journal, kept, record, way, back_to).map_err(torn)?;
        swap.map_or(Ok(()), Swap::finish).map_err(torn)?;
        if !unreachable.is_empty() {
            let files: Vec<_> = unreachable.iter().map(|path| shown(record, path).to_string()).collect();
            let why = "a link stands in place of a directory; these may keep what the step wrote";
            return Err(EditError::Torn { message: format!("{why}: {}", files.join(", ")) });
        }
        Err(match halt {
            Halt::Stopped => EditError::Stopped(cx.check().err().unwrap_or(QueryError::Cancelled)),
            Halt::Changed(path) => EditError::Refused(vec![Refusal {
                file: shown(record, &path),
                reason: RefusalReason::Changed,
            }]),
            Halt::Disk(path, error) => {
                EditError::Failed { message: format!("{}: {error}", shown(record, &path)) }
            }
        })
    }

    fn taken(&self, steps: &[disk::Step<'_>], kept: JournalEntry, done: Phase) -> Result<(), Halt> {
        disk::take(steps)?;
        self.advance(kept, done)
    }

    fn advance(&self, kept: JournalEntry, done: Phase) -> Result<(), Halt> {
        self.journal.advance(kept, done).map(drop).map_err(|error| Halt::Disk(PathBuf::new(), error))
    }

    /// Has the files written. Nobody looks at the tree while the swap lives, which is until the step is done or its files are
    /// put back.
    fn carried(
        &self,
        cx: Cx<'_>,
        kept: JournalEntry,
        record: &Record,
        way: Direction,
        done: Phase,
    ) -> (Option<Swap<'_>>, Option<Halt>) {
        let steps = record.steps(way);
        if let Some(carrier) = &self.carrier {
            let swap = match self.swap(cx) {
                Ok(swap) => swap,
                Err(halt) => return (None, Some(halt)),
            };
            match carrier::carry(&**carrier, cx, way, &record.title, &steps) {
                Ok(true) => return (Some(swap), self.advance(kept, done).err()),
                Ok(false) => {}
                Err(halt) => return (Some(swap), Some(halt)),
            }
            if let Err(error) = swap.finish() {
                return (None, Some(Halt::Disk(PathBuf::new(), error)));
            }
        }
        match disk::stage_steps(&steps).and_then(|()| self.swap(cx)) {
            Ok(swap) => (Some(swap), self.taken(&steps, kept, done).err()),
            Err(halt) => (None, Some(halt)),
        }
    }

    /// The newest step that can be taken this way.
    fn newest(&self, way: Direction, id: Option<&str>) -> Result<JournalEntry, EditError> {
        let all = self.journal.list().map_err(failed)?;
        let done = all.iter().rfind(|kept| kept.phase == Phase::Done).copied();
        let found = match way {
            Direction::Back => done,
            Direction::Forward => all.iter().copied().find(|kept| {
                kept.phase == Phase::Undone && done.is_none_or(|done| done.number < kept.number)
            }),
        };
        let word = if way == Direction::Back { "undo" } else { "redo" };
        let found =
            found.ok_or_else(|| EditError::NoStep { message: format!("there is nothing to {word}") })?;
        let newest = step_id(found);
        match id {
            Some(id) if id != newest => Err(EditError::NoStep {
                message: format!("`{id}` is not the step to {word} next; that is `{newest}`"),
            }),
            _ => Ok(found),
        }
    }

    fn turn(&self, cx: Cx<'_>, way: Direction, id: Option<&str>, dry: bool) -> Result<EditStep, EditError> {
        let kept = self.newest(way, id)?;
        let record = self.journal.read(kept).map_err(failed)?;
        let refusals = self.changed_since(&record, way);
        if !refusals.is_empty() {
            return Err(EditError::Refused(refusals));
        }
        let step = EditStep { id: step_id(kept), title: record.title.clone(), files: diffs(&record, way) };
        if dry {
            return Ok(step);
        }
        let (begun, ends) = match way {
            Direction::Back => (Phase::Undoing, (Phase::Undone, Some(Phase::Done))),
            Direction::Forward => (Phase::Redoing, (Phase::Done, Some(Phase::Undone))),
        };
        let kept = self.journal.advance(kept, begun).map_err(failed)?;
        self.carry_out(cx, kept, &record, way, ends)?;
        if way == Direction::Back {
            remove_empty(&record.directories);
        }
        Ok(step)
    }

    /// Files of a record that are not as the step left them, or may not be written to any more.
    fn changed_since(&self, record: &Record, way: Direction) -> Vec<Refusal> {
        let mut refusals = Vec::new();
        for (step, entry) in record.steps(way).iter().zip(&record.entries) {
            let contained =
                self.resolve(&entry.shown).is_ok_and(|found| Path::new(found.path.as_str()) == step.path);
            let reason = match disk::look(step.path) {
                _ if !contained => RefusalReason::Outside,
                Ok(now) if now.is_same_content(step.from) => continue,
                Ok(State::Absent) => RefusalReason::Missing,
                Ok(_) if *step.from == State::Absent => RefusalReason::Exists,
                Ok(_) => RefusalReason::Changed,
                Err(_) => RefusalReason::NotAFile,
            };
            refusals.push(Refusal { file: entry.shown.clone(), reason });
        }
        refusals
    }
}

impl Writer {
    /// Writes a record down and does what it says.
    fn carry_out(&self, cx: Cx<'_>, mut record: Record) -> Result<EditStep, EditError> {
        let inner = &self.inner;
        let number = inner.journal.list().map_err(failed)?.last().map_or(0, |last| last.number) + 1;
        record.tag = format!("{}-{number:x}", inner.tag);
        let kept = inner.journal.begin(number, &record).map_err(failed)?;
        inner.carry_out(cx, kept, &record, Direction::Forward, (Phase::Done, None))?;
        // The step is done; old records that stay cost room, not truth, and are looked at again after the next step.
        drop(inner.journal.prune());
        Ok(EditStep { id: step_id(kept), files: diffs(&record, Direction::Forward), title: record.title })
    }
}

impl Editor for Writer {
    fn preview(&self, _: Cx<'_>, plan: &EditPlan) -> Result<Vec<FileDiff>, EditError> {
        Ok(diffs(&self.inner.read(plan)?, Direction::Forward))
    }

    fn apply(&self, cx: Cx<'_>, plan: &EditPlan) -> Result<EditStep, EditError> {
        self.carry_out(cx, self.inner.read(plan)?)
    }

    fn undo(&self, cx: Cx<'_>, id: Option<&str>, dry: bool) -> Result<EditStep, EditError> {
        self.inner.turn(cx, Direction::Back, id, dry)
    }

    fn redo(&self, cx: Cx<'_>, id: Option<&str>, dry: bool) -> Result<EditStep, EditError> {
        self.inner.turn(cx, Direction::Forward, id, dry)
    }
}

/// Each call waits for its turn.
impl Editor for DiskEditor {
    fn preview(&self, cx: Cx<'_>, plan: &EditPlan) -> Result<Vec<FileDiff>, EditError> {
        self.writer(cx)?.preview(cx, plan)
    }

    fn apply(&self, cx: Cx<'_>, plan: &EditPlan) -> Result<EditStep, EditError> {
        self.writer(cx)?.apply(cx, plan)
    }

    fn undo(&self, cx: Cx<'_>, id: Option<&str>, dry: bool) -> Result<EditStep, EditError> {
        self.writer(cx)?.undo(cx, id, dry)
    }

    fn redo(&self, cx: Cx<'_>, id: Option<&str>, dry: bool) -> Result<EditStep, EditError> {
        self.writer(cx)?.redo(cx, id, dry)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        *self.inner.is_busy.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.inner.freed.notify_one();
    }
}

fn recover_journal(journal: &Journal) -> io::Result<()> {
    for kept in journal.list()? {
        let (way, back_to) = match kept.phase {
            Phase::Done | Phase::Undone | Phase::Superseded => continue,
            Phase::Doing => (Direction::Forward, None),
            Phase::Undoing => (Direction::Back, Some(Phase::Done)),
            Phase::Redoing => (Direction::Forward, Some(Phase::Undone)),
        };
        let record = journal.read(kept)?;
        // Files behind a link that has taken a directory's place are left: nobody is there to be told of them.
        put_back(journal, kept, &record, way, back_to)?;
    }
    Ok(())
}

fn put_back(
    journal: &Journal,
    kept: JournalEntry,
    record: &Record,
    way: Direction,
    back_to: Option<Phase>,
) -> io::Result<Vec<PathBuf>> {
    let unreachable = disk::put_back(&record.steps(way))?;
    match back_to {
        Some(phase) => journal.advance(kept, phase).map(drop)?,
        None => {
            remove_empty(&record.directories);
            journal.remove(kept)?;
        }
    }
    Ok(unreachable)
}

fn step_id(kept: JournalEntry) -> String {
    kept.number.to_string()
}

fn diffs(record: &Record, way: Direction) -> Vec<FileDiff> {
    let steps = record.steps(way);
    let mut files: Vec<FileDiff> = steps
        .iter()
        .zip(&record.entries)
        .map(|(step, entry)| file_diff(&entry.shown, step.from, step.to))
        .collect();
    files.sort_by(|a, b| a.file.cmp(&b.file));
    files
}

fn shown(record: &Record, path: &Path) -> FilePath {
    let entry = record.entries.iter().find(|entry| entry.path == path);
    entry.map_or_else(|| FilePath::new("the undo history"), |entry| entry.shown.clone())
}

fn rewritten(file: &FilePath, old: &State, edits: &[TextEdit]) -> Result<State, (FilePath, RefusalReason)> {
    let State::File { bytes, mode } = old else { return Err((file.clone(), RefusalReason::Missing)) };
    let bytes = edited(bytes, edits).ok_or_else(|| (file.clone(), RefusalReason::NotText))?;
    Ok(State::File { bytes: bytes.into(), mode: *mode })
}

/// Directories that must be made for files to come, the outermost first.
fn missing_directories(entries: &[Entry]) -> Vec<PathBuf> {
    let coming = entries.iter().filter(|entry| entry.before == State::Absent);
    let mut missing: Vec<PathBuf> = coming
        .flat_map(|entry| entry.path.ancestors().skip(1).take_while(|directory| !directory.exists()))
        .map(Path::to_owned)
        .collect();
    missing.sort();
    missing.dedup();
    missing
}

/// Removes directories that a step made, the innermost first. One in which something else is by now stays.
fn remove_empty(directories: &[PathBuf]) {
    for directory in directories.iter().rev() {
        drop(Place::of(directory).and_then(|place| fs::remove_dir(place.path())));
    }
}

fn failed(error: io::Error) -> EditError {
    EditError::Failed { message: format!("the undo history: {error}") }
}

fn torn(error: io::Error) -> EditError {
    EditError::Torn { message: error.to_string() }
}
