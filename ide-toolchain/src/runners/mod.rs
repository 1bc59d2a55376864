//! Running tests and reading how they ended.

mod expectation;
mod junit_xml;
mod lines;
mod stack;
mod table;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use ide_model::{
    Framework, JobOutcome, Severity, TestCase, TestOrder, TestReport, TestResult, TestStatus, ToolMessage,
};

use self::expectation::expectation;
use self::table::{Plan, RUNNERS, Runner};
use crate::build::{FinishedProgram, MAX_TEXT, general, now, run_step};
use crate::jobs::{Work, millis};
use crate::messages::{go_build, log};
use crate::site::{Missing, Places, Site};
use crate::text::{plain, shortened, tail};

/// Characters of what a test wrote, of its stack and of its message that are kept.
const MAX_OUTPUT: usize = 10_000;
const MAX_STACK: usize = 8_000;
const MAX_MESSAGE: usize = 4_000;
/// Tests without a result that are named.
const MAX_LOST: usize = 20;
/// Words of build systems about code that did not compile, beside tests that ran.
const NOT_COMPILED: [&str; 5] = [
    "COMPILATION ERROR",
    "Compilation failed",
    "error: could not compile",
    "[build failed]",
    "[setup failed]",
];
/// Most results that are kept; those that passed go first.
const MAX_RESULTS: usize = 10_000;

/// A test as a runner tells it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RawTest {
    pub(crate) suite: String,
    pub(crate) name: String,
    pub(crate) status: TestStatus,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) message: Option<String>,
    pub(crate) expected: Option<String>,
    pub(crate) actual: Option<String>,
    pub(crate) stack: String,
    pub(crate) output: String,
    /// Where it failed or stands, as the runner says it.
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
    /// In the form of [`TestCase::selector`], as far as the runner knows.
    pub(crate) selector: String,
}

impl Default for RawTest {
    fn default() -> Self {
        Self {
            suite: String::new(),
            name: String::new(),
            status: TestStatus::Error,
            duration_ms: None,
            message: None,
            expected: None,
            actual: None,
            stack: String::new(),
            output: String::new(),
            file: None,
            line: None,
            selector: String::new(),
        }
    }
}

impl RawTest {
    pub(crate) fn ended(&mut self, status: TestStatus, seconds: Option<f64>) {
        self.status = status;
        self.duration_ms = seconds.map(|seconds| (seconds.max(0.0) * 1_000.0) as u64);
    }
}

/// The words of Surefire about tests that ended their process, without the stack below.
fn crash(said: &str) -> Option<&str> {
    const WORDS: [&str; 2] = ["The forked VM terminated", "There was an error in the forked process"];
    let at = WORDS.iter().filter_map(|word| said.find(word)).min()?;
    let rest = &said[at..];
    Some(&rest[..rest.find("\tat ").or_else(|| rest.find("org.apache.maven")).unwrap_or(rest.len())])
}

/// Whether a test runs when none is picked.
fn runs_unasked(case: &TestCase) -> bool {
    case.framework != Framework::GoTest || !case.name.starts_with("Benchmark")
}

/// One start of a runner.
pub(crate) struct Run<'a> {
    pub(crate) site: &'a Site,
    /// The directory of the module.
    pub(crate) dir: &'a Path,
    /// Tests to run; `None` for all of the module.
    pub(crate) picked: Option<&'a [&'a TestCase]>,
    /// Tests of the module that are known.
    pub(crate) known: &'a [&'a TestCase],
    /// A folder for reports.
    pub(crate) scratch: &'a Path,
}

/// The tests that belong together: of one framework and one module.
type Groups<'a> = BTreeMap<(Framework, PathBuf), Vec<&'a TestCase>>;

fn groups<'a>(site: &Site, cases: &'a [TestCase], are_all: bool) -> Groups<'a> {
    let mut groups = Groups::new();
    for case in cases {
        let runner = runner(runner(case.framework).run_as);
        let path = site.path(&case.file);
        let folder = path.parent().unwrap_or(&site.root);
        let dir = site.nearest(folder, runner.markers).unwrap_or(&site.root);
        let dir = if are_all { (runner.home)(site, dir) } else { dir.to_owned() };
        groups.entry((runner.framework, dir)).or_default().push(case);
    }
    groups
}

fn runner(framework: Framework) -> &'static Runner {
    RUNNERS
        .iter()
        .find(|row| row.framework == framework)
        .expect("every framework has a row, as a test checks")
}

/// Runs tests. Runs code of the project.
pub fn run_tests(work: &Work, site: &Site, order: &TestOrder) -> JobOutcome {
    let begun = Instant::now();
    let mut report = TestReport::default();
    let known = groups(site, &order.known, order.picked.is_none());
    let picked = order.picked.as_ref().map(|picked| groups(site, picked, false));
    let mut missing: Option<Missing> = None;
    let mut has_ran = false;
    for ((framework, dir), cases) in picked.as_ref().unwrap_or(&known) {
        let all = known.get(&(*framework, dir.clone())).map_or(&cases[..], Vec::as_slice);
        let group = Group { work, site, runner: runner(*framework), dir, all };
        match group.run(picked.is_some().then_some(&cases[..]), &mut report) {
            Ok(()) => has_ran = true,
            Err(error) => {
                report.messages.push(general("tests", format!("{}: {}", error.message, error.hint)));
                missing.get_or_insert(error);
            }
        }
        if report.aborted.is_some() {
            break;
        }
    }
    if let Some(Missing { message, hint }) = missing.filter(|_| !has_ran) {
        return JobOutcome::Failed { error: "tool_missing", message, hint: Some(hint) };
    }
    finish(&mut report);
    report.duration_ms = millis(begun.elapsed());
    JobOutcome::Tests(Arc::new(report))
}

fn finish(report: &mut TestReport) {
    report
        .results
        .sort_by(|a, b| (a.status, &a.file, a.line, &a.name).cmp(&(b.status, &b.file, b.line, &b.name)));
    let count =
        |wanted: &[TestStatus]| report.results.iter().filter(|one| wanted.contains(&one.status)).count();
    (report.passed, report.skipped) = (count(&[TestStatus::Passed]), count(&[TestStatus::Skipped]));
    report.failed = count(&[TestStatus::Failed, TestStatus::Error]);
    report.results.truncate(MAX_RESULTS);
    let has_error = report.messages.iter().any(|message| message.severity == Severity::Error);
    report.success = report.failed == 0 && report.passed > 0 && !has_error && report.aborted.is_none();
    report.messages.truncate(ide_model::MAX_KEPT);
    report.output = shortened(&report.output, MAX_TEXT);
    report.ended_at = now();
}

struct Group<'a> {
    work: &'a Work,
    site: &'a Site,
    runner: &'static Runner,
    dir: &'a Path,
    all: &'a [&'a TestCase],
}

impl Group<'_> {
    fn run(&self, picked: Option<&[&TestCase]>, report: &mut TestReport) -> Result<(), Missing> {
        let scratch = tempfile::tempdir().map_err(|error| Missing {
            message: format!("there is no room for a report: {error}"),
            hint: "see that the folder for temporary files can be written to".to_owned(),
        })?;
        let scratch = scratch.path().canonicalize().unwrap_or_else(|_| scratch.path().to_owned());
        let run = Run { site: self.site, dir: self.dir, picked, known: self.all, scratch: &scratch };
        let Plan { step, read } = (self.runner.plan)(&run)?;
        let step = step.scratch(&scratch);
        report.commands.push(step.shown(self.site));
        let mut done = run_step(self.work, self.site, &step, "")?;
        // Surefire 2 passes a crash over with the failures that it is told to pass over.
        done.is_success &= crash(&done.out).is_none();
        let places = Places::new(self.site, &step.program.folder);
        let wanted = picked.map(|cases| cases.iter().map(|case| &*case.id).collect::<HashSet<_>>());
        let index = Index::new(self.all);
        let mut ran = HashSet::new();
        let mut bad = 0;
        for raw in read(&run, &done) {
            let case = index.find(&run, &raw);
            // Runners pick by patterns, which other tests may fit too.
            let is_meant = match (&wanted, case) {
                (Some(wanted), Some(case)) => wanted.contains(&*case.id),
                (Some(_), None) => raw.status != TestStatus::Passed && raw.status != TestStatus::Skipped,
                (None, _) => true,
            };
            if is_meant {
                bad += usize::from(matches!(raw.status, TestStatus::Failed | TestStatus::Error));
                ran.extend(case.map(|case| case.id.clone()));
                report.results.push(self.result(raw, case, &places));
            }
        }
        report.aborted.clone_from(&done.aborted);
        self.say(&done, bad, &places, &step.shown(self.site), report);
        let is_lost = |case: &&&TestCase| {
            // A test that others are in is told by them.
            let inside = format!("{}::", case.id);
            !ran.contains(&case.id)
                && (picked.is_some() || runs_unasked(case))
                && !ran.iter().any(|id| id.starts_with(&inside))
        };
        let lost: Vec<&str> =
            picked.unwrap_or(self.all).iter().filter(is_lost).map(|case| &*case.id).collect();
        // Of all tests some may not be meant to run, which is known of a run that went well.
        let is_whole = done.aborted.is_none();
        if !lost.is_empty() && (picked.is_some() || !done.is_success) {
            let more = lost.len().saturating_sub(MAX_LOST);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let names = lost[..lost.len().min(MAX_LOST)].join(", ");
            let severity = if picked.is_some() && is_whole { Severity::Error } else { Severity::Warning };
            let message = general("tests", format!("no result was found for {names}{more}"));
            report.messages.push(ToolMessage { severity, ..message });
        }
        Ok(())
    }

    /// Keeps what was written, and says why nothing ran.
    fn say(
        &self,
        done: &FinishedProgram,
        bad: usize,
        places: &Places<'_>,
        shown: &str,
        report: &mut TestReport,
    ) {
        let out = if done.out.starts_with('{') { String::new() } else { plain(&done.out) };
        let said = self.site.relative(&format!("{}\n{}", out.trim_end(), plain(&done.err).trim_end()));
        report.output.push_str(&format!("$ {shown}\n{}\n", said.trim()));
        if done.is_success || done.aborted.is_some() {
            return;
        }
        let mut found = go_build(&done.out);
        found.extend(log(&done.err));
        // A test may print what looks like a message; one that did not compile has no result.
        let is_broken =
            bad == 0 || NOT_COMPILED.iter().any(|word| done.out.contains(word) || done.err.contains(word));
        let errors: Vec<ToolMessage> = places
            .messages(found)
            .into_iter()
            .filter(|message| message.severity == Severity::Error)
            .collect();
        // No test failed and the runner did: it crashed, or it demands more than that the tests pass.
        if is_broken && errors.is_empty() && bad == 0 {
            let end =
                crash(&said).map_or_else(|| tail(&said, 2_000).to_owned(), |said| shortened(said, 2_000));
            report.messages.push(general("tests", format!("{shown} failed:\n{}", end.trim())));
        } else if is_broken {
            report.messages.extend(errors);
        }
    }

    fn result(&self, raw: RawTest, case: Option<&TestCase>, places: &Places<'_>) -> TestResult {
        let is_bad = matches!(raw.status, TestStatus::Failed | TestStatus::Error);
        let all = format!("{}\n{}", raw.message.as_deref().unwrap_or_default(), raw.stack);
        let values = if is_bad { expectation(&all) } else { None };
        let (expected, actual) = values.map_or((raw.expected, raw.actual), |(e, a)| (Some(e), Some(a)));
        // The innermost place of the project decides, then what the runner says, then where the test stands.
        let stack = if is_bad { stack::place(self.site, &raw.stack, places, case) } else { None };
        let told = raw
            .file
            .as_deref()
            .map(|file| (places.file(file), raw.line))
            .filter(|((_, path), _)| path.is_some());
        let told = told.map(|((file, _), line)| (file, line));
        let own = case.map(|case| (case.file.clone(), Some(case.line)));
        let place = if is_bad {
            stack.or(told.clone().filter(|(_, line)| line.is_some())).or(own).or(told)
        } else {
            own.or(told)
        };
        let (file, line) = place.map_or((None, None), |(file, line)| (Some(file), line));
        let kept = |text: &str, most| {
            Some(shortened(self.site.relative(text).trim_matches('\n').trim_end(), most))
                .filter(|text| !text.is_empty())
        };
        TestResult {
            id: case.map(|case| case.id.clone()),
            name: raw.name,
            suite: Some(raw.suite).filter(|suite| !suite.is_empty()),
            status: raw.status,
            duration_ms: raw.duration_ms,
            message: raw.message.as_deref().and_then(|message| kept(message, MAX_MESSAGE)),
            expected,
            actual,
            stack: if is_bad { kept(&plain(&raw.stack), MAX_STACK) } else { None },
            output: kept(tail(&plain(&raw.output), MAX_OUTPUT), MAX_OUTPUT),
            file,
            line,
        }
    }
}

/// The known tests by how results name them.
struct Index<'a> {
    exact: HashMap<&'a str, Vec<&'a TestCase>>,
    patterns: Vec<(regex::Regex, &'a TestCase)>,
}

impl<'a> Index<'a> {
    fn new(cases: &[&'a TestCase]) -> Self {
        let mut exact: HashMap<&str, Vec<&TestCase>> = HashMap::new();
        let mut patterns = Vec::new();
        for case in cases {
            exact.entry(&case.selector).or_default().push(case);
            if case.is_parameterized
                && let Ok(pattern) = regex::Regex::new(&format!("^{}$", table::template(&case.selector)))
            {
                patterns.push((pattern, *case));
            }
        }
        Self { exact, patterns }
    }

    /// The test that a result is of. One whose file the runner names is not another one's of the same name.
    fn find(&self, run: &Run<'_>, raw: &RawTest) -> Option<&'a TestCase> {
        let file = raw.file.as_deref().and_then(|file| run.site.meant(file, run.dir));
        let fits = |case: &&&TestCase| file.as_ref().is_none_or(|file| run.site.path(&case.file) == *file);
        for name in [raw.selector.as_str(), without_values(&raw.selector)] {
            if let Some(cases) = self.exact.get(name) {
                return Some(cases.iter().find(fits).unwrap_or(&cases[0]));
            }
        }
        let named = self.patterns.iter().filter(|(pattern, _)| pattern.is_match(&raw.selector));
        let named: Vec<&&TestCase> = named.map(|(_, case)| case).collect();
        named.iter().copied().find(fits).or(named.first().copied()).copied()
    }
}

/// A name without the values that it was run with: `adds(int)[1]`, `test_adds[0-1]`, `testAdds with data set #1`.
fn without_values(selector: &str) -> &str {
    let selector = selector.split(" with data set ").next().unwrap_or(selector);
    // Values may hold what separates names: `test_adds[a::b]`.
    let values = selector.find('[').unwrap_or(selector.len());
    let name = selector[..values].rfind(['#', ':']).map_or(0, |at| at + 1);
    let end = selector[name..].find(['[', '(', '{', ' ']).map_or(selector.len(), |at| name + at);
    &selector[..end]
}

#[cfg(test)]
mod tests;
