//! Members that say that they override another one and do not, and those that do without saying so.

use ide_model::QueryError;

use super::{Check, Finding};

/// Members that override nothing.
pub(super) fn nothing(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    let file = check.file;
    for id in file.def_ids() {
        if check.judge.overrides_nothing(check.rx, file, id) {
            let message = format!("`{}` overrides nothing: no supertype has it", file.def_name(id));
            found.push(Finding::new(file.def(id).name_range, message));
        }
    }
    check.cx.check()
}

/// Members that would have to say that they override another one.
pub(super) fn unsaid(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    let file = check.file;
    for id in file.def_ids() {
        if check.judge.lacks_override(check.rx, file, id) {
            let message =
                format!("`{}` overrides a member of a supertype and does not say so", file.def_name(id));
            found.push(Finding::new(file.def(id).name_range, message));
        }
    }
    check.cx.check()
}
