//! The round trip of a named type of the specification's schema: read into our types and written again.

use bytes::Bytes;
use mcp_protocol::{Incoming, Json, Version, client::InputRequiredResult, model::*};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// How an example was treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Treated {
    /// Read into a type of ours, written again, and the same.
    Typed,
    /// Read as a message by the decoder that servers and clients use.
    Message,
    /// A type that this crate passes on as the bytes that came.
    Bytes,
}

fn value(json: &Json) -> Result<Value, String> {
    json.to().map_err(|e| e.to_string())
}

/// Removes members whose absence means the same, according to their documentation.
fn leave_out_defaults(value: &mut Value) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(leave_out_defaults),
        Value::Object(members) => {
            members.retain(|name, value| match name.as_str() {
                "audience" | "sizes" | "icons" | "arguments" => value != &Value::Array(Vec::new()),
                "execution" => value["taskSupport"] != "forbidden" && value["taskSupport"] != Value::Null,
                "required" | "isError" => value != &Value::Bool(false),
                "mode" => value != "form" && value != "auto",
                "hints" | "stopSequences" | "tools" => value != &Value::Array(Vec::new()),
                _ => true,
            });
            members.values_mut().for_each(leave_out_defaults);
        }
        _ => {}
    }
}

/// One block of a message may stand in a list or alone.
fn unlist(value: &mut Value) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(unlist),
        Value::Object(members) => {
            let is_message = members.contains_key("role");
            if let Some(content) = members.get_mut("content").filter(|_| is_message)
                && let Some([one]) = content.as_array().map(Vec::as_slice)
            {
                *content = one.clone();
            }
            members.values_mut().for_each(unlist);
        }
        _ => {}
    }
}

fn again<T: DeserializeOwned + ToWire>(json: &Json, version: Version) -> Result<(), String> {
    let read: T = json.to().map_err(|e| e.to_string())?;
    let (mut before, mut after) = (value(json)?, value(&read.to_wire(version))?);
    leave_out_defaults(&mut before);
    leave_out_defaults(&mut after);
    unlist(&mut before);
    unlist(&mut after);
    if before == after { Ok(()) } else { Err(format!("{before} became {after}")) }
}

fn each<T: DeserializeOwned + ToWire>(json: &Json, key: &str, version: Version) -> Result<(), String> {
    let all = json.get(key).ok_or_else(|| format!("no {key}"))?;
    let all: Vec<Json> = all.to().map_err(|e| e.to_string())?;
    all.iter().try_for_each(|one| again::<T>(one, version))
}

/// A field is read as one of the known kinds, and written again.
fn field(json: &Json, version: Version) -> Result<(), String> {
    match json.to::<PrimitiveSchema>() {
        // allowed by the schema: names for other choices than there are
        Ok(PrimitiveSchema::Other(_)) if json.get("enumNames").is_some() => Ok(()),
        Ok(PrimitiveSchema::Other(_)) => Err("a field of no known kind".into()),
        Ok(_) => again::<PrimitiveSchema>(json, version),
        Err(e) => Err(e.to_string()),
    }
}

/// Every field of a form is read and written again.
fn form(json: &Json, version: Version) -> Result<(), String> {
    let Some(schema) = json.get("requestedSchema") else { return Ok(()) };
    let read = FormSchema::from_json(schema.clone());
    let properties: serde_json::Map<String, Value> =
        schema.get("properties").ok_or("no properties")?.to().map_err(|e| e.to_string())?;
    if read.fields().len() != properties.len() {
        return Err("fields are missing".into());
    }
    properties.values().try_for_each(|one| field(&Json::from(one).map_err(|e| e.to_string())?, version))
}

fn message(json: &Json) -> Result<(), String> {
    match Incoming::decode(&Bytes::copy_from_slice(json.as_bytes())) {
        Ok(Incoming::One(_)) => Ok(()),
        Ok(Incoming::Batch(_)) => Err("a batch".to_owned()),
        Err(refusal) => Err(refusal.error().to_string()),
    }
}

/// Reads and writes an example of a type in a revision.
pub(crate) fn round_trip(kind: &str, json: &Json, version: Version) -> Result<Treated, String> {
    let typed = match kind {
        "Tool" => again::<Tool>(json, version),
        "Prompt" => again::<Prompt>(json, version),
        "Resource" => again::<Resource>(json, version),
        "ResourceTemplate" => again::<ResourceTemplate>(json, version),
        "Implementation" => again::<Implementation>(json, version),
        "ClientCapabilities" => again::<ClientCapabilities>(json, version),
        "TextContent" | "ImageContent" | "AudioContent" | "EmbeddedResource" | "ResourceLink"
        | "ToolUseContent" | "ToolResultContent" => again::<Content>(json, version),
        "CreateMessageRequestParams" => again::<CreateMessageRequest>(json, version),
        "CreateMessageResult" => again::<CreateMessageResult>(json, version),
        "SamplingMessage" => again::<SamplingMessage>(json, version),
        "ModelPreferences" => again::<ModelPreferences>(json, version),
        "ElicitRequestParams" | "ElicitRequestFormParams" | "ElicitRequestURLParams" => {
            again::<ElicitRequest>(json, version).and_then(|()| form(json, version))
        }
        "ElicitResult" => again::<ElicitResult>(json, version),
        "ListRootsResult" => again::<ListRootsResult>(json, version),
        "Root" => again::<Root>(json, version),
        "StringSchema"
        | "NumberSchema"
        | "BooleanSchema"
        | "EnumSchema"
        | "PrimitiveSchemaDefinition"
        | "UntitledSingleSelectEnumSchema"
        | "TitledSingleSelectEnumSchema"
        | "UntitledMultiSelectEnumSchema"
        | "TitledMultiSelectEnumSchema"
        | "LegacyTitledEnumSchema" => field(json, version),
        // in these revisions a request of the server has its parameters in one type
        "CreateMessageRequest" | "ElicitRequest" => {
            let params = json.get("params").ok_or("no params")?;
            let params = round_trip(&format!("{kind}Params"), &params, version).map(drop);
            params.and_then(|()| if json.get("jsonrpc").is_some() { message(json) } else { Ok(()) })
        }
        "TextResourceContents" | "BlobResourceContents" => again::<ResourceContents>(json, version),
        "CallToolResult" => each::<Content>(json, "content", version).and_then(|()| {
            let read: CallToolResult = json.to().map_err(|e| e.to_string())?;
            let structured = json.get("structuredContent");
            if read.structured_content == structured {
                Ok(())
            } else {
                Err("other structured content".into())
            }
        }),
        "GetPromptResult" => {
            let read: Result<GetPromptResult, String> = json.to().map_err(|e| e.to_string());
            read.map(drop)
        }
        "ReadResourceResult" => each::<ResourceContents>(json, "contents", version),
        "ListToolsResult" => each::<Tool>(json, "tools", version),
        "ListPromptsResult" => each::<Prompt>(json, "prompts", version),
        "ListResourcesResult" => each::<Resource>(json, "resources", version),
        "ListResourceTemplatesResult" => each::<ResourceTemplate>(json, "resourceTemplates", version),
        "CompleteResult" => {
            let completion = json.get("completion").ok_or("no completion")?;
            completion.to::<Completion>().map(drop).map_err(|e| e.to_string())
        }
        "InputRequiredResult" => match InputRequiredResult::from_result(json) {
            Ok(Some(_)) => Ok(()),
            Ok(None) => Err("it asks for nothing".to_owned()),
            Err(e) => Err(e.to_string()),
        },
        "Task" => json.to::<Task>().map(drop).map_err(|e| e.to_string()),
        _ => {
            if let (Some(result), Some(inner)) = (kind.strip_suffix("Response"), json.get("result")) {
                message(json)?;
                // where a method may ask for input instead, that is a result too
                let asks =
                    inner.get("resultType").is_some_and(|t| t.as_text().as_deref() == Some("input_required"));
                return round_trip(if asks { "InputRequiredResult" } else { result }, &inner, version);
            }
            let is_message = json.get("jsonrpc").is_some();
            return if is_message { message(json).map(|()| Treated::Message) } else { Ok(Treated::Bytes) };
        }
    };
    typed.map(|()| Treated::Typed)
}
