//! Calls: which overload is meant, what its type variables stand for, what comes out.

use std::sync::Arc;

use ide_model::SymbolKind;

use crate::facts::{Def, DefFlags, DefId, Expr, ExprId, List};
use crate::resolve::{FileView, Member, Resolver, Substitution, Ty, Types};
use crate::world::GlobalDef;

use super::library::{self, Special, known};
use super::values::{bind_self, element, join};
use super::{annotations, members, values};

/// An argument of a call.
#[derive(Clone)]
pub(super) enum Argument {
    Expr(ExprId),
    Value(Ty),
}

/// The arguments of a call, with the file that its expressions are of.
#[derive(Clone)]
pub(super) struct Arguments<'f> {
    file: &'f FileView,
    list: Vec<Argument>,
}

/// How well an argument suits a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    No,
    Maybe,
    Yes,
}

impl<'f> Arguments<'f> {
    pub(super) fn of_call(file: &'f FileView, args: List<ExprId>) -> Self {
        Self { file, list: file.list(args).map(Argument::Expr).collect() }
    }

    pub(super) fn of(file: &'f FileView, list: impl IntoIterator<Item = Argument>) -> Self {
        Self { file, list: list.into_iter().collect() }
    }

    /// Key and value of an argument; `None` in place of the value for one that stands for any number.
    fn part(&self, argument: &Argument) -> (Option<&str>, Option<Argument>) {
        match argument {
            Argument::Expr(e) => match self.file.expr(*e) {
                Expr::Named { key, value } => (Some(self.file.ref_name(key)), Some(Argument::Expr(value))),
                Expr::Spread(_) => (None, None),
                _ => (None, Some(argument.clone())),
            },
            Argument::Value(_) => (None, Some(argument.clone())),
        }
    }

    fn ty(&self, rx: &Resolver, argument: &Argument) -> Ty {
        match argument {
            Argument::Expr(e) => rx.expr_type(self.file, *e),
            Argument::Value(ty) => ty.clone(),
        }
    }

    fn single(&self, rx: &Resolver) -> Option<Ty> {
        let [one] = &self.list[..] else { return None };
        let (None, Some(value)) = self.part(one) else { return None };
        Some(self.ty(rx, &value))
    }

    /// The parameters that the arguments go to, in the order of the arguments; `None` when they do not fit by number
    /// and name.
    fn assigned(&self, target: &FileView, def: &Def) -> Option<Vec<(DefId, Argument)>> {
        let params: Vec<DefId> = target.list(def.params).skip(usize::from(is_bound(def))).collect();
        let flag = |p: &DefId, flag| target.has_flag(*p, flag);
        let is_positional = |p: &&DefId| {
            !flag(p, DefFlags::VARARG)
                && !flag(p, DefFlags::KEYWORD_ONLY)
                && !flag(p, DefFlags::KEYWORD_VARARG)
        };
        let positional: Vec<DefId> = params.iter().filter(is_positional).copied().collect();
        let rest = params.iter().find(|p| flag(p, DefFlags::VARARG));
        let keywords = params.iter().find(|p| flag(p, DefFlags::KEYWORD_VARARG));
        let mut taken = Vec::new();
        let (mut position, mut is_open) = (0, false);
        for argument in &self.list {
            let (key, value) = self.part(argument);
            let Some(value) = value else {
                is_open = true;
                continue;
            };
            let param = match key {
                Some(key) => params.iter().find(|p| target.def_name(**p) == key).or(keywords),
                None => {
                    position += 1;
                    positional.get(position - 1).or(rest)
                }
            };
            match param {
                Some(param) => taken.push((*param, value)),
                None if is_open => {}
                None => return None,
            }
        }
        let is_missing = |p: &DefId| {
            let optional = target.def(*p).init.is_some()
                || flag(p, DefFlags::VARARG)
                || flag(p, DefFlags::KEYWORD_VARARG);
            !optional && !taken.iter().any(|(t, _)| t == p)
        };
        (is_open || !params.iter().any(is_missing)).then_some(taken)
    }
}

/// Whether the first parameter of a function is filled by the receiver.
pub(in crate::lang) fn is_bound(d: &Def) -> bool {
    let is_free = d.flags.has(DefFlags::STATIC) && !d.flags.has(DefFlags::CLASS_METHOD);
    matches!(d.kind, SymbolKind::Method | SymbolKind::Property) && !is_free
}

/// The result type of calling a value.
pub(super) fn call(rx: &Resolver, args: &Arguments<'_>, callee: &Ty) -> Ty {
    match callee {
        Ty::Function(def, receiver) => values::decorated_result(rx, *def)
            .unwrap_or_else(|| function_result(rx, args, *def, receiver.as_deref())),
        Ty::Class(class, own) => constructed(rx, args, *class, own, callee),
        Ty::Instance(..) => method_value(rx, callee, "__call__", args).unwrap_or(Ty::Unknown),
        Ty::ExternalName(name) => external_call(rx, args, name),
        Ty::Callable { result, .. } => (**result).clone(),
        Ty::External(name, _) if library::last(name) != "type" => Ty::external(format!("{name}.__call__")),
        Ty::Param(def) => match annotations::bound_of(rx, *def) {
            bound if bound == *callee => Ty::Unknown,
            bound => join(bound.parts().iter().map(|part| call(rx, args, part))),
        },
        _ => Ty::Unknown,
    }
}

/// Whether what is called says what it takes or gives, as opposed to passing on whatever it is handed.
pub(super) fn is_annotated(rx: &Resolver, callee: &Ty) -> bool {
    let maker = match callee {
        Ty::Callable { .. } => return true,
        Ty::Function(def, _) => Some(*def),
        Ty::Class(..) => maker(rx, callee).map(|(maker, _)| maker),
        Ty::Instance(..) => members::members(rx, callee, "__call__").first().and_then(Member::def),
        _ => None,
    };
    maker.is_some_and(|def| {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        d.ty.is_some() || file.list(d.params).any(|param| file.def(param).ty.is_some())
    })
}

/// A function outside of everything known.
fn external_call(rx: &Resolver, args: &Arguments<'_>, name: &str) -> Ty {
    // A library that is handed a class of the project may well give one of its instances.
    if args.list.iter().any(|arg| matches!(args.ty(rx, arg), Ty::Class(..))) {
        return Ty::Unknown;
    }
    Ty::external(name)
}

/// The result type of a method of a value; `None` when it has no such method.
pub(super) fn method_value(rx: &Resolver, ty: &Ty, method: &str, args: &Arguments<'_>) -> Option<Ty> {
    let member = members::members(rx, ty, method).into_iter().next()?;
    let def = member.def()?;
    let owner = if member.owner.is_unknown() { ty } else { &member.owner };
    if !rx.def(def).kind.is_callable() {
        let value = rx.def_type(def).substitute(&rx.arguments_of(owner));
        return Some(join(value.parts().iter().map(|part| call(rx, args, part))));
    }
    let value = result_of(rx, args, def, Some(owner), Some(ty));
    Some(bind_self(rx, &value, Some(def), || ty.clone()))
}

fn function_result(rx: &Resolver, args: &Arguments<'_>, def: GlobalDef, receiver: Option<&Ty>) -> Ty {
    result_of(rx, args, def, receiver, receiver)
}

/// `owner` is the receiver as the class that declares the function, `receiver` what the first parameter holds.
fn result_of(
    rx: &Resolver,
    args: &Arguments<'_>,
    def: GlobalDef,
    owner: Option<&Ty>,
    receiver: Option<&Ty>,
) -> Ty {
    let meant = overloads(rx, args, def, owner, receiver);
    join(meant.into_iter().map(|def| {
        let result = rx.return_type(def);
        let mut wanted = Vec::new();
        annotations::parameters_in(&result, &mut wanted);
        if wanted.is_empty() {
            return result;
        }
        let mut substitution = owner.map(|owner| rx.arguments_of(owner)).unwrap_or_default();
        infer(rx, args, def, receiver, &wanted, &mut substitution);
        result.substitute(&substitution)
    }))
}

/// The overloads that a call may mean: the first that fits; where that depends on a value of unknown type, all that
/// may.
fn overloads(
    rx: &Resolver,
    args: &Arguments<'_>,
    def: GlobalDef,
    owner: Option<&Ty>,
    receiver: Option<&Ty>,
) -> Vec<GlobalDef> {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    if !d.flags.has(DefFlags::SIGNATURE) {
        return vec![def];
    }
    let all: Vec<DefId> = file
        .in_scope(d.scope, d.name)
        .iter()
        .copied()
        .filter(|o| file.has_flag(*o, DefFlags::SIGNATURE))
        .collect();
    let own = owner.map(|owner| rx.arguments_of(owner)).unwrap_or_default();
    let mut possible = Vec::new();
    for overload in &all {
        let Some(assigned) = args.assigned(file, file.def(*overload)) else { continue };
        let mut fit = receiver_fit(rx, file, *overload, receiver, &own);
        for (param, value) in &assigned {
            if fit == Fit::No {
                break;
            }
            if file.def(*param).ty.is_some() {
                let declared = declared_parameter(rx, file, *param).substitute(&own);
                fit = fit.min(argument_fit(rx, args, &declared, value));
            }
        }
        match fit {
            Fit::Yes if possible.is_empty() => return vec![file.global(*overload)],
            Fit::No => {}
            _ => possible.push(file.global(*overload)),
        }
    }
    if possible.is_empty() { vec![def] } else { possible }
}

/// Whether the receiver is what the first parameter says that it must be.
fn receiver_fit(
    rx: &Resolver,
    file: &FileView,
    overload: DefId,
    receiver: Option<&Ty>,
    own: &Substitution,
) -> Fit {
    let d = file.def(overload);
    let first = file.list(d.params).next().filter(|p| is_bound(d) && file.def(*p).ty.is_some());
    match (first, receiver) {
        (Some(first), Some(receiver)) => {
            fits(rx, &rx.def_type(file.global(first)).substitute(own), receiver, 0)
        }
        _ => Fit::Yes,
    }
}

/// The type of each value that a parameter takes.
fn declared_parameter(rx: &Resolver, file: &FileView, param: DefId) -> Ty {
    file.def(param).ty.map_or(Ty::Unknown, |ty| rx.type_of(file, ty))
}

fn argument_fit(rx: &Resolver, args: &Arguments<'_>, declared: &Ty, value: &Argument) -> Fit {
    let has_literals = declared.parts().iter().any(|part| matches!(part, Ty::Literal(_)));
    if has_literals
        && let Argument::Expr(e) = value
        && let Expr::Text(text) = args.file.expr(*e)
    {
        let text = args.file.name(text);
        let is_it = |part: &Ty| matches!(part, Ty::Literal(l) if unquoted(l) == text);
        if declared.parts().iter().any(is_it) {
            return Fit::Yes;
        }
    }
    fits(rx, declared, &args.ty(rx, value), 0)
}

/// The text of a string literal as written, without prefix and quotes.
fn unquoted(literal: &str) -> &str {
    literal.trim_start_matches(|c: char| c.is_ascii_alphabetic()).trim_matches(['"', '\''])
}

/// Types nested deeper are taken to fit.
const MAX_NESTING: u32 = 6;

fn fits(rx: &Resolver, declared: &Ty, actual: &Ty, depth: u32) -> Fit {
    if depth > MAX_NESTING {
        return Fit::Maybe;
    }
    let nested = |declared: &Ty, actual: &Ty| fits(rx, declared, actual, depth + 1);
    match (declared, actual) {
        (Ty::Unknown, _) => Fit::Yes,
        (_, Ty::Unknown) => Fit::Maybe,
        (Ty::Union(parts), _) => parts.iter().map(|part| nested(part, actual)).max().unwrap_or(Fit::Maybe),
        (_, Ty::Union(parts)) => {
            let all: Vec<Fit> = parts.iter().map(|part| nested(declared, part)).collect();
            match (all.iter().min(), all.iter().max()) {
                (Some(Fit::No), Some(Fit::No)) => Fit::No,
                (Some(Fit::No), _) => Fit::Maybe,
                (Some(least), _) => *least,
                (None, _) => Fit::Maybe,
            }
        }
        (Ty::Param(def), _) => match annotations::bound_of(rx, *def) {
            bound if bound.is_unknown() || bound == *declared => Fit::Yes,
            bound => nested(&bound, actual),
        },
        (_, Ty::Param(def)) => match annotations::bound_of(rx, *def) {
            bound if bound == *actual => Fit::Maybe,
            bound => nested(declared, &bound),
        },
        (_, Ty::External(..) | Ty::ExternalName(_)) => Fit::Maybe,
        (Ty::External(..) | Ty::ExternalName(_), _) => Fit::Maybe,
        (Ty::Nothing, Ty::Nothing) => Fit::Yes,
        (Ty::Nothing, _) => Fit::No,
        (Ty::Literal(a), Ty::Literal(b)) => {
            if a == b {
                Fit::Yes
            } else {
                Fit::No
            }
        }
        (Ty::Literal(_), _) => Fit::No,
        (_, Ty::Literal(_)) => nested(declared, &Ty::instance(known(rx).str)),
        (Ty::Tuple(a), Ty::Tuple(b)) if a.len() != b.len() => Fit::No,
        (Ty::Tuple(a), Ty::Tuple(b)) => {
            a.iter().zip(b.iter()).map(|(a, b)| nested(a, b)).min().unwrap_or(Fit::Yes)
        }
        (Ty::Tuple(_), Ty::Instance(b, _)) if *b == known(rx).tuple => Fit::Yes,
        (_, Ty::Tuple(_)) => nested(declared, &members::as_class(rx, actual)),
        (Ty::Callable { result, .. }, Ty::Callable { .. } | Ty::Function(..) | Ty::Class(..)) => {
            let given = || match actual {
                Ty::Callable { result, .. } => (**result).clone(),
                Ty::Function(def, _) => rx.return_type(*def),
                _ => Ty::Unknown,
            };
            if is_guard(rx, result) && !is_guard(rx, &given()) { Fit::No } else { Fit::Yes }
        }
        (Ty::Callable { .. }, Ty::Instance(..)) => {
            if members::members(rx, actual, "__call__").is_empty() {
                Fit::No
            } else {
                Fit::Yes
            }
        }
        (Ty::Class(wanted, _), Ty::Class(..)) => {
            if rx.descends(actual, *wanted) {
                Fit::Yes
            } else {
                Fit::No
            }
        }
        (Ty::Instance(wanted, own), _) => instance_fit(rx, *wanted, own, actual, depth),
        _ => Fit::No,
    }
}

/// Whether a function's result narrows its argument.
fn is_guard(rx: &Resolver, result: &Ty) -> bool {
    matches!(result, Ty::Instance(class, args) if *class == known(rx).bool && !args.is_empty())
}

fn instance_fit(rx: &Resolver, wanted: GlobalDef, own: &[Ty], actual: &Ty, depth: u32) -> Fit {
    let known = known(rx);
    if wanted == known.object {
        return Fit::Yes;
    }
    let line = match actual {
        Ty::Instance(class, _) => {
            if wanted == known.float && *class == known.int {
                return Fit::Yes;
            }
            rx.linearization(actual)
        }
        Ty::Class(..) if wanted == known.type_ => return Fit::Yes,
        Ty::Nothing => return Fit::No,
        _ => Types::default(),
    };
    if let Some(found) = line.iter().find(|ty| ty.def() == Some(wanted)) {
        // Contents decide only where they contradict: containers are mostly filled by what is not looked at.
        let contents = own.iter().zip(found.args()).map(|(a, b)| fits(rx, a, b, depth + 1));
        return if contents.min() == Some(Fit::No) { Fit::Maybe } else { Fit::Yes };
    }
    if rx.def(wanted).kind == SymbolKind::Interface {
        return match protocol_members(rx, wanted) {
            names if names.is_empty() => Fit::Maybe,
            names if names.iter().all(|name| !members::members(rx, actual, name).is_empty()) => Fit::Yes,
            _ => Fit::No,
        };
    }
    if line.iter().any(|ty| !matches!(ty, Ty::Instance(..))) { Fit::Maybe } else { Fit::No }
}

/// The members that a protocol itself requires.
fn protocol_members(rx: &Resolver, protocol: GlobalDef) -> Vec<Arc<str>> {
    let file = rx.file(protocol.file);
    let body = file.def(protocol.def).body;
    let own = file.def_ids().filter(|d| Some(file.def(*d).scope) == body && !file.def(*d).kind.is_type());
    let mut names: Vec<Arc<str>> = own.map(|d| file.def_name(d).into()).collect();
    names.dedup();
    names.retain(|name| !matches!(&**name, "__slots__" | "__hash__"));
    names
}

/// The type arguments that follow from the receiver and the arguments of a call.
pub(super) fn infer(
    rx: &Resolver,
    args: &Arguments<'_>,
    def: GlobalDef,
    receiver: Option<&Ty>,
    wanted: &[GlobalDef],
    into: &mut Substitution,
) {
    let target = rx.file(def.file);
    let d = target.def(def.def);
    if let (true, Some(receiver), Some(first)) = (is_bound(d), receiver, target.list(d.params).next())
        && target.def(first).ty.is_some()
    {
        bind(rx, &rx.def_type(target.global(first)), receiver, wanted, into, 0);
    }
    let Some(assigned) = args.assigned(target, d) else { return };
    for (param, value) in assigned {
        if target.def(param).ty.is_some() {
            let declared = declared_parameter(rx, target, param);
            let mut mentioned = Vec::new();
            annotations::parameters_in(&declared, &mut mentioned);
            if mentioned.iter().any(|p| wanted.contains(p) && !into.contains_key(p)) {
                bind(rx, &declared, &args.ty(rx, &value), wanted, into, 0);
            }
        }
    }
}

/// The declared type of the parameter that takes an argument, as far as the other arguments say what it is.
pub(super) fn expected(rx: &Resolver, args: &Arguments<'_>, callee: &Ty, argument: ExprId) -> Option<Ty> {
    let (def, owner, receiver) = match callee {
        Ty::Function(def, receiver) => (*def, receiver.as_deref().cloned(), receiver.as_deref().cloned()),
        Ty::Class(..) => maker(rx, callee).map(|(maker, owner)| (maker, Some(owner), None))?,
        _ => return None,
    };
    let def = *overloads(rx, args, def, owner.as_ref(), receiver.as_ref()).first()?;
    let target = rx.file(def.file);
    let d = target.def(def.def);
    let assigned = args.assigned(target, d)?;
    let is_it = |value: &Argument| matches!(value, Argument::Expr(e) if *e == argument);
    let (param, _) = assigned.iter().find(|(_, value)| is_it(value))?;
    let declared = declared_parameter(rx, target, *param);
    let mut wanted = Vec::new();
    annotations::parameters_in(&declared, &mut wanted);
    let mut substitution = receiver.iter().flat_map(|receiver| rx.arguments_of(receiver)).collect();
    if let (true, Some(receiver), Some(first)) = (is_bound(d), receiver, target.list(d.params).next()) {
        bind(rx, &declared_parameter(rx, target, first), &receiver, &wanted, &mut substitution, 0);
    }
    for (other, value) in assigned.iter().filter(|(_, value)| !is_it(value)) {
        if wanted.iter().all(|param| substitution.contains_key(param)) {
            break;
        }
        let declared = declared_parameter(rx, target, *other);
        bind(rx, &declared, &args.ty(rx, value), &wanted, &mut substitution, 0);
    }
    Some(declared.substitute(&substitution))
}

/// Unifies a declared type with an actual one, through superclasses, protocols and what functions give.
fn bind(
    rx: &Resolver,
    declared: &Ty,
    actual: &Ty,
    wanted: &[GlobalDef],
    into: &mut Substitution,
    depth: u32,
) {
    if depth > MAX_NESTING {
        return;
    }
    match (declared, actual) {
        (_, Ty::Unknown) => {}
        (Ty::Param(def), _) if wanted.contains(def) => {
            into.entry(*def).or_insert_with(|| actual.clone());
        }
        (Ty::Param(_), _) => {}
        (Ty::Union(parts), _) => {
            let before = into.len();
            let has_nothing = parts.contains(&Ty::Nothing);
            let rest = actual.parts().iter().filter(|part| !(has_nothing && **part == Ty::Nothing)).cloned();
            let actual = join(rest);
            let (variables, others): (Vec<&Ty>, Vec<&Ty>) =
                parts.iter().partition(|part| matches!(part, Ty::Param(_)));
            others.into_iter().for_each(|part| bind(rx, part, &actual, wanted, into, depth + 1));
            if into.len() == before {
                variables.into_iter().for_each(|part| bind(rx, part, &actual, wanted, into, depth + 1));
            }
        }
        (_, Ty::Union(parts)) => {
            let mut found: Vec<Substitution> = Vec::new();
            for part in parts.iter() {
                let mut own = Substitution::default();
                bind(rx, declared, part, wanted, &mut own, depth + 1);
                found.push(own);
            }
            for def in wanted {
                let values = found.iter().filter_map(|own| own.get(def).cloned());
                let value = join(values);
                if !value.is_unknown() {
                    into.entry(*def).or_insert(value);
                }
            }
        }
        (Ty::Callable { result, .. }, _) => {
            if let Some(given) = result_without_arguments(rx, actual) {
                bind(rx, result, &given, wanted, into, depth + 1);
            }
        }
        (Ty::Class(a, x), Ty::Class(b, y)) if a == b => bind_all(rx, x, y, wanted, into, depth),
        (Ty::Tuple(a), Ty::Tuple(b)) => bind_all(rx, a, b, wanted, into, depth),
        (Ty::Tuple(a), Ty::Instance(..)) => {
            let item = element(rx, actual);
            a.iter().for_each(|a| bind(rx, a, &item, wanted, into, depth + 1));
        }
        (Ty::External(a, x), Ty::External(b, y)) if a == b => bind_all(rx, x, y, wanted, into, depth),
        (Ty::Instance(class, own), _) => bind_instance(rx, *class, own, actual, wanted, into, depth),
        _ => {}
    }
}

fn bind_all(
    rx: &Resolver,
    declared: &[Ty],
    actual: &[Ty],
    wanted: &[GlobalDef],
    into: &mut Substitution,
    depth: u32,
) {
    for (d, a) in declared.iter().zip(actual) {
        bind(rx, d, a, wanted, into, depth + 1);
    }
}

fn bind_instance(
    rx: &Resolver,
    class: GlobalDef,
    own: &[Ty],
    actual: &Ty,
    wanted: &[GlobalDef],
    into: &mut Substitution,
    depth: u32,
) {
    let as_class = members::as_class(rx, actual);
    let line = rx.linearization(&as_class);
    if let Some(found) = line.iter().find(|ty| ty.def() == Some(class)) {
        return bind_all(rx, own, found.args(), wanted, into, depth);
    }
    // A class has what a protocol asks for in its class methods.
    let actual = if let Ty::Class(..) = actual { actual } else { &as_class };
    if rx.def(class).kind != SymbolKind::Interface {
        return;
    }
    let substitution: Substitution = rx.type_params(class).into_iter().zip(own.iter().cloned()).collect();
    for name in protocol_members(rx, class) {
        let Some(asked) = rx.own_members(class, &name).first().copied() else { continue };
        let no_arguments = Arguments { file: rx.file(asked.file), list: Vec::new() };
        if let Some(given) = method_value(rx, actual, &name, &no_arguments) {
            let asked = rx.return_type(asked).substitute(&substitution);
            bind(rx, &asked, &given, wanted, into, depth + 1);
        }
    }
}

/// The result type of calling a value, whatever the arguments.
pub(super) fn result_without_arguments(rx: &Resolver, value: &Ty) -> Option<Ty> {
    match value {
        Ty::Function(def, receiver) => {
            let substitution = receiver.as_deref().map(|r| rx.arguments_of(r)).unwrap_or_default();
            Some(rx.return_type(*def).substitute(&substitution))
        }
        Ty::Class(..) => Some(value.clone().instantiate()),
        Ty::Callable { result, .. } => Some((**result).clone()),
        Ty::Instance(..) => {
            let def = members::members(rx, value, "__call__").first().and_then(Member::def)?;
            Some(rx.return_type(def).substitute(&rx.arguments_of(value)))
        }
        _ => None,
    }
}

/// An instance of a class that is called.
fn constructed(rx: &Resolver, args: &Arguments<'_>, class: GlobalDef, own: &[Ty], ty: &Ty) -> Ty {
    let known = known(rx);
    if class == known.type_
        && let Some(value) = args.single(rx)
    {
        return class_of(rx, &value);
    }
    if class == known.tuple {
        return known.tuple_of(args.single(rx).map_or(Ty::Unknown, |value| element(rx, &value)));
    }
    match library::special(rx, class) {
        Some(Special::MadeTuple) => return Ty::class(known.tuple),
        Some(Special::NewType) => {
            return args.list.get(1).map_or(Ty::Unknown, |base| args.ty(rx, base));
        }
        Some(_) if class != known.object => return Ty::Unknown,
        _ => {}
    }
    let params = rx.type_params(class);
    if params.is_empty() || !own.is_empty() {
        return ty.clone().instantiate();
    }
    let maker = maker(rx, ty);
    let is_own = maker.as_ref().is_some_and(|(maker, _)| rx.owner_class(*maker) == Some(class));
    if !is_own && members::gets_initialiser(rx, class) {
        return made_from_fields(rx, args, class, &params);
    }
    let Some((maker, owner)) = maker else { return ty.clone().instantiate() };
    let self_type = rx.self_type(class);
    let meant = overloads(rx, args, maker, Some(&owner), None);
    join(meant.into_iter().map(|maker| {
        let file = rx.file(maker.file);
        let d = file.def(maker.def);
        let mut result = self_type.clone();
        if file.def_name(maker.def) == "__new__" {
            match rx.return_type(maker) {
                made @ Ty::Instance(..) => result = made,
                Ty::Param(made) if !rx.def(made).kind.is_type() => result = Ty::Param(made),
                _ => {}
            }
        } else if let Some(first) = file.list(d.params).next()
            && file.def(first).ty.is_some()
            && let stated @ Ty::Instance(..) = rx.def_type(file.global(first))
            && stated.def() == Some(class)
        {
            result = stated;
        }
        // The maker may be a base's, in whose terms the parameters are.
        let base_params = owner.def().map(|base| rx.type_params(base)).unwrap_or_default();
        let mut wanted = Vec::new();
        annotations::parameters_in(&result, &mut wanted);
        wanted.extend(&base_params);
        let mut found = Substitution::default();
        infer(rx, args, maker, None, &wanted, &mut found);
        for (param, value) in base_params.iter().zip(owner.args()) {
            if let (Ty::Param(own), Some(actual)) = (value, found.get(param).cloned()) {
                found.entry(*own).or_insert(actual);
            }
        }
        let unbound: Vec<GlobalDef> = params.iter().copied().filter(|p| !found.contains_key(p)).collect();
        match result.substitute(&found).forget(&unbound) {
            Ty::Param(_) => self_type.forget(&params),
            made => made,
        }
    }))
}

/// An instance of a class whose initialiser is made from its fields.
fn made_from_fields(rx: &Resolver, args: &Arguments<'_>, class: GlobalDef, params: &[GlobalDef]) -> Ty {
    let self_type = rx.self_type(class);
    let fields = members::initialised_fields(rx, &self_type);
    let mut found = Substitution::default();
    for (position, argument) in args.list.iter().enumerate() {
        let (key, Some(value)) = args.part(argument) else { break };
        let field = match key {
            Some(key) => fields.iter().find(|(name, _)| &**name == key),
            None => fields.get(position),
        };
        if let Some((_, declared)) = field {
            bind(rx, declared, &args.ty(rx, &value), params, &mut found, 0);
        }
    }
    let unbound: Vec<GlobalDef> = params.iter().copied().filter(|p| !found.contains_key(p)).collect();
    self_type.substitute(&found).forget(&unbound)
}

/// The function that makes the instances of a class: the nearest `__init__` or `__new__`, with the class that
/// declares it.
fn maker(rx: &Resolver, ty: &Ty) -> Option<(GlobalDef, Ty)> {
    let self_type = rx.self_type(ty.def()?);
    rx.linearization(&self_type).iter().find_map(|owner| {
        let class = owner.def()?;
        let own = |name| rx.own_members(class, name).first().map(|def| (*def, owner.clone()));
        own("__init__").or_else(|| own("__new__"))
    })
}

/// The class of a value.
pub(super) fn class_of(rx: &Resolver, value: &Ty) -> Ty {
    join(value.parts().iter().map(|part| match members::as_class(rx, part) {
        Ty::Instance(def, own) => Ty::Class(def, own),
        Ty::External(name, _) => Ty::ExternalName(name),
        _ => Ty::Unknown,
    }))
}
