//! The texts and findings of open projects, for the editor that the dashboard is.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ide_model::{
    Cx, EditorSurface as _, FilePath, FileText, Finding, HostedSurface, Selection, SurfaceError, SurfaceHost,
    TextRange,
};
use ide_tools::Project;
use serde_json::json;
use tokio::sync::watch;

use crate::app_state::AppState;

/// How long the findings of a file may take.
const FINDINGS_LIMIT: Duration = Duration::from_secs(5);

/// The editor of the dashboard, and whoever watches it.
pub(crate) struct DashboardEditor {
    app: Weak<AppState>,
    /// Counts changes of what views show.
    changes: watch::Sender<u64>,
    /// Counts changes of the history.
    calls: watch::Sender<u64>,
    /// The server ends.
    end: watch::Sender<bool>,
    /// The thread that passes on what changes in the history.
    follower: Mutex<Option<JoinHandle<()>>>,
    /// The secret of each diff, which only our page knows.
    nonce: String,
    /// The stamps of the open files when somebody last looked.
    stamps: Mutex<BTreeMap<Arc<str>, String>>,
}

/// Changes whenever the file does.
pub(super) fn stamp(path: &str) -> String {
    let about = std::fs::metadata(path).ok();
    let modified = about.as_ref().and_then(|about| about.modified().ok()?.duration_since(UNIX_EPOCH).ok());
    format!("{:?} {:?}", about.map(|about| about.len()), modified.map(|since| since.as_nanos()))
}

impl DashboardEditor {
    /// An editor for the projects of a server that is being built.
    pub(crate) fn of(app: Weak<AppState>) -> (Arc<Self>, HostedSurface) {
        // without randomness no page is served either
        let nonce = super::access::secret().unwrap_or_default();
        let editor = Arc::new(Self {
            app,
            changes: watch::Sender::new(0),
            calls: watch::Sender::new(0),
            end: watch::Sender::new(false),
            follower: Mutex::default(),
            nonce,
            stamps: Mutex::default(),
        });
        (editor.clone(), HostedSurface::new(editor))
    }

    /// Changes whenever something that views show is another.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Changes whenever the history is another.
    pub(crate) fn calls(&self) -> watch::Receiver<u64> {
        self.calls.subscribe()
    }

    pub(crate) fn calls_changed(&self) {
        self.calls.send_modify(|count| *count += 1);
    }

    /// True when the server ends.
    pub(crate) fn ended(&self) -> watch::Receiver<bool> {
        self.end.subscribe()
    }

    /// Pages are let go.
    pub(crate) fn end(&self) {
        self.end.send_replace(true);
    }

    /// Passes on what changes in the history, until the server is gone.
    pub(crate) fn watch_calls(self: &Arc<Self>, app: &AppState) {
        let events = app.records().subscribe();
        let editor = Arc::downgrade(self);
        let spawned = std::thread::Builder::new().name("dashboard".to_owned()).spawn(move || {
            while events.recv().is_ok() {
                let Some(editor) = editor.upgrade() else { return };
                editor.calls_changed();
            }
        });
        // without the thread the page does not follow by itself
        *self.follower.lock().unwrap_or_else(PoisonError::into_inner) = spawned.ok();
    }

    /// Tells of open files that are others on disk than when somebody last looked.
    pub(crate) fn look_at_files(&self, surface: &HostedSurface) {
        let open = surface.open_editors();
        let now: BTreeMap<_, _> =
            open.into_iter().map(|editor| (editor.path.clone(), stamp(&editor.path))).collect();
        let before =
            std::mem::replace(&mut *self.stamps.lock().unwrap_or_else(PoisonError::into_inner), now.clone());
        for (path, _) in now.iter().filter(|(path, stamp)| before.get(*path) != Some(stamp)) {
            surface.refresh(path);
            surface.diagnostics_changed(path);
        }
    }

    /// The word that a verdict on a diff must bring.
    pub(crate) fn nonce(&self, diff: ide_model::DiffId) -> String {
        let mac = ide_companion::keyed_hash(&self.nonce, &diff.0.to_le_bytes());
        mac.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The text of a file that is shown, wherever it lies.
    pub(crate) fn text(&self, path: &str) -> Result<Arc<str>, SurfaceError> {
        self.read(path)
    }

    /// The project that a file lies in, and its name there. Containment is the project's business.
    pub(crate) fn inside(&self, path: &str) -> Option<(Arc<dyn Project>, FilePath)> {
        let app = self.app.upgrade()?;
        let open = app.open_projects();
        let mut below: Vec<_> = open.into_iter().filter(|project| is_below(path, project.root())).collect();
        below.sort_by_key(|project| std::cmp::Reverse(project.root().len()));
        below.into_iter().find_map(|project| {
            let file = project.locate(path).or_else(|_| project.place(path)).ok()?;
            let is_inside = !file.as_str().starts_with('/') && !file.as_str().contains(':');
            is_inside.then_some((project, file))
        })
    }
}

impl Drop for DashboardEditor {
    fn drop(&mut self) {
        // The history is gone by now, and with it what the thread waits for; it may be this one.
        let follower = self.follower.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let follower = follower.filter(|thread| thread.thread().id() != std::thread::current().id());
        if let Some(thread) = follower {
            // a panic in it is no news here
            drop(thread.join());
        }
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

impl SurfaceHost for DashboardEditor {
    fn workspaces(&self) -> Vec<String> {
        let open = self.app.upgrade().map_or_else(Vec::new, |app| app.open_projects());
        open.iter().map(|project| project.root().to_owned()).collect()
    }

    fn read(&self, path: &str) -> Result<Arc<str>, SurfaceError> {
        if let Some((project, file)) = self.inside(path) {
            return project.read(&file).map(|content| content.text).map_err(|error| match error.slug {
                "file_not_found" => SurfaceError::NoFile(path.to_owned()),
                _ => SurfaceError::Unreadable { path: path.to_owned(), because: error.message },
            });
        }
        let missing = || SurfaceError::NoFile(path.to_owned());
        let unreadable =
            |because: &str| SurfaceError::Unreadable { path: path.to_owned(), because: because.to_owned() };
        if !Path::new(path).is_absolute() {
            return Err(missing());
        }
        let about = std::fs::metadata(path).map_err(|_| missing())?;
        if !about.is_file() {
            return Err(unreadable("it is no file"));
        }
        if about.len() > ide_store::MAX_TEXT_BYTES {
            return Err(unreadable("it is too large"));
        }
        let bytes = std::fs::read(path).map_err(|error| unreadable(&error.to_string()))?;
        ide_store::decode(&bytes).map(Into::into).ok_or_else(|| unreadable("it is not a text file"))
    }

    fn is_inside(&self, path: &str) -> bool {
        self.inside(path).is_some()
    }

    fn findings(&self, path: &str) -> Vec<Finding> {
        let Some((project, file)) = self.inside(path) else { return Vec::new() };
        let Some(app) = self.app.upgrade() else { return Vec::new() };
        let stop = app.watchdog().guard(FINDINGS_LIMIT, None);
        let cx = Cx::new(&stop);
        let found = project.backend().snapshot(cx).and_then(|snapshot| {
            let text = snapshot.text(&file)?;
            Ok((snapshot.diagnostics(cx, &file)?.value, text))
        });
        // A file that the index does not know has no findings of it.
        let Ok((mut found, text)) = found else { return Vec::new() };
        found.sort_by_key(|finding| (finding.severity, finding.range));
        let finding = |diagnostic: ide_model::Diagnostic| Finding {
            severity: diagnostic.severity,
            range: selection(&text, diagnostic.range),
            message: diagnostic.message,
            source: Some(diagnostic.code.to_owned()),
        };
        found.into_iter().map(finding).collect()
    }

    fn reformat(&self, path: &str) -> Result<(), SurfaceError> {
        let (project, _) = self.inside(path).ok_or_else(|| SurfaceError::NoFile(path.to_owned()))?;
        let app = self.app.upgrade().ok_or(SurfaceError::NotAttached)?;
        let session = app.session("dashboard", Vec::new());
        let tool = ide_tools::find("ide_reformat_code").expect("it is in the catalogue");
        let reply = session.call_any(tool, json!({"project_path": project.root(), "file": path}), None);
        if !reply.is_error {
            return Ok(());
        }
        let error: serde_json::Value = serde_json::from_str(&reply.json).unwrap_or_default();
        Err(SurfaceError::Failed(error["message"].as_str().unwrap_or("the formatter failed").to_owned()))
    }

    fn now(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }
}

fn selection(text: &FileText, range: TextRange) -> Selection {
    Selection { start: text.position(range.start), end: text.position(range.end) }
}
