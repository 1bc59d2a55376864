//! Which declarations override which where Java and Kotlin meet, and where accessors that are not written do.

use std::sync::Arc;

use ide_model::{Language, SymbolKind, Visibility};

use super::lookup::declared_receiver;
use super::types::{array_of, same_type};
use super::{java, jvm};
use crate::facts::{DefFlags, DefId};
use crate::lang::java::accessors_of_field;
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::GlobalDef;

/// A method of a class file that a declaration is, or has made for it.
struct Method {
    name: Arc<str>,
    params: Vec<Ty>,
}

/// Whether `method` overrides or implements `base` by a method that one of them has, seen from the class that has both.
pub(in crate::lang) fn overrides_as_method(
    rx: &Resolver,
    of: GlobalDef,
    method: GlobalDef,
    base: GlobalDef,
) -> bool {
    let line = rx.linearization(&rx.self_type(of));
    let seen = |member| {
        let owner = rx.owner_class(member)?;
        line.iter().find(|ty| ty.def() == Some(owner))
    };
    let (Some(class), Some(base_class)) = (seen(method), seen(base)) else { return false };
    if !may_take_part(rx, method) || !may_take_part(rx, base) {
        return false;
    }
    // Java's accessor is what Kotlin's property is in class files, but Kotlin never overrides it by a property.
    if rx.language_of(method) == Language::Kotlin
        && rx.kind(method) == SymbolKind::Property
        && rx.language_of(base) == Language::Java
        && !is_of_kotlin(rx, base)
    {
        return false;
    }
    let from = [method, base].into_iter().find(|def| rx.language_of(*def) == Language::Kotlin);
    let from = rx.file(from.unwrap_or(method).file);
    let (own, inherited) = (methods(rx, method, class), methods(rx, base, base_class));
    own.iter().any(|m| {
        inherited.iter().any(|b| {
            m.name == b.name
                && m.params.len() == b.params.len()
                && m.params.iter().zip(&b.params).all(|(p, q)| same_type(rx, from, p, q))
        })
    })
}

fn may_take_part(rx: &Resolver, member: GlobalDef) -> bool {
    let d = rx.def(member);
    // A record's component and a field of Lombok are private, their accessors are not.
    let is_private = d.visibility == Some(Visibility::Private) && d.kind != SymbolKind::Field;
    !is_private && !d.flags.has(DefFlags::STATIC) && d.kind != SymbolKind::Constructor && !d.kind.is_type()
}

/// Whether a method of Java implements a property of Kotlin somewhere above.
fn is_of_kotlin(rx: &Resolver, method: GlobalDef) -> bool {
    let Some(owner) = rx.owner_class(method) else { return false };
    let name = rx.def_name(method);
    let line = rx.linearization(&rx.self_type(owner));
    let above = line.iter().skip(1).filter_map(Ty::def);
    above.filter(|class| rx.language_of(*class) == Language::Kotlin).any(|class| {
        let found = java::declared_members(rx, class, name);
        found.iter().any(|def| rx.kind(*def) == SymbolKind::Property)
    })
}

/// The methods of class files that a member of a type is.
fn methods(rx: &Resolver, member: GlobalDef, owner: &Ty) -> Vec<Method> {
    let file = rx.file(member.file);
    let d = file.def(member.def);
    let known = rx.arguments_of(owner);
    let value = || rx.def_type(member).substitute(&known);
    let accessor = |name: String| {
        let writes = name.starts_with("set") || name.starts_with("with");
        Method { params: if writes { vec![value()] } else { Vec::new() }, name: name.into() }
    };
    match (file.language(), d.kind) {
        (Language::Kotlin, SymbolKind::Property) => {
            let mut all: Vec<Method> = Vec::new();
            for (at, name) in jvm::accessors(file, member.def).into_iter().enumerate() {
                let receiver = declared_receiver(rx, member).map(|ty| ty.substitute(&known));
                let written = (at == 1).then(value);
                all.push(Method { name: name.into(), params: receiver.into_iter().chain(written).collect() });
            }
            all
        }
        (_, SymbolKind::Field) => accessors_of_field(rx, member).into_iter().map(accessor).collect(),
        (Language::Kotlin, kind) if kind.is_callable() => {
            let receiver = declared_receiver(rx, member).map(|ty| ty.substitute(&known));
            let params = file.list(d.params).map(|p| parameter(rx, file, p).substitute(&known));
            // The continuation of a suspending function is its last parameter.
            let continuation = d.flags.has(DefFlags::SUSPEND).then_some(Ty::Unknown);
            let params = receiver.into_iter().chain(params).chain(continuation).collect();
            vec![Method { name: jvm::method_name(file, member.def).into(), params }]
        }
        (_, kind) if kind.is_callable() => {
            let params = file.list(d.params).map(|p| rx.def_type(file.global(p)).substitute(&known));
            vec![Method { name: file.name(d.name).into(), params: params.collect() }]
        }
        _ => Vec::new(),
    }
}

fn parameter(rx: &Resolver, file: &FileView, parameter: DefId) -> Ty {
    let ty = rx.def_type(file.global(parameter));
    if file.has_flag(parameter, DefFlags::VARARG) { array_of(rx, file, &ty) } else { ty }
}
