//! Every type with all its members: written for the newest revision it is what was read, and an older one is told what
//! it knows.

use mcp_protocol::{Json, Version, model::*};
use serde_json::Value;

#[path = "../../examples/spec-examples/types.rs"]
pub(crate) mod types;

use types::{Treated, round_trip};

/// Types with one example each, all members there.
const WHOLE: [(&str, &str); 22] = [
    (
        "Tool",
        r#"{"name":"t","title":"T","description":"d","icons":[{"src":"data:,x","mimeType":"image/png","sizes":["48x48"],"theme":"dark"}],"inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"a":{"$anchor":"b"}}},"outputSchema":{"type":"array"},"annotations":{"title":"x","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false},"_meta":{"k":1.50}}"#,
    ),
    (
        "Prompt",
        r#"{"name":"p","title":"P","description":"d","icons":[{"src":"https://a.example/i"}],"arguments":[{"name":"x","title":"X","description":"d","required":true},{"name":"y","required":false}],"_meta":{}}"#,
    ),
    (
        "Resource",
        r#"{"uri":"file:///a","name":"a","title":"A","description":"d","mimeType":"text/plain","icons":[{"src":"data:,x"}],"size":9007199254740991,"annotations":{"audience":["user","assistant"],"priority":0.25,"lastModified":"2025-01-12T15:00:58Z"},"_meta":{"a":[1]}}"#,
    ),
    (
        "ResourceTemplate",
        r#"{"uriTemplate":"file:///{+path}","name":"f","title":"F","description":"d","mimeType":"text/plain","icons":[{"src":"data:,x"}],"annotations":{"priority":1.0},"_meta":{}}"#,
    ),
    (
        "Implementation",
        r#"{"name":"n","version":"1","title":"N","description":"d","websiteUrl":"https://a.example","icons":[{"src":"data:,x"}]}"#,
    ),
    (
        "ClientCapabilities",
        r#"{"roots":{},"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}},"extensions":{"a.example/x":{"s":1}},"experimental":{"e":{}}}"#,
    ),
    (
        "TextContent",
        r#"{"type":"text","text":"\u0000é\n","annotations":{"audience":["user"]},"_meta":{"a":null}}"#,
    ),
    (
        "ImageContent",
        r#"{"type":"image","data":"AA==","mimeType":"image/png","annotations":{"priority":0.0},"_meta":{}}"#,
    ),
    ("AudioContent", r#"{"type":"audio","data":"AA==","mimeType":"audio/wav"}"#),
    (
        "EmbeddedResource",
        r#"{"type":"resource","resource":{"uri":"a:b","mimeType":"text/plain","text":"t","_meta":{}},"annotations":{"priority":0.5}}"#,
    ),
    (
        "ResourceLink",
        r#"{"type":"resource_link","uri":"a:b","name":"n","title":"T","description":"d","mimeType":"m/n","icons":[{"src":"data:,x"}],"size":1,"annotations":{"priority":0.5},"_meta":{"k":"v"}}"#,
    ),
    ("ToolUseContent", r#"{"type":"tool_use","id":"1","name":"t","input":{"a":1}}"#),
    (
        "ToolResultContent",
        r#"{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"t"}],"isError":false}"#,
    ),
    ("TextResourceContents", r#"{"uri":"a:b","mimeType":"text/plain","text":"t","_meta":{"a":1}}"#),
    ("BlobResourceContents", r#"{"uri":"a:b","mimeType":"image/png","blob":"AA=="}"#),
    ("CallToolResult", r#"{"content":[{"type":"text","text":"t"}],"structuredContent":null,"isError":true}"#),
    (
        "ReadResourceResult",
        r#"{"resultType":"complete","contents":[{"uri":"a:b","text":"t"}],"ttlMs":0,"cacheScope":"private"}"#,
    ),
    (
        "ListToolsResultResponse",
        r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}],"nextCursor":""}}"#,
    ),
    ("CompleteResult", r#"{"completion":{"values":["a"],"total":2,"hasMore":true}}"#),
    (
        "GetPromptResult",
        r#"{"description":"d","messages":[{"role":"assistant","content":{"type":"text","text":"t"}}]}"#,
    ),
    (
        "InputRequiredResult",
        r#"{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}},"requestState":"s"}"#,
    ),
    (
        "Task",
        r#"{"taskId":"t","status":"input_required","statusMessage":"m","createdAt":"a","lastUpdatedAt":"b","ttl":null,"pollInterval":5}"#,
    ),
];

fn json(text: &str) -> Json {
    Json::parse(text).expect("a literal")
}

#[test]
fn what_the_newest_revision_knows_is_written_as_it_was_read() {
    for (kind, text) in WHOLE {
        assert_eq!(round_trip(kind, &json(text), Version::LATEST), Ok(Treated::Typed), "{kind}");
    }
    let changed = round_trip("Tool", &json(r#"{"name":"t","inputSchema":{},"unknown":1}"#), Version::LATEST);
    assert!(changed.is_err(), "a member that is lost must be noticed");
    assert!(round_trip("Tool", &json(r#"{"name":"t"}"#), Version::LATEST).is_err());
    let listed = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    assert_eq!(round_trip("ListToolsRequest", &json(listed), Version::LATEST), Ok(Treated::Message));
}

/// The members of the first example of a kind that a revision is told.
fn told<T: serde::de::DeserializeOwned + ToWire>(kind: &str, version: Version) -> Vec<String> {
    let (_, text) = WHOLE.iter().find(|(k, _)| *k == kind).expect("it is there");
    let mut value: T = json(text).to().expect("it is of that kind");
    let written: Value =
        std::mem::replace(&mut value, json(text).to().expect("it is")).to_wire(version).to().expect("JSON");
    written.as_object().expect("an object").keys().cloned().collect()
}

#[test]
fn older_revisions_are_told_what_they_know() {
    use Version::*;
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names.join(" ")
    };
    let tool = |version| sorted(told::<Tool>("Tool", version));
    assert_eq!(tool(V2024_11_05), "description inputSchema name");
    assert_eq!(tool(V2025_03_26), "annotations description inputSchema name");
    assert_eq!(tool(V2025_06_18), "_meta annotations description inputSchema name title");
    assert_eq!(tool(V2025_11_25), "_meta annotations description icons inputSchema name title");
    assert_eq!(tool(V2026_07_28), "_meta annotations description icons inputSchema name outputSchema title");
    let resource = |version| sorted(told::<Resource>("Resource", version));
    assert_eq!(resource(V2025_03_26), "annotations description mimeType name size uri");
    assert_eq!(resource(V2025_06_18), "_meta annotations description mimeType name size title uri");
    let who = |version| sorted(told::<Implementation>("Implementation", version));
    assert_eq!(who(V2025_03_26), "name version");
    assert_eq!(who(V2025_06_18), "name title version");
    let can = |version| sorted(told::<ClientCapabilities>("ClientCapabilities", version));
    assert_eq!(can(V2025_03_26), "experimental roots sampling");
    assert_eq!(can(V2025_11_25), "elicitation experimental roots sampling");
    assert_eq!(can(V2026_07_28), "elicitation experimental extensions roots sampling");
}

#[test]
fn whether_a_tool_runs_as_a_task_is_told_where_that_is_a_word() {
    let tool = Tool::new("t", "d", json(r#"{"type":"object"}"#)).with_task_support(TaskSupport::Required);
    for version in Version::ALL {
        let read: Value = tool.to_wire(version).to().expect("JSON");
        let said = read["execution"]["taskSupport"].as_str();
        assert_eq!(said, (version == Version::V2025_11_25).then_some("required"), "{version}");
    }
}
