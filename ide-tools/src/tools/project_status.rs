//! `ide_project_status`: the projects of this server in one table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::index_status::progress;
use crate::args::ProjectArg;
use crate::tool::{Call, Tool};
use crate::{ProjectRow, ProjectSelector, ToolError};

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
            wanted = Some(call.services.project(call.cx, ProjectSelector::Path(path))?);
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::TestServer;

    #[test]
    fn the_table_and_the_index_state() {
        let server = TestServer::new("//- a.py\nx = 1\n# <- def x\n");
        let table = server.ok("ide_project_status", json!({}));
        let row = json!({"name": "sample", "path": "/projects/sample", "state": "ready", "files": 1, "symbols": 1, "languages": ["Python"]});
        assert_eq!(table["projects"], json!([row]));
        let index = server.ok("ide_index_status", json!({}));
        assert_eq!((&index["isDumbMode"], &index["isSmartMode"]), (&json!(false), &json!(true)));
        assert_eq!((&index["projectName"], &index["serverVersion"]), (&json!("sample"), &json!("1.2.3")));
        assert_eq!(index["languages"][0]["state"], "ready");
        assert!(index.get("indexingProgress").is_none());
        let unknown = server.err("ide_index_status", json!({"projectPath": "/elsewhere"}));
        assert_eq!(unknown["error"], "project_not_found");
        let synced = server.ok("ide_sync_files", json!({"paths": ["a.py"]}));
        assert_eq!((&synced["syncedPaths"], &synced["syncedAll"]), (&json!(["a.py"]), &json!(false)));
        assert_eq!(server.ok("ide_sync_files", json!({}))["syncedAll"], true);
    }
}
