//! The pair of endpoints without a socket.

#[path = "../../examples/in-process.rs"]
mod in_process;
mod scripts;
#[path = "../../../mcp-protocol/tests/it/suite.rs"]
mod suite;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use mcp_protocol::{
    Json, Server,
    endpoint::{Admission, Body},
    model::{CallToolResult, CreateMessageRequest, Implementation, ToWire as _, Tool},
};
use mcp_transport_sse::{Config, HttpSse};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{"sampling":{}},"clientInfo":{"name":"c","version":"1"}}}"#;

fn service() -> HttpSse {
    let any = Json::parse(r#"{"type":"object"}"#).expect("a literal");
    let server = Server::builder(Implementation::new("test", "1"))
        .tool(Tool::new("sample", "Asks the model.", any), |cx, _| async move {
            let answer = cx.create_message(&CreateMessageRequest::new(Vec::new(), 1)).await?;
            Ok(CallToolResult::text(answer.to_wire(cx.version()).as_str()))
        })
        .build()
        .expect("valid");
    let admission = Admission::default().max_body_size(500);
    HttpSse::new(server, Config::new("/messages").max_sessions(1).admission(admission))
}

async fn get(service: &HttpSse) -> Response<Body> {
    let request = Request::get("/sse").header("host", "localhost").header("accept", "text/event-stream");
    service.handle(request.body(Full::<Bytes>::default()).expect("valid")).await
}

async fn post(service: &HttpSse, uri: &str, content_type: &str, body: &str) -> (u16, String) {
    let request = Request::post(uri).header("host", "localhost").header("content-type", content_type);
    let body = Full::new(Bytes::copy_from_slice(body.as_bytes()));
    let response = service.handle(request.body(body).expect("valid")).await;
    let status = response.status().as_u16();
    let text = response.into_body().collect().await.expect("infallible").to_bytes();
    (status, String::from_utf8(text.to_vec()).expect("text"))
}

async fn chunk(stream: &mut Response<Body>) -> Option<String> {
    let frame = stream.body_mut().frame().await?.expect("infallible");
    Some(String::from_utf8(frame.into_data().expect("data").to_vec()).expect("text"))
}

/// Opens a stream and returns it with the address its endpoint event names.
async fn open(service: &HttpSse) -> (Response<Body>, String) {
    let mut stream = get(service).await;
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    let first = chunk(&mut stream).await.expect("the endpoint");
    let endpoint = first.strip_prefix("event: endpoint\ndata: ").and_then(|e| e.strip_suffix("\n\n"));
    let endpoint = endpoint.expect("an endpoint event").to_owned();
    assert!(endpoint.starts_with("/messages?sessionId=") && endpoint.len() == 20 + 32, "{endpoint}");
    (stream, endpoint)
}

#[test]
fn the_example_runs() {
    let ran = in_process::main();
    assert!(ran.is_ok(), "{ran:?}");
}

#[tokio::test]
async fn posts_are_accepted_and_answered_on_the_stream() {
    let service = service();
    let (mut stream, endpoint) = open(&service).await;
    assert_eq!(post(&service, &endpoint, "application/json", INITIALIZE).await, (202, "Accepted".into()));
    let answer = chunk(&mut stream).await.expect("an answer");
    assert!(answer.starts_with("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"2024-11-05\""), "{answer}");
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sample"}}"#;
    assert_eq!(post(&service, &endpoint, "application/json", call).await.0, 202);
    let asked = chunk(&mut stream).await.expect("a question");
    assert!(asked.contains("\"id\":1,\"method\":\"sampling/createMessage\""), "{asked}");
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"role":"assistant","content":{"type":"text","text":"a"},"model":"m"}}"#;
    assert_eq!(post(&service, &endpoint, "application/json", answer).await.0, 202);
    assert!(chunk(&mut stream).await.is_some_and(|c| c.contains(r#"\"model\":\"m\""#)));
}

#[tokio::test]
async fn what_is_wrong_with_a_post_is_in_its_status() {
    let service = service();
    let (_stream, endpoint) = open(&service).await;
    for (uri, content_type, body, status) in [
        ("/messages?sessionId=unknown", "application/json", INITIALIZE, 404),
        ("/messages", "application/json", INITIALIZE, 400),
        (&*endpoint, "text/plain", INITIALIZE, 415),
        (&*endpoint, "application/json", "{", 400),
        (&*endpoint, "application/json", &" ".repeat(501), 413),
    ] {
        assert_eq!(post(&service, uri, content_type, body).await.0, status, "{uri} {content_type} {body}");
    }
    let foreign = Request::get("/sse").header("host", "localhost").header("origin", "http://evil.example");
    assert_eq!(service.handle(foreign.body(Full::<Bytes>::default()).expect("valid")).await.status(), 403);
    let put = Request::put("/sse").body(Full::<Bytes>::default()).expect("valid");
    assert_eq!(service.handle(put).await.status(), 405);
}

#[tokio::test]
async fn a_session_lasts_as_long_as_its_stream() {
    let service = service();
    let (stream, endpoint) = open(&service).await;
    assert_eq!(get(&service).await.status(), 503);
    drop(stream);
    assert_eq!(service.session_count(), 0);
    assert_eq!(post(&service, &endpoint, "application/json", INITIALIZE).await.0, 404);
    let (mut stream, _) = open(&service).await;
    service.shut_down();
    assert_eq!(chunk(&mut stream).await, None);
}

#[tokio::test]
async fn a_client_that_posts_and_does_not_read_is_given_up() {
    let any = Json::parse(r#"{"type":"object"}"#).expect("a literal");
    let server = Server::builder(Implementation::new("test", "1"))
        .tool(Tool::new("long", "Says much.", any), |_, _| async move {
            Ok(CallToolResult::text("x".repeat(10_000)))
        })
        .build()
        .expect("valid");
    let service = HttpSse::new(server, Config::new("/messages").max_unread_bytes(100_000));
    let (mut stream, endpoint) = open(&service).await;
    assert_eq!(post(&service, &endpoint, "application/json", INITIALIZE).await.0, 202);
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"long"}}"#;
    let mut accepted = 0;
    while post(&service, &endpoint, "application/json", call).await.0 == 202 {
        accepted += 1;
        assert!(accepted < 20, "the session goes on and on");
    }
    assert!(accepted >= 9, "{accepted}");
    assert_eq!(service.session_count(), 0);
    assert_eq!(chunk(&mut stream).await, None, "the stream ends");

    // One that reads is served for ever.
    let (mut stream, endpoint) = open(&service).await;
    assert_eq!(post(&service, &endpoint, "application/json", INITIALIZE).await.0, 202);
    for _ in 0..50 {
        assert_eq!(post(&service, &endpoint, "application/json", call).await.0, 202);
        assert!(chunk(&mut stream).await.is_some());
    }
}
