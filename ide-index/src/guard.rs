//! The one guard of everything that recurses or loops over what others wrote: it counts depth and work, makes room on the
//! stack, and ends what nobody waits for any more.
//!
//! - [`question`] surrounds a query, [`reading`] the extraction of one file. Both start at depth zero.
//! - A function that may call itself, directly or by others, goes through `deeper`. `None` means that the nesting is
//!   beyond the limit: the caller answers that it does not know.
//! - A loop whose length others decide calls `spend` once a turn, or once for many. `false` means that the question is
//!   given up: the caller leaves the loop and answers that it does not know.
//!
//! A limit that was hit is noted, and the answer says so ([`Limit`]). When the [`Stop`] of a question is set, `spend` and
//! `deeper` unwind to the question: nothing that is half known is remembered on the way.
//!
//! Panics are caught, a stack overflow cannot be caught in Rust: so every recursion has to pass here.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use ide_model::{Completeness, Cx, QueryError, Stop};

/// Calls of [`deeper`] inside of each other. Written code does not come near.
const MAX_LEVELS: u32 = 1_000;
/// The stack space that must remain for the code between two calls of [`deeper`], in an unoptimised build.
const RED_ZONE: usize = 1 << 20;
/// How much a stack grows at a time.
const CHUNK: usize = 8 << 20;
/// The stack that a question and a front end find.
const ROOM: usize = 8 << 20;
/// Steps after which it is looked whether somebody still waits.
const LOOK_EVERY: u32 = 256;

/// Why an answer is not everything there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Something nests deeper than it is followed.
    Nesting,
    /// One name or expression took more work than it is given.
    Work,
}

impl Limit {
    /// For people.
    pub fn because(self) -> &'static str {
        match self {
            Self::Nesting => "types or expressions nest deeper than they are followed",
            Self::Work => "types or expressions take more work than they are given",
        }
    }

    /// The completeness of an answer that ran into this limit, or into none.
    pub fn completeness(limit: Option<Self>) -> Completeness {
        limit.map_or(Completeness::Exact, |limit| Completeness::AtLeast {
            because: limit.because().to_owned(),
        })
    }
}

/// A question, for the threads that work on it.
#[derive(Clone, Debug, Default)]
pub struct Question {
    stop: Stop,
    limit: Arc<AtomicU8>,
}

impl Question {
    fn note(&self, limit: Limit) {
        let raw = match limit {
            Limit::Nesting => 1,
            Limit::Work => 2,
        };
        // The first limit stays; the others follow from it.
        let _ = self.limit.compare_exchange(0, raw, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn limit(&self) -> Option<Limit> {
        match self.limit.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Limit::Nesting),
            _ => Some(Limit::Work),
        }
    }

    /// Works on this question in another thread.
    pub fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        let _held = Held::begin(Some(self.clone()), u64::MAX);
        stacker::maybe_grow(ROOM, 2 * ROOM, work)
    }
}

/// The payload of the panic that unwinds a stopped question.
struct Stopped;

struct State {
    question: RefCell<Option<Question>>,
    level: Cell<u32>,
    /// Steps until the next look at the clock's flag.
    until_look: Cell<u32>,
    /// Steps that are left.
    work: Cell<u64>,
}

thread_local! {
    static STATE: State = const {
        State {
            question: RefCell::new(None),
            level: Cell::new(0),
            until_look: Cell::new(LOOK_EVERY),
            work: Cell::new(u64::MAX),
        }
    };
}

/// Puts back what held before, also when it is unwound.
struct Held {
    question: Option<Question>,
    level: u32,
    work: u64,
}

impl Held {
    fn begin(question: Option<Question>, work: u64) -> Self {
        STATE.with(|state| Self {
            question: state.question.replace(question),
            level: state.level.replace(0),
            work: state.work.replace(work),
        })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        STATE.with(|state| {
            *state.question.borrow_mut() = self.question.take();
            state.level.set(self.level);
            state.work.set(self.work);
        });
    }
}

/// Answers a question, and says which limit it ran into. A question inside another one is a part of it.
///
/// # Errors
/// The errors of the question, and [`Cx::check`]'s once it was stopped.
pub fn question<T>(
    cx: Cx<'_>,
    ask: impl FnOnce() -> Result<T, QueryError>,
) -> (Result<T, QueryError>, Option<Limit>) {
    let question = Question { stop: cx.stop.clone(), limit: Arc::default() };
    let answer = {
        let _held = Held::begin(Some(question.clone()), u64::MAX);
        catch_unwind(AssertUnwindSafe(|| stacker::maybe_grow(ROOM, 2 * ROOM, ask)))
    };
    let answer = match answer {
        Ok(answer) => cx.check().and(answer),
        Err(panic) if panic.is::<Stopped>() => Err(cx.check().expect_err("only a stop unwinds so")),
        Err(panic) => resume_unwind(panic),
    };
    (answer, question.limit())
}

/// The question that this thread works on, to be handed to others.
pub fn carried() -> Question {
    STATE.with(|state| state.question.borrow().clone()).unwrap_or_default()
}

/// Reads one file, with room on the stack and `work` steps to spend; the caller of a question does not stop it, as others
/// need what it reads.
pub fn reading<T>(work: u64, read: impl FnOnce() -> T) -> (T, Option<Limit>) {
    let question = Question::default();
    let held = Held::begin(Some(question.clone()), work);
    let value = stacker::maybe_grow(ROOM, 2 * ROOM, read);
    drop(held);
    (value, question.limit())
}

/// Runs something with `work` steps of its own, when that is less than is left.
pub(crate) fn with_work<T>(work: u64, run: impl FnOnce() -> T) -> T {
    struct Left(u64);
    impl Drop for Left {
        fn drop(&mut self) {
            STATE.with(|state| state.work.set(self.0));
        }
    }
    let _left = Left(STATE.with(|state| state.work.replace(work.min(state.work.get()))));
    run()
}

/// Goes one level down, on a larger stack when this one is nearly used up. `None` at the limit, which is noted.
#[inline]
pub(crate) fn deeper<T>(run: impl FnOnce() -> T) -> Option<T> {
    struct Level(u32);
    impl Drop for Level {
        fn drop(&mut self) {
            STATE.with(|state| state.level.set(self.0));
        }
    }
    let level = STATE.with(|state| state.level.get());
    if level >= MAX_LEVELS {
        note(Limit::Nesting);
        return None;
    }
    if !spend(1) {
        return None;
    }
    STATE.with(|state| state.level.set(level + 1));
    let _level = Level(level);
    Some(stacker::maybe_grow(RED_ZONE, CHUNK, run))
}

/// Counts steps; false, which is noted, when there are none left.
#[inline]
pub(crate) fn spend(steps: u32) -> bool {
    STATE.with(|state| {
        let left = state.work.get().saturating_sub(u64::from(steps));
        state.work.set(left);
        match state.until_look.get().checked_sub(steps) {
            Some(until) => state.until_look.set(until),
            None => look(state),
        }
        if left == 0 {
            note(Limit::Work);
        }
        left > 0
    })
}

/// Ends the question when nobody waits for it any more: for what many loops do at each turn and takes no work to speak of.
#[inline]
pub(crate) fn tick() {
    STATE.with(|state| match state.until_look.get().checked_sub(1) {
        Some(until) => state.until_look.set(until),
        None => look(state),
    });
}

/// Whether somebody waits for what this thread does: for libraries that can be asked to end, and must not be unwound.
#[cfg(feature = "tree-sitter")]
pub(crate) fn is_waited_for() -> bool {
    STATE.with(|state| state.question.borrow().as_ref().is_none_or(|q| q.stop.reason().is_none()))
}

#[cold]
fn look(state: &State) {
    state.until_look.set(LOOK_EVERY);
    let is_stopped = state.question.borrow().as_ref().is_some_and(|q| q.stop.reason().is_some());
    if is_stopped && !std::thread::panicking() {
        // Without a message: it is no failure.
        resume_unwind(Box::new(Stopped));
    }
}

/// Notes that a limit was hit, for those that count by themselves.
#[cold]
pub(crate) fn note(limit: Limit) {
    STATE.with(|state| {
        if let Some(question) = &*state.question.borrow() {
            question.note(limit);
        }
    });
}

#[cfg(test)]
mod tests {
    use ide_model::StopReason;

    use super::*;

    fn down(level: u32) -> u32 {
        // A frame as large as those of an unoptimised build.
        let frame = std::hint::black_box([level; 4096]);
        deeper(|| down(level + 1)).unwrap_or(frame[0])
    }

    #[test]
    fn recursion_ends_at_the_limit_with_room_on_the_stack() {
        let stop = Stop::new();
        let (deepest, limit) = question(Cx::new(&stop), || Ok(down(0)));
        assert_eq!((deepest, limit), (Ok(MAX_LEVELS), Some(Limit::Nesting)));
        let (again, limit) = question(Cx::new(&stop), || Ok(deeper(|| 1)));
        assert_eq!((again, limit), (Ok(Some(1)), None));
    }

    #[test]
    fn what_is_stopped_unwinds_to_its_question_and_no_further() {
        let stop = Stop::new();
        let (answer, _) = question(Cx::new(&stop), || {
            stop.stop(StopReason::Late);
            while spend(1) {}
            Ok(())
        });
        assert_eq!(answer, Err(QueryError::DeadlineExceeded));
        assert!(spend(2 * LOOK_EVERY), "no question is asked now");
    }

    #[test]
    fn work_is_counted_and_given_back() {
        let stop = Stop::new();
        let (left, limit) = question(Cx::new(&stop), || {
            let turns = with_work(100, || (0..1000).take_while(|_| spend(1)).count());
            Ok((turns, spend(1)))
        });
        assert_eq!((left, limit), (Ok((99, true)), Some(Limit::Work)));
    }

    #[test]
    fn other_threads_work_on_the_same_question() {
        let stop = Stop::new();
        let (answer, limit) = question(Cx::new(&stop), || {
            let question = carried();
            std::thread::scope(|scope| scope.spawn(|| question.within(|| down(0))).join().expect("no panic"));
            Ok(())
        });
        assert_eq!((answer, limit), (Ok(()), Some(Limit::Nesting)));
    }

    #[test]
    fn a_panic_stays_a_panic() {
        let stop = Stop::new();
        let asked = catch_unwind(AssertUnwindSafe(|| {
            question(Cx::new(&stop), || -> Result<(), QueryError> { std::panic::panic_any(1u8) })
        }));
        assert!(asked.is_err());
    }
}
