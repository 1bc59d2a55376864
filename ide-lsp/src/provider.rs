//! A language server as a provider.

use std::path::PathBuf;
use std::sync::Arc;

use gen_lsp_types::{
    CallHierarchyItem, CodeAction, CompletionItem, Diagnostic, Range, TypeHierarchyItem, Uri,
};
use ide_model::{
    Cx, Engine, FilePath, FormatOrder, Language, Location, Provider, ProviderCall, ProviderCompletion,
    ProviderDiagnostic, ProviderFix, ProviderState, ProviderSymbol, QueryError, Relation, Severity, Snapshot,
    Standing, TextEdit, TextRange, edited,
};
use serde_json::{Value, json};

use crate::convert::uri_of;
use crate::keeper::{Options, ProcessState, Shared, read_as};
use crate::requests::{ServerCall, end_of, markdown};
use crate::table::{KnownServer, ServerSpec};

/// Most actions without an edit that are asked for one.
const MAX_RESOLVED: usize = 16;

/// One server for one project. Dropping it ends its process.
pub struct LanguageServer {
    shared: Arc<Shared>,
}

impl LanguageServer {
    /// Nothing is started before somebody asks.
    pub fn new(spec: ServerSpec, options: Options) -> Self {
        Self { shared: Shared::new(spec, options, None) }
    }

    /// A server that the user wants and that cannot run here; `because` says what helps.
    pub fn missing(name: &str, languages: &[Language], options: Options, because: String) -> Self {
        let spec = ServerSpec::bare(name, languages, PathBuf::new(), Vec::new());
        Self { shared: Shared::new(spec, options, Some(because)) }
    }

    fn talk<'a>(&'a self, cx: Cx<'a>, snapshot: &'a dyn Snapshot) -> Result<ServerCall<'a>, QueryError> {
        ServerCall::begin(&self.shared, cx, snapshot)
    }
}

impl Drop for LanguageServer {
    fn drop(&mut self) {
        self.shared.end();
    }
}

fn failed(message: &str) -> QueryError {
    QueryError::Failed { message: message.to_owned() }
}

/// The items of an answer; `null` is none.
///
/// # Errors
/// [`QueryError::Failed`] for an answer that is no list.
fn list(answer: Value) -> Result<Vec<Value>, QueryError> {
    match answer {
        Value::Array(items) => Ok(items),
        Value::Null => Ok(Vec::new()),
        _ => Err(unreadable()),
    }
}

/// The refusal of a text that the server is not shown: it knows one text of a file at a time.
fn other_text() -> QueryError {
    QueryError::Unsupported { query: "this text", language: None, supported: Vec::new() }
}

fn unreadable() -> QueryError {
    failed("it gave an answer that cannot be read")
}

impl ServerCall<'_> {
    /// Direct supertypes or subtypes of the type at an offset.
    fn type_links(&mut self, file: &FilePath, offset: u32, up: bool) -> Result<Vec<Location>, QueryError> {
        self.needs("typeHierarchyProvider", "textDocument/prepareTypeHierarchy")?;
        let at = self.at(file, offset)?;
        let mut places = Vec::new();
        let method = if up { "typeHierarchy/supertypes" } else { "typeHierarchy/subtypes" };
        for item in list(self.ask("textDocument/prepareTypeHierarchy", at)?)? {
            for found in list(self.ask(method, json!({"item": item}))?)? {
                let found = read_as::<TypeHierarchyItem>(found).ok_or_else(unreadable)?;
                places.extend(self.place(&found.uri, found.selection_range));
            }
        }
        Ok(places)
    }

    /// Problems that were asked for.
    fn pulled(&self, uri: &str) -> Result<Vec<Value>, QueryError> {
        let answer = self.ask("textDocument/diagnostic", json!({"textDocument": {"uri": uri}}))?;
        match answer["kind"].as_str() {
            Some("full") => list(answer["items"].clone()),
            // No earlier result was named, so that nothing can be unchanged.
            _ => Err(failed("it gave no problems")),
        }
    }

    /// Problems that the server published of the text that it was shown, after it was done with it.
    fn published(&self, uri: &str, version: i64) -> Result<Vec<Value>, QueryError> {
        let is_of = |known: &crate::session::Published| known.version.is_none_or(|of| of == version);
        self.wait(|session| session.published(uri).filter(|known| is_of(known)).map(|_| ()))?;
        if !self.shared.spec.extras.publishes_once {
            // Problems that it has found by the time of this answer are published before it.
            let barrier = self.ask("textDocument/documentSymbol", json!({"textDocument": {"uri": uri}}));
            if let Err(error @ (QueryError::Cancelled | QueryError::DeadlineExceeded)) = barrier {
                return Err(error);
            }
        }
        self.wait(|session| {
            session.published(uri).filter(|known| is_of(known)).map(|known| known.items.clone())
        })
    }

    /// Problems by the language service behind `typescript-language-server`, after a whole pass.
    fn of_tsserver(&mut self, file: &FilePath) -> Result<Vec<ProviderDiagnostic>, QueryError> {
        let path = self.shared.options.root.join(file.as_str());
        let text = self.text(file)?;
        let mut found = Vec::new();
        for command in ["syntacticDiagnosticsSync", "semanticDiagnosticsSync"] {
            let arguments = json!([command, {"file": path, "includeLinePosition": false}]);
            let params = json!({"command": "typescript.tsserverRequest", "arguments": arguments});
            let answer = self.ask("workspace/executeCommand", params)?;
            let items = answer["body"].as_array().ok_or_else(|| failed("it gave no problems"))?;
            for item in items {
                let at = |of: &Value| {
                    let number = |name: &str| of[name].as_u64().and_then(|number| u32::try_from(number).ok());
                    let (line, column) = (number("line")?, number("offset")?);
                    text.offset(ide_model::LineColumn { line, column })
                };
                let (Some(start), Some(end)) = (at(&item["start"]), at(&item["end"])) else { continue };
                found.push(ProviderDiagnostic {
                    range: TextRange::new(start, end.max(start)),
                    severity: match item["category"].as_str() {
                        Some("error") => Severity::Error,
                        Some("warning") => Severity::Warning,
                        _ => Severity::Info,
                    },
                    code: item["code"].as_u64().map(|code| code.to_string()),
                    message: item["text"].as_str().unwrap_or("").to_owned(),
                    source: Some("typescript".to_owned()),
                });
            }
        }
        Ok(found)
    }

    fn problems(&mut self, file: &FilePath) -> Result<Vec<Value>, QueryError> {
        let (uri, version) = self.show(file)?;
        if self.supports("diagnosticProvider", "textDocument/diagnostic") {
            return self.pulled(&uri);
        }
        self.published(&uri, version)
    }

    fn action(&mut self, action: Value, can_resolve: bool) -> Result<Option<ProviderFix>, QueryError> {
        if action["disabled"].is_object() {
            return Ok(None);
        }
        let has_edit = |action: &Value| action["edit"].is_object();
        // A bare command has its name where an action has its command.
        let is_command = action["command"].is_string();
        let action = if !is_command && !has_edit(&action) && can_resolve {
            self.ask("codeAction/resolve", action)?
        } else {
            action
        };
        let edit = if has_edit(&action) {
            action["edit"].clone()
        } else {
            let command = if is_command { &action } else { &action["command"] };
            let arguments = list(command["arguments"].clone())?;
            // `java.apply.workspaceEdit` carries its edit.
            match arguments
                .into_iter()
                .find(|one| one["changes"].is_object() || one["documentChanges"].is_array())
            {
                Some(edit) => edit,
                None => return Ok(None),
            }
        };
        let Ok(edits) = self.edits(edit) else { return Ok(None) };
        let read: Option<CodeAction> = read_as(action.clone());
        let mends = list(action["diagnostics"].clone())?;
        Ok(Some(ProviderFix {
            title: action["title"].as_str().unwrap_or("").to_owned(),
            kind: action["kind"].as_str().map(str::to_owned),
            is_preferred: read.and_then(|action| action.is_preferred).unwrap_or(false),
            mends: mends.iter().filter_map(message_of).collect(),
            edits,
        }))
    }
}

/// The message of a problem: a text, or marked text.
fn message_of(problem: &Value) -> Option<String> {
    let message = &problem["message"];
    message.as_str().or(message["value"].as_str()).map(str::to_owned)
}

fn severity_of(problem: &Value) -> Severity {
    match problem["severity"].as_u64() {
        Some(2) => Severity::Warning,
        Some(3) => Severity::Info,
        Some(4) => Severity::WeakWarning,
        // Without a word it is for the client to say.
        _ => Severity::Error,
    }
}

impl Provider for LanguageServer {
    fn engine(&self) -> Engine {
        Engine::LanguageServer
    }

    fn name(&self) -> &str {
        &self.shared.spec.name
    }

    fn standing(&self, language: Language, wanted: bool) -> Standing {
        match self.shared.spec.languages.contains(&language) {
            true => self.shared.standing(wanted),
            false => Standing::Absent,
        }
    }

    fn states(&self) -> Vec<ProviderState> {
        let spec = &self.shared.spec;
        let standing = self.shared.standing(false);
        let state = self.shared.state();
        let note = match (&standing, &state.life) {
            _ if self.shared.lacks.is_some() => self.shared.lacks.clone(),
            (Standing::Absent, _) => Some(format!(
                "the project is not trusted: ide-index-mcp trust {}",
                self.shared.options.root.display()
            )),
            (Standing::Starting, ProcessState::Idle) => {
                Some("it is started by the first question".to_owned())
            }
            (Standing::Failed { .. }, _) => KnownServer::of(&spec.name).map(|known| known.install.to_owned()),
            (_, ProcessState::Up(up)) => up.session.activity().map(str::to_owned),
            _ => None,
        };
        let (name, languages, memory) = (spec.name.clone(), spec.languages.clone(), state.memory);
        vec![ProviderState { name, languages, standing, memory, note }]
    }

    /// None of them says so: what the code of other platforms uses is left out by most.
    fn is_complete(&self, _: Language, _: Relation) -> bool {
        false
    }

    fn places(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        relation: Relation,
        file: &FilePath,
        offset: u32,
    ) -> Result<Vec<Location>, QueryError> {
        let mut talk = self.talk(cx, snapshot)?;
        let (field, method, context) = match relation {
            Relation::Definition => ("definitionProvider", "textDocument/definition", None),
            Relation::References => {
                // Asked to leave it out, pyright leaves out the place that was asked about instead.
                ("referencesProvider", "textDocument/references", Some(json!({"includeDeclaration": true})))
            }
            Relation::Implementations => ("implementationProvider", "textDocument/implementation", None),
            Relation::Supertypes => return talk.type_links(file, offset, true),
            Relation::Subtypes => return talk.type_links(file, offset, false),
            Relation::SuperMethods => {
                let query = "the methods that a method overrides";
                return Err(QueryError::Unsupported { query, language: None, supported: Vec::new() });
            }
        };
        talk.needs(field, method)?;
        let mut at = talk.at(file, offset)?;
        let Some(context) = context else {
            let answer = talk.ask(method, at)?;
            return talk.places(answer);
        };
        let declared = talk.ask("textDocument/definition", at.clone())?;
        let declared = talk.places(declared)?;
        at["context"] = context;
        let answer = talk.ask(method, at)?;
        let mut uses = talk.places(answer)?;
        uses.retain(|place| !declared.contains(place));
        Ok(uses)
    }

    fn calls(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
        offset: u32,
        incoming: bool,
    ) -> Result<Vec<ProviderCall>, QueryError> {
        let mut talk = self.talk(cx, snapshot)?;
        talk.needs("callHierarchyProvider", "textDocument/prepareCallHierarchy")?;
        let at = talk.at(file, offset)?;
        let (method, side) = if incoming {
            ("callHierarchy/incomingCalls", "from")
        } else {
            ("callHierarchy/outgoingCalls", "to")
        };
        let mut calls = Vec::new();
        for item in list(talk.ask("textDocument/prepareCallHierarchy", at)?)? {
            for call in list(talk.ask(method, json!({"item": item}))?)? {
                let ranges: Vec<Range> = read_as(call["fromRanges"].clone()).ok_or_else(unreadable)?;
                let other = read_as::<CallHierarchyItem>(call[side].clone()).ok_or_else(unreadable)?;
                let Some(declaration) = talk.place(&other.uri, other.selection_range) else { continue };
                let caller = if incoming { &declaration.file } else { file };
                let mut sites = Vec::new();
                for range in ranges {
                    sites.push(talk.bytes(caller, range)?);
                }
                sites.sort();
                calls.push(ProviderCall { name: other.name.into(), declaration, sites });
            }
        }
        Ok(calls)
    }

    fn search(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        language: Option<Language>,
        pattern: &str,
        limit: usize,
    ) -> Result<Vec<ProviderSymbol>, QueryError> {
        let mut talk = self.talk(cx, snapshot)?;
        talk.needs("workspaceSymbolProvider", "workspace/symbol")?;
        let mut found = Vec::new();
        for symbol in list(talk.ask("workspace/symbol", json!({"query": pattern}))?)? {
            let uri = symbol["location"]["uri"].as_str().and_then(|uri| uri.parse::<Uri>().ok());
            let range: Option<Range> = read_as(symbol["location"]["range"].clone());
            let (Some(uri), Some(name)) = (uri, symbol["name"].as_str()) else { continue };
            let Some(location) = talk.place(&uri, range.unwrap_or_default()) else { continue };
            let of = Language::of_path(location.file.as_str());
            if language.is_some_and(|wanted| of != Some(wanted)) {
                continue;
            }
            let location = name_in(&mut talk, location, name);
            let container = symbol["containerName"].as_str().filter(|name| !name.is_empty()).map(Into::into);
            found.push(ProviderSymbol { name: name.into(), container, location });
            if found.len() >= limit {
                break;
            }
        }
        Ok(found)
    }

    fn describe(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
        offset: u32,
    ) -> Result<Option<String>, QueryError> {
        let mut talk = self.talk(cx, snapshot)?;
        talk.needs("hoverProvider", "textDocument/hover")?;
        let at = talk.at(file, offset)?;
        Ok(markdown(&talk.ask("textDocument/hover", at)?))
    }

    fn diagnostics(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
    ) -> Result<Vec<ProviderDiagnostic>, QueryError> {
        let mut talk = self.talk(cx, snapshot)?;
        if self.shared.spec.extras.has_tsserver {
            talk.show(file)?;
            return talk.of_tsserver(file);
        }
        let mut found = Vec::new();
        for problem in talk.problems(file)? {
            let range: Range =
                read_as(problem["range"].clone()).ok_or_else(|| failed("a problem has no place"))?;
            found.push(ProviderDiagnostic {
                range: talk.bytes(file, range)?,
                severity: severity_of(&problem),
                code: match &problem["code"] {
                    Value::String(code) => Some(code.clone()),
                    Value::Number(code) => Some(code.to_string()),
                    _ => None,
                },
                message: message_of(&problem).unwrap_or_default(),
                source: problem["source"].as_str().map(str::to_owned),
            });
        }
        Ok(found)
    }

    fn fixes(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
        range: TextRange,
    ) -> Result<Vec<ProviderFix>, QueryError> {
        let mut talk = self.talk(cx, snapshot)?;
        talk.needs("codeActionProvider", "textDocument/codeAction")?;
        let problems = talk.problems(file)?;
        let (uri, _) = talk.show(file)?;
        let mut here = Vec::new();
        for problem in problems {
            let known: Option<Range> = read_as(problem["range"].clone());
            let Some(known) = known else { continue };
            let bytes = talk.bytes(file, known)?;
            if bytes.start <= range.end
                && range.start <= bytes.end
                && read_as::<Diagnostic>(problem.clone()).is_some()
            {
                here.push(problem);
            }
        }
        let params = json!({
            "textDocument": {"uri": uri},
            "range": talk.range(file, range)?,
            "context": {"diagnostics": here, "triggerKind": 1},
        });
        let answer = list(talk.ask("textDocument/codeAction", params)?)?;
        let can_resolve = match &talk.shared.state().life {
            ProcessState::Up(up) => up.session.capability("codeActionProvider")["resolveProvider"] == true,
            _ => false,
        };
        let mut fixes = Vec::new();
        for (number, action) in answer.into_iter().enumerate() {
            fixes.extend(talk.action(action, can_resolve && number < MAX_RESOLVED)?);
        }
        Ok(fixes)
    }

    fn complete(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
        offset: u32,
        limit: usize,
    ) -> Result<Vec<ProviderCompletion>, QueryError> {
        let mut talk = self.talk(cx, snapshot)?;
        talk.needs("completionProvider", "textDocument/completion")?;
        let at = talk.at(file, offset)?;
        let answer = talk.ask("textDocument/completion", at)?;
        let items = if answer.is_array() { answer } else { answer["items"].clone() };
        let mut items: Vec<CompletionItem> = list(items)?.into_iter().filter_map(read_as).collect();
        items.sort_by(|a, b| {
            let key = |item: &CompletionItem| item.sort_text.clone().unwrap_or_else(|| item.label.clone());
            key(a).cmp(&key(b))
        });
        let read = |item: CompletionItem| {
            let kind = item.kind.map(|kind| format!("{kind:?}").to_lowercase().into());
            let insert = item.insert_text.as_deref().unwrap_or(&item.label).into();
            ProviderCompletion { insert, detail: item.detail.map(Into::into), kind, label: item.label.into() }
        };
        Ok(items.into_iter().take(limit).map(read).collect())
    }

    fn rename(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
        offset: u32,
        new_name: &str,
    ) -> Result<Vec<(FilePath, Vec<TextEdit>)>, QueryError> {
        let mut talk = self.talk(cx, snapshot)?;
        talk.needs("renameProvider", "textDocument/rename")?;
        let mut at = talk.at(file, offset)?;
        at["newName"] = new_name.into();
        let answer = talk.ask("textDocument/rename", at)?;
        if answer.is_null() {
            return Err(failed("it does not rename this"));
        }
        talk.edits(answer)
    }

    fn format(&self, cx: Cx<'_>, snapshot: &dyn Snapshot, order: &FormatOrder) -> Result<String, QueryError> {
        let file = &order.file;
        let mut talk = self.talk(cx, snapshot)?;
        let (uri, _) = talk.show(file)?;
        let text = talk.text(file)?;
        if order.text != text.text || order.rearrange {
            return Err(other_text());
        }
        let is_tabbed = text.text.lines().any(|line| line.starts_with('\t'));
        let mut params = json!({
            "textDocument": {"uri": uri},
            "options": {"tabSize": 4, "insertSpaces": !is_tabbed, "insertFinalNewline": true},
        });
        let method = match order.lines {
            None => {
                talk.needs("documentFormattingProvider", "textDocument/formatting")?;
                "textDocument/formatting"
            }
            Some((first, last)) => {
                talk.needs("documentRangeFormattingProvider", "textDocument/rangeFormatting")?;
                let end = text.lines.line_range(last).map_or_else(
                    || end_of(talk.encoding, &text),
                    |range| {
                        talk.encoding
                            .position(&text, range.start + text.line(last).map_or(0, str::len) as u32)
                    },
                );
                let start = gen_lsp_types::Position { line: first.saturating_sub(1), character: 0 };
                params["range"] = json!({"start": start, "end": end});
                "textDocument/rangeFormatting"
            }
        };
        let answer = talk.ask(method, params)?;
        let edits: Option<Vec<gen_lsp_types::TextEdit>> = read_as(answer).ok_or_else(unreadable)?;
        let mut edits: Vec<TextEdit> = edits
            .into_iter()
            .flatten()
            .map(|edit| TextEdit::new(talk.encoding.bytes(&text, edit.range), edit.new_text))
            .collect();
        edits.sort();
        edited(&text.text, &edits).ok_or_else(|| failed("its edits do not fit the text"))
    }

    fn imports(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
        wanted: &str,
    ) -> Result<String, QueryError> {
        const KIND: &str = "source.organizeImports";
        let mut talk = self.talk(cx, snapshot)?;
        talk.needs("codeActionProvider", "textDocument/codeAction")?;
        let text = talk.text(file)?;
        if *wanted != *text.text {
            return Err(other_text());
        }
        let (uri, _) = talk.show(file)?;
        let whole = TextRange::new(0, text.text.len() as u32);
        let params = json!({
            "textDocument": {"uri": uri},
            "range": talk.range(file, whole)?,
            "context": {"diagnostics": [], "only": [KIND], "triggerKind": 1},
        });
        let answer = list(talk.ask("textDocument/codeAction", params)?)?;
        let is_it = |action: &Value| action["kind"].as_str().is_some_and(|kind| kind.starts_with(KIND));
        let is_offered = match &talk.shared.state().life {
            ProcessState::Up(up) => {
                let kinds = &up.session.capability("codeActionProvider")["codeActionKinds"];
                kinds.as_array().is_some_and(|kinds| {
                    kinds
                        .iter()
                        .filter_map(Value::as_str)
                        .any(|kind| KIND.starts_with(kind) || kind.starts_with(KIND))
                })
            }
            _ => false,
        };
        let Some(action) = answer.into_iter().find(is_it) else {
            // With nothing to do most offer nothing.
            return if is_offered { Ok(text.text.to_string()) } else { Err(other_text()) };
        };
        let edits = talk.action(action, true)?.map(|fix| fix.edits).unwrap_or_default();
        match &edits[..] {
            [] => Ok(text.text.to_string()),
            [(changed, edits)] if changed == file => {
                edited(&text.text, edits).ok_or_else(|| failed("its edits do not fit the text"))
            }
            _ => Err(failed("it wants to change other files too")),
        }
    }

    fn changed(&self, files: &[FilePath]) {
        let root: &PathBuf = &self.shared.options.root;
        let mut guard = self.shared.state();
        let state = &mut *guard;
        let ProcessState::Up(up) = &mut state.life else {
            // It reads all of them when it starts.
            state.files.clear();
            return;
        };
        let mut events = Vec::new();
        for file in files {
            let Some(uri) = uri_of(root, file) else { continue };
            let is_there = root.join(file.as_str()).symlink_metadata().is_ok();
            let kind = match (is_there, state.files.contains(file)) {
                (true, true) => 2,
                (true, false) => {
                    state.files.insert(file.clone());
                    1
                }
                (false, _) => {
                    state.files.remove(file);
                    3
                }
            };
            events.push(json!({"uri": uri, "type": kind}));
        }
        up.session.notify("workspace/didChangeWatchedFiles", json!({"changes": events}));
        up.flush();
    }
}

/// The place of a name in a declaration that is named as a whole.
fn name_in(talk: &mut ServerCall<'_>, location: Location, name: &str) -> Location {
    let Ok(text) = talk.text(&location.file) else { return location };
    let bare = name.split('(').next().unwrap_or(name);
    let bare = bare.rsplit(['.', ':']).next().unwrap_or(bare);
    let at = text.slice(location.range).and_then(|whole| whole.find(bare));
    match at {
        Some(at) if !bare.is_empty() => {
            let start = location.range.start + at as u32;
            Location { range: TextRange::new(start, start + bare.len() as u32), ..location }
        }
        _ => location,
    }
}
