//! Files as states, and the step from some states to others.
//!
//! New contents are staged beside their files, made durable, and renamed into place when all of them are there; so a full
//! disk or a missing permission shows before the first file changes.

#![expect(clippy::disallowed_methods, reason = "this crate reads and writes the files of plans")]

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::place::Place;

/// Files that are staged at the same time: the disk joins their syncs.
const STAGERS: usize = 8;

/// Permissions and owner of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Mode {
    /// Permission bits; `None` takes what new files get.
    pub(crate) bits: Option<u32>,
    pub(crate) owner: Option<(u32, u32)>,
}

impl Mode {
    #[cfg(unix)]
    fn of(meta: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self { bits: Some(meta.mode() & 0o7777), owner: Some((meta.uid(), meta.gid())) }
    }

    #[cfg(not(unix))]
    fn of(_meta: &Metadata) -> Self {
        Self::default()
    }

    /// Makes a new file carry these.
    #[cfg(unix)]
    fn put_on(self, file: &File) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
        if let Some((user, group)) = self.owner {
            let meta = file.metadata()?;
            if (meta.uid(), meta.gid()) != (user, group) {
                fchown(file, Some(user), Some(group))?;
            }
        }
        match self.bits {
            Some(bits) => file.set_permissions(fs::Permissions::from_mode(bits)),
            None => Ok(()),
        }
    }

    #[cfg(not(unix))]
    fn put_on(self, _file: &File) -> io::Result<()> {
        Ok(())
    }
}

/// The content at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Absent,
    File { bytes: Arc<[u8]>, mode: Mode },
}

impl State {
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Absent => None,
            Self::File { bytes, .. } => Some(bytes),
        }
    }

    /// The same content; permissions may have been changed by their owner meanwhile.
    pub(crate) fn is_same_content(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

/// Reads what is at a path, links not followed.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] for anything but a regular file or nothing; failures of the disk.
pub(crate) fn look(path: &Path) -> io::Result<State> {
    let place = match Place::of(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::Absent),
        place => place?,
    };
    let meta = match place.path().symlink_metadata() {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::Absent),
        Err(error) => return Err(error),
    };
    let irregular = || io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
    if !meta.is_file() {
        return Err(irregular());
    }
    let mut options = OpenOptions::new();
    // It may have become a pipe or a link meanwhile.
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    let mut file = options.read(true).open(place.path())?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(irregular());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0) + 1);
    file.read_to_end(&mut bytes)?;
    Ok(State::File { bytes: bytes.into(), mode: Mode::of(&meta) })
}

/// One file on its way from a state to another.
pub(crate) struct Step<'s> {
    pub(crate) path: &'s Path,
    pub(crate) from: &'s State,
    pub(crate) to: &'s State,
    /// The file with the new content: beside the file, so that renaming stays on one file system.
    pub(crate) staged: PathBuf,
}

/// Why steps were not taken.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The file is not in the state that the step starts from.
    Changed(PathBuf),
    Disk(PathBuf, io::Error),
    /// The caller took it back in time.
    Stopped,
}

/// Writes the new contents beside their files. On an error nothing of it is left.
pub(crate) fn stage_steps(steps: &[Step<'_>]) -> Result<(), Halt> {
    let staged = stage_all(steps);
    if staged.is_err() {
        unstage(steps);
    }
    staged
}

/// Takes all steps, which are staged. An error is mended by the caller, who knows what was begun by its record.
pub(crate) fn take(steps: &[Step<'_>]) -> Result<(), Halt> {
    let taken = steps.iter().try_for_each(still_there).and_then(|()| swap_all(steps));
    if taken.is_err() {
        unstage(steps);
    }
    taken
}

/// Removes what is staged; a failure leaves a hidden file, which the next writer removes by the record.
pub(crate) fn unstage(steps: &[Step<'_>]) {
    for step in steps {
        drop(Place::of(&step.staged).and_then(|place| fs::remove_file(place.path())));
    }
}

/// Puts every file that is in its `to` state back into its `from` state. Files in a third state belong to someone else by
/// now and are left alone. Returns the files that cannot be reached, because a link stands on the way to them: they may
/// keep what the step wrote.
pub(crate) fn put_back(steps: &[Step<'_>]) -> io::Result<Vec<PathBuf>> {
    unstage(steps);
    let mut unreachable = Vec::new();
    for step in steps.iter().rev() {
        let now = match look(step.path) {
            // A link leads away from what was written to.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                unreachable.push(step.path.to_owned());
                continue;
            }
            now => now?,
        };
        if now.is_same_content(step.from) || !now.is_same_content(step.to) {
            continue;
        }
        let back = Step { path: step.path, from: step.to, to: step.from, staged: step.staged.clone() };
        stage(&back).and_then(|()| swap(&back))?;
        sync_directory(step.path)?;
    }
    Ok(unreachable)
}

fn stage_all(steps: &[Step<'_>]) -> Result<(), Halt> {
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(step) = steps.get(next.fetch_add(1, Ordering::Relaxed)) {
            stage(step).map_err(|error| Halt::Disk(step.path.to_owned(), error))?;
        }
        Ok(())
    };
    if steps.len() == 1 {
        return work();
    }
    std::thread::scope(|scope| {
        let stagers: Vec<_> = (0..STAGERS.min(steps.len())).map(|_| scope.spawn(work)).collect();
        stagers
            .into_iter()
            .map(|stager| stager.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .fold(Ok(()), Result::and)
    })
}

fn stage(step: &Step<'_>) -> io::Result<()> {
    let State::File { bytes, mode } = step.to else { return Ok(()) };
    // One that a killed process left behind is in the way.
    let place = Place::of(&step.staged)?;
    match fs::remove_file(place.path()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().create_new(true).write(true).open(place.path())?;
    file.write_all(bytes)?;
    mode.put_on(&file)?;
    file.sync_all()
}

fn still_there(step: &Step<'_>) -> Result<(), Halt> {
    match look(step.path) {
        Ok(now) if now.is_same_content(step.from) => Ok(()),
        Ok(_) => Err(Halt::Changed(step.path.to_owned())),
        Err(error) => Err(Halt::Disk(step.path.to_owned(), error)),
    }
}

fn swap_all(steps: &[Step<'_>]) -> Result<(), Halt> {
    let disk = |step: &Step<'_>| {
        let path = step.path.to_owned();
        move |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => Halt::Changed(path),
            _ => Halt::Disk(path, error),
        }
    };
    let (removals, others): (Vec<_>, Vec<_>) = steps.iter().partition(|step| *step.to == State::Absent);
    for step in others.into_iter().chain(removals) {
        swap(step).map_err(disk(step))?;
    }
    let mut synced: Vec<&Path> = Vec::new();
    for step in steps {
        let directory = step.path.parent().unwrap_or(step.path);
        if !synced.contains(&directory) {
            synced.push(directory);
            sync_directory(step.path).map_err(disk(step))?;
        }
    }
    Ok(())
}

fn swap(step: &Step<'_>) -> io::Result<()> {
    let place = Place::of(step.path)?;
    let (path, staged) = (place.path(), &place.beside(&step.staged));
    match (step.from, step.to) {
        (State::Absent, State::Absent) => Ok(()),
        (_, State::Absent) => fs::remove_file(path),
        (State::Absent, State::File { .. }) => {
            // A link does not replace what someone made meanwhile; file systems without links get a rename.
            match fs::hard_link(staged, path) {
                Ok(()) => fs::remove_file(staged),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
                Err(_) => fs::rename(staged, path),
            }
        }
        (State::File { .. }, State::File { .. }) => fs::rename(staged, path),
    }
}

#[cfg(unix)]
pub(crate) fn sync_directory(of: &Path) -> io::Result<()> {
    File::open(of.parent().unwrap_or(of))?.sync_all()
}

/// Directories cannot be opened there; renaming is made durable by the file system.
#[cfg(not(unix))]
pub(crate) fn sync_directory(_of: &Path) -> io::Result<()> {
    Ok(())
}
