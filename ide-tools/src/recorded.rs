//! The last build and the last run of tests as problems, each message bound to the text that it was said of.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use ide_model::{ContentHash, FilePath, Severity, TestResult, TestStatus, ToolMessage};
use schemars::JsonSchema;
use serde::Serialize;

use crate::ToolError;
use crate::long::Message;
use crate::problems::{Admitted, admits};
use crate::session::Session;

/// Characters of a stack that are shown: the middle is left out.
const MAX_STACK: usize = 500;

/// The files as they were when something was said of them.
pub(crate) struct RecordedFiles<'s> {
    session: &'s Session<'s>,
    sources: &'s [(FilePath, ContentHash)],
    by_file: OnceCell<HashMap<&'s FilePath, ContentHash>>,
    now: RefCell<HashMap<FilePath, Option<ContentHash>>>,
}

impl<'s> RecordedFiles<'s> {
    pub(crate) fn new(session: &'s Session<'s>, sources: &'s [(FilePath, ContentHash)]) -> Self {
        Self { session, sources, by_file: OnceCell::new(), now: RefCell::default() }
    }

    /// Whether a file has another text by now, or is gone; `None` for one that nobody looked at then.
    pub(crate) fn is_stale(&self, file: &FilePath) -> Option<bool> {
        let by_file =
            self.by_file.get_or_init(|| self.sources.iter().map(|(file, hash)| (file, *hash)).collect());
        let then = by_file.get(file)?;
        let mut known = self.now.borrow_mut();
        let now = known.entry(file.clone()).or_insert_with(|| self.session.project.hash(file).ok());
        Some(now.as_ref() != Some(then))
    }

    /// The first file that changed since, was made, or is gone.
    pub(crate) fn first_change(&self) -> Result<Option<FilePath>, ToolError> {
        for (file, _) in self.sources {
            self.session.cx.check()?;
            if self.is_stale(file) == Some(true) {
                return Ok(Some(file.clone()));
            }
        }
        let is_new = |file: &FilePath| self.is_stale(file).is_none();
        Ok(self.session.code(&|_| true)?.into_iter().find(is_new))
    }
}

/// The messages of a build.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BuildError {
    #[serde(flatten)]
    message: Message,
    /// The file changed since
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<bool>,
}

/// The section of the last build.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Build {
    build_errors: Vec<BuildError>,
    build_error_count: usize,
    build_warning_count: usize,
    build_errors_truncated: bool,
    /// Milliseconds since the epoch; absent when nothing was built
    #[serde(skip_serializing_if = "Option::is_none")]
    build_timestamp: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    build_success: Option<bool>,
    /// A source file changed since
    #[serde(skip_serializing_if = "Option::is_none")]
    build_stale: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    build_message: Option<String>,
}

impl Build {
    /// The last build of this server, as far as a call wants it.
    pub(crate) fn last(
        session: &Session<'_>,
        severity: Option<Admitted>,
        max: usize,
    ) -> Result<Self, ToolError> {
        let Some(report) = session.project.jobs().last_build() else {
            return Ok(Self {
                build_errors: Vec::new(),
                build_error_count: 0,
                build_warning_count: 0,
                build_errors_truncated: false,
                build_timestamp: None,
                build_success: None,
                build_stale: None,
                build_message: Some("this server has built nothing: call ide_build_project".to_owned()),
            });
        };
        let then = RecordedFiles::new(session, &report.sources);
        let is_wanted = |said: &&ToolMessage| admits(severity, said.severity);
        let wanted: Vec<&ToolMessage> = report.messages.iter().filter(is_wanted).collect();
        let count = |of| report.messages.iter().filter(|said| said.severity == of).count();
        let row = |said: &&ToolMessage| BuildError {
            message: Message::from(*said),
            stale: said.file.as_ref().and_then(|file| then.is_stale(file)).filter(|stale| *stale),
        };
        let change = then.first_change()?;
        let mut build = Self {
            build_errors: wanted.iter().take(max).map(row).collect(),
            build_error_count: report.errors.unwrap_or_else(|| count(Severity::Error)),
            build_warning_count: report.warnings.unwrap_or_else(|| count(Severity::Warning)),
            build_errors_truncated: wanted.len() > max || report.left_out > 0,
            build_timestamp: Some(report.ended_at),
            build_success: Some(report.success),
            build_stale: Some(change.is_some()),
            build_message: None,
        };
        build.build_message = match (&report.aborted, change) {
            (Some(why), _) => Some(format!("the build ended before its time: {why}")),
            (None, Some(file)) => {
                Some(format!("`{file}` changed since this build: call ide_build_project again"))
            }
            (None, None) if !report.success && report.messages.is_empty() => Some(
                "the build failed without a message that can be read: see rawOutput of ide_build_project"
                    .to_owned(),
            ),
            (None, None) => None,
        };
        Ok(build)
    }
}

// Not a doc comment, which the schema of the parameter would repeat: the tests that are listed.
#[derive(Clone, Copy, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum ShownTests {
    Failed,
    All,
}

/// One test that was run.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TestRow {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    suite: Option<String>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stacktrace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// The file changed since
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<bool>,
}

/// How many tests ended how.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Summary {
    total: usize,
    passed: usize,
    failed: usize,
    ignored: usize,
}

/// The section of the last run of tests.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tests {
    test_results: Vec<TestRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test_summary: Option<Summary>,
    test_results_truncated: bool,
    /// Messages of compilers: tests that could not be built
    #[serde(skip_serializing_if = "Vec::is_empty")]
    test_build_errors: Vec<BuildError>,
    /// Milliseconds since the epoch; absent when no test was run
    #[serde(skip_serializing_if = "Option::is_none")]
    test_timestamp: Option<u64>,
    /// A source file changed since
    #[serde(skip_serializing_if = "Option::is_none")]
    test_stale: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test_message: Option<String>,
}

impl Tests {
    /// The last run of this server, as far as a call wants it.
    pub(crate) fn last(
        session: &Session<'_>,
        severity: Option<Admitted>,
        which: ShownTests,
        max: usize,
    ) -> Result<Self, ToolError> {
        let Some(report) = session.project.jobs().last_tests() else {
            return Ok(Self {
                test_results: Vec::new(),
                test_summary: None,
                test_results_truncated: false,
                test_build_errors: Vec::new(),
                test_timestamp: None,
                test_stale: None,
                test_message: Some("this server has run no tests: call ide_run_tests".to_owned()),
            });
        };
        let then = RecordedFiles::new(session, &report.sources);
        let stale =
            |file: Option<&FilePath>| file.and_then(|file| then.is_stale(file)).filter(|stale| *stale);
        let is_wanted = |result: &&TestResult| {
            let is_failed = matches!(result.status, TestStatus::Failed | TestStatus::Error);
            let (of, is_listed) =
                (if is_failed { Severity::Error } else { Severity::Info }, which == ShownTests::All);
            (is_failed || is_listed) && admits(severity, of)
        };
        let wanted: Vec<&TestResult> = report.results.iter().filter(is_wanted).collect();
        let row = |result: &&TestResult| TestRow {
            name: result.name.clone(),
            suite: result.suite.clone(),
            status: result.status.as_str(),
            duration_ms: result.duration_ms,
            error_message: result.message.clone(),
            stacktrace: result.stack.as_deref().map(without_middle),
            file: result.file.as_ref().map(ToString::to_string),
            line: result.line,
            stale: stale(result.file.as_ref()),
        };
        let said = report.messages.iter().filter(|said| admits(severity, said.severity));
        let said =
            said.map(|said| BuildError { message: Message::from(said), stale: stale(said.file.as_ref()) });
        let change = then.first_change()?;
        let message = match (&report.aborted, &change) {
            (Some(why), _) => Some(format!("the tests ended before their time: {why}")),
            (None, Some(file)) => {
                Some(format!("`{file}` changed since these tests: call ide_run_tests again"))
            }
            (None, None) => None,
        };
        Ok(Self {
            test_results: wanted.iter().take(max).map(row).collect(),
            test_summary: Some(Summary {
                total: report.passed + report.failed + report.skipped,
                passed: report.passed,
                failed: report.failed,
                ignored: report.skipped,
            }),
            test_results_truncated: wanted.len() > max,
            test_build_errors: said.take(max).collect(),
            test_timestamp: Some(report.ended_at),
            test_stale: Some(change.is_some()),
            test_message: message,
        })
    }
}

/// A long text with a mark in the place of its middle.
fn without_middle(text: &str) -> String {
    let count = text.chars().count();
    if count <= MAX_STACK {
        return text.to_owned();
    }
    let head: String = text.chars().take(MAX_STACK / 2).collect();
    let tail: String = text.chars().skip(count - MAX_STACK / 2).collect();
    format!("{head}\n… {} characters …\n{tail}", count - MAX_STACK)
}
