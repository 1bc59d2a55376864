//! The blocking driver on in-memory pipes; the async one is in `streams`.

mod client;
mod scripts;
mod streams;
#[path = "../../../mcp-protocol/tests/it/suite.rs"]
mod suite;

use std::{
    io::{self, Read, Write},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, Sender, channel},
    },
};

use mcp_protocol::{
    Json, Server,
    model::{CallToolResult, Implementation, Tool},
};
use mcp_transport_stdio::{Options, Threads, serve};

pub(crate) const MODERN: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Reads what is sent; ends when the sender is gone.
struct Incoming(Receiver<Vec<u8>>);

impl Read for Incoming {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Ok(chunk) = self.0.recv() else { return Ok(0) };
        buffer[..chunk.len()].copy_from_slice(&chunk);
        Ok(chunk.len())
    }
}

/// Sends on every write as it comes, so that tests see how many there were.
#[derive(Clone)]
struct Outgoing(Sender<String>);

impl Write for Outgoing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8(bytes.to_vec()).map_err(io::Error::other)?;
        self.0.send(text).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A server whose blocking tool waits for a message on the channel.
pub(crate) fn server(gate: Receiver<&'static str>) -> Server {
    let any = Json::parse(r#"{"type":"object"}"#).expect("a literal");
    let gate = Arc::new(Mutex::new(gate));
    Server::builder(Implementation::new("test", "1"))
        .runtime(Threads::new(2))
        .tool_inline(Tool::new("quick", "Answers.", any.clone()), |_, _| Ok(CallToolResult::text("quick")))
        .tool_blocking(Tool::new("slow", "Waits.", any), move |_, _| {
            let said = gate.lock().expect("no panic").recv();
            Ok(CallToolResult::text(said.unwrap_or("the gate is gone")))
        })
        .build()
        .expect("valid")
}

pub(crate) fn call(id: u32, tool: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\",{MODERN}}}}}\n"
    )
}

struct Rig {
    input: Sender<Vec<u8>>,
    output: Receiver<String>,
    gate: Sender<&'static str>,
    served: std::thread::JoinHandle<io::Result<()>>,
}

fn rig(options: Options) -> Rig {
    let (input, incoming) = channel();
    let (outgoing, output) = channel();
    let (gate, gated) = channel();
    let server = server(gated);
    let served = std::thread::spawn(move || serve(&server, &options, Incoming(incoming), Outgoing(outgoing)));
    Rig { input, output, gate, served }
}

impl Rig {
    fn send(&self, text: &str) {
        self.input.send(text.as_bytes().to_vec()).expect("still reading");
    }
    fn next(&self) -> String {
        self.output.recv().expect("still writing")
    }
}

#[test]
fn a_pipe_full_of_requests_is_answered_with_one_write() {
    let rig = rig(Options::default());
    let all: String = (0..5).map(|n| call(n, "quick")).collect();
    rig.send(&all);
    assert_eq!(rig.next().lines().count(), 5);
    drop(rig.input);
    assert!(rig.served.join().expect("no panic").is_ok());
    assert!(rig.output.recv().is_err());
}

#[test]
fn a_blocking_handler_does_not_hold_others_up() {
    let rig = rig(Options::default());
    rig.send(&call(1, "slow"));
    rig.send(&call(2, "quick"));
    assert!(rig.next().contains("\"id\":2"));
    rig.gate.send("opened").expect("waiting");
    let late = rig.next();
    assert!(late.contains("\"id\":1") && late.contains("opened"), "{late}");
    drop(rig.input);
    assert!(rig.served.join().expect("no panic").is_ok());
}

#[test]
fn the_end_of_the_input_cancels_or_finishes_as_agreed() {
    let cancelling = rig(Options::default());
    cancelling.send(&call(1, "slow"));
    cancelling.send(&call(2, "quick"));
    assert!(cancelling.next().contains("\"id\":2"));
    drop(cancelling.input);
    assert!(cancelling.served.join().expect("no panic").is_ok());
    assert!(cancelling.output.recv().is_err());

    let finishing = rig(Options::default().finish_at_end(true));
    finishing.send(&call(1, "slow"));
    drop(finishing.input);
    finishing.gate.send("in the end").expect("waiting");
    assert!(finishing.served.join().expect("no panic").is_ok());
    assert!(finishing.output.recv().is_ok_and(|said| said.contains("in the end")));
}

/// A subscription has no answer to wait for.
#[test]
fn a_subscription_ends_with_the_input() {
    let rig = rig(Options::default().finish_at_end(true));
    rig.send(&format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\",\"params\":{{\"notifications\":{{\"toolsListChanged\":true}},{MODERN}}}}}\n"
    ));
    assert!(rig.next().contains("acknowledged"));
    drop(rig.input);
    assert!(rig.served.join().expect("no panic").is_ok());
}

#[test]
fn lines_too_long_and_lines_without_end_are_dealt_with() {
    let rig = rig(Options::default().max_line_size(300));
    rig.send(&"x".repeat(400));
    assert!(rig.next().contains("longer than 300 bytes"));
    rig.send("still the same line\n");
    rig.send(call(3, "quick").trim_end());
    drop(rig.input);
    assert!(rig.output.recv().is_ok_and(|said| said.contains("\"id\":3")));
    assert!(rig.served.join().expect("no panic").is_ok());
}

#[test]
fn a_client_that_closed_its_end_is_an_error() {
    let rig = rig(Options::default());
    drop(rig.output);
    rig.input.send(call(1, "quick").into_bytes()).expect("still reading");
    let error = rig.served.join().expect("no panic").expect_err("broken");
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
}
