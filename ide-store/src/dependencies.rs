//! Which packages a project can use: what its package managers put below it or into their caches, and what comes with the
//! languages on this machine. Finding out costs a look at the directories that would hold them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ide_index::{LazyLibrary, Library, LibraryRoot, RootKind};
use ide_model::Family;
use ide_project_resolver::{AbsPath, checkout_of};

use crate::classes::class_library;
use crate::extract::Log;
use crate::installed::{Installed, InstalledRoot};
use crate::jars::{Jars, jars};
use crate::os_fs::OsFs;

/// The places in which this machine keeps packages that projects share. `None` where there is no such place, or
/// none is to be looked into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Go's module cache.
    pub go_modules: Option<PathBuf>,
    /// Go's installation.
    pub go_root: Option<PathBuf>,
    /// Cargo's directory, with `registry/src`.
    pub cargo_home: Option<PathBuf>,
    /// The sources of Rust's standard library: the directory with `std` and `core`.
    pub rust_library: Option<PathBuf>,
    /// Maven's local repository.
    pub maven_repository: Option<PathBuf>,
    /// Gradle's directory, with `caches/modules-2/files-2.1`.
    pub gradle_home: Option<PathBuf>,
    /// The places in which tools keep environments and packages to which a project may link.
    pub linked: Vec<PathBuf>,
}

/// Variables by which users name environments and stores of packages.
const NAMED_BY_ENVIRONMENT: &[&str] = &[
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "WORKON_HOME",
    "POETRY_VIRTUALENVS_PATH",
    "UV_CACHE_DIR",
    "PNPM_HOME",
    "BUN_INSTALL",
];

/// Places below the home directory in which tools keep environments and packages.
const LINKED: &[&str] = &[
    ".virtualenvs",
    ".local/share/virtualenvs",
    ".cache/pypoetry/virtualenvs",
    "Library/Caches/pypoetry/virtualenvs",
    ".local/share/hatch/env",
    ".pyenv/versions",
    ".local/share/uv",
    ".cache/uv",
    "miniconda3/envs",
    "anaconda3/envs",
    ".local/share/pnpm",
    "Library/pnpm",
    ".pnpm-store",
    ".yarn/berry",
    ".bun/install",
];

impl Places {
    /// The usual places, as environment variables and tools that are installed say. `variable` gives the value of an
    /// environment variable.
    pub fn of_environment(variable: &dyn Fn(&str) -> Option<OsString>) -> Self {
        let path = |name: &str| {
            variable(name).filter(|value| !value.is_empty()).map(PathBuf::from).filter(|path| path.is_dir())
        };
        let home = path("HOME").or_else(|| path("USERPROFILE"));
        let below = |rest: &str| home.as_ref().map(|home| home.join(rest)).filter(|path| path.is_dir());
        let search_path = variable("PATH");
        let gopath = variable("GOPATH").and_then(|all| std::env::split_paths(&all).next());
        let go_modules = path("GOMODCACHE")
            .or_else(|| gopath.map(|at| at.join("pkg/mod")).filter(|path| path.is_dir()))
            .or_else(|| below("go/pkg/mod"));
        let go_root = path("GOROOT").or_else(|| installation(search_path.as_ref(), "go")).or_else(|| {
            ["/usr/local/go", "/usr/lib/go", "/usr/lib/golang"]
                .map(PathBuf::from)
                .into_iter()
                .find(|path| path.is_dir())
        });
        let cargo_home = path("CARGO_HOME").or_else(|| below(".cargo"));
        Self {
            go_modules,
            go_root: go_root.filter(|root| root.join("src/fmt").is_dir()),
            rust_library: rust_library(
                path("RUSTUP_HOME").or_else(|| below(".rustup")),
                search_path.as_ref(),
            ),
            cargo_home,
            linked: NAMED_BY_ENVIRONMENT
                .iter()
                .filter_map(|name| path(name))
                .chain(LINKED.iter().filter_map(|rest| below(rest)))
                .collect(),
            maven_repository: below(".m2/repository"),
            gradle_home: path("GRADLE_USER_HOME").or_else(|| below(".gradle")),
        }
    }
}

/// The directory above the `bin` in which a program really lies.
fn installation(search_path: Option<&OsString>, program: &str) -> Option<PathBuf> {
    let found = std::env::split_paths(search_path?).find_map(|dir| dir.join(program).canonicalize().ok())?;
    Some(found.parent()?.parent()?.to_path_buf())
}

/// The sources of the standard library: of the toolchain that is used, else of the newest one that has them.
fn rust_library(rustup: Option<PathBuf>, search_path: Option<&OsString>) -> Option<PathBuf> {
    let inside = "lib/rustlib/src/rust/library";
    let toolchains = rustup.map(|home| home.join("toolchains")).and_then(|dir| fs::read_dir(dir).ok());
    let mut toolchains: Vec<PathBuf> =
        toolchains.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    // `stable` before dated ones before old ones.
    toolchains.sort_by_key(|path| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        (!name.starts_with("stable"), std::cmp::Reverse(name))
    });
    let on_path = installation(search_path, "rustc");
    on_path.into_iter().chain(toolchains).map(|at| at.join(inside)).find(|path| path.join("core").is_dir())
}

/// The packages of one project.
pub(crate) struct Dependencies {
    installed: Vec<Arc<Installed>>,
    jars: Arc<OnceLock<Jars>>,
    libraries: Vec<Arc<dyn Library>>,
}

impl Dependencies {
    /// `classes` are those that all projects see: a JDK's. They come behind the project's own.
    pub(crate) fn new(
        root: &Path,
        places: &Places,
        classes: Option<&Arc<LazyLibrary>>,
        log: &Arc<Log>,
    ) -> Self {
        let row = |family, anywhere, find: fn(&Path, &Places) -> Vec<InstalledRoot>| {
            let (at, places) = (root.to_owned(), places.clone());
            Arc::new(Installed::new(family, root, anywhere, Box::new(move || find(&at, &places))))
        };
        let installed = vec![
            row(Family::Ecma, Some("node_modules"), node_roots),
            row(Family::Python, None, python_roots),
            row(Family::Go, Some("vendor"), go_roots),
            row(Family::Php, Some("vendor"), |_, _| Vec::new()),
            row(Family::Rust, None, rust_roots),
        ];
        let found: Arc<OnceLock<Jars>> = Arc::default();
        let jar_classes = {
            let (found, root, places, log) = (found.clone(), root.to_owned(), places.clone(), log.clone());
            Arc::new(LazyLibrary::new(move || {
                let jars = found.get_or_init(|| jars(&root, &places));
                let (classes, problems) = class_library(None, &jars.files);
                for problem in problems {
                    log(&format!("{}: {}", problem.path.display(), problem.message));
                }
                classes
            }))
        };
        let mut libraries: Vec<Arc<dyn Library>> =
            installed.iter().map(|library| library.clone() as Arc<dyn Library>).collect();
        libraries.push(jar_classes);
        libraries.extend(classes.map(|library| library.clone() as Arc<dyn Library>));
        Self { installed, jars: found, libraries }
    }

    pub(crate) fn libraries(&self) -> &[Arc<dyn Library>] {
        &self.libraries
    }

    /// Whether nothing changed that answers were made from.
    pub(crate) fn is_current(&self) -> bool {
        self.installed.iter().all(|library| library.is_current())
            && self.jars.get().is_none_or(Jars::is_current)
    }
}

/// A root as it is shown, if it is there. One in the project's checkout may be a link that came with it: it counts only when
/// it leads into the checkout, or to where tools keep packages.
fn root(project: &Path, places: &Places, at: &Path, kind: RootKind) -> Option<InstalledRoot> {
    let real = at.canonicalize().ok().filter(|path| path.is_dir())?;
    let project = project.canonicalize().ok()?;
    let checkout = checkout_of(&OsFs, &AbsPath::new(project.to_str()?)?);
    let checkout = checkout.map_or_else(|| project.clone(), |checkout| PathBuf::from(checkout.as_str()));
    let linked = || places.linked.iter().filter_map(|place| place.canonicalize().ok());
    if at.starts_with(&checkout)
        && !real.starts_with(&checkout)
        && !linked().any(|place| real.starts_with(place))
    {
        return None;
    }
    let below = real.strip_prefix(&project).ok();
    let shown = below.unwrap_or(&real).to_str()?.replace('\\', "/");
    Some(InstalledRoot { root: LibraryRoot { kind, path: shown.into() }, real })
}

/// `node_modules` around the project: those below it are found where they are asked for.
fn node_roots(project: &Path, places: &Places) -> Vec<InstalledRoot> {
    let above = project.ancestors().skip(1).map(|dir| dir.join("node_modules"));
    above.filter_map(|dir| root(project, places, &dir, RootKind::Packages)).collect()
}

/// The `site-packages` of the virtual environments in the project's directory.
pub(crate) fn python_roots(project: &Path, places: &Places) -> Vec<InstalledRoot> {
    let mut found = Vec::new();
    for name in [".venv", "venv", "env", ".env", "virtualenv", ".virtualenv"] {
        let home = project.join(name);
        if !home.join("pyvenv.cfg").is_file() {
            continue;
        }
        let mut versions = subdirectories(&home.join("lib"));
        versions.sort();
        let unix = versions.into_iter().rev().map(|version| version.join("site-packages"));
        let all = unix.chain([home.join("Lib/site-packages")]);
        found.extend(all.filter_map(|dir| root(project, places, &dir, RootKind::Packages)));
    }
    let mut versions = subdirectories(&project.join("__pypackages__"));
    versions.sort();
    let all = versions.into_iter().rev().map(|version| version.join("lib"));
    found.extend(all.filter_map(|dir| root(project, places, &dir, RootKind::Packages)));
    found
}

pub(crate) fn subdirectories(dir: &Path) -> Vec<PathBuf> {
    // A directory that is not there is the ordinary case.
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

fn go_roots(project: &Path, places: &Places) -> Vec<InstalledRoot> {
    let standard = places.go_root.iter().map(|at| (at.join("src"), RootKind::Standard));
    let modules = places.go_modules.iter().map(|at| (at.clone(), RootKind::Cache));
    standard.chain(modules).filter_map(|(at, kind)| root(project, places, &at, kind)).collect()
}

fn rust_roots(project: &Path, places: &Places) -> Vec<InstalledRoot> {
    let standard = places.rust_library.iter().map(|at| (at.clone(), RootKind::Standard));
    let mut registries: Vec<PathBuf> =
        places.cargo_home.iter().flat_map(|home| subdirectories(&home.join("registry/src"))).collect();
    registries.sort();
    let vendored = [(project.join("vendor"), RootKind::Packages)];
    let cached = registries.into_iter().map(|at| (at, RootKind::Cache));
    standard.chain(vendored).chain(cached).filter_map(|(at, kind)| root(project, places, &at, kind)).collect()
}
