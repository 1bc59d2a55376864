//! The threads that share the work of a question.
//!
//! Threads of the library's own pool would never end, and a program that loads this code as a library could never let
//! it go.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use rayon::prelude::*;

use crate::guard;

/// A pool of threads that have ended when it is gone.
#[derive(Debug)]
pub struct Threads {
    pool: Option<rayon::ThreadPool>,
    handles: Vec<JoinHandle<()>>,
}

impl Threads {
    /// So many threads with so large a stack, whose names begin with `name`; 0 means as many as the machine has cores.
    ///
    /// # Errors
    /// When they cannot be started.
    pub fn new(name: &'static str, count: usize, stack: usize) -> std::io::Result<Self> {
        let count = match count {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            some => some,
        };
        let mut handles = Vec::new();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(count)
            .spawn_handler(|thread| {
                let named = std::thread::Builder::new().name(format!("{name}-{}", thread.index()));
                handles.push(named.stack_size(stack).spawn(|| thread.run())?);
                Ok(())
            })
            .build()
            .map_err(std::io::Error::other)?;
        Ok(Self { pool: Some(pool), handles })
    }
}

impl Deref for Threads {
    type Target = rayon::ThreadPool;

    fn deref(&self) -> &rayon::ThreadPool {
        self.pool.as_ref().expect("is there until dropped")
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        drop(self.pool.take());
        let this = std::thread::current().id();
        for handle in self.handles.drain(..).filter(|handle| handle.thread().id() != this) {
            // it only panics with what its work has told already
            drop(handle.join());
        }
    }
}

/// Stack of a thread; recursion takes more where it needs it.
const STACK: usize = 8 << 20;

static SHARED: Mutex<Option<Arc<Threads>>> = Mutex::new(None);

fn shared() -> MutexGuard<'static, Option<Arc<Threads>>> {
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs work that divides itself, on the pool of the thread that asks, else on one that all questions share.
pub fn divided<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if rayon::current_thread_index().is_some() {
        return work();
    }
    let threads = {
        let mut shared = shared();
        match &*shared {
            Some(threads) => Some(threads.clone()),
            None => {
                *shared = Threads::new("ide-query", 0, STACK).ok().map(Arc::new);
                shared.clone()
            }
        }
    };
    match threads {
        Some(threads) => threads.install(work),
        None => work(),
    }
}

/// The results for some things, each a part of the question that is asked: what nobody waits for any more ends in all
/// threads.
pub fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let question = guard::carried();
    divided(|| items.par_iter().map(|item| question.within(|| work(item))).collect())
}

/// Ends the threads that questions share; the next question starts others.
pub fn end() {
    let threads = shared().take();
    drop(threads);
}

#[cfg(test)]
mod tests {
    use ide_model::{Cx, QueryError, Stop, StopReason};

    use super::*;

    #[test]
    fn work_is_divided_again_after_the_threads_ended() {
        for _ in 0..3 {
            let (a, b) = divided(|| rayon::join(|| 1, || divided(|| 2)));
            assert_eq!(a + b, 3);
            end();
        }
    }

    #[test]
    fn a_question_that_is_stopped_ends_in_all_threads() {
        let stop = Stop::new();
        stop.stop(StopReason::Late);
        let (answer, _) = guard::question(Cx::new(&stop), || {
            Ok(each(&[(); 8], |()| (0..1_000_000).take_while(|_| guard::spend(1)).count()))
        });
        assert_eq!(answer, Err(QueryError::DeadlineExceeded));
    }

    #[test]
    fn threads_have_ended_when_they_are_gone() {
        let threads = Threads::new("test", 3, 1 << 20).unwrap();
        let kept = Arc::new(());
        threads.broadcast(|_| {
            thread_local!(static KEPT: std::cell::RefCell<Option<Arc<()>>> = const { std::cell::RefCell::new(None) });
            KEPT.set(Some(kept.clone()));
        });
        assert_eq!(Arc::strong_count(&kept), 4);
        drop(threads);
        assert_eq!(Arc::strong_count(&kept), 1, "what threads hold is given back");
    }
}
