//! Problems of code, and what changes do to them, over the real index on a real disk.

use serde_json::{Value, json};

use crate::support::{Home, write};

fn messages(list: &Value) -> Vec<String> {
    let row =
        |p: &Value| format!("{}:{} {}", p["file"].as_str().unwrap(), p["line"], p["code"].as_str().unwrap());
    list.as_array().expect("a list of problems").iter().map(row).collect()
}

#[test]
fn a_dry_run_says_which_problems_come_go_and_stay() {
    let home = Home::writing(&[
        ("lib.py", "def old():\n    pass\n"),
        ("use.py", "from lib import old\nfrom lib import other\nold()\nother()\n"),
    ]);
    let edit = json!({"file": "lib.py", "search": "def old", "replace": "def other", "dryRun": true});
    let dry = home.ok("ide_replace_text_in_file", edit);
    assert_eq!(messages(&dry["newProblems"]), ["use.py:1 unresolved-import"], "{dry}");
    assert_eq!(messages(&dry["goneProblems"]), ["use.py:2 unresolved-import"], "{dry}");
    assert_eq!(dry["unchangedProblems"], 0, "{dry}");
    assert_eq!(dry["problemsChecked"], "1 changed file, 1 file that may use what changed");
    assert_eq!(home.read("lib.py"), "def old():\n    pass\n");
}

#[test]
fn a_change_says_what_it_introduced_and_undo_what_it_takes_back() {
    let home =
        Home::writing(&[("lib.py", "def old():\n    pass\n"), ("use.py", "from lib import old\nold()\n")]);
    let done =
        home.ok("ide_replace_text_in_file", json!({"file": "lib.py", "search": "old", "replace": "new"}));
    assert_eq!(messages(&done["newProblems"]), ["use.py:1 unresolved-import"], "{done}");
    assert!(done.get("goneProblems").is_none(), "{done}");
    let dry = home.ok("ide_undo", json!({"dryRun": true}));
    assert_eq!(messages(&dry["goneProblems"]), ["use.py:1 unresolved-import"], "{dry}");
    assert_eq!(dry["newProblems"], json!([]), "{dry}");
    let undone = home.ok("ide_undo", json!({}));
    assert_eq!(undone["newProblems"], json!([]), "{undone}");
    let redone = home.ok("ide_redo", json!({}));
    assert_eq!(messages(&redone["newProblems"]), ["use.py:1 unresolved-import"], "{redone}");
}

#[test]
fn a_problem_that_moves_with_its_text_is_neither_new_nor_gone() {
    let home = Home::writing(&[("a.py", "from lib import gone\n"), ("lib.py", "x = 1\n")]);
    let edit = json!({"file": "a.py", "search": "from", "replace": "y = 1\n\nfrom", "dryRun": true});
    let dry = home.ok("ide_replace_text_in_file", edit);
    assert_eq!((&dry["newProblems"], &dry["goneProblems"]), (&json!([]), &json!([])), "{dry}");
    assert_eq!(dry["unchangedProblems"], 1, "{dry}");
}

#[test]
fn a_plan_of_several_changes_is_looked_at_as_one() {
    let home = Home::writing(&[("use.py", "x = 1\n"), ("rest.py", "from use import x\n")]);
    let alone = json!({"edits": [{"file": "use.py", "search": "x = 1", "replace": "from fresh import x"}]});
    let plan = home.ok("ide_preview_edits", alone.clone());
    assert_eq!(plan["dryRun"], true);
    let mut both = alone;
    both["create"] = json!([{"file": "fresh.py", "content": "y = 1\n"}]);
    let plan = home.ok("ide_preview_edits", both.clone());
    assert!(messages(&plan["newProblems"]).contains(&"use.py:1 unresolved-import".to_owned()), "{plan}");
    both["create"][0]["content"] = "x = 1\n".into();
    let plan = home.ok("ide_preview_edits", both.clone());
    assert_eq!(plan["newProblems"], json!([]), "{plan}");
    both["delete"] = json!(["rest.py"]);
    assert_eq!(home.ok("ide_preview_edits", both)["affectedFiles"], json!(["fresh.py", "rest.py", "use.py"]));
    write(home.dir.path(), "use.py", "x = 1\n");
    assert_eq!(home.err("ide_preview_edits", json!({}))["error"], "invalid_argument");
    assert_eq!(home.read("use.py"), "x = 1\n");
}

/// Applies the first fix at a place and returns its name.
fn fixed(home: &Home, file: &str, line: usize, column: usize) -> String {
    let at = json!({"file": file, "line": line, "column": column});
    let listed = home.ok("ide_list_quick_fixes", at.clone());
    let first = listed["fixes"].get(0).unwrap_or_else(|| panic!("no fix: {listed}")).clone();
    let mut args = at;
    args["fixId"] = first["id"].clone();
    let done = home.ok("ide_apply_quick_fix", args.clone());
    assert_eq!(done["newProblems"], json!([]), "{done}");
    let again = home.err("ide_apply_quick_fix", args);
    assert_eq!(again["error"], "fix_expired");
    first["name"].as_str().unwrap().to_owned()
}

#[test]
fn a_member_that_is_spelled_wrong_becomes_the_one_that_is_there() {
    let home = Home::writing(&[
        ("go.mod", "module example.com/app\n"),
        ("lib/lib.go", "package lib\n\nfunc Give(one string) {}\n"),
        (
            "main.go",
            "package main\n\nimport \"example.com/app/lib\"\n\nfunc main() {\n\tlib.Gvie(\"a\")\n}\n",
        ),
    ]);
    let found = home.ok("ide_diagnostics", json!({"file": "main.go", "line": 6, "column": 6}));
    assert_eq!(messages(&found["problems"]), ["main.go:6 unresolved-member"], "{found}");
    assert_eq!(found["intentions"][0]["name"], "Change to `Give`", "{found}");
    assert_eq!(fixed(&home, "main.go", 6, 6), "Change to `Give`");
    assert!(home.read("main.go").contains("lib.Give(\"a\")"));
    assert_eq!(home.ok("ide_diagnostics", json!({"file": "main.go"}))["problems"], json!([]));
}

#[test]
fn missing_imports_are_added_and_unused_ones_go() {
    let home = Home::writing(&[
        ("app/Helper.java", "package app;\npublic class Helper {}\n"),
        ("web/Use.java", "package web;\n\nimport java.util.List;\n\nclass Use {\n    Helper helper;\n}\n"),
        ("lib.py", "def give():\n    pass\n"),
        ("use.py", "give()\n"),
    ]);
    assert_eq!(fixed(&home, "web/Use.java", 6, 6), "Add `import app.Helper;`");
    assert!(home.read("web/Use.java").contains("import app.Helper;\n"));
    assert_eq!(fixed(&home, "web/Use.java", 4, 20), "Remove the unused import `List`");
    assert!(!home.read("web/Use.java").contains("java.util"), "{}", home.read("web/Use.java"));
    assert_eq!(fixed(&home, "use.py", 1, 2), "Add `from lib import give`");
    assert_eq!(home.ok("ide_diagnostics", json!({"file": "use.py"}))["problems"], json!([]));
}

#[test]
fn values_that_do_not_change_are_let_change() {
    let cases = [
        ("a.ts", "const one = 1;\none = 2;\nexport {};\n", 2, 1, "Let the value change", "let one = 1;"),
        (
            "src/lib.rs",
            "fn f() {\n    let one = 1;\n    one = 2;\n}\n",
            3,
            5,
            "Let the value change",
            "let mut one",
        ),
        ("A.kt", "fun f() {\n    val one = 1\n    one = 2\n}\n", 3, 5, "Let the value change", "var one = 1"),
        (
            "A.java",
            "class A {\n    void f() {\n        final int one = 1;\n        one = 2;\n    }\n}\n",
            4,
            9,
            "Let the value change",
            "        int one = 1;",
        ),
        (
            "a.go",
            "package a\n\nfunc f() int {\n\tone := 1\n\tone := 2\n\treturn one\n}\n",
            5,
            2,
            "Assign instead of declaring",
            "\tone = 2\n",
        ),
        (
            "B.kt",
            "open class B {\n    open fun f() {}\n}\nclass C : B() {\n    fun f() {}\n}\n",
            5,
            9,
            "Add `override`",
            "    override fun f() {}\n}\n",
        ),
        ("use.py", "def give(one):\n    pass\ngive(oen=1)\n", 3, 6, "Change to `one`", "give(one=1)"),
    ];
    for (file, text, line, column, name, wanted) in cases {
        let home = Home::writing(&[("Cargo.toml", "[package]\nname = \"k\"\n"), (file, text)]);
        assert_eq!(fixed(&home, file, line, column), name, "{file}");
        assert!(home.read(file).contains(wanted), "{file}: {}", home.read(file));
    }
}

#[test]
fn missing_members_are_implemented() {
    let cases = [
        ("A.java", "interface I { int size(); }\nclass A implements I {\n}\n", 2, 7, "public int size()"),
        ("a.kt", "interface I { fun size(): Int }\nclass A : I {\n}\n", 2, 7, "override fun size(): Int"),
        (
            "a.ts",
            "export interface I { size(): number }\nexport class A implements I {\n}\n",
            2,
            14,
            "size(): number",
        ),
        (
            "a.php",
            "<?php\ninterface I { public function size(): int; }\nclass A implements I\n{\n}\n",
            3,
            7,
            "function size(): int",
        ),
        (
            "src/lib.rs",
            "trait I { fn size(&self) -> u32; }\nstruct A;\nimpl I for A {\n}\n",
            3,
            6,
            "fn size(&self) -> u32 {",
        ),
    ];
    for (file, text, line, column, wanted) in cases {
        let home = Home::writing(&[(file, text), ("Cargo.toml", "[package]\nname = \"a\"\n")]);
        assert_eq!(fixed(&home, file, line, column), "Implement 1 missing member", "{file}");
        assert!(home.read(file).contains(wanted), "{}", home.read(file));
        assert_eq!(home.ok("ide_diagnostics", json!({"file": file}))["problems"], json!([]), "{file}");
    }
}

#[test]
fn a_report_of_the_project_counts_every_file() {
    let home = Home::writing(&[("lib.py", "def give():\n    pass\n"), ("use.py", "from lib import gone\n")]);
    let report = home.ok("ide_project_diagnostics", json!({}));
    assert_eq!((&report["complete"], &report["filesAnalyzed"]), (&json!(true), &json!(2)), "{report}");
    assert_eq!(messages(&report["problems"]), ["use.py:1 unresolved-import"], "{report}");
}

/// All of a standard library is known, so a name that it lacks is wrong, and a member of the types of the language that is
/// nearly one of theirs. An import on trial is not judged.
#[test]
fn names_that_standard_libraries_lack_are_found() {
    let rows: [(&str, &str, &[&str]); 7] = [
        (
            "x/A.java",
            "package x;\nimport java.util.Lisst;\nimport java.util.Map.Entry;\nclass A { Lisst<String> s; Entry<String, String> e;\nint f() { return \"a\".lenght(); } }\n",
            &["2 `java.util` has no `Lisst`", "5 `String` has no `lenght`"],
        ),
        (
            "a.kt",
            "import java.util.Lisst\nimport java.util.UUID\nfun f(a: Lisst, b: UUID) = Unit\n",
            &["1 `java.util` has no `Lisst`"],
        ),
        (
            "a.py",
            "from os import getcwdd, getcwd\nimport json\ntry:\n    from os import of_another_release\nexcept ImportError:\n    of_another_release = None\ns = \"a\"\ns.uper()\njson.lods(getcwd(), getcwdd())\n",
            &["1 `os` has no `getcwdd`", "8 `str` has no `uper`", "9 the module `json` has no `lods`"],
        ),
        (
            "a.ts",
            "const s = \"a\";\ns.lenght;\n[1].mapp((x) => x);\nMath.maxx(1);\ns.ours();\nexport {};\n",
            &["2 this value has no `lenght`", "3 an array has no `mapp`", "4 `Math` has no `maxx`"],
        ),
        ("b.js", "\"a\".lenghts;\n\"b\".indxOf(\"b\");\n", &["2 `string` has no `indxOf`"]),
        (
            "a.go",
            "package a\n\nimport (\n\t\"fmt\"\n\t\"stringss\"\n)\n\nfunc F() { fmt.Prinln(stringss.X) }\n",
            &["5 no module `stringss` in the project", "8 the package `fmt` has no `Prinln`"],
        ),
        (
            "src/lib.rs",
            "use std::collections::HashMapp;\nuse std::collections::hash_map::Entry;\npub fn f(_: HashMapp, _: Entry<u8, u8>) {}\n",
            &["1 `std::collections` has no `HashMapp`"],
        ),
    ];
    let build = [
        ("go.mod", "module a\n\ngo 1.22\n"),
        ("Cargo.toml", "[package]\nname = \"a\"\nedition = \"2021\"\n"),
        ("package.json", "{}\n"),
    ];
    for (file, text, wanted) in rows {
        let mut files = build.to_vec();
        files.push((file, text));
        let found = Home::writing(&files).ok("ide_diagnostics", json!({"file": file, "severity": "errors"}));
        let row = |p: &Value| format!("{} {}", p["line"], p["message"].as_str().unwrap());
        let found: Vec<String> = found["problems"].as_array().unwrap().iter().map(row).collect();
        assert_eq!(found, wanted, "{file}");
    }
}

#[test]
fn old_problems_of_a_renamed_owner_are_not_new() {
    let home = Home::writing(&[
        ("lib.py", "class Router:\n    pass\n"),
        ("use.py", "from lib import Router\n\nRouter().mtch()\n"),
    ]);
    let rename = json!({"language": "Python", "symbol": "lib.Router", "newName": "Routes", "dryRun": true});
    let dry = home.ok("ide_refactor_rename", rename);
    assert_eq!((&dry["newProblems"], &dry["goneProblems"]), (&json!([]), &json!([])), "{dry}");
    assert_eq!(dry["unchangedProblems"], 1, "{dry}");
}
