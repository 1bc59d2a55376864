//! Which files a project has: a parallel walk that honours ignore files and the list of exclusions while walking and never
//! afterwards.
//!
//! Listed is: every regular file below the project root and its outer content roots, except
//!
//! - directories on the project's list of exclusions and linked worktrees (copies of the tree),
//! - files that `.gitignore`, `.ignore` or the repository's own exclude file name,
//! - hidden directories other than [`VISIBLE_HIDDEN`], and content that an editor stages. Hidden files are listed.
//!
//! Symbolic links are not followed: what they lead to is listed under its own name if it lies inside, and a cycle cannot
//! arise. A `paths` glob that names an excluded or ignored place brings it back: [`named_files`].

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ide_index::parallel::divided;
use ide_model::{Cx, QueryError, STAGED_PREFIX};
use ide_project_resolver::{Exclusions, PathGlobs, is_linked_worktree};
use ignore::gitignore::GitignoreBuilder;
use rayon::Scope;

use crate::directory::{Directory, Kind, State};
use crate::ignored::{MAX_POINTER, Rules};
use crate::open::read_real;
use crate::unread::reason;

/// Hidden directories that people write by hand and expect to find.
const VISIBLE_HIDDEN: &[&str] = &[
    ".azure",
    ".azuredevops",
    ".buildkite",
    ".cargo",
    ".changeset",
    ".circleci",
    ".claude",
    ".config",
    ".cursor",
    ".devcontainer",
    ".docker",
    ".forgejo",
    ".gitea",
    ".github",
    ".gitlab",
    ".husky",
    ".mvn",
    ".storybook",
    ".teamcity",
    ".vscode",
    ".well-known",
    ".woodpecker",
];

/// A file that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundFile {
    /// Relative to the project root, with `/`; absolute below an outer content root.
    pub(crate) path: Arc<str>,
    /// Size and times; `None` where nothing is there to compare them with.
    pub(crate) state: Option<State>,
}

/// The result of a walk.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Ordered by path.
    pub(crate) files: Vec<FoundFile>,
    /// In a flat walk: the subdirectories that belong to the project, ordered. Other walks enter them.
    pub(crate) directories: Vec<String>,
    /// Entries that could not be read, in words.
    pub(crate) problems: Vec<String>,
    /// Directories that could not be listed, as the project knows them, with the reason.
    pub(crate) unread: Vec<(String, String)>,
}

impl Listing {
    fn append(&mut self, mut other: Self) {
        self.files.append(&mut other.files);
        self.directories.append(&mut other.directories);
        self.problems.append(&mut other.problems);
        self.unread.append(&mut other.unread);
    }

    fn sorted(mut self) -> Self {
        self.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        self.directories.sort_unstable();
        self.problems.sort_unstable();
        self
    }
}

/// Sees every directory before it is listed.
pub(crate) type OnDirectory<'w> = dyn Fn(&str) + Send + Sync + 'w;

/// How a project is walked.
#[derive(Clone)]
pub(crate) struct Enumerator {
    pub(crate) root: PathBuf,
    /// Content roots outside of the root: real, absolute, with `/`. None lies in another.
    pub(crate) outer: Arc<[String]>,
    pub(crate) exclusions: Arc<Exclusions>,
}

impl Enumerator {
    /// Everything below a directory (`""` is the root and all outer content roots), by the threads of the pool it is called
    /// in. A directory that is gone gives an empty listing.
    pub(crate) fn tree(
        &self,
        directory: &str,
        with_state: bool,
        on_directory: Option<&OnDirectory<'_>>,
    ) -> Listing {
        let outer = if directory.is_empty() { &*self.outer } else { &[] };
        let mut listing = Listing::default();
        for directory in std::iter::once(directory).chain(outer.iter().map(String::as_str)) {
            let (walk, directory) = self.walk(directory);
            let walk = Walk { with_state, on_directory, ..walk };
            if let Some(rules) = walk.approach(directory) {
                divided(|| rayon::scope(|scope| walk.enter(scope, directory.to_owned(), rules)));
            }
            listing.append(walk.whole.into_inner().unwrap_or_else(PoisonError::into_inner));
        }
        listing.sorted()
    }

    /// The files and subdirectories directly in a directory.
    pub(crate) fn flat(&self, directory: &str) -> Listing {
        let (walk, directory) = self.walk(directory);
        let Some(rules) = walk.approach(directory) else { return Listing::default() };
        let (mut listing, _) = walk.list(directory, rules);
        listing.directories.retain(|path| !is_copy(&walk.place(path)));
        for path in &mut listing.directories {
            *path = walk.known_as(std::mem::take(path));
        }
        listing.sorted()
    }

    /// A walk of the root that a directory lies in, and its path there.
    fn walk<'e>(&'e self, directory: &'e str) -> (Walk<'e>, &'e str) {
        let outer = self.outer.iter().find_map(|root| {
            let rest = directory.strip_prefix(root.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| (root.as_str(), rest.trim_start_matches('/')))
        });
        let (prefix, directory) = outer.unwrap_or(("", directory));
        if prefix.is_empty() {
            return (Walk::new(&self.root, &self.exclusions), directory);
        }
        let inner = Some(self.root.to_string_lossy().into_owned());
        (Walk { prefix, inner, ..Walk::new(Path::new(prefix), &self.exclusions) }, directory)
    }
}

/// The files that globs select by the name of an excluded or ignored place, below the root and ordered by path.
/// `is_listed` tells which files are known anyway.
///
/// # Errors
/// When the call is stopped.
pub fn named_files(
    root: &Path,
    exclusions: &Exclusions,
    globs: &PathGlobs,
    is_listed: &dyn Fn(&str) -> bool,
    cx: Cx<'_>,
) -> Result<Vec<Arc<str>>, QueryError> {
    let mut found = Vec::new();
    let mut run = |directory: &str, globs: &PathGlobs, is_below: bool| {
        let named = Some(Named { globs, is_below, cx });
        let walk = Walk { named, with_state: false, ..Walk::new(root, exclusions) };
        match walk.kind(directory) {
            Some(Kind::Directory) => {
                divided(|| rayon::scope(|scope| walk.enter(scope, directory.to_owned(), None)));
                let listing = walk.whole.into_inner().unwrap_or_else(PoisonError::into_inner);
                found.extend(listing.files.into_iter().map(|file| file.path));
            }
            Some(Kind::File) if globs.matches(Some(directory)) => found.push(directory.into()),
            _ => {}
        }
        cx.check()
    };
    for place in globs.literal_directories().filter(|path| !path.is_empty()) {
        if Walk::new(root, exclusions).approach(place).is_none() {
            run(place, globs, true)?;
        }
    }
    if let Some(naming) = globs.naming(exclusions) {
        run("", &naming, false)?;
    }
    found.sort_unstable();
    found.dedup();
    found.retain(|path| !is_listed(path));
    Ok(found)
}

/// The rule that leaves a file below `root` out: a row of the exclusions, or a line of an ignore file.
#[must_use]
pub fn left_out_by(root: &Path, exclusions: &Exclusions, file: &Path) -> Option<String> {
    let relative = file.strip_prefix(root).ok()?;
    let mut above = root.to_owned();
    let mut shown = String::new();
    let mut ignores = Vec::new();
    for part in relative.components() {
        for name in [".gitignore", ".ignore"] {
            let path = above.join(name);
            let is_file =
                std::fs::metadata(&path).is_ok_and(|meta| meta.is_file() && meta.len() < MAX_IGNORE_FILE);
            let mut builder = GitignoreBuilder::new(&above);
            if is_file && builder.add(&path).is_none() {
                ignores.extend(builder.build());
            }
        }
        let beside = above.clone();
        above.push(part);
        shown.push_str(if shown.is_empty() { "" } else { "/" });
        shown.push_str(&part.as_os_str().to_string_lossy());
        if let Some(row) = exclusions.excluded(&shown, &|name| beside.join(name).exists())
            && above != file
        {
            return Some(format!("the exclusion {row}"));
        }
        let is_dir = above != file;
        let decided = ignores.iter().rev().find_map(|ignore| match ignore.matched(&above, is_dir) {
            ignore::Match::Ignore(glob) => Some(Some(glob)),
            ignore::Match::Whitelist(_) => Some(None),
            ignore::Match::None => None,
        });
        if let Some(Some(glob)) = decided {
            let of = glob.from().and_then(|path| path.strip_prefix(root).ok());
            let of = of.map_or_else(|| "an ignore file".into(), |path| format!("`{}`", path.display()));
            return Some(format!("the line `{}` of {of}", glob.original()));
        }
    }
    None
}

/// Largest ignore file that is read to name a rule, in bytes.
const MAX_IGNORE_FILE: u64 = 1 << 20;

/// A walk for what globs name although it is left out otherwise.
#[derive(Clone, Copy)]
struct Named<'w> {
    globs: &'w PathGlobs,
    /// The walk begins in a place that was named, below which nothing is left out.
    is_below: bool,
    cx: Cx<'w>,
}

/// A walk below one root.
struct Walk<'w> {
    /// Absolute, without `/` at its end.
    root: String,
    /// The prefix of the paths that it finds.
    prefix: &'w str,
    /// A directory that is not entered, because it is the project itself.
    inner: Option<String>,
    exclusions: &'w Exclusions,
    named: Option<Named<'w>>,
    with_state: bool,
    on_directory: Option<&'w OnDirectory<'w>>,
    whole: Mutex<Listing>,
}

impl<'w> Walk<'w> {
    /// Over what belongs to a project, with what the files' metadata says.
    fn new(root: &Path, exclusions: &'w Exclusions) -> Self {
        Self {
            root: root.to_string_lossy().trim_end_matches('/').to_owned(),
            prefix: "",
            inner: None,
            exclusions,
            named: None,
            with_state: true,
            on_directory: None,
            whole: Mutex::default(),
        }
    }

    /// Lists a directory that belongs to the project, and has its subdirectories entered.
    fn enter<'s>(&'s self, scope: &Scope<'s>, path: String, rules: Option<Arc<Rules>>) {
        if self.named.is_some_and(|named| named.cx.check().is_err()) {
            return;
        }
        if let Some(see) = self.on_directory {
            see(&self.known_as(path.clone()));
        }
        let (mut listing, rules) = self.list(&path, rules);
        let inside = std::mem::take(&mut listing.directories);
        self.whole.lock().unwrap_or_else(PoisonError::into_inner).append(listing);
        for directory in inside {
            let rules = rules.clone();
            scope.spawn(move |scope| self.enter(scope, directory, rules));
        }
    }

    /// The content of a directory, subdirectories by their paths below the root, and the rules that hold in it.
    /// Nothing in what turns out to be a copy of another tree.
    fn list(&self, path: &str, above: Option<Arc<Rules>>) -> (Listing, Option<Arc<Rules>>) {
        let mut listing = Listing::default();
        let mut place = self.place(path);
        let read = Directory::open(Path::new(&place)).and_then(|open| Ok((open.names()?, open)));
        let (names, open) = match read {
            Ok(read) => read,
            Err(error) => {
                if !is_gone(&error) {
                    listing.problems.push(format!("{place}: {error}"));
                    listing.unread.push((self.known_as(path.to_owned()), reason(&error)));
                }
                return (listing, above);
            }
        };
        if !path.is_empty() && self.named.is_none() && names.has(".git") && is_copy(&place) {
            return (listing, above);
        }
        let rules = match self.named {
            Some(_) => None,
            None => Rules::inside(&place, above.as_ref(), |name| names.has(name)),
        };
        let ignored = |place: &str, kind: Kind| {
            rules.as_ref().is_some_and(|rules| rules.ignore(place, kind == Kind::Directory))
        };
        if !place.ends_with('/') {
            place.push('/');
        }
        let (directory, below) = (place.len(), self.root.len() + 1);
        for (name, kind) in &names.unnamable {
            if !ignored(&format!("{place}{name}"), *kind) {
                listing.problems.push(format!("the name is not Unicode: {place}{name}"));
            }
        }
        for entry in &names.entries {
            place.truncate(directory);
            place.push_str(&entry.name);
            if ignored(&place, entry.kind) {
                continue;
            }
            let path = &place[below..];
            match entry.kind {
                Kind::Directory if self.belongs(path, &place, &|beside| names.has(beside)) => {
                    listing.directories.push(path.to_owned());
                }
                Kind::File if self.wants(path, &entry.name) => match self.state(&open, &entry.name) {
                    Ok(Some(state)) => {
                        listing.files.push(FoundFile { path: self.shared(path), state });
                    }
                    // It may have become something else meanwhile; the next look will tell.
                    Ok(None) => {}
                    Err(error) if is_gone(&error) => {}
                    Err(error) => {
                        listing.problems.push(format!("{place}: {error}"));
                        listing.unread.push((self.known_as(path.to_owned()), reason(&error)));
                    }
                },
                _ => {}
            }
        }
        (listing, rules)
    }

    fn state(&self, open: &Directory, name: &str) -> io::Result<Option<Option<State>>> {
        if !self.with_state {
            return Ok(Some(None));
        }
        open.state(name).map(|state| state.map(Some))
    }

    fn wants(&self, path: &str, name: &str) -> bool {
        !name.starts_with(STAGED_PREFIX) && self.named.is_none_or(|named| named.globs.matches(Some(path)))
    }

    /// Whether a directory is to be entered, as far as ignore files say nothing. `beside` tells what lies next to it.
    fn belongs(&self, path: &str, place: &str, beside: &dyn Fn(&str) -> bool) -> bool {
        if self.inner.as_deref() == Some(place) {
            return false;
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_left_out = || {
            let is_hidden = name.starts_with('.') && !VISIBLE_HIDDEN.contains(&name);
            is_hidden || self.exclusions.excluded(path, beside).is_some()
        };
        match self.named {
            None => !is_left_out(),
            Some(Named { globs, is_below, .. }) => {
                globs.may_match_below(path)
                    && (is_below || globs.reincludes(path) || !(is_left_out() || is_copy(place)))
            }
        }
    }

    /// The rules above a directory; `None` when it is no part of the project. The same ignore files count whatever is listed.
    #[expect(clippy::option_option, reason = "a directory that belongs may have no rules above it")]
    fn approach(&self, directory: &str) -> Option<Option<Arc<Rules>>> {
        let mut rules = Rules::above(&self.root);
        let ends = directory.match_indices('/').map(|(at, _)| at).chain([directory.len()]);
        let mut above = "";
        for end in ends.filter(|_| !directory.is_empty()) {
            let (path, place) = (&directory[..end], self.place(&directory[..end]));
            let outside = self.place(above);
            let lies_there = |name: &str| Path::new(&outside).join(name).symlink_metadata().is_ok();
            rules = Rules::inside(&outside, rules.as_ref(), lies_there);
            let is_ignored = rules.as_ref().is_some_and(|rules| rules.ignore(&place, true));
            let is_directory = Path::new(&place).symlink_metadata().is_ok_and(|meta| meta.is_dir());
            if !is_directory || is_ignored || !self.belongs(path, &place, &lies_there) || is_copy(&place) {
                return None;
            }
            above = path;
        }
        Some(rules)
    }

    /// The kind of the entry at a path to which no link leads.
    fn kind(&self, path: &str) -> Option<Kind> {
        let place = self.place(path);
        let real = std::fs::canonicalize(&place).ok().filter(|real| real == Path::new(&place))?;
        Some(if real.is_dir() { Kind::Directory } else { Kind::File })
    }

    /// The absolute path of a path below the root.
    fn place(&self, path: &str) -> String {
        if path.is_empty() && !self.root.is_empty() {
            return self.root.clone();
        }
        format!("{}/{path}", self.root)
    }

    /// A path below the root as the project knows it.
    fn known_as(&self, path: String) -> String {
        match (self.prefix, path.as_str()) {
            ("", _) => path,
            (prefix, "") => prefix.to_owned(),
            (prefix, path) => format!("{prefix}/{path}"),
        }
    }

    fn shared(&self, path: &str) -> Arc<str> {
        if self.prefix.is_empty() { path.into() } else { self.known_as(path.to_owned()).into() }
    }
}

fn is_gone(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

/// Whether a directory is a linked worktree: a copy of some repository's tree.
fn is_copy(directory: &str) -> bool {
    let file = Path::new(directory).join(".git");
    file.symlink_metadata().is_ok_and(|meta| meta.is_file())
        && read_real(&file, MAX_POINTER).is_ok_and(|text| is_linked_worktree(&String::from_utf8_lossy(&text)))
}

#[cfg(test)]
mod tests;
