//! Moves between modules and source sets: what uses a declaration must still see it, and be seen by nothing else.

use crate::refactor::moved as file_moved;
use crate::relocate::{moved, moves, refuses};

const POM: &str = "//- pom.xml\n<project><artifactId>a</artifactId></project>\n";
const MODULES: &str = "//- settings.gradle.kts\ninclude(\":a\", \":b\", \":c\")\n\
    //- a/build.gradle.kts\ndependencies { implementation(project(\":b\")) }\n\
    //- b/build.gradle.kts\ndependencies { }\n\
    //- c/build.gradle.kts\ndependencies { implementation(project(\":a\")); implementation(project(\":b\")) }\n";
const PLATFORMS: &str = "//- build.gradle.kts\nkotlin { jvm(); js() }\n\
    //- src/commonMain/kotlin/p/Common.kt\npackage p\n\nfun common() = 1\n\
    //- src/jvmMain/kotlin/p/Jvm.kt\npackage p\n\nfun onlyJvm() = 1\n\
    //- src/jsMain/kotlin/p/Js.kt\npackage p\n\nfun onlyJs() = 1\n\
    //- src/jvmTest/kotlin/p/JvmTest.kt\npackage p\n\nfun jvmTest() = 1\n";

const HIDDEN: &str = "the build does not let";

/// Whether a file may not move because of what the build says.
fn hides(source: &str, from: &str, to: &str) -> bool {
    let conflicts = file_moved(source, from, to).refactored.conflicts;
    assert!(conflicts.iter().all(|conflict| conflict.message.contains(HIDDEN)), "{conflicts:#?}");
    !conflicts.is_empty()
}

#[track_caller]
fn may_move(source: &str, to: &str) {
    let outcome = moved(source, to);
    assert_eq!(outcome.refactored.conflicts, [], "{:#?}", outcome.changed);
}

#[test]
fn production_code_does_not_see_tests() {
    let files = |user: &str| {
        format!(
            "{POM}//- src/main/java/p/B.java\npackage p;\npublic class B<caret> {{}}\n\
             //- src/{user}/java/p/A.java\npackage p;\npublic class A {{ B b; }}\n\
             //- src/test/java/p/Other.java\npackage p;\nclass Other {{}}\n"
        )
    };
    let (from, to) = ("src/main/java/p/B.java", "src/test/java/p/B.java");
    assert!(hides(&files("main"), from, to));
    assert!(!hides(&files("test"), from, to));
    // The code that moves must see as well.
    let helper = format!(
        "{POM}//- src/test/java/p/T.java\npackage p;\npublic class T {{ H h; }}\n\
         //- src/test/java/p/H.java\npackage p;\npublic class H {{}}\n\
         //- src/main/java/p/Other.java\npackage p;\nclass Other {{}}\n"
    );
    assert!(hides(&helper, "src/test/java/p/T.java", "src/main/java/p/T.java"));
}

#[test]
fn a_module_sees_its_dependencies() {
    let files = |home: &str, user: &str, target: &str| {
        format!(
            "{MODULES}//- {home}/src/main/kotlin/x/Util.kt\npackage x\n\nfun h<caret>elp() = 1\n\
             //- {user}/src/main/kotlin/y/Use.kt\npackage y\n\nimport x.help\n\nval y = help()\n\
             //- {target}/src/main/kotlin/z/To.kt\npackage z\n\nval z = 1\n"
        )
    };
    let to = |module: &str| format!("{module}/src/main/kotlin/z/To.kt");
    may_move(&files("a", "a", "b"), &to("b"));
    may_move(&files("a", "c", "b"), &to("b"));
    refuses(&files("b", "a", "c"), &to("c"), HIDDEN);
    refuses(&files("b", "b", "a"), &to("a"), HIDDEN);
    let shared =
        "//- build.gradle.kts\nsubprojects {\n dependencies { \"implementation\"(project(\":a\")) }\n}\n";
    may_move(&format!("{shared}{}", files("b", "b", "a")), &to("a"));
}

#[test]
fn platforms_see_the_common_code_and_not_each_other() {
    let common = "src/commonMain/kotlin/p/Common.kt";
    let (jvm, js) = ("src/jvmMain/kotlin/p/Jvm.kt", "src/jsMain/kotlin/p/Js.kt");
    let files = |home: &str, user: &str| {
        format!(
            "{PLATFORMS}//- src/{home}/kotlin/p/Mode.kt\npackage p\n\nenum class M<caret>ode {{ ON }}\n\nval other = 1\n\
             //- src/{user}/kotlin/p/User.kt\npackage p\n\nval user = Mode.ON\n"
        )
    };
    refuses(&files("commonMain", "commonMain"), jvm, HIDDEN);
    refuses(&files("commonMain", "jsMain"), jvm, HIDDEN);
    refuses(&files("jvmMain", "jvmTest"), js, HIDDEN);
    may_move(&files("commonMain", "jvmMain"), jvm);
    may_move(&files("commonMain", "jvmTest"), jvm);
    may_move(&files("jvmMain", "jvmMain"), common);
    // A set of natives may lie above another one: nothing certain is known.
    may_move(&files("nativeMain", "iosMain"), common);
}

#[test]
fn other_crates_name_what_moves_by_the_crate() {
    let files = |lib: &str, user: &str| {
        format!(
            "//- Cargo.toml\n[workspace]\nmembers = [\"one\", \"b\"]\n\
             //- one/Cargo.toml\n[package]\nname = \"one\"\nversion = \"0.1.0\"\n\
             //- b/Cargo.toml\n[package]\nname = \"b\"\nversion = \"0.1.0\"\n[dependencies]\none = {{ path = \"../one\" }}\n\
             //- one/src/lib.rs\npub mod util;\n{lib}\
             //- one/src/util.rs\npub fn h<caret>elp() {{}}\npub fn stays() {{}}\n\
             //- one/src/inner.rs\npub fn inner() {{}}\n\
             //- b/src/lib.rs\n{user}"
        )
    };
    let (lib, util) = ("one/src/lib.rs", ("one/src/util.rs", "pub fn stays() {}\n"));
    moves(
        &files("", "pub fn b() { one::util::help(); one::util::stays(); }\n"),
        lib,
        &[
            ("b/src/lib.rs", "pub fn b() { one::help(); one::util::stays(); }\n"),
            (lib, "pub mod util;\n\npub fn help() {}\n"),
            util,
        ],
    );
    moves(
        &files("pub mod inner;\n", "use one::util::{help, stays};\n\npub fn b() { help(); stays(); }\n"),
        "one/src/inner.rs",
        &[
            (
                "b/src/lib.rs",
                "use one::util::{stays};\nuse one::inner::help;\n\npub fn b() { help(); stays(); }\n",
            ),
            ("one/src/inner.rs", "pub fn inner() {}\npub fn help() {}\n"),
            util,
        ],
    );
    refuses(&files("mod inner;\n", "pub fn b() { one::util::help(); }\n"), "one/src/inner.rs", "inner");
    refuses(&files("mod inner;\n", "use one::util::help;\n"), "one/src/inner.rs", "inner");
    refuses(&files("pub fn own() { util::help(); }\n", ""), "b/src/lib.rs", "does not depend on");
}
