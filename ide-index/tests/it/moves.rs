//! Files moved where their directory is part of what they declare: who names it, who saw it, and who may not.

use std::collections::BTreeMap;

use ide_model::{FilePath, Refactoring};

use crate::refactor::{Outcome, change_files};

pub(crate) fn moved(source: &str, from: &str, to: &str) -> Outcome {
    let (from, to) = (FilePath::new(from), FilePath::new(to));
    change_files(source, &Refactoring::MoveFile { from: &from, to: &to })
}

/// The files that are different afterwards.
#[track_caller]
pub(crate) fn moves(source: &str, from: &str, to: &str, wanted: &[(&str, &str)]) {
    let outcome = moved(source, from, to);
    assert_eq!(outcome.refactored.conflicts, [], "{:#?}", outcome.changed);
    let wanted: BTreeMap<String, String> =
        wanted.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    assert_eq!(outcome.changed, wanted);
}

#[track_caller]
pub(crate) fn refuses(source: &str, from: &str, to: &str, kinds: &[&str]) {
    let outcome = moved(source, from, to);
    assert_eq!(outcome.conflicts, kinds, "{:#?}\n{:#?}", outcome.refactored.conflicts, outcome.changed);
}

#[test]
fn java_packages() {
    moves(
        "//- src/a/A.java\npackage a;\n\npublic class A extends Base {\n  public static int x = Util.y();\n}\n\
         //- src/a/Base.java\npackage a;\n\npublic class Base {}\n\
         //- src/a/Util.java\npackage a;\n\nimport java.util.List;\n\npublic class Util {\n  public static int y() { return A.x; }\n}\n\
         //- src/b/Use.java\npackage b;\n\nimport a.A;\nimport static a.A.x;\n\nclass Use { a.A f = new A(); int z = x; /** {@link a.A} */ int w; }\n\
         //- src/b/Star.java\npackage b;\n\nimport a.*;\n\nclass Star { A f; Base g; }\n\
         //- src/c/d/C.java\npackage c.d;\n\nclass C {}\n",
        "src/a/A.java",
        "src/c/d/A.java",
        &[
            (
                "src/c/d/A.java",
                "package c.d;\n\nimport a.Base;\nimport a.Util;\n\npublic class A extends Base {\n  public static int x = Util.y();\n}\n",
            ),
            (
                "src/a/Util.java",
                "package a;\n\nimport c.d.A;\nimport java.util.List;\n\npublic class Util {\n  public static int y() { return A.x; }\n}\n",
            ),
            (
                "src/b/Use.java",
                "package b;\n\nimport c.d.A;\nimport static c.d.A.x;\n\nclass Use { c.d.A f = new A(); int z = x; /** {@link c.d.A} */ int w; }\n",
            ),
            ("src/b/Star.java", "package b;\n\nimport a.*;\nimport c.d.A;\n\nclass Star { A f; Base g; }\n"),
        ],
    );
}

#[test]
fn java_packages_hide_names() {
    let hidden = "//- a/A.java\npackage a;\npublic class A { int x; }\n//- a/B.java\npackage a;\nclass B { int y(A a) { return a.x; } }\n//- b/C.java\npackage b;\nclass C {}\n";
    refuses(hidden, "a/A.java", "b/A.java", &["meaning_changes"]);
    let own = "//- a/A.java\npackage a;\npublic class A { B b; }\n//- a/B.java\npackage a;\nclass B {}\n//- b/C.java\npackage b;\nclass C {}\n";
    refuses(own, "a/A.java", "b/A.java", &["meaning_changes"]);
    let taken =
        "//- a/A.java\npackage a;\npublic class A {}\n//- b/C.java\npackage b;\nclass C {}\nclass A {}\n";
    refuses(taken, "a/A.java", "b/A.java", &["collision"]);
    refuses("//- a/A.java\npackage a;\npublic class A {}\n", "a/A.java", "a/B.java", &["unsupported_form"]);
    let unnamed = "//- A.java\npublic class A { B b; }\n//- B.java\npublic class B {}\n//- b/C.java\npackage b;\nclass C {}\n";
    refuses(unnamed, "A.java", "b/A.java", &["unsupported_form"]);
    let captured = "//- a/A.java\npackage a;\npublic class A { T t; }\n//- a/T.java\npackage a;\npublic class T {}\n//- b/U.java\npackage b;\nimport a.*;\nclass U { A a; T t; }\n//- b/C.java\npackage b;\nclass C {}\n";
    moves(
        captured,
        "a/A.java",
        "b/A.java",
        &[("b/A.java", "package b;\n\nimport a.T;\n\npublic class A { T t; }\n")],
    );
}

#[test]
fn kotlin_packages() {
    moves(
        "//- src/a/A.kt\npackage a\n\nclass A\n\nfun make() = A()\n\nfun String.shout() = helper(this)\n\
         //- src/a/B.kt\npackage a\n\nfun helper(x: String) = x\n\nfun go() = make()\n\
         //- src/b/Use.kt\npackage b\n\nimport a.A\nimport a.shout as cry\n\nfun f(x: A) = \"\".cry()\n\
         //- src/c/C.kt\npackage c\n",
        "src/a/A.kt",
        "src/c/A.kt",
        &[
            ("src/a/B.kt", "package a\n\nimport c.make\n\nfun helper(x: String) = x\n\nfun go() = make()\n"),
            ("src/b/Use.kt", "package b\n\nimport c.A\nimport c.shout as cry\n\nfun f(x: A) = \"\".cry()\n"),
            (
                "src/c/A.kt",
                "package c\n\nimport a.helper\n\nclass A\n\nfun make() = A()\n\nfun String.shout() = helper(this)\n",
            ),
        ],
    );
}

#[test]
fn php_namespaces() {
    moves(
        "//- composer.json\n{\"autoload\": {\"psr-4\": {\"App\\\\\": \"src/\"}}}\n\
         //- src/A/One.php\n<?php\n\nnamespace App\\A;\n\nclass One extends Two\n{\n    public function f(): Sub\\Four { return strlen(''); }\n}\n\
         //- src/A/Two.php\n<?php\n\nnamespace App\\A;\n\nclass Two\n{\n    /** @return One */\n    public function g() { return new One(); }\n}\n\
         //- src/A/Sub/Four.php\n<?php\n\nnamespace App\\A\\Sub;\n\nclass Four {}\n\
         //- src/Use.php\n<?php\n\nnamespace App;\n\nuse App\\A\\{One, Two};\n\nclass UseIt\n{\n    public $a = [One::class, A\\One::class, \\App\\A\\One::class, Two::class];\n}\n",
        "src/A/One.php",
        "src/B/One.php",
        &[
            (
                "src/A/Two.php",
                "<?php\n\nnamespace App\\A;\n\nuse App\\B\\One;\n\nclass Two\n{\n    /** @return One */\n    public function g() { return new One(); }\n}\n",
            ),
            (
                "src/B/One.php",
                "<?php\n\nnamespace App\\B;\n\nuse App\\A\\Two;\n\nclass One extends Two\n{\n    public function f(): \\App\\A\\Sub\\Four { return strlen(''); }\n}\n",
            ),
            (
                "src/Use.php",
                "<?php\n\nnamespace App;\n\nuse App\\A\\{Two};\nuse App\\B\\One;\n\nclass UseIt\n{\n    public $a = [One::class, \\App\\B\\One::class, \\App\\B\\One::class, Two::class];\n}\n",
            ),
        ],
    );
    refuses(
        "//- src/A/One.php\n<?php\nnamespace A;\nclass One { const X = __DIR__; }\n//- src/B/Two.php\n<?php\nnamespace B;\n",
        "src/A/One.php",
        "src/B/One.php",
        &["unsupported_form"],
    );
}

#[test]
fn go_packages() {
    let source = "//- go.mod\nmodule m\n\
         //- a/a.go\npackage a\n\nimport \"fmt\"\n\ntype T struct{ X int }\n\nfunc New() T {\n\tfmt.Println(Help())\n\treturn T{X: 1}\n}\n\
         //- a/b.go\npackage a\n\nimport \"os\"\n\nfunc Help() int { return os.Getpid() }\n\
         //- c/c.go\npackage c\n\nimport (\n\t\"fmt\"\n\n\t\"m/a\"\n)\n\ntype E struct{ a.T }\n\nfunc F() { fmt.Println(a.New(), a.Help()) }\n\
         //- d/d.go\npackage d\n\nimport \"m/a\"\n\nvar V a.T\n\
         //- b/b.go\npackage b\n\nvar W = 1\n";
    moves(
        source,
        "a/a.go",
        "b/a.go",
        &[
            (
                "b/a.go",
                "package b\n\nimport \"fmt\"\nimport \"m/a\"\n\ntype T struct{ X int }\n\nfunc New() T {\n\tfmt.Println(a.Help())\n\treturn T{X: 1}\n}\n",
            ),
            (
                "c/c.go",
                "package c\n\nimport (\n\t\"fmt\"\n\n\t\"m/a\"\n\t\"m/b\"\n)\n\ntype E struct{ b.T }\n\nfunc F() { fmt.Println(b.New(), a.Help()) }\n",
            ),
            ("d/d.go", "package d\n\nimport \"m/b\"\n\nvar V b.T\n"),
        ],
    );
    moves(
        "//- go.mod\nmodule m\n//- a/a.go\npackage a\n\nimport \"m/b\"\n\nvar X = b.W\n//- b/b.go\npackage b\n\nvar W = 1\n",
        "a/a.go",
        "b/a.go",
        &[("b/a.go", "package b\n\nvar X = W\n")],
    );
}

#[test]
fn go_packages_refuse() {
    let go = |rest: &str| format!("//- go.mod\nmodule m\n//- b/b.go\npackage b\n\nvar W = 1\n{rest}");
    let hidden = go("//- a/a.go\npackage a\n\nfunc f() {}\n//- a/c.go\npackage a\n\nfunc g() { f() }\n");
    refuses(&hidden, "a/a.go", "b/a.go", &["meaning_changes"]);
    let method = go("//- a/a.go\npackage a\n\ntype T struct{}\n//- a/c.go\npackage a\n\nfunc (t T) M() {}\n");
    assert!(moved(&method, "a/a.go", "b/a.go").conflicts.contains(&"unsupported_form"));
    let cycle = go(
        "//- a/a.go\npackage a\n\nfunc F() { G() }\n//- a/c.go\npackage a\n\nfunc G() {}\n\nfunc H() { F() }\n",
    );
    refuses(&cycle, "a/a.go", "b/a.go", &["unsupported_form"]);
    let program = go(
        "//- a/a.go\npackage main\n\nfunc F() {}\n//- a/c.go\npackage main\n\nfunc main() { F() }\n//- c/c.go\npackage main\n",
    );
    refuses(&program, "a/a.go", "c/a.go", &["unsupported_form"]);
    let embed = go("//- a/a.go\npackage a\n\n//go:embed x.txt\nvar X string\n");
    refuses(&embed, "a/a.go", "b/a.go", &["unsupported_form"]);
}

#[test]
fn rust_modules_get_another_name() {
    moves(
        "//- Cargo.toml\n[package]\nname = \"x\"\n\
         //- src/lib.rs\nmod a;\nmod c;\npub use a::One;\n\nfn f() -> crate::a::One { a::make() }\n\
         //- src/a.rs\nmod inner;\npub struct One;\npub fn make() -> One { inner::new() }\n\
         //- src/a/inner.rs\nuse super::One;\npub fn new() -> One { One }\n\
         //- src/c.rs\nuse crate::a::{self, make};\nfn g() { let a = make(); a::make(); }\n",
        "src/a.rs",
        "src/b.rs",
        &[
            ("src/lib.rs", "mod b;\nmod c;\npub use b::One;\n\nfn f() -> crate::b::One { b::make() }\n"),
            ("src/b.rs", "mod inner;\npub struct One;\npub fn make() -> One { inner::new() }\n"),
            ("src/b/inner.rs", "use super::One;\npub fn new() -> One { One }\n"),
            ("src/c.rs", "use crate::b::{self, make};\nfn g() { let a = make(); b::make(); }\n"),
        ],
    );
    let source = "//- Cargo.toml\n[package]\nname = \"x\"\n//- src/lib.rs\nmod a;\nmod b {}\n//- src/a.rs\n";
    refuses(source, "src/a.rs", "src/b.rs", &["collision"]);
    refuses(source, "src/a.rs", "src/c/a.rs", &["unsupported_form"]);
    refuses(source, "src/a.rs", "src/fn.rs", &["invalid_name"]);
    refuses(source, "src/lib.rs", "src/root.rs", &["unsupported_form"]);
}

#[test]
fn php_files_without_imports_get_their_first_one() {
    moves(
        "//- composer.json\n{\"autoload\": {\"psr-4\": {\"App\\\\\": \"src/\"}}}\n\
         //- src/A/One.php\n<?php\n\nnamespace App\\A;\n\nclass One {}\n\
         //- index.php\n<?php\n\nnew App\\A\\One();\n\
         //- src/A/f.php\n<?php\n\nnamespace App\\A;\n\nfunction f(): One { return new One(); }\n",
        "src/A/One.php",
        "src/B/One.php",
        &[
            ("src/B/One.php", "<?php\n\nnamespace App\\B;\n\nclass One {}\n"),
            ("index.php", "<?php\n\nnew \\App\\B\\One();\n"),
            (
                "src/A/f.php",
                "<?php\n\nnamespace App\\A;\n\nuse App\\B\\One;\n\nfunction f(): One { return new One(); }\n",
            ),
        ],
    );
}

#[test]
fn paths_that_tests_and_workers_name_follow_a_moved_file() {
    let calls = |path: &str| {
        format!(
            "const {{ x }} = require('{path}');\njest.mock('{path}');\nvi.mock('{path}.js', () => ({{}}));\nconst real = jest.requireActual('{path}');\nfunction late() {{ jest.doMock('{path}', () => x); }}\nrequire.resolve('{path}');\nimport.meta.resolve('{path}.js');\nnew Worker(new URL('{path}.js', import.meta.url));\nimport('{path}').then(m => m.x);\nother.mock('./lib');\n"
        )
    };
    let source = format!("//- lib.js\nexports.x = 1;\n//- lib.test.js\n{}", calls("./lib"));
    let (from, to) = (FilePath::new("lib.js"), FilePath::new("sub/lib2.js"));
    let outcome = change_files(&source, &Refactoring::MoveFile { from: &from, to: &to });
    assert_eq!(outcome.refactored.conflicts, []);
    assert_eq!(outcome.changed["lib.test.js"], calls("./sub/lib2"));
}

#[test]
fn who_names_a_file_by_an_alias_or_its_directory_is_told_its_new_path() {
    moves(
        "//- package.json\n{ \"name\": \"pack\", \"imports\": { \"#lib\": \"./src/lib.ts\" } }\n//- tsconfig.json\n{ \"compilerOptions\": { \"paths\": { \"lib\": [\"./src/lib.ts\"] } } }\n//- src/lib.ts\nimport { b } from 'lib2';\nexport const a = 1;\n//- src/b.ts\nimport { a } from 'lib';\nimport { a as c } from '#lib';\na + c;\n",
        "src/lib.ts",
        "src/core/lib.ts",
        &[
            ("src/core/lib.ts", "import { b } from 'lib2';\nexport const a = 1;\n"),
            ("package.json", "{ \"name\": \"pack\", \"imports\": { \"#lib\": \"./src/core/lib.ts\" } }\n"),
            (
                "tsconfig.json",
                "{ \"compilerOptions\": { \"paths\": { \"lib\": [\"./src/core/lib.ts\"] } } }\n",
            ),
        ],
    );
    moves(
        "//- src/dir/index.ts\nexport const a = 1;\n//- src/b.ts\nimport { a } from './dir';\na;\n//- src/dir/c.ts\nimport { a } from '.';\na;\n",
        "src/dir/index.ts",
        "src/dir/main.ts",
        &[
            ("src/dir/main.ts", "export const a = 1;\n"),
            ("src/b.ts", "import { a } from './dir/main';\na;\n"),
            ("src/dir/c.ts", "import { a } from './main';\na;\n"),
        ],
    );
}

#[test]
fn a_block_that_adds_to_a_module_follows_it() {
    moves(
        "//- shapes.ts\nexport interface Shape { a: number }\n\
         //- main.ts\nimport { Shape } from \"./shapes\";\ndeclare module \"./shapes\" { interface Shape { more: number } }\nexport const s: Shape = { a: 1, more: 2 };\n",
        "shapes.ts",
        "model/shapes.ts",
        &[
            ("model/shapes.ts", "export interface Shape { a: number }\n"),
            (
                "main.ts",
                "import { Shape } from \"./model/shapes\";\ndeclare module \"./model/shapes\" { interface Shape { more: number } }\nexport const s: Shape = { a: 1, more: 2 };\n",
            ),
        ],
    );
}

#[test]
fn paths_from_the_directory_of_a_file_of_php_follow() {
    let composer = "{\"autoload\": {\"files\": [\"src/helpers.php\"]}}\n";
    let main = "<?php\n// __DIR__ . '/src/helpers.php'\nrequire __DIR__ . '/src/helpers.php';\nrequire_once(dirname(__FILE__).\"/src/helpers.php\");\necho h();\n";
    let test =
        "<?php\nrequire dirname(__DIR__) . '/src/helpers.php';\nrequire __DIR__ . '/../src/other.php';\n";
    let helpers = "<?php\nfunction h() { return 1; }\n";
    let new = |text: &str| text.replace("src/helpers.php", "src/util/h.php");
    let new_main = new(main).replacen("src/util/h.php", "src/helpers.php", 1);
    moves(
        &format!(
            "//- composer.json\n{composer}//- main.php\n{main}//- tests/t.php\n{test}//- src/helpers.php\n{helpers}//- src/other.php\n<?php\n"
        ),
        "src/helpers.php",
        "src/util/h.php",
        &[
            ("composer.json", &new(composer)),
            ("main.php", &new_main),
            ("tests/t.php", &new(test)),
            ("src/util/h.php", helpers),
        ],
    );
}

#[test]
fn the_class_of_a_kotlin_file_follows_it() {
    let files = "//- p/Util.kt\npackage p\n\nfun help(x: Int): Int = x + 1\nval top = 3\n\
         //- p/Beside.java\npackage p;\n\nclass Beside {\n  int a = UtilKt.getTop();\n}\n\
         //- q/User.java\npackage q;\n\nimport static p.UtilKt.help;\n\nimport p.UtilKt;\n\nclass User {\n  int a() { return UtilKt.help(1) + p.UtilKt.help(2) + help(3); }\n  Class<?> c = UtilKt.class;\n}\n\
         //- q/Star.java\npackage q;\n\nimport static p.UtilKt.*;\n\nclass Star {\n  int a = help(1);\n}\n\
         //- q/Other.kt\npackage q\n\nimport p.help\n\nval o = help(1)\n";
    moves(
        files,
        "p/Util.kt",
        "p/tools.kt",
        &[
            ("p/tools.kt", "package p\n\nfun help(x: Int): Int = x + 1\nval top = 3\n"),
            ("p/Beside.java", "package p;\n\nclass Beside {\n  int a = ToolsKt.getTop();\n}\n"),
            (
                "q/User.java",
                "package q;\n\nimport static p.ToolsKt.help;\n\nimport p.ToolsKt;\n\nclass User {\n  int a() { return ToolsKt.help(1) + p.ToolsKt.help(2) + help(3); }\n  Class<?> c = ToolsKt.class;\n}\n",
            ),
            (
                "q/Star.java",
                "package q;\n\nimport static p.ToolsKt.*;\n\nclass Star {\n  int a = help(1);\n}\n",
            ),
        ],
    );
    moves(
        files,
        "p/Util.kt",
        "r/Tools.kt",
        &[
            ("r/Tools.kt", "package r\n\nfun help(x: Int): Int = x + 1\nval top = 3\n"),
            (
                "p/Beside.java",
                "package p;\n\nimport r.ToolsKt;\n\nclass Beside {\n  int a = ToolsKt.getTop();\n}\n",
            ),
            (
                "q/User.java",
                "package q;\n\nimport static r.ToolsKt.help;\n\nimport r.ToolsKt;\n\nclass User {\n  int a() { return ToolsKt.help(1) + r.ToolsKt.help(2) + help(3); }\n  Class<?> c = ToolsKt.class;\n}\n",
            ),
            (
                "q/Star.java",
                "package q;\n\nimport static r.ToolsKt.*;\n\nclass Star {\n  int a = help(1);\n}\n",
            ),
            ("q/Other.kt", "package q\n\nimport r.help\n\nval o = help(1)\n"),
        ],
    );
}

#[test]
fn the_class_of_a_kotlin_file_may_have_a_name_of_its_own() {
    let files = |head: &str, more: &str| {
        format!(
            "//- p/Util.kt\n{head}@file:JvmName(\"Nice\")\npackage p\n\nfun help(): Int = 1\n{more}\
             //- q/User.java\npackage q;\n\nimport p.Nice;\n\nclass User {{\n  int a = Nice.help();\n}}\n"
        )
    };
    moves(
        &files("", ""),
        "p/Util.kt",
        "p/Tools.kt",
        &[("p/Tools.kt", "@file:JvmName(\"Nice\")\npackage p\n\nfun help(): Int = 1\n")],
    );
    moves(
        &files("", ""),
        "p/Util.kt",
        "r/Util.kt",
        &[
            ("r/Util.kt", "@file:JvmName(\"Nice\")\npackage r\n\nfun help(): Int = 1\n"),
            ("q/User.java", "package q;\n\nimport r.Nice;\n\nclass User {\n  int a = Nice.help();\n}\n"),
        ],
    );
    let other =
        "//- p/More.kt\n@file:JvmMultifileClass\n@file:JvmName(\"Nice\")\npackage p\n\nfun more(): Int = 1\n";
    refuses(&files("@file:JvmMultifileClass\n", other), "p/Util.kt", "r/Util.kt", &["unsupported_form"]);
}
