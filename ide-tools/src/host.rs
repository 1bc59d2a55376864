//! A host for the catalogue that looks at one project and changes nothing: enough for a program that has a
//! [`Backend`] of its own and wants to serve it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ide_model::{
    Backend, BuildReport, ContentHash, Cx, Editor, EditorSurface, FileMeta, FilePath, JobKind, JobOrder,
    JobState, QueryError, Snapshot, Stop, TestReport,
};
use regex::RegexSet;

use crate::layout::{Checkout, Dependencies, Structure};
use crate::services::{
    Changed, CursorHit, CursorProblem, CursorStore, EntryKind, FileContent, Formatted, Jobs, PathFilter,
    Payload, Project, ProjectRow, ProjectSelector, Services, SyncReport,
};
use crate::{ToolError, file_not_found};

/// Result sets that are kept for further pages.
const MAX_KEPT: usize = 64;

/// The services of one project that is only read. Tools that write, build or run something answer with the error
/// `read_only`.
///
/// `examples/catalogue.rs` serves a project in memory over it.
pub struct ReadOnlyHost {
    project: Arc<ReadOnlyProject>,
    stop_after: fn(u64) -> Arc<Stop>,
    kept: KeptPages,
}

impl ReadOnlyHost {
    /// The project of that name and that absolute root, as `backend` knows it. `stop_after` gives a flag that it flips
    /// after some seconds: the catalogue reads no clock.
    pub fn new(
        name: impl Into<String>,
        root: impl Into<String>,
        backend: Arc<dyn Backend>,
        stop_after: fn(u64) -> Arc<Stop>,
    ) -> Self {
        let project = ReadOnlyProject { name: name.into(), root: root.into(), backend, jobs: NoJobs };
        Self { project: Arc::new(project), stop_after, kept: KeptPages::default() }
    }

    fn is_inside(&self, path: &str) -> bool {
        let rest = path.strip_prefix(&*self.project.root);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl Services for ReadOnlyHost {
    fn project(&self, _: Cx<'_>, which: ProjectSelector<'_>) -> Result<Arc<dyn Project>, ToolError> {
        let is_ours = match which {
            ProjectSelector::Default | ProjectSelector::Holding(_) => true,
            ProjectSelector::Path(path) => self.is_inside(path) || path == self.project.name,
            ProjectSelector::Tag(tag) => tag == crate::project_tag(&self.project.root),
        };
        if is_ours { Ok(self.project.clone()) } else { Err(no_project()) }
    }

    fn projects(&self) -> Vec<ProjectRow> {
        vec![ProjectRow {
            name: self.project.name.clone(),
            path: self.project.root.clone(),
            content_roots: Vec::new(),
            status: self.project.backend.status(),
        }]
    }

    fn close(&self, _: &str) -> Result<(), ToolError> {
        Err(read_only())
    }

    fn reload(&self, _: Cx<'_>, root: &str) -> Result<Arc<dyn Project>, ToolError> {
        if root == self.project.root { Ok(self.project.clone()) } else { Err(no_project()) }
    }

    fn wait_for_index(&self, _: Cx<'_>, project: &dyn Project, _: u64) -> Result<bool, ToolError> {
        Ok(!project.backend().status().is_indexing)
    }

    fn stop_after(&self, seconds: u64) -> Arc<Stop> {
        (self.stop_after)(seconds)
    }

    fn cursors(&self) -> &dyn CursorStore {
        &self.kept
    }

    fn server_version(&self) -> &str {
        env!("CARGO_PKG_VERSION")
    }

    fn response_budget(&self) -> usize {
        25_000
    }

    fn surface(&self) -> Option<&dyn EditorSurface> {
        None
    }

    fn progress(&self, _: &str) {}
}

struct ReadOnlyProject {
    name: String,
    root: String,
    backend: Arc<dyn Backend>,
    jobs: NoJobs,
}

impl ReadOnlyProject {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>, QueryError> {
        self.backend.snapshot(Cx::new(&Stop::new()))
    }
}

impl Project for ReadOnlyProject {
    fn name(&self) -> &str {
        &self.name
    }

    fn root(&self) -> &str {
        &self.root
    }

    fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    /// The backend says nothing of build files.
    fn structure(&self) -> Structure {
        Structure {
            problems: vec!["the host of this project reads no build files".to_owned()],
            ..Structure::default()
        }
    }

    fn dependencies(&self, _: Option<&str>) -> Dependencies {
        let problems = vec!["the host of this project reads no build files".to_owned()];
        Dependencies { problems, ..Dependencies::default() }
    }

    fn checkout(&self) -> Checkout {
        Checkout::default()
    }

    fn locate(&self, path: &str) -> Result<FilePath, ToolError> {
        let inside = path.strip_prefix(&*self.root).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path);
        let file = FilePath::new(inside.trim_start_matches("./"));
        // A path that the snapshot does not name is outside, however it is spelled.
        if self.snapshot()?.file(&file).is_some() { Ok(file) } else { Err(file_not_found(path)) }
    }

    fn why_left_out(&self, _: &FilePath) -> Option<String> {
        None
    }

    fn path_filter(&self, globs: &[String]) -> Result<PathFilter, ToolError> {
        let set = patterns(globs.iter().map(|glob| glob.trim_end_matches('/')))?;
        Ok(Box::new(move |file: &FileMeta| set.is_match(file.path.as_str())))
    }

    fn left_out(&self, _: Cx<'_>, _: &dyn Snapshot, _: &[String]) -> Result<Vec<FilePath>, ToolError> {
        // The backend's files are all that there is.
        Ok(Vec::new())
    }

    fn name_filter(&self, masks: &str) -> Result<PathFilter, ToolError> {
        let set = patterns(masks.split(',').map(str::trim).filter(|mask| !mask.is_empty()))?;
        Ok(Box::new(move |file: &FileMeta| set.is_match(file.path.file_name())))
    }

    fn changed_since(&self, _: Cx<'_>, _: &str, _: &[FilePath]) -> Result<Changed, ToolError> {
        Err(ToolError::new("no_git", "the host of this project knows no version control"))
    }

    fn sync(&self, cx: Cx<'_>, paths: &[String]) -> Result<SyncReport, ToolError> {
        let before = self.backend.status().generation;
        let changed = self.backend.snapshot(cx)?.generation() != before;
        let (synced, not_found) = paths.iter().cloned().partition(|path| self.locate(path).is_ok());
        Ok(SyncReport { synced, deleted: Vec::new(), not_found, changed })
    }

    fn read(&self, file: &FilePath) -> Result<FileContent, ToolError> {
        let text = self.snapshot()?.text(file)?.text;
        let hash = hash_of(text.as_bytes());
        Ok(FileContent { text, encoding: "UTF-8", is_library: false, hash })
    }

    fn hash(&self, file: &FilePath) -> Result<ContentHash, ToolError> {
        Ok(self.read(file)?.hash)
    }

    fn place(&self, _: &str) -> Result<FilePath, ToolError> {
        Err(read_only())
    }

    fn entry(&self, _: &str) -> Result<(FilePath, Option<EntryKind>), ToolError> {
        Err(read_only())
    }

    fn make_directory(&self, _: &str) -> Result<(), ToolError> {
        Err(read_only())
    }

    fn files_below(&self, _: &str, _: usize) -> Result<Vec<FilePath>, ToolError> {
        Err(read_only())
    }

    fn remove_directories(&self, _: &str) -> Result<(), ToolError> {
        Err(read_only())
    }

    fn editor(&self) -> Result<&dyn Editor, ToolError> {
        Err(read_only())
    }

    fn format(
        &self,
        _: Cx<'_>,
        _: &FilePath,
        _: &str,
        _: Option<(u32, u32)>,
    ) -> Result<Formatted, ToolError> {
        Err(read_only())
    }

    fn jobs(&self) -> &dyn Jobs {
        &self.jobs
    }
}

fn read_only() -> ToolError {
    ToolError::new("read_only", "this project can only be read")
}

fn no_project() -> ToolError {
    ToolError::new("project_not_found", "this server has one project, and it is not that one")
}

/// FNV-1a over 128 bits: the same text has the same hash.
fn hash_of(bytes: &[u8]) -> ContentHash {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let offset = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    ContentHash(bytes.iter().fold(offset, |hash: u128, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME)))
}

/// Globs of `*`, `**` and `?`. A glob that means a directory means everything below.
fn patterns<'a>(globs: impl Iterator<Item = &'a str>) -> Result<RegexSet, ToolError> {
    let all = globs.map(|glob| {
        if glob.contains(['{', '}', '[', ']', '!']) {
            return Err(ToolError::argument(format!(
                "glob `{glob}`: this host knows `*`, `**` and `?` only"
            )));
        }
        let pattern = regex::escape(glob)
            .replace(r"\*\*/", "(?:.*/)?")
            .replace(r"\*\*", ".*")
            .replace(r"\*", "[^/]*")
            .replace(r"\?", "[^/]");
        Ok(format!("^{pattern}(?:/.*)?$"))
    });
    let all = all.collect::<Result<Vec<_>, _>>()?;
    RegexSet::new(all).map_err(|error| ToolError::argument(format!("a glob cannot be read: {error}")))
}

/// Programs of the machine are not run.
struct NoJobs;

impl Jobs for NoJobs {
    fn start(&self, _: JobOrder) -> Result<JobState, ToolError> {
        Err(read_only())
    }

    fn wait(
        &self,
        _: Cx<'_>,
        _: JobKind,
        id: &str,
        _: Duration,
        _: &dyn Fn(&str),
    ) -> Result<JobState, ToolError> {
        Err(ToolError::new("job_not_found", format!("no job has the id `{id}`")))
    }

    fn cancel(&self, _: JobKind, id: &str) -> Result<(), ToolError> {
        Err(ToolError::new("job_not_found", format!("no job has the id `{id}`")))
    }

    fn last_build(&self) -> Option<Arc<BuildReport>> {
        None
    }

    fn last_tests(&self) -> Option<Arc<TestReport>> {
        None
    }
}

/// The last result sets, by their numbers.
#[derive(Default)]
struct KeptPages(Mutex<(u64, VecDeque<Kept>)>);

struct Kept {
    number: u64,
    tool: &'static str,
    payload: Payload,
}

impl CursorStore for KeptPages {
    fn keep(&self, tool: &'static str, _: &str, payload: Payload) -> String {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, entries) = &mut *kept;
        *last += 1;
        if entries.len() == MAX_KEPT {
            entries.pop_front();
        }
        entries.push_back(Kept { number: *last, tool, payload });
        last.to_string()
    }

    fn token(&self, entry: &str, offset: usize, page_size: usize) -> String {
        format!("{entry}:{offset}:{page_size}")
    }

    fn find(&self, token: &str, tool: &str, _: &str) -> Result<CursorHit, CursorProblem> {
        let mut parts = token.split(':').map(str::parse::<u64>);
        let (Some(Ok(number)), Some(Ok(offset)), Some(Ok(page_size)), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(CursorProblem::Malformed);
        };
        let size = |n: u64| usize::try_from(n).map_err(|_| CursorProblem::Malformed);
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, entries) = &*kept;
        let entry = entries.iter().find(|entry| entry.number == number);
        let missing =
            if (1..=*last).contains(&number) { CursorProblem::Expired } else { CursorProblem::NotFound };
        let entry = entry.ok_or(missing)?;
        if entry.tool != tool {
            return Err(CursorProblem::OtherTool);
        }
        Ok(CursorHit {
            entry: number.to_string(),
            offset: size(offset)?,
            page_size: Some(size(page_size)?),
            payload: entry.payload.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_mean_files_and_what_lies_below() {
        let chosen = |glob: &str| {
            let set = patterns([glob].into_iter()).unwrap();
            let files = ["a.py", "src/a.py", "src/b/c.py", "src.py"];
            files.into_iter().filter(|file| set.is_match(file)).collect::<Vec<_>>()
        };
        assert_eq!(chosen("src"), ["src/a.py", "src/b/c.py"]);
        assert_eq!(chosen("**/*.py"), ["a.py", "src/a.py", "src/b/c.py", "src.py"]);
        assert_eq!(chosen("*.py"), ["a.py", "src.py"]);
        assert_eq!(chosen("src/?.py"), ["src/a.py"]);
        assert!(patterns(["{a,b}"].into_iter()).is_err());
    }

    #[test]
    fn pages_are_kept_for_their_tool_and_the_oldest_make_room() {
        let kept = KeptPages::default();
        let first = kept.keep("a", "/p", Arc::new(7_u32));
        let token = kept.token(&first, 20, 10);
        let hit = kept.find(&token, "a", "/p").map_err(|problem| format!("{problem:?}")).unwrap();
        assert_eq!((hit.offset, hit.page_size), (20, Some(10)));
        assert_eq!(kept.find(&token, "b", "/p").err(), Some(CursorProblem::OtherTool));
        assert_eq!(kept.find("99:0:1", "a", "/p").err(), Some(CursorProblem::NotFound));
        assert_eq!(kept.find("junk", "a", "/p").err(), Some(CursorProblem::Malformed));
        (0..MAX_KEPT).for_each(|n| drop(kept.keep("a", "/p", Arc::new(n))));
        assert_eq!(kept.find(&token, "a", "/p").err(), Some(CursorProblem::Expired));
    }
}
