//! The traits between those who know code and those who serve what is known.
//!
//! [`Snapshot`] offers one-level primitives. Recursion, paging, ranking across pages and rendering exist once, in
//! the tool catalogue. There are no default bodies: a new primitive makes the compiler list every backend, and a
//! backend that cannot answer says [`QueryError::Unsupported`].

use std::sync::Arc;

use crate::{
    Access, AllProviders, Answer, Capped, Completeness, Confidence, Cx, EditPlan, FilePath, FileText,
    Language, Modifiers, Provider, QueryError, Refactored, Refactoring, ReferenceKind, Symbol, SymbolKind,
    Target, TextRange, Visibility,
};

/// Hands out snapshots. A tool call takes one and keeps it for its whole life.
pub trait Backend: Send + Sync {
    /// The current state, after every file-system change that happened before the call has been seen.
    ///
    /// # Errors
    /// [`QueryError::NotReady`] while the first index is built and `cx` runs out; otherwise failures of the
    /// engine.
    fn snapshot(&self, cx: Cx<'_>) -> Result<Arc<dyn Snapshot>, QueryError>;

    /// The present state of the backend. Never blocks and never starts work.
    fn status(&self) -> Status;

    /// The providers beside the index, the one that is asked first in front. [`Snapshot::providers`] asks them.
    fn providers(&self) -> &[Arc<dyn Provider>];
}

/// One immutable state of a project's code.
///
/// Every list is ordered by file path, then offset, unless the method says otherwise. Filters apply before
/// collection, so no cap hides a match.
pub trait Snapshot: Send + Sync {
    /// Grows with every change; part of cursors.
    fn generation(&self) -> u64;

    /// Remarks on the answers that this snapshot gave so far: who gave them, where two sources disagreed, who did
    /// not answer. Each sentence once.
    fn remarks(&self) -> Vec<String>;

    /// Every file that passes the filter, ordered by path.
    fn files(&self, cx: Cx<'_>, filter: FileFilter<'_>) -> Result<Vec<FileMeta>, QueryError>;

    /// One file, `None` when the snapshot has no such file.
    fn file(&self, path: &FilePath) -> Option<FileMeta>;

    /// The text of a file as of this snapshot.
    ///
    /// # Errors
    /// [`QueryError::NoFile`] when it is unknown, binary or gone.
    fn text(&self, file: &FilePath) -> Result<FileText, QueryError>;

    /// The symbols that a target means: the first symbol is the answer, further ones are alternatives of
    /// equal right (overloads, re-export chains, several candidates), each with how it is known.
    fn resolve(&self, cx: Cx<'_>, target: &Target) -> Result<Answer<Vec<(Symbol, Confidence)>>, QueryError>;

    /// The name that stands at an offset, or begins behind a sign that belongs to it (`$` of a variable). `None` on
    /// keywords, comments, strings, numbers and blanks.
    fn name_at(&self, file: &FilePath, offset: u32) -> Result<Option<NameAt>, QueryError>;

    /// The uses of a declaration, without the declaration itself. The search may end behind a file, in the order of
    /// paths, when it has found `enough`.
    fn references(
        &self,
        cx: Cx<'_>,
        symbol: &Symbol,
        filter: FileFilter<'_>,
        enough: usize,
    ) -> Result<Answer<ReferenceSet>, QueryError>;

    /// Concrete implementations of a type (all descendants) or of a method (all overriding ones).
    fn implementations(
        &self,
        cx: Cx<'_>,
        symbol: &Symbol,
        filter: FileFilter<'_>,
    ) -> Result<Answer<Vec<(Symbol, Confidence)>>, QueryError>;

    /// Direct supertypes in declaration order. A supertype that could not be resolved keeps its name.
    fn supertypes(&self, cx: Cx<'_>, symbol: &Symbol) -> Result<Answer<Vec<TypeLink>>, QueryError>;

    /// Direct subtypes.
    fn subtypes(
        &self,
        cx: Cx<'_>,
        symbol: &Symbol,
        filter: FileFilter<'_>,
    ) -> Result<Answer<Vec<TypeLink>>, QueryError>;

    /// The methods that this one overrides or implements directly: class before interfaces, then declaration
    /// order.
    fn super_methods(&self, cx: Cx<'_>, symbol: &Symbol) -> Result<Answer<Vec<Symbol>>, QueryError>;

    /// The callers of a function, through base declarations too, grouped by the nearest named enclosing
    /// declaration.
    fn callers(
        &self,
        cx: Cx<'_>,
        symbol: &Symbol,
        filter: FileFilter<'_>,
    ) -> Result<Answer<Vec<CallEdge>>, QueryError>;

    /// The calls inside a function, in source order. Calls that could not be resolved have no symbol.
    fn callees(&self, cx: Cx<'_>, symbol: &Symbol) -> Result<Answer<Vec<CallEdge>>, QueryError>;

    /// The declarations of a file as a forest in source order, locals left out.
    fn outline(&self, cx: Cx<'_>, file: &FilePath) -> Result<Answer<Vec<OutlineNode>>, QueryError>;

    /// Names of enclosing declarations of an offset, outermost first.
    fn enclosing(&self, file: &FilePath, offset: u32) -> Result<Vec<Symbol>, QueryError>;

    /// Declarations by name, best match first.
    fn search(&self, cx: Cx<'_>, query: &SymbolQuery<'_>) -> Result<Answer<Capped<SymbolMatch>>, QueryError>;

    /// Text search over all text files, ordered by path and offset.
    fn search_text(&self, cx: Cx<'_>, query: &TextQuery<'_>) -> Result<Answer<TextSearchResult>, QueryError>;

    /// The contexts of some offsets of a file. The offsets must be ascending.
    fn text_contexts(&self, file: &FilePath, offsets: &[u32]) -> Result<Vec<TextContext>, QueryError>;

    /// Code of one shape, in every file of a language.
    ///
    /// # Errors
    /// [`QueryError::BadPattern`] for a pattern that is no code, [`QueryError::Unsupported`] for languages without a
    /// grammar.
    fn search_structure(
        &self,
        cx: Cx<'_>,
        query: &StructureQuery<'_>,
    ) -> Result<Answer<StructureResult>, QueryError>;

    /// Signature, parts and documentation of a declaration.
    fn describe(&self, cx: Cx<'_>, symbol: &Symbol) -> Result<Answer<Description>, QueryError>;

    /// The text that declares a symbol of a compiled class: its source, where that is at hand, else its declarations written out.
    /// `None` for other symbols, whose files are texts.
    ///
    /// # Errors
    /// [`QueryError::Failed`] when the archive cannot be read.
    fn source(&self, _cx: Cx<'_>, _symbol: &Symbol) -> Result<Option<LibrarySource>, QueryError> {
        Ok(None)
    }

    /// The problems of a file that the index itself finds: syntax errors, unresolved imports.
    fn diagnostics(&self, cx: Cx<'_>, file: &FilePath) -> Result<Answer<Vec<Diagnostic>>, QueryError>;

    /// The codes of the problems that [`Self::diagnostics`] knows.
    fn diagnostic_codes(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Names that could stand at an offset, the most likely first: members of the type before a dot, else names in
    /// scope and keywords. The identifier that ends at the offset is the prefix that they match; the text behind the offset need
    /// not be complete code.
    ///
    /// # Errors
    /// [`QueryError::Unsupported`] for languages without a front end.
    fn complete(
        &self,
        cx: Cx<'_>,
        file: &FilePath,
        offset: u32,
        limit: usize,
    ) -> Result<Answer<Capped<Completion>>, QueryError>;

    /// Declarations of other files and of libraries that could stand at an offset if the file imported them, the most likely
    /// first. Their names begin as the identifier that ends at the offset, none of them can stand there already, and each can be
    /// reached by its statement. Without an identifier the list is empty, and cut where one would make it longer.
    ///
    /// # Errors
    /// [`QueryError::Unsupported`] from those who know none.
    fn importable(
        &self,
        _cx: Cx<'_>,
        _file: &FilePath,
        _offset: u32,
        _limit: usize,
    ) -> Result<Answer<Capped<Importable>>, QueryError> {
        Err(QueryError::Unsupported { query: "names to import", language: None, supported: Vec::new() })
    }

    /// Every name written in a range of a file with the kind of what it means, ordered by place. Names that could not be
    /// resolved are left out.
    fn names(
        &self,
        cx: Cx<'_>,
        file: &FilePath,
        range: TextRange,
    ) -> Result<Answer<Vec<NameUse>>, QueryError>;

    /// The type of the value that a name at an offset stands for, as its language writes it: declared or inferred. `None`
    /// when it is not known wholly, or the name is not a value.
    fn value_type(&self, cx: Cx<'_>, file: &FilePath, offset: u32) -> Result<Option<Arc<str>>, QueryError>;

    /// This state with other texts for some files: unsaved buffers, planned edits. `None` for a file that is gone. Nothing is
    /// written; the new snapshot shares all else with this one.
    fn with_texts(
        &self,
        cx: Cx<'_>,
        texts: &[(FilePath, Option<Arc<str>>)],
    ) -> Result<Arc<dyn Snapshot>, QueryError>;

    /// Whether it is known, without a look into the file, that it has no syntax errors.
    fn is_sound(&self, _file: &FilePath) -> bool {
        false
    }

    /// Changes that take away the problems which touch a range, each proved: the problem is gone and no other is new. The
    /// surest come first.
    ///
    /// # Errors
    /// [`QueryError::Unsupported`] from those who offer none.
    fn fixes(
        &self,
        _cx: Cx<'_>,
        _file: &FilePath,
        _range: TextRange,
    ) -> Result<Answer<Vec<Fix>>, QueryError> {
        Err(QueryError::Unsupported { query: "quick fixes", language: None, supported: Vec::new() })
    }

    /// The providers beside the index, for what it has no words for; `None` where there are none.
    fn providers(&self) -> Option<&dyn AllProviders>;

    /// Plans a change of code by meaning. Nothing is written.
    ///
    /// # Errors
    /// [`QueryError::Unsupported`] for languages of which only names are known.
    fn refactor(&self, cx: Cx<'_>, what: &Refactoring<'_>) -> Result<Answer<Refactored>, QueryError>;
}

/// A name in the text of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameAt {
    pub range: TextRange,
    /// Whether it declares something there.
    pub is_declaration: bool,
}

/// The place where a readable text declares a symbol of a compiled class.
#[derive(Clone, Debug)]
pub struct LibrarySource {
    /// `jar://ARCHIVE!/ENTRY`.
    pub file: FilePath,
    pub text: FileText,
    /// The range of the name, or that of the declaration around it, where the text does not name the symbol.
    pub name_range: TextRange,
    pub full_range: TextRange,
    /// As [`Description`] has them.
    pub signature: Arc<str>,
    pub documentation: Option<Arc<str>>,
}

/// The purpose of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    Production,
    Test,
    /// In the project, in no source root: documentation, configuration.
    Other,
    Library,
}

/// The facts about a file that filters see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMeta {
    pub path: FilePath,
    pub language: Option<Language>,
    pub source: SourceKind,
    pub is_generated: bool,
    /// Size in bytes.
    pub size: u64,
}

/// Decides by file, before anything in it is looked at.
pub type FileFilter<'a> = &'a (dyn Fn(&FileMeta) -> bool + Sync);

/// The scope words of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    ProjectFiles,
    ProjectAndLibraries,
    ProjectProductionFiles,
    ProjectTestFiles,
}

impl Scope {
    pub fn admits(self, source: SourceKind) -> bool {
        match self {
            Self::ProjectFiles => source != SourceKind::Library,
            Self::ProjectAndLibraries => true,
            Self::ProjectProductionFiles => source == SourceKind::Production,
            Self::ProjectTestFiles => source == SourceKind::Test,
        }
    }
}

/// One use of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub file: FilePath,
    pub range: TextRange,
    pub kind: ReferenceKind,
    pub access: Access,
    pub confidence: Confidence,
    /// Names of the declarations around it, outermost first, as [`Snapshot::enclosing`] gives them.
    pub enclosing: Vec<Arc<str>>,
}

/// The uses of a declaration and what is not known about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceSet {
    pub references: Vec<Reference>,
    /// Occurrences of the same name, in languages that can name it, that could not be resolved at all and are not in
    /// `references`.
    pub unresolved_same_name: usize,
    /// The search ended before all files were looked at.
    pub is_partial: bool,
    /// Why there may be uses in places that are not read, as a predicate: `belongs to a crate that …`.
    pub unseen: Option<&'static str>,
}

/// One edge of a type hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeLink {
    /// As written in the source.
    pub name: Arc<str>,
    pub symbol: Option<Symbol>,
    pub confidence: Confidence,
}

/// One edge of a call hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallEdge {
    /// The caller or the callee as written.
    pub name: Arc<str>,
    /// `None` for a callee that could not be resolved and for calls outside every declaration of `file`.
    pub symbol: Option<Symbol>,
    /// The file that holds the call sites.
    pub file: FilePath,
    pub sites: Vec<TextRange>,
    pub confidence: Confidence,
}

/// One declaration of a file structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineNode {
    pub symbol: Symbol,
    /// The kind word of the language (`fun`, `def`, `func`, `impl`).
    pub keyword: Arc<str>,
    /// Parameters and type as written, on one line, e.g. `(a: Int, b: String): Boolean`.
    pub signature: Arc<str>,
    pub modifiers: Modifiers,
    pub children: Vec<OutlineNode>,
}

/// Which declarations a symbol search looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchKind {
    /// Types only.
    Types,
    /// Every declaration that is not local.
    All,
}

/// A search for declarations by name.
pub struct SymbolQuery<'a> {
    /// May be qualified: `Outer.member`, `Outer#member`, `pkg::Type::member`.
    pub pattern: &'a str,
    pub mode: crate::MatchMode,
    pub kind: SearchKind,
    pub language: Option<Language>,
    pub filter: FileFilter<'a>,
    /// Whether declarations of libraries count.
    pub with_libraries: bool,
    /// Keep this many of the best.
    pub limit: usize,
}

/// A hit of a symbol search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolMatch {
    pub symbol: Symbol,
    /// True when the name matches only with a typing error in the pattern.
    pub approximate: bool,
}

/// A search for code of one shape.
pub struct StructureQuery<'a> {
    pub language: Language,
    /// Code in which `$NAME` stands for one piece of code, the same wherever it stands again, and `$$$NAME` for any number
    /// of them; `$_` and `$$$` for pieces without a name.
    pub pattern: &'a str,
    /// A pattern that replaces each match; it uses the same names.
    pub rewrite: Option<&'a str>,
    pub filter: FileFilter<'a>,
    /// Most matches; with `rewrite` there is no limit.
    pub limit: usize,
}

/// Code that has the shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructureMatch {
    pub file: FilePath,
    pub range: TextRange,
    /// The names of the pattern with what they stand for, ordered by name.
    pub captures: Vec<(Arc<str>, TextRange)>,
    /// The text that replaces the match; `None` for a match inside another one that is rewritten.
    pub replacement: Option<Arc<str>>,
}

/// The result of a structural search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructureResult {
    pub matches: Capped<StructureMatch>,
    /// Files that were looked at.
    pub files: usize,
    /// Files that could be read less well after the rewrite, each with the line where.
    pub broken: Vec<(FilePath, u32)>,
}

/// The context of a text match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextContext {
    Code,
    Comment,
    StringLiteral,
}

/// A text search.
pub struct TextQuery<'a> {
    pub pattern: &'a str,
    pub is_regex: bool,
    pub case_sensitive: bool,
    pub whole_word: bool,
    /// Only matches that stand there.
    pub context: Option<TextContext>,
    pub filter: FileFilter<'a>,
    /// Files below the root that the project leaves out and the caller asked for by name; searched behind its own.
    pub beside: &'a [FilePath],
    /// Keep this many of the first.
    pub limit: usize,
}

/// One match of a text search; one per line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextMatch {
    pub file: FilePath,
    pub range: TextRange,
}

/// The result of a text search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextSearchResult {
    pub matches: Capped<TextMatch>,
    /// Files passed over because they are binary or larger than the limit.
    pub skipped_files: usize,
}

/// A parameter as declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterInfo {
    pub name: Option<Arc<str>>,
    pub type_text: Option<Arc<str>>,
}

/// Everything that is said about a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    pub symbol: Symbol,
    /// The declaration's head as written, on one line.
    pub signature: Arc<str>,
    pub parameters: Vec<ParameterInfo>,
    pub return_type: Option<Arc<str>>,
    pub type_parameters: Vec<Arc<str>>,
    pub thrown_types: Vec<Arc<str>>,
    pub modifiers: Modifiers,
    pub visibility: Option<Visibility>,
    /// The documentation comment without comment markers.
    pub documentation: Option<Arc<str>>,
}

/// A name that could stand at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    pub name: Arc<str>,
    /// `None` for keywords, and for names that other code uses there while their declaration is not known.
    pub symbol: Option<Symbol>,
    pub is_keyword: bool,
    /// How it is known that the name is valid there.
    pub confidence: Confidence,
    /// For a function where a call could stand and its brackets do not yet: whether it takes arguments.
    pub takes_arguments: Option<bool>,
    /// The text behind the name that makes it the name of an argument or a member that gets a value: `=`, `: `. Mostly empty.
    pub mark: &'static str,
}

/// A declaration that a file could use if it imported it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Importable {
    /// The text for the place: the name, with its package before it where code says that.
    pub written: Arc<str>,
    /// The name that is declared.
    pub name: Arc<str>,
    /// `None` for a package.
    pub symbol: Option<Symbol>,
    /// The statement that imports it.
    pub statement: Arc<str>,
    /// The module, package or namespace that the statement names.
    pub module: Arc<str>,
    /// As [`Completion::takes_arguments`].
    pub takes_arguments: Option<bool>,
}

/// A name written in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameUse {
    pub range: TextRange,
    /// The kind of the declaration that the reference means.
    pub kind: SymbolKind,
    pub is_declaration: bool,
    pub is_write: bool,
    pub is_library: bool,
    pub is_static: bool,
    pub is_readonly: bool,
    pub is_deprecated: bool,
    /// For a declaration that writes no type: the inferred one, as the language writes it, when it is known wholly.
    pub inferred_type: Option<Arc<str>>,
}

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Error,
    Warning,
    WeakWarning,
    Info,
}

/// A problem in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub range: TextRange,
    pub severity: Severity,
    /// Stable machine name, e.g. `syntax`, `unresolved-import`.
    pub code: &'static str,
    pub message: String,
}

/// A change that takes a problem away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The code of the problem.
    pub code: &'static str,
    pub range: TextRange,
    /// For people: ``Add `import a.B` ``.
    pub title: String,
    /// Whether it is the one that most would take.
    pub is_preferred: bool,
    pub plan: EditPlan,
}

/// How far a language is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    Ready,
    Indexing,
    Degraded,
    Unavailable,
}

/// The state of one language of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageState {
    pub language: Language,
    pub files: usize,
    pub readiness: Readiness,
    pub reason: Option<String>,
}

/// The state of a backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    pub engine: crate::Engine,
    pub is_indexing: bool,
    /// `scan`, `parse`, `write`, `ready`, …
    pub phase: &'static str,
    pub files_indexed: usize,
    pub files_total: usize,
    /// Milliseconds since the epoch.
    pub last_indexed_at: Option<u64>,
    pub pending_changes: usize,
    pub languages: Vec<LanguageState>,
    /// Symbols held, without locals.
    pub symbols: usize,
    pub generation: u64,
    /// Why answers may be lower bounds at the moment, e.g. a watcher that lost events.
    pub completeness: Completeness,
    /// Why what was kept of the index was thrown away and built again since the start, if it was.
    pub rebuilt: Option<String>,
    pub kind_of_freshness: &'static str,
}

impl SymbolKind {
    /// True for declarations that a symbol search may return; locals are told apart by their scope.
    pub fn is_searchable(self) -> bool {
        !matches!(self, Self::Import | Self::Impl | Self::Parameter | Self::TypeParameter | Self::Label)
    }
}
