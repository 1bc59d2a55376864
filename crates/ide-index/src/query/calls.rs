//! Who calls a function, and what it calls.

use std::sync::Arc;

use ide_model::{CallEdge, Confidence, Cx, FileFilter, QueryError, Symbol, TextRange};
use rustc_hash::FxHashSet;

use super::Resolvers;
use super::definition::definition_of;
use super::hierarchy::overridden;
use super::references::{sought_of, uses};
use super::symbol::{enclosing_defs, symbol};
use crate::facts::{RefFlags, Role};
use crate::resolve::{FileView, Resolver, Target};
use crate::world::{FileId, GlobalDef};

/// Callers of a function, those that go through an overridden declaration included, grouped by the nearest named
/// enclosing declaration; see `Snapshot::callers`.
pub fn callers(
    pool: &Resolvers,
    cx: Cx<'_>,
    of: &Symbol,
    filter: FileFilter<'_>,
) -> Result<Vec<CallEdge>, QueryError> {
    let (own, base) = pool.with(|rx| {
        let (_, def) = definition_of(rx, of)?;
        let def =
            def.ok_or_else(|| QueryError::NothingHere { what: format!("`{}` is not a function", of.name) })?;
        let base = all_overridden(rx, def);
        let own = sought_of(rx, cx, &[def])?;
        let base = if base.is_empty() { None } else { Some(sought_of(rx, cx, &base)?) };
        Ok::<_, QueryError>((own, base))
    })?;
    let (mut found, _) = uses(pool, cx, &own, filter)?;
    if let Some(base) = base {
        let (through_base, _) = uses(pool, cx, &base, filter)?;
        for mut call in through_base {
            // A call of the overridden declaration reaches this one only sometimes.
            call.confidence = call.confidence.max(Confidence::Inferred);
            if !found.iter().any(|u| u.file == call.file && u.reference == call.reference) {
                found.push(call);
            }
        }
        found.sort_by_key(|u| (u.file, u.reference));
    }
    pool.with(|rx| {
        let mut edges: Vec<(FileId, Option<GlobalDef>, CallEdge)> = Vec::new();
        for call in found {
            let file = rx.file(call.file);
            let r = file.reference(call.reference);
            if !is_call(r.role, r.flags) {
                continue;
            }
            let caller = enclosing_defs(&file, r.range.start).last().map(|def| file.global(*def));
            match edges.iter_mut().find(|(id, def, _)| *id == call.file && *def == caller) {
                Some((_, _, edge)) => {
                    edge.sites.push(r.range);
                    edge.confidence = edge.confidence.min(call.confidence);
                }
                None => edges.push((call.file, caller, edge(rx, &file, caller, r.range, call.confidence))),
            }
        }
        Ok(edges.into_iter().map(|(_, _, edge)| edge).collect())
    })
}

fn edge(
    rx: &Resolver,
    file: &FileView,
    caller: Option<GlobalDef>,
    site: TextRange,
    confidence: Confidence,
) -> CallEdge {
    let symbol = caller.map(|def| symbol(rx, def));
    let path = rx.world().file(file.id).path.clone();
    let name: Arc<str> = symbol.as_ref().map_or_else(|| path.file_name().into(), |s| s.name.clone());
    CallEdge { name, symbol, file: path, sites: vec![site], confidence }
}

fn is_call(role: Role, flags: RefFlags) -> bool {
    matches!(role, Role::Call | Role::New | Role::Macro | Role::Annotation) || flags.has(RefFlags::METHOD_REF)
}

/// Everything a method overrides, directly or not.
fn all_overridden(rx: &Resolver, method: GlobalDef) -> Vec<GlobalDef> {
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

/// What a function calls, in source order, each callee once with all its sites; see `Snapshot::callees`.
pub fn callees(pool: &Resolvers, cx: Cx<'_>, of: &Symbol) -> Result<Vec<CallEdge>, QueryError> {
    cx.check()?;
    pool.with(|rx| {
        let (_, def) = definition_of(rx, of)?;
        let def =
            def.ok_or_else(|| QueryError::NothingHere { what: format!("`{}` is not a function", of.name) })?;
        let file = rx.file(def.file);
        let range = file.def(def.def).range;
        let mut calls: Vec<_> = file
            .ref_ids()
            .filter(|r| {
                let r = file.reference(*r);
                range.encloses(r.range) && is_call(r.role, r.flags)
            })
            .collect();
        calls.sort_by_key(|r| file.reference(*r).range);
        let path = rx.world().file(def.file).path.clone();
        let mut edges: Vec<(Option<GlobalDef>, CallEdge)> = Vec::new();
        for call in calls {
            let resolved = rx.resolve(file.global_ref(call));
            let site = file.reference(call).range;
            let name: Arc<str> = file.ref_name(call).into();
            let targets: Vec<Option<GlobalDef>> = match resolved.resolution.defs().collect::<Vec<_>>() {
                defs if defs.is_empty() => vec![None],
                defs => defs.into_iter().map(Some).collect(),
            };
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
        Ok(edges.into_iter().map(|(_, edge)| edge).collect())
    })
}
