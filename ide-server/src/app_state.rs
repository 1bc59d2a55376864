//! The open projects and everything else that all clients share.

mod session;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};
use std::time::Instant;

use ide_model::{Backend, EditorSurface, HostedSurface};
use ide_project_resolver::{Choice, Exclusions, Project as Layout, ProjectSettings, Projects};
use ide_store::OsFs;
use ide_tools::{Catalogue, Project, ToolError, ToolSpec, project_tag};
use serde_json::{Value, json};

use crate::calls::Watchdog;
use crate::config::{Config, Places};
use crate::cursors::{ClientCursors, Cursors};
use crate::dashboard::DashboardEditor;
use crate::embed::Ide;
use crate::mcp::ToolNews;
use crate::project::OpenProject;
use crate::project_errors::project_error;
use crate::records::Records;
use crate::review::ReviewThread;
use crate::trust::Trust;

pub(crate) use session::Listener;
pub use session::Session;

/// The history in the directory for state.
pub(crate) const HISTORY_FILE: &str = "history.sqlite";

/// Makes the backend of a project.
pub type OpenBackend = dyn Fn(&Layout, &Config) -> std::io::Result<Arc<dyn Backend>> + Send + Sync;

/// Files that make a directory a project wherever it is.
const BUILD_FILES: [&str; 9] = [
    "Cargo.toml",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "go.mod",
    "package.json",
    "pom.xml",
    "pyproject.toml",
    "setup.py",
];

/// Everything that all clients share.
pub struct AppState {
    config: RwLock<Arc<Config>>,
    home: Option<String>,
    assets_dir: Option<PathBuf>,
    state: Mutex<State>,
    cursors: Arc<Cursors>,
    watchdog: Watchdog,
    records: Records,
    open_backend: Box<OpenBackend>,
    ide: Option<Arc<dyn Ide>>,
    ticks: AtomicU64,
    /// Clients that did not say in time which folders they work in.
    silent: Mutex<HashSet<String>>,
    editor: Arc<DashboardEditor>,
    surface: Arc<HostedSurface>,
    reviewer: ReviewThread,
    /// Told when tools were switched.
    switched: Mutex<Vec<Weak<ToolNews>>>,
}

struct State {
    projects: Projects,
    /// By the path that is the project's key.
    open: BTreeMap<String, Arc<OpenProject>>,
    /// Keys of projects that were named in the settings and stay open.
    pinned: Vec<String>,
}

impl AppState {
    /// Opens the projects of the settings. `open_backend` is where the engine comes in.
    ///
    /// # Errors
    /// When a project of the settings is not a directory, or a thread cannot be started.
    pub fn new(
        config: Config,
        places: &Places,
        open_backend: Box<OpenBackend>,
    ) -> std::io::Result<Arc<Self>> {
        Self::in_ide(config, places, open_backend, None)
    }

    /// As [`AppState::new`], in the process of an IDE that is the editor.
    ///
    /// # Errors
    /// See [`AppState::new`].
    pub fn in_ide(
        config: Config,
        places: &Places,
        open_backend: Box<OpenBackend>,
        ide: Option<Arc<dyn Ide>>,
    ) -> std::io::Result<Arc<Self>> {
        let text = |path: &Path| path.to_str().map(|path| path.replace('\\', "/"));
        let home = places.home.as_deref().and_then(text);
        let allowed_roots = match &config.allowed_roots {
            Some(roots) => roots.iter().filter_map(|root| text(root)).collect(),
            None => home.iter().cloned().collect(),
        };
        let named = config.workspace_roots.iter().chain(&config.projects);
        let named = named.filter_map(|path| text(&std::path::absolute(path).ok()?)).collect();
        let settings = ProjectSettings {
            allowed_roots,
            workspace_roots: named,
            home: home.clone(),
            exclusions: Exclusions::new(&config.excludes, &config.includes),
            ..ProjectSettings::default()
        };
        let history_file = config.state_dir.as_ref().map(|dir| dir.join(HISTORY_FILE));
        let state = State { projects: Projects::new(settings), open: BTreeMap::new(), pinned: Vec::new() };
        let watchdog = Watchdog::new(Instant::now)?;
        let records = Records::new(config.max_history_size, config.max_history_stored, history_file)?;
        let app = Arc::new_cyclic(|app: &Weak<Self>| {
            let (editor, surface) = DashboardEditor::of(app.clone());
            Self {
                reviewer: ReviewThread::new(config.state_dir.clone(), editor.clone()),
                home,
                assets_dir: places.assets_dir.clone(),
                state: Mutex::new(state),
                cursors: Arc::new(Cursors::new()),
                watchdog,
                records,
                open_backend,
                ide,
                ticks: AtomicU64::new(0),
                silent: Mutex::default(),
                config: RwLock::new(Arc::new(config)),
                editor,
                surface: Arc::new(surface),
                switched: Mutex::default(),
            }
        });
        for path in &app.config().projects {
            let path = std::path::absolute(path)?;
            app.refuse_home(&path)?;
            let path = text(&path).ok_or_else(|| std::io::Error::other("a project path is not UTF-8"))?;
            let mut state = app.state();
            let project = app
                .load(&mut state, &path)
                .map_err(|error| std::io::Error::new(error.kind(), format!("{path}: {error}")))?;
            state.pinned.push(project.root().to_owned());
        }
        Ok(app)
    }

    /// Whether a client was asked which folders it works in and did not say so in time.
    pub(crate) fn is_silent(&self, client: &str) -> bool {
        self.silent.lock().unwrap_or_else(PoisonError::into_inner).contains(client)
    }

    pub(crate) fn remember_silent(&self, client: &str) {
        self.silent.lock().unwrap_or_else(PoisonError::into_inner).insert(client.to_owned());
    }

    /// Refuses what nobody means as a project, before it is read: the root of the file system, and a home directory or what
    /// is above it, unless a build tool has its file there.
    pub(crate) fn refuse_home(&self, path: &Path) -> std::io::Result<()> {
        let shown = path.display();
        let is_root = path.parent().is_none();
        let has_build_file = || BUILD_FILES.iter().any(|name| path.join(name).is_file());
        let holds_home = || {
            path.to_str()
                .is_some_and(|path| self.state().projects.holds_home(&OsFs, &path.replace('\\', "/")))
        };
        if !is_root && (!holds_home() || has_build_file()) {
            return Ok(());
        }
        let what = if is_root { "the root of the file system" } else { "a home directory, or above one" };
        Err(std::io::Error::other(format!(
            "{shown} is {what} and no project: start in the directory of a project, or name it with --project DIR"
        )))
    }

    /// See [`Places::assets_dir`].
    pub(crate) fn assets_dir(&self) -> Option<&Path> {
        self.assets_dir.as_deref()
    }

    /// The settings.
    pub fn config(&self) -> Arc<Config> {
        self.config.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes settings in the file, `None` to their defaults; those that can hold at once do.
    ///
    /// # Errors
    /// When a value does not do, or the file cannot be written; nothing is changed then.
    pub(crate) fn set(&self, changes: &[(&str, Option<Vec<String>>)]) -> Result<(), String> {
        let mut config = self.config.write().unwrap_or_else(PoisonError::into_inner);
        let file = config.file.clone().ok_or("there is no home directory for a settings file")?;
        let told = |error: std::io::Error| format!("{}: {error}", file.display());
        let mut text = match std::fs::read_to_string(&file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            read => read.map_err(told)?,
        };
        for (key, value) in changes {
            text = Config::changed(&text, key, value.as_deref())?;
        }
        let as_written = Config::parse(&text)?;
        crate::agents::write_whole(&file, &text).map_err(told)?;
        *config = Arc::new(changes.iter().fold((**config).clone(), |config, (key, _)| {
            if Config::is_live(key) { config.with_key(key, &as_written) } else { config }
        }));
        drop(config);
        if changes.iter().any(|(key, _)| key.ends_with("_tools")) {
            let switched = self.switched.lock().unwrap_or_else(PoisonError::into_inner);
            switched.iter().filter_map(Weak::upgrade).for_each(|news| news.tell());
        }
        Ok(())
    }

    /// The calls of this process and those before.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// The server as one client sees it. `client` names whose kept pages are whose; `roots` are the folders that
    /// the client says it works in.
    pub fn session(self: &Arc<Self>, client: &str, roots: Vec<String>) -> Session {
        let cursors = ClientCursors { cursors: self.cursors.clone(), client: client.to_owned() };
        let surface = self.surface();
        Session {
            app: self.clone(),
            surface,
            cursors,
            roots,
            asks: None,
            resolved: Mutex::default(),
            budget: None,
            agent: None,
            served: Catalogue::Ide,
            listener: None,
        }
    }

    /// The editor that a person looks at, when one does.
    pub fn hosted_surface(&self) -> &Arc<HostedSurface> {
        &self.surface
    }

    /// The editor that agents are shown: the IDE's, else the one that the dashboard is.
    pub(crate) fn surface(&self) -> Arc<dyn EditorSurface> {
        match &self.ide {
            Some(ide) => ide.surface(),
            None => self.surface.clone(),
        }
    }

    /// The dashboard's editor, which gives the surface its texts.
    pub(crate) fn editor(&self) -> &Arc<DashboardEditor> {
        &self.editor
    }

    /// Switches tools on or off, for good.
    ///
    /// # Errors
    /// See [`Self::set`].
    pub(crate) fn switch(&self, tools: &[(&ToolSpec, bool)]) -> Result<(), String> {
        let mut config = (*self.config()).clone();
        for (tool, on) in tools {
            config.disabled_tools.retain(|name| name != tool.name);
            config.enabled_tools.retain(|name| name != tool.name);
            match (config.offers(tool), on) {
                (false, true) => config.enabled_tools.push(tool.name.to_owned()),
                (true, false) => config.disabled_tools.push(tool.name.to_owned()),
                _ => {}
            }
        }
        let words = |list: Vec<String>| Some(list).filter(|list| !list.is_empty());
        self.set(&[
            ("disabled_tools", words(config.disabled_tools)),
            ("enabled_tools", words(config.enabled_tools)),
        ])
    }

    /// Tells when tools are switched.
    pub(crate) fn on_switch(&self, news: Weak<ToolNews>) {
        self.switched.lock().unwrap_or_else(PoisonError::into_inner).push(news);
    }

    /// The projects that are open, in the order of their paths.
    pub(crate) fn open_projects(&self) -> Vec<Arc<dyn Project>> {
        self.opened().into_iter().map(|project| project as Arc<dyn Project>).collect()
    }

    /// The projects that are open, in the order of their paths.
    pub(crate) fn opened(&self) -> Vec<Arc<OpenProject>> {
        self.state().open.values().cloned().collect()
    }

    /// Has the reviews of a project tell what changed by now.
    pub(crate) fn look_for_changes(&self, project: &Arc<OpenProject>) {
        self.reviewer.look(project);
    }

    /// The open projects for who wants to see them at a glance.
    pub(crate) fn project_states(&self) -> Value {
        let open: Vec<_> = self.state().open.values().cloned().collect();
        let row = |project: &Arc<OpenProject>| {
            let state = if project.backend().status().is_indexing { "indexing" } else { "ready" };
            json!({"name": project.name(), "path": project.root(), "state": state})
        };
        open.iter().map(row).collect()
    }

    pub(crate) fn watchdog(&self) -> &Watchdog {
        &self.watchdog
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn load(&self, state: &mut State, path: &str) -> std::io::Result<Arc<OpenProject>> {
        let layout = state.projects.open(&OsFs, path)?;
        let key = layout.root().spelling().to_owned();
        if let Some(known) = state.open.get(&key) {
            return Ok(known.clone());
        }
        let config = self.config();
        let backend = (self.open_backend)(&layout, &config)?;
        let state_dir = config.state_dir.as_deref();
        let trust = Trust::new(state_dir, &config.trusted_projects);
        let carrier = self.ide.as_ref().map(|ide| ide.carrier(layout.root().spelling()));
        let project =
            Arc::new(OpenProject::new(layout, self.home.clone(), backend, (state_dir, carrier), trust));
        state.open.insert(key, project.clone());
        self.make_room(state, &project);
        Ok(project)
    }

    /// Closes the project that was not used for the longest time, when there are too many.
    fn make_room(&self, state: &mut State, newest: &Arc<OpenProject>) {
        while state.open.len() > self.config().max_open_projects.max(1) {
            let idle = state
                .open
                .iter()
                .filter(|(key, project)| !state.pinned.contains(key) && !Arc::ptr_eq(project, newest));
            let Some(key) = idle.min_by_key(|(_, project)| project.last_used()).map(|(key, _)| key.clone())
            else {
                return;
            };
            if let Some(project) = state.open.remove(&key) {
                state.projects.close(project.layout().root().canonical());
                self.cursors.close_project(&key);
            }
        }
    }

    /// Whether the settings say which project a call means that names none.
    pub(crate) fn has_default_project(&self) -> bool {
        self.state().pinned.len() == 1
    }

    /// The project of the directory we were started in, when nothing else says which is meant.
    fn of_working_dir(&self, state: &mut State) -> Option<Result<Arc<OpenProject>, ToolError>> {
        let config = self.config();
        let dir = config.working_dir.as_deref()?.to_str()?.replace('\\', "/");
        (state.pinned.is_empty() && !state.projects.holds_home(&OsFs, &dir)).then(|| {
            let root = match state.projects.resolve(&OsFs, Some(&dir), &[]) {
                Ok(Choice::Open(selected)) => selected.project.root().spelling().to_owned(),
                Ok(Choice::Load { root }) => root,
                Err(_) => dir,
            };
            self.load_for_call(state, &root)
        })
    }

    /// Opens a project and keeps it open until [`Self::close_project`].
    ///
    /// # Errors
    /// When it is not a directory.
    pub fn open_project(&self, path: &str) -> std::io::Result<()> {
        self.open_folder(path).map(drop)
    }

    /// Closes a project. Calls that run go on with what they have.
    pub fn close_project(&self, path: &str) {
        let mut state = self.state();
        let found = state.open.values().find(|project| {
            let root = project.layout().root();
            [root.spelling(), root.canonical().as_str()].contains(&path)
        });
        let Some(project) = found.cloned() else { return };
        let key = project.root().to_owned();
        state.pinned.retain(|pinned| *pinned != key);
        state.open.remove(&key);
        state.projects.close(project.layout().root().canonical());
        drop(state);
        self.cursors.close_project(&key);
    }

    /// Opens a folder that an editor works in and keeps it open.
    ///
    /// # Errors
    /// When it is not a directory.
    pub(crate) fn open_folder(&self, path: &str) -> std::io::Result<Arc<OpenProject>> {
        let mut state = self.state();
        let project = self.load(&mut state, path)?;
        let key = project.layout().root().spelling().to_owned();
        if !state.pinned.contains(&key) {
            state.pinned.push(key);
        }
        Ok(project)
    }

    /// Lets a folder go that [`Self::open_folder`] opened; it closes when there are too many projects.
    #[cfg(feature = "cli")]
    pub(crate) fn release_folder(&self, path: &str) {
        self.state().pinned.retain(|key| key != path);
    }

    /// The open or allowed project that a path belongs to.
    pub(crate) fn project_of(&self, path: &str) -> Option<Arc<OpenProject>> {
        self.find(Some(path), &[]).ok()
    }

    /// Projects that stay open, in the order in which they were opened.
    #[cfg(feature = "cli")]
    pub(crate) fn kept_projects(&self) -> Vec<Arc<OpenProject>> {
        let state = self.state();
        state.pinned.iter().filter_map(|key| state.open.get(key)).cloned().collect()
    }

    /// Closes a project that is open, also one that was to stay open.
    fn close(&self, root: &str) -> Result<(), ToolError> {
        let mut state = self.state();
        let key = state.open.iter().find(|(key, project)| {
            key.as_str() == root || project.layout().root().canonical().as_str() == root
        });
        let Some(key) = key.map(|(key, _)| key.clone()) else {
            let open: Vec<&String> = state.open.keys().collect();
            let error = ToolError::new("project_not_found", format!("no open project has the root `{root}`"));
            return Err(error
                .hint("name the root of one that is open")
                .with("available_projects", json!(open)));
        };
        if let Some(project) = state.open.remove(&key) {
            state.projects.close(project.layout().root().canonical());
            self.cursors.close_project(&key);
        }
        state.pinned.retain(|pinned| *pinned != key);
        Ok(())
    }

    /// Closes a project and opens it again, as its build files describe it now.
    fn reload(&self, root: &str) -> Result<Arc<OpenProject>, ToolError> {
        let is_pinned = self.state().pinned.iter().any(|key| key == root);
        self.close(root)?;
        let mut state = self.state();
        let project = self.load_for_call(&mut state, root)?;
        if is_pinned {
            state.pinned.push(project.root().to_owned());
        }
        Ok(project)
    }

    fn load_for_call(&self, state: &mut State, root: &str) -> Result<Arc<OpenProject>, ToolError> {
        self.load(state, root).map_err(|error| {
            ToolError::new("project_not_found", format!("`{root}` cannot be opened: {error}"))
        })
    }

    fn find(&self, path: Option<&str>, roots: &[String]) -> Result<Arc<OpenProject>, ToolError> {
        let mut state = self.state();
        if path.is_none()
            && roots.is_empty()
            && let Some(project) = self.of_working_dir(&mut state)
        {
            return project;
        }
        if path.is_none() && roots.len() > 1 {
            // All of them are open, so that a call can name one, or a file in one.
            for root in roots {
                if let Ok(Choice::Load { root }) =
                    state.projects.resolve(&OsFs, None, std::slice::from_ref(root))
                {
                    self.load_for_call(&mut state, &root)?;
                }
            }
        }
        // A project that some call loaded does not change which one a call means that names none.
        let pinned;
        let roots = if roots.is_empty() {
            pinned = state.pinned.clone();
            &pinned
        } else {
            roots
        };
        let project = match state.projects.resolve(&OsFs, path, roots).map_err(project_error)? {
            Choice::Open(selected) => state.open.get(selected.project.root().spelling()).cloned(),
            Choice::Load { root } => Some(self.load_for_call(&mut state, &root)?),
        };
        project.ok_or_else(|| ToolError::new("internal", "an open project has no index"))
    }

    /// The open project that holds a path, the innermost of several.
    fn holding(&self, path: &str) -> Option<Arc<OpenProject>> {
        let state = self.state();
        let below = |root: &str| {
            path.strip_prefix(root)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || root.ends_with('/'))
        };
        let depth = |project: &OpenProject| {
            let layout = project.layout();
            let roots = layout.content_roots().iter().chain([layout.root()]);
            roots
                .flat_map(|root| [root.spelling(), root.canonical().as_str()])
                .filter(|root| below(root))
                .map(str::len)
                .max()
        };
        let holding = state.open.values().filter_map(|project| Some((depth(project)?, project)));
        holding.max_by_key(|(depth, _)| *depth).map(|(_, project)| project.clone())
    }

    fn by_tag(&self, tag: &str) -> Result<Arc<OpenProject>, ToolError> {
        let state = self.state();
        let found = state.open.iter().find(|(root, _)| project_tag(root) == tag);
        found.map(|(_, project)| project.clone()).ok_or_else(|| {
            ToolError::new("project_not_found", "the project of this symbolId is not open")
                .hint("pass `project_path` too")
        })
    }
}
