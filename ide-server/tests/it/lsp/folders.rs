//! The folders that an editor has open.

use serde_json::json;
use url::Url;

use super::Editor;
use crate::support::write;

#[test]
fn a_folder_may_be_given_by_its_path_alone() {
    let files = [("a.py", "def f(): pass\n"), ("b.py", "from a import f\nf()\n")];
    let mut editor = Editor::greeting(
        &files,
        |root| json!({ "processId": null, "rootPath": root, "rootUri": null, "workspaceFolders": [], "capabilities": {} }),
    );
    let definition = editor.ask("textDocument/definition", editor.at("b.py", "f()", 0));
    assert_eq!(editor.places(&definition), ["a.py:1"]);
    editor.end();
}

#[test]
fn a_home_directory_is_no_project() {
    let mut editor =
        Editor::greeting(&[("a.py", "x = 1\nx\n")], |_| json!({ "processId": null, "capabilities": {} }));
    let home = editor.home.path().canonicalize().unwrap();
    write(&home, "loose.py", "x = 1\nx\n");
    let uri = Url::from_file_path(&home).unwrap();
    let event = json!({ "added": [{ "uri": uri, "name": "home" }], "removed": [] });
    editor.tell("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
    let document = json!({ "uri": Url::from_file_path(home.join("loose.py")).unwrap() });
    let place = json!({ "textDocument": document, "position": { "line": 1, "character": 0 } });
    let refused = editor.reply("textDocument/definition", place);
    assert!(
        refused["error"]["message"].as_str().unwrap().contains("in no folder of the workspace"),
        "{refused}"
    );
    editor.end();
}
