//! `ide_sync_files`: makes the index see changes at once. Every call does so by itself; the
//! tool exists for clients that are used to it, and reports what was seen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::args::ProjectArg;
use crate::tool::{Call, Tool};
use crate::{ProjectSelector, ToolError};

pub(crate) struct SyncFiles;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    /// Files or directories; default all
    paths: Option<Vec<String>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    synced_paths: Vec<String>,
    synced_all: bool,
    changed: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    deleted_paths: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_found: Vec<String>,
    message: String,
}

impl Tool for SyncFiles {
    const NAME: &'static str = "ide_sync_files";
    const ABOUT: &'static str = "Rarely needed: every call already sees changes on disk.";
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let which =
            args.project.project_path.as_deref().map_or(ProjectSelector::Default, ProjectSelector::Path);
        let project = call.services.project(call.cx, which)?;
        let paths = args.paths.unwrap_or_default();
        let report = project.sync(call.cx, &paths)?;
        let unknown = match report.not_found.len() {
            0 => String::new(),
            n => format!("; {n} paths were not found"),
        };
        Ok(Output {
            synced_all: paths.is_empty(),
            message: format!(
                "the index {} up to date{unknown}",
                if report.changed { "is now" } else { "was" }
            ),
            synced_paths: report.synced,
            changed: report.changed,
            deleted_paths: report.deleted,
            not_found: report.not_found,
        })
    }
}
