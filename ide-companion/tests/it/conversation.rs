//! Handshakes, lists, calls and refusals, in both dialects.

use ide_companion::Dialect;
use ide_model::EditorSurface as _;
use serde_json::{Value, json};

use crate::editor::{Client, open_paths, select, surface};

fn names(answer: &Value) -> Vec<&str> {
    answer["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn versions_are_echoed_when_they_are_known() {
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2024-10-07", "2024-10-07"),
        ("2099-01-01", "2024-11-05"),
        ("", "2024-11-05"),
    ] {
        let mut client = Client::new(&surface(), Dialect::Claude);
        let answer = client.ask("initialize", &json!({"protocolVersion": asked, "capabilities": {}}));
        assert_eq!(answer["result"]["protocolVersion"], agreed);
        assert!(answer["result"]["capabilities"].get("resources").is_none());
    }
}

#[test]
fn nothing_is_null_and_ids_come_back() {
    for dialect in [Dialect::Claude, Dialect::Described] {
        let mut client = Client::new(&surface(), dialect);
        for id in [json!(0), json!("srv-1"), json!(9_007_199_254_740_993_u64)] {
            for method in [
                "initialize",
                "ping",
                "tools/list",
                "prompts/list",
                "resources/list",
                "resources/templates/list",
                "logging/setLevel",
            ] {
                for params in [json!(null), json!({}), json!({"cursor": null})] {
                    let heard =
                        client.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
                    assert_eq!(heard.len(), 1, "{method}");
                    assert_eq!(heard[0]["id"], id);
                    assert!(!heard[0].to_string().contains("null"), "{}", heard[0]);
                    assert!(heard[0].get("result").is_some() && heard[0].get("error").is_none());
                }
            }
        }
    }
}

#[test]
fn errors_have_the_codes_of_the_protocol() {
    let mut client = Client::new(&surface(), Dialect::Claude);
    assert_eq!(client.ask("nonsense", &json!({}))["error"]["code"], -32601);
    for (name, args) in [
        ("nonsense", json!({})),
        ("openFile", json!({})),
        ("openDiff", json!({"old_file_path": "/p/a.rs"})),
        ("close_tab", json!({})),
        ("set_selection", json!({})),
        ("checkDocumentDirty", json!(null)),
    ] {
        assert_eq!(client.call(name, args)["error"]["code"], -32602, "{name}");
    }
    client.session.receive(0, "{");
    assert_eq!(client.heard()[0]["error"]["code"], -32700);
    assert_eq!(client.say(&json!([]))[0]["error"]["code"], -32600);
    assert_eq!(client.say(&json!({"id": 1}))[0]["error"]["code"], -32600);
    // messages that need no answer get none
    for quiet in [
        json!({"method": "nonsense"}),
        json!({"id": 3, "result": {}}),
        json!({"method": "notifications/roots/list_changed"}),
    ] {
        assert!(client.say(&quiet).is_empty(), "{quiet}");
    }
    let batch = json!([{"id": 1, "method": "ping"}, {"method": "x"}, {"id": 2, "method": "nonsense"}]);
    let heard = client.say(&batch);
    assert_eq!(heard.len(), 1);
    assert_eq!((heard[0][0]["id"].clone(), heard[0][1]["error"]["code"].clone()), (json!(1), json!(-32601)));
}

#[test]
fn lists_follow_the_dialect_and_the_person() {
    let surface = surface();
    let mut real = Client::new(&surface, Dialect::Claude);
    let mut described = Client::new(&surface, Dialect::Described);
    let list = real.ask("tools/list", &json!({}));
    assert!(names(&list).contains(&"openDiff") && names(&list).contains(&"getDiagnostics"));
    assert!(!names(&list).contains(&"read_file") && !names(&list).contains(&"executeCode"));
    for tool in list["result"]["tools"].as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
    }
    let list = described.ask("tools/list", &json!({"cursor": null}));
    assert!(names(&list).contains(&"read_file") && names(&list).contains(&"openFile"));
    surface.detach();
    for client in [&mut real, &mut described] {
        let heard = client.heard();
        assert_eq!(heard, [json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})]);
        assert!(!names(&client.ask("tools/list", &json!({}))).contains(&"openDiff"));
        let diff = json!({"old_file_path": "a.rs", "new_file_path": "a.rs", "new_file_contents": "", "tab_name": "t"});
        assert_eq!(client.call("openDiff", diff)["result"]["isError"], true);
    }
}

#[test]
fn files_are_opened_and_asked_for() {
    let surface = surface();
    let mut client = Client::new(&surface, Dialect::Claude);
    assert_eq!(client.json("getCurrentSelection", json!({}))["message"], "No active editor found");
    assert_eq!(client.json("getLatestSelection", json!({}))["message"], "No selection available");
    assert_eq!(
        client.text(
            "openFile",
            json!({"filePath": "/p/a.rs", "startText": "fn b", "endText": "{", "extra": 1})
        ),
        "Opened file: /p/a.rs"
    );
    let selected = client.json("getCurrentSelection", json!(null));
    assert_eq!((&selected["text"], &selected["fileUrl"]), (&json!("fn b() {"), &json!("file:///p/a.rs")));
    assert_eq!(
        selected["selection"],
        json!({"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 8},
        "isEmpty": false})
    );
    let quiet = client.json("openFile", json!({"filePath": "win.txt", "makeFrontmost": false}));
    assert_eq!(
        quiet,
        json!({"success": true, "filePath": "/p/win.txt", "languageId": "plaintext", "lineCount": 2})
    );
    client.text("openFile", json!({"filePath": "a.rs", "startLine": 1, "endLine": 2}));
    assert_eq!(client.json("getCurrentSelection", json!({}))["text"], "fn a() {}\nfn b() {}");
    client.text("openFile", json!({"filePath": "a.rs", "startText": "fn", "selectToEndOfLine": true}));
    assert_eq!(client.json("getLatestSelection", json!({}))["text"], "fn a() {}");
    let tabs = client.json("getOpenEditors", json!({}))["tabs"].clone();
    assert_eq!(
        (&tabs[0]["label"], &tabs[0]["isActive"], &tabs[1]["isActive"]),
        (&json!("a.rs"), &json!(true), &json!(false))
    );
    assert_eq!(
        client.json("getWorkspaceFolders", json!({})),
        json!({"success": true, "folders": [{"name": "p", "uri": "file:///p", "path": "/p"}], "rootPath": "/p"})
    );
    assert_eq!(client.json("checkDocumentDirty", json!({"filePath": "/p/a.rs"}))["isDirty"], false);
    assert_eq!(
        client.json("saveDocument", json!({"filePath": "/p/no"})),
        json!({"success": false, "message": "Document not open: /p/no"})
    );
    assert_eq!(client.json("saveDocument", json!({"filePath": "/p/a.rs"}))["saved"], true);
    assert_eq!(client.call("openFile", json!({"filePath": "/p/none"}))["result"]["isError"], true);
    assert_eq!(
        client.json("open_files", json!({"file_paths": ["/p/bad.py", "/p/none"]})),
        json!({"opened_files": ["/p/bad.py"]})
    );
    assert_eq!(client.text("get_all_opened_file_paths", json!({})), "/p/a.rs\n/p/win.txt\n/p/bad.py");
    assert_eq!(client.text("close_tab", json!({"tab_name": "/p/win.txt"})), "TAB_CLOSED");
    assert_eq!(open_paths(&surface), ["/p/a.rs", "/p/bad.py"]);
    assert_eq!(client.call("reformat_file", json!({"file_path": "/p/a.rs"}))["result"]["isError"], true);
}

#[test]
fn findings_have_the_shape_of_their_dialect() {
    let surface = surface();
    select(&surface, "/p/bad.py", (1, 1), (1, 1));
    let mut real = Client::new(&surface, Dialect::Claude);
    let one = json!([{"uri": "file:///p/bad.py", "diagnostics": [{"message": "it is bad", "severity": "Error",
        "range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 0}}, "source": "syntax"}]}]);
    for args in [
        json!({}),
        json!({"uri": null}),
        json!({"uri": "file:///p/bad.py"}),
        json!({"uri": "/p/bad.py"}),
        json!({"uri": "_claude_fs_right:/p/bad.py"}),
    ] {
        assert_eq!(real.json("getDiagnostics", args), one);
    }
    assert_eq!(real.json("getDiagnostics", json!({"uri": "file:///p/a.rs"})), json!([]));
    let mut described = Client::new(&surface, Dialect::Described);
    assert_eq!(described.json("getDiagnostics", json!({}))[0]["diagnostics"][0]["severity"], "ERROR");
    assert_eq!(
        described.json("get_diagnostics", json!({"path": "bad.py"})),
        json!({"diagnostics": [
        {"file_path": "/p/bad.py", "line": 1, "column": 0, "severity": "ERROR", "message": "it is bad"}]})
    );
}

#[test]
fn the_described_session_line_by_line() {
    let surface = surface();
    select(&surface, "/p/a.rs", (1, 1), (1, 3));
    let mut client = Client::new(&surface, Dialect::Described);
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2024-11-05", "capabilities": {"roots": {"listChanged": true}, "sampling": {}},
        "clientInfo": {"name": "Claude Code JetBrains Plugin", "version": "0.1.11-beta"}}});
    let heard = client.say(&hello);
    assert_eq!(heard[0]["result"]["protocolVersion"], "2024-11-05");
    assert!(heard[0]["result"]["capabilities"]["resources"].is_object());
    let heard = client.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}}));
    assert_eq!(
        heard,
        [
            json!({"jsonrpc": "2.0", "method": "notifications/ide_connected", "params": {"project_path": "/p"}})
        ]
    );
    assert!(!names(&client.ask("tools/list", &json!({"cursor": null}))).is_empty());
    let heard = client.after(500);
    assert_eq!(
        heard.iter().map(|message| message["method"].as_str().unwrap()).collect::<Vec<_>>(),
        ["selection_changed", "notifications/selection_changed"]
    );
    assert_eq!(
        heard[1]["params"],
        json!({"file_path": "/p/a.rs",
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 2}}})
    );
    let id = client.send(
        "tools/call",
        &json!({"name": "openDiff", "arguments": {
        "old_file_path": "a.rs", "new_file_contents": "console.log('Hello World');"}}),
    );
    assert!(client.heard().is_empty(), "it waits");
    assert_eq!(client.ask("ping", &json!({}))["result"], json!({}));
    let shown = surface.diffs();
    assert_eq!((&*shown[0].request.new_path, shown[0].is_new), ("/p/a.rs", false));
    assert!(surface.accept(shown[0].id, "console.log('Hello World');"));
    assert_eq!(
        client.heard(),
        [json!({"jsonrpc": "2.0", "id": id, "result": {"content": [
        {"type": "text", "text": "FILE_SAVED"}, {"type": "text", "text": "console.log('Hello World');"}], "isError": false}})]
    );
    assert_eq!(client.text("open_file", json!({"path": "bad.py"})), "OK");
    assert_eq!(
        client.text("set_cursor_position", json!({"file_path": "a.rs", "line": 1, "column": 3})),
        "OK"
    );
    assert_eq!(
        client.json("get_cursor_position", json!({})),
        json!({"file_path": "/p/a.rs", "line": 1, "column": 3})
    );
    let range = json!({"start": {"line": 0, "character": 3}, "end": {"line": 0, "character": 4}});
    assert_eq!(client.text("set_selection", json!({"range": range})), "OK");
    assert_eq!(
        client.json("get_selection", json!({})),
        json!({"file_path": "/p/a.rs", "text": "a", "range": range})
    );
    assert_eq!(client.text("list_opened_files", json!({})), "/p/a.rs\n/p/bad.py");
    assert_eq!(client.text("read_file", json!({"path": "a.rs"})), "fn a() {}\nfn b() {}\n");
    for outside in ["/home/notes.md", "../home/notes.md", "/p/../home/notes.md", "file:///home/notes.md"] {
        let answer = client.call("read_file", json!({"path": outside}));
        assert_eq!(answer["result"]["isError"], true, "{outside}");
    }
    assert!(surface.is_attached());
}
