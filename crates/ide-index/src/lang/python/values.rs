//! Values: what names hold, calls give, iterating and entering yield.

use std::sync::Arc;

use ide_model::{Confidence, SymbolKind};

use crate::facts::{
    BinaryOp, Collection, DefFlags, Expectation, Expr, ExprId, List, Literal, RefId, TypeExpr,
};
use crate::resolve::{FileView, Member, Resolver, Substitution, Ty, unify};
use crate::world::GlobalDef;

use super::builtins::{self, Gives, Passes};
use super::{annotations, flow, members};

/// The union of several values, without the absent one where there are others.
pub(super) fn join(parts: impl IntoIterator<Item = Ty>) -> Ty {
    match Ty::union(parts) {
        Ty::Union(parts) if parts.contains(&Ty::Nothing) => {
            Ty::union(parts.iter().filter(|p| **p != Ty::Nothing).cloned())
        }
        other => other,
    }
}

fn container(name: &str, item: Ty) -> Ty {
    Ty::External(name.into(), Arc::from([item]))
}

/// The value of an expression; `None` leaves it to the core.
pub(super) fn expr(rx: &Resolver, file: &FileView, expr: Expr) -> Option<Ty> {
    let of = |e: ExprId| rx.expr_type(file, e);
    Some(match expr {
        Expr::Ref(reference) => reference_value(rx, file, reference),
        Expr::Call { callee, args, .. } => {
            let value = of(callee);
            join(value.parts().to_vec().iter().map(|part| call(rx, file, callee, args, part)))
        }
        Expr::Collection { kind, items } => collection(rx, file, kind, items),
        Expr::Choice(parts) => join(file.list(parts).collect::<Vec<_>>().into_iter().map(of)),
        Expr::Index { base, index } => item(rx, file, &of(base), index),
        Expr::Element(base) => join(of(base).parts().iter().map(|part| element(rx, part))),
        Expr::Item { base, index } => match of(base) {
            Ty::Tuple(items) => items.get(index as usize).cloned().unwrap_or(Ty::Unknown),
            other => join(other.parts().iter().map(|part| match part {
                Ty::Tuple(items) => items.get(index as usize).cloned().unwrap_or(Ty::Unknown),
                part => element(rx, part),
            })),
        },
        Expr::Enter(value) => join(of(value).parts().iter().map(|part| entered(rx, part))),
        Expr::Await(value) => join(of(value).parts().iter().map(|part| awaited(rx, part))),
        Expr::InstanceOf(value) => match of(value) {
            Ty::Tuple(classes) => join(classes.iter().map(|c| c.clone().instantiate())),
            other => join(other.parts().iter().map(|c| c.clone().instantiate())),
        },
        Expr::Yield(_) => Ty::Unknown,
        Expr::Type(ty) => match file.ty(ty) {
            // The value keeps what the type's arguments say; nothing is read from an alias as a value.
            TypeExpr::Named { .. } | TypeExpr::Union(_) => match rx.type_of(file, ty) {
                Ty::Instance(def, args) => Ty::Class(def, args),
                Ty::External(name, _) => Ty::ExternalName(name),
                other => other,
            },
            _ => return None,
        },
        _ => return None,
    })
}

fn reference_value(rx: &Resolver, file: &FileView, id: RefId) -> Ty {
    let resolved = rx.resolve(file.global_ref(id));
    // What is merely possible says nothing certain about what is taken from it.
    if resolved.resolution.confidence >= Confidence::NameOnly {
        return Ty::Unknown;
    }
    let value = flow::value_at(rx, file, id, &resolved);
    let Some(receiver) = file.reference(id).receiver else { return value };
    bind_self(rx, &value, resolved.resolution.defs().next(), || rx.expr_type(file, receiver))
}

/// Puts the receiver in the place of the type of a member's own instances.
fn bind_self(rx: &Resolver, value: &Ty, member: Option<GlobalDef>, receiver: impl FnOnce() -> Ty) -> Ty {
    let mut params = Vec::new();
    annotations::parameters_in(value, &mut params);
    if params.is_empty() {
        return value.clone();
    }
    let Some(class) = member.and_then(|m| rx.owner_class(m)).filter(|c| params.contains(c)) else {
        return value.clone();
    };
    let receiver = match receiver() {
        Ty::Pointer(this) => (*this).clone(),
        other => other,
    };
    let instance = join(receiver.parts().iter().map(|part| part.clone().instantiate()));
    let instance = if instance.is_unknown() { rx.self_type(class) } else { instance };
    value.substitute(&Substitution::from_iter([(class, instance)]))
}

fn call(rx: &Resolver, file: &FileView, callee: ExprId, args: List<ExprId>, part: &Ty) -> Ty {
    match part {
        Ty::Function(def, receiver) => {
            let value = function_result(rx, file, args, *def, receiver.as_deref());
            let Some(receiver) = receiver_of(file, callee) else { return value };
            bind_self(rx, &value, Some(*def), || rx.expr_type(file, receiver))
        }
        Ty::Class(class, own) => constructed(rx, file, args, *class, own, part),
        Ty::Instance(..) => {
            let Some(def) = members::members(rx, part, "__call__").first().and_then(Member::def) else {
                return Ty::Unknown;
            };
            let value = function_result(rx, file, args, def, Some(part));
            bind_self(rx, &value, Some(def), || part.clone())
        }
        Ty::ExternalName(name) => external_call(rx, file, callee, args, name),
        Ty::Callable { result, .. } => (**result).clone(),
        Ty::External(name, _) if builtins::last(name) != "type" => Ty::external(format!("{name}.__call__")),
        _ => Ty::Unknown,
    }
}

fn receiver_of(file: &FileView, callee: ExprId) -> Option<ExprId> {
    match file.expr(callee) {
        Expr::Ref(reference) => file.reference(reference).receiver,
        _ => None,
    }
}

fn function_result(
    rx: &Resolver,
    file: &FileView,
    args: List<ExprId>,
    def: GlobalDef,
    receiver: Option<&Ty>,
) -> Ty {
    let result = rx.return_type(def);
    let mut params = Vec::new();
    annotations::parameters_in(&result, &mut params);
    if params.is_empty() {
        return result;
    }
    let mut substitution = receiver.map(|r| rx.arguments_of(r)).unwrap_or_default();
    infer(rx, file, args, def, &params, None, &mut substitution);
    result.substitute(&substitution)
}

/// What the arguments of a call say about type variables.
fn infer(
    rx: &Resolver,
    file: &FileView,
    args: List<ExprId>,
    def: GlobalDef,
    wanted: &[GlobalDef],
    except: Option<ExprId>,
    into: &mut Substitution,
) {
    let target = rx.file(def.file);
    let d = target.def(def.def);
    let params: Vec<_> = target.list(d.params).skip(usize::from(is_bound(d))).collect();
    let mut position = 0;
    for arg in file.list(args).collect::<Vec<_>>() {
        let (param, value) = match file.expr(arg) {
            Expr::Named { key, value } => {
                let name = file.ref_name(key);
                (params.iter().find(|p| target.def_name(**p) == name), value)
            }
            _ => {
                position += 1;
                let variadic = params.last().filter(|p| target.has_flag(**p, DefFlags::VARARG));
                (params.get(position - 1).or(variadic), arg)
            }
        };
        if let Some(param) = param
            && Some(value) != except
            && target.def(*param).ty.is_some()
        {
            let declared = rx.def_type(target.global(*param));
            let actual = rx.expr_type(file, value);
            unify(&declared, &rx.widened(&actual, &declared), wanted, into);
        }
    }
}

/// An instance of a class that is called.
fn constructed(
    rx: &Resolver,
    file: &FileView,
    args: List<ExprId>,
    class: GlobalDef,
    own: &[Ty],
    ty: &Ty,
) -> Ty {
    let params = rx.type_params(class);
    if params.is_empty() || !own.is_empty() {
        return ty.clone().instantiate();
    }
    let mut substitution = Substitution::default();
    if let Some(init) = members::members(rx, ty, "__init__").first().and_then(Member::def) {
        infer(rx, file, args, init, &params, None, &mut substitution);
    }
    let own = params.iter().map(|p| substitution.get(p).cloned().unwrap_or(Ty::Unknown)).collect();
    Ty::Instance(class, own)
}

fn external_call(rx: &Resolver, file: &FileView, callee: ExprId, args: List<ExprId>, name: &str) -> Ty {
    let of = |e: ExprId| rx.expr_type(file, e);
    if let Some(receiver) = receiver_of(file, callee)
        && let Some(found) = method_call(rx, &of(receiver), builtins::last(name))
    {
        return found;
    }
    let args: Vec<ExprId> = file.list(args).collect();
    let first = || args.first().map_or(Ty::Unknown, |e| of(*e));
    let items = |ty: &Ty| join(ty.parts().iter().map(|part| element(rx, part)));
    if let Some(passes) = builtins::passes(name) {
        return match passes {
            Passes::Same => first(),
            Passes::Container(kind) => container(kind, items(&first())),
            Passes::Element => items(&first()),
            Passes::Enumerated => container(
                "typing.Iterator",
                Ty::Tuple(Arc::from([Ty::external("builtins.int"), items(&first())])),
            ),
            Passes::Zipped => {
                let parts: Arc<[Ty]> = args.iter().map(|e| items(&of(*e))).collect();
                container("typing.Iterator", Ty::Tuple(parts))
            }
            Passes::AnyOf if args.len() == 1 => items(&first()),
            Passes::AnyOf => {
                join(args.iter().filter(|e| !matches!(file.expr(**e), Expr::Named { .. })).map(|e| of(*e)))
            }
            Passes::Second => {
                container("typing.Iterator", args.get(1).map_or(Ty::Unknown, |e| items(&of(*e))))
            }
            Passes::Mapped => container(
                "typing.Iterator",
                match first() {
                    Ty::Class(def, own) => Ty::Instance(def, own),
                    Ty::Function(def, _) => rx.return_type(def),
                    _ => Ty::Unknown,
                },
            ),
        };
    }
    match name {
        "builtins.type" if args.len() == 1 => {
            return join(first().parts().iter().map(|part| match part {
                Ty::Instance(def, own) => Ty::Class(*def, own.clone()),
                Ty::External(name, _) => Ty::ExternalName(name.clone()),
                _ => Ty::Unknown,
            }));
        }
        "builtins.getattr"
        | "builtins.eval"
        | "builtins.vars"
        | "builtins.globals"
        | "builtins.locals"
        | "builtins.sum"
        | "functools.reduce"
        | "builtins.__import__"
        | "importlib.import_module" => return Ty::Unknown,
        "functools.partial" | "functools.partialmethod" => {
            let result = match first() {
                Ty::Class(def, own) => Ty::Instance(def, own),
                Ty::Function(def, _) => rx.return_type(def),
                _ => Ty::Unknown,
            };
            return Ty::Callable { params: Arc::from([]), result: Arc::new(result) };
        }
        "collections.namedtuple" | "typing.NamedTuple" => return Ty::ExternalName("builtins.tuple".into()),
        _ => {}
    }
    // A library that is handed a class of the project may well give one of its instances.
    if args.iter().any(|e| matches!(of(*e), Ty::Class(..))) {
        return Ty::Unknown;
    }
    Ty::external(builtins::function_result(name).unwrap_or_else(|| builtins::canonical(name)))
}

/// What a method of a library's type gives.
fn method_call(rx: &Resolver, receiver: &Ty, method: &str) -> Option<Ty> {
    let results: Vec<Ty> =
        receiver.parts().iter().filter_map(|part| external_method(rx, part, method)).collect();
    (!results.is_empty()).then(|| join(results))
}

fn external_method(rx: &Resolver, part: &Ty, method: &str) -> Option<Ty> {
    let (name, args) = match part {
        Ty::External(name, args) => (name, args),
        Ty::Instance(..) => {
            let line = rx.linearization(part);
            return line
                .iter()
                .skip(1)
                .find(|t| matches!(t, Ty::External(..)))
                .and_then(|t| external_method(rx, t, method));
        }
        _ => return None,
    };
    let arg = |n: usize| args.get(n).cloned().unwrap_or(Ty::Unknown);
    Some(match builtins::method_result(name, method)? {
        Gives::Same => part.clone(),
        Gives::Argument(n) => arg(n),
        Gives::Each(n) => container("typing.Iterable", arg(n)),
        Gives::Pairs => container("typing.Iterable", Ty::Tuple(Arc::from([arg(0), arg(1)]))),
        Gives::Type(ty) => Ty::external(ty),
        Gives::ListOf(ty) => container("builtins.list", Ty::external(ty)),
        Gives::Nothing => Ty::Nothing,
    })
}

fn collection(rx: &Resolver, file: &FileView, kind: Collection, items: List<ExprId>) -> Ty {
    let items: Vec<ExprId> = file.list(items).collect();
    let of = |e: &ExprId| match file.expr(*e) {
        Expr::Spread(value) => join(rx.expr_type(file, value).parts().iter().map(|part| element(rx, part))),
        _ => rx.expr_type(file, *e),
    };
    match kind {
        Collection::Tuple => Ty::Tuple(items.iter().map(of).collect()),
        Collection::Set => container("builtins.set", join(items.iter().map(of))),
        Collection::Map => {
            if items.len() % 2 == 1 || items.iter().any(|e| matches!(file.expr(*e), Expr::Spread(_))) {
                return Ty::external("builtins.dict");
            }
            let keys = join(items.iter().step_by(2).take(MAX_ITEMS).map(of));
            let values = join(items.iter().skip(1).step_by(2).take(MAX_ITEMS).map(of));
            Ty::External("builtins.dict".into(), Arc::from([keys, values]))
        }
        Collection::List | Collection::Array => {
            container("builtins.list", join(items.iter().take(MAX_ITEMS).map(of)))
        }
    }
}

/// So many items of a display tell what the others are.
const MAX_ITEMS: usize = 32;

/// What iterating over a value yields.
pub(super) fn element(rx: &Resolver, ty: &Ty) -> Ty {
    match ty {
        Ty::Tuple(items) => join(items.iter().cloned()),
        Ty::External(name, args) => match builtins::element_argument(name) {
            Some(n) => args.get(n).cloned().unwrap_or(Ty::Unknown),
            None if matches!(&**name, "builtins.str" | "builtins.bytes") => ty.clone(),
            None => Ty::Unknown,
        },
        Ty::Class(def, _) => {
            let is_enum = rx.def(*def).kind == SymbolKind::Enum
                || rx
                    .linearization(ty)
                    .iter()
                    .filter_map(Ty::def)
                    .any(|d| rx.def(d).kind == SymbolKind::Enum);
            if is_enum { ty.clone().instantiate() } else { Ty::Unknown }
        }
        Ty::Instance(..) => {
            for (method, is_iterator) in
                [("__iter__", true), ("__aiter__", true), ("__next__", false), ("__getitem__", false)]
            {
                let found = method_value(rx, ty, method);
                let found = match found {
                    Some(found) if is_iterator && found == *ty => continue,
                    Some(found) if is_iterator => join(found.parts().iter().map(|part| element(rx, part))),
                    Some(found) => found,
                    None => continue,
                };
                if !found.is_unknown() {
                    return found;
                }
            }
            let line = rx.linearization(ty);
            let base = line.iter().find(|t| matches!(t, Ty::External(..) | Ty::Tuple(_)));
            base.map_or(Ty::Unknown, |base| element(rx, base))
        }
        Ty::Param(def) => match annotations::bound_of(rx, *def) {
            bound if bound == *ty => Ty::Unknown,
            bound => join(bound.parts().iter().map(|part| element(rx, part))),
        },
        _ => Ty::Unknown,
    }
}

/// What calling a method of a value without looking at arguments gives.
fn method_value(rx: &Resolver, ty: &Ty, method: &str) -> Option<Ty> {
    let member = members::members(rx, ty, method).into_iter().next()?;
    let def = member.def()?;
    let substitution = rx.arguments_of(&member.owner);
    let value = rx.return_type(def).substitute(&substitution);
    Some(bind_self(rx, &value, Some(def), || ty.clone()))
}

fn item(rx: &Resolver, file: &FileView, base: &Ty, index: ExprId) -> Ty {
    join(base.parts().iter().map(|part| match part {
        Ty::Tuple(items) => join(items.iter().cloned()),
        Ty::External(name, args) if builtins::is_mapping(name) => args.get(1).cloned().unwrap_or(Ty::Unknown),
        Ty::Class(def, own) if own.is_empty() && rx.def(*def).kind == SymbolKind::Enum => {
            part.clone().instantiate()
        }
        Ty::Class(def, own) if own.is_empty() && !rx.type_params(*def).is_empty() => {
            let args = match rx.expr_type(file, index) {
                Ty::Tuple(items) => items.iter().map(|t| t.clone().instantiate()).collect(),
                one => Arc::from([one.instantiate()]),
            };
            Ty::Class(*def, args)
        }
        Ty::Class(..) | Ty::ExternalName(_) => part.clone(),
        Ty::Instance(..) => method_value(rx, part, "__getitem__").unwrap_or_else(|| {
            let line = rx.linearization(part);
            let base = line.iter().find(|t| matches!(t, Ty::External(..) | Ty::Tuple(_)));
            match base {
                Some(Ty::External(name, args)) if builtins::is_mapping(name) => {
                    args.get(1).cloned().unwrap_or(Ty::Unknown)
                }
                Some(base) => element(rx, base),
                None => Ty::Unknown,
            }
        }),
        other => element(rx, other),
    }))
}

/// What a context manager gives to the name after `as`.
fn entered(rx: &Resolver, ty: &Ty) -> Ty {
    match ty {
        Ty::External(name, args) if builtins::last(name).ends_with("ContextManager") => {
            args.first().cloned().unwrap_or(Ty::Unknown)
        }
        Ty::External(..) => ty.clone(),
        Ty::Instance(..) => match method_value(rx, ty, "__enter__") {
            Some(value) => value,
            None => match method_value(rx, ty, "__aenter__") {
                Some(value) => awaited(rx, &value),
                None => {
                    let line = rx.linearization(ty);
                    if line.iter().any(|t| matches!(t, Ty::External(..))) { ty.clone() } else { Ty::Unknown }
                }
            },
        },
        _ => Ty::Unknown,
    }
}

fn awaited(rx: &Resolver, ty: &Ty) -> Ty {
    match ty {
        Ty::External(name, args) => match builtins::last(name) {
            "Coroutine" => args.last().cloned().unwrap_or(Ty::Unknown),
            "Awaitable" | "Future" | "Task" => args.first().cloned().unwrap_or(Ty::Unknown),
            _ => Ty::external(format!("{name}.__await__")),
        },
        Ty::Instance(..) => method_value(rx, ty, "__await__").map_or(Ty::Unknown, |value| match value {
            Ty::External(_, args) if args.len() == 3 => args[2].clone(),
            _ => Ty::Unknown,
        }),
        _ => Ty::Unknown,
    }
}

/// The value of a declaration.
pub(super) fn def_type(rx: &Resolver, def: GlobalDef) -> Ty {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    match d.kind {
        SymbolKind::Parameter => parameter_type(rx, &file, def),
        SymbolKind::Property => rx.return_type(def),
        SymbolKind::EnumCase => rx.owner_class(def).map_or(Ty::Unknown, Ty::instance),
        SymbolKind::Variable | SymbolKind::Field => match d.ty {
            Some(ty) => declared(rx, &file, ty, d.init),
            None => {
                let init = d.init.map_or(Ty::Unknown, |init| rx.expr_type(&file, init));
                let others = flow::assigned_values(rx, &file, def);
                join(std::iter::once(init).chain(others))
            }
        },
        _ => rx.default_def_type(def),
    }
}

/// A declared type; a bare `Final` or `ClassVar` leaves the type to the value.
fn declared(rx: &Resolver, file: &FileView, ty: crate::facts::TypeId, init: Option<ExprId>) -> Ty {
    let is_bare = matches!(file.ty(ty), TypeExpr::Named { name, args }
        if args.is_empty() && matches!(file.ref_name(name), "Final" | "ClassVar" | "TypeAlias"));
    match init {
        Some(init) if is_bare => rx.expr_type(file, init),
        _ => rx.type_of(file, ty),
    }
}

fn parameter_type(rx: &Resolver, file: &FileView, def: GlobalDef) -> Ty {
    let d = file.def(def.def);
    if let Some(ty) = d.ty {
        let ty = rx.type_of(file, ty);
        return if d.flags.has(DefFlags::VARARG) {
            container("builtins.tuple", ty)
        } else if d.flags.has(DefFlags::KEYWORD_VARARG) {
            Ty::External("builtins.dict".into(), Arc::from([Ty::external("builtins.str"), ty]))
        } else {
            ty
        };
    }
    if d.flags.has(DefFlags::VARARG) {
        return Ty::external("builtins.tuple");
    }
    if d.flags.has(DefFlags::KEYWORD_VARARG) {
        return Ty::external("builtins.dict");
    }
    let Some(function) = file.enclosing_function(d.scope) else { return Ty::Unknown };
    let position = file.list(file.def(function).params).position(|p| p == def.def);
    if let (Some(0), Some(receiver)) = (position, own_instance(rx, file, function)) {
        return receiver;
    }
    if let Some(inherited) = inherited_parameter(rx, file, function, position, file.def_name(def.def)) {
        return inherited;
    }
    match d.init.map(|init| rx.expr_type(file, init)) {
        Some(Ty::Nothing) | None => rx.lambda_parameter(file, def.def),
        Some(value) => value,
    }
}

/// What the first parameter of a function holds, when it is a method.
fn own_instance(rx: &Resolver, file: &FileView, function: crate::facts::DefId) -> Option<Ty> {
    let f = file.def(function);
    let class = rx.owner_class(file.global(function))?;
    let name = file.def_name(function);
    let is_implicit_class = matches!(name, "__new__" | "__init_subclass__" | "__class_getitem__");
    if f.flags.has(DefFlags::CLASS_METHOD) || is_implicit_class {
        return match rx.self_type(class) {
            Ty::Instance(def, args) => Some(Ty::Class(def, args)),
            other => Some(other),
        };
    }
    (!f.flags.has(DefFlags::STATIC)).then(|| rx.self_type(class))
}

/// The type of the same parameter in the method that this one overrides.
fn inherited_parameter(
    rx: &Resolver,
    file: &FileView,
    function: crate::facts::DefId,
    position: Option<usize>,
    name: &str,
) -> Option<Ty> {
    let class = rx.owner_class(file.global(function))?;
    let position = position?;
    let method = file.def_name(function);
    let base =
        rx.ancestors(class).into_iter().find_map(|base| rx.own_members(base, method).first().copied())?;
    let other = rx.file(base.file);
    let same = other.list(other.def(base.def).params).nth(position).filter(|p| other.def_name(*p) == name)?;
    other.def(same).ty.is_some().then(|| rx.def_type(other.global(same)))
}

/// What the place of a lambda asks for.
pub(super) fn expected(rx: &Resolver, file: &FileView, expr: ExprId) -> Ty {
    let Some(Expectation::Argument { call, index }) = file.expectation(expr) else {
        return rx.default_expected(file, expr);
    };
    let Expr::Call { callee, args, .. } = file.expr(call) else { return Ty::Unknown };
    let callee = rx.expr_type(file, callee);
    let function = callee.parts().iter().find_map(|part| match part {
        Ty::Function(def, _) => Some(*def),
        Ty::Class(..) => members::members(rx, part, "__init__").first().and_then(Member::def),
        _ => None,
    });
    let Some(function) = function else { return Ty::Unknown };
    let target = rx.file(function.file);
    let d = target.def(function.def);
    let Some(param) = target.list(d.params).nth(index as usize + usize::from(is_bound(d))) else {
        return Ty::Unknown;
    };
    let declared = rx.def_type(target.global(param));
    let mut params = Vec::new();
    annotations::parameters_in(&declared, &mut params);
    let mut substitution = Substitution::default();
    if !params.is_empty() {
        infer(rx, file, args, function, &params, Some(expr), &mut substitution);
    }
    declared.substitute(&substitution)
}

/// Whether the first parameter of a function is filled by the receiver.
fn is_bound(d: &crate::facts::Def) -> bool {
    let is_free = d.flags.has(DefFlags::STATIC) && !d.flags.has(DefFlags::CLASS_METHOD);
    d.kind == SymbolKind::Method && !is_free
}

/// What calling a function gives.
pub(super) fn return_type(rx: &Resolver, def: GlobalDef) -> Ty {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    let result = match d.ty {
        Some(ty) => {
            let own = rx.type_of(&file, ty);
            if d.flags.has(DefFlags::SIGNATURE) { overloaded(rx, &file, def, own) } else { own }
        }
        None => inferred_result(rx, &file, def),
    };
    if let Some(result) = context_manager(rx, &file, def, &result) {
        return result;
    }
    if d.flags.has(DefFlags::ASYNC) && !d.flags.has(DefFlags::GENERATOR) {
        return Ty::External("typing.Coroutine".into(), Arc::from([Ty::Unknown, Ty::Unknown, result]));
    }
    result
}

/// The results of all overloads.
fn overloaded(rx: &Resolver, file: &FileView, def: GlobalDef, own: Ty) -> Ty {
    let d = file.def(def.def);
    let others = file
        .in_scope(d.scope, d.name)
        .iter()
        .filter(|o| **o != def.def && file.has_flag(**o, DefFlags::SIGNATURE));
    let results = others.filter_map(|o| file.def(*o).ty).map(|ty| rx.type_of(file, ty));
    join(std::iter::once(own).chain(results.collect::<Vec<_>>()))
}

fn inferred_result(rx: &Resolver, file: &FileView, def: GlobalDef) -> Ty {
    let d = file.def(def.def);
    let class = rx.owner_class(def);
    let receiver = class.and_then(|_| file.list(d.params).next());
    let of = |value: ExprId| match file.expr(value) {
        Expr::Ref(name) if file.reference(name).receiver.is_none() => {
            let is_self = receiver
                .is_some_and(|r| file.def_name(r) == file.ref_name(name) && !d.flags.has(DefFlags::STATIC));
            match class {
                Some(class) if is_self => Ty::Param(class),
                _ => rx.expr_type(file, value),
            }
        }
        Expr::Yield(value) => rx.expr_type(file, value),
        _ => rx.expr_type(file, value),
    };
    let returns: Vec<ExprId> = file.list(d.returns).collect();
    if d.flags.has(DefFlags::GENERATOR) {
        let yields = returns.iter().filter(|e| matches!(file.expr(**e), Expr::Yield(_)));
        return container("typing.Generator", join(yields.map(|e| of(*e))));
    }
    if returns.is_empty() && !d.flags.has(DefFlags::ANONYMOUS) {
        return if d.flags.has(DefFlags::SIGNATURE) || d.flags.has(DefFlags::ABSTRACT) {
            Ty::Unknown
        } else {
            Ty::Nothing
        };
    }
    join(returns.into_iter().map(of))
}

/// A generator function that a decorator makes a context manager.
fn context_manager(rx: &Resolver, file: &FileView, def: GlobalDef, result: &Ty) -> Option<Ty> {
    let is_manager = file.list(file.def(def.def).decorators).any(|e| match file.expr(e) {
        Expr::Ref(name) => {
            matches!(file.ref_name(name), "contextmanager" | "asynccontextmanager")
        }
        _ => false,
    });
    is_manager.then(|| {
        container("contextlib.AbstractContextManager", join(result.parts().iter().map(|p| element(rx, p))))
    })
}

pub(super) fn literal(literal: Literal) -> Ty {
    Ty::external(match literal {
        Literal::String | Literal::Char => "builtins.str",
        Literal::Bytes => "builtins.bytes",
        Literal::Int | Literal::Long => "builtins.int",
        Literal::Float | Literal::SmallFloat => "builtins.float",
        Literal::Bool => "builtins.bool",
        Literal::Null => return Ty::Nothing,
        Literal::Regex | Literal::Other => return Ty::Unknown,
    })
}

pub(super) fn binary(rx: &Resolver, op: BinaryOp, left: &Ty, right: &Ty) -> Ty {
    let methods: &[&str] = match op {
        BinaryOp::Or | BinaryOp::And | BinaryOp::Coalesce => return join([left.clone(), right.clone()]),
        BinaryOp::Compare | BinaryOp::In | BinaryOp::TypeTest => return Ty::external("builtins.bool"),
        BinaryOp::Plus => &["__add__"],
        BinaryOp::Bits => &["__or__", "__and__", "__xor__"],
        BinaryOp::Shift => &["__rshift__", "__lshift__"],
        _ => &["__sub__", "__mul__", "__truediv__", "__mod__", "__matmul__", "__pow__", "__floordiv__"],
    };
    if op == BinaryOp::Bits && matches!(left, Ty::Class(..) | Ty::ExternalName(_)) {
        // `A | B` of two classes is a type.
        return join([left.clone(), right.clone()]);
    }
    join(left.parts().iter().map(|part| match part {
        Ty::Instance(..) => methods.iter().find_map(|m| method_value(rx, part, m)).unwrap_or(Ty::Unknown),
        Ty::External(..) | Ty::Tuple(_) => part.clone(),
        _ => Ty::Unknown,
    }))
}
