//! Types as annotations mean them.

use std::sync::Arc;

use ide_model::SymbolKind;

use crate::facts::{Expr, ExprId, List, RefId, TypeExpr, TypeId};
use crate::resolve::{Args, FileView, Resolver, Target, Ty};
use crate::world::GlobalDef;

use super::builtins;
use super::values::join;

/// What a written type means; `None` leaves it to the core.
pub(super) fn type_expr(rx: &Resolver, file: &FileView, ty: TypeExpr) -> Option<Ty> {
    let of = |t: TypeId| rx.type_of(file, t);
    let all = |list: List<TypeId>| -> Args { file.list(list).map(of).collect() };
    Some(match ty {
        TypeExpr::Named { name, args } => named(rx, file, name, &all(args)),
        TypeExpr::Primitive(_) => Ty::Nothing,
        TypeExpr::Union(parts) => join(file.list(parts).map(of)),
        TypeExpr::Literal(_) => Ty::external("builtins.str"),
        TypeExpr::Varargs(inner) => of(inner),
        TypeExpr::TypeOf(value) => instance_of(&rx.expr_type(file, value)),
        _ => return None,
    })
}

/// The instances of a class, where a class stands for them.
fn instance_of(value: &Ty) -> Ty {
    join(value.parts().iter().map(|part| part.clone().instantiate()))
}

fn named(rx: &Resolver, file: &FileView, name: RefId, args: &Args) -> Ty {
    let resolved = rx.resolve(file.global_ref(name));
    match resolved.resolution.targets.first() {
        Some(Target::External(external)) => {
            if matches!(&**external, "typing.Self" | "typing_extensions.Self") {
                let class = file.enclosing_class(file.reference(name).scope);
                return class.map_or(Ty::Unknown, |(_, class)| Ty::Param(file.global(class)));
            }
            external_type(external, args)
        }
        Some(Target::Def(def)) => type_of_def(rx, *def, args),
        _ => Ty::Unknown,
    }
}

/// The type that a library's name means.
pub(super) fn external_type(name: &str, args: &Args) -> Ty {
    let first = || args.first().cloned().unwrap_or(Ty::Unknown);
    let typing = name.strip_prefix("typing.").or_else(|| name.strip_prefix("typing_extensions."));
    match typing {
        Some("Optional" | "Union" | "Literal") => return join(args.iter().cloned()),
        Some("Any" | "TypeAlias") => return Ty::Unknown,
        Some("Annotated" | "ClassVar" | "Final" | "Required" | "NotRequired" | "ReadOnly" | "Unpack") => {
            return first();
        }
        Some("NoReturn" | "Never") => return Ty::Nothing,
        Some("TypeGuard" | "TypeIs") => return Ty::external("builtins.bool"),
        _ => {}
    }
    match builtins::canonical(name) {
        "builtins.object" => Ty::Unknown,
        "builtins.None" => Ty::Nothing,
        "dataclasses.InitVar" => first(),
        "builtins.type" => match first() {
            Ty::Instance(def, args) => Ty::Class(def, args),
            Ty::External(name, _) => Ty::ExternalName(name),
            Ty::Union(parts) => join(parts.iter().map(|part| match part {
                Ty::Instance(def, args) => Ty::Class(*def, args.clone()),
                other => other.clone(),
            })),
            param @ Ty::Param(_) => Ty::Callable { params: Arc::from([]), result: Arc::new(param) },
            _ => Ty::external("builtins.type"),
        },
        "typing.Callable" | "collections.abc.Callable" => {
            let params = match args.first() {
                Some(Ty::Tuple(params)) => params.clone(),
                _ => Arc::from([]),
            };
            Ty::Callable { params, result: Arc::new(args.get(1).cloned().unwrap_or(Ty::Unknown)) }
        }
        "builtins.tuple" => match &**args {
            [] => Ty::external("builtins.tuple"),
            [item, Ty::Unknown] => Ty::External("builtins.tuple".into(), Arc::from([item.clone()])),
            _ => Ty::Tuple(args.clone()),
        },
        canonical => Ty::External(canonical.into(), args.clone()),
    }
}

/// The type that a declaration of the project means.
fn type_of_def(rx: &Resolver, def: GlobalDef, args: &Args) -> Ty {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    match d.kind {
        SymbolKind::Variable | SymbolKind::Field => match d.init {
            Some(init) => alias(rx, &file, def, init, args),
            None => Ty::Unknown,
        },
        _ => rx.type_of_def(def, args.clone()),
    }
}

/// The type that an assigned value means: another name for a type, a type variable, a new type.
fn alias(rx: &Resolver, file: &FileView, def: GlobalDef, init: ExprId, args: &Args) -> Ty {
    match file.expr(init) {
        Expr::Type(ty) => {
            let ty = rx.type_of(file, ty);
            let mut params = Vec::new();
            parameters_in(&ty, &mut params);
            ty.substitute(&params.into_iter().zip(args.iter().cloned()).collect())
        }
        Expr::Call { callee, args: values, .. } => match rx.expr_type(file, callee) {
            Ty::ExternalName(name) => match builtins::last(&name) {
                "TypeVar" | "ParamSpec" | "TypeVarTuple" => Ty::Param(def),
                "NewType" => match file.list(values).nth(1).map(|e| rx.expr_type(file, e)) {
                    Some(base) => instance_of(&base),
                    None => Ty::Unknown,
                },
                "namedtuple" | "NamedTuple" => Ty::external("builtins.tuple"),
                _ => instance_of(&rx.expr_type(file, init)),
            },
            _ => instance_of(&rx.expr_type(file, init)),
        },
        Expr::Literal(_) => Ty::Unknown,
        _ => match instance_of(&rx.expr_type(file, init)) {
            Ty::Instance(def, own) if own.is_empty() => Ty::Instance(def, args.clone()),
            Ty::External(name, own) if own.is_empty() => external_type(&name, args),
            other => other,
        },
    }
}

/// What a type variable is known to be: its bound, its constraints; the class for the type of its own instances.
pub(super) fn bound_of(rx: &Resolver, def: GlobalDef) -> Ty {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    if d.kind == SymbolKind::TypeParameter {
        return d.ty.map_or(Ty::Unknown, |ty| match rx.type_of(&file, ty) {
            Ty::Tuple(choices) => join(choices.iter().cloned()),
            bound => bound,
        });
    }
    if d.kind.is_type() {
        return rx.self_type(def);
    }
    let Some(Expr::Call { args, .. }) = d.init.map(|init| file.expr(init)) else { return Ty::Unknown };
    let parts = file.list(args).skip(1).filter_map(|arg| match file.expr(arg) {
        Expr::Named { key, value } => (file.ref_name(key) == "bound").then_some(value),
        _ => Some(arg),
    });
    join(parts.collect::<Vec<_>>().into_iter().map(|value| instance_of(&rx.expr_type(&file, value))))
}

/// The type parameters that a type mentions, in order.
pub(super) fn parameters_in(ty: &Ty, into: &mut Vec<GlobalDef>) {
    match ty {
        Ty::Param(def) if !into.contains(def) => into.push(*def),
        Ty::Instance(_, args) | Ty::Class(_, args) | Ty::External(_, args) => {
            args.iter().for_each(|arg| parameters_in(arg, into));
        }
        Ty::Tuple(items) | Ty::Union(items) | Ty::Intersection(items) => {
            items.iter().for_each(|item| parameters_in(item, into));
        }
        Ty::Callable { params, result } => {
            params.iter().for_each(|param| parameters_in(param, into));
            parameters_in(result, into);
        }
        Ty::Array(inner) | Ty::Pointer(inner) => parameters_in(inner, into),
        _ => {}
    }
}
