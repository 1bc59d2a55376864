//! The parts that every HTTP service of the protocol shares: admission, reading of bodies, and responses. Over `http`
//! and `http-body` types only; feature `http`.

use std::{
    convert::Infallible,
    fmt,
    future::poll_fn,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header, request::Parts};
use http_body::{Body as _, Frame, SizeHint};

use crate::{
    server::{BoxFuture, Header, Headers, Runtime},
    web::{Accepts, Denied, Gate, is_json, refusal_body},
};

/// Says who is asking, from the request's head, or turns the request away.
type Authorize = dyn Fn(&Parts) -> Result<Arc<str>, Denied> + Send + Sync;

/// A response instead of an answer.
///
/// Spec: 2026-07-28 basic/transports/streamable-http.
pub type Refused = Box<Response<Body>>;

/// The rules of admission: which requests are let in, and how much they may send. The default is right for a
/// server on a loopback address.
///
/// Spec: 2026-07-28 basic/transports/streamable-http.
#[derive(Clone)]
pub struct Admission {
    gate: Gate,
    authorize: Option<Arc<Authorize>>,
    max_body_size: usize,
}

impl Default for Admission {
    fn default() -> Self {
        Self { gate: Gate::loopback(), authorize: None, max_body_size: 4 << 20 }
    }
}

impl fmt::Debug for Admission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let authorizes = self.authorize.is_some();
        f.debug_struct("Admission")
            .field("gate", &self.gate)
            .field("authorizes", &authorizes)
            .field("max_body_size", &self.max_body_size)
            .finish()
    }
}

impl Admission {
    /// Which `Host` and `Origin` are answered. Default: loopback names.
    #[must_use]
    pub fn gate(mut self, gate: Gate) -> Self {
        self.gate = gate;
        self
    }

    /// Sets the check that lets a request in, such as one for bearer tokens. The principal it gives is what sessions
    /// and sealed state are bound to; handlers see it. Default: everyone who passes the gate, without a principal.
    #[must_use]
    pub fn authorize(
        mut self,
        authorize: impl Fn(&Parts) -> Result<Arc<str>, Denied> + Send + Sync + 'static,
    ) -> Self {
        self.authorize = Some(Arc::new(authorize));
        self
    }

    /// The longest message, in bytes; longer ones are refused (413). Default: 4 MiB.
    #[must_use]
    pub fn max_body_size(mut self, bytes: usize) -> Self {
        self.max_body_size = bytes;
        self
    }

    /// The size of the longest message that is let in, in bytes.
    #[must_use]
    pub fn body_size_limit(&self) -> usize {
        self.max_body_size
    }

    /// The principal of a request, by its head alone: `Host`, `Origin`, then authorization.
    ///
    /// # Errors
    /// 403, or what the authorization said.
    pub fn admit(&self, parts: &Parts) -> Result<Option<Arc<str>>, Refused> {
        self.gate.check_head(parts).map_err(|why| Box::new(refusal(StatusCode::FORBIDDEN, why)))?;
        let principal = self.authorize.as_ref().map(|authorize| authorize(parts)).transpose();
        principal.map_err(|denied| Box::new(turn_away(&denied)))
    }

    /// The whole body, if it is not too long.
    ///
    /// # Errors
    /// 413, or 400 when it cannot be read.
    pub async fn read<B>(&self, body: B) -> Result<Bytes, Refused>
    where
        B: http_body::Body<Data = Bytes> + Send,
    {
        let too_long = || Box::new(refusal(StatusCode::PAYLOAD_TOO_LARGE, "The message is too long"));
        if body.size_hint().lower() > self.max_body_size as u64 {
            return Err(too_long());
        }
        let mut body = pin!(body);
        // nearly always one frame, which is then the message without a copy
        let mut first = Bytes::new();
        let mut rest = BytesMut::new();
        while let Some(frame) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
            let unreadable = |_| Box::new(refusal(StatusCode::BAD_REQUEST, "The body could not be read"));
            // trailers say nothing here
            let Ok(data) = frame.map_err(unreadable)?.into_data() else { continue };
            if first.len() + rest.len() + data.len() > self.max_body_size {
                return Err(too_long());
            }
            if first.is_empty() {
                first = data;
            } else {
                rest.extend_from_slice(&data);
            }
            if body.is_end_stream() {
                break;
            }
        }
        if rest.is_empty() {
            return Ok(first);
        }
        let mut whole = BytesMut::with_capacity(first.len() + rest.len());
        whole.extend_from_slice(&first);
        whole.extend_from_slice(&rest);
        Ok(whole.freeze())
    }
}

impl Gate {
    /// [`Gate::check`] of a request's head.
    ///
    /// # Errors
    /// A sentence for the body of the 403.
    pub fn check_head(&self, parts: &Parts) -> Result<(), &'static str> {
        // a value that is no text is replaced by a name that nothing has
        let text = |name: HeaderName| parts.headers.get(name).map(|v| v.to_str().unwrap_or("\u{0}"));
        let host = text(header::HOST).or_else(|| parts.uri.authority().map(http::uri::Authority::as_str));
        self.check(host, text(header::ORIGIN))
    }
}

/// The headers of a request, as the protocol checks them against its body.
///
/// Spec: 2026-07-28 basic/transports/streamable-http.
#[derive(Debug)]
pub struct RequestHeaders<'h>(pub &'h HeaderMap);

/// Names that every 2026-07-28 request has: read once, not for every look-up.
static EXPECTED: [HeaderName; 3] = [
    HeaderName::from_static("mcp-protocol-version"),
    HeaderName::from_static("mcp-method"),
    HeaderName::from_static("mcp-name"),
];

impl Headers for RequestHeaders<'_> {
    fn get(&self, name: &str) -> Header<'_> {
        let all = match EXPECTED.iter().find(|expected| expected.as_str() == name) {
            Some(expected) => self.0.get_all(expected),
            None => self.0.get_all(name),
        };
        let mut all = all.iter();
        match (all.next(), all.next()) {
            (None, _) => Header::Absent,
            (Some(one), None) => Header::One(one.as_bytes()),
            (Some(_), Some(_)) => Header::Repeated,
        }
    }
}

/// Which answers the client takes.
///
/// Spec: 2026-07-28 basic/transports/streamable-http.
#[must_use]
pub fn accepts(headers: &HeaderMap) -> Accepts {
    // the value that the specification asks clients to send, and that nearly all send
    const USUAL: &str = "application/json, text/event-stream";
    let mut all = headers.get_all(header::ACCEPT).iter();
    if all.next().is_some_and(|first| first == USUAL) && all.next().is_none() {
        return Accepts { json: true, events: true };
    }
    Accepts::parse(headers.get_all(header::ACCEPT).iter().map(|v| v.to_str().unwrap_or("")))
}

/// A body that is not JSON is no message.
///
/// Spec: 2026-07-28 basic/transports/streamable-http.
///
/// # Errors
/// 415.
pub fn require_json(headers: &HeaderMap) -> Result<(), Refused> {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok());
    if content_type.is_some_and(is_json) {
        return Ok(());
    }
    let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    Err(Box::new(refusal(status, "Content-Type must be application/json")))
}

/// A response with that body.
///
/// Spec: 2026-07-28 basic/transports/streamable-http.
#[must_use]
pub fn response(status: StatusCode, content_type: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// A refusal by the transport itself: the status says it, a JSON-RPC error without id repeats it.
///
/// Spec: 2026-07-28 basic/transports/streamable-http.
#[must_use]
pub fn refusal(status: StatusCode, why: &str) -> Response<Body> {
    response(status, "application/json", Body::whole(refusal_body(why)))
}

/// 405, and which methods there are.
///
/// Spec: 2026-07-28 basic/transports/streamable-http.
#[must_use]
pub fn method_not_allowed(allowed: &'static str) -> Refused {
    let mut response = refusal(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed");
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    Box::new(response)
}

/// A response whose body is an event stream.
///
/// Spec: 2026-07-28 basic/transports/streamable-http.
#[must_use]
pub fn event_stream(chunks: impl Chunks) -> Response<Body> {
    let mut response = response(StatusCode::OK, "text/event-stream", Body::stream(chunks));
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

fn turn_away(denied: &Denied) -> Response<Body> {
    let (status, challenge) = denied.response();
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::FORBIDDEN);
    let mut response = refusal(status, status.canonical_reason().unwrap_or("Denied"));
    if let Some(value) = challenge.and_then(|c| HeaderValue::from_str(c).ok()) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    }
    response
}

/// The text of an unguessable session id.
///
/// Spec: 2025-11-25 basic/transports.
#[must_use]
pub fn session_id(random: [u8; 16]) -> String {
    format!("{:032x}", u128::from_be_bytes(random))
}

/// A body that comes in pieces.
///
/// Spec: none.
pub trait Chunks: Send + 'static {
    /// The next piece: everything there is to say now; `None` at the end.
    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>>;

    /// Whether it is known that nothing follows.
    fn is_over(&self) -> bool {
        false
    }
}

/// The body of a response.
///
/// Spec: none.
pub struct Body(Kind);

enum Kind {
    Whole(Option<Bytes>),
    Stream(Box<dyn Chunks>),
}

impl Body {
    /// No body.
    #[must_use]
    pub fn empty() -> Self {
        Self(Kind::Whole(None))
    }

    /// All of it at once.
    #[must_use]
    pub fn whole(bytes: impl Into<Bytes>) -> Self {
        Self(Kind::Whole(Some(bytes.into())))
    }

    /// In pieces.
    #[must_use]
    pub fn stream(chunks: impl Chunks) -> Self {
        Self(Kind::Stream(Box::new(chunks)))
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Whole(bytes) => f.debug_tuple("Body").field(bytes).finish(),
            Kind::Stream(_) => f.write_str("Body(stream)"),
        }
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.0 {
            Kind::Whole(bytes) => Poll::Ready(bytes.take().map(|b| Ok(Frame::data(b)))),
            Kind::Stream(stream) => stream.poll_chunk(cx).map(|chunk| chunk.map(|c| Ok(Frame::data(c)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Whole(bytes) => bytes.is_none(),
            Kind::Stream(stream) => stream.is_over(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |b| b.len() as u64)),
            Kind::Stream(_) => SizeHint::default(),
        }
    }
}

/// Comments on a silent event stream, so that nothing between takes the connection for dead.
///
/// Spec: 2026-07-28 basic/transports/streamable-http.
pub struct KeepAlive {
    runtime: Option<Arc<dyn Runtime>>,
    interval: Duration,
    sleep: Option<BoxFuture<()>>,
}

impl KeepAlive {
    /// A comment after every `interval` of silence, if there is a runtime and it can sleep.
    #[must_use]
    pub fn new(runtime: Option<Arc<dyn Runtime>>, interval: Duration) -> Self {
        Self { runtime, interval, sleep: None }
    }

    /// The stream has said something.
    pub fn reset(&mut self) {
        self.sleep = None;
    }

    /// The next comment. For a stream that has nothing to say.
    pub fn poll_comment(&mut self, cx: &mut Context<'_>) -> Poll<Bytes> {
        if self.sleep.is_none() {
            self.sleep = self.runtime.as_ref().and_then(|runtime| runtime.sleep(self.interval));
        }
        let Some(sleep) = &mut self.sleep else { return Poll::Pending };
        sleep.as_mut().poll(cx).map(|()| {
            // started anew by the next poll, which follows every chunk
            self.sleep = None;
            Bytes::from_static(b": keep-alive\n\n")
        })
    }
}

impl fmt::Debug for KeepAlive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeepAlive").field("interval", &self.interval).finish_non_exhaustive()
    }
}
