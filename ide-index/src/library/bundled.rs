//! The declarations of standard libraries that belong to the program: one archive an ecosystem.
//!
//! They are made by `cargo xtask library` from pinned packages of the registries; licences lie beside them. With the feature
//! `bundled-libraries` they are part of the program. A program that is shipped with the archives beside it hands them
//! over ([`BundledLibraries::from_archives`]).

use std::sync::{Arc, PoisonError, RwLock, Weak};

use ide_model::Family;

use super::{Archive, LIBRARY_SCHEME, Library};

/// Ecosystems by the name of their archive.
const ECOSYSTEMS: [(&str, Family); 6] = [
    ("python", Family::Python),
    ("go", Family::Go),
    ("php", Family::Php),
    ("typescript", Family::Ecma),
    ("kotlin", Family::Jvm),
    ("rust", Family::Rust),
];

/// The archives that were handed over. They go with their owner: nothing is left in memory when this code is unloaded.
static HANDED_OVER: RwLock<Weak<[Arc<Archive>]>> = RwLock::new(Weak::<[Arc<Archive>; 0]>::new());

/// Archives that all projects of this process use for as long as this value lives.
#[derive(Clone)]
pub struct BundledLibraries(#[expect(dead_code, reason = "it keeps the archives")] Arc<[Arc<Archive>]>);

impl BundledLibraries {
    /// The names of the archives; each is `NAME.zip` in the sources of this crate, below `libraries`.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ECOSYSTEMS.iter().map(|(name, _)| *name)
    }

    /// Takes the archives from `read`, which gives the bytes of one by its name. Projects that are opened from now on use
    /// them, also in the place of those that are part of the program.
    ///
    /// # Errors
    /// The first error of `read`.
    pub fn from_archives<E>(mut read: impl FnMut(&str) -> Result<Vec<u8>, E>) -> Result<Self, E> {
        let archives =
            ECOSYSTEMS.iter().map(|(name, family)| Ok(Arc::new(Archive::new(name, *family, read(name)?))));
        let archives: Arc<[Arc<Archive>]> = archives.collect::<Result<_, E>>()?;
        *HANDED_OVER.write().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&archives);
        Ok(Self(archives))
    }
}

pub(super) fn all() -> Arc<[Arc<Archive>]> {
    let handed_over = HANDED_OVER.read().unwrap_or_else(PoisonError::into_inner).upgrade();
    handed_over.unwrap_or_else(part_of_the_program)
}

#[cfg(feature = "bundled-libraries")]
fn part_of_the_program() -> Arc<[Arc<Archive>]> {
    use std::sync::LazyLock;

    static BUNDLED: LazyLock<Arc<[Arc<Archive>]>> = LazyLock::new(|| {
        let archives: [&'static [u8]; ECOSYSTEMS.len()] = [
            include_bytes!("../../libraries/python.zip"),
            include_bytes!("../../libraries/go.zip"),
            include_bytes!("../../libraries/php.zip"),
            include_bytes!("../../libraries/typescript.zip"),
            include_bytes!("../../libraries/kotlin.zip"),
            include_bytes!("../../libraries/rust.zip"),
        ];
        let named = ECOSYSTEMS.iter().zip(archives);
        named.map(|((name, family), bytes)| Arc::new(Archive::new(name, *family, bytes))).collect()
    });
    BUNDLED.clone()
}

#[cfg(not(feature = "bundled-libraries"))]
fn part_of_the_program() -> Arc<[Arc<Archive>]> {
    Arc::new([])
}

fn of_jvm(holds: impl Fn(&Archive) -> bool) -> bool {
    all().iter().any(|archive| archive.family() == Family::Jvm && holds(archive))
}

/// Whether the library of the Kotlin language declares a class.
pub(super) fn has_class(package: &str, name: &str) -> bool {
    of_jvm(|archive| archive.declares(package, name))
}

/// Whether the library of the Kotlin language has a package.
pub(super) fn has_package(package: &str) -> bool {
    of_jvm(|archive| !archive.files_of_package(package).is_empty())
}

/// The text of a bundled file by its path (`lib://python!/…`); `None` when there is no such file.
pub fn bundled_text(path: &str) -> Option<Result<Arc<str>, String>> {
    let all = all();
    let archive = all.iter().find(|archive| archive.owns(path))?;
    Some(archive.text(archive.find(path)?))
}

/// The part of a bundled file's path behind the scheme and the archive's name: `typeshed/stdlib/os/__init__.pyi`.
pub(crate) fn path_in<'p>(archive: &str, path: &'p str) -> Option<&'p str> {
    path.strip_prefix(LIBRARY_SCHEME)?.strip_prefix(archive)?.strip_prefix("!/")
}

#[cfg(all(test, feature = "bundled-libraries"))]
mod tests {
    use super::super::Listed;
    use super::*;

    #[test]
    fn every_file_of_every_archive_can_be_read() {
        for archive in &*all() {
            assert_eq!(archive.check(), Ok(()), "{}", archive.prefix());
            assert!(!archive.is_empty(), "{}", archive.prefix());
        }
    }

    #[test]
    fn files_are_found_by_the_names_that_they_declare() {
        let all = all();
        let typescript = all.iter().find(|a| a.prefix() == "lib://typescript!/").unwrap();
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
        let all = all();
        let rust = all.iter().find(|a| a.prefix() == "lib://rust!/").unwrap();
        let listed = |name, how| -> Vec<&str> {
            let files = rust.listed(name, how).unwrap();
            files.into_iter().map(|file| path_in("rust", rust.file(file).path.as_str()).unwrap()).collect()
        };
        assert_eq!(listed("HashMap", Listed::Declaring), ["library/std/src/collections/hash/map.rs"]);
        let implementing = listed("Duration", Listed::Implementing);
        assert!(implementing.contains(&"library/core/src/time.rs"), "{implementing:?}");
        assert!(listed("duration_since", Listed::Declaring).is_empty(), "a member is no name of a file");
        assert_eq!(all[1].listed("Reader", Listed::Declaring), None, "no table, no answer");
    }

    #[test]
    fn files_and_directories_are_found_by_path() {
        let all = all();
        let python = &all[0];
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
