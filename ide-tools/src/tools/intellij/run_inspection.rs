//! `run_inspection`: chosen checks on a file or a project, as bad as asked for or worse.

use ide_model::{Cx, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::InProject;
use crate::tool::{Call, Tool};
use crate::ToolError;

const DEFAULT: i64 = 100;
const MOST: i64 = 5_000;
/// Seconds after which a call ends, and the most there are: clients give up after 60.
const SECONDS: i64 = 60;
const MOST_SECONDS: i64 = 50;

pub(crate) struct RunInspection;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    /// Default all
    file_path: Option<String>,
    /// Ids of results; default all
    inspection_names: Option<Vec<String>>,
    /// Default INFO
    min_severity: Option<Least>,
    /// Default 100
    max_problems: Option<i64>,
    /// Seconds, at most 50
    timeout: Option<i64>,
}

// No documentation: it would be published with the parameter.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(inline)]
enum Least {
    Error,
    Warning,
    WeakWarning,
    Info,
}

impl From<Least> for Severity {
    fn from(least: Least) -> Self {
        match least {
            Least::Error => Self::Error,
            Least::Warning => Self::Warning,
            Least::WeakWarning => Self::WeakWarning,
            Least::Info => Self::Info,
        }
    }
}

#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    total_problems: usize,
    errors: usize,
    warnings: usize,
    weak_warnings: usize,
    infos: usize,
    timed_out: bool,
    truncated: bool,
    files: Vec<InFile>,
    files_analyzed: usize,
    files_total: usize,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct InFile {
    /// Relative to the project
    file_path: String,
    problems: Vec<Row>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Row {
    message: String,
    severity: &'static str,
    inspection_id: &'static str,
    line: u32,
}

impl Tool for RunInspection {
    const NAME: &'static str = "run_inspection";
    const ABOUT: &'static str = "The problems that the checks of the index find in a file or a project, counted by severity.";
    const SAME_AS: Option<&'static str> = Some("ide_diagnostics");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let files = match &args.file_path {
            Some(path) => Some(vec![session.indexed(path)?]),
            None => None,
        };
        let named: Option<Vec<String>> = args.inspection_names.map(|names| {
            names.iter().flat_map(|name| name.split(',')).map(|name| name.trim().to_lowercase()).collect()
        });
        let least = args.min_severity.map_or(Severity::Info, Severity::from);
        let max = args.max_problems.unwrap_or(DEFAULT).clamp(1, MOST) as usize;
        let seconds = args.timeout.unwrap_or(SECONDS).clamp(1, MOST_SECONDS) as u64;
        let stop = call.services.stop_after(seconds);
        let sweep = session.sweep(files, Cx::new(&stop))?;
        let mut output = Output {
            timed_out: sweep.is_late,
            files_analyzed: sweep.analyzed,
            files_total: sweep.total,
            ..Output::default()
        };
        let mut shown = 0;
        for (file, found) in sweep.found {
            let mut rows = Vec::new();
            for problem in found {
                let is_named = named.as_ref().is_none_or(|named| named.iter().any(|name| *name == problem.code));
                if !is_named || problem.severity > least {
                    continue;
                }
                let (count, word) = match problem.severity {
                    Severity::Error => (&mut output.errors, "ERROR"),
                    Severity::Warning => (&mut output.warnings, "WARNING"),
                    Severity::WeakWarning => (&mut output.weak_warnings, "WEAK_WARNING"),
                    Severity::Info => (&mut output.infos, "INFO"),
                };
                *count += 1;
                output.total_problems += 1;
                if shown < max {
                    shown += 1;
                    rows.push(Row {
                        message: problem.message,
                        severity: word,
                        inspection_id: problem.code,
                        line: session.place(&file, problem.range.start)?.line,
                    });
                }
            }
            if !rows.is_empty() {
                output.files.push(InFile { file_path: file.to_string(), problems: rows });
            }
        }
        output.truncated = output.total_problems > shown;
        Ok(output)
    }
}
