//! Files of Rust that go to another module: the line that declares them, paths in and out, and who may say what.

use crate::moves::{moved, moves, refuses};

/// The first reason why nothing is moved.
#[track_caller]
fn says(source: &str, from: &str, to: &str, reason: &str) {
    let conflicts = moved(source, from, to).refactored.conflicts;
    let first = conflicts.first().map_or("", |conflict| &conflict.message);
    assert!(first.contains(reason), "{conflicts:#?}");
}

/// A crate in which `a::foo` is used in every way.
const TREE: &str = "//- Cargo.toml\n[package]\nname = \"x\"\nedition = \"2021\"\n\
     //- src/lib.rs\npub mod a;\nmod b;\nmod user;\n\npub use a::foo::One;\n\nfn f() -> crate::a::foo::One { a::foo::make() }\n\
     //- src/a.rs\n//! A.\n\n/// The foo.\n#[allow(dead_code)]\npub(crate) mod foo;\nmod other;\n\nuse self::foo::{make, One as Uno};\n\npub struct Near;\nfn g() -> Uno { foo::inner::deep(); make() }\n\
     //- src/a/other.rs\nuse super::foo;\npub fn o() { foo::make(); super::foo::make(); }\n\
     //- src/a/foo.rs\npub mod inner;\nuse super::Near;\npub struct One;\npub fn make() -> One { let _ = Near; super::other::o(); self::inner::deep(); One }\n\
     //- src/a/foo/inner.rs\nuse super::One;\npub fn deep() -> One { super::super::foo::make(); let _ = super::super::Near; One }\n\
     //- src/b.rs\nmod early;\nmod late;\n\nuse crate::a::foo;\nfn h() { foo::make(); }\n\
     //- src/b/early.rs\n\n//- src/b/late.rs\n\n\
     //- src/user.rs\nuse crate::a::{foo::{self, make}, Near};\nuse crate::{a::foo::inner as deep_down, b};\nfn u(_: Near) { make(); foo::make(); deep_down::deep(); }\n";

#[test]
fn rust_modules_get_another_parent() {
    let source = TREE.replace("mod other;", "pub mod other;");
    moves(
        &source,
        "src/a/foo.rs",
        "src/b/foo.rs",
        &[
            (
                "src/lib.rs",
                "pub mod a;\nmod b;\nmod user;\n\npub use crate::b::foo::One;\n\nfn f() -> crate::b::foo::One { crate::b::foo::make() }\n",
            ),
            (
                "src/a.rs",
                "//! A.\n\npub mod other;\n\nuse crate::b::foo::{make, One as Uno};\n\npub struct Near;\nfn g() -> Uno { crate::b::foo::inner::deep(); make() }\n",
            ),
            ("src/a/other.rs", "use crate::b::foo;\npub fn o() { foo::make(); crate::b::foo::make(); }\n"),
            (
                "src/b/foo.rs",
                "pub mod inner;\nuse crate::a::Near;\npub struct One;\npub fn make() -> One { let _ = Near; crate::a::other::o(); self::inner::deep(); One }\n",
            ),
            (
                "src/b/foo/inner.rs",
                "use super::One;\npub fn deep() -> One { crate::b::foo::make(); let _ = crate::a::Near; One }\n",
            ),
            (
                "src/b.rs",
                "mod early;\n/// The foo.\n#[allow(dead_code)]\npub(crate) mod foo;\nmod late;\n\nfn h() { foo::make(); }\n",
            ),
            (
                "src/user.rs",
                "use crate::a::Near;\nuse crate::b::foo::{self, make};\nuse crate::{b::foo::inner as deep_down, b};\nfn u(_: Near) { make(); foo::make(); deep_down::deep(); }\n",
            ),
        ],
    );
    refuses(TREE, "src/a/foo.rs", "src/c/foo.rs", &["unsupported_form"]);
    refuses(TREE, "src/a/foo.rs", "src/b/foo.rs", &["meaning_changes"]);
    refuses(&source, "src/a/foo.rs", "src/b/early.rs", &["collision"]);
}

#[test]
fn the_declaration_is_as_visible_as_its_uses_need() {
    let source = "//- src/lib.rs\nmod a;\nmod foo;\nmod user;\n//- src/a.rs\n//! A.\n#![allow(dead_code)]\n\nuse std::fmt;\nmod inner { pub mod deep {} }\n\
         //- src/foo.rs\npub fn go() {}\n//- src/user.rs\nfn f() { crate::foo::go() }\n";
    moves(
        source,
        "src/foo.rs",
        "src/a/foo.rs",
        &[
            ("src/lib.rs", "mod a;\nmod user;\n"),
            (
                "src/a.rs",
                "//! A.\n#![allow(dead_code)]\n\npub(super) mod foo;\n\nuse std::fmt;\nmod inner { pub mod deep {} }\n",
            ),
            ("src/a/foo.rs", "pub fn go() {}\n"),
            ("src/user.rs", "fn f() { crate::a::foo::go() }\n"),
        ],
    );
    let unused = source.replace("fn f() { crate::foo::go() }", "");
    moves(
        &unused,
        "src/foo.rs",
        "src/a/bar/mod.rs",
        &[
            ("src/lib.rs", "mod a;\nmod user;\n"),
            (
                "src/a.rs",
                "//! A.\n#![allow(dead_code)]\n\nmod bar;\n\nuse std::fmt;\nmod inner { pub mod deep {} }\n",
            ),
            ("src/a/bar/mod.rs", "pub fn go() {}\n"),
        ],
    );
    let deep = "//- src/lib.rs\nmod a;\nmod b;\n//- src/a/mod.rs\nmod c;\n//- src/a/c.rs\npub mod d;\n//- src/a/c/d.rs\n//- src/b.rs\npub mod foo;\nfn f() { foo::g() }\n//- src/b/foo.rs\npub fn g() {}\n";
    says(deep, "src/b/foo.rs", "src/a/c/foo.rs", "the module `c` is not visible here");
    says(source, "src/foo.rs", "src/a/inner/foo.rs", "is written inside of src/a.rs");
    says(source, "src/foo.rs", "src/x/foo.rs", "create src/x.rs, and declare `mod x;`");
    says(source, "src/a.rs", "src/a/b.rs", "src/a.rs lies inside of the module that would move");
    says(source, "src/lib.rs", "src/a/lib.rs", "is the root of a crate");
}

#[test]
fn what_only_the_old_parent_may_say_stays_there() {
    let source = |a: &str, foo: &str| {
        format!(
            "//- src/lib.rs\nmod a;\nmod b;\n//- src/a.rs\nmod foo;\n{a}\n//- src/b.rs\n//- src/a/foo.rs\n{foo}\n"
        )
    };
    let check = |a: &str, foo: &str, reason: &str| {
        says(&source(a, foo), "src/a/foo.rs", "src/b/foo.rs", reason);
    };
    check("fn help() {}", "fn f() { super::help() }", "`help` is private in src/a.rs");
    check("pub struct S { x: u8 }", "use super::S;\nfn f(s: &S) -> u8 { s.x }", "`x` is private in src/a.rs");
    check("pub struct S { x: u8 }", "fn f() { (unknown()).x; }", "this `x` may be one that is private");
    check("pub struct S(u8);", "fn f() { super::S(1); }", "the field `0` of `S` is private");
    check(
        "pub struct S;\nimpl S { fn h(&self) {} }",
        "use super::*;\nfn f(s: &S) { s.h() }",
        "`h` is private",
    );
    check(
        "use std::fmt::Debug;",
        "fn f<T: super::Debug>() {}",
        "`Debug` is what src/a.rs imports for itself only",
    );
    check("pub(self) fn help() {}", "use crate::a::help;", "`help` is private in src/a.rs");
    check("fn g() { foo::h() }", "pub(in crate::a) fn h() {}", "`pub(in crate::a)` names a module");
    check(
        "mod t { pub trait T { fn t(&self) {} } }\nuse t::T;",
        "use super::*;\nfn f(x: u8) { x.t() }",
        "`T` came with the glob",
    );
    check(
        "pub struct S(u8);",
        "impl super::S { fn n() -> Self { Self(1) } }",
        "the field `0` of `S` is private",
    );
    check(
        "trait T { fn t(&self) {} }\nimpl T for u8 {}",
        "use super::*;\nfn f(x: u8) { x.t() }",
        "`T` came with the glob",
    );
    check("use crate::b::*;", "use super::*;\nfn f() {}", "`crate::b::*` came with the glob");
    check("", "#[cfg_attr(unix, path = \"x.rs\")]\nmod x;", "`path` in an attribute");
    check(
        "",
        "const X: &str = include_str!(\"x.txt\");",
        "`include_str!` makes the file depend on the directory",
    );
    check("", "macro_rules! m { () => { super::x() } }", "`super` in a macro");
    check(
        "macro_rules! m { () => { foo::x() } }",
        "pub fn x() {}",
        "this `foo` in a macro may be the module that moves",
    );
}

#[test]
fn what_the_old_parent_sees_it_goes_on_to_see() {
    moves(
        "//- src/lib.rs\nmod a;\nmod b;\n//- src/a.rs\nmod foo;\nfn g(s: foo::S) { foo::h(); s.x; }\n//- src/b.rs\n//- src/a/foo.rs\npub(super) fn h() {}\npub(super) fn i() {}\npub struct S { pub(super) x: u8, pub(super) y: u8 }\n",
        "src/a/foo.rs",
        "src/b/foo.rs",
        &[
            ("src/a.rs", "fn g(s: crate::b::foo::S) { crate::b::foo::h(); s.x; }\n"),
            ("src/b.rs", "pub(super) mod foo;\n"),
            (
                "src/b/foo.rs",
                "pub(crate) fn h() {}\npub(super) fn i() {}\npub struct S { pub(crate) x: u8, pub(super) y: u8 }\n",
            ),
        ],
    );
}

#[test]
fn attributes_of_the_file_stay_above_its_first_line() {
    moves(
        "//- src/lib.rs\n//! L.\n#![allow(dead_code)]\n\nmod foo;\nmod a;\n//- src/a.rs\n//- src/foo.rs\n",
        "src/foo.rs",
        "src/a/foo.rs",
        &[
            ("src/lib.rs", "//! L.\n#![allow(dead_code)]\n\nmod a;\n"),
            ("src/a.rs", "mod foo;\n"),
            ("src/a/foo.rs", ""),
        ],
    );
}

#[test]
fn comments_go_with_what_they_stand_at() {
    let lib = "mod a; // First.\n#[allow(dead_code)] // Why.\n// Of the foo.\nmod foo; // Behind.\n\n// Of all below.\nmod x;\nmod y;\n";
    let source = format!("//- src/lib.rs\n{lib}//- src/a.rs\n//- src/foo.rs\n//- src/x.rs\n//- src/y.rs\n");
    moves(
        &source,
        "src/foo.rs",
        "src/a/foo.rs",
        &[
            ("src/lib.rs", "mod a; // First.\n\n// Of all below.\nmod x;\nmod y;\n"),
            ("src/a.rs", "#[allow(dead_code)] // Why.\n// Of the foo.\nmod foo; // Behind.\n"),
            ("src/a/foo.rs", ""),
        ],
    );
    moves(
        &source,
        "src/x.rs",
        "src/a/x.rs",
        &[("src/lib.rs", &lib.replace("mod x;\n", "")), ("src/a.rs", "mod x;\n"), ("src/a/x.rs", "")],
    );
}

#[test]
fn conditions_go_along() {
    let source = "//- src/lib.rs\n#[cfg(unix)]\nmod a;\nmod b;\n//- src/a.rs\n#[cfg(test)]\nmod foo;\n//- src/b.rs\nmod c;\n//- src/b/c.rs\n//- src/a/foo.rs\n";
    moves(
        source,
        "src/a/foo.rs",
        "src/b/foo.rs",
        &[
            ("src/a.rs", ""),
            ("src/b.rs", "mod c;\n#[cfg(test)]\n#[cfg(unix)]\nmod foo;\n"),
            ("src/b/foo.rs", ""),
        ],
    );
    says(source, "src/b/c.rs", "src/a/c.rs", "src/a.rs is compiled under `#[cfg(unix)]` only");
}

#[test]
fn macros_in_reach_of_the_old_place_stay_in_reach() {
    let source = "//- src/lib.rs\nmod a;\n#[macro_use]\nmod macros;\nmod b;\nmod foo;\n//- src/a.rs\n//- src/b.rs\nmod z;\n//- src/b/z.rs\n\
         //- src/macros.rs\nmacro_rules! m { () => { $crate::foo::go() } }\n//- src/foo.rs\npub fn go() { if false { m!() } }\n";
    moves(
        source,
        "src/foo.rs",
        "src/b/foo.rs",
        &[
            ("src/lib.rs", "mod a;\n#[macro_use]\nmod macros;\nmod b;\n"),
            ("src/b.rs", "pub(super) mod foo;\nmod z;\n"),
            ("src/macros.rs", "macro_rules! m { () => { $crate::b::foo::go() } }\n"),
            ("src/b/foo.rs", "pub fn go() { if false { m!() } }\n"),
        ],
    );
    refuses(source, "src/foo.rs", "src/a/foo.rs", &["meaning_changes"]);
    let up = "//- src/lib.rs\nmod a;\n#[macro_use]\nmod z;\n//- src/a.rs\nmod foo;\n//- src/z.rs\nmacro_rules! m { () => {} }\n//- src/a/foo.rs\nfn f() {}\n";
    let used = up
        .replace("mod a;\n#[macro_use]\nmod z;", "#[macro_use]\nmod z;\nmod a;")
        .replace("fn f() {}", "fn f() { m!() }");
    moves(
        &used,
        "src/a/foo.rs",
        "src/foo.rs",
        &[
            ("src/a.rs", ""),
            ("src/lib.rs", "#[macro_use]\nmod z;\nmod a;\nmod foo;\n"),
            ("src/foo.rs", "fn f() { m!() }\n"),
        ],
    );
}

#[test]
fn paths_in_strings_of_attributes_lead_to_the_module() {
    let source = "//- src/lib.rs\nmod a;\nmod b;\n\n#[derive(S)]\nstruct X(#[serde(with = \"a::foo\", rename = \"foo\")] u8);\n//- src/a.rs\npub mod foo;\npub mod h {}\n//- src/b.rs\n\
         //- src/a/foo.rs\n#[serde(with = \"super::h\")]\nstruct Y(#[serde(default = \"crate::a::foo::f\")] u8, #[serde(with = \"self::g\")] u8);\n";
    moves(
        source,
        "src/a/foo.rs",
        "src/b/foo.rs",
        &[
            (
                "src/lib.rs",
                "mod a;\nmod b;\n\n#[derive(S)]\nstruct X(#[serde(with = \"crate::b::foo\", rename = \"foo\")] u8);\n",
            ),
            ("src/a.rs", "pub mod h {}\n"),
            ("src/b.rs", "pub mod foo;\n"),
            (
                "src/b/foo.rs",
                "#[serde(with = \"crate::a::h\")]\nstruct Y(#[serde(default = \"crate::b::foo::f\")] u8, #[serde(with = \"self::g\")] u8);\n",
            ),
        ],
    );
}

#[test]
fn other_crates_follow_what_they_see() {
    let source = "//- x/Cargo.toml\n[package]\nname = \"x\"\nedition = \"2021\"\n//- x/src/lib.rs\npub mod a;\npub mod b;\nmod c;\n//- x/src/a.rs\npub mod foo;\npub mod other {}\n//- x/src/a/foo.rs\npub struct One;\n//- x/src/b.rs\n//- x/src/c.rs\n\
         //- y/Cargo.toml\n[package]\nname = \"y\"\nedition = \"2021\"\n[dependencies]\nx = { path = \"../x\" }\n//- y/src/lib.rs\nmod z;\nuse x::a::{foo::One, other};\nfn f(_: x::a::foo::One, _: One) {}\n//- y/src/z.rs\n";
    moves(
        source,
        "x/src/a/foo.rs",
        "x/src/b/foo.rs",
        &[
            ("x/src/a.rs", "pub mod other {}\n"),
            ("x/src/b.rs", "pub mod foo;\n"),
            ("x/src/b/foo.rs", "pub struct One;\n"),
            (
                "y/src/lib.rs",
                "mod z;\nuse x::a::other;\nuse x::b::foo::One;\nfn f(_: x::b::foo::One, _: One) {}\n",
            ),
        ],
    );
    says(source, "x/src/a/foo.rs", "x/src/c/foo.rs", "the module `c` is not visible here");
    says(source, "x/src/a/foo.rs", "y/src/foo.rs", "belongs to another crate (y/src/lib.rs)");
}

#[test]
fn modules_go_down_and_up_with_what_is_below_them() {
    let source = "//- src/lib.rs\nmod a;\n//- src/a/mod.rs\nmod c;\nmod foo;\nfn f() { foo::g(); self::foo::g() }\n//- src/a/c.rs\nfn h() { super::f() }\n\
         //- src/a/foo/mod.rs\nmod x;\npub fn g() { super::f(); x::y() }\n//- src/a/foo/x.rs\npub fn y() { super::g(); super::super::f(); self::super::super::f() }\n";
    moves(
        source,
        "src/a/foo/mod.rs",
        "src/a/c/foo/mod.rs",
        &[
            ("src/a/mod.rs", "mod c;\nfn f() { c::foo::g(); self::c::foo::g() }\n"),
            ("src/a/c.rs", "pub(super) mod foo;\n\nfn h() { super::f() }\n"),
            ("src/a/c/foo/mod.rs", "mod x;\npub fn g() { crate::a::f(); x::y() }\n"),
            ("src/a/c/foo/x.rs", "pub fn y() { super::g(); crate::a::f(); crate::a::f() }\n"),
        ],
    );
    moves(
        source,
        "src/a/foo/mod.rs",
        "src/a/bar.rs",
        &[
            ("src/a/mod.rs", "mod c;\nmod bar;\nfn f() { bar::g(); self::bar::g() }\n"),
            ("src/a/bar.rs", "mod x;\npub fn g() { super::f(); x::y() }\n"),
            ("src/a/bar/x.rs", "pub fn y() { super::g(); super::super::f(); self::super::super::f() }\n"),
        ],
    );
}

#[test]
fn a_module_stays_where_something_unread_may_name_it() {
    let source = TREE.replace("mod user;\n", "mod user;\ninclude!(\"extra.txt\");\n");
    says(&source, "src/b/early.rs", "src/b/soon.rs", "cannot be read");
    let outcome = moved(TREE, "src/b/early.rs", "src/b/soon.rs");
    assert_eq!(outcome.refactored.conflicts, []);
}
