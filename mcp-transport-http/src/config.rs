//! The options of an embedder.

use std::time::{Duration, SystemTime};

use mcp_protocol::{UnixMillis, endpoint::Admission};

/// How the service behaves. The default is right for a server on a loopback address.
///
/// Spec: 2026-07-28 basic/transports/streamable-http; 2025-11-25 basic/transports.
#[derive(Clone)]
pub struct Config {
    pub(crate) admission: Admission,
    pub(crate) clock: fn() -> UnixMillis,
    pub(crate) sessions: bool,
    pub(crate) names_in_ids: bool,
    pub(crate) max_sessions: usize,
    pub(crate) session_ttl: Duration,
    pub(crate) max_streams_per_session: usize,
    pub(crate) max_events_per_stream: usize,
    pub(crate) retry_delay: Duration,
    pub(crate) keep_alive: Duration,
    pub(crate) prefer_events: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            admission: Admission::default(),
            clock: system_time,
            sessions: true,
            names_in_ids: false,
            max_sessions: 10_000,
            session_ttl: Duration::from_hours(1),
            max_streams_per_session: 64,
            max_events_per_stream: 256,
            retry_delay: Duration::from_millis(500),
            keep_alive: Duration::from_secs(15),
            prefer_events: false,
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the rim is where the clock is read; Config::clock replaces it"
)]
fn system_time() -> UnixMillis {
    SystemTime::now().into()
}

impl Config {
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

    /// Whether revisions with a handshake get sessions. Without, every request stands alone: the server cannot ask
    /// the client anything or tell it about changes, and there is nothing to remember or resume. Default: yes.
    /// 2026-07-28 has no sessions either way.
    #[must_use]
    pub fn sessions(mut self, sessions: bool) -> Self {
        self.sessions = sessions;
        self
    }

    /// Without sessions: whether a client gets an id at its handshake that says its name and extensions, so that handlers know
    /// them in the requests that follow. Nothing is kept, and any other id is passed over. Default: no.
    #[must_use]
    pub fn names_in_ids(mut self, names: bool) -> Self {
        self.names_in_ids = names;
        self
    }

    /// How many sessions there may be. When all are in use the least recently used idle one makes room; when none is
    /// idle, `initialize` gets 503. Default: 10 000.
    #[must_use]
    pub fn max_sessions(mut self, sessions: usize) -> Self {
        self.max_sessions = sessions;
        self
    }

    /// How long a session may be idle. Default: one hour.
    #[must_use]
    pub fn session_ttl(mut self, ttl: Duration) -> Self {
        self.session_ttl = ttl;
        self
    }

    /// How many event streams of a session are kept for clients that come back; at least one. Default: 64.
    #[must_use]
    pub fn max_streams_per_session(mut self, streams: usize) -> Self {
        self.max_streams_per_session = streams.max(1);
        self
    }

    /// How many events of a stream are kept for clients that come back; at least one. Default: 256.
    #[must_use]
    pub fn max_events_per_stream(mut self, events: usize) -> Self {
        self.max_events_per_stream = events.max(1);
        self
    }

    /// Sets the time that clients are told to wait before they reconnect. Default: 500 ms.
    #[must_use]
    pub fn retry_delay(mut self, delay: Duration) -> Self {
        self.retry_delay = delay;
        self
    }

    /// Sets the time between keep-alive comments on silent streams, if the server's runtime can sleep. Default: 15 s.
    #[must_use]
    pub fn keep_alive(mut self, interval: Duration) -> Self {
        self.keep_alive = interval;
        self
    }

    /// Answers with an event stream even where one JSON object would do. Default: no.
    #[must_use]
    pub fn prefer_events(mut self, prefer: bool) -> Self {
        self.prefer_events = prefer;
        self
    }
}
