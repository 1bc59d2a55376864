//! Imports tidied: what goes, what stays, in which order, byte for byte.

use ide_model::{FilePath, Refactoring};

use crate::refactor::{Outcome, change_files};

/// The first file of the fixture, tidied.
fn tidy(source: &str) -> Outcome {
    let path = source.lines().find_map(|line| line.strip_prefix("//- ")).expect("a file").to_owned();
    let file = FilePath::new(path);
    change_files(source, &Refactoring::OptimizeImports { file: &file })
}

/// The first file after it was tidied; other files may not change.
#[track_caller]
fn tidies(source: &str, wanted: &str) {
    let outcome = tidy(source);
    assert_eq!(outcome.refactored.conflicts, [], "{source}\n{:#?}", outcome.changed);
    let all: Vec<&String> = outcome.changed.values().collect();
    assert_eq!(all, [wanted], "{source}");
}

#[track_caller]
fn keeps(source: &str) {
    let outcome = tidy(source);
    assert_eq!(outcome.refactored.conflicts, [], "{source}");
    assert!(outcome.changed.is_empty(), "{source}\n{:#?}", outcome.changed);
}

#[track_caller]
fn refuses(source: &str, kinds: &[&str]) {
    let outcome = tidy(source);
    assert_eq!(outcome.conflicts, kinds, "{source}\n{:#?}", outcome.changed);
}

#[test]
fn python_imports_go_and_are_ordered() {
    tidies(
        "//- a.py\n\"\"\"Doc.\"\"\"\n\nimport sys\nimport requests\nimport os\nfrom b import y, x\nfrom __future__ import annotations\nimport unused\n\n\nprint(os, sys, x, y, requests)\n//- b.py\nx = 1\ny = 2\n",
        "\"\"\"Doc.\"\"\"\n\nfrom __future__ import annotations\n\nimport os\nimport sys\n\nimport requests\n\nfrom b import y, x\n\n\nprint(os, sys, x, y, requests)\n",
    );
    tidies(
        "//- a.py\nfrom b import (\n    one,  # first\n    two,\n    three as four,\n)\n\nprint(two)\n//- b.py\none = two = three = 1\n",
        "from b import (\n    two,\n)\n\nprint(two)\n",
    );
    tidies(
        "//- a.py\nimport os\n\n\ndef f():\n    os = 1\n    return os\n",
        "def f():\n    os = 1\n    return os\n",
    );
}

#[test]
fn python_imports_that_stay() {
    keeps("//- p/__init__.py\nimport os\n\nfrom .a import x\n//- p/a.py\nx = 1\n");
    keeps("//- a.py\nimport os  # noqa\n\nx = 1\n");
    keeps("//- a.py\nimport os as os\n\nx = 1\n");
    keeps("//- a.py\nfrom b import x\n\n__all__ = [\"x\"]\n//- b.py\nx = 1\n");
    keeps("//- a.py\ntry:\n    import json\nexcept ImportError:\n    json = None\n");
    keeps(
        "//- a.py\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from b import X\n\n\ndef f(x: \"X\"): ...\n//- b.py\nclass X: ...\n",
    );
    keeps("//- a.py\nfrom b import X\n\n\ndef f(x: \"list[X]\"): ...\n//- b.py\nclass X: ...\n");
    keeps("//- a.py\nimport os.path\n\nprint(os)\n");
    // Other files reach through the import.
    keeps("//- a.py\nfrom b import x\n\ny = 1\n//- b.py\nx = 1\n//- c.py\nfrom a import x\n\nprint(x)\n");
    keeps("//- a.py\nfrom b import x\n\ny = 1\n//- b.py\nx = 1\n//- c.py\nimport a\n\nprint(a.x)\n");
    keeps(
        "//- a.py\nfrom b import data\n\n\ndef test_it(data):\n    assert data\n//- b.py\nimport pytest\n\n\n@pytest.fixture\ndef data(): ...\n",
    );
    refuses("//- a.py\nimport os\n\ndef f(:\n", &["syntax"]);
}

#[test]
fn java_imports() {
    tidies(
        "//- a/A.java\npackage a;\n\nimport java.util.Map;\nimport java.util.List; // gone\nimport java.util.ArrayList;\nimport b.*;\nimport static java.lang.Math.max;\n\n/** A List of things, see {@link Map}. */\nclass A { Object o = new ArrayList(); int m = max(1, 2); }\n",
        "package a;\n\nimport b.*;\nimport java.util.ArrayList;\nimport java.util.Map;\nimport static java.lang.Math.max;\n\n/** A List of things, see {@link Map}. */\nclass A { Object o = new ArrayList(); int m = max(1, 2); }\n",
    );
    keeps(
        "//- a/A.java\npackage a;\n\nimport b.B;\nimport static b.C.D;\n\nclass A { /** @see B */ int x = D; }\n//- b/B.java\npackage b;\npublic class B {}\n",
    );
    keeps("//- a/A.java\nimport b.B; class A {}\n");
    tidies("//- A.java\nimport b.B;\nimport b.B;\n\nclass A { B b; }\n", "import b.B;\n\nclass A { B b; }\n");
    refuses("//- A.java\nimport b.B;\nclass A { void f( }\n", &["syntax"]);
}

#[test]
fn kotlin_imports() {
    tidies(
        "//- A.kt\npackage a\n\nimport b.unused\nimport b.plus\nimport b.extension\nimport b.Other as Mine\nimport b.getValue\n\nfun f(x: Mine) = x.extension()\n",
        "package a\n\nimport b.Other as Mine\nimport b.extension\nimport b.getValue\nimport b.plus\n\nfun f(x: Mine) = x.extension()\n",
    );
    keeps("//- A.kt\nimport b.X\n\n/** See [X]. */\nfun f() = 1\n");
    keeps("//- A.kt\nimport b.name\n\nfun f() = \"$name\"\n");
    keeps("//- A.kt\nimport b.X\n\nfun f(a: Any) = a as? X<*> ?: (a)\n");
}

#[test]
fn script_imports() {
    tidies(
        "//- a.ts\nimport './setup';\nimport D, { a, type B, c as d } from './b';\nimport * as n from 'n';\n\nexport const x: B = a;\n//- b.ts\nexport const a = 1;\nexport type B = number;\nexport const c = 2;\nexport default 1;\n",
        "import './setup';\nimport { a, type B } from './b';\n\nexport const x: B = a;\n",
    );
    tidies(
        "//- a.ts\nimport D, { a } from './b';\n\nexport default D;\n",
        "import D from './b';\n\nexport default D;\n",
    );
    tidies(
        "//- a.ts\nimport {\n  a,\n  b,\n} from './b'\n\nexport default b\n",
        "import {\n  b,\n} from './b'\n\nexport default b\n",
    );
    keeps("//- a.tsx\nimport React from 'react';\n\nexport const x = <div />;\n");
    keeps("//- a.ts\nimport { a } from './b';\n\nexport { a };\n//- b.ts\nexport const a = 1;\n");
    keeps("//- a.ts\nimport { a } from './b';\n\nexport const o = { a };\n//- b.ts\nexport const a = 1;\n");
    let last = tidy("//- a.ts\nimport { a } from './b';\n\nlet x = 1;\n//- b.ts\nexport const a = 1;\n");
    assert!(last.changed.is_empty() && last.refactored.warnings.len() == 1, "{:?}", last.refactored);
    tidies(
        "//- a.tsx\nimport React from 'react';\n\nexport const x = <div />;\n//- tsconfig.json\n{\"compilerOptions\": {\"jsx\": \"react-jsx\"}}\n",
        "export const x = <div />;\n",
    );
}

#[test]
fn go_imports() {
    tidies(
        "//- a.go\npackage a\n\nimport (\n\t\"os\"\n\t\"fmt\" // why\n\t_ \"embed\"\n\tx \"gopkg.in/y\"\n\n\t\"strings\"\n)\n\nfunc f() { fmt.Println(os.Args) }\n//- go.mod\nmodule m\n",
        "package a\n\nimport (\n\t_ \"embed\"\n\t\"fmt\" // why\n\t\"os\"\n)\n\nfunc f() { fmt.Println(os.Args) }\n",
    );
    tidies(
        "//- a.go\npackage a\n\nimport \"os\"\n\nimport (\n\t\"fmt\"\n)\n\nfunc f() {}\n",
        "package a\n\nfunc f() {}\n",
    );
    // The package calls itself otherwise than its path.
    keeps(
        "//- a.go\npackage a\n\nimport \"m/other-lib\"\n\nfunc f() { lib.F() }\n//- go.mod\nmodule m\n//- other-lib/l.go\npackage lib\n\nfunc F() {}\n",
    );
    keeps("//- a.go\npackage a\n\nimport \"example.com/go-lib/v2\"\n\nfunc f() { lib.F() }\n");
}

#[test]
fn php_imports() {
    tidies(
        "//- a.php\n<?php\n\nnamespace N;\n\nuse Z\\Unused;\nuse B\\Doc;\nuse A\\{One, Two as Three, Four};\nuse function F\\g;\nuse C\\used;\n\n/** @param Doc|null $d */\nfunction f($d) { return new USED(g(One::X, Four::class)); }\n",
        "<?php\n\nnamespace N;\n\nuse A\\{One, Four};\nuse B\\Doc;\nuse C\\used;\nuse function F\\g;\n\n/** @param Doc|null $d */\nfunction f($d) { return new USED(g(One::X, Four::class)); }\n",
    );
    keeps("//- a.php\n<?php\nuse A\\B;\n\nfunction f() { return new B\\C(); }\n");
}

#[test]
fn rust_imports() {
    tidies(
        "//- src/lib.rs\nuse std::fmt;\nuse crate::b::{One, two::{Three, Four}};\nuse crate::b::Unused;\npub use crate::b::Five;\n\nmod b;\n\nfn f(_: One, _: Four) -> fmt::Result { Ok(()) }\n//- src/b.rs\npub struct One;\npub struct Unused;\npub struct Five;\npub mod two {\n    pub struct Three;\n    pub struct Four;\n}\n//- Cargo.toml\n[package]\nname = \"x\"\n",
        "use crate::b::{One, two::{Four}};\nuse std::fmt;\npub use crate::b::Five;\n\nmod b;\n\nfn f(_: One, _: Four) -> fmt::Result { Ok(()) }\n",
    );
    // Methods of a trait are called without its name.
    keeps(
        "//- src/lib.rs\nuse b::Tr;\n\nmod b;\n\nfn f() { b::S.go() }\n//- src/b.rs\npub trait Tr { fn go(&self) {} }\npub struct S;\nimpl Tr for S {}\n//- Cargo.toml\n[package]\nname = \"x\"\n",
    );
    keeps(
        "//- src/lib.rs\nuse other::Thing;\nuse std::fmt::Write as _;\n\nfn f() {}\n//- Cargo.toml\n[package]\nname = \"x\"\n",
    );
    // A child sees what its parent imports.
    keeps(
        "//- src/lib.rs\nmod b;\nuse b::S;\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    fn f(_: S) {}\n}\n//- src/b.rs\npub struct S;\n//- Cargo.toml\n[package]\nname = \"x\"\n",
    );
    keeps(
        "//- src/lib.rs\nmod b;\nmod c;\nuse b::S;\n\nfn f() {}\n//- src/b.rs\npub struct S;\n//- src/c.rs\nuse super::S;\nfn g(_: S) {}\n//- Cargo.toml\n[package]\nname = \"x\"\n",
    );
}

#[test]
fn orders_follow_the_neighbours() {
    let neighbour =
        "import {b} from 'b';\nimport {a} from 'z';\nimport c from './c';\nexport default a + b + c;\n";
    let source = format!(
        "//- a.ts\nimport {{z}} from './z';\nimport {{y}} from 'y';\nimport {{x}} from 'x';\n\nexport default x + y + z;\n//- b.ts\n{neighbour}//- c.ts\n{neighbour}//- d.ts\n{neighbour}"
    );
    tidies(
        &source,
        "import {x} from 'x';\nimport {y} from 'y';\nimport {z} from './z';\n\nexport default x + y + z;\n",
    );
    // Without neighbours nothing is known of the order.
    keeps("//- a.ts\nimport {y} from 'y';\nimport {x} from 'x';\n\nexport default x + y;\n");
}

#[test]
fn a_mark_before_the_first_line_stays() {
    tidies("//- a.py\n\u{feff}import os\nimport sys\n\nsys.exit()\n", "\u{feff}import sys\n\nsys.exit()\n");
}
