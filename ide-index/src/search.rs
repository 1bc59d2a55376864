//! Symbol search: the sorted dictionaries of names are scanned with letter masks, and only declarations of matching names
//! are looked at.

use std::collections::BinaryHeap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use ide_model::{
    Capped, Cx, FileMeta, NameMatcher, NameScore, QueryError, SearchKind, SourceKind, SymbolKind, SymbolQuery,
};
use rustc_hash::FxHashMap;

use crate::codec::Corrupt;
use crate::library::chain;
use crate::overlay::Layer;
use crate::segment::{DeclRow, FileRow};
use crate::snapshot::IndexSnapshot;
use crate::world::{FileId, GlobalDef, World, is_written};

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
    /// Declarations by name, best match first: by how much of the name is matched, then code before documents
    /// and of whole names types first, by score, then project before library and production before test, then by
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
            containers: FxHashMap::default(),
            within: FxHashMap::default(),
            layer: 0,
            hits: Vec::new(),
            deeper: Vec::new(),
            by_tier: [0; 11],
        };
        for layer in self.layers() {
            search.reach.push(self.or_damaged(search.reach(layer)));
        }
        if !search.enough_by_first_letter(cx, [query.pattern.trim(), member])? {
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

/// Tier and tier of the container, then code before documents and of whole names types before the rest, then the score.
type Key = ((u8, u8), u8, NameScore, SourceKind, GlobalDef);

impl Ranked {
    fn key(&self) -> Key {
        let SearchHit { at, kind, score } = self.hit;
        let kind = match kind {
            SymbolKind::Heading | SymbolKind::Key => 2,
            kind if score.tier <= WHOLE_NAME_TIERS && !kind.is_type() => 1,
            _ => 0,
        };
        ((score.tier, score.container_tier), kind, score, self.source, at)
    }
}

/// Matches of these tiers are whole names.
const WHOLE_NAME_TIERS: u8 = 2;

/// Matches of these tiers begin with the first letter of the pattern.
const FIRST_LETTER_TIERS: u8 = 5;

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
    /// The matcher for the container of a qualified pattern.
    container: Option<NameMatcher>,
    /// The answers of the filters, by file.
    admitted: Vec<Option<bool>>,
    /// Whether the path or the package of each file may hold the container of the pattern, once asked.
    beside: Vec<Option<bool>>,
    /// Per layer and file of it: whether the container of the pattern may be declared in it.
    reach: Vec<Vec<bool>>,
    /// Per layer and name: the files that declare it, in order, and in what.
    containers: FxHashMap<(usize, u32), Vec<Within>>,
    /// Per layer, file of it and name: whether the container of the pattern may be declared there under the name or around
    /// it, once asked.
    within: FxHashMap<(usize, u32, u32), bool>,
    /// The layer that is scanned.
    layer: usize,
    hits: Vec<Ranked>,
    /// Declarations of which only their facts say whether the container of the pattern is somewhere around them, with the
    /// best score that they can get, and their names.
    deeper: Vec<(Ranked, &'s str)>,
    /// How many hits of each tier there are.
    by_tier: [usize; 11],
}

impl<'s> Search<'s> {
    /// Names that begin with a letter stand together in the dictionary, and those that begin as the pattern does rank
    /// before all others: when there are more of them than are wanted, no other name is looked at. In a qualified
    /// pattern the name may be the last part or, with the separators in it, the whole.
    fn enough_by_first_letter(&mut self, cx: Cx<'_>, patterns: [&str; 2]) -> Result<bool, QueryError> {
        let mut letters = Vec::new();
        for pattern in patterns {
            let first = pattern.bytes().next().filter(u8::is_ascii_alphanumeric);
            let Some(first) = first else { return Ok(false) };
            letters.extend([first.to_ascii_uppercase(), first.to_ascii_lowercase()]);
        }
        letters.sort_unstable();
        letters.dedup();
        let snapshot = self.snapshot;
        for (number, layer) in snapshot.layers().enumerate() {
            self.layer = number;
            for letter in &letters {
                let bounds = layer
                    .segment
                    .first_rank(&[*letter])
                    .and_then(|start| Ok(start..layer.segment.first_rank(&[letter + 1])?));
                let ranks = snapshot.or_damaged(bounds);
                self.scan_ranks(cx, layer, ranks, false)?;
            }
        }
        self.look_deeper(cx)?;
        self.hits.retain(|ranked| ranked.hit.score.tier <= FIRST_LETTER_TIERS);
        let is_enough = self.hits.len() > self.query.limit;
        if !is_enough {
            self.hits.clear();
            self.by_tier = [0; 11];
        }
        Ok(is_enough)
    }

    fn scan(&mut self, cx: Cx<'_>, approximate: bool) -> Result<(), QueryError> {
        for (number, layer) in self.snapshot.layers().enumerate() {
            self.layer = number;
            self.scan_ranks(cx, layer, 0..layer.segment.name_count(), approximate)?;
        }
        self.look_deeper(cx)
    }

    /// Reads the facts that are still needed, the best candidates first, until no further one could be among the hits that
    /// are wanted.
    fn look_deeper(&mut self, cx: Cx<'_>) -> Result<(), QueryError> {
        let mut deeper = std::mem::take(&mut self.deeper);
        deeper.sort_unstable_by_key(|(ranked, _)| ranked.key());
        let mut best: BinaryHeap<Key> = self.hits.iter().map(Ranked::key).collect();
        for (ranked, name) in deeper {
            cx.check()?;
            while best.len() > self.query.limit.saturating_add(1) {
                best.pop();
            }
            let is_full = best.len() > self.query.limit;
            if is_full && best.peek().is_some_and(|worst| *worst < ranked.key()) {
                break;
            }
            let Ranked { hit: SearchHit { at, kind, .. }, source } = ranked;
            if let Some(score) = self.among_all(at, name, false) {
                let ranked = Ranked { hit: SearchHit { at, kind, score }, source };
                best.push(ranked.key());
                self.hits.push(ranked);
            }
        }
        Ok(())
    }

    /// The score of a declaration by everything that is around it.
    fn among_all(&self, at: GlobalDef, name: &str, approximate: bool) -> Option<NameScore> {
        let facts = self.snapshot.facts(at.file);
        // Facts that could not be read are empty; the damage is noted there.
        facts.defs.get(at.def.index())?;
        let outer = outer_of(self.snapshot.row(at.file), &chain(&facts, at), name);
        scored(&self.matcher, name, &outer, approximate)
    }

    /// For a qualified pattern, the files that declare a name like its container: in others only the path and the package
    /// can match.
    fn reach(&self, layer: &Layer) -> Result<Vec<bool>, Corrupt> {
        let segment = &layer.segment;
        let Some(container) = self.container.as_ref() else { return Ok(Vec::new()) };
        let mut reach = vec![false; segment.rows().len()];
        for (rank, mask) in (0..).zip(segment.masks(0..segment.name_count())) {
            if container.may_match(mask) && segment.declares(rank)? && container.matches(segment.name(rank)?)
            {
                for posting in segment.postings(rank)? {
                    let posting = posting?;
                    reach[posting.file as usize] |= posting.declares;
                }
            }
        }
        Ok(reach)
    }

    fn scan_ranks(
        &mut self,
        cx: Cx<'_>,
        layer: &'s Layer,
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

    fn name(&mut self, layer: &'s Layer, rank: u32, approximate: bool) -> Result<(), Corrupt> {
        if !layer.segment.declares(rank)? {
            return Ok(());
        }
        let name = layer.segment.name(rank)?;
        let is_qualified = self.matcher.is_qualified();
        // A name may hold the separators of the pattern itself.
        let is_whole = is_qualified && self.matcher.score(name).is_some();
        let is_inner = is_qualified && !is_whole && !approximate;
        if is_inner && !(self.member.matches(name) && self.may_any_be_inside(layer, rank)?) {
            return Ok(());
        }
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
        let own = score;
        let score = score.filter(|_| !is_qualified);
        for row in layer.segment.declarations(rank)? {
            let row = row?;
            let Some(file) = layer.number(row.file) else { continue };
            let is_wanted = self.query.kind != SearchKind::Types || row.kind.is_type();
            if !is_wanted || !is_written(row.kind, row.flags) || !self.admits(file) {
                continue;
            }
            let at = GlobalDef { file, def: row.def };
            let source = self.snapshot.file(file).source;
            let ranked = |score| Ranked { hit: SearchHit { at, kind: row.kind, score }, source };
            let score = match score {
                Some(score) => Some(score),
                None if is_whole || self.may_be_inside(layer, at.file, &row, approximate)? => {
                    match self.qualified(layer, at, &row, name, approximate)? {
                        Qualified::Known(score) => score,
                        Qualified::Deeper => match own.filter(|_| !is_whole && !approximate) {
                            Some(own) => {
                                self.deeper.push((ranked(own), name));
                                None
                            }
                            None => self.among_all(at, name, approximate),
                        },
                    }
                }
                None => None,
            };
            if let Some(score) = score {
                self.by_tier[usize::from(score.tier)] += 1;
                self.hits.push(ranked(score));
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

    /// Whether one of the declarations of a name may be inside the innermost container of the pattern.
    fn may_any_be_inside(&mut self, layer: &Layer, rank: u32) -> Result<bool, Corrupt> {
        for row in layer.segment.declarations(rank)? {
            let row = row?;
            if let Some(file) = layer.number(row.file)
                && self.may_be_inside(layer, file, &row, false)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// False when nothing around a declaration matches the innermost container of the pattern.
    fn may_be_inside(
        &mut self,
        layer: &Layer,
        file: FileId,
        row: &DeclRow,
        approximate: bool,
    ) -> Result<bool, Corrupt> {
        if approximate || self.is_within(layer, row)? {
            return Ok(true);
        }
        let (snapshot, container) = (self.snapshot, &self.container);
        let is_beside = self.beside[file.0 as usize].get_or_insert_with(|| {
            let outer = outer_of(snapshot.row(file), &[], "");
            let matches = |part: &NameMatcher| {
                outer.split(['.', '#', ':', '/', '\\']).any(|segment| part.matches(segment))
            };
            container.as_ref().is_none_or(matches)
        });
        Ok(*is_beside)
    }

    /// Whether a declaration around another one may be the innermost container of the pattern.
    fn is_within(&mut self, layer: &Layer, row: &DeclRow) -> Result<bool, Corrupt> {
        let Some(around) = row.container.filter(|_| self.reach[self.layer][row.file as usize]) else {
            return Ok(false);
        };
        let key = (self.layer, row.file, around);
        if let Some(known) = self.within.get(&key) {
            return Ok(*known);
        }
        let is_within = self.is_around(layer, row.file, around)?;
        self.within.insert(key, is_within);
        Ok(is_within)
    }

    /// Whether the container of the pattern may be the declaration of a name in a file, or around it. All that are declared
    /// under one name there count as one.
    fn is_around(&mut self, layer: &Layer, file: u32, name: u32) -> Result<bool, Corrupt> {
        let (mut around, mut done) = (vec![name], Vec::new());
        while let Some(name) = around.pop() {
            if done.contains(&name) {
                continue;
            }
            done.push(name);
            let text = layer.segment.name(name)?;
            if self.container.as_ref().is_none_or(|part| part.matches(text)) {
                return Ok(true);
            }
            let containers = match self.containers.entry((self.layer, name)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => {
                    let rows = layer.segment.declarations(name)?;
                    let container = |row: Result<DeclRow, _>| row.map(|row| (row.file, row.container));
                    unknown.insert(rows.map(container).collect::<Result<_, _>>()?)
                }
            };
            let start = containers.partition_point(|(of, _)| *of < file);
            let here = containers[start..].iter().take_while(|(of, _)| *of == file);
            around.extend(here.filter_map(|(_, container)| *container));
        }
        Ok(false)
    }

    fn qualified(
        &mut self,
        layer: &Layer,
        at: GlobalDef,
        row: &DeclRow,
        name: &str,
        approximate: bool,
    ) -> Result<Qualified, Corrupt> {
        // Typing errors may hide anywhere.
        let is_within = approximate || self.is_within(layer, row)?;
        let score = |outer: &str| scored(&self.matcher, name, outer, approximate);
        let Some(container) = row.container.filter(|_| is_within) else {
            return Ok(Qualified::Known(score(&outer_of(self.snapshot.row(at.file), &[], name))));
        };
        // Inner containers are asked first: where the innermost is enough, outer ones change nothing.
        let by_container = score(layer.segment.name(container)?);
        Ok(by_container.map_or(Qualified::Deeper, |score| Qualified::Known(Some(score))))
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

/// The file of a declaration, and the name of what it is declared in.
type Within = (u32, Option<u32>);

/// The match of a qualified pattern by the names of a declaration and of its innermost container.
enum Qualified {
    Known(Option<NameScore>),
    /// It depends on what is further out.
    Deeper,
}

fn scored(matcher: &NameMatcher, name: &str, outer: &str, approximate: bool) -> Option<NameScore> {
    if approximate { matcher.approximate(name, outer) } else { matcher.score_in(name, outer) }
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
