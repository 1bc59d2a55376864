//! Words in the bodies of macros that mean some declarations, or could: what they mean is not always known before the macro is
//! used.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use ide_model::{FileText, QueryError, SourceKind, SymbolKind, TextContext, TextRange};
use rustc_hash::FxHashMap;

use super::RefactorContext;
use super::family::Family;
use crate::classify::classify;
use crate::facts::{DefFlags, DefId};
use crate::guard;
use crate::resolve::{FileView, MacroWord, Resolver};
use crate::world::{FileId, GlobalDef};

/// A word in the body of a macro that means the family, or may.
pub(super) struct InMacro {
    pub(super) file: FileId,
    pub(super) range: TextRange,
    pub(super) is_certain: bool,
}

/// The macros of files, as far as they were asked for.
type MacrosOf = BTreeMap<FileId, Macros>;

/// The macros that a file declares, ordered, with the words of their bodies.
struct Macros {
    all: Vec<(DefId, TextRange)>,
    /// The macros that have a word; of macros within others only the outer ones.
    having: FxHashMap<Box<str>, Vec<usize>>,
    /// The macros within others.
    inner: Vec<usize>,
    /// Comments and texts.
    contexts: Vec<(TextRange, TextContext)>,
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl Macros {
    fn of(ctx: &RefactorContext<'_>, file: FileId) -> Result<Self, QueryError> {
        let view = ctx.pool.with(|rx| rx.shared_file(file));
        let defs = view.def_ids().filter(|def| view.def(*def).kind == SymbolKind::Macro);
        let all: Vec<(DefId, TextRange)> = defs.map(|def| (def, view.def(def).range)).collect();
        let mut macros = Self { all, having: FxHashMap::default(), inner: Vec::new(), contexts: Vec::new() };
        if macros.all.is_empty() {
            return Ok(macros);
        }
        let text = (ctx.text)(file)?;
        let mut end = 0;
        for (i, (_, range)) in macros.all.iter().enumerate() {
            if range.start < end {
                macros.inner.push(i);
                continue;
            }
            end = range.end;
            for word in text.slice(*range).unwrap_or("").split(|c| !is_letter(c)) {
                guard::tick();
                match macros.having.get_mut(word) {
                    Some(having) if having.last() == Some(&i) => {}
                    Some(having) => having.push(i),
                    None => drop(macros.having.insert(word.into(), vec![i])),
                }
            }
        }
        macros.contexts = classify(view.language(), &text.text);
        Ok(macros)
    }

    /// The macros that may have a word, ordered.
    fn with(&self, word: &str) -> Vec<(DefId, TextRange)> {
        if !word.chars().all(is_letter) {
            return self.all.clone();
        }
        let having = self.having.get(word).map_or(&[][..], Vec::as_slice);
        let mut found: Vec<usize> = having.iter().chain(&self.inner).copied().collect();
        found.sort_unstable();
        found.into_iter().map(|i| self.all[i]).collect()
    }

    fn is_code(&self, at: u32) -> bool {
        let next = self.contexts.partition_point(|(range, _)| range.end <= at);
        self.contexts.get(next).is_none_or(|(range, _)| !range.contains(at))
    }
}

/// The macros of a file.
fn macros_of<'k>(
    ctx: &RefactorContext<'_>,
    known: &'k mut MacrosOf,
    file: FileId,
) -> Result<&'k Macros, QueryError> {
    Ok(match known.entry(file) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(place) => place.insert(Macros::of(ctx, file)?),
    })
}

/// Words in the bodies of macros that mean the family, or could.
pub(super) fn in_macros(
    ctx: &RefactorContext<'_>,
    family: &Family,
    only_in: Option<FileId>,
    old: &str,
) -> Result<Vec<InMacro>, QueryError> {
    find(ctx, family, only_in, old, &mut MacrosOf::new())
}

fn find(
    ctx: &RefactorContext<'_>,
    family: &Family,
    only_in: Option<FileId>,
    old: &str,
    known: &mut MacrosOf,
) -> Result<Vec<InMacro>, QueryError> {
    let world = ctx.pool.world();
    let is_local = |def: &GlobalDef| ctx.pool.with(|rx| !is_lifetime(rx, *def));
    let only_in = only_in.filter(|_| family.defs.iter().all(is_local));
    let files = only_in.map_or_else(|| world.files_mentioning(old), |file| vec![file]);
    let is_ours = |file: &FileId| world.file(*file).source != SourceKind::Library;
    let mut found = Vec::new();
    for file in files.into_iter().filter(is_ours) {
        ctx.cx.check()?;
        let macros = macros_of(ctx, known, file)?.with(old);
        if macros.is_empty() {
            continue;
        }
        let view = ctx.pool.with(|rx| rx.shared_file(file));
        let text = (ctx.text)(file)?;
        for (of, range) in macros {
            let words = words_in(&text, range, old);
            let is_nested = !words.is_empty() && is_named_in_macros(ctx, view.def_name(of), known)?;
            for at in words {
                let around = (&text.text[..at.start as usize], &text.text[at.end as usize..]);
                let word = MacroWord { of: view.global(of), is_nested, around };
                let meaning = meaning_in_macro(ctx, family, &view, &word, at);
                if meaning != Some(false) && macros_of(ctx, known, file)?.is_code(at.start) {
                    found.push(InMacro { file, range: at, is_certain: meaning == Some(true) });
                }
            }
        }
    }
    Ok(found)
}

/// Words in the bodies of macros that mean one of some declarations, or could.
pub(super) fn named_in_macros(
    ctx: &RefactorContext<'_>,
    defs: &[GlobalDef],
    only_in: Option<FileId>,
) -> Result<Vec<(FileId, TextRange)>, QueryError> {
    let mut by_name: BTreeMap<Arc<str>, Vec<GlobalDef>> = BTreeMap::new();
    ctx.pool.with(|rx| {
        defs.iter().for_each(|def| by_name.entry(rx.shared_name(*def)).or_default().push(*def));
    });
    let (mut found, mut known) = (Vec::new(), MacrosOf::new());
    for (name, defs) in by_name.into_iter().filter(|(name, _)| !name.is_empty()) {
        let family = Family { defs, libraries: Vec::new() };
        let words = find(ctx, &family, only_in, &name, &mut known)?;
        found.extend(words.into_iter().map(|word| (word.file, word.range)));
    }
    Ok(found)
}

/// Whether a word in a macro means a declaration of the family.
fn meaning_in_macro(
    ctx: &RefactorContext<'_>,
    family: &Family,
    view: &FileView,
    word: &MacroWord<'_>,
    at: TextRange,
) -> Option<bool> {
    if view.by_place().names.at(at).next().is_some() {
        return Some(false);
    }
    let meaning = |rx: &Resolver, def: &GlobalDef| {
        let d = rx.def(*def);
        let is_seen = !d.flags.has(DefFlags::LOCAL)
            || is_lifetime(rx, *def)
            || def.file == view.id && view.scope(d.scope).range.encloses(at);
        if !is_seen || rx.language_of(*def) != view.language() {
            return Some(false);
        }
        rx.policy_of(*def).means_in_macro(rx, *def, word)
    };
    let all: Vec<Option<bool>> = ctx.pool.with(|rx| family.defs.iter().map(|def| meaning(rx, def)).collect());
    if all.contains(&Some(true)) {
        return Some(true);
    }
    if all.contains(&None) { None } else { Some(false) }
}

/// Whether a declaration is a lifetime parameter of Rust, which macros may name that are declared elsewhere.
fn is_lifetime(rx: &Resolver, def: GlobalDef) -> bool {
    rx.def(def).kind == SymbolKind::TypeParameter && rx.def_name(def).starts_with('\'')
}

/// Whether a macro's name is a word in the body of any macro of another name.
fn is_named_in_macros(
    ctx: &RefactorContext<'_>,
    name: &str,
    known: &mut MacrosOf,
) -> Result<bool, QueryError> {
    for file in ctx.pool.world().files_mentioning(name) {
        let macros = macros_of(ctx, known, file)?.with(name);
        if macros.is_empty() {
            continue;
        }
        let view = ctx.pool.with(|rx| rx.shared_file(file));
        let text = (ctx.text)(file)?;
        let is_named = |(def, range): &(DefId, TextRange)| {
            view.def_name(*def) != name && !words_in(&text, *range, name).is_empty()
        };
        if macros.iter().any(is_named) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The ranges of a word in a part of a text.
pub(super) fn words_in(text: &FileText, range: TextRange, word: &str) -> Vec<TextRange> {
    let part = text.slice(range).unwrap_or("");
    let whole =
        |at: &usize| !part[..*at].ends_with(is_letter) && !part[*at + word.len()..].starts_with(is_letter);
    let found = part.match_indices(word).map(|(at, _)| at).filter(whole);
    found.map(|at| TextRange::new(range.start + at as u32, range.start + (at + word.len()) as u32)).collect()
}
