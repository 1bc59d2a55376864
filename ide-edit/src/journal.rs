//! The records of a project's steps on disk. The name of a record says how far its step is; it is changed by renaming.

#![expect(clippy::disallowed_methods, reason = "this crate keeps its own records")]

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::disk::sync_directory;
use crate::gate::create_private;
use crate::record::Record;

/// Steps that can be taken back at least, if their contents are not large.
const KEPT_STEPS: usize = 200;
/// Bytes of records that are kept, beyond the newest one.
const KEPT_BYTES: u64 = 256 << 20;

/// How far a step is. `Doing`, `Undoing` and `Redoing` last only while files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Doing,
    Done,
    Undoing,
    Undone,
    Redoing,
    /// Taken back before a newer step was made: it can only be looked at.
    Superseded,
}

impl Phase {
    /// Whether nobody is at work on the step.
    pub(crate) fn is_settled(self) -> bool {
        matches!(self, Self::Done | Self::Undone | Self::Superseded)
    }
}

const PHASES: [(Phase, &str); 6] = [
    (Phase::Doing, "doing"),
    (Phase::Done, "done"),
    (Phase::Undoing, "undoing"),
    (Phase::Undone, "undone"),
    (Phase::Redoing, "redoing"),
    (Phase::Superseded, "superseded"),
];

/// A record by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JournalEntry {
    pub(crate) number: u64,
    pub(crate) phase: Phase,
}

impl JournalEntry {
    fn file_name(self) -> String {
        let word = PHASES.iter().find(|(phase, _)| *phase == self.phase).map_or("", |(_, word)| word);
        format!("{:016x}.{word}", self.number)
    }

    fn parse(name: &str) -> Option<Self> {
        let (number, word) = name.split_once('.')?;
        let phase = PHASES.iter().find(|(_, known)| *known == word)?.0;
        Some(Self { number: u64::from_str_radix(number, 16).ok()?, phase })
    }
}

/// The directory of records. Used by one process at a time: whoever holds [`Self::try_lock`].
pub(crate) struct Journal {
    directory: PathBuf,
}

impl Journal {
    pub(crate) fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Whether anything was ever written.
    pub(crate) fn exists(&self) -> bool {
        self.directory.is_dir()
    }

    /// The right to write, held while the file is open; `None` when another process has it.
    pub(crate) fn try_lock(&self) -> io::Result<Option<File>> {
        // Records hold the code: only their owner may read them.
        create_private(&self.directory)?;
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(self.path("lock"))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// The records, the oldest first.
    pub(crate) fn list(&self) -> io::Result<Vec<JournalEntry>> {
        let mut kept = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            kept.extend(entry?.file_name().to_str().and_then(JournalEntry::parse));
        }
        kept.sort_by_key(|kept: &JournalEntry| kept.number);
        Ok(kept)
    }

    pub(crate) fn read(&self, kept: JournalEntry) -> io::Result<Record> {
        Record::decode(&fs::read(self.path(&kept.file_name()))?)
    }

    /// Writes a new record; it is there, whole and durable, or not at all.
    pub(crate) fn begin(&self, number: u64, record: &Record) -> io::Result<JournalEntry> {
        let kept = JournalEntry { number, phase: Phase::Doing };
        let staged = self.path("staged");
        let mut file = OpenOptions::new().create(true).truncate(true).write(true).open(&staged)?;
        file.write_all(&record.encode())?;
        file.sync_all()?;
        self.rename(&staged, kept)?;
        Ok(kept)
    }

    pub(crate) fn advance(&self, kept: JournalEntry, phase: Phase) -> io::Result<JournalEntry> {
        let next = JournalEntry { phase, ..kept };
        self.rename(&self.path(&kept.file_name()), next)?;
        Ok(next)
    }

    pub(crate) fn remove(&self, kept: JournalEntry) -> io::Result<()> {
        fs::remove_file(self.path(&kept.file_name()))?;
        sync_directory(&self.path(&kept.file_name()))
    }

    /// Supersedes steps that were taken back before the newest one that was done, and forgets the oldest ones when there are
    /// many.
    pub(crate) fn prune(&self) -> io::Result<()> {
        let all = self.list()?;
        let newest = all.iter().filter(|kept| kept.phase == Phase::Done).map(|kept| kept.number).max();
        let (stale, mut rest): (Vec<JournalEntry>, Vec<JournalEntry>) = all.into_iter().partition(|kept| {
            kept.phase == Phase::Undone && newest.is_some_and(|newest| kept.number < newest)
        });
        for kept in stale {
            rest.push(self.advance(kept, Phase::Superseded)?);
        }
        rest.retain(|kept| matches!(kept.phase, Phase::Done | Phase::Superseded));
        rest.sort_by_key(|kept| kept.number);
        let mut bytes = 0;
        for (age, kept) in rest.into_iter().rev().enumerate() {
            bytes += self.path(&kept.file_name()).metadata()?.len();
            if age > 0 && (age >= KEPT_STEPS || bytes > KEPT_BYTES) {
                self.remove(kept)?;
            }
        }
        Ok(())
    }

    fn rename(&self, from: &Path, to: JournalEntry) -> io::Result<()> {
        let to = self.path(&to.file_name());
        fs::rename(from, &to)?;
        sync_directory(&to)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }
}
