//! The rules of ignore files for a path: those of its directory and of every directory above, the nearest first;
//! `.ignore` before `.gitignore` before the repository's own exclude file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::open::{read_real, read_regular};

/// The rules of a directory that has some, and of those above it.
#[derive(Debug)]
pub(crate) struct Rules {
    above: Option<Arc<Rules>>,
    /// The length of the part of an absolute path that leads to the directory.
    begin: usize,
    /// Of `.ignore`, `.gitignore` and `.git/info/exclude`.
    files: [Gitignore; 3],
}

impl Rules {
    /// The rules that hold inside a directory; `has` tells which names lie in it.
    pub(crate) fn inside(
        directory: &str,
        above: Option<&Arc<Self>>,
        has: impl Fn(&str) -> bool,
    ) -> Option<Arc<Self>> {
        let path = Path::new(directory);
        let read = |name: &str, file: &dyn Fn() -> Option<PathBuf>| match has(name).then(file).flatten() {
            Some(file) => rules(&file),
            None => Gitignore::empty(),
        };
        let files = [
            read(".ignore", &|| Some(path.join(".ignore"))),
            read(".gitignore", &|| Some(path.join(".gitignore"))),
            read(".git", &|| exclude_file(path)),
        ];
        if files.iter().all(Gitignore::is_empty) {
            return above.cloned();
        }
        let begin = directory.trim_end_matches('/').len() + 1;
        Some(Arc::new(Self { above: above.cloned(), begin, files }))
    }

    /// The rules of the directories above a root that is part of a larger checkout. Rules that ignore the root itself
    /// do not count: it was asked for.
    pub(crate) fn above(root: &str) -> Option<Arc<Self>> {
        let is_checkout = |path: &str| Path::new(path).join(".git").symlink_metadata().is_ok();
        let mut way: Vec<&str> = Path::new(root).ancestors().filter_map(Path::to_str).collect();
        if is_checkout(root) || !way[1..].iter().any(|outer| is_checkout(outer)) {
            return None;
        }
        way.reverse();
        way.windows(2).fold(None, |rules, step| {
            let rules = Self::inside(step[0], rules.as_ref(), |_| true);
            rules.filter(|rules| !rules.ignore(step[1], true))
        })
    }

    /// Whether an absolute path below the directory is to be left out.
    pub(crate) fn ignore(&self, path: &str, is_directory: bool) -> bool {
        let mut said = [Match::None, Match::None, Match::None];
        let mut rules = Some(self);
        while let Some(at) = rules {
            for (said, file) in said.iter_mut().zip(&at.files) {
                if said.is_none() {
                    *said = file.matched(&path[at.begin..], is_directory);
                }
            }
            rules = at.above.as_deref();
        }
        let [own, git, exclude] = said;
        own.or(git).or(exclude).is_ignore()
    }
}

/// Larger ignore files have no rules; real ones are far smaller.
const MAX_RULES: u64 = 1 << 20;
/// Bytes of files that say where a repository lies.
pub(crate) const MAX_POINTER: u64 = 16 << 10;

/// The rules of a file; lines that are none, and a file that is not there, say nothing.
fn rules(file: &Path) -> Gitignore {
    // Paths are handed over as they stand below the directory.
    let mut builder = GitignoreBuilder::new(".");
    // As git does, ignore files that are links are not followed.
    let bytes = read_real(file, MAX_RULES).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    for line in text.strip_prefix('\u{feff}').unwrap_or(&text).lines() {
        drop(builder.add_line(None, line));
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// The exclude file of the repository that a directory is the checkout of.
fn exclude_file(directory: &Path) -> Option<PathBuf> {
    let git = directory.join(".git");
    if git.is_dir() {
        return Some(git.join("info/exclude"));
    }
    let first_line = |file: &Path| {
        let text = String::from_utf8(read_regular(file, MAX_POINTER).ok()?).ok()?;
        Some(text.lines().next()?.to_owned())
    };
    let own = directory.join(first_line(&git)?.strip_prefix("gitdir: ")?);
    Some(own.join(first_line(&own.join("commondir"))?).join("info/exclude"))
}
