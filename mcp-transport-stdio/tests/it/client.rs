//! A client and a server on a pair of pipes.

use std::{
    future::Future,
    io::pipe,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

use mcp_protocol::{
    Json, Server, Version,
    client::{Client as _, ClientError, ClientExt as _, Connection, Session},
    model::{CallToolResult, ClientCapabilities, Implementation, Tool},
};
use mcp_transport_stdio::{Options, drive_client, serve};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

fn connect() -> (Connection, thread::JoinHandle<std::io::Result<()>>) {
    let (server_in, client_out) = pipe().expect("a pipe");
    let (client_in, server_out) = pipe().expect("a pipe");
    let any = Json::parse(r#"{"type":"object"}"#).expect("a literal");
    let server = Server::builder(Implementation::new("s", "1"))
        .tool_inline(Tool::new("echo", "Says it again.", any.clone()), |_, args| {
            Ok(CallToolResult::text(args.as_str()))
        })
        .tool(Tool::new("wait", "Waits for its cancellation.", any), |cx, _| async move {
            cx.cancelled().await;
            Ok(CallToolResult::text("never sent"))
        })
        .build()
        .expect("valid");
    let serving = thread::spawn(move || serve(&server, &Options::default(), server_in, server_out));
    let session = Session::new(Implementation::new("c", "1"), ClientCapabilities::default());
    let (connection, wire) = Connection::new(session, ());
    drive_client(wire, client_in, client_out).expect("threads");
    (connection, serving)
}

#[test]
fn a_client_calls_and_its_end_is_the_servers_end() {
    for handshake in [None, Some(Version::V2024_11_05)] {
        let (client, serving) = connect();
        wait(client.negotiate(handshake, None)).expect("agreed");
        let long = Json::parse(&format!(r#"{{"text":"{}"}}"#, "x".repeat(1 << 20))).expect("JSON");
        let result =
            wait(client.call_tool("echo", &long)).expect("an answer").into_result().expect("a result");
        assert_eq!(result.content[0].as_text(), Some(long.as_str()));
        drop(client);
        serving.join().expect("no panic").expect("served to the end");
    }
}

#[test]
fn calls_fail_when_the_client_closes() {
    let (client, serving) = connect();
    wait(client.negotiate(None, None)).expect("agreed");
    let call = client.call("tools/call", Json::parse(r#"{"name":"wait"}"#).expect("a literal"), None);
    let closing = client.clone();
    let waiting = thread::spawn(move || wait(call));
    wait(client.ping()).expect("alive");
    closing.close("done");
    let outcome = waiting.join().expect("no panic");
    assert!(matches!(outcome, Err(ClientError::Protocol(why)) if why == "done"));
    serving.join().expect("no panic").expect("served to the end");
}
