//! The server's end of a byte stream: whole messages in, whole messages out, everything that runs in between.

use std::{
    future::Future,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context as TaskContext, Poll, Wake, Waker},
};

use bytes::Bytes;

use super::{Accepted, Exchange, Outgoing, Peer, Received, Server};
use crate::{envelope::Incoming, error::RpcError, time::UnixMillis};

/// One client on a stdio pipe, a socket or a WebSocket.
///
/// [`Connection::receive`] takes one message, [`Connection::poll`] advances what runs, and [`Connection::output`] holds
/// what is to be written: messages, each followed by a line feed (no message contains one). It starts no task and
/// knows no clock, so a test is a list of calls.
///
/// Spec: 2026-07-28 basic/transports/stdio; 2025-11-25 basic/transports.
pub struct Connection {
    server: Server,
    peer: Peer,
    principal: Option<Arc<str>>,
    pending: Vec<Pending>,
    output: Vec<u8>,
    max_pending: usize,
}

struct Pending {
    exchange: Exchange,
    flag: Arc<Flag>,
}

/// Remembers that an exchange wants to be polled, and passes the wake-up on.
struct Flag {
    woken: AtomicBool,
    outer: Mutex<Option<Waker>>,
}

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }
    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        let outer = self.outer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(outer) = outer {
            outer.wake();
        }
    }
}

impl Connection {
    /// Requests under way on one connection, unless [`Connection::with_max_pending`] says otherwise.
    pub const MAX_PENDING: usize = 256;

    /// A fresh connection to the server.
    #[must_use]
    pub fn new(server: Server) -> Self {
        Self {
            server,
            peer: Peer::connected(),
            principal: None,
            pending: Vec::new(),
            output: Vec::new(),
            max_pending: Self::MAX_PENDING,
        }
    }

    /// The same connection with another bound on requests under way; further ones are refused with an error.
    #[must_use]
    pub fn with_max_pending(mut self, max: usize) -> Self {
        self.max_pending = max;
        self
    }

    /// The same connection for a client that the transport authenticated; handlers see the principal.
    #[must_use]
    pub fn for_principal(mut self, principal: Option<Arc<str>>) -> Self {
        self.principal = principal;
        self
    }

    /// The client.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Takes in one message (a line without its end). Blank ones are ignored. Every answer that needs no waiting is
    /// in the output when this returns; when something is left [pending](Connection::pending), poll.
    pub fn receive(&mut self, now: UnixMillis, message: &Bytes) {
        if message.trim_ascii().is_empty() {
            return;
        }
        let received = Received { now, headers: None, principal: self.principal.clone() };
        if let Accepted::Exchange(exchange) = self.server.accept_bytes(&self.peer, message, &received) {
            self.add(exchange);
        }
    }

    /// Takes in a decoded message, of which the transport may know more.
    pub fn accept(&mut self, incoming: Incoming<'_>, received: &Received<'_>) {
        if let Accepted::Exchange(exchange) = self.server.accept(&self.peer, incoming, received) {
            self.add(exchange);
        }
    }

    /// Answers a message that was too long to be read.
    pub fn refuse_oversized(&mut self, limit: usize) {
        let error = RpcError::invalid_request(format!("A message is longer than {limit} bytes"));
        let refusal = crate::envelope::Refusal { id: None, error };
        let version = crate::version::Version::V2024_11_05;
        if let Outgoing::Answer { bytes, .. } = self.server.refuse(&refusal, version) {
            self.write(&bytes);
        }
    }

    fn add(&mut self, mut exchange: Exchange) {
        // most are over at once and need no waker of their own; the others are polled again with theirs
        if self.drain(&mut exchange, &mut TaskContext::from_waker(Waker::noop())) {
            return;
        }
        let flag = Arc::new(Flag { woken: AtomicBool::new(true), outer: Mutex::new(None) });
        let mut pending = Pending { exchange, flag };
        if self.pending.len() >= self.max_pending {
            if let Some(Outgoing::Answer { bytes, .. }) =
                pending.exchange.refuse(&RpcError::internal("Too many requests under way on this connection"))
            {
                self.write(&bytes);
            }
            return;
        }
        self.pending.push(pending);
    }

    fn write(&mut self, message: &[u8]) {
        self.output.extend_from_slice(message);
        self.output.push(b'\n');
    }

    /// Polls one exchange until it waits; true when it is over.
    fn advance(&mut self, pending: &mut Pending, outer: &Waker) -> bool {
        *pending.flag.outer.lock().unwrap_or_else(PoisonError::into_inner) = Some(outer.clone());
        if !pending.flag.woken.swap(false, Ordering::AcqRel) {
            return false;
        }
        let waker = Waker::from(Arc::clone(&pending.flag));
        self.drain(&mut pending.exchange, &mut TaskContext::from_waker(&waker))
    }

    /// Writes what the exchange has to say until it waits; true when it is over.
    fn drain(&mut self, exchange: &mut Exchange, cx: &mut TaskContext<'_>) -> bool {
        loop {
            match exchange.poll_next(cx) {
                Poll::Pending => return false,
                Poll::Ready(None) => return true,
                Poll::Ready(Some(
                    Outgoing::Notification(bytes) | Outgoing::Request(bytes) | Outgoing::Answer { bytes, .. },
                )) => self.write(&bytes),
                Poll::Ready(Some(Outgoing::CloseStream { .. })) => {}
            }
        }
    }

    /// Advances everything that was woken. Ready when there is output to write, or nothing will come any more
    /// because the peer is closed.
    pub fn poll(&mut self, cx: &mut TaskContext<'_>) -> Poll<()> {
        for mut pending in std::mem::take(&mut self.pending) {
            if !self.advance(&mut pending, cx.waker()) {
                self.pending.push(pending);
            }
        }
        loop {
            match self.peer.poll_notification(cx) {
                Poll::Ready(Some(message)) => self.write(&message),
                Poll::Ready(None) => return Poll::Ready(()),
                Poll::Pending => break,
            }
        }
        if self.output.is_empty() { Poll::Pending } else { Poll::Ready(()) }
    }

    /// The bytes to write. Take it with `std::mem::take`, or clear it after writing.
    pub fn output(&mut self) -> &mut Vec<u8> {
        &mut self.output
    }

    /// How many requests are under way.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// How many of them end with an answer: a subscription lasts as long as its client.
    #[must_use]
    pub fn unanswered(&self) -> usize {
        self.pending.iter().filter(|pending| !pending.exchange.is_subscription()).count()
    }

    /// Nothing more comes from the client, which still reads: what the server asked it fails, and the requests under way can
    /// be finished.
    pub fn input_ended(&mut self) {
        self.peer.input_ended();
    }

    /// The client is gone: everything that runs is cancelled, nothing more is said.
    pub fn close(&mut self) {
        self.peer.close();
        self.pending.clear();
    }

    /// Waits for the next output.
    pub fn wait(&mut self) -> impl Future<Output = ()> + '_ {
        std::future::poll_fn(move |cx| self.poll(cx))
    }
}
