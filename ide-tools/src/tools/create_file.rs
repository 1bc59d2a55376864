//! `ide_create_file`: a new file, known to the index in the same call.

use ide_model::{EditPlan, FileChange};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ToolError;
use crate::args::ProjectArg;
use crate::edits::{EditResult, WRITES, WriteArgs};
use crate::session::Session;
use crate::tool::{Call, Hints, Tool};

pub(crate) struct CreateFile;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    /// Must not exist; directories are made
    file: String,
    /// Taken byte for byte
    content: Option<String>,
    #[serde(flatten)]
    write: WriteArgs,
}

impl Tool for CreateFile {
    const NAME: &'static str = "ide_create_file";
    const ABOUT: &'static str = "Creates a file that does not exist yet. Undone with ide_undo.";
    const HINTS: Hints = WRITES;
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = EditResult;

    fn run(call: &Call<'_>, args: Args) -> Result<EditResult, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let file = session.project.place(&args.file)?;
        let mut plan = EditPlan::new(format!("create {file}"));
        let text = args.content.unwrap_or_default().into();
        plan.changes.push(FileChange::Create { file, text });
        session.carry_out(plan, &args.write, Vec::new())
    }

    fn text(output: &EditResult) -> Option<String> {
        Some(output.text())
    }
}
