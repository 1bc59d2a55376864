//! The bounded history of tool calls.
//!
//! Nothing here returns an error, and an update of an entry that has been dropped meanwhile is dropped too.

use std::collections::{BTreeSet, VecDeque};

use crate::entry::{Entry, Status};

/// Entries kept for each project unless the settings say otherwise.
const DEFAULT_SIZE: usize = 100;

/// A change of the list, for a subscriber that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A new entry.
    Added(String),
    /// An entry got its outcome.
    Updated(String),
    /// An entry is gone: its call never ran.
    Removed(String),
    /// The entries of a project, or all, are gone.
    Cleared(Option<String>),
}

/// Conditions for the entries of a list; every one that is present must hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter<'a> {
    /// Of this project.
    pub project: Option<&'a str>,
    /// Of exactly this tool.
    pub tool: Option<&'a str>,
    /// With this status.
    pub status: Option<Status>,
    /// Of clients with this name, in any case.
    pub client: Option<&'a str>,
    /// With this text, in any case, in name, parameters, result or error.
    pub text: Option<&'a str>,
}

impl Filter<'_> {
    /// The text to look for in lower case; `None` when any will do.
    pub(crate) fn needle(&self) -> Option<String> {
        self.text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_lowercase)
    }
}

/// The last calls of each project, and of calls that reached no project.
#[derive(Clone, Debug)]
pub struct History {
    size: usize,
    /// From oldest to newest.
    entries: VecDeque<Entry>,
}

impl Default for History {
    fn default() -> History {
        History { size: DEFAULT_SIZE, entries: VecDeque::new() }
    }
}

impl History {
    /// Sets how many entries each project keeps: 10 to 10 000 (other values are clamped), or 0, which
    /// switches recording off and empties the history.
    pub fn set_size(&mut self, size: usize) {
        self.size = if size == 0 { 0 } else { size.clamp(10, 10_000) };
        let projects: BTreeSet<Option<String>> =
            self.entries.iter().map(|e| e.project_path.clone()).collect();
        for project in projects {
            self.trim(project.as_deref());
        }
    }

    /// Adds the entry of a call that is about to run. `None` when recording is off.
    pub fn add(&mut self, entry: &Entry) -> Option<Event> {
        if self.size == 0 {
            return None;
        }
        self.entries.push_back(entry.shortened());
        self.trim(entry.project_path.as_deref());
        Some(Event::Added(entry.id.clone()))
    }

    /// Puts an entry that got its outcome in the place of the pending one. `None` when that has been dropped
    /// meanwhile.
    pub fn update(&mut self, entry: &Entry) -> Option<Event> {
        let held = self.entries.iter_mut().rev().find(|held| held.id == entry.id)?;
        *held = entry.shortened();
        self.trim(entry.project_path.as_deref());
        Some(Event::Updated(entry.id.clone()))
    }

    /// Drops one entry.
    pub fn remove(&mut self, id: &str) -> Option<Event> {
        let at = self.entries.iter().rposition(|entry| entry.id == id)?;
        self.entries.remove(at).map(|entry| Event::Removed(entry.id))
    }

    /// The entries that pass a filter, newest first.
    #[must_use]
    pub fn list(&self, filter: Filter<'_>) -> Vec<&Entry> {
        let needle = filter.needle();
        self.entries
            .iter()
            .rev()
            .filter(|entry| {
                filter.project.is_none_or(|project| entry.project_path.as_deref() == Some(project))
            })
            .filter(|entry| filter.tool.is_none_or(|tool| entry.tool_name == tool))
            .filter(|entry| filter.status.is_none_or(|status| entry.status == status))
            .filter(|entry| filter.client.is_none_or(|name| entry.is_of_client(name)))
            .filter(|entry| needle.as_deref().is_none_or(|needle| entry.holds(needle)))
            .collect()
    }

    /// One entry.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    /// Drops the entries of one project, or all.
    pub fn clear(&mut self, project: Option<&str>) -> Event {
        self.entries
            .retain(|entry| project.is_some_and(|project| entry.project_path.as_deref() != Some(project)));
        Event::Cleared(project.map(str::to_owned))
    }

    fn trim(&mut self, project: Option<&str>) {
        let held = self.entries.iter().filter(|entry| entry.project_path.as_deref() == project).count();
        let mut surplus = held.saturating_sub(self.size);
        if surplus > 0 {
            self.entries.retain(|entry| {
                let goes = surplus > 0 && entry.project_path.as_deref() == project;
                surplus -= usize::from(goes);
                !goes
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::entry::{Client, NewCall, Outcome, Received};

    fn call(tool: &str, project: Option<&str>, parameters: Value) -> NewCall {
        NewCall {
            tool_name: tool.into(),
            parameters,
            project_path: project.map(str::to_owned),
            client: None,
            replay_of: None,
        }
    }

    fn added(history: &mut History, call: NewCall, id: u128) -> Entry {
        let entry = Entry::new(call, 1_000 * u64::try_from(id).unwrap(), id);
        assert_eq!(history.add(&entry), Some(Event::Added(entry.id.clone())));
        entry
    }

    fn outcome(result: Result<&str, &str>) -> Outcome {
        Outcome {
            result: result.map(str::to_owned).map_err(str::to_owned),
            structured: None,
            received: Received::Text,
            duration: std::time::Duration::from_millis(12),
            affected_files: None,
            project_path: None,
        }
    }

    #[test]
    fn a_call_is_pending_and_then_it_ended() {
        let mut history = History::default();
        let mut entry = added(&mut history, call("ide_x", None, json!({"a": 1})), 1);
        assert_eq!(history.get(&entry.id).unwrap().status, Status::Pending);
        entry.end(Outcome { project_path: Some("/p".into()), ..outcome(Ok("ok")) });
        assert_eq!(history.update(&entry), Some(Event::Updated(entry.id.clone())));
        assert_eq!(history.get(&entry.id), Some(&entry));
        assert_eq!(history.remove(&entry.id), Some(Event::Removed(entry.id.clone())));
        assert_eq!((history.update(&entry), history.remove(&entry.id)), (None, None));
    }

    #[test]
    fn each_project_keeps_its_own_last_calls() {
        let mut history = History::default();
        history.set_size(3);
        for n in 1..=25 {
            let project = Some(if n % 2 == 0 { "/a" } else { "/b" });
            added(&mut history, call(&format!("t{n}"), project, json!({})), n);
        }
        let mut lost = added(&mut history, call("lost", None, json!({})), 26);
        let names = |history: &History, project| -> Vec<String> {
            let filter = Filter { project, ..Filter::default() };
            history.list(filter).iter().map(|e| e.tool_name.clone()).collect()
        };
        assert_eq!(names(&history, Some("/a")).len(), 10, "the smallest size is 10");
        assert_eq!(names(&history, Some("/a"))[..2], ["t24", "t22"]);
        assert_eq!(names(&history, None)[..3], ["lost", "t25", "t24"]);
        lost.end(Outcome { project_path: Some("/a".into()), ..outcome(Ok("")) });
        history.update(&lost);
        assert_eq!(names(&history, Some("/a")).len(), 10);
        assert_eq!(names(&history, Some("/a"))[0], "lost");
        assert_eq!(history.clear(Some("/b")), Event::Cleared(Some("/b".into())));
        assert_eq!(history.list(Filter::default()).len(), 10);
        history.set_size(0);
        assert!(history.list(Filter::default()).is_empty());
        assert_eq!(history.add(&lost), None, "0 switches it off");
    }

    #[test]
    fn filters_hold_together() {
        let mut history = History::default();
        let client = |name: &str| Some(Client { name: name.into(), version: "1".into() });
        let of = |tool: &str, project, query: &str, name| NewCall {
            client: client(name),
            ..call(tool, Some(project), json!({"query": query}))
        };
        let mut a = added(&mut history, of("ide_find", "/p", "UserService", "codex"), 1);
        let mut b = added(&mut history, of("ide_find", "/p", "Other", "opencode"), 2);
        let c = added(&mut history, of("ide_read", "/q", "x", "codex"), 3);
        a.end(outcome(Ok("found")));
        b.end(outcome(Err("index Not ready")));
        history.update(&a);
        history.update(&b);
        let ids = |filter| -> Vec<&str> { history.list(filter).iter().map(|e| e.id.as_str()).collect() };
        let none = Filter::default();
        assert_eq!(ids(none), [&c.id, &b.id, &a.id]);
        assert_eq!(ids(Filter { tool: Some("ide_find"), ..none }), [&b.id, &a.id]);
        assert_eq!(ids(Filter { tool: Some("ide_fin"), ..none }), [""; 0]);
        assert_eq!(ids(Filter { status: Some(Status::Pending), ..none }), [&c.id]);
        assert_eq!(ids(Filter { client: Some("Codex"), ..none }), [&c.id, &a.id]);
        assert_eq!(ids(Filter { text: Some(" userservice "), ..none }), [&a.id]);
        assert_eq!(ids(Filter { text: Some("NOT READY"), ..none }), [&b.id], "error text counts");
        assert_eq!(ids(Filter { text: Some("found"), status: Some(Status::Error), ..none }), [""; 0]);
        assert_eq!(ids(Filter { project: Some("/q"), text: Some("READ"), ..none }), [&c.id]);
    }
}
