//! Symbol search: the sorted dictionaries of names are scanned with letter masks, and only declarations of matching names
//! are looked at.

use ide_model::{
    Capped, Cx, FileMeta, NameMatcher, NameScore, QueryError, SearchKind, SymbolKind, SymbolQuery,
};

use crate::codec::Corrupt;
use crate::facts::FileFacts;
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
        let mut search = Search {
            snapshot: self,
            query,
            matcher: NameMatcher::symbol(query.pattern, query.mode),
            member: NameMatcher::plain(member_of(query.pattern), query.mode),
            admitted: vec![None; self.file_count() as usize],
            hits: Vec::new(),
        };
        search.scan(cx, false)?;
        if search.hits.is_empty() {
            search.scan(cx, true)?;
        }
        let mut hits = search.hits;
        hits.sort_unstable_by_key(|hit| (hit.score, self.file(hit.at.file).source, hit.at));
        Ok(Capped::cut_at(hits, query.limit))
    }
}

/// The last part of a pattern, which the name itself must match.
fn member_of(pattern: &str) -> &str {
    let head = pattern.split_once('(').map_or(pattern, |(head, _)| head).trim();
    head.split(['.', '#', ':', '/', '\\']).rfind(|part| !part.is_empty()).unwrap_or(head)
}

struct Search<'s> {
    snapshot: &'s IndexSnapshot,
    query: &'s SymbolQuery<'s>,
    matcher: NameMatcher,
    member: NameMatcher,
    /// What the filters say of each file, once asked.
    admitted: Vec<Option<bool>>,
    hits: Vec<SearchHit>,
}

impl Search<'_> {
    fn scan(&mut self, cx: Cx<'_>, approximate: bool) -> Result<(), QueryError> {
        for layer in self.snapshot.layers() {
            for (rank, mask) in layer.segment.masks().enumerate() {
                if rank % CHECK_EVERY == 0 {
                    cx.check()?;
                }
                let may_match = if approximate {
                    self.matcher.may_match_approximately(mask)
                } else {
                    self.matcher.may_match(mask)
                };
                if may_match {
                    let result = self.name(layer, rank as u32, approximate);
                    self.snapshot.or_damaged(result);
                }
            }
        }
        Ok(())
    }

    fn name(&mut self, layer: &Layer, rank: u32, approximate: bool) -> Result<(), Corrupt> {
        let name = layer.segment.name(rank)?;
        let mut score = None;
        if !self.matcher.is_qualified() {
            score = if approximate { self.matcher.approximate(name, "") } else { self.matcher.score(name) };
            if score.is_none() {
                return Ok(());
            }
        } else if !approximate && self.member.score(name).is_none() {
            return Ok(());
        }
        for row in layer.segment.declarations(rank)? {
            let row = row?;
            let Some(file) = layer.number(row.file) else { continue };
            if self.query.kind == SearchKind::Types && !row.kind.is_type() || !self.admits(file) {
                continue;
            }
            let at = GlobalDef { file, def: row.def };
            let score = match score {
                Some(score) => Some(score),
                None => self.qualified(at, &row, name, approximate),
            };
            self.hits.extend(score.map(|score| SearchHit { at, kind: row.kind, score }));
        }
        Ok(())
    }

    fn qualified(&self, at: GlobalDef, row: &DeclRow, name: &str, approximate: bool) -> Option<NameScore> {
        let facts = self.snapshot.facts(at.file);
        // Facts that could not be read are empty; the damage is noted there.
        if row.def.index() >= facts.defs.len() {
            return None;
        }
        let outer = containers(self.snapshot.row(at.file), &facts, at, name);
        if approximate { self.matcher.approximate(name, &outer) } else { self.matcher.score_in(name, &outer) }
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
fn containers(row: &FileRow, facts: &FileFacts, at: GlobalDef, name: &str) -> String {
    let path = row.entry.path.as_str();
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let mut chain = Vec::new();
    let mut scope = facts.def(at.def).scope;
    while let Some(outer) = facts.enclosing_def(scope) {
        chain.push(facts.def_name(outer));
        scope = facts.def(outer).scope;
        if chain.len() > facts.scopes.len() {
            break;
        }
    }
    let package = row.package.as_deref().unwrap_or_default();
    let mut text = format!("{stem}.{package}");
    for outer in chain.into_iter().rev().chain([name]) {
        text.push('.');
        text.push_str(outer);
    }
    text
}
