//! Type parameters and what is put in their place, and what types are underneath their names.

use std::sync::Arc;

use ide_model::SymbolKind;
use rustc_hash::FxHashSet;

use super::policy::{GoPolicy, MAX_EMBEDDING, is_builtin_generic};
use crate::facts::{BinaryOp, DefFlags, DefId, Expr, ExprId, RefId, SuperKind, UnaryOp};
use crate::guard;
use crate::resolve::{FileView, Resolver, Substitution, Target, Ty, Types, unify};
use crate::world::GlobalDef;

/// Constraints that are made of constraints deeper than this are not followed.
const MAX_TERMS: usize = 3;

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

    /// The underlying type, behind names and pointers.
    pub(super) fn structure(rx: &Resolver, ty: &Ty) -> Ty {
        Self::underneath(rx, &Self::through(ty))
    }

    /// The underlying type, behind its names.
    pub(super) fn underneath(rx: &Resolver, ty: &Ty) -> Ty {
        Self::underneath_at(rx, ty, 0)
    }

    fn underneath_at(rx: &Resolver, ty: &Ty, depth: usize) -> Ty {
        let mut ty = ty.clone();
        for _ in 0..MAX_EMBEDDING {
            if let Ty::Union(parts) = &ty {
                return Self::common(rx, parts, depth).unwrap_or(ty);
            }
            let Some(class) = ty.def() else { break };
            let next = match rx.def(class).kind {
                SymbolKind::TypeParameter => Self::bound(rx, class),
                SymbolKind::Interface => Self::type_set(rx, class, depth),
                _ => Self::underlying(rx, class),
            };
            match next {
                Some(next) => ty = next.substitute(&rx.arguments_of(&ty)),
                None => break,
            }
        }
        ty
    }

    /// The type that is underneath all of several.
    fn common(rx: &Resolver, parts: &[Ty], depth: usize) -> Option<Ty> {
        if depth == MAX_TERMS || !guard::spend(1) {
            return None;
        }
        let mut all = parts.iter().map(|part| Self::underneath_at(rx, part, depth + 1));
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    }

    /// The one type that the constraint of a type parameter asks for: `interface{ ~[]E }`.
    fn type_set(rx: &Resolver, interface: GlobalDef, depth: usize) -> Option<Ty> {
        let terms = Self::terms(rx, interface);
        match &terms[..] {
            [] if depth < MAX_TERMS => rx.supers(interface).iter().find_map(|parent| {
                let embedded = parent.def().filter(|def| rx.kind(*def) == SymbolKind::Interface)?;
                let core = Self::type_set(rx, embedded, depth + 1)?;
                Some(core.substitute(&rx.arguments_of(parent)))
            }),
            [] => None,
            [one] => Some(one.clone()),
            many => Self::common(rx, many, depth),
        }
    }

    /// The types that an interface allows, where it lists any.
    pub(super) fn terms(rx: &Resolver, interface: GlobalDef) -> Vec<Ty> {
        let file = rx.file(interface.file);
        let terms = file.list(file.def(interface.def).supers).filter(|edge| edge.kind == SuperKind::Other);
        terms.map(|edge| rx.type_of(file, edge.ty)).collect()
    }

    /// The value that the name of an alias is. The type parameters of a generic one wait for their arguments.
    pub(super) fn alias(rx: &Resolver, alias: GlobalDef) -> Ty {
        let file = rx.file(alias.file);
        let d = file.def(alias.def);
        match d.ty {
            _ if !d.type_params.is_empty() => Ty::class(alias),
            Some(ty) => as_value(rx.type_of(file, ty)),
            None => Ty::Unknown,
        }
    }

    /// An alias with one more type argument: the type that it stands for once it has all.
    pub(super) fn instantiated_alias(rx: &Resolver, alias: GlobalDef, with: &Ty) -> Ty {
        if with.args().len() < rx.type_params(alias).len() {
            return with.clone();
        }
        as_value(rx.type_of_def(alias, with.args().into()))
    }

    /// A method that is taken from its type is a function of the receiver: `Day.Next`.
    pub(super) fn method_expression(rx: &Resolver, file: &FileView, reference: RefId) -> Option<Ty> {
        let base = file.reference(reference).receiver?;
        let owner @ Ty::Class(..) = rx.expr_type(file, base) else { return None };
        let value = rx.value_of(&rx.resolve(file.global_ref(reference)));
        let Ty::Function(method, _) = value else { return None };
        let (params, result) =
            Self::signature_of(rx, &value).filter(|_| rx.kind(method) == SymbolKind::Method)?;
        let receiver = match file.expr(base) {
            Expr::Deref(_) => Ty::Pointer(Arc::new(owner.instantiate())),
            _ => owner.instantiate(),
        };
        let params = std::iter::once(receiver).chain(params).collect();
        Some(Ty::Callable { params, result: Arc::new(result) })
    }

    /// Parameter and result types of a function, in the names of its receiver's type arguments.
    pub(super) fn signature_of(rx: &Resolver, ty: &Ty) -> Option<(Vec<Ty>, Ty)> {
        let (mut params, result) = rx.default_signature(ty)?;
        if let Ty::Function(def, receiver) = ty {
            let own = Self::receiver_parameters(rx, *def);
            let with = receiver.as_deref().map(|receiver| rx.arguments_of(receiver)).unwrap_or_default();
            for param in params.iter_mut().filter(|_| !own.is_empty()) {
                *param = param.substitute(&own).substitute(&with);
            }
        }
        Some((params, result))
    }

    /// The type of a function without its name.
    fn callable(rx: &Resolver, ty: &Ty) -> Ty {
        match Self::signature_of(rx, ty) {
            Some((params, result)) => Ty::Callable { params: params.into(), result: Arc::new(result) },
            None => ty.clone(),
        }
    }

    /// Whether an expression is a type, so that its call is a conversion.
    pub(super) fn names_type(rx: &Resolver, file: &FileView, expr: ExprId) -> bool {
        match file.expr(expr) {
            Expr::Type(_) => true,
            Expr::Deref(base) | Expr::Index { base, .. } => {
                guard::deeper(|| Self::names_type(rx, file, base)).unwrap_or(false)
            }
            Expr::Ref(name) => {
                rx.resolve(file.global_ref(name)).resolution.defs().next().is_some_and(|def| {
                    let kind = rx.kind(def);
                    kind.is_type() || matches!(kind, SymbolKind::TypeAlias | SymbolKind::TypeParameter)
                })
            }
            _ => false,
        }
    }

    /// Whether a value is a constant without a type of its own.
    pub(super) fn is_untyped(rx: &Resolver, file: &FileView, value: ExprId) -> bool {
        is_untyped(rx, file, value, &mut FxHashSet::default())
    }

    /// The type arguments that are written, those that the arguments of one call give together, and those that
    /// constraints give to other type parameters: `[S ~[]E, E any]`. A constant without a type says something only about
    /// what nothing else tells.
    pub(super) fn infer_more(
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
        function: GlobalDef,
        into: &mut Substitution,
    ) {
        let params = rx.type_params(function);
        if rx.def(function).receiver.is_some() {
            let declared = Self::receiver_parameters(rx, function);
            for own in params {
                if let Some(Ty::Param(declared)) = declared.get(&own)
                    && let Some(ty) = into.get(declared).cloned()
                {
                    into.insert(own, ty);
                }
            }
            return;
        }
        let callee = rx.callee_of(file, call).unwrap_or(Ty::Unknown);
        let mut found = callee.parts().iter().fold(Substitution::default(), |written, part| match part {
            Ty::Function(def, Some(bound)) if *def == function => rx.arguments_of(bound),
            _ => written,
        });
        let (mut generic, mut constants) = (Vec::new(), Vec::new());
        for (declared, actual, argument) in Self::arguments(rx, file, call, function) {
            if argument.is_some_and(|argument| Self::is_untyped(rx, file, argument)) {
                constants.push((declared, actual));
            } else if is_generic(rx, &actual) {
                generic.push((declared, actual));
            } else {
                unify_shapes(rx, &declared, &actual, &params, &mut found);
            }
        }
        Self::infer_from_constraints(rx, &params, &mut found);
        for (declared, actual) in generic {
            let actual = Self::fitted(rx, &declared, &actual, &params, &found);
            unify_shapes(rx, &declared, &actual, &params, &mut found);
        }
        for (declared, actual) in constants.iter().filter(|(_, ty)| matches!(ty, Ty::External(..))) {
            unify_shapes(rx, declared, actual, &params, &mut found);
        }
        Self::infer_from_constraints(rx, &params, &mut found);
        into.extend(found);
    }

    /// The arguments of a call with the declared types of what receives them.
    fn arguments(
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
        function: GlobalDef,
    ) -> Vec<(Ty, Ty, Option<ExprId>)> {
        let Expr::Call { args, .. } = file.expr(call) else { return Vec::new() };
        let mut all: Vec<(Option<ExprId>, Ty)> =
            file.list(args).map(|arg| (Some(arg), rx.expr_type(file, arg))).collect();
        if let [(_, Ty::Tuple(results))] = &all[..] {
            all = results.iter().map(|result| (None, result.clone())).collect();
        }
        let declared = |index: usize, argument: Option<ExprId>| {
            let parameter = rx.parameter_at(function, index)?;
            let hands_all_over = argument.is_some_and(|arg| matches!(file.expr(arg), Expr::Spread(_)));
            Some(match rx.def_type(parameter) {
                Ty::Array(item) if rx.has_flag(parameter, DefFlags::VARARG) && !hands_all_over => {
                    (*item).clone()
                }
                declared => declared,
            })
        };
        let with_declared = |(i, (arg, actual))| Some((declared(i, arg)?, actual, arg));
        all.into_iter().enumerate().filter_map(with_declared).collect()
    }

    /// A generic function with the type arguments that the place of its value gives.
    fn fitted(rx: &Resolver, declared: &Ty, function: &Ty, params: &[GlobalDef], known: &Substitution) -> Ty {
        let own = function.def().map(|def| rx.type_params(def)).unwrap_or_default();
        let wanted = Self::callable(rx, &Self::underneath(rx, declared)).substitute(known);
        let value = Self::callable(rx, function);
        let mut with = Substitution::default();
        unify(&value, &wanted, &own, &mut with);
        with.retain(|_, ty| !matches!(ty, Ty::Param(param) if params.contains(param)));
        value.substitute(&with).forget(&own)
    }

    fn infer_from_constraints(rx: &Resolver, params: &[GlobalDef], into: &mut Substitution) {
        for _ in 0..params.len().min(MAX_EMBEDDING) {
            let known = into.len();
            for param in params {
                let Some(core) = Self::bound(rx, *param).map(|bound| Self::underneath(rx, &bound)) else {
                    continue;
                };
                if let Some(actual) = into.get(param).cloned() {
                    unify(&core, &Self::callable(rx, &Self::underneath(rx, &actual)), params, into);
                    continue;
                }
                let filled = core.substitute(into);
                let has_shape = matches!(
                    core,
                    Ty::Param(_) | Ty::Array(_) | Ty::Pointer(_) | Ty::Callable { .. } | Ty::External(..)
                );
                if has_shape && filled != core {
                    into.insert(*param, filled);
                }
            }
            if into.len() == known {
                break;
            }
        }
    }
}

/// A type as a value keeps what it holds.
fn as_value(ty: Ty) -> Ty {
    match ty {
        Ty::Instance(def, args) => Ty::Class(def, args),
        Ty::External(name, _) if !is_builtin_generic(&ty) => Ty::ExternalName(name),
        other => other,
    }
}

/// Whether a value is a function that waits for type arguments.
fn is_generic(rx: &Resolver, value: &Ty) -> bool {
    let Ty::Function(def, bound) = value else { return false };
    let is_bound = matches!(bound.as_deref(), Some(Ty::Class(to, _)) if to == def);
    !is_bound && rx.def(*def).receiver.is_none() && !rx.def(*def).type_params.is_empty()
}

/// [`unify`], with the underlying type of whichever side has a name that the other lacks.
fn unify_shapes(rx: &Resolver, declared: &Ty, actual: &Ty, params: &[GlobalDef], into: &mut Substitution) {
    let actual = match actual {
        Ty::Function(..) if !matches!(declared, Ty::Param(_)) => GoPolicy::callable(rx, actual),
        other => other.clone(),
    };
    let known = into.len();
    unify(declared, &rx.widened(&actual, declared), params, into);
    if into.len() == known && declared.def().is_some_and(|def| rx.kind(def) == SymbolKind::Class) {
        let shape = GoPolicy::callable(rx, &GoPolicy::underneath(rx, &actual));
        unify(&GoPolicy::underneath(rx, declared), &shape, params, into);
    }
}

/// Each constant is looked at once: what was said about it before holds for the whole.
fn is_untyped(rx: &Resolver, file: &FileView, value: ExprId, seen: &mut FxHashSet<GlobalDef>) -> bool {
    let inside = |file: &FileView, value, seen: &mut FxHashSet<GlobalDef>| {
        guard::deeper(|| is_untyped(rx, file, value, seen)).unwrap_or(false)
    };
    match file.expr(value) {
        Expr::Literal(_) => true,
        Expr::Unary { op, value } => op != UnaryOp::AddressOf && inside(file, value, seen),
        Expr::Binary { op: BinaryOp::Shift, left, .. } => inside(file, left, seen),
        Expr::Binary { left, right, .. } => inside(file, left, seen) && inside(file, right, seen),
        Expr::Ref(name) => match rx.resolve(file.global_ref(name)).resolution.targets.first() {
            Some(Target::Def(def)) => {
                let home = rx.file(def.file);
                let d = home.def(def.def);
                d.kind == SymbolKind::Constant
                    && d.ty.is_none()
                    && d.init.is_some_and(|init| !seen.insert(*def) || inside(home, init, seen))
            }
            Some(Target::External(name)) => {
                matches!(&**name, "builtin.nil" | "builtin.iota" | "builtin.true" | "builtin.false")
            }
            _ => false,
        },
        _ => false,
    }
}
