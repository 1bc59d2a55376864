//! Calls to the IDE, made by a few threads, so that whoever asks can stop waiting.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ide_model::{Cx, QueryError};
use serde_json::Value;

use crate::host::{Host, HostError};
use crate::queue::{Queue, Slot};

/// Most calls that the IDE answers at the same time; it reads with as many threads as the machine has cores.
const MOST_THREADS: usize = 16;
/// Stack of a thread that calls Java.
const STACK: usize = 8 << 20;
/// How often a waiting call looks whether it was stopped.
const LOOK: Duration = Duration::from_millis(5);

type Outcome = Result<Vec<u8>, HostError>;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CallError {
    /// The caller was stopped, or the IDE took too long.
    Stopped(QueryError),
    Host(HostError),
}

struct Job {
    id: i64,
    op: &'static str,
    arguments: Vec<u8>,
    /// `None` when nobody waits.
    answer: Option<Slot<Outcome>>,
}

/// The way to the IDE.
pub(crate) struct Calls {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    host: Arc<dyn Host>,
    jobs: Queue<Job>,
    cancels: Queue<i64>,
    next: AtomicI64,
    /// Calls whose answer somebody waits for; `None` when no more are made.
    waiting: Mutex<Option<BTreeMap<i64, Slot<Outcome>>>>,
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, Option<BTreeMap<i64, Slot<Outcome>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_waited_for(&self, id: i64) -> bool {
        self.waiting().as_ref().is_some_and(|waiting| waiting.contains_key(&id))
    }

    fn work(&self) {
        while let Some(job) = self.jobs.pop() {
            if job.answer.is_some() && !self.is_waited_for(job.id) {
                continue;
            }
            let made = catch_unwind(AssertUnwindSafe(|| self.host.call(job.id, job.op, &job.arguments)));
            let made = made.unwrap_or_else(|_| Err(HostError::internal("the call panicked")));
            if let Some(answer) = job.answer {
                answer.fill(made);
            }
        }
    }
}

impl Calls {
    /// Calls to a host, with the thread that cancels them.
    ///
    /// # Errors
    /// When that thread cannot be started.
    pub(crate) fn new(host: Arc<dyn Host>) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            host,
            jobs: Queue::new(),
            cancels: Queue::new(),
            next: AtomicI64::new(1),
            waiting: Mutex::new(Some(BTreeMap::new())),
        });
        let calls = Self { shared, threads: Mutex::default() };
        calls.spawn("ide-host-ctl".to_owned(), |shared| {
            while let Some(id) = shared.cancels.pop() {
                // an exception of it concerns nobody
                drop(catch_unwind(AssertUnwindSafe(|| shared.host.cancel(id))));
            }
        })?;
        Ok(calls)
    }

    fn spawn(&self, name: String, work: fn(&Shared)) -> std::io::Result<()> {
        let shared = self.shared.clone();
        let of_jvm = name.clone();
        let thread = std::thread::Builder::new().name(name).stack_size(STACK).spawn(move || {
            let host = shared.host.clone();
            host.attached(&of_jvm, &mut || work(&shared));
        })?;
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        Ok(())
    }

    /// Another thread for calls, while there are few.
    fn help(&self) {
        // the first one is the thread that cancels
        let count = self.threads.lock().unwrap_or_else(PoisonError::into_inner).len();
        if count <= MOST_THREADS
            && let Err(error) = self.spawn(format!("ide-host-{count}"), Shared::work)
        {
            ide_server::log(&format!("no thread for calls to the IDE: {error}"));
        }
    }

    /// Asks the IDE and waits for the answer, until `cx` is stopped or `patience` is over.
    ///
    /// # Errors
    /// See [`CallError`].
    pub(crate) fn ask(
        &self,
        cx: Cx<'_>,
        op: &'static str,
        mut arguments: Value,
        patience: Duration,
    ) -> Result<Value, CallError> {
        cx.check().map_err(CallError::Stopped)?;
        let until = Instant::now() + patience;
        arguments["deadlineMs"] = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX).into();
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let answer = Slot::new();
        let gone = || CallError::Host(HostError::new("cancelled", "the server in the IDE ends"));
        match &mut *self.shared.waiting() {
            Some(waiting) => drop(waiting.insert(id, answer.clone())),
            None => return Err(gone()),
        }
        let job = Job { id, op, arguments: arguments.to_string().into_bytes(), answer: Some(answer.clone()) };
        let outcome = if self.shared.jobs.push(job, || self.help()) {
            self.wait(cx, &answer, until)
        } else {
            Err(gone())
        };
        self.shared.waiting().as_mut().and_then(|waiting| waiting.remove(&id));
        if matches!(outcome, Err(CallError::Stopped(_))) {
            self.shared.cancels.push(id, || {});
        }
        let bytes = outcome?;
        serde_json::from_slice(&bytes).map_err(|error| {
            CallError::Host(HostError::internal(format!("the IDE's answer to `{op}` is no JSON: {error}")))
        })
    }

    /// Tells the IDE something whose answer nobody waits for.
    pub(crate) fn tell(&self, op: &'static str, mut arguments: Value) {
        arguments["deadlineMs"] = 10_000.into();
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let job = Job { id, op, arguments: arguments.to_string().into_bytes(), answer: None };
        self.shared.jobs.push(job, || self.help());
    }

    fn wait(&self, cx: Cx<'_>, answer: &Slot<Outcome>, until: Instant) -> Result<Vec<u8>, CallError> {
        loop {
            if let Some(outcome) = answer.wait(LOOK) {
                return outcome.map_err(CallError::Host);
            }
            cx.check().map_err(CallError::Stopped)?;
            if Instant::now() >= until {
                return Err(CallError::Stopped(QueryError::DeadlineExceeded));
            }
        }
    }

    /// Ends every call that runs and makes no more.
    pub(crate) fn end(&self) {
        for (id, answer) in self.shared.waiting().take().unwrap_or_default() {
            self.shared.cancels.push(id, || {});
            answer.fill(Err(HostError::new("cancelled", "the server in the IDE ends")));
        }
        self.shared.jobs.close();
        self.shared.cancels.close();
    }

    /// Waits for the threads; false when one is still in the IDE at that time.
    pub(crate) fn join(&self, until: Instant) -> bool {
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            while !thread.is_finished() {
                if Instant::now() >= until {
                    return false;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            drop(thread.join());
        }
        true
    }
}
