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
