//! The history of a running server, from the outside and from the command line.

use std::path::Path;
use std::process::{Command, Output};

use history::{Database, Filter, Page, Status};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::Server;
use crate::support::{GREETER, MAIN, write};

const ALL: Page<'_> = Page { before: None, limit: 10_000, with_results: true };

const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ";

fn home() -> TempDir {
    let home = TempDir::new().unwrap();
    write(&home.path().join("p"), "greeter.py", GREETER);
    write(&home.path().join("p"), "main.py", MAIN);
    home
}

fn database(home: &Path) -> Database {
    Database::open(&home.join("state/ide-index-mcp/history.sqlite")).unwrap()
}

fn shell(home: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ide-index-mcp"))
        .args(args)
        .current_dir(home.join("p"))
        .env("XDG_CACHE_HOME", home.join("cache"))
        .env("XDG_STATE_HOME", home.join("state"))
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("HOME", home)
        .output()
        .unwrap()
}

#[track_caller]
fn told(home: &Path, args: &[&str]) -> String {
    let output = shell(home, args);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

const ROUNDS: usize = 8;
const CALLS: usize = 60;

/// A server that is killed while it stores calls leaves a sound database, in which the next one goes on.
#[test]
fn a_kill_while_calls_are_stored_leaves_a_sound_database() {
    let home = home();
    let mut before = 0;
    for round in 0..ROUNDS {
        let mut server = Server::start(home.path());
        for id in 0..CALLS {
            server.ask(id, "ide_find_symbol", &json!({"query": format!("greet{}", id % 3)}));
        }
        for _ in 0..(round + 1) * CALLS / (ROUNDS + 1) {
            server.answer();
        }
        server.kill();
        if !home.path().join("state/ide-index-mcp/history.sqlite").exists() {
            // It was killed before it stored anything.
            continue;
        }
        let database = database(home.path());
        assert!(database.is_sound().unwrap(), "round {round}");
        let entries = database.list(Filter::default(), ALL).unwrap();
        assert!(entries.len() >= before && entries.len() <= (round + 1) * CALLS, "round {round}");
        let whole = |entry: &&history::Entry| entry.status == Status::Success;
        assert!(entries.iter().filter(whole).all(|entry| entry.received().is_some()));
        before = entries.len();
    }
    assert!(before > 0, "something was stored");
}

#[test]
fn calls_are_listed_exported_replayed_and_cleared_from_the_shell() {
    let home = home();
    let home = home.path();
    let mut server = Server::start(home);
    server.ask(0, "ide_find_class", &json!({"query": SECRET}));
    server.answer();
    server.ask(1, "ide_find_class", &json!({"query": "Greeter"}));
    server.answer();
    server.ask(2, "ide_no_such_tool", &json!({}));
    server.answer();
    server.ask(
        3,
        "ide_refactor_rename",
        &json!({"file": "greeter.py", "line": 8, "column": 5, "newName": "hi"}),
    );
    let answer = server.answer();
    assert_ne!(answer["result"]["isError"], true, "{answer}");
    server.finish();

    let list = |args: &[&str]| -> Vec<Value> {
        let args = [&["history", "list", "--json"], args].concat();
        serde_json::from_str(&told(home, &args)).unwrap()
    };
    let all = list(&[]);
    let tools: Vec<&str> = all.iter().map(|entry| entry["toolName"].as_str().unwrap()).collect();
    assert_eq!(tools, ["ide_refactor_rename", "ide_no_such_tool", "ide_find_class", "ide_find_class"]);
    assert_eq!(all[0]["affectedFiles"], json!(["greeter.py", "main.py"]));
    assert!(all[0]["projectPath"].as_str().unwrap().ends_with("/p"), "{}", all[0]);
    assert_eq!((&all[1]["status"], &all[2]["status"]), (&json!("ERROR"), &json!("SUCCESS")));
    assert_eq!(all[2]["client"], json!({"name": "test", "version": "1"}));
    assert_eq!(all[3]["parameters"], json!({"query": "***"}));
    assert_eq!(all[2]["modelReceives"], "structured");
    assert!(all[2]["structured"].as_str().unwrap().contains("greeter.py"));
    assert!(all[2]["tokens"].as_u64().unwrap() > 10 && all[2]["durationMs"].is_u64());

    assert_eq!(list(&["--text", "no_such_TOOL"]).len(), 1);
    assert_eq!(list(&["--status", "error", "--tool", "ide_find_class"]).len(), 0);
    assert_eq!(list(&["--client", "TEST", "--limit", "2"]).len(), 2);
    let id = all[2]["id"].as_str().unwrap();
    assert!(told(home, &["history", "show", &id[..8]]).contains("what the model received"));
    let csv = told(home, &["history", "export", "--format", "csv", "--output", "-"]);
    assert!(csv.starts_with("ID,Timestamp,Tool,Status,Duration(ms),Result,Error\r\n"), "{csv}");

    let secret = all[3]["id"].as_str().unwrap();
    let masked = shell(home, &["history", "replay", secret]);
    assert_eq!(masked.status.code(), Some(3), "a masked value is not sent");
    let again = told(home, &["history", "replay", secret, "--set", "query=Greet"]);
    assert!(again.contains("greeter.py"), "{again}");
    assert_eq!(list(&["--tool", "ide_find_class"])[0]["replayOf"], *secret);
    let rename = all[0]["id"].as_str().unwrap();
    assert_eq!(shell(home, &["history", "replay", rename]).status.code(), Some(3), "writes ask");

    assert_eq!(shell(home, &["history", "clear"]).status.code(), Some(3), "dropping asks");
    told(home, &["history", "clear", "--yes"]);
    assert!(list(&[]).is_empty());
    assert!(database(home).is_sound().unwrap());
}
