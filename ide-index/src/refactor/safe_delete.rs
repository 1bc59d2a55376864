//! Removing what nothing uses. A declaration that cannot be checked is not removed.

use std::collections::BTreeSet;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use ide_model::{
    Conflict, ConflictKind, Location, QueryError, Refactored, Symbol, SymbolKind, TextEdit, TextRange,
};
use rustc_hash::FxHashMap;

use super::by_place::uses_of_place;
use super::computed::doubts;
use super::doubt::{could_mean, unseen_uses};
use super::family::{Family, has_accessors, is_called_by_name};
use super::in_macros::named_in_macros;
use super::operators::operator_uses;
use super::ranges::Ranges;
use super::rename::{occurrences, only_file};
use super::scene::{Scene, trait_around};
use super::shapes::Shapes;
use super::signature::{lambdas, unnamed_calls};
use super::verify::{Effect, Verification};
use super::{RefactorContext, conflict, in_library, write_up};
use crate::facts::{Def, DefFlags};
use crate::lang::{self, names};
use crate::query::definition::definition_of;
use crate::query::hierarchy::related_methods;
use crate::query::references::sought_of;
use crate::resolve::Resolver;
use crate::world::{FileId, GlobalDef};

/// Plans that a declaration, or a file, goes away; see [`ide_model::Refactoring::SafeDelete`].
///
/// # Errors
/// [`QueryError::Unsupported`] for languages without a resolver.
pub(super) fn safe_delete(
    ctx: &RefactorContext<'_>,
    symbol: &Symbol,
    in_spite: bool,
) -> Result<Refactored, QueryError> {
    if !lang::has_policy(symbol.language) {
        return Err(QueryError::Unsupported {
            query: "deleting by meaning",
            language: Some(symbol.language),
            supported: lang::with_policy(),
        });
    }
    let (file, def) = ctx.pool.with(|rx| definition_of(rx, symbol))?;
    if let Some(conflict) = in_library(ctx, file, &symbol.name) {
        return Ok(Refactored { conflicts: vec![conflict], ..Refactored::default() });
    }
    let mut conflicts = Vec::new();
    let mut effect = Effect::default();
    let roots = match def {
        Some(def) => ctx.pool.with(|rx| rx.policy_of(def).same_symbol(rx, def)),
        None => Vec::new(),
    };
    match def {
        Some(_) => {
            let mut scenes = Scenes { ctx, of: FxHashMap::default() };
            for root in &roots {
                remove(&mut scenes, *root, &mut effect, &mut conflicts)?;
                conflicts.extend(asked_for(&mut scenes, *root)?);
                conflicts.extend(uses_of_place(ctx, *root)?);
                conflicts.extend(unnamed_calls(ctx, *root)?);
            }
            effect.edits.values_mut().for_each(|edits| edits.sort());
        }
        None => {
            effect.gone.insert(file);
        }
    }
    let gone = ctx.pool.with(|rx| going(rx, file, &roots));
    if gone.is_empty() {
        let message = "nothing is declared there whose uses could be looked for".to_owned();
        conflicts.push(conflict(ConflictKind::Unresolved, message, None));
    }
    conflicts.extend(uses(ctx, &gone, &effect)?);
    conflicts.extend(ctx.pool.with(|rx| started(ctx, rx, &gone, &roots)));
    conflicts.extend(ctx.pool.with(|rx| relatives(ctx, rx, &roots, &effect))?);
    conflicts.extend(lambdas(ctx, &roots)?.into_iter().map(|mut lambda| {
        if lambda.kind == ConflictKind::Form {
            lambda.kind = ConflictKind::InUse;
        }
        lambda
    }));
    let computed = doubts(ctx, &roots)?.into_iter();
    let stays = |doubt: &Conflict| doubt.at.as_ref().is_none_or(|at| !removes(ctx, &effect, at));
    conflicts.extend(computed.filter(stays));
    conflicts.extend(by_shape(ctx, roots, &effect)?);
    let title = format!("delete {}", symbol.name);
    let (plan, rewrites) = write_up(ctx, title, &effect, &mut conflicts)?;
    if !rewrites.is_empty() && !conflicts.iter().any(|c| c.kind == ConflictKind::Form) {
        let check = Verification::new(ctx, (ctx.scratch)(&rewrites)?, &effect);
        let names: BTreeSet<Arc<str>> =
            ctx.pool.with(|rx| gone.iter().map(|def| rx.shared_name(*def)).collect());
        let mut broken = check.run(&names, &BTreeSet::new(), &[])?;
        // Uses of it are reported already, and broken knowingly.
        let has_uses = conflicts.iter().any(|c| c.kind == ConflictKind::InUse);
        broken.retain(|c| c.kind != ConflictKind::Meaning || !(in_spite || has_uses));
        conflicts.extend(broken);
    }
    Ok(Refactored { plan, conflicts, ..Refactored::default() })
}

/// The files of the declarations, read into trees once for all of them.
struct Scenes<'a> {
    ctx: &'a RefactorContext<'a>,
    of: FxHashMap<FileId, Option<Scene<'a>>>,
}

impl<'a> Scenes<'a> {
    /// `None` for languages that are not read into trees.
    fn open(&mut self, file: FileId) -> Result<Option<&Scene<'a>>, QueryError> {
        let scene = match self.of.entry(file) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(match Scene::open(self.ctx, file) {
                Ok(scene) => Some(scene),
                Err(QueryError::Unsupported { .. }) => None,
                Err(error) => return Err(error),
            }),
        };
        Ok(scene.as_ref())
    }
}

/// A member of an implementation is what its trait asks for.
fn asked_for(scenes: &mut Scenes<'_>, root: GlobalDef) -> Result<Option<Conflict>, QueryError> {
    let ctx = scenes.ctx;
    // Other languages have no traits.
    let Some(scene) = scenes.open(root.file)? else { return Ok(None) };
    let of = trait_around(scene, root).filter(|(_, is_declared)| !is_declared);
    Ok(of.map(|(name, _)| {
        let at = scene.view.def(root.def).name_range;
        conflict(ConflictKind::InUse, format!("the trait `{name}` asks for it"), Some(ctx.at(root.file, at)))
    }))
}

/// Whether a place goes away.
fn removes(ctx: &RefactorContext<'_>, effect: &Effect, at: &Location) -> bool {
    let file = ctx.pool.world().file_by_path(at.file.as_str());
    file.is_some_and(|file| effect.removes(file, at.range))
}

/// The uses of a member without its owner: a type that is told by its members, a text that names it.
fn by_shape(
    ctx: &RefactorContext<'_>,
    roots: Vec<GlobalDef>,
    effect: &Effect,
) -> Result<Vec<Conflict>, QueryError> {
    let Some(name) = roots.first().map(|root| ctx.pool.with(|rx| rx.shared_name(*root))) else {
        return Ok(Vec::new());
    };
    let family = Family { defs: roots, libraries: Vec::new() };
    let mut shapes = Shapes::default();
    let asking = shapes.asking(ctx, &family, &name)?.into_iter().map(|asking| {
        let range = ctx.pool.with(|rx| rx.def(asking).name_range);
        let message = "a value that has it is passed where this one is required".to_owned();
        (ConflictKind::InUse, message, asking.file, range)
    });
    let texts = shapes.texts(ctx, &family, &name)?.into_iter().map(|(file, range)| {
        let message = format!("the text `{name}` may refer to the declaration to delete");
        (ConflictKind::Unresolved, message, file, range)
    });
    let stays =
        |(_, _, file, range): &(ConflictKind, String, FileId, TextRange)| !effect.removes(*file, *range);
    let found = asking.chain(texts).filter(stays);
    Ok(found.map(|(kind, message, file, range)| conflict(kind, message, Some(ctx.at(file, range)))).collect())
}

/// The declarations that go away and can be used from elsewhere.
fn going(rx: &Resolver, file: FileId, roots: &[GlobalDef]) -> Vec<GlobalDef> {
    let mut all: Vec<GlobalDef> = roots.to_vec();
    let view = rx.file(file);
    let ranges: Ranges =
        roots.iter().filter(|root| root.file == file).map(|root| extent(view.def(root.def))).collect();
    all.extend(view.def_ids().map(|def| view.global(def)).filter(|at| {
        let d = view.def(at.def);
        let is_inside = roots.is_empty() || ranges.encloses(d.range);
        let is_hidden = d.flags.has(DefFlags::LOCAL) || d.flags.has(DefFlags::ANONYMOUS);
        is_inside && !is_hidden && d.kind != SymbolKind::Import
    }));
    all.sort_unstable();
    all.dedup();
    all
}

/// Uses from outside of what goes away, certain and doubtful.
fn uses(ctx: &RefactorContext<'_>, gone: &[GlobalDef], effect: &Effect) -> Result<Vec<Conflict>, QueryError> {
    let mut found = Vec::new();
    if gone.is_empty() {
        return Ok(found);
    }
    let sought = ctx.pool.with(|rx| sought_of(rx, ctx.cx, gone))?;
    let only_in = ctx.pool.with(|rx| only_file(rx, gone));
    let declared: BTreeSet<(FileId, TextRange)> =
        ctx.pool.with(|rx| gone.iter().map(|def| (def.file, rx.def(*def).name_range)).collect());
    for occurrence in occurrences(ctx, &sought, only_in)? {
        ctx.pool.with(|rx| {
            let file = rx.file(occurrence.file);
            let range = file.reference(occurrence.reference).range;
            let name = file.ref_name(occurrence.reference);
            if declared.contains(&(occurrence.file, range)) || effect.removes(occurrence.file, range) {
                return;
            }
            let at = Some(ctx.at(occurrence.file, range));
            if occurrence.is_certain {
                found.push(conflict(ConflictKind::InUse, format!("`{name}` is used here"), at));
            } else if could_mean(rx, gone, only_in, &occurrence) {
                let message = format!(
                    "this `{name}` may be a use of the declaration to delete; its meaning is not known"
                );
                found.push(conflict(ConflictKind::Unresolved, message, at));
            }
        });
    }
    for (file, range) in named_in_macros(ctx, gone, only_in)? {
        if !effect.removes(file, range) {
            let message = "a macro may use the declaration to delete".to_owned();
            found.push(conflict(ConflictKind::Unresolved, message, Some(ctx.at(file, range))));
        }
    }
    for def in gone {
        // Operators need an object, of which there is none without its type: uses of the type are looked for above.
        let is_of_gone = ctx.pool.with(|rx| rx.member_owner(*def)).is_some_and(|owner| gone.contains(&owner));
        if is_of_gone {
            continue;
        }
        let Some(operators) = operator_uses(ctx, &[*def], false, &|_| true)? else { continue };
        if operators.unlisted > 0 || operators.is_cut {
            let (name, range) = ctx.pool.with(|rx| (rx.shared_name(*def), rx.def(*def).name_range));
            let message =
                format!("`{name}` may be called without its name at places that were not looked at");
            found.push(conflict(ConflictKind::Unresolved, message, Some(ctx.at(def.file, range))));
        }
        for found_use in operators.uses {
            if effect.removes(found_use.file, found_use.range) {
                continue;
            }
            let at = Some(ctx.at(found_use.file, found_use.range));
            let name = ctx.pool.with(|rx| rx.shared_name(*def));
            found.push(if found_use.confidence.is_certain() {
                conflict(ConflictKind::InUse, format!("`{name}` is called here without its name"), at)
            } else {
                let message = format!("`{name}` may be called here without its name");
                conflict(ConflictKind::Unresolved, message, at)
            });
        }
    }
    for def in gone {
        let why = ctx.pool.with(|rx| unseen_uses(ctx, rx, *def, &[rx.def_name(*def)]));
        let Some(why) = why else { continue };
        let (name, range) = ctx.pool.with(|rx| (rx.shared_name(*def), rx.def(*def).name_range));
        let message = format!("`{name}` {why}");
        found.push(conflict(ConflictKind::Unresolved, message, Some(ctx.at(def.file, range))));
    }
    Ok(found)
}

/// Functions inside of what goes away by which a program starts.
fn started(
    ctx: &RefactorContext<'_>,
    rx: &Resolver,
    gone: &[GlobalDef],
    roots: &[GlobalDef],
) -> Vec<Conflict> {
    let starts = |def: &&GlobalDef| {
        let d = rx.def(**def);
        let name = rx.def_name(**def);
        let is_free = d.flags.has(DefFlags::STATIC)
            || rx.member_owner(**def).is_none_or(|owner| rx.kind(owner) == SymbolKind::Object);
        is_free
            && d.kind.is_callable()
            && matches!(name, "main" | "init")
            && names::is_called_by_name(rx.language_of(**def), name, SymbolKind::Function)
            && !roots.contains(*def)
    };
    let told = |def: &GlobalDef| {
        let at = Some(ctx.at(def.file, rx.def(*def).name_range));
        conflict(ConflictKind::InUse, format!("the program starts by `{}`", rx.def_name(*def)), at)
    };
    gone.iter().filter(starts).map(told).collect()
}

/// Methods that would be missing: an implementation of something that is asked for, the base of others.
fn relatives(
    ctx: &RefactorContext<'_>,
    rx: &Resolver,
    roots: &[GlobalDef],
    effect: &Effect,
) -> Result<Vec<Conflict>, QueryError> {
    let mut found = Vec::new();
    for root in roots {
        let d = rx.def(*root);
        let name = rx.shared_name(*root);
        let at = |def: GlobalDef| Some(ctx.at(def.file, rx.def(def).name_range));
        if !d.flags.has(DefFlags::LOCAL)
            && (d.flags.has(DefFlags::OPERATOR) || is_called_by_name(rx, *root, &name))
        {
            let message = format!("`{name}` is a name that the language or its library calls by itself");
            found.push(conflict(ConflictKind::InUse, message, at(*root)));
        }
        if !d.kind.is_overridable() && !has_accessors(rx, *root) {
            continue;
        }
        if rx.policy_of(*root).may_override_unseen(rx, *root) {
            let message =
                format!("`{name}` may stand for a member of a supertype that is not in the project");
            found.push(conflict(ConflictKind::Unresolved, message, at(*root)));
        }
        for other in related_methods(rx, ctx.cx, *root)? {
            if !roots.contains(&other) && !effect.removes(other.file, rx.def(other).range) {
                let message =
                    format!("a declaration of {} overrides it, or is overridden", ctx.path(other.file));
                found.push(conflict(ConflictKind::InUse, message, None));
            }
        }
    }
    Ok(found)
}

/// Takes the lines of a declaration away, if they hold nothing else.
fn remove(
    scenes: &mut Scenes<'_>,
    def: GlobalDef,
    effect: &mut Effect,
    conflicts: &mut Vec<Conflict>,
) -> Result<(), QueryError> {
    let ctx = scenes.ctx;
    let d = ctx.pool.with(|rx| rx.def(def).clone());
    let text = (ctx.text)(def.file)?;
    if d.kind == SymbolKind::Label {
        let range = label(&text.text, d.name_range);
        effect.edits.entry(def.file).or_default().push(TextEdit::new(range, ""));
        effect.removed.entry(def.file).or_default().push(range);
        return Ok(());
    }
    let start = d.doc.filter(|doc| doc.end <= d.range.start).map_or(d.range.start, |doc| doc.start);
    let is_part = matches!(d.kind, SymbolKind::Parameter | SymbolKind::TypeParameter | SymbolKind::EnumCase);
    // Go writes declarations in parentheses, other languages parts of a list.
    let is_go = ctx.pool.with(|rx| rx.file(def.file).family() == ide_model::Family::Go);
    let ends_list = || !is_go && text.text[d.range.end as usize..].trim_start().starts_with(')');
    let whole = if is_part || ends_list() {
        None
    } else {
        whole_lines(&text.text, TextRange::new(start, d.range.end), d.range.start)
    };
    match whole {
        Some(range) => {
            let left = empty_block(scenes, def.file, d.range)?.unwrap_or_default();
            effect.edits.entry(def.file).or_default().push(TextEdit::new(range, left));
            effect.removed.entry(def.file).or_default().push(range);
        }
        None => {
            let message =
                format!("`{}` shares its lines with other code", ctx.pool.with(|rx| rx.shared_name(def)));
            conflicts.push(conflict(ConflictKind::Form, message, Some(ctx.at(def.file, d.name_range))));
        }
    }
    Ok(())
}

/// The line that a block of Python keeps when its only statement goes.
fn empty_block(
    scenes: &mut Scenes<'_>,
    file: FileId,
    range: TextRange,
) -> Result<Option<String>, QueryError> {
    let is_python = scenes.ctx.pool.with(|rx| rx.file(file).family() == ide_model::Family::Python);
    if !is_python {
        return Ok(None);
    }
    let Some(scene) = scenes.open(file)? else { return Ok(None) };
    let syntax = &scene.syntax;
    let block = syntax.ancestors(syntax.around(range)).find(|id| syntax.kind(*id) == "block");
    let is_only = |block| {
        let mut statements = syntax.named(block);
        statements.next().is_some_and(|only| syntax.range(only).encloses(range))
            && statements.next().is_none()
    };
    Ok(block.filter(|block| is_only(*block)).map(|_| format!("{}pass\n", syntax.indent_at(range.start))))
}

/// The part of the text that a declaration is: a label is no part of the statement that it stands before.
pub(super) fn extent(d: &Def) -> TextRange {
    if d.kind == SymbolKind::Label { d.name_range } else { d.range }
}

/// A label with its mark, and the whole line where nothing else stands on it.
fn label(text: &str, name: TextRange) -> TextRange {
    let rest = &text[name.end as usize..];
    let marked = rest.trim_start_matches([' ', '\t']);
    let mark = if marked.starts_with([':', '@']) { rest.len() - marked.len() + 1 } else { 0 };
    let end = name.end as usize + mark;
    let blank = text[end..].len() - text[end..].trim_start_matches([' ', '\t', '\r']).len();
    let start = text[..name.start as usize].rfind('\n').map_or(0, |at| at + 1);
    let is_alone = text[start..name.start as usize].trim().is_empty();
    match text[end + blank..].starts_with('\n') {
        true if is_alone => TextRange::new(start as u32, (end + blank + 1) as u32),
        _ => TextRange::new(name.start, (end + blank) as u32),
    }
}

/// The lines of a range with one blank line of the two around it, when only words stand before it (modifiers, `export
/// const`) and only the end of a statement behind it.
fn whole_lines(text: &str, range: TextRange, declared_at: u32) -> Option<TextRange> {
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |i| i + 1);
    let start = line_start(range.start as usize);
    let before = &text[start..range.start as usize];
    // Between a documentation comment and its declaration stand only modifiers too.
    let modifiers = &text[line_start(declared_at as usize).max(start)..declared_at as usize];
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c.is_whitespace();
    let is_below = line_start(declared_at as usize) > range.start as usize;
    if !before.chars().all(is_word) || is_below && !modifiers.chars().all(is_word) {
        return None;
    }
    let rest = &text[range.end as usize..];
    let line = rest.split_inclusive('\n').next().unwrap_or("");
    let after = line.trim_start().trim_start_matches(';').trim();
    let is_comment = ["//", "#"].iter().any(|mark| after.starts_with(mark));
    if !after.is_empty() && !is_comment {
        return None;
    }
    let mut end = range.end as usize + line.len();
    let is_blank = |line: &str| !line.is_empty() && line.trim().is_empty();
    let above = text[..start].split_inclusive('\n').next_back().unwrap_or("\n");
    let below = text[end..].split_inclusive('\n').next().unwrap_or("");
    if is_blank(above) && is_blank(below) {
        end += below.len();
    }
    Some(TextRange::new(start as u32, end as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_whole_or_not_at_all() {
        let cut = |text: &str, what: &str| {
            let start = text.find(what).unwrap() as u32;
            let range = TextRange::new(start, start + what.len() as u32);
            whole_lines(text, range, start)
                .map(|r| format!("{}{}", &text[..r.start as usize], &text[r.end as usize..]))
        };
        assert_eq!(cut("a;\n\n  export const x = 1; // why\n\nb;\n", "x = 1").as_deref(), Some("a;\n\nb;\n"));
        assert_eq!(cut("f(); int x = 1;\n", "int x = 1"), None);
        assert_eq!(cut("int x = 1, y = 2;\n", "x = 1"), None);
        assert_eq!(cut("x = 1", "x = 1").as_deref(), Some(""));
    }
}
