//! The test runners that are known: what they are called with, and where their results are.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ide_model::{Framework, TestCase, TestStatus};
use serde_json::Value;

use super::junit_xml::{Case, cases};
use super::{RawTest, Run, lines};
use crate::build::FinishedProgram;
use crate::site::{Missing, Site, Step, read};
use crate::systems::{
    GRADLE, MAVEN, cargo_program, go_program, gradle_at, maven_at, maven_module, maven_reactor, missing,
    node_program, python_step,
};

/// One framework.
pub(super) struct Runner {
    pub(super) framework: Framework,
    /// Files that mark the directory where it runs: the nearest one above a test.
    pub(super) markers: &'static [&'static str],
    /// The framework whose run has the results of this one too: mostly its own.
    pub(super) run_as: Framework,
    /// The directory from which all tests are run at once, those of a marked directory among them: mostly that directory.
    pub(super) home: fn(&Site, &Path) -> PathBuf,
    pub(super) plan: fn(&Run<'_>) -> Result<Plan, Missing>,
}

impl Runner {
    const fn new(
        framework: Framework,
        markers: &'static [&'static str],
        plan: fn(&Run<'_>) -> Result<Plan, Missing>,
    ) -> Self {
        Self { framework, markers, run_as: framework, home: |_, dir| dir.to_owned(), plan }
    }
}

/// A start of a runner.
pub(super) struct Plan {
    pub(super) step: Step,
    pub(super) read: Reader,
}

type Reader = Box<dyn Fn(&Run<'_>, &FinishedProgram) -> Vec<RawTest>>;

const JVM: &[&str] = &["pom.xml", "build.gradle.kts", "build.gradle"];
const PYTHON: &[&str] = &["pyproject.toml", "pytest.ini", "setup.cfg", "setup.py", "tox.ini"];

pub(super) static RUNNERS: &[Runner] = &[
    Runner { home: jvm_home, ..Runner::new(Framework::JUnit, JVM, jvm) },
    Runner { home: jvm_home, run_as: Framework::JUnit, ..Runner::new(Framework::TestNg, JVM, jvm) },
    Runner::new(Framework::Pytest, PYTHON, pytest),
    Runner::new(Framework::Unittest, PYTHON, unittest),
    Runner::new(Framework::Jest, &["package.json"], jest),
    Runner::new(Framework::Vitest, &["package.json"], vitest),
    Runner::new(Framework::NodeTest, &["package.json"], node_test),
    Runner::new(Framework::GoTest, &["go.mod"], go),
    Runner::new(Framework::CargoTest, &["Cargo.toml"], cargo),
    Runner::new(
        Framework::PhpUnit,
        &["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml", "composer.json"],
        phpunit,
    ),
];

/// A selector with the places where values are put in as a pattern: `adds %d to $b`.
pub(super) fn template(selector: &str) -> String {
    let mut pattern = String::new();
    let mut rest = selector;
    while let Some(at) = rest.find(['%', '$']) {
        pattern.push_str(&regex::escape(&rest[..at]));
        let behind = &rest[at + 1..];
        let taken = match rest.as_bytes()[at] {
            b'%' => behind.chars().next().filter(|c| "sdifjopc#$%".contains(*c)).map(char::len_utf8),
            _ if behind.starts_with('{') => behind.find('}').map(|end| end + 1),
            _ => Some(
                behind.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').unwrap_or(behind.len()),
            )
            .filter(|length| *length > 0),
        };
        match taken {
            Some(taken) => {
                pattern.push_str(".*");
                rest = &behind[taken..];
            }
            None => {
                pattern.push_str(&regex::escape(&rest[at..=at]));
                rest = behind;
            }
        }
    }
    pattern.push_str(&regex::escape(rest));
    pattern
}

/// Files of picked tests as the runner is given them.
fn files(run: &Run<'_>, picked: &[&TestCase]) -> Vec<String> {
    let mut files: Vec<String> =
        picked.iter().map(|case| run.site.path(&case.file).display().to_string()).collect();
    files.sort_unstable();
    files.dedup();
    files
}

/// The directory of the build that a module belongs to.
fn jvm_home(site: &Site, dir: &Path) -> PathBuf {
    if dir.join("pom.xml").is_file() {
        return maven_reactor(site, dir);
    }
    site.nearest(dir, &["settings.gradle.kts", "settings.gradle"]).unwrap_or(dir).to_owned()
}

/// Maven, or Gradle where that is nearer.
fn jvm(run: &Run<'_>) -> Result<Plan, Missing> {
    // Reports of earlier runs lie beside those of this one.
    let before = jvm_reports(run);
    let read: Reader = Box::new(move |run, _| {
        let written = jvm_reports(run).into_iter().filter(|(path, at)| before.get(path) != Some(at));
        let mut reports: Vec<PathBuf> = written.map(|(path, _)| path).collect();
        reports.sort_unstable();
        let texts = reports.iter().filter_map(|report| read(report));
        texts.flat_map(|xml| cases(&xml)).map(jvm_test).collect()
    });
    if run.dir.join("pom.xml").is_file() {
        let (program, reactor) = maven_at(run.site, run.dir)?;
        let mut args: Vec<String> = MAVEN.iter().map(|&arg| arg.to_owned()).collect();
        args.extend(maven_module(run.dir, &reactor));
        // A report of every test, also of those in modules that need one whose tests failed.
        args.extend(
            ["-fae", "-Dmaven.test.failure.ignore=true", "-DtrimStackTrace=false"].map(str::to_owned),
        );
        if let Some(picked) = run.picked {
            let names: Vec<&str> = picked.iter().map(|case| &*case.selector).collect();
            args.push(format!("-Dtest={}", names.join(",")));
            args.extend(
                ["-Dsurefire.failIfNoSpecifiedTests=false", "-DfailIfNoTests=false"].map(str::to_owned),
            );
        }
        args.push("test".to_owned());
        return Ok(Plan { step: Step::new(&program, &reactor, args), read });
    }
    let (program, dir) = gradle_at(run.site, run.dir)?;
    let mut args: Vec<String> = GRADLE.iter().map(|&arg| arg.to_owned()).collect();
    // Gradle does not run tests that are up to date, and does not write their report anew.
    args.extend(["cleanTest", "test"].map(str::to_owned));
    for case in run.picked.into_iter().flatten() {
        args.extend(["--tests".to_owned(), case.selector.replace('#', ".")]);
    }
    Ok(Plan { step: Step::new(&program, &dir, args), read })
}

/// The reports of all modules below, and when they were written.
fn jvm_reports(run: &Run<'_>) -> HashMap<PathBuf, SystemTime> {
    let mut dirs: Vec<&Path> =
        run.site.modules.iter().map(PathBuf::as_path).filter(|m| m.starts_with(run.dir)).collect();
    dirs.push(run.dir);
    dirs.sort_unstable();
    dirs.dedup();
    let listed = |dir: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let mut found = HashMap::new();
    for dir in dirs {
        let mut folders = vec![dir.join("target/surefire-reports")];
        folders.extend(listed(&dir.join("build/test-results")));
        let reports = folders.iter().flat_map(|folder| listed(folder));
        for report in reports.filter(|path| path.extension().is_some_and(|ending| ending == "xml")) {
            if let Ok(written) = report.metadata().and_then(|meta| meta.modified()) {
                found.insert(report, written);
            }
        }
    }
    found
}

pub(super) fn jvm_test(mut case: Case) -> RawTest {
    // A failure before any test of a class has the name of none.
    if case.name.is_empty() {
        case.class.rsplit('.').next().unwrap_or_default().clone_into(&mut case.name);
    }
    let selector = format!("{}#{}", case.class, case.name);
    RawTest { suite: case.class.clone(), selector, ..plain(case) }
}

/// A case as a test, without a selector.
fn plain(case: Case) -> RawTest {
    let first = case.text.trim().lines().next().map(str::to_owned);
    let status = case.status.unwrap_or(TestStatus::Passed);
    let mut test = RawTest {
        message: case.message.or(first).filter(|_| status != TestStatus::Passed),
        stack: case.text,
        output: case.output,
        name: case.name,
        file: case.file,
        line: case.line,
        ..RawTest::default()
    };
    test.ended(status, case.seconds);
    test
}

fn pytest(run: &Run<'_>) -> Result<Plan, Missing> {
    let report = run.scratch.join("report.xml");
    let report = report.display().to_string();
    let (root, xml) = (format!("--rootdir={}", run.dir.display()), format!("--junitxml={report}"));
    // Every test has a line as it ends: what is known of a run that is ended before its report is written.
    let mut args = vec!["-m", "pytest", "-v", "--color=no", &root, &xml, "-o", "junit_family=xunit1"];
    // Its cache would be a file that nobody asked for.
    args.extend(["-o", "junit_logging=out-err", "-p", "no:cacheprovider"]);
    // A file that cannot be imported says nothing about the others.
    args.push("--continue-on-collection-errors");
    let picked: Vec<String> =
        run.picked.into_iter().flatten().map(|case| below(run, &case.selector)).collect();
    args.extend(picked.iter().map(String::as_str));
    Ok(Plan { step: python_step(run.site, run.dir, &args)?, read: Box::new(pytest_report) })
}

/// A selector that begins with the path of a file, relative to the module.
fn below(run: &Run<'_>, selector: &str) -> String {
    let dir = run.site.shown(run.dir);
    let dir = dir.as_str();
    let rest = if dir.is_empty() { Some(selector) } else { selector.strip_prefix(dir) };
    rest.map_or(selector, |rest| rest.trim_start_matches('/')).to_owned()
}

fn pytest_report(run: &Run<'_>, done: &FinishedProgram) -> Vec<RawTest> {
    let Some(xml) = read(&run.scratch.join("report.xml")) else {
        let mut found = lines::pytest(&done.out);
        for test in &mut found {
            test.selector = ide_model::paths::join(run.site.shown(run.dir).as_str(), &test.selector);
        }
        return found;
    };
    let dir = run.site.shown(run.dir);
    let test = |mut case: Case| {
        case.output = captured(&case.output);
        // A file that cannot be collected is a case with a name and without a class.
        if case.file.is_none() && case.class.is_empty() && !case.name.contains(['[', ' ']) {
            case.file = Some(format!("{}.py", case.name.replace('.', "/")));
        }
        let file = case.file.clone().unwrap_or_default();
        let path = ide_model::paths::join(dir.as_str(), &file);
        let module = file.trim_end_matches(".py").replace('/', ".");
        let classes = case.class.strip_prefix(&module).unwrap_or(&case.class).trim_start_matches('.');
        let mut selector = path;
        for part in classes.split('.').filter(|part| !part.is_empty()).chain([&*case.name]) {
            selector.push_str("::");
            selector.push_str(part);
        }
        let suite = case.class.clone();
        // The line counts from 0.
        let line = case.line.map(|line| line + 1);
        let mut test = RawTest { suite, selector, line, ..plain(case) };
        // The text says why a file cannot be imported.
        if test.status == TestStatus::Error && test.message.as_deref() == Some("collection failure") {
            let said = test.stack.lines().rev().find_map(|line| line.strip_prefix("E "));
            test.message = said.map(|said| said.trim().to_owned());
        }
        test
    };
    cases(&xml).into_iter().map(test).collect()
}

/// The output of a test, without the headings over nothing.
pub(super) fn captured(output: &str) -> String {
    let is_heading = |line: &str| line.starts_with("-----") && line.contains(" Captured ");
    let lines: Vec<&str> = output.lines().collect();
    let is_kept = |at: usize| {
        let next = lines[at + 1..].iter().find(|line| !line.trim().is_empty());
        !is_heading(lines[at]) || next.is_some_and(|next| !is_heading(next))
    };
    let kept = (0..lines.len()).filter(|at| is_kept(*at)).map(|at| lines[at]);
    kept.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn unittest(run: &Run<'_>) -> Result<Plan, Missing> {
    let script = include_str!("../scripts/unittest_runner.py");
    let report = run.scratch.join("report").display().to_string();
    let cases = run.picked.unwrap_or(run.known);
    let names: Vec<String> = cases.iter().map(|case| dotted(run, case)).collect();
    let mut args = vec!["-c", script, &report];
    args.extend(names.iter().map(String::as_str));
    Ok(Plan {
        step: python_step(run.site, run.dir, &args)?,
        read: Box::new(|run, _| {
            let mut found = lines::reported(&read(&run.scratch.join("report")).unwrap_or_default());
            let names: BTreeMap<String, &str> =
                run.known.iter().map(|case| (dotted(run, case), &*case.selector)).collect();
            for test in &mut found {
                if let Some(selector) = names.get(&test.selector) {
                    test.selector = (*selector).to_owned();
                }
            }
            found
        }),
    })
}

/// The dotted name of a test from the directory where it is run.
fn dotted(run: &Run<'_>, case: &TestCase) -> String {
    let inside = below(run, case.file.as_str());
    let module = inside.trim_end_matches(".py").replace('/', ".");
    let parts = std::iter::once(&*module).chain(case.suites.iter().map(String::as_str)).chain([&*case.name]);
    parts.collect::<Vec<_>>().join(".")
}

/// A pattern of whole names for Jest and Vitest.
fn name_pattern(picked: &[&TestCase]) -> String {
    let names: Vec<String> = picked.iter().map(|case| pattern(case, &case.selector)).collect();
    format!("^({})$", names.join("|"))
}

fn pattern(case: &TestCase, name: &str) -> String {
    if case.is_parameterized { template(name) } else { regex::escape(name) }
}

fn jest(run: &Run<'_>) -> Result<Plan, Missing> {
    let program = node_program(run.site, run.dir, "jest");
    let (program, mut args) = program.ok_or_else(|| missing("Jest", "npm install --save-dev jest"))?;
    let report = format!("--outputFile={}", run.scratch.join("report.json").display());
    args.extend(["--json".to_owned(), report, "--testLocationInResults".to_owned(), "--ci".to_owned()]);
    if let Some(picked) = run.picked {
        args.extend(["-t".to_owned(), name_pattern(picked), "--runTestsByPath".to_owned()]);
        args.extend(files(run, picked));
    }
    Ok(Plan { step: Step::new(&program, run.dir, args), read: Box::new(jest_report) })
}

fn vitest(run: &Run<'_>) -> Result<Plan, Missing> {
    let program = node_program(run.site, run.dir, "vitest");
    let (program, mut args) = program.ok_or_else(|| missing("Vitest", "npm install --save-dev vitest"))?;
    let report = format!("--outputFile.json={}", run.scratch.join("report.json").display());
    // The report knows nothing of hooks that fail: that stands among the words for people.
    args.extend(["run", "--reporter=json", "--reporter=default"].map(str::to_owned));
    args.push(report);
    if let Some(picked) = run.picked {
        args.extend(["-t".to_owned(), name_pattern(picked)]);
        args.extend(files(run, picked));
    }
    Ok(Plan { step: Step::new(&program, run.dir, args), read: Box::new(jest_report) })
}

fn jest_report(run: &Run<'_>, done: &FinishedProgram) -> Vec<RawTest> {
    let said = format!("{}\n{}", done.out, done.err);
    let found = lines::jest(&read(&run.scratch.join("report.json")).unwrap_or_default(), &said);
    // Tests that the pattern leaves out are told as skipped.
    let is_picked = |test: &RawTest| run.picked.is_none() || test.status != TestStatus::Skipped;
    found.into_iter().filter(is_picked).collect()
}

fn node_test(run: &Run<'_>) -> Result<Plan, Missing> {
    let node = run.site.machine_program("node").ok_or_else(|| missing("Node", "install Node"))?;
    let failed = |error: std::io::Error| Missing {
        message: format!("the reporter cannot be written: {error}"),
        hint: "see that the folder for temporary files can be written to".to_owned(),
    };
    let reporter = run.scratch.join("reporter.mjs");
    std::fs::write(&reporter, include_str!("../scripts/reporter.mjs")).map_err(failed)?;
    let mut args = loaders(run.site, run.dir);
    args.extend([
        "--test".to_owned(),
        format!("--test-reporter={}", reporter.display()),
        format!("--test-reporter-destination={}", run.scratch.join("report").display()),
    ]);
    let cases = run.picked.unwrap_or(run.known);
    for case in run.picked.into_iter().flatten() {
        // Older versions match the name alone, newer ones the whole.
        args.push(format!("--test-name-pattern={}$", pattern(case, &case.name)));
    }
    args.extend(files(run, cases));
    let read = |run: &Run<'_>, _: &FinishedProgram| {
        lines::reported(&read(&run.scratch.join("report")).unwrap_or_default())
    };
    Ok(Plan { step: Step::new(&node, run.dir, args), read: Box::new(read) })
}

/// Modules that the project's own script `test` has Node load first: without them TypeScript is not understood.
fn loaders(site: &Site, dir: &Path) -> Vec<String> {
    let package = site.text(&dir.join("package.json")).unwrap_or_default();
    let package: Value = serde_json::from_str(&package).unwrap_or_default();
    let script = package["scripts"]["test"].as_str().unwrap_or_default();
    let mut found = Vec::new();
    let mut words = script.split_whitespace();
    while let Some(word) = words.next() {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        if ["--import", "--loader", "--experimental-loader", "--require", "-r"].contains(&name) {
            if let Some(value) = value.or_else(|| words.next()) {
                found.extend([name.to_owned(), value.to_owned()]);
            }
        } else if word.starts_with("--experimental-") || word.starts_with("--conditions") {
            found.push(word.to_owned());
        }
    }
    found
}

/// The path of the package and the name of a test, from `shop/cart#TestSums`.
fn go_parts(selector: &str) -> (&str, &str) {
    selector.rsplit_once('#').unwrap_or(("", selector))
}

fn go(run: &Run<'_>) -> Result<Plan, Missing> {
    let program = go_program(run.site)?;
    let mut args: Vec<String> = ["test", "-json", "-count=1"].map(str::to_owned).to_vec();
    match run.picked {
        None => args.push("./...".to_owned()),
        Some(picked) => {
            let mut packages: Vec<String> =
                picked.iter().map(|case| format!("./{}", below(run, go_parts(&case.selector).0))).collect();
            packages.sort_unstable();
            packages.dedup();
            let name = |case: &&TestCase| regex::escape(go_parts(&case.selector).1);
            let (benches, tests): (Vec<&TestCase>, Vec<&TestCase>) =
                picked.iter().partition(|case| case.name.starts_with("Benchmark"));
            let names: Vec<String> = tests.iter().map(name).collect();
            args.push("-run".to_owned());
            // Without a name nothing is run.
            args.push(format!("^({})$", if names.is_empty() { "-".to_owned() } else { names.join("|") }));
            if !benches.is_empty() {
                let names: Vec<String> = benches.iter().map(name).collect();
                args.extend([
                    "-benchtime=1x".to_owned(),
                    "-bench".to_owned(),
                    format!("^({})$", names.join("|")),
                ]);
            }
            args.extend(packages);
        }
    }
    Ok(Plan { step: Step::new(&program, run.dir, args), read: Box::new(go_results) })
}

fn go_results(run: &Run<'_>, done: &FinishedProgram) -> Vec<RawTest> {
    let module = run.site.text(&run.dir.join("go.mod")).unwrap_or_default();
    let module = module
        .lines()
        .find_map(|line| line.trim().strip_prefix("module "))
        .unwrap_or_default()
        .trim()
        .to_owned();
    let dir = run.site.shown(run.dir);
    let mut found = lines::go(&done.out);
    for test in &mut found {
        let inside =
            test.suite.strip_prefix(&module).unwrap_or(&test.suite).trim_start_matches('/').to_owned();
        let folder = ide_model::paths::join(dir.as_str(), &inside);
        let folder = folder.trim_end_matches('/');
        let name = test.name.split('/').next().unwrap_or(&test.name);
        // `BenchmarkX-8`
        let name = if name.starts_with("Benchmark") { name.split('-').next().unwrap_or(name) } else { name };
        test.selector = format!("{folder}#{name}");
        // A file is named alone.
        if let Some(file) = &mut test.file {
            *file = run.site.root.join(folder).join(&*file).display().to_string();
        }
        test.stack = test.stack.replace("\n\t", "\n");
    }
    found
}

fn cargo(run: &Run<'_>) -> Result<Plan, Missing> {
    let program = cargo_program(run.site)?;
    if run.site.nearest(run.dir, &[".config/nextest.toml"]).is_some()
        && run.site.machine_program("cargo-nextest").is_some()
    {
        return nextest(run, &program);
    }
    let mut args: Vec<String> = ["test", "--no-fail-fast"].map(str::to_owned).to_vec();
    if let Some(picked) = run.picked {
        args.extend(["--", "--exact", "--include-ignored"].map(str::to_owned));
        args.extend(picked.iter().map(|case| case.selector.clone()));
    }
    let read = |_: &Run<'_>, done: &FinishedProgram| {
        let mut found = lines::cargo(&done.out);
        found.iter_mut().for_each(cargo_test);
        found
    };
    Ok(Plan { step: Step::new(&program, run.dir, args).env("RUST_BACKTRACE", "0"), read: Box::new(read) })
}

/// `cargo nextest`, in projects that are set up for it. It runs no tests in comments, and tells nothing of ignored ones.
fn nextest(run: &Run<'_>, cargo: &Path) -> Result<Plan, Missing> {
    let failed = |error: std::io::Error| Missing {
        message: format!("the settings of nextest cannot be written: {error}"),
        hint: "see that the folder for temporary files can be written to".to_owned(),
    };
    let (settings, report) = (run.scratch.join("nextest.toml"), run.scratch.join("report.xml"));
    let path = report.display().to_string().replace('\\', "/");
    std::fs::write(&settings, format!("[profile.default.junit]\npath = \"{path}\"\n")).map_err(failed)?;
    let mut args: Vec<String> =
        ["nextest", "run", "--no-fail-fast", "--no-tests=pass"].map(str::to_owned).to_vec();
    args.extend(["--tool-config-file".to_owned(), format!("ide:{}", settings.display())]);
    if let Some(picked) = run.picked {
        let names: Vec<String> = picked.iter().map(|case| format!("test(={})", case.selector)).collect();
        args.extend(["--run-ignored=all".to_owned(), "-E".to_owned(), names.join(" | ")]);
    }
    let read = |run: &Run<'_>, _: &FinishedProgram| {
        let xml = read(&run.scratch.join("report.xml")).unwrap_or_default();
        let test = |case: Case| {
            let said = case.text.trim().to_owned();
            let mut test = RawTest { selector: case.name.clone(), ..plain(case) };
            if !said.is_empty() {
                test.output.clear();
                lines::rust_failure(&mut test, &said);
            }
            cargo_test(&mut test);
            test
        };
        cases(&xml).into_iter().map(test).collect()
    };
    let step = Step::new(cargo, run.dir, args).env("RUST_BACKTRACE", "0");
    Ok(Plan { step, read: Box::new(read) })
}

pub(super) fn cargo_test(test: &mut RawTest) {
    test.selector.clone_from(&test.name);
    // The lines of its panic are those of a file that rustdoc writes.
    if let Some((file, line)) = doctest(&test.name) {
        (test.file, test.line) = (Some(file), Some(line));
    } else if let Some((suite, name)) = test.name.clone().rsplit_once("::") {
        (test.suite, test.name) = (suite.to_owned(), name.to_owned());
    }
}

/// The file and the line of a test in a comment: `src/lib.rs - Cart::total (line 7)`.
fn doctest(name: &str) -> Option<(String, u32)> {
    let (file, rest) = name.split_once(" - ")?;
    let (_, line) = rest.strip_suffix(')')?.rsplit_once("(line ")?;
    Some((file.to_owned(), line.parse().ok()?))
}

fn phpunit(run: &Run<'_>) -> Result<Plan, Missing> {
    let (site, dir) = (run.site, run.dir);
    let program = site.program(dir, &["vendor/bin", "tools", ""], "phpunit");
    let program = program.ok_or_else(|| missing("PHPUnit", "composer require --dev phpunit/phpunit"))?;
    // Managers of versions put programs of their own in the place of PHPUnit's source.
    let (started, source) = if is_php(&program) {
        let php = site.machine_program("php").ok_or_else(|| missing("PHP", "install php-cli"))?;
        (php, Some(program.display().to_string()))
    } else {
        (program, None)
    };
    let report = run.scratch.join("report.xml").display().to_string();
    let mut args: Vec<String> = source.into_iter().collect();
    args.extend(["--colors=never".to_owned(), "--log-junit".to_owned(), report]);
    if let Some(picked) = run.picked {
        let names: Vec<String> =
            picked.iter().map(|case| regex::escape(&case.selector).replace('/', "\\/")).collect();
        args.extend(["--filter".to_owned(), format!("/^({})( with data set .*)?$/", names.join("|"))]);
    }
    let has_config =
        ["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"].iter().any(|name| dir.join(name).is_file());
    if !has_config {
        let files = files(run, run.picked.unwrap_or(run.known));
        let tests = dir.join("tests");
        args.push(match &files[..] {
            [one] => one.clone(),
            _ if tests.is_dir() => tests.display().to_string(),
            _ => dir.display().to_string(),
        });
    }
    let read = |run: &Run<'_>, _: &FinishedProgram| {
        let xml = read(&run.scratch.join("report.xml")).unwrap_or_default();
        let test = |case: Case| {
            let selector = format!("{}::{}", case.class, case.name);
            RawTest { suite: case.class.clone(), selector, ..php_message(plain(case)) }
        };
        cases(&xml).into_iter().map(test).collect()
    };
    Ok(Plan { step: Step::new(&started, dir, args), read: Box::new(read) })
}

/// Whether PHP can read a program: its first line is `<?php` or names PHP. A large one is an archive of PHP's.
fn is_php(program: &Path) -> bool {
    let Some(text) = read(program) else { return true };
    let line = text.lines().next().unwrap_or_default();
    line.starts_with("<?php") || line.starts_with("#!") && line.contains("php")
}

/// Its report has the name of the test before the message, and places behind it.
fn php_message(mut test: RawTest) -> RawTest {
    if matches!(test.status, TestStatus::Failed | TestStatus::Error) {
        let lines = test.stack.trim().lines().skip(1);
        let message: Vec<&str> = lines.take_while(|line| !is_php_place(line)).collect();
        let message = message.join("\n").trim().to_owned();
        test.message = Some(message).filter(|message| !message.is_empty()).or(test.message);
    }
    test
}

fn is_php_place(line: &str) -> bool {
    line.starts_with('/')
        && line.rsplit_once(".php:").is_some_and(|(_, number)| number.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sources_of_php_are_given_to_php() {
        let dir = tempfile::tempdir().unwrap();
        let is_given = |text: &str| {
            let file = dir.path().join("phpunit");
            std::fs::write(&file, text).unwrap();
            is_php(&file)
        };
        assert!(is_given("#!/usr/bin/env php\n<?php") && is_given("<?php\n"));
        assert!(!is_given("#!/bin/sh\nexec php phpunit.phar\n") && !is_given("\u{7f}ELF"));
    }
}
