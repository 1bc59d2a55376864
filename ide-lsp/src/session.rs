//! One conversation with a language server, without threads, clocks and pipes.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::convert::Encoding;

pub use lsp_server::Message;
use lsp_server::{Notification, Request, Response};

/// When a server has read the project, so that its answers are those of the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ready {
    /// When it has answered `initialize`: it holds questions back itself until it can answer them.
    Initialized,
    /// When it has answered `initialize` and no progress that it reported is open.
    Quiet,
    /// When work that it reported has ended, and no progress is open.
    Worked,
    /// When it has sent a notification; with a field, when that has a value.
    Said { method: &'static str, field: Option<(&'static str, &'static str)> },
}

/// How a session begins.
#[derive(Clone, Debug)]
pub struct Setup {
    pub root_uri: String,
    pub client_version: String,
    pub process_id: u32,
    pub initialization_options: Value,
    /// The source of answers to `workspace/configuration`; sections are paths into it.
    pub settings: Value,
    pub ready: Ready,
}

/// The problems of a file that the server published.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// The version of the text that they are of, where the server says it.
    pub version: Option<i64>,
    /// How often the server published problems of this file since its text was sent.
    pub times: usize,
    pub items: Vec<Value>,
}

struct Document {
    version: i64,
    text: Arc<str>,
    /// Grows with each use.
    used: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Initializing,
    Running,
    Over,
}

/// One conversation with a language server.
pub struct Session {
    setup: Setup,
    phase: Phase,
    next_id: i32,
    out: VecDeque<Message>,
    capabilities: Value,
    /// Methods that were registered later, by the id of the registration.
    registered: BTreeMap<String, String>,
    encoding: Encoding,
    /// Titles of work that goes on, by token.
    progress: BTreeMap<String, String>,
    is_ready: bool,
    /// Whether a progress has ended.
    has_worked: bool,
    waiting: HashSet<i32>,
    answers: HashMap<i32, Result<Value, String>>,
    documents: BTreeMap<String, Document>,
    uses: u64,
    published: HashMap<String, Published>,
}

/// The id of `initialize`.
const INITIALIZE: i32 = 0;

/// Documents that stay open.
const MAX_OPEN: usize = 24;

impl Session {
    /// A session whose first message is in [`Self::take_output`].
    pub fn new(setup: Setup) -> Self {
        let params = json!({
            "processId": setup.process_id,
            "clientInfo": {"name": "ide-index-mcp", "version": setup.client_version},
            "rootUri": setup.root_uri,
            "rootPath": setup.root_uri.strip_prefix("file://"),
            "workspaceFolders": [{"uri": setup.root_uri, "name": "project"}],
            "initializationOptions": setup.initialization_options,
            "capabilities": capabilities(),
            "trace": "off",
        });
        let first = Request { id: INITIALIZE.into(), method: "initialize".to_owned(), params };
        Self {
            setup,
            phase: Phase::Initializing,
            next_id: INITIALIZE + 1,
            out: VecDeque::from([Message::Request(first)]),
            capabilities: Value::Null,
            registered: BTreeMap::new(),
            encoding: Encoding::Utf16,
            progress: BTreeMap::new(),
            is_ready: false,
            has_worked: false,
            waiting: HashSet::new(),
            answers: HashMap::new(),
            documents: BTreeMap::new(),
            uses: 0,
            published: HashMap::new(),
        }
    }

    /// The messages to be sent now, in order.
    pub fn take_output(&mut self) -> VecDeque<Message> {
        std::mem::take(&mut self.out)
    }

    /// Takes a message of the server.
    pub fn receive(&mut self, message: Message) {
        match message {
            Message::Response(response) => self.answered(response),
            Message::Request(request) => {
                let result = self.asked(&request.method, &request.params);
                let response = match result {
                    Ok(value) => Response { id: request.id, response_result: Ok(value) },
                    Err(()) => {
                        let code = lsp_server::ErrorCode::MethodNotFound as i32;
                        Response::new_err(request.id, code, format!("no method {}", request.method))
                    }
                };
                self.out.push_back(Message::Response(response));
            }
            Message::Notification(told) => self.told(&told.method, &told.params),
        }
        let is_quiet = match self.setup.ready {
            Ready::Quiet => self.progress.is_empty(),
            Ready::Worked => self.has_worked && self.progress.is_empty(),
            _ => false,
        };
        let is_ready = self.setup.ready == Ready::Initialized || is_quiet;
        self.is_ready |= self.phase == Phase::Running && is_ready;
    }

    /// Whether it answers for the whole project.
    pub fn is_ready(&self) -> bool {
        self.is_ready && self.phase == Phase::Running
    }

    /// Whether `initialize` was answered.
    pub fn is_running(&self) -> bool {
        self.phase == Phase::Running
    }

    /// The work that the server says it does now.
    pub fn activity(&self) -> Option<&str> {
        self.progress.values().next_back().map(String::as_str)
    }

    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Whether the server answers a method, by the field of its capabilities or by a later registration.
    pub fn supports(&self, field: &str, method: &str) -> bool {
        let told = &self.capabilities[field];
        !(told.is_null() || told == &Value::Bool(false))
            || self.registered.values().any(|known| known == method)
    }

    pub(crate) fn capability(&self, field: &str) -> &Value {
        &self.capabilities[field]
    }

    /// Puts a question; its answer is taken by [`Self::take_answer`].
    pub fn request(&mut self, method: &str, params: Value) -> i32 {
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1).max(INITIALIZE + 1);
        self.waiting.insert(id);
        self.out.push_back(Message::Request(Request { id: id.into(), method: method.to_owned(), params }));
        id
    }

    /// Takes a question back.
    pub fn cancel(&mut self, id: i32) {
        if self.waiting.remove(&id) {
            self.notify("$/cancelRequest", json!({"id": id}));
        }
        self.answers.remove(&id);
    }

    /// The answer to a question, once; the text of an error is for people.
    pub fn take_answer(&mut self, id: i32) -> Option<Result<Value, String>> {
        self.answers.remove(&id)
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.out.push_back(Message::Notification(Notification { method: method.to_owned(), params }));
    }

    /// Lets the server have a text of a file, when it has another one or none; gives the version back.
    pub fn show(&mut self, uri: &str, language_id: &str, text: &Arc<str>) -> i64 {
        self.uses += 1;
        if let Some(document) = self.documents.get_mut(uri) {
            document.used = self.uses;
            if document.text == *text {
                return document.version;
            }
            document.version += 1;
            document.text = text.clone();
            let version = document.version;
            self.published.remove(uri);
            // The whole text is understood by every server.
            let changes = json!({
                "textDocument": {"uri": uri, "version": version},
                "contentChanges": [{"text": &**text}],
            });
            self.notify("textDocument/didChange", changes);
            return version;
        }
        while self.documents.len() >= MAX_OPEN {
            let oldest = self.documents.iter().min_by_key(|(_, document)| document.used);
            let Some(uri) = oldest.map(|(uri, _)| uri.clone()) else { break };
            self.hide(&uri);
        }
        self.published.remove(uri);
        self.documents.insert(uri.to_owned(), Document { version: 1, text: text.clone(), used: self.uses });
        let document = json!({"uri": uri, "languageId": language_id, "version": 1, "text": &**text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
        1
    }

    /// Has the server read a file from the disk again.
    pub fn hide(&mut self, uri: &str) {
        if self.documents.remove(uri).is_some() {
            self.published.remove(uri);
            self.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
        }
    }

    /// Addresses of the files whose text the server has from us.
    pub fn shown(&self) -> Vec<String> {
        self.documents.keys().cloned().collect()
    }

    /// The problems that were published for a file since its text was sent.
    pub fn published(&self, uri: &str) -> Option<&Published> {
        self.published.get(uri)
    }

    /// Begins the end: `shutdown`, and `exit` right behind it.
    pub fn shut_down(&mut self) {
        if self.phase == Phase::Running {
            self.request("shutdown", Value::Null);
            self.notify("exit", Value::Null);
        }
        self.phase = Phase::Over;
    }

    fn answered(&mut self, response: Response) {
        // Ids are ours: numbers.
        let Ok(id) = response.id.to_string().parse::<i32>() else { return };
        let result = response.response_result.map_err(|error| error.message);
        if id == INITIALIZE && self.phase == Phase::Initializing {
            match result {
                Ok(value) => self.initialized(&value),
                Err(message) => {
                    self.phase = Phase::Over;
                    self.answers.insert(INITIALIZE, Err(message));
                }
            }
        } else if self.waiting.remove(&id) {
            self.answers.insert(id, result);
        }
    }

    fn initialized(&mut self, result: &Value) {
        self.capabilities = result["capabilities"].clone();
        if self.capabilities["positionEncoding"] == "utf-8" {
            self.encoding = Encoding::Utf8;
        }
        self.phase = Phase::Running;
        self.notify("initialized", json!({}));
        if !self.setup.settings.is_null() {
            let settings = self.setup.settings.clone();
            self.notify("workspace/didChangeConfiguration", json!({"settings": settings}));
        }
    }

    /// The answer to a question of the server.
    fn asked(&mut self, method: &str, params: &Value) -> Result<Value, ()> {
        match method {
            "workspace/configuration" => {
                let items = params["items"].as_array().cloned().unwrap_or_default();
                Ok(items.iter().map(|item| self.setting(item["section"].as_str())).collect())
            }
            "workspace/workspaceFolders" => Ok(json!([{"uri": self.setup.root_uri, "name": "project"}])),
            "client/registerCapability" => {
                for one in params["registrations"].as_array().into_iter().flatten() {
                    if let (Some(id), Some(method)) = (one["id"].as_str(), one["method"].as_str()) {
                        self.registered.insert(id.to_owned(), method.to_owned());
                    }
                }
                Ok(Value::Null)
            }
            "client/unregisterCapability" => {
                // The misspelling is the protocol's.
                for one in params["unregisterations"].as_array().into_iter().flatten() {
                    one["id"].as_str().map(|id| self.registered.remove(id));
                }
                Ok(Value::Null)
            }
            "workspace/applyEdit" => {
                Ok(json!({"applied": false, "failureReason": "edits are planned, not applied"}))
            }
            "window/showDocument" => Ok(json!({"success": false})),
            "window/workDoneProgress/create" | "window/showMessageRequest" => Ok(Value::Null),
            _ if method.starts_with("workspace/") && method.ends_with("/refresh") => Ok(Value::Null),
            _ => Err(()),
        }
    }

    fn setting(&self, section: Option<&str>) -> Value {
        let mut at = &self.setup.settings;
        for part in section.unwrap_or("").split('.').filter(|part| !part.is_empty()) {
            at = &at[part];
        }
        at.clone()
    }

    fn told(&mut self, method: &str, params: &Value) {
        match method {
            "textDocument/publishDiagnostics" => {
                let (Some(uri), Some(items)) = (params["uri"].as_str(), params["diagnostics"].as_array())
                else {
                    return;
                };
                let version = params["version"].as_i64();
                let is_old = self
                    .documents
                    .get(uri)
                    .is_some_and(|document| version.is_some_and(|v| v < document.version));
                if is_old || !self.documents.contains_key(uri) {
                    return;
                }
                let times = self.published.get(uri).map_or(0, |known| known.times) + 1;
                self.published.insert(uri.to_owned(), Published { version, times, items: items.clone() });
            }
            "$/progress" => {
                let token = params["token"].to_string();
                let value = &params["value"];
                match value["kind"].as_str() {
                    Some("begin") => {
                        self.progress.insert(token, value["title"].as_str().unwrap_or("").to_owned());
                    }
                    Some("end") => self.has_worked |= self.progress.remove(&token).is_some(),
                    _ => {}
                }
            }
            _ => {}
        }
        if let Ready::Said { method: wanted, field } = &self.setup.ready
            && *wanted == method
        {
            let has_value = |(name, value): &(&str, &str)| match &params[*name] {
                Value::String(text) => text == value,
                Value::Bool(flag) => *value == if *flag { "true" } else { "false" },
                _ => false,
            };
            self.is_ready |= field.as_ref().is_none_or(has_value);
        }
    }
}

/// Our abilities as a client.
fn capabilities() -> Value {
    let kinds = [
        "quickfix",
        "refactor",
        "refactor.extract",
        "refactor.inline",
        "refactor.rewrite",
        "source",
        "source.organizeImports",
        "source.fixAll",
    ];
    json!({
        "general": {"positionEncodings": ["utf-8", "utf-16"]},
        "workspace": {
            "applyEdit": true,
            "workspaceEdit": {"documentChanges": true, "resourceOperations": ["create", "rename", "delete"]},
            "didChangeConfiguration": {"dynamicRegistration": true},
            "didChangeWatchedFiles": {"dynamicRegistration": true, "relativePatternSupport": true},
            "symbol": {"dynamicRegistration": false},
            "configuration": true,
            "workspaceFolders": true,
        },
        "textDocument": {
            "synchronization": {"dynamicRegistration": false, "didSave": true},
            "publishDiagnostics": {"versionSupport": true, "codeDescriptionSupport": false},
            "diagnostic": {"dynamicRegistration": true, "relatedDocumentSupport": false},
            "hover": {"contentFormat": ["markdown", "plaintext"]},
            "completion": {"completionItem": {"snippetSupport": false, "documentationFormat": ["plaintext"]}},
            "definition": {"linkSupport": true},
            "implementation": {"linkSupport": true},
            "references": {},
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
            "callHierarchy": {"dynamicRegistration": true},
            "typeHierarchy": {"dynamicRegistration": true},
            "codeAction": {
                "codeActionLiteralSupport": {"codeActionKind": {"valueSet": kinds}},
                "isPreferredSupport": true,
                "dataSupport": true,
                "resolveSupport": {"properties": ["edit", "command"]},
            },
            "formatting": {},
            "rangeFormatting": {},
            "rename": {"prepareSupport": true},
        },
        "window": {"workDoneProgress": true, "showDocument": {"support": false}},
        "experimental": {"serverStatusNotification": true},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(ready: Ready) -> Session {
        Session::new(Setup {
            root_uri: "file:///p".to_owned(),
            client_version: "1".to_owned(),
            process_id: 1,
            initialization_options: json!({"o": 1}),
            settings: json!({"python": {"analysis": {"mode": "x"}}}),
            ready,
        })
    }

    /// The messages that were said, as `method params` or `id result`.
    fn said(session: &mut Session) -> Vec<String> {
        let line = |message: Message| match message {
            Message::Request(it) => format!("{} {} {}", it.id, it.method, it.params),
            Message::Notification(it) => format!("{} {}", it.method, it.params),
            Message::Response(it) => match it.response_result {
                Ok(value) => format!("{} = {value}", it.id),
                Err(error) => format!("{} ! {}", it.id, error.code),
            },
        };
        session.take_output().into_iter().map(line).collect()
    }

    fn hear(session: &mut Session, message: Value) {
        session.receive(serde_json::from_value(message).unwrap());
    }

    fn running(ready: Ready, capabilities: Value) -> Session {
        let mut session = session(ready);
        assert!(said(&mut session)[0].starts_with("0 initialize "));
        hear(&mut session, json!({"id": 0, "result": {"capabilities": capabilities}}));
        let after = said(&mut session);
        assert!(
            after[0].starts_with("initialized") && after[1].starts_with("workspace/didChangeConfiguration")
        );
        session
    }

    #[test]
    fn a_session_begins_and_answers_what_it_is_asked() {
        let mut session = running(
            Ready::Initialized,
            json!({"positionEncoding": "utf-8", "hoverProvider": false, "renameProvider": {}}),
        );
        assert!(session.is_ready() && session.encoding() == Encoding::Utf8);
        assert!(
            session.supports("renameProvider", "r")
                && !session.supports("hoverProvider", "textDocument/hover")
        );
        let register = json!({"registrations": [{"id": "h", "method": "textDocument/hover"}]});
        hear(&mut session, json!({"id": "a", "method": "client/registerCapability", "params": register}));
        assert!(session.supports("hoverProvider", "textDocument/hover"));
        let gone = json!({"unregisterations": [{"id": "h", "method": "textDocument/hover"}]});
        hear(&mut session, json!({"id": 7, "method": "client/unregisterCapability", "params": gone}));
        assert!(!session.supports("hoverProvider", "textDocument/hover"));
        let items = json!({"items": [{"section": "python.analysis"}, {"section": "none"}, {}]});
        hear(&mut session, json!({"id": 8, "method": "workspace/configuration", "params": items}));
        hear(&mut session, json!({"id": 9, "method": "workspace/codeLens/refresh"}));
        hear(&mut session, json!({"id": 10, "method": "made/up"}));
        hear(&mut session, json!({"id": 11, "method": "workspace/applyEdit", "params": {"edit": {}}}));
        let answers = said(&mut session);
        assert_eq!(answers[0], "\"a\" = null");
        assert_eq!(answers[2], r#"8 = [{"mode":"x"},null,{"python":{"analysis":{"mode":"x"}}}]"#);
        assert_eq!((&*answers[3], &*answers[4]), ("9 = null", "10 ! -32601"));
        assert!(answers[5].contains("\"applied\":false"), "nothing is written behind our back");
    }

    #[test]
    fn readiness_is_what_the_server_says() {
        let signal = Ready::Said { method: "experimental/serverStatus", field: Some(("quiescent", "true")) };
        let mut session = running(signal, json!({}));
        assert!(!session.is_ready());
        hear(&mut session, json!({"method": "experimental/serverStatus", "params": {"quiescent": false}}));
        assert!(!session.is_ready());
        hear(&mut session, json!({"method": "experimental/serverStatus", "params": {"quiescent": true}}));
        assert!(session.is_ready());
        let mut session = running(Ready::Worked, json!({}));
        assert!(!session.is_ready(), "its work is still to begin");
        hear(
            &mut session,
            json!({"method": "$/progress", "params": {"token": 1, "value": {"kind": "begin"}}}),
        );
        hear(&mut session, json!({"method": "$/progress", "params": {"token": 1, "value": {"kind": "end"}}}));
        assert!(session.is_ready());
        let mut session = self::session(Ready::Quiet);
        hear(
            &mut session,
            json!({"method": "$/progress", "params": {"token": 1, "value": {"kind": "begin", "title": "Loading"}}}),
        );
        hear(&mut session, json!({"id": 0, "result": {"capabilities": {}}}));
        assert_eq!((session.is_ready(), session.activity()), (false, Some("Loading")));
        hear(&mut session, json!({"method": "$/progress", "params": {"token": 1, "value": {"kind": "end"}}}));
        assert_eq!((session.is_ready(), session.activity()), (true, None));
    }

    #[test]
    fn documents_have_versions_and_old_problems_are_not_theirs() {
        let mut session = running(Ready::Initialized, json!({}));
        let (one, two): (Arc<str>, Arc<str>) = ("1".into(), "2".into());
        assert_eq!(session.show("file:///p/a", "go", &one), 1);
        assert_eq!(session.show("file:///p/a", "go", &one), 1);
        assert_eq!(session.show("file:///p/a", "go", &two), 2);
        let publish = |version: Value| {
            json!({"method": "textDocument/publishDiagnostics",
            "params": {"uri": "file:///p/a", "version": version, "diagnostics": [{"message": "m"}]}})
        };
        hear(&mut session, publish(json!(1)));
        assert_eq!(session.published("file:///p/a"), None);
        hear(&mut session, publish(json!(2)));
        hear(&mut session, publish(Value::Null));
        assert_eq!(session.published("file:///p/a").unwrap().times, 2);
        session.hide("file:///p/a");
        hear(&mut session, publish(json!(2)));
        assert_eq!(session.published("file:///p/a"), None);
        let words: Vec<String> =
            said(&mut session).iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect();
        assert_eq!(words, ["textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"]);
        for number in 0..=MAX_OPEN {
            session.show(&format!("file:///p/{number}"), "go", &one);
        }
        assert_eq!(session.shown().len(), MAX_OPEN);
        assert!(!session.shown().contains(&"file:///p/0".to_owned()), "the oldest is closed");
    }

    #[test]
    fn questions_are_answered_once_or_taken_back() {
        let mut session = running(Ready::Initialized, json!({}));
        let (a, b) = (session.request("x", json!({})), session.request("y", json!({})));
        said(&mut session);
        hear(&mut session, json!({"id": b, "error": {"code": 1, "message": "no"}}));
        assert_eq!(session.take_answer(b), Some(Err("no".to_owned())));
        assert_eq!((session.take_answer(b), session.take_answer(a)), (None, None));
        session.cancel(a);
        assert_eq!(said(&mut session), [format!("$/cancelRequest {{\"id\":{a}}}")]);
        hear(&mut session, json!({"id": a, "result": 1}));
        assert_eq!(session.take_answer(a), None);
        session.shut_down();
        assert!(said(&mut session)[1].starts_with("exit") && !session.is_ready());
    }
}
