//! Our clients against our services, over requests that never leave the process.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use mcp_protocol::{
    Json, Version,
    client::{BoxError, Client, ClientBuilder, ClientError, ClientExt as _, Handlers, Transport as _},
    endpoint::Body,
    model::{ElicitResult, Implementation, LogLevel},
    server::BoxFuture,
};
use mcp_transport_http::{Config, HttpTransport, ResponseBody, SendHttp, StreamableHttp};
use mcp_transport_sse::{HttpSse, SseTransport};

use crate::client::{Signals, Spawner, server};

/// Calls a service directly.
struct Direct<S> {
    service: S,
    sent: Arc<AtomicUsize>,
}

type Handle = dyn Fn(Request<Full<Bytes>>) -> BoxFuture<Response<Body>> + Send + Sync;

impl SendHttp for Direct<Box<Handle>> {
    fn send(&self, request: Request<Bytes>) -> BoxFuture<Result<Response<ResponseBody>, BoxError>> {
        self.sent.fetch_add(1, Ordering::Relaxed);
        let response = (self.service)(request.map(Full::new));
        Box::pin(async move { Ok(response.await.map(|body| body.map_err(BoxError::from).boxed_unsync())) })
    }
}

fn streamable(signals: &Signals) -> Direct<Box<Handle>> {
    streamable_with(signals, Config::default())
}

fn streamable_with(signals: &Signals, config: Config) -> Direct<Box<Handle>> {
    let service = StreamableHttp::new(server(signals), config);
    Direct { service: Box::new(move |r| Box::pin(service.handle(r))), sent: Arc::default() }
}

fn pair_of_endpoints() -> Direct<Box<Handle>> {
    let config = mcp_transport_sse::Config::new("/messages");
    let service = HttpSse::new(server(&Signals::default()), config);
    Direct { service: Box::new(move |r| Box::pin(service.handle(r))), sent: Arc::default() }
}

fn handlers() -> (Handlers, Arc<Mutex<Vec<String>>>) {
    let told = Arc::<Mutex<Vec<String>>>::default();
    let heard = Arc::clone(&told);
    let handlers = Handlers::new()
        .form_elicitation(|_| async { Ok(ElicitResult::accept(Json::empty_object())) })
        .on_log(move |level, _, data| {
            heard.lock().expect("no panic").push(format!("{} {}", level.as_str(), data.as_str()));
        });
    (handlers, told)
}

fn builder(handlers: Handlers) -> ClientBuilder {
    ClientBuilder::new(Implementation::new("c", "1")).handlers(handlers)
}

fn uri() -> http::Uri {
    "http://localhost:1/mcp".parse().expect("a literal")
}

async fn exercise(client: &dyn Client, told: &Mutex<Vec<String>>) {
    let version = client.session().version();
    assert_eq!(client.list_tools().await.expect("a list").len(), 5, "{version}");
    let said = client.call_tool("echo", &Json::parse(r#"{"a":1}"#).expect("a literal")).await;
    let said = said.expect("an answer").into_result().expect("a result");
    assert_eq!(said.content[0].as_text(), Some(r#"{"a":1}"#));
    client.log_from(LogLevel::Info).await.expect("agreed");
    client.call_tool("logs", &Json::empty_object()).await.expect("an answer");
    assert_eq!(*told.lock().expect("no panic"), ["error \"1\"", "error \"2\""], "{version}");
    if !version.is_stateless() && version >= Version::V2025_06_18 {
        let answer = client.call_tool("ask", &Json::empty_object()).await.expect("an answer");
        let answer = answer.into_result().expect("a result");
        assert_eq!(answer.content[0].as_text(), Some(r#"{"action":"accept","content":{}}"#));
    }
    client.ping().await.expect("alive");
    client.call_tool("none", &Json::empty_object()).await.expect_err("there is none");
}

#[tokio::test]
async fn the_client_speaks_every_revision() {
    for version in Version::ALL {
        let (handlers, told) = handlers();
        let builder = builder(handlers).handshake(Some(version).filter(|v| !v.is_stateless()));
        let transport = HttpTransport::new(streamable(&Signals::default()), uri(), Spawner);
        let client = builder.connect(transport).await.expect("connected");
        assert_eq!(client.session().version(), version);
        exercise(&client, &told).await;
    }
}

#[tokio::test]
async fn an_address_is_connected_to_by_what_its_server_speaks() {
    for (http, expected) in
        [(streamable(&Signals::default()), Version::V2026_07_28), (pair_of_endpoints(), Version::V2025_11_25)]
    {
        let (handlers, told) = handlers();
        let http = Arc::new(http);
        let older = SseTransport::new(Arc::clone(&http), uri(), Spawner);
        let transport = HttpTransport::new(http, uri(), Spawner).or(older);
        let client = builder(handlers).connect(transport).await.expect("connected");
        assert_eq!(client.session().version(), expected);
        exercise(client.as_ref(), &told).await;
    }
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_an_error_and_the_next_call_works() {
    const MAX: usize = 10_000;
    let text = |size| Json::parse(&format!(r#"{{"text":"{}"}}"#, "x".repeat(size))).expect("JSON");
    for (http, handshake) in [
        (streamable(&Signals::default()), None),
        (
            streamable_with(&Signals::default(), Config::default().prefer_events(true)),
            Some(Version::V2025_11_25),
        ),
        (pair_of_endpoints(), None),
    ] {
        let (http, builder) =
            (Arc::new(http), builder(handlers().0).handshake(handshake).max_message_size(MAX));
        let older = SseTransport::new(Arc::clone(&http), uri(), Spawner);
        let client = builder.connect(HttpTransport::new(http, uri(), Spawner).or(older)).await;
        let client = client.expect("connected");
        let error = client.call_tool("echo", &text(MAX)).await.expect_err("too long");
        assert!(matches!(error, ClientError::TooLong { limit: MAX }), "{error}");
        client.call_tool("echo", &text(10)).await.expect("an answer");
    }
}

#[tokio::test]
async fn a_dropped_call_is_taken_back() {
    for handshake in [None, Some(Version::V2025_11_25)] {
        let (handlers, _) = handlers();
        let signals = Signals::default();
        let transport = HttpTransport::new(streamable(&signals), uri(), Spawner);
        let client = builder(handlers).handshake(handshake).connect(transport).await.expect("connected");
        let call = tokio::spawn({
            let client = client.clone();
            async move { client.call_tool("gated", &Json::empty_object()).await.map(drop) }
        });
        signals.began.notified().await;
        call.abort();
        signals.dropped.notified().await;
        let ended = call.await;
        assert!(ended.is_err_and(|e| e.is_cancelled()), "the server heard of it before an answer came");
    }
}
