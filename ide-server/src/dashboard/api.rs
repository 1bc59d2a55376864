//! The queries and commands of the page, as JSON.

use std::sync::Arc;

use history::{Client, Filter, Group, Page, Status};
use ide_model::{
    CommentId, Completeness, DiffId, EditorSurface as _, LineColumn, OpenEditor, OpenRequest, Readiness,
    Selection, Severity, ShownDiff,
};
use ide_tools::{Services as _, ToolSpec};
use serde_json::{Map, Value, json};

use super::editor::stamp;
use super::{agents, review};
use crate::app_state::AppState;
use crate::config::Config;
use crate::serve::STREAMABLE_PATHS;
use crate::steps;

/// Most calls in one answer.
const MOST_CALLS: usize = 200;
/// Most calls of an export.
const MOST_EXPORTED: usize = 100_000;

type Answer = Result<Value, String>;

/// Runs one operation.
///
/// # Errors
/// A sentence for the person.
pub(super) fn run(app: &Arc<AppState>, address: &str, name: &str, args: &Value) -> Answer {
    match name {
        "overview" => Ok(overview(app, address)),
        "tools" => Ok(tools(app)),
        "switch" => switch(app, args),
        "settings" => settings(app),
        "set" => set(app, args),
        "history" => Ok(history(app, args)),
        "entry" => entry(app, args),
        "changes" => changes(app, args),
        "statistics" => Ok(statistics(app, args)),
        "clear" => {
            app.records().clear(args["project"].as_str());
            app.editor().calls_changed();
            Ok(json!({}))
        }
        "export" => export(app, args),
        "reviews" => Ok(review::list(app)),
        "review" => review::file(app, args),
        "decide" => review::decide(app, args),
        "agents" => agents::list(),
        "agent" => agents::change(app, address, args),
        "run" => run_tool(app, args),
        "ask" => ask(app, args),
        "surface" => Ok(surface(app)),
        "file" => file(app, args),
        "open" | "select" => select(app, args, name == "select"),
        "close" => Ok(json!({"closed": app.hosted_surface().close_file(text(args, "path")?)})),
        "mention" => mention(app, args),
        "accept" => decide(app, args, true),
        "reject" => decide(app, args, false),
        "uncomment" => {
            let id = args["id"].as_u64().ok_or("`id` is missing")?;
            Ok(json!({"removed": app.hosted_surface().remove_comment(CommentId(id))}))
        }
        _ => Err(format!("there is no operation `{name}`")),
    }
}

pub(super) fn text<'a>(args: &'a Value, name: &str) -> Result<&'a str, String> {
    args[name].as_str().ok_or_else(|| format!("`{name}` is missing"))
}

fn overview(app: &Arc<AppState>, address: &str) -> Value {
    json!({
        "url": format!("http://{address}{}", STREAMABLE_PATHS[0]),
        "version": env!("CARGO_PKG_VERSION"),
        "projects": projects(app),
        "lostCalls": app.records().lost(),
    })
}

/// The open projects and how far their indexes are.
pub(super) fn projects(app: &Arc<AppState>) -> Value {
    let row = |row: ide_tools::ProjectRow| {
        let status = row.status;
        let languages: Vec<Value> = status
            .languages
            .iter()
            .map(|state| {
                json!({
                    "language": state.language.name(),
                    "files": state.files,
                    "state": match state.readiness {
                        Readiness::Ready => "ready",
                        Readiness::Indexing => "indexing",
                        Readiness::Degraded => "degraded",
                        Readiness::Unavailable => "unavailable",
                    },
                    "reason": state.reason,
                })
            })
            .collect();
        json!({
            "name": row.name,
            "path": row.path,
            "contentRoots": row.content_roots,
            "indexing": status.is_indexing,
            "phase": status.phase,
            "filesIndexed": status.files_indexed,
            "filesTotal": status.files_total,
            "symbols": status.symbols,
            "pending": status.pending_changes,
            "freshness": status.kind_of_freshness,
            "incomplete": match status.completeness {
                Completeness::Exact => Value::Null,
                Completeness::AtLeast { because } => because.into(),
            },
            "languages": languages,
        })
    };
    app.session("dashboard", Vec::new()).projects().into_iter().map(row).collect()
}

fn tools(app: &Arc<AppState>) -> Value {
    let row = |tool: &ToolSpec| {
        let schema = tool.input_schema();
        let listed = json!({"name": tool.name, "description": tool.about, "inputSchema": schema});
        json!({
            "name": tool.name,
            "about": tool.about,
            "on": app.offers(tool, tool.catalogue),
            "isSwitchedOn": app.is_switched_on(tool),
            "default": tool.default_on,
            "needsEditor": tool.needs_surface,
            "readOnly": tool.hints.read_only,
            "tokens": history::estimated_tokens(&listed.to_string()),
            "properties": schema["properties"],
            "required": schema["required"],
        })
    };
    ide_tools::all().iter().map(row).collect()
}

/// Switches tools, named with whether they shall be on.
fn switch(app: &Arc<AppState>, args: &Value) -> Answer {
    let wanted = args["tools"].as_object().ok_or("`tools` is missing")?;
    let one = |(name, on): (&String, &Value)| {
        let tool = ide_tools::find(name).map_err(|error| error.message)?;
        Ok((tool, on.as_bool().ok_or("a tool is switched on or off")?))
    };
    let wanted = wanted.iter().map(one).collect::<Result<Vec<_>, String>>()?;
    app.switch(&wanted)?;
    Ok(tools(app))
}

/// Every setting, and the file that holds them.
fn settings(app: &Arc<AppState>) -> Answer {
    let config = app.config();
    let text = match config.file.as_ref().map(std::fs::read_to_string) {
        Some(Ok(text)) => text,
        Some(Err(error)) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.to_string()),
        _ => String::new(),
    };
    Ok(json!({"file": config.file, "settings": config.described(&text)}))
}

/// Changes one setting; without a value its default holds.
fn set(app: &Arc<AppState>, args: &Value) -> Answer {
    let key = Config::key(text(args, "key")?)?;
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let value = match &args["value"] {
        Value::Null => None,
        Value::Array(list) => Some(list.iter().map(word).collect()),
        value => Some(vec![word(value)]),
    };
    app.set(&[(&key, value)])?;
    settings(app)
}

fn filter(args: &Value) -> Filter<'_> {
    let given = |name: &str| args[name].as_str().filter(|value| !value.is_empty());
    let status =
        given("status").and_then(|word| Status::ALL.into_iter().find(|status| status.as_str() == word));
    Filter {
        project: given("project"),
        tool: given("tool"),
        status,
        client: given("client"),
        text: given("text"),
    }
}

fn history(app: &Arc<AppState>, args: &Value) -> Value {
    let limit =
        args["limit"].as_u64().and_then(|limit| usize::try_from(limit).ok()).unwrap_or(50).min(MOST_CALLS);
    let page = Page { before: args["before"].as_str(), limit, with_results: false };
    let entries = app.records().list(filter(args), page);
    let more = entries.len() == limit;
    json!({"entries": entries, "more": more})
}

fn entry(app: &Arc<AppState>, args: &Value) -> Answer {
    let entry = app.records().get(text(args, "id")?).ok_or("this call is not in the history any more")?;
    let received = entry.received().map(str::to_owned);
    let mut shown = serde_json::to_value(&entry).map_err(|error| error.to_string())?;
    shown["received"] = received.into();
    Ok(shown)
}

/// The differences of the step that a call made; none when it is not kept any more.
fn changes(app: &Arc<AppState>, args: &Value) -> Answer {
    let (project, id, tool) = (text(args, "project")?, text(args, "editId")?, text(args, "tool")?);
    Ok(json!({"edits": steps::edits(app, project, id, tool).unwrap_or_default()}))
}

fn statistics(app: &Arc<AppState>, args: &Value) -> Value {
    let project = args["project"].as_str().filter(|project| !project.is_empty());
    let of = |group| app.records().statistics(project, group);
    json!({"tools": of(Group::Tool), "clients": of(Group::Client), "projects": app.records().projects()})
}

fn export(app: &Arc<AppState>, args: &Value) -> Answer {
    let page = Page { before: None, limit: MOST_EXPORTED, with_results: true };
    let entries = app.records().list(filter(args), page);
    let entries: Vec<&history::Entry> = entries.iter().collect();
    let now = crate::records::now_ms();
    match text(args, "format")? {
        "csv" => Ok(json!({"name": history::export_name(now, "csv"), "text": history::csv(&entries)})),
        _ => Ok(json!({"name": history::export_name(now, "json"), "text": history::json(&entries)})),
    }
}

/// Runs a tool for the person, with a place in the history. Tools that change files want `confirmed`.
fn run_tool(app: &Arc<AppState>, args: &Value) -> Answer {
    let tool = ide_tools::find_any(text(args, "tool")?).map_err(|error| error.message)?;
    let is_dry = args["arguments"]["dryRun"] == true;
    if !tool.hints.read_only && !is_dry && args["confirmed"] != true {
        return Err(format!("{} changes files and was not confirmed", tool.name));
    }
    let client = Client { name: "dashboard".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
    let replay_of = args["replayOf"].as_str().map(str::to_owned);
    let session = app.session("dashboard", Vec::new()).serving(tool.catalogue);
    let reply = session.call_recorded(tool, args["arguments"].clone(), client, replay_of);
    Ok(json!({"isError": reply.is_error, "text": reply.text, "json": parsed(&reply.json)}))
}

/// Asks a tool that only looks, without a place in the history.
fn ask(app: &Arc<AppState>, args: &Value) -> Answer {
    let tool = ide_tools::find(text(args, "tool")?).map_err(|error| error.message)?;
    if !tool.hints.read_only {
        return Err(format!("{} changes files", tool.name));
    }
    let reply = app.session("dashboard", Vec::new()).call_any(tool, args["arguments"].clone(), None);
    let value = parsed(&reply.json);
    if reply.is_error {
        let hint = value["hint"].as_str().map_or_else(String::new, |hint| format!("; {hint}"));
        return Err(format!("{}{hint}", value["message"].as_str().unwrap_or("the tool failed")));
    }
    Ok(value)
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or(Value::Null)
}

fn surface(app: &Arc<AppState>) -> Value {
    let surface = app.hosted_surface();
    let comments: Vec<Value> = surface
        .comments()
        .into_iter()
        .map(|(id, comment)| {
            json!({"id": id.0, "path": comment.path, "line": comment.line, "text": comment.text,
                "author": comment.author})
        })
        .collect();
    json!({
        "editors": surface.open_editors().iter().map(editor).collect::<Vec<_>>(),
        "diffs": surface.diffs().iter().map(|shown| diff(app, shown)).collect::<Vec<_>>(),
        "comments": comments,
    })
}

fn editor(editor: &OpenEditor) -> Value {
    let place = |at: LineColumn| json!({"line": at.line, "column": at.column});
    json!({
        "path": &*editor.path,
        "isActive": editor.is_active,
        "stamp": stamp(&editor.path),
        "lineCount": editor.line_count,
        "selection": editor.selection.map(|selection| {
            json!({"start": place(selection.start), "end": place(selection.end)})
        }),
    })
}

fn diff(app: &Arc<AppState>, shown: &ShownDiff) -> Value {
    let (left, right) = shown.sides();
    json!({
        "id": shown.id.0,
        "nonce": app.editor().nonce(shown.id),
        "path": shown.request.new_path,
        "oldPath": shown.request.old_path,
        "proposedBy": shown.request.proposed_by,
        "isNew": shown.is_new,
        "isOutside": shown.is_outside,
        "left": left,
        "right": right,
    })
}

/// A file that is open, or that lies in a project.
fn file(app: &Arc<AppState>, args: &Value) -> Answer {
    let path = text(args, "path")?;
    let surface = app.hosted_surface();
    let is_open = surface.open_editors().iter().any(|editor| &*editor.path == path);
    let content = if is_open { app.editor().text(path) } else { surface.text(path) };
    let content = content.map_err(|error| error.to_string())?;
    let findings: Vec<Value> = surface
        .diagnostics(Some(path))
        .into_iter()
        .flat_map(|file| file.findings)
        .map(|finding| {
            json!({
                "severity": match finding.severity {
                    Severity::Error => "error",
                    Severity::Warning | Severity::WeakWarning => "warning",
                    Severity::Info => "info",
                },
                "message": finding.message,
                "start": {"line": finding.range.start.line, "column": finding.range.start.column},
                "end": {"line": finding.range.end.line, "column": finding.range.end.column},
            })
        })
        .collect();
    Ok(json!({"path": path, "text": &*content, "findings": findings}))
}

fn number(value: &Value, name: &str) -> Option<u32> {
    value[name].as_u64().and_then(|number| u32::try_from(number).ok())
}

fn place(value: &Value) -> Option<LineColumn> {
    Some(LineColumn { line: number(value, "line")?, column: number(value, "column").unwrap_or(1) })
}

fn select(app: &Arc<AppState>, args: &Value, moves: bool) -> Answer {
    let path = text(args, "path")?;
    let surface = app.hosted_surface();
    // the page opens files of projects, and goes on with those that an agent has opened
    let may = surface.open_editors().iter().any(|editor| &*editor.path == path)
        || app.editor().inside(path).is_some();
    if !may {
        return Err(format!("`{path}` is in no open project"));
    }
    let selection =
        place(&args["start"]).map(|start| Selection { start, end: place(&args["end"]).unwrap_or(start) });
    let opened = match selection.filter(|_| moves) {
        Some(selection) => surface.person_selects(path, selection, args["settled"] == true),
        None => surface.open_file(&OpenRequest { path, selection, activate: true, is_preview: false }),
    };
    opened.map(|opened| editor(&opened)).map_err(|error| error.to_string())
}

fn mention(app: &Arc<AppState>, args: &Value) -> Answer {
    let lines = number(args, "first").zip(number(args, "last"));
    app.hosted_surface().mention(text(args, "path")?, lines);
    Ok(json!({}))
}

fn decide(app: &Arc<AppState>, args: &Value, accepts: bool) -> Answer {
    let id = DiffId(args["id"].as_u64().ok_or("`id` is missing")?);
    if app.editor().nonce(id) != text(args, "nonce")? {
        return Err("this diff is another one by now".to_owned());
    }
    let done = if accepts {
        app.hosted_surface().accept(id, text(args, "text")?)
    } else {
        app.hosted_surface().reject(id)
    };
    if done { Ok(Value::Object(Map::new())) } else { Err("this diff was withdrawn meanwhile".to_owned()) }
}
