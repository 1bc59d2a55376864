//! One running request: what its handler may ask and say, and the queue of what it said.

use std::{
    collections::VecDeque,
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context as TaskContext, Poll, Waker},
    time::Duration,
};

use serde::de::DeserializeOwned;

use super::{Server, peer::Peer, reply::InputResponses, tasks::Task};
use crate::{
    envelope::members_of,
    error::RpcError,
    json::{Json, Object},
    model::{
        ClientCapabilities, CreateMessageRequest, CreateMessageResult, ElicitRequest, ElicitResult,
        FormElicitation, FormSchema, Implementation, ListRootsResult, LogLevel, ToWire, UrlElicitation,
    },
    time::UnixMillis,
    version::Version,
};

/// A message that leaves an exchange, in order.
///
/// Spec: 2026-07-28 basic; 2025-11-25 basic/transports.
#[derive(Debug, PartialEq, Eq)]
pub enum Outgoing {
    /// A notification that belongs to the running request.
    Notification(Vec<u8>),
    /// A request to the client that belongs to the running request; the handler waits for the client's response.
    Request(Vec<u8>),
    /// The handler asks to close the connection of the event stream; the client comes back for the rest after
    /// `retry_delay`. Transports that cannot resume ignore it.
    CloseStream {
        /// How long the client should wait.
        retry_delay: Duration,
    },
    /// The answer; nothing follows it.
    Answer {
        /// The response message.
        bytes: Vec<u8>,
        /// The HTTP status it deserves when the head is not yet written.
        status: u16,
    },
}

#[derive(Default)]
pub(crate) struct Outbox {
    queue: VecDeque<Outgoing>,
    waker: Option<Waker>,
    cancel_wakers: Vec<Waker>,
    last_progress: Option<f64>,
    closed: bool,
}

/// A request that is being answered. Shared by its handler's [`Context`], its exchange and the peer's table.
pub(crate) struct Running {
    pub(crate) server: Server,
    pub(crate) peer: Peer,
    pub(crate) version: Version,
    pub(crate) id: Json,
    pub(crate) message: Json,
    pub(crate) now: UnixMillis,
    pub(crate) principal: Option<Arc<str>>,
    pub(crate) progress_token: Option<Json>,
    /// Modern: the level this request asked for. Legacy requests follow the peer's level.
    pub(crate) log_level: Option<LogLevel>,
    pub(crate) capabilities: Option<Json>,
    pub(crate) client: Option<Json>,
    pub(crate) cancelled: AtomicBool,
    /// The task of 2025-11-25 that the request became, and its id.
    pub(crate) task: OnceLock<(String, Weak<Task>)>,
    pub(crate) outbox: Mutex<Outbox>,
}

/// More messages than this waiting to be read, and a progress report replaces the one before it.
const COALESCE_AFTER: usize = 64;

impl Running {
    fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, item: Outgoing) {
        let waker = {
            let mut outbox = self.outbox();
            if outbox.closed {
                return;
            }
            outbox.queue.push_back(item);
            outbox.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    pub(crate) fn pop(&self) -> Option<Outgoing> {
        self.outbox().queue.pop_front()
    }

    pub(crate) fn wait(&self, waker: &Waker) {
        self.outbox().waker = Some(waker.clone());
    }

    /// Nothing that is said afterwards is sent.
    pub(crate) fn close(&self) {
        self.outbox().closed = true;
    }

    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
        let (wakers, waker) = {
            let mut outbox = self.outbox();
            outbox.closed = true;
            outbox.queue.clear();
            (std::mem::take(&mut outbox.cancel_wakers), outbox.waker.take())
        };
        wakers.into_iter().chain(waker).for_each(Waker::wake);
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }

    pub(crate) fn notify(&self, method: &str, params: impl FnOnce(&mut Object<'_>)) {
        self.push(Outgoing::Notification(self.notification(method, params)));
    }

    fn notification(&self, method: &str, params: impl FnOnce(&mut Object<'_>)) -> Vec<u8> {
        notification(method, |o| {
            params(o);
            if let Some((id, _)) = self.task.get() {
                o.object("_meta", |o| related_task(o, id));
            }
        })
    }

    /// The parameters of a question to the client, which say what task they belong to.
    pub(crate) fn tagged(&self, params: &Json) -> Json {
        let Some((id, _)) = self.task.get() else { return params.clone() };
        let meta = params.get("_meta");
        // parameters that are no object have no members, and are none
        let members = members_of(params.as_str()).unwrap_or_default();
        Json::object(|o| {
            for (key, value) in members.iter().filter(|(key, _)| key != "_meta") {
                o.json(key, &Json::copy(value));
            }
            o.object("_meta", |o| {
                if let Some(meta) = &meta {
                    o.members(meta);
                }
                related_task(o, id);
            });
        })
    }

    /// Whether there is something to send.
    pub(crate) fn has_said(&self) -> bool {
        !self.outbox().queue.is_empty()
    }

    /// The same request again, with a queue of its own.
    pub(crate) fn sibling(&self) -> Arc<Self> {
        Arc::new(Self {
            server: self.server.clone(),
            peer: self.peer.clone(),
            version: self.version,
            id: self.id.clone(),
            message: self.message.clone(),
            now: self.now,
            principal: self.principal.clone(),
            progress_token: self.progress_token.clone(),
            log_level: self.log_level,
            capabilities: self.capabilities.clone(),
            client: self.client.clone(),
            cancelled: AtomicBool::new(false),
            task: OnceLock::new(),
            outbox: Mutex::default(),
        })
    }
}

/// The member of `_meta` that says what task a message belongs to (2025-11-25).
pub(crate) fn related_task(o: &mut Object<'_>, id: &str) {
    o.object("io.modelcontextprotocol/related-task", |o| o.str("taskId", id));
}

pub(crate) fn notification(method: &str, params: impl FnOnce(&mut Object<'_>)) -> Vec<u8> {
    let mut out = Vec::with_capacity(128);
    let mut o = Object::open(&mut out);
    o.str("jsonrpc", "2.0");
    o.str("method", method);
    o.object("params", params);
    o.close();
    out
}

/// The request that a handler answers, and the handler's way to speak to the client meanwhile.
///
/// Clones are cheap and refer to the same request. Everything that is said after the request was cancelled or
/// answered is dropped.
///
/// Spec: per method.
#[derive(Clone)]
pub struct Context {
    pub(crate) running: Arc<Running>,
    pub(crate) inputs: InputResponses,
}

impl Context {
    /// The revision this request is answered in.
    ///
    /// Spec: 2026-07-28 basic/versioning.
    #[must_use]
    pub fn version(&self) -> Version {
        self.running.version
    }

    /// The server that answers.
    ///
    /// Spec: none.
    #[must_use]
    pub fn server(&self) -> &Server {
        &self.running.server
    }

    /// When the request was received.
    ///
    /// Spec: none.
    #[must_use]
    pub fn received_at(&self) -> UnixMillis {
        self.running.now
    }

    /// The JSON-RPC id, as it came.
    ///
    /// Spec: 2026-07-28 basic.
    #[must_use]
    pub fn request_id(&self) -> &Json {
        &self.running.id
    }

    /// The principal that the transport authenticated, if it does that.
    ///
    /// Spec: 2026-07-28 basic/authorization.
    #[must_use]
    pub fn principal(&self) -> Option<&str> {
        self.running.principal.as_deref()
    }

    /// The connection or session the request came through.
    ///
    /// Spec: 2025-11-25 basic/lifecycle.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.running.peer
    }

    /// The name and version the client gave; for display only. `None` if it gave none or nonsense.
    ///
    /// Spec: 2026-07-28 basic.
    #[must_use]
    pub fn client_info(&self) -> Option<Implementation> {
        self.running.client.as_ref()?.to().ok()
    }

    /// The capabilities that the client declared, on this request (2026-07-28) or in its handshake.
    ///
    /// Spec: 2026-07-28 basic.
    #[must_use]
    pub fn client_capabilities(&self) -> ClientCapabilities {
        self.running.declared()
    }

    /// A member of the request's `_meta`, such as `traceparent`.
    ///
    /// Spec: 2026-07-28 basic.
    #[must_use]
    pub fn meta(&self, key: &str) -> Option<Json> {
        self.running.message.get("params")?.get("_meta")?.get(key)
    }

    /// Whether the client took the request back or went away. Long handlers ask now and then.
    ///
    /// Spec: 2026-07-28 basic/patterns/cancellation.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.running.is_cancelled()
    }

    /// Resolves when the request is cancelled.
    ///
    /// Spec: 2026-07-28 basic/patterns/cancellation.
    pub fn cancelled(&self) -> impl Future<Output = ()> + Send + 'static + use<> {
        Cancelled(Arc::clone(&self.running))
    }

    /// Whether the client asked for progress reports.
    ///
    /// Spec: 2026-07-28 basic/patterns/progress.
    #[must_use]
    pub fn wants_progress(&self) -> bool {
        self.running.progress_token.is_some()
    }

    /// Reports progress if the client asked for it. A value that is not above the last one is not sent; when the
    /// client reads slowly, the latest report replaces the one before.
    ///
    /// Spec: 2026-07-28 basic/patterns/progress.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        let Some(token) = &self.running.progress_token else { return };
        let mut outbox = self.running.outbox();
        if outbox.last_progress.is_some_and(|last| progress <= last) || !progress.is_finite() {
            return;
        }
        outbox.last_progress = Some(progress);
        let bytes = self.running.notification("notifications/progress", |o| {
            o.json("progressToken", token);
            o.f64("progress", progress);
            if let Some(total) = total {
                o.f64("total", total);
            }
            if self.running.version.rules().progress_message {
                o.opt_str("message", message);
            }
        });
        if outbox.queue.len() > COALESCE_AFTER
            && let Some(Outgoing::Notification(last)) = outbox.queue.back_mut()
            && last.windows(22).any(|w| w == b"notifications/progress")
        {
            *last = bytes;
            return;
        }
        drop(outbox);
        self.running.push(Outgoing::Notification(bytes));
    }

    /// Whether a log message of that level would be sent.
    ///
    /// Spec: 2026-07-28 server/utilities/logging.
    #[must_use]
    pub fn logs(&self, level: LogLevel) -> bool {
        if !self.running.server.has_logging() {
            return false;
        }
        let least = if self.running.version.is_stateless() {
            self.running.log_level
        } else {
            Some(self.running.peer.log_level())
        };
        least.is_some_and(|least| level >= least)
    }

    /// Sends a log message, if the client wants that level and the server has logging. `data` is any JSON.
    ///
    /// Spec: 2026-07-28 server/utilities/logging.
    pub fn log(&self, level: LogLevel, logger: Option<&str>, data: &Json) {
        if self.logs(level) {
            self.running.notify("notifications/message", |o| {
                o.str("level", level.as_str());
                o.opt_str("logger", logger);
                o.json("data", data);
            });
        }
    }

    /// The client's answers to what [`InputRequired`](super::InputRequired) asked for, when the request is a repetition.
    ///
    /// Spec: 2026-07-28 basic/patterns/mrtr.
    #[must_use]
    pub fn inputs(&self) -> &InputResponses {
        &self.inputs
    }

    /// Asks the transport to close the event stream's connection; the client returns for the answer after `retry_delay`
    /// (2025-11-25, with a session). Elsewhere nothing happens.
    ///
    /// Spec: 2025-11-25 basic/transports.
    pub fn close_stream(&self, retry_delay: Duration) {
        if self.running.version.has_priming_event() {
            self.running.push(Outgoing::CloseStream { retry_delay });
        }
    }

    /// Sends a request to the client and waits for its result. Only in revisions with a handshake, on a transport with
    /// a way back; the client must have declared the capability.
    ///
    /// Spec: 2025-11-25 basic.
    ///
    /// # Errors
    /// The client's error, or why it cannot be asked.
    pub async fn request(&self, method: &str, params: Json) -> Result<Json, RpcError> {
        self.may_ask(method)?;
        let call = self.running.peer.call(&self.running, method, &self.running.tagged(&params))?;
        let task = self.running.task.get().and_then(|(_, task)| task.upgrade());
        let _waiting = task.map(Task::asking);
        call.await
    }

    fn may_ask(&self, method: &str) -> Result<(), RpcError> {
        if self.running.version.is_stateless() {
            return Err(RpcError::internal("This revision has no requests from server to client"));
        }
        let c = self.client_capabilities();
        let rules = self.running.version.rules();
        let declared = match method {
            "roots/list" => c.roots.is_some(),
            "sampling/createMessage" => c.sampling.is_some(),
            "elicitation/create" => rules.elicitation && c.elicitation.is_some(),
            _ => true,
        };
        if declared { Ok(()) } else { Err(RpcError::internal(format!("The client does not offer {method}"))) }
    }

    /// Puts a form to the client's user.
    ///
    /// ```
    /// use mcp_protocol::{Context, RpcError, model::{ElicitAction, FormSchema, StringSchema}};
    ///
    /// async fn name(cx: &Context) -> Result<Option<String>, RpcError> {
    ///     #[derive(serde::Deserialize)]
    ///     struct Answer {
    ///         name: String,
    ///     }
    ///     let form = FormSchema::new().with_required("name", StringSchema::new().with_title("Your name"));
    ///     let answer = cx.elicit("Who are you?", &form).await?;
    ///     Ok(answer.filled_in::<Answer>()?.map(|answer| answer.name))
    /// }
    /// ```
    ///
    /// Spec: 2025-11-25 client/elicitation.
    ///
    /// # Errors
    /// As for [`Context::request`]; and when the answer is malformed.
    pub async fn elicit(&self, message: &str, schema: &FormSchema) -> Result<ElicitResult, RpcError> {
        self.ask("elicitation/create", &ElicitRequest::from(FormElicitation::new(message, schema.clone())))
            .await
    }

    /// Sends the client's user to an address.
    ///
    /// Spec: 2025-11-25 client/elicitation.
    ///
    /// # Errors
    /// As for [`Context::elicit`].
    pub async fn elicit_url(&self, url: &UrlElicitation) -> Result<ElicitResult, RpcError> {
        if !self.client_capabilities().elicits_urls() {
            return Err(RpcError::internal("The client does not offer elicitation by URL"));
        }
        self.ask("elicitation/create", &ElicitRequest::from(url.clone())).await
    }

    /// Asks the client's model.
    ///
    /// Spec: 2025-11-25 client/sampling.
    ///
    /// # Errors
    /// As for [`Context::elicit`].
    pub async fn create_message(
        &self,
        request: &CreateMessageRequest,
    ) -> Result<CreateMessageResult, RpcError> {
        self.ask("sampling/createMessage", request).await
    }

    /// Asks for the client's roots.
    ///
    /// Spec: 2025-11-25 client/roots.
    ///
    /// # Errors
    /// As for [`Context::elicit`].
    pub async fn list_roots(&self) -> Result<ListRootsResult, RpcError> {
        self.answered("roots/list", Json::empty_object()).await
    }

    async fn ask<T: DeserializeOwned>(&self, method: &str, request: &impl ToWire) -> Result<T, RpcError> {
        self.answered(method, request.to_wire(self.version())).await
    }

    async fn answered<T: DeserializeOwned>(&self, method: &str, params: Json) -> Result<T, RpcError> {
        let answer = self.request(method, params).await?;
        answer
            .to()
            .map_err(|e| RpcError::internal(format!("The client's answer to {method} is malformed: {e}")))
    }
}

struct Cancelled(Arc<Running>);

impl Future for Cancelled {
    type Output = ();
    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<()> {
        let mut outbox = self.0.outbox();
        if self.0.is_cancelled() {
            return Poll::Ready(());
        }
        if !outbox.cancel_wakers.iter().any(|w| w.will_wake(cx.waker())) {
            outbox.cancel_wakers.push(cx.waker().clone());
        }
        Poll::Pending
    }
}

impl Running {
    /// The capabilities that the client declared; invalid ones count as none.
    pub(crate) fn declared(&self) -> ClientCapabilities {
        self.capabilities.as_ref().and_then(|c| c.to().ok()).unwrap_or_default()
    }

    /// The name that request state of this request is bound to.
    pub(crate) fn bound_name(&self, method: &str) -> String {
        let key = if method == "resources/read" { "uri" } else { "name" };
        let name = self.message.get("params").and_then(|p| p.get(key));
        name.as_ref().and_then(Json::as_text).unwrap_or_default().into_owned()
    }
}
