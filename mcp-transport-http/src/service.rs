//! The service: one request in, one response out.

use std::{
    future::{Future, poll_fn},
    sync::Arc,
};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, request::Parts};
use mcp_protocol::{
    Incoming, Server, Version,
    endpoint::{
        self, Body, Refused, RequestHeaders, event_stream, method_not_allowed, refusal, require_json,
        session_id,
    },
    server::{Accepted, Exchange, Outgoing, Peer, Received, Runtime},
    web::Accepts,
};

use crate::{
    config::Config,
    named,
    session::{NEWS, Session, Sessions},
    stream::{EventStream, Source, finish},
};

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// An MCP server as an HTTP service on one path. Clones are the same service.
///
/// Spec: 2026-07-28 basic/transports/streamable-http; 2025-11-25 basic/transports.
#[derive(Clone)]
pub struct StreamableHttp(Arc<Inner>);

struct Inner {
    server: Server,
    config: Config,
    sessions: Sessions,
}

/// The facts about a request once its head was let in.
struct Admitted {
    parts: Parts,
    principal: Option<Arc<str>>,
}

impl StreamableHttp {
    /// Serves `server` as `config` says.
    #[must_use]
    pub fn new(server: Server, config: Config) -> Self {
        let sessions = Sessions::new(config.max_sessions, config.session_ttl);
        Self(Arc::new(Inner { server, config, sessions }))
    }

    /// How many sessions there are.
    #[must_use]
    pub fn session_count(&self) -> usize {
        self.0.sessions.len()
    }

    /// Ends every session and every subscription, so that all streams end and connections can be shut down.
    pub fn shut_down(&self) {
        self.0.sessions.clear();
        self.0.server.end_subscriptions();
    }

    /// Answers one request. The path is not looked at: mount the service where you like.
    ///
    /// The future holds the response back until its status is certain. Dropping it in a revision without handshake
    /// cancels the request.
    pub fn handle<B>(&self, request: Request<B>) -> impl Future<Output = Response<Body>> + Send + use<B>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
    {
        let this = self.clone();
        async move {
            let (parts, body) = request.into_parts();
            match this.admit(parts) {
                Err(response) => *response,
                Ok(admitted) => match admitted.parts.method {
                    Method::POST => this.post(admitted, body).await,
                    Method::GET => this.get(&admitted),
                    _ => this.delete(&admitted),
                },
            }
        }
    }

    /// Everything that is decided before the body is read, except what only a POST needs.
    fn admit(&self, parts: Parts) -> Result<Admitted, Refused> {
        let config = &self.0.config;
        let headers = &parts.headers;
        let streams = config.sessions && !is_modern(headers);
        if !(parts.method == Method::POST
            || (streams && matches!(parts.method, Method::GET | Method::DELETE)))
        {
            return Err(method_not_allowed(if streams { "GET, POST, DELETE" } else { "POST" }));
        }
        let principal = config.admission.admit(&parts)?;
        Ok(Admitted { parts, principal })
    }

    async fn post<B>(&self, admitted: Admitted, body: B) -> Response<Body>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
    {
        let headers = &admitted.parts.headers;
        if let Err(response) = require_json(headers) {
            return *response;
        }
        let accepts = endpoint::accepts(headers);
        if !accepts.json && !accepts.events {
            return refusal(
                StatusCode::NOT_ACCEPTABLE,
                "Accept must allow application/json or text/event-stream",
            );
        }
        let bytes = match self.0.config.admission.read(body).await {
            Ok(bytes) => bytes,
            Err(response) => return *response,
        };
        match self.accept(&admitted, &bytes) {
            Err(response) => *response,
            Ok((Accepted::Nothing, _)) => status(StatusCode::ACCEPTED),
            Ok((Accepted::Exchange(exchange), caller)) => self.respond(exchange, caller, accepts).await,
        }
    }

    /// Hands the message to the server, on behalf of the right peer.
    fn accept(&self, admitted: &Admitted, bytes: &Bytes) -> Result<(Accepted, Option<Caller>), Refused> {
        let server = &self.0.server;
        let headers = &admitted.parts.headers;
        let incoming = Incoming::decode(bytes)
            .map_err(|refusal| Box::new(answer(server.refuse(&refusal, Version::LATEST))))?;
        let as_sent = RequestHeaders(headers);
        let now = (self.0.config.clock)();
        let received = Received::at(now).with_principal(admitted.principal.clone());
        let received_with_headers = received.clone().with_headers(&as_sent);
        if incoming.is_modern() || is_modern(headers) {
            let peer = Peer::without_session(Version::LATEST);
            return Ok((server.accept(&peer, incoming, &received_with_headers), None));
        }
        // A handshake is what agrees on a revision: one that nobody here knows yet is no reason to refuse it.
        let version = match version_header(headers) {
            Err(_) if incoming.is_initialize() => None,
            version => version?,
        };
        if incoming.is_initialize() {
            if let Some(version) = version
                && incoming.initialize_version().is_some_and(|asked| asked != version.as_str())
            {
                return Err(refuse(StatusCode::BAD_REQUEST, "MCP-Protocol-Version differs from the body"));
            }
            let peer = if self.0.config.sessions {
                Peer::connected()
            } else {
                Peer::without_session(Version::LATEST_HANDSHAKE)
            };
            let accepted = server.accept(&peer, incoming, &received);
            if !self.0.config.sessions {
                let name = peer.client_info().filter(|_| self.0.config.names_in_ids);
                let id = name.map(|info| named::id(&info, &peer.extensions()));
                return Ok((accepted, id.map(Caller::Named)));
            }
            if peer.version().is_none() {
                return Ok((accepted, None));
            }
            let mut random = [0u8; 16];
            getrandom::fill(&mut random)
                .map_err(|_| refuse(StatusCode::INTERNAL_SERVER_ERROR, "No randomness for a session id"))?;
            let id = session_id(random);
            let session = self.0.sessions.add(id, peer, admitted.principal.clone(), now);
            let session =
                session.ok_or_else(|| refuse(StatusCode::SERVICE_UNAVAILABLE, "Too many sessions"))?;
            return Ok((accepted, Some(Caller::New(session))));
        }
        if self.0.config.sessions {
            let session = self.session(admitted)?;
            let accepted = server.accept(&session.peer, incoming, &received);
            return Ok((accepted, Some(Caller::Old(session))));
        }
        let version = version.unwrap_or(Version::V2025_03_26);
        let id = headers.get(SESSION_ID).filter(|_| self.0.config.names_in_ids);
        let client = id.and_then(|id| named::client(id.to_str().ok()?));
        let peer = match client {
            Some((client, extensions)) => Peer::without_session_for(version, &client, &extensions),
            None => Peer::without_session(version),
        };
        Ok((server.accept(&peer, incoming, &received), None))
    }

    fn session(&self, admitted: &Admitted) -> Result<Arc<Session>, Refused> {
        let id =
            admitted.parts.headers.get(SESSION_ID).ok_or_else(|| {
                refuse(StatusCode::BAD_REQUEST, "Mcp-Session-Id is required; initialize first")
            })?;
        let now = (self.0.config.clock)();
        let found =
            id.to_str().ok().and_then(|id| self.0.sessions.get(id, admitted.principal.as_deref(), now));
        found.ok_or_else(|| refuse(StatusCode::NOT_FOUND, "There is no such session"))
    }

    /// Waits for the first thing the exchange says, and chooses the form of the response by it.
    async fn respond(&self, exchange: Exchange, caller: Option<Caller>, accepts: Accepts) -> Response<Body> {
        let runtime = self.0.server.runtime().cloned();
        let mut waiting = Waiting { exchange: Some(exchange), outlive: runtime.clone() };
        let first = loop {
            let first = poll_fn(|cx| waiting.exchange().poll_next(cx)).await;
            match first {
                None => return status(StatusCode::ACCEPTED),
                Some(item @ (Outgoing::Answer { .. } | Outgoing::Notification(_) | Outgoing::Request(_)))
                    if accepts.events =>
                {
                    break item;
                }
                Some(item @ Outgoing::Answer { .. }) => break item,
                Some(Outgoing::CloseStream { retry_delay })
                    if caller.as_ref().is_some_and(Caller::is_in_session) && accepts.events =>
                {
                    break Outgoing::CloseStream { retry_delay };
                }
                // the client takes JSON only, which has no room for notifications
                Some(Outgoing::Notification(_) | Outgoing::CloseStream { .. }) => {}
                Some(Outgoing::Request(_)) => {
                    return refusal(StatusCode::NOT_ACCEPTABLE, "The answer needs Accept: text/event-stream");
                }
            }
        };
        let new_id = caller.as_ref().and_then(Caller::new_id);
        let as_events = self.0.config.prefer_events && accepts.events || !accepts.json;
        let mut response = match (first, caller) {
            (Outgoing::Answer { bytes, status }, _) => {
                if as_events && status == 200 {
                    event_stream(EventStream::single(bytes))
                } else {
                    answer(Outgoing::Answer { bytes, status })
                }
            }
            (first, Some(Caller::Old(session))) => self.respond_with_log(waiting.take(first), &session),
            (Outgoing::Notification(bytes) | Outgoing::Request(bytes), _) => {
                let stream = EventStream::plain(waiting.take_exchange(), bytes, runtime);
                event_stream(self.keep_alive(stream))
            }
            (Outgoing::CloseStream { .. }, _) => status(StatusCode::INTERNAL_SERVER_ERROR),
        };
        if let Some(value) = new_id.and_then(|id| HeaderValue::try_from(id).ok()) {
            response.headers_mut().insert(SESSION_ID, value);
        }
        response
    }

    fn respond_with_log(&self, source: Source, session: &Session) -> Response<Body> {
        let config = &self.0.config;
        let Some(log) = session.open(source, config.max_streams_per_session, config.max_events_per_stream)
        else {
            return refusal(StatusCode::TOO_MANY_REQUESTS, "Too many streams in this session");
        };
        let priming =
            session.peer.version().is_some_and(Version::has_priming_event).then_some(config.retry_delay);
        let stream = EventStream::of_log(log, 0, priming, self.0.server.runtime().cloned());
        event_stream(self.keep_alive(stream))
    }

    fn keep_alive(&self, stream: EventStream) -> EventStream {
        stream.with_keep_alive(self.0.server.runtime().cloned(), self.0.config.keep_alive)
    }

    /// The standalone stream of a session, or the rest of a broken one.
    fn get(&self, admitted: &Admitted) -> Response<Body> {
        let headers = &admitted.parts.headers;
        if !endpoint::accepts(headers).events {
            return refusal(StatusCode::NOT_ACCEPTABLE, "Accept must allow text/event-stream");
        }
        if let Err(response) = version_header(headers) {
            return *response;
        }
        let session = match self.session(admitted) {
            Ok(session) => session,
            Err(response) => return *response,
        };
        let runtime = self.0.server.runtime().cloned();
        let config = &self.0.config;
        let stream = match headers.get(LAST_EVENT_ID) {
            None => {
                let log = session.news(config.max_events_per_stream);
                let primed = session.peer.version().is_some_and(Version::has_priming_event);
                let after = log.last();
                EventStream::of_log(log, after, primed.then_some(config.retry_delay), runtime)
            }
            Some(id) => {
                let parsed = id.to_str().ok().and_then(|id| id.split_once('-'));
                let parsed = parsed.and_then(|(s, n)| Some((s.parse().ok()?, n.parse().ok()?)));
                let found = parsed.and_then(|(stream, after): (u64, u64)| {
                    let log = if stream == NEWS {
                        Some(session.news(config.max_events_per_stream))
                    } else {
                        session.stream(stream)
                    };
                    log.filter(|log| log.can_resume(after)).map(|log| (log, after))
                });
                let Some((log, after)) = found else {
                    return refusal(
                        StatusCode::NOT_FOUND,
                        "The stream of this Last-Event-ID cannot be resumed",
                    );
                };
                EventStream::of_log(log, after, None, runtime)
            }
        };
        event_stream(self.keep_alive(stream))
    }

    fn delete(&self, admitted: &Admitted) -> Response<Body> {
        let id = admitted.parts.headers.get(SESSION_ID).and_then(|v| v.to_str().ok());
        let Some(id) = id else {
            return refusal(StatusCode::BAD_REQUEST, "Mcp-Session-Id is required");
        };
        if self.0.sessions.remove(id, admitted.principal.as_deref()) {
            status(StatusCode::NO_CONTENT)
        } else {
            refusal(StatusCode::NOT_FOUND, "There is no such session")
        }
    }
}

/// The sender of a request.
enum Caller {
    /// Its handshake; the response tells it the session.
    New(Arc<Session>),
    Old(Arc<Session>),
    /// Its handshake without a session; the response gives it an id that says its name.
    Named(String),
}

impl Caller {
    fn is_in_session(&self) -> bool {
        matches!(self, Self::New(_) | Self::Old(_))
    }

    /// The id that the response gives it.
    fn new_id(&self) -> Option<String> {
        match self {
            Self::New(session) => Some(session.id.clone()),
            Self::Named(id) => Some(id.clone()),
            Self::Old(_) => None,
        }
    }
}

/// An exchange whose response head is not yet certain. Dropped with its connection, it goes on if its revision says
/// so and there is something to run it.
struct Waiting {
    exchange: Option<Exchange>,
    outlive: Option<Arc<dyn Runtime>>,
}

impl Waiting {
    fn exchange(&mut self) -> &mut Exchange {
        self.exchange.as_mut().expect("taken only after the last poll")
    }

    fn take_exchange(&mut self) -> Exchange {
        self.exchange.take().expect("taken once")
    }

    fn take(&mut self, first: Outgoing) -> Source {
        Source::started(self.take_exchange(), first)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let (Some(exchange), Some(runtime)) = (self.exchange.take(), &self.outlive)
            && exchange.outlives_connection()
        {
            runtime.spawn(Box::pin(finish(exchange)));
        }
    }
}

fn is_modern(headers: &HeaderMap) -> bool {
    let header = headers.get(VERSION).and_then(|v| v.to_str().ok()).map(str::trim);
    header.and_then(Version::parse).is_some_and(Version::is_stateless)
}

/// The revision the header names; an error if it is not one with a handshake.
fn version_header(headers: &HeaderMap) -> Result<Option<Version>, Refused> {
    let Some(value) = headers.get(VERSION) else { return Ok(None) };
    let version = value.to_str().ok().and_then(|v| Version::parse(v.trim()));
    version.map(Some).ok_or_else(|| refuse(StatusCode::BAD_REQUEST, "Unsupported MCP-Protocol-Version"))
}

fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

fn refuse(status: StatusCode, why: &str) -> Refused {
    Box::new(refusal(status, why))
}

fn answer(outgoing: Outgoing) -> Response<Body> {
    match outgoing {
        Outgoing::Answer { bytes, status } => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
            endpoint::response(status, "application/json", Body::whole(bytes))
        }
        _ => status(StatusCode::INTERNAL_SERVER_ERROR),
    }
}
