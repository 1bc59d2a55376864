//! The names of Kotlin's declarations in Java.

use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{Family, Language, SymbolKind};
use rustc_hash::FxHashMap;

use super::jvm;
use super::members::is_read;
use crate::facts::{DefFlags, FileFacts, ScopeId};
use crate::lang::java::builds::seen_by_module;
use crate::lang::java::names::seen_by;
use crate::resolve::{FileView, Resolver};
use crate::world::{FileId, GlobalDef};

/// Further names under which a declaration is used: accessors of a property, the class of a companion, the property that
/// a getter is read as.
pub(super) fn other_names(rx: &Resolver, def: GlobalDef) -> Vec<Arc<str>> {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    let name = file.name(d.name);
    match d.kind {
        SymbolKind::Property if !d.flags.has(DefFlags::LOCAL) => {
            jvm::accessors(file, def.def).into_iter().map(Arc::from).collect()
        }
        SymbolKind::Object if d.flags.has(DefFlags::COMPANION) => {
            let owner = file.enclosing_class(d.scope).map(|(_, owner)| file.def_name(owner).into());
            owner.into_iter().collect()
        }
        SymbolKind::Method if is_read(rx, def) => property_names(name).into_iter().map(Arc::from).collect(),
        kind if kind.is_callable() && jvm::method_name(file, def.def) != name => {
            vec![jvm::method_name(file, def.def).into()]
        }
        _ => Vec::new(),
    }
}

/// A name with a capital first letter.
pub(in crate::lang) fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// The properties that a method's name may be an accessor of.
pub(in crate::lang) fn property_names(accessor: &str) -> Vec<String> {
    let behind = |prefix| {
        let rest: &str = accessor.strip_prefix(prefix)?;
        let mut letters = rest.chars();
        let first = letters.next().filter(|c| !c.is_lowercase())?;
        Some((rest, first.to_lowercase().chain(letters).collect::<String>()))
    };
    let mut names = Vec::new();
    if let Some((rest, name)) = behind("get") {
        names.extend([name, rest.to_owned()]);
    }
    if let Some((rest, name)) = behind("set") {
        names.extend([name, rest.to_owned(), format!("is{rest}")]);
    }
    if behind("is").is_some() {
        names.push(accessor.to_owned());
    }
    names.extend(jvm::synthetic_property(accessor));
    names.sort_unstable();
    names.dedup();
    names
}

/// Members of a class under the names by which Java knows them: accessors, static members of the companion, the
/// instance of an object.
pub(super) fn declared_members(rx: &Resolver, class: GlobalDef, name: &str) -> Vec<GlobalDef> {
    let mut found = rx.own_members(class, name);
    if !found.is_empty() {
        return found;
    }
    found.extend(properties(rx, name, |property| rx.own_members(class, property)));
    let file = rx.file(class.file);
    if let Some(body) = file.def(class.def).body.filter(|_| found.is_empty()) {
        found.extend(jvm::given(file.all_in_scope(body), file, name));
    }
    if name == "INSTANCE" && rx.kind(class) == SymbolKind::Object {
        found.push(class);
    }
    if let Some(companion) = super::members::companion(rx, class).filter(|_| found.is_empty()) {
        let is_static = |def: &GlobalDef| {
            let d = rx.def(*def);
            d.flags.has(DefFlags::STATIC) || d.flags.has(DefFlags::CONST) || d.kind == SymbolKind::Property
        };
        found.extend(rx.own_members(companion, name).into_iter().filter(is_static));
        let of_companion = properties(rx, name, |property| rx.own_members(companion, property));
        found.extend(of_companion.into_iter().filter(is_static));
        if let Some(body) = file.def(companion.def).body.filter(|_| found.is_empty()) {
            found.extend(jvm::given(file.all_in_scope(body), file, name).into_iter().filter(is_static));
        }
    }
    found
}

fn properties(rx: &Resolver, accessor: &str, find: impl Fn(&str) -> Vec<GlobalDef>) -> Vec<GlobalDef> {
    let names = property_names(accessor);
    let all = names.iter().flat_map(|property| find(property));
    let has_it = |def: &GlobalDef| {
        let file = rx.file(def.file);
        file.def(def.def).kind == SymbolKind::Property
            && jvm::accessors(file, def.def).iter().any(|name| name == accessor)
    };
    all.filter(has_it).collect()
}

/// The views of a library declaration written in Kotlin from the other language: a class, or the members of its class
/// under a name of the declaration and for as many arguments.
pub(in crate::lang) fn other_views(rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
    let seen = |language| Some((rx.world().seen_by(def.file, language)?, language));
    let Some((file, language)) = [Language::Java, Language::Kotlin].into_iter().find_map(seen) else {
        return Vec::new();
    };
    let (name, d) = (rx.def_name(def), rx.def(def));
    if d.kind.is_type() {
        return seen_by(rx, language, def).into_iter().collect();
    }
    // A declaration outside of classes in Kotlin is in the first class of the file in Java.
    let class = match rx.owner_class(def) {
        Some(owner) => seen_by(rx, language, owner),
        None => rx.file(file).def_ids().next().map(|def| GlobalDef { file, def }),
    };
    let named = |name: &str| match class {
        Some(class) => rx.own_members(class, name),
        None => facade_members(rx, file, name),
    };
    if d.kind == SymbolKind::Property {
        return jvm::plain_accessors(name).iter().flat_map(|accessor| named(accessor)).collect();
    }
    // Java hands over what an extension is called on, and what is to go on behind a suspension.
    let arity = |def: GlobalDef| {
        let d = rx.def(def);
        d.params.len + u32::from(d.receiver.is_some()) + u32::from(d.flags.has(DefFlags::SUSPEND))
    };
    let mut found = named(name);
    found.retain(|other| rx.kind(*other).is_callable() && arity(*other) == arity(def));
    if found.is_empty() && language == Language::Kotlin {
        found = properties(rx, name, named);
    }
    found
}

/// The files of a package by the classes by which Java knows them.
type OfPackage = FxHashMap<String, Vec<FileId>>;

/// The facades of the packages that were asked for.
#[derive(Default)]
struct Facades(Mutex<FxHashMap<Arc<str>, Arc<OfPackage>>>);

/// The file whose functions and properties Java finds in a class of this name, as seen from a file.
pub(in crate::lang) fn facade(rx: &Resolver, from: &FileView, package: &str, name: &str) -> Option<FileId> {
    let facades = rx.of_world(|_| Facades::default());
    let lock = || facades.0.lock().unwrap_or_else(PoisonError::into_inner);
    let known = lock().get(package).cloned();
    let of_package = known.unwrap_or_else(|| {
        let found = Arc::new(facades_of(rx, package));
        lock().insert(package.into(), found.clone());
        found
    });
    let mut all = of_package.get(name)?.clone();
    seen_by_module(rx, from, &mut all, |file| *file);
    all.first().copied()
}

fn facades_of(rx: &Resolver, package: &str) -> OfPackage {
    let mut facades = OfPackage::default();
    for id in rx.world().files_of_package(Family::Jvm, package) {
        let entry = rx.world().file(id);
        if entry.language != Some(Language::Kotlin) {
            continue;
        }
        let facts = rx.world().facts(id);
        facades.entry(class_of_file(&facts, entry.path.stem())).or_default().push(id);
    }
    facades
}

/// The class that holds what a file declares outside of types.
pub(in crate::lang) fn class_of_file(facts: &FileFacts, stem: &str) -> String {
    let given = facts.exports.first().map(|export| facts.name(export.name).to_owned());
    given.unwrap_or_else(|| format!("{}Kt", capitalized(stem)))
}

/// The members of a file's class under a name.
pub(in crate::lang) fn facade_members(rx: &Resolver, file: FileId, name: &str) -> Vec<GlobalDef> {
    let view = rx.file(file);
    let top = |name: &str| -> Vec<GlobalDef> {
        let all = view.named_in_scope(ScopeId(0), name).iter();
        let of_kind = |d: &&crate::facts::DefId| {
            matches!(view.def(**d).kind, SymbolKind::Function | SymbolKind::Property)
        };
        all.filter(of_kind).map(|d| view.global(*d)).collect()
    };
    let is_called =
        |def: &GlobalDef| rx.kind(*def) == SymbolKind::Property || jvm::method_name(view, def.def) == name;
    let mut found = top(name);
    found.retain(is_called);
    found.extend(jvm::given(view.all_in_scope(ScopeId(0)), view, name));
    if found.is_empty() { properties(rx, name, top) } else { found }
}
