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
    let run = Run {
        site: &site,
        dir: &root,
        picked: None,
        known: &known,
        scratch: &root,
        begun: SystemTime::now(),
    };
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
    let python = "Traceback\n  File \"ROOT/tests/test_a.py\", line 3, in a\n  File \"/usr/lib/python3/unittest/case.py\", line 9, in b\n";
    assert_eq!(place(python).as_deref(), Some("tests/test_a.py:3"));
    assert_eq!(
        place("A::b\nFailed asserting\n\nROOT/tests/ATest.php:22\nROOT/tests/ATest.php:30\n").as_deref(),
        Some("tests/ATest.php:22")
    );
    assert_eq!(place("no place\n"), None);
}
