//! The file system as the resolver needs it, and nothing more.

use std::io;

use crate::path::{AbsPath, Case};

/// The kind of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link (or junction); only from calls that do not follow links.
    Symlink,
    /// A socket, a device, a pipe.
    Other,
}

/// The facts about one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// The kind of the entry.
    pub kind: Kind,
    /// Whether the file's own mode forbids writing.
    pub read_only: bool,
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    /// The bare name.
    pub name: String,
    /// The kind of the entry; links are not followed.
    pub kind: Kind,
}

/// The disk, as far as finding projects and containing paths needs it.
///
/// Paths are absolute with `/` as separator and may contain `..`, which is resolved as the operating
/// system does: physically, after links. Every method is a single look at the disk; nothing is cached.
pub trait Fs: Send + Sync {
    /// Facts about a path, links followed.
    fn metadata(&self, path: &str) -> io::Result<Metadata>;

    /// Facts about a path, a final link not followed.
    fn symlink_metadata(&self, path: &str) -> io::Result<Metadata>;

    /// The one real path, without links and `..`. Errors when it does not exist or is not UTF-8.
    fn canonicalize(&self, path: &str) -> io::Result<AbsPath>;

    /// The names in a directory, sorted; names that are not UTF-8 cannot be addressed and are left out.
    fn read_dir(&self, path: &str) -> io::Result<Vec<DirEntry>>;

    /// The text of a small regular file by its real path; a link in it means that it is not there.
    /// [`io::ErrorKind::FileTooLarge`] above `limit` bytes,
    /// [`io::ErrorKind::InvalidData`] when it is not UTF-8.
    fn read_text(&self, path: &str, limit: u64) -> io::Result<String>;

    /// How names compare on the volume that holds this existing directory.
    fn case(&self, dir: &str) -> Case;

    /// Whether paths follow the rules of Windows (drives, streams, device names).
    fn windows(&self) -> bool;
}

impl dyn Fs + '_ {
    pub(crate) fn is_dir(&self, path: &str) -> bool {
        self.metadata(path).is_ok_and(|m| m.kind == Kind::Dir)
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.symlink_metadata(path).is_ok()
    }
}

/// The names in one directory, so that asking for many of them looks at the disk once.
pub(crate) struct Names {
    /// The directory, without `/` at the end.
    pub(crate) dir: String,
    entries: Option<Vec<DirEntry>>,
}

impl Names {
    pub(crate) fn of(fs: &dyn Fs, dir: &str) -> Names {
        Names { entries: fs.read_dir(dir).ok(), ..Names::unlisted(dir) }
    }

    /// Nothing listed: each question looks at the disk.
    pub(crate) fn unlisted(dir: &str) -> Names {
        Names { dir: dir.trim_end_matches('/').to_owned(), entries: None }
    }

    pub(crate) fn entries(&self) -> &[DirEntry] {
        self.entries.as_deref().unwrap_or_default()
    }

    pub(crate) fn path(&self, relative: &str) -> String {
        format!("{}/{relative}", self.dir)
    }

    /// Whether the path is of this kind, links followed.
    pub(crate) fn is(&self, fs: &dyn Fs, relative: &str, kind: Kind) -> bool {
        match self.plain(relative) {
            Some(known) => known == kind,
            None => {
                self.may_hold(relative) && fs.metadata(&self.path(relative)).is_ok_and(|m| m.kind == kind)
            }
        }
    }

    /// The kind of an entry of this directory, if it is spelled as the disk has it and is no link.
    pub(crate) fn plain(&self, name: &str) -> Option<Kind> {
        let entries = self.entries();
        let at = entries.binary_search_by(|entry| entry.name.as_str().cmp(name)).ok()?;
        Some(entries[at].kind).filter(|kind| matches!(kind, Kind::File | Kind::Dir))
    }

    /// Whether the path can exist; names that differ in case may be the same to the disk.
    fn may_hold(&self, relative: &str) -> bool {
        let first = relative.split(['/', '\\']).next().unwrap_or_default();
        let Some(entries) = &self.entries else { return true };
        matches!(first, "" | "." | "..")
            || !first.is_ascii()
            || entries.iter().any(|entry| entry.name.eq_ignore_ascii_case(first))
    }
}
