//! `extract_method`: lines become a method of their own.

use ide_model::{Refactoring, TextRange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::InProject;
use crate::ToolError;
use crate::edits::{Force, WRITES, WriteArgs};
use crate::session::position;
use crate::tool::{Call, Hints, Tool};

pub(crate) struct ExtractMethod;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    file_path: String,
    start_line: i64,
    /// Included
    end_line: i64,
    method_name: String,
    dry_run: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    file_path: String,
    method_name: String,
    start_line: u32,
    end_line: u32,
    success: bool,
    message: String,
    affected_files: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Tool for ExtractMethod {
    const NAME: &'static str = "extract_method";
    const ABOUT: &'static str = "Makes whole lines of a method a method of their own and calls it.";
    const HINTS: Hints = WRITES;
    const SAME_AS: Option<&'static str> = Some("ide_refactor_extract_method");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let file = session.indexed(&args.file_path)?;
        let (start_line, end_line) =
            (position("startLine", args.start_line)?, position("endLine", args.end_line)?);
        if end_line < start_line {
            let message = format!("`endLine` {end_line} is before `startLine` {start_line}");
            return Err(ToolError::argument(message).with("parameter", "endLine"));
        }
        let start = session.offset(&file, args.start_line, 1)?;
        // A column behind the end of a line means its end.
        let end = session.offset(&file, args.end_line, i64::from(u32::MAX))?;
        let name = args.method_name.trim();
        let what = Refactoring::ExtractMethod { file: &file, range: TextRange::new(start, end), name };
        let planned = session.plan(&what, Force::None)?;
        let write = WriteArgs { dry_run: args.dry_run, ..WriteArgs::default() };
        let result = session.carry_out(planned.plan, &write, planned.warnings)?;
        Ok(Output {
            file_path: session.absolute_path(&file),
            method_name: name.to_owned(),
            start_line,
            end_line,
            success: result.success,
            message: result.message,
            affected_files: result.affected_files,
            warnings: result.warnings,
        })
    }
}
