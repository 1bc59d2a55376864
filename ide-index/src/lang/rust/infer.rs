//! Values to types: calls, closures, what the language does to values.

use std::sync::Arc;

use ide_model::{Confidence, SymbolKind};

use super::adapters::as_iterator;
use super::derives;
pub(super) use super::knowledge::best;
use super::library::{self, Shape, Term};
use super::members::{self, as_instance, bound_only, bounds, item, pointed, settle, whole};
use super::outside_types;
use crate::facts::{DefFlags, Expr, ExprId, List, RefId, Role, TypeExpr, TypeId};
use crate::resolve::{FileView, Resolution, Resolved, Resolver, Substitution, Target, Ty, Types, unify};
use crate::world::GlobalDef;

/// A library type by its name, as the tables know it.
pub(super) fn named(name: &str, args: Vec<Ty>) -> Ty {
    match name {
        "slice" => Ty::Array(Arc::new(args.into_iter().next().unwrap_or(Ty::Unknown))),
        "pointer" => Ty::Pointer(Arc::new(args.into_iter().next().unwrap_or(Ty::Unknown))),
        "str" | "bool" | "usize" | "char" | "u8" | "i32" | "f64" => Ty::Primitive(name.into()),
        _ => Ty::External(format!("std::{name}").into(), args.into()),
    }
}

/// The name under which a library type is known, whatever module it was reached by.
pub(super) fn canonical(path: &str) -> Arc<str> {
    if library::is_standard(path) { format!("std::{}", library::last(path)).into() } else { path.into() }
}

/// The value of an expression, where Rust has rules of its own.
pub(super) fn expr(rx: &Resolver, file: &FileView, id: ExprId, expr: Expr) -> Option<Ty> {
    let of = |e: ExprId| rx.expr_type(file, e);
    Some(match expr {
        Expr::Block { scope, value } => match file.expr(value) {
            Expr::Text(written) => super::names::root_type(rx, file, scope, file.name(written)),
            _ => of(value),
        },
        Expr::Ref(reference) => settle(rx, &reference_value(rx, file, reference)),
        Expr::Call { callee, type_args, args } => settle(rx, &call(rx, file, id, callee, type_args, args)),
        Expr::New { ty, args } => literal_value(rx, file, ty, args),
        Expr::Cast { ty, value } => taken_as(rx, file, ty, value),
        Expr::Type(ty) => match rx.type_of(file, ty) {
            Ty::Instance(def, args) if !members::is_projection(rx, def) => Ty::Class(def, args),
            Ty::External(name, args) if args.is_empty() => Ty::ExternalName(name),
            other => other,
        },
        Expr::Item { base, index } => part(rx, file, base, index),
        Expr::Element(base) => item(rx, &of(base)).unwrap_or(Ty::Unknown),
        Expr::Choice(parts) => best(file.list(parts).map(of)),
        Expr::Macro { callee, args } => macro_value(rx, file, callee, args),
        // The lock of an asynchronous library gives the guard, not a result.
        Expr::Await(base) if is_lock(file, base) => match of(base) {
            Ty::External(name, args) if library::last(&name) == "Result" => {
                args.first().cloned().unwrap_or(Ty::Unknown)
            }
            _ => return None,
        },
        Expr::Index { base, .. } => indexed(rx, &of(base)),
        Expr::Slice(base) => slice_of(of(base)),
        _ => return None,
    })
}

fn is_lock(file: &FileView, value: ExprId) -> bool {
    let Expr::Call { callee, .. } = file.expr(value) else { return false };
    matches!(file.expr(callee), Expr::Ref(name) if matches!(file.ref_name(name), "lock" | "read" | "write"))
}

/// The value of a name. Of several declarations under different conditions the first is the one that counts.
pub(super) fn first_value(rx: &Resolver, file: &FileView, reference: RefId) -> Ty {
    let resolved = rx.resolve(file.global_ref(reference));
    match &resolved.resolution.targets[..] {
        [first, _, ..] if resolved.resolution.confidence == Confidence::Exact => {
            let resolution = Resolution::exact(first.clone());
            rx.value_of(&Resolved { resolution, owner: resolved.owner.clone() })
        }
        _ => rx.value_of(&resolved),
    }
}

/// A name as a value: constructors without fields are values of their type.
fn reference_value(rx: &Resolver, file: &FileView, reference: RefId) -> Ty {
    let ty = first_value(rx, file, reference);
    if let (Role::Key, Some(of)) = (file.reference(reference).role, file.reference(reference).call) {
        // A field has the arguments of what the pattern takes apart.
        return ty.substitute(&bound_only(&rx.arguments_of(&rx.expr_type(file, of))));
    }
    let r = file.reference(reference);
    let is_value = matches!(r.role, Role::Read | Role::Write | Role::ReadWrite)
        && !r.flags.has(crate::facts::RefFlags::TYPE_ONLY);
    match ty {
        Ty::Class(def, args) if is_value && fields(rx, def).is_empty() => Ty::Instance(whole(rx, def), args),
        Ty::ExternalName(name) if is_value && library::last(&name) == "None" => {
            named("Option", vec![Ty::Unknown])
        }
        // A type's `default` returns the type, whoever wrote it.
        Ty::ExternalName(name) if is_value && library::last(&name) == "default" => {
            match r.receiver.map(|receiver| rx.expr_type(file, receiver)) {
                Some(of @ (Ty::Class(..) | Ty::Instance(..) | Ty::Param(_))) => {
                    Ty::Callable { params: Types::default(), result: Arc::new(as_instance(&of)) }
                }
                _ => Ty::ExternalName(name),
            }
        }
        Ty::ExternalName(path) if is_value => {
            let receiver = r.receiver.map_or(Ty::Unknown, |receiver| rx.expr_type(file, receiver));
            outside_types::value(rx, &path, &receiver).unwrap_or(Ty::ExternalName(path))
        }
        // One of several declarations under different conditions.
        Ty::Union(parts) => best(parts.iter().cloned()),
        other => other,
    }
}

/// The fields of a struct or variant in order.
pub(super) fn fields(rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    if !matches!(d.kind, SymbolKind::Struct | SymbolKind::EnumCase | SymbolKind::Union) {
        return Vec::new();
    }
    let Some(body) = d.body else { return Vec::new() };
    let mut all: Vec<GlobalDef> = file
        .all_in_scope(body)
        .iter()
        .filter(|f| file.def(**f).kind == SymbolKind::Field)
        .map(|f| file.global(*f))
        .collect();
    all.sort_by_key(|f| file.def(f.def).name_range.start);
    all
}

/// `Foo { … }`: the type, with arguments from the values of its fields.
fn literal_value(rx: &Resolver, file: &FileView, ty: TypeId, args: List<ExprId>) -> Ty {
    let ty = rx.type_of(file, ty);
    let Ty::Instance(def, written) = &ty else { return ty };
    let params = rx.type_params(*def);
    if params.is_empty() || !written.is_empty() && !written.iter().any(Ty::is_unknown) {
        return Ty::Instance(whole(rx, *def), written.clone());
    }
    let mut found = Substitution::default();
    for arg in file.list(args) {
        if let Expr::Named { key, value } = file.expr(arg)
            && let Some(field) = rx.own_members(*def, file.ref_name(key)).first()
        {
            unify(&rx.def_type(*field), &rx.expr_type(file, value), &params, &mut found);
        }
    }
    applied(rx, *def, &params, &found)
}

fn applied(rx: &Resolver, def: GlobalDef, params: &[GlobalDef], found: &Substitution) -> Ty {
    let args = params.iter().map(|p| found.get(p).cloned().unwrap_or(Ty::Unknown)).collect();
    Ty::Instance(whole(rx, def), args)
}

/// A value taken for a type: a cast, or the type that a pattern names, which has the arguments of the value.
fn taken_as(rx: &Resolver, file: &FileView, ty: TypeId, value: ExprId) -> Ty {
    let ty = rx.type_of(file, ty);
    let Ty::Instance(def, _) = &ty else { return ty };
    let mut value = settle(rx, &rx.expr_type(file, value));
    while let Some(inner) = pointed(rx, &value).filter(|_| value.def().is_none()) {
        value = settle(rx, &inner);
    }
    match &value {
        Ty::Instance(other, args) if whole(rx, *other) == whole(rx, *def) => Ty::Instance(*def, args.clone()),
        _ => ty,
    }
}

/// Field `index` of a tuple or tuple struct, or of what a pattern takes a value for.
fn part(rx: &Resolver, file: &FileView, base: ExprId, index: u32) -> Ty {
    if let Expr::Cast { ty, value } = file.expr(base)
        && let Some(name) = rx.named_type_ref(file, ty)
        && let Some(Target::External(path)) = rx.resolve(file.global_ref(name)).resolution.targets.first()
    {
        let mut taken = settle(rx, &rx.expr_type(file, value));
        while let Some(inner) = pointed(rx, &taken) {
            taken = settle(rx, &inner);
        }
        return match (library::last(path), taken) {
            // An unknown result of a library function belongs to the library.
            ("Some" | "Ok" | "Err", Ty::External(name, args))
                if args.is_empty() && library::last(&name).starts_with(char::is_lowercase) =>
            {
                Ty::external(format!("{name}::{}", library::last(path)))
            }
            ("Some" | "Ok" | "Break" | "Ready" | "Borrowed" | "Owned" | "Left", Ty::External(_, args)) => {
                args.first().cloned().unwrap_or(Ty::Unknown)
            }
            ("Err" | "Right" | "Continue", Ty::External(_, args)) => {
                args.get(1).cloned().unwrap_or(Ty::Unknown)
            }
            ("Occupied", Ty::External(_, args)) => named("OccupiedEntry", args.to_vec()),
            ("Vacant", Ty::External(_, args)) => named("VacantEntry", args.to_vec()),
            (_, taken) => outside_types::part(rx, path, index, &taken).unwrap_or(Ty::Unknown),
        };
    }
    let mut ty = settle(rx, &rx.expr_type(file, base));
    for _ in 0..8 {
        match &ty {
            Ty::Tuple(items) => return items.get(index as usize).cloned().unwrap_or(Ty::Unknown),
            Ty::External(name, args) if index == 0 && library::is_wrapper(library::last(name)) => {
                return args.first().cloned().unwrap_or(Ty::Unknown);
            }
            Ty::Instance(def, _) | Ty::Class(def, _) => {
                let own = rx.own_members(*def, &index.to_string());
                if let Some(field) = own.first() {
                    let substitution = bound_only(&rx.arguments_of(&ty));
                    return settle(rx, &rx.def_type(*field).substitute(&substitution));
                }
            }
            _ => {}
        }
        match pointed(rx, &ty) {
            Some(inner) => ty = settle(rx, &inner),
            None => return Ty::Unknown,
        }
    }
    Ty::Unknown
}

/// `base[i]`.
fn indexed(rx: &Resolver, base: &Ty) -> Ty {
    let mut ty = settle(rx, base);
    for _ in 0..8 {
        match &ty {
            Ty::Array(item) => return (**item).clone(),
            Ty::External(name, args) => {
                let last = library::last(name);
                if library::shape(last, "keys").is_some() && args.len() > 1 {
                    return args[1].clone();
                }
                if !library::is_pointer(last) {
                    return if library::shape(last, "iter").is_some() {
                        args.first().cloned().unwrap_or(Ty::Unknown)
                    } else {
                        outside_types::associated(rx, &ty, "Index", "Output").unwrap_or(Ty::Unknown)
                    };
                }
            }
            Ty::Instance(..) => {
                if let Some(output) = members::associated(rx, &ty, "Index", "Output") {
                    return settle(rx, &output);
                }
            }
            _ => {}
        }
        match pointed(rx, &ty) {
            Some(inner) => ty = settle(rx, &inner),
            None => return Ty::Unknown,
        }
    }
    Ty::Unknown
}

/// The type of the content that a string or a list owns.
fn slice_of(ty: Ty) -> Ty {
    match &ty {
        Ty::External(name, _) if library::last(name) == "String" => Ty::Primitive("str".into()),
        Ty::External(name, args) if library::last(name) == "Vec" => {
            Ty::Array(Arc::new(args.first().cloned().unwrap_or(Ty::Unknown)))
        }
        _ => ty,
    }
}

fn macro_value(rx: &Resolver, file: &FileView, callee: RefId, args: List<ExprId>) -> Ty {
    let resolved = rx.resolve(file.global_ref(callee));
    let mut items = file.list(args).map(|e| rx.expr_type(file, e));
    match resolved.resolution.targets.first() {
        Some(Target::External(_)) => {}
        Some(Target::Def(def)) if rx.def(*def).init.is_some() => {
            return items.next().map_or(Ty::Unknown, |ty| rx.policy(file).tried(rx, &ty));
        }
        _ => return Ty::Unknown,
    }
    match file.ref_name(callee) {
        "vec" => named("Vec", vec![best(items)]),
        "pin" => named("Pin", items.collect()),
        "format" => named("String", Vec::new()),
        "dbg" => items.next().unwrap_or(Ty::Unknown),
        "ready" => match items.next().map(|ty| settle(rx, &ty)) {
            Some(Ty::External(name, args)) if library::last(&name) == "Poll" => {
                args.first().cloned().unwrap_or(Ty::Unknown)
            }
            _ => Ty::Unknown,
        },
        "matches" | "cfg" => Ty::Primitive("bool".into()),
        "stringify" | "concat" | "env" | "include_str" | "file" | "module_path" => {
            Ty::Primitive("str".into())
        }
        "write" | "writeln" => named("Result", vec![Ty::Tuple(Types::default()), Ty::Unknown]),
        _ => Ty::Unknown,
    }
}

// ---- calls ------------------------------------------------------------------------------------------------------

/// The receiver's value when the callee is a method behind a dot.
pub(super) fn method(rx: &Resolver, file: &FileView, callee: ExprId) -> Option<(RefId, Ty)> {
    let Expr::Ref(reference) = file.expr(callee) else { return None };
    let receiver = file.reference(reference).receiver?;
    let is_path = match file.expr(receiver) {
        Expr::Ref(before) => file.reference(before).flags.has(crate::facts::RefFlags::TYPE_ONLY),
        Expr::Type(_) => true,
        Expr::Block { value, .. } => matches!(file.expr(value), Expr::Text(_)),
        _ => false,
    };
    (!is_path).then(|| (reference, settle(rx, &rx.expr_type(file, receiver))))
}

fn call(
    rx: &Resolver,
    file: &FileView,
    id: ExprId,
    callee: ExprId,
    type_args: List<TypeId>,
    args: List<ExprId>,
) -> Ty {
    if let Some((reference, receiver)) = method(rx, file, callee) {
        let resolved = rx.resolve(file.global_ref(reference));
        return match resolved.resolution.targets.first() {
            Some(Target::Def(def)) => match rx.def(*def).kind {
                SymbolKind::Field => called(rx, file, &rx.value_of(&resolved), id, args),
                _ => function_value(rx, file, *def, &resolved.owner, id, false),
            },
            _ if is_behind_pointer(file, reference) => {
                let receiver = named("Pin", vec![receiver]);
                shaped(rx, file, &receiver, file.ref_name(reference), type_args, args)
            }
            target => {
                let given = shaped(rx, file, &receiver, file.ref_name(reference), type_args, args);
                match target {
                    Some(Target::External(path)) => {
                        outside_types::of_method(rx, file, id, path, &receiver, given)
                    }
                    _ => given,
                }
            }
        };
    }
    let ty = rx.expr_type(file, callee);
    if let Ty::ExternalName(path) = &ty {
        let turbofish = file.list(type_args).next().map(|ty| rx.type_of(file, ty));
        let given = foreign_call(rx, file, path, callee, args, turbofish);
        return outside_types::of_function(rx, file, id, callee, path, given);
    }
    called(rx, file, &ty, id, args)
}

/// A method on a `self` that is a pointer to the type.
fn is_behind_pointer(file: &FileView, reference: RefId) -> bool {
    let r = file.reference(reference);
    let on_self = r.receiver.is_some_and(|receiver| matches!(file.expr(receiver), Expr::This(_)));
    let mut around = file.scope_chain(r.scope).filter_map(|scope| file.scope(scope).owner);
    let method = around.find(|def| file.def(*def).kind == SymbolKind::Method).filter(|_| on_self);
    method.is_some_and(|def| file.def(def).flags.has(super::BEHIND_POINTER))
}

/// The result type of calling a value.
fn called(rx: &Resolver, file: &FileView, callee: &Ty, call: ExprId, args: List<ExprId>) -> Ty {
    match callee {
        Ty::Function(def, owner) => {
            let owner = owner.as_deref().cloned().unwrap_or(Ty::Unknown);
            function_value(rx, file, *def, &owner, call, true)
        }
        Ty::Class(def, written) => {
            let params = rx.type_params(*def);
            let mut found: Substitution = params
                .iter()
                .copied()
                .zip(written.iter().cloned())
                .filter(|(_, ty)| !ty.is_unknown())
                .collect();
            for (field, arg) in fields(rx, *def).into_iter().zip(file.list(args)) {
                unify(&rx.def_type(field), &rx.expr_type(file, arg), &params, &mut found);
            }
            applied(rx, *def, &params, &found)
        }
        Ty::Union(parts) => best(parts.iter().map(|part| called(rx, file, part, call, args))),
        other => signature(rx, other).map_or(Ty::Unknown, |(_, result)| result),
    }
}

/// The result type of a declared function at a call.
pub(super) fn function_value(
    rx: &Resolver,
    file: &FileView,
    def: GlobalDef,
    owner: &Ty,
    call: ExprId,
    is_path: bool,
) -> Ty {
    let own = rx.type_params(def);
    let mut found = bound_only(&rx.arguments_of(owner));
    let has_self = rx.def(def).kind == SymbolKind::Method && !rx.def(def).flags.has(DefFlags::STATIC);
    // A method as a path takes its receiver as the first argument.
    if !(is_path && has_self) {
        rx.infer_type_arguments(file, call, def, None, &mut found);
    }
    rx.return_type(def).substitute(&found).substitute(&found).forget(&own)
}

/// The result type of a method of a library type.
fn shaped(
    rx: &Resolver,
    file: &FileView,
    receiver: &Ty,
    name: &str,
    type_args: List<TypeId>,
    args: List<ExprId>,
) -> Ty {
    let turbofish = file.list(type_args).next().map(|ty| rx.type_of(file, ty));
    let Some((shape, on)) = shape_of(rx, receiver, name) else {
        // A library type keeps to itself, unless it holds something of the project.
        return match receiver {
            Ty::Primitive(number) if super::types::is_primitive(number) => of_number(name, receiver),
            // Libraries for errors have these for results, and nothing but results comes of them.
            Ty::External(owner, held)
                if matches!(name, "context" | "with_context" | "wrap_err" | "wrap_err_with")
                    && matches!(library::last(owner), "Option" | "Result") =>
            {
                named("Result", vec![held.first().cloned().unwrap_or(Ty::Unknown), Ty::Unknown])
            }
            // `#[pin_project]` gives a value with the same fields.
            _ if matches!(name, "project" | "project_ref") => receiver.clone(),
            Ty::External(owner, held) if held.is_empty() && !turbofish.as_ref().is_some_and(is_ours) => {
                Ty::external(format!("{owner}::{name}"))
            }
            _ => Ty::Unknown,
        };
    };
    if let (Ty::Array(_), "get" | "get_mut" | "get_unchecked" | "get_unchecked_mut") =
        (slice_of(on.clone()), name)
        && let Some(Ty::External(range, _)) = file.list(args).next().map(|index| rx.expr_type(file, index))
        && library::last(&range).starts_with("Range")
    {
        let part = slice_of(on);
        return if name.starts_with("get_unchecked") { part } else { named("Option", vec![part]) };
    }
    evaluate(rx, file, &shape.result, &on, args, turbofish)
}

/// The result type of a method of a number: another one, where nothing is known of it.
fn of_number(name: &str, number: &Ty) -> Ty {
    let is = |prefix: &str| name.starts_with(prefix);
    match () {
        () if is("checked_") => named("Option", vec![number.clone()]),
        () if is("overflowing_") => Ty::Tuple(Types::from([number.clone(), Ty::Primitive("bool".into())])),
        () if is("is_") => Ty::Primitive("bool".into()),
        () if is("to_") && name.ends_with("_bytes") => Ty::Array(Arc::new(Ty::Primitive("u8".into()))),
        () if is("leading_") || is("trailing_") || is("count_") || is("ilog") => Ty::Primitive("u32".into()),
        () => number.clone(),
    }
}

/// The shape of a method, and the receiver or what it points to that has it.
pub(super) fn shape_of(rx: &Resolver, receiver: &Ty, name: &str) -> Option<(&'static Shape, Ty)> {
    let mut ty = settle(rx, receiver);
    for _ in 0..8 {
        if let Some(members::Head::Named(last)) = members::head(rx, &ty)
            && let Some(shape) = library::shape(&last, name)
        {
            return Some((shape, as_iterator(rx, ty)));
        }
        if !matches!(ty, Ty::External(..))
            && let Some(shape) = library::shape("Iter", name)
            && let Some(item) = iterated(rx, &ty)
        {
            return Some((shape, named("Iter", vec![item])));
        }
        if name == "clone" && matches!(ty, Ty::External(..)) {
            break;
        }
        match pointed(rx, &ty) {
            Some(inner) => ty = settle(rx, &inner),
            None => break,
        }
    }
    if receiver.is_unknown() {
        return None;
    }
    library::common_shape(name).map(|shape| (shape, receiver.clone()))
}

/// The item type of a type that is an iterator itself.
fn iterated(rx: &Resolver, ty: &Ty) -> Option<Ty> {
    match ty {
        Ty::Array(_) | Ty::Tuple(_) => None,
        Ty::Instance(def, _)
            if rx.def(*def).kind != SymbolKind::Trait && !members::is_projection(rx, *def) =>
        {
            members::associated(rx, ty, "Iterator", "Item")
        }
        _ => item(rx, ty),
    }
}

pub(super) fn evaluate(
    rx: &Resolver,
    file: &FileView,
    term: &Term,
    receiver: &Ty,
    args: List<ExprId>,
    turbofish: Option<Ty>,
) -> Ty {
    let of = |term: &Term| evaluate(rx, file, term, receiver, args, turbofish.clone());
    let argument = |n: usize| file.list(args).nth(n).map_or(Ty::Unknown, |e| rx.expr_type(file, e));
    match term {
        Term::Unknown => Ty::Unknown,
        Term::Receiver => receiver.clone(),
        Term::Parameter(n) => match receiver {
            Ty::Array(item) | Ty::Pointer(item) if *n == 0 => (**item).clone(),
            _ => receiver.args().get(*n).cloned().unwrap_or(Ty::Unknown),
        },
        Term::Argument(n) => argument(*n),
        Term::Result(n) => match signature(rx, &argument(*n)) {
            Some((_, result)) => result,
            None => Ty::Unknown,
        },
        Term::Element(inner) => item(rx, &of(inner)).unwrap_or(Ty::Unknown),
        Term::Target(inner) => {
            let ty = of(inner);
            pointed(rx, &ty).unwrap_or_else(|| slice_of(ty))
        }
        Term::Turbofish => collected(rx, turbofish.unwrap_or(Ty::Unknown), receiver),
        Term::Tuple(items) => Ty::Tuple(items.iter().map(of).collect()),
        Term::Best(terms) => best(terms.iter().map(of)),
        Term::Named(name, inner) => named(name, inner.iter().map(of).collect()),
    }
}

/// `collect::<Vec<_>>()`: the item goes where nothing was written.
pub(super) fn collected(rx: &Resolver, written: Ty, iterator: &Ty) -> Ty {
    filled(written, &item(rx, iterator).unwrap_or(Ty::Unknown))
}

pub(super) fn filled(written: Ty, item: &Ty) -> Ty {
    let Ty::External(name, args) = &written else { return written };
    match (library::last(name), &args[..], item) {
        ("Result" | "Option", [inner, rest @ ..], Ty::External(_, parts)) => {
            let inner = filled(inner.clone(), parts.first().unwrap_or(&Ty::Unknown));
            let rest = rest.iter().zip(&parts[1.min(parts.len())..]).map(|(_, part)| part.clone());
            Ty::External(name.clone(), std::iter::once(inner).chain(rest).collect())
        }
        (_, [Ty::Unknown], _) => Ty::External(name.clone(), Types::from([item.clone()])),
        (_, [_, _], Ty::Tuple(parts)) if parts.len() == 2 && args.iter().any(Ty::is_unknown) => {
            Ty::External(name.clone(), parts.clone())
        }
        _ => written,
    }
}

/// A call of a library function by its path.
fn foreign_call(
    rx: &Resolver,
    file: &FileView,
    path: &str,
    callee: ExprId,
    args: List<ExprId>,
    turbofish: Option<Ty>,
) -> Ty {
    if let Some(term) = library::function(path) {
        return evaluate(rx, file, &term, &Ty::Unknown, args, turbofish);
    }
    let name = library::last(path);
    let owner = path.rsplit_once("::").map_or("", |(owner, _)| owner);
    let receiver = file.list(args).next().map(|first| rx.expr_type(file, first));
    // A map of pairs.
    if matches!(name, "from" | "from_iter")
        && library::shape(library::last(owner), "keys").is_some()
        && let Some(Ty::Tuple(pair)) = receiver.as_ref().and_then(|pairs| item(rx, pairs))
    {
        return named(library::last(owner), pair.to_vec());
    }
    // A method as a path takes its receiver first.
    if let Some(shape) = library::shape(library::last(owner), name)
        && let Some(receiver) = receiver
    {
        let rest = List::new(args.start + 1, args.len - 1);
        let (_, on) = shape_of(rx, &receiver, name).unwrap_or((shape, receiver));
        return evaluate(rx, file, &shape.result, &on, rest, turbofish);
    }
    if name.starts_with(char::is_uppercase) {
        return Ty::External(canonical(path), Types::default());
    }
    if library::last(owner).starts_with(char::is_uppercase) {
        // `Vec::<T>::new`, `HashMap::with_capacity`: mostly what it belongs to.
        let Expr::Ref(reference) = file.expr(callee) else { return Ty::Unknown };
        let receiver = file.reference(reference).receiver.map(|r| rx.expr_type(file, r));
        return match receiver {
            Some(Ty::External(name, args)) => Ty::External(name, args),
            // A type's `default` returns the type, whoever wrote it.
            Some(ty @ (Ty::Class(..) | Ty::Instance(..) | Ty::Param(_))) if name == "default" => {
                as_instance(&ty)
            }
            _ if matches!(name, "default" | "from" | "into" | "from_iter" | "deserialize" | "try_from")
                && !library::last(owner).starts_with("Vec")
                && library::prelude(library::last(owner)).is_some() =>
            {
                Ty::Unknown
            }
            _ => Ty::External(canonical(owner), Types::default()),
        };
    }
    let holds_ours = file.list(args).any(|e| is_ours(&rx.expr_type(file, e)));
    if holds_ours { Ty::Unknown } else { Ty::external(path) }
}

fn is_ours(ty: &Ty) -> bool {
    match ty {
        Ty::Instance(..) | Ty::Class(..) | Ty::Function(..) | Ty::Param(_) | Ty::Unknown => true,
        Ty::Array(item) | Ty::Pointer(item) => is_ours(item),
        Ty::Tuple(items) => items.iter().any(is_ours),
        _ => ty.args().iter().any(is_ours),
    }
}

// ---- closures ---------------------------------------------------------------------------------------------------

/// Parameters and result of something that can be called.
pub(super) fn signature(rx: &Resolver, ty: &Ty) -> Option<(Vec<Ty>, Ty)> {
    match ty {
        Ty::Callable { params, result } => Some((params.to_vec(), (**result).clone())),
        Ty::Function(def, owner) => {
            let found = owner.as_deref().map(|o| bound_only(&rx.arguments_of(o))).unwrap_or_default();
            let file = rx.file(def.file);
            let mut params: Vec<Ty> = file
                .list(file.def(def.def).params)
                .map(|p| {
                    let p = file.def(p);
                    p.ty.map_or(Ty::Unknown, |ty| rx.type_of(file, ty).substitute(&found))
                })
                .collect();
            let d = file.def(def.def);
            if d.kind == SymbolKind::Method && !d.flags.has(DefFlags::STATIC) {
                params.insert(0, Ty::Unknown);
            }
            let result = rx.return_type(*def).substitute(&found).forget(&rx.type_params(*def));
            Some((params, settle(rx, &result)))
        }
        Ty::Class(def, args) => {
            let fields = fields(rx, *def);
            let result = Ty::Instance(whole(rx, *def), args.clone());
            (!fields.is_empty()).then(|| (fields.into_iter().map(|f| rx.def_type(f)).collect(), result))
        }
        Ty::ExternalName(path) => match library::function(path) {
            Some(Term::Named(name, _)) => Some((Vec::new(), named(name, Vec::new()))),
            Some(_) => None,
            None => signature(rx, &outside_types::function_type(rx, path)?),
        },
        Ty::Param(parameter) => bounds(rx, *parameter).iter().find_map(|bound| signature(rx, bound)),
        Ty::Intersection(parts) => parts.iter().find_map(|part| signature(rx, part)),
        Ty::External(..) => signature(rx, &pointed(rx, ty)?),
        _ => None,
    }
}

// ---- written types ----------------------------------------------------------------------------------------------

pub(super) fn written_type(rx: &Resolver, file: &FileView, ty: TypeExpr) -> Option<Ty> {
    let of = |t: TypeId| rx.type_of(file, t);
    Some(match ty {
        TypeExpr::Named { name, args } => named_type(rx, file, name, args),
        TypeExpr::Indexed { base, .. } => of(base),
        TypeExpr::TypeOf(value) => as_instance(&rx.expr_type(file, value)),
        TypeExpr::Intersection(parts) => Ty::Intersection(file.list(parts).map(of).collect()),
        TypeExpr::Pointer(inner) => Ty::Pointer(Arc::new(of(inner))),
        _ => return None,
    })
}

fn named_type(rx: &Resolver, file: &FileView, name: RefId, written: List<TypeId>) -> Ty {
    let is_binding = |t: &TypeId| matches!(file.ty(*t), TypeExpr::Indexed { .. });
    let resolved = if derives::is_derived(file, name) {
        let resolution = derives::trait_named(rx, file, name);
        Resolved { resolution, owner: Ty::Unknown }
    } else {
        rx.resolve(file.global_ref(name))
    };
    let Some(target) = resolved.resolution.targets.first() else { return Ty::Unknown };
    match target {
        Target::External(path) => {
            let args: Vec<Ty> = file.list(written).map(|t| rx.type_of(file, t)).collect();
            foreign_type(rx, file, name, path, args)
        }
        Target::Def(def) => {
            let args: Types =
                file.list(written).filter(|t| !is_binding(t)).map(|t| rx.type_of(file, t)).collect();
            declared_type(rx, file, name, *def, &resolved.owner, args)
        }
        Target::Module(_) | Target::Package(_) => Ty::Unknown,
    }
}

fn foreign_type(rx: &Resolver, file: &FileView, name: RefId, path: &str, mut args: Vec<Ty>) -> Ty {
    let last = library::last(path);
    let of = path.rsplit("::").nth(1).unwrap_or_default();
    if let Some(receiver) = file.reference(name).receiver
        && of.starts_with(char::is_uppercase)
    {
        let base = as_instance(&rx.expr_type(file, receiver));
        if let Some(known) = members::associated(rx, &base, of, last) {
            return known;
        }
        let is_variant = matches!(base, Ty::External(..) | Ty::ExternalName(_)) && last != "Item";
        if is_variant {
            return Ty::External(canonical(path), args.into());
        }
        if last == "Item" && !matches!(base, Ty::ExternalName(_)) {
            return Ty::External("Iterator::Item".into(), Types::from([base]));
        }
        return Ty::Unknown;
    }
    if super::types::is_primitive(path) {
        return Ty::Primitive(path.into());
    }
    if library::is_result_alias(last) {
        args.push(Ty::Unknown);
        return named("Result", args);
    }
    // The length and the items.
    if let ("SmallVec" | "ArrayVec" | "TinyVec", [Ty::Array(inner)]) = (last, &args[..]) {
        args = vec![(**inner).clone()];
    }
    if last == "Result" && args.len() < 2 {
        // `io::Result<T>`, `fmt::Result`.
        if args.is_empty() {
            args.push(Ty::Tuple(Types::default()));
        }
        let module = path.strip_suffix("::Result").unwrap_or("std::result");
        args.push(Ty::external(format!("{module}::Error")));
        return named("Result", args);
    }
    Ty::External(canonical(path), args.into())
}

fn declared_type(rx: &Resolver, file: &FileView, name: RefId, def: GlobalDef, owner: &Ty, args: Types) -> Ty {
    let d = rx.def(def);
    match d.kind {
        SymbolKind::EnumCase => Ty::Instance(def, args),
        SymbolKind::TypeAlias if members::is_projection(rx, def) => {
            let base =
                file.reference(name).receiver.map_or(Ty::Unknown, |r| as_instance(&rx.expr_type(file, r)));
            Ty::Instance(def, Types::from([base]))
        }
        SymbolKind::TypeAlias => {
            let home = rx.file(def.file);
            let target = d.ty.map_or(Ty::Unknown, |ty| rx.type_of(home, ty));
            let params = rx.type_params(def);
            let mut own: Substitution = params.iter().copied().zip(args.iter().cloned()).collect();
            for param in params.into_iter().skip(args.len()) {
                if let Some(Expr::Type(default)) = rx.def(param).init.map(|init| home.expr(init)) {
                    own.insert(param, rx.type_of(home, default));
                }
            }
            settle(rx, &target.substitute(&own).substitute(&bound_only(&rx.arguments_of(owner))))
        }
        _ => rx.type_of_def(def, args),
    }
}
