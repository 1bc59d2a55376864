//! The archives that are part of the program: one row an ecosystem.
//!
//! They are made by `cargo xtask library` from pinned packages of the registries; licences lie beside them.

use std::sync::{Arc, LazyLock};

use ide_model::Family;

use super::{Archive, LIBRARY_SCHEME, Library};

/// One row an ecosystem: name, the languages that see it, the archive.
static BUNDLED: LazyLock<Vec<Arc<Archive>>> = LazyLock::new(|| {
    let row = |name, family, bytes: &'static [u8]| Arc::new(Archive::new(name, family, bytes));
    vec![
        row("python", Family::Python, include_bytes!("../../libraries/python.zip")),
        row("go", Family::Go, include_bytes!("../../libraries/go.zip")),
        row("php", Family::Php, include_bytes!("../../libraries/php.zip")),
        row("typescript", Family::Ecma, include_bytes!("../../libraries/typescript.zip")),
        row("kotlin", Family::Jvm, include_bytes!("../../libraries/kotlin.zip")),
        row("rust", Family::Rust, include_bytes!("../../libraries/rust.zip")),
    ]
});

pub(super) fn all() -> &'static [Arc<Archive>] {
    &BUNDLED
}

fn of_jvm() -> impl Iterator<Item = &'static Arc<Archive>> {
    all().iter().filter(|archive| archive.family() == Family::Jvm)
}

/// Whether the library of the Kotlin language declares a class.
pub(super) fn has_class(package: &str, name: &str) -> bool {
    of_jvm().any(|archive| archive.declares(package, name))
}

/// Whether the library of the Kotlin language has a package.
pub(super) fn has_package(package: &str) -> bool {
    of_jvm().any(|archive| !archive.files_of_package(package).is_empty())
}

/// The text of a bundled file by its path (`lib://python!/…`); `None` when there is no such file.
pub fn bundled_text(path: &str) -> Option<Result<Arc<str>, String>> {
    let archive = all().iter().find(|archive| archive.owns(path))?;
    Some(archive.text(archive.find(path)?))
}

/// The part of a bundled file's path behind the scheme and the archive's name: `typeshed/stdlib/os/__init__.pyi`.
pub(crate) fn path_in<'p>(archive: &str, path: &'p str) -> Option<&'p str> {
    path.strip_prefix(LIBRARY_SCHEME)?.strip_prefix(archive)?.strip_prefix("!/")
}

#[cfg(test)]
mod tests {
    use super::super::Listed;
    use super::*;

    #[test]
    fn every_file_of_every_archive_can_be_read() {
        for archive in all() {
            assert_eq!(archive.check(), Ok(()), "{}", archive.prefix());
            assert!(!archive.is_empty(), "{}", archive.prefix());
        }
    }

    #[test]
    fn files_are_found_by_the_names_that_they_declare() {
        let typescript = all().iter().find(|a| a.prefix() == "lib://typescript!/").unwrap();
        let files: Vec<&str> = typescript
            .declarations("Promise")
            .iter()
            .map(|found| path_in("typescript", typescript.file(found.file).path.as_str()).unwrap())
            .collect();
        assert!(files.contains(&"lib/lib.es5.d.ts"), "{files:?}");
        assert!(files.contains(&"lib/lib.es2015.promise.d.ts"), "{files:?}");
        assert!(typescript.declarations("charAt").is_empty(), "a member is no global name");
    }

    #[test]
    fn files_are_listed_by_the_names_that_they_declare_and_implement() {
        let rust = all().iter().find(|a| a.prefix() == "lib://rust!/").unwrap();
        let listed = |name, how| -> Vec<&str> {
            let files = rust.listed(name, how).unwrap();
            files.into_iter().map(|file| path_in("rust", rust.file(file).path.as_str()).unwrap()).collect()
        };
        assert_eq!(listed("HashMap", Listed::Declaring), ["library/std/src/collections/hash/map.rs"]);
        let implementing = listed("Duration", Listed::Implementing);
        assert!(implementing.contains(&"library/core/src/time.rs"), "{implementing:?}");
        assert!(listed("duration_since", Listed::Declaring).is_empty(), "a member is no name of a file");
        assert_eq!(all()[1].listed("Reader", Listed::Declaring), None, "no table, no answer");
    }

    #[test]
    fn files_and_directories_are_found_by_path() {
        let python = &all()[0];
        let os = python.find("lib://python!/typeshed/stdlib/os/path.pyi").unwrap();
        let (files, directories) = python.directory("lib://python!/typeshed/stdlib/os").unwrap();
        assert!(files.contains(&os) && directories.is_empty());
        let (_, packages) = python.directory("lib://python!/typeshed/stdlib").unwrap();
        assert!(packages.iter().any(|name| &**name == "asyncio"));
        assert_eq!(python.directory("lib://python!/typeshed/std"), None);
        let text = bundled_text("lib://python!/typeshed/stdlib/os/path.pyi").unwrap().unwrap();
        assert_eq!(text.len() as u64, python.file(os).size);
        assert!(bundled_text("lib://python!/typeshed/stdlib/none.pyi").is_none());
    }
}
