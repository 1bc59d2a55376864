//! The possible meanings of an undeclared name: members of classes that are not indexed, of values of which nothing
//! is known.

use std::sync::Arc;

use super::names::{has_meaning, meaning};
use super::{lombok, names};
use crate::facts::{DefFlags, Expr, RefId, ScopeId, ScopeKind};
use crate::lang::kotlin;
use crate::resolve::{FileView, Reason, Resolution, Resolver, Ty};

/// A supertype that is not indexed, so that the name might be inherited from it.
pub(super) fn open_super(rx: &Resolver, ty: &Ty, name: &str) -> Option<Arc<str>> {
    rx.linearization(ty).iter().find_map(|ty| match ty {
        Ty::External(base, _) => may_have(base, name).then(|| base.clone()),
        _ => None,
    })
}

/// The members that every object has.
pub(in crate::lang) const OBJECT: [&str; 10] = [
    "getClass",
    "hashCode",
    "equals",
    "clone",
    "toString",
    "notify",
    "notifyAll",
    "wait",
    "finalize",
    "class",
];

/// Whether a class that is not indexed can have a member: of the few that every type derives from it is known.
fn may_have(class: &str, name: &str) -> bool {
    const ENUM: [&str; 5] = ["name", "ordinal", "compareTo", "getDeclaringClass", "describeConstable"];
    match class {
        "java.lang.Object" | "java.lang.Record" => OBJECT.contains(&name),
        "java.lang.Enum" => OBJECT.contains(&name) || ENUM.contains(&name),
        _ => true,
    }
}

/// A plain name that no scope declares: inherited from a class that is not indexed, or imported from one.
pub(super) fn open_member(rx: &Resolver, file: &FileView, scope: ScopeId, name: &str) -> Resolution {
    let classes = file.scope_chain(scope).filter(|s| file.scope(*s).kind == ScopeKind::Class);
    let mut implied = None;
    for owner in classes.filter_map(|s| file.scope(s).owner) {
        if name == "log"
            && let Some(logger) = lombok::logger(rx, file, owner)
        {
            let found = names::qualified_type(rx, file, logger);
            return found.map_or_else(|| Resolution::external(logger), Resolution::def);
        }
        let this = rx.self_type(file.global(owner));
        if let Some(open) = open_super(rx, &this, name) {
            return Resolution::external(format!("{open}.{name}"));
        }
        implied = implied.or_else(|| kotlin::made_member(rx, file.global(owner), name));
    }
    let star = names::unknown_static_star(rx, file).map(|module| format!("{module}.{name}"));
    match implied.or(star) {
        Some(full) => Resolution::external(full),
        None => Resolution::unknown(Reason::NotFound),
    }
}

/// The possible meaning of a member behind an unknown value: the only declaration of that name that fits.
pub(super) fn by_name(rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
    let r = file.reference(reference);
    let wanted = meaning(r.role);
    let count = r.call.and_then(|call| match file.expr(call) {
        Expr::Call { args, .. } => Some(args.len as usize),
        _ => None,
    });
    let found = rx.by_name_only(file, reference, 1, |site| {
        let takes = |count: usize| {
            let view = rx.file(site.at.file);
            let d = view.def(site.at.def);
            let variable =
                || view.list(d.params).next_back().is_some_and(|p| view.has_flag(p, DefFlags::VARARG));
            d.params.len as usize == count || variable() && count + 1 >= d.params.len as usize
        };
        has_meaning(site.kind, wanted) && rx.owner_class(site.at).is_some() && count.is_none_or(takes)
    });
    kotlin::or_by_accessor(rx, file, reference, found)
}
