//! Event streams. One is the log of what a request (or a session) has to say; connections come and go, read the log
//! from where they left off, and drive the request while they are there.

use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::Duration,
};

use bytes::Bytes;
use mcp_protocol::{
    endpoint::{Chunks, KeepAlive},
    framing::write_event,
    server::{Exchange, Outgoing, Peer, Runtime},
};

/// The source of the events.
pub(crate) enum Source {
    /// A request that already said its first item.
    Started(Option<Outgoing>, Exchange),
    /// Notifications of the server to the session outside of requests.
    News(Peer),
    /// Nothing more will come.
    Ended,
}

enum Item {
    Event(Vec<u8>),
    Close(Duration),
}

impl Source {
    pub(crate) fn started(exchange: Exchange, first: Outgoing) -> Self {
        Self::Started(Some(first), exchange)
    }
    /// The next item; `Ready(None)` when there will be none.
    fn poll_item(&mut self, cx: &mut Context<'_>) -> Poll<Option<Item>> {
        let item = match self {
            Self::Ended => return Poll::Ready(None),
            Self::News(peer) => peer.poll_notification(cx).map(|m| m.map(Item::Event)),
            Self::Started(first, exchange) => {
                match first.take().map_or_else(|| exchange.poll_next(cx), |f| Poll::Ready(Some(f))) {
                    Poll::Ready(Some(Outgoing::Answer { bytes, .. })) => {
                        *self = Self::Ended;
                        return Poll::Ready(Some(Item::Event(bytes)));
                    }
                    Poll::Ready(Some(Outgoing::Notification(bytes) | Outgoing::Request(bytes))) => {
                        Poll::Ready(Some(Item::Event(bytes)))
                    }
                    Poll::Ready(Some(Outgoing::CloseStream { retry_delay })) => {
                        Poll::Ready(Some(Item::Close(retry_delay)))
                    }
                    Poll::Ready(None) => Poll::Ready(None),
                    Poll::Pending => Poll::Pending,
                }
            }
        };
        if let Poll::Ready(None) = item {
            *self = Self::Ended;
        }
        item
    }
}

/// Bytes that are kept of a stream beyond its newest event.
const MOST_BYTES: usize = 1 << 20;

/// A stream whose events are kept, so that a client can come back for them.
pub(crate) struct Log {
    id: u64,
    most: usize,
    state: Mutex<LogState>,
}

struct LogState {
    source: Source,
    /// Number of the first event that is kept; event 0 is the priming one and has no data.
    first: u64,
    events: VecDeque<Bytes>,
    /// Length of the events together.
    bytes: usize,
    /// Grows with every connection that takes the stream over; older ones end.
    reader: u64,
    waker: Option<Waker>,
}

impl Log {
    pub(crate) fn new(id: u64, source: Source, most: usize) -> Self {
        let state = LogState { source, first: 1, events: VecDeque::new(), bytes: 0, reader: 0, waker: None };
        Self { id, most, state: Mutex::new(state) }
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    fn state(&self) -> MutexGuard<'_, LogState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_ended(&self) -> bool {
        matches!(self.state().source, Source::Ended)
    }

    /// Whether an event of that number can be resumed from: everything after it is still there.
    pub(crate) fn can_resume(&self, after: u64) -> bool {
        let state = self.state();
        after + 1 >= state.first && after < state.first + state.events.len() as u64
    }

    /// The number of the last event.
    pub(crate) fn last(&self) -> u64 {
        let state = self.state();
        state.first + state.events.len() as u64 - 1
    }

    fn take_over(&self) -> u64 {
        let (reader, waker) = {
            let mut state = self.state();
            state.reader += 1;
            (state.reader, state.waker.take())
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        reader
    }

    /// Whether that reader still has the stream.
    pub(crate) fn is_read(&self) -> bool {
        self.state().waker.is_some()
    }

    /// Runs the source to its end while nobody is connected.
    async fn drive(self: Arc<Self>, reader: u64) {
        poll_fn(|cx| {
            let mut state = self.state();
            if state.reader != reader {
                return Poll::Ready(());
            }
            while let Poll::Ready(item) = state.source.poll_item(cx) {
                match item {
                    Some(Item::Event(bytes)) => state.keep(bytes.into(), self.most),
                    Some(Item::Close(_)) => {}
                    None => return Poll::Ready(()),
                }
            }
            state.waker = Some(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

impl LogState {
    fn keep(&mut self, event: Bytes, most: usize) {
        self.bytes += event.len();
        self.events.push_back(event);
        // The newest one stays, however large it is.
        while self.events.len() > most || self.events.len() > 1 && self.bytes > MOST_BYTES {
            self.bytes -= self.events.pop_front().map_or(0, |event| event.len());
            self.first += 1;
        }
    }
}

/// One connection's view of an event stream: the body of a response.
pub(crate) struct EventStream {
    from: From,
    keep_alive: Option<KeepAlive>,
    over: bool,
}

enum From {
    /// Events with ids that can be resumed.
    Log {
        log: Arc<Log>,
        reader: u64,
        next: u64,
        priming: Option<Duration>,
        runtime: Option<Arc<dyn Runtime>>,
    },
    /// Events that are gone with the connection. `first` is what was already said when the head was written.
    Plain { source: Source, first: Option<Vec<u8>>, outlive: Option<Arc<dyn Runtime>> },
}

impl EventStream {
    /// The events of `log` after number `after`. `priming`: open with an event that has an id, no data, and this retry
    /// time.
    pub(crate) fn of_log(
        log: Arc<Log>,
        after: u64,
        priming: Option<Duration>,
        runtime: Option<Arc<dyn Runtime>>,
    ) -> Self {
        let reader = log.take_over();
        let from = From::Log { log, reader, next: after + 1, priming, runtime };
        Self { from, keep_alive: None, over: false }
    }

    /// The rest of an exchange whose first message is there. `outlive`: it goes on when the connection breaks.
    pub(crate) fn plain(exchange: Exchange, first: Vec<u8>, outlive: Option<Arc<dyn Runtime>>) -> Self {
        let outlive = outlive.filter(|_| exchange.outlives_connection());
        let from = From::Plain { source: Source::Started(None, exchange), first: Some(first), outlive };
        Self { from, keep_alive: None, over: false }
    }

    /// The stream of a single message.
    pub(crate) fn single(message: Vec<u8>) -> Self {
        let from = From::Plain { source: Source::Ended, first: Some(message), outlive: None };
        Self { from, keep_alive: None, over: false }
    }

    pub(crate) fn with_keep_alive(mut self, runtime: Option<Arc<dyn Runtime>>, interval: Duration) -> Self {
        self.keep_alive = Some(KeepAlive::new(runtime, interval));
        self
    }
}

impl Chunks for EventStream {
    fn is_over(&self) -> bool {
        self.over
    }

    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.over {
            return Poll::Ready(None);
        }
        let mut chunk = Vec::new();
        self.over = match &mut self.from {
            From::Plain { source, first, .. } => {
                if let Some(first) = first.take() {
                    write_event(&mut chunk, None, None, &first);
                }
                drain_plain(source, &mut chunk, cx)
            }
            From::Log { log, reader, next, priming, .. } => {
                read_log(log, *reader, next, priming, &mut chunk, cx)
            }
        };
        if !chunk.is_empty() {
            if let Some(keep_alive) = &mut self.keep_alive {
                keep_alive.reset();
            }
            return Poll::Ready(Some(chunk.into()));
        }
        if self.over {
            return Poll::Ready(None);
        }
        match &mut self.keep_alive {
            Some(keep_alive) => keep_alive.poll_comment(cx).map(Some),
            None => Poll::Pending,
        }
    }
}

/// True when the source has ended.
fn drain_plain(source: &mut Source, chunk: &mut Vec<u8>, cx: &mut Context<'_>) -> bool {
    loop {
        match source.poll_item(cx) {
            Poll::Pending => return false,
            Poll::Ready(None) => return true,
            Poll::Ready(Some(Item::Event(bytes))) => write_event(chunk, None, None, &bytes),
            Poll::Ready(Some(Item::Close(_))) => {}
        }
    }
}

/// True when this connection is to end.
fn read_log(
    log: &Log,
    reader: u64,
    next: &mut u64,
    priming: &mut Option<Duration>,
    chunk: &mut Vec<u8>,
    cx: &mut Context<'_>,
) -> bool {
    let mut state = log.state();
    if state.reader != reader {
        return true;
    }
    if let Some(retry_delay) = priming.take() {
        chunk.extend_from_slice(
            format!("id: {}-0\nretry: {}\ndata: \n\n", log.id, retry_delay.as_millis()).as_bytes(),
        );
    }
    let mut close = None;
    let waits = loop {
        match state.source.poll_item(cx) {
            Poll::Pending => break true,
            Poll::Ready(None) => break false,
            Poll::Ready(Some(Item::Event(bytes))) => state.keep(bytes.into(), log.most),
            Poll::Ready(Some(Item::Close(retry_delay))) => {
                close = Some(retry_delay);
                break true;
            }
        }
    };
    // events that were dropped from the log while nobody read are lost; the client asked for them too late
    *next = (*next).max(state.first);
    while let Some(event) = state.events.get(usize::try_from(*next - state.first).unwrap_or(usize::MAX)) {
        write_event(chunk, Some(&format!("{}-{}", log.id, *next)), None, event);
        *next += 1;
    }
    if let Some(retry_delay) = close {
        chunk.extend_from_slice(format!("retry: {}\n\n", retry_delay.as_millis()).as_bytes());
        return true;
    }
    state.waker = waits.then(|| cx.waker().clone());
    !waits
}

impl Drop for EventStream {
    fn drop(&mut self) {
        match &mut self.from {
            From::Log { log, reader, runtime, .. } => {
                let ours = {
                    let mut state = log.state();
                    let ours = state.reader == *reader;
                    if ours {
                        state.waker = None;
                    }
                    ours && matches!(state.source, Source::Started(..))
                };
                if ours && let Some(runtime) = runtime {
                    let reader = log.take_over();
                    runtime.spawn(Box::pin(Arc::clone(log).drive(reader)));
                }
            }
            From::Plain { source, outlive: Some(runtime), .. } => {
                if let Source::Started(_, exchange) = std::mem::replace(source, Source::Ended) {
                    runtime.spawn(Box::pin(finish(exchange)));
                }
            }
            From::Plain { .. } => {}
        }
    }
}

/// Runs an exchange to its end for its effects; nobody is left to hear what it says.
pub(crate) async fn finish(mut exchange: Exchange) {
    while poll_fn(|cx| exchange.poll_next(cx)).await.is_some() {}
}
