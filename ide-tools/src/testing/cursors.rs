//! A store of cursors that forgets nothing.

use std::sync::Mutex;

use crate::{CursorHit, CursorProblem, CursorStore, Payload};

#[derive(Default)]
pub(super) struct Cursors(Mutex<Vec<(String, Payload)>>);

impl CursorStore for Cursors {
    fn keep(&self, tool: &'static str, _: &str, payload: Payload) -> String {
        let mut entries = self.0.lock().unwrap();
        entries.push((tool.to_owned(), payload));
        (entries.len() - 1).to_string()
    }

    fn token(&self, entry: &str, offset: usize, page_size: usize) -> String {
        format!("{entry}:{offset}:{page_size}")
    }

    fn find(&self, token: &str, tool: &str, _: &str) -> Result<CursorHit, CursorProblem> {
        let parts: Option<Vec<usize>> = token.split(':').map(|part| part.parse().ok()).collect();
        let parts = parts.filter(|parts| parts.len() == 3).ok_or(CursorProblem::Malformed)?;
        let entries = self.0.lock().unwrap();
        let (owner, payload) = entries.get(parts[0]).ok_or(CursorProblem::NotFound)?;
        if owner != tool {
            return Err(CursorProblem::OtherTool);
        }
        Ok(CursorHit {
            entry: parts[0].to_string(),
            offset: parts[1],
            page_size: Some(parts[2]),
            payload: payload.clone(),
        })
    }
}
