//! The words of code intelligence that every other crate shares.
//!
//! Nothing here opens a file, reads a clock or knows a wire format. Backends (the embedded index, language
//! servers, an IDE) implement [`Snapshot`]; the tool catalogue consumes it; neither knows the other.
//!
//! Positions inside are byte offsets into UTF-8 text. Lines and columns exist only at the edge of a tool;
//! [`LineIndex`] is the one place that converts.

mod answer;
mod backend;
mod edit;
mod language;
mod matching;
pub mod newer;
pub mod paths;
mod provider;
mod refactor;
mod surface;
mod symbol;
mod text;
mod toolchain;

pub use answer::{Answer, Capped, Completeness, Confidence, Cx, Engine, QueryError, Stop, StopReason};
pub use backend::{
    Backend, CallEdge, Completion, Description, Diagnostic, FileFilter, FileMeta, Fix, Importable,
    LanguageState, LibrarySource, NameAt, NameUse, OutlineNode, ParameterInfo, Readiness, Reference,
    ReferenceSet, Scope, SearchKind, Severity, Snapshot, SourceKind, Status, StructureMatch, StructureQuery,
    StructureResult, SymbolMatch, SymbolQuery, TextContext, TextMatch, TextQuery, TextSearchResult, TypeLink,
};
pub use edit::{
    ChangeKind, ContentHash, EditError, EditPlan, EditStep, Editor, FileChange, FileDiff, MovedOffsets,
    PlanError, Refusal, RefusalReason, STAGED_PREFIX, TextEdit, edited, moved_offset, with_line_endings,
};
pub use language::{Depth, Family, LANGUAGES, Language, LanguageInfo};
pub use matching::{MatchMode, NameMatcher, NameScore, letter_mask};
pub use provider::{
    AllProviders, FormatOrder, Provided, Provider, ProviderCall, ProviderCompletion, ProviderDiagnostic,
    ProviderFix, ProviderState, ProviderSymbol, Relation, Standing,
};
pub use refactor::{
    Conflict, ConflictKind, Landmark, MemberEdit, MemberPlace, MoveTo, NewParameter, Owner, ParameterShift,
    Refactored, Refactoring, Related, SignatureChange,
};
pub use surface::{
    Comment, CommentId, DiffId, DiffRequest, EditorSurface, FileDiagnostics, Finding, HostedSurface,
    OnVerdict, OpenEditor, OpenRequest, Selection, ShownDiff, SurfaceError, SurfaceEvent, SurfaceHost,
    SurfaceListener, Verdict,
};
pub use symbol::{
    Access, FilePath, Location, Modifiers, ReferenceKind, Symbol, SymbolKey, SymbolKind, Target, Visibility,
};
pub use text::{FileText, LineColumn, LineIndex, TextRange, counted};
pub use toolchain::{
    BuildOrder, BuildReport, CheckOrder, CheckReport, CheckState, Framework, JobKind, JobOrder, JobOutcome,
    JobState, MAX_KEPT, TestCase, TestOrder, TestReport, TestResult, TestStatus, ToolMessage,
};
