//! Inference at a call: its callee, the type arguments that its arguments determine, its result, and the expected
//! types of its arguments.

use ide_model::{Confidence, Language, SymbolKind};

use super::calls::{
    arguments, construction, construction_by, constructors, is_primary, mapping, parameter_type, parameters,
};
use super::given::given_type;
use super::lookup::{declared_receiver, unknown};
use super::members::{Candidate, companion, is_component, is_functional, members_of, single_method};
use super::types::{Fit, fit, from_java};
use crate::facts::{DefId, Expr, ExprId, RefId, Role, TypeExpr};
use crate::lang::java::tops::Tops;
use crate::resolve::{
    Args, FileView, Reason, Resolution, Resolved, Resolver, Substitution, Target, Ty, unify,
};
use crate::world::GlobalDef;

/// The targets of a call: functions, classes, and values that are called.
pub(super) fn callees(rx: &Resolver, file: &FileView, call: ExprId) -> (Vec<Target>, Confidence) {
    let found = callee(rx, file, call);
    (found.resolution.targets.to_vec(), found.resolution.confidence)
}

pub(super) fn callee(rx: &Resolver, file: &FileView, call: ExprId) -> Resolved {
    let class = match file.expr(call) {
        Expr::Call { callee, .. } => match file.expr(callee) {
            Expr::Ref(name) => return rx.resolve(file.global_ref(name)),
            Expr::This(scope) => {
                file.enclosing_class(scope).map(|(_, class)| Ty::instance(file.global(class)))
            }
            Expr::Super(scope) => {
                let class = file.enclosing_class(scope).map(|(_, class)| file.global(class));
                class.and_then(|class| rx.supers(class).first().cloned())
            }
            _ => None,
        },
        Expr::New { ty, .. } => match file.ty(ty) {
            TypeExpr::This => {
                let entry = file.initialized_by(call);
                entry.and_then(|d| rx.owner_class(file.global(d))).map(Ty::instance)
            }
            _ => Some(rx.type_of(file, ty)),
        },
        _ => None,
    };
    let Some(class @ Ty::Instance(def, _)) = class else { return unknown(Reason::NotFound) };
    let all = constructors(rx, def);
    let view = rx.file(def.file);
    if let Some(resolution) = construction_by(rx, file, call, def) {
        return Resolved { resolution, owner: class };
    }
    let target = all.first().map_or(Target::Def(def), |c| construction(view, def, c.def));
    Resolved { resolution: Resolution::exact(target), owner: class }
}

/// The dispatch receiver and the value an extension is called on, as they were packed by [`Candidate::owner`].
pub(super) fn unpack(owner: &Ty) -> (Ty, Ty) {
    match owner {
        Ty::Tuple(both) if both.len() == 2 => (both[0].clone(), both[1].clone()),
        other => (other.clone(), Ty::Unknown),
    }
}

/// The type parameters that a call of a declaration infers.
fn inferred_params(rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
    let d = rx.def(def);
    if d.kind == SymbolKind::Constructor {
        return rx.owner_class(def).map_or(Vec::new(), |class| rx.type_params(class));
    }
    rx.type_params(def)
}

/// The bindings of type parameters in a call: from the receivers, the written arguments, the values. `except`
/// is left out: the argument whose expectation is being computed.
pub(super) fn bind(
    rx: &Resolver,
    file: &FileView,
    call: ExprId,
    def: GlobalDef,
    owner: &Ty,
    except: Option<ExprId>,
) -> Substitution {
    let (dispatch, receiver) = unpack(owner);
    let mut known = rx.arguments_of(&dispatch);
    let params = inferred_params(rx, def);
    if params.is_empty() {
        return known;
    }
    if let Expr::Call { type_args, .. } = file.expr(call) {
        for (param, arg) in params.iter().zip(file.list(type_args)) {
            let ty = rx.type_of(file, arg);
            if !ty.is_unknown() {
                known.insert(*param, ty);
            }
        }
    }
    if let Some(declared) = declared_receiver(rx, def) {
        unify_wide(rx, file, &declared.substitute(&known), &receiver, &params, &mut known);
    }
    if file.expectation(call).is_some() && except.is_some() {
        let expected = rx.policy(file).expected(rx, file, call);
        let result = match rx.kind(def) {
            SymbolKind::Constructor => rx.owner_class(def).map_or(Ty::Unknown, |class| rx.self_type(class)),
            kind if kind.is_type() => rx.self_type(def),
            _ => from_java(rx, file, &rx.return_type(def)),
        };
        // The expected type is a supertype of the call's result.
        if let (Ty::Instance(..), Ty::Instance(e, _)) = (&result, &expected)
            && let Some(seen) = rx.linearization(&result).iter().find(|ty| ty.def() == Some(*e))
        {
            unify(seen, &expected, &params, &mut known);
        }
    }
    let args = arguments(file, call);
    let all = parameters(rx, def);
    let Some(to) = mapping(rx, &all, &args) else { return known };
    for functions in [false, true] {
        if functions {
            widen_to_bounds(rx, &params, &mut known);
        }
        for (arg, at) in args.iter().zip(&to) {
            if Some(arg.expr) == except || arg.lambda.is_some() != functions {
                continue;
            }
            let declared = parameter_type(rx, file, all[*at], arg).substitute(&known);
            match arg.lambda {
                None => {
                    let actual = as_callable(rx, file, rx.expr_type(file, arg.expr));
                    unify_wide(rx, file, &declared, &actual, &params, &mut known);
                }
                Some(lambda) => {
                    // Parameters that are written with their types say something too.
                    if let Ty::Callable { params: declared_params, result } = &declared {
                        let wanted = declared_params.iter().filter(|p| !matches!(p, Ty::Pointer(_)));
                        for (p, own) in wanted.zip(file.list(file.def(lambda).params)) {
                            if let Some(ty) = file.def(own).ty {
                                unify(p, &rx.type_of(file, ty), &params, &mut known);
                            }
                        }
                        if mentions(result, &params) {
                            let value = rx.return_type(file.global(lambda));
                            unify_wide(rx, file, result, &value, &params, &mut known);
                        }
                        if let [Ty::Pointer(receiver), ..] = &declared_params[..] {
                            bind_by_calls(
                                rx,
                                file,
                                lambda,
                                &receiver.substitute(&known),
                                &params,
                                &mut known,
                            );
                        }
                    } else if let Some((method, of)) = single_method(rx, &declared) {
                        let result = rx.return_type(method).substitute(&rx.arguments_of(&of));
                        if mentions(&result, &params) {
                            let value = rx.return_type(file.global(lambda));
                            unify_wide(rx, file, &result, &value, &params, &mut known);
                        }
                    }
                }
            }
        }
    }
    known
}

/// The bindings by calls on a lambda's receiver, for type parameters that only its type mentions: `sequence {
/// yield(1) }`.
fn bind_by_calls(
    rx: &Resolver,
    file: &FileView,
    lambda: DefId,
    receiver: &Ty,
    params: &[GlobalDef],
    known: &mut Substitution,
) {
    if !mentions(receiver, params) {
        return;
    }
    let range = file.def(lambda).range;
    let all = (0..file.refs.len() as u32).map(RefId);
    let inside = all.filter(|id| {
        let r = file.reference(*id);
        r.role == Role::Call && r.receiver.is_none() && range.encloses(r.range)
    });
    let line = rx.linearization(receiver);
    for id in inside {
        let Some(call) = file.reference(id).call else { continue };
        let resolved = rx.resolve(file.global_ref(id)).resolution;
        let Some(Target::Def(def)) = resolved.targets.first() else { continue };
        let class = rx.owner_class(*def);
        let Some(owner) = line.iter().find(|ty| class.is_some() && ty.def() == class) else { continue };
        let (all, args, of_owner) = (parameters(rx, *def), arguments(file, call), rx.arguments_of(owner));
        for (arg, at) in args.iter().zip(mapping(rx, &all, &args).unwrap_or_default()) {
            if arg.lambda.is_none() {
                let declared = parameter_type(rx, file, all[at], arg).substitute(&of_owner);
                unify_wide(rx, file, &declared, &rx.expr_type(file, arg.expr), params, known);
            }
        }
    }
}

/// `T : S`: as long as nothing else is said of `S` it is what `T` is.
fn widen_to_bounds(rx: &Resolver, params: &[GlobalDef], known: &mut Substitution) {
    for param in params {
        let Some(ty) = known.get(param).cloned() else { continue };
        let file = rx.file(param.file);
        let bound = file.def(param.def).ty.map(|bound| rx.type_of(file, bound));
        if let Some(Ty::Param(upper)) = bound
            && params.contains(&upper)
        {
            known.entry(upper).or_insert(ty);
        }
    }
}

fn mentions(ty: &Ty, params: &[GlobalDef]) -> bool {
    ty.forget(params) != *ty
}

/// A function by name as the function type that it has.
fn as_callable(rx: &Resolver, file: &FileView, ty: Ty) -> Ty {
    match &ty {
        Ty::Function(def, owner) => {
            let known = owner.as_deref().map(|o| rx.arguments_of(&unpack(o).0)).unwrap_or_default();
            let params = parameters(rx, *def)
                .into_iter()
                .map(|p| from_java(rx, file, &rx.def_type(p)).substitute(&known));
            let result = from_java(rx, file, &rx.return_type(*def)).substitute(&known);
            Ty::Callable { params: params.collect(), result: result.into() }
        }
        _ => ty,
    }
}

/// Unifies after finding the supertype of the value that has the declared type's declaration.
fn unify_wide(
    rx: &Resolver,
    file: &FileView,
    declared: &Ty,
    actual: &Ty,
    params: &[GlobalDef],
    into: &mut Substitution,
) {
    let actual = from_java(rx, file, actual);
    match (declared, &actual) {
        (Ty::Instance(d, _), Ty::Instance(a, _)) if d != a => {
            let line = rx.linearization(&actual);
            let seen = line.iter().map(|ty| from_java(rx, file, ty)).find(|ty| ty.def() == Some(*d));
            let seen = seen.or_else(|| {
                // Through the class under whose name Kotlin sees a Java one.
                line.iter()
                    .map(|ty| from_java(rx, file, ty))
                    .find_map(|ty| rx.linearization(&ty).iter().find(|t| t.def() == Some(*d)).cloned())
            });
            if let Some(seen) = seen {
                unify(declared, &seen, params, into);
            }
        }
        (Ty::Param(_), Ty::Class(def, _)) => {
            let value = companion(rx, *def).map_or(Ty::Unknown, Ty::instance);
            unify(declared, &value, params, into);
        }
        (Ty::Param(_), Ty::Primitive(_)) => {}
        _ => unify(declared, &actual, params, into),
    }
}

/// The result type of a call.
pub(super) fn call_type(rx: &Resolver, file: &FileView, call: ExprId) -> Ty {
    let Expr::Call { callee: expr, .. } = file.expr(call) else { return Ty::Unknown };
    let Expr::Ref(name) = file.expr(expr) else {
        return invoke_type(rx, file, &rx.expr_type(file, expr));
    };
    let found = callee(rx, file, call);
    if found.resolution.defs().next().is_none()
        && let Some(ty) = given_type(rx, file, name)
    {
        return ty;
    }
    let mut results = found.resolution.targets.iter().map(|target| match target {
        Target::Def(def) => def_call_type(rx, file, call, *def, &found.owner, expr),
        Target::External(name) => external_call(file, expr, name),
        _ => Ty::Unknown,
    });
    let first = results.next().unwrap_or(Ty::Unknown);
    if results.all(|ty| ty == first) { first } else { Ty::Unknown }
}

/// The result type in Java of an extension, which Java calls with the receiver as the first argument.
pub(in crate::lang) fn extension_call_type(
    rx: &Resolver,
    file: &FileView,
    callee: RefId,
    def: GlobalDef,
) -> Option<Ty> {
    let receiver = declared_receiver(rx, def)?;
    let Expr::Call { args, .. } = file.expr(file.reference(callee).call?) else { return None };
    let view = rx.file(def.file);
    let params = rx.type_params(def);
    let declared = std::iter::once(receiver).chain(parameters(rx, def).into_iter().map(|p| rx.def_type(p)));
    let mut known = Substitution::default();
    for (declared, arg) in declared.zip(file.list(args)) {
        let actual = from_java(rx, view, &rx.expr_type(file, arg));
        unify(&declared, &rx.widened(&actual, &declared), &params, &mut known);
    }
    Some(rx.return_type(def).substitute(&known).forget(&params))
}

/// A class that is not indexed is constructed; of a function nothing is known.
fn external_call(file: &FileView, callee: ExprId, name: &std::sync::Arc<str>) -> Ty {
    let is_class = match file.expr(callee) {
        Expr::Ref(r) => crate::lang::java::names::is_type_like(file.ref_name(r)),
        _ => false,
    };
    if is_class { Ty::external(name.clone()) } else { Ty::Unknown }
}

fn def_call_type(
    rx: &Resolver,
    file: &FileView,
    call: ExprId,
    def: GlobalDef,
    owner: &Ty,
    callee: ExprId,
) -> Ty {
    let d = rx.def(def);
    if d.kind.is_type() || d.kind == SymbolKind::Constructor {
        let class = match d.kind {
            SymbolKind::Constructor => rx.owner_class(def),
            SymbolKind::TypeAlias => rx.type_of_def(def, Args::default()).def(),
            SymbolKind::Object => {
                let invoke = members_of(rx, file, &Ty::instance(def), "invoke");
                return invoke.first().and_then(Candidate::def).map_or(Ty::Unknown, |d| rx.return_type(d));
            }
            _ => Some(def),
        };
        let Some(class) = class else { return Ty::Unknown };
        let constructor = if d.kind == SymbolKind::Constructor {
            Some(def)
        } else {
            constructors(rx, class).into_iter().find(|c| is_primary(rx.file(c.file), c.def))
        };
        if constructor.is_none()
            && rx.kind(class) == SymbolKind::Interface
            && let Some(object) = companion(rx, class)
            && let Some(invoke) =
                members_of(rx, file, &Ty::instance(object), "invoke").first().and_then(Candidate::def)
        {
            return rx.return_type(invoke);
        }
        let params = rx.type_params(class);
        let known = bind(rx, file, call, constructor.unwrap_or(class), &Ty::Unknown, None);
        return rx.self_type(class).substitute(&known).forget(&params);
    }
    if d.kind.is_callable() {
        let known = bind(rx, file, call, def, owner, None);
        let params = inferred_params(rx, def);
        let in_java = rx.language_of(def) == Language::Java;
        let result = rx.return_type(def);
        let result = if in_java { from_java(rx, file, &result) } else { result };
        return result.substitute(&known).forget(&params);
    }
    let value = rx.expr_type(file, callee);
    if is_component(rx, def) { value } else { invoke_type(rx, file, &value) }
}

/// The result type of calling a value.
fn invoke_type(rx: &Resolver, file: &FileView, ty: &Ty) -> Ty {
    match ty {
        Ty::Callable { result, .. } => (**result).clone(),
        Ty::Function(def, owner) => {
            let known = owner.as_deref().map(|o| rx.arguments_of(&unpack(o).0)).unwrap_or_default();
            from_java(rx, file, &rx.return_type(*def)).substitute(&known)
        }
        Ty::Instance(..) | Ty::Param(_) | Ty::Intersection(_) => {
            if let Some(function) = rx.linearization(ty).iter().find(|t| matches!(t, Ty::Callable { .. })) {
                return invoke_type(rx, file, function);
            }
            operator_type(rx, file, ty, "invoke")
        }
        Ty::Class(def, _) => Ty::instance(*def),
        _ => Ty::Unknown,
    }
}

/// Operator functions of a name for a value: members, then extensions at the top of packages.
pub(super) fn operators(rx: &Resolver, file: &FileView, ty: &Ty, name: &str) -> Vec<Candidate> {
    let mut found = members_of(rx, file, ty, name);
    found.retain(|c| c.def().is_some_and(|d| declared_receiver(rx, d).is_none()));
    if !found.is_empty() {
        return found;
    }
    let modules = super::names::imports_of(file, name)
        .map(|import| file.name(file.import(import).module))
        .chain([super::names::package_of(file)])
        .chain(super::names::stars(file))
        .chain(super::names::defaults());
    let tops = Tops::of(rx, name);
    for module in modules {
        let extending = super::names::extending(rx, file, &tops, name, module);
        let fitting = extending.iter().flat_map(|all| &**all).filter(|(_, wanted)| {
            wanted.as_ref().is_some_and(|wanted| fit(rx, file, ty, wanted) == Fit::Yes)
        });
        let called = |def| Candidate { receiver: ty.clone(), ..Candidate::of(def, Ty::Unknown) };
        found.extend(fitting.map(|(def, _)| called(*def)));
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// The result type of an operator function of a value, when all functions of the name agree.
pub(super) fn operator_type(rx: &Resolver, file: &FileView, ty: &Ty, name: &str) -> Ty {
    operator_type_for(rx, file, ty, name, None)
}

/// [`operator_type`] for an argument.
pub(super) fn operator_type_for(
    rx: &Resolver,
    file: &FileView,
    ty: &Ty,
    name: &str,
    argument: Option<&Ty>,
) -> Ty {
    let ty = from_java(rx, file, ty);
    let mut found = operators(rx, file, &ty, name);
    if let Some(argument) = argument.filter(|_| found.len() > 1) {
        let takes = |c: &Candidate| {
            let first = parameters(rx, c.def()?).first().map(|p| rx.def_type(*p))?;
            let wanted = from_java(rx, file, &first).substitute(&rx.arguments_of(&c.owner));
            Some(fit(rx, file, argument, &wanted) == Fit::Yes)
        };
        if found.iter().any(|c| takes(c) == Some(true)) {
            found.retain(|c| takes(c) == Some(true));
        }
    }
    super::types::common(rx, found.iter().filter_map(|c| operator_result(rx, file, &ty, c, argument)))
}

/// The result type of an operator function that a class declares for values of other types, the given one
/// among them.
pub(super) fn operator_type_in(rx: &Resolver, file: &FileView, class: &Ty, ty: &Ty, name: &str) -> Ty {
    let mut found = members_of(rx, file, class, name);
    found.retain(|c| {
        let wanted = c.def().and_then(|def| declared_receiver(rx, def));
        wanted.is_some_and(|wanted| fit(rx, file, ty, &wanted) == Fit::Yes)
    });
    super::types::common(rx, found.iter().filter_map(|c| operator_result(rx, file, ty, c, None)))
}

fn operator_result(
    rx: &Resolver,
    file: &FileView,
    ty: &Ty,
    c: &Candidate,
    argument: Option<&Ty>,
) -> Option<Ty> {
    let def = c.def()?;
    let mut known = rx.arguments_of(&c.owner);
    let params = rx.type_params(def);
    if let Some(declared) = declared_receiver(rx, def) {
        unify_wide(rx, file, &declared, ty, &params, &mut known);
    }
    if let (Some(argument), Some(first)) = (argument, parameters(rx, def).first()) {
        let wanted = rx.def_type(*first).substitute(&known);
        unify_wide(rx, file, &wanted, argument, &params, &mut known);
    }
    Some(from_java(rx, file, &rx.return_type(def)).substitute(&known).forget(&params))
}

/// The type that the place of an argument asks for.
pub(super) fn argument_type(rx: &Resolver, file: &FileView, call: ExprId, index: u32, expr: ExprId) -> Ty {
    let args = arguments(file, call);
    let Some(arg) = args.get(index as usize) else { return Ty::Unknown };
    let found = callee(rx, file, call);
    let Some(Target::Def(def)) = found.resolution.targets.first() else {
        return callable_argument(rx, file, call, index);
    };
    let d = rx.def(*def);
    if !d.kind.is_callable() && !d.kind.is_type() {
        return callable_argument(rx, file, call, index);
    }
    let mut def = *def;
    if d.kind.is_type() {
        if is_functional(rx, &Ty::instance(def)) {
            let known = bind(rx, file, call, def, &Ty::Unknown, Some(expr));
            return rx.self_type(def).substitute(&known);
        }
        let object = if d.kind == SymbolKind::Object { Some(def) } else { companion(rx, def) };
        let primary = constructors(rx, def).into_iter().find(|c| is_primary(rx.file(c.file), c.def));
        let invoke = || {
            let object = object?;
            members_of(rx, file, &Ty::instance(object), "invoke").first().and_then(Candidate::def)
        };
        match primary.or_else(invoke) {
            Some(constructor) => def = constructor,
            None => return Ty::Unknown,
        }
    }
    let params = parameters(rx, def);
    let Some(to) = mapping(rx, &params, &args) else {
        // Incomplete or wrong: by place.
        let place = if arg.is_trailing { params.last() } else { params.get(index as usize) };
        return place.map_or(Ty::Unknown, |p| from_java(rx, file, &rx.def_type(*p)));
    };
    let declared = parameter_type(rx, file, params[to[index as usize]], arg);
    let except = if let Expr::Named { value, .. } = file.expr(expr) { value } else { expr };
    let known = bind(rx, file, call, def, &found.owner, Some(except));
    let mut open = inferred_params(rx, def);
    open.retain(|param| !known.contains_key(param) && rx.def(*param).ty.is_none());
    declared.substitute(&known).forget(&open)
}

/// The argument of a value that is called.
fn callable_argument(rx: &Resolver, file: &FileView, call: ExprId, index: u32) -> Ty {
    let Expr::Call { callee, .. } = file.expr(call) else { return Ty::Unknown };
    match rx.expr_type(file, callee) {
        Ty::Callable { params, .. } => {
            let plain: Vec<&Ty> = params.iter().filter(|p| !matches!(p, Ty::Pointer(_))).collect();
            plain.get(index as usize).map_or(Ty::Unknown, |ty| (*ty).clone())
        }
        ty @ Ty::Instance(..) => {
            let invoke = members_of(rx, file, &ty, "invoke").first().and_then(Candidate::def);
            let param = invoke.and_then(|def| parameters(rx, def).get(index as usize).copied());
            param.map_or(Ty::Unknown, |p| rx.def_type(p).substitute(&rx.arguments_of(&ty)))
        }
        _ => Ty::Unknown,
    }
}
