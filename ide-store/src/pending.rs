//! The work that must be done before the index may answer.

use std::collections::BTreeSet;

/// Places of the project that may differ from the index. Paths are relative to the root, with `/`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pending {
    /// Everything; the rest does not matter then.
    pub(crate) all: bool,
    /// Directories that came, went or moved, with all that is below them.
    pub(crate) trees: BTreeSet<String>,
    /// Directories whose entries changed.
    pub(crate) directories: BTreeSet<String>,
    /// Files that were written to.
    pub(crate) files: BTreeSet<String>,
}

impl Pending {
    pub(crate) fn is_empty(&self) -> bool {
        !self.all && self.trees.is_empty() && self.directories.is_empty() && self.files.is_empty()
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn len(&self) -> usize {
        usize::from(self.all) + self.trees.len() + self.directories.len() + self.files.len()
    }

    /// Adds what another one holds.
    pub(crate) fn merge(&mut self, other: Self) {
        self.all |= other.all;
        self.trees.extend(other.trees);
        self.directories.extend(other.directories);
        self.files.extend(other.files);
    }

    /// A directory came, went or moved.
    #[cfg(target_os = "linux")]
    pub(crate) fn tree(&mut self, path: String) {
        self.directories.insert(ide_model::paths::directory(&path).to_owned());
        self.trees.insert(path);
    }
}
