//! WebSocket: any upgrade and any bytes after it in, frames of messages out.

use std::future::Future as _;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use futures_io::{AsyncRead as _, AsyncWrite as _};
use mcp_protocol::UnixMillis;
use mcp_protocol::endpoint::Admission;
use mcp_transport_stdio::{Duplex, duplex};
use mcp_transport_ws::{Config, Upgraded, WebSockets};

use crate::endpoint::requests;
use crate::server::{Queue, server};

/// A request that is let in, for inputs that begin with frames.
const PROPER: &[u8] = b"GET /ws\nhost: localhost\nconnection: upgrade\nupgrade: websocket\nsec-websocket-version: 13\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\n\n";
/// How much the server may be given at once.
const CHUNK: usize = 1 << 10;

/// A request as the HTTP targets have it, if the input begins like one, up to a zero byte; then what is sent on the
/// connection. A request that is refused is followed by one that is not.
pub(crate) fn connection(input: &[u8]) {
    let queue = Queue::default();
    let config = Config::default()
        .clock(|| UnixMillis(0))
        .admission(Admission::default().max_body_size(1 << 12))
        .max_connections(1);
    let service = WebSockets::new(server(&queue), config);
    let end = input.iter().position(|b| *b == 0).filter(|_| input.starts_with(b"GET "));
    let (head, bytes) = end.map_or((PROPER, input), |end| (&input[..end], &input[end + 1..]));
    let upgraded = upgraded(&service, head).or_else(|| upgraded(&service, PROPER)).expect("let in");
    assert_eq!(service.connection_count(), 1);
    converse(&queue, upgraded, bytes);
    assert_eq!(service.connection_count(), 0, "a connection that ended is still counted");
}

fn upgraded(service: &WebSockets, head: &[u8]) -> Option<Upgraded> {
    let request = requests(head).next()?("")?;
    match service.upgrade(&request.into_parts().0) {
        Ok((response, upgraded)) => {
            assert_eq!(response.status(), 101);
            Some(upgraded)
        }
        Err(refused) => {
            assert!(refused.status().is_client_error());
            None
        }
    }
}

/// Sends the bytes in chunks, reads what comes, then goes away.
fn converse(queue: &Queue, upgraded: Upgraded, bytes: &[u8]) {
    let (mut here, there) = duplex(1 << 16);
    let mut served = pin!(upgraded.serve(there));
    let cx = &mut Context::from_waker(Waker::noop());
    let mut said = Vec::new();
    let mut is_over = false;
    for chunk in bytes.chunks(CHUNK) {
        // a server that has ended reads nothing
        if is_over
            || !matches!(Pin::new(&mut here).poll_write(cx, chunk), Poll::Ready(Ok(n)) if n == chunk.len())
        {
            break;
        }
        for _ in 0..3 {
            queue.turn();
            is_over = is_over || served.as_mut().poll(cx).is_ready();
            read(&mut here, &mut said);
        }
    }
    check(&said);
    drop(here);
    for _ in 0..3 {
        queue.turn();
        is_over = is_over || served.as_mut().poll(cx).is_ready();
    }
    assert!(is_over, "the client is gone, and the connection lasts");
}

fn read(stream: &mut Duplex, said: &mut Vec<u8>) {
    let mut chunk = [0; 4 << 10];
    let cx = &mut Context::from_waker(Waker::noop());
    while let Poll::Ready(Ok(n @ 1..)) = Pin::new(&mut *stream).poll_read(cx, &mut chunk) {
        said.extend_from_slice(&chunk[..n]);
    }
}

/// Whole frames of a server (RFC 6455 section 5): texts that are JSON, signs of life, and nothing after a close.
fn check(mut said: &[u8]) {
    let mut is_closed = false;
    while let [first, length, rest @ ..] = said {
        assert!(!is_closed, "a frame after the close");
        assert_eq!(length & 0x80, 0, "a server masks nothing");
        let (length, rest) = match length {
            126 => {
                let (long, rest) = rest.split_first_chunk().expect("two bytes");
                (usize::from(u16::from_be_bytes(*long)), rest)
            }
            127 => {
                let (long, rest) = rest.split_first_chunk().expect("eight bytes");
                (usize::try_from(u64::from_be_bytes(*long)).expect("fits"), rest)
            }
            short => (usize::from(*short), rest),
        };
        // bytes that do not fit into the pipe are not read yet
        let Some((payload, rest)) = rest.split_at_checked(length) else { return };
        match first {
            0x81 => {
                serde_json::from_slice::<serde_json::Value>(payload).expect("JSON");
            }
            0x88 => is_closed = true,
            0x89 | 0x8a => assert!(payload.len() < 126),
            other => panic!("a frame of kind {other:x}"),
        }
        said = rest;
    }
}
