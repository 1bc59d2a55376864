//! `ide_project_status`: the projects of this server in one table (index-tools §5).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::index_status::progress;
use crate::args::ProjectArg;
use crate::tool::{Call, Tool};
use crate::{ProjectRow, ToolError, Which};

pub(crate) struct ProjectStatus;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    /// Opens it first if need be
    #[serde(flatten)]
    project: ProjectArg,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    projects: Vec<Row>,
    total_count: usize,
    server_version: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    path: String,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<f64>,
    files: usize,
    symbols: usize,
    languages: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    content_roots: Vec<String>,
}

impl Tool for ProjectStatus {
    const NAME: &'static str = "ide_project_status";
    const ABOUT: &'static str = "The open projects with their paths and state.";
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let mut wanted = None;
        if let Some(path) = &args.project.project_path {
            wanted = Some(call.services.project(call.cx, Which::Path(path))?);
        }
        let rows = call.services.projects().into_iter();
        let rows = rows.filter(|row| wanted.as_ref().is_none_or(|project| project.root() == row.path));
        let projects: Vec<Row> = rows.map(row).collect();
        Ok(Output {
            total_count: projects.len(),
            projects,
            server_version: call.services.server_version().to_owned(),
        })
    }
}

fn row(row: ProjectRow) -> Row {
    let status = row.status;
    Row {
        name: row.name,
        path: row.path,
        state: if status.is_indexing { "indexing" } else { "ready" },
        progress: progress(&status),
        files: status.files_total,
        symbols: status.symbols,
        languages: status.languages.iter().map(|state| state.language.name()).collect(),
        content_roots: row.content_roots,
    }
}
