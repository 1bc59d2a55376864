//! Which projects may have their own programs run.
//!
//! A repository is written by others: its programs, and the configuration by which programs of the machine load plugins, run
//! only after the user said so, by `ide-index-mcp trust` or in the settings. The answers are kept outside of every project,
//! a real path a line, and are read anew each time, so that a running server heeds them.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// Larger files are not of our making.
const MAX_BYTES: u64 = 4 << 20;

/// The projects that the user trusts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trust {
    /// The file that keeps the answers.
    file: Option<PathBuf>,
    /// The roots that the settings trust.
    named: Vec<PathBuf>,
}

impl Trust {
    /// Trust as a state directory keeps it, and as the settings name it.
    pub(crate) fn new(state_dir: Option<&Path>, named: &[PathBuf]) -> Self {
        Self { file: state_dir.map(|dir| dir.join("trusted-projects")), named: named.to_vec() }
    }

    /// Whether code of the project at a real path may be run: it, or a directory around it, is trusted. An answer that
    /// cannot be read is none.
    pub(crate) fn holds(&self, root: &Path) -> bool {
        let named = self.named.iter().filter_map(|path| path.canonicalize().ok());
        named.chain(self.kept().unwrap_or_default()).any(|path| root.starts_with(path))
    }

    /// The paths that the user trusted by the command.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn kept(&self) -> io::Result<BTreeSet<PathBuf>> {
        let Some(file) = &self.file else { return Ok(BTreeSet::new()) };
        match ide_store::read_regular(file, MAX_BYTES) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                Ok(text.lines().filter(|line| !line.is_empty()).map(PathBuf::from).collect())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
            Err(error) => Err(error),
        }
    }

    /// Trusts the project in a directory from now on, or does not any more; gives its real path back, and whether
    /// something changed.
    ///
    /// # Errors
    /// When there is no such directory (what is no longer there can be taken out), or the answer cannot be kept.
    #[cfg(feature = "cli")]
    pub(crate) fn set(&self, path: &Path, is_trusted: bool) -> io::Result<(PathBuf, bool)> {
        let file = self.file.as_ref().ok_or_else(|| io::Error::other("there is no state directory"))?;
        let absolute = std::path::absolute(path)?;
        let real = match absolute.canonicalize() {
            Ok(real) if is_trusted && !real.is_dir() => return Err(io::ErrorKind::NotADirectory.into()),
            Err(error) if is_trusted => return Err(error),
            real => real.unwrap_or(absolute),
        };
        if real.to_str().is_none_or(|text| text.contains('\n')) {
            return Err(io::Error::other("the path cannot be kept: it is not text of one line"));
        }
        let mut kept = self.kept()?;
        let changed = if is_trusted { kept.insert(real.clone()) } else { kept.remove(&real) };
        if changed {
            let directory = file.parent().unwrap_or(Path::new("."));
            std::fs::create_dir_all(directory)?;
            let text: String = kept.iter().map(|path| format!("{}\n", path.display())).collect();
            let mut staged = tempfile::NamedTempFile::new_in(directory)?;
            io::Write::write_all(&mut staged, text.as_bytes())?;
            staged.persist(file).map_err(|error| error.error)?;
        }
        Ok((real, changed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_is_kept_for_a_project_and_what_is_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for path in ["a/sub", "ab", "named"] {
            std::fs::create_dir_all(root.join(path)).unwrap();
        }
        let state = root.join("state");
        let trust = || Trust::new(Some(&state), &[root.join("named"), root.join("none")]);
        let holds = || ["a", "a/sub", "ab", "named", "state"].map(|path| trust().holds(&root.join(path)));
        assert_eq!(holds(), [false, false, false, true, false]);
        assert_eq!(trust().set(&root.join("a/../a"), true).unwrap(), (root.join("a"), true));
        assert!(!trust().set(&root.join("a"), true).unwrap().1);
        assert_eq!(holds(), [true, true, false, true, false]);
        assert!(trust().set(&root.join("none"), true).is_err());
        assert!(trust().set(&root.join("a"), false).unwrap().1);
        assert_eq!(holds(), [false, false, false, true, false]);
        assert!(!Trust::new(None, &[]).holds(&root));
    }
}
