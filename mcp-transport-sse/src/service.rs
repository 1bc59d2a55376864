//! The pair of endpoints as one service.

use std::{
    collections::BTreeMap,
    future::Future,
    sync::{Arc, MutexGuard, PoisonError},
    time::Duration,
    time::SystemTime,
};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header, request::Parts};
use mcp_protocol::{
    Incoming, Server, UnixMillis, Version,
    endpoint::{
        Admission, Body, KeepAlive, Refused, accepts, event_stream, method_not_allowed, refusal,
        require_json, response, session_id,
    },
    server::{Connection, Outgoing, Received},
};

use crate::session::{Session, Stream, Table};

/// How the service behaves. The default is right for a server on a loopback address.
///
/// Spec: 2024-11-05 basic/transports.
#[derive(Clone)]
pub struct Config {
    endpoint: String,
    admission: Admission,
    clock: fn() -> UnixMillis,
    max_sessions: usize,
    keep_alive: Duration,
    max_unread_bytes: usize,
}

#[expect(
    clippy::disallowed_methods,
    reason = "the rim is where the clock is read; Config::clock replaces it"
)]
fn system_time() -> UnixMillis {
    SystemTime::now().into()
}

impl Config {
    /// `endpoint` is the path that clients are told to POST to, without the query; it gets `?sessionId=…`.
    pub fn new(endpoint: impl Into<String>) -> Self {
        Self {
            endpoint: endpoint.into(),
            admission: Admission::default(),
            clock: system_time,
            max_sessions: 1_000,
            keep_alive: Duration::from_secs(15),
            max_unread_bytes: 8 << 20,
        }
    }

    /// Sets the rules of admission: which requests are let in, and how much they may send.
    #[must_use]
    pub fn admission(mut self, admission: Admission) -> Self {
        self.admission = admission;
        self
    }

    /// Replaces the system's clock.
    #[must_use]
    pub fn clock(mut self, clock: fn() -> UnixMillis) -> Self {
        self.clock = clock;
        self
    }

    /// How many streams may be open; further ones get 503. Default: 1000.
    #[must_use]
    pub fn max_sessions(mut self, sessions: usize) -> Self {
        self.max_sessions = sessions;
        self
    }

    /// Bytes that may wait for a client that posts and does not read its stream; with more of them its session is
    /// closed at the next post. Default: 8 MiB.
    #[must_use]
    pub fn max_unread_bytes(mut self, bytes: usize) -> Self {
        self.max_unread_bytes = bytes;
        self
    }

    /// Sets the time between keep-alive comments on silent streams, if the server's runtime can sleep. Default: 15 s.
    #[must_use]
    pub fn keep_alive(mut self, interval: Duration) -> Self {
        self.keep_alive = interval;
        self
    }
}

/// An MCP server behind the 2024-11-05 pair of endpoints. Clones are the same service.
///
/// Spec: 2024-11-05 basic/transports.
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
        all.values().for_each(|session| {
            session.with(Connection::close);
        });
    }

    /// Answers one request: a GET opens a stream, a POST with the session's id takes a message.
    pub fn handle<B>(&self, request: Request<B>) -> impl Future<Output = Response<Body>> + Send + use<B>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
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
        match parts.method {
            Method::GET | Method::POST => self.0.config.admission.admit(parts),
            _ => Err(method_not_allowed("GET, POST")),
        }
    }

    fn open(&self, parts: &Parts, principal: Option<Arc<str>>) -> Response<Body> {
        if !accepts(&parts.headers).events {
            return refusal(StatusCode::NOT_ACCEPTABLE, "Accept must allow text/event-stream");
        }
        let mut random = [0u8; 16];
        if getrandom::fill(&mut random).is_err() {
            return refusal(StatusCode::INTERNAL_SERVER_ERROR, "No randomness for a session id");
        }
        let id = session_id(random);
        let session = Arc::new(Session::new(
            Connection::new(self.0.server.clone()),
            principal,
            self.0.config.max_unread_bytes,
        ));
        {
            let mut sessions = self.sessions();
            if sessions.len() >= self.0.config.max_sessions {
                return refusal(StatusCode::SERVICE_UNAVAILABLE, "Too many streams");
            }
            sessions.insert(id.clone(), Arc::clone(&session));
        }
        let endpoint = format!("{}?sessionId={id}", self.0.config.endpoint);
        let runtime = self.0.server.runtime().cloned();
        let keep_alive = KeepAlive::new(runtime, self.0.config.keep_alive);
        let table = Arc::clone(&self.0.sessions);
        event_stream(Stream::new(session, id, table, &endpoint, keep_alive))
    }

    async fn post<B>(
        &self,
        parts: &Parts,
        principal: Option<Arc<str>>,
        body: B,
    ) -> Result<Response<Body>, Refused>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
    {
        require_json(&parts.headers)?;
        let query = parts.uri.query().unwrap_or_default();
        let id = query.split('&').find_map(|pair| pair.strip_prefix("sessionId="));
        let id = id.ok_or_else(|| boxed(StatusCode::BAD_REQUEST, "sessionId is required"))?;
        let found = self.sessions().get(id).filter(|s| s.principal == principal).cloned();
        let session = found.ok_or_else(|| boxed(StatusCode::NOT_FOUND, "There is no such session"))?;
        let bytes = self.0.config.admission.read(body).await?;
        let incoming = Incoming::decode(&bytes).map_err(|refusal| {
            let Outgoing::Answer { bytes, .. } = self.0.server.refuse(&refusal, Version::V2024_11_05) else {
                return boxed(StatusCode::BAD_REQUEST, "Not a message");
            };
            Box::new(response(StatusCode::BAD_REQUEST, "application/json", Body::whole(bytes)))
        })?;
        let received = Received::at((self.0.config.clock)()).with_principal(principal);
        if !session.with(|connection| connection.accept(incoming, &received)) {
            self.sessions().remove(id);
            return Err(boxed(StatusCode::NOT_FOUND, "The session was closed: its stream was not read"));
        }
        let mut response = response(StatusCode::ACCEPTED, "text/plain", Body::whole("Accepted"));
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Ok(response)
    }
}

fn boxed(status: StatusCode, why: &str) -> Refused {
    Box::new(refusal(status, why))
}
