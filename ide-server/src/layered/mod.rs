//! Providers (language servers, an IDE) in front of the embedded index.
//!
//! Both are asked, the provider in a thread and for a bounded time. Results that both have are exact; results of the
//! provider alone are in the answer; certain results of the index alone stay as possible, or go where the provider's
//! answer is complete. The remarks of the snapshot say who answered and what differs.

mod ask;
mod changes;
mod definition;
mod lists;
mod places;
mod provided;
mod rename;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ide_model::{
    AllProviders, Answer, Backend, CallEdge, Capped, Completeness, Completion, Confidence, Cx, Description,
    Diagnostic, FileFilter, FileMeta, FilePath, FileText, Fix, Importable, Language, LibrarySource, NameAt,
    NameUse, OutlineNode, Provider, QueryError, Refactored, Refactoring, ReferenceSet, Relation, Snapshot,
    Status, StructureQuery, StructureResult, Symbol, SymbolMatch, SymbolQuery, Target, TextContext,
    TextQuery, TextRange, TextSearchResult, TypeLink,
};

use self::ask::{Inquiry, Providers, Reply, together};
use self::places::{is_made, of_key, word_at};

/// An index with providers in front of it.
pub struct Layered {
    index: Arc<dyn Backend>,
    providers: Arc<Providers>,
}

impl Layered {
    /// `patience` is how long an answer of a provider is waited for. Without providers that is the index itself.
    pub fn over(
        index: Arc<dyn Backend>,
        root: PathBuf,
        providers: Vec<Arc<dyn Provider>>,
        patience: Duration,
    ) -> Arc<dyn Backend> {
        if providers.is_empty() {
            return index;
        }
        let providers = Arc::new(Providers::new(root, providers, patience));
        Arc::new(Self { index, providers })
    }
}

impl Backend for Layered {
    fn snapshot(&self, cx: Cx<'_>) -> Result<Arc<dyn Snapshot>, QueryError> {
        let index = self.index.snapshot(cx)?;
        Ok(Arc::new(LayeredSnapshot { index, providers: self.providers.clone(), remarks: Mutex::default() }))
    }

    fn status(&self) -> Status {
        self.index.status()
    }

    fn providers(&self) -> &[Arc<dyn Provider>] {
        &self.providers.list
    }
}

/// A snapshot of the index, and the providers as they are.
struct LayeredSnapshot {
    index: Arc<dyn Snapshot>,
    providers: Arc<Providers>,
    remarks: Mutex<Vec<String>>,
}

/// The text of a file outside of the project that a provider named.
fn outside_text(providers: &Providers, file: &FilePath) -> Option<FileText> {
    if !providers.has_seen(file) {
        return None;
    }
    let bytes =
        ide_store::read_regular(&providers.root.join(file.as_str()), ide_store::MAX_TEXT_BYTES).ok()?;
    Some(FileText::new(ide_store::decode(&bytes)?.as_ref()))
}

/// The index's answer about a symbol; an error for a symbol that is made of a place.
fn of_index<T>(symbol: &Symbol, ask: impl FnOnce() -> Result<T, QueryError>) -> Result<T, QueryError> {
    if is_made(symbol) {
        let supported = Vec::new();
        return Err(QueryError::Unsupported {
            query: "a name outside of the index",
            language: None,
            supported,
        });
    }
    ask()
}

impl LayeredSnapshot {
    fn remark(&self, remark: String) {
        let mut remarks = self.remarks.lock().unwrap_or_else(PoisonError::into_inner);
        if !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }

    /// The language of a file, when a provider may know it.
    fn provided(&self, file: &FilePath) -> Option<Language> {
        let known = self.index.file(file).map(|meta| meta.language);
        let language = known.unwrap_or_else(|| Language::of_path(file.as_str()))?;
        self.providers.knows(language).then_some(language)
    }

    /// Asks for the places that stand in a relation to the name of a symbol.
    fn ask_places(&self, symbol: &Symbol, relation: Relation) -> Inquiry<Vec<ide_model::Location>> {
        if symbol.name_range.is_empty() || self.provided(&symbol.file).is_none() {
            return Inquiry::Nobody;
        }
        let (file, offset) = (symbol.file.clone(), symbol.name_range.start);
        self.providers.ask(&self.index, symbol.language, move |provider, cx, snapshot| {
            provider.places(cx, snapshot, relation, &file, offset)
        })
    }

    /// The answer of the index, with what a provider adds to it by `merge`.
    fn merged<T, P>(
        &self,
        cx: Cx<'_>,
        asked: Inquiry<P>,
        own: Result<Answer<T>, QueryError>,
        merge: impl FnOnce(Option<Answer<T>>, P, &dyn Provider) -> Result<Answer<T>, QueryError>,
    ) -> Result<Answer<T>, QueryError> {
        match asked.heard(cx)? {
            Reply::Nothing => own,
            Reply::Silent(silence) => {
                self.remark(silence.remark());
                own
            }
            Reply::Said { by, value } => {
                let own = match own {
                    Ok(answer) => Some(answer),
                    Err(error @ (QueryError::Cancelled | QueryError::DeadlineExceeded)) => return Err(error),
                    Err(error @ QueryError::Changed { .. }) => return Err(error),
                    Err(_) => None,
                };
                self.remark(together(&*by, own.is_some()));
                let mut answer = merge(own, value, &*by)?;
                answer.by = by.engine();
                Ok(answer)
            }
        }
    }

    fn answer<T>(&self, value: T, by: &dyn Provider) -> Answer<T> {
        Answer {
            value,
            by: by.engine(),
            completeness: Completeness::Exact,
            generation: self.index.generation(),
        }
    }
}

impl Snapshot for LayeredSnapshot {
    fn generation(&self) -> u64 {
        self.index.generation()
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = self.index.remarks();
        remarks.extend(self.remarks.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        remarks
    }

    fn files(&self, cx: Cx<'_>, filter: FileFilter<'_>) -> Result<Vec<FileMeta>, QueryError> {
        self.index.files(cx, filter)
    }

    fn file(&self, path: &FilePath) -> Option<FileMeta> {
        self.index.file(path)
    }

    fn text(&self, file: &FilePath) -> Result<FileText, QueryError> {
        self.index.text(file).or_else(|error| outside_text(&self.providers, file).ok_or(error))
    }

    fn resolve(&self, cx: Cx<'_>, target: &Target) -> Result<Answer<Vec<(Symbol, Confidence)>>, QueryError> {
        match target {
            Target::Position { file, offset }
            | Target::Variable { file, offset }
            | Target::Name { file, offset } => self.resolve_at(cx, target, file, *offset),
            Target::Key(key) => match of_key(&*self.index, key) {
                Some(symbol) if self.text(&symbol.file).is_ok() => Ok(Answer {
                    value: vec![(symbol, Confidence::Exact)],
                    by: self.providers.list[0].engine(),
                    completeness: Completeness::Exact,
                    generation: self.index.generation(),
                }),
                Some(symbol) => {
                    Err(QueryError::NotFound { what: symbol.name.to_string(), similar: Vec::new() })
                }
                None => self.index.resolve(cx, target),
            },
            Target::Named { .. } | Target::File(_) => self.index.resolve(cx, target),
        }
    }

    fn name_at(&self, file: &FilePath, offset: u32) -> Result<Option<NameAt>, QueryError> {
        match self.index.name_at(file, offset) {
            Err(error @ (QueryError::Unsupported { .. } | QueryError::NoFile { .. })) => {
                if self.provided(file).is_none() {
                    return Err(error);
                }
                let text = self.text(file)?;
                Ok(word_at(&text.text, offset).map(|range| NameAt { range, is_declaration: false }))
            }
            named => named,
        }
    }

    fn references(
        &self,
        cx: Cx<'_>,
        symbol: &Symbol,
        filter: FileFilter<'_>,
        enough: usize,
    ) -> Result<Answer<ReferenceSet>, QueryError> {
        let asked = self.ask_places(symbol, Relation::References);
        // Results of both are told apart from results of one only when both looked everywhere.
        let enough = if matches!(asked, Inquiry::Open(_)) { usize::MAX } else { enough };
        let own = of_index(symbol, || self.index.references(cx, symbol, filter, enough));
        self.merged(cx, asked, own, |own, places, by| self.with_uses(cx, symbol, own, places, by, filter))
    }

    fn implementations(
        &self,
        cx: Cx<'_>,
        symbol: &Symbol,
        filter: FileFilter<'_>,
    ) -> Result<Answer<Vec<(Symbol, Confidence)>>, QueryError> {
        let asked = self.ask_places(symbol, Relation::Implementations);
        let own = of_index(symbol, || self.index.implementations(cx, symbol, filter));
        self.merged(cx, asked, own, |own, places, by| {
            self.with_symbols(cx, (symbol, Relation::Implementations), own, places, by, filter)
        })
    }

    fn supertypes(&self, cx: Cx<'_>, symbol: &Symbol) -> Result<Answer<Vec<TypeLink>>, QueryError> {
        let asked = self.ask_places(symbol, Relation::Supertypes);
        let own = of_index(symbol, || self.index.supertypes(cx, symbol));
        self.merged(cx, asked, own, |own, places, by| {
            self.with_symbols(cx, (symbol, Relation::Supertypes), own, places, by, &|_| true)
        })
    }

    fn subtypes(
        &self,
        cx: Cx<'_>,
        symbol: &Symbol,
        filter: FileFilter<'_>,
    ) -> Result<Answer<Vec<TypeLink>>, QueryError> {
        let asked = self.ask_places(symbol, Relation::Subtypes);
        let own = of_index(symbol, || self.index.subtypes(cx, symbol, filter));
        self.merged(cx, asked, own, |own, places, by| {
            self.with_symbols(cx, (symbol, Relation::Subtypes), own, places, by, filter)
        })
    }

    fn super_methods(&self, cx: Cx<'_>, symbol: &Symbol) -> Result<Answer<Vec<Symbol>>, QueryError> {
        let asked = self.ask_places(symbol, Relation::SuperMethods);
        let own = of_index(symbol, || self.index.super_methods(cx, symbol));
        self.merged(cx, asked, own, |own, places, by| {
            self.with_symbols(cx, (symbol, Relation::SuperMethods), own, places, by, &|_| true)
        })
    }

    fn callers(
        &self,
        cx: Cx<'_>,
        symbol: &Symbol,
        filter: FileFilter<'_>,
    ) -> Result<Answer<Vec<CallEdge>>, QueryError> {
        let asked = self.ask_calls(symbol, true);
        let own = of_index(symbol, || self.index.callers(cx, symbol, filter));
        self.merged(cx, asked, own, |own, calls, by| {
            self.with_calls(cx, symbol, own, calls, by, Some(filter))
        })
    }

    fn callees(&self, cx: Cx<'_>, symbol: &Symbol) -> Result<Answer<Vec<CallEdge>>, QueryError> {
        let asked = self.ask_calls(symbol, false);
        let own = of_index(symbol, || self.index.callees(cx, symbol));
        self.merged(cx, asked, own, |own, calls, by| self.with_calls(cx, symbol, own, calls, by, None))
    }

    fn outline(&self, cx: Cx<'_>, file: &FilePath) -> Result<Answer<Vec<OutlineNode>>, QueryError> {
        self.index.outline(cx, file)
    }

    fn enclosing(&self, file: &FilePath, offset: u32) -> Result<Vec<Symbol>, QueryError> {
        match self.index.enclosing(file, offset) {
            Err(QueryError::Unsupported { .. } | QueryError::NoFile { .. })
                if self.provided(file).is_some() =>
            {
                Ok(Vec::new())
            }
            found => found,
        }
    }

    fn search(&self, cx: Cx<'_>, query: &SymbolQuery<'_>) -> Result<Answer<Capped<SymbolMatch>>, QueryError> {
        let found = self.index.search(cx, query)?;
        // The index has every name that is written; a provider may know of those that a macro or a build makes.
        if found.value.items.iter().any(|hit| !hit.approximate) {
            return Ok(found);
        }
        self.search_beside(cx, query, found)
    }

    fn search_text(&self, cx: Cx<'_>, query: &TextQuery<'_>) -> Result<Answer<TextSearchResult>, QueryError> {
        self.index.search_text(cx, query)
    }

    fn text_contexts(&self, file: &FilePath, offsets: &[u32]) -> Result<Vec<TextContext>, QueryError> {
        self.index.text_contexts(file, offsets)
    }

    fn search_structure(
        &self,
        cx: Cx<'_>,
        query: &StructureQuery<'_>,
    ) -> Result<Answer<StructureResult>, QueryError> {
        self.index.search_structure(cx, query)
    }

    fn describe(&self, cx: Cx<'_>, symbol: &Symbol) -> Result<Answer<Description>, QueryError> {
        let own = of_index(symbol, || self.index.describe(cx, symbol));
        match own {
            Err(
                QueryError::Unsupported { .. } | QueryError::NoFile { .. } | QueryError::OutsideIndex { .. },
            ) => self.describe_beside(cx, symbol, own),
            own => own,
        }
    }

    fn source(&self, cx: Cx<'_>, symbol: &Symbol) -> Result<Option<LibrarySource>, QueryError> {
        self.index.source(cx, symbol)
    }

    /// The problems that the index finds: those of providers have other codes, and are asked for by [`Snapshot::providers`].
    fn diagnostics(&self, cx: Cx<'_>, file: &FilePath) -> Result<Answer<Vec<Diagnostic>>, QueryError> {
        self.index.diagnostics(cx, file)
    }

    fn diagnostic_codes(&self) -> Vec<&'static str> {
        self.index.diagnostic_codes()
    }

    fn complete(
        &self,
        cx: Cx<'_>,
        file: &FilePath,
        offset: u32,
        limit: usize,
    ) -> Result<Answer<Capped<Completion>>, QueryError> {
        self.index.complete(cx, file, offset, limit)
    }

    fn importable(
        &self,
        cx: Cx<'_>,
        file: &FilePath,
        offset: u32,
        limit: usize,
    ) -> Result<Answer<Capped<Importable>>, QueryError> {
        self.index.importable(cx, file, offset, limit)
    }

    fn names(
        &self,
        cx: Cx<'_>,
        file: &FilePath,
        range: TextRange,
    ) -> Result<Answer<Vec<NameUse>>, QueryError> {
        self.index.names(cx, file, range)
    }

    fn value_type(&self, cx: Cx<'_>, file: &FilePath, offset: u32) -> Result<Option<Arc<str>>, QueryError> {
        self.index.value_type(cx, file, offset)
    }

    /// Without providers: they know the disk.
    fn fixes(&self, cx: Cx<'_>, file: &FilePath, range: TextRange) -> Result<Answer<Vec<Fix>>, QueryError> {
        self.index.fixes(cx, file, range)
    }

    fn with_texts(
        &self,
        cx: Cx<'_>,
        texts: &[(FilePath, Option<Arc<str>>)],
    ) -> Result<Arc<dyn Snapshot>, QueryError> {
        self.index.with_texts(cx, texts)
    }

    fn providers(&self) -> Option<&dyn AllProviders> {
        Some(self)
    }

    fn is_sound(&self, file: &FilePath) -> bool {
        self.index.is_sound(file)
    }

    fn refactor(&self, cx: Cx<'_>, what: &Refactoring<'_>) -> Result<Answer<Refactored>, QueryError> {
        match what {
            Refactoring::Rename { symbol, new_name, .. } if !is_made(symbol) => {
                self.rename(cx, what, symbol, new_name)
            }
            _ => self.index.refactor(cx, what),
        }
    }
}
