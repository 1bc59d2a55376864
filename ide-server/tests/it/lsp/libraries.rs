//! Definitions in libraries.

use serde_json::{Value, json};
use url::Url;

use super::Editor;

/// An editor opens files, and only those: texts of archives are copied for it.
#[test]
fn definitions_lead_into_libraries() {
    let java =
        "import p.Stack;\nclass Use {\n    void f(Stack<String> s) {\n        s.push(\"a\");\n    }\n}\n";
    let python = "import os\nos.path.join('a', 'b')\n";
    let mut editor = Editor::new(&[("Use.java", java), ("paths.py", python)], json!({}));
    let libs = editor.root().join("libs");
    std::fs::create_dir(&libs).unwrap();
    std::fs::write(libs.join("stack.jar"), include_bytes!("../../data/stack.jar")).unwrap();
    std::fs::write(libs.join("stack-sources.jar"), include_bytes!("../../data/stack-sources.jar")).unwrap();
    let at = |uri: &Url, line: u32, character: u32| json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } });
    let push = at(&editor.uri("Use.java"), 3, 11);
    let found = editor.ask("textDocument/definition", push.clone());
    let source: Url = found[0]["uri"].as_str().unwrap().parse().unwrap();
    assert_eq!(found[0]["range"]["start"], json!({ "line": 9, "character": 16 }), "{found}");
    let text = std::fs::read_to_string(source.to_file_path().unwrap()).unwrap();
    assert_eq!(text.lines().nth(9), Some("    public void push(String name) {}"));
    let hover = editor.ask("textDocument/hover", push);
    let hover = hover["contents"]["value"].as_str().unwrap();
    assert!(hover.contains("push(String name)") && hover.contains("Takes a name."), "{hover}");
    // Nothing more is known of the copy, which is no reason for messages.
    let document = json!({ "uri": source, "languageId": "java", "version": 1, "text": text });
    editor.tell("textDocument/didOpen", json!({ "textDocument": document }));
    let document = json!({ "textDocument": { "uri": source } });
    assert_eq!(editor.ask("textDocument/documentSymbol", document.clone()), Value::Null);
    assert_eq!(editor.ask("textDocument/semanticTokens/full", document.clone()), Value::Null);
    assert_eq!(editor.ask("textDocument/diagnostic", document)["items"], json!([]));

    let join = at(&editor.uri("paths.py"), 1, 9);
    let found = editor.ask("textDocument/definition", join);
    let stub: Url = found[0]["uri"].as_str().unwrap().parse().unwrap();
    let (line, character) = (&found[0]["range"]["start"]["line"], &found[0]["range"]["start"]["character"]);
    let text = std::fs::read_to_string(stub.to_file_path().unwrap()).unwrap();
    let declared = text.lines().nth(line.as_u64().unwrap() as usize).unwrap();
    assert!(declared.contains("def join("), "{declared}");
    // A file that the program brings is known as those of the project are.
    let here = at(&stub, line.as_u64().unwrap() as u32, character.as_u64().unwrap() as u32);
    let hover = editor.ask("textDocument/hover", here);
    assert!(hover["contents"]["value"].as_str().unwrap().contains("join"), "{hover}");
}
