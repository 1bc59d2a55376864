//! The service: one request in, one response out.

use std::{
    future::{Future, poll_fn},
    sync::Arc,
};

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header, request::Parts,
};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use mcp_protocol::{
    Incoming, Server, Version,
    server::{Accepted, Exchange, Header, Headers, Outgoing, Peer, Received, Runtime},
    web::{Accepts, Denied, is_json, refusal_body},
};

use crate::{
    body::Body,
    config::Config,
    session::{NEWS, Session, Sessions, fresh_id},
    stream::{EventStream, Source, finish},
};

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// An MCP server as an HTTP service on one path. Clones are the same service.
#[derive(Clone)]
pub struct StreamableHttp(Arc<Inner>);

struct Inner {
    server: Server,
    config: Config,
    sessions: Sessions,
}

struct RequestHeaders<'h>(&'h HeaderMap);

impl Headers for RequestHeaders<'_> {
    fn get(&self, name: &str) -> Header<'_> {
        let mut all = self.0.get_all(name).iter();
        match (all.next(), all.next()) {
            (None, _) => Header::Absent,
            (Some(one), None) => Header::One(one.as_bytes()),
            (Some(_), Some(_)) => Header::Repeated,
        }
    }
}

/// A response instead of an answer.
type Refused = Box<Response<Body>>;

/// What is known of a request once its head was let in.
struct Admitted {
    parts: Parts,
    principal: Option<Arc<str>>,
}

impl StreamableHttp {
    /// Serves `server` as `config` says.
    #[must_use]
    pub fn new(server: Server, config: Config) -> Self {
        let sessions = Sessions::new(config.most_sessions, config.session_ttl_ms);
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
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
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
            let allowed = if streams { "GET, POST, DELETE" } else { "POST" };
            let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed");
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
            return Err(Box::new(response));
        }
        let text = |name: HeaderName| headers.get(name).map(|v| v.to_str().unwrap_or("\u{0}"));
        let host = text(header::HOST).or_else(|| parts.uri.authority().map(http::uri::Authority::as_str));
        config.gate.check(host, text(header::ORIGIN)).map_err(|why| refuse(StatusCode::FORBIDDEN, why))?;
        let principal = match &config.authorize {
            None => None,
            Some(authorize) => Some(authorize(&parts).map_err(|denied| Box::new(turn_away(&denied)))?),
        };
        Ok(Admitted { parts, principal })
    }

    async fn post<B>(&self, admitted: Admitted, body: B) -> Response<Body>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let headers = &admitted.parts.headers;
        let content_type = headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok());
        if !content_type.is_some_and(is_json) {
            return plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Content-Type must be application/json");
        }
        let accepts =
            Accepts::parse(headers.get_all(header::ACCEPT).iter().map(|v| v.to_str().unwrap_or("")));
        if !accepts.json && !accepts.events {
            return plain(
                StatusCode::NOT_ACCEPTABLE,
                "Accept must allow application/json or text/event-stream",
            );
        }
        let bytes = match read(body, self.0.config.body_limit).await {
            Ok(bytes) => bytes,
            Err(response) => return *response,
        };
        match self.accept(&admitted, &bytes) {
            Err(response) => *response,
            Ok((Accepted::Nothing, _)) => status(StatusCode::ACCEPTED),
            Ok((Accepted::Exchange(exchange), session)) => self.respond(exchange, session, accepts).await,
        }
    }

    /// Hands the message to the server, on behalf of the right peer.
    fn accept(&self, admitted: &Admitted, bytes: &Bytes) -> Result<(Accepted, Option<NewOrOld>), Refused> {
        let server = &self.0.server;
        let headers = &admitted.parts.headers;
        let incoming = Incoming::decode(bytes)
            .map_err(|refusal| Box::new(answer(server.refuse(&refusal, Version::LATEST))))?;
        let as_sent = RequestHeaders(headers);
        let now = (self.0.config.clock)();
        let received = Received { now, headers: Some(&as_sent), principal: admitted.principal.clone() };
        if incoming.is_modern() || is_modern(headers) {
            let peer = Peer::passing(Version::LATEST);
            return Ok((server.accept(&peer, incoming, &received), None));
        }
        let received = Received { headers: None, ..received };
        let version = version_header(headers)?;
        if incoming.is_initialize() {
            if let Some(version) = version
                && incoming.initialize_version().is_some_and(|asked| asked != version.as_str())
            {
                return Err(refuse(StatusCode::BAD_REQUEST, "MCP-Protocol-Version differs from the body"));
            }
            let peer = if self.0.config.sessions {
                Peer::connected()
            } else {
                Peer::passing(Version::LATEST_HANDSHAKE)
            };
            let accepted = server.accept(&peer, incoming, &received);
            if !self.0.config.sessions || peer.version().is_none() {
                return Ok((accepted, None));
            }
            let id = fresh_id()
                .map_err(|_| refuse(StatusCode::INTERNAL_SERVER_ERROR, "No randomness for a session id"))?;
            let session = self.0.sessions.add(id, peer, admitted.principal.clone(), now);
            let session =
                session.ok_or_else(|| refuse(StatusCode::SERVICE_UNAVAILABLE, "Too many sessions"))?;
            return Ok((accepted, Some(NewOrOld { session, new: true })));
        }
        if self.0.config.sessions {
            let session = self.session(admitted)?;
            let accepted = server.accept(&session.peer, incoming, &received);
            return Ok((accepted, Some(NewOrOld { session, new: false })));
        }
        let peer = Peer::passing(version.unwrap_or(Version::V2025_03_26));
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
    async fn respond(
        &self,
        exchange: Exchange,
        session: Option<NewOrOld>,
        accepts: Accepts,
    ) -> Response<Body> {
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
                Some(Outgoing::CloseStream { retry_ms }) if session.is_some() && accepts.events => {
                    break Outgoing::CloseStream { retry_ms };
                }
                // the client takes JSON only, which has no room for notifications
                Some(Outgoing::Notification(_) | Outgoing::CloseStream { .. }) => {}
                Some(Outgoing::Request(_)) => {
                    return plain(StatusCode::NOT_ACCEPTABLE, "The answer needs Accept: text/event-stream");
                }
            }
        };
        let new_session = session.as_ref().filter(|s| s.new).map(|s| s.session.id.clone());
        let as_events = self.0.config.prefer_events && accepts.events || !accepts.json;
        let mut response = match (first, session) {
            (Outgoing::Answer { bytes, status }, _) => {
                if as_events && status == 200 {
                    event_response(EventStream::single(bytes))
                } else {
                    answer(Outgoing::Answer { bytes, status })
                }
            }
            (first, Some(session)) if !session.new => {
                self.respond_with_log(waiting.take(first), &session.session)
            }
            (Outgoing::Notification(bytes) | Outgoing::Request(bytes), _) => {
                let stream = EventStream::plain(waiting.take_exchange(), bytes, runtime);
                event_response(self.keep_alive(stream))
            }
            (Outgoing::CloseStream { .. }, _) => status(StatusCode::INTERNAL_SERVER_ERROR),
        };
        if let Some(value) = new_session.and_then(|id| HeaderValue::try_from(id).ok()) {
            response.headers_mut().insert(SESSION_ID, value);
        }
        response
    }

    fn respond_with_log(&self, source: Source, session: &Session) -> Response<Body> {
        let config = &self.0.config;
        let Some(log) = session.open(source, config.most_streams, config.most_events) else {
            return plain(StatusCode::TOO_MANY_REQUESTS, "Too many streams in this session");
        };
        let priming =
            session.peer.version().is_some_and(Version::has_priming_event).then_some(config.retry_ms);
        let stream = EventStream::of_log(log, 0, priming, self.0.server.runtime().cloned());
        event_response(self.keep_alive(stream))
    }

    fn keep_alive(&self, stream: EventStream) -> EventStream {
        stream.with_keep_alive(self.0.server.runtime().cloned(), self.0.config.keep_alive_ms)
    }

    /// The standalone stream of a session, or the rest of a broken one.
    fn get(&self, admitted: &Admitted) -> Response<Body> {
        let headers = &admitted.parts.headers;
        let accepts =
            Accepts::parse(headers.get_all(header::ACCEPT).iter().map(|v| v.to_str().unwrap_or("")));
        if !accepts.events {
            return plain(StatusCode::NOT_ACCEPTABLE, "Accept must allow text/event-stream");
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
                let log = session.news(config.most_events);
                let primed = session.peer.version().is_some_and(Version::has_priming_event);
                let after = log.last();
                EventStream::of_log(log, after, primed.then_some(config.retry_ms), runtime)
            }
            Some(id) => {
                let parsed = id.to_str().ok().and_then(|id| id.split_once('-'));
                let parsed = parsed.and_then(|(s, n)| Some((s.parse().ok()?, n.parse().ok()?)));
                let found = parsed.and_then(|(stream, after): (u64, u64)| {
                    let log = if stream == NEWS {
                        Some(session.news(config.most_events))
                    } else {
                        session.stream(stream)
                    };
                    log.filter(|log| log.can_resume(after)).map(|log| (log, after))
                });
                let Some((log, after)) = found else {
                    return plain(
                        StatusCode::NOT_FOUND,
                        "The stream of this Last-Event-ID cannot be resumed",
                    );
                };
                EventStream::of_log(log, after, None, runtime)
            }
        };
        event_response(self.keep_alive(stream))
    }

    fn delete(&self, admitted: &Admitted) -> Response<Body> {
        let id = admitted.parts.headers.get(SESSION_ID).and_then(|v| v.to_str().ok());
        let Some(id) = id else {
            return plain(StatusCode::BAD_REQUEST, "Mcp-Session-Id is required");
        };
        if self.0.sessions.remove(id, admitted.principal.as_deref()) {
            status(StatusCode::NO_CONTENT)
        } else {
            plain(StatusCode::NOT_FOUND, "There is no such session")
        }
    }
}

struct NewOrOld {
    session: Arc<Session>,
    new: bool,
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

async fn read<B>(body: B, limit: usize) -> Result<Bytes, Refused>
where
    B: http_body::Body<Data = Bytes> + Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if body.size_hint().lower() > limit as u64 {
        return Err(refuse(StatusCode::PAYLOAD_TOO_LARGE, "The message is too long"));
    }
    match Limited::new(body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(e) if e.is::<LengthLimitError>() => {
            Err(refuse(StatusCode::PAYLOAD_TOO_LARGE, "The message is too long"))
        }
        Err(_) => Err(refuse(StatusCode::BAD_REQUEST, "The body could not be read")),
    }
}

fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

fn with_body(status: StatusCode, content_type: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

fn plain(status: StatusCode, why: &str) -> Response<Body> {
    with_body(status, "application/json", Body::whole(refusal_body(why)))
}

fn refuse(status: StatusCode, why: &str) -> Refused {
    Box::new(plain(status, why))
}

fn turn_away(denied: &Denied) -> Response<Body> {
    let (status, challenge) = denied.response();
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::FORBIDDEN);
    let mut response = plain(status, status.canonical_reason().unwrap_or("Denied"));
    if let Some(value) = challenge.and_then(|c| HeaderValue::from_str(c).ok()) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    }
    response
}

fn answer(outgoing: Outgoing) -> Response<Body> {
    match outgoing {
        Outgoing::Answer { bytes, status } => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
            with_body(status, "application/json", Body::whole(bytes))
        }
        _ => status(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

fn event_response(stream: EventStream) -> Response<Body> {
    let mut response = with_body(StatusCode::OK, "text/event-stream", Body::events(stream));
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}
