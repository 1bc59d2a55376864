//! A component of a record, and what must be called like it: its accessor where that is written, and the parameter of a
//! canonical constructor.

use ide_model::SymbolKind;

use super::lombok;
use super::names::{Meaning, has_meaning};
use crate::facts::{DefFlags, DefId};
use crate::resolve::{FileView, Member, Resolution, Resolver, Ty};
use crate::world::GlobalDef;

/// The declarations that one of a record carries its name with.
pub(super) fn of_component(rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    let constructor = || file.def_ids().find(|c| file.list(file.def(*c).params).any(|p: DefId| p == def.def));
    let record = match d.kind {
        SymbolKind::Field if d.flags.has(DefFlags::PROMOTED) => rx.owner_class(def),
        SymbolKind::Method if is_accessor(file, def.def) => rx.owner_class(def),
        SymbolKind::Parameter => constructor()
            .filter(|c| file.def(*c).kind == SymbolKind::Constructor)
            .and_then(|c| rx.owner_class(file.global(c))),
        _ => None,
    };
    let Some(record) = record.filter(|record| rx.kind(*record) == SymbolKind::Record) else {
        return Vec::new();
    };
    let name = file.def_name(def.def);
    let components: Vec<DefId> = file.list(file.def(record.def).params).collect();
    let Some(place) = components.iter().position(|component| file.def_name(*component) == name) else {
        return Vec::new();
    };
    let own = rx.own_members(record, name).into_iter().map(|member| member.def);
    let accessors = own.filter(|member| {
        file.has_flag(*member, DefFlags::PROMOTED)
            || file.def(*member).kind == SymbolKind::Method && is_accessor(file, *member)
    });
    let mut all: Vec<DefId> = accessors.collect();
    for constructor in rx.own_members(record, file.def_name(record.def)) {
        let params: Vec<DefId> = file.list(file.def(constructor.def).params).collect();
        let same = |(a, b): (&DefId, &DefId)| file.def_name(*a) == file.def_name(*b);
        if params.len() == components.len() && params.iter().zip(&components).all(same) {
            all.push(params[place]);
        }
    }
    if d.kind == SymbolKind::Parameter && !all.contains(&def.def) {
        return Vec::new();
    }
    all.into_iter().map(|other| file.global(other)).collect()
}

/// Whether a method could read a component.
fn is_accessor(file: &FileView, method: DefId) -> bool {
    let d = file.def(method);
    d.params.is_empty() && !d.flags.has(DefFlags::STATIC)
}

/// Whether a member is read by a method of this name that is not written.
pub(super) fn is_read_by(rx: &Resolver, member: &Member, name: &str) -> bool {
    component(rx, std::slice::from_ref(member), name).is_some()
}

/// Whether what a static import brings under a name can be what is asked for.
pub(super) fn is_imported_as(rx: &Resolver, member: &Member, wanted: Meaning, name: &str) -> bool {
    member.def().is_none_or(|def| has_meaning(rx.kind(def), wanted))
        || wanted == Meaning::Method && is_read_by(rx, member, name)
}

/// A record component, a property of Kotlin or a field with accessors, which is what an accessor's name means when the
/// accessor is not written.
pub(super) fn component(rx: &Resolver, members: &[Member], name: &str) -> Option<Resolution> {
    members
        .iter()
        .find(|m| {
            m.def().is_some_and(|d| {
                let view = rx.file(d.file);
                view.has_flag(d.def, DefFlags::PROMOTED)
                    || view.def(d.def).kind == SymbolKind::Property
                    || matches!(m.owner, Ty::Pointer(_))
                    || lombok::is_accessed(rx, d, name)
            })
        })
        .map(|m| Resolution::of(m.target(), m.confidence))
}
