//! Questions to a running server, and what its answers say in the words of the model.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use gen_lsp_types::{
    DocumentChange, Edit, Location as WireLocation, LocationLink, Position, Range, TextEdit as WireEdit, Uri,
    WorkspaceEdit,
};
use ide_model::{
    Cx, FilePath, FileText, Language, Location, QueryError, Snapshot, Standing, TextEdit, TextRange,
};
use serde_json::{Value, json};

use crate::convert::{Encoding, file_of, uri_of};
use crate::keeper::{ProcessState, Shared, brief, read_as};

/// How often a wait looks whether its call was stopped.
const LOOK: Duration = Duration::from_millis(50);

/// Largest file outside of the project that is read to turn lines into bytes.
const MAX_OUTSIDE: u64 = 16 << 20;

/// A call to a server that is ready, about the texts of a snapshot.
pub(crate) struct ServerCall<'a> {
    pub(crate) shared: &'a Arc<Shared>,
    pub(crate) cx: Cx<'a>,
    pub(crate) snapshot: &'a dyn Snapshot,
    pub(crate) encoding: Encoding,
    until: Instant,
    texts: HashMap<FilePath, FileText>,
}

impl<'a> ServerCall<'a> {
    /// Waits until the server is ready.
    ///
    /// # Errors
    /// [`QueryError::NotReady`] when it is not within its patience, [`QueryError::Failed`] when it cannot be.
    pub(crate) fn begin(
        shared: &'a Arc<Shared>,
        cx: Cx<'a>,
        snapshot: &'a dyn Snapshot,
    ) -> Result<Self, QueryError> {
        let until = Instant::now() + shared.options.patience;
        loop {
            match shared.standing(true) {
                Standing::Ready => break,
                Standing::Failed { because } => return Err(QueryError::Failed { message: because }),
                Standing::Absent => {
                    let query = "language server";
                    return Err(QueryError::Unsupported { query, language: None, supported: Vec::new() });
                }
                Standing::Starting => {}
            }
            cx.check()?;
            if Instant::now() >= until {
                return Err(QueryError::NotReady { what: shared.spec.name.clone() });
            }
            let state = shared.state();
            drop(shared.news.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner));
        }
        let mut talk =
            Self { shared, cx, snapshot, encoding: Encoding::default(), until, texts: HashMap::new() };
        talk.compare()?;
        Ok(talk)
    }

    fn gone(&self) -> QueryError {
        QueryError::Failed { message: format!("{} ended", self.shared.spec.name) }
    }

    /// Has the server see every text that changed since it was shown.
    fn compare(&mut self) -> Result<(), QueryError> {
        let mut state = self.shared.state();
        let generation = self.snapshot.generation();
        let is_compared = state.compared.is_some_and(|seen| seen >= generation);
        if state.files.is_empty() {
            let all = self.snapshot.files(self.cx, &|_| true)?;
            state.files = all.into_iter().map(|meta| meta.path).collect();
        }
        state.compared = Some(generation);
        let ProcessState::Up(up) = &mut state.life else { return Err(self.gone()) };
        self.encoding = up.session.encoding();
        if is_compared {
            return Ok(());
        }
        let root = &self.shared.options.root;
        for uri in up.session.shown() {
            let file = uri.parse::<Uri>().ok().and_then(|uri| file_of(root, &uri));
            match file.and_then(|file| Some((id_of(&file), self.snapshot.text(&file).ok()?))) {
                Some((id, text)) => drop(up.session.show(&uri, &id, &text.text)),
                None => up.session.hide(&uri),
            }
        }
        up.flush();
        Ok(())
    }

    /// Shows the server a file as the snapshot has it; gives its address and version.
    pub(crate) fn show(&mut self, file: &FilePath) -> Result<(String, i64), QueryError> {
        let no_file = || QueryError::NoFile { path: file.to_string() };
        let uri = uri_of(&self.shared.options.root, file).ok_or_else(no_file)?;
        let text = self.text(file)?;
        let mut state = self.shared.state();
        let ProcessState::Up(up) = &mut state.life else { return Err(self.gone()) };
        let version = up.session.show(&uri, &id_of(file), &text.text);
        up.flush();
        Ok((uri, version))
    }

    /// The text of a file: of the snapshot, else of the disk.
    pub(crate) fn text(&mut self, file: &FilePath) -> Result<FileText, QueryError> {
        if let Some(text) = self.texts.get(file) {
            return Ok(text.clone());
        }
        let text = match self.snapshot.text(file) {
            Err(error @ QueryError::NoFile { .. }) => outside(Path::new(file.as_str())).ok_or(error)?,
            text => text?,
        };
        self.texts.insert(file.clone(), text.clone());
        Ok(text)
    }

    /// `{"textDocument": …, "position": …}` of an offset of a file, which is shown.
    pub(crate) fn at(&mut self, file: &FilePath, offset: u32) -> Result<Value, QueryError> {
        let (uri, _) = self.show(file)?;
        let text = self.text(file)?;
        let position = self.encoding.position(&text, offset);
        Ok(json!({"textDocument": {"uri": uri}, "position": position}))
    }

    pub(crate) fn supports(&self, field: &str, method: &str) -> bool {
        match &self.shared.state().life {
            ProcessState::Up(up) => up.session.supports(field, method),
            _ => false,
        }
    }

    /// Fails for what the server cannot do.
    pub(crate) fn needs(&self, field: &str, method: &'static str) -> Result<(), QueryError> {
        if self.supports(field, method) {
            return Ok(());
        }
        Err(QueryError::Unsupported { query: method, language: None, supported: Vec::new() })
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// The refusal of the server, [`QueryError::DeadlineExceeded`], [`QueryError::Failed`] when it ended.
    pub(crate) fn ask(&self, method: &str, params: Value) -> Result<Value, QueryError> {
        let mut state = self.shared.state();
        let ProcessState::Up(up) = &mut state.life else { return Err(self.gone()) };
        let id = up.session.request(method, params);
        up.flush();
        loop {
            let ProcessState::Up(up) = &mut state.life else { return Err(self.gone()) };
            if let Some(answer) = up.session.take_answer(id) {
                state.used = Instant::now();
                return answer.map_err(|message| QueryError::Failed { message: brief(&message) });
            }
            let stopped = self.cx.check().err();
            if let Some(error) =
                stopped.or((Instant::now() >= self.until).then_some(QueryError::DeadlineExceeded))
            {
                up.session.cancel(id);
                up.flush();
                return Err(error);
            }
            state = self.shared.news.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until something holds of the session.
    pub(crate) fn wait<T>(
        &self,
        mut look: impl FnMut(&mut crate::session::Session) -> Option<T>,
    ) -> Result<T, QueryError> {
        let mut state = self.shared.state();
        loop {
            let ProcessState::Up(up) = &mut state.life else { return Err(self.gone()) };
            if let Some(found) = look(&mut up.session) {
                return Ok(found);
            }
            self.cx.check()?;
            if Instant::now() >= self.until {
                return Err(QueryError::DeadlineExceeded);
            }
            state = self.shared.news.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(crate) fn file(&self, uri: &Uri) -> Option<FilePath> {
        file_of(&self.shared.options.root, uri)
    }

    /// A place of the protocol; `None` for one in a file that cannot be read, such as the inside of an archive.
    pub(crate) fn place(&mut self, uri: &Uri, range: Range) -> Option<Location> {
        let file = self.file(uri)?;
        let text = self.text(&file).ok()?;
        Some(Location { range: self.encoding.bytes(&text, range), file })
    }

    /// The places of an answer: one, several, or links. Places without a text, as in a decompiled class, are left out.
    ///
    /// # Errors
    /// [`QueryError::Failed`] for an answer that cannot be read, [`QueryError::Unsupported`] when no place has a text.
    pub(crate) fn places(&mut self, answer: Value) -> Result<Vec<Location>, QueryError> {
        let items = match answer {
            Value::Array(items) => items,
            Value::Null => Vec::new(),
            one => vec![one],
        };
        let count = items.len();
        let mut places = Vec::new();
        for item in items {
            let is_link = item.get("targetUri").is_some();
            let found = if is_link {
                read_as::<LocationLink>(item).map(|link| (link.target_uri, link.target_selection_range))
            } else {
                read_as::<WireLocation>(item).map(|place| (place.uri, place.range))
            };
            let Some((uri, range)) = found else {
                return Err(QueryError::Failed { message: "it gave a place that cannot be read".to_owned() });
            };
            places.extend(self.place(&uri, range));
        }
        if places.is_empty() && count > 0 {
            let query = "a place that is in no file";
            return Err(QueryError::Unsupported { query, language: None, supported: Vec::new() });
        }
        Ok(places)
    }

    /// The edits of files of an answer, ordered.
    ///
    /// # Errors
    /// When files are made, moved or removed, which cannot be planned here.
    pub(crate) fn edits(&mut self, answer: Value) -> Result<Vec<(FilePath, Vec<TextEdit>)>, QueryError> {
        let failed = |message: &str| QueryError::Failed { message: message.to_owned() };
        if answer.is_null() {
            return Ok(Vec::new());
        }
        let edit: WorkspaceEdit =
            read_as(answer).ok_or_else(|| failed("it planned edits that cannot be read"))?;
        let mut files: Vec<(Uri, Vec<WireEdit>)> = Vec::new();
        for change in edit.document_changes.into_iter().flatten() {
            let DocumentChange::TextDocumentEdit(document) = change else {
                return Err(failed("it wants to make, move or remove files"));
            };
            let mut edits = Vec::new();
            for edit in document.edits {
                edits.push(match edit {
                    Edit::TextEdit(edit) => edit,
                    Edit::AnnotatedTextEdit(edit) => edit.text_edit,
                    Edit::SnippetTextEdit(_) => return Err(failed("it planned snippets")),
                });
            }
            files.push((document.text_document.text_document_identifier.uri, edits));
        }
        if files.is_empty() {
            files.extend(edit.changes.into_iter().flatten());
        }
        let mut changed: Vec<(FilePath, Vec<TextEdit>)> = Vec::new();
        for (uri, edits) in files {
            let file = self.file(&uri).ok_or_else(|| failed("it wants to change what is no file"))?;
            let text = self.text(&file)?;
            let edits = edits
                .into_iter()
                .map(|edit| TextEdit::new(self.encoding.bytes(&text, edit.range), edit.new_text));
            match changed.iter_mut().find(|(known, _)| *known == file) {
                Some((_, known)) => known.extend(edits),
                None => changed.push((file, edits.collect())),
            }
        }
        changed.sort();
        changed.iter_mut().for_each(|(_, edits)| edits.sort());
        Ok(changed)
    }

    pub(crate) fn bytes(&mut self, file: &FilePath, range: Range) -> Result<TextRange, QueryError> {
        let text = self.text(file)?;
        Ok(self.encoding.bytes(&text, range))
    }

    pub(crate) fn range(&mut self, file: &FilePath, range: TextRange) -> Result<Range, QueryError> {
        let text = self.text(file)?;
        Ok(self.encoding.range(&text, range))
    }
}

/// The text of a file of a library.
fn outside(path: &Path) -> Option<FileText> {
    let meta = path.metadata().ok()?;
    if !path.is_absolute() || !meta.is_file() || meta.len() > MAX_OUTSIDE {
        return None;
    }
    Some(FileText::new(&*String::from_utf8(std::fs::read(path).ok()?).ok()?))
}

/// The identifier of the language of a file in the protocol.
pub(crate) fn id_of(file: &FilePath) -> String {
    let path = file.as_str();
    let is_markup = path.ends_with(".tsx") || path.ends_with(".jsx");
    let id = Language::of_path(path).map_or("plaintext", |language| language.info().id);
    if is_markup { format!("{id}react") } else { id.to_owned() }
}

/// The position behind the end of a text.
pub(crate) fn end_of(encoding: Encoding, text: &FileText) -> Position {
    encoding.position(text, text.text.len() as u32)
}

/// The words of a hover as Markdown: marked text, a text, code of a language, or a list of these.
pub(crate) fn markdown(hover: &Value) -> Option<String> {
    let one = |contents: &Value| match (contents["language"].as_str(), contents["value"].as_str()) {
        (Some(language), Some(code)) => format!("```{language}\n{code}\n```"),
        (_, value) => value.or(contents.as_str()).unwrap_or("").to_owned(),
    };
    let contents = &hover["contents"];
    let text = match contents.as_array() {
        Some(list) => list.iter().map(one).collect::<Vec<_>>().join("\n\n"),
        None => one(contents),
    };
    Some(text).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hovers_of_every_form_are_read() {
        let read = |contents: Value| markdown(&json!({"contents": contents}));
        assert_eq!(read(json!({"kind": "markdown", "value": "a"})).unwrap(), "a");
        assert_eq!(read(json!([{"language": "go", "value": "f"}, "b"])).unwrap(), "```go\nf\n```\n\nb");
        assert_eq!((read(json!(" ")), markdown(&Value::Null)), (None, None));
    }

    #[test]
    fn markup_has_identifiers_of_its_own() {
        let id = |path: &str| id_of(&FilePath::new(path));
        assert_eq!(
            (id("a.tsx"), id("a.js"), id("x")),
            ("typescriptreact".into(), "javascript".into(), "plaintext".into())
        );
    }
}
