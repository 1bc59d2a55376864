//! `list_projects`: the open projects with where their checkouts come from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Call, Tool};
use crate::{ProjectSelector, ToolError};

pub(crate) struct ListProjects;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    projects: Vec<Row>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    base_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    git_remote: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    git_branch: Option<String>,
}

impl Tool for ListProjects {
    const NAME: &'static str = "list_projects";
    const ABOUT: &'static str =
        "The open projects. Every other tool takes the basePath of one as projectPath.";
    const SAME_AS: Option<&'static str> = Some("ide_project_status");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, _: Args) -> Result<Output, ToolError> {
        // The project that is meant without a name is opened by the first call.
        let default = call.services.project(call.cx, ProjectSelector::Default);
        let mut projects = Vec::new();
        for row in call.services.projects() {
            let checkout = call.services.project(call.cx, ProjectSelector::Path(&row.path))?.checkout();
            projects.push(Row {
                name: row.name,
                base_path: row.path,
                git_remote: checkout.remote,
                git_branch: checkout.branch,
            });
        }
        match default {
            Err(error) if projects.is_empty() => Err(error),
            _ => Ok(Output { projects }),
        }
    }
}
