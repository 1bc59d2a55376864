//! Choice among overloads (JLS 15.12.2): by strict invocation, then with boxing, then with variable arguments; the
//! most specific of those that apply.

use ide_model::{Confidence, SymbolKind};

use super::members::functional_signature;
use super::types::{self, Fit, loose_fit, may_be_functional, strict_fit};
use crate::facts::{DefFlags, DefId, Expr, ExprId, RefFlags, RefId, Role};
use crate::guard::{self, Limit};
use crate::resolve::{FileView, Member, Reason, Resolution, Resolver, Ty, Types};
use crate::world::GlobalDef;

/// Each method that applies is compared with all others, up to so many.
const MAX_APPLICABLE: usize = 200;

/// An argument, as far as applicability goes.
#[derive(Clone, Debug)]
pub(super) enum Arg {
    Value(Ty),
    Lambda(DefId),
    /// A method or constructor reference, by its name's reference.
    MethodRef(RefId),
}

/// The arguments of a call, a construction or an annotation.
pub(super) fn arguments(rx: &Resolver, file: &FileView, call: ExprId) -> Vec<Arg> {
    let args = match file.expr(call) {
        Expr::Call { args, .. } | Expr::New { args, .. } => args,
        _ => return Vec::new(),
    };
    file.list(args).map(|arg| argument(rx, file, arg)).collect()
}

fn argument(rx: &Resolver, file: &FileView, arg: ExprId) -> Arg {
    match file.expr(arg) {
        Expr::Function(def) => Arg::Lambda(def),
        Expr::Ref(name) if file.reference(name).flags.has(RefFlags::METHOD_REF) => Arg::MethodRef(name),
        Expr::Type(ty) => match rx.named_type_ref(file, ty) {
            Some(name) if file.reference(name).flags.has(RefFlags::METHOD_REF) => Arg::MethodRef(name),
            _ => Arg::Value(rx.expr_type(file, arg)),
        },
        _ => Arg::Value(rx.expr_type(file, arg)),
    }
}

/// The phases of applicability.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Strict,
    Loose,
    Variable,
}

/// A candidate with its parameter types, seen from the receiver.
struct Candidate<'m> {
    member: &'m Member,
    def: GlobalDef,
    params: Vec<Ty>,
    is_variable: bool,
}

impl Candidate<'_> {
    /// The type asked of the argument at an index.
    fn param(&self, index: usize, phase: Phase) -> &Ty {
        if phase == Phase::Variable && index + 1 >= self.params.len() {
            return match self.params.last() {
                Some(Ty::Array(item)) => item,
                Some(other) => other,
                None => &Ty::Unknown,
            };
        }
        self.params.get(index).unwrap_or(&Ty::Unknown)
    }

    fn takes(&self, args: usize, phase: Phase) -> bool {
        match phase {
            Phase::Variable => self.is_variable && args + 1 >= self.params.len(),
            _ => args == self.params.len(),
        }
    }

    fn fit(&self, rx: &Resolver, file: &FileView, args: &[Arg], phase: Phase) -> Fit {
        if !self.takes(args.len(), phase) {
            return Fit::No;
        }
        let mut worst = Fit::Yes;
        for (i, arg) in args.iter().enumerate() {
            worst = worst.min(argument_fit(rx, file, arg, self.param(i, phase), phase));
            if worst == Fit::No {
                break;
            }
        }
        worst
    }
}

/// Chooses the method or constructor that a call with these arguments means.
pub(super) fn choose(rx: &Resolver, file: &FileView, members: &[Member], args: &[Arg]) -> Resolution {
    let candidates: Vec<Candidate<'_>> = members.iter().filter_map(|m| candidate(rx, m)).collect();
    match &candidates[..] {
        [] => {
            return members.first().map_or_else(
                || Resolution::unknown(Reason::NotFound),
                |m| Resolution::of(m.target(), m.confidence),
            );
        }
        [only] => {
            let fits = only.takes(args.len(), Phase::Strict) || only.takes(args.len(), Phase::Variable);
            let confidence = if fits { only.member.confidence } else { Confidence::Inferred };
            return Resolution::of(only.member.target(), confidence);
        }
        _ => {}
    }
    for phase in [Phase::Strict, Phase::Loose, Phase::Variable] {
        let fits: Vec<(Fit, &Candidate<'_>)> = candidates
            .iter()
            .map(|c| (c.fit(rx, file, args, phase), c))
            .filter(|(fit, _)| *fit != Fit::No)
            .collect();
        if fits.is_empty() {
            continue;
        }
        let best = fits.iter().map(|(fit, _)| *fit).max().unwrap_or(Fit::Maybe);
        let applicable: Vec<&Candidate<'_>> =
            fits.iter().filter(|(fit, _)| *fit == best).map(|(_, c)| *c).collect();
        return most_specific(rx, file, &applicable, args, phase, best);
    }
    let by_arity: Vec<&Candidate<'_>> = candidates
        .iter()
        .filter(|c| c.takes(args.len(), Phase::Strict) || c.takes(args.len(), Phase::Variable))
        .collect();
    match &by_arity[..] {
        [] => several(candidates.iter()),
        [one] => Resolution::of(one.member.target(), Confidence::Inferred),
        many => several(many.iter().copied()),
    }
}

fn candidate<'m>(rx: &Resolver, member: &'m Member) -> Option<Candidate<'m>> {
    let def = member.def()?;
    let file = rx.file(def.file);
    let d = file.def(def.def);
    if !d.kind.is_callable() {
        return None;
    }
    let substitution = rx.arguments_of(&member.owner);
    let is_variable =
        file.list(d.params).next_back().is_some_and(|last| file.has_flag(last, DefFlags::VARARG));
    let params = file.list(d.params).map(|p| rx.def_type(file.global(p)).substitute(&substitution)).collect();
    Some(Candidate { member, def, params, is_variable })
}

fn several<'c, 'm: 'c>(candidates: impl Iterator<Item = &'c Candidate<'m>>) -> Resolution {
    Resolution {
        targets: candidates.map(|c| c.member.target()).collect(),
        confidence: Confidence::Ambiguous,
        reason: Reason::SeveralCandidates,
    }
}

fn most_specific(
    rx: &Resolver,
    file: &FileView,
    applicable: &[&Candidate<'_>],
    args: &[Arg],
    phase: Phase,
    fit: Fit,
) -> Resolution {
    if applicable.len() > MAX_APPLICABLE {
        guard::note(Limit::Work);
        return several(applicable.iter().copied());
    }
    let [only] = applicable else {
        let beats = |a: &Candidate<'_>, b: &Candidate<'_>| more_specific(rx, file, a, b, args, phase);
        let mut best: Vec<&Candidate<'_>> = applicable
            .iter()
            .copied()
            .filter(|a| applicable.iter().all(|b| std::ptr::eq(*a, *b) || beats(a, b)))
            .collect();
        if best.len() > 1 {
            // Equal signatures, inherited twice: the concrete one, or the first.
            let concrete = |c: &&Candidate<'_>| !rx.file(c.def.file).has_flag(c.def.def, DefFlags::ABSTRACT);
            let chosen = best.iter().position(concrete).unwrap_or(0);
            best = vec![best[chosen]];
        }
        return match &best[..] {
            [one] if fit == Fit::Yes => Resolution::of(one.member.target(), one.member.confidence),
            // An argument of unknown type might have led to another overload.
            [one] => {
                let rest = applicable.iter().copied().filter(|c| !std::ptr::eq(*c, *one));
                several(std::iter::once(*one).chain(rest))
            }
            _ => several(applicable.iter().copied()),
        };
    };
    let confidence = if fit == Fit::Yes { only.member.confidence } else { Confidence::Inferred };
    Resolution::of(only.member.target(), confidence)
}

fn more_specific(
    rx: &Resolver,
    file: &FileView,
    a: &Candidate<'_>,
    b: &Candidate<'_>,
    args: &[Arg],
    phase: Phase,
) -> bool {
    let count = if phase == Phase::Variable {
        a.params.len().max(b.params.len()).max(args.len())
    } else {
        args.len()
    };
    (0..count).all(|i| {
        let (p, q) = (a.param(i, phase), b.param(i, phase));
        match args.get(i) {
            Some(Arg::Lambda(def)) => lambda_prefers(rx, file, *def, p, q),
            Some(Arg::MethodRef(name)) => reference_prefers(rx, file, *name, p, q),
            _ => strict_fit(rx, p, q) == Fit::Yes || types::same_erasure(rx, p, q) && p == q,
        }
    })
}

/// Whether the functional interface `p` is at least as specific as `q` for a lambda.
fn lambda_prefers(rx: &Resolver, file: &FileView, lambda: DefId, p: &Ty, q: &Ty) -> bool {
    if strict_fit(rx, p, q) == Fit::Yes {
        return true;
    }
    let (Some((_, r)), Some((_, s))) = (functional_signature(rx, p), functional_signature(rx, q)) else {
        return false;
    };
    result_prefers(rx, &r, &s, || rx.return_type(file.global(lambda)))
}

fn reference_prefers(rx: &Resolver, file: &FileView, name: RefId, p: &Ty, q: &Ty) -> bool {
    if strict_fit(rx, p, q) == Fit::Yes {
        return true;
    }
    let (Some((_, r)), Some((_, s))) = (functional_signature(rx, p), functional_signature(rx, q)) else {
        return false;
    };
    result_prefers(rx, &r, &s, || referenced_result(rx, file, name))
}

/// The return type of a method reference's method, when it has no overloads.
fn referenced_result(rx: &Resolver, file: &FileView, name: RefId) -> Ty {
    let r = file.reference(name);
    if r.role == Role::New {
        return rx.named_type(file, name, Types::default());
    }
    let Some(receiver) = r.receiver else { return Ty::Unknown };
    let ty = rx.expr_type(file, receiver);
    let members = super::members::members_of(rx, file, &ty, file.ref_name(name));
    let results = members.iter().filter_map(Member::def).map(|def| rx.return_type(def));
    match Ty::union(results) {
        Ty::Union(_) => Ty::Unknown,
        one => one,
    }
}

fn result_prefers(rx: &Resolver, r: &Ty, s: &Ty, body: impl Fn() -> Ty) -> bool {
    let is_primitive = |ty: &Ty| matches!(ty, Ty::Primitive(name) if &**name != "void");
    if is_void(s) {
        return true;
    }
    if is_void(r) {
        return false;
    }
    match (is_primitive(r), is_primitive(s)) {
        (true, false) => is_primitive(&body()),
        (false, true) => matches!(body(), Ty::Instance(..) | Ty::External(..) | Ty::Array(_) | Ty::Param(_)),
        _ => strict_fit(rx, r, s) == Fit::Yes,
    }
}

fn is_void(ty: &Ty) -> bool {
    matches!(ty, Ty::Primitive(name) if &**name == "void") || matches!(ty, Ty::Nothing)
}

fn argument_fit(rx: &Resolver, file: &FileView, arg: &Arg, wanted: &Ty, phase: Phase) -> Fit {
    match arg {
        Arg::Value(ty) if phase == Phase::Strict => strict_fit(rx, ty, wanted),
        Arg::Value(ty) => loose_fit(rx, file, ty, wanted),
        Arg::Lambda(def) => lambda_fit(rx, file, *def, wanted),
        Arg::MethodRef(name) => {
            if !may_be_functional(rx, wanted) {
                return Fit::No;
            }
            match functional_signature(rx, wanted) {
                Some((params, _)) => reference_fit(rx, file, *name, params.len()),
                None if matches!(wanted, Ty::Instance(..)) => Fit::No,
                None => Fit::Maybe,
            }
        }
    }
}

fn lambda_fit(rx: &Resolver, file: &FileView, lambda: DefId, wanted: &Ty) -> Fit {
    if !may_be_functional(rx, wanted) {
        return Fit::No;
    }
    let Some((params, result)) = functional_signature(rx, wanted) else {
        return if matches!(wanted, Ty::Instance(..)) { Fit::No } else { Fit::Maybe };
    };
    let d = file.def(lambda);
    if params.len() != d.params.len as usize {
        return Fit::No;
    }
    let is_block = file.list(d.returns).next().is_none() || d.flags.has(DefFlags::VOID);
    let body = file.list(d.returns).next();
    match (is_void(&result), body) {
        (true, None) => Fit::Yes,
        (true, Some(body)) => (!is_block && may_be_statement(file, d.returns.len, body)).into(),
        // A block that only throws fits everywhere.
        (false, None) => Fit::Maybe,
        (false, Some(body)) => match file.expr(body) {
            Expr::Literal(_) => match rx.expr_type(file, body) {
                ty @ Ty::Primitive(_) => loose_fit(rx, file, &ty, &result).max(Fit::from(ty == result)),
                ty => loose_fit(rx, file, &ty, &result),
            },
            _ => Fit::Yes,
        },
    }
}

/// An expression that can stand as a statement; several returned values mean a block.
fn may_be_statement(file: &FileView, returns: u32, body: ExprId) -> bool {
    returns == 1
        && match file.expr(body) {
            Expr::Call { .. } | Expr::New { .. } | Expr::Assign { .. } | Expr::Class(_) => true,
            Expr::Ref(name) => file.reference(name).role == Role::ReadWrite,
            _ => false,
        }
}

fn reference_fit(rx: &Resolver, file: &FileView, name: RefId, params: usize) -> Fit {
    let r = file.reference(name);
    if r.role == Role::New {
        return Fit::Yes;
    }
    let Some(receiver) = r.receiver else { return Fit::Maybe };
    let ty = rx.expr_type(file, receiver);
    let is_class = matches!(ty, Ty::Class(..) | Ty::ExternalName(_));
    let members = super::members::members_of(rx, file, &ty, file.ref_name(name));
    if members.is_empty() {
        return Fit::Maybe;
    }
    let fits = members.iter().filter_map(Member::def).any(|def| {
        let view = rx.file(def.file);
        let d = view.def(def.def);
        let n = d.params.len as usize;
        let variable = view.list(d.params).next_back().is_some_and(|p| view.has_flag(p, DefFlags::VARARG));
        let takes = |count: usize| n == count || variable && count + 1 >= n;
        if is_class && !d.flags.has(DefFlags::STATIC) {
            params > 0 && takes(params - 1)
        } else {
            takes(params)
        }
    });
    fits.into()
}

/// The method that a method reference means: by the parameters of the function type that is expected.
pub(super) fn choose_referenced(
    rx: &Resolver,
    file: &FileView,
    members: &[Member],
    receiver: &Ty,
    expected: Option<(Vec<Ty>, Ty)>,
) -> Resolution {
    let methods: Vec<Member> = members
        .iter()
        .filter(|m| m.def().is_some_and(|def| rx.kind(def) == SymbolKind::Method))
        .cloned()
        .collect();
    let Some((params, _)) = expected else { return choose_any(rx, &methods) };
    let is_class = matches!(receiver, Ty::Class(..));
    let (statics, instances): (Vec<Member>, Vec<Member>) = methods
        .iter()
        .cloned()
        .partition(|m| m.def().is_some_and(|d| rx.file(d.file).has_flag(d.def, DefFlags::STATIC)));
    let all: Vec<Arg> = params.iter().cloned().map(Arg::Value).collect();
    if !is_class {
        return choose(rx, file, &methods, &all);
    }
    let fits = |members: &[Member], args: &[Arg]| {
        members.iter().filter_map(|m| candidate(rx, m)).any(|c| {
            [Phase::Strict, Phase::Loose, Phase::Variable]
                .iter()
                .any(|phase| c.fit(rx, file, args, *phase) != Fit::No)
        })
    };
    if !statics.is_empty() && fits(&statics, &all) {
        return choose(rx, file, &statics, &all);
    }
    match all.split_first() {
        Some((_, rest)) if !instances.is_empty() => choose(rx, file, &instances, rest),
        _ => choose_any(rx, &methods),
    }
}

/// Without anything to choose by: the only one, or all.
pub(super) fn choose_any(rx: &Resolver, members: &[Member]) -> Resolution {
    match members {
        [one] => Resolution::of(one.target(), one.confidence),
        [] => Resolution::unknown(Reason::NotFound),
        many => {
            let candidates: Vec<Candidate<'_>> = many.iter().filter_map(|m| candidate(rx, m)).collect();
            several(candidates.iter())
        }
    }
}
