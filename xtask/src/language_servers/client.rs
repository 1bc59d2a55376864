//! A small client of language servers: one request at a time.

use std::fs;
use std::io::{BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use crate::editors::body;

pub(super) struct Client {
    child: Child,
    stdin: ChildStdin,
    messages: Receiver<Value>,
    next: u64,
}

/// The address of a file. Projects of the table have no names that need more.
pub(super) fn url(path: &Path) -> String {
    format!("file://{}", path.display()).replace(' ', "%20")
}

const START: Duration = Duration::from_secs(120);

impl Client {
    /// Starts a server on a folder and performs the handshake.
    pub(super) fn start(command: &mut Command, root: &Path) -> Result<Self> {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let stdin = child.stdin.take().context("stdin was piped")?;
        let mut stdout = BufReader::new(child.stdout.take().context("stdout was piped")?);
        let (send, messages) = channel();
        std::thread::spawn(move || {
            // The end of the pipe, however it comes, is found by who waits.
            while let Ok(Some(body)) = body(&mut stdout) {
                let Ok(message) = serde_json::from_slice(&body) else { return };
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        let mut client = Self { child, stdin, messages, next: 0 };
        let params = json!({
            "processId": std::process::id(),
            "rootUri": url(root),
            "workspaceFolders": [{ "uri": url(root), "name": "project" }],
            "capabilities": {
                "workspace": { "configuration": true, "workspaceFolders": true },
                "textDocument": {
                    "completion": { "completionItem": { "snippetSupport": false } },
                    "definition": { "linkSupport": false },
                },
                "window": { "workDoneProgress": true },
            },
        });
        client.ask("initialize", &params, START)?;
        client.tell("initialized", &json!({}))?;
        Ok(client)
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let text = message.to_string();
        write!(self.stdin, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        self.stdin.flush().context("the server closed its input")
    }

    pub(super) fn tell(&mut self, method: &str, params: &Value) -> Result<()> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    /// The result of a request. Requests of the server meanwhile get an answer that means nothing.
    pub(super) fn ask(&mut self, method: &str, params: &Value, patience: Duration) -> Result<Value> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        let until = Instant::now() + patience;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let mut message =
                self.messages.recv_timeout(left).with_context(|| format!("{method}: no answer"))?;
            if message.get("method").is_some() {
                if let Some(asked) = message.get("id") {
                    let count = message["params"]["items"].as_array().map_or(0, Vec::len);
                    let result = if count > 0 { json!(vec![Value::Null; count]) } else { Value::Null };
                    let answer = json!({ "jsonrpc": "2.0", "id": asked, "result": result });
                    self.send(&answer)?;
                }
                continue;
            }
            if message["id"] != id {
                continue;
            }
            if let Some(error) = message.get("error") {
                bail!("{method}: {error}");
            }
            return Ok(message["result"].take());
        }
    }

    /// Bytes that the server and what it started hold in memory.
    pub(super) fn memory(&self) -> u64 {
        let mut processes: Vec<(u32, u32, u64)> = Vec::new();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            let status = fs::read_to_string(entry.path().join("status")).unwrap_or_default();
            let number = |name: &str| {
                let line = status.lines().find_map(|line| line.strip_prefix(name))?;
                line.split_whitespace().next()?.parse::<u64>().ok()
            };
            processes.push((pid, number("PPid:").unwrap_or(0) as u32, number("VmRSS:").unwrap_or(0) << 10));
        }
        let (mut open, mut total) = (vec![self.child.id()], 0);
        while let Some(at) = open.pop() {
            for (pid, parent, bytes) in &processes {
                total += if *pid == at { *bytes } else { 0 };
                if *parent == at {
                    open.push(*pid);
                }
            }
        }
        total
    }

    pub(super) fn end(mut self) {
        if self.ask("shutdown", &Value::Null, Duration::from_secs(5)).is_ok() {
            // One that is gone needs no farewell.
            drop(self.tell("exit", &Value::Null));
        }
        let until = Instant::now() + Duration::from_secs(3);
        while Instant::now() < until && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
