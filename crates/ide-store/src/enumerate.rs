//! Which files a project has: a walk that honours ignore files and the list of excluded directories.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use ide_index::Stamp;
use ide_project_resolver::Exclusions;
use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::walk::{below, inside_checkout, is_passed_over};

/// A file that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Relative to the project root, with `/`.
    pub(crate) path: Arc<str>,
    pub(crate) size: u64,
    pub(crate) stamp: Stamp,
}

/// What a walk saw.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Ordered by path.
    pub(crate) files: Vec<Found>,
    /// Subdirectories that belong to the project, ordered. Those of a flat walk were not entered.
    pub(crate) directories: Vec<String>,
    /// Entries that could not be read, in words.
    pub(crate) problems: Vec<String>,
}

/// Sees every directory that belongs to the project before it is listed.
pub(crate) type OnDirectory = dyn Fn(&str) + Send + Sync;

/// How a project is walked. Symbolic links are not followed: what they point to is found where it is, or is none of ours.
#[derive(Clone)]
pub(crate) struct Enumerator {
    pub(crate) root: PathBuf,
    pub(crate) exclusions: Arc<Exclusions>,
    pub(crate) threads: usize,
}

impl Enumerator {
    /// Everything below a directory (`""` is the root). A directory that is gone gives an empty listing.
    pub(crate) fn tree(&self, directory: &str, on_directory: Option<Arc<OnDirectory>>) -> Listing {
        self.walk(directory, None, on_directory)
    }

    /// What lies directly in a directory.
    pub(crate) fn flat(&self, directory: &str) -> Listing {
        self.walk(directory, Some(1), None)
    }

    /// Always starts at the root, so that the same ignore files count whatever is listed.
    fn walk(&self, directory: &str, depth: Option<usize>, on_directory: Option<Arc<OnDirectory>>) -> Listing {
        if let Some(see) = on_directory.as_ref().filter(|_| directory.is_empty()) {
            see(directory);
        }
        let within = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let (root, exclusions, wanted) = (self.root.clone(), self.exclusions.clone(), within.clone());
        let filter = move |entry: &DirEntry| {
            // Files are told apart where they are met, and so is what is not Unicode.
            if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
                return true;
            }
            let Some(path) = below(&root, entry.path()) else { return true };
            let path: &str = &path;
            if path.is_empty() {
                return true;
            }
            let is_inside = path.starts_with(&wanted);
            let is_it = wanted.strip_suffix('/') == Some(path);
            let is_on_the_way = wanted.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
            let belongs = (is_inside || is_on_the_way) && !is_passed_over(&exclusions, path, entry.path());
            if belongs
                && (is_inside || is_it)
                && let Some(see) = &on_directory
            {
                see(path);
            }
            belongs
        };
        let walker = WalkBuilder::new(&self.root)
            .standard_filters(false)
            .follow_links(false)
            .parents(inside_checkout(&self.root))
            .ignore(true)
            .git_ignore(true)
            .git_exclude(true)
            .require_git(false)
            .max_depth(depth.map(|depth| depth + within.matches('/').count()))
            .threads(if depth.is_some() { 1 } else { self.threads })
            .filter_entry(filter)
            .build_parallel();
        let whole = Mutex::new(Listing::default());
        walker.run(|| {
            let mut part =
                Part { root: &self.root, within: &within, listing: Listing::default(), whole: &whole };
            Box::new(move |entry| {
                part.add(entry);
                WalkState::Continue
            })
        });
        let mut listing = whole.into_inner().unwrap_or_else(PoisonError::into_inner);
        listing.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        listing.directories.sort_unstable();
        listing.problems.sort_unstable();
        listing
    }
}

/// What one thread of a walk saw; given to the whole when the thread ends.
struct Part<'w> {
    root: &'w Path,
    /// What the paths that are wanted begin with.
    within: &'w str,
    listing: Listing,
    whole: &'w Mutex<Listing>,
}

impl Part<'_> {
    fn add(&mut self, entry: Result<DirEntry, ignore::Error>) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                self.listing.problems.push(error.to_string());
                return;
            }
        };
        let Some(kind) = entry.file_type() else { return };
        if !(kind.is_dir() || kind.is_file()) {
            return;
        }
        let Some(path) = below(self.root, entry.path()) else {
            self.listing.problems.push(format!("the name is not Unicode: {}", entry.path().display()));
            return;
        };
        if path.is_empty() || !path.starts_with(self.within) {
            return;
        }
        if kind.is_dir() {
            self.listing.directories.push(path.into_owned());
            return;
        }
        match entry.path().symlink_metadata() {
            // It may have become something else meanwhile; the next look will tell.
            Ok(meta) if !meta.is_file() => {}
            Ok(meta) => {
                let path = Arc::from(&*path);
                self.listing.files.push(Found { path, size: meta.len(), stamp: stamp(&meta) });
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => self.listing.problems.push(format!("{path}: {error}")),
        }
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        let mut whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        whole.files.append(&mut self.listing.files);
        whole.directories.append(&mut self.listing.directories);
        whole.problems.append(&mut self.listing.problems);
    }
}

/// What a file's metadata says; whether it is racy is decided where the clock is known.
pub(crate) fn stamp(meta: &std::fs::Metadata) -> Stamp {
    let since = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
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
