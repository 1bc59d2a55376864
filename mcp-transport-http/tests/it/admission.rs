//! Refused requests: the status of each, and the step before which it is refused.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::Request;
use http_body::Frame;
use mcp_protocol::{
    endpoint::Admission,
    web::{Denied, Gate},
};
use mcp_transport_http::Config;

use crate::client::{Client, call, initialize, whole};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

fn stateless() -> Client {
    Client::new(Config::default().sessions(false).admission(Admission::default().max_body_size(200)))
}

/// A body that must not be touched.
struct Untouchable;

impl http_body::Body for Untouchable {
    type Data = Bytes;
    type Error = Infallible;
    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        panic!("the body was read")
    }
}

#[tokio::test]
async fn strangers_are_turned_away_before_the_body_is_read() {
    let client = stateless();
    for (host, origin, status) in [
        ("evil.example", None, 403),
        ("127.0.0.1", Some("http://evil.example"), 403),
        ("127.0.0.1", Some("null"), 403),
    ] {
        let mut request =
            Request::post("/mcp").header("host", host).header("content-type", "application/json");
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        let response = client.service.handle(request.body(Untouchable).expect("valid")).await;
        assert_eq!(response.status().as_u16(), status, "{host} {origin:?}");
    }
    let gate = Gate::loopback().allow_host("a.example");
    let open = Client::new(Config::default().sessions(false).admission(Admission::default().gate(gate)));
    assert_eq!(open.post(&[("host", "a.example")], PING).await.0, 200);
}

#[tokio::test]
async fn what_is_no_message_is_a_bad_request() {
    let client = stateless();
    let (status, body) = client.post(&[], "{").await;
    assert_eq!((status, body.contains("-32700")), (400, true), "{body}");
    let (status, body) = client.post(&[], r#"{"jsonrpc":"2.0"}"#).await;
    assert_eq!((status, body.contains("-32600")), (400, true), "{body}");
    let (status, body) = client.post(&[], "\u{0}").await;
    assert_eq!((status, body.contains("-32700")), (400, true), "{body}");
}

#[tokio::test]
async fn types_and_sizes_are_checked() {
    let client = stateless();
    for (headers, status) in [
        (&[("accept", "*/*")][..], 200),
        (&[("accept", "")], 200),
        (&[("accept", "application/json;q=0.1")], 200),
        (&[("accept", "text/html")], 406),
        (&[("content-type", "application/json; charset=utf-8")], 200),
        (&[("content-type", "text/plain")], 415),
        (&[("content-type", "")], 415),
        (&[("mcp-protocol-version", "2025-06-18")], 200),
        (&[("mcp-protocol-version", "1999-01-01")], 400),
    ] {
        assert_eq!(client.post(headers, PING).await.0, status, "{headers:?}");
    }
    assert_eq!(client.post(&[], &" ".repeat(201)).await.0, 413);
    let (status, body) = client.post(&[("accept", "text/event-stream")], PING).await;
    assert_eq!((status, &*body), (200, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"));
}

#[tokio::test]
async fn methods_are_named_where_they_are_refused() {
    let stateless = stateless();
    let sessions = Client::new(Config::default());
    for (client, method, headers, allow) in [
        (&stateless, "GET", &[][..], "POST"),
        (&stateless, "DELETE", &[], "POST"),
        (&sessions, "PUT", &[], "GET, POST, DELETE"),
        (&sessions, "GET", &[("mcp-protocol-version", "2026-07-28")], "POST"),
        (&sessions, "DELETE", &[("mcp-protocol-version", "2026-07-28")], "POST"),
    ] {
        let response = client.send(method, headers, "").await;
        let got = response.headers().get("allow").and_then(|v| v.to_str().ok());
        assert_eq!((response.status().as_u16(), got), (405, Some(allow)), "{method}");
    }
}

#[tokio::test]
async fn a_token_makes_a_principal_and_sessions_are_theirs() {
    let authorize =
        |parts: &http::request::Parts| match parts.headers.get("authorization").map(|v| v.as_bytes()) {
            Some(b"Bearer ann") => Ok(Arc::from("ann")),
            Some(b"Bearer bob") => Ok(Arc::from("bob")),
            _ => Err(Denied::Unauthorized { challenge: "Bearer realm=\"x\"".into() }),
        };
    let client = Client::new(Config::default().admission(Admission::default().authorize(authorize)));
    let refused = client.send("POST", &[], PING).await;
    let challenge =
        refused.headers().get("www-authenticate").and_then(|v| v.to_str().ok()).map(str::to_owned);
    assert_eq!((refused.status().as_u16(), challenge.as_deref()), (401, Some("Bearer realm=\"x\"")));
    let opened = client.send("POST", &[("authorization", "Bearer ann")], &initialize("2025-06-18")).await;
    let id = opened.headers().get("mcp-session-id").expect("a session").to_str().expect("ascii").to_owned();
    for (token, status) in [("Bearer ann", 200), ("Bearer bob", 404)] {
        let headers = [("authorization", token), ("mcp-session-id", &*id)];
        assert_eq!(client.post(&headers, PING).await.0, status, "{token}");
    }
}

#[tokio::test]
async fn batches_belong_to_one_revision() {
    let client = Client::new(Config::default().sessions(false));
    let batch = format!("[{PING},{}]", call(2, "echo"));
    for headers in [&[][..], &[("mcp-protocol-version", "2025-03-26")]] {
        let (status, body) = client.post(headers, &batch).await;
        assert_eq!(status, 200);
        assert_eq!(
            body,
            r#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{}"}]}}]"#
        );
    }
    for version in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        let (status, body) = client.post(&[("mcp-protocol-version", version)], &batch).await;
        assert_eq!((status, body.contains("-32600")), (400, true), "{version} {body}");
    }
    let silent = client.send("POST", &[], r#"[{"jsonrpc":"2.0","method":"notifications/x"}]"#).await;
    assert_eq!(whole(silent).await, (202, String::new()));
}
