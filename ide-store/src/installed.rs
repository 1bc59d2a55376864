//! Packages that are installed below a project or beside it, as a library: nothing of them is listed or read before a
//! name leads there.
//!
//! Paths are relative to the project where they lie below it, absolute elsewhere, with links followed: one file has one
//! path. Files outside the known roots count as absent, even when a link leads to them. Everything that was looked at
//! is remembered with its times, so that [`Installed::is_current`] can tell whether the disk still says the same.

use std::fs::{self, Metadata};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use ide_index::guard;
use ide_index::{
    FactBuilder, FactsCache, FileEntry, FileFacts, Lasting, Library, LibraryDeclaration, LibraryRoot,
    Quality, Stamp, whole_lines,
};
use ide_model::{Family, FilePath, Language, SourceKind, TextRange};
use rustc_hash::FxHashMap;

use crate::decode::decode;
use crate::directory::stamp;
use crate::extract::{has_long_lines, largest, read, read_head};

/// Bytes of decoded facts that the packages of one family keep for a project.
const FACTS_ROOM: usize = 32 << 20;

/// A directory below which packages lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InstalledRoot {
    pub(crate) root: LibraryRoot,
    /// Its real path.
    pub(crate) real: PathBuf,
}

/// Finds the roots; asked once, when the first name is looked up.
pub(crate) type FindRoots = Box<dyn Fn() -> Vec<InstalledRoot> + Send + Sync>;

/// The packages that one family of languages can use.
pub(crate) struct Installed {
    family: Family,
    /// The project's directory, links followed.
    project: PathBuf,
    find_roots: FindRoots,
    roots: OnceLock<Vec<InstalledRoot>>,
    /// A directory of this name holds packages wherever it stands in the project.
    anywhere: Option<&'static str>,
    files: Slots<FileEntry>,
    known: RwLock<InstalledFiles>,
    facts: FactsCache,
    /// Files whose facts were asked for, with their times when they were read.
    read: Mutex<FxHashMap<u32, Option<Stamp>>>,
    memory: Lasting,
}

#[derive(Default)]
struct InstalledFiles {
    /// By the path that was asked for.
    by_path: FxHashMap<Box<str>, Option<u32>>,
    /// By the path that a file is shown under.
    by_shown: FxHashMap<Arc<str>, u32>,
    directories: FxHashMap<Box<str>, Arc<Listing>>,
}

/// The former content of a directory.
#[derive(Debug, Default, PartialEq, Eq)]
struct Listing {
    /// Its real path; `None` when it is missing or none of ours.
    real: Option<PathBuf>,
    /// `None` when it was missing.
    stamp: Option<Stamp>,
    /// Names of files and directories, ordered.
    files: Vec<Box<str>>,
    directories: Vec<Box<str>>,
}

impl Installed {
    pub(crate) fn new(
        family: Family,
        project: &Path,
        anywhere: Option<&'static str>,
        find_roots: FindRoots,
    ) -> Self {
        Self {
            family,
            project: project.canonicalize().unwrap_or_else(|_| project.to_owned()),
            find_roots,
            roots: OnceLock::new(),
            anywhere,
            files: Slots::default(),
            known: RwLock::default(),
            facts: FactsCache::new(FACTS_ROOM),
            read: Mutex::default(),
            memory: Lasting::default(),
        }
    }

    fn all_roots(&self) -> &[InstalledRoot] {
        self.roots.get_or_init(|| (self.find_roots)())
    }

    /// Whether everything that answers were made from is still as it was.
    pub(crate) fn is_current(&self) -> bool {
        if let Some(roots) = self.roots.get()
            && *roots != (self.find_roots)()
        {
            return false;
        }
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let is_same = known.directories.iter().all(|(path, listing)| {
            fs::metadata(self.absolute(path)).ok().map(|meta| stamp(&meta)) == listing.stamp
        });
        if !is_same {
            return false;
        }
        drop(known);
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.iter().all(|(index, before)| {
            let path = self.absolute(self.files.get(*index).path.as_str());
            fs::metadata(path).ok().map(|meta| stamp(&meta)) == *before
        })
    }

    fn absolute(&self, path: &str) -> PathBuf {
        // An absolute path replaces the one before it.
        self.project.join(path)
    }

    /// Whether a path, links followed, is one that may be shown.
    fn admits(&self, real: &Path) -> bool {
        if self.all_roots().iter().any(|root| real.starts_with(&root.real)) {
            return true;
        }
        let inside = real.strip_prefix(&self.project).ok();
        self.anywhere.is_some_and(|name| {
            inside.is_some_and(|rest| rest.components().any(|part| part.as_os_str() == name))
        })
    }

    /// The path under which a file is shown.
    fn shown(&self, real: &Path) -> Option<String> {
        let path = real.strip_prefix(&self.project).unwrap_or(real).to_str()?;
        Some(if std::path::MAIN_SEPARATOR == '/' { path.to_owned() } else { path.replace('\\', "/") })
    }

    fn listing(&self, path: &str) -> Arc<Listing> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(listing) = known.directories.get(path) {
            return listing.clone();
        }
        drop(known);
        if self.is_known_missing(path) {
            return Arc::default();
        }
        let listing = Arc::new(self.list(path));
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.directories.entry(path.into()).or_insert(listing).clone()
    }

    /// Whether the directory around says that there is none: its times show when that changes.
    fn is_known_missing(&self, path: &str) -> bool {
        let Some((parent, name)) = path.rsplit_once('/').filter(|(parent, _)| self.owns(parent)) else {
            return false;
        };
        let around = self.listing(parent);
        let is_listed = || around.directories.binary_search_by(|directory| (**directory).cmp(name)).is_ok();
        around.stamp.is_none() || around.real.is_some() && !is_listed()
    }

    fn list(&self, path: &str) -> Listing {
        let at = self.absolute(path);
        // The times first: what changes while it is listed shows later.
        let Ok(meta) = fs::metadata(&at) else { return Listing::default() };
        let mut listing = Listing { stamp: Some(stamp(&meta)), ..Listing::default() };
        let Some(real) = at.canonicalize().ok().filter(|real| self.admits(real)) else { return listing };
        let Ok(entries) = fs::read_dir(&real) else { return listing };
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let kind = match entry.file_type() {
                Ok(kind) if kind.is_symlink() => fs::metadata(entry.path()).map(|meta| meta.file_type()),
                kind => kind,
            };
            match kind {
                Ok(kind) if kind.is_dir() => listing.directories.push(name.into()),
                Ok(kind) if kind.is_file() => listing.files.push(name.into()),
                // A link whose target may come yet.
                Err(_) => listing.directories.push(name.into()),
                Ok(_) => {}
            }
        }
        listing.files.sort_unstable();
        listing.directories.sort_unstable();
        listing.real = Some(real);
        listing
    }

    fn look_up(&self, path: &str) -> Option<u32> {
        if path.split('/').any(|part| matches!(part, ".." | ".")) {
            return None;
        }
        let (directory, name) = path.rsplit_once('/')?;
        let listing = self.listing(directory);
        listing.files.binary_search_by(|file| (**file).cmp(name)).ok()?;
        let real = listing.real.as_ref()?.join(name);
        let real = if fs::symlink_metadata(&real).ok()?.is_symlink() {
            real.canonicalize().ok().filter(|real| self.admits(real))?
        } else {
            real
        };
        self.number(&real)
    }

    fn number(&self, real: &Path) -> Option<u32> {
        let shown: Arc<str> = self.shown(real)?.into();
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = known.by_shown.get(&shown) {
            return Some(*index);
        }
        let size = fs::metadata(real).ok()?.len();
        let index = self.files.push(FileEntry {
            language: Language::of_path(&shown),
            path: FilePath(shown.clone()),
            source: SourceKind::Library,
            is_generated: false,
            size,
            content_hash: 0,
        })?;
        known.by_shown.insert(shown, index);
        Some(index)
    }

    fn load(&self, index: u32) -> FileFacts {
        let entry = self.files.get(index);
        let language = entry.language.unwrap_or(Language::PlainText);
        self.try_load(index).unwrap_or_else(|why| {
            let mut empty = FactBuilder::new(language, 0);
            empty.error(TextRange::new(0, 0), why);
            empty.set_quality(Quality::Skipped);
            empty.finish()
        })
    }

    fn try_load(&self, index: u32) -> Result<FileFacts, String> {
        let entry = self.files.get(index);
        let front_end = entry.language.and_then(ide_index::lang::front_end);
        let front_end = front_end.ok_or("nothing reads files of this kind")?;
        let text = self.read_text(index)?;
        if text.len() as u64 > largest(entry.language) || has_long_lines(text.as_bytes()) {
            return Err("the file is too large, or has too long lines".to_owned());
        }
        catch_unwind(AssertUnwindSafe(|| {
            guard::reading(u64::MAX, || front_end.facts(entry.path.as_str(), &text)).0
        }))
        .map_err(|_| "the front end failed on the file".to_owned())
    }

    /// The text as it is, which must be what earlier answers were made from.
    fn read_text(&self, index: u32) -> Result<String, String> {
        self.read_by(index, read)
    }

    fn read_by(
        &self,
        index: u32,
        read: impl Fn(&Path) -> io::Result<(Vec<u8>, Metadata)>,
    ) -> Result<String, String> {
        let path = self.absolute(self.files.get(index).path.as_str());
        let found = read(&path);
        let now = found.as_ref().ok().map(|(_, meta)| stamp(meta));
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if *read.entry(index).or_insert(now) != now {
            return Err("the file was changed while the call ran; ask again".to_owned());
        }
        drop(read);
        let (bytes, _) = found.map_err(|error| error.to_string())?;
        let text = decode(&bytes).ok_or("the file is not a text file")?;
        Ok(text.into_owned())
    }
}

impl Library for Installed {
    fn family(&self) -> Family {
        self.family
    }

    fn roots(&self) -> Vec<LibraryRoot> {
        self.all_roots().iter().map(|root| root.root.clone()).collect()
    }

    fn owns(&self, path: &str) -> bool {
        let below = |root: &InstalledRoot| {
            path.strip_prefix(&*root.root.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.anywhere.is_some_and(|name| path.split('/').any(|part| part == name))
            || self.all_roots().iter().any(below)
    }

    fn find(&self, path: &str) -> Option<u32> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.by_path.get(path) {
            return *found;
        }
        drop(known);
        let found = self.look_up(path);
        self.known.write().unwrap_or_else(PoisonError::into_inner).by_path.insert(path.into(), found);
        found
    }

    fn file(&self, index: u32) -> &FileEntry {
        self.files.get(index)
    }

    fn facts(&self, index: u32) -> Arc<FileFacts> {
        let loaded = self.facts.get(0, index, || Ok::<_, std::convert::Infallible>(self.load(index)));
        match loaded {
            Ok(facts) => facts,
            Err(never) => match never {},
        }
    }

    fn text(&self, index: u32) -> Result<Arc<str>, String> {
        self.read_text(index).map(Arc::from)
    }

    fn head(&self, index: u32) -> Result<Arc<str>, String> {
        self.read_by(index, read_head).map(|text| whole_lines(&text).into())
    }

    /// Its names are found by path only.
    fn declarations(&self, _name: &str) -> Vec<LibraryDeclaration> {
        Vec::new()
    }

    /// Only what names lead into is read.
    fn search(&self, _wanted: &mut dyn FnMut(&str) -> bool) -> Vec<LibraryDeclaration> {
        Vec::new()
    }

    fn files_of_package(&self, _package: &str) -> Vec<u32> {
        Vec::new()
    }

    fn directory(&self, path: &str) -> Option<(Vec<u32>, Vec<Arc<str>>)> {
        let listing = self.listing(path);
        listing.real.as_ref()?;
        let files = listing
            .files
            .iter()
            .filter(|name| Language::of_path(name).is_some_and(|language| language.family() == self.family));
        let files = files.filter_map(|name| self.find(&format!("{path}/{name}"))).collect();
        Some((files, listing.directories.iter().map(|name| (**name).into()).collect()))
    }

    fn memory(&self) -> Option<&Lasting> {
        Some(&self.memory)
    }
}

type Chunk<T> = Box<[OnceLock<T>]>;

/// A list that only grows, so that what it holds may be lent out.
struct Slots<T> {
    chunks: Box<[OnceLock<Chunk<T>>]>,
    len: Mutex<u32>,
}

const CHUNK: usize = 1024;
/// As many files as a library's numbers have room for.
const CHUNKS: usize = (1 << 22) / CHUNK;

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { chunks: (0..CHUNKS).map(|_| OnceLock::new()).collect(), len: Mutex::new(0) }
    }
}

impl<T> Slots<T> {
    /// `None` when there is no room left.
    fn push(&self, value: T) -> Option<u32> {
        let mut len = self.len.lock().unwrap_or_else(PoisonError::into_inner);
        let (chunk, slot) = (*len as usize / CHUNK, *len as usize % CHUNK);
        let chunk = self.chunks.get(chunk)?.get_or_init(|| (0..CHUNK).map(|_| OnceLock::new()).collect());
        chunk[slot].set(value).ok()?;
        *len += 1;
        Some(*len - 1)
    }

    fn get(&self, index: u32) -> &T {
        let chunk = self.chunks[index as usize / CHUNK].get();
        let slot = chunk.and_then(|chunk| chunk[index as usize % CHUNK].get());
        slot.expect("numbers are given out by `push`")
    }
}
