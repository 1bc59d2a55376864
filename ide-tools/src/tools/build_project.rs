//! `ide_build_project`: the project's own build system, with its messages as data.

use std::path::Path;
use std::sync::Arc;

use ide_model::{BuildOrder, BuildReport, JobKind, JobOrder, JobOutcome, JobState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::ProjectArg;
use crate::long::{Message, RUNS, Standing, WaitArgs, not_run};
use crate::tool::{Call, Hints, Tool};

/// Most messages of a result.
const MAX_MESSAGES: usize = 200;
/// Most characters of the raw output.
const MAX_RAW: usize = 100_000;

pub(crate) struct BuildProject;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    /// Everything anew, not only what changed
    rebuild: Option<bool>,
    /// One of several build systems, e.g. `maven`
    system: Option<String>,
    include_raw_output: Option<bool>,
    /// Wait for this running build
    build_id: Option<String>,
    #[serde(flatten)]
    wait: WaitArgs,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    build_id: String,
    #[serde(flatten)]
    standing: Standing,
    #[serde(skip_serializing_if = "Option::is_none")]
    success: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    aborted: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    abort_reason: Option<String>,
    /// Absent when no message could be read, which is not zero
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warnings: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    build_messages: Option<Vec<Message>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_output: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commands: Vec<String>,
}

impl Tool for BuildProject {
    const NAME: &'static str = "ide_build_project";
    const ABOUT: &'static str = "Builds the project with its own build system (Maven, Gradle, Bazel, Cargo, go, npm, pnpm, \
        yarn, bun with tsc, Python, Composer, make) and returns what the compilers say, by file and line. project_path of a module \
        builds that module. A long build goes on behind the call: call again with buildId. Runs code of the project, \
        which the user has to trust.";
    const HINTS: Hints = RUNS;
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let project = call.project(&args.project, None)?;
        let timeout = args.wait.timeout()?;
        let order = || {
            let module = args.project.project_path.as_deref().map(|path| path.trim_end_matches('/'));
            let module =
                module.filter(|path| Path::new(path) != Path::new(project.root())).map(str::to_owned);
            Ok(JobOrder::Build(BuildOrder {
                module,
                rebuild: args.rebuild.unwrap_or(false),
                system: args.system.as_deref().map(str::to_lowercase),
                timeout_seconds: timeout,
            }))
        };
        let job = args.wait.run(call, &*project, JobKind::Build, args.build_id.as_deref(), order)?;
        let budget = call.services.response_budget();
        match &job.outcome {
            None => Ok(Output::of(&job)),
            Some(JobOutcome::Build(report)) => {
                Ok(ended(&job, report, args.include_raw_output.unwrap_or(false), budget))
            }
            Some(other) => Err(not_run(other)),
        }
    }

    fn text(output: &Output) -> Option<String> {
        if let Some(text) = output.standing.text() {
            return Some(text);
        }
        let verdict = match (output.success, &output.abort_reason) {
            (_, Some(reason)) => format!("build ended before its time: {reason}"),
            (Some(true), None) => "build succeeded".to_owned(),
            _ => "build failed".to_owned(),
        };
        let count =
            |count: Option<usize>, what| count.map_or_else(String::new, |count| format!(", {count} {what}"));
        let seconds = output.duration_ms.unwrap_or(0) as f64 / 1_000.0;
        let (errors, warnings) = (count(output.errors, "errors"), count(output.warnings, "warnings"));
        let mut text =
            format!("{verdict} after {seconds:.1} s{errors}{warnings}: {}\n", output.commands.join("; "));
        output.build_messages.iter().flatten().for_each(|message| text.push_str(&message.text()));
        if output.truncated == Some(true) {
            text.push_str("not all messages are shown\n");
        }
        if let Some(raw) = &output.raw_output {
            text.push_str(raw);
            text.push('\n');
        }
        Some(text)
    }
}

impl Output {
    fn of(job: &JobState) -> Self {
        Self {
            build_id: job.id.clone(),
            standing: Standing::of(job, BuildProject::NAME, "buildId"),
            success: None,
            aborted: None,
            abort_reason: None,
            errors: None,
            warnings: None,
            build_messages: None,
            truncated: None,
            raw_output: None,
            duration_ms: None,
            commands: Vec::new(),
        }
    }
}

fn ended(job: &JobState, report: &Arc<BuildReport>, with_raw: bool, budget: usize) -> Output {
    let mut messages = Vec::new();
    // Half of the budget: the other half is for what stands around it.
    let mut room = budget / 2;
    for message in report.messages.iter().take(MAX_MESSAGES).map(Message::from) {
        let size = message.text().len();
        if size > room && !messages.is_empty() {
            break;
        }
        room = room.saturating_sub(size);
        messages.push(message);
    }
    let most = MAX_RAW.min(budget / 2);
    let raw = || {
        let count = report.output.chars().count();
        // The end says why.
        let shown: String = report.output.chars().skip(count.saturating_sub(most)).collect();
        if count > most { format!("[{} characters left out]\n{shown}", count - most) } else { shown }
    };
    Output {
        success: Some(report.success),
        aborted: Some(report.aborted.is_some()),
        abort_reason: report.aborted.clone(),
        errors: report.errors,
        warnings: report.warnings,
        truncated: Some(messages.len() < report.messages.len() + report.left_out),
        build_messages: Some(messages),
        raw_output: with_raw.then(raw),
        duration_ms: Some(report.duration_ms),
        commands: report.commands.clone(),
        ..Output::of(job)
    }
}

#[cfg(test)]
mod tests {
    use ide_model::{FilePath, Severity, ToolMessage};
    use serde_json::json;

    use super::*;
    use crate::testing::TestServer;

    fn message(line: u32) -> ToolMessage {
        ToolMessage {
            severity: Severity::Error,
            message: "undefined: x".to_owned(),
            file: Some(FilePath::new("a.go")),
            line: Some(line),
            column: Some(5),
            end_line: None,
            end_column: None,
            code: None,
            source: "go",
        }
    }

    fn server() -> TestServer {
        TestServer::new("\n//- a.go\npackage a\n")
    }

    #[test]
    fn a_running_build_says_how_to_ask_again() {
        let server = server();
        let running = server.ok("ide_build_project", json!({"timeoutSeconds": "600", "rebuild": true}));
        assert_eq!((&running["status"], &running["buildId"]), (&json!("running"), &json!("job-1")));
        assert_eq!(
            running["message"],
            "the build goes on (compiling); call ide_build_project again with buildId \"job-1\""
        );
        assert!(running.get("success").is_none() && running.get("errors").is_none(), "{running}");
        let order = BuildOrder { rebuild: true, timeout_seconds: Some(600), ..BuildOrder::default() };
        assert_eq!(server.jobs().orders(), [JobOrder::Build(order)]);
        assert_eq!(server.jobs().told(), ["compiling"]);
        server.ok("ide_build_project", json!({"buildId": "job-1", "cancel": true}));
        assert_eq!(server.jobs().cancelled(), ["job-1"]);
        assert_eq!(server.jobs().orders().len(), 1, "nothing is begun anew");
    }

    #[test]
    fn what_the_build_says_is_data() {
        let server = server();
        let report = BuildReport {
            commands: vec!["go build ./...".to_owned()],
            messages: (1..=250).map(message).collect(),
            errors: Some(250),
            output: "$ go build\nmany".to_owned(),
            duration_ms: 1_234,
            ..BuildReport::default()
        };
        server.jobs().will_be(JobOutcome::Build(Arc::new(report)));
        let result = server.ok("ide_build_project", json!({"system": "go"}));
        assert_eq!(
            (&result["success"], &result["aborted"], &result["errors"]),
            (&json!(false), &json!(false), &json!(250))
        );
        assert_eq!(result["buildMessages"].as_array().unwrap().len(), MAX_MESSAGES);
        assert_eq!((&result["truncated"], result.get("warnings")), (&json!(true), None));
        let first = json!({"category": "ERROR", "message": "undefined: x", "file": "a.go", "line": 1, "column": 5, "source": "go"});
        assert_eq!(result["buildMessages"][0], first);
        assert!(result.get("rawOutput").is_none());
        let raw = server.ok("ide_build_project", json!({"includeRawOutput": true}));
        assert_eq!(raw["rawOutput"], "$ go build\nmany");
        let text = server.call("ide_build_project", json!({})).text.unwrap();
        assert!(
            text.starts_with(
                "build failed after 1.2 s, 250 errors: go build ./...\na.go:1:5 ERROR undefined: x\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn wrong_calls_are_refused() {
        let server = server();
        let error = |args| server.err("ide_build_project", args)["error"].as_str().unwrap().to_owned();
        assert_eq!(error(json!({"timeoutSeconds": 0})), "invalid_argument");
        assert_eq!(error(json!({"cancel": true})), "invalid_argument");
        assert_eq!(error(json!({"buildId": "job-9"})), "job_not_found");
        let why = JobOutcome::Failed {
            error: "tool_missing",
            message: "Maven is not installed".to_owned(),
            hint: None,
        };
        server.jobs().will_be(why);
        assert_eq!(error(json!({})), "tool_missing");
    }
}
