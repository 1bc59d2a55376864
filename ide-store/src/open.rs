//! Opening what others have put on the disk.
//!
//! Everything that is opened is a regular file of bounded size, which is judged after it was opened: a pipe does not make
//! us wait, a device does not end. A path that was found to be inside of a project is opened without following links, so
//! that one that was put there meanwhile leads nowhere.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

/// A regular file and its metadata, links followed.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] for what is no regular file; those of the system.
pub fn open_regular(path: &Path) -> io::Result<(File, Metadata)> {
    regular(system::open(path, system::Links::Follow)?)
}

/// A regular file and its metadata, by its real path: a link anywhere in it means that it is not there.
///
/// # Errors
/// [`io::ErrorKind::NotFound`] where a link is met; see [`open_regular`].
pub fn open_real(path: &Path) -> io::Result<(File, Metadata)> {
    regular(system::open(path, system::Links::Refuse)?)
}

/// The bytes of a regular file of at most `limit` bytes, by its real path.
///
/// # Errors
/// [`io::ErrorKind::FileTooLarge`]; see [`open_real`].
pub fn read_real(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_bounded(open_real(path)?, limit)
}

/// The bytes of a regular file of at most `limit` bytes, links followed.
///
/// # Errors
/// [`io::ErrorKind::FileTooLarge`]; see [`open_regular`].
pub fn read_regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_bounded(open_regular(path)?, limit)
}

fn read_bounded((file, meta): (File, Metadata), limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len().min(limit)).unwrap_or(0) + 1);
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

fn regular(file: File) -> io::Result<(File, Metadata)> {
    let meta = file.metadata()?;
    if meta.is_file() {
        Ok((file, meta))
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
    }
}

#[cfg(target_os = "linux")]
pub(crate) use system::open_fd;

#[cfg(target_os = "linux")]
mod system {
    use std::os::fd::OwnedFd;

    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
    use rustix::io::Errno;

    use super::{File, Path, io};

    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Links {
        Follow,
        Refuse,
    }

    pub(super) fn open(path: &Path, links: Links) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(open_fd(path, flags, links == Links::Refuse)?.into())
    }

    /// Opens a path; with `real`, a link anywhere in it is as good as nothing.
    pub(crate) fn open_fd(path: &Path, flags: OFlags, real: bool) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::CLOEXEC;
        if !real {
            return Ok(rustix::fs::open(path, flags, Mode::empty())?);
        }
        match rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            Err(Errno::LOOP) => Err(io::ErrorKind::NotFound.into()),
            // Kernels and sandboxes that do not know the call.
            Err(Errno::NOSYS | Errno::PERM) => {
                let opened = rustix::fs::open(path, flags | OFlags::NOFOLLOW, Mode::empty())?;
                let is_real = path.canonicalize().is_ok_and(|real| real == path);
                if is_real { Ok(opened) } else { Err(io::ErrorKind::NotFound.into()) }
            }
            opened => Ok(opened?),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::{File, Path, io};

    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Links {
        Follow,
        Refuse,
    }

    #[expect(clippy::disallowed_methods, reason = "this is where files are opened")]
    pub(super) fn open(path: &Path, links: Links) -> io::Result<File> {
        // Opening a pipe would wait for its other end.
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let file = File::open(path)?;
        if links == Links::Refuse && !path.canonicalize().is_ok_and(|real| real == path) {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(file)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the scene is on disk")]
    fn only_regular_files_of_bounded_size_are_opened() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let path = |name: &str| root.join(name);
        std::fs::create_dir(path("sub")).unwrap();
        std::fs::write(path("sub/file"), "text").unwrap();
        symlink("sub", path("link")).unwrap();
        symlink("sub/file", path("file-link")).unwrap();
        symlink("/dev/zero", path("zero")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, path("pipe"), rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
        let socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();

        assert_eq!(read_real(&path("sub/file"), 4).unwrap(), b"text");
        assert_eq!(read_real(&path("sub/file"), 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_regular(&path("file-link"), 9).unwrap(), b"text");
        for name in ["link/file", "file-link", "zero", "none"] {
            assert_eq!(read_real(&path(name), 9).unwrap_err().kind(), io::ErrorKind::NotFound, "{name}");
        }
        for name in ["zero", "pipe", "sub", "socket"] {
            assert!(read_regular(&path(name), 9).is_err(), "{name}");
        }
        drop(socket);
    }
}
