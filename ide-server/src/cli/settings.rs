//! `settings`: what the settings file holds, shown and changed one key at a time.

use std::process::ExitCode;

use serde_json::Value;

use super::{Common, Failure, print};
use crate::config::{Config, Places};

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Show every setting with its value, and which ones the file sets
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the value of one setting
    Get { key: String },
    /// Change one setting in the file; everything else in it stays as it is
    Set {
        key: String,
        /// The value, as TOML or as a word; a list may be given as several values
        #[arg(required = true, allow_hyphen_values = true)]
        value: Vec<String>,
    },
    /// Take one setting out of the file, so that its default holds
    Unset { key: String },
    /// Print where the file is
    Path,
    /// Print the JSON schema of the file, for editors that complete and check TOML
    Schema,
}

/// Runs the command.
pub(super) fn run(common: &Common, command: Command) -> Result<ExitCode, Failure> {
    let places = Places::from_environment();
    let file = common.config.clone().or_else(|| places.config_file.clone());
    let file =
        file.ok_or_else(|| Failure::setting("there is no home directory: name a file with --config"))?;
    let load = || {
        Config::load(common.config.as_deref().filter(|file| file.exists()), &places).map_err(Failure::setting)
    };
    match command {
        Command::List { json } => {
            let values = load()?.values();
            print(&if json {
                format!("{values:#}")
            } else {
                listed(&values, &Config::text_of(&file).map_err(Failure::setting)?)
            });
        }
        Command::Get { key } => {
            let key = Config::key(&key).map_err(Failure::setting)?;
            print(&shown(&load()?.values()[&key]));
        }
        Command::Set { key, value } => set(&file, &key, Some(&value))?,
        Command::Unset { key } => set(&file, &key, None)?,
        Command::Path => print(&file.display().to_string()),
        Command::Schema => print(&format!("{:#}", Config::schema())),
    }
    Ok(ExitCode::SUCCESS)
}

fn set(file: &std::path::Path, key: &str, value: Option<&[String]>) -> Result<(), Failure> {
    Config::change_file(file, key, value).map_err(Failure::setting)?;
    print(&format!("{} is written; a running server reads it when it starts again", file.display()));
    Ok(())
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn listed(values: &Value, text: &str) -> String {
    let set: toml::Table = toml::from_str(text).unwrap_or_default();
    let rows = values.as_object().into_iter().flatten().map(|(key, value)| {
        let mark = if set.contains_key(key) { "*" } else { " " };
        format!("{mark} {key:<24} {}", shown(value)).trim_end().to_owned()
    });
    rows.chain(["(* set in the file)".to_owned()]).collect::<Vec<_>>().join("\n")
}
