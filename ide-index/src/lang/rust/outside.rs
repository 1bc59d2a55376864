//! The declaration of a path in a crate outside the world: its sources, if the toolchain or Cargo's registry has
//! them; of the standard library at least those that are bundled.
//!
//! The resolver knows such crates by paths only. A path is walked through the sources when a person asks for the declaration,
//! and when nothing else says what it gives ([`super::outside_types`]): modules to files, `pub use` to what it names, types to
//! their `impl` blocks in the same file, beside it, and anywhere in the crate.

use std::hash::Hash;
use std::sync::{Arc, Mutex};

use ide_model::{Family, SymbolKind, Visibility, paths};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use toml::{Table, Value};

use super::conditions::active_first;
use super::crates::{
    STANDARD, declared_module, included_file, included_files, lasting, module_file, nearest_module, path_of,
};
use super::implementations::remembered_as;
use super::library;
use super::outside_members::{ListedMember, built_in_member, is_iterator, members, of_type};
use super::outside_names::{exported_macro, macro_of_standard};
use super::types::is_primitive;
use crate::facts::{DefId, Import, ImportKind, ScopeId};
use crate::library::Listed;
use crate::resolve::{FileView, Resolver};
use crate::world::{FileId, GlobalDef, LibraryRoot, RootKind, World};

/// The standard library where the toolchain does not have its sources.
const BUNDLED: &str = "lib://rust!/library";

/// Crates beside the world, by what lock files name.
struct Outside {
    roots: Vec<LibraryRoot>,
    /// Names in code with the directories that sources have: `serde-1.0.2`.
    packages: FxHashMap<String, Vec<String>>,
    /// The same the other way round.
    names: FxHashMap<String, String>,
}

/// The answers about crates beside the world.
#[derive(Default)]
pub(super) struct OutsideCache {
    roots: Mutex<FxHashMap<Box<str>, Option<Arc<Place>>>>,
    declared: Mutex<FxHashMap<Box<str>, Arc<[GlobalDef]>>>,
    /// Types of the standard library, by name.
    types: Mutex<FxHashMap<Box<str>, Arc<[GlobalDef]>>>,
    /// By type, trait and member.
    pub(super) given: Mutex<FxHashMap<Box<str>, Option<GlobalDef>>>,
    /// The members of types, by their paths.
    pub(super) members: Mutex<FxHashMap<Box<str>, Arc<[ListedMember]>>>,
    modules: Mutex<FxHashMap<FileId, Option<Place>>>,
    files: Mutex<FxHashMap<Box<str>, Arc<[FileId]>>>,
}

impl OutsideCache {
    pub(super) fn of(rx: &Resolver) -> &Self {
        rx.of_world(|_| Self::default())
    }
}

impl Outside {
    fn of(rx: &Resolver) -> &Self {
        lasting(rx, |hasher| rx.world().library_roots(Family::Rust).hash(hasher), Self::read)
    }

    fn read(world: &dyn World) -> Self {
        let mut packages: FxHashMap<String, Vec<String>> = FxHashMap::default();
        let mut chosen: FxHashSet<String> = FxHashSet::default();
        for path in world.configurations().iter().filter(|path| path.rsplit('/').next() == Some("Cargo.lock"))
        {
            let table = world.configuration(path).and_then(|text| text.parse::<Table>().ok());
            let list = table.as_ref().and_then(|table| table.get("package")).and_then(Value::as_array);
            for package in list.into_iter().flatten() {
                let text = |key: &str| package.get(key).and_then(Value::as_str);
                let (Some(name), Some(version)) = (text("name"), text("version")) else { continue };
                let directories = packages.entry(name.replace('-', "_")).or_default();
                directories.extend([format!("{name}-{version}"), name.to_owned()]);
                if package.get("source").is_none() {
                    // Of packages with several versions the one is named that is meant: `name 1.0.0`.
                    let dependencies = package.get("dependencies").and_then(Value::as_array);
                    let named =
                        dependencies.into_iter().flatten().filter_map(|d| d.as_str()?.split_once(' '));
                    chosen
                        .extend(named.map(|(name, rest)| {
                            format!("{name}-{}", rest.split(' ').next().unwrap_or(rest))
                        }));
                }
            }
        }
        packages.values_mut().for_each(|all| all.sort_by_key(|directory| !chosen.contains(directory)));
        let all = packages.iter().flat_map(|(name, directories)| directories.iter().map(move |d| (d, name)));
        let names = all.map(|(directory, name)| (directory.clone(), name.clone())).collect();
        Self { roots: world.library_roots(Family::Rust), packages, names }
    }

    /// The crate that a file beside the world belongs to, by its name.
    fn crate_of(&self, path: &str) -> Option<&str> {
        let below = |root: &str| path.strip_prefix(root)?.strip_prefix('/')?.split('/').next();
        let of_package = |root: &LibraryRoot| Some(self.names.get(below(&root.path)?)?.as_str());
        let standard = || STANDARD.into_iter().find(|krate| Some(*krate) == below(self.standard()));
        let packages = self.roots.iter().filter(|root| root.kind != RootKind::Standard);
        packages.into_iter().find_map(of_package).or_else(standard)
    }

    /// The directory of the crates of the standard library.
    fn standard(&self) -> &str {
        self.roots.iter().find(|root| root.kind == RootKind::Standard).map_or(BUNDLED, |root| &root.path)
    }

    /// The root file of a crate with the directory of its modules.
    fn crate_root(&self, world: &dyn World, name: &str) -> Option<(FileId, String)> {
        if STANDARD.contains(&name) {
            let directory = format!("{}/{name}/src", self.standard());
            return Some((world.file_by_path(&format!("{directory}/lib.rs"))?, directory));
        }
        self.packages.get(name)?.iter().find_map(|package| {
            let roots = self.roots.iter().filter(|root| root.kind != RootKind::Standard);
            roots.into_iter().find_map(|root| library_of(world, &format!("{}/{package}", root.path)))
        })
    }
}

/// The root of the library of a package.
fn library_of(world: &dyn World, package: &str) -> Option<(FileId, String)> {
    let manifest = world.file_by_path(&format!("{package}/Cargo.toml"))?;
    let table = world.library_text(manifest)?.ok()?.parse::<Table>().ok()?;
    let path = table.get("lib").and_then(|lib| lib.get("path")).and_then(Value::as_str);
    let path = format!("{package}/{}", path.unwrap_or("src/lib.rs"));
    let directory = paths::directory(&path).to_owned();
    Some((world.file_by_path(&path)?, directory))
}

/// A module while a path is walked.
#[derive(Clone)]
pub(super) struct Place {
    krate: String,
    /// Its path from the crate's name.
    pub(super) path: String,
    pub(super) file: FileId,
    pub(super) scope: ScopeId,
    /// The directory of the files of its inner modules.
    pub(super) directory: String,
    pub(super) parent: Option<Box<Place>>,
}

impl Place {
    /// The name of its crate.
    pub(super) fn krate(&self) -> &str {
        &self.krate
    }
}

/// The module or type that a path means.
pub(super) fn place_of(rx: &Resolver, path: &str) -> Option<Place> {
    let (root, rest) = path.split_once("::").unwrap_or((path, ""));
    let root = root_of(rx, root)?;
    Walker::new(rx).follow(&root, &format!("crate::{rest}"))
}

/// The declaration that a name means in a module, through its star imports too.
pub(super) fn declared_in(rx: &Resolver, place: &Place, name: &str) -> Option<GlobalDef> {
    Walker::new(rx).walk(place, &[name]).first().copied()
}

/// The module that a file of a package beside the world is, by where it lies below the root of its crate.
pub(super) fn module_of_file(rx: &Resolver, file: FileId) -> Option<Place> {
    let memory = &OutsideCache::of(rx).modules;
    remembered_as(memory, &file, || file, || find_module(rx, file))
}

fn find_module(rx: &Resolver, file: FileId) -> Option<Place> {
    let path = rx.world().file(file).path.clone();
    let mut at = Arc::unwrap_or_clone(root_of(rx, Outside::of(rx).crate_of(path.as_str())?)?);
    let below = path.as_str().strip_prefix(&at.directory)?.strip_prefix('/')?.strip_suffix(".rs")?;
    for name in below.split('/').filter(|name| *name != "mod") {
        if at.file == file {
            break;
        }
        let view = rx.file(at.file);
        let declared = declared_as(rx, view, at.scope, name).into_iter().map(|def| def.def);
        let mut modules = declared.filter(|def| view.def(*def).kind == SymbolKind::Module);
        at = modules.find_map(|def| inner_module(rx, &at, view, def))?;
    }
    (at.file == file).then_some(at)
}

/// The module of a package beside the world that a scope lies in.
pub(super) fn module_of(rx: &Resolver, file: &FileView, scope: ScopeId) -> Option<Place> {
    let mut around: Vec<DefId> = Vec::new();
    let mut inner = nearest_module(file, scope);
    while inner != ScopeId(0) {
        let owner = file.scope(inner).owner?;
        around.push(owner);
        inner = nearest_module(file, file.def(owner).scope);
    }
    let outer = module_of_file(rx, file.id)?;
    around.into_iter().rev().try_fold(outer, |at, module| inner_module(rx, &at, file, module))
}

/// Whether the sources of the crate that a path begins with are at hand.
pub(super) fn is_at_hand(rx: &Resolver, path: &str) -> bool {
    root_of(rx, path.split("::").next().unwrap_or(path)).is_some()
}

/// Whether a path leads into a package beside the world whose sources are at hand.
pub(super) fn is_in_package(rx: &Resolver, path: &str) -> bool {
    !library::is_standard(path) && is_at_hand(rx, path)
}

/// The crate beside the world that a file belongs to, by its name.
pub(super) fn package_of(rx: &Resolver, file: FileId) -> Option<&str> {
    Outside::of(rx).crate_of(rx.world().file(file).path.as_str())
}

/// Whether a crate beside the world has this name.
pub(super) fn is_crate(rx: &Resolver, name: &str) -> bool {
    STANDARD.contains(&name) || Outside::of(rx).packages.contains_key(name)
}

/// The declarations that a path from a crate's name means: `std::option::Option::map`. Types that the compiler builds in
/// stand without a crate: `str::len`.
pub(super) fn declarations(rx: &Resolver, path: &str) -> Arc<[GlobalDef]> {
    remembered_as(&OutsideCache::of(rx).declared, path, || path.into(), || walked(rx, path).into())
}

fn walked(rx: &Resolver, path: &str) -> Vec<GlobalDef> {
    let segments: Vec<&str> = path.split("::").filter(|segment| !segment.is_empty()).collect();
    let Some((first, rest)) = segments.split_first() else { return Vec::new() };
    let Some(root) = root_of(rx, first) else {
        let is_member = is_built_in(first) && rest.len() == 1;
        return if is_member { standard(rx, &segments) } else { Vec::new() };
    };
    if let [of, _] = rest
        && STANDARD.contains(first)
        && of.starts_with(char::is_uppercase)
    {
        return standard(rx, rest);
    }
    let found = Walker::new(rx).walk(&root, rest);
    match rest {
        _ if !found.is_empty() => found,
        _ if STANDARD.contains(first) => standard(rx, rest),
        [name] => exported_macro(rx, &root, name).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Directories in directories are gone through this far.
const MAX_DEPTH: usize = 16;

/// The files below a directory, those further out first.
pub(super) fn files_of(rx: &Resolver, directory: &str) -> Arc<[FileId]> {
    let list = || list_files(rx.world(), directory).into();
    remembered_as(&OutsideCache::of(rx).files, directory, || directory.into(), list)
}

fn list_files(world: &dyn World, directory: &str) -> Vec<FileId> {
    let mut files = Vec::new();
    let mut level = vec![directory.to_owned()];
    for _ in 0..MAX_DEPTH {
        let listed = level.iter().filter_map(|path| Some((path, world.directory(path)?)));
        let mut below = Vec::new();
        for (path, found) in listed {
            files.extend(found.files);
            below.extend(found.directories.iter().map(|inner| format!("{path}/{inner}")));
        }
        level = below;
    }
    files
}

/// The declarations of the standard library that the path does not lead to: types are known without the modules that
/// they are in, and have members of what they point to.
fn standard(rx: &Resolver, path: &[&str]) -> Vec<GlobalDef> {
    let [.., owner, name] = path else {
        // A macro that a crate exports stands anywhere in it; the standard library has a file for its own
        // macros.
        let Some(name) = path.first() else { return Vec::new() };
        let types = standard_types(rx, name);
        let found = types.first().copied().or_else(|| macro_of_standard(rx, name));
        return found.into_iter().collect();
    };
    let of = |owner: &str| {
        let types = standard_types(rx, owner);
        types.iter().map(|def| of_type(rx, *def, &[name])).find(|found| !found.is_empty())
    };
    let pointee =
        || POINTEES.iter().find(|(pointer, _)| pointer == owner).and_then(|(_, pointee)| of(pointee));
    let built_in = || Some(built_in_member(rx, owner, name)).filter(|found| !found.is_empty());
    let of_iterator = || of("Iterator").filter(|_| is_iterator(rx, &format!("std::{owner}")));
    let of_trait = || library::traits_with(name).find_map(|(_, of_trait)| of(of_trait));
    let own = of(owner).or_else(pointee).or_else(built_in);
    own.or_else(of_iterator).or_else(of_trait).unwrap_or_default()
}

/// The types of a name that modules of the standard library give out.
pub(super) fn standard_types(rx: &Resolver, name: &str) -> Arc<[GlobalDef]> {
    let find = || {
        let root = root_of(rx, "std").filter(|_| name.starts_with(char::is_uppercase));
        let Some(root) = root else { return Arc::default() };
        let listed = listed(rx, name, Listed::Declaring);
        let mut found: Vec<GlobalDef> = Vec::new();
        for module in MODULES {
            if listed.as_ref().is_some_and(|files| !files.iter().any(|file| is_below(rx, *file, module))) {
                continue;
            }
            let path: Vec<&str> = module.split("::").chain([name]).collect();
            for def in Walker::new(rx).walk(&root, &path) {
                if rx.kind(def).is_type() && !found.contains(&def) {
                    found.push(def);
                }
            }
        }
        found.into()
    };
    remembered_as(&OutsideCache::of(rx).types, name, || name.into(), find)
}

/// The files of the bundled standard library that are listed under a name; `None` where the toolchain has the sources.
pub(super) fn listed(rx: &Resolver, name: &str, how: Listed) -> Option<Vec<FileId>> {
    let is_bundled = Outside::of(rx).standard() == BUNDLED;
    is_bundled.then(|| rx.world().library_files(Family::Rust, name, how)).flatten()
}

/// Whether a file lies where a module has its own: modules that pass on types of others mostly have them below.
fn is_below(rx: &Resolver, file: FileId, module: &str) -> bool {
    let path = &rx.world().file(file).path;
    let outer = module.split("::").next().unwrap_or(module);
    path.as_str().split('/').any(|part| part.strip_suffix(".rs").unwrap_or(part) == outer)
}

/// Types without a crate.
pub(super) fn is_built_in(name: &str) -> bool {
    is_primitive(name) || matches!(name, "slice" | "array")
}

/// Types that hand out the members of another one, and it.
const POINTEES: &[(&str, &str)] =
    &[("Iter", "Iterator"), ("PathBuf", "Path"), ("OsString", "OsStr"), ("CString", "CStr")];

/// The modules that most types of the standard library are in.
const MODULES: &[&str] = &[
    "error",
    "option",
    "result",
    "vec",
    "string",
    "ops",
    "collections",
    "collections::hash_map",
    "collections::btree_map",
    "collections::hash_set",
    "collections::btree_set",
    "collections::vec_deque",
    "iter",
    "path",
    "fmt",
    "rc",
    "sync",
    "sync::atomic",
    "sync::mpsc",
    "cell",
    "boxed",
    "borrow",
    "time",
    "io",
    "fs",
    "ffi",
    "env",
    "process",
    "thread",
    "net",
    "num",
    "cmp",
    "hash",
    "convert",
    "any",
    "mem",
    "ptr",
    "marker",
    "clone",
    "default",
    "str",
    "slice",
    "array",
    "char",
    "task",
    "future",
    "pin",
    "panic",
    "alloc",
    "backtrace",
];

/// The root of a crate beside the world.
pub(super) fn root_of(rx: &Resolver, name: &str) -> Option<Arc<Place>> {
    let find = || {
        let (file, directory) = Outside::of(rx).crate_root(rx.world(), name)?;
        let krate = name.to_owned();
        let root = Place { path: krate.clone(), krate, file, scope: ScopeId(0), directory, parent: None };
        Some(Arc::new(root))
    };
    remembered_as(&OutsideCache::of(rx).roots, name, || name.into(), find)
}

/// One way through the sources. Star imports lead to the same places in many ways, and in circles.
pub(super) struct Walker<'a> {
    rx: &'a Resolver,
    /// The names that were searched for, with the places; a find ends the search.
    tried: FxHashSet<(FileId, ScopeId, String)>,
    /// The module or type that a name leads to; `None` also while it is looked for.
    places: FxHashMap<(FileId, ScopeId, String), Option<Place>>,
    /// How many modules the way to one has led through.
    deep: u32,
}

/// Ways that are longer lead nowhere.
const MAX_WAY: u32 = 64;

impl<'a> Walker<'a> {
    pub(super) fn new(rx: &'a Resolver) -> Self {
        Self { rx, tried: FxHashSet::default(), places: FxHashMap::default(), deep: 0 }
    }

    fn walk(&mut self, place: &Place, segments: &[&str]) -> Vec<GlobalDef> {
        let Some((name, rest)) = segments.split_first() else { return Vec::new() };
        if !self.tried.insert((place.file, place.scope, segments.join("::"))) {
            return Vec::new();
        }
        let rx = self.rx;
        let file = rx.file(place.file);
        let mut found: Vec<GlobalDef> = Vec::new();
        // A function may be passed on from a module of its name that nobody else sees.
        let mut unseen = None;
        for GlobalDef { def, .. } in declared_as(rx, file, place.scope, name) {
            let d = file.def(def);
            match d.kind {
                SymbolKind::Import => {}
                SymbolKind::Module if !rest.is_empty() => {
                    if let Some(inner) = inner_module(rx, place, file, def) {
                        found.extend(self.walk(&inner, rest));
                    }
                }
                SymbolKind::Module if d.visibility == Some(Visibility::Private) => {
                    unseen = Some(file.global(def));
                }
                _ if rest.is_empty() => found.push(file.global(def)),
                kind if kind.is_type() => found.extend(members(rx, place, file, def, rest)),
                _ => {}
            }
        }
        for included in included(rx, place, file) {
            found.extend(self.walk(&included, segments));
        }
        if !found.is_empty() {
            return found;
        }
        for import in imports_for(file, place.scope, name) {
            let Some(target) = self.target(place, file, import) else { continue };
            let member = import.member.map(|member| file.ref_name(member));
            found = match (import.kind, member) {
                (ImportKind::Star, _) => self.walk(&target, segments),
                (_, Some(member)) => {
                    let path: Vec<&str> = std::iter::once(member).chain(rest.iter().copied()).collect();
                    self.walk(&target, &path)
                }
                (_, None) => self.walk(&target, rest),
            };
            if !found.is_empty() {
                return found;
            }
        }
        found.extend(unseen);
        found
    }

    /// The place that an import leads to, without the member that it names. `extern crate` names a crate, and not a
    /// module beside it.
    pub(super) fn target(&mut self, place: &Place, file: &FileView, import: &Import) -> Option<Place> {
        let path = file.name(import.module);
        let named = (import.kind == ImportKind::Module).then(|| root_of(self.rx, path)).flatten();
        named.map(Arc::unwrap_or_clone).or_else(|| self.follow(place, path))
    }

    /// The place that a path leads to.
    fn follow(&mut self, place: &Place, path: &str) -> Option<Place> {
        let mut segments = path.split("::").filter(|segment| !segment.is_empty()).peekable();
        let mut at = place.clone();
        let mut is_rooted = false;
        while let Some(first) = segments.peek() {
            at = match *first {
                "crate" | "$crate" => Arc::unwrap_or_clone(root_of(self.rx, &at.krate)?),
                "self" => at,
                "super" => *at.parent?,
                _ => break,
            };
            is_rooted = true;
            segments.next();
        }
        if !is_rooted && let Some(first) = segments.next() {
            at = self
                .inner(&at, first)
                .or_else(|| root_of(self.rx, first).map(Arc::unwrap_or_clone))
                // A name that `extern crate` declares at the root is known in the whole crate.
                .or_else(|| root_of(self.rx, &at.krate).and_then(|root| self.inner(&root, first)))?;
        }
        segments.try_fold(at, |at, segment| self.inner(&at, segment))
    }

    /// The module or the type of a name.
    fn inner(&mut self, place: &Place, name: &str) -> Option<Place> {
        let key = (place.file, place.scope, name.to_owned());
        if let Some(known) = self.places.get(&key) {
            return known.clone();
        }
        if self.deep > MAX_WAY {
            return None;
        }
        self.places.insert(key.clone(), None);
        self.deep += 1;
        let found = self.look_inner(place, name);
        self.deep -= 1;
        self.places.insert(key, found.clone());
        found
    }

    fn look_inner(&mut self, place: &Place, name: &str) -> Option<Place> {
        let rx = self.rx;
        let file = rx.file(place.file);
        let named = declared_as(rx, file, place.scope, name).into_iter().map(|def| def.def);
        let mut declared = named.filter(|def| file.def(*def).kind != SymbolKind::Import);
        let here = declared.find_map(|def| match file.def(def).kind {
            SymbolKind::Module => inner_module(rx, place, file, def),
            _ => Some(Place { scope: file.def(def).body?, ..place.clone() }),
        });
        let here =
            here.or_else(|| included(rx, place, file).find_map(|included| self.inner(&included, name)));
        if here.is_some() {
            return here;
        }
        for import in imports_for(file, place.scope, name) {
            let Some(target) = self.target(place, file, import) else { continue };
            let found = match (import.kind, import.member) {
                (ImportKind::Star, _) => self.inner(&target, name),
                (_, Some(member)) => self.inner(&target, file.ref_name(member)),
                (_, None) => Some(target),
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

/// The declarations of a scope under a name, those that builds have first.
fn declared_as(rx: &Resolver, file: &FileView, scope: ScopeId, name: &str) -> SmallVec<[GlobalDef; 2]> {
    let mut declared: SmallVec<[GlobalDef; 2]> =
        file.named_in_scope(scope, name).iter().map(|def| file.global(*def)).collect();
    active_first(rx, &mut declared);
    declared
}

/// The imports of a scope that may bring a name: those that bind it, then those of everything.
pub(super) fn imports_for<'f>(file: &'f FileView, scope: ScopeId, name: &str) -> SmallVec<[&'f Import; 4]> {
    let here = |import: &&Import| import.scope == scope;
    let is_bound = |import: &&Import| {
        import.kind != ImportKind::Star && import.def.is_some_and(|def| file.def_name(def) == name)
    };
    file.imports.iter().filter(here).filter(is_bound).chain(file.stars().filter(here)).collect()
}

/// The files whose items belong to a module too.
pub(super) fn included<'a>(
    rx: &'a Resolver,
    place: &'a Place,
    file: &'a FileView,
) -> impl Iterator<Item = Place> + 'a {
    let path = &rx.world().file(file.id).path;
    let around = file.scope(place.scope).owner;
    let here = included_files(file).filter(move |included| included.around == around);
    here.filter_map(move |included| {
        let file = included_file(rx.world(), &included, paths::directory(path.as_str()))?;
        let directory = paths::directory(rx.world().file(file).path.as_str()).to_owned();
        Some(Place { file, scope: ScopeId(0), directory, ..place.clone() })
    })
}

pub(super) fn inner_module(rx: &Resolver, place: &Place, file: &FileView, def: DefId) -> Option<Place> {
    let parent = Some(Box::new(place.clone()));
    let path = format!("{}::{}", place.path, file.def_name(def));
    let directory = format!("{}/{}", place.directory, file.def_name(def));
    if let Some(body) = file.def(def).body {
        return Some(Place { path, scope: body, directory, parent, ..place.clone() });
    }
    let declaring = rx.world().file(file.id).path.clone();
    let here = paths::directory(declaring.as_str());
    let inner = module_file(rx.world(), &declared_module(file, def), &place.directory, here)?;
    let directory = match path_of(file, def) {
        Some(_) => paths::directory(rx.world().file(inner).path.as_str()).to_owned(),
        None => directory,
    };
    Some(Place { krate: place.krate.clone(), path, file: inner, scope: ScopeId(0), directory, parent })
}

/// Whether a file says all of these at all: it is not read otherwise.
pub(super) fn says(rx: &Resolver, file: FileId, words: &[&str]) -> bool {
    let text = rx.world().library_text(file).and_then(Result::ok);
    text.is_some_and(|text| words.iter().all(|word| text.contains(word)))
}
