//! The server as one client sees it, and one run of a tool for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use history::{Client, NewCall, Outcome, Received};
use ide_model::{Cx, EditorSurface, QueryError, Stop};
use ide_tools::{
    Catalogue, CursorStore, Project, ProjectRow, ProjectSelector, Reply, Services, ToolError, ToolSpec,
};
use serde_json::Value;

use crate::calls::{self, Cancelled};
use crate::cursors::ClientCursors;
use crate::project::OpenProject;
use crate::records::affected_files;

use super::AppState;

/// The server as one client sees it.
pub struct Session {
    pub(super) app: Arc<AppState>,
    pub(super) surface: Arc<dyn EditorSurface>,
    pub(super) cursors: ClientCursors,
    pub(super) roots: Vec<String>,
    /// Set for a client that can be asked for its folders; becomes true when a call needs to know them.
    pub(super) asks: Option<AtomicBool>,
    /// The root of the project that the last call was about.
    pub(super) resolved: Mutex<Option<String>>,
    /// Characters of a result, where the client or the call says it.
    pub(super) budget: Option<usize>,
    /// The name of the agent whose changes are kept for review.
    pub(super) agent: Option<String>,
    /// The catalogue that is served to the client.
    pub(super) served: Catalogue,
    /// Hears how far a call is.
    pub(super) listener: Option<Box<Listener>>,
}

/// Is told how far a call is.
pub(crate) type Listener = dyn Fn(&str) + Send + Sync;

impl Session {
    /// The same session for a client that has not been asked yet which folders it works in: a call that depends on
    /// them fails, and [`Self::needs_roots`] is true then.
    #[must_use]
    pub(crate) fn before_asking(self) -> Self {
        Self { asks: Some(AtomicBool::new(false)), ..self }
    }

    /// Whether the client must be asked for its folders before the call can be answered.
    pub(crate) fn needs_roots(&self) -> bool {
        self.asks.as_ref().is_some_and(|asks| asks.load(Ordering::Relaxed))
    }

    /// The same session for an agent: what changes while it works is kept for review.
    #[must_use]
    pub fn of_agent(self, name: &str) -> Self {
        Self { agent: Some(name.to_owned()), ..self }
    }

    /// Tells who reviews that a call of an agent changed files.
    pub(crate) fn has_changed(&self, files: &[String]) {
        if let (Some(agent), Some(root)) = (&self.agent, self.resolved())
            && let Some(project) = self.app.project_of(&root)
        {
            self.app.reviewer.changed(&project, agent, files.to_vec());
        }
    }

    /// The same session with results of so many characters.
    #[must_use]
    pub(crate) fn with_budget(self, budget: usize) -> Self {
        Self { budget: Some(budget), ..self }
    }

    /// The same session of a client that is served a catalogue.
    #[must_use]
    pub fn serving(self, served: Catalogue) -> Self {
        Self { served, ..self }
    }

    /// The same session with somebody who hears how far a call is.
    #[must_use]
    pub(crate) fn with_listener(self, listener: Box<Listener>) -> Self {
        Self { listener: Some(listener), ..self }
    }

    /// Runs a tool and tells the history, for callers that read the text where there is one. `replay_of` is the entry
    /// that the call repeats.
    pub fn call_recorded(
        &self,
        tool: &ToolSpec,
        args: Value,
        client: Client,
        replay_of: Option<String>,
    ) -> Reply {
        let records = self.app.records();
        let running = records.begin(NewCall {
            tool_name: tool.name.to_owned(),
            parameters: args.clone(),
            project_path: None,
            client: Some(client),
            replay_of,
        });
        let reply = self.call(tool, args, None);
        if let Some(running) = running {
            let text = reply.text.as_ref().unwrap_or(&reply.json).clone();
            let outcome = Outcome {
                result: if reply.is_error { Err(text) } else { Ok(text) },
                structured: None,
                received: Received::Text,
                duration: running.elapsed(),
                affected_files: if tool.hints.read_only { None } else { affected_files(&reply) },
                project_path: self.resolved(),
            };
            records.end(running, outcome);
        }
        reply
    }

    /// The root of the project that the last call was about, once it is known.
    pub(crate) fn resolved(&self) -> Option<String> {
        self.resolved.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Runs a tool with the deadline of the settings. `cancelled` says that the client took the call back.
    pub fn call(&self, tool: &ToolSpec, args: Value, cancelled: Option<Cancelled>) -> Reply {
        if !self.app.is_on_where(tool, self.served) {
            return Reply::from(&self.app.switched_off(tool));
        }
        self.call_any(tool, args, cancelled)
    }

    /// Runs a tool, also one that is switched off.
    pub(crate) fn call_any(&self, tool: &ToolSpec, args: Value, cancelled: Option<Cancelled>) -> Reply {
        let limit = Duration::from_secs(self.app.config().call_timeout_seconds);
        let stop = self.app.watchdog.guard(limit, cancelled);
        if tool.hints.open_world {
            // It runs programs, which takes long and asks for no state of the files: others may write meanwhile.
            return calls::run(tool, &ToolRun::new(self, false), &stop, args);
        }
        if !tool.hints.read_only {
            return calls::run(tool, &ToolRun::new(self, true), &stop, args);
        }
        // A tool that reads while files change may see parts of two states.
        for _ in 1..TRIES {
            let turn = ToolRun::new(self, false);
            let reply = calls::run(tool, &turn, &stop, args.clone());
            if turn.saw_one_state() || stop.reason().is_some() {
                return reply;
            }
        }
        // It is written all the time: now writers have to wait.
        calls::run(tool, &ToolRun::new(self, true), &stop, args)
    }
}

/// How often a tool that only looks is run beside others that write.
const TRIES: usize = 3;

/// One run of a tool: the projects that it met.
struct ToolRun<'s> {
    session: &'s Session,
    /// Whether others may not write meanwhile.
    keeps_writers_away: bool,
    met: Mutex<Vec<MetProject>>,
}

struct MetProject {
    project: Arc<OpenProject>,
    /// The arguments of the tool.
    given: Arc<OpenProject>,
    steps_before: u64,
}

impl<'s> ToolRun<'s> {
    fn new(session: &'s Session, keeps_writers_away: bool) -> Self {
        Self { session, keeps_writers_away, met: Mutex::default() }
    }

    fn met(&self) -> MutexGuard<'_, Vec<MetProject>> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether no file was changed by a step while the tool ran.
    fn saw_one_state(&self) -> bool {
        self.met().iter().all(|met| met.project.steps_taken() == met.steps_before)
    }
}

impl Services for ToolRun<'_> {
    fn project(&self, cx: Cx<'_>, which: ProjectSelector<'_>) -> Result<Arc<dyn Project>, ToolError> {
        let project = self.session.find(which)?;
        let mut met = self.met();
        if let Some(known) = met.iter().find(|met| Arc::ptr_eq(&met.project, &project)) {
            return Ok(known.given.clone());
        }
        if let Some(agent) = self.session.agent.as_ref().filter(|_| self.keeps_writers_away) {
            self.session.app.reviewer.called(&project, agent, true);
        }
        let given = if self.keeps_writers_away { project.for_writing(cx)? } else { project.clone() };
        met.push(MetProject { steps_before: project.steps_taken(), given: given.clone(), project });
        Ok(given)
    }

    fn projects(&self) -> Vec<ProjectRow> {
        self.session.projects()
    }

    fn close(&self, root: &str) -> Result<(), ToolError> {
        // A project is not closed under its own call.
        self.met().retain(|met| met.project.root() != root);
        self.session.close(root)
    }

    fn reload(&self, cx: Cx<'_>, root: &str) -> Result<Arc<dyn Project>, ToolError> {
        self.met().retain(|met| met.project.root() != root);
        self.session.reload(cx, root)
    }

    fn wait_for_index(&self, cx: Cx<'_>, project: &dyn Project, seconds: u64) -> Result<bool, ToolError> {
        self.session.wait_for_index(cx, project, seconds)
    }

    fn stop_after(&self, seconds: u64) -> Arc<Stop> {
        self.session.stop_after(seconds)
    }

    fn cursors(&self) -> &dyn CursorStore {
        self.session.cursors()
    }

    fn server_version(&self) -> &str {
        self.session.server_version()
    }

    fn response_budget(&self) -> usize {
        self.session.response_budget()
    }

    fn surface(&self) -> Option<&dyn EditorSurface> {
        self.session.surface()
    }

    fn progress(&self, message: &str) {
        self.session.progress(message);
    }
}

impl Session {
    /// The project that a call means.
    pub(crate) fn find(&self, which: ProjectSelector<'_>) -> Result<Arc<OpenProject>, ToolError> {
        let project = match which {
            ProjectSelector::Default => {
                if let Some(asks) = self.asks.as_ref().filter(|_| !self.app.has_default_project()) {
                    asks.store(true, Ordering::Relaxed);
                    return Err(ToolError::new("no_project_open", "the client's folders are not known yet"));
                }
                self.app.find(None, &self.roots)?
            }
            ProjectSelector::Path(path) => self.app.find(Some(path), &self.roots)?,
            ProjectSelector::Holding(path) => match self.app.holding(path) {
                Some(project) => project,
                None => {
                    // The default may be what opens the folders of the client.
                    let default = self.find(ProjectSelector::Default);
                    match self.app.holding(path) {
                        Some(project) => project,
                        None => return default,
                    }
                }
            },
            ProjectSelector::Tag(tag) => self.app.by_tag(tag)?,
        };
        project.touch(self.app.ticks.fetch_add(1, Ordering::Relaxed));
        if let Some(agent) = &self.agent {
            self.app.reviewer.called(&project, agent, false);
        }
        *self.resolved.lock().unwrap_or_else(PoisonError::into_inner) = Some(project.root().to_owned());
        Ok(project)
    }
}

impl Services for Session {
    fn project(&self, _: Cx<'_>, which: ProjectSelector<'_>) -> Result<Arc<dyn Project>, ToolError> {
        Ok(self.find(which)?)
    }

    fn projects(&self) -> Vec<ProjectRow> {
        let open: Vec<_> = self.app.state().open.values().cloned().collect();
        let row = |project: Arc<OpenProject>| ProjectRow {
            name: project.name().to_owned(),
            path: project.root().to_owned(),
            content_roots: project.layout().content_roots().iter().map(|r| r.spelling().to_owned()).collect(),
            status: project.backend().status(),
        };
        open.into_iter().map(row).collect()
    }

    fn close(&self, root: &str) -> Result<(), ToolError> {
        self.app.close(root)
    }

    fn reload(&self, _: Cx<'_>, root: &str) -> Result<Arc<dyn Project>, ToolError> {
        Ok(self.app.reload(root)?)
    }

    fn wait_for_index(&self, cx: Cx<'_>, project: &dyn Project, seconds: u64) -> Result<bool, ToolError> {
        let until = Instant::now() + Duration::from_secs(seconds);
        loop {
            // In short pieces, so that a call that is taken back ends.
            let left = until.saturating_duration_since(Instant::now());
            let stop = self.app.watchdog.guard(left.min(Duration::from_millis(500)), None);
            match project.backend().snapshot(Cx::new(&stop)) {
                Ok(_) => return Ok(true),
                Err(QueryError::NotReady { .. } | QueryError::DeadlineExceeded | QueryError::Cancelled) => {}
                Err(error) => return Err(error.into()),
            }
            cx.check()?;
            if left.is_zero() {
                return Ok(false);
            }
        }
    }

    fn stop_after(&self, seconds: u64) -> Arc<Stop> {
        self.app.watchdog.guard(Duration::from_secs(seconds), None)
    }

    fn cursors(&self) -> &dyn CursorStore {
        &self.cursors
    }

    fn server_version(&self) -> &str {
        env!("CARGO_PKG_VERSION")
    }

    fn response_budget(&self) -> usize {
        self.budget.unwrap_or(self.app.config().max_response_chars)
    }

    fn surface(&self) -> Option<&dyn EditorSurface> {
        Some(&*self.surface)
    }

    fn progress(&self, message: &str) {
        if let Some(listener) = &self.listener {
            listener(message);
        }
    }
}
