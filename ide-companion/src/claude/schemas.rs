//! The tools that each dialect lists.

use serde_json::{Map, Value, json};

use super::Dialect;

/// The dialects in which a tool is listed. It is answered in both dialects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listed {
    Both,
    /// At `/mcp` only.
    Described,
}

/// A parameter: its name, its type, and what it is for. A `*` before the type makes it required.
type Parameter = (&'static str, &'static str, &'static str);

struct Row {
    name: &'static str,
    listed: Listed,
    about: &'static str,
    parameters: &'static [Parameter],
}

const fn row(
    name: &'static str,
    listed: Listed,
    about: &'static str,
    parameters: &'static [Parameter],
) -> Row {
    Row { name, listed, about, parameters }
}

const NONE: &[Parameter] = &[];
const FILE_PATH: &[Parameter] = &[("filePath", "*string", "Path of the file")];
const SEED_PATH: &[Parameter] = &[("path", "string", "Path of the file")];
const DIFF: &[Parameter] = &[
    ("old_file_path", "*string", "File on the left side; need not exist"),
    ("new_file_path", "*string", "File that the change is for"),
    ("new_file_contents", "*string", "Proposed text of the file"),
    ("tab_name", "*string", "Name of the view"),
];
const SEED_DIFF: &[Parameter] = &[
    ("old_file_path", "*string", "File on the left side; need not exist"),
    ("new_file_path", "string", "File that the change is for; default: old_file_path"),
    ("new_file_contents", "*string", "Proposed text of the file"),
    ("tab_name", "string", "Name of the view"),
];
const OPEN: &[Parameter] = &[
    ("filePath", "*string", "Path of the file"),
    ("preview", "boolean", "Let the next file take its place"),
    ("startText", "string", "Select from this text on"),
    ("endText", "string", "Select up to the end of this text"),
    ("startLine", "integer", "Select from this line on, counted from 1"),
    ("endLine", "integer", "Select up to this line, counted from 1"),
    ("selectToEndOfLine", "boolean", "Extend the selection to the end of its last line"),
    ("makeFrontmost", "boolean", "Make it the active file; default true"),
];
const CARET: &[Parameter] = &[
    ("file_path", "string", "Default: the active file"),
    ("line", "*integer", "Counted from 0"),
    ("column", "*integer", "Counted from 0, in UTF-16 code units"),
];
const RANGE: &[Parameter] = &[
    ("file_path", "string", "Default: the active file"),
    ("range", "object", "{start: {line, character}, end: {line, character}}, counted from 0"),
    ("start", "object", "Instead of range: {line, character}, counted from 0"),
    ("end", "object", "With start"),
];

/// Every tool, the order being that of the lists.
const ROWS: &[Row] = &[
    row("openFile", Listed::Both, "Opens a file in the editor and selects text in it.", OPEN),
    row("openDiff", Listed::Both, "Shows a change and waits until the user accepts or rejects it.", DIFF),
    row("getCurrentSelection", Listed::Both, "The selection of the active file, counted from 0.", NONE),
    row("getLatestSelection", Listed::Both, "The last selection, also of a file that is not active.", NONE),
    row("getOpenEditors", Listed::Both, "The open files.", NONE),
    row("getWorkspaceFolders", Listed::Both, "The folders of the workspace.", NONE),
    row(
        "getDiagnostics",
        Listed::Both,
        "Errors and warnings of a file, or of all open files.",
        &[("uri", "string", "Address of the file; default: all open files")],
    ),
    row("checkDocumentDirty", Listed::Both, "Whether a file has changes that are not saved.", FILE_PATH),
    row("saveDocument", Listed::Both, "Saves a file.", FILE_PATH),
    row(
        "close_tab",
        Listed::Both,
        "Closes a view by its name.",
        &[("tab_name", "*string", "Name of the view")],
    ),
    row("closeAllDiffTabs", Listed::Both, "Closes the diffs that this client opened.", NONE),
    row(
        "open_files",
        Listed::Both,
        "Opens files in the editor.",
        &[("file_paths", "*array", "Paths of the files")],
    ),
    row("get_all_opened_file_paths", Listed::Both, "The paths of the open files, one a line.", NONE),
    row(
        "reformat_file",
        Listed::Both,
        "Formats a file with the formatter of its project.",
        &[("file_path", "*string", "Path of the file")],
    ),
    row("open_file", Listed::Described, "Opens a file in the editor.", SEED_PATH),
    row("list_opened_files", Listed::Described, "The paths of the open files, one a line.", NONE),
    row("get_cursor_position", Listed::Described, "Where the caret stands, counted from 0.", NONE),
    row("set_cursor_position", Listed::Described, "Moves the caret, counted from 0.", CARET),
    row("get_selection", Listed::Described, "The selection, counted from 0.", NONE),
    row("set_selection", Listed::Described, "Selects a range, counted from 0.", RANGE),
    row("get_diagnostics", Listed::Described, "Errors and warnings, counted from 0.", SEED_PATH),
    row("read_file", Listed::Described, "The text of a file of the workspace.", SEED_PATH),
];

/// Whether there is a tool of that name.
pub(crate) fn is_known(name: &str) -> bool {
    ROWS.iter().any(|row| row.name == name)
}

/// The parameters that a call must have.
pub(crate) fn required(name: &str, dialect: Dialect) -> Vec<&'static str> {
    let row = ROWS.iter().find(|row| row.name == name);
    row.map_or_else(Vec::new, |row| required_of(parameters(row, dialect)))
}

fn required_of(parameters: &'static [Parameter]) -> Vec<&'static str> {
    parameters.iter().filter(|(_, kind, _)| kind.starts_with('*')).map(|(name, ..)| *name).collect()
}

fn parameters(row: &Row, dialect: Dialect) -> &'static [Parameter] {
    match (row.name, dialect) {
        ("openDiff", Dialect::Described) => SEED_DIFF,
        _ => row.parameters,
    }
}

/// The tools as `tools/list` has them. Without somebody who can decide there are no diffs.
pub(crate) fn list(dialect: Dialect, is_attached: bool) -> Value {
    let listed = ROWS.iter().filter(|row| {
        (row.listed == Listed::Both || dialect == Dialect::Described)
            && (row.name != "openDiff" || is_attached)
    });
    listed.map(|row| tool(row, dialect)).collect()
}

fn tool(row: &Row, dialect: Dialect) -> Value {
    let parameters = parameters(row, dialect);
    let property = |(name, kind, about): &Parameter| {
        let kind = kind.trim_start_matches('*');
        let mut schema = json!({"type": kind, "description": about});
        if kind == "array" {
            schema["items"] = json!({"type": "string"});
        }
        ((*name).to_owned(), schema)
    };
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": parameters.iter().map(property).collect::<Map<String, Value>>(),
        "additionalProperties": false,
    });
    let required = required_of(parameters);
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    json!({"name": row.name, "description": row.about, "inputSchema": schema})
}
