//! An archive of declaration sources: a zip file, read in place, one entry at a time.
//!
//! An entry is a block of files, one behind the other in path order: together they are compressed better than each alone. The
//! entry [`FILES`] lists them.
//!
//! The entry [`NAMES`] is written by the packer (`examples/pack.rs`) and tells which file declares a name, implements a type,
//! or belongs to a package, so that such questions open only the files they are about. Archives whose files are found by path
//! have none.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, Cursor, Read};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use bytes::Bytes;
use ide_model::{Family, FilePath, Language, SourceKind, SymbolKind, TextRange};
use rustc_hash::FxHashMap;
use zip::ZipArchive;

use super::{Library, LibraryDeclaration, Listed, whole_lines};
use crate::builder::FactBuilder;
use crate::cache::FactsCache;
use crate::facts::{FileFacts, Quality, ScopeKind, TypeExpr};
use crate::lang;
use crate::world::{FileEntry, FileId, declaration_sites};

/// The prefix of the paths of bundled files.
pub const LIBRARY_SCHEME: &str = "lib://";

/// The entry with the list of files: a line `BLOCK LENGTH PATH` for each, separated by tabs. A block's files follow each other.
pub const FILES: &str = ".files";

/// The entry with the table of names.
pub const NAMES: &str = ".names";

/// Bytes that hold the head of a file: a licence, and what is said about a package.
const HEAD: u64 = 4 << 10;

/// Bytes of decoded facts that an archive keeps, for all projects of the process.
const FACTS_ROOM: usize = 48 << 20;

/// An archive that cannot be read: it is damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveError(String);

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a bundled library cannot be read: {}", self.0)
    }
}

impl std::error::Error for ArchiveError {}

/// Declaration sources of an ecosystem. Nothing is unpacked before it is asked for.
pub struct Archive {
    family: Family,
    /// `lib://python!/`.
    prefix: String,
    bytes: Bytes,
    opened: OnceLock<Contents>,
    facts: FactsCache,
    /// Files by the names that they declare, where the archive has no table of them; made when they are searched.
    listed: OnceLock<Names>,
    /// The answers for names that were asked for.
    declared: RwLock<FxHashMap<Box<str>, Arc<[LibraryDeclaration]>>>,
}

/// The table of contents. Files are numbered in path order.
#[derive(Default)]
struct Contents {
    zip: Option<ZipArchive<Cursor<Bytes>>>,
    files: Vec<FileEntry>,
    /// By file.
    places: Vec<Place>,
    by_path: FxHashMap<Arc<str>, u32>,
    names: Names,
    /// Files by the types for which they have implementations.
    implemented: Names,
    packages: Names,
}

/// Where a file lies: an entry of the zip file, and bytes in it.
#[derive(Clone, Copy)]
struct Place {
    entry: usize,
    from: u64,
    length: u64,
}

/// Files by names.
type Names = FxHashMap<Box<str>, Vec<u32>>;

impl Archive {
    /// `name` stands before `!/` in its files' paths.
    pub fn new(name: &str, family: Family, bytes: impl Into<Bytes>) -> Self {
        Self {
            family,
            prefix: format!("{LIBRARY_SCHEME}{name}!/"),
            bytes: bytes.into(),
            opened: OnceLock::new(),
            facts: FactsCache::new(FACTS_ROOM),
            listed: OnceLock::new(),
            declared: RwLock::default(),
        }
    }

    /// The prefix of the paths of its files: `lib://python!/`.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Whether a file of a package declares a name, as its table of names says.
    pub(super) fn declares(&self, package: &str, name: &str) -> bool {
        let contents = self.contents();
        let of_package = contents.packages.get(package);
        let declaring = contents.names.get(name).filter(|_| of_package.is_some());
        declaring.into_iter().flatten().any(|file| of_package.is_some_and(|files| files.contains(file)))
    }

    /// How many files it has.
    pub fn len(&self) -> usize {
        self.contents().files.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A damaged archive has no files; tests open all of those that are part of the program.
    fn contents(&self) -> &Contents {
        self.opened.get_or_init(|| Contents::read(self.bytes.clone(), &self.prefix).unwrap_or_default())
    }

    /// Which files declare which names: as the table says, else as the files do.
    fn names(&self) -> &Names {
        let contents = self.contents();
        if !contents.names.is_empty() {
            return &contents.names;
        }
        self.listed.get_or_init(|| {
            let mut names = Names::default();
            for file in 0..contents.files.len() as u32 {
                for (name, _) in top_declarations(&self.load(file)) {
                    let files = names.entry(name.into()).or_default();
                    if files.last() != Some(&file) {
                        files.push(file);
                    }
                }
            }
            names
        })
    }

    /// Opens every file.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), ArchiveError> {
        let contents = Contents::read(self.bytes.clone(), &self.prefix)?;
        contents.places.iter().try_for_each(|place| contents.text(*place).map(|_| ()))
    }

    fn load(&self, index: u32) -> FileFacts {
        let entry = self.file(index);
        let language = entry.language.unwrap_or(Language::PlainText);
        let front = lang::front_end(language).ok_or_else(|| format!("nothing reads {}", language.name()));
        match self.text(index).and_then(|text| Ok(front?.facts(entry.path.as_str(), &text))) {
            Ok(facts) => facts,
            Err(error) => {
                let mut empty = FactBuilder::new(language, 0);
                empty.error(TextRange::new(0, 0), error);
                empty.set_quality(Quality::Skipped);
                empty.finish()
            }
        }
    }
}

impl Contents {
    fn read(bytes: Bytes, prefix: &str) -> Result<Self, ArchiveError> {
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| ArchiveError(error.to_string()))?;
        let mut contents = Self { zip: Some(zip), ..Self::default() };
        let mut block = Place { entry: 0, from: 0, length: 0 };
        for line in contents.entry(FILES)?.lines() {
            let bad = || ArchiveError(format!("bad line in the list of files: {line}"));
            let mut parts = line.splitn(3, '\t');
            let (Some(name), Some(length), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
                return Err(bad());
            };
            let entry = contents.number(name).ok_or_else(bad)?;
            let from = if entry == block.entry { block.from + block.length } else { 0 };
            block = Place { entry, from, length: length.parse().map_err(|_| bad())? };
            let path: Arc<str> = format!("{prefix}{path}").into();
            contents.by_path.insert(path.clone(), contents.files.len() as u32);
            contents.places.push(block);
            contents.files.push(FileEntry {
                language: Language::of_path(&path),
                path: FilePath(path),
                source: SourceKind::Library,
                is_generated: false,
                size: block.length,
                content_hash: 0,
            });
        }
        if contents.number(NAMES).is_some() {
            let table = contents.entry(NAMES)?;
            contents.read_table(&table)?;
        }
        Ok(contents)
    }

    fn number(&self, entry: &str) -> Option<usize> {
        self.zip.as_ref()?.index_for_name(entry)
    }

    /// A whole entry.
    fn entry(&self, name: &str) -> Result<Arc<str>, ArchiveError> {
        let entry = self.number(name).ok_or_else(|| ArchiveError(format!("it has no `{name}`")))?;
        self.text(Place { entry, from: 0, length: u64::MAX })
    }

    fn text(&self, place: Place) -> Result<Arc<str>, ArchiveError> {
        let text = String::from_utf8(self.bytes(place)?).map_err(|error| ArchiveError(error.to_string()))?;
        Ok(text.into())
    }

    fn bytes(&self, place: Place) -> Result<Vec<u8>, ArchiveError> {
        // A clone shares the table of contents; reading needs a place of its own.
        let mut zip = self.zip.clone().ok_or_else(|| ArchiveError("it was not opened".to_owned()))?;
        let mut file = zip.by_index(place.entry).map_err(|error| ArchiveError(error.to_string()))?;
        let mut bytes = Vec::with_capacity(file.size().min(place.length) as usize);
        io::copy(&mut file.by_ref().take(place.from), &mut io::sink())
            .and_then(|_| file.take(place.length).read_to_end(&mut bytes))
            .map_err(|error| ArchiveError(error.to_string()))?;
        Ok(bytes)
    }

    /// The lines with which a file begins, as far as they take [`HEAD`] bytes.
    fn head(&self, place: Place) -> Result<Arc<str>, ArchiveError> {
        let bytes = self.bytes(Place { length: place.length.min(HEAD), ..place })?;
        Ok(whole_lines(&String::from_utf8_lossy(&bytes)).into())
    }

    fn read_table(&mut self, text: &str) -> Result<(), ArchiveError> {
        for line in text.lines() {
            let bad = || ArchiveError(format!("bad line in the table of names: {line}"));
            let mut parts = line.split('\t');
            let (Some(kind), Some(name)) = (parts.next(), parts.next()) else { return Err(bad()) };
            let files = parts.map(|n| n.parse().map_err(|_| bad())).collect::<Result<Vec<u32>, _>>()?;
            if files.iter().any(|n| *n as usize >= self.files.len()) {
                return Err(bad());
            }
            let table = match kind {
                "p" => &mut self.packages,
                "i" => &mut self.implemented,
                _ => &mut self.names,
            };
            table.insert(name.into(), files);
        }
        Ok(())
    }
}

/// The table of names for an archive with these files, by path below its prefix: a line `n NAME FILE…` for each name
/// that is declared outside of types and functions, a line `i NAME FILE…` for each type that implementations name as theirs, a
/// line `p PACKAGE FILE…` for each package; files by number in path order, parts separated by tabs.
pub fn names_table(files: &BTreeMap<String, FileFacts>) -> String {
    let mut table: BTreeMap<(char, &str), Vec<usize>> = BTreeMap::new();
    for (i, facts) in files.values().enumerate() {
        if let Some(package) = facts.package {
            table.entry(('p', facts.name(package))).or_default().push(i);
        }
        let declared = top_declarations(facts).map(|(name, _)| ('n', name));
        for key in declared.chain(implemented(facts).map(|name| ('i', name))) {
            let files = table.entry(key).or_default();
            if files.last() != Some(&i) {
                files.push(i);
            }
        }
    }
    let line = |((kind, name), files): (&(char, &str), &Vec<usize>)| {
        let files: Vec<String> = files.iter().map(usize::to_string).collect();
        format!("{kind}\t{name}\t{}\n", files.join("\t"))
    };
    table.iter().map(line).collect()
}

/// The last names of the types for which a file has implementations.
fn implemented(facts: &FileFacts) -> impl Iterator<Item = &str> {
    let types = facts.defs.iter().filter(|def| def.kind == SymbolKind::Impl).filter_map(|def| def.ty);
    types.filter_map(|ty| match facts.ty(ty) {
        TypeExpr::Named { name, .. } => Some(facts.name(facts.reference(name).name)),
        _ => None,
    })
}

/// The declarations of a file outside of types and functions.
pub(super) fn top_declarations(facts: &FileFacts) -> impl Iterator<Item = (&str, LibraryDeclaration)> {
    declaration_sites(FileId(0), facts).filter_map(|(name, site)| {
        let mut scope = Some(facts.def(site.at.def).scope);
        while let Some(at) = scope {
            let at = facts.scope(at);
            if !matches!(at.kind, ScopeKind::File | ScopeKind::Module) {
                return None;
            }
            scope = at.parent;
        }
        let found = LibraryDeclaration { file: 0, def: site.at.def, kind: site.kind, flags: site.flags };
        Some((name, found))
    })
}

impl Library for Archive {
    fn family(&self) -> Family {
        self.family
    }

    fn owns(&self, path: &str) -> bool {
        path.starts_with(&self.prefix)
    }

    fn find(&self, path: &str) -> Option<u32> {
        self.contents().by_path.get(path).copied()
    }

    fn file(&self, index: u32) -> &FileEntry {
        &self.contents().files[index as usize]
    }

    fn facts(&self, index: u32) -> Arc<FileFacts> {
        let loaded = self.facts.get(0, index, || Ok::<_, std::convert::Infallible>(self.load(index)));
        match loaded {
            Ok(facts) => facts,
            Err(never) => match never {},
        }
    }

    fn text(&self, index: u32) -> Result<Arc<str>, String> {
        let contents = self.contents();
        contents.text(contents.places[index as usize]).map_err(|error| error.to_string())
    }

    fn head(&self, index: u32) -> Result<Arc<str>, String> {
        let contents = self.contents();
        contents.head(contents.places[index as usize]).map_err(|error| error.to_string())
    }

    fn declarations(&self, name: &str) -> Vec<LibraryDeclaration> {
        let Some(files) = self.contents().names.get(name) else { return Vec::new() };
        if let Some(known) = self.declared.read().unwrap_or_else(PoisonError::into_inner).get(name) {
            return known.to_vec();
        }
        let mut found = Vec::new();
        for file in files {
            let facts = self.facts(*file);
            let named = top_declarations(&facts).filter(|(declared, _)| *declared == name);
            found.extend(named.map(|(_, found)| LibraryDeclaration { file: *file, ..found }));
        }
        let known = found.as_slice().into();
        self.declared.write().unwrap_or_else(PoisonError::into_inner).insert(name.into(), known);
        found
    }

    fn listed(&self, name: &str, how: Listed) -> Option<Vec<u32>> {
        let contents = self.contents();
        let table = match how {
            Listed::Declaring => &contents.names,
            Listed::Implementing => &contents.implemented,
        };
        (!contents.names.is_empty()).then(|| table.get(name).cloned().unwrap_or_default())
    }

    fn search(&self, wanted: &mut dyn FnMut(&str) -> bool) -> Vec<LibraryDeclaration> {
        let mut files: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
        for (name, declaring) in self.names().iter().filter(|(name, _)| wanted(name)) {
            for file in declaring {
                files.entry(*file).or_default().insert(name);
            }
        }
        let mut found = Vec::new();
        for (file, names) in files {
            let facts = self.facts(file);
            let named = top_declarations(&facts).filter(|(name, _)| names.contains(name));
            found.extend(named.map(|(_, found)| LibraryDeclaration { file, ..found }));
        }
        found
    }

    fn files_of_package(&self, package: &str) -> Vec<u32> {
        self.contents().packages.get(package).cloned().unwrap_or_default()
    }

    fn directory(&self, path: &str) -> Option<(Vec<u32>, Vec<Arc<str>>)> {
        let contents = self.contents();
        let prefix = format!("{}/", path.trim_end_matches('/'));
        let from = contents.files.partition_point(|file| file.path.as_str() < prefix.as_str());
        let (mut files, mut directories): (Vec<u32>, Vec<Arc<str>>) = (Vec::new(), Vec::new());
        for (i, file) in contents.files.iter().enumerate().skip(from) {
            let Some(rest) = file.path.as_str().strip_prefix(&prefix) else { break };
            match rest.split_once('/') {
                None => files.push(i as u32),
                Some((name, _)) if directories.last().is_none_or(|last| **last != *name) => {
                    directories.push(name.into());
                }
                Some(_) => {}
            }
        }
        (!files.is_empty() || !directories.is_empty()).then_some((files, directories))
    }
}
