//! Names to what packages declare, and imports to packages.

use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{SourceKind, SymbolKind, paths};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::packages::Packages;
use super::policy::GoPolicy;
use crate::facts::{DefFlags, Import, ImportId};
use crate::resolve::{FileView, Policy as _, Resolver};
use crate::world::{FileId, GlobalDef};

/// The declarations of packages, as far as they were asked for.
#[derive(Default)]
struct Declared {
    /// By the first file of a package, the number of its files, and the name.
    by_name: Mutex<FxHashMap<(FileId, usize), OfName>>,
    /// How often a file of a library turned out to lack a name; [`MAX_LACKS`] for one that has been read.
    lacks: Mutex<FxHashMap<FileId, u8>>,
}

type OfName = FxHashMap<Box<str>, Option<GlobalDef>>;

/// To look for a word in a text costs less than to read it, but not nothing: after so many times it is read.
const MAX_LACKS: u8 = 4;

/// The names that imported packages give themselves, with what binds them in a file, as far as they were asked for.
#[derive(Default)]
struct Imported(Mutex<FxHashMap<FileId, Vec<Bound>>>);

type Bound = (Arc<str>, GlobalDef);

/// Methods of the project by their names, as far as they were asked for.
#[derive(Default)]
struct Methods(Mutex<FxHashMap<Box<str>, ByDirectory>>);

/// Methods of a directory and a name by the types that they are for, where there are many.
#[derive(Default)]
struct ByReceiver(Mutex<FxHashMap<DirectoryAndName, OfReceivers>>);

type DirectoryAndName = (Box<str>, Box<str>);

type OfReceivers = FxHashMap<GlobalDef, Vec<GlobalDef>>;

/// So many methods are gone through for each type.
const FEW_METHODS: usize = 16;

/// Ordered by the hashes of the directories that they lie in.
type ByDirectory = Arc<[(u64, GlobalDef)]>;

impl Methods {
    fn named(&self, rx: &Resolver, name: &str) -> ByDirectory {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(name) {
            return known.clone();
        }
        let methods =
            rx.world().declarations(name).into_iter().filter(|site| site.kind == SymbolKind::Method);
        let mut found: Vec<(u64, GlobalDef)> =
            methods.map(|site| (FxBuildHasher.hash_one(directory_of(rx, site.at.file)), site.at)).collect();
        found.sort_unstable();
        let found: ByDirectory = found.into();
        lock().insert(name.into(), found.clone());
        found
    }
}

/// The methods whose directory has the hash of this one.
fn in_directory<'m>(all: &'m [(u64, GlobalDef)], directory: &str) -> &'m [(u64, GlobalDef)] {
    let hash = FxBuildHasher.hash_one(directory);
    let from = all.partition_point(|(of, _)| *of < hash);
    let to = all.partition_point(|(of, _)| *of <= hash);
    &all[from..to]
}

fn directory_of(rx: &Resolver, file: FileId) -> &str {
    paths::directory(rx.world().file(file).path.as_str())
}

impl Declared {
    /// Whether a file of a library may have a name. It is read if it may.
    fn may_say(&self, rx: &Resolver, file: FileId, name: &str) -> bool {
        // Nobody waits while a text is read.
        let lacks = || self.lacks.lock().unwrap_or_else(PoisonError::into_inner);
        if lacks().get(&file) == Some(&MAX_LACKS) {
            return true;
        }
        let says = |text: Result<Arc<str>, String>| text.is_ok_and(|text| text.contains(name));
        let may_say = rx.world().library_text(file).is_none_or(says);
        let mut lacks = lacks();
        let times = lacks.entry(file).or_default();
        *times = if may_say { MAX_LACKS } else { MAX_LACKS.min(*times + 1) };
        may_say
    }
}

impl GoPolicy {
    /// Methods of a name that files of a directory declare, all but one perhaps.
    fn methods_in(rx: &Resolver, directory: &str, name: &str, except: Option<FileId>) -> Vec<GlobalDef> {
        let all = rx.of_world(|_| Methods::default()).named(rx, name);
        let all = in_directory(&all, directory);
        // They lie in the order of files, and one file may have very many.
        let (before, behind) = except.map_or((all, &[][..]), |except| {
            let from = all.partition_point(|(_, def)| def.file < except);
            (&all[..from], &all[all.partition_point(|(_, def)| def.file <= except)..])
        });
        let others = before.iter().chain(behind).map(|(_, def)| *def);
        others.filter(|def| directory_of(rx, def.file) == directory).collect()
    }

    /// Methods of a name that files of a directory declare for a type.
    pub(super) fn methods_of(rx: &Resolver, directory: &str, name: &str, class: GlobalDef) -> Vec<GlobalDef> {
        let all = rx.of_world(|_| Methods::default()).named(rx, name);
        if in_directory(&all, directory).len() <= FEW_METHODS {
            let mut methods = Self::methods_in(rx, directory, name, None);
            methods.retain(|def| Self::receiver_type(rx, *def) == Some(class));
            return methods;
        }
        let known = rx.extension(|_| ByReceiver::default());
        let lock = || known.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (Box::from(directory), Box::from(name));
        if let Some(table) = lock().get(&key) {
            return table.get(&class).cloned().unwrap_or_default();
        }
        let (table, is_whole) = rx.wholly(|| {
            let mut table: OfReceivers = FxHashMap::default();
            for def in Self::methods_in(rx, directory, name, None) {
                if let Some(class) = Self::receiver_type(rx, def) {
                    table.entry(class).or_default().push(def);
                }
            }
            table
        });
        let found = table.get(&class).cloned().unwrap_or_default();
        if is_whole {
            lock().insert(key, table);
        }
        found
    }

    /// The declaration of a name in a package, of the default platform where there is a choice; not a method.
    pub(super) fn in_files(rx: &Resolver, files: &[FileId], name: &str) -> Option<GlobalDef> {
        // A file belongs to one package, whose own files see its tests too.
        let package = (*files.first()?, files.len());
        let table = rx.extension(|_| Declared::default());
        let lock = || table.by_name.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&package).and_then(|names| names.get(name)) {
            return *known;
        }
        let found = Self::declared_in(rx, table, files, name);
        lock().entry(package).or_default().insert(name.into(), found);
        found
    }

    fn declared_in(rx: &Resolver, table: &Declared, files: &[FileId], name: &str) -> Option<GlobalDef> {
        let mut sites = rx.world().declarations(name);
        sites.retain(|site| !site.is_nested && site.kind != SymbolKind::Method);
        // Large packages have hundreds of files, few of which declare a name. Of libraries the sites are not known.
        let may_declare = |file: &&FileId| match rx.world().file(**file).source {
            SourceKind::Library => table.may_say(rx, **file, name),
            _ => sites.binary_search_by_key(*file, |site| site.at.file).is_ok(),
        };
        let mut found: Vec<GlobalDef> = files
            .iter()
            .filter(may_declare)
            .flat_map(|file| rx.top_level(*file, name))
            .filter(|def| {
                let file = rx.file(def.file);
                let d = file.def(def.def);
                d.receiver.is_none() && d.kind != SymbolKind::Import
            })
            .collect();
        Self::prefer_built(rx, &mut found);
        found.first().copied()
    }

    /// A declaration with those that other builds have in its place, that of the default build first: files of one package
    /// may declare a name again when never more than one of them is compiled.
    pub(super) fn variants(rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        let view = rx.file(def.file);
        let (d, name) = (view.def(def.def), view.def_name(def.def));
        let is_single = d.flags.has(DefFlags::LOCAL)
            || d.flags.has(DefFlags::ANONYMOUS)
            || d.kind == SymbolKind::Import
            || name == "init"
            || rx.world().file(def.file).source == SourceKind::Library
            || Self::is_program(rx, def.file);
        let directory = paths::directory(&view.path);
        let mut all = vec![def];
        if is_single {
            return all;
        }
        let found = if d.kind == SymbolKind::Method {
            Self::methods_in(rx, directory, name, Some(def.file))
        } else {
            let sites = rx.world().declarations(name).into_iter().map(|site| site.at);
            sites.filter(|at| directory_of(rx, at.file) == directory).collect()
        };
        let owner = |of: GlobalDef| GoPolicy.member_owner(rx, of).map(|owner| rx.shared_name(owner));
        let has_choice = |other: &GlobalDef| {
            let o = rx.def(*other);
            o.flags.has(DefFlags::NOT_BUILT) || d.flags.has(DefFlags::NOT_BUILT)
        };
        let is_variant = |other: &GlobalDef| {
            let o = rx.def(*other);
            other.file != def.file
                && !o.flags.has(DefFlags::LOCAL)
                && o.kind != SymbolKind::Import
                && rx.world().package(other.file) == rx.world().package(def.file)
                && !Self::is_program(rx, other.file)
                && owner(*other) == owner(def)
        };
        all.extend(found.into_iter().filter(has_choice).filter(is_variant));
        all.sort_by_key(|at| (rx.def(*at).flags.has(DefFlags::NOT_BUILT), *at));
        all
    }

    /// Whether a file is a program by itself beside a package, as `//go:build ignore` makes it.
    fn is_program(rx: &Resolver, file: FileId) -> bool {
        let is_main = |def: GlobalDef| {
            let d = rx.def(def);
            d.kind == SymbolKind::Function && d.flags.has(DefFlags::NOT_BUILT)
        };
        rx.world().package(file).as_deref() == Some("main")
            && rx.top_level(file, "main").into_iter().any(is_main)
    }

    /// The directory of the package that an import means; `Err` with the path for packages that are not in the world.
    pub(super) fn imported_directory(
        rx: &Resolver,
        file: &FileView,
        import: ImportId,
    ) -> Result<Arc<str>, Arc<str>> {
        let path = file.name(file.import(import).module);
        Packages::of(rx).directory(rx, path).ok_or_else(|| path.into())
    }

    /// The import under whose name a package is used although its path does not end so.
    pub(super) fn import_by_package_name(rx: &Resolver, file: &FileView, name: &str) -> Option<GlobalDef> {
        let packages = Packages::of(rx);
        let named = |import: &Import| {
            let directory = packages.directory(rx, file.name(import.module))?;
            Some((packages.name_of(rx, &directory)?, file.global(import.def?)))
        };
        let table = rx.extension(|_| Imported::default());
        let mut table = table.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all = table.entry(file.id).or_insert_with(|| file.imports.iter().filter_map(named).collect());
        all.iter().find(|(package, _)| **package == *name).map(|(_, bound)| *bound)
    }
}
