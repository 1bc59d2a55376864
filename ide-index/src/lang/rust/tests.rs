//! The facts of syntax that is easy to read wrongly.

use ide_model::{Language, SymbolKind};

use super::Rust;
use crate::FrontEnd;
use crate::facts::{DefFlags, FileFacts, Quality, RefFlags, Role};

fn facts(text: &str) -> FileFacts {
    let facts = Rust.facts("src/lib.rs", text);
    assert_eq!(facts.language, Language::Rust);
    facts
}

/// Named declarations of a kind.
fn names(facts: &FileFacts, kind: SymbolKind) -> Vec<&str> {
    facts
        .defs
        .iter()
        .filter(|d| d.kind == kind && !d.flags.has(DefFlags::ANONYMOUS))
        .map(|d| facts.name(d.name))
        .collect()
}

/// References with a role, in the order of reading.
fn uses(facts: &FileFacts, role: Role) -> Vec<&str> {
    facts.refs.iter().filter(|r| r.role == role).map(|r| facts.name(r.name)).collect()
}

#[test]
fn quotes_hashes_and_dots_are_told_apart() {
    let text = r##"
        fn f<'a>(x: &'a str, t: ((u8, u8), u8)) {
            let c = 'a'; let q = '\''; let r = r#"let hidden = "1";"#; let b = b'x';
            let r#type = t.0.1; let f = 1.max(2); let g = 1..2; let e = 1.5e3f32;
            'out: loop { break 'out; }
        }"##;
    let facts = facts(text);
    assert_eq!(facts.quality, Quality::Full, "{:?}", facts.errors);
    assert_eq!(names(&facts, SymbolKind::Variable), ["c", "q", "r", "b", "type", "f", "g", "e"]);
    assert_eq!(names(&facts, SymbolKind::TypeParameter), ["'a"]);
    assert_eq!(names(&facts, SymbolKind::Label), ["'out"]);
    assert_eq!(uses(&facts, Role::Label), ["'out"]);
    assert_eq!(uses(&facts, Role::Call), ["max"]);
}

#[test]
fn angle_brackets_compare_or_hold_arguments() {
    let facts =
        facts("fn f() { if a < b && c > d {} let v = x.collect::<Vec<Vec<u8>>>(); g(a as usize >> 2); }");
    assert_eq!(facts.quality, Quality::Full, "{:?}", facts.errors);
    assert_eq!(uses(&facts, Role::Read), ["a", "b", "c", "d", "x", "a"]);
    assert_eq!(uses(&facts, Role::Type), ["Vec", "Vec"]);
    assert_eq!(uses(&facts, Role::Call), ["collect", "g"]);
}

#[test]
fn keywords_among_words_of_a_macro_call_declare_nothing() {
    let facts = facts(
        "forward! {\n    bool struct enum identifier\n    ignored mod type\n}\n\
         wrap! {\n    enum Real { A }\n    pub struct One;\n    struct Two: u32 { const B = 1; }\n    type T = Real;\n}\n",
    );
    assert_eq!(names(&facts, SymbolKind::Enum), ["Real"]);
    assert_eq!(names(&facts, SymbolKind::Struct), ["One", "Two"]);
    assert_eq!(names(&facts, SymbolKind::TypeAlias), ["T"]);
    assert_eq!(names(&facts, SymbolKind::Module), [""; 0]);
}

#[test]
fn braces_after_a_condition_are_no_literal() {
    let facts =
        facts("fn f() { if x == y {} match s { S { a, b: 1 } => S { a, ..d }, _ => t } for i in v {} }");
    assert_eq!(facts.quality, Quality::Full, "{:?}", facts.errors);
    assert_eq!(uses(&facts, Role::New), ["S"]);
    assert_eq!(names(&facts, SymbolKind::Variable), ["a", "i"]);
    let shorthand = facts.refs.iter().filter(|r| r.flags.has(RefFlags::IMPLICIT));
    assert_eq!(shorthand.map(|r| facts.name(r.name)).collect::<Vec<_>>(), ["a", "a"]);
}

#[test]
fn tokens_of_macro_calls_are_read_and_rules_are_not() {
    let text = "macro_rules! m { ($x:expr) => { hidden($x) } }
        fn f() { println!(\"{a} {0:>w$} {{no}} {b:?}\", c.d()); m![let z = g(y); z => h]; }
        thread_local! { pub static S: Cell<u8> = Cell::new(1); }";
    let facts = facts(text);
    assert_eq!(facts.quality, Quality::Full, "{:?}", facts.errors);
    assert_eq!(names(&facts, SymbolKind::Macro), ["m"]);
    assert_eq!(names(&facts, SymbolKind::Constant), ["S"]);
    assert_eq!(names(&facts, SymbolKind::Variable), ["z"]);
    assert_eq!(uses(&facts, Role::Macro), ["println", "m", "thread_local"]);
    assert_eq!(uses(&facts, Role::Call), ["d", "g", "new"]);
    let captured = facts.refs.iter().filter(|r| r.flags.has(RefFlags::IN_STRING));
    assert_eq!(captured.map(|r| facts.name(r.name)).collect::<Vec<_>>(), ["a", "w", "b"]);
}

#[test]
fn bounds_and_where_clauses_belong_to_their_parameters() {
    let facts = facts(
        "impl<E: ::std::error::Error, T> From<E> for X<T> where T: Copy + 'static, Vec<T>: Send { fn f(&self) {} fn g() {} }",
    );
    assert_eq!(facts.quality, Quality::Full, "{:?}", facts.errors);
    assert_eq!(names(&facts, SymbolKind::TypeParameter), ["E", "T"]);
    assert_eq!(uses(&facts, Role::Implements), ["From"]);
    let bounded = facts.defs.iter().filter(|d| d.kind == SymbolKind::TypeParameter && d.ty.is_some());
    assert_eq!(bounded.count(), 2);
    let statics = facts.defs.iter().filter(|d| d.flags.has(DefFlags::STATIC));
    assert_eq!(statics.map(|d| facts.name(d.name)).collect::<Vec<_>>(), ["g"]);
}

#[test]
fn conditions_that_never_hold_here_are_known() {
    let facts = facts(
        "#[cfg(windows)] fn a() {} #[cfg(any(windows, feature = \"x\"))] fn b() {} #[cfg(not(test))] mod c;",
    );
    let left_out = facts.defs.iter().filter(|d| d.flags.has(DefFlags::NOT_BUILT));
    assert_eq!(left_out.map(|d| facts.name(d.name)).collect::<Vec<_>>(), ["a", "c"]);
}

#[test]
fn a_missing_brace_costs_one_function() {
    let facts = facts(
        "struct A { x: u8 }\nimpl A {\n    fn f(&self) {\n        if a {\n            b();\n    }\n    fn g(&self) {}\n}\nfn h() {}\n",
    );
    assert_eq!(facts.quality, Quality::Damaged);
    assert_eq!(names(&facts, SymbolKind::Method), ["f", "g"]);
    assert_eq!(names(&facts, SymbolKind::Function), ["h"]);
}

#[test]
fn an_underscore_that_is_assigned_to_is_no_name() {
    let facts = facts("fn f() { _ = g(); (_, x) = h(); }");
    assert_eq!(facts.quality, Quality::Full, "{:?}", facts.errors);
    assert!(facts.refs.iter().all(|r| facts.name(r.name) != "_"));
}
