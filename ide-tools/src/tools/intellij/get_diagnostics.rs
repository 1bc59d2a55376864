//! `get_diagnostics`: errors and warnings of a whole project.

use ide_model::Severity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{InProject, LineRange};
use crate::ToolError;
use crate::survey::{FileVisit, Survey, SurveyEnd};
use crate::tool::{Call, Tool};

/// Most problems of one result.
const MOST: usize = 500;

/// Files that were not analysed whose reasons are given.
const MOST_UNREAD: usize = 3;

pub(crate) struct GetDiagnostics;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    errors_only: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    total_errors: usize,
    total_warnings: usize,
    files: Vec<InFile>,
    /// Whether every file was analysed
    complete: bool,
    files_analyzed: usize,
    files_total: usize,
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct InFile {
    file_path: String,
    diagnostics: Vec<Row>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Row {
    severity: &'static str,
    message: String,
    line_range: Option<LineRange>,
    context: String,
}

impl Tool for GetDiagnostics {
    const NAME: &'static str = "get_diagnostics";
    const ABOUT: &'static str =
        "Errors and warnings of a project as the index sees them: none does not mean that it compiles.";
    const SAME_AS: Option<&'static str> = Some("ide_diagnostics");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let mut survey = Survey::of(session.code(&|_| true)?);
        let files_total = survey.left();
        let (mut total_errors, mut total_warnings, mut shown, mut files_analyzed) = (0, 0, 0, 0);
        let (mut files, mut unread) = (Vec::new(), Vec::new());
        let errors_only = args.errors_only.unwrap_or(false);
        let left = survey.go_on(&session, session.cx, u64::MAX, &mut |file, look| {
            let answer = match look {
                FileVisit::Analyzed(answer) => answer,
                FileVisit::Skipped(why) => {
                    unread.push(why);
                    return Ok(());
                }
                FileVisit::Failed(error) => {
                    unread.push(format!("{file}: {}", error.message));
                    return Ok(());
                }
            };
            files_analyzed += 1;
            let mut rows = Vec::new();
            for problem in answer.value {
                let severity = match problem.severity {
                    Severity::Error => "error",
                    Severity::Warning if !errors_only => "warning",
                    _ => continue,
                };
                *(if severity == "error" { &mut total_errors } else { &mut total_warnings }) += 1;
                if shown < MOST {
                    shown += 1;
                    rows.push(Row {
                        severity,
                        line_range: session.lines_of(&file, problem.range)?,
                        context: session.context(&file, problem.range.start)?,
                        message: problem.message,
                    });
                }
            }
            if !rows.is_empty() {
                files.push(InFile { file_path: session.absolute_path(&file), diagnostics: rows });
            }
            Ok(())
        })?;
        let complete = files_analyzed == files_total;
        if left == SurveyEnd::Late {
            session.told.note(format!(
                "time ran out after {files_analyzed} of {files_total} files; run_inspection takes one file"
            ));
        }
        if !unread.is_empty() {
            let rest = if unread.len() > MOST_UNREAD { ", and others" } else { "" };
            let shown = unread[..unread.len().min(MOST_UNREAD)].join("; ");
            session.told.note(format!("files that were not analysed: {}: {shown}{rest}", unread.len()));
        }
        let truncated = total_errors + total_warnings > shown;
        Ok(Output { total_errors, total_warnings, files, complete, files_analyzed, files_total, truncated })
    }
}
