//! Reading of directories with few system calls: on Linux, files are looked at through the open directory, whose
//! path is gone through once.

use std::io;
use std::path::Path;

use ide_index::Stamp;

#[cfg(target_os = "linux")]
pub(crate) use linux::Directory;
#[cfg(not(target_os = "linux"))]
pub(crate) use portable::Directory;

/// The kind of an entry; links and everything else are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
}

/// A name in a directory.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: Box<str>,
    pub(crate) kind: Kind,
}

/// The names in a directory, read before its files are looked at.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// In no order.
    pub(crate) entries: Vec<Entry>,
    /// Names that are not Unicode, as well as they can be shown.
    pub(crate) unnamable: Vec<(String, Kind)>,
}

impl Names {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| &*entry.name == name)
    }
}

/// Size and times of a file.
pub(crate) type State = (u64, Stamp);

#[cfg(target_os = "linux")]
mod linux {
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;

    use rustix::fs::{AtFlags, FileType, OFlags, RawDir, Stat};

    use super::{Entry, Kind, Names, Path, Stamp, State, io};

    /// An open directory.
    #[derive(Debug)]
    pub(crate) struct Directory(OwnedFd);

    impl Directory {
        /// # Errors
        /// As `open(2)` has them: it is gone, no directory (a link is none), or not to be read.
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            Ok(Self(crate::open::open_fd(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW, true)?))
        }

        /// # Errors
        /// When it cannot be read to its end.
        pub(crate) fn names(&self) -> io::Result<Names> {
            let mut names = Names::default();
            let mut buffer = [MaybeUninit::<u8>::uninit(); 32 * 1024];
            let mut entries = RawDir::new(&self.0, &mut buffer);
            while let Some(entry) = entries.next() {
                let entry = entry?;
                let name = entry.file_name();
                if matches!(name.to_bytes(), b"." | b"..") {
                    continue;
                }
                let kind = match entry.file_type() {
                    FileType::RegularFile => Kind::File,
                    FileType::Directory => Kind::Directory,
                    // Some file systems do not tell.
                    FileType::Unknown => match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
                        Ok(stat) if is_file(&stat) => Kind::File,
                        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => {
                            Kind::Directory
                        }
                        _ => continue,
                    },
                    _ => continue,
                };
                match name.to_str() {
                    Ok(name) => names.entries.push(Entry { name: name.into(), kind }),
                    Err(_) => names.unnamable.push((name.to_string_lossy().into_owned(), kind)),
                }
            }
            Ok(names)
        }

        /// `None` for what is no file any more.
        ///
        /// # Errors
        /// When it is gone or cannot be looked at.
        pub(crate) fn state(&self, name: &str) -> io::Result<Option<State>> {
            let stat = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(is_file(&stat).then(|| (u64::try_from(stat.st_size).unwrap_or(0), stamp(&stat))))
        }
    }

    fn is_file(stat: &Stat) -> bool {
        FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
    }

    fn stamp(stat: &Stat) -> Stamp {
        let ns = |seconds: i64, ns: u64| seconds.saturating_mul(1_000_000_000).saturating_add_unsigned(ns);
        Stamp {
            mtime_ns: ns(stat.st_mtime, stat.st_mtime_nsec).max(0),
            ctime_ns: ns(stat.st_ctime, stat.st_ctime_nsec),
            inode: stat.st_ino,
            is_racy: false,
        }
    }
}

// Compiled for the tests of Linux too, which hold both against the same trees.
#[cfg(any(test, not(target_os = "linux")))]
mod portable {
    use std::path::PathBuf;

    use super::{Entry, Kind, Names, Path, State, io};

    /// A directory.
    #[derive(Debug)]
    pub(crate) struct Directory(PathBuf);

    impl Directory {
        /// # Errors
        /// It is gone, no directory (a link is none), or cannot be looked at.
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            if path.symlink_metadata()?.is_dir() {
                Ok(Self(path.to_owned()))
            } else {
                Err(io::ErrorKind::NotADirectory.into())
            }
        }

        /// # Errors
        /// When it cannot be read to its end.
        pub(crate) fn names(&self) -> io::Result<Names> {
            let mut names = Names::default();
            for entry in std::fs::read_dir(&self.0)? {
                let entry = entry?;
                let kind = match entry.file_type() {
                    Ok(kind) if kind.is_file() => Kind::File,
                    Ok(kind) if kind.is_dir() => Kind::Directory,
                    _ => continue,
                };
                match entry.file_name().into_string() {
                    Ok(name) => names.entries.push(Entry { name: name.into(), kind }),
                    Err(name) => names.unnamable.push((name.to_string_lossy().into_owned(), kind)),
                }
            }
            Ok(names)
        }

        /// `None` for what is no file any more.
        ///
        /// # Errors
        /// When it is gone or cannot be looked at.
        pub(crate) fn state(&self, name: &str) -> io::Result<Option<State>> {
            let meta = self.0.join(name).symlink_metadata()?;
            Ok(meta.is_file().then(|| (meta.len(), super::stamp(&meta))))
        }
    }
}

/// The stamp from a file's metadata; whether it is racy is decided where the clock is known.
pub(crate) fn stamp(meta: &std::fs::Metadata) -> Stamp {
    let since = meta.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let mtime_ns = since.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX));
    #[cfg(unix)]
    let (inode, ctime_ns) = {
        use std::os::unix::fs::MetadataExt;
        (meta.ino(), meta.ctime().saturating_mul(1_000_000_000).saturating_add(meta.ctime_nsec()))
    };
    #[cfg(not(unix))]
    let (inode, ctime_ns) = (0, 0);
    Stamp { mtime_ns, ctime_ns, inode, is_racy: false }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "the tree to be read is written")]

    use super::*;

    #[test]
    fn both_ways_of_reading_see_the_same() {
        use std::os::unix::ffi::OsStrExt as _;
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("sub")).unwrap();
        for n in 0..300 {
            std::fs::write(dir.path().join(format!("file {n}")), "x".repeat(n)).unwrap();
        }
        std::fs::write(dir.path().join(std::ffi::OsStr::from_bytes(b"\xff.txt")), "x").unwrap();
        std::os::unix::fs::symlink("sub", dir.path().join("link")).unwrap();
        let linux = Directory::open(dir.path()).unwrap();
        let portable = portable::Directory::open(dir.path()).unwrap();
        let sorted = |mut names: Names| {
            names.entries.sort_by(|a, b| a.name.cmp(&b.name));
            names
        };
        let (a, b) = (sorted(linux.names().unwrap()), sorted(portable.names().unwrap()));
        assert_eq!((a.entries.len(), a.unnamable.len()), (301, 1));
        assert_eq!(format!("{a:?}"), format!("{b:?}"));
        for entry in a.entries {
            assert_eq!(linux.state(&entry.name).unwrap(), portable.state(&entry.name).unwrap());
        }
        let gone = |error: io::Error| error.kind();
        assert_eq!(linux.state("none").map_err(gone), portable.state("none").map_err(gone));
        for wrong in ["link", "file 1", "none"] {
            let path = dir.path().join(wrong);
            assert!(Directory::open(&path).is_err() && portable::Directory::open(&path).is_err());
        }
    }
}
