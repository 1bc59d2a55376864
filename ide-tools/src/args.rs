//! Arguments as clients send them, made into what a tool expects (index-tools §1): lenient in what is accepted,
//! exact in what is refused.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::ToolError;
use crate::schema::symbol_languages;

/// Selectors of a declaration: groups B and C and the handle (index-tools §1.1, §7.3, §9).
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TargetArgs {
    /// With line, column
    pub(crate) file: Option<String>,
    pub(crate) line: Option<i64>,
    pub(crate) column: Option<i64>,
    /// With symbol
    #[schemars(extend("enum" = symbol_languages()))]
    pub(crate) language: Option<String>,
    /// E.g. a.b.Type#member, pkg.mod.func, crate::Type::method
    pub(crate) symbol: Option<String>,
    /// From a result; replaces the rest
    pub(crate) symbol_id: Option<String>,
}

/// Group A. Flattened into every tool.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ProjectArg {
    pub(crate) project_path: Option<String>,
}

/// Groups E and F.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScopeArgs {
    #[schemars(extend("enum" = SCOPES))]
    pub(crate) scope: Option<String>,
    pub(crate) include_generated: Option<bool>,
}

/// Group D.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PageArgs {
    /// nextCursor of a page
    pub(crate) cursor: Option<String>,
    pub(crate) page_size: Option<i64>,
}

/// The scope words, in the order of [`ide_model::Scope`].
pub(crate) const SCOPES: [&str; 4] =
    ["project_files", "project_and_libraries", "project_production_files", "project_test_files"];

/// Old and other spellings that are accepted wherever the tool has the parameter they mean.
const ALIASES: [(&str, &str); 8] = [
    ("projectPath", "project_path"),
    ("maxResults", "pageSize"),
    ("limit", "pageSize"),
    ("elements", "nodes"),
    ("maxSubtypes", "maxNodes"),
    ("anchorLine", "line"),
    ("anchorParameterCount", "parameterCount"),
    ("anchor", "member"),
];

/// Makes the arguments of a call fit the tool's schema: aliases, blanks, nested targets, numbers as strings.
///
/// # Errors
/// `invalid_argument` for a name the tool does not have or a value that cannot be meant, `invalid_scope`.
pub(crate) fn normalize(
    properties: &Map<String, Value>,
    args: Value,
) -> Result<Map<String, Value>, ToolError> {
    let args = match args {
        Value::Null => Map::new(),
        Value::Object(args) => args,
        other => return Err(ToolError::argument(format!("arguments must be an object, not {other}"))),
    };
    let mut given = Map::new();
    let mut from_aliases = Map::new();
    for (name, value) in args {
        if is_blank(&value) {
            continue;
        }
        if properties.contains_key(&name) {
            given.insert(name, value);
        } else if name == "target" && properties.contains_key("symbolId") {
            flatten_target(value, &mut from_aliases)?;
        } else if properties.contains_key("scope") && (name == "includeLibraries" || name == "includeTests") {
            if let Some(scope) = old_scope(&name, &value)? {
                from_aliases.insert("scope".to_owned(), scope.into());
            }
        } else if let Some(meant) = other_spelling(properties, &name) {
            from_aliases.entry(meant).or_insert(value);
        } else {
            return Err(unknown_name(properties, &name));
        }
    }
    for (name, value) in from_aliases {
        given.entry(name).or_insert(value);
    }
    for (name, value) in &mut given {
        if let Some(schema) = properties.get(name) {
            coerce(name, schema, value)?;
        }
    }
    given.retain(|_, value| !is_blank(value));
    Ok(given)
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

/// The parameter that a name in another spelling means (`page_size`, `projectPath`, `limit`).
fn other_spelling(properties: &Map<String, Value>, name: &str) -> Option<String> {
    let alias = ALIASES.iter().find(|(alias, _)| same_word(alias, name)).map(|(_, meant)| *meant);
    if let Some(meant) = alias.filter(|meant| properties.contains_key(*meant)) {
        return Some(meant.to_owned());
    }
    properties.keys().find(|property| same_word(property, name)).cloned()
}

fn same_word(a: &str, b: &str) -> bool {
    let letters = |word: &str| word.chars().filter(|c| *c != '_' && *c != '-').collect::<String>();
    letters(a).eq_ignore_ascii_case(&letters(b))
}

/// `includeLibraries: true` and `includeTests: false` in today's word; `None` for the values that meant the default.
fn old_scope(name: &str, value: &Value) -> Result<Option<&'static str>, ToolError> {
    let on = as_bool(value).ok_or_else(|| wrong_type(name, "boolean", value))?;
    Ok(match (name, on) {
        ("includeLibraries", true) => Some("project_and_libraries"),
        ("includeTests", false) => Some("project_production_files"),
        _ => None,
    })
}

/// Spreads `target` {symbolId | position {file, line, column} | qualifiedName + language} over the flat selectors.
fn flatten_target(value: Value, out: &mut Map<String, Value>) -> Result<(), ToolError> {
    let value = match &value {
        Value::String(text) => serde_json::from_str(text).unwrap_or(value),
        _ => value,
    };
    let Value::Object(target) = value else { return Err(wrong_type("target", "object", &value)) };
    let mut ways = 0;
    for (name, value) in target.into_iter().filter(|(_, value)| !is_blank(value)) {
        match (name.as_str(), value) {
            ("symbolId", value) => {
                ways += 1;
                out.insert("symbolId".to_owned(), value);
            }
            ("position", Value::Object(position)) => {
                ways += 1;
                out.extend(position.into_iter().filter(|(_, value)| !is_blank(value)));
            }
            ("qualifiedName", value) => {
                ways += 1;
                out.insert("symbol".to_owned(), value);
            }
            ("language", value) => {
                out.insert("language".to_owned(), value);
            }
            (other, value) => {
                return Err(ToolError::argument(format!("`target.{other}` cannot be {value}"))
                    .hint("give symbolId, position {file, line, column}, or qualifiedName with language"));
            }
        }
    }
    if ways == 1 {
        return Ok(());
    }
    Err(ToolError::new(
        "conflicting_target",
        "`target` needs exactly one of symbolId, position, qualifiedName",
    ))
}

/// Turns a value into the type of its parameter.
fn coerce(name: &str, schema: &Value, value: &mut Value) -> Result<(), ToolError> {
    match schema.get("type").and_then(Value::as_str) {
        Some("integer") => {
            let number = as_integer(value).ok_or_else(|| wrong_type(name, "integer", value))?;
            *value = number.into();
        }
        Some("boolean") => {
            let on = as_bool(value).ok_or_else(|| wrong_type(name, "boolean", value))?;
            *value = on.into();
        }
        Some("string") => coerce_string(name, schema, value)?,
        Some("array") => {
            if let Value::String(text) = &*value {
                *value = match serde_json::from_str::<Value>(text) {
                    Ok(Value::Array(items)) => items.into(),
                    _ => vec![Value::from(text.as_str())].into(),
                };
            }
            let Value::Array(items) = value else { return Err(wrong_type(name, "array of strings", value)) };
            if items.is_empty() {
                return Err(ToolError::argument(format!(
                    "`{name}` is an empty list: leave it out or fill it"
                )));
            }
            if schema["items"]["type"] == "object" {
                return match items.iter().find(|item| !item.is_object()) {
                    Some(bad) => Err(ToolError::argument(format!("`{name}` holds {bad}, expected objects"))),
                    None => Ok(()),
                };
            }
            if let Some(bad) = items.iter().find(|item| !item.is_string() || is_blank(item)) {
                return Err(ToolError::argument(format!("`{name}` holds {bad}, expected non-blank strings")));
            }
        }
        _ => {}
    }
    Ok(())
}

fn coerce_string(name: &str, schema: &Value, value: &mut Value) -> Result<(), ToolError> {
    // A bare number is a query someone forgot to quote; a project path of another type is refused (§7.1).
    if value.is_number() && name != "project_path" {
        *value = value.to_string().into();
    }
    let Value::String(text) = &*value else { return Err(wrong_type(name, "string", value)) };
    let Some(choices) = schema.get("enum").and_then(Value::as_array) else { return Ok(()) };
    // Another language may be known and only lack this capability, which the resolver explains better.
    if name == "language" {
        return Ok(());
    }
    let text = text.trim();
    let choice = choices.iter().find(|c| c.as_str().is_some_and(|c| c.eq_ignore_ascii_case(text)));
    match choice {
        Some(choice) => {
            *value = choice.clone();
            Ok(())
        }
        None => {
            let slug = if name == "scope" { "invalid_scope" } else { "invalid_argument" };
            Err(ToolError::new(slug, format!("`{name}` cannot be `{text}`"))
                .hint("use one of `supportedValues`")
                .with("parameter", name)
                .with("provided", text)
                .with("supportedValues", choices.clone()))
        }
    }
}

fn as_integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| {
            let float = number.as_f64()?;
            (float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i64)
        }),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn as_bool(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(on) => Some(*on),
        Value::String(text) if text.trim().eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.trim().eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

fn wrong_type(name: &str, expected: &str, value: &Value) -> ToolError {
    ToolError::argument(format!("`{name}` must be of type {expected}, got {value}")).with("parameter", name)
}

fn unknown_name(properties: &Map<String, Value>, name: &str) -> ToolError {
    let names = || properties.keys().map(String::as_str);
    let error = ToolError::argument(format!("unknown argument `{name}`")).with("parameter", name);
    match nearest(name, names()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint(format!("this tool takes {}", names().collect::<Vec<_>>().join(", "))),
    }
}

/// The word with the fewest edits, if that is at most a third of its length.
pub(crate) fn nearest<'a>(word: &str, among: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let (edits, near) = among.map(|other| (edit_distance(word, other), other)).min()?;
    (edits * 3 <= near.len().max(3)).then_some(near)
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Sample {
        #[serde(flatten)]
        project: ProjectArg,
        #[serde(flatten)]
        target: TargetArgs,
        #[serde(flatten)]
        scope: ScopeArgs,
        paths: Option<Vec<String>>,
        #[serde(flatten)]
        page: PageArgs,
    }

    fn run(args: Value) -> Result<Value, ToolError> {
        let schema = crate::schema::schema_of::<Sample>();
        normalize(schema["properties"].as_object().unwrap(), args).map(Value::Object)
    }

    fn message(args: Value) -> String {
        let error = run(args).unwrap_err();
        format!("{} {} {}", error.slug, error.message, error.hint.unwrap_or_default())
    }

    #[test]
    fn the_schema_is_flat() {
        let schema = crate::schema::schema_of::<Sample>();
        let text = schema.to_string();
        for word in ["anyOf", "oneOf", "allOf", "$ref", "$schema", "title", "null", "format"] {
            assert!(!text.contains(word), "{word} in {text}");
        }
        assert_eq!(schema["type"], "object");
        assert_eq!(schema["properties"]["line"], json!({"type": "integer"}));
        assert_eq!(schema["properties"]["paths"], json!({"type": "array", "items": {"type": "string"}}));
        assert!(schema.get("required").is_none());
    }

    #[test]
    fn blanks_are_absent_and_numbers_may_be_strings() {
        let args = json!({"file": "a", "line": "12", "column": 3.0, "symbol": " ", "cursor": null, "includeGenerated": "True"});
        assert_eq!(
            run(args).unwrap(),
            json!({"file": "a", "line": 12, "column": 3, "includeGenerated": true})
        );
        assert_eq!(run(Value::Null).unwrap(), json!({}));
    }

    #[test]
    fn other_spellings_are_understood_and_the_new_one_wins() {
        let args = json!({"projectPath": "/p", "maxResults": 5, "include_generated": true});
        assert_eq!(
            run(args).unwrap(),
            json!({"project_path": "/p", "pageSize": 5, "includeGenerated": true})
        );
        assert_eq!(run(json!({"limit": 5, "pageSize": 7})).unwrap(), json!({"pageSize": 7}));
        assert_eq!(
            run(json!({"includeLibraries": true})).unwrap(),
            json!({"scope": "project_and_libraries"})
        );
        assert_eq!(run(json!({"includeLibraries": false})).unwrap(), json!({}));
        assert_eq!(
            run(json!({"includeTests": false})).unwrap(),
            json!({"scope": "project_production_files"})
        );
        assert_eq!(
            run(json!({"includeTests": false, "scope": "project_files"})).unwrap(),
            json!({"scope": "project_files"})
        );
        assert_eq!(run(json!({"scope": "PROJECT_FILES"})).unwrap(), json!({"scope": "project_files"}));
        assert_eq!(run(json!({"paths": "src"})).unwrap(), json!({"paths": ["src"]}));
        assert_eq!(run(json!({"paths": "[\"a\",\"b\"]"})).unwrap(), json!({"paths": ["a", "b"]}));
    }

    #[test]
    fn nested_targets_are_spread() {
        let position = json!({"target": {"position": {"file": "a", "line": 1, "column": 2}, "symbolId": ""}});
        assert_eq!(run(position).unwrap(), json!({"file": "a", "line": 1, "column": 2}));
        let named = json!({"target": {"qualifiedName": "a.B", "language": "Java"}});
        assert_eq!(run(named).unwrap(), json!({"language": "Java", "symbol": "a.B"}));
        assert!(message(json!({"target": {"symbolId": "x", "qualifiedName": "y"}})).contains("exactly one"));
    }

    #[test]
    fn what_cannot_be_meant_is_named() {
        assert!(message(json!({"symbl": "x"})).contains("unknown argument `symbl` did you mean `symbol`?"));
        assert!(message(json!({"zzzzzzzz": 1})).contains("this tool takes"));
        assert!(message(json!({"line": "twelve"})).contains("`line` must be of type integer"));
        assert!(message(json!({"project_path": 5})).contains("`project_path` must be of type string"));
        assert!(message(json!({"paths": []})).contains("empty list"));
        assert!(message(json!({"paths": ["a", " "]})).contains("non-blank"));
        assert!(message(json!([1])).contains("must be an object"));
        let error = run(json!({"scope": "everything"})).unwrap_err();
        assert_eq!(error.slug, "invalid_scope");
        assert_eq!(error.details["provided"], "everything");
        assert_eq!(error.details["supportedValues"], json!(SCOPES));
    }
}
