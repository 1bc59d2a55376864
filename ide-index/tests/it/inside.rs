//! Changes inside of code on small projects: the text that they leave, byte for byte, or the reason why not.

use ide_model::{FilePath, Refactoring, TextRange};

use crate::refactor::{Outcome, change_at};

/// The caret stands before what is selected.
pub(crate) fn extract(source: &str, select: &str, name: &str, replace_all: bool) -> Outcome {
    change_at(source, |at, _, plan| {
        let file = FilePath::new(at.path.as_str());
        let range = TextRange::new(at.start, at.start + select.len() as u32);
        plan(&Refactoring::ExtractVariable { file: &file, range, name, replace_all })
    })
}

#[track_caller]
pub(crate) fn only_text(outcome: &Outcome) -> &str {
    assert_eq!(outcome.refactored.conflicts, [], "{:#?}", outcome.changed);
    assert_eq!(outcome.changed.len(), 1, "{:#?}", outcome.changed);
    outcome.changed.values().next().map_or("", String::as_str)
}

#[track_caller]
pub(crate) fn extracts(source: &str, select: &str, name: &str, wanted: &str) {
    assert_eq!(only_text(&extract(source, select, name, false)), wanted);
}

#[track_caller]
fn extracts_all(source: &str, select: &str, name: &str, wanted: &str) {
    assert_eq!(only_text(&extract(source, select, name, true)), wanted);
}

#[track_caller]
pub(crate) fn reason(outcome: &Outcome) -> &str {
    let first = outcome.refactored.conflicts.first();
    first.map_or_else(|| panic!("nothing refused: {:#?}", outcome.changed), |conflict| &conflict.message)
}

#[track_caller]
pub(crate) fn refuses_to_extract(source: &str, select: &str, why: &str) {
    let outcome = extract(source, select, "value", false);
    let reason = reason(&outcome);
    assert!(reason.contains(why), "{reason}");
}

#[test]
fn a_java_value_gets_a_variable_of_its_type() {
    extracts(
        "//- A.java\nclass A {\n  int f(int a, int b) {\n    return <caret>a + b * 2;\n  }\n}\n",
        "a + b * 2",
        "sum",
        "class A {\n  int f(int a, int b) {\n    int sum = a + b * 2;\n    return sum;\n  }\n}\n",
    );
    extracts(
        "//- A.java\nclass A {\n  String name() { return \"\"; }\n  void f() {\n    if (true) g(<caret>name());\n  }\n  void g(String s) {}\n}\n",
        "",
        "text",
        "class A {\n  String name() { return \"\"; }\n  void f() {\n    if (true) {\n      String text = name();\n      g(text);\n    }\n  }\n  void g(String s) {}\n}\n",
    );
    extracts(
        "//- A.java\nclass A {\n  void f() {\n    g(<caret>8);\n  }\n  void g(int s) {}\n}\n",
        "8",
        "size",
        "class A {\n  void f() {\n    final int size = 8;\n    g(size);\n  }\n  void g(int s) {}\n}\n",
    );
}

#[test]
fn equal_values_share_the_variable_while_nothing_changes_them() {
    extracts_all(
        "//- a.py\ndef f(a, b):\n    print(<caret>a.x + b)\n    if b:\n        return a.x + b\n    return 0\n",
        "a.x + b",
        "total",
        "def f(a, b):\n    total = a.x + b\n    print(total)\n    if b:\n        return total\n    return 0\n",
    );
    let outcome = extract(
        "//- a.py\ndef f(a, b):\n    print(<caret>a + b)\n    b = 2\n    return a + b\n",
        "a + b",
        "total",
        true,
    );
    assert!(reason(&outcome).contains("`b` is written between"), "{:?}", outcome.refactored.conflicts);
}

#[test]
fn every_language_writes_its_own_declaration() {
    extracts(
        "//- a.kt\nfun f(a: Int, b: Int): Int = <caret>a + b\n",
        "a + b",
        "sum",
        "fun f(a: Int, b: Int): Int {\n    val sum = a + b\n    return sum\n}\n",
    );
    extracts(
        "//- a.ts\nexport const f = (a: number) => g(<caret>a * 2);\nfunction g(a: number) { return a; }\n",
        "a * 2",
        "twice",
        "export const f = (a: number) => {\n  const twice = a * 2;\n  return g(twice);\n};\nfunction g(a: number) { return a; }\n",
    );
    extracts(
        "//- a.js\nfunction f(a) {\n  while (a) {\n    <caret>g(a);\n  }\n}\nfunction g(a) { return a; }\n",
        "",
        "got",
        "function f(a) {\n  while (a) {\n    const got = g(a);\n  }\n}\nfunction g(a) { return a; }\n",
    );
    extracts(
        "//- go.mod\nmodule m\n//- a.go\npackage m\n\nfunc f(a []int) int {\n\treturn <caret>len(a) + 1\n}\n",
        "len(a) + 1",
        "n",
        "package m\n\nfunc f(a []int) int {\n\tn := len(a) + 1\n\treturn n\n}\n",
    );
    extracts(
        "//- a.php\n<?php\nfunction f($a) {\n  return strlen(<caret>$a . 'x');\n}\n",
        "$a . 'x'",
        "$text",
        "<?php\nfunction f($a) {\n  $text = $a . 'x';\n  return strlen($text);\n}\n",
    );
    extracts(
        "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\nfn f(a: Option<u32>, b: u32) -> u32 {\n    match a {\n        Some(x) => g(<caret>x + b),\n        None => 0,\n    }\n}\nfn g(a: u32) -> u32 {\n    a\n}\n",
        "x + b",
        "sum",
        "fn f(a: Option<u32>, b: u32) -> u32 {\n    match a {\n        Some(x) => {\n            let sum = x + b;\n            g(sum)\n        },\n        None => 0,\n    }\n}\nfn g(a: u32) -> u32 {\n    a\n}\n",
    );
}

#[test]
fn a_variable_is_refused_where_evaluation_would_change() {
    let java = |body: &str| {
        format!(
            "//- A.java\nclass A {{\n  int x;\n  int g(int a) {{ return a; }}\n  void f(int a, int[] b) {{\n    {body}\n  }}\n}}\n"
        )
    };
    refuses_to_extract(&java("boolean c = a > 0 && <caret>b[a] > 1;"), "b[a] > 1", "only if");
    refuses_to_extract(&java("while (<caret>a + x > 3) x++;"), "a + x", "every round");
    refuses_to_extract(&java("<caret>b[0] = 1;"), "b[0]", "written to");
    refuses_to_extract(&java("g(x++ + <caret>g(x));"), "g(x)", "written before");
    refuses_to_extract(&java("g(a + <caret>1 + 2);"), "1 + 2", "no whole expression");
    refuses_to_extract(&java("int value = 1; g(<caret>a + 1);"), "a + 1", "declared in this function");
    refuses_to_extract("//- a.py\ndef f(a, b=<caret>1 + 2):\n    return a\n", "1 + 2", "default value");
    refuses_to_extract("//- a.py\nf = lambda a: <caret>a + 1\n", "a + 1", "no body of statements");
    refuses_to_extract("//- a.py\ndef f(a):\n    return [x + <caret>a.b for x in a]\n", "a.b", "every round");
    refuses_to_extract("//- a.ts\nfunction f(a: any) {\n  return a?.b(<caret>a.c);\n}\n", "a.c", "`?.`");
    refuses_to_extract(
        "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\nstruct S { a: String }\nfn f(s: &S) -> usize {\n    <caret>s.a.len()\n}\n",
        "s.a",
        "move",
    );
    refuses_to_extract(
        "//- A.java\nclass A {\n  int x = <caret>1 + 2;\n}\n",
        "1 + 2",
        "not part of a statement",
    );
}

pub(crate) fn inline(source: &str) -> Outcome {
    change_at(source, |_, symbol, plan| plan(&Refactoring::Inline { symbol: &symbol() }))
}

#[track_caller]
fn inlines(source: &str, wanted: &str) {
    assert_eq!(only_text(&inline(source)), wanted);
}

#[test]
fn a_kotlin_call_that_takes_its_type_arguments_from_the_place_gets_no_variable() {
    let place = |call: &str| {
        format!(
            "//- a.kt\nclass Box<T>(val v: T & Any)\nfun <T> none(): List<T> = TODO()\nfun <T> some(vararg v: T): List<T> = TODO()\n\
             fun <T> by(f: (T) -> Int): List<T> = TODO()\nfun <T> made(f: () -> T): List<T> = TODO()\n\
             fun <T> List<T>.more(): List<T> = TODO()\nfun take(v: Any?) {{}}\n\nfun f() {{\n    take(<caret>{call})\n}}\n"
        )
    };
    for open in ["none()", "(none())", "some(none())", "by { 1 }", "Box(\"a\")"] {
        refuses_to_extract(&place(open), open, "its type arguments come from the place");
    }
    for known in
        ["none<Int>()", "some(1)", "some(none<Int>())", "by { x: Int -> x }", "made { 1 }", "some(1).more()"]
    {
        let outcome = extract(&place(known), known, "value", false);
        let wanted = format!("    val value = {known}\n    take(value)\n");
        assert!(only_text(&outcome).contains(&wanted), "{:#?}", outcome.changed);
    }
}

#[track_caller]
fn refuses_to_inline(source: &str, why: &str) {
    let outcome = inline(source);
    let reason = reason(&outcome);
    assert!(reason.contains(why), "{reason}");
}

#[test]
fn a_variable_gives_way_to_its_value() {
    inlines(
        "//- A.java\nclass A {\n  int f(int a, int b) {\n    int su<caret>m = a + b;\n    return sum * 2 - g(sum);\n  }\n  int g(int a) { return a; }\n}\n",
        "class A {\n  int f(int a, int b) {\n    return (a + b) * 2 - g(a + b);\n  }\n  int g(int a) { return a; }\n}\n",
    );
    inlines(
        "//- A.java\nclass A {\n  double f(int a) {\n    double x<caret> = a;\n    return x / 2;\n  }\n}\n",
        "class A {\n  double f(int a) {\n    return ((double) a) / 2;\n  }\n}\n",
    );
    inlines(
        "//- a.kt\nfun f(a: Int): Int {\n    val b<caret> = a * 2\n    return b - b\n}\n",
        "fun f(a: Int): Int {\n    return a * 2 - a * 2\n}\n",
    );
    inlines(
        "//- a.py\ndef f(a):\n    got<caret> = a.x(1)\n    return -got\n",
        "def f(a):\n    return -a.x(1)\n",
    );
    inlines(
        "//- a.ts\nexport function f(a: number) {\n  const b<caret> = a || 1;\n  return b + 1;\n}\n",
        "export function f(a: number) {\n  return (a || 1) + 1;\n}\n",
    );
    inlines(
        "//- go.mod\nmodule m\n//- a.go\npackage m\n\nfunc f(a []int) int {\n\tn<caret> := len(a)\n\treturn n + 1\n}\n",
        "package m\n\nfunc f(a []int) int {\n\treturn len(a) + 1\n}\n",
    );
    inlines(
        "//- a.php\n<?php\nfunction f($a) {\n  $b<caret> = $a . 'x';\n  return strlen($b);\n}\n",
        "<?php\nfunction f($a) {\n  return strlen($a . 'x');\n}\n",
    );
    inlines(
        "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\nfn f(a: u32) -> u32 {\n    let b<caret> = a + 1;\n    b * 2\n}\n",
        "fn f(a: u32) -> u32 {\n    (a + 1) * 2\n}\n",
    );
}

#[test]
fn a_variable_stays_where_its_value_would_be_another() {
    let python = |body: &str| format!("//- a.py\ndef f(a, b):\n    {}\n", body.replace('\n', "\n    "));
    refuses_to_inline(&python("x<caret> = a + b\na = 2\nreturn x"), "`a` is written before");
    refuses_to_inline(&python("x<caret> = a.next()\nreturn x + x"), "computed once");
    refuses_to_inline(&python("x<caret> = a.next()\nb.go()\nreturn x"), "another time");
    refuses_to_inline(&python("x<caret> = a\nx = b\nreturn x"), "written more than once");
    refuses_to_inline(&python("x<caret> = []\nfor i in a:\n    x.append(i)"), "computed once");
    refuses_to_inline(&python("return a<caret>"), "no initial value");
    refuses_to_inline(
        "//- A.java\nclass A { void f() { int a<caret> = 1, b = 2; g(a); } void g(int a) {} }\n",
        "declares more",
    );
    refuses_to_inline(
        "//- A.java\nclass A {\n  void f(int a) {\n    int x<caret> = a;\n    if (a > 0) { int y = x; a = 3; y = x; }\n  }\n}\n",
        "`a` is written before",
    );
    let short = "//- a.ts\nfunction f(a: number) {\n  const b<caret> = a + 1;\n  return { b };\n}\n";
    assert_eq!(only_text(&inline(short)), "function f(a: number) {\n  return { b: a + 1 };\n}\n");
}

#[test]
fn a_function_gives_way_to_its_body() {
    inlines(
        "//- A.java\nclass A {\n  int f(int a) {\n    return twice(a + 1) - twice(2);\n  }\n\n  private int tw<caret>ice(int x) {\n    return x * 2;\n  }\n}\n",
        "class A {\n  int f(int a) {\n    return (a + 1) * 2 - 2 * 2;\n  }\n}\n",
    );
    inlines(
        "//- a.py\ndef lo<caret>g(x, y=1):\n    \"\"\"Says it.\"\"\"\n    print(x)\n    print(y)\n\n\ndef f(a):\n    if a:\n        log(a, y=2)\n    return a\n",
        "def f(a):\n    if a:\n        print(a)\n        print(2)\n    return a\n",
    );
    inlines(
        "//- a.ts\nclass A {\n  n = 1;\n  private add(x: number) { return this.n + x; }\n  f() { return this.a<caret>dd(2) * 3; }\n}\n",
        "class A {\n  n = 1;\n  f() { return (this.n + 2) * 3; }\n}\n",
    );
    inlines(
        "//- go.mod\nmodule m\n//- a.go\npackage m\n\ntype T struct{ n int }\n\nfunc (t *T) get<caret>(x int) int { return t.n + x }\n\nfunc f(a *T) int {\n\treturn a.get(2)\n}\n",
        "package m\n\ntype T struct{ n int }\n\nfunc f(a *T) int {\n\treturn a.n + 2\n}\n",
    );
    inlines(
        "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\nfn twice<caret>(x: u32) -> u32 {\n    x * 2\n}\n\npub fn f(a: u32) -> u32 {\n    twice(a) + 1\n}\n",
        "pub fn f(a: u32) -> u32 {\n    a * 2 + 1\n}\n",
    );
    inlines(
        "//- a.php\n<?php\nclass A {\n  private $n = 1;\n  private function get<caret>() { return $this->n; }\n  function f() { return $this->get() + 1; }\n}\n",
        "<?php\nclass A {\n  private $n = 1;\n  function f() { return $this->n + 1; }\n}\n",
    );
    inlines(
        "//- a.kt\nprivate fun twice<caret>(x: Int) = x * 2\n\nfun f(a: Int): Int {\n    return twice(a) + 1\n}\n",
        "fun f(a: Int): Int {\n    return a * 2 + 1\n}\n",
    );
}

#[test]
fn the_statements_of_a_function_go_before_the_only_value_of_a_statement() {
    inlines(
        "//- A.java\nclass A {\n  int g(int a) {\n    int c = sum(a, 2);\n    return c;\n  }\n\n  private int su<caret>m(int x, int y) {\n    int all = x;\n    // More.\n    all += y;\n    // Enough.\n    return all * 2;\n  }\n}\n",
        "class A {\n  int g(int a) {\n    int all = a;\n    // More.\n    all += 2;\n    // Enough.\n    int c = all * 2;\n    return c;\n  }\n}\n",
    );
    inlines(
        "//- a.py\ndef lo<caret>g(x):\n    y = x + 1\n    return print(y)\n\n\ndef f(a):\n    if a:\n        a.b = log(a)\n\n\ndef g(a):\n    log(2)\n\n\ndef h(a):\n    return log(a)\n",
        "def f(a):\n    if a:\n        y = a + 1\n        a.b = print(y)\n\n\ndef g(a):\n    y = 2 + 1\n    print(y)\n\n\ndef h(a):\n    y = a + 1\n    return print(y)\n",
    );
    inlines(
        "//- a.ts\nfunction su<caret>m(a: number): number {\n  const b = a + 1;\n  return b * a;\n}\nfunction f() {\n  const x: number = sum(2);\n  return x;\n}\nfunction g(x: number) {\n  sum(x);\n}\n",
        "function f() {\n  const b = 2 + 1;\n  const x: number = b * 2;\n  return x;\n}\nfunction g(x: number) {\n  const b = x + 1;\n}\n",
    );
    inlines(
        "//- go.mod\nmodule m\n//- a.go\npackage m\n\nfunc sum<caret>(x int) int {\n\ty := x + 1\n\treturn y * x\n}\n\nfunc f(a int) int {\n\tb := sum(a)\n\treturn b\n}\n",
        "package m\n\nfunc f(a int) int {\n\ty := a + 1\n\tb := y * a\n\treturn b\n}\n",
    );
    inlines(
        "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\nfn sum<caret>(x: u32) -> u32 {\n    let y = x + 1;\n    y * x\n}\n\npub fn f(a: u32) -> u32 {\n    sum(a)\n}\n\npub fn g(a: u32) -> u32 {\n    let b: u32 = sum(a);\n    return b;\n}\n",
        "pub fn f(a: u32) -> u32 {\n    let y = a + 1;\n    y * a\n}\n\npub fn g(a: u32) -> u32 {\n    let y = a + 1;\n    let b: u32 = y * a;\n    return b;\n}\n",
    );
    inlines(
        "//- a.php\n<?php\nclass A {\n  private $n = 1;\n  private function get<caret>($a) {\n    $b = $this->n;\n    return $b . $a;\n  }\n  function f() {\n    $c = $this->get('x');\n    return $c;\n  }\n}\n",
        "<?php\nclass A {\n  private $n = 1;\n  function f() {\n    $b = $this->n;\n    $c = $b . 'x';\n    return $c;\n  }\n}\n",
    );
    inlines(
        "//- a.kt\nprivate fun sum<caret>(x: Int): Int {\n    val y = x + 1\n    return y * x\n}\n\nfun f(a: Int): Int {\n    return sum(a)\n}\n",
        "fun f(a: Int): Int {\n    val y = a + 1\n    return y * a\n}\n",
    );
}

#[test]
fn the_statements_of_a_function_stay_where_something_runs_before_the_call() {
    let java = |body: &str| {
        format!(
            "//- A.java\nclass A {{\n  int n;\n  int[] all;\n  private int su<caret>m(int x) {{\n    int y = x;\n    n++;\n    return y + x;\n  }}\n  int f(int a) {{\n    {body}\n  }}\n}}\n"
        )
    };
    refuses_to_inline(&java("return n + sum(a);"), "several statements");
    refuses_to_inline(&java("return a > 0 && sum(a) > 1 ? 1 : 2;"), "several statements");
    refuses_to_inline(&java("a += sum(a);\n    return a;"), "several statements");
    refuses_to_inline(&java("all[n] = sum(a);\n    return a;"), "several statements");
    refuses_to_inline(&java("int b = n, c = sum(a);\n    return c;"), "several statements");
    refuses_to_inline(&java("while (sum(a) > 1) a++;\n    return a;"), "several statements");
    refuses_to_inline(&java("long b = a; return sum(a);"), "other code");
    refuses_to_inline(&java("return 1 > n ? sum(this.n) : 2;"), "before it uses");
    refuses_to_inline(
        "//- go.mod\nmodule m\n//- a.go\npackage m\n\ntype E struct{}\n\nfunc (e *E) Error() string { return \"\" }\n\nfunc mak<caret>e() error {\n\te := &E{}\n\treturn e\n}\n\nfunc f() error {\n\terr := make()\n\treturn err\n}\n",
        "converted",
    );
    inlines(
        "//- a.py\nfrom typing import Callable\ndef lat<caret>er(x) -> Callable:\n    y = lambda: x\n    return y\n\n\ndef f(a):\n    b = later(a)\n    a = 2\n    return b\n",
        "from typing import Callable\n\n\ndef f(a):\n    x = a\n    y = lambda: x\n    b = y\n    a = 2\n    return b\n",
    );
}

#[test]
fn a_function_stays_where_its_body_would_do_something_else() {
    let java = |body: &str| {
        format!("//- A.java\nclass A {{\n  int n;\n  {}\n}}\nclass B {{ void go() {{}} }}\n", body)
    };
    refuses_to_inline(
        &java("int f<caret>(int a) { return a == 0 ? 1 : f(a - 1); } int g() { return f(1); }"),
        "calls itself",
    );
    refuses_to_inline(
        &java("int f<caret>(int a) { if (a > 0) return 1; return 2; } int g() { return -f(1); }"),
        "leaves early",
    );
    refuses_to_inline(
        &java("int f<caret>(int a) { return a + a; } int g() { return n + f(n++); }"),
        "used 2 times",
    );
    refuses_to_inline(
        &java(
            "int f<caret>(int a) { return a; } java.util.function.IntUnaryOperator g() { return this::f; }",
        ),
        "without being called",
    );
    refuses_to_inline(&java("int f<caret>(int a) { return a; }"), "nothing calls it");
    refuses_to_inline(
        "//- A.java\nclass A { void f<caret>() {} }\nclass B extends A { void f() {} void g() { f(); } }\n",
        "override",
    );
    refuses_to_inline(
        "//- a.ts\nexport function f<caret>(a: number) { return a; }\n//- b.ts\nexport { f } from './a';\n",
        "exported again",
    );
    refuses_to_inline(
        "//- A.java\nclass A { private int n; int f<caret>() { return this.n; } }\nclass B { int g(A a) { return a.f(); } }\n",
        "not visible",
    );
}

pub(crate) fn method(source: &str, select: &str) -> Outcome {
    change_at(source, |at, _, plan| {
        let file = FilePath::new(at.path.as_str());
        let range = TextRange::new(at.start, at.start + select.len() as u32);
        plan(&Refactoring::ExtractMethod { file: &file, range, name: "part" })
    })
}

#[track_caller]
fn becomes_method(source: &str, select: &str, wanted: &str) {
    assert_eq!(only_text(&method(source, select)), wanted);
}

#[track_caller]
fn refuses_method(source: &str, select: &str, why: &str) {
    let outcome = method(source, select);
    let reason = reason(&outcome);
    assert!(reason.contains(why), "{reason}");
}

#[test]
fn types_of_a_rust_implementation_are_written_outside_of_it() {
    let rust = |code: &str| format!("//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\n{code}");
    becomes_method(
        &rust(
            "pub struct S<T>(T);\nimpl<T: Clone> From<&T> for S<T> {\n    fn from(a: &T) -> Self {\n        <caret>S(a.clone())\n    }\n}\n",
        ),
        "S(a.clone())",
        "pub struct S<T>(T);\nimpl<T: Clone> From<&T> for S<T> {\n    fn from(a: &T) -> Self {\n        part(a)\n    }\n}\n\nfn part<T: Clone>(a: &T) -> S<T> {\n    S(a.clone())\n}\n",
    );
    becomes_method(
        &rust(
            "pub struct S<T>(T);\nimpl<T> std::ops::Deref for S<T> {\n    type Target = T;\n    fn deref(&self) -> &Self::Target {\n        <caret>&self.0\n    }\n}\n",
        ),
        "&self.0",
        "pub struct S<T>(T);\nimpl<T> std::ops::Deref for S<T> {\n    type Target = T;\n    fn deref(&self) -> &Self::Target {\n        self.part()\n    }\n}\n\nimpl<T> S<T> {\n    fn part(&self) -> &T {\n        &self.0\n    }\n}\n",
    );
}

#[test]
fn java_statements_become_a_method() {
    becomes_method(
        "//- A.java\nclass A {\n  int f(int a) throws java.io.IOException {\n    int b = 1;\n    <caret>int c = a + b;\n    c++;\n    return c;\n  }\n}\n",
        "int c = a + b;\n    c++;",
        "class A {\n  int f(int a) throws java.io.IOException {\n    int b = 1;\n    int c = part(a, b);\n    return c;\n  }\n\n  private int part(int a, int b) throws java.io.IOException {\n    int c = a + b;\n    c++;\n    return c;\n  }\n}\n",
    );
    becomes_method(
        "//- A.java\nclass A {\n  static <T> T f(T a, boolean b) {\n    <caret>if (b) {\n      return a;\n    }\n    return null;\n  }\n}\n",
        "if (b) {\n      return a;\n    }\n    return null;",
        "class A {\n  static <T> T f(T a, boolean b) {\n    return part(a, b);\n  }\n\n  private static <T> T part(T a, boolean b) {\n    if (b) {\n      return a;\n    }\n    return null;\n  }\n}\n",
    );
    becomes_method(
        "//- A.java\nclass A {\n  int f(int a) {\n    return <caret>a * 2 + 1;\n  }\n}\n",
        "a * 2",
        "class A {\n  int f(int a) {\n    return part(a) + 1;\n  }\n\n  private int part(int a) {\n    return a * 2;\n  }\n}\n",
    );
}

#[test]
fn every_language_writes_its_own_method() {
    becomes_method(
        "//- a.py\nclass A:\n    def f(self, a):\n        <caret>b = self.x + a\n        c = b * 2\n        print(b, c)\n",
        "b = self.x + a\n        c = b * 2",
        "class A:\n    def f(self, a):\n        b, c = self.part(a)\n        print(b, c)\n\n    def part(self, a):\n        b = self.x + a\n        c = b * 2\n        return b, c\n",
    );
    becomes_method(
        "//- a.py\ndef f(a):\n    if a:\n        <caret>print(a)\n        print(1)\n",
        "print(a)\n        print(1)",
        "def f(a):\n    if a:\n        part(a)\n\n\ndef part(a):\n    print(a)\n    print(1)\n",
    );
    becomes_method(
        "//- a.ts\nexport class A {\n  n = 1;\n  async f(a: number) {\n    <caret>const b = await g(a);\n    this.n = b;\n    return b;\n  }\n}\nasync function g(a: number) { return a; }\n",
        "const b = await g(a);\n    this.n = b;",
        "export class A {\n  n = 1;\n  async f(a: number) {\n    const b = await this.part(a);\n    return b;\n  }\n\n  private async part(a: number) {\n    const b = await g(a);\n    this.n = b;\n    return b;\n  }\n}\nasync function g(a: number) { return a; }\n",
    );
    becomes_method(
        "//- go.mod\nmodule m\n//- a.go\npackage m\n\ntype T struct{ n int }\n\nfunc (t *T) f(a int) int {\n\t<caret>b := a + t.n\n\tc := b * 2\n\treturn b + c\n}\n",
        "b := a + t.n\n\tc := b * 2",
        "package m\n\ntype T struct{ n int }\n\nfunc (t *T) f(a int) int {\n\tb, c := t.part(a)\n\treturn b + c\n}\n\nfunc (t *T) part(a int) (int, int) {\n\tb := a + t.n\n\tc := b * 2\n\treturn b, c\n}\n",
    );
    becomes_method(
        "//- a.php\n<?php\nclass A {\n  private $n = 1;\n  function f($a) {\n    <caret>$b = $a + $this->n;\n    return $b;\n  }\n}\n",
        "$b = $a + $this->n;",
        "<?php\nclass A {\n  private $n = 1;\n  function f($a) {\n    $b = $this->part($a);\n    return $b;\n  }\n\n  private function part($a) {\n    $b = $a + $this->n;\n    return $b;\n  }\n}\n",
    );
    becomes_method(
        "//- a.kt\nclass A(val n: Int) {\n    fun f(a: Int): Int {\n        <caret>val b: Int = a + n\n        println(b)\n        return b\n    }\n}\n",
        "val b: Int = a + n\n        println(b)",
        "class A(val n: Int) {\n    fun f(a: Int): Int {\n        val b = part(a)\n        return b\n    }\n\n    private fun part(a: Int): Int {\n        val b: Int = a + n\n        println(b)\n        return b\n    }\n}\n",
    );
    becomes_method(
        "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\nstruct S {\n    n: u32,\n}\n\nimpl S {\n    fn f(&self, a: u32, names: Vec<u32>) -> u32 {\n        <caret>let b: u32 = a + self.n + names.len() as u32;\n        b + names[0]\n    }\n}\n",
        "let b: u32 = a + self.n + names.len() as u32;",
        "struct S {\n    n: u32,\n}\n\nimpl S {\n    fn f(&self, a: u32, names: Vec<u32>) -> u32 {\n        let b = self.part(a, &names);\n        b + names[0]\n    }\n\n    fn part(&self, a: u32, names: &Vec<u32>) -> u32 {\n        let b: u32 = a + self.n + names.len() as u32;\n        b\n    }\n}\n",
    );
}

#[test]
fn a_kotlin_lambda_keeps_its_object() {
    let source = |body: &str| {
        format!(
            "//- a.kt\nclass B {{\n    fun add(x: Int) = 1\n}}\n\nfun build(f: B.() -> Unit) = Unit\nfun use(b: Any): Int = 1\n\n\
             class A(val n: Int) {{\n    fun f(a: Int) = build {{\n        {body}\n    }}\n}}\n"
        )
    };
    refuses_method(&source("<caret>use(this)\n        use(a)"), "use(this)", "object that the new function");
    refuses_method(&source("<caret>add(a)\n        use(a)"), "add(a)", "object that the new function");
    let outcome = method(&source("<caret>use(n + a)\n        add(a)"), "use(n + a)");
    assert!(only_text(&outcome).contains("private fun part(a: Int)"), "{:?}", outcome.refactored.conflicts);
}

#[test]
fn a_class_beside_a_file_without_package_hides_what_a_star_brings() {
    let wanted = |ty: &str, beside: &str| {
        extracts(
            &format!(
                "//- Use.java\nimport p.*;\nclass Use {{\n  void f(Maker m) {{\n    g(<caret>m.made());\n  }}\n  void g(Object o) {{}}\n}}\n\
                 //- {beside}.java\nclass {beside} {{}}\n\
                 //- p/X.java\npackage p;\npublic class X {{}}\n\
                 //- p/Maker.java\npackage p;\npublic class Maker {{ public X made() {{ return null; }} }}\n"
            ),
            "m.made()",
            "x",
            &format!(
                "import p.*;\nclass Use {{\n  void f(Maker m) {{\n    {ty} x = m.made();\n    g(x);\n  }}\n  void g(Object o) {{}}\n}}\n"
            ),
        );
    };
    wanted("p.X", "X");
    wanted("X", "Y");
}

#[test]
fn a_kotlin_type_is_said_that_a_star_brings() {
    let outcome = method(
        "//- a/A.kt\npackage a\n\nclass Made\n\nclass Maker {\n    val made: Made = Made()\n    fun name(): String = \"\"\n}\n\
         //- b/B.kt\npackage b\n\nimport a.*\n\nfun use(x: Any) = Unit\n\nfun f(m: Maker) {\n    val x = m.made\n    val n = m.name()\n    <caret>use(x)\n    use(n)\n}\n",
        "use(x)\n    use(n)",
    );
    let text = only_text(&outcome);
    assert!(text.contains("fun part(x: Made, n: String)"), "{text}");
}

#[test]
fn the_body_of_a_kotlin_function_gives_what_it_says() {
    becomes_method(
        "//- a.kt\nclass A(val n: Map<String, Int>) {\n    fun f(): String =\n        <caret>n.unknown { it }\n}\n",
        "n.unknown { it }",
        "class A(val n: Map<String, Int>) {\n    fun f(): String =\n        part()\n\n    private fun part(): String {\n        return n.unknown { it }\n    }\n}\n",
    );
}

#[test]
fn statements_stay_where_a_method_could_not_do_the_same() {
    let java =
        |body: &str| format!("//- A.java\nclass A {{\n  int f(int a, int[] b) {{\n    {body}\n  }}\n}}\n");
    refuses_method(
        &java("while (a > 0) { <caret>if (a > 1) break; a--; } return a;"),
        "if (a > 1) break;",
        "leaves a loop",
    );
    refuses_method(
        &java("<caret>if (a > 1) return 1; a++; return a;"),
        "if (a > 1) return 1;",
        "on some paths only",
    );
    refuses_method(
        &java("<caret>int c = 1; int d = 2; return c + d;"),
        "int c = 1; int d = 2;",
        "several variables",
    );
    refuses_method(
        &java("int c; <caret>if (a > 0) c = 1; else c = 2; return c;"),
        "if (a > 0) c = 1; else c = 2;",
        "may not have a value",
    );
    refuses_method(&java("<caret>a = a + 1; b[0] = 2; return a;"), "a = a + 1; b[", "cuts through");
    refuses_method("//- a.py\ndef f(a):\n    <caret>yield a\n", "yield a", "yields");
    refuses_method("//- a.py\n<caret>print(1)\n", "print(1)", "not part of a function");
    refuses_method(
        "//- A.java\nclass A { void part() {} void f() { <caret>f(); } }\n",
        "f();",
        "declared already",
    );
    refuses_method(
        "//- go.mod\nmodule m\n//- a.go\npackage m\n\nimport \"x/y\"\n\nfunc f() {\n\tb := y.New()\n\t<caret>b.Go()\n}\n",
        "b.Go()",
        "type of `b` is not known",
    );
}

#[test]
fn an_argument_stays_out_of_texts_that_could_not_hold_it() {
    refuses_to_inline(
        "//- a.php\n<?php\nfunction g<caret>o($x) { return \"v=$x\"; }\n\nfunction f($a) {\n    return fn() => go($a + 1);\n}\n",
        "takes a name only",
    );
    refuses_to_inline(
        "//- a.kt\nfun g<caret>o(x: String) = \"v=$x\"\n\nfun f() = go(\"a\")\n",
        "cannot stand inside of a text",
    );
}

#[test]
fn a_kotlin_variable_stays_of_which_a_test_tells_more() {
    let source = |value: &str, body: &str| {
        format!(
            "//- a.kt\nfun f(m: Map<String, String>, k: String?): Int {{\n    val x<caret> = {value}\n    {body}\n}}\n"
        )
    };
    for test in [
        "if (x != null) return x.length",
        "x?.trim(); return x!!.length",
        "when (x) { is String -> return x.length }",
    ] {
        refuses_to_inline(&source("m[k]", &format!("{test}\n    return 0")), "would not narrow its value");
    }
    inlines(
        &source("k", "return if (x != null) x.length else 0"),
        "fun f(m: Map<String, String>, k: String?): Int {\n    return if (k != null) k.length else 0\n}\n",
    );
}

#[test]
fn a_kotlin_function_gives_way_with_its_object() {
    let go = |declared: &str, call: &str| {
        inline(&format!(
            "//- a.kt\nclass A(val n: Int) {{\n    fun add(x: Int) = n + x\n{declared}\n}}\n\nfun make() = A(1)\n\nfun use(a: A, all: List<A>, s: String?): Any? {{\n    return {call}\n}}\n"
        ))
    };
    let becomes = |declared: &str, call: &str, wanted: &str| {
        let outcome = go(declared, call);
        let text = only_text(&outcome);
        assert!(text.contains(&format!("    return {wanted}\n")), "{text}");
    };
    becomes("    fun go<caret>(x: Int) = n + add(x)", "a.go(2)", "a.n + a.add(2)");
    becomes("    fun go<caret>(x: Int) = this.n * x", "all[0].go(2)", "all[0].n * 2");
    becomes(
        "    fun go<caret>(x: Int) = x.toString().run { this }",
        "a.go(2)",
        "(2).toString().run { this }",
    );
    becomes("    @Suppress(\"unused\") fun go<caret>() = n", "a.go()", "a.n");
    becomes("}\nfun A.go<caret>(x: Int) = n + this.add(x)\nclass C {", "a.go(2)", "a.n + a.add(2)");
    becomes("}\nfun String?.go<caret>(x: Int) = plus(x)\nclass C {", "s.go(2)", "s.plus(2)");
    becomes("}\nfun go<caret>(x: Int) = \"v=$x\"\nclass C {", "go(2 + 3)", "\"v=${2 + 3}\"");
    let refuses = |declared: &str, call: &str, why: &str| {
        let outcome = go(declared, call);
        let reason = reason(&outcome);
        assert!(reason.contains(why), "{declared}: {reason}");
    };
    refuses(
        "    fun go<caret>(x: Int) = n + x",
        "all.firstOrNull()?.go(2)",
        "only where its object is there",
    );
    becomes("    fun go<caret>(x: Int) = n + add(x)", "make().go(2)", "a1.n + a1.add(2)");
    refuses("    fun go<caret>(x: Int) = n + add(x)", "a.n + make().go(2)", "made more often");
    refuses("    fun go<caret>(x: Int) = \"$n\"", "a.go(2)", "without naming it");
    refuses("    fun go<caret>(x: Int) = with(\"\") { length + n }", "a.go(2)", "without naming it");
}

#[test]
fn nothing_takes_the_place_of_code_whose_text_is_shown() {
    let shown = "def f(price):\n    q<caret>ty = 2\n    return f\"{qty = } {price * qty}\"\n";
    refuses_to_inline(&format!("//- a.py\n{shown}"), "its own text is part of the value");
    let called = "def t<caret>wo():\n    return 2\n\nprint(f\"{two()=}\")\n";
    refuses_to_inline(&format!("//- a.py\n{called}"), "its own text is part of the value");
    refuses_to_extract("//- a.py\ndef f(a):\n    return f\"{<caret>a + 1 = }\"\n", "a + 1", "its own text");
}

#[test]
fn quotes_do_not_end_the_text_that_they_come_into() {
    let quotes = "def v<caret>ersion():\n    return \"v1\"\n\nprint(f\"{version()}\")\n";
    refuses_to_inline(&format!("//- a.py\n{quotes}"), "cannot stand inside of a text");
    let outcome =
        inline("//- a.ts\nfunction v<caret>ersion() { return \"v1\"; }\nconsole.log(`${version()}`);\n");
    assert_eq!(only_text(&outcome), "console.log(`${\"v1\"}`);\n");
}

#[test]
fn a_value_whose_type_is_told_apart_keeps_the_type_of_the_parameter() {
    let types = "sealed interface Shape permits Circle, Rect {}\nrecord Circle(double r) implements Shape {}\nrecord Rect(double w) implements Shape {}\n";
    let area = "static double ar<caret>ea(Shape s) { return switch (s) { case Circle c -> c.r(); case Rect r -> r.w(); }; }";
    let source = format!(
        "//- Main.java\n{types}class Main {{\n    {area}\n\n    double f() {{\n        return area(new Circle(1));\n    }}\n}}\n"
    );
    let outcome = inline(&source);
    let text = only_text(&outcome);
    assert!(text.contains("Shape s = new Circle(1);\n        return switch (s) {"), "{text}");
}

#[test]
fn the_first_source_of_a_comprehension_is_evaluated_once() {
    extracts(
        "//- a.py\ndef f(base):\n    sq = [base * n for n in <caret>range(3) if n % 2]\n    return sq\n",
        "range(3)",
        "numbers",
        "def f(base):\n    numbers = range(3)\n    sq = [base * n for n in numbers if n % 2]\n    return sq\n",
    );
    refuses_to_extract(
        "//- a.py\ndef f(a):\n    return [n for m in a for n in <caret>list(a)]\n",
        "list(a)",
        "evaluated again",
    );
}

/// A child of an element is text unless it stands in braces.
#[test]
fn children_of_elements_are_named_in_braces() {
    let source = "//- a.tsx\nfunction App({ label }: { label: string }) {\n  return <Card>\n    <caret><Badge text={label} />\n  </Card>;\n}\n";
    extracts(
        source,
        "<Badge text={label} />",
        "badge",
        "function App({ label }: { label: string }) {\n  const badge = <Badge text={label} />;\n  return <Card>\n    {badge}\n  </Card>;\n}\n",
    );
    becomes_method(
        source,
        "<Badge text={label} />",
        "function App({ label }: { label: string }) {\n  const part = () => {\n    return <Badge text={label} />;\n  };\n  return <Card>\n    {part()}\n  </Card>;\n}\n",
    );
    extracts(
        "//- a.jsx\nfunction App({ label }) {\n  return <><caret><b>{label}</b></>;\n}\n",
        "<b>{label}</b>",
        "bold",
        "function App({ label }) {\n  const bold = <b>{label}</b>;\n  return <>{bold}</>;\n}\n",
    );
}
