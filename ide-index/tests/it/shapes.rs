//! Types that are told by their members: what goes from one to another is renamed in both, and texts that name members are
//! reasons not to.

use crate::refactor::{delete, refuses, renames, renames_together};

#[test]
fn keys_of_typed_dictionaries_are_handed_on() {
    renames_together(
        "a.py",
        "from typing import TypedDict, Unpack\n\nclass A(TypedDict, total=False):\n    «run»: int\n\nclass B(TypedDict, total=False):\n    «run»: int\n\nclass C(TypedDict):\n    run: int\n\ndef g(**kwargs: Unpack[B]) -> None: ...\n\ndef f(**kwargs: Unpack[A]) -> None:\n    g(**kwargs)\n\nf(«run»=1)\n",
    );
    renames_together(
        "a.py",
        "from typing import TypedDict, Unpack\n\nclass A(TypedDict, total=False):\n    «run»: int\n\ndef g(«run»: int = 1) -> None:\n    print(«run»)\n\ndef h(run: int = 1) -> None: ...\n\ndef f(**kwargs: Unpack[A]) -> None:\n    g(**kwargs)\n\nf(«run»=1)\n",
    );
}

#[test]
fn typed_dictionaries_with_the_same_keys_go_for_each_other() {
    renames_together(
        "a.py",
        "from typing import TypedDict\n\nclass A(TypedDict):\n    «run»: int\n\nclass B(TypedDict):\n    «run»: int\n\nclass C(TypedDict):\n    «run»: int\n\nclass D(TypedDict):\n    run: int\n\ndef f(b: B) -> None: ...\n\nf(A(«run»=1))\nb: B = C(«run»=1)\n",
    );
    renames_together(
        "a.py",
        "from typing import TypedDict\n\nclass A(TypedDict):\n    «run»: int\n\nclass B(TypedDict):\n    «run»: int\n\ndef f(a: A) -> B:\n    return a\n",
    );
}

/// The first of the marked names gets another one, and the others get it too.
#[track_caller]
fn follows(file: &str, source: &str) {
    // Trees tell the place of a text.
    if !cfg!(feature = "tree-sitter") {
        return;
    }
    let with = |name: &str| source.replace("«run»", name);
    let project =
        format!("//- {file}\n{}", source.replacen("«run»", "r<caret>un", 1).replace("«run»", "run"));
    renames(&project, "went", &[(file, &with("went"))]);
}

#[test]
fn a_text_that_may_be_a_key_of_a_typed_dictionary_keeps_its_name() {
    let class = "from typing import TypedDict\n\nclass A(TypedDict):\n    r<caret>un: int\n\n";
    for uses in
        ["def f(a: A): ...\n\nf({\"run\": 1})\n", "def f(unknown, a: A):\n    return unknown[\"run\"]\n"]
    {
        refuses(&format!("//- a.py\n{class}{uses}"), "went", &["unresolved_use"]);
    }
    let class = class.replace("r<caret>un", "«run»");
    for uses in [
        "def f(a: A):\n    return a[\"«run»\"]\n",
        "def f(a: A):\n    return a.get(\"«run»\")\n",
        "def f(a: A):\n    return \"«run»\" in a\n",
        "a: A = {'«run»': 1}\n",
        "def f() -> A:\n    return {\"«run»\": 1}\n",
        "def f(a: A):\n    del a[\"«run»\"]\n",
        "class B(A):\n    other: int\n\ndef f(b: B):\n    return b[\"«run»\"]\n",
    ] {
        follows("a.py", &format!("{class}{uses}"));
    }
    let other = "def f(other: dict[str, int], a: A):\n    print(\"run\", other.get(\"run\"))\n    return other[\"run\"]\n";
    renames_together("a.py", &format!("{class}{other}"));
}

#[test]
fn a_protocol_and_what_goes_for_it_have_one_name() {
    renames_together(
        "a.py",
        "from typing import Protocol\n\nclass P(Protocol):\n    def «run»(self) -> None: ...\n\nclass C:\n    def «run»(self) -> None: ...\n\nclass D:\n    def run(self) -> None: ...\n\ndef f(p: P, ps: list[P]) -> None:\n    p.«run»()\n\nf(C(), [])\n",
    );
    renames_together(
        "a.py",
        "from typing import Protocol\n\nclass P(Protocol):\n    «run»: int\n\nclass C:\n    «run»: int = 1\n\ndef f(ps: list[P]) -> None: ...\n\ndef g(cs: list[C]) -> None:\n    f(cs)\n",
    );
}

#[test]
fn an_attribute_that_is_handed_over_as_a_text_keeps_its_name() {
    for source in [
        "from unittest import mock\n\nclass D:\n    def r<caret>un(self): ...\n\nwith mock.patch.object(D, \"run\"):\n    pass\n",
        "from operator import attrgetter\n\nclass D:\n    r<caret>un = 1\n\ndef f(ds: list[D]):\n    return sorted(ds, key=attrgetter(\"run\"))\n",
    ] {
        refuses(&format!("//- a.py\n{source}"), "went", &["unresolved_use"]);
    }
    follows("a.py", "class D:\n    «run» = 1\n\ndef f(d: D):\n    return getattr(d, \"«run»\")\n");
    follows("a.py", "class D:\n    «run» = 1\n\ndef f():\n    setattr(D, '«run»', 2)\n");
    renames_together(
        "a.py",
        "class D:\n    «run» = 1\n\nclass E:\n    run = 1\n\ndef f(d: D, e: E):\n    print(\"run\", d.«run»)\n    return getattr(e, \"run\")\n",
    );
}

#[test]
fn a_key_that_a_type_lists_keeps_its_name() {
    for source in [
        "type Kind = \"run\" | \"b\";\nconst table = { r<caret>un: 1, b: 2 } satisfies Record<Kind, number>;\n",
        "const table: Record<\"run\" | \"b\", number> = { r<caret>un: 1, b: 2 };\n",
        "type Kind = \"run\" | \"b\";\nconst table: { [K in Kind]?: number } = { r<caret>un: 1 };\n",
        "type Kind = \"run\" | \"b\";\nfunction f(t: Record<Kind, number>) {}\nf({ r<caret>un: 1, b: 2 });\n",
    ] {
        refuses(&format!("//- a.ts\n{source}"), "went", &["unresolved_use"]);
    }
    renames_together("a.ts", "const table: Record<string, number> = { «run»: 1 };\n");
    renames_together(
        "a.ts",
        "type Kind = \"run\";\nconst table = { «run»: 1 };\nconsole.log(table.«run»);\n",
    );
}

#[test]
fn a_constant_that_is_found_by_its_name_keeps_it() {
    for (file, source) in [
        ("Op.java", "enum Op { r<caret>un, other; static Op of() { return valueOf(\"run\"); } }\n"),
        ("Op.java", "enum Op { r<caret>un, other }\nclass C { Op f() { return Op.valueOf(\"run\"); } }\n"),
        (
            "Op.java",
            "enum Op { r<caret>un, other }\nclass C { Op f() { return Enum.valueOf(Op.class, \"run\"); } }\n",
        ),
        (
            "Op.java",
            "enum Op { r<caret>un, other }\nclass C { Op f() {\n  return Op\n    .valueOf(\n      \"run\");\n} }\n",
        ),
        ("a.kt", "enum class Op { r<caret>un, other }\nfun f() = Op.valueOf(\"run\")\n"),
        ("a.kt", "enum class Op { r<caret>un, other }\nfun f() = enumValueOf<Op>(\"run\")\n"),
        (
            "a.php",
            "<?php\nenum Op { case r<caret>un; case other; }\necho constant(Op::class . '::run')->name;\n",
        ),
        ("a.php", "<?php\nenum Op { case r<caret>un; case other; }\necho constant('Op::run')->name;\n"),
    ] {
        refuses(&format!("//- {file}\n{source}"), "went", &["unresolved_use"]);
    }
    renames_together(
        "Op.java",
        "enum Op { «run», other }\nenum No { run }\nclass C { No f(Op op) { System.out.println(\"run\"); op = Op.«run»; return No.valueOf(\"run\"); } }\n",
    );
    renames_together(
        "a.py",
        "from enum import Enum\n\nclass Op(Enum):\n    «run» = 1\n\ndef f(d: dict[str, int]):\n    return d[\"run\"], Op.«run»\n",
    );
}

#[test]
fn a_constant_that_is_found_by_its_class_follows() {
    follows("a.py", "from enum import Enum\n\nclass Op(Enum):\n    «run» = 1\n\nprint(Op[\"«run»\"])\n");
}

#[test]
fn an_object_goes_where_another_interface_is_expected() {
    for uses in [
        "declare function f(b: B): void;\nf(a);\n",
        "const b: B = a;\n",
        "let b: B;\nb = a;\n",
        "function f(): B { return a; }\n",
        "async function f(): Promise<B> { return a; }\n",
        "declare function f(bs: B[]): void;\nf([a]);\n",
        "class K { constructor(b: B) {} }\nnew K(a);\n",
        "interface Q { b: B }\nconst q: Q = { b: a };\n",
        "declare function each(f: (a: A) => void): void;\ndeclare function take(b: B): void;\neach(take);\n",
        "const b: B & { y: number } = { ...a, y: 1 };\n",
        "const b = a as B;\n",
        "function f(b: B = a) {}\n",
        "declare const p: Promise<A>;\np.then((b: B) => {});\n",
        "interface Q { b: B }\ninterface R { b: A }\ndeclare const r: R;\nconst q: Q = r;\n",
    ] {
        let source = format!(
            "interface A {{ «run»: number }}\ninterface B {{ «run»: number }}\ninterface C {{ run: number }}\ndeclare const a: A;\n{uses}"
        );
        renames_together("a.ts", &source);
    }
}

#[test]
fn an_object_goes_for_a_type_without_a_name() {
    renames_together(
        "a.ts",
        "interface A { «run»: number }\nfunction f(p: { «run»: number }) { return p.«run»; }\ndeclare const a: A;\nf(a);\n",
    );
    renames_together(
        "a.ts",
        "interface A { «run»: number }\nfunction f<T extends { «run»: number }>(t: T) { return t.«run»; }\ndeclare const a: A;\nf(a);\n",
    );
    renames_together(
        "a.ts",
        "interface A { «run»(): void }\nclass C { «run»() {} }\nclass D { run() {} }\nconst o = { «run»: () => {} };\nfunction f(a: A) { a.«run»(); }\nf(new C());\nf(o);\n",
    );
}

#[test]
fn a_key_that_is_a_value_at_once_is_written_out() {
    renames(
        "//- a.ts\ninterface A { r<caret>un: number }\nfunction f(run: number): A { return { run }; }\n",
        "went",
        &[("a.ts", "interface A { went: number }\nfunction f(run: number): A { return { went: run }; }\n")],
    );
}

#[test]
fn one_of_several_that_a_value_is_by_name_is_the_one_that_is_meant() {
    renames_together(
        "a.ts",
        "class A { «run» = 1; }\nclass B { run = 1; }\nfunction f(p: A | B) {}\nf(new A());\n",
    );
}

#[test]
fn a_key_that_is_written_as_a_text_follows_where_that_is_certain() {
    for uses in [
        "function g(k: keyof A, a: A) { return a[k]; }\ndeclare const a: A;\ng('run', a);",
        "function g<T, K extends keyof T>(t: T, k: K) { return t[k]; }\ndeclare const a: A;\ng(a, 'run');",
    ] {
        let source = format!("//- a.ts\ninterface A {{ r<caret>un: number; other: string }}\n{uses}\n");
        refuses(&source, "went", &["unresolved_use"]);
    }
    // A class may be told the type whose keys its methods take.
    let bus = "class Bus<M> { on<K extends keyof M>(key: K): this { return this; } }\n";
    for uses in [
        "new Bus<A>().on('run');",
        "new Bus<A>().on('other').on('run');",
        "class Mine extends Bus<A> {}\nnew Mine().on('run');",
    ] {
        let uses = uses.replacen("on('run')", "on(\"run\")", 1);
        let source = format!("//- a.ts\ninterface A {{ r<caret>un: number; other: string }}\n{bus}{uses}\n");
        refuses(&source, "went", &["unresolved_use"]);
    }
    renames_together(
        "a.ts",
        &format!(
            "interface A {{ «run»: number }}\ninterface B {{ run: number }}\n{bus}export const all = [new Bus<A>(), new Bus<B>().on('run')];\n"
        ),
    );
    for uses in [
        "type P = Pick<A, '«run»'>;",
        "type P = Omit<A, '«run»' | 'other'>;",
        "type P = A['«run»'];",
        "type P = Extract<keyof A, '«run»'>;",
        "const k: keyof A = '«run»';",
        "const all: (keyof A)[] = ['«run»', 'other'];",
        "declare const a: A;\nif ('«run»' in a) {}",
    ] {
        follows("a.ts", &format!("interface A {{ «run»: number; other: string }}\n{uses}\n"));
    }
    // A spy replaces a member that a text names.
    follows(
        "a.ts",
        "declare const jest: any;\nclass A { «run»() {} other() {} }\ndeclare const a: A;\njest.spyOn(a, '«run»');\n",
    );
    renames_together(
        "a.ts",
        "interface A { «run»: number }\ninterface B { run: number }\ntype P = Pick<B, 'run'>;\ndeclare function log(what: string, a: A): void;\ndeclare const a: A;\nlog('run', a);\n",
    );
}

#[test]
fn a_member_that_the_library_asks_for_keeps_its_name() {
    let source =
        "//- a.ts\ninterface A { le<caret>ngth: number }\ndeclare function f(a: A): void;\nf('abc');\n";
    refuses(source, "size", &["outside_project"]);
}

#[test]
fn fields_of_copies_are_those_of_the_class() {
    renames_together(
        "a.py",
        "from dataclasses import dataclass, replace\n\n@dataclass\nclass D:\n    «run»: int\n\nd = replace(D(«run»=1), «run»=2)\nmatch d:\n    case D(«run»=3):\n        pass\n",
    );
    renames_together(
        "a.py",
        "from typing import NamedTuple\n\nclass N(NamedTuple):\n    «run»: int\n\ndef f(n: N):\n    return n._replace(«run»=n.«run»)\n",
    );
}

#[test]
fn what_is_asked_for_by_its_shape_is_not_deleted() {
    for (source, kinds) in [
        (
            "//- a.ts\ninterface R { run(): void }\nclass C {\n  r<caret>un() {}\n}\nfunction f(r: R) {}\nf(new C());\n",
            "in_use",
        ),
        (
            "//- a.ts\nclass C {\n  get r<caret>un() { return 1; }\n}\nconst r: { run: number } = new C();\n",
            "in_use",
        ),
        (
            "//- a.ts\ninterface S { run(): void }\nclass C {\n  static r<caret>un() {}\n}\nconst s: S = C;\n",
            "in_use",
        ),
        (
            "//- a.ts\ninterface A {\n  r<caret>un: number;\n  b: string;\n}\ntype P = Pick<A, 'run'>;\n",
            "unresolved_use",
        ),
        (
            "//- a.ts\ninterface A {\n  r<caret>un: number;\n  b: string;\n}\nconst k: keyof A = 'run';\n",
            "unresolved_use",
        ),
        (
            "//- a.py\nfrom typing import Protocol\n\nclass P(Protocol):\n    def run(self) -> None: ...\n\nclass C:\n    def r<caret>un(self) -> None: ...\n    def other(self) -> None: ...\n\ndef f(p: P) -> None: ...\n\nf(C())\n",
            "in_use",
        ),
        (
            "//- a.py\nclass D:\n    r<caret>un = 1\n    other = 2\n\ndef f(d: D):\n    return getattr(d, \"run\")\n",
            "unresolved_use",
        ),
    ] {
        let outcome = delete(source);
        assert_eq!(outcome.conflicts, [kinds], "{source}\n{:#?}", outcome.refactored.conflicts);
    }
}

#[test]
fn what_nothing_asks_for_is_deleted_whatever_else_has_its_name() {
    for source in [
        "//- a.ts\ninterface R { run(): void }\nclass D { run() {} }\nclass C {\n  r<caret>un() {}\n}\nconst r: R = new D();\nnew C();\n",
        "//- a.ts\ninterface R {\n  r<caret>un(): void;\n}\nclass D { run() {} }\nconst r: R = new D();\n",
        "//- a.ts\ninterface A {\n  r<caret>un: number;\n}\ninterface B { run: number }\ntype P = Pick<B, 'run'>;\n",
        "//- a.py\nclass D:\n    r<caret>un = 1\n    other = 2\n\nclass E:\n    run = 1\n\ndef f(e: E):\n    return getattr(e, \"run\")\n",
    ] {
        let outcome = delete(source);
        assert_eq!(outcome.refactored.conflicts, [], "{source}");
    }
}

#[test]
fn keys_that_go_to_an_unknown_function_may_be_those_of_a_type() {
    let types = "import { use, memo } from \"lib\";\ntype Item = { id: number; la<caret>bel: string };\nexport const it = (i: Item) => i.label;\n";
    for uses in [
        "use({ id: 1, label: \"a\" });\n",
        "use(1, { items: [{ label: \"a\" }] });\n",
        "use(() => ({ label: \"a\", id: 1 }));\n",
        "const Tag = memo((i: Item) => <b>{i.label}</b>);\nexport const C = () => <Tag label=\"a\" />;\n",
    ] {
        refuses(&format!("//- a.tsx\n{types}{uses}"), "title", &["unresolved_use"]);
    }
    // They have keys that the type lacks, or it is known what takes them.
    for uses in [
        "use({ label: \"a\", other: 2 });\n",
        "const f = (x: { label: string }) => x.label;\nconst known = { label: 1 };\nconsole.log(known, { label: 1 });\n",
        "function own<T>(x: T): T { return x; }\nown({ label: \"a\" });\n",
    ] {
        let source = types.replace("la<caret>bel", "«label»").replace("i.label", "i.«label»");
        renames_together("a.tsx", &format!("{source}{uses}"));
    }
}

#[test]
fn accessors_follow_a_property_that_is_called_like_its_getter() {
    let java = "package app;\nclass Use {\n  void f(Gate g) { g.setReady(!g.isReady()); }\n}\nclass Own implements Open {\n  public boolean isWide() { return true; }\n}\n";
    let kotlin = "package app\nclass Gate { var is<caret>Ready: Boolean = false }\ninterface Open { val isWide: Boolean }\nfun f(g: Gate) = g.isReady\n";
    let source = format!("//- src/app/Use.java\n{java}//- src/app/a.kt\n{kotlin}");
    let after = kotlin.replace("<caret>", "").replace("isReady", "ready");
    renames(
        &source,
        "ready",
        &[("src/app/Use.java", &java.replace("isReady", "getReady")), ("src/app/a.kt", &after)],
    );
    let wide = source.replace("<caret>", "").replace("val isWide", "val is<caret>Wide");
    renames(
        &wide,
        "width",
        &[
            ("src/app/Use.java", &java.replace("isWide", "getWidth")),
            ("src/app/a.kt", &kotlin.replace("<caret>", "").replace("isWide", "width")),
        ],
    );
    renames(
        "//- src/app/A.java\npackage app;\nclass A {\n  boolean is<caret>Open() { return true; }\n}\n//- src/app/a.kt\npackage app\nfun f(a: A) = a.isOpen && a.isOpen()\n",
        "getOpen",
        &[
            ("src/app/A.java", "package app;\nclass A {\n  boolean getOpen() { return true; }\n}\n"),
            ("src/app/a.kt", "package app\nfun f(a: A) = a.open && a.getOpen()\n"),
        ],
    );
}

/// The renamed project is refused because of texts at these places.
#[track_caller]
fn texts_ask(source: &str, wanted: &[&str]) {
    let outcome = crate::refactor::change(source, |symbol, plan| {
        let related = ide_model::Related::default();
        plan(&ide_model::Refactoring::Rename { symbol, new_name: "other", with_family: true, related })
    });
    let fixture = test_fixture::Fixture::parse(source);
    let line = |at: &ide_model::Location| {
        let text = &fixture.files().iter().find(|file| file.path == at.file.as_str()).expect("a file").text;
        let start = text[..at.range.start as usize].rfind('\n').map_or(0, |at| at + 1);
        text[start..].lines().next().unwrap_or("").trim().to_owned()
    };
    let found: Vec<String> =
        outcome.refactored.conflicts.iter().filter_map(|conflict| conflict.at.as_ref()).map(line).collect();
    assert_eq!(found, wanted, "{:#?}", outcome.refactored.conflicts);
}

#[test]
fn a_member_may_be_asked_for_by_its_name() {
    let java = "//- p/A.java\npackage p;\n\nclass A {\n    void ru<caret>n() {}\n}\n\
         //- p/B.java\npackage p;\n\nclass B {\n    void run() {}\n\n    void f(Class<?> c, A a) throws Exception {\n        A.class.getMethod(\"run\");\n        B.class.getMethod(\"run\");\n        c.getDeclaredMethod(\"run\");\n        String s = \"run\";\n    }\n}\n";
    texts_ask(java, &["A.class.getMethod(\"run\");", "c.getDeclaredMethod(\"run\");"]);
    let kotlin = "//- A.kt\nclass A(val cou<caret>nt: Int)\n\nfun f(a: A) {\n    A::class.memberProperties.first { it.name == \"count\" }\n    A::class.java.getDeclaredField(\"count\")\n    println(\"count\")\n}\n";
    texts_ask(
        kotlin,
        &[
            "A::class.memberProperties.first { it.name == \"count\" }",
            "A::class.java.getDeclaredField(\"count\")",
        ],
    );
    let php = "//- a.php\n<?php\nclass D { public function ba<caret>rk() {} }\nfunction f(D $d) {\n    $m = 'bark';\n    $d->$m();\n    $d->{'bark'}();\n    method_exists($d, 'bark');\n    g(['D', 'bark']);\n    foreach (['bark'] as $n) {\n        $d->$n();\n    }\n    $other = 'bark';\n    echo 'bark', $other;\n}\n";
    texts_ask(
        php,
        &[
            "$m = 'bark';",
            "$d->{'bark'}();",
            "method_exists($d, 'bark');",
            "g(['D', 'bark']);",
            "foreach (['bark'] as $n) {",
        ],
    );
}

#[test]
fn mocks_name_their_module_and_take_the_rest_over() {
    let source = "//- m.ts\nexport function r<caret>un() { return 1; }\nexport const other = 2;\n//- m.test.ts\nvi.mock(import('./m'), () => ({ run: vi.fn() }));\nvi.mock('./m', async (original) => { const m = await original(); return { ...m, run: vi.fn() }; });\njest.mock('./m', () => { const m = jest.requireActual('./m'); return { ...m, run: jest.fn() }; });\n";
    let tests = source.split_once("//- m.test.ts\n").map_or("", |(_, tests)| tests);
    renames(
        source,
        "went",
        &[
            ("m.ts", "export function went() { return 1; }\nexport const other = 2;\n"),
            ("m.test.ts", &tests.replace("run:", "went:")),
        ],
    );
    // A member below a type of a library may be asked for there.
    refuses(
        "//- a.ts\nimport { Base } from 'lib';\nexport class A extends Base { r<caret>un() {} }\n",
        "went",
        &["outside_project"],
    );
}

#[test]
fn what_stands_in_for_a_module_has_its_names() {
    let source = "//- m.js\nexports.r<caret>un = () => 1;\nexports.other = 2;\n//- n.js\nexports.run = 3;\n//- m.test.js\njest.mock('./m', () => ({ run: () => 4, other: 3 }));\njest.mock('./n', () => ({ run: 5 }));\n";
    renames(
        source,
        "went",
        &[
            ("m.js", "exports.went = () => 1;\nexports.other = 2;\n"),
            (
                "m.test.js",
                "jest.mock('./m', () => ({ went: () => 4, other: 3 }));\njest.mock('./n', () => ({ run: 5 }));\n",
            ),
        ],
    );
}

#[test]
fn a_fixture_and_those_that_override_it_have_one_name() {
    let conftest = "import pytest\n\n@pytest.fixture\ndef run():\n    return 1\n\n@pytest.fixture\ndef user(run):\n    return run\n";
    let inner = "import pytest\n\n@pytest.fixture\ndef run(run):\n    return run + 1\n";
    let test = "def test_it(run, user):\n    assert run == user\n";
    let other = "def run():\n    return 3\n";
    let wanted = |text: &str| text.replace("run", "went");
    let all = [("conftest.py", conftest), ("sub/conftest.py", inner), ("sub/test_it.py", test)];
    for (at, (_, text)) in all.iter().enumerate() {
        let count = text.matches("run").count();
        for nth in 0..count {
            let files = all.iter().enumerate().map(|(n, (path, text))| {
                let offset = text.match_indices("run").nth(nth).map_or(0, |(offset, _)| offset);
                let text = if n == at {
                    format!("{}r<caret>{}", &text[..offset], &text[offset + 1..])
                } else {
                    (*text).to_owned()
                };
                format!("//- {path}\n{text}")
            });
            let source = files.collect::<String>() + "//- other.py\n" + other;
            let changed: Vec<(&str, String)> = all.iter().map(|(path, text)| (*path, wanted(text))).collect();
            let changed: Vec<(&str, &str)> =
                changed.iter().map(|(path, text)| (*path, text.as_str())).collect();
            renames(&source, "went", &changed);
        }
    }
}
