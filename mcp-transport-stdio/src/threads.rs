//! A small pool of threads as the runtime of handlers, for servers without an async runtime.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, PoisonError},
    task::{Context, Poll, Wake, Waker},
    thread,
};

use mcp_protocol::server::{BoxFuture, Runtime};

type Job = Box<dyn FnOnce() + Send + 'static>;

/// At most that many threads, started when there is work for them, which end with the pool.
///
/// Spec: none.
#[derive(Clone)]
pub struct Threads(Arc<Pool>);

struct Pool {
    queue: Arc<Queue>,
    max_threads: usize,
}

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
    closed: bool,
}

impl Threads {
    /// A pool of at most `max_threads` threads (at least one).
    #[must_use]
    pub fn new(max_threads: usize) -> Self {
        Self(Arc::new(Pool { queue: Arc::default(), max_threads: max_threads.max(1) }))
    }

    fn run(&self, job: Job) {
        let mut state = self.0.queue.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.jobs.push_back(job);
        if state.idle >= state.jobs.len() || state.threads >= self.0.max_threads {
            drop(state);
            self.0.queue.changed.notify_one();
            return;
        }
        let queue = Arc::clone(&self.0.queue);
        // without a further thread the present ones take the job; without any, this one must
        let started = thread::Builder::new().name("mcp-handler".into()).spawn(move || queue.work());
        if started.is_ok() {
            state.threads += 1;
        } else if state.threads == 0
            && let Some(job) = state.jobs.pop_back()
        {
            drop(state);
            job();
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.queue.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.queue.changed.notify_all();
    }
}

impl Queue {
    fn work(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                // the jobs of handlers catch their own panics; a thread must survive any other one
                drop(catch_unwind(AssertUnwindSafe(job)));
                state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            } else if state.closed {
                state.threads -= 1;
                return;
            } else {
                state.idle += 1;
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
            }
        }
    }
}

impl Runtime for Threads {
    fn spawn(&self, task: BoxFuture<()>) {
        Task::resume(&Arc::new(Task { pool: self.clone(), future: Mutex::new(Some(task)) }));
    }

    fn spawn_blocking(&self, job: Job) {
        self.run(job);
    }
}

/// A future that is polled on the pool whenever it is woken.
struct Task {
    pool: Threads,
    future: Mutex<Option<BoxFuture<()>>>,
}

impl Task {
    fn resume(this: &Arc<Self>) {
        let task = Arc::clone(this);
        this.pool.run(Box::new(move || {
            let waker = Waker::from(Arc::clone(&task));
            let mut slot = task.future.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(future) = slot.as_mut()
                && let Poll::Ready(()) = future.as_mut().poll(&mut Context::from_waker(&waker))
            {
                *slot = None;
            }
        }));
    }
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        Self::resume(&self);
    }
}
