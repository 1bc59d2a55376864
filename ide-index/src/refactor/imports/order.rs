//! The order of imports: which one a project keeps, and what it makes of a file.

use std::collections::BTreeSet;

use ide_model::{Language, QueryError, SourceKind, TextRange};

use super::super::RefactorContext;
use super::Unit;
use super::statements::{Statement, statements};
use super::unused::imports_in;
use crate::facts::ImportId;
use crate::lang::imports::{Imports, Key, Ordered, Style};
use crate::resolve::{FileView, Resolver, Target};
use crate::world::FileId;

/// Other files that are looked at.
const WITNESSES: usize = 40;
/// Runs that say nothing yet of how a project orders.
const TOO_FEW: usize = 3;

/// A style, and the file whose statements are ordered.
#[derive(Clone, Copy)]
pub(super) struct Chosen {
    style: Style,
    file: FileId,
}

/// The order that the files around keep; without enough of them the usual one of the language. `None` when there is none
/// to be seen.
pub(super) fn style(
    ctx: &RefactorContext<'_>,
    id: FileId,
    language: Language,
    row: &'static Imports,
    (own, own_text): (&[Statement], &str),
) -> Result<Option<Chosen>, QueryError> {
    let chosen = |style: &Style| Some(Chosen { style: *style, file: id });
    if row.is_fixed_style {
        return Ok(row.styles.first().and_then(chosen));
    }
    let mut fits = vec![0_usize; row.styles.len()];
    let mut seen = 0;
    for other in witnesses(ctx, id, language) {
        ctx.cx.check()?;
        let text = (ctx.text)(other)?;
        let found = statements(language, row, &text.text);
        for run in runs(&found, &text.text).filter(|run| run.len() > 1) {
            seen += 1;
            for (fit, style) in fits.iter_mut().zip(row.styles) {
                *fit += usize::from(ctx.pool.with(|rx| is_ordered(rx, other, style, run, &text.text)));
            }
        }
    }
    if seen < TOO_FEW {
        // Of orders that differ little the one is taken that the file itself is nearest to.
        let nearest = row.styles.iter().take_while(|s| s.has_sections == row.styles[0].has_sections);
        let disorder = |style: &&Style| ctx.pool.with(|rx| disorder(rx, id, style, own, own_text));
        return Ok(nearest.min_by_key(disorder).filter(|_| row.has_usual_style).and_then(chosen));
    }
    let best = fits.iter().copied().max().unwrap_or(0);
    let style = row.styles.iter().zip(&fits).find(|(_, fit)| **fit == best).map(|(style, _)| style);
    Ok(style.filter(|_| best * 5 >= seen * 4).and_then(chosen))
}

/// Files of the language, those of the same directory first.
fn witnesses(ctx: &RefactorContext<'_>, id: FileId, language: Language) -> Vec<FileId> {
    let world = ctx.pool.world();
    let path = world.file(id).path.as_str();
    let distance = |other: &FileId| {
        let other = world.file(*other).path.as_str();
        let shared = path.split('/').zip(other.split('/')).take_while(|(a, b)| a == b).count();
        std::cmp::Reverse(shared)
    };
    let mut all: Vec<FileId> = (0..world.file_count())
        .map(FileId)
        .filter(|other| {
            let entry = world.file(*other);
            *other != id
                && entry.language == Some(language)
                && entry.source != SourceKind::Library
                && !entry.is_generated
        })
        .collect();
    all.sort_by_key(distance);
    all.truncate(WITNESSES);
    all
}

/// Statements that follow one another with nothing but blank lines between, none of them fixed.
pub(super) fn runs<'s>(all: &'s [Statement], text: &'s str) -> impl Iterator<Item = &'s [Statement]> {
    all.chunk_by(move |a, b| {
        let between = text.get(a.lines.end as usize..b.head as usize);
        !a.is_fixed && !b.is_fixed && a.block == b.block && between.is_some_and(|text| text.trim().is_empty())
    })
    .filter(|run| !run[0].is_fixed)
}

/// Orders units by a style. Gives back before which of them a blank line stands; `None` when the order is not to change.
pub(super) fn sorted(
    ctx: &RefactorContext<'_>,
    units: &mut Vec<Unit<'_>>,
    style: Option<Chosen>,
    text: &str,
) -> Option<Vec<usize>> {
    let Chosen { style, file } = style?;
    ctx.pool.with(|rx| {
        let view = rx.file(file);
        let key = |statement: &Statement| key(rx, view, &style, statement, text);
        if style.has_sections {
            units.sort_by_cached_key(|unit| key(unit.statement));
            let sections: Vec<u8> = units.iter().map(|unit| key(unit.statement).0).collect();
            return Some((1..units.len()).filter(|i| sections[*i] != sections[i - 1]).collect());
        }
        // Imports without a blank line between them stay together.
        let mut gaps = Vec::new();
        let mut groups: Vec<Vec<Unit<'_>>> = Vec::new();
        for unit in units.drain(..) {
            let is_near = groups.last().and_then(|group| group.last()).is_some_and(|last: &Unit<'_>| {
                let between = &text[last.statement.lines.end as usize..unit.statement.head as usize];
                !between.lines().any(|line| line.trim().is_empty())
            });
            match groups.last_mut().filter(|_| is_near) {
                Some(group) => group.push(unit),
                None => groups.push(vec![unit]),
            }
        }
        for mut group in groups {
            if !units.is_empty() {
                gaps.push(units.len());
            }
            group.sort_by_cached_key(|unit| key(unit.statement));
            units.extend(group);
        }
        Some(gaps)
    })
}

fn is_ordered(rx: &Resolver, file: FileId, style: &Style, run: &[Statement], text: &str) -> bool {
    let view = rx.file(file);
    let key = |statement: &Statement| key(rx, view, style, statement, text);
    run.windows(2).all(|pair| {
        let (a, b) = (key(&pair[0]), key(&pair[1]));
        let is_apart = text[pair[0].lines.end as usize..pair[1].head as usize].contains('\n');
        match (style.has_sections, is_apart) {
            (true, _) => a <= b && is_apart == (a.0 != b.0),
            (false, true) => true,
            (false, false) => a <= b,
        }
    })
}

/// How many neighbours stand in the wrong order.
fn disorder(rx: &Resolver, file: FileId, style: &Style, all: &[Statement], text: &str) -> usize {
    let view = rx.file(file);
    let keys: Vec<Key> = all.iter().map(|s| key(rx, view, style, s, text)).collect();
    keys.windows(2).filter(|pair| pair[0] > pair[1]).count()
}

fn key(rx: &Resolver, file: &FileView, style: &Style, statement: &Statement, text: &str) -> Key {
    key_among(style, statement, text, style.has_sections && is_ours(rx, file, statement))
}

/// The place of a statement by what it says itself.
pub(super) fn key_of_text(style: &Style, statement: &Statement, text: &str) -> Key {
    key_among(style, statement, text, false)
}

fn key_among(style: &Style, statement: &Statement, text: &str, is_ours: bool) -> Key {
    let word = |range: TextRange| text.get(range.start as usize..range.end as usize).unwrap_or("");
    (style.key)(&Ordered {
        keyword: word(statement.keyword),
        lead: statement.lead.map_or("", word),
        path: statement.path.split(" as ").next().unwrap_or(""),
        has_alias: statement.path.contains(" as "),
        is_ours,
    })
}

/// Whether an import leads to a file or directory of the project.
fn is_ours(rx: &Resolver, file: &FileView, statement: &Statement) -> bool {
    let first: BTreeSet<ImportId> = imports_in(file, statement.range).into_iter().take(1).collect();
    first.into_iter().any(|import| {
        let Some(segment) = file.list(file.import(import).path).next() else { return true };
        let resolved = rx.resolve(file.global_ref(segment));
        resolved.resolution.targets.iter().any(|target| match target {
            Target::Module(id) => rx.world().file(*id).source != SourceKind::Library,
            Target::Package(_) => true,
            Target::Def(def) => rx.world().file(def.file).source != SourceKind::Library,
            Target::External(_) => false,
        })
    })
}
