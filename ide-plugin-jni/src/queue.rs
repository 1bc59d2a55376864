//! A queue by which one thread passes work to others. Neither side touches thread-local memory, which would keep the
//! library loaded for as long as the JVM's threads live.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A queue that can be closed.
pub(crate) struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    waiting: VecDeque<T>,
    /// Threads that wait for something to do.
    idle: usize,
    is_closed: bool,
}

impl<T> Queue<T> {
    pub(crate) fn new() -> Self {
        let state = State { waiting: VecDeque::new(), idle: 0, is_closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands over; false when the queue is closed. `on_busy` is called where every thread has something to do.
    pub(crate) fn push(&self, item: T, on_busy: impl FnOnce()) -> bool {
        let mut state = self.state();
        if state.is_closed {
            return false;
        }
        state.waiting.push_back(item);
        if state.waiting.len() > state.idle {
            on_busy();
        }
        drop(state);
        self.changed.notify_one();
        true
    }

    /// Waits for the next one; `None` when the queue is closed and empty.
    pub(crate) fn pop(&self) -> Option<T> {
        let mut state = self.state();
        loop {
            if let Some(item) = state.waiting.pop_front() {
                return Some(item);
            }
            if state.is_closed {
                return None;
            }
            state.idle += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    /// Takes nothing more; what waits is still given out.
    pub(crate) fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }
}

/// A place for one answer, which one thread fills and another waits for.
pub(crate) struct Slot<T>(Arc<(Mutex<Option<T>>, Condvar)>);

impl<T> Clone for Slot<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Slot<T> {
    pub(crate) fn new() -> Self {
        Self(Arc::new((Mutex::new(None), Condvar::new())))
    }

    /// Fills it; the first answer stays.
    pub(crate) fn fill(&self, answer: T) {
        let (place, filled) = &*self.0;
        place.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(answer);
        filled.notify_all();
    }

    /// Waits at most so long for the answer.
    pub(crate) fn wait(&self, limit: Duration) -> Option<T> {
        let (place, filled) = &*self.0;
        let place = place.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = filled.wait_timeout_while(place, limit, |place| place.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.take()
    }

    /// Waits for the answer, however long that takes.
    pub(crate) fn take(&self) -> T {
        let (place, filled) = &*self.0;
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(answer) = place.take() {
                return answer;
            }
            place = filled.wait(place).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_given_out_after_closing() {
        let queue = Queue::new();
        let mut busy = 0;
        assert!(queue.push(1, || busy += 1) && queue.push(2, || busy += 1));
        queue.close();
        assert!(!queue.push(3, || busy += 1));
        assert_eq!([queue.pop(), queue.pop(), queue.pop()], [Some(1), Some(2), None]);
        assert_eq!(busy, 2, "no thread waits");
    }

    #[test]
    fn the_first_answer_stays() {
        let slot = Slot::new();
        assert_eq!(slot.wait(Duration::ZERO), None);
        slot.fill(1);
        slot.fill(2);
        assert_eq!(slot.take(), 1);
    }
}
