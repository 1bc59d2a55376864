//! 2026-07-28 over HTTP: headers that must repeat the body, and streams whose end is a cancellation.

use mcp_transport_http::Config;

use crate::client::{Client, MODERN, chunk};

fn request(id: u32, tool: &str, arguments: &str, meta: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments},{meta}}}}}"#
    )
}

const VERSION: (&str, &str) = ("mcp-protocol-version", "2026-07-28");
const METHOD: (&str, &str) = ("mcp-method", "tools/call");

#[tokio::test]
async fn headers_must_repeat_the_body() {
    let client = Client::new(Config::default());
    let echo = request(1, "echo", "{}", MODERN);
    let name = ("mcp-name", "echo");
    for (headers, status) in [
        (&[VERSION, METHOD, name][..], 200),
        (&[VERSION, METHOD, ("mcp-name", "=?base64?ZWNobw==?=")], 200),
        (&[VERSION, METHOD, ("mcp-name", "=?base64?ZWNobw?=")], 400),
        (&[VERSION, METHOD, ("mcp-name", "Echo")], 400),
        (&[VERSION, METHOD], 400),
        (&[VERSION, name], 400),
        (&[METHOD, name], 400),
        (&[VERSION, METHOD, METHOD, name], 400),
        (&[VERSION, METHOD, name, name], 400),
        (&[("mcp-protocol-version", "2025-11-25"), METHOD, name], 400),
    ] {
        let (got, body) = client.post(headers, &echo).await;
        assert_eq!((got, body.contains("-32020")), (status, status == 400), "{headers:?} {body}");
        assert!(body.contains("\"id\":1"), "{body}");
    }
    let headers = [VERSION, METHOD, name, ("mcp-session-id", "ignored"), ("last-event-id", "0-0")];
    assert_eq!(client.post(&headers, &echo).await.0, 200);
    assert_eq!(client.service.session_count(), 0);
}

#[tokio::test]
async fn mirrored_arguments_are_compared_by_value() {
    let client = Client::new(Config::default());
    for (arguments, header, status) in [
        (r#"{"n":42}"#, "42", 200),
        (r#"{"n":42}"#, "42.0", 200),
        (r#"{"n":42}"#, "43", 400),
        (r#"{"n":42}"#, "", 400),
        (r#"{"n":null}"#, "", 200),
        ("{}", "", 200),
        ("{}", "1", 400),
    ] {
        let body = request(1, "mirrored", arguments, MODERN);
        let headers = [VERSION, METHOD, ("mcp-name", "mirrored"), ("mcp-param-n", header)];
        let (got, text) = client.post(&headers, &body).await;
        assert_eq!(got, status, "{arguments} {header} {text}");
    }
}

#[tokio::test]
async fn errors_have_the_status_of_their_kind() {
    let client = Client::new(Config::default());
    let old = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let ping = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{{MODERN}}}}}"#);
    for (headers, body, status, code) in [
        (&[VERSION, ("mcp-method", "ping")][..], &*ping, 404, "-32601"),
        (&[VERSION, METHOD], &request(1, "echo", "{}", r#""x":1"#), 400, "-32602"),
        (&[VERSION, METHOD], &request(1, "echo", "{}", old), 400, "-32020"),
        (&[("mcp-protocol-version", "2030-01-01"), METHOD], &request(1, "echo", "{}", old), 400, "-32022"),
        (&[VERSION, METHOD, ("mcp-name", "none")], &request(1, "none", "{}", MODERN), 200, "-32602"),
    ] {
        let (got, text) = client.post(headers, body).await;
        assert_eq!((got, text.contains(code)), (status, true), "{text}");
    }
}

#[tokio::test]
async fn closing_the_stream_cancels_the_request() {
    let client = Client::new(Config::default());
    let meta = MODERN.replace("\"_meta\":{", "\"_meta\":{\"io.modelcontextprotocol/logLevel\":\"debug\",");
    let headers = [VERSION, METHOD, ("mcp-name", "gated")];
    let mut stream = client.send("POST", &headers, &request(1, "gated", "{}", &meta)).await;
    let first = chunk(&mut stream).await.expect("a chunk");
    assert!(first.starts_with("data: ") && first.contains("before"), "{first}");
    drop(stream);
    client.signals.dropped.notified().await;
}

#[tokio::test]
async fn giving_up_before_the_head_cancels_too() {
    let client = Client::new(Config::default());
    let headers = [VERSION, METHOD, ("mcp-name", "gated")];
    let body = request(1, "gated", "{}", MODERN);
    {
        let mut waiting = Box::pin(client.send("POST", &headers, &body));
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(waiting.as_mut().poll(&mut cx).is_pending());
    }
    client.signals.dropped.notified().await;
}
