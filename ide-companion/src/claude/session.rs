//! One connection: messages and times in, messages and jobs out.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ide_model::{EditorSurface, OpenEditor, SurfaceEvent, SurfaceListener, Verdict};
use serde_json::{Value, json};

use super::diffs::{Diffs, Pending};
use super::rpc::{self, Batches, Incoming, Requester};
use super::{Dialect, schemas, tools};
use crate::text::{MAX_SELECTED, file_url, head, range, selection_of};

/// How we present ourselves.
#[derive(Clone, Debug)]
pub struct Speaker {
    pub name: String,
    pub version: String,
}

/// Selections are sent when nothing has moved for so long.
const SELECTION_MS: u64 = 100;
/// Findings are told of when they have been quiet for so long.
const DIAGNOSTICS_MS: u64 = 300;
/// A client that does not say `ide_connected` is told the selection after so long.
const GREETING_MS: u64 = 500;
/// Most bytes that wait to be sent.
const MOST_UNSENT: usize = 64 << 20;
/// Most mentions and changed files that are remembered between two polls.
const MOST_EVENTS: usize = 1000;
/// Revisions that are agreed to; for others the oldest is offered.
const VERSIONS: [&str; 5] = ["2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const OLDEST: &str = "2024-11-05";

/// One client's connection.
pub struct Session {
    dialect: Dialect,
    surface: Arc<dyn EditorSurface>,
    speaker: Speaker,
    inbox: Arc<Inbox>,
    diffs: Diffs,
    batches: Batches,
    /// Requests that jobs work on, by number.
    working: BTreeMap<u64, Requester>,
    jobs: Vec<Job>,
    last_job: u64,
    outbox: VecDeque<Outgoing>,
    unsent: usize,
    is_overrun: bool,
    selection: Selection,
    diagnostics: BTreeMap<Arc<str>, u64>,
    was_attached: bool,
}

struct Outgoing {
    text: String,
    /// A newer one takes its place while it is not sent.
    is_selection: bool,
}

/// The client's picture of the selection, as far as it is known.
#[derive(Default)]
struct Selection {
    /// When it is to be sent.
    due: Option<u64>,
    /// The client has been greeted: it gets selections from now on.
    greeted: bool,
    last: Option<Value>,
}

/// Events since the last poll; filled from any thread.
pub(super) struct Inbox {
    wake: Box<dyn Fn() + Send + Sync>,
    mail: Mutex<Outbox>,
}

#[derive(Default)]
struct Outbox {
    /// The selection changed; true when the person let go.
    selection: Option<bool>,
    attachment: bool,
    mentions: Vec<Mention>,
    diagnostics: BTreeSet<Arc<str>>,
    verdicts: Vec<(u64, Verdict)>,
    done: Vec<(u64, Value)>,
}

/// A file, and the lines of it that are meant.
type Mention = (Arc<str>, Option<(u32, u32)>);

impl Inbox {
    fn put(&self, put: impl FnOnce(&mut Outbox)) {
        put(&mut self.mail.lock().unwrap_or_else(PoisonError::into_inner));
        (self.wake)();
    }

    fn take(&self) -> Outbox {
        std::mem::take(&mut self.mail.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl SurfaceListener for Inbox {
    fn on_event(&self, event: &SurfaceEvent) {
        self.put(|mail| match event {
            SurfaceEvent::SelectionChanged { is_settled } => {
                mail.selection = Some(mail.selection.unwrap_or(false) || *is_settled);
            }
            SurfaceEvent::Mentioned { path, lines } if mail.mentions.len() < MOST_EVENTS => {
                mail.mentions.push((path.clone(), *lines));
            }
            SurfaceEvent::DiagnosticsChanged { path } if mail.diagnostics.len() < MOST_EVENTS => {
                mail.diagnostics.insert(path.clone());
            }
            SurfaceEvent::AttachmentChanged => mail.attachment = true,
            SurfaceEvent::Mentioned { .. }
            | SurfaceEvent::DiagnosticsChanged { .. }
            | SurfaceEvent::WorkspacesChanged => {}
        });
    }
}

/// Work that may take seconds. Run it on a thread that may block; the session finds the result at its next poll.
pub struct Job {
    number: u64,
    inbox: Arc<Inbox>,
    surface: Arc<dyn EditorSurface>,
    work: tools::Work,
}

impl Job {
    /// Does the work and wakes the session.
    pub fn run(self) {
        let result = (self.work)(&*self.surface);
        self.inbox.put(|mail| mail.done.push((self.number, result)));
    }
}

impl Session {
    /// A connection in a dialect. `wake` is called, from any thread, when [`Self::poll`] has something to do.
    pub fn new(
        dialect: Dialect,
        surface: Arc<dyn EditorSurface>,
        speaker: Speaker,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let inbox = Arc::new(Inbox { wake: Box::new(wake), mail: Mutex::default() });
        let listener: Weak<dyn SurfaceListener> = Arc::<Inbox>::downgrade(&inbox);
        surface.subscribe(listener);
        Self {
            dialect,
            was_attached: surface.is_attached(),
            surface,
            speaker,
            inbox,
            diffs: Diffs::default(),
            batches: Batches::default(),
            working: BTreeMap::new(),
            jobs: Vec::new(),
            last_job: 0,
            outbox: VecDeque::new(),
            unsent: 0,
            is_overrun: false,
            selection: Selection::default(),
            diagnostics: BTreeMap::new(),
        }
    }

    /// Takes the text of one frame. Times are milliseconds of a clock that does not go back.
    pub fn receive(&mut self, now: u64, text: &str) {
        match rpc::read(text) {
            Incoming::Bad(code, message) => self.send(rpc::error(&Value::Null, code, message).to_string()),
            Incoming::One(message) => self.message(now, &message, None),
            Incoming::Batch(messages) => {
                let requests = messages.iter().filter(|message| !is_notification(message)).count();
                let batch = (requests > 0).then(|| self.batches.open(requests));
                messages.iter().for_each(|message| self.message(now, message, batch));
            }
        }
        self.poll(now);
    }

    /// Looks what happened meanwhile and which times have come.
    pub fn poll(&mut self, now: u64) {
        let mail = self.inbox.take();
        mail.done.into_iter().for_each(|(number, result)| {
            if let Some(asker) = self.working.remove(&number) {
                self.answer(asker, Some(result));
            }
        });
        mail.verdicts.into_iter().for_each(|(serial, verdict)| self.decided(serial, verdict));
        for (path, lines) in mail.mentions {
            let mut params = json!({"filePath": &*path});
            if let Some((first, last)) = lines {
                params["lineStart"] = first.saturating_sub(1).into();
                params["lineEnd"] = last.saturating_sub(1).into();
            }
            self.send(rpc::notification("at_mentioned", params));
        }
        for path in mail.diagnostics {
            self.diagnostics.insert(path, now + DIAGNOSTICS_MS);
        }
        let is_attached = self.surface.is_attached();
        if mail.attachment && is_attached != self.was_attached {
            self.was_attached = is_attached;
            self.send(rpc::notification("notifications/tools/list_changed", Value::Null));
        }
        match mail.selection.filter(|_| self.selection.greeted) {
            Some(true) => self.selection.due = Some(now),
            Some(false) => {
                self.selection.due.get_or_insert(now + SELECTION_MS);
            }
            None => {}
        }
        if self.selection.due.is_some_and(|due| due <= now) {
            self.selection.due = None;
            self.selection.greeted = true;
            self.tell_selection();
        }
        let due: Vec<Arc<str>> =
            self.diagnostics.iter().filter(|(_, due)| **due <= now).map(|(path, _)| path.clone()).collect();
        for path in due {
            self.diagnostics.remove(&path);
            self.send(rpc::notification("diagnostics_changed", json!({"uri": file_url(&path)})));
        }
    }

    /// When [`Self::poll`] has something to do, if nothing happens before.
    pub fn next_time(&self) -> Option<u64> {
        self.diagnostics.values().copied().chain(self.selection.due).min()
    }

    /// The next frame to send. Take one when the last was sent: one that is not taken may still be replaced.
    pub fn next_output(&mut self) -> Option<String> {
        let next = self.outbox.pop_front()?;
        self.unsent -= next.text.len();
        Some(next.text)
    }

    /// Work to be run elsewhere.
    pub fn take_jobs(&mut self) -> Vec<Job> {
        std::mem::take(&mut self.jobs)
    }

    /// The client does not take what it asked for: close the connection with 1013.
    pub fn is_overrun(&self) -> bool {
        self.is_overrun
    }

    fn message(&mut self, now: u64, message: &Value, batch: Option<u64>) {
        let method = message.get("method").and_then(Value::as_str);
        let params = message.get("params").filter(|params| !params.is_null()).unwrap_or(&Value::Null);
        if is_notification(message) {
            if let Some(method) = method {
                self.notified(now, method, params);
            }
            return;
        }
        let id = message.get("id").unwrap_or(&Value::Null);
        if method.is_none() && (message.get("result").is_some() || message.get("error").is_some()) {
            // an answer to nothing that we asked
            let nothing = self.batches.answer(batch, None);
            return nothing.into_iter().for_each(|text| self.send(text));
        }
        let is_id = id.is_string() || id.is_number();
        let asker = Requester { id: if is_id { id.clone() } else { Value::Null }, batch };
        match method.filter(|_| is_id) {
            None => self.refuse(asker, rpc::INVALID_REQUEST, "the message is no request"),
            Some(method) => self.request(asker, method, params),
        }
    }

    fn notified(&mut self, now: u64, method: &str, params: &Value) {
        match method {
            "notifications/initialized" => {
                if self.dialect == Dialect::Described
                    && let Some(root) = self.surface.workspaces().first()
                {
                    self.send(rpc::notification(
                        "notifications/ide_connected",
                        json!({"project_path": root}),
                    ));
                }
                self.selection.due.get_or_insert(now + GREETING_MS);
            }
            "ide_connected" | "notifications/ide_connected" => self.selection.due = Some(now),
            "notifications/cancelled" => {
                let id = &params["requestId"];
                if let Some(pending) = self.diffs.take_request(id) {
                    self.withdraw(&pending);
                    self.answer(pending.asker, None);
                }
                let running =
                    self.working.iter().find(|(_, asker)| asker.id == *id).map(|(number, _)| *number);
                if let Some(asker) = running.and_then(|number| self.working.remove(&number)) {
                    self.answer(asker, None);
                }
            }
            _ => {}
        }
    }

    fn request(&mut self, asker: Requester, method: &str, params: &Value) {
        let result = match method {
            "initialize" => self.initialize(params),
            "ping" | "logging/setLevel" => json!({}),
            "tools/list" => json!({"tools": schemas::list(self.dialect, self.surface.is_attached())}),
            "prompts/list" => json!({"prompts": []}),
            "resources/list" => json!({"resources": []}),
            "resources/templates/list" => json!({"resourceTemplates": []}),
            "tools/call" => return self.call(asker, params),
            _ => return self.refuse(asker, rpc::METHOD_NOT_FOUND, &format!("there is no method `{method}`")),
        };
        let response = rpc::result(&asker.id, result);
        self.respond(asker, response);
    }

    fn initialize(&self, params: &Value) -> Value {
        let asked = params["protocolVersion"].as_str().unwrap_or(OLDEST);
        let version = if VERSIONS.contains(&asked) { asked } else { OLDEST };
        let mut capabilities =
            json!({"tools": {"listChanged": true}, "prompts": {"listChanged": true}, "logging": {}});
        if self.dialect == Dialect::Described {
            capabilities["resources"] = json!({"subscribe": false, "listChanged": false});
        }
        json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "serverInfo": {"name": self.speaker.name, "version": self.speaker.version},
        })
    }

    fn call(&mut self, asker: Requester, params: &Value) {
        let Some(name) = params["name"].as_str() else {
            return self.refuse(asker, rpc::INVALID_PARAMS, "the name of the tool is missing");
        };
        if !schemas::is_known(name) {
            return self.refuse(asker, rpc::INVALID_PARAMS, &format!("there is no tool `{name}`"));
        }
        let args = tools::Args::new(&params["arguments"], self.dialect, &*self.surface);
        let missing = schemas::required(name, self.dialect).into_iter().find(|name| !args.has(name));
        if let Some(missing) = missing {
            return self.refuse(asker, rpc::INVALID_PARAMS, &format!("the argument `{missing}` is missing"));
        }
        let result = match name {
            "openDiff" => return self.open_diff(asker, &args),
            "close_tab" => Ok(self.close_tab(args.text("tab_name").unwrap_or_default())),
            "closeAllDiffTabs" => Ok(self.close_all_diffs()),
            _ => match tools::call(name, &args, &*self.surface) {
                tools::Outcome::Done(result) => result,
                tools::Outcome::Later(work) => return self.work(asker, work),
                tools::Outcome::Missing(what) => {
                    return self.refuse(
                        asker,
                        rpc::INVALID_PARAMS,
                        &format!("the argument `{what}` is missing"),
                    );
                }
            },
        };
        self.answer(asker, Some(result.unwrap_or_else(|error| tools::failed(&error))));
    }

    fn work(&mut self, asker: Requester, work: tools::Work) {
        self.last_job += 1;
        self.working.insert(self.last_job, asker);
        self.jobs.push(Job {
            number: self.last_job,
            inbox: self.inbox.clone(),
            surface: self.surface.clone(),
            work,
        });
    }

    fn open_diff(&mut self, asker: Requester, args: &tools::Args) {
        let request = args.diff(&self.speaker.name);
        let tab = args
            .text("tab_name")
            .map_or_else(|| format!("{}#{}", request.new_path, self.last_job), str::to_owned);
        self.last_job += 1;
        if let Some(replaced) = self.diffs.take(&tab) {
            self.withdraw(&replaced);
            self.answer(replaced.asker, Some(tools::rejected(&tab)));
        }
        if self.diffs.is_full() {
            return self.answer(asker, Some(tools::failed("too many diffs are open")));
        }
        let path = request.new_path.clone();
        let serial = self.diffs.begin(&tab, asker, path);
        let inbox = Arc::downgrade(&self.inbox);
        let decided = Box::new(move |verdict| {
            if let Some(inbox) = inbox.upgrade() {
                inbox.put(|mail| mail.verdicts.push((serial, verdict)));
            }
        });
        match self.surface.show_diff(request, decided) {
            Ok(diff) => self.diffs.shown(serial, diff),
            Err(error) => {
                if let Some((_, pending)) = self.diffs.take_serial(serial) {
                    self.answer(pending.asker, Some(tools::failed(&error.to_string())));
                }
            }
        }
    }

    fn decided(&mut self, serial: u64, verdict: Verdict) {
        // one that is gone was withdrawn by ourselves
        let Some((tab, pending)) = self.diffs.take_serial(serial) else { return };
        let result = match verdict {
            Verdict::Accepted { content } => {
                self.diffs.accept(tab, pending.path);
                tools::saved(&content)
            }
            Verdict::Rejected => tools::rejected(&tab),
            Verdict::Withdrawn => tools::failed(&ide_model::SurfaceError::NotAttached.to_string()),
        };
        self.answer(pending.asker, Some(result));
    }

    fn withdraw(&self, pending: &Pending) {
        if let Some(diff) = pending.diff {
            self.surface.withdraw_diff(diff);
        }
    }

    fn close_tab(&mut self, tab: &str) -> Value {
        if let Some(pending) = self.diffs.take(tab) {
            // the person decided in the terminal
            self.withdraw(&pending);
            self.answer(pending.asker, Some(tools::rejected(tab)));
        } else if let Some(path) = self.diffs.written(tab) {
            self.surface.refresh(&path);
        } else {
            let path = tools::absolute(&*self.surface, tab);
            self.surface.close_file(&path);
        }
        tools::text("TAB_CLOSED")
    }

    fn close_all_diffs(&mut self) -> Value {
        let closed = self.diffs.take_all();
        let count = closed.len();
        for (tab, pending) in closed {
            self.withdraw(&pending);
            self.answer(pending.asker, Some(tools::rejected(&tab)));
        }
        self.diffs.all_written().iter().for_each(|path| self.surface.refresh(path));
        tools::text(&format!("CLOSED_{count}_DIFF_TABS"))
    }

    fn tell_selection(&mut self) {
        let active = self.surface.open_editors().into_iter().find(|editor| editor.is_active);
        let (real, described) = match &active {
            Some(editor) => (selection_params(editor), Some(described_params(editor))),
            None if self.selection.last.is_none() => return,
            None => (json!({"text": "", "filePath": null, "selection": null}), None),
        };
        if self.selection.last.as_ref() == Some(&real) {
            return;
        }
        self.outbox.retain(|waiting| !waiting.is_selection);
        self.unsent = self.outbox.iter().map(|waiting| waiting.text.len()).sum();
        self.push(rpc::notification("selection_changed", real.clone()), true);
        if let Some(params) = described.filter(|_| self.dialect == Dialect::Described) {
            self.push(rpc::notification("notifications/selection_changed", params), true);
        }
        self.selection.last = Some(real);
    }

    fn refuse(&mut self, asker: Requester, code: i64, message: &str) {
        let error = rpc::error(&asker.id, code, message);
        self.respond(asker, error);
    }

    /// Answers a call of a tool; with nothing when the client took it back.
    fn answer(&mut self, asker: Requester, result: Option<Value>) {
        let result = result.map(|mut result| {
            if self.dialect == Dialect::Described && result.get("isError").is_none() {
                result["isError"] = false.into();
            }
            rpc::result(&asker.id, result)
        });
        let frame = self.batches.answer(asker.batch, result);
        frame.into_iter().for_each(|text| self.send(text));
    }

    fn respond(&mut self, asker: Requester, response: Value) {
        let frame = self.batches.answer(asker.batch, Some(response));
        frame.into_iter().for_each(|text| self.send(text));
    }

    fn send(&mut self, text: String) {
        self.push(text, false);
    }

    fn push(&mut self, text: String, is_selection: bool) {
        self.unsent += text.len();
        self.is_overrun |= self.unsent > MOST_UNSENT;
        self.outbox.push_back(Outgoing { text, is_selection });
    }
}

impl Drop for Session {
    /// Diffs that nobody waits for any more leave the screen.
    fn drop(&mut self) {
        for (_, pending) in self.diffs.take_all() {
            self.withdraw(&pending);
        }
    }
}

fn is_notification(message: &Value) -> bool {
    message.get("method").is_some() && message.get("id").is_none()
}

fn selection_params(editor: &OpenEditor) -> Value {
    let selection = selection_of(editor);
    let mut on_wire = range(selection);
    on_wire["isEmpty"] = selection.is_caret().into();
    json!({
        "text": head(&editor.selected_text, MAX_SELECTED),
        "filePath": &*editor.path,
        "fileUrl": file_url(&editor.path),
        "selection": on_wire,
    })
}

fn described_params(editor: &OpenEditor) -> Value {
    json!({"file_path": &*editor.path, "range": range(selection_of(editor))})
}
