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

#[test]
fn a_call_does_not_move_before_another() {
    let why = "runs before it";
    for (path, code, value) in [
        ("a.py", "def g(): print(1)\n\ndef f(h):\n    print(g(), <caret>h(3))\n", "h(3)"),
        ("a.py", "def f(stack):\n    print(stack.pop(), <caret>stack[-1])\n", "stack[-1]"),
        ("a.py", "def f(stack, g):\n    print(stack.pop(), <caret>[*stack])\n", "[*stack]"),
        ("a.py", "def f(it):\n    print(next(it), <caret>f\"{it}\")\n", "f\"{it}\""),
        ("a.js", "function f(g, xs) { console.log(g(), <caret>[...xs]); }\n", "[...xs]"),
        ("a.js", "function f(q) { console.log(q.shift(), <caret>q.size); }\n", "q.size"),
        ("a.ts", "export function f(g: () => number) { return [g(), <caret>g()]; }\n", "g()"),
        (
            "A.java",
            "class A { int n() { return n = 3; } int n; void f() { g(n(), <caret>n() + 1); } void g(int a, int b) {} }\n",
            "n() + 1",
        ),
        (
            "A.java",
            "class A { void f(java.util.Iterator<int[]> i, int[] a) { g(i.next()[0], <caret>a[0]); } void g(int a, int b) {} }\n",
            "a[0]",
        ),
        (
            "a.kt",
            "class A { var n = 0\n    fun up() = n++\n    fun f() {\n        print(\"${up()} ${<caret>n + 1}\")\n    }\n}\n",
            "n + 1",
        ),
        (
            "a.go",
            "package a\n\nfunc up(n *int) int { *n++; return *n }\n\nfunc f() (int, int) {\n\tn := 0\n\treturn up(&n), <caret>n + 1\n}\n",
            "n + 1",
        ),
        (
            "a.php",
            "<?php\nfunction f(array $a) {\n    return g(array_pop($a), <caret>count($a));\n}\nfunction g($x, $y) { echo $x; }\n",
            "count($a)",
        ),
        (
            "src/lib.rs",
            "fn up(n: &mut i32) -> i32 { *n += 1; *n }\npub fn f() -> (i32, i32) {\n    let mut n = 0;\n    (up(&mut n), <caret>n + 1)\n}\n",
            "n + 1",
        ),
        (
            "a.ts",
            "export function f() {\n  let n = 0;\n  const up = () => { n = 5; return n; };\n  return [up(), <caret>n + 1];\n}\n",
            "n + 1",
        ),
    ] {
        refuses_to_extract(&format!("//- {path}\n{code}"), value, why);
    }
}

#[test]
fn a_value_moves_before_calls_that_leave_it_alone() {
    extracts(
        "//- a.py\ndef double(n: int) -> int:\n    return n * 2\n\ndef f(h):\n    print(double(1), <caret>h(3))\n",
        "h(3)",
        "value",
        "def double(n: int) -> int:\n    return n * 2\n\ndef f(h):\n    value = h(3)\n    print(double(1), value)\n",
    );
    extracts(
        "//- a.js\nfunction f(g, o, n) { g(o.a(), <caret>n + 1); }\n",
        "n + 1",
        "value",
        "function f(g, o, n) { const value = n + 1; g(o.a(), value); }\n",
    );
    extracts(
        "//- A.java\nclass A {\n  int g() { System.out.println(); return 1; }\n  int f(int n) {\n    return g() - <caret>n * 2;\n  }\n}\n",
        "n * 2",
        "value",
        "class A {\n  int g() { System.out.println(); return 1; }\n  int f(int n) {\n    int value = n * 2;\n    return g() - value;\n  }\n}\n",
    );
    extracts(
        "//- a.go\npackage a\n\nfunc say() int { println(1); return 1 }\n\nfunc f(n int) (int, int) {\n\treturn say(), <caret>n + 1\n}\n",
        "n + 1",
        "value",
        "package a\n\nfunc say() int { println(1); return 1 }\n\nfunc f(n int) (int, int) {\n\tvalue := n + 1\n\treturn say(), value\n}\n",
    );
}

#[test]
fn a_call_says_type_arguments_that_its_arguments_do_not_tell() {
    let outcome = extract_method(
        "//- a.go\npackage a\n\ntype Store[K comparable, V any] struct{ data map[K]V }\n\nfunc New[K comparable, V any]() *Store[K, V] {\n\t<caret>s := &Store[K, V]{data: map[K]V{}}\n\treturn s\n}\n",
        "s := &Store[K, V]{data: map[K]V{}}",
    );
    let text = only_text(&outcome);
    assert!(
        text.contains("s := part[K, V]()")
            && text.contains("func part[K comparable, V any]() *Store[K, V] {"),
        "{text}"
    );
    let outcome = extract_method(
        "//- a.go\npackage a\n\nfunc Keep[T any](x T) T {\n\t<caret>y := x\n\treturn y\n}\n",
        "y := x",
    );
    assert!(only_text(&outcome).contains("y := part(x)"), "{outcome:?}");
    let outcome = extract_method(
        "//- a.go\npackage a\n\ntype Store[K comparable, V any] struct{ data map[K]V }\n\nfunc (s *Store[K, V]) Reset() {\n\t<caret>data := map[K]V{}\n\ts.data = data\n}\n",
        "data := map[K]V{}",
    );
    let text = only_text(&outcome);
    assert!(
        text.contains("data := s.part()") && text.contains("func (s *Store[K, V]) part() map[K]V {"),
        "{text}"
    );
    let outcome = extract_method(
        "//- a.kt\nfun <T> make(): List<T> {\n    val all = <caret>ArrayList<T>()\n    return all\n}\n",
        "ArrayList<T>()",
    );
    assert!(only_text(&outcome).contains("val all = part<T>()"), "{outcome:?}");
}

#[test]
fn a_part_that_relies_on_a_test_of_a_variable_stays() {
    let refuses = |path: &str, code: &str, select: &str, why: &str| {
        let outcome = extract_method(&format!("//- {path}\n{code}"), select);
        assert!(reason(&outcome).contains(why), "{}", reason(&outcome));
    };
    let why = "relies on a test before it";
    let u = "type U = { k: \"a\"; v: number } | { k: \"b\"; s: string };\n";
    let body = "    const w = u.v * 2;\n    return w;\n";
    let part = body.trim();
    refuses(
        "a.ts",
        &format!(
            "{u}function f(u: U): number {{\n  if (u.k === \"a\") {{\n    <caret>{part}\n  }}\n  return 0;\n}}\n"
        ),
        part,
        why,
    );
    refuses(
        "a.ts",
        &format!(
            "{u}function f(u: U): number {{\n  if (u.k !== \"a\") return 0;\n  <caret>return u.v;\n}}\n"
        ),
        "return u.v;",
        why,
    );
    refuses(
        "a.ts",
        "class A { a = 1; }\nclass B extends A { b = 2; }\nfunction f(x: A): number {\n  if (x instanceof B) {\n    <caret>return x.b;\n  }\n  return 0;\n}\n",
        "return x.b;",
        why,
    );
    refuses(
        "a.kt",
        "open class A\nclass B : A() { val b = 2 }\nfun f(x: A): Int {\n    if (x is B) {\n        <caret>return x.b\n    }\n    return 0\n}\n",
        "return x.b",
        "may depend on an earlier test",
    );
}

#[test]
fn a_part_that_needs_nothing_of_a_test_goes() {
    let u = "type U = { k: \"a\"; v: number } | { k: \"b\"; s: string };\n";
    let outcome = extract_method(
        &format!(
            "//- a.ts\n{u}function f(u: U, n: number): string {{\n  if (u.k === \"a\") {{\n    return \"\";\n  }}\n  <caret>const w = n * 2;\n  return u.s + w;\n}}\n"
        ),
        "const w = n * 2;",
    );
    assert!(only_text(&outcome).contains("const w = part(n);"), "{outcome:?}");
    let outcome = extract_method(
        "//- a.ts\nclass A { n = 1; }\nfunction f(x: A): number {\n  if (x.n === 1) {\n    <caret>console.log(x);\n  }\n  return 0;\n}\n",
        "console.log(x);",
    );
    assert!(only_text(&outcome).contains("part(x);"), "{outcome:?}");
    let outcome = extract_method(
        "//- a.kt\nfun f(x: Int): Int {\n    when (x) {\n        1 -> return 0\n    }\n    val y = <caret>x + 1\n    return y\n}\n",
        "x + 1",
    );
    assert!(only_text(&outcome).contains("part(x)"), "{outcome:?}");
}
