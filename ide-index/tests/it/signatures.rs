//! Changes of parameters and results on small projects, with every call and override.

use ide_model::{NewParameter, Refactoring, SignatureChange};

use crate::inside::{only_text, reason};
use crate::refactor::{Outcome, change_at};

pub(crate) fn signature(source: &str, change: &SignatureChange) -> Outcome {
    change_at(source, |_, symbol, plan| plan(&Refactoring::ChangeSignature { symbol: &symbol(), change }))
}

pub(crate) fn parameter(name: &str) -> NewParameter {
    NewParameter { name: name.to_owned(), ..NewParameter::default() }
}

pub(crate) fn added(name: &str, ty: &str, default: &str, value: &str) -> NewParameter {
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    NewParameter { ty: given(ty), default: given(default), value: given(value), ..parameter(name) }
}

pub(crate) fn parameters(all: &[NewParameter]) -> SignatureChange {
    SignatureChange { parameters: Some(all.to_vec()), ..SignatureChange::default() }
}

#[track_caller]
fn becomes(source: &str, change: &SignatureChange, wanted: &str) {
    assert_eq!(only_text(&signature(source, change)), wanted);
}

#[test]
fn parameters_change_with_every_call_and_override() {
    becomes(
        "//- A.java\nclass A {\n  void go<caret>(int a, String b) { use(b, a); }\n  void use(String b, int a) {}\n}\nclass B extends A {\n  void go(int x, String b) {}\n  void call() { go(1, \"s\"); this.go(2, null); }\n}\n",
        &parameters(&[parameter("b"), parameter("a"), added("c", "boolean", "", "true")]),
        "class A {\n  void go(String b, int a, boolean c) { use(b, a); }\n  void use(String b, int a) {}\n}\nclass B extends A {\n  void go(String b, int x, boolean c) {}\n  void call() { go(\"s\", 1, true); this.go(null, 2, true); }\n}\n",
    );
    becomes(
        "//- a.py\ndef f<caret>(a, b=1, c=2):\n    return a + c\n\n\nf(1, 2, 3)\nf(4, c=5)\n",
        &parameters(&[parameter("a"), parameter("c")]),
        "def f(a, c=2):\n    return a + c\n\n\nf(1, 3)\nf(4, c=5)\n",
    );
    let renamed = NewParameter { was: Some("a".to_owned()), ..parameter("count") };
    let change = SignatureChange { new_name: Some("g".to_owned()), ..parameters(&[renamed, parameter("b")]) };
    becomes(
        "//- a.py\nclass A:\n    def f<caret>(self, a, b):\n        return a + b\n\n    def call(self):\n        return self.f(1, b=2)\n",
        &change,
        "class A:\n    def g(self, count, b):\n        return count + b\n\n    def call(self):\n        return self.g(1, b=2)\n",
    );
    becomes(
        "//- go.mod\nmodule m\n//- a.go\npackage m\n\nfunc f<caret>(a int, b string) int { return a }\n\nfunc g() int { return f(1, \"x\") }\n",
        &parameters(&[parameter("a")]),
        "package m\n\nfunc f(a int) int { return a }\n\nfunc g() int { return f(1) }\n",
    );
    becomes(
        "//- a.ts\nexport function f<caret>(a: number, b: string) { return b; }\nf(1, \"x\");\n",
        &parameters(&[parameter("b"), added("n", "number", "0", "")]),
        "export function f(b: string, n: number = 0) { return b; }\nf(\"x\");\n",
    );
    becomes(
        "//- a.php\n<?php\nfunction f<caret>($a, $b) { return $b; }\nf(1, 2);\nf(b: 3, a: 4);\n",
        &parameters(&[parameter("$b"), parameter("$a")]),
        "<?php\nfunction f($b, $a) { return $b; }\nf(2, 1);\nf(b: 3, a: 4);\n",
    );
    becomes(
        "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\nstruct S;\nimpl S {\n    fn f<caret>(&self, a: u32) -> u32 { a }\n    fn g(&self) -> u32 { self.f(1) }\n}\n",
        &SignatureChange {
            visibility: Some("pub".to_owned()),
            ..parameters(&[parameter("a"), added("b", "bool", "", "false")])
        },
        "struct S;\nimpl S {\n    pub fn f(&self, a: u32, b: bool) -> u32 { a }\n    fn g(&self) -> u32 { self.f(1, false) }\n}\n",
    );
    becomes(
        "//- a.kt\nfun f<caret>(a: Int, b: Int): Int = a - b\nfun g() = f(1, b = 2)\n",
        &SignatureChange { return_type: Some("Long".to_owned()), ..SignatureChange::default() },
        "fun f(a: Int, b: Int): Long = a - b\nfun g() = f(1, b = 2)\n",
    );
    becomes(
        "//- a.kt\nfun f<caret>(vararg a: Int, b: Int = 2, @Suppress(\"x\") c: String): Int = a.size - b\nfun g() = f(1, 2, b = 3, c = \"\") + f(c = \"\")\n",
        &parameters(&[parameter("a"), parameter("b"), parameter("c"), added("d", "Int", "", "0")]),
        "fun f(vararg a: Int, b: Int = 2, @Suppress(\"x\") c: String, d: Int): Int = a.size - b\nfun g() = f(1, 2, b = 3, c = \"\", d = 0) + f(c = \"\", d = 0)\n",
    );
}

#[test]
fn an_argument_that_is_left_out_is_written_where_another_follows_it() {
    let swapped = parameters(&[parameter("b"), parameter("a")]);
    becomes(
        "//- a.php\n<?php\nfunction f<caret>($a = 1, $b = true) { return $b; }\nf(2);\nf();\n",
        &swapped,
        "<?php\nfunction f($b = true, $a = 1) { return $b; }\nf(true, 2);\nf();\n",
    );
    becomes(
        "//- a.ts\nfunction f<caret>(a = 1, b = true) { return b; }\nf(2);\n",
        &swapped,
        "function f(b = true, a = 1) { return b; }\nf(undefined, 2);\n",
    );
}

#[test]
fn a_comment_in_the_body_follows_the_name_of_a_parameter() {
    let change = parameters(&[NewParameter { was: Some("a".to_owned()), ..parameter("b") }]);
    becomes(
        "//- a.php\n<?php\nfunction f<caret>(array $a) {\n  /** @var mixed[] $a */\n  $a = g($a);\n  return $a;\n}\n",
        &change,
        "<?php\nfunction f(array $b) {\n  /** @var mixed[] $b */\n  $b = g($b);\n  return $b;\n}\n",
    );
}

#[test]
fn a_call_that_says_no_name_does_not_care_for_names_of_parameters() {
    let renamed = parameters(&[NewParameter { was: Some("a".to_owned()), ..parameter("b") }]);
    let source = |call: &str| {
        format!(
            "//- a.py\nclass C:\n    def go<caret>(self, a):\n        return a\n\n\ndef f(x):\n    x.{call}\n"
        )
    };
    becomes(
        &source("go(1)"),
        &renamed,
        "class C:\n    def go(self, b):\n        return b\n\n\ndef f(x):\n    x.go(1)\n",
    );
    let doubts = |call: &str, change| signature(&source(call), change).conflicts.len();
    assert_eq!(doubts("go(a=1)", &renamed), 1);
    assert_eq!(doubts("go(1)", &parameters(&[parameter("a"), added("c", "", "", "1")])), 1);
}

#[test]
fn parameters_of_what_is_called_without_its_name_get_other_names() {
    let renamed = parameters(&[NewParameter { was: Some("a".to_owned()), ..parameter("b") }]);
    let retyped = parameters(&[NewParameter { ty: Some("Long".to_owned()), ..parameter("a") }]);
    let code = "class V(val n: Int) { operator fun plus<caret>(a: V) = V(n + a.n) }\nval v = V(1) + V(2)\n";
    let wanted = "class V(val n: Int) { operator fun plus(b: V) = V(n + b.n) }\nval v = V(1) + V(2)\n";
    becomes(&format!("//- a.kt\n{code}"), &renamed, wanted);
    let mul = "class V(val n: Int) { infix fun mul<caret>(a: Int) = V(n * a) }\nval v = V(1) mul 2\n";
    let wanted = "class V(val n: Int) { infix fun mul(b: Int) = V(n * b) }\nval v = V(1) mul 2\n";
    becomes(&format!("//- a.kt\n{mul}"), &renamed, wanted);
    becomes(
        "//- a.ts\nfunction go<caret>(a: number) { return a; }\n[1].map(go);\n",
        &renamed,
        "function go(b: number) { return b; }\n[1].map(go);\n",
    );
    // A parameter without brackets does not keep its function from getting another name.
    let bare = "//- a.ts\nconst go<caret> = a => a * 2;\ngo(1);\n";
    let named = SignatureChange { new_name: Some("run".to_owned()), ..SignatureChange::default() };
    becomes(bare, &named, "const run = a => a * 2;\nrun(1);\n");
    assert_eq!(signature(bare, &renamed).conflicts.len(), 1);
    for (code, change) in [
        (code, &retyped),
        (mul, &retyped),
        (code, &parameters(&[parameter("a"), added("c", "Int", "", "1")])),
        (code, &parameters(&[])),
    ] {
        assert_eq!(signature(&format!("//- a.kt\n{code}"), change).conflicts.len(), 1, "{code}");
    }
    // A function of Python that is handed on may be called with names.
    let handed = signature("//- a.py\ndef go<caret>(a): return a\n\n\nh = go\nh(a=1)\n", &renamed);
    assert_eq!(handed.conflicts.len(), 1);
}

#[test]
fn signatures_stay_where_calls_are_not_known() {
    #[track_caller]
    fn refuses(source: &str, change: &SignatureChange, why: &str) {
        let outcome = signature(source, change);
        let reason = reason(&outcome);
        assert!(reason.contains(why), "{reason}");
    }
    let none = parameters(&[]);
    refuses(
        "//- P.java\nrecord P<caret>(int x, int y) { P(int x) { this(x, 1); } }\n",
        &parameters(&[parameter("y"), parameter("x")]),
        "the header of a record is its constructor",
    );
    refuses("//- a.py\ndef f<caret>(a):\n    return a\n", &none, "is used here and cannot be removed");
    refuses("//- a.py\ndef f<caret>(a):\n    return 1\n\nxs = [1]\nf(*xs)\n", &none, "spread from a list");
    refuses("//- a.py\ndef f<caret>(a):\n    return 1\n\ng = f\n", &none, "without being called");
    refuses(
        "//- A.java\nclass A { void f<caret>(int a) {} void g() { f(1); } }\n",
        &parameters(&[parameter("a"), added("b", "int", "", "")]),
        "no value is known for the parameter `b`",
    );
    refuses(
        "//- A.java\nclass A { void f<caret>() {} }\n",
        &parameters(&[added("b", "", "", "1")]),
        "needs a type",
    );
    let mut typed = added("s", "Object", "", "");
    typed.was = Some("s".to_owned());
    refuses(
        "//- A.java\nclass A { static void g(final java.lang.Object o) {} static void g<caret>(String s) {} }\n",
        &parameters(&[typed.clone()]),
        "another `g` has these parameters",
    );
    typed.ty = Some("List<Int>".to_owned());
    refuses(
        "//- a.kt\nfun g(o: List<String> = listOf()) {}\nfun g<caret>(s: String) {}\n",
        &parameters(&[typed]),
        "another `g` has these parameters",
    );
    refuses("//- A.java\nclass A extends lib.B { void f<caret>(int a) {} }\n", &none, "not in the project");
}

#[test]
fn parameters_stay_in_an_order_that_the_language_takes() {
    let order = |names: &[&str]| parameters(&names.iter().map(|name| parameter(name)).collect::<Vec<_>>());
    let refuses = |source: &str, change: &SignatureChange, why: &str| {
        let outcome = signature(source, change);
        let reason = reason(&outcome);
        assert!(reason.contains(why), "{source}\n{reason}");
    };
    let swapped = order(&["b", "a"]);
    let optional = "`a` is required and cannot follow `b`, which is optional";
    refuses("//- a.ts\nfunction f<caret>(a: number, b?: number) {}\nf(1);\n", &swapped, optional);
    refuses(
        "//- a.ts\nclass C { m<caret>({ x }: P, b?: number): void {} }\n",
        &order(&["b", "{ x }"]),
        "optional",
    );
    refuses("//- a.ts\ninterface I { m<caret>(a: number, b?: number): void }\n", &swapped, optional);
    refuses(
        "//- a.ts\nfunction f<caret>(a?: number) {}\n",
        &parameters(&[parameter("a"), added("n", "number", "", "1")]),
        "`n` is required and cannot follow `a`",
    );
    refuses(
        "//- a.ts\ninterface I { m<caret>(a: number): void }\n",
        &parameters(&[added("n", "number", "1", ""), parameter("a")]),
        "`a` is required and cannot follow `n`",
    );
    becomes(
        "//- a.ts\nfunction f<caret>(a: number, b = 2, c?: string) {}\nf(1);\n",
        &order(&["b", "a", "c"]),
        "function f(b = 2, a: number, c?: string) {}\nf(undefined, 1);\n",
    );
    let named = "the default value of `b` names `a`, which would follow it";
    refuses("//- a.js\nfunction f<caret>(a, b = a / 10) {}\nf(1, 2);\n", &swapped, named);
    refuses("//- a.js\nconst f<caret> = (a, b = () => a) => {};\nf(1, 2);\n", &swapped, named);
    refuses(
        "//- a.js\nfunction f<caret>({ a }, { b = a }) {}\nf(1, 2);\n",
        &order(&["{ b = a }", "{ a }"]),
        "names `{ a }`",
    );
    refuses(
        "//- a.ts\nfunction f<caret>(a: number, b = 2, c = b + 1) {}\n",
        &order(&["a", "c", "b"]),
        "names `b`",
    );
    refuses("//- a.kt\nfun f<caret>(a: Int, b: Int = a * 2) = a + b\nfun g() = f(1)\n", &swapped, named);
    let before = parameters(&[added("n", "Int", "a + 1", ""), parameter("a")]);
    refuses("//- a.kt\nfun f<caret>(a: Int) = a\n", &before, "the default value of `n` names `a`");
    refuses(
        "//- a.js\nfunction f<caret>(a) { return a; }\n",
        &parameters(&[added("n", "", "o.a + a", ""), parameter("a")]),
        "names `a`",
    );
    becomes(
        "//- a.js\nfunction f<caret>(a, b = 1, c = o.a) {}\n",
        &parameters(&[added("n", "", "o.a", ""), parameter("c"), parameter("a"), parameter("b")]),
        "function f(n = o.a, c = o.a, a, b = 1) {}\n",
    );
    becomes(
        "//- a.py\na = 1\n\n\ndef f<caret>(a=2, b=a):\n    return a + b\n\n\nf()\n",
        &swapped,
        "a = 1\n\n\ndef f(b=a, a=2):\n    return a + b\n\n\nf()\n",
    );
}

#[test]
fn a_lambda_behind_a_kotlin_call_stays_there() {
    let source = |declared: &str, calls: &str| {
        format!("//- a.kt\nfun go<caret>({declared}) = f()\n\nfun use(a: Int) {{\n{calls}\n}}\n")
    };
    let text = |declared: &str, calls: &str| {
        source(declared, calls).replace("//- a.kt\n", "").replace("<caret>", "")
    };
    let new = added("n", "Int", "", "7");
    becomes(
        &source("f: () -> Int", "    go { a }\n    go() { 1 }\n    go({ 2 })\n    go(f = { 3 })"),
        &parameters(&[new.clone(), parameter("f")]),
        &text(
            "n: Int, f: () -> Int",
            "    go(7) { a }\n    go(7) { 1 }\n    go(7, { 2 })\n    go(7, f = { 3 })",
        ),
    );
    becomes(
        &source("x: Int = 1, y: Int = 2, f: () -> Int", "    go { a }\n    go(a) { 1 }\n    go(y = a) { 1 }"),
        &parameters(&[parameter("y"), new.clone(), parameter("f")]),
        &text(
            "y: Int = 2, n: Int, f: () -> Int",
            "    go(n = 7) { a }\n    go(n = 7) { 1 }\n    go(y = a, n = 7) { 1 }",
        ),
    );
    let outcome = signature(&source("f: () -> Int", "    go { a }"), &parameters(&[parameter("f"), new]));
    assert!(reason(&outcome).contains("behind the call"), "{:?}", outcome.changed);
}

#[test]
fn a_new_kotlin_parameter_has_its_default_where_it_is_declared_first() {
    becomes(
        "//- a.kt\nopen class A {\n    open fun go<caret>(a: Int) = a\n}\nclass B : A() {\n    override fun go(a: Int) = a\n}\n",
        &parameters(&[parameter("a"), added("n", "Int", "0", "")]),
        "open class A {\n    open fun go(a: Int, n: Int = 0) = a\n}\nclass B : A() {\n    override fun go(a: Int, n: Int) = a\n}\n",
    );
    becomes(
        "//- a.kt\nfun go<caret>(vararg a: Int, b: Int) = b\n\nfun f(x: IntArray) {\n    go(a = x, 1)\n    go(1, 2, b = 3)\n}\n",
        &parameters(&[parameter("a"), parameter("b"), added("n", "Int", "0", "7")]),
        "fun go(vararg a: Int, b: Int, n: Int = 0) = b\n\nfun f(x: IntArray) {\n    go(a = x, b = 1, n = 7)\n    go(1, 2, b = 3, n = 7)\n}\n",
    );
    let outcome = signature(
        "//- a.kt\ninfix fun Int.go<caret>(a: Int) = a\n\nfun f() = 1.go(2)\n",
        &parameters(&[parameter("a"), added("n", "Int", "0", "")]),
    );
    assert!(reason(&outcome).contains("infix function"), "{:?}", outcome.changed);
}

#[test]
fn what_goes_for_a_method_by_its_shape_changes_with_it() {
    let wider = parameters(&[parameter("a"), added("b", "number", "", "2")]);
    becomes(
        "//- a.ts\ninterface R { run(a: number): void }\nclass C { run<caret>(a: number) {} }\nclass D { run(a: number) {} }\nfunction f(r: R) { r.run(1); }\nf(new C());\nnew D().run(1);\n",
        &wider,
        "interface R { run(a: number, b: number): void }\nclass C { run(a: number, b: number) {} }\nclass D { run(a: number) {} }\nfunction f(r: R) { r.run(1, 2); }\nf(new C());\nnew D().run(1);\n",
    );
    becomes(
        "//- a.py\nfrom typing import Protocol\n\nclass P(Protocol):\n    def run(self, a: int) -> None: ...\n\nclass C:\n    def run<caret>(self, a: int) -> None: ...\n\ndef f(p: P) -> None:\n    p.run(1)\n\nf(C())\n",
        &parameters(&[parameter("a"), added("b", "int", "", "2")]),
        "from typing import Protocol\n\nclass P(Protocol):\n    def run(self, a: int, b: int) -> None: ...\n\nclass C:\n    def run(self, a: int, b: int) -> None: ...\n\ndef f(p: P) -> None:\n    p.run(1, 2)\n\nf(C())\n",
    );
    becomes(
        "//- a.ts\ninterface R { run<caret>(a: number): void }\nconst o = { run: (a: number) => a };\nconst r: R = o;\n",
        &wider,
        "interface R { run(a: number, b: number): void }\nconst o = { run: (a: number, b: number) => a };\nconst r: R = o;\n",
    );
    for source in [
        "//- a.ts\ninterface R { run: (a: number) => void }\nclass C { run<caret>(a: number) {} }\nconst r: R = new C();\n",
        "//- a.py\nclass C:\n    def run<caret>(self, a): ...\n\ndef f(c: C):\n    return getattr(c, \"run\")\n",
    ] {
        let outcome = signature(source, &wider);
        assert!(!outcome.refactored.conflicts.is_empty(), "{source}\n{:#?}", outcome.changed);
    }
}

#[test]
fn go_imports_what_new_types_and_values_name() {
    let source = "//- go.mod\nmodule m\n//- a/a.go\npackage a\n\nfunc F<caret>(n int) int { return n }\n\nfunc g() int { return F(1) }\n//- b/b.go\npackage b\n\nimport \"m/a\"\n\nfunc h() int { return a.F(1) }\n//- c/c.go\npackage c\n\nimport (\n\tctx \"context\"\n\n\t\"m/a\"\n)\n\nfunc i(c ctx.Context) int { return a.F(1) }\n//- d/deep/d.go\npackage deep\n\ntype T int\n\nvar Zero T\n";
    let outcome = signature(
        source,
        &parameters(&[added("c", "context.Context", "", "context.TODO()"), parameter("n")]),
    );
    assert_eq!(outcome.refactored.conflicts, []);
    assert_eq!(
        outcome.changed["a/a.go"],
        "package a\n\nimport \"context\"\n\nfunc F(c context.Context, n int) int { return n }\n\nfunc g() int { return F(context.TODO(), 1) }\n"
    );
    assert_eq!(
        outcome.changed["b/b.go"],
        "package b\n\nimport \"context\"\nimport \"m/a\"\n\nfunc h() int { return a.F(context.TODO(), 1) }\n"
    );
    let outcome = signature(source, &parameters(&[parameter("n"), added("t", "deep.T", "", "deep.Zero")]));
    assert_eq!(outcome.refactored.conflicts, []);
    assert!(outcome.changed["b/b.go"].contains("\"m/d/deep\""), "{}", outcome.changed["b/b.go"]);
    let outcome = signature(source, &parameters(&[parameter("n"), added("t", "nowhere.T", "", "nil")]));
    assert!(reason(&outcome).contains("no package is known"), "{}", reason(&outcome));
    let standard = source.replace("ctx \"context\"\n\n\t", "");
    let outcome = signature(
        &standard.replace("c ctx.Context", ""),
        &parameters(&[parameter("n"), added("r", "*http.Request", "", "nil")]),
    );
    assert_eq!(outcome.refactored.conflicts, []);
    assert!(outcome.changed["a/a.go"].contains("import \"net/http\""), "{}", outcome.changed["a/a.go"]);
}

#[test]
fn languages_without_default_values_refuse_them() {
    for source in [
        "//- go.mod\nmodule m\n//- a.go\npackage m\n\nfunc f<caret>(a int) int { return a }\n",
        "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\nfn f<caret>(a: i32) -> i32 { a }\n",
        "//- A.java\nclass A {\n  int f<caret>(int a) { return a; }\n}\n",
    ] {
        let outcome = signature(source, &parameters(&[parameter("a"), added("b", "int", "2", "")]));
        assert!(reason(&outcome).contains("no default values"), "{}", reason(&outcome));
    }
}

/// Callers in Java name no arguments and know no defaults.
#[test]
fn callers_in_another_language_give_every_value() {
    let java = "package app;\nclass Use { int f(Svc s) { return s.run(1); } }\n";
    let kotlin = "package app\nclass Svc { fun ru<caret>n(a: Int): Int = a }\nfun f(s: Svc) = s.run(2)\n";
    let source = format!("//- src/app/Use.java\n{java}//- src/app/a.kt\n{kotlin}");
    let outcome = signature(&source, &parameters(&[parameter("a"), added("b", "Int", "3", "")]));
    assert_eq!(outcome.refactored.conflicts, []);
    assert_eq!(outcome.changed["src/app/Use.java"], java.replace("run(1)", "run(1, 3)"));
    assert!(outcome.changed["src/app/a.kt"].contains("(a: Int, b: Int = 3)"));
    assert!(outcome.changed["src/app/a.kt"].contains("s.run(2)"));
    let computed = signature(&source, &parameters(&[parameter("a"), added("b", "Int", "a + 1", "")]));
    assert!(reason(&computed).contains("no value is known"));
    let overloads = "//- src/app/Use.java\npackage app;\nclass Use { int f(Svc s) { return s.run(1); } }\n//- src/app/a.kt\npackage app\nclass Svc { @JvmOverloads fun ru<caret>n(a: Int = 2, b: Int = 0): Int = a }\n";
    let turned = signature(overloads, &parameters(&[parameter("b"), parameter("a")]));
    assert!(reason(&turned).contains("take the place"));
}

#[test]
fn a_default_before_other_arguments_is_written_out() {
    becomes(
        "//- a.ts\nexport function f<caret>(initial = false) { return initial; }\nf(true);\nf();\n",
        &parameters(&[added("key", "string", "\"k\"", ""), parameter("initial")]),
        "export function f(key: string = \"k\", initial = false) { return initial; }\nf(\"k\", true);\nf();\n",
    );
}

#[test]
fn types_of_new_parameters_are_imported() {
    let base = "package a;\nimport t.Item;\npublic class Base { public void run(int n, Item i) {} }\n";
    let source = format!(
        "//- t/Item.java\npackage t;\npublic class Item {{ public static Item of() {{ return null; }} }}\n//- t/Only.java\npackage t;\npublic class Only {{}}\n//- u/Item.java\npackage u;\npublic class Item {{}}\n//- a/Base.java\n{}//- b/Sub.java\npackage b;\npublic class Sub extends a.Base {{ public void run(int n, t.Item i) {{}} }}\n//- b/Use.java\npackage b;\nclass Use {{ void go(Sub s) {{ s.run(1, null); }} }}\n//- b/k.kt\npackage b\nfun k(s: Sub) {{ s.run(1, null) }}\n",
        base.replacen("run", "run<caret>", 1)
    );
    let more =
        |ty: &str, value: &str| parameters(&[parameter("n"), parameter("i"), added("s", ty, "", value)]);
    let changed = signature(&source, &more("Item", "Item.of()"));
    assert_eq!(changed.refactored.conflicts, []);
    let of = |changed: &Outcome, path: &str| changed.changed.get(path).cloned().unwrap_or_default();
    assert_eq!(of(&changed, "a/Base.java"), base.replace("Item i", "Item i, Item s"));
    assert_eq!(
        of(&changed, "b/Sub.java"),
        "package b;\n\nimport t.Item;\n\npublic class Sub extends a.Base { public void run(int n, t.Item i, Item s) {} }\n"
    );
    assert_eq!(
        of(&changed, "b/Use.java"),
        "package b;\n\nimport t.Item;\n\nclass Use { void go(Sub s) { s.run(1, null, Item.of()); } }\n"
    );
    assert_eq!(
        of(&changed, "b/k.kt"),
        "package b\n\nimport t.Item\n\nfun k(s: Sub) { s.run(1, null, Item.of()) }\n"
    );
}

#[test]
fn a_function_whose_name_is_a_key_too_is_not_renamed_alone() {
    let renamed = SignatureChange { new_name: Some("other".to_owned()), ..SignatureChange::default() };
    let source = "//- a.js\nconst state = { count };\nfunction count<caret>() {}\nexport default state;\n";
    let outcome = signature(source, &renamed);
    assert!(reason(&outcome).contains("is the key of an object"), "{}", reason(&outcome));
}

#[test]
fn the_dots_of_a_php_parameter_are_written_once() {
    let typed = NewParameter { ty: Some("int ...".to_owned()), ..parameter("all") };
    becomes(
        "//- a.php\n<?php\nfunction f<caret>(string ...$all) {}\n",
        &parameters(&[typed]),
        "<?php\nfunction f(int ...$all) {}\n",
    );
}

#[test]
fn kotlin_constructors_beside_the_one_in_the_head_change_alone() {
    let seven = || added("z", "Int", "", "7");
    let source = |head: &str, other: &str| {
        format!(
            "//- a.kt\nclass P{head}(n: Int, val m: Int) {{\n    val k = n\n    {other}(s: String) : this(s.length, 4)\n}}\nfun f() {{ P(1, 3); P(\"ab\") }}\n"
        )
    };
    becomes(
        &source("<caret>", "constructor"),
        &parameters(&[parameter("n"), parameter("m"), seven()]),
        "class P(n: Int, val m: Int, z: Int) {\n    val k = n\n    constructor(s: String) : this(s.length, 4, 7)\n}\nfun f() { P(1, 3, 7); P(\"ab\") }\n",
    );
    becomes(
        &source("", "const<caret>ructor"),
        &parameters(&[parameter("s"), seven()]),
        "class P(n: Int, val m: Int) {\n    val k = n\n    constructor(s: String, z: Int) : this(s.length, 4)\n}\nfun f() { P(1, 3); P(\"ab\", 7) }\n",
    );
}
