//! A file system in memory, with links, read-only files and volumes that ignore case.

use std::collections::BTreeMap;
use std::io;

use crate::fs::{DirEntry, Fs, Kind, Metadata};
use crate::path::{AbsPath, Case, is_absolute};

/// Links followed in one look-up before it counts as a cycle, as on Linux.
const MAX_LINKS: usize = 40;

#[derive(Clone, Debug)]
enum Node {
    File { text: String, read_only: bool },
    Dir,
    Symlink(String),
}

/// An in-memory [`Fs`] for tests.
#[derive(Clone, Debug)]
pub struct MemoryFs {
    nodes: BTreeMap<String, Node>,
    case: Case,
    windows: bool,
}

impl Default for MemoryFs {
    fn default() -> MemoryFs {
        MemoryFs::new(Case::Sensitive, false)
    }
}

impl MemoryFs {
    /// An empty file system with the given rules.
    #[must_use]
    pub fn new(case: Case, windows: bool) -> MemoryFs {
        MemoryFs { nodes: BTreeMap::new(), case, windows }
    }

    /// Adds a file and the directories above it.
    #[must_use]
    pub fn file(mut self, path: &str, text: &str) -> MemoryFs {
        self.insert(path, Node::File { text: text.to_owned(), read_only: false });
        self
    }

    /// Adds a file whose mode forbids writing.
    #[must_use]
    pub fn read_only_file(mut self, path: &str, text: &str) -> MemoryFs {
        self.insert(path, Node::File { text: text.to_owned(), read_only: true });
        self
    }

    /// Adds an empty directory and those above it.
    #[must_use]
    pub fn dir(mut self, path: &str) -> MemoryFs {
        self.insert(path, Node::Dir);
        self
    }

    /// Adds a symbolic link; `target` is absolute or relative to the link's directory.
    #[must_use]
    pub fn link(mut self, path: &str, target: &str) -> MemoryFs {
        self.insert(path, Node::Symlink(target.to_owned()));
        self
    }

    fn insert(&mut self, path: &str, node: Node) {
        let path = AbsPath::new(path).expect("fixture paths are absolute");
        let mut above = path.parent();
        while let Some(dir) = above {
            self.nodes.entry(dir.as_str().to_owned()).or_insert(Node::Dir);
            above = dir.parent();
        }
        self.nodes.insert(path.as_str().to_owned(), node);
    }

    fn child(&self, dir: &AbsPath, name: &str) -> Option<AbsPath> {
        let exact = dir.join(name)?;
        if self.nodes.contains_key(exact.as_str()) {
            return Some(exact);
        }
        self.children(dir)
            .find(|(_, child)| self.case.same(child, name))
            .and_then(|(_, child)| dir.join(child))
    }

    fn children<'a>(&'a self, dir: &AbsPath) -> impl Iterator<Item = (&'a Node, &'a str)> {
        let prefix = format!("{}/", dir.as_str().trim_end_matches('/'));
        self.nodes
            .range(prefix.clone()..)
            .take_while({
                let prefix = prefix.clone();
                move |(path, _)| path.starts_with(&prefix)
            })
            .filter_map(move |(path, node)| {
                let name = &path[prefix.len()..];
                (!name.is_empty() && !name.contains('/')).then_some((node, name))
            })
    }

    /// Resolves a path as an operating system does; the last link stays when `follow` is false.
    fn walk(&self, path: &str, follow: bool) -> io::Result<AbsPath> {
        if !is_absolute(path, self.windows) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let drive = path.get(..3).unwrap_or(path).to_uppercase();
        let start = if self.windows { drive.as_str() } else { "/" };
        let mut at = AbsPath::new(start).ok_or(io::ErrorKind::NotFound)?;
        let mut todo: Vec<String> = path[start.len()..].rsplit('/').map(str::to_owned).collect();
        let mut links = 0;
        while let Some(segment) = todo.pop() {
            if segment.is_empty() || segment == "." {
                continue;
            }
            if !matches!(self.nodes.get(at.as_str()), Some(Node::Dir)) {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            if segment == ".." {
                at = at.parent().unwrap_or(at);
                continue;
            }
            let next = self.child(&at, &segment).ok_or(io::ErrorKind::NotFound)?;
            match self.nodes.get(next.as_str()) {
                Some(Node::Symlink(target)) if follow || !todo.is_empty() => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(io::Error::other("too many levels of symbolic links"));
                    }
                    if is_absolute(target, self.windows) {
                        at = AbsPath::new(start).ok_or(io::ErrorKind::NotFound)?;
                    }
                    todo.extend(target.trim_start_matches(start).rsplit('/').map(str::to_owned));
                }
                _ => at = next,
            }
        }
        if self.nodes.contains_key(at.as_str()) { Ok(at) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn facts(&self, at: &AbsPath) -> io::Result<Metadata> {
        let node = self.nodes.get(at.as_str()).ok_or(io::ErrorKind::NotFound)?;
        Ok(Metadata { kind: kind(node), read_only: matches!(node, Node::File { read_only: true, .. }) })
    }
}

fn kind(node: &Node) -> Kind {
    match node {
        Node::File { .. } => Kind::File,
        Node::Dir => Kind::Dir,
        Node::Symlink(_) => Kind::Symlink,
    }
}

impl Fs for MemoryFs {
    fn metadata(&self, path: &str) -> io::Result<Metadata> {
        self.facts(&self.walk(path, true)?)
    }

    fn symlink_metadata(&self, path: &str) -> io::Result<Metadata> {
        self.facts(&self.walk(path, false)?)
    }

    fn canonicalize(&self, path: &str) -> io::Result<AbsPath> {
        self.walk(path, true)
    }

    fn read_dir(&self, path: &str) -> io::Result<Vec<DirEntry>> {
        let at = self.walk(path, true)?;
        if self.facts(&at)?.kind != Kind::Dir {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(self
            .children(&at)
            .map(|(node, name)| DirEntry { name: name.to_owned(), kind: kind(node) })
            .collect())
    }

    fn read_text(&self, path: &str, limit: u64) -> io::Result<String> {
        match self.nodes.get(self.walk(path, true)?.as_str()) {
            Some(Node::File { text, .. }) if text.len() as u64 <= limit => Ok(text.clone()),
            Some(Node::File { .. }) => Err(io::ErrorKind::FileTooLarge.into()),
            _ => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    fn case(&self, _dir: &str) -> Case {
        self.case
    }

    fn windows(&self) -> bool {
        self.windows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_dots_are_physical() {
        let fs = MemoryFs::default().file("/a/b/x", "1").link("/l", "a/b").link("/loop", "loop");
        assert_eq!(fs.canonicalize("/l/../b/x").unwrap().as_str(), "/a/b/x");
        assert_eq!(fs.canonicalize("/l").unwrap().as_str(), "/a/b");
        assert_eq!(fs.symlink_metadata("/l").unwrap().kind, Kind::Symlink);
        assert!(fs.canonicalize("/loop").is_err());
        assert!(fs.canonicalize("/a/b/x/..").is_err(), "a file has no `..`");
        assert_eq!(fs.read_dir("/l").unwrap(), [DirEntry { name: "x".into(), kind: Kind::File }]);
        assert_eq!(fs.read_text("/l/x", 0).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn a_volume_that_ignores_case_gives_the_real_name() {
        let fs = MemoryFs::new(Case::Insensitive, false).file("/Src/Main.rs", "");
        assert_eq!(fs.canonicalize("/src/MAIN.RS").unwrap().as_str(), "/Src/Main.rs");
    }
}
