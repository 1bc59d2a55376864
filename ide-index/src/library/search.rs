//! Symbol search in libraries: what they declare at their top, and members of types that a qualified pattern names.

use std::collections::{BTreeMap, BTreeSet};

use ide_model::{Capped, Cx, Family, FileMeta, NameMatcher, NameScore, QueryError, SearchKind, SymbolQuery};

use crate::facts::FileFacts;
use crate::search::{SearchHit, outer_name, parts_of};
use crate::world::{DeclarationSite, FileId, GlobalDef, World, declaration_sites, is_written};

/// Declarations of the libraries that the languages of the project see, by name, best match first. The filter and the
/// limit of the query hold; typing errors are considered only when nothing matches without them.
///
/// # Errors
/// When the call is stopped.
pub fn search_libraries(
    world: &dyn World,
    cx: Cx<'_>,
    query: &SymbolQuery<'_>,
) -> Result<Capped<SearchHit>, QueryError> {
    let matcher = NameMatcher::symbol(query.pattern, query.mode);
    let mut search = Search { world, cx, query, matcher, admitted: BTreeMap::new(), hits: Vec::new() };
    let mut cut = false;
    for family in search.families() {
        cut |= search.family(family, false)?;
    }
    if search.hits.is_empty() && !search.matcher.is_qualified() {
        for family in search.families() {
            cut |= search.family(family, true)?;
        }
    }
    let mut items = search.hits;
    items.sort_unstable_by_key(|hit| (hit.score, hit.at));
    items.dedup();
    cut |= items.len() > query.limit;
    items.truncate(query.limit);
    Ok(Capped { items, cut })
}

struct Search<'s> {
    world: &'s dyn World,
    cx: Cx<'s>,
    query: &'s SymbolQuery<'s>,
    matcher: NameMatcher,
    /// The answers of the filter, by file.
    admitted: BTreeMap<FileId, bool>,
    hits: Vec<SearchHit>,
}

impl Search<'_> {
    /// The languages that the project has files of, as far as they are asked about.
    fn families(&self) -> Vec<Family> {
        let ids = (0..self.world.file_count()).map(FileId);
        let all: BTreeSet<Family> =
            ids.filter_map(|id| Some(self.world.file(id).language?.family())).collect();
        all.into_iter().filter(|f| self.query.language.is_none_or(|wanted| wanted.family() == *f)).collect()
    }

    /// True when names were left out because there are enough better ones.
    fn family(&mut self, family: Family, approximate: bool) -> Result<bool, QueryError> {
        self.cx.check()?;
        if self.matcher.is_qualified() {
            self.qualified(family)?;
            return Ok(false);
        }
        // The names first: of many that match only the files of the best are opened.
        let mut best: BTreeSet<(NameScore, Box<str>)> = BTreeSet::new();
        let mut cut = false;
        let (matcher, limit) = (&self.matcher, self.query.limit);
        self.world.library_search(family, &mut |name| {
            let score = if approximate { matcher.approximate(name, "") } else { matcher.score(name) };
            if let Some(score) = score {
                best.insert((score, name.into()));
            }
            if best.len() > limit {
                cut = true;
                best.pop_last();
            }
            false
        });
        let scores: BTreeMap<Box<str>, NameScore> =
            best.into_iter().map(|(score, name)| (name, score)).collect();
        for site in self.world.library_search(family, &mut |name| scores.contains_key(name)) {
            self.cx.check()?;
            let facts = self.world.facts(site.at.file);
            if let Some(score) =
                facts.defs.get(site.at.def.index()).and_then(|d| scores.get(facts.name(d.name)))
            {
                self.push(&site, *score);
            }
        }
        Ok(cut)
    }

    /// Declarations inside of what a pattern names before its last part.
    fn qualified(&mut self, family: Family) -> Result<(), QueryError> {
        let (container, member) = parts_of(self.query.pattern);
        let parts =
            [container, Some(member)].map(|part| part.map(|p| NameMatcher::plain(p, self.query.mode)));
        let mut wanted =
            |name: &str| parts.iter().flatten().any(|part: &NameMatcher| part.score(name).is_some());
        let sites = self.world.library_search(family, &mut wanted);
        let files: BTreeSet<FileId> = sites.into_iter().map(|site| site.at.file).collect();
        for file in files {
            self.cx.check()?;
            let facts = self.world.facts(file);
            for (name, site) in declaration_sites(file, &facts) {
                let outer = outer_name(
                    self.world.file(file).path.as_str(),
                    facts.package.map_or("", |package| facts.name(package)),
                    &chain(&facts, site.at),
                    name,
                );
                if let Some(score) = self.matcher.score_in(name, &outer) {
                    self.push(&site, score);
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, site: &DeclarationSite, score: NameScore) {
        let is_kind = self.query.kind != SearchKind::Types || site.kind.is_type();
        if is_kind && is_written(site.kind, site.flags) && self.admits(site.at.file) {
            self.hits.push(SearchHit { at: site.at, kind: site.kind, score });
        }
    }

    fn admits(&mut self, file: FileId) -> bool {
        let (world, query) = (self.world, self.query);
        *self.admitted.entry(file).or_insert_with(|| {
            let entry = world.file(file);
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

/// The names of what encloses a declaration, outermost first.
pub(crate) fn chain(facts: &FileFacts, at: GlobalDef) -> Vec<&str> {
    let Some(def) = facts.defs.get(at.def.index()) else { return Vec::new() };
    let mut chain = Vec::new();
    let mut scope = def.scope;
    while let Some(outer) = facts.enclosing_def(scope).filter(|_| chain.len() < facts.defs.len()) {
        chain.push(facts.def_name(outer));
        scope = facts.def(outer).scope;
    }
    chain.reverse();
    chain
}
