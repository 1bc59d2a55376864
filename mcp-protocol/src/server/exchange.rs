//! A request under way: poll it, and it hands out what is to be sent, the answer last.

use std::{
    collections::VecDeque,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context as TaskContext, Poll, Waker},
};

use super::{
    Server,
    reply::{Answer, BoxFuture, Reply, Runtime},
    request::{Context, Outgoing, Running},
    respond::{self, ResultMembers},
};
use crate::error::RpcError;

/// A request (or batch) under way.
///
/// Poll it with [`Exchange::poll_next`] until it gives `None`. Dropping it cancels what still runs; in revisions with
/// a handshake a broken connection is no reason for that, so transports keep it somewhere until it ends.
///
/// Spec: 2026-07-28 basic; 2025-11-25 basic.
pub struct Exchange {
    work: Work,
}

enum Work {
    Over,
    Answered(Arc<Running>, Outgoing),
    Running(Arc<Running>, BoxFuture<Outgoing>),
    Listening(Arc<Running>),
    Batch { members: Vec<Exchange>, ready: VecDeque<Outgoing>, answers: Vec<Vec<u8>> },
}

impl Exchange {
    pub(crate) fn answered(running: Arc<Running>, answer: Outgoing) -> Self {
        Self { work: Work::Answered(running, answer) }
    }

    pub(crate) fn running(running: Arc<Running>, future: BoxFuture<Outgoing>) -> Self {
        running.peer.started(&running);
        Self { work: Work::Running(running, future) }
    }

    pub(crate) fn listening(running: Arc<Running>) -> Self {
        running.peer.started(&running);
        Self { work: Work::Listening(running) }
    }

    pub(crate) fn batch(members: Vec<Self>, answers: Vec<Vec<u8>>) -> Self {
        Self { work: Work::Batch { members, ready: VecDeque::new(), answers } }
    }

    /// Whether the exchange may last as long as its client likes (a subscription).
    #[must_use]
    pub fn is_subscription(&self) -> bool {
        matches!(self.work, Work::Listening(_))
    }

    /// Whether a connection that breaks is no reason to stop: so in revisions with a handshake, where clients say when
    /// they lose interest, and not in 2026-07-28, where closing the stream is how they say it.
    #[must_use]
    pub fn outlives_connection(&self) -> bool {
        match &self.work {
            Work::Running(running, _) | Work::Listening(running) | Work::Answered(running, _) => {
                !running.version.is_stateless()
            }
            Work::Batch { .. } => true,
            Work::Over => false,
        }
    }

    /// The next thing to send. `Ready(None)`: over, either after the answer or because it was cancelled.
    pub fn poll_next(&mut self, cx: &mut TaskContext<'_>) -> Poll<Option<Outgoing>> {
        match &mut self.work {
            Work::Over => Poll::Ready(None),
            Work::Answered(running, _) => {
                if let Some(item) = running.pop() {
                    return Poll::Ready(Some(item));
                }
                match std::mem::replace(&mut self.work, Work::Over) {
                    Work::Answered(_, answer) => Poll::Ready(Some(answer)),
                    _ => Poll::Ready(None),
                }
            }
            Work::Running(..) => self.poll_running(cx),
            Work::Listening(running) => {
                running.wait(cx.waker());
                if running.is_cancelled() {
                    self.end();
                    return Poll::Ready(None);
                }
                match running.pop() {
                    Some(answer @ Outgoing::Answer { .. }) => {
                        self.end();
                        Poll::Ready(Some(answer))
                    }
                    Some(item) => Poll::Ready(Some(item)),
                    None => Poll::Pending,
                }
            }
            Work::Batch { .. } => self.poll_batch(cx),
        }
    }

    fn poll_running(&mut self, cx: &mut TaskContext<'_>) -> Poll<Option<Outgoing>> {
        let Work::Running(running, future) = &mut self.work else { return Poll::Ready(None) };
        running.wait(cx.waker());
        if running.is_cancelled() {
            self.end();
            return Poll::Ready(None);
        }
        if let Some(item) = running.pop() {
            return Poll::Ready(Some(item));
        }
        match guarded(running, || future.as_mut().poll(cx)) {
            Poll::Pending => match running.pop() {
                Some(item) => Poll::Ready(Some(item)),
                None => Poll::Pending,
            },
            Poll::Ready(answer) => {
                running.peer.finished(running);
                if running.is_cancelled() {
                    self.work = Work::Over;
                    return Poll::Ready(None);
                }
                self.work = Work::Answered(Arc::clone(running), answer);
                self.poll_next(cx)
            }
        }
    }

    fn poll_batch(&mut self, cx: &mut TaskContext<'_>) -> Poll<Option<Outgoing>> {
        let Work::Batch { members, ready, answers } = &mut self.work else { return Poll::Ready(None) };
        for member in members.iter_mut() {
            while let Poll::Ready(Some(item)) = member.poll_next(cx) {
                match item {
                    Outgoing::Answer { bytes, .. } => answers.push(bytes),
                    item => ready.push_back(item),
                }
            }
        }
        members.retain(|m| !matches!(m.work, Work::Over));
        if let Some(item) = ready.pop_front() {
            return Poll::Ready(Some(item));
        }
        if !members.is_empty() {
            return Poll::Pending;
        }
        let answers = std::mem::take(answers);
        self.work = Work::Over;
        if answers.is_empty() {
            // every member was cancelled
            return Poll::Ready(None);
        }
        let mut bytes = vec![b'['];
        bytes.extend_from_slice(&answers.join(&b','));
        bytes.push(b']');
        Poll::Ready(Some(Outgoing::Answer { bytes, status: 200 }))
    }

    /// Ends the exchange with an error instead of an answer.
    pub fn refuse(&mut self, error: &RpcError) -> Option<Outgoing> {
        let answer = match &self.work {
            Work::Running(running, _) | Work::Listening(running) | Work::Answered(running, _) => {
                running.cancel();
                Some(respond::error(running, error))
            }
            Work::Batch { .. } | Work::Over => None,
        };
        self.end();
        answer
    }

    fn end(&mut self) {
        if let Work::Running(running, _) | Work::Listening(running) = &self.work {
            running.peer.finished(running);
        }
        self.work = Work::Over;
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if let Work::Running(running, _) | Work::Listening(running) = &self.work {
            running.peer.finished(running);
            running.cancel();
        }
    }
}

/// A handler that panics has failed; it must not take the connections of others with it.
fn guarded(running: &Running, poll: impl FnOnce() -> Poll<Outgoing>) -> Poll<Outgoing> {
    catch_unwind(AssertUnwindSafe(poll)).unwrap_or_else(|_| {
        Poll::Ready(respond::error(running, &RpcError::internal("The handler failed unexpectedly")))
    })
}

/// Turns a handler's reply into what the caller sends now or later. `invoke` calls the handler again, with the
/// client's input, in revisions where the server asks for it itself.
pub(crate) fn start<T: ResultMembers>(
    cx: Context,
    method: &'static str,
    invoke: impl Fn(Context) -> Reply<Answer<T>> + Send + Sync + 'static,
) -> Exchange {
    let running = Arc::clone(&cx.running);
    let first = catch_unwind(AssertUnwindSafe(|| invoke(cx.clone())))
        .unwrap_or_else(|_| Reply::Ready(Err(RpcError::internal("The handler failed unexpectedly"))));
    // a future that is ready at once needs no place among the running ones; one that is not is polled again by its
    // exchange, with a waker that counts
    let first = match first {
        Reply::Future(mut future) => {
            let poll = || future.as_mut().poll(&mut TaskContext::from_waker(Waker::noop()));
            match catch_unwind(AssertUnwindSafe(poll)) {
                Ok(Poll::Ready(result)) => Reply::Ready(result),
                Ok(Poll::Pending) => Reply::Future(future),
                Err(_) => Reply::Ready(Err(RpcError::internal("The handler failed unexpectedly"))),
            }
        }
        other => other,
    };
    match first {
        Reply::Ready(Ok(answer))
            if running.version.is_stateless() || matches!(answer, Answer::Complete(_)) =>
        {
            let answer = respond::answer(&running, method, Ok(answer));
            Exchange::answered(running, answer)
        }
        Reply::Ready(Err(error)) => {
            let answer = respond::error(&running, &error);
            Exchange::answered(running, answer)
        }
        first => {
            let future = async move {
                let running = Arc::clone(&cx.running);
                let settled = settle(cx, first, invoke).await;
                respond::answer(&running, method, settled)
            };
            Exchange::running(running, Box::pin(future))
        }
    }
}

pub(crate) async fn settle<T: Send + 'static>(
    mut cx: Context,
    mut reply: Reply<Answer<T>>,
    invoke: impl Fn(Context) -> Reply<Answer<T>>,
) -> Result<Answer<T>, RpcError> {
    loop {
        match resolve(&cx.running.server, reply).await? {
            Answer::InputRequired(needed) if !cx.version().is_stateless() => {
                let mut answers = Vec::with_capacity(needed.requests.len());
                for (key, request) in needed.requests {
                    answers.push((key, cx.request(request.method, request.params).await?));
                }
                cx.inputs.answers = answers;
                cx.inputs.state = needed.state;
                reply = invoke(cx.clone());
            }
            answer => return Ok(answer),
        }
    }
}

pub(crate) async fn resolve<T: Send + 'static>(server: &Server, reply: Reply<T>) -> Result<T, RpcError> {
    match reply {
        Reply::Ready(result) => result,
        Reply::Future(future) => future.await,
        Reply::Blocking(job) => match server.runtime() {
            None => job(),
            Some(runtime) => Job::start(runtime.as_ref(), job).await,
        },
    }
}

/// A blocking job on another thread, as a future.
struct Job<T>(Arc<Mutex<JobState<T>>>);

struct JobState<T> {
    result: Option<Result<T, RpcError>>,
    waker: Option<Waker>,
}

impl<T: Send + 'static> Job<T> {
    fn start(runtime: &dyn Runtime, job: Box<dyn FnOnce() -> Result<T, RpcError> + Send>) -> Self {
        let state = Arc::new(Mutex::new(JobState { result: None, waker: None }));
        let done = Arc::clone(&state);
        runtime.spawn_blocking(Box::new(move || {
            let result = catch_unwind(AssertUnwindSafe(job))
                .unwrap_or_else(|_| Err(RpcError::internal("The handler failed unexpectedly")));
            let waker = {
                let mut state = done.lock().unwrap_or_else(PoisonError::into_inner);
                state.result = Some(result);
                state.waker.take()
            };
            if let Some(waker) = waker {
                waker.wake();
            }
        }));
        Self(state)
    }
}

impl<T> Future for Job<T> {
    type Output = Result<T, RpcError>;
    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match state.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                state.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}
