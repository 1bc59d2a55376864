//! A declaration goes to a file that does not exist yet, where a file is a module because its parent says so: first the
//! parent says it, then the declaration moves.

use std::sync::Arc;

use ide_model::{ContentHash, EditPlan, FileChange, FilePath, QueryError, Refactored, Visibility};

use super::overlay::Overlay;
use super::{refused, root_names, shift, together};
use crate::facts::DefId;
use crate::lang::places::new_module;
use crate::query::file_id;
use crate::refactor::{RefactorContext, module};
use crate::resolve::NewModule;
use crate::world::GlobalDef;

/// The visibilities of a module that only its own crate needs, narrowest first.
const WIDER: &[&str] = &["", "pub(crate)", "pub"];

/// Plans that a declaration is the first of a new module.
pub(super) fn to_new_module(
    ctx: &RefactorContext<'_>,
    def: GlobalDef,
    to: &FilePath,
    title: &str,
) -> Result<Refactored, QueryError> {
    let found = ctx.pool.with(|rx| {
        let policy = rx.policy_of(def);
        let new = new_module(rx, def.file, to)?;
        if let Some(problem) = crate::lang::names::spelling_problem(rx.language_of(def), &new.name) {
            return Err(format!("the name `{}` {problem}", new.name));
        }
        if policy.is_conditional(rx, new.parent) != policy.is_conditional(rx, def.file) {
            let world = rx.world();
            let (from, parent) = (&world.file(def.file).path, &world.file(new.parent).path);
            return Err(format!("one of {from} and {parent} is compiled under a condition only"));
        }
        Ok(new)
    });
    let new = match found {
        Ok(new) => new,
        Err(message) => return Ok(refused(message)),
    };
    let last = WIDER.len() - 1;
    let start = if new.is_declared || !new.is_final && is_offered(ctx, def)? { last } else { 0 };
    let mut told = Refactored::default();
    for seen in &WIDER[start..] {
        told = declared_as(ctx, def, to, (seen, &new), title)?;
        if told.conflicts.iter().all(|conflict| conflict.kind.is_doubt()) {
            break;
        }
    }
    Ok(told)
}

/// Whether code outside of the crate can name a declaration.
fn is_offered(ctx: &RefactorContext<'_>, def: GlobalDef) -> Result<bool, QueryError> {
    let mut at = def;
    loop {
        let (visibility, holder) = ctx.pool.with(|rx| {
            let holders = rx.policy_of(at).declarations_of_module(rx, at.file);
            (rx.def(at).visibility, holders.first().copied())
        });
        if visibility != Some(Visibility::Public) || ctx.seen_within(at)?.is_some() {
            return Ok(false);
        }
        match holder.filter(|holder| holder.file != at.file) {
            Some(holder) => at = holder,
            None => return Ok(true),
        }
    }
}

fn declared_as(
    ctx: &RefactorContext<'_>,
    def: GlobalDef,
    to: &FilePath,
    (seen, new): (&str, &NewModule),
    title: &str,
) -> Result<Refactored, QueryError> {
    let mut overlay = Overlay::new(ctx);
    let mut plan = EditPlan::new(title);
    let (mut name_at, kind) = ctx.pool.with(|rx| (rx.def(def).name_range.start, rx.def(def).kind));
    plan.changes.push(FileChange::Create { file: to.clone(), text: Arc::from("") });
    if !new.is_declared {
        let view = ctx.pool.with(|rx| rx.shared_file(def.file));
        let own: Vec<_> = together(ctx, def);
        let goes = |at: u32| own.iter().any(|def| view.def(def.def).range.contains(at));
        let used: Vec<_> = view.ref_ids().filter(|r| goes(view.reference(*r).range.start)).collect();
        let used = used.into_iter().map(|reference| (view.clone(), reference));
        let line = module::declare(ctx, new.parent, (seen, &new.name), used)?;
        if new.parent == def.file && line.range.start <= name_at {
            name_at += line.text.len() as u32;
        }
        let entry = ctx.pool.world().file(new.parent);
        let (file, before) = (entry.path.clone(), ContentHash(entry.content_hash));
        plan.changes.push(FileChange::Edit { file, before, edits: vec![line] });
    }
    overlay.take(&plan)?;
    let from = ctx.path(def.file);
    let step = overlay.with(|ctx| {
        let file = file_id(&**ctx.pool.world(), &from)?;
        let found = ctx.pool.with(|rx| {
            let view = rx.file(file);
            let is_it = |other: &DefId| {
                let d = view.def(*other);
                d.name_range.start == name_at && d.kind == kind
            };
            view.def_ids().find(is_it).map(|def| view.global(def))
        });
        let lost = || QueryError::Failed { message: format!("there is nothing to move in {from}") };
        shift::shift(ctx, &together(ctx, found.ok_or_else(lost)?), to, title)
    })?;
    if step.conflicts.iter().any(|conflict| !conflict.kind.is_doubt()) {
        return Ok(overlay.told(step.conflicts, title));
    }
    overlay.take(&step.plan)?;
    let landmarks = overlay.landmarks(to, &root_names(ctx, &[def]))?;
    let conflicts = overlay.told(step.conflicts, title).conflicts;
    Ok(Refactored { plan: overlay.plan(title)?, landmarks, conflicts, ..Refactored::default() })
}
