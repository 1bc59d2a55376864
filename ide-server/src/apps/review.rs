//! The tool by which the view of changes reviews them. Hosts offer it to views only, not to models.

use std::sync::Arc;

use mcp_protocol::Json;
use mcp_protocol::model::{CallToolResult, Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app_state::AppState;
use crate::review::{Decision, ProjectReviews};

/// The name of the tool.
pub(crate) const REVIEW: &str = "review_changes";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The root of an open project.
    project: String,
    /// Paths of files in it, of which the undecided changes are wanted.
    #[serde(default)]
    files: Vec<String>,
    decision: Option<Decided>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decided {
    id: String,
    path: String,
    hunk: Option<usize>,
    keep: bool,
    shown: String,
}

/// The tool as it is listed to clients that show views.
pub(crate) fn tool() -> Tool {
    let text = json!({"type": "string"});
    let decision = json!({
        "type": "object",
        "properties": {"id": text, "path": text, "hunk": {"type": "integer", "minimum": 0}, "keep": {"type": "boolean"}, "shown": text},
        "required": ["id", "path", "keep", "shown"],
        "additionalProperties": false,
    });
    let schema = json!({
        "type": "object",
        "properties": {"project": text, "files": {"type": "array", "items": text}, "decision": decision},
        "required": ["project"],
        "additionalProperties": false,
    });
    let json = |value: &Value| Json::from(value).expect("a value is JSON");
    Tool::new(REVIEW, "Keeps or takes back changes of files, for the view that shows them", json(&schema))
        .with_annotations(ToolAnnotations::writing(true, false, false))
        .with_meta(json(&json!({"ui": {"visibility": ["app"]}})))
}

/// Decides where a decision is given, then tells which changes of the files are undecided.
pub(crate) fn call(app: &Arc<AppState>, args: &Json) -> CallToolResult {
    match args
        .to()
        .map_err(|error| format!("the arguments cannot be read: {error}"))
        .and_then(|args| run(app, &args))
    {
        Ok(value) => CallToolResult::structured(Json::from(&value).expect("a value is JSON")),
        Err(why) => CallToolResult::error(why),
    }
}

fn run(app: &Arc<AppState>, args: &Args) -> Result<Value, String> {
    if let Some(Decided { id, path, hunk, keep, shown }) = &args.decision {
        let (file, shown) = (Some(&**path), Some(&**shown));
        let decision = Decision { review: id, file, hunk: *hunk, keeps: *keep, shown };
        ProjectReviews::in_project(app, &args.project, |reviews| reviews.decide(decision))?;
        app.editor().calls_changed();
    }
    if let Some(project) = app.project_of(&args.project) {
        app.look_for_changes(&project);
    }
    ProjectReviews::in_project(app, &args.project, |reviews| {
        let mut files = Vec::new();
        for review in reviews.list() {
            let id = review["id"].as_str().unwrap_or_default();
            let touched = review["files"].as_array().into_iter().flatten();
            let paths = touched.filter_map(|file| file["path"].as_str());
            for path in paths.filter(|path| args.files.iter().any(|file| file == path)) {
                let mut file = reviews.file(id, path)?;
                file["id"] = id.into();
                file["agents"] = review["agents"].clone();
                files.push(file);
            }
        }
        Ok(json!({ "files": files }))
    })
}
