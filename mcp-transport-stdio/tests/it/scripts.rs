//! The scripts of the protocol, over byte streams.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, Waker},
};

use futures_io::{AsyncRead as _, AsyncWrite as _};
use mcp_protocol::Server;
use mcp_transport_stdio::{Duplex, Options, duplex, serve_streams};

use crate::suite::{Wire, check_all, now};

/// The async driver, which runs when its client says something.
struct Streams {
    stream: Duplex,
    served: Pin<Box<dyn Future<Output = io::Result<()>>>>,
}

impl Wire for Streams {
    fn give(&mut self, message: &str) -> Vec<Vec<String>> {
        let cx = &mut Context::from_waker(Waker::noop());
        let line = format!("{message}\n");
        let sent = Pin::new(&mut self.stream).poll_write(cx, line.as_bytes());
        assert!(matches!(sent, Poll::Ready(Ok(n)) if n == line.len()));
        assert!(self.served.as_mut().poll(cx).is_pending(), "the server ended");
        let mut bytes = vec![0; 64 << 10];
        let n = match Pin::new(&mut self.stream).poll_read(cx, &mut bytes) {
            Poll::Ready(read) => read.expect("alive"),
            Poll::Pending => 0,
        };
        let said = String::from_utf8(bytes[..n].to_vec()).expect("text");
        vec![said.lines().map(str::to_owned).collect()]
    }
}

#[test]
fn conversations_go_as_their_scripts_say() {
    check_all("stdio", |server: Server| {
        let (stream, there) = duplex(64 << 10);
        let (input, output) = there.split();
        let options = Options::default().clock(now);
        Streams {
            stream,
            served: Box::pin(async move { serve_streams(&server, &options, input, output).await }),
        }
    });
}
