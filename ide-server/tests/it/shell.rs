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
