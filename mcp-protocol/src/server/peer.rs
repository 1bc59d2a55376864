//! The other side as a server sees it: one connection, or one HTTP session, in the revisions that have a handshake.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::{Context as TaskContext, Poll, Waker},
};

use super::request::{Outgoing, Running, notification};
use crate::{
    envelope::integral,
    error::RpcError,
    json::{Json, Object, text_of},
    model::{Implementation, LogLevel},
    version::Version,
};

/// A request id by value: `1` and `1.0` are the same one, `1` and `"1"` are not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum IdKey {
    Number(i64),
    Text(String),
}

impl IdKey {
    pub(crate) fn of(raw: &str) -> Option<Self> {
        match text_of(raw) {
            Some(text) => Some(Self::Text(text.into_owned())),
            None => integral(raw).map(Self::Number),
        }
    }
}

/// One connection, one HTTP session, or (for HTTP without sessions) one request's sender.
///
/// Clones refer to the same peer. An idle one is a few hundred bytes: no task and no channel.
///
/// Spec: 2025-11-25 basic/lifecycle.
#[derive(Clone)]
pub struct Peer(Arc<Inner>);

struct Inner {
    way_back: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    version: Option<Version>,
    capabilities: Option<Json>,
    client: Option<Json>,
    log_level: Option<LogLevel>,
    running: HashMap<IdKey, Vec<Weak<Running>>>,
    asked: HashMap<i64, Arc<Question>>,
    last_asked: i64,
    subscriptions: BTreeSet<String>,
    news: News,
    waker: Option<Waker>,
    closed: bool,
    /// Whether nothing more comes from the client, which still reads.
    silent: bool,
}

/// Facts that a peer is yet to be told; each one once, however often it happened.
#[derive(Default)]
struct News {
    lists: BTreeSet<&'static str>,
    updated: BTreeSet<String>,
    /// The last state of each task that changed.
    tasks: BTreeMap<String, Vec<u8>>,
    /// Notifications of the embedder, in order.
    own: VecDeque<Vec<u8>>,
}

/// How many notifications of [`Peer::notify`] wait for a client that does not read.
const MOST_UNREAD: usize = 256;

#[derive(Default)]
struct Question(Mutex<QuestionState>);

#[derive(Default)]
struct QuestionState {
    answer: Option<Result<Json, RpcError>>,
    waker: Option<Waker>,
}

impl Question {
    fn answer(&self, answer: Result<Json, RpcError>) {
        let waker = {
            let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            slot.answer = Some(answer);
            slot.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Peer {
    /// A peer that can be sent messages at any time: a byte stream, a WebSocket, or an HTTP session.
    #[must_use]
    pub fn connected() -> Self {
        Self(Arc::new(Inner { way_back: true, state: Mutex::default() }))
    }

    /// The sender of a single HTTP request without a session, in a revision with a handshake that it claims to have
    /// had elsewhere. It cannot be asked anything.
    #[must_use]
    pub fn without_session(version: Version) -> Self {
        let state = State { version: Some(version), ..State::default() };
        Self(Arc::new(Inner { way_back: false, state: Mutex::new(state) }))
    }

    /// The same for a client whose name and extensions are known although its handshake is not.
    #[must_use]
    pub fn without_session_for(version: Version, client: &Implementation, extensions: &[String]) -> Self {
        let none = || BTreeMap::<&str, &str>::new();
        let declared: BTreeMap<&str, _> = extensions.iter().map(|name| (&**name, none())).collect();
        let capabilities = Json::from(&BTreeMap::from([("extensions", declared)])).ok();
        let client = Json::from(&BTreeMap::from([("name", &client.name), ("version", &client.version)]));
        let state = State { version: Some(version), capabilities, client: client.ok(), ..State::default() };
        Self(Arc::new(Inner { way_back: false, state: Mutex::new(state) }))
    }

    /// The name and version that the client gave in its handshake; for display only.
    #[must_use]
    pub fn client_info(&self) -> Option<Implementation> {
        self.state().client.as_ref()?.to().ok()
    }

    /// The identifiers of the extensions that the client declared in its handshake.
    #[must_use]
    pub fn extensions(&self) -> Vec<String> {
        let declared = self.state().capabilities.as_ref().and_then(|all| all.get("extensions"));
        let declared = declared.and_then(|all| all.to::<serde_json::Map<String, serde_json::Value>>().ok());
        declared.into_iter().flat_map(|all| all.into_iter().map(|(name, _)| name)).collect()
    }

    pub(crate) fn can_be_asked(&self) -> bool {
        self.0.way_back
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The revision the handshake chose; `None` before it.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        self.state().version
    }

    /// The outcome of the handshake: the revision, the client's capabilities, its name.
    pub(crate) fn agreement(&self) -> (Option<Version>, Option<Json>, Option<Json>) {
        let state = self.state();
        (state.version, state.capabilities.clone(), state.client.clone())
    }

    pub(crate) fn shake_hands(&self, version: Version, capabilities: Option<Json>, client: Option<Json>) {
        let mut state = self.state();
        state.version = Some(version);
        state.capabilities = capabilities;
        state.client = client;
    }

    pub(crate) fn log_level(&self) -> LogLevel {
        self.state().log_level.unwrap_or(LogLevel::Info)
    }

    pub(crate) fn set_log_level(&self, level: LogLevel) {
        self.state().log_level = Some(level);
    }

    pub(crate) fn subscribe(&self, uri: String) {
        self.state().subscriptions.insert(uri);
    }

    pub(crate) fn unsubscribe(&self, uri: &str) {
        self.state().subscriptions.remove(uri);
    }

    /// Remembers a request, so that it can be cancelled.
    pub(crate) fn started(&self, running: &Arc<Running>) {
        let Some(key) = IdKey::of(running.id.as_str()) else { return };
        self.state().running.entry(key).or_default().push(Arc::downgrade(running));
    }

    pub(crate) fn finished(&self, running: &Arc<Running>) {
        let Some(key) = IdKey::of(running.id.as_str()) else { return };
        let mut state = self.state();
        if let Some(same_id) = state.running.get_mut(&key) {
            same_id.retain(|r| r.strong_count() > 0 && !std::ptr::eq(r.as_ptr(), Arc::as_ptr(running)));
            if same_id.is_empty() {
                state.running.remove(&key);
            }
        }
    }

    /// Cancels the request of that id; unknown and finished ones are ignored.
    pub(crate) fn cancel(&self, raw_id: &str) {
        let Some(key) = IdKey::of(raw_id) else { return };
        let found = self.state().running.remove(&key).unwrap_or_default();
        found.iter().filter_map(Weak::upgrade).for_each(|r| r.cancel());
    }

    /// The connection or session is over: everything that runs is cancelled, every open question fails.
    pub fn close(&self) {
        let (running, asked, waker) = {
            let mut state = self.state();
            state.closed = true;
            (std::mem::take(&mut state.running), std::mem::take(&mut state.asked), state.waker.take())
        };
        for running in running.into_values().flatten().filter_map(|r| r.upgrade()) {
            running.cancel();
        }
        for question in asked.into_values() {
            question.answer(Err(RpcError::internal("The client went away")));
        }
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Nothing more comes from the client: every open question fails, and every later one.
    pub(crate) fn input_ended(&self) {
        let asked = {
            let mut state = self.state();
            state.silent = true;
            std::mem::take(&mut state.asked)
        };
        for question in asked.into_values() {
            question.answer(Err(RpcError::internal("The client answers no more")));
        }
    }

    /// Whether [`Peer::close`] was called.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.state().closed
    }

    /// Takes in the client's answer to a question.
    pub(crate) fn answered(&self, raw_id: &str, answer: Result<Json, RpcError>) {
        let Some(IdKey::Number(id)) = IdKey::of(raw_id) else { return };
        let question = self.state().asked.remove(&id);
        if let Some(question) = question {
            question.answer(answer);
        }
    }

    /// Puts a question to the client on the stream of the request it belongs to.
    pub(crate) fn call(
        &self,
        running: &Arc<Running>,
        method: &str,
        params: &Json,
    ) -> Result<Asking, RpcError> {
        if !self.0.way_back {
            return Err(RpcError::internal("Without a session the client cannot be asked"));
        }
        let question = Arc::new(Question::default());
        let id = {
            let mut state = self.state();
            if state.closed || state.silent {
                return Err(RpcError::internal("The client went away"));
            }
            state.last_asked += 1;
            let id = state.last_asked;
            state.asked.insert(id, Arc::clone(&question));
            id
        };
        let mut out = Vec::with_capacity(128 + params.as_bytes().len());
        let mut o = Object::open(&mut out);
        o.str("jsonrpc", "2.0");
        o.i64("id", id);
        o.str("method", method);
        o.json("params", params);
        o.close();
        running.push(Outgoing::Request(out));
        Ok(Asking { peer: self.clone(), id, question, running: Arc::clone(running), done: false })
    }

    /// Pushes a notification that belongs to no request; `params` is an object. It goes out on the connection itself, or on
    /// the standalone stream of an HTTP session. For methods of your own and of extensions: the crate sends what the
    /// specification has by itself, each to the revisions that know it.
    ///
    /// # Errors
    /// When nothing can be pushed: before the handshake, without a session, after the end, in 2026-07-28 (where a
    /// subscription carries what is not asked for), and while 256 such notifications wait for a client that does not
    /// read them.
    pub fn notify(&self, method: &str, params: &Json) -> Result<(), RpcError> {
        let refuse = |why: &str| Err(RpcError::internal(why));
        if !params.is_object() {
            return refuse("The parameters of a notification are an object");
        }
        let waker = {
            let mut state = self.state();
            if state.closed {
                return refuse("The client went away");
            }
            if !self.0.way_back || state.version.is_none_or(Version::is_stateless) {
                return refuse("Without a handshake and a connection or session nothing can be pushed");
            }
            if state.news.own.len() >= MOST_UNREAD {
                return refuse("The client does not read what it is sent");
            }
            state.news.own.push_back(notification(method, |o| o.members(params)));
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        Ok(())
    }

    pub(crate) fn list_changed(&self, method: &'static str) {
        self.tell(|state| {
            state.news.lists.insert(method);
        });
    }

    pub(crate) fn resource_updated(&self, uri: &str) {
        self.tell(|state| {
            if state.subscriptions.contains(uri) {
                state.news.updated.insert(uri.to_owned());
            }
        });
    }

    pub(crate) fn task_changed(&self, id: &str, message: Vec<u8>) {
        self.tell(|state| {
            state.news.tasks.insert(id.to_owned(), message);
        });
    }

    fn tell(&self, change: impl FnOnce(&mut State)) {
        let waker = {
            let mut state = self.state();
            if state.version.is_none() || state.closed || !self.0.way_back {
                return;
            }
            change(&mut state);
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// The next message that belongs to no request (a list changed, a resource was updated); `None` when the peer is
    /// closed. For the connection itself, or the standalone stream of an HTTP session.
    pub fn poll_notification(&self, cx: &mut TaskContext<'_>) -> Poll<Option<Vec<u8>>> {
        let mut state = self.state();
        if state.closed {
            return Poll::Ready(None);
        }
        if let Some(method) = state.news.lists.pop_first() {
            return Poll::Ready(Some(notification(method, |_| {})));
        }
        if let Some(uri) = state.news.updated.pop_first() {
            return Poll::Ready(Some(notification("notifications/resources/updated", |o| {
                o.str("uri", &uri)
            })));
        }
        if let Some((_, message)) = state.news.tasks.pop_first() {
            return Poll::Ready(Some(message));
        }
        if let Some(message) = state.news.own.pop_front() {
            return Poll::Ready(Some(message));
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    pub(crate) fn weak(&self) -> WeakPeer {
        WeakPeer(Arc::downgrade(&self.0))
    }
}

impl PartialEq for Peer {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

pub(crate) struct WeakPeer(Weak<Inner>);

impl WeakPeer {
    pub(crate) fn upgrade(&self) -> Option<Peer> {
        self.0.upgrade().map(Peer).filter(|p| !p.is_closed())
    }
}

/// A question on its way. Dropped before the answer, it tells the client that the answer is no longer wanted.
pub(crate) struct Asking {
    peer: Peer,
    id: i64,
    question: Arc<Question>,
    running: Arc<Running>,
    done: bool,
}

impl Future for Asking {
    type Output = Result<Json, RpcError>;
    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let answer = {
            let mut slot = self.question.0.lock().unwrap_or_else(PoisonError::into_inner);
            slot.waker = Some(cx.waker().clone());
            slot.answer.take()
        };
        match answer {
            Some(answer) => {
                self.done = true;
                Poll::Ready(answer)
            }
            None => Poll::Pending,
        }
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        if !self.done && self.peer.state().asked.remove(&self.id).is_some() {
            self.running.notify("notifications/cancelled", |o| o.i64("requestId", self.id));
        }
    }
}
