//! `ide_refactor_extract_method`: a part of a function becomes a function.

use ide_model::{Refactoring, TextRange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::ProjectArg;
use crate::edits::{EditResult, Force, WRITES, WriteArgs, symbol_lines};
use crate::session::Session;
use crate::symbols::ResolvedSymbol;
use crate::tool::{Call, Hints, Tool};

pub(crate) struct RefactorExtractMethod;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    file: String,
    start_line: i64,
    end_line: i64,
    /// With endColumn: a part of the lines, such as one expression
    start_column: Option<i64>,
    end_column: Option<i64>,
    method_name: String,
    #[serde(flatten)]
    write: WriteArgs,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    #[serde(flatten)]
    result: EditResult,
    /// Not in a dry run
    #[serde(skip_serializing_if = "Option::is_none")]
    new_method_location: Option<ResolvedSymbol>,
}

impl Tool for RefactorExtractMethod {
    const NAME: &'static str = "ide_refactor_extract_method";
    const ABOUT: &'static str = "Makes whole statements, or an expression, a function or method of their own and calls it. \
        Refused where control or values would not come back the same.";
    const HINTS: Hints = WRITES;
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let file = session.indexed(&args.file)?;
        let start = session.offset(&file, args.start_line, args.start_column.unwrap_or(1))?;
        // A column behind the end of a line means its end.
        let end = session.offset(&file, args.end_line, args.end_column.unwrap_or(i64::from(u32::MAX)))?;
        if end < start {
            return Err(ToolError::argument("the end lies before the start"));
        }
        let range = TextRange::new(start, end);
        let what = Refactoring::ExtractMethod { file: &file, range, name: args.method_name.trim() };
        let planned = session.plan(&what, Force::None)?;
        let (result, declared) = session.carry_out_declared(planned, &args.write)?;
        Ok(Output { result, new_method_location: declared })
    }

    fn text(output: &Output) -> Option<String> {
        Some(output.result.text() + &symbol_lines(output.new_method_location.as_ref()))
    }
}
