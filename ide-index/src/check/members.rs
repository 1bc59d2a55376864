//! Members that a type does not have.

use ide_model::QueryError;

use super::{Check, Found};
use crate::facts::Role;
use crate::resolve::{Reason, Resolver, Ty};

/// Names behind a value or type of which every member is known, that are none of these.
pub(super) fn unresolved(check: &Check<'_>, found: &mut Vec<Found>) -> Result<(), QueryError> {
    let (rx, file) = (check.rx, check.file);
    for id in file.written_refs() {
        let reference = file.reference(id);
        let is_use = matches!(reference.role, Role::Read | Role::Call | Role::Type | Role::New);
        let Some(receiver) = reference.receiver.filter(|_| is_use && check.is_plain(id)) else { continue };
        let resolved = rx.resolve(file.global_ref(id)).resolution;
        if !resolved.is_unknown() || !matches!(resolved.reason, Reason::NotFound | Reason::UnknownReceiver) {
            continue;
        }
        let ty = rx.expr_type(file, receiver);
        if ty.is_unknown() || !ty.parts().iter().all(|part| check.judge.sees_all_members(rx, file, id, part))
        {
            continue;
        }
        let owner = shown(rx, &ty);
        let message = format!("{owner} has no `{}`", file.ref_name(id));
        found.push(Found { range: reference.range, message });
    }
    check.cx.check()
}

/// A type for people.
fn shown(rx: &Resolver, ty: &Ty) -> String {
    match ty {
        Ty::Instance(def, _) | Ty::Class(def, _) => format!("`{}`", rx.def_name(*def)),
        Ty::Module(file) => format!("the module {}", rx.world().file(*file).path),
        Ty::Package(name) => format!("the package `{name}`"),
        _ => "this value".to_owned(),
    }
}
