//! `ide_open_project`: opens a project and waits for its index.

use ide_model::counted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::index_status::progress;
use crate::args::ProjectArg;
use crate::tool::{Call, Tool, missing};
use crate::{Project, ProjectSelector, ToolError};

/// Seconds that a call waits, and the most it may: clients give up after 60.
const WAIT: i64 = 45;
const MOST_WAIT: i64 = 50;

pub(crate) struct OpenProject;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    /// Default 45, at most 50; call again while status is running
    wait_seconds: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// ready or running
    pub(crate) status: &'static str,
    name: String,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<f64>,
    files: usize,
    modules: Vec<String>,
    message: String,
}

impl Tool for OpenProject {
    const NAME: &'static str = "ide_open_project";
    const ABOUT: &'static str = "Opens the project at project_path and waits until its index is built. Rarely needed: a \
        call that names a project opens it.";
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let path = args.project.project_path.as_deref().ok_or_else(|| missing("project_path"))?;
        let project = call.services.project(call.cx, ProjectSelector::Path(path))?;
        opened(call, &*project, args.wait_seconds)
    }

    fn text(output: &Output) -> Option<String> {
        Some(format!("{} {}: {}\n", output.name, output.path, output.message))
    }
}

/// The state of a project after a wait for its index.
pub(crate) fn opened(
    call: &Call<'_>,
    project: &dyn Project,
    wait_seconds: Option<i64>,
) -> Result<Output, ToolError> {
    let seconds = wait_seconds.unwrap_or(WAIT).clamp(0, MOST_WAIT) as u64;
    let is_ready = call.services.wait_for_index(call.cx, project, seconds)?;
    let status = project.backend().status();
    let message = if is_ready {
        format!("{} indexed", counted(status.files_total, "file"))
    } else {
        format!(
            "{} of {} files are indexed after {seconds} s; call again to wait on",
            status.files_indexed, status.files_total
        )
    };
    Ok(Output {
        status: if is_ready { "ready" } else { "running" },
        name: project.name().to_owned(),
        path: project.root().to_owned(),
        progress: progress(&status),
        files: status.files_total,
        modules: project.structure().modules.into_iter().map(|module| module.name).collect(),
        message,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::TestServer;

    #[test]
    fn a_project_is_opened_read_again_and_closed() {
        let server = TestServer::new("//- a.py\nx = 1\n# <- def x\n");
        let path = json!({"projectPath": "/projects/sample"});
        let opened = server.ok("ide_open_project", path.clone());
        assert_eq!((&opened["status"], &opened["modules"]), (&json!("ready"), &json!(["app"])));
        assert_eq!(server.ok("ide_reload_project", path.clone())["message"], "1 module as before");
        assert_eq!(server.ok("ide_close_project", path)["path"], "/projects/sample");
        assert_eq!(server.err("ide_open_project", json!({}))["parameter"], "project_path");
        let other = server.err("ide_close_project", json!({"projectPath": "/other"}));
        assert_eq!(other["error"], "project_not_found");
    }
}
