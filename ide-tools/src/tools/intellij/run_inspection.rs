//! `run_inspection`: chosen checks on a file or a project, as bad as asked for or worse.

use ide_model::{Cx, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::InProject;
use crate::ToolError;
use crate::args::nearest;
use crate::session::Session;
use crate::survey::{FileVisit, Survey, SurveyEnd};
use crate::tool::{Call, Tool};

const DEFAULT: i64 = 100;
const MOST: i64 = 5_000;
/// Seconds after which a call ends, and the most there are: clients give up after 60.
const SECONDS: i64 = 60;
const MOST_SECONDS: i64 = 50;
/// Files without an answer that are named.
const NAMED: usize = 5;

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
    min_severity: Option<MinimumSeverity>,
    /// Default 100
    max_problems: Option<i64>,
    /// Seconds, at most 50
    timeout: Option<i64>,
}

// No documentation: it would be published with the parameter.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(inline)]
enum MinimumSeverity {
    Error,
    Warning,
    WeakWarning,
    Info,
}

impl From<MinimumSeverity> for Severity {
    fn from(least: MinimumSeverity) -> Self {
        match least {
            MinimumSeverity::Error => Self::Error,
            MinimumSeverity::Warning => Self::Warning,
            MinimumSeverity::WeakWarning => Self::WeakWarning,
            MinimumSeverity::Info => Self::Info,
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
    const ABOUT: &'static str =
        "The problems that the checks of the index find in a file or a project, counted by severity.";
    const SAME_AS: Option<&'static str> = Some("ide_diagnostics");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let files = match &args.file_path {
            Some(path) => vec![session.indexed(path)?],
            None => session.code(&|_| true)?,
        };
        let named = args.inspection_names.map(|names| known(&names, &session)).transpose()?;
        let least = args.min_severity.map_or(Severity::Info, Severity::from);
        let max = args.max_problems.unwrap_or(DEFAULT).clamp(1, MOST) as usize;
        let seconds = args.timeout.unwrap_or(SECONDS).clamp(1, MOST_SECONDS) as u64;
        let stop = call.services.stop_after(seconds);
        let mut survey = Survey::of(files);
        let mut output = Output { files_total: survey.left(), ..Output::default() };
        let (mut shown, mut silent) = (0, Vec::new());
        let left = survey.go_on(&session, Cx::new(&stop), u64::MAX, &mut |file, look| {
            let FileVisit::Analyzed(answer) = look else {
                silent.push(file.to_string());
                return Ok(());
            };
            output.files_analyzed += 1;
            let mut rows = Vec::new();
            for problem in answer.value {
                let is_named = named.as_ref().is_none_or(|named| named.contains(&problem.code));
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
            Ok(())
        })?;
        if !silent.is_empty() {
            let more = silent.len().saturating_sub(NAMED);
            silent.truncate(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            session.told.note(format!("not analysed: {}{more}", silent.join(", ")));
        }
        output.timed_out = left == SurveyEnd::Late;
        output.truncated = output.total_problems > shown;
        Ok(output)
    }
}

/// The checks of these names, whatever their case and their signs between words: `UnusedImport` is `unused-import`.
fn known(names: &[String], session: &Session<'_>) -> Result<Vec<&'static str>, ToolError> {
    let plain = |name: &str| -> String {
        name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase()
    };
    let codes = session.snapshot.diagnostic_codes();
    let names = names.iter().flat_map(|name| name.split(',')).map(str::trim).filter(|name| !name.is_empty());
    names
        .map(|name| {
            let found = codes.iter().copied().find(|code| plain(code) == plain(name));
            found.ok_or_else(|| {
                let error = ToolError::argument(format!("`{name}` is no inspection that is known"))
                    .with("parameter", "inspectionNames")
                    .with("supportedValues", codes.clone());
                match nearest(name, codes.iter().copied()) {
                    Some(near) => error.hint(format!("did you mean `{near}`?")),
                    None => error.hint("give ids of `supportedValues`, or none for all"),
                }
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::TestServer;

    #[test]
    fn inspections_are_known_by_their_names_and_others_are_refused() {
        let server = TestServer::new("//- a.py\nx = ???\n");
        let ask = |names: &[&str]| json!({"projectPath": "/projects/sample", "inspectionNames": names});
        assert_eq!(server.ok("run_inspection", ask(&["Syntax"]))["totalProblems"], 1);
        assert_eq!(server.ok("run_inspection", ask(&["UnusedImport, syntax"]))["totalProblems"], 1);
        assert_eq!(server.ok("run_inspection", ask(&["UNUSED_IMPORT"]))["totalProblems"], 0);
        let error = server.err("run_inspection", ask(&["syntax", "unused-imprt"]));
        assert_eq!(
            (&error["error"], &error["hint"]),
            (&json!("invalid_argument"), &json!("did you mean `unused-import`?"))
        );
        assert_eq!(error["supportedValues"], json!(["syntax", "unused-import"]));
        let error = server.err("run_inspection", ask(&["SpellCheckingInspection"]));
        assert!(error["message"].as_str().unwrap().contains("SpellCheckingInspection"), "{error}");
    }
}
