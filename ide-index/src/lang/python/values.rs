//! Values: what names hold, calls give, iterating and entering yield.

use ide_model::{Confidence, SymbolKind};

use crate::facts::{
    BinaryOp, Collection, DefFlags, Expectation, Expr, ExprId, List, Literal, RefId, ScopeKind, TypeExpr,
    TypeId,
};
use crate::resolve::{Args, FileView, Member, Resolver, Substitution, Ty, Types};
use crate::world::GlobalDef;

use super::calls::{self, Argument, Arguments, method_value};
use super::library::known;
use super::{annotations, flow, library, members};

/// The union of several values, without the absent one where there are others.
pub(super) fn join(parts: impl IntoIterator<Item = Ty>) -> Ty {
    match Ty::union(parts) {
        Ty::Union(parts) if parts.contains(&Ty::Nothing) => {
            Ty::union(parts.iter().filter(|p| **p != Ty::Nothing).cloned())
        }
        other => other,
    }
}

/// The value of an expression; `None` leaves it to the core.
pub(super) fn expr(rx: &Resolver, file: &FileView, expr: Expr) -> Option<Ty> {
    let of = |e: ExprId| rx.expr_type(file, e);
    Some(match expr {
        Expr::Ref(reference) => reference_value(rx, file, reference),
        Expr::Call { callee, args, .. } => {
            if let Some(value) = field_by_key(rx, file, callee, args) {
                return Some(value);
            }
            let value = of(callee);
            join(value.parts().iter().map(|part| call(rx, file, callee, args, part)))
        }
        Expr::Collection { kind, items } => collection(rx, file, kind, items),
        Expr::Choice(parts) => join(file.list(parts).collect::<Vec<_>>().into_iter().map(of)),
        Expr::Index { base, index } => match item(rx, file, &of(base), index) {
            Ty::Unknown | Ty::Nothing => flow::item_put(rx, file, base, index),
            known => known,
        },
        Expr::Element(base) => join(of(base).parts().iter().map(|part| element(rx, part))),
        Expr::Item { base, .. } if is_number(file, base) => of(base),
        Expr::Item { base, index } => join(of(base).parts().iter().map(|part| match tuple_items(rx, part) {
            Some(items) => items.get(index as usize).cloned().unwrap_or(Ty::Unknown),
            None => element(rx, part),
        })),
        Expr::Slice(base) => join(of(base).parts().iter().map(|part| match part {
            Ty::Tuple(items) => known(rx).tuple_of(join(items.iter().cloned())),
            other => other.clone(),
        })),
        Expr::Enter(value) => join(of(value).parts().iter().map(|part| entered(rx, file, part, false))),
        Expr::Await(value) if let Expr::Enter(value) = file.expr(value) => {
            join(of(value).parts().iter().map(|part| entered(rx, file, part, true)))
        }
        Expr::Await(value) if let Expr::Element(base) = file.expr(value) => {
            join(of(base).parts().iter().map(|part| async_element(rx, part)))
        }
        Expr::Await(value) => join(of(value).parts().iter().map(|part| awaited(rx, part))),
        Expr::InstanceOf(value) => match of(value) {
            Ty::Tuple(classes) => join(classes.iter().map(|c| c.clone().instantiate())),
            other => join(other.parts().iter().map(|c| c.clone().instantiate())),
        },
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
    // A merely possible target tells nothing certain about its members.
    if resolved.resolution.confidence >= Confidence::NameOnly {
        return file.reference(id).receiver.map_or(Ty::Unknown, |receiver| computed(rx, file, receiver));
    }
    let value = flow::value_at(rx, file, id, &resolved);
    let Some(receiver) = file.reference(id).receiver else { return value };
    let member = resolved.resolution.defs().next();
    if file.ref_name(id) == "__class__" && member.is_some_and(|m| rx.owner_class(m) == Some(known(rx).object))
    {
        return calls::class_of(rx, &rx.expr_type(file, receiver));
    }
    let value = match member {
        Some(def) if is_descriptor_place(rx, def) => described(rx, file, &value, receiver),
        _ => value,
    };
    bind_self(rx, &value, member, || rx.expr_type(file, receiver))
}

/// The result of a value's `__getattr__`, for members that are not declared.
fn computed(rx: &Resolver, file: &FileView, receiver: ExprId) -> Ty {
    let name = Arguments::of(file, [Argument::Value(Ty::instance(known(rx).str))]);
    join(rx.expr_type(file, receiver).parts().iter().map(|part| match part {
        Ty::Instance(..) => method_value(rx, part, "__getattr__", &name).unwrap_or(Ty::Unknown),
        _ => Ty::Unknown,
    }))
}

/// A name in the body of a class, whose value decides itself what reading the member gives.
fn is_descriptor_place(rx: &Resolver, def: GlobalDef) -> bool {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    matches!(d.kind, SymbolKind::Field | SymbolKind::Variable | SymbolKind::Method)
        && !d.flags.has(DefFlags::ATTRIBUTE)
        && file.scope(d.scope).kind == ScopeKind::Class
}

/// The type that reading through the `__get__` of a value in a class gives.
fn described(rx: &Resolver, file: &FileView, value: &Ty, receiver: ExprId) -> Ty {
    let is_object = |part: &Ty| matches!(part, Ty::Instance(..));
    if !value.parts().iter().any(is_object) {
        return value.clone();
    }
    join(value.parts().iter().map(|part| {
        if !is_object(part) || members::members(rx, part, "__get__").is_empty() {
            return part.clone();
        }
        let from = rx.expr_type(file, receiver);
        let (instance, class) = match &from {
            Ty::Class(..) => (Ty::Nothing, from.clone()),
            _ => (from.clone(), calls::class_of(rx, &from)),
        };
        let args = Arguments::of(file, [Argument::Value(instance), Argument::Value(class)]);
        method_value(rx, part, "__get__", &args).unwrap_or(Ty::Unknown)
    }))
}

/// Puts the receiver in the place of the type of a member's own instances.
pub(super) fn bind_self(
    rx: &Resolver,
    value: &Ty,
    member: Option<GlobalDef>,
    receiver: impl FnOnce() -> Ty,
) -> Ty {
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
    let instance = join(receiver.parts().iter().map(|part| match part {
        Ty::Callable { params, result } if params.is_empty() => (**result).clone(),
        other => other.clone().instantiate(),
    }));
    // A module may hold a method of a class as a function of its own: `tarfile.open` is `TarFile.open`.
    let is_module = instance.parts().iter().any(|part| matches!(part, Ty::Module(_)));
    let instance = if is_module || instance.is_unknown() { rx.self_type(class) } else { instance };
    value.substitute(&Substitution::from_iter([(class, instance)]))
}

fn call(rx: &Resolver, file: &FileView, callee: ExprId, args: List<ExprId>, part: &Ty) -> Ty {
    let value = calls::call(rx, &Arguments::of_call(file, args), part);
    match (part, receiver_of(file, callee)) {
        // It is handed the class whose instance it makes.
        (Ty::Function(def, _), Some(_)) if rx.def_name(*def) == "__new__" => {
            let class = file.list(args).next();
            bind_self(rx, &value, Some(*def), || class.map_or(Ty::Unknown, |class| rx.expr_type(file, class)))
        }
        (Ty::Function(def, _), Some(receiver)) => {
            bind_self(rx, &value, Some(*def), || rx.expr_type(file, receiver))
        }
        _ => value,
    }
}

fn receiver_of(file: &FileView, callee: ExprId) -> Option<ExprId> {
    match file.expr(callee) {
        Expr::Ref(reference) => file.reference(reference).receiver,
        _ => None,
    }
}

fn collection(rx: &Resolver, file: &FileView, kind: Collection, items: List<ExprId>) -> Ty {
    let items: Vec<ExprId> = file.list(items).collect();
    let of = |e: &ExprId| match file.expr(*e) {
        Expr::Spread(value) => join(rx.expr_type(file, value).parts().iter().map(|part| element(rx, part))),
        _ => rx.expr_type(file, *e),
    };
    let known = known(rx);
    match kind {
        Collection::Tuple => Ty::Tuple(items.iter().map(of).collect()),
        Collection::Set => known.of(known.set, [join(items.iter().map(of))]),
        Collection::Map => {
            let (mut keys, mut values) = (Vec::new(), Vec::new());
            let mut rest = items.iter().take(2 * MAX_ITEMS);
            while let Some(key) = rest.next() {
                if let Expr::Spread(other) = file.expr(*key) {
                    let other = rx.expr_type(file, other);
                    let Ty::Instance(class, args) = &other else { return Ty::instance(known.dict) };
                    let ([key, value], true) = (&args[..], *class == known.dict) else {
                        return Ty::instance(known.dict);
                    };
                    keys.push(key.clone());
                    values.push(value.clone());
                } else if let Some(value) = rest.next() {
                    keys.push(of(key));
                    values.push(of(value));
                }
            }
            known.of(known.dict, [join(keys), join(values)])
        }
        Collection::Array => known.generator_of(join(items.iter().map(of))),
        Collection::List => known.list_of(join(items.iter().take(MAX_ITEMS).map(of))),
    }
}

/// So many items of a display tell what the others are.
const MAX_ITEMS: usize = 32;

/// The item type of a value.
pub(super) fn element(rx: &Resolver, ty: &Ty) -> Ty {
    match ty {
        Ty::Tuple(items) => join(items.iter().cloned()),
        Ty::Literal(_) => Ty::instance(known(rx).str),
        Ty::Class(def, _) => {
            let is_enum = rx.def(*def).kind == SymbolKind::Enum
                || rx
                    .linearization(ty)
                    .iter()
                    .filter_map(Ty::def)
                    .any(|d| rx.def(d).kind == SymbolKind::Enum);
            if is_enum {
                return ty.clone().instantiate();
            }
            let made = value_of_method(rx, ty, "__iter__");
            made.map_or(Ty::Unknown, |made| join(made.parts().iter().map(|part| element(rx, part))))
        }
        Ty::Instance(..) => {
            for (method, is_iterator) in
                [("__iter__", true), ("__aiter__", true), ("__next__", false), ("__getitem__", false)]
            {
                let found = match value_of_method(rx, ty, method) {
                    Some(found) if is_iterator && found == *ty => continue,
                    Some(found) if is_iterator => join(found.parts().iter().map(|part| element(rx, part))),
                    Some(found) => found,
                    None => continue,
                };
                if !found.is_unknown() {
                    return found;
                }
            }
            if let Some(step) = value_of_method(rx, ty, "__anext__") {
                return join(step.parts().iter().map(|part| awaited(rx, part)));
            }
            let line = rx.linearization(ty);
            let base = line.iter().find(|t| matches!(t, Ty::Tuple(_)));
            base.map_or(Ty::Unknown, |base| element(rx, base))
        }
        Ty::Param(def) => match annotations::bound_of(rx, *def) {
            bound if bound == *ty => Ty::Unknown,
            bound => join(bound.parts().iter().map(|part| element(rx, part))),
        },
        _ => Ty::Unknown,
    }
}

/// The type that `async for` takes from a value.
fn async_element(rx: &Resolver, ty: &Ty) -> Ty {
    let step = |of: &Ty| {
        let step = value_of_method(rx, of, "__anext__")?;
        Some(join(step.parts().iter().map(|part| awaited(rx, part))))
    };
    let all = value_of_method(rx, ty, "__aiter__");
    let found = all.map(|all| join(all.parts().iter().filter_map(step)));
    found.filter(|found| !found.is_unknown()).unwrap_or_else(|| element(rx, ty))
}

/// The result type of a method of a value that is called without arguments.
fn value_of_method(rx: &Resolver, ty: &Ty, method: &str) -> Option<Ty> {
    let file = rx.file(members::members(rx, ty, method).first()?.def()?.file);
    method_value(rx, ty, method, &Arguments::of(file, []))
}

/// The types of the items of a tuple, be it a named one.
fn tuple_items(rx: &Resolver, ty: &Ty) -> Option<Args> {
    let of = |ty: &Ty| if let Ty::Tuple(items) = ty { Some(items.clone()) } else { None };
    match ty {
        Ty::Instance(..) => rx.linearization(ty).iter().find_map(of),
        _ => of(ty),
    }
}

fn is_number(file: &FileView, expr: ExprId) -> bool {
    matches!(file.expr(expr), Expr::Literal(Literal::Int))
}

/// `d.get("key", value)` of a typed dictionary, and what else gives the value of a key or the one that is handed over.
fn field_by_key(rx: &Resolver, file: &FileView, callee: ExprId, args: List<ExprId>) -> Option<Ty> {
    let Expr::Ref(method) = file.expr(callee) else { return None };
    if !matches!(file.ref_name(method), "get" | "setdefault" | "pop") {
        return None;
    }
    let mut args = file.list(args);
    let key = args.next().filter(|key| matches!(file.expr(*key), Expr::Text(_)))?;
    let base = rx.expr_type(file, file.reference(method).receiver?);
    let is_typed = |part: &Ty| matches!(part, Ty::Instance(class, _) if library::is_typed_dict(rx, *class));
    if !base.parts().iter().all(is_typed) {
        return None;
    }
    let handed = args.next().map(|value| rx.expr_type(file, value));
    Some(join([Some(item(rx, file, &base, key)), handed].into_iter().flatten()))
}

/// The result type of a function by the decorators around it, when one of them declares a function of another result:
/// `-> Callable[P, list[R]]`.
pub(super) fn decorated_result(rx: &Resolver, def: GlobalDef) -> Option<Ty> {
    let file = rx.file(def.file);
    let mut value = rx.default_def_type(def);
    let decorators: Vec<ExprId> = file.list(file.def(def.def).decorators).collect();
    for decorator in decorators.into_iter().rev() {
        let around = rx.expr_type(file, decorator);
        // The effects of library decorators are known otherwise.
        let is_own = |part: &Ty| {
            matches!(part, Ty::Function(def, _) if !library::is_bundled(rx, *def))
                || matches!(part, Ty::Callable { .. })
        };
        if !around.parts().iter().all(is_own) {
            continue;
        }
        let made = calls::call(rx, &Arguments::of(file, [Argument::Value(value.clone())]), &around);
        if matches!(made, Ty::Callable { .. }) {
            value = made;
        }
    }
    let Ty::Callable { result, .. } = &value else { return None };
    let mut open = Vec::new();
    annotations::parameters_in(result, &mut open);
    (!result.is_unknown() && open.is_empty()).then(|| Ty::clone(result))
}

fn item(rx: &Resolver, file: &FileView, base: &Ty, index: ExprId) -> Ty {
    let number = match file.expr(index) {
        Expr::Item { base, index } if is_number(file, base) => Some(index as usize),
        _ => None,
    };
    join(base.parts().iter().map(|part| match part {
        Ty::Tuple(items) if number.is_none() => join(items.iter().cloned()),
        Ty::Tuple(_) | Ty::Instance(..)
            if let Some(number) = number
                && let Some(items) = tuple_items(rx, part) =>
        {
            items.get(number).cloned().unwrap_or(Ty::Unknown)
        }
        Ty::Class(def, own) if own.is_empty() && rx.def(*def).kind == SymbolKind::Enum => {
            part.clone().instantiate()
        }
        Ty::Class(def, own)
            if own.is_empty() && (*def == known(rx).tuple || !rx.type_params(*def).is_empty()) =>
        {
            let args = match rx.expr_type(file, index) {
                Ty::Tuple(items) => items.iter().map(|t| t.clone().instantiate()).collect(),
                one => Types::from([one.instantiate()]),
            };
            Ty::Class(*def, args)
        }
        Ty::Class(..) | Ty::ExternalName(_) => part.clone(),
        Ty::Instance(class, _)
            if let Expr::Text(key) = file.expr(index)
                && library::is_typed_dict(rx, *class)
                && let Some(field) =
                    members::members(rx, part, file.name(key)).first().and_then(Member::def) =>
        {
            rx.def_type(field)
        }
        Ty::Instance(..) => {
            let args = Arguments::of(file, [Argument::Expr(index)]);
            method_value(rx, part, "__getitem__", &args).unwrap_or_else(|| {
                let line = rx.linearization(part);
                let base = line.iter().find(|t| matches!(t, Ty::Tuple(_)));
                base.map_or(Ty::Unknown, |base| element(rx, base))
            })
        }
        other => element(rx, other),
    }))
}

/// The type that a context manager gives to the name after `as`; `async with` awaits it.
fn entered(rx: &Resolver, file: &FileView, ty: &Ty, is_async: bool) -> Ty {
    let method = if is_async { "__aenter__" } else { "__enter__" };
    match ty {
        Ty::External(..) => ty.clone(),
        Ty::Instance(..) => match method_value(rx, ty, method, &Arguments::of(file, [])) {
            Some(value) if is_async => join(value.parts().iter().map(|part| awaited(rx, part))),
            Some(value) => value,
            None => {
                let line = rx.linearization(ty);
                if line.iter().any(|t| matches!(t, Ty::External(..))) { ty.clone() } else { Ty::Unknown }
            }
        },
        Ty::Param(def) => match annotations::bound_of(rx, *def) {
            bound if bound == *ty => Ty::Unknown,
            bound => join(bound.parts().iter().map(|part| entered(rx, file, part, is_async))),
        },
        _ => Ty::Unknown,
    }
}

fn awaited(rx: &Resolver, ty: &Ty) -> Ty {
    match ty {
        Ty::External(name, _) => Ty::external(format!("{name}.__await__")),
        Ty::Instance(..) => {
            let Some(steps) = value_of_method(rx, ty, "__await__") else { return Ty::Unknown };
            let line = rx.linearization(&steps);
            let generator = line.iter().find(|t| t.def() == Some(known(rx).generator));
            generator.and_then(|g| g.args().get(2).cloned()).unwrap_or(Ty::Unknown)
        }
        _ => Ty::Unknown,
    }
}

/// The value of a declaration.
pub(super) fn def_type(rx: &Resolver, def: GlobalDef) -> Ty {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    match d.kind {
        SymbolKind::Parameter => parameter_type(rx, file, def),
        SymbolKind::Property => rx.return_type(def),
        SymbolKind::EnumCase => rx.owner_class(def).map_or(Ty::Unknown, Ty::instance),
        SymbolKind::Variable | SymbolKind::Field => match d.ty {
            Some(ty) => declared(rx, file, ty, d.init),
            None => {
                let init = d.init.map_or(Ty::Unknown, |init| rx.expr_type(file, init));
                let others = flow::assigned_values(rx, file, def);
                join(std::iter::once(init).chain(others))
            }
        },
        SymbolKind::Function | SymbolKind::Method if !d.decorators.is_empty() => {
            decorated(rx, file, def).unwrap_or_else(|| rx.default_def_type(def))
        }
        _ => rx.default_def_type(def),
    }
}

/// The object that a decorator says it puts in the place of a function; `None` when what is there is called like it.
fn decorated(rx: &Resolver, file: &FileView, def: GlobalDef) -> Option<Ty> {
    match made_by_decorators(rx, file, def)? {
        // That of `enum` too.
        (class, _) if library::is_bundled(rx, class) && rx.def_name(class) == "property" => {
            Some(rx.return_type(def))
        }
        (class, made) => (!library::is_bundled(rx, class)).then_some(made),
    }
}

/// The object of the library that a decorator puts in the place of a function.
pub(super) fn wrapper(rx: &Resolver, def: GlobalDef) -> Option<Ty> {
    made_by_decorators(rx, rx.file(def.file), def).map(|(_, made)| made)
}

/// The object that a decorator puts in the place of a function, with its class.
fn made_by_decorators(rx: &Resolver, file: &FileView, def: GlobalDef) -> Option<(GlobalDef, Ty)> {
    let function = rx.default_def_type(def);
    let decorators: Vec<ExprId> = file.list(file.def(def.def).decorators).collect();
    let args = Arguments::of(file, [Argument::Value(function)]);
    decorators.into_iter().find_map(|decorator| {
        let value = rx.expr_type(file, decorator);
        let maker = match file.expr(decorator) {
            Expr::Call { callee, .. } => rx.expr_type(file, callee),
            _ => value.clone(),
        };
        let made = calls::call(rx, &args, &value);
        let class = made.def().filter(|_| matches!(made, Ty::Instance(..)))?;
        let says = calls::is_annotated(rx, &value) && calls::is_annotated(rx, &maker);
        // A class that makes its instances itself may give something else, and the library's mostly pass on.
        let of_project = |def| !library::is_bundled(rx, def);
        let is_plain = || {
            let makers = members::members(rx, &made, "__new__");
            of_project(class) && !makers.iter().filter_map(Member::def).any(of_project)
        };
        (says || is_plain()).then_some((class, made))
    })
}

/// A declared type; a bare `Final` or `ClassVar` leaves the type to the value.
fn declared(rx: &Resolver, file: &FileView, ty: TypeId, init: Option<ExprId>) -> Ty {
    let is_bare = matches!(file.ty(ty), TypeExpr::Named { name, args }
        if args.is_empty() && matches!(file.ref_name(name), "Final" | "ClassVar" | "TypeAlias"));
    match init {
        Some(init) if is_bare => rx.expr_type(file, init),
        _ => rx.type_of(file, ty),
    }
}

fn parameter_type(rx: &Resolver, file: &FileView, def: GlobalDef) -> Ty {
    let d = file.def(def.def);
    if let Some(written) = d.ty {
        let ty = rx.type_of(file, written);
        return if d.flags.has(DefFlags::VARARG) {
            known(rx).tuple_of(ty)
        } else if d.flags.has(DefFlags::KEYWORD_VARARG) && !is_unpacked(file, written) {
            let known = known(rx);
            known.of(known.dict, [Ty::instance(known.str), ty])
        } else {
            ty
        };
    }
    if d.flags.has(DefFlags::VARARG) {
        return Ty::instance(known(rx).tuple);
    }
    if d.flags.has(DefFlags::KEYWORD_VARARG) {
        let known = known(rx);
        return known.of(known.dict, [Ty::instance(known.str), Ty::Unknown]);
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

/// `Unpack[…]`.
fn is_unpacked(file: &FileView, ty: TypeId) -> bool {
    matches!(file.ty(ty), TypeExpr::Named { name, args }
        if !args.is_empty() && file.ref_name(name) == "Unpack")
}

/// The type of a method's first parameter.
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

/// The type that the place of a lambda expects.
pub(super) fn expected(rx: &Resolver, file: &FileView, expr: ExprId) -> Ty {
    match file.expectation(expr) {
        Some(Expectation::Argument { call, .. } | Expectation::Named { call, .. }) => {
            argument_type(rx, file, call, expr)
        }
        _ => rx.default_expected(file, expr),
    }
}

/// The type that a call expects in the place of an argument.
pub(super) fn argument_type(rx: &Resolver, file: &FileView, call: ExprId, argument: ExprId) -> Ty {
    let Expr::Call { callee, args, .. } = file.expr(call) else { return Ty::Unknown };
    let args = Arguments::of_call(file, args);
    let callee = rx.expr_type(file, callee);
    let found = callee.parts().iter().find_map(|part| calls::expected(rx, &args, part, argument));
    found.unwrap_or(Ty::Unknown)
}

/// The result type of calling a function.
pub(super) fn return_type(rx: &Resolver, def: GlobalDef) -> Ty {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    let result = match d.ty {
        Some(ty) => rx.type_of(file, ty),
        None => inferred_result(rx, file, def),
    };
    if let Some(result) = context_manager(rx, file, def, &result) {
        return result;
    }
    if d.flags.has(DefFlags::ASYNC) && !d.flags.has(DefFlags::GENERATOR) {
        let known = known(rx);
        return known.of(known.coroutine, [Ty::Unknown, Ty::Unknown, result]);
    }
    result
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
                Some(class) if is_self || is_own_instance(rx, file, def, value) => Ty::Param(class),
                _ => rx.expr_type(file, value),
            }
        }
        Expr::Call { .. } if is_own_instance(rx, file, def, value) => class.map_or(Ty::Unknown, Ty::Param),
        Expr::Yield(value) => rx.expr_type(file, value),
        _ => rx.expr_type(file, value),
    };
    let returns: Vec<ExprId> = file.list(d.returns).collect();
    if d.flags.has(DefFlags::GENERATOR) {
        let (yields, ends): (Vec<ExprId>, Vec<ExprId>) =
            returns.into_iter().partition(|e| matches!(file.expr(*e), Expr::Yield(_)));
        let known = known(rx);
        let of_all = |values: Vec<ExprId>| join(values.into_iter().map(of));
        return known.of(known.generator, [of_all(yields), Ty::Unknown, of_all(ends)]);
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

/// Whether a class method makes a value by calling the class that it is called on.
fn is_own_instance(rx: &Resolver, file: &FileView, method: GlobalDef, value: ExprId) -> bool {
    let m = file.def(method.def);
    let Some(receiver) = file.list(m.params).next() else { return false };
    if !m.flags.has(DefFlags::CLASS_METHOD) || rx.owner_class(method).is_none() {
        return false;
    }
    let made = match file.expr(value) {
        Expr::Ref(name) if file.reference(name).receiver.is_none() => {
            let variable = rx.resolve(file.global_ref(name)).resolution.defs().next();
            let Some(variable) = variable.filter(|v| v.file == file.id).map(|v| file.def(v.def)) else {
                return false;
            };
            // One value for certain.
            let is_single = !file.flow().assigns.has(variable.name);
            variable.init.filter(|_| is_single && variable.kind == SymbolKind::Variable)
        }
        _ => Some(value),
    };
    let Some(Expr::Call { callee, .. }) = made.map(|made| file.expr(made)) else { return false };
    matches!(file.expr(callee), Expr::Ref(name)
        if file.reference(name).receiver.is_none() && file.ref_name(name) == file.def_name(receiver))
}

/// The type that a `yield` receives in its generator: the type that is sent; for `yield from` the type that
/// the other generator returns.
pub(super) fn received(rx: &Resolver, file: &FileView, id: ExprId, value: ExprId) -> Ty {
    let known = known(rx);
    let argument = |ty: &Ty, index: usize| {
        join(ty.parts().iter().map(|part| {
            let line = rx.linearization(part);
            let generators = [known.generator, known.async_generator];
            let generator = line.iter().find(|t| t.def().is_some_and(|def| generators.contains(&def)));
            generator.and_then(|g| g.args().get(index).cloned()).unwrap_or(Ty::Unknown)
        }))
    };
    if let Expr::Element(other) = file.expr(value) {
        return argument(&rx.expr_type(file, other), 2);
    }
    let function = flow::index(file).generator_of(file, id);
    match function.and_then(|function| file.def(function).ty) {
        Some(ty) => argument(&rx.type_of(file, ty), 1),
        None => Ty::Unknown,
    }
}

/// A generator function that a decorator makes a context manager.
fn context_manager(rx: &Resolver, file: &FileView, def: GlobalDef, result: &Ty) -> Option<Ty> {
    let known = known(rx);
    let manager = file.list(file.def(def.def).decorators).find_map(|e| match file.expr(e) {
        Expr::Ref(name) => match file.ref_name(name) {
            "contextmanager" => Some(known.context_manager),
            "asynccontextmanager" => Some(known.async_context_manager),
            _ => None,
        },
        _ => None,
    })?;
    let item = join(result.parts().iter().map(|p| element(rx, p)));
    Some(known.of(manager, [item, Ty::Unknown]))
}

pub(super) fn literal(rx: &Resolver, literal: Literal) -> Ty {
    let known = known(rx);
    Ty::instance(match literal {
        Literal::String | Literal::Char => known.str,
        Literal::Bytes => known.bytes,
        Literal::Int | Literal::Long => known.int,
        Literal::Float | Literal::SmallFloat => known.float,
        Literal::Bool => known.bool,
        Literal::Null => return Ty::Nothing,
        Literal::Regex | Literal::Other => return Ty::Unknown,
    })
}

pub(super) fn binary(rx: &Resolver, file: &FileView, op: BinaryOp, left: &Ty, right: &Ty) -> Ty {
    let methods: &[&str] = match op {
        BinaryOp::Or | BinaryOp::And | BinaryOp::Coalesce => return join([left.clone(), right.clone()]),
        BinaryOp::Compare | BinaryOp::In | BinaryOp::TypeTest => return Ty::instance(known(rx).bool),
        BinaryOp::Plus => &["__add__"],
        BinaryOp::Bits => &["__or__", "__and__", "__xor__"],
        BinaryOp::Shift => &["__rshift__", "__lshift__"],
        _ => &["__sub__", "__mul__", "__truediv__", "__mod__", "__matmul__", "__pow__", "__floordiv__"],
    };
    let is_type =
        |part: &Ty| matches!(part, Ty::Class(..) | Ty::ExternalName(_) | Ty::Literal(_) | Ty::Nothing);
    if op == BinaryOp::Bits && left.parts().iter().all(is_type) {
        // `A | B` of two classes is a type.
        return join([left.clone(), right.clone()]);
    }
    let args = Arguments::of(file, [Argument::Value(right.clone())]);
    join(left.parts().iter().map(|part| match part {
        Ty::Instance(..) => {
            methods.iter().find_map(|m| method_value(rx, part, m, &args)).unwrap_or(Ty::Unknown)
        }
        Ty::External(..) | Ty::Tuple(_) => part.clone(),
        _ => Ty::Unknown,
    }))
}
