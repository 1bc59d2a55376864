//! Programs that know code beside the index: a language server, an IDE.
//!
//! A provider names everything by place, because it shares no symbols with us. A layer in front of the embedded index asks
//! it, turns places into symbols of the snapshot, and says in each answer who gave it.

use std::sync::Arc;

use crate::{Cx, Engine, FilePath, Language, Location, QueryError, Severity, Snapshot, TextEdit, TextRange};

/// Whether a provider can be asked about a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It never answers for this language here.
    Absent,
    /// It will answer, and does not yet: it starts, or it reads the project.
    Starting,
    Ready,
    /// It failed and is not tried again at once; the text says why and what helps.
    Failed {
        because: String,
    },
}

/// How a provider is, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderState {
    /// Its name, e.g. `gopls`.
    pub name: String,
    pub languages: Vec<Language>,
    pub standing: Standing,
    /// Bytes that its processes hold, where that is known.
    pub memory: Option<u64>,
    /// One sentence about what to do so that it answers (install it, trust the project), or what it does now.
    pub note: Option<String>,
}

/// A question about what stands at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    Definition,
    /// Every use, without the declaration.
    References,
    Implementations,
    /// Direct supertypes of a type.
    Supertypes,
    /// Direct subtypes of a type.
    Subtypes,
    /// The methods that a method overrides or implements directly.
    SuperMethods,
}

/// One caller or callee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderCall {
    pub name: Arc<str>,
    /// The name of the caller's or the callee's declaration.
    pub declaration: Location,
    /// The calls, in the file of the caller.
    pub sites: Vec<TextRange>,
}

/// A declaration found by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderSymbol {
    pub name: Arc<str>,
    pub container: Option<Arc<str>>,
    /// The range of its name.
    pub location: Location,
}

/// A problem of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderDiagnostic {
    pub range: TextRange,
    pub severity: Severity,
    pub code: Option<String>,
    pub message: String,
    /// The program that found it, e.g. `rustc`.
    pub source: Option<String>,
}

/// A change that a provider offers for a problem or a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderFix {
    pub title: String,
    /// `quickfix`, `refactor.extract`, `source.organizeImports`, …, in the words of the language server protocol.
    pub kind: Option<String>,
    pub is_preferred: bool,
    /// Messages of the problems that it mends.
    pub mends: Vec<String>,
    /// Every file with its changes; names are those of the snapshot.
    pub edits: Vec<(FilePath, Vec<TextEdit>)>,
}

/// A name that could stand at an offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderCompletion {
    pub label: Arc<str>,
    pub insert: Arc<str>,
    /// Its type or signature, as the provider writes it.
    pub detail: Option<Arc<str>>,
    /// Kind in lower case, e.g. `method`.
    pub kind: Option<Arc<str>>,
}

/// A text that is to be formatted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatOrder {
    pub file: FilePath,
    /// The text of the file instead of the one that it has.
    pub text: Arc<str>,
    /// First and last line that are meant, counted from 1; `None` for all.
    pub lines: Option<(u32, u32)>,
    /// Whether declarations are put in the order that the person set up.
    pub rearrange: bool,
}

/// The answer of one provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provided<T> {
    pub by: Engine,
    /// See [`Provider::name`].
    pub name: String,
    /// The answer, or why there is none: ``no answer within 8 s``.
    pub said: Result<T, String>,
}

/// Questions that the index cannot answer and providers can.
///
/// Each waits a bounded time and gives an entry for everybody who was asked; those who can do no such thing are left out. So an
/// empty list means that nobody was there to be asked. The errors are those of a call that was stopped.
pub trait AllProviders: Send + Sync {
    /// The problems of a file, of the text of the snapshot, by each provider of its language.
    ///
    /// # Errors
    /// See [`AllProviders`].
    fn all_diagnostics(
        &self,
        cx: Cx<'_>,
        file: &FilePath,
    ) -> Result<Vec<Provided<Vec<ProviderDiagnostic>>>, QueryError>;

    /// The changes that are offered for a range, by each provider of the language.
    ///
    /// # Errors
    /// See [`AllProviders`].
    fn all_fixes(
        &self,
        cx: Cx<'_>,
        file: &FilePath,
        range: TextRange,
    ) -> Result<Vec<Provided<Vec<ProviderFix>>>, QueryError>;

    /// A text as the first provider of an engine writes it that can; the refusals of those before it stand in front.
    ///
    /// # Errors
    /// See [`AllProviders`].
    fn formatted(
        &self,
        cx: Cx<'_>,
        engine: Engine,
        order: &FormatOrder,
    ) -> Result<Vec<Provided<String>>, QueryError>;

    /// A text of a file with its imports in order, by the first provider of an engine that can; see [`Self::formatted`].
    ///
    /// # Errors
    /// See [`AllProviders`].
    fn with_imports(
        &self,
        cx: Cx<'_>,
        engine: Engine,
        file: &FilePath,
        text: &Arc<str>,
    ) -> Result<Vec<Provided<String>>, QueryError>;
}

/// A source of answers beside the index.
///
/// Offsets and ranges are bytes in the texts of the snapshot that is passed along; files outside of it are absolute paths, and
/// ranges there are bytes in the text on disk. Each method returns within the patience of the provider, also when `cx` is not
/// stopped: [`QueryError::DeadlineExceeded`] when that ran out, [`QueryError::NotReady`] while it starts,
/// [`QueryError::Unsupported`] for what it cannot do, [`QueryError::Failed`] when it broke. An empty list is an answer.
pub trait Provider: Send + Sync {
    fn engine(&self) -> Engine;

    /// Its name for people, e.g. `gopls` or `IntelliJ IDEA 2026.2`.
    fn name(&self) -> &str;

    /// Never blocks. May start work in the background when `wanted`.
    fn standing(&self, language: Language, wanted: bool) -> Standing;

    /// Every program or process behind it with its standing. Never blocks and starts nothing.
    fn states(&self) -> Vec<ProviderState>;

    /// Whether an answer of [`Provider::places`] names everything that there is in files of the language, so that what
    /// another engine finds there beside it is wrong.
    fn is_complete(&self, language: Language, relation: Relation) -> bool;

    /// Places that stand in a relation to the name at an offset.
    ///
    /// # Errors
    /// See [`Provider`].
    fn places(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        relation: Relation,
        file: &FilePath,
        offset: u32,
    ) -> Result<Vec<Location>, QueryError>;

    /// Callers (`incoming`) or callees of the function at an offset.
    ///
    /// # Errors
    /// See [`Provider`].
    fn calls(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
        offset: u32,
        incoming: bool,
    ) -> Result<Vec<ProviderCall>, QueryError>;

    /// Declarations by name, at most `limit`.
    ///
    /// # Errors
    /// See [`Provider`].
    fn search(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        language: Option<Language>,
        pattern: &str,
        limit: usize,
    ) -> Result<Vec<ProviderSymbol>, QueryError>;

    /// Signature and documentation of the name at an offset as Markdown; `None` where there is nothing to say.
    ///
    /// # Errors
    /// See [`Provider`].
    fn describe(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
        offset: u32,
    ) -> Result<Option<String>, QueryError>;

    /// The problems of a file, of exactly the text that the snapshot has, after a finished pass over it.
    ///
    /// # Errors
    /// See [`Provider`].
    fn diagnostics(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
    ) -> Result<Vec<ProviderDiagnostic>, QueryError>;

    /// Changes that are offered for a range.
    ///
    /// # Errors
    /// See [`Provider`].
    fn fixes(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
        range: TextRange,
    ) -> Result<Vec<ProviderFix>, QueryError>;

    /// Names that could stand at an offset, the most likely first.
    ///
    /// # Errors
    /// See [`Provider`].
    fn complete(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
        offset: u32,
        limit: usize,
    ) -> Result<Vec<ProviderCompletion>, QueryError>;

    /// Every change that gives the declaration at an offset a new name. Nothing is written.
    ///
    /// # Errors
    /// See [`Provider`]; [`QueryError::Failed`] with the reason when the provider refuses.
    fn rename(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
        offset: u32,
        new_name: &str,
    ) -> Result<Vec<(FilePath, Vec<TextEdit>)>, QueryError>;

    /// A text of a file as the provider formats it.
    ///
    /// # Errors
    /// See [`Provider`]; [`QueryError::Unsupported`] also for a text, lines or an arrangement that it cannot take.
    fn format(&self, cx: Cx<'_>, snapshot: &dyn Snapshot, order: &FormatOrder) -> Result<String, QueryError>;

    /// A text of a file without the imports that it does not need, and with the others in order.
    ///
    /// # Errors
    /// See [`Self::format`].
    fn imports(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        file: &FilePath,
        text: &str,
    ) -> Result<String, QueryError>;

    /// Tells it that files on disk changed, were made or are gone. Never blocks.
    fn changed(&self, files: &[FilePath]);
}
