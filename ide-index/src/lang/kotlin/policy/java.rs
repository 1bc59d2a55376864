//! What Java calls the declarations of Kotlin.

use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{Family, Language, SymbolKind};
use rustc_hash::FxHashMap;

use super::members::is_read;
use crate::facts::{DefFlags, ScopeId};
use crate::lang::java::names::seen_by;
use crate::resolve::Resolver;
use crate::world::{FileId, GlobalDef};

/// Further names under which a declaration is used: accessors of a property, the class of a companion, the property that
/// a getter is read as.
pub(super) fn other_names(rx: &Resolver, def: GlobalDef) -> Vec<Arc<str>> {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    let name = file.name(d.name);
    match d.kind {
        SymbolKind::Property if !d.flags.has(DefFlags::LOCAL) => accessors(name).map(Arc::from).collect(),
        SymbolKind::Object if d.flags.has(DefFlags::COMPANION) => {
            let owner = file.enclosing_class(d.scope).map(|(_, owner)| file.def_name(owner).into());
            owner.into_iter().collect()
        }
        SymbolKind::Method if is_read(rx, def) => property_names(name).into_iter().map(Arc::from).collect(),
        _ => Vec::new(),
    }
}

/// A name with a capital first letter.
pub(in crate::lang) fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// The methods by which Java reads and writes a property.
pub(super) fn accessors(property: &str) -> impl Iterator<Item = String> {
    let is_form = property.strip_prefix("is").filter(|rest| rest.starts_with(char::is_uppercase));
    let names = match is_form {
        Some(rest) => [property.to_owned(), format!("set{rest}")],
        None => {
            let capital = capitalized(property);
            [format!("get{capital}"), format!("set{capital}")]
        }
    };
    names.into_iter()
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
    if let Some((_, name)) = behind("get") {
        names.push(name);
    }
    if let Some((rest, name)) = behind("set") {
        names.extend([name, format!("is{rest}")]);
    }
    if behind("is").is_some() {
        names.push(accessor.to_owned());
    }
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
    if name == "INSTANCE" && rx.kind(class) == SymbolKind::Object {
        found.push(class);
    }
    if let Some(companion) = super::members::companion(rx, class).filter(|_| found.is_empty()) {
        let is_static = |def: &GlobalDef| {
            let d = rx.def(*def);
            d.flags.has(DefFlags::STATIC) || d.flags.has(DefFlags::CONST) || d.kind == SymbolKind::Property
        };
        found.extend(rx.own_members(companion, name).into_iter().filter(is_static));
        found.extend(
            properties(rx, name, |property| rx.own_members(companion, property))
                .into_iter()
                .filter(is_static),
        );
    }
    found
}

fn properties(rx: &Resolver, accessor: &str, find: impl Fn(&str) -> Vec<GlobalDef>) -> Vec<GlobalDef> {
    let names = property_names(accessor);
    let all = names.iter().flat_map(|property| find(property));
    all.filter(|def| rx.kind(*def) == SymbolKind::Property).collect()
}

/// What a declaration of a library is that was written in Kotlin, as the other of both languages sees it: a class, or what
/// its members have under a name of the declaration and for as many arguments.
pub(in crate::lang) fn other_views(rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
    let seen = |language| Some((rx.world().seen_by(def.file, language)?, language));
    let Some((file, language)) = [Language::Java, Language::Kotlin].into_iter().find_map(seen) else {
        return Vec::new();
    };
    let (name, d) = (rx.def_name(def), rx.def(def));
    if d.kind.is_type() {
        return seen_by(rx, language, def).into_iter().collect();
    }
    // What is in no class in Kotlin is in the first of the file in Java.
    let class = match rx.owner_class(def) {
        Some(owner) => seen_by(rx, language, owner),
        None => rx.file(file).def_ids().next().map(|def| GlobalDef { file, def }),
    };
    let named = |name: &str| match class {
        Some(class) => rx.own_members(class, name),
        None => facade_members(rx, file, name),
    };
    if d.kind == SymbolKind::Property {
        return accessors(name).flat_map(|accessor| named(&accessor)).collect();
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
type OfPackage = FxHashMap<String, FileId>;

/// Those of the packages that were asked for.
#[derive(Default)]
struct Facades(Mutex<FxHashMap<Arc<str>, Arc<OfPackage>>>);

/// The file whose functions and properties Java finds in a class of this name.
pub(in crate::lang) fn facade(rx: &Resolver, package: &str, name: &str) -> Option<FileId> {
    let facades = rx.of_world(|_| Facades::default());
    let lock = || facades.0.lock().unwrap_or_else(PoisonError::into_inner);
    let known = lock().get(package).cloned();
    let of_package = known.unwrap_or_else(|| {
        let found = Arc::new(facades_of(rx, package));
        lock().insert(package.into(), found.clone());
        found
    });
    of_package.get(name).copied()
}

fn facades_of(rx: &Resolver, package: &str) -> OfPackage {
    let mut facades = OfPackage::default();
    for id in rx.world().files_of_package(Family::Jvm, package) {
        let entry = rx.world().file(id);
        if entry.language != Some(Language::Kotlin) {
            continue;
        }
        let facts = rx.world().facts(id);
        if facts.exports.is_empty() {
            facades.entry(format!("{}Kt", capitalized(entry.path.stem()))).or_insert(id);
        }
        for export in &facts.exports {
            facades.entry(facts.name(export.name).to_owned()).or_insert(id);
        }
    }
    facades
}

/// What the class of a file has under a name.
pub(in crate::lang) fn facade_members(rx: &Resolver, file: FileId, name: &str) -> Vec<GlobalDef> {
    let view = rx.file(file);
    let top = |name: &str| -> Vec<GlobalDef> {
        let all = view.named_in_scope(ScopeId(0), name).iter();
        let of_kind = |d: &&crate::facts::DefId| {
            matches!(view.def(**d).kind, SymbolKind::Function | SymbolKind::Property)
        };
        all.filter(of_kind).map(|d| view.global(*d)).collect()
    };
    let found = top(name);
    if found.is_empty() { properties(rx, name, top) } else { found }
}
