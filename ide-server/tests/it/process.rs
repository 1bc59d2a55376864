//! The built program as a process: many calls at once, and kills in the middle of writing.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use test_fixture::scaled;

use crate::support::write;

/// A server that was started on a project.
pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    pub(crate) fn start(home: &Path) -> Self {
        let config = home.join("config.toml");
        std::fs::write(&config, "enabled_tools = [\"ide_replace_text_in_file\", \"ide_undo\"]\n").unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_ide-index-mcp"))
            .args(["stdio", "--config"])
            .arg(&config)
            .arg("--project")
            .arg(home.join("p"))
            .env("XDG_CACHE_HOME", home.join("cache"))
            .env("XDG_STATE_HOME", home.join("state"))
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("HOME", home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, input, output };
        server.send(&json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}));
        server.answer();
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
        self.input.flush().unwrap();
    }

    pub(crate) fn ask(&mut self, id: usize, tool: &str, arguments: &Value) {
        let params = json!({"name": tool, "arguments": arguments});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }

    /// The next answer.
    pub(crate) fn answer(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message.get("method").is_none() {
                return message;
            }
        }
    }

    /// Ends the input and waits for the end of the process.
    pub(crate) fn finish(self) {
        let Self { mut child, input, .. } = self;
        drop(input);
        child.wait().unwrap();
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn tree(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        found.insert(name, std::fs::read_to_string(&path).unwrap());
    }
    found
}

const TURNS: usize = 6;

/// Every client counts its own line of one file up, in turns with reads; none waits for another.
#[test]
fn edits_of_many_clients_are_all_there() {
    let clients = scaled(12, 64);
    let home = TempDir::new().unwrap();
    let lines: String = (0..clients).map(|i| format!("def count_{i}():\n    return 0\n\n\n")).collect();
    write(&home.path().join("p"), "all.py", &lines);
    write(&home.path().join("p"), "use.py", "from all import count_1\n\nprint(count_1())\n");
    let mut server = Server::start(home.path());
    let mut counts = vec![0_usize; clients];
    let mut turns = vec![0_usize; clients];
    let send = |server: &mut Server, client: usize, turn: usize, count: usize| {
        let (tool, arguments) = if turn.is_multiple_of(2) {
            let text = |n: usize| format!("def count_{client}():\n    return {n}\n");
            (
                "ide_replace_text_in_file",
                json!({"file": "all.py", "search": text(count), "replace": text(count + 1)}),
            )
        } else {
            match client % 4 {
                0 => ("ide_find_symbol", json!({"query": format!("count_{client}")})),
                1 => ("ide_find_references", json!({"language": "Python", "symbol": "all.count_1"})),
                2 => ("ide_search_text", json!({"query": "return"})),
                _ => (
                    "ide_refactor_rename",
                    json!({"language": "Python", "symbol": "all.count_2", "newName": "other", "dryRun": true}),
                ),
            }
        };
        server.ask(client, tool, &arguments);
    };
    (0..clients).for_each(|client| send(&mut server, client, 0, 0));
    let mut open = clients;
    let mut again = 0;
    while open > 0 {
        let answer = server.answer();
        let client = answer["id"].as_u64().unwrap() as usize;
        let result = &answer["result"];
        let is_write = turns[client].is_multiple_of(2);
        if result["isError"] == true {
            let error = &result["structuredContent"];
            assert!(error["retryable"] == true, "{error}");
            again += 1;
            assert!(again < 20_000, "no one gets ahead");
        } else {
            counts[client] += usize::from(is_write);
            turns[client] += 1;
        }
        if turns[client] < TURNS {
            send(&mut server, client, turns[client], counts[client]);
        } else {
            open -= 1;
        }
    }
    let text = std::fs::read_to_string(home.path().join("p/all.py")).unwrap();
    let wanted: String =
        (0..clients).map(|i| format!("def count_{i}():\n    return {}\n\n\n", TURNS / 2)).collect();
    assert_eq!(text, wanted);
    server.kill();
}

const FILES: usize = 100;

fn project(name: &str) -> BTreeMap<String, String> {
    let user = |i: usize| (format!("f{i}.py"), format!("from home import {name}\n\nx{i} = {name}()\n"));
    let home = ("home.py".to_owned(), format!("def {name}():\n    return 1\n"));
    (0..FILES).map(user).chain([home]).collect()
}

/// A server that is killed while it renames leaves, once the next one has started, all old files or all new ones.
#[test]
fn a_kill_while_renaming_leaves_all_or_nothing() {
    let memory = Path::new("/dev/shm");
    let home = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }.unwrap();
    let root = home.path().join("p");
    for (path, text) in project("old_name") {
        write(&root, &path, &text);
    }
    let mut name = "old_name";
    for round in 0..scaled(4, 10) {
        let new = if name == "old_name" { "new_name" } else { "old_name" };
        let mut server = Server::start(home.path());
        server.ask(1, "ide_find_symbol", &json!({"query": name}));
        assert_eq!(server.answer()["result"]["structuredContent"]["symbols"][0]["name"], name);
        let place = json!({"file": "home.py", "line": 1, "column": 5, "newName": new});
        server.ask(2, "ide_refactor_rename", &place);
        // The plan takes most of the time; what is written is written at the end of it.
        let (send, receive) = std::sync::mpsc::channel::<()>();
        let end = receive.recv_timeout(Duration::from_micros(round * 37_919 % 400_000));
        assert_eq!(end, Err(std::sync::mpsc::RecvTimeoutError::Timeout));
        drop(send);
        server.kill();
        let mut next = Server::start(home.path());
        next.ask(1, "ide_find_symbol", &json!({"query": "_name"}));
        next.answer();
        let found = tree(&root);
        name = if found == project(new) { new } else { name };
        assert!(found == project(name), "round {round}: neither old nor new");
        next.kill();
    }
}
