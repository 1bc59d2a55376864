//! Go.

pub(super) mod addressed;
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

pub(super) use build::condition;
pub(super) use front::Go;
pub(super) use members::is_error;
pub(super) use policy::GoPolicy;

/// The import paths of the packages of the project that are called by a name.
pub(super) fn packages_called(rx: &crate::resolve::Resolver, name: &str) -> Vec<String> {
    let packages = packages::Packages::of(rx);
    let is_called = |directory: &&str| packages.name_of(rx, directory).is_some_and(|own| &*own == name);
    packages.directories().filter(is_called).map(|directory| packages.import_path(directory)).collect()
}

/// Whether an import path names no package, but nearly one of the standard library: `stringss`.
pub(super) fn is_misspelt_package(rx: &crate::resolve::Resolver, path: &str) -> bool {
    packages::Packages::of(rx).is_misspelt(rx, path)
}

/// The name and the import path of the package of a file that others may import.
pub(super) fn package_at(
    rx: &crate::resolve::Resolver,
    file: crate::world::FileId,
) -> Option<(String, String)> {
    let packages = packages::Packages::of(rx);
    let path = &rx.world().file(file).path;
    let directory = ide_model::paths::directory(path.as_str());
    let name = packages
        .name_of(rx, directory)
        .filter(|name| !is_program(name) && !path.as_str().ends_with("_test.go"))?;
    Some((name.to_string(), packages.import_path(directory)))
}

/// Names and import paths of packages of the project and of the standard library.
pub(super) fn packages_like(
    rx: &crate::resolve::Resolver,
    wanted: &dyn Fn(&str) -> bool,
) -> Vec<(String, String)> {
    let packages = packages::Packages::of(rx);
    let own = packages.directories().filter_map(|directory| {
        let name = packages.name_of(rx, directory).filter(|name| wanted(name) && !is_program(name))?;
        Some((name.to_string(), packages.import_path(directory)))
    });
    let standard = packages.standard_paths(rx).iter().filter_map(|path| {
        let name = path.rsplit('/').next().filter(|name| wanted(name))?;
        Some((name.to_owned(), path.clone()))
    });
    own.chain(standard).collect()
}

fn is_program(name: &str) -> bool {
    name == "main" || name.ends_with("_test")
}
