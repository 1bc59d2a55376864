//! Running a tool call: its deadline, its cancellation, and what happens when a tool panics.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{JoinHandle, Thread};
use std::time::{Duration, Instant};

use ide_model::{Cx, Stop, StopReason};
use ide_tools::{Call, Reply, Services, ToolError, ToolSpec};
use serde_json::Value;

/// Says that a call was taken back, when it is.
pub type Cancelled = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The clock of a watchdog.
pub(crate) type Clock = fn() -> Instant;

/// Stops calls that are late or were taken back. One thread for all calls, asleep unless something is due.
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    clock: Clock,
}

struct Shared {
    watched: Mutex<Vec<Watched>>,
    alarm: Arc<Alarm>,
    is_closed: AtomicBool,
    /// Whether calls are stopped as soon as they begin.
    is_ending: AtomicBool,
}

struct Watched {
    stop: Weak<Stop>,
    due: Instant,
    cancelled: Option<Cancelled>,
}

/// Wakes the thread of the watchdog.
struct Alarm(Mutex<Option<Thread>>);

impl Alarm {
    fn ring(&self) {
        if let Some(thread) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            thread.unpark();
        }
    }
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.ring();
    }
}

impl Watchdog {
    /// A watchdog with its thread.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub(crate) fn new(clock: Clock) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            watched: Mutex::default(),
            alarm: Arc::new(Alarm(Mutex::new(None))),
            is_closed: AtomicBool::new(false),
            is_ending: AtomicBool::new(false),
        });
        let of_thread = shared.clone();
        let thread =
            std::thread::Builder::new().name("watchdog".to_owned()).spawn(move || of_thread.watch(clock))?;
        *shared.alarm.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread.thread().clone());
        Ok(Self { shared, thread: Some(thread), clock })
    }

    /// A flag that is flipped after `limit`, or when `cancelled` is ready. Watching ends when the flag is dropped.
    pub(crate) fn guard(&self, limit: Duration, cancelled: Option<Cancelled>) -> Arc<Stop> {
        let stop = Arc::new(Stop::new());
        let watched = Watched { stop: Arc::downgrade(&stop), due: (self.clock)() + limit, cancelled };
        self.shared.watched.lock().unwrap_or_else(PoisonError::into_inner).push(watched);
        if self.shared.is_ending.load(Ordering::Acquire) {
            stop.stop(StopReason::Cancelled);
        }
        self.shared.alarm.ring();
        stop
    }

    /// Stops every call that runs and each that begins later.
    pub(crate) fn end_calls(&self) {
        self.shared.is_ending.store(true, Ordering::Release);
        let watched = self.shared.watched.lock().unwrap_or_else(PoisonError::into_inner);
        watched
            .iter()
            .filter_map(|call| call.stop.upgrade())
            .for_each(|stop| stop.stop(StopReason::Cancelled));
    }

    /// Lets calls begin again after [`Self::end_calls`].
    pub(crate) fn admit_calls(&self) {
        self.shared.is_ending.store(false, Ordering::Release);
    }

    /// Whether a call runs.
    pub(crate) fn has_calls(&self) -> bool {
        let watched = self.shared.watched.lock().unwrap_or_else(PoisonError::into_inner);
        watched.iter().any(|call| call.stop.strong_count() > 0)
    }

    /// Lets go of calls that have ended, which the thread does only when it has something else to do: what says that a call was
    /// taken back holds the server.
    pub(crate) fn sweep(&self) {
        let mut watched = self.shared.watched.lock().unwrap_or_else(PoisonError::into_inner);
        let ended: Vec<Watched> = watched.extract_if(.., |call| call.stop.strong_count() == 0).collect();
        drop(watched);
        drop(ended);
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.is_closed.store(true, Ordering::Release);
        self.shared.alarm.ring();
        // The last owner may be a call's own signal, which the thread drops when the call is over.
        let other = self.thread.take().filter(|thread| thread.thread().id() != std::thread::current().id());
        if let Some(thread) = other {
            // It only panics with the poison of a lock, which is no news here.
            drop(thread.join());
        }
    }
}

impl Shared {
    fn watch(&self, clock: Clock) {
        let waker = Waker::from(self.alarm.clone());
        while !self.is_closed.load(Ordering::Acquire) {
            let next = {
                let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
                let now = clock();
                watched.retain_mut(|call| call.look(now, &mut Context::from_waker(&waker)));
                watched.iter().map(|call| call.due).min()
            };
            match next {
                None => std::thread::park(),
                Some(due) => std::thread::park_timeout(due.saturating_duration_since(clock())),
            }
        }
    }
}

impl Watched {
    /// Stops the call if it is time; false when there is nothing left to watch.
    fn look(&mut self, now: Instant, cx: &mut Context<'_>) -> bool {
        let Some(stop) = self.stop.upgrade() else { return false };
        if self.cancelled.as_mut().is_some_and(|cancelled| cancelled.as_mut().poll(cx) == Poll::Ready(())) {
            stop.stop(StopReason::Cancelled);
            return false;
        }
        if now >= self.due {
            stop.stop(StopReason::Late);
            return false;
        }
        true
    }
}

/// Runs a tool. A panic in it concerns this call only.
pub(crate) fn run(tool: &ToolSpec, services: &dyn Services, stop: &Stop, args: Value) -> Reply {
    let call = Call::new(Cx::new(stop), services);
    catch_unwind(AssertUnwindSafe(|| tool.call(&call, args))).unwrap_or_else(|panic| {
        log(&format!("{} panicked: {}", tool.name, panic_text(&*panic)));
        Reply::from(
            &ToolError::new("internal", format!("{} failed; the server's log says more", tool.name))
                .hint("try another tool, e.g. ide_search_text"),
        )
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// A line for the people who run the server.
#[expect(clippy::print_stderr, reason = "standard error is the log; standard output may be a transport")]
pub fn log(message: &str) {
    eprintln!("ide-index-mcp: {message}");
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Ready when the sender says so.
    struct Signal(Arc<Mutex<(bool, Option<Waker>)>>);

    impl Future for Signal {
        type Output = ();
        fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
            let mut state = self.0.lock().unwrap();
            state.1 = Some(cx.waker().clone());
            if state.0 { Poll::Ready(()) } else { Poll::Pending }
        }
    }

    fn wait_for(stop: &Stop) -> StopReason {
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                loop {
                    if let Some(reason) = stop.reason() {
                        sender.send(reason).unwrap();
                        return;
                    }
                    std::thread::yield_now();
                }
            });
            receiver.recv_timeout(Duration::from_secs(20)).expect("the call was stopped")
        })
    }

    #[test]
    fn late_calls_and_calls_taken_back_are_stopped() {
        let watchdog = Watchdog::new(Instant::now).unwrap();
        let late = watchdog.guard(Duration::ZERO, None);
        assert_eq!(wait_for(&late), StopReason::Late);

        let state = Arc::new(Mutex::new((false, None)));
        let signal = Signal(state.clone());
        let stop = watchdog.guard(Duration::from_secs(3600), Some(Box::pin(signal)));
        assert_eq!(stop.reason(), None);
        let waker = {
            let mut state = state.lock().unwrap();
            state.0 = true;
            state.1.take()
        };
        waker.inspect(Waker::wake_by_ref);
        watchdog.shared.alarm.ring();
        assert_eq!(wait_for(&stop), StopReason::Cancelled);
    }

    /// Never ready; tells when it is gone.
    struct Owner(Option<Arc<Watchdog>>, mpsc::Sender<()>);

    impl Future for Owner {
        type Output = ();
        fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
            Poll::Pending
        }
    }

    impl Drop for Owner {
        fn drop(&mut self) {
            drop(self.0.take());
            self.1.send(()).unwrap();
        }
    }

    #[test]
    fn a_calls_signal_may_be_the_last_owner() {
        let watchdog = Arc::new(Watchdog::new(Instant::now).unwrap());
        let (sender, receiver) = mpsc::channel();
        let shared = watchdog.shared.clone();
        let signal = Owner(Some(watchdog.clone()), sender);
        let stop = watchdog.guard(Duration::from_secs(3600), Some(Box::pin(signal)));
        drop((stop, watchdog));
        shared.alarm.ring();
        receiver.recv_timeout(Duration::from_secs(20)).expect("the thread did not wait for itself");
    }
}
