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

/// Requests under way in a session: their answers are kept until the stream has room for them.
const MAX_PENDING: usize = 64;

pub(crate) struct Session {
    pub(crate) principal: Option<Arc<str>>,
    /// Bytes that may wait for a client which posts and does not read.
    max_unread_bytes: usize,
    state: Mutex<State>,
}

struct State {
    connection: Connection,
    waker: Option<Waker>,
}

impl Session {
    pub(crate) fn new(connection: Connection, principal: Option<Arc<str>>, max_unread_bytes: usize) -> Self {
        let connection = connection.with_max_pending(MAX_PENDING);
        Self { principal, max_unread_bytes, state: Mutex::new(State { connection, waker: None }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the connection a message, and its stream the chance to say what came of it. A client that has left too much
    /// unread is given up: false, and nothing of it is kept.
    pub(crate) fn with(&self, give: impl FnOnce(&mut Connection)) -> bool {
        let (waker, is_read) = {
            let mut state = self.state();
            let waker = state.waker.take();
            // Answers that became ready meanwhile count. The stream looks at everything again when it has
            // room.
            let mut cx = Context::from_waker(waker.as_ref().unwrap_or(Waker::noop()));
            let _ready: Poll<()> = state.connection.poll(&mut cx);
            let is_read = state.connection.output().len() <= self.max_unread_bytes;
            if is_read {
                give(&mut state.connection);
            } else {
                state.connection.close();
                *state.connection.output() = Vec::new();
            }
            (waker, is_read)
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        is_read
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
