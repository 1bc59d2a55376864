//! Types of values where a test of them holds.

use std::cmp::Reverse;

use ide_model::SymbolKind;

use super::policy::EcmaPolicy;
use crate::facts::{BinaryOp, DefId, Expr, ExprId, Guard, GuardTest, RefId, TypeExpr, TypeId, UnaryOp};
use crate::guard;
use crate::resolve::{FileView, Policy, Resolver, Ty};
use crate::world::GlobalDef;

impl EcmaPolicy {
    /// Whether the functions among some arguments are type guards (`x is T`) where parameters ask for them.
    pub(super) fn tests_where_asked(rx: &Resolver, file: &FileView, of: GlobalDef, args: &[ExprId]) -> bool {
        let home = rx.file(of.file);
        let is_guard = |file: &FileView, result: Option<TypeId>| {
            result.is_some_and(|result| matches!(file.ty(result), TypeExpr::Predicate(_)))
        };
        let asks = |param: DefId| match home.def(param).ty.map(|ty| home.ty(ty)) {
            Some(TypeExpr::Function { result, .. }) => is_guard(home, result),
            _ => false,
        };
        let mut pairs = home.list(home.def(of.def).params).zip(args);
        pairs.all(|(param, arg)| {
            if !asks(param) {
                return true;
            }
            match file.expr(*arg) {
                Expr::Function(given) => is_guard(file, file.def(given).ty),
                _ => match rx.expr_type(file, *arg) {
                    Ty::Callable { .. } => Self::held_guard(rx, file, *arg).is_some(),
                    given => given.def().is_none_or(|given| {
                        let given_in = rx.file(given.file);
                        let given = given_in.def(given.def);
                        !given.kind.is_callable() || is_guard(given_in, given.ty)
                    }),
                },
            }
        })
    }

    /// The type of a name or a member path as the tests around it leave it; `None` where none is.
    pub(super) fn narrowed(rx: &Resolver, file: &FileView, reference: RefId) -> Option<Ty> {
        let r = file.reference(reference);
        let mut ty: Option<Ty> = None;
        let mut guards = file.flow().guards_at(file, r.name, r.range.start);
        // The outer ones first.
        guards.sort_by_key(|guard| (guard.range.start, Reverse(guard.range.end)));
        for guard in &guards {
            if guard.subject != reference
                && Self::same_path(rx, file, guard.subject, reference)
                && !Self::assigned_since(file, guard, reference)
            {
                let GuardTest::Class(test) = guard.test else { continue };
                let before = ty.unwrap_or_else(|| rx.value_of(&rx.resolve(file.global_ref(reference))));
                ty = Some(Self::under(rx, file, before, test, guard.negated));
            }
        }
        ty
    }

    /// Whether two names, or two member paths, mean the same place.
    fn same_path(rx: &Resolver, file: &FileView, a: RefId, b: RefId) -> bool {
        let (x, y) = (file.reference(a), file.reference(b));
        if x.name != y.name {
            return false;
        }
        match (x.receiver.map(|e| file.expr(e)), y.receiver.map(|e| file.expr(e))) {
            (None, None) => {
                let (a, b) = (rx.resolve(file.global_ref(a)), rx.resolve(file.global_ref(b)));
                a.resolution.targets == b.resolution.targets
            }
            (Some(Expr::Ref(a)), Some(Expr::Ref(b))) => {
                guard::deeper(|| Self::same_path(rx, file, a, b)).unwrap_or(false)
            }
            (Some(Expr::This(_)), Some(Expr::This(_))) => true,
            _ => false,
        }
    }

    /// Whether the value may be another one by now.
    fn assigned_since(file: &FileView, guard: &Guard, reference: RefId) -> bool {
        let r = file.reference(reference);
        let mut written = file.flow().assigns.of(r.name).map(|i| file.assigns[i].at);
        written.any(|at| guard.range.start <= at && at < r.range.start)
    }

    /// A type under a test.
    fn under(rx: &Resolver, file: &FileView, ty: Ty, test: ExprId, negated: bool) -> Ty {
        let keep = |ty: &Ty, keeps: &dyn Fn(&Ty) -> bool| {
            let parts: Vec<Ty> = Self::alternatives(rx, file, ty).into_iter().filter(|p| keeps(p)).collect();
            // If narrowing removes every alternative, keep the declared type.
            if parts.is_empty() { ty.clone() } else { Ty::union(parts) }
        };
        match file.expr(test) {
            Expr::Binary { op: BinaryOp::Or, left, right } if !negated => Ty::union([
                Self::under_part(rx, file, ty.clone(), left, false),
                Self::under_part(rx, file, ty, right, false),
            ]),
            Expr::Unary { op: UnaryOp::Not, value } => Self::under_part(rx, file, ty, value, !negated),
            Expr::Binary { op: BinaryOp::Compare, left, right } => {
                let (value, literal) = match file.expr(right) {
                    Expr::Text(_) | Expr::Literal(_) => (left, right),
                    _ => match file.expr(left) {
                        Expr::Text(_) => (right, left),
                        _ => (left, right),
                    },
                };
                match file.expr(value) {
                    Expr::Unary { op: UnaryOp::TypeOf, .. } => match file.expr(literal) {
                        Expr::Text(name) => {
                            keep(&ty, &|part| has_type(part, file.name(name)) != Some(negated))
                        }
                        _ => ty,
                    },
                    Expr::Ref(member) => {
                        let Some(wanted) = Self::literal_of(rx, file, literal) else { return ty };
                        keep(&ty, &|part| {
                            Self::may_be(rx, file, part, file.ref_name(member), &wanted, negated)
                        })
                    }
                    _ => ty,
                }
            }
            Expr::Binary { op: BinaryOp::In, left, .. } => match file.expr(left) {
                Expr::Text(name) => keep(&ty, &|part| {
                    let members = EcmaPolicy.members(rx, file, part, file.name(name));
                    let has = members.iter().any(|member| member.def().is_some());
                    // A value from elsewhere may have any member.
                    let is_open = matches!(part, Ty::Instance(..) | Ty::External(..) | Ty::ExternalName(_));
                    !has && !members.is_empty() && is_open || has != negated
                }),
                _ => ty,
            },
            Expr::NonNull(value) => Self::under_part(rx, file, ty, value, negated),
            Expr::Call { callee, .. } => Self::under_call(rx, file, ty, test, callee, negated),
            _ => {
                let wanted = rx.expr_type(file, test).instantiate();
                Self::to(rx, file, ty, wanted, negated)
            }
        }
    }

    /// A type under a part of a condition: a name in it is tested for being true.
    fn under_part(rx: &Resolver, file: &FileView, ty: Ty, part: ExprId, negated: bool) -> Ty {
        let Expr::Ref(member) = file.expr(part) else { return Self::under(rx, file, ty, part, negated) };
        let name = file.ref_name(member);
        let never = if negated { "true" } else { "false" };
        let kept: Vec<Ty> = Self::alternatives(rx, file, &ty)
            .into_iter()
            .filter(|alternative| {
                Self::member_literals(rx, file, alternative, name).is_none_or(|all| all != [never])
            })
            .collect();
        if kept.is_empty() { ty } else { Ty::union(kept) }
    }

    /// `isThis(value)` of a function whose result is `value is T`.
    fn under_call(rx: &Resolver, file: &FileView, ty: Ty, call: ExprId, callee: ExprId, negated: bool) -> Ty {
        if let Expr::Ref(name) = file.expr(callee)
            && file.ref_name(name) == "isArray"
        {
            let parts = Self::alternatives(rx, file, &ty);
            let kept: Vec<Ty> =
                parts.into_iter().filter(|p| matches!(p, Ty::Array(_) | Ty::Tuple(_)) != negated).collect();
            return if kept.is_empty() { ty } else { Ty::union(kept) };
        }
        if let Some(wanted) = Self::held_guard(rx, file, callee) {
            return Self::to(rx, file, ty, wanted, negated);
        }
        let Some(function) = rx.expr_type(file, callee).def() else { return ty };
        let home = rx.file(function.file);
        let Some(TypeExpr::Predicate(held)) = home.def(function.def).ty.map(|result| home.ty(result)) else {
            return ty;
        };
        // `asserts condition`.
        if matches!(home.ty(held), TypeExpr::Primitive(name) if home.name(name) == "void") {
            let condition = match file.expr(call) {
                Expr::Call { args, .. } => file.list(args).next(),
                _ => None,
            };
            return match condition.map(|condition| (condition, file.expr(condition))) {
                Some((_, Expr::Binary { op: BinaryOp::TypeTest, right, .. })) => {
                    Self::under(rx, file, ty, right, negated)
                }
                Some((_, Expr::Ref(_))) | None => ty,
                Some((condition, _)) => Self::under(rx, file, ty, condition, negated),
            };
        }
        Self::to(rx, file, ty, rx.expr_type(file, call), negated)
    }

    /// The guard of a constant whose type is written as a function type, `(x: any) => x is T`.
    fn held_guard(rx: &Resolver, file: &FileView, callee: ExprId) -> Option<Ty> {
        let Expr::Ref(name) = file.expr(callee) else { return None };
        let def = rx.resolve(file.global_ref(name)).resolution.defs().next()?;
        let home = rx.file(def.file);
        let d = home.def(def.def);
        let written = d.ty.or_else(|| match home.expr(d.init?) {
            Expr::Cast { ty, .. } => Some(ty),
            _ => None,
        })?;
        let alias = |name| {
            let named = rx.resolve(home.global_ref(name)).resolution.defs().next()?;
            let ty = rx.def(named).ty.filter(|_| rx.kind(named) == SymbolKind::TypeAlias)?;
            Some((rx.file(named.file), ty))
        };
        let (home, written) = match home.ty(written) {
            TypeExpr::Named { name, .. } => alias(name)?,
            _ => (home, written),
        };
        match home.ty(written) {
            TypeExpr::Function { result: Some(result), .. } => match home.ty(result) {
                TypeExpr::Predicate(wanted) => Some(rx.type_of(home, wanted)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The parts of a type that are of another, or are not; the other itself where no part is known to be.
    fn to(rx: &Resolver, file: &FileView, ty: Ty, wanted: Ty, negated: bool) -> Ty {
        if wanted.is_unknown() || matches!(&wanted, Ty::Primitive(name) if &**name == "boolean") {
            return ty;
        }
        let is_it = |part: &Ty| {
            wanted
                .parts()
                .iter()
                .any(|wanted| part == wanted || wanted.def().is_some_and(|class| rx.descends(part, class)))
        };
        let (of_it, others): (Vec<Ty>, Vec<Ty>) =
            Self::alternatives(rx, file, &ty).into_iter().partition(is_it);
        match (negated, of_it.is_empty(), others.is_empty()) {
            (true, _, false) => Ty::union(others),
            (true, _, true) => ty,
            (false, false, _) => Ty::union(of_it),
            (false, true, _) => wanted,
        }
    }

    /// The parts of a union, operators worked out.
    pub(super) fn alternatives(rx: &Resolver, file: &FileView, ty: &Ty) -> Vec<Ty> {
        let mut all = Vec::new();
        for part in ty.parts() {
            match Self::evaluated(rx, file, part) {
                Ty::Union(parts) => all.extend(parts.iter().cloned()),
                other => all.push(other),
            }
        }
        all
    }

    /// The text of a literal, or the name of an enum's case, that a value is compared with.
    pub(super) fn literal_of(rx: &Resolver, file: &FileView, value: ExprId) -> Option<String> {
        match file.expr(value) {
            Expr::Text(name) => Some(file.name(name).to_owned()),
            Expr::Ref(reference) => {
                let resolved = rx.resolve(file.global_ref(reference));
                let case = resolved.resolution.defs().find(|d| rx.def(*d).kind == SymbolKind::EnumCase)?;
                Some(rx.def_name(case).to_owned())
            }
            _ => None,
        }
    }

    /// Whether a part of a union can have a literal in a member, or something else where `negated`.
    fn may_be(rx: &Resolver, file: &FileView, part: &Ty, member: &str, wanted: &str, negated: bool) -> bool {
        match Self::member_literals(rx, file, part, member) {
            Some(all) if negated => all != [wanted],
            Some(all) => all.iter().any(|l| l == wanted),
            None => true,
        }
    }

    /// The literals that a member can be, when it can be nothing else.
    pub(super) fn member_literals(
        rx: &Resolver,
        file: &FileView,
        part: &Ty,
        member: &str,
    ) -> Option<Vec<String>> {
        let member = EcmaPolicy.members(rx, file, part, member).into_iter().next()?;
        let home = rx.file(member.def()?.file);
        let declared = home.def(member.def()?.def).ty;
        // The case of an enum is no type of its own here; its name is.
        if let Some(TypeExpr::Named { name, .. }) = declared.map(|ty| home.ty(ty)) {
            let resolved = rx.resolve(home.global_ref(name));
            if let Some(case) = resolved.resolution.defs().find(|d| rx.def(*d).kind == SymbolKind::EnumCase) {
                return Some(vec![rx.def_name(case).to_owned()]);
            }
        }
        let ty = super::operators::member_type(rx, &member);
        let literals = Self::alternatives(rx, file, &ty);
        literals
            .iter()
            .map(|literal| match literal {
                Ty::Literal(text) => Some(text.to_string()),
                _ => None,
            })
            .collect()
    }
}

/// Whether `typeof` of a value of this type gives a name; `None` where that is open.
fn has_type(ty: &Ty, name: &str) -> Option<bool> {
    let own = match ty {
        Ty::Primitive(primitive) => match &**primitive {
            "any" | "unknown" => return None,
            "null" => "object",
            primitive => primitive,
        },
        Ty::Function(..) | Ty::Callable { .. } | Ty::Class(..) => "function",
        Ty::Array(_) | Ty::Tuple(_) => "object",
        Ty::Instance(..) if name != "function" => "object",
        Ty::Literal(text) if matches!(&**text, "true" | "false") => "boolean",
        Ty::Literal(text) if text.parse::<f64>().is_ok() => "number",
        Ty::Literal(_) => "string",
        _ => return None,
    };
    Some(own == name)
}
