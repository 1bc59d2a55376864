//! The work of the tools, and the form of each answer. The shape follows the name that was called.

use ide_model::{
    DiffRequest, EditorSurface, FileDiagnostics, FileText, LineColumn, OpenEditor, OpenRequest, Selection,
    Severity, SurfaceError,
};
use serde_json::{Map, Value, json};

use super::Dialect;
use crate::text::{
    file_name, file_url, find_text, language_id, path_of, position, range, read_position, selection_of,
};

/// Most findings in one answer.
const MOST_FINDINGS: usize = 1000;

/// Work that may take seconds.
pub(crate) type Work = Box<dyn FnOnce(&dyn EditorSurface) -> Value + Send>;

/// The outcome of a call.
pub(crate) enum Outcome {
    Done(Result<Value, String>),
    Later(Work),
    /// An argument that this tool needs is not there.
    Missing(&'static str),
}

pub(crate) fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn json_text(value: &Value) -> Value {
    text(&value.to_string())
}

pub(crate) fn failed(message: &str) -> Value {
    json!({"content": [{"type": "text", "text": message}], "isError": true})
}

pub(crate) fn saved(content: &str) -> Value {
    json!({"content": [{"type": "text", "text": "FILE_SAVED"}, {"type": "text", "text": content}]})
}

pub(crate) fn rejected(tab: &str) -> Value {
    json!({"content": [{"type": "text", "text": "DIFF_REJECTED"}, {"type": "text", "text": tab}]})
}

/// An absolute path: relative ones lie in the first folder of the workspace.
pub(crate) fn absolute(surface: &dyn EditorSurface, path: &str) -> String {
    let path = path_of(path);
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    if path.starts_with('/') || is_drive {
        return path;
    }
    match surface.workspaces().first() {
        Some(root) => format!("{}/{}", root.trim_end_matches('/'), path.trim_start_matches("./")),
        None => path,
    }
}

/// The arguments of a call.
pub(crate) struct Args {
    given: Map<String, Value>,
    dialect: Dialect,
    root: Option<String>,
}

/// Names that mean the path of a file.
const PATHS: [&str; 3] = ["filePath", "file_path", "path"];

impl Args {
    pub(crate) fn new(given: &Value, dialect: Dialect, surface: &dyn EditorSurface) -> Self {
        let given = given.as_object().cloned().unwrap_or_default();
        Self { given, dialect, root: surface.workspaces().into_iter().next() }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.given.get(name).filter(|value| !value.is_null())
    }

    /// Whether an argument is there, under any of its names.
    pub(crate) fn has(&self, name: &str) -> bool {
        if PATHS.contains(&name) { self.raw_path().is_some() } else { self.get(name).is_some() }
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Value::as_str)
    }

    fn flag(&self, name: &str, default: bool) -> bool {
        self.get(name).and_then(Value::as_bool).unwrap_or(default)
    }

    fn number(&self, name: &str) -> Option<u32> {
        self.get(name).and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok())
    }

    fn raw_path(&self) -> Option<&str> {
        PATHS.iter().find_map(|name| self.text(name)).filter(|path| !path.is_empty())
    }

    fn path(&self) -> Option<String> {
        self.raw_path().map(|path| self.resolve(path))
    }

    fn resolve(&self, path: &str) -> String {
        let path = path_of(path);
        let is_absolute = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
        match &self.root {
            Some(root) if !is_absolute => {
                format!("{}/{}", root.trim_end_matches('/'), path.trim_start_matches("./"))
            }
            _ => path,
        }
    }

    /// The arguments of `openDiff`.
    pub(crate) fn diff(&self, speaker: &str) -> DiffRequest {
        let old_path = self.resolve(self.text("old_file_path").unwrap_or_default());
        let new_path = self.text("new_file_path").map_or_else(|| old_path.clone(), |path| self.resolve(path));
        DiffRequest {
            old_path,
            new_path,
            proposal: self.text("new_file_contents").unwrap_or_default().into(),
            proposed_by: format!("Claude Code, through {speaker}"),
        }
    }
}

/// Runs a tool other than those for diffs.
pub(crate) fn call(name: &str, args: &Args, surface: &dyn EditorSurface) -> Outcome {
    let done = |value: &Value| Outcome::Done(Ok(json_text(value)));
    match name {
        "openFile" => with_path(args, |path| open_file(path, args, surface)),
        "open_file" => with_path(args, |path| open(path, None, true, false, surface).map(|_| text("OK"))),
        "open_files" => Outcome::Done(open_files(args, surface)),
        "getCurrentSelection" => done(&match active(surface) {
            Some(editor) => selected(&editor),
            None => json!({"success": false, "message": "No active editor found"}),
        }),
        "getLatestSelection" => done(&match surface.latest_selection() {
            Some(editor) => selected(&editor),
            None => json!({"success": false, "message": "No selection available"}),
        }),
        "getOpenEditors" => done(&json!({"tabs": tabs(surface)})),
        "getWorkspaceFolders" => done(&workspace_folders(surface)),
        "getDiagnostics" => {
            let path = args.text("uri").filter(|uri| !uri.is_empty()).map(|uri| args.resolve(uri));
            let dialect = args.dialect;
            Outcome::Later(Box::new(move |surface| {
                json_text(&diagnostics(path.as_deref(), dialect, surface))
            }))
        }
        "get_diagnostics" => {
            let path = args.path();
            Outcome::Later(Box::new(move |surface| json_text(&flat_diagnostics(path.as_deref(), surface))))
        }
        "checkDocumentDirty" => with_path(args, |path| Ok(json_text(&is_dirty(path, surface)))),
        "saveDocument" => with_path(args, |path| save(path, surface)),
        "get_all_opened_file_paths" | "list_opened_files" => {
            let paths: Vec<String> =
                surface.open_editors().iter().map(|editor| editor.path.to_string()).collect();
            Outcome::Done(Ok(text(&paths.join("\n"))))
        }
        "reformat_file" => match args.path() {
            None => Outcome::Missing("file_path"),
            Some(path) => Outcome::Later(Box::new(move |surface| match surface.reformat(&path) {
                Ok(()) => text("OK"),
                Err(error) => failed(&error.to_string()),
            })),
        },
        "get_cursor_position" => Outcome::Done(in_active(surface, |editor| {
            let at = selection_of(editor).end;
            json!({"file_path": &*editor.path, "line": at.line - 1, "column": at.column - 1})
        })),
        "get_selection" => Outcome::Done(in_active(
            surface,
            |editor| json!({"file_path": &*editor.path, "text": &*editor.selected_text, "range": range(selection_of(editor))}),
        )),
        "set_cursor_position" => match read_position(&Value::Object(args.given.clone())) {
            None => Outcome::Missing("line"),
            Some(at) => Outcome::Done(select(args, Selection::caret(at), surface)),
        },
        "set_selection" => {
            let of = args.get("range").cloned().unwrap_or_else(|| Value::Object(args.given.clone()));
            match read_position(&of["start"]).zip(read_position(&of["end"])) {
                None => Outcome::Missing("range"),
                Some((start, end)) => Outcome::Done(select(args, Selection { start, end }, surface)),
            }
        }
        "read_file" => with_path(args, |path| {
            surface.text(path).map(|content| text(&content)).map_err(|error| error.to_string())
        }),
        _ => Outcome::Done(Err(format!("`{name}` does nothing here"))),
    }
}

fn with_path(args: &Args, run: impl FnOnce(&str) -> Result<Value, String>) -> Outcome {
    match args.path() {
        None => Outcome::Missing("filePath"),
        Some(path) => Outcome::Done(run(&path)),
    }
}

fn active(surface: &dyn EditorSurface) -> Option<OpenEditor> {
    surface.open_editors().into_iter().find(|editor| editor.is_active)
}

fn in_active(surface: &dyn EditorSurface, show: impl FnOnce(&OpenEditor) -> Value) -> Result<Value, String> {
    match active(surface) {
        Some(editor) => Ok(json_text(&show(&editor))),
        None => Err("No active editor found".to_owned()),
    }
}

fn open(
    path: &str,
    selection: Option<Selection>,
    activate: bool,
    is_preview: bool,
    surface: &dyn EditorSurface,
) -> Result<OpenEditor, String> {
    let request = OpenRequest { path, selection, activate, is_preview };
    surface.open_file(&request).map_err(|error| error.to_string())
}

fn open_file(path: &str, args: &Args, surface: &dyn EditorSurface) -> Result<Value, String> {
    let front = args.flag("makeFrontmost", true);
    let wanted = ["startText", "startLine", "endLine"].iter().any(|name| args.has(name));
    let mut editor = open(path, None, front, args.flag("preview", false), surface)?;
    // the text of files outside of the workspace is not for clients, so nothing can be searched there
    if let Some(selection) =
        surface.text(path).ok().filter(|_| wanted).and_then(|text| to_select(&text, args))
    {
        editor = open(path, Some(selection), front, args.flag("preview", false), surface)?;
    }
    if front {
        return Ok(text(&format!("Opened file: {path}")));
    }
    Ok(json_text(&json!({
        "success": true,
        "filePath": path,
        "languageId": language_id(&editor),
        "lineCount": editor.line_count,
    })))
}

/// The selection that `openFile` asks for.
fn to_select(content: &str, args: &Args) -> Option<Selection> {
    let file = FileText::new(content);
    let line = |number: u32| LineColumn { line: number.clamp(1, file.lines.line_count()), column: 1 };
    let end_of = |number: u32| LineColumn { column: u32::MAX, ..line(number) };
    let place = |at: LineColumn| file.offset(at).map(|offset| file.position(offset));
    let mut selection = match args.text("startText").and_then(|start| find_text(&file, start, 0)) {
        Some((start, stop)) => {
            let end = args.text("endText").and_then(|end| find_text(&file, end, stop));
            Selection { start: file.position(start), end: file.position(end.map_or(stop, |(_, end)| end)) }
        }
        None => {
            let first = args.number("startLine").or(args.number("endLine"))?;
            let last = args.number("endLine").filter(|last| *last >= first);
            match last {
                Some(last) => Selection { start: line(first), end: place(end_of(last))? },
                None => Selection::caret(line(first)),
            }
        }
    };
    if args.flag("selectToEndOfLine", false) {
        selection.end = place(end_of(selection.end.line))?;
    }
    Some(selection)
}

fn open_files(args: &Args, surface: &dyn EditorSurface) -> Result<Value, String> {
    let paths = args.get("file_paths").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut opened = Vec::new();
    for path in paths.iter().filter_map(Value::as_str).map(|path| args.resolve(path)) {
        match open(&path, None, true, false, surface) {
            Ok(_) => opened.push(path),
            Err(error) if paths.len() == 1 => return Err(error),
            Err(_) => {}
        }
    }
    Ok(json_text(&json!({"opened_files": opened})))
}

fn selected(editor: &OpenEditor) -> Value {
    let selection = selection_of(editor);
    let mut on_wire = range(selection);
    on_wire["isEmpty"] = selection.is_caret().into();
    json!({
        "success": true,
        "text": &*editor.selected_text,
        "filePath": &*editor.path,
        "fileUrl": file_url(&editor.path),
        "selection": on_wire,
    })
}

fn tabs(surface: &dyn EditorSurface) -> Vec<Value> {
    let tab = |editor: OpenEditor| {
        let mut tab = json!({
            "uri": file_url(&editor.path),
            "isActive": editor.is_active,
            "isPinned": false,
            "isPreview": editor.is_preview,
            "isDirty": editor.is_dirty,
            "label": file_name(&editor.path),
            "groupIndex": 0,
            "viewColumn": 1,
            "isGroupActive": true,
            "fileName": &*editor.path,
            "languageId": language_id(&editor),
            "lineCount": editor.line_count,
            "isUntitled": false,
        });
        if let Some(selection) = editor.selection.filter(|_| editor.is_active) {
            let mut on_wire = range(selection);
            on_wire["isReversed"] = false.into();
            tab["selection"] = on_wire;
        }
        tab
    };
    surface.open_editors().into_iter().map(tab).collect()
}

fn workspace_folders(surface: &dyn EditorSurface) -> Value {
    let folders = surface.workspaces();
    let folder = |path: &String| json!({"name": file_name(path), "uri": file_url(path), "path": path});
    let mut answer = json!({"success": true, "folders": folders.iter().map(folder).collect::<Vec<_>>()});
    if let Some(root) = folders.first() {
        answer["rootPath"] = root.as_str().into();
    }
    answer
}

fn is_open(path: &str, surface: &dyn EditorSurface) -> Option<OpenEditor> {
    surface.open_editors().into_iter().find(|editor| &*editor.path == path)
}

fn not_open(path: &str) -> Value {
    json!({"success": false, "message": format!("Document not open: {path}")})
}

fn is_dirty(path: &str, surface: &dyn EditorSurface) -> Value {
    match is_open(path, surface) {
        Some(editor) => {
            json!({"success": true, "filePath": path, "isDirty": editor.is_dirty, "isUntitled": false})
        }
        None => not_open(path),
    }
}

fn save(path: &str, surface: &dyn EditorSurface) -> Result<Value, String> {
    match surface.save(path) {
        Ok(()) => Ok(json_text(&json!({
            "success": true,
            "filePath": path,
            "saved": true,
            "message": "Document saved successfully",
        }))),
        Err(SurfaceError::NotOpen(_)) => Ok(json_text(&not_open(path))),
        Err(error) => Err(error.to_string()),
    }
}

fn select(args: &Args, selection: Selection, surface: &dyn EditorSurface) -> Result<Value, String> {
    let path = args.path();
    surface.set_selection(path.as_deref(), selection).map(|_| text("OK")).map_err(|error| error.to_string())
}

/// The findings, the worst first, as many as an answer may hold; files keep their order.
fn capped(mut files: Vec<FileDiagnostics>) -> Vec<FileDiagnostics> {
    let mut severities: Vec<Severity> =
        files.iter().flat_map(|file| file.findings.iter().map(|finding| finding.severity)).collect();
    severities.sort_unstable();
    let mut room = MOST_FINDINGS;
    severities.dedup();
    let mut kept: Vec<Vec<usize>> = files.iter().map(|_| Vec::new()).collect();
    for severity in severities {
        for (file, kept) in files.iter().zip(&mut kept) {
            let of = file.findings.iter().enumerate().filter(|(_, finding)| finding.severity == severity);
            let taken: Vec<usize> = of.map(|(at, _)| at).take(room).collect();
            room -= taken.len();
            kept.extend(taken);
        }
    }
    for (file, kept) in files.iter_mut().zip(&kept) {
        file.findings = kept.iter().map(|at| file.findings[*at].clone()).collect();
    }
    files.retain(|file| !file.findings.is_empty());
    files
}

fn diagnostics(path: Option<&str>, dialect: Dialect, surface: &dyn EditorSurface) -> Value {
    let severity = |severity: Severity| match dialect {
        Dialect::Claude => match severity {
            Severity::Error => "Error",
            Severity::Warning => "Warning",
            Severity::WeakWarning => "Info",
            Severity::Info => "Hint",
        },
        Dialect::Described => upper_case(severity),
    };
    let file = |file: FileDiagnostics| {
        let finding = |finding: &ide_model::Finding| {
            let mut shown = json!({
                "message": finding.message,
                "severity": severity(finding.severity),
                "range": range(finding.range),
            });
            if let Some(source) = &finding.source {
                shown["source"] = source.as_str().into();
            }
            shown
        };
        json!({"uri": file_url(&file.path), "diagnostics": file.findings.iter().map(finding).collect::<Vec<_>>()})
    };
    capped(surface.diagnostics(path)).into_iter().map(file).collect()
}

fn upper_case(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "ERROR",
        Severity::Warning => "WARNING",
        Severity::WeakWarning => "WEAK_WARNING",
        Severity::Info => "INFO",
    }
}

fn flat_diagnostics(path: Option<&str>, surface: &dyn EditorSurface) -> Value {
    let mut rows = Vec::new();
    for file in capped(surface.diagnostics(path)) {
        for finding in &file.findings {
            let mut row = json!({"file_path": &*file.path});
            let at = position(finding.range.start);
            row["line"] = at["line"].clone();
            row["column"] = at["character"].clone();
            row["severity"] = upper_case(finding.severity).into();
            row["message"] = finding.message.as_str().into();
            rows.push(row);
        }
    }
    json!({"diagnostics": rows})
}
