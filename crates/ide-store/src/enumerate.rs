//! Which files a project has: a walk that honours ignore files and the list of excluded directories.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use ide_index::Stamp;
use ide_project_resolver::Exclusions;
use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::walk::{below, inside_checkout, is_passed_over, is_staged};

/// A file that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Relative to the project root, with `/`; absolute below an outer content root.
    pub(crate) path: Arc<str>,
    /// Size and times; `None` where nothing is there to compare them with.
    pub(crate) state: Option<(u64, Stamp)>,
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

impl Listing {
    fn sort(&mut self) {
        self.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        self.directories.sort_unstable();
        self.problems.sort_unstable();
    }
}

/// Sees every directory that belongs to the project before it is listed.
pub(crate) type OnDirectory = dyn Fn(&str) + Send + Sync;

/// How a project is walked. Symbolic links are not followed: what they point to is found where it is, or is none of ours.
#[derive(Clone)]
pub(crate) struct Enumerator {
    pub(crate) root: PathBuf,
    /// Content roots outside of the root: real, absolute, with `/`. None lies in another.
    pub(crate) outer: Arc<[String]>,
    pub(crate) exclusions: Arc<Exclusions>,
    pub(crate) threads: usize,
}

/// A root to walk, and what stands in front of its relative paths.
struct Base<'e> {
    root: &'e Path,
    prefix: &'e str,
}

impl Base<'_> {
    fn named<'p>(&self, relative: Cow<'p, str>) -> Cow<'p, str> {
        match (self.prefix, &*relative) {
            ("", _) => relative,
            (prefix, "") => prefix.to_owned().into(),
            (prefix, relative) => format!("{prefix}/{relative}").into(),
        }
    }
}

impl Enumerator {
    /// Everything below a directory (`""` is the root and all outer content roots). A directory that is gone gives an
    /// empty listing.
    pub(crate) fn tree(
        &self,
        directory: &str,
        with_state: bool,
        on_directory: Option<Arc<OnDirectory>>,
    ) -> Listing {
        let mut listing = self.walk(directory, None, with_state, on_directory.clone());
        if directory.is_empty() {
            for root in &*self.outer {
                let more = self.walk(root, None, with_state, on_directory.clone());
                listing.files.extend(more.files);
                listing.directories.extend(more.directories);
                listing.problems.extend(more.problems);
            }
            if !self.outer.is_empty() {
                listing.sort();
            }
        }
        listing
    }

    /// What lies directly in a directory.
    pub(crate) fn flat(&self, directory: &str) -> Listing {
        self.walk(directory, Some(1), true, None)
    }

    /// Where a directory lies, and its path there.
    fn base<'d>(&self, directory: &'d str) -> (Base<'_>, &'d str) {
        for root in &*self.outer {
            if let Some(rest) = directory.strip_prefix(root.as_str())
                && (rest.is_empty() || rest.starts_with('/'))
            {
                return (Base { root: Path::new(root), prefix: root }, rest.trim_start_matches('/'));
            }
        }
        (Base { root: &self.root, prefix: "" }, directory)
    }

    /// Always starts at the root, so that the same ignore files count whatever is listed.
    fn walk(
        &self,
        directory: &str,
        depth: Option<usize>,
        with_state: bool,
        on_directory: Option<Arc<OnDirectory>>,
    ) -> Listing {
        let (base, directory) = self.base(directory);
        if let Some(see) = on_directory.as_ref().filter(|_| directory.is_empty()) {
            see(base.prefix);
        }
        let within = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let (root, prefix) = (base.root.to_owned(), base.prefix.to_owned());
        let (inner, exclusions, wanted) = (self.root.clone(), self.exclusions.clone(), within.clone());
        let filter = move |entry: &DirEntry| {
            // Files are told apart where they are met, and so is what is not Unicode.
            if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
                return true;
            }
            let Some(path) = below(&root, entry.path()) else { return true };
            if path.is_empty() {
                return true;
            }
            let is_inside = path.starts_with(&wanted);
            let is_it = wanted.strip_suffix('/') == Some(&*path);
            let is_on_the_way = wanted.strip_prefix(&*path).is_some_and(|rest| rest.starts_with('/'));
            let belongs = (is_inside || is_on_the_way)
                && !is_passed_over(&exclusions, &path, entry.path())
                && (prefix.is_empty() || entry.path() != inner);
            if belongs
                && (is_inside || is_it)
                && let Some(see) = &on_directory
            {
                see(&Base { root: &root, prefix: &prefix }.named(path));
            }
            belongs
        };
        let walker = WalkBuilder::new(base.root)
            .standard_filters(false)
            .follow_links(false)
            .parents(inside_checkout(base.root))
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
            let listing = Listing::default();
            let mut part = Part { base: &base, within: &within, with_state, listing, whole: &whole };
            Box::new(move |entry| {
                part.add(entry);
                WalkState::Continue
            })
        });
        let mut listing = whole.into_inner().unwrap_or_else(PoisonError::into_inner);
        listing.sort();
        listing
    }
}

/// What one thread of a walk saw; given to the whole when the thread ends.
struct Part<'w> {
    base: &'w Base<'w>,
    /// What the paths that are wanted begin with.
    within: &'w str,
    with_state: bool,
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
        let Some(path) = below(self.base.root, entry.path()) else {
            self.listing.problems.push(format!("the name is not Unicode: {}", entry.path().display()));
            return;
        };
        if path.is_empty() || !path.starts_with(self.within) || is_staged(&path) {
            return;
        }
        if kind.is_dir() {
            self.listing.directories.push(self.base.named(path).into_owned());
            return;
        }
        let found = |state| Found { path: Arc::from(&*self.base.named(path.clone())), state };
        if !self.with_state {
            self.listing.files.push(found(None));
            return;
        }
        match entry.path().symlink_metadata() {
            // It may have become something else meanwhile; the next look will tell.
            Ok(meta) if !meta.is_file() => {}
            Ok(meta) => self.listing.files.push(found(Some((meta.len(), stamp(&meta))))),
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
