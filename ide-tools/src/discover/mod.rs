//! Tests in the code, found without running anything: what `ide_list_tests` lists and `ide_run_tests` picks from.
//!
//! One more framework is a row in [`ROWS`].

mod calls;
mod members;

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};

use ide_model::{
    FileMeta, FilePath, FileText, Framework, Language, OutlineNode, QueryError, SourceKind, TestCase,
    TextContext, TextQuery,
};

use crate::ToolError;
use crate::session::Session;

/// Most lines with a mark of a test that are looked at.
const MAX_MARKS: usize = 200_000;

/// One family of frameworks.
struct Row {
    languages: &'static [Language],
    /// Files that cannot hold tests by their name alone are left out.
    may_hold: fn(&FilePath) -> bool,
    /// An expression that a line of every file with tests has.
    mark: &'static str,
    find: fn(&TestFile<'_>) -> Result<Vec<FoundTest>, ToolError>,
}

const ROWS: &[Row] = &[
    Row {
        languages: &[Language::Java, Language::Kotlin],
        may_hold: |_| true,
        mark: r"@([\w.]+\.)?(Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate)\b|\bTestCase\b",
        find: members::jvm,
    },
    Row {
        languages: &[Language::Python],
        may_hold: |file| {
            let name = file.file_name();
            name.starts_with("test") && name.ends_with(".py") || name.ends_with("_test.py")
        },
        mark: r"\bdef +test",
        find: members::python,
    },
    Row {
        languages: &[Language::JavaScript, Language::TypeScript],
        may_hold: |_| true,
        mark: r"\b(it|test)(\.\w+)*\s*[(`]",
        find: calls::find,
    },
    Row {
        languages: &[Language::Go],
        may_hold: |file| file.as_str().ends_with("_test.go"),
        mark: r"^func +(Test|Benchmark|Fuzz|Example)",
        find: members::go,
    },
    Row {
        languages: &[Language::Rust],
        may_hold: |_| true,
        mark: r"#\[\s*(\w+::)*(\w*test\w*|bench|quickcheck)\b",
        find: members::rust,
    },
    Row {
        languages: &[Language::Php],
        may_hold: |_| true,
        mark: r"function +test|@test\b|#\[.*\bTest\b",
        find: members::php,
    },
];

/// A file that may hold tests.
struct TestFile<'a> {
    session: &'a Session<'a>,
    file: &'a FilePath,
    text: &'a FileText,
    project: &'a Facts,
}

/// Facts about the project as a whole, found when somebody asks.
#[derive(Default)]
struct Facts {
    uses_pytest: OnceCell<bool>,
}

/// A test in a file.
struct FoundTest {
    framework: Framework,
    offset: u32,
    suites: Vec<String>,
    name: String,
    selector: String,
    is_parameterized: bool,
}

/// The tests of a project.
pub(crate) struct Discovered {
    /// Ordered by file and line.
    pub(crate) tests: Vec<TestCase>,
    /// Whether there were too many places to look at all of them.
    pub(crate) is_partial: bool,
}

/// Finds the tests of the files that a filter admits.
///
/// # Errors
/// Failures of the engine, a stopped call.
pub(crate) fn tests(
    session: &Session<'_>,
    admits: &(dyn Fn(&FileMeta) -> bool + Sync),
) -> Result<Discovered, ToolError> {
    let project = Facts::default();
    let mut tests = Vec::new();
    let mut is_partial = false;
    for row in ROWS {
        let filter = |file: &FileMeta| {
            file.source != SourceKind::Library
                && file.language.is_some_and(|language| row.languages.contains(&language))
                && (row.may_hold)(&file.path)
                && admits(file)
        };
        let (files, is_cut) = session.marked(row.mark, &filter)?;
        is_partial |= is_cut;
        for file in &files {
            session.cx.check()?;
            let text = match session.text(file) {
                // It went away since it was searched.
                Err(QueryError::NoFile { .. }) => continue,
                text => text?,
            };
            let seen = TestFile { session, file, text: &text, project: &project };
            tests.extend((row.find)(&seen)?.into_iter().map(|found| seen.case(found)));
        }
    }
    tests.sort_by(|a: &TestCase, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    let mut ids = HashSet::new();
    tests.retain(|test| ids.insert(test.id.clone()));
    Ok(Discovered { tests, is_partial })
}

impl Session<'_> {
    /// The files with a line that fits an expression, and whether there were too many lines.
    fn marked(
        &self,
        pattern: &str,
        filter: &(dyn Fn(&FileMeta) -> bool + Sync),
    ) -> Result<(BTreeSet<FilePath>, bool), ToolError> {
        let query = TextQuery {
            pattern,
            is_regex: true,
            case_sensitive: true,
            whole_word: false,
            context: None,
            filter,
            beside: &[],
            limit: MAX_MARKS,
        };
        let found = self.snapshot.search_text(self.cx, &query)?.value.matches;
        Ok((found.items.into_iter().map(|hit| hit.file).collect(), found.cut))
    }
}

impl TestFile<'_> {
    fn case(&self, found: FoundTest) -> TestCase {
        let parts = std::iter::once(self.file.as_str()).chain(found.suites.iter().map(String::as_str));
        let id = parts.chain([&*found.name]).collect::<Vec<_>>().join("::");
        TestCase {
            id,
            framework: found.framework,
            file: self.file.clone(),
            line: self.text.position(found.offset).line,
            suites: found.suites,
            name: found.name,
            selector: found.selector,
            is_parameterized: found.is_parameterized,
        }
    }

    fn outline(&self) -> Result<Vec<OutlineNode>, ToolError> {
        Ok(self.session.snapshot.outline(self.session.cx, self.file)?.value)
    }

    /// Whether some text before a declaration has one of some words, in code: annotations and attributes. Words in
    /// comments and strings do not count.
    fn says(&self, lead: (u32, u32), pattern: &regex::Regex) -> Result<bool, ToolError> {
        let text = self.slice(lead);
        let offsets: Vec<u32> = pattern.find_iter(text).map(|hit| lead.0 + hit.start() as u32).collect();
        let contexts = self.session.snapshot.text_contexts(self.file, &offsets)?;
        Ok(contexts.contains(&TextContext::Code))
    }

    fn slice(&self, (start, end): (u32, u32)) -> &str {
        self.text.text.get(start as usize..end as usize).unwrap_or("")
    }

    /// Whether the project's Python tests are run by pytest.
    fn uses_pytest(&self) -> Result<bool, ToolError> {
        if let Some(known) = self.project.uses_pytest.get() {
            return Ok(*known);
        }
        let is_python =
            |file: &FileMeta| file.language == Some(Language::Python) && file.source != SourceKind::Library;
        let is_config = |file: &FileMeta| {
            let name = file.path.file_name();
            ["pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini", "Pipfile"].contains(&name)
                || name.starts_with("requirements")
        };
        let has_conftest = |file: &FileMeta| file.path.file_name() == "conftest.py";
        let found = !self.session.marked(r"^\s*(import|from) +pytest\b", &is_python)?.0.is_empty()
            || !self.session.marked(r"\bpytest\b", &is_config)?.0.is_empty()
            || !self.session.snapshot.files(self.session.cx, &has_conftest)?.is_empty();
        Ok(*self.project.uses_pytest.get_or_init(|| found))
    }

    /// The text of the nearest file of a name, from this file's folder upwards.
    fn nearest(&self, name: &str) -> Option<String> {
        let mut folder = self.file.directory().to_owned();
        loop {
            let path = ide_model::paths::join(&folder, name);
            let found = self.session.project.locate(&path).and_then(|file| self.session.project.read(&file));
            if let Ok(content) = found {
                return Some(content.text.to_string());
            }
            if folder.is_empty() {
                return None;
            }
            folder = ide_model::paths::directory(&folder).to_owned();
        }
    }
}
