//! Method references: what they give and take by the place that asks for them (JLS 15.13).

use std::sync::Arc;

use ide_model::SymbolKind;

use super::{JavaPolicy, types};
use crate::facts::{DefFlags, Expr, ExprId, RefFlags, RefId};
use crate::resolve::{FileView, Resolver, Substitution, Ty, unify};
use crate::world::GlobalDef;

impl JavaPolicy {
    /// The result type of a referenced method when it depends on the method's receiver or arguments: the place tells
    /// those.
    pub(super) fn referenced_result(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Option<Ty> {
        let resolved = rx.resolve(file.global_ref(reference));
        let def = resolved.resolution.defs().next()?;
        let d = rx.def(def);
        let is_method = matches!(d.kind, SymbolKind::Method | SymbolKind::Field);
        let owner = rx.owner_class(def).filter(|_| is_method)?;
        let receiver = rx.expr_type(file, file.reference(reference).receiver?);
        let is_static = d.flags.has(DefFlags::STATIC);
        let own = rx.type_params(def);
        let of_class = if is_static { Vec::new() } else { rx.type_params(owner) };
        if own.is_empty() && of_class.is_empty() {
            return None;
        }
        let (params, _) = self.expected_of(rx, file, reference)?;
        let mut known = Substitution::default();
        let is_unbound = matches!(receiver, Ty::Class(..)) && !is_static;
        if is_unbound {
            let object = params.first()?;
            let line = rx.linearization(object);
            known = rx.arguments_of(line.iter().find(|ty| ty.def() == Some(owner))?);
        } else if !is_static {
            let line = rx.linearization(&receiver);
            known = rx.arguments_of(line.iter().find(|ty| ty.def() == Some(owner))?);
        }
        let given = &params[usize::from(is_unbound).min(params.len())..];
        for (index, actual) in given.iter().enumerate() {
            let Some(parameter) = rx.parameter_at(def, index) else { break };
            let declared = rx.def_type(parameter);
            unify(&declared, &rx.widened(actual, &declared), &own, &mut known);
        }
        let result = if d.kind == SymbolKind::Field { rx.def_type(def) } else { rx.return_type(def) };
        let result = result.substitute(&known).forget(&own).forget(&of_class);
        Some(result).filter(|ty| !ty.is_unknown())
    }

    /// The type arguments of a call that follow from references to methods of plain classes among its arguments:
    /// `comparing(Person::name)` tells the compared type.
    pub(super) fn infer_from_references(
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
        function: GlobalDef,
        into: &mut Substitution,
    ) {
        let (Expr::Call { args, .. } | Expr::New { args, .. }) = file.expr(call) else { return };
        let own = rx.type_params(function);
        for (index, arg) in file.list(args).enumerate() {
            let Expr::Ref(name) = file.expr(arg) else { continue };
            let r = file.reference(name);
            let Some(receiver) = r.receiver.filter(|_| r.flags.has(RefFlags::METHOD_REF)) else { continue };
            let Ty::Class(class, _) = rx.expr_type(file, receiver) else { continue };
            if !rx.type_params(class).is_empty() {
                continue;
            }
            let resolved = rx.resolve(file.global_ref(name)).resolution;
            let Some(method) = resolved.defs().next().filter(|_| resolved.confidence.is_certain()) else {
                continue;
            };
            let Some(parameter) = rx.parameter_at(function, index) else { continue };
            let Some((wanted, _)) = rx.signature(file, &rx.def_type(parameter)) else { continue };
            if rx.has_flag(method, DefFlags::STATIC) {
                continue;
            }
            if let Some(object) = wanted.first() {
                unify(object, &Ty::instance(class), &own, into);
            }
        }
    }

    /// `X[]::new`
    pub(super) fn array_maker(
        rx: &Resolver,
        file: &FileView,
        value: ExprId,
        ty: crate::TypeId,
    ) -> Option<Ty> {
        file.expectation(value)?;
        let array = rx.type_of(file, ty);
        matches!(array, Ty::Array(_)).then(|| Ty::Callable {
            params: [types::primitive("int")].into_iter().collect(),
            result: Arc::new(array),
        })
    }
}
