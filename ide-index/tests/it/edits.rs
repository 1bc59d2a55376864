//! Changes of code whose results compilers and interpreters reject or run differently if a detail is missed.

use ide_model::{MoveTo, Refactoring, Related};

use crate::inside::{extracts, inline, method, only_text, reason, refuses_to_extract};
use crate::refactor::{Outcome, change, renames};
use crate::signatures::{parameter, parameters, signature};

#[test]
fn php_texts_that_name_what_is_renamed_follow_it() {
    // php: `array_map('App\\half', …)` throws a TypeError where no function has this name.
    let source = |name: &str| {
        format!(
            "<?php\nnamespace App;\nfunction {name}(int $v): int {{ return $v; }}\narray_map('App\\\\{name}', [8]);\n\
             array_map('\\App\\{name}', [8]);\narray_map(\"App\\\\{name}\", [8]);\n$x = ['half', \"App\\half\", 'Other\\half'];\n"
        )
    };
    let with_caret = source("half").replacen("half", "ha<caret>lf", 1);
    renames(&format!("//- a.php\n{with_caret}"), "halve", &[("a.php", &source("halve"))]);
    let source = |name: &str| {
        format!(
            "<?php\nfunction {name}(int $v): int {{ return $v; }}\nfunction f(array $a) {{\n  usort($a, '{name}');\n  return array_map('{name}', ['half' => 1]);\n}}\n"
        )
    };
    let with_caret = source("half").replacen("half", "ha<caret>lf", 1);
    renames(&format!("//- a.php\n{with_caret}"), "halve", &[("a.php", &source("halve"))]);
    let source = |name: &str| {
        format!(
            "<?php\nnamespace App;\nclass {name} {{}}\n$c = 'App\\\\{name}';\nnew $c;\nis_a($c, '\\App\\{name}', true);\n"
        )
    };
    let with_caret = source("Foo").replacen("Foo", "F<caret>oo", 1);
    renames(&format!("//- a.php\n{with_caret}"), "Bar", &[("a.php", &source("Bar"))]);
    renames(
        "//- a.php\n<?php\nnamespace App;\nconst L<caret>OW = 3;\n//- b.php\n<?php\necho constant('App\\LOW');\n",
        "HIGH",
        &[
            ("a.php", "<?php\nnamespace App;\nconst HIGH = 3;\n"),
            ("b.php", "<?php\necho constant('App\\HIGH');\n"),
        ],
    );
}

#[test]
fn a_php_function_that_is_a_value_is_not_called_there() {
    let source = "//- a.php\n<?php\nfunction ha<caret>lf($v) { return $v; }\n$sm = array_map(half(...), [4, 6]);\necho half(9) * 2;\n";
    assert!(reason(&inline(source)).contains("without being called"));
    let outcome = signature(source, &parameters(&[]));
    assert!(!outcome.refactored.conflicts.is_empty(), "{:?}", outcome.changed);
    let named = source.replace("half(...)", "'half'");
    assert!(reason(&inline(&named)).contains("without being called"));
}

#[test]
fn php_arguments_stand_before_those_with_names() {
    // php: Cannot use positional argument after named argument.
    let swapped = parameters(&[parameter("text"), parameter("el")]);
    let source = |declared: &str, call: &str| {
        format!("<?php\nfunction tag({declared}) {{ return $el . $text; }}\necho {call};\n")
    };
    let becomes = |declared: (&str, &str), call: &str, wanted: &str| {
        let before = source(declared.0, call).replacen("tag", "t<caret>ag", 1);
        let outcome = signature(&format!("//- a.php\n{before}"), &swapped);
        assert_eq!(only_text(&outcome), source(declared.1, wanted));
    };
    becomes(("$el, $text", "$text, $el"), "tag('b', text: 'x')", "tag('x', 'b')");
    becomes(("$el, $text", "$text, $el"), "tag(text: 'x', el: 'b')", "tag(text: 'x', el: 'b')");
    let defaults = ("$el = f(), $text = 'q'", "$text = 'q', $el = f()");
    becomes(defaults, "tag('b')", "tag('q', 'b')");
    becomes(defaults, "tag(text: 'b')", "tag(text: 'b')");
    let other = "//- lib.php\n<?php\nnamespace App;\nfunction t<caret>ag($el, $text) {}\n//- b.php\n<?php\nuse function App\\tag as mk;\nmk('b', text: 'x');\n";
    let outcome = signature(other, &swapped);
    assert_eq!(outcome.refactored.conflicts, []);
    assert_eq!(outcome.changed["b.php"], "<?php\nuse function App\\tag as mk;\nmk('x', 'b');\n");
}

#[test]
fn a_bare_go_return_of_named_results_stays_where_it_is() {
    // go: missing return.
    let source = "//- go.mod\nmodule m\n//- a.go\npackage m\n\nfunc f(n int) (x int) {\n\tn++\n\t<caret>x = n\n\treturn\n}\n";
    assert!(reason(&method(source, "x = n\n\treturn")).contains("results that the function names"));
}

#[test]
fn a_php_class_in_a_file_that_nothing_loads_is_told() {
    let plan = |source: &str, to: &str| {
        let path = ide_model::FilePath::new(to);
        change(source, |symbol, plan| plan(&Refactoring::MoveSymbol { symbol, to: MoveTo::File(&path) }))
    };
    let source = "//- main.php\n<?php\nnamespace App;\nclass S<caret>q {}\nclass Other {}\nnew Sq();\n";
    let outcome = plan(source, "Sq.php");
    assert_eq!(outcome.refactored.conflicts, []);
    assert!(outcome.refactored.warnings[0].contains("must be loaded"), "{:?}", outcome.refactored.warnings);
    let composer =
        format!("//- composer.json\n{{\"autoload\": {{\"psr-4\": {{\"App\\\\\": \"\"}}}}}}\n{source}");
    assert_eq!(plan(&composer, "Sq.php").refactored.warnings, Vec::<String>::new());
    // The files there have several namespaces, and nothing says which of them the class belongs to.
    let several =
        format!("{source}//- src/lib.php\n<?php\nnamespace App\\Util {{ }}\nnamespace App\\Geo {{ }}\n");
    let outcome = plan(&several, "src/Sq.php");
    assert!(reason(&outcome).contains("several namespaces"), "{:?}", outcome.changed);
}

#[test]
fn python_arguments_behind_a_named_one_are_named() {
    // python3: positional argument follows keyword argument.
    let change = parameters(&[parameter("b"), parameter("a")]);
    let outcome = signature("//- a.py\ndef f<caret>(a, b):\n    return a\n\n\nf(1, b=2)\n", &change);
    assert_eq!(only_text(&outcome), "def f(b, a):\n    return a\n\n\nf(b=2, a=1)\n");
}

/// A Rust program with a main function.
fn rust(items: &str, body: &str) -> String {
    format!("{items}\nfn main() {{\n    {body}\n}}\n")
}

const CARGO: &str = "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/main.rs\n";

#[test]
fn arguments_of_rust_macros_are_values() {
    let swapped = parameters(&[parameter("b"), parameter("a")]);
    let minus = |declared: &str| format!("fn minus({declared}) -> i32 {{ a - b }}");
    let before = rust(
        &minus("a: i32, b: i32"),
        "println!(\"{}\", 10 - minus(5, 2));\n    let s = format!(\"{:?} {x}\", vec![minus(1, 2); 2], x = minus(3, 4));\n    \
         assert_eq!(minus(1, 2), 3, \"{s} {}\", minus(7, 8));",
    );
    let wanted = rust(
        &minus("b: i32, a: i32"),
        "println!(\"{}\", 10 - minus(2, 5));\n    let s = format!(\"{:?} {x}\", vec![minus(2, 1); 2], x = minus(4, 3));\n    \
         assert_eq!(minus(2, 1), 3, \"{s} {}\", minus(8, 7));",
    );
    let with_caret = before.replacen("minus", "mi<caret>nus", 1);
    assert_eq!(only_text(&signature(&format!("{CARGO}{with_caret}"), &swapped)), wanted);
    let items = "fn f(s: &str) -> i32 { s.len() as i32 }";
    let source = |body: &str| format!("{CARGO}{}", rust(items, body));
    extracts(
        &source("println!(\"{}\", <caret>f(\"4\") + 1);"),
        "f(\"4\") + 1",
        "n",
        &rust(items, "let n = f(\"4\") + 1;\n    println!(\"{}\", n);"),
    );
    let inlined = source("let <caret>x = f(\"1\") + 2;\n    println!(\"{}\", x * 2);");
    assert_eq!(only_text(&inline(&inlined)), rust(items, "println!(\"{}\", (f(\"1\") + 2) * 2);"));
    // rustc: format argument must be a string literal.
    refuses_to_extract(&source("println!(<caret>\"{}\", 1);"), "\"{}\"", "no whole expression");
    // The message is made only where the assertion fails.
    refuses_to_extract(&source("assert!(true, \"{}\", <caret>f(\"\"));"), "f(\"\")", "only in some cases");
    // rustc: cannot move out of `*b` which is behind a shared reference.
    refuses_to_extract(
        &source("let b = &String::new(); println!(\"{}\", <caret>*b);"),
        "*b",
        "move the value",
    );
    let own = "macro_rules! twice { ($e:expr) => { $e + $e } }\nfn <caret>f() -> i32 { 1 }";
    let outcome = inline(&format!("{CARGO}{}", rust(own, "println!(\"{}\", twice!(f()));")));
    assert!(reason(&outcome).contains("in a macro"), "{:?}", outcome.changed);
}

fn moved(source: &str, to: &str) -> Outcome {
    let path = ide_model::FilePath::new(to);
    change(source, |symbol, plan| plan(&Refactoring::MoveSymbol { symbol, to: MoveTo::File(&path) }))
}

#[track_caller]
fn moves(source: &str, to: &str, wanted: &[(&str, &str)]) {
    let outcome = moved(source, to);
    assert_eq!(outcome.refactored.conflicts, [], "{:#?}", outcome.changed);
    let changed: Vec<(&str, &str)> = outcome.changed.iter().map(|(path, text)| (&**path, &**text)).collect();
    assert_eq!(changed, wanted);
}

#[test]
fn what_moves_is_exported_where_that_is_needed() {
    moves(
        "//- acc.ts\nexport {};\n//- main.ts\nclass A<caret>cc { n = helper(1) + LIMIT; }\nfunction helper(a: number) { return a; }\nconst LIMIT = 3;\nconsole.log(new Acc().n, LIMIT, helper(2));\n",
        "acc.ts",
        &[
            (
                "acc.ts",
                "import { LIMIT } from './main';\nimport { helper } from './main';\n\nexport {};\nexport class Acc { n = helper(1) + LIMIT; }\n",
            ),
            (
                "main.ts",
                "import { Acc } from './acc';\n\nexport function helper(a: number) { return a; }\nexport const LIMIT = 3;\nconsole.log(new Acc().n, LIMIT, helper(2));\n",
            ),
        ],
    );
    // node: Cannot access 'Base' before initialization.
    let base =
        "//- main.ts\nexport class Base {}\nclass A<caret>cc extends Base {}\nconsole.log(new Acc());\n";
    assert!(reason(&moved(base, "acc.ts")).contains("before its module"));
    let common = "//- a.js\nfunction f<caret>a() { return 1; }\nmodule.exports = { g: fa() };\n";
    assert!(reason(&moved(common, "b.js")).contains("not exported"));
    moves(
        &format!(
            "{CARGO}mod util;\nconst K: i32 = 2;\n#[inline]\nfn ha<caret>lf(a: i32) -> i32 {{ a / K }}\nfn main() {{ half(util::x()); }}\n//- src/util.rs\npub fn x() -> i32 {{ 1 }}\n"
        ),
        "src/util.rs",
        &[
            (
                "src/main.rs",
                "use crate::util::half;\n\nmod util;\nconst K: i32 = 2;\nfn main() { half(util::x()); }\n",
            ),
            (
                "src/util.rs",
                "use crate::K;\n\npub fn x() -> i32 { 1 }\n\n#[inline]\npub(crate) fn half(a: i32) -> i32 { a / K }\n",
            ),
        ],
    );
    moves(
        &format!(
            "{CARGO}mod util;\nstruct P<caret>t {{ x: i32 }}\nimpl Pt {{ fn sum(&self) -> i32 {{ self.x }} fn own(&self) {{}} }}\nfn main() {{ let p = Pt {{ x: 1 }}; p.sum(); }}\n//- src/util.rs\npub fn x() -> i32 {{ 1 }}\n"
        ),
        "src/util.rs",
        &[
            (
                "src/main.rs",
                "use crate::util::Pt;\n\nmod util;\nfn main() { let p = Pt { x: 1 }; p.sum(); }\n",
            ),
            (
                "src/util.rs",
                "pub fn x() -> i32 { 1 }\npub(crate) struct Pt { pub(crate) x: i32 }\nimpl Pt { pub(crate) fn sum(&self) -> i32 { self.x } fn own(&self) {} }\n",
            ),
        ],
    );
}

#[test]
fn a_default_export_that_stays_is_imported_as_such() {
    moves(
        "//- shapes.ts\nexport default interface Shape { area(): number }\nexport function to<caret>tal(all: Shape[]): number { return all.length; }\n",
        "area.ts",
        &[
            (
                "area.ts",
                "import type Shape from './shapes'\n\nexport function total(all: Shape[]): number { return all.length; }\n",
            ),
            ("shapes.ts", "export default interface Shape { area(): number }\n"),
        ],
    );
}

#[track_caller]
fn becomes(path: &str, before: &str, names: &[&str], after: &str) {
    let change = parameters(&names.iter().map(|name| parameter(name)).collect::<Vec<_>>());
    let outcome = signature(&format!("//- {path}\n{before}"), &change);
    assert_eq!(only_text(&outcome), after);
}

#[test]
fn constructors_change_with_all_that_calls_them() {
    becomes(
        "Node.java",
        "class Node {\n  Node<caret>(int val, Node kids) {}\n  Node(String s) { this(1, null); }\n  static Node of() { return new Node(1, new Node(\"\")) {}; }\n}\nclass Sub extends Node { Sub() { super(3, null); } }\n",
        &["kids", "val"],
        "class Node {\n  Node(Node kids, int val) {}\n  Node(String s) { this(null, 1); }\n  static Node of() { return new Node(new Node(\"\"), 1) {}; }\n}\nclass Sub extends Node { Sub() { super(null, 3); } }\n",
    );
    becomes(
        "Op.java",
        "enum Op { A(\"x\", 1), B(\"y\", 2) { }; Op<caret>(String s, int n) {} }\n",
        &["n", "s"],
        "enum Op { A(1, \"x\"), B(2, \"y\") { }; Op(int n, String s) {} }\n",
    );
    becomes(
        "a.ts",
        "class Base {\n  constr<caret>uctor(private readonly a: number, b: string) {}\n}\nclass Sub extends Base { constructor() { super(1, \"2\"); } }\nclass Deep extends Base {}\nconst x = new Base(1, \"z\"), y = new Deep(2, \"q\");\nif (x instanceof Deep) {}\n",
        &["b", "a"],
        "class Base {\n  constructor(b: string, private readonly a: number) {}\n}\nclass Sub extends Base { constructor() { super(\"2\", 1); } }\nclass Deep extends Base {}\nconst x = new Base(\"z\", 1), y = new Deep(\"q\", 2);\nif (x instanceof Deep) {}\n",
    );
    becomes(
        "a.kt",
        "open class Q constr<caret>uctor(val a: Int, b: String)\nclass R : Q(1, \"2\")\nclass S : Q { constructor() : super(3, \"4\") }\nval p = Q(1, b = \"x\")\n",
        &["b", "a"],
        "open class Q constructor(b: String, val a: Int)\nclass R : Q(\"2\", 1)\nclass S : Q { constructor() : super(\"4\", 3) }\nval p = Q(b = \"x\", a = 1)\n",
    );
    becomes(
        "a.php",
        "<?php\nclass P { function __constr<caret>uct(private int $a, $b) {} static function make() { return new self(3, 4); } }\nclass Q extends P { function __construct() { parent::__construct(1, 2); } }\nclass R extends P {}\n$p = new P(1, 3); $r = new R(5, 6);\n",
        &["$b", "$a"],
        "<?php\nclass P { function __construct($b, private int $a) {} static function make() { return new self(4, 3); } }\nclass Q extends P { function __construct() { parent::__construct(2, 1); } }\nclass R extends P {}\n$p = new P(3, 1); $r = new R(6, 5);\n",
    );
    becomes(
        "a.py",
        "class P:\n    def __in<caret>it__(self, a, b):\n        self.a = a\n\n    @classmethod\n    def make(cls) -> \"P\":\n        return cls(1, 2)\n\n\nclass Q(P):\n    pass\n\n\nprint(isinstance(P.make(), P), P(1, b=3), Q(4, 5))\n",
        &["b", "a"],
        "class P:\n    def __init__(self, b, a):\n        self.a = a\n\n    @classmethod\n    def make(cls) -> \"P\":\n        return cls(2, 1)\n\n\nclass Q(P):\n    pass\n\n\nprint(isinstance(P.make(), P), P(b=3, a=1), Q(5, 4))\n",
    );
    becomes(
        "b.py",
        "class P:\n    def __in<caret>it__(self, a, b): ...\n\n\nclass Q(P):\n    def __init__(self):\n        super().__init__(1, b=3)\n",
        &["b", "a"],
        "class P:\n    def __init__(self, b, a): ...\n\n\nclass Q(P):\n    def __init__(self):\n        super().__init__(b=3, a=1)\n",
    );
}

#[test]
fn constructors_stay_where_not_all_calls_are_known() {
    #[track_caller]
    fn refuses(path: &str, source: &str, names: &[&str], why: &str) {
        let change = parameters(&names.iter().map(|name| parameter(name)).collect::<Vec<_>>());
        let outcome = signature(&format!("//- {path}\n{source}"), &change);
        assert!(reason(&outcome).contains(why), "{}\n{:?}", reason(&outcome), outcome.changed);
    }
    let python = "class P:\n    def __in<caret>it__(self, a, b): ...\n\n\n";
    refuses("a.py", &format!("{python}xs = map(P, [1], [2])\n"), &["b", "a"], "is a value here");
    let mixed = "class P:\n    def __in<caret>it__(self, a, b): ...\n\n    @classmethod\n    def make(cls):\n        return cls(1, 2)\n\n\nclass Q(P):\n    def __init__(self): ...\n";
    refuses("a.py", mixed, &["b", "a"], "objects of several classes");
    refuses(
        "a.kt",
        "data class P<caret>(val a: Int, val b: Int)\nval p = P(1, 2)\n",
        &["b", "a"],
        "taken apart by the place",
    );
    refuses(
        "a.ts",
        "class B { constr<caret>uctor(a: number, b: number) {} }\nconst all = [B];\n",
        &["b", "a"],
        "is a value here",
    );
    let silent = "class N { N<caret>(int... xs) {} }\nclass S extends N { S() {} }\n";
    refuses("N.java", silent, &[], "without saying so");
    let reference =
        "class N { N<caret>(int a, int b) {} java.util.function.IntBinaryOperator f = N::new; }\n";
    refuses("N.java", reference, &["b", "a"], "is a value here");
}

#[test]
fn kotlin_on_one_line_is_read_as_on_several() {
    // kotlinc accepts all of these.
    let heads = [
        "enum class E(val s: String) { A(\"x\"); companion object { fun of(q: String) = entries.first { it.s == q } } }",
        "enum class E { A { override fun x() = 1 }, B { override fun x() = 2 }; abstract fun x(): Int }",
        "class T { var c = 0.0; var f: Double get() = c * 9; set(value) { c = (value - 32) * 5 / 9 } }",
        "class T { var c = 0.0; var f: Double get() = c * 9; private set }",
    ];
    for head in heads {
        let source = |body: &str| format!("{head}\nfun zz(total: Int): Int {{\n    {body}\n}}\n");
        let before = source("return <caret>total + 1");
        extracts(
            &format!("//- a.kt\n{before}"),
            "total + 1",
            "v",
            &source("val v = total + 1\n    return v"),
        );
    }
    renames(
        "//- a.kt\ndata class Num(val val<caret>ue: Int)\nclass T { var c = 0; var f: Int get() = c * 9; set(value) { c = value } }\nfun f(n: Num) = n.value\n",
        "price",
        &[(
            "a.kt",
            "data class Num(val price: Int)\nclass T { var c = 0; var f: Int get() = c * 9; set(value) { c = value } }\nfun f(n: Num) = n.price\n",
        )],
    );
}

#[test]
fn a_kotlin_function_type_requires_nothing_but_a_call() {
    let source = |entry: &str, name: &str| {
        format!(
            "enum class Op(val {name}: String) : (Int, Int) -> Int {{\n    {entry}(\"*\") {{ override fun invoke(a: Int, b: Int) = a * b }}\n}}\nfun f() = Op.{entry}.{name}\n"
        )
    };
    let at_entry = source("TIMES", "sym").replacen("TIMES", "TI<caret>MES", 1);
    renames(&format!("//- a.kt\n{at_entry}"), "MUL", &[("a.kt", &source("MUL", "sym"))]);
    let at_name = source("TIMES", "sym").replacen("sym", "s<caret>ym", 1);
    renames(&format!("//- a.kt\n{at_name}"), "sign", &[("a.kt", &source("TIMES", "sign"))]);
    let at_call = source("TIMES", "sym").replacen("invoke", "in<caret>voke", 1);
    let outcome = change(&format!("//- a.kt\n{at_call}"), |symbol, plan| {
        let related = Related::default();
        plan(&Refactoring::Rename { symbol, new_name: "go", with_family: true, related })
    });
    assert!(!outcome.refactored.conflicts.is_empty());
}
