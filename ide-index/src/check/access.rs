//! Members that cannot be reached from where they are named.

use ide_model::{Family, QueryError, SourceKind, SymbolKind};

use super::{Check, Finding, members};
use crate::facts::{Expr, Role, TypeExpr};
use crate::resolve::Resolver;
use crate::world::GlobalDef;

/// Types with more or fewer arguments than they have parameters.
pub(super) fn type_arguments(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    let (rx, file) = (check.rx, check.file);
    for ty in &file.types {
        let TypeExpr::Named { name, args } = *ty else { continue };
        let reference = file.reference(name);
        if args.is_empty() || !check.is_plain(name) || reference.range.is_empty() {
            continue;
        }
        let Some(def) = rx.resolve(file.global_ref(name)).resolution.certain_def() else { continue };
        let own = rx.def(def);
        let is_known = rx.world().file(def.file).source != SourceKind::Library
            && rx.language_of(def) == file.language()
            && own.decorators.is_empty()
            && !is_addition(rx, def)
            && own.body.is_some();
        // The arguments of a trait may name its types: `Source<Item = T>`.
        let is_kind = own.kind.is_type()
            && !matches!(own.kind, SymbolKind::TypeAlias | SymbolKind::TypeParameter | SymbolKind::Trait);
        let (count, parameters) = (args.len as usize, own.type_params.len as usize);
        if is_known && is_kind && !check.judge.takes_type_arguments(count, parameters) {
            let message = format!("`{}` has {parameters} type parameters, not {count}", file.ref_name(name));
            found.push(Finding::new(reference.range, message));
        }
    }
    check.cx.check()
}

/// Whether a type is declared in `declare module "m" { … }`, which adds to one that is declared elsewhere.
fn is_addition(rx: &Resolver, def: GlobalDef) -> bool {
    let view = rx.file(def.file);
    let owner = view.scope(view.def(def.def).scope).owner;
    view.family() == Family::Ecma && owner.is_some_and(|owner| view.def(owner).kind == SymbolKind::Module)
}

/// Members of the results of calls that may return null.
pub(super) fn behind_nothing(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    let (rx, file) = (check.rx, check.file);
    for id in file.written_refs() {
        let reference = file.reference(id);
        let is_behind_call =
            reference.receiver.is_some_and(|receiver| matches!(file.expr(receiver), Expr::Call { .. }));
        if !is_behind_call || !check.is_plain(id) {
            continue;
        }
        let Some(def) = rx.resolve(file.global_ref(id)).resolution.certain_def() else { continue };
        if check.judge.is_behind_nothing(rx, (file, check.text), id, def) {
            let message = format!("`{}` is used on a value that may be null", file.ref_name(id));
            found.push(Finding::new(reference.range, message));
        }
    }
    check.cx.check()
}

/// Names of private declarations of elsewhere, and of members that need an object where there is none.
pub(super) fn unreachable(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    let (rx, file) = (check.rx, check.file);
    for id in file.written_refs() {
        let reference = file.reference(id);
        let is_use =
            matches!(reference.role, Role::Read | Role::Write | Role::ReadWrite | Role::Call | Role::New);
        if !is_use || !check.is_plain(id) {
            continue;
        }
        let Some(def) = rx.resolve(file.global_ref(id)).resolution.certain_def() else { continue };
        let message = if check.judge.is_hidden(rx, file, id, def) {
            format!("`{}` is private", file.ref_name(id))
        } else if check.judge.needs_object(rx, file, id, def) {
            format!("`{}` belongs to an object, and there is none in a static place", file.ref_name(id))
        } else if check.judge.needs_class(rx, file, id, def) {
            format!("`{}` belongs to the class, not to its objects", file.ref_name(id))
        } else {
            continue;
        };
        // Last, as it follows the receiver through the calls that it comes from.
        let is_certain = |receiver| members::is_certain(rx, file, receiver, members::LONGEST);
        if reference.receiver.is_none_or(is_certain) {
            found.push(Finding::new(reference.range, message));
        }
    }
    check.cx.check()
}
