//! Which part of an answer a client gives to its model, and how long an answer may be: one row a client.
//!
//! A result can have a text and structured content. Clients that show their model only one of the two get only the text,
//! which is the shorter one; a client that nobody has looked at gets both.

use history::Received;
use ide_tools::Reply;
use mcp_protocol::Json;
use mcp_protocol::model::{CallToolResult, Content};
use serde_json::{Map, Value};

use crate::config::{Config, ResponseFormat};

/// The facts about a client.
pub(crate) struct Reader {
    /// The beginning of the name that it gives, in lower case; what the settings call it too.
    pub(crate) name: &'static str,
    /// Whether it is sent structured content.
    structured: bool,
    /// The part of a result that its model receives when a result has both.
    receives: Received,
    /// Whether it heeds `anthropic/maxResultSizeChars`.
    pub(crate) heeds_result_size: bool,
}

const fn reader(name: &'static str, receives: Received) -> Reader {
    Reader { name, structured: false, receives, heeds_result_size: false }
}

/// Clients whose way is known, by what they were seen to send to their model or by their source.
const READERS: [Reader; 7] = [
    reader("codex", Received::Structured),
    Reader { heeds_result_size: true, ..reader("claude-code", Received::Structured) },
    reader("visual studio code", Received::Structured),
    reader("vscode", Received::Structured),
    reader("opencode", Received::Text),
    reader("qwen", Received::Text),
    reader("gemini-cli", Received::Text),
];

/// Every other client.
static GENERIC: Reader =
    Reader { name: "", structured: true, receives: Received::Structured, heeds_result_size: false };

/// The row of a client of that name.
pub(crate) fn reader_of(client: &str) -> &'static Reader {
    let client = client.to_lowercase();
    READERS.iter().find(|reader| client.starts_with(reader.name)).unwrap_or(&GENERIC)
}

/// How an answer is written for one call.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    format: ResponseFormat,
    structured: bool,
    is_known: bool,
    receives: Received,
    /// Structured content must be what the published schema says.
    has_schema: bool,
    /// Characters of the answer.
    pub(crate) budget: usize,
}

impl Form {
    /// For a client of that name; `can_structure` when its revision has structured content. `asked` is the length that
    /// the call itself asks for.
    pub(crate) fn new(config: &Config, client: &str, can_structure: bool, asked: Option<usize>) -> Self {
        let reader = reader_of(client);
        let own = config
            .clients
            .iter()
            .find(|(name, _)| client.to_lowercase().starts_with(&name.to_lowercase()) && !name.is_empty());
        let own = own.map(|(_, own)| own.clone()).unwrap_or_default();
        let format = config.response_format;
        let wanted = own.structured_content.unwrap_or(reader.structured) || config.output_schemas;
        let budget = asked.or(own.max_response_chars).unwrap_or(config.max_response_chars);
        Self {
            format,
            structured: can_structure && format != ResponseFormat::Text && wanted,
            is_known: !reader.name.is_empty() || own.structured_content.is_some(),
            receives: reader.receives,
            has_schema: config.output_schemas,
            budget: budget.clamp(SHORTEST, LONGEST),
        }
    }

    /// The length of a result as JSON that makes an answer of the budget: as text it is at most half as long.
    pub(crate) fn json_budget(self, tool: &str) -> usize {
        let as_text = !self.structured && self.format != ResponseFormat::Json && self.is_known;
        if as_text && tool != WHOLE { self.budget * 2 } else { self.budget }
    }

    /// The result as the client gets it, and which part of it the model gets.
    pub(crate) fn result(self, reply: Reply) -> (CallToolResult, Received) {
        let lean = |json: &str| if self.has_schema { None } else { lean(json) };
        let json = lean(&reply.json).unwrap_or_else(|| reply.json.clone());
        let short = match self.format {
            ResponseFormat::Json => None,
            ResponseFormat::Auto if !self.structured && !self.is_known => None,
            _ => reply.text.map(|text| with_head(&reply.json, text)),
        };
        let mut result = CallToolResult::default();
        result.is_error = reply.is_error;
        if self.structured {
            result.structured_content = Some(Json::parse(&json).expect("the catalogue writes JSON"));
        }
        result.content = vec![Content::text(short.unwrap_or(json))];
        (result, if self.structured { self.receives } else { Received::Text })
    }
}

/// The answer is a file: as long as text as it is as JSON.
const WHOLE: &str = "ide_read_file";

/// Limits of the length of an answer.
const SHORTEST: usize = 2_000;
const LONGEST: usize = 1_000_000;

/// The text with the cursor of the next page in front too, because some clients cut the end or the middle.
fn with_head(json: &str, text: String) -> String {
    if !json.contains("\"nextCursor\"") {
        return text;
    }
    let Ok(result) = serde_json::from_str::<Value>(json) else { return text };
    let number = |key: &str| result[key].as_u64().unwrap_or(0);
    let Some(cursor) = result["nextCursor"].as_str() else { return text };
    if result.get("totalCount").is_none() {
        // Trees come in pages of nodes, and how many there are is not known.
        return format!("more follows, next: cursor={cursor}\n{text}");
    }
    if result.get("pageSize").is_none() {
        return format!("more of {} follows, next: cursor={cursor}\n{text}", number("totalCount"));
    }
    let at_least = if result["totalIsExact"] == false { "at least " } else { "" };
    let (from, total) = (number("offset"), number("totalCount"));
    let to = from + number("pageSize");
    format!("{}-{to} of {at_least}{total}, next: cursor={cursor}\n{text}", from + 1)
}

/// A result object without empty fields and without what it says twice: numbers and words first, lists and objects then,
/// and how to go on last.
fn lean(json: &str) -> Option<String> {
    let Value::Object(mut fields) = serde_json::from_str(json).ok()? else { return None };
    if fields.get("totalCollected") == fields.get("totalCount") {
        fields.shift_remove("totalCollected");
    }
    let last = ["hasMore", "nextCursor"];
    let mut ends = Map::new();
    let (mut lists, mut lean) = (Map::new(), Map::new());
    for (name, mut value) in fields {
        if value.is_null() {
            continue;
        }
        let place = if last.contains(&name.as_str()) {
            &mut ends
        } else if value.is_object() || value.is_array() {
            value = without_empty(value);
            &mut lists
        } else {
            &mut lean
        };
        place.insert(name, value);
    }
    lean.extend(lists.into_iter().chain(ends));
    serde_json::to_string(&lean).ok()
}

/// The value without members of objects that say nothing.
fn without_empty(value: Value) -> Value {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    };
    match value {
        Value::Array(list) => list.into_iter().map(without_empty).collect(),
        Value::Object(map) => {
            let kept = map.into_iter().map(|(name, value)| (name, without_empty(value)));
            Value::Object(kept.filter(|(_, value)| !is_empty(value)).collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::config::ClientSettings;

    fn shown(config: &Config, client: &str, can_structure: bool) -> (String, Option<String>, Received) {
        let reply = Reply { json: r#"{"a":1}"#.to_owned(), text: Some("a is 1".to_owned()), is_error: false };
        let (result, received) = Form::new(config, client, can_structure, None).result(reply);
        let text = result.content[0].as_text().unwrap().to_owned();
        (text, result.structured_content.map(|json| json.as_str().to_owned()), received)
    }

    #[test]
    fn results_fit_the_client_the_revision_and_the_settings() {
        let (json, text) = (r#"{"a":1}"#.to_owned(), "a is 1".to_owned());
        let config = |format| Config { response_format: format, ..Config::default() };
        let auto = config(ResponseFormat::Auto);
        let both = (text.clone(), Some(json.clone()), Received::Structured);
        let only = |text: &str| (text.to_owned(), None, Received::Text);
        assert_eq!(shown(&auto, "some client", true), both);
        assert_eq!(shown(&auto, "some client", false), only(&json));
        for known in
            ["codex-mcp-client", "claude-code", "Visual Studio Code - Insiders", "opencode", "qwen-cli"]
        {
            assert_eq!(shown(&auto, known, true), only(&text), "{known}");
            assert_eq!(shown(&auto, known, false), only(&text), "{known}");
        }
        let as_json = config(ResponseFormat::Json);
        assert_eq!(shown(&as_json, "x", true), (json.clone(), Some(json.clone()), Received::Structured));
        assert_eq!(shown(&as_json, "codex", true), only(&json));
        assert_eq!(shown(&config(ResponseFormat::Text), "x", true), only(&text));
        let schemas = Config { output_schemas: true, ..Config::default() };
        assert_eq!(shown(&schemas, "codex", true), both, "what has a schema must be there");
    }

    #[test]
    fn a_client_may_have_settings_of_its_own() {
        let own = ClientSettings { structured_content: Some(true), max_response_chars: Some(5_000) };
        let config = Config { clients: BTreeMap::from([("Codex".to_owned(), own)]), ..Config::default() };
        assert!(shown(&config, "codex-mcp-client", true).1.is_some());
        let budget = |client, asked| Form::new(&config, client, true, asked).budget;
        assert_eq!(budget("codex-mcp-client", None), 5_000);
        assert_eq!(budget("other", None), 10_000);
        assert_eq!(budget("codex-mcp-client", Some(30_000)), 30_000);
        assert_eq!(budget("other", Some(1)), SHORTEST);
    }

    #[test]
    fn structured_content_says_nothing_twice_and_begins_with_the_counts() {
        let full = json!({
            "usages": [{"file": "a", "astPath": [], "doubt": null, "text": "", "line": 0}], "symbol": {"name": "x"},
            "empty": [], "nothing": null, "totalCount": 1, "totalCollected": 1, "hasMore": true, "truncated": false,
            "nextCursor": "c"
        });
        let wanted = r#"{"totalCount":1,"truncated":false,"usages":[{"file":"a","line":0}],"symbol":{"name":"x"},"empty":[],"hasMore":true,"nextCursor":"c"}"#;
        assert_eq!(lean(&full.to_string()).unwrap(), wanted);
        assert_eq!(lean(wanted).unwrap(), wanted);
        assert!(lean(r#"{"totalCount":3,"totalCollected":2}"#).unwrap().contains("Collected"));
    }

    #[test]
    fn the_cursor_stands_in_front_too() {
        let json = r#"{"totalCount":63,"totalIsExact":false,"nextCursor":"abc","offset":20,"pageSize":10}"#;
        let text = with_head(json, "text\nend".to_owned());
        assert_eq!(text, "21-30 of at least 63, next: cursor=abc\ntext\nend");
        let tree = with_head(r#"{"returnedNodes":1,"nextCursor":"abc"}"#, "text".to_owned());
        assert_eq!(tree, "more follows, next: cursor=abc\ntext");
        let outline = with_head(r#"{"totalCount":124,"nextCursor":"75"}"#, "text".to_owned());
        assert_eq!(outline, "more of 124 follows, next: cursor=75\ntext");
        assert_eq!(with_head("{}", "text".to_owned()), "text");
    }
}
