//! Moving a file: those who import it, and what it imports itself, are told the new way.

use std::collections::BTreeSet;
use std::sync::Arc;

use ide_model::{
    Conflict, ConflictKind, FilePath, Language, QueryError, Refactored, SourceKind, TextContext, TextEdit,
    TextRange, paths,
};

use super::submodules::{self, Changes};
use super::verify::{Effect, Verification};
use super::{RefactorContext, Rewrite, conflict, module, move_directory, namespace, package, write_up};
use crate::classify::contexts_at;
use crate::facts::{DefFlags, ImportId};
use crate::lang::{self, imports::imports};
use crate::query::{Resolvers, file_id};
use crate::resolve::{FileView, Place, Resolver, Target};
use crate::world::{FileId, GlobalDef};

/// Plans that a file or a directory lies elsewhere; see [`ide_model::Refactoring::MoveFile`]. Where files say their namespace, it gets that of
/// the file `like` if there is one.
///
/// # Errors
/// [`QueryError::Unsupported`] for languages without a resolver; [`QueryError::NothingHere`] where nothing lies at the path.
pub(super) fn move_file(
    ctx: &RefactorContext<'_>,
    from: &FilePath,
    to: &FilePath,
    like: Option<&FilePath>,
) -> Result<Refactored, QueryError> {
    if ctx.pool.world().file_by_path(from.as_str()).is_none() {
        return move_directory::move_directory(ctx, from, to);
    }
    let file = file_id(&**ctx.pool.world(), from)?;
    let language = ctx.pool.world().file(file).language;
    let new = Language::of_path(to.as_str());
    if language.is_some_and(lang::has_policy) && new != language {
        let is_by_path = ctx.pool.with(|rx| rx.policy(rx.file(file)).place()) == Place::Path;
        let family = |language: Option<Language>| language.map(Language::family);
        if !is_by_path || family(new) != family(language) {
            let message = format!("{from} would be a file of another language as {to}");
            let conflicts = vec![conflict(ConflictKind::Form, message, None)];
            return Ok(Refactored { conflicts, ..Refactored::default() });
        }
    }
    if !language.is_some_and(lang::has_policy) {
        return Err(QueryError::Unsupported {
            query: "moving by meaning",
            language,
            supported: lang::with_policy(),
        });
    }
    let place = ctx.pool.with(|rx| rx.policy(rx.file(file)).place());
    if let Some(problem) = tied_to_place(ctx, file, from, to)?.into_iter().next() {
        return Ok(Refactored { conflicts: vec![problem], ..Refactored::default() });
    }
    match place {
        Place::Path => by_path(ctx, file, from, to),
        Place::Namespace => {
            let mut plan = Relocation::of(&[(file, to.clone())]);
            namespace::relocate(ctx, &[file], like, &mut plan)?;
            plan.proven(ctx, format!("move {from} to {to}"))
        }
        Place::Package => package::move_file(ctx, file, to),
        Place::Tree => module::move_file(ctx, file, to),
        Place::Unknown => {
            let message = "the meaning of the file's path is not known".to_owned();
            let conflicts = vec![conflict(ConflictKind::Form, message, None)];
            Ok(Refactored { conflicts, ..Refactored::default() })
        }
    }
}

/// Plans that a file which is a module because its parent says so gets another name, with its file and those below it.
///
/// # Errors
/// [`QueryError::NothingHere`] where the names of files are no names in code.
pub(super) fn rename_module(
    ctx: &RefactorContext<'_>,
    file: FileId,
    new_name: &str,
) -> Result<Refactored, QueryError> {
    let from = ctx.path(file);
    if ctx.pool.with(|rx| rx.policy(rx.file(file)).place()) != Place::Tree {
        let what = format!("a name that can be changed: {from} is a file, which can be moved");
        return Err(QueryError::NothingHere { what });
    }
    if let Some(renamed) = module::rename_declared(ctx, file, new_name)? {
        return Ok(renamed);
    }
    let ending = from.file_name().rsplit_once('.').map_or("", |(_, ending)| ending);
    // A module with files below it may be the `mod` of its directory.
    let to = if from.stem() == "mod" {
        let directory = from.directory();
        let above = directory.rsplit_once('/').map_or("", |(above, _)| above);
        FilePath::new(paths::join(&paths::join(above, new_name), from.file_name()))
    } else {
        from.with_file_name(&format!("{new_name}.{ending}"))
    };
    move_file(ctx, &from, &to, None)
}

/// Parts of the file that depend on the directory in which it lies.
pub(super) fn tied_to_place(
    ctx: &RefactorContext<'_>,
    file: FileId,
    from: &FilePath,
    to: &FilePath,
) -> Result<Vec<Conflict>, QueryError> {
    let language = ctx.pool.with(|rx| rx.file(file).language());
    let words = imports(language).map_or(&[][..], |row| row.place_words);
    let mut found = Vec::new();
    if from.directory() == to.directory() || words.is_empty() {
        return Ok(found);
    }
    let text = (ctx.text)(file)?;
    for word in words {
        for (start, _) in text.text.match_indices(word) {
            let context = contexts_at(language, &text.text, &[start as u32]);
            if context == [TextContext::Code] || word.starts_with("//") {
                let message = format!("`{word}` makes the file depend on the directory in which it lies");
                let range = TextRange::new(start as u32, (start + word.len()) as u32);
                found.push(conflict(ConflictKind::Form, message, Some(ctx.at(file, range))));
            }
        }
    }
    Ok(found)
}

/// Files on their way, and all that follows from it.
#[derive(Default)]
pub(super) struct Relocation {
    pub(super) effect: Effect,
    pub(super) conflicts: Vec<Conflict>,
    /// Names whose uses are looked at in files that are not touched.
    pub(super) names: BTreeSet<Arc<str>>,
    /// Declarations that must keep their places in the hierarchy.
    pub(super) members: Vec<GlobalDef>,
    /// Files all of whose names are looked at.
    pub(super) whole: BTreeSet<FileId>,
}

impl Relocation {
    pub(super) fn of(files: &[(FileId, FilePath)]) -> Self {
        let whole = files.iter().map(|(file, _)| *file).collect();
        let effect = Effect { moves: files.iter().cloned().collect(), ..Effect::default() };
        Self { effect, whole, ..Self::default() }
    }

    /// Writes the plan, and proves it where it can be made at all.
    ///
    /// # Errors
    /// The errors of reading files.
    pub(super) fn proven(self, ctx: &RefactorContext<'_>, title: String) -> Result<Refactored, QueryError> {
        let Self { effect, mut conflicts, names, members, whole } = self;
        if conflicts.iter().any(|c| c.kind == ConflictKind::Form) {
            return Ok(Refactored { conflicts, ..Refactored::default() });
        }
        let (plan, rewrites) = write_up(ctx, title, &effect, &mut conflicts)?;
        if !conflicts.iter().any(|c| c.kind == ConflictKind::Form) {
            let after = (ctx.scratch)(&rewrites)?;
            conflicts.extend(forbidden_import(ctx, &after, &rewrites));
            let check = Verification::new(ctx, after, &effect);
            conflicts.extend(check.run(&names, &whole, &members)?);
        }
        Ok(Refactored { plan, conflicts, ..Refactored::default() })
    }
}

/// The first import of a changed file that its language does not allow, where it had none such before.
pub(super) fn forbidden_import(
    ctx: &RefactorContext<'_>,
    after: &Resolvers,
    rewrites: &[Rewrite],
) -> Option<Conflict> {
    let problem_of = |rx: &Resolver, path: &FilePath| {
        let id = rx.world().file_by_path(path.as_str())?;
        rx.world().file(id).language.filter(|language| lang::has_policy(*language))?;
        rx.policy(rx.file(id)).import_problems(rx, id).into_iter().next()
    };
    let problem = rewrites.iter().find_map(|rewrite| {
        let (path, _) = rewrite.becomes.as_ref()?;
        let problem = after.with(|rx| problem_of(rx, path))?;
        ctx.pool.with(|rx| problem_of(rx, &rewrite.path)).is_none().then_some(problem)
    });
    problem.map(|message| conflict(ConflictKind::Form, message, None))
}

/// Where importers name the path of a file, it is the imports that change.
fn by_path(
    ctx: &RefactorContext<'_>,
    file: FileId,
    from: &FilePath,
    to: &FilePath,
) -> Result<Refactored, QueryError> {
    let mut plan = Relocation::of(&[(file, to.clone())]);
    relocate_by_path(ctx, &[file], &mut plan)?;
    plan.proven(ctx, format!("move {from} to {to}"))
}

/// Rewrites the imports of files that move, and those that lead to them.
pub(super) fn relocate_by_path(
    ctx: &RefactorContext<'_>,
    files: &[FileId],
    plan: &mut Relocation,
) -> Result<(), QueryError> {
    let Relocation { effect, conflicts, .. } = plan;
    let importers = ctx.pool.with(|rx| rewrite_imports(ctx, rx, files, effect, conflicts))?;
    plan.whole.extend(importers);
    ctx.pool.with(|rx| rewrite_manifests(ctx, rx, files, effect, conflicts));
    files.iter().for_each(|file| plan.names.extend(shown_names(ctx, *file)));
    Ok(())
}

/// The names by which other files may use what a file declares.
pub(super) fn shown_names(ctx: &RefactorContext<'_>, file: FileId) -> Vec<Arc<str>> {
    ctx.pool.with(|rx| {
        let view = rx.file(file);
        let shown = view.def_ids().filter(|def| !view.has_flag(*def, DefFlags::LOCAL));
        let names = shown.map(|def| Arc::from(view.def_name(def)));
        names.filter(|name: &Arc<str>| !name.is_empty()).collect()
    })
}

/// Rewrites the imports that lead to files of one family that move, and theirs that lead elsewhere by the place where they
/// lie. Gives back who imports them.
fn rewrite_imports(
    ctx: &RefactorContext<'_>,
    rx: &Resolver,
    files: &[FileId],
    effect: &mut Effect,
    conflicts: &mut Vec<Conflict>,
) -> Result<BTreeSet<FileId>, QueryError> {
    let Some(family) = files.first().map(|file| rx.file(*file).family()) else { return Ok(BTreeSet::new()) };
    let Effect { edits, moves, repathed, imports: rewritten, .. } = effect;
    let mut importers = BTreeSet::new();
    for id in (0..rx.world().file_count()).map(FileId) {
        ctx.cx.check()?;
        let entry = rx.world().file(id);
        if entry.language.is_none_or(|l| l.family() != family) || entry.source == SourceKind::Library {
            continue;
        }
        let file = rx.file(id);
        if imports(file.language()).is_some_and(|row| row.members_are_modules) {
            let mut changes = Changes::default();
            if submodules::rewrite_members(ctx, rx, file, moves, &mut changes, conflicts)? {
                importers.insert(id);
            }
            if !changes.edits.is_empty() {
                rewritten.insert(id);
            }
            let text = (ctx.text)(id)?;
            submodules::rewrite_paths(rx, file, &text.text, moves, &mut changes);
            if !changes.edits.is_empty() {
                edits.entry(id).or_default().extend(changes.edits);
                let all = repathed.entry(id).or_default();
                changes.repathed.into_iter().for_each(|range| all.push(range));
            }
        }
        for import in (0..file.imports.len() as u32).map(ImportId) {
            let Some((target, range)) = target_of(rx, file, import) else { continue };
            if !moves.contains_key(&target) && !moves.contains_key(&id) {
                continue;
            }
            importers.insert(id);
            let path = |of: FileId| rx.world().file(of).path.as_str().to_owned();
            let after = |of: FileId| moves.get(&of).map_or_else(|| path(of), |to| to.as_str().to_owned());
            let text = (ctx.text)(id)?;
            let level = u32::from(file.import(import).level);
            let range = TextRange::new(range.start.saturating_sub(level), range.end);
            let written = text.slice(range).unwrap_or("");
            let bare = written.trim_matches(['"', '\'', '`']);
            let new = rx.policy(file).module_path(
                rx,
                bare,
                (&path(id), &after(id)),
                (&path(target), &after(target)),
            );
            let anew =
                || rx.policy(file).module_path_anew(rx, file, &after(id), (&path(target), &after(target)));
            match new.or_else(anew) {
                Some(new) if new == bare => {}
                Some(new) => {
                    let inner = written.find(bare).unwrap_or(0) as u32;
                    let range = TextRange::new(range.start + inner, range.start + inner + bare.len() as u32);
                    if bare == written && !bare.contains('.') && new.contains('.') {
                        repathed.entry(id).or_default().push(range);
                    }
                    edits.entry(id).or_default().push(TextEdit::new(range, new));
                }
                None => {
                    let message = format!("`{written}` cannot be rewritten");
                    conflicts.push(conflict(ConflictKind::Form, message, Some(ctx.at(id, range))));
                }
            }
        }
    }
    for edits in edits.values_mut() {
        edits.sort();
        edits.dedup();
    }
    Ok(importers)
}

/// Rewrites the paths of files that move in the descriptions of their packages.
fn rewrite_manifests(
    ctx: &RefactorContext<'_>,
    rx: &Resolver,
    files: &[FileId],
    effect: &mut Effect,
    conflicts: &mut Vec<Conflict>,
) {
    let Some(first) = files.first() else { return };
    let Effect { edits, moves, .. } = effect;
    let moved = |path: &str| {
        let to = rx.world().file_by_path(path).and_then(|file| moves.get(&file));
        to.map(|to| to.as_str().to_owned())
    };
    for (file, range, new) in lang::manifests_naming(rx, rx.file(*first).family(), &moved) {
        match new {
            Some(new) => edits.entry(file).or_default().push(TextEdit::new(range, new)),
            None => {
                let message = "this path could not lead to where the file would lie".to_owned();
                conflicts.push(conflict(ConflictKind::Form, message, Some(ctx.at(file, range))));
            }
        }
    }
    for edits in edits.values_mut() {
        edits.sort();
        edits.dedup();
    }
}

/// The file that the path of an import leads to, and where that path is written.
pub(super) fn target_of(rx: &Resolver, file: &FileView, import: ImportId) -> Option<(FileId, TextRange)> {
    let path: Vec<_> = file.list(file.import(import).path).collect();
    let (first, last) = (*path.first()?, *path.last()?);
    let range = TextRange::new(file.reference(first).range.start, file.reference(last).range.end);
    let resolved = rx.resolve(file.global_ref(last));
    let target = resolved.resolution.targets.iter().find_map(|target| match target {
        Target::Module(file) => Some(*file),
        _ => None,
    });
    target.filter(|file| rx.world().file(*file).source != SourceKind::Library).map(|file| (file, range))
}
