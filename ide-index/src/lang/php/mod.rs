//! PHP.

mod access;
mod aliases;
mod arrays;
mod autoload;
pub(super) mod by_reference;
mod classes;
mod composer;
mod doc;
mod doc_types;
mod expr;
mod flow;
mod front;
mod lexer;
mod lookup;
mod names;
mod narrow;
mod policy;
mod skimming;
mod statements;
mod texts;
mod types;

pub(super) use autoload::{lacks_class, taken_names};
pub(super) use front::Php;
pub(super) use policy::PhpPolicy;
