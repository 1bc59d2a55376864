//! Members that the language gives without a declaration: of enums, of data classes, of function types, and what Java's
//! collections have beside Kotlin's.

use ide_model::{Language, SymbolKind};

use super::calls::parameters;
use super::members::Candidate;
use super::names::library;
use super::receivers::receivers;
use super::types::{full_name, java_of};
use crate::facts::{DefFlags, RefId, Role};
use crate::lang::java::find_qualified;
use crate::lang::java::names::type_in_package;
use crate::resolve::{FileView, Resolver, Target, Ty};
use crate::world::GlobalDef;

/// The members of that name that a value has, or a class by its name.
pub(super) fn given(rx: &Resolver, ty: &Ty, name: &str) -> Vec<Candidate> {
    let class = match ty {
        Ty::Class(def, _) if rx.kind(*def) == SymbolKind::Enum => def,
        Ty::Instance(def, _) if rx.kind(*def) != SymbolKind::Enum => def,
        _ => return Vec::new(),
    };
    let full = made_member(rx, *class, name);
    full.map(|full| Candidate::plain(Target::External(full.into()))).into_iter().collect()
}

/// The qualified name of a member that the compiler adds to an enum or a data class.
pub(in crate::lang) fn made_member(rx: &Resolver, class: GlobalDef, name: &str) -> Option<String> {
    maker(rx, class, name)?;
    let full = rx.policy_of(class).qualified_name(rx, class);
    Some(format!("{}.{name}", full.as_deref().unwrap_or(rx.def_name(class))))
}

/// Members that the compiler adds to enums.
const OF_ENUMS: [&str; 3] = ["values", "valueOf", ENTRIES];
/// To those of Kotlin only.
const ENTRIES: &str = "entries";
/// To data classes, beside one for each [`component`].
const COPY: &str = "copy";

/// The origin of such a member: the class, or the property that a component belongs to.
fn maker(rx: &Resolver, class: GlobalDef, name: &str) -> Option<GlobalDef> {
    let d = rx.def(class);
    if d.kind == SymbolKind::Enum {
        let has_entries = rx.language_of(class) == Language::Kotlin;
        return (OF_ENUMS.contains(&name) && (has_entries || name != ENTRIES)).then_some(class);
    }
    let params = if d.flags.has(DefFlags::DATA) { parameters(rx, class) } else { Vec::new() };
    if name == COPY && !params.is_empty() { Some(class) } else { params.get(component(name)?).copied() }
}

/// The declarations that members of these qualified names are made from.
pub(in crate::lang) fn makers(rx: &Resolver, qualified: &str) -> Vec<GlobalDef> {
    let Some((class, name)) = qualified.rsplit_once('.') else { return Vec::new() };
    if !OF_ENUMS.contains(&name) && name != COPY && component(name).is_none() {
        return Vec::new();
    }
    let found = |language| find_qualified(rx, language, class).unwrap_or_default();
    let is_it = |def: &GlobalDef| rx.policy_of(*def).qualified_name(rx, *def).as_deref() == Some(class);
    let classes = [Language::Kotlin, Language::Java].into_iter().flat_map(found).filter(is_it);
    classes.filter_map(|class| maker(rx, class, name)).collect()
}

/// The position that `component1` and its like stand for, from 0.
fn component(name: &str) -> Option<usize> {
    name.strip_prefix("component")?.parse::<usize>().ok()?.checked_sub(1)
}

/// The type of what a name means that the language gives, or of its call.
pub(super) fn given_type(rx: &Resolver, file: &FileView, name: RefId) -> Option<Ty> {
    let r = file.reference(name);
    let of = |ty: &Ty| given_member(rx, file, ty, file.name(r.name), r.role == Role::Call);
    match r.receiver {
        Some(receiver) => of(&rx.expr_type(file, receiver)),
        None => receivers(rx, file, r.scope, Some(name)).iter().find_map(|receiver| of(&receiver.ty)),
    }
}

/// The type in Java of a member that the compiler adds to a data class.
pub(in crate::lang) fn made_by_data_class(rx: &Resolver, file: &FileView, ty: &Ty, name: &str) -> Option<Ty> {
    let is_data = ty.def().is_some_and(|class| rx.has_flag(class, DefFlags::DATA));
    is_data.then(|| given_member(rx, file, ty, name, true)).flatten()
}

fn given_member(rx: &Resolver, file: &FileView, ty: &Ty, name: &str, is_call: bool) -> Option<Ty> {
    match ty {
        Ty::Callable { result, .. } if is_call && name == "invoke" => Some((**result).clone()),
        Ty::Class(def, _) if rx.kind(*def) == SymbolKind::Enum => {
            let entry = Ty::instance(*def);
            match name {
                "valueOf" if is_call => Some(entry),
                "values" if is_call => Some(library(rx, file, "kotlin", "Array", vec![entry])),
                "entries" if !is_call => Some(library(rx, file, "kotlin.collections", "List", vec![entry])),
                _ => None,
            }
        }
        Ty::Instance(def, _) if is_call && rx.has_flag(*def, DefFlags::DATA) => {
            if name == "copy" {
                return Some(ty.clone());
            }
            let param = parameters(rx, *def).get(component(name)?).copied()?;
            Some(rx.def_type(param).substitute(&rx.arguments_of(ty)))
        }
        _ => None,
    }
}

/// The data class whose copy a call makes: its arguments are those of the constructor.
pub(super) fn copied(rx: &Resolver, file: &FileView, callee: RefId) -> Option<GlobalDef> {
    let is_copy = file.ref_name(callee) == "copy" && file.reference(callee).role == Role::Call;
    let ty = is_copy.then(|| given_type(rx, file, callee)).flatten()?;
    ty.def()
}

/// The members that Kotlin's collections take over from Java's; the rest of those is hidden, or has an extension
/// in its place.
const FROM_JAVA: [&str; 12] = [
    "compute",
    "computeIfAbsent",
    "computeIfPresent",
    "forEach",
    "merge",
    "parallelStream",
    "putIfAbsent",
    "removeIf",
    "replace",
    "replaceAll",
    "spliterator",
    "stream",
];

/// A collection of Kotlin as the class of Java that it is at run time, where that has the member for both.
pub(super) fn as_java(rx: &Resolver, file: &FileView, ty: &Ty, member: &str) -> Option<Ty> {
    let Ty::Instance(_, args) = ty else { return None };
    if !FROM_JAVA.contains(&member) {
        return None;
    }
    let name = full_name(rx, ty)?;
    // The extension `forEach` of an `Iterable` hides Java's, which takes the same.
    let java = java_of(&name).filter(|java| member != "forEach" || *java == "java.util.Map")?;
    let (package, class) = java.rsplit_once('.')?;
    Some(Ty::Instance(type_in_package(rx, file, package, class)?, args.clone()))
}
