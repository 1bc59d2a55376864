//! Changes of code by meaning on small projects: the texts that they leave, or the reasons why not.

#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene has failed")]

use std::collections::BTreeMap;

use ide_index::query::{self, Resolvers};
use ide_index::refactor;
use ide_model::{Cx, FileChange, FilePath, Refactored, Refactoring, Related, Target, edited};
use test_fixture::Fixture;

use crate::context::with_context;

/// The outcome of a change in a project.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Files that are different, by their path afterwards.
    pub(crate) changed: BTreeMap<String, String>,
    pub(crate) conflicts: Vec<&'static str>,
    pub(crate) refactored: Refactored,
}

pub(crate) fn change(
    source: &str,
    what: impl Fn(&ide_model::Symbol, &dyn Fn(&Refactoring<'_>) -> Refactored) -> Refactored,
) -> Outcome {
    plan_with(source, |fixture, pool, cx, plan| {
        let at = fixture.caret();
        let target = Target::Position { file: FilePath::new(at.path.as_str()), offset: at.start };
        what(&query::resolve(pool, cx, &target).unwrap()[0].0, plan)
    })
}

/// The outcome of a change of the symbol at the caret that concerns another symbol too.
pub(crate) fn change_to(
    source: &str,
    other: &Target,
    what: impl Fn(&ide_model::Symbol, &ide_model::Symbol, &dyn Fn(&Refactoring<'_>) -> Refactored) -> Refactored,
) -> Outcome {
    plan_with(source, |fixture, pool, cx, plan| {
        let at = fixture.caret();
        let target = Target::Position { file: FilePath::new(at.path.as_str()), offset: at.start };
        let found = |target: &Target| query::resolve(pool, cx, target).unwrap()[0].0.clone();
        what(&found(&target), &found(other), plan)
    })
}

/// The outcome of a change at the caret, which may or may not concern the symbol there.
pub(crate) fn change_at(
    source: &str,
    what: impl Fn(
        &test_fixture::Spot,
        &dyn Fn() -> ide_model::Symbol,
        &dyn Fn(&Refactoring<'_>) -> Refactored,
    ) -> Refactored,
) -> Outcome {
    plan_with(source, |fixture, pool, cx, plan| {
        let at = fixture.caret();
        let target = Target::Position { file: FilePath::new(at.path.as_str()), offset: at.start };
        what(at, &|| query::resolve(pool, cx, &target).unwrap()[0].0.clone(), plan)
    })
}

/// The outcome of a change at the caret, whatever stands there.
pub(crate) fn change_spot(
    source: &str,
    what: impl Fn(&test_fixture::Spot, &dyn Fn(&Refactoring<'_>) -> Refactored) -> Refactored,
) -> Outcome {
    plan_with(source, |fixture, _, _, plan| what(fixture.caret(), plan))
}

/// Plans a change that needs no symbol.
pub(crate) fn change_files(source: &str, what: &Refactoring<'_>) -> Outcome {
    plan_with(source, |_, _, _, plan| plan(what))
}

fn plan_with(
    source: &str,
    what: impl Fn(&Fixture, &Resolvers, Cx<'_>, &dyn Fn(&Refactoring<'_>) -> Refactored) -> Refactored,
) -> Outcome {
    with_context(source, |fixture, ctx, files| {
        let refactored = what(fixture, ctx.pool, ctx.cx, &|what| refactor::plan(ctx, what).unwrap());
        outcome(files, refactored)
    })
}

pub(crate) fn outcome(files: &BTreeMap<String, String>, refactored: Refactored) -> Outcome {
    let mut changed = BTreeMap::new();
    for change in &refactored.plan.changes {
        match change {
            FileChange::Edit { file, edits, .. } => {
                changed.insert(file.to_string(), edited(&files[file.as_str()], edits).unwrap());
            }
            FileChange::Move { from, to, edits, .. } => {
                changed.insert(to.to_string(), edited(&files[from.as_str()], edits).unwrap());
            }
            FileChange::Create { file, text } => {
                changed.insert(file.to_string(), text.to_string());
            }
            FileChange::Delete { file, .. } => {
                changed.insert(file.to_string(), String::new());
            }
        }
    }
    let mut conflicts: Vec<&str> = refactored.conflicts.iter().map(|c| c.kind.as_str()).collect();
    conflicts.sort_unstable();
    conflicts.dedup();
    Outcome { changed, conflicts, refactored }
}

pub(crate) fn rename(source: &str, new_name: &str) -> Outcome {
    let related = Related::default();
    change(source, |symbol, plan| plan(&Refactoring::Rename { symbol, new_name, with_family: true, related }))
}

/// The new text of each file that must be changed.
#[track_caller]
pub(crate) fn renames(source: &str, new_name: &str, wanted: &[(&str, &str)]) {
    let outcome = rename(source, new_name);
    assert_eq!(outcome.refactored.conflicts, [], "{source}\n{:#?}", outcome.changed);
    let wanted: BTreeMap<String, String> =
        wanted.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    assert_eq!(outcome.changed, wanted);
    for landmark in &outcome.refactored.landmarks {
        if let Some(text) = outcome.changed.get(landmark.file.as_str()) {
            let there = text[landmark.offset as usize..].trim_start_matches(['"', '\'', '`', '$', '#', '@']);
            assert!(there.starts_with(landmark.name.trim_start_matches(['$', '#', '\''])), "{landmark:?}");
        }
    }
}

/// The new name is accepted.
#[track_caller]
pub(crate) fn may_become(source: &str, new_name: &str) {
    let outcome = rename(source, new_name);
    assert!(
        outcome.conflicts.is_empty() && !outcome.changed.is_empty(),
        "{source}\n{:#?}",
        outcome.refactored
    );
}

#[track_caller]
pub(crate) fn refuses(source: &str, new_name: &str, kinds: &[&str]) {
    let outcome = rename(source, new_name);
    assert_eq!(
        outcome.conflicts, kinds,
        "{source}\n{:#?}\n{:?}",
        outcome.refactored.conflicts, outcome.changed
    );
}

/// Every `«run»` is one symbol, wherever the caret stands; a plain `run` is another.
#[track_caller]
pub(crate) fn renames_together(file: &str, source: &str) {
    let plain = source.replace(['«', '»'], "");
    let wanted = source.replace("«run»", "went");
    let marks: Vec<usize> = source.match_indices("«run»").map(|(at, _)| at).collect();
    for (n, mark) in marks.iter().enumerate() {
        let at = mark - n * "«»".len();
        let with_caret = format!("//- {file}\n{}r<caret>{}", &plain[..at], &plain[at + 1..]);
        renames(&with_caret, "went", &[(file, &wanted)]);
    }
}

#[test]
fn a_class_implements_by_what_it_inherits() {
    renames_together(
        "C.java",
        "interface I<T> { void «run»(T t); void run(); }\nclass A<U> { public void «run»(U u) {} public void run(U a, U b) {} }\nabstract class C extends A<String> implements I<String> { void f(I<String> i) { i.«run»(null); «run»(\"\"); i.run(); } }\n",
    );
    renames_together(
        "c.kt",
        "interface I<T> { fun «run»(t: T); fun run() }\nopen class A<U> { fun «run»(u: U) {} fun run(a: U, b: U) {} }\nabstract class C : A<String>(), I<String>\nfun f(i: I<String>, c: C) { i.«run»(\"\"); c.«run»(\"\"); i.run() }\n",
    );
    renames_together(
        "c.kt",
        "abstract class Column<T> { open fun «run»(v: T & Any) {} }\nclass Ints : Column<Int>() { override fun «run»(v: Int) {} }\nfun f(i: Ints) { i.«run»(1) }\n",
    );
    renames_together(
        "c.php",
        "<?php\ninterface I { public function «run»(); }\ntrait T { public function «run»() {} }\nclass C implements I { use T; }\nclass D { public function run() {} }\nfunction f(I $i, C $c, D $d) { $i->«run»(); $c->«run»(); $d->run(); }\n",
    );
    renames_together(
        "c.py",
        "class I:\n    def «run»(self): ...\n\nclass A:\n    def «run»(self): ...\n\nclass C(A, I): ...\n\nclass D:\n    def run(self): ...\n\ndef f(i: I, c: C, d: D):\n    i.«run»()\n    c.«run»()\n    d.run()\n",
    );
    renames_together(
        "c.ts",
        "interface I { «run»(): void }\nclass A { «run»(): void {} }\nclass C extends A implements I {}\nclass D { run(): void {} }\nfunction f(i: I, c: C, d: D) { i.«run»(); c.«run»(); d.run(); }\n",
    );
    renames_together(
        "c.go",
        "package p\n\ntype I interface{ «run»() }\ntype A struct{}\n\nfunc (A) «run»() {}\n\ntype C struct{ A }\ntype D struct{}\n\nfunc (D) run(a int) {}\n\nvar _ I = C{}\n\nfunc f(i I, c C, d D) {\n\ti.«run»()\n\tc.«run»()\n\td.run(1)\n}\n",
    );
}

#[test]
fn a_fallback_for_an_import_keeps_its_name() {
    refuses(
        "//- a.py\ntry:\n    from other import run\nexcept ImportError:\n    def r<caret>un(): ...\n\nrun()\n",
        "went",
        &["unresolved_use"],
    );
}

#[test]
fn the_name_of_an_argument_is_no_method() {
    let source = "//- a.py\nclass C:\n    def r<caret>un(self): ...\n\ndef f(g):\n    g(run=1)\n";
    renames(source, "went", &[("a.py", "class C:\n    def went(self): ...\n\ndef f(g):\n    g(run=1)\n")]);
    let source = "//- a.py\nclass C:\n    r<caret>un = 1\n\ndef f(g):\n    g(run=1)\n";
    refuses(source, "went", &["unresolved_use"]);
}

#[test]
fn java_types_take_their_file_and_constructors_along() {
    renames(
        "//- p/Old.java\npackage p;\npublic class O<caret>ld {\n  Old() {}\n  Old(int a) { this(); }\n  Old copy() { return new Old(1); }\n}\n//- q/Use.java\npackage q;\nimport p.Old;\n/** See {@link Old}. */\nclass Use extends Old { Old f = p.Old.class == null ? null : new Use(); }\n",
        "Fresh",
        &[
            (
                "p/Fresh.java",
                "package p;\npublic class Fresh {\n  Fresh() {}\n  Fresh(int a) { this(); }\n  Fresh copy() { return new Fresh(1); }\n}\n",
            ),
            (
                "q/Use.java",
                "package q;\nimport p.Fresh;\n/** See {@link Fresh}. */\nclass Use extends Fresh { Fresh f = p.Fresh.class == null ? null : new Use(); }\n",
            ),
        ],
    );
}

#[test]
fn java_methods_are_renamed_with_their_family_only() {
    renames(
        "//- A.java\ninterface A { void go(); void go(int x); }\nclass B implements A { public void go() {} public void go(int x) { g<caret>o(); } }\nclass C { void go() {} void use(A a, C c) { a.go(); a.go(1); c.go(); } }\n",
        "run",
        &[(
            "A.java",
            "interface A { void run(); void go(int x); }\nclass B implements A { public void run() {} public void go(int x) { run(); } }\nclass C { void go() {} void use(A a, C c) { a.run(); a.go(1); c.go(); } }\n",
        )],
    );
}

#[test]
fn accessors_that_are_not_written_follow_their_field() {
    let user = "import lombok.Data;\n@Data class User { String na<caret>me; boolean isNew; }\n";
    let uses =
        "class Use { String of(User u) { u.setName(u.getName()); u.setNew(u.isNew()); return u.name; } }\n";
    let outcome = rename(&format!("//- User.java\n{user}//- Use.java\n{uses}"), "title");
    assert_eq!(outcome.conflicts, [""; 0]);
    let renamed = uses.replace("Name", "Title").replace("u.name", "u.title");
    assert_eq!(outcome.changed["Use.java"], renamed);
    let user = user.replace("na<caret>me", "name").replace("isNew", "is<caret>New");
    let outcome = rename(&format!("//- User.java\n{user}//- Use.java\n{uses}"), "isOld");
    assert_eq!(outcome.conflicts, [""; 0]);
    assert_eq!(outcome.changed["Use.java"], uses.replace("New", "Old"));
    // Java's uses of a property of Kotlin are such uses too.
    let kotlin = "class User { var na<caret>me = \"\" }\n";
    let uses = uses.replace("u.setNew(u.isNew()); return u.name;", "return \"\";");
    let outcome = rename(&format!("//- User.kt\n{kotlin}//- Use.java\n{uses}"), "title");
    assert_eq!(outcome.conflicts, [""; 0]);
    assert_eq!(outcome.changed["Use.java"], uses.replace("Name", "Title"));
}

#[test]
fn java_conflicts_are_found_beforehand() {
    // A parameter would capture the field.
    refuses(
        "//- A.java\nclass A { int f<caret>; int get(int x) { return f + x; } }\n",
        "x",
        &["meaning_changes"],
    );
    refuses("//- A.java\nclass A { void a<caret>() {} void b() {} }\n", "b", &["collision"]);
    renames(
        "//- A.java\nclass A { void a<caret>() {} void b(int x) {} }\n",
        "b",
        &[("A.java", "class A { void b() {} void b(int x) {} }\n")],
    );
    refuses(
        "//- A.java\nclass A { int a(int x<caret>) { int y = x; return y; } }\n",
        "y",
        &["collision", "meaning_changes"],
    );
    refuses("//- A.java\nclass A { int x<caret>; }\n", "class", &["invalid_name"]);
    refuses(
        "//- A.java\nclass A extends lib.Base { public void r<caret>un() {} }\n",
        "go",
        &["outside_project"],
    );
    // A subclass would override by accident.
    refuses(
        "//- A.java\nclass A { void a<caret>() {} }\nclass B extends A { void b() {} void use(A x) { x.a(); } }\n",
        "b",
        &["meaning_changes"],
    );
}

#[test]
fn python_names_in_all_their_places() {
    renames(
        "//- m.py\n__all__ = [\"old\"]\ndef o<caret>ld(count=1):\n    return count\n//- use.py\nimport m\nfrom m import old as other, old\nprint(m.old(count=2), other(), old())\n",
        "fresh",
        &[
            ("m.py", "__all__ = [\"fresh\"]\ndef fresh(count=1):\n    return count\n"),
            (
                "use.py",
                "import m\nfrom m import fresh as other, fresh\nprint(m.fresh(count=2), other(), fresh())\n",
            ),
        ],
    );
    renames(
        "//- m.py\ndef f(count<caret>=1):\n    count = count + 1\n    return count\n//- use.py\nfrom m import f\nf(count=2)\n",
        "n",
        &[("m.py", "def f(n=1):\n    n = n + 1\n    return n\n"), ("use.py", "from m import f\nf(n=2)\n")],
    );
    renames(
        "//- m.py\ntotal<caret> = 0\ndef add():\n    global total\n    total += 1\n    return lambda: total\n",
        "amount",
        &[(
            "m.py",
            "amount = 0\ndef add():\n    global amount\n    amount += 1\n    return lambda: amount\n",
        )],
    );
    renames(
        "//- m.py\nclass A:\n    def __init__(self):\n        self.x<caret> = 1\n    def get(self):\n        self.x += 1\n        return self.x\nclass B(A):\n    def other(self):\n        return self.x\n",
        "y",
        &[(
            "m.py",
            "class A:\n    def __init__(self):\n        self.y = 1\n    def get(self):\n        self.y += 1\n        return self.y\nclass B(A):\n    def other(self):\n        return self.y\n",
        )],
    );
}

#[test]
fn parameters_of_overloads_have_one_name() {
    renames(
        "//- a.py\nfrom typing import overload\n@overload\ndef f(x: int) -> int: ...\n@overload\ndef f(x: str) -> str: ...\ndef f(<caret>x):\n    return x\nf(x=1)\n",
        "y",
        &[(
            "a.py",
            "from typing import overload\n@overload\ndef f(y: int) -> int: ...\n@overload\ndef f(y: str) -> str: ...\ndef f(y):\n    return y\nf(y=1)\n",
        )],
    );
}

#[test]
fn python_doubts_and_conflicts() {
    refuses(
        "//- m.py\nclass A:\n    def go<caret>(self): pass\ndef use(x):\n    x.go()\n",
        "run",
        &["unresolved_use"],
    );
    refuses(
        "//- m.py\nimport threading\nclass A(threading.Thread):\n    def run<caret>(self): pass\n",
        "go",
        &["meaning_changes", "outside_project"],
    );
    refuses("//- m.py\nclass A:\n    def __len__<caret>(self): return 1\n", "size", &["outside_project"]);
    refuses("//- m.py\ndef f(a<caret>):\n    len = 1\n    return a + len\n", "len", &["collision", "syntax"]);
    refuses("//- m.py\nx<caret> = 1\nprint(len([x]))\n", "len", &["meaning_changes"]);
}

#[test]
fn only_what_a_language_calls_by_itself_keeps_its_name() {
    let operator = "//- a.kt\ninterface I { operator fun get(i: Int): Int }\nclass C : I { override fun ge<caret>t(i: Int) = i }\nfun f(c: C) = c[1]\n";
    refuses(operator, "at", &["outside_project"]);
    renames(
        "//- a.kt\nclass C { fun ge<caret>t(i: Int) = i }\nfun f(c: C) = c.get(1)\n",
        "at",
        &[("a.kt", "class C { fun at(i: Int) = i }\nfun f(c: C) = c.at(1)\n")],
    );
    refuses(
        "//- go.mod\nmodule m\n//- a.go\npackage m\n\ntype T []int\n\nfunc (t T) Le<caret>n() int { return 1 }\n",
        "Size",
        &["outside_project"],
    );
    renames(
        "//- go.mod\nmodule m\n//- a.go\npackage m\n\nfunc Le<caret>n() int { return 1 }\n",
        "Size",
        &[("a.go", "package m\n\nfunc Size() int { return 1 }\n")],
    );
}

#[test]
fn kotlin_classes_are_named_before_what_their_companion_has() {
    renames(
        "//- a.kt\nclass <caret>A { companion object { val x = 1; fun f() = x } }\n//- b.kt\nval y = A.x + A.f()\nval z = A\nval w = A.Companion.x\n",
        "B",
        &[
            ("a.kt", "class B { companion object { val x = 1; fun f() = x } }\n"),
            ("b.kt", "val y = B.x + B.f()\nval z = B\nval w = B.Companion.x\n"),
        ],
    );
}

#[test]
fn rust_implementations_follow_their_trait() {
    let source = |body: &str| {
        format!(
            "//- src/lib.rs\nuse std::fmt;\nstruct S;\ntrait T {{ type Out; fn go(&self) -> Self::Out; }}\nimpl T for S {{\n    type Out = u8;\n    fn go(&self) -> u8 {{ 1 }}\n}}\n{body}\n"
        )
    };
    let whole = source("fn f(s: &S) { s.g<caret>o(); }");
    renames(
        &whole,
        "run",
        &[("src/lib.rs", &whole.split_once('\n').unwrap().1.replace("<caret>", "").replace("go", "run"))],
    );
    let inside = source("fn f(s: &S) { s.go(); }").replace("fn go(&self) -> u8", "fn <caret>go(&self) -> u8");
    renames(
        &inside,
        "run",
        &[("src/lib.rs", &inside.split_once('\n').unwrap().1.replace("<caret>", "").replace("go", "run"))],
    );
    let associated = source("fn f() {}").replace("type Out = u8", "type Ou<caret>t = u8");
    renames(
        &associated,
        "Made",
        &[(
            "src/lib.rs",
            &associated.split_once('\n').unwrap().1.replace("<caret>", "").replace("Out", "Made"),
        )],
    );
    let foreign = source(
        "impl fmt::Display for S { fn fm<caret>t(&self, f: &mut fmt::Formatter) -> fmt::Result { Ok(()) } }",
    );
    refuses(&foreign, "run", &["outside_project"]);
    let lifetime = "//- src/lib.rs\nstruct S<'<caret>a>(&'a str);\n";
    renames(lifetime, "b", &[("src/lib.rs", "struct S<'b>(&'b str);\n")]);
    refuses(lifetime, "static", &["invalid_name"]);
}

#[test]
fn rust_macros_may_mean_what_is_renamed() {
    let source = "//- src/lib.rs\nmacro_rules! m {\n    ($go:ident) => { $go.go(other!(1)) };\n}\nmacro_rules! other { ($e:expr) => { $e } }\nstruct S;\nimpl S { fn go(&self, x: u8) { let other = x; } }\nfn f(s: S) { m!(s); }\n";
    refuses(&source.replace("fn go", "fn <caret>go"), "run", &["unresolved_use"]);
    let used = source.replace("macro_rules! other", "macro_rules! <caret>other");
    let text = used.split_once('\n').map(|(_, text)| text.replace("<caret>", "")).unwrap_or_default();
    let text = text.replace("other!(1)", "made!(1)").replace("macro_rules! other", "macro_rules! made");
    renames(&used, "made", &[("src/lib.rs", &text)]);
    let again = format!("{used}//- src/more.rs\nmacro_rules! other {{ () => {{}} }}\n");
    refuses(&again, "made", &["unresolved_use"]);
    let local = source.replace("let other", "let <caret>other");
    renames(
        &local,
        "made",
        &[("src/lib.rs", &local.split_once('\n').unwrap().1.replace("let <caret>other", "let made"))],
    );
}

#[test]
fn a_path_in_a_macro_through_another_type_is_no_doubt() {
    let source = |owner: &str, path: &str| {
        format!(
            "//- src/lib.rs\nmod other;\nenum N {{ Ten }}\n{owner}\nmacro_rules! m {{ () => {{ {path}::Ten }} }}\nfn f() {{ m!(); }}\n//- src/other.rs\npub struct M;\n"
        )
    };
    let case = "enum K { Te<caret>n }";
    let outcome = rename(&source(case, "N"), "Other");
    assert_eq!(outcome.refactored.conflicts, [], "{:#?}", outcome.changed);
    let constant = "struct K;\nimpl K { const Te<caret>n: u8 = 1; }";
    assert_eq!(rename(&source(constant, "other::M"), "Other").refactored.conflicts, []);
    for (owner, path) in [
        (case, "K"),
        (case, "Self"),
        (case, "$of"),
        (&*format!("use K as L;\n{case}"), "L"),
        ("trait T { const Te<caret>n: u8; }\nimpl T for N { const Ten: u8 = 1; }", "N"),
    ] {
        assert_eq!(rename(&source(owner, path), "Other").conflicts, ["unresolved_use"], "{owner} {path}");
    }
}

#[test]
fn words_of_rust_macros_that_mean_something_else() {
    let word = "trait T<caret>en {}\nenum N { Ten, Two }\nmacro_rules! m { () => { match n { N::Ten => 1, N::Two => 2 } } }\nfn f(n: N) { m!(); }\n";
    let after = word.replace("T<caret>en", "Dix");
    renames(&format!("//- src/lib.rs\n{word}"), "Dix", &[("src/lib.rs", &after)]);
    let by_module = format!("//- src/lib.rs\nuse self as N;\n{}", word.replace("enum N", "enum M"));
    refuses(&by_module, "Dix", &["unresolved_use"]);
    let own = |name: &str| {
        format!(
            "macro_rules! {name} {{\n    (1) => {{ {name}!(2); }};\n    (2) => {{ fn f(&self) -> u8 {{ self.de }} }};\n}}\n"
        )
    };
    let (a, b) = ("struct A { de: u8 }\nimpl A { go!(1); }\n", "struct B { of: u8 }\nimpl B { go!(1); }\n");
    let source = format!(
        "//- src/lib.rs\nmod a;\nmod b;\n//- src/a.rs\n{}{a}//- src/b.rs\n{}{b}",
        own("go"),
        own("go").replace("self.de", "self.of")
    );
    let marked = source.replacen("macro_rules! go", "macro_rules! g<caret>o", 1);
    let renamed = format!("{}{}", own("run"), a.replace("go!", "run!"));
    renames(&marked, "run", &[("src/a.rs", &renamed)]);
    let field = source.replacen("struct A { de", "struct A { d<caret>e", 1);
    let renamed = format!("{}{a}", own("go")).replace("de", "inner");
    renames(&field, "inner", &[("src/a.rs", &renamed)]);
}

#[test]
fn the_object_in_a_rust_macro_is_what_the_macro_is_used_for() {
    let source = "//- src/lib.rs\nmacro_rules! m {\n    () => { fn go(&self) -> u8 { self.de } };\n}\nstruct A { de: u8 }\nstruct B { de: u8 }\nimpl A { m!(); }\n";
    let text = |caret: &str, new: &str| {
        let marked = source.replace(caret, &caret.replace("de:", "<caret>de:"));
        let after = source.split_once('\n').map(|(_, text)| text.replace(caret, new)).unwrap_or_default();
        (marked, after)
    };
    let (marked, after) = text("B { de: u8 }", "B { inner: u8 }");
    renames(&marked, "inner", &[("src/lib.rs", &after)]);
    let (marked, after) = text("A { de: u8 }", "A { inner: u8 }");
    renames(&marked, "inner", &[("src/lib.rs", &after.replace("self.de", "self.inner"))]);
    let both = marked.replace("impl A", "impl B { m!(); }\nimpl A");
    refuses(&both, "inner", &["unresolved_use"]);
}

#[test]
fn a_call_behind_an_object_names_no_field_where_fields_are_not_called() {
    let rust = "//- src/lib.rs\nstruct A { <caret>map: u8 }\nfn f(a: &A) { unknown().map(1); }\n";
    renames(rust, "size", &[("src/lib.rs", "struct A { size: u8 }\nfn f(a: &A) { unknown().map(1); }\n")]);
    refuses(&rust.replace(".map(1)", ".map"), "size", &["unresolved_use"]);
}

#[test]
fn what_another_build_has_in_its_place_may_be_meant() {
    let source = "//- Cargo.toml\n[package]\nname = \"m\"\n[features]\ndefault = [\"std\"]\nstd = []\n//- src/lib.rs\n#[cfg(not(feature = \"std\"))]\n#[path = \"core.rs\"]\nmod imp;\n#[cfg(feature = \"std\")]\nuse std::io as imp;\nfn f() { imp::make(); }\n//- src/core.rs\npub fn <caret>make() {}\n";
    refuses(source, "run", &["unresolved_use"]);
    let same = "//- Cargo.toml\n[package]\nname = \"m\"\n[features]\ndefault = [\"std\"]\nstd = []\n//- src/lib.rs\n#[cfg(not(feature = \"std\"))]\nmod imp;\n#[cfg(feature = \"std\")]\npub mod imp;\nfn f() { imp::make(); }\n//- src/imp.rs\npub fn <caret>make() {}\n";
    let lib = "#[cfg(not(feature = \"std\"))]\nmod imp;\n#[cfg(feature = \"std\")]\npub mod imp;\nfn f() { imp::run(); }\n";
    renames(same, "run", &[("src/imp.rs", "pub fn run() {}\n"), ("src/lib.rs", lib)]);
}

#[test]
fn go_families_go_through_interfaces() {
    renames(
        "//- go.mod\nmodule m\n//- a/a.go\npackage a\n\ntype Runner interface{ Run<caret>() }\n\ntype T struct{}\n\nfunc (t *T) Run() {}\n\nfunc use(r Runner) { r.Run() }\n//- b/b.go\npackage b\n\nimport \"m/a\"\n\nfunc use(t *a.T) { t.Run() }\n",
        "Start",
        &[
            (
                "a/a.go",
                "package a\n\ntype Runner interface{ Start() }\n\ntype T struct{}\n\nfunc (t *T) Start() {}\n\nfunc use(r Runner) { r.Start() }\n",
            ),
            ("b/b.go", "package b\n\nimport \"m/a\"\n\nfunc use(t *a.T) { t.Start() }\n"),
        ],
    );
    refuses(
        "//- go.mod\nmodule m\n//- a/a.go\npackage a\n\nfunc Run<caret>() {}\n//- b/b.go\npackage b\n\nimport \"m/a\"\n\nfunc use() { a.Run() }\n",
        "run",
        &["invalid_name"],
    );
    renames(
        "//- go.mod\nmodule m\n//- a.go\npackage m\n\ntype Base<caret> struct{ X int }\n\ntype T struct {\n\tBase\n}\n\nfunc use(t T) int { return t.Base.X + T{Base: Base{}}.X }\n",
        "Root",
        &[(
            "a.go",
            "package m\n\ntype Root struct{ X int }\n\ntype T struct {\n\tRoot\n}\n\nfunc use(t T) int { return t.Root.X + T{Root: Root{}}.X }\n",
        )],
    );
    refuses(
        "//- go.mod\nmodule m\n//- a.go\npackage m\n\nfunc a<caret>() {}\n//- b.go\npackage m\n\nfunc b() { a() }\n",
        "b",
        &["collision", "meaning_changes"],
    );
}

#[test]
fn what_a_union_has_is_renamed_in_all_its_parts() {
    renames(
        "//- a.ts\ninterface A { ne<caret>xt(): void }\ninterface B { next(): void }\ninterface C { next(): void }\n\
         export function f(x: A | B | undefined, c: C) {\n  x!.next();\n  x?.next();\n  c.next();\n}\n",
        "step",
        &[(
            "a.ts",
            "interface A { step(): void }\ninterface B { step(): void }\ninterface C { next(): void }\n\
             export function f(x: A | B | undefined, c: C) {\n  x!.step();\n  x?.step();\n  c.next();\n}\n",
        )],
    );
    renames(
        "//- lib.d.ts\ninterface Function { apply(): void }\n//- a.ts\ninterface A { ne<caret>xt?: () => void }\n\
         export function f(x: A | (() => void) | null) {\n  if (other(x)) x.next?.();\n}\nexport declare function other(x: any): boolean;\n",
        "step",
        &[(
            "a.ts",
            "interface A { step?: () => void }\n\
             export function f(x: A | (() => void) | null) {\n  if (other(x)) x.step?.();\n}\nexport declare function other(x: any): boolean;\n",
        )],
    );
}

#[test]
fn shorthand_is_written_out() {
    renames(
        "//- a.ts\nexport function f() {\n  const na<caret>me = 1;\n  const o = { name };\n  const { length } = \"x\";\n  return o.name + length + name;\n}\n",
        "title",
        &[(
            "a.ts",
            "export function f() {\n  const title = 1;\n  const o = { name: title };\n  const { length } = \"x\";\n  return o.name + length + title;\n}\n",
        )],
    );
    renames(
        "//- a.ts\ninterface P { na<caret>me: string }\nexport function f(p: P): P {\n  const { name } = p;\n  const q: P = { name };\n  return { name: q.name };\n}\n",
        "title",
        &[(
            "a.ts",
            "interface P { title: string }\nexport function f(p: P): P {\n  const { title: name } = p;\n  const q: P = { title: name };\n  return { title: q.title };\n}\n",
        )],
    );
    renames(
        "//- a.ts\nexport const va<caret>lue = 1;\n//- b.ts\nimport { value } from './a';\nexport { value };\nconsole.log(value);\n//- c.ts\nimport { value as v } from './b';\nconsole.log(v);\n",
        "amount",
        &[
            ("a.ts", "export const amount = 1;\n"),
            ("b.ts", "import { amount } from './a';\nexport { amount };\nconsole.log(amount);\n"),
            ("c.ts", "import { amount as v } from './b';\nconsole.log(v);\n"),
        ],
    );
}

#[test]
fn php_names_in_any_case() {
    renames(
        "//- a.php\n<?php\nclass Ite<caret>m { public static function make() {} }\nfunction f(item $item) { ITEM::make(); new Item; return $item; }\n",
        "other",
        &[(
            "a.php",
            "<?php\nclass other { public static function make() {} }\nfunction f(other $item) { other::make(); new other; return $item; }\n",
        )],
    );
}

#[test]
fn php_names_with_and_without_their_sigil() {
    renames(
        "//- a.php\n<?php\nclass A {\n  private $coun<caret>t = 0;\n  function up($count) { $this->count += $count; return \"$this->count {$this->count}\"; }\n}\n",
        "total",
        &[(
            "a.php",
            "<?php\nclass A {\n  private $total = 0;\n  function up($count) { $this->total += $count; return \"$this->total {$this->total}\"; }\n}\n",
        )],
    );
    renames(
        "//- a.php\n<?php\nfunction f($a<caret>) { $g = function () use ($a) { return $a; }; return \"$a\" . $g(); }\n",
        "$b",
        &[(
            "a.php",
            "<?php\nfunction f($b) { $g = function () use ($b) { return $b; }; return \"$b\" . $g(); }\n",
        )],
    );
}

pub(crate) fn delete(source: &str) -> Outcome {
    change(source, |symbol, plan| plan(&Refactoring::SafeDelete { symbol, in_spite: false }))
}

#[test]
fn what_nothing_uses_is_deleted_with_its_lines() {
    let outcome = delete(
        "//- m.py\ndef used():\n    return 1\n\n\ndef alon<caret>e():\n    return alone()\n\n\nused()\n",
    );
    assert_eq!(outcome.refactored.conflicts, []);
    assert_eq!(outcome.changed["m.py"], "def used():\n    return 1\n\n\n\nused()\n");
    let outcome = delete("//- a.ts\nexport const on<caret>e = 1;\nexport const two = 2;\n");
    assert_eq!(outcome.refactored.conflicts, []);
    assert_eq!(outcome.changed["a.ts"], "export const two = 2;\n");
    let outcome = delete("//- A.java\nclass A {\n  private int x<caret>;\n\n  private int y;\n}\n");
    assert_eq!(outcome.refactored.conflicts, []);
    assert_eq!(outcome.changed["A.java"], "class A {\n\n  private int y;\n}\n");
}

#[test]
fn deleting_fails_closed() {
    let conflicts = |source: &str| delete(source).conflicts;
    assert_eq!(conflicts("//- m.py\ndef f<caret>(): pass\n//- n.py\nfrom m import f\n"), ["in_use"]);
    assert_eq!(
        conflicts("//- m.py\nclass A:\n    x = 1\n    def go<caret>(self): pass\ndef use(o): o.go()\n"),
        ["unresolved_use"]
    );
    assert_eq!(
        conflicts(
            "//- A.java\ninterface A { void go(); }\nclass B implements A {\n  public void go<caret>() {}\n}\n"
        ),
        ["in_use"]
    );
    let by_inheritance = "//- c.php\n<?php\ninterface I { public function run(); }\ntrait T {\n    public function r<caret>un() {}\n}\nclass C implements I { use T; }\n";
    assert_eq!(conflicts(by_inheritance), ["in_use"]);
    assert_eq!(conflicts("//- A.java\nclass A { int a<caret>, b; }\n"), ["unsupported_form"]);
    assert_eq!(
        conflicts("//- A.java\nclass A<caret> {\n  static int x;\n}\nclass B { int y = A.x; }\n"),
        ["in_use"]
    );
}

pub(crate) fn moved(source: &str, from: &str, to: &str) -> Outcome {
    let (from, to) = (FilePath::new(from), FilePath::new(to));
    change_files(source, &Refactoring::MoveFile { from: &from, to: &to })
}

#[test]
fn importers_follow_a_file() {
    let ts = "//- src/a.ts\nimport { c } from './c';\nexport const a<caret> = c;\n//- src/c.ts\nexport const c = 1;\n//- src/b.ts\nimport { a } from './a';\nexport { a as d } from \"./a.js\";\nconsole.log(a);\n";
    let outcome = moved(ts, "src/a.ts", "src/lib/z.ts");
    assert_eq!(outcome.refactored.conflicts, []);
    assert_eq!(outcome.changed["src/lib/z.ts"], "import { c } from '../c';\nexport const a = c;\n");
    assert_eq!(
        outcome.changed["src/b.ts"],
        "import { a } from './lib/z';\nexport { a as d } from \"./lib/z.js\";\nconsole.log(a);\n"
    );
    let py = "//- p/__init__.py\n//- p/a.py\nfrom .c import c\na<caret> = c\n//- p/c.py\nc = 1\n//- main.py\nfrom p.a import a\nprint(a)\n";
    let outcome = moved(py, "p/a.py", "p/q/z.py");
    assert_eq!(outcome.refactored.conflicts, []);
    assert_eq!(outcome.changed["p/q/z.py"], "from ..c import c\na = c\n");
    assert_eq!(outcome.changed["main.py"], "from p.q.z import a\nprint(a)\n");
}

#[test]
fn a_move_that_would_break_names_is_refused() {
    let py = "//- p/__init__.py\nx = 1\n//- p/a.py\na<caret> = 1\n//- main.py\nimport p.a\nprint(p.x)\n";
    assert!(!moved(py, "p/a.py", "q/a.py").conflicts.is_empty());
}

#[test]
fn kotlin_expected_and_actual_declarations_are_one_symbol() {
    let files = [
        (
            "src/commonMain/a/Clock.kt",
            "package a\n\nexpect class Clock() {\n    fun now(): Int\n}\nexpect fun make(n: Int): Clock\nexpect fun make(s: String): Clock\nexpect val zone: String\n",
        ),
        (
            "src/commonMain/a/Use.kt",
            "package a\n\nfun common(c: Clock) = make(n = 1).now() + c.now() + zone.length\n",
        ),
        ("src/commonTest/a/Test.kt", "package a\n\nfun check() = make(n = 2).now()\n"),
        (
            "src/jsMain/a/Js.kt",
            "package a\n\nactual class Clock {\n    actual fun now() = 1\n}\nactual fun make(n: Int) = Clock()\nactual fun make(s: String) = Clock()\nactual val zone = \"\"\n",
        ),
        (
            "src/jvmMain/a/Jvm.kt",
            "package a\n\nactual class Clock {\n    actual fun now() = 2\n}\nactual fun make(n: Int) = Clock()\nactual fun make(s: String) = Clock()\nactual val zone = \"\"\n",
        ),
        ("src/jvmTest/a/Test.kt", "package a\n\nfun checkJvm() = make(n = 3).now() + zone.length\n"),
    ];
    let with_caret = |in_file: &str, at: &str| {
        let text = |path: &str, text: &str| {
            let text =
                if path == in_file { text.replacen(at, &format!("<caret>{at}"), 1) } else { text.to_owned() };
            format!("//- {path}\n{text}")
        };
        files.iter().map(|(path, old)| text(path, old)).collect::<String>()
    };
    let meant = |in_file: &str, at: &str| {
        let file = std::cell::RefCell::new(String::new());
        rename_at(&with_caret(in_file, at), "x", |symbol| *file.borrow_mut() = symbol.file.to_string());
        file.into_inner()
    };
    for at in ["now() +", "make(", "zone", "Clock"] {
        assert_eq!(meant("src/commonMain/a/Use.kt", at), "src/commonMain/a/Clock.kt", "{at}");
    }
    assert_eq!(meant("src/commonTest/a/Test.kt", "now("), "src/commonMain/a/Clock.kt");
    for at in ["now(", "make(", "zone"] {
        assert_eq!(meant("src/jvmTest/a/Test.kt", at), "src/jvmMain/a/Jvm.kt", "{at}");
    }
    let check = |in_file: &str, at: &str, to: &str, changes: &[(&str, &str)]| {
        let becomes =
            |text: &str| changes.iter().fold(text.to_owned(), |text, (old, new)| text.replace(old, new));
        let all: Vec<(&str, String)> = files.iter().map(|(path, text)| (*path, becomes(text))).collect();
        let changed = all.iter().zip(files).filter(|((_, new), (_, old))| new != old);
        let wanted: Vec<(&str, &str)> = changed.map(|((path, text), _)| (*path, text.as_str())).collect();
        renames(&with_caret(in_file, at), to, &wanted);
    };
    check("src/commonMain/a/Clock.kt", "now", "time", &[("now", "time")]);
    check("src/jvmMain/a/Jvm.kt", "now", "time", &[("now", "time")]);
    check("src/jvmTest/a/Test.kt", "zone", "place", &[("zone", "place")]);
    check("src/jsMain/a/Js.kt", "Clock {", "Watch", &[("Clock", "Watch")]);
    check("src/jsMain/a/Js.kt", "make(n", "build", &[("make(n", "build(n")]);
    check("src/commonMain/a/Clock.kt", "n: Int", "count", &[("n: Int", "count: Int"), ("n =", "count =")]);
}

fn rename_at(source: &str, new_name: &str, see: impl Fn(&ide_model::Symbol)) {
    let related = Related::default();
    change(source, |symbol, plan| {
        see(symbol);
        plan(&Refactoring::Rename { symbol, new_name, with_family: true, related })
    });
}
