//! Builds, test runs and checks by the machine's own programs, and their reports.

use std::fmt;
use std::sync::Arc;

use crate::{ContentHash, FilePath, Language, Severity};

/// A message of a compiler, a linter or a build system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolMessage {
    pub severity: Severity,
    pub message: String,
    /// A file of the project by the name that snapshots use, any other one by its absolute path. `None` for messages about
    /// the whole build.
    pub file: Option<FilePath>,
    /// Lines and columns count from 1, columns in UTF-16 code units.
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub end_line: Option<u32>,
    pub end_column: Option<u32>,
    /// Name of the rule or number of the error, e.g. `TS2322`.
    pub code: Option<String>,
    /// The program that says it, e.g. `javac`.
    pub source: &'static str,
}

/// A build that came to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildReport {
    pub success: bool,
    /// Why it was ended before its time: a limit, or somebody's wish.
    pub aborted: Option<String>,
    /// The commands as they were run, in order.
    pub commands: Vec<String>,
    /// At most [`MAX_KEPT`]: errors first, then by file and line.
    pub messages: Vec<ToolMessage>,
    /// Messages that are not kept.
    pub left_out: usize,
    /// `None` when the output had no message that could be read. That is not zero.
    pub errors: Option<usize>,
    pub warnings: Option<usize>,
    /// Everything that the programs wrote, its middle left out when it is long, without colours.
    pub output: String,
    pub duration_ms: u64,
    /// Milliseconds since the epoch.
    pub ended_at: u64,
    /// The source files of the project with the hash of their bytes: as they were when it began, those that it made as they
    /// were at its end. A message about a file with another hash is about another text.
    pub sources: Arc<Vec<(FilePath, ContentHash)>>,
}

/// Most messages of a build or a check that are kept.
pub const MAX_KEPT: usize = 2_000;

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TestStatus {
    Failed,
    /// It ended by an error that is no failed expectation.
    Error,
    Skipped,
    Passed,
}

impl TestStatus {
    /// The word that tools print.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Error => "error",
            Self::Skipped => "skipped",
            Self::Passed => "passed",
        }
    }
}

/// One test that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestResult {
    /// The id under which tests are listed, when the test could be found in the code.
    pub id: Option<String>,
    pub name: String,
    pub suite: Option<String>,
    pub status: TestStatus,
    pub duration_ms: Option<u64>,
    pub message: Option<String>,
    pub expected: Option<String>,
    pub actual: Option<String>,
    pub stack: Option<String>,
    /// The end of what the test wrote.
    pub output: Option<String>,
    /// Where it failed, else where the test stands.
    pub file: Option<FilePath>,
    pub line: Option<u32>,
}

/// A run of tests that came to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestReport {
    /// Every test that ran passed, and at least one ran.
    pub success: bool,
    pub aborted: Option<String>,
    pub commands: Vec<String>,
    /// Failed ones first.
    pub results: Vec<TestResult>,
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
    /// Messages of compilers: tests that could not be built.
    pub messages: Vec<ToolMessage>,
    pub output: String,
    pub duration_ms: u64,
    pub ended_at: u64,
    /// The source files of the project with the hash of their bytes: as they were when it began, those that it made as they
    /// were at its end. A message about a file with another hash is about another text.
    pub sources: Arc<Vec<(FilePath, ContentHash)>>,
}

/// A test in the code, as it is listed and picked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TestCase {
    /// `path::Suite::name`, unique within a project.
    pub id: String,
    pub framework: Framework,
    pub file: FilePath,
    pub line: u32,
    /// Classes, modules and blocks around it, outermost first.
    pub suites: Vec<String>,
    pub name: String,
    /// The name by which the framework itself knows it, e.g. `shop.CartTest#sums`.
    pub selector: String,
    /// One function that is run with several values.
    pub is_parameterized: bool,
}

/// A library that runs tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Framework {
    JUnit,
    TestNg,
    Pytest,
    Unittest,
    Jest,
    Vitest,
    NodeTest,
    GoTest,
    CargoTest,
    PhpUnit,
}

impl Framework {
    pub const ALL: [Self; 10] = [
        Self::JUnit,
        Self::TestNg,
        Self::Pytest,
        Self::Unittest,
        Self::Jest,
        Self::Vitest,
        Self::NodeTest,
        Self::GoTest,
        Self::CargoTest,
        Self::PhpUnit,
    ];

    /// The word that tools print.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::JUnit => "junit",
            Self::TestNg => "testng",
            Self::Pytest => "pytest",
            Self::Unittest => "unittest",
            Self::Jest => "jest",
            Self::Vitest => "vitest",
            Self::NodeTest => "node-test",
            Self::GoTest => "go-test",
            Self::CargoTest => "cargo-test",
            Self::PhpUnit => "phpunit",
        }
    }
}

/// Source files that a check looks at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckOrder {
    /// Files of the project; `None` for all.
    pub files: Option<Vec<FilePath>>,
    /// Names of the programs that are meant, e.g. `mypy`; empty for those that fit the project.
    pub tools: Vec<String>,
}

/// One pass of a compiler or linter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckReport {
    /// `mypy`, `tsc`, …
    pub tool: &'static str,
    pub languages: &'static [Language],
    pub state: CheckState,
    /// Ordered by file and place.
    pub messages: Vec<ToolMessage>,
    /// Messages that are not kept.
    pub left_out: usize,
    /// The files that the pass has seen with the hash of their bytes. A file that is not here, or has another hash by now, has
    /// no verdict.
    pub covered: Vec<(FilePath, ContentHash)>,
    pub duration_ms: u64,
    /// Milliseconds since the epoch.
    pub ended_at: u64,
}

/// Whether a pass is proof of what it does not report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckState {
    Finished,
    /// It was not run: the program is missing, or would run code of a project that is not trusted.
    NotRun {
        error: &'static str,
        message: String,
        hint: String,
    },
    /// It was run and its output is not what it writes when it has looked at everything.
    Failed {
        message: String,
    },
    /// It reached its limit or was taken back.
    Stopped {
        message: String,
    },
}

/// A long operation that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobOrder {
    Build(BuildOrder),
    Tests(TestOrder),
    Check(CheckOrder),
}

impl JobOrder {
    pub fn kind(&self) -> JobKind {
        match self {
            Self::Build(_) => JobKind::Build,
            Self::Tests(_) => JobKind::Tests,
            Self::Check(_) => JobKind::Check,
        }
    }
}

/// A kind of long operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobKind {
    Build,
    Tests,
    Check,
}

impl fmt::Display for JobKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Build => "build",
            Self::Tests => "test run",
            Self::Check => "check",
        })
    }
}

/// A build that is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildOrder {
    /// The directory of a module, absolute; `None` for the whole project.
    pub module: Option<String>,
    /// Everything anew.
    pub rebuild: bool,
    /// The build system that is meant, e.g. `maven`; `None` for those that the project has.
    pub system: Option<String>,
    pub timeout_seconds: Option<u64>,
}

/// A run of tests that is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestOrder {
    /// Tests to run; `None` for all of the project.
    pub picked: Option<Vec<TestCase>>,
    /// Every test that is known, by which results are given their ids.
    pub known: Arc<Vec<TestCase>>,
    pub timeout_seconds: Option<u64>,
}

/// A job as of now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobState {
    pub id: String,
    pub kind: JobKind,
    pub elapsed_ms: u64,
    pub timeout_seconds: Option<u64>,
    /// Its present work in one line.
    pub doing: String,
    /// `None` while it runs.
    pub outcome: Option<JobOutcome>,
}

/// The report of a job that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobOutcome {
    Build(Arc<BuildReport>),
    Tests(Arc<TestReport>),
    Check(Arc<Vec<CheckReport>>),
    /// Nothing could be run.
    Failed {
        error: &'static str,
        message: String,
        hint: Option<String>,
    },
}
