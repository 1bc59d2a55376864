//! Kinds of uses and of declarations that a change misses easily, each with what its compiler or interpreter says of it.

use ide_model::{MemberEdit, MemberPlace, Refactoring};

use crate::inside::{only_text, reason};
use crate::refactor::{Outcome, change, refuses, renames, renames_together};
use crate::signatures::{parameter, parameters, signature};

const CARGO: &str = "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/main.rs\n";
const GO: &str = "//- go.mod\nmodule m\n//- a.go\npackage m\n\n";

/// New code in the place of the body or the value of what is declared at the caret.
fn body(source: &str, text: &str) -> Outcome {
    change(source, |symbol, plan| {
        plan(&Refactoring::Members { edits: &[MemberEdit { place: MemberPlace::Body(symbol), text }] })
    })
}

/// New code in the place of the whole declaration at the caret.
fn whole(source: &str, text: &str) -> Outcome {
    change(source, |symbol, plan| {
        plan(&Refactoring::Members { edits: &[MemberEdit { place: MemberPlace::Whole(symbol), text }] })
    })
}

#[test]
fn a_member_goes_for_the_one_that_it_takes_the_place_of() {
    // tsc: Property 'state' in type 'Badge' is not assignable to the same property in base type.
    let class = "class Badge extends Component<{ «run»: boolean }> {\n  state = { «run»: true };\n  render() { return this.state.«run»; }\n}\n";
    renames_together("a.ts", &format!("class Component<S> {{ state!: Readonly<S>; }}\n{class}"));
    let library = "//- node_modules/lib/package.json\n{\"name\": \"lib\", \"types\": \"index.d.ts\"}\n//- node_modules/lib/index.d.ts\nexport class Component<S> { state: Readonly<S>; }\n";
    let plain = class.replace("«run»", "run").replacen("run", "r<caret>un", 1);
    let wanted = format!("import {{ Component }} from \"lib\";\n{}", class.replace("«run»", "went"));
    renames(
        &format!("{library}//- a.ts\nimport {{ Component }} from \"lib\";\n{plain}"),
        "went",
        &[("a.ts", &wanted)],
    );
}

#[test]
fn the_content_of_an_element_is_handed_over_by_a_name() {
    // tsc: Type '{ children: … }' is not assignable to type 'P'.
    let head = "interface P { chil<caret>dren: (s: string) => any }\nfunction Label(p: P) { return p.children(\"x\"); }\n";
    for element in ["<Label>{(s: string) => s}</Label>", "<Label>text</Label>", "<Label><b/></Label>"] {
        refuses(&format!("//- a.tsx\n{head}const x = {element};\n"), "content", &["outside_project"]);
    }
    let tree = "interface Tree { «run»: Tree[] }\nfunction Label(p: { n: Tree, children: any }) { return p.n.«run»; }\n";
    let tree = tree.replace("«run»", "children").replacen("children", "chil<caret>dren", 1);
    let other = "const x = <Label n={{ children: [] }}>text</Label>;\nconst y = <Label n={{ children: [] }} children={1}>\n</Label>;\n";
    let wanted = format!("{tree}{other}").replace("<caret>", "");
    let wanted = wanted.replacen("children", "kids", 1).replace("p.n.children", "p.n.kids");
    let wanted = wanted.replace("{{ children: [] }}", "{{ kids: [] }}");
    renames(&format!("//- a.tsx\n{tree}{other}"), "kids", &[("a.tsx", &wanted)]);
}

#[test]
fn a_literal_may_go_through_a_parameter_that_is_taken_apart() {
    // node: NaN, as `price` of the literal is read as `cost`.
    let types = "/** @typedef {{ id: number, pri<caret>ce: number }} Item */\n/** @param {Item} item */\nfunction add(item) { return item.price; }\n";
    let taking =
        "function from({ items = [], name: label = \"none\" } = {}) { for (const it of items) add(it); }\n";
    refuses(
        &format!("//- a.js\n{types}{taking}from({{ items: [{{ id: 1, price: 5 }}] }});\n"),
        "cost",
        &["unresolved_use"],
    );
}

#[test]
fn a_name_is_not_visible_in_the_value_that_it_is_taken_from() {
    // kotlinc: Unresolved reference 'x'.
    renames(
        "//- Point.java\npublic record Point(int <caret>x, int y) {}\n//- a.kt\nfun f(): Int {\n    val (x, y) = with(Point(1, 2)) { x() to y() }\n    return x + y\n}\n",
        "left",
        &[
            ("Point.java", "public record Point(int left, int y) {}\n"),
            (
                "a.kt",
                "fun f(): Int {\n    val (x, y) = with(Point(1, 2)) { left() to y() }\n    return x + y\n}\n",
            ),
        ],
    );
}

#[test]
fn the_files_of_an_inline_module_lie_in_a_directory_of_its_name() {
    // rustc: E0583, file not found for module `text`.
    renames(
        &format!(
            "{CARGO}mod ut<caret>il {{ pub mod text; }}\nfn main() {{ util::text::f(); }}\n//- src/util/text.rs\npub fn f() {{}}\n"
        ),
        "aux2",
        &[
            ("src/aux2/text.rs", "pub fn f() {}\n"),
            ("src/main.rs", "mod aux2 { pub mod text; }\nfn main() { aux2::text::f(); }\n"),
        ],
    );
}

#[test]
fn go_interfaces_inside_of_functions_are_implemented_too() {
    // go vet is silent, and the assertion does not hold any more.
    let asks = "func (b *Base) Id<caret>ent() int { return 1 }\n\ntype Base struct{}\n\ntype User struct{ *Base }\n\nfunc f(d any) {\n\tif x, ok := d.(interface{ Ident() int }); ok {\n\t\tprintln(x.Ident())\n\t}\n\ttype other interface{ Ident() string }\n}\n\nfunc g(d interface{ Ident() int }) int { return d.Ident() }\n";
    let wanted = asks.replace("<caret>", "").replace("Ident() int", "Ref() int").replace(".Ident", ".Ref");
    renames(&format!("{GO}{asks}"), "Ref", &[("a.go", &format!("package m\n\n{wanted}"))]);
    let outcome = change(&format!("{GO}{asks}"), |symbol, plan| {
        plan(&Refactoring::SafeDelete { symbol, in_spite: false })
    });
    assert_eq!(outcome.conflicts, ["in_use"]);
}

#[test]
fn one_of_several_names_gets_its_own_value() {
    let sets = |path: &str, before: &str, after: &str| {
        let head = if path == "a.go" { "//- go.mod\nmodule m\n" } else { "" };
        assert_eq!(only_text(&body(&format!("{head}//- {path}\n{before}"), "9")), after);
    };
    // go: assignment mismatch: 2 variables but 1 value.
    sets("a.go", "package m\n\nvar <caret>v, w = 1, 2\n", "package m\n\nvar v, w = 9, 2\n");
    sets(
        "a.go",
        "package m\n\nconst (\n\tA, <caret>B = 1, 2\n)\n",
        "package m\n\nconst (\n\tA, B = 1, 9\n)\n",
    );
    sets("a.py", "a, <caret>b = 1, 2\n", "a, b = 1, 9\n");
    for (path, source) in [
        ("a.py", "a, <caret>b = f()\n"),
        ("a.py", "<caret>a = b = 1\n"),
        ("a.ts", "const { <caret>a, b } = f(), c = 2;\n"),
        ("a.ts", "const [<caret>a, b] = f();\n"),
    ] {
        assert!(reason(&body(&format!("//- {path}\n{source}"), "9")).contains("together with"), "{source}");
    }
}

#[test]
fn statements_take_the_place_of_a_value_in_braces() {
    let is = |path: &str, before: &str, text: &str, after: &str| {
        assert_eq!(only_text(&body(&format!("//- {path}\n{before}"), text)), after);
    };
    let function = "fun String.e<caret>xt(): Int = length\n";
    is("a.kt", function, "return 9", "fun String.ext(): Int { return 9 }\n");
    is("a.kt", function, "val q = 1\nreturn q", "fun String.ext(): Int {\n    val q = 1\n    return q\n}\n");
    is("a.kt", function, "9", "fun String.ext(): Int = 9\n");
    is("a.kt", function, "throw Error()", "fun String.ext(): Int = throw Error()\n");
    let property = "class A(val x: Int) {\n    val y<caret> get() = x + 1\n    val z: Int\n        get() { return x }\n}\n";
    is(
        "a.kt",
        property,
        "x + 2",
        "class A(val x: Int) {\n    val y get() = x + 2\n    val z: Int\n        get() { return x }\n}\n",
    );
    is(
        "a.kt",
        "class A {\n    val y<caret>: Int get() = 1\n}\n",
        "return 2",
        "class A {\n    val y: Int get() { return 2 }\n}\n",
    );
    // kotlinc: Return type mismatch: expected 'Unit', actual 'Int'.
    let untyped = function.replace(": Int", "");
    assert!(reason(&body(&format!("//- a.kt\n{untyped}"), "return 9")).contains("is not written"));
    is(
        "a.ts",
        "const f<caret> = (a: number) => a * 2;\n",
        "return 9;",
        "const f = (a: number) => { return 9; };\n",
    );
    is("a.ts", "const f<caret> = (a: number) => a * 2;\n", "a + 1", "const f = (a: number) => a + 1;\n");
    is(
        "A.java",
        "class A { Runnable r<caret> = () -> f(); static void f() {} }\n",
        "f(); f();",
        "class A { Runnable r = () -> { f(); f(); }; static void f() {} }\n",
    );
}

#[test]
fn code_that_declares_nothing_is_no_member() {
    for (path, source, text) in [
        ("a.py", "class A:\n    def g<caret>o(self):\n        return 1\n", "return 5"),
        ("A.java", "class A { int g<caret>o() { return 1; } }\n", "return 5;"),
        ("a.kt", "class A { fun g<caret>o(): Int { return 1 } }\n", "return 5"),
        ("a.ts", "class A { g<caret>o() { return 1; } }\n", "return 5;"),
        ("a.ts", "function g<caret>o() { return 1; }\n", "return 5;"),
        ("a.js", "function g<caret>o() { return 1; }\n", "return 5;"),
        ("a.go", "package m\n\nfunc G<caret>o() int { return 1 }\n", "return 5"),
        ("a.php", "<?php\nfunction g<caret>o() { return 1; }\n", "return 5;"),
        ("a.php", "<?php\nclass A { function g<caret>o() { return 1; } }\n", "return 5;"),
        ("src/main.rs", "fn g<caret>o() -> i32 { 1 }\n", "return 5;"),
    ] {
        let head = "//- go.mod\nmodule m\n//- Cargo.toml\n[package]\nname = \"m\"\n";
        let outcome = whole(&format!("{head}//- {path}\n{source}"), text);
        assert!(!outcome.refactored.conflicts.is_empty(), "{path}\n{:#?}", outcome.changed);
    }
}

#[test]
fn a_php_text_may_name_a_function_that_a_parameter_takes() {
    // php: Argument #1 ($f) must be of type callable, string given.
    let takers = "function apply(callable $f, ?callable $g = null) { return $f(1); }\nclass M { function __construct(callable $f) {} static function on(string $n, callable|string $c) {} }\n/** @param callable $f */\nfunction other($f) {}\n";
    let source = |call: &str| {
        format!("//- a.php\n<?php\nfunction ha<caret>lf($v) {{ return $v; }}\n{takers}{call};\n")
    };
    for call in [
        "apply('half')",
        "apply(g: \"half\")",
        "new M('half')",
        "M::on(f(1), 'half')",
        "other('half')",
        "apply(['half'][0])",
    ] {
        refuses(&source(call), "halve", &["unresolved_use"]);
    }
    let outcome = change(&source("f('half'); echo 'half'"), |symbol, plan| {
        plan(&Refactoring::SafeDelete { symbol, in_spite: false })
    });
    assert_eq!(outcome.refactored.conflicts, []);
}

#[test]
fn macros_of_the_project_are_not_read_as_those_of_libraries() {
    let main = "mod mac;\nfn mi<caret>nus(a: i32, b: i32) -> i32 { a - b }\nfn main() { info!(\"{}\", minus(1, 2)); }\n";
    let own =
        "//- src/mac.rs\n#[macro_export]\nmacro_rules! info { ($($t:tt)*) => { stringify!($($t)*) } }\n";
    let swapped = parameters(&[parameter("b"), parameter("a")]);
    let outcome = signature(&format!("{CARGO}{main}{own}"), &swapped);
    assert!(reason(&outcome).contains("in a macro"), "{:#?}", outcome.changed);
    let outcome = signature(&format!("{CARGO}{main}"), &swapped);
    assert!(only_text(&outcome).contains("minus(2, 1)"));
}

#[test]
fn a_declaration_is_no_body_of_itself() {
    // Each of them could be read inside of its own body, where nobody would call it.
    for (source, new) in [
        (
            "//- A.java\nclass A {\n    int f<caret>(int a) {\n        return a;\n    }\n}\n",
            "int f(int a) {\n    return 2;\n}",
        ),
        ("//- a.kt\nfun f<caret>(a: Int): Int {\n    return a\n}\n", "fun f(a: Int): Int {\n    return 2\n}"),
        ("//- a.kt\nfun f<caret>(a: Int): Int = a\n", "fun f(a: Int): Int = 2"),
        ("//- a.py\ndef f<caret>(a):\n    return a\n", "def f(a):\n    return 2"),
        (
            "//- a.py\nclass A:\n    async def f<caret>(self):\n        return 1\n",
            "@cached\nasync def f(self):\n    return 2",
        ),
        ("//- a.py\nlimit<caret> = 1\n", "limit = 2"),
        (
            "//- a.ts\nexport function f<caret>(a: number) {\n  return a;\n}\n",
            "export function f(a: number) {\n  return 2;\n}",
        ),
        (
            "//- a.ts\nclass A {\n  f<caret>(a: number) {\n    return a;\n  }\n}\n",
            "f(a: number) {\n  return 2;\n}",
        ),
        ("//- a.js\nconst f<caret> = (a) => a;\n", "const f = (a) => 2;"),
        (
            "//- go.mod\nmodule m\n//- a.go\npackage m\n\nfunc F<caret>(a int) int {\n\treturn a\n}\n",
            "func F(a int) int {\n\treturn 2\n}",
        ),
        (
            "//- a.php\n<?php\nfunction f<caret>($a) {\n    return $a;\n}\n",
            "function f($a) {\n    return 2;\n}",
        ),
        (
            "//- a.php\n<?php\nclass A {\n    public function f<caret>($a) {\n        return $a;\n    }\n}\n",
            "/** Two. */\npublic function f($a) {\n    return 2;\n}",
        ),
        (
            "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\npub fn f<caret>(a: i32) -> i32 {\n    a\n}\n",
            "pub fn f(a: i32) -> i32 {\n    2\n}",
        ),
        (
            "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\npub struct S<caret> {\n    a: i32,\n}\n",
            "pub struct S {\n    b: i32,\n}",
        ),
    ] {
        let outcome = body(source, new);
        assert!(
            reason(&outcome).contains("is the whole declaration of"),
            "{new}: {:?}",
            outcome.refactored.conflicts
        );
    }
    // Bodies that name the declaration, or declare something else.
    for (source, new) in [
        ("//- a.py\ndef f<caret>(a):\n    return a\n", "def g(a):\n    return f(a - 1)\nreturn g(a)"),
        ("//- a.js\nfunction f<caret>(a) {\n  return a;\n}\n", "f(1);"),
        ("//- a.ts\nclass A {\n  f<caret>() {\n    return 1;\n  }\n}\n", "this.f();"),
        ("//- a.py\nlimit<caret> = 1\n", "limits[0]"),
    ] {
        let outcome = body(source, new);
        assert!(outcome.conflicts.is_empty(), "{new}: {:?}", outcome.refactored.conflicts);
    }
}
