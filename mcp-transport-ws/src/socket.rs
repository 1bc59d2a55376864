//! A WebSocket over any byte stream: whole text messages in and out.

use std::{
    future::poll_fn,
    io::{self, Read, Write},
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Buf as _, Bytes, BytesMut};
use futures_io::{AsyncRead, AsyncWrite};
use http::Request;
use tungstenite::{
    Error, Message, WebSocket,
    protocol::{CloseFrame, Role, WebSocketConfig, frame::coding::CloseCode},
};

use crate::client::{ConnectError, shake_hands};

/// Why nothing more is received.
///
/// Spec: RFC 6455 section 7.
#[derive(Debug)]
pub enum End {
    /// The other side closed the connection, with a code if it gave one; or [`Socket::close`] was answered.
    Closed(Option<u16>),
    /// The other side broke the rules; it was told this code.
    Refused(u16),
    /// The stream broke.
    Broken(io::Error),
}

/// The bytes on their way between the stream and the frames.
#[derive(Default)]
pub(crate) struct Memory {
    input: BytesMut,
    is_over: bool,
    output: BytesMut,
}

impl Memory {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.input.extend_from_slice(bytes);
    }
    pub(crate) fn output(&mut self) -> &mut BytesMut {
        &mut self.output
    }
}

impl Read for Memory {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.input.is_empty() && !self.is_over {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let n = buf.len().min(self.input.len());
        self.input.copy_to_slice(&mut buf[..n]);
        Ok(n)
    }
}

impl Write for Memory {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.output.extend_from_slice(buf);
        Ok(buf.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A connection after its handshake.
///
/// Spec: RFC 6455 section 5.
pub struct Socket<S> {
    stream: S,
    frames: WebSocket<Memory>,
    closed_with: Option<u16>,
    heard: bool,
}

/// How much is read at once.
const CHUNK: usize = 8 << 10;

fn limits(max_size: usize) -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(CHUNK)
        .write_buffer_size(0)
        .max_message_size(Some(max_size))
        .max_frame_size(Some(max_size))
}

impl<S: AsyncRead + AsyncWrite + Unpin> Socket<S> {
    pub(crate) fn new(stream: S, role: Role, max_size: usize) -> Self {
        Self::of(stream, WebSocket::from_raw_socket(Memory::default(), role, Some(limits(max_size))))
    }

    /// The server's end of a connection whose handshake is done. Messages longer than `max_size` bytes are refused.
    pub fn server(stream: S, max_size: usize) -> Self {
        Self::new(stream, Role::Server, max_size)
    }

    /// The client's end of a connection: shakes hands over a stream that is connected to the host of `request`'s address
    /// (`ws://…`; for `wss://…` the stream does the encryption). Headers of the request, such as a bearer token, are
    /// sent; those of the handshake are added. Messages longer than `max_size` bytes are refused.
    ///
    /// # Errors
    /// See [`ConnectError`].
    pub async fn client(stream: S, request: Request<()>, max_size: usize) -> Result<Self, ConnectError> {
        shake_hands(stream, request, max_size).await
    }

    pub(crate) fn of(stream: S, frames: WebSocket<Memory>) -> Self {
        Self { stream, frames, closed_with: None, heard: false }
    }

    /// The next message. Answers pings on the way; [`Socket::poll_flush`] sends the answers.
    pub fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<Result<Bytes, End>> {
        loop {
            let code = match self.frames.read() {
                Ok(Message::Text(text)) => return Poll::Ready(Ok(text.into())),
                Ok(Message::Binary(_)) => CloseCode::Unsupported,
                Ok(Message::Close(frame)) => {
                    self.closed_with = frame.map(|frame| frame.code.into());
                    continue;
                }
                Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => {
                    self.heard = true;
                    continue;
                }
                Err(Error::Io(e)) if e.kind() == io::ErrorKind::WouldBlock => {
                    let mut chunk = [0; CHUNK];
                    match ready!(Pin::new(&mut self.stream).poll_read(cx, &mut chunk)) {
                        Ok(n) => {
                            let wire = self.frames.get_mut();
                            wire.is_over = n == 0;
                            wire.push(&chunk[..n]);
                            self.heard = true;
                        }
                        Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                        Err(e) => return Poll::Ready(Err(End::Broken(e))),
                    }
                    continue;
                }
                Err(Error::ConnectionClosed | Error::AlreadyClosed) => {
                    return Poll::Ready(Err(End::Closed(self.closed_with)));
                }
                Err(_) if self.frames.get_ref().is_over => {
                    return Poll::Ready(Err(End::Broken(io::ErrorKind::UnexpectedEof.into())));
                }
                Err(Error::Capacity(_)) => CloseCode::Size,
                Err(Error::Utf8(_)) => CloseCode::Invalid,
                Err(_) => CloseCode::Protocol,
            };
            self.close(code.into(), "");
            return Poll::Ready(Err(End::Refused(code.into())));
        }
    }

    /// Takes a message to be sent; [`Socket::poll_flush`] sends it. After a close it is dropped.
    pub fn send(&mut self, text: &str) {
        self.put(Message::text(text));
    }

    /// Takes messages as the core gives them: each followed by a line feed.
    pub(crate) fn send_lines(&mut self, messages: &[u8]) {
        let messages = std::str::from_utf8(messages).expect("messages are JSON");
        messages.split('\n').filter(|message| !message.is_empty()).for_each(|message| self.send(message));
    }

    /// Asks for a sign of life.
    pub fn ping(&mut self) {
        self.put(Message::Ping(Bytes::new()));
    }

    fn put(&mut self, message: Message) {
        // memory takes everything, so the only obstacle is that the connection was closed
        drop(self.frames.write(message));
    }

    /// Begins to close the connection with that code.
    pub fn close(&mut self, code: u16, reason: &str) {
        let frame = CloseFrame { code: code.into(), reason: reason.into() };
        // as for `put`
        drop(self.frames.close(Some(frame)));
    }

    /// Whether anything was heard since this was last asked.
    pub fn take_heard(&mut self) -> bool {
        std::mem::take(&mut self.heard)
    }

    /// How many bytes wait to be sent.
    #[must_use]
    pub fn unsent_size(&self) -> usize {
        self.frames.get_ref().output.len()
    }

    /// Sends what waits.
    pub fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // answers to pings and closes are put beside the messages first; it fails when all has been said
        drop(self.frames.flush());
        let output = &mut self.frames.get_mut().output;
        while !output.is_empty() {
            match ready!(Pin::new(&mut self.stream).poll_write(cx, output)) {
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Ok(n) => output.advance(n),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Poll::Ready(Err(e)),
            }
        }
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    /// Sends what waits, then ends the stream.
    pub fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_flush(cx))?;
        Pin::new(&mut self.stream).poll_close(cx)
    }

    /// [`Socket::poll_receive`] as a future; answers pings too.
    ///
    /// # Errors
    /// Why there is no further message.
    pub async fn receive(&mut self) -> Result<Bytes, End> {
        poll_fn(|cx| {
            let received = self.poll_receive(cx);
            match self.poll_flush(cx) {
                Poll::Ready(Err(e)) if received.is_pending() => Poll::Ready(Err(End::Broken(e))),
                _ => received,
            }
        })
        .await
    }

    /// Sends one message.
    ///
    /// # Errors
    /// When the stream is broken.
    pub async fn send_now(&mut self, text: &str) -> io::Result<()> {
        self.send(text);
        poll_fn(|cx| self.poll_flush(cx)).await
    }
}
