//! Tables that follow from the facts beside them.

use std::sync::OnceLock;

/// A table that is kept with the facts, worked out when it is asked for the first time; the facts must not change from then
/// on. All that it holds follows from them, so any two are equal.
#[derive(Clone, Debug)]
pub(crate) struct Derived<T>(OnceLock<T>);

impl<T> Derived<T> {
    pub(crate) fn get(&self, make: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(make)
    }
}

impl<T> Default for Derived<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> PartialEq for Derived<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Derived<T> {}
