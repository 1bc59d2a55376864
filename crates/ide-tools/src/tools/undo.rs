//! `ide_undo`: the history of changes, one step (index-tools §8.1.26).

use schemars::JsonSchema;
use serde::Deserialize;

use crate::ToolError;
use crate::args::ProjectArg;
use crate::edits::{EditResult, WRITES, WriteArgs};
use crate::session::Session;
use crate::tool::{Call, Hints, Tool};

pub(crate) struct Undo;

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

impl Tool for Undo {
    const NAME: &'static str = "ide_undo";
    const ABOUT: &'static str = "Takes back the last change that a tool of this server made, byte for byte, also after a restart. Refuses when one of its files was changed since.";
    const HINTS: Hints = WRITES;
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = EditResult;

    fn run(call: &Call<'_>, args: Args) -> Result<EditResult, ToolError> {
        Session::open(call, &args.project, None)?.turn(args.edit_id.as_deref(), &args.write, true)
    }
}
