//! Declarations of which each build has one: what happens to one happens to all of them.

use ide_model::SignatureChange;

use crate::refactor::{delete, refuses, renames};
use crate::signatures::{parameter, signature};

const GO: &str = "//- go.mod\nmodule m\n//- a.go\npackage a\n\nfunc Run() int { return plat(1) }\n//- plat_linux.go\npackage a\n\nfunc plat(x int) int { return x }\n//- plat_windows.go\npackage a\n\nfunc plat(x int) int { return x + 1 }\n";

fn at(source: &str, place: &str) -> String {
    let marked = format!("<caret>{place}");
    let (before, behind) = source.rsplit_once(place).expect("the place is there");
    format!("{before}{marked}{behind}")
}

#[test]
fn go_files_for_other_systems_are_renamed_along() {
    let wanted = [
        ("a.go", "package a\n\nfunc Run() int { return platform(1) }\n"),
        ("plat_linux.go", "package a\n\nfunc platform(x int) int { return x }\n"),
        ("plat_windows.go", "package a\n\nfunc platform(x int) int { return x + 1 }\n"),
    ];
    renames(&at(GO, "plat(x int) int { return x + 1"), "platform", &wanted);
    renames(&at(GO, "plat(x int) int { return x }"), "platform", &wanted);
    renames(&at(GO, "plat(1)"), "platform", &wanted);
    renames(
        "//- go.mod\nmodule m\n//- a.go\npackage a\n\nfunc (s *S) Do() { s.n++; s.st<caret>ep() }\n//- b.go\n//go:build tag\n\npackage a\n\ntype S struct{ n int }\n\nfunc (s *S) step() { _ = s.n }\n//- c.go\n//go:build !tag\n\npackage a\n\ntype S struct{ n int }\n\nfunc (s *S) step() {}\n",
        "run",
        &[
            ("a.go", "package a\n\nfunc (s *S) Do() { s.n++; s.run() }\n"),
            (
                "b.go",
                "//go:build tag\n\npackage a\n\ntype S struct{ n int }\n\nfunc (s *S) run() { _ = s.n }\n",
            ),
            ("c.go", "//go:build !tag\n\npackage a\n\ntype S struct{ n int }\n\nfunc (s *S) run() {}\n"),
        ],
    );
    renames(
        "//- go.mod\nmodule m\n//- a.go\npackage a\n\nfunc (s *S) Do() { s.<caret>n++ }\n//- b.go\n//go:build tag\n\npackage a\n\ntype S struct{ n int }\n//- c.go\n//go:build !tag\n\npackage a\n\ntype S struct{ n int }\n",
        "count",
        &[
            ("a.go", "package a\n\nfunc (s *S) Do() { s.count++ }\n"),
            ("b.go", "//go:build tag\n\npackage a\n\ntype S struct{ count int }\n"),
            ("c.go", "//go:build !tag\n\npackage a\n\ntype S struct{ count int }\n"),
        ],
    );
}

#[test]
fn what_is_used_on_one_system_is_used_on_all() {
    for place in ["plat(x int) int { return x + 1", "plat(x int) int { return x }"] {
        assert_eq!(delete(&at(GO, place)).conflicts, ["in_use"]);
    }
    let unused = GO.replace("plat(1)", "1");
    let outcome = delete(&at(&unused, "plat(x int) int { return x + 1"));
    assert_eq!(outcome.conflicts, [] as [&str; 0]);
    assert_eq!(outcome.changed.keys().collect::<Vec<_>>(), ["plat_linux.go", "plat_windows.go"]);
}

#[test]
fn signatures_change_on_all_systems() {
    let added =
        ide_model::NewParameter { ty: Some("int".to_owned()), value: Some("0".to_owned()), ..parameter("y") };
    let change =
        SignatureChange { parameters: Some(vec![parameter("x"), added]), ..SignatureChange::default() };
    let outcome = signature(&at(GO, "plat(x int) int { return x }"), &change);
    assert_eq!(outcome.conflicts, [] as [&str; 0]);
    assert_eq!(outcome.changed["a.go"], "package a\n\nfunc Run() int { return plat(1, 0) }\n");
    assert_eq!(
        outcome.changed["plat_windows.go"],
        "package a\n\nfunc plat(x int, y int) int { return x + 1 }\n"
    );
    assert_eq!(outcome.changed.len(), 3);
}

#[test]
fn programs_beside_a_package_are_no_variants_of_each_other() {
    let program = |name: &str| {
        format!(
            "//- {name}.go\n//go:build ignore\n\npackage main\n\nfunc help() {{}}\n\nfunc main() {{ help() }}\n"
        )
    };
    let source = format!("//- go.mod\nmodule m\n{}{}", program("one"), program("two"));
    renames(
        &at(&source, "help() {}"),
        "usage",
        &[("two.go", "//go:build ignore\n\npackage main\n\nfunc usage() {}\n\nfunc main() { usage() }\n")],
    );
}

const RUST: &str = "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\n#[cfg(unix)]\n#[path = \"unix.rs\"]\nmod imp;\n#[cfg(windows)]\n#[path = \"windows.rs\"]\nmod imp;\npub fn run() { imp::make(1); imp::Handle.close(); }\n//- src/unix.rs\npub fn make(x: u8) -> u8 { x }\npub struct Handle;\nimpl Handle { pub fn close(&self) {} }\n//- src/windows.rs\npub fn make(x: u8) -> u8 { x + 1 }\npub struct Handle;\nimpl Handle { pub fn close(&self) { make(0); } }\n";

#[test]
fn rust_modules_for_other_systems_are_renamed_along() {
    let wanted = |from: &str, to: &str| -> Vec<(String, String)> {
        let files = RUST.split("//- ").skip(2).map(|file| file.split_once('\n').expect("a file has a name"));
        files.map(|(path, text)| (path.to_owned(), text.replace(from, to))).collect()
    };
    for place in ["make(x: u8) -> u8 { x }", "make(x: u8) -> u8 { x + 1 }", "make(1)"] {
        let wanted = wanted("make(", "build(");
        let wanted: Vec<(&str, &str)> = wanted.iter().map(|(path, text)| (&**path, &**text)).collect();
        renames(&at(RUST, place), "build", &wanted);
    }
    for place in ["close(&self) {}", "close(&self) { make"] {
        let wanted = wanted("close(", "shut(");
        let wanted: Vec<(&str, &str)> = wanted.iter().map(|(path, text)| (&**path, &**text)).collect();
        renames(&at(RUST, place), "shut", &wanted);
    }
    assert_eq!(delete(&at(RUST, "make(x: u8) -> u8 { x + 1 }")).conflicts, ["in_use"]);
    let added =
        ide_model::NewParameter { ty: Some("u8".to_owned()), value: Some("0".to_owned()), ..parameter("y") };
    let change =
        SignatureChange { parameters: Some(vec![parameter("x"), added]), ..SignatureChange::default() };
    let outcome = signature(&at(RUST, "make(x: u8) -> u8 { x }"), &change);
    assert_eq!(outcome.conflicts, [] as [&str; 0]);
    assert!(outcome.changed["src/windows.rs"].contains("make(x: u8, y: u8)"));
    assert!(outcome.changed["src/windows.rs"].contains("make(0, 0)"));
    assert!(outcome.changed["src/lib.rs"].contains("make(1, 0)"));
}

#[test]
fn what_a_crate_includes_and_cannot_be_read_may_use_anything() {
    let source = "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\npub fn seed<caret>() -> u8 { 1 }\ninclude!(\"extra.txt\");\n//- src/extra.txt\npub fn extra() -> u8 { seed() }\n";
    assert_eq!(delete(source).conflicts, ["unresolved_use"]);
    renames(
        &source.replace("seed() }\n", "2 }\n"),
        "root",
        &[("src/lib.rs", "pub fn root() -> u8 { 1 }\ninclude!(\"extra.txt\");\n")],
    );
    refuses(&source.replace("seed()", "root()"), "root", &["unresolved_use"]);
    let source = source.replace("pub fn seed<caret>", "pub struct S<T<caret>>(T);\npub fn seed");
    renames(
        &source,
        "U",
        &[("src/lib.rs", "pub struct S<U>(U);\npub fn seed() -> u8 { 1 }\ninclude!(\"extra.txt\");\n")],
    );
}

#[test]
fn keys_of_rust_patterns_are_written_out_before_what_binds_the_variable() {
    let source = "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\npub struct F { pub a: u8, pub b: u8 }\npub fn f(x: F) -> u8 { let F { ref a, mut b } = x; b += 1; *a + b }\npub fn g(x: &mut F) { let F { ref mut a, b: _ } = *x; *a = 1; }\n";
    renames(
        &at(source, "a: u8, pub"),
        "k",
        &[(
            "src/lib.rs",
            "pub struct F { pub k: u8, pub b: u8 }\npub fn f(x: F) -> u8 { let F { k: ref a, mut b } = x; b += 1; *a + b }\npub fn g(x: &mut F) { let F { k: ref mut a, b: _ } = *x; *a = 1; }\n",
        )],
    );
    renames(
        &at(source, "a, mut b }"),
        "k",
        &[(
            "src/lib.rs",
            "pub struct F { pub a: u8, pub b: u8 }\npub fn f(x: F) -> u8 { let F { a: ref k, mut b } = x; b += 1; *k + b }\npub fn g(x: &mut F) { let F { ref mut a, b: _ } = *x; *a = 1; }\n",
        )],
    );
    renames(
        &at(source, "b } = x; b"),
        "k",
        &[(
            "src/lib.rs",
            "pub struct F { pub a: u8, pub b: u8 }\npub fn f(x: F) -> u8 { let F { ref a, b: mut k } = x; k += 1; *a + k }\npub fn g(x: &mut F) { let F { ref mut a, b: _ } = *x; *a = 1; }\n",
        )],
    );
}

#[test]
fn rust_modules_are_renamed_with_their_files() {
    let source = "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\npub mod net;\npub mod things;\npub fn f() -> u8 { net::conn::open() + things::x() }\n//- src/net/mod.rs\npub mod conn;\n//- src/net/conn.rs\npub fn open() -> u8 { crate::things::x() }\n//- src/things.rs\npub fn x() -> u8 { 1 }\n";
    renames(
        &at(source, "things;"),
        "items",
        &[
            (
                "src/lib.rs",
                "pub mod net;\npub mod items;\npub fn f() -> u8 { net::conn::open() + items::x() }\n",
            ),
            ("src/net/conn.rs", "pub fn open() -> u8 { crate::items::x() }\n"),
            ("src/items.rs", "pub fn x() -> u8 { 1 }\n"),
        ],
    );
    renames(
        &at(source, "net;"),
        "wire",
        &[
            (
                "src/lib.rs",
                "pub mod wire;\npub mod things;\npub fn f() -> u8 { wire::conn::open() + things::x() }\n",
            ),
            ("src/wire/mod.rs", "pub mod conn;\n"),
            ("src/wire/conn.rs", "pub fn open() -> u8 { crate::things::x() }\n"),
        ],
    );
}
