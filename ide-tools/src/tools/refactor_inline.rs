//! `ide_refactor_inline`: what a variable or function stands for takes its place.

use ide_model::Refactoring;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::{ProjectArg, TargetArgs};
use crate::edits::{EditResult, Force, WRITES, WriteArgs};
use crate::session::Session;
use crate::symbols::ResolvedSymbol;
use crate::tool::{Call, Hints, Tool};

pub(crate) struct RefactorInline;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    #[serde(flatten)]
    target: TargetArgs,
    #[serde(flatten)]
    write: WriteArgs,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    #[serde(flatten)]
    result: EditResult,
    /// The inlined declaration, before the change
    inlined_symbol: ResolvedSymbol,
}

impl Tool for RefactorInline {
    const NAME: &'static str = "ide_refactor_inline";
    const ABOUT: &'static str = "Puts the value of a variable or constant, or the body of a function, where it is used, and \
        removes the declaration. Refused where something would be evaluated at another time or more often.";
    const HINTS: Hints = WRITES;
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, args.target.symbol_id.as_deref())?;
        let found = args.target.resolve(&session)?;
        let inlined_symbol = session.resolved_symbol(&found.symbol, found.confidence)?;
        let planned = session.plan(&Refactoring::Inline { symbol: &found.symbol }, Force::None)?;
        let result = session.carry_out(planned.plan, &args.write, planned.warnings)?;
        Ok(Output { result, inlined_symbol })
    }

    fn text(output: &Output) -> Option<String> {
        Some(output.result.text())
    }
}
