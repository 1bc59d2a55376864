//! The build systems as data: what marks them, and what their files say about modules and roots.
//!
//! Build files are read, never run. A new build system is one row in [`ROWS`] and one reader.

mod cargo;
mod composer;
mod go;
pub(crate) mod gradle;
mod jvm;
mod maven;
mod node;
mod python;

use std::fmt;
use std::io;

use crate::exclude::Exclusions;
use crate::fs::{Fs, Kind, Names};
use crate::globs;
use crate::model::RootKind;
use crate::path::AbsPath;

/// Build files above this size are not read; real ones are far smaller.
const MAX_BUILD_FILE: u64 = 4 << 20;

/// The build systems that are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BuildSystem {
    /// `pom.xml`.
    Maven,
    /// `build.gradle`, `settings.gradle` and their Kotlin forms.
    Gradle,
    /// `package.json`, also with pnpm, yarn or bun.
    Node,
    /// `Cargo.toml`.
    Cargo,
    /// `go.mod`, `go.work`.
    Go,
    /// `pyproject.toml`, `setup.py` and relatives.
    Python,
    /// `composer.json`.
    Composer,
}

impl fmt::Display for BuildSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BuildSystem::Maven => "maven",
            BuildSystem::Gradle => "gradle",
            BuildSystem::Node => "node",
            BuildSystem::Cargo => "cargo",
            BuildSystem::Go => "go",
            BuildSystem::Python => "python",
            BuildSystem::Composer => "composer",
        })
    }
}

/// One build system: the files that mark a directory, best source of facts first, and their reader.
pub(crate) struct Row {
    pub(crate) system: BuildSystem,
    pub(crate) markers: &'static [&'static str],
    read: fn(&At<'_>, &mut Described) -> io::Result<()>,
}

pub(crate) static ROWS: &[Row] = &[
    Row { system: BuildSystem::Maven, markers: &["pom.xml"], read: maven::read },
    Row {
        system: BuildSystem::Gradle,
        markers: &["settings.gradle.kts", "settings.gradle", "build.gradle.kts", "build.gradle"],
        read: gradle::read,
    },
    Row { system: BuildSystem::Node, markers: &["package.json", "pnpm-workspace.yaml"], read: node::read },
    Row { system: BuildSystem::Cargo, markers: &["Cargo.toml"], read: cargo::read },
    Row { system: BuildSystem::Go, markers: &["go.mod", "go.work"], read: go::read },
    Row {
        system: BuildSystem::Python,
        markers: &["pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "requirements.txt"],
        read: python::read,
    },
    Row { system: BuildSystem::Composer, markers: &["composer.json"], read: composer::read },
];

/// The content of the build files of one directory. Paths are relative to that directory.
#[derive(Debug, Default)]
pub(crate) struct Described {
    pub(crate) name: Option<String>,
    /// Directories of other modules that belong to the same workspace.
    pub(crate) members: Vec<String>,
    pub(crate) roots: Vec<(String, RootKind)>,
    /// File and message.
    pub(crate) problems: Vec<(String, String)>,
}

/// The directory that a reader looks at.
pub(crate) struct At<'a> {
    pub(crate) fs: &'a dyn Fs,
    names: &'a Names,
    exclusions: &'a Exclusions,
    /// Whether a real path belongs to the project.
    inside: &'a dyn Fn(&AbsPath) -> bool,
}

impl At<'_> {
    /// A file's text; `None` when it does not exist.
    fn text(&self, name: &str) -> io::Result<Option<String>> {
        let mut path = self.names.path(name);
        if self.names.plain(name).is_none() {
            // A link counts when it leads to a file of the project.
            path = match self.fs.canonicalize(&path) {
                Ok(real) if (self.inside)(&real) => real.to_string(),
                Ok(_) => {
                    let message = format!("{name}: the link leads out of the project");
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
                }
                Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(e) => return Err(io::Error::new(e.kind(), format!("{name}: {e}"))),
            };
        }
        match self.fs.read_text(&path, MAX_BUILD_FILE) {
            Ok(text) => Ok(Some(text)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(io::Error::new(e.kind(), format!("{name}: {e}"))),
        }
    }

    fn json(&self, name: &str) -> io::Result<Option<serde_json::Value>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        serde_json::from_str(&text).map(Some).map_err(|e| invalid(name, &e))
    }

    fn toml(&self, name: &str) -> io::Result<Option<toml::Table>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        text.parse().map(Some).map_err(|e| invalid(name, &e))
    }

    fn is_dir(&self, relative: &str) -> bool {
        self.names.is(self.fs, relative, Kind::Dir)
    }

    fn is_file(&self, relative: &str) -> bool {
        self.names.is(self.fs, relative, Kind::File)
    }

    /// Directory names below a directory of this one; none when it does not exist.
    fn directories(&self, relative: &str) -> Vec<String> {
        let entries = self.fs.read_dir(&self.names.path(relative));
        entries.into_iter().flatten().filter(|e| e.kind == Kind::Dir).map(|e| e.name).collect()
    }

    /// Workspace members by patterns; `!` patterns take away. Directories found by a wildcard count
    /// only when one of `markers` lies in them.
    fn members<'s>(&self, patterns: impl IntoIterator<Item = &'s str>, markers: &[&str]) -> Vec<String> {
        let skip = |name: &str| self.exclusions.anywhere(name);
        let mut found = Vec::new();
        for pattern in patterns {
            match pattern.strip_prefix('!') {
                Some(pattern) => {
                    let gone = globs::expand(self.fs, &self.names.dir, pattern, &skip);
                    found.retain(|dir| !gone.contains(dir));
                }
                None => found.extend(
                    globs::expand(self.fs, &self.names.dir, pattern, &skip).into_iter().filter(|dir| {
                        !pattern.contains(['*', '?'])
                            || markers.iter().any(|m| self.is_file(&format!("{dir}/{m}")))
                    }),
                ),
            }
        }
        found
    }

    /// The directories among `names` that exist, as roots of one kind.
    fn existing(&self, names: &[&str], kind: RootKind) -> Vec<(String, RootKind)> {
        names.iter().filter(|name| self.is_dir(name)).map(|name| ((*name).to_owned(), kind)).collect()
    }
}

fn invalid(file: &str, error: &dyn fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{file}: {error}"))
}

/// The strings of a JSON array, or of one string.
fn strings(value: Option<&serde_json::Value>) -> Vec<&str> {
    match value {
        Some(serde_json::Value::Array(list)) => list.iter().filter_map(|v| v.as_str()).collect(),
        Some(serde_json::Value::String(one)) => vec![one],
        _ => Vec::new(),
    }
}

/// Follows keys into a TOML table.
fn dig<'t>(table: &'t toml::Table, keys: &[&str]) -> Option<&'t toml::Value> {
    let (first, rest) = keys.split_first()?;
    rest.iter().try_fold(table.get(*first)?, |value, key| value.get(key))
}

fn toml_strings(value: Option<&toml::Value>) -> Vec<&str> {
    value.and_then(|v| v.as_array()).into_iter().flatten().filter_map(|v| v.as_str()).collect()
}

/// Reads every build system that marks a directory. `declared` is the one whose workspace names the
/// directory; it counts without a file of its own when nothing else marks the directory.
pub(crate) fn describe(
    fs: &dyn Fs,
    names: &Names,
    exclusions: &Exclusions,
    inside: &dyn Fn(&AbsPath) -> bool,
    declared: Option<BuildSystem>,
) -> Vec<(BuildSystem, Described)> {
    let at = At { fs, names, exclusions, inside };
    let marker = |row: &Row| row.markers.iter().copied().find(|marker| at.is_file(marker));
    let mut present: Vec<&Row> = ROWS.iter().filter(|row| marker(row).is_some()).collect();
    if present.is_empty() {
        present.extend(ROWS.iter().filter(|row| Some(row.system) == declared));
    }
    present
        .into_iter()
        .map(|row| {
            let mut described = Described::default();
            if let Err(e) = (row.read)(&at, &mut described) {
                described.problems.push((marker(row).unwrap_or_default().to_owned(), e.to_string()));
            }
            (row.system, described)
        })
        .collect()
}
