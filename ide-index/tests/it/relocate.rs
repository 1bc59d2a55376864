//! Declarations moved to other files: what uses them, what they use, and what may not be moved.

use std::collections::BTreeMap;

use ide_model::{FilePath, Language, MoveTo, Refactoring};

use crate::refactor::{Outcome, change, change_to};

pub(crate) fn moved(source: &str, to: &str) -> Outcome {
    let path = FilePath::new(to);
    let is_file = to.rsplit('/').next().is_some_and(|name| name.contains('.'));
    let target = if is_file { MoveTo::File(&path) } else { MoveTo::Directory(&path) };
    change(source, |symbol, plan| plan(&Refactoring::MoveSymbol { symbol, to: target }))
}

/// The files that are different afterwards.
#[track_caller]
pub(crate) fn moves(source: &str, to: &str, wanted: &[(&str, &str)]) {
    let outcome = moved(source, to);
    assert_eq!(outcome.refactored.conflicts, [], "{:#?}", outcome.changed);
    let wanted: BTreeMap<String, String> =
        wanted.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    assert_eq!(outcome.changed, wanted);
}

/// A static member moves to the type of this name.
fn moved_to_type(source: &str, language: Language, class: &str) -> Outcome {
    let class = ide_model::Target::Named { language, symbol: class.into() };
    change_to(source, &class, |symbol, class, plan| {
        plan(&Refactoring::MoveSymbol { symbol, to: MoveTo::Type(class) })
    })
}

#[track_caller]
fn moves_to_type(source: &str, language: Language, class: &str, wanted: &[(&str, &str)]) {
    let outcome = moved_to_type(source, language, class);
    assert_eq!(outcome.refactored.conflicts, [], "{:#?}", outcome.changed);
    let wanted: BTreeMap<String, String> =
        wanted.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    assert_eq!(outcome.changed, wanted);
}

#[track_caller]
pub(crate) fn refuses(source: &str, to: &str, why: &str) {
    let outcome = moved(source, to);
    let all: Vec<&str> = outcome.refactored.conflicts.iter().map(|c| c.message.as_str()).collect();
    assert!(all.iter().any(|message| message.contains(why)), "{all:#?}\n{:#?}", outcome.changed);
}

#[test]
fn python_functions_go_to_a_file_that_is_there() {
    moves(
        "//- pkg/__init__.py\nfrom .a import go as run\n\
         //- pkg/a.py\nimport os\nimport re\nfrom .util import (\n    clean,\n    wash,\n)\n\nLIMIT = 3\n\n\n# Goes.\n@clean\ndef g<caret>o(x):\n    return os.path.join(wash(x), str(re))\n\n\ndef stay():\n    return go(re.compile(LIMIT))\n\
         //- pkg/b.py\nfrom .util import wash\n\n\ndef other():\n    return wash(1)\n\
         //- pkg/util.py\ndef clean(f):\n    return f\n\n\ndef wash(x):\n    return x\n\
         //- main.py\nimport pkg.a\nfrom pkg.a import LIMIT, go\n\nprint(go(LIMIT), pkg.a.LIMIT)\n",
        "pkg/b.py",
        &[
            ("pkg/__init__.py", "from .b import go as run\n"),
            (
                "pkg/a.py",
                "import re\nfrom .b import go\n\nLIMIT = 3\n\n\ndef stay():\n    return go(re.compile(LIMIT))\n",
            ),
            (
                "pkg/b.py",
                "import os\nimport re\nfrom .util import wash\nfrom .util import clean\n\n\ndef other():\n    return wash(1)\n\n\n# Goes.\n@clean\ndef go(x):\n    return os.path.join(wash(x), str(re))\n",
            ),
            (
                "main.py",
                "import pkg.a\nfrom pkg.a import LIMIT\nfrom pkg.b import go\n\nprint(go(LIMIT), pkg.a.LIMIT)\n",
            ),
        ],
    );
}

#[test]
fn python_declarations_go_to_a_new_file() {
    moves(
        "//- a.py\nimport json\n\nNAME<caret> = json.dumps({})\n\n\ndef use():\n    return NAME\n\
         //- b.py\nimport a\n\nprint(a.NAME, a.use())\n",
        "c.py",
        &[
            ("a.py", "from c import NAME\n\ndef use():\n    return NAME\n"),
            ("b.py", "import a\nfrom c import NAME\n\nprint(NAME, a.use())\n"),
            ("c.py", "import json\n\nNAME = json.dumps({})\n"),
        ],
    );
}

#[test]
fn python_files_may_lose_all_that_they_hold() {
    moves(
        "//- a.py\nimport json\nimport os\n\n\ndef g<caret>o():\n    return json.dumps(os)\n\
         //- b.py\nimport os\n\nprint(os)\n",
        "b.py",
        &[
            ("a.py", ""),
            ("b.py", "import json\nimport os\n\nprint(os)\n\n\ndef go():\n    return json.dumps(os)\n"),
        ],
    );
}

#[test]
fn a_python_module_may_be_called_like_what_leaves_it() {
    moves(
        "//- p/__init__.py\n//- p/go.py\ndef helper():\n    return 1\n\n\ndef g<caret>o():\n    return helper()\n\
         //- p/b.py\nX = 1\n",
        "p/b.py",
        &[
            ("p/go.py", "def helper():\n    return 1\n"),
            ("p/b.py", "from p.go import helper\n\nX = 1\n\n\ndef go():\n    return helper()\n"),
        ],
    );
}

#[test]
fn python_modules_must_not_wait_for_each_other() {
    let both = "//- a.py\nHELP = 1\n\n\ndef g<caret>o():\n    return HELP\n\n\ndef stay():\n    return go()\n//- b.py\nX = 1\n";
    refuses(both, "b.py", "while it is read");
    let taken = "//- a.py\ndef g<caret>o():\n    pass\n//- b.py\ndef go():\n    pass\n";
    refuses(taken, "b.py", "declared there already");
    let writes = "//- a.py\ncount = 0\n\n\ndef g<caret>o():\n    global count\n    count += 1\n//- b.py\n";
    refuses(writes, "b.py", "stays behind");
    let test = "//- tests/__init__.py\n//- tests/t.py\nclass Base:\n    pass\n\n\nclass G<caret>o(Base):\n    pass\n//- src/a/__init__.py\n//- src/a/b.py\n";
    refuses(test, "src/a/b.py", "lies outside of");
    let inside = "//- a.py\nclass A:\n    def g<caret>o(self):\n        pass\n//- b.py\n";
    refuses(inside, "b.py", "not declared at the top");
}

#[test]
fn typescript_declarations_move_between_modules() {
    moves(
        "//- src/a.ts\nimport { join } from \"path\";\nimport { helper, other } from \"./help\";\n\nexport const limit = 3;\n\n/** Goes. */\nexport function g<caret>o(x: string): string {\n  return join(helper(x), String(limit));\n}\n\nexport function stay() {\n  return go(other);\n}\n\
         //- src/help.ts\nexport const helper = (x: string) => x;\nexport const other = \"\";\n\
         //- src/lib/b.ts\nexport const b = 1;\n\
         //- src/index.ts\nexport { go, limit } from './a';\nexport * from './help';\n\
         //- src/use.ts\nimport { go as run } from './a'\nimport * as a from './a'\nconsole.log(run(''), a.go(''), a.limit)\n",
        "src/lib/b.ts",
        &[
            (
                "src/a.ts",
                "import { other } from \"./help\";\nimport { go } from \"./lib/b\";\n\nexport const limit = 3;\n\nexport function stay() {\n  return go(other);\n}\n",
            ),
            (
                "src/lib/b.ts",
                "import { helper } from \"../help\";\nimport { join } from \"path\";\nimport { limit } from \"../a\";\n\nexport const b = 1;\n\n/** Goes. */\nexport function go(x: string): string {\n  return join(helper(x), String(limit));\n}\n",
            ),
            (
                "src/index.ts",
                "export { limit } from './a';\nexport { go } from './lib/b';\nexport * from './help';\n",
            ),
            (
                "src/use.ts",
                "import { go as run } from './lib/b'\nimport * as a from './a'\nimport { go } from './lib/b'\nconsole.log(run(''), go(''), a.limit)\n",
            ),
        ],
    );
    moves(
        "//- a.ts\nimport { x } from './x';\n\nexport const g<caret>o = () => x;\n\
         //- b.ts\nexport const b = 1;\n//- x.ts\nexport const x = 1;\n\
         //- index.ts\nexport { go } from './a';\n",
        "b.ts",
        &[
            ("a.ts", ""),
            ("b.ts", "import { x } from './x';\n\nexport const b = 1;\n\nexport const go = () => x;\n"),
            ("index.ts", "export { go } from './b';\n"),
        ],
    );
    refuses(
        "//- a.ts\nfunction g<caret>o() {}\nexport { go };\nexport const x = go();\n//- b.ts\nexport {};\n",
        "b.ts",
        "not exported",
    );
}

#[test]
fn rust_items_move_between_modules() {
    moves(
        "//- Cargo.toml\n[package]\nname = \"x\"\n\
         //- src/lib.rs\nmod a;\nmod b;\npub use a::{One, make};\n\
         //- src/a.rs\nuse std::fmt;\nuse super::b::Other;\n\n/// Goes.\n#[derive(Clone)]\npub struct On<caret>e {\n    x: u32,\n}\n\nimpl One {\n    pub fn new(other: &Other) -> Self {\n        One { x: self::limit(other) }\n    }\n}\n\nimpl fmt::Display for One {\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {\n        write!(f, \"{}\", self.x)\n    }\n}\n\npub fn limit(other: &Other) -> u32 {\n    other.0\n}\n\npub fn make(other: &Other) -> One {\n    One::new(other)\n}\n\
         //- src/b.rs\npub struct Other(pub u32);\n\npub fn use_it(one: crate::a::One) {}\n",
        "src/b.rs",
        &[
            ("src/lib.rs", "mod a;\nmod b;\npub use a::{make};\npub use crate::b::One;\n"),
            (
                "src/a.rs",
                "use super::b::Other;\nuse crate::b::One;\n\npub fn limit(other: &Other) -> u32 {\n    other.0\n}\n\npub fn make(other: &Other) -> One {\n    One::new(other)\n}\n",
            ),
            (
                "src/b.rs",
                "use std::fmt;\n\npub struct Other(pub u32);\n\npub fn use_it(one: One) {}\n\n/// Goes.\n#[derive(Clone)]\npub struct One {\n    x: u32,\n}\n\nimpl One {\n    pub fn new(other: &Other) -> Self {\n        One { x: crate::a::limit(other) }\n    }\n}\n\nimpl fmt::Display for One {\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {\n        write!(f, \"{}\", self.x)\n    }\n}\n",
            ),
        ],
    );
    refuses(
        "//- Cargo.toml\n[package]\nname = \"x\"\n//- src/lib.rs\nmod a;\nmod b;\n//- src/a.rs\nmod inner { pub(super) fn hidden() {} }\npub fn g<caret>o() { inner::hidden() }\n//- src/b.rs\n",
        "src/b.rs",
        "private",
    );
}

/// A project of one crate.
fn rust_crate(files: &str) -> String {
    format!("//- Cargo.toml\n[package]\nname = \"x\"\nedition = \"2021\"\n{files}")
}

#[test]
fn rust_items_go_to_new_modules_that_their_parents_declare() {
    // Compiled by rustc before and after.
    moves(
        &rust_crate(
            "//- src/main.rs\nuse std::fmt;\n\nstruct Poi<caret>nt {\n    x: u32,\n}\n\nimpl fmt::Display for Point {\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {\n        write!(f, \"{}\", self.x)\n    }\n}\n\nfn main() {\n    println!(\"{}\", Point { x: 1 });\n}\n",
        ),
        "src/point.rs",
        &[
            (
                "src/main.rs",
                "mod point;\n\nuse crate::point::Point;\n\nfn main() {\n    println!(\"{}\", Point { x: 1 });\n}\n",
            ),
            (
                "src/point.rs",
                "use std::fmt;\n\npub(crate) struct Point {\n    pub(crate) x: u32,\n}\n\nimpl fmt::Display for Point {\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {\n        write!(f, \"{}\", self.x)\n    }\n}\n",
            ),
        ],
    );
    // Names for everyone stay so.
    moves(
        &rust_crate(
            "//- src/lib.rs\npub mod a;\nmod z;\n//- src/a.rs\npub fn g<caret>o() {}\npub fn stay() { go() }\n//- src/z.rs\n",
        ),
        "src/b.rs",
        &[
            ("src/lib.rs", "pub mod a;\npub mod b;\nmod z;\n"),
            ("src/a.rs", "use crate::b::go;\n\npub fn stay() { go() }\n"),
            ("src/b.rs", "pub fn go() {}\n"),
        ],
    );
    // Below another module, in each of both layouts; used from beside it.
    let below = |parent: &str| {
        rust_crate(&format!(
            "//- src/lib.rs\nmod a;\nmod user;\n//- {parent}\npub fn g<caret>o() {{}}\n//- src/user.rs\npub fn u() {{\n    crate::a::go();\n}}\n"
        ))
    };
    for (parent, to) in [("src/a.rs", "src/a/b.rs"), ("src/a/mod.rs", "src/a/b/mod.rs")] {
        moves(
            &below(parent),
            to,
            &[
                (parent, "pub(crate) mod b;\n"),
                (to, "pub fn go() {}\n"),
                ("src/user.rs", "pub fn u() {\n    crate::a::b::go();\n}\n"),
            ],
        );
    }
    // A line that waits for its file.
    moves(
        &rust_crate("//- src/lib.rs\nmod b;\npub fn g<caret>o() {}\n"),
        "src/b.rs",
        &[("src/lib.rs", "mod b;\n"), ("src/b.rs", "pub fn go() {}\n")],
    );
}

#[test]
fn rust_items_go_to_no_file_that_is_no_module() {
    let library = |files: &str| rust_crate(&format!("//- src/lib.rs\npub fn g<caret>o() {{}}\n{files}"));
    refuses(&library(""), "src/deep/b.rs", "no module has its files in src/deep");
    refuses(&library(""), "tests/b.rs", "would be the root of a crate");
    refuses(&library(""), "src/bin/b.rs", "would be the root of a crate");
    refuses(&library(""), "src/type.rs", "the name `type`");
    refuses(&library("mod b {}\n"), "src/b.rs", "src/lib.rs has a `b` already");
    refuses(&library("mod b;\n//- src/b/mod.rs\n"), "src/b.rs", "src/lib.rs has a `b` already");
    refuses(&library("#[cfg(unix)]\nmod b;\n//- src/b.rs\n"), "src/b/c.rs", "under a condition");
}

#[test]
fn java_types_go_to_another_package() {
    moves(
        "//- src/a/One.java\npackage a;\n\nimport java.util.List;\nimport java.util.Map;\n\npublic class One {\n  Map<String, Two> m;\n}\n\nclass Tw<caret>o {\n  List<String> names;\n}\n\
         //- src/a/Use.java\npackage a;\n\nclass Use { Two two; }\n",
        "src/a/Two.java",
        &[
            (
                "src/a/One.java",
                "package a;\n\nimport java.util.Map;\n\npublic class One {\n  Map<String, Two> m;\n}\n",
            ),
            (
                "src/a/Two.java",
                "package a;\n\nimport java.util.List;\n\nclass Two {\n  List<String> names;\n}\n",
            ),
        ],
    );
    refuses(
        "//- src/a/One.java\npackage a;\n\npublic class O<caret>ne {\n  Helper h;\n}\n\nclass Helper {}\n//- src/b/B.java\npackage b;\n\nclass B {}\n//- src/a/Use.java\npackage a;\n\nclass Use {}\n",
        "src/b",
        "visible in its own package",
    );
    moves(
        "//- src/a/One.java\npackage a;\n\npublic class O<caret>ne {}\n\nclass Helper { One one; }\n//- src/b/B.java\npackage b;\n\nclass B {}\n//- src/a/Use.java\npackage a;\n\nclass Use { One one; }\n",
        "src/b",
        &[
            ("src/a/One.java", "package a;\n\nimport b.One;\n\nclass Helper { One one; }\n"),
            ("src/a/Use.java", "package a;\n\nimport b.One;\n\nclass Use { One one; }\n"),
            ("src/b/One.java", "package b;\n\npublic class One {}\n"),
        ],
    );
}

#[test]
fn what_a_library_keeps_to_itself_is_not_seen_from_another_file() {
    refuses(
        "//- src/A.kt\n@file:Suppress(\"INVISIBLE_REFERENCE\")\n\n\
         import kotlin.internal.LowPriorityInOverloadResolution\n\nclass Stay\n\n\
         @LowPriorityInOverloadResolution\nfun g<caret>o() = 1\n\
         //- src/B.kt\nfun there() = 1\n",
        "src/B.kt",
        "`LowPriorityInOverloadResolution` is private",
    );
}

#[test]
fn another_name_of_the_same_class_is_as_good() {
    moves(
        "//- src/a/A.kt\npackage a\n\nclass Stay\n\nfun g<caret>o() = HashMap<String, Int>()\n\
         //- src/b/B.kt\npackage b\n\nimport java.util.*\n\nfun there() = HashMap<String, Int>()\n\
         //- src/java/util/HashMap.java\npackage java.util;\n\npublic class HashMap<K, V> {}\n",
        "src/b/B.kt",
        &[
            ("src/a/A.kt", "package a\n\nclass Stay\n"),
            (
                "src/b/B.kt",
                "package b\n\nimport java.util.*\n\nfun there() = HashMap<String, Int>()\n\n\
                 fun go() = HashMap<String, Int>()\n",
            ),
        ],
    );
}

#[test]
fn kotlin_functions_go_to_a_file_of_another_package() {
    moves(
        "//- src/a/A.kt\npackage a\n\nimport java.io.File\n\nclass Stay\n\nfun g<caret>o(x: File) = Stay()\n\nfun use() = go(File(\"\"))\n\
         //- src/b/B.kt\npackage b\n\nfun there() = 1\n\
         //- src/c/C.kt\npackage c\n\nimport a.go\n\nfun f() = go(java.io.File(\"\"))\n",
        "src/b/B.kt",
        &[
            (
                "src/a/A.kt",
                "package a\n\nimport b.go\nimport java.io.File\n\nclass Stay\n\nfun use() = go(File(\"\"))\n",
            ),
            (
                "src/b/B.kt",
                "package b\n\nimport a.Stay\nimport java.io.File\n\nfun there() = 1\n\nfun go(x: File) = Stay()\n",
            ),
            ("src/c/C.kt", "package c\n\nimport b.go\n\nfun f() = go(java.io.File(\"\"))\n"),
        ],
    );
}

#[test]
fn kotlin_companions_and_extensions_are_imported_where_they_are_used() {
    moves(
        "//- src/a/A.kt\npackage a\n\nimport x.twice\n\nclass Stay {\n    companion object {\n        val one = 1\n    }\n}\n\n\
         class G<caret>o {\n    fun go() = Stay.one.twice()\n\n    companion object {\n        val two = 2\n    }\n}\n\
         //- src/a/C.kt\npackage a\n\nfun f() = Go.two\n\
         //- src/b/B.kt\npackage b\n\nfun there() = 1\n\
         //- src/x/X.kt\npackage x\n\nfun Int.twice() = this * 2\n",
        "src/b/B.kt",
        &[
            (
                "src/a/A.kt",
                "package a\n\nclass Stay {\n    companion object {\n        val one = 1\n    }\n}\n",
            ),
            (
                "src/b/B.kt",
                "package b\n\nimport a.Stay\nimport x.twice\n\nfun there() = 1\n\n\
                 class Go {\n    fun go() = Stay.one.twice()\n\n    companion object {\n        val two = 2\n    }\n}\n",
            ),
            ("src/a/C.kt", "package a\n\nimport b.Go\n\nfun f() = Go.two\n"),
        ],
    );
}

#[test]
fn kotlin_declarations_that_their_grammar_misreads_go_whole_and_alone() {
    for declaration in [
        "class Go<caret> { companion object { fun f() = 1 } }",
        "// Why.\nclass Go<caret> { object B { val x = 1 } }",
        "@Suppress(\"unused\")\nfun <T> go<caret>() where T : Any = Unit",
        "/** What. */\n@Suppress(\"unused\")\npublic external object Go<caret> { }",
    ] {
        let below = "class Below { fun g() = 2 }\n";
        let source = format!("//- src/a/A.kt\npackage a\n\n{declaration}\n{below}");
        let gone = format!("package a\n\n{below}");
        let whole = format!("package a\n\n{}\n", declaration.replace("<caret>", ""));
        moves(&source, "src/a/B.kt", &[("src/a/A.kt", &gone), ("src/a/B.kt", &whole)]);
    }
    refuses(
        "//- src/a/A.kt\npackage a\n\nvar go<caret>: Int = 1; private set\n",
        "src/a/B.kt",
        "the beginning and end of `go` (line 3) are not known",
    );
}

#[test]
fn go_functions_go_to_another_package() {
    moves(
        "//- go.mod\nmodule m\n\
         //- a/a.go\npackage a\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\n// T goes.\ntype T<caret> struct{ X int }\n\n// Show too.\nfunc (t T) Show() { fmt.Println(t.X, Help()) }\n\nfunc Help() int { return os.Getpid() }\n\
         //- b/b.go\npackage b\n\nvar W = 1\n\
         //- c/c.go\npackage c\n\nimport \"m/a\"\n\nfunc F() { a.T{X: a.Help()}.Show() }\n",
        "b/b.go",
        &[
            ("a/a.go", "package a\n\nimport (\n\t\"os\"\n)\n\nfunc Help() int { return os.Getpid() }\n"),
            (
                "b/b.go",
                "package b\n\nimport \"fmt\"\nimport \"m/a\"\n\nvar W = 1\n\n// T goes.\ntype T struct{ X int }\n\n// Show too.\nfunc (t T) Show() { fmt.Println(t.X, a.Help()) }\n",
            ),
            (
                "c/c.go",
                "package c\n\nimport \"m/a\"\nimport \"m/b\"\n\nfunc F() { b.T{X: a.Help()}.Show() }\n",
            ),
        ],
    );
    moves(
        "//- go.mod\nmodule m\n//- a/a.go\npackage a\n\nimport \"os\"\n\nfunc G<caret>o() int { return os.Getpid() }\n\nvar X = Go()\n//- a/b.go\npackage a\n\nvar Y = 1\n",
        "a/b.go",
        &[
            ("a/a.go", "package a\n\nvar X = Go()\n"),
            ("a/b.go", "package a\n\nimport \"os\"\n\nvar Y = 1\n\nfunc Go() int { return os.Getpid() }\n"),
        ],
    );
    refuses(
        "//- go.mod\nmodule m\n//- a/a.go\npackage a\n\nfunc G<caret>o() { help() }\n\nfunc help() {}\n//- b/b.go\npackage b\n",
        "b/b.go",
        "visible in its own package",
    );
}

#[test]
fn php_declarations_go_to_another_namespace() {
    moves(
        "//- composer.json\n{\"autoload\": {\"psr-4\": {\"App\\\\\": \"src/\"}, \"files\": [\"src/A/functions.php\", \"src/B/functions.php\"]}}\n\
         //- src/A/functions.php\n<?php\n\nnamespace App\\A;\n\nuse Other\\Thing;\nuse Other\\More;\n\nfunction g<caret>o(Thing $x)\n{\n    return new Near();\n}\n\nfunction stay(More $m)\n{\n    return go($m);\n}\n\
         //- src/A/Near.php\n<?php\n\nnamespace App\\A;\n\nclass Near\n{\n}\n\
         //- src/B/functions.php\n<?php\n\nnamespace App\\B;\n\nfunction there()\n{\n}\n\
         //- index.php\n<?php\n\nuse function App\\A\\go;\n\ngo(1);\n",
        "src/B/functions.php",
        &[
            (
                "src/A/functions.php",
                "<?php\n\nnamespace App\\A;\n\nuse Other\\More;\nuse function App\\B\\go;\n\nfunction stay(More $m)\n{\n    return go($m);\n}\n",
            ),
            (
                "src/B/functions.php",
                "<?php\n\nnamespace App\\B;\n\nuse App\\A\\Near;\nuse Other\\Thing;\n\nfunction there()\n{\n}\n\nfunction go(Thing $x)\n{\n    return new Near();\n}\n",
            ),
            ("index.php", "<?php\n\nuse function App\\B\\go;\n\ngo(1);\n"),
        ],
    );
}

#[test]
fn static_members_go_to_another_type() {
    moves_to_type(
        "//- a/A.java\npackage a;\n\nimport java.util.List;\n\npublic class A {\n    public static int limit = 3;\n\n    /** Goes. */\n    public static int si<caret>ze(List<B> x) {\n        return x.size() + limit;\n    }\n\n    int use() { return size(null) + A.size(null); }\n}\n\
         //- a/B.java\npackage a;\n\npublic class B {}\n\
         //- b/Use.java\npackage b;\n\nimport static a.A.size;\n\nclass Use { int x = size(null); }\n\
         //- c/C.java\npackage c;\n\npublic class C {\n\tint y;\n}\n",
        Language::Java,
        "c.C",
        &[
            (
                "a/A.java",
                "package a;\n\nimport c.C;\n\npublic class A {\n    public static int limit = 3;\n\n    int use() { return C.size(null) + C.size(null); }\n}\n",
            ),
            ("b/Use.java", "package b;\n\nimport static c.C.size;\n\nclass Use { int x = size(null); }\n"),
            (
                "c/C.java",
                "package c;\n\nimport a.A;\nimport a.B;\nimport java.util.List;\n\npublic class C {\n\tint y;\n\n\t/** Goes. */\n\tpublic static int size(List<B> x) {\n\t    return x.size() + A.limit;\n\t}\n}\n",
            ),
        ],
    );
    moves_to_type(
        "//- composer.json\n{\"autoload\": {\"psr-4\": {\"App\\\\\": \"src/\"}}}\n\
         //- src/A.php\n<?php\n\nnamespace App;\n\nclass A\n{\n    public const LIMIT = 3;\n\n    public static function g<caret>o()\n    {\n        return self::LIMIT;\n    }\n\n    public function use()\n    {\n        return self::go() + static::go();\n    }\n}\n\
         //- src/B.php\n<?php\n\nnamespace App;\n\nclass B\n{\n}\n\
         //- index.php\n<?php\n\nuse App\\A;\n\necho A::go();\n",
        Language::Php,
        "App\\B",
        &[
            (
                "src/A.php",
                "<?php\n\nnamespace App;\n\nclass A\n{\n    public const LIMIT = 3;\n\n    public function use()\n    {\n        return B::go() + B::go();\n    }\n}\n",
            ),
            (
                "src/B.php",
                "<?php\n\nnamespace App;\n\nclass B\n{\n    public static function go()\n    {\n        return A::LIMIT;\n    }\n}\n",
            ),
            ("index.php", "<?php\n\nuse App\\A;\nuse App\\B;\n\necho B::go();\n"),
        ],
    );
    moves_to_type(
        "//- a.ts\nimport { helper } from './help';\nexport class A {\n  static g<caret>o() {\n    return helper();\n  }\n  use() {\n    return A.go();\n  }\n}\n//- help.ts\nexport const helper = () => 1;\n//- b.ts\nexport class B {\n  static x = 1;\n}\n",
        Language::TypeScript,
        "b#B",
        &[
            ("a.ts", "import { B } from './b';\nexport class A {\n  use() {\n    return B.go();\n  }\n}\n"),
            (
                "b.ts",
                "import { helper } from './help';\n\nexport class B {\n  static x = 1;\n\n  static go() {\n    return helper();\n  }\n}\n",
            ),
        ],
    );
    moves_to_type(
        "//- a.py\nclass A:\n    LIMIT = 3\n\n    @staticmethod\n    def g<caret>o(x):\n        return x\n\n\nclass B:\n    def use(self):\n        return A.go(1)\n",
        Language::Python,
        "a.B",
        &[(
            "a.py",
            "class A:\n    LIMIT = 3\n\n\nclass B:\n    def use(self):\n        return B.go(1)\n\n    @staticmethod\n    def go(x):\n        return x\n",
        )],
    );
    moves_to_type(
        "//- Cargo.toml\n[package]\nname = \"x\"\n//- src/lib.rs\npub struct A;\n\npub struct B;\n\nimpl A {\n    pub fn g<caret>o() -> u32 {\n        1\n    }\n\n    pub fn use_it() -> u32 {\n        Self::go() + A::go()\n    }\n}\n\nimpl B {\n    pub fn there() {}\n}\n",
        Language::Rust,
        "x::B",
        &[(
            "src/lib.rs",
            "pub struct A;\n\npub struct B;\n\nimpl A {\n    pub fn use_it() -> u32 {\n        B::go() + B::go()\n    }\n}\n\nimpl B {\n    pub fn there() {}\n\n    pub fn go() -> u32 {\n        1\n    }\n}\n",
        )],
    );
    moves_to_type(
        "//- a.kt\npackage p\n\nobject A {\n    const val LIMIT = 1\n\n    fun g<caret>o() = LIMIT\n\n    fun use() = go()\n}\n\nobject B {\n    fun there() = A.go()\n}\n",
        Language::Kotlin,
        "p.B",
        &[(
            "a.kt",
            "package p\n\nobject A {\n    const val LIMIT = 1\n\n    fun use() = B.go()\n}\n\nobject B {\n    fun there() = B.go()\n\n    fun go() = A.LIMIT\n}\n",
        )],
    );
}

#[track_caller]
fn refuses_type(source: &str, language: Language, class: &str, why: &str) {
    let outcome = moved_to_type(source, language, class);
    let all: Vec<&str> = outcome.refactored.conflicts.iter().map(|c| c.message.as_str()).collect();
    assert!(all.iter().any(|message| message.contains(why)), "{all:#?}\n{:#?}", outcome.changed);
}

#[test]
fn members_that_are_not_static_stay() {
    let java = |member: &str| {
        format!(
            "//- p/A.java\npackage p;\nclass A {{\n  int x;\n  {member}\n}}\n//- p/B.java\npackage p;\nclass B {{}}\n"
        )
    };
    refuses_type(&java("int g<caret>o() { return x; }"), Language::Java, "p.B", "not static");
    refuses_type(
        &java("private static int h;\n  static int g<caret>o() { return h; }"),
        Language::Java,
        "p.B",
        "not be visible",
    );
    refuses_type(
        "//- go.mod\nmodule m\n//- a.go\npackage m\n\ntype A struct{}\n\ntype B struct{}\n\nfunc (a A) G<caret>o() {}\n",
        Language::Go,
        "m.B",
        "no static members",
    );
}

#[test]
fn what_is_protected_is_not_used_from_another_type() {
    let outcome = moved_to_type(
        "//- a.php\n<?php\nclass A {\n  protected static $all<caret> = [];\n  function f() { return self::$all; }\n}\nclass B {\n}\n",
        Language::Php,
        "B",
    );
    let all: Vec<&str> = outcome.refactored.conflicts.iter().map(|c| c.message.as_str()).collect();
    assert!(all.iter().any(|message| message.contains("not be visible")), "{all:#?}\n{:#?}", outcome.changed);
}

#[test]
fn an_attribute_goes_with_the_import_below_it() {
    moves(
        "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\nmod a;\nmod b;\nmod c;\n//- src/a.rs\nuse crate::c::One;\n#[cfg(unix)]\nuse crate::c::Two;\n\npub fn go<caret>() -> Two {\n    Two\n}\n\npub fn stay() -> One {\n    One\n}\n//- src/b.rs\npub fn b() {}\n//- src/c.rs\npub struct One;\npub struct Two;\n",
        "src/b.rs",
        &[
            ("src/a.rs", "use crate::c::One;\n\npub fn stay() -> One {\n    One\n}\n"),
            ("src/b.rs", "use crate::c::Two;\n\npub fn b() {}\n\npub fn go() -> Two {\n    Two\n}\n"),
        ],
    );
}

#[test]
fn what_a_macro_names_or_a_condition_hides_does_not_move() {
    let source = "//- Cargo.toml\n[package]\nname = \"m\"\n[features]\nextra = []\n//- src/lib.rs\nmod a;\n#[cfg(feature = \"extra\")]\nmod b;\nmod c;\n//- src/a.rs\nmacro_rules! m { () => { named() }; }\npub fn named() {}\npub fn plain() {}\n//- src/b.rs\npub fn b() {}\n//- src/c.rs\npub fn c() {}\n";
    refuses(&source.replace("fn named", "fn <caret>named"), "src/c.rs", "a macro may use");
    refuses(&source.replace("fn plain", "fn <caret>plain"), "src/b.rs", "under a condition only");
}

#[test]
fn nothing_arrives_between_the_signatures_of_a_function() {
    moves(
        "//- a.ts\nexport function g<caret>o() {}\n//- b.ts\nexport const one = 1;\n\nfunction f(a: number): void;\nfunction f(a: string): void;\n/** See go. */\nfunction f(a: any) { void a; }\n",
        "b.ts",
        &[
            ("a.ts", ""),
            (
                "b.ts",
                "export const one = 1;\n\nexport function go() {}\n\nfunction f(a: number): void;\nfunction f(a: string): void;\n/** See go. */\nfunction f(a: any) { void a; }\n",
            ),
        ],
    );
}

#[test]
fn the_package_of_a_file_counts_not_that_of_its_directory() {
    let kotlin = "//- p/a.kt\npackage p\n\nfun stay() {}\n\nfun g<caret>o() {}\n//- p/b.kt\npackage other\n\nval b = 1\n//- p/c.kt\npackage p\n\nfun use() = go()\n";
    moves(
        kotlin,
        "p/b.kt",
        &[
            ("p/a.kt", "package p\n\nfun stay() {}\n"),
            ("p/b.kt", "package other\n\nval b = 1\n\nfun go() {}\n"),
            ("p/c.kt", "package p\n\nimport other.go\n\nfun use() = go()\n"),
        ],
    );
    let back = "//- p/a.kt\npackage p\n\nfun stay() {}\n//- p/b.kt\npackage other\n\nval b = 1\n\nfun g<caret>o() {}\n//- p/c.kt\npackage p\n\nimport other.go\n\nfun use() = go()\n";
    let outcome = moved(back, "p/a.kt");
    assert_eq!(outcome.refactored.conflicts, [], "{:#?}", outcome.changed);
    assert_eq!(outcome.changed["p/a.kt"], "package p\n\nfun stay() {}\n\nfun go() {}\n");
}

#[test]
fn who_extends_a_sealed_type_stays_in_its_package() {
    let kotlin =
        "//- p/a.kt\npackage p\n\nsealed class S\n\nclass A<caret> : S()\n//- q/b.kt\npackage q\n\nclass B\n";
    refuses(kotlin, "q/b.kt", "one of them is sealed");
    let java = "//- p/S.java\npackage p;\npublic sealed interface S<caret> permits A {}\n//- p/A.java\npackage p;\npublic final class A implements S {}\n//- q/B.java\npackage q;\nclass B {}\n";
    refuses(java, "q", "one of them is sealed");
}

#[test]
fn rust_declarations_go_where_their_users_may_follow() {
    let source = |module: &str| {
        format!(
            "//- Cargo.toml\n[package]\nname = \"c\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\nmod value;\npub use value::go;\n//- src/value/mod.rs\n{module} de;\npub fn g<caret>o() {{}}\n//- src/value/de.rs\npub fn other() {{}}\n"
        )
    };
    refuses(&source("mod"), "src/value/de.rs", "the module `de` is not visible here");
    let outcome = moved(&source("pub mod"), "src/value/de.rs");
    assert_eq!(outcome.refactored.conflicts, [], "{:#?}", outcome.changed);
    assert!(
        outcome.changed["src/lib.rs"].contains("pub use crate::value::de::go;"),
        "{:#?}",
        outcome.changed
    );
    let stars = "//- Cargo.toml\n[package]\nname = \"c\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\nmod a;\nmod b;\n//- src/a.rs\nuse super::b::*;\nuse std::fmt::*;\n\npub fn g<caret>o() { other(); let _: Result = Ok(()); }\n//- src/b.rs\npub fn other() {}\n";
    let outcome = moved(stars, "src/b.rs");
    assert_eq!(outcome.refactored.conflicts, [], "{:#?}", outcome.changed);
    assert!(
        !outcome.changed.get("src/b.rs").is_some_and(|text| text.contains("b::*")),
        "{:#?}",
        outcome.changed
    );
}

#[test]
fn a_module_is_named_as_its_package_names_modules() {
    // node: Cannot find module './core/cart', as only the full name of the file leads to it.
    moves(
        "//- package.json\n{\"type\": \"module\"}\n//- lib/cart.js\nexport class Ca<caret>rt {}\nexport const x = 1;\nexport { Cart as default };\n//- main.js\nimport Basket, { x } from \"./lib/cart.js\";\nnew Basket(x);\n",
        "lib/core/cart.js",
        &[
            (
                "lib/cart.js",
                "import { Cart } from './core/cart.js';\n\nexport const x = 1;\nexport { Cart as default };\n",
            ),
            ("lib/core/cart.js", "export class Cart {}\n"),
        ],
    );
}

#[test]
fn a_declaration_is_used_by_a_text_in_brackets() {
    moves(
        "//- lib/tax.js\nexport const rou<caret>nd = (n) => n;\nexport const x = 1;\n//- main.js\nimport * as T from './lib/tax.js';\nconsole.log(T[\"round\"](2), T.round(1), T.x);\n",
        "lib/round.js",
        &[
            ("lib/round.js", "export const round = (n) => n;\n"),
            ("lib/tax.js", "export const x = 1;\n"),
            (
                "main.js",
                "import { round } from './lib/round.js';\nimport * as T from './lib/tax.js';\nconsole.log(round(2), round(1), T.x);\n",
            ),
        ],
    );
}

#[test]
fn types_of_comments_beside_a_class_keep_it_there() {
    refuses(
        "//- a.js\n/** @typedef {import(\"./b.js\").Rate} Rate */\n/** @typedef {Object} Line\n * @property {string} label\n */\n\n/** A cart. */\nexport class Ca<caret>rt {\n  /** @type {Line[]} */\n  lines = [];\n  /** @param {Rate} rate */\n  at(rate) { return rate; }\n}\nexport const x = 1;\n//- b.js\n/** @typedef {{ pct: number }} Rate */\nexport const y = 2;\n//- main.js\nimport { Cart } from './a.js';\nnew Cart();\n",
        "c.js",
        "`Line` would not mean the same any more",
    );
}

#[test]
fn an_import_that_would_lead_back_to_its_file_is_refused() {
    refuses(
        "//- shop/__init__.py\nfrom .models import Status\n//- shop/models.py\nclass Sta<caret>tus: pass\n//- main.py\nfrom shop import Status\n\nprint(Status)\n",
        "main.py",
        "while it is read",
    );
    for (index, main) in [
        ("export * from './models';\n", "import { Status } from './shop';\nconsole.log(Status);\n"),
        ("export { Status } from './models';\n", "import { Status } from './shop';\nconsole.log(Status);\n"),
    ] {
        let source = format!(
            "//- shop/index.ts\n{index}//- shop/models.ts\nexport class Sta<caret>tus {{}}\n//- main.ts\n{main}"
        );
        // Answers, whichever.
        drop(moved(&source, "main.ts"));
    }
    drop(moved(
        "//- Cargo.toml\n[package]\nname = \"x\"\n//- src/lib.rs\nmod shop;\nmod main2;\n//- src/shop.rs\npub mod models;\npub use models::*;\npub use crate::main2::*;\n//- src/shop/models.rs\npub struct Sta<caret>tus;\n//- src/main2.rs\npub use crate::shop::*;\nfn f(_: Status) {}\n",
        "src/main2.rs",
    ));
}

#[test]
fn python_annotations_are_read_late_where_they_go_to() {
    let a = "//- a.py\nfrom __future__ import annotations\n\n\nclass <caret>P:\n    def m(self) -> P: return self\n\n\nX = 1\n";
    moves(
        a,
        "c.py",
        &[
            ("a.py", "from __future__ import annotations\n\n\nX = 1\n"),
            ("c.py", "from __future__ import annotations\n\n\nclass P:\n    def m(self) -> P: return self\n"),
        ],
    );
    refuses(&format!("{a}//- b.py\nY = 1\n"), "b.py", "needs `from __future__ import annotations`");
    let checked = "//- a.py\nfrom __future__ import annotations\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from q import Q\n\ndef <caret>f(q: Q): pass\n\n\nX = 1\n//- q.py\nclass Q: pass\n//- b.py\nY = 1\n";
    refuses(checked, "b.py", "the annotation `Q` needs");
}

#[test]
fn python_annotations_that_are_known_in_time_need_nothing() {
    moves(
        "//- a.py\nfrom __future__ import annotations\n\n\nclass <caret>P:\n    def m(self, x: int) -> str: return str(x)\n\n\nX = 1\n//- b.py\nY = 1\n",
        "b.py",
        &[
            ("a.py", "from __future__ import annotations\n\n\nX = 1\n"),
            ("b.py", "Y = 1\n\n\nclass P:\n    def m(self, x: int) -> str: return str(x)\n"),
        ],
    );
    moves(
        "//- a.py\nfrom __future__ import annotations\n\n\nclass <caret>P:\n    def m(self) -> P: return self\n\n\nX = 1\n//- b.py\nfrom __future__ import annotations\n\nY = 1\n",
        "b.py",
        &[
            ("a.py", "from __future__ import annotations\n\n\nX = 1\n"),
            (
                "b.py",
                "from __future__ import annotations\n\nY = 1\n\n\nclass P:\n    def m(self) -> P: return self\n",
            ),
        ],
    );
}

const SHOP: &str = "//- shop/__init__.py\nfrom .models import X\nfrom .services import run\n//- shop/models.py\nX = 1\n\n\nclass Po<caret>int: pass\n//- main.py\nimport shop\n";

#[test]
fn a_module_below_a_package_is_no_name_of_it() {
    let services = "//- shop/services.py\nfrom . import models\nfrom .models import Point\n\n\ndef run(): return Point, models\n";
    refuses(&format!("{SHOP}{services}"), "shop/__init__.py", "which imports it while it is read");
    moves(
        &format!("{SHOP}{services}//- shop/shapes.py\nY = 1\n"),
        "shop/shapes.py",
        &[
            ("shop/models.py", "X = 1\n"),
            ("shop/shapes.py", "Y = 1\n\n\nclass Point: pass\n"),
            (
                "shop/services.py",
                "from . import models\nfrom .shapes import Point\n\n\ndef run(): return Point, models\n",
            ),
        ],
    );
}
