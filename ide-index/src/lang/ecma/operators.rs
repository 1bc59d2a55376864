//! Types that are computed from types: `keyof`, `T[K]`, mapped and conditional types, and the utilities built on them.
//!
//! An operator whose operands are not known yet is kept as an external type with a name that no source can have, so
//! that substitution reaches the operands; [`EcmaPolicy::evaluated`] works it out once they are known.

use std::sync::Arc;

use super::calls::is_rest;
use super::policy::EcmaPolicy;
use super::types::INDEX;
use crate::facts::{DefFlags, RefId, TypeExpr, TypeId};
use crate::resolve::{FileView, Member, Policy, Resolver, Substitution, Ty, Types, unify};
use crate::world::GlobalDef;

/// `[base, key]`.
const INDEXED: &str = "#indexed";
/// `[type]`.
const KEYS: &str = "#keys";
/// `[keys, parameter, value]`.
const MAPPED: &str = "#mapped";
/// `[check, extends, yes, no]`.
const CONDITIONAL: &str = "#conditional";
const RESULT: &str = "#result";
const PARAMETERS: &str = "#parameters";
const AWAITED: &str = "#awaited";
const INSTANCE: &str = "#instance";
/// `[union, what parts must be like]`.
const EXTRACTED: &str = "#extracted";

/// `[type]`: what takes all further arguments of a function type, as a list or a tuple.
pub(super) const REST: &str = "#rest";

/// `[type]`: what `this` is in the methods of an object literal that is expected to be this.
const THIS: &str = "#this";

/// Operators inside operators, evaluated this deep.
const MAX_DEPTH: u32 = 12;

/// Operators of more types than this are not evaluated: each step may make them many times larger.
const MAX_SIZE: usize = 2_000;

fn operator(name: &str, operands: impl IntoIterator<Item = Ty>) -> Ty {
    Ty::External(name.into(), operands.into_iter().collect())
}

impl EcmaPolicy {
    /// The type that an operator builds.
    pub(super) fn operator_type(rx: &Resolver, file: &FileView, ty: TypeExpr) -> Option<Ty> {
        let of = |t: TypeId| rx.type_of(file, t);
        Some(match ty {
            // A literal beside `Omit` gives the members that are left out.
            TypeExpr::Intersection(parts) => {
                let leaves_out = |part: TypeId| match file.ty(part) {
                    TypeExpr::Named { name, .. } => file.ref_name(name) == "Omit",
                    _ => false,
                };
                let is_first = file.list(parts).any(leaves_out);
                let is_literal = |part: &TypeId| is_first && matches!(file.ty(*part), TypeExpr::Object(_));
                let (first, last): (Vec<TypeId>, Vec<TypeId>) = file.list(parts).partition(is_literal);
                Ty::Intersection(first.into_iter().chain(last).map(of).collect())
            }
            TypeExpr::KeyOf(inner) => operator(KEYS, [of(inner)]),
            TypeExpr::Indexed { base, index } => {
                Self::evaluated(rx, file, &operator(INDEXED, [of(base), of(index)]))
            }
            TypeExpr::Varargs(all) => operator(REST, [of(all)]),
            TypeExpr::Infer(def) => Ty::Param(file.global(def)),
            TypeExpr::Conditional { check, extends, yes, no } => {
                let parts = [of(check), of(extends), of(yes), of(no)];
                match &parts[0] {
                    // A type parameter alone: each part of a union is checked by itself, and stands for the
                    // parameter in the outcome.
                    Ty::Param(checked) => {
                        let part: Substitution = [(*checked, part_of(*checked))].into_iter().collect();
                        let [check, rest @ ..] = &parts;
                        let rest = rest.iter().map(|ty| ty.substitute(&part));
                        operator(
                            CONDITIONAL,
                            std::iter::once(check.clone()).chain(rest).chain([part_of(*checked)]),
                        )
                    }
                    _ => operator(CONDITIONAL, parts),
                }
            }
            TypeExpr::Mapped { parameter, value } => {
                // `{ [K in …]: T[K] }` has the members of `T`.
                if let TypeExpr::Indexed { base, index } = file.ty(value)
                    && let TypeExpr::Named { name, .. } = file.ty(index)
                    && Self::names(file, name, parameter)
                {
                    return Some(of(base));
                }
                let keys = file.def(parameter).ty.map_or(Ty::Unknown, of);
                operator(MAPPED, [keys, Ty::Param(file.global(parameter)), of(value)])
            }
            _ => return None,
        })
    }

    fn names(file: &FileView, name: RefId, parameter: crate::facts::DefId) -> bool {
        file.reference(name).name == file.def(parameter).name && file.reference(name).receiver.is_none()
    }

    /// A utility type of the standard library as an operator.
    pub(super) fn utility(name: &str, args: &[Ty]) -> Option<Ty> {
        let first = args.first()?.clone();
        let operator_of = |name: &str| Some(operator(name, [first.clone()]));
        match name {
            "ReturnType" => operator_of(RESULT),
            "Parameters" | "ConstructorParameters" => operator_of(PARAMETERS),
            "Awaited" => operator_of(AWAITED),
            "InstanceType" => operator_of(INSTANCE),
            "Extract" => Some(operator(EXTRACTED, [first, args.get(1)?.clone()])),
            "ThisType" => operator_of(THIS),
            // Arrays are a kind of their own; what only changes how members may be used has the members of its operand.
            "Array" | "ReadonlyArray" => Some(Ty::Array(Arc::new(first))),
            "Partial" | "Required" | "Readonly" | "NonNullable" | "Pick" | "Omit" | "Exclude" | "NoInfer" => {
                Some(first)
            }
            "Record" => Some(operator(MAPPED, [first, Ty::Unknown, args.get(1)?.clone()])),
            _ => None,
        }
    }

    pub(super) fn is_operator(ty: &Ty) -> bool {
        matches!(ty, Ty::External(name, _) if name.starts_with('#'))
    }

    /// The type that an operator gives; other types are given back. An operator on unknown operands stays an
    /// operator.
    pub(super) fn evaluated(rx: &Resolver, file: &FileView, ty: &Ty) -> Ty {
        Self::evaluated_at(rx, file, ty, MAX_DEPTH)
    }

    fn evaluated_at(rx: &Resolver, file: &FileView, ty: &Ty, depth: u32) -> Ty {
        let Ty::External(name, args) = ty else { return ty.clone() };
        if depth == 0 || !name.starts_with('#') {
            return ty.clone();
        }
        if ty.is_larger_than(MAX_SIZE) {
            return Ty::Unknown;
        }
        let operand =
            |i: usize| args.get(i).map_or(Ty::Unknown, |ty| Self::evaluated_at(rx, file, ty, depth - 1));
        let found = match &**name {
            INDEXED => Self::indexed(rx, file, &operand(0), &operand(1)),
            CONDITIONAL => Self::conditional(rx, file, &operand(0), &args[1..]),
            RESULT => rx.signature(file, &operand(0)).map(|(_, result)| result),
            PARAMETERS => rx.signature(file, &operand(0)).map(|(params, _)| match &params[..] {
                [only] if is_rest(only) => only.args()[0].clone(),
                _ => Ty::Tuple(params.into()),
            }),
            AWAITED => Some(EcmaPolicy.awaited(rx, &operand(0))),
            INSTANCE => Some(operand(0).instantiate()),
            MAPPED => Self::mapped_items(ty),
            EXTRACTED => Some(Self::extracted(rx, file, &operand(0), &operand(1))),
            _ => None,
        };
        match found {
            Some(found) if found != *ty => Self::evaluated_at(rx, file, &found, depth - 1),
            _ => ty.clone(),
        }
    }

    /// The type that a property of an object literal has in the type that is expected of the literal: declared, or by
    /// any key.
    pub(super) fn property_type(rx: &Resolver, file: &FileView, expected: &Ty, name: &str) -> Ty {
        let member = expected.parts().iter().flat_map(|part| EcmaPolicy.members(rx, file, part, name)).next();
        if let Some(member) = member {
            return member_type(rx, &member);
        }
        let parts = expected.parts().iter().flat_map(|part| match part {
            Ty::Intersection(parts) => parts.iter().collect::<Vec<_>>(),
            part => vec![part],
        });
        let of_keys = |part: &Ty| match part {
            Ty::Instance(..) => {
                rx.inherited_members(part, INDEX).first().map(|member| member_type(rx, member))
            }
            other => Self::mapped_value(other),
        };
        parts.filter_map(of_keys).next().unwrap_or(Ty::Unknown)
    }

    /// A type mapped over the keys of an array or a tuple is one again.
    fn mapped_items(ty: &Ty) -> Option<Ty> {
        let Ty::External(_, args) = ty else { return None };
        let [Ty::External(keys, of), Ty::Param(parameter), value] = &args[..] else { return None };
        let at = |key: Ty| value.substitute(&[(*parameter, key)].into_iter().collect());
        match of.first().filter(|_| &**keys == KEYS)? {
            Ty::Array(_) => Some(Ty::Array(Arc::new(at(Ty::Primitive("number".into()))))),
            Ty::Tuple(items) => {
                Some(Ty::Tuple((0..items.len()).map(|i| at(Ty::Literal(i.to_string().into()))).collect()))
            }
            _ => None,
        }
    }

    /// `base[key]`.
    fn indexed(rx: &Resolver, file: &FileView, base: &Ty, key: &Ty) -> Option<Ty> {
        if matches!(base, Ty::Param(_)) || Self::is_operator(base) && Self::mapped_value(base).is_none() {
            return None;
        }
        match key {
            Ty::Union(keys) => {
                let parts: Option<Vec<Ty>> =
                    keys.iter().map(|key| Self::indexed(rx, file, base, key)).collect();
                parts.map(Ty::union)
            }
            Ty::Literal(name) => {
                if let (Ty::Tuple(items), Ok(index)) = (base, name.parse::<usize>()) {
                    return items.get(index).cloned();
                }
                let member =
                    base.parts().iter().flat_map(|b| EcmaPolicy.members(rx, file, b, name)).next()?;
                member.def().map(|_| member_type(rx, &member))
            }
            Ty::Param(_) | Ty::Unknown => None,
            _ => Some(EcmaPolicy.element(rx, file, base)),
        }
    }

    /// `check extends pattern ? yes : no`.
    fn conditional(rx: &Resolver, file: &FileView, check: &Ty, rest: &[Ty]) -> Option<Ty> {
        let [pattern, yes, no, part @ ..] = rest else { return None };
        if let ([part_name], false) = (part, matches!(check, Ty::Param(_) | Ty::Unknown)) {
            let outcomes: Option<Vec<Ty>> = check
                .parts()
                .iter()
                .map(|part| {
                    let [pattern, yes, no] = [pattern, yes, no].map(|ty| replaced(ty, part_name, part));
                    Self::conditional(rx, file, part, &[pattern, yes, no])
                })
                .collect();
            return outcomes.map(Ty::union);
        }
        let mut found = Substitution::default();
        match Self::fits(rx, file, check, pattern, &mut found) {
            Some(true) => Some(yes.substitute(&found)),
            Some(false) => Some(no.clone()),
            None if matches!(check, Ty::Param(_) | Ty::Unknown) => None,
            None => Some(Ty::union([yes.substitute(&found), no.clone()])),
        }
    }

    /// Whether a type is assignable to a pattern, as far as that is seen; `infer`red parts are noted.
    fn fits(
        rx: &Resolver,
        file: &FileView,
        check: &Ty,
        pattern: &Ty,
        into: &mut Substitution,
    ) -> Option<bool> {
        let mut params = Vec::new();
        parameters(pattern, &mut params);
        match (check, pattern) {
            (Ty::Param(_) | Ty::Unknown, Ty::Primitive(name)) if matches!(&**name, "any" | "unknown") => {
                Some(true)
            }
            (Ty::Param(_) | Ty::Unknown, _) => None,
            (_, Ty::Param(def)) => {
                into.insert(*def, check.clone());
                Some(true)
            }
            (_, Ty::Primitive(name)) if matches!(&**name, "any" | "unknown") => Some(true),
            (Ty::Primitive(a), Ty::Primitive(b)) => Some(a == b),
            (Ty::Literal(a), Ty::Literal(b)) => Some(a == b),
            (Ty::Literal(a), Ty::Primitive(b)) => Some(match &**b {
                "string" => a.parse::<f64>().is_err(),
                "number" => a.parse::<f64>().is_ok(),
                "boolean" => matches!(&**a, "true" | "false"),
                _ => return None,
            }),
            (Ty::Array(a), Ty::Array(b)) => Self::fits(rx, file, a, b, into).or(Some(true)),
            (
                Ty::Callable { .. } | Ty::Function(..),
                Ty::Callable { params: wanted, result: wanted_result },
            ) => {
                let (given, result) = rx.signature(file, check)?;
                for (i, wanted) in wanted.iter().enumerate() {
                    match given.get(i..) {
                        Some([one, ..]) if !is_rest(wanted) || is_rest(one) => {
                            unify(wanted, one, &params, into)
                        }
                        Some(all) if is_rest(wanted) => {
                            unify(&wanted.args()[0], &Ty::Tuple(all.into()), &params, into);
                        }
                        _ => break,
                    }
                }
                unify(wanted_result, &result, &params, into);
                Some(true)
            }
            (Ty::Primitive(_) | Ty::Literal(_), Ty::Instance(..) | Ty::Array(_) | Ty::Callable { .. }) => {
                Some(false)
            }
            (_, Ty::Union(parts)) => {
                let all: Vec<Option<bool>> =
                    parts.iter().map(|part| Self::fits(rx, file, check, part, into)).collect();
                if all.contains(&Some(true)) {
                    Some(true)
                } else if all.iter().all(|fit| *fit == Some(false)) {
                    Some(false)
                } else {
                    None
                }
            }
            (Ty::Instance(..), Ty::Instance(wanted, _)) => {
                let as_wanted = rx.widened(check, pattern);
                if as_wanted.is_unknown() {
                    // Types of the library are told apart by name: comparing their members costs much and says little.
                    if let Some(name) = Self::library_name(rx, *wanted) {
                        return Some(name == "Object");
                    }
                    return Self::has_members(rx, file, check, *wanted, into);
                }
                unify(pattern, &as_wanted, &params, into);
                Some(true)
            }
            (Ty::External(a, x), Ty::External(b, y)) if a == b => {
                for (wanted, given) in y.iter().zip(x.iter()) {
                    unify(wanted, given, &params, into);
                }
                Some(true)
            }
            _ => (check == pattern).then_some(true),
        }
    }

    /// Whether a type has the members of an object type, each fitting.
    fn has_members(
        rx: &Resolver,
        file: &FileView,
        check: &Ty,
        wanted: GlobalDef,
        into: &mut Substitution,
    ) -> Option<bool> {
        let home = rx.file(wanted.file);
        let body = home.def(wanted.def).body?;
        let mut all = Some(true);
        for member in home.all_in_scope(body) {
            let name = home.def_name(*member);
            let Some(own) = EcmaPolicy.members(rx, file, check, name).into_iter().next() else {
                let is_optional = home.has_flag(*member, DefFlags::OPTIONAL);
                if is_optional {
                    continue;
                }
                return Some(false);
            };
            let given = own
                .def()
                .map_or(Ty::Unknown, |def| rx.def_type(def).substitute(&rx.arguments_of(&own.owner)));
            let wanted = rx.def_type(home.global(*member));
            match Self::fits(rx, file, &given, &wanted, into) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => all = None,
            }
        }
        all
    }

    /// The parts of a union that fit.
    fn extracted(rx: &Resolver, file: &FileView, union: &Ty, wanted: &Ty) -> Ty {
        let fits =
            |part: &&Ty| Self::fits(rx, file, part, wanted, &mut Substitution::default()) != Some(false);
        Ty::union(union.parts().iter().filter(fits).cloned())
    }

    /// Members of what an operator gives.
    pub(super) fn members_of_operator(rx: &Resolver, from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
        let mut evaluated = Self::evaluated(rx, from, ty);
        let mapped = Self::mapped_value(&evaluated).is_some().then(|| evaluated.clone());
        if let Ty::External(op, args) = &evaluated
            && Self::is_operator(&evaluated)
        {
            evaluated = match (&**op, &args[..]) {
                // With operands unknown both outcomes are possible, and every key.
                (CONDITIONAL, [check, _, yes, no, part @ ..]) => {
                    let outcome = Ty::union([yes.clone(), no.clone()]);
                    part.first().map_or(outcome.clone(), |part| replaced(&outcome, part, check))
                }
                (INDEXED, [base, key]) => {
                    let base = Self::bounded(rx, from, base, MAX_DEPTH);
                    Self::indexed(rx, from, &base, &Self::evaluated(rx, from, key)).unwrap_or(Ty::Unknown)
                }
                (MAPPED, [Ty::External(keys, of), ..]) if &**keys == KEYS => of[0].clone(),
                _ => return Vec::new(),
            };
        }
        if evaluated == *ty {
            return Vec::new();
        }
        let mut members: Vec<Member> =
            evaluated.parts().iter().flat_map(|part| EcmaPolicy.members(rx, from, part, name)).collect();
        if let Some(mapped) = mapped {
            // The members of what it maps, but of its own types.
            members.iter_mut().for_each(|member| member.owner = mapped.clone());
        }
        members
    }

    /// A type with the bound in place of a type parameter, also where its members are asked for.
    fn bounded(rx: &Resolver, file: &FileView, ty: &Ty, depth: u32) -> Ty {
        match ty {
            Ty::Param(param) if depth > 0 => {
                let home = rx.file(param.file);
                let bound = home.def(param.def).ty.map_or(Ty::Unknown, |ty| rx.type_of(home, ty));
                Self::bounded(rx, file, &bound, depth - 1)
            }
            Ty::External(name, args) if &**name == INDEXED && depth > 0 => {
                let base = Self::bounded(rx, file, &args[0], depth - 1);
                let key = Self::evaluated(rx, file, &args[1]);
                Self::indexed(rx, file, &base, &key).unwrap_or(Ty::Unknown)
            }
            other => Self::evaluated(rx, file, other),
        }
    }

    /// The type that a marker in an expected type gives to `this`.
    pub(super) fn marked_this(expected: &Ty) -> Option<Ty> {
        match expected {
            Ty::External(name, args) if &**name == THIS => args.first().cloned(),
            Ty::Intersection(parts) | Ty::Union(parts) => parts.iter().find_map(Self::marked_this),
            _ => None,
        }
    }

    /// The value type that every key of a mapped type has.
    pub(super) fn mapped_value(ty: &Ty) -> Option<Ty> {
        Self::mapped_at(ty, None)
    }

    /// Whether a type is mapped from a list of texts, this one among them (`Record<'a' | 'b', T>`), or makes its keys of
    /// those of another type.
    pub(super) fn lists_key(rx: &Resolver, ty: &Ty, key: &str) -> bool {
        let Ty::External(op, args) = ty else { return false };
        let is_it = |of: &Ty| matches!(of, Ty::Literal(text) if **text == *key);
        let makes_keys =
            |of: &Ty| matches!(of, Ty::Param(parameter) if rx.has_flag(*parameter, DefFlags::RENAMES_KEYS));
        &**op == MAPPED
            && (args.first().is_some_and(|keys| keys.parts().iter().any(is_it))
                || args.get(1).is_some_and(makes_keys))
    }

    /// The value type of a key of a mapped type, or of all keys.
    pub(super) fn mapped_at(ty: &Ty, key: Option<&str>) -> Option<Ty> {
        match ty {
            Ty::External(op, args) if &**op == MAPPED => match &args[..] {
                [keys, Ty::Param(parameter), value] => {
                    let key = key.map_or_else(|| keys.clone(), |key| Ty::Literal(key.into()));
                    Some(value.substitute(&[(*parameter, key)].into_iter().collect()))
                }
                [_, _, value] => Some(value.clone()),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The placeholder of a checked type parameter in the outcomes of a condition.
fn part_of(parameter: GlobalDef) -> Ty {
    Ty::external(format!("#part {} {}", parameter.file.0, parameter.def.0))
}

/// A type with another in place of one that occurs in it.
fn replaced(ty: &Ty, old: &Ty, new: &Ty) -> Ty {
    if ty == old {
        return new.clone();
    }
    let all = |types: &Types| -> Types { types.iter().map(|ty| replaced(ty, old, new)).collect() };
    let one = |ty: &Arc<Ty>| Arc::new(replaced(ty, old, new));
    match ty {
        Ty::Instance(def, args) => Ty::Instance(*def, all(args)),
        Ty::Class(def, args) => Ty::Class(*def, all(args)),
        Ty::External(name, args) => Ty::External(name.clone(), all(args)),
        Ty::Callable { params, result } => Ty::Callable { params: all(params), result: one(result) },
        Ty::Tuple(items) => Ty::Tuple(all(items)),
        Ty::Array(item) => Ty::Array(one(item)),
        Ty::Union(parts) => Ty::union(parts.iter().map(|ty| replaced(ty, old, new))),
        Ty::Intersection(parts) => Ty::Intersection(all(parts)),
        other => other.clone(),
    }
}

/// The type parameters that occur in a type.
pub(super) fn parameters(ty: &Ty, into: &mut Vec<GlobalDef>) {
    let mut all = |types: &[Ty]| types.iter().for_each(|ty| parameters(ty, into));
    match ty {
        Ty::Param(def) => into.push(*def),
        Ty::Instance(_, args) | Ty::Class(_, args) | Ty::External(_, args) => all(args),
        Ty::Tuple(types) | Ty::Union(types) | Ty::Intersection(types) => all(types),
        Ty::Array(item) | Ty::Pointer(item) => all(std::slice::from_ref(item)),
        Ty::Callable { params, result } => {
            all(params);
            all(std::slice::from_ref(result));
        }
        _ => {}
    }
}

/// For tables of types by member name.
pub(super) fn member_type(rx: &Resolver, member: &Member) -> Ty {
    let Some(def) = member.def() else { return Ty::Unknown };
    if let Some(mapped) = EcmaPolicy::mapped_at(&member.owner, Some(rx.def_name(def))) {
        return mapped;
    }
    match rx.def_type(def) {
        Ty::Function(def, None) if !member.owner.is_unknown() => {
            Ty::Function(def, Some(Arc::new(member.owner.clone())))
        }
        other => other.substitute(&rx.arguments_of(&member.owner)),
    }
}
