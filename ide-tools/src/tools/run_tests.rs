//! `ide_run_tests`: tests run by the project's own runner, with results as data.

use std::sync::Arc;

use ide_model::{
    JobKind, JobOrder, JobOutcome, JobState, TestCase, TestOrder, TestReport, TestResult, TestStatus,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::{ProjectArg, nearest};
use crate::discover::tests;
use crate::long::{Message, RUNS, Standing, WaitArgs, not_run};
use crate::session::Session;
use crate::tool::{Call, Hints, Tool};

/// Most messages of compilers in a result.
const MAX_MESSAGES: usize = 100;
/// Characters of a stack and of an output that are shown.
const MAX_STACK: usize = 1_500;
const MAX_OUTPUT: usize = 10_000;

pub(crate) struct RunTests;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    /// Ids of ide_list_tests, names (Class#method), files, folders; none for all
    tests: Option<Vec<String>>,
    #[schemars(extend("enum" = super::list_tests::words()))]
    framework: Option<String>,
    /// Wait for this run
    run_id: Option<String>,
    /// Default 100; failed ones come first
    max_test_results: Option<i64>,
    #[serde(flatten)]
    wait: WaitArgs,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    run_id: String,
    #[serde(flatten)]
    standing: Standing,
    #[serde(skip_serializing_if = "Option::is_none")]
    success: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    aborted: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    abort_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    passed: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ignored: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test_results: Option<Vec<Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test_results_truncated: Option<bool>,
    /// Why tests could not be built or started
    #[serde(skip_serializing_if = "Vec::is_empty")]
    build_messages: Vec<Message>,
    /// The end of what was written, when no test ran
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_output: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commands: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Row {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    suite: Option<String>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stacktrace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

/// The beginning of a text in at most so many characters, and how much more there is.
fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}\n… ({} bytes more)", &text[..end], text.len() - end),
        None => text.to_owned(),
    }
}

impl From<&TestResult> for Row {
    fn from(result: &TestResult) -> Self {
        // Output of a test that passed is of no use to anybody.
        let is_shown = result.status != TestStatus::Passed;
        Self {
            id: result.id.clone(),
            name: result.name.clone(),
            suite: result.suite.clone(),
            status: result.status.as_str(),
            duration_ms: result.duration_ms,
            error_message: result.message.clone(),
            expected: result.expected.clone(),
            actual: result.actual.clone(),
            stacktrace: result.stack.as_ref().map(|stack| beginning(stack, MAX_STACK)),
            output: result.output.as_ref().filter(|_| is_shown).map(|output| beginning(output, MAX_OUTPUT)),
            file: result.file.as_ref().map(ToString::to_string),
            line: result.line,
        }
    }
}

impl Row {
    /// The same with less of what it wrote and of its stack.
    fn cut(mut self, most: usize) -> Self {
        for text in [&mut self.stacktrace, &mut self.output] {
            *text = text.take().filter(|_| most > 0).map(|text| beginning(&text, most));
        }
        self
    }

    fn text(&self) -> String {
        let place = self.file.as_ref().map_or_else(String::new, |file| {
            self.line.map_or_else(|| format!(" {file}"), |line| format!(" {file}:{line}"))
        });
        let name = self.id.as_ref().unwrap_or(&self.name);
        let mut text = format!("{} {name}{place}\n", self.status);
        if let Some(message) = &self.error_message {
            text.push_str(&format!("    {}\n", message.replace('\n', "\n    ")));
        }
        for (what, more) in [("stack", &self.stacktrace), ("output", &self.output)] {
            if let Some(more) = more {
                text.push_str(&format!("    {what}: {}\n", more.trim_end().replace('\n', "\n    ")));
            }
        }
        text
    }
}

impl Tool for RunTests {
    const NAME: &'static str = "ide_run_tests";
    const ABOUT: &'static str = "Runs tests with the project's own runner (Maven, Gradle, pytest, unittest, Jest, Vitest, \
        node:test, go test, cargo test, PHPUnit) and returns each with file and line of its failure, message, expected and \
        actual value. Without tests all of them. A long run goes on behind the call: call again with runId. Runs code of the \
        project, which the user has to trust.";
    const HINTS: Hints = RUNS;
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let project = call.project(&args.project, None)?;
        let timeout = args.wait.timeout()?;
        let order = || {
            let session = Session::open(call, &args.project, None)?;
            let mut known = tests(&session, &|_| true)?.tests;
            if let Some(framework) = args.framework.as_deref() {
                known.retain(|test| test.framework.as_str() == framework);
            }
            if known.is_empty() {
                return Err(ToolError::new("no_tests", "the project has no test that is known")
                    .hint("ide_list_tests says which frameworks are looked for")
                    .with("supportedValues", super::list_tests::words()));
            }
            let picked = match args.tests.as_deref() {
                None | Some([]) => args.framework.is_some().then(|| known.clone()),
                Some(wanted) => Some(pick(&known, wanted)?),
            };
            Ok(JobOrder::Tests(TestOrder { picked, known: Arc::new(known), timeout_seconds: timeout }))
        };
        let job = args.wait.run(call, &*project, JobKind::Tests, args.run_id.as_deref(), order)?;
        let most = args.max_test_results.unwrap_or(100).clamp(1, 5_000) as usize;
        match &job.outcome {
            None => Ok(Output::of(&job)),
            Some(JobOutcome::Tests(report)) => Ok(ended(&job, report, most, call.services.response_budget())),
            Some(other) => Err(not_run(other)),
        }
    }

    fn text(output: &Output) -> Option<String> {
        if let Some(text) = output.standing.text() {
            return Some(text);
        }
        let count = |count: Option<usize>| count.unwrap_or(0);
        let mut text = format!(
            "{} passed, {} failed, {} ignored after {:.1} s: {}\n",
            count(output.passed),
            count(output.failed),
            count(output.ignored),
            output.duration_ms.unwrap_or(0) as f64 / 1_000.0,
            output.commands.join("; ")
        );
        if let Some(reason) = &output.abort_reason {
            text.push_str(&format!("the run ended before its time: {reason}\n"));
        }
        output.build_messages.iter().for_each(|message| text.push_str(&message.text()));
        output.test_results.iter().flatten().for_each(|row| text.push_str(&row.text()));
        if output.test_results_truncated == Some(true) {
            text.push_str("not all results are shown: raise maxTestResults, or run fewer tests\n");
        }
        if let Some(raw) = &output.raw_output {
            text.push_str(raw);
            text.push('\n');
        }
        Some(text)
    }
}

/// The tests that names mean: ids, files and folders, classes, and names with as much around them as it takes.
fn pick(known: &[TestCase], wanted: &[String]) -> Result<Vec<TestCase>, ToolError> {
    let mut picked: Vec<TestCase> = Vec::new();
    for word in wanted {
        let word = word.trim();
        let exact: Vec<&TestCase> =
            known.iter().filter(|test| test.id == word || test.selector == word).collect();
        let found =
            if exact.is_empty() { known.iter().filter(|test| is_meant(test, word)).collect() } else { exact };
        if found.is_empty() {
            let error = ToolError::new("test_not_found", format!("no test is called `{word}`"));
            return Err(match nearest(word, known.iter().flat_map(|test| [&*test.id, &*test.name])) {
                Some(near) => error.hint(format!("did you mean `{near}`? ide_list_tests lists them")),
                None => error.hint("ide_list_tests lists them"),
            });
        }
        for test in found {
            if !picked.contains(test) {
                picked.push(test.clone());
            }
        }
    }
    Ok(picked)
}

fn is_meant(test: &TestCase, word: &str) -> bool {
    let file = test.file.as_str();
    let folder = word.trim_start_matches("./").trim_end_matches('/');
    if file == folder || file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')) {
        return true;
    }
    // `path::Suite` is everything in the suite.
    if test.id.strip_prefix(word).is_some_and(|rest| rest.starts_with("::")) {
        return true;
    }
    let parts = |text: &str| -> Vec<String> {
        let parts =
            text.split(['#', '.', ':', '$', '\\', '/', '>']).map(str::trim).filter(|part| !part.is_empty());
        parts.map(|part| part.trim_end_matches("()").to_owned()).collect()
    };
    let wanted = parts(word);
    let around = parts(&test.selector);
    let class = around.len().saturating_sub(parts(&test.name).len());
    let own: Vec<String> = test.suites.iter().chain([&test.name]).flat_map(|part| parts(part)).collect();
    // The test itself, or a class around it.
    !wanted.is_empty()
        && (around.ends_with(&wanted)
            || own.ends_with(&wanted)
            || around[..class].ends_with(&wanted)
            || parts(&test.suites.join("::")).ends_with(&wanted))
}

impl Output {
    fn of(job: &JobState) -> Self {
        Self {
            run_id: job.id.clone(),
            standing: Standing::of(job, RunTests::NAME, "runId"),
            success: None,
            aborted: None,
            abort_reason: None,
            total: None,
            passed: None,
            failed: None,
            ignored: None,
            test_results: None,
            test_results_truncated: None,
            build_messages: Vec::new(),
            raw_output: None,
            duration_ms: None,
            commands: Vec::new(),
        }
    }
}

fn ended(job: &JobState, report: &Arc<TestReport>, most: usize, budget: usize) -> Output {
    let total = report.passed + report.failed + report.skipped;
    let rows = rows(report, most, budget / 2);
    let raw = || {
        let count = report.output.chars().count();
        report.output.chars().skip(count.saturating_sub(MAX_OUTPUT)).collect::<String>()
    };
    Output {
        success: Some(report.success),
        aborted: Some(report.aborted.is_some()),
        abort_reason: report.aborted.clone(),
        total: Some(total),
        passed: Some(report.passed),
        failed: Some(report.failed),
        ignored: Some(report.skipped),
        test_results_truncated: Some(rows.len() < total),
        test_results: Some(rows),
        build_messages: report.messages.iter().take(MAX_MESSAGES).map(Message::from).collect(),
        raw_output: (total == 0).then(raw),
        duration_ms: Some(report.duration_ms),
        commands: report.commands.clone(),
        ..Output::of(job)
    }
}

/// As many results as there is room for. When those that failed need more, stacks and outputs go before results do.
fn rows(report: &TestReport, most: usize, budget: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for detail in [MAX_OUTPUT, 400, 0] {
        let mut room = budget;
        rows.clear();
        for row in report.results.iter().take(most).map(|result| Row::from(result).cut(detail)) {
            let size = row.text().len() + 100;
            if size > room && !rows.is_empty() {
                break;
            }
            room = room.saturating_sub(size);
            rows.push(row);
        }
        if rows.len() >= report.failed.min(most) {
            break;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use ide_model::FilePath;
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::TestServer;

    const SOURCE: &str = "
//- a/test_cart.py
import pytest
class TestCart:
#     ^^^^^^^^ def TestCart
    def test_sums(self):
#       ^^^^^^^^^ def TestCart.test_sums
        pass
def test_sums():
#   ^^^^^^^^^ def test_sums
    pass
";

    fn picked(server: &TestServer, tests: Value) -> Vec<String> {
        server.ok("ide_run_tests", json!({ "tests": tests }));
        let orders = server.jobs().orders();
        let Some(JobOrder::Tests(order)) = orders.last() else { panic!("{orders:?}") };
        assert_eq!(order.known.len(), 2);
        order.picked.iter().flatten().map(|test| test.id.clone()).collect()
    }

    #[test]
    fn tests_are_picked_by_ids_names_classes_and_files() {
        let server = TestServer::new(SOURCE);
        let (method, function) = ("a/test_cart.py::TestCart::test_sums", "a/test_cart.py::test_sums");
        assert_eq!(picked(&server, json!([function])), [function]);
        assert_eq!(picked(&server, json!(["TestCart#test_sums"])), [method]);
        assert_eq!(picked(&server, json!(["TestCart.test_sums()"])), [method]);
        assert_eq!(picked(&server, json!(["TestCart"])), [method]);
        assert_eq!(picked(&server, json!(["a/test_cart.py::TestCart"])), [method]);
        assert_eq!(picked(&server, json!(["a/test_cart.py"])), [method, function]);
        assert_eq!(picked(&server, json!(["a", "test_sums"])), [method, function]);
        assert!(picked(&server, Value::Null).is_empty(), "all are run");
        let error = server.err("ide_run_tests", json!({"tests": ["test_sum"]}));
        assert_eq!(error["error"], "test_not_found");
        assert!(error["hint"].as_str().unwrap().contains("`test_sums`"), "{error}");
        assert_eq!(server.err("ide_run_tests", json!({"framework": "junit"}))["error"], "no_tests");
    }

    #[test]
    fn results_have_the_place_of_the_failure() {
        let server = TestServer::new(SOURCE);
        let result = |line: u32, status: TestStatus| TestResult {
            id: Some("a/test_cart.py::test_sums".to_owned()),
            name: "test_sums".to_owned(),
            suite: None,
            status,
            duration_ms: Some(3),
            message: (status == TestStatus::Failed).then(|| "assert -5 == 5".to_owned()),
            expected: Some("5".to_owned()),
            actual: Some("-5".to_owned()),
            stack: None,
            output: Some("said".to_owned()),
            file: Some(FilePath::new("a/test_cart.py")),
            line: Some(line),
        };
        let report = TestReport {
            results: vec![result(7, TestStatus::Failed), result(6, TestStatus::Passed)],
            passed: 1,
            failed: 1,
            duration_ms: 2_000,
            commands: vec!["pytest".to_owned()],
            ..TestReport::default()
        };
        let first_report = report.clone();
        server.jobs().will_be(JobOutcome::Tests(Arc::new(report)));
        let shown = server.ok("ide_run_tests", json!({"runId": "job-1"}));
        assert_eq!(
            (&shown["success"], &shown["total"], &shown["failed"]),
            (&json!(false), &json!(2), &json!(1))
        );
        let first = json!({"id": "a/test_cart.py::test_sums", "name": "test_sums", "status": "failed", "durationMs": 3, "errorMessage": "assert -5 == 5", "expected": "5", "actual": "-5", "output": "said", "file": "a/test_cart.py", "line": 7});
        assert_eq!(shown["testResults"][0], first);
        assert!(shown["testResults"][1].get("output").is_none() && shown.get("rawOutput").is_none());
        let many: Vec<TestResult> = (1..=40)
            .map(|line| TestResult { stack: Some("x".repeat(2_000)), ..result(line, TestStatus::Failed) })
            .collect();
        let report = TestReport { results: many, failed: 40, ..TestReport::default() };
        server.jobs().will_be(JobOutcome::Tests(Arc::new(report)));
        let shown = server.ok("ide_run_tests", json!({"runId": "job-1"}));
        assert_eq!(
            shown["testResults"].as_array().unwrap().len(),
            40,
            "every failure is shown, without its stack"
        );
        server.jobs().will_be(JobOutcome::Tests(Arc::new(first_report)));
        let cut = server.ok("ide_run_tests", json!({"runId": "job-1", "maxTestResults": 1}));
        assert_eq!(
            (cut["testResults"].as_array().unwrap().len(), &cut["testResultsTruncated"]),
            (1, &json!(true))
        );
        let text = server.call("ide_run_tests", json!({"runId": "job-1"})).text.unwrap();
        assert!(text.starts_with("1 passed, 1 failed, 0 ignored after 2.0 s: pytest\nfailed a/test_cart.py::test_sums a/test_cart.py:7\n    assert -5 == 5\n"), "{text}");
    }
}
