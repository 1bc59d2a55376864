//! The pair of endpoints as one service.

use std::{
    collections::BTreeMap,
    future::Future,
    sync::{Arc, MutexGuard, PoisonError},
    time::SystemTime,
};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, header, request::Parts};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use mcp_protocol::{
    Incoming, Server, UnixMillis, Version,
    server::{Connection, Outgoing, Received},
    web::{Accepts, Denied, Gate, is_json, refusal_body},
};

use crate::session::{Body, Session, Table};

/// A response instead of an answer.
type Refused = Box<Response<Body>>;

type Authorize = dyn Fn(&Parts) -> Result<Arc<str>, Denied> + Send + Sync;

/// How the service behaves. The default is right for a server on a loopback address.
#[derive(Clone)]
pub struct Config {
    endpoint: String,
    gate: Gate,
    authorize: Option<Arc<Authorize>>,
    clock: fn() -> UnixMillis,
    body_limit: usize,
    most_sessions: usize,
    keep_alive_ms: u64,
}

#[expect(
    clippy::disallowed_methods,
    reason = "the rim is where the clock is read; Config::clock replaces it"
)]
fn system_time() -> UnixMillis {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    UnixMillis(since.map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX)))
}

impl Config {
    /// `endpoint` is the path that clients are told to POST to, without the query; it gets `?sessionId=…`.
    pub fn new(endpoint: impl Into<String>) -> Self {
        Self {
            endpoint: endpoint.into(),
            gate: Gate::loopback(),
            authorize: None,
            clock: system_time,
            body_limit: 4 << 20,
            most_sessions: 1_000,
            keep_alive_ms: 15_000,
        }
    }

    /// Which `Host` and `Origin` are answered. Default: loopback names.
    #[must_use]
    pub fn gate(mut self, gate: Gate) -> Self {
        self.gate = gate;
        self
    }

    /// Who may ask. Sessions are bound to the principal. Default: everyone who passes the gate.
    #[must_use]
    pub fn authorize(
        mut self,
        authorize: impl Fn(&Parts) -> Result<Arc<str>, Denied> + Send + Sync + 'static,
    ) -> Self {
        self.authorize = Some(Arc::new(authorize));
        self
    }

    /// Replaces the system's clock.
    #[must_use]
    pub fn clock(mut self, clock: fn() -> UnixMillis) -> Self {
        self.clock = clock;
        self
    }

    /// The longest request body, in bytes; longer ones get 413. Default: 4 MiB.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// How many streams may be open; further ones get 503. Default: 1000.
    #[must_use]
    pub fn most_sessions(mut self, sessions: usize) -> Self {
        self.most_sessions = sessions;
        self
    }

    /// Time between keep-alive comments on silent streams, in milliseconds, if the server's runtime can sleep.
    /// Default: 15 000.
    #[must_use]
    pub fn keep_alive_ms(mut self, millis: u64) -> Self {
        self.keep_alive_ms = millis;
        self
    }
}

/// An MCP server behind the 2024-11-05 pair of endpoints. Clones are the same service.
#[derive(Clone)]
pub struct HttpSse(Arc<Inner>);

struct Inner {
    server: Server,
    config: Config,
    sessions: Arc<Table>,
}

impl HttpSse {
    /// Serves `server` as `config` says.
    #[must_use]
    pub fn new(server: Server, config: Config) -> Self {
        Self(Arc::new(Inner { server, config, sessions: Arc::default() }))
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Session>>> {
        self.0.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many streams are open.
    #[must_use]
    pub fn session_count(&self) -> usize {
        self.sessions().len()
    }

    /// Ends every stream, so that connections can be shut down.
    pub fn shut_down(&self) {
        let all = std::mem::take(&mut *self.sessions());
        all.values().for_each(|session| session.with(Connection::close));
    }

    /// Answers one request: a GET opens a stream, a POST with the session's id takes a message.
    pub fn handle<B>(&self, request: Request<B>) -> impl Future<Output = Response<Body>> + Send + use<B>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let this = self.clone();
        async move {
            let (parts, body) = request.into_parts();
            let principal = match this.admit(&parts) {
                Ok(principal) => principal,
                Err(response) => return *response,
            };
            if parts.method == Method::GET {
                return this.open(&parts, principal);
            }
            match this.post(&parts, principal, body).await {
                Ok(response) => response,
                Err(response) => *response,
            }
        }
    }

    fn admit(&self, parts: &Parts) -> Result<Option<Arc<str>>, Refused> {
        if !matches!(parts.method, Method::GET | Method::POST) {
            let mut response = refuse(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed");
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, POST"));
            return Err(Box::new(response));
        }
        let text = |name: HeaderName| parts.headers.get(name).map(|v| v.to_str().unwrap_or("\u{0}"));
        let host = text(header::HOST).or_else(|| parts.uri.authority().map(http::uri::Authority::as_str));
        let gate = &self.0.config.gate;
        gate.check(host, text(header::ORIGIN)).map_err(|why| boxed(StatusCode::FORBIDDEN, why))?;
        let authorize = self.0.config.authorize.as_ref();
        authorize.map(|authorize| authorize(parts).map_err(|denied| Box::new(turn_away(&denied)))).transpose()
    }

    fn open(&self, parts: &Parts, principal: Option<Arc<str>>) -> Response<Body> {
        let accept = parts.headers.get_all(header::ACCEPT).iter().map(|v| v.to_str().unwrap_or(""));
        if !Accepts::parse(accept).events {
            return refuse(StatusCode::NOT_ACCEPTABLE, "Accept must allow text/event-stream");
        }
        let mut random = [0u8; 16];
        if getrandom::fill(&mut random).is_err() {
            return refuse(StatusCode::INTERNAL_SERVER_ERROR, "No randomness for a session id");
        }
        let id: String = random.iter().map(|b| format!("{b:02x}")).collect();
        let session = Arc::new(Session::new(Connection::new(self.0.server.clone()), principal));
        {
            let mut sessions = self.sessions();
            if sessions.len() >= self.0.config.most_sessions {
                return refuse(StatusCode::SERVICE_UNAVAILABLE, "Too many streams");
            }
            sessions.insert(id.clone(), Arc::clone(&session));
        }
        let endpoint = format!("{}?sessionId={id}", self.0.config.endpoint);
        let runtime = self.0.server.runtime().cloned();
        let table = Arc::clone(&self.0.sessions);
        let body = Body::stream(session, id, table, &endpoint, runtime, self.0.config.keep_alive_ms);
        let mut response = with_body(StatusCode::OK, "text/event-stream", body);
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
        response
    }

    async fn post<B>(
        &self,
        parts: &Parts,
        principal: Option<Arc<str>>,
        body: B,
    ) -> Result<Response<Body>, Refused>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let content_type = parts.headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok());
        if !content_type.is_some_and(is_json) {
            return Err(boxed(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Content-Type must be application/json"));
        }
        let query = parts.uri.query().unwrap_or_default();
        let id = query.split('&').find_map(|pair| pair.strip_prefix("sessionId="));
        let id = id.ok_or_else(|| boxed(StatusCode::BAD_REQUEST, "sessionId is required"))?;
        let found = self.sessions().get(id).filter(|s| s.principal == principal).cloned();
        let session = found.ok_or_else(|| boxed(StatusCode::NOT_FOUND, "There is no such session"))?;
        let limit = self.0.config.body_limit;
        let too_long = || boxed(StatusCode::PAYLOAD_TOO_LARGE, "The message is too long");
        if body.size_hint().lower() > limit as u64 {
            return Err(too_long());
        }
        let bytes = match Limited::new(body, limit).collect().await {
            Ok(collected) => collected.to_bytes(),
            Err(e) if e.is::<LengthLimitError>() => return Err(too_long()),
            Err(_) => return Err(boxed(StatusCode::BAD_REQUEST, "The body could not be read")),
        };
        let incoming = Incoming::decode(&bytes).map_err(|refusal| {
            let Outgoing::Answer { bytes, .. } = self.0.server.refuse(&refusal, Version::V2024_11_05) else {
                return boxed(StatusCode::BAD_REQUEST, "Not a message");
            };
            Box::new(with_body(StatusCode::BAD_REQUEST, "application/json", Body::whole(bytes)))
        })?;
        let received = Received { now: (self.0.config.clock)(), headers: None, principal };
        session.with(|connection| connection.accept(incoming, &received));
        let mut response = with_body(StatusCode::ACCEPTED, "text/plain", Body::whole("Accepted"));
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Ok(response)
    }
}

fn with_body(status: StatusCode, content_type: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

fn refuse(status: StatusCode, why: &str) -> Response<Body> {
    with_body(status, "application/json", Body::whole(refusal_body(why)))
}

fn boxed(status: StatusCode, why: &str) -> Refused {
    Box::new(refuse(status, why))
}

fn turn_away(denied: &Denied) -> Response<Body> {
    let (status, challenge) = denied.response();
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::FORBIDDEN);
    let mut response = refuse(status, status.canonical_reason().unwrap_or("Denied"));
    if let Some(value) = challenge.and_then(|c| HeaderValue::from_str(c).ok()) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    }
    response
}
