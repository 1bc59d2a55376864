//! Further verdicts of compilers on whole changes: what they would reject, and what they take.

use ide_model::{NewParameter, SignatureChange};

use crate::inside::{inline, only_text, reason};
use crate::refactor::{Outcome, renames};
use crate::relocate::moved;
use crate::signatures::{added, parameter, signature};

fn is_refused(outcome: &Outcome, why: &str) {
    assert!(reason(outcome).contains(why), "{:?}", outcome.refactored.conflicts);
}

fn is_allowed(outcome: &Outcome) {
    assert!(outcome.refactored.conflicts.is_empty(), "{:?}", outcome.refactored.conflicts);
}

const CARGO: &str = "//- Cargo.toml\n[package]\nname = \"m\"\nversion = \"0.1.0\"\n";

#[test]
fn a_variable_that_gets_another_name_keeps_the_braces_around_it_in_a_text() {
    let outcome = inline(&format!(
        "{CARGO}//- src/lib.rs\nfn sum<caret>(a: i32) -> String {{\n    let mut total = a;\n    total += 1;\n    let text = format!(\"{{total}}|{{total:>3}}|{{}}\", a);\n    text\n}}\nfn f() -> String {{\n    let total = 2;\n    let s = sum(total);\n    s\n}}\n"
    ));
    is_allowed(&outcome);
    let text = only_text(&outcome);
    assert!(text.contains("\"{total1}|{total1:>3}|{}\""), "{text}");
}

#[test]
fn a_number_keeps_the_type_that_its_variable_has() {
    let of = |body: &str| inline(&format!("{CARGO}//- src/lib.rs\nfn f() -> i32 {{\n    {body}\n}}\n"));
    is_refused(&of("let low<caret> = -2;\n    low.pow(2)"), "the type of the number");
    is_refused(
        &of(
            "let big<caret> = 3;\n    let low = -2;\n    let x = big - low;\n    let y: i32 = big;\n    x + y + low.pow(2)",
        ),
        "the type of the number",
    );
    is_allowed(&of("let big<caret> = 3;\n    let x = big - 1;\n    x + big"));
    is_allowed(&of("let low<caret> = -2i32;\n    low.pow(2)"));
}

#[test]
fn a_private_part_of_a_tuple_stays_where_it_is_seen() {
    let of = |part: &str| {
        inline(&format!(
            "{CARGO}//- src/lib.rs\npub mod util;\nfn f(a: &util::Acc) -> i32 {{ a.value() }}\n//- src/util.rs\npub struct Acc({part}i32);\nimpl Acc {{ pub fn value<caret>(&self) -> i32 {{ self.0 }} }}\n"
        ))
    };
    is_refused(&of(""), "may not be visible here");
    is_allowed(&of("pub "));
}

#[test]
fn a_value_that_needs_its_object_alone_stays_before_what_borrows_that() {
    let of = |body: &str| {
        inline(&format!(
            "{CARGO}//- src/lib.rs\npub struct G {{ list: Vec<u32>, ids: Ids }}\npub struct Ids(u32);\nimpl Ids {{ fn next(&mut self) -> u32 {{ self.0 += 1; self.0 }} }}\nimpl G {{\n    fn next(&mut self) -> u32 {{ 1 }}\n    fn last(&self) -> u32 {{ 2 }}\n    fn link(&mut self) {{\n        {body}\n    }}\n}}\n"
        ))
    };
    is_refused(&of("let b<caret> = self.next();\n        self.list.push(b);"), "is borrowed already");
    is_refused(&of("let b<caret> = self.next();\n        f(&self.list, b + 1);"), "is borrowed already");
    is_allowed(&of("let b<caret> = self.last();\n        self.list.push(b);"));
    is_allowed(&of("let b<caret> = self.ids.next();\n        self.list.push(b);"));
    is_allowed(&of("let b<caret> = self.next();\n        f(b, &self.list);"));
}

#[test]
fn no_trait_requires_the_name_of_a_type_parameter() {
    renames(
        &format!(
            "{CARGO}//- src/lib.rs\npub struct S<T>(T);\nimpl<Q<caret>, const N: usize> From<[Q; N]> for S<Q> {{\n    fn from(v: [Q; N]) -> Self {{ todo!() }}\n}}\n"
        ),
        "P",
        &[(
            "src/lib.rs",
            "pub struct S<T>(T);\nimpl<P, const N: usize> From<[P; N]> for S<P> {\n    fn from(v: [P; N]) -> Self { todo!() }\n}\n",
        )],
    );
}

#[test]
fn a_body_takes_items_of_traits_along() {
    let outcome = inline(&format!(
        "{CARGO}//- src/lib.rs\npub mod geo;\nuse geo::Shape;\nfn f(a: &dyn Shape) -> i32 {{ geo::twice(a) }}\n//- src/geo.rs\npub trait Shape {{ fn area(&self) -> i32; }}\npub fn twice<caret>(s: &dyn Shape) -> i32 {{ s.area() * 2 }}\n"
    ));
    is_allowed(&outcome);
    assert!(outcome.changed["src/lib.rs"].contains("a.area() * 2"), "{:?}", outcome.changed);
}

#[test]
fn an_implementation_of_a_library_trait_moves_as_it_is() {
    let outcome = moved(
        &format!(
            "{CARGO}//- src/lib.rs\nmod util;\nmod other;\nuse util::Acc;\nfn f() -> Acc {{ Acc::from(2) }}\n#[cfg(test)]\nmod tests {{\n    use super::*;\n}}\n//- src/other.rs\n//- src/util.rs\npub struct Acc<caret>(i32);\nimpl From<i32> for Acc {{ fn from(v: i32) -> Self {{ Acc(v) }} }}\n"
        ),
        "src/other.rs",
    );
    is_allowed(&outcome);
    let text = &outcome.changed["src/other.rs"];
    assert!(text.contains("for Acc { fn from(v"), "{text}");
}

#[test]
fn fields_of_cases_get_no_word_of_their_own() {
    let outcome = moved(
        &format!(
            "{CARGO}//- src/lib.rs\nmod util;\nmod other;\nuse util::E;\nfn f(e: &E) -> u8 {{ match e {{ E::A {{ key }} => *key }} }}\n//- src/other.rs\n//- src/util.rs\npub enum E<caret> {{ A {{ key: u8 }} }}\n"
        ),
        "src/other.rs",
    );
    is_allowed(&outcome);
    assert!(outcome.changed["src/other.rs"].contains("A { key: u8 }"), "{:?}", outcome.changed);
}

#[test]
fn words_that_say_a_module_stay_inside_of_it() {
    let of = |word: &str, to: &str| {
        moved(
            &format!(
                "{CARGO}//- src/lib.rs\nmod a;\nmod b;\nfn f(s: &a::S) -> u8 {{ s.n }}\n//- src/a.rs\npub struct S<caret> {{ {word} n: u8 }}\n//- src/b.rs\npub mod c;\n//- src/b/c.rs\n"
            ),
            to,
        )
    };
    is_refused(&of("pub(in crate)", "src/b.rs"), "says a module around its old place");
    is_refused(&of("pub(super)", "src/b/c.rs"), "says a module around its old place");
    is_allowed(&of("pub(super)", "src/b.rs"));
    is_allowed(&of("pub(crate)", "src/b/c.rs"));
}

#[test]
fn stars_of_inner_modules_are_no_imports_of_the_file() {
    let source = |star: &str| {
        format!(
            "{CARGO}//- src/lib.rs\nmod other;\n{star}fn <caret>f() -> u32 {{ made!() }}\n#[cfg(test)]\nmod tests {{\n    use super::*;\n    #[test]\n    fn t() {{ f(); }}\n}}\n//- src/other.rs\n"
        )
    };
    is_allowed(&moved(&source(""), "src/other.rs"));
    let outcome = moved(&source("use outside::prelude::*;\n"), "src/other.rs");
    is_allowed(&outcome);
    assert!(outcome.changed["src/other.rs"].contains("use outside::prelude::*;"), "{:?}", outcome.changed);
}

#[test]
fn parts_of_other_declarations_are_imported_where_they_are_declared_too() {
    let outcome = moved(
        "//- src/m/Event.kt\npackage m\nclass Event { enum class Method { CARD } }\n//- src/d/Dsl.kt\npackage d\nimport m.Event.Method\nfun pay<caret>(by: Method = Method.CARD) = by\n",
        "src/m/Event.kt",
    );
    is_allowed(&outcome);
    let text = &outcome.changed["src/m/Event.kt"];
    assert!(text.contains("import m.Event.Method"), "{text}");
    let outcome = moved(
        &format!(
            "{CARGO}//- src/lib.rs\nmod util;\nmod geo;\n//- src/util.rs\npub mod consts {{ pub const PI: f64 = 3.0; }}\n//- src/geo.rs\nuse crate::util::consts::PI;\npub fn area<caret>(r: f64) -> f64 {{ PI * r }}\n"
        ),
        "src/util.rs",
    );
    is_allowed(&outcome);
    let text = &outcome.changed["src/util.rs"];
    assert!(text.contains("use crate::util::consts::PI;"), "{text}");
}

#[test]
fn a_name_that_a_group_imports_already_is_not_imported_again() {
    let outcome = moved(
        &format!(
            "{CARGO}//- src/lib.rs\nmod graph;\nmod visit;\n//- src/graph.rs\npub struct Id(u8);\npub struct Step;\npub struct Edge<caret> {{ pub to: Id }}\n//- src/visit.rs\nuse crate::graph::{{Id, Step}};\nfn f(a: Id, s: Step) {{}}\n"
        ),
        "src/visit.rs",
    );
    is_allowed(&outcome);
    let text = &outcome.changed["src/visit.rs"];
    assert!(!text.contains("use crate::graph::Id;"), "{text}");
}

#[test]
fn an_import_of_an_inner_module_does_not_serve_the_file() {
    let outcome = moved(
        &format!(
            "{CARGO}//- src/lib.rs\nmod util;\nmod geo;\n//- src/util.rs\n#[cfg(test)]\nmod tests {{\n    use std::collections::HashMap;\n    fn f() -> HashMap<u8, u8> {{ HashMap::new() }}\n}}\n//- src/geo.rs\nuse std::collections::HashMap;\npub fn g<caret>() -> HashMap<u8, u8> {{ HashMap::new() }}\n"
        ),
        "src/util.rs",
    );
    is_allowed(&outcome);
    assert_eq!(outcome.changed["src/util.rs"].matches("use std::collections::HashMap;").count(), 2);
}

const TOLD: &str = "//- Cargo.toml\n[package]\nname = \"m\"\nversion = \"0.1.0\"\n//- src/lib.rs\npub mod top;\n#[cfg(unix)]\n#[path = \"odd/unix.rs\"]\npub mod imp;\n#[cfg(windows)]\n#[path = \"odd/windows.rs\"]\npub mod imp;\nfn f() -> u8 { imp::one() }\n//- src/top.rs\nuse super::imp::one;\nfn g() -> u8 { one() + crate::imp::two() }\n//- src/odd/unix.rs\npub fn one() -> u8 { 1 }\npub fn two() -> u8 { super::top::three() }\n//- src/odd/windows.rs\npub fn one() -> u8 { 1 }\npub fn two() -> u8 { 2 }\n";

#[test]
fn a_module_whose_declaration_says_its_path_keeps_its_file() {
    let source = TOLD.replacen("imp::one() }", "imp<caret>::one() }", 1);
    renames(
        &source,
        "sys",
        &[
            (
                "src/lib.rs",
                "pub mod top;\n#[cfg(unix)]\n#[path = \"odd/unix.rs\"]\npub mod sys;\n#[cfg(windows)]\n#[path = \"odd/windows.rs\"]\npub mod sys;\nfn f() -> u8 { sys::one() }\n",
            ),
            ("src/top.rs", "use super::sys::one;\nfn g() -> u8 { one() + crate::sys::two() }\n"),
        ],
    );
    let mixed =
        source.replace("#[path = \"odd/windows.rs\"]\n", "").replace("src/odd/windows.rs", "src/imp.rs");
    is_refused(&crate::refactor::rename(&mixed, "sys"), "by its name in another build");
}

#[test]
fn a_declaration_says_the_new_path_of_its_file() {
    crate::moves::moves(
        TOLD,
        "src/odd/unix.rs",
        "src/even/linux.rs",
        &[
            ("src/even/linux.rs", "pub fn one() -> u8 { 1 }\npub fn two() -> u8 { super::top::three() }\n"),
            (
                "src/lib.rs",
                "pub mod top;\n#[cfg(unix)]\n#[path = \"even/linux.rs\"]\npub mod imp;\n#[cfg(windows)]\n#[path = \"odd/windows.rs\"]\npub mod imp;\nfn f() -> u8 { imp::one() }\n",
            ),
        ],
    );
    let below =
        TOLD.replacen("//- src/odd/unix.rs\n", "//- src/odd/more.rs\n//- src/odd/unix.rs\nmod more;\n", 1);
    let outcome = crate::moves::moved(&below, "src/odd/unix.rs", "src/even/linux.rs");
    is_refused(&outcome, "lie beside it");
    is_allowed(&crate::moves::moved(&below, "src/odd/unix.rs", "src/odd/linux.rs"));
}

#[test]
fn a_key_beside_a_spread_object_may_take_the_place_of_its_member() {
    let of = |after: &str, ending: &str| {
        crate::refactor::rename(
            &format!(
                "//- a.{ending}\ninterface Task {{ id: string; title<caret>: string }}\nexport function f(item: Task) {{\n  {after}\n}}\nexport const other = {{ title: 1 }};\n"
            ),
            "name",
        )
    };
    let outcome = of("const loud = { ...item, title: item.title.toUpperCase() };\n  return loud;", "ts");
    assert_eq!(outcome.conflicts, ["unresolved_use"], "{:#?}", outcome.changed);
    let outcome =
        of("const loud: Task = { ...item, title: item.title.toUpperCase() };\n  return loud;", "ts");
    is_allowed(&outcome);
    assert!(only_text(&outcome).contains("...item, name: item.name."), "{:#?}", outcome.changed);
    is_allowed(&of("const loud = { ...item, id: item.title };\n  return loud;", "ts"));
}

#[test]
fn a_text_whose_type_is_made_of_the_keys_of_another_may_be_one_of_them() {
    let of = |ty: &str| {
        crate::refactor::rename(
            &format!(
                "//- a.ts\ntype Keys<T, V> = {{ [K in keyof T]: T[K] extends V ? K : never }}[keyof T];\ninterface A {{ a<caret>: number; b: string }}\nexport const key: {ty} = 'a';\nexport const plain: string = 'a';\n"
            ),
            "zq",
        )
    };
    assert_eq!(of("Keys<A, number>").conflicts, ["unresolved_use"]);
    is_allowed(&of("Keys<{ a: number }, number>"));
}

#[test]
fn a_chain_that_begins_with_something_temporary_gets_no_name() {
    let of = |chain: &str| {
        crate::inside::extract(
            &format!(
                "{CARGO}//- src/lib.rs\nfn make() -> Vec<u8> {{ vec![] }}\nfn f(own: Vec<u8>) -> Vec<u8> {{\n    let all: Vec<u8> = <caret>{chain}.collect();\n    all\n}}\n"
            ),
            chain,
            "part",
            false,
        )
    };
    is_refused(&of("make().iter().map(|n| n + 1)"), "");
    is_allowed(&of("own.iter().map(|n| n + 1)"));
    is_allowed(&of("make().into_iter().map(|n| n + 1)"));
}

#[test]
fn the_end_of_a_kotlin_branch_is_its_value() {
    let of = |body: &str, select: &str| {
        crate::inside::method(
            &format!(
                "//- a.kt\nclass N(val d: Double)\nfun log() {{}}\nfun make(d: Double): N = N(d)\nfun f(k: Int, d: Double): N {{\n    {body}\n}}\n"
            ),
            select,
        )
    };
    let part = |body: &str, select: &str| {
        let outcome = of(body, select);
        is_allowed(&outcome);
        only_text(&outcome).lines().find(|line| line.contains("fun part")).unwrap_or_default().to_owned()
    };
    let gives = |line: String| assert!(line.contains("(d: Double): N {") || line.contains(") = "), "{line}");
    let when = "return when (k) {\n        1 -> { log(); <caret>N(d) }\n        else -> make(2.0)\n    }";
    gives(part(when, "N(d)"));
    let tried = "val n = try {\n        make(1.0)\n    } catch (e: Exception) {\n        <caret>make(d)\n    }\n    return n";
    gives(part(tried, "make(d)"));
    let chosen =
        "val n = if (k > 1) {\n        log()\n        <caret>make(d)\n    } else make(2.0)\n    return n";
    gives(part(chosen, "make(d)"));
    is_refused(
        &of(
            &chosen.replacen("log()\n        <caret>", "<caret>log()\n        ", 1),
            "log()\n        make(d)",
        ),
        "value of the block",
    );
    // Where nobody uses the value, it is a statement.
    let run = "if (k > 1) {\n        <caret>log()\n    }\n    return make(d)";
    assert_eq!(part(run, "log()"), "private fun part() {");
}

#[test]
fn a_kotlin_call_of_what_is_overridden_says_all_arguments() {
    let source = "//- a.kt\nopen class A { open fun tell<caret>(sep: String): String = sep }\nclass B : A() { override fun tell(sep: String): String = super.tell(sep + \"o\") }\nfun f(a: A) = a.tell(\"x\")\n";
    let of = |new: NewParameter| {
        let change =
            SignatureChange { parameters: Some(vec![parameter("sep"), new]), ..SignatureChange::default() };
        signature(source, &change)
    };
    let outcome = of(added("n", "Int", "7", ""));
    is_allowed(&outcome);
    let text = only_text(&outcome);
    assert!(text.contains("super.tell(sep + \"o\", 7)") && text.contains("a.tell(\"x\")"), "{text}");
    is_refused(&of(added("n", "Int", "size()", "")), "no value is known");
}

#[test]
fn a_lambda_behind_a_kotlin_parameter_is_its_default_value() {
    let outcome = signature(
        "//- a.kt\nfun only<caret>(n: Int, test: (Int) -> Boolean = { true }, m: Int = 1) = if (test(n)) m else n\nfun f() = only(1) + only(2, { it > 1 })\n",
        &SignatureChange {
            parameters: Some(vec![
                parameter("n"),
                added("k", "Int", "7", ""),
                parameter("test"),
                parameter("m"),
            ]),
            ..SignatureChange::default()
        },
    );
    is_allowed(&outcome);
    let text = only_text(&outcome);
    assert!(text.contains("(n: Int, k: Int = 7, test: (Int) -> Boolean = { true }, m: Int = 1)"), "{text}");
    assert!(text.contains("only(1) + only(2, test = { it > 1 })"), "{text}");
}
