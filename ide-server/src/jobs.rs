//! Builds, test runs and checks of a project: who may run them, and what they are given.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ide_edit::content_hash;
use ide_model::{
    Backend, BuildReport, ContentHash, Cx, FilePath, JobKind, JobOrder, JobOutcome, JobState, QueryError,
    SourceKind, TestReport,
};
use ide_project_resolver::Project as Layout;
use ide_toolchain::{CheckMeans, JobBoard, JobError, Site, Work, build_systems, checker_names, system_names};
use ide_tools::{Jobs, ToolError};

use crate::trust::Trust;

/// Seconds that tests may run when the call does not say. Compiling them is part of it.
const TEST_LIMIT: u64 = 600;

/// Larger files have no hash, and so no verdict of a check.
const MAX_HASHED: u64 = 64 << 20;

/// The jobs of one project.
pub(crate) struct ProjectJobs {
    board: JobBoard,
    layout: Arc<Layout>,
    backend: Arc<dyn Backend>,
    trust: Trust,
}

impl ProjectJobs {
    pub(crate) fn new(layout: Arc<Layout>, backend: Arc<dyn Backend>, trust: Trust) -> Self {
        Self { board: JobBoard::default(), layout, backend, trust }
    }

    fn root(&self) -> &Path {
        Path::new(self.layout.root().canonical().as_str())
    }

    /// The project for programs, without its files.
    fn site(&self) -> Site {
        let search_path =
            std::env::var_os("PATH").map_or_else(Vec::new, |path| std::env::split_paths(&path).collect());
        let modules = self.layout.modules().iter().map(|module| PathBuf::from(module.root.as_str()));
        Site {
            root: self.root().to_owned(),
            checkout: PathBuf::from(self.layout.checkout().as_str()),
            modules: modules.collect(),
            files: Vec::new(),
            search_path,
        }
    }

    /// The order with the real path of its module; without one where that is the project itself, or no part of it.
    fn with_real_module(&self, order: JobOrder) -> JobOrder {
        let JobOrder::Build(mut build) = order else { return order };
        let modules: Vec<&str> = self.layout.modules().iter().map(|module| module.root.as_str()).collect();
        let is_inside = |path: &Path| {
            path.starts_with(self.root()) || modules.iter().any(|module| path.starts_with(module))
        };
        let real = build.module.as_deref().and_then(|module| Path::new(module).canonicalize().ok());
        let real = real.filter(|path| path != self.root() && path.is_dir() && is_inside(path));
        build.module = real.and_then(|path| Some(path.to_str()?.to_owned()));
        JobOrder::Build(build)
    }

    /// A build runs code of the project, so the user must have said that it may.
    fn trusted(&self, kind: JobKind) -> Result<(), ToolError> {
        let root = self.root();
        if self.trust.holds(root) {
            return Ok(());
        }
        let message =
            format!("nothing was run: a {kind} runs code of the project, and the project is not trusted");
        Err(ToolError::new("not_trusted", message).hint(how_to_trust(root)))
    }
}

/// The way in which the user lets code of a project run.
pub(crate) fn how_to_trust(root: &Path) -> String {
    let root = root.display();
    format!(
        "the user decides: `ide-index-mcp trust '{root}'`, or `trusted_projects = [\"{root}\"]` in the settings, lets code of \
         this project run"
    )
}

/// The site with the files of the project as they are now.
fn with_files(mut site: Site, backend: &dyn Backend, cx: Cx<'_>) -> Result<Site, QueryError> {
    let files = backend.snapshot(cx)?.files(cx, &|file| file.source != SourceKind::Library)?;
    site.files = files.into_iter().map(|file| file.path).collect();
    Ok(site)
}

type Hashes = Vec<(FilePath, ContentHash)>;

/// The bytes of files of a project by their hash.
fn hashed(root: &Path, files: &[FilePath]) -> Hashes {
    let hash = |file: &FilePath| Some((file.clone(), hash(&root.join(file.as_str()))?));
    files.iter().filter_map(hash).collect()
}

fn hash(path: &Path) -> Option<ContentHash> {
    Some(content_hash(&ide_store::read_real(path, MAX_HASHED).ok()?))
}

/// Runs a build or tests between two looks at the source files.
fn bound(
    site: Site,
    backend: &dyn Backend,
    work: &Work,
    run: impl FnOnce(&Site) -> JobOutcome,
) -> JobOutcome {
    let site = match with_files(site, backend, work.cx()) {
        Ok(site) => site,
        Err(error) => return no_index(error),
    };
    let mut sources = hashed(&site.root, &site.files);
    let outcome = run(&site);
    if let Ok(after) = with_files(site.clone(), backend, work.cx()) {
        // Files that the job generates belong to those that it saw.
        let before: HashSet<&FilePath> = site.files.iter().collect();
        let made: Vec<FilePath> = after.files.into_iter().filter(|file| !before.contains(file)).collect();
        sources.extend(hashed(&site.root, &made));
    }
    let sources = Arc::new(sources);
    match outcome {
        JobOutcome::Build(report) => {
            JobOutcome::Build(Arc::new(BuildReport { sources, ..Arc::unwrap_or_clone(report) }))
        }
        JobOutcome::Tests(report) => {
            JobOutcome::Tests(Arc::new(TestReport { sources, ..Arc::unwrap_or_clone(report) }))
        }
        other => other,
    }
}

fn no_index(error: QueryError) -> JobOutcome {
    let error = ToolError::from(error);
    JobOutcome::Failed { error: error.slug, message: error.message, hint: error.hint }
}

fn told(error: JobError, kind: JobKind, id: &str) -> ToolError {
    match error {
        JobError::Busy(count) => ToolError::new(
            "busy",
            format!("{count} builds, test runs and checks of this project run already"),
        )
        .hint("wait for one of them, or end one with `cancel`")
        .retryable(),
        JobError::NotFound => ToolError::new("job_not_found", format!("no {kind} has the id `{id}`"))
            .hint("an id is known for 30 minutes after its end; begin again without the id"),
        JobError::Stopped(error) => error.into(),
        JobError::NoThread(why) => {
            ToolError::new("busy", format!("the {kind} cannot be begun: {why}")).retryable()
        }
    }
}

impl Jobs for ProjectJobs {
    fn start(&self, order: JobOrder) -> Result<JobState, ToolError> {
        let kind = order.kind();
        let order = self.with_real_module(order);
        let (site, backend) = (self.site(), self.backend.clone());
        let timeout = |seconds: Option<u64>| seconds.map(Duration::from_secs);
        let begun = match &order {
            JobOrder::Build(build) => {
                if build_systems(&site, build).is_err()
                    && build.system.as_deref().is_some_and(|s| !system_names().contains(&s))
                {
                    let system = build.system.as_deref().unwrap_or_default();
                    return Err(ToolError::argument(format!("`{system}` is no build system that is known"))
                        .with("supportedValues", system_names()));
                }
                build_systems(&site, build).map_err(|looked| ToolError::new("no_build_system", looked))?;
                self.trusted(kind)?;
                let (order, limit) = (build.clone(), timeout(build.timeout_seconds));
                self.board.start(JobOrder::Build(build.clone()), limit, move |work: &Work| {
                    bound(site, &*backend, work, |site| ide_toolchain::build(work, site, &order))
                })
            }
            JobOrder::Check(check) => {
                let known = checker_names();
                if let Some(name) = check.tools.iter().find(|name| !known.contains(&name.as_str())) {
                    return Err(ToolError::argument(format!(
                        "`{name}` is no compiler or linter that is known"
                    ))
                    .with("supportedValues", known));
                }
                // Whether code of the project would run is known tool by tool.
                let (order, is_trusted) = (check.clone(), self.trust.holds(self.root()));
                self.board.start(JobOrder::Check(check.clone()), None, move |work: &Work| {
                    let how_to_trust = how_to_trust(&site.root);
                    let means = CheckMeans { is_trusted, how_to_trust: &how_to_trust, hash: &hash };
                    match with_files(site, &*backend, work.cx()) {
                        Ok(site) => ide_toolchain::check(work, &site, &order, &means),
                        Err(error) => no_index(error),
                    }
                })
            }
            JobOrder::Tests(tests) => {
                self.trusted(kind)?;
                let limit = timeout(tests.timeout_seconds.or(Some(TEST_LIMIT)));
                let order = tests.clone();
                self.board.start(JobOrder::Tests(tests.clone()), limit, move |work: &Work| {
                    bound(site, &*backend, work, |site| ide_toolchain::run_tests(work, site, &order))
                })
            }
        };
        begun.map_err(|error| told(error, kind, ""))
    }

    fn wait(
        &self,
        cx: Cx<'_>,
        kind: JobKind,
        id: &str,
        wait: Duration,
        progress: &dyn Fn(&str),
    ) -> Result<JobState, ToolError> {
        self.board.wait(cx, kind, id, wait, progress).map_err(|error| told(error, kind, id))
    }

    fn cancel(&self, kind: JobKind, id: &str) -> Result<(), ToolError> {
        self.board.cancel(kind, id).map_err(|error| told(error, kind, id))
    }

    fn last_build(&self) -> Option<Arc<BuildReport>> {
        self.board.last_build()
    }

    fn last_tests(&self) -> Option<Arc<TestReport>> {
        self.board.last_tests()
    }
}
