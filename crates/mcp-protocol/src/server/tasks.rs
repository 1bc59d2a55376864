//! The tasks extension of 2026-07-28 (`io.modelcontextprotocol/tasks`): a tool call that is not ready at once goes on
//! in the background, and the client polls for it, feeds it input, or cancels it.

use std::{
    collections::BTreeMap,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context as TaskContext, Poll, Waker},
};

use super::{
    Received, Server,
    exchange::{self, Exchange},
    headers,
    reply::{Answer, BoxFuture, InputRequest, InputResponses, Reply},
    request::{Context, Outgoing, Running},
    required,
    respond::{self, Caching, ResultMembers as _},
};
use crate::{
    envelope::{Message, Params},
    error::RpcError,
    json::{Json, Object},
    model::CallToolResult,
    time::UnixMillis,
};

pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// How tasks are kept.
#[derive(Clone, Debug)]
pub struct TaskOptions {
    /// Makes an unguessable id: at least 128 random bits, as text.
    pub new_id: fn() -> String,
    /// Says what time it is when a task changes.
    pub clock: fn() -> UnixMillis,
    /// How long a task can be asked for after it was made, in milliseconds.
    pub ttl_ms: u64,
    /// What clients are told to wait between polls, in milliseconds.
    pub poll_interval_ms: u64,
    /// How many tasks are kept; calls that would be one more are refused.
    pub most: usize,
}

pub(crate) struct Tasks {
    options: TaskOptions,
    table: Mutex<BTreeMap<String, Arc<Task>>>,
}

struct Task {
    id: String,
    running: Arc<Running>,
    created: UnixMillis,
    state: Mutex<State>,
}

struct State {
    progress: Progress,
    updated: UnixMillis,
    answers: Vec<(String, Json)>,
    waker: Option<Waker>,
}

enum Progress {
    Working,
    InputRequired(Vec<(String, InputRequest)>),
    Completed(Json),
    Failed(RpcError),
    Cancelled,
}

impl Progress {
    fn name(&self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::InputRequired(_) => "input_required",
            Self::Completed(_) => "completed",
            Self::Failed(_) => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    fn is_final(&self) -> bool {
        matches!(self, Self::Completed(_) | Self::Failed(_) | Self::Cancelled)
    }
}

type Settled = Result<Answer<CallToolResult>, RpcError>;

impl Task {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn options(&self) -> Option<&TaskOptions> {
        self.running.server.tasks().map(|t| &t.options)
    }

    fn change(&self, progress: Progress) {
        let mut state = self.state();
        if !state.progress.is_final() {
            state.progress = progress;
            state.updated = self.options().map_or(state.updated, |o| (o.clock)());
        }
    }

    fn write(&self, o: &mut Object<'_>) {
        let state = self.state();
        o.str("taskId", &self.id);
        o.str("status", state.progress.name());
        o.str("createdAt", &self.created.to_iso8601());
        o.str("lastUpdatedAt", &state.updated.to_iso8601());
        if let Some(options) = self.options() {
            o.u64("ttlMs", options.ttl_ms);
            o.u64("pollIntervalMs", options.poll_interval_ms);
        }
    }

    /// What `tasks/get` adds.
    fn write_details(&self, o: &mut Object<'_>) {
        match &self.state().progress {
            Progress::Working | Progress::Cancelled => {}
            Progress::InputRequired(questions) => o.object("inputRequests", |o| {
                for (key, request) in questions {
                    request.encode(o.key(key));
                }
            }),
            Progress::Completed(result) => o.json("result", result),
            Progress::Failed(error) => error.encode(error.code, o.key("error")),
        }
    }

    /// Runs the call to its end, asking for input as often as it needs some.
    async fn run(self: Arc<Self>, mut cx: Context, mut next: BoxFuture<Settled>, again: Again) {
        loop {
            let settled = poll_fn(|poll| {
                self.running.wait(poll.waker());
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
            match settled {
                None => return self.change(Progress::Cancelled),
                Some(Err(error)) => return self.change(Progress::Failed(error)),
                Some(Ok(Answer::Complete(result))) => {
                    let rules = self.running.version.rules();
                    let result = Json::object(|o| {
                        o.str("resultType", "complete");
                        result.write(rules, o);
                        o.opt_json("_meta", result.meta.as_ref());
                    });
                    return self.change(Progress::Completed(result));
                }
                Some(Ok(Answer::InputRequired(needed))) => {
                    let declared = self.running.declared();
                    if let Some(missing) = needed.requests.iter().find_map(|(_, r)| r.missing(&declared)) {
                        return self.change(Progress::Failed(RpcError::missing_client_capability(&missing)));
                    }
                    self.change(Progress::InputRequired(needed.requests));
                    let Some(answers) = self.answers().await else { return self.change(Progress::Cancelled) };
                    self.change(Progress::Working);
                    cx.inputs = InputResponses { answers, state: needed.state };
                    next = again(cx.clone());
                }
            }
        }
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
type Again = Box<dyn Fn(Context) -> BoxFuture<Settled> + Send + Sync>;

impl Tasks {
    pub(crate) fn new(options: TaskOptions) -> Self {
        Self { options, table: Mutex::default() }
    }

    fn table(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Task>>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, running: &Arc<Running>) -> Result<Arc<Task>, RpcError> {
        let now = (self.options.clock)();
        let mut table = self.table();
        table.retain(|_, task| {
            now < task.created.plus(self.options.ttl_ms) || !task.state().progress.is_final()
        });
        if table.len() >= self.options.most {
            return Err(RpcError::internal("Too many tasks"));
        }
        let state = State { progress: Progress::Working, updated: now, answers: Vec::new(), waker: None };
        let id = (self.options.new_id)();
        let task =
            Arc::new(Task { id, running: Arc::clone(running), created: now, state: Mutex::new(state) });
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
        let task = tasks.add(&running)?;
        let answer = respond::result_of_type(&running, "task", Caching::No, None, |o| task.write(o));
        runtime.spawn(Box::pin(Arc::clone(&task).run(cx, next, again)));
        Ok(Exchange::answered(running, answer))
    }

    fn task(
        &self,
        running: &Running,
        p: &Params<'_>,
        received: &Received<'_>,
    ) -> Result<Arc<Task>, RpcError> {
        if !running.declared().has_extension(EXTENSION) {
            return Err(undeclared());
        }
        let id = required(p.task_id, "taskId")?;
        if let Some(headers) = received.headers {
            headers::require_decoded(headers, "mcp-name", &id)?;
        }
        let found = self.tasks().and_then(|tasks| tasks.table().get(&id).cloned());
        found
            .filter(|task| task.running.principal == running.principal)
            .ok_or_else(|| RpcError::invalid_params(format!("Unknown task: {id}")))
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
            task.write_details(o);
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
        task.change(Progress::Cancelled);
        task.running.cancel();
        Ok(respond::result(running, Caching::No, None, |_| {}))
    }
}
