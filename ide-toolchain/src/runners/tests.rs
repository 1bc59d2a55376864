//! Rows, names and places of the runners.

use super::*;

#[test]
fn every_framework_has_one_row() {
    let rows: Vec<Framework> = RUNNERS.iter().map(|row| row.framework).collect();
    assert_eq!(rows, Framework::ALL);
}

#[test]
fn names_lose_the_values_that_they_are_run_with() {
    let names = [
        ("shop.CartTest#adds(int)[1]", "shop.CartTest#adds"),
        ("shop.CartTest#adds{int}[1]", "shop.CartTest#adds"),
        ("tests/test_a.py::TestB::test_c[0-1]", "tests/test_a.py::TestB::test_c"),
        ("tests/test_a.py::TestB::test_c[odd[0]::a]", "tests/test_a.py::TestB::test_c"),
        ("shop.CartTest#same[2, 3](2)", "shop.CartTest#same"),
        ("A\\BTest::testC with data set #1", "A\\BTest::testC"),
        ("shop.CartTest#adds", "shop.CartTest#adds"),
    ];
    for (name, expected) in names {
        assert_eq!(without_values(name), expected);
    }
    assert_eq!(table::template("has %d of $a.b (x)"), "has .* of .* \\(x\\)");
    assert_eq!(table::template("100% ${x}!"), "100% .*!");
}

fn case(framework: Framework, file: &str, selector: &str, is_parameterized: bool) -> TestCase {
    TestCase {
        id: format!("{file}::{selector}"),
        framework,
        file: ide_model::FilePath::new(file),
        line: 1,
        suites: Vec::new(),
        name: selector.to_owned(),
        selector: selector.to_owned(),
        is_parameterized,
    }
}

#[test]
fn results_find_their_tests() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    std::fs::write(root.join("a.test.ts"), "").unwrap();
    std::fs::write(root.join("b.test.ts"), "").unwrap();
    let cases = [
        case(Framework::Vitest, "a.test.ts", "Cart sums", false),
        case(Framework::Vitest, "b.test.ts", "Cart sums", false),
        case(Framework::Vitest, "b.test.ts", "has %d", true),
    ];
    let known: Vec<&TestCase> = cases.iter().collect();
    let site = Site {
        root: root.clone(),
        checkout: root.clone(),
        modules: Vec::new(),
        files: Vec::new(),
        search_path: Vec::new(),
    };
    let run = Run { site: &site, dir: &root, picked: None, known: &known, scratch: &root };
    let index = Index::new(&known);
    let find = |selector: &str, file: Option<&str>| {
        let raw =
            RawTest { selector: selector.to_owned(), file: file.map(str::to_owned), ..RawTest::default() };
        index.find(&run, &raw).map(|case| case.id.clone())
    };
    let path = root.join("b.test.ts").display().to_string();
    assert_eq!(find("Cart sums", Some(&path)).as_deref(), Some("b.test.ts::Cart sums"));
    assert_eq!(find("has 12", None).as_deref(), Some("b.test.ts::has %d"));
    assert_eq!(find("has", None), None);
}

#[test]
fn the_innermost_place_of_the_project_is_where_a_test_failed() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let files = [
        "src/test/java/shop/CartTest.java",
        "src/a.ts",
        "tests/test_a.py",
        "shop/cart.py",
        "tests/ATest.php",
        "k/Deep.kt",
    ];
    for file in files {
        std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        std::fs::write(root.join(file), "").unwrap();
    }
    let site = Site {
        root: root.clone(),
        checkout: root.clone(),
        modules: Vec::new(),
        files: files.iter().map(|file| ide_model::FilePath::new(*file)).collect(),
        search_path: Vec::new(),
    };
    let places = Places::new(&site, &root);
    let place = |stack: &str| {
        let stack = stack.replace("ROOT", &root.display().to_string());
        let (file, line) = stack::place(&site, &stack, &places, None)?;
        Some(format!("{file}:{}", line.unwrap()))
    };
    let jvm = "org.Failed: x\n\tat org.junit.Assert.fail(Assert.java:5)\n\tat app//shop.CartTest$Filled.sums(CartTest.java:23)\n\tat x.Main.run(Main.java:1)";
    assert_eq!(place(jvm).as_deref(), Some("src/test/java/shop/CartTest.java:23"));
    assert_eq!(place("\tat other.pkg.DeepKt.go(Deep.kt:4)").as_deref(), Some("k/Deep.kt:4"));
    let node = "Error: x\n    at f (file://ROOT/node_modules/a.js:1:1)\n    at file://ROOT/src/a.ts:3:5\n    at async g (ROOT/src/a.ts:9:1)";
    assert_eq!(place(node).as_deref(), Some("src/a.ts:3"));
    let pytest =
        "    def test():\n>       f()\n\ntests/test_a.py:7: \n_ _ _\n\nshop/cart.py:17: ValueError\n";
    assert_eq!(place(pytest).as_deref(), Some("shop/cart.py:17"));
    let syntax =
        "E     File \"ROOT/tests/test_a.py\", line 9\nE       def x(:\nE   SyntaxError: invalid syntax\n";
    assert_eq!(place(syntax).as_deref(), Some("tests/test_a.py:9"));
    let python = "Traceback\n  File \"ROOT/tests/test_a.py\", line 3, in a\n  File \"/usr/lib/python3/unittest/case.py\", line 9, in b\n";
    assert_eq!(place(python).as_deref(), Some("tests/test_a.py:3"));
    assert_eq!(
        place("A::b\nFailed asserting\n\nROOT/tests/ATest.php:22\nROOT/tests/ATest.php:30\n").as_deref(),
        Some("tests/ATest.php:22")
    );
    assert_eq!(place("no place\n"), None);
}

/// `status suite name file:line message` of every result, paths without their folder.
fn told(tests: &[RawTest]) -> Vec<String> {
    let line = |test: &RawTest| {
        let place = test.file.as_deref().map_or_else(
            || "-".to_owned(),
            |file| format!("{}:{}", file.rsplit('/').next().unwrap_or(file), test.line.unwrap_or(0)),
        );
        let message = test.message.as_deref().unwrap_or("-").replace('\n', " | ");
        format!("{} {} {} {place} {message}", test.status.as_str(), test.suite, test.name)
    };
    tests.iter().map(line).collect()
}

#[test]
fn words_of_go_that_fail_are_told_from_those_that_do_not() {
    let out = include_str!("recorded/go-test-many.json");
    let expected = [
        "failed p Example - got: | 3 | want: | 4",
        "failed p TestLogs p_test.go:10 p_test.go:9: on the way | p_test.go:10: got 1, want 2",
        "failed p TestTwice p_test.go:15 p_test.go:14: first | p_test.go:15: second",
    ];
    let found = lines::go(out);
    assert_eq!(told(&found), expected);
    assert_eq!(expectation(found[0].message.as_deref().unwrap()), Some(("4".to_owned(), "3".to_owned())));
    assert!(NOT_COMPILED.iter().any(|word| out.contains(word)), "a package that did not compile is told");
    let messages = go_build(out);
    assert_eq!(messages.kept.len(), 1);
    assert_eq!(messages.kept[0].file.as_deref(), Some("broken/b_test.go"));
}

#[test]
fn tests_of_rust_that_should_panic_and_those_in_comments() {
    let mut found = lines::cargo(include_str!("recorded/cargo-test-many.out"));
    found.iter_mut().for_each(table::cargo_test);
    let expected = [
        "skipped tests ignored - not now",
        "failed tests panics_otherwise lib.rs:16 these words | note: panic did not contain expected string |       \
         panic message: \"these words\" |  expected substring: \"other words\"",
        "failed tests does_not_panic - test did not panic as expected at src/lib.rs:20:8",
        "failed  src/lib.rs - two (line 1) lib.rs:1 assertion `left == right` failed |   left: 2 |  right: 3",
        "passed  src/lib.rs - two (line 5) lib.rs:5 -",
    ];
    assert_eq!(told(&found), expected);
}

#[test]
fn hooks_and_late_tests_of_vitest_have_their_message() {
    let said = include_str!("recorded/vitest-hooks.out");
    let found = lines::jest(include_str!("recorded/vitest-hooks.json"), said);
    let late = "Error: Test timed out in 20ms. | If this is a long-running test, pass a timeout value as the last argument or \
                configure it globally with \"testTimeout\".";
    let expected = [
        "error  hooks cart.test.ts:3 Error: no setup".to_owned(),
        "skipped hooks a cart.test.ts:0 -".to_owned(),
        format!("failed Cart is slow cart.test.ts:0 {late}"),
        "failed Cart sums cart.test.ts:0 AssertionError: expected 1 to be 2 // Object.is equality".to_owned(),
    ];
    assert_eq!(told(&found), expected);
    // Without the words there is still no clean bill.
    let hook = r#"{"testResults":[{"name":"/p/a.test.ts","status":"failed","message":"","assertionResults":[{"title":"a","status":"skipped"}]}]}"#;
    assert_eq!(
        told(&lines::jest(hook, "")),
        ["error  a.test.ts a.test.ts:0 it failed outside of its tests", "skipped  a a.test.ts:0 -"]
    );
}

#[test]
fn what_fails_around_tests_has_a_name() {
    let found: Vec<RawTest> = junit_xml::cases(include_str!("recorded/surefire-setup.xml"))
        .into_iter()
        .map(table::jvm_test)
        .collect();
    assert_eq!(told(&found), ["error shop.BrokenSetupTest BrokenSetupTest - no setup"]);
    let heads = "----- Captured Out -----\nsaid\n\n----- Captured Err -----\n\n";
    assert_eq!(table::captured(heads), "----- Captured Out -----\nsaid");
    assert_eq!(table::captured("----- Captured Out -----\n\n----- Captured Err -----\n"), "");
}

#[test]
fn a_run_of_pytest_that_is_ended_says_which_test_did_not_end() {
    let out = "collecting ... collected 4 items\n\ntests/test_a.py::test_fast PASSED                    [ 25%]\n\
               tests/test_a.py::TestB::test_c[a b] SKIPPED (not now)   [ 50%]\n\
               tests/test_a.py::test_bad FAILED                     [ 75%]\ntests/test_a.py::test_slow ";
    let expected = [
        "passed tests/test_a.py test_fast - -",
        "skipped tests/test_a.py::TestB test_c[a b] - -",
        "failed tests/test_a.py test_bad - -",
        "error tests/test_a.py test_slow - it did not end",
    ];
    assert_eq!(told(&lines::pytest(out)), expected);
}

#[test]
fn a_process_of_tests_that_ends_early_is_no_success() {
    let said = "[INFO] Results:\nThe forked VM terminated without properly saying goodbye. VM crash or System.exit called?\n\
                Process Exit Code: 3\nCrashed tests:\nshop.HaltTest\norg.apache.maven.surefire.Fork: The forked VM\n\tat a.b\n\
                [INFO] BUILD SUCCESS\n";
    let words = crash(said).unwrap();
    assert!(words.starts_with("The forked VM") && words.contains("Crashed tests:\nshop.HaltTest"), "{words}");
    assert!(!words.contains("\tat "), "{words}");
    assert_eq!(crash("[INFO] BUILD SUCCESS\n"), None);
}
