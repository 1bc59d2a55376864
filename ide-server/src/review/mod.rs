//! Review of what changes in a project while agents work in it, whoever wrote it: by file and by place, kept or taken back.
//!
//! The keeper looks at the files of a project when an agent makes its first call, and again while it works: what is another
//! by then belongs to the review of that agent, or of all of them where several work and none of our tools wrote it.
//! Changes of an agent before its first call are not known.

mod hunks;
mod store;
mod thread;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ide_edit::WholeFile;
use ide_model::{ContentHash, Cx, EditError, FilePath, RefusalReason, Stop, counted};
use ide_tools::Project as _;
use serde_json::{Value, json};

use crate::app_state::AppState;
use crate::project::OpenProject;
use hunks::{Hunk, hunks};
use store::{Content, Review, ReviewStore, Touched};
pub(crate) use thread::ReviewThread;

/// The largest part of a file that is read, in bytes.
const LARGEST: u64 = ide_store::MAX_TEXT_BYTES;

/// The reviews of a project as a person sees them.
pub(crate) struct ProjectReviews<'p> {
    project: &'p OpenProject,
    store: ReviewStore,
}

/// A person's decision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decision<'a> {
    pub(crate) review: &'a str,
    /// All files without.
    pub(crate) file: Option<&'a str>,
    /// The whole file without.
    pub(crate) hunk: Option<usize>,
    pub(crate) keeps: bool,
    /// The text of the file that was shown when it was decided.
    pub(crate) shown: Option<&'a str>,
}

/// A file with the bytes that a decision needs.
struct FileVersions {
    touched: Touched,
    before: Option<Vec<u8>>,
    /// As the file is now.
    now: Option<Vec<u8>>,
    has_moved_on: bool,
}

impl FileVersions {
    /// Whether the old content is there, be it that there was no file.
    fn knows_before(&self) -> bool {
        self.before.is_some() || self.touched.before == Content::Absent
    }

    fn hunks(&self) -> Option<Vec<Hunk>> {
        hunks(self.before.as_ref()?, self.now.as_ref().filter(|_| !self.has_moved_on)?)
    }
}

impl<'p> ProjectReviews<'p> {
    /// `None` where nothing is kept.
    pub(crate) fn of(project: &'p OpenProject, state_dir: Option<&Path>) -> Option<Self> {
        let store = ReviewStore::new(state_dir?, project.real_root());
        Some(Self { project, store })
    }

    /// Works on the reviews of the project with a root.
    ///
    /// # Errors
    /// When there is no such project or nothing is kept, and the errors of the work.
    pub(crate) fn in_project<T>(
        app: &AppState,
        root: &str,
        work: impl FnOnce(&ProjectReviews<'_>) -> Result<T, String>,
    ) -> Result<T, String> {
        let project = app.project_of(root).ok_or_else(|| format!("`{root}` is not open"))?;
        let config = app.config();
        let reviews = ProjectReviews::of(&project, config.state_dir.as_deref());
        work(&reviews.ok_or("there is no directory for state: set `state_dir`")?)
    }

    /// All reviews, the newest first, without contents.
    pub(crate) fn list(&self) -> Vec<Value> {
        let reviews = self.store.state().reviews.into_iter().rev();
        let row = |review: Review| {
            json!({
                "id": review.id,
                "project": self.project.root(),
                "agents": review.agents,
                "startedMs": review.started_ms,
                "changedMs": review.changed_ms,
                "files": review.files.iter().map(|(path, file)| json!({
                    "path": path, "change": change(file),
                })).collect::<Vec<_>>(),
            })
        };
        reviews.map(row).collect()
    }

    fn review(&self, id: &str) -> Result<Review, String> {
        let found = self.store.state().reviews.into_iter().find(|review| review.id == id);
        found.ok_or_else(|| format!("there is nothing to decide in a review `{id}`"))
    }

    /// A file of a review: its places that differ, as far as the old text is known.
    ///
    /// # Errors
    /// A sentence for the person.
    pub(crate) fn file(&self, id: &str, path: &str) -> Result<Value, String> {
        let review = self.review(id)?;
        let touched = review.files.get(path).ok_or_else(|| format!("`{path}` is not in this review"))?;
        let sides = self.sides(&review, path, touched);
        let found = sides.hunks();
        let (before, now) = (sides.before.clone().unwrap_or_default(), sides.now.clone().unwrap_or_default());
        let shown = |hunk: &Hunk| json!({ "diff": hunk.text(&before, &now) });
        let whole =
            || hunks(&before, &now).map(|all| all.iter().map(|h| h.text(&before, &now)).collect::<String>());
        Ok(json!({
            "path": path,
            "change": change(touched),
            "shown": token(touched),
            "movedOn": sides.has_moved_on,
            "knowsBefore": sides.knows_before(),
            "isText": found.is_some() || sides.has_moved_on || sides.before.is_none() || sides.now.is_none(),
            "hunks": found.map(|all| all.iter().map(shown).collect::<Vec<_>>()),
            // the whole diff for a file that was created or deleted
            "diff": if sides.before.is_none() || sides.now.is_none() { whole() } else { None },
        }))
    }

    fn sides(&self, review: &Review, path: &str, touched: &Touched) -> FileVersions {
        let now = self.project.real_path(path).and_then(|real| ide_store::read_real(&real, LARGEST).ok());
        let is_now = now.as_deref().map_or(Content::Absent, Content::of);
        FileVersions {
            before: self.store.bytes(review, path, &touched.before),
            has_moved_on: is_now != touched.after,
            touched: touched.clone(),
            now,
        }
    }

    /// Keeps what was changed or takes it back. Taking back is one step that undo knows.
    ///
    /// # Errors
    /// When a file is another by now, its old content is not known, or it cannot be written; nothing is changed then.
    pub(crate) fn decide(&self, decision: Decision<'_>) -> Result<(), String> {
        let review = self.review(decision.review)?;
        let of_file = |path: &str| {
            let found = review.files.get_key_value(path);
            found.ok_or_else(|| format!("`{path}` is not in this review"))
        };
        let files = match decision.file {
            Some(path) => vec![of_file(path)?],
            None => review.files.iter().collect(),
        };
        if let Some(shown) = decision.shown
            && files.iter().any(|(_, touched)| token(touched) != shown)
        {
            return Err("the file is another by now; look at it again".to_owned());
        }
        let mut done: Vec<(String, Touched, Option<Touched>)> = Vec::new();
        let mut writes = Vec::new();
        for (path, touched) in files {
            let left = match decision.hunk {
                Some(number) => self.one_hunk(&review, path, touched, number, decision.keeps, &mut writes)?,
                None if decision.keeps => None,
                None => {
                    writes.push(self.restored(&review, path, touched)?);
                    None
                }
            };
            done.push((path.clone(), touched.clone(), left));
        }
        // The decision is written down first: the keeper must not take our own writing for somebody's change.
        self.settle(&review.id, &done, &writes)?;
        if let Err(why) = self.write(&review, &writes) {
            self.unsettle(&review, &done)?;
            return Err(why);
        }
        Ok(())
    }

    /// The file as it was, to be written.
    fn restored(&self, review: &Review, path: &str, touched: &Touched) -> Result<WholeFile, String> {
        let sides = self.sides(review, path, touched);
        if sides.has_moved_on {
            return Err(format!("`{path}` was changed since; nothing was taken back"));
        }
        if !sides.knows_before() {
            return Err(format!("the old text of `{path}` is not known; nothing was taken back"));
        }
        Ok(whole(path, touched, sides.before))
    }

    /// The rest of a file when one of its places is decided.
    fn one_hunk(
        &self,
        review: &Review,
        path: &str,
        touched: &Touched,
        number: usize,
        keeps: bool,
        writes: &mut Vec<WholeFile>,
    ) -> Result<Option<Touched>, String> {
        let sides = self.sides(review, path, touched);
        if sides.has_moved_on {
            return Err(format!("`{path}` was changed since; nothing was decided"));
        }
        let (Some(found), Some(before), Some(now)) = (sides.hunks(), &sides.before, &sides.now) else {
            return Err(format!("`{path}` is decided as a whole"));
        };
        let hunk =
            found.get(number).ok_or_else(|| format!("`{path}` has {}", counted(found.len(), "place")))?;
        let keep = |bytes: &[u8]| self.store.keep(bytes).map_err(|error| error.to_string());
        let left = if keeps {
            let before = keep(&Hunk::taken(before, &hunk.before, now, &hunk.after))?;
            Touched { before, after: touched.after.clone() }
        } else {
            let bytes = Hunk::taken(now, &hunk.after, before, &hunk.before);
            let after = keep(&bytes)?;
            writes.push(whole(path, touched, Some(bytes)));
            Touched { before: touched.before.clone(), after }
        };
        Ok(Some(left).filter(|left| left.before != left.after))
    }

    fn settle(
        &self,
        id: &str,
        done: &[(String, Touched, Option<Touched>)],
        writes: &[WholeFile],
    ) -> Result<(), String> {
        let changed = self.store.change(|state| {
            let Some(review) = state.reviews.iter_mut().find(|review| review.id == id) else { return false };
            if done.iter().any(|(path, was, _)| review.files.get(path) != Some(was)) {
                return false;
            }
            for (path, _, left) in done {
                match left {
                    Some(left) => drop(review.files.insert(path.clone(), left.clone())),
                    None => drop(review.files.remove(path)),
                }
            }
            for write in writes {
                let content = write.after.as_deref().map_or(Content::Absent, Content::of);
                state.written.insert(write.file.as_str().to_owned(), content);
            }
            true
        });
        match changed {
            Ok(true) => Ok(()),
            Ok(false) => Err("the file is another by now; look at it again".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn unsettle(&self, review: &Review, done: &[(String, Touched, Option<Touched>)]) -> Result<(), String> {
        let put_back = self.store.change(|state| {
            if !state.reviews.iter().any(|known| known.id == review.id) {
                state.reviews.push(Review { files: std::collections::BTreeMap::new(), ..review.clone() });
            }
            for known in state.reviews.iter_mut().filter(|known| known.id == review.id) {
                known.files.extend(done.iter().map(|(path, was, _)| (path.clone(), was.clone())));
            }
        });
        put_back.map_err(|error| error.to_string())
    }

    fn write(&self, review: &Review, writes: &[WholeFile]) -> Result<(), String> {
        if writes.is_empty() {
            return Ok(());
        }
        let editor = self.project.disk_editor()?;
        let never = Stop::new();
        let title = format!("take back what {} changed", review.agents.join(" or "));
        editor.write_whole(Cx::new(&never), &title, writes).map(drop).map_err(|error| told(&error))
    }
}

/// The new state of a file that gets `bytes`.
fn whole(path: &str, touched: &Touched, bytes: Option<Vec<u8>>) -> WholeFile {
    let before = match &touched.after {
        Content::Hash(hash) => u128::from_str_radix(hash, 16).ok().map(ContentHash),
        Content::Absent | Content::Unknown => None,
    };
    WholeFile { file: FilePath::new(path), before, after: bytes.map(Arc::from) }
}

fn told(error: &EditError) -> String {
    match error {
        EditError::Refused(refusals) => {
            let one = |refusal: &ide_model::Refusal| {
                let why = match refusal.reason {
                    RefusalReason::Changed | RefusalReason::Exists | RefusalReason::Missing => {
                        "was changed since"
                    }
                    RefusalReason::ReadOnly => "is read-only",
                    RefusalReason::Outside => "lies outside of the project",
                    _ => "is no file that can be written",
                };
                format!("`{}` {why}", refusal.file)
            };
            format!("nothing was taken back: {}", refusals.iter().map(one).collect::<Vec<_>>().join(", "))
        }
        EditError::Failed { message } | EditError::Torn { message } => message.clone(),
        other => format!("nothing was taken back: {other:?}"),
    }
}

fn change(file: &Touched) -> &'static str {
    match (&file.before, &file.after) {
        (Content::Absent, _) => "created",
        (_, Content::Absent) => "deleted",
        _ => "changed",
    }
}

/// Names what a person was shown of a file.
fn token(file: &Touched) -> String {
    let word = |content: &Content| match content {
        Content::Absent => "-".to_owned(),
        Content::Unknown => "?".to_owned(),
        Content::Hash(hash) => hash.clone(),
    };
    format!("{}:{}", word(&file.before), word(&file.after))
}

/// How long a call that writes waits until the files are known as they are before it.
pub(crate) const FIRST_LOOK: Duration = Duration::from_secs(20);
