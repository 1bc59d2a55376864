//! The service: upgrade requests in, connections out.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
    time::SystemTime,
};

use futures_io::{AsyncRead, AsyncWrite};
use http::{Response, StatusCode, request::Parts};
use mcp_protocol::{
    Server, UnixMillis,
    endpoint::{Admission, Body, Refused, refusal},
    server::{Connection, Peer},
};
use tungstenite::protocol::Role;

use crate::{handshake, serve, socket::Socket};

/// How the service behaves. The default is right for a server on a loopback address.
///
/// Spec: 2025-11-25 basic/transports; RFC 6455 section 4.2.
#[derive(Clone)]
pub struct Config {
    pub(crate) admission: Admission,
    pub(crate) clock: fn() -> UnixMillis,
    pub(crate) max_connections: usize,
    pub(crate) ping_interval: Duration,
}

#[expect(
    clippy::disallowed_methods,
    reason = "the rim is where the clock is read; Config::clock replaces it"
)]
fn system_time() -> UnixMillis {
    SystemTime::now().into()
}

impl Default for Config {
    fn default() -> Self {
        Self {
            admission: Admission::default(),
            clock: system_time,
            max_connections: 1_000,
            ping_interval: Duration::from_secs(30),
        }
    }
}

impl Config {
    /// Sets the rules of admission: which requests are let in, and how long a message may be.
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

    /// How many connections there may be; further ones get 503. Default: 1000.
    #[must_use]
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections;
        self
    }

    /// Sets the time between pings, if the server's runtime can sleep. Default: 30 s.
    #[must_use]
    pub fn ping_interval(mut self, interval: Duration) -> Self {
        self.ping_interval = interval;
        self
    }
}

/// Requests under way on a connection: their answers wait in memory for a client that does not read.
const MAX_PENDING: usize = 64;

/// An MCP server behind WebSockets. Clones are the same service.
///
/// Spec: 2025-11-25 basic/transports; RFC 6455 section 4.2.
#[derive(Clone)]
pub struct WebSockets(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) server: Server,
    pub(crate) config: Config,
    peers: Mutex<Peers>,
}

#[derive(Default)]
struct Peers {
    last: u64,
    open: BTreeMap<u64, Peer>,
}

impl WebSockets {
    /// Serves `server` as `config` says.
    #[must_use]
    pub fn new(server: Server, config: Config) -> Self {
        Self(Arc::new(Inner { server, config, peers: Mutex::default() }))
    }

    fn peers(&self) -> MutexGuard<'_, Peers> {
        self.0.peers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many connections there are, those that wait for their upgrade included.
    #[must_use]
    pub fn connection_count(&self) -> usize {
        self.peers().open.len()
    }

    /// Closes every connection (1001).
    pub fn shut_down(&self) {
        // closing wakes the connections, which then take themselves off the list
        let open: Vec<Peer> = self.peers().open.values().cloned().collect();
        open.iter().for_each(Peer::close);
    }

    /// Answers a request for an upgrade, by its head: the response to send, and what to do with the stream once it
    /// was sent.
    ///
    /// # Errors
    /// The response to a request that is turned away.
    pub fn upgrade(&self, parts: &Parts) -> Result<(Response<Body>, Upgraded), Refused> {
        let principal = self.0.config.admission.admit(parts)?;
        let response = handshake::switch(parts)?;
        let connection =
            Connection::new(self.0.server.clone()).for_principal(principal).with_max_pending(MAX_PENDING);
        let mut peers = self.peers();
        if peers.open.len() >= self.0.config.max_connections {
            return Err(Box::new(refusal(StatusCode::SERVICE_UNAVAILABLE, "Too many connections")));
        }
        peers.last += 1;
        let number = peers.last;
        peers.open.insert(number, connection.peer().clone());
        drop(peers);
        Ok((response, Upgraded { service: self.clone(), number, connection }))
    }

    #[cfg(feature = "hyper-server")]
    pub(crate) fn server(&self) -> &Server {
        &self.0.server
    }
}

/// A connection that was accepted and waits for its stream.
///
/// Spec: 2025-11-25 basic/transports; RFC 6455 section 4.2.
pub struct Upgraded {
    service: WebSockets,
    number: u64,
    connection: Connection,
}

impl Upgraded {
    /// Serves the stream until it ends, is closed, or breaks.
    pub async fn serve(mut self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let Inner { server, config, .. } = &*self.service.0;
        let socket = Socket::new(stream, Role::Server, config.admission.body_size_limit());
        serve::serve(&mut self.connection, socket, config, server.runtime().map(AsRef::as_ref)).await;
    }
}

impl Drop for Upgraded {
    fn drop(&mut self) {
        self.connection.close();
        self.service.peers().open.remove(&self.number);
    }
}
