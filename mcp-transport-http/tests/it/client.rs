//! A client that calls the service directly, and the server it talks to.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use mcp_protocol::{
    Json, RpcError, Server,
    endpoint::Body,
    model::{CallToolResult, FormSchema, Implementation, LogLevel, ToWire as _, Tool},
    server::{BoxFuture, Runtime},
};
use mcp_transport_http::{Config, StreamableHttp};
use tokio::sync::Notify;

pub(crate) const MODERN: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// tokio for tests.
pub(crate) struct Spawner;

impl Runtime for Spawner {
    fn spawn(&self, task: BoxFuture<()>) {
        drop(tokio::spawn(task));
    }
    fn spawn_blocking(&self, job: Box<dyn FnOnce() + Send>) {
        drop(tokio::task::spawn_blocking(job));
    }
}

/// Signals between tests and handlers.
#[derive(Clone, Default)]
pub(crate) struct Signals {
    /// `gated` has begun.
    pub(crate) began: Arc<Notify>,
    /// Lets `gated` go on.
    pub(crate) gate: Arc<Notify>,
    /// `gated` has come to its end.
    pub(crate) ended: Arc<Notify>,
    /// `gated` was dropped or cancelled before its end.
    pub(crate) dropped: Arc<Notify>,
}

struct Dropped(Option<Arc<Notify>>);

impl Drop for Dropped {
    fn drop(&mut self) {
        if let Some(notify) = self.0.take() {
            notify.notify_one();
        }
    }
}

pub(crate) fn server(signals: &Signals) -> Server {
    let any = Json::parse(r#"{"type":"object"}"#).expect("a literal");
    let mirrored =
        Json::parse(r#"{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}"#);
    let signals = signals.clone();
    Server::builder(Implementation::new("test", "1"))
        .logging()
        .runtime(Spawner)
        .tool_inline(Tool::new("echo", "Says it again.", any.clone()), |_, args| {
            Ok(CallToolResult::text(args.as_str()))
        })
        .tool_inline(Tool::new("mirrored", "Has a header.", mirrored.expect("a literal")), |_, args| {
            Ok(CallToolResult::text(args.as_str()))
        })
        .tool(Tool::new("logs", "Logs twice.", any.clone()), |cx, _| async move {
            cx.log(LogLevel::Error, None, &Json::string("1"));
            cx.log(LogLevel::Error, None, &Json::string("2"));
            Ok(CallToolResult::text("logged"))
        })
        .tool(Tool::new("ask", "Asks the user.", any.clone()), |cx, _| async move {
            let answer = cx.elicit("Sure?", &FormSchema::new()).await?;
            Ok::<_, RpcError>(CallToolResult::text(answer.to_wire(cx.version()).as_str()))
        })
        .tool(Tool::new("gated", "Says one thing, waits, says another.", any), move |cx, args| {
            let signals = signals.clone();
            async move {
                let mut dropped = Dropped(Some(signals.dropped));
                signals.began.notify_one();
                cx.log(LogLevel::Error, None, &Json::string("before"));
                if args.get("close").is_some() {
                    cx.close_stream(std::time::Duration::from_millis(5));
                }
                signals.gate.notified().await;
                cx.log(LogLevel::Error, None, &Json::string("after"));
                dropped.0 = None;
                signals.ended.notify_one();
                Ok(CallToolResult::text("done"))
            }
        })
        .build()
        .expect("valid")
}

/// A client of one service.
pub(crate) struct Client {
    pub(crate) service: StreamableHttp,
    pub(crate) signals: Signals,
}

impl Client {
    pub(crate) fn new(config: Config) -> Self {
        let signals = Signals::default();
        Self { service: StreamableHttp::new(server(&signals), config), signals }
    }

    /// Sends a request; the headers of a proper POST are there unless they are overridden (an empty value removes one).
    pub(crate) async fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Response<Body> {
        let mut request = Request::builder().method(method).uri("/mcp");
        let standard = [
            ("host", "127.0.0.1:1"),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ];
        for (name, value) in standard {
            if !headers.iter().any(|(n, _)| *n == name) {
                request = request.header(name, value);
            }
        }
        for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
            request = request.header(*name, *value);
        }
        let body = Full::new(Bytes::copy_from_slice(body.as_bytes()));
        self.service.handle(request.body(body).expect("valid")).await
    }

    pub(crate) async fn post(&self, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        whole(self.send("POST", headers, body).await).await
    }

    /// Shakes hands and returns the session's id.
    pub(crate) async fn initialize(&self, version: &str) -> String {
        let response = self.send("POST", &[], &initialize(version)).await;
        assert_eq!(response.status(), StatusCode::OK);
        let id =
            response.headers().get("mcp-session-id").expect("a session").to_str().expect("ascii").to_owned();
        let done = self
            .post(&[("mcp-session-id", &id)], r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
        assert_eq!(done, (202, String::new()));
        id
    }
}

pub(crate) fn initialize(version: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{"elicitation":{{}}}},"clientInfo":{{"name":"c","version":"1"}}}}}}"#
    )
}

pub(crate) fn call(id: u32, tool: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{}}}}}}"#
    )
}

pub(crate) async fn whole(response: Response<Body>) -> (u16, String) {
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.expect("infallible").to_bytes();
    (status, String::from_utf8(bytes.to_vec()).expect("text"))
}

/// The next chunk of an event stream; `None` at its end.
pub(crate) async fn chunk(response: &mut Response<Body>) -> Option<String> {
    let frame = response.body_mut().frame().await?.expect("infallible");
    Some(String::from_utf8(frame.into_data().expect("data").to_vec()).expect("text"))
}
