//! Texts that are the name of a function where a parameter takes one: `apply('half')` with `function apply(callable $f)`.

use ide_model::{QueryError, SourceKind, SymbolKind, TextContext, TextRange};

use super::RefactorContext;
use super::family::Family;
use super::rename::each_file;
use crate::classify::contexts_at;
use crate::facts::DefId;
use crate::resolve::Resolver;
use crate::world::{FileId, GlobalDef};

/// Texts that may stand for a function of the family, in calls of functions of the project.
pub(super) fn callable_texts(
    ctx: &RefactorContext<'_>,
    family: &Family,
    name: &str,
) -> Result<Vec<(FileId, TextRange)>, QueryError> {
    let named = |rx: &Resolver, def: &GlobalDef| Some((named_by_texts(rx, *def)?, rx.language_of(*def)));
    let found = ctx.pool.with(|rx| family.defs.iter().find_map(|def| named(rx, def)));
    let Some((word, language)) = found else { return Ok(Vec::new()) };
    let world = ctx.pool.world();
    let is_asked = |id: &FileId| {
        let entry = world.file(*id);
        entry.language == Some(language) && entry.source != SourceKind::Library
    };
    let files: Vec<FileId> = (0..world.file_count()).map(FileId).filter(is_asked).collect();
    // No table lists texts.
    let found = each_file(ctx, &files, |rx, id| {
        let text = (ctx.text)(id)?;
        let mut found = Vec::new();
        for range in texts_in(rx, id, &text.text, name) {
            if let Some(called) = called_around(&text.text[..range.start as usize])
                && is_taken(ctx, rx, called, word)?
            {
                found.push((id, range));
            }
        }
        Ok(found)
    })?;
    Ok(found.concat())
}

/// The type whose values may be the plain name of a declaration as a text; `None` for what no such text names.
fn named_by_texts(rx: &Resolver, def: GlobalDef) -> Option<&'static str> {
    let policy = rx.policy_of(def);
    let word = policy.type_of_function_names()?;
    // A text says the whole name.
    let is_outermost = || policy.qualified_name(rx, def).is_some_and(|whole| whole == *rx.shared_name(def));
    (rx.kind(def) == SymbolKind::Function && is_outermost()).then_some(word)
}

/// Texts of a file that are a name and mean nothing for certain.
pub(super) fn texts_in(rx: &Resolver, id: FileId, text: &str, name: &str) -> Vec<TextRange> {
    let is_quoted =
        |at: &usize| text[..*at].ends_with(['"', '\'']) && text[at + name.len()..].starts_with(['"', '\'']);
    let starts: Vec<u32> =
        text.match_indices(name).map(|(at, _)| at).filter(is_quoted).map(|at| at as u32).collect();
    if starts.is_empty() {
        return Vec::new();
    }
    let file = rx.file(id);
    let contexts = contexts_at(file.language(), text, &starts);
    let strings =
        starts.into_iter().zip(contexts).filter(|(_, context)| *context == TextContext::StringLiteral);
    let ranges = strings.map(|(start, _)| TextRange::new(start, start + name.len() as u32));
    ranges.filter(|range| !file.ref_ids().any(|r| file.reference(r).range.encloses(*range))).collect()
}

/// The last word before the bracket that a text stands in.
pub(super) fn called_around(before: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, c) in before.char_indices().rev() {
        match c {
            ')' | ']' => depth += 1,
            '(' if depth == 0 => {
                let head = before[..at].trim_end();
                let is_in_name = |c: char| c.is_alphanumeric() || c == '_';
                let start = head.trim_end_matches(is_in_name).len();
                return (start < head.len()).then(|| &head[start..]);
            }
            '(' | '[' => depth = depth.saturating_sub(1),
            ';' | '{' | '}' => return None,
            _ => {}
        }
    }
    None
}

/// Whether a function of the project, or the constructor of a class, has a parameter of the type, written before its name or
/// in the comment of the function.
fn is_taken(ctx: &RefactorContext<'_>, rx: &Resolver, called: &str, word: &str) -> Result<bool, QueryError> {
    for site in rx.world().declarations(called) {
        if rx.world().file(site.at.file).source == SourceKind::Library {
            continue;
        }
        let made = || rx.own_members(site.at, "__construct").into_iter().next();
        let function = if site.kind.is_type() { made() } else { Some(site.at) };
        let Some(function) = function.filter(|def| rx.kind(*def).is_callable()) else { continue };
        let (file, text) = (rx.file(function.file), (ctx.text)(function.file)?);
        let d = file.def(function.def);
        let says = |range: TextRange| text.slice(range).is_some_and(|part| part.contains(word));
        if file.list(d.params).any(|p: DefId| says(file.def(p).range)) || d.doc.is_some_and(says) {
            return Ok(true);
        }
    }
    Ok(false)
}
