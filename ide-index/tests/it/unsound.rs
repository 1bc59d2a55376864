//! Changes that would leave code with another meaning, each beside one of its kind that is sound.

use ide_model::NewParameter;

use crate::inside::{extract, extracts, inline, method, only_text, reason, refuses_to_extract};
use crate::refactor::{Outcome, delete, refuses, renames};
use crate::relocate::moves;
use crate::signatures::{added, parameter, parameters, signature};

#[track_caller]
fn is_refused(outcome: &Outcome, why: &str) {
    let reason = reason(outcome);
    assert!(reason.contains(why), "{reason}");
}

#[track_caller]
fn is_allowed(outcome: &Outcome) {
    assert_eq!(outcome.refactored.conflicts, [], "{:#?}", outcome.changed);
}

#[test]
fn a_label_goes_without_its_statement() {
    for (file, used, free, left) in [
        (
            "A.java",
            "class A {\n  void f(int[] g) {\n    se<caret>arch:\n    for (int c : g) { if (c < 0) continue search; }\n  }\n}\n",
            "class A {\n  void f(int[] g) {\n    se<caret>arch:\n    for (int c : g) { if (c < 0) continue; }\n  }\n}\n",
            "class A {\n  void f(int[] g) {\n    for (int c : g) { if (c < 0) continue; }\n  }\n}\n",
        ),
        (
            "a.js",
            "export function f(g) {\n  se<caret>arch: for (const c of g) { if (c) break search; }\n}\n",
            "export function f(g) {\n  se<caret>arch: for (const c of g) { if (c) break; }\n}\n",
            "export function f(g) {\n  for (const c of g) { if (c) break; }\n}\n",
        ),
        (
            "a.kt",
            "fun f(g: List<Int>) {\n    se<caret>arch@ for (c in g) { if (c < 0) continue@search }\n}\n",
            "fun f(g: List<Int>) {\n    se<caret>arch@ for (c in g) { if (c < 0) continue }\n}\n",
            "fun f(g: List<Int>) {\n    for (c in g) { if (c < 0) continue }\n}\n",
        ),
        (
            "a.rs",
            "fn f(g: &[i32]) {\n    'se<caret>arch: for c in g { if *c < 0 { continue 'search; } }\n}\n",
            "fn f(g: &[i32]) {\n    'se<caret>arch: for c in g { if *c < 0 { continue; } }\n}\n",
            "fn f(g: &[i32]) {\n    for c in g { if *c < 0 { continue; } }\n}\n",
        ),
        (
            "a.go",
            "package a\n\nfunc f(g []int) {\nse<caret>arch:\n\tfor range g {\n\t\tcontinue search\n\t}\n}\n",
            "package a\n\nfunc f(g []int) {\nse<caret>arch:\n\tfor range g {\n\t\tcontinue\n\t}\n}\n",
            "package a\n\nfunc f(g []int) {\n\tfor range g {\n\t\tcontinue\n\t}\n}\n",
        ),
    ] {
        let outcome = delete(&format!("//- {file}\n{used}"));
        assert_eq!(outcome.conflicts, ["in_use"], "{file} {:#?}", outcome.refactored.conflicts);
        let outcome = delete(&format!("//- {file}\n{free}"));
        assert_eq!(only_text(&outcome), left, "{file}");
    }
}

#[test]
fn a_constructor_is_called_without_its_name() {
    let with = |rest: &str| format!("//- A.java\nclass A {{\n  A<caret>(int x) {{}}\n  A() {{}}\n{rest}");
    let is_used = |source: &str| {
        let outcome = delete(source);
        assert!(outcome.conflicts.contains(&"in_use"), "{source} {:#?}", outcome.changed);
    };
    is_used(&with("}\nclass B extends A { B() { super(1); } }\n"));
    is_used(&with("  A(String s, int y) { this(1); }\n}\n"));
    is_allowed(&delete(&with("}\nclass B extends A { B() { super(); } }\n")));
    is_used("//- E.java\nenum E {\n  A(1), B(2);\n  E<caret>(int x) {}\n}\n");
    is_used(
        "//- a.kt\nopen class A {\n    constr<caret>uctor(x: Int) {}\n    constructor() {}\n}\nclass B : A {\n    constructor() : super(1)\n}\n",
    );
}

#[test]
fn only_whole_statements_become_a_method() {
    let cases = "//- a.ts\nexport function f(k: string): number {\n  switch (k) {\n    <caret>case \"a\": return k.length;\n    case \"b\": return 2;\n  }\n  return 0;\n}\n";
    is_refused(&method(cases, "case \"a\": return k.length;"), "cuts through");
    let inner = cases.replace("<caret>case \"a\": ", "case \"a\": <caret>");
    is_allowed(&method(&inner, "return k.length;"));
    let brace = "//- a.ts\nclass A {\n  f(g: number[]) {\n    <caret>for (const c of g) { this.h(c); }\n  }\n\n  *[Symbol.iterator]() { yield 1; }\n\n  h(c: number) {}\n}\n";
    let whole = "for (const c of g) { this.h(c); }";
    is_refused(&method(brace, &format!("{whole}\n  }}")), "cuts through");
    is_allowed(&method(brace, whole));
    is_allowed(&method(&brace.replace("(c); }\n", "(c); } // all\n"), &format!("{whole} // all")));
}

#[test]
fn words_that_mean_their_function_stay_in_it() {
    let go = |body: &str| {
        format!(
            "//- go.mod\nmodule m\n//- a.go\npackage a\n\nfunc g(any) {{}}\n\nfunc f() {{\n\tdefer func() {{\n\t\t<caret>{body}\n\t}}()\n}}\n"
        )
    };
    let recovers = "if r := recover(); r != nil {\n\t\t\tg(r)\n\t\t}";
    is_refused(&method(&go(recovers), recovers), "means the function");
    is_allowed(&method(&go("g(1)"), "g(1)"));
    let js =
        |body: &str| format!("//- a.js\nfunction g(x) {{}}\nexport function f(a) {{\n  <caret>{body}\n}}\n");
    for body in ["g(arguments.length);", "g(new.target);", "g(() => arguments[0]);"] {
        is_refused(&method(&js(body), body), "means the function");
    }
    for body in ["g(a.arguments);", "g(function () { return arguments[0]; });"] {
        is_allowed(&method(&js(body), body));
    }
    let php = |body: &str| {
        format!("//- a.php\n<?php\nfunction g($x) {{}}\nfunction f($a) {{\n  <caret>{body}\n}}\n")
    };
    for body in ["g(func_get_args());", "g(compact('a'));", "g($$a);"] {
        is_refused(&method(&php(body), body), "means the function");
    }
    is_allowed(&method(&php("g($a);"), "g($a);"));
    let py = |body: &str| format!("//- a.py\ndef g(x): ...\n\n\ndef f(a):\n    <caret>{body}\n    g(2)\n");
    is_refused(&method(&py("g(locals())"), "g(locals())"), "means the function");
    is_allowed(&method(&py("g(vars(a))"), "g(vars(a))"));
    let inlined = "//- a.js\nfunction first<caret>(a) { return arguments[0]; }\nexport const x = first(1);\n";
    is_refused(&inline(inlined), "means this function");
}

#[test]
fn super_without_arguments_takes_the_object_along() {
    let outcome = method(
        "//- a.py\nclass A:\n    def run(self): ...\n\n\nclass B(A):\n    def run(self):\n        <caret>super().run()\n        print(1)\n",
        "super().run()",
    );
    assert_eq!(
        only_text(&outcome),
        "class A:\n    def run(self): ...\n\n\nclass B(A):\n    def run(self):\n        self.part()\n        print(1)\n\n    def part(self):\n        super().run()\n"
    );
}

#[test]
fn arguments_with_effects_stay_in_order() {
    let of = |call: &str| {
        format!(
            "//- a.js\nfunction next() {{ return 1; }}\nfunction sum<caret>(a, b) {{ return a - b; }}\nsum({call});\n"
        )
    };
    let reversed = parameters(&[parameter("b"), parameter("a")]);
    let outcome = signature(&of("next(), next()"), &reversed);
    assert_eq!(outcome.conflicts, ["unresolved_use"]);
    is_refused(&outcome, "in another order");
    is_allowed(&signature(&of("next(), 2"), &reversed));
}

#[test]
fn a_variable_of_php_is_written_through_a_reference() {
    let of = |call: &str| {
        format!(
            "//- a.php\n<?php\nfunction order(array &$x) {{}}\nfunction show(array $x) {{}}\nclass A {{\n  public $items;\n  function f() {{\n    $copy<caret> = $this->items;\n    {call};\n    return $copy;\n  }}\n}}\n"
        )
    };
    is_refused(&inline(&of("order($copy)")), "written more than once");
    is_allowed(&inline(&of("show($copy)")));
    let outcome = method(
        "//- a.php\n<?php\nfunction order(array &$x) {}\nfunction f($a) {\n  <caret>order($a);\n  return $a;\n}\n",
        "order($a);",
    );
    assert_eq!(
        only_text(&outcome),
        "<?php\nfunction order(array &$x) {}\nfunction f($a) {\n  $a = part($a);\n  return $a;\n}\n\nfunction part($a) {\n  order($a);\n  return $a;\n}\n"
    );
}

#[test]
fn constructors_of_php_are_called_by_attributes_and_nameless_classes() {
    let change = parameters(&[NewParameter { ..added("first", "int", "", "1") }, parameter("path")]);
    let route = "//- a.php\n<?php\n#[Attribute]\nclass Route { public function __construct<caret>(string $path) {} }\n";
    let outcome = signature(&format!("{route}#[Route('/a')]\nclass C {{}}\n"), &change);
    assert!(only_text(&outcome).contains("#[Route(1, '/a')]"), "{:?}", outcome.changed);
    is_refused(&signature(&format!("{route}#[Route]\nclass C {{}}\n"), &change), "no list of arguments");
    let outcome = signature(
        "//- a.php\n<?php\n$o = new class('x') { public function __construct<caret>(string $path) {} };\n",
        &change,
    );
    assert!(only_text(&outcome).contains("new class(1, 'x')"), "{:?}", outcome.changed);
    let outcome = signature(&format!("{route}$o = new class('x') extends Route {{}};\n"), &change);
    assert!(only_text(&outcome).contains("new class(1, 'x') extends Route"), "{:?}", outcome.changed);
}

#[test]
fn a_lambda_takes_what_the_method_of_its_interface_takes() {
    let of = |user: &str| {
        format!(
            "//- Visitor.java\ninterface Visitor<T, R> {{\n  R vis<caret>it(T leaf, int value);\n  default void none() {{}}\n}}\n//- Node.java\nclass Node<T> {{\n  <R> R accept(Visitor<T, R> v) {{ return null; }}\n  void two(java.util.function.BiFunction<Integer, Integer, Integer> f) {{}}\n}}\n//- Use.java\nclass Use {{\n  {user}\n}}\n"
        )
    };
    let reversed = parameters(&[parameter("value"), parameter("leaf")]);
    for user in [
        "String f(Node<String> n) { return n.<String>accept((leaf, value) -> leaf); }",
        "Visitor<String, String> v = (leaf, value) -> leaf;",
        "Visitor<String, String>[] f() { return new Visitor[] { (Visitor<String, String>) (leaf, value) -> leaf }; }",
    ] {
        is_refused(&signature(&of(user), &reversed), "lambda");
    }
    is_allowed(&signature(&of("void f(Node<String> n) { n.two((a, b) -> a + b); }"), &reversed));
    let kotlin = |user: &str| {
        format!(
            "//- a.kt\nfun interface Visitor {{\n    fun vis<caret>it(leaf: Int, value: Int): Int\n}}\nfun accept(v: Visitor) = v.visit(1, 2)\nfun other(f: (Int, Int) -> Int) = f(1, 2)\n{user}\n"
        )
    };
    is_refused(&signature(&kotlin("val x = accept { leaf, value -> leaf }"), &reversed), "lambda");
    is_refused(&signature(&kotlin("val x = Visitor { leaf, value -> leaf }"), &reversed), "lambda");
    is_allowed(&signature(&kotlin("val x = other { leaf, value -> leaf }"), &reversed));
}

#[test]
fn fields_of_python_that_are_given_by_their_place() {
    let of = |head: &str, rest: &str| {
        format!(
            "//- a.py\nfrom dataclasses import dataclass\nfrom typing import NamedTuple\n\n\n{head}:\n    x: int\n    unused<caret>: int = 0\n    z: int = 5\n\n\n{rest}\n"
        )
    };
    let data = "@dataclass\nclass P";
    for rest in ["print(P(1, 2, 3).z)", "print(P(1, 2))", "match a:\n    case P(b, c, d):\n        print(b)"]
    {
        let outcome = delete(&of(data, rest));
        assert!(outcome.conflicts.contains(&"in_use"), "{rest} {:?}", outcome.changed);
    }
    for rest in ["print(P(1).z)", "print(P(1, z=2))", "match a:\n    case P(b, z=c):\n        print(b)"] {
        is_allowed(&delete(&of(data, rest)));
    }
    assert_eq!(delete(&of(data, "print(P(*a))")).conflicts, ["unresolved_use"]);
    assert_eq!(delete(&of("class P(NamedTuple)", "print(P(1))")).conflicts, ["unresolved_use"]);
    is_allowed(&delete(&of("class P", "print(P(1, 2, 3))")));
}

#[test]
fn a_name_that_a_module_exports_already_is_taken() {
    let of =
        |exports: &str| format!("//- a.ts\nexport class Us<caret>er {{}}\nclass Other {{}}\n{exports}\n");
    refuses(&of("export { User as Person };"), "Person", &["collision"]);
    refuses(&of("export { Other as Person };"), "Person", &["collision"]);
    let wanted = "export class Person {}\nclass Other {}\nexport { Other as Third };\n";
    renames(&of("export { Other as Third };"), "Person", &[("a.ts", wanted)]);
}

#[test]
fn a_macro_of_rust_may_declare_a_variable() {
    let of = |behind: &str| {
        format!(
            "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\nmacro_rules! square {{\n    (@named $name:ident = $side:expr) => {{ let $name = $side; }};\n}}\npub fn f(side: f64) -> f64 {{\n    <caret>square!(@named named = side);\n    {behind}\n}}\n"
        )
    };
    let part = "square!(@named named = side);";
    is_refused(&method(&of("named * 2.0"), part), "a macro may declare `named`");
    is_allowed(&method(&of("side * 2.0"), part));
}

#[test]
fn results_that_are_read_without_a_word_come_back() {
    let go = "//- go.mod\nmodule m\n//- a.go\npackage a\n\nfunc Sum(xs []int) (total int) {\n\t<caret>for _, x := range xs {\n\t\ttotal += x\n\t}\n\treturn\n}\n";
    let outcome = method(go, "for _, x := range xs {\n\t\ttotal += x\n\t}");
    assert!(only_text(&outcome).contains("total = part(xs, total)"), "{:?}", outcome.changed);
    let part = "//- go.mod\nmodule m\n//- a.go\npackage a\n\ntype P struct{ X int }\n\nfunc Add(q P) P {\n\tvar sum P\n\t<caret>sum.X = q.X\n\treturn sum\n}\n";
    let outcome = method(part, "sum.X = q.X");
    let is_kept =
        outcome.changed.values().all(|text| text.contains("sum = part(") || text.contains("sum := part("));
    assert!(!outcome.conflicts.is_empty() || is_kept, "{:?}", outcome.changed);
    let js = "//- a.js\nexport function f(xs) {\n  let head = null, tail = null;\n  for (const x of xs) {\n    <caret>if (!head) head = tail = { x }; else tail = (tail.next = { x });\n  }\n  return head;\n}\n";
    let whole = "if (!head) head = tail = { x }; else tail = (tail.next = { x });";
    let outcome = method(js, whole);
    let returns_both = outcome.changed.values().any(|text| text.contains("[head, tail]"));
    assert!(!outcome.conflicts.is_empty() || returns_both, "{:?}", outcome.changed);
    let java = "//- A.java\nclass A {\n  int f(int[] xs) {\n    int head = 0, tail = 0;\n    for (int x : xs) {\n      <caret>if (head == 0) head = tail = x; else tail = tail + x;\n    }\n    return head;\n  }\n}\n";
    is_refused(&method(java, "if (head == 0) head = tail = x; else tail = tail + x;"), "several variables");
}

#[test]
fn a_variable_of_python_without_a_value_on_some_path_stays() {
    let of = |part: &str| format!("//- a.py\ndef f(a):\n    <caret>{part}\n    print(1)\n    return y\n");
    let some = "if a:\n        y = 1";
    is_refused(&method(&of(some), some), "on some paths only");
    for all in [
        "if a:\n        y = 1\n    else:\n        y = 2",
        "with a as b:\n        y = b",
        "if a:\n        y = 1\n    else:\n        raise ValueError",
    ] {
        is_allowed(&method(&of(all), all));
    }
}

#[test]
fn names_of_types_and_statements_get_no_variable() {
    let java = |value: &str| {
        format!(
            "//- Shape.java\npublic interface Shape {{\n  class Square {{ static Square of(int n) {{ return null; }} static int SIZE = 1; }}\n}}\n//- A.java\nclass A {{\n  void f() {{\n    Object o = {value};\n  }}\n}}\n"
        )
    };
    refuses_to_extract(&java("<caret>Shape.Square.of(3)"), "Shape.Square", "names a type");
    is_allowed(&extract(&java("g(<caret>Shape.Square.SIZE)"), "Shape.Square.SIZE", "size", false));
    let kotlin = "//- a.kt\nfun f(a: Boolean) {\n    <caret>if (a) println(1)\n}\n";
    refuses_to_extract(kotlin, "if (a) println(1)", "no value");
    let rust = "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\nfn f(a: bool) -> Option<u8> {\n    <caret>if a { None } else { Some(1) }\n}\n";
    refuses_to_extract(rust, "if a { None } else { Some(1) }", "statement of its own");
    let php = |call: &str| format!("//- a.php\n<?php\nfunction f($a, $k) {{\n  return {call};\n}}\n");
    refuses_to_extract(&php("isset(<caret>$a[$k])"), "$a[$k]", "may not be there");
    is_allowed(&extract(&php("count(<caret>$a[$k])"), "$a[$k]", "v", false));
    extracts(
        "//- A.java\nclass A {\n  String name() { return \"\"; }\n  void f(int[] a) {\n    for (int x : a) <caret>name();\n  }\n}\n",
        "name()",
        "text",
        "class A {\n  String name() { return \"\"; }\n  void f(int[] a) {\n    for (int x : a) {\n      String text = name();\n    }\n  }\n}\n",
    );
}

#[test]
fn functions_that_find_variables_by_their_names() {
    let php = |call: &str| {
        format!(
            "//- a.php\n<?php\nfunction f($v<caret>) {{ $b = 1; {call}; return $v; }}\nfunction g() {{ return get_defined_vars(); }}\n"
        )
    };
    for call in ["$c = compact('v')", "extract($b)", "get_defined_vars()", "$$b = 1", "compact($b)"] {
        refuses(&php(call), "w", &["unresolved_use"]);
    }
    let wanted = |call: &str| {
        php(call).split_once("a.php\n").unwrap_or_default().1.replace("$v<caret>", "$v").replace("$v", "$w")
    };
    for call in ["compact('b')", "count($b)"] {
        renames(&php(call), "w", &[("a.php", &wanted(call))]);
    }
    let py = "//- a.py\ndef f(val<caret>ue):\n    return \"%(value)s\" % locals()\n";
    refuses(py, "other", &["unresolved_use"]);
    renames(
        &py.replace("locals()", "value"),
        "other",
        &[("a.py", "def f(other):\n    return \"%(value)s\" % other\n")],
    );
}

#[test]
fn the_name_of_a_kotlin_class_before_a_member_of_its_companion() {
    for (companion, call) in
        [("companion object", "Us<caret>er.create()"), ("companion object Factory", "Us<caret>er.create()")]
    {
        let class = |name: &str| {
            format!("class {name}(val n: String) {{ {companion} {{ fun create() = {name}(\"x\") }} }}\n")
        };
        renames(
            &format!("//- a.kt\n{}fun f() = {call}.n\n", class("User")),
            "Person",
            &[("a.kt", &format!("{}fun f() = Person.create().n\n", class("Person")))],
        );
    }
    let said = "//- a.kt\nclass User { companion object Factory { fun create() = 1 } }\nfun f() = User.Fac<caret>tory.create()\n";
    renames(
        said,
        "Maker",
        &[(
            "a.kt",
            "class User { companion object Maker { fun create() = 1 } }\nfun f() = User.Maker.create()\n",
        )],
    );
}

#[test]
fn names_of_python_that_are_private_to_a_class() {
    let of = |name: &str| {
        format!("class A:\n    def f(self):\n        self.{name} = 3\n        return self.{name}\n")
    };
    let source = format!("//- a.py\n{}", of("__secret").replacen("__secret", "__sec<caret>ret", 1));
    renames(&source, "__hidden", &[("a.py", &of("__hidden"))]);
    refuses(&source, "hidden", &["invalid_name"]);
    refuses(&source, "__len__", &["invalid_name"]);
}

#[test]
fn a_key_may_give_an_unpacked_argument_its_parameter() {
    let of =
        |use_: &str| format!("//- a.py\ndef run(or<caret>der, size=1):\n    return order + size\n\n{use_}\n");
    for unpacked in [
        "run(**{'order': 1})",
        "given = {\"order\": 1}\nrun(**given)",
        "run(*(), **make({'order': 1}))",
        "Thread(target=run, kwargs={'order': 1})",
        "partial(run, **{'order': 1})",
    ] {
        refuses(&of(unpacked), "first", &["unresolved_use"]);
    }
    for plain in
        ["given = {'order': 1}\nrun(2)", "run(2 ** 3, {'order': 1})", "other(['order'], **{'size': run(1)})"]
    {
        let wanted = format!("def run(first, size=1):\n    return first + size\n\n{plain}\n");
        renames(&of(plain), "first", &[("a.py", &wanted)]);
    }
    let made =
        "//- a.py\nclass A:\n    def __init__(self, or<caret>der):\n        pass\n\nA(**{'order': 1})\n";
    refuses(made, "first", &["unresolved_use"]);
    let of = |use_: &str| {
        let head = "<?php\nfunction run(int $or<caret>der, int $size = 1) { return $order; }";
        format!("//- a.php\n{head}\n{use_}\n")
    };
    for unpacked in [
        "run(...['order' => 1]);",
        "run(...array('order' => 1));",
        "$given = ['order' => 1]; run(...$given);",
        "call_user_func_array('run', ['order' => 1]);",
        "call_user_func_array($any, ['size' => 1, 'order' => 1]);",
    ] {
        refuses(&of(unpacked), "first", &["unresolved_use"]);
    }
    for plain in ["$given = ['order' => 1]; run(2);", "$f = run(...); $given = ['order' => 1];"] {
        let wanted =
            format!("<?php\nfunction run(int $first, int $size = 1) {{ return $first; }}\n{plain}\n");
        renames(&of(plain), "first", &[("a.php", &wanted)]);
    }
    let made = "<?php\nclass A { function __construct(int $or<caret>der) {} }\nnew A(...['order' => 1]);\n";
    refuses(&format!("//- a.php\n{made}"), "first", &["unresolved_use"]);
}

#[test]
fn a_block_of_python_keeps_a_statement() {
    let outcome = delete("//- a.py\nclass A:\n    @property\n    def size<caret>(self):\n        return 1\n");
    assert_eq!(only_text(&outcome), "class A:\n    pass\n");
    let outcome = delete("//- a.py\nclass A:\n    x = 1\n\n    def size<caret>(self):\n        return 1\n");
    assert_eq!(only_text(&outcome), "class A:\n    x = 1\n\n");
}

#[test]
fn values_of_go_are_copied() {
    let of = |text: &str| {
        format!(
            "//- go.mod\nmodule m\n//- m.go\npackage m\n\ntype B struct {{\n\tn  int\n\tar [2]int\n\txs []int\n}}\n\nfunc (b *B) Inc()     {{ b.n++ }}\nfunc (b B) Get() int {{ return b.n }}\n\ntype A struct {{\n\tb B\n\tp *B\n}}\n\nfunc use(...any) {{}}\n\nfunc f(a *A) {{\n\tvar b B\n\t{text}\n\tuse(b)\n}}\n"
        )
    };
    for (statement, value) in [
        ("<caret>a.b.Inc()", "a.b"),
        ("<caret>a.b.n = 4", "a.b"),
        ("<caret>a.b.n++", "a.b"),
        ("<caret>a.b.ar[0] = 4", "a.b.ar"),
        ("<caret>a.b.ar[0] = 4", "a.b"),
        ("use(&<caret>a.b.n)", "a.b"),
        ("use(<caret>a.b.ar[:])", "a.b.ar"),
        ("use(<caret>a.b.Inc)", "a.b"),
    ] {
        refuses_to_extract(&of(statement), value, "this place");
    }
    refuses_to_extract(&of("go <caret>a.b.Get()"), "a.b.Get()", "another time");
    for (statement, value) in [
        ("use(<caret>a.b.Get())", "a.b"),
        ("<caret>a.p.Inc()", "a.p"),
        ("<caret>a.p.n = 4", "a.p"),
        ("<caret>a.b.xs[0] = 4", "a.b.xs"),
        ("use(<caret>a.b.xs[:])", "a.b.xs"),
    ] {
        is_allowed(&extract(&of(statement), value, "v", false));
    }
    for statement in ["v<caret>.Inc()", "v<caret>.ar[0] = 1", "use(&v<caret>.n)"] {
        is_refused(&inline(&of(&format!("v := a.b\n\t{statement}"))), "written more than once");
    }
    is_allowed(&inline(&of("v := a.b\n\tuse(v<caret>.Get())")));
    for (statement, part) in [("<caret>b.Inc()", "b.Inc()"), ("<caret>b.ar[0] = 1", "b.ar[0] = 1")] {
        let outcome = method(&of(statement), part);
        let text = only_text(&outcome);
        assert!(text.contains("b = part(b)\n"), "{text}");
    }
    for (statement, part) in
        [("<caret>p := &b; p.n = 3; use(p)", "p := &b;"), ("<caret>g := b.Inc; g()", "g := b.Inc;")]
    {
        is_refused(&method(&of(statement), part), "a reference to");
    }
}

#[test]
fn elements_of_php_that_are_referred_to() {
    let of = |text: &str| {
        format!(
            "//- a.php\n<?php\nclass C {{\n  public $a = [[1]];\n  function f() {{\n    {text}\n  }}\n}}\n"
        )
    };
    refuses_to_extract(&of("foreach (<caret>$this->a as &$x) { $x = 3; }"), "$this->a", "this place");
    refuses_to_extract(&of("$r = &<caret>$this->a[0];"), "$this->a", "this place");
    is_allowed(&extract(&of("foreach (<caret>$this->a as $x) { echo $x; }"), "$this->a", "v", false));
    is_allowed(&extract(&of("$r = <caret>$this->a[0];"), "$this->a", "v", false));
}

#[test]
fn a_data_class_without_an_initialiser_of_its_own() {
    let of = |init: &str, parameter: &str, field: &str| {
        format!(
            "//- a.py\nfrom dataclasses import dataclass\n@dataclass(init=False)\nclass B:\n    reason: bytes\n    def __init__(self, *, {parameter}=b\"\"): self.{field} = {parameter}\n@dataclass({init})\nclass R(B):\n    reason: bytes = b\"\"\nR({parameter}=b\"OK\").reason\n"
        )
    };
    let wanted = of("init=False", "given", "reason");
    let source =
        of("init=False", "reason", "reason").replacen("(self, *, reason", "(self, *, rea<caret>son", 1);
    renames(&source, "given", &[("a.py", wanted.strip_prefix("//- a.py\n").expect("the head"))]);
}

#[test]
fn items_of_a_trait_of_rust_say_no_visibility() {
    moves(
        "//- Cargo.toml\n[package]\nname = \"x\"\n\
         //- src/lib.rs\nmod a;\nmod b;\n\
         //- src/a.rs\npub trait Si<caret>ze {\n    fn width(&self) -> u32;\n}\npub fn f(s: &dyn Size) -> u32 {\n    s.width()\n}\n\
         //- src/b.rs\npub fn g() {}\n",
        "src/b.rs",
        &[
            ("src/a.rs", "use crate::b::Size;\n\npub fn f(s: &dyn Size) -> u32 {\n    s.width()\n}\n"),
            ("src/b.rs", "pub fn g() {}\n\npub trait Size {\n    fn width(&self) -> u32;\n}\n"),
        ],
    );
}

#[test]
fn a_member_of_python_begins_behind_its_own_head() {
    for member in [
        "class {}({}):\n        pass",
        "def {}(self, f={}):\n        return f",
        "def {}(self) -> {}:\n        return f",
    ] {
        let of = |outer: &str| {
            let said = member.replacen("{}", "Size", 1).replace("{}", outer);
            format!("class {outer}:\n    pass\nclass T:\n    {said}\n    last = Size\n")
        };
        let source = format!("//- a.py\n{}", of("Size").replacen("Size", "Si<caret>ze", 1));
        renames(&source, "Width", &[("a.py", &of("Width"))]);
    }
}

#[test]
fn tests_on_which_code_behind_them_relies() {
    let of = |ty: &str, guard: &str, last: &str| {
        format!(
            "//- a.ts\nexport function f(x: {ty}, n: number) {{\n  <caret>{guard}\n  return {last};\n}}\n"
        )
    };
    for (ty, guard, last) in [
        ("unknown", "if (typeof x !== \"string\") throw new Error(\"no\");", "x.length"),
        ("string | null", "if (x === null) throw new Error();", "x.length"),
        ("string | undefined", "if (!x) { throw new Error(); }", "x.length"),
        ("{ a: 1, b: number } | { a: 2 }", "if (x.a !== 1) throw new Error();", "x.b"),
    ] {
        let outcome = method(&of(ty, guard, last), guard);
        assert!(!outcome.refactored.conflicts.is_empty(), "{ty}: {:#?}", outcome.changed);
    }
    for (ty, guard, last) in [
        ("unknown", "if (typeof x !== \"string\") throw new Error(\"no\");", "n"),
        ("string", "if (n === 3) throw new Error();", "x.length"),
        ("string", "if (x.length === 3) throw new Error();", "x.length"),
        ("string", "if (x === \"\") throw new Error();", "x.length + n"),
        ("unknown", "if (typeof x !== \"string\") { console.log(n); }", "x"),
    ] {
        is_allowed(&method(&of(ty, guard, last), guard));
    }
}

#[test]
fn tests_of_a_variable_that_would_not_narrow_its_value() {
    let of = |value: &str, body: &str| {
        format!(
            "//- a.ts\nclass Q {{\n  fs: ((() => void) | null)[] = [];\n  f: (() => void) | null = null;\n  run(i: number, g: unknown) {{\n    const f<caret> = {value};\n    {body}\n  }}\n}}\n"
        )
    };
    for (value, body) in [
        ("this.fs[i]", "if (f != null) f();"),
        ("this.fs[i]", "if (f) { f(); }"),
        ("this.fs[i]", "if (!f) return;\n    f();"),
        ("this.fs[i]", "return f && f();"),
        ("this.fs[i]", "return typeof f === \"function\" ? f() : null;"),
        ("this.fs[i]", "if (isTask(f)) f();"),
        ("this.fs[i]", "if (f instanceof Task && i > 3) { f.go(); }"),
        ("this.fs[i]", "if (f.kind === \"a\") { f.go(); }"),
        ("this.fs[i]", "switch (f.kind) { case \"a\": f.go(); }"),
        ("g as any[]", "if (f?.length) { f.pop; }"),
        ("this.f", "if (f) { return () => f(); }"),
    ] {
        is_refused(&inline(&of(value, body)), "narrows the variable");
    }
    for (value, body) in [
        ("this.f", "if (f != null) console.log(f);"),
        ("this.fs[0]", "if (f) console.log(f);"),
        ("this.fs[i]", "if (f) { console.log(i); }"),
        ("this.fs[i]", "if (f === g) { return 1; } else if (f === null) { return 2; }"),
        ("this.fs[i]", "console.log(f, f);"),
        ("this.fs.length + i", "if (f === 3) { console.log(f); }"),
    ] {
        is_allowed(&inline(&of(value, body)));
    }
    let kt = |value: &str, test: &str| {
        format!(
            "//- a.kt\nclass A(var s: String?) {{\n    fun f(t: String?): Int {{\n        val x<caret> = {value}\n        if ({test}) return x.length\n        return 0\n    }}\n}}\n"
        )
    };
    for test in ["x != null", "x is String", "!x.isNullOrEmpty()", "requireNotNull(x) != \"\""] {
        is_refused(&inline(&kt("this.s", test)), "narrows the variable");
        is_allowed(&inline(&kt("t", test)));
    }
}

#[test]
fn borrows_of_values_that_end_with_the_statement() {
    let of = |value: &str| {
        format!(
            "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\npub struct Diff {{ n: u8, names: Vec<String> }}\npub struct Names<'a>(&'a [String]);\nimpl Diff {{\n    pub fn configure() -> Diff {{ todo!() }}\n    pub fn algorithm(&mut self, n: u8) -> &mut Self {{ self.n = n; self }}\n    pub fn names(&self) -> Names<'_> {{ Names(&self.names) }}\n    pub fn first(&self) -> &String {{ &self.names[0] }}\n    pub fn found<'a>(&self, text: &'a str) -> &'a str {{ text }}\n    pub fn run(&self) -> u8 {{ self.n }}\n    pub fn with(self) -> Self {{ self }}\n    pub fn title(&self) -> &'static str {{ \"\" }}\n}}\npub fn part(text: &str) -> &str {{ text }}\nfn take<T>(x: T) {{}}\nfn f(d: &mut Diff, s: String) {{\n    take(<caret>{value});\n}}\n"
        )
    };
    for value in [
        "Diff::configure().algorithm(3)",
        "Diff::configure().with().algorithm(3)",
        "Diff::configure().algorithm(3).algorithm(4)",
        "Diff::configure().names()",
        "Diff::configure().first()",
        "Diff { n: 0, names: vec![] }.first()",
        "Diff::configure().first().trim()",
        "d.found(Diff::configure().first())",
        "part(&s.to_string())",
        "s.to_string().trim()",
        "format!(\"{s}\").as_str()",
        "s.to_string().lines().next().unwrap()",
        "std::process::Command::new(\"x\").arg(\"y\")",
    ] {
        refuses_to_extract(&of(value), value, "lives no longer");
    }
    for value in [
        "Diff::configure().algorithm(3).run()",
        "Diff::configure().with()",
        "Diff::configure().title()",
        "Diff::configure().found(&s)",
        "d.algorithm(3)",
        "d.names()",
        "d.first().trim()",
        "part(&s)",
        "s.trim()",
        "s.lines().next().unwrap()",
        "\"a b\".trim()",
        "s.to_string().trim().to_owned()",
    ] {
        is_allowed(&extract(&of(value), value, "v", false));
    }
}

#[test]
fn places_of_php_that_are_given_by_reference() {
    let of = |text: &str| {
        format!(
            "//- a.php\n<?php\nfunction order(int $n, array &$x, &...$more) {{}}\nfunction show(array $x) {{}}\nclass C {{\n  public $a = [[1]];\n  public $m;\n  function set(&$x) {{}}\n  function f($p, $s) {{\n    {text}\n  }}\n}}\n"
        )
    };
    for (text, select) in [
        ("sort(<caret>$this->a[0]);", "$this->a[0]"),
        ("\\sort(<caret>$this->a[0]);", "$this->a"),
        ("order(1, <caret>$this->a);", "$this->a"),
        ("order(1, $p, $s, <caret>$this->a);", "$this->a"),
        ("order(x: <caret>$this->a, n: 1);", "$this->a"),
        ("$this->set(<caret>$p['a']);", "$p['a']"),
        ("return preg_match($p, $s, <caret>$this->m);", "$this->m"),
        ("array_push(<caret>$this->a[0], 1);", "$this->a[0]"),
        ("str_replace('a', 'b', $s, <caret>$this->m);", "$this->m"),
    ] {
        refuses_to_extract(&of(text), select, "this place");
    }
    for (text, select) in [
        ("show(<caret>$this->a[0]);", "$this->a[0]"),
        ("order(<caret>$this->a[0], $p);", "$this->a[0]"),
        ("return preg_match(<caret>$this->a[0], $s, $this->m);", "$this->a[0]"),
        ("array_push($s, <caret>$this->a[0]);", "$this->a[0]"),
    ] {
        is_allowed(&extract(&of(text), select, "v", false));
    }
    let copied = |call: &str| of(&format!("$copy<caret> = $this->a;\n    {call};\n    return $copy;"));
    is_refused(&inline(&copied("order(1, $this->a)")), "is written before");
    is_refused(&inline(&copied("order(1, $copy[0])")), "written more than once");
    is_refused(&inline(&copied("order(1, $this->a[0])")), "is written before");
    is_allowed(&inline(&copied("show($this->a)")));
}

#[test]
fn names_that_other_builds_import_from_elsewhere() {
    let of = |used: &str, at: &str| {
        let source = format!(
            "//- Cargo.toml\n[package]\nname = \"m\"\n[features]\ndefault = [\"std\"]\nstd = []\n//- src/lib.rs\nmod backport;\nmod other;\nmod used;\n//- src/backport.rs\npub fn f(x: u8) {{}}\n//- src/other.rs\npub fn f(x: u8) {{}}\n//- src/used.rs\n{used}\n"
        );
        source.replacen(
            &format!("//- src/{at}.rs\npub fn f"),
            &format!("//- src/{at}.rs\npub fn f<caret>"),
            1,
        )
    };
    let import = "#[cfg(not(feature = \"std\"))]\nuse crate::backport::f;";
    let glob = format!("{import}\nuse crate::other::*;\nfn g() {{ f(1); }}");
    let under = format!("{import}\n#[cfg(feature = \"std\")]\nuse crate::other::*;\nfn g() {{ f(1); }}");
    let item = format!("{import}\n#[cfg(feature = \"std\")]\nfn f(x: u8) {{}}\nfn g() {{ f(1); }}");
    let inner = format!("use crate::other::f;\nfn g() {{\n{import}\nf(1); }}");
    let hidden = "use crate::other::*;\n#[cfg(not(feature = \"std\"))]\nfn f(x: u8) {}\nfn g() { f(1); }";
    let change = parameters(&[]);
    for (used, at) in [
        (&*glob, "backport"),
        (&glob, "other"),
        (&under, "backport"),
        (&under, "other"),
        (&item, "backport"),
        (&inner, "backport"),
        (&inner, "other"),
        (hidden, "other"),
    ] {
        let outcome = signature(&of(used, at), &change);
        assert_eq!(outcome.conflicts, ["unresolved_use"], "{used} {:#?}", outcome.changed);
        assert!(!outcome.changed.values().any(|text| text.contains("f();")), "{:#?}", outcome.changed);
    }
    // Where one function is meant in every build that has the name, nothing is in doubt.
    for used in [
        "#[cfg(not(feature = \"std\"))]\nuse crate::backport::f;\nfn g() { f(1); }",
        "#[cfg(feature = \"std\")]\nuse crate::backport::f;\nuse crate::other::*;\nfn g() { f(1); }",
        "use crate::backport::*;\n#[cfg(not(feature = \"std\"))]\nuse crate::backport::f;\nfn g() { f(1); }",
    ] {
        let outcome = signature(&of(used, "backport"), &change);
        is_allowed(&outcome);
        assert!(outcome.changed["src/used.rs"].contains("f();"), "{:#?}", outcome.changed);
    }
}

#[test]
fn literals_of_typescript_keep_the_type_of_their_place() {
    let extracted = |code: &str, select: &str| {
        let code = code.replacen(select, &format!("<caret>{select}"), 1);
        method(&format!("//- a.ts\nexport {code}"), select)
    };
    let place = "its type comes from the place where it stands";

    for (code, select) in [
        ("function f() { const s: K = { k: 'aa' }; return s; }\n", "'aa'"),
        ("function f(x: boolean) { g(x ? 'aa' : 'b'); }\n", "x ? 'aa' : 'b'"),
        ("function f() { g(12); }\n", "12"),
    ] {
        is_refused(&extracted(code, select), place);
    }
    is_allowed(&extracted("function f(k: string) { return k + 'aa'; }\n", "'aa'"));
    is_allowed(&extracted("function f(k: string) { return k === 'aa'; }\n", "k === 'aa'"));
    let constant = "`as const` reads its type";
    let whole = "export function f() {\n  return <caret>{ a: [1], b: 2 } as const;\n}\n";
    refuses_to_extract(&format!("//- a.ts\n{whole}"), "{ a: [1], b: 2 }", constant);
    let part = whole.replace("<caret>", "").replace("[1]", "<caret>[1]");
    refuses_to_extract(&format!("//- a.ts\n{part}"), "[1]", constant);
    extracts(
        &format!("//- a.ts\n{}", whole.replace("<caret>", "").replace("2 }", "<caret>2 }")),
        "2",
        "two",
        "export function f() {\n  const two = 2;\n  return { a: [1], b: two } as const;\n}\n",
    );
}

#[test]
fn a_switch_tells_of_what_its_value_is_a_part_of() {
    let code = |body: &str| {
        format!(
            "//- a.ts\ntype S = {{ k: 'c'; r: number }} | {{ k: 'q'; w: number }};\nexport function f(s: S): number {{\n  {body}\n}}\n"
        )
    };
    let told = code("switch (<caret>s.k) { case 'c': return s.r; default: return s.w; }");
    assert!(!method(&told, "s.k").refactored.conflicts.is_empty());
    is_allowed(&method(&code("switch (<caret>s.k) { case 'c': return 1; default: return 2; }"), "s.k"));
}
