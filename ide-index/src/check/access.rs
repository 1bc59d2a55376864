//! Members that cannot be reached from where they are named.

use ide_model::QueryError;

use super::{Check, Found, members};
use crate::facts::Role;

/// Names of private declarations of elsewhere, and of members that need an object where there is none.
pub(super) fn unreachable(check: &Check<'_>, found: &mut Vec<Found>) -> Result<(), QueryError> {
    let (rx, file) = (check.rx, check.file);
    for id in file.written_refs() {
        let reference = file.reference(id);
        let is_use =
            matches!(reference.role, Role::Read | Role::Write | Role::ReadWrite | Role::Call | Role::New);
        if !is_use || !check.is_plain(id) {
            continue;
        }
        let resolved = rx.resolve(file.global_ref(id)).resolution;
        let mut defs = resolved.defs();
        let (Some(def), None) = (defs.next(), defs.next()) else { continue };
        if resolved.targets.len() != 1 || !resolved.confidence.is_certain() {
            continue;
        }
        let message = if check.judge.is_hidden(rx, file, id, def) {
            format!("`{}` is private", file.ref_name(id))
        } else if check.judge.needs_object(rx, file, id, def) {
            format!("`{}` belongs to an object, and there is none in a static place", file.ref_name(id))
        } else {
            continue;
        };
        // Last, as it follows the receiver through the calls that it comes from.
        let is_certain = |receiver| members::is_certain(rx, file, receiver, members::LONGEST);
        if reference.receiver.is_none_or(is_certain) {
            found.push(Found::new(reference.range, message));
        }
    }
    check.cx.check()
}
