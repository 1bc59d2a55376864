//! The verdicts of compilers on changes inside of code, as the smallest projects that show them.

use ide_model::{NewParameter, Refactoring, SignatureChange};

use crate::inside::{extract, inline, method, only_text, reason, refuses_to_extract};
use crate::refactor::change_at;
use crate::signatures::{parameter, signature};

const GO_PARTS: &str = "//- go.mod\nmodule m\n//- b/b.go\npackage b\n\nimport \"bytes\"\n\ntype B struct{}\n\nfunc Two() ([2]*B, error) { return [2]*B{}, nil }\nfunc Buf() *bytes.Buffer { return nil }\nfunc None() {}\n";

#[test]
fn a_go_type_is_said_with_its_package_and_its_length() {
    let source = |body: &str| {
        format!(
            "{GO_PARTS}//- a.go\npackage m\n\nimport (\n\t\"bytes\"\n\t\"m/b\"\n)\n\nfunc use(a ...any) {{}}\n\nfunc f(m map[string][]int) {{\n{body}\n}}\n\nvar _ bytes.Buffer\n"
        )
    };
    let part = |body: &str, name: &str| {
        let outcome = method(&source(body), &format!("use({name})"));
        only_text(&outcome).lines().find(|line| line.starts_with("func part")).unwrap_or_default().to_owned()
    };
    assert_eq!(part("\tx, err := b.Two()\n\t<caret>use(x)\n\tuse(err)", "x"), "func part(x [2]*b.B) {");
    assert_eq!(part("\tx, err := b.Two()\n\t<caret>use(err)\n\tuse(x)", "err"), "func part(err error) {");
    assert_eq!(part("\tx := b.Buf()\n\t<caret>use(x)", "x"), "func part(x *bytes.Buffer) {");
    assert_eq!(
        part("\tfor k, v := range m {\n\t\tuse(k)\n\t\t<caret>use(v)\n\t}", "v"),
        "func part(v []int) {"
    );
    assert_eq!(part("\tx, ok := m[\"a\"]\n\tuse(ok)\n\t<caret>use(x)", "x"), "func part(x []int) {");
    assert_eq!(part("\tx := new(bytes.Buffer)\n\t<caret>use(x)", "x"), "func part(x *bytes.Buffer) {");
    assert_eq!(part("\tx := append(m[\"a\"], 1)[1:]\n\t<caret>use(x)", "x"), "func part(x []int) {");
}

#[test]
fn a_go_call_gives_one_value_to_be_named() {
    let source = |body: &str| {
        format!("{GO_PARTS}//- a.go\npackage m\n\nimport \"m/b\"\n\nfunc f() {{\n\t{body}\n}}\n")
    };
    refuses_to_extract(&source("<caret>b.None()"), "b.None()", "gives no value");
    refuses_to_extract(&source("<caret>b.Two()"), "b.Two()", "gives several values");
    assert!(only_text(&extract(&source("<caret>b.Buf()"), "b.Buf()", "x", false)).contains("x := b.Buf()"));
}

#[test]
fn the_parameters_of_a_test_belong_to_who_runs_it() {
    let source = "//- go.mod\nmodule m\n//- a_test.go\npackage m\n\nimport \"testing\"\n\nfunc <caret>TestA(t *testing.T) {}\n";
    let change = SignatureChange { parameters: Some(vec![parameter("u")]), ..SignatureChange::default() };
    let outcome = signature(source, &change);
    assert!(reason(&outcome).contains("the test runner"), "{:?}", outcome.refactored.conflicts);
}

#[test]
fn what_a_typescript_function_gives_is_said_of_its_part_too() {
    let outcome = method(
        "//- a.ts\ntype F<T> = (x: T) => T;\nfunction id<T>(x: T): T { return x; }\nfunction g<T>(f: (x: T) => any): F<T> { return f; }\nexport function all<O>(): F<O> {\n  <caret>return g(id);\n}\n",
        "return g(id);",
    );
    let text = only_text(&outcome);
    assert!(
        text.contains("return part<O>();") && text.contains("function part<O>(): F<O> {\n  return g(id);"),
        "{text}"
    );
}

#[test]
fn an_optional_function_stays_one_when_it_is_passed_on() {
    let outcome = method(
        "//- a.ts\nfunction use(a: any, b: any) {}\nexport function f(next?: (x: number) => void, all = 3) {\n  <caret>use(next, all);\n}\n",
        "use(next, all);",
    );
    let text = only_text(&outcome);
    assert!(text.contains("function part(next: ((x: number) => void) | undefined, all: number)"), "{text}");
}

#[test]
fn an_overload_says_only_that_a_new_parameter_may_be_left_out() {
    let added = NewParameter { default: Some("0".into()), ty: Some("number".into()), ..parameter("b") };
    let change =
        SignatureChange { parameters: Some(vec![parameter("a"), added]), ..SignatureChange::default() };
    let outcome = signature(
        "//- a.ts\nexport function f(a: string): string;\nexport function f(a: number): number;\nexport function <caret>f(a: any): any {\n  return a;\n}\n",
        &change,
    );
    let text = only_text(&outcome);
    assert!(
        text.contains("f(a: string, b?: number): string;")
            && text.contains("f(a: any, b: number = 0): any {"),
        "{text}"
    );
}

#[test]
fn an_argument_that_one_overload_asks_for_is_left_out_as_another_one_allows() {
    let source = "//- a.ts\nfunction <caret>f(a: number, b: number, c: true): void;\nfunction f(a: number, b?: number, c?: false): number;\nfunction f(a: number, b = 0, c = false): any {\n  return a + b;\n}\nf(1);\nf(1, 2, true);\n";
    let renamed = NewParameter { was: Some("b".into()), ..parameter("d") };
    let change = SignatureChange {
        parameters: Some(vec![parameter("a"), renamed, parameter("c")]),
        ..SignatureChange::default()
    };
    let outcome = signature(source, &change);
    assert_eq!(outcome.refactored.conflicts, [], "{:#?}", outcome.changed);
    let text = only_text(&outcome);
    assert!(text.contains("d = 0, c = false") && text.ends_with("f(1);\nf(1, 2, true);\n"), "{text}");
}

#[test]
fn the_import_of_a_function_goes_away_with_it() {
    let outcome = inline(
        "//- a.ts\nexport function <caret>twice(a: number) {\n  return a * 2;\n}\nexport const one = 1;\n//- b.ts\nimport { one, twice } from './a';\n\nexport const x = twice(4);\nexport const y = one;\n",
    );
    assert_eq!(outcome.refactored.conflicts, [], "{:#?}", outcome.changed);
    assert_eq!(
        outcome.changed["b.ts"],
        "import { one } from './a';\n\nexport const x = 4 * 2;\nexport const y = one;\n"
    );
}

#[test]
fn what_is_reached_through_an_untyped_parameter_need_not_be_known() {
    let outcome = method(
        "//- a.py\nclass A:\n    def go(self):\n        pass\n\ndef f():\n    a = A()\n    <caret>a.go()\n    print(a)\n",
        "a.go()\n    print(a)",
    );
    assert!(
        only_text(&outcome).ends_with("def part(a):\n    a.go()\n    print(a)\n"),
        "{:?}",
        outcome.changed
    );
}

#[test]
fn a_comment_follows_the_parameters_that_it_describes() {
    let source = "//- A.java\nclass A {\n  /**\n   * Does it.\n   * @param a first,\n   *   and more\n   * @param b second\n   */\n  int <caret>f(int a, int b) { return b; }\n  int g() { return f(1, f(2, 3)); }\n}\n";
    let renamed = NewParameter { was: Some("b".into()), ..parameter("c") };
    let change =
        SignatureChange { parameters: Some(vec![parameter("a"), renamed]), ..SignatureChange::default() };
    let outcome = signature(source, &change);
    let text = only_text(&outcome);
    assert!(text.contains("@param c second") && text.contains("f(int a, int c) { return c; }"), "{text}");
    let added = NewParameter { ty: Some("int".into()), value: Some("0".into()), ..parameter("d") };
    let change = SignatureChange {
        parameters: Some(vec![parameter("a"), parameter("b"), added]),
        ..SignatureChange::default()
    };
    let outcome = signature(source, &change);
    assert!(only_text(&outcome).contains("f(1, f(2, 3, 0), 0)"), "{:?}", outcome.changed);
    let change = SignatureChange { parameters: Some(vec![parameter("b")]), ..SignatureChange::default() };
    let outcome = signature(&source.replace("f(1, f(2, 3))", "f(1, 3)"), &change);
    let text = only_text(&outcome);
    assert!(text.contains("   * Does it.\n   * @param b second\n") && text.contains("return f(3)"), "{text}");
}

#[test]
fn what_is_written_to_in_a_list_is_no_value() {
    let source = |body: &str| {
        format!(
            "//- go.mod\nmodule m\n//- a.go\npackage m\n\ntype T struct{{ a, b int }}\n\nfunc f(t *T) {{\n\t{body}\n}}\n"
        )
    };
    refuses_to_extract(&source("<caret>t.a = 1"), "t.a", "written to");
    refuses_to_extract(&source("t.a, <caret>t.b = 1, 2"), "t.b", "written to");
}

#[test]
fn a_constructor_keeps_what_only_it_may_do() {
    let source = |body: &str| {
        format!(
            "//- A.java\nclass A extends B {{\n  final int n;\n  int m;\n  A() {{\n    super();\n    {body}\n  }}\n}}\nclass B {{}}\n"
        )
    };
    let why = |source: &str, select: &str| reason(&method(source, select)).to_owned();
    assert!(
        why(&source("this.<caret>n = 1;").replace("this.<caret>", "<caret>this."), "this.n = 1;")
            .contains("its value")
    );
    assert!(
        why(
            "//- A.java\nclass A {\n  A() {\n    <caret>super();\n    f();\n  }\n  void f() {}\n}\n",
            "super();"
        )
        .contains("another one")
    );
    assert!(only_text(&method(&source("n = 1;\n    <caret>m = 2;"), "m = 2;")).contains("part();"));
    let ts = "//- a.ts\nclass A {\n  n: number;\n  constructor() {\n    <caret>this.n = 1;\n  }\n}\n";
    assert!(why(ts, "this.n = 1;").contains("its value"));
}

#[test]
fn parameters_that_share_a_type_change_by_themselves() {
    let source = "//- go.mod\nmodule m\n//- a.go\npackage m\n\nfunc <caret>f(a, b string, c int) string { return a + b }\n\nvar x = f(\"1\", \"2\", 3)\n";
    let renamed = NewParameter { was: Some("a".into()), ..parameter("z") };
    let change = SignatureChange {
        parameters: Some(vec![parameter("b"), renamed, parameter("c")]),
        ..SignatureChange::default()
    };
    let outcome = signature(source, &change);
    let text = only_text(&outcome);
    assert!(text.contains("func f(b string, z string, c int) string { return z + b }"), "{text}");
    assert!(text.contains("f(\"2\", \"1\", 3)"), "{text}");
}

#[test]
fn a_signature_changes_with_every_implementation_of_its_trait() {
    let source = "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\nuse std::fmt;\npub trait T {\n    fn go<caret>(&self, a: u32);\n}\nimpl T for usize {\n    fn go(&self, a: u32) {}\n}\nimpl<X: T> T for &X {\n    fn go(&self, a: u32) {}\n}\n";
    let change = SignatureChange { parameters: Some(Vec::new()), ..SignatureChange::default() };
    let outcome = signature(source, &change);
    assert_eq!(only_text(&outcome).matches("fn go(&self)").count(), 3, "{:?}", outcome.changed);
    let foreign = "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\nstruct A;\nimpl other::T for A {\n    fn go<caret>(&self, a: u32) {}\n}\n";
    assert!(reason(&signature(foreign, &change)).contains("not in the project"));
}

#[test]
fn what_a_trait_asks_for_is_not_deleted() {
    let source = "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\nstruct A;\nimpl Iterator for A {\n    type <caret>Item = u8;\n    fn next(&mut self) -> Option<u8> {\n        None\n    }\n}\n";
    let delete = |source: &str| {
        change_at(source, |_, symbol, plan| {
            plan(&Refactoring::SafeDelete { symbol: &symbol(), in_spite: false })
        })
    };
    assert!(reason(&delete(source)).contains("asks for it"));
    let method = source.replace("<caret>", "").replace("fn next", "fn <caret>next");
    let outcome = delete(&method);
    assert!(outcome.refactored.conflicts.iter().any(|c| c.message.contains("asks for it")));
}

#[test]
fn a_typescript_test_keeps_what_it_tells() {
    let source = |before: &str, body: &str| {
        format!(
            "//- a.ts\ninterface O {{ readonly all: number[]; done?: () => void; open: boolean; kind: 'a' | 'b' }}\nfunction is(x: any): x is O {{ return !!x; }}\nexport function f(o: O, x: string | number{before}) {{\n  {body}\n}}\n"
        )
    };
    let relies = "relies on this test";
    refuses_to_extract(&source("", "if (<caret>o.done) o.done();"), "o.done", relies);
    refuses_to_extract(&source("", "if (!(<caret>o.done)) return;\n  o.done();"), "o.done", relies);
    refuses_to_extract(&source("", "return <caret>o.done && o.done();"), "o.done", relies);
    refuses_to_extract(&source("", "if (<caret>typeof x === 'string') is(x);"), "typeof x", relies);
    refuses_to_extract(&source(", y: any[]", "if (is(<caret>y[0])) y[0].open;"), "y[0]", relies);
    // The compiler looks through the name of a whole test of what cannot change, and a truth value is one either way.
    let named = |body: &str, select: &str| {
        let outcome = extract(&source("", body), select, "value", false);
        assert!(only_text(&outcome).contains(&format!("const value = {select};")), "{:?}", outcome.changed);
    };
    named("if (<caret>typeof x === 'string') is(x);", "typeof x === 'string'");
    named("if (<caret>o.open) o.open;", "o.open");
    named("if (<caret>o.all.length) o.all;", "o.all.length");
}

#[test]
fn a_typescript_value_without_a_type_of_its_own_gets_that_of_its_place() {
    let source = |body: &str| {
        format!(
            "//- a.ts\ntype F<T> = (x: T) => T;\nfunction make<T>(f: (x: T) => void): F<T> {{ return x => x; }}\nfunction id<T>(x: T): T {{ return x; }}\nfunction use<T>(f: F<T>) {{}}\nexport function f<T>(x: T): F<T> {{\n  {body}\n}}\n"
        )
    };
    let outcome = extract(&source("return <caret>make(x => {});"), "make(x => {})", "value", false);
    assert!(only_text(&outcome).contains("const value: F<T> = make(x => {});"), "{:?}", outcome.changed);
    refuses_to_extract(&source("use<T>(<caret>make(x => {}));"), "make(x => {})", "comes from the place");
    refuses_to_extract(&source("use<T>(<caret>y => y);"), "y => y", "comes from the place");
    let outcome = extract(&source("use<T>(<caret>id(y => x));"), "id(y => x)", "value", false);
    assert!(reason(&outcome).contains("comes from the place"), "{:?}", outcome.changed);
    let outcome =
        extract(&source("use<T>(make(<caret>id((y: T) => {})));"), "id((y: T) => {})", "value", false);
    assert!(only_text(&outcome).contains("const value = id((y: T) => {});"), "{:?}", outcome.changed);
    let outcome =
        extract(&source("use<any>(<caret>make((y: T) => {}));"), "make((y: T) => {})", "value", false);
    assert!(only_text(&outcome).contains("const value = make((y: T) => {});"), "{:?}", outcome.changed);
}

#[test]
fn what_a_function_elsewhere_could_not_be_told_stays_inside() {
    let source = |body: &str| {
        format!(
            "//- a.ts\ninterface O {{ done?: () => void; open: boolean }}\nfunction each<T>(all: T[], f: (x: T) => void) {{ all.forEach(f); }}\nexport function f(o: O) {{\n  each([o], (x) => {{\n    {body}\n  }});\n}}\n"
        )
    };
    let outcome =
        method(&source("const y = x.open;\n    <caret>each([y], () => x.open);"), "each([y], () => x.open);");
    assert!(
        only_text(&outcome).contains(
            "    const y = x.open;\n    const part = () => {\n      each([y], () => x.open);\n    };\n    part();\n"
        ),
        "{:?}",
        outcome.changed
    );
    let outcome = method(&source("if (o.done) {\n      <caret>o.done();\n    }"), "o.done();");
    assert!(reason(&outcome).contains("relies on a test before it"), "{:?}", outcome.changed);
}

#[test]
fn a_python_part_says_what_its_function_says_and_a_static_one_has_a_name() {
    let outcome = method(
        "//- a.py\nclass A:\n    @staticmethod\n    def f(x: int) -> str:\n        print(x)\n        <caret>return str(x)\n",
        "return str(x)",
    );
    assert_eq!(
        only_text(&outcome),
        "class A:\n    @staticmethod\n    def f(x: int) -> str:\n        print(x)\n        return A.part(x)\n\n    @staticmethod\n    def part(x) -> str:\n        return str(x)\n"
    );
}

#[test]
fn a_python_part_declares_what_it_writes_first_and_may_hide_types() {
    let outcome = method(
        "//- a.py\nimport socket\n\ndef f(all):\n    for _ in all:\n        r = socket.socket()\n        r.close()\n    <caret>r = socket.socket()\n",
        "r = socket.socket()",
    );
    assert!(
        only_text(&outcome).ends_with("    part()\n\n\ndef part():\n    r = socket.socket()\n"),
        "{:?}",
        outcome.changed
    );
}

#[test]
fn what_is_exported_again_or_overloaded_stays() {
    let source = "//- a.ts\nexport function <caret>twice(a: number) {\n  return a * 2;\n}\n//- b.ts\nexport { twice } from './a';\n//- c.ts\nimport { twice } from './a';\nexport const x = twice(4);\n";
    assert!(reason(&inline(source)).contains("exported again"));
    let source = "//- a.ts\nexport function <caret>f(a: string): string;\nexport function f(a: any): any {\n  return a;\n}\nexport const x = f('');\n";
    assert!(reason(&inline(source)).contains("overloads"));
}

const CRATE: &str = "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\n";

#[test]
fn what_rust_lends_to_be_written_is_lent_on() {
    let outcome = method(
        &format!(
            "{CRATE}fn f<'a>(to: &'a mut Vec<u8>, n: u8) {{\n    <caret>to.push(n);\n    to.push(1);\n}}\n"
        ),
        "to.push(n);",
    );
    let text = only_text(&outcome);
    assert!(
        text.contains("    part(to, n);\n") && text.contains("fn part(to: &mut Vec<u8>, n: u8) {"),
        "{text}"
    );
    let outcome = method(
        &format!(
            "{CRATE}fn f<'a>(a: &'a str, b: &'a str) -> usize {{\n    <caret>pick(a, b).len()\n}}\nfn pick<'a>(a: &'a str, _b: &'a str) -> &'a str {{ a }}\n"
        ),
        "pick(a, b)",
    );
    assert!(!outcome.refactored.conflicts.is_empty(), "{:?}", outcome.changed);
}

#[test]
fn rust_types_are_told_where_a_call_cannot_tell_them() {
    let outcome = method(
        &format!(
            "{CRATE}trait Size {{ const N: usize; }}\nfn f<F: Size>(a: usize) -> usize {{\n    <caret>let n = a.count_ones() + 1;\n    F::N + a + n as usize\n}}\n"
        ),
        "let n = a.count_ones() + 1;\n    F::N + a + n as usize",
    );
    let text = only_text(&outcome);
    assert!(
        text.contains("    part::<F>(a)\n") && text.contains("fn part<F: Size>(a: usize) -> usize {"),
        "{text}"
    );
    let outcome = method(
        &format!(
            "{CRATE}#[derive(Default)]\nstruct S {{ n: u64 }}\nfn f() {{\n    let s = S::default();\n    let n = s.n.leading_zeros();\n    let k = 64 - n;\n    <caret>go(&s, k);\n    go(&s, n);\n}}\nfn go(_s: &S, _k: u32) {{}}\n"
        ),
        "go(&s, k);",
    );
    assert!(reason(&outcome).contains("`s` is moved"), "{:?}", outcome.refactored.conflicts);
    let outcome = method(
        &format!(
            "{CRATE}#[derive(Default)]\nstruct S {{ n: u64 }}\nfn f() {{\n    let s = S::default();\n    let n = s.n.leading_zeros();\n    let k = 64 - n;\n    <caret>go(s, k);\n}}\nfn go(_s: S, _k: u32) {{}}\n"
        ),
        "go(s, k);",
    );
    assert!(only_text(&outcome).contains("fn part(s: S, k: u32) {"), "{:?}", outcome.changed);
}

#[test]
fn what_is_taken_out_of_a_trait_stands_beside_it() {
    let source = |body: &str| {
        format!(
            "{CRATE}trait Go {{ fn go(&self, n: u8) -> u8; }}\nstruct S<T> {{ n: u8, t: T }}\nimpl<T: Copy> Go for S<T> {{\n    fn go(&self, n: u8) -> u8 {{\n        {body}\n    }}\n}}\n"
        )
    };
    let outcome = method(&source("<caret>n + 1"), "n + 1");
    let text = only_text(&outcome);
    assert!(
        text.contains("        part(n)\n") && text.ends_with("}\n\nfn part(n: u8) -> u8 {\n    n + 1\n}\n"),
        "{text}"
    );
    let outcome = method(&source("<caret>let k = self.n;\n        k + n"), "let k = self.n;\n        k + n");
    let text = only_text(&outcome);
    assert!(text.contains("        self.part(n)\n"), "{text}");
    assert!(
        text.ends_with(
            "}\n\nimpl<T: Copy> S<T> {\n    fn part(&self, n: u8) -> u8 {\n        let k = self.n;\n        k + n\n    }\n}\n"
        ),
        "{text}"
    );
    let outcome = method(
        &source("<caret>let k: Option<T> = None;\n        drop(k);\n        n"),
        "let k: Option<T> = None;\n        drop(k);",
    );
    assert!(reason(&outcome).contains("would not mean the same"), "{:?}", outcome.refactored.conflicts);
    let outcome = method(
        &source("<caret>let k: Option<Self> = None;\n        drop(k);\n        n"),
        "let k: Option<Self> = None;",
    );
    assert!(reason(&outcome).contains("no further methods"), "{:?}", outcome.refactored.conflicts);
}

#[test]
fn what_a_type_does_not_name_cannot_be_said_of_it() {
    let outcome = method(
        &format!(
            "{CRATE}struct S {{ n: u8 }}\ntrait Go<T> {{ fn go(&self, t: T) -> u8; }}\nimpl<T> Go<T> for S {{\n    fn go(&self, _t: T) -> u8 {{\n        <caret>self.n + 1\n    }}\n}}\n"
        ),
        "self.n + 1",
    );
    assert!(reason(&outcome).contains("no further methods"), "{:?}", outcome.changed);
}

#[test]
fn a_place_that_is_written_is_no_value_of_a_function() {
    let outcome = method(
        "//- a.php\n<?php\nfunction f(array $a, $b) {\n  <caret>$a['x'] = $b;\n  return $a;\n}\n",
        "$a['x']",
    );
    assert!(reason(&outcome).contains("written to"), "{:?}", outcome.refactored.conflicts);
}

#[test]
fn several_values_of_a_go_call_are_given_on() {
    let outcome = method(
        "//- go.mod\nmodule m\n//- a.go\npackage m\n\nfunc two(a int) (string, error) { return \"\", nil }\n\nfunc f(a int) error {\n\ts, err := <caret>two(a)\n\tprintln(s)\n\treturn err\n}\n",
        "two(a)",
    );
    let text = only_text(&outcome);
    assert!(
        text.contains("s, err := part(a)\n")
            && text.contains("func part(a int) (string, error) {\n\treturn two(a)\n}"),
        "{text}"
    );
}

#[test]
fn the_object_of_a_rust_method_may_be_its_first_argument() {
    let added = NewParameter { value: Some("0".into()), ty: Some("i32".into()), ..parameter("b") };
    let change =
        SignatureChange { parameters: Some(vec![parameter("a"), added]), ..SignatureChange::default() };
    let outcome = signature(
        &format!(
            "{CRATE}struct S;\nimpl S {{ fn <caret>go(&self, a: u8) {{}} }}\nfn f(s: S) {{ S::go(&s, 1); s.go(2); }}\n"
        ),
        &change,
    );
    let text = only_text(&outcome);
    assert!(text.contains("S::go(&s, 1, 0); s.go(2, 0);"), "{text}");
}

#[test]
fn what_compilers_are_told_of_a_function_goes_with_it() {
    let outcome = inline(&format!(
        "{CRATE}#[inline]\n#[must_use]\nfn twice<caret>(x: u32) -> u32 {{\n    x * 2\n}}\n\npub fn f(a: u32) -> u32 {{\n    twice(a)\n}}\n"
    ));
    assert_eq!(only_text(&outcome), "pub fn f(a: u32) -> u32 {\n    a * 2\n}\n");
}

#[test]
fn a_php_comment_about_a_variable_follows_it() {
    let source = "//- a.php\n<?php\nclass A {\n  private function f<caret>(array $r) {\n    /** @var int[] $r */\n    $r = array_keys($r);\n    return $r;\n  }\n}\n";
    let renamed = NewParameter { was: Some("r".into()), ..parameter("s") };
    let change = SignatureChange { parameters: Some(vec![renamed]), ..SignatureChange::default() };
    let outcome = signature(source, &change);
    assert!(
        only_text(&outcome).contains("/** @var int[] $s */\n    $s = array_keys($s);"),
        "{:?}",
        outcome.changed
    );
    let outcome = inline(
        "//- a.php\n<?php\nfunction f($a) {\n  /** @var int $b */\n  $b<caret> = $a + 1;\n  return $b;\n}\n",
    );
    assert_eq!(only_text(&outcome), "<?php\nfunction f($a) {\n  return $a + 1;\n}\n");
}

#[test]
fn what_a_rust_block_gives_is_given_by_its_part() {
    let source = |body: &str| {
        format!(
            "{CRATE}struct S;\nimpl S {{\n    #[cfg(unix)]\n    fn go(&self, n: Option<u8>) -> Option<u8> {{\n        {body}\n    }}\n}}\n"
        )
    };
    let outcome = method(
        &source("<caret>match n {\n            Some(n) => Some(n),\n            None => None,\n        }"),
        "match n {\n            Some(n) => Some(n),\n            None => None,\n        }",
    );
    let text = only_text(&outcome);
    assert!(
        text.contains(
            "        Self::part(n)\n    }\n\n    #[cfg(unix)]\n    fn part(n: Option<u8>) -> Option<u8> {"
        ),
        "{text}"
    );
    let outcome = method(
        &source(
            "if n.is_some() {\n            <caret>let k = n;\n            k\n        } else {\n            None\n        }",
        ),
        "let k = n;\n            k",
    );
    assert!(reason(&outcome).contains("the value of the block"), "{:?}", outcome.refactored.conflicts);
}

#[test]
fn a_name_in_a_rust_pattern_has_not_the_type_beside_it() {
    let outcome = method(
        &format!(
            "{CRATE}fn f(of: Option<(u8, String)>) -> usize {{\n    match of {{\n        Some((key, value)) => {{\n            <caret>let n = usize::from(key) + value.len();\n            n\n        }}\n        None => 0,\n    }}\n}}\n"
        ),
        "let n = usize::from(key) + value.len();",
    );
    assert!(reason(&outcome).contains("the type of `key` is not known"), "{:?}", outcome.changed);
}

#[test]
fn the_parentheses_of_a_condition_stay() {
    for (file, before, after) in [
        ("a.js", "if (g) h();", "const value = g;\n  if (value) h();"),
        ("a.ts", "while (g) break;", ""),
        ("a.js", "switch (g) {}", "const value = g;\n  switch (value) {}"),
    ] {
        let source = format!("//- {file}\nfunction f(g, h) {{\n  {before}\n}}\n");
        let outcome = extract(&source.replace("(g)", "<caret>(g)"), "(g)", "value", false);
        let text = outcome.changed.values().next().map_or("", String::as_str);
        assert_eq!(
            text,
            if after.is_empty() { String::new() } else { format!("function f(g, h) {{\n  {after}\n}}\n") }
        );
    }
    let source =
        |body: &str| format!("//- A.java\nclass A {{\n  void f(boolean g, int n) {{\n    {body}\n  }}\n}}\n");
    let outcome =
        extract(&source("if (<caret>g) return;").replace("(<caret>g)", "<caret>(g)"), "(g)", "value", false);
    assert!(
        only_text(&outcome).contains("boolean value = g;\n    if (value) return;"),
        "{:?}",
        outcome.changed
    );
    let outcome = extract(&source("switch <caret>(n) {}"), "(n)", "value", false);
    assert!(only_text(&outcome).contains("int value = n;\n    switch (value) {}"), "{:?}", outcome.changed);
    let outcome = extract(
        "//- a.php\n<?php\nfunction f($g) {\n    if <caret>($g) return 1;\n}\n",
        "($g)",
        "value",
        false,
    );
    assert!(only_text(&outcome).contains("$value = $g;\n    if ($value) return 1;"), "{:?}", outcome.changed);
}

#[test]
fn a_value_stays_behind_what_its_statement_declares() {
    let why = "the same statement declares";
    refuses_to_extract("//- a.js\nfunction f(g) {\n  const a = g(1), b = <caret>g(a);\n}\n", "g(a)", why);
    refuses_to_extract(
        "//- A.java\nclass A {\n  void f() {\n    int a = 1, b = <caret>a + 1;\n  }\n}\n",
        "a + 1",
        why,
    );
    let later = "//- a.js\nfunction f(g) {\n  const a = 1, b = <caret>g(2);\n}\n";
    assert!(
        only_text(&extract(later, "g(2)", "value", false))
            .contains("const value = g(2);\n  const a = 1, b = value;")
    );
}

#[test]
fn what_a_kotlin_lambda_or_branch_gives_stays_there() {
    let part = |before: &str, select: &str| {
        let source = format!(
            "//- a.kt\nfun g(): Int = 1\nfun use(f: () -> Int) {{}}\nfun f(b: Boolean): Int {{\n    {before}\n}}\n"
        );
        let text = only_text(&extract(&source, select, "value", false)).to_owned();
        text.split_once("Boolean): Int {\n    ")
            .map(|(_, rest)| rest.trim_end_matches("\n}\n").to_owned())
            .unwrap_or_default()
    };
    assert_eq!(
        part("use { <caret>g() }\n    return 1", "g()"),
        "use { val value = g(); value }\n    return 1"
    );
    assert_eq!(
        part("return if (b) {\n        <caret>g()\n    } else 2", "g()"),
        "return if (b) {\n        val value = g()\n        value\n    } else 2"
    );
    assert_eq!(
        part("if (b) {\n        <caret>g()\n    }\n    return 1", "g()"),
        "if (b) {\n        val value = g()\n    }\n    return 1"
    );
    assert_eq!(part("<caret>g()\n    return 1", "g()"), "val value = g()\n    return 1");
}

#[test]
fn a_kotlin_vararg_is_an_array_for_a_part() {
    let head = |body: &str, select: &str| {
        let source = format!("//- a.kt\nclass C\nfun use(vararg c: C) {{}}\n{body}\n");
        let outcome = method(&source, select);
        let text = only_text(&outcome);
        text.lines().find(|line| line.contains("fun part")).unwrap_or_default().to_owned()
    };
    let body = "fun f(vararg all: C) {\n    <caret>use(*all)\n}";
    assert_eq!(head(body, "use(*all)"), "private fun part(all: Array<out C>) {");
    let body = "fun g(a: IntArray) {}\nfun f(vararg all: Int) {\n    <caret>g(all)\n}";
    assert_eq!(head(body, "g(all)"), "private fun part(all: IntArray) {");
}

#[test]
fn operators_of_a_kotlin_lambdas_object_stay_with_it() {
    let source = "//- a.kt\nclass B {\n    operator fun String.unaryPlus() {}\n}\nfun build(f: B.() -> Unit) {}\nfun f() = build {\n    <caret>+\"a\"\n}\n";
    let outcome = method(source, "+\"a\"");
    assert!(reason(&outcome).contains("works on an object"), "{:?}", outcome.changed);
}

#[test]
fn types_of_other_packages_are_said_with_them() {
    let head = |source: &str, select: &str, word: &str| {
        let outcome = method(source, select);
        let text = only_text(&outcome);
        text.lines().find(|line| line.contains(word)).unwrap_or_default().trim().to_owned()
    };
    let kotlin = "//- p/t.kt\npackage p\nclass T { fun go() {} }\nfun current(): T = T()\n//- q/a.kt\npackage q\nimport p.current\nfun f() {\n    val t = current()\n    <caret>t.go()\n}\n";
    assert_eq!(head(kotlin, "t.go()", "fun part"), "private fun part(t: p.T) {");
    let java = "//- p/T.java\npackage p;\npublic class T { public void go() {} }\n//- p/Make.java\npackage p;\npublic class Make { public static T current() { return null; } }\n//- q/A.java\npackage q;\nimport p.Make;\nclass A {\n  void f() {\n    var t = Make.current();\n    <caret>t.go();\n  }\n}\n";
    assert_eq!(head(java, "t.go();", "void part"), "private void part(p.T t) {");
    let cast =
        "//- a.kt\nclass T { fun go() {} }\nfun f(a: Any) {\n    val t = a as? T\n    <caret>t?.go()\n}\n";
    assert_eq!(head(cast, "t?.go()", "fun part"), "private fun part(t: T?) {");
}

#[test]
fn kotlin_works_out_the_type_of_a_part_that_is_one_value() {
    let source =
        "//- a.kt\nfun f(all: List<Int>): Any {\n    return <caret>all.groupBy {\n        it % 2\n    }\n}\n";
    let outcome = method(source, "all.groupBy {\n        it % 2\n    }");
    let text = only_text(&outcome);
    assert!(
        text.ends_with("\n\nprivate fun part(all: List<Int>) = all.groupBy {\n    it % 2\n}\n"),
        "{text}"
    );
}

#[test]
fn what_is_thrown_goes_and_the_throw_stays() {
    let text = |source: &str, select: &str| only_text(&method(source, select)).to_owned();
    let java = "//- A.java\nclass A {\n  int f(int o) {\n    <caret>throw new IllegalStateException(\"x\" + o);\n  }\n}\n";
    let after = text(java, "throw new IllegalStateException(\"x\" + o);");
    assert!(
        after.contains("    throw part(o);\n") && after.contains("IllegalStateException part(int o) {"),
        "{after}"
    );
    let ts = "//- a.ts\nfunction f(o: string | undefined): number {\n  if (!o) {\n    <caret>throw new Error(\"x\");\n  }\n  return o.length;\n}\n";
    let after = text(ts, "throw new Error(\"x\");");
    assert!(after.contains("    throw part();\n") && after.contains("return new Error(\"x\");"), "{after}");
    let ends = |source: &str, select: &str| {
        let outcome = method(source, select);
        assert!(reason(&outcome).contains("always throws"), "{:#?}", outcome.changed);
    };
    ends(
        "//- A.java\nclass A {\n  int f(int o) {\n    <caret>g();\n    throw new Error();\n  }\n  void g() {}\n}\n",
        "g();\n    throw new Error();",
    );
    ends("//- go.mod\nmodule m\n//- a.go\npackage m\n\nfunc f() int {\n\t<caret>panic(1)\n}\n", "panic(1)");
}

#[test]
fn a_rust_part_says_what_the_code_around_it_needs() {
    let head = |body: &str, select: &str| {
        let outcome =
            method(&format!("//- Cargo.toml\n[package]\nname = \"c\"\n//- src/lib.rs\n{body}"), select);
        let text = only_text(&outcome);
        let at = text.find("fn part").unwrap_or_default();
        let start = text[..at].rfind("}\n").map_or(0, |i| i + 2);
        text[start..].lines().filter(|line| !line.is_empty()).take(2).collect::<Vec<_>>().join("|")
    };
    assert_eq!(
        head("const fn f(a: u8) -> u8 {\n    <caret>a + 1\n}\n", "a + 1"),
        "const fn part(a: u8) -> u8 {|    a + 1"
    );
    assert_eq!(
        head("unsafe fn g(a: u8) -> u8 { a }\nfn f(a: u8) -> u8 {\n    unsafe { <caret>g(a) }\n}\n", "g(a)"),
        "unsafe fn part(a: u8) -> u8 {|    g(a)"
    );
    assert_eq!(
        head(
            "fn f(a: u8) -> u8 {\n    #[cfg(unix)]\n    return 1;\n    #[cfg(not(unix))]\n    <caret>a + 1\n}\n",
            "a + 1"
        ),
        "#[cfg(not(unix))]|fn part(a: u8) -> u8 {"
    );
}
