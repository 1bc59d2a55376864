//! Choice among candidates by what is asked and by arguments; what the arguments of a call say about type parameters.

use ide_model::{Confidence, Language, SymbolKind, Visibility};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::lookup::{declared_receiver, known, unknown};
use super::members::{
    Candidate, bound, companion, inherited_function, is_component, is_functional, is_read, members_of,
    single_method,
};
use super::types::{Fit, fit, from_java, is_named};
use crate::facts::{DefFlags, DefId, Expr, ExprId, List, Literal, RefFlags, RefId, Role, TypeExpr, UnaryOp};
use crate::guard::{self, Limit};
use crate::resolve::{Args, FileView, Reason, Recent, Resolution, Resolved, Resolver, Target, Ty};
use crate::world::GlobalDef;

/// The outcome of a choice within one step of a search.
pub(super) enum Fitting {
    Chosen(Resolved),
    /// A value of a library's type, of which it is not known whether it can be called: a function further out is meant
    /// rather.
    Doubtful(Resolved),
    /// No candidate can be meant: the search goes on.
    Unfit,
}

/// An argument of a call.
#[derive(Clone)]
pub(super) struct Arg<'a> {
    pub(super) expr: ExprId,
    name: Option<&'a str>,
    pub(super) lambda: Option<DefId>,
    pub(super) is_trailing: bool,
    is_reference: bool,
    is_spread: bool,
}

pub(super) fn arguments(file: &FileView, call: ExprId) -> Vec<Arg<'_>> {
    let args = match file.expr(call) {
        Expr::Call { args, .. } | Expr::New { args, .. } => args,
        _ => List::EMPTY,
    };
    file.list(args)
        .map(|arg| {
            let (mut expr, mut name) = (arg, None);
            if let Expr::Named { key, value } = file.expr(arg) {
                (expr, name) = (value, Some(file.ref_name(key)));
            }
            let mut is_spread = false;
            if let Expr::Spread(value) = file.expr(expr) {
                (expr, is_spread) = (value, true);
            }
            let lambda = match file.expr(expr) {
                Expr::Function(def) => Some(def),
                _ => None,
            };
            let is_trailing = lambda.is_some_and(|d| file.has_flag(d, DefFlags::KEYWORD_ONLY));
            let is_reference =
                matches!(file.expr(expr), Expr::Ref(r) if file.reference(r).flags.has(RefFlags::METHOD_REF));
            Arg { expr, name, lambda, is_trailing, is_reference, is_spread }
        })
        .collect()
}

// ---- constructors ---------------------------------------------------------------------------------------------------

pub(super) fn constructors(rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
    let file = rx.file(class.file);
    let own = rx.own_members(class, file.def_name(class.def));
    own.into_iter().filter(|d| file.def(d.def).kind == SymbolKind::Constructor).collect()
}

/// The constructor in the head of a class.
pub(super) fn is_primary(file: &FileView, constructor: DefId) -> bool {
    let d = file.def(constructor);
    d.kind == SymbolKind::Constructor
        && file.language() == Language::Kotlin
        && d.range.start < file.scope(d.scope).range.start
}

/// The target of a call of a class by a constructor: the class itself for the primary one.
pub(super) fn construction(file: &FileView, class: GlobalDef, constructor: DefId) -> Target {
    Target::Def(if is_primary(file, constructor) { class } else { file.global(constructor) })
}

/// The target of a construction with these arguments, when the class has constructors to choose among.
pub(super) fn construction_by(
    rx: &Resolver,
    file: &FileView,
    call: ExprId,
    class: GlobalDef,
) -> Option<Resolution> {
    let view = rx.file(class.file);
    if constructors(rx, class).iter().all(|c| is_primary(view, c.def)) {
        return None;
    }
    match choose_called(rx, file, call, &[Candidate::plain(Target::Def(class))]) {
        Fitting::Chosen(found) | Fitting::Doubtful(found) => Some(found.resolution),
        Fitting::Unfit => None,
    }
}

/// The parameters that a call of a declaration fills.
pub(super) fn parameters(rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    if !d.kind.is_type() {
        return file.list(d.params).map(|p| file.global(p)).collect();
    }
    let aliased =
        if d.kind == SymbolKind::TypeAlias { rx.type_of_def(def, Args::default()).def() } else { None };
    if let Some(class) = aliased.filter(|c| *c != def) {
        return guard::deeper(|| parameters(rx, class)).unwrap_or_default();
    }
    let all = constructors(rx, def);
    match all.iter().find(|c| is_primary(file, c.def)).or(all.first()) {
        Some(constructor) => parameters(rx, *constructor),
        None => Vec::new(),
    }
}

// ---- applicability --------------------------------------------------------------------------------------------------

/// A function, or a constructor, that a call might mean.
struct Overload<'c> {
    candidate: &'c Candidate,
    target: Target,
    def: GlobalDef,
    params: Vec<GlobalDef>,
}

/// Which parameter takes each argument; `None` when the arguments cannot be passed.
pub(super) fn mapping(rx: &Resolver, params: &[GlobalDef], args: &[Arg<'_>]) -> Option<Vec<usize>> {
    let is_variable = |p: &GlobalDef| rx.has_flag(*p, DefFlags::VARARG);
    let is_called = |p: &GlobalDef, name: &str| rx.file(p.file).def_name(p.def) == name;
    let mut filled: SmallVec<[bool; 8]> = SmallVec::from_elem(false, params.len());
    let mut next = 0;
    let mut to = Vec::with_capacity(args.len());
    for arg in args {
        let at = if let Some(name) = arg.name {
            let at = params.iter().position(|p| is_called(p, name))?;
            next = at + 1;
            at
        } else if arg.is_trailing {
            params.len().checked_sub(1)?
        } else {
            let at = next;
            if at >= params.len() {
                return None;
            }
            if !is_variable(&params[at]) {
                next += 1;
            }
            at
        };
        if filled[at] && !is_variable(&params[at]) {
            return None;
        }
        filled[at] = true;
        to.push(at);
    }
    let complete =
        params.iter().zip(&filled).all(|(p, filled)| *filled || is_variable(p) || has_default(rx, *p));
    complete.then_some(to)
}

/// Whether a parameter may be left out: what overrides takes the default values of what it overrides.
fn has_default(rx: &Resolver, param: GlobalDef) -> bool {
    let file = rx.file(param.file);
    let p = file.def(param.def);
    if p.init.is_some() || p.flags.has(DefFlags::OPTIONAL) {
        return true;
    }
    let Some(method) = file.enclosing_def(p.scope).filter(|m| file.has_flag(*m, DefFlags::OVERRIDE)) else {
        return false;
    };
    let at = file.list(file.def(method).params).position(|own| own == param.def);
    let (Some(at), Some(class)) = (at, rx.owner_class(file.global(method))) else { return false };
    let name = file.def_name(method);
    rx.linearization(&rx.self_type(class)).iter().skip(1).filter_map(Ty::def).any(|above| {
        rx.own_members(above, name).into_iter().any(|base| {
            let params = parameters(rx, base);
            params.len() == file.def(method).params.len as usize
                && (rx.def(params[at]).init.is_some() || rx.has_flag(params[at], DefFlags::OPTIONAL))
        })
    })
}

/// The type that a parameter asks of an argument.
pub(super) fn parameter_type(rx: &Resolver, file: &FileView, param: GlobalDef, arg: &Arg<'_>) -> Ty {
    let view = rx.file(param.file);
    let declared = rx.def_type(param);
    if view.language() == Language::Java {
        let is_variable = view.has_flag(param.def, DefFlags::VARARG);
        return match declared {
            Ty::Array(item) if is_variable && !arg.is_spread => from_java(rx, file, &item),
            other => from_java(rx, file, &other),
        };
    }
    if view.has_flag(param.def, DefFlags::VARARG) && (arg.is_spread || arg.name.is_some()) {
        return super::types::array_of(rx, file, &declared);
    }
    declared
}

pub(super) fn argument_fit(rx: &Resolver, file: &FileView, arg: &Arg<'_>, wanted: &Ty) -> Fit {
    if let Some(lambda) = arg.lambda {
        return lambda_fit(rx, file, lambda, wanted);
    }
    if arg.is_reference {
        return match wanted {
            Ty::Callable { .. } | Ty::Param(_) | Ty::Unknown => Fit::Maybe,
            ty if is_named(rx, ty, "kotlin.Any") || single_method(rx, ty).is_some() => Fit::Maybe,
            Ty::Instance(def, _) if rx.def_name(*def) == "String" => Fit::No,
            _ => Fit::Maybe,
        };
    }
    let how = fit(rx, file, &rx.expr_type(file, arg.expr), wanted);
    if how == Fit::No && is_whole(file, arg.expr) && takes_whole(rx, wanted) {
        return Fit::Maybe;
    }
    how
}

/// An integer literal, which is what the place asks for.
pub(super) fn is_whole(file: &FileView, expr: ExprId) -> bool {
    match file.expr(expr) {
        Expr::Unary { op: UnaryOp::Arithmetic, value } => file.expr(value) == Expr::Literal(Literal::Int),
        plain => plain == Expr::Literal(Literal::Int),
    }
}

/// Whether an integer literal can be of a type that is not `Int`.
pub(super) fn takes_whole(rx: &Resolver, ty: &Ty) -> bool {
    WHOLE.iter().any(|name| is_named(rx, ty, name))
}

/// Each function that fits is compared with all others, up to so many.
const MAX_FITTING: usize = 200;

/// The types that an integer literal can have besides `Int`, where they are expected.
const WHOLE: [&str; 7] = [
    "kotlin.Long",
    "kotlin.Short",
    "kotlin.Byte",
    "kotlin.UInt",
    "kotlin.ULong",
    "kotlin.UShort",
    "kotlin.UByte",
];

fn lambda_fit(rx: &Resolver, file: &FileView, lambda: DefId, wanted: &Ty) -> Fit {
    let d = file.def(lambda);
    let shape = match wanted {
        Ty::Callable { params, .. } => Some(params.iter().filter(|p| !matches!(p, Ty::Pointer(_))).count()),
        Ty::Instance(..) => match single_method(rx, wanted) {
            Some((method, _)) => Some(rx.def(method).params.len as usize),
            None if let Some(function) = inherited_function(rx, wanted) => {
                return lambda_fit(rx, file, lambda, &function);
            }
            None if is_named(rx, wanted, "kotlin.Any") => return Fit::Yes,
            None => return Fit::No,
        },
        Ty::Param(_) | Ty::Unknown => return Fit::Maybe,
        Ty::External(name, _) if name.starts_with("kotlin.") => return Fit::No,
        _ => return Fit::Maybe,
    };
    let explicit = d.flags.has(DefFlags::POSITIONAL_ONLY).then_some(d.params.len as usize);
    match (shape, explicit) {
        (Some(shape), Some(explicit)) => {
            // With a receiver the first parameter may be named.
            let with_receiver = matches!(wanted, Ty::Callable { params, .. } if matches!(params.first(), Some(Ty::Pointer(_))));
            (if shape == explicit || with_receiver && shape + 1 == explicit { Fit::Yes } else { Fit::No })
                .max(Fit::No)
        }
        (Some(shape), None) => {
            let uses_it = file.list(d.params).any(|p| !file.has_flag(p, DefFlags::OPTIONAL));
            if shape > 1 || uses_it && shape == 0 && !outer_it(file, lambda) { Fit::No } else { Fit::Yes }
        }
        _ => Fit::Maybe,
    }
}

/// A lambda further out has an `it` that this one could mean.
fn outer_it(file: &FileView, lambda: DefId) -> bool {
    file.scope_chain(file.def(lambda).scope).any(|scope| !file.named_in_scope(scope, "it").is_empty())
}

fn options<'c>(
    rx: &Resolver,
    file: &FileView,
    candidates: &'c [Candidate],
    args: &[Arg<'_>],
) -> Vec<Overload<'c>> {
    let mut all = Vec::new();
    for candidate in candidates {
        let Some(def) = candidate.def() else { continue };
        let view = rx.file(def.file);
        let d = view.def(def.def);
        if d.kind.is_callable() {
            all.push(Overload {
                candidate,
                target: candidate.target.clone(),
                def,
                params: parameters(rx, def),
            });
            continue;
        }
        let class = match d.kind {
            SymbolKind::TypeAlias => rx.type_of_def(def, Args::default()).def(),
            kind if kind.is_type() => Some(def),
            _ => None,
        };
        let Some(class) = class else { continue };
        let class_file = rx.file(class.file);
        let kind = class_file.def(class.def).kind;
        let found = constructors(rx, class);
        for constructor in &found {
            let constructed = construction(class_file, class, constructor.def);
            let target = if class == def { constructed } else { candidate.target.clone() };
            all.push(Overload { candidate, target, def: *constructor, params: parameters(rx, *constructor) });
        }
        if found.is_empty() {
            let is_function = args.len() == 1 && (args[0].lambda.is_some() || args[0].is_reference);
            let plain = kind == SymbolKind::Class && args.is_empty();
            let functional = is_function && is_functional(rx, &Ty::instance(class));
            if plain || functional {
                all.push(Overload {
                    candidate,
                    target: candidate.target.clone(),
                    def: class,
                    params: Vec::new(),
                });
            }
        }
    }
    let _ = file;
    all
}

fn option_fit(rx: &Resolver, file: &FileView, option: &Overload<'_>, args: &[Arg<'_>], to: &[usize]) -> Fit {
    let owner = rx.arguments_of(&option.candidate.owner);
    let mut worst = Fit::Yes;
    for (arg, at) in args.iter().zip(to) {
        let wanted = parameter_type(rx, file, option.params[*at], arg).substitute(&owner);
        worst = worst.min(argument_fit(rx, file, arg, &wanted));
        if worst == Fit::No {
            break;
        }
    }
    worst
}

/// Chooses among the candidates of one step.
pub(super) fn choose(rx: &Resolver, file: &FileView, id: RefId, candidates: &[Candidate]) -> Fitting {
    let r = file.reference(id);
    if let Some(external) = candidates.iter().find(|c| matches!(c.target, Target::External(_)))
        && candidates.len() == 1
    {
        return Fitting::Chosen(chosen(external, external.target.clone(), external.confidence));
    }
    if r.flags.has(RefFlags::IN_DOC) {
        return Fitting::Chosen(all_of(candidates, Confidence::Exact));
    }
    let is_hidden = |c: &Candidate| c.def().is_some_and(|def| rx.has_flag(def, DefFlags::NOT_BUILT));
    if candidates.iter().any(is_hidden) {
        let seen: Vec<Candidate> = candidates.iter().filter(|c| !is_hidden(c)).cloned().collect();
        return if seen.is_empty() { Fitting::Unfit } else { choose(rx, file, id, &seen) };
    }
    if r.flags.has(RefFlags::METHOD_REF) {
        return choose_referenced(rx, file, id, candidates);
    }
    match (r.role, r.call) {
        (Role::Call, Some(call)) => choose_called(rx, file, call, candidates),
        _ => choose_value(rx, file, candidates),
    }
}

fn chosen(candidate: &Candidate, target: Target, confidence: Confidence) -> Resolved {
    Resolved { resolution: Resolution::of(target, confidence), owner: candidate.owner() }
}

fn all_of(candidates: &[Candidate], confidence: Confidence) -> Resolved {
    let mut seen = FxHashSet::default();
    let different =
        candidates.iter().map(|candidate| &candidate.target).filter(|target| seen.insert(*target));
    let targets: Vec<Target> = different.cloned().collect();
    let several = targets.len() > 1 && confidence != Confidence::Exact;
    Resolved {
        resolution: Resolution {
            targets: targets.into(),
            confidence,
            reason: if several { Reason::SeveralCandidates } else { Reason::None },
        },
        owner: candidates[0].owner(),
    }
}

fn choose_value(rx: &Resolver, file: &FileView, candidates: &[Candidate]) -> Fitting {
    let is_value = |c: &&Candidate| c.def().is_none_or(|def| !rx.kind(def).is_callable() || is_read(rx, def));
    let mut values: Vec<&Candidate> = candidates.iter().filter(is_value).collect();
    let surest = values.iter().map(|c| c.confidence).min();
    values.retain(|c| Some(c.confidence) == surest);
    let Some(first) = values.first() else { return Fitting::Unfit };
    // Among extensions the one for the most special receiver.
    let receiver = |c: &Candidate| c.def().and_then(|def| declared_receiver(rx, def));
    let best = values.iter().copied().fold(*first, |best, c| match (receiver(best), receiver(c)) {
        (Some(a), Some(b)) if fit(rx, file, &b, &a) == Fit::Yes && fit(rx, file, &a, &b) != Fit::Yes => c,
        _ => best,
    });
    let is_type = |c: &Candidate| c.def().is_some_and(|d| rx.kind(d).is_type());
    let best =
        if is_type(best) { values.iter().copied().find(|c| !is_type(c)).unwrap_or(best) } else { best };
    Fitting::Chosen(chosen(best, best.target.clone(), best.confidence))
}

fn choose_called(rx: &Resolver, file: &FileView, call: ExprId, candidates: &[Candidate]) -> Fitting {
    let args = arguments(file, call);
    let options = options(rx, file, candidates, &args);
    let count = options.len();
    let type_args =
        if let Expr::Call { type_args, .. } = file.expr(call) { type_args.len as usize } else { 0 };
    let mut fitting: Vec<(Fit, &Overload<'_>)> = Vec::new();
    for option in &options {
        let is_function = matches!(rx.kind(option.def), SymbolKind::Function | SymbolKind::Method);
        if is_function && type_args > 0 && rx.type_params(option.def).len() != type_args {
            continue;
        }
        if option.params.is_empty() && rx.kind(option.def).is_type() {
            fitting.push((Fit::Yes, option));
            continue;
        }
        let Some(to) = mapping(rx, &option.params, &args) else { continue };
        let how = option_fit(rx, file, option, &args, &to);
        if how != Fit::No && (count == 1 || can_infer(rx, file, call, option, &args, &to)) {
            fitting.push((how, option));
        }
    }
    if fitting.is_empty() {
        return choose_invoked(rx, file, candidates, &args);
    }
    let best = fitting.iter().map(|(how, _)| *how).max().unwrap_or(Fit::Maybe);
    let rest: Vec<&Overload<'_>> = fitting.iter().filter(|(how, _)| *how == best).map(|(_, o)| *o).collect();
    let confidence = |o: &Overload<'_>, certain: bool| {
        if certain { o.candidate.confidence } else { o.candidate.confidence.max(Confidence::Inferred) }
    };
    if let [only] = rest[..] {
        let certain = best == Fit::Yes || count == 1 || fitting.len() == 1;
        return Fitting::Chosen(chosen(only.candidate, only.target.clone(), confidence(only, certain)));
    }
    let is_compared = rest.len() <= MAX_FITTING;
    if !is_compared {
        guard::note(Limit::Work);
    }
    let special: Vec<&Overload<'_>> = rest
        .iter()
        .copied()
        .filter(|_| is_compared)
        .filter(|a| rest.iter().all(|b| std::ptr::eq(*a, *b) || more_special(rx, file, a, b, &args)))
        .collect();
    let Some(first) = special.first() else {
        let all: Vec<Candidate> =
            rest.iter().map(|o| Candidate { target: o.target.clone(), ..o.candidate.clone() }).collect();
        return Fitting::Chosen(all_of(&all, Confidence::Ambiguous));
    };
    if best == Fit::Yes {
        return Fitting::Chosen(chosen(first.candidate, first.target.clone(), confidence(first, true)));
    }
    // An argument of unknown type might have led to another overload.
    let mut all = vec![Candidate { target: first.target.clone(), ..first.candidate.clone() }];
    all.extend(rest.iter().map(|o| Candidate { target: o.target.clone(), ..o.candidate.clone() }));
    Fitting::Chosen(all_of(&all, Confidence::Ambiguous))
}

/// Whether each type parameter of a function is said by something: what a lambda only takes says nothing.
fn can_infer(
    rx: &Resolver,
    file: &FileView,
    call: ExprId,
    option: &Overload<'_>,
    args: &[Arg<'_>],
    to: &[usize],
) -> bool {
    let view = rx.file(option.def.file);
    let d = view.def(option.def.def);
    let params = rx.type_params(option.def);
    let says_all = !matches!(file.expr(call), Expr::Call { type_args, .. } if type_args == List::EMPTY)
        || view.language() != Language::Kotlin
        || d.kind == SymbolKind::Constructor;
    if says_all || params.is_empty() || d.ty.is_none() && !d.flags.has(DefFlags::VOID) {
        return true;
    }
    let bounds = params.iter().filter_map(|p| view.def(p.def).ty);
    let mut said: Vec<Ty> = bounds.chain(d.ty).map(|ty| rx.type_of(view, ty)).collect();
    said.extend(declared_receiver(rx, option.def));
    for (arg, at) in args.iter().zip(to) {
        let takes_nothing = arg
            .lambda
            .is_some_and(|lambda| file.list(file.def(lambda).params).all(|p| file.def(p).ty.is_none()));
        said.push(match rx.def_type(option.params[*at]) {
            Ty::Callable { result, .. } if takes_nothing => (*result).clone(),
            other => other,
        });
    }
    params.iter().all(|param| said.iter().any(|ty| ty.forget(&[*param]) != *ty))
}

fn more_special(
    rx: &Resolver,
    file: &FileView,
    a: &Overload<'_>,
    b: &Overload<'_>,
    args: &[Arg<'_>],
) -> bool {
    let ty = |o: &Overload<'_>, i: usize| {
        let at = i.min(o.params.len().saturating_sub(1));
        o.params.get(at).map_or(Ty::Unknown, |p| from_java(rx, file, &rx.def_type(*p)))
    };
    let receiver = |o: &Overload<'_>| declared_receiver(rx, o.def);
    let mut equal = true;
    if let (Some(p), Some(q)) = (receiver(a), receiver(b)) {
        if fit(rx, file, &p, &q) != Fit::Yes {
            return false;
        }
        equal &= fit(rx, file, &q, &p) == Fit::Yes;
    }
    for (i, arg) in args.iter().enumerate() {
        let (p, q) = (ty(a, i), ty(b, i));
        let is_param = |ty: &Ty| matches!(ty, Ty::Param(_));
        // The result of a lambda is known only when its parameters are known.
        let is_open = arg.lambda.is_some()
            && matches!((&p, &q), (Ty::Callable { params: p, .. }, Ty::Callable { params: q, .. }) if p.len() == q.len());
        if is_open || is_param(&p) && is_param(&q) {
            continue;
        }
        if fit(rx, file, &p, &q) == Fit::No || is_param(&p) && !is_param(&q) {
            return false;
        }
        equal &= fit(rx, file, &q, &p) == Fit::Yes && !is_param(&q);
        match (is_nullable(rx, a, i), is_nullable(rx, b, i)) {
            (true, false) if is_something(rx, file, arg.expr) => return false,
            (false, true) if is_something(rx, file, arg.expr) => equal = false,
            _ => {}
        }
    }
    // Fewer left to defaults, and no variable arity, decide between equals.
    let variable =
        |o: &Overload<'_>| o.params.last().is_some_and(|p| rx.file(p.file).has_flag(p.def, DefFlags::VARARG));
    !equal || (variable(a), a.params.len()) <= (variable(b), b.params.len())
}

/// Whether a value is certainly not `null`: written out, or declared so.
fn is_something(rx: &Resolver, file: &FileView, value: ExprId) -> bool {
    match file.expr(value) {
        Expr::Literal(literal) => literal != Literal::Null,
        Expr::Ref(name) => match rx.resolve(file.global_ref(name)).resolution.targets.first() {
            Some(Target::Def(def)) => {
                let view = rx.file(def.file);
                let is_value = !view.def(def.def).kind.is_callable();
                let ty = view.def(def.def).ty.filter(|_| is_value && view.language() == Language::Kotlin);
                ty.is_some_and(|ty| !matches!(view.ty(ty), TypeExpr::Nullable(_)))
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether `null` can be passed at a position.
fn is_nullable(rx: &Resolver, option: &Overload<'_>, at: usize) -> bool {
    let Some(param) = option.params.get(at.min(option.params.len().saturating_sub(1))) else { return false };
    let file = rx.file(param.file);
    file.def(param.def).ty.is_some_and(|ty| matches!(file.ty(ty), TypeExpr::Nullable(_)))
}

/// Whether a value of a function type can be called with these arguments, the receiver among them or not.
fn takes(rx: &Resolver, file: &FileView, params: &[Ty], args: &[Arg<'_>]) -> bool {
    let fits = |(arg, wanted): (&Arg<'_>, &Ty)| {
        let wanted = if let Ty::Pointer(receiver) = wanted { receiver } else { wanted };
        // No type parameter is left open that could be a function type.
        let is_closed = arg.lambda.is_some() && matches!(wanted, Ty::Param(_));
        !is_closed && arg.name.is_none() && !arg.is_spread && argument_fit(rx, file, arg, wanted) != Fit::No
    };
    let fit_all = |params: &[Ty]| params.len() == args.len() && args.iter().zip(params).all(fits);
    fit_all(params) || matches!(params, [Ty::Pointer(_), plain @ ..] if fit_all(plain))
}

/// A value that is called: of a function type, or with `invoke`.
fn choose_invoked(rx: &Resolver, file: &FileView, candidates: &[Candidate], args: &[Arg<'_>]) -> Fitting {
    let mut doubtful = None;
    for candidate in candidates {
        let Some(def) = candidate.def() else {
            return Fitting::Chosen(chosen(candidate, candidate.target.clone(), candidate.confidence));
        };
        let view = rx.file(def.file);
        let kind = view.def(def.def).kind;
        if kind.is_callable() {
            continue;
        }
        let invoked = if is_component(rx, def) {
            args.is_empty()
        } else if kind.is_type() {
            let object = if kind == SymbolKind::Object { Some(def) } else { companion(rx, def) };
            let called = object.filter(|o| !members_of(rx, file, &Ty::instance(*o), "invoke").is_empty());
            if let Some(object) = called {
                return Fitting::Chosen(chosen(candidate, Target::Def(object), candidate.confidence));
            }
            false
        } else {
            let ty = match from_java(rx, file, &rx.def_type(def)) {
                Ty::Param(param) => bound(rx, param),
                other => other,
            };
            match &ty {
                Ty::Callable { params, .. } => takes(rx, file, params, args),
                Ty::External(name, _) => {
                    if &**name != "kotlin.Any" {
                        doubtful.get_or_insert_with(|| {
                            chosen(candidate, candidate.target.clone(), candidate.confidence)
                        });
                    }
                    false
                }
                Ty::Unknown | Ty::Param(_) | Ty::Function(..) | Ty::Union(_) => true,
                _ => {
                    let line = rx.linearization(&ty);
                    let function = line.iter().find_map(|ty| match ty {
                        Ty::Callable { params, .. } => Some(params),
                        _ => None,
                    });
                    function.is_some_and(|params| takes(rx, file, params, args))
                        || !members_of(rx, file, &ty, "invoke").is_empty()
                        || !super::infer::operators(rx, file, &ty, "invoke").is_empty()
                }
            }
        };
        if invoked {
            return Fitting::Chosen(chosen(candidate, candidate.target.clone(), candidate.confidence));
        }
    }
    doubtful.map_or(Fitting::Unfit, Fitting::Doubtful)
}

fn choose_referenced(rx: &Resolver, file: &FileView, id: RefId, candidates: &[Candidate]) -> Fitting {
    let options = options(rx, file, candidates, &[]);
    let several = || Fitting::Chosen(all_of(candidates, Confidence::Ambiguous));
    let named = match candidates {
        [only] if options.len() < 2 => {
            return Fitting::Chosen(chosen(only, only.target.clone(), only.confidence));
        }
        [only] => Some(only),
        _ => None,
    };
    let as_named = || named.map(|only| Fitting::Chosen(chosen(only, only.target.clone(), only.confidence)));
    let expected = file.expected_ref(id).map(|expr| rx.policy(file).expected(rx, file, expr));
    let wanted: Vec<Ty> = match &expected {
        Some(Ty::Callable { params, .. }) => {
            let plain =
                |ty: &Ty| if let Ty::Pointer(receiver) = ty { (**receiver).clone() } else { ty.clone() };
            params.iter().map(plain).collect()
        }
        Some(ty) => match rx.signature(file, ty) {
            Some((params, _)) => params,
            None => return as_named().unwrap_or_else(several),
        },
        None => return as_named().unwrap_or_else(several),
    };
    // An unbound reference takes the receiver first.
    let how = |option: &Overload<'_>| {
        let known = rx.arguments_of(&option.candidate.owner);
        let skipped = wanted.len().checked_sub(option.params.len()).filter(|skipped| *skipped < 2)?;
        let pairs = wanted[skipped..].iter().zip(&option.params).map(|(wanted, param)| {
            let declared = from_java(rx, file, &rx.def_type(*param)).substitute(&known);
            fit(rx, file, wanted, &declared)
        });
        Some(pairs.min().unwrap_or(Fit::Yes)).filter(|how| *how != Fit::No)
    };
    let fitting: Vec<(Fit, &Overload<'_>)> = options.iter().filter_map(|o| Some((how(o)?, o))).collect();
    let best = fitting.iter().map(|(how, _)| *how).max();
    let mut rest = fitting.iter().filter(|(how, _)| Some(*how) == best).map(|(_, option)| *option);
    let is_value =
        |c: &Candidate| c.def().is_none_or(|def| !rx.kind(def).is_callable() && !rx.kind(def).is_type());
    match (rest.next(), rest.next()) {
        (Some(only), None) if !candidates.iter().any(is_value) => {
            let confidence = only.candidate.confidence.max(Confidence::Inferred);
            Fitting::Chosen(chosen(only.candidate, only.target.clone(), confidence))
        }
        _ => as_named().unwrap_or_else(several),
    }
}

/// Candidates none of which can take what is passed: something is not understood.
pub(super) fn uncertain(rx: &Resolver, file: &FileView, id: RefId, candidates: &[Candidate]) -> Resolved {
    let r = file.reference(id);
    let callable = |c: &&Candidate| {
        c.def().is_some_and(|d| {
            let kind = rx.kind(d);
            kind.is_callable() || kind.is_type()
        })
    };
    if r.role != Role::Call {
        return unknown(Reason::NotFound);
    }
    let mut called: Vec<Candidate> = candidates.iter().filter(callable).cloned().collect();
    if let Some(call) = r.call.filter(|_| called.len() > 1) {
        let args = arguments(file, call);
        let takes = |c: &Candidate| {
            let def = c.def().filter(|def| rx.kind(*def).is_callable());
            def.is_none_or(|def| mapping(rx, &parameters(rx, def), &args).is_some())
        };
        if called.iter().any(takes) {
            called.retain(takes);
        }
    }
    match &called[..] {
        [] => unknown(Reason::NotFound),
        [only] => {
            let made = only.def().filter(|def| rx.kind(*def).is_type()).and_then(|class| {
                let all = constructors(rx, class);
                (all.len() == 1).then(|| construction(rx.file(class.file), class, all[0].def))
            });
            known(Resolution::of(made.unwrap_or_else(|| only.target.clone()), Confidence::Inferred))
        }
        many => all_of(many, Confidence::Ambiguous),
    }
}

/// The facts about a declaration that a guess needs.
#[derive(Clone, Copy)]
struct Guess {
    is_member: bool,
    is_private: bool,
}

/// The guesses that were looked at last, so that their files need not be read again.
struct Guessed(Recent<GlobalDef, Guess>);

impl Guess {
    fn of(rx: &Resolver, def: GlobalDef) -> Self {
        let is_private =
            |def: GlobalDef| rx.file(def.file).def(def.def).visibility == Some(Visibility::Private);
        let owner = rx.owner_class(def);
        Self {
            is_member: owner.is_some() || rx.file(def.file).def(def.def).receiver.is_some(),
            is_private: is_private(def) || owner.is_some_and(is_private),
        }
    }
}

/// The possible meaning of a member behind an unknown value: the only declaration of that name that fits.
pub(super) fn by_name(rx: &Resolver, file: &FileView, id: RefId) -> Resolution {
    let r = file.reference(id);
    let is_call = r.role == Role::Call;
    let args = r.call.map(|call| arguments(file, call));
    let known = rx.extension(|_| Guessed(Recent::new(2048)));
    let found = rx.by_name_only(file, id, 1, |site| {
        let is_kept = site.kind != SymbolKind::Constructor && (is_call || !site.kind.is_callable());
        if !is_kept {
            return false;
        }
        let found = known.0.answer(rx, site.at, || Guess::of(rx, site.at));
        let takes = || {
            !site.kind.is_callable()
                || args.as_ref().is_none_or(|args| mapping(rx, &parameters(rx, site.at), args).is_some())
        };
        let is_reachable = site.at.file == file.id || !found.is_private;
        found.is_member && is_reachable && (!is_call || takes())
    });
    super::or_by_accessor(rx, file, id, found)
}
