//! The async driver: one client on a pair of byte streams of any runtime, in one future.

use std::{
    future::poll_fn,
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Buf as _;
use futures_io::{AsyncRead, AsyncWrite};
use mcp_protocol::{Server, framing::Lines, server::Connection};

use crate::blocking::{Options, take_in};

/// With more than this waiting to be written nothing is read.
const MOST_UNSENT: usize = 256 << 10;
/// How much is read at once.
const CHUNK: usize = 16 << 10;

/// Serves one client on a pair of async streams (a socket's halves, a child's pipes) until the input ends. Everything
/// that is ready when a read returns is answered with one write; while the client does not read, nothing is read from
/// it.
///
/// Blocking handlers need a [`Runtime`](mcp_protocol::server::Runtime) of the server: without one they hold up the future.
///
/// Spec: 2026-07-28 basic/transports/stdio.
///
/// # Errors
/// When reading or writing fails. A client that closed its end of the output is an error of the kind `BrokenPipe`.
pub async fn serve_streams(
    server: &Server,
    options: &Options,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let mut wire = Wire {
        connection: Connection::new(server.clone()),
        lines: Lines::new(options.max_line_size),
        unsent: bytes::BytesMut::new(),
        is_over: false,
        input,
        output,
    };
    let served = poll_fn(|cx| wire.poll(options, cx)).await;
    wire.connection.close();
    served
}

struct Wire<R, W> {
    connection: Connection,
    lines: Lines,
    unsent: bytes::BytesMut,
    is_over: bool,
    input: R,
    output: W,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Wire<R, W> {
    fn poll(&mut self, options: &Options, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            let mut waits = self.is_over;
            while !waits && self.unsent.len() + self.connection.output().len() <= MOST_UNSENT {
                match self.poll_read(options, cx) {
                    Poll::Ready(read) => read?,
                    Poll::Pending => waits = true,
                }
                waits |= self.is_over;
            }
            // its readiness says that there is output or the end, and both are looked at anyway
            let _ready: Poll<()> = self.connection.poll(cx);
            self.unsent.extend_from_slice(self.connection.output());
            self.connection.output().clear();
            ready!(self.poll_write(cx))?;
            let is_done = self.connection.unanswered() == 0 || !options.finish_at_end;
            if self.is_over && is_done {
                return Poll::Ready(Ok(()));
            }
            if waits {
                return Poll::Pending;
            }
        }
    }

    fn poll_read(&mut self, options: &Options, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut chunk = [0; CHUNK];
        let n = match ready!(Pin::new(&mut self.input).poll_read(cx, &mut chunk)) {
            Ok(n) => n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => return Poll::Ready(Ok(())),
            Err(e) => return Poll::Ready(Err(e)),
        };
        self.lines.push(&chunk[..n]);
        self.is_over = n == 0;
        take_in(&mut self.connection, &mut self.lines, options, self.is_over);
        if self.is_over {
            self.connection.input_ended();
        }
        Poll::Ready(Ok(()))
    }

    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.unsent.is_empty() {
            match ready!(Pin::new(&mut self.output).poll_write(cx, &self.unsent)) {
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Ok(n) => self.unsent.advance(n),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Poll::Ready(Err(e)),
            }
        }
        Pin::new(&mut self.output).poll_flush(cx)
    }
}
