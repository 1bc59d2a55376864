//! Operations that take longer than clients wait: begun once, asked for until they end.

use std::time::Duration;

use ide_model::{JobKind, JobOrder, JobOutcome, JobState, Severity, ToolMessage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Call, Hints};
use crate::{Project, ToolError};

/// Runs programs of the machine, and writes what those write.
pub(crate) const RUNS: Hints =
    Hints { read_only: false, destructive: false, idempotent: true, open_world: true };

/// Seconds that a call waits when it does not say, and at most: clients give up after 60.
const WAIT: i64 = 45;
const MAX_WAIT: i64 = 50;

/// Group H.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WaitArgs {
    /// This call returns then, the operation goes on. Default 45, at most 50
    pub(crate) wait_seconds: Option<i64>,
    /// Limit for the whole operation
    pub(crate) timeout_seconds: Option<i64>,
    /// With the id: end it
    pub(crate) cancel: Option<bool>,
}

impl WaitArgs {
    /// The limit of the operation, when one was given.
    ///
    /// # Errors
    /// `invalid_argument` when it is not above zero.
    pub(crate) fn timeout(&self) -> Result<Option<u64>, ToolError> {
        match self.timeout_seconds {
            None => Ok(None),
            Some(seconds) => match u64::try_from(seconds) {
                Ok(seconds) if seconds > 0 => Ok(Some(seconds)),
                _ => Err(ToolError::argument(format!("`timeoutSeconds` must be above 0, got {seconds}"))
                    .with("parameter", "timeoutSeconds")),
            },
        }
    }

    /// Begins an operation, or finds the one with the id, and waits for its end for a while.
    ///
    /// # Errors
    /// The errors of [`Jobs`](crate::Jobs).
    pub(crate) fn run(
        &self,
        call: &Call<'_>,
        project: &dyn Project,
        kind: JobKind,
        id: Option<&str>,
        order: impl FnOnce() -> Result<JobOrder, ToolError>,
    ) -> Result<JobState, ToolError> {
        let jobs = project.jobs();
        let wait = Duration::from_secs(self.wait_seconds.unwrap_or(WAIT).clamp(0, MAX_WAIT).unsigned_abs());
        let id = match id {
            None if self.cancel == Some(true) => {
                return Err(ToolError::argument("`cancel` needs the id of what is to be ended"));
            }
            None => jobs.start(order()?)?.id,
            Some(id) => {
                if self.cancel == Some(true) {
                    jobs.cancel(kind, id)?;
                }
                id.to_owned()
            }
        };
        jobs.wait(call.cx, kind, &id, wait, &|doing| call.services.progress(doing))
    }
}

/// The head of every result.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Standing {
    /// `running` or `finished`
    status: &'static str,
    elapsed_seconds: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout_seconds: Option<u64>,
    /// The next step, while it runs
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl Standing {
    /// `tool` and `parameter` are how the operation is asked for again.
    pub(crate) fn of(job: &JobState, tool: &str, parameter: &str) -> Self {
        let next = || {
            let (kind, id) = (job.kind, &job.id);
            format!("the {kind} goes on ({}); call {tool} again with {parameter} \"{id}\"", job.doing)
        };
        Self {
            status: if job.outcome.is_some() { "finished" } else { "running" },
            elapsed_seconds: job.elapsed_ms / 1_000,
            timeout_seconds: job.timeout_seconds,
            message: job.outcome.is_none().then(next),
        }
    }

    /// A line for reading, while it runs.
    pub(crate) fn text(&self) -> Option<String> {
        Some(format!("running since {} s; {}\n", self.elapsed_seconds, self.message.as_deref()?))
    }
}

/// Why a job did nothing.
pub(crate) fn not_run(outcome: &JobOutcome) -> ToolError {
    match outcome {
        JobOutcome::Failed { error, message, hint } => {
            let error = ToolError::new(error, message.clone());
            match hint {
                Some(hint) => error.hint(hint.clone()),
                None => error,
            }
        }
        _ => ToolError::new("internal", "the job has an outcome of another kind"),
    }
}

/// A message of a compiler, a linter or a build system, as results have it.
#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Message {
    category: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    source: &'static str,
}

impl From<&ToolMessage> for Message {
    fn from(said: &ToolMessage) -> Self {
        Self {
            category: severity_word(said.severity),
            message: said.message.clone(),
            file: said.file.as_ref().map(ToString::to_string),
            line: said.line,
            column: said.column,
            end_line: said.end_line,
            end_column: said.end_column,
            code: said.code.clone(),
            source: said.source,
        }
    }
}

impl Message {
    /// `a.go:3:5 ERROR undefined: x [code]`
    pub(crate) fn text(&self) -> String {
        let number = |number: Option<u32>| number.map_or_else(String::new, |number| format!(":{number}"));
        let place = self
            .file
            .as_ref()
            .map_or_else(String::new, |file| format!("{file}{}{} ", number(self.line), number(self.column)));
        let code = self.code.as_ref().map_or_else(String::new, |code| format!(" [{code}]"));
        let message = self.message.replace('\n', "\n    ");
        format!("{place}{} {message}{code}\n", self.category)
    }
}

/// The word that tools print.
pub(crate) fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "ERROR",
        Severity::Warning => "WARNING",
        Severity::WeakWarning => "WEAK_WARNING",
        Severity::Info => "INFO",
    }
}
