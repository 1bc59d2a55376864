//! One session: the handshake, the loop that owns the buffers, and the threads that answer.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use gen_lsp_types::{
    CancelParams, ClientCapabilities, DidChangeTextDocumentParams, DidChangeWorkspaceFoldersParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, Id, InitializeParams, PublishDiagnosticsParams,
    RootPath, Uri, WorkspaceFolders,
};
use ide_model::{Cx, Stop, StopReason};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::capabilities::{Client, capabilities};
use crate::documents::Documents;
use crate::position::{Encoding, path_of};
use crate::query::{Failure, Overlays, Query, SILENT, Shared};
use crate::{Host, completion, diagnostics, hierarchy, navigation, refactoring, structure, symbols, tokens};

/// How a session behaves.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// A request that runs longer ends with an error.
    pub deadline: Duration,
    /// Requests that run at the same time.
    pub threads: usize,
    /// Stack of each thread that answers, in bytes.
    pub stack_size: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { deadline: Duration::from_secs(30), threads: 4, stack_size: 16 << 20 }
    }
}

impl From<lsp_server::ProtocolError> for ServeError {
    fn from(error: lsp_server::ProtocolError) -> Self {
        if error.channel_is_disconnected() { Self::Disconnected } else { Self::Handshake(error) }
    }
}

/// Why a session ended other than by `shutdown` and `exit`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The client broke the handshake.
    #[error("the client did not complete the handshake: {0}")]
    Handshake(lsp_server::ProtocolError),
    /// The parameters of `initialize` are not those of the protocol.
    #[error("the parameters of `initialize` cannot be read: {0}")]
    Parameters(#[from] serde_json::Error),
    /// A thread could not be started.
    #[error("a thread could not be started: {0}")]
    Thread(#[from] std::io::Error),
    /// The connection ended without `shutdown`.
    #[error("the connection ended without `shutdown`")]
    Disconnected,
}

/// Speaks with one client until it says `exit`. `name` and `version` are what `initialize` answers as `serverInfo`.
///
/// # Errors
/// See [`ServeError`].
pub fn serve(
    connection: &Connection,
    host: Arc<dyn Host>,
    options: &Options,
    (name, version): (&str, &str),
) -> Result<(), ServeError> {
    let (id, params) = connection.initialize_start()?;
    let params: InitializeParams = serde_json::from_value(params)?;
    let encoding = agreed_encoding(&params.capabilities);
    let answer = json!({
        "capabilities": capabilities(encoding),
        "serverInfo": { "name": name, "version": version },
    });
    for folder in folders(&params) {
        host.open(&folder);
    }
    connection.initialize_finish(id, answer)?;
    let client = Client::of(&params.capabilities);
    let shared = Arc::new(Shared {
        host,
        encoding,
        client,
        tokens: tokens::Given::default(),
        overlays: Overlays::default(),
    });
    let (jobs, waiting) = unbounded::<Job>();
    let (done, finished) = unbounded::<RequestId>();
    let mut workers = Vec::new();
    for number in 0..options.threads.max(1) {
        let worker = Worker {
            shared: shared.clone(),
            jobs: waiting.clone(),
            out: connection.sender.clone(),
            done: done.clone(),
        };
        let thread = std::thread::Builder::new()
            .name(format!("ide-lsp-{number}"))
            .stack_size(options.stack_size)
            .spawn(move || worker.run())?;
        workers.push(thread);
    }
    let mut session = Session {
        connection,
        shared,
        documents: Documents::default(),
        jobs,
        running: HashMap::new(),
        client,
        deadline: options.deadline,
        next_id: 0,
        is_shut_down: false,
        publishing: HashMap::new(),
    };
    session.greet();
    let ended = session.run(&finished);
    // Workers end when no job can come any more.
    session.running.values().for_each(|running| running.stop.stop(StopReason::Cancelled));
    drop(session);
    for worker in workers {
        // A worker catches the panics of its jobs.
        worker.join().map_err(|_| ServeError::Disconnected)?;
    }
    ended
}

/// UTF-8 when the client offers it first; else what every client speaks.
fn agreed_encoding(client: &ClientCapabilities) -> Encoding {
    let offered = client.general.as_ref().and_then(|general| general.position_encodings.as_deref());
    match offered.and_then(|offered| offered.first()) {
        Some(first) if *first == gen_lsp_types::PositionEncodingKind::UTF8 => Encoding::Utf8,
        _ => Encoding::Utf16,
    }
}

/// The folders that the client has open.
#[expect(deprecated, reason = "older clients give a root instead of folders")]
fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    let several = match &params.workspace_folders_initialize_params.workspace_folders {
        Some(WorkspaceFolders::WorkspaceFolderList(folders)) => {
            folders.iter().filter_map(|folder| path_of(&folder.uri)).collect()
        }
        _ => Vec::new(),
    };
    if !several.is_empty() {
        return several;
    }
    // Helix has no address, but a path, where it finds no file that marks a root.
    let root = params.root_uri.as_ref().and_then(path_of);
    let path = || match &params.root_path {
        Some(RootPath::String(path)) => Some(PathBuf::from(path)),
        _ => None,
    };
    root.or_else(path).into_iter().collect()
}

type Answer = Box<dyn FnOnce(&Query<'_>) -> Result<Value, Failure> + Send>;

/// Something to be worked out.
struct Job {
    /// `None` for work that no request asked for.
    id: Option<RequestId>,
    stop: Arc<Stop>,
    documents: Documents,
    answer: Answer,
}

struct Worker {
    shared: Arc<Shared>,
    jobs: Receiver<Job>,
    out: Sender<Message>,
    done: Sender<RequestId>,
}

impl Worker {
    fn run(self) {
        for job in &self.jobs {
            let query = Query { cx: Cx::new(&job.stop), shared: &self.shared, documents: job.documents };
            let answer = job.answer;
            let outcome = catch_unwind(AssertUnwindSafe(|| answer(&query))).unwrap_or_else(|_| {
                let message = "the request failed inside the server; the log has more".to_owned();
                Err(Failure { code: ErrorCode::InternalError as i32, message })
            });
            let message = match (job.id, outcome) {
                (Some(id), outcome) => {
                    // The loop may be gone by now; then nobody waits for the answer.
                    self.done.send(id.clone()).ok();
                    Message::Response(match outcome {
                        Ok(value) => Response::new_ok(id, value),
                        Err(Failure { code, message }) => Response::new_err(id, code, message),
                    })
                }
                (None, Ok(Value::Object(mut notification))) => {
                    let params = notification.remove("params").unwrap_or_default();
                    let method = notification.get("method").and_then(Value::as_str).unwrap_or_default();
                    Message::Notification(Notification { method: method.to_owned(), params })
                }
                (None, _) => continue,
            };
            if self.out.send(message).is_err() {
                return;
            }
        }
    }
}

struct Running {
    stop: Arc<Stop>,
    since: Instant,
}

struct Session<'c> {
    connection: &'c Connection,
    shared: Arc<Shared>,
    documents: Documents,
    jobs: Sender<Job>,
    running: HashMap<RequestId, Running>,
    client: Client,
    deadline: Duration,
    next_id: i32,
    is_shut_down: bool,
    /// The work for the problems of each buffer that was asked for last.
    publishing: HashMap<PathBuf, Arc<Stop>>,
}

/// How often deadlines are looked at.
const TICK: Duration = Duration::from_millis(250);

impl Session<'_> {
    fn run(&mut self, finished: &Receiver<RequestId>) -> Result<(), ServeError> {
        loop {
            let message = match self.connection.receiver.recv_timeout(TICK) {
                Ok(message) => Some(message),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return Err(ServeError::Disconnected),
            };
            for id in finished.try_iter() {
                self.running.remove(&id);
            }
            let late = self.running.values().filter(|running| running.since.elapsed() > self.deadline);
            late.for_each(|running| running.stop.stop(StopReason::Late));
            match message {
                Some(Message::Request(request)) if request.method == "shutdown" && !self.is_shut_down => {
                    self.is_shut_down = true;
                    self.send(Message::Response(Response::new_ok(request.id, Value::Null)));
                }
                Some(Message::Request(request)) if self.is_shut_down || request.method == "initialize" => {
                    let why = if self.is_shut_down { "comes after `shutdown`" } else { "came before" };
                    let message = format!("`{}` {why}", request.method);
                    let code = ErrorCode::InvalidRequest as i32;
                    self.send(Message::Response(Response::new_err(request.id, code, message)));
                }
                Some(Message::Request(request)) => self.request(request),
                Some(Message::Notification(notification)) if notification.method == "exit" => {
                    return if self.is_shut_down { Ok(()) } else { Err(ServeError::Disconnected) };
                }
                Some(Message::Notification(notification)) => self.notification(notification),
                // Answers to what the server asked need nothing.
                Some(Message::Response(_)) | None => {}
            }
        }
    }

    fn send(&self, message: Message) {
        // The client may be gone; the next receive ends the session.
        self.connection.sender.send(message).ok();
    }

    /// Reads every project once, so that the first question finds it indexed, and shows the progress of it.
    fn greet(&mut self) {
        for project in self.shared.host.projects() {
            let token = format!("ide-index-{}", self.next_id);
            self.next_id += 1;
            let sender = self.connection.sender.clone();
            let progress = move |value: Value| {
                let params = json!({ "token": token, "value": value });
                let method = "$/progress".to_owned();
                sender.send(Message::Notification(Notification { method, params })).ok();
            };
            let shows = self.client.shows_progress;
            if shows {
                let id = RequestId::from(self.next_id);
                let params = json!({ "token": format!("ide-index-{}", self.next_id - 1) });
                let method = "window/workDoneProgress/create".to_owned();
                self.send(Message::Request(Request { id, method, params }));
            }
            self.work(None, move |q| {
                let name = project.root.file_name().map(|name| name.to_string_lossy().into_owned());
                if shows {
                    progress(json!({ "kind": "begin", "title": "Indexing", "message": name }));
                }
                let read = q.snapshot(&project);
                if shows {
                    progress(json!({ "kind": "end" }));
                }
                read.map(|_| Value::Null)
            });
        }
    }

    fn work(
        &mut self,
        id: Option<RequestId>,
        answer: impl FnOnce(&Query<'_>) -> Result<Value, Failure> + Send + 'static,
    ) -> Arc<Stop> {
        let stop = Arc::new(Stop::new());
        if let Some(id) = &id {
            self.running.insert(id.clone(), Running { stop: stop.clone(), since: Instant::now() });
        }
        let job = Job { id, stop: stop.clone(), documents: self.documents.clone(), answer: Box::new(answer) };
        // Workers live as long as the session.
        self.jobs.send(job).ok();
        stop
    }

    fn answer<P, R>(
        &mut self,
        request: Request,
        handler: impl FnOnce(&Query<'_>, P) -> Result<R, Failure> + Send + 'static,
    ) where
        P: DeserializeOwned + Send + 'static,
        R: Serialize,
    {
        match serde_json::from_value::<P>(request.params) {
            Ok(params) => {
                self.work(Some(request.id), move |q| match handler(q, params) {
                    Err(Failure { code: SILENT, .. }) => Ok(Value::Null),
                    result => {
                        serde_json::to_value(result?).map_err(|error| Failure::failed(error.to_string()))
                    }
                });
            }
            Err(error) => {
                let message = format!("invalid parameters of `{}`: {error}", request.method);
                let response = Response::new_err(request.id, ErrorCode::InvalidParams as i32, message);
                self.send(Message::Response(response));
            }
        }
    }

    fn request(&mut self, request: Request) {
        match &*request.method {
            "textDocument/definition" | "textDocument/declaration" => {
                self.answer(request, navigation::definition);
            }
            "textDocument/typeDefinition" => self.answer(request, navigation::type_definition),
            "textDocument/implementation" => self.answer(request, navigation::implementation),
            "textDocument/references" => self.answer(request, navigation::references),
            "textDocument/documentHighlight" => self.answer(request, navigation::highlight),
            "textDocument/hover" => self.answer(request, navigation::hover),
            "textDocument/documentSymbol" => self.answer(request, symbols::document),
            "workspace/symbol" => self.answer(request, symbols::workspace),
            "textDocument/completion" => self.answer(request, completion::complete),
            "completionItem/resolve" => self.answer(request, completion::resolve),
            "textDocument/signatureHelp" => self.answer(request, completion::signature_help),
            "textDocument/prepareRename" => self.answer(request, refactoring::prepare),
            "textDocument/rename" => self.answer(request, refactoring::rename),
            "textDocument/codeAction" => self.answer(request, refactoring::actions),
            "codeAction/resolve" => self.answer(request, refactoring::resolve),
            "workspace/willRenameFiles" => self.answer(request, refactoring::will_rename),
            "textDocument/prepareCallHierarchy" => self.answer(request, hierarchy::prepare_calls),
            "callHierarchy/incomingCalls" => self.answer(request, hierarchy::incoming),
            "callHierarchy/outgoingCalls" => self.answer(request, hierarchy::outgoing),
            "textDocument/prepareTypeHierarchy" => self.answer(request, hierarchy::prepare_types),
            "typeHierarchy/supertypes" => self.answer(request, hierarchy::supertypes),
            "typeHierarchy/subtypes" => self.answer(request, hierarchy::subtypes),
            "textDocument/foldingRange" => self.answer(request, structure::folding),
            "textDocument/selectionRange" => self.answer(request, structure::selection),
            "textDocument/semanticTokens/full" => self.answer(request, tokens::full),
            "textDocument/semanticTokens/full/delta" => self.answer(request, tokens::delta),
            "textDocument/semanticTokens/range" => self.answer(request, tokens::range),
            "textDocument/inlayHint" => self.answer(request, tokens::inlay_hints),
            "textDocument/diagnostic" => self.answer(request, diagnostics::pull),
            method => {
                let message = format!("`{method}` is not supported");
                let response = Response::new_err(request.id, ErrorCode::MethodNotFound as i32, message);
                self.send(Message::Response(response));
            }
        }
    }

    fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match &*method {
            "$/cancelRequest" => {
                let id = serde_json::from_value::<CancelParams>(params).ok().map(|params| params.id);
                let id = id.map(|id| match id {
                    Id::Int(number) => RequestId::from(number),
                    Id::String(text) => RequestId::from(text),
                });
                if let Some(running) = id.and_then(|id| self.running.get(&id)) {
                    running.stop.stop(StopReason::Cancelled);
                }
            }
            "textDocument/didOpen" => {
                if let Ok(DidOpenTextDocumentParams { text_document: opened }) =
                    serde_json::from_value(params)
                    && let Some(path) = path_of(&opened.uri)
                {
                    self.documents.open(path, opened.version, &opened.text);
                    self.publish(&opened.uri);
                }
            }
            "textDocument/didChange" => {
                if let Ok(DidChangeTextDocumentParams { text_document, content_changes }) =
                    serde_json::from_value(params)
                {
                    let uri = text_document.text_document_identifier.uri;
                    if let Some(path) = path_of(&uri) {
                        let encoding = self.shared.encoding;
                        self.documents.change(&path, text_document.version, &content_changes, encoding);
                        self.publish(&uri);
                    }
                }
            }
            "textDocument/didSave" => {
                self.publish_all();
                self.refresh();
            }
            "textDocument/didClose" => {
                if let Ok(closed) = serde_json::from_value::<DidCloseTextDocumentParams>(params)
                    && let Some(path) = path_of(&closed.text_document.uri)
                {
                    self.documents.close(&path);
                    self.shared.tokens.forget(&path);
                    if let Some(running) = self.publishing.remove(&path) {
                        running.stop(StopReason::Cancelled);
                    }
                    self.clear(closed.text_document.uri);
                    self.publish_all();
                }
            }
            "workspace/didChangeWorkspaceFolders" => {
                if let Ok(changed) = serde_json::from_value::<DidChangeWorkspaceFoldersParams>(params) {
                    for folder in changed.event.removed.iter().filter_map(|folder| path_of(&folder.uri)) {
                        self.shared.host.close(&folder);
                    }
                    for folder in changed.event.added.iter().filter_map(|folder| path_of(&folder.uri)) {
                        self.shared.host.open(&folder);
                    }
                }
            }
            _ => {}
        }
    }

    /// Sends the problems of a buffer, unless the client asks for them by itself.
    fn publish(&mut self, uri: &Uri) {
        if self.client.pulls_diagnostics {
            return;
        }
        let Some(path) = path_of(uri) else { return };
        let uri = uri.clone();
        let version = self.version(&uri);
        let stop = self.work(None, move |q| {
            let place = q.file(&uri)?;
            let diagnostics = diagnostics::of(q, &place)?;
            let params = PublishDiagnosticsParams { uri, version, diagnostics };
            Ok(json!({ "method": "textDocument/publishDiagnostics", "params": params }))
        });
        // Problems of an older text must not come behind those of a newer one.
        if let Some(older) = self.publishing.insert(path, stop) {
            older.stop(StopReason::Cancelled);
        }
    }

    /// Sends the problems of every buffer anew: what one file says may be wrong in another.
    fn publish_all(&mut self) {
        let uris: Vec<Uri> =
            self.documents.iter().filter_map(|(path, _)| Uri::from_file_path(path).ok()).collect();
        uris.iter().for_each(|uri| self.publish(uri));
    }

    /// Asks a client that pulls problems to pull them anew.
    fn refresh(&mut self) {
        if self.client.pulls_diagnostics && self.client.refreshes_diagnostics {
            self.next_id += 1;
            let method = "workspace/diagnostic/refresh".to_owned();
            self.send(Message::Request(Request { id: self.next_id.into(), method, params: Value::Null }));
        }
    }

    fn version(&self, uri: &Uri) -> Option<i32> {
        let path = path_of(uri)?;
        self.documents.get(Path::new(&path)).map(|document| document.version)
    }

    fn clear(&self, uri: Uri) {
        if !self.client.pulls_diagnostics {
            let params = PublishDiagnosticsParams { uri, version: None, diagnostics: Vec::new() };
            let method = "textDocument/publishDiagnostics".to_owned();
            let params = serde_json::to_value(params).unwrap_or_default();
            self.send(Message::Notification(Notification { method, params }));
        }
    }
}
