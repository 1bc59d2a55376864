//! The reasons that keep a declaration although nothing names it.

use crate::refactor::delete;

#[track_caller]
fn is_used(source: &str) {
    let outcome = delete(source);
    assert!(outcome.conflicts.contains(&"in_use"), "{:#?}", outcome.changed);
}

#[track_caller]
fn is_free(source: &str) {
    let outcome = delete(source);
    assert_eq!(outcome.conflicts, [] as [&str; 0], "{:#?}", outcome.refactored.conflicts);
}

#[test]
fn constants_of_go_that_others_are_numbered_by_or_repeat() {
    let block = |lines: &str| format!("//- go.mod\nmodule m\n//- a.go\npackage a\n\nconst (\n{lines})\n");
    is_used(&block("\tA<caret> = iota\n\tB\n\tC\n"));
    is_used(&block("\tA = iota\n\tB<caret>\n\tC\n"));
    is_free(&block("\tA = iota\n\tB\n\tC<caret>\n"));
    is_used(&block("\tP = \"x\"\n\tQ<caret> = \"y\"\n\tR\n"));
    is_free(&block("\tP = \"x\"\n\tQ<caret>\n\tR\n"));
    is_free(&block("\tP<caret> = \"x\"\n\tQ = \"y\"\n"));
    is_used(&block("\tP<caret> = 1\n\tQ = 1 << iota\n"));
    is_used(
        &block("\tP<caret> Kind = 1 << (10 * iota)\n\tQ\n").replace("const (", "type Kind int\n\nconst ("),
    );
}

#[test]
fn fields_of_go_that_literals_fill_by_their_order() {
    let with = |use_: &str| {
        format!(
            "//- go.mod\nmodule m\n//- a.go\npackage a\n\ntype T struct {{\n\tA int\n\tB<caret> int\n}}\n\n{use_}\n"
        )
    };
    is_used(&with("var t = T{1, 2}"));
    is_used(&with("var t = &T{1, 2}"));
    is_used(&with("var t = []T{{1, 2}}"));
    is_used(&with("var t = map[string]*T{\"a\": {1, 2}}"));
    is_used(&with("type Ts [][]T\n\nvar t = Ts{{{1, 2}}}"));
    is_used(&with("type U = T\n\nvar t = U{1, 2}"));
    is_free(&with("var t = T{A: 1}"));
    is_free(&with("var t = []T{{A: 1}, {}}"));
    is_free(&with("type O struct{ X, Y int }\n\nvar t = O{1, 2}"));
}

#[test]
fn declarations_of_libraries_are_not_ours_to_delete() {
    for source in [
        "//- a.py\nx = le<caret>n([])\n",
        "//- go.mod\nmodule m\n//- a.go\npackage a\n\nimport \"fmt\"\n\nfunc f() { fmt.Printl<caret>n(1) }\n",
        "//- a.kt\nfun f(s: String) = s.tri<caret>m()\n",
        "//- a.ts\nexport const x = parseIn<caret>t('1');\n",
        "//- a.js\nexport const x = parseIn<caret>t('1');\n",
        "//- a.php\n<?php\n$x = strle<caret>n('a');\n",
        "//- src/lib.rs\npub fn f(s: &str) -> usize { s.le<caret>n() }\n",
    ] {
        let outcome = delete(source);
        assert_eq!(outcome.conflicts, ["outside_project"], "{source}");
        assert!(outcome.refactored.plan.changes.is_empty(), "{source}");
    }
}

#[test]
fn fixtures_that_are_requested_by_another_name() {
    let with = |test: &str| {
        format!(
            "//- conftest.py\nimport pytest\n\n\n@pytest.fixture(name=\"basket\")\ndef make_basket<caret>(): ...\n//- test_a.py\nimport pytest\n\n\n{test}"
        )
    };
    is_used(&with("def test_a(basket): ...\n"));
    is_used(&with("@pytest.mark.usefixtures(\"basket\")\ndef test_a(): ...\n"));
    is_used(&with(
        "@pytest.mark.parametrize(\"basket\", [1], indirect=[\"basket\"])\ndef test_a(basket): ...\n",
    ));
    is_free(&with("def test_a(make_basket): ...\n").replace("(make_basket)", "(other)"));
    is_free(&with("@pytest.mark.parametrize(\"basket\", [1])\ndef test_a(basket): ...\n"));
}

#[test]
fn operators_on_other_values_keep_no_type_that_nobody_names() {
    is_free(
        "//- a.py\nclass Unu<caret>sed:\n    def __len__(self):\n        return 1\n\n    def __repr__(self):\n        return ''\n\n\ndef f(x, y):\n    print(y)\n    return len(x)\n",
    );
    is_free(
        "//- a.kt\nclass Unu<caret>sed(val n: Int) {\n    operator fun plus(o: Unused) = Unused(n)\n}\nfun f(a: dynamic, b: Int) = a + b\n",
    );
    is_free(
        "//- a.php\n<?php\nclass Unu<caret>sed { public function __toString() { return 'x'; } }\nfunction f($x) { echo $x; }\n",
    );
}

#[test]
fn what_a_program_starts_by_is_used() {
    let cases = [
        "//- A.java\nclass A<caret> { public static void main(String[] a) {} }\n",
        "//- a.kt\nobject A<caret> { @JvmStatic fun main() {} }\n",
    ];
    for source in cases {
        assert_eq!(delete(source).conflicts, ["in_use"], "{source}");
    }
    assert_eq!(delete("//- A.java\nclass A<caret> { void main(int a) {} }\n").conflicts, [] as [&str; 0]);
}
