//! Compiled classes by name: the JDK and jars, read lazily from class files.
//!
//! The facts of a top-level class are made when a type of the project reaches it, and then kept. The files stay
//! outside: [`ClassSource`] fetches the bytes.

use std::sync::{Arc, OnceLock};

use ide_model::{Family, FilePath, Language, SourceKind, SymbolKind};
use rustc_hash::FxHashMap;

use super::classfile::class_facts;
use super::{Library, LibraryDeclaration};
use crate::builder::FactBuilder;
use crate::facts::{DefFlags, DefId, FileFacts, Quality};
use crate::world::FileEntry;

/// Fetches class files.
pub trait ClassSource: Send + Sync {
    /// The bytes of the class files at some of the keys of [`ClassEntry::parts`], in that order.
    ///
    /// # Errors
    /// What went wrong, for a person.
    fn bytes(&self, parts: &[u32]) -> Result<Vec<Vec<u8>>, String>;
}

/// A top-level class of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassEntry {
    /// `java.util`, empty for none.
    pub package: String,
    /// `Map`.
    pub name: String,
    /// Where it is said to lie: `jar:///…!/java/util/Map.class`.
    pub path: String,
    /// Keys of its class file and then of those of its nested classes.
    pub parts: Vec<u32>,
}

/// Compiled classes by name.
pub struct ClassLibrary {
    source: Box<dyn ClassSource>,
    entries: Vec<ClassEntry>,
    files: Vec<FileEntry>,
    facts: Vec<OnceLock<Arc<FileFacts>>>,
    by_name: FxHashMap<Box<str>, Vec<u32>>,
    by_package: FxHashMap<Box<str>, Vec<u32>>,
    by_path: FxHashMap<Arc<str>, u32>,
}

impl ClassLibrary {
    /// Of several entries with one path the first stays.
    pub fn new(mut entries: Vec<ClassEntry>, source: Box<dyn ClassSource>) -> Self {
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        entries.dedup_by(|later, first| later.path == first.path);
        let mut by_name: FxHashMap<Box<str>, Vec<u32>> = FxHashMap::default();
        let mut by_package: FxHashMap<Box<str>, Vec<u32>> = FxHashMap::default();
        let mut by_path = FxHashMap::default();
        let mut files = Vec::with_capacity(entries.len());
        for (i, entry) in entries.iter().enumerate() {
            by_name.entry(entry.name.as_str().into()).or_default().push(i as u32);
            by_package.entry(entry.package.as_str().into()).or_default().push(i as u32);
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
        Self { source, entries, files, facts, by_name, by_package, by_path }
    }

    /// How many top-level classes it has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The facts of a class. One that cannot be read has none, and says so in its errors.
    fn facts(&self, index: u32) -> Arc<FileFacts> {
        let index = index as usize;
        self.facts[index].get_or_init(|| Arc::new(self.load(&self.entries[index]))).clone()
    }

    fn load(&self, entry: &ClassEntry) -> FileFacts {
        let read = self.source.bytes(&entry.parts);
        let parts = read.and_then(|parts| {
            let slices: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
            class_facts(&slices).map_err(|error| error.to_string())
        });
        parts.unwrap_or_else(|error| {
            let mut empty = FactBuilder::new(Language::Java, 0);
            empty.set_package(&entry.package);
            empty.error(ide_model::TextRange::new(0, 0), error);
            empty.set_quality(Quality::Skipped);
            empty.finish()
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
        self.get().by_path.get(path).copied()
    }

    fn file(&self, index: u32) -> &FileEntry {
        &self.get().files[index as usize]
    }

    fn facts(&self, index: u32) -> Arc<FileFacts> {
        self.get().facts(index)
    }

    fn text(&self, _index: u32) -> Result<Arc<str>, String> {
        Err("a compiled class has no text".to_owned())
    }

    /// Top-level classes.
    fn declarations(&self, name: &str) -> Vec<LibraryDeclaration> {
        self.get().by_name.get(name).into_iter().flatten().map(|index| top_level(*index)).collect()
    }

    fn search(&self, wanted: &mut dyn FnMut(&str) -> bool) -> Vec<LibraryDeclaration> {
        let names = self.get().by_name.iter().filter(|(name, _)| wanted(name));
        names.flat_map(|(_, files)| files).map(|index| top_level(*index)).collect()
    }

    fn files_of_package(&self, package: &str) -> Vec<u32> {
        self.get().by_package.get(package).cloned().unwrap_or_default()
    }
}

fn top_level(file: u32) -> LibraryDeclaration {
    LibraryDeclaration { file, def: DefId(0), kind: SymbolKind::Class, flags: DefFlags::NONE }
}
