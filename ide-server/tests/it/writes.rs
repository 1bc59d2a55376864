//! Tools that write, over the real index on a real disk.

use serde_json::json;

use crate::support::{Home, write};

#[test]
fn files_are_made_and_deleted_and_the_index_knows() {
    let home = Home::writing(&[("a.py", "x = 1\n")]);
    let made =
        home.ok("ide_create_file", json!({"file": "pkg/b.py", "content": "def fresh():\r\n    pass\n"}));
    assert_eq!(made["affectedFiles"], json!(["pkg/b.py"]));
    assert_eq!(home.read("pkg/b.py"), "def fresh():\r\n    pass\n");
    let find = || home.ok("ide_find_symbol", json!({"query": "fresh", "matchMode": "exact"}));
    assert_eq!(find()["symbols"][0]["file"], "pkg/b.py");
    let again = home.err("ide_create_file", json!({"file": "pkg/b.py", "content": ""}));
    assert_eq!(again["error"], "file_exists");
    let dry = home.ok("ide_delete_file", json!({"file": "pkg/b.py", "dryRun": true, "includeDiff": true}));
    assert!(dry["edits"][0]["diff"].as_str().unwrap().contains("-def fresh():"), "{dry}");
    assert_eq!(find()["totalCount"], 1);
    home.ok("ide_delete_file", json!({"file": "pkg/b.py"}));
    assert_eq!(find()["totalCount"], 0);
    let undone = home.ok("ide_undo", json!({}));
    assert_eq!(
        (&undone["message"], &undone["edits"][0]["change"]),
        (&json!("undone: delete pkg/b.py"), &json!("created"))
    );
    assert_eq!(find()["totalCount"], 1);
    let broken = home.ok("ide_create_file", json!({"file": "c.py", "content": "def ("}));
    assert!(broken["warnings"][0].as_str().unwrap().contains("syntax error"), "{broken}");
}

#[test]
fn text_is_replaced_byte_for_byte() {
    let text = "\u{feff}one = \"\\n $1\"\r\ntwo = 2\r\ntwo_more = 2\r\n";
    let home = Home::writing(&[("a.py", text)]);
    let twice =
        home.err("ide_replace_text_in_file", json!({"file": "a.py", "search": "= 2", "replace": "= 3"}));
    assert_eq!((&twice["error"], &twice["lines"]), (&json!("ambiguous_match"), &json!([2, 3])));
    let none = home.err("ide_replace_text_in_file", json!({"file": "a.py", "search": "three"}));
    assert_eq!(none["error"], "no_match");
    let args = json!({"edits": [
        {"file": "a.py", "search": "two = 2\ntwo_more", "replace": "$1\\n\nmore"},
        {"file": "a.py", "search": "o(n)e", "replace": "$1\\", "regex": true},
    ]});
    let done = home.ok("ide_replace_text_in_file", args);
    assert_eq!(done["places"], json!(["a.py:2", "a.py:1"]));
    assert_eq!(home.read("a.py"), "\u{feff}n\\ = \"\\n $1\"\r\n$1\\n\r\nmore = 2\r\n");
    let all = json!({"file": "a.py", "search": "^", "replace": "> ", "regex": true, "all": true});
    home.ok("ide_replace_text_in_file", all);
    home.ok("ide_undo", json!({}));
    home.ok("ide_undo", json!({}));
    assert_eq!(home.read("a.py"), text);
    let over = json!({"edits": [{"file": "a.py", "search": "one ="}, {"file": "a.py", "search": "= \""}]});
    let over = home.err("ide_replace_text_in_file", over);
    assert!(over["message"].as_str().unwrap().contains("overlap"), "{over}");
    assert_eq!(home.read("a.py"), text);
}

#[test]
fn history_refuses_what_was_changed_since() {
    let home = Home::writing(&[("a.txt", "1"), ("b.txt", "1")]);
    let step = home.ok(
        "ide_replace_text_in_file",
        json!({"edits": [
            {"file": "a.txt", "search": "1", "replace": "2"},
            {"file": "b.txt", "search": "1", "replace": "2"},
        ]}),
    );
    write(home.dir.path(), "b.txt", "by hand");
    let refused = home.err("ide_undo", json!({"editId": step["editId"]}));
    assert_eq!(
        (&refused["error"], &refused["files"][0]["file"]),
        (&json!("changed_meanwhile"), &json!("b.txt"))
    );
    write(home.dir.path(), "b.txt", "2");
    assert_eq!(home.err("ide_undo", json!({"editId": "99"}))["error"], "nothing_to_undo");
    home.ok("ide_undo", json!({"editId": step["editId"]}));
    assert_eq!((home.read("a.txt"), home.read("b.txt")), ("1".to_owned(), "1".to_owned()));
    home.ok("ide_redo", json!({}));
    assert_eq!((home.read("a.txt"), home.read("b.txt")), ("2".to_owned(), "2".to_owned()));
}

#[test]
fn symbols_are_renamed_and_found_again() {
    let greeter = "class Greeter:\n    def greet(self, name):\n        return hello(name)\n\n\ndef hello(name):\n    # hello is said here\n    return name\n";
    let main = "from greeter import Greeter, hello\nhello(Greeter().greet(\"x\"))\n";
    let home = Home::writing(&[("greeter.py", greeter), ("main.py", main)]);
    let dry = home.ok("ide_refactor_rename", json!({
        "file": "main.py", "line": 2, "column": 1, "newName": "salute", "dryRun": true, "includeDiff": true,
    }));
    assert_eq!((&dry["changesCount"], &dry["updatedSymbol"]["name"]), (&json!(4), &json!("hello")));
    assert_eq!(home.read("main.py"), main);
    let done = home.ok(
        "ide_refactor_rename",
        json!({
            "language": "Python", "symbol": "greeter.hello", "newName": "salute",
        }),
    );
    assert_eq!(done["affectedFiles"], json!(["greeter.py", "main.py"]));
    assert_eq!(done["updatedSymbol"]["qualifiedName"], "greeter.salute");
    assert!(done["warnings"][0].as_str().unwrap().contains("1 comments and strings"), "{done}");
    assert_eq!(home.read("main.py"), "from greeter import Greeter, salute\nsalute(Greeter().greet(\"x\"))\n");
    let text = home.ok(
        "ide_refactor_rename",
        json!({
            "symbolId": done["updatedSymbol"]["symbolId"], "newName": "hello", "includeText": true,
        }),
    );
    assert_eq!(text["success"], true);
    assert_eq!((home.read("greeter.py"), home.read("main.py")), (greeter.to_owned(), main.to_owned()));
    let clash = home.err(
        "ide_refactor_rename",
        json!({
            "file": "greeter.py", "line": 6, "column": 5, "newName": "Greeter",
        }),
    );
    assert_eq!((&clash["error"], &clash["code"]), (&json!("refactoring_conflict"), &json!(-32004)));
    assert_eq!(clash["conflicts"][0]["kind"], "collision");
    write(home.dir.path(), "other.py", "def use(x):\n    x.greet()\n");
    let greet = json!({"file": "greeter.py", "line": 2, "column": 9, "newName": "welcome"});
    let doubt = home.err("ide_refactor_rename", greet.clone());
    assert_eq!(doubt["conflicts"][0]["at"], "other.py:2:7");
    let mut forced = greet;
    forced["force"] = true.into();
    home.ok("ide_refactor_rename", forced);
    assert_eq!(home.read("main.py"), "from greeter import Greeter, hello\nhello(Greeter().welcome(\"x\"))\n");
    home.ok("ide_undo", json!({}));
    assert_eq!(home.read("greeter.py"), greeter);
}

#[test]
fn aliases_and_what_is_called_after_a_symbol_get_other_names() {
    let people = "class P:\n    def __init__(self, name):\n        self._name = name\n\n    def get_name(self):\n        return self._name\n";
    let main = "import numpy as np\nfrom people import P as Q\nQ(np.x).get_name()\n";
    let home = Home::writing(&[("people.py", people), ("main.py", main)]);
    let rename = |file: &str, line: u32, column: u32, name: &str| json!({"file": file, "line": line, "column": column, "newName": name});
    home.ok("ide_refactor_rename", rename("main.py", 3, 3, "num"));
    let done = home.ok("ide_refactor_rename", rename("main.py", 2, 25, "Person"));
    assert_eq!(done["affectedFiles"], json!(["main.py"]));
    assert_eq!(
        home.read("main.py"),
        "import numpy as num\nfrom people import P as Person\nPerson(num.x).get_name()\n"
    );
    let field = |strategy: &str| {
        let mut arguments = rename("people.py", 3, 14, "_title");
        arguments["relatedRenamingStrategy"] = strategy.into();
        arguments
    };
    let asked = home.err("ide_refactor_rename", field("ask"));
    assert_eq!(asked["supportedValues"], json!(["all", "none", "accessors_and_tests"]));
    home.ok("ide_refactor_rename", field("none"));
    assert!(home.read("people.py").contains("get_name(self)"));
    home.ok("ide_undo", json!({}));
    let both = home.ok("ide_refactor_rename", field("accessors_and_tests"));
    assert!(both["warnings"][0].as_str().unwrap().contains("`get_name` is renamed to `get_title`"), "{both}");
    assert!(
        home.read("main.py").ends_with(".get_title()\n") && home.read("people.py").contains("(self, name)")
    );
    home.ok("ide_undo", json!({}));
    home.ok("ide_refactor_rename", field("all"));
    assert!(home.read("people.py").contains("(self, title):\n        self._title = title\n"));
}

#[test]
fn unused_code_is_deleted_and_used_code_is_not() {
    let home = Home::writing(&[
        ("m.py", "def used():\n    return 1\n\n\ndef alone():\n    return 2\n"),
        ("main.py", "from m import used\nused()\n"),
        ("orphan.py", "x = 1\n"),
    ]);
    let at = |line: u32, column: u32| json!({"file": "m.py", "line": line, "column": column});
    let blocked = home.ok("ide_refactor_safe_delete", at(1, 5));
    assert_eq!((&blocked["canDelete"], &blocked["usageCount"]), (&json!(false), &json!(2)));
    assert_eq!(blocked["blockingUsages"][1]["context"], "used()");
    let blank = home.err("ide_refactor_safe_delete", at(3, 1));
    assert_eq!(blank["error"], "symbol_not_found");
    let done = home.ok("ide_refactor_safe_delete", at(5, 5));
    assert_eq!((&done["success"], &done["elementName"]), (&json!(true), &json!("alone")));
    assert_eq!(home.read("m.py"), "def used():\n    return 1\n\n\n");
    let file = home.ok("ide_refactor_safe_delete", json!({"file": "m.py", "targetType": "file"}));
    assert_eq!(file["canDelete"], false);
    home.ok("ide_refactor_safe_delete", json!({"file": "orphan.py", "targetType": "file"}));
    assert!(!home.dir.path().join("orphan.py").exists());
    home.ok("ide_undo", json!({}));
    home.ok("ide_undo", json!({}));
    assert!(home.read("m.py").contains("alone") && home.dir.path().join("orphan.py").exists());
}

#[test]
fn files_move_and_importers_follow() {
    let home = Home::writing(&[
        ("src/a.ts", "import { c } from './c';\nexport const a = c;\n"),
        ("src/c.ts", "export const c = 1;\n"),
        ("main.ts", "import { a } from './src/a';\nconsole.log(a);\n"),
        ("notes.txt", "see a\n"),
    ]);
    let moved = home.ok("ide_move_file", json!({"file": "src/a.ts", "destination": "lib/deep"}));
    assert_eq!(moved["referencesUpdated"], true);
    assert_eq!(home.read("lib/deep/a.ts"), "import { c } from '../../src/c';\nexport const a = c;\n");
    assert_eq!(home.read("main.ts"), "import { a } from './lib/deep/a';\nconsole.log(a);\n");
    let plain = home.ok("ide_move_file", json!({"file": "notes.txt", "destination": "docs"}));
    assert_eq!(plain["referencesUpdated"], false);
    let taken = home.err("ide_move_file", json!({"file": "main.ts", "destination": "lib/deep/a.ts"}));
    assert_eq!(taken["error"], "file_exists");
    home.ok("ide_undo", json!({}));
    home.ok("ide_undo", json!({}));
    assert_eq!(home.read("main.ts"), "import { a } from './src/a';\nconsole.log(a);\n");
    assert!(!home.dir.path().join("lib").exists());
}

#[test]
fn directories_move_with_all_that_is_in_them() {
    let home = Home::writing(&[
        ("web/old/a.ts", "import './a.css';\nimport { b } from './deep/b';\nexport const a = b;\n"),
        ("web/old/a.css", ".a { color: red }\n"),
        ("web/old/deep/b.ts", "export const b = 1;\n"),
        ("web/old/.gitignore", "*.log\n"),
        ("web/old/x.log", "ignored\n"),
        ("main.ts", "import { a } from './web/old/a';\nconsole.log(a);\n"),
        ("lib/c.ts", "export {};\n"),
        ("py/m.py", "x = 1\n"),
        ("build.sh", "cp web/old/logo.png out\ncp web/older out\n"),
    ]);
    std::fs::write(home.dir.path().join("web/old/logo.png"), b"\x89PNG\0\xff").unwrap();
    let dry = json!({"file": "web/old", "destination": "lib/fresh", "dryRun": true});
    assert_eq!(home.ok("ide_move_file", dry)["affectedFiles"].as_array().unwrap().len(), 13);
    let moved = home.ok("ide_move_file", json!({"file": "web/old/", "destination": "lib/fresh"}));
    assert_eq!(moved["referencesUpdated"], true, "{moved}");
    assert_eq!(moved["warnings"], json!(["`web/old` is also written in build.sh:1: not changed"]));
    assert_eq!(home.read("main.ts"), "import { a } from './lib/fresh/a';\nconsole.log(a);\n");
    assert_eq!(home.read("lib/fresh/x.log"), "ignored\n");
    assert!(home.dir.path().join("lib/fresh/logo.png").exists());
    assert!(!home.dir.path().join("web/old").exists());
    // A directory that exists is one to move into.
    home.ok("ide_move_file", json!({"file": "lib/fresh/deep", "destination": "py"}));
    assert_eq!(home.read("py/deep/b.ts"), "export const b = 1;\n");
    let other = home.err("ide_move_file", json!({"file": "py/m.py", "destination": "lib/m.ts"}));
    assert_eq!(other["error"], "refactoring_conflict", "{other}");
    let itself = home.err("ide_move_file", json!({"file": "lib", "destination": "lib/inner"}));
    assert_eq!(itself["error"], "refactoring_conflict", "{itself}");
    home.ok("ide_undo", json!({}));
    home.ok("ide_undo", json!({}));
    assert_eq!(home.read("main.ts"), "import { a } from './web/old/a';\nconsole.log(a);\n");
    assert_eq!(home.read("web/old/deep/b.ts"), "export const b = 1;\n");
    assert!(!home.dir.path().join("lib/fresh").exists() && !home.dir.path().join("py/deep").exists());
}

#[test]
fn imports_are_tidied_byte_for_byte() {
    let text = "\u{feff}import os, sys\r\nimport re\r\n\r\nsys.exit()\r\n";
    let home = Home::writing(&[("a.py", text)]);
    let dry = home.ok("ide_optimize_imports", json!({"file": "a.py", "dryRun": true, "includeDiff": true}));
    assert!(dry["edits"][0]["diff"].as_str().unwrap().contains("-import re"), "{dry}");
    assert_eq!(home.read("a.py"), text);
    let done = home.ok("ide_optimize_imports", json!({"file": "a.py"}));
    assert_eq!((&done["changed"], &done["affectedFiles"]), (&json!(true), &json!(["a.py"])));
    assert_eq!(home.read("a.py"), "\u{feff}import sys\r\n\r\nsys.exit()\r\n");
    let again = home.ok("ide_optimize_imports", json!({"file": "a.py"}));
    assert_eq!((&again["changed"], &again["changesCount"]), (&json!(false), &json!(0)));
    home.ok("ide_undo", json!({}));
    assert_eq!(home.read("a.py"), text);
    write(home.dir.path(), "b.py", "import os\ndef f(:\n");
    let broken = home.err("ide_optimize_imports", json!({"file": "b.py"}));
    assert_eq!(
        (&broken["error"], &broken["conflicts"][0]["kind"]),
        (&json!("refactoring_conflict"), &json!("syntax"))
    );
}

#[test]
fn files_are_renamed_with_what_must_be_called_alike() {
    let home = Home::writing(&[
        ("p/One.java", "package p;\n\npublic class One {}\n"),
        ("p/Use.java", "package p;\n\nclass Use { One one; }\n"),
        ("a.py", "x = 1\n"),
        ("b.py", "from a import x\n"),
    ]);
    let done = home.ok("ide_refactor_rename", json!({"file": "p/One.java", "newName": "Two"}));
    assert_eq!(done["affectedFiles"], json!(["p/One.java", "p/Two.java", "p/Use.java"]));
    assert_eq!(home.read("p/Two.java"), "package p;\n\npublic class Two {}\n");
    assert_eq!(home.read("p/Use.java"), "package p;\n\nclass Use { Two one; }\n");
    home.ok("ide_refactor_rename", json!({"file": "a.py", "newName": "c", "targetType": "file"}));
    assert_eq!(home.read("b.py"), "from c import x\n");
    assert_eq!(
        home.err("ide_refactor_rename", json!({"file": "c.py", "newName": "c.py"}))["error"],
        "invalid_argument"
    );
    assert_eq!(
        home.err("ide_refactor_rename", json!({"file": "c.py", "line": 1, "newName": "d"}))["error"],
        "invalid_argument"
    );
    home.ok("ide_undo", json!({}));
    assert_eq!(
        (home.read("a.py"), home.read("b.py")),
        ("x = 1\n".to_owned(), "from a import x\n".to_owned())
    );
}

#[test]
fn moved_files_take_their_package_along_and_back() {
    let one = "package a;\r\n\r\npublic class One { Two two; }\r\n";
    let user = "package c;\n\nimport a.One;\n\nclass Use { One one; }\n";
    let home = Home::writing(&[
        ("src/a/One.java", one),
        ("src/a/Two.java", "package a;\n\npublic class Two {}\n"),
        ("src/c/Use.java", user),
    ]);
    let done = home.ok("ide_move_file", json!({"file": "src/a/One.java", "destination": "src/b/d"}));
    assert_eq!(done["referencesUpdated"], true);
    let moved = home.read("src/b/d/One.java");
    assert_eq!(moved, "package b.d;\r\n\r\nimport a.Two;\r\n\r\npublic class One { Two two; }\r\n");
    assert_eq!(home.read("src/c/Use.java"), "package c;\n\nimport b.d.One;\n\nclass Use { One one; }\n");
    home.ok("ide_undo", json!({}));
    assert_eq!((home.read("src/a/One.java"), home.read("src/c/Use.java")), (one.to_owned(), user.to_owned()));
}

#[test]
fn modules_of_rust_move_with_those_below_them_and_back() {
    let (lib, a, foo) = ("mod a;\nmod b;\n", "pub mod foo;\n", "mod x;\npub fn f() { x::g() }\n");
    let home = Home::writing(&[
        ("Cargo.toml", "[package]\nname = \"p\"\nedition = \"2021\"\n"),
        ("src/lib.rs", lib),
        ("src/a.rs", a),
        ("src/a/foo.rs", foo),
        ("src/a/foo/x.rs", "pub fn g() { super::super::super::b::h() }\n"),
        ("src/b.rs", "use crate::a::foo::f;\npub fn h() { f() }\n"),
    ]);
    let dry =
        home.ok("ide_move_file", json!({"file": "src/a/foo.rs", "destination": "src/b", "dryRun": true}));
    assert_eq!((&dry["referencesUpdated"], home.read("src/a.rs").as_str()), (&json!(true), a));
    home.ok("ide_move_file", json!({"file": "src/a/foo.rs", "destination": "src/b"}));
    assert_eq!((home.read("src/b/foo.rs").as_str(), home.read("src/a.rs").as_str()), (foo, ""));
    assert_eq!(home.read("src/b/foo/x.rs"), "pub fn g() { super::super::super::b::h() }\n");
    assert_eq!(home.read("src/b.rs"), "pub mod foo;\n\nuse crate::b::foo::f;\npub fn h() { f() }\n");
    assert!(!home.dir.path().join("src/a/foo/x.rs").exists());
    let back = home.err("ide_move_file", json!({"file": "src/b/foo.rs", "destination": "src/c"}));
    assert!(back["conflicts"][0]["message"].as_str().unwrap().contains("create src/c.rs"), "{back}");
    home.ok("ide_undo", json!({}));
    assert_eq!((home.read("src/a/foo.rs").as_str(), home.read("src/a.rs").as_str()), (foo, a));
}

#[test]
fn code_is_found_and_rewritten_by_its_shape() {
    let a = "import log\n\n\ndef f(x):\n    log.warn(x, 1)\n    log.warn(\n        # why\n        log.warn(2),\n        y,\n    )\n";
    let home = Home::writing(&[("a.py", a), ("lib/b.py", "log.warn('b', 3)\n"), ("c.js", "log.warn(1);\n")]);
    let tool = "ide_structural_search_replace";
    let found = home.ok(tool, json!({"language": "Python", "pattern": "log.warn($A, $B)"}));
    let lines: Vec<String> =
        found["matches"].as_array().unwrap().iter().map(|m| format!("{}:{}", m["file"], m["line"])).collect();
    assert_eq!(lines, ["\"a.py\":5", "\"a.py\":6", "\"lib/b.py\":1"]);
    assert_eq!(found["matches"][0]["captures"], json!({"A": "x", "B": "1"}));
    assert_eq!(found["filesSearched"], 2);
    let first = home.ok(tool, json!({"language": "Python", "pattern": "log.warn($$$)", "pageSize": 1}));
    assert_eq!((&first["hasMore"], &first["totalCount"]), (&json!(true), &json!(4)));
    let next = home.ok(tool, json!({"cursor": first["nextCursor"]}));
    assert_eq!(next["matches"][0]["line"], 6);

    let change = json!({"language": "Python", "pattern": "log.warn($A, $B)", "rewrite": "log.error($B, $A)", "paths": ["lib"]});
    let done = home.ok(tool, change);
    assert_eq!(
        (done["affectedFiles"].clone(), home.read("lib/b.py")),
        (json!(["lib/b.py"]), "log.error(3, 'b')\n".to_owned())
    );
    let mut args = json!({"language": "Python", "pattern": "log.warn($$$A)", "rewrite": "log.error($$$A)", "dryRun": true});
    let dry = home.ok(tool, args.clone());
    assert_eq!((&dry["dryRun"], home.read("a.py")), (&json!(true), a.to_owned()));
    args["dryRun"] = false.into();
    let done = home.ok(tool, args.clone());
    assert!(done["warnings"][0].as_str().unwrap().contains("others that were rewritten: 1 match;"), "{done}");
    home.ok(tool, args.clone());
    assert_eq!(home.read("a.py"), a.replace("log.warn", "log.error"));
    assert_eq!(home.err(tool, args)["error"], "no_match");
    (0..3).for_each(|_| drop(home.ok("ide_undo", json!({}))));
    assert_eq!(home.read("a.py"), a);

    let broken = home
        .err(tool, json!({"language": "Python", "pattern": "log.warn($A, $B)", "rewrite": "log.warn($A"}));
    assert!(broken["message"].as_str().unwrap().contains("could not be read any more, at a.py:"), "{broken}");
    let no_code = home.err(tool, json!({"language": "Python", "pattern": "def ("}));
    assert!(no_code["message"].as_str().unwrap().contains("not Python code"), "{no_code}");
    let no_hole = home.err(tool, json!({"language": "Python", "pattern": "f($A)", "rewrite": "$B"}));
    assert!(no_hole["message"].as_str().unwrap().contains("$B"), "{no_hole}");
    let no_grammar = home.err(tool, json!({"language": "TOML", "pattern": "a"}));
    assert_eq!(no_grammar["error"], "unsupported_language");
    assert_eq!(home.read("a.py"), a);
}

#[test]
fn declarations_move_with_their_uses_and_back() {
    let a = "\u{feff}import os\r\n\r\n\r\ndef go(\r\n    x,\r\n):\r\n    \"\"\"A \u{1f600}.\"\"\"\r\n    return os.path.join(x)\r\n\r\n\r\ndef stay():\r\n    return go(1)";
    let user = "from a import go, stay\ngo(stay())\n";
    let home = Home::writing(&[("a.py", a), ("b.py", "z = 1\n"), ("use.py", user)]);
    let args = json!({"file": "a.py", "line": 4, "column": 5, "targetFile": "b.py"});
    let mut dry = args.clone();
    (dry["dryRun"], dry["includeDiff"]) = (true.into(), true.into());
    let told = home.ok("ide_refactor_move", dry);
    assert!(told["edits"][1]["diff"].as_str().unwrap().contains("+def go("), "{told}");
    assert_eq!((home.read("b.py"), &told["newLocation"]), ("z = 1\n".to_owned(), &json!(null)));
    let done = home.ok("ide_refactor_move", args);
    assert_eq!(
        (&done["newLocation"], &done["affectedFiles"]),
        (&json!("b.py:6"), &json!(["a.py", "b.py", "use.py"]))
    );
    assert_eq!(home.read("a.py"), "\u{feff}from b import go\r\n\r\n\r\ndef stay():\r\n    return go(1)");
    assert_eq!(
        home.read("b.py"),
        "import os\n\nz = 1\n\n\ndef go(\n    x,\n):\n    \"\"\"A \u{1f600}.\"\"\"\n    return os.path.join(x)\n"
    );
    assert_eq!(home.read("use.py"), "from a import stay\nfrom b import go\ngo(stay())\n");
    let id = done["movedSymbol"]["symbolId"].clone();
    home.ok("ide_refactor_move", json!({"symbolId": id, "targetDirectory": "deep/down"}));
    assert!(home.read("deep/down/b.py").contains("def go("));
    assert!(home.read("use.py").contains("from deep.down.b import go"));
    (0..2).for_each(|_| drop(home.ok("ide_undo", json!({}))));
    assert_eq!((home.read("a.py"), home.read("use.py")), (a.to_owned(), user.to_owned()));
    for file in ["b.py", "new/c.py"] {
        let whole = json!({"file": "a.py", "line": 4, "column": 5, "destination": file, "dryRun": true});
        let told = home.ok("ide_refactor_move", whole);
        assert_eq!(told["affectedFiles"], json!(["a.py", file, "use.py"]));
    }
    let nowhere = home.err("ide_refactor_move", json!({"file": "a.py", "line": 4, "column": 5}));
    assert_eq!(nowhere["error"], "invalid_argument");
    let taken = json!({"file": "a.py", "line": 4, "column": 5, "targetFile": "use.py"});
    assert_eq!(home.err("ide_refactor_move", taken)["error"], "refactoring_conflict");
}

#[test]
fn production_code_does_not_move_to_where_it_is_not_seen() {
    let home = Home::writing(&[
        ("pom.xml", "<project><artifactId>a</artifactId></project>"),
        ("src/main/java/p/A.java", "package p;\n\nclass A {\n    B b;\n}\n"),
        ("src/main/java/p/B.java", "package p;\n\npublic class B {\n}\n"),
        ("src/main/java/p/Free.java", "package p;\n\nclass Free {\n}\n"),
        ("src/test/java/p/T.java", "package p;\n\nclass T {\n    A a;\n    Free f;\n}\n"),
    ]);
    let file =
        |name: &str| json!({"file": format!("src/main/java/p/{name}"), "destination": "src/test/java/p"});
    let class = json!({"language": "Java", "symbol": "p.B", "targetDirectory": "src/test/java/p/deep"});
    for error in [home.err("ide_move_file", file("B.java")), home.err("ide_refactor_move", class)] {
        assert!(error["message"].as_str().unwrap().contains("the build does not let"), "{error}");
    }
    home.ok("ide_move_file", file("Free.java"));
}

/// Neither of the two names is the project's, so the answer names no file of the toolchain as if it could be moved.
#[test]
fn modules_of_libraries_are_not_renamed() {
    let home = Home::writing(&[
        ("Cargo.toml", "[package]\nname = \"app\"\nedition = \"2021\"\n"),
        ("src/lib.rs", "use std::collections::hash_map;\npub fn f(_: hash_map::HashMap<u8, u8>) {}\n"),
    ]);
    for column in [10, 23] {
        let args = json!({"file": "src/lib.rs", "line": 1, "column": column, "newName": "other"});
        let refused = home.err("ide_refactor_rename", args);
        assert_eq!(refused["conflicts"][0]["kind"], "outside_project", "{refused}");
    }
}
