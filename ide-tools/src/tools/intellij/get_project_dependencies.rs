//! `get_project_dependencies`: the dependencies of the modules, or of one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::InProject;
use crate::ToolError;
use crate::tool::{Call, Tool};
use crate::tools::list_dependencies::merged;

/// Most dependencies of one result.
const MOST: usize = 1_000;

pub(crate) struct GetProjectDependencies;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    module_name: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    dependencies: Vec<Row>,
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct Row {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    scope: &'static str,
}

impl Tool for GetProjectDependencies {
    const NAME: &'static str = "get_project_dependencies";
    const ABOUT: &'static str = "The dependencies of a project's modules: libraries and other modules.";
    const SAME_AS: Option<&'static str> = Some("ide_list_dependencies");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let found = session.dependencies_of(args.module_name.as_deref())?;
        for of in found.unlocked.iter().chain(&found.problems) {
            session.told.note(format!("not or not wholly known what is needed in turn: {of}"));
        }
        let rows = merged(&found, false);
        Ok(Output {
            truncated: rows.len() > MOST,
            dependencies: rows
                .into_iter()
                .take(MOST)
                .map(|row| Row { name: row.name, version: row.version.or(row.declared), scope: row.scope })
                .collect(),
        })
    }
}
