//! Kept result sets of one client, in the store that all clients share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use history::{Binding, CursorError, EntryId, Slots};
use ide_tools::{CursorHit, CursorProblem, CursorStore, Payload};

/// The store behind all clients.
pub(crate) struct Cursors {
    slots: Mutex<Slots<Payload>>,
    started: Instant,
}

impl Cursors {
    pub(crate) fn new() -> Self {
        Self { slots: Mutex::default(), started: Instant::now() }
    }

    fn slots(&self) -> MutexGuard<'_, Slots<Payload>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    pub(crate) fn close_project(&self, root: &str) {
        self.slots().close_project(root);
    }
}

/// The cursors of one client.
pub(crate) struct ClientCursors {
    pub(crate) cursors: Arc<Cursors>,
    pub(crate) client: String,
}

impl CursorStore for ClientCursors {
    fn keep(&self, tool: &'static str, project: &str, payload: Payload) -> String {
        let mut id = [0; 16];
        getrandom::fill(&mut id).expect("the operating system has random numbers");
        let binding = Binding { client: &self.client, tool, project };
        let now = self.cursors.now();
        let mut slots = self.cursors.slots();
        slots.sweep(now);
        slots.keep(binding, payload, now, u128::from_le_bytes(id)).to_string()
    }

    fn token(&self, entry: &str, offset: usize, page_size: usize) -> String {
        entry.parse::<EntryId>().expect("entries are named by `keep`").token(offset, page_size)
    }

    fn find(&self, token: &str, tool: &str, project: &str) -> Result<CursorHit, CursorProblem> {
        let binding = Binding { client: &self.client, tool, project };
        let now = self.cursors.now();
        let mut slots = self.cursors.slots();
        let hit = slots.find(binding, token, now).map_err(|error| match error {
            CursorError::Malformed => CursorProblem::Malformed,
            CursorError::Expired => CursorProblem::Expired,
            CursorError::NotFound => CursorProblem::NotFound,
            CursorError::OtherProject => CursorProblem::OtherProject,
            CursorError::OtherTool => CursorProblem::OtherTool,
        })?;
        Ok(CursorHit {
            entry: hit.entry.to_string(),
            offset: hit.offset,
            page_size: hit.page_size,
            payload: hit.payload.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_by_its_client_only() {
        let cursors = Arc::new(Cursors::new());
        let client = |name: &str| ClientCursors { cursors: cursors.clone(), client: name.to_owned() };
        let a = client("a");
        let entry = a.keep("tool", "/p", Arc::new(7_u32));
        let token = a.token(&entry, 20, 10);
        let hit = a.find(&token, "tool", "/p").map_err(|problem| format!("{problem:?}")).unwrap();
        assert_eq!((hit.offset, hit.page_size), (20, Some(10)));
        assert_eq!(*hit.payload.downcast::<u32>().unwrap(), 7);
        let problem = |client: &ClientCursors, token: &str, tool| client.find(token, tool, "/p").err();
        assert_eq!(problem(&client("b"), &token, "tool"), Some(CursorProblem::NotFound));
        assert_eq!(problem(&a, &token, "other"), Some(CursorProblem::OtherTool));
        assert_eq!(problem(&a, "junk", "tool"), Some(CursorProblem::Malformed));
        cursors.close_project("/p");
        assert_eq!(problem(&a, &token, "tool"), Some(CursorProblem::NotFound));
    }
}
