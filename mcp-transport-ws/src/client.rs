//! The client's end: the handshake over a connected stream.

use std::{
    error::Error,
    fmt,
    future::poll_fn,
    io,
    pin::Pin,
    sync::Arc,
    task::{Poll, ready},
};

use bytes::Buf as _;
use futures_io::{AsyncRead, AsyncWrite};
use http::{HeaderValue, Request, header};
use tungstenite::{
    HandshakeError,
    handshake::client::{ClientHandshake, generate_key},
    protocol::WebSocketConfig,
};

use mcp_protocol::{
    client::{ClientError, ClientOptions, Connection, Transport, Wire},
    server::{BoxFuture, Runtime},
};

use crate::{
    handshake::SUBPROTOCOL,
    socket::{End, Memory, Socket},
};

/// The connection has done what it was for.
const NORMAL: u16 = 1000;
/// A message was longer than the limit.
const TOO_LONG: u16 = 1009;

/// Why there is no connection.
///
/// Spec: RFC 6455 section 4.1.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConnectError {
    /// The address has no host.
    NoHost,
    /// The stream broke.
    Broken(io::Error),
    /// The server refused with this HTTP status.
    Refused(u16),
    /// The server's answer is not one of this protocol.
    Protocol(String),
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHost => f.write_str("The address has no host"),
            Self::Broken(e) => write!(f, "The connection broke: {e}"),
            Self::Refused(status) => write!(f, "The server refused with status {status}"),
            Self::Protocol(what) => write!(f, "The server does not speak WebSocket: {what}"),
        }
    }
}

impl Error for ConnectError {}

impl From<ConnectError> for ClientError {
    fn from(e: ConnectError) -> Self {
        match e {
            ConnectError::Refused(status) => Self::Status { status, error: None },
            other => Self::Transport(other.into()),
        }
    }
}

/// The way to a server over a stream that is connected to the host of `request`'s address.
///
/// [`ClientBuilder::connect`](mcp_protocol::client::ClientBuilder::connect) takes it: it shakes hands as
/// [`Socket::client`] does, and `runtime` moves the messages ([`drive_client`]).
///
/// Spec: 2025-11-25 basic/transports; RFC 6455.
pub struct WebSocketTransport<S> {
    stream: S,
    request: Request<()>,
    runtime: Arc<dyn Runtime>,
    patience: Option<BoxFuture<()>>,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> WebSocketTransport<S> {
    /// A server at the address of `request` (`ws://…`; for `wss://…` the stream does the encryption). Headers of the
    /// request, such as a bearer token, are sent.
    pub fn new(stream: S, request: Request<()>, runtime: impl Runtime) -> Self {
        Self { stream, request, runtime: Arc::new(runtime), patience: None }
    }

    /// Sets how long the server may be silent before it is taken for one from before 2026-07-28: until `patience` is
    /// ready, a sleep of the runtime. Default: for ever.
    #[must_use]
    pub fn patience(mut self, patience: impl Future<Output = ()> + Send + 'static) -> Self {
        self.patience = Some(Box::pin(patience));
        self
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Transport for WebSocketTransport<S> {
    type Client = Connection;

    async fn connect(self, options: ClientOptions) -> Result<Connection, ClientError> {
        let socket = Socket::client(self.stream, self.request, options.max_message_size).await?;
        let (connection, wire) = Connection::new(options);
        self.runtime.spawn(Box::pin(drive_client(wire, socket)));
        connection.negotiate(self.patience).await?;
        Ok(connection)
    }
}

/// See [`Socket::client`].
pub(crate) async fn shake_hands<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    mut request: Request<()>,
    max_size: usize,
) -> Result<Socket<S>, ConnectError> {
    let host = request.uri().authority().map(|authority| {
        // credentials in an address are not for this header
        authority.as_str().rsplit('@').next().unwrap_or_default().to_owned()
    });
    let host = host.and_then(|host| HeaderValue::try_from(host).ok()).ok_or(ConnectError::NoHost)?;
    let key = HeaderValue::try_from(generate_key()).map_err(|e| ConnectError::Protocol(e.to_string()))?;
    let headers = request.headers_mut();
    headers.insert(header::HOST, host);
    headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    headers.insert(header::SEC_WEBSOCKET_KEY, key);
    headers.insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(SUBPROTOCOL));
    let config = WebSocketConfig::default().max_message_size(Some(max_size)).max_frame_size(Some(max_size));
    let started = ClientHandshake::start(Memory::default(), request, Some(config));
    let mut shaking = started.map_err(of_tungstenite)?;
    let frames = loop {
        match shaking.handshake() {
            Ok((frames, _response)) => break frames,
            Err(HandshakeError::Failure(e)) => return Err(of_tungstenite(e)),
            Err(HandshakeError::Interrupted(again)) => shaking = again,
        }
        let wire = shaking.get_mut().get_mut();
        poll_fn(|cx| exchange(&mut stream, wire, cx)).await.map_err(ConnectError::Broken)?;
    };
    Ok(Socket::of(stream, frames))
}

/// Moves a client's messages over the socket until either side ends it; then everything that was asked fails. A message
/// of the server beyond the socket's limit ends it. The socket
/// is closed when the [connection](mcp_protocol::client::Connection) is closed or its last user dropped.
///
/// Spec: 2025-11-25 basic/transports; RFC 6455 section 7.
pub async fn drive_client<S: AsyncRead + AsyncWrite + Unpin>(wire: Wire, mut socket: Socket<S>) {
    let end = poll_fn(|cx| {
        loop {
            match socket.poll_receive(cx) {
                Poll::Ready(Ok(message)) => {
                    wire.receive(&message);
                    continue;
                }
                Poll::Ready(Err(end)) => return Poll::Ready(Some(end)),
                Poll::Pending => {}
            }
            // everything that is to be said is given to the socket before it sends
            let is_over = loop {
                match wire.poll_output(cx) {
                    Poll::Ready(Some(messages)) => socket.send_lines(&messages),
                    Poll::Ready(None) => break true,
                    Poll::Pending => break false,
                }
            };
            if is_over {
                socket.close(NORMAL, "");
                return Poll::Ready(None);
            }
            return match socket.poll_flush(cx) {
                Poll::Ready(Err(e)) => Poll::Ready(Some(End::Broken(e))),
                _ => Poll::Pending,
            };
        }
    })
    .await;
    if let Some(End::Refused(TOO_LONG)) = end {
        wire.close_oversized();
    }
    wire.close(&match &end {
        None => "The client was closed".to_owned(),
        Some(End::Closed(code)) => format!("The server closed the connection ({code:?})"),
        Some(End::Refused(code)) => format!("The server broke the rules of WebSocket ({code})"),
        Some(End::Broken(e)) => format!("The connection broke: {e}"),
    });
    if !matches!(end, Some(End::Broken(_))) {
        // a stream that breaks now is no news
        drop(poll_fn(|cx| socket.poll_end(cx)).await);
    }
}

/// Sends what waits, then reads something.
fn exchange<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut S,
    wire: &mut Memory,
    cx: &mut std::task::Context<'_>,
) -> Poll<io::Result<()>> {
    while !wire.output().is_empty() {
        let n = ready!(Pin::new(&mut *stream).poll_write(cx, wire.output()))?;
        if n == 0 {
            return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
        }
        wire.output().advance(n);
    }
    ready!(Pin::new(&mut *stream).poll_flush(cx))?;
    let mut chunk = [0; 1 << 10];
    match ready!(Pin::new(stream).poll_read(cx, &mut chunk))? {
        0 => Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into())),
        n => {
            wire.push(&chunk[..n]);
            Poll::Ready(Ok(()))
        }
    }
}

fn of_tungstenite(error: tungstenite::Error) -> ConnectError {
    match error {
        tungstenite::Error::Http(response) => ConnectError::Refused(response.status().as_u16()),
        tungstenite::Error::Io(e) => ConnectError::Broken(e),
        other => ConnectError::Protocol(other.to_string()),
    }
}
