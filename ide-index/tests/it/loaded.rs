//! Declarations that move to where something else than their name decides whether they are found, and what they mean.

use ide_model::{FilePath, Language, MoveTo, Refactoring, Target};

use crate::moves;
use crate::refactor::change_to;
use crate::relocate::{moved, refuses};

const COMPOSER: &str = "//- composer.json\n{ \"autoload\": { \"psr-4\": { \"App\\\\\": \"src/\" }, \"files\": [\"src/functions.php\"] } }\n";

#[test]
fn php_functions_go_only_to_files_that_something_loads() {
    let why = "no `autoload` of a composer.json loads";
    let source = format!(
        "{COMPOSER}//- src/functions.php\n<?php\nnamespace App;\nfunction h<caret>alf(int $n): int {{ return $n; }}\nfunction rest(): int {{ return 1; }}\n//- src/Level.php\n<?php\nnamespace App;\nclass Level {{}}\n//- src/more.php\n<?php\nnamespace App;\nfunction more(): int {{ return 2; }}\n//- main.php\n<?php\nuse function App\\half;\necho half(2);\n"
    );
    refuses(&source, "src/Level.php", why);
    refuses(&source, "src/more.php", why);
    let listed = source.replace("functions.php\"]", "functions.php\", \"src/more.php\"]");
    assert_eq!(moved(&listed, "src/more.php").refactored.conflicts, []);
    let script = "//- a.php\n<?php\nfunction h<caret>alf(int $n): int { return $n; }\nfunction rest(): int { return 1; }\necho half(2);\n//- b.php\n<?php\nfunction more(): int { return 2; }\n";
    refuses(script, "b.php", why);
    let required = script.replace("//- a.php\n<?php\n", "//- a.php\n<?php\nrequire __DIR__ . '/b.php';\n");
    assert_eq!(moved(&required, "b.php").refactored.conflicts, []);
}

#[test]
fn php_classes_stay_where_they_are_loaded() {
    let source = format!(
        "{COMPOSER}//- src/Geo/Level.php\n<?php\nnamespace App\\Geo;\nclass Level {{}}\n//- lib/Other.php\n<?php\nnamespace Lib;\nclass Other {{}}\n//- main.php\n<?php\nnew \\App\\Geo\\Level();\n"
    );
    moves::refuses(&source, "src/Geo/Level.php", "lib/Level.php", &["unsupported_form"]);
    moves::refuses(&source, "src/Geo", "lib/Geo", &["unsupported_form"]);
    assert_eq!(moves::moved(&source, "src/Geo/Level.php", "src/Level.php").refactored.conflicts, []);
    assert_eq!(moves::moved(&source, "src/Geo", "src/Form").refactored.conflicts, []);
}

#[test]
fn words_that_mean_the_type_around_them_stay_in_it() {
    let messages = |source: &str, language: Language| {
        let symbol = if language == Language::Php { "B" } else { "a#B" };
        let class = Target::Named { language, symbol: symbol.into() };
        let outcome = change_to(source, &class, |symbol, class, plan| {
            plan(&Refactoring::MoveSymbol { symbol, to: MoveTo::Type(class) })
        });
        outcome.refactored.conflicts.into_iter().map(|c| c.message).collect::<Vec<_>>()
    };
    let php = |body: &str| {
        format!(
            "//- a.php\n<?php\nclass A {{ const K = 1; public static function m<caret>ake() {{ {body} }} }}\nclass B {{\n}}\n"
        )
    };
    for (body, word) in [
        ("return new static();", "static"),
        ("return new self();", "self"),
        ("return __CLASS__;", "__CLASS__"),
    ] {
        let found = messages(&php(body), Language::Php);
        assert_eq!(found, [format!("`{word}` would mean another type there")], "{body}");
    }
    let free = "static $n = 0; return self::K + (static fn() => 1)() . 'self';";
    assert_eq!(messages(&php(free), Language::Php), [] as [&str; 0]);
    let js = |body: &str| {
        format!("//- a.js\nclass A {{\n  static m<caret>ake() {{ {body} }}\n}}\nclass B {{\n}}\nA.make();\n")
    };
    let found = messages(&js("return new this();"), Language::JavaScript);
    assert_eq!(found, ["`this` would mean another type there"]);
    assert_eq!(messages(&js("return 'this';"), Language::JavaScript), [] as [&str; 0]);
}

#[test]
fn python_variables_of_other_statements_stay() {
    let with = "//- a.py\nwith open('x') as c<caret>: print(c)\n//- b.py\nx = 1\n";
    refuses(with, "b.py", "does something else too");
    refuses("//- a.py\n__all__<caret> = ['f']\nf = 1\n//- b.py\nx = 1\n", "b.py", "tells of the module");
    let path = FilePath::new("b.py");
    let outcome =
        crate::refactor::change("//- a.py\nc<caret> = 1\nd = 2\n//- b.py\nx = 1\n", |symbol, plan| {
            plan(&Refactoring::MoveSymbol { symbol, to: MoveTo::File(&path) })
        });
    assert_eq!(outcome.refactored.conflicts, []);
}

#[test]
fn a_file_that_imports_a_name_twice_is_given_it_once() {
    let source = "//- src/a.ts\nexport const enum D<caret>ir { Up }\nexport const x = 1;\n//- src/b.ts\nexport const y = 2;\n//- src/main.ts\nimport { Dir } from './a';\nimport * as a from './a';\nconsole.log(Dir.Up, a.Dir.Up, a.x);\n";
    let outcome = moved(source, "src/b.ts");
    assert_eq!(outcome.refactored.conflicts, []);
    assert_eq!(
        outcome.changed["src/main.ts"],
        "import { Dir } from './b';\nimport * as a from './a';\nconsole.log(Dir.Up, Dir.Up, a.x);\n"
    );
    refuses(&source.replace("import { Dir }", "import type { Dir }"), "src/b.ts", "as a type only");
}

#[test]
fn go_declarations_stay_in_files_that_all_builds_have() {
    let source = "//- go.mod\nmodule m\n//- a.go\npackage m\n\nfunc ha<caret>lf(n int) int { return n / 2 }\n\nfunc rest() int { return half(2) }\n//- a_test.go\npackage m\n//- b_windows.go\npackage m\n//- c.go\n//go:build extra\n\npackage m\n//- d.go\npackage m\n";
    for to in ["a_test.go", "b_windows.go", "c.go", "new_test.go"] {
        refuses(source, to, "other builds have");
        moves::refuses(source, "a.go", &to.replace(".go", "_arm64.go"), &["unsupported_form"]);
    }
    assert_eq!(moved(source, "d.go").refactored.conflicts, []);
    assert_eq!(moves::moved(source, "a.go", "my_file.go").refactored.conflicts, []);
}
