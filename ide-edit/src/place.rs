//! The real place of a file while it is worked on.
//!
//! A path was found to be inside of the project before it comes here. Its directory is opened without following links and
//! everything is done through the open directory, so that a link which was put in the way meanwhile leads nowhere.

use std::io;
use std::path::{Path, PathBuf};

/// A path that leads through an open directory as long as this lives.
pub(crate) struct Place {
    path: PathBuf,
    #[cfg(target_os = "linux")]
    _directory: std::os::fd::OwnedFd,
}

impl Place {
    /// The path by which a file is opened, made, renamed or removed.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// # Errors
    /// [`io::ErrorKind::NotADirectory`] where a link is met on the way; failures of the disk.
    #[cfg(target_os = "linux")]
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        use std::os::fd::AsRawFd as _;

        use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
        use rustix::io::Errno;

        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = rustix::fs::openat2(CWD, parent, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS);
        let directory = match opened {
            Err(Errno::LOOP) => return Err(io::ErrorKind::NotADirectory.into()),
            // Kernels and sandboxes that do not know the call.
            Err(Errno::NOSYS | Errno::PERM) => {
                let opened = rustix::fs::open(parent, flags | OFlags::NOFOLLOW, Mode::empty())?;
                if !parent.canonicalize().is_ok_and(|real| real == parent) {
                    return Err(io::ErrorKind::NotADirectory.into());
                }
                opened
            }
            opened => opened?,
        };
        let through = PathBuf::from(format!("/proc/self/fd/{}", directory.as_raw_fd()));
        // Without that file system, the path is as good as it was when the directory was opened.
        let path = if through.symlink_metadata().is_ok() { through.join(name) } else { path.to_owned() };
        Ok(Self { path, _directory: directory })
    }

    /// # Errors
    /// [`io::ErrorKind::NotADirectory`] where a link is met on the way; failures of the disk.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let parent = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
        if cfg!(unix) && !parent.canonicalize().is_ok_and(|real| real == parent) {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { path: path.to_owned() })
    }

    /// Another name in the same directory.
    pub(crate) fn beside(&self, other: &Path) -> PathBuf {
        other.file_name().map_or_else(|| self.path.clone(), |name| self.path.with_file_name(name))
    }
}

/// Makes a directory and those above it that are missing.
///
/// # Errors
/// See [`Place::of`].
pub(crate) fn create_directories(path: &Path) -> io::Result<()> {
    let place = match Place::of(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            create_directories(path.parent().ok_or(error)?)?;
            Place::of(path)?
        }
        // The root of a file system has no name, and is there.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => return Ok(()),
        place => place?,
    };
    match std::fs::create_dir(place.path()) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let is_directory = place.path().symlink_metadata()?.is_dir();
            if is_directory { Ok(()) } else { Err(io::ErrorKind::NotADirectory.into()) }
        }
        made => made,
    }
}

/// Removes a directory in which there are no files, with the directories in it.
///
/// # Errors
/// See [`Place::of`]; [`io::ErrorKind::DirectoryNotEmpty`] where something else is by now.
pub(crate) fn remove_directories(path: &Path, depth: usize) -> io::Result<()> {
    let place = Place::of(path)?;
    if !place.path().symlink_metadata()?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    if depth > 0 {
        for entry in std::fs::read_dir(place.path())? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                remove_directories(&path.join(entry.file_name()), depth - 1)?;
            }
        }
    }
    std::fs::remove_dir(place.path())
}
