//! The two export forms of the history.

use crate::entry::Entry;
use crate::time::iso;

/// The entries as an indented JSON array.
#[must_use]
pub fn json(entries: &[&Entry]) -> String {
    serde_json::to_string_pretty(entries).expect("entries are plain data with text keys")
}

/// The entries as CSV by RFC 4180, whole results included.
#[must_use]
pub fn csv(entries: &[&Entry]) -> String {
    let mut csv = String::from("ID,Timestamp,Tool,Status,Duration(ms),Result,Error\r\n");
    for entry in entries {
        let duration = entry.duration_ms.map(|ms| ms.to_string()).unwrap_or_default();
        let fields = [
            &entry.id,
            &entry.timestamp,
            &entry.tool_name,
            entry.status.as_str(),
            &duration,
            entry.result.as_deref().unwrap_or(""),
            entry.error.as_deref().unwrap_or(""),
        ];
        csv.push_str(&fields.map(quoted).join(","));
        csv.push_str("\r\n");
    }
    csv
}

fn quoted(field: &str) -> String {
    if field.contains(['"', ',', '\r', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// The default file name of an export made at `now` (milliseconds since 1970, UTC).
#[must_use]
pub fn export_name(now: u64, extension: &str) -> String {
    let moment: String = iso(now).chars().filter(|c| c.is_ascii_digit() || *c == 'T').take(15).collect();
    format!("mcp-history-{}.{extension}", moment.replace('T', "-"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::entry::{Client, NewCall, Outcome, Received};

    /// The newest first.
    fn entries() -> Vec<Entry> {
        let entry = |(n, result): (u64, Result<&str, &str>)| {
            let call = NewCall {
                tool_name: "ide_x".into(),
                parameters: json!({"n": n}),
                project_path: Some("/p".into()),
                client: Some(Client { name: "cli".into(), version: "1".into() }),
                replay_of: None,
            };
            let mut entry = Entry::new(call, 1_700_000_000_000, n.into());
            if n < 3 {
                entry.end(Outcome {
                    result: result.map(str::to_owned).map_err(str::to_owned),
                    structured: None,
                    received: Received::Text,
                    duration: std::time::Duration::from_millis(5),
                    affected_files: None,
                    project_path: None,
                });
            }
            entry
        };
        [(3, Ok("kept pending")), (2, Err("plain")), (1, Ok("a \"b\",\nc"))].map(entry).into()
    }

    #[test]
    fn csv_follows_the_rfc() {
        let entries = entries();
        let id = |n| format!("00000000-0000-4000-8000-00000000000{n}");
        let when = "2023-11-14T22:13:20.000Z";
        assert_eq!(
            csv(&entries.iter().collect::<Vec<_>>()),
            format!(
                "ID,Timestamp,Tool,Status,Duration(ms),Result,Error\r\n\
                 {},{when},ide_x,PENDING,,,\r\n\
                 {},{when},ide_x,ERROR,5,,plain\r\n\
                 {},{when},ide_x,SUCCESS,5,\"a \"\"b\"\",\nc\",\r\n",
                id(3),
                id(2),
                id(1)
            )
        );
    }

    #[test]
    fn json_has_the_fields_of_the_contract() {
        let entries = entries();
        let entries: Vec<&Entry> = entries.iter().collect();
        let value: serde_json::Value = serde_json::from_str(&json(&entries[1..2])).unwrap();
        assert_eq!(
            value,
            json!([{
                "id": "00000000-0000-4000-8000-000000000002",
                "timestamp": "2023-11-14T22:13:20.000Z",
                "toolName": "ide_x",
                "parameters": {"n": 2},
                "status": "ERROR",
                "modelReceives": "text",
                "characters": 5,
                "tokens": 1,
                "error": "plain",
                "durationMs": 5,
                "projectPath": "/p",
                "client": {"name": "cli", "version": "1"},
            }])
        );
        assert!(json(&entries).starts_with("[\n  {\n    \"id\""));
    }

    #[test]
    fn the_file_name_says_when() {
        assert_eq!(export_name(1_700_000_000_000, "csv"), "mcp-history-20231114-221320.csv");
    }
}
