//! `call TOOL --arg value`: every tool from the shell, its flags made from its schema.

use std::process::ExitCode;

use ::history::Client;
use clap::{Arg, ArgAction, ArgMatches, Command};
use ide_tools::ToolSpec;
use serde_json::{Map, Value};

use super::{Common, Failure, SHELL_CHARS, exit, house_offering, print};

/// The command with one command for every tool.
pub(super) fn command() -> Command {
    Command::new("call")
        .about("Call a tool and print its result")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(ide_tools::all().iter().map(tool_command))
}

fn tool_command(tool: &'static ToolSpec) -> Command {
    let json = Arg::new(":json").long("json").help("The result as JSON").action(ArgAction::SetTrue);
    let flags = tool.properties().map(|(name, schema)| flag(name, schema));
    Command::new(tool.name).about(tool.about).arg(json).args(flags)
}

fn flag(name: &'static str, schema: &'static Value) -> Arg {
    let long: String = name
        .chars()
        .flat_map(|c| match c {
            '_' => vec!['-'],
            c if c.is_uppercase() => vec!['-', c.to_ascii_lowercase()],
            c => vec![c],
        })
        .collect();
    let word = |key: &str| schema.get(key).and_then(Value::as_str);
    let mut help = word("description").unwrap_or("").to_owned();
    if let Some(Value::Array(choices)) = schema.get("enum") {
        let choices: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
        help = format!("{help} [{}]", choices.join(", ")).trim_start().to_owned();
    }
    // The name as the schema spells it does too.
    let alias = (long != name).then_some(name);
    let arg = Arg::new(name).long(long).aliases(alias).help(help);
    match word("type") {
        Some("boolean") => arg.num_args(0..=1).default_missing_value("true").value_name("BOOL"),
        Some("array") => arg.action(ArgAction::Append).value_name("VALUE"),
        Some("integer") => arg.value_name("N").allow_negative_numbers(true),
        _ => arg.value_name("TEXT").allow_hyphen_values(true),
    }
}

/// The argument that names the project.
const PROJECT: &str = "project_path";

/// Runs the tool that the matches name.
pub(super) fn run(common: &Common, matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let (name, matches) = matches.subcommand().ok_or_else(|| Failure::internal("no tool"))?;
    let tool = ide_tools::find(name).map_err(|error| Failure::internal(error.message))?;
    let mut args = arguments(tool, matches);
    // On the wire a project is an absolute path of an open project; a shell has a directory to start from, and who
    // names a folder there means that folder.
    let mut named = Vec::new();
    if let Some(Value::String(path)) = args.get_mut(PROJECT)
        && !path.starts_with('~')
    {
        let absolute = std::path::absolute(&*path).map_err(Failure::internal)?;
        *path = absolute.to_string_lossy().into_owned();
        if !absolute.is_dir() {
            // Said before anything else is looked at.
            return Err(Failure::setting(format!(
                "--project-path {}: there is no such directory",
                absolute.display()
            )));
        }
        named.push(absolute);
    }
    if named.is_empty() && common.project.is_empty() {
        from_here(&mut args);
    }
    let common = if common.project.is_empty() && !named.is_empty() {
        &Common { project: named, ..common.clone() }
    } else {
        common
    };
    let app = house_offering(common, &[tool.name])?;
    let client = Client { name: "shell".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
    let ask = |args: &Value| {
        let session = app.session("shell", Vec::new()).with_budget(SHELL_CHARS);
        session.call_recorded(tool, args.clone(), client.clone(), None)
    };
    let mut reply = ask(&args);
    // A job ends with this process, so a later `call` could not ask for its result.
    let is_patient = args.get("waitSeconds").is_none();
    while let Some((parameter, id)) = running(&reply.json).filter(|_| is_patient && !reply.is_error) {
        args[parameter] = id;
        reply = ask(&args);
    }
    let json = matches.get_flag(":json");
    match reply.text {
        Some(text) if !json => print(text.trim_end()),
        _ if json => print(&reply.json),
        _ => {
            let value: Value = serde_json::from_str(&reply.json).map_err(Failure::internal)?;
            print(&format!("{value:#}"));
        }
    }
    let is_done = !reply.is_error && !is_refused(&reply.json);
    Ok(if is_done { ExitCode::SUCCESS } else { ExitCode::from(exit::FAILED) })
}

/// Whether a result says that nothing was done, as a deletion with uses does, or that a build failed.
fn is_refused(result: &str) -> bool {
    serde_json::from_str(result).is_ok_and(|value: Value| value.get("success") == Some(&Value::Bool(false)))
}

/// The operation that a result says is still running: the parameter that asks for it again, and its id.
fn running(result: &str) -> Option<(&'static str, Value)> {
    let value: Value = serde_json::from_str(result).ok()?;
    let named = |parameter: &'static str| value.get(parameter).cloned().map(|id| (parameter, id));
    let of_job = || ["buildId", "runId"].into_iter().find_map(named);
    named("checkId").or_else(|| (value.get("status")? == "running").then(of_job).flatten())
}

/// Makes relative paths of files that are there absolute: who is in a subdirectory of a repository means them from there.
fn from_here(args: &mut Value) {
    let absolute = |path: &str| {
        let whole = std::path::absolute(path).ok().filter(|whole| whole.is_file())?;
        Some(Value::from(whole.to_string_lossy().into_owned()))
    };
    for name in ["file", "files"] {
        match args.get_mut(name) {
            Some(value @ Value::String(_)) => {
                if let Some(path) = value.as_str().and_then(absolute) {
                    *value = path;
                }
            }
            Some(Value::Array(items)) => {
                for item in items {
                    if let Some(path) = item.as_str().and_then(absolute) {
                        *item = path;
                    }
                }
            }
            _ => {}
        }
    }
}

/// The flags as a tool takes them: as text, which the catalogue turns into the types of its schema. Items of a list that
/// are no text are read as JSON, one in a flag or all in one.
fn arguments(tool: &ToolSpec, matches: &ArgMatches) -> Value {
    let mut args = Map::new();
    for (name, schema) in tool.properties() {
        let Some(mut values) = matches.get_many::<String>(name) else { continue };
        let value = if schema.get("type").is_some_and(|kind| kind == "array") {
            let is_text = schema.pointer("/items/type").is_some_and(|kind| kind == "string");
            let items = values.flat_map(|value| match serde_json::from_str(value) {
                Ok(Value::Array(items)) if !is_text => items,
                Ok(item) if !is_text => vec![item],
                _ => vec![value.clone().into()],
            });
            items.collect()
        } else {
            values.next_back().cloned().into()
        };
        args.insert(name.to_owned(), value);
    }
    Value::Object(args)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn flags_become_arguments() {
        let line = "call ide_search_text --query -x --regex --paths src --paths !gen --context-lines 2 --case-sensitive false";
        let matches = command().no_binary_name(false).get_matches_from(line.split(' '));
        let (name, matches) = matches.subcommand().unwrap();
        let args = arguments(ide_tools::find(name).unwrap(), matches);
        let expected = json!({"query": "-x", "regex": "true", "caseSensitive": "false", "paths": ["src", "!gen"], "contextLines": "2"});
        assert_eq!(args, expected);
    }

    #[test]
    fn objects_of_a_list_are_read_as_json() {
        let of = |flags: &[&str]| {
            let line = ["call", "ide_change_signature"].iter().chain(flags);
            let matches = command().no_binary_name(false).get_matches_from(line);
            let (name, matches) = matches.subcommand().unwrap();
            arguments(ide_tools::find(name).unwrap(), matches)["parameters"].take()
        };
        let (a, b) = (r#"{"name":"a"}"#, r#"{"name":"b"}"#);
        let both = json!([{"name": "a"}, {"name": "b"}]);
        assert_eq!(of(&["--parameters", a, "--parameters", b]), both);
        assert_eq!(of(&["--parameters", &format!("[{a},{b}]")]), both);
        assert_eq!(of(&["--parameters", "a: int"]), json!(["a: int"]));
    }
}
