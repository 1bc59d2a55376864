//! The open projects as the workspace of an editor.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ide_language_server::{Host, Options, Project, ServeError};
use ide_model::FilePath;
use ide_store::Copies;
use ide_tools::Project as _;

use crate::app_state::AppState;
use crate::project::OpenProject;

struct Workspace {
    app: Arc<AppState>,
    copies: Copies,
}

impl Workspace {
    fn new(app: Arc<AppState>) -> Self {
        let cache = app.config().cache_dir.clone().unwrap_or_else(|| std::env::temp_dir().join("ide-index"));
        Self { app, copies: Copies::new(cache.join("libraries")) }
    }
}

fn shown(project: &Arc<OpenProject>) -> Project {
    Project { root: PathBuf::from(project.root()), backend: project.shared_backend() }
}

/// Paths that are not UTF-8 have no name in a project.
fn text(path: &Path) -> Option<String> {
    path.to_str().map(|path| path.replace('\\', "/"))
}

impl Host for Workspace {
    fn project_of(&self, file: &Path) -> Option<Project> {
        let directory = file.ancestors().skip(1).find(|directory| directory.is_dir())?;
        self.app.project_of(&text(directory)?).as_ref().map(shown)
    }

    fn open(&self, folder: &Path) -> bool {
        let open = |path: String| self.app.refuse_home(folder).and_then(|()| self.app.open_folder(&path));
        text(folder).is_some_and(|path| open(path).is_ok())
    }

    fn close(&self, folder: &Path) {
        if let Some(folder) = text(folder) {
            self.app.release_folder(&folder);
        }
    }

    fn projects(&self) -> Vec<Project> {
        self.app.kept_projects().iter().map(shown).collect()
    }

    fn copy(&self, file: &FilePath, text: &str) -> Option<PathBuf> {
        self.copies.of(file, text).ok()
    }

    fn library_file(&self, path: &Path) -> Option<(Project, FilePath)> {
        let projects = self.app.kept_projects();
        if let Some(original) = self.copies.original(path) {
            return projects.first().map(|project| (shown(project), original));
        }
        if projects.iter().any(|project| path.starts_with(project.root())) {
            return None;
        }
        let path = text(path)?;
        projects.iter().find_map(|project| Some((shown(project), project.in_library(&path)?.0)))
    }
}

/// Serves one editor on standard input and output until it says `exit`.
///
/// # Errors
/// See [`ServeError`].
pub(crate) fn serve(app: Arc<AppState>) -> Result<(), ServeError> {
    let input = std::io::BufReader::new(std::io::stdin());
    let (connection, wires) = ide_language_server::over(input, std::io::stdout())?;
    let name = ("ide-index-mcp", env!("CARGO_PKG_VERSION"));
    let ended =
        ide_language_server::serve(&connection, Arc::new(Workspace::new(app)), &Options::default(), name);
    drop(connection);
    let written = wires.join();
    ended?;
    // The client closed its end without waiting for the last answers.
    written.map_err(|_| ServeError::Disconnected)
}
