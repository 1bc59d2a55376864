//! Symbol search: the sorted dictionaries of names are scanned with letter masks, and only declarations of matching names
//! are looked at.

use std::ops::Range;

use ide_model::{
    Capped, Cx, FileMeta, NameMatcher, NameScore, QueryError, SearchKind, SourceKind, SymbolKind, SymbolQuery,
};

use crate::codec::Corrupt;
use crate::library::chain;
use crate::overlay::Layer;
use crate::segment::{DeclRow, FileRow};
use crate::snapshot::IndexSnapshot;
use crate::world::{FileId, GlobalDef, World};

/// A declaration that a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchHit {
    pub at: GlobalDef,
    pub kind: SymbolKind,
    pub score: NameScore,
}

/// How often a scan asks whether it should stop, in names.
const CHECK_EVERY: usize = 4096;

impl IndexSnapshot {
    /// Declarations by name, best match first: by score, then project before library and production before test, then by
    /// path and place. Filters are applied before anything is cut. Typing errors are considered only when nothing
    /// matches without them.
    ///
    /// # Errors
    /// When the call is stopped.
    pub fn search(&self, cx: Cx<'_>, query: &SymbolQuery<'_>) -> Result<Capped<SearchHit>, QueryError> {
        let (containers, member) = parts_of(query.pattern);
        let mut search = Search {
            snapshot: self,
            query,
            matcher: NameMatcher::symbol(query.pattern, query.mode),
            member: NameMatcher::plain(member, query.mode),
            container: containers.map(|part| NameMatcher::plain(part, query.mode)),
            admitted: vec![None; self.file_count() as usize],
            beside: vec![None; self.file_count() as usize],
            reach: Vec::new(),
            hits: Vec::new(),
            by_tier: [0; 11],
        };
        if !search.enough_by_prefix(cx, member)? {
            search.scan(cx, false)?;
            if search.hits.is_empty() {
                search.scan(cx, true)?;
            }
        }
        let mut hits = search.hits;
        let cut = hits.len() > query.limit;
        if cut {
            hits.select_nth_unstable_by_key(query.limit, Ranked::key);
            hits.truncate(query.limit);
        }
        hits.sort_unstable_by_key(Ranked::key);
        Ok(Capped { items: hits.into_iter().map(|ranked| ranked.hit).collect(), cut })
    }
}

/// A hit with what it is ordered by.
struct Ranked {
    hit: SearchHit,
    source: SourceKind,
}

impl Ranked {
    fn key(&self) -> (NameScore, SourceKind, GlobalDef) {
        (self.hit.score, self.source, self.hit.at)
    }
}

/// Matches of these tiers begin with the pattern.
const PREFIX_TIERS: u8 = 4;

/// The last part of a pattern, which the name itself must match, and the container named just before it.
pub(crate) fn parts_of(pattern: &str) -> (Option<&str>, &str) {
    let head = pattern.split_once('(').map_or(pattern, |(head, _)| head).trim();
    let mut parts = head.split(['.', '#', ':', '/', '\\']).filter(|part| !part.is_empty()).rev();
    let member = parts.next().unwrap_or(head);
    (parts.next(), member)
}

struct Search<'s> {
    snapshot: &'s IndexSnapshot,
    query: &'s SymbolQuery<'s>,
    matcher: NameMatcher,
    member: NameMatcher,
    /// Of a qualified pattern.
    container: Option<NameMatcher>,
    /// What the filters say of each file, once asked.
    admitted: Vec<Option<bool>>,
    /// Whether the path or the package of each file may hold the container of the pattern, once asked.
    beside: Vec<Option<bool>>,
    /// Per file of the layer that is scanned: whether the container of the pattern may be declared in it.
    reach: Vec<bool>,
    hits: Vec<Ranked>,
    /// How many hits of each tier there are.
    by_tier: [usize; 11],
}

impl Search<'_> {
    /// Names that begin with the pattern stand together in the dictionary and rank before all others: when there are more
    /// of them than are wanted, no other name is looked at.
    fn enough_by_prefix(&mut self, cx: Cx<'_>, member: &str) -> Result<bool, QueryError> {
        let first = member.bytes().next().filter(u8::is_ascii_alphanumeric);
        let Some(first) = first.filter(|_| !self.matcher.is_qualified()) else { return Ok(false) };
        let mut letters = vec![first.to_ascii_uppercase(), first.to_ascii_lowercase()];
        letters.dedup();
        let snapshot = self.snapshot;
        for layer in snapshot.layers() {
            for letter in &letters {
                let bounds = layer
                    .segment
                    .first_rank(&[*letter])
                    .and_then(|start| Ok(start..layer.segment.first_rank(&[letter + 1])?));
                let ranks = snapshot.or_damaged(bounds);
                self.scan_ranks(cx, layer, ranks, false)?;
            }
        }
        self.hits.retain(|ranked| ranked.hit.score.tier <= PREFIX_TIERS);
        let is_enough = self.hits.len() > self.query.limit;
        if !is_enough {
            self.hits.clear();
            self.by_tier = [0; 11];
        }
        Ok(is_enough)
    }

    fn scan(&mut self, cx: Cx<'_>, approximate: bool) -> Result<(), QueryError> {
        for layer in self.snapshot.layers() {
            let reach = self.snapshot.or_damaged(self.reach(layer, approximate));
            self.reach = reach;
            self.scan_ranks(cx, layer, 0..layer.segment.name_count(), approximate)?;
        }
        Ok(())
    }

    /// For a qualified pattern, the files that declare a name like its container: in others only the path and the package
    /// can match. Typing errors may hide anywhere.
    fn reach(&self, layer: &Layer, approximate: bool) -> Result<Vec<bool>, Corrupt> {
        let segment = &layer.segment;
        let Some(container) = self.container.as_ref() else { return Ok(Vec::new()) };
        let mut reach = vec![approximate; segment.rows().len()];
        for (rank, mask) in segment.masks(0..segment.name_count()).enumerate() {
            if container.may_match(mask) && container.score(segment.name(rank as u32)?).is_some() {
                for posting in segment.postings(rank as u32)? {
                    let (file, declares) = posting?;
                    reach[file as usize] |= declares;
                }
            }
        }
        Ok(reach)
    }

    fn scan_ranks(
        &mut self,
        cx: Cx<'_>,
        layer: &Layer,
        ranks: Range<u32>,
        approximate: bool,
    ) -> Result<(), QueryError> {
        for (i, mask) in layer.segment.masks(ranks.clone()).enumerate() {
            if i % CHECK_EVERY == 0 {
                cx.check()?;
            }
            let may_match = if approximate {
                self.matcher.may_match_approximately(mask)
            } else {
                self.matcher.may_match(mask)
            };
            if may_match {
                let result = self.name(layer, ranks.start + i as u32, approximate);
                self.snapshot.or_damaged(result);
            }
        }
        Ok(())
    }

    fn name(&mut self, layer: &Layer, rank: u32, approximate: bool) -> Result<(), Corrupt> {
        let name = layer.segment.name(rank)?;
        let is_qualified = self.matcher.is_qualified();
        // A name may hold the separators of the pattern itself.
        let is_whole = is_qualified && self.matcher.score(name).is_some();
        // The tier of a declaration inside of something is that of its own name.
        let alone = if is_qualified { &self.member } else { &self.matcher };
        let score = if approximate {
            alone.approximate(name, "").or_else(|| alone.score(name).filter(|_| is_qualified))
        } else {
            alone.score_within(name, self.worst_useful())
        };
        if score.is_none() && !is_whole {
            return Ok(());
        }
        let score = score.filter(|_| !is_qualified);
        for row in layer.segment.declarations(rank)? {
            let row = row?;
            let Some(file) = layer.number(row.file) else { continue };
            if self.query.kind == SearchKind::Types && !row.kind.is_type() || !self.admits(file) {
                continue;
            }
            let at = GlobalDef { file, def: row.def };
            let score = match score {
                Some(score) => Some(score),
                None if is_whole || self.may_be_inside(at.file, &row, approximate) => {
                    self.qualified(layer, at, &row, name, approximate)?
                }
                None => None,
            };
            let source = self.snapshot.file(file).source;
            if let Some(score) = score {
                self.by_tier[usize::from(score.tier)] += 1;
                self.hits.push(Ranked { hit: SearchHit { at, kind: row.kind, score }, source });
            }
        }
        Ok(())
    }

    /// The worst tier that can still be among the first hits: when there are more than are wanted of better ones, worse
    /// ones are cut in any case.
    fn worst_useful(&self) -> u8 {
        let mut count = 0;
        let is_full = |tier: &u8| {
            count += self.by_tier[usize::from(*tier)];
            count > self.query.limit
        };
        (0..=10).find(is_full).unwrap_or(10)
    }

    /// False when nothing around a declaration matches the innermost container of the pattern.
    fn may_be_inside(&mut self, file: FileId, row: &DeclRow, approximate: bool) -> bool {
        let is_within = row.container.is_some() && self.reach[row.file as usize];
        let (snapshot, container) = (self.snapshot, &self.container);
        approximate
            || is_within
            || *self.beside[file.0 as usize].get_or_insert_with(|| {
                let outer = outer_of(snapshot.row(file), &[], "");
                let matches = |part: &NameMatcher| {
                    outer.split(['.', '#', ':', '/', '\\']).any(|segment| part.score(segment).is_some())
                };
                container.as_ref().is_none_or(matches)
            })
    }

    fn qualified(
        &self,
        layer: &Layer,
        at: GlobalDef,
        row: &DeclRow,
        name: &str,
        approximate: bool,
    ) -> Result<Option<NameScore>, Corrupt> {
        let file = self.snapshot.row(at.file);
        let score = |outer: &str| {
            if approximate {
                self.matcher.approximate(name, outer)
            } else {
                self.matcher.score_in(name, outer)
            }
        };
        let container = row.container.filter(|_| self.reach[row.file as usize]);
        let Some(container) = container else { return Ok(score(&outer_of(file, &[], name))) };
        // Inner containers are asked first: where the innermost is enough, outer ones change nothing.
        if let Some(score) = score(layer.segment.name(container)?) {
            return Ok(Some(score));
        }
        let facts = self.snapshot.facts(at.file);
        // Facts that could not be read are empty; the damage is noted there.
        let is_there = facts.defs.get(row.def.index()).is_some();
        Ok(is_there.then(|| score(&outer_of(file, &chain(&facts, at), name))).flatten())
    }

    fn admits(&mut self, file: FileId) -> bool {
        let (snapshot, query) = (self.snapshot, self.query);
        *self.admitted[file.0 as usize].get_or_insert_with(|| {
            let entry = snapshot.file(file);
            let meta = FileMeta {
                path: entry.path.clone(),
                language: entry.language,
                source: entry.source,
                is_generated: entry.is_generated,
                size: entry.size,
            };
            query.language.is_none_or(|wanted| entry.language == Some(wanted)) && (query.filter)(&meta)
        })
    }
}

/// Everything that a qualified pattern may name before the member: directories and file, package, enclosing declarations,
/// and the declaration itself.
pub(crate) fn outer_name(path: &str, package: &str, chain: &[&str], name: &str) -> String {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let mut text = format!("{stem}.{package}");
    for part in chain.iter().chain([&name]) {
        text.push('.');
        text.push_str(part);
    }
    text
}

fn outer_of(row: &FileRow, chain: &[&str], name: &str) -> String {
    outer_name(row.entry.path.as_str(), row.package.as_deref().unwrap_or_default(), chain, name)
}
