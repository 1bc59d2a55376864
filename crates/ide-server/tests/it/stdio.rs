//! Messages on a stream.

use mcp_transport_stdio::{Options, Threads, serve};
use serde_json::{Value, json};

use crate::support::Home;

/// The answers to a conversation, by id.
fn talk(home: &Home, version: &str, requests: &[Value]) -> Vec<Value> {
    let server = ide_server::mcp_server(&home.house, Threads::new(2)).unwrap();
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let lines = [hello, ready].into_iter().chain(requests.iter().cloned());
    let input: String = lines.map(|line| format!("{line}\n")).collect();
    let mut output = Vec::new();
    serve(&server, &Options { finish_at_end: true, ..Options::default() }, input.as_bytes(), &mut output)
        .unwrap();
    let mut answers: Vec<Value> =
        String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    answers
}

fn call(id: u32, tool: &str, args: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": args}})
}

#[test]
fn the_default_list_is_small_and_results_fit_the_revision() {
    let home = Home::new();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let find = call(2, "ide_find_symbol", json!({"query": "greet"}));
    let new = talk(&home, "2025-11-25", &[list, find.clone()]);
    let tools = new[1]["result"]["tools"].as_array().unwrap();
    assert!(tools.len() >= 17 && new[1].to_string().len() / 4 < 4_000, "{} bytes", new[1].to_string().len());
    let result = &new[2]["result"];
    assert_eq!(result["structuredContent"]["symbols"][0]["name"], "greet");
    assert!(
        result["content"][0]["text"].as_str().unwrap().starts_with("METHOD greeter.")
            || result["content"][0]["text"].as_str().unwrap().contains("symbols match")
    );

    let old = talk(&home, "2024-11-05", &[find]);
    let result = &old[1]["result"];
    assert!(result.get("structuredContent").is_none());
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text["symbols"][0]["name"], "greet");
}

#[test]
fn errors_are_results_that_the_model_reads() {
    let home = Home::new();
    let answers = talk(
        &home,
        "2025-06-18",
        &[call(1, "ide_find_refrences", json!({})), call(2, "find_usages", json!({"symbl": "x"}))],
    );
    let unknown = &answers[1]["result"];
    assert_eq!(
        (&unknown["isError"], &unknown["structuredContent"]["error"]),
        (&json!(true), &json!("unknown_tool"))
    );
    let typo = &answers[2]["result"]["structuredContent"];
    assert_eq!(
        (&typo["error"], &typo["hint"]),
        (&json!("invalid_argument"), &json!("did you mean `symbol`?"))
    );
}

#[test]
fn many_calls_at_once_are_all_answered() {
    let home = Home::new();
    let calls: Vec<Value> = (1..=64)
        .map(|id| match id % 4 {
            0 => call(id, "ide_find_symbol", json!({"query": "hello"})),
            1 => call(id, "ide_find_file", json!({"query": "greet"})),
            2 => call(id, "ide_find_references", json!({"file": "greeter.py", "line": 8, "column": 5})),
            _ => call(id, "ide_find_definition", json!({"file": "main.py", "line": 7, "column": 5})),
        })
        .collect();
    let answers = talk(&home, "2025-11-25", &calls);
    assert_eq!(answers.len(), 65);
    assert!(answers.iter().all(|answer| answer["result"].get("isError").is_none()), "{answers:?}");
}
