//! An editor surface that keeps its state in memory. The view (a web page, or a test) shows the state and tells what the
//! person does; texts come from a [`SurfaceHost`].

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::endings::{editable, restored};
use crate::{
    Comment, CommentId, DiffId, DiffRequest, EditorSurface, FileDiagnostics, Finding, Language, LineIndex,
    OnVerdict, OpenEditor, OpenRequest, Selection, SurfaceError, SurfaceEvent, SurfaceListener, Verdict,
};

/// Most files that stay open; the one that was active longest ago is closed first.
const MAX_OPEN: usize = 32;
/// Most comments that are kept; the oldest goes first.
const MAX_COMMENTS: usize = 500;
/// Most bytes of a selection that are kept as text.
const MAX_SELECTED: usize = 64 << 10;

/// The services that a [`HostedSurface`] needs from its host.
pub trait SurfaceHost: Send + Sync {
    /// See [`EditorSurface::workspaces`].
    fn workspaces(&self) -> Vec<String>;

    /// The text of any file that may be shown.
    ///
    /// # Errors
    /// [`SurfaceError::NoFile`], [`SurfaceError::Unreadable`].
    fn read(&self, path: &str) -> Result<Arc<str>, SurfaceError>;

    /// Whether a file lies in a workspace, with links resolved.
    fn is_inside(&self, path: &str) -> bool;

    /// A problem of a file.
    fn findings(&self, path: &str) -> Vec<Finding>;

    /// See [`EditorSurface::reformat`].
    ///
    /// # Errors
    /// As there.
    fn reformat(&self, path: &str) -> Result<(), SurfaceError>;

    /// Milliseconds since 1970.
    fn now(&self) -> u64;

    /// Something that a view shows is another now. Called without a lock held.
    fn changed(&self);
}

/// A surface whose state is here and whose view is elsewhere.
pub struct HostedSurface {
    host: Arc<dyn SurfaceHost>,
    state: Mutex<State>,
    listeners: Mutex<Vec<Weak<dyn SurfaceListener>>>,
}

#[derive(Default)]
struct State {
    views: usize,
    last_id: u64,
    editors: Vec<OpenEditor>,
    latest: Option<OpenEditor>,
    diffs: Vec<Pending>,
    comments: Vec<(CommentId, Comment)>,
}

struct Pending {
    shown: ShownDiff,
    decided: OnVerdict,
}

/// A diff that waits for a verdict, as a view shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownDiff {
    pub id: DiffId,
    pub request: DiffRequest,
    /// The left side.
    pub old_text: Arc<str>,
    /// The file does not exist yet.
    pub is_new: bool,
    /// The file lies outside of every workspace.
    pub is_outside: bool,
}

impl ShownDiff {
    /// Both sides as an editor holds them: lines end in `\n`, without a byte order mark.
    pub fn sides(&self) -> (String, String) {
        (editable(&self.old_text), editable(&self.request.proposal))
    }
}

impl HostedSurface {
    pub fn new(host: Arc<dyn SurfaceHost>) -> Self {
        Self { host, state: Mutex::default(), listeners: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, event: &SurfaceEvent) {
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.retain(|listener| listener.strong_count() > 0);
        let told: Vec<_> = listeners.iter().filter_map(Weak::upgrade).collect();
        drop(listeners);
        told.iter().for_each(|listener| listener.on_event(event));
    }

    /// A person looks at it from now on.
    pub fn attach(&self) {
        let is_first = {
            let mut state = self.state();
            state.views += 1;
            state.views == 1
        };
        if is_first {
            self.tell(&SurfaceEvent::AttachmentChanged);
        }
    }

    /// A person looks away. Diffs wait for somebody to come back, until [`Self::give_up`].
    pub fn detach(&self) {
        let is_last = {
            let mut state = self.state();
            let was = state.views;
            state.views = was.saturating_sub(1);
            was == 1
        };
        if is_last {
            self.tell(&SurfaceEvent::AttachmentChanged);
        }
    }

    /// Withdraws every diff, unless somebody looks at them.
    pub fn give_up(&self) {
        let given_up = {
            let mut state = self.state();
            if state.views > 0 { Vec::new() } else { std::mem::take(&mut state.diffs) }
        };
        if !given_up.is_empty() {
            given_up.into_iter().for_each(|diff| (diff.decided)(Verdict::Withdrawn));
            self.host.changed();
        }
    }

    /// The folders are other ones.
    pub fn workspaces_changed(&self) {
        self.tell(&SurfaceEvent::WorkspacesChanged);
        self.host.changed();
    }

    /// A file may have other findings.
    pub fn diagnostics_changed(&self, path: &str) {
        self.tell(&SurfaceEvent::DiagnosticsChanged { path: path.into() });
    }

    /// The person sends a file, or lines of it counted from 1, to the agents.
    pub fn mention(&self, path: &str, lines: Option<(u32, u32)>) {
        self.tell(&SurfaceEvent::Mentioned { path: path.into(), lines });
    }

    /// The person moved the caret or selected something.
    ///
    /// # Errors
    /// As [`EditorSurface::set_selection`].
    pub fn person_selects(
        &self,
        path: &str,
        selection: Selection,
        is_settled: bool,
    ) -> Result<OpenEditor, SurfaceError> {
        self.select(path, Some(selection), true, false, is_settled)
    }

    /// Diffs that wait for a verdict, in the order in which they came.
    pub fn diffs(&self) -> Vec<ShownDiff> {
        self.state().diffs.iter().map(|diff| diff.shown.clone()).collect()
    }

    /// The person accepts a diff; `edited` is the right side as [`ShownDiff::sides`] gave it, with what was changed.
    /// False when it is gone.
    pub fn accept(&self, diff: DiffId, edited: &str) -> bool {
        self.decide(diff, |pending| {
            let content = restored(&pending.request.proposal, edited);
            Verdict::Accepted { content }
        })
    }

    /// The person rejects a diff or closes its view. False when it is gone.
    pub fn reject(&self, diff: DiffId) -> bool {
        self.decide(diff, |_| Verdict::Rejected)
    }

    fn decide(&self, diff: DiffId, verdict: impl FnOnce(&ShownDiff) -> Verdict) -> bool {
        let taken = {
            let mut state = self.state();
            let at = state.diffs.iter().position(|pending| pending.shown.id == diff);
            at.map(|at| state.diffs.remove(at))
        };
        let Some(Pending { shown, decided }) = taken else { return false };
        decided(verdict(&shown));
        self.host.changed();
        true
    }

    /// Comments that were not removed, oldest first.
    pub fn comments(&self) -> Vec<(CommentId, Comment)> {
        self.state().comments.clone()
    }

    /// The person removes a comment. False when it is gone.
    pub fn remove_comment(&self, id: CommentId) -> bool {
        let removed = {
            let mut state = self.state();
            let before = state.comments.len();
            state.comments.retain(|(known, _)| *known != id);
            state.comments.len() < before
        };
        if removed {
            self.host.changed();
        }
        removed
    }

    /// Opens a file, or goes to it, and selects.
    fn select(
        &self,
        path: &str,
        selection: Option<Selection>,
        activate: bool,
        is_preview: bool,
        is_settled: bool,
    ) -> Result<OpenEditor, SurfaceError> {
        let text = self.host.read(path)?;
        let lines = LineIndex::new(&text);
        let line_count = lines.line_count();
        let selected_text = match selection {
            None => None,
            Some(Selection { start, end }) => {
                let range = lines.offset(&text, start).zip(lines.offset(&text, end));
                let Some((start, end)) = range.filter(|(start, end)| start <= end) else {
                    return Err(SurfaceError::OutOfRange { path: path.to_owned(), line_count });
                };
                let mut stop = (end as usize).min(start as usize + MAX_SELECTED);
                while !text.is_char_boundary(stop) {
                    stop -= 1;
                }
                Some(Arc::from(&text[start as usize..stop]))
            }
        };
        let (editor, differs) = {
            let mut state = self.state();
            let before = state.active().cloned();
            let at = state.opened(path, is_preview);
            let now = self.host.now();
            if activate {
                state.editors.iter_mut().for_each(|editor| editor.is_active = false);
            }
            let editor = &mut state.editors[at];
            editor.line_count = line_count;
            editor.is_preview &= is_preview;
            editor.is_active |= activate;
            if editor.is_active {
                editor.active_at = now;
            }
            if let Some(text) = selected_text {
                editor.selection = selection;
                editor.selected_text = text;
            }
            let editor = editor.clone();
            if editor.is_active {
                state.latest = Some(editor.clone());
            }
            let seen =
                |editor: &OpenEditor| (editor.path.clone(), editor.selection, editor.selected_text.clone());
            let differs = before.as_ref().map(seen) != state.active().map(seen);
            (editor, differs)
        };
        self.host.changed();
        if differs || is_settled {
            self.tell(&SurfaceEvent::SelectionChanged { is_settled });
        }
        Ok(editor)
    }

    fn require_attached(&self) -> Result<(), SurfaceError> {
        if self.is_attached() { Ok(()) } else { Err(SurfaceError::NotAttached) }
    }
}

impl State {
    fn active(&self) -> Option<&OpenEditor> {
        self.editors.iter().find(|editor| editor.is_active)
    }

    /// The place of a file among the editors, where it is put when it is not there.
    fn opened(&mut self, path: &str, is_preview: bool) -> usize {
        if let Some(at) = self.editors.iter().position(|editor| &*editor.path == path) {
            return at;
        }
        if is_preview {
            self.editors.retain(|editor| !editor.is_preview);
        }
        if self.editors.len() >= MAX_OPEN {
            let idle = self.editors.iter().enumerate().min_by_key(|(_, editor)| editor.active_at);
            let at = idle.map(|(at, _)| at).expect("there are editors");
            self.editors.remove(at);
        }
        self.editors.push(OpenEditor {
            path: path.into(),
            language: Language::of_path(path),
            line_count: 0,
            is_active: false,
            is_preview,
            is_dirty: false,
            selection: None,
            selected_text: "".into(),
            active_at: 0,
        });
        self.editors.len() - 1
    }

    fn fresh_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }
}

impl EditorSurface for HostedSurface {
    fn is_attached(&self) -> bool {
        self.state().views > 0
    }

    fn workspaces(&self) -> Vec<String> {
        self.host.workspaces()
    }

    fn open_file(&self, request: &OpenRequest<'_>) -> Result<OpenEditor, SurfaceError> {
        self.require_attached()?;
        self.select(request.path, request.selection, request.activate, request.is_preview, true)
    }

    fn open_editors(&self) -> Vec<OpenEditor> {
        self.state().editors.clone()
    }

    fn latest_selection(&self) -> Option<OpenEditor> {
        self.state().latest.clone()
    }

    fn set_selection(&self, path: Option<&str>, selection: Selection) -> Result<OpenEditor, SurfaceError> {
        self.require_attached()?;
        let active = || self.state().active().map(|editor| editor.path.to_string());
        let path = path.map(str::to_owned).or_else(active).ok_or(SurfaceError::NothingActive)?;
        self.select(&path, Some(selection), true, false, true)
    }

    fn close_file(&self, path: &str) -> bool {
        let closed = {
            let mut state = self.state();
            let at = state.editors.iter().position(|editor| &*editor.path == path);
            at.map(|at| {
                let closed = state.editors.remove(at);
                if closed.is_active
                    && let Some(next) = state.editors.iter_mut().max_by_key(|editor| editor.active_at)
                {
                    next.is_active = true;
                }
                closed.is_active
            })
        };
        let Some(was_active) = closed else { return false };
        self.host.changed();
        if was_active {
            self.tell(&SurfaceEvent::SelectionChanged { is_settled: true });
        }
        true
    }

    fn show_diff(&self, request: DiffRequest, decided: OnVerdict) -> Result<DiffId, SurfaceError> {
        self.require_attached()?;
        let (old_text, is_new) = match self.host.read(&request.old_path) {
            Ok(text) => (text, false),
            Err(SurfaceError::NoFile(_)) => ("".into(), true),
            Err(error) => return Err(error),
        };
        let is_outside = !self.host.is_inside(&request.new_path);
        let id = {
            let mut state = self.state();
            let id = DiffId(state.fresh_id());
            let shown = ShownDiff { id, request, old_text, is_new, is_outside };
            state.diffs.push(Pending { shown, decided });
            id
        };
        self.host.changed();
        Ok(id)
    }

    fn withdraw_diff(&self, diff: DiffId) {
        self.decide(diff, |_| Verdict::Withdrawn);
    }

    fn refresh(&self, path: &str) {
        let line_count = self.host.read(path).map(|text| LineIndex::new(&text).line_count());
        let is_open = {
            let mut state = self.state();
            let editor = state.editors.iter_mut().find(|editor| &*editor.path == path);
            editor.map(|editor| editor.line_count = line_count.unwrap_or(0)).is_some()
        };
        if is_open {
            self.host.changed();
        }
    }

    /// Kept also while nobody looks, for the next who does.
    fn add_comment(&self, comment: Comment) -> Result<CommentId, SurfaceError> {
        let text = self.host.read(&comment.path)?;
        let line_count = LineIndex::new(&text).line_count();
        if comment.line == 0 || comment.line > line_count {
            return Err(SurfaceError::OutOfRange { path: comment.path, line_count });
        }
        let id = {
            let mut state = self.state();
            let id = CommentId(state.fresh_id());
            if state.comments.len() >= MAX_COMMENTS {
                state.comments.remove(0);
            }
            state.comments.push((id, comment));
            id
        };
        self.host.changed();
        Ok(id)
    }

    fn diagnostics(&self, path: Option<&str>) -> Vec<FileDiagnostics> {
        let paths: Vec<Arc<str>> = match path {
            Some(path) => vec![path.into()],
            None => self.state().editors.iter().map(|editor| editor.path.clone()).collect(),
        };
        let found =
            paths.into_iter().map(|path| FileDiagnostics { findings: self.host.findings(&path), path });
        found.filter(|file| !file.findings.is_empty()).collect()
    }

    fn text(&self, path: &str) -> Result<Arc<str>, SurfaceError> {
        if self.host.is_inside(path) {
            self.host.read(path)
        } else {
            Err(SurfaceError::NoFile(path.to_owned()))
        }
    }

    fn save(&self, path: &str) -> Result<(), SurfaceError> {
        let is_open = self.state().editors.iter().any(|editor| &*editor.path == path);
        if is_open { Ok(()) } else { Err(SurfaceError::NotOpen(path.to_owned())) }
    }

    fn reformat(&self, path: &str) -> Result<(), SurfaceError> {
        if !self.host.is_inside(path) {
            return Err(SurfaceError::NoFile(path.to_owned()));
        }
        self.host.reformat(path)?;
        self.refresh(path);
        Ok(())
    }

    fn subscribe(&self, listener: Weak<dyn SurfaceListener>) {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).push(listener);
    }
}
