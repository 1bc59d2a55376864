//! Words for how a project is laid out and what it depends on.

use std::fmt;

/// A project as its build files describe it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// The module of the root first, then by path.
    pub modules: Vec<ModuleRow>,
    /// Directories that are left out of the index, each with the reason.
    pub excluded: Vec<String>,
    /// Build files that could not be read or followed, each with what is wrong.
    pub problems: Vec<String>,
}

/// A part of a project with a build file of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModuleRow {
    pub name: String,
    /// Relative to the project, empty for its root; absolute when it lies outside.
    pub path: String,
    /// The build systems whose files lie there (`maven`, `cargo`).
    pub build_systems: Vec<String>,
    /// In the form of `path`.
    pub roots: Vec<(String, RootUse)>,
}

impl ModuleRow {
    /// The roots of the given uses.
    pub fn roots_of(&self, uses: &[RootUse]) -> Vec<String> {
        let roots = self.roots.iter().filter(|(_, own)| uses.contains(own));
        roots.map(|(path, _)| if path.is_empty() { ".".to_owned() } else { path.clone() }).collect()
    }
}

/// The use of a directory of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootUse {
    Source,
    Test,
    Resource,
    TestResource,
    Generated,
    GeneratedTest,
}

/// The dependencies of the modules of a project, and how far they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// Ordered by name, version and module.
    pub rows: Vec<DependencyRow>,
    /// Modules, each with a build system, whose dependencies may need others that are not listed.
    pub unlocked: Vec<String>,
    /// Files that could not be read, each with what is wrong.
    pub problems: Vec<String>,
}

/// One thing that one module depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependencyRow {
    /// As its package manager calls it (`group:artifact` on the JVM).
    pub name: String,
    pub build_system: String,
    /// As the build file asks for it.
    pub declared: Option<String>,
    /// The one version that is used, where that is known.
    pub version: Option<String>,
    /// `COMPILE`, `RUNTIME`, `PROVIDED` or `TEST`, the widest first.
    pub scope: &'static str,
    /// Whether the build file asks for it, and not only another dependency.
    pub is_direct: bool,
    /// Whether it is another module of the project.
    pub is_module: bool,
    /// The module that depends on it.
    pub module: String,
    pub available: Available,
}

/// The part of a dependency that is at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Available {
    Source,
    Declarations,
    Missing,
}

impl fmt::Display for Available {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Source => "source",
            Self::Declarations => "declarations",
            Self::Missing => "missing",
        })
    }
}

/// The origin of the checkout of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkout {
    /// The address of its remote repository, without the credentials in it.
    pub remote: Option<String>,
    /// The branch that is checked out; `None` where there is none.
    pub branch: Option<String>,
}
