//! Libraries beside a project: never indexed as a whole, read one file at a time when a name of the project reaches it.
//!
//! There are three kinds, and a resolver sees no difference between their files and those of the project, except that
//! their [`SourceKind`] is `Library`:
//! - *bundled*: archives of declaration sources, part of the program ([`bundled`]); always there;
//! - *compiled*: the JDK and jars ([`ClassLibrary`]), where the machine has them; what was written in Kotlin is seen by
//!   Kotlin as it was written, and by Java as it was compiled;
//! - *installed*: sources of dependencies below or beside the project, listed by whoever knows the disk.
//!
//! # Adding an ecosystem
//!
//! 1. A row in `xtask/src/library.rs`: the package of a registry with its version and hash, which of its files are
//!    taken, where its licence lies. `cargo xtask library NAME` writes `libraries/NAME.zip` and
//!    `libraries/NAME.LICENSE`; both are committed.
//! 2. A row in [`bundled`]'s table: the archive's bytes, and the family of languages that sees it.
//! 3. The policy's treatment of a name that no file of the project declares, which is one of:
//!    - *by path* (Python, Go, Rust): the module system asks `rx.world().file_by_path("lib://python!/…")` or
//!      `rx.world().directory("lib://go!/…")`, as it would for a file of the project;
//!    - *by name* (TypeScript, PHP): `rx.world().library_declarations(family, name)` gives what the library's files
//!      declare at their top under a name; only files that do are read;
//!    - *by package* (Java, Kotlin): `rx.world().files_of_package(family, package)`.
//!
//!    The result is an ordinary `Target::Def` or `Target::Module`: types, members and supertypes follow from the
//!    declarations, so hand-written tables about the library should go. Where the language has type constructs that the
//!    library only names (`typing.Optional`, PHP's `static`), the policy tells them apart by [`bundled::name_in`].
//! 4. A fixture with a claim on a library symbol (`lib` in `test-fixture`'s notation).
//!
//! Files of libraries are numbered behind those of the project and are not counted by [`World::file_count`], nor found by
//! [`World::files_mentioning`] and [`World::declarations`]: who goes through the project does not go through libraries.
//! Nothing is unpacked before it is asked for; facts are kept while there is room, for all projects of a process together.

mod annotations;
mod archive;
pub(crate) mod bundled;
mod class_text;
mod classes;
mod classfile;
mod kotlin;
mod search;
mod signature;

use std::any::{Any, TypeId};
use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{Family, Language, SymbolKind};
use rustc_hash::FxHashMap;

use crate::facts::{DefFlags, DefId, FileFacts};
use crate::impl_sites::{DeclaredModule, ImplSite, OtherName};
use crate::lang;
use crate::world::{
    DeclarationSite, Directory, FileEntry, FileId, GlobalDef, LibraryRoot, World, declared_package,
};

pub use archive::{Archive, ArchiveError, FILES, LIBRARY_SCHEME, NAMES, names_table};
pub use class_text::class_text;
pub use classes::{ClassEntry, ClassLibrary, ClassOrigin, ClassSource, LazyLibrary};
pub use classfile::{ClassFileError, class_facts, source_name};
pub use kotlin::{Facade, kotlin_facades};
pub(crate) use search::chain;
pub use search::search_libraries;

/// Files that a project may use and that are not its own. Numbers are the library's; they stay what they are.
pub trait Library: Send + Sync {
    /// The languages that see it.
    fn family(&self) -> Family;

    /// Whether the path may be one of its files. Answered without opening anything.
    fn owns(&self, path: &str) -> bool;

    /// The file with exactly this path, which it owns.
    fn find(&self, path: &str) -> Option<u32>;

    fn file(&self, index: u32) -> &FileEntry;

    /// The facts of a file. One that cannot be read has none, and says so in its errors.
    fn facts(&self, index: u32) -> Arc<FileFacts>;

    /// The package that a file declares.
    fn package(&self, index: u32) -> Option<Arc<str>> {
        declared_package(&self.facts(index))
    }

    /// The file with the same path that code of a language sees instead; `None` when that is the file itself.
    fn seen_by(&self, _index: u32, _language: Language) -> Option<u32> {
        None
    }

    /// The text of a file.
    ///
    /// # Errors
    /// Why there is none, for a person.
    fn text(&self, index: u32) -> Result<Arc<str>, String>;

    /// Whole lines with which the text begins, or all of it: for a look that need not take as long as reading it.
    ///
    /// # Errors
    /// As [`Self::text`].
    fn head(&self, index: u32) -> Result<Arc<str>, String> {
        self.text(index)
    }

    /// The top-level declarations of its files under a name. Nothing when its names are found by path only.
    fn declarations(&self, name: &str) -> Vec<LibraryDeclaration>;

    /// Its files that are listed under a name, ordered by path, without reading them; `None` when it has no such list.
    fn listed(&self, _name: &str, _how: Listed) -> Option<Vec<u32>> {
        None
    }

    /// The declarations of a package under a name, beside those of [`Self::declarations`]: found only where the
    /// package is known, so that no other is read.
    fn package_declarations(&self, _package: &str, _name: &str) -> Vec<LibraryDeclaration> {
        Vec::new()
    }

    /// The packages for which [`Self::package_declarations`] may give anything.
    fn declaring_packages(&self) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// The names of all its packages; none where only paths say them.
    fn packages(&self) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// The top-level declarations of its files under the wanted names, also when its names are found by path only.
    /// Every name is asked about. Nothing when it cannot be listed.
    fn search(&self, wanted: &mut dyn FnMut(&str) -> bool) -> Vec<LibraryDeclaration>;

    /// Files whose package declaration reads `package`.
    fn files_of_package(&self, package: &str) -> Vec<u32>;

    /// Directories below which its packages lie, in the order in which they are searched.
    fn roots(&self) -> Vec<LibraryRoot> {
        Vec::new()
    }

    /// Files and names of subdirectories directly in a directory that it owns.
    fn directory(&self, _path: &str) -> Option<(Vec<u32>, Vec<Arc<str>>)> {
        None
    }

    /// The memory for data derived from its files, kept as long as they do not change.
    fn memory(&self) -> Option<&Lasting> {
        None
    }
}

/// Why a file is listed under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// It declares the name outside of types and functions.
    Declaring,
    /// It has implementations for a type of the name.
    Implementing,
}

/// Data derived from a library or from all files of a project, one value per type.
#[derive(Default)]
pub struct Lasting(Mutex<FxHashMap<TypeId, Kept>>);

impl std::fmt::Debug for Lasting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lasting").finish_non_exhaustive()
    }
}

/// With what else it was derived from, as a hash.
type Kept = (u64, Arc<dyn Any + Send + Sync>);

impl Lasting {
    /// The value that was made with the same `origin`, or a new one. Two that ask at once may both make it.
    pub fn kept<T: Any + Send + Sync>(&self, origin: u64, make: impl FnOnce() -> T) -> Arc<T> {
        let all = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            all().get(&TypeId::of::<T>()).filter(|(of, _)| *of == origin).map(|(_, kept)| kept.clone());
        if let Some(known) = known.and_then(|known| known.downcast().ok()) {
            return known;
        }
        let made = Arc::new(make());
        all().insert(TypeId::of::<T>(), (origin, made.clone()));
        made
    }
}

/// A text up to the end of its last whole line.
pub fn whole_lines(text: &str) -> &str {
    &text[..text.rfind('\n').map_or(0, |at| at + 1)]
}

/// A declaration at the top of a library's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibraryDeclaration {
    pub file: u32,
    pub def: DefId,
    pub kind: SymbolKind,
    pub flags: DefFlags,
}

/// A project with libraries: the bundled ones, and those that are handed over.
pub struct LayeredWorld {
    project: Arc<dyn World>,
    libraries: Vec<Arc<dyn Library>>,
}

/// A file's number holds the library's and the number of the file in it, behind all that a project may have.
const LIBRARY_BIT: u32 = 1 << 31;
const FILE_BITS: u32 = 22;

impl LayeredWorld {
    /// `more` are looked into before the bundled libraries.
    ///
    /// # Panics
    /// With more libraries than file numbers have room for (several hundred).
    pub fn new(project: Arc<dyn World>, more: impl IntoIterator<Item = Arc<dyn Library>>) -> Self {
        let bundled = bundled::all();
        let bundled = bundled.iter().map(|archive| archive.clone() as Arc<dyn Library>);
        let libraries: Vec<Arc<dyn Library>> = more.into_iter().chain(bundled).collect();
        assert!(libraries.len() < 1 << (31 - FILE_BITS), "too many libraries");
        Self { project, libraries }
    }

    fn library(&self, id: FileId) -> Option<(&dyn Library, u32)> {
        let number = (id.0 & !LIBRARY_BIT) >> FILE_BITS;
        let index = id.0 & ((1 << FILE_BITS) - 1);
        (id.0 & LIBRARY_BIT != 0).then(|| (&*self.libraries[number as usize], index))
    }

    fn id(number: usize, index: u32) -> FileId {
        FileId(LIBRARY_BIT | (number as u32) << FILE_BITS | index)
    }

    fn sites((number, found): (usize, Vec<LibraryDeclaration>)) -> impl Iterator<Item = DeclarationSite> {
        found.into_iter().map(move |found| DeclarationSite {
            at: GlobalDef { file: Self::id(number, found.file), def: found.def },
            kind: found.kind,
            flags: found.flags,
            is_nested: false,
            is_member: false,
        })
    }

    fn of_family(&self, family: Family) -> impl Iterator<Item = (usize, &Arc<dyn Library>)> {
        self.libraries.iter().enumerate().filter(move |(_, library)| library.family() == family)
    }

    fn owners<'p>(&'p self, path: &'p str) -> impl Iterator<Item = (usize, &'p Arc<dyn Library>)> {
        self.libraries.iter().enumerate().filter(move |(_, library)| library.owns(path))
    }
}

impl World for LayeredWorld {
    fn file_count(&self) -> u32 {
        self.project.file_count()
    }

    fn file(&self, id: FileId) -> &FileEntry {
        match self.library(id) {
            Some((library, index)) => library.file(index),
            None => self.project.file(id),
        }
    }

    fn file_by_path(&self, path: &str) -> Option<FileId> {
        self.project.file_by_path(path).or_else(|| {
            self.owners(path).find_map(|(number, library)| Some(Self::id(number, library.find(path)?)))
        })
    }

    fn facts(&self, id: FileId) -> Arc<FileFacts> {
        match self.library(id) {
            Some((library, index)) => library.facts(index),
            None => self.project.facts(id),
        }
    }

    fn files_mentioning(&self, name: &str) -> Vec<FileId> {
        self.project.files_mentioning(name)
    }

    fn spellings(&self, name: &str) -> Vec<Arc<str>> {
        self.project.spellings(name)
    }

    fn package(&self, id: FileId) -> Option<Arc<str>> {
        match self.library(id) {
            Some((library, index)) => library.package(index),
            None => self.project.package(id),
        }
    }

    fn seen_by(&self, id: FileId, language: Language) -> Option<FileId> {
        let (library, index) = self.library(id)?;
        let seen = library.seen_by(index, language)?;
        Some(FileId(id.0 & !((1 << FILE_BITS) - 1) | seen))
    }

    fn files_renaming(&self, name: &str) -> Vec<FileId> {
        self.project.files_renaming(name)
    }

    fn declarations(&self, name: &str) -> Vec<DeclarationSite> {
        self.project.declarations(name)
    }

    fn impl_sites(&self, name: &str) -> Vec<ImplSite> {
        self.project.impl_sites(name)
    }

    fn other_names(&self, id: FileId) -> Arc<[OtherName]> {
        match self.library(id) {
            Some((library, index)) => lang::other_names(&library.facts(index)),
            None => self.project.other_names(id),
        }
    }

    fn declared_modules(&self, id: FileId) -> Arc<[DeclaredModule]> {
        match self.library(id) {
            Some((library, index)) => lang::declared_modules(&library.facts(index)),
            None => self.project.declared_modules(id),
        }
    }

    fn library_declarations(&self, family: Family, name: &str) -> Vec<DeclarationSite> {
        let found = self.of_family(family).map(|(number, library)| (number, library.declarations(name)));
        found.flat_map(Self::sites).collect()
    }

    fn library_files(&self, family: Family, name: &str, how: Listed) -> Option<Vec<FileId>> {
        let listed = self.of_family(family).filter_map(|(n, library)| Some((n, library.listed(name, how)?)));
        let mut lists =
            listed.map(|(n, files)| files.into_iter().map(move |file| Self::id(n, file))).peekable();
        lists.peek()?;
        Some(lists.flatten().collect())
    }

    fn package_declarations(&self, family: Family, package: &str, name: &str) -> Vec<DeclarationSite> {
        let of_library = |(number, library): (usize, &Arc<dyn Library>)| {
            (number, library.package_declarations(package, name))
        };
        self.of_family(family).map(of_library).flat_map(Self::sites).collect()
    }

    fn declaring_packages(&self, family: Family) -> Vec<Arc<str>> {
        self.of_family(family).flat_map(|(_, library)| library.declaring_packages()).collect()
    }

    fn library_packages(&self, family: Family) -> Vec<Arc<str>> {
        self.of_family(family).flat_map(|(_, library)| library.packages()).collect()
    }

    fn library_search(&self, family: Family, wanted: &mut dyn FnMut(&str) -> bool) -> Vec<DeclarationSite> {
        let found = self.of_family(family).map(|(number, library)| (number, library.search(wanted)));
        found.flat_map(Self::sites).collect()
    }

    fn library_roots(&self, family: Family) -> Vec<LibraryRoot> {
        self.of_family(family).flat_map(|(_, library)| library.roots()).collect()
    }

    fn lasting(&self) -> Option<&Lasting> {
        self.project.lasting()
    }

    fn library_memory(&self, family: Family) -> Option<&Lasting> {
        self.of_family(family).find_map(|(_, library)| library.memory())
    }

    fn library_text(&self, id: FileId) -> Option<Result<Arc<str>, String>> {
        self.library(id).map(|(library, index)| library.text(index))
    }

    fn library_head(&self, id: FileId) -> Option<Result<Arc<str>, String>> {
        self.library(id).map(|(library, index)| library.head(index))
    }

    fn files_of_package(&self, family: Family, package: &str) -> Vec<FileId> {
        let mut files = self.project.files_of_package(family, package);
        for (number, library) in self.of_family(family) {
            files.extend(library.files_of_package(package).into_iter().map(|index| Self::id(number, index)));
        }
        files
    }

    fn directory(&self, path: &str) -> Option<Directory> {
        self.project.directory(path).or_else(|| {
            self.owners(path).find_map(|(number, library)| {
                let (files, directories) = library.directory(path)?;
                let files = files.into_iter().map(|index| Self::id(number, index)).collect();
                Some(Directory { files, directories })
            })
        })
    }

    fn configuration(&self, path: &str) -> Option<Arc<str>> {
        self.project.configuration(path)
    }

    fn configurations(&self) -> Vec<Arc<str>> {
        self.project.configurations()
    }
}
