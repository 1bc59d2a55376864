//! `ide_delete_file`: removes a file without asking who uses it; `ide_refactor_safe_delete` asks.

use ide_model::{EditPlan, FileChange};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ToolError;
use crate::args::ProjectArg;
use crate::edits::{EditResult, WRITES, WriteArgs};
use crate::session::Session;
use crate::tool::{Call, Hints, Tool};

pub(crate) struct DeleteFile;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    file: String,
    #[serde(flatten)]
    write: WriteArgs,
}

impl Tool for DeleteFile {
    const NAME: &'static str = "ide_delete_file";
    const ABOUT: &'static str = "Deletes a file, whoever uses it; ide_refactor_safe_delete looks for uses first. Undone \
        with ide_undo.";
    const HINTS: Hints = WRITES;
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = EditResult;

    fn run(call: &Call<'_>, args: Args) -> Result<EditResult, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let file = session.locate(&args.file)?;
        let before = session.project.hash(&file)?;
        let mut plan = EditPlan::new(format!("delete {file}"));
        plan.changes.push(FileChange::Delete { file, before });
        session.carry_out(plan, &args.write, Vec::new())
    }

    fn text(output: &EditResult) -> Option<String> {
        Some(output.text())
    }
}
