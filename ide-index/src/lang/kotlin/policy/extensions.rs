//! Extensions for a value, in the order in which Kotlin asks for them.

use std::sync::Arc;

use ide_model::Confidence;

use super::lookup::declared_receiver;
use super::members::{Candidate, companion, members_named};
use super::names::{self, defaults, imports_of, package_of};
use super::receivers::receivers;
use super::types::{Fit, fit};
use crate::facts::{RefId, Role, ScopeKind};
use crate::lang::java::names::is_type_like;
use crate::lang::java::tops::Tops;
use crate::resolve::{FileView, Resolver, Target, Ty};
use crate::world::GlobalDef;

/// Extensions for a receiver, step by step: of scopes and implicit receivers, imports, package, stars, defaults.
pub(super) struct Extensions<'a> {
    rx: &'a Resolver,
    file: &'a FileView,
    id: RefId,
    receiver: &'a Ty,
    step: usize,
    /// The type of the receiver is not known: extensions for whatever a library has are possible.
    is_guess: bool,
}

impl<'a> Extensions<'a> {
    pub(super) fn new(rx: &'a Resolver, file: &'a FileView, id: RefId, receiver: &'a Ty) -> Self {
        Self { rx, file, id, receiver, step: 0, is_guess: false }
    }

    /// The extensions that a value of unknown type may have, as far as the project declares them.
    pub(super) fn possible(rx: &'a Resolver, file: &'a FileView, id: RefId) -> Self {
        Self { rx, file, id, receiver: &Ty::Unknown, step: 0, is_guess: true }
    }

    /// The extensions that can be called on the receiver.
    fn fitting(&self, found: impl IntoIterator<Item = Candidate>) -> Vec<Candidate> {
        let takes = |c: Candidate| {
            let def = c.def()?;
            let confidence = self.takes(def, declared_receiver(self.rx, def).as_ref(), c.confidence)?;
            Some(self.called(c, confidence))
        };
        found.into_iter().filter_map(takes).collect()
    }

    /// A candidate as it is called on the receiver.
    fn called(&self, c: Candidate, confidence: Confidence) -> Candidate {
        let receiver = if self.is_guess { c.receiver } else { self.receiver.clone() };
        Candidate { receiver, confidence, ..c }
    }

    /// How certain it is that a declaration, which extends a type, can be called on the receiver.
    fn takes(&self, def: GlobalDef, extended: Option<&Ty>, confidence: Confidence) -> Option<Confidence> {
        let called_on = if extended.is_none() { called_on(self.rx, def) } else { None };
        let is_call = || self.file.reference(self.id).role == Role::Call;
        let wanted = extended.or_else(|| called_on.as_ref().filter(|_| is_call()))?;
        if self.is_guess {
            return Some(Confidence::Ambiguous);
        }
        // A value of unknown type may be anything: nothing can be decided.
        if self.receiver.is_unknown() && !matches!(wanted, Ty::Param(_)) {
            return None;
        }
        match fit(self.rx, self.file, self.receiver, wanted) {
            Fit::No => None,
            // The result type of a library function is unknown.
            Fit::Maybe if is_result(self.receiver) && !matches!(wanted, Ty::Param(_)) => {
                Some(Confidence::Ambiguous)
            }
            Fit::Maybe => Some(Confidence::Inferred.max(confidence)),
            Fit::Yes => Some(confidence),
        }
    }

    fn in_scopes(&self) -> Vec<Candidate> {
        let (rx, file) = (self.rx, self.file);
        let r = file.reference(self.id);
        let mut found = Vec::new();
        for scope in file.scope_chain(r.scope) {
            if matches!(file.scope(scope).kind, ScopeKind::Function | ScopeKind::Block) {
                found.extend(
                    file.in_scope(scope, r.name).iter().map(|d| Candidate::of(file.global(*d), Ty::Unknown)),
                );
            }
        }
        for implicit in receivers(rx, file, r.scope, Some(self.id)).iter() {
            let members =
                if implicit.is_static {
                    implicit.ty.def().and_then(|class| companion(rx, class)).map_or(Vec::new(), |companion| {
                        members_named(rx, file, &Ty::instance(companion), r.name)
                    })
                } else {
                    members_named(rx, file, &implicit.ty, r.name)
                };
            found.extend(members);
        }
        self.fitting(found)
    }

    fn tops(&self) -> Arc<Tops> {
        Tops::named(self.rx, self.file, self.file.reference(self.id).name)
    }

    /// The targets that single imports bind under the name.
    fn imported(&self) -> impl Iterator<Item = Candidate> {
        let bound = imports_of(self.file, self.file.ref_name(self.id));
        let targets = bound.flat_map(|import| names::imported(self.rx, self.file, import).to_vec());
        targets.map(Candidate::plain)
    }

    fn of_packages<'m>(&self, packages: impl Iterator<Item = &'m str>) -> Vec<Candidate> {
        let (tops, name) = (self.tops(), self.file.ref_name(self.id));
        let mut found = Vec::new();
        for package in packages {
            for (def, extended) in
                names::extending(self.rx, self.file, &tops, name, package).iter().flat_map(|all| &**all)
            {
                let c = || Candidate::plain(Target::Def(*def));
                let confidence = self.takes(*def, extended.as_ref(), Confidence::Exact);
                found.extend(confidence.map(|confidence| self.called(c(), confidence)));
            }
        }
        found
    }
}

impl Iterator for Extensions<'_> {
    type Item = Vec<Candidate>;

    fn next(&mut self) -> Option<Vec<Candidate>> {
        self.step += 1;
        let (rx, file) = (self.rx, self.file);
        // A class or package by name has no extensions of its own, except through its companion.
        let receiver_is_value = match self.receiver {
            Ty::Class(def, _) => companion(rx, *def).is_some(),
            Ty::Package(_) | Ty::ExternalName(_) => false,
            _ => true,
        };
        if !receiver_is_value {
            return None;
        }
        match self.step {
            1 => Some(self.in_scopes()),
            2 => Some(self.fitting(self.imported())),
            3 => Some(self.of_packages(std::iter::once(package_of(file)))),
            // A value that a library returns rather has the library's functions, when some names of the
            // library are unknown.
            4 if is_result(self.receiver) && names::has_unknown_star(self.rx, file) => Some(Vec::new()),
            4 => {
                let found = names::starred(rx, file, &self.tops(), file.ref_name(self.id));
                Some(self.fitting(found.into_iter().map(Candidate::plain)))
            }
            _ if self.is_guess => None,
            5 => Some(self.of_packages(defaults())),
            6 => {
                // An import that is not indexed, behind a value, is an extension.
                Some(self.imported().filter(|c| matches!(c.target, Target::External(_))).collect())
            }
            _ => None,
        }
    }
}

/// Whether a value is known only as the result of a library function.
fn is_result(ty: &Ty) -> bool {
    matches!(ty, Ty::External(name, _) if !is_type_like(name.rsplit('.').next().unwrap_or(name)))
}

/// The receiver of a value of an extension function type.
fn called_on(rx: &Resolver, def: GlobalDef) -> Option<Ty> {
    let kind = rx.kind(def);
    if kind.is_callable() || kind.is_type() {
        return None;
    }
    match rx.def_type(def) {
        Ty::Callable { params, .. } => match params.first() {
            Some(Ty::Pointer(receiver)) => Some((**receiver).clone()),
            _ => None,
        },
        _ => None,
    }
}
