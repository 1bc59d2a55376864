//! Go.

mod build;
mod builtins;
mod expr;
mod front;
mod generics;
mod interfaces;
mod lexer;
mod names;
mod packages;
mod policy;
mod qualifiers;
mod refactor;
mod sameness;
mod types;

pub(super) use front::Go;
pub(super) use policy::GoPolicy;
