//! Names that nothing declares.

use std::cell::LazyCell;

use ide_model::QueryError;
use rustc_hash::FxHashSet;

use super::{Check, Finding, slips};
use crate::facts::Role;
use crate::resolve::Reason;

/// Whether code asks for something named, as a value or as a type.
pub(crate) fn is_read(role: Role) -> bool {
    use Role::*;
    matches!(role, Read | Call | Type | Extends | Implements | New | Annotation)
}

/// Plain names that resolve to nothing where everything is seen that could declare them.
pub(super) fn unresolved(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    let (rx, file) = (check.rx, check.file);
    let given = LazyCell::new(|| said_to_be_given(check.text));
    for id in file.written_refs() {
        let reference = file.reference(id);
        if !is_read(reference.role) || reference.receiver.is_some() || !check.is_plain(id) {
            continue;
        }
        let resolved = rx.resolve(file.global_ref(id)).resolution;
        let is_undeclared =
            || check.judge.is_undeclared(rx, file, id, &resolved) && check.judge.sees_all_names(rx, file, id);
        let is_slip = || {
            resolved.targets.is_empty()
                && resolved.reason != Reason::Cut
                && slips::is_slip_in_scope(rx, file, id)
        };
        // A name that an import binds is declared, whatever becomes of the import.
        if rx.bound(file, id).is_none()
            && (is_undeclared() || is_slip())
            && !given.contains(file.ref_name(id))
        {
            let message = format!("`{}` is not declared", file.ref_name(id));
            found.push(Finding::new(reference.range, message));
        }
    }
    check.cx.check()
}

/// The names that comments say to be of the global scope: `/* global name */`.
fn said_to_be_given(text: &str) -> FxHashSet<&str> {
    let comments = text.split("/*").skip(1).filter_map(|rest| rest.split("*/").next());
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    comments
        .filter(|comment| comment.trim_start().starts_with("global"))
        .flat_map(|comment| comment.split(move |c| !is_word(c)))
        .collect()
}
