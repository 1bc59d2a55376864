//! One more import, for a name that is about to be written.

use std::collections::BTreeSet;

use ide_model::{
    ConflictKind, ContentHash, EditPlan, FilePath, Importable, QueryError, Refactored, SymbolKind, TextEdit,
    TextRange, edited, moved_offset,
};

use super::imports::joined;
use super::{ImportChange, RefactorContext, Rewrite, conflict, import_edits};
use crate::facts::{RefId, Role};
use crate::query::{Resolvers, file_id};
use crate::resolve::{FileView, Resolver, Target};
use crate::world::FileId;

/// Endings with which the place is read, until one makes a use of what is imported: the statement may lack its end.
const TAILS: [&str; 5] = ["", ";", "()", ": 0", " x;"];

/// Plans the import of a declaration; see [`ide_model::Refactoring::Import`].
///
/// # Errors
/// [`QueryError::NoFile`].
pub(super) fn import_name(
    ctx: &RefactorContext<'_>,
    path: &FilePath,
    place: TextRange,
    what: &Importable,
) -> Result<Refactored, QueryError> {
    let id = file_id(&**ctx.pool.world(), path)?;
    if let Some(edit) = joined(ctx, id, &what.statement)? {
        let planned = planned(ctx, (id, path), (place, what), vec![edit])?;
        if planned.conflicts.is_empty() {
            return Ok(planned);
        }
    }
    let change = ImportChange { drop: BTreeSet::new(), add: BTreeSet::from([what.statement.to_string()]) };
    planned(ctx, (id, path), (place, what), import_edits(ctx, id, &change)?)
}

/// The plan of these edits, proved.
fn planned(
    ctx: &RefactorContext<'_>,
    (id, path): (FileId, &FilePath),
    (place, what): (TextRange, &Importable),
    edits: Vec<TextEdit>,
) -> Result<Refactored, QueryError> {
    let text = (ctx.text)(id)?.text;
    let refused = |kind, message: String| {
        let at = Some(ctx.at(id, place));
        Ok(Refactored { conflicts: vec![conflict(kind, message, at)], ..Refactored::default() })
    };
    let is_apart = |edit: &TextEdit| edit.range.end <= place.start || edit.range.start >= place.end;
    if edits.is_empty() || !edits.iter().all(is_apart) {
        return refused(ConflictKind::Form, format!("there is no place for `{}`", what.statement));
    }
    let Some(reached) = written(ctx, (path, &text), &edits, (place, what))? else {
        return refused(ConflictKind::Meaning, format!("`{}` would not mean what is imported", what.written));
    };
    let bound = what.written.split(['.', ':', '\\']).next().unwrap_or(&what.name);
    let before = ctx.pool.with(|rx| meanings(rx, rx.file(id), bound, place.start));
    let (pool, after_id, own) = reached;
    let after = pool.with(|rx| meanings(rx, rx.file(after_id), bound, own));
    // A name that meant nothing may mean what is imported; any other must mean what it meant.
    if before.len() != after.len()
        || before.iter().zip(&after).any(|(old, new)| !old.is_empty() && old != new)
    {
        return refused(ConflictKind::Meaning, format!("`{bound}` means something else in {path} already"));
    }
    let problems = |pool: &Resolvers, id| pool.with(|rx| rx.policy(rx.file(id)).import_problems(rx, id));
    let had = problems(ctx.pool, id);
    if let Some(why) = problems(&pool, after_id).into_iter().find(|why| !had.contains(why)) {
        return refused(ConflictKind::Form, why);
    }
    let hash = ContentHash(ctx.pool.world().file(id).content_hash);
    let mut plan = EditPlan::new(format!("add `{}`", what.statement));
    let done = plan.edit(path, hash, edits).and_then(|()| plan.tidy());
    done.map_err(|error| QueryError::Failed { message: error.message })?;
    Ok(Refactored { plan, ..Refactored::default() })
}

/// The world in which the import and the name are written, when the name means there what is imported; with the start of what
/// is written.
fn written(
    ctx: &RefactorContext<'_>,
    (path, text): (&FilePath, &str),
    edits: &[TextEdit],
    (place, what): (TextRange, &Importable),
) -> Result<Option<(Resolvers, FileId, u32)>, QueryError> {
    let begin = moved_offset(edits, place.start);
    let start = begin + (what.written.len() - what.name.len()) as u32;
    let wanted = what.symbol.as_ref().map(|symbol| (symbol.file.clone(), symbol.name_range));
    for tail in TAILS {
        let mut all = edits.to_vec();
        all.push(TextEdit::new(place, format!("{}{tail}", what.written)));
        all.sort_by_key(|edit| (edit.range.start, edit.range.end));
        let Some(becomes) = edited(text, &all) else { return Ok(None) };
        let pool =
            (ctx.scratch)(&[Rewrite { path: path.clone(), becomes: Some((path.clone(), becomes.into())) }])?;
        let id = file_id(&**pool.world(), path)?;
        let is_meant = pool.with(|rx| {
            let view = rx.file(id);
            let own = view.written_refs().find(|r| {
                view.reference(*r).range.start == start && view.reference(*r).role != Role::Import
            })?;
            Some(rx.resolve(view.global_ref(own)).resolution.targets.iter().any(|target| {
                match (target, &wanted) {
                    (Target::Def(def), Some((file, range))) => {
                        rx.world().file(def.file).path == *file && rx.def(*def).name_range == *range
                    }
                    (Target::Package(_) | Target::Module(_), None) => true,
                    // The import itself is the package.
                    (Target::Def(def), None) => rx.kind(*def) == SymbolKind::Import && def.file == id,
                    _ => false,
                }
            }))
        });
        // `name` and `name()` may mean things of different kinds.
        if is_meant == Some(true) {
            return Ok(Some((pool, id, begin)));
        }
    }
    Ok(None)
}

/// The meanings of the uses of a name in a file in order, but that at one place.
fn meanings(rx: &Resolver, view: &FileView, name: &str, but: u32) -> Vec<Vec<String>> {
    let is_use = |r: &RefId| {
        let reference = view.reference(*r);
        let at = reference.range.start;
        view.ref_name(*r) == name
            && reference.receiver.is_none()
            && reference.role != Role::Import
            && but != at
    };
    let mut uses: Vec<RefId> = view.written_refs().filter(is_use).collect();
    uses.sort_by_key(|r| view.reference(*r).range.start);
    let of = |target: &Target| match target {
        // Places in the file itself move.
        Target::Def(def) if def.file == view.id => format!("own {:?}", rx.kind(*def)),
        Target::Def(def) => format!("{} {:?}", rx.world().file(def.file).path, rx.def(*def).name_range),
        other => format!("{other:?}"),
    };
    uses.iter()
        .map(|r| {
            let mut all: Vec<String> =
                rx.resolve(view.global_ref(*r)).resolution.targets.iter().map(of).collect();
            all.sort();
            all
        })
        .collect()
}
