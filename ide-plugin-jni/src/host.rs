//! The IDE as the core asks it.

use std::fmt;

/// The object on the JVM side that answers.
pub(crate) trait Host: Send + Sync {
    /// Runs work that makes calls on this thread, which is one of ours.
    fn attached(&self, name: &str, work: &mut dyn FnMut());

    /// Makes a call and waits for its answer.
    ///
    /// # Errors
    /// The exception that was thrown.
    fn call(&self, id: i64, op: &str, arguments: &[u8]) -> Result<Vec<u8>, HostError>;

    /// Asks a call to end, whether it has begun or not.
    fn cancel(&self, id: i64);
}

/// Why the IDE did not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostError {
    /// A word of `HOST.md`, e.g. `no_symbol`.
    pub(crate) code: String,
    pub(crate) message: String,
}

impl HostError {
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into() }
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new("internal", message)
    }
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.message.is_empty() { f.write_str(&self.code) } else { f.write_str(&self.message) }
    }
}
