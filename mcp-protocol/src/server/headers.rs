//! The headers that repeat parts of a 2026-07-28 request, so that proxies can route without reading bodies: what they
//! must say, and which tool arguments they mirror.

use std::borrow::Cow;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

use crate::{error::RpcError, json::Json, model::Tool};

/// One header of a request.
///
/// Spec: 2026-07-28 basic/transports/streamable-http.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header<'a> {
    /// It is not there.
    Absent,
    /// It is there once; these are its raw bytes.
    One(&'a [u8]),
    /// It is there more than once.
    Repeated,
}

/// Looks up request headers, by case-insensitive name.
///
/// Spec: 2026-07-28 basic/transports/streamable-http.
pub trait Headers {
    /// The header of that (lower-case) name.
    fn get(&self, name: &str) -> Header<'_>;
}

fn mismatch(name: &str, why: &str) -> RpcError {
    RpcError::header_mismatch(format!("Header mismatch: {name} {why}"))
}

/// The value with surrounding white space removed; an error if it is absent, repeated, or not text.
fn single<'h>(headers: &'h dyn Headers, name: &str) -> Result<Option<&'h str>, RpcError> {
    match headers.get(name) {
        Header::Absent => Ok(None),
        Header::Repeated => Err(mismatch(name, "is repeated")),
        Header::One(raw) => match std::str::from_utf8(raw) {
            Ok(text) if text.bytes().all(|b| b == b'\t' || (0x20..0x7f).contains(&b)) => {
                Ok(Some(text.trim_matches([' ', '\t'])))
            }
            _ => Err(mismatch(name, "has invalid characters")),
        },
    }
}

/// Undoes the base64 form of values that are not plain visible ASCII.
fn decode<'t>(name: &str, text: &'t str) -> Result<Cow<'t, str>, RpcError> {
    let Some(inner) = text.strip_prefix("=?base64?").and_then(|t| t.strip_suffix("?=")) else {
        return Ok(Cow::Borrowed(text));
    };
    let bytes = STANDARD.decode(inner).map_err(|_| mismatch(name, "has invalid base64"))?;
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| mismatch(name, "is not UTF-8"))
}

/// The form in which a value travels in a header: itself, or base64 when it is not plain visible ASCII.
///
/// Spec: 2026-07-28 basic/transports/streamable-http.
#[must_use]
pub fn encode_header_value(value: &str) -> Cow<'_, str> {
    let plain = value.bytes().all(|b| (0x20..0x7f).contains(&b) || b == b'\t')
        && value.trim_matches([' ', '\t']).len() == value.len()
        && !(value.starts_with("=?base64?") && value.ends_with("?="));
    if plain { Cow::Borrowed(value) } else { Cow::Owned(format!("=?base64?{}?=", STANDARD.encode(value))) }
}

/// A header that must be there and say exactly `value`, as it stands.
pub(crate) fn require(headers: &dyn Headers, name: &str, value: &str) -> Result<(), RpcError> {
    match single(headers, name)? {
        None => Err(mismatch(name, "is required")),
        Some(text) if text == value => Ok(()),
        Some(_) => Err(mismatch(name, "differs from the body")),
    }
}

/// A header that must be there and stand for `value`, possibly encoded.
pub(crate) fn require_decoded(headers: &dyn Headers, name: &str, value: &str) -> Result<(), RpcError> {
    match single(headers, name)? {
        None => Err(mismatch(name, "is required")),
        Some(text) if decode(name, text)? == value => Ok(()),
        Some(_) => Err(mismatch(name, "differs from the body")),
    }
}

/// The header as text if it is there exactly once and readable; used only to tell the revisions apart.
pub(crate) fn hint<'h>(headers: &'h dyn Headers, name: &str) -> Option<&'h str> {
    single(headers, name).ok().flatten()
}

/// An argument that a header mirrors: `x-mcp-header` on a property of the input schema.
///
/// Spec: 2026-07-28 server/tools; 2026-07-28 basic/transports/streamable-http.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirroredArgument {
    /// The full header name, `Mcp-Param-` included, in lower case.
    pub header: String,
    /// The place of the argument: property names from the root.
    pub path: Vec<String>,
}

/// The arguments of the tool that headers mirror.
///
/// Spec: 2026-07-28 server/tools; 2026-07-28 basic/transports/streamable-http.
///
/// # Errors
/// Says what is wrong when an annotation is invalid: not a header token, repeated, on a value that is not a string,
/// integer or boolean, or at a place that is not reached through `properties` alone. Clients drop such a tool.
pub fn mirrored_arguments(tool: &Tool) -> Result<Vec<MirroredArgument>, String> {
    if !tool.input_schema.as_str().contains("x-mcp-header") {
        return Ok(Vec::new());
    }
    let schema: Value = tool.input_schema.to().map_err(|e| e.to_string())?;
    let mut found = Vec::new();
    walk(&schema, &mut Vec::new(), true, &mut found)?;
    Ok(found)
}

fn walk(
    schema: &Value,
    path: &mut Vec<String>,
    reachable: bool,
    found: &mut Vec<MirroredArgument>,
) -> Result<(), String> {
    let Value::Object(members) = schema else {
        if let Value::Array(items) = schema {
            return items.iter().try_for_each(|s| walk(s, path, false, found));
        }
        return Ok(());
    };
    if let Some(annotation) = members.get("x-mcp-header") {
        let at = path.join(".");
        if !reachable || path.is_empty() {
            return Err(format!("x-mcp-header at a place that arguments are not reached by: {at}"));
        }
        let name = annotation.as_str().filter(|n| !n.is_empty() && n.bytes().all(is_token_byte));
        let name = name.ok_or_else(|| format!("x-mcp-header of {at} is not a header token"))?;
        if !matches!(members.get("type").and_then(Value::as_str), Some("string" | "integer" | "boolean")) {
            return Err(format!("x-mcp-header of {at} needs the type string, integer or boolean"));
        }
        let header = format!("mcp-param-{}", name.to_ascii_lowercase());
        if found.iter().any(|m| m.header == header) {
            return Err(format!("x-mcp-header {name} is used twice"));
        }
        found.push(MirroredArgument { header, path: path.clone() });
    }
    for (key, value) in members {
        match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    path.push(name.clone());
                    walk(property, path, reachable, found)?;
                    path.pop();
                }
            }
            // values, not schemas
            ("default" | "const" | "enum" | "examples", _) => {}
            _ => walk(value, path, false, found)?,
        }
    }
    Ok(())
}

fn is_token_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b)
}

/// The text a header has for an argument; `None` when there is none to send (absent or null).
///
/// Spec: 2026-07-28 basic/transports/streamable-http.
#[must_use]
pub fn mirrored_value(arguments: &Json, path: &[String]) -> Option<String> {
    let mut value = arguments.clone();
    for key in path {
        value = value.get(key)?;
    }
    if value.is_null() {
        return None;
    }
    Some(match value.as_text() {
        Some(text) => text.into_owned(),
        None => value.as_str().to_owned(),
    })
}

/// Checks every mirrored argument of a call.
pub(crate) fn check_mirrored(
    headers: &dyn Headers,
    mirrored: &[MirroredArgument],
    arguments: &Json,
) -> Result<(), RpcError> {
    for m in mirrored {
        let text = single(headers, &m.header)?;
        let decoded = text.map(|t| decode(&m.header, t)).transpose()?;
        match (decoded, mirrored_value(arguments, &m.path)) {
            (None, None) => {}
            // some proxies drop empty headers
            (None, Some(value)) if value.is_empty() => {}
            (None, Some(_)) => return Err(mismatch(&m.header, "is required")),
            (Some(_), None) => return Err(mismatch(&m.header, "has no argument")),
            (Some(header), Some(value)) if header == value || same_number(&header, &value) => {}
            (Some(_), Some(_)) => return Err(mismatch(&m.header, "differs from the body")),
        }
    }
    Ok(())
}

fn same_number(a: &str, b: &str) -> bool {
    matches!((crate::envelope::integral(a), crate::envelope::integral(b)), (Some(a), Some(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(schema: &str) -> Tool {
        Tool::new("t", "", Json::parse(schema).expect("a schema"))
    }

    #[test]
    fn annotations_are_found_through_properties_only() {
        let t = tool(
            r#"{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string","x-mcp-header":"Deep"}}}}}"#,
        );
        let found = mirrored_arguments(&t).expect("valid");
        assert_eq!(
            found,
            [MirroredArgument { header: "mcp-param-deep".into(), path: vec!["a".into(), "b".into()] }]
        );
        for bad in [
            r#"{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"}}}"#,
            r#"{"type":"object","properties":{"a":{"type":"string","x-mcp-header":""}}}"#,
            r#"{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"a b"}}}"#,
            r#"{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}"#,
            r#"{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}"#,
            r#"{"type":"object","oneOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}"#,
        ] {
            assert!(mirrored_arguments(&tool(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn values_that_are_not_plain_are_encoded_and_come_back() {
        for value in ["", "plain", "two words", " padded ", "grün", "a\r\nb", "=?base64?eA==?="] {
            let sent = encode_header_value(value);
            assert_eq!(decode("h", &sent).expect("valid"), value);
        }
        for bad in ["=?base64?eA?=", "=?base64?e*==?=", "=?base64?/w==?="] {
            assert!(decode("h", bad).is_err(), "{bad}");
        }
        assert_eq!(decode("h", "=?base64?eA==").expect("literal"), "=?base64?eA==");
    }
}
