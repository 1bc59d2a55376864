//! Compilers and linters of the machine as a source of problems.

use std::collections::HashMap;

use ide_model::{CheckOrder, CheckReport, CheckState, FilePath, JobKind, JobOrder, JobOutcome, ToolMessage};
use schemars::JsonSchema;
use serde::Serialize;

use crate::ToolError;
use crate::long::{Standing, WaitArgs, not_run};
use crate::recorded::RecordedFiles;
use crate::session::Session;
use crate::tool::Call;

/// The word for the checkers that fit the project.
const FITTING: &str = "auto";

/// One pass of a compiler or linter.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pass {
    tool: &'static str,
    /// finished, not_run, failed or stopped: only a finished pass is proof of what it does not report
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    problem_count: usize,
    /// Files that it has a verdict on, with the text that they have now
    files_covered: usize,
    duration_ms: u64,
}

/// The result of the passes that a call asked for.
pub(crate) struct Checked {
    pub(crate) standing: Standing,
    pub(crate) id: String,
    pub(crate) is_running: bool,
    pub(crate) passes: Vec<Pass>,
    /// Messages about texts as they are now, with a place, and then those about other texts.
    pub(crate) messages: Vec<ToolMessage>,
    pub(crate) stale: Vec<ToolMessage>,
    pub(crate) left_out: usize,
    /// By file: the passes that have a verdict on its present text.
    pub(crate) covered: HashMap<FilePath, Vec<&'static str>>,
}

impl Checked {
    /// Whether every pass finished and one at least was made.
    pub(crate) fn is_proof(&self) -> bool {
        !self.is_running && !self.passes.is_empty() && self.passes.iter().all(|pass| pass.state == "finished")
    }
}

/// Begins the passes, or finds those with the id, and waits for their end for a while.
///
/// # Errors
/// The errors of [`Jobs`](crate::Jobs); `invalid_argument` for an unknown checker.
pub(crate) fn checked(
    call: &Call<'_>,
    session: &Session<'_>,
    (wanted, id): (&[String], Option<&str>),
    files: Option<Vec<FilePath>>,
    wait_seconds: Option<i64>,
) -> Result<Checked, ToolError> {
    let order = || {
        let names = wanted.iter().flat_map(|name| name.split(',')).map(|name| name.trim().to_lowercase());
        let tools = names.filter(|name| !name.is_empty() && name != FITTING).collect();
        Ok(JobOrder::Check(CheckOrder { files, tools }))
    };
    let wait = WaitArgs { wait_seconds, ..WaitArgs::default() };
    let job = wait.run(call, &*session.project, JobKind::Check, id, order)?;
    let mut checked = Checked {
        standing: Standing::of(&job, "ide_diagnostics", "checkId"),
        id: job.id.clone(),
        is_running: job.outcome.is_none(),
        passes: Vec::new(),
        messages: Vec::new(),
        stale: Vec::new(),
        left_out: 0,
        covered: HashMap::new(),
    };
    match &job.outcome {
        None => {}
        Some(JobOutcome::Check(reports)) => {
            for report in reports.iter() {
                checked.take(session, report)?;
            }
        }
        Some(other) => return Err(not_run(other)),
    }
    Ok(checked)
}

impl Checked {
    fn take(&mut self, session: &Session<'_>, report: &CheckReport) -> Result<(), ToolError> {
        let then = RecordedFiles::new(session, &report.covered);
        let mut count = 0;
        for (file, _) in &report.covered {
            session.cx.check()?;
            if then.is_stale(file) == Some(false) {
                count += 1;
                self.covered.entry(file.clone()).or_default().push(report.tool);
            }
        }
        for said in &report.messages {
            let is_stale = said.file.as_ref().and_then(|file| then.is_stale(file)) == Some(true);
            (if is_stale { &mut self.stale } else { &mut self.messages }).push(said.clone());
        }
        let (state, message, hint) = match &report.state {
            CheckState::Finished => ("finished", None, None),
            CheckState::NotRun { message, hint, .. } => ("not_run", Some(message), Some(hint)),
            CheckState::Failed { message } => ("failed", Some(message), None),
            CheckState::Stopped { message } => ("stopped", Some(message), None),
        };
        self.left_out += report.left_out;
        self.passes.push(Pass {
            tool: report.tool,
            state,
            message: message.cloned(),
            hint: hint.cloned(),
            problem_count: report.messages.len() + report.left_out,
            files_covered: count,
            duration_ms: report.duration_ms,
        });
        Ok(())
    }
}
