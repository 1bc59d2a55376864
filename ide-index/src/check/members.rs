//! Members that a type does not have.

use ide_model::{QueryError, SourceKind, SymbolKind};

use super::{Check, Finding, declared_arity, slips};
use crate::facts::{DefFlags, DefId, Expectation, Expr, ExprId, Role};
use crate::library::LIBRARY_SCHEME;
use crate::resolve::{FileView, Reason, Resolver, Ty};
use crate::world::GlobalDef;

/// Names behind a value or type of which every member is known, that are none of these.
pub(super) fn unresolved(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    let (rx, file) = (check.rx, check.file);
    for id in file.written_refs() {
        let reference = file.reference(id);
        let is_use = matches!(reference.role, Role::Read | Role::Call | Role::Type | Role::New)
            || reference.role == Role::Key && check.judge.keys_are_fields()
            || matches!(reference.role, Role::Write | Role::ReadWrite)
                && !check.judge.writes_make_members(file);
        let Some(receiver) = reference.receiver.filter(|_| is_use && check.is_plain(id)) else { continue };
        // PHP calls what the variable names: `A::$f()`.
        let before = check.text.get(..reference.range.start as usize);
        if reference.role == Role::Call && before.is_some_and(|before| before.ends_with('$')) {
            continue;
        }
        let resolved = rx.resolve(file.global_ref(id)).resolution;
        if resolved.defs().next().is_none()
            && !matches!(resolved.reason, Reason::Cut)
            && let Some(meant) = slips::meant_member(rx, file, id)
        {
            let message = format!("nothing has `{}`; `{meant}` is meant", file.ref_name(id));
            found.push(Finding::new(reference.range, message));
            continue;
        }
        let is_slip = || {
            resolved.defs().next().is_none()
                && !matches!(resolved.reason, Reason::Cut)
                && slips::is_slip_of_member(check, id, &rx.expr_type(file, receiver))
                && is_certain(rx, file, receiver, LONGEST)
        };
        if is_slip() {
            let owner = shown(rx, file, receiver, &rx.expr_type(file, receiver));
            found.push(Finding::new(reference.range, format!("{owner} has no `{}`", file.ref_name(id))));
            continue;
        }
        let is_unknown = resolved.is_unknown()
            && matches!(resolved.reason, Reason::NotFound | Reason::UnknownReceiver)
            || check.judge.is_supposed(rx, &rx.expr_type(file, receiver), &resolved);
        if !is_unknown {
            continue;
        }
        if !is_certain(rx, file, receiver, LONGEST) {
            continue;
        }
        let ty = rx.expr_type(file, receiver);
        if ty.is_unknown() || !ty.parts().iter().all(|part| check.judge.sees_all_members(rx, file, id, part))
        {
            continue;
        }
        let owner = shown(rx, file, receiver, &ty);
        let message = format!("{owner} has no `{}`", file.ref_name(id));
        found.push(Finding::new(reference.range, message));
    }
    check.cx.check()
}

/// The links of a chain of calls and variables that are looked through.
pub(super) const LONGEST: u32 = 16;

/// Whether the type of a value follows from names whose meaning is certain.
pub(super) fn is_certain(rx: &Resolver, file: &FileView, value: ExprId, left: u32) -> bool {
    if left == 0 {
        return false;
    }
    match file.expr(value) {
        Expr::Ref(reference) => {
            let found = rx.resolve(file.global_ref(reference)).resolution;
            let by_value = |def: GlobalDef| {
                let own = rx.def(def);
                let is_untyped = def.file == file.id && own.ty.is_none();
                match own.init.filter(|_| own.flags.has(DefFlags::LOCAL)) {
                    _ if !is_untyped => true,
                    Some(init) => is_certain(rx, file, init, left - 1),
                    // The function that takes a lambda gives it its values.
                    None => taker_of(file, def.def).is_none_or(|call| {
                        !is_ambiguous(rx, file, call) && is_certain(rx, file, call, left - 1)
                    }),
                }
            };
            let receiver = file.reference(reference).receiver;
            (found.confidence.is_certain() || found.is_unknown())
                && found.defs().all(by_value)
                && receiver.is_none_or(|receiver| is_certain(rx, file, receiver, left - 1))
        }
        Expr::Call { callee, .. } => is_certain(rx, file, callee, left - 1),
        Expr::Await(inner)
        | Expr::NonNull(inner)
        | Expr::Element(inner)
        | Expr::Deref(inner)
        | Expr::Try(inner) => is_certain(rx, file, inner, left - 1),
        Expr::Index { base, .. } | Expr::Item { base, .. } => is_certain(rx, file, base, left - 1),
        _ => true,
    }
}

/// Whether the type of a value follows from names whose meaning is certain, looked through as far as checks do.
pub(crate) fn is_certain_value(rx: &Resolver, file: &FileView, value: ExprId) -> bool {
    is_certain(rx, file, value, LONGEST)
}

/// Whether several functions of one name and place take as many arguments as a call gives.
fn is_ambiguous(rx: &Resolver, file: &FileView, call: ExprId) -> bool {
    let Expr::Call { callee, args, .. } = file.expr(call) else { return false };
    let Some(callee) = rx.expr_ref(file, callee) else { return false };
    let takes = |function: GlobalDef| declared_arity(rx, function, 0).takes(args.len as usize);
    rx.resolve(file.global_ref(callee)).resolution.defs().any(|def| {
        let (view, own) = (rx.file(def.file), rx.def(def));
        let namesakes = view.in_scope(own.scope, own.name).iter().map(|other| view.global(*other));
        namesakes.filter(|other| rx.kind(*other).is_callable() && takes(*other)).count() > 1
    })
}

/// The call that takes the function of which a declaration is a parameter.
fn taker_of(file: &FileView, parameter: DefId) -> Option<ExprId> {
    let own = file.def(parameter);
    let function = file.scope(own.scope).owner.filter(|_| own.kind == SymbolKind::Parameter)?;
    file.expectations.iter().find_map(|(value, expected)| match (file.expr(*value), expected) {
        (Expr::Function(of), Expectation::Argument { call, .. } | Expectation::Named { call, .. })
            if of == function =>
        {
            Some(*call)
        }
        _ => None,
    })
}

/// The owner of a member for people. Modules and packages of libraries go by the name that the code has for them: their paths are
/// those of an installation, or of an archive.
fn shown(rx: &Resolver, file: &FileView, receiver: ExprId, ty: &Ty) -> String {
    let written = || rx.expr_ref(file, receiver).map_or("", |name| file.ref_name(name));
    match ty {
        Ty::Module(module) if rx.world().file(*module).source == SourceKind::Library => {
            format!("the module `{}`", written())
        }
        Ty::Package(place) if place.starts_with('/') || place.starts_with(LIBRARY_SCHEME) => {
            format!("the package `{}`", written())
        }
        Ty::Instance(def, _) | Ty::Class(def, _) => format!("`{}`", rx.def_name(*def)),
        Ty::Module(file) => format!("the module {}", rx.world().file(*file).path),
        Ty::Package(name) => format!("the package `{name}`"),
        Ty::Primitive(name) => format!("`{name}`"),
        Ty::Array(_) => "an array".to_owned(),
        _ => "this value".to_owned(),
    }
}
