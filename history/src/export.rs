//! The two export forms of the history (7.7).

use crate::history::{Entry, Status};
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
        let status = match entry.status {
            Status::Pending => "PENDING",
            Status::Success => "SUCCESS",
            Status::Error => "ERROR",
        };
        let duration = entry.duration_ms.map(|ms| ms.to_string()).unwrap_or_default();
        let fields = [
            &entry.id,
            &entry.timestamp,
            &entry.tool_name,
            status,
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
    use crate::history::{Client, Filter, History, NewCall, Outcome};

    fn history() -> History {
        let mut history = History::default();
        for (n, result) in [(1, Ok("a \"b\",\nc")), (2, Err("plain")), (3, Ok("kept pending"))] {
            let call = NewCall {
                tool_name: "ide_x".into(),
                parameters: json!({"n": n}),
                project_path: Some("/p".into()),
                client: Some(Client { name: "cli".into(), version: "1".into() }),
                replay_of: None,
            };
            history.record(call, 1_700_000_000_000, n);
            let id = history.list(Filter::default())[0].id.clone();
            if n < 3 {
                history.update(
                    &id,
                    Outcome {
                        result: result.map(str::to_owned).map_err(str::to_owned),
                        duration_ms: 5,
                        affected_files: None,
                        project_path: None,
                    },
                );
            }
        }
        history
    }

    #[test]
    fn csv_follows_the_rfc() {
        let history = history();
        let id = |n| format!("00000000-0000-4000-8000-00000000000{n}");
        let when = "2023-11-14T22:13:20.000Z";
        assert_eq!(
            csv(&history.list(Filter::default())),
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
        let history = history();
        let entries = history.list(Filter::default());
        let value: serde_json::Value = serde_json::from_str(&json(&entries[1..2])).unwrap();
        assert_eq!(
            value,
            json!([{
                "id": "00000000-0000-4000-8000-000000000002",
                "timestamp": "2023-11-14T22:13:20.000Z",
                "toolName": "ide_x",
                "parameters": {"n": 2},
                "status": "ERROR",
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
