//! Small programs as formatters: which one is chosen, and what becomes of what it does.

use std::os::unix::fs::PermissionsExt;

use ide_model::Stop;
use tempfile::TempDir;

use super::*;

fn write(root: &Path, path: &str, text: &str) -> PathBuf {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

fn program(root: &Path, path: &str, script: &str) {
    let path = write(root, path, &format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn format(root: &Path, file: &str, text: &str, search: &[&str]) -> Result<Formatted, ToolError> {
    let stop = Stop::new();
    let search_path = search.iter().map(|place| root.join(place)).collect();
    let file = &root.join(file);
    Job { root, checkout: root, file, text, lines: None, is_trusted: true, search_path }
        .format(Cx::new(&stop))
}

fn project() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn the_formatter_that_is_asked_for_is_taken_from_the_project_first() {
    let dir = project();
    let root = dir.path();
    write(root, "src/a.ts", "x\n");
    program(root, "bin/prettier", "echo around; cat");
    program(root, "bin/biome", "echo biome; cat");
    assert_eq!(
        format(root, "src/a.ts", "x\n", &["bin"]).unwrap().text,
        "biome\nx\n",
        "the first that is there"
    );
    write(root, "package.json", "{\"devDependencies\": {\"prettier\": \"3\"}}");
    let around = format(root, "src/a.ts", "x\n", &["bin"]).unwrap();
    assert_eq!((&*around.text, &*around.by), ("around\nx\n", "prettier (bin/prettier)"));
    program(root, "node_modules/.bin/prettier", "echo own $*; cat");
    let own = format(root, "src/a.ts", "x\n", &["bin"]).unwrap();
    assert_eq!(own.text, format!("own --stdin-filepath {}\nx\n", root.join("src/a.ts").display()));
    assert_eq!(own.by, "prettier (node_modules/.bin/prettier)");
    write(root, "src/biome.json", "{}");
    assert_eq!(
        format(root, "src/a.ts", "x\n", &["bin"]).unwrap().by,
        "biome (bin/biome)",
        "the nearest configuration"
    );
}

#[test]
fn what_is_missing_is_named() {
    let dir = project();
    let none = format(dir.path(), "a.py", "x\n", &[]).unwrap_err();
    assert!(none.message.contains("none of black, ruff is installed"), "{none:?}");
    assert!(none.hint.unwrap().contains("pip install black"));
    write(dir.path(), "pyproject.toml", "[tool.ruff]\n");
    program(dir.path(), "bin/black", "cat");
    let ruff = format(dir.path(), "a.py", "x\n", &["bin"]).unwrap_err();
    assert!(ruff.message.contains("pyproject.toml asks for ruff"), "{ruff:?}");
    let unknown = format(dir.path(), "a.sql", "x\n", &[]).unwrap_err();
    assert_eq!(unknown.slug, "unsupported_language");
}

#[test]
fn failures_are_passed_on_and_nothing_is_taken_for_a_result() {
    let dir = project();
    let root = dir.path();
    program(root, "bin/black", "echo 'cannot format: line 1' >&2; exit 123");
    let failed = format(root, "a.py", "x(\n", &["bin"]).unwrap_err();
    assert!(failed.slug == "format_failed" && failed.message.contains("cannot format: line 1"), "{failed:?}");
    program(root, "bin/black", "exit 0");
    assert_eq!(format(root, "a.py", "x\n", &["bin"]).unwrap_err().slug, "format_failed", "an empty answer");
}

#[test]
fn programs_that_write_files_are_given_a_copy() {
    let dir = project();
    let root = dir.path();
    write(root, "a.php", "before");
    program(root, "vendor/bin/pint", "for last; do :; done; echo formatted > \"$2\"");
    assert_eq!(format(root, "a.php", "before", &[]).unwrap().text, "formatted\n");
    assert_eq!(std::fs::read_to_string(root.join("a.php")).unwrap(), "before");
}

#[test]
fn code_of_the_project_runs_only_when_the_user_trusts_it() {
    let (dir, around) = (project(), project());
    let (root, around) = (dir.path(), around.path());
    let stop = Stop::new();
    let run = |file: &str, is_trusted| {
        let search_path = vec![around.to_owned(), PathBuf::from("."), root.join("linked")];
        let file = &write(root, file, "x\n");
        let job = Job { root, checkout: root, file, text: "x\n", lines: None, is_trusted, search_path };
        job.format(Cx::new(&stop)).map(|done| done.text)
    };
    let refused = |file: &str| {
        let error = run(file, false).unwrap_err();
        assert_eq!(error.slug, "not_trusted", "{error:?}");
        assert!(error.hint.unwrap().contains(&format!("ide-index-mcp trust '{}'", root.display())));
        assert!(!root.join("ran").exists());
        error.message
    };
    program(around, "gofmt", "cat");
    assert_eq!(run("a.go", false).unwrap(), "x\n", "its configuration is data");
    program(around, "rustfmt", "cat");
    assert_eq!(run("a.rs", false).unwrap(), "x\n");
    write(root, "rust-toolchain.toml", "[toolchain]\npath = 'evil'\n");
    assert!(refused("sub/a.rs").contains("rust-toolchain.toml"));
    program(around, "prettier", "cat");
    assert!(refused("a.css").contains("loads code"));
    assert_eq!(run("a.css", true).unwrap(), "x\n");
    let script = format!("touch {}; cat", root.join("ran").display());
    program(root, "node_modules/.bin/biome", &script);
    write(root, "biome.json", "{}");
    assert!(refused("a.ts").contains("node_modules/.bin/biome"));
    program(root, "evil", &script);
    std::os::unix::fs::symlink(root.join("evil"), around.join("ktfmt")).unwrap();
    refused("a.kt");
    assert_eq!(run("a.ts", true).unwrap(), "x\n");
    assert!(root.join("ran").exists());
}
