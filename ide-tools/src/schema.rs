//! JSON schemas as clients get them: derived, then made flat and small.

use ide_model::LANGUAGES;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// The schema of a type without `$schema`, titles, formats and null alternatives.
pub(crate) fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    compact(&mut schema);
    if let Some(object) = schema.as_object_mut() {
        object.entry("type").or_insert_with(|| "object".into());
        object.entry("properties").or_insert_with(|| Map::new().into());
        object.remove("description");
    }
    schema
}

/// Names of the languages whose symbols can be addressed by name.
pub(crate) fn symbol_languages() -> Vec<&'static str> {
    LANGUAGES.iter().filter(|row| row.language.is_resolved()).map(|row| row.name).collect()
}

fn compact(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    for word in ["$schema", "title", "format", "minimum", "maximum", "default", "additionalProperties"] {
        object.remove(word);
    }
    unwrap_nullable(object);
    for word in ["properties", "$defs"] {
        if let Some(Value::Object(members)) = object.get_mut(word) {
            members.values_mut().for_each(compact);
        }
    }
    if let Some(items) = object.get_mut("items") {
        compact(items);
    }
    if let Some(Value::String(text)) = object.get_mut("description") {
        *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
}

/// `["string", "null"]` and `anyOf: [X, null]` become `string` and `X`: absent is how we say null.
fn unwrap_nullable(object: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(mut choices)) = object.remove("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
        match &mut choices[..] {
            [Value::Object(only)] => {
                for (word, value) in std::mem::take(only) {
                    object.entry(word).or_insert(value);
                }
                unwrap_nullable(object);
            }
            _ => {
                object.insert("anyOf".to_owned(), choices.into());
            }
        }
    }
}
