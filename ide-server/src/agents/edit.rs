//! One entry of a settings file, set or taken out; everything else stays as it is, comments too.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;
use toml_edit::{DocumentMut, Item, Table};

use super::Syntax;

/// The byte order mark that some editors write.
const MARK: char = '\u{feff}';

/// The text with `table.name` set to an entry.
///
/// # Errors
/// When the text cannot be read, or something else stands where the table should be.
pub(super) fn set(
    syntax: Syntax,
    text: &str,
    table: &str,
    name: &str,
    entry: &Value,
) -> Result<String, String> {
    edited(text, |text| match syntax {
        Syntax::Json => set_json(text, table, name, entry),
        Syntax::Toml => set_toml(text, table, name, entry),
    })
}

/// The text without `table.name`, and without the table when nothing else is in it.
///
/// # Errors
/// When the text cannot be read.
pub(super) fn take_out(syntax: Syntax, text: &str, table: &str, name: &str) -> Result<String, String> {
    edited(text, |text| match syntax {
        Syntax::Json => take_out_json(text, table, name),
        Syntax::Toml => take_out_toml(text, table, name),
    })
}

/// The text with `table.name` as an earlier text had it, or without it where that had none.
///
/// # Errors
/// When the text cannot be read.
pub(super) fn give_back(
    syntax: Syntax,
    text: &str,
    before: &str,
    table: &str,
    name: &str,
) -> Result<String, String> {
    let before = before.strip_prefix(MARK).unwrap_or(before);
    edited(text, |text| match syntax {
        Syntax::Json => {
            let held = |(_, object): (CstRootNode, CstObject)| {
                object.object_value(table)?.get(name)?.value()?.to_serde_value()
            };
            match json_root(before).ok().and_then(held) {
                Some(entry) => set_json(text, table, name, &entry),
                None => take_out_json(text, table, name),
            }
        }
        Syntax::Toml => {
            let held = |document: DocumentMut| document.get(table)?.as_table_like()?.get(name).cloned();
            match toml_document(before).ok().and_then(held) {
                Some(entry) => {
                    let mut document = toml_document(text)?;
                    toml_servers(&mut document, table)?.insert(name, entry);
                    Ok(document.to_string())
                }
                None => take_out_toml(text, table, name),
            }
        }
    })
}

/// Edits a text with line feeds only and gives it its own line ends and byte order mark back.
fn edited(text: &str, edit: impl FnOnce(&str) -> Result<String, String>) -> Result<String, String> {
    let plain = text.strip_prefix(MARK).unwrap_or(text);
    let mark = if plain.len() < text.len() { &text[..MARK.len_utf8()] } else { "" };
    let feeds = plain.matches('\n').count();
    let is_dos = feeds > 0 && plain.matches("\r\n").count() == feeds;
    let done = if is_dos { edit(&plain.replace("\r\n", "\n"))?.replace('\n', "\r\n") } else { edit(plain)? };
    Ok(format!("{mark}{done}"))
}

fn json_root(text: &str) -> Result<(CstRootNode, CstObject), String> {
    let options = ParseOptions { allow_missing_commas: false, ..ParseOptions::default() };
    let root = CstRootNode::parse(text, &options).map_err(|error| error.to_string())?;
    let object = root.object_value_or_create().ok_or("it holds something else than an object")?;
    Ok((root, object))
}

/// Refuses an object with a key twice: readers differ in which of them holds.
fn only_once(object: &CstObject, key: &str) -> Result<(), String> {
    let name = |property: &jsonc_parser::cst::CstObjectProp| property.name()?.decoded_value().ok();
    let all = object.properties();
    let count = all.iter().filter(|property| name(property).as_deref() == Some(key)).count();
    if count > 1 { Err(format!("`{key}` stands twice in it")) } else { Ok(()) }
}

fn set_json(text: &str, table: &str, name: &str, entry: &Value) -> Result<String, String> {
    let (root, object) = json_root(text)?;
    only_once(&object, table)?;
    let servers =
        object.object_value_or_create(table).ok_or_else(|| format!("`{table}` is not an object in it"))?;
    only_once(&servers, name)?;
    match servers.get(name) {
        // A property with the same meaning stays as it is written.
        Some(property)
            if property.value().and_then(|held| held.to_serde_value()).is_some_and(|held| held == *entry) =>
        {
            return Ok(text.to_owned());
        }
        Some(property) => property.set_value(input(entry)),
        None => drop(servers.append(name, input(entry))),
    }
    let mut done = root.to_string();
    if text.trim().is_empty() && !done.ends_with('\n') {
        done.push('\n');
    }
    Ok(done)
}

fn take_out_json(text: &str, table: &str, name: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let (root, object) = json_root(text)?;
    only_once(&object, table)?;
    if let Some(servers) = object.object_value(table)
        && let Some(property) = servers.get(name)
    {
        property.remove();
        if servers.properties().is_empty()
            && let Some(table) = object.get(table)
        {
            table.remove();
        }
    }
    Ok(root.to_string())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(bool) => CstInputValue::Bool(*bool),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        Value::Object(map) => {
            CstInputValue::Object(map.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

fn toml_document(text: &str) -> Result<DocumentMut, String> {
    text.parse::<DocumentMut>().map_err(|error| error.to_string())
}

/// The table of servers, which is made when it is missing.
fn toml_servers<'d>(
    document: &'d mut DocumentMut,
    table: &str,
) -> Result<&'d mut dyn toml_edit::TableLike, String> {
    let mut added = Table::new();
    added.set_implicit(true);
    let servers = document.entry(table).or_insert(Item::Table(added));
    servers.as_table_like_mut().ok_or_else(|| format!("`{table}` is not a table in it"))
}

fn set_toml(text: &str, table: &str, name: &str, entry: &Value) -> Result<String, String> {
    let mut document = toml_document(text)?;
    let servers = toml_servers(&mut document, table)?;
    let fields = entry.as_object().ok_or("a server is a table")?;
    if let Some(held) = servers.get(name).and_then(Item::as_table_like)
        && held.len() == fields.len()
        && fields.iter().all(|(key, value)| held.get(key).is_some_and(|held| says(held, value)))
    {
        return Ok(text.to_owned());
    }
    let mut server = Table::new();
    for (key, value) in fields {
        server.insert(key, Item::Value(toml_value(value)?));
    }
    servers.insert(name, Item::Table(server));
    Ok(document.to_string())
}

fn take_out_toml(text: &str, table: &str, name: &str) -> Result<String, String> {
    let mut document = toml_document(text)?;
    let Some(servers) = document.get_mut(table).and_then(Item::as_table_like_mut) else {
        return Ok(text.to_owned());
    };
    if servers.remove(name).is_none() {
        return Ok(text.to_owned());
    }
    if servers.is_empty() {
        document.remove(table);
    }
    Ok(document.to_string())
}

fn says(held: &Item, value: &Value) -> bool {
    toml_value(value).is_ok_and(|value| {
        held.as_value().is_some_and(|held| held.to_string().trim() == value.to_string().trim())
    })
}

fn toml_value(value: &Value) -> Result<toml_edit::Value, String> {
    match value {
        Value::String(text) => Ok(text.as_str().into()),
        Value::Bool(bool) => Ok((*bool).into()),
        Value::Array(list) => {
            let items = list.iter().map(toml_value).collect::<Result<toml_edit::Array, _>>()?;
            Ok(items.into())
        }
        _ => Err(format!("{value} has no place in TOML here")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn there_and_back(syntax: Syntax, table: &str, text: &str) -> String {
        let entry = json!({"url": "u", "args": ["a"]});
        let with = set(syntax, text, table, "x", &entry).unwrap();
        assert_eq!(set(syntax, &with, table, "x", &entry).unwrap(), with, "again");
        let other = set(syntax, &with, table, "x", &json!({"url": "v"})).unwrap();
        assert_ne!(other, with);
        assert!(!take_out(syntax, &other, table, "x").unwrap().contains("\"v\""));
        take_out(syntax, &with, table, "x").unwrap()
    }

    #[test]
    fn other_entries_and_comments_stay() {
        for text in [
            "{\n  // mine\n  \"a\": 1, // one\n  \"servers\": {\n    \"other\": {\"url\": \"o\"} /* kept */\n  }\n}\n",
            "{\n\t\"servers\": {\n\t\t\"other\": {}\n\t},\n\t\"b\": [1, 2],\n}\n",
            "{\r\n    \"b\": \"\u{fc}\"\r\n}\r\n",
            "\u{feff}{\n  \"servers\": {\n    \"other\": {}\n  }\n}",
        ] {
            let with = set(Syntax::Json, text, "servers", "x", &json!({"url": "u"})).unwrap();
            for part in ["// mine", "// one", "/* kept */", "\"url\": \"o\"", "\u{fc}", "\r\n", "\u{feff}"] {
                assert_eq!(with.contains(part), text.contains(part), "{part} in {with}");
            }
            let value = |text: &str| json_root(text.trim_start_matches(MARK)).unwrap().0.to_serde_value();
            assert_eq!(value(&there_and_back(Syntax::Json, "servers", text)), value(text), "{text}");
        }
        for text in [
            "# mine\nmodel = \"m\" # which\n\n[servers.other]\nurl = \"o\"\n\n[z]\na = 1\n",
            "a = 1\r\n[servers.other]\r\nurl = 'o'\r\n",
            "servers = { other = { url = \"o\" } }\n",
            "",
        ] {
            let back = there_and_back(Syntax::Toml, "servers", text);
            for part in ["# mine", "# which"] {
                assert_eq!(back.contains(part), text.contains(part), "{part} in {back}");
            }
            let value = |text: &str| toml::from_str::<toml::Table>(text).unwrap();
            assert_eq!(value(&back), value(text), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let refused = |syntax, text| set(syntax, text, "servers", "x", &json!({"url": "u"})).unwrap_err();
        refused(Syntax::Json, "[1]");
        refused(Syntax::Json, "{\"servers\": 3}");
        refused(Syntax::Json, "{\"a\": ");
        refused(Syntax::Json, "{\"servers\": {}, \"servers\": {\"a\": 1}}");
        refused(Syntax::Json, "{\"servers\": {\"x\": 1, \"x\": 2}}");
        refused(Syntax::Toml, "servers = 3");
        refused(Syntax::Toml, "a = ");
    }

    #[test]
    fn an_empty_file_becomes_a_whole_one() {
        let made = set(Syntax::Json, "", "servers", "x", &json!({"url": "u"})).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&made).unwrap(), json!({"servers": {"x": {"url": "u"}}}));
        assert!(made.ends_with("}\n"), "{made}");
        let made = set(Syntax::Toml, "", "servers", "x", &json!({"url": "u"})).unwrap();
        assert_eq!(made, "[servers.x]\nurl = \"u\"\n");
    }
}
