//! Texts in calls that name modules and declarations by their dotted names follow them, or keep them.

use crate::moves::moves;
use crate::refactor::{delete, renames};

const TEST: &str = "//- tests/test_x.py\nfrom unittest import mock\nimport importlib\nlog = print(\"pkg.a.put\")\n\n\
    @mock.patch('pkg.a.put')\ndef test(monkeypatch):\n    # patch(\"pkg.a.put\")\n    m = importlib.import_module(\"pkg.a\")\n    \
    monkeypatch.setattr(\"pkg.a.Box.size\", 1)\n    with mock.patch(\"pkg.a.puts\", mock.patch( \"pkg.a.put\")): ...\n";

#[test]
fn texts_in_calls_follow_what_they_name() {
    let files = |code: &str| format!("//- pkg/__init__.py\n\n//- pkg/a.py\n{code}{TEST}");
    let test = TEST.split_once('\n').map_or("", |(_, text)| text);
    let put = test
        .replace("patch('pkg.a.put')", "patch('pkg.a.store')")
        .replace("patch( \"pkg.a.put\")", "patch( \"pkg.a.store\")");
    renames(
        &files("def p<caret>ut(k): return k\nclass Box:\n    size = 1\n"),
        "store",
        &[("pkg/a.py", "def store(k): return k\nclass Box:\n    size = 1\n"), ("tests/test_x.py", &put)],
    );
    renames(
        &files("def put(k): return k\nclass B<caret>ox:\n    size = 1\n"),
        "Bag",
        &[
            ("pkg/a.py", "def put(k): return k\nclass Bag:\n    size = 1\n"),
            ("tests/test_x.py", &test.replace("pkg.a.Box.size", "pkg.a.Bag.size")),
        ],
    );
    let moved = test
        .replace("patch('pkg.a.put')", "patch('pkg.core.put')")
        .replace("patch( \"pkg.a.put\")", "patch( \"pkg.core.put\")")
        .replace("module(\"pkg.a\")", "module(\"pkg.core\")")
        .replace("pkg.a.Box.size", "pkg.core.Box.size");
    let code = "def put(k): return k\nclass Box:\n    size = 1\n";
    moves(&files(code), "pkg/a.py", "pkg/core.py", &[("pkg/core.py", code), ("tests/test_x.py", &moved)]);
}

#[test]
fn declarations_stay_that_a_text_in_a_call_names() {
    let source = |name: &str| {
        format!(
            "//- a.py\ndef <caret>{name}(): ...\n//- test.py\nfrom unittest import mock\nmock.patch(\"a.put\")\n"
        )
    };
    let used = delete(&source("put")).refactored;
    assert!(
        used.conflicts.iter().any(|found| found.message.contains("`a.put` is named in a text")),
        "{used:?}"
    );
    assert_eq!(delete(&source("other")).refactored.conflicts, []);
}
