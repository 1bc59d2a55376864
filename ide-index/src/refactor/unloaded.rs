//! Files that a program finds by their place or that only some builds have: what moves must be found where it lies then.

use ide_model::{ConflictKind, FileChange, QueryError, Refactored};

use super::{RefactorContext, conflict};
use crate::facts::DefId;
use crate::lang::places;

/// Refuses plans that take a file with types to where nothing loads them any more, or to where other builds have it.
///
/// # Errors
/// The errors of reading files, and when the question is stopped.
pub(super) fn refuse(ctx: &RefactorContext<'_>, mut done: Refactored) -> Result<Refactored, QueryError> {
    let world = ctx.pool.world();
    for change in &done.plan.changes {
        ctx.cx.check()?;
        let FileChange::Move { from, to, .. } = change else { continue };
        let Some(file) = world.file_by_path(from.as_str()) else { continue };
        if !world.file(file).language.is_some_and(crate::lang::has_policy) {
            continue;
        }
        let text = (ctx.text)(file)?.text;
        if places::condition(from.as_str(), &text) != places::condition(to.as_str(), &text) {
            let message = format!("{to} is part of other builds than {from}");
            done.conflicts.push(conflict(ConflictKind::Form, message, None));
        }
        let why = ctx.pool.with(|rx| {
            let view = rx.file(file);
            let policy = rx.policy(view);
            let mut types = view.def_ids().filter(|def: &DefId| view.def(*def).kind.is_type());
            types.find_map(|def| {
                let def = view.global(def);
                let was_loaded = policy.not_loaded(rx, def, from).is_none();
                policy.not_loaded(rx, def, to).filter(|_| was_loaded)
            })
        });
        done.conflicts.extend(why.map(|why| conflict(ConflictKind::Form, why, None)));
    }
    Ok(done)
}
