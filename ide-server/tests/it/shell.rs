//! The program in a shell.

use std::process::{Command, Output};

use serde_json::Value;

/// Calls a tool in a folder of its own, with settings.
fn call(settings: &str, args: &[&str]) -> (Output, std::path::PathBuf, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let project = dir.path().join("p");
    std::fs::create_dir(&project).unwrap();
    std::fs::write(project.join("a.py"), "x = 1\n").unwrap();
    let file = dir.path().join("settings.toml");
    std::fs::write(&file, settings).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ide-index-mcp"));
    command.env_clear().env("HOME", dir.path()).current_dir(&project);
    let output = command.arg("--config").arg(&file).arg("call").args(args).output().unwrap();
    (output, project, dir)
}

#[test]
fn every_tool_works_that_the_settings_do_not_switch_off() {
    let create = ["ide_create_file", "--file", "new/b.py", "--content", "y = 2\n", "--json"];
    let (output, project, _dir) = call("", &create);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(std::fs::read_to_string(project.join("new/b.py")).unwrap(), "y = 2\n");

    let (output, project, _dir) = call("disabled_tools = [\"ide_create_file\"]\n", &create);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(error["error"], "tool_disabled", "{error}");
    // The key and the file, so that nobody has to look for either.
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("`disabled_tools` in ") && hint.contains("settings.toml"), "{error}");
    assert!(!project.join("new").exists());
}

#[test]
fn a_change_is_read_as_a_diff() {
    let (output, project, _dir) = call(
        "",
        &[
            "ide_replace_text_in_file",
            "--file",
            "a.py",
            "--search",
            "1",
            "--replace",
            "2",
            "--dry-run",
            "--include-diff",
        ],
    );
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\n-x = 1\n+x = 2\n"), "{text}");
    assert!(text.starts_with("would: "), "{text}");
    assert_eq!(std::fs::read_to_string(project.join("a.py")).unwrap(), "x = 1\n");
}

#[test]
fn a_deletion_that_is_refused_is_not_done() {
    let delete = ["ide_refactor_safe_delete", "--file", "a.py", "--name", "x"];
    let replace = ["ide_replace_text_in_file", "--file", "a.py", "--search", "x = 1", "--replace"];
    let (output, ..) = call("", &delete);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let (output, project, dir) = call("", &[&replace[..], &["x = 1\ny = x"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ide-index-mcp"));
    command.env_clear().env("HOME", dir.path()).current_dir(&project).arg("call").args(delete);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("is not deleted"), "{output:?}");
}

/// A client that goes away is no failure of the program.
#[test]
fn a_language_server_without_a_client_ends_quietly() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ide-index-mcp"));
    command.env_clear().env("HOME", dir.path()).current_dir(dir.path()).arg("lsp");
    let output = command.stdin(std::process::Stdio::null()).output().unwrap();
    assert_eq!((output.status.code(), &*output.stderr), (Some(1), &b""[..]), "{output:?}");
}

#[test]
fn a_setting_of_the_wrong_kind_is_named_with_its_value() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ide-index-mcp"));
    command.env_clear().env("HOME", dir.path()).args(["settings", "set", "port", "abc"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("`port` cannot be \"abc\": "), "{said}");
}
