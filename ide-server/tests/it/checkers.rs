//! Compilers of the machine as a source of problems, and what changed since a revision. A tool that is not installed is passed
//! over: that it is said is tested elsewhere.

use std::process::Command;

use ide_server::Config;
use serde_json::{Value, json};

use crate::support::{Home, write};

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn home(files: &[(&str, &str)], is_trusted: bool) -> Home {
    let home = Home::with(|config| Config {
        trusted_projects: if is_trusted { config.projects.clone() } else { Vec::new() },
        ..config
    });
    for (path, text) in files {
        write(home.dir.path(), path, text);
    }
    home
}

/// The answer of the checkers, however long they take.
fn checked(home: &Home, mut ask: Value) -> Value {
    loop {
        let answer = home.ok("ide_diagnostics", ask.clone());
        match answer.get("checkId") {
            Some(id) => ask["checkId"] = id.clone(),
            None => return answer,
        }
    }
}

fn found(answer: &Value, source: &str) -> Vec<String> {
    let rows = answer["problems"].as_array().unwrap().iter().filter(|problem| problem["source"] == source);
    rows.map(|problem| format!("{}:{}", problem["file"].as_str().unwrap(), problem["line"])).collect()
}

#[test]
fn javac_finds_what_the_index_cannot_and_a_mended_file_is_proved_clean() {
    if !is_installed("javac") {
        return;
    }
    let bad =
        "class Use {\n    int f() {\n        String text = 1;\n        return text.length();\n    }\n}\n";
    let home = home(&[("Use.java", bad), ("Other.java", "class Other {}\n")], false);
    let ask = json!({"files": ["Use.java", "Other.java"], "checkers": ["javac"]});
    let answer = checked(&home, ask.clone());
    assert_eq!(found(&answer, "javac"), ["Use.java:3"], "{answer}");
    assert_eq!(answer["checks"][0]["tool"], "javac", "{answer}");
    write(home.dir.path(), "Use.java", &bad.replace('1', "\"1\""));
    let clean = checked(&home, ask);
    assert_eq!((&clean["problemCount"], &clean["analysisFresh"]), (&json!(0), &json!(true)), "{clean}");
    assert_eq!(clean["fileAnalyses"][0]["checkedBy"], json!(["javac"]), "{clean}");
}

#[test]
fn php_and_go_say_what_they_find_and_go_needs_trust() {
    if is_installed("php") {
        let home = home(&[("a.php", "<?php\nfunction f( {\n}\n"), ("b.php", "<?php\n$x = 1;\n")], false);
        let answer = checked(&home, json!({"file": "a.php", "checkers": ["php"]}));
        assert_eq!(found(&answer, "php"), ["a.php:2"], "{answer}");
        let clean = checked(&home, json!({"file": "b.php", "checkers": ["auto"]}));
        assert_eq!((&clean["problemCount"], &clean["analysisFresh"]), (&json!(0), &json!(true)), "{clean}");
    }
    if is_installed("go") {
        let files = [
            ("go.mod", "module m\n\ngo 1.20\n"),
            ("a.go", "package m\n\nfunc F() string {\n\treturn 1\n}\n"),
        ];
        let ask = json!({"file": "a.go", "checkers": ["auto"]});
        let untrusted = checked(&home(&files, false), ask.clone());
        assert_eq!(untrusted["checks"][0]["state"], "not_run", "{untrusted}");
        assert!(untrusted["checks"][0]["message"].as_str().unwrap().contains("trusted"), "{untrusted}");
        assert_eq!(untrusted["analysisFresh"], false, "{untrusted}");
        let trusted = checked(&home(&files, true), ask);
        assert_eq!(found(&trusted, "go"), ["a.go:4"], "{trusted}");
    }
}

#[test]
fn a_missing_checker_and_an_unknown_one_are_told() {
    let home = home(&[], true);
    let error = home.err("ide_diagnostics", json!({"file": "main.py", "checkers": ["no-such"]}));
    assert_eq!(error["error"], "invalid_argument", "{error}");
    let error = home.err("ide_diagnostics", json!({"checkId": "check-99"}));
    assert_eq!(error["error"], "job_not_found", "{error}");
    let nobody = checked(&home, json!({"file": "README.md", "checkers": ["javac"]}));
    assert!(nobody["checkMessage"].as_str().unwrap().contains("no compiler"), "{nobody}");
    assert_eq!(nobody["analysisFresh"], false, "{nobody}");
}

#[test]
fn files_that_changed_since_a_revision_are_analysed() {
    if !is_installed("git") {
        return;
    }
    let home = home(&[], false);
    let root = home.dir.path();
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(args).current_dir(root);
        assert!(command.output().unwrap().status.success());
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "a"]);
    let none = home.ok("ide_diagnostics", json!({"changedSince": "HEAD"}));
    assert_eq!((&none["problemCount"], none.get("fileAnalyses")), (&json!(0), None), "{none}");
    write(root, "main.py", "from greeter import gone\n");
    write(root, "new.py", "x = 1\n");
    let some = home.ok("ide_diagnostics", json!({"changedSince": "HEAD"}));
    let files: Vec<_> = some["fileAnalyses"].as_array().unwrap().iter().map(|row| &row["file"]).collect();
    assert_eq!(files, ["main.py", "new.py"], "{some}");
    assert_eq!(found(&some, "index"), ["main.py:1"], "{some}");
}
