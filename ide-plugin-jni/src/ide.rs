//! The IDE as a source of answers beside the index.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ide_model::{
    Cx, Engine, FilePath, FormatOrder, Language, Location, Provider, ProviderCall, ProviderCompletion,
    ProviderDiagnostic, ProviderFix, ProviderState, ProviderSymbol, QueryError, Relation, Severity, Snapshot,
    Standing, Stop, TextEdit, TextRange, with_line_endings,
};
use serde_json::{Value, json};

use crate::calls::{CallError, Calls};
use crate::places::{Lines, Reader, absolute, at, items, named};

/// How long the IDE may take to look something up.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long it may take over a whole file or project: problems, a rename, a format.
const LONG: Duration = Duration::from_secs(45);
/// Most places of an answer. One that has more is no whole answer.
const MOST: u32 = 20_000;

/// The IDE and what is known of it.
pub(crate) struct Ide {
    calls: Arc<Calls>,
    name: String,
    languages: BTreeSet<Language>,
    ops: BTreeSet<String>,
    /// Roots of projects whose index the IDE builds now.
    dumb: Mutex<BTreeSet<String>>,
}

impl Ide {
    /// Asks the IDE what it can do.
    ///
    /// # Errors
    /// When it does not say so.
    pub(crate) fn new(calls: Arc<Calls>, name: String) -> Result<Self, QueryError> {
        let never = Stop::new();
        let can = calls
            .ask(Cx::new(&never), "capabilities", json!({}), PATIENCE)
            .map_err(|error| query_error(error, "capabilities", ""))?;
        let words = |name: &str| can[name].as_array().into_iter().flatten().filter_map(Value::as_str);
        let languages = words("languages").filter_map(Language::by_name).collect();
        let ops = words("ops").map(str::to_owned).collect();
        Ok(Self { calls, name, languages, ops, dumb: Mutex::default() })
    }

    fn dumb(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.dumb.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers whether the IDE builds its index of a project now.
    pub(crate) fn set_dumb(&self, root: &str, is_dumb: bool) {
        let mut dumb = self.dumb();
        dumb.remove(root);
        if is_dumb {
            dumb.insert(root.to_owned());
        }
    }

    pub(crate) fn has(&self, op: &str) -> bool {
        self.ops.contains(op)
    }

    /// Tells the IDE something, where it can do something about it.
    pub(crate) fn tell(&self, op: &'static str, arguments: Value) {
        if self.has(op) {
            self.calls.tell(op, arguments);
        }
    }

    /// Asks the IDE about a project.
    ///
    /// # Errors
    /// [`QueryError::Unsupported`] for what it cannot do; else what it says.
    pub(crate) fn ask(
        &self,
        cx: Cx<'_>,
        op: &'static str,
        arguments: Value,
        patience: Duration,
    ) -> Result<Value, CallError> {
        if !self.has(op) {
            return Err(CallError::Host(crate::host::HostError::new("unsupported", "")));
        }
        self.calls.ask(cx, op, arguments, patience)
    }
}

/// An error of the IDE in the terms of the question.
pub(crate) fn query_error(error: CallError, op: &'static str, path: &str) -> QueryError {
    let error = match error {
        CallError::Stopped(error) => return error,
        CallError::Host(error) => error,
    };
    let told = error.to_string();
    match error.code.as_str() {
        "file_not_found" => QueryError::NoFile { path: path.to_owned() },
        "no_symbol" => QueryError::NothingHere { what: told },
        "index_not_ready" => QueryError::NotReady { what: "the IDE builds its index".to_owned() },
        "unsupported" => QueryError::Unsupported { query: op, language: None, supported: Vec::new() },
        "modal_dialog" => QueryError::Failed { message: "a dialog is open in it".to_owned() },
        _ => QueryError::Failed { message: told },
    }
}

/// The IDE as it knows one project.
pub(crate) struct IdeProvider {
    ide: Arc<Ide>,
    root: String,
    /// Paths that changed on disk and that the IDE has not been told of.
    unseen: Mutex<BTreeSet<String>>,
    /// Held while the IDE looks at such paths, so that no other question overtakes.
    syncing: Mutex<()>,
}

impl IdeProvider {
    pub(crate) fn new(ide: Arc<Ide>, root: String) -> Self {
        Self { ide, root, unseen: Mutex::default(), syncing: Mutex::default() }
    }

    fn ask(
        &self,
        cx: Cx<'_>,
        op: &'static str,
        arguments: Value,
        patience: Duration,
    ) -> Result<Value, QueryError> {
        self.sync(cx)?;
        let path = arguments["path"].as_str().unwrap_or_default().to_owned();
        self.ide.ask(cx, op, arguments, patience).map_err(|error| query_error(error, op, &path))
    }

    fn unseen(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.unseen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns when the IDE has seen every change on disk that we know of: an answer must not be older.
    fn sync(&self, cx: Cx<'_>) -> Result<(), QueryError> {
        let _alone = self.syncing.lock().unwrap_or_else(PoisonError::into_inner);
        let paths = std::mem::take(&mut *self.unseen());
        if paths.is_empty() || !self.ide.has("sync") {
            return Ok(());
        }
        let asked = json!({"project": self.root, "paths": paths});
        self.ide.ask(cx, "sync", asked, PATIENCE).map(drop).map_err(|error| {
            self.unseen().extend(paths);
            query_error(error, "sync", "")
        })
    }

    /// A text as the IDE writes it, with the line endings that it had.
    fn rewritten(
        &self,
        cx: Cx<'_>,
        op: &'static str,
        asked: Value,
        text: &str,
    ) -> Result<String, QueryError> {
        let answer = self.ask(cx, op, asked, LONG)?;
        match answer["text"].as_str() {
            Some(written) => Ok(with_line_endings(text, written).into_owned()),
            None => Err(QueryError::Failed { message: "it gave no text".to_owned() }),
        }
    }

    /// Every file with its edits, in the texts of the snapshot.
    fn edits(
        &self,
        snapshot: &dyn Snapshot,
        files: &Value,
    ) -> Result<Vec<(FilePath, Vec<TextEdit>)>, QueryError> {
        let mut reader = Reader::new(&self.root, snapshot);
        let mut all = Vec::new();
        for file in items(files)? {
            let name = named(&self.root, file["path"].as_str().unwrap_or_default());
            let text = snapshot.text(&name)?;
            let mut edits = Vec::new();
            for edit in items(&file["edits"])? {
                let range = reader.range(&name, edit)?;
                let written = edit["text"].as_str();
                let written = written
                    .ok_or_else(|| QueryError::Failed { message: "its edit has no text".to_owned() })?;
                edits.push(TextEdit::new(range, with_line_endings(&text.text, written).into_owned()));
            }
            edits.sort();
            all.push((name, edits));
        }
        Ok(all)
    }
}

/// Refuses an answer that leaves something out: it would be taken for a whole one.
fn whole(answer: &Value) -> Result<(), QueryError> {
    if answer["cut"] == true {
        return Err(QueryError::Failed { message: format!("it found more than {MOST} places") });
    }
    Ok(())
}

fn word(relation: Relation) -> &'static str {
    match relation {
        Relation::Definition => "definition",
        Relation::References => "references",
        Relation::Implementations => "implementations",
        Relation::Supertypes => "supertypes",
        Relation::Subtypes => "subtypes",
        Relation::SuperMethods => "superMethods",
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

impl Provider for IdeProvider {
    fn engine(&self) -> Engine {
        Engine::Ide
    }

    fn name(&self) -> &str {
        &self.ide.name
    }

    fn standing(&self, language: Language, _: bool) -> Standing {
        if !self.ide.languages.contains(&language) {
            return Standing::Absent;
        }
        if self.ide.dumb().contains(&self.root) { Standing::Starting } else { Standing::Ready }
    }

    fn states(&self) -> Vec<ProviderState> {
        let is_dumb = self.ide.dumb().contains(&self.root);
        vec![ProviderState {
            name: self.ide.name.clone(),
            languages: self.ide.languages.iter().copied().collect(),
            standing: if is_dumb { Standing::Starting } else { Standing::Ready },
            memory: None,
            note: is_dumb.then(|| "the IDE builds its index, and the embedded index answers".to_owned()),
        }]
    }

    /// A use that it does not find may exist all the same: it does not read generated code, other languages or
    /// dynamic uses.
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
        let mut asked = at(&self.root, snapshot, file, offset)?;
        asked["relation"] = word(relation).into();
        asked["cap"] = MOST.into();
        let answer = self.ask(cx, "places", asked, PATIENCE)?;
        whole(&answer)?;
        Reader::new(&self.root, snapshot).locations(&answer["places"])
    }

    fn calls(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
        offset: u32,
        incoming: bool,
    ) -> Result<Vec<ProviderCall>, QueryError> {
        let mut asked = at(&self.root, snapshot, file, offset)?;
        asked["incoming"] = incoming.into();
        asked["cap"] = MOST.into();
        let answer = self.ask(cx, "calls", asked, PATIENCE)?;
        whole(&answer)?;
        let mut reader = Reader::new(&self.root, snapshot);
        let calls = items(&answer["calls"])?.iter();
        calls
            .map(|call| {
                let sites = reader.locations(&call["sites"])?;
                Ok(ProviderCall {
                    name: call["name"].as_str().unwrap_or_default().into(),
                    declaration: reader.location(&call["declaration"])?,
                    sites: sites.into_iter().map(|site| site.range).collect(),
                })
            })
            .collect()
    }

    fn search(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        language: Option<Language>,
        pattern: &str,
        limit: usize,
    ) -> Result<Vec<ProviderSymbol>, QueryError> {
        let asked = json!({"project": self.root, "pattern": pattern, "kind": "symbol", "limit": limit,
            "language": language.map(Language::name)});
        let answer = self.ask(cx, "search", asked, PATIENCE)?;
        let mut reader = Reader::new(&self.root, snapshot);
        let symbols = items(&answer["symbols"])?.iter();
        symbols
            .map(|symbol| {
                Ok(ProviderSymbol {
                    name: symbol["name"].as_str().unwrap_or_default().into(),
                    container: symbol["container"].as_str().map(Into::into),
                    location: reader.location(&symbol["place"])?,
                })
            })
            .collect()
    }

    fn describe(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
        offset: u32,
    ) -> Result<Option<String>, QueryError> {
        let answer = self.ask(cx, "describe", at(&self.root, snapshot, file, offset)?, PATIENCE)?;
        Ok(text(&answer["markdown"]))
    }

    fn diagnostics(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
    ) -> Result<Vec<ProviderDiagnostic>, QueryError> {
        let seen = snapshot.text(file)?;
        let asked = json!({"project": self.root, "path": absolute(&self.root, file), "text": &*seen.text});
        let answer = self.ask(cx, "diagnostics", asked, LONG)?;
        let mut reader = Reader::new(&self.root, snapshot);
        let found = items(&answer["diagnostics"])?.iter();
        found
            .map(|problem| {
                Ok(ProviderDiagnostic {
                    range: reader.range(file, &problem["place"])?,
                    severity: match problem["severity"].as_str() {
                        Some("error") => Severity::Error,
                        Some("warning") => Severity::Warning,
                        Some("weakWarning") => Severity::WeakWarning,
                        _ => Severity::Info,
                    },
                    code: text(&problem["code"]),
                    message: text(&problem["message"]).unwrap_or_default(),
                    source: text(&problem["source"]),
                })
            })
            .collect()
    }

    fn fixes(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
        range: TextRange,
    ) -> Result<Vec<ProviderFix>, QueryError> {
        let mut asked = at(&self.root, snapshot, file, range.start)?;
        let end = Lines::of(&snapshot.text(file)?.text).position(range.end);
        asked["endLine"] = end.line.into();
        asked["endColumn"] = end.column.into();
        let answer = self.ask(cx, "fixes", asked, LONG)?;
        let fixes = items(&answer["fixes"])?.iter();
        fixes
            .map(|fix| {
                let mends = fix["mends"].as_array().into_iter().flatten();
                Ok(ProviderFix {
                    title: text(&fix["title"]).unwrap_or_default(),
                    kind: text(&fix["kind"]),
                    is_preferred: fix["preferred"] == true,
                    mends: mends.filter_map(text).collect(),
                    edits: self.edits(snapshot, &fix["edits"])?,
                })
            })
            .collect()
    }

    fn complete(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
        offset: u32,
        limit: usize,
    ) -> Result<Vec<ProviderCompletion>, QueryError> {
        let mut asked = at(&self.root, snapshot, file, offset)?;
        asked["limit"] = limit.into();
        let answer = self.ask(cx, "complete", asked, PATIENCE)?;
        let listed = items(&answer["items"])?.iter();
        let item = |item: &Value| {
            let label = item["label"].as_str()?;
            Some(ProviderCompletion {
                label: label.into(),
                insert: item["insert"].as_str().unwrap_or(label).into(),
                detail: item["detail"].as_str().map(Into::into),
                kind: item["kind"].as_str().map(Into::into),
            })
        };
        Ok(listed.filter_map(item).collect())
    }

    fn rename(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
        offset: u32,
        new_name: &str,
    ) -> Result<Vec<(FilePath, Vec<TextEdit>)>, QueryError> {
        let mut asked = at(&self.root, snapshot, file, offset)?;
        asked["newName"] = new_name.into();
        let answer = self.ask(cx, "rename", asked, LONG)?;
        let conflicts: Vec<&str> = items(&answer["conflicts"])?.iter().filter_map(Value::as_str).collect();
        if !conflicts.is_empty() {
            return Err(QueryError::Failed { message: conflicts.join("; ") });
        }
        self.edits(snapshot, &answer["edits"])
    }

    fn format(&self, cx: Cx<'_>, _: &dyn Snapshot, order: &FormatOrder) -> Result<String, QueryError> {
        let mut asked = json!({"project": self.root, "path": absolute(&self.root, &order.file),
            "text": &*order.text});
        if let Some((first, last)) = order.lines {
            asked["startLine"] = first.into();
            asked["endLine"] = last.into();
        }
        if order.rearrange {
            asked["rearrange"] = true.into();
        }
        self.rewritten(cx, "format", asked, &order.text)
    }

    fn imports(
        &self,
        cx: Cx<'_>,
        _: &dyn Snapshot,
        file: &FilePath,
        text: &str,
    ) -> Result<String, QueryError> {
        let asked = json!({"project": self.root, "path": absolute(&self.root, file), "text": text});
        self.rewritten(cx, "imports", asked, text)
    }

    /// The IDE sees the disk by itself; this makes it look at once.
    fn changed(&self, files: &[FilePath]) {
        self.unseen().extend(files.iter().map(|file| absolute(&self.root, file)));
    }
}
