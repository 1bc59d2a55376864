//! `ide_optimize_imports`: imports without those that nothing uses, in the order of the project.

use ide_model::Refactoring;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::ProjectArg;
use crate::edits::{EditResult, WRITES, WriteArgs};
use crate::session::Session;
use crate::tool::{Call, Hints, Tool};

pub(crate) struct OptimizeImports;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    file: String,
    #[serde(flatten)]
    write: WriteArgs,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    #[serde(flatten)]
    result: EditResult,
    /// False: the imports were in order
    changed: bool,
}

impl Tool for OptimizeImports {
    const NAME: &'static str = "ide_optimize_imports";
    const ABOUT: &'static str = "Removes the imports of a file that nothing uses and orders the rest as the project \
        does; refuses where it cannot know what is used.";
    const HINTS: Hints = WRITES;
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let file = session.indexed(&args.file)?;
        let planned = session.plan(&Refactoring::OptimizeImports { file: &file }, false)?;
        let changed = !planned.plan.is_empty();
        let result = if changed {
            session.carry_out(planned.plan, &args.write, planned.warnings)?
        } else {
            EditResult::unchanged(format!("the imports of {file} are in order"), &args.write, planned.warnings)
        };
        Ok(Output { result, changed })
    }

    fn text(output: &Output) -> Option<String> {
        Some(output.result.text())
    }
}
