//! One call of the history: what is known before it runs, what is known after, secrets masked.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::mask::{mask_text, mask_value};
use crate::time::iso;
use crate::tokens::estimated_tokens;

/// Characters of a result that are held in memory.
const HELD_CHARS: usize = 4_096;

/// Characters of a result that an entry can have at all.
const RESULT_CHARS: usize = 65_536;

/// Characters of an error that are kept.
const ERROR_CHARS: usize = 4_096;

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
#[non_exhaustive]
pub enum Status {
    /// It runs.
    Pending,
    /// It gave a result.
    Success,
    /// It gave an error.
    Error,
}

impl Status {
    /// Every status.
    pub const ALL: [Status; 3] = [Status::Pending, Status::Success, Status::Error];

    /// The word that exports and tools use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Pending => "PENDING",
            Status::Success => "SUCCESS",
            Status::Error => "ERROR",
        }
    }
}

/// The parts of a result that the client gives to its model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Received {
    /// The text.
    #[default]
    Text,
    /// The structured content.
    Structured,
}

impl Received {
    /// Both.
    pub const ALL: [Received; 2] = [Received::Text, Received::Structured];

    /// The word in exports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Received::Text => "text",
            Received::Structured => "structured",
        }
    }
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
    /// The text of the result as the client got it, secrets masked, cut where it is very long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The structured content that was sent beside the text, in the same way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured: Option<String>,
    /// The part of a result that the client gives to its model: the text, the structured content, or both.
    pub model_receives: Received,
    /// Characters of what the model receives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub characters: Option<u64>,
    /// Tokens of what the model receives, estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
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
    /// The client that called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<Client>,
    /// The entry that this call repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay_of: Option<String>,
    /// `result` or `structured` was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub result_truncated: bool,
}

/// The facts about a call that are known before it runs.
#[derive(Clone, Debug)]
pub struct NewCall {
    /// The tool.
    pub tool_name: String,
    /// Its arguments as sent.
    pub parameters: Value,
    /// The root of its project, if that is known already.
    pub project_path: Option<String>,
    /// The client that calls.
    pub client: Option<Client>,
    /// The entry that this call repeats.
    pub replay_of: Option<String>,
}

/// The facts about a call that are known after it ran.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The result text, or the error text.
    pub result: Result<String, String>,
    /// The structured content beside the text.
    pub structured: Option<String>,
    /// The part of a result that the client gives to its model: the text, the structured content, or both.
    pub received: Received,
    /// How long it took.
    pub duration: Duration,
    /// The files it changed.
    pub affected_files: Option<Vec<String>>,
    /// The project it resolved to, if it did.
    pub project_path: Option<String>,
}

impl Entry {
    /// The entry of a call that is about to run. `now` is in milliseconds since 1970, `id` is fresh randomness.
    #[must_use]
    pub fn new(call: NewCall, now: u64, id: u128) -> Entry {
        let NewCall { tool_name, mut parameters, project_path, client, replay_of } = call;
        mask_value(&mut parameters);
        shorten_strings(&mut parameters);
        Entry {
            id: uuid(id),
            timestamp: iso(now),
            tool_name,
            parameters,
            status: Status::Pending,
            result: None,
            structured: None,
            model_receives: Received::Text,
            characters: None,
            tokens: None,
            error: None,
            duration_ms: None,
            affected_files: None,
            project_path,
            client,
            replay_of,
            result_truncated: false,
        }
    }

    /// Adds the outcome.
    pub fn end(&mut self, outcome: Outcome) {
        let Outcome { result, structured, received, duration, affected_files, project_path } = outcome;
        let text = result.as_ref().unwrap_or_else(|error| error);
        let seen = match (received, &structured) {
            (Received::Structured, Some(structured)) => structured,
            _ => text,
        };
        self.characters = Some(seen.chars().count() as u64);
        self.tokens = Some(estimated_tokens(seen));
        self.model_receives = if structured.is_some() { received } else { Received::Text };
        let masked = |text: String| mask_text(&text).unwrap_or(text);
        self.status = if result.is_ok() { Status::Success } else { Status::Error };
        if let Some(structured) = structured {
            self.structured = Some(self.kept(masked(structured), RESULT_CHARS));
        }
        match result {
            Ok(text) => self.result = Some(self.kept(masked(text), RESULT_CHARS)),
            Err(text) => self.error = Some(self.kept(masked(text), ERROR_CHARS)),
        }
        self.duration_ms = u64::try_from(duration.as_millis()).ok();
        self.affected_files = affected_files;
        if project_path.is_some() {
            self.project_path = project_path;
        }
    }

    /// The part of the result that the client gave to its model, as far as it is kept.
    #[must_use]
    pub fn received(&self) -> Option<&str> {
        let text = self.result.as_deref().or(self.error.as_deref());
        match self.model_receives {
            Received::Structured => self.structured.as_deref().or(text),
            Received::Text => text,
        }
    }

    /// The entry as it is held in memory.
    pub(crate) fn shortened(&self) -> Entry {
        let mut short = self.clone();
        let (result, structured) = (short.result.take(), short.structured.take());
        short.result = result.map(|text| short.kept(text, HELD_CHARS));
        short.structured = structured.map(|text| short.kept(text, HELD_CHARS));
        short
    }

    /// Whether `needle`, in lower case, stands in name, parameters, result or error.
    pub(crate) fn holds(&self, needle: &str) -> bool {
        let texts =
            [Some(&self.tool_name), self.result.as_ref(), self.structured.as_ref(), self.error.as_ref()];
        let is_in = |text: &str| text.to_lowercase().contains(needle);
        texts.into_iter().flatten().any(|text| is_in(text)) || is_in(&self.parameters.to_string())
    }

    pub(crate) fn is_of_client(&self, name: &str) -> bool {
        self.client.as_ref().is_some_and(|client| client.name.to_lowercase() == name.to_lowercase())
    }

    fn kept(&mut self, mut text: String, most: usize) -> String {
        if let Some((cut, _)) = text.char_indices().nth(most) {
            text.truncate(cut);
            self.result_truncated = true;
        }
        text
    }
}

/// Cuts very long texts among the parameters, such as whole files to be written.
fn shorten_strings(value: &mut Value) {
    match value {
        Value::Object(map) => map.values_mut().for_each(shorten_strings),
        Value::Array(list) => list.iter_mut().for_each(shorten_strings),
        Value::String(text) => {
            if let Some((cut, _)) = text.char_indices().nth(RESULT_CHARS) {
                text.truncate(cut);
                text.push('…');
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
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

    fn entry(parameters: Value) -> Entry {
        let call = NewCall {
            tool_name: "ide_x".into(),
            parameters,
            project_path: None,
            client: None,
            replay_of: None,
        };
        Entry::new(call, 1_000, 1)
    }

    fn outcome(result: Result<&str, &str>) -> Outcome {
        Outcome {
            result: result.map(str::to_owned).map_err(str::to_owned),
            structured: None,
            received: Received::Structured,
            duration: Duration::from_millis(12),
            affected_files: Some(vec!["f".into()]),
            project_path: Some("/p".into()),
        }
    }

    #[test]
    fn secrets_are_masked_and_the_rest_is_told() {
        let mut entry = entry(json!({"a": 1, "password": "p"}));
        assert_eq!(entry.id, "00000000-0000-4000-8000-000000000001");
        assert_eq!((entry.status, entry.timestamp.as_str()), (Status::Pending, "1970-01-01T00:00:01.000Z"));
        assert_eq!(entry.parameters, json!({"a": 1, "password": "***"}));
        entry.end(outcome(Err("sk-abcdefghijklmnopqrst")));
        assert_eq!((entry.status, entry.error.as_deref()), (Status::Error, Some("***")));
        assert_eq!((entry.duration_ms, entry.project_path.as_deref()), (Some(12), Some("/p")));
        assert_eq!(entry.affected_files, Some(vec!["f".to_owned()]));
    }

    #[test]
    fn the_size_is_that_of_what_the_model_receives() {
        let mut text = entry(json!({}));
        text.end(outcome(Ok("ok ü")));
        assert_eq!(
            (text.model_receives, text.characters, text.received()),
            (Received::Text, Some(4), Some("ok ü"))
        );
        let mut both = entry(json!({}));
        both.end(Outcome { structured: Some("{\"a\":1}".into()), ..outcome(Ok("ok")) });
        assert_eq!((both.model_receives, both.characters), (Received::Structured, Some(7)));
        assert_eq!((both.received(), both.result.as_deref()), (Some("{\"a\":1}"), Some("ok")));
    }

    #[test]
    fn results_are_cut_by_characters_after_masking() {
        let result_of = |text: &str| {
            let mut entry = entry(json!({}));
            entry.end(outcome(Ok(text)));
            (entry.result.unwrap(), entry.result_truncated)
        };
        let exact = "ü".repeat(RESULT_CHARS);
        assert_eq!(result_of(&exact), (exact.clone(), false));
        assert_eq!(result_of(&format!("{exact}x")), (exact, true));
        let (text, cut) =
            result_of(&format!("{} ghp_0123456789abcdefghijABCDEFGHIJ", "x".repeat(RESULT_CHARS - 10)));
        assert!(!cut && text.ends_with("x ***"), "no half of a secret stays");
    }

    #[test]
    fn memory_holds_the_beginning() {
        let mut entry = entry(json!({"text": "y".repeat(RESULT_CHARS + 9)}));
        assert_eq!(entry.parameters["text"].as_str().unwrap().chars().count(), RESULT_CHARS + 1);
        entry.end(outcome(Ok(&"x".repeat(HELD_CHARS + 1))));
        let short = entry.shortened();
        assert!(short.result_truncated && !entry.result_truncated);
        assert_eq!(short.result.unwrap().len(), HELD_CHARS);
        assert_eq!(short.characters, entry.characters);
    }
}
