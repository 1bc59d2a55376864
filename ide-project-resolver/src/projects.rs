//! The open projects, and which of them a call means.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::sync::Arc;

use crate::contain::{Missing, Root, contain};
use crate::exclude::Exclusions;
use crate::fs::{Fs, Kind, Names};
use crate::model::has_build_marker;
use crate::path::{AbsPath, is_absolute, normalize};
use crate::project::Project;

/// Files and directories that make a directory a checkout.
pub(crate) const CHECKOUT_MARKERS: &[&str] = &[".git", ".hg", ".svn", ".jj", ".bzr"];

/// The checkout that a directory lies in: the nearest directory, itself included, with version control.
#[must_use]
pub fn checkout_of(fs: &dyn Fs, dir: &AbsPath) -> Option<AbsPath> {
    let mut at = Some(dir.clone());
    while let Some(dir) = at {
        if CHECKOUT_MARKERS
            .iter()
            .any(|marker| fs.exists(&format!("{}/{marker}", dir.as_str().trim_end_matches('/'))))
        {
            return Some(dir);
        }
        at = dir.parent();
    }
    None
}

/// The settings for projects.
#[derive(Clone, Debug, Default)]
pub struct ProjectSettings {
    /// Directories below which a project is loaded when it is first named (`allowedRoots`).
    pub allowed_roots: Vec<String>,
    /// Directories that the user named, below which build files may name modules that lie outside of their project.
    pub workspace_roots: Vec<String>,
    /// The directory that a leading `~` means.
    pub home: Option<String>,
    /// How errors list the open projects (`availableProjectsMode`).
    pub listing: Listing,
    /// The exclusions every project gets.
    pub exclusions: Exclusions,
}

/// How `available_projects` is filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Listing {
    /// Each project, followed by its content roots.
    #[default]
    Expanded,
    /// Only the projects.
    Compact,
}

/// One entry of `available_projects`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AvailableProject {
    /// Display name.
    pub name: String,
    /// The path that can be sent back as `project_path`.
    pub path: String,
    /// For a content root: the name of its project.
    pub workspace: Option<String>,
}

/// Why a path names no project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hint {
    /// The path is missing on disk.
    Missing,
    /// The path is a file.
    IsFile,
    /// A directory without any project marker.
    NoMarker,
    /// A project, but not open and not below an allowed root.
    NotOpen,
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Hint::Missing => "the path does not exist on disk; check the spelling",
            Hint::IsFile => "the path is a file; pass the directory of the project",
            Hint::NoMarker => {
                "the directory has no project marker (version control or a build file); pass the project's own root"
            }
            Hint::NotOpen => {
                "the directory exists but is not open; start the server with it as a project or add a directory above it to `allowedRoots`"
            }
        })
    }
}

/// Why no project could be chosen, with the projects to choose from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProjectError {
    /// No path given, or a path that several projects share.
    #[error("{}", multiple_open(.requested.as_deref()))]
    MultipleOpen {
        /// The path as given, if one was.
        requested: Option<String>,
        /// The choice.
        available: Vec<AvailableProject>,
    },
    /// The path belongs to no open project and may not be loaded.
    #[error("no open project at `{requested}`")]
    NotFound {
        /// The path as given.
        requested: String,
        /// A hint at the reason.
        hint: Hint,
        /// The choice.
        available: Vec<AvailableProject>,
    },
    /// Nothing is open and no path was given.
    #[error("no project is open; pass `project_path` with the absolute path of one")]
    NoneOpen {
        /// Paths of projects that were open before.
        closed: Vec<String>,
    },
    /// The value is not an absolute path (slug `invalid_argument`).
    #[error("`project_path` must be an absolute path, not `{requested}`")]
    NotAbsolute {
        /// The value as given.
        requested: String,
    },
}

fn multiple_open(requested: Option<&str>) -> String {
    match requested {
        Some(path) => {
            format!(
                "`{path}` belongs to several open projects; pass the root of one of them as `project_path`"
            )
        }
        None => "several projects are open; pass `project_path` with one of `available_projects`".to_owned(),
    }
}

impl ProjectError {
    /// The `error` word of the payload.
    #[must_use]
    pub fn slug(&self) -> &'static str {
        match self {
            ProjectError::MultipleOpen { .. } => "multiple_projects_open",
            ProjectError::NotFound { .. } => "project_not_found",
            ProjectError::NoneOpen { .. } => "no_project_open",
            ProjectError::NotAbsolute { .. } => "invalid_argument",
        }
    }
}

/// The project a call works on.
#[derive(Clone, Debug)]
pub struct Selected {
    /// The project.
    pub project: Arc<Project>,
    /// The content root that was named exactly (rule 2), as an index into
    /// [`Project::content_roots`]: tools that say so narrow themselves to it.
    pub narrowed: Option<usize>,
}

/// The answer to "which project?".
#[derive(Clone, Debug)]
pub enum Choice {
    /// An open one.
    Open(Selected),
    /// One that may be loaded: open this path, then ask again.
    Load {
        /// Root directory for [`Projects::open`].
        root: String,
    },
}

impl Choice {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Open(a), Self::Open(b)) => Arc::ptr_eq(&a.project, &b.project),
            (Self::Load { root: a }, Self::Load { root: b }) => a == b,
            _ => false,
        }
    }
}

/// The set of open projects. Sorted by real path, so that no answer depends on the order of opening.
#[derive(Debug, Default)]
pub struct Projects {
    open: Vec<Arc<Project>>,
    closed: BTreeSet<String>,
    settings: ProjectSettings,
}

impl Projects {
    /// No projects yet.
    #[must_use]
    pub fn new(settings: ProjectSettings) -> Projects {
        Projects { open: Vec::new(), closed: BTreeSet::new(), settings }
    }

    /// The settings given at the start.
    #[must_use]
    pub fn settings(&self) -> &ProjectSettings {
        &self.settings
    }

    /// The open projects.
    #[must_use]
    pub fn all(&self) -> &[Arc<Project>] {
        &self.open
    }

    /// Opens a project, whether or not it has a marker; one that is open already is given back.
    ///
    /// # Errors
    /// When the path is not absolute, not a directory or does not exist.
    pub fn open(&mut self, fs: &dyn Fs, path: &str) -> io::Result<Arc<Project>> {
        let spelling = normalize(path, self.settings.home.as_deref());
        let root = Root::open(fs, &spelling)?;
        if let Some(known) = self.open.iter().find(|p| p.root().same(root.canonical())) {
            return Ok(known.clone());
        }
        let trusted = self.trusted(fs, &root);
        let project = Project::open(fs, &spelling, &trusted, self.settings.exclusions.clone())?;
        Ok(self.insert(project))
    }

    /// Adds a project, or replaces the one with the same root after its build files changed.
    pub fn insert(&mut self, project: Project) -> Arc<Project> {
        let project = Arc::new(project);
        self.closed.remove(project.root().spelling());
        self.open.retain(|p| !p.root().same(project.root().canonical()));
        let at = self.open.partition_point(|p| p.root().canonical() < project.root().canonical());
        self.open.insert(at, project.clone());
        project
    }

    /// Closes a project; false when it was not open. Its path is remembered for `no_project_open`.
    pub fn close(&mut self, root: &AbsPath) -> bool {
        let before = self.open.len();
        let closed = &mut self.closed;
        self.open.retain(|project| {
            let gone = project.root().same(root);
            if gone {
                closed.insert(project.root().spelling().to_owned());
            }
            !gone
        });
        self.open.len() != before
    }

    /// Finds the project of a call. `project_path` is the tool's parameter, blank counts as absent;
    /// `client_roots` are the client's own roots as paths, candidates when no value is given.
    ///
    /// # Errors
    /// See [`ProjectError`].
    pub fn resolve(
        &self,
        fs: &dyn Fs,
        project_path: Option<&str>,
        client_roots: &[String],
    ) -> Result<Choice, ProjectError> {
        match project_path.map(str::trim).filter(|path| !path.is_empty()) {
            Some(path) => self.named(fs, path),
            None => self.default(fs, client_roots),
        }
    }

    fn default(&self, fs: &dyn Fs, client_roots: &[String]) -> Result<Choice, ProjectError> {
        let mut candidates: Vec<Choice> = Vec::new();
        for choice in client_roots.iter().filter_map(|root| self.client_root(fs, root)) {
            if !candidates.iter().any(|known| known.same(&choice)) {
                candidates.push(choice);
            }
        }
        match (candidates.pop(), candidates.is_empty(), self.open.as_slice()) {
            (Some(Choice::Open(selected)), true, _) => {
                Ok(Choice::Open(Selected { narrowed: None, ..selected }))
            }
            (Some(load), true, _) => Ok(load),
            (_, _, [only]) => Ok(Choice::Open(Selected { project: only.clone(), narrowed: None })),
            (_, _, []) => Err(ProjectError::NoneOpen { closed: self.closed.iter().cloned().collect() }),
            _ => Err(ProjectError::MultipleOpen { requested: None, available: self.available() }),
        }
    }

    /// The project for a folder that the client says it works in. It needs no marker, but the home directory and what
    /// is above it are no project.
    fn client_root(&self, fs: &dyn Fs, root: &str) -> Option<Choice> {
        match self.named(fs, root) {
            Ok(choice) => Some(choice),
            Err(ProjectError::NotFound { hint: Hint::NoMarker, .. }) => {
                let path = normalize(root, self.settings.home.as_deref());
                let real = contain(fs, &path, Missing::Allow)?.path;
                let is_allowed = self.allowed(fs).iter().any(|allowed| allowed.relative(&real).is_some());
                (is_allowed && !self.holds_home(fs, &path)).then_some(Choice::Load { root: path })
            }
            Err(_) => None,
        }
    }

    /// Whether a directory is the home directory or above it, and so is never a project by chance.
    #[must_use]
    pub fn holds_home(&self, fs: &dyn Fs, dir: &str) -> bool {
        let home = self.settings.home.as_deref().and_then(|home| Root::open(fs, home).ok());
        let dir = Root::open(fs, &normalize(dir, self.settings.home.as_deref())).ok();
        home.zip(dir).is_some_and(|(home, dir)| dir.relative(home.canonical()).is_some())
    }

    fn named(&self, fs: &dyn Fs, given: &str) -> Result<Choice, ProjectError> {
        let path = normalize(given, self.settings.home.as_deref());
        if !is_absolute(&path, fs.windows()) {
            return Err(ProjectError::NotAbsolute { requested: given.to_owned() });
        }
        let not_found =
            |hint| ProjectError::NotFound { requested: given.to_owned(), hint, available: self.available() };
        let real = contain(fs, &path, Missing::Allow).ok_or_else(|| not_found(Hint::Missing))?;
        match self.owner(&real.path) {
            Owner::One(project, narrowed) => {
                return Ok(Choice::Open(Selected { project: project.clone(), narrowed }));
            }
            Owner::Several => {
                return Err(ProjectError::MultipleOpen {
                    requested: Some(given.to_owned()),
                    available: self.available(),
                });
            }
            Owner::Nobody => {}
        }
        match (real.kind, self.loadable(fs, &real.path)) {
            (None, _) => Err(not_found(Hint::Missing)),
            (Some(_), Some(root)) => {
                Ok(Choice::Load { root: if root == real.path { path } else { root.to_string() } })
            }
            (Some(Kind::Dir), None) if is_project(fs, &real.path) => Err(not_found(Hint::NotOpen)),
            (Some(Kind::Dir), None) => Err(not_found(Hint::NoMarker)),
            (Some(_), None) => Err(not_found(Hint::IsFile)),
        }
    }

    /// Rules 1 to 4 of 7.1 over a real path. Within a rule the longest root wins; what is then still
    /// equal is a content root outside of several projects, and choosing one would be a guess.
    fn owner(&self, path: &AbsPath) -> Owner<'_> {
        if let Some(project) = self.open.iter().find(|p| p.root().same(path)) {
            return Owner::One(project, None);
        }
        let content_roots = || {
            self.open
                .iter()
                .flat_map(|p| p.content_roots().iter().enumerate().map(move |(i, root)| (p, i, root)))
        };
        let inside =
            longest(self.open.iter().filter(|p| p.root().relative(path).is_some()).map(|p| (p, p.root())));
        let exact: Vec<_> = content_roots().filter(|(_, _, root)| root.same(path)).collect();
        let owned = exact.iter().filter(|(p, _, root)| p.root().relative(root.canonical()).is_some());
        if let Some(project) = longest(owned.map(|(p, ..)| (*p, p.root()))) {
            let narrowed = exact.iter().find(|(p, ..)| Arc::ptr_eq(p, project)).map(|(_, i, _)| *i);
            return Owner::One(project, narrowed);
        }
        match exact.as_slice() {
            [] => {}
            [(project, index, _)] => return Owner::One(project, Some(*index)),
            _ => return Owner::Several,
        }
        if let Some(project) = inside {
            return Owner::One(project, None);
        }
        let holding: Vec<_> = content_roots().filter(|(_, _, root)| root.relative(path).is_some()).collect();
        let best = holding.iter().map(|(_, _, root)| root.canonical().as_str().len()).max();
        let mut holders = holding
            .iter()
            .filter(|(_, _, root)| Some(root.canonical().as_str().len()) == best)
            .map(|(p, ..)| *p);
        match (holders.next(), holders.next()) {
            (None, _) => Owner::Nobody,
            (Some(project), None) => Owner::One(project, None),
            (Some(_), Some(_)) => Owner::Several,
        }
    }

    /// The root of the project that an existing path below an allowed root belongs to: the nearest
    /// checkout, else the outermost directory with a build file.
    fn loadable(&self, fs: &dyn Fs, path: &AbsPath) -> Option<AbsPath> {
        let allowed = self.allowed(fs);
        let mut outermost = None;
        let mut at = Some(path.clone());
        while let Some(dir) = at.filter(|dir| allowed.iter().any(|root| root.relative(dir).is_some())) {
            if CHECKOUT_MARKERS.iter().any(|marker| fs.exists(&format!("{dir}/{marker}"))) {
                return Some(dir);
            }
            if has_build_marker(fs, &Names::unlisted(dir.as_str())) {
                outermost = Some(dir.clone());
            }
            at = dir.parent();
        }
        outermost
    }

    /// The directories in which the build files of a project may name modules outside of it: in the rest of its own
    /// checkout, and where the user said so. That a project may be opened somewhere says nothing: the files of others
    /// must not widen it.
    fn trusted(&self, fs: &dyn Fs, root: &Root) -> Vec<Root> {
        let mut trusted = self.existing(fs, &self.settings.workspace_roots);
        let is_home = |dir: &AbsPath| {
            let home = self.settings.home.as_deref().and_then(|home| fs.canonicalize(home).ok());
            // A checkout of someone's whole life is no project.
            home.is_some_and(|home| home.below(dir, root.case()).is_some())
        };
        let checkout = checkout_of(fs, root.canonical()).filter(|dir| !root.same(dir) && !is_home(dir));
        trusted.extend(checkout.and_then(|dir| Root::open(fs, dir.as_str()).ok()));
        trusted
    }

    /// The allowed roots that exist at this moment.
    fn allowed(&self, fs: &dyn Fs) -> Vec<Root> {
        self.existing(fs, &self.settings.allowed_roots)
    }

    fn existing(&self, fs: &dyn Fs, roots: &[String]) -> Vec<Root> {
        let home = self.settings.home.as_deref();
        roots.iter().filter_map(|root| Root::open(fs, &normalize(root, home)).ok()).collect()
    }

    /// The open projects for an error payload, by name, then path.
    #[must_use]
    pub fn available(&self) -> Vec<AvailableProject> {
        let mut projects: Vec<&Arc<Project>> = self.open.iter().collect();
        projects.sort_by(|a, b| (a.name(), a.root().canonical()).cmp(&(b.name(), b.root().canonical())));
        let mut list = Vec::new();
        for project in projects {
            let name = project.name().to_owned();
            list.push(AvailableProject {
                name: name.clone(),
                path: project.root().spelling().to_owned(),
                workspace: None,
            });
            if self.settings.listing == Listing::Expanded {
                list.extend(project.content_roots().iter().map(|root| AvailableProject {
                    name: root.canonical().name().to_owned(),
                    path: root.spelling().to_owned(),
                    workspace: Some(name.clone()),
                }));
            }
        }
        list
    }
}

enum Owner<'a> {
    One(&'a Arc<Project>, Option<usize>),
    Several,
    Nobody,
}

/// The project with the longest root. Real roots differ, so there is no tie.
fn longest<'a>(roots: impl Iterator<Item = (&'a Arc<Project>, &'a Root)>) -> Option<&'a Arc<Project>> {
    roots.max_by_key(|(_, root)| root.canonical().as_str().len()).map(|(project, _)| project)
}

fn is_project(fs: &dyn Fs, dir: &AbsPath) -> bool {
    CHECKOUT_MARKERS.iter().any(|marker| fs.exists(&format!("{dir}/{marker}")))
        || has_build_marker(fs, &Names::unlisted(dir.as_str()))
}
