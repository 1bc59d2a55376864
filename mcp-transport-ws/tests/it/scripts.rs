//! The scripts of the protocol, over WebSocket.

use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
};

use futures_io::{AsyncRead as _, AsyncWrite as _};
use mcp_protocol::Server;
use mcp_transport_stdio::{Duplex, duplex};
use mcp_transport_ws::{Config, WebSockets};

use crate::{
    frame, head,
    suite::{Wire, check_all, now},
};

/// A client that writes frames by hand, and the server's future, which runs when it is asked something.
struct Frames {
    stream: Duplex,
    served: Pin<Box<dyn Future<Output = ()>>>,
}

impl Wire for Frames {
    fn give(&mut self, message: &str) -> Vec<Vec<String>> {
        let cx = &mut Context::from_waker(Waker::noop());
        let sent = frame(0x81, message.as_bytes());
        assert!(
            matches!(Pin::new(&mut self.stream).poll_write(cx, &sent), Poll::Ready(Ok(n)) if n == sent.len())
        );
        assert!(self.served.as_mut().poll(cx).is_pending(), "the connection ended");
        let mut bytes = vec![0; 64 << 10];
        let n = match Pin::new(&mut self.stream).poll_read(cx, &mut bytes) {
            Poll::Ready(read) => read.expect("alive"),
            Poll::Pending => 0,
        };
        vec![messages(&bytes[..n])]
    }
}

/// The texts of the server's frames.
fn messages(mut bytes: &[u8]) -> Vec<String> {
    let mut messages = Vec::new();
    while let [0x81, length, rest @ ..] = bytes {
        let (length, rest) = match length {
            126 => (usize::from(u16::from_be_bytes([rest[0], rest[1]])), &rest[2..]),
            short => (usize::from(*short), rest),
        };
        let (text, rest) = rest.split_at(length);
        messages.push(String::from_utf8(text.to_vec()).expect("text"));
        bytes = rest;
    }
    assert!(bytes.is_empty(), "a frame of another kind: {bytes:x?}");
    messages
}

fn connect(server: Server) -> Frames {
    let (stream, there) = duplex(64 << 10);
    let service = WebSockets::new(server, Config::default().clock(now));
    let (_, upgraded) = service.upgrade(&head(|_| {})).unwrap_or_else(|_| panic!("accepted"));
    Frames { stream, served: Box::pin(upgraded.serve(there)) }
}

#[test]
fn conversations_go_as_their_scripts_say() {
    check_all("ws", connect);
}
