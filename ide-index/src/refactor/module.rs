//! Another name or place for a file that is a module because its parent says so: the line that says it, every path
//! through it, and the files below it.

mod borders;
mod groups;
mod line;
mod moving;
mod path_attribute;
mod ways;
mod words;

use std::collections::BTreeSet;
use std::sync::Arc;

use ide_model::{
    Conflict, ConflictKind, FilePath, QueryError, Refactored, SourceKind, TextEdit, TextRange, paths,
};

#[cfg(feature = "tree-sitter")]
pub(super) use self::line::declare;
pub(super) use self::path_attribute::rename_declared;
use super::verify::{Effect, Verification};
use super::{RefactorContext, conflict, in_library, write_up};
use crate::resolve::Target;
use crate::world::{FileId, GlobalDef};

/// Plans that a file of a tree of modules gets another name, or another parent.
pub(super) fn move_file(
    ctx: &RefactorContext<'_>,
    file: FileId,
    path: &FilePath,
) -> Result<Refactored, QueryError> {
    if let Some(conflict) = in_library(ctx, file, ctx.path(file).as_str()) {
        return Ok(Refactored { conflicts: vec![conflict], ..Refactored::default() });
    }
    if let Some(moved) = path_attribute::move_target(ctx, file, path)? {
        return Ok(moved);
    }
    if path.directory() == ctx.path(file).directory() {
        return rename_file(ctx, file, path);
    }
    moving::move_module(ctx, file, path)
}

/// Plans that it gets another name in its directory.
fn rename_file(ctx: &RefactorContext<'_>, file: FileId, path: &FilePath) -> Result<Refactored, QueryError> {
    let from = ctx.path(file);
    let (old, new, folder) = (from.stem(), path.stem(), from.directory());
    let refused = |message: String, kind: ConflictKind| {
        let conflicts = vec![conflict(kind, message, None)];
        Ok(Refactored { conflicts, ..Refactored::default() })
    };
    let declared = ctx.pool.with(|rx| rx.policy(rx.file(file)).declarations_of_module(rx, file));
    let (has_name, problem) = ctx.pool.with(|rx| {
        let language = rx.file(file).language();
        let has_name = declared.iter().all(|def| *rx.shared_name(*def) == *old);
        (has_name, crate::lang::names::spelling_problem(language, new))
    });
    if let Some(problem) = problem {
        return refused(format!("the name `{new}` {problem}"), ConflictKind::InvalidName);
    }
    if declared.is_empty() || !has_name {
        let message = format!("no declaration of a module leads to {from} by its name");
        return refused(message, ConflictKind::Form);
    }
    let mut conflicts = conflicts(ctx, &declared, old, new);
    let mut effect = Effect::default();
    effect.moves.insert(file, path.clone());
    let below = |name: &str| paths::join(folder, &format!("{name}/"));
    let (below, new_below) = (below(old), below(new));
    for id in (0..ctx.pool.world().file_count()).map(FileId) {
        let entry = ctx.pool.world().file(id);
        if let Some(rest) = entry.path.as_str().strip_prefix(&below)
            && entry.source != SourceKind::Library
        {
            effect.moves.insert(id, FilePath::new(format!("{new_below}{rest}")));
        }
    }
    rename_uses(ctx, (&declared, &[file]), (old, new), &mut effect)?;
    let (plan, rewrites) = write_up(ctx, format!("move {from} to {path}"), &effect, &mut conflicts)?;
    let check = Verification::new(ctx, (ctx.scratch)(&rewrites)?, &effect);
    let names: BTreeSet<Arc<str>> = BTreeSet::from([old.into(), new.into()]);
    conflicts.extend(check.run(&names, &BTreeSet::from([file]), &[])?);
    Ok(Refactored { plan, conflicts, ..Refactored::default() })
}

/// Writes the new name of modules at their declarations and uses.
fn rename_uses(
    ctx: &RefactorContext<'_>,
    (declared, files): (&[GlobalDef], &[FileId]),
    (old, new): (&str, &str),
    effect: &mut Effect,
) -> Result<(), QueryError> {
    let mut places: BTreeSet<(FileId, TextRange)> = BTreeSet::new();
    ctx.pool.with(|rx| {
        places.extend(declared.iter().map(|def| (def.file, rx.def(*def).name_range)));
        for id in rx.world().files_mentioning(old) {
            ctx.cx.check()?;
            let view = rx.file(id);
            let Some(name) = view.name_id(old) else { continue };
            for reference in view.written_refs().filter(|r| view.reference(*r).name == name) {
                let resolved = rx.resolve(view.global_ref(reference));
                let is_it = |target: &Target| match target {
                    Target::Module(file) => files.contains(file),
                    Target::Def(def) => declared.contains(def),
                    _ => false,
                };
                if resolved.resolution.targets.iter().any(is_it) {
                    places.insert((id, view.reference(reference).range));
                }
            }
        }
        Ok::<_, QueryError>(())
    })?;
    for (id, range) in places {
        if ctx.pool.world().file(id).source != SourceKind::Library {
            effect.edits.entry(id).or_default().push(TextEdit::new(range, new));
        }
    }
    Ok(())
}

/// Conflicts of a new name of a module: others have it, or the old one may be used where nobody sees it.
fn conflicts(ctx: &RefactorContext<'_>, declared: &[GlobalDef], old: &str, new: &str) -> Vec<Conflict> {
    ctx.pool.with(|rx| {
        let unseen = |def: &GlobalDef| {
            let why = rx.policy_of(*def).has_unseen_uses(rx, *def)?;
            let at = Some(ctx.at(def.file, rx.def(*def).name_range));
            Some(conflict(ConflictKind::Unresolved, format!("`{old}` {why}"), at))
        };
        let rivals = |def: &GlobalDef| {
            let view = rx.file(def.file);
            let scope = view.def(def.def).scope;
            view.named_in_scope(scope, new).first().map(|rival| (def.file, view.def(*rival).name_range))
        };
        let message = format!("`{new}` is declared here already");
        let found = declared.iter().filter_map(rivals);
        found
            .map(|(file, at)| conflict(ConflictKind::Collision, message.clone(), Some(ctx.at(file, at))))
            .chain(declared.iter().filter_map(unseen))
            .collect()
    })
}
