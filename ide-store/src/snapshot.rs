//! A snapshot with the texts behind it: what a tool call works on.

mod searched;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ide_index::guard::{self, Limit};
use ide_index::query::{self, Resolvers, file_meta};
use ide_index::refactor::{self, RefactorContext, Rewrite, Trees};
use ide_index::{
    FileEntry, FileFacts, FileId, IndexSnapshot, Macros, Quality, RootKind, SearchHit, SegmentBuilder, Stamp,
    Unit, World, contexts_at, is_configuration, search_libraries,
};
use ide_model::{
    AllProviders, Answer, CallEdge, Capped, Completeness, Completion, Confidence, Cx, Description,
    Diagnostic, Engine, Family, FileFilter, FileMeta, FilePath, FileText, Fix, Importable, LANGUAGES,
    Language, LibrarySource, NameAt, NameUse, OutlineNode, QueryError, Refactored, Refactoring, ReferenceSet,
    Snapshot, StructureQuery, StructureResult, Symbol, SymbolMatch, SymbolQuery, Target, TextContext,
    TextQuery, TextRange, TextSearchResult, TypeLink,
};
use ide_project_resolver::Classifier;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_128;

use crate::archive_text;
use crate::classify::classify;
use crate::decode::decode;
use crate::dependencies::Dependencies;
use crate::disk::Disk;
use crate::extract::{MAX_LINE, has_long_lines, largest, read};
use crate::text_search::{MAX_TEXT_BYTES, TextPattern, TextPatternOptions, search_text};
use crate::trigrams::{FileNumbers, Trigrams};
use crate::unread::{UnreadPlace, because, reason};

/// Bytes of text that the snapshots of a project keep.
const TEXT_CACHE: usize = 16 << 20;

/// Texts read lately, by content: shared by the snapshots of a project.
#[derive(Debug)]
pub(crate) struct Texts {
    pub(crate) root: PathBuf,
    held: Mutex<LoadedTexts>,
    lists: Mutex<Lists>,
    /// Texts that are on no disk, by content, above those of the project.
    over: Option<TextOverlay>,
}

#[derive(Debug)]
struct TextOverlay {
    texts: FxHashMap<u128, FileText>,
    below: Arc<Texts>,
}

/// The lists that text search rules files out with.
#[derive(Default)]
enum Lists {
    #[default]
    None,
    /// There may be some in this directory; they are looked for when the first text is.
    Kept(PathBuf),
    Open(Arc<Trigrams>),
}

impl std::fmt::Debug for Lists {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::None => "no lists",
            Self::Kept(_) => "kept lists",
            Self::Open(_) => "open lists",
        })
    }
}

#[derive(Debug, Default)]
struct LoadedTexts {
    by_hash: FxHashMap<u128, FileText>,
    bytes: usize,
}

impl Texts {
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), held: Mutex::default(), lists: Mutex::default(), over: None }
    }

    /// These texts below others that are on no disk.
    fn below(self: &Arc<Self>, texts: FxHashMap<u128, FileText>) -> Self {
        Self { over: Some(TextOverlay { texts, below: self.clone() }), ..Self::new(&self.root) }
    }

    /// The text of this content, where it is on no disk.
    fn unsaved(&self, content: u128) -> Option<&FileText> {
        let over = self.over.as_ref()?;
        over.texts.get(&content).or_else(|| over.below.unsaved(content))
    }

    /// Lists are to be found in this directory from now on.
    pub(crate) fn find_lists(&self, directory: &Path) {
        *self.lists.lock().unwrap_or_else(PoisonError::into_inner) = Lists::Kept(directory.to_owned());
    }

    /// The lists, read when they are first wanted. Damaged ones are as good as none: the next ones replace them.
    pub(crate) fn lists(&self) -> Option<Arc<Trigrams>> {
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if let Lists::Kept(directory) = &*lists {
            let kept = Disk::load_lists(directory).ok().and_then(Trigrams::open);
            *lists = kept.map_or(Lists::None, |kept| Lists::Open(Arc::new(kept)));
        }
        match &*lists {
            Lists::Open(open) => Some(open.clone()),
            _ => None,
        }
    }

    /// The text of a file below the root that is left out of the project. `None` when there is none, no link followed.
    fn beside(&self, path: &FilePath) -> Option<FileText> {
        let place = self.root.join(path.as_str());
        let is_real = place.canonicalize().is_ok_and(|real| real == place) && place.starts_with(&self.root);
        let size = place.symlink_metadata().ok().filter(|meta| is_real && meta.is_file())?.len();
        let (bytes, _) = (size <= MAX_TEXT_BYTES).then(|| read(&place).ok())??;
        Some(FileText::new(decode(&bytes)?.as_ref()))
    }

    /// The text of a file as its facts were read from it.
    fn get(&self, entry: &FileEntry) -> Result<FileText, QueryError> {
        if let Some(over) = &self.over {
            let unsaved = self.unsaved(entry.content_hash).cloned();
            return unsaved.map_or_else(|| over.below.get(entry), Ok);
        }
        let held = || self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = held().by_hash.get(&entry.content_hash) {
            return Ok(text.clone());
        }
        let path = entry.path.as_str();
        let not_read = |because: String| QueryError::NotRead { path: path.to_owned(), because };
        if entry.size > MAX_TEXT_BYTES {
            return Err(not_read(format!("is larger than {} MiB", MAX_TEXT_BYTES >> 20)));
        }
        let no_file = || QueryError::NoFile { path: path.to_owned() };
        let (bytes, _) = read(&self.root.join(path)).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => no_file(),
            _ => not_read(format!("cannot be read: {}", reason(&error))),
        })?;
        if entry.content_hash != 0 && xxh3_128(&bytes) != entry.content_hash {
            return Err(QueryError::Changed { path: path.to_owned() });
        }
        let text = decode(&bytes).ok_or_else(|| not_read("is not a text file".to_owned()))?;
        let text = FileText::new(text.as_ref());
        if entry.content_hash != 0 {
            let mut held = held();
            if held.bytes + bytes.len() > TEXT_CACHE {
                *held = LoadedTexts::default();
            }
            held.bytes += bytes.len();
            held.by_hash.insert(entry.content_hash, text.clone());
        }
        Ok(text)
    }
}

/// One state of a project's code, over the embedded index.
pub struct StoreSnapshot {
    index: Arc<IndexSnapshot>,
    resolvers: Resolvers,
    texts: Arc<Texts>,
    /// The files as the lists of text search number them, once they were asked.
    known: Mutex<Option<Arc<FileNumbers>>>,
    /// The dependencies of the project.
    dependencies: Arc<Dependencies>,
    /// The places in the project that could not be read.
    unread: Arc<[UnreadPlace]>,
    /// Tells the kind of a file by its path, also of one that there is not yet.
    classifier: Arc<Classifier>,
}

impl StoreSnapshot {
    pub(crate) fn new(
        index: Arc<IndexSnapshot>,
        texts: Arc<Texts>,
        dependencies: Arc<Dependencies>,
        unread: Arc<[UnreadPlace]>,
        classifier: Arc<Classifier>,
    ) -> Self {
        let resolvers = Resolvers::with_libraries(index.clone(), dependencies.libraries().iter().cloned());
        Self { index, resolvers, texts, dependencies, known: Mutex::default(), unread, classifier }
    }

    pub(crate) fn unread(&self) -> &Arc<[UnreadPlace]> {
        &self.unread
    }

    pub(crate) fn classifier(&self) -> &Arc<Classifier> {
        &self.classifier
    }

    /// The dependencies of the project, as this snapshot sees them.
    pub(crate) fn dependencies(&self) -> &Arc<Dependencies> {
        &self.dependencies
    }

    /// The facts behind this snapshot.
    pub fn index(&self) -> &Arc<IndexSnapshot> {
        &self.index
    }

    /// The resolvers that work on this snapshot.
    pub fn resolvers(&self) -> &Resolvers {
        &self.resolvers
    }

    /// Asks the index, with a limit to depth and work.
    fn ask<T>(
        &self,
        cx: Cx<'_>,
        question: impl FnOnce() -> Result<T, QueryError>,
    ) -> Result<Answer<T>, QueryError> {
        let (result, limit) = guard::question(cx, question);
        self.answer_as(result, Limit::completeness(limit))
    }

    /// No answer is given from facts that turned out to be damaged or of another file than there is, nor an error.
    fn answer_as<T>(
        &self,
        result: Result<T, QueryError>,
        completeness: Completeness,
    ) -> Result<Answer<T>, QueryError> {
        if self.index.is_damaged() {
            return Err(QueryError::Failed {
                message: "the index was damaged and is being rebuilt; ask again".to_owned(),
            });
        }
        if let Some(path) = self.index.changed_file() {
            return Err(QueryError::Changed { path: path.to_string() });
        }
        let value = result?;
        let completeness = match because(&self.unread) {
            Some(because) => Completeness::AtLeast { because },
            None => completeness,
        };
        Ok(Answer { value, by: Engine::Embedded, completeness, generation: self.index.generation() })
    }

    /// Whether packages are installed whose names are not listed.
    fn has_packages(&self) -> bool {
        let families: BTreeSet<Family> =
            self.index.rows().filter_map(|row| Some(row.entry.language?.family())).collect();
        let roots = families.into_iter().flat_map(|family| self.resolvers.world().library_roots(family));
        roots.into_iter().any(|root| root.kind != RootKind::Standard)
    }

    /// Fails, with the reason, for a file that the index knows by name only: nothing found in it means nothing.
    fn has_been_read(&self, query: &'static str, path: &FilePath) -> Result<(), QueryError> {
        if self.library_text(path).is_some_and(|text| text.is_ok()) {
            return Ok(());
        }
        let entry = self.entry(path)?;
        let has_facts = self.index.file_by_path(path.as_str()).is_some_and(|id| self.index.has_facts(id));
        if has_facts {
            return Ok(());
        }
        if entry.language.and_then(ide_index::lang::front_end).is_none() {
            let read = LANGUAGES.iter().map(|row| row.language);
            let supported = read.filter(|language| ide_index::lang::front_end(*language).is_some()).collect();
            return Err(QueryError::Unsupported { query, language: entry.language, supported });
        }
        let because = match self.texts.get(entry) {
            Err(error @ QueryError::NotRead { .. }) => return Err(error),
            _ if entry.size > largest(entry.language) => {
                format!("is larger than {} MiB", largest(entry.language) >> 20)
            }
            Ok(text) if has_long_lines(text.text.as_bytes()) => {
                format!("is mostly of lines of more than {MAX_LINE} bytes")
            }
            _ => "could not be analysed".to_owned(),
        };
        Err(QueryError::NotRead { path: path.to_string(), because })
    }

    /// Fails, with the reason, when a change could miss what cannot be read.
    fn is_whole(&self) -> Result<(), QueryError> {
        let Some(because) = because(&self.unread) else { return Ok(()) };
        let path = self.unread.first().map_or_else(String::new, |place| place.path.to_string());
        let because = format!("cannot be read, so a change could miss uses: {because}");
        Err(QueryError::NotRead { path, because })
    }

    /// The text of a library's file; `None` for other files.
    ///
    /// Of what is installed only sources are shown: a package is a directory that others filled.
    fn library_text(&self, path: &FilePath) -> Option<Result<FileText, QueryError>> {
        let is_file = !path.as_str().contains("!/") && !path.as_str().contains("://");
        if is_file && Language::of_path(path.as_str()).and_then(ide_index::lang::front_end).is_none() {
            return None;
        }
        let world = self.resolvers.world();
        let text = world.library_text(world.file_by_path(path.as_str())?)?;
        Some(match text {
            Ok(text) => Ok(FileText::new(text)),
            Err(_) => Err(QueryError::NoFile { path: path.to_string() }),
        })
    }

    /// The world after files were rewritten. Nothing of it is kept.
    fn scratch(&self, rewrites: &[Rewrite]) -> Result<Resolvers, QueryError> {
        let (index, known) = self.rewritten(rewrites)?;
        let libraries = self.dependencies.libraries().iter().cloned();
        Ok(Resolvers::with_libraries(index, libraries).knowing(known))
    }

    /// The index after files were rewritten, and the facts of those.
    #[expect(clippy::type_complexity, reason = "an index with facts of some of its files, used at once")]
    fn rewritten(
        &self,
        rewrites: &[Rewrite],
    ) -> Result<(Arc<IndexSnapshot>, Vec<(FileId, FileFacts)>), QueryError> {
        let failed = |error: ide_index::IndexError| QueryError::Failed { message: error.to_string() };
        let stays =
            |path: &FilePath| rewrites.iter().any(|r| r.becomes.as_ref().is_some_and(|(to, _)| to == path));
        let gone: Vec<Arc<str>> =
            rewrites.iter().map(|r| &r.path).filter(|path| !stays(path)).map(|path| path.0.clone()).collect();
        let facts: Mutex<FxHashMap<FilePath, FileFacts>> = Mutex::default();
        let encode = |path: &FilePath, unit: Unit, builder: &SegmentBuilder| {
            let (part, read) = builder.encode_keeping(unit);
            let mut facts = facts.lock().unwrap_or_else(PoisonError::into_inner);
            facts.extend(read.map(|read| (path.clone(), read)));
            Some(part)
        };
        let alone = |rewrite: &Rewrite, builder: &SegmentBuilder| {
            let (path, text) = rewrite.becomes.as_ref()?;
            encode(path, self.scratch_unit(path, text, &rewrite.path, None), builder)
        };
        let again = |path: &Arc<str>, builder: &SegmentBuilder, macros: &Macros<'_>| {
            let path = &FilePath(path.clone());
            let mut rewritten = rewrites.iter().filter_map(|r| r.becomes.as_ref().map(|b| (&r.path, b)));
            let (from, text) = match rewritten.find(|(_, (to, _))| to == path) {
                Some((from, (_, text))) => (from, text.clone()),
                None => (path, self.text(path).ok()?.text),
            };
            encode(path, self.scratch_unit(path, &text, from, Some(macros)), builder)
        };
        let (index, _) = self.index.changed(rewrites, &gone, alone, again).map_err(failed)?;
        let facts = facts.into_inner().unwrap_or_else(PoisonError::into_inner);
        let index = Arc::new(index);
        let known: Vec<(FileId, FileFacts)> = facts
            .into_iter()
            .filter_map(|(path, facts)| Some((index.file_by_path(path.as_str())?, facts)))
            .collect();
        Ok((index, known))
    }

    /// A file of a scratch world, which was `from` before if there was one.
    fn scratch_unit(
        &self,
        path: &FilePath,
        text: &Arc<str>,
        from: &FilePath,
        macros: Option<&Macros<'_>>,
    ) -> Unit {
        let language = Language::of_path(path.as_str());
        let front_end = language.and_then(ide_index::lang::front_end);
        let before = self.entry(from).ok();
        let stays = before.filter(|entry| entry.path == *path);
        let source =
            stays.map_or_else(|| classify(&self.classifier, path.as_str()).source, |entry| entry.source);
        Unit {
            entry: FileEntry {
                path: path.clone(),
                language,
                source,
                is_generated: before.is_some_and(|entry| entry.is_generated),
                size: text.len() as u64,
                content_hash: xxh3_128(text.as_bytes()),
            },
            stamp: Stamp::default(),
            facts: front_end.map(|front_end| Macros::facts(macros, front_end, path.as_str(), text)),
            configuration: is_configuration(path.as_str()).then(|| text.clone()),
        }
    }

    /// Runs with the tools that a plan of changes needs.
    fn with_context<T>(&self, cx: Cx<'_>, run: impl FnOnce(&RefactorContext<'_>) -> T) -> T {
        let text = |file: FileId| self.text(&self.resolvers.world().file(file).path);
        let scratch = |rewrites: &[Rewrite]| self.scratch(rewrites);
        run(&RefactorContext {
            pool: &self.resolvers,
            cx,
            text: &text,
            scratch: &scratch,
            trees: Trees::default(),
        })
    }

    fn language(&self, path: &FilePath) -> Language {
        let language = match self.entry(path) {
            Ok(entry) => entry.language,
            Err(_) => Language::of_path(path.as_str()),
        };
        language.unwrap_or(Language::PlainText)
    }

    fn entry(&self, path: &FilePath) -> Result<&FileEntry, QueryError> {
        let id = self.index.file_by_path(path.as_str());
        id.map(|id| self.index.file(id)).ok_or_else(|| QueryError::NoFile { path: path.to_string() })
    }
}

/// For queries that the index has no answer to.
fn unsupported<T>(query: &'static str, language: Option<Language>) -> Result<T, QueryError> {
    Err(QueryError::Unsupported { query, language, supported: Vec::new() })
}

#[cfg(feature = "tree-sitter")]
impl StoreSnapshot {
    /// The problems of a file with those that a compiler of its language has with its syntax. Errors of the front end
    /// are dropped where the check is final; else each line has the front end's error, or the check's.
    fn with_refused(
        &self,
        cx: Cx<'_>,
        file: &FilePath,
        mut found: Vec<Diagnostic>,
    ) -> Result<Vec<Diagnostic>, QueryError> {
        const SYNTAX: &str = "syntax";
        let language = self.entry(file).ok().map(file_meta).and_then(|meta| meta.language);
        let Some(language) = language else { return Ok(found) };
        let text = self.text(file)?;
        let Some(checked) = ide_syntax::check(cx, language, file.as_str(), &text.text) else {
            return cx.check().map(|()| found);
        };
        if checked.is_final {
            found.retain(|problem| problem.code != SYNTAX);
        }
        let line = |offset: u32| text.position(offset).line;
        let told: Vec<u32> = found
            .iter()
            .filter(|problem| problem.code == SYNTAX)
            .map(|problem| line(problem.range.start))
            .collect();
        for error in checked.errors {
            if !told.contains(&line(error.range.start)) {
                let ide_syntax::SyntaxError { range, message } = error;
                found.push(Diagnostic { range, severity: ide_model::Severity::Error, code: SYNTAX, message });
            }
        }
        // A name that cannot stand where it stands means nothing.
        let unread: Vec<_> =
            found.iter().filter(|problem| problem.code == SYNTAX).map(|problem| problem.range).collect();
        found.retain(|problem| problem.code == SYNTAX || !unread.contains(&problem.range));
        found.sort_by_key(|problem| (problem.range, problem.severity));
        Ok(found)
    }
}

impl Snapshot for StoreSnapshot {
    fn generation(&self) -> u64 {
        self.index.generation()
    }

    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    fn files(&self, cx: Cx<'_>, filter: FileFilter<'_>) -> Result<Vec<FileMeta>, QueryError> {
        cx.check()?;
        Ok(self.index.rows().map(|row| file_meta(&row.entry)).filter(|meta| filter(meta)).collect())
    }

    fn file(&self, path: &FilePath) -> Option<FileMeta> {
        self.entry(path).ok().map(file_meta)
    }

    fn text(&self, file: &FilePath) -> Result<FileText, QueryError> {
        match (self.library_text(file), self.entry(file)) {
            (Some(text), _) => text,
            (None, Ok(entry)) => self.texts.get(entry),
            (None, Err(unknown)) => self.texts.beside(file).ok_or(unknown),
        }
    }

    fn resolve(&self, cx: Cx<'_>, target: &Target) -> Result<Answer<Vec<(Symbol, Confidence)>>, QueryError> {
        if let Target::Position { file, .. } | Target::Variable { file, .. } | Target::Name { file, .. } =
            target
        {
            self.has_been_read("resolving a position", file)?;
        }
        self.ask(cx, || query::resolve(&self.resolvers, cx, target))
    }

    fn name_at(&self, file: &FilePath, offset: u32) -> Result<Option<NameAt>, QueryError> {
        self.has_been_read("resolving a position", file)?;
        query::name_at(&self.resolvers, file, offset)
    }

    fn references(
        &self,
        cx: Cx<'_>,
        symbol: &Symbol,
        filter: FileFilter<'_>,
        enough: usize,
    ) -> Result<Answer<ReferenceSet>, QueryError> {
        let (set, limit) = guard::question(cx, || {
            let mut set = query::references(&self.resolvers, cx, symbol, filter, enough)?;
            if !set.is_partial {
                self.with_context(cx, |ctx| {
                    refactor::add_operator_uses(ctx, symbol, filter, &mut set)?;
                    let quoting = |name: &str| self.files_quoting(cx, name, filter);
                    refactor::add_text_uses(ctx, symbol, filter, &quoting, &mut set)
                })?;
            }
            Ok(set)
        });
        let known = set.as_ref().map_or((0, None), |set| (set.unresolved_same_name, set.unseen));
        let completeness = match known {
            (0, None) => Limit::completeness(limit),
            (0, Some(why)) => Completeness::AtLeast { because: format!("`{}` {why}", symbol.name) },
            (n, _) => Completeness::AtLeast { because: format!("{n} same-name uses could not be resolved") },
        };
        self.answer_as(set, completeness)
    }

    fn implementations(
        &self,
        cx: Cx<'_>,
        symbol: &Symbol,
        filter: FileFilter<'_>,
    ) -> Result<Answer<Vec<(Symbol, Confidence)>>, QueryError> {
        self.ask(cx, || query::implementations(&self.resolvers, cx, symbol, filter))
    }

    fn supertypes(&self, cx: Cx<'_>, symbol: &Symbol) -> Result<Answer<Vec<TypeLink>>, QueryError> {
        self.ask(cx, || query::supertypes(&self.resolvers, cx, symbol))
    }

    fn subtypes(
        &self,
        cx: Cx<'_>,
        symbol: &Symbol,
        filter: FileFilter<'_>,
    ) -> Result<Answer<Vec<TypeLink>>, QueryError> {
        self.ask(cx, || query::subtypes(&self.resolvers, cx, symbol, filter))
    }

    fn super_methods(&self, cx: Cx<'_>, symbol: &Symbol) -> Result<Answer<Vec<Symbol>>, QueryError> {
        self.ask(cx, || query::super_methods(&self.resolvers, cx, symbol))
    }

    fn callers(
        &self,
        cx: Cx<'_>,
        symbol: &Symbol,
        filter: FileFilter<'_>,
    ) -> Result<Answer<Vec<CallEdge>>, QueryError> {
        let (found, limit) = guard::question(cx, || {
            let mut callers = query::callers(&self.resolvers, cx, symbol, filter)?;
            let add =
                |ctx: &RefactorContext<'_>| refactor::add_operator_callers(ctx, symbol, filter, &mut callers);
            let unlisted = match self.with_context(cx, add)? {
                Some(unlisted) => unlisted,
                None => query::unlisted_callers(&self.resolvers, symbol)?,
            };
            Ok((callers, unlisted))
        });
        let completeness = match &found {
            Ok((_, Some(why))) => Completeness::AtLeast { because: format!("`{}` {why}", symbol.name) },
            _ => Limit::completeness(limit),
        };
        self.answer_as(found.map(|(edges, _)| edges), completeness)
    }

    fn callees(&self, cx: Cx<'_>, symbol: &Symbol) -> Result<Answer<Vec<CallEdge>>, QueryError> {
        self.ask(cx, || query::callees(&self.resolvers, cx, symbol))
    }

    fn outline(&self, cx: Cx<'_>, file: &FilePath) -> Result<Answer<Vec<OutlineNode>>, QueryError> {
        self.has_been_read("an outline", file)?;
        let text = self.text(file)?;
        self.ask(cx, || self.resolvers.with(|rx| query::outline(rx, file, &text.text)))
    }

    fn enclosing(&self, file: &FilePath, offset: u32) -> Result<Vec<Symbol>, QueryError> {
        self.resolvers.with(|rx| query::enclosing(rx, file, offset))
    }

    fn search(&self, cx: Cx<'_>, query: &SymbolQuery<'_>) -> Result<Answer<Capped<SymbolMatch>>, QueryError> {
        let mut found = self.index.search(cx, query)?;
        let mut completeness = Completeness::Exact;
        if query.with_libraries {
            let more = search_libraries(&**self.resolvers.world(), cx, query)?;
            found.cut |= more.cut;
            found.items.extend(more.items);
            let typed_well = found.items.iter().any(|hit| !hit.score.is_approximate());
            found.items.retain(|hit| !(typed_well && hit.score.is_approximate()));
            // Stable: what is the project's comes first, in its order.
            found.items.sort_by_key(|hit| hit.score);
            found.cut |= found.items.len() > query.limit;
            found.items.truncate(query.limit);
            let because = "of installed packages only the names that imports lead to are known".to_owned();
            if self.has_packages() {
                completeness = Completeness::AtLeast { because };
            }
        }
        let items = self.resolvers.with(|rx| {
            let matched = |hit: &SearchHit| SymbolMatch {
                symbol: query::symbol(rx, hit.at),
                approximate: hit.score.is_approximate(),
            };
            found.items.iter().map(matched).collect()
        });
        self.answer_as(Ok(Capped { items, cut: found.cut }), completeness)
    }

    fn search_text(&self, cx: Cx<'_>, query: &TextQuery<'_>) -> Result<Answer<TextSearchResult>, QueryError> {
        let options = TextPatternOptions {
            is_regex: query.is_regex,
            case_sensitive: query.case_sensitive,
            whole_word: query.whole_word,
            context: query.context,
        };
        let pattern = TextPattern::new(query.pattern, options)?;
        let files = self.files_to_search(query);
        let classify = |path: &FilePath, text: &str, ranges: &[TextRange]| {
            let offsets: Vec<u32> = ranges.iter().map(|range| range.start).collect();
            contexts_at(self.language(path), text, &offsets)
        };
        self.ask(cx, || Ok(search_text(cx, &files, &pattern, query.limit, &classify)?.into()))
    }

    fn text_contexts(&self, file: &FilePath, offsets: &[u32]) -> Result<Vec<TextContext>, QueryError> {
        Ok(contexts_at(self.language(file), &self.text(file)?.text, offsets))
    }

    fn search_structure(
        &self,
        cx: Cx<'_>,
        query: &StructureQuery<'_>,
    ) -> Result<Answer<StructureResult>, QueryError> {
        if query.rewrite.is_some() {
            self.is_whole()?;
        }
        self.ask(cx, || crate::shapes::search(cx, query, self))
    }

    fn describe(&self, cx: Cx<'_>, symbol: &Symbol) -> Result<Answer<Description>, QueryError> {
        cx.check()?;
        let text = match self.text(&symbol.file) {
            // Compiled classes have no text to describe them with.
            Err(QueryError::NoFile { .. }) if symbol.is_library => {
                return unsupported("describe", Some(symbol.language));
            }
            text => text?,
        };
        self.ask(cx, || {
            self.resolvers.with(|rx| match query::declaration(rx, &symbol.key)? {
                (_, Some(def)) => Ok(query::describe(rx, def, &text.text)),
                (_, None) => unsupported("describe", Some(symbol.language)),
            })
        })
    }

    fn diagnostic_codes(&self) -> Vec<&'static str> {
        ide_index::check::codes().collect()
    }

    fn source(&self, cx: Cx<'_>, symbol: &Symbol) -> Result<Option<LibrarySource>, QueryError> {
        cx.check()?;
        let is_class = symbol.file.as_str().ends_with(".class");
        if !is_class || self.resolvers.world().file_by_path(symbol.file.as_str()).is_none() {
            return Ok(None);
        }
        let Some(read) = archive_text::library_text(symbol.file.as_str()) else { return Ok(None) };
        let read = read.map_err(|message| QueryError::Failed { message })?;
        let (file, text) = (FilePath::new(read.path), FileText::new(read.text));
        // Classes that were written in Kotlin have a text for it.
        if file == symbol.file && self.library_text(&file).is_some_and(|text| text.is_ok()) {
            return Ok(None);
        }
        query::source(&self.resolvers, symbol, file, text).map(Some)
    }

    fn diagnostics(&self, cx: Cx<'_>, file: &FilePath) -> Result<Answer<Vec<Diagnostic>>, QueryError> {
        self.has_been_read("analysis", file)?;
        let because =
            "checked is what is certain without a compiler: syntax, imports, names, members and access to them, \
            numbers and names of arguments, duplicates, missing implementations, overrides, writes to constants, \
            jumps, missing returns, missing cases, types of literals; types of other values are not"
                .to_owned();
        let text = self.text(file)?.text;
        let (found, limit) = guard::question(cx, || query::diagnostics(&self.resolvers, cx, file, &text));
        let because = match limit {
            Some(limit) => format!("{because}; {}", limit.because()),
            None => because,
        };
        #[cfg(feature = "tree-sitter")]
        let found = found.and_then(|found| self.with_refused(cx, file, found));
        self.answer_as(found, Completeness::AtLeast { because })
    }

    fn fixes(&self, cx: Cx<'_>, file: &FilePath, range: TextRange) -> Result<Answer<Vec<Fix>>, QueryError> {
        self.has_been_read("quick fixes", file)?;
        self.ask(cx, || self.with_context(cx, |ctx| ide_index::check::fixes(ctx, file, range)))
    }

    fn complete(
        &self,
        cx: Cx<'_>,
        file: &FilePath,
        offset: u32,
        limit: usize,
    ) -> Result<Answer<Capped<Completion>>, QueryError> {
        self.has_been_read("completion", file)?;
        self.ask(cx, || self.with_context(cx, |ctx| query::complete(ctx, file, offset, limit)))
    }

    fn importable(
        &self,
        cx: Cx<'_>,
        file: &FilePath,
        offset: u32,
        limit: usize,
    ) -> Result<Answer<Capped<Importable>>, QueryError> {
        self.has_been_read("completion", file)?;
        let search = |query: &SymbolQuery<'_>| self.index.search(cx, query);
        self.ask(cx, || self.with_context(cx, |ctx| query::importable(ctx, &search, file, offset, limit)))
    }

    fn names(
        &self,
        cx: Cx<'_>,
        file: &FilePath,
        range: TextRange,
    ) -> Result<Answer<Vec<NameUse>>, QueryError> {
        self.has_been_read("a list of names", file)?;
        self.ask(cx, || query::names(&self.resolvers, cx, file, range))
    }

    fn value_type(&self, cx: Cx<'_>, file: &FilePath, offset: u32) -> Result<Option<Arc<str>>, QueryError> {
        self.has_been_read("the type of a value", file)?;
        Ok(self.ask(cx, || query::value_type(&self.resolvers, cx, file, offset))?.value)
    }

    fn with_texts(
        &self,
        cx: Cx<'_>,
        texts: &[(FilePath, Option<Arc<str>>)],
    ) -> Result<Arc<dyn Snapshot>, QueryError> {
        cx.check()?;
        let rewrites: Vec<Rewrite> = texts
            .iter()
            .map(|(path, text)| Rewrite {
                path: path.clone(),
                becomes: text.as_ref().map(|text| (path.clone(), text.clone())),
            })
            .collect();
        let (index, known) = self.rewritten(&rewrites)?;
        let held = texts.iter().filter_map(|(_, text)| text.as_ref());
        let held = held.map(|text| (xxh3_128(text.as_bytes()), FileText::new(text.clone()))).collect();
        let libraries = self.dependencies.libraries().iter().cloned();
        Ok(Arc::new(Self {
            resolvers: Resolvers::with_libraries(index.clone(), libraries).knowing(known),
            index,
            texts: Arc::new(self.texts.below(held)),
            known: Mutex::default(),
            dependencies: self.dependencies.clone(),
            unread: self.unread.clone(),
            classifier: self.classifier.clone(),
        }))
    }

    fn providers(&self) -> Option<&dyn AllProviders> {
        None
    }

    fn is_sound(&self, file: &FilePath) -> bool {
        let id = self.index.file_by_path(file.as_str()).filter(|id| self.index.has_facts(*id));
        id.is_some_and(|id| self.index.facts(id).quality == Quality::Full)
    }

    fn refactor(&self, cx: Cx<'_>, what: &Refactoring<'_>) -> Result<Answer<Refactored>, QueryError> {
        self.is_whole()?;
        self.ask(cx, || {
            let done = self.with_context(cx, |ctx| refactor::plan(ctx, what))?;
            #[cfg(feature = "tree-sitter")]
            let done = crate::readable::refuse_unreadable(cx, done, |path| self.text(path))?;
            Ok(done)
        })
    }
}
