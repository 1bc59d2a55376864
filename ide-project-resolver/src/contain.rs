//! The one containment function: every path that reaches a file goes through here.
//!
//! A path is judged by where it really leads: links and `..` are resolved by the disk first, then
//! whole segments are compared with the known roots. Refused and missing paths give the same answer, so that
//! nobody can ask which files exist elsewhere.

use std::collections::BTreeSet;
use std::io;

use crate::fs::{Fs, Kind};
use crate::path::{AbsPath, Case, is_absolute, normalize, plain_name};
use crate::project::Project;
use crate::version_control::is_version_control;

/// A directory that the server may look into: the user's spelling for output, the real path for
/// comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    spelling: String,
    canonical: AbsPath,
    case: Case,
}

impl Root {
    /// Looks a directory up. `spelling` must be normalised and absolute.
    ///
    /// # Errors
    /// When it does not exist or is not a directory.
    pub fn open(fs: &dyn Fs, spelling: &str) -> io::Result<Root> {
        if !is_absolute(spelling, fs.windows()) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let canonical = fs.canonicalize(spelling)?;
        if !fs.is_dir(canonical.as_str()) {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let case = fs.case(canonical.as_str());
        Ok(Root { spelling: spelling.to_owned(), canonical, case })
    }

    /// A directory below this one, known to be there, by its real path. `None` for others.
    pub(crate) fn below(&self, canonical: &AbsPath) -> Option<Root> {
        let spelling = match self.relative(canonical)? {
            "" => self.spelling.clone(),
            rest => format!("{}/{rest}", self.spelling.trim_end_matches('/')),
        };
        Some(Root { spelling, canonical: canonical.clone(), case: self.case })
    }

    /// The path as the user wrote it, for output.
    #[must_use]
    pub fn spelling(&self) -> &str {
        &self.spelling
    }

    /// The real path, for comparison and for every access.
    #[must_use]
    pub fn canonical(&self) -> &AbsPath {
        &self.canonical
    }

    /// How names compare below it.
    #[must_use]
    pub fn case(&self) -> Case {
        self.case
    }

    /// The part of a canonical path below this root; empty for the root itself.
    #[must_use]
    pub fn relative<'a>(&self, canonical: &'a AbsPath) -> Option<&'a str> {
        canonical.below(&self.canonical, self.case)
    }

    pub(crate) fn same(&self, canonical: &AbsPath) -> bool {
        self.relative(canonical) == Some("")
    }
}

/// The use that is to be made of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read an existing file or directory; registered libraries count.
    Read,
    /// Change it, or make it when it is missing. Never a library, never a repository's own files.
    Write,
}

/// Dependency files that may be read although they lie outside every project.
#[derive(Clone, Debug, Default)]
pub struct Libraries {
    archives: BTreeSet<AbsPath>,
    directories: Vec<Root>,
}

impl Libraries {
    /// Allows an archive and its entries.
    ///
    /// # Errors
    /// When the archive does not exist.
    pub fn add_archive(&mut self, fs: &dyn Fs, path: &str) -> io::Result<()> {
        self.archives.insert(fs.canonicalize(path)?);
        Ok(())
    }

    /// Allows everything below a directory (a module cache, a language's own library).
    ///
    /// # Errors
    /// When the directory does not exist.
    pub fn add_directory(&mut self, fs: &dyn Fs, path: &str) -> io::Result<()> {
        let root = Root::open(fs, path)?;
        if !self.directories.contains(&root) {
            self.directories.push(root);
        }
        Ok(())
    }

    fn holds(&self, canonical: &AbsPath) -> bool {
        self.archives.contains(canonical) || self.directories.iter().any(|d| d.relative(canonical).is_some())
    }
}

/// The owner of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// Below the project root.
    Project,
    /// Below a content root outside the project root; the index into [`Project::content_roots`].
    ContentRoot(usize),
    /// A registered dependency.
    Library,
}

/// A path that passed the containment check.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResolvedFile {
    /// The real path of the file or archive: the only one to open.
    pub path: AbsPath,
    /// The entry inside the archive `path`, `/`-separated, without `..`.
    pub entry: Option<String>,
    /// The form for output; accepted back unchanged.
    pub shown: String,
    /// The owner of the file.
    pub origin: Origin,
    /// The kind of `path`; `None` when it does not exist yet.
    pub kind: Option<Kind>,
}

/// Why a file parameter was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// Missing, outside or not permitted: deliberately one case (slug `file_not_found`).
    #[error(
        "`{path}` is not a file of this project; give a path relative to the project root, or find it with `ide_find_file`"
    )]
    NotFound {
        /// The path as given.
        path: String,
    },
    /// A relative path that is present below several content roots (slug `ambiguous_path`).
    #[error("`{path}` exists below several content roots; pass one of: {}", .candidates.join(", "))]
    Ambiguous {
        /// The path as given.
        path: String,
        /// The absolute paths to choose from, sorted.
        candidates: Vec<String>,
    },
}

impl FileError {
    /// The `error` word of a tool's failure.
    #[must_use]
    pub fn slug(&self) -> &'static str {
        match self {
            FileError::NotFound { .. } => "file_not_found",
            FileError::Ambiguous { .. } => "ambiguous_path",
        }
    }
}

impl Project {
    /// Finds the file that a tool's path parameter means.
    ///
    /// Accepted: a path relative to the project root, then relative to exactly one content root; an
    /// absolute path below a known root; for reading also registered libraries, as a path, as
    /// `x.jar!/inner` and as `jar://…`.
    ///
    /// # Errors
    /// See [`FileError`].
    pub fn resolve_file(
        &self,
        fs: &dyn Fs,
        libraries: &Libraries,
        path: &str,
        home: Option<&str>,
        access: Access,
    ) -> Result<ResolvedFile, FileError> {
        let refused = || FileError::NotFound { path: path.to_owned() };
        let plain = normalize(path, home);
        if plain.is_empty() || plain.contains('\0') {
            return Err(refused());
        }
        // a Unix file may really have a backslash in its name, and we print it so
        let verbatim = (!fs.windows() && path.contains('\\')).then_some(path);
        // nobody who writes an address or an archive entry wants directories of that name
        let address = plain.contains("!/") || plain.contains("://");
        let missing = match access {
            Access::Write if !address => Missing::Allow,
            _ => Missing::Refuse,
        };
        let spellings =
            verbatim.map(|path| (path, Missing::Refuse)).into_iter().chain([(plain.as_str(), missing)]);
        for (spelling, missing) in spellings {
            if let Some(found) = self.plain_file(fs, libraries, spelling, access, missing)? {
                return Ok(found);
            }
        }
        match (access, archive_entry(&plain)) {
            (Access::Read, Some((archive, entry))) => {
                let mut found =
                    self.plain_file(fs, libraries, archive, access, missing)?.ok_or_else(refused)?;
                if found.kind != Some(Kind::File) {
                    return Err(refused());
                }
                if let Some(entry) = entry {
                    let entry = clean_entry(entry).ok_or_else(refused)?;
                    found.shown = format!("jar://{}!/{entry}", found.path);
                    found.entry = Some(entry);
                }
                Ok(found)
            }
            _ => Err(refused()),
        }
    }

    fn plain_file(
        &self,
        fs: &dyn Fs,
        libraries: &Libraries,
        path: &str,
        access: Access,
        missing: Missing,
    ) -> Result<Option<ResolvedFile>, FileError> {
        let contained = |absolute: &str, missing| {
            contain(fs, absolute, missing).and_then(|real| self.admit(fs, libraries, real, access))
        };
        if is_absolute(path, fs.windows()) {
            return Ok(contained(path, missing));
        }
        if path.starts_with('/') {
            return Ok(None);
        }
        let below = |root: &Root| format!("{}/{path}", root.canonical().as_str().trim_end_matches('/'));
        if let Some(found) = contained(&below(self.root()), Missing::Refuse) {
            return Ok(Some(found));
        }
        let mut hits: Vec<ResolvedFile> =
            self.content_roots().iter().filter_map(|root| contained(&below(root), Missing::Refuse)).collect();
        hits.sort_by(|a, b| a.path.cmp(&b.path));
        hits.dedup_by(|a, b| a.path == b.path);
        match hits.len() {
            0 => Ok(contained(&below(self.root()), missing)),
            1 => Ok(hits.pop()),
            _ => Err(FileError::Ambiguous {
                path: path.to_owned(),
                candidates: hits.iter().map(|hit| self.absolute(&hit.path)).collect(),
            }),
        }
    }

    /// The last step: is this real path inside, and how is it printed?
    fn admit(&self, fs: &dyn Fs, libraries: &Libraries, real: Real, access: Access) -> Option<ResolvedFile> {
        let Real { path, kind } = real;
        let repository = |root: &AbsPath| {
            let roots = self.content_roots().iter().map(Root::canonical);
            let around = roots.chain([self.root().canonical(), self.checkout()]);
            is_version_control(fs, &path, root, around)
        };
        let (origin, shown) = if let Some(rest) = self.root().relative(&path) {
            if access == Access::Write && repository(self.root().canonical()) {
                return None;
            }
            (Origin::Project, if rest.is_empty() { ".".to_owned() } else { rest.to_owned() })
        } else if let Some(index) = self.content_root_of(&path) {
            if access == Access::Write && repository(self.content_roots()[index].canonical()) {
                return None;
            }
            (Origin::ContentRoot(index), self.absolute(&path))
        } else if access == Access::Read && libraries.holds(&path) {
            (Origin::Library, path.as_str().to_owned())
        } else {
            return None;
        };
        Some(ResolvedFile { path, entry: None, shown, origin, kind })
    }

    /// An absolute path in the spelling of the root that holds it.
    fn absolute(&self, path: &AbsPath) -> String {
        let best = self
            .content_roots()
            .iter()
            .chain([self.root()])
            .filter_map(|root| Some((root, root.relative(path)?)))
            .min_by_key(|(_, rest)| rest.len());
        match best {
            Some((root, "")) => root.spelling().to_owned(),
            Some((root, rest)) => format!("{}/{rest}", root.spelling().trim_end_matches('/')),
            None => path.as_str().to_owned(),
        }
    }
}

/// Whether a path that does not exist yet is acceptable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    Refuse,
    Allow,
}

/// The real place of a path.
pub(crate) struct Real {
    pub(crate) path: AbsPath,
    pub(crate) kind: Option<Kind>,
}

/// Resolves links and `..` as the disk does. A path that is to be made is its nearest existing
/// directory plus plain names; a dangling link in it is refused, because writing would follow it.
pub(crate) fn contain(fs: &dyn Fs, absolute: &str, missing: Missing) -> Option<Real> {
    if absolute.contains('\0') || !is_absolute(absolute, fs.windows()) {
        return None;
    }
    // a colon behind the drive opens a second stream of a file
    if fs.windows() && absolute.get(2..)?.contains(':') {
        return None;
    }
    // with a separator at its end, a dangling link would be looked through
    let trimmed = absolute.trim_end_matches('/');
    let absolute = if trimmed.is_empty() || trimmed.ends_with(':') { absolute } else { trimmed };
    if let Ok(path) = fs.canonicalize(absolute) {
        let kind = fs.metadata(path.as_str()).ok()?.kind;
        return Some(Real { path, kind: Some(kind) });
    }
    let (above, name) = absolute.split_at(absolute.rfind('/')? + 1);
    let free = matches!(fs.symlink_metadata(absolute), Err(e) if e.kind() == io::ErrorKind::NotFound);
    if missing == Missing::Refuse || !plain_name(name, fs.windows()) || !free {
        return None;
    }
    let above = contain(fs, above, missing)?;
    if above.kind.is_some_and(|kind| kind != Kind::Dir) {
        return None;
    }
    Some(Real { path: above.path.join(name)?, kind: None })
}

/// Splits `jar:///x.jar!/a/b`, `jar:file:///x.jar!/a/b`, `/x.jar!/a/b` and `jar:///x.jar`.
fn archive_entry(path: &str) -> Option<(&str, Option<&str>)> {
    let bare = ["jar:file://", "jar://", "zip://"].iter().find_map(|scheme| path.strip_prefix(scheme));
    let rest = bare.unwrap_or(path);
    match rest.split_once("!/") {
        Some((archive, "")) => Some((archive, None)),
        Some((archive, entry)) => Some((archive, Some(entry))),
        None => bare.map(|archive| (archive.trim_end_matches('!'), None)),
    }
}

/// An entry name that stays inside its archive.
fn clean_entry(entry: &str) -> Option<String> {
    let segments: Vec<&str> = entry.split('/').collect();
    segments.iter().all(|s| plain_name(s, false) && !s.contains(['\\', ':'])).then(|| segments.join("/"))
}

/// The files of a plan that their own mode forbids to write, in the given order. A file that
/// does not exist yet is writable.
///
/// # Errors
/// When a file cannot be looked at for another reason than that it is missing.
pub fn read_only<'a>(
    fs: &dyn Fs,
    paths: impl IntoIterator<Item = &'a AbsPath>,
) -> io::Result<Vec<&'a AbsPath>> {
    let mut found = Vec::new();
    for path in paths {
        match fs.metadata(path.as_str()) {
            Ok(metadata) if metadata.read_only => found.push(path),
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(e),
        }
    }
    Ok(found)
}
