//! `ide_redo`: the history of changes, one step.

use crate::ToolError;
use crate::edits::{EditResult, StepArgs, WRITES};
use crate::session::Session;
use crate::tool::{Call, Hints, Tool};

pub(crate) struct Redo;

impl Tool for Redo {
    const NAME: &'static str = "ide_redo";
    const ABOUT: &'static str =
        "Makes a change again that ide_undo took back. Refuses when one of its files was changed since.";
    const HINTS: Hints = WRITES;
    const DEFAULT_ON: bool = false;
    type Args = StepArgs;
    type Output = EditResult;

    fn run(call: &Call<'_>, args: StepArgs) -> Result<EditResult, ToolError> {
        Session::open(call, &args.project, None)?.turn(args.edit_id.as_deref(), &args.write, false)
    }

    fn text(output: &EditResult) -> Option<String> {
        Some(output.text())
    }
}
