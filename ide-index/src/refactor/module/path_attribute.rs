//! Modules whose declarations have a `path` attribute: `#[path = "odd/place.rs"] mod plan;`. The name of the module and that of its
//! file are independent.

use std::collections::BTreeSet;
use std::sync::Arc;

use ide_model::{
    ConflictKind, EditPlan, FilePath, QueryError, Refactored, SymbolKind, TextEdit, TextRange, paths,
};

use super::super::verify::{Effect, Verification};
use super::super::{RefactorContext, conflict, write_up};
use super::{conflicts, rename_uses};
use crate::facts::{DefId, Expr, ScopeId};
use crate::resolve::{FileView, Resolver};
use crate::world::{FileId, GlobalDef};

/// The value of the attribute of a module's declaration.
fn path_of(view: &FileView, def: DefId) -> Option<&str> {
    match view.expr(view.def(def).init?) {
        Expr::Text(path) => Some(view.name(path)),
        _ => None,
    }
}

fn has_path(rx: &Resolver, def: GlobalDef) -> bool {
    path_of(rx.file(def.file), def.def).is_some()
}

/// Plans a new name for such a module; its file keeps its own. `None` where a declaration has no `path`.
pub(in crate::refactor) fn rename_declared(
    ctx: &RefactorContext<'_>,
    file: FileId,
    new: &str,
) -> Result<Option<Refactored>, QueryError> {
    let (mut declared, language) = ctx.pool.with(|rx| {
        let view = rx.file(file);
        (rx.policy(view).declarations_of_module(rx, file), view.language())
    });
    if declared.is_empty() || !ctx.pool.with(|rx| declared.iter().all(|def| has_path(rx, *def))) {
        return Ok(None);
    }
    let title = format!("rename module {new}");
    let refused = |kind: ConflictKind, message: String, of: GlobalDef| {
        let at = Some(ctx.at(of.file, ctx.pool.with(|rx| rx.def(of).name_range)));
        let conflicts = vec![conflict(kind, message, at)];
        Ok(Some(Refactored { plan: EditPlan::new(title.clone()), conflicts, ..Refactored::default() }))
    };
    let first = declared[0];
    let old = ctx.pool.with(|rx| rx.shared_name(first));
    if let Some(problem) = crate::lang::names::spelling_problem(language, new) {
        return refused(ConflictKind::InvalidName, format!("the name `{new}` {problem}"), first);
    }
    // Other builds may have another file under the name.
    let twins: BTreeSet<GlobalDef> = ctx.pool.with(|rx| {
        let beside = declared.iter().flat_map(|def| {
            let view = rx.file(def.file);
            let named = view.named_in_scope(view.def(def.def).scope, &old).iter();
            named.filter(|def| view.def(**def).kind == SymbolKind::Module).map(|def| view.global(*def))
        });
        beside.filter(|def| !declared.contains(def)).collect()
    });
    if let Some(twin) = twins.iter().find(|def| !ctx.pool.with(|rx| has_path(rx, **def))) {
        return refused(
            ConflictKind::Form,
            format!("`{old}` has its file by its name in another build"),
            *twin,
        );
    }
    declared.extend(twins);
    if let Some(other) = declared.iter().find(|def| ctx.pool.with(|rx| rx.shared_name(**def)) != old) {
        return refused(ConflictKind::Form, format!("the file is another module than `{old}` too"), *other);
    }
    let files: Vec<FileId> = ctx.pool.with(|rx| {
        let all = (0..rx.world().file_count()).map(FileId);
        let is_one = |file: &FileId| {
            rx.world().file(*file).language == Some(language)
                && rx
                    .policy(rx.file(first.file))
                    .declarations_of_module(rx, *file)
                    .iter()
                    .any(|def| declared.contains(def))
        };
        all.filter(is_one).collect()
    });
    let mut conflicts = conflicts(ctx, &declared, &old, new);
    let mut effect = Effect::default();
    rename_uses(ctx, (&declared, &files), (&old, new), &mut effect)?;
    let title = format!("rename {old} to {new}");
    let (plan, rewrites) = write_up(ctx, title, &effect, &mut conflicts)?;
    let check = Verification::new(ctx, (ctx.scratch)(&rewrites)?, &effect);
    let names: BTreeSet<Arc<str>> = BTreeSet::from([old, new.into()]);
    conflicts.extend(check.run(&names, &files.into_iter().collect(), &[])?);
    Ok(Some(Refactored { plan, conflicts, ..Refactored::default() }))
}

/// Plans a move of the file of such a module, with the new path in the attribute. `None` where the declaration has no `path`.
pub(super) fn move_target(
    ctx: &RefactorContext<'_>,
    file: FileId,
    to: &FilePath,
) -> Result<Option<Refactored>, QueryError> {
    let from = ctx.path(file);
    let found = ctx.pool.with(|rx| {
        let declared = rx.policy(rx.file(file)).declarations_of_module(rx, file);
        let [one] = declared[..] else { return None };
        let view = rx.file(one.file);
        let d = view.def(one.def);
        let is_top = d.scope == ScopeId(0);
        Some((one.file, path_of(view, one.def)?.to_owned(), d.name_range, is_top))
    });
    let Some((holder, said, name, is_top)) = found else { return Ok(None) };
    let refused = |message: String| {
        let conflicts = vec![conflict(ConflictKind::Form, message, Some(ctx.at(holder, name)))];
        Ok(Some(Refactored { conflicts, ..Refactored::default() }))
    };
    let has_below = ctx.pool.world().declared_modules(file).iter().next().is_some();
    if has_below && from.directory() != to.directory() {
        return refused(format!("the files of the modules that {from} declares lie beside it"));
    }
    let text = (ctx.text)(holder)?;
    let quoted = format!("\"{said}\"");
    let before = &text.text[..name.start as usize];
    let at = before.rfind(&quoted).filter(|at| is_top && !before[*at..].contains(['{', '}', ';']));
    let Some(at) = at else {
        return refused(format!(
            "the `path` attribute that leads to {from} is not a plain one at the top of its file"
        ));
    };
    let home = ctx.path(holder);
    let new = relative(home.directory(), to.as_str());
    let mut effect = Effect::default();
    effect.moves.insert(file, to.clone());
    let start = at as u32 + 1;
    effect.edits.insert(holder, vec![TextEdit::new(TextRange::new(start, start + said.len() as u32), &*new)]);
    let mut conflicts = Vec::new();
    let (plan, rewrites) = write_up(ctx, format!("move {from} to {to}"), &effect, &mut conflicts)?;
    let check = Verification::new(ctx, (ctx.scratch)(&rewrites)?, &effect);
    conflicts.extend(check.run(&BTreeSet::new(), &BTreeSet::from([file]), &[])?);
    Ok(Some(Refactored { plan, conflicts, ..Refactored::default() }))
}

/// A path as it is written in a file of a directory.
fn relative(directory: &str, path: &str) -> String {
    let here: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    let folder: Vec<&str> = paths::directory(path).split('/').filter(|part| !part.is_empty()).collect();
    let shared = here.iter().zip(&folder).take_while(|(a, b)| a == b).count();
    let mut all = vec![".."; here.len() - shared];
    all.extend(&folder[shared..]);
    all.extend(path.rsplit('/').next());
    all.join("/")
}
