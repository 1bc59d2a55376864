//! Compiled classes by name: the JDK and jars, read lazily from class files.
//!
//! The facts of a top-level class are made when a type of the project reaches it, and then kept. Declarations of
//! Kotlin files beside classes lie in facades; facades of a package are read when a name is looked for in it. The
//! files stay outside: [`ClassSource`] fetches the bytes.

use std::sync::{Arc, OnceLock};

use ide_model::{Family, FilePath, Language, SourceKind, SymbolKind};
use rustc_hash::FxHashMap;

use super::archive::top_declarations;
use super::classfile::{ClassFileError, class_facts, read_classes};
use super::{Library, LibraryDeclaration, bundled, kotlin};
use crate::builder::FactBuilder;
use crate::facts::{DefFlags, DefId, FileFacts, Quality};
use crate::world::{FileEntry, declared_package};

/// Fetches class files.
pub trait ClassSource: Send + Sync {
    /// The bytes of the class files at some of the keys of [`ClassEntry::parts`], in that order.
    ///
    /// # Errors
    /// The failure, in words for a person.
    fn bytes(&self, parts: &[u32]) -> Result<Vec<Vec<u8>>, String>;
}

/// The origin of a class as far as it is known before it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassOrigin {
    /// It is Java's.
    Java,
    /// It is Java's or Kotlin's, as it says itself.
    Either,
    /// It holds what Kotlin files of a package declare beside classes; where each file has a class of its own, `parts` are
    /// the keys of their class files.
    Facade { package: String, parts: Vec<u32> },
}

/// A top-level class of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassEntry {
    pub origin: ClassOrigin,
    /// `java.util`, empty for none.
    pub package: String,
    /// `Map`.
    pub name: String,
    /// The path that it is shown under: `jar:///…!/java/util/Map.class`.
    pub path: String,
    /// Keys of its class file and then of those of its nested classes.
    pub parts: Vec<u32>,
}

/// Compiled classes by name. A class that was written in Kotlin has two files with one path: the first as Java sees it,
/// the other, numbered behind all of the first kind, as Kotlin does.
pub struct ClassLibrary {
    source: Box<dyn ClassSource>,
    entries: Vec<ClassEntry>,
    files: Vec<FileEntry>,
    facts: Vec<OnceLock<Arc<FileFacts>>>,
    /// As Kotlin sees them; `None` for those that are not its own.
    kotlin: Vec<OnceLock<Option<KotlinView>>>,
    by_name: FxHashMap<Box<str>, Vec<u32>>,
    by_package: FxHashMap<Box<str>, Vec<u32>>,
    by_path: FxHashMap<Arc<str>, u32>,
    /// By the package of their files.
    facades: FxHashMap<Box<str>, Facades>,
}

struct KotlinView {
    file: FileEntry,
    text: Arc<str>,
    facts: OnceLock<Arc<FileFacts>>,
}

/// The facades of a package, and what they declare, once asked for.
#[derive(Default)]
struct Facades {
    entries: Vec<u32>,
    declared: OnceLock<FxHashMap<Box<str>, Vec<LibraryDeclaration>>>,
}

impl ClassLibrary {
    /// Of several entries with one path the first stays.
    pub fn new(mut entries: Vec<ClassEntry>, source: Box<dyn ClassSource>) -> Self {
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        entries.dedup_by(|later, first| later.path == first.path);
        let mut by_name: FxHashMap<Box<str>, Vec<u32>> = FxHashMap::default();
        let mut by_package: FxHashMap<Box<str>, Vec<u32>> = FxHashMap::default();
        let mut facades: FxHashMap<Box<str>, Facades> = FxHashMap::default();
        let mut by_path = FxHashMap::default();
        let mut files = Vec::with_capacity(entries.len());
        for (i, entry) in entries.iter().enumerate() {
            by_name.entry(entry.name.as_str().into()).or_default().push(i as u32);
            by_package.entry(entry.package.as_str().into()).or_default().push(i as u32);
            if let ClassOrigin::Facade { package, .. } = &entry.origin {
                facades.entry(package.as_str().into()).or_default().entries.push(i as u32);
            }
            let path: Arc<str> = entry.path.as_str().into();
            by_path.insert(path.clone(), i as u32);
            files.push(FileEntry {
                path: FilePath(path),
                language: Some(Language::Java),
                source: SourceKind::Library,
                is_generated: false,
                size: 0,
                content_hash: 0,
            });
        }
        let facts = entries.iter().map(|_| OnceLock::new()).collect();
        let kotlin = entries.iter().map(|_| OnceLock::new()).collect();
        Self { source, entries, files, facts, kotlin, by_name, by_package, by_path, facades }
    }

    /// How many top-level classes it has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entry of a file, and how Kotlin sees it where that is asked for.
    fn view(&self, file: u32) -> (usize, Option<&KotlinView>) {
        let index = file as usize % self.entries.len();
        (index, if file as usize == index { None } else { self.kotlin_view(index) })
    }

    /// The Kotlin view of an entry; it is not made of classes that the program brings itself.
    fn kotlin_view(&self, index: usize) -> Option<&KotlinView> {
        let entry = &self.entries[index];
        let view = || {
            let is_known = match &entry.origin {
                ClassOrigin::Java => true,
                ClassOrigin::Either => bundled::has_class(&entry.package, &entry.name),
                ClassOrigin::Facade { package, .. } => bundled::has_package(package),
            };
            let text = if is_known { None } else { self.kotlin_text(entry) };
            text.map(|text| KotlinView {
                file: FileEntry { language: Some(Language::Kotlin), ..self.files[index].clone() },
                text: text.into(),
                facts: OnceLock::new(),
            })
        };
        self.kotlin[index].get_or_init(view).as_ref()
    }

    /// The number of the file that is the class as Kotlin sees it.
    fn in_kotlin(&self, index: u32) -> Option<u32> {
        self.kotlin_view(index as usize).map(|_| self.entries.len() as u32 + index)
    }

    /// The facts of a class. One that cannot be read has none, and says so in its errors.
    fn facts(&self, file: u32) -> Arc<FileFacts> {
        match self.view(file) {
            (_, Some(kotlin)) => kotlin.facts.get_or_init(|| Arc::new(kotlin::facts(&kotlin.text))).clone(),
            (index, None) => {
                self.facts[index].get_or_init(|| Arc::new(self.load(&self.entries[index]))).clone()
            }
        }
    }

    fn load(&self, entry: &ClassEntry) -> FileFacts {
        self.with_classes(&entry.parts, class_facts).unwrap_or_else(|error| {
            let mut empty = FactBuilder::new(Language::Java, 0);
            empty.set_package(&entry.package);
            empty.error(ide_model::TextRange::new(0, 0), error);
            empty.set_quality(Quality::Skipped);
            empty.finish()
        })
    }

    fn with_classes<T>(
        &self,
        parts: &[u32],
        read: impl FnOnce(&[&[u8]]) -> Result<T, ClassFileError>,
    ) -> Result<T, String> {
        let parts = self.source.bytes(parts)?;
        let slices: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        read(&slices).map_err(|error| error.to_string())
    }

    /// The declarations of what was written in Kotlin.
    fn kotlin_text(&self, entry: &ClassEntry) -> Option<String> {
        let read = |parts: &[u32]| self.with_classes(parts, read_classes).ok();
        match &entry.origin {
            ClassOrigin::Java => None,
            ClassOrigin::Either => {
                read(&entry.parts).and_then(|(top, nested)| kotlin::class_text(&top, &nested))
            }
            ClassOrigin::Facade { parts, .. } => {
                let all: Vec<u32> = entry.parts.iter().take(1).chain(parts).copied().collect();
                read(&all).and_then(|(facade, parts)| kotlin::facade_text(&facade, &parts))
            }
        }
    }

    /// The declarations in the facades of a package, by name.
    fn declared<'f>(&self, facades: &'f Facades) -> &'f FxHashMap<Box<str>, Vec<LibraryDeclaration>> {
        facades.declared.get_or_init(|| {
            let mut declared: FxHashMap<Box<str>, Vec<LibraryDeclaration>> = FxHashMap::default();
            for file in facades.entries.iter().filter_map(|entry| self.in_kotlin(*entry)) {
                for (name, found) in top_declarations(&self.facts(file)) {
                    declared.entry(name.into()).or_default().push(LibraryDeclaration { file, ..found });
                }
            }
            declared
        })
    }
}

/// A library that is opened when the first name is looked up in it.
pub struct LazyLibrary {
    open: Box<dyn Fn() -> ClassLibrary + Send + Sync>,
    opened: OnceLock<ClassLibrary>,
}

impl LazyLibrary {
    pub fn new(open: impl Fn() -> ClassLibrary + Send + Sync + 'static) -> Self {
        Self { open: Box::new(open), opened: OnceLock::new() }
    }

    fn get(&self) -> &ClassLibrary {
        self.opened.get_or_init(&self.open)
    }
}

impl Library for LazyLibrary {
    fn family(&self) -> Family {
        Family::Jvm
    }

    fn owns(&self, path: &str) -> bool {
        path.starts_with("jar:")
    }

    fn find(&self, path: &str) -> Option<u32> {
        let library = self.get();
        let index = library.by_path.get(path).copied()?;
        library.in_kotlin(index).or(Some(index))
    }

    fn file(&self, index: u32) -> &FileEntry {
        let library = self.get();
        let (entry, kotlin) = library.view(index);
        kotlin.map_or(&library.files[entry], |kotlin| &kotlin.file)
    }

    fn facts(&self, index: u32) -> Arc<FileFacts> {
        self.get().facts(index)
    }

    fn package(&self, index: u32) -> Option<Arc<str>> {
        let library = self.get();
        match library.view(index) {
            (_, Some(_)) => declared_package(&library.facts(index)),
            (entry, None) => Some(library.entries[entry].package.as_str().into()),
        }
    }

    fn seen_by(&self, index: u32, language: Language) -> Option<u32> {
        let library = self.get();
        let (entry, _) = library.view(index);
        let is_of = |file: &FileEntry| file.language == Some(language);
        // Only for others is a class read.
        let seen = if is_of(&library.files[entry]) { None } else { library.in_kotlin(entry as u32) };
        let seen = seen.filter(|seen| is_of(self.file(*seen)));
        Some(seen.unwrap_or(entry as u32)).filter(|seen| *seen != index)
    }

    fn text(&self, index: u32) -> Result<Arc<str>, String> {
        let library = self.get();
        let kotlin = library.kotlin_view(library.view(index).0);
        kotlin.map(|kotlin| kotlin.text.clone()).ok_or_else(|| "a compiled class has no text".to_owned())
    }

    /// Top-level classes, as Java sees them.
    fn declarations(&self, name: &str) -> Vec<LibraryDeclaration> {
        self.get().by_name.get(name).into_iter().flatten().map(|index| top_level(*index)).collect()
    }

    fn package_declarations(&self, package: &str, name: &str) -> Vec<LibraryDeclaration> {
        let library = self.get();
        let facades = library.facades.get(package);
        facades.and_then(|facades| library.declared(facades).get(name)).cloned().unwrap_or_default()
    }

    fn declaring_packages(&self) -> Vec<Arc<str>> {
        self.get().facades.keys().map(|package| Arc::from(&**package)).collect()
    }

    fn packages(&self) -> Vec<Arc<str>> {
        self.get().by_package.keys().map(|package| Arc::from(&**package)).collect()
    }

    /// Each as the language sees it in which it was written.
    fn search(&self, wanted: &mut dyn FnMut(&str) -> bool) -> Vec<LibraryDeclaration> {
        let library = self.get();
        let classes = library.by_name.iter().filter(|(name, _)| wanted(name)).flat_map(|(_, files)| files);
        let mut found: Vec<LibraryDeclaration> =
            classes.map(|file| top_level(library.in_kotlin(*file).unwrap_or(*file))).collect();
        let mut packages: Vec<_> = library.facades.iter().collect();
        packages.sort_unstable_by_key(|(package, _)| *package);
        for (_, facades) in packages {
            let declared = library.declared(facades).iter().filter(|(name, _)| wanted(name));
            found.extend(declared.flat_map(|(_, declared)| declared));
        }
        found
    }

    fn files_of_package(&self, package: &str) -> Vec<u32> {
        self.get().by_package.get(package).cloned().unwrap_or_default()
    }
}

/// The first declaration of a class file.
fn top_level(file: u32) -> LibraryDeclaration {
    LibraryDeclaration { file, def: DefId(0), kind: SymbolKind::Class, flags: DefFlags::NONE }
}
