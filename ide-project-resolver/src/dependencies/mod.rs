//! The dependencies of modules, as build files ask for them and lock files answer.
//!
//! Files are read, never run. A build system is one row in [`READERS`] and one reader. Maven is not among them: what a
//! `pom.xml` means depends on others in the local repository, which `ide-store` reads.

mod cargo;
mod composer;
mod go;
mod gradle;
mod lock;
mod node;
mod node_locks;
mod python;
mod text;

use std::collections::BTreeMap;
use std::fmt;
use std::io;

use crate::build_system::BuildSystem;
use crate::fs::{Fs, Kind};
use crate::model::{ModelProblem, Module};
use crate::path::AbsPath;
use crate::project::Project;

pub(crate) use lock::{Graph, Package};

/// Lock files are larger than build files, and written by tools.
const MAX_LOCK_FILE: u64 = 64 << 20;

/// When a dependency is there, the widest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DependencyScope {
    /// For the code of the module and when it runs.
    Compile,
    /// When the module runs.
    Runtime,
    /// For the code of the module; who runs it brings it.
    Provided,
    /// For tests and development.
    Test,
}

impl fmt::Display for DependencyScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DependencyScope::Compile => "COMPILE",
            DependencyScope::Runtime => "RUNTIME",
            DependencyScope::Provided => "PROVIDED",
            DependencyScope::Test => "TEST",
        })
    }
}

/// One thing that one module depends on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dependency {
    /// As its package manager calls it (`group:artifact` on the JVM).
    pub name: String,
    /// The build system whose files say so.
    pub build: BuildSystem,
    /// The requirement as the build file writes it; `None` where it does not ask itself.
    pub declared: Option<String>,
    /// The one version that is meant: what the lock file says, or what the build file asks for when that is one version.
    pub version: Option<String>,
    /// When it is there.
    pub scope: DependencyScope,
    /// Whether the build file itself asks for it.
    pub is_direct: bool,
    /// Whether it is another module of the project.
    pub is_module: bool,
    /// The name of the module that depends on it.
    pub module: String,
    /// The real path of that module.
    pub module_root: AbsPath,
}

/// The dependencies of the modules of a project, and how far they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DependencyReport {
    /// Ordered by name, version and module.
    pub dependencies: Vec<Dependency>,
    /// Modules and build systems for which no lock file says what is needed in turn.
    pub unlocked: Vec<(String, BuildSystem)>,
    /// Files that could not be read or understood.
    pub problems: Vec<ModelProblem>,
}

/// A requirement of a build file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) requirement: Option<String>,
    pub(crate) scope: DependencyScope,
    pub(crate) is_module: bool,
    /// The version, where the build file itself says which one.
    pub(crate) version: Option<String>,
}

impl Declared {
    pub(crate) fn new(name: impl Into<String>, scope: DependencyScope) -> Self {
        Self { name: name.into(), requirement: None, scope, is_module: false, version: None }
    }

    pub(crate) fn asks(mut self, requirement: Option<&str>) -> Self {
        self.requirement = requirement.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        self
    }

    pub(crate) fn module(mut self) -> Self {
        self.is_module = true;
        self
    }
}

/// The findings of a reader in a module.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) declared: Vec<Declared>,
    /// The lock file's content; `None` where there is none.
    pub(crate) locked: Option<Graph>,
}

/// The directory of a module, and what is around it up to the root of the project.
pub(crate) struct Folder<'a> {
    fs: &'a dyn Fs,
    pub(crate) module: &'a Module,
    modules: &'a [Module],
    root: &'a AbsPath,
}

impl Folder<'_> {
    /// A file's text; `None` when it does not exist.
    pub(crate) fn text(&self, name: &str) -> io::Result<Option<String>> {
        self.text_in(&self.module.root, name)
    }

    fn text_in(&self, dir: &AbsPath, name: &str) -> io::Result<Option<String>> {
        match self.fs.read_text(&format!("{}/{name}", dir.as_str().trim_end_matches('/')), MAX_LOCK_FILE) {
            Ok(text) => Ok(Some(text)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(io::Error::new(e.kind(), format!("{name}: {e}"))),
        }
    }

    /// The nearest file of one of these names, here or in a directory around that belongs to the project: its name, its
    /// text, and the path of the module below its directory.
    pub(crate) fn nearest(
        &self,
        names: &[&'static str],
    ) -> io::Result<Option<(&'static str, String, String)>> {
        let mut at = Some(self.module.root.clone());
        while let Some(dir) = at {
            for name in names {
                if let Some(text) = self.text_in(&dir, name)? {
                    let below = self.module.root.as_str()[dir.as_str().len()..].trim_start_matches('/');
                    return Ok(Some((name, text, below.to_owned())));
                }
            }
            at = (dir != *self.root).then(|| dir.parent()).flatten();
        }
        Ok(None)
    }

    /// The files of this name in the directories around, up to the root of the project: directory and text, inner first.
    pub(crate) fn around(&self, name: &str) -> io::Result<Vec<(AbsPath, String)>> {
        let mut found = Vec::new();
        let mut at = self.module.root.clone();
        while at != *self.root {
            let Some(dir) = at.parent() else { break };
            found.extend(self.text_in(&dir, name)?.map(|text| (dir.clone(), text)));
            at = dir;
        }
        Ok(found)
    }

    pub(crate) fn json(&self, name: &str) -> io::Result<Option<serde_json::Value>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        serde_json::from_str(&text).map(Some).map_err(|e| invalid(name, &e))
    }

    pub(crate) fn toml(&self, name: &str) -> io::Result<Option<toml::Table>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        text.parse().map(Some).map_err(|e| invalid(name, &e))
    }

    /// Whether another module of the project has this name.
    pub(crate) fn is_module(&self, name: &str) -> bool {
        self.modules.iter().any(|module| module.name == name && module.root != self.module.root)
    }

    /// The name of the module in a directory that a build file names.
    pub(crate) fn module_at(&self, path: &str) -> Option<&str> {
        let real = self.fs.canonicalize(&format!("{}/{path}", self.module.root)).ok()?;
        self.modules.iter().find(|module| module.root == real).map(|module| module.name.as_str())
    }

    /// The name of the module in a directory below the root of the project.
    pub(crate) fn module_below_root(&self, path: &str) -> Option<&str> {
        let wanted = self.root.join(path)?;
        self.modules.iter().find(|module| module.root == wanted).map(|module| module.name.as_str())
    }

    /// The version catalogues here and around: file name and text, those further in first.
    pub(crate) fn catalogues(&self) -> io::Result<Vec<(String, String)>> {
        let mut found = Vec::new();
        let mut at = Some(self.module.root.clone());
        while let Some(dir) = at {
            let entries = self.fs.read_dir(&format!("{dir}/gradle")).unwrap_or_default();
            for name in
                entries.into_iter().map(|entry| entry.name).filter(|name| name.ends_with(".versions.toml"))
            {
                let text = self.text_in(&dir, &format!("gradle/{name}"))?;
                found.extend(text.map(|text| (name, text)));
            }
            at = (dir != *self.root).then(|| dir.parent()).flatten();
        }
        Ok(found)
    }

    /// The names of the files here, sorted.
    pub(crate) fn files(&self, below: &str) -> Vec<String> {
        let entries = self.fs.read_dir(&format!("{}/{below}", self.module.root)).unwrap_or_default();
        entries.into_iter().filter(|e| e.kind == Kind::File).map(|e| e.name).collect()
    }
}

pub(crate) fn invalid(file: &str, error: &dyn fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{file}: {error}"))
}

type Read = fn(&Folder<'_>, &mut Findings) -> io::Result<()>;

static READERS: &[(BuildSystem, Read)] = &[
    (BuildSystem::Gradle, gradle::read),
    (BuildSystem::Node, node::read),
    (BuildSystem::Cargo, cargo::read),
    (BuildSystem::Go, go::read),
    (BuildSystem::Python, python::read),
    (BuildSystem::Composer, composer::read),
];

/// The dependencies of a project's modules, but for those of Maven. `name` narrows them to the modules of that name.
#[must_use]
pub fn dependencies(fs: &dyn Fs, project: &Project, name: Option<&str>) -> DependencyReport {
    let mut report = DependencyReport::default();
    for module in project.modules().iter().filter(|module| name.is_none_or(|name| module.name == name)) {
        for (system, read) in READERS.iter().filter(|(system, _)| module.build.contains(system)) {
            let folder = Folder { fs, module, modules: project.modules(), root: project.root().canonical() };
            let mut found = Findings::default();
            if let Err(e) = read(&folder, &mut found) {
                let file = module.root.to_string();
                report.problems.push(ModelProblem { file, message: e.to_string() });
            }
            if found.locked.is_none() && found.declared.iter().any(|declared| !declared.is_module) {
                report.unlocked.push((module.name.clone(), *system));
            }
            report.dependencies.extend(joined(module, *system, found));
        }
    }
    report.dependencies.sort();
    report.dependencies.dedup();
    report
}

/// The requirements with the versions of the lock file, and the packages that these need in turn.
fn joined(module: &Module, build: BuildSystem, found: Findings) -> Vec<Dependency> {
    let dependency = |name: String, declared, version, scope, is_direct, is_module| Dependency {
        name,
        build,
        declared,
        version,
        scope,
        is_direct,
        is_module,
        module: module.name.clone(),
        module_root: module.root.clone(),
    };
    let mut all: BTreeMap<(String, Option<String>), Dependency> = BTreeMap::new();
    let mut add = |new: Dependency| {
        let known = all.entry((new.name.clone(), new.version.clone())).or_insert_with(|| new.clone());
        known.scope = known.scope.min(new.scope);
        known.is_direct |= new.is_direct;
        known.declared = known.declared.take().or(new.declared);
    };
    let graph = found.locked.unwrap_or_default();
    let reached = graph.reached(&found.declared);
    for (declared, package) in found.declared.iter().zip(&reached.direct) {
        let version =
            package.map(|at| graph.packages[at].version.clone()).or_else(|| declared.version.clone());
        let Declared { name, requirement, scope, is_module, .. } = declared;
        add(dependency(name.clone(), requirement.clone(), version, *scope, true, *is_module));
    }
    for (at, scope) in &reached.in_turn {
        let Package { name, version, is_module, .. } = &graph.packages[*at];
        add(dependency(name.clone(), None, Some(version.clone()), *scope, false, *is_module));
    }
    let mut all: Vec<Dependency> = all.into_values().collect();
    // The module itself stands in the lock files of some.
    all.retain(|dependency| dependency.name != module.name || !dependency.is_module);
    all
}
