//! Changes that look doubtful and are not: what stands in their way elsewhere is something else here.

use ide_model::{FilePath, NewParameter, Refactoring};

use crate::inside::{inline, only_text, reason};
use crate::refactor::{Outcome, change_files, refuses, renames, renames_together};
use crate::signatures::{added, parameter, parameters, signature};

#[track_caller]
fn becomes(path: &str, before: &str, change: &[NewParameter], after: &str) {
    let outcome = signature(&format!("//- {path}\n{before}"), &parameters(change));
    assert_eq!(only_text(&outcome), after);
}

#[test]
fn marks_between_python_parameters_stay_where_they_are() {
    let (item, qty) = (parameter("item"), parameter("qty"));
    let method = |params: &str, calls: &str| {
        format!("class A:\n    def add(self, {params}):\n        return qty\n\n\n{calls}")
    };
    becomes(
        "a.py",
        &method("item, *, qty=1", "A().add(1, qty=2)\nA().add(1)\n").replace("add(self", "a<caret>dd(self"),
        &[item.clone(), qty.clone(), added("c", "", "", "5")],
        &method("item, *, qty=1, c", "A().add(1, qty=2, c=5)\nA().add(1, c=5)\n"),
    );
    let crossed = method("item, *, qty=1", "A().add(1, qty=2)\n").replace("add(self", "a<caret>dd(self");
    let outcome = signature(&format!("//- a.py\n{crossed}"), &parameters(&[qty, item]));
    assert!(reason(&outcome).contains("the other side"));
}

#[test]
fn python_marks_are_kept_or_refused() {
    let source = "def f<caret>(a, b, /, c, *, d=1): ...\n\n\nf(1, 2, 3, d=4)\n";
    let names = |names: &[&str]| names.iter().map(|name| parameter(name)).collect::<Vec<_>>();
    becomes(
        "a.py",
        source,
        &names(&["b", "a", "c", "d"]),
        "def f(b, a, /, c, *, d=1): ...\n\n\nf(2, 1, 3, d=4)\n",
    );
    becomes("a.py", source, &names(&["a", "c", "d"]), "def f(a, /, c, *, d=1): ...\n\n\nf(1, 3, d=4)\n");
    becomes(
        "a.py",
        &source.replace(", d=4", ""),
        &names(&["a", "b", "c"]),
        "def f(a, b, /, c): ...\n\n\nf(1, 2, 3)\n",
    );
    let crossed = signature(&format!("//- a.py\n{source}"), &parameters(&names(&["c", "a", "b", "d"])));
    assert!(reason(&crossed).contains("the other side"));
}

#[test]
fn a_parameter_that_is_taken_apart_is_kept_by_its_pattern() {
    let source =
        "export function app<caret>({ who }: { who: string }) { return who; }\napp({ who: \"a\" });\n";
    becomes(
        "a.ts",
        source,
        &[parameter("{ who }"), added("n", "number", "", "1")],
        "export function app({ who }: { who: string }, n: number) { return who; }\napp({ who: \"a\" }, 1);\n",
    );
    let outcome = signature(&format!("//- a.ts\n{source}"), &parameters(&[added("n", "number", "", "1")]));
    assert!(reason(&outcome).contains("`{ who }`"));
}

#[test]
fn functions_under_the_names_that_they_are_given_out_by_have_signatures() {
    let swapped = [parameter("b"), parameter("a")];
    for function in ["function twice(a, b) { return a; }", "function (a, b) { return a; }", "(a, b) => a"] {
        let source = format!(
            "//- a.js\nexports.twi<caret>ce = {function};\n//- b.js\nconst {{ twice }} = require(\"./a\");\nrequire(\"./a\").twice(1, 2); twice(3, 4);\n"
        );
        let outcome = signature(&source, &parameters(&swapped));
        assert_eq!(outcome.refactored.conflicts, [], "{function}");
        assert!(outcome.changed["a.js"].contains("(b, a)"), "{function}");
        assert!(outcome.changed["b.js"].ends_with("twice(2, 1); twice(4, 3);\n"), "{function}");
    }
    let source = "//- a.js\nmodule.exports = function f<caret>mt(a, b) { return a; };\n//- b.js\nconst fmt = require(\"./a\");\nfmt(1, 2);\n";
    assert!(signature(source, &parameters(&swapped)).changed["b.js"].contains("fmt(2, 1)"));
    becomes(
        "a.ts",
        "class A { ad<caret>d = (a: number, b: number) => a * b; go() { return this.add(1, 2); } }\nnew A().add(3, 4);\n",
        &swapped,
        "class A { add = (b: number, a: number) => a * b; go() { return this.add(2, 1); } }\nnew A().add(4, 3);\n",
    );
    for other in [
        "class B extends A { go() { this.add = a => a; } }",
        "interface I { add: (a: number, b: number) => number }\nfunction use(i: I) {}\nuse(new A());",
    ] {
        let source =
            format!("//- a.ts\nclass A {{ ad<caret>d = (a: number, b: number) => a * b; }}\n{other}\n");
        assert!(!signature(&source, &parameters(&swapped)).refactored.conflicts.is_empty(), "{other}");
    }
}

#[test]
fn the_bodies_of_enum_entries_extend_nothing_but_their_enum() {
    renames_together(
        "C.java",
        "enum C { RED { C «run»(C o) { return o; } }, BLUE { C «run»(C o) { return this; } }; abstract C «run»(C o); }\n",
    );
    renames_together(
        "c.kt",
        "enum class C(val hex: String) {\n    RED(\"f\") { override fun «run»(o: C) = o },\n    BLUE(\"0\") { override fun «run»(o: C) = this };\n    abstract fun «run»(o: C): C\n}\nfun f(c: C) = c.«run»(C.RED)\n",
    );
}

#[test]
fn modules_that_node_reads_give_out_what_is_assigned() {
    renames_together("a.js", "exports.«run» = 7;\nexports.use = () => exports.«run»;\n");
    renames(
        "//- animal.js\nclass An<caret>imal {}\nmodule.exports = Animal;\n//- main.js\nconst Animal = require(\"./animal\");\nnew Animal();\n//- other.js\nconst Cat = 1, Animal = require(\"./animal\");\nnew Animal();\n",
        "Cat",
        &[
            ("animal.js", "class Cat {}\nmodule.exports = Cat;\n"),
            ("main.js", "const Cat = require(\"./animal\");\nnew Cat();\n"),
        ],
    );
    renames(
        "//- a.js\nmodule.exports = { ...require(\"./util\"), r<caret>un: 1 };\n//- util.js\nexports.twice = 2;\n//- b.js\nrequire(\"./a\").run;\n",
        "went",
        &[
            ("a.js", "module.exports = { ...require(\"./util\"), went: 1 };\n"),
            ("b.js", "require(\"./a\").went;\n"),
        ],
    );
    let both = "//- a.js\nmodule.exports = { ...require(\"./util\"), r<caret>un: 1 };\n//- util.js\nexports.run = 2;\n";
    refuses(both, "went", &["outside_project"]);
}

#[test]
fn an_attribute_of_an_element_is_no_variable() {
    renames_together(
        "a.tsx",
        "function Card(p: { «run»: string }) { return <b>{p.«run»}</b>; }\nfunction Page({ went, run }: { went: string, run: string }) { return <Card «run»={went + run} />; }\n",
    );
}

#[test]
fn fields_that_constructors_fill_have_a_type() {
    renames_together(
        "a.js",
        "class Bag {\n  #items;\n  list;\n  constructor(items) { this.#items = [...items]; this.list = []; }\n  «run»(x) { this.#items.run(x); this.list.run(x); return this; }\n}\nnew Bag([]).«run»(1);\n",
    );
}

#[test]
fn a_function_is_made_wherever_it_is_used() {
    let is = |path: &str, before: &str, after: &str| {
        let head = "//- Cargo.toml\n[package]\nname = \"m\"\n";
        assert_eq!(only_text(&inline(&format!("{head}//- {path}\n{before}"))), after);
    };
    is(
        "a.tsx",
        "function f(p: { a(): void }) {\n  const r<caret> = (s: string) => <b>{s}</b>;\n  return <List items={p.a()} render={r} />;\n}\n",
        "function f(p: { a(): void }) {\n  return <List items={p.a()} render={(s: string) => <b>{s}</b>} />;\n}\n",
    );
    is(
        "a.js",
        "function f(cb, b) {\n  const o<caret> = { a: 1, b, c: [b] };\n  cb();\n  return g(o);\n}\n",
        "function f(cb, b) {\n  cb();\n  return g({ a: 1, b, c: [b] });\n}\n",
    );
    is(
        "src/lib.rs",
        "fn f(xs: Vec<i32>) -> usize {\n    let test<caret> = |x: &&i32| **x > 1;\n    xs.iter().filter(test).count()\n}\n",
        "fn f(xs: Vec<i32>) -> usize {\n    xs.iter().filter(|x: &&i32| **x > 1).count()\n}\n",
    );
    for value in ["{ ...b }", "[b.c]", "{ a: cb() }", "[b]"] {
        // Each use would have an object of its own.
        let source = format!(
            "//- a.js\nfunction f(cb, b) {{\n  const o<caret> = {value};\n  cb();\n  return g(o) + g(o);\n}}\n"
        );
        assert!(!inline(&source).refactored.conflicts.is_empty(), "{value}");
    }
    for value in ["{ ...b }", "[b.c]", "{ a: cb() }"] {
        let source = format!(
            "//- a.js\nfunction f(cb, b) {{\n  const o<caret> = {value};\n  cb();\n  return g(o);\n}}\n"
        );
        assert!(reason(&inline(&source)).contains("at another time"), "{value}");
    }
}

fn moved(source: &str, from: &str, to: &str) -> Outcome {
    let (from, to) = (FilePath::new(from), FilePath::new(to));
    change_files(source, &Refactoring::MoveFile { from: &from, to: &to })
}

#[track_caller]
fn moves(source: &str, from: &str, to: &str, wanted: &[(&str, &str)]) {
    let outcome = moved(source, from, to);
    assert_eq!(outcome.refactored.conflicts, [], "{:#?}", outcome.changed);
    let changed: Vec<(&str, &str)> = outcome.changed.iter().map(|(path, text)| (&**path, &**text)).collect();
    assert_eq!(changed, wanted);
}

#[test]
fn python_modules_go_to_other_packages_by_all_their_names() {
    let module = "def f(): ...\n";
    let plain = |path: &str| {
        format!("from {path} import f\nimport {path}\nimport {path} as m\n\nf()\n{path}.f()\nm.f()\n")
    };
    for (from, to) in [("mod_a", "zoo.mod_a"), ("pk.mod_a", "mod_a"), ("pk.mod_a", "pk2.mod_b")] {
        let path = |name: &str| format!("{}.py", name.replace('.', "/"));
        let source = format!("//- {}\n{module}//- user.py\n{}", path(from), plain(from));
        let mut wanted = [(path(to), module.to_owned()), ("user.py".to_owned(), plain(to))];
        wanted.sort();
        let wanted: Vec<(&str, &str)> = wanted.iter().map(|(path, text)| (&**path, &**text)).collect();
        moves(&source, &path(from), &path(to), &wanted);
    }
    // python3: attempted relative import beyond top-level package.
    moves(
        "//- pk/__init__.py\nfrom .mod_a import f\nfrom . import mod_a, other\n//- pk/other.py\n//- pk/mod_a.py\nfrom . import other\n\ndef f(): return other\n//- pk2/__init__.py\n//- user.py\nfrom pk import (\n    mod_a,\n    other as o,\n)\nfrom pk import mod_a as m\n\nmod_a.f(); m.f()\n\ndef g():\n    from pk import mod_a\n    return mod_a.f()\n",
        "pk/mod_a.py",
        "pk2/mod_a.py",
        &[
            ("pk/__init__.py", "from pk2.mod_a import f\nfrom . import other\nfrom pk2 import mod_a\n"),
            ("pk2/mod_a.py", "from pk import other\n\ndef f(): return other\n"),
            (
                "user.py",
                "from pk import (\n    other as o,\n)\nfrom pk2 import mod_a\nfrom pk2 import mod_a as m\n\nmod_a.f(); m.f()\n\ndef g():\n    from pk2 import mod_a\n    return mod_a.f()\n",
            ),
        ],
    );
    // The name of the package is bound by nothing else.
    let outcome = moved(
        "//- pk/__init__.py\nx = 1\n//- pk/mod_a.py\n//- user.py\nimport pk.mod_a\n\nprint(pk.x)\n",
        "pk/mod_a.py",
        "pk2/mod_a.py",
    );
    assert!(!outcome.refactored.conflicts.is_empty(), "{:#?}", outcome.changed);
}

#[test]
fn java_files_import_what_kotlin_files_take_along_in_their_own_way() {
    moves(
        "//- app/Other.kt\npackage app\nobject Other { fun all() = 1 }\n//- app/Main.java\npackage app;\n\nclass Main { int f() { return Other.INSTANCE.all(); } }\n",
        "app/Other.kt",
        "app/o/Other.kt",
        &[
            (
                "app/Main.java",
                "package app;\n\nimport app.o.Other;\n\nclass Main { int f() { return Other.INSTANCE.all(); } }\n",
            ),
            ("app/o/Other.kt", "package app.o\nobject Other { fun all() = 1 }\n"),
        ],
    );
}

#[test]
fn names_in_lists_of_a_class_follow_its_attributes() {
    let source = |name: &str| {
        format!(
            "class A:\n    __slots__ = (\"{name}\", \"count\")\n    __match_args__ = (\"{name}\",)\n\n    def __init__(self, run):\n        self.{name} = run\n        self.count = 0\n\n    def get(self):\n        return self.{name}\n"
        )
    };
    let with_caret = source("run").replacen("self.run =", "self.r<caret>un =", 1);
    renames(&format!("//- a.py\n{with_caret}"), "went", &[("a.py", &source("went"))]);
}

#[test]
fn a_name_matters_to_types_above_only_where_they_read_it() {
    let titled = |path: &str, source: &str| {
        let wanted = source.replace("n<caret>ame", "title");
        renames(&format!("//- {path}\n{source}"), "title", &[(path, &wanted)]);
    };
    titled("a.py", "from typing import TypedDict\n\nclass M(TypedDict):\n    n<caret>ame: str\n");
    titled("a.py", "class B: ...\n\nclass M(B):\n    def __init__(self):\n        self.n<caret>ame = 1\n");
    titled("a.ts", "class B {}\nclass A extends B { n<caret>ame = 1; }\n");
    for (path, source) in [
        ("a.py", "from enum import Enum\n\nclass M(Enum):\n    n<caret>ame = 1\n"),
        ("a.py", "class M(Exception):\n    def __init__(self):\n        self.n<caret>ame = 1\n"),
        ("a.ts", "class A extends Error { n<caret>ame = \"x\"; }\n"),
        ("a.ts", "import { X } from \"unknown\";\nclass A extends X { n<caret>ame = \"x\"; }\n"),
    ] {
        refuses(&format!("//- {path}\n{source}"), "title", &["outside_project"]);
    }
}

#[test]
fn a_path_from_the_crate_says_what_a_word_in_a_macro_means() {
    let manifest = "//- Cargo.toml\n[package]\nname = \"m\"\n";
    let lib = "pub mod shapes;\n#[macro_export]\nmacro_rules! total {\n    ($($s:expr),*) => { 0.0 $(+ $crate::shapes::Shape::area(&$s))* };\n}\npub fn f(s: shapes::Sq) -> f64 {\n    total!(s)\n}\n";
    let shapes = "pub trait Shape {\n    fn area(&self) -> f64;\n}\npub struct Sq;\nimpl Shape for Sq {\n    fn area(&self) -> f64 {\n        1.0\n    }\n}\n";
    let new = |text: &str| text.replace("area", "size");
    renames(
        &format!(
            "{manifest}//- src/lib.rs\n{lib}//- src/shapes.rs\n{}",
            shapes.replacen("area", "a<caret>rea", 1)
        ),
        "size",
        &[("src/lib.rs", &new(lib)), ("src/shapes.rs", &new(shapes))],
    );
}

#[test]
fn methods_of_go_with_results_of_their_own_are_not_the_librarys() {
    let source = |name: &str, results: &str| {
        format!(
            "//- go.mod\nmodule m\n//- a.go\npackage a\n\ntype S struct{{}}\n\nfunc (s *S) {name}(x int) {results}{{ return }}\n"
        )
    };
    let wanted = |name: &str| source(name, "(r *S) ").split_once("a.go\n").unwrap().1.to_owned();
    renames(&source("Pu<caret>sh", "(r *S) "), "Add", &[("a.go", &wanted("Add"))]);
    refuses(&source("Pu<caret>sh", ""), "Add", &["outside_project"]);
}

#[test]
fn keywords_that_go_to_functions_with_keywords_of_any_name() {
    let source = |name: &str, body: &str| {
        format!(
            "def show({name}):\n    return {name}\n\n\ndef kw(**opts):\n    {body}\n\n\nkw(price=1)\nshow(2)\n"
        )
    };
    for body in ["print(opts)", "return opts[\"x\"]", "return opts.get(\"x\")"] {
        let python = format!("//- a.py\n{}", source("price", body).replacen("price", "pri<caret>ce", 1));
        renames(&python, "cost", &[("a.py", &source("cost", body))]);
    }
    for body in ["return show(**opts)", "return opts", "f = opts\n    show(**f)"] {
        refuses(
            &format!("//- a.py\n{}", source("price", body).replacen("price", "pri<caret>ce", 1)),
            "cost",
            &["unresolved_use"],
        );
    }
    let attribute = |name: &str| {
        format!(
            "class E:\n    def __init__(self, turbo):\n        self.{name} = turbo\n\n    @classmethod\n    def make(cls, **kw):\n        return cls(**kw)\n\n\nE.make(turbo=True)\n"
        )
    };
    let python = attribute("turbo").replacen("self.turbo", "self.tur<caret>bo", 1);
    renames(&format!("//- a.py\n{python}"), "fast", &[("a.py", &attribute("fast"))]);
}

#[test]
fn arguments_are_named_in_other_files_of_php() {
    let lib = |name: &str| {
        format!(
            "<?php\nnamespace App\\Util;\nfunction clamp(int $v, int ${name} = 9): int {{ return max($v, ${name}); }}\n"
        )
    };
    let main = |name: &str| {
        format!(
            "<?php\nnamespace App;\nuse function App\\Util\\{{clamp, tag as mk}};\nclamp(9, {name}: 4);\nmax(1, 2);\n"
        )
    };
    let source = format!(
        "//- lib.php\n{}//- main.php\n{}",
        lib("max").replacen("$max", "$ma<caret>x", 1),
        main("max")
    );
    renames(&source, "upper", &[("lib.php", &lib("upper")), ("main.php", &main("upper"))]);
}

#[test]
fn names_of_alternatives_have_the_type_of_what_matches() {
    let python = |name: &str| {
        format!(
            "from enum import Enum\n\n\nclass Color(Enum):\n    RED = 1\n    BLUE = 2\n\n    @property\n    def {name}(self):\n        return 1\n\n\ndef f(c):\n    match c:\n        case Color.RED | Color.BLUE as k:\n            return k.{name}\n        case Color() | Color.RED as k:\n            return k.{name}\n"
        )
    };
    let source = format!("//- a.py\n{}", python("label").replacen("def label", "def lab<caret>el", 1));
    renames(&source, "title", &[("a.py", &python("title"))]);
}
