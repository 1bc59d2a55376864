//! Coding agents on a WebSocket: the handshake, frames, and the lock file.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use ide_server::{Companion, CompanionPlaces};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::oneshot;

use crate::support::Home;

/// A companion that ends when it is dropped.
struct Served {
    port: u16,
    home: TempDir,
    end: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Served {
    fn new(home: &Home) -> Self {
        let user = tempfile::tempdir().unwrap();
        let places = CompanionPlaces {
            home: Some(user.path().to_owned()),
            state_dir: Some(user.path().join("state")),
            temporary: Some(user.path().to_owned()),
            ..CompanionPlaces::default()
        };
        let (told, port) = mpsc::channel();
        let (end, ended) = oneshot::channel();
        let app = home.app.clone();
        let thread = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
            runtime.block_on(async {
                let companion = Companion::start(&app, &places).await.unwrap().unwrap();
                told.send(companion.port()).unwrap();
                drop(ended.await);
            });
        });
        let port = port.recv().unwrap();
        Self { port, home: user, end: Some(end), thread: Some(thread) }
    }

    fn lock(&self) -> PathBuf {
        self.home.path().join(format!(".claude/ide/{}.lock", self.port))
    }

    fn token(&self) -> String {
        let lock: Value = serde_json::from_str(&std::fs::read_to_string(self.lock()).unwrap()).unwrap();
        lock["authToken"].as_str().unwrap().to_owned()
    }

    /// Opens a connection and reads the head of the answer.
    fn open(&self, path: &str, headers: &str) -> (TcpStream, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let host = if headers.contains("Host:") {
            String::new()
        } else {
            format!("Host: localhost:{}\r\n", self.port)
        };
        write!(
            stream,
            "GET {path} HTTP/1.1\r\n{host}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
        )
        .unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            if stream.read(&mut byte).unwrap() == 0 {
                break;
            }
            head.push(byte[0]);
        }
        (stream, String::from_utf8(head).unwrap().to_lowercase())
    }

    fn status(&self, path: &str, headers: &str) -> String {
        let (_, head) = self.open(path, headers);
        head.split(' ').nth(1).unwrap().to_owned()
    }

    fn client(&self, path: &str) -> TcpStream {
        let (stream, head) =
            self.open(path, &format!("X-Claude-Code-Ide-Authorization: {}\r\n", self.token()));
        assert!(head.starts_with("http/1.1 101"), "{head}");
        stream
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.end.take());
        self.thread.take().unwrap().join().unwrap();
    }
}

/// A frame of a client; the mask is zero.
fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![opcode];
    match payload.len() {
        length @ 0..=125 => frame.push(0x80 | length as u8),
        length => {
            frame.push(0x80 | 126);
            frame.extend(u16::try_from(length).unwrap().to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend(payload);
    frame
}

/// The next frame of the server: its first byte and what it holds.
fn read(stream: &mut TcpStream) -> (u8, Vec<u8>) {
    let mut head = [0; 2];
    stream.read_exact(&mut head).unwrap();
    let mut length = u64::from(head[1]);
    if head[1] == 126 {
        let mut long = [0; 2];
        stream.read_exact(&mut long).unwrap();
        length = u16::from_be_bytes(long).into();
    }
    let mut payload = vec![0; usize::try_from(length).unwrap()];
    stream.read_exact(&mut payload).unwrap();
    (head[0], payload)
}

fn say(stream: &mut TcpStream, message: &Value) {
    stream.write_all(&frame(0x81, message.to_string().as_bytes())).unwrap();
}

fn hear(stream: &mut TcpStream) -> Value {
    let (first, payload) = read(stream);
    assert_eq!(first, 0x81);
    serde_json::from_slice(&payload).unwrap()
}

fn closed_with(stream: &mut TcpStream) -> (u16, String) {
    let (first, payload) = read(stream);
    assert_eq!(first, 0x88);
    (u16::from_be_bytes([payload[0], payload[1]]), String::from_utf8(payload[2..].to_vec()).unwrap())
}

#[test]
fn every_row_of_the_handshake_table_on_the_wire() {
    let home = Home::new();
    let served = Served::new(&home);
    let token = format!("X-Claude-Code-Ide-Authorization: {}\r\n", served.token());
    let offered = |protocols: &str| {
        let (_, head) = served.open("/", &format!("{token}Sec-WebSocket-Protocol: {protocols}\r\n"));
        assert!(head.starts_with("http/1.1 101"), "{head}");
        head.lines().find(|line| line.starts_with("sec-websocket-protocol")).map(str::to_owned)
    };
    let echoed = Some("sec-websocket-protocol: mcp".to_owned());
    // the client of opencode takes nothing else
    let (_, head) = served.open("/", &token);
    assert!(head.contains("\r\nconnection: upgrade\r\n"), "{head}");
    assert_eq!(offered("mcp"), echoed);
    assert_eq!(offered("x, mcp"), echoed);
    assert_eq!(offered("x"), None);
    let (_, head) = served.open("/", &format!("{token}Sec-WebSocket-Extensions: permessage-deflate\r\n"));
    assert!(head.starts_with("http/1.1 101") && !head.contains("deflate"), "{head}");
    assert_eq!(served.status("/mcp", &token), "101");
    assert_eq!(served.status("/other", &token), "404");
    for stranger in
        ["Origin: http://localhost\r\n", "Origin: null\r\n", "Host: evil.example\r\n", "Host: 127.0.0.1\r\n"]
    {
        assert_eq!(served.status("/", &format!("{token}{stranger}")), "403", "{stranger}");
    }
    for wrong in ["", "X-Claude-Code-Ide-Authorization: x\r\n"] {
        let (mut stream, head) = served.open("/", wrong);
        assert!(head.starts_with("http/1.1 101"), "{head}");
        assert_eq!(closed_with(&mut stream), (1008, "Invalid or missing authentication token".to_owned()));
    }
    let twice = format!("{token}{token}");
    assert_eq!(closed_with(&mut served.open("/", &twice).0).0, 1008);
    assert_eq!(served.status("/", ""), "101");
    assert_eq!(served.status("/", ""), "101");
    let (_, head) = served.open("/", "");
    assert!(head.starts_with("http/1.1 429") && head.contains("retry-after: 10"), "{head}");
    assert_eq!(served.status("/", &token), "101", "whoever knows the token is let in");
}

#[test]
fn breaches_close_the_connection_with_their_code() {
    let home = Home::new();
    let served = Served::new(&home);
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "ping"}).to_string();
    let unmasked = [&[0x81, 2][..], b"{}"].concat();
    let huge = [&[0x81, 0x80 | 127][..], &(17_u64 << 20).to_be_bytes(), &[0; 4]].concat();
    for (bytes, code) in [
        (frame(0x82, b"binary"), 1003),
        (frame(0x81, b"\xff\xfe"), 1007),
        (unmasked, 1002),
        (huge, 1009),
        (frame(0x88, &1000_u16.to_be_bytes()), 1000),
    ] {
        let mut stream = served.client("/");
        stream.write_all(&bytes).unwrap();
        assert_eq!(closed_with(&mut stream).0, code);
    }
    // pieces of a message are put together, with a ping between them
    let mut stream = served.client("/");
    let (one, two) = hello.split_at(10);
    for bytes in [frame(0x01, one.as_bytes()), frame(0x89, b"p"), frame(0x80, two.as_bytes())] {
        stream.write_all(&bytes).unwrap();
    }
    assert_eq!(read(&mut stream), (0x8a, b"p".to_vec()));
    assert_eq!(hear(&mut stream)["result"], json!({}));
}

#[test]
fn a_diff_waits_for_the_person_while_other_calls_are_answered() {
    let home = Home::new();
    let served = Served::new(&home);
    let surface = home.app.hosted_surface();
    surface.attach();
    let mut stream = served.client("/");
    let path = home.dir.path().join("main.py").display().to_string();
    say(
        &mut stream,
        &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "openDiff", "arguments": {
        "old_file_path": path, "new_file_path": path, "new_file_contents": "x = 1\r\n", "tab_name": "t"}}}),
    );
    say(&mut stream, &json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}));
    assert_eq!(hear(&mut stream)["id"], 2);
    let shown = surface.diffs().remove(0);
    assert!(shown.old_text.contains("def main") && !shown.is_outside);
    assert!(surface.accept(shown.id, "x = 1\n"));
    let answer = hear(&mut stream);
    assert_eq!((&answer["id"], &answer["result"]["content"][1]["text"]), (&json!(1), &json!("x = 1\r\n")));
    assert!(home.read("main.py").contains("def main"), "the client writes the file");
    let broken = home.dir.path().join("broken.py");
    std::fs::write(&broken, "def f(:\n").unwrap();
    say(
        &mut stream,
        &json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "getDiagnostics",
        "arguments": {"uri": format!("file://{}", broken.display())}}}),
    );
    let answer = hear(&mut stream);
    let found: Value =
        serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(found[0]["diagnostics"][0]["severity"], "Error", "{answer}");
}

#[test]
fn the_lock_file_lives_as_long_as_the_server() {
    let home = Home::new();
    let served = Served::new(&home);
    let lock: Value = serde_json::from_str(&std::fs::read_to_string(served.lock()).unwrap()).unwrap();
    assert_eq!(lock["workspaceFolders"], json!([home.dir.path()]));
    assert_eq!(lock["pid"], std::process::id());
    let mut stream = served.client("/mcp");
    let path = served.lock();
    let user = served.home.path().to_owned();
    assert!(path.exists());
    drop(served);
    assert!(!path.exists() && !user.exists());
    // the connection ended with it
    let mut rest = Vec::new();
    drop(stream.read_to_end(&mut rest));
}

/// Says something to Codex's socket, and gives what comes back.
#[cfg(unix)]
fn ask_codex(stream: &mut std::os::unix::net::UnixStream, message: &Value) -> Value {
    let text = message.to_string();
    stream.write_all(&u32::try_from(text.len()).unwrap().to_le_bytes()).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    let mut length = [0; 4];
    stream.read_exact(&mut length).unwrap();
    let mut answer = vec![0; u32::from_le_bytes(length) as usize];
    stream.read_exact(&mut answer).unwrap();
    serde_json::from_slice(&answer).unwrap()
}

#[cfg(unix)]
#[test]
fn codex_finds_the_socket_and_is_told_what_is_open() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::os::unix::net::UnixStream;
    let home = Home::new();
    let surface = home.app.hosted_surface();
    surface.attach();
    let path = home.dir.path().join("main.py").display().to_string();
    let start = ide_model::LineColumn { line: 4, column: 5 };
    let selection = ide_model::Selection { start, end: ide_model::LineColumn { line: 4, column: 9 } };
    surface.person_selects(&path, selection, true).unwrap();
    let served = Served::new(&home);
    let folder = served.home.path().join("codex-ipc");
    let uid = served.home.path().metadata().unwrap().uid();
    let socket = folder.join(format!("ipc-{uid}.sock"));
    while !socket.exists() {
        std::thread::yield_now();
    }
    assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    let mut stream = UnixStream::connect(&socket).unwrap();
    let request = |method: &str, params: Value| {
        json!({"type": "request", "requestId": method, "sourceClientId": "initializing-client", "version": 0,
            "method": method, "params": params})
    };
    let hello = ask_codex(&mut stream, &request("initialize", json!({"clientType": "desktop"})));
    assert_eq!((&hello["resultType"], &hello["requestId"]), (&json!("success"), &json!("initialize")));
    assert!(hello["result"]["clientId"].is_string());
    let root = home.dir.path().display().to_string();
    let told = ask_codex(&mut stream, &request("ide-context", json!({"workspaceRoot": root})));
    let active = &told["result"]["ideContext"]["activeFile"];
    assert_eq!((&active["path"], &active["activeSelectionContent"]), (&json!("main.py"), &json!("main")));
    assert_eq!(active["selection"]["start"], json!({"line": 3, "character": 4}));
    let none = ask_codex(&mut stream, &request("ide-context", json!({"workspaceRoot": "/elsewhere"})));
    assert_eq!(none["error"], "no-client-found");
    drop(served);
    assert!(!socket.exists());
}

#[test]
fn gemini_finds_its_file_and_nobody_else_gets_in() {
    let home = Home::new();
    let served = Served::new(&home);
    let folder = served.home.path().join("gemini/ide");
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let known: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let (port, token) = (known["port"].as_u64().unwrap(), known["authToken"].as_str().unwrap());
    let name = file.file_name().unwrap().to_str().unwrap();
    assert_eq!(name, format!("gemini-ide-server-{}-{port}.json", std::process::id()));
    assert_eq!(known["workspacePath"], home.dir.path().display().to_string());
    let ask = |path: &str, headers: &str| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
            "capabilities": {}, "clientInfo": {"name": "gemini-cli", "version": "1"}}})
        .to_string();
        let host =
            if headers.contains("Host:") { String::new() } else { format!("Host: 127.0.0.1:{port}\r\n") };
        let mut stream = TcpStream::connect(("127.0.0.1", u16::try_from(port).unwrap())).unwrap();
        write!(
            stream,
            "POST {path} HTTP/1.1\r\n{host}{headers}Content-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().to_owned()
    };
    let bearer = format!("Authorization: Bearer {token}\r\n");
    assert_eq!(ask("/mcp", &bearer), "200");
    assert_eq!(ask("/", &bearer), "404");
    for (wrong, status) in [
        (String::new(), "401"),
        ("Authorization: Bearer x\r\n".to_owned(), "401"),
        (format!("{bearer}Origin: http://127.0.0.1:{port}\r\n"), "403"),
        (format!("{bearer}Origin: null\r\n"), "403"),
        (format!("{bearer}Host: evil.example\r\n"), "403"),
    ] {
        assert_eq!(ask("/mcp", &wrong), status, "{wrong}");
    }
    drop(served);
    assert!(!file.exists());
}

/// A client of the port in a discovery file, which speaks HTTP with it.
struct OverHttp {
    port: u16,
    headers: String,
}

impl OverHttp {
    fn new(file: &Path) -> Self {
        let known: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let port = u16::try_from(known["port"].as_u64().unwrap()).unwrap();
        let token = known["authToken"].as_str().unwrap();
        let mut client = Self { port, headers: format!("Authorization: Bearer {token}\r\n") };
        // Both programs introduce themselves by this name.
        let hello = client
            .post(&json!({"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
            "capabilities": {}, "clientInfo": {"name": "streamable-http-client", "version": "1.0.0"}}}));
        let line =
            hello.lines().find(|line| line.to_ascii_lowercase().starts_with("mcp-session-id:")).unwrap();
        client.headers.push_str(&format!("{line}\r\nMCP-Protocol-Version: 2025-06-18\r\n"));
        client.post(&json!({"method": "notifications/initialized"}));
        client
    }

    fn send(&self, method: &str, headers: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(
            stream,
            "{method} /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}{headers}Content-Length: {}\r\n\r\n{body}",
            self.port,
            self.headers,
            body.len()
        )
        .unwrap();
        stream
    }

    fn post(&self, message: &Value) -> String {
        let mut message = message.clone();
        message["jsonrpc"] = "2.0".into();
        let headers = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Connection: close\r\n";
        let mut answer = String::new();
        self.send("POST", headers, &message.to_string()).read_to_string(&mut answer).unwrap();
        answer
    }

    fn call(&self, tool: &str, arguments: &Value) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        self.post(&json!({"id": 1, "method": "tools/call", "params": params}))
    }

    /// Messages that the server sends by itself.
    fn events(&self) -> BufReader<TcpStream> {
        let mut events = BufReader::new(self.send("GET", "Accept: text/event-stream\r\n", ""));
        let mut line = String::new();
        events.read_line(&mut line).unwrap();
        assert!(line.contains(" 200 "), "{line}");
        events
    }
}

/// The method and the file of the next news about a diff.
fn next_of_diff(events: &mut BufReader<TcpStream>) -> (String, String) {
    loop {
        let mut line = String::new();
        assert!(events.read_line(&mut line).unwrap() > 0, "no more events");
        let news =
            line.strip_prefix("data:").and_then(|data| serde_json::from_str::<Value>(data.trim()).ok());
        let news = news.unwrap_or_default();
        if let Some(method) = news["method"].as_str().filter(|method| method.starts_with("ide/diff")) {
            return (method.to_owned(), news["params"]["filePath"].as_str().unwrap().to_owned());
        }
    }
}

#[test]
fn a_diff_that_nobody_decided_is_told_as_each_program_knows_it() {
    let home = Home::new();
    let served = Served::new(&home);
    let surface = home.app.hosted_surface();
    let only = |folder: &str| {
        let folder = served.home.path().join(folder);
        std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path()
    };
    let path = home.dir.path().join("main.py").display().to_string();
    for (folder, program, closed) in
        [("gemini/ide", "Gemini CLI", "ide/diffRejected"), (".qwen/ide", "Qwen Code", "ide/diffClosed")]
    {
        surface.attach();
        let client = OverHttp::new(&only(folder));
        let mut events = client.events();
        let open = json!({"filePath": path, "newContent": "x = 1\n"});
        client.call("openDiff", &open);
        assert_eq!(surface.diffs()[0].request.proposed_by, program);
        let content = client.call("closeDiff", &json!({"filePath": path}));
        assert!(content.contains("x = 1"), "{content}");
        assert_eq!(next_of_diff(&mut events), (closed.to_owned(), path.clone()), "closed by {program}");
        client.call("openDiff", &open);
        surface.detach();
        surface.give_up();
        assert_eq!(
            next_of_diff(&mut events),
            (closed.to_owned(), path.clone()),
            "nobody looks at {program}'s"
        );
    }
}
