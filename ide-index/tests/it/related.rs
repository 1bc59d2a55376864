//! Declarations named after a symbol by convention are renamed along with it, where that is asked for.

use std::collections::BTreeMap;

use ide_model::{Refactoring, Related};

use crate::refactor::change;

const ALL: Related = Related { accessors: true, tests: true, parameters: true, unresolved: false };

#[track_caller]
fn renames(source: &str, new_name: &str, related: Related, wanted: &[(&str, &str)]) {
    let outcome = change(source, |symbol, plan| {
        plan(&Refactoring::Rename { symbol, new_name, with_family: true, related })
    });
    assert_eq!(outcome.refactored.conflicts, [], "{:#?}", outcome.changed);
    let wanted: BTreeMap<String, String> =
        wanted.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    assert_eq!(outcome.changed, wanted);
}

#[test]
fn accessors_of_fields() {
    let java = "//- A.java\nclass A {\n  private int na<caret>me;\n  A(int name) { this.name = name; }\n  int getName() { return name; }\n  void setName(int name) { this.name = name; }\n  int isName() { return 1; }\n}\n\
                //- B.java\nclass B { int f(A a) { a.setName(1); return a.getName(); } }\n";
    renames(
        java,
        "title",
        Related { parameters: false, ..ALL },
        &[
            (
                "A.java",
                "class A {\n  private int title;\n  A(int name) { this.title = name; }\n  int getTitle() { return title; }\n  void setTitle(int name) { this.title = name; }\n  int isName() { return 1; }\n}\n",
            ),
            ("B.java", "class B { int f(A a) { a.setTitle(1); return a.getTitle(); } }\n"),
        ],
    );
    renames(
        java,
        "title",
        ALL,
        &[
            (
                "A.java",
                "class A {\n  private int title;\n  A(int title) { this.title = title; }\n  int getTitle() { return title; }\n  void setTitle(int title) { this.title = title; }\n  int isName() { return 1; }\n}\n",
            ),
            ("B.java", "class B { int f(A a) { a.setTitle(1); return a.getTitle(); } }\n"),
        ],
    );
    renames(
        "//- a.py\nclass A:\n    def __init__(self, name):\n        self._na<caret>me = name\n\n    def get_name(self):\n        return self._name\n\na = A('')\na.get_name()\n",
        "_title",
        ALL,
        &[(
            "a.py",
            "class A:\n    def __init__(self, title):\n        self._title = title\n\n    def get_title(self):\n        return self._title\n\na = A('')\na.get_title()\n",
        )],
    );
    renames(
        "//- a.php\n<?php\nclass A {\n  private $na<caret>me;\n  function getName() { return $this->name; }\n  function setName($name) { $this->name = $name; }\n}\n",
        "title",
        ALL,
        &[(
            "a.php",
            "<?php\nclass A {\n  private $title;\n  function getTitle() { return $this->title; }\n  function setTitle($title) { $this->title = $title; }\n}\n",
        )],
    );
}

#[test]
fn tests_of_types_and_functions() {
    renames(
        "//- A.java\nclass <caret>A {}\n//- ATest.java\nclass ATest { A a; }\n//- other/ATest.java\npackage other;\nclass ATest {}\n",
        "B",
        ALL,
        &[("B.java", "class B {}\n"), ("BTest.java", "class BTest { B a; }\n")],
    );
    renames(
        "//- go.mod\nmodule m\n//- a.go\npackage m\n\nfunc parse<caret>() {}\n//- a_test.go\npackage m\n\nimport \"testing\"\n\nfunc TestParse(t *testing.T) { parse() }\n",
        "read",
        ALL,
        &[
            ("a.go", "package m\n\nfunc read() {}\n"),
            ("a_test.go", "package m\n\nimport \"testing\"\n\nfunc TestRead(t *testing.T) { read() }\n"),
        ],
    );
    renames(
        "//- a.py\ndef par<caret>se(): pass\n//- test_a.py\nfrom a import parse\n\ndef test_parse():\n    parse()\n\ndef test_other():\n    parse()\n",
        "read",
        ALL,
        &[
            ("a.py", "def read(): pass\n"),
            (
                "test_a.py",
                "from a import read\n\ndef test_read():\n    read()\n\ndef test_other():\n    read()\n",
            ),
        ],
    );
}

#[test]
fn parameters_of_a_family_of_methods() {
    let kotlin = "//- a.kt\ninterface I { fun f(x<caret>: Int) }\nclass C : I { override fun f(x: Int) { println(x) } }\nclass D : I { override fun f(y: Int) { println(y) } }\nfun g(i: I) { i.f(x = 1) }\n";
    renames(
        kotlin,
        "z",
        ALL,
        &[(
            "a.kt",
            "interface I { fun f(z: Int) }\nclass C : I { override fun f(z: Int) { println(z) } }\nclass D : I { override fun f(y: Int) { println(y) } }\nfun g(i: I) { i.f(z = 1) }\n",
        )],
    );
    renames(
        "//- A.java\ninterface A { void f(int x); }\n//- B.java\nclass B implements A { public void f(int <caret>x) { g(x); } void g(int x) {} }\n",
        "z",
        ALL,
        &[
            ("A.java", "interface A { void f(int z); }\n"),
            ("B.java", "class B implements A { public void f(int z) { g(z); } void g(int x) {} }\n"),
        ],
    );
}
