//! The tasks of 2025-11-25 ("Tasks" in the specification): the client asks for one with its call, polls for the state,
//! and gets the result from a request that waits for it. Messages and questions of the task travel on that request's
//! stream meanwhile.

use std::{
    future::poll_fn,
    sync::Arc,
    task::{Poll, Waker},
    time::Duration,
};

use super::{
    Received, Server,
    exchange::{self, Exchange},
    reply::{Answer, Reply},
    request::{Context, Outgoing, Running},
    respond::{self, Caching},
    tasks::{Again, Progress, Task},
};
use crate::{
    envelope::{Params, integral},
    error::RpcError,
    json::{Json, text_of},
    model::CallToolResult,
};

/// How many tasks a page of `tasks/list` has, unless the server says otherwise.
const PAGE: usize = 100;

/// A question to the client is open as long as this lives.
pub(super) struct Open(Arc<Task>);

impl Task {
    /// The task waits for its client: its status is `input_required` until the answer is there.
    pub(super) fn asking(self: Arc<Self>) -> Open {
        self.update(|state| state.asking += 1);
        Open(self)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.update(|state| state.asking -= 1);
    }
}

impl Server {
    /// Starts a tool call as a task, because the client asks for one.
    pub(super) fn call_as_asked_task(
        &self,
        cx: Context,
        wish: &Json,
        invoke: impl Fn(Context) -> Reply<Answer<CallToolResult>> + Send + Sync + 'static,
    ) -> Result<Exchange, RpcError> {
        let (Some(tasks), Some(runtime)) = (self.tasks(), self.runtime()) else {
            return Err(RpcError::internal("The server has nothing to run tasks with"));
        };
        let wished =
            match wish.get("ttl").filter(|ttl| !ttl.is_null()) {
                None => None,
                Some(ttl) => {
                    let millis = integral(ttl.as_str()).and_then(|n| u64::try_from(n).ok());
                    Some(millis.map(Duration::from_millis).ok_or_else(|| {
                        RpcError::invalid_params("\"ttl\" must be a number of milliseconds")
                    })?)
                }
            };
        let max = tasks.options.ttl;
        let running = Arc::clone(&cx.running);
        let answering = running.sibling();
        let task = tasks.add(&running, wished.map_or(max, |wished| wished.min(max)))?;
        // it is set once, here
        drop(running.task.set((task.id.clone(), Arc::downgrade(&task))));
        let answer = respond::result(&answering, Caching::No, None, |o| o.object("task", |o| task.write(o)));
        let invoke = Arc::new(invoke);
        let again: Again = Box::new(move |cx| {
            let invoke = Arc::clone(&invoke);
            Box::pin(async move {
                let first = invoke(cx.clone());
                exchange::settle(cx, first, move |cx| invoke(cx)).await
            })
        });
        let next = again(cx.clone());
        runtime.spawn(Box::pin(task.run(cx, next, again)));
        Ok(Exchange::answered(answering, answer))
    }

    /// Waits for the end of a task, and says meanwhile what the task has to say.
    pub(super) fn task_result(&self, running: &Arc<Running>, p: &Params<'_>) -> Result<Exchange, RpcError> {
        let task = self.task(running, p, &Received::default())?;
        let (asking, answering) = (Arc::clone(running), Arc::clone(running));
        let future = async move {
            poll_fn(|cx| {
                while let Some(item) = task.running.pop() {
                    asking.push(item);
                }
                let mut state = task.state();
                if state.progress.is_final() {
                    return Poll::Ready(());
                }
                if !state.watchers.iter().any(|w: &Waker| w.will_wake(cx.waker())) {
                    state.watchers.push(cx.waker().clone());
                }
                Poll::Pending
            })
            .await;
            match &task.state().progress {
                Progress::Ended(result, _) => {
                    respond::result(&answering, Caching::No, None, |o| o.members(result))
                }
                Progress::Failed(error) => respond::error(&answering, error),
                _ => respond::error(&answering, &RpcError::internal("The task was cancelled")),
            }
        };
        Ok(Exchange::running(Arc::clone(running), Box::pin(future)))
    }

    /// The tasks of whoever asks, oldest first.
    pub(super) fn list_tasks(&self, running: &Running, p: &Params<'_>) -> Result<Outgoing, RpcError> {
        let invalid = || RpcError::invalid_params("Invalid cursor");
        let after = match p.cursor.filter(|raw| !matches!(raw.get().trim(), "null" | "\"\"" | "\"null\"")) {
            None => None,
            Some(raw) => Some(text_of(raw.get()).ok_or_else(invalid)?.into_owned()),
        };
        let mut own: Vec<Arc<Task>> = match self.tasks() {
            None => Vec::new(),
            Some(tasks) => {
                let is_own = |task: &&Arc<Task>| task.is_asked() && task.may_be_listed(running);
                tasks.table().values().filter(is_own).cloned().collect()
            }
        };
        own.sort_by(|a, b| (a.created, &a.id).cmp(&(b.created, &b.id)));
        let first = match after {
            None => 0,
            Some(after) => own.iter().position(|t| t.id == after).map(|n| n + 1).ok_or_else(invalid)?,
        };
        let size = self.parts().page_size.unwrap_or(PAGE);
        let page = &own[first..own.len().min(first.saturating_add(size))];
        let has_more = first + page.len() < own.len();
        Ok(respond::result(running, Caching::No, None, |o| {
            o.array("tasks", page, |task, out| {
                let mut o = crate::json::Object::open(out);
                task.write(&mut o);
                o.close();
            });
            if let Some(last) = page.last().filter(|_| has_more) {
                o.str("nextCursor", &last.id);
            }
        }))
    }
}
