//! The editors of the IDE as agents see and drive them.
//!
//! Events tell the open files and the selection, so that nobody waits for the IDE to see them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ide_model::{
    Comment, CommentId, Cx, DiffId, DiffRequest, EditorSurface, FileDiagnostics, Finding, Language,
    LineColumn, OnVerdict, OpenEditor, OpenRequest, Selection, Severity, Stop, SurfaceError, SurfaceEvent,
    SurfaceListener, Verdict,
};
use serde_json::{Value, json};

use crate::calls::CallError;
use crate::ide::Ide;
use crate::places::number;

/// How long the IDE may take to show something.
const PATIENCE: Duration = Duration::from_secs(10);

/// The editors of all projects of the IDE.
pub(crate) struct IdeSurface {
    ide: Arc<Ide>,
    state: Mutex<State>,
    listeners: Mutex<Vec<Weak<dyn SurfaceListener>>>,
    next: AtomicU64,
}

#[derive(Default)]
struct State {
    /// Roots of the open projects, in the order in which they were opened.
    projects: Vec<String>,
    editors: BTreeMap<String, Vec<OpenEditor>>,
    latest: Option<OpenEditor>,
    diffs: BTreeMap<u64, (String, OnVerdict)>,
    /// Comments and the names that the IDE gave them.
    comments: BTreeMap<u64, (String, Value)>,
}

impl IdeSurface {
    pub(crate) fn new(ide: Arc<Ide>) -> Self {
        Self { ide, state: Mutex::default(), listeners: Mutex::default(), next: AtomicU64::new(1) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, event: &SurfaceEvent) {
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.retain(|listener| listener.strong_count() > 0);
        let listeners: Vec<_> = listeners.iter().filter_map(Weak::upgrade).collect();
        listeners.iter().for_each(|listener| listener.on_event(event));
    }

    /// The project that a path lies in, the innermost one; the first one for other paths.
    fn project_of(&self, path: &str) -> Result<String, SurfaceError> {
        let state = self.state();
        let is_below =
            |root: &&String| path.strip_prefix(root.as_str()).is_some_and(|rest| rest.starts_with('/'));
        let inside = state.projects.iter().filter(is_below).max_by_key(|root| root.len());
        inside.or(state.projects.first()).cloned().ok_or(SurfaceError::NotAttached)
    }

    fn ask(&self, op: &'static str, path: &str, mut arguments: Value) -> Result<Value, SurfaceError> {
        arguments["project"] = self.project_of(path)?.into();
        let never = Stop::new();
        self.ide.ask(Cx::new(&never), op, arguments, PATIENCE).map_err(|error| match error {
            CallError::Host(error) => match error.code.as_str() {
                "file_not_found" => SurfaceError::NoFile(path.to_owned()),
                "no_project" => SurfaceError::NotAttached,
                _ => SurfaceError::Failed(error.to_string()),
            },
            CallError::Stopped(_) => SurfaceError::Failed("the IDE did not answer in time".to_owned()),
        })
    }

    /// A project was opened in the IDE.
    pub(crate) fn opened(&self, root: &str) {
        let mut state = self.state();
        let is_first = state.projects.is_empty();
        if !state.projects.iter().any(|known| known == root) {
            state.projects.push(root.to_owned());
        }
        drop(state);
        self.look(root);
        self.tell(&SurfaceEvent::WorkspacesChanged);
        if is_first {
            self.tell(&SurfaceEvent::AttachmentChanged);
        }
    }

    /// A project was closed: nobody decides on its diffs any more.
    pub(crate) fn closed(&self, root: &str) {
        let mut state = self.state();
        state.projects.retain(|known| known != root);
        state.editors.remove(root);
        let is_last = state.projects.is_empty();
        let gone: Vec<u64> =
            state.diffs.iter().filter(|(_, (of, _))| of == root).map(|(id, _)| *id).collect();
        let gone: Vec<OnVerdict> =
            gone.iter().filter_map(|id| state.diffs.remove(id)).map(|(_, decided)| decided).collect();
        drop(state);
        gone.into_iter().for_each(|decided| decided(Verdict::Withdrawn));
        self.tell(&SurfaceEvent::WorkspacesChanged);
        if is_last {
            self.tell(&SurfaceEvent::AttachmentChanged);
        }
    }

    /// Asks for the editors of a project.
    fn look(&self, root: &str) {
        let never = Stop::new();
        let asked = json!({"project": root});
        if let Ok(state) = self.ide.ask(Cx::new(&never), "editor.state", asked, PATIENCE) {
            self.editors(root, &state);
        }
    }

    /// The open files of a project, and the selection, have changed.
    pub(crate) fn editors(&self, root: &str, told: &Value) {
        let now = told["editors"].as_array().into_iter().flatten().filter_map(editor).collect::<Vec<_>>();
        let mut state = self.state();
        let active = now.iter().find(|editor| editor.is_active).cloned();
        let seen = |editor: &OpenEditor| (editor.path.clone(), editor.selection);
        let is_news = active.as_ref().map(seen) != state.latest.as_ref().map(seen);
        if active.is_some() {
            state.latest = active;
        }
        state.editors.insert(root.to_owned(), now);
        drop(state);
        if is_news {
            self.tell(&SurfaceEvent::SelectionChanged { is_settled: true });
        }
    }

    /// The person decided on a diff.
    pub(crate) fn decided(&self, event: &Value) {
        let Some(id) = event["id"].as_u64().or_else(|| event["id"].as_str()?.parse().ok()) else { return };
        let Some((_, decided)) = self.state().diffs.remove(&id) else { return };
        decided(match (event["verdict"].as_str(), event["content"].as_str()) {
            // Without its text, an accepted change would empty the file.
            (Some("accepted"), Some(content)) => Verdict::Accepted { content: content.into() },
            (Some("rejected"), _) => Verdict::Rejected,
            _ => Verdict::Withdrawn,
        });
    }

    /// Files changed in the IDE or on disk: there may be other findings.
    pub(crate) fn changed(&self, paths: &Value) {
        let open: Vec<Arc<str>> = self.open_editors().into_iter().map(|editor| editor.path).collect();
        let paths = paths.as_array().into_iter().flatten().filter_map(Value::as_str);
        for path in paths.filter(|path| open.iter().any(|open| &**open == *path)) {
            self.tell(&SurfaceEvent::DiagnosticsChanged { path: path.into() });
        }
    }

    fn show(
        &self,
        path: &str,
        selection: Option<Selection>,
        (focus, preview): (bool, bool),
    ) -> Result<OpenEditor, SurfaceError> {
        let mut asked = json!({"path": path, "focus": focus, "preview": preview});
        if let Some(Selection { start, end }) = selection {
            asked["line"] = start.line.into();
            asked["column"] = start.column.into();
            asked["endLine"] = end.line.into();
            asked["endColumn"] = end.column.into();
        }
        self.ask("editor.open", path, asked)?;
        self.look(&self.project_of(path)?);
        let open = self.open_editors().into_iter().find(|editor| &*editor.path == path);
        open.ok_or_else(|| SurfaceError::NotOpen(path.to_owned()))
    }
}

fn selection(place: &Value) -> Option<Selection> {
    let at = |line: &str, column: &str| {
        Some(LineColumn { line: number(&place[line])?, column: number(&place[column])? })
    };
    let start = at("line", "column")?;
    Some(Selection { start, end: at("endLine", "endColumn").unwrap_or(start) })
}

fn editor(told: &Value) -> Option<OpenEditor> {
    let path = told["path"].as_str()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(OpenEditor {
        path: path.into(),
        language: Language::of_path(path),
        line_count: number(&told["lineCount"]).unwrap_or(0),
        is_active: told["active"] == true,
        is_preview: told["preview"] == true,
        is_dirty: told["dirty"] == true,
        selection: selection(&told["selection"]),
        selected_text: told["selectedText"].as_str().unwrap_or_default().into(),
        active_at: u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
    })
}

impl EditorSurface for IdeSurface {
    fn is_attached(&self) -> bool {
        self.ide.has("editor.open") && !self.state().projects.is_empty()
    }

    fn workspaces(&self) -> Vec<String> {
        self.state().projects.clone()
    }

    fn open_file(&self, request: &OpenRequest<'_>) -> Result<OpenEditor, SurfaceError> {
        self.show(request.path, request.selection, (request.activate, request.is_preview))
    }

    fn open_editors(&self) -> Vec<OpenEditor> {
        let state = self.state();
        state.projects.iter().filter_map(|root| state.editors.get(root)).flatten().cloned().collect()
    }

    fn latest_selection(&self) -> Option<OpenEditor> {
        self.state().latest.clone()
    }

    fn set_selection(&self, path: Option<&str>, selection: Selection) -> Result<OpenEditor, SurfaceError> {
        let active = || self.open_editors().into_iter().find(|editor| editor.is_active);
        match path {
            Some(path) => self.show(path, Some(selection), (true, false)),
            None => {
                let active = active().ok_or(SurfaceError::NothingActive)?;
                self.show(&active.path, Some(selection), (true, false))
            }
        }
    }

    fn close_file(&self, path: &str) -> bool {
        let was_open = self.open_editors().iter().any(|editor| &*editor.path == path);
        let closed = self.ask("editor.close", path, json!({"path": path})).is_ok();
        if let Ok(root) = self.project_of(path) {
            self.look(&root);
        }
        was_open && closed
    }

    fn show_diff(&self, request: DiffRequest, decided: OnVerdict) -> Result<DiffId, SurfaceError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let root = self.project_of(&request.new_path)?;
        // It is there before the verdict can come.
        self.state().diffs.insert(id, (root, decided));
        let asked = json!({"id": id, "oldPath": request.old_path, "newPath": request.new_path,
            "proposal": &*request.proposal, "by": request.proposed_by});
        if let Err(error) = self.ask("diff.open", &request.new_path, asked) {
            // The proposer learns by the error that nobody decides.
            drop(self.state().diffs.remove(&id));
            return Err(error);
        }
        Ok(DiffId(id))
    }

    fn withdraw_diff(&self, diff: DiffId) {
        let Some((root, decided)) = self.state().diffs.remove(&diff.0) else { return };
        self.ide.tell("diff.close", json!({"project": root, "id": diff.0}));
        decided(Verdict::Withdrawn);
    }

    fn refresh(&self, path: &str) {
        if let Ok(root) = self.project_of(path) {
            self.ide.tell("sync", json!({"project": root, "paths": [path]}));
        }
    }

    fn add_comment(&self, comment: Comment) -> Result<CommentId, SurfaceError> {
        let asked = json!({"path": comment.path, "line": comment.line, "text": comment.text,
            "author": comment.author});
        let given = self.ask("comment.add", &comment.path, asked)?;
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let root = self.project_of(&comment.path)?;
        self.state().comments.insert(id, (root, given["id"].clone()));
        Ok(CommentId(id))
    }

    fn diagnostics(&self, path: Option<&str>) -> Vec<FileDiagnostics> {
        let paths: Vec<Arc<str>> = match path {
            Some(path) => vec![path.into()],
            None => self.open_editors().into_iter().map(|editor| editor.path).collect(),
        };
        let of = |path: Arc<str>| {
            let text = self.text(&path).ok()?;
            let answer = self.ask("diagnostics", &path, json!({"path": &*path, "text": &*text})).ok()?;
            let findings: Vec<Finding> =
                answer["diagnostics"].as_array().into_iter().flatten().filter_map(finding).collect();
            (!findings.is_empty()).then_some(FileDiagnostics { path, findings })
        };
        paths.into_iter().filter_map(of).collect()
    }

    fn text(&self, path: &str) -> Result<Arc<str>, SurfaceError> {
        let missing = || SurfaceError::NoFile(path.to_owned());
        let root = self.project_of(path)?;
        if !path.strip_prefix(&root).is_some_and(|rest| rest.starts_with('/')) || path.contains("/../") {
            return Err(missing());
        }
        ide_server::text_on_disk(Path::new(path)).map(Into::into).ok_or_else(missing)
    }

    fn save(&self, path: &str) -> Result<(), SurfaceError> {
        if !self.open_editors().iter().any(|editor| &*editor.path == path) {
            return Err(SurfaceError::NotOpen(path.to_owned()));
        }
        self.ask("editor.save", path, json!({"path": path})).map(drop)
    }

    fn reformat(&self, path: &str) -> Result<(), SurfaceError> {
        let before = self.text(path)?;
        let formatted = self.ask("format", path, json!({"path": path, "text": &*before}))?;
        let Some(text) = formatted["text"].as_str().filter(|text| **text != *before) else { return Ok(()) };
        let change = json!({"kind": "write", "path": path, "before": &*before, "text": text});
        self.ask("edit.apply", path, json!({"title": "reformat", "changes": [change]})).map(drop)
    }

    fn subscribe(&self, listener: Weak<dyn SurfaceListener>) {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).push(listener);
    }
}

fn finding(problem: &Value) -> Option<Finding> {
    Some(Finding {
        severity: match problem["severity"].as_str() {
            Some("error") => Severity::Error,
            Some("warning") => Severity::Warning,
            Some("weakWarning") => Severity::WeakWarning,
            _ => Severity::Info,
        },
        range: selection(&problem["place"])?,
        message: problem["message"].as_str().unwrap_or_default().to_owned(),
        source: problem["source"].as_str().map(str::to_owned),
    })
}
