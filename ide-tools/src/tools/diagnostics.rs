//! `ide_diagnostics`: problems of files as the index itself sees them.

use ide_model::{Answer, QueryError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::args::ProjectArg;
use crate::fixes::NamedFix;
use crate::problems::{Admitted, Problem, admits};
use crate::session::{Session, position};
use crate::symbols::reason;
use crate::tool::{Call, Tool};
use crate::ToolError;

const MAX_FILES: usize = 100;

pub(crate) struct Diagnostics;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    file: Option<String>,
    /// Instead of file, at most 100
    files: Option<Vec<String>>,
    start_line: Option<i64>,
    end_line: Option<i64>,
    severity: Option<Admitted>,
    /// Default 100
    max_problems: Option<i64>,
    #[schemars(extend("x-hidden" = true))]
    include_build_errors: Option<bool>,
    #[schemars(extend("x-hidden" = true))]
    include_test_results: Option<bool>,
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
        Self {
            project,
            file: Some(file),
            files: None,
            start_line,
            end_line,
            severity: None,
            max_problems: None,
            include_build_errors: None,
            include_test_results: None,
            line: None,
            column: None,
        }
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

#[derive(Serialize, JsonSchema)]
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
    pub(super) analysis_fresh: bool,
    analysis_timed_out: bool,
    analysis_mode: &'static str,
    /// Problems that this analysis does not see
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) analysis_message: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    file_analyses: Vec<FileAnalysis>,
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
}

impl Tool for Diagnostics {
    const NAME: &'static str = "ide_diagnostics";
    const ABOUT: &'static str = "Problems in a file as it is on disk now. analysisMode and analysisMessage say which \
        checks ran: none reported does not mean that it compiles.";
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let paths = wanted(&args)?;
        let max = args.max_problems.unwrap_or(100).clamp(1, 5_000) as usize;
        let range = line_range(&args)?;
        let mut output = Output {
            problems: Vec::new(),
            problem_count: 0,
            problems_truncated: false,
            intentions: None,
            intention_count: None,
            analysis_fresh: true,
            analysis_timed_out: false,
            analysis_mode: "embedded",
            analysis_message: None,
            file_analyses: Vec::new(),
        };
        let mut missing = None;
        for path in &paths {
            session.cx.check()?;
            let file = match session.indexed(path) {
                // One of several that is not there says nothing about the others.
                Err(error) if args.files.is_some() && error.slug != "timeout" && error.slug != "cancelled" => {
                    output.analysis_fresh = false;
                    output.file_analyses.push(FileAnalysis {
                        file: path.clone(),
                        fresh: false,
                        timed_out: false,
                        message: Some(error.message.clone()),
                        problem_count: 0,
                        problems_truncated: false,
                    });
                    missing.get_or_insert(error);
                    continue;
                }
                found => found?,
            };
            if args.start_line.is_some() {
                session.offset(&file, i64::from(range.0), 1)?;
            }
            let (value, message, is_fresh) = match session.snapshot.diagnostics(session.cx, &file) {
                Ok(Answer { value, by, completeness, .. }) => {
                    output.analysis_mode = by.as_str();
                    (value, reason(completeness), true)
                }
                // Nothing was looked at, and an empty list must not say otherwise.
                Err(error @ (QueryError::NotRead { .. } | QueryError::Unsupported { .. })) => {
                    (Vec::new(), Some(ToolError::from(error).message), false)
                }
                Err(error) => return Err(error.into()),
            };
            let mut found = Vec::new();
            for diagnostic in value.iter().filter(|d| admits(args.severity, d.severity)) {
                session.cx.check()?;
                let problem = Problem::of(&file, &session.text(&file)?, diagnostic);
                if problem.line >= range.0 && problem.line <= range.1 {
                    found.push((problem, diagnostic.range.start));
                }
            }
            found.sort_by(|(a, _), (b, _)| (a.line, a.column, a.severity).cmp(&(b.line, b.column, b.severity)));
            let room = max - output.problems.len();
            if args.files.is_some() {
                output.file_analyses.push(FileAnalysis {
                    file: file.to_string(),
                    fresh: is_fresh,
                    timed_out: false,
                    message: message.clone(),
                    problem_count: found.len(),
                    problems_truncated: found.len() > room,
                });
            }
            output.problem_count += found.len();
            output.problems_truncated |= found.len() > room;
            for (mut problem, at) in found.into_iter().take(room) {
                session.cx.check()?;
                // Of those that are shown only: where thousands of blocks are left open, each is inside of the others.
                let around = session.ast_path(&file, at, None)?;
                problem.enclosing_symbol = (!around.is_empty()).then(|| around.join("."));
                output.problems.push(problem);
            }
            output.analysis_fresh &= is_fresh;
            output.analysis_message = output.analysis_message.or(message);
        }
        if let (Some(path), Some(line)) = (&args.file, args.line) {
            output.intend(&session, path, line, args.column.unwrap_or(1))?;
        }
        match missing {
            Some(error) if output.file_analyses.iter().all(|file| !file.fresh && file.problem_count == 0) => Err(error),
            _ => Ok(output),
        }
    }
}

impl Output {
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

fn wanted(args: &Args) -> Result<Vec<String>, ToolError> {
    let recorded = [args.include_build_errors, args.include_test_results];
    if recorded.contains(&Some(true)) {
        return Err(ToolError::new("engine_unavailable", "this server has recorded no build and no test run")
            .hint("run the build in a shell, or ask for the problems of a `file`"));
    }
    match (&args.file, &args.files) {
        (Some(_), Some(_)) => Err(ToolError::argument("give `file` or `files`, not both")),
        (Some(file), None) => Ok(vec![file.clone()]),
        (None, Some(files)) if files.len() > MAX_FILES => {
            Err(ToolError::argument(format!("`files` holds {} paths, at most {MAX_FILES}", files.len())))
        }
        (None, Some(files)) if args.start_line.is_none() && args.end_line.is_none() => Ok(files.clone()),
        (None, _) if args.start_line.is_some() || args.end_line.is_some() => {
            Err(ToolError::argument("`startLine` and `endLine` need `file`"))
        }
        _ => Err(ToolError::argument("nothing to analyse: give `file` or `files`")),
    }
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
    use serde_json::{Value, json};

    use crate::testing::House;

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
        let result = House::new(SOURCE).ok("ide_diagnostics", json!({"file": "a.py", "line": 1, "column": 1}));
        assert_eq!((&result["problemCount"], &result["analysisMode"]), (&json!(2), &json!("embedded")));
        assert_eq!(result["analysisMessage"], "only syntax is checked");
        let expected = json!({"message": "unexpected `???`", "severity": "ERROR", "file": "a.py", "line": 2, "column": 5, "endLine": 2, "endColumn": 8, "code": "syntax", "enclosingSymbol": "run"});
        assert_eq!(result["problems"][0], expected);
    }

    #[test]
    fn each_parameter_matters() {
        let house = House::new(SOURCE);
        let count = |args: Value| house.ok("ide_diagnostics", args)["problemCount"].clone();
        assert_eq!(count(json!({"file": "a.py", "startLine": 3})), 1);
        assert_eq!(count(json!({"file": "a.py", "endLine": 2})), 1);
        assert_eq!(count(json!({"file": "a.py", "severity": "warnings"})), 0);
        let cut = house.ok("ide_diagnostics", json!({"file": "a.py", "maxProblems": 1}));
        assert_eq!((&cut["problemCount"], &cut["problemsTruncated"]), (&json!(2), &json!(true)));
        let many = house.ok("ide_diagnostics", json!({"files": ["a.py", "b.py"]}));
        assert_eq!(many["fileAnalyses"][1], json!({"file": "b.py", "fresh": true, "timedOut": false, "message": "only syntax is checked", "problemCount": 0, "problemsTruncated": false}));
    }

    #[test]
    fn a_missing_file_does_not_hide_the_problems_of_others() {
        let result = House::new(SOURCE).ok("ide_diagnostics", json!({"files": ["gone.py", "a.py"]}));
        assert_eq!((&result["problemCount"], &result["analysisFresh"]), (&json!(2), &json!(false)));
        assert_eq!(result["fileAnalyses"][0]["file"], "gone.py");
        assert!(result["fileAnalyses"][0]["message"].as_str().unwrap().contains("no file"));
    }

    #[test]
    fn nothing_to_do_is_an_error() {
        let house = House::new(SOURCE);
        let error = |args: Value| house.err("ide_diagnostics", args)["error"].as_str().unwrap().to_owned();
        assert_eq!(error(json!({})), "invalid_argument");
        assert_eq!(error(json!({"startLine": 1})), "invalid_argument");
        assert_eq!(error(json!({"file": "a.py", "files": ["b.py"]})), "invalid_argument");
        assert_eq!(error(json!({"file": "a.py", "startLine": 3, "endLine": 2})), "invalid_argument");
        assert_eq!(error(json!({"file": "a.py", "startLine": 99})), "invalid_argument");
        assert_eq!(error(json!({"file": "gone.py"})), "file_not_found");
        assert_eq!(error(json!({"includeBuildErrors": true})), "engine_unavailable");
    }
}
