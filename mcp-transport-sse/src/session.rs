//! One session: a connection of the server core whose output is the body of a GET.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use mcp_protocol::{
    endpoint::{Chunks, KeepAlive},
    framing::write_event,
    server::Connection,
};

pub(crate) type Table = Mutex<BTreeMap<String, Arc<Session>>>;

pub(crate) struct Session {
    pub(crate) principal: Option<Arc<str>>,
    state: Mutex<State>,
}

struct State {
    connection: Connection,
    waker: Option<Waker>,
}

impl Session {
    pub(crate) fn new(connection: Connection, principal: Option<Arc<str>>) -> Self {
        Self { principal, state: Mutex::new(State { connection, waker: None }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the connection a message, and its stream the chance to say what came of it.
    pub(crate) fn with(&self, give: impl FnOnce(&mut Connection)) {
        let waker = {
            let mut state = self.state();
            give(&mut state.connection);
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The body of a GET: what the session's connection has to say.
pub(crate) struct Stream {
    session: Arc<Session>,
    id: String,
    table: Arc<Table>,
    /// The endpoint event, until it is said.
    first: Option<Vec<u8>>,
    keep_alive: KeepAlive,
}

impl Stream {
    pub(crate) fn new(
        session: Arc<Session>,
        id: String,
        table: Arc<Table>,
        endpoint: &str,
        keep_alive: KeepAlive,
    ) -> Self {
        let mut first = Vec::new();
        write_event(&mut first, None, Some("endpoint"), endpoint.as_bytes());
        Self { session, id, table, first: Some(first), keep_alive }
    }
}

impl Chunks for Stream {
    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let mut chunk = self.first.take().unwrap_or_default();
        let closed = {
            let mut state = self.session.state();
            let connection = &mut state.connection;
            // its readiness says that there is output or the end, and both are looked at anyway
            let _ready: Poll<()> = connection.poll(cx);
            let output = std::mem::take(connection.output());
            for message in output.split(|b| *b == b'\n').filter(|m| !m.is_empty()) {
                write_event(&mut chunk, None, Some("message"), message);
            }
            let closed = connection.peer().is_closed();
            state.waker = Some(cx.waker().clone());
            closed
        };
        if !chunk.is_empty() {
            self.keep_alive.reset();
            return Poll::Ready(Some(chunk.into()));
        }
        if closed {
            return Poll::Ready(None);
        }
        self.keep_alive.poll_comment(cx).map(Some)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.table.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
        self.session.state().connection.close();
    }
}
