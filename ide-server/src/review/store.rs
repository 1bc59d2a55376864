//! The reviews of one project on disk, shared by all processes that serve it, and the contents that they need.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ide_edit::content_hash;
use ide_model::{Cx, Stop};
use serde::{Deserialize, Serialize};

use crate::git;
use crate::records::now_ms;

/// Bytes of copies that are kept of a project.
const COPIES: u64 = 256 << 20;
/// Reviews that are kept of a project, and for how long.
const REVIEWS: usize = 100;
const KEPT_MS: u64 = 30 * 24 * 3_600 * 1_000;
/// Files that a person took back and that are remembered for that.
const WRITTEN: usize = 10_000;

/// The content of a file, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Content {
    /// There is no file.
    Absent,
    /// The hash of its bytes.
    Hash(String),
    /// Nobody looked.
    Unknown,
}

impl Content {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self::Hash(format!("{:032x}", content_hash(bytes).0))
    }
}

/// A file of a review: as it was when the session began to change it, and as the session left it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Touched {
    pub(crate) before: Content,
    pub(crate) after: Content,
}

/// The changes made while an agent worked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Review {
    pub(crate) id: String,
    /// The agent; several where it cannot be told which of them it was.
    pub(crate) agents: Vec<String>,
    pub(crate) started_ms: u64,
    pub(crate) changed_ms: u64,
    /// The commit that was checked out, where git knows one.
    pub(crate) commit: Option<String>,
    pub(crate) files: BTreeMap<String, Touched>,
}

/// An agent that works in the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Open {
    pub(crate) agent: String,
    pub(crate) process: u32,
    pub(crate) since_ms: u64,
    pub(crate) last_ms: u64,
}

/// Everything that is kept of a project but the contents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct State {
    pub(crate) open: Vec<Open>,
    pub(crate) reviews: Vec<Review>,
    /// The files that decisions of the person wrote: nobody else's change.
    pub(crate) written: BTreeMap<String, Content>,
}

/// The directory of a project's reviews.
#[derive(Clone)]
pub(crate) struct ReviewStore {
    directory: PathBuf,
    root: PathBuf,
}

impl ReviewStore {
    pub(crate) fn new(state_dir: &Path, root: &Path) -> Self {
        let name = format!("{:032x}", content_hash(root.as_os_str().as_encoded_bytes()).0);
        Self { directory: state_dir.join("reviews").join(&name[..16]), root: root.to_owned() }
    }

    /// The present state. A file that cannot be read counts as empty.
    pub(crate) fn state(&self) -> State {
        fs::read(self.directory.join("state.json"))
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default()
    }

    /// Changes what is there; nobody else does so meanwhile.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> io::Result<T> {
        create_private(&self.directory)?;
        let lock =
            OpenOptions::new().create(true).truncate(false).write(true).open(self.directory.join("lock"))?;
        lock.lock()?;
        let mut state = self.state();
        let before = state.clone();
        let done = change(&mut state);
        let oldest = now_ms().saturating_sub(KEPT_MS);
        state.reviews.retain(|review| !review.files.is_empty() && review.changed_ms >= oldest);
        let many = state.reviews.len().saturating_sub(REVIEWS);
        state.reviews.drain(..many);
        if state.written.len() > WRITTEN {
            state.written.clear();
        }
        if state != before {
            let text = serde_json::to_string(&state).map_err(io::Error::other)?;
            crate::agents::write_whole(&self.directory.join("state.json"), &text)?;
        }
        Ok(done)
    }

    fn copy(&self, hash: &str) -> PathBuf {
        self.directory.join("copies").join(hash)
    }

    /// Keeps a copy of a content.
    pub(crate) fn keep(&self, bytes: &[u8]) -> io::Result<Content> {
        let content = Content::of(bytes);
        let Content::Hash(hash) = &content else { return Ok(content) };
        let file = self.copy(hash);
        match OpenOptions::new().write(true).open(&file) {
            // a used copy is not the oldest
            Ok(known) => known.set_modified(SystemTime::now())?,
            Err(_) => {
                let folder = self.directory.join("copies");
                create_private(&folder)?;
                let mut new = tempfile::NamedTempFile::new_in(folder)?;
                io::Write::write_all(&mut new, bytes)?;
                new.persist(file)?;
            }
        }
        Ok(content)
    }

    /// The bytes of a content: from a copy, or from git where the commit of the review holds it.
    pub(crate) fn bytes(&self, review: &Review, path: &str, content: &Content) -> Option<Vec<u8>> {
        let Content::Hash(hash) = content else { return None };
        let is_it = |bytes: &Vec<u8>| Content::of(bytes) == *content;
        let copy = fs::read(self.copy(hash)).ok().filter(is_it);
        copy.or_else(|| {
            let object = format!("{}:./{path}", review.commit.as_ref()?);
            self.git(&["cat-file", "blob", &object]).filter(is_it)
        })
    }

    /// The commit that is checked out.
    pub(crate) fn commit(&self) -> Option<String> {
        let inside = self.root.ancestors().any(|folder| folder.join(".git").exists());
        let said = self.git(&["rev-parse", "--verify", "HEAD"]).filter(|_| inside)?;
        let word = String::from_utf8(said).ok()?.trim().to_owned();
        word.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(word)
    }

    /// Asks git about objects only.
    fn git(&self, args: &[&str]) -> Option<Vec<u8>> {
        let never = Stop::new();
        git::asked(Cx::new(&never), &self.root, args, b"")
    }

    /// Drops the oldest copies that no review needs, when there are many.
    pub(crate) fn prune(&self) {
        let state = self.state();
        let needed = |name: &str| {
            let is = |content: &Content| matches!(content, Content::Hash(hash) if hash == name);
            let mut files = state.reviews.iter().flat_map(|review| review.files.values());
            files.any(|file| is(&file.before) || is(&file.after))
        };
        let listed = fs::read_dir(self.directory.join("copies")).into_iter().flatten().flatten();
        let mut copies: Vec<_> = listed
            .filter_map(|entry| {
                let about = entry.metadata().ok()?;
                Some((about.modified().ok()?, about.len(), entry.path()))
            })
            .collect();
        copies.sort();
        let mut bytes: u64 = copies.iter().map(|(_, size, _)| size).sum();
        for (_, size, path) in copies {
            if bytes <= COPIES {
                return;
            }
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if !needed(name) && fs::remove_file(&path).is_ok() {
                bytes -= size;
            }
        }
    }
}

/// Copies hold the code: only their owner may read them.
fn create_private(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Whether a process still runs, as far as it can be told.
pub(crate) fn runs(process: u32) -> bool {
    !Path::new("/proc/self").exists() || Path::new("/proc").join(process.to_string()).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn review(files: BTreeMap<String, Touched>) -> Review {
        let now = now_ms();
        Review {
            id: "1".into(),
            agents: vec!["a".into()],
            started_ms: now,
            changed_ms: now,
            commit: None,
            files,
        }
    }

    #[test]
    fn reviews_are_kept_while_there_is_something_to_decide() {
        let dir = tempfile::tempdir().unwrap();
        let store = ReviewStore::new(dir.path(), Path::new("/project"));
        let touched = Touched { before: Content::Absent, after: Content::Unknown };
        let files = BTreeMap::from([("a".to_owned(), touched)]);
        store.change(|state| state.reviews.push(review(files))).unwrap();
        assert_eq!(store.state().reviews.len(), 1);
        store.change(|state| state.reviews[0].files.clear()).unwrap();
        assert_eq!(store.state().reviews.len(), 0);
        fs::write(store.directory.join("state.json"), "{ torn").unwrap();
        assert_eq!(store.state(), State::default());
    }

    #[test]
    fn contents_come_back_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let store = ReviewStore::new(dir.path(), Path::new("/project"));
        let content = store.keep(b"a\r\n\xff").unwrap();
        let of = review(BTreeMap::new());
        assert_eq!(store.bytes(&of, "a", &content).unwrap(), b"a\r\n\xff");
        assert_eq!(store.keep(b"a\r\n\xff").unwrap(), content);
        let Content::Hash(hash) = &content else { panic!() };
        fs::write(store.copy(hash), "another").unwrap();
        assert_eq!(store.bytes(&of, "a", &content), None, "a copy that was changed is none");
        assert_eq!(store.bytes(&of, "a", &Content::Unknown), None);
    }

    #[test]
    fn a_clean_file_is_known_by_its_commit() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("project");
        fs::create_dir(&root).unwrap();
        let store = ReviewStore::new(dir.path(), &root);
        assert_eq!(store.commit(), None);
        if store.git(&["--version"]).is_none() {
            return;
        }
        fs::write(root.join("a.txt"), "old\n").unwrap();
        let who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "a"];
        for args in [&["init", "-q"][..], &["add", "."], &who] {
            store.git(args).unwrap();
        }
        let of = Review { commit: store.commit(), ..review(BTreeMap::new()) };
        assert!(of.commit.is_some());
        assert_eq!(store.bytes(&of, "a.txt", &Content::of(b"old\n")).unwrap(), b"old\n");
        assert_eq!(store.bytes(&of, "a.txt", &Content::of(b"new\n")), None, "the commit holds another text");
    }
}
