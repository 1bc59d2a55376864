//! `ide_close_project`: closes a project, which gives its memory back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::ProjectArg;
use crate::tool::{Call, Tool, missing};

pub(crate) struct CloseProject;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    path: String,
    open_projects: Vec<String>,
    message: String,
}

impl Tool for CloseProject {
    const NAME: &'static str = "ide_close_project";
    const ABOUT: &'static str =
        "Closes the project at project_path and frees its memory. Its files and its kept index stay.";
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let path = args.project.project_path.as_deref().ok_or_else(|| missing("project_path"))?;
        let root = path.trim().trim_end_matches(['/', '\\']);
        call.services.close(root)?;
        let open_projects: Vec<String> = call.services.projects().into_iter().map(|row| row.path).collect();
        Ok(Output {
            path: root.to_owned(),
            open_projects,
            message: "closed; a call that names it opens it again".to_owned(),
        })
    }

    fn text(output: &Output) -> Option<String> {
        Some(format!("{} is {}\n", output.path, output.message))
    }
}
