//! The keys of the settings file: their names, older names, and how a file of an older schema is read.

use serde_json::Value;
use toml_edit::{DocumentMut, Item};

use crate::config::Config;

/// The schema of the settings file, raised whenever a key gets another name or meaning.
pub(crate) const SCHEMA: u32 = 1;

/// The key that holds the schema.
const SCHEMA_KEY: &str = "schema_version";

/// Names that keys have in other servers and had before, in the form that [`plain`] makes.
const OLD_NAMES: &[(&str, &str)] = &[
    ("serverport", "port"),
    ("serverhost", "host"),
    ("authtoken", "token_file"),
    ("maxresponsebytes", "max_response_chars"),
    ("historysize", "max_history_size"),
    ("maxhistory", "max_history_size"),
    ("settingsschemaversion", SCHEMA_KEY),
];

/// Keys of other servers that mean nothing here: the index is always current.
const WITHOUT_MEANING: &[&str] = &["syncexternalchanges", "autoscroll", "showtimestamps"];

/// Settings that hold in a running server at once; the others hold when it starts again.
const LIVE: [&str; 8] = [
    "call_timeout_seconds",
    "clients",
    "disabled_tools",
    "enabled_tools",
    "max_open_projects",
    "max_response_chars",
    "response_format",
    "trusted_projects",
];

/// A name without separators and case.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// How many letters differ, at most `most`.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

impl Config {
    /// Every setting by its key.
    pub(crate) fn values(&self) -> Value {
        serde_json::to_value(self).expect("settings are plain data with text keys")
    }

    /// Whether a change of this key holds at once.
    pub(crate) fn is_live(key: &str) -> bool {
        LIVE.contains(&key)
    }

    /// These settings with one key as others have it.
    pub(crate) fn with_key(&self, key: &str, others: &Self) -> Self {
        let mut values = self.values();
        values[key] = others.values()[key].take();
        let changed: Self = serde_json::from_value(values).expect("values of settings are settings");
        Self { working_dir: self.working_dir.clone(), file: self.file.clone(), ..changed }
    }

    /// The JSON schema of the settings file.
    pub(crate) fn schema() -> Value {
        schemars::schema_for!(Self).to_value()
    }

    /// Every setting for a person: its value, what it means, and whether the file sets it.
    pub(crate) fn described(&self, text: &str) -> Value {
        let schema = Self::schema();
        let set = document(text).unwrap_or_default();
        let (values, defaults) = (self.values(), Self::default().values());
        let rows = values.as_object().into_iter().flatten().filter(|(key, _)| *key != SCHEMA_KEY);
        rows.map(|(key, value)| {
            let about = &schema["properties"][key];
            serde_json::json!({
                "key": key,
                "value": value,
                "default": defaults[key],
                "about": about["description"],
                "isSet": set.contains_key(key),
                "isLive": Self::is_live(key),
                "kind": kind(key, &defaults[key]),
            })
        })
        .collect()
    }

    /// The key that a name means: itself in any spelling, or an older name.
    ///
    /// # Errors
    /// Names the nearest key.
    pub(crate) fn key(name: &str) -> Result<String, String> {
        let values = Config::default().values();
        let wanted = plain(name);
        let old = OLD_NAMES.iter().find(|(old, _)| *old == wanted).map(|(_, key)| *key);
        let keys = || values.as_object().into_iter().flat_map(|values| values.keys());
        if let Some(key) = keys().find(|key| Some(key.as_str()) == old || plain(key) == wanted) {
            return Ok(key.clone());
        }
        let nearest = keys().min_by_key(|key| distance(&plain(key), &wanted)).map_or("", |key| key);
        Err(format!("there is no setting `{name}`; the nearest is `{nearest}`"))
    }

    /// The text of a settings file with one key set to a value, or without it.
    ///
    /// # Errors
    /// When the file or the value does not do.
    pub(crate) fn changed(text: &str, key: &str, value: Option<&[String]>) -> Result<String, String> {
        let mut document = document(text)?;
        match value {
            None => drop(document.remove(key)),
            Some(words) => {
                let is_list = Config::default().is_list(key);
                let item = match words {
                    [word] if !is_list => value_of(word),
                    [word] if word.trim_start().starts_with('[') => value_of(word),
                    words => words.iter().map(|word| value_of(word)).collect::<toml_edit::Array>().into(),
                };
                let is_text = |value: &toml_edit::Value| value.is_str();
                // A word that looks like a number may be meant as a text.
                let as_text = |words: &[String]| toml_edit::Value::from(words.join(" "));
                let tried = with(&document, key, item.clone());
                match tried {
                    Ok(done) => document = done,
                    Err(error) if is_list || is_text(&item) => return Err(error),
                    Err(error) => document = with(&document, key, as_text(words)).map_err(|_| error)?,
                }
            }
        }
        document[SCHEMA_KEY] = toml_edit::value(i64::from(SCHEMA));
        Config::parse(&document.to_string())?;
        Ok(document.to_string())
    }

    fn is_list(&self, key: &str) -> bool {
        matches!(key, "allowed_roots") || self.values()[key].is_array()
    }

    /// The settings in the text of a file, also of an older schema.
    ///
    /// # Errors
    /// When it is not TOML, has a key that means nothing, or is of a later schema.
    pub(crate) fn parse(text: &str) -> Result<Config, String> {
        let migrated = document(text)?;
        let unknown = migrated.iter().map(|(key, _)| key).find(|key| Config::key(key).is_err());
        let hint = unknown
            .and_then(|key| Config::key(key).err())
            .map_or_else(String::new, |hint| format!("{hint}\n"));
        let text = if is_of_schema(text) { text.to_owned() } else { migrated.to_string() };
        let mut config: Config =
            toml::from_str(&text).map_err(|error| format!("{hint}{}", error.to_string().trim_end()))?;
        let product = crate::products::Product::of(&config.product).ok_or_else(|| {
            let known: Vec<&str> = crate::products::PRODUCTS.iter().map(|product| product.id).collect();
            format!("there is no product `{}`; known are {}", config.product, known.join(", "))
        })?;
        if !migrated.contains_key("port") {
            config.port = product.port;
        }
        config.check()?;
        Ok(config)
    }
}

/// How a person enters a value.
fn kind(key: &str, default: &Value) -> &'static str {
    match default {
        _ if Config::default().is_list(key) => "list",
        Value::Bool(_) => "switch",
        Value::Number(_) => "number",
        Value::Object(_) => "table",
        _ => "text",
    }
}

fn is_of_schema(text: &str) -> bool {
    text.parse::<DocumentMut>()
        .is_ok_and(|document| document.get(SCHEMA_KEY).and_then(Item::as_integer) == Some(i64::from(SCHEMA)))
}

/// The document with a key set, when it is one that can be read.
fn with(document: &DocumentMut, key: &str, value: toml_edit::Value) -> Result<DocumentMut, String> {
    let mut changed = document.clone();
    let written = value.to_string();
    match changed.get_mut(key).and_then(Item::as_value_mut) {
        // The text around the value, a comment too, stays.
        Some(held) => {
            let around = held.decor().clone();
            *held = value;
            *held.decor_mut() = around;
        }
        None => drop(changed.insert(key, Item::Value(value))),
    }
    let text = changed.to_string();
    Config::parse(&text).map_err(|error| match toml::from_str::<Config>(&text) {
        Err(kind) => format!("`{key}` cannot be {}: {}", written.trim(), kind.message()),
        Ok(_) => error,
    })?;
    Ok(changed)
}

/// A word as TOML, or as a text.
fn value_of(word: &str) -> toml_edit::Value {
    word.parse().unwrap_or_else(|_| word.into())
}

/// A file as a document of the present schema.
fn document(text: &str) -> Result<DocumentMut, String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let schema = document.get(SCHEMA_KEY).and_then(Item::as_integer).unwrap_or(0);
    if schema > i64::from(SCHEMA) {
        return Err(format!("{SCHEMA_KEY} is {schema}: a later version of this program wrote the file"));
    }
    if schema < 1 {
        from_schema_0(&mut document);
    }
    Ok(document)
}

/// Before there was a schema, keys could have the names of other servers.
fn from_schema_0(document: &mut DocumentMut) {
    let names: Vec<String> = document.iter().map(|(name, _)| name.to_owned()).collect();
    for name in names {
        if WITHOUT_MEANING.contains(&plain(&name).as_str()) {
            document.remove(&name);
            continue;
        }
        let Ok(key) = Config::key(&name) else { continue };
        if key != name
            && let Some(item) = document.remove(&name)
            && !document.contains_key(&key)
        {
            document.insert(&key, item);
        }
    }
    if let Some(format) = document.get("response_format").and_then(Item::as_str).map(str::to_lowercase) {
        document["response_format"] = toml_edit::value(format);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_any_spelling_and_others_name_the_nearest() {
        for (name, key) in [
            ("port", "port"),
            ("serverPort", "port"),
            ("maxHistorySize", "max_history_size"),
            ("MAX-history_size", "max_history_size"),
            ("disabledTools", "disabled_tools"),
        ] {
            assert_eq!(Config::key(name).unwrap(), key);
        }
        assert!(Config::key("prot").unwrap_err().contains("`port`"));
        assert!(Config::key("disabled_tolls").unwrap_err().contains("`disabled_tools`"));
        assert_eq!((distance("port", "prot"), distance("", "ab"), distance("abc", "abc")), (2, 2, 0));
    }

    #[test]
    fn one_key_changes_and_comments_stay() {
        let text = "# mine\nport = 1234 # here\nexcludes = [\"gen\"]\n";
        let set = |text: &str, key: &str, words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            Config::changed(text, key, Some(&words))
        };
        let changed = set(text, "port", &["29200"]).unwrap();
        assert!(changed.starts_with("# mine\nport = 29200 # here\nexcludes = [\"gen\"]\n"), "{changed}");
        assert_eq!(Config::parse(&changed).unwrap().port, 29200);
        assert!(set(text, "port", &["many"]).is_err());
        assert!(set(text, "port", &["70000"]).is_err());
        let lists = set(text, "excludes", &["a", "b"]).unwrap();
        assert_eq!(Config::parse(&lists).unwrap().excludes, ["a", "b"]);
        let one = set(text, "excludes", &["a"]).unwrap();
        assert_eq!(Config::parse(&one).unwrap().excludes, ["a"]);
        let host = set("", "host", &["127.0.0.2"]).unwrap();
        assert_eq!(Config::parse(&host).unwrap().host, "127.0.0.2");
        assert!(set("", "disabled_tools", &["ide_no_tool"]).unwrap_err().contains("ide_no_tool"));
        let gone = Config::changed(text, "port", None).unwrap();
        assert_eq!(Config::parse(&gone).unwrap().port, 29190);
    }

    #[test]
    fn files_of_older_schemas_are_read_and_later_ones_are_not() {
        let old = "serverPort = 30000\nmaxHistorySize = 50\nresponseFormat = \"JSON\"\nsyncExternalChanges = true\n";
        let config = Config::parse(old).unwrap();
        assert_eq!((config.port, config.max_history_size), (30_000, 50));
        let written = Config::changed(old, "host", Some(&["::1".to_owned()])).unwrap();
        assert!(written.contains("schema_version = 1") && written.contains("port = 30000"), "{written}");
        assert_eq!(Config::parse(&written).unwrap().max_history_size, 50);
        assert!(Config::parse("schema_version = 1\nserverPort = 30000\n").is_err(), "only older files");
        assert!(Config::parse("schema_version = 2\n").unwrap_err().contains("later version"));
    }

    #[test]
    fn a_product_has_its_port_unless_the_file_says_another() {
        let port = |text| Config::parse(text).unwrap().port;
        assert_eq!(port("product = \"pycharm\""), 29172);
        assert_eq!(port("product = \"pycharm\"\nport = 5000"), 5_000);
        assert_eq!(port(""), 29190);
        assert!(Config::parse("product = \"emacs\"").unwrap_err().contains("rustrover"));
    }
}
