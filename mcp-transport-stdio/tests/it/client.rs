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
    client::{Client as _, ClientBuilder, ClientError, ClientExt as _, Connection},
    model::{CallToolResult, Implementation, Tool},
};
use mcp_transport_stdio::{Options, StdioTransport, serve};

/// The longest message that the client reads.
const MAX: usize = 2 << 20;

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

fn connect(handshake: Option<Version>) -> (Connection, thread::JoinHandle<std::io::Result<()>>) {
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
    let builder =
        ClientBuilder::new(Implementation::new("c", "1")).handshake(handshake).max_message_size(MAX);
    let connection = wait(builder.connect(StdioTransport::new(client_in, client_out))).expect("agreed");
    (connection, serving)
}

#[test]
fn a_client_calls_and_its_end_is_the_servers_end() {
    for handshake in [None, Some(Version::V2024_11_05)] {
        let (client, serving) = connect(handshake);
        let long = Json::parse(&format!(r#"{{"text":"{}"}}"#, "x".repeat(1 << 20))).expect("JSON");
        let result =
            wait(client.call_tool("echo", &long)).expect("an answer").into_result().expect("a result");
        assert_eq!(result.content[0].as_text(), Some(long.as_str()));
        drop(client);
        serving.join().expect("no panic").expect("served to the end");
    }
}

#[test]
fn an_answer_that_is_too_long_is_an_error_and_the_next_call_works() {
    let (client, serving) = connect(None);
    let text = |size| Json::parse(&format!(r#"{{"text":"{}"}}"#, "x".repeat(size))).expect("JSON");
    let error = wait(client.call_tool("echo", &text(MAX))).expect_err("too long");
    assert_eq!(error.to_string(), format!("The server's answer is longer than {MAX} bytes"));
    wait(client.call_tool("echo", &text(10))).expect("an answer");
    drop(client);
    serving.join().expect("no panic").expect("served to the end");
}

#[test]
fn calls_fail_when_the_client_closes() {
    let (client, serving) = connect(None);
    let call = client.call("tools/call", Json::parse(r#"{"name":"wait"}"#).expect("a literal"), None);
    let closing = client.clone();
    let waiting = thread::spawn(move || wait(call));
    wait(client.ping()).expect("alive");
    closing.close("done");
    let outcome = waiting.join().expect("no panic");
    assert!(matches!(outcome, Err(ClientError::Protocol(why)) if why == "done"));
    serving.join().expect("no panic").expect("served to the end");
}
