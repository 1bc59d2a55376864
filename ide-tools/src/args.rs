//! Arguments as clients send them, made into what a tool expects: lenient in what is accepted,
//! exact in what is refused.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::ToolError;
use crate::schema::symbol_languages;

/// Selectors of a declaration: a place, a qualified name, or the handle from a result.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TargetArgs {
    /// With line, column or name
    pub(crate) file: Option<String>,
    pub(crate) line: Option<i64>,
    pub(crate) column: Option<i64>,
    // Undocumented, as the schema of every tool has them: the name in the file, and the language of `symbol`.
    pub(crate) name: Option<String>,
    #[schemars(extend("enum" = symbol_languages()))]
    pub(crate) language: Option<String>,
    /// Type.member, a/b.ts#name, crate::f
    pub(crate) symbol: Option<String>,
    /// From a result, alone
    pub(crate) symbol_id: Option<String>,
}

/// The project of a call. Flattened into every tool.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ProjectArg {
    pub(crate) project_path: Option<String>,
}

/// The scope of a search, and whether it includes generated files.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScopeArgs {
    #[schemars(extend("enum" = SCOPES))]
    pub(crate) scope: Option<String>,
    pub(crate) include_generated: Option<bool>,
}

/// The page of a result.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PageArgs {
    /// nextCursor, alone
    pub(crate) cursor: Option<String>,
    pub(crate) page_size: Option<i64>,
}

/// The scope words, in the order of [`ide_model::Scope`].
pub(crate) const SCOPES: [&str; 4] =
    ["project_files", "project_and_libraries", "project_production_files", "project_test_files"];

/// Other spellings of parameters, accepted wherever the tool has the one they mean: those of older catalogues, and those
/// that models know from the tools of their editors. The first that the tool has is meant.
const ALIASES: &[(&str, &[&str])] = &[
    ("projectPath", &["project_path"]),
    ("workspace", &["project_path"]),
    ("maxResults", &["pageSize"]),
    ("limit", &["pageSize", "maxProblems"]),
    ("headLimit", &["pageSize"]),
    ("elements", &["nodes"]),
    ("maxSubtypes", &["maxNodes"]),
    ("anchorLine", &["line"]),
    ("anchorParameterCount", &["parameterCount"]),
    ("anchor", &["member"]),
    ("filePath", &["file"]),
    ("path", &["file", "paths", "filePath"]),
    ("file", &["filePath"]),
    ("relativePath", &["file"]),
    ("fileName", &["file", "query"]),
    ("uri", &["file"]),
    ("filePaths", &["files", "paths"]),
    ("sourcePath", &["file"]),
    ("character", &["column"]),
    ("offset", &["startLine"]),
    ("pattern", &["query", "search"]),
    ("glob", &["filePattern", "query", "paths"]),
    ("include", &["filePattern", "paths"]),
    ("oldString", &["search"]),
    ("oldStr", &["search"]),
    ("oldText", &["search"]),
    ("newString", &["replace", "content"]),
    ("newStr", &["replace", "content"]),
    ("newText", &["replace", "content"]),
    ("replacement", &["replace", "rewrite"]),
    ("replaceAll", &["all"]),
    ("isRegex", &["regex"]),
    ("fileText", &["content"]),
    ("contents", &["content"]),
    ("text", &["content", "query", "comment"]),
    ("body", &["content", "comment"]),
    ("code", &["content"]),
    ("symbolName", &["symbol", "query"]),
    ("qualifiedName", &["symbol"]),
    ("namePath", &["symbol"]),
    ("name", &["query", "newName"]),
    ("destination", &["targetDirectory"]),
    ("preview", &["dryRun"]),
    ("dry", &["dryRun"]),
    ("simulate", &["dryRun"]),
    ("checkOnly", &["dryRun"]),
];

/// Parameters whose value may be any text, also one that elsewhere stands for nothing.
const FREE_TEXT: &[&str] = &[
    "query",
    "searchText",
    "comment",
    "pattern",
    "rewrite",
    "content",
    "search",
    "replace",
    "newName",
    "name",
    "member",
    "anchor",
    "defaultValue",
    "callValue",
    "returnType",
    "type",
];

/// Arguments as a tool takes them.
pub(crate) struct Normal {
    pub(crate) args: Map<String, Value>,
    /// Names that mean nothing and look like nothing: clients add some of their own.
    pub(crate) ignored: Vec<String>,
}

/// Makes the arguments of a call fit the tool's schema: aliases, blanks, nested targets, numbers as strings.
///
/// # Errors
/// `invalid_argument` for a name the tool does not have or a value that cannot be meant, `invalid_scope`.
pub(crate) fn normalize(
    properties: &Map<String, Value>,
    args: Value,
    writes: bool,
) -> Result<Normal, ToolError> {
    let args = match args {
        Value::Null => Map::new(),
        Value::Object(args) => args,
        Value::String(text) if is_nothing(&text) => Map::new(),
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(args)) => args,
            _ => return Err(ToolError::argument(format!("arguments must be an object, not {text:?}"))),
        },
        other => return Err(ToolError::argument(format!("arguments must be an object, not {other}"))),
    };
    let mut given = Map::new();
    let mut from_aliases = Map::new();
    let mut ignored = Vec::new();
    for (name, value) in args {
        if is_absent(&name, &value) {
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
        } else if same_word(&name, "limit") && properties.contains_key("startLine") && is_window(properties) {
            from_aliases.insert(LINES.to_owned(), value);
        } else if let Some(meant) = other_spelling(properties, &name) {
            from_aliases.entry(meant).or_insert(value);
        } else if looks_meant(properties, &name, writes) {
            return Err(unknown_name(properties, &name));
        } else {
            ignored.push(name);
        }
    }
    for (name, value) in from_aliases {
        given.entry(name).or_insert(value);
    }
    take_places(properties, &mut given);
    take_window(&mut given)?;
    for (name, value) in &mut given {
        if let Some(schema) = properties.get(name) {
            coerce(name, schema, value)?;
        }
    }
    given.retain(|_, value| !is_blank(value));
    Ok(Normal { args: given, ignored })
}

/// A number of lines from `startLine` on, until it has become `endLine`.
const LINES: &str = ":lines";

/// Whether `startLine` and `endLine` cut a window out of a file that is read.
fn is_window(properties: &Map<String, Value>) -> bool {
    properties.contains_key("endLine")
        && !properties.contains_key("maxProblems")
        && !properties.contains_key("dryRun")
}

fn take_window(given: &mut Map<String, Value>) -> Result<(), ToolError> {
    let Some(lines) = given.remove(LINES) else { return Ok(()) };
    let lines = as_integer(&lines).filter(|lines| *lines >= 1);
    let lines = lines.ok_or_else(|| ToolError::argument("`limit` must be a number of lines, from 1"))?;
    let first = given.get("startLine").and_then(as_integer).unwrap_or(1).max(1);
    given.entry("startLine").or_insert_with(|| first.into());
    given.entry("endLine").or_insert_with(|| first.saturating_add(lines - 1).into());
    Ok(())
}

/// Takes URIs for the paths they name, and a line and a column from the end of a path (`src/a.ts:12:5`).
fn take_places(properties: &Map<String, Value>, given: &mut Map<String, Value>) {
    for name in ["project_path", "projectPath", "file", "filePath"] {
        if let Some(Value::String(text)) = given.get_mut(name)
            && let Some(path) = file_uri_path(text.trim())
        {
            *text = path;
        }
    }
    for name in ["files", "paths"] {
        for item in given.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(path) = item.as_str().and_then(|text| file_uri_path(text.trim())) {
                *item = path.into();
            }
        }
    }
    let Some((path, line, column)) = given.get("file").and_then(Value::as_str).and_then(split_place) else {
        return;
    };
    let path = path.to_owned();
    if properties.contains_key("line") && !properties.contains_key("startLine") {
        given.entry("line").or_insert_with(|| line.into());
        if let Some(column) = column.filter(|_| properties.contains_key("column")) {
            given.entry("column").or_insert_with(|| column.into());
        }
    } else if is_window(properties) {
        given.entry("startLine").or_insert_with(|| line.into());
    }
    given.insert("file".to_owned(), path.into());
}

/// Path, line and column of `path:line`, `path:line:column` and `path#L12`.
pub(crate) fn split_place(text: &str) -> Option<(&str, i64, Option<i64>)> {
    let text = text.trim();
    if let Some((path, line)) = text.rsplit_once("#L") {
        return Some((path, line.parse().ok()?, None)).filter(|(path, ..)| !path.is_empty());
    }
    let (head, last) = text.trim_end_matches(':').rsplit_once(':')?;
    let last: i64 = last.parse().ok()?;
    let (path, line, column) = match head.rsplit_once(':').map(|(path, line)| (path, line.parse::<i64>())) {
        Some((path, Ok(line))) => (path, line, Some(last)),
        _ => (head, last, None),
    };
    // A drive is no path, and an entry of an archive has its own colons.
    (path.len() > 1 && !path.contains("://")).then_some((path, line, column))
}

/// The path of a `file:` URI of this machine (RFC 8089), percent-decoded.
pub fn file_uri_path(uri: &str) -> Option<String> {
    let scheme = uri.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("file://"))?;
    let rest = &uri[scheme.len()..];
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let (rest, line) = match rest.split_once('#') {
        // Editors name a line like this.
        Some((rest, place)) => {
            (rest, place.strip_prefix('L').filter(|l| l.bytes().all(|b| b.is_ascii_digit())))
        }
        None => (rest, None),
    };
    let rest = rest.split('?').next()?;
    if !rest.starts_with('/') {
        return None;
    }
    let path = percent_decode(rest)?;
    let is_drive = path.as_bytes().get(2) == Some(&b':') && path.as_bytes()[1].is_ascii_alphabetic();
    let path = if is_drive { path[1..].to_owned() } else { path };
    Some(line.filter(|line| !line.is_empty()).map_or(path.clone(), |line| format!("{path}:{line}")))
}

fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        bytes.push((digit()? * 16 + digit()?) as u8);
    }
    String::from_utf8(bytes).ok()
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

/// Blank, or a word for nothing where any text would not do.
fn is_absent(name: &str, value: &Value) -> bool {
    is_blank(value)
        || !FREE_TEXT.iter().any(|free| same_word(free, name)) && value.as_str().is_some_and(is_nothing)
}

fn is_nothing(text: &str) -> bool {
    ["null", "undefined", "none", ""].iter().any(|word| text.trim().eq_ignore_ascii_case(word))
}

/// The parameter that a name in another spelling means (`page_size`, `projectPath`, `limit`).
fn other_spelling(properties: &Map<String, Value>, name: &str) -> Option<String> {
    let own = properties.keys().find(|property| same_word(property, name));
    own.cloned().or_else(|| {
        let alias = ALIASES.iter().find(|(alias, _)| same_word(alias, name))?;
        alias.1.iter().find(|meant| properties.contains_key(**meant)).map(|meant| (*meant).to_owned())
    })
}

/// Whether a name that means nothing was meant for one of the tool's: a typing error, or, where files are written, a
/// word in common.
fn looks_meant(properties: &Map<String, Value>, name: &str, writes: bool) -> bool {
    if name.starts_with('_') {
        return false;
    }
    let words = words_of(name);
    nearest(name, properties.keys().map(String::as_str)).is_some()
        || writes
            && properties
                .keys()
                .any(|property| words_of(property).iter().any(|word| word.len() > 2 && words.contains(word)))
}

/// The words of a name in camel or snake case, in small letters.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if c.is_uppercase() || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
    }
    words
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
                return items.iter().enumerate().try_for_each(|(n, item)| {
                    known_keys(&schema["items"], item).map_err(|error| {
                        let message = format!("{name}[{n}]: {}", error.message);
                        ToolError { message, ..error }
                    })
                });
            }
            if let Some(bad) = items.iter().find(|item| !item.is_string() || is_blank(item)) {
                return Err(ToolError::argument(format!("`{name}` holds {bad}, expected non-blank strings")));
            }
        }
        _ => {}
    }
    Ok(())
}

/// Checks that an entry of a list is an object and has no keys beside those of its schema.
fn known_keys(schema: &Value, item: &Value) -> Result<(), ToolError> {
    let Value::Object(entry) = item else {
        return Err(ToolError::argument(format!("{item} is not an object")));
    };
    let Some(properties) = schema["properties"].as_object() else { return Ok(()) };
    match entry.keys().find(|key| !properties.contains_key(*key)) {
        Some(unknown) => Err(unknown_name(properties, unknown)),
        None => Ok(()),
    }
}

fn coerce_string(name: &str, schema: &Value, value: &mut Value) -> Result<(), ToolError> {
    // A bare number is a query someone forgot to quote; a project path of another type is refused.
    if value.is_number() && !same_word(name, "projectPath") {
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

/// Letters to insert, delete or replace until two words are the same, whatever their case.
pub(crate) fn edit_distance(a: &str, b: &str) -> usize {
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
        normalize(schema["properties"].as_object().unwrap(), args, false)
            .map(|normal| Value::Object(normal.args))
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
    fn arguments_that_clients_add_are_ignored_and_named() {
        let schema = crate::schema::schema_of::<Sample>();
        let normal = |args: Value, writes| {
            let normal = normalize(schema["properties"].as_object().unwrap(), args, writes);
            normal.map(|normal| normal.ignored.join(" "))
        };
        let args = json!({"toolCallId": "x", "_sessionID": 1, "wait_for_previous": true, "explanation": "why", "line": 1});
        assert_eq!(
            normal(args.clone(), false).unwrap(),
            "toolCallId _sessionID wait_for_previous explanation"
        );
        assert_eq!(normal(args, true).unwrap(), "toolCallId _sessionID wait_for_previous explanation");
        // A word in common is enough for a doubt in a tool that writes files.
        assert_eq!(normal(json!({"generatedToo": true}), false).unwrap(), "generatedToo");
        assert_eq!(normal(json!({"generatedToo": true}), true).err().unwrap().slug, "invalid_argument");
    }

    #[test]
    fn words_for_nothing_are_nothing() {
        for word in ["null", "None", "undefined", " NULL "] {
            let args = json!({"scope": word, "cursor": word, "pageSize": word, "project_path": word, "symbolId": word,
                "includeGenerated": word, "symbol": word, "language": word, "paths": word});
            assert_eq!(run(args).unwrap(), json!({}), "{word}");
            assert_eq!(run(json!({"name": word})).unwrap(), json!({"name": word}), "a name may be any word");
        }
        assert_eq!(run(json!("null")).unwrap(), json!({}));
        assert_eq!(run(json!(r#"{"line": 3}"#)).unwrap(), json!({"line": 3}));
    }

    #[test]
    fn files_may_be_uris_and_places() {
        let of = |file: &str| run(json!({"file": file})).unwrap();
        assert_eq!(of("file:///a%20b/%C3%BC.ts"), json!({"file": "/a b/ü.ts"}));
        assert_eq!(of("FILE:///a.ts#L12"), json!({"file": "/a.ts", "line": 12}));
        assert_eq!(of("a.ts:3"), json!({"file": "a.ts", "line": 3}));
        assert_eq!(of("src/a.ts:3:14"), json!({"file": "src/a.ts", "line": 3, "column": 14}));
        assert_eq!(of("a.ts#L7"), json!({"file": "a.ts", "line": 7}));
        for whole in ["C:/a.ts", "a:b.ts", "jar:///x.jar!/a:3", "https://x/y:80"] {
            assert_eq!(of(whole), json!({"file": whole}));
        }
        let given = run(json!({"file": "a.ts:3:14", "line": 5, "column": 1})).unwrap();
        assert_eq!(given, json!({"file": "a.ts", "line": 5, "column": 1}));
        let uris = json!({"project_path": "file:///p%20q", "paths": ["file:///p/src"]});
        assert_eq!(run(uris).unwrap(), json!({"project_path": "/p q", "paths": ["/p/src"]}));
    }

    #[test]
    fn arguments_of_other_tools_are_understood() {
        for name in ["file_path", "filePath", "path", "relative_path", "uri", "filename"] {
            assert_eq!(run(json!({name: "a.ts"})).unwrap(), json!({"file": "a.ts"}), "{name}");
        }
        assert_eq!(run(json!({"character": 3})).unwrap(), json!({"column": 3}));
        assert_eq!(run(json!({"glob": "src"})).unwrap(), json!({"paths": ["src"]}));
        assert_eq!(
            run(json!({"symbol_name": "A", "head_limit": 3})).unwrap(),
            json!({"symbol": "A", "pageSize": 3})
        );
    }

    #[test]
    fn what_cannot_be_meant_is_named() {
        assert!(message(json!({"symbl": "x"})).contains("unknown argument `symbl` did you mean `symbol`?"));
        assert!(message(json!({"colum": 1})).contains("did you mean `column`?"));
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
