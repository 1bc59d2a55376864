//! Sessions of real editors, recorded by `cargo xtask editors --record`: the same messages get the same answers.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use test_fixture::scaled;

use crate::support::write;

fn receive(output: &mut BufReader<ChildStdout>) -> Value {
    let mut length = 0;
    loop {
        let mut line = String::new();
        assert!(output.read_line(&mut line).unwrap() > 0, "the server went away");
        match line.trim().split_once(": ") {
            Some(("Content-Length", n)) => length = n.parse().unwrap(),
            _ if line.trim().is_empty() => break,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).unwrap();
    serde_json::from_slice(&body).unwrap()
}

/// The part of an answer that is promised: completions are compared as sets, for their order is a matter of measurement.
fn promised(method: &str, answer: &Value) -> Value {
    if method == "initialize" {
        return Value::from(answer["result"]["capabilities"].is_object());
    }
    if method == "textDocument/completion"
        && let Some(items) = answer.pointer("/result/items").and_then(Value::as_array)
    {
        let mut labels: Vec<String> = items.iter().map(|item| item["label"].to_string()).collect();
        labels.sort();
        return json!(labels);
    }
    let mut answer = answer.clone();
    // The name of a list of tokens has no meaning but for the server.
    if method.starts_with("textDocument/semanticTokens")
        && let Some(result) = answer.get_mut("result").and_then(Value::as_object_mut)
    {
        result.remove("resultId");
    }
    answer
}

/// Answers every request of a recording, with the files of that moment on the disk, and compares.
fn replay(name: &str, recording: &str) {
    let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let root = folder.path().canonicalize().unwrap().join("shop");
    std::fs::create_dir(&root).unwrap();
    let mut server = Command::new(env!("CARGO_BIN_EXE_ide-index-mcp"))
        .arg("lsp")
        .current_dir(home.path())
        .env("HOME", home.path())
        .env("XDG_CACHE_HOME", home.path().join("cache"))
        .env("XDG_STATE_HOME", home.path().join("state"))
        .env("XDG_CONFIG_HOME", home.path().join("config"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    let recording = recording.replace("{root}", root.to_str().unwrap());
    let entries: Vec<Value> = recording.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // A request that is taken back is answered or not, as it comes.
    let taken_back = entries.iter().map(|entry| &entry["message"]);
    let taken_back = taken_back.filter(|message| message["method"] == "$/cancelRequest");
    let cancelled: HashSet<String> = taken_back.map(|message| message["params"]["id"].to_string()).collect();
    let mut methods: HashMap<String, String> = HashMap::new();
    let mut answers: HashMap<String, Value> = HashMap::new();
    let mut compared = 0;
    for entry in &entries {
        let message = &entry["message"];
        match entry["from"].as_str().unwrap() {
            "disk" => write(&root, entry["file"].as_str().unwrap(), entry["text"].as_str().unwrap()),
            "client" => {
                if let (Some(method), id) = (message["method"].as_str(), &message["id"]) {
                    methods.insert(id.to_string(), method.to_owned());
                }
                let text = message.to_string();
                write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
                input.flush().unwrap();
            }
            // Messages that nobody asked for come when they come.
            _ if message.get("method").is_some() => {}
            _ => {
                let id = message["id"].to_string();
                while !answers.contains_key(&id) {
                    let found = receive(&mut output);
                    if found.get("method").is_none() {
                        answers.insert(found["id"].to_string(), found);
                    }
                }
                let method = &methods[&id];
                let found = answers.remove(&id).unwrap();
                // The result that a delta counts from depends on which requests were taken back in time.
                let is_delta = method == "textDocument/semanticTokens/full/delta";
                if cancelled.contains(&id) || is_delta && !cancelled.is_empty() {
                    continue;
                }
                assert_eq!(
                    promised(method, &found),
                    promised(method, message),
                    "{name}: {method} {id}\nfound {found}"
                );
                compared += 1;
            }
        }
    }
    drop(input);
    server.wait().unwrap();
    assert!(compared >= 12, "{name}: {compared} answers");
}

#[test]
fn recorded_editors_get_the_same_answers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded");
    let mut clients: Vec<String> = Vec::new();
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    // There are seven languages to each editor, so a step of four takes in all of both.
    for path in paths.iter().step_by(scaled(4, 1)) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        replay(&name, &std::fs::read_to_string(path).unwrap());
        clients.push(name.rsplit_once('-').unwrap().0.to_owned());
    }
    for client in ["neovim", "pytest-lsp", "helix", "vscode"] {
        assert!(clients.iter().any(|name| name == client), "no recording of {client}");
    }
}
