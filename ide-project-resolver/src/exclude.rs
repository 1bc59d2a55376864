//! The one list of directories that are never enumerated, as data.

use std::fmt;

use crate::globs::PathGlobs;

/// The places in which a directory of the given name is excluded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Directly below the project root.
    Root,
    /// Directly below the project root, unless one of these files lies beside it: there it has sources.
    RootUnless(Vec<String>),
    /// At any depth.
    Anywhere,
    /// At any depth, when one of these files lies beside it: the build tool says what it is.
    Beside(Vec<String>),
}

/// One row of the list. `path` is a name or several segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusion {
    /// The directory, as one or more segments with `/` between them.
    pub path: String,
    /// The places in which it counts.
    pub place: Place,
    /// Why, in words for a reader of `ide_project_structure`.
    pub reason: String,
}

impl fmt::Display for Exclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Root => write!(f, "/{} ({})", self.path, self.reason),
            Place::RootUnless(files) => {
                write!(f, "/{} unless beside {} ({})", self.path, files.join(" or "), self.reason)
            }
            Place::Anywhere => write!(f, "**/{} ({})", self.path, self.reason),
            Place::Beside(files) => {
                write!(f, "**/{} beside {} ({})", self.path, files.join(" or "), self.reason)
            }
        }
    }
}

/// The rows every project starts with: the directory, files beside it, the reason. With files a row counts where one of them
/// lies, one for the root alone where none does.
const BUILT_IN: &[(&str, &[&str], &str)] = &[
    // the programs of a package by the conventions of npm, Composer and Python
    ("/bin", &["package.json", "composer.json", "pyproject.toml", "setup.py"], "build output"),
    ("/build", &[], "build output"),
    ("/out", &[], "build output"),
    ("/target", &[], "build output"),
    ("/dist", &[], "build output"),
    ("/env", &[], "virtual environment"),
    ("/.env", &[], "virtual environment"),
    (".gradle", &[], "build cache"),
    (".venv", &[], "virtual environment"),
    ("venv", &[], "virtual environment"),
    (".tox", &[], "virtual environment"),
    ("node_modules", &[], "installed packages"),
    (".worktrees", &[], "copies of the working tree"),
    (".claude/worktrees", &[], "copies of the working tree"),
    (".git", &[], "version control"),
    (".hg", &[], "version control"),
    (".svn", &[], "version control"),
    (".jj", &[], "version control"),
    (".idea", &[], "editor settings"),
    ("__pycache__", &[], "compiled code"),
    (".mypy_cache", &[], "tool cache"),
    (".pytest_cache", &[], "tool cache"),
    (".ruff_cache", &[], "tool cache"),
    // `com/acme/target` is a package like any other: below the root only the build tool decides
    ("build", &["build.gradle", "build.gradle.kts"], "build output"),
    ("target", &["pom.xml", "Cargo.toml", "build.sbt"], "build output"),
    ("dist", &["package.json", "pyproject.toml", "setup.py"], "build output"),
    ("vendor", &["composer.json", "go.mod"], "third-party sources"),
];

/// The exclusions of one project: the built-in rows plus those of the settings.
///
/// Ignore files are the other half; they are read where the tree is walked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusions {
    rows: Vec<Exclusion>,
}

impl Default for Exclusions {
    fn default() -> Exclusions {
        Exclusions::new::<&str>(&[], &[])
    }
}

impl Exclusions {
    /// The list with the settings applied. `excludes` adds rows: `/x` at the root only, `x` or `x/y`
    /// at any depth. `includes` takes rows away by the same spelling, a name without `/` in all places.
    #[must_use]
    pub fn new<S: AsRef<str>>(excludes: &[S], includes: &[S]) -> Exclusions {
        let clean = |s: &S| s.as_ref().trim().replace('\\', "/").trim_end_matches('/').to_owned();
        let removed: Vec<String> = includes.iter().map(clean).collect();
        let added: Vec<String> = excludes.iter().map(clean).filter(|s| !s.is_empty()).collect();
        let built_in = BUILT_IN.iter().map(|(path, beside, reason)| (*path, *beside, *reason));
        let rows = built_in
            .chain(added.iter().map(|path| (path.as_str(), &[][..], "settings")))
            .filter(|(path, ..)| !removed.iter().any(|r| r == path || r == path.trim_start_matches('/')))
            .map(|(path, beside, reason)| Exclusion {
                path: path.trim_start_matches('/').to_owned(),
                place: {
                    let files = || beside.iter().map(|f| (*f).to_owned()).collect();
                    match (path.starts_with('/'), beside) {
                        (true, []) => Place::Root,
                        (true, _) => Place::RootUnless(files()),
                        (false, []) => Place::Anywhere,
                        (false, _) => Place::Beside(files()),
                    }
                },
                reason: reason.to_owned(),
            })
            .collect();
        Exclusions { rows }
    }

    /// The rows, for `ide_project_structure`.
    #[must_use]
    pub fn rows(&self) -> &[Exclusion] {
        &self.rows
    }

    /// The row that excludes a directory itself (not one above it), if any. `dir` is relative to the
    /// project root; `beside` tells whether a file of that name lies in the same directory as `dir`.
    #[must_use]
    pub fn excluded(&self, dir: &str, beside: &dyn Fn(&str) -> bool) -> Option<&Exclusion> {
        self.rows.iter().find(|row| {
            let Some(above) = dir.strip_suffix(row.path.as_str()) else { return false };
            match &row.place {
                Place::Root => above.is_empty(),
                Place::RootUnless(files) => above.is_empty() && !files.iter().any(|file| beside(file)),
                Place::Anywhere => above.is_empty() || above.ends_with('/'),
                Place::Beside(files) => {
                    (above.is_empty() || above.ends_with('/')) && files.iter().any(|file| beside(file))
                }
            }
        })
    }

    /// Like [`Exclusions::excluded`], but an include that spells the directory out wins.
    #[must_use]
    pub fn excluded_unless(
        &self,
        dir: &str,
        globs: Option<&PathGlobs>,
        beside: &dyn Fn(&str) -> bool,
    ) -> Option<&Exclusion> {
        self.excluded(dir, beside).filter(|_| !globs.is_some_and(|globs| globs.reincludes(dir)))
    }

    /// Whether a directory of this name is on the list wherever it stands.
    pub(crate) fn anywhere(&self, name: &str) -> bool {
        self.rows.iter().any(|row| row.path == name && row.place == Place::Anywhere)
    }
}

/// Whether the text of a `.git` *file* says that its directory is a linked worktree: a second copy
/// of some repository. A submodule has such a file too, but is part of the tree.
#[must_use]
pub fn is_linked_worktree(git_file: &str) -> bool {
    git_file
        .lines()
        .filter_map(|line| line.strip_prefix("gitdir:"))
        .any(|dir| dir.trim().replace('\\', "/").split('/').rev().nth(1) == Some("worktrees"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(list: &Exclusions, beside: &[&str], dirs: &[&str]) -> Vec<bool> {
        dirs.iter().map(|dir| list.excluded(dir, &|f| beside.contains(&f)).is_some()).collect()
    }

    #[test]
    fn the_place_decides() {
        let list = Exclusions::default();
        assert_eq!(
            paths(
                &list,
                &[],
                &["bin", "a/bin", "build", "src/build", "a/node_modules", "node_modules", "my_node_modules"]
            ),
            [true, false, true, false, true, true, false]
        );
        assert_eq!(
            paths(&list, &[], &[".claude/worktrees", "a/.claude/worktrees", ".claude", "x.claude/worktrees"]),
            [true, true, false, false]
        );
        assert_eq!(paths(&list, &[], &["vendor", "a/target", "app/build"]), [false; 3]);
        assert_eq!(paths(&list, &["go.mod"], &["vendor", "a/vendor", "app/build"]), [true, true, false]);
        assert_eq!(paths(&list, &["pom.xml"], &["a/target"]), [true]);
        assert_eq!(paths(&list, &["package.json"], &["bin", "build", "a/bin"]), [false, true, false]);
    }

    #[test]
    fn settings_add_and_remove() {
        let list = Exclusions::new(&["/third_party", "snapshots/old/"], &["bin", ".idea"]);
        assert_eq!(
            paths(&list, &[], &["third_party", "a/third_party", "a/snapshots/old", "bin", ".idea", "out"]),
            [true, false, true, false, false, true]
        );
        assert!(list.rows().iter().any(|row| row.to_string() == "/third_party (settings)"));
    }

    #[test]
    fn an_explicit_glob_wins() {
        let list = Exclusions::default();
        let globs = PathGlobs::parse(&["node_modules/left-pad"]).unwrap();
        assert!(list.excluded_unless("node_modules", Some(&globs), &|_| false).is_none());
        assert!(list.excluded_unless("a/node_modules", Some(&globs), &|_| false).is_some());
        assert!(list.excluded_unless("node_modules", None, &|_| false).is_some());
    }

    #[test]
    fn worktree_files() {
        assert!(is_linked_worktree("gitdir: /home/u/repo/.git/worktrees/fix-1\n"));
        assert!(is_linked_worktree("gitdir: C:\\repo\\.git\\worktrees\\x"));
        assert!(!is_linked_worktree("gitdir: ../.git/modules/lib\n"));
        assert!(!is_linked_worktree("gitdir: ../.git/modules/worktrees\n"));
    }
}
