//! `history`: the calls that were stored, shown, exported, cleared and run again.

use std::io::{BufRead as _, IsTerminal as _};
use std::path::PathBuf;
use std::process::ExitCode;

use ::history::{Client, Database, DatabaseError, Entry, Filter, Page, Status, csv, export_name, json};
use ide_model::counted;
use serde_json::{Map, Value};

use super::{Common, Failure, SHELL_CHARS, exit, house_offering, print, settings};
use crate::app_state::HISTORY_FILE;
use crate::records::now_ms;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// List calls, newest first
    List {
        #[command(flatten)]
        which: CallFilter,
        /// So many at most
        #[arg(long, default_value_t = 50, value_name = "N")]
        limit: usize,
        /// As JSON, with results
        #[arg(long)]
        json: bool,
    },
    /// Show one call with its parameters and what the model received
    Show {
        /// Its id, or the beginning of it
        id: String,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Write calls to a file
    Export {
        #[command(flatten)]
        which: CallFilter,
        /// The form of the file
        #[arg(long, value_enum, default_value = "json")]
        format: Format,
        /// The file, `-` for standard output [default: mcp-history-TIME.FORMAT]
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Drop the calls of the project that --project names, or all
    Clear {
        /// Without asking
        #[arg(long)]
        yes: bool,
    },
    /// Run a call again; a tool that changes files asks first
    Replay {
        /// Its id, or the beginning of it
        id: String,
        /// Another value of a parameter, as JSON or as text; may be repeated
        #[arg(long, value_name = "NAME=VALUE")]
        set: Vec<String>,
        /// Without asking
        #[arg(long)]
        yes: bool,
    },
}

/// Which calls; every condition must hold. `--project` counts too.
#[derive(Debug, clap::Args)]
pub(super) struct CallFilter {
    /// Of this tool
    #[arg(long)]
    tool: Option<String>,
    /// With this status
    #[arg(long, value_parser = ["pending", "success", "error"], ignore_case = true)]
    status: Option<String>,
    /// Of this client
    #[arg(long)]
    client: Option<String>,
    /// With this text in name, parameters, result or error
    #[arg(long)]
    text: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    Json,
    Csv,
}

/// The client name under which calls are run again.
const CLIENT: &str = "history replay";

/// The text shown instead of a secret.
const MASK: &str = "***";

fn failed(error: DatabaseError) -> Failure {
    Failure::internal(format!("the history cannot be read: {error}"))
}

/// Runs the command.
pub(super) fn run(common: &Common, command: Command) -> Result<ExitCode, Failure> {
    let config = settings(common)?.0;
    let file = config.state_dir.map(|dir| dir.join(HISTORY_FILE)).filter(|file| file.exists());
    let database = file.map(|file| Database::open(&file)).transpose().map_err(failed)?;
    let database = match database {
        Some(database) => database,
        None => Database::in_memory().map_err(failed)?,
    };
    let project = common.project.first().map(|path| std::path::absolute(path).map_err(Failure::setting));
    let project = project.transpose()?.map(|path| path.to_string_lossy().replace('\\', "/"));
    let project = project.as_deref().map(|path| path.trim_end_matches('/'));
    match command {
        Command::List { which, limit, json: as_json } => {
            let page = Page { before: None, limit, with_results: as_json };
            let entries = database.list(which.filter(project), page).map_err(failed)?;
            let entries: Vec<&Entry> = entries.iter().collect();
            print(&if as_json { json(&entries) } else { table(&entries) });
        }
        Command::Show { id, json: as_json } => {
            let entry = find(&database, &id)?;
            print(&if as_json { json(&[&entry]) } else { shown(&entry) });
        }
        Command::Export { which, format, output } => {
            let page = Page { before: None, limit: usize::MAX >> 1, with_results: true };
            let entries = database.list(which.filter(project), page).map_err(failed)?;
            export(&entries.iter().collect::<Vec<_>>(), format, output)?;
        }
        Command::Clear { yes } => return clear(database, project, yes),
        Command::Replay { id, set, yes } => return replay(common, find(&database, &id)?, &set, yes),
    }
    Ok(ExitCode::SUCCESS)
}

impl CallFilter {
    fn filter<'a>(&'a self, project: Option<&'a str>) -> Filter<'a> {
        let status = self.status.as_ref().and_then(|word| {
            Status::ALL.into_iter().find(|status| status.as_str().eq_ignore_ascii_case(word))
        });
        Filter {
            project,
            tool: self.tool.as_deref(),
            status,
            client: self.client.as_deref(),
            text: self.text.as_deref(),
        }
    }
}

fn find(database: &Database, id: &str) -> Result<Entry, Failure> {
    let names = database.beginning_with(id.trim()).map_err(failed)?;
    match names.as_slice() {
        [name] => database.get(name).map_err(failed)?.ok_or_else(|| Failure::setting("the call is gone")),
        [] => Err(Failure::setting(format!("no call `{id}` in the history"))),
        _ => Err(Failure::setting(format!("more than one call begins with `{id}`"))),
    }
}

/// Columns of a row of [`table`].
fn row(time: &str, status: &str, took: &str, tokens: &str, tool: &str, rest: &str) -> String {
    format!("{time:<19} {status:<8}{took:>9}{tokens:>8}  {tool:<26} {rest}")
}

fn table(entries: &[&Entry]) -> String {
    let mut lines = vec![row("TIME (UTC)", "STATUS", "MS", "TOKENS", "TOOL", "ID        CLIENT")];
    let number = |n: Option<u64>| n.map_or_else(String::new, |n| n.to_string());
    for entry in entries {
        let time = entry.timestamp.get(..19).unwrap_or(&entry.timestamp).replace('T', " ");
        let client = entry.client.as_ref().map_or("", |client| &client.name);
        let id = entry.id.get(..8).unwrap_or(&entry.id);
        let (took, tokens) = (number(entry.duration_ms), number(entry.tokens));
        lines.push(row(
            &time,
            entry.status.as_str(),
            &took,
            &tokens,
            &entry.tool_name,
            &format!("{id}  {client}"),
        ));
    }
    lines.join("\n")
}

fn shown(entry: &Entry) -> String {
    let mut text = format!("{} {}  {}\n", entry.timestamp, entry.status.as_str(), entry.tool_name);
    let mut line = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            text.push_str(&format!("{name:<12} {value}\n"));
        }
    };
    line("id", Some(entry.id.clone()));
    line("client", entry.client.as_ref().map(|client| format!("{} {}", client.name, client.version)));
    line("project", entry.project_path.clone());
    line("replay of", entry.replay_of.clone());
    line("duration", entry.duration_ms.map(|ms| format!("{ms} ms")));
    let size = entry.characters.zip(entry.tokens);
    line("size", size.map(|(n, tokens)| format!("{n} characters, about {tokens} tokens")));
    line("changed", entry.affected_files.as_ref().map(|files| files.join(", ")));
    text.push_str(&format!("\nparameters\n{:#}\n", entry.parameters));
    if let Some(received) = entry.received() {
        let part = entry.model_receives.as_str();
        let cut = if entry.result_truncated { ", cut" } else { "" };
        text.push_str(&format!("\nwhat the model received ({part}{cut})\n{}\n", indented(received)));
    }
    text.trim_end().to_owned()
}

/// JSON with a line for every member; anything else as it is.
fn indented(text: &str) -> String {
    serde_json::from_str::<Value>(text).map_or_else(|_| text.to_owned(), |value| format!("{value:#}"))
}

fn export(entries: &[&Entry], format: Format, output: Option<PathBuf>) -> Result<(), Failure> {
    let (text, extension) = match format {
        Format::Json => (json(entries), "json"),
        Format::Csv => (csv(entries), "csv"),
    };
    let file = output.unwrap_or_else(|| export_name(now_ms(), extension).into());
    if file.as_os_str() == "-" {
        print(text.trim_end());
        return Ok(());
    }
    std::fs::write(&file, text).map_err(|error| Failure::setting(format!("{}: {error}", file.display())))?;
    print(&format!("{} in {}", counted(entries.len(), "call"), file.display()));
    Ok(())
}

/// Whether whoever sits at the terminal agrees. Without one nobody does.
fn agreed(question: &str) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::setting(format!("{question} Pass --yes to do it without being asked")));
    }
    print(&format!("{question} [y/N]"));
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(Failure::internal)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

fn clear(mut database: Database, project: Option<&str>, yes: bool) -> Result<ExitCode, Failure> {
    let before = database.count().map_err(failed)?;
    let of =
        project.map_or_else(|| format!("all {before} calls"), |project| format!("the calls of {project}"));
    if !yes && !agreed(&format!("This drops {of}."))? {
        return Ok(ExitCode::from(exit::FAILED));
    }
    database.clear(project).map_err(failed)?;
    let after = database.count().map_err(failed)?;
    print(&format!("{} dropped, {after} left", counted(before - after, "call")));
    Ok(ExitCode::SUCCESS)
}

fn replay(common: &Common, entry: Entry, set: &[String], yes: bool) -> Result<ExitCode, Failure> {
    let tool = ide_tools::find_any(&entry.tool_name).map_err(|error| Failure::setting(error.message))?;
    let mut parameters = match entry.parameters {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    for change in set {
        let (name, value) = change
            .split_once('=')
            .ok_or_else(|| Failure::setting(format!("`{change}` is not of the form NAME=VALUE")))?;
        let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
        parameters.insert(name.trim().to_owned(), value);
    }
    if let Some((name, _)) = parameters.iter().find(|(_, value)| *value == MASK) {
        return Err(Failure::setting(format!(
            "`{name}` was masked as a secret; give it anew with --set {name}=…"
        )));
    }
    let parameters = Value::Object(parameters);
    if !tool.hints.read_only && !yes {
        print(&format!("{}\n{parameters:#}", tool.name));
        if !agreed("This tool may change files.")? {
            return Ok(ExitCode::from(exit::FAILED));
        }
    }
    let mut common = common.clone();
    if common.project.is_empty() {
        common.project.extend(entry.project_path.map(PathBuf::from));
    }
    let app = house_offering(&common, &[tool.name])?;
    let client = Client { name: CLIENT.to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
    let reply = app.session(CLIENT, Vec::new()).with_budget(SHELL_CHARS).call_recorded(
        tool,
        parameters,
        client,
        Some(entry.id),
    );
    print(reply.text.as_deref().unwrap_or(&reply.json).trim_end());
    Ok(if reply.is_error { ExitCode::from(exit::FAILED) } else { ExitCode::SUCCESS })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use ::history::{NewCall, Outcome, Received};

    #[test]
    fn a_call_is_shown_with_what_the_model_received() {
        let call = NewCall {
            tool_name: "ide_find_class".to_owned(),
            parameters: json!({"query": "Cart"}),
            project_path: Some("/p".to_owned()),
            client: Some(Client { name: "codex".to_owned(), version: "1".to_owned() }),
            replay_of: None,
        };
        let mut entry = Entry::new(call, 1_700_000_000_000, 7);
        entry.end(Outcome {
            result: Ok("1 class".to_owned()),
            structured: Some("{\"n\":1}".to_owned()),
            received: Received::Structured,
            duration: std::time::Duration::from_millis(3),
            affected_files: None,
            project_path: None,
        });
        let text = shown(&entry);
        for part in
            ["codex 1", "/p", "3 ms", "7 characters", "\"query\": \"Cart\"", "(structured)\n{\n  \"n\": 1\n}"]
        {
            assert!(text.contains(part), "{part} in {text}");
        }
        let line = table(&[&entry]);
        assert!(line.contains("2023-11-14 22:13:20 SUCCESS ") && line.ends_with("00000000  codex"), "{line}");
    }
}
