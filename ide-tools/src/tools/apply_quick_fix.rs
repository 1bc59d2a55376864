//! `ide_apply_quick_fix`: carries out what `ide_list_quick_fixes` offered.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::ToolError;
use crate::args::ProjectArg;
use crate::edits::{EditResult, WRITES, WriteArgs};
use crate::session::Session;
use crate::tool::{Call, Hints, Tool};

pub(crate) struct ApplyQuickFix;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    file: String,
    line: i64,
    column: i64,
    /// From ide_list_quick_fixes for the same place
    fix_id: String,
    #[serde(flatten)]
    write: WriteArgs,
}

impl Tool for ApplyQuickFix {
    const NAME: &'static str = "ide_apply_quick_fix";
    const ABOUT: &'static str = "Applies a fix that ide_list_quick_fixes offered, if the file is still the same. Undone with \
        ide_undo.";
    const HINTS: Hints = WRITES;
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = EditResult;

    fn run(call: &Call<'_>, args: Args) -> Result<EditResult, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let file = session.indexed(&args.file)?;
        let offset = session.offset(&file, args.line, args.column)?;
        let fix = session.fix_named(&file, offset, &args.fix_id)?;
        session.carry_out(fix.plan, &args.write, Vec::new())
    }

    fn text(output: &EditResult) -> Option<String> {
        Some(output.text())
    }
}
