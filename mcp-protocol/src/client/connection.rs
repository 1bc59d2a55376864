//! The client's end of a byte stream: whole messages in, whole messages out, calls as futures in between.

use std::{
    collections::HashMap,
    future::{Future, poll_fn},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context as TaskContext, Poll, Waker},
};

use bytes::Bytes;

use super::{
    Client, ClientError, ClientHandler, ClientOptions, Inbound, Probe, Request, Session,
    features::{ATTEMPTS, with_input},
};
use crate::{
    envelope::Beginning, error::RpcError, json::Json, model::LogLevel, server::BoxFuture, version::Version,
};

/// A client of one server on a pipe, a socket, a WebSocket, or the pair of endpoints of 2024-11-05. Clones share the
/// connection; when the last one is dropped, it is closed.
///
/// Dropping a call's future takes the request back. It starts no task and knows no clock: [`Wire`] is the end that a
/// transport drives.
///
/// ```
/// use mcp_protocol::{client::{ClientBuilder, ClientError, Connection, Wire}, model::Implementation};
///
/// async fn connect(drive: impl FnOnce(Wire)) -> Result<Connection, ClientError> {
///     let options = ClientBuilder::new(Implementation::new("agent", "1.0")).options();
///     let (client, wire) = Connection::new(options);
///     // moves the messages, on a thread or a task of its own
///     drive(wire);
///     client.negotiate(None).await?;
///     Ok(client)
/// }
/// ```
///
/// Spec: 2025-11-25 basic/transports; 2026-07-28 basic/transports/stdio.
#[derive(Clone)]
pub struct Connection {
    shared: Arc<Shared>,
    _alive: Arc<Alive>,
}

/// The transport's end of a [`Connection`]: give every message to [`Wire::receive`], write what [`Wire::poll_output`]
/// has, and say [`Wire::close`] when the other side is gone.
///
/// Spec: 2025-11-25 basic/transports; 2026-07-28 basic/transports/stdio.
pub struct Wire(Arc<Shared>);

/// Closes the connection with its last user.
struct Alive(Arc<Shared>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.close(Closed::Because("The client was dropped".to_owned()));
    }
}

struct Shared {
    answers: Arc<dyn ClientHandler>,
    handshake: Option<Version>,
    max_message_size: usize,
    state: Mutex<State>,
}

struct State {
    session: Session,
    calls: HashMap<i64, Arc<Call>>,
    /// Messages, each followed by a line feed.
    output: Vec<u8>,
    /// Answers to the server that are not ready yet.
    answering: Vec<(Json, BoxFuture<Result<Json, RpcError>>)>,
    waker: Option<Waker>,
    closed: Option<Closed>,
}

/// Why a connection is closed.
#[derive(Clone)]
enum Closed {
    Because(String),
    /// By a message beyond this limit.
    TooLong(usize),
}

impl From<Closed> for ClientError {
    fn from(why: Closed) -> Self {
        match why {
            Closed::Because(why) => Self::Protocol(why),
            Closed::TooLong(limit) => Self::TooLong { limit },
        }
    }
}

#[derive(Default)]
struct Call(Mutex<CallState>);

#[derive(Default)]
struct CallState {
    outcome: Option<Result<Json, ClientError>>,
    waker: Option<Waker>,
}

impl Call {
    fn end(&self, outcome: Result<Json, ClientError>) {
        let waker = {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.outcome = Some(outcome);
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// A call under way. Dropped before its end, it tells the server that nobody waits any more.
struct Waiting {
    shared: Arc<Shared>,
    id: i64,
    call: Arc<Call>,
    may_cancel: bool,
}

impl Future for Waiting {
    type Output = Result<Json, ClientError>;
    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let mut state = self.call.0.lock().unwrap_or_else(PoisonError::into_inner);
        match state.outcome.take() {
            Some(outcome) => Poll::Ready(outcome),
            None => {
                state.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let message = {
            let mut state = self.shared.state();
            // it is there as long as no answer has come
            let is_open = state.calls.remove(&self.id).is_some() && self.may_cancel;
            is_open.then(|| state.session.cancellation(self.id, "The caller no longer waits"))
        };
        if let Some(message) = message {
            self.shared.write(&message);
        }
    }
}

impl Connection {
    /// A connection over which nothing has been said, and its other end.
    #[must_use]
    pub fn new(options: ClientOptions) -> (Self, Wire) {
        let state = State {
            session: options.session,
            calls: HashMap::new(),
            output: Vec::new(),
            answering: Vec::new(),
            waker: None,
            closed: None,
        };
        let shared = Arc::new(Shared {
            answers: options.handler,
            handshake: options.handshake,
            max_message_size: options.max_message_size,
            state: Mutex::new(state),
        });
        (Self { shared: Arc::clone(&shared), _alive: Arc::new(Alive(Arc::clone(&shared))) }, Wire(shared))
    }

    /// Ends the connection: what was said is still written, open calls fail with `why`, later ones too.
    pub fn close(&self, why: &str) {
        self.shared.close(Closed::Because(why.to_owned()));
    }

    /// Whether the connection is closed, by either side.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.shared.state().closed.is_some()
    }

    /// Finds out which era the server lives in and agrees on a revision ("Protocol Version Negotiation" of 2026-07-28,
    /// "Lifecycle" before), as [`ClientBuilder::handshake`](super::ClientBuilder::handshake) says. `patience` is how long
    /// a server may be silent before it is taken for one from before 2026-07-28; without it that is forever.
    ///
    /// # Errors
    /// When nothing can be agreed on, or the connection breaks.
    pub async fn negotiate(&self, patience: Option<BoxFuture<()>>) -> Result<(), ClientError> {
        if self.shared.handshake.is_some() {
            return self.shared.shake_hands(self.shared.handshake).await;
        }
        let mut patience = patience;
        let mut request = self.shared.state().session.probe();
        for _ in 0..ATTEMPTS {
            let probe = match or_silence(self.shared.ask(request), &mut patience).await {
                None => Probe::Handshake,
                Some(Ok(result)) => self.shared.state().session.judge_probe(&Ok(result)),
                Some(Err(ClientError::Rpc(e))) => self.shared.state().session.judge_probe(&Err(e)),
                Some(Err(e)) => return Err(e),
            };
            if probe == Probe::Modern {
                return Ok(());
            }
            if probe == Probe::Handshake {
                match self.shared.shake_hands(None).await {
                    // it was slow, not old
                    Err(ClientError::Rpc(e))
                        if self.shared.state().session.judge_probe(&Err(e.clone())) == Probe::Again =>
                    {
                        patience = None;
                    }
                    outcome => return outcome,
                }
            }
            let none = Json::empty_object();
            request = self.shared.state().session.request("server/discover", &none, None);
        }
        Err(ClientError::Protocol("The server offers revisions that it then refuses".into()))
    }
}

impl Wire {
    /// Takes in one message (a line without its end). Blank ones are ignored; what is no message is shown to
    /// [`ClientHandler::handle_malformed`].
    pub fn receive(&self, message: &Bytes) {
        if message.trim_ascii().is_empty() {
            return;
        }
        let received = self.0.state().session.receive(message);
        match received {
            Ok(messages) => messages.into_iter().for_each(|m| self.0.take_in(m)),
            Err(e) => self.0.answers.handle_malformed(&e),
        }
    }

    /// The bytes to write: messages, each followed by a line feed (no message contains one). `None` when the
    /// connection is closed and everything was given out. Also advances the answers to the server's questions, so it
    /// must be polled whenever it was woken.
    pub fn poll_output(&self, cx: &mut TaskContext<'_>) -> Poll<Option<Vec<u8>>> {
        let mut answering = {
            let mut state = self.0.state();
            state.waker = Some(cx.waker().clone());
            std::mem::take(&mut state.answering)
        };
        // outside the lock: what answers may use the connection
        answering.retain_mut(|(id, answer)| match answer.as_mut().poll(cx) {
            Poll::Pending => true,
            Poll::Ready(outcome) => {
                let message = self.0.state().session.answer(id, &outcome);
                self.0.write(&message);
                false
            }
        });
        let mut state = self.0.state();
        state.answering.append(&mut answering);
        if !state.output.is_empty() {
            return Poll::Ready(Some(std::mem::take(&mut state.output)));
        }
        if state.closed.is_some() {
            return Poll::Ready(None);
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    /// The size of the longest message that is to be read, in bytes.
    #[must_use]
    pub fn max_message_size(&self) -> usize {
        self.0.max_message_size
    }

    /// A message came that is too long to be read, and is skipped; `head` is its beginning, of which a few hundred bytes
    /// are enough. The call that it answers fails with [`ClientError::TooLong`]; every open call does so when the
    /// beginning does not tell which one that is. [`ClientHandler::handle_malformed`] is told.
    pub fn refuse_oversized(&self, head: &[u8]) {
        let limit = self.max_message_size();
        let error = RpcError::invalid_request(format!("A message is longer than {limit} bytes"));
        let mut state = self.0.state();
        let unanswered = match Beginning::of(head) {
            Beginning::Response(id) => state.calls.remove(&id).into_iter().collect(),
            Beginning::Unknown => std::mem::take(&mut state.calls).into_values().collect(),
            Beginning::Call => Vec::new(),
            Beginning::Request(id) => {
                let refusal = state.session.answer(&id, &Err(error.clone()));
                drop(state);
                self.0.write(&refusal);
                return self.0.answers.handle_malformed(&error);
            }
        };
        drop(state);
        unanswered.iter().for_each(|call| call.end(Err(ClientError::TooLong { limit })));
        self.0.answers.handle_malformed(&error);
    }

    /// The other side is gone: open calls fail with `why`, later ones too.
    pub fn close(&self, why: &str) {
        self.0.close(Closed::Because(why.to_owned()));
    }

    /// The connection ended because a message of the server is longer than [`Wire::max_message_size`]: open calls fail
    /// with [`ClientError::TooLong`], later ones too.
    pub fn close_oversized(&self) {
        self.0.close(Closed::TooLong(self.0.max_message_size));
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn shake_hands(self: &Arc<Self>, offer: Option<Version>) -> Result<(), ClientError> {
        let request = self.state().session.initialize(offer);
        let result = self.ask(request).await?;
        let done = self.state().session.initialized(&result)?;
        self.write(&done);
        Ok(())
    }

    /// Sends a request; its outcome comes when the server answers or is gone.
    fn ask(
        self: &Arc<Self>,
        request: Request,
    ) -> impl Future<Output = Result<Json, ClientError>> + Send + use<> {
        let call = Arc::new(Call::default());
        let closed = {
            let mut state = self.state();
            state.calls.insert(request.id, Arc::clone(&call));
            state.closed.clone()
        };
        match closed {
            Some(why) => call.end(Err(why.into())),
            None => self.write(&request.bytes),
        }
        let may_cancel = request.method != "initialize";
        Waiting { shared: Arc::clone(self), id: request.id, call, may_cancel }
    }

    fn write(&self, message: &[u8]) {
        let waker = {
            let mut state = self.state();
            if state.closed.is_some() {
                return;
            }
            state.output.extend_from_slice(message);
            state.output.push(b'\n');
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn take_in(&self, message: Inbound) {
        match message {
            Inbound::Response { id, outcome } => {
                // an answer that nobody waits for any more
                let Some(call) = self.state().calls.remove(&id) else { return };
                call.end(outcome.map_err(ClientError::Rpc));
            }
            Inbound::Notification { method, params } => {
                if method == "notifications/cancelled"
                    && let Some(id) = params.as_ref().and_then(|p| p.get("requestId"))
                {
                    self.state().answering.retain(|(asked, _)| *asked != id);
                }
                self.answers.handle_notification(&method, params);
            }
            Inbound::Request { id, method, params } => {
                let is_modern = self.state().session.version().is_stateless();
                let answer: BoxFuture<Result<Json, RpcError>> = match method.as_str() {
                    // this revision has no requests to clients, and no answers from them
                    _ if is_modern => {
                        return self.answers.handle_malformed(&RpcError::invalid_request(format!(
                            "The server sent the request {method}, which this revision does not have"
                        )));
                    }
                    "ping" => Box::pin(std::future::ready(Ok(Json::empty_object()))),
                    _ => self.answers.handle_request(&method, params),
                };
                let waker = {
                    let mut state = self.state();
                    state.answering.push((id, answer));
                    state.waker.take()
                };
                if let Some(waker) = waker {
                    waker.wake();
                }
            }
        }
    }

    fn close(&self, why: Closed) {
        let (calls, waker) = {
            let mut state = self.state();
            state.closed.get_or_insert_with(|| why.clone());
            state.answering.clear();
            (std::mem::take(&mut state.calls), state.waker.take())
        };
        for call in calls.into_values() {
            call.end(Err(why.clone().into()));
        }
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    async fn once(
        self: &Arc<Self>,
        method: &str,
        params: &Json,
        meta: Option<&Json>,
    ) -> Result<Json, ClientError> {
        let request = self.state().session.request(method, params, meta);
        let outcome = self.ask(request).await;
        let Err(ClientError::Rpc(e)) = &outcome else { return outcome };
        if e.code != RpcError::UNSUPPORTED_VERSION {
            return outcome;
        }
        let probe = self.state().session.judge_probe(&Err(e.clone()));
        if probe == Probe::Handshake {
            self.shake_hands(None).await?;
        }
        let request = self.state().session.request(method, params, meta);
        self.ask(request).await
    }
}

impl Client for Connection {
    fn session(&self) -> Session {
        self.shared.state().session.clone()
    }

    fn set_log_level(&self, level: Option<LogLevel>) {
        self.shared.state().session.set_log_level(level);
    }

    fn call(&self, method: &str, params: Json, meta: Option<Json>) -> BoxFuture<Result<Json, ClientError>> {
        let (this, method) = (self.clone(), method.to_owned());
        Box::pin(async move {
            let answers = Arc::clone(&this.shared.answers);
            with_input(answers.as_ref(), &params, |params| {
                let (shared, method, meta) = (Arc::clone(&this.shared), method.clone(), meta.clone());
                Box::pin(async move { shared.once(&method, &params, meta.as_ref()).await })
            })
            .await
        })
    }

    fn notify(&self, method: &str, params: &Json) -> BoxFuture<Result<(), ClientError>> {
        let message = self.shared.state().session.notification(method, params);
        self.shared.write(&message);
        Box::pin(std::future::ready(Ok(())))
    }
}

/// The future's output, or `None` when the patience ends first.
async fn or_silence<T>(future: impl Future<Output = T>, patience: &mut Option<BoxFuture<()>>) -> Option<T> {
    let mut future = std::pin::pin!(future);
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => match patience.as_mut().map(|p| p.as_mut().poll(cx)) {
            Some(Poll::Ready(())) => Poll::Ready(None),
            _ => Poll::Pending,
        },
    })
    .await
}
