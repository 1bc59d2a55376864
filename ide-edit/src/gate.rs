//! A gate between readers and the writer of a tree: many readers, or the one writer for the short time in which files
//! change places.
//!
//! The gate is a file that the processes of a state directory share. Readers hold a shared lock on it, a swap an exclusive
//! one; the system takes both away when a process dies. Its first eight bytes count: odd while files are being swapped, so
//! an odd count without a lock was left by a process that died, and a count that grew between two looks means that the
//! tree was changed. Behind the count stands the directory of the journal that knows what was being done.

#![expect(clippy::disallowed_methods, reason = "the gate is a file of this crate, and crowds are timed")]

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ide_model::{Cx, QueryError};

use crate::editor::PATIENCE;

/// A reader that comes later than this after the first one lets the crowd end, so that a writer gets its turn.
const CROWD: Duration = Duration::from_millis(50);

pub(crate) struct Gate {
    path: PathBuf,
    inside: Mutex<GateState>,
    freed: Condvar,
}

#[derive(Default)]
struct GateState {
    /// Opened once it is there.
    file: Option<File>,
    readers: usize,
    /// Since when the shared lock is held.
    locked: Option<Instant>,
    /// Swaps that wait or happen in this process.
    swaps: usize,
}

impl Gate {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, inside: Mutex::default(), freed: Condvar::new() }
    }

    /// The directory of the gate's file.
    pub(crate) fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    fn inside(&self) -> MutexGuard<'_, GateState> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps swaps away while the guard lives.
    pub(crate) fn look(&self, cx: Cx<'_>) -> Result<ReadGuard<'_>, QueryError> {
        let mut inside = self.inside();
        loop {
            cx.check()?;
            let may_join = inside.locked.is_none_or(|since| since.elapsed() < CROWD);
            if inside.swaps == 0 && may_join && inside.lock_shared(&self.path).map_err(unusable)? {
                inside.readers += 1;
                return Ok(ReadGuard(self));
            }
            inside = self.freed.wait_timeout(inside, PATIENCE).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Grows with every change; odd while files are being swapped.
    pub(crate) fn count(&self) -> u64 {
        let mut inside = self.inside();
        // One that cannot be read is as good as none: it only says when to look again.
        inside.file(&self.path).ok().flatten().and_then(|file| read_count(file).ok()).unwrap_or(0)
    }

    /// The journal of a swap that was begun and not ended, if this process or another one left such.
    pub(crate) fn left_by(&self) -> Option<PathBuf> {
        let mut inside = self.inside();
        let file = inside.file(&self.path).ok().flatten()?;
        if read_count(file).ok()? % 2 == 0 {
            return None;
        }
        let mut path = String::new();
        file.read_to_string(&mut path).ok()?;
        Some(PathBuf::from(path))
    }

    /// The right to swap files, once nobody looks any more. Until [`Swap::finish`] the tree counts as torn.
    pub(crate) fn swap(&self, cx: Cx<'_>, journal: &Path) -> Result<Swap<'_>, SwapError> {
        let wait = Waiting::new(self);
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&self.path);
        let mut file = file.map_err(SwapError::Disk)?;
        loop {
            cx.check().map_err(|_| SwapError::Stopped)?;
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(SwapError::Disk(error)),
            }
            let inside = self.inside();
            drop(self.freed.wait_timeout(inside, PATIENCE).unwrap_or_else(PoisonError::into_inner));
        }
        let begun = (|| {
            let count = read_count(&mut file)?;
            file.set_len(8)?;
            file.seek(io::SeekFrom::Start(8))?;
            file.write_all(journal.as_os_str().as_encoded_bytes())?;
            let odd = count + 1 + count % 2;
            write_count(&mut file, odd)?;
            Ok(odd)
        })();
        let count = begun.map_err(SwapError::Disk)?;
        Ok(Swap { _wait: wait, file, count })
    }
}

impl GateState {
    fn file(&mut self, path: &Path) -> io::Result<Option<&mut File>> {
        if self.file.is_none() {
            self.file = match File::open(path) {
                Ok(file) => Some(file),
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) =>
                {
                    None
                }
                Err(error) => return Err(error),
            };
        }
        Ok(self.file.as_mut())
    }

    /// Whether nobody swaps: true too where nothing was ever written.
    fn lock_shared(&mut self, path: &Path) -> io::Result<bool> {
        if self.locked.is_some() {
            return Ok(true);
        }
        let Some(file) = self.file(path)? else { return Ok(true) };
        match file.try_lock_shared() {
            Ok(()) => self.locked = Some(Instant::now()),
            Err(TryLockError::WouldBlock) => return Ok(false),
            // A file system without locks.
            Err(TryLockError::Error(_)) => {}
        }
        Ok(true)
    }
}

/// A reader inside.
pub(crate) struct ReadGuard<'g>(&'g Gate);

impl Drop for ReadGuard<'_> {
    fn drop(&mut self) {
        let mut inside = self.0.inside();
        inside.readers -= 1;
        if inside.readers == 0 {
            if let (Some(_), Some(file)) = (inside.locked.take(), &inside.file) {
                // A lock that cannot be given back is given back with the file.
                if file.unlock().is_err() {
                    inside.file = None;
                }
            }
            self.0.freed.notify_all();
        }
    }
}

/// Keeps new readers of this process out.
struct Waiting<'g>(&'g Gate);

impl<'g> Waiting<'g> {
    fn new(gate: &'g Gate) -> Self {
        gate.inside().swaps += 1;
        Self(gate)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.inside().swaps -= 1;
        self.0.freed.notify_all();
    }
}

/// The right to swap files.
pub(crate) struct Swap<'g> {
    // The lock goes first, then those who wait are woken.
    file: File,
    count: u64,
    _wait: Waiting<'g>,
}

impl Swap<'_> {
    /// Says that the tree is whole again.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        write_count(&mut self.file, self.count + 1)
    }
}

/// Why there is no swap.
pub(crate) enum SwapError {
    Stopped,
    Disk(io::Error),
}

fn read_count(file: &mut File) -> io::Result<u64> {
    let mut bytes = [0; 8];
    file.seek(io::SeekFrom::Start(0))?;
    match file.read_exact(&mut bytes) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
        read => read.map(|()| u64::from_le_bytes(bytes)),
    }
}

fn write_count(file: &mut File, count: u64) -> io::Result<()> {
    file.seek(io::SeekFrom::Start(0))?;
    file.write_all(&count.to_le_bytes())
}

fn unusable(error: io::Error) -> QueryError {
    QueryError::Failed { message: format!("the state of the project cannot be looked at: {error}") }
}

/// The right to write that holds whatever the state directories are: a lock on a directory. `None` when another process
/// has it; systems and file systems on which directories cannot be locked leave it to the state directory.
pub(crate) fn lock_directory(path: &Path) -> Option<Option<File>> {
    match File::open(path).map(|directory| (directory.try_lock(), directory)) {
        Ok((Ok(()), directory)) => Some(Some(directory)),
        Ok((Err(TryLockError::WouldBlock), _)) => None,
        Ok((Err(TryLockError::Error(_)), _)) | Err(_) => Some(None),
    }
}

/// Makes a directory that only its owner can look into.
pub(crate) fn create_private(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
