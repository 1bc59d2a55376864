//! Why no project is meant, as an error of a tool.

use ide_project_resolver::{AvailableProject, ProjectError};
use ide_tools::ToolError;
use serde_json::{Value, json};

/// The error of a tool for a project that cannot be used, with the projects to choose from.
pub(crate) fn project_error(error: ProjectError) -> ToolError {
    let told = ToolError::new(error.slug(), error.to_string());
    match error {
        ProjectError::MultipleOpen { available, .. } => told
            .hint("pass the path of one of `available_projects` as `project_path`")
            .with("available_projects", rows(&available)),
        ProjectError::NotFound { requested, hint, available } => told
            .hint(hint.to_string())
            .with("requested_path", requested)
            .with("available_projects", rows(&available)),
        ProjectError::NoneOpen { closed } => {
            let told = told.hint("start the server with --project, or name one below an allowed root");
            if closed.is_empty() { told } else { told.with("managed_closed_projects", closed) }
        }
        ProjectError::NotAbsolute { .. } => told.with("parameter", "project_path"),
    }
}

fn rows(available: &[AvailableProject]) -> Value {
    available
        .iter()
        .map(|project| match &project.workspace {
            None => json!({"name": project.name, "path": project.path}),
            Some(workspace) => json!({"name": project.name, "path": project.path, "workspace": workspace}),
        })
        .collect()
}
