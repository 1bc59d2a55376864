//! `ide_refactor_extract_variable`: a value gets a name.

use ide_model::{Refactoring, TextRange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::ProjectArg;
use crate::edits::{EditResult, Force, WRITES, WriteArgs, symbol_lines};
use crate::session::Session;
use crate::symbols::ResolvedSymbol;
use crate::tool::{Call, Hints, Tool};

pub(crate) struct RefactorExtractVariable;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    file: String,
    line: i64,
    column: i64,
    /// With endColumn: exactly this expression; else the innermost one at the position
    end_line: Option<i64>,
    end_column: Option<i64>,
    variable_name: String,
    /// Equal expressions use it too
    replace_all: Option<bool>,
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
    variable_declaration: Option<ResolvedSymbol>,
}

impl Tool for RefactorExtractVariable {
    const NAME: &'static str = "ide_refactor_extract_variable";
    const ABOUT: &'static str = "Puts an expression into a new variable before its statement. Refused where it would be \
        evaluated at another time or another number of times.";
    const HINTS: Hints = WRITES;
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let file = session.indexed(&args.file)?;
        let start = session.offset(&file, args.line, args.column)?;
        let end = match (args.end_line, args.end_column) {
            (None, None) => start,
            (line, Some(column)) => session.offset(&file, line.unwrap_or(args.line), column)?,
            (Some(_), None) => {
                return Err(ToolError::argument("`endLine` is given without `endColumn`")
                    .hint("give both, or neither"));
            }
        };
        if end < start {
            return Err(ToolError::argument("the end lies before the start"));
        }
        let what = Refactoring::ExtractVariable {
            file: &file,
            range: TextRange::new(start, end),
            name: args.variable_name.trim(),
            replace_all: args.replace_all.unwrap_or(false),
        };
        let planned = session.plan(&what, Force::None)?;
        let (result, declared) = session.carry_out_declared(planned, &args.write)?;
        Ok(Output { result, variable_declaration: declared })
    }

    fn text(output: &Output) -> Option<String> {
        Some(output.result.text() + &symbol_lines(output.variable_declaration.as_ref()))
    }
}
