//! Go.

mod build;
mod builtins;
mod expr;
mod front;
mod generics;
mod interfaces;
mod lexer;
mod members;
mod names;
mod packages;
mod policy;
mod qualifiers;
mod refactor;
mod sameness;
mod types;

pub(super) use front::Go;
pub(super) use policy::GoPolicy;

/// The import paths of the packages of the project that are called by a name.
pub(super) fn packages_called(rx: &crate::resolve::Resolver, name: &str) -> Vec<String> {
    let packages = packages::Packages::of(rx);
    let is_called = |directory: &&str| packages.name_of(rx, directory).is_some_and(|own| &*own == name);
    packages.directories().filter(is_called).map(|directory| packages.import_path(directory)).collect()
}
