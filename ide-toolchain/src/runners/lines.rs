//! Test runners that write lines: `go test -json`, `cargo test`, and our own reporters.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use ide_model::TestStatus;
use regex::Regex;
use serde_json::Value;

use super::RawTest;
use crate::text::plain;

/// Lines that `go test` writes about tests, and not tests themselves.
static GO_NOISE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:=== (?:RUN|PAUSE|CONT|NAME)|--- (?:PASS|FAIL|SKIP|BENCH):)")
        .expect("the pattern is tested")
});
/// `    cart_test.go:17: got -5, want 5`
static GO_PLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:Error Trace:\s+)?(?P<file>[^\s:]+\.go):(?P<line>\d+):? ?(?P<message>.*)$")
        .expect("the pattern is tested")
});

/// Words of a failure, in the messages that tests write themselves.
static GO_BLAME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:got|want|expected|unexpected|error|fail\w*|mismatch|should|must|invalid|wrong|cannot|not equal)\b")
        .expect("the pattern is tested")
});

/// `go test -json`. Suites are the import paths of packages.
pub(crate) fn go(out: &str) -> Vec<RawTest> {
    let mut tests: BTreeMap<(String, String), RawTest> = BTreeMap::new();
    for line in out.lines() {
        let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
        let text = |name: &str| event[name].as_str().unwrap_or_default();
        let (package, test) = (text("Package"), text("Test"));
        if test.is_empty() {
            continue;
        }
        let key = (package.to_owned(), test.to_owned());
        let known = tests.entry(key).or_insert_with(|| RawTest {
            suite: package.to_owned(),
            name: test.to_owned(),
            // One that never says how it ended was ended with the process.
            status: TestStatus::Error,
            ..RawTest::default()
        });
        let seconds = event["Elapsed"].as_f64();
        match text("Action") {
            "output" => known.output.push_str(text("Output")),
            "pass" | "bench" => known.ended(TestStatus::Passed, seconds),
            "fail" => known.ended(TestStatus::Failed, seconds),
            "skip" => known.ended(TestStatus::Skipped, seconds),
            _ => {}
        }
    }
    let names: Vec<(String, String)> = tests.keys().cloned().collect();
    let has_parts = |package: &str, name: &str| {
        names
            .iter()
            .any(|(p, n)| p == package && n.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')))
    };
    let mut found = Vec::new();
    for ((package, name), mut test) in tests {
        go_failure(&mut test);
        let has_parts = has_parts(&package, &name);
        // An example shows what it wrote and what it should.
        if !has_parts && test.status == TestStatus::Failed && test.message.is_none() {
            test.message = Some(test.output.trim().to_owned()).filter(|said| !said.is_empty());
        }
        // A test with parts is told by its parts, unless it says something itself.
        if !has_parts || test.message.is_some() {
            found.push(test);
        }
    }
    found
}

/// Words of a test about a place.
struct GoSaid {
    file: String,
    line: Option<u32>,
    message: String,
}

fn go_said(own: &[&str]) -> Vec<GoSaid> {
    let mut said = Vec::new();
    let mut lines = own.iter().peekable();
    while let Some(line) = lines.next() {
        let Some(place) = GO_PLACE.captures(line) else { continue };
        let mut message: Vec<&str> = vec![place.name("message").map_or("", |message| message.as_str())];
        // Indented lines below belong to it.
        while let Some(line) = lines.next_if(|line| line.starts_with("        ")) {
            message.push(line.trim());
        }
        message.retain(|line| !line.is_empty());
        let (file, line) = (place["file"].to_owned(), place["line"].parse().ok());
        said.push(GoSaid { file, line, message: message.join("\n") });
    }
    said
}

fn go_failure(test: &mut RawTest) {
    let said = plain(&test.output);
    let own: Vec<&str> = said.lines().filter(|line| !GO_NOISE.is_match(line)).collect();
    test.output = own.join("\n");
    if test.status == TestStatus::Passed {
        return;
    }
    let said = go_said(&own);
    // `t.Log` and `t.Error` write the same: the words tell, else the last one is what ended the test.
    let blamed = said.iter().find(|one| GO_BLAME.is_match(&one.message)).or(said.last());
    if let Some(blamed) = blamed {
        test.file = Some(blamed.file.clone());
        test.line = blamed.line;
        let message = match &said[..] {
            [one] => one.message.clone(),
            all => {
                let lines = all
                    .iter()
                    .map(|one| format!("{}:{}: {}", one.file, one.line.unwrap_or_default(), one.message));
                lines.collect::<Vec<_>>().join("\n")
            }
        };
        test.message = Some(message).filter(|message| !message.is_empty());
    }
    let panic = own.iter().position(|line| line.starts_with("panic: "));
    if let Some(at) = panic {
        test.message = Some(own[at].to_owned());
        test.stack = own[at..].join("\n");
        test.file = None;
    } else if test.status == TestStatus::Error && test.message.is_none() {
        test.message = Some("it did not end".to_owned());
    }
}

static RUST_RESULT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^test (?P<name>\S+(?: - .*?)?(?: \(line \d+\))?)(?: - should panic)? \.\.\. (?:.*?)(?P<word>ok|FAILED|ignored)(?:, (?P<why>.*))?(?: <(?P<seconds>[\d.]+)s>)?$")
        .expect("the pattern is tested")
});
static RUST_PANIC: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^thread '.*' (?:\(\d+\) )?panicked at (?:'(?P<old>.*)', )?(?P<file>[^\s:].*?):(?P<line>\d+):\d+:?$",
    )
    .expect("the pattern is tested")
});

static PYTEST_RESULT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?P<name>\S+\.py::.+?)(?: (?P<word>PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?: \(.*\))?(?:\s+\[ *\d+%\])?)?\s*$")
        .expect("the pattern is tested")
});

/// `pytest -v`, of a run that was ended in its middle: a test without a word did not end.
pub(crate) fn pytest(out: &str) -> Vec<RawTest> {
    let mut found: Vec<RawTest> = Vec::new();
    for result in plain(out).lines().filter_map(|line| PYTEST_RESULT.captures(line)) {
        let selector = result["name"].to_owned();
        let status = match result.name("word").map(|word| word.as_str()) {
            Some("PASSED" | "XPASS") => TestStatus::Passed,
            Some("SKIPPED" | "XFAIL") => TestStatus::Skipped,
            Some("FAILED") => TestStatus::Failed,
            _ => TestStatus::Error,
        };
        let is_open = result.name("word").is_none();
        let (suite, name) = selector.rsplit_once("::").unwrap_or(("", &selector));
        found.push(RawTest {
            suite: suite.to_owned(),
            name: name.to_owned(),
            status,
            message: is_open.then(|| "it did not end".to_owned()),
            selector,
            ..RawTest::default()
        });
    }
    found
}

/// `cargo test` as libtest writes it.
pub(crate) fn cargo(out: &str) -> Vec<RawTest> {
    let out = plain(out);
    let mut found: Vec<RawTest> = Vec::new();
    // Tests of one binary, from `running 3 tests` on: names are unique in it.
    let mut binary = 0;
    let mut lines = out.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("running ") && line.ends_with(['t', 's']) && line.contains(" test") {
            binary = found.len();
        } else if let Some(result) = RUST_RESULT.captures(line) {
            let status = match &result["word"] {
                "ok" => TestStatus::Passed,
                "ignored" => TestStatus::Skipped,
                _ => TestStatus::Failed,
            };
            let name = result["name"].trim_end_matches(" - should panic").to_owned();
            let mut test = RawTest { name, ..RawTest::default() };
            test.ended(status, result.name("seconds").and_then(|seconds| seconds.as_str().parse().ok()));
            test.message = result.name("why").map(|why| why.as_str().to_owned());
            found.push(test);
        } else if let Some(name) =
            line.strip_prefix("---- ").and_then(|line| line.strip_suffix(" stdout ----"))
        {
            let mut said = String::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("---- ") && *line != "failures:") {
                said.push_str(line);
                said.push('\n');
            }
            if let Some(test) = found[binary..].iter_mut().find(|test| test.name == name) {
                rust_failure(test, said.trim());
            }
        }
    }
    found
}

pub(crate) fn rust_failure(test: &mut RawTest, said: &str) {
    let lines: Vec<&str> = said.lines().collect();
    if let Some((at, panic)) =
        lines.iter().enumerate().find_map(|(at, line)| Some((at, RUST_PANIC.captures(line)?)))
    {
        test.file = Some(panic["file"].to_owned());
        test.line = panic["line"].parse().ok();
        let below = lines[at + 1..].iter().take_while(|line| !line.starts_with("stack backtrace:"));
        let below = below.filter(|line| !line.starts_with("note: run with"));
        let message: Vec<&str> =
            panic.name("old").map(|old| old.as_str()).into_iter().chain(below.copied()).collect();
        test.message = Some(message.join("\n").trim().to_owned());
        test.output = lines[..at].join("\n");
        test.stack = lines[at..].join("\n");
    } else {
        // `Err` was returned, or there was no panic where one should be.
        test.message = Some(said.trim_start_matches("note: ").to_owned());
    }
}

/// Output of our own reporters (`unittest_runner.py`, `reporter.mjs`): a value a line.
pub(crate) fn reported(out: &str) -> Vec<RawTest> {
    let mut found = Vec::new();
    for line in out.lines() {
        let Ok(one) = serde_json::from_str::<Value>(line) else { continue };
        let text = |name: &str| one[name].as_str().map(str::to_owned);
        let Some(name) = text("name") else { continue };
        let status = match one["status"].as_str() {
            Some("passed") => TestStatus::Passed,
            Some("failed") => TestStatus::Failed,
            Some("skipped") => TestStatus::Skipped,
            _ => TestStatus::Error,
        };
        let suites = one["suites"].as_array().map_or(&[][..], Vec::as_slice);
        let suites: Vec<&str> = suites.iter().filter_map(Value::as_str).collect();
        found.push(RawTest {
            suite: text("suite").unwrap_or_else(|| suites.join(" ")),
            name,
            status,
            duration_ms: one["ms"].as_f64().map(|ms| ms.max(0.0) as u64),
            message: text("message"),
            expected: text("expected"),
            actual: text("actual"),
            stack: text("stack").unwrap_or_default(),
            output: text("output").unwrap_or_default(),
            file: text("file"),
            line: one["line"].as_u64().and_then(|line| u32::try_from(line).ok()),
            selector: text("selector").unwrap_or_default(),
        });
    }
    found
}

/// A suite or a test that failed, in the words of Vitest for people: `FAIL  src/a.test.ts > Cart > sums`, then the message.
struct VitestSaid {
    file: String,
    /// `Cart > sums`; empty when the file itself failed.
    names: String,
    message: String,
    line: Option<u32>,
}

fn vitest_said(said: &str) -> Vec<VitestSaid> {
    let lines: Vec<&str> = said.lines().map(str::trim).collect();
    let head = |line: &str| {
        let rest = line.strip_prefix("FAIL ")?.trim();
        let (file, names) = rest.split_once(" > ").unwrap_or((rest, ""));
        // The name of a project may stand before it.
        Some((file.split_whitespace().last()?.to_owned(), names.to_owned()))
    };
    let is_message =
        |line: &&&str| !line.is_empty() && !line.starts_with(['❯', '⎯']) && !line.starts_with("at ");
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((file, names)) = head(line) else { continue };
        // Heads with the same reason stand one below the other.
        let mut below = lines[at..].iter().skip_while(|line| line.starts_with("FAIL "));
        let message: Vec<&str> = below.clone().take_while(is_message).take(MAX_SAID).copied().collect();
        // `❯ src/a.test.ts:26:27`
        let place = below.nth(message.len()).and_then(|line| line.strip_prefix("❯ "));
        let line = place.and_then(|place| place.rsplit(':').nth(1)?.parse().ok());
        found.push(VitestSaid { file, names, message: message.join("\n"), line });
    }
    found
}

/// Lines of a message that are looked for among words for people.
const MAX_SAID: usize = 20;
/// The message of an error that Vitest makes for its place alone.
const VITEST_PLACE: &str = "Error: STACK_TRACE_ERROR";
/// The results of Jest and Vitest as JSON; `said` is what they write for people.
pub(crate) fn jest(out: &str, said: &str) -> Vec<RawTest> {
    let said = vitest_said(&plain(said));
    let Ok(value) = serde_json::from_str::<Value>(out) else { return Vec::new() };
    let mut found = Vec::new();
    for file in value["testResults"].as_array().into_iter().flatten() {
        let path = file["name"].as_str().unwrap_or_default();
        let results = file["assertionResults"].as_array().map_or(&[][..], Vec::as_slice);
        let said: Vec<&VitestSaid> = said.iter().filter(|one| path.ends_with(&one.file)).collect();
        let full = |one: &Value| {
            let names = one["ancestorTitles"].as_array().into_iter().flatten().chain([&one["title"]]);
            let names: Vec<&str> = names.filter_map(Value::as_str).filter(|name| !name.is_empty()).collect();
            names.join(" > ")
        };
        // Hooks: the report passes their tests over as skipped.
        let outside = said
            .iter()
            .filter(|one| !one.names.is_empty() && results.iter().all(|result| full(result) != one.names));
        let outside: Vec<RawTest> = outside
            .map(|one| RawTest {
                name: one.names.clone(),
                file: Some(path.to_owned()),
                line: one.line,
                message: Some(one.message.clone()),
                ..RawTest::default()
            })
            .collect();
        if file["status"] == "failed"
            && outside.is_empty()
            && results.iter().all(|one| one["status"] != "failed")
        {
            // It could not be loaded, or what stands around its tests failed.
            let mut message = plain(file["message"].as_str().unwrap_or_default());
            if message.trim().is_empty() {
                "it failed outside of its tests".clone_into(&mut message);
            }
            found.push(RawTest {
                name: path.rsplit('/').next().unwrap_or(path).to_owned(),
                status: TestStatus::Error,
                file: Some(path.to_owned()),
                stack: message.clone(),
                message: Some(message.trim().to_owned()),
                ..RawTest::default()
            });
        }
        found.extend(outside);
        for one in results {
            let suites = one["ancestorTitles"].as_array().map_or(&[][..], Vec::as_slice);
            let suites: Vec<&str> =
                suites.iter().filter_map(Value::as_str).filter(|s| !s.is_empty()).collect();
            let name = one["title"].as_str().unwrap_or_default();
            let status = match one["status"].as_str() {
                Some("passed") => TestStatus::Passed,
                Some("failed") => TestStatus::Failed,
                _ => TestStatus::Skipped,
            };
            let failure =
                one["failureMessages"].as_array().and_then(|all| all.first()).and_then(Value::as_str);
            let mut failure = failure.map(plain);
            // Vitest knows the place of a test that ran out of time, and no longer what it was told.
            if let Some(stack) = failure.as_mut().filter(|stack| stack.starts_with(VITEST_PLACE)) {
                let names = full(one);
                let said = said.iter().find(|one| one.names == names);
                *stack = stack.replacen(VITEST_PLACE, said.map_or("it failed", |one| &one.message), 1);
            }
            let details = &one["failureDetails"][0]["matcherResult"];
            let value = |value: &Value| match value {
                Value::Null => None,
                Value::String(text) => Some(text.clone()),
                other => Some(other.to_string()),
            };
            let message = failure.as_deref().map(|text| {
                let lines = text.lines().take_while(|line| !line.trim_start().starts_with("at "));
                lines.collect::<Vec<_>>().join("\n").trim().to_owned()
            });
            found.push(RawTest {
                suite: suites.join(" > "),
                name: name.to_owned(),
                status,
                duration_ms: one["duration"].as_f64().map(|ms| ms.max(0.0) as u64),
                message,
                expected: value(&details["expected"]),
                actual: value(&details["actual"]),
                stack: failure.unwrap_or_default(),
                output: String::new(),
                file: Some(path.to_owned()),
                line: one["location"]["line"].as_u64().and_then(|line| u32::try_from(line).ok()),
                selector: suites.iter().chain(&[name]).copied().collect::<Vec<_>>().join(" "),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(tests: &[RawTest]) -> Vec<String> {
        let line = |test: &RawTest| {
            let place = test.file.as_deref().map_or_else(
                || "-".to_owned(),
                |file| {
                    let name = file.rsplit('/').next().unwrap_or(file);
                    format!("{name}:{}", test.line.unwrap_or(0))
                },
            );
            format!(
                "{} {} {place} {}",
                test.status.as_str(),
                test.name,
                test.message.as_deref().unwrap_or("-")
            )
        };
        tests.iter().map(line).collect()
    }

    #[test]
    fn recorded_outputs() {
        let found = go(include_str!("recorded/go-test.json"));
        let expected = [
            "passed TestEmptyCostsNothing - -",
            "failed TestSums/two_and_three cart_test.go:17 got -5, want 5",
        ];
        assert_eq!(shown(&found), expected);
        let found = cargo(include_str!("recorded/cargo-test.out"));
        let expected = [
            "passed tests::empty_costs_nothing - -",
            "failed tests::sums lib.rs:39 assertion `left == right` failed\n  left: -5\n right: 5",
        ];
        assert_eq!(shown(&found), expected);
        assert_eq!(shown(&cargo(&include_str!("recorded/cargo-test.out").replace('\n', "\r\n"))), expected);
        let found = jest(include_str!("recorded/jest.json"), "");
        assert_eq!(found[0].selector, "Cart sums (2)");
        assert_eq!((found[0].expected.as_deref(), found[0].actual.as_deref()), (Some("3"), Some("2")));
        assert_eq!(
            found[0].message.as_deref(),
            Some("Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: 3\nReceived: 2")
        );
        let found = jest(include_str!("recorded/vitest.json"), "");
        let expected =
            "failed sums (2 + 3) cart.test.ts:0 AssertionError: expected -5 to be 5 // Object.is equality";
        assert_eq!((found.len(), &*shown(&found)[1]), (4, expected));
    }

    #[test]
    fn ended_panicking_and_odd_tests() {
        let text = r#"{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: \n        \tError Trace:\tx\n        \texpected: 5\n"}
{"Action":"fail","Package":"p","Test":"TestA","Elapsed":1.5}
not json
{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestB","Output":"panic: boom [recovered]\n\ngoroutine 7 [running]:\np.TestB(0x1)\n\t/p/b_test.go:9 +0x1d\n"}
{"Action":"run","Package":"p","Test":"TestC"#;
        let found = go(text);
        let expected = [
            "failed TestA a_test.go:3 Error Trace:\tx\nexpected: 5",
            "error TestB - panic: boom [recovered]",
        ];
        assert_eq!(shown(&found), expected);
        assert_eq!(found[0].duration_ms, Some(1_500));
        let text = "\nrunning 3 tests\ntest a ... some output\nok\ntest b - should panic ... FAILED\ntest src/lib.rs - f (line 3) ... ok\ntest c ... ignored, slow\n\
                    failures:\n\n---- b stdout ----\nnote: test did not panic as expected\n\nfailures:\n    b\n\nrunning 1 test\ntest b ... ok\n";
        let found = cargo(text);
        let expected = [
            "failed b - test did not panic as expected",
            "passed src/lib.rs - f (line 3) - -",
            "skipped c - slow",
            "passed b - -",
        ];
        assert_eq!(shown(&found), expected);
        assert!(jest("{\"testResults\"", "").is_empty());
        let broken = r#"{"testResults":[{"name":"/p/a.test.ts","status":"failed","message":"\u001b[31mSyntaxError\u001b[0m: x","assertionResults":[]}]}"#;
        assert_eq!(shown(&jest(broken, "")), ["error a.test.ts a.test.ts:0 SyntaxError: x"]);
    }
}
