//! `optimize_imports`: imports without those that nothing uses.

use ide_model::Refactoring;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::InProject;
use crate::ToolError;
use crate::edits::{Force, WRITES, WriteArgs};
use crate::tool::{Call, Hints, Tool};

pub(crate) struct OptimizeImports;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    file_path: String,
    dry_run: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    file_path: String,
    success: bool,
    message: String,
    affected_files: Vec<String>,
}

impl Tool for OptimizeImports {
    const NAME: &'static str = "optimize_imports";
    const ABOUT: &'static str = "Removes the imports of a file that nothing uses and orders the rest.";
    const HINTS: Hints = WRITES;
    const SAME_AS: Option<&'static str> = Some("ide_optimize_imports");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let file = session.indexed(&args.file_path)?;
        let planned = session.plan(&Refactoring::OptimizeImports { file: &file }, Force::None)?;
        let file_path = session.absolute_path(&file);
        if planned.plan.is_empty() {
            let message = "the imports are in order".to_owned();
            return Ok(Output { file_path, success: true, message, affected_files: Vec::new() });
        }
        let write = WriteArgs { dry_run: args.dry_run, ..WriteArgs::default() };
        let result = session.carry_out(planned.plan, &write, planned.warnings)?;
        let affected_files = result.affected_files;
        Ok(Output { file_path, success: result.success, message: result.message, affected_files })
    }
}
