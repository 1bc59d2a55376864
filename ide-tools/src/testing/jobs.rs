//! Jobs whose outcomes a test tells.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ide_model::{BuildReport, Cx, JobKind, JobOrder, JobOutcome, JobState, TestReport};

use crate::{Jobs, ToolError};

/// Jobs end at the first look with the outcome that was told for their kind, and run for ever without one.
#[derive(Default)]
pub(crate) struct ScriptedJobs {
    outcomes: Mutex<Vec<JobOutcome>>,
    orders: Mutex<Vec<JobOrder>>,
    cancelled: Mutex<Vec<String>>,
    heard: Mutex<Vec<String>>,
}

impl ScriptedJobs {
    /// Tells the outcome of the jobs of its kind.
    pub(crate) fn will_be(&self, outcome: JobOutcome) {
        let mut outcomes = self.outcomes.lock().unwrap();
        outcomes.retain(|known| kind(known) != kind(&outcome));
        outcomes.push(outcome);
    }

    /// The orders so far.
    pub(crate) fn orders(&self) -> Vec<JobOrder> {
        self.orders.lock().unwrap().clone()
    }

    /// The jobs that were taken back.
    pub(crate) fn cancelled(&self) -> Vec<String> {
        self.cancelled.lock().unwrap().clone()
    }

    pub(crate) fn heard(&self, message: &str) {
        self.heard.lock().unwrap().push(message.to_owned());
    }

    /// Reports of progress that the client got.
    pub(crate) fn told(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    fn state(&self, wanted: JobKind, is_looked_at: bool) -> JobState {
        let outcomes = self.outcomes.lock().unwrap();
        let told = outcomes.iter().find(|outcome| kind(outcome) == wanted);
        JobState {
            id: "job-1".to_owned(),
            kind: wanted,
            elapsed_ms: 1_500,
            timeout_seconds: Some(600),
            doing: "compiling".to_owned(),
            outcome: told.filter(|_| is_looked_at).cloned(),
        }
    }
}

fn kind(outcome: &JobOutcome) -> JobKind {
    match outcome {
        JobOutcome::Build(_) | JobOutcome::Failed { .. } => JobKind::Build,
        JobOutcome::Tests(_) => JobKind::Tests,
        JobOutcome::Check(_) => JobKind::Check,
    }
}

impl Jobs for ScriptedJobs {
    fn start(&self, order: JobOrder) -> Result<JobState, ToolError> {
        let kind = order.kind();
        self.orders.lock().unwrap().push(order);
        Ok(self.state(kind, false))
    }

    fn wait(
        &self,
        cx: Cx<'_>,
        kind: JobKind,
        id: &str,
        _: Duration,
        progress: &dyn Fn(&str),
    ) -> Result<JobState, ToolError> {
        cx.check()?;
        if id != "job-1" {
            return Err(ToolError::new("job_not_found", format!("no {kind} has the id `{id}`")));
        }
        progress("compiling");
        Ok(self.state(kind, true))
    }

    fn cancel(&self, _: JobKind, id: &str) -> Result<(), ToolError> {
        self.cancelled.lock().unwrap().push(id.to_owned());
        Ok(())
    }

    fn last_build(&self) -> Option<Arc<BuildReport>> {
        match self.state(JobKind::Build, true).outcome {
            Some(JobOutcome::Build(report)) => Some(report),
            _ => None,
        }
    }

    fn last_tests(&self) -> Option<Arc<TestReport>> {
        match self.state(JobKind::Tests, true).outcome {
            Some(JobOutcome::Tests(report)) => Some(report),
            _ => None,
        }
    }
}
