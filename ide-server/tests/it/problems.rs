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
    let edit = json!({"file": "a.py", "search": "from", "replace": "import os\n\nfrom", "dryRun": true});
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
