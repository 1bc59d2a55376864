//! `ide_undo`: the history of changes, one step.

use crate::ToolError;
use crate::edits::{EditResult, StepArgs, WRITES};
use crate::session::Session;
use crate::tool::{Call, Hints, Tool};

pub(crate) struct Undo;

impl Tool for Undo {
    const NAME: &'static str = "ide_undo";
    const ABOUT: &'static str =
        "Takes back the last change by these tools; refuses when its files were changed since.";
    const HINTS: Hints = WRITES;
    type Args = StepArgs;
    type Output = EditResult;

    fn run(call: &Call<'_>, args: StepArgs) -> Result<EditResult, ToolError> {
        Session::open(call, &args.project, None)?.turn(args.edit_id.as_deref(), &args.write, true)
    }

    fn text(output: &EditResult) -> Option<String> {
        Some(output.text_before(if output.dry_run {
            "without dryRun it is undone"
        } else {
            "ide_redo, where it is switched on, does it again"
        }))
    }
}
