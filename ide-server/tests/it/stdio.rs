//! Messages on a stream.

use std::io::{BufRead as _, BufReader, Write as _};

use ide_server::{AppState, Config, Places, embedded};
use ide_tools::Catalogue;
use mcp_transport_stdio::{Options, Threads, serve};
use serde_json::{Value, json};

use crate::support::{Home, write};

/// The answers to a conversation, by id.
fn talk(home: &Home, version: &str, requests: &[Value]) -> Vec<Value> {
    let server = ide_server::mcp_server(&home.app, Threads::new(2), Catalogue::Ide).unwrap();
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let lines = [hello, ready].into_iter().chain(requests.iter().cloned());
    let input: String = lines.map(|line| format!("{line}\n")).collect();
    let mut output = Vec::new();
    serve(&server, &Options::default().finish_at_end(true), input.as_bytes(), &mut output).unwrap();
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

/// The answer to a client that names the folders it works in, from a server that was started in `dir`, and the
/// number of times that the client was asked.
fn ask_from(dir: &std::path::Path, roots: &Value, args: Value) -> (Value, usize) {
    let config = Config {
        working_dir: Some(dir.to_owned()),
        allowed_roots: Some(vec![std::env::temp_dir()]),
        ..Config::default()
    };
    let app = AppState::new(config, &Places::default(), Box::new(embedded)).unwrap();
    let server = ide_server::mcp_server(&app, Threads::new(2), Catalogue::Ide).unwrap();
    let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    std::thread::scope(|scope| {
        let reader = theirs.try_clone().unwrap();
        scope.spawn(move || serve(&server, &Options::default(), reader, theirs).unwrap());
        let mut lines = BufReader::new(ours.try_clone().unwrap()).lines();
        let say = |message: Value| writeln!(&ours, "{message}").unwrap();
        say(
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25",
            "capabilities": {"roots": {}}, "clientInfo": {"name": "test", "version": "1"}}}),
        );
        say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        say(call(1, "ide_find_symbol", args));
        let mut asked = 0;
        loop {
            let line = lines.next().expect("the server answers").unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["method"] == "roots/list" {
                asked += 1;
                say(json!({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": roots}}));
            } else if message["id"] == 1 {
                ours.shutdown(std::net::Shutdown::Both).unwrap();
                return (message["result"]["structuredContent"].clone(), asked);
            }
        }
    })
}

#[test]
fn the_clients_folders_say_which_project_is_meant() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(here.path(), "a.py", "def hello(): ...\n");
    write(there.path(), "b.py", "def hello(): ...\n");
    write(here.path(), ".git/HEAD", "");
    let roots = json!([{"uri": format!("file://{}", there.path().display())}]);
    let find = json!({"query": "hello"});
    let file = |(answer, asked): (Value, usize)| (answer["symbols"][0]["file"].clone(), asked);
    assert_eq!(
        file(ask_from(here.path(), &roots, find.clone())),
        (json!("b.py"), 1),
        "they win over where we are"
    );
    assert_eq!(file(ask_from(here.path(), &json!([]), find)), (json!("a.py"), 1), "none: where we are");
    let named = json!({"query": "hello", "project_path": here.path()});
    assert_eq!(
        file(ask_from(here.path(), &roots, named)),
        (json!("a.py"), 0),
        "a named project needs no question"
    );
}

#[test]
fn a_home_directory_is_no_project_by_chance() {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), "a.py", "def hello(): ...\n");
    let config = Config { working_dir: Some(home.path().to_owned()), ..Config::default() };
    let places = Places { home: Some(home.path().to_owned()), ..Places::default() };
    let app = AppState::new(config, &places, Box::new(embedded)).unwrap();
    let tool = ide_tools::find("ide_find_symbol").unwrap();
    let reply = app.session("test", Vec::new()).call(tool, json!({"query": "hello"}), None);
    let error: Value = serde_json::from_str(&reply.json).unwrap();
    assert_eq!(error["error"], "no_project_open", "{error}");
}
