//! Writes to what can be written but once.

use ide_model::QueryError;

use super::{Check, Finding};
use crate::facts::Role;

/// Assignments to constants, and to variables and members that have their value already.
pub(super) fn fixed(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    let (rx, file) = (check.rx, check.file);
    for id in file.written_refs() {
        let reference = file.reference(id);
        let is_written = matches!(reference.role, Role::Write | Role::ReadWrite);
        if !is_written && !check.judge.is_lent_to_change((file, check.text), id) || !check.is_plain(id) {
            continue;
        }
        let Some(def) = rx.resolve(file.global_ref(id)).resolution.certain_def() else { continue };
        if check.judge.is_fixed(rx, (file, check.text), id, def) {
            let refused = if is_written { "assigned again" } else { "borrowed to be changed" };
            let message = format!("`{}` cannot be {refused}", file.ref_name(id));
            found.push(Finding::new(reference.range, message));
        }
    }
    check.cx.check()
}

/// Members without a value, which nothing gives them later.
pub(super) fn unset(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    let file = check.file;
    for id in file.def_ids() {
        if check.judge.is_unset(check.rx, (file, check.text), id) {
            let message = format!("`{}` never gets a value", file.def_name(id));
            found.push(Finding::new(file.def(id).name_range, message));
        }
    }
    check.cx.check()
}
