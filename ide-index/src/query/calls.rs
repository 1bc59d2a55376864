//! The callers and callees of a function.

use std::collections::BTreeSet;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use ide_model::{
    CallEdge, Confidence, Cx, FileFilter, QueryError, SourceKind, Symbol, SymbolKind, TextRange,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::definition::definition_of;
use super::hierarchy::{
    ancestors, descendants, direct_subtypes, implemented_by_heirs, overridden, with_ancestors,
};
use super::references::{sought_of, uses};
use super::symbol::{enclosing_defs, symbol};
use super::{Resolvers, file_meta};
use crate::facts::{DefFlags, Expr, RefFlags, RefId, Role, ScopeKind};
use crate::resolve::{FileView, Member, Resolver, Target, Ty};
use crate::world::{FileId, GlobalDef};

/// Callers of a function, those that go through an overridden declaration included, grouped by the nearest named
/// enclosing declaration; see `Snapshot::callers`.
pub fn callers(
    pool: &Resolvers,
    cx: Cx<'_>,
    of: &Symbol,
    filter: FileFilter<'_>,
) -> Result<Vec<CallEdge>, QueryError> {
    let (own, base, unnamed) = pool.with(|rx| {
        let (_, def) = definition_of(rx, of)?;
        let def =
            def.ok_or_else(|| QueryError::NothingHere { what: format!("`{}` is not a function", of.name) })?;
        if rx.policy_of(def).runs_when_made(rx, def) {
            let made = made_by(rx, cx, def)?;
            return Ok((sought_of(rx, cx, &made)?, None, Vec::new()));
        }
        let unnamed = unnamed_callers(rx, cx, def)?;
        let mut base = all_overridden(rx, def);
        base.extend(implemented_by_heirs(rx, cx, def)?);
        let own = sought_of(rx, cx, &[def])?;
        let base =
            if base.is_empty() { None } else { Some((sought_of(rx, cx, &base)?, reach(rx, cx, def)?)) };
        Ok::<_, QueryError>((own, base, unnamed))
    })?;
    let (mut found, _) = uses(pool, cx, &own, filter)?;
    if let Some((base, reach)) = base {
        let known: FxHashSet<_> = found.iter().map(|u| (u.file, u.reference)).collect();
        let mut apart = Apart::default();
        let (mut through_base, _) = uses(pool, cx, &base, filter)?;
        through_base.retain(|u| !known.contains(&(u.file, u.reference)));
        pool.with(|rx| {
            through_base.retain_mut(|u| {
                match may_reach(rx, (rx.file(u.file), u.reference), &reach, &mut apart) {
                    Some(least) => {
                        u.confidence = u.confidence.max(least);
                        true
                    }
                    None => false,
                }
            });
        });
        found.append(&mut through_base);
        found.sort_by_key(|u| (u.file, u.reference));
    }
    pool.with(|rx| {
        let mut edges: Vec<CallEdge> = Vec::new();
        let mut places: FxHashMap<(FileId, Option<GlobalDef>), usize> = FxHashMap::default();
        let mut with_types = None;
        for call in found {
            let file = rx.file(call.file);
            let r = file.reference(call.reference);
            if with_types.as_ref().is_none_or(|(of, _)| *of != call.file) {
                with_types = Some((call.file, called_with_types(file)));
            }
            if !with_types.as_ref().is_some_and(|(_, named)| is_call(file, call.reference, named)) {
                continue;
            }
            let caller = enclosing_defs(file, r.range.start).last().map(|def| file.global(*def));
            match places.entry((call.file, caller)) {
                Entry::Occupied(place) => {
                    let edge = &mut edges[*place.get()];
                    edge.sites.push(r.range);
                    edge.confidence = edge.confidence.min(call.confidence);
                }
                Entry::Vacant(place) => {
                    place.insert(edges.len());
                    edges.push(edge(rx, file, caller, vec![r.range], call.confidence));
                }
            }
        }
        for caller in unnamed.into_iter().filter(|caller| !places.contains_key(&(caller.file, Some(*caller))))
        {
            let file = rx.file(caller.file);
            if filter(&file_meta(rx.world().file(caller.file))) {
                edges.push(edge(rx, file, Some(caller), Vec::new(), Confidence::Exact));
            }
        }
        let place = |edge: &CallEdge| {
            let first = edge.sites.first().copied();
            first.or_else(|| edge.symbol.as_ref().map(|symbol| symbol.name_range)).map(|range| range.start)
        };
        edges.sort_by(|a, b| (&a.file, place(a)).cmp(&(&b.file, place(b))));
        Ok(edges)
    })
}

/// The functions that call a constructor, or one of a class, without a name.
fn unnamed_callers(rx: &Resolver, cx: Cx<'_>, of: GlobalDef) -> Result<Vec<GlobalDef>, QueryError> {
    let kind = rx.def(of).kind;
    let class =
        if kind == SymbolKind::Constructor { rx.owner_class(of) } else { kind.is_type().then_some(of) };
    let Some(class) = class else { return Ok(Vec::new()) };
    let heirs = direct_subtypes(rx, cx, class)?.into_iter().map(|(heir, _)| heir);
    let mut found = Vec::new();
    for class in std::iter::once(class).chain(heirs) {
        let calls = rx.policy_of(class).unnamed_calls(rx, class).into_iter();
        let meant = |callee: GlobalDef| callee == of || kind.is_type() && rx.owner_class(callee) == Some(of);
        found.extend(calls.filter(|(_, callee)| meant(*callee)).map(|(caller, _)| caller));
    }
    Ok(found)
}

/// A method that runs when an object is made, and the classes by whose calls it does.
fn made_by(rx: &Resolver, cx: Cx<'_>, method: GlobalDef) -> Result<Vec<GlobalDef>, QueryError> {
    let Some(owner) = rx.member_owner(method) else { return Ok(vec![method]) };
    let name = rx.shared_name(method);
    let heirs = descendants(rx, cx, owner)?.into_iter().map(|(heir, _)| heir);
    let runs = |class: &GlobalDef| {
        rx.inherited_members(&Ty::instance(*class), &name).first().and_then(Member::def) == Some(method)
    };
    Ok([method, owner].into_iter().chain(heirs.filter(runs)).collect())
}

/// The types of which the object may be that a method is called for: its class, what is above and below that, and what is
/// above those below; then those below alone.
pub(crate) fn reach(rx: &Resolver, cx: Cx<'_>, method: GlobalDef) -> Result<Reach, QueryError> {
    let mut below = BTreeSet::new();
    let Some(owner) = rx.member_owner(method) else { return Ok(Reach::default()) };
    below.insert(owner);
    below.extend(descendants(rx, cx, owner)?.into_iter().map(|(heir, _)| heir));
    Ok((with_ancestors(rx, &below), below))
}

/// See [`reach`].
pub(crate) type Reach = (FxHashSet<GlobalDef>, BTreeSet<GlobalDef>);

/// Whether types have one of the owners of a method above them: many calls are for values of one type.
#[derive(Default)]
struct Apart(FxHashMap<(GlobalDef, Vec<GlobalDef>), bool>);

impl Apart {
    fn has_any(&mut self, rx: &Resolver, class: GlobalDef, owners: &[GlobalDef]) -> bool {
        owners.contains(&class)
            || *self
                .0
                .entry((class, owners.to_vec()))
                .or_insert_with(|| ancestors(rx, class).iter().any(|above| owners.contains(above)))
    }
}

/// Whether a call of an overridden method may get to the one that overrides it, by what it is called for, and how likely: what
/// is only known to be of a library's type hardly ever is the object.
fn may_reach(
    rx: &Resolver,
    (file, call): (&FileView, RefId),
    (reach, below): &Reach,
    apart: &mut Apart,
) -> Option<Confidence> {
    let r = file.reference(call);
    let targets: Vec<GlobalDef> = rx.resolve(file.global_ref(call)).resolution.defs().collect();
    let is_library = |def: &GlobalDef| rx.world().file(def.file).source == SourceKind::Library;
    let far = if targets.iter().all(is_library) { Confidence::Ambiguous } else { Confidence::Inferred };
    let owners: Vec<GlobalDef> = targets.iter().filter_map(|def| rx.member_owner(*def)).collect();
    // A class that has the method otherwise than by its supertypes, as a pointer has, proves nothing.
    let mut has_it = |class: &GlobalDef| apart.has_any(rx, *class, &owners);
    let Some(receiver) = r.receiver else {
        let scopes = file.scope_chain(r.scope).filter(|id| file.scope(*id).kind == ScopeKind::Class);
        let classes = scopes.filter_map(|id| file.scope(id).owner.map(|def| file.global(def)));
        let mut classes = classes.filter(|class| has_it(class));
        let is_apart = classes.next().is_some_and(|class| !reach.contains(&class));
        return (!is_apart).then_some(Confidence::Inferred);
    };
    match file.expr(receiver) {
        Expr::Super(_) => return None,
        Expr::Cast { value, .. } if matches!(file.expr(value), Expr::Super(_)) => return None,
        // The class by its name has the method that it has.
        Expr::Ref(name) => {
            let named = rx.resolve(file.global_ref(name)).resolution;
            let is_above = |def: GlobalDef| rx.def(def).kind == SymbolKind::Class && !below.contains(&def);
            if named.defs().any(is_above) {
                return None;
            }
        }
        _ => {}
    }
    let ty = rx.expr_type(file, receiver);
    let parts = ty.parts().iter().map(|part| {
        let mut part = part;
        while let Ty::Pointer(to) = part {
            part = to;
        }
        match part {
            Ty::Instance(def, _) | Ty::Class(def, _) if reach.contains(def) => {
                Some(if is_library(def) { far } else { Confidence::Inferred })
            }
            Ty::Instance(def, _) | Ty::Class(def, _) if has_it(def) => None,
            _ => Some(far),
        }
    });
    parts.flatten().min()
}

pub(crate) fn edge(
    rx: &Resolver,
    file: &FileView,
    caller: Option<GlobalDef>,
    sites: Vec<TextRange>,
    confidence: Confidence,
) -> CallEdge {
    let symbol = caller.map(|def| symbol(rx, def));
    let path = rx.world().file(file.id).path.clone();
    let name: Arc<str> = symbol.as_ref().map_or_else(|| path.file_name().into(), |s| s.name.clone());
    CallEdge { name, symbol, file: path, sites, confidence }
}

/// Whether a use of a function calls it, or passes it on to be called.
fn is_call(file: &FileView, reference: RefId, with_types: &FxHashSet<RefId>) -> bool {
    let r = file.reference(reference);
    !r.flags.has(RefFlags::IN_DOC)
        && (matches!(r.role, Role::Call | Role::New | Role::Macro | Role::Annotation)
            || r.flags.has(RefFlags::METHOD_REF)
            || r.role == Role::Read && with_types.contains(&reference))
}

/// The names that brackets and a call stand behind: `f[T](x)`.
fn called_with_types(file: &FileView) -> FxHashSet<RefId> {
    let called = |expr: &Expr| {
        let Expr::Call { callee, .. } = *expr else { return None };
        let mut base = callee;
        while let Expr::Index { base: inner, .. } = file.expr(base) {
            base = inner;
        }
        match file.expr(base) {
            Expr::Ref(name) if base != callee => Some(name),
            _ => None,
        }
    };
    file.exprs.iter().filter_map(called).collect()
}

/// A variable of a function, or a parameter, that is not just a name for a function written there.
fn is_local_value(rx: &Resolver, def: GlobalDef) -> bool {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    let is_function = d.init.is_some_and(|init| matches!(file.expr(init), Expr::Function(_)));
    matches!(d.kind, SymbolKind::Variable | SymbolKind::Parameter)
        && d.flags.has(DefFlags::LOCAL)
        && !is_function
}

/// Everything a method overrides, directly or not.
pub(crate) fn all_overridden(rx: &Resolver, method: GlobalDef) -> Vec<GlobalDef> {
    let mut all: Vec<GlobalDef> = Vec::new();
    let mut seen = FxHashSet::from_iter([method]);
    let mut todo = vec![method];
    while let Some(next) = todo.pop() {
        for base in overridden(rx, next) {
            if seen.insert(base) {
                all.push(base);
                todo.push(base);
            }
        }
    }
    all
}

/// The callees of a function, in source order, each callee once with all its sites; see `Snapshot::callees`.
pub fn callees(pool: &Resolvers, cx: Cx<'_>, of: &Symbol) -> Result<Vec<CallEdge>, QueryError> {
    cx.check()?;
    pool.with(|rx| {
        let (_, def) = definition_of(rx, of)?;
        let def =
            def.ok_or_else(|| QueryError::NothingHere { what: format!("`{}` is not a function", of.name) })?;
        let file = rx.file(def.file);
        let policy = rx.policy(file);
        let d = file.def(def.def);
        let with_types = called_with_types(file);
        let mut calls: Vec<_> = file
            .ref_ids()
            .filter(|id| {
                let r = file.reference(*id);
                // Code before the name is run by the surrounding declaration.
                d.range.encloses(r.range)
                    && r.range.start >= d.name_range.end
                    && (r.role != Role::Annotation || policy.annotations_run())
                    && is_call(file, *id, &with_types)
            })
            .collect();
        calls.sort_by_key(|r| file.reference(*r).range);
        let path = rx.world().file(def.file).path.clone();
        let mut edges: Vec<(Option<GlobalDef>, CallEdge)> = Vec::new();
        for call in calls {
            let resolved = rx.resolve(file.global_ref(call));
            let site = file.reference(call).range;
            let name: Arc<str> = file.ref_name(call).into();
            let defs: Vec<GlobalDef> = resolved.resolution.defs().collect();
            let mut targets: Vec<Option<GlobalDef>> = match defs.is_empty() {
                true => vec![None],
                false => defs.into_iter().map(Some).collect(),
            };
            let is_new = file.reference(call).role == Role::New;
            targets.retain(|def| {
                def.map(|def| rx.def(def).kind).is_none_or(|kind| {
                    // An object literal of Java makes no interface.
                    let is_type = kind.is_type() || kind == SymbolKind::TypeParameter;
                    !is_type || policy.calls_types() && !(is_new && kind == SymbolKind::Interface)
                })
            });
            // Which function a variable holds is not known.
            for target in &mut targets {
                *target = target.filter(|def| !is_local_value(rx, *def));
            }
            let external = resolved.resolution.targets.iter().find_map(|t| match t {
                Target::External(name) => Some(name.clone()),
                _ => None,
            });
            for target in targets {
                let name = external.clone().unwrap_or_else(|| name.clone());
                let known = edges.iter_mut().find(|(d, e)| *d == target && (d.is_some() || e.name == name));
                match known {
                    Some((_, edge)) => edge.sites.push(site),
                    None => edges.push((
                        target,
                        CallEdge {
                            name,
                            symbol: target.map(|def| symbol(rx, def)),
                            file: path.clone(),
                            sites: vec![site],
                            confidence: resolved.resolution.confidence,
                        },
                    )),
                }
            }
        }
        let class = rx.owner_class(def);
        let unnamed = class.map_or_else(Vec::new, |class| rx.policy_of(class).unnamed_calls(rx, class));
        for (_, callee) in unnamed.into_iter().filter(|(caller, _)| *caller == def) {
            let symbol = symbol(rx, callee);
            let (name, symbol, file) = (symbol.name.clone(), Some(symbol), path.clone());
            edges.push((
                Some(callee),
                CallEdge { name, symbol, file, sites: Vec::new(), confidence: Confidence::Exact },
            ));
        }
        Ok(edges.into_iter().map(|(_, edge)| edge).collect())
    })
}
