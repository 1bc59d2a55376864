//! A minimal MCP client over standard input and output of a child process.
//!
//! Deliberately not built on our own protocol crate: what measures the server must not share its mistakes.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

const PROTOCOL: &str = "2025-11-25";

/// A connected, initialized server.
pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: u64,
    timeout: Duration,
    /// Answers that came before they were waited for.
    held: BTreeMap<u64, Value>,
}

/// The answer of a tool: the structured value, and whether the tool called it an error.
pub(crate) struct ToolAnswer {
    pub(crate) value: Value,
    pub(crate) is_error: bool,
}

impl Client {
    /// Starts `command`, performs the handshake. `timeout` bounds every single request.
    pub(crate) fn start(command: &mut Command, timeout: Duration) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {command:?}"))?;
        let stdout = child.stdout.take().expect("stdout was piped");
        let (send, lines) = channel();
        std::thread::spawn(move || {
            // a closed pipe and an unreadable one both end the stream; the waiting request reports it
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let stdin = child.stdin.take();
        let mut client = Self { child, stdin, lines, next_id: 0, timeout, held: BTreeMap::new() };
        client.request("initialize", &json!({"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "xtask", "version": "1"}}))?;
        client.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    /// Ends the server without asking it.
    pub(crate) fn kill(mut self) {
        self.child.kill().ok();
    }

    /// One request; a JSON-RPC error, a closed stream and a timeout are errors.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        let id = self.send(method, params)?;
        self.wait(id, method)
    }

    fn send(&mut self, method: &str, params: &Value) -> Result<u64> {
        self.next_id += 1;
        let id = self.next_id;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        Ok(id)
    }

    fn wait(&mut self, id: u64, method: &str) -> Result<Value> {
        if let Some(mut message) = self.held.remove(&id) {
            return Ok(message["result"].take());
        }
        let deadline = Instant::now() + self.timeout;
        loop {
            let line = match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => bail!("{method}: no answer within {:?}", self.timeout),
                Err(RecvTimeoutError::Disconnected) => bail!("{method}: the server closed its output"),
            };
            if line.trim().is_empty() {
                continue;
            }
            let mut message: Value = serde_json::from_str(&line)
                .with_context(|| format!("stdout carries something that is not JSON: {line:.200}"))?;
            if message.get("method").is_some() {
                if let Some(asked) = message.get("id") {
                    let refusal = json!({"jsonrpc": "2.0", "id": asked, "error": {"code": -32601, "message": "not supported by this client"}});
                    self.write(&refusal)?;
                }
                continue;
            }
            if let Some(other) = message["id"].as_u64().filter(|other| *other != id) {
                self.held.insert(other, message);
                continue;
            }
            if let Some(error) = message.get("error") {
                bail!("{method}: {error}");
            }
            return Ok(message["result"].take());
        }
    }

    /// Calls a tool. The value is the first text block when it is a JSON object or list, else all text blocks
    /// together, else the structured content, else `{"_text": …}`.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<ToolAnswer> {
        let id = self.begin(tool, arguments)?;
        self.end(id)
    }

    /// Begins a call, so that others can be begun before it ends.
    pub(crate) fn begin(&mut self, tool: &str, arguments: &Value) -> Result<u64> {
        self.send("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Waits for a call that was begun.
    pub(crate) fn end(&mut self, id: u64) -> Result<ToolAnswer> {
        let result = self.wait(id, "tools/call")?;
        let is_error = result["isError"].as_bool().unwrap_or(false);
        let blocks = result["content"].as_array().map_or(&[][..], Vec::as_slice);
        let texts: Vec<&str> =
            blocks.iter().filter(|b| b["type"] == "text").filter_map(|b| b["text"].as_str()).collect();
        let all = texts.join("\n");
        let parsed = texts
            .first()
            .copied()
            .into_iter()
            .chain([&*all])
            .filter_map(|t| serde_json::from_str::<Value>(t).ok());
        let structured = result.get("structuredContent").cloned();
        let value = parsed
            .chain(structured)
            .find(|v| v.is_object() || v.is_array())
            .unwrap_or_else(|| json!({"_text": all}));
        Ok(ToolAnswer { value, is_error })
    }

    /// The server's process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends the server's input.
    pub(crate) fn close(&mut self) {
        drop(self.stdin.take());
    }

    pub(crate) fn has_ended(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Every page of `tools/list`.
    pub(crate) fn tools(&mut self) -> Result<Vec<Value>> {
        let mut tools = Vec::new();
        let mut params = json!({});
        loop {
            let mut page = self.request("tools/list", &params)?;
            let Value::Array(listed) = page["tools"].take() else {
                bail!("tools/list: no list of tools in {page}")
            };
            tools.extend(listed);
            let Some(cursor) = page["nextCursor"].as_str() else { return Ok(tools) };
            params = json!({"cursor": cursor});
        }
    }

    fn write(&mut self, message: &Value) -> Result<()> {
        let stdin = self.stdin.as_mut().context("the connection is closed")?;
        let mut line = message.to_string();
        line.push('\n');
        stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).context("the server closed its input")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // end of input means shutdown; insist after five seconds
        let deadline = Instant::now() + Duration::from_secs(5);
        while matches!(self.child.try_wait(), Ok(None)) {
            if Instant::now() >= deadline {
                self.child.kill().ok();
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        self.child.wait().ok();
    }
}
