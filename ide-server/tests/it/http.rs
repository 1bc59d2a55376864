//! Requests on a socket.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;

use serde_json::json;
use tokio::sync::oneshot;

use crate::support::Home;

/// A server on a free port that ends when it is dropped.
pub(crate) struct Served {
    address: SocketAddr,
    end: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Served {
    pub(crate) fn new(home: &Home) -> Self {
        let (told, address) = mpsc::channel();
        let (end, ended) = oneshot::channel();
        let app = home.app.clone();
        let thread = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
            let shutdown = async { drop(ended.await) };
            runtime
                .block_on(ide_server::serve(
                    app,
                    |listening| told.send(listening.address()).unwrap(),
                    shutdown,
                ))
                .unwrap();
        });
        let address = address.recv().expect("the server tells its address");
        Self { address, end: Some(end), thread: Some(thread) }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Status line and body of a request.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> (String, String) {
        let (head, body) = self.ask_whole(method, path, headers, body);
        (head.lines().next().unwrap().to_owned(), body)
    }

    /// Head and body of a request.
    fn ask_whole(&self, method: &str, path: &str, headers: &str, body: &str) -> (String, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let host =
            if headers.contains("Host:") { String::new() } else { format!("Host: {}\r\n", self.address) };
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\n{host}{headers}Content-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let told = self.end.take().is_some_and(|end| end.send(()).is_ok());
        assert!(told || std::thread::panicking(), "the server ended by itself");
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

fn hello() -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}})
    .to_string()
}

#[test]
fn calls_are_answered_and_strangers_are_not() {
    let home = Home::new();
    let served = Served::new(&home);
    for path in ["/index-mcp/streamable-http", "/mcp", "/intellij/mcp"] {
        let (status, body) = served.ask("POST", path, "", &hello());
        assert!(status.contains("200") && body.contains("\"serverInfo\""), "{status} {body}");
    }
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "ide_find_class", "arguments": {"query": "Greeter"}}})
    .to_string();
    let (status, body) = served.ask(
        "POST",
        "/mcp",
        "MCP-Protocol-Version: 2025-06-18\r\nMcp-Session-Id: of-yesterday\r\n",
        &call,
    );
    assert!(
        status.contains("200") && body.contains("greeter.py"),
        "a stale session is no obstacle: {status} {body}"
    );

    for stranger in ["Origin: https://example.org\r\n", "Origin: null\r\n", "Host: example.org\r\n"] {
        let (status, _) = served.ask("POST", "/mcp", stranger, &hello());
        assert!(status.contains("403"), "{stranger} {status}");
    }
    let (status, body) = served.ask("GET", "/", "", "");
    assert!(status.contains("404") && body.contains("/index-mcp/streamable-http"), "{status} {body}");
}

#[test]
fn a_client_that_keeps_its_id_is_known_by_name_after_a_restart_too() {
    let home = Home::new();
    let first = Served::new(&home);
    let hello = hello().replace("\"test\"", "\"codex-mcp-client\"").replace(
        "\"capabilities\":{}",
        "\"capabilities\":{\"extensions\":{\"io.modelcontextprotocol/ui\":{}}}",
    );
    let (head, _) = first.ask_whole("POST", "/mcp", "", &hello);
    let id = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap().to_owned();
    drop(first);
    let served = Served::new(&home);
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "ide_find_class", "arguments": {"query": "Greeter"}}})
    .to_string();
    let call = |headers: &str| {
        let headers = format!("MCP-Protocol-Version: 2025-06-18\r\n{headers}");
        served.ask("POST", "/mcp", &headers, &call).1
    };
    let (known, unknown) = (call(&format!("Mcp-Session-Id: {id}\r\n")), call(""));
    assert!(known.contains("greeter.py") && !known.contains("structuredContent"), "{known}");
    assert!(unknown.contains("structuredContent"), "{unknown}");
    let list = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list"}).to_string();
    let headers = format!("MCP-Protocol-Version: 2025-06-18\r\nMcp-Session-Id: {id}\r\n");
    assert!(served.ask("POST", "/mcp", &headers, &list).1.contains("ui://ide-index/calls"));
}

/// The request of a WebSocket client that opens a connection; the key is the one of RFC 6455.
const UPGRADE: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mcp\r\n";

#[test]
fn a_websocket_is_opened_answers_and_is_closed() {
    let home = Home::new();
    let served = Served::new(&home);
    let mut stream = TcpStream::connect(served.address).unwrap();
    let head = format!("GET /index-mcp/ws HTTP/1.1\r\nHost: {}\r\n{UPGRADE}\r\n", served.address);
    stream.write_all(head.as_bytes()).unwrap();
    // masked, as a client's frames must be; the mask is zero
    let hello = hello();
    let length = u16::try_from(hello.len()).unwrap().to_be_bytes();
    stream.write_all(&[0x81, 0x80 | 126, length[0], length[1], 0, 0, 0, 0]).unwrap();
    stream.write_all(hello.as_bytes()).unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"}}") {
        let mut chunk = [0; 4096];
        let n = stream.read(&mut chunk).unwrap();
        assert!(n > 0, "closed after {}", String::from_utf8_lossy(&answer));
        answer.extend_from_slice(&chunk[..n]);
    }
    let text = String::from_utf8_lossy(&answer);
    assert!(text.starts_with("HTTP/1.1 101 ") && text.contains("\"serverInfo\""), "{text}");
    stream.write_all(&[0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]).unwrap();
    answer.clear();
    stream.read_to_end(&mut answer).unwrap();
    assert_eq!(answer, [0x88, 0x02, 0x03, 0xe8]);

    let stranger = format!("{UPGRADE}Origin: https://example.org\r\n");
    assert!(served.ask("GET", "/index-mcp/ws", &stranger, "").0.contains("403"));
    // nor is a page of this machine that another server sent
    for other in ["http://localhost:1", "http://127.0.0.1:1", "null", "http://localhost"] {
        let other = format!("{UPGRADE}Origin: {other}\r\n");
        assert!(served.ask("GET", "/index-mcp/ws", &other, "").0.contains("403"), "{other}");
    }
    let own = format!("{UPGRADE}Origin: http://{}\r\n", served.address);
    let mut stream = TcpStream::connect(served.address).unwrap();
    let head = format!("GET /index-mcp/ws HTTP/1.1\r\nHost: {}\r\n{own}\r\n", served.address);
    stream.write_all(head.as_bytes()).unwrap();
    let mut start = [0; 12];
    stream.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 101");
    assert!(served.ask("GET", "/index-mcp/ws", "", "").0.contains("426"));
}

#[cfg(unix)]
#[test]
fn a_token_is_asked_for_when_there_is_one() {
    use std::os::unix::fs::PermissionsExt as _;
    let secrets = tempfile::tempdir().unwrap();
    let file = secrets.path().join("token");
    std::fs::write(&file, "0123456789abcdef").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let home = Home::with(|mut config| {
        config.token_file = Some(file);
        config
    });
    let served = Served::new(&home);
    assert!(served.ask("POST", "/mcp", "", &hello()).0.contains("401"));
    assert!(
        served.ask("POST", "/mcp", "Authorization: Bearer 0123456789abcdeX\r\n", &hello()).0.contains("401")
    );
    assert!(
        served.ask("POST", "/mcp", "Authorization: Bearer 0123456789abcdef\r\n", &hello()).0.contains("200")
    );
    assert!(served.ask("GET", "/index-mcp/sse", "", "").0.contains("401"));
    assert!(served.ask("GET", "/index-mcp/ws", UPGRADE, "").0.contains("401"));
}
