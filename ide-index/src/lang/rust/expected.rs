//! The type that a place expects of its value.

use std::sync::Arc;

use ide_model::SymbolKind;

use super::infer::{evaluate, method, shape_of, signature};
use super::library;
use super::members::{bound_only, bounds, settle};
use crate::facts::{DefFlags, Expectation, Expr, ExprId};
use crate::resolve::{FileView, Resolver, Target, Ty};
use crate::world::GlobalDef;

/// The expected type of an argument: the declared parameter type with the bindings by the other arguments.
pub(super) fn expected(rx: &Resolver, file: &FileView, expr: ExprId) -> Ty {
    let Some(Expectation::Argument { call, index }) = file.expectation(expr) else {
        return rx.default_expected(file, expr);
    };
    let Expr::Call { callee, args, .. } = file.expr(call) else { return Ty::Unknown };
    if let Some((reference, receiver)) = method(rx, file, callee) {
        let resolved = rx.resolve(file.global_ref(reference));
        return match resolved.resolution.targets.first() {
            Some(Target::Def(def)) if rx.def(*def).kind != SymbolKind::Field => {
                parameter(rx, file, *def, &resolved.owner, call, expr, index)
            }
            Some(Target::Def(_)) => nth_parameter(rx, &rx.value_of(&resolved), index),
            _ => match shape_of(rx, &receiver, file.ref_name(reference)) {
                Some((shape, on)) => {
                    let given = shape.closure(index as usize).iter();
                    let params = given.map(|t| evaluate(rx, file, t, &on, args, None)).collect();
                    Ty::Callable { params, result: Arc::new(Ty::Unknown) }
                }
                None => Ty::Unknown,
            },
        };
    }
    match rx.expr_type(file, callee) {
        Ty::Function(def, owner) => {
            let owner = owner.as_deref().cloned().unwrap_or(Ty::Unknown);
            let d = rx.def(def);
            let has_self = d.kind == SymbolKind::Method && !d.flags.has(DefFlags::STATIC);
            let index = if has_self { index.saturating_sub(1) } else { index };
            parameter(rx, file, def, &owner, call, expr, index)
        }
        Ty::ExternalName(path) if index == 0 && library::wraps_argument(&path) => {
            match expected(rx, file, call) {
                Ty::External(_, args) => args.first().cloned().unwrap_or(Ty::Unknown),
                _ => Ty::Unknown,
            }
        }
        Ty::ExternalName(path) => {
            let given = library::function_closure(&path);
            if given.is_empty() {
                return Ty::Unknown;
            }
            let params = given.iter().map(|t| evaluate(rx, file, t, &Ty::Unknown, args, None)).collect();
            Ty::Callable { params, result: Arc::new(Ty::Unknown) }
        }
        other => nth_parameter(rx, &other, index),
    }
}

fn nth_parameter(rx: &Resolver, callee: &Ty, index: u32) -> Ty {
    let params = signature(rx, callee).map_or_else(Vec::new, |(params, _)| params);
    params.get(index as usize).cloned().unwrap_or(Ty::Unknown)
}

fn parameter(
    rx: &Resolver,
    file: &FileView,
    def: GlobalDef,
    owner: &Ty,
    call: ExprId,
    argument: ExprId,
    index: u32,
) -> Ty {
    let Some(parameter) = rx.parameter_at(def, index as usize) else { return Ty::Unknown };
    let mut declared = rx.def_type(parameter);
    if let Ty::Param(bounded) = &declared {
        // A closure's type is what its parameter's bound says.
        let found = bounds(rx, *bounded).iter().find_map(|bound| signature(rx, bound));
        if let Some((params, result)) = found {
            declared = Ty::Callable { params: params.into(), result: Arc::new(result) };
        }
    }
    let mut found = bound_only(&rx.arguments_of(owner));
    rx.infer_type_arguments(file, call, def, Some(argument), &mut found);
    let ty = declared.substitute(&found).substitute(&found);
    match ty {
        Ty::Callable { params, result } => {
            Ty::Callable { params: params.iter().map(|p| settle(rx, p)).collect(), result }
        }
        other => other,
    }
}
