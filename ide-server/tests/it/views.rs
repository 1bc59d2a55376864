//! Resources and prompts, as a client reads them over HTTP.

use serde_json::{Value, json};

use crate::http::Served;
use crate::support::{Home, MAIN};

fn ask(served: &Served, method: &str, params: &Value) -> Value {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let (status, answer) = served.ask("POST", "/mcp", "MCP-Protocol-Version: 2025-06-18\r\n", &body);
    serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{status} {answer}"))
}

/// The text of a resource, as JSON where it is.
fn read(served: &Served, uri: &str) -> Value {
    let answer = ask(served, "resources/read", &json!({"uri": uri}));
    let text = answer["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{uri}: {answer}"));
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

#[test]
fn resources_are_views_of_the_index() {
    let home = Home::new();
    let served = Served::new(&home);
    // the index is there before it is looked at
    home.ok("ide_sync_files", json!({}));
    let listed = ask(&served, "resources/list", &json!({}));
    let uris: Vec<&str> = listed["result"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["uri"].as_str().unwrap())
        .collect();
    for uri in ["index://status", "project://structure", "skill://ide-index/SKILL.md"] {
        assert!(uris.contains(&uri), "{uri} in {uris:?}");
    }
    let templates = ask(&served, "resources/templates/list", &json!({}));
    assert_eq!(templates["result"]["resourceTemplates"].as_array().unwrap().len(), 4, "{templates}");
    assert_eq!(read(&served, "index://status")["isIndexing"], false);
    let root = home.dir.path().display().to_string();
    assert_eq!(read(&served, "project://structure")["basePath"], root);
    assert_eq!(read(&served, &format!("project://structure?project={root}"))["basePath"], root);
    let file = read(&served, "file://content/main.py");
    assert_eq!(
        (&file["content"], &file["encoding"], &file["extension"]),
        (&json!(MAIN), &json!("UTF-8"), &json!("py"))
    );
    assert_eq!(read(&served, "file://content/%6Dain.py")["path"], "main.py");
    let symbol = read(&served, "symbol://info/greeter.Greeter.greet");
    assert_eq!((&symbol["name"], &symbol["file"]), (&json!("greet"), &json!("greeter.py")), "{symbol}");
    assert!(
        read(&served, "skill://ide-index/SKILL.md").as_str().unwrap().starts_with("---\nname: ide-index")
    );
    for (missing, code) in [
        ("file://content/nothing.py", -32002),
        ("symbol://info/no.such.Name", -32002),
        ("file://content/%ff", -32602),
        ("file://content/", -32602),
        ("symbol://info/", -32602),
        ("file://content/../../etc/passwd", -32002),
    ] {
        let answer = ask(&served, "resources/read", &json!({"uri": missing}));
        assert_eq!(answer["error"]["code"], code, "{missing}: {answer}");
    }
}

#[test]
fn prompts_are_about_what_they_are_given() {
    let home = Home::new();
    let served = Served::new(&home);
    let listed = ask(&served, "prompts/list", &json!({}));
    let names: Vec<&str> =
        listed["result"]["prompts"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    for name in ["explain_symbol", "impact_of_change", "find_dead_code", "ide_index_skill"] {
        assert!(names.contains(&name), "{names:?}");
        let arguments = json!({"symbol": "shop.Cart", "path": "shop.Cart", "task": "shop.Cart"});
        let got = ask(&served, "prompts/get", &json!({"name": name, "arguments": arguments}));
        let text = got["result"]["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains("shop.Cart"), "{name}: {text}");
        // it leads to tools that there are
        let tools =
            text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.starts_with("ide_"));
        tools.for_each(|tool| assert!(ide_tools::find(tool).is_ok(), "{name} names {tool}"));
    }
    assert!(ask(&served, "prompts/get", &json!({"name": "nothing"})).get("error").is_some());
}
