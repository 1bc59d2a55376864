//! One session: a connection of the server core whose output is the body of a GET.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use mcp_protocol::{
    framing::write_event,
    server::{BoxFuture, Connection, Runtime},
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

/// The body of a response: one piece, or the event stream of a session.
pub struct Body(Kind);

enum Kind {
    Whole(Option<Bytes>),
    Stream(Box<Stream>),
}

struct Stream {
    session: Arc<Session>,
    id: String,
    table: Arc<Table>,
    /// The endpoint event, until it is said.
    first: Option<Vec<u8>>,
    runtime: Option<Arc<dyn Runtime>>,
    keep_alive_ms: u64,
    sleep: Option<BoxFuture<()>>,
}

impl Body {
    pub(crate) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self(Kind::Whole(Some(bytes.into())))
    }

    pub(crate) fn stream(
        session: Arc<Session>,
        id: String,
        table: Arc<Table>,
        endpoint: &str,
        runtime: Option<Arc<dyn Runtime>>,
        keep_alive_ms: u64,
    ) -> Self {
        let mut first = Vec::new();
        write_event(&mut first, None, Some("endpoint"), endpoint.as_bytes());
        let stream = Stream { session, id, table, first: Some(first), runtime, keep_alive_ms, sleep: None };
        Self(Kind::Stream(Box::new(stream)))
    }
}

impl Stream {
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
            self.sleep = None;
            return Poll::Ready(Some(chunk.into()));
        }
        if closed {
            return Poll::Ready(None);
        }
        if self.sleep.is_none() {
            self.sleep = self.runtime.as_ref().and_then(|r| r.sleep(self.keep_alive_ms));
        }
        match self.sleep.as_mut().map(|sleep| sleep.as_mut().poll(cx)) {
            Some(Poll::Ready(())) => {
                self.sleep = None;
                Poll::Ready(Some(Bytes::from_static(b": keep-alive\n\n")))
            }
            Some(Poll::Pending) | None => Poll::Pending,
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.table.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
        self.session.state().connection.close();
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
        matches!(&self.0, Kind::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |b| b.len() as u64)),
            Kind::Stream(_) => SizeHint::default(),
        }
    }
}
