//! The bounded history of tool calls (section 7.7).
//!
//! A failure here can neither fail nor delay a call: nothing returns an error, and an update of an
//! entry that has been dropped meanwhile is dropped too.

use std::collections::{BTreeSet, VecDeque};

use serde::Serialize;
use serde_json::Value;

use crate::mask::{mask_text, mask_value};
use crate::time::iso;

/// Entries kept for each project unless the settings say otherwise.
const DEFAULT_SIZE: usize = 100;

/// Characters of a result that are kept.
const RESULT_CHARS: usize = 4_096;

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    /// It runs.
    Pending,
    /// It gave a result.
    Success,
    /// It gave an error.
    Error,
}

/// The program that called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Client {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// One call, as shown and exported. Fields without a value are left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// UUID.
    pub id: String,
    /// ISO 8601, UTC.
    pub timestamp: String,
    /// The tool.
    pub tool_name: String,
    /// Its arguments, secrets masked.
    pub parameters: Value,
    /// How it ended.
    pub status: Status,
    /// Up to 4 096 characters of the result, secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The error text, secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The files it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affected_files: Option<Vec<String>>,
    /// The root of its project; absent while none is resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_path: Option<String>,
    /// Who called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<Client>,
    /// The entry that this call repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay_of: Option<String>,
    /// `result` was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub result_truncated: bool,
}

/// What is known before a call runs.
#[derive(Clone, Debug)]
pub struct NewCall {
    /// The tool.
    pub tool_name: String,
    /// Its arguments as sent.
    pub parameters: Value,
    /// The root of its project, if that is known already.
    pub project_path: Option<String>,
    /// Who calls.
    pub client: Option<Client>,
    /// The entry that this call repeats.
    pub replay_of: Option<String>,
}

/// What is known after it ran.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The result text, or the error text.
    pub result: Result<String, String>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// The files it changed.
    pub affected_files: Option<Vec<String>>,
    /// The project it resolved to, if it did.
    pub project_path: Option<String>,
}

/// What changed, for whoever shows the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A new entry.
    Added(String),
    /// An entry got its outcome.
    Updated(String),
    /// The entries of a project, or all, are gone.
    Cleared(Option<String>),
}

/// Which entries to list; every condition that is present must hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter<'a> {
    /// Of this project.
    pub project: Option<&'a str>,
    /// Of exactly this tool.
    pub tool: Option<&'a str>,
    /// With this status.
    pub status: Option<Status>,
    /// With this text, in any case, in name, parameters, result or error.
    pub text: Option<&'a str>,
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

    /// Records a call that is about to run. `now` is in milliseconds since 1970, `id` is fresh
    /// randomness. `None` when recording is off.
    pub fn record(&mut self, call: NewCall, now: u64, id: u128) -> Option<Event> {
        if self.size == 0 {
            return None;
        }
        let NewCall { tool_name, mut parameters, project_path, client, replay_of } = call;
        mask_value(&mut parameters);
        let id = uuid(id);
        self.entries.push_back(Entry {
            id: id.clone(),
            timestamp: iso(now),
            tool_name,
            parameters,
            status: Status::Pending,
            result: None,
            error: None,
            duration_ms: None,
            affected_files: None,
            project_path: project_path.clone(),
            client,
            replay_of,
            result_truncated: false,
        });
        self.trim(project_path.as_deref());
        Some(Event::Added(id))
    }

    /// Adds the outcome of a call. `None` when its entry has been dropped meanwhile.
    pub fn update(&mut self, id: &str, outcome: Outcome) -> Option<Event> {
        let entry = self.entries.iter_mut().rev().find(|entry| entry.id == id)?;
        match outcome.result {
            Ok(text) => {
                let text = mask_text(&text).unwrap_or(text);
                let cut = text.char_indices().nth(RESULT_CHARS).map(|(at, _)| at);
                entry.status = Status::Success;
                entry.result_truncated = cut.is_some();
                entry.result = Some(text[..cut.unwrap_or(text.len())].to_owned());
            }
            Err(text) => {
                entry.status = Status::Error;
                entry.error = Some(mask_text(&text).unwrap_or(text));
            }
        }
        entry.duration_ms = Some(outcome.duration_ms);
        entry.affected_files = outcome.affected_files;
        if outcome.project_path.is_some() {
            entry.project_path = outcome.project_path;
        }
        let project = entry.project_path.clone();
        self.trim(project.as_deref());
        Some(Event::Updated(id.to_owned()))
    }

    /// The entries that pass a filter, newest first.
    #[must_use]
    pub fn list(&self, filter: Filter<'_>) -> Vec<&Entry> {
        let needle = filter.text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_lowercase);
        let holds = |text: &str, needle: &str| text.to_lowercase().contains(needle);
        self.entries
            .iter()
            .rev()
            .filter(|entry| {
                filter.project.is_none_or(|project| entry.project_path.as_deref() == Some(project))
            })
            .filter(|entry| filter.tool.is_none_or(|tool| entry.tool_name == tool))
            .filter(|entry| filter.status.is_none_or(|status| entry.status == status))
            .filter(|entry| {
                needle.as_deref().is_none_or(|needle| {
                    holds(&entry.tool_name, needle)
                        || holds(&entry.parameters.to_string(), needle)
                        || [&entry.result, &entry.error].into_iter().flatten().any(|text| holds(text, needle))
                })
            })
            .collect()
    }

    /// One entry.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    /// The tools that occur, distinct and sorted.
    #[must_use]
    pub fn tool_names(&self, project: Option<&str>) -> Vec<&str> {
        let of_project = self.list(Filter { project, ..Filter::default() });
        let names: BTreeSet<&str> = of_project.into_iter().map(|entry| entry.tool_name.as_str()).collect();
        names.into_iter().collect()
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

/// Randomness as a UUID of version 4.
fn uuid(random: u128) -> String {
    let bits = random & !(0xf << 76) & !(0x3 << 62) | (0x4 << 76) | (0x2 << 62);
    let hex = format!("{bits:032x}");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(tool: &str, project: Option<&str>, parameters: Value) -> NewCall {
        NewCall {
            tool_name: tool.into(),
            parameters,
            project_path: project.map(str::to_owned),
            client: None,
            replay_of: None,
        }
    }

    fn recorded(history: &mut History, call: NewCall, id: u128) -> String {
        match history.record(call, 1_000 * u64::try_from(id).unwrap(), id) {
            Some(Event::Added(id)) => id,
            other => panic!("{other:?}"),
        }
    }

    fn outcome(result: Result<&str, &str>) -> Outcome {
        Outcome {
            result: result.map(str::to_owned).map_err(str::to_owned),
            duration_ms: 12,
            affected_files: None,
            project_path: None,
        }
    }

    #[test]
    fn a_call_is_pending_and_then_it_ended() {
        let mut history = History::default();
        let id = recorded(&mut history, call("ide_x", None, json!({"a": 1, "password": "p"})), 1);
        assert_eq!(id, "00000000-0000-4000-8000-000000000001");
        let entry = history.get(&id).unwrap();
        assert_eq!((entry.status, entry.timestamp.as_str()), (Status::Pending, "1970-01-01T00:00:01.000Z"));
        assert_eq!(entry.parameters, json!({"a": 1, "password": "***"}));
        let done = Outcome {
            project_path: Some("/p".into()),
            affected_files: Some(vec!["f".into()]),
            ..outcome(Ok("ok"))
        };
        assert_eq!(history.update(&id, done), Some(Event::Updated(id.clone())));
        let entry = history.get(&id).unwrap();
        assert_eq!(
            (entry.status, entry.result.as_deref(), entry.duration_ms, entry.project_path.as_deref()),
            (Status::Success, Some("ok"), Some(12), Some("/p"))
        );
        assert_eq!(
            history.update(&id, outcome(Err("sk-abcdefghijklmnopqrst"))),
            Some(Event::Updated(id.clone()))
        );
        assert_eq!(history.get(&id).unwrap().error.as_deref(), Some("***"));
        assert_eq!(history.update("unknown", outcome(Ok(""))), None);
    }

    #[test]
    fn results_are_cut_by_characters_after_masking() {
        let mut history = History::default();
        let mut result_of = |text: &str, id| {
            let id = recorded(&mut history, call("t", None, json!({})), id);
            history.update(&id, outcome(Ok(text)));
            let entry = history.get(&id).unwrap();
            (entry.result.clone().unwrap(), entry.result_truncated)
        };
        let exact = "ü".repeat(RESULT_CHARS);
        assert_eq!(result_of(&exact, 1), (exact.clone(), false));
        assert_eq!(result_of(&format!("{exact}x"), 2), (exact, true));
        let (text, cut) =
            result_of(&format!("{} ghp_0123456789abcdefghijABCDEFGHIJ", "x".repeat(RESULT_CHARS - 10)), 3);
        assert!(!cut && text.ends_with("x ***"), "no half of a secret stays");
    }

    #[test]
    fn each_project_keeps_its_own_last_calls() {
        let mut history = History::default();
        history.set_size(3);
        for n in 1..=25 {
            recorded(
                &mut history,
                call(&format!("t{n}"), Some(if n % 2 == 0 { "/a" } else { "/b" }), json!({})),
                n,
            );
        }
        let first = recorded(&mut history, call("lost", None, json!({})), 26);
        let names = |history: &History, project| -> Vec<String> {
            history
                .list(Filter { project, ..Filter::default() })
                .iter()
                .map(|e| e.tool_name.clone())
                .collect()
        };
        assert_eq!(names(&history, Some("/a")).len(), 10, "the smallest size is 10");
        assert_eq!(names(&history, Some("/a"))[..2], ["t24", "t22"]);
        assert_eq!(names(&history, None)[..3], ["lost", "t25", "t24"]);
        let moved = Outcome { project_path: Some("/a".into()), ..outcome(Ok("")) };
        history.update(&first, moved);
        assert_eq!(names(&history, Some("/a")).len(), 10);
        assert_eq!(names(&history, Some("/a"))[0], "lost");
        assert_eq!(history.clear(Some("/b")), Event::Cleared(Some("/b".into())));
        assert_eq!(history.list(Filter::default()).len(), 10);
        history.set_size(0);
        assert!(history.list(Filter::default()).is_empty());
        assert_eq!(history.record(call("t", None, json!({})), 0, 1), None, "0 switches it off");
    }

    #[test]
    fn filters_hold_together() {
        let mut history = History::default();
        let a = recorded(&mut history, call("ide_find", Some("/p"), json!({"query": "UserService"})), 1);
        let b = recorded(&mut history, call("ide_find", Some("/p"), json!({"query": "Other"})), 2);
        let c = recorded(&mut history, call("ide_read", Some("/q"), json!({"file": "x"})), 3);
        history.update(&a, outcome(Ok("found")));
        history.update(&b, outcome(Err("index Not ready")));
        let ids = |filter| -> Vec<&str> { history.list(filter).iter().map(|e| e.id.as_str()).collect() };
        let none = Filter::default();
        assert_eq!(ids(none), [&c, &b, &a]);
        assert_eq!(ids(Filter { tool: Some("ide_find"), ..none }), [&b, &a]);
        assert_eq!(ids(Filter { tool: Some("ide_fin"), ..none }), [""; 0]);
        assert_eq!(ids(Filter { status: Some(Status::Pending), ..none }), [&c]);
        assert_eq!(ids(Filter { text: Some(" userservice "), ..none }), [&a]);
        assert_eq!(ids(Filter { text: Some("NOT READY"), ..none }), [&b], "error text counts");
        assert_eq!(ids(Filter { text: Some("found"), status: Some(Status::Error), ..none }), [""; 0]);
        assert_eq!(ids(Filter { project: Some("/q"), text: Some("READ"), ..none }), [&c]);
        assert_eq!(history.tool_names(None), ["ide_find", "ide_read"]);
        assert_eq!(history.tool_names(Some("/p")), ["ide_find"]);
    }
}
