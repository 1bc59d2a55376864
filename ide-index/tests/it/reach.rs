//! Uses are found wherever a symbol can be named, and nowhere else.

use std::sync::Arc;

use ide_index::query::Resolvers;
use ide_index::{MemoryWorld, lang, query};
use ide_model::{Confidence, Cx, FilePath, Reference, ReferenceSet, Stop, Symbol, SymbolKind, Target};

struct Project {
    pool: Resolvers,
    files: Vec<(String, String)>,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let files: Vec<(String, String)> =
            files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let world = MemoryWorld::new(files.clone(), lang::front_end);
        Self { pool: Resolvers::new(Arc::new(world)), files }
    }

    /// The variable that an import declares at the first place of a text in a file.
    fn variable(&self, path: &str, text: &str) -> Symbol {
        let (file, offset) = self.place(path, text);
        self.resolve(&Target::Variable { file, offset })
    }

    fn place(&self, path: &str, text: &str) -> (FilePath, u32) {
        let (_, source) = self.files.iter().find(|(p, _)| p == path).expect("a file of the project");
        (FilePath::new(path), source.find(text).expect("a text of the file") as u32)
    }

    fn resolve(&self, target: &Target) -> Symbol {
        let stop = Stop::new();
        query::resolve(&self.pool, Cx::new(&stop), target).expect("it is known").remove(0).0
    }

    /// The symbol at the first place of a text in a file.
    fn symbol(&self, path: &str, text: &str) -> Symbol {
        let (file, offset) = self.place(path, text);
        self.resolve(&Target::Position { file, offset })
    }

    /// Path and line of each use, from 1, and of how many occurrences nothing is known.
    fn uses(&self, of: &Symbol) -> (Vec<String>, usize) {
        let found = self.references(of);
        (self.places(&found.references), found.unresolved_same_name)
    }

    /// The uses of a given confidence.
    fn uses_that(&self, of: &Symbol, are: impl Fn(Confidence) -> bool) -> Vec<String> {
        let mut found = self.references(of).references;
        found.retain(|r| are(r.confidence));
        self.places(&found)
    }

    fn references(&self, of: &Symbol) -> ReferenceSet {
        let stop = Stop::new();
        query::references(&self.pool, Cx::new(&stop), of, &|_| true, usize::MAX).expect("an answer")
    }

    fn places(&self, found: &[Reference]) -> Vec<String> {
        let at = |file: &str, start: u32| {
            let (_, source) = self.files.iter().find(|(p, _)| p == file).expect("a file of the project");
            format!("{file}:{}", source[..start as usize].matches('\n').count() + 1)
        };
        found.iter().map(|r| at(r.file.as_str(), r.range.start)).collect()
    }
}

#[test]
fn what_is_for_a_feature_of_rust_that_is_off_is_only_possible() {
    let library = "\
mod on;
#[cfg(feature = \"extra\")]
mod off;
pub fn used() -> u32 { 0 }
#[cfg(feature = \"extra\")]
pub fn only_there() -> u32 { 0 }
#[cfg(all(unix, feature = \"extra\"))]
fn a() { used(); only_there(); }
#[cfg(not(test))]
fn b() { used(); }
#[cfg(any(windows, feature = \"extra\", feature = \"plain\"))]
fn c() { used(); }
fn d(n: u32) -> u32 {
    #[cfg(feature = \"extra\")]
    used();
    #[cfg(not(feature = \"extra\"))]
    let m = used();
    let s = S { #[cfg(feature = \"extra\")] x: used(), y: used() };
    match n {
        #[cfg(feature = \"extra\")]
        1 => used(),
        #[cfg(feature = \"also\")]
        _ => used(),
    }
}
struct S { #[cfg(feature = \"extra\")] x: u32, y: u32 }
";
    let manifest = "[package]\nname = \"p\"\n[features]\ndefault = [\"plain\"]\nplain = []\nextra = []\nasked = [\"also\"]\nalso = []\n";
    let project = Project::new(&[
        ("Cargo.toml", manifest),
        (
            "user/Cargo.toml",
            "[package]\nname = \"user\"\n[dependencies]\np = { path = \"..\", features = [\"asked\"] }\n",
        ),
        ("src/lib.rs", library),
        ("src/on.rs", "fn f() { crate::used(); }\n"),
        ("src/off.rs", "fn f() { crate::used(); }\n"),
    ]);
    let of = |name: &str| project.symbol("src/lib.rs", name);
    let used = of("used");
    let certain = ["lib.rs:10", "lib.rs:12", "lib.rs:17", "lib.rs:18", "lib.rs:23", "on.rs:1"];
    let possible = ["lib.rs:8", "lib.rs:15", "lib.rs:18", "lib.rs:21", "off.rs:1"];
    let paths = |found: &[&str]| found.iter().map(|at| format!("src/{at}")).collect::<Vec<_>>();
    assert_eq!(project.uses_that(&used, Confidence::is_certain), paths(&certain));
    assert_eq!(project.uses_that(&used, |c| !c.is_certain()), paths(&possible));
    // There it is no less certain than its uses.
    assert_eq!(project.uses_that(&of("only_there"), Confidence::is_certain), paths(&["lib.rs:8"]));
}

#[test]
fn packages_of_java_and_kotlin() {
    let project = Project::new(&[
        ("org/b/A.java", "package org.b;\npublic class A {}\n"),
        ("org/b/K.kt", "package org.b\nimport org.b.A\nclass K\n"),
        ("com/b/C.java", "package com.b;\nclass C { org.b.A a; }\n"),
    ]);
    let package = project.symbol("org/b/A.java", "b;");
    assert_eq!((package.kind, package.qualified_name.as_deref()), (SymbolKind::Package, Some("org.b")));
    let wanted = ["com/b/C.java:2", "org/b/A.java:1", "org/b/K.kt:1", "org/b/K.kt:2"];
    assert_eq!(project.uses(&package), (wanted.map(str::to_owned).to_vec(), 0));
    assert_eq!(project.resolve(&Target::Key(package.key.clone())), package);
}

#[test]
fn packages_of_go_by_their_path() {
    let project = Project::new(&[
        ("go.mod", "module example.com/m\n"),
        ("in/dir/a.go", "package name\n"),
        ("main.go", "package main\n\nimport \"example.com/m/in/dir\"\n\nvar _ = name.X\n"),
    ]);
    let package = project.symbol("main.go", "example");
    assert_eq!(package.kind, SymbolKind::Package);
    assert_eq!(project.uses(&package).0, ["in/dir/a.go:1", "main.go:3"]);
}

#[test]
fn what_go_does_not_export_is_looked_for_in_its_directory() {
    let project = Project::new(&[
        ("go.mod", "module m\n"),
        ("a/a.go", "package a\n\nfunc run() {}\n\ntype T struct{ run int }\n"),
        ("a/b.go", "package a\n\nfunc g() { run() }\n"),
        ("b/b.go", "package b\n\nfunc g(x any) { x.run() }\n"),
    ]);
    assert_eq!(project.uses(&project.symbol("a/a.go", "run")), (vec!["a/b.go:3".to_owned()], 0));
}

#[test]
fn what_a_program_of_go_exports_is_looked_for_in_its_directory() {
    let project = Project::new(&[
        ("go.mod", "module m\n"),
        ("a/a.go", "package main\n\ntype T struct{ F int }\n\nfunc (T) Run() {}\n"),
        ("a/b.go", "package main\n\nvar x = T{F: 1}\n"),
        ("a/b_test.go", "package main_test\n\nimport main \"m/a\"\n\nvar x = main.T{F: 1}\n"),
        ("b/b.go", "package b\n\ntype R interface{ Run() }\n\nfunc g(x R) { x.T(x.F); x.Run() }\n"),
    ]);
    let uses = |text: &str| project.uses(&project.symbol("a/a.go", text));
    assert_eq!(uses("T struct"), (["a/a.go:5", "a/b.go:3", "a/b_test.go:5"].map(str::to_owned).to_vec(), 0));
    assert_eq!(uses("F int"), (["a/b.go:3", "a/b_test.go:5"].map(str::to_owned).to_vec(), 0));
    assert_eq!(uses("Run"), (Vec::new(), 0));
}

#[test]
fn type_parameters_are_known_to_their_file() {
    let project = Project::new(&[
        ("a.ts", "export interface A<abi> { x: abi }\n"),
        ("b.ts", "export const f = (x: any) => x.abi;\n"),
    ]);
    assert_eq!(project.uses(&project.symbol("a.ts", "abi")), (vec!["a.ts:1".to_owned()], 0));
}

#[test]
fn other_files_name_parameters_by_keywords_only() {
    let project = Project::new(&[
        ("a.py", "class A:\n    def f(self, name):\n        return name\n"),
        ("b.py", "from a import A\nA().f(name=1)\nA.f(self=A(), name=2)\n"),
        ("c.py", "def g(self, x):\n    return self.name(x.name)\n"),
    ]);
    let uses = |text: &str| project.uses(&project.symbol("a.py", text));
    assert_eq!(uses("name"), (["a.py:3", "b.py:2", "b.py:3"].map(str::to_owned).to_vec(), 0));
    assert_eq!(uses("self"), (vec!["b.py:3".to_owned()], 0));
}

#[test]
fn parameters_of_lambdas_are_known_to_their_file() {
    let project = Project::new(&[
        ("a.kt", "val f = { name: Int -> name }\nvar p: Int = 1\n    set(value) { field = value }\n"),
        ("b.kt", "fun g() { h(name = 1, value = 2) }\n"),
    ]);
    assert_eq!(project.uses(&project.symbol("a.kt", "name")), (vec!["a.kt:1".to_owned()], 0));
    assert_eq!(project.uses(&project.symbol("a.kt", "value")), (vec!["a.kt:3".to_owned()], 0));
}

#[test]
fn modules_by_every_way_to_them() {
    let project = Project::new(&[
        ("package.json", r#"{"name": "root"}"#),
        ("tsconfig.json", r#"{"compilerOptions": {"baseUrl": ".", "paths": {"@app/*": ["src/*"]}}}"#),
        ("src/user.service.ts", "export class User {}\n"),
        ("src/shape.d.ts", "export interface Shape {}\n"),
        ("src/style.js", "export const a = 1;\n"),
        ("src/parts/index.ts", "export * from '../user.service';\n"),
        ("src/a.ts", "import { User } from './user.service';\nimport { Shape } from './shape';\n"),
        ("src/b.ts", "import * as style from './style.js';\nimport parts from './parts';\nstyle.a;\n"),
        ("lib/c/d.ts", "import { User } from '@app/user.service';\nimport parts from '../../src/parts/';\n"),
        ("lib/shape.ts", "import { Shape } from '../src/shape.js';\nimport other from './user.service';\n"),
    ]);
    let uses = |text: &str, file: &str| project.uses(&project.symbol(file, text)).0;
    assert_eq!(uses("user.service", "src/a.ts"), ["lib/c/d.ts:1", "src/a.ts:1", "src/parts/index.ts:1"]);
    assert_eq!(uses("shape'", "src/a.ts"), ["lib/shape.ts:1", "src/a.ts:2"]);
    assert_eq!(uses("style.js", "src/b.ts"), ["src/b.ts:1", "src/b.ts:3"]);
    assert_eq!(uses("parts'", "src/b.ts"), ["lib/c/d.ts:2", "src/b.ts:2"]);
}

/// Generated declarations open one namespace again for each class: what is asked of it may not take the square of them.
#[test]
fn a_namespace_of_many_parts() {
    let parts = |file: &str| -> String {
        let part = |i: u32| {
            let next = i + 1;
            format!("declare namespace many {{ class {file}{i} {{ next{i}: many.{file}{next}; }} }}\n")
        };
        (0..600).map(part).collect()
    };
    let (a, b) = (parts("A"), parts("B"));
    let user = "let a: many.A3, b: many.B4;\na.next3.next4; b.next4.next5;\n";
    let project = Project::new(&[("a.d.ts", &a), ("b.d.ts", &b), ("use.ts", user)]);
    let next = project.symbol("use.ts", "next5");
    assert_eq!(project.uses(&next).0, ["use.ts:2"]);
    let class = project.symbol("use.ts", "B4");
    assert_eq!(project.uses(&class).0, ["b.d.ts:4", "use.ts:1"]);
}

#[test]
fn what_a_block_adds_to_a_type_of_another_module_is_that_type() {
    let project = Project::new(&[
        ("graph.ts", "export class Graph {}\n"),
        (
            "clip.ts",
            "import { Graph } from './graph';\ndeclare module './graph' {\n  interface Graph { copy(): Graph }\n}\n",
        ),
        ("use.ts", "import { Graph } from './graph';\nnew Graph().copy();\n"),
    ]);
    let wanted = ["clip.ts:1", "clip.ts:3", "use.ts:1", "use.ts:2"].map(str::to_owned).to_vec();
    for (file, text) in [("graph.ts", "Graph"), ("clip.ts", "Graph { copy"), ("use.ts", "Graph()")] {
        assert_eq!(project.uses(&project.symbol(file, text)), (wanted.clone(), 0), "{file}");
    }
    assert_eq!(project.uses(&project.symbol("clip.ts", "copy")).0, ["use.ts:2"]);
}

#[test]
fn what_is_required_as_a_whole_is_found_under_the_names_that_it_is_required_by() {
    let project = Project::new(&[
        ("given/arrow.js", "module.exports = (a) => a;\n"),
        ("given/table.js", "module.exports = exports = { one: 1 };\n"),
        (
            "use.js",
            "const run = require('./given/arrow');\nconst all = require('./given/table');\nrun(all.one);\n[].map(run);\n",
        ),
    ]);
    assert_eq!(project.uses(&project.symbol("use.js", "run(")).0, ["use.js:3", "use.js:4"]);
    assert_eq!(project.uses(&project.symbol("use.js", "all.one")).0, ["use.js:3"]);
}

#[test]
fn a_variable_that_something_is_required_as_is_one_of_its_file() {
    let project = Project::new(&[
        ("hash.js", "function hash() { return hash; }\nmodule.exports = hash;\n"),
        ("a.js", "const hash = require('./hash');\nhash(hash);\nmodule.exports = { hash };\n"),
        ("b.js", "const h = require('./hash');\nh();\nrequire('./a').hash();\n"),
    ]);
    let all =
        ["a.js:1", "a.js:2", "a.js:2", "a.js:3", "b.js:1", "b.js:2", "b.js:3", "hash.js:1", "hash.js:2"];
    assert_eq!(project.uses(&project.symbol("a.js", "hash(")).0, all);
    assert_eq!(project.uses(&project.variable("a.js", "hash =")).0, ["a.js:2", "a.js:2", "a.js:3"]);
    assert_eq!(project.uses(&project.variable("b.js", "h =")).0, ["b.js:2"]);
    let project = Project::new(&[
        ("hash.ts", "function hash() {}\nexport = hash;\n"),
        ("a.ts", "import hash = require('./hash');\nhash();\n"),
        ("b.ts", "import hash = require('./hash');\nhash();\n"),
    ]);
    let imported = project.uses(&project.variable("a.ts", "hash =")).0;
    assert_eq!(imported, ["a.ts:2", "b.ts:2", "hash.ts:2"]);
}

#[test]
fn a_module_that_lists_its_names_is_meant_by_the_variable_that_requires_it() {
    let project = Project::new(&[
        ("list.js", "function parse() {}\nmodule.exports = { parse };\n"),
        ("literal.js", "module.exports = { print() {} };\n"),
        (
            "use.js",
            "const list = require('./list');\nconst own = require('./literal');\nlist.parse(own.print);\n",
        ),
    ]);
    let place = |text| project.symbol("use.js", text);
    assert_eq!(
        (place("list.parse").kind, place("list.parse").file.as_str().to_owned()),
        (SymbolKind::Module, "list.js".to_owned())
    );
    assert_eq!(place("own.print").file.as_str(), "use.js");
    assert_eq!(place("parse(").file.as_str(), "list.js");
}

#[test]
fn what_cannot_be_shown_is_said_by_its_name() {
    let project = Project::new(&[
        ("src/C.php", "<?php\nnamespace A\\B;\nclass C {}\n"),
        ("use.php", "<?php\nuse A\\B\\C;\nnew C();\n"),
    ]);
    let (file, offset) = project.place("use.php", "A\\B");
    let stop = Stop::new();
    let of_part = query::resolve(&project.pool, Cx::new(&stop), &Target::Position { file, offset });
    let said = format!("{:?}", of_part.expect_err("no file declares it"));
    assert!(said.contains("`A` itself"), "{said}");

    let mut gone = project.symbol("use.php", "C()");
    gone.key.0 = gone.key.0.replace("\u{1f}C\u{1f}", "\u{1f}Gone\u{1f}").into();
    let found = query::references(&project.pool, Cx::new(&stop), &gone, &|_| true, 1);
    let said = format!("{:?}", found.expect_err("it is gone"));
    assert!(said.contains("`Gone` any more"), "{said}");
}
