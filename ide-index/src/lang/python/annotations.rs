//! Types as annotations mean them.

use std::sync::Arc;

use ide_model::SymbolKind;

use crate::facts::{Expr, ExprId, List, RefId, TypeExpr, TypeId};
use crate::resolve::{Args, FileView, Resolver, Target, Ty, Types};
use crate::world::GlobalDef;

use super::library::{self, Special, known};
use super::values::join;

/// The type that a written type means; `None` leaves it to the core.
pub(super) fn type_expr(rx: &Resolver, file: &FileView, ty: TypeExpr) -> Option<Ty> {
    let of = |t: TypeId| rx.type_of(file, t);
    let all = |list: List<TypeId>| -> Args { file.list(list).map(of).collect() };
    Some(match ty {
        TypeExpr::Named { name, args } => named(rx, file, name, &all(args)),
        TypeExpr::Primitive(_) => Ty::Nothing,
        TypeExpr::Union(parts) => join(file.list(parts).map(of)),
        TypeExpr::Literal(text) => Ty::Literal(file.name(text).into()),
        TypeExpr::Varargs(inner) => of(inner),
        TypeExpr::TypeOf(value) => instance_of(rx, &rx.expr_type(file, value)),
        _ => return None,
    })
}

/// The instances of a class, where a class stands for them.
fn instance_of(rx: &Resolver, value: &Ty) -> Ty {
    join(value.parts().iter().map(|part| match part {
        Ty::Class(class, args) if *class == known(rx).tuple && !args.is_empty() => tuple(rx, args),
        Ty::Class(class, _) if *class == known(rx).object => Ty::Unknown,
        other => other.clone().instantiate(),
    }))
}

fn named(rx: &Resolver, file: &FileView, name: RefId, args: &Args) -> Ty {
    let resolved = rx.resolve(file.global_ref(name));
    match resolved.resolution.targets.first() {
        Some(Target::External(external)) => Ty::External(external.clone(), args.clone()),
        Some(Target::Def(def)) => match library::special(rx, *def) {
            Some(Special::SelfType) => {
                let class = file.enclosing_class(file.reference(name).scope);
                class.map_or(Ty::Unknown, |(_, class)| Ty::Param(file.global(class)))
            }
            Some(special) => special_type(rx, special, args),
            None => type_of_def(rx, *def, args),
        },
        _ => Ty::Unknown,
    }
}

/// The type that a construct of the library makes of its arguments.
fn special_type(rx: &Resolver, special: Special, args: &Args) -> Ty {
    let first = || args.first().cloned().unwrap_or(Ty::Unknown);
    match special {
        Special::Any | Special::SelfType | Special::TypeVariable | Special::NewType => Ty::Unknown,
        Special::Union => join(args.iter().cloned()),
        Special::First => first(),
        Special::Never => Ty::Nothing,
        // Its argument tells it from other results.
        Special::Guard => Ty::Instance(known(rx).bool, args.clone()),
        Special::TypeOf => match first() {
            Ty::Unknown => Ty::instance(known(rx).type_),
            one => join(one.parts().iter().map(|part| match part {
                Ty::Instance(def, args) => Ty::Class(*def, args.clone()),
                Ty::External(name, _) => Ty::ExternalName(name.clone()),
                param @ Ty::Param(_) => {
                    Ty::Callable { params: Types::default(), result: Arc::new(param.clone()) }
                }
                Ty::Unknown => Ty::instance(known(rx).type_),
                other => other.clone(),
            })),
        },
        Special::Callable => {
            let params = match args.first() {
                Some(Ty::Tuple(params)) => params.clone(),
                _ => Types::default(),
            };
            Ty::Callable { params, result: Arc::new(args.get(1).cloned().unwrap_or(Ty::Unknown)) }
        }
        Special::Tuple => tuple(rx, args),
        Special::MadeTuple => Ty::instance(known(rx).tuple),
        Special::Base(name) => Ty::External(format!("typing.{name}").into(), args.clone()),
        Special::Alias(module, name) => match library::aliased(rx, module, name) {
            Some(class) => Ty::Instance(class, args.clone()),
            None => Ty::Unknown,
        },
    }
}

fn tuple(rx: &Resolver, args: &Args) -> Ty {
    match &**args {
        [] => Ty::instance(known(rx).tuple),
        [item, Ty::Unknown] => known(rx).tuple_of(item.clone()),
        _ => Ty::Tuple(args.clone()),
    }
}

/// The type that a declaration of the project means.
fn type_of_def(rx: &Resolver, def: GlobalDef, args: &Args) -> Ty {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    match d.kind {
        SymbolKind::Variable | SymbolKind::Field => match d.init {
            Some(init) => alias(rx, file, def, init, args),
            None => Ty::Unknown,
        },
        SymbolKind::Parameter => instance_of(rx, &rx.def_type(def)),
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
        Expr::Call { callee, args: values, .. } => {
            let made_by = rx.expr_type(file, callee);
            match made_by.def().and_then(|maker| library::special(rx, maker)) {
                Some(Special::TypeVariable) => Ty::Param(def),
                Some(Special::NewType) => match file.list(values).nth(1).map(|e| rx.expr_type(file, e)) {
                    Some(base) => instance_of(rx, &base),
                    None => Ty::Unknown,
                },
                _ => match &made_by {
                    // A library that is not at hand may offer them too.
                    Ty::ExternalName(name) if library::last(name) == "TypeVar" => Ty::Param(def),
                    _ => instance_of(rx, &rx.expr_type(file, init)),
                },
            }
        }
        Expr::Literal(_) => Ty::Unknown,
        _ => match instance_of(rx, &rx.expr_type(file, init)) {
            Ty::Instance(def, own) if own.is_empty() => match library::special(rx, def) {
                Some(special) => special_type(rx, special, args),
                None => Ty::Instance(def, args.clone()),
            },
            Ty::External(name, own) if own.is_empty() => Ty::External(name, args.clone()),
            other => {
                let mut params = Vec::new();
                parameters_in(&other, &mut params);
                other.substitute(&params.into_iter().zip(args.iter().cloned()).collect())
            }
        },
    }
}

/// The bound of a type variable: its bound, its constraints; the class for the type of its own instances.
pub(super) fn bound_of(rx: &Resolver, def: GlobalDef) -> Ty {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    if d.kind == SymbolKind::TypeParameter {
        return d.ty.map_or(Ty::Unknown, |ty| match rx.type_of(file, ty) {
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
    join(parts.collect::<Vec<_>>().into_iter().map(|value| instance_of(rx, &rx.expr_type(file, value))))
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
