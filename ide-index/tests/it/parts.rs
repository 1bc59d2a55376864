//! Parts of functions that become functions, where more than their text decides what they do.

use crate::inside::{extract, inline, method, only_text, reason};

#[track_caller]
fn becomes(source: &str, select: &str, wanted: &str) {
    assert_eq!(only_text(&method(source, select)), wanted);
}

#[track_caller]
fn refuses(source: &str, select: &str, why: &str) {
    let outcome = method(source, select);
    let reason = reason(&outcome);
    assert!(reason.contains(why), "{source}\n{reason}");
}

#[test]
fn default_values_run_where_their_function_is_made() {
    let why = "not part of a function";
    refuses("//- a.py\ndef f(a=<caret>1 + 2):\n    return a\n", "1 + 2", why);
    refuses("//- a.py\nclass A:\n    def f(self, a=<caret>1):\n        return a\n", "1", why);
    becomes(
        "//- a.py\ndef f(n):\n    def g(a=<caret>n + 2):\n        return a\n    return g\n",
        "n + 2",
        "def f(n):\n    def g(a=part(n)):\n        return a\n    return g\n\n\ndef part(n):\n    return n + 2\n",
    );
}

#[test]
fn constants_stay_where_the_compiler_reads_them() {
    let why = "must be a constant";
    refuses("//- a.php\n<?php\nfunction f($a = <caret>1 + 2) { return $a; }\n", "1 + 2", why);
    refuses(
        "//- A.java\nclass A { int f(int a) { switch (a) { case <caret>1: return 2; default: return 3; } } }\n",
        "1",
        why,
    );
    refuses("//- a.py\ndef f(a):\n    match a:\n        case <caret>1:\n            return 2\n", "1", why);
    refuses("//- a.py\ndef f(a):\n    return f\"{<caret>a + 1 = }\"\n", "a + 1", "its own text");
    becomes(
        "//- a.js\nfunction f(a = <caret>1 + 2) {\n  return a;\n}\n",
        "1 + 2",
        "function f(a = part()) {\n  return a;\n}\n\nfunction part() {\n  return 1 + 2;\n}\n",
    );
}

#[test]
fn an_object_is_not_there_before_its_constructor_ran() {
    becomes(
        "//- A.java\nclass A {\n  A() { this(<caret>1 + 2); }\n  A(int n) {}\n}\n",
        "1 + 2",
        "class A {\n  A() { this(part()); }\n\n  private static int part() {\n    return 1 + 2;\n  }\n  A(int n) {}\n}\n",
    );
    becomes(
        "//- a.js\nclass A { constructor(n) {} }\nclass B extends A {\n  constructor(n) {\n    super(<caret>n + 1);\n  }\n}\n",
        "n + 1",
        "class A { constructor(n) {} }\nclass B extends A {\n  constructor(n) {\n    const part = () => {\n      return n + 1;\n    };\n    super(part());\n  }\n}\n",
    );
    let why = "no object yet";
    refuses(
        "//- a.kt\nclass A(val a: Int, val b: Int) {\n    constructor(n: Int) : this(<caret>n + 1, 2)\n}\n",
        "n + 1",
        why,
    );
    becomes(
        "//- a.js\nclass A { constructor(n) {} }\nclass B extends A {\n  constructor(n) {\n    super(n);\n    this.n = <caret>n + 1;\n  }\n}\n",
        "n + 1",
        "class A { constructor(n) {} }\nclass B extends A {\n  constructor(n) {\n    super(n);\n    this.n = this.part(n);\n  }\n\n  part(n) {\n    return n + 1;\n  }\n}\n",
    );
}

#[test]
fn loops_and_blocks_that_wait_make_a_function_that_waits() {
    becomes(
        "//- a.py\nasync def f(g):\n    <caret>async with g as n:\n        print(n)\n    return 1\n",
        "async with g as n:\n        print(n)",
        "async def f(g):\n    await part(g)\n    return 1\n\n\nasync def part(g):\n    async with g as n:\n        print(n)\n",
    );
    becomes(
        "//- a.js\nasync function f(g) {\n  <caret>for await (const n of g) {\n    h(n);\n  }\n  return 1;\n}\n",
        "for await (const n of g) {\n    h(n);\n  }",
        "async function f(g) {\n  await part(g);\n  return 1;\n}\n\nasync function part(g) {\n  for await (const n of g) {\n    h(n);\n  }\n}\n",
    );
}

#[test]
fn a_variable_that_a_closure_writes_is_not_handed_over_before_it_runs() {
    let why = "may run here before it is read";
    let python =
        "def f():\n    count = 0\n    def bump():\n        nonlocal count\n        count += 1\n    bump()\n";
    refuses(
        &format!("//- a.py\n{python}    <caret>bump()\n    print(count)\n    return 1\n"),
        "bump()\n    print(count)",
        why,
    );
    refuses(
        "//- a.js\nfunction f() {\n  let count = 0;\n  const bump = () => { count++; };\n  <caret>bump();\n  g(count);\n  return 1;\n}\n",
        "bump();\n  g(count);",
        why,
    );
    refuses(
        "//- go.mod\nmodule m\n//- a.go\npackage m\n\nfunc f() int {\n\tcount := 0\n\tbump := func() { count++ }\n\t<caret>bump()\n\tprintln(count)\n\treturn 1\n}\n",
        "bump()\n\tprintln(count)",
        why,
    );
    becomes(
        &format!("//- a.py\n{python}    <caret>print(count)\n    return 1\n"),
        "print(count)",
        &format!("{python}    part(count)\n    return 1\n\n\ndef part(count):\n    print(count)\n"),
    );
}

#[test]
fn references_of_php_stay_with_what_they_refer_to() {
    let why = "is a reference to a variable";
    refuses(
        "//- a.php\n<?php\nfunction f(array &$a): void\n{\n    <caret>$a = [1];\n    echo 1;\n}\n",
        "$a = [1];",
        why,
    );
    let made = "<?php\nfunction f(): int\n{\n    $a = 1;\n";
    refuses(
        &format!("//- a.php\n{made}    <caret>$b = &$a;\n    $b++;\n    return $a;\n}}\n"),
        "$b = &$a;\n    $b++;",
        why,
    );
    refuses(&format!("//- a.php\n{made}    $b = &$a;\n    <caret>$b++;\n    return $a;\n}}\n"), "$b++;", why);
    becomes(
        &format!("//- a.php\n{made}    $b = &$a;\n    <caret>echo $b;\n    return $a;\n}}\n"),
        "echo $b;",
        &format!(
            "{made}    $b = &$a;\n    part($b);\n    return $a;\n}}\n\nfunction part($b) {{\n    echo $b;\n}}\n"
        ),
    );
}

#[test]
fn brackets_that_a_statement_asks_for_stay() {
    becomes(
        "//- a.js\nfunction f(a) {\n  if <caret>(a > 1) return 2;\n  return 3;\n}\n",
        "(a > 1)",
        "function f(a) {\n  if (part(a)) return 2;\n  return 3;\n}\n\nfunction part(a) {\n  return a > 1;\n}\n",
    );
    becomes(
        "//- A.java\nclass A {\n  int f(int a) {\n    return<caret>(a + 1);\n  }\n}\n",
        "(a + 1)",
        "class A {\n  int f(int a) {\n    return(part(a));\n  }\n\n  private int part(int a) {\n    return a + 1;\n  }\n}\n",
    );
    let outcome = extract("//- a.js\nfunction f(a) {\n  return<caret>(a + 1);\n}\n", "(a + 1)", "b", false);
    assert_eq!(only_text(&outcome), "function f(a) {\n  const b = a + 1;\n  return(b);\n}\n");
}

#[test]
fn the_class_of_an_object_may_be_one_below_its_type() {
    let outcome = extract(
        "//- java/lang/Class.java\npackage java.lang;\npublic class Class<T> { public String getName() { return null; } }\n\
         //- java/lang/Object.java\npackage java.lang;\npublic class Object { public final native Class<A> getClass(); }\n\
         //- A.java\nclass A {\n  String f() {\n    return <caret>getClass().getName();\n  }\n}\n",
        "getClass()",
        "of",
        false,
    );
    assert_eq!(
        only_text(&outcome),
        "class A {\n  String f() {\n    Class<? extends A> of = getClass();\n    return of.getName();\n  }\n}\n"
    );
}

#[test]
fn what_may_be_looked_at_otherwise_is_not_inlined() {
    let reason_of = |source: &str| reason(&inline(source)).to_owned();
    let object = "//- a.js\nconst o = { a: 1, m<caret>() { return this.a; }, b: 2 };\nconsole.log(o.m());\n";
    assert!(reason_of(object).contains("part of an object"), "{}", reason_of(object));
    let script = "//- a.php\n<?php\n$q<caret> = 5;\nf($q);\n";
    assert!(reason_of(script).contains("variable of a script"), "{}", reason_of(script));
    let dunder = "//- a.py\n__version__<caret> = 1\nprint(__version__)\n";
    assert!(reason_of(dunder).contains("of this form"), "{}", reason_of(dunder));
}

#[test]
fn what_constructors_write_to_their_class_is_written_again() {
    let why = "may write `made`";
    let reason_of = |source: &str| reason(&extract(source, "A.made", "n", false)).to_owned();
    let js = "//- a.js\nclass A {\n  static made = 0;\n  constructor() { A.made++; }\n}\nfunction f() {\n  g(new A(), <caret>A.made);\n}\n";
    assert!(reason_of(js).contains(why), "{}", reason_of(js));
    let java = "//- A.java\nclass A {\n  static int made;\n  A() { made++; }\n  void f() { g(new A(), <caret>A.made); }\n  void g(A a, int n) {}\n}\n";
    assert!(reason_of(java).contains(why), "{}", reason_of(java));
    let python = "//- a.py\nclass A:\n    made = 0\n    def __init__(self):\n        A.made += 1\n\ndef f():\n    g(A(), <caret>A.made)\n";
    assert!(reason_of(python).contains(why), "{}", reason_of(python));
    let own = "class A:\n    def __init__(self):\n        self.made = 1\n\ndef f(a):\n    g(A(), a.made)\n";
    let source = format!("//- a.py\n{}", own.replace("a.made", "<caret>a.made"));
    let outcome = extract(&source, "a.made", "n", false);
    assert!(outcome.refactored.conflicts.is_empty(), "{:#?}", outcome.refactored.conflicts);
}

#[test]
fn a_text_that_typeof_is_compared_with_stays() {
    let source = |ending: &str| {
        format!(
            "//- a.{ending}\nfunction f(a) {{\n  if (typeof a === <caret>\"string\") return a.length;\n  return 0;\n}}\n"
        )
    };
    let outcome = extract(&source("ts"), "\"string\"", "b", false);
    assert!(reason(&outcome).contains("`typeof`"), "{}", reason(&outcome));
    let outcome = extract(&source("js"), "\"string\"", "b", false);
    assert!(outcome.refactored.conflicts.is_empty(), "{:#?}", outcome.refactored.conflicts);
}

#[test]
fn the_call_of_another_constructor_gets_no_name() {
    let outcome = extract(
        "//- a.js\nclass A {}\nclass B extends A { constructor() { <caret>super(); } }\n",
        "super()",
        "b",
        false,
    );
    assert!(reason(&outcome).contains("statement of its own"), "{}", reason(&outcome));
}

#[test]
fn a_field_of_rust_is_not_moved_out_of_its_place() {
    let source = |ty: &str, value: &str| {
        format!(
            "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\npub struct S {{ n: {ty} }}\nimpl S {{\n    pub fn f(&self) -> usize {{\n        g({value})\n    }}\n}}\nfn g<T>(_: T) -> usize {{ 1 }}\n"
        )
    };
    refuses(&source("Vec<u8>", "&<caret>self.n"), "self.n", "out of its place");
    let outcome = method(&source("u32", "<caret>self.n"), "self.n");
    assert!(outcome.refactored.conflicts.is_empty(), "{:#?}", outcome.refactored.conflicts);
}

#[test]
fn numbers_of_rust_have_the_types_of_their_places() {
    let source = "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\npub fn f(a: u8, b: u64) -> bool {\n    g(a == <caret>2, b == 2)\n}\nfn g(a: bool, b: bool) -> bool { a && b }\n";
    let outcome = extract(source, "2", "n", true);
    assert!(reason(&outcome).contains("from its place"), "{}", reason(&outcome));
    let outcome = extract(source, "2", "n", false);
    assert!(outcome.refactored.conflicts.is_empty(), "{:#?}", outcome.refactored.conflicts);
}

#[test]
fn a_value_of_go_that_says_whether_it_is_there_stays() {
    let why = "gives two values";
    let source = |body: &str| {
        format!(
            "//- go.mod\nmodule m\n//- a.go\npackage m\n\nfunc f(x any, m map[string]int) int {{\n\t{body}\n\treturn 1\n}}\n"
        )
    };
    let two = source("if v, ok := <caret>x.(int); ok {\n\t\treturn v\n\t}");
    refuses(&two, "x.(int)", why);
    let outcome = extract(&two, "x.(int)", "n", false);
    assert!(reason(&outcome).contains(why), "{}", reason(&outcome));
    refuses(&source("v, ok := <caret>m[\"a\"]\n\tprintln(v, ok)"), "m[\"a\"]", why);
    let one = method(&source("v := <caret>m[\"a\"]\n\tprintln(v)"), "m[\"a\"]");
    assert!(one.refactored.conflicts.is_empty(), "{:#?}", one.refactored.conflicts);
}

#[test]
fn documentation_stays() {
    let why = "the documentation of";
    refuses("//- a.py\ndef f():\n    <caret>\"text\"\n    return 1\n", "\"text\"", why);
    let outcome = extract("//- a.py\n<caret>\"text\"\nprint(1)\n", "\"text\"", "b", false);
    assert!(reason(&outcome).contains(why), "{}", reason(&outcome));
}
