//! Moving a directory: all its files at once, so that what they say of one another stays as it is.

use std::collections::{BTreeMap, BTreeSet};

use ide_model::{
    Conflict, ConflictKind, ContentHash, FileChange, FilePath, QueryError, Refactored, SourceKind, paths,
};

use super::move_file::{Relocation, relocate_by_path, tied_to_place};
use super::{RefactorContext, conflict, module, namespace, package};
use crate::lang;
use crate::resolve::Place;
use crate::world::{FileId, is_build_file};

/// Plans that a directory lies elsewhere, or has another name.
///
/// # Errors
/// [`QueryError::NothingHere`] where no file lies below it.
pub(super) fn move_directory(
    ctx: &RefactorContext<'_>,
    from: &FilePath,
    to: &FilePath,
) -> Result<Refactored, QueryError> {
    let mut files = below(ctx, from, to);
    if files.is_empty() {
        let what = format!("a file or directory of the project at {from}");
        return Err(QueryError::NothingHere { what });
    }
    let refused = |message: String| {
        let conflicts = vec![conflict(ConflictKind::Form, message, None)];
        Ok(Refactored { conflicts, ..Refactored::default() })
    };
    if let Some(message) = misplaced(ctx, from, to, &files) {
        return refused(message);
    }
    let trees = of_place(ctx, &files, Place::Tree);
    if !trees.is_empty() {
        return module_directory(ctx, from, to, &files);
    }
    let namespaced = of_place(ctx, &files, Place::Namespace);
    files.extend(same_namespaces(ctx, from, to, &namespaced));
    let mut others = Vec::new();
    files.retain(|file, path| {
        let is_text = (ctx.text)(*file).is_ok();
        if !is_text {
            others.push((*file, path.clone()));
        }
        is_text
    });
    let all: Vec<(FileId, FilePath)> = files.iter().map(|(file, path)| (*file, path.clone())).collect();
    let mut plan = Relocation::of(&all);
    plan.whole.retain(|file| is_coded(ctx, *file));
    for (file, path) in &all {
        plan.conflicts.extend(tied(ctx, *file, path, from)?);
    }
    for group in by_family(ctx, &of_place(ctx, &files, Place::Path)) {
        relocate_by_path(ctx, &group, &mut plan)?;
    }
    for group in by_family(ctx, &of_place(ctx, &files, Place::Namespace)) {
        namespace::relocate(ctx, &group, None, &mut plan)?;
    }
    for group in by_family(ctx, &of_place(ctx, &files, Place::Package)) {
        package::relocate(ctx, &group, &mut plan)?;
    }
    let mut done = plan.proven(ctx, format!("move {from} to {to}"))?;
    carry(ctx, &mut done, others);
    Ok(done)
}

/// The files of the project below a directory, with their new paths.
fn below(ctx: &RefactorContext<'_>, from: &FilePath, to: &FilePath) -> BTreeMap<FileId, FilePath> {
    let world = ctx.pool.world();
    let new = |id: FileId| {
        let entry = world.file(id);
        let rest = entry.path.as_str().strip_prefix(from.as_str())?.strip_prefix('/')?;
        let is_own = entry.source != SourceKind::Library;
        is_own.then(|| (id, FilePath::new(paths::join(to.as_str(), rest))))
    };
    (0..world.file_count()).map(FileId).filter_map(new).collect()
}

/// Why a directory cannot go to a place at all.
fn misplaced(
    ctx: &RefactorContext<'_>,
    from: &FilePath,
    to: &FilePath,
    files: &BTreeMap<FileId, FilePath>,
) -> Option<String> {
    let world = ctx.pool.world();
    let is_within =
        |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
    if from == to || is_within(to.as_str(), from.as_str()) {
        return Some(format!("{from} cannot be moved into itself"));
    }
    let taken =
        (0..world.file_count()).map(FileId).find(|id| is_within(world.file(*id).path.as_str(), to.as_str()));
    if let Some(taken) = taken {
        return Some(format!("{to} exists already: {}", world.file(taken).path));
    }
    let described =
        files.keys().map(|file| &world.file(*file).path).find(|path| is_build_file(path.as_str()));
    described.map(|path| {
        format!(
            "{path} describes a package that others name by its directory; move the directories of its code"
        )
    })
}

fn is_coded(ctx: &RefactorContext<'_>, file: FileId) -> bool {
    ctx.pool.world().file(file).language.is_some_and(lang::has_policy)
}

/// The files whose language understands their paths in one way.
fn of_place(ctx: &RefactorContext<'_>, files: &BTreeMap<FileId, FilePath>, place: Place) -> Vec<FileId> {
    let coded = files.keys().copied().filter(|file| is_coded(ctx, *file));
    coded.filter(|file| ctx.pool.with(|rx| rx.policy(rx.file(*file)).place()) == place).collect()
}

fn by_family(ctx: &RefactorContext<'_>, files: &[FileId]) -> Vec<Vec<FileId>> {
    let mut groups = BTreeMap::new();
    for file in files {
        let family = ctx.pool.with(|rx| rx.file(*file).family());
        groups.entry(family).or_insert_with(Vec::new).push(*file);
    }
    groups.into_values().collect()
}

/// The files of other source roots that lie in the same namespaces (tests beside their package), with their new paths. They
/// go along where the directory is named after its namespace below its own root.
fn same_namespaces(
    ctx: &RefactorContext<'_>,
    from: &FilePath,
    to: &FilePath,
    files: &[FileId],
) -> BTreeMap<FileId, FilePath> {
    let mut found = BTreeMap::new();
    // The parts of both directories that differ: `com/a` and `com/b` below one root.
    let (old, new): (Vec<&str>, Vec<&str>) =
        (from.as_str().split('/').collect(), to.as_str().split('/').collect());
    let root = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (old[root..].join("/"), new[root..].join("/"));
    for file in files {
        ctx.pool.with(|rx| {
            let view = rx.file(*file);
            let Some(package) = view.package.map(|package| view.name(package)) else { return };
            let own = view.path.rsplit_once('/').map_or("", |(directory, _)| directory);
            let as_path = package.replace(['.', '\\'], "/");
            if !ends_with_directory(own, &as_path) {
                return;
            }
            for other in rx.world().files_of_package(view.family(), package) {
                let entry = rx.world().file(other);
                let path = entry.path.as_str();
                let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
                let is_elsewhere = !path.starts_with(&format!("{from}/"));
                if entry.source == SourceKind::Library
                    || !is_elsewhere
                    || !ends_with_directory(directory, &as_path)
                {
                    continue;
                }
                let base = &directory[..directory.len() - as_path.len()];
                let Some(tail) = renamed_path(&as_path, own, from.as_str(), (&old, &new)) else { continue };
                found.insert(other, FilePath::new(format!("{base}{tail}/{}", entry.path.file_name())));
            }
        });
    }
    found
}

fn ends_with_directory(path: &str, directory: &str) -> bool {
    !directory.is_empty()
        && path.strip_suffix(directory).is_some_and(|head| head.is_empty() || head.ends_with('/'))
}

/// The path of a namespace after the directory `from` above it changed from `old` to `new`.
fn renamed_path(namespace: &str, own: &str, from: &str, (old, new): (&str, &str)) -> Option<String> {
    // The namespace ends where the file lies; the moved directory is a head of that.
    let inner = own.strip_prefix(from)?.trim_start_matches('/');
    let head = namespace.strip_suffix(inner)?.trim_end_matches('/');
    let kept = head.strip_suffix(old).filter(|kept| kept.is_empty() || kept.ends_with('/'))?;
    Some(paths::join(&format!("{kept}{new}"), inner))
}

/// Words that tie a file to its directory, where they may lead out of the one that moves: `__DIR__ . '/../../x'`, or as
/// an argument, as in `dirname(__DIR__)`.
fn tied(
    ctx: &RefactorContext<'_>,
    file: FileId,
    to: &FilePath,
    directory: &FilePath,
) -> Result<Vec<Conflict>, QueryError> {
    if !is_coded(ctx, file) {
        return Ok(Vec::new());
    }
    let from = ctx.path(file);
    let depth = from.as_str().matches('/').count() - directory.as_str().matches('/').count();
    let mut tied = tied_to_place(ctx, file, &from, to)?;
    if tied.is_empty() {
        return Ok(tied);
    }
    let text = (ctx.text)(file)?;
    tied.retain(|conflict| {
        let Some(at) = conflict.at.as_ref() else { return true };
        let (before, behind) = text.text.split_at(at.range.start as usize);
        let line = behind.lines().next().unwrap_or("");
        before.trim_end().ends_with('(') || line.matches("..").count() >= depth
    });
    Ok(tied)
}

/// The directory of a module that has a file of its own: the module goes, and what lies below it.
fn module_directory(
    ctx: &RefactorContext<'_>,
    from: &FilePath,
    to: &FilePath,
    files: &BTreeMap<FileId, FilePath>,
) -> Result<Refactored, QueryError> {
    let world = ctx.pool.world();
    let name = from.file_name();
    // The module is called like the directory, and its file lies in it or beside it.
    let new_path = |id: FileId| {
        let path = &world.file(id).path;
        // A file in it that is called like it is a module below.
        let new = if path.directory() == from.as_str() && path.stem() != name {
            FilePath::new(paths::join(to.as_str(), path.file_name()))
        } else if path.directory() == from.directory() && path.stem() == name {
            let ending = path.file_name().strip_prefix(name)?;
            FilePath::new(format!("{to}{ending}"))
        } else {
            return None;
        };
        let is_it = is_coded(ctx, id)
            && ctx.pool.with(|rx| {
                let declared = rx.policy(rx.file(id)).declarations_of_module(rx, id);
                declared.iter().any(|def| *rx.shared_name(*def) == *name)
            });
        is_it.then_some((id, new))
    };
    let module = (0..world.file_count()).map(FileId).find_map(new_path);
    let Some((file, path)) = module else {
        let message = format!("{from} is the directory of no module; move the files in it one by one");
        let conflicts = vec![conflict(ConflictKind::Form, message, None)];
        return Ok(Refactored { conflicts, ..Refactored::default() });
    };
    let mut done = module::move_file(ctx, file, &path)?;
    let moved: BTreeSet<FilePath> = done.plan.changes.iter().map(|change| change.file().clone()).collect();
    let left = files.iter().filter(|(file, _)| !moved.contains(&world.file(**file).path));
    carry(ctx, &mut done, left.map(|(file, path)| (*file, path.clone())).collect());
    Ok(done)
}

/// Adds files that go along as they are.
fn carry(ctx: &RefactorContext<'_>, done: &mut Refactored, files: Vec<(FileId, FilePath)>) {
    for (file, to) in files {
        let entry = ctx.pool.world().file(file);
        let (from, before) = (entry.path.clone(), ContentHash(entry.content_hash));
        done.plan.changes.push(FileChange::Move { from, to, before, edits: Vec::new() });
    }
}
