//! Where a crate outside the world declares a path: its sources, if the toolchain or Cargo's registry has them.
//!
//! The resolver knows such crates by paths only. When a person asks for the declaration, the path is walked through the
//! sources: modules to files, `pub use` to what it names, types to their `impl` blocks in the same file and beside it.

use std::hash::Hash;

use ide_model::{Family, SymbolKind, paths};
use rustc_hash::{FxHashMap, FxHashSet};
use toml::{Table, Value};

use super::crates::{
    STANDARD, declared_module, included_file, included_files, lasting, module_file, path_of,
};
use super::library;
use super::types::is_primitive;
use crate::facts::{DefFlags, DefId, Import, ImportKind, ScopeId, TypeExpr};
use crate::resolve::{FileView, Resolver, Target};
use crate::world::{FileId, GlobalDef, LibraryRoot, RootKind, World};

/// Crates beside the world, by what lock files name.
struct Outside {
    roots: Vec<LibraryRoot>,
    /// Names in code with the directories that sources have: `serde-1.0.2`.
    packages: FxHashMap<String, Vec<String>>,
}

impl Outside {
    fn of(rx: &Resolver) -> &Self {
        lasting(rx, |hasher| rx.world().library_roots(Family::Rust).hash(hasher), Self::read)
    }

    fn read(world: &dyn World) -> Self {
        let mut packages: FxHashMap<String, Vec<String>> = FxHashMap::default();
        for path in world.configurations().iter().filter(|path| path.rsplit('/').next() == Some("Cargo.lock"))
        {
            let table = world.configuration(path).and_then(|text| text.parse::<Table>().ok());
            let list = table.as_ref().and_then(|table| table.get("package")).and_then(Value::as_array);
            for package in list.into_iter().flatten() {
                let text = |key: &str| package.get(key).and_then(Value::as_str);
                let (Some(name), Some(version)) = (text("name"), text("version")) else { continue };
                let directories = packages.entry(name.replace('-', "_")).or_default();
                directories.extend([format!("{name}-{version}"), name.to_owned()]);
            }
        }
        Self { roots: world.library_roots(Family::Rust), packages }
    }

    /// The root file of a crate with the directory of its modules.
    fn crate_root(&self, world: &dyn World, name: &str) -> Option<(FileId, String)> {
        if STANDARD.contains(&name) {
            let root = self.roots.iter().find(|root| root.kind == RootKind::Standard)?;
            let directory = format!("{}/{name}/src", root.path);
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
struct Place {
    krate: String,
    file: FileId,
    scope: ScopeId,
    /// Where files of its inner modules lie.
    directory: String,
    parent: Option<Box<Place>>,
}

/// What a path from a crate's name means; of the name alone the root file of the crate.
pub(super) fn targets(rx: &Resolver, path: &str) -> Vec<Target> {
    match root_of(rx, path) {
        Some(root) => vec![Target::Module(root.file)],
        None => declarations(rx, path).into_iter().map(Target::Def).collect(),
    }
}

/// The declarations that a path from a crate's name means: `std::option::Option::map`. Types that the compiler builds in
/// stand without a crate: `str::len`.
fn declarations(rx: &Resolver, path: &str) -> Vec<GlobalDef> {
    let segments: Vec<&str> = path.split("::").filter(|segment| !segment.is_empty()).collect();
    let Some((first, rest)) = segments.split_first() else { return Vec::new() };
    let mut walker = Walker { rx, tried: FxHashSet::default(), places: FxHashMap::default() };
    let Some(root) = root_of(rx, first) else {
        let is_member = is_built_in(first) && rest.len() == 1;
        return if is_member { standard(&mut walker, &segments) } else { Vec::new() };
    };
    let found = walker.walk(&root, rest);
    if found.is_empty() && STANDARD.contains(first) { standard(&mut walker, rest) } else { found }
}

/// What the standard library declares, though the path does not lead there.
fn standard(walker: &mut Walker<'_>, path: &[&str]) -> Vec<GlobalDef> {
    let rx = walker.rx;
    let Some(root) = root_of(rx, "std") else { return Vec::new() };
    // Types of the standard library are known without the modules that they are in.
    let mut in_modules = |rest: &[&str]| {
        let mut tried = MODULES.iter().map(|module| {
            let path: Vec<&str> = std::iter::once(*module).chain(rest.iter().copied()).collect();
            walker.walk(&root, &path)
        });
        tried.find(|found| !found.is_empty())
    };
    if let Some(found) = in_modules(path) {
        return found;
    }
    let [.., owner, name] = path else {
        // What a crate exports by macro stands anywhere in it; the standard library has a file for its own.
        return path.first().map_or_else(Vec::new, |name| standard_macro(rx, name));
    };
    if let Some((_, pointee)) = POINTEES.iter().find(|(pointer, _)| pointer == owner)
        && let Some(found) = in_modules(&[pointee, name])
    {
        return found;
    }
    let built_in = built_in_member(rx, owner, name);
    if !built_in.is_empty() {
        return built_in;
    }
    let declaring = library::traits_with(name).map(|(module, of)| walker.walk(&root, &[module, of, name]));
    declaring.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

/// Types without a crate.
fn is_built_in(name: &str) -> bool {
    is_primitive(name) || matches!(name, "slice" | "array")
}

/// Types that hand out the members of another one, and it.
const POINTEES: &[(&str, &str)] =
    &[("Iter", "Iterator"), ("PathBuf", "Path"), ("OsString", "OsStr"), ("CString", "CStr")];

/// The modules that most types of the standard library are in.
const MODULES: &[&str] = &[
    "option",
    "result",
    "vec",
    "string",
    "collections",
    "iter",
    "path",
    "fmt",
    "rc",
    "sync",
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
    "ops",
    "cmp",
    "hash",
    "convert",
    "any",
    "mem",
    "ptr",
    "error",
    "marker",
    "clone",
    "default",
];

/// Members of types that the compiler builds in, and of what points to them.
fn built_in_member(rx: &Resolver, owner: &str, name: &str) -> Vec<GlobalDef> {
    let file = match owner {
        "slice" | "Vec" | "array" => "slice/mod.rs",
        "str" | "String" => "str/mod.rs",
        "char" => "char/methods.rs",
        _ => return Vec::new(),
    };
    let of_crate = |krate: &str| {
        let root = root_of(rx, krate)?;
        let beside = if krate == "alloc" { file.replace("/mod.rs", ".rs") } else { file.to_owned() };
        let file = rx.file(rx.world().file_by_path(&format!("{}/{beside}", root.directory))?);
        let mut bodies = file.def_ids().filter(|def| file.def(*def).kind == SymbolKind::Impl);
        bodies.find_map(|def| {
            file.named_in_scope(file.def(def).body?, name).first().map(|def| file.global(*def))
        })
    };
    ["core", "alloc"].into_iter().find_map(of_crate).into_iter().collect()
}

fn root_of(rx: &Resolver, name: &str) -> Option<Place> {
    let (file, directory) = Outside::of(rx).crate_root(rx.world(), name)?;
    Some(Place { krate: name.to_owned(), file, scope: ScopeId(0), directory, parent: None })
}

fn standard_macro(rx: &Resolver, name: &str) -> Vec<GlobalDef> {
    let of_crate = |krate: &str| {
        let root = root_of(rx, krate)?;
        let macros = ["macros.rs", "macros/mod.rs"];
        let file = macros.iter().find_map(|m| rx.world().file_by_path(&format!("{}/{m}", root.directory)))?;
        let file = rx.file(file);
        let name = file.name_id(name)?;
        let mut all = file.def_ids();
        all.find(|d| file.def(*d).name == name && file.def(*d).kind == SymbolKind::Macro)
            .map(|d| file.global(d))
    };
    ["std", "core", "alloc"].into_iter().find_map(of_crate).into_iter().collect()
}

/// One way through the sources. Star imports lead to the same places in many ways, and in circles.
struct Walker<'a> {
    rx: &'a Resolver,
    /// What was looked for and where; what is found ends the search.
    tried: FxHashSet<(FileId, ScopeId, String)>,
    /// Where a name leads as a module or a type; `None` also while it is looked for.
    places: FxHashMap<(FileId, ScopeId, String), Option<Place>>,
}

impl Walker<'_> {
    fn walk(&mut self, place: &Place, segments: &[&str]) -> Vec<GlobalDef> {
        let Some((name, rest)) = segments.split_first() else { return Vec::new() };
        if !self.tried.insert((place.file, place.scope, segments.join("::"))) {
            return Vec::new();
        }
        let rx = self.rx;
        let file = rx.file(place.file);
        let mut found: Vec<GlobalDef> = Vec::new();
        for def in file.named_in_scope(place.scope, name) {
            let d = file.def(*def);
            match d.kind {
                SymbolKind::Import => {}
                SymbolKind::Module if !rest.is_empty() => {
                    if let Some(inner) = inner_module(rx, place, file, *def) {
                        found.extend(self.walk(&inner, rest));
                    }
                }
                _ if rest.is_empty() => found.push(file.global(*def)),
                _ => found.extend(members(rx, place, file, *def, rest)),
            }
        }
        for included in included(rx, place, file) {
            found.extend(self.walk(&included, segments));
        }
        if !found.is_empty() {
            return found;
        }
        for import in file.imports.iter().filter(|import| import.scope == place.scope) {
            let is_bound = import.def.is_some_and(|def| file.def_name(def) == *name);
            if import.kind != ImportKind::Star && !is_bound {
                continue;
            }
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
        found
    }

    /// Where an import leads, without the member that it names. `extern crate` names a crate, and not a module beside it.
    fn target(&mut self, place: &Place, file: &FileView, import: &Import) -> Option<Place> {
        let path = file.name(import.module);
        let named = (import.kind == ImportKind::Module).then(|| root_of(self.rx, path)).flatten();
        named.or_else(|| self.follow(place, path))
    }

    /// Where a path leads.
    fn follow(&mut self, place: &Place, path: &str) -> Option<Place> {
        let mut segments = path.split("::").filter(|segment| !segment.is_empty()).peekable();
        let mut at = place.clone();
        let mut is_rooted = false;
        while let Some(first) = segments.peek() {
            at = match *first {
                "crate" | "$crate" => root_of(self.rx, &at.krate)?,
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
                .or_else(|| root_of(self.rx, first))
                // What `extern crate` names at the root is known in the whole crate.
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
        self.places.insert(key.clone(), None);
        let found = self.look_inner(place, name);
        self.places.insert(key, found.clone());
        found
    }

    fn look_inner(&mut self, place: &Place, name: &str) -> Option<Place> {
        let rx = self.rx;
        let file = rx.file(place.file);
        let named = file.named_in_scope(place.scope, name).iter();
        let mut declared = named.filter(|def| file.def(**def).kind != SymbolKind::Import);
        let here = declared.find_map(|def| match file.def(*def).kind {
            SymbolKind::Module => inner_module(rx, place, file, *def),
            _ => Some(Place { scope: file.def(*def).body?, ..place.clone() }),
        });
        let here =
            here.or_else(|| included(rx, place, file).find_map(|included| self.inner(&included, name)));
        if here.is_some() {
            return here;
        }
        let mut imports = file.imports.iter().filter(|import| import.scope == place.scope);
        imports.find_map(|import| {
            let is_bound = import.def.is_some_and(|def| file.def_name(def) == name);
            if import.kind != ImportKind::Star && !is_bound {
                return None;
            }
            let target = self.target(place, file, import)?;
            match (import.kind, import.member) {
                (ImportKind::Star, _) => self.inner(&target, name),
                (_, Some(member)) => self.inner(&target, file.ref_name(member)),
                (_, None) => Some(target),
            }
        })
    }
}

/// The files whose items belong to a module too.
fn included<'a>(rx: &'a Resolver, place: &'a Place, file: &'a FileView) -> impl Iterator<Item = Place> + 'a {
    let path = &rx.world().file(file.id).path;
    let around = file.scope(place.scope).owner;
    let here = included_files(file).filter(move |included| included.around == around);
    here.filter_map(move |included| {
        let file = included_file(rx.world(), &included, paths::directory(path.as_str()))?;
        let directory = paths::directory(rx.world().file(file).path.as_str()).to_owned();
        Some(Place { file, scope: ScopeId(0), directory, ..place.clone() })
    })
}

fn inner_module(rx: &Resolver, place: &Place, file: &FileView, def: DefId) -> Option<Place> {
    let parent = Some(Box::new(place.clone()));
    let directory = format!("{}/{}", place.directory, file.def_name(def));
    if let Some(body) = file.def(def).body {
        return Some(Place { scope: body, directory, parent, ..place.clone() });
    }
    let path = rx.world().file(file.id).path.clone();
    let here = paths::directory(path.as_str());
    let inner = module_file(rx.world(), &declared_module(file, def), &place.directory, here)?;
    let directory = match path_of(file, def) {
        Some(_) => paths::directory(rx.world().file(inner).path.as_str()).to_owned(),
        None => directory,
    };
    Some(Place { krate: place.krate.clone(), file: inner, scope: ScopeId(0), directory, parent })
}

/// Members of a type: in its own body, and in the `impl` blocks for it in its file and in those of its module.
fn members(rx: &Resolver, place: &Place, file: &FileView, owner: DefId, rest: &[&str]) -> Vec<GlobalDef> {
    let [name] = rest else { return Vec::new() };
    let own = rx.own_members(file.global(owner), name);
    if !own.is_empty() {
        return own;
    }
    let type_name = file.def_name(owner);
    let found = in_impls(file, type_name, name);
    if !found.is_empty() {
        return found;
    }
    let beside = rx.world().directory(&place.directory).map(|found| found.files).unwrap_or_default();
    let mut beside = beside.into_iter().filter(|id| *id != file.id && mentions(rx, *id, type_name, name));
    beside
        .find_map(|id| Some(in_impls(rx.file(id), type_name, name)).filter(|found| !found.is_empty()))
        .unwrap_or_default()
}

/// Whether a file says both words at all: it is not read otherwise.
fn mentions(rx: &Resolver, file: FileId, type_name: &str, name: &str) -> bool {
    let text = rx.world().library_text(file).and_then(Result::ok);
    text.is_some_and(|text| text.contains(type_name) && text.contains(name))
}

fn in_impls(file: &FileView, type_name: &str, name: &str) -> Vec<GlobalDef> {
    let is_for = |def: DefId| match file.def(def).ty.map(|ty| file.ty(ty)) {
        Some(TypeExpr::Named { name, .. }) => file.ref_name(name) == type_name,
        _ => false,
    };
    let blocks = file.def_ids().filter(|def| file.def(*def).kind == SymbolKind::Impl && is_for(*def));
    let bodies = blocks.filter_map(|def| file.def(def).body);
    let mut found: Vec<GlobalDef> =
        bodies.flat_map(|body| file.named_in_scope(body, name)).map(|def| file.global(*def)).collect();
    // Of methods that several blocks have one is meant; which, the path does not say.
    found.sort_by_key(|def| file.def(def.def).flags.has(DefFlags::NOT_BUILT));
    found.truncate(1);
    found
}
