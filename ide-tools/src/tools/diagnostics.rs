//! `ide_diagnostics`: problems of files as the index, compilers and linters see them, of the last build and of the last tests.

use std::collections::BTreeSet;

use ide_model::{Cx, FileMeta, FilePath, ToolMessage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::ProjectArg;
use crate::checkers::{Checked, Pass, checked};
use crate::fixes::NamedFix;
use crate::long::Message;
use crate::problems::{Admitted, Problem, admits};
use crate::recorded::{Build, ShownTests, Tests};
use crate::services::EntryKind;
use crate::session::{Session, position};
use crate::survey::{FileVisit, Survey, SurveyEnd};
use crate::symbols::reason;
use crate::tool::{Call, Tool};

const MAX_FILES: usize = 100;
/// The most files that a call analyses.
const MAX_CHANGED: usize = 1_000;
/// Seconds for the files of one call: clients give up after 60.
const SECONDS: u64 = 40;

pub(crate) struct Diagnostics;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    file: Option<String>,
    /// Files or directories
    files: Option<Vec<String>>,
    /// Git revision
    changed_since: Option<String>,
    start_line: Option<i64>,
    end_line: Option<i64>,
    severity: Option<Admitted>,
    #[schemars(extend("x-hidden" = true))]
    max_problems: Option<i64>,
    /// auto, cargo, tsc, …
    checkers: Option<Vec<String>>,
    #[schemars(extend("x-hidden" = true))]
    check_id: Option<String>,
    #[schemars(extend("x-hidden" = true))]
    wait_seconds: Option<i64>,
    #[schemars(extend("x-hidden" = true))]
    include_build_errors: Option<bool>,
    #[schemars(extend("x-hidden" = true))]
    include_test_results: Option<bool>,
    #[schemars(extend("x-hidden" = true))]
    test_result_filter: Option<ShownTests>,
    #[schemars(extend("x-hidden" = true))]
    max_build_errors: Option<i64>,
    #[schemars(extend("x-hidden" = true))]
    max_test_results: Option<i64>,
    /// Place for intentions; needs file
    #[schemars(extend("x-hidden" = true))]
    line: Option<i64>,
    #[schemars(extend("x-hidden" = true))]
    column: Option<i64>,
}

impl Args {
    /// Asks for one file.
    pub(super) fn of_file(
        project: ProjectArg,
        file: String,
        start_line: Option<i64>,
        end_line: Option<i64>,
    ) -> Self {
        Self { project, file: Some(file), start_line, end_line, ..Self::default() }
    }

    fn runs_checkers(&self) -> bool {
        self.checkers.is_some() || self.check_id.is_some()
    }

    /// Whether the index looks at files.
    fn names_files(&self) -> bool {
        self.file.is_some() || self.files.is_some() || self.changed_since.is_some()
    }
}

/// A quick fix at the place that the call names.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Intention {
    name: String,
    description: String,
    /// For ide_apply_quick_fix
    fix_id: String,
}

#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    pub(super) problems: Vec<Problem>,
    pub(super) problem_count: usize,
    problems_truncated: bool,
    /// Quick fixes at line and column
    #[serde(skip_serializing_if = "Option::is_none")]
    intentions: Option<Vec<Intention>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    intention_count: Option<usize>,
    /// Whether everything that was asked has looked at the files as they are now
    pub(super) analysis_fresh: bool,
    analysis_timed_out: bool,
    /// The engines that looked: embedded, language-server, ide
    analysis_mode: String,
    /// Problems that this analysis does not see
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) analysis_message: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    file_analyses: Vec<FileAnalysis>,
    /// Files of the revision that are gone
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gone_files: Vec<String>,
    /// Checkers that run on: give it as checkId
    #[serde(skip_serializing_if = "Option::is_none")]
    check_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check_message: Option<String>,
    /// A row for each compiler and linter
    #[serde(skip_serializing_if = "Option::is_none")]
    checks: Option<Vec<Pass>>,
    /// Messages of checkers without a place, or about a text that the file no longer has
    #[serde(skip_serializing_if = "Vec::is_empty")]
    check_messages: Vec<Message>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    build: Option<Build>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    tests: Option<Tests>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FileAnalysis {
    file: String,
    fresh: bool,
    timed_out: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    problem_count: usize,
    problems_truncated: bool,
    /// Checkers and language servers that have a verdict on the text as it is now
    #[serde(skip_serializing_if = "Option::is_none")]
    checked_by: Option<Vec<String>>,
}

impl FileAnalysis {
    /// A file that nothing was found out of.
    fn unknown(file: String, timed_out: bool, message: String) -> Self {
        Self {
            file,
            fresh: false,
            timed_out,
            message: Some(message),
            problem_count: 0,
            problems_truncated: false,
            checked_by: None,
        }
    }
}

impl Tool for Diagnostics {
    const NAME: &'static str = "ide_diagnostics";
    const ABOUT: &'static str = "Problems in files as they are now; checkers runs compilers and linters. checks says who looked: \
        none found does not mean it compiles.";
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let recorded = [args.include_build_errors, args.include_test_results].contains(&Some(true));
        check_args(&args, recorded)?;
        let session = Session::open(call, &args.project, None)?;
        let mut output =
            Output { analysis_fresh: true, analysis_mode: "embedded".to_owned(), ..Output::default() };
        let (files, missing) = output.wanted(&session, &args)?;
        if args.names_files() {
            output.analyze(call, &session, &args, &files)?;
        }
        if args.runs_checkers() {
            output.check(call, &session, &args, files)?;
        }
        if let (Some(path), Some(line)) = (&args.file, args.line) {
            output.intend(&session, path, line, args.column.unwrap_or(1))?;
        }
        let most = |given: Option<i64>| given.unwrap_or(100).clamp(1, 500) as usize;
        if args.include_build_errors == Some(true) {
            output.build = Some(Build::last(&session, args.severity, most(args.max_build_errors))?);
        }
        if args.include_test_results == Some(true) {
            let which = args.test_result_filter.unwrap_or(ShownTests::Failed);
            output.tests = Some(Tests::last(&session, args.severity, which, most(args.max_test_results))?);
        }
        match missing {
            Some(error) if output.file_analyses.iter().all(|file| !file.fresh && file.problem_count == 0) => {
                Err(error)
            }
            _ => Ok(output),
        }
    }
}

impl Output {
    /// The files that the call names, and why the first one is not there that is missing.
    fn wanted(
        &mut self,
        session: &Session<'_>,
        args: &Args,
    ) -> Result<(Vec<FilePath>, Option<ToolError>), ToolError> {
        if let Some(revision) = &args.changed_since {
            let changed = session.project.changed_since(session.cx, revision, &session.code(&|_| true)?)?;
            let mut files = changed.files;
            self.without_beyond(&mut files);
            self.gone_files = changed.gone.iter().map(ToString::to_string).collect();
            return Ok((files, None));
        }
        if let Some(path) = &args.file {
            let file = session.indexed(path)?;
            if let Some(line) = args.start_line {
                session.offset(&file, line, 1)?;
            }
            return Ok((vec![file], None));
        }
        let (mut files, mut missing) = (Vec::new(), None);
        for path in args.files.iter().flatten() {
            if let Ok((directory, Some(EntryKind::Directory))) = session.project.entry(path) {
                let below = format!("{directory}/");
                let is_below =
                    |file: &FileMeta| directory.as_str().is_empty() || file.path.as_str().starts_with(&below);
                files.extend(session.code(&is_below)?);
                continue;
            }
            match session.indexed(path) {
                Ok(file) => files.push(file),
                Err(error) if matches!(error.slug, "timeout" | "cancelled") => return Err(error),
                // One of several that is not there says nothing about the others.
                Err(error) => {
                    self.not_analyzed(FileAnalysis::unknown(path.clone(), false, error.message.clone()));
                    missing.get_or_insert(error);
                }
            }
        }
        self.without_beyond(&mut files);
        Ok((files, missing))
    }

    /// Leaves out the files beyond the most that are analysed, and says which.
    fn without_beyond(&mut self, files: &mut Vec<FilePath>) {
        for beyond in files.split_off(files.len().min(MAX_CHANGED)) {
            let message = format!("one of more than {MAX_CHANGED} files: give it as `file`");
            self.not_analyzed(FileAnalysis::unknown(beyond.to_string(), false, message));
        }
    }

    fn not_analyzed(&mut self, file: FileAnalysis) {
        self.analysis_fresh = false;
        self.file_analyses.push(file);
    }

    /// Adds what the index finds.
    fn analyze(
        &mut self,
        call: &Call<'_>,
        session: &Session<'_>,
        args: &Args,
        files: &[FilePath],
    ) -> Result<(), ToolError> {
        let max = max_of(args);
        let (first, last) = line_range(args)?;
        let stop = call.services.stop_after(SECONDS);
        // Providers may be slow: half of the time is for the index alone.
        let patience = call.services.stop_after(SECONDS / 2);
        let mut survey = Survey::of(files.to_vec());
        let mut engines = BTreeSet::from(["embedded"]);
        let left = survey.go_on(session, Cx::new(&stop), u64::MAX, &mut |file, look| {
            let (own, message, is_looked_at) = match look {
                FileVisit::Analyzed(answer) => (answer.value, reason(answer.completeness), true),
                // Nothing was looked at, and an empty list must not say otherwise.
                FileVisit::Skipped(message) => (Vec::new(), Some(message), false),
                FileVisit::Failed(error) if args.file.is_some() => return Err(error),
                FileVisit::Failed(error) => {
                    self.not_analyzed(FileAnalysis::unknown(file.to_string(), false, error.message));
                    return Ok(());
                }
            };
            let all = session.all_problems(Cx::new(&patience), &file, &own, args.severity)?;
            let is_fresh = all.silent.is_none() && (is_looked_at || !all.by.is_empty());
            let message = all.silent.or(message.filter(|_| all.by.is_empty()));
            engines.extend(all.engines);
            let mut found = all.found;
            found.retain(|(problem, _)| (first..=last).contains(&problem.line));
            found.sort_by(|(a, _), (b, _)| {
                (a.line, a.column, a.severity).cmp(&(b.line, b.column, b.severity))
            });
            let room = max - self.problems.len();
            if args.file.is_none() {
                self.file_analyses.push(FileAnalysis {
                    file: file.to_string(),
                    fresh: is_fresh,
                    timed_out: false,
                    message: message.clone(),
                    problem_count: found.len(),
                    problems_truncated: found.len() > room,
                    checked_by: (!all.by.is_empty()).then_some(all.by),
                });
            }
            self.problem_count += found.len();
            self.problems_truncated |= found.len() > room;
            for (mut problem, at) in found.into_iter().take(room) {
                session.cx.check()?;
                // Of those that are shown only: where thousands of blocks are left open, each is inside of the others.
                let around = session.ast_path(&file, at, None)?;
                problem.enclosing_symbol = (!around.is_empty()).then(|| around.join("."));
                self.problems.push(problem);
            }
            self.analysis_fresh &= is_fresh;
            self.analysis_message = self.analysis_message.take().or(message);
            Ok(())
        })?;
        self.analysis_mode = engines.into_iter().collect::<Vec<_>>().join("+");
        if left == SurveyEnd::Late {
            self.analysis_timed_out = true;
            for file in survey.into_left() {
                let message = "time ran out before it: give it as `file`".to_owned();
                self.not_analyzed(FileAnalysis::unknown(file.to_string(), true, message));
            }
        }
        Ok(())
    }

    /// Adds what compilers and linters find.
    fn check(
        &mut self,
        call: &Call<'_>,
        session: &Session<'_>,
        args: &Args,
        files: Vec<FilePath>,
    ) -> Result<(), ToolError> {
        let asked: BTreeSet<String> = files.iter().map(ToString::to_string).collect();
        let wanted = args.checkers.as_deref().unwrap_or_default();
        let only = args.names_files().then_some(files);
        let checked = checked(call, session, (wanted, args.check_id.as_deref()), only, args.wait_seconds)?;
        self.analysis_fresh &= checked.is_proof();
        if checked.is_running {
            self.check_id = Some(checked.id.clone());
            self.check_message = checked.standing.text().map(|text| text.trim_end().to_owned());
            return Ok(());
        }
        if checked.passes.is_empty() {
            self.check_message = Some("no compiler or linter ran: none that fits these files is installed and set up in this project".to_owned());
        }
        let (first, last) = line_range(args)?;
        let is_wanted = |said: &&ToolMessage| {
            let is_near =
                asked.is_empty() || said.file.as_ref().is_none_or(|file| asked.contains(file.as_str()));
            admits(args.severity, said.severity)
                && is_near
                && said.line.is_none_or(|line| (first..=last).contains(&line))
        };
        let max = max_of(args);
        for said in checked.messages.iter().filter(is_wanted) {
            match Problem::said(said) {
                Some(problem) if self.problems.len() < max => self.problems.push(problem),
                Some(_) => self.problems_truncated = true,
                None if self.check_messages.len() < max => self.check_messages.push(Message::from(said)),
                None => continue,
            }
            self.problem_count += usize::from(said.file.is_some() && said.line.is_some());
        }
        let stale: Vec<&ToolMessage> = checked.stale.iter().filter(is_wanted).collect();
        if !stale.is_empty() {
            self.analysis_fresh = false;
            self.check_message =
                Some("files changed since they were checked: run the checkers again".to_owned());
            let room = max.saturating_sub(self.check_messages.len());
            self.check_messages.extend(stale.into_iter().take(room).map(Message::from));
        }
        self.problems_truncated |= checked.left_out > 0;
        self.say_who_covers(&asked, &checked);
        self.checks = Some(checked.passes);
        Ok(())
    }

    /// Says of each file who has a verdict on it: without one it is not fresh.
    fn say_who_covers(&mut self, asked: &BTreeSet<String>, checked: &Checked) {
        let by = |file: &str| checked.covered.get(&FilePath::new(file)).cloned().unwrap_or_default();
        self.analysis_fresh &= asked.iter().all(|file| !by(file).is_empty());
        for file in &mut self.file_analyses {
            let checkers = by(&file.file).into_iter().map(str::to_owned);
            file.checked_by.get_or_insert_default().extend(checkers);
        }
    }

    /// Adds the fixes at a place; where none can be offered the list stays absent.
    fn intend(&mut self, session: &Session<'_>, path: &str, line: i64, column: i64) -> Result<(), ToolError> {
        let file = session.indexed(path)?;
        let offset = session.offset(&file, line, column)?;
        let fixes = match session.fixes_at(&file, offset) {
            Err(error) if error.slug == "unsupported_language" => return Ok(()),
            fixes => fixes?,
        };
        let intention = |named: NamedFix| Intention {
            name: named.fix.title,
            description: format!("for {}", named.fix.code),
            fix_id: named.id,
        };
        let all: Vec<Intention> = fixes.into_iter().map(intention).collect();
        self.intention_count = Some(all.len());
        self.intentions = Some(all);
        Ok(())
    }
}

fn max_of(args: &Args) -> usize {
    args.max_problems.unwrap_or(100).clamp(1, 5_000) as usize
}

fn check_args(args: &Args, is_recorded: bool) -> Result<(), ToolError> {
    let ways = [args.file.is_some(), args.files.is_some(), args.changed_since.is_some()];
    if ways.iter().filter(|way| **way).count() > 1 {
        return Err(ToolError::argument("give one of `file`, `files` and `changedSince`"));
    }
    if let Some(files) = args.files.as_ref().filter(|files| files.len() > MAX_FILES) {
        return Err(ToolError::argument(format!("`files` holds {} paths, at most {MAX_FILES}", files.len())));
    }
    if args.file.is_none() && (args.start_line.is_some() || args.end_line.is_some()) {
        return Err(ToolError::argument("`startLine` and `endLine` need `file`"));
    }
    if !args.names_files() && !args.runs_checkers() && !is_recorded {
        return Err(ToolError::argument(
            "nothing to analyse: give `file`, `files`, `changedSince`, `checkers`, `includeBuildErrors` or `includeTestResults`",
        ));
    }
    line_range(args).map(drop)
}

fn line_range(args: &Args) -> Result<(u32, u32), ToolError> {
    let bound = |name, line: Option<i64>, open| line.map_or(Ok(open), |line| position(name, line));
    let first = bound("startLine", args.start_line, 1)?;
    let last = bound("endLine", args.end_line, u32::MAX)?;
    if last < first {
        return Err(ToolError::argument(format!("`endLine` {last} is before `startLine` {first}")));
    }
    Ok((first, last))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ide_model::{
        BuildReport, CheckOrder, CheckReport, CheckState, ContentHash, Engine, JobOrder, JobOutcome,
        Language, Provided, ProviderDiagnostic, Severity, TestReport, TestResult, TestStatus, TextRange,
    };
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::TestServer;

    const SOURCE: &str = "
//- a.py
def run():
#   ^^^ def run
    ???
x = ???
//- b.py
y = 1
";

    #[test]
    fn problems_and_what_was_not_checked() {
        let result =
            TestServer::new(SOURCE).ok("ide_diagnostics", json!({"file": "a.py", "line": 1, "column": 1}));
        assert_eq!((&result["problemCount"], &result["analysisMode"]), (&json!(2), &json!("embedded")));
        assert_eq!(result["analysisMessage"], "only syntax is checked");
        let expected = json!({"message": "unexpected `???`", "severity": "ERROR", "file": "a.py", "line": 2, "column": 5, "endLine": 2, "endColumn": 8, "code": "syntax", "source": "index", "enclosingSymbol": "run"});
        assert_eq!(result["problems"][0], expected);
    }

    #[test]
    fn each_parameter_matters() {
        let server = TestServer::new(SOURCE);
        let count = |args: Value| server.ok("ide_diagnostics", args)["problemCount"].clone();
        assert_eq!(count(json!({"file": "a.py", "startLine": 3})), 1);
        assert_eq!(count(json!({"file": "a.py", "endLine": 2})), 1);
        assert_eq!(count(json!({"file": "a.py", "severity": "warnings"})), 0);
        let cut = server.ok("ide_diagnostics", json!({"file": "a.py", "maxProblems": 1}));
        assert_eq!((&cut["problemCount"], &cut["problemsTruncated"]), (&json!(2), &json!(true)));
        let many = server.ok("ide_diagnostics", json!({"files": ["a.py", "b.py"]}));
        assert_eq!(
            many["fileAnalyses"][1],
            json!({"file": "b.py", "fresh": true, "timedOut": false, "message": "only syntax is checked", "problemCount": 0, "problemsTruncated": false})
        );
    }

    #[test]
    fn problems_of_providers_stand_beside_those_of_the_index() {
        let problem = |start: u32, message: &str, severity| ProviderDiagnostic {
            range: TextRange::new(start, start + 3),
            severity,
            code: None,
            message: message.to_owned(),
            source: (message == "worse").then(|| "checker".to_owned()),
        };
        let at = |text: &str| SOURCE.find(text).unwrap() as u32 - SOURCE.find("def run").unwrap() as u32;
        // The claim below `def run` is no part of the text.
        let claim = "#   ^^^ def run\n".len() as u32;
        let problems = vec![
            problem(at("    ???") + 4 - claim, "no expression", Severity::Error),
            problem(at("x = ???") - claim, "worse", Severity::Warning),
        ];
        let by = |name: &str, said| Provided { by: Engine::LanguageServer, name: name.to_owned(), said };
        let server = TestServer::new(SOURCE).with_providers(vec![by("pyright", Ok(problems.clone()))]);
        let result = server.ok("ide_diagnostics", json!({"file": "a.py"}));
        let told: Vec<_> = result["problems"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| (&p["line"], &p["message"], &p["source"]))
            .collect();
        let line = |n: i64, message: &str, source: &str| (json!(n), json!(message), json!(source));
        let expected = [
            line(2, "no expression", "pyright"),
            line(3, "worse", "checker"),
            line(3, "unexpected `???`", "index"),
        ];
        assert_eq!(told, expected.iter().map(|(a, b, c)| (a, b, c)).collect::<Vec<_>>());
        assert_eq!(
            (&result["analysisMode"], &result["analysisFresh"]),
            (&json!("embedded+language-server"), &json!(true))
        );
        assert_eq!(result["analysisMessage"], Value::Null, "the provider checks more than syntax");
        let errors = server.ok("ide_diagnostics", json!({"files": ["a.py"], "severity": "errors"}));
        assert_eq!(
            (&errors["problemCount"], &errors["fileAnalyses"][0]["checkedBy"]),
            (&json!(2), &json!(["pyright"]))
        );
        let all = server.ok("ide_project_diagnostics", json!({}));
        assert_eq!(all["problemCount"], 3 + 2, "of both files");

        let silent = by("gopls", Err("no answer within 8 s".to_owned()));
        let result = TestServer::new(SOURCE)
            .with_providers(vec![silent])
            .ok("ide_diagnostics", json!({"file": "a.py"}));
        assert_eq!((&result["problemCount"], &result["analysisFresh"]), (&json!(2), &json!(false)));
        assert_eq!(result["analysisMessage"], "gopls did not look at it: no answer within 8 s");
        let silent = ["a", "b"].map(|name| by(name, Err("it crashed".to_owned()))).to_vec();
        let result =
            TestServer::new(SOURCE).with_providers(silent).ok("ide_diagnostics", json!({"file": "a.py"}));
        assert_eq!(
            result["analysisMessage"],
            "a did not look at it: it crashed; b did not look at it: it crashed"
        );
    }

    #[test]
    fn a_missing_file_does_not_hide_the_problems_of_others() {
        let result = TestServer::new(SOURCE).ok("ide_diagnostics", json!({"files": ["gone.py", "a.py"]}));
        assert_eq!((&result["problemCount"], &result["analysisFresh"]), (&json!(2), &json!(false)));
        assert_eq!(result["fileAnalyses"][0]["file"], "gone.py");
        assert!(result["fileAnalyses"][0]["message"].as_str().unwrap().contains("no file"));
    }

    #[test]
    fn nothing_to_do_is_an_error() {
        let server = TestServer::new(SOURCE);
        let error = |args: Value| server.err("ide_diagnostics", args)["error"].as_str().unwrap().to_owned();
        assert_eq!(error(json!({})), "invalid_argument");
        assert_eq!(error(json!({"startLine": 1})), "invalid_argument");
        assert_eq!(error(json!({"file": "a.py", "files": ["b.py"]})), "invalid_argument");
        assert_eq!(error(json!({"file": "a.py", "startLine": 3, "endLine": 2})), "invalid_argument");
        assert_eq!(error(json!({"file": "a.py", "startLine": 99})), "invalid_argument");
        assert_eq!(error(json!({"file": "gone.py"})), "file_not_found");
    }

    #[test]
    fn what_changed_since_a_revision_is_analysed() {
        let server = TestServer::new(SOURCE);
        let result = server.ok("ide_diagnostics", json!({"changedSince": "HEAD"}));
        assert_eq!(
            (&result["problemCount"], &result["fileAnalyses"][0]["file"]),
            (&json!(0), &json!("b.py"))
        );
        assert_eq!(result["fileAnalyses"].as_array().unwrap().len(), 1);
        assert_eq!(result["goneFiles"], json!(["gone.py"]));
    }

    fn message(file: &str, line: u32) -> ToolMessage {
        ToolMessage {
            severity: Severity::Error,
            message: "bad".to_owned(),
            file: Some(FilePath::new(file)),
            line: Some(line),
            column: None,
            end_line: None,
            end_column: None,
            code: Some("E1".to_owned()),
            source: "mypy",
        }
    }

    fn pass(state: CheckState, covered: &[(&str, u128)]) -> CheckReport {
        CheckReport {
            tool: "mypy",
            languages: &[Language::Python],
            state,
            messages: vec![message("a.py", 3), ToolMessage { file: None, line: None, ..message("", 0) }],
            left_out: 0,
            covered: covered.iter().map(|(file, hash)| (FilePath::new(*file), ContentHash(*hash))).collect(),
            duration_ms: 5,
            ended_at: 1,
        }
    }

    #[test]
    fn a_finished_pass_of_a_compiler_over_the_same_text_is_proof_and_nothing_else_is() {
        let ask = |report: Option<CheckReport>| {
            let server = TestServer::new(SOURCE);
            if let Some(report) = report {
                server.jobs().will_be(JobOutcome::Check(Arc::new(vec![report])));
            }
            (
                server.ok("ide_diagnostics", json!({"files": ["a.py"], "checkers": ["auto"]})),
                server.jobs().orders(),
            )
        };
        let (running, orders) = ask(None);
        let order = CheckOrder { files: Some(vec![FilePath::new("a.py")]), tools: Vec::new() };
        assert_eq!(orders, [JobOrder::Check(order)]);
        assert_eq!((&running["analysisFresh"], &running["checkId"]), (&json!(false), &json!("job-1")));
        let (done, _) = ask(Some(pass(CheckState::Finished, &[("a.py", 0)])));
        assert_eq!((&done["analysisFresh"], &done["problemCount"]), (&json!(true), &json!(3)), "{done}");
        let expected = json!({"message": "bad", "severity": "ERROR", "file": "a.py", "line": 3, "column": 1, "code": "E1", "source": "mypy"});
        assert_eq!(done["problems"][2], expected);
        assert_eq!(
            (&done["checks"][0]["state"], &done["checks"][0]["filesCovered"]),
            (&json!("finished"), &json!(1))
        );
        assert_eq!(done["fileAnalyses"][0]["checkedBy"], json!(["mypy"]));
        assert_eq!(done["checkMessages"][0]["message"], "bad");
        let (other, _) = ask(Some(pass(CheckState::Finished, &[("a.py", 7)])));
        assert_eq!(
            (&other["analysisFresh"], &other["problemCount"]),
            (&json!(false), &json!(2)),
            "another text"
        );
        assert_eq!(other["checkMessages"].as_array().unwrap().len(), 2);
        let (not, _) = ask(Some(pass(CheckState::Finished, &[])));
        assert_eq!(not["analysisFresh"], false, "no verdict on the file");
        let missing = CheckState::NotRun {
            error: "tool_missing",
            message: "no mypy".to_owned(),
            hint: "get it".to_owned(),
        };
        let (missing, _) = ask(Some(CheckReport { messages: Vec::new(), ..pass(missing, &[]) }));
        assert_eq!(
            (&missing["analysisFresh"], &missing["checks"][0]["message"]),
            (&json!(false), &json!("no mypy"))
        );
    }

    #[test]
    fn the_last_build_and_tests_are_bound_to_the_texts_that_they_saw() {
        let server = TestServer::new(SOURCE);
        let none =
            server.ok("ide_diagnostics", json!({"includeBuildErrors": true, "includeTestResults": true}));
        assert!(
            none["buildMessage"].as_str().unwrap().contains("nothing")
                && none.get("buildTimestamp").is_none()
        );
        assert!(none["testMessage"].as_str().unwrap().contains("no tests"), "{none}");
        let sources = |hash| {
            Arc::new(vec![
                (FilePath::new("a.py"), ContentHash(hash)),
                (FilePath::new("b.py"), ContentHash(0)),
            ])
        };
        let build = |hash| BuildReport {
            messages: vec![message("a.py", 3), message("b.py", 1)],
            ended_at: 9,
            sources: sources(hash),
            ..BuildReport::default()
        };
        let ask = |hash| {
            server.jobs().will_be(JobOutcome::Build(Arc::new(build(hash))));
            server.ok("ide_diagnostics", json!({"includeBuildErrors": true, "maxBuildErrors": 1}))
        };
        let same = ask(0);
        assert_eq!(
            (&same["buildStale"], &same["buildErrorCount"], &same["buildTimestamp"]),
            (&json!(false), &json!(2), &json!(9))
        );
        assert_eq!(
            (&same["buildErrors"][0]["line"], &same["buildErrorsTruncated"]),
            (&json!(3), &json!(true))
        );
        assert!(same["buildErrors"][0].get("stale").is_none());
        let changed = ask(7);
        assert_eq!(
            (&changed["buildStale"], &changed["buildErrors"][0]["stale"]),
            (&json!(true), &json!(true))
        );
        let result = |status| TestResult {
            id: None,
            name: "test_a".to_owned(),
            suite: None,
            status,
            duration_ms: None,
            message: Some("1 != 2".to_owned()),
            expected: None,
            actual: None,
            stack: Some("x".repeat(600)),
            output: None,
            file: Some(FilePath::new("a.py")),
            line: Some(2),
        };
        let results = vec![result(TestStatus::Failed), result(TestStatus::Passed)];
        let report =
            TestReport { results, passed: 1, failed: 1, sources: sources(7), ..TestReport::default() };
        server.jobs().will_be(JobOutcome::Tests(Arc::new(report)));
        let tests = |args| server.ok("ide_diagnostics", args);
        let failed = tests(json!({"includeTestResults": true}));
        assert_eq!(failed["testResults"].as_array().unwrap().len(), 1);
        assert_eq!(
            (&failed["testResults"][0]["line"], &failed["testResults"][0]["stale"]),
            (&json!(2), &json!(true))
        );
        assert!(failed["testResults"][0]["stacktrace"].as_str().unwrap().contains("… 100 characters …"));
        assert_eq!((&failed["testSummary"]["total"], &failed["testStale"]), (&json!(2), &json!(true)));
        let all = tests(json!({"includeTestResults": true, "testResultFilter": "all"}));
        assert_eq!(all["testResults"].as_array().unwrap().len(), 2);
    }
}
