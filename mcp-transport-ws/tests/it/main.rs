//! Connections over streams in memory: the upgrade, the frames, and how connections end.

#[cfg(feature = "hyper-server")]
#[path = "../../examples/loopback.rs"]
mod loopback;
mod scripts;
#[path = "../../../mcp-protocol/tests/it/suite.rs"]
mod suite;

use std::{future::poll_fn, pin::Pin, time::Duration};

use futures_io::{AsyncRead, AsyncWrite};
use http::{Request, Response, request::Parts};
use mcp_protocol::{
    Json, Server,
    client::{Client as _, ClientBuilder, ClientError, ClientOptions, Connection},
    endpoint::{Admission, Body, Refused},
    model::{CallToolResult, Implementation, Tool},
    server::{BoxFuture, Runtime},
    web::Denied,
};
use mcp_transport_stdio::{Duplex, duplex};
use mcp_transport_ws::{Config, ConnectError, Socket, Upgraded, WebSockets, drive_client};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const PONG: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

fn service(config: Config) -> WebSockets {
    let any = Json::parse(r#"{"type":"object"}"#).expect("a literal");
    let server = Server::builder(Implementation::new("test", "1"))
        .tool(Tool::new("who", "Says who asks.", any.clone()), |cx, _| async move {
            Ok(CallToolResult::text(cx.principal().unwrap_or("nobody")))
        })
        .tool_inline(Tool::new("long", "Says too much.", any.clone()), |_, _| {
            Ok(CallToolResult::text("x".repeat(MAX)))
        })
        .tool(Tool::new("wait", "Waits for ever.", any), |cx, _| async move {
            cx.cancelled().await;
            Ok(CallToolResult::text("never sent"))
        })
        .runtime(NoTime)
        .build()
        .expect("valid");
    WebSockets::new(server, config)
}

/// A runtime whose every sleep is over at once.
struct NoTime;

impl Runtime for NoTime {
    fn spawn(&self, _: BoxFuture<()>) {}
    fn spawn_blocking(&self, job: Box<dyn FnOnce() + Send>) {
        job();
    }
    fn sleep(&self, duration: Duration) -> Option<BoxFuture<()>> {
        (duration < Duration::from_secs(1)).then(|| Box::pin(std::future::ready(())) as BoxFuture<()>)
    }
}

fn head(change: impl FnOnce(&mut Request<()>)) -> Parts {
    let request = Request::get("/ws")
        .header("host", "localhost")
        .header("connection", "keep-alive, Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
        .header("sec-websocket-protocol", "chat, mcp");
    let mut request = request.body(()).expect("valid");
    change(&mut request);
    request.into_parts().0
}

fn set(name: &'static str, value: &'static str) -> impl FnOnce(&mut Request<()>) {
    move |request| drop(request.headers_mut().insert(name, value.parse().expect("valid")))
}

fn status(answer: Result<(Response<Body>, Upgraded), Refused>) -> u16 {
    answer.map_or_else(|refused| refused.status(), |(response, _)| response.status()).as_u16()
}

#[test]
fn an_upgrade_is_answered_as_the_rfc_has_it() {
    let service = service(Config::default());
    let (response, upgraded) = service.upgrade(&head(|_| {})).unwrap_or_else(|_| panic!("accepted"));
    assert_eq!(response.status(), 101);
    // the example of RFC 6455, 1.3
    assert_eq!(response.headers()["sec-websocket-accept"], "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    assert_eq!(response.headers()["sec-websocket-protocol"], "mcp");
    assert_eq!(service.connection_count(), 1);
    drop(upgraded);
    assert_eq!(service.connection_count(), 0);
    let (plain, _) =
        service.upgrade(&head(set("sec-websocket-protocol", "chat"))).unwrap_or_else(|_| panic!("accepted"));
    assert!(!plain.headers().contains_key("sec-websocket-protocol"));
}

#[test]
fn strangers_and_other_requests_are_turned_away() {
    let service = service(Config::default());
    for (name, value, wanted) in [
        ("host", "evil.example", 403),
        ("origin", "https://evil.example", 403),
        ("origin", "null", 403),
        ("upgrade", "h2c", 426),
        ("connection", "close", 426),
        ("sec-websocket-version", "8", 426),
        ("sec-websocket-key", "short", 400),
        ("origin", "http://localhost:3000", 101),
    ] {
        assert_eq!(status(service.upgrade(&head(set(name, value)))), wanted, "{name}: {value}");
    }
    assert_eq!(status(service.upgrade(&head(|r| *r.method_mut() = http::Method::POST))), 405);
    let with_token = Admission::default().authorize(|parts| match parts.headers.get("x-token") {
        Some(token) if token == "t" => Ok("friend".into()),
        _ => Err(Denied::Unauthorized { challenge: "Bearer".to_owned() }),
    });
    let guarded = self::service(Config::default().admission(with_token).max_connections(1));
    assert_eq!(status(guarded.upgrade(&head(|_| {}))), 401);
    let first = guarded.upgrade(&head(set("x-token", "t")));
    assert_eq!(status(guarded.upgrade(&head(set("x-token", "t")))), 503);
    assert_eq!(status(first), 101);
}

/// A connection whose handshake is done on the server's side by hand, so that frames can be looked at.
async fn raw(service: &WebSockets, talk: impl AsyncFnOnce(Duplex)) {
    let (here, there) = duplex(64 << 10);
    let (_, upgraded) = service.upgrade(&head(|_| {})).unwrap_or_else(|_| panic!("accepted"));
    tokio::join!(upgraded.serve(there), talk(here));
}

async fn write(stream: &mut Duplex, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        let n = poll_fn(|cx| Pin::new(&mut *stream).poll_write(cx, bytes)).await.expect("read");
        bytes = &bytes[n..];
    }
}

/// A masked frame of a client; the mask is zero.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let length = match u8::try_from(payload.len()) {
        Ok(short) if short < 126 => vec![0x80 | short],
        _ => {
            let long = u16::try_from(payload.len()).expect("below 64 kB");
            [&[0x80 | 126][..], &long.to_be_bytes()].concat()
        }
    };
    [&[first][..], &length, &[0; 4], payload].concat()
}

/// The next frame of the server: first byte and payload.
async fn read(stream: &mut Duplex) -> (u8, Vec<u8>) {
    let mut exactly = async |n: usize| {
        let mut bytes = vec![0; n];
        let mut got = 0;
        while got < n {
            let read =
                poll_fn(|cx| Pin::new(&mut *stream).poll_read(cx, &mut bytes[got..])).await.expect("alive");
            assert!(read > 0, "the stream ended within a frame");
            got += read;
        }
        bytes
    };
    let head = exactly(2).await;
    let length = match head[1] {
        126 => exactly(2).await.iter().fold(0, |n, byte| n << 8 | usize::from(*byte)),
        n => usize::from(n),
    };
    (head[0], exactly(length).await)
}

#[tokio::test]
async fn fragments_are_joined_and_pings_answered_between_them() {
    let service = service(Config::default());
    raw(&service, async |mut stream| {
        let (a, b) = PING.as_bytes().split_at(10);
        write(&mut stream, &[frame(0x01, a), frame(0x89, b"are you there"), frame(0x80, b)].concat()).await;
        let mut got = [read(&mut stream).await, read(&mut stream).await];
        got.sort();
        assert_eq!(got, [(0x81, PONG.as_bytes().to_vec()), (0x8a, b"are you there".to_vec())]);
    })
    .await;
    assert_eq!(service.connection_count(), 0);
}

#[tokio::test]
async fn breaches_of_the_rules_are_named_by_their_codes() {
    let service = service(Config::default().admission(Admission::default().max_body_size(100)));
    let long = [&[0x81, 0x80 | 126, 0x01, 0x00, 0, 0, 0, 0][..], &[b' '; 256]].concat();
    for (sent, code) in [
        (frame(0x82, b"binary"), 1003_u16),
        (long, 1009),
        (frame(0x81, b"\xff\xfe"), 1007),
        (vec![0x81, 0x02, b'{', b'}'], 1002),
        (frame(0xc1, b"{}"), 1002),
        (frame(0x88, &1000_u16.to_be_bytes()), 1000),
    ] {
        raw(&service, async |mut stream| {
            write(&mut stream, &sent).await;
            let (first, payload) = read(&mut stream).await;
            assert_eq!((first, &payload[..2]), (0x88, &code.to_be_bytes()[..]), "{sent:x?}");
        })
        .await;
    }
}

#[tokio::test]
async fn text_that_is_no_message_is_answered_and_the_connection_goes_on() {
    raw(&service(Config::default()), async |mut stream| {
        write(&mut stream, &frame(0x81, b"{")).await;
        assert!(String::from_utf8(read(&mut stream).await.1).expect("text").contains("-32700"));
        write(&mut stream, &frame(0x81, PING.as_bytes())).await;
        assert_eq!(read(&mut stream).await.1, PONG.as_bytes());
    })
    .await;
}

#[tokio::test]
async fn a_silent_client_is_pinged_and_given_up() {
    raw(&service(Config::default().ping_interval(Duration::from_millis(1))), async |mut stream| {
        assert_eq!(read(&mut stream).await, (0x89, Vec::new()));
        let end = poll_fn(|cx| Pin::new(&mut stream).poll_read(cx, &mut [0])).await;
        assert_eq!(end.expect("ended"), 0);
    })
    .await;
}

/// The longest message that clients read here.
const MAX: usize = 1 << 20;

fn options() -> ClientOptions {
    ClientBuilder::new(Implementation::new("c", "1")).max_message_size(MAX).options()
}

/// Shakes hands over a stream, the server's half of it by hand.
async fn connected(service: &WebSockets) -> (Socket<Duplex>, Upgraded, Duplex) {
    let (here, mut there) = duplex(4 << 10);
    let accept = async {
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            let n = poll_fn(|cx| Pin::new(&mut there).poll_read(cx, &mut byte)).await.expect("alive");
            assert_eq!(n, 1);
            request.extend(byte);
        }
        let text = String::from_utf8(request).expect("a head");
        let mut parts = Request::get("/ws");
        for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':').expect("a header");
            parts = parts.header(name, value.trim());
        }
        let parts = parts.body(()).expect("valid").into_parts().0;
        let (response, upgraded) = service.upgrade(&parts).unwrap_or_else(|_| panic!("accepted"));
        let mut head = "HTTP/1.1 101 Switching Protocols\r\n".to_owned();
        for (name, value) in response.headers() {
            head += &format!("{name}: {}\r\n", value.to_str().expect("text"));
        }
        write(&mut there, (head + "\r\n").as_bytes()).await;
        (upgraded, there)
    };
    let request = Request::get("ws://localhost/ws").body(()).expect("valid");
    let (socket, (upgraded, there)) = tokio::join!(Socket::client(here, request, MAX), accept);
    (socket.expect("connected"), upgraded, there)
}

#[cfg(feature = "hyper-server")]
#[test]
fn the_example_runs() {
    let ran = loopback::main();
    assert!(ran.is_ok(), "{ran:?}");
}

#[tokio::test]
async fn a_client_agrees_calls_and_closes() {
    let service = service(Config::default());
    let (socket, upgraded, stream) = connected(&service).await;
    let (client, wire) = Connection::new(options());
    let talk = async move {
        client.negotiate(None).await.expect("agreed");
        let result = client.call("tools/call", Json::parse(r#"{"name":"who"}"#).expect("valid"), None).await;
        assert!(result.expect("a result").as_str().contains("nobody"));
    };
    tokio::join!(upgraded.serve(stream), drive_client(wire, socket), talk);
    assert_eq!(service.connection_count(), 0);
}

#[tokio::test]
async fn an_answer_that_is_too_long_ends_the_connection_with_an_error_that_says_so() {
    let service = service(Config::default());
    let (socket, upgraded, stream) = connected(&service).await;
    let (client, wire) = Connection::new(options());
    let talk = async move {
        client.negotiate(None).await.expect("agreed");
        let params = Json::parse(r#"{"name":"long"}"#).expect("valid");
        let error = client.call("tools/call", params, None).await.expect_err("too long");
        assert!(matches!(error, ClientError::TooLong { limit: MAX }), "{error}");
        assert!(client.is_closed());
    };
    tokio::join!(upgraded.serve(stream), drive_client(wire, socket), talk);
}

#[tokio::test]
async fn a_server_that_shuts_down_says_so_and_what_was_asked_fails() {
    let service = service(Config::default());
    let (socket, upgraded, stream) = connected(&service).await;
    let (client, wire) = Connection::new(options());
    let talk = async {
        client.negotiate(None).await.expect("agreed");
        let params = Json::parse(r#"{"name":"wait"}"#).expect("valid");
        let mut waiting = std::pin::pin!(client.call("tools/call", params, None));
        let asked = poll_fn(|cx| std::task::Poll::Ready(waiting.as_mut().poll(cx).is_pending())).await;
        assert!(asked);
        service.shut_down();
        let error = waiting.await.expect_err("the server is gone").to_string();
        assert!(error.contains("1001"), "{error}");
    };
    tokio::join!(upgraded.serve(stream), drive_client(wire, socket), talk);
    assert_eq!(service.connection_count(), 0);
}

#[tokio::test]
async fn a_server_that_refuses_is_an_error() {
    let (here, mut there) = duplex(4 << 10);
    let request = Request::get("ws://localhost/ws").body(()).expect("valid");
    let refuse = async {
        write(&mut there, b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n").await;
    };
    let (socket, ()) = tokio::join!(Socket::client(here, request, MAX), refuse);
    assert!(matches!(socket.err(), Some(ConnectError::Refused(403))));
    let (here, there) = duplex(4 << 10);
    drop(there);
    let request = Request::get("ws://localhost/ws").body(()).expect("valid");
    assert!(matches!(Socket::client(here, request, MAX).await.err(), Some(ConnectError::Broken(_))));
}
