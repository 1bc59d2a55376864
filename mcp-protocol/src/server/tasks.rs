//! Tool calls that go on in the background. In the extension of 2026-07-28 (`io.modelcontextprotocol/tasks`, SEP-2663)
//! the server decides that a call becomes a task, and the client polls for it, feeds it input, or cancels it. The
//! parts that both designs share are here too; the parts of 2025-11-25 alone are in `asked_tasks`.

use std::{
    collections::BTreeMap,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context as TaskContext, Poll, Waker},
    time::Duration,
};

use super::{
    Received, Server,
    exchange::{self, Exchange},
    headers,
    reply::{Answer, BoxFuture, InputRequest, InputResponses, Reply},
    request::{self, Context, Outgoing, Running},
    required,
    respond::{self, Caching, ResultMembers as _},
};
use crate::{
    envelope::{Message, Params},
    error::RpcError,
    json::{Json, Object},
    model::CallToolResult,
    time::{UnixMillis, millis},
};

pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// How tasks are kept.
///
/// Spec: 2025-11-25 basic/utilities/tasks; extension io.modelcontextprotocol/tasks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TaskOptions {
    /// Makes an unguessable id: at least 128 random bits, as text.
    pub new_id: fn() -> String,
    /// Says what time it is when a task changes.
    pub clock: fn() -> UnixMillis,
    /// How long a task can be asked for after it was made.
    pub ttl: Duration,
    /// The time that clients are told to wait between polls.
    pub poll_interval: Duration,
    /// How many tasks are kept; calls that would be one more are refused.
    pub max_tasks: usize,
}

impl TaskOptions {
    /// Tasks with ids of `new_id`, at the times of `clock`: at most 1000, each for an hour, polled every second.
    #[must_use]
    pub fn new(new_id: fn() -> String, clock: fn() -> UnixMillis) -> Self {
        Self {
            new_id,
            clock,
            ttl: Duration::from_hours(1),
            poll_interval: Duration::from_secs(1),
            max_tasks: 1000,
        }
    }

    /// Sets how long a task can be asked for after it was made.
    #[must_use]
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// Sets the time that clients are told to wait between polls.
    #[must_use]
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.poll_interval = interval;
        self
    }

    /// Sets how many tasks are kept.
    #[must_use]
    pub fn max_tasks(mut self, tasks: usize) -> Self {
        self.max_tasks = tasks;
        self
    }
}

pub(crate) struct Tasks {
    pub(super) options: TaskOptions,
    table: Mutex<BTreeMap<String, Arc<Task>>>,
}

pub(crate) struct Task {
    pub(super) id: String,
    pub(super) running: Arc<Running>,
    pub(super) created: UnixMillis,
    ttl: Duration,
    state: Mutex<State>,
}

pub(super) struct State {
    pub(super) progress: Progress,
    updated: UnixMillis,
    /// The failure, in words for people.
    message: Option<String>,
    answers: Vec<(String, Json)>,
    waker: Option<Waker>,
    /// Questions of a 2025-11-25 task to its client that are not answered yet.
    pub(super) asking: usize,
    /// Wakers to call when there is something to say, and at the end.
    pub(super) watchers: Vec<Waker>,
}

pub(super) enum Progress {
    Working,
    InputRequired(Vec<(String, InputRequest)>),
    /// The result, and whether it is one that 2025-11-25 counts as a failure.
    Ended(Json, bool),
    Failed(RpcError),
    Cancelled,
}

impl Progress {
    pub(super) fn is_final(&self) -> bool {
        matches!(self, Self::Ended(..) | Self::Failed(_) | Self::Cancelled)
    }
}

impl State {
    fn status(&self) -> &'static str {
        match &self.progress {
            Progress::Working if self.asking > 0 => "input_required",
            Progress::Working => "working",
            Progress::InputRequired(_) => "input_required",
            Progress::Ended(_, false) => "completed",
            Progress::Ended(_, true) | Progress::Failed(_) => "failed",
            Progress::Cancelled => "cancelled",
        }
    }
}

pub(super) type Settled = Result<Answer<CallToolResult>, RpcError>;

impl Task {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn options(&self) -> Option<&TaskOptions> {
        self.running.server.tasks().map(|t| &t.options)
    }

    /// Whether it is a task of 2025-11-25.
    pub(super) fn is_asked(&self) -> bool {
        self.running.version.rules().core_tasks
    }

    /// Whether a request's sender is the task's: by its principal, or else by its connection or session. Senders
    /// without either share what has none.
    pub(super) fn may_be_listed(&self, running: &Running) -> bool {
        let (own, other) = (&self.running.peer, &running.peer);
        self.running.principal == running.principal
            && (running.principal.is_some() || own == other || !(own.can_be_asked() || other.can_be_asked()))
    }

    /// The first change to an end counts, and nothing after it; whether this was one.
    pub(super) fn change(&self, progress: Progress) -> bool {
        self.update(|state| {
            state.message = match &progress {
                Progress::Failed(error) => Some(error.message.clone()),
                Progress::Ended(result, true) => {
                    let result: Option<CallToolResult> = result.to().ok();
                    result.and_then(|r| r.content.first()?.as_text().map(str::to_owned))
                }
                _ => None,
            };
            state.progress = progress;
        })
    }

    /// Changes the state of a task that has not ended, and tells whoever wants to know.
    pub(super) fn update(&self, change: impl FnOnce(&mut State)) -> bool {
        let now = self.options().map(|o| (o.clock)());
        {
            let mut state = self.state();
            if state.progress.is_final() {
                return false;
            }
            change(&mut state);
            state.updated = now.unwrap_or(state.updated);
        }
        self.wake_watchers();
        self.announce();
        true
    }

    pub(super) fn wake_watchers(&self) {
        let watchers = std::mem::take(&mut self.state().watchers);
        watchers.into_iter().for_each(Waker::wake);
    }

    fn announce(&self) {
        if self.is_asked() {
            let message = request::notification("notifications/tasks/status", |o| self.write(o));
            self.running.peer.task_changed(&self.id, message);
        } else {
            self.running.server.task_changed(&self.id, |o| {
                self.write(o);
                self.write_details(o);
            });
        }
    }

    pub(super) fn write(&self, o: &mut Object<'_>) {
        let state = self.state();
        o.str("taskId", &self.id);
        o.str("status", state.status());
        o.opt_str("statusMessage", state.message.as_deref());
        o.str("createdAt", &self.created.to_iso8601());
        o.str("lastUpdatedAt", &state.updated.to_iso8601());
        let [ttl, poll] = if self.is_asked() { ["ttl", "pollInterval"] } else { ["ttlMs", "pollIntervalMs"] };
        o.u64(ttl, millis(self.ttl));
        if let Some(options) = self.options() {
            o.u64(poll, millis(options.poll_interval));
        }
    }

    /// Writes the members that only `tasks/get` has.
    fn write_details(&self, o: &mut Object<'_>) {
        match &self.state().progress {
            Progress::Working | Progress::Cancelled => {}
            Progress::InputRequired(questions) => o.object("inputRequests", |o| {
                for (key, request) in questions {
                    request.encode(o.key(key));
                }
            }),
            Progress::Ended(result, _) => o.json("result", result),
            Progress::Failed(error) => error.encode(error.code, o.key("error")),
        }
    }

    /// Runs the call to its end, asking for input as often as it needs some.
    pub(super) async fn run(self: Arc<Self>, mut cx: Context, mut next: BoxFuture<Settled>, again: Again) {
        loop {
            let settled = poll_fn(|poll| {
                self.running.wait(poll.waker());
                if self.running.has_said() {
                    self.wake_watchers();
                }
                if self.running.is_cancelled() {
                    return Poll::Ready(None);
                }
                catch_unwind(AssertUnwindSafe(|| next.as_mut().poll(poll)))
                    .unwrap_or_else(|_| {
                        Poll::Ready(Err(RpcError::internal("The handler failed unexpectedly")))
                    })
                    .map(Some)
            })
            .await;
            let end = match settled {
                None => Progress::Cancelled,
                Some(Err(error)) => Progress::Failed(error),
                Some(Ok(Answer::Complete(result))) => self.ended(&result),
                Some(Ok(Answer::InputRequired(needed))) => {
                    let declared = self.running.declared();
                    if let Some(missing) = needed.requests.iter().find_map(|(_, r)| r.missing(&declared)) {
                        Progress::Failed(RpcError::missing_client_capability(&missing))
                    } else {
                        self.change(Progress::InputRequired(needed.requests));
                        match self.answers().await {
                            None => Progress::Cancelled,
                            Some(answers) => {
                                self.change(Progress::Working);
                                cx.inputs = InputResponses { answers, state: needed.state };
                                next = again(cx.clone());
                                continue;
                            }
                        }
                    }
                }
            };
            // a task that was cancelled meanwhile stays so
            self.change(end);
            return;
        }
    }

    /// The end that a result is.
    fn ended(&self, result: &CallToolResult) -> Progress {
        let is_asked = self.is_asked();
        let json = Json::object(|o| {
            if !is_asked {
                o.str("resultType", "complete");
            }
            result.write(self.running.version.rules(), o);
            if is_asked {
                o.object("_meta", |o| {
                    if let Some(meta) = &result.meta {
                        o.members(meta);
                    }
                    request::related_task(o, &self.id);
                });
            } else {
                o.opt_json("_meta", result.meta.as_ref());
            }
        });
        Progress::Ended(json, is_asked && result.is_error)
    }

    /// Waits until every question is answered; `None` when the task is cancelled first.
    async fn answers(&self) -> Option<Vec<(String, Json)>> {
        poll_fn(|cx| {
            self.running.wait(cx.waker());
            if self.running.is_cancelled() {
                return Poll::Ready(None);
            }
            let mut state = self.state();
            match &state.progress {
                Progress::InputRequired(open) if !open.is_empty() => {
                    state.waker = Some(cx.waker().clone());
                    Poll::Pending
                }
                _ => Poll::Ready(Some(std::mem::take(&mut state.answers))),
            }
        })
        .await
    }

    /// Takes answers to open questions; the others are ignored.
    fn answer(&self, answers: Vec<(String, Json)>) {
        let waker = {
            let mut state = self.state();
            let State { progress: Progress::InputRequired(open), answers: taken, .. } = &mut *state else {
                return;
            };
            for (key, answer) in answers {
                if let Some(at) = open.iter().position(|(k, _)| *k == key) {
                    open.remove(at);
                    taken.push((key, answer));
                }
            }
            if open.is_empty() { state.waker.take() } else { None }
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Calls the handler again.
pub(super) type Again = Box<dyn Fn(Context) -> BoxFuture<Settled> + Send + Sync>;

impl Tasks {
    pub(crate) fn new(options: TaskOptions) -> Self {
        Self { options, table: Mutex::default() }
    }

    pub(super) fn table(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Task>>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, running: &Arc<Running>, ttl: Duration) -> Result<Arc<Task>, RpcError> {
        let now = (self.options.clock)();
        let mut table = self.table();
        table.retain(|_, task| now < task.created.plus(task.ttl) || !task.state().progress.is_final());
        if table.len() >= self.options.max_tasks {
            return Err(RpcError::internal("Too many tasks"));
        }
        let state = State {
            progress: Progress::Working,
            updated: now,
            message: None,
            answers: Vec::new(),
            waker: None,
            asking: 0,
            watchers: Vec::new(),
        };
        let (id, running) = ((self.options.new_id)(), Arc::clone(running));
        let task = Arc::new(Task { id, running, created: now, ttl, state: Mutex::new(state) });
        table.insert(task.id.clone(), Arc::clone(&task));
        Ok(task)
    }
}

/// The capability that is missing, as -32021 names it.
fn undeclared() -> RpcError {
    RpcError::missing_client_capability(&Json::object(|o| {
        o.object("extensions", |o| o.object(EXTENSION, |_| {}))
    }))
}

impl Server {
    /// Calls a tool that may become a task: what is ready at once, or needs input before it starts, is answered; the
    /// rest is a task.
    pub(super) fn call_as_task(
        &self,
        cx: Context,
        method: &'static str,
        is_required: bool,
        invoke: impl Fn(Context) -> Reply<Answer<CallToolResult>> + Send + Sync + 'static,
    ) -> Result<Exchange, RpcError> {
        if !cx.client_capabilities().has_extension(EXTENSION) {
            return if is_required { Err(undeclared()) } else { Ok(exchange::start(cx, method, invoke)) };
        }
        let running = Arc::clone(&cx.running);
        let (Some(tasks), Some(runtime)) = (self.tasks(), self.runtime()) else {
            return Err(RpcError::internal("The server has nothing to run tasks with"));
        };
        let server = self.clone();
        let again: Again = Box::new(move |cx| {
            let server = server.clone();
            let reply = invoke(cx);
            Box::pin(async move { exchange::resolve(&server, reply).await })
        });
        let started = catch_unwind(AssertUnwindSafe(|| {
            let mut next = again(cx.clone());
            let first = next.as_mut().poll(&mut TaskContext::from_waker(Waker::noop()));
            (next, first)
        }));
        let (next, first) = started.map_err(|_| RpcError::internal("The handler failed unexpectedly"))?;
        if let Poll::Ready(settled) = first {
            let answer = respond::answer(&running, method, settled);
            return Ok(Exchange::answered(running, answer));
        }
        let task = tasks.add(&running, tasks.options.ttl)?;
        let answer = respond::result_of_type(&running, "task", Caching::No, None, |o| task.write(o));
        runtime.spawn(Box::pin(Arc::clone(&task).run(cx, next, again)));
        Ok(Exchange::answered(running, answer))
    }

    pub(super) fn task(
        &self,
        running: &Running,
        p: &Params<'_>,
        received: &Received<'_>,
    ) -> Result<Arc<Task>, RpcError> {
        let is_modern = running.version.is_stateless();
        if is_modern && !running.declared().has_extension(EXTENSION) {
            return Err(undeclared());
        }
        let id = required(p.task_id, "taskId")?;
        if let Some(headers) = received.headers.filter(|_| is_modern) {
            headers::require_decoded(headers, "mcp-name", &id)?;
        }
        let found = self.tasks().and_then(|tasks| tasks.table().get(&id).cloned());
        // each design knows its own tasks; theirs would have other forms. A connection that may get a task may also
        // list it.
        let is_own = |task: &Arc<Task>| {
            task.running.principal == running.principal
                && task.is_asked() != is_modern
                && (is_modern || task.may_be_listed(running))
        };
        found.filter(is_own).ok_or_else(|| RpcError::invalid_params(format!("Unknown task: {id}")))
    }

    /// The given tasks that the request may be told about.
    pub(super) fn known_tasks(&self, running: &Running, ids: Vec<String>) -> Result<Vec<String>, RpcError> {
        if !ids.is_empty() && !running.declared().has_extension(EXTENSION) {
            return Err(undeclared());
        }
        let Some(tasks) = self.tasks() else { return Ok(Vec::new()) };
        let table = tasks.table();
        let is_known = |id: &String| {
            table.get(id).is_some_and(|t| t.running.principal == running.principal && !t.is_asked())
        };
        Ok(ids.into_iter().filter(is_known).collect())
    }

    pub(super) fn get_task(
        &self,
        running: &Running,
        p: &Params<'_>,
        received: &Received<'_>,
    ) -> Result<Outgoing, RpcError> {
        let task = self.task(running, p, received)?;
        Ok(respond::result(running, Caching::No, None, |o| {
            task.write(o);
            if !task.is_asked() {
                task.write_details(o);
            }
        }))
    }

    pub(super) fn update_task(
        &self,
        running: &Running,
        message: &Message<'_>,
        received: &Received<'_>,
    ) -> Result<Outgoing, RpcError> {
        let task = self.task(running, &message.params, received)?;
        let responses = message.params.input_responses.map(|raw| Json::slice(message.bytes, raw));
        let responses =
            responses.ok_or_else(|| RpcError::invalid_params("\"inputResponses\" must be an object"))?;
        task.answer(InputResponses::decode(Some(&responses))?);
        Ok(respond::result(running, Caching::No, None, |_| {}))
    }

    pub(super) fn cancel_task(
        &self,
        running: &Running,
        p: &Params<'_>,
        received: &Received<'_>,
    ) -> Result<Outgoing, RpcError> {
        let task = self.task(running, p, received)?;
        let was_going_on = task.change(Progress::Cancelled);
        task.running.cancel();
        if !task.is_asked() {
            return Ok(respond::result(running, Caching::No, None, |_| {}));
        }
        if !was_going_on {
            return Err(RpcError::invalid_params(format!("The task has already ended: {}", task.id)));
        }
        Ok(respond::result(running, Caching::No, None, |o| task.write(o)))
    }
}
