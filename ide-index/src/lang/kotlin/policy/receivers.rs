//! Implicit receivers: `this` of classes, receivers of extensions and lambdas, and what tests say of them.

use std::sync::Arc;

use ide_model::SymbolKind;

use super::lookup::callee_of_lambda;
use super::types::{Fit, completed, fit, is_lambda};
use crate::facts::{DefFlags, DefId, GuardTest, RefId, Role, ScopeId, ScopeKind};
use crate::resolve::{FileView, Recent, Resolver, Ty};
use crate::world::FileId;

/// A value that members can be reached through without being written.
#[derive(Clone)]
pub(super) struct Implicit {
    pub(super) ty: Ty,
    /// The scope that brings it.
    pub(super) scope: ScopeId,
    /// The class itself rather than an instance: its companion and nested types are meant.
    pub(super) is_static: bool,
}

/// The receiver that a function's or lambda's scope brings.
pub(super) fn receiver_of(rx: &Resolver, file: &FileView, owner: DefId) -> Option<Ty> {
    let d = file.def(owner);
    if let Some(receiver) = d.receiver {
        return Some(rx.type_of(file, receiver));
    }
    if is_lambda(file, owner) {
        return match rx.def_type(file.global(owner)) {
            Ty::Callable { params, .. } => match params.first() {
                Some(Ty::Pointer(receiver)) => Some((**receiver).clone()),
                _ => None,
            },
            _ => None,
        };
    }
    let is_accessor = d.flags.has(DefFlags::GETTER) || d.flags.has(DefFlags::SETTER);
    if is_accessor && d.flags.has(DefFlags::ANONYMOUS) {
        let property = property_of(file, owner)?;
        return file.def(property).receiver.map(|ty| rx.type_of(file, ty));
    }
    None
}

/// The property that an accessor belongs to.
pub(super) fn property_of(file: &FileView, accessor: DefId) -> Option<DefId> {
    let range = file.def(accessor).range;
    file.def_ids()
        .filter(|d| {
            let d = file.def(*d);
            d.kind == SymbolKind::Property && d.range.encloses(range)
        })
        .min_by_key(|d| file.def(*d).range.len())
}

/// The scope that brings what `this` is.
fn brings_this(rx: &Resolver, file: &FileView, from: ScopeId) -> Option<ScopeId> {
    file.scope_chain(from).find(|s| {
        let s = file.scope(*s);
        s.kind == ScopeKind::Class
            || s.kind == ScopeKind::Function
                && s.owner.is_some_and(|owner| receiver_of(rx, file, owner).is_some())
    })
}

/// The type of a written `this` as tests before a name behind it have it.
pub(super) fn this_as_tested(rx: &Resolver, file: &FileView, from: ScopeId, id: RefId) -> Ty {
    let plain = rx.policy(file).this(rx, file, from);
    if file.guards_of_this().is_empty() {
        return plain;
    }
    let tested =
        brings_this(rx, file, from).map_or(Vec::new(), |s| tested_this(rx, file, s, &plain, Some(id)));
    match tested.into_iter().last() {
        Some(last) if fit(rx, file, &plain, &last.ty) != Fit::Yes => last.ty,
        _ => plain,
    }
}

/// The scope that brings what `this@label` is, and its type.
fn labelled(rx: &Resolver, file: &FileView, label: RefId) -> Option<(ScopeId, Ty)> {
    let r = file.reference(label);
    let name = file.name(r.name);
    file.scope_chain(r.scope).find_map(|scope| {
        let owner = file.scope(scope).owner?;
        let d = file.def(owner);
        let is_named = file.def_name(owner) == name && d.kind != SymbolKind::Constructor
            || is_lambda(file, owner)
                && callee_of_lambda(file, owner).is_some_and(|callee| file.ref_name(callee) == name);
        let ty = is_named.then(|| receiver_of(rx, file, owner))?;
        Some((scope, ty.or_else(|| d.kind.is_type().then(|| rx.self_type(file.global(owner))))?))
    })
}

/// The type of `this@label`, as tests have it.
pub(super) fn labelled_this(rx: &Resolver, file: &FileView, label: RefId) -> Ty {
    let Some((scope, plain)) = labelled(rx, file, label) else { return Ty::Unknown };
    match tested_this(rx, file, scope, &plain, Some(label)).into_iter().last() {
        Some(last) if fit(rx, file, &plain, &last.ty) != Fit::Yes => last.ty,
        _ => plain,
    }
}

/// The type of `this` by the tests that hold where a reference stands, when the scope brings it.
fn tested_this(
    rx: &Resolver,
    file: &FileView,
    scope: ScopeId,
    plain: &Ty,
    id: Option<RefId>,
) -> Vec<Implicit> {
    let Some(at) = id.map(|id| file.reference(id).range.start) else { return Vec::new() };
    let tests = file.guards_of_this().iter().filter(|guard| {
        let subject = file.reference(guard.subject);
        if !guard.range.contains(at) {
            return false;
        }
        if subject.role == Role::Label {
            return labelled(rx, file, guard.subject).is_some_and(|(of, _)| of == scope);
        }
        brings_this(rx, file, subject.scope) == Some(scope)
    });
    tests
        .filter_map(|guard| match guard.test {
            GuardTest::Type(ty) => {
                let ty = completed(rx, rx.type_of(file, ty), plain);
                Some(Implicit { ty, scope, is_static: false })
            }
            GuardTest::Class(_) | GuardTest::Item(..) | GuardTest::Build(_) | GuardTest::Binds(_) => None,
        })
        .collect()
}

/// The last answers for scopes.
struct OfScopes(Recent<(FileId, ScopeId), Arc<[Implicit]>>);

/// The implicit receivers at a reference, innermost first.
pub(super) fn receivers(rx: &Resolver, file: &FileView, from: ScopeId, id: Option<RefId>) -> Arc<[Implicit]> {
    // All that stands in a scope has the same ones, but for tests and what stands in the head of a class.
    let is_special = |id: RefId| {
        let at = file.reference(id).range.start;
        file.guards_of_this().iter().any(|guard| guard.range.contains(at))
            || file.scope_chain(from).any(|scope| super::lookup::in_head(file, id, scope))
    };
    if id.is_some_and(is_special) {
        return receivers_at(rx, file, from, id).into();
    }
    let known = rx.extension(|_| OfScopes(Recent::new(1024)));
    known.0.answer(rx, (file.id, from), || receivers_at(rx, file, from, None).into())
}

fn receivers_at(rx: &Resolver, file: &FileView, from: ScopeId, id: Option<RefId>) -> Vec<Implicit> {
    let mut all = Vec::new();
    let mut is_static = false;
    for scope in file.scope_chain(from) {
        let s = file.scope(scope);
        let Some(owner) = s.owner else { continue };
        match s.kind {
            ScopeKind::Function => {
                if let Some(ty) = receiver_of(rx, file, owner) {
                    all.extend(tested_this(rx, file, scope, &ty, id));
                    all.push(Implicit { ty, scope, is_static: false });
                }
            }
            ScopeKind::Class => {
                let d = file.def(owner);
                let class = file.global(owner);
                let head = id.is_some_and(|id| super::lookup::in_head(file, id, scope));
                if !is_static && !head {
                    let ty = rx.self_type(class);
                    all.extend(tested_this(rx, file, scope, &ty, id));
                    all.push(Implicit { ty, scope, is_static: false });
                }
                all.push(Implicit { ty: Ty::class(class), scope, is_static: true });
                let keeps_outer = d.flags.has(DefFlags::INNER)
                    || d.flags.has(DefFlags::ANONYMOUS) && !d.flags.has(DefFlags::COMPANION)
                    || d.flags.has(DefFlags::LOCAL);
                is_static |= !keeps_outer;
            }
            _ => {}
        }
    }
    all
}
