//! The HTTP services: any head and body in, a response out.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Response, Uri};
use http_body::Body as _;
use http_body_util::Full;
use mcp_protocol::endpoint::{Admission, Body};
use mcp_protocol::framing::Events;
use mcp_transport_http::{Config, StreamableHttp};
use mcp_transport_sse::HttpSse;

use crate::server::{Queue, server};

/// Requests after one another, separated by a zero byte: a first line with method and target, header lines, an empty
/// line, the body. `$` in a header or target stands for the id of the last session.
pub(crate) fn requests(input: &[u8]) -> impl Iterator<Item = impl Fn(&str) -> Option<Request<Full<Bytes>>>> {
    input.split(|b| *b == 0).map(|part| {
        move |session: &str| {
            let end = part.windows(2).position(|pair| pair == b"\n\n");
            let (head, body) = part.split_at(end.map_or(part.len(), |at| at + 2));
            let head = std::str::from_utf8(head).ok()?.replace('$', session);
            let mut lines = head.lines();
            let (method, target) = lines.next()?.split_once(' ')?;
            let mut request = Request::new(Full::new(Bytes::copy_from_slice(body)));
            *request.method_mut() = Method::from_bytes(method.as_bytes()).ok()?;
            *request.uri_mut() = target.parse::<Uri>().ok()?;
            for line in lines.filter(|line| !line.is_empty()) {
                let (name, value) = line.split_once(':')?;
                let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
                request.headers_mut().append(name, HeaderValue::from_str(value.trim()).ok()?);
            }
            Some(request)
        }
    })
}

/// Polls with a bound: something that is not ready then waits for another request.
fn ready<T>(queue: &Queue, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    for _ in 0..4 {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return Some(value);
        }
        queue.turn();
    }
    None
}

/// The bytes of a body that are there now.
fn available(queue: &Queue, body: &mut Body) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(Some(Ok(frame))) =
        ready(queue, poll_fn(|cx| std::pin::Pin::new(&mut *body).poll_frame(cx)))
    {
        bytes.extend_from_slice(frame.data_ref().expect("no trailers"));
    }
    bytes
}

fn is_stream(response: &Response<Body>) -> bool {
    response.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream")
}

/// Bodies are JSON or events of JSON, as the head says.
fn check(queue: &Queue, response: &mut Response<Body>) -> Vec<u8> {
    let kind = response.headers().get("content-type").map(|v| v.to_str().expect("text").to_owned());
    let bytes = available(queue, response.body_mut());
    match kind.as_deref() {
        None => assert!(bytes.is_empty()),
        Some("application/json") => {
            serde_json::from_slice::<serde_json::Value>(&bytes).expect("JSON");
        }
        Some("text/event-stream") => {
            for event in Events::default().push(&bytes) {
                let event = event.expect("short");
                assert!(
                    event.data.is_empty()
                        || event.name == "endpoint"
                        || serde_json::from_str::<serde_json::Value>(&event.data).is_ok()
                );
            }
        }
        Some(other) => assert_eq!(other, "text/plain"),
    }
    bytes
}

/// Streamable HTTP.
pub(crate) fn streamable(input: &[u8]) {
    let queue = Queue::default();
    let config = Config::default()
        .clock(|| mcp_protocol::UnixMillis(0))
        .admission(Admission::default().max_body_size(1 << 16))
        .max_sessions(2)
        .max_streams_per_session(2)
        .max_events_per_stream(4);
    let service = StreamableHttp::new(server(&queue), config);
    let mut session = String::new();
    let mut open = Vec::new();
    for request in requests(input) {
        let Some(request) = request(&session) else { continue };
        let Some(mut response) = ready(&queue, service.handle(request)) else { continue };
        if let Some(id) = response.headers().get("mcp-session-id") {
            id.to_str().expect("visible").clone_into(&mut session);
        }
        check(&queue, &mut response);
        if is_stream(&response) {
            open.push(response);
        }
        assert!(service.session_count() <= 2);
    }
    service.shut_down();
    for response in &mut open {
        check(&queue, response);
    }
}

/// The 2024-11-05 pair of endpoints.
pub(crate) fn sse(input: &[u8]) {
    let queue = Queue::default();
    let config = mcp_transport_sse::Config::new("/m").clock(|| mcp_protocol::UnixMillis(0)).max_sessions(2);
    let service = HttpSse::new(server(&queue), config);
    let mut session = String::new();
    let mut open: Vec<Response<Body>> = Vec::new();
    for request in requests(input) {
        let Some(request) = request(&session) else { continue };
        let Some(mut response) = ready(&queue, service.handle(request)) else { continue };
        let said = check(&queue, &mut response);
        if let Some(id) = std::str::from_utf8(&said).ok().and_then(|said| said.split_once("?sessionId=")) {
            session = id.1.chars().take(32).collect();
        }
        if is_stream(&response) {
            open.push(response);
        }
        for response in &mut open {
            check(&queue, response);
        }
        assert!(service.session_count() <= 2);
    }
}
