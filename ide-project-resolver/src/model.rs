//! Modules and their roots, and what kind of file a path is.

use std::collections::{BTreeSet, HashMap};

use crate::build_system::{BuildSystem, ROWS, describe};
use crate::contain::Root;
use crate::exclude::Exclusions;
use crate::fs::{Fs, Kind, Names};
use crate::path::{AbsPath, is_absolute};

/// Build files are also looked for this many directories below the root when nothing declares them
/// (`backend/go.mod` beside `frontend/package.json`).
const UNDECLARED_DEPTH: usize = 2;

/// Directories that hold examples of projects, not parts of this one.
const SAMPLES: &[&str] = &[
    "test",
    "tests",
    "testdata",
    "test-data",
    "fixtures",
    "__fixtures__",
    "examples",
    "samples",
    "templates",
];

/// The kind of files below a root directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RootKind {
    /// Production code.
    Source,
    /// Test code.
    Test,
    /// Files that ship with production code.
    Resource,
    /// Files for tests.
    TestResource,
    /// Code written by the build.
    Generated,
    /// Test code written by the build.
    GeneratedTest,
}

/// One module: a directory with a build file, or the project root itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The name in the build file, else the directory's.
    pub name: String,
    /// The real path of its directory.
    pub root: AbsPath,
    /// The build systems that mark it, in the order of the enum; empty for a plain directory.
    pub build: Vec<BuildSystem>,
    /// Its roots, relative to the project root with `/` and empty for the root itself, or absolute
    /// when they lie outside; sorted.
    pub roots: Vec<(String, RootKind)>,
}

impl Module {
    /// The roots of the given kind.
    pub fn roots_of(&self, kind: RootKind) -> impl Iterator<Item = &str> {
        self.roots.iter().filter(move |(_, k)| *k == kind).map(|(path, _)| path.as_str())
    }
}

/// A build file that could not be read, understood or followed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelProblem {
    /// The file or directory.
    pub file: String,
    /// The problem.
    pub message: String,
}

pub(crate) struct Model {
    pub(crate) modules: Vec<Module>,
    /// Modules that build files name although they are not there.
    pub(crate) missing: Vec<String>,
    pub(crate) problems: Vec<ModelProblem>,
}

pub(crate) fn has_build_marker(fs: &dyn Fs, names: &Names) -> bool {
    ROWS.iter().flat_map(|row| row.markers).any(|marker| names.is(fs, marker, Kind::File))
}

/// Reads the build files of a project. A member outside of the project is taken only below one of
/// `trusted`: a build file is written by others and must not widen what the server may touch.
pub(crate) fn read_model(fs: &dyn Fs, root: &Root, trusted: &[Root], exclusions: &Exclusions) -> Model {
    let mut model = Model { modules: Vec::new(), missing: Vec::new(), problems: Vec::new() };
    let mut seen = BTreeSet::new();
    let mut todo = vec![(root.canonical().clone(), None)];
    let mut complete = false;
    while !complete {
        while let Some((dir, declared)) = todo.pop() {
            if seen.insert(dir.clone()) {
                todo.extend(read_module(fs, root, trusted, exclusions, (&dir, declared), &mut model));
            }
        }
        todo.extend(undeclared(fs, root, exclusions, &seen).into_iter().map(|dir| (dir, None)));
        complete = todo.is_empty();
    }
    model
        .modules
        .sort_by(|a, b| (a.root != *root.canonical(), &a.root).cmp(&(b.root != *root.canonical(), &b.root)));
    model.problems.sort_by(|a, b| (&a.file, &a.message).cmp(&(&b.file, &b.message)));
    model
}

/// Adds the module in one directory and gives back the directories it refers to, with the build
/// system that does.
fn read_module(
    fs: &dyn Fs,
    root: &Root,
    trusted: &[Root],
    exclusions: &Exclusions,
    (dir, declared): (&AbsPath, Option<BuildSystem>),
    model: &mut Model,
) -> Vec<(AbsPath, Option<BuildSystem>)> {
    let names = Names::of(fs, dir.as_str());
    let described = describe(fs, &names, exclusions, &|path| inside(path, root, trusted), declared);
    let shown = |path: &AbsPath| root.relative(path).map_or_else(|| path.to_string(), str::to_owned);
    let mut module = Module {
        name: described.iter().find_map(|(_, d)| d.name.clone()).unwrap_or_else(|| dir.name().to_owned()),
        root: dir.clone(),
        build: described.iter().map(|(system, _)| *system).collect(),
        roots: Vec::new(),
    };
    let mut members = Vec::new();
    for (system, facts) in described {
        let problem = |file: &str, message: String| ModelProblem {
            file: dir.join(file).map_or_else(|| file.to_owned(), |path| shown(&path)),
            message,
        };
        model.problems.extend(facts.problems.into_iter().map(|(file, message)| problem(&file, message)));
        for (relative, kind) in facts.roots {
            let named = match names.plain(&relative) {
                Some(_) => dir.join(&relative),
                None => fs.canonicalize(&names.path(&relative)).ok().or_else(|| dir.join(&relative)),
            };
            match named.filter(|path| inside(path, root, trusted)) {
                Some(path) => module.roots.push((shown(&path), kind)),
                None => model
                    .problems
                    .push(problem("", format!("the {system} root `{relative}` lies outside of the project"))),
            }
        }
        for member in facts.members {
            let named =
                if is_absolute(&member, fs.windows()) { member.clone() } else { format!("{dir}/{member}") };
            match fs.canonicalize(&named).ok().filter(|path| fs.is_dir(path.as_str())) {
                Some(path) if inside(&path, root, trusted) => members.push((path, Some(system))),
                Some(_) => model.problems.push(problem("", format!(
                    "the {system} module `{member}` lies outside of the project and of its checkout, so it is left out; `workspace_roots` in the settings can name its directory"
                ))),
                None => {
                    model.problems.push(problem("", format!("the {system} module `{member}` does not exist")));
                    model.missing.push(named);
                }
            }
        }
    }
    if module.build.is_empty() {
        module.roots.push((shown(dir), RootKind::Source));
    }
    module.roots.sort();
    module.roots.dedup_by(|a, b| a.0 == b.0);
    model.modules.push(module);
    members
}

fn inside(path: &AbsPath, root: &Root, trusted: &[Root]) -> bool {
    trusted.iter().chain([root]).any(|known| known.relative(path).is_some())
}

/// Directories with build files that no workspace mentions.
fn undeclared(fs: &dyn Fs, root: &Root, exclusions: &Exclusions, seen: &BTreeSet<AbsPath>) -> Vec<AbsPath> {
    let mut found = Vec::new();
    let mut level = vec![(root.canonical().clone(), Names::of(fs, root.canonical().as_str()))];
    for _ in 0..UNDECLARED_DEPTH {
        let mut next = Vec::new();
        for (dir, names) in &level {
            let dirs = names.entries().iter().filter(|e| e.kind == Kind::Dir).map(|e| e.name.as_str());
            for name in
                dirs.filter(|n| !n.starts_with('.') && !SAMPLES.contains(n) && !exclusions.anywhere(n))
            {
                let Some(child) = dir.join(name) else { continue };
                if seen.contains(&child) {
                    continue;
                }
                let names = Names::of(fs, child.as_str());
                if has_build_marker(fs, &names) {
                    found.push(child);
                } else {
                    next.push((child, names));
                }
            }
        }
        level = next;
    }
    found
}

/// Whether a file is production code, test code or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// Below a source or resource root and not a test.
    Production,
    /// Below a test root, or a test by its name.
    Test,
    /// Below the project, but below none of its roots.
    NonSource,
}

/// The classification of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathClass {
    /// Production, test or neither.
    pub area: Area,
    /// Written by a tool, judged by the path; a mark inside the file is the engine's business.
    pub generated: bool,
}

/// Tells files apart by the roots of the modules and by the naming habits of each language.
#[derive(Clone, Debug, Default)]
pub struct Classifier {
    /// By path; the longest one that holds a file decides. Without a kind it is the directory of a
    /// module: what the roots around it say ends there.
    roots: HashMap<String, Option<RootKind>>,
}

/// Test files that live among production code: prefix and suffix of the file name.
const TEST_NAMES: &[(&str, &str)] = &[
    ("", "_test.go"),
    ("test_", ".py"),
    ("", "_test.py"),
    ("conftest.py", ""),
    ("", ".test.js"),
    ("", ".test.jsx"),
    ("", ".test.mjs"),
    ("", ".test.cjs"),
    ("", ".test.ts"),
    ("", ".test.tsx"),
    ("", ".test.mts"),
    ("", ".spec.js"),
    ("", ".spec.jsx"),
    ("", ".spec.mjs"),
    ("", ".spec.ts"),
    ("", ".spec.tsx"),
    ("", ".spec.mts"),
    ("", ".cy.ts"),
    ("", ".cy.js"),
];

/// Directory names that mean tests in every ecosystem that uses them.
const TEST_DIRECTORIES: &[&str] = &["__tests__", "__mocks__", "testdata"];

const GENERATED_DIRECTORIES: &[&str] =
    &["generated", "generated-sources", "generated-src", "generated-test-sources", "__generated__"];

const GENERATED_NAMES: &[(&str, &str)] = &[
    ("", ".pb.go"),
    ("", ".pb.gw.go"),
    ("zz_generated", ".go"),
    ("", "_generated.go"),
    ("", "_gen.go"),
    ("mock_", ".go"),
    ("", "_pb2.py"),
    ("", "_pb2_grpc.py"),
    ("", "_pb2.pyi"),
    ("", "_pb.js"),
    ("", "_pb.d.ts"),
    ("", "_pb.ts"),
    ("", ".generated.ts"),
    ("", ".generated.tsx"),
    ("", ".generated.js"),
    ("", ".gen.ts"),
    ("", ".gen.go"),
    ("", ".min.js"),
];

fn named(table: &[(&str, &str)], name: &str) -> bool {
    // Endings and outer bytes tell nearly every name, and cost less than texts: this runs for every file.
    let ending = name.rsplit('.').next();
    if !matches!(ending, Some("go" | "py" | "pyi" | "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts")) {
        return false;
    }
    let fits = |part: Option<&u8>, own: Option<&u8>| part.is_none() || part == own;
    let bytes = name.as_bytes();
    table.iter().any(|(prefix, suffix)| {
        let Some(at) = name.len().checked_sub(suffix.len()).filter(|at| *at >= prefix.len()) else {
            return false;
        };
        fits(suffix.as_bytes().last(), bytes.last())
            && fits(suffix.as_bytes().first(), bytes.get(at))
            && fits(prefix.as_bytes().first(), bytes.first())
            && name.starts_with(prefix)
            && name.ends_with(suffix)
    })
}

/// The classification of a file by its directory; its name may refine it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectoryClass(PathClass);

impl DirectoryClass {
    /// The class of the file of this name.
    #[must_use]
    pub fn file(self, name: &str) -> PathClass {
        let area = if named(TEST_NAMES, name) { Area::Test } else { self.0.area };
        PathClass { area, generated: self.0.generated || named(GENERATED_NAMES, name) }
    }
}

impl Classifier {
    pub(crate) fn new(root: &Root, modules: &[Module]) -> Classifier {
        let shown = |m: &Module| root.relative(&m.root).map_or_else(|| m.root.to_string(), str::to_owned);
        let mut roots: HashMap<String, Option<RootKind>> = modules.iter().map(|m| (shown(m), None)).collect();
        for (path, kind) in modules.iter().flat_map(|m| &m.roots) {
            let known = roots.entry(path.clone()).or_default();
            *known = known.map_or(Some(*kind), |known| Some(known.min(*kind)));
        }
        Classifier { roots }
    }

    /// The class of a file; `path` is in the form of our output, relative to the project root or
    /// absolute.
    #[must_use]
    pub fn classify(&self, path: &str) -> PathClass {
        let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.directory(dir).file(name)
    }

    /// The class of the directory of files, its path in the form of our output.
    #[must_use]
    pub fn directory(&self, path: &str) -> DirectoryClass {
        let root = self.root_of(path);
        let below = |names: &[&str]| path.split('/').any(|segment| names.contains(&segment));
        let test_root =
            matches!(root, Some(RootKind::Test | RootKind::TestResource | RootKind::GeneratedTest));
        let area = if test_root || below(TEST_DIRECTORIES) {
            Area::Test
        } else if root.is_some() {
            Area::Production
        } else {
            Area::NonSource
        };
        let generated = matches!(root, Some(RootKind::Generated | RootKind::GeneratedTest))
            || below(GENERATED_DIRECTORIES);
        DirectoryClass(PathClass { area, generated })
    }

    fn root_of(&self, dir: &str) -> Option<RootKind> {
        // the empty root is the project's; an absolute path lies outside of it
        let outside = dir.starts_with('/') || dir.as_bytes().get(1) == Some(&b':');
        let mut at = dir;
        loop {
            if at.is_empty() && outside {
                return None;
            }
            if let Some(kind) = self.roots.get(at) {
                return *kind;
            }
            if at.is_empty() {
                return None;
            }
            at = at.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_habit_of_naming_is_known() {
        for table in [TEST_NAMES, GENERATED_NAMES] {
            for (prefix, suffix) in table {
                assert!(named(table, &format!("{prefix}{suffix}")), "{prefix}*{suffix}");
            }
        }
    }
}
