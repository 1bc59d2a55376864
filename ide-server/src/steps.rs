//! Changes that tools made, as differences for people who look at them later: results tell them only when they are asked to.

use ide_model::FileDiff;
use serde_json::{Value, json};

use crate::app_state::AppState;

/// Most bytes of all differences of a step.
const MOST: usize = 1 << 20;
/// The tool that takes steps back.
const UNDO: &str = "ide_undo";

/// A row for each file of a step, with its difference while there is room; `None` when the step is not kept any more.
pub(crate) fn edits(app: &AppState, project: &str, id: &str, tool: &str) -> Option<Vec<Value>> {
    let open = app.opened();
    let project = open.iter().find(|one| one.layout().root().spelling() == project)?;
    let step = project.disk_editor().ok()?.step(id, tool == UNDO)?;
    let mut room = MOST;
    let row = |file: &FileDiff| {
        let diff = file.unified();
        let has_room = diff.len() <= room;
        room -= if has_room { diff.len() } else { 0 };
        json!({"file": file.file.as_str(), "change": file.kind.as_str(), "diff": has_room.then_some(diff)})
    };
    Some(step.files.iter().map(row).collect())
}

/// The result of a tool with the differences of the step that it made.
pub(crate) fn with_diffs(app: &AppState, project: Option<&str>, tool: &str, json: &str) -> Option<Value> {
    let mut result: Value = serde_json::from_str(json).ok()?;
    let has_diffs = result["edits"].as_array()?.iter().any(|edit| edit["diff"].is_string());
    if has_diffs || result["dryRun"] == true {
        return None;
    }
    let edits = edits(app, project?, result["editId"].as_str()?, tool)?;
    result["edits"] = edits.into();
    Some(result)
}
