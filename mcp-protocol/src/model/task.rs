//! Tasks, as both designs tell them: "Tasks" of 2025-11-25, and the extension `io.modelcontextprotocol/tasks` of
//! 2026-07-28 (SEP-2663).

use std::time::Duration;

use serde::{Deserialize, Deserializer};

use crate::{
    envelope::{integral, members_of},
    error::RpcError,
    json::Json,
};

/// How a task stands.
///
/// Spec: 2025-11-25 basic/utilities/tasks; extension io.modelcontextprotocol/tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TaskStatus {
    /// It goes on.
    Working,
    /// It waits for its client.
    InputRequired,
    /// It has a result.
    Completed,
    /// It has an error; in 2025-11-25 also a result that tells of one.
    Failed,
    /// It was taken back.
    Cancelled,
}

impl TaskStatus {
    /// Whether it stays so.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// A request that goes on in the background.
///
/// Spec: 2025-11-25 basic/utilities/tasks; extension io.modelcontextprotocol/tasks.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Task {
    /// Its identifier.
    pub task_id: String,
    /// How it stands.
    pub status: TaskStatus,
    /// The same for people.
    #[serde(default)]
    pub status_message: Option<String>,
    /// When it was made, in ISO 8601.
    pub created_at: String,
    /// When it changed last, in ISO 8601.
    pub last_updated_at: String,
    /// How long it is kept after it was made; without end if `None`.
    #[serde(default, rename = "ttlMs", alias = "ttl", deserialize_with = "millis")]
    pub ttl: Option<Duration>,
    /// How long to wait between two looks at it.
    #[serde(default, rename = "pollIntervalMs", alias = "pollInterval", deserialize_with = "millis")]
    pub poll_interval: Option<Duration>,
    /// The task's open questions, by key (2026-07-28).
    #[serde(default)]
    pub input_requests: Option<Json>,
    /// The result of the request (2026-07-28; before, `tasks/result` has it).
    #[serde(default)]
    pub result: Option<Json>,
    /// The error of the request (2026-07-28).
    #[serde(default)]
    pub error: Option<Json>,
}

fn millis<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    Ok(Option::<u64>::deserialize(from)?.map(Duration::from_millis))
}

impl Task {
    /// Key, method and parameters of each request to the client that is open.
    #[must_use]
    pub fn open_requests(&self) -> Vec<(String, String, Json)> {
        let Some(requests) = &self.input_requests else { return Vec::new() };
        // a value that is no object asks nothing
        let all = members_of(requests.as_str()).unwrap_or_default();
        let question = |(key, raw): (std::borrow::Cow<'_, str>, &serde_json::value::RawValue)| {
            let request = Json::copy(raw);
            let method = request.get("method")?.as_text()?.into_owned();
            Some((key.into_owned(), method, request.get("params").unwrap_or_else(Json::empty_object)))
        };
        all.into_iter().filter_map(question).collect()
    }

    /// The error with which the request ended.
    #[must_use]
    pub fn rpc_error(&self) -> Option<RpcError> {
        let error = self.error.as_ref()?;
        let code = integral(error.get("code")?.as_str())?;
        let message = error.get("message")?.as_text()?.into_owned();
        Some(RpcError { data: error.get("data"), ..RpcError::new(code, message) })
    }
}
