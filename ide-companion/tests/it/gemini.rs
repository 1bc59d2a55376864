//! The context that Gemini CLI and Qwen Code receive, and the places where they look for it.

use ide_companion::{Discovery, DiscoveryFolder, GeminiFlavour, Secret, context_update};
use ide_model::EditorSurface as _;
use serde_json::json;

use crate::editor::{select, surface};

#[test]
fn an_update_tells_of_the_open_files() {
    let surface = surface();
    assert_eq!(context_update(&*surface), json!({"workspaceState": {"openFiles": [], "isTrusted": true}}));
    select(&surface, "/p/bad.py", (1, 1), (1, 1));
    select(&surface, "/p/a.rs", (1, 1), (1, 3));
    let files = context_update(&*surface)["workspaceState"]["openFiles"].clone();
    assert_eq!(
        files[0],
        json!({"path": "/p/a.rs", "timestamp": 1, "isActive": true,
        "cursor": {"line": 1, "character": 3}, "selectedText": "fn"})
    );
    assert_eq!(files[1], json!({"path": "/p/bad.py", "timestamp": 1, "isActive": false}));
    surface.close_file("/p/a.rs");
    assert_eq!(context_update(&*surface)["workspaceState"]["openFiles"][0]["path"], "/p/bad.py");
}

#[test]
fn each_client_finds_its_own_file() {
    let secrets = [3, 4].map(|n| Secret::new([n; 32]));
    let folders = vec!["/a".to_owned(), "/b".to_owned()];
    let discovery = Discovery { port: 9, pid: 7, workspace_folders: folders, secrets: secrets.clone() };
    let files = discovery.files(':');
    let names: Vec<_> = files.iter().map(|(below, name, _)| (*below, name.as_str())).collect();
    assert_eq!(
        names,
        [
            (DiscoveryFolder::Temporary, "gemini/ide/gemini-ide-server-7-9.json"),
            (DiscoveryFolder::Temporary, "qwen-code-ide-server-9.json"),
            (DiscoveryFolder::Home, ".qwen/ide/9.lock"),
        ]
    );
    for (_, name, content) in &files {
        assert_eq!((&content["port"], &content["workspacePath"]), (&json!(9), &json!("/a:/b")), "{name}");
        // Qwen Code takes an editor other than VS Code by this alone.
        assert_eq!(content["ideInfo"], json!({"name": "ide-index", "displayName": "IDE index"}), "{name}");
        assert_eq!(content["ppid"], 7);
        let of = GeminiFlavour::ALL.iter().position(|flavour| {
            let program = flavour.name().split(' ').next().unwrap().to_lowercase();
            name.contains(&program)
        });
        assert_eq!(content["authToken"], secrets[of.unwrap()].reveal(), "{name}");
    }
    assert_eq!(GeminiFlavour::Qwen.closed(), "ide/diffClosed");
    assert_eq!(GeminiFlavour::Gemini.closed(), "ide/diffRejected");
}
