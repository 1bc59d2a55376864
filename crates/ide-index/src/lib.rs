//! The embedded code index.
//!
//! Text becomes [`FileFacts`] by a front end per language; facts become immutable segments and snapshots; the
//! resolver answers from them. Nothing here opens a file, reads a clock or starts a thread of its own.

mod builder;
mod facts;
mod front;
mod kit;
pub mod lang;
pub mod query;
pub mod resolve;
mod world;

pub use builder::FactBuilder;
pub use facts::{
    Assign, BinaryOp, Collection, Def, DefFlags, DefId, Expectation, Export, Expr, ExprId, FileFacts, Guard,
    GuardTest, Import, ImportFlags, ImportId, ImportKind, List, Literal, NameId, Quality, Ref, RefFlags,
    RefId, Role, Scope, ScopeId, ScopeKind, SuperKind, SuperType, SyntaxError, TypeExpr, TypeId, UnaryOp,
};
pub use front::FrontEnd;
pub use world::{
    DeclarationSite, Directory, FileEntry, FileId, GlobalDef, GlobalRef, MemoryWorld, World,
    declaration_sites, is_configuration, mentioned_names,
};
