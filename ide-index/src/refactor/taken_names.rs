//! Names that the language itself has given away, in languages in which nothing else may have them.

use ide_model::{ConflictKind, FilePath, QueryError, Refactored};

use super::heirs::before_and_after;
use super::{RefactorContext, conflict};
use crate::facts::FileFacts;
use crate::lang;

/// Refuses plans that give something such a name.
///
/// # Errors
/// The errors of reading files.
pub(super) fn refuse(ctx: &RefactorContext<'_>, mut done: Refactored) -> Result<Refactored, QueryError> {
    let view = |_: &FilePath, facts: &FileFacts| ctx.pool.with(|rx| lang::taken_names(rx, facts));
    for change in &done.plan.changes {
        let [old, new] = before_and_after(ctx, change, lang::has_taken_names, &view)?;
        done.conflicts.extend(new.iter().filter(|name| !old.contains(name)).map(|name| {
            let message = format!("the language itself declares `{name}`");
            conflict(ConflictKind::Collision, message, None)
        }));
    }
    Ok(done)
}
