//! Texts that are keys: `keyof`, `Pick<T, 'key'>`, `T['key']`, `'key' in value`, and keys that a type demands: `Record<'key', T>`.

use std::collections::BTreeSet;

use ide_model::{SourceKind, SymbolKind};
use rustc_hash::FxHashSet;

use super::components::is_attribute;
use super::policy::EcmaPolicy;
use crate::facts::{
    BinaryOp, DefFlags, DefId, Expectation, Expr, ExprId, RefFlags, RefId, ScopeId, ScopeKind, TypeExpr,
    TypeId,
};
use crate::guard;
use crate::refactor::{SPIES, has_one_of, is_literal_key};
use crate::resolve::{FileView, Policy, Reason, Resolution, Resolver, Target, Ty};
use crate::world::{FileId, GlobalDef};

/// The meaning of the key of an object literal: the property of the expected type, else the one that it declares.
pub(super) fn meaning(rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
    let r = file.reference(reference);
    let own = file.in_scope(r.scope, r.name).iter().find(|d| file.def(**d).name_range == r.range);
    match own {
        Some(def) => EcmaPolicy.declared_as(rx, file.global(*def)),
        None if is_attribute(file, r) => Resolution::external(file.ref_name(reference)),
        None if r.flags.has(RefFlags::STATIC) => EcmaPolicy::element(rx, file, reference),
        None => Resolution::unknown(Reason::NotFound),
    }
}

/// Whether a text of the name of these members is one of their keys anywhere in a file.
pub(super) fn is_key(rx: &Resolver, file: &FileView, members: &[GlobalDef], name: &str) -> bool {
    let has = |ty: &Ty| has_one_of(rx, file, ty, members, name);
    let is_of = |ty: TypeId| has(&rx.type_of(file, ty));
    let is_value = |value: ExprId| has(&rx.expr_type(file, value));
    let is_text = |e: ExprId| matches!(file.expr(e), Expr::Text(text) if file.name(text) == name);
    let is_given = |e: ExprId| match file.expr(e) {
        Expr::Collection { items, .. } => file.list(items).any(is_text),
        _ => is_text(e),
    };
    let in_type = |ty: &TypeExpr| match *ty {
        TypeExpr::Named { args, .. } => {
            file.list(args).any(|arg| says(file, arg, name)) && file.list(args).any(is_of)
        }
        TypeExpr::Indexed { base, index } => says(file, index, name) && is_of(base),
        TypeExpr::KeyOf(of) => is_of(of),
        _ => false,
    };
    let in_value = |id: usize, expr: &Expr| match *expr {
        Expr::Binary { op: BinaryOp::In, left, right } => is_text(left) && is_value(right),
        Expr::Call { callee, args, .. } => {
            let at = file.list(args).position(is_given);
            let receiver = || match file.expr(callee) {
                Expr::Ref(reference) => file.reference(reference).receiver,
                _ => None,
            };
            // The keys of a parameter's type are those of an argument's or of the object's, or of what that was told.
            let is_told = |value: ExprId| {
                let ty = rx.expr_type(file, value);
                let line =
                    ty.parts().iter().flat_map(|part| rx.linearization(part).to_vec()).collect::<Vec<_>>();
                line.iter().chain(ty.parts()).any(|part| part.args().iter().any(has))
            };
            let is_spied = || {
                let word = rx.expr_ref(file, callee).map_or("", |name| file.ref_name(name));
                SPIES.split(' ').any(|spy| spy == word) && file.list(args).next().is_some_and(is_value)
            };
            at == Some(1) && is_spied()
                || at.is_some_and(|at| {
                    keys_taken(rx, file, ExprId(id as u32), at).iter().any(|of| match of {
                        Ty::Param(_) => {
                            file.list(args).any(is_value)
                                || receiver().is_some_and(|o| is_value(o) || is_told(o))
                        }
                        of => has(of),
                    })
                })
        }
        _ => false,
    };
    // `let key: Keys<T> = 'name'`, whatever the alias makes of the keys of its arguments.
    let in_declaration = |def: DefId| {
        let d = file.def(def);
        let (Some(ty), Some(value)) = (d.ty, d.init) else { return false };
        let TypeExpr::Named { args, .. } = file.ty(ty) else { return false };
        is_text(value) && file.list(args).any(is_of)
    };
    file.def_ids().any(in_declaration)
        || file.types.iter().any(in_type)
        || file.exprs.iter().enumerate().any(|(id, expr)| in_value(id, expr))
}

/// Whether an object literal is expected to have exactly the keys of a list of texts, this one among them:
/// `{ a: 1 } satisfies Record<'a' | 'b', number>`.
pub(super) fn is_demanded(rx: &Resolver, key: GlobalDef) -> bool {
    let file = rx.file(key.file);
    // The content of an element has no name in the text.
    if file.def(key.def).name_range.is_empty() {
        return false;
    }
    let owner = file.scope(file.def(key.def).scope).owner.filter(|_| is_literal_key(file, key.def));
    let literal = owner.and_then(|owner| Some((owner, file.function_expr(owner)?)));
    literal.is_some_and(|(owner, object)| {
        let expected = EcmaPolicy::expected_parts(rx, file, object, owner);
        expected.iter().any(|part| EcmaPolicy::lists_key(rx, part, file.def_name(key.def)))
    })
}

pub(super) fn may_stand_for(rx: &Resolver, key: GlobalDef, members: &[GlobalDef]) -> bool {
    let file = rx.file(key.file);
    let owner = file.scope(file.def(key.def).scope).owner.filter(|_| is_literal_key(file, key.def));
    let Some((object, body)) = owner.and_then(|o| file.function_expr(o).zip(file.def(o).body)) else {
        return false;
    };
    let keys = file.all_in_scope(body);
    let has_all_keys = |owner: GlobalDef| {
        let ty = rx.self_type(owner);
        keys.iter().all(|k| !EcmaPolicy.members(rx, file, &ty, file.def_name(*k)).is_empty())
    };
    let mut owners: Vec<GlobalDef> = members
        .iter()
        .filter(|member| !is_literal_key(rx.file(member.file), member.def))
        .filter_map(|member| rx.member_owner(*member))
        .collect();
    owners.dedup();
    !owners.is_empty() && is_taken_by_unknown(rx, file, object) && owners.into_iter().any(has_all_keys)
}

/// Why a key may be named by more than its references.
pub(super) fn unseen_uses(rx: &Resolver, def: GlobalDef) -> Option<&'static str> {
    if is_demanded(rx, def) {
        return Some("is one of the keys that its type lists");
    }
    if makes_jsx(rx, def) {
        return Some("is what elements of JSX are made by, which do not write its name");
    }
    is_made_other_key(rx, def).then_some("is a key of which a mapped type makes another one")
}

/// Whether the compiler makes elements of JSX by a declaration without its being named: their factory, and what describes them.
fn makes_jsx(rx: &Resolver, def: GlobalDef) -> bool {
    let (home, name) = (rx.file(def.file), rx.def_name(def));
    let scope = home.def(def.def).scope;
    let describes = |of: DefId| home.def(of).kind == SymbolKind::Namespace && home.def_name(of) == "JSX";
    let is_type = matches!(rx.kind(def), SymbolKind::Interface | SymbolKind::TypeAlias);
    if describes(def.def) || is_type && home.scope(scope).owner.is_some_and(describes) {
        return true;
    }
    if scope != ScopeId(0) {
        return false;
    }
    rx.world().files_mentioning(name).into_iter().map(|file| rx.file(file)).any(|file| {
        let is_it = |at: &DefId| {
            file.global(*at) == def
                || rx.through_imports(Resolution::def(file.global(*at))).defs().any(|of| of == def)
        };
        super::paths::makes_elements(rx, file, name)
            && file.def_ids().any(|at| super::jsx::is_attribute(file, at))
            && file.named_in_scope(ScopeId(0), name).iter().any(is_it)
    })
}

/// The meaning of a declaration: of a key, the property of the type that is expected.
pub(super) fn declared(rx: &Resolver, def: GlobalDef) -> Resolution {
    let found = EcmaPolicy::declared_member(rx, def);
    let is_own = found.targets[..] == [Target::Def(def)];
    if is_own && super::jsx::is_attribute(rx.file(def.file), def.def) {
        return Resolution::unknown(Reason::UnknownReceiver);
    }
    found
}

/// Whether a type of the project makes another key of the name of a member: `[K in keyof T as `get${K}`]`.
pub(super) fn is_made_other_key(rx: &Resolver, member: GlobalDef) -> bool {
    let home = rx.file(member.file);
    let is_member = home.scope(home.def(member.def).scope).kind == ScopeKind::Class;
    let Some(owner) = home.scope(home.def(member.def).scope).owner.filter(|_| is_member) else {
        return false;
    };
    let world = rx.world();
    let owner_name = home.def_name(owner);
    let is_own = |file: &FileId| world.file(*file).source != SourceKind::Library;
    // A type without a name is one of the file, or has the name of an alias there.
    let mut files: BTreeSet<FileId> = BTreeSet::from([member.file]);
    let aliases = home.def_ids().filter(|d| home.def(*d).kind == SymbolKind::TypeAlias);
    let around = aliases.filter(|d| home.def(*d).range.encloses(home.def(member.def).name_range));
    for name in around.map(|d| home.def_name(d)).chain([owner_name]).filter(|name| !name.is_empty()) {
        files.extend(world.files_mentioning(name).into_iter().filter(is_own));
    }
    let name = home.def_name(member.def);
    let mut seen = FxHashSet::default();
    files.into_iter().map(|file| rx.file(file)).any(|file| {
        file.types.iter().any(|ty| match *ty {
            TypeExpr::Named { name: alias, args } if file.list(args).next().is_some() => {
                let has = |arg: TypeId| has_one_of(rx, file, &rx.type_of(file, arg), &[member], name);
                file.list(args).any(has) && renames_keys(rx, file, alias, &mut seen)
            }
            TypeExpr::Mapped { parameter, .. } if file.has_flag(parameter, DefFlags::RENAMES_KEYS) => {
                match file.def(parameter).ty.map(|keys| file.ty(keys)) {
                    Some(TypeExpr::KeyOf(of)) => has_one_of(rx, file, &rx.type_of(file, of), &[member], name),
                    _ => false,
                }
            }
            _ => false,
        })
    })
}

/// Whether an alias stands for a mapped type that gives keys other names, or for one that leads to such. `seen` holds the aliases
/// that were looked at.
fn renames_keys(rx: &Resolver, file: &FileView, alias: RefId, seen: &mut FxHashSet<GlobalDef>) -> bool {
    let aliases = |file: &FileView, name: RefId| {
        let found = rx.resolve(file.global_ref(name)).resolution;
        found.defs().filter(|def| rx.kind(*def) == SymbolKind::TypeAlias).collect::<Vec<_>>()
    };
    let mut waiting = aliases(file, alias);
    while let Some(def) = waiting.pop() {
        if !seen.insert(def) {
            continue;
        }
        let home = rx.file(def.file);
        let range = home.def(def.def).range;
        let renames =
            |d: DefId| home.has_flag(d, DefFlags::RENAMES_KEYS) && range.encloses(home.def(d).name_range);
        if home.def_ids().any(renames) {
            return true;
        }
        for ty in home.types.iter() {
            if let TypeExpr::Named { name, args } = *ty
                && home.list(args).next().is_some()
                && range.encloses(home.reference(name).range)
            {
                waiting.extend(aliases(home, name));
            }
        }
    }
    false
}

/// Levels of literals in literals that are followed.
const MAX_LITERALS: usize = 32;

/// Whether a literal is an argument of something whose parameters are not known, or a part of such a literal.
fn is_taken_by_unknown(rx: &Resolver, file: &FileView, literal: ExprId) -> bool {
    // A parameter that is taken apart says the names of its parts, and not what they are.
    let is_open =
        |part: &Ty| matches!(part, Ty::Unknown | Ty::Nothing | Ty::External(..) | Ty::ExternalName(_));
    if !EcmaPolicy::expected_of(rx, file, literal).parts().iter().all(is_open) {
        return false;
    }
    let mut at = literal;
    for _ in 0..MAX_LITERALS {
        at = match file.expectation(at) {
            Some(Expectation::Argument { .. }) => return true,
            Some(Expectation::Assigned(item)) => match file.expr(item) {
                Expr::Element(array) if matches!(file.expr(array), Expr::Collection { .. }) => array,
                _ => return false,
            },
            Some(Expectation::Init(def)) if is_literal_key(file, def) && file.def(def).ty.is_none() => {
                let outer = file.scope(file.def(def).scope).owner.and_then(|outer| file.function_expr(outer));
                let Some(outer) = outer else { return false };
                outer
            }
            Some(Expectation::Return(function)) if file.def(function).ty.is_none() => {
                let Some(function) = file.function_expr(function) else { return false };
                function
            }
            _ => return false,
        };
    }
    true
}

/// Whether a written type is a literal of this text, or one of several.
fn says(file: &FileView, ty: TypeId, name: &str) -> bool {
    match file.ty(ty) {
        TypeExpr::Literal(text) => file.name(text) == name,
        TypeExpr::Union(parts) => file.list(parts).any(|part| says(file, part, name)),
        _ => false,
    }
}

/// The types of which a call takes a key in the place of an argument.
fn keys_taken(rx: &Resolver, file: &FileView, call: ExprId, index: usize) -> Vec<Ty> {
    let callee = rx.callee_of(file, call).unwrap_or(Ty::Unknown);
    let mut found = Vec::new();
    for def in callee.parts().iter().filter_map(Ty::def) {
        if let Some(parameter) = rx.parameter_at(def, index) {
            let home = rx.file(parameter.file);
            home.def(parameter.def).ty.iter().for_each(|ty| keyed(rx, home, *ty, &mut found));
        }
    }
    found
}

/// The types whose keys a written type consists of.
fn keyed(rx: &Resolver, file: &FileView, ty: TypeId, found: &mut Vec<Ty>) {
    match file.ty(ty) {
        TypeExpr::KeyOf(of) => found.extend(rx.type_of(file, of).parts().iter().cloned()),
        TypeExpr::Union(parts) | TypeExpr::Intersection(parts) => {
            file.list(parts).for_each(|part| keyed(rx, file, part, found));
        }
        TypeExpr::Array(item) => keyed(rx, file, item, found),
        TypeExpr::Named { .. } => {
            if let Ty::Param(param) = rx.type_of(file, ty) {
                let home = rx.file(param.file);
                // A parameter may be bounded by itself.
                let bound = home.def(param.def).ty.filter(|bound| *bound != ty);
                let _ = guard::deeper(|| bound.iter().for_each(|bound| keyed(rx, home, *bound, found)));
            }
        }
        _ => {}
    }
}
