//! The scripts of the protocol, over the pair of endpoints.

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body as _;
use http_body_util::Full;
use mcp_protocol::{Server, endpoint::Body, framing::Events};
use mcp_transport_sse::{Config, HttpSse};
use std::{
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};

use crate::suite::{Wire, check_all, now};

/// A client without a runtime: what is not ready now is not said.
struct Pair {
    service: HttpSse,
    stream: Response<Body>,
    events: Events,
    endpoint: String,
}

fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a POST is answered at once"),
    }
}

fn said(response: &mut Response<Body>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let cx = &mut Context::from_waker(Waker::noop());
    while let Poll::Ready(Some(frame)) = Pin::new(response.body_mut()).poll_frame(cx) {
        bytes.extend_from_slice(&frame.expect("infallible").into_data().expect("data"));
    }
    bytes
}

impl Wire for Pair {
    fn give(&mut self, message: &str) -> Vec<Vec<String>> {
        let request = Request::post(&self.endpoint).header("host", "localhost");
        let request = request.header("content-type", "application/json");
        let body = Full::new(Bytes::copy_from_slice(message.as_bytes()));
        let mut response = ready(self.service.handle(request.body(body).expect("valid")));
        let body = String::from_utf8(said(&mut response)).expect("text");
        let refused = if response.status() == 202 { Vec::new() } else { vec![body] };
        let streamed = self.events.push(&said(&mut self.stream));
        vec![refused, streamed.into_iter().map(|event| event.expect("short").data).collect()]
    }
}

fn connect(server: Server) -> Pair {
    let service = HttpSse::new(server, Config::new("/messages").clock(now));
    let request = Request::get("/sse").header("host", "localhost").header("accept", "text/event-stream");
    let mut stream = ready(service.handle(request.body(Full::<Bytes>::default()).expect("valid")));
    let mut events = Events::default();
    let endpoint = events.push(&said(&mut stream)).remove(0).expect("short").data;
    Pair { service, stream, events, endpoint }
}

#[test]
fn conversations_go_as_their_scripts_say() {
    check_all("sse", connect);
}
