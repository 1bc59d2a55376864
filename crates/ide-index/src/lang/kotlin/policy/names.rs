//! Packages, imports, and what needs no import.

use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{Confidence, Family, Language, SymbolKind};
use rustc_hash::FxHashMap;

use crate::facts::{DefFlags, Import, ImportId, ImportKind, RefId, Role, ScopeId};
use crate::lang::java::names::{
    dotted, is_in_package, is_type_like, library_type, member_type, qualified_type, type_in_package,
};
use crate::resolve::{FileView, Reason, Resolution, Resolver, Target, Ty};
use crate::world::GlobalDef;

/// Packages that every Kotlin file imports, the first ones before the others.
pub(super) const DEFAULT_IMPORTS: [&str; 10] = [
    "kotlin",
    "kotlin.annotation",
    "kotlin.collections",
    "kotlin.comparisons",
    "kotlin.io",
    "kotlin.ranges",
    "kotlin.sequences",
    "kotlin.text",
    "kotlin.jvm",
    "java.lang",
];

/// Functions and properties at the top of files, by package and name, as they were asked for.
#[derive(Default)]
struct TopTable(Mutex<FxHashMap<PackageAndName, Arc<[GlobalDef]>>>);

type PackageAndName = (Arc<str>, Arc<str>);

/// Functions and properties of that name that the files of a package declare at their top.
pub(super) fn top_level(rx: &Resolver, package: &str, name: &str) -> Arc<[GlobalDef]> {
    let table = rx.extension(|_| TopTable::default());
    let key = (Arc::from(package), Arc::from(name));
    let known = table.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
    known.unwrap_or_else(|| {
        let mut found: Vec<GlobalDef> = rx
            .world()
            .declarations(name)
            .into_iter()
            .chain(rx.world().library_declarations(Family::Jvm, name))
            .filter(|site| matches!(site.kind, SymbolKind::Function | SymbolKind::Property))
            .map(|site| site.at)
            .filter(|at| {
                rx.world().file(at.file).language == Some(Language::Kotlin)
                    && is_in_package(rx, at.file, package)
                    && rx.file(at.file).def(at.def).scope == ScopeId(0)
            })
            .collect();
        // An expected declaration is there where no actual one is.
        let is_expected = |d: &GlobalDef| rx.file(d.file).has_flag(d.def, DefFlags::EXPECT);
        if found.iter().any(|d| !is_expected(d)) {
            found.retain(|d| !is_expected(d));
        }
        let found: Arc<[GlobalDef]> = found.into();
        table.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, found.clone());
        found
    })
}

pub(super) fn package_of(file: &FileView) -> &str {
    file.package.map_or("", |p| file.name(p))
}

/// A type of the standard library, or its name when it is not indexed.
pub(super) fn library(rx: &Resolver, from: &FileView, package: &str, name: &str, args: Vec<Ty>) -> Ty {
    library_type(rx, from, package, name, args.into())
}

pub(super) fn kotlin(rx: &Resolver, from: &FileView, name: &str) -> Ty {
    library(rx, from, "kotlin", name, Vec::new())
}

/// Whether the declarations of the standard library are indexed.
pub(super) fn knows_library(rx: &Resolver, from: &FileView) -> bool {
    type_in_package(rx, from, "kotlin", "Any").is_some()
}

/// All declarations that a dotted name means: a type, or functions and properties of a package or an object.
pub(super) fn qualified(rx: &Resolver, from: &FileView, module: &str, name: &str) -> Vec<Target> {
    let mut found: Vec<Target> = Vec::new();
    let full = if module.is_empty() { name.to_owned() } else { format!("{module}.{name}") };
    found.extend(qualified_type(rx, from, &full).map(Target::Def));
    found.extend(top_level(rx, module, name).iter().map(|d| Target::Def(*d)));
    if found.is_empty()
        && let Some(class) = qualified_type(rx, from, module)
    {
        found.extend(super::members::static_members(rx, class, name).into_iter().map(|c| c.target));
    }
    found
}

/// What a single import binds; its qualified name when it is not indexed.
pub(super) fn imported(rx: &Resolver, file: &FileView, import: &Import) -> Vec<Target> {
    let Some(member) = import.member else { return Vec::new() };
    let (module, name) = (file.name(import.module), file.ref_name(member));
    let found = qualified(rx, file, module, name);
    if found.is_empty() {
        let full = if module.is_empty() { name.to_owned() } else { format!("{module}.{name}") };
        return vec![Target::External(full.into())];
    }
    found
}

pub(super) fn import_target(rx: &Resolver, file: &FileView, import: ImportId) -> Resolution {
    Resolution {
        targets: imported(rx, file, file.import(import)).into(),
        confidence: Confidence::Exact,
        reason: Reason::None,
    }
}

/// What a segment of an import or package declaration means.
pub(super) fn segment(rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
    let name = dotted(file, reference);
    if file.reference(reference).role == Role::Package {
        return Resolution::exact(Target::Package(name.into()));
    }
    if let Some(import) = file.imports.iter().position(|i| i.member == Some(reference)) {
        return import_target(rx, file, ImportId(import as u32));
    }
    match qualified_type(rx, file, &name) {
        Some(def) => Resolution::def(def),
        None if is_type_like(file.ref_name(reference)) => Resolution::external(name),
        None => Resolution::exact(Target::Package(name.into())),
    }
}

/// Single imports that bind a name.
pub(super) fn imports_of<'f>(file: &'f FileView, name: &str) -> impl Iterator<Item = &'f Import> + use<'f> {
    let bound = file.named_in_scope(ScopeId(0), name).to_vec();
    bound.into_iter().filter_map(|def| file.def(def).import).map(|import| file.import(import))
}

/// What star imports and default imports bring, in the order in which they are asked: modules as written.
pub(super) fn stars(file: &FileView) -> impl Iterator<Item = &str> + use<'_> {
    file.imports.iter().filter(|i| i.kind == ImportKind::Star).map(|i| file.name(i.module))
}

pub(super) fn defaults<'a>() -> impl Iterator<Item = &'a str> {
    DEFAULT_IMPORTS.iter().copied()
}

/// A type by its simple name, from the top of a file: imports, package, stars, defaults.
pub(super) fn type_at_top(rx: &Resolver, file: &FileView, name: &str) -> Resolution {
    for import in imports_of(file, name) {
        for target in imported(rx, file, import) {
            match target {
                Target::Def(def) if rx.file(def.file).def(def.def).kind.is_type() => {
                    return Resolution::def(def);
                }
                Target::External(full) if is_type_like(name) => return Resolution::external(full),
                _ => {}
            }
        }
    }
    if let Some(def) = type_in_package(rx, file, package_of(file), name) {
        return Resolution::def(def);
    }
    let mut unknown = None;
    for module in stars(file) {
        let nested = || qualified_type(rx, file, module).and_then(|class| member_type(rx, class, name));
        if let Some(def) = type_in_package(rx, file, module, name).or_else(nested) {
            return Resolution::def(def);
        }
        if rx.world().files_of_package(file.family(), module).is_empty() {
            unknown = unknown.or(Some(module));
        }
    }
    for package in defaults() {
        if let Some(def) = type_in_package(rx, file, package, name) {
            return Resolution::def(def);
        }
    }
    if !is_type_like(name) {
        return Resolution::unknown(Reason::NotFound);
    }
    match unknown {
        Some(module) if knows_library(rx, file) => Resolution::external(format!("{module}.{name}")),
        _ if !knows_library(rx, file) => Resolution::external(builtin(name)),
        _ => Resolution::unknown(Reason::NotFound),
    }
}

/// The qualified name that a type of the standard library has, as far as it can be told without its declarations.
fn builtin(name: &str) -> String {
    const COLLECTIONS: [&str; 13] = [
        "List",
        "MutableList",
        "Set",
        "MutableSet",
        "Map",
        "MutableMap",
        "Collection",
        "MutableCollection",
        "Iterable",
        "MutableIterable",
        "Iterator",
        "ArrayList",
        "HashMap",
    ];
    let package = if COLLECTIONS.contains(&name) { "kotlin.collections" } else { "kotlin" };
    format!("{package}.{name}")
}

/// Functions that operators, loops, delegation and destructuring call.
const CONVENTIONS: &str = "plus minus times div rem mod unaryPlus unaryMinus not inc dec rangeTo rangeUntil plusAssign \
    minusAssign timesAssign divAssign remAssign compareTo equals invoke get set iterator hasNext next contains getValue \
    setValue provideDelegate";

/// What signs call instead of names.
pub(super) fn import_works_unnamed(file: &FileView, id: ImportId) -> bool {
    let import = file.import(id);
    let name = import.member.map_or("", |member| file.ref_name(member));
    let is_component = name.strip_prefix("component").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    is_component || CONVENTIONS.split_whitespace().any(|word| word == name)
}
