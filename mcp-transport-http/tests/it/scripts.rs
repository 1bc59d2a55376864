//! The scripts of the protocol, over Streamable HTTP: a POST for each message, a GET for the rest.

use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body as _;
use http_body_util::Full;
use mcp_protocol::{Server, endpoint::Body, framing::Events, server::encode_header_value};
use mcp_transport_http::{Config, StreamableHttp};
use serde_json::Value;

use crate::suite::{Wire, check_all, now};

/// A response that is awaited, then read.
enum Stream {
    Asked(Pin<Box<dyn Future<Output = Response<Body>>>>),
    Open(Box<Response<Body>>, Events),
}

/// A client without a runtime: what is not ready now is not said.
struct Client {
    service: StreamableHttp,
    session: Option<String>,
    streams: Vec<Stream>,
}

impl Client {
    fn send(&mut self, method: &str, message: &str) {
        let mut request = Request::builder()
            .method(method)
            .uri("/mcp")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        // a message that is no JSON needs no headers
        let parsed: Value = serde_json::from_str(message).unwrap_or(Value::Null);
        let params = &parsed["params"];
        match params["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str() {
            Some(version) => {
                request = request.header("mcp-protocol-version", version);
                request = request.header("mcp-method", parsed["method"].as_str().expect("a method"));
                if let Some(name) = params["name"].as_str().or_else(|| params["uri"].as_str()) {
                    request = request.header("mcp-name", &*encode_header_value(name));
                }
            }
            None => {
                if let Some(session) = &self.session {
                    request = request.header("mcp-session-id", session);
                }
            }
        }
        let body = Full::new(Bytes::copy_from_slice(message.as_bytes()));
        let response = self.service.handle(request.body(body).expect("valid"));
        self.streams.push(Stream::Asked(Box::pin(response)));
    }

    /// The messages that each stream has now; streams that have ended are dropped.
    fn said(&mut self) -> Vec<Vec<String>> {
        let cx = &mut Context::from_waker(Waker::noop());
        let mut said = Vec::new();
        for mut stream in std::mem::take(&mut self.streams) {
            if let Stream::Asked(asked) = &mut stream {
                let Poll::Ready(response) = asked.as_mut().poll(cx) else {
                    self.streams.push(stream);
                    continue;
                };
                if let Some(id) = response.headers().get("mcp-session-id") {
                    self.session = Some(id.to_str().expect("visible").to_owned());
                }
                stream = Stream::Open(Box::new(response), Events::default());
            }
            let Stream::Open(response, events) = &mut stream else { continue };
            let is_stream =
                response.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream");
            let mut messages = Vec::new();
            let is_over = loop {
                let Poll::Ready(frame) = Pin::new(response.body_mut()).poll_frame(cx) else { break false };
                let Some(frame) = frame else { break true };
                let bytes = frame.expect("infallible").into_data().expect("data");
                if is_stream {
                    let data = events.push(&bytes).into_iter().map(|event| event.expect("short").data);
                    // an event without data only has an id
                    messages.extend(data.filter(|data| !data.is_empty()));
                } else {
                    messages.push(String::from_utf8(bytes.to_vec()).expect("text"));
                }
            };
            if !is_over {
                self.streams.push(stream);
            }
            said.push(messages);
        }
        said
    }
}

impl Wire for Client {
    fn give(&mut self, message: &str) -> Vec<Vec<String>> {
        self.send("POST", message);
        let mut said = self.said();
        if message.contains("\"notifications/initialized\"") {
            self.send("GET", "");
        }
        // a message may cause an answer on a stream that was read before
        said.extend(self.said());
        said
    }
}

#[test]
fn conversations_go_as_their_scripts_say() {
    check_all("http", |server: Server| {
        let service = StreamableHttp::new(server, Config::default().clock(now));
        Client { service, session: None, streams: Vec::new() }
    });
}
