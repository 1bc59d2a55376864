//! Types of variables that their declaration leaves open: what is put into them, or assigned to them, later.

use super::infer;
use super::library;
use super::members::item;
use crate::facts::{DefId, Expr, ExprId};
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::GlobalDef;

/// Methods by which a collection tells what it holds.
const GROWING: [&str; 7] =
    ["push", "push_back", "push_front", "insert", "extend", "replace", "get_or_insert_with"];

/// The type of a variable that began as an empty collection: by the first thing that is put in.
pub(super) fn grown(rx: &Resolver, file: &FileView, def: DefId, ty: Ty) -> Ty {
    let Ty::External(name, args) = &ty else { return ty };
    let is_open = args.is_empty() || args.iter().all(Ty::is_unknown);
    let is_collection = library::shape(library::last(name), "iter").is_some();
    if !is_open || !is_collection || library::is_iterator(library::last(name)) {
        return ty;
    }
    let variable = file.def(def).name;
    let found = file.ref_ids().find_map(|r| {
        let reference = file.reference(r);
        let Expr::Ref(on) = file.expr(reference.receiver?) else { return None };
        let is_it = file.reference(on).name == variable && GROWING.contains(&file.ref_name(r));
        if !is_it || rx.resolve(file.global_ref(on)).resolution.defs().next() != Some(file.global(def)) {
            return None;
        }
        let Expr::Call { args, .. } = file.expr(reference.call?) else { return None };
        let given: Vec<Ty> = file.list(args).map(|e| rx.expr_type(file, e)).collect();
        let given = match (file.ref_name(r), &given[..]) {
            ("extend", [items]) => vec![item(rx, items)?],
            ("insert", [_, value]) if library::shape(library::last(name), "keys").is_none() => {
                vec![value.clone()]
            }
            _ => given,
        };
        (!given.is_empty() && !given.iter().all(Ty::is_unknown)).then_some(given)
    });
    match found {
        Some(given) => Ty::External(name.clone(), given.into()),
        None => ty,
    }
}

/// The type of a variable that is declared without a value: of the first that it gets.
pub(super) fn given_later(rx: &Resolver, def: GlobalDef) -> Ty {
    let file = rx.file(def.file);
    let variable = file.def(def.def).name;
    let gives = |target: ExprId| match file.expr(target) {
        Expr::Ref(r) if file.reference(r).name == variable && file.reference(r).receiver.is_none() => {
            rx.resolve(file.global_ref(r)).resolution.defs().next() == Some(def)
        }
        _ => false,
    };
    let first = file.assigns.iter().find(|assign| gives(assign.target));
    first.map_or(Ty::Unknown, |assign| rx.expr_type(file, assign.value))
}

/// The type of a variable by what is written, with what the value says beyond that: it may become another by being stored.
pub(super) fn declared_or(declared: Ty, value: Ty) -> Ty {
    let is_other = match (&declared, &value) {
        (Ty::External(a, _), Ty::External(b, _)) => {
            library::last(a) != library::last(b) && !library::is_standard(b)
        }
        _ => false,
    };
    if is_other { declared } else { infer::best([declared, value]) }
}

/// `let all: Vec<_> = iterator.collect()`.
pub(super) fn collected_into(rx: &Resolver, file: &FileView, declared: Ty, init: ExprId) -> Ty {
    let init = match file.expr(init) {
        Expr::Try(inner) => inner,
        _ => init,
    };
    let Expr::Call { callee, .. } = file.expr(init) else { return declared };
    let Some((reference, receiver)) = infer::method(rx, file, callee) else { return declared };
    let name = file.ref_name(reference);
    if !matches!(name, "collect" | "partition" | "unzip") {
        return declared;
    }
    let Some((_, on)) = infer::shape_of(rx, &receiver, name) else { return declared };
    match (&declared, item(rx, &on)) {
        (Ty::Tuple(parts), Some(Ty::Tuple(items))) if name == "unzip" && parts.len() == items.len() => {
            Ty::Tuple(
                parts.iter().zip(&*items).map(|(part, item)| infer::filled(part.clone(), item)).collect(),
            )
        }
        (Ty::Tuple(parts), Some(item)) if name == "partition" => {
            Ty::Tuple(parts.iter().map(|part| infer::filled(part.clone(), &item)).collect())
        }
        _ => infer::collected(rx, declared, &on),
    }
}
