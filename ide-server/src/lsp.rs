//! The open projects as the workspace of an editor.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ide_language_server::{Host, Options, Project, ServeError};
use ide_tools::Project as _;

use crate::app_state::AppState;
use crate::project::OpenProject;

struct Workspace(Arc<AppState>);

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
        self.0.project_of(&text(directory)?).as_ref().map(shown)
    }

    fn open(&self, folder: &Path) -> bool {
        text(folder).is_some_and(|folder| self.0.open_folder(&folder).is_ok())
    }

    fn close(&self, folder: &Path) {
        if let Some(folder) = text(folder) {
            self.0.release_folder(&folder);
        }
    }

    fn projects(&self) -> Vec<Project> {
        self.0.kept_projects().iter().map(shown).collect()
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
    let ended = ide_language_server::serve(&connection, Arc::new(Workspace(app)), &Options::default(), name);
    drop(connection);
    wires.join()?;
    ended
}
