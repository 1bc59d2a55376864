//! The specification itself, every revision: each of its examples, and values made from each type of its schemas, are
//! read by our types and written again. `tests/spec/README.md` says where they come from.

use bytes::Bytes;
use mcp_protocol::{Incoming, Json, Version, framing::Lines};
use serde_json::{Map, Value, json};

use crate::models::types::{Treated, round_trip};

struct Published {
    version: Version,
    schema: &'static str,
    examples: &'static str,
}

macro_rules! published {
    ($version:ident, $name:literal) => {
        Published {
            version: Version::$version,
            schema: include_str!(concat!("../spec/", $name, "/schema.json")),
            examples: include_str!(concat!("../spec/", $name, "/examples.jsonl")),
        }
    };
}

const ALL: [Published; 5] = [
    published!(V2024_11_05, "2024-11-05"),
    published!(V2025_03_26, "2025-03-26"),
    published!(V2025_06_18, "2025-06-18"),
    published!(V2025_11_25, "2025-11-25"),
    published!(V2026_07_28, "2026-07-28"),
];

/// Members by which a value without a name is known, and the type that has them.
const MARKS: [(&str, &str); 12] = [
    ("tools", "ListToolsResult"),
    ("prompts", "ListPromptsResult"),
    ("resourceTemplates", "ListResourceTemplatesResult"),
    ("resources", "ListResourcesResult"),
    ("contents", "ReadResourceResult"),
    ("messages", "GetPromptResult"),
    ("completion", "CompleteResult"),
    ("inputRequests", "InputRequiredResult"),
    ("content", "CallToolResult"),
    ("inputSchema", "Tool"),
    ("uriTemplate", "ResourceTemplate"),
    ("createdAt", "Task"),
];

/// The type of an example that has no name.
fn kind_of(value: &Value) -> &'static str {
    let marked =
        |value: &Value| MARKS.iter().find(|(member, _)| value.get(member).is_some()).map(|(_, k)| *k);
    match value["type"].as_str() {
        Some("text") => return "TextContent",
        Some("image") => return "ImageContent",
        Some("audio") => return "AudioContent",
        Some("resource") => return "EmbeddedResource",
        Some("resource_link") => return "ResourceLink",
        _ => {}
    }
    // the answer to a question to the client has content too, and a role or an action beside it
    let is_answer = value.get("role").is_some() || value.get("action").is_some();
    if is_answer { "" } else { marked(value).unwrap_or("") }
}

#[test]
fn every_example_is_read_and_written_again() {
    let mut wrong = Vec::new();
    let (mut counts, mut beyond_the_schema) = ([0; 3], 0);
    for Published { version, examples, .. } in ALL {
        for line in examples.lines() {
            let line = Json::parse(line).expect("a line is JSON");
            let json = line.get("value").expect("a value");
            let value: Value = json.to().expect("JSON");
            if value["resource"].get("annotations").is_some() {
                // a page shows the annotations of a block inside its resource, where the schema has none
                beyond_the_schema += 1;
                continue;
            }
            let named: Option<String> = line.get("kind").expect("a kind").to().expect("a name or null");
            let checked = match &named {
                Some(kind) => round_trip(kind, &json, version),
                None if value.is_array() => as_batch(&json),
                None if value.get("jsonrpc").is_some() => {
                    let result = value.get("result").map(kind_of).filter(|kind| !kind.is_empty());
                    round_trip(
                        &result.map_or(String::new(), |kind| format!("{kind}Response")),
                        &json,
                        version,
                    )
                }
                None => round_trip(kind_of(&value), &json, version),
            };
            // the bytes of any value pass through unchanged
            assert_eq!(Json::from(&json).as_ref().ok(), Some(&json));
            match checked {
                Ok(treated) => counts[treated as usize] += 1,
                Err(why) => {
                    wrong.push(format!("{version} {:?}: {why:.300}", line.get("from").expect("a page")))
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {counts:?}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!((counts.iter().sum::<usize>(), beyond_the_schema), (591, 3), "{counts:?}");
    assert!(counts[Treated::Typed as usize] > 150 && counts[Treated::Message as usize] > 150, "{counts:?}");
}

fn as_batch(json: &Json) -> Result<Treated, String> {
    match Incoming::decode(&Bytes::copy_from_slice(json.as_bytes())) {
        Ok(Incoming::Batch(members)) if members.iter().all(Result::is_ok) => Ok(Treated::Message),
        // a list of something else
        _ => Ok(Treated::Bytes),
    }
}

/// Makes values of a schema: first one with everything, then one for every choice it has, last one with as little as
/// it may have.
struct Maker<'s> {
    definitions: &'s Map<String, Value>,
    depth: usize,
}

impl Maker<'_> {
    fn values(&mut self, schema: &Value) -> Vec<Value> {
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.rsplit('/').next().expect("a split has a part");
            self.depth += 1;
            let target = self.definitions.get(name).unwrap_or_else(|| panic!("no definition of {name}"));
            let mut values = if self.depth > 6 { vec![json!({})] } else { self.values(target) };
            if self.depth > 1 {
                // below what is looked at, one of a kind will do: each kind has its turn at the top
                values.truncate(1);
            }
            self.depth -= 1;
            return values;
        }
        if let Some(only) = schema.get("const") {
            return vec![only.clone()];
        }
        if let Some(choices) = schema["enum"].as_array() {
            return choices.clone();
        }
        for alternatives in ["anyOf", "oneOf"] {
            if let Some(all) = schema[alternatives].as_array() {
                return all.iter().flat_map(|one| self.values(one)).collect();
            }
        }
        if let Some(all) = schema["allOf"].as_array() {
            let parts: Vec<Value> =
                all.iter().filter_map(|part| self.values(part).into_iter().next()).collect();
            return vec![merged(parts)];
        }
        match &schema["type"] {
            Value::Array(kinds) => {
                kinds.iter().flat_map(|kind| self.values(&json!({"type": kind}))).collect()
            }
            Value::String(kind) => self.of_kind(kind, schema),
            _ if schema.get("properties").is_some() => self.objects(schema),
            _ => vec![json!({"any": [1.5, null, {"thing": "é"}]})],
        }
    }

    fn of_kind(&mut self, kind: &str, schema: &Value) -> Vec<Value> {
        match kind {
            "string" if schema["format"] == "byte" => vec![json!("AA==")],
            "string" if schema["format"] == "uri" => vec![json!("test://a")],
            "string" => vec![json!("text \"é\" \n"), json!("")],
            // the largest that every JSON reader keeps
            "integer" => vec![json!(3), json!(9_007_199_254_740_991_u64)],
            "number" => vec![json!(0.5)],
            "boolean" => vec![json!(true), json!(false)],
            "null" => vec![Value::Null],
            "array" => {
                let items = self.values(&schema["items"]);
                vec![Value::Array(items), json!([])]
            }
            "object" => self.objects(schema),
            other => panic!("a type {other}"),
        }
    }

    /// Values of a member. Result types are any text in the schema, and one for each result in the prose.
    fn member(&mut self, beside: &Map<String, Value>, name: &str, of: &Value) -> Vec<Value> {
        let asks = beside.contains_key("inputRequests");
        match name {
            "resultType" if of.get("const").is_none() => {
                vec![json!(if asks { "input_required" } else { "complete" })]
            }
            _ => self.values(of),
        }
    }

    fn objects(&mut self, schema: &Value) -> Vec<Value> {
        let none = Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&none);
        let made: Vec<(&String, Vec<Value>)> =
            properties.iter().map(|(name, of)| (name, self.member(properties, name, of))).collect();
        let first = |of: &[Value]| of.first().cloned().expect("every schema has a value");
        let mut full: Map<String, Value> =
            made.iter().map(|(name, of)| ((*name).clone(), first(of))).collect();
        if schema["additionalProperties"].is_object() {
            let further = self.values(&schema["additionalProperties"]);
            full.insert("further".to_owned(), first(&further));
        }
        let mut all = vec![Value::Object(full.clone())];
        for (name, of) in &made {
            for other in of.iter().skip(1) {
                let mut varied = full.clone();
                varied.insert((*name).clone(), other.clone());
                all.push(Value::Object(varied));
            }
        }
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        full.retain(|name, _| required.contains(&name.as_str()));
        all.push(Value::Object(full));
        all
    }
}

fn merged(parts: Vec<Value>) -> Value {
    let maps = parts.into_iter().filter_map(|part| match part {
        Value::Object(map) => Some(map),
        _ => None,
    });
    Value::Object(maps.flatten().collect())
}

#[test]
fn values_of_every_type_of_every_schema_are_read_and_written_again() {
    let mut wrong = Vec::new();
    let (mut typed, mut messages) = (0, 0);
    for Published { version, schema, .. } in ALL {
        let schema: Value = serde_json::from_str(schema).expect("a schema");
        let definitions = schema.as_object().expect("definitions");
        for (name, definition) in definitions {
            let values = Maker { definitions, depth: 0 }.values(definition);
            for value in values {
                // allowed by the schema, forbidden by the prose
                let asks_for_nothing = |value: &Value| {
                    value["resultType"] == "input_required"
                        && value.get("inputRequests").or_else(|| value.get("requestState")).is_none()
                };
                if asks_for_nothing(&value) || asks_for_nothing(&value["result"]) {
                    continue;
                }
                let json = Json::from(&value).expect("JSON");
                match round_trip(name, &json, version) {
                    Ok(Treated::Typed) => typed += 1,
                    Ok(Treated::Message) => messages += 1,
                    Ok(Treated::Bytes) => {}
                    Err(why) => wrong.push(format!("{version} {name}: {why:.300}")),
                }
            }
        }
    }
    wrong.dedup_by_key(|line| line.chars().take(40).collect::<String>());
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(typed > 300 && messages > 300, "{typed} typed, {messages} messages");
    assert!(Lines::LIMIT > ALL[4].schema.len(), "a schema fits into a message");
}
