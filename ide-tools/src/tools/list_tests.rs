//! `ide_list_tests`: the tests that the code has, without running anything.

use ide_model::{FileMeta, Framework, TestCase};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::ProjectArg;
use crate::discover::{Discovered, tests};
use crate::session::Session;
use crate::tool::{Call, Tool};

/// Tests of a result when the call does not say, and at most.
const SHOWN: i64 = 500;
const MAX_SHOWN: i64 = 5_000;

pub(crate) struct ListTests;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    file: Option<String>,
    /// Globs
    paths: Option<Vec<String>>,
    /// A part of a test's id
    query: Option<String>,
    #[schemars(extend("enum" = words()))]
    framework: Option<String>,
    /// Default 500, at most 5000
    max_tests: Option<i64>,
}

/// The words for frameworks.
pub(crate) fn words() -> Vec<&'static str> {
    Framework::ALL.iter().map(|framework| framework.as_str()).collect()
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    tests: Vec<Row>,
    total_count: usize,
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Row {
    /// An argument of ide_run_tests
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    suite: Option<String>,
    framework: &'static str,
    file: String,
    line: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    parameterized: bool,
}

impl From<&TestCase> for Row {
    fn from(test: &TestCase) -> Self {
        Self {
            id: test.id.clone(),
            name: test.name.clone(),
            suite: (!test.suites.is_empty()).then(|| test.suites.join("::")),
            framework: test.framework.as_str(),
            file: test.file.to_string(),
            line: test.line,
            parameterized: test.is_parameterized,
        }
    }
}

impl Tool for ListTests {
    const NAME: &'static str = "ide_list_tests";
    const ABOUT: &'static str = "Lists the tests of the project from its code, without running anything: JUnit, TestNG, \
        pytest, unittest, Jest, Vitest, node:test, go test, cargo test, PHPUnit. Each has an id that ide_run_tests takes.";
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let file = args.file.as_deref().map(|file| session.indexed(file)).transpose()?;
        let paths = args.paths.as_deref().map(|globs| session.project.path_filter(globs)).transpose()?;
        let admits = |meta: &FileMeta| {
            file.as_ref().is_none_or(|file| *file == meta.path)
                && paths.as_ref().is_none_or(|paths| paths(meta))
        };
        let Discovered { mut tests, is_partial } = tests(&session, &admits)?;
        let query = args.query.as_deref().map(str::to_lowercase);
        tests.retain(|test| {
            args.framework.as_deref().is_none_or(|wanted| wanted == test.framework.as_str())
                && query.as_deref().is_none_or(|query| test.id.to_lowercase().contains(query))
        });
        let most = args.max_tests.unwrap_or(SHOWN).clamp(1, MAX_SHOWN) as usize;
        let mut room = session.services.response_budget().saturating_sub(500);
        let mut shown = Vec::new();
        for row in tests.iter().take(most).map(Row::from) {
            // Names stand twice; keys and marks around them take the rest.
            let size = row.id.len() + row.name.len() + row.file.len() + 120;
            if size > room && !shown.is_empty() {
                break;
            }
            room = room.saturating_sub(size);
            shown.push(row);
        }
        Ok(Output {
            truncated: is_partial || shown.len() < tests.len(),
            total_count: tests.len(),
            tests: shown,
        })
    }

    fn text(output: &Output) -> Option<String> {
        let mut text = format!("{} tests\n", output.total_count);
        for row in &output.tests {
            text.push_str(&format!("{} (line {}, {})\n", row.id, row.line, row.framework));
        }
        if output.truncated {
            text.push_str("not all are shown: narrow with file, paths or query\n");
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::TestServer;

    const SOURCE: &str = "
//- test_a.py
import pytest
def test_one():
#   ^^^^^^^^ def test_one
    pass
class TestCart:
#     ^^^^^^^^ def TestCart
    def test_two(self):
#       ^^^^^^^^ def TestCart.test_two
        pass
    def helper(self):
#       ^^^^^^ def TestCart.helper
        pass
def help_test():
#   ^^^^^^^^^ def help_test
    pass
//- shop/cart_test.go
package shop
func TestSums(t *testing.T) {}
//   ^^^^^^^^ def TestSums
func Testing() {}
//   ^^^^^^^ def Testing
//- src/cart.test.ts
import { describe, it, test } from \"vitest\";
describe(\"Cart\", () => {
  it(\"sums (2)\", () => {});
  it.each([[1, 2]])(\"has %d\", () => {});
});
test('top', async () => {});
expect.test(\"no\", 1);
//- src/plain.ts
it(\"is not a test\", () => {});
";

    fn ids(result: &Value) -> Vec<&str> {
        result["tests"].as_array().unwrap().iter().map(|test| test["id"].as_str().unwrap()).collect()
    }

    #[test]
    fn tests_have_ids_places_and_frameworks() {
        let server = TestServer::new(SOURCE);
        let result = server.ok("ide_list_tests", json!({}));
        let expected = [
            "shop/cart_test.go::TestSums",
            "src/cart.test.ts::Cart::sums (2)",
            "src/cart.test.ts::Cart::has %d",
            "src/cart.test.ts::top",
            "test_a.py::test_one",
            "test_a.py::TestCart::test_two",
        ];
        assert_eq!(ids(&result), expected);
        assert_eq!((&result["totalCount"], &result["truncated"]), (&json!(6), &json!(false)));
        let has = json!({"id": expected[2], "name": "has %d", "suite": "Cart", "framework": "vitest", "file": "src/cart.test.ts", "line": 4, "parameterized": true});
        assert_eq!(result["tests"][2], has);
        assert_eq!(
            (&result["tests"][5]["framework"], &result["tests"][5]["line"]),
            (&json!("pytest"), &json!(5))
        );
    }

    #[test]
    fn titles_may_have_values() {
        let server = TestServer::new(
            "
//- src/cart.test.ts
import { it, describe } from \"vitest\";
for (const n of [1, 2]) {
  it(`is ${n}`, () => {});
  it(\"adds \" + n, () => {});
  describe(`with ${n}`, () => { it(\"sums\", () => {}); });
}
",
        );
        let result = server.ok("ide_list_tests", json!({}));
        let expected =
            ["src/cart.test.ts::is ${n}", "src/cart.test.ts::adds ${…}", "src/cart.test.ts::with ${n}::sums"];
        assert_eq!(ids(&result), expected);
        assert!((0..3).all(|at| result["tests"][at]["parameterized"] == true), "{result}");
    }

    #[test]
    fn each_parameter_matters() {
        let server = TestServer::new(SOURCE);
        let count = |args: Value| server.ok("ide_list_tests", args)["totalCount"].clone();
        assert_eq!(count(json!({"file": "test_a.py"})), 2);
        assert_eq!(count(json!({"paths": ["src/**"]})), 3);
        assert_eq!(count(json!({"query": "cart::SUMS"})), 1);
        assert_eq!(count(json!({"framework": "go-test"})), 1);
        let cut = server.ok("ide_list_tests", json!({"maxTests": 2}));
        assert_eq!((ids(&cut).len(), &cut["truncated"], &cut["totalCount"]), (2, &json!(true), &json!(6)));
        let text = server.call("ide_list_tests", json!({"framework": "go-test"})).text.unwrap();
        assert_eq!(text, "1 tests\nshop/cart_test.go::TestSums (line 2, go-test)\n");
    }
}
