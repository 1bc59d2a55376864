//! The context of one request: the open buffers laid over a snapshot.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gen_lsp_types::{Location, Position, Range, TextDocumentPositionParams, Uri};
use ide_model::{Cx, FilePath, FileText, Language, QueryError, Snapshot, Symbol, Target, TextRange};
use lsp_server::ErrorCode;

use crate::capabilities::Client;
use crate::documents::Documents;
use crate::position::{Encoding, file_of, path_of, uri_of};
use crate::tokens::Given;
use crate::{Host, Project};

/// Why a request has no result.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: i32,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self { code: ErrorCode::InvalidParams as i32, message: message.into() }
    }

    /// The request is right and cannot be fulfilled: clients show the message.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { code: ErrorCode::RequestFailed as i32, message: message.into() }
    }
}

/// The code of [`Failure::silent`]; no client sees it.
pub(crate) const SILENT: i32 = 1;

impl Failure {
    /// There is nothing to say: the client gets an empty result.
    pub(crate) fn silent() -> Self {
        Self { code: SILENT, message: String::new() }
    }
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        let code = match error {
            QueryError::Cancelled => ErrorCode::RequestCanceled,
            QueryError::Changed { .. } => ErrorCode::ContentModified,
            QueryError::DeadlineExceeded => ErrorCode::ServerCancelled,
            _ => ErrorCode::RequestFailed,
        };
        Self { code: code as i32, message: message(&error) }
    }
}

/// The reason in the words of the question.
fn message(error: &QueryError) -> String {
    match error {
        QueryError::NotFound { what, .. } => format!("nothing is called {what}"),
        QueryError::Ambiguous { what, .. } => format!("several declarations match {what}"),
        QueryError::Grammar { what, .. } => format!("{what} is not a name of its language"),
        QueryError::NothingHere { what } => format!("no name stands at {what}"),
        QueryError::OutsideIndex { qualified_name } | QueryError::Made { qualified_name, .. } => {
            format!("`{qualified_name}` has no source in the project")
        }
        QueryError::BadPattern { message } | QueryError::Failed { message } => message.clone(),
        QueryError::Unsupported { query, .. } => format!("{query} is not available for this language"),
        QueryError::NoFile { path } => format!("no file {path} in the project"),
        QueryError::NotRead { path, because } => format!("{path} {because}"),
        QueryError::NotReady { what } => what.clone(),
        QueryError::DeadlineExceeded => "the request took too long".to_owned(),
        QueryError::Cancelled => "the request was cancelled".to_owned(),
        QueryError::Changed { path } => format!("{path} changed meanwhile; ask again"),
    }
}

/// An answer that is `None` where there is nothing to answer: a position that is no name, a language that is not read.
pub(crate) fn or_nothing<T>(result: Result<T, QueryError>) -> Result<Option<T>, Failure> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(
            QueryError::NotFound { .. }
            | QueryError::NothingHere { .. }
            | QueryError::OutsideIndex { .. }
            | QueryError::Made { .. }
            | QueryError::Unsupported { .. }
            | QueryError::NotRead { .. }
            | QueryError::NoFile { .. },
        ) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Snapshots with the buffers laid over them, so that requests between two changes share one.
#[derive(Default)]
pub(crate) struct Overlays(Mutex<HashMap<PathBuf, Overlay>>);

struct Overlay {
    of: (u64, u64),
    snapshot: Arc<dyn Snapshot>,
}

/// State that all requests share.
pub(crate) struct Shared {
    pub(crate) host: Arc<dyn Host>,
    pub(crate) encoding: Encoding,
    pub(crate) client: Client,
    pub(crate) tokens: Given,
    pub(crate) overlays: Overlays,
}

/// One request.
pub(crate) struct Query<'q> {
    pub(crate) cx: Cx<'q>,
    pub(crate) shared: &'q Shared,
    pub(crate) documents: Documents,
}

impl Query<'_> {
    pub(crate) fn encoding(&self) -> Encoding {
        self.shared.encoding
    }

    /// The newest state of a project with the open buffers in it.
    pub(crate) fn snapshot(&self, project: &Project) -> Result<Arc<dyn Snapshot>, Failure> {
        let base = project.backend.snapshot(self.cx)?;
        let of = (base.generation(), self.documents.revision);
        let overlays = || self.shared.overlays.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = overlays().get(&project.root)
            && known.of == of
        {
            return Ok(known.snapshot.clone());
        }
        let mut texts: Vec<(FilePath, Option<Arc<str>>)> = Vec::new();
        for (path, document) in self.documents.iter().filter(|(path, _)| path.starts_with(&project.root)) {
            let file = file_of(&project.root, path);
            let is_saved = base.text(&file).is_ok_and(|saved| saved.text == document.text.text);
            if !is_saved {
                texts.push((file, Some(document.text.text.clone())));
            }
        }
        let snapshot = if texts.is_empty() { base } else { base.with_texts(self.cx, &texts)? };
        overlays().insert(project.root.clone(), Overlay { of, snapshot: snapshot.clone() });
        Ok(snapshot)
    }

    /// The file of an address.
    pub(crate) fn file(&self, uri: &Uri) -> Result<Place, Failure> {
        self.place(uri, |text| text)
    }

    /// A file or a directory by its address; a directory has no text.
    pub(crate) fn entry(&self, uri: &Uri) -> Result<Place, Failure> {
        self.place(uri, |text| match text {
            Err(QueryError::NoFile { .. }) => Ok(FileText::new("")),
            text => text,
        })
    }

    fn place(
        &self,
        uri: &Uri,
        read: impl FnOnce(Result<FileText, QueryError>) -> Result<FileText, QueryError>,
    ) -> Result<Place, Failure> {
        let path =
            path_of(uri).ok_or_else(|| Failure::invalid(format!("`{uri}` is not the address of a file")))?;
        let host = self.shared.host.clone();
        // A library may be a project of its own, and be opened as one, where nothing uses it.
        if let Some((project, file)) = host.library_file(&path) {
            let snapshot = self.snapshot(&project)?;
            let text = read(snapshot.text(&file)).map_err(|_| Failure::silent())?;
            return Ok(Place { project, snapshot, file, text, encoding: self.encoding(), host });
        }
        let Some(project) = host.project_of(&path) else {
            return Err(Failure::failed(format!(
                "{} is in no folder of the workspace; open its folder",
                path.display()
            )));
        };
        let snapshot = self.snapshot(&project)?;
        let file = file_of(&project.root, &path);
        let text = match self.documents.get(&path) {
            Some(document) => document.text.clone(),
            None => read(snapshot.text(&file))?,
        };
        Ok(Place { project, snapshot, file, text, encoding: self.encoding(), host })
    }

    pub(crate) fn at(&self, params: &TextDocumentPositionParams) -> Result<(Place, u32), Failure> {
        let place = self.file(&params.text_document.uri)?;
        let offset = place.offset(params.position);
        Ok((place, offset))
    }
}

/// A file of a snapshot.
pub(crate) struct Place {
    pub(crate) project: Project,
    pub(crate) snapshot: Arc<dyn Snapshot>,
    pub(crate) file: FilePath,
    pub(crate) text: FileText,
    encoding: Encoding,
    host: Arc<dyn Host>,
}

/// A declaration in a file that an editor can open.
pub(crate) struct Declared {
    pub(crate) uri: Uri,
    pub(crate) name: Range,
    pub(crate) whole: Range,
}

impl Place {
    /// Whether names in the file have a character.
    pub(crate) fn has_in_names(&self, c: char) -> bool {
        Language::of_path(self.file.as_str()).is_some_and(|language| language.has_in_names(c))
    }

    pub(crate) fn offset(&self, at: Position) -> u32 {
        self.encoding.offset(&self.text, at)
    }

    pub(crate) fn range(&self, range: TextRange) -> Range {
        self.encoding.range(&self.text, range)
    }

    pub(crate) fn bytes(&self, range: Range) -> TextRange {
        self.encoding.bytes(&self.text, range)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.project.root
    }

    /// The name around or before an offset.
    pub(crate) fn word(&self, offset: u32) -> Option<TextRange> {
        let is_name = |c: &char| c.is_alphanumeric() || *c == '_' || *c == '$';
        let (before, behind) = self.text.text.split_at(self.text.text.floor_char_boundary(offset as usize));
        let left: usize = before.chars().rev().take_while(is_name).map(char::len_utf8).sum();
        let right: usize = behind.chars().take_while(is_name).map(char::len_utf8).sum();
        let at = before.len();
        (left + right > 0).then(|| TextRange::new((at - left) as u32, (at + right) as u32))
    }

    /// The declarations that a name at an offset means; nothing where no name stands.
    pub(crate) fn symbols(&self, cx: Cx<'_>, offset: u32) -> Result<Vec<Symbol>, Failure> {
        self.named(cx, offset, &Target::Position { file: self.file.clone(), offset })
    }

    /// The declarations that a target at an offset means. A position that is no name means the declaration around it to the
    /// snapshot; an editor asks about names.
    pub(crate) fn named(&self, cx: Cx<'_>, offset: u32, target: &Target) -> Result<Vec<Symbol>, Failure> {
        let Some(word) = self.word(offset).and_then(|word| self.text.slice(word)) else {
            return Ok(Vec::new());
        };
        let found = or_nothing(self.snapshot.resolve(cx, target))?;
        let symbols = found.map(|answer| answer.value).unwrap_or_default().into_iter();
        let is_named = |symbol: &Symbol| *symbol.name == *word || !self.encloses(symbol, offset);
        Ok(symbols.map(|(symbol, _)| symbol).filter(is_named).collect())
    }

    fn encloses(&self, symbol: &Symbol, offset: u32) -> bool {
        symbol.file == self.file && symbol.full_range.contains(offset) && !symbol.name_range.touches(offset)
    }

    /// The location of a range in any file of the snapshot; `None` for what an editor cannot open.
    pub(crate) fn location(&self, file: &FilePath, range: TextRange) -> Option<Location> {
        let text = if *file == self.file { self.text.clone() } else { self.snapshot.text(file).ok()? };
        let uri = self.uri(file, &text)?;
        Some(Location { uri, range: self.encoding.range(&text, range) })
    }

    fn uri(&self, file: &FilePath, text: &FileText) -> Option<Uri> {
        uri_of(self.root(), file).or_else(|| Uri::from_file_path(self.host.copy(file, &text.text)?).ok())
    }

    /// The declaration of a symbol: of a compiled class in its source.
    pub(crate) fn declared(&self, cx: Cx<'_>, symbol: &Symbol) -> Option<Declared> {
        let Some(source) = self.snapshot.source(cx, symbol).ok()? else {
            let Location { uri, range: name } = self.location(&symbol.file, symbol.name_range)?;
            let whole = self.location(&symbol.file, symbol.full_range)?.range;
            return Some(Declared { uri, name, whole });
        };
        let range = |range| self.encoding.range(&source.text, range);
        Some(Declared {
            uri: self.uri(&source.file, &source.text)?,
            name: range(source.name_range),
            whole: range(source.full_range),
        })
    }

    pub(crate) fn locations<'s>(
        &self,
        cx: Cx<'_>,
        symbols: impl IntoIterator<Item = &'s Symbol>,
    ) -> Vec<Location> {
        let found = symbols.into_iter().filter_map(|symbol| self.declared(cx, symbol));
        found.map(|declared| Location { uri: declared.uri, range: declared.name }).collect()
    }
}
