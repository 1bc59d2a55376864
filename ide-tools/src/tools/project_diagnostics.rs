//! `ide_project_diagnostics`: the problems of many files, with what was looked at and what was not.
//!
//! A call analyses so much text and then gives the name of what is left; the next call goes on from there. When files changed
//! in between, the analysis begins anew: a report is of one state.

use std::sync::Arc;

use ide_model::{Cx, FilePath, QueryError, counted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::ProjectArg;
use crate::problems::{Admitted, Problem};
use crate::session::Session;
use crate::survey::{FileVisit, Survey, SurveyEnd};
use crate::tool::{Call, Tool};

/// Bytes of source that one call analyses.
const BYTES_A_CALL: u64 = 4 << 20;
/// Seconds that a call takes when it does not say, and at most: clients give up after 60.
const SECONDS: i64 = 45;
const MOST_SECONDS: i64 = 50;
/// Files whose state a result lists.
const MAX_LISTED: usize = 100;

pub(crate) struct ProjectDiagnostics;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    paths: Option<Vec<String>>,
    severity: Option<Admitted>,
    /// Default 1000, at most 10000
    max_files: Option<i64>,
    /// Default 1000, at most 5000
    max_problems: Option<i64>,
    /// Goes on with an analysis that is running
    analysis_id: Option<String>,
    #[schemars(extend("x-hidden" = true))]
    timeout_seconds: Option<i64>,
    #[schemars(extend("x-hidden" = true))]
    wait_seconds: Option<i64>,
}

#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// running or finished
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    analysis_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// Whether every file was analysed and every problem is listed
    complete: bool,
    problems: Vec<Problem>,
    problem_count: usize,
    problems_truncated: bool,
    files_total: usize,
    files_analyzed: usize,
    /// Files that were not analysed, at most 100
    files: Vec<FileState>,
    files_truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    analysis_message: Option<String>,
}

#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FileState {
    file: String,
    /// failed, skipped or not_analyzed
    state: &'static str,
    message: String,
}

/// An analysis between two calls.
#[derive(Clone)]
struct Progress {
    generation: u64,
    survey: Survey,
    beyond: usize,
    limits: (usize, usize),
    paths: Option<Vec<String>>,
    severity: Option<Admitted>,
    found: Output,
}

impl Tool for ProjectDiagnostics {
    const NAME: &'static str = "ide_project_diagnostics";
    const ABOUT: &'static str = "Problems of many files at once: all of the project, or those that paths selects. complete \
        is true only when every file was analysed. While status is running, call again with analysisId.";
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let project = session.project.root().to_owned();
        let mut progress = match &args.analysis_id {
            None => begin(&session, &args)?,
            Some(id) => {
                let found = session.services.cursors().find(id, Self::NAME, &project);
                let kept = found.ok().and_then(|hit| hit.payload.downcast_ref::<Progress>().cloned());
                let kept = kept.ok_or_else(|| {
                    ToolError::new("unknown_analysis", format!("there is no analysis `{id}`"))
                        .hint("begin one without `analysisId`")
                })?;
                if kept.generation == session.snapshot.generation() {
                    kept
                } else {
                    session.told.note("files changed since the analysis began, so it begins anew".to_owned());
                    started(&session, kept)?
                }
            }
        };
        // Either is a limit of this call: the next one goes on.
        let seconds =
            [args.wait_seconds, args.timeout_seconds].into_iter().flatten().min().unwrap_or(SECONDS);
        let enough = call.services.stop_after(seconds.clamp(1, MOST_SECONDS) as u64);
        let before = progress.survey.left();
        let left = progress.go_on(&session, Cx::new(&enough))?;
        if left == SurveyEnd::Late && progress.survey.left() == before {
            return Err(QueryError::DeadlineExceeded.into());
        }
        let mut output = progress.found.clone();
        if left == SurveyEnd::Done {
            output.status = "finished";
            output.complete = output.files.is_empty()
                && !output.files_truncated
                && !output.problems_truncated
                && progress.beyond == 0;
        } else {
            let left = progress.survey.left();
            let entry = session.services.cursors().keep(Self::NAME, &project, Arc::new(progress));
            output.analysis_id = Some(session.services.cursors().token(&entry, 0, 1));
            output.message = Some(format!("{} left; call again with analysisId", counted(left, "file")));
        }
        Ok(output)
    }
}

fn begin(session: &Session<'_>, args: &Args) -> Result<Progress, ToolError> {
    let limit = |given: Option<i64>, most: i64| given.unwrap_or(1_000).clamp(1, most) as usize;
    let found = Output {
        status: "running",
        analysis_id: None,
        message: None,
        complete: false,
        problems: Vec::new(),
        problem_count: 0,
        problems_truncated: false,
        files_total: 0,
        files_analyzed: 0,
        files: Vec::new(),
        files_truncated: false,
        analysis_message: None,
    };
    let fresh = Progress {
        generation: 0,
        survey: Survey::of(Vec::new()),
        beyond: 0,
        limits: (limit(args.max_files, 10_000), limit(args.max_problems, 5_000)),
        paths: args.paths.clone(),
        severity: args.severity,
        found,
    };
    started(session, fresh)
}

/// An analysis from its first file on.
fn started(session: &Session<'_>, asked: Progress) -> Result<Progress, ToolError> {
    let selected = asked.paths.as_ref().map(|globs| session.project.path_filter(globs)).transpose()?;
    let mut files = session.code(&|file| selected.as_ref().is_none_or(|selected| selected(file)))?;
    let total = files.len();
    files.truncate(asked.limits.0);
    let beyond = total - files.len();
    let mut found = Output {
        problems: Vec::new(),
        problem_count: 0,
        problems_truncated: false,
        files_total: total,
        files_analyzed: 0,
        files: Vec::new(),
        files_truncated: false,
        ..asked.found
    };
    if beyond > 0 {
        let message = format!("{} beyond maxFiles", counted(beyond, "file"));
        found.files.push(FileState { file: String::new(), state: "not_analyzed", message });
    }
    let survey = Survey::of(files);
    Ok(Progress { generation: session.snapshot.generation(), survey, beyond, found, ..asked })
}

impl Progress {
    /// Analyses as many of the files that are left as a call may: one at least.
    fn go_on(&mut self, session: &Session<'_>, limit: Cx<'_>) -> Result<SurveyEnd, ToolError> {
        let Self { survey, found, limits, severity, .. } = self;
        survey.go_on(session, limit, BYTES_A_CALL, &mut |file, look| {
            let answer = match look {
                FileVisit::Analyzed(answer) => answer,
                FileVisit::Skipped(message) => {
                    found.not_analyzed(&file, "skipped", message);
                    return Ok(());
                }
                FileVisit::Failed(error) => {
                    found.not_analyzed(&file, "failed", error.message);
                    return Ok(());
                }
            };
            found.files_analyzed += 1;
            found.analysis_message =
                found.analysis_message.take().or(crate::symbols::reason(answer.completeness));
            let all = session.all_problems(limit, &file, &answer.value, *severity)?;
            found.analysis_message = found.analysis_message.take().or(all.silent);
            let mut problems = all.found;
            problems.sort_by_key(|(_, at)| *at);
            let room = limits.1.saturating_sub(found.problems.len());
            found.problem_count += problems.len();
            found.problems_truncated |= problems.len() > room;
            found.problems.extend(problems.into_iter().take(room).map(|(problem, _)| problem));
            Ok(())
        })
    }
}

impl Output {
    fn not_analyzed(&mut self, file: &FilePath, state: &'static str, message: String) {
        self.files_truncated |= self.files.len() >= MAX_LISTED;
        if self.files.len() < MAX_LISTED {
            self.files.push(FileState { file: file.to_string(), state, message });
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::TestServer;

    const SOURCE: &str = "//- a.py\nx = ???\n//- b/c.py\ny = ???\nz = ???\n//- notes.txt\n???\n";

    #[test]
    fn every_file_counts_and_limits_are_told() {
        let server = TestServer::new(SOURCE);
        let all = server.ok("ide_project_diagnostics", json!({}));
        assert_eq!((&all["status"], &all["complete"]), (&json!("finished"), &json!(true)));
        assert_eq!(
            (&all["filesTotal"], &all["filesAnalyzed"], &all["problemCount"]),
            (&json!(2), &json!(2), &json!(3))
        );
        let some = server.ok("ide_project_diagnostics", json!({"paths": ["b"]}));
        assert_eq!((&some["filesTotal"], &some["problemCount"]), (&json!(1), &json!(2)));
        let cut = server.ok("ide_project_diagnostics", json!({"maxFiles": 1}));
        assert_eq!((&cut["complete"], &cut["files"][0]["state"]), (&json!(false), &json!("not_analyzed")));
        let few = server.ok("ide_project_diagnostics", json!({"maxProblems": 1}));
        assert_eq!((&few["complete"], &few["problemsTruncated"]), (&json!(false), &json!(true)));
        assert_eq!(few["problemCount"], 3);
        let none = server.ok("ide_project_diagnostics", json!({"severity": "warnings"}));
        assert_eq!(none["problemCount"], 0);
        assert_eq!(
            server.err("ide_project_diagnostics", json!({"analysisId": "x"}))["error"],
            "unknown_analysis"
        );
    }

    #[test]
    fn what_one_call_does_not_reach_the_next_does() {
        let line = "x = 1 # filler to make the file a large one\n".repeat(60_000);
        let source = format!("//- a.py\n{line}//- b.py\n{line}//- c.py\n???\n");
        let server = TestServer::new(&source);
        let first = server.ok("ide_project_diagnostics", json!({}));
        assert_eq!((&first["status"], &first["complete"]), (&json!("running"), &json!(false)));
        let rest = server.ok("ide_project_diagnostics", json!({"analysisId": first["analysisId"]}));
        assert_eq!(
            (&rest["status"], &rest["complete"], &rest["problemCount"]),
            (&json!("finished"), &json!(true), &json!(1))
        );
        assert_eq!(rest["filesAnalyzed"], 3);
    }
}
