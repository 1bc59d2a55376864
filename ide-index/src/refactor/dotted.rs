//! Declarations and modules that texts in calls name by their dotted names: `patch("pkg.mod.f")`, `import_module("pkg.mod")`.
//! They follow what is renamed or moved, and keep from being deleted what they name.

use std::collections::{BTreeMap, BTreeSet};

use ide_model::{
    ConflictKind, ContentHash, FileChange, Language, QueryError, Refactored, SourceKind, SymbolKind,
    TextContext, TextEdit, TextRange, edited,
};

use super::{Workshop, conflict, included};
use crate::classify::contexts_at;
use crate::facts::{DefFlags, FileFacts};
use crate::lang;
use crate::world::FileId;

/// The new dotted names by the old ones; `None` for what is gone.
type Renamed = BTreeMap<String, Option<String>>;

/// Adds to a plan what such texts must say then.
///
/// # Errors
/// The errors of reading files.
pub(super) fn follow(
    shop: &Workshop<'_>,
    in_spite: bool,
    mut done: Refactored,
) -> Result<Refactored, QueryError> {
    let renamed = renamed(shop, &done)?;
    if renamed.is_empty() {
        return Ok(done);
    }
    let world = shop.pool.world();
    let all = || ide_model::LANGUAGES.iter().map(|row| row.language);
    let takers: BTreeSet<&str> = all().flat_map(lang::takers_of_dotted_names).copied().collect();
    let files: BTreeSet<FileId> = takers.iter().flat_map(|name| world.files_mentioning(name)).collect();
    for file in files {
        shop.cx.check()?;
        let entry = world.file(file);
        let Some(language) = entry.language.filter(|_| entry.source != SourceKind::Library) else { continue };
        let text = (shop.text)(file)?;
        let mut edits = Vec::new();
        for (range, new) in given(&text.text, lang::takers_of_dotted_names(language), &renamed) {
            if contexts_at(language, &text.text, &[range.start]) != [TextContext::StringLiteral] {
                continue;
            }
            match new {
                Some(new) => edits.push(TextEdit::new(range, new)),
                None if in_spite => {}
                None => {
                    let name = text.slice(range).unwrap_or("");
                    let message = format!("`{name}` is named in a text here");
                    done.conflicts.push(conflict(ConflictKind::InUse, message, Some(shop.at(file, range))));
                }
            }
        }
        if !edits.is_empty() {
            included::add(&mut done, entry.path.clone(), ContentHash(entry.content_hash), edits);
        }
    }
    Ok(done)
}

/// The texts that are the first argument of one of these functions and name something that has another name then.
fn given(text: &str, takers: &[&str], renamed: &Renamed) -> Vec<(TextRange, Option<String>)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for taker in takers {
        for (at, _) in text.match_indices(taker) {
            let rest = text[at + taker.len()..].trim_start().strip_prefix('(').map(str::trim_start);
            let Some(rest) = rest.filter(|rest| rest.starts_with(['"', '\''])) else { continue };
            let (quote, inner) = rest.split_at(1);
            let Some((written, _)) = inner.split_once(quote) else { continue };
            let Some(new) = renamed.get(written).filter(|_| !text[..at].ends_with(is_part)) else { continue };
            let start = text.len() - inner.len();
            found.push((TextRange::new(start as u32, (start + written.len()) as u32), new.clone()));
        }
    }
    found.sort_by_key(|(range, _)| *range);
    found
}

fn renamed(shop: &Workshop<'_>, done: &Refactored) -> Result<Renamed, QueryError> {
    let world = shop.pool.world();
    let (mut renamed, mut made) = (Renamed::new(), BTreeSet::new());
    for change in &done.plan.changes {
        let path = change.file();
        let language = Language::of_path(path.as_str());
        let language = language.filter(|language| !lang::takers_of_dotted_names(*language).is_empty());
        let Some(front_end) = language.and_then(lang::front_end) else { continue };
        let old = world.file_by_path(path.as_str());
        let is_made = matches!(change, FileChange::Create { .. });
        let module = |path: &str| shop.pool.with(|rx| lang::dotted_name_of(rx, path)).unwrap_or_default();
        let was = old.filter(|_| !is_made).map(|file| names(&module(path.as_str()), &world.facts(file)));
        let (to, text) = match change {
            FileChange::Delete { .. } => (path, None),
            FileChange::Create { file, text } => (file, Some(text.to_string())),
            FileChange::Edit { file: to, edits, .. } | FileChange::Move { to, edits, .. } => {
                let old = old.map(shop.text).transpose()?;
                (to, old.and_then(|old| edited(&old.text, edits)))
            }
        };
        let is = text.map(|text| names(&module(to.as_str()), &front_end.facts(to.as_str(), &text)));
        let (was, is) = (was.unwrap_or_default(), is.unwrap_or_default());
        if was.len() == is.len() {
            let pairs = was.into_iter().zip(is).filter(|(old, new)| old != new);
            renamed.extend(pairs.map(|(old, new)| (old, Some(new))));
            continue;
        }
        let (was, is): (BTreeSet<_>, BTreeSet<_>) = (was.into_iter().collect(), is.into_iter().collect());
        made.extend(is.difference(&was).cloned());
        renamed.extend(was.difference(&is).cloned().map(|name| (name, None)));
    }
    // A declaration that is gone from one module may be in another, with all that is in it.
    for (old, new) in renamed.iter_mut().filter(|(_, new)| new.is_none()) {
        let words = |name: &str| name.rsplit('.').map(str::to_owned).collect::<Vec<_>>();
        let alike = |name: &&String| words(name).iter().zip(&words(old)).take_while(|(a, b)| a == b).count();
        *new = made.iter().filter(|name| alike(name) > 0).max_by_key(alike).cloned();
    }
    Ok(renamed)
}

/// The dotted names of a module and of what it declares, in the order of its declarations.
fn names(module: &str, facts: &FileFacts) -> Vec<String> {
    let mut all = vec![module.to_owned()];
    for def in &facts.defs {
        let is_inner =
            matches!(def.kind, SymbolKind::Parameter | SymbolKind::TypeParameter | SymbolKind::Import);
        let mut parts = vec![facts.name(def.name)];
        let mut is_local = def.flags.has(DefFlags::LOCAL);
        let mut scope = def.scope;
        while let Some(outer) = facts.enclosing_def(scope).filter(|_| parts.len() < facts.defs.len()) {
            parts.push(facts.def_name(outer));
            is_local |= facts.def(outer).flags.has(DefFlags::LOCAL);
            scope = facts.def(outer).scope;
        }
        if !is_inner && !is_local {
            parts.push(module);
            parts.reverse();
            all.push(parts.join("."));
        }
    }
    all
}
