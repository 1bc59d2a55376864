//! The embedded code index.
//!
//! Text becomes [`FileFacts`] by a front end per language; facts become immutable segments and snapshots; the
//! resolver answers from them. Nothing here opens a file, reads a clock or starts a thread of its own.

mod builder;
mod by_scope;
mod cache;
pub mod check;
mod classify;
mod codec;
mod differential;
mod facts;
mod front;
pub mod guard;
mod impl_sites;
mod kit;
pub mod lang;
mod library;
mod lookups;
mod macros;
mod names;
mod overlay;
pub mod parallel;
pub mod query;
pub mod refactor;
mod refs_by_name;
pub mod resolve;
mod search;
mod segment;
#[cfg(feature = "tree-sitter")]
pub mod shape;
mod sketch;
mod snapshot;
mod structure;
#[cfg(feature = "tree-sitter")]
mod tables;
mod world;

pub use builder::FactBuilder;
pub use cache::FactsCache;
pub use classify::{classify, contexts_at};
pub use codec::{Corrupt, SCHEMA, decode, encode};
pub use differential::{Differences, compare, render};
pub use facts::{
    Assign, BinaryOp, Collection, Def, DefFlags, DefId, Expectation, Export, Expr, ExprId, FileFacts, Guard,
    GuardTest, Import, ImportFlags, ImportId, ImportKind, List, Literal, NameId, Quality, Ref, RefFlags,
    RefId, Role, Scope, ScopeId, ScopeKind, SuperKind, SuperType, SyntaxError, TypeExpr, TypeId, UnaryOp,
};
pub use front::{FrontEnd, Others};
pub use impl_sites::{DeclaredModule, ImplRole, ImplSite, OtherName, Shown};
pub use library::bundled::{BundledLibraries, bundled_text};
pub use library::{
    Archive, ArchiveError, ClassEntry, ClassFileError, ClassLibrary, ClassOrigin, ClassSource, FILES, Facade,
    LIBRARY_SCHEME, Lasting, LayeredWorld, LazyLibrary, Library, LibraryDeclaration, Listed, NAMES,
    class_facts, class_text, kotlin_facades, names_table, search_libraries, source_name, whole_lines,
};
pub use macros::Macros;
pub use names::Names;
pub use search::SearchHit;
pub use segment::{
    Assembled, FilePart, FileRow, IndexError, KeptWriter, Segment, SegmentBuilder, SegmentBytes, Stamp,
    TooLarge, Unit, journal_record, journal_records,
};
pub use sketch::{FactSource, Sketch};
pub use snapshot::{IndexSnapshot, Thin};
pub use world::{
    DeclarationSite, Directory, FileEntry, FileId, GlobalDef, GlobalRef, LibraryRoot, MemoryWorld, RootKind,
    World, declaration_sites, is_configuration, mentioned_names,
};
