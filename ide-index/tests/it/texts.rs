//! PHP: names in texts, and names that say where they are meant from.

use crate::refactor::{moved, refuses, renames};

#[test]
fn methods_in_callable_values_are_renamed() {
    renames(
        "//- a.php\n<?php\nclass C {\n    function bar() { $a = [$this, 'baz']; return array_map([$this, 'baz'], $a); }\n    function b<caret>az() {}\n}\n",
        "qux",
        &[(
            "a.php",
            "<?php\nclass C {\n    function bar() { $a = [$this, 'qux']; return array_map([$this, 'qux'], $a); }\n    function qux() {}\n}\n",
        )],
    );
    renames(
        "//- a.php\n<?php\nnamespace A;\nclass C { static function s<caret>t() {} }\n//- b.php\n<?php\nuse A\\C;\n$all = [[C::class, 'st'], array(C::class, 'st'), 'A\\C::st', \"A\\\\C::st\", ['st', 'st'], 'st'];\n",
        "go",
        &[
            ("a.php", "<?php\nnamespace A;\nclass C { static function go() {} }\n"),
            (
                "b.php",
                "<?php\nuse A\\C;\n$all = [[C::class, 'go'], array(C::class, 'go'), 'A\\C::go', \"A\\\\C::go\", ['st', 'st'], 'st'];\n",
            ),
        ],
    );
    renames(
        "//- a.php\n<?php\nclass C<caret> { static function st() {} }\n$f = 'C::st';\n",
        "D",
        &[("a.php", "<?php\nclass D { static function st() {} }\n$f = 'D::st';\n")],
    );
}

#[test]
fn keys_of_clone_are_properties() {
    renames(
        "//- a.php\n<?php\nclass P {\n    public function __construct(public int $<caret>x, public int $y) {}\n    function with(int $v): static { return clone($this, ['x' => $v, 'y' => ['x' => 1]]); }\n}\n",
        "z",
        &[(
            "a.php",
            "<?php\nclass P {\n    public function __construct(public int $z, public int $y) {}\n    function with(int $v): static { return clone($this, ['z' => $v, 'y' => ['x' => 1]]); }\n}\n",
        )],
    );
}

const COMPOSER: &str = "//- composer.json\n{\"autoload\":{\"psr-4\":{\"App\\\\\":\"src/\"}}}\n";

#[test]
fn names_from_the_namespace_around_follow_a_move() {
    let source = format!(
        "{COMPOSER}//- src/A/V.php\n<?php\nnamespace App\\A;\nclass V {{ function g() {{ return namespace\\U::A; }} }}\n//- src/A/U.php\n<?php\nnamespace App\\A;\nclass U {{ const A = 1; }}\n"
    );
    let outcome = moved(&source, "src/A/V.php", "src/B/V.php");
    assert_eq!(outcome.refactored.conflicts, []);
    assert_eq!(
        outcome.changed["src/B/V.php"],
        "<?php\nnamespace App\\B;\nclass V { function g() { return \\App\\A\\U::A; } }\n"
    );
    let outcome = moved(&source, "src/A/U.php", "src/B/U.php");
    assert_eq!(outcome.refactored.conflicts, []);
    assert_eq!(
        outcome.changed["src/A/V.php"],
        "<?php\nnamespace App\\A;\nclass V { function g() { return \\App\\B\\U::A; } }\n"
    );
}

#[test]
fn a_name_from_the_namespace_around_means_no_import() {
    renames(
        "//- a.php\n<?php\nnamespace A;\nuse B\\U;\nclass C { function f() { return [new namespace\\U, new U]; } }\n//- u.php\n<?php\nnamespace A;\nclass U<caret> {}\n//- b.php\n<?php\nnamespace B;\nclass U {}\n",
        "W",
        &[
            (
                "a.php",
                "<?php\nnamespace A;\nuse B\\U;\nclass C { function f() { return [new namespace\\W, new U]; } }\n",
            ),
            ("u.php", "<?php\nnamespace A;\nclass W {}\n"),
        ],
    );
}

#[test]
fn grouped_imports_follow_a_move() {
    let source = format!(
        "{COMPOSER}//- src/E/User.php\n<?php\nnamespace App\\E;\nclass User {{}}\n//- src/E/Repo.php\n<?php\nnamespace App\\E;\nclass Repo {{}}\n//- src/Ctl.php\n<?php\nnamespace App;\nuse App\\E\\{{User, Repo as R}};\nclass Ctl {{ function f(R $r, User $u) {{}} }}\n//- src/C2.php\n<?php\nnamespace App;\nuse App\\{{E\\User, E\\Repo}};\nclass C2 {{ function f(Repo $r, User $u) {{}} }}\n"
    );
    let outcome = moved(&source, "src/E/Repo.php", "src/R/Repo.php");
    assert_eq!(outcome.refactored.conflicts, []);
    assert_eq!(
        outcome.changed["src/Ctl.php"],
        "<?php\nnamespace App;\nuse App\\E\\{User};\nuse App\\R\\Repo as R;\nclass Ctl { function f(R $r, User $u) {} }\n"
    );
    assert_eq!(
        outcome.changed["src/C2.php"],
        "<?php\nnamespace App;\nuse App\\R\\Repo;\nuse App\\{E\\User};\nclass C2 { function f(Repo $r, User $u) {} }\n"
    );
}

#[test]
fn what_an_unknown_function_gives_may_be_of_the_project() {
    let job = "//- job.php\n<?php\nclass Job { function ex<caret>ecute() {} }\n";
    renames(
        &format!("{job}//- a.php\n<?php\napp(Job::class)->execute();\n"),
        "run",
        &[
            ("a.php", "<?php\napp(Job::class)->run();\n"),
            ("job.php", "<?php\nclass Job { function run() {} }\n"),
        ],
    );
    refuses(&format!("{job}//- a.php\n<?php\napp('job')->execute();\n"), "run", &["unresolved_use"]);
}
