//! The extensions for views and for skills, as a client of 2026-07-28 uses them.

use serde_json::{Value, json};

use crate::http::Served;
use crate::support::Home;

/// A request of a client with these capabilities.
fn ask(served: &Served, method: &str, name: Option<&str>, mut params: Value, capabilities: &Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        "io.modelcontextprotocol/clientInfo": {"name": "some-host", "version": "1"},
    });
    let name = name.map_or_else(String::new, |name| format!("Mcp-Name: {name}\r\n"));
    let headers = format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}");
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let (status, answer) = served.ask("POST", "/mcp", &headers, &body);
    serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{status} {answer}"))
}

#[test]
fn tools_name_their_views_to_clients_that_show_them() {
    let home = Home::new();
    let served = Served::new(&home);
    let shows =
        json!({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}});
    let listed =
        |capabilities: &Value| ask(&served, "tools/list", None, json!({}), capabilities)["result"].take();
    let meta = |tools: &Value, name: &str| {
        let tools = tools["tools"].as_array().unwrap();
        tools.iter().find(|tool| tool["name"] == name).unwrap()["_meta"].clone()
    };
    let (with, without) = (listed(&shows), listed(&json!({})));
    assert!(with["tools"].as_array().unwrap().len() > 10);
    for (tool, view) in [("ide_call_hierarchy", "calls"), ("ide_refactor_rename", "changes")] {
        let uri = format!("ui://ide-index/{view}");
        assert_eq!(meta(&with, tool)["ui"]["resourceUri"], uri);
        assert_eq!(meta(&without, tool), Value::Null);
        let read = ask(&served, "resources/read", Some(&uri), json!({"uri": uri}), &shows);
        let page = &read["result"]["contents"][0];
        assert_eq!(page["mimeType"], "text/html;profile=mcp-app", "{read}");
        assert!(page["text"].as_str().unwrap().starts_with("<!doctype html>"));
    }
    assert_eq!(meta(&with, "ide_find_class"), Value::Null);
    assert_eq!(meta(&with, "review_changes")["ui"]["visibility"], json!(["app"]));
    assert!(!without.to_string().contains("review_changes"));
    // a view of changes has the differences, which the model has only where it asks for them
    for (tool, arguments, line) in [
        (
            "ide_refactor_rename",
            json!({"file": "greeter.py", "line": 8, "column": 5, "newName": "hi"}),
            "+def hi(",
        ),
        ("ide_undo", json!({}), "-def hi("),
    ] {
        let call = json!({"name": tool, "arguments": arguments});
        let result = ask(&served, "tools/call", Some(tool), call, &shows)["result"].take();
        assert!(
            result["_meta"]["ide-index/view"]["edits"][0]["diff"].as_str().unwrap().contains(line),
            "{result}"
        );
        assert!(!result["structuredContent"].to_string().contains(line), "{result}");
    }
    let call = json!({"name": "ide_find_references", "arguments": {"language": "Python", "symbol": "greeter.hello"}});
    let called = |capabilities: &Value| {
        ask(&served, "tools/call", Some("ide_find_references"), call.clone(), capabilities)["result"].take()
    };
    let data = called(&shows)["_meta"]["ide-index/view"].take();
    assert!(data["usages"].as_array().is_some_and(|usages| usages.len() > 1), "{data}");
    assert_eq!(called(&json!({}))["_meta"]["ide-index/view"], Value::Null);
    review_by_view(&served, &shows);
}

/// The view of changes decides by a tool that is offered to no one else.
fn review_by_view(served: &Served, shows: &Value) {
    let called = |arguments: Value, capabilities: &Value| {
        let call = json!({"name": "review_changes", "arguments": arguments});
        ask(served, "tools/call", Some("review_changes"), call, capabilities)["result"].take()
    };
    let rename = json!({"name": "ide_refactor_rename", "arguments": {"file": "greeter.py", "line": 8, "column": 5, "newName": "hi"}});
    let renamed = ask(served, "tools/call", Some("ide_refactor_rename"), rename, shows)["result"].take();
    let project = renamed["_meta"]["ide-index/project"].as_str().unwrap();
    let files = json!({"project": project, "files": ["greeter.py"]});
    let shown = called(files.clone(), shows)["structuredContent"]["files"][0].take();
    assert!(shown["hunks"][1]["diff"].as_str().unwrap().contains("+def hi("), "{shown}");
    let mut decision = files.clone();
    decision["decision"] =
        json!({"id": shown["id"], "path": "greeter.py", "hunk": 1, "keep": false, "shown": "other"});
    assert_eq!(called(decision.clone(), shows)["isError"], true);
    decision["decision"]["shown"] = shown["shown"].clone();
    let left = called(decision, shows)["structuredContent"]["files"].take();
    assert!(!left.to_string().contains("+def hi("), "{left}");
    let read = json!({"name": "ide_read_file", "arguments": {"file": "greeter.py"}});
    let text = ask(served, "tools/call", Some("ide_read_file"), read, shows)["result"].to_string();
    assert!(text.contains("def hello("), "{text}");
    assert_eq!(called(json!({"project": "/nowhere"}), shows)["isError"], true);
    let refused = called(files, &json!({}));
    assert!(refused["isError"] == true && refused.to_string().contains("review_changes"), "{refused}");
}

#[test]
fn the_skill_is_listed_with_the_digest_of_what_is_read() {
    let home = Home::new();
    let served = Served::new(&home);
    let ask =
        |method: &str, name: Option<&str>, params: Value| ask(&served, method, name, params, &json!({}));
    let discovered = ask("server/discover", None, json!({}));
    assert!(discovered["result"]["capabilities"]["extensions"]["io.modelcontextprotocol/skills"].is_object());
    let listed = ask("skills/list", None, json!({}));
    let skill = &listed["result"]["skills"][0];
    assert_eq!(
        (&listed["result"]["resultType"], &listed["result"]["cacheScope"]),
        (&json!("complete"), &json!("private"))
    );
    let uri = skill["uri"].as_str().unwrap();
    let text = ask("resources/read", Some(uri), json!({"uri": uri}))["result"]["contents"][0]["text"].take();
    let text = text.as_str().unwrap();
    let digest: String =
        hmac_sha256::Hash::hash(text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(
        skill["resources"],
        json!([{"uri": uri, "digest": format!("sha256:{digest}"), "size": text.len()}])
    );
    assert_eq!(skill["frontmatter"]["name"], "ide-index");
    assert_eq!(ask("skills/get", None, json!({"uri": uri}))["result"]["skill"], *skill);
    assert_eq!(ask("skills/get", None, json!({"uri": "skill://other/SKILL.md"}))["error"]["code"], -32602);
    assert_eq!(ask("skills/forget", None, json!({}))["error"]["code"], -32601);
}
