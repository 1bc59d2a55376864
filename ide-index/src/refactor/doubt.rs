//! Uses of which it is not known what they mean.

use ide_model::SymbolKind;

use super::rename::Occurrence;
use crate::facts::{DefFlags, Role};
use crate::resolve::Resolver;
use crate::world::{FileId, GlobalDef};

/// Whether an occurrence of which nothing certain is known could mean one of some declarations at all.
pub(in crate::refactor) fn could_mean(
    rx: &Resolver,
    defs: &[GlobalDef],
    only_in: Option<FileId>,
    doubt: &Occurrence,
) -> bool {
    let file = rx.file(doubt.file);
    let r = file.reference(doubt.reference);
    let (is_key, has_receiver) = (r.role == Role::Key, r.receiver.is_some());
    let is_imported = matches!(r.role, Role::Import | Role::Package);
    defs.iter().any(|def| {
        let d = rx.def(*def);
        let name = file.ref_name(doubt.reference);
        let policy = rx.policy_of(*def);
        let is_accessor = || policy.accessors(rx, *def).iter().any(|accessor| **accessor == *name);
        if rx.language_of(*def).family() != file.family() {
            return false;
        }
        if has_receiver && r.role == Role::Call && is_accessor() {
            return true;
        }
        if *rx.shared_name(*def) != *name {
            // A getter that another language reads as a property.
            let is_other = !policy.calls_fields() && rx.language_of(*def) != file.language();
            return is_other
                && has_receiver
                && policy.other_names(rx, *def).iter().any(|other| **other == *name);
        }
        if d.flags.has(DefFlags::LOCAL) {
            return match d.kind {
                // The part of a value that is taken apart has the name by which the value knows it.
                SymbolKind::Parameter => !has_receiver && (is_key || only_in.is_some()),
                _ => !has_receiver && !is_key,
            };
        }
        // The name of an argument is that of a parameter, or of a field that a constructor is made for.
        let is_argument = is_key && !has_receiver && rx.policy_of(*def).keywords_name_parameters();
        if is_argument && (d.kind.is_callable() || d.kind.is_type() || rx.member_owner(*def).is_none()) {
            return false;
        }
        let is_field = matches!(d.kind, SymbolKind::Field | SymbolKind::Property);
        if is_field && has_receiver && r.role == Role::Call && !rx.policy_of(*def).calls_fields() {
            return false;
        }
        if has_receiver && !is_key && !rx.policy_of(*def).may_be_member(rx, *def) {
            return false;
        }
        has_receiver || is_key || is_imported || rx.member_owner(*def).is_none() || def.file == doubt.file
    })
}
