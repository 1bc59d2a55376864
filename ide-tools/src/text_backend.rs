//! A backend that knows texts and nothing about code: for projects without an index.

use std::sync::Arc;

use ide_model::{
    AllProviders, Answer, Backend, CallEdge, Capped, Completeness, Completion, Confidence, Cx, Description,
    Diagnostic, Engine, FileFilter, FileMeta, FilePath, FileText, Language, NameAt, NameUse, OutlineNode,
    Provider, QueryError, Refactored, Refactoring, ReferenceSet, Snapshot, SourceKind, Status,
    StructureQuery, StructureResult, Symbol, SymbolMatch, SymbolQuery, Target, TextContext, TextMatch,
    TextQuery, TextRange, TextSearchResult, TypeLink,
};
use regex::RegexBuilder;

/// The texts of a project at one moment.
///
/// [`TextBackend`] asks it for the files again with every snapshot; the files of one snapshot must not change.
pub trait Texts: Send + Sync + 'static {
    /// Every file, by its path below the root, in the order of the paths.
    fn files(&self) -> Vec<FilePath>;

    /// The text of a file; `None` where there is no such file.
    fn text(&self, file: &FilePath) -> Option<Arc<str>>;
}

/// A backend over [`Texts`]: it lists files and searches in texts. Every question about code is answered with
/// [`QueryError::Unsupported`], never with an empty list.
pub struct TextBackend<T>(Arc<T>);

impl<T: Texts> TextBackend<T> {
    /// A backend over these texts.
    pub fn new(texts: T) -> Self {
        Self(Arc::new(texts))
    }

    fn meta(&self, path: FilePath) -> Option<FileMeta> {
        let size = self.0.text(&path)?.len() as u64;
        let language = Language::of_path(path.as_str());
        Some(FileMeta { path, language, source: SourceKind::Production, is_generated: false, size })
    }
}

impl<T: Texts> Backend for TextBackend<T> {
    fn snapshot(&self, _: Cx<'_>) -> Result<Arc<dyn Snapshot>, QueryError> {
        Ok(Arc::new(Self(Arc::clone(&self.0))))
    }

    fn status(&self) -> Status {
        let files = self.0.files().len();
        Status {
            engine: Engine::Embedded,
            is_indexing: false,
            phase: "ready",
            files_indexed: files,
            files_total: files,
            last_indexed_at: None,
            pending_changes: 0,
            languages: Vec::new(),
            symbols: 0,
            generation: 1,
            completeness: Completeness::Exact,
            rebuilt: None,
            kind_of_freshness: "no index",
        }
    }

    fn providers(&self) -> &[Arc<dyn Provider>] {
        &[]
    }
}

fn exact<V>(value: V) -> Answer<V> {
    Answer { value, by: Engine::Embedded, completeness: Completeness::Exact, generation: 1 }
}

fn unsupported<V>(query: &'static str) -> Result<V, QueryError> {
    Err(QueryError::Unsupported { query, language: None, supported: Vec::new() })
}

impl<T: Texts> Snapshot for TextBackend<T> {
    fn generation(&self) -> u64 {
        1
    }

    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    fn files(&self, cx: Cx<'_>, filter: FileFilter<'_>) -> Result<Vec<FileMeta>, QueryError> {
        cx.check()?;
        Ok(self
            .0
            .files()
            .into_iter()
            .filter_map(|path| self.meta(path))
            .filter(|file| filter(file))
            .collect())
    }

    fn file(&self, path: &FilePath) -> Option<FileMeta> {
        self.meta(path.clone())
    }

    fn text(&self, file: &FilePath) -> Result<FileText, QueryError> {
        let text = self.0.text(file).ok_or_else(|| QueryError::NoFile { path: file.to_string() })?;
        Ok(FileText::new(text))
    }

    fn search_text(&self, cx: Cx<'_>, query: &TextQuery<'_>) -> Result<Answer<TextSearchResult>, QueryError> {
        if query.context.is_some() {
            return unsupported("telling code, comments and strings apart");
        }
        let mut pattern =
            if query.is_regex { query.pattern.to_owned() } else { regex::escape(query.pattern) };
        if query.whole_word {
            pattern = format!(r"\b(?:{pattern})\b");
        }
        let pattern = RegexBuilder::new(&pattern)
            .case_insensitive(!query.case_sensitive)
            .build()
            .map_err(|error| QueryError::BadPattern { message: error.to_string() })?;
        let mut matches = Vec::new();
        for file in self.files(cx, query.filter)? {
            cx.check()?;
            let text = self.text(&file.path)?;
            for line in 1..=text.lines.line_count() {
                let (Some(range), Some(words)) = (text.lines.line_range(line), text.line(line)) else {
                    continue;
                };
                if let Some(hit) = pattern.find(words) {
                    // a text is shorter than 4 GiB: its ranges have 32 bits
                    let (start, end) = (range.start + hit.start() as u32, range.start + hit.end() as u32);
                    matches.push(TextMatch { file: file.path.clone(), range: TextRange::new(start, end) });
                }
            }
            if matches.len() > query.limit {
                break;
            }
        }
        Ok(exact(TextSearchResult { matches: Capped::cut_at(matches, query.limit), skipped_files: 0 }))
    }

    fn resolve(&self, _: Cx<'_>, _: &Target) -> Result<Answer<Vec<(Symbol, Confidence)>>, QueryError> {
        unsupported("finding declarations")
    }

    fn name_at(&self, _: &FilePath, _: u32) -> Result<Option<NameAt>, QueryError> {
        unsupported("finding names")
    }

    fn references(
        &self,
        _: Cx<'_>,
        _: &Symbol,
        _: FileFilter<'_>,
        _: usize,
    ) -> Result<Answer<ReferenceSet>, QueryError> {
        unsupported("finding references")
    }

    fn implementations(
        &self,
        _: Cx<'_>,
        _: &Symbol,
        _: FileFilter<'_>,
    ) -> Result<Answer<Vec<(Symbol, Confidence)>>, QueryError> {
        unsupported("finding implementations")
    }

    fn supertypes(&self, _: Cx<'_>, _: &Symbol) -> Result<Answer<Vec<TypeLink>>, QueryError> {
        unsupported("type hierarchies")
    }

    fn subtypes(
        &self,
        _: Cx<'_>,
        _: &Symbol,
        _: FileFilter<'_>,
    ) -> Result<Answer<Vec<TypeLink>>, QueryError> {
        unsupported("type hierarchies")
    }

    fn super_methods(&self, _: Cx<'_>, _: &Symbol) -> Result<Answer<Vec<Symbol>>, QueryError> {
        unsupported("type hierarchies")
    }

    fn callers(&self, _: Cx<'_>, _: &Symbol, _: FileFilter<'_>) -> Result<Answer<Vec<CallEdge>>, QueryError> {
        unsupported("call hierarchies")
    }

    fn callees(&self, _: Cx<'_>, _: &Symbol) -> Result<Answer<Vec<CallEdge>>, QueryError> {
        unsupported("call hierarchies")
    }

    fn outline(&self, _: Cx<'_>, _: &FilePath) -> Result<Answer<Vec<OutlineNode>>, QueryError> {
        unsupported("the structure of files")
    }

    fn enclosing(&self, _: &FilePath, _: u32) -> Result<Vec<Symbol>, QueryError> {
        unsupported("the structure of files")
    }

    fn search(&self, _: Cx<'_>, _: &SymbolQuery<'_>) -> Result<Answer<Capped<SymbolMatch>>, QueryError> {
        unsupported("searching declarations")
    }

    /// Without a lexer every place counts as code, as in plain text.
    fn text_contexts(&self, _: &FilePath, offsets: &[u32]) -> Result<Vec<TextContext>, QueryError> {
        Ok(vec![TextContext::Code; offsets.len()])
    }

    fn search_structure(
        &self,
        _: Cx<'_>,
        _: &StructureQuery<'_>,
    ) -> Result<Answer<StructureResult>, QueryError> {
        unsupported("searching by shape")
    }

    fn describe(&self, _: Cx<'_>, _: &Symbol) -> Result<Answer<Description>, QueryError> {
        unsupported("describing declarations")
    }

    fn diagnostics(&self, _: Cx<'_>, _: &FilePath) -> Result<Answer<Vec<Diagnostic>>, QueryError> {
        unsupported("finding problems")
    }

    fn diagnostic_codes(&self) -> Vec<&'static str> {
        Vec::new()
    }

    fn complete(
        &self,
        _: Cx<'_>,
        _: &FilePath,
        _: u32,
        _: usize,
    ) -> Result<Answer<Capped<Completion>>, QueryError> {
        unsupported("completion")
    }

    fn names(&self, _: Cx<'_>, _: &FilePath, _: TextRange) -> Result<Answer<Vec<NameUse>>, QueryError> {
        unsupported("a list of names")
    }

    fn value_type(&self, _: Cx<'_>, _: &FilePath, _: u32) -> Result<Option<Arc<str>>, QueryError> {
        unsupported("the type of a value")
    }

    fn with_texts(
        &self,
        _: Cx<'_>,
        _: &[(FilePath, Option<Arc<str>>)],
    ) -> Result<Arc<dyn Snapshot>, QueryError> {
        unsupported("unsaved texts")
    }

    fn providers(&self) -> Option<&dyn AllProviders> {
        None
    }

    fn refactor(&self, _: Cx<'_>, _: &Refactoring<'_>) -> Result<Answer<Refactored>, QueryError> {
        unsupported("refactoring")
    }
}
