//! The changes that agents make in a project, as a person reviews them in the terminal.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::Server;
use crate::support::write;

/// The command line in the same home; what it prints, or why it failed.
fn review(home: &Path, args: &[&str]) -> Result<String, String> {
    let done = Command::new(env!("CARGO_BIN_EXE_ide-index-mcp"))
        .arg("review")
        .args(args)
        .arg("--project")
        .arg(home.join("p"))
        .env("XDG_CACHE_HOME", home.join("cache"))
        .env("XDG_STATE_HOME", home.join("state"))
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("HOME", home)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if done.status.success() { Ok(text(&done.stdout)) } else { Err(text(&done.stderr)) }
}

/// `{path: change}` of the only review, once it is this.
#[track_caller]
fn wait_for(home: &Path, wanted: &Value) {
    let mut found = Value::Null;
    let end = Instant::now() + Duration::from_secs(90);
    while Instant::now() < end {
        let all: Value = serde_json::from_str(&review(home, &["list", "--json"]).unwrap()).unwrap();
        let files = all.as_array().unwrap().iter().flat_map(|review| review["files"].as_array().unwrap());
        found =
            files.map(|file| (file["path"].as_str().unwrap().to_owned(), file["change"].clone())).collect();
        if found == *wanted {
            return;
        }
    }
    panic!("{found} is not {wanted}");
}

/// A project in which an agent works that has made one change through a tool.
fn worked(files: &[(&str, &str)]) -> (TempDir, Server) {
    let home = TempDir::new().unwrap();
    write(&home.path().join("p"), "tool.py", "one = 1\n");
    for (path, text) in files {
        write(&home.path().join("p"), path, text);
    }
    let mut server = Server::start(home.path());
    let edit = json!({"file": "tool.py", "oldText": "one = 1", "newText": "one = 2"});
    server.ask(1, "ide_replace_text_in_file", &edit);
    assert_ne!(server.answer()["result"]["isError"], true);
    (home, server)
}

#[test]
fn what_an_agent_writes_itself_is_kept_or_taken_back_by_place_and_byte() {
    let old = "\u{feff}a\r\nb\nc\nd\ne\nf\ng\nh";
    let new = "\u{feff}A\r\nb\nc\nd\ne\nf\ng\nH\n";
    let (home, server) = worked(&[("own.txt", old), ("gone.py", "x = 1\n")]);
    let at = |name: &str| home.path().join("p").join(name);
    fs::write(at("own.txt"), new).unwrap();
    fs::remove_file(at("gone.py")).unwrap();
    fs::write(at("new.py"), "y = 1\n").unwrap();
    wait_for(
        home.path(),
        &json!({"tool.py": "changed", "own.txt": "changed", "gone.py": "deleted", "new.py": "created"}),
    );
    let run = |args: &[&str]| review(home.path(), args);
    let shown = run(&["show", "", "own.txt"]).unwrap();
    assert!(shown.contains("hunk 0\n@@") && shown.contains("hunk 1\n@@"), "{shown}");
    assert!(run(&["show"]).unwrap().contains("-x = 1"), "what is gone is shown");

    run(&["undo", "", "own.txt", "--hunk", "1"]).unwrap();
    assert_eq!(fs::read_to_string(at("own.txt")).unwrap(), new.replace("H\n", "h"));
    run(&["keep", "", "own.txt", "--hunk", "0"]).unwrap();
    for file in ["gone.py", "new.py", "tool.py"] {
        run(&["undo", "", file]).unwrap();
    }
    assert_eq!(fs::read_to_string(at("gone.py")).unwrap(), "x = 1\n");
    assert_eq!(fs::read_to_string(at("tool.py")).unwrap(), "one = 1\n");
    assert!(!at("new.py").exists());
    wait_for(home.path(), &json!({}));
    // another change shows that ours were not taken for the agent's
    fs::write(at("later.py"), "z = 1\n").unwrap();
    wait_for(home.path(), &json!({"later.py": "created"}));
    server.finish();
}

#[test]
fn a_file_that_moved_on_is_left_alone() {
    let (home, server) = worked(&[]);
    wait_for(home.path(), &json!({"tool.py": "changed"}));
    server.finish();
    let file = home.path().join("p/tool.py");
    fs::write(&file, "one = 3\n").unwrap();
    let refused = review(home.path(), &["undo"]).unwrap_err();
    assert!(refused.contains("`tool.py` was changed since"), "{refused}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "one = 3\n");
    assert!(review(home.path(), &["show"]).unwrap().contains("changed since"));
    fs::write(&file, "one = 2\n").unwrap();
    review(home.path(), &["undo"]).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "one = 1\n");
    assert!(review(home.path(), &[]).unwrap().contains("Nothing to review"));
}
