//! Type parameters and what is put in their place, and what types are underneath their names.

use std::sync::Arc;

use ide_model::SymbolKind;

use super::policy::{GoPolicy, MAX_EMBEDDING};
use crate::facts::{DefId, Expr, ExprId, SuperKind};
use crate::guard;
use crate::resolve::{FileView, Resolver, Substitution, Ty, Types, unify};
use crate::world::GlobalDef;

impl GoPolicy {
    /// A receiver names the type's parameters anew: what they are called in the type's own declaration.
    pub(super) fn receiver_parameters(rx: &Resolver, method: GlobalDef) -> Substitution {
        let own = rx.type_params(method);
        if own.is_empty() || rx.def(method).receiver.is_none() {
            return Substitution::default();
        }
        let Some(class) = Self::receiver_type(rx, method) else { return Substitution::default() };
        own.into_iter().zip(rx.type_params(class).into_iter().map(Ty::Param)).collect()
    }

    /// The constraint of a type parameter. A type parameter that a receiver names has the constraint of the
    /// type's declaration.
    pub(super) fn bound(rx: &Resolver, parameter: GlobalDef) -> Option<Ty> {
        let file = rx.file(parameter.file);
        let d = file.def(parameter.def);
        if let Some(written) = d.ty {
            return Some(rx.type_of(file, written));
        }
        let method = file.scope(d.scope).owner.map(|method: DefId| file.global(method))?;
        let declared = Self::receiver_parameters(rx, method);
        let Some(Ty::Param(declared_as)) = declared.get(&parameter) else { return None };
        let written = guard::deeper(|| Self::bound(rx, *declared_as))??;
        // The constraint may mention other type parameters: they get the names of the receiver.
        let names = declared.iter().filter_map(|(own, ty)| match ty {
            Ty::Param(declared) => Some((*declared, Ty::Param(*own))),
            _ => None,
        });
        Some(written.substitute(&names.collect()))
    }

    /// The underlying type, behind its names.
    pub(super) fn structure(rx: &Resolver, ty: &Ty) -> Ty {
        let mut ty = Self::through(ty);
        for _ in 0..MAX_EMBEDDING {
            let Some(class) = ty.def() else { break };
            let next = match rx.def(class).kind {
                SymbolKind::TypeParameter => Self::bound(rx, class),
                SymbolKind::Interface => Self::type_set(rx, class),
                _ => Self::underlying(rx, class),
            };
            match next {
                Some(next) => ty = next.substitute(&rx.arguments_of(&ty)),
                None => break,
            }
        }
        ty
    }

    /// `F[int]`, `T[K, V]`: one more type argument of a function or a type.
    pub(super) fn instantiated(base: &Ty, argument: &Ty) -> Ty {
        let with =
            |args: &[Ty]| -> Types { args.iter().cloned().chain([argument.clone().instantiate()]).collect() };
        match base {
            Ty::Class(def, args) => Ty::Class(*def, with(args)),
            // A function with type arguments is bound to itself.
            Ty::Function(def, None) => Ty::Function(*def, Some(Arc::new(Ty::Class(*def, with(&[]))))),
            Ty::Function(def, Some(bound)) => match &**bound {
                Ty::Class(to, args) if to == def => {
                    Ty::Function(*def, Some(Arc::new(Ty::Class(*def, with(args)))))
                }
                _ => base.clone(),
            },
            other => other.clone(),
        }
    }

    /// The one type that the constraint of a type parameter asks for: `interface{ ~[]E }`.
    pub(super) fn type_set(rx: &Resolver, interface: GlobalDef) -> Option<Ty> {
        let file = rx.file(interface.file);
        let mut terms =
            file.list(file.def(interface.def).supers).filter(|edge| edge.kind == SuperKind::Other);
        let (only, None) = (terms.next()?, terms.next()) else { return None };
        Some(rx.type_of(file, only.ty))
    }

    /// The type arguments that several arguments of one call give together, and those that constraints give to
    /// other type parameters: `[S ~[]E, E any]`.
    pub(super) fn infer_more(
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
        function: GlobalDef,
        into: &mut Substitution,
    ) {
        let params = rx.type_params(function);
        if let Expr::Call { args, .. } = file.expr(call)
            && args.len == 1
            && let Some(results @ Ty::Tuple(values)) =
                &file.list(args).next().map(|arg| rx.expr_type(file, arg))
        {
            into.retain(|_, ty| ty != results);
            for (i, value) in values.iter().enumerate() {
                if let Some(parameter) = rx.parameter_at(function, i) {
                    let declared = rx.def_type(parameter);
                    unify(&declared, &rx.widened(value, &declared), &params, into);
                }
            }
        }
        if params.iter().all(|param| into.contains_key(param)) {
            return;
        }
        for param in &params {
            let Some(core) = Self::bound(rx, *param).map(|bound| Self::structure(rx, &bound)) else {
                continue;
            };
            match into.get(param).cloned() {
                Some(actual) => unify(&core, &Self::structure(rx, &actual), &params, into),
                None if matches!(core, Ty::Param(_) | Ty::Array(_) | Ty::Pointer(_)) => {
                    into.insert(*param, core.substitute(into));
                }
                None => {}
            }
        }
    }
}
