//! Extracting from where more than the value counts: the bodies of classes, variables outside of a function, calls before it.

use ide_model::{FilePath, Refactoring, TextRange};

use crate::inside::{extracts, only_text, reason, refuses_to_extract};
use crate::refactor::{Outcome, change_at};

#[test]
fn a_class_that_counts_its_names_gets_no_new_one() {
    let why = "one more member";
    refuses_to_extract(
        "//- a.py\nfrom dataclasses import dataclass, field\n\n@dataclass\nclass A:\n    tags: list[str] = <caret>field(default_factory=list)\n",
        "field(default_factory=list)",
        why,
    );
    refuses_to_extract(
        "//- a.py\nfrom enum import Enum\n\nclass A(Enum):\n    ONE = <caret>1 + 1\n",
        "1 + 1",
        why,
    );
    refuses_to_extract(
        "//- a.py\nfrom typing import NamedTuple\n\nclass A(NamedTuple):\n    if True:\n        x: int = <caret>1 + 1\n",
        "1 + 1",
        why,
    );
    extracts(
        "//- a.py\nclass A:\n    ONE = [<caret>1 + 1]\n",
        "1 + 1",
        "two",
        "class A:\n    two = 1 + 1\n    ONE = [two]\n",
    );
    extracts(
        "//- a.py\nfrom enum import Enum\n\nclass A(Enum):\n    ONE = 1\n    def f(self):\n        return [<caret>self.value + 1]\n",
        "self.value + 1",
        "next_",
        "from enum import Enum\n\nclass A(Enum):\n    ONE = 1\n    def f(self):\n        next_ = self.value + 1\n        return [next_]\n",
    );
}

fn extract_method(source: &str, select: &str) -> Outcome {
    change_at(source, |at, _, plan| {
        let file = FilePath::new(at.path.as_str());
        let range = TextRange::new(at.start, at.start + select.len() as u32);
        plan(&Refactoring::ExtractMethod { file: &file, range, name: "part" })
    })
}

#[test]
fn what_says_which_variable_is_written_stays_with_the_writing() {
    let run = |body: &str| {
        format!("//- a.py\nLAST = 0\n\nclass A:\n    def run(self):\n{body}        return LAST\n")
    };
    let why = "apart from the statement";
    let refuse = |body: &str, select: &str| {
        let outcome = extract_method(&run(body), select);
        let reason = reason(&outcome);
        assert!(reason.contains(why), "{reason}");
    };
    refuse("        <caret>global LAST\n        LAST = self.n\n", "global LAST");
    refuse("        global LAST\n        <caret>LAST = self.n\n", "LAST = self.n");
    refuse(
        "        global LAST\n        <caret>LAST += 1\n        print(1)\n",
        "LAST += 1\n        print(1)",
    );
    let outcome = extract_method(
        "//- a.php\n<?php\n$n = 1;\nfunction f() {\n    global $n;\n    <caret>$n = $n + 1;\n    echo 1;\n}\n",
        "$n = $n + 1;",
    );
    assert!(reason(&outcome).contains(why), "{}", reason(&outcome));
    let outcome = extract_method(
        "//- a.py\ndef f():\n    n = 0\n    def g():\n        <caret>nonlocal n\n        n = 1\n        print(n)\n    g()\n    return n\n",
        "nonlocal n\n        n = 1",
    );
    assert!(reason(&outcome).contains("belongs to a function around this one"), "{}", reason(&outcome));
}

#[test]
fn a_variable_outside_goes_along_with_what_says_so() {
    let outcome = extract_method(
        "//- a.py\nLAST = 0\n\ndef run(n):\n    <caret>global LAST\n    LAST = n\n    return LAST\n",
        "global LAST\n    LAST = n",
    );
    assert_eq!(
        only_text(&outcome),
        "LAST = 0\n\ndef run(n):\n    part(n)\n    return LAST\n\n\ndef part(n):\n    global LAST\n    LAST = n\n"
    );
    let outcome = extract_method(
        "//- a.py\nLAST = 0\n\ndef run(n):\n    global LAST\n    LAST = n\n    <caret>print(LAST)\n    return 1\n",
        "print(LAST)",
    );
    assert_eq!(
        only_text(&outcome),
        "LAST = 0\n\ndef run(n):\n    global LAST\n    LAST = n\n    part()\n    return 1\n\n\ndef part():\n    print(LAST)\n"
    );
}

#[test]
fn a_call_before_a_value_may_change_it() {
    let why = "runs before it and may write";
    let run = "LAST = 0\n\ndef run():\n    global LAST\n    LAST = 5\n";
    refuses_to_extract(
        &format!(
            "//- svc.py\n{run}//- a.py\nimport svc\n\ndef f():\n    print(svc.run(), <caret>svc.LAST)\n"
        ),
        "svc.LAST",
        why,
    );
    refuses_to_extract(
        "//- A.java\nclass A {\n  int n;\n  int add() { n += 1; return n; }\n  void f() { g(add(), <caret>this.n); }\n  void g(int a, int b) {}\n}\n",
        "this.n",
        why,
    );
    refuses_to_extract(
        "//- a.ts\nlet last = 0;\nfunction run() { last = 5; return last; }\nexport function f() { console.log(run(), <caret>last + 1); }\n",
        "last + 1",
        why,
    );
}

#[test]
fn a_call_before_a_value_that_nothing_writes_changes_nothing() {
    extracts(
        "//- a.py\nclass A:\n    def __init__(self):\n        self.n = 1\n    def add(self): return 2\n    def f(self):\n        print(self.add(), <caret>self.n)\n",
        "self.n",
        "value",
        "class A:\n    def __init__(self):\n        self.n = 1\n    def add(self): return 2\n    def f(self):\n        value = self.n\n        print(self.add(), value)\n",
    );
    extracts(
        "//- a.py\nLAST = 0\n\ndef run(): return LAST\n\ndef f():\n    print(<caret>LAST + 1, run())\n",
        "LAST + 1",
        "value",
        "LAST = 0\n\ndef run(): return LAST\n\ndef f():\n    value = LAST + 1\n    print(value, run())\n",
    );
}
