//! The editor that a person looks at, and the tools for it.

use ide_model::{EditorSurface as _, SurfaceError};
use serde_json::json;

use crate::http::Served;
use crate::support::{Home, write};

fn listed(served: &Served) -> bool {
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).to_string();
    let (status, body) = served.ask("POST", "/mcp", "MCP-Protocol-Version: 2025-06-18\r\n", &list);
    assert!(status.contains("200") && body.contains("ide_find_class"), "{status} {body}");
    body.contains("ide_open_file")
}

#[test]
fn tools_for_the_editor_are_listed_while_somebody_looks_at_it() {
    let home = Home::new();
    let served = Served::new(&home);
    assert!(!listed(&served));
    assert_eq!(home.err("ide_open_file", json!({"file": "main.py"}))["error"], "no_editor");
    home.app.hosted_surface().attach();
    assert!(listed(&served));
    home.ok("ide_open_file", json!({"file": "main.py", "line": 4}));
    let active = home.ok("ide_get_active_file", json!({}));
    assert_eq!(
        active["activeFiles"],
        json!([{"file": "main.py", "line": 4, "column": 1, "hasSelection": false, "language": "Python"}])
    );
    let comment =
        home.ok("add_inline_comment", json!({"file": "main.py", "line": 1, "text": "as others name it"}));
    assert_eq!((&comment["filePath"], &comment["comment"]), (&json!("main.py"), &json!("as others name it")));
    home.app.hosted_surface().detach();
    assert!(!listed(&served));
}

#[test]
fn only_projects_are_inside() {
    let home = Home::new();
    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), "secret.txt", "x\n");
    let secret = outside.path().join("secret.txt").display().to_string();
    let root = home.dir.path().display().to_string();
    let surface = home.app.hosted_surface();
    assert_eq!(surface.workspaces(), std::slice::from_ref(&root));
    assert!(surface.text(&format!("{root}/main.py")).unwrap().contains("def main"));
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path(), home.dir.path().join("link")).unwrap();
    for path in
        [secret, format!("{root}/../secret.txt"), format!("{root}/link/secret.txt"), "main.py".to_owned()]
    {
        assert_eq!(surface.text(&path).unwrap_err(), SurfaceError::NoFile(path.clone()), "{path}");
    }
    write(home.dir.path(), "broken.py", "def f(:\n");
    let found = surface.diagnostics(Some(&format!("{root}/broken.py")));
    assert_eq!(found[0].findings[0].range.start.line, 1, "{found:?}");
}
