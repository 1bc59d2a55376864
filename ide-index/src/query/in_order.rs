//! Work by all threads whose results count in order, until there are enough of them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::guard;
use crate::parallel::divided;

/// The finished part of the work.
struct Done<T> {
    results: Vec<Option<T>>,
    /// How many of the first results are all there, and what they weigh together.
    whole: usize,
    weight: usize,
}

/// The results of the first items: as many as weigh `enough` together, or all. Which those are does not depend on threads;
/// what lies behind them may have been worked on in vain, at most one item by each of the other threads of the pool.
pub(super) fn in_order<I: Sync, T: Send>(
    items: &[I],
    enough: usize,
    work: impl Fn(&I) -> T + Sync,
    weigh: impl Fn(&T) -> usize + Sync,
) -> Vec<T> {
    let results = items.iter().map(|_| None).collect();
    let done = Mutex::new(Done { results, whole: 0, weight: 0 });
    let (next, is_enough) = (AtomicUsize::new(0), AtomicBool::new(enough == 0));
    let run = || {
        while !is_enough.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { return };
            let result = work(item);
            let mut done = locked(&done);
            done.results[number] = Some(result);
            while done.weight < enough
                && let Some(Some(result)) = done.results.get(done.whole)
            {
                done.weight = done.weight.saturating_add(weigh(result));
                done.whole += 1;
            }
            if done.weight >= enough {
                is_enough.store(true, Ordering::Relaxed);
            }
        }
    };
    let question = guard::carried();
    let divide = || {
        let helpers = rayon::current_num_threads().min(items.len()).saturating_sub(1);
        rayon::scope(|scope| {
            (0..helpers).for_each(|_| scope.spawn(|_| question.within(run)));
            question.within(run);
        });
    };
    match items.len() {
        0 => {}
        1 => run(),
        _ => divided(divide),
    }
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.results.into_iter().take(done.whole).flatten().collect()
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_results_that_are_enough() {
        let items: Vec<usize> = (0..100).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        for threads in [None, Some(&pool)] {
            let first = |enough| {
                let ask = || in_order(&items, enough, |item| *item, |item| item % 3);
                threads.map_or_else(ask, |pool| pool.install(ask))
            };
            assert_eq!(first(0), [0; 0]);
            assert_eq!(first(1), [0, 1]);
            assert_eq!(first(3), [0, 1, 2]);
            assert_eq!(first(4), [0, 1, 2, 3, 4]);
            assert_eq!(first(usize::MAX), items);
        }
        assert_eq!(in_order(&[], 1, |item: &usize| *item, |_| 1), [0; 0]);
    }

    #[test]
    fn a_panic_reaches_who_asks() {
        let asked = std::panic::catch_unwind(|| in_order(&[1, 2, 3], 9, |item| assert_ne!(*item, 2), |()| 1));
        assert!(asked.is_err());
    }
}
