//! `ide_redo`: the history of changes, one step (index-tools §8.1.26).

use schemars::JsonSchema;
use serde::Deserialize;

use crate::ToolError;
use crate::args::ProjectArg;
use crate::edits::{EditResult, WRITES, WriteArgs};
use crate::session::Session;
use crate::tool::{Call, Hints, Tool};

pub(crate) struct Redo;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    /// Fail unless this is the step
    edit_id: Option<String>,
    #[serde(flatten)]
    write: WriteArgs,
}

impl Tool for Redo {
    const NAME: &'static str = "ide_redo";
    const ABOUT: &'static str = "Makes a change again that ide_undo took back. Refuses when one of its files was changed since.";
    const HINTS: Hints = WRITES;
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = EditResult;

    fn run(call: &Call<'_>, args: Args) -> Result<EditResult, ToolError> {
        Session::open(call, &args.project, None)?.turn(args.edit_id.as_deref(), &args.write, false)
    }
}
