//! Names that files give to what has a name already: exports under other names, default exports, parts of values that are
//! taken apart.

use std::collections::BTreeMap;

use ide_model::{FilePath, Refactoring};

use crate::refactor::{Outcome, change_spot, refuses, renames};

fn rename_alias(source: &str, new_name: &str) -> Outcome {
    change_spot(source, |at, plan| {
        let file = FilePath::new(at.path.as_str());
        plan(&Refactoring::RenameAlias { file: &file, offset: at.start, new_name })
    })
}

/// The texts of all files that are different, from wherever the name is asked for: each `^` is such a place.
#[track_caller]
fn renames_from_each(source: &str, new_name: &str, wanted: &[(&str, &str)]) {
    let wanted: BTreeMap<String, String> =
        wanted.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect();
    let count = source.matches('^').count();
    assert!(count > 0);
    for nth in 0..count {
        let (at, _) = source.match_indices('^').nth(nth).expect("counted");
        let text = format!("{}<caret>{}", &source[..at], &source[at + 1..]).replace('^', "");
        let outcome = rename_alias(&text, new_name);
        assert_eq!(outcome.refactored.conflicts, [], "{text}\n{:#?}", outcome.changed);
        assert_eq!(outcome.changed, wanted, "{text}");
    }
}

#[test]
fn an_export_under_another_name_is_a_name_of_its_own() {
    renames_from_each(
        "//- a.ts\nconst inner = 1;\nexport { inner as ^outer };\n//- b.ts\nexport { ^outer as third } from './a';\n//- u.ts\nimport { ^outer } from './a';\n^outer;\nconst o = { outer };\n//- s.ts\nexport * from './a';\n//- t.ts\nimport * as s from './s';\ns.^outer;\n",
        "z",
        &[
            ("a.ts", "const inner = 1;\nexport { inner as z };\n"),
            ("b.ts", "export { z as third } from './a';\n"),
            ("u.ts", "import { z } from './a';\nz;\nconst o = { outer: z };\n"),
            ("t.ts", "import * as s from './s';\ns.z;\n"),
        ],
    );
    renames_from_each(
        "//- a.ts\nexport const outer = 1;\n//- b.ts\nexport { outer as ^third } from './a';\n//- c.ts\nimport { ^third as own } from './b';\nown;\n",
        "z",
        &[
            ("b.ts", "export { outer as z } from './a';\n"),
            ("c.ts", "import { z as own } from './b';\nown;\n"),
        ],
    );
    renames_from_each(
        "//- a.ts\nexport const x = 1;\n//- b.ts\nexport * as ^ns from './a';\n//- u.ts\nimport { ^ns } from './b';\n^ns.x;\n",
        "space",
        &[("b.ts", "export * as space from './a';\n"), ("u.ts", "import { space } from './b';\nspace.x;\n")],
    );
    renames_from_each(
        "//- a.ts\nexport const x = 1;\n//- b.ts\nimport * as ^ns from './a';\nexport { ^ns };\n^ns.x;\n//- u.ts\nimport { ^ns } from './b';\n^ns.x;\n",
        "space",
        &[
            ("b.ts", "import * as space from './a';\nexport { space };\nspace.x;\n"),
            ("u.ts", "import { space } from './b';\nspace.x;\n"),
        ],
    );
    renames_from_each(
        "//- n.ts\nnamespace N { export const v = 1; }\nexport import ^M = N;\n//- nu.ts\nimport { ^M } from './n';\n^M.v;\n",
        "Q",
        &[
            ("n.ts", "namespace N { export const v = 1; }\nexport import Q = N;\n"),
            ("nu.ts", "import { Q } from './n';\nQ.v;\n"),
        ],
    );
}

#[test]
fn a_function_that_a_module_gives_out_under_another_name() {
    renames_from_each(
        "//- a.js\nfunction add() {}\nexports.^plus = add;\n//- u.js\nconst a = require('./a');\na.^plus();\n//- w.js\nconst { ^plus } = require('./a');\n^plus();\n",
        "sum",
        &[
            ("a.js", "function add() {}\nexports.sum = add;\n"),
            ("u.js", "const a = require('./a');\na.sum();\n"),
            ("w.js", "const { sum } = require('./a');\nsum();\n"),
        ],
    );
}

#[test]
fn a_python_package_gives_another_name() {
    renames_from_each(
        "//- pkg/__init__.py\nfrom .mod import foo as ^bar\n__all__ = ['bar']\n//- pkg/mod.py\ndef foo():\n    return 1\n//- use.py\nfrom pkg import ^bar\n^bar()\n//- other.py\nimport pkg\npkg.^bar()\n",
        "baz",
        &[
            ("pkg/__init__.py", "from .mod import foo as baz\n__all__ = ['baz']\n"),
            ("use.py", "from pkg import baz\nbaz()\n"),
            ("other.py", "import pkg\npkg.baz()\n"),
        ],
    );
}

#[test]
fn an_alias_of_an_import_is_passed_on() {
    renames_from_each(
        "//- m.py\nclass A: pass\n//- u.py\nfrom m import A as ^B\n//- v.py\nfrom u import ^B\n^B()\n",
        "C",
        &[("u.py", "from m import A as C\n"), ("v.py", "from u import C\nC()\n")],
    );
    renames_from_each(
        "//- a.ts\nexport const a = 1;\n//- b.ts\nimport { a as ^b } from './a';\nexport { ^b };\n//- c.ts\nimport { ^b } from './b';\n^b;\n",
        "c",
        &[
            ("b.ts", "import { a as c } from './a';\nexport { c };\n"),
            ("c.ts", "import { c } from './b';\nc;\n"),
        ],
    );
}

#[test]
fn what_is_behind_another_name_is_renamed_without_it() {
    renames(
        "//- a.ts\nfunction in<caret>ner() {}\nexport { inner as outer };\n//- u.ts\nimport { outer } from './a';\nouter();\n",
        "z",
        &[("a.ts", "function z() {}\nexport { z as outer };\n")],
    );
    renames(
        "//- a.ts\nexport default function b<caret>tn() {}\n//- i.ts\nexport { default as btn } from './a';\n//- u.ts\nimport { btn } from './i';\nbtn();\n",
        "button",
        &[("a.ts", "export default function button() {}\n")],
    );
    renames(
        "//- pkg/__init__.py\nfrom .mod import foo as bar\n//- pkg/mod.py\ndef f<caret>oo():\n    return 1\n//- use.py\nfrom pkg import bar\nbar()\n",
        "baz",
        &[("pkg/__init__.py", "from .mod import baz as bar\n"), ("pkg/mod.py", "def baz():\n    return 1\n")],
    );
}

#[test]
fn a_default_export_is_imported_under_its_name() {
    renames(
        "//- a.ts\nexport default function b<caret>tn() { return 1; }\n//- b.ts\nimport btn from './a';\nbtn();\nconst o = { btn };\n//- c.ts\nimport own from './a';\nown();\n//- d.ts\nimport { default as btn } from './a';\nbtn();\n//- e.ts\nimport btn from './a';\nconst button = 1;\nbtn();\n//- f.ts\nexport * as all from './b';\n",
        "button",
        &[
            ("a.ts", "export default function button() { return 1; }\n"),
            ("b.ts", "import button from './a';\nbutton();\nconst o = { btn: button };\n"),
        ],
    );
    renames(
        "//- c.js\nconst h<caret>i = () => 1;\nexport default hi;\n//- d.js\nimport hi from './c';\nhi();\n",
        "hello",
        &[
            ("c.js", "const hello = () => 1;\nexport default hello;\n"),
            ("d.js", "import hello from './c';\nhello();\n"),
        ],
    );
    renames(
        "//- a.ts\nexport default class Btn {}\n//- b.ts\nimport Btn from './a';\nnew B<caret>tn();\n",
        "Button",
        &[
            ("a.ts", "export default class Button {}\n"),
            ("b.ts", "import Button from './a';\nnew Button();\n"),
        ],
    );
}

#[test]
fn a_part_of_a_value_keeps_the_name_by_which_the_value_knows_it() {
    for (source, wanted) in [
        (
            "try { g(); } catch ({ l<caret>abel }) { h(label); }",
            "try { g(); } catch ({ label: text }) { h(text); }",
        ),
        (
            "try { g(); } catch ({ a: { l<caret>abel } }) { h(label); }",
            "try { g(); } catch ({ a: { label: text } }) { h(text); }",
        ),
        (
            "try { g(); } catch ({ l<caret>abel = 1 }) { h(label); }",
            "try { g(); } catch ({ label: text = 1 }) { h(text); }",
        ),
        (
            "try { g(); } catch ([{ l<caret>abel }]) { h(label); }",
            "try { g(); } catch ([{ label: text }]) { h(text); }",
        ),
        (
            "export function A({ l<caret>abel }) { return label; }",
            "export function A({ label: text }) { return text; }",
        ),
        (
            "export const B = (xs) => xs.map(({ l<caret>abel }) => label);",
            "export const B = (xs) => xs.map(({ label: text }) => text);",
        ),
        (
            "class K { m({ l<caret>abel = 1 }) { return label; } }",
            "class K { m({ label: text = 1 }) { return text; } }",
        ),
        (
            "const f = async ({ a: [{ l<caret>abel }] }) => label;",
            "const f = async ({ a: [{ label: text }] }) => text;",
        ),
        ("for (const { l<caret>abel } of g()) h(label);", "for (const { label: text } of g()) h(text);"),
    ] {
        let file = format!(
            "//- a.js\n{source}\nfunction g() {{}}\nfunction h() {{}}\n//- b.js\nexport const f = (x) => x.label;\n"
        );
        renames(&file, "text", &[("a.js", &format!("{wanted}\nfunction g() {{}}\nfunction h() {{}}\n"))]);
    }
    renames(
        "//- a.ts\nexport function A({ l<caret>abel }: any) { return label; }\n",
        "text",
        &[("a.ts", "export function A({ label: text }: any) { return text; }\n")],
    );
    renames(
        "//- b.tsx\nimport type { FC } from 'react';\nimport type { P } from 'lib';\nexport const T: FC<P> = ({ t<caret>ext }) => <b>{text}</b>;\n",
        "body",
        &[(
            "b.tsx",
            "import type { FC } from 'react';\nimport type { P } from 'lib';\nexport const T: FC<P> = ({ text: body }) => <b>{body}</b>;\n",
        )],
    );
}

#[test]
fn a_private_name_is_tested_for_by_itself() {
    renames(
        "//- a.js\nclass A { #la<caret>bel = 1; is(o) { return #label in o && o.#label; } }\nclass B { #label = 2; is(o) { return #label in o; } }\n",
        "#text",
        &[(
            "a.js",
            "class A { #text = 1; is(o) { return #text in o && o.#text; } }\nclass B { #label = 2; is(o) { return #label in o; } }\n",
        )],
    );
}

#[test]
fn what_no_module_gives_out_is_no_member() {
    renames(
        "//- a.ts\nconst la<caret>bel = 1;\nexport const other = label;\n//- b.ts\nexport function f(x: any) { return x.label; }\n",
        "text",
        &[("a.ts", "const text = 1;\nexport const other = text;\n")],
    );
    refuses(
        "//- a.ts\nexport interface L { la<caret>bel: string }\n//- b.ts\nexport function f(x: any) { return x.label; }\n",
        "text",
        &["unresolved_use"],
    );
}

#[test]
fn uses_of_unknown_meaning_follow_where_that_is_asked_for() {
    use ide_model::Related;

    use crate::refactor::change;

    let source = "//- a.ts\nexport class L { la<caret>bel = ''; }\n//- b.js\nexport function f(x) { return x.label; }\nexport const g = ({ label }) => label;\nexport const h = label => label;\n";
    let related = Related { unresolved: true, ..Related::default() };
    let outcome = change(source, |symbol, plan| {
        plan(&Refactoring::Rename { symbol, new_name: "text", with_family: true, related })
    });
    assert_eq!(outcome.refactored.conflicts, [], "{:#?}", outcome.changed);
    assert_eq!(outcome.changed["a.ts"], "export class L { text = ''; }\n");
    assert_eq!(
        outcome.changed["b.js"],
        "export function f(x) { return x.text; }\nexport const g = ({ text: label }) => label;\nexport const h = label => label;\n"
    );
}

#[test]
fn a_name_for_a_function_has_its_signature() {
    use ide_model::{NewParameter, SignatureChange};

    use crate::inside::only_text;
    use crate::signatures::{parameter, signature};

    let added = NewParameter { ty: Some("number".into()), value: Some("5".into()), ..parameter("m") };
    let change =
        SignatureChange { parameters: Some(vec![parameter("n"), added]), ..SignatureChange::default() };
    for (before, after) in [
        ("(n: number) => n", "(n: number, m: number) => n"),
        ("function (n: number) { return n; }", "function (n: number, m: number) { return n; }"),
        ("async (n: number) => { return n; }", "async (n: number, m: number) => { return n; }"),
    ] {
        let text = |value: &str, call: &str| format!("export const twice = {value};\ntwice({call});\n");
        let source = format!("//- a.ts\n{}", text(before, "1").replace("twice =", "<caret>twice ="));
        assert_eq!(only_text(&signature(&source, &change)), text(after, "1, 5"));
    }
    let typed = "//- a.ts\nconst <caret>f: (n: number) => number = (n) => n;\nf(1);\n";
    assert!(!signature(typed, &change).refactored.conflicts.is_empty());
}

#[test]
fn a_fixture_is_requested_by_the_name_that_its_decorator_gives() {
    let conftest = "import pytest\n\n\n@pytest.fixture(name=\"^basket\")\ndef make_basket():\n    return 1\n\n\n@pytest.fixture\ndef filled(^basket):\n    return ^basket\n";
    let tests = "import pytest\n\n\nclass TestIt:\n    def test_a(self, ^basket):\n        assert ^basket\n\n\n@pytest.mark.usefixtures(\"^basket\")\ndef test_b(filled):\n    basket = filled\n    assert basket\n\n\n@pytest.mark.parametrize(\"^basket, n\", [(1, 2)], indirect=True)\ndef test_c(^basket, n): ...\n";
    let source = format!("//- conftest.py\n{conftest}//- test_a.py\n{tests}");
    let (conftest, tests) = (conftest.replace("^basket", "bag"), tests.replace("^basket", "bag"));
    renames_from_each(&source, "bag", &[("conftest.py", &conftest), ("test_a.py", &tests)]);
    let source = source.replace('^', "");
    renames(
        &source.replacen("make_basket", "make_<caret>basket", 1),
        "make",
        &[("conftest.py", &conftest.replace("bag", "basket").replace("make_basket", "make"))],
    );
    let full = |text: &str| text.replace("bag", "basket").replace("filled", "full");
    renames(
        &source.replacen("def filled", "def filled<caret>", 1),
        "full",
        &[("conftest.py", &full(&conftest)), ("test_a.py", &full(&tests))],
    );
}

#[test]
fn an_indirect_parameter_follows_its_fixture() {
    let tests = "import pytest\n\n\n@pytest.fixture\ndef filled<caret>(request):\n    return request.param\n\n\n@pytest.mark.parametrize(\"filled,n\", [(1, 2)], indirect=[\"filled\"])\ndef test_a(filled, n):\n    assert filled\n\n\n@pytest.mark.parametrize((\"n\", \"filled\"), [(1, 2)], indirect=True)\ndef test_b(filled, n): ...\n\n\n@pytest.mark.parametrize(\"filled, n\", [(1, 2)], indirect=[\"n\"])\ndef test_c(filled): ...\n";
    let (kept, other) =
        tests.split_at(tests.find("@pytest.mark.parametrize(\"filled, n\"").expect("it is there"));
    let wanted = kept.replace("<caret>", "").replace("filled", "full") + other;
    renames(&format!("//- test_a.py\n{tests}"), "full", &[("test_a.py", &wanted)]);
}
