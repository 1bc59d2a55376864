//! Modules that importers name otherwise than by the path of an import: as members of their packages
//! (`from pk import mod`), and by whole paths in code (`pk.mod.f()` after `import pk.mod`).

use std::collections::{BTreeMap, BTreeSet};

use ide_model::{Conflict, ConflictKind, FilePath, QueryError, TextEdit, TextRange};

use super::RefactorContext;
use crate::facts::{Expr, Import, ImportKind, RefFlags, RefId, Role};
use crate::resolve::{FileView, Resolver, Target};
use crate::world::FileId;

/// The changes of a file.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) edits: Vec<TextEdit>,
    /// Paths that are written anew.
    pub(super) repathed: Vec<TextRange>,
}

/// The path of a file after the moves.
fn after(rx: &Resolver, moves: &BTreeMap<FileId, FilePath>, file: FileId) -> String {
    moves.get(&file).unwrap_or(&rx.world().file(file).path).to_string()
}

/// Rewrites the paths in code that lead to modules by the names of their top packages.
pub(super) fn rewrite_paths(
    rx: &Resolver,
    view: &FileView,
    text: &str,
    moves: &BTreeMap<FileId, FilePath>,
    changes: &mut Changes,
) {
    let is_whole = |import: &&Import| {
        import.kind == ImportKind::Module
            && import.member.is_none()
            && import.level == 0
            && import.def.is_some_and(|def| {
                let first = view.list(import.path).next();
                first.is_some_and(|first: RefId| view.reference(first).range == view.def(def).name_range)
            })
    };
    // `import a.b` binds `a` too.
    let mut paths: BTreeSet<&str> = BTreeSet::new();
    for import in view.imports.iter().filter(is_whole) {
        let whole = view.name(import.module);
        paths.extend(whole.match_indices('.').map(|(at, _)| &whole[..at]).chain([whole]));
    }
    if paths.is_empty() {
        return;
    }
    let importer = after(rx, moves, view.id);
    let mut found: Vec<TextEdit> = Vec::new();
    for reference in view.written_refs() {
        let r = view.reference(reference);
        if matches!(r.role, Role::Import | Role::Package) || r.flags.has(RefFlags::IMPLICIT) {
            continue;
        }
        let Some(start) = start_of(view, reference) else { continue };
        let range = TextRange::new(start, r.range.end);
        let written = text.get(range.start as usize..range.end as usize).unwrap_or("");
        if !paths.contains(written) {
            continue;
        }
        let resolved = rx.resolve(view.global_ref(reference)).resolution;
        let [Target::Module(module)] = resolved.targets[..] else { continue };
        let Some(to) = moves.get(&module) else { continue };
        let from = &rx.world().file(module).path;
        let way = (from.as_str(), to.as_str());
        let new = rx.policy(view).module_path(rx, written, (&view.path, &importer), way);
        found.extend(new.filter(|new| new != written).map(|new| TextEdit::new(range, new)));
    }
    // Of `a` and `a.b` the longer path is the one to rewrite.
    let is_part = |edit: &TextEdit| {
        let range = edit.range;
        found.iter().any(|other| other.range.start == range.start && other.range.end > range.end)
    };
    let whole: Vec<TextEdit> = found.iter().filter(|edit| !is_part(edit)).cloned().collect();
    changes.repathed.extend(whole.iter().map(|edit| edit.range));
    changes.edits.extend(whole);
}

/// The start of a path of plain names that a reference ends.
fn start_of(view: &FileView, reference: RefId) -> Option<u32> {
    let mut at = reference;
    while let Some(receiver) = view.reference(at).receiver {
        let Expr::Ref(before) = view.expr(receiver) else { return None };
        at = before;
    }
    Some(view.reference(at).range.start)
}

/// Rewrites the imports of a file that name modules as members of their packages, where the module or the file moves.
///
/// # Errors
/// Failures of reading.
pub(super) fn rewrite_members(
    ctx: &RefactorContext<'_>,
    rx: &Resolver,
    view: &FileView,
    moves: &BTreeMap<FileId, FilePath>,
    changes: &mut Changes,
    conflicts: &mut Vec<Conflict>,
) -> Result<bool, QueryError> {
    let mut found = false;
    for import in view.imports.iter().filter(|import| import.kind == ImportKind::Member) {
        let Some(member) = import.member.filter(|m| !view.reference(*m).flags.has(RefFlags::IMPLICIT)) else {
            continue;
        };
        let resolved = rx.resolve(view.global_ref(member)).resolution;
        let [Target::Module(target)] = resolved.targets[..] else { continue };
        if !moves.contains_key(&target) && (!moves.contains_key(&view.id) || import.level == 0) {
            continue;
        }
        found = true;
        let text = (ctx.text)(view.id)?;
        let name = view.ref_name(member);
        let dots = ".".repeat(usize::from(import.level));
        let module = view.name(import.module).trim_start_matches('.');
        let whole = match module {
            "" => format!("{dots}{name}"),
            module => format!("{dots}{module}.{name}"),
        };
        let importer = (&*view.path, &*after(rx, moves, view.id));
        let path = rx.world().file(target).path.to_string();
        let way = (&*path, &*after(rx, moves, target));
        let new = rx.policy(view).module_path(rx, &whole, importer, way);
        let at = view.reference(member).range;
        let edits = new.and_then(|new| {
            if new == whole {
                Some(Vec::new())
            } else {
                statement(view, import, at, &text.text, (name, &new))
            }
        });
        match edits {
            Some(edits) => {
                changes.repathed.extend(edits.iter().map(|edit| edit.range));
                changes.edits.extend(edits);
            }
            None => {
                let message = format!("the import of `{name}` cannot be rewritten");
                ctx.refuse(conflicts, ConflictKind::Form, message, view.id, at);
            }
        }
    }
    Ok(found)
}

/// The edits of a statement that imports a module as a member, so that it is imported from elsewhere; of several members it
/// gets a statement of its own.
fn statement(
    view: &FileView,
    import: &Import,
    member: TextRange,
    text: &str,
    (name, new): (&str, &str),
) -> Option<Vec<TextEdit>> {
    let level = new.len() - new.trim_start_matches('.').len();
    let (package, last) = match new[level..].rsplit_once('.') {
        Some((package, last)) => (&new[..level + package.len()], last),
        None => (&new[..level], &new[level..]),
    };
    let alias = import.def.map(|def| view.def(def).name_range).filter(|range| *range != member);
    let bound = alias.map_or(name, |range| &text[range.start as usize..range.end as usize]);
    let said = if bound == last { last.to_owned() } else { format!("{last} as {bound}") };
    let (start, end) = (member.start as usize, alias.unwrap_or(member).end as usize);
    // `from package import (` before the member, and others beside it.
    let head = text[..start].rfind("import").filter(|at| text[*at..start].len() > "import".len())?;
    let from = text[..head].rfind("from")?;
    let path = text[from..head].strip_prefix("from")?;
    let path_start = from + "from".len() + (path.len() - path.trim_start().len());
    let path_end = path_start + path.trim().len();
    let before = text[head + "import".len()..start].trim_matches(|c: char| c.is_whitespace() || c == '(');
    let behind = text[end..].trim_start_matches([' ', '\t', '\n', '\r', '\\']);
    let has_more = behind
        .strip_prefix(',')
        .is_some_and(|rest| !rest.trim_start_matches([' ', '\t', '\n', '\r', '\\']).starts_with(')'));
    let range = |from: usize, to: usize| TextRange::new(from as u32, to as u32);
    if before.is_empty() && !has_more {
        if package.is_empty() {
            let is_bracketed = text[head..start].contains('(');
            return (!is_bracketed).then(|| vec![TextEdit::new(range(from, end), format!("import {said}"))]);
        }
        let mut edits = vec![TextEdit::new(range(path_start, path_end), package)];
        if said != text[start..end] {
            edits.push(TextEdit::new(range(start, end), said));
        }
        return Some(edits);
    }
    let cut = if has_more {
        let comma = text.len() - behind.len() + 1;
        let rest = &text[comma..];
        range(start, comma + rest.len() - rest.trim_start().len())
    } else {
        range(text[..start].trim_end().strip_suffix(',')?.len(), end)
    };
    let line = text[..from].rfind('\n').map_or(0, |at| at + 1);
    let indent = &text[line..from];
    if !indent.trim().is_empty() {
        return None;
    }
    let tail = match text[head..start].contains('(') {
        true => end + text[end..].find(')')?,
        false => end,
    };
    let stop = tail + text[tail..].find('\n').unwrap_or(text.len() - tail);
    if text[..stop].ends_with('\\') {
        return None;
    }
    let new = match package {
        "" => format!("\n{indent}import {said}"),
        package => format!("\n{indent}from {package} import {said}"),
    };
    let stop = text[..stop].trim_end_matches('\r').len();
    Some(vec![TextEdit::new(cut, ""), TextEdit::new(range(stop, stop), new)])
}
