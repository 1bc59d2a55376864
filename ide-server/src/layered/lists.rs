//! Lists that a provider and the index have both.

use std::collections::HashMap;

use ide_model::{
    Access, Answer, CallEdge, Capped, Completeness, Confidence, Cx, Description, FileFilter, FileMeta,
    FilePath, Language, Location, Provider, ProviderCall, QueryError, Reference, ReferenceKind, ReferenceSet,
    Relation, Snapshot, SourceKind, Standing, Symbol, SymbolMatch, SymbolQuery, TextRange, TypeLink, counted,
};

use super::LayeredSnapshot;
use super::ask::{Inquiry, Reply, together};
use super::places::{is_of, symbol_at, touch};

/// An item of a list of declarations.
pub(super) trait Item {
    fn symbol(&self) -> Option<&Symbol>;
    fn confidence(&mut self) -> Option<&mut Confidence>;
    fn new(symbol: Symbol) -> Self;
}

impl Item for (Symbol, Confidence) {
    fn symbol(&self) -> Option<&Symbol> {
        Some(&self.0)
    }

    fn confidence(&mut self) -> Option<&mut Confidence> {
        Some(&mut self.1)
    }

    fn new(symbol: Symbol) -> Self {
        (symbol, Confidence::Exact)
    }
}

impl Item for TypeLink {
    fn symbol(&self) -> Option<&Symbol> {
        self.symbol.as_ref()
    }

    fn confidence(&mut self) -> Option<&mut Confidence> {
        Some(&mut self.confidence)
    }

    fn new(symbol: Symbol) -> Self {
        Self { name: symbol.name.clone(), symbol: Some(symbol), confidence: Confidence::Exact }
    }
}

impl Item for Symbol {
    fn symbol(&self) -> Option<&Symbol> {
        Some(self)
    }

    fn confidence(&mut self) -> Option<&mut Confidence> {
        None
    }

    fn new(symbol: Symbol) -> Self {
        symbol
    }
}

impl LayeredSnapshot {
    /// The facts about a file in an answer that filters see.
    fn meta(&self, file: &FilePath) -> FileMeta {
        self.index.file(file).unwrap_or_else(|| FileMeta {
            path: file.clone(),
            language: Language::of_path(file.as_str()),
            source: SourceKind::Library,
            is_generated: false,
            size: 0,
        })
    }

    /// The fate of a result that the index is certain of and a provider did not name; `None` when it goes.
    fn unconfirmed(
        &self,
        known: Confidence,
        file: &FilePath,
        (by, relation): (&dyn Provider, Relation),
    ) -> Option<Confidence> {
        let language = self.meta(file).language;
        let is_its = language.is_some_and(|language| by.standing(language, false) == Standing::Ready);
        match language {
            Some(language) if is_its && by.is_complete(language, relation) => None,
            _ if is_its => Some(known.max(Confidence::Ambiguous)),
            // It does not read such files.
            _ => Some(known),
        }
    }

    pub(super) fn with_uses(
        &self,
        cx: Cx<'_>,
        symbol: &Symbol,
        own: Option<Answer<ReferenceSet>>,
        mut places: Vec<Location>,
        by: &dyn Provider,
        filter: FileFilter<'_>,
    ) -> Result<Answer<ReferenceSet>, QueryError> {
        places.retain(|place| place.file != symbol.file || !touch(place.range, symbol.name_range));
        places.sort();
        places.dedup();
        let mut answer = own.unwrap_or_else(|| self.answer(ReferenceSet::default(), by));
        let mut by_file: HashMap<&FilePath, Vec<(TextRange, bool)>> = HashMap::new();
        for place in &places {
            by_file.entry(&place.file).or_default().push((place.range, false));
        }
        let set = &mut answer.value;
        let (mut doubted, mut dropped) = (0, 0);
        let mut kept = Vec::with_capacity(set.references.len());
        for mut reference in std::mem::take(&mut set.references) {
            cx.check()?;
            let same = by_file.get_mut(&reference.file);
            match same.and_then(|ranges| ranges.iter_mut().find(|(range, _)| touch(*range, reference.range)))
            {
                Some((_, is_known)) => {
                    *is_known = true;
                    reference.confidence = Confidence::Exact;
                    kept.push(reference);
                }
                None => {
                    let known = reference.confidence;
                    match self.unconfirmed(known, &reference.file, (by, Relation::References)) {
                        None => dropped += 1,
                        Some(confidence) => {
                            doubted += usize::from(known.is_certain() && !confidence.is_certain());
                            kept.push(Reference { confidence, ..reference });
                        }
                    }
                }
            }
        }
        let unknown: Vec<&Location> = places
            .iter()
            .filter(|place| {
                by_file[&place.file].iter().any(|(range, is_known)| !is_known && *range == place.range)
            })
            .collect();
        for place in unknown {
            cx.check()?;
            if filter(&self.meta(&place.file)) {
                if self.index.file(&place.file).is_none() {
                    self.providers.saw(&place.file);
                }
                kept.push(self.use_at(symbol, place));
            }
        }
        if doubted > 0 {
            self.remark(format!(
                "known to the index only and marked as possible: {}",
                counted(doubted, "use")
            ));
        }
        if dropped > 0 {
            self.remark(format!(
                "taken for uses by the index and not by {}: {}",
                by.name(),
                counted(dropped, "place")
            ));
        }
        if by.is_complete(symbol.language, Relation::References) {
            set.unresolved_same_name = 0;
            answer.completeness = Completeness::Exact;
        }
        kept.sort_by(|a, b| (&a.file, a.range).cmp(&(&b.file, b.range)));
        set.references = kept;
        set.is_partial = false;
        Ok(answer)
    }

    /// A use that only a provider knows.
    fn use_at(&self, symbol: &Symbol, place: &Location) -> Reference {
        let Location { file, range } = place;
        let text = Snapshot::text(self, file).ok();
        let behind = text.as_ref().and_then(|text| text.text.get(range.end as usize..)).unwrap_or("");
        let is_call = symbol.kind.is_callable() && behind.trim_start().starts_with(['(', '!']);
        let (kind, access) = match is_call {
            true => (ReferenceKind::MethodCall, Access::Call),
            false if symbol.kind.is_type() => (ReferenceKind::Reference, Access::TypeUse),
            false => (ReferenceKind::Reference, Access::Read),
        };
        let around = Snapshot::enclosing(self, file, range.start).unwrap_or_default();
        Reference {
            file: file.clone(),
            range: *range,
            kind,
            access,
            confidence: Confidence::Exact,
            enclosing: around.into_iter().map(|symbol| symbol.name).collect(),
        }
    }

    /// The declarations of the index, with those at the places of a provider.
    pub(super) fn with_symbols<I: Item>(
        &self,
        cx: Cx<'_>,
        (symbol, relation): (&Symbol, Relation),
        own: Option<Answer<Vec<I>>>,
        places: Vec<Location>,
        by: &dyn Provider,
        filter: FileFilter<'_>,
    ) -> Result<Answer<Vec<I>>, QueryError> {
        let mut answer = own.unwrap_or_else(|| self.answer(Vec::new(), by));
        let items = &mut answer.value;
        let first_new = items.len();
        let mut is_known = vec![false; first_new];
        for place in &places {
            let at = |item: &I| item.symbol().is_some_and(|known| is_of(place, known));
            if let Some(number) = items.iter().position(at) {
                is_known.get_mut(number).into_iter().for_each(|known| *known = true);
                continue;
            }
            let found = symbol_at(&self.providers, &*self.index, cx, place)?;
            let same = |item: &I| item.symbol().is_some_and(|known| known.key == found.key);
            match items.iter().position(same) {
                Some(number) => is_known.get_mut(number).into_iter().for_each(|known| *known = true),
                None if found.key == symbol.key || !filter(&self.meta(&found.file)) => {}
                None => items.push(I::new(found)),
            }
        }
        if !places.is_empty() {
            let mut number = 0;
            items.retain_mut(|item| {
                let is_confirmed = is_known.get(number).copied();
                number += 1;
                let Some(file) = item.symbol().map(|known| known.file.clone()) else { return true };
                let Some(confidence) = item.confidence() else { return true };
                match is_confirmed {
                    Some(true) => *confidence = Confidence::Exact,
                    Some(false) => match self.unconfirmed(*confidence, &file, (by, relation)) {
                        Some(known) => *confidence = known,
                        None => return false,
                    },
                    None => {}
                }
                true
            });
        }
        Ok(answer)
    }

    pub(super) fn ask_calls(&self, symbol: &Symbol, incoming: bool) -> Inquiry<Vec<ProviderCall>> {
        if symbol.name_range.is_empty() || self.provided(&symbol.file).is_none() {
            return Inquiry::Nobody;
        }
        let (file, offset) = (symbol.file.clone(), symbol.name_range.start);
        self.providers.ask(&self.index, symbol.language, move |provider, cx, snapshot| {
            provider.calls(cx, snapshot, &file, offset, incoming)
        })
    }

    /// The calls of the index, with those of a provider. `filter` looks at callers.
    pub(super) fn with_calls(
        &self,
        cx: Cx<'_>,
        symbol: &Symbol,
        own: Option<Answer<Vec<CallEdge>>>,
        calls: Vec<ProviderCall>,
        by: &dyn Provider,
        filter: Option<FileFilter<'_>>,
    ) -> Result<Answer<Vec<CallEdge>>, QueryError> {
        let mut answer = own.unwrap_or_else(|| self.answer(Vec::new(), by));
        let edges = &mut answer.value;
        let first_new = edges.len();
        for call in calls {
            cx.check()?;
            let file = if filter.is_some() { call.declaration.file.clone() } else { symbol.file.clone() };
            let sites = |edge: &CallEdge| {
                edge.file == file
                    && edge.sites.iter().any(|known| call.sites.iter().any(|site| touch(*known, *site)))
            };
            let is_it = |edge: &CallEdge| {
                sites(edge) || edge.symbol.as_ref().is_some_and(|known| is_of(&call.declaration, known))
            };
            if let Some(edge) = edges[..first_new].iter_mut().find(|edge| is_it(edge)) {
                let more: Vec<TextRange> = call
                    .sites
                    .into_iter()
                    .filter(|site| !edge.sites.iter().any(|known| touch(*known, *site)))
                    .collect();
                if edge.file == file {
                    edge.sites.extend(more);
                    edge.sites.sort();
                }
                if edge.symbol.is_none() {
                    edge.symbol = Some(symbol_at(&self.providers, &*self.index, cx, &call.declaration)?);
                }
                edge.confidence = Confidence::Exact;
                continue;
            }
            let found = symbol_at(&self.providers, &*self.index, cx, &call.declaration)?;
            if filter.is_none_or(|filter| filter(&self.meta(&file))) {
                let (name, sites) = (call.name, call.sites);
                let symbol = Some(found);
                edges.push(CallEdge { name, symbol, file, sites, confidence: Confidence::Exact });
            }
        }
        Ok(answer)
    }

    /// The symbols that providers find where the index has none.
    pub(super) fn search_beside(
        &self,
        cx: Cx<'_>,
        query: &SymbolQuery<'_>,
        own: Answer<Capped<SymbolMatch>>,
    ) -> Result<Answer<Capped<SymbolMatch>>, QueryError> {
        let asked: Vec<Language> = match query.language {
            Some(language) => vec![language],
            None => {
                // One language of each: a server finds what it has in all of its languages.
                let states = self.providers.list.iter().flat_map(|provider| provider.states());
                states.filter_map(|state| state.languages.first().copied()).collect()
            }
        };
        let mut answer = own;
        for language in asked.into_iter().filter(|language| self.providers.knows(*language)) {
            let (pattern, only, limit) = (query.pattern.to_owned(), query.language, query.limit);
            let asked = self.providers.ask(&self.index, language, move |provider, cx, snapshot| {
                provider.search(cx, snapshot, only, &pattern, limit)
            });
            match asked.heard(cx)? {
                Reply::Said { by, value } => {
                    let mut found = Vec::new();
                    for hit in value {
                        let symbol = symbol_at(&self.providers, &*self.index, cx, &hit.location)?;
                        let is_wanted = (query.with_libraries || !symbol.is_library)
                            && (query.kind == ide_model::SearchKind::All || symbol.kind.is_type())
                            && (query.filter)(&self.meta(&symbol.file));
                        if is_wanted {
                            found.push(SymbolMatch { symbol, approximate: false });
                        }
                    }
                    if !found.is_empty() {
                        self.remark(together(&*by, false));
                        answer.by = by.engine();
                        answer.value = Capped::cut_at(found, query.limit);
                        return Ok(answer);
                    }
                }
                Reply::Silent(silence) => self.remark(silence.remark()),
                Reply::Nothing => {}
            }
        }
        Ok(answer)
    }

    /// The provider's description of a declaration that the index cannot describe.
    pub(super) fn describe_beside(
        &self,
        cx: Cx<'_>,
        symbol: &Symbol,
        own: Result<Answer<Description>, QueryError>,
    ) -> Result<Answer<Description>, QueryError> {
        if self.provided(&symbol.file).is_none() {
            return own;
        }
        let (file, offset) = (symbol.file.clone(), symbol.name_range.start);
        let asked = self.providers.ask(&self.index, symbol.language, move |provider, cx, snapshot| {
            provider.describe(cx, snapshot, &file, offset)
        });
        match asked.heard(cx)? {
            Reply::Said { by, value: Some(markdown) } => {
                self.remark(together(&*by, false));
                let (signature, documentation) = parts(&markdown);
                Ok(self.answer(
                    Description {
                        symbol: symbol.clone(),
                        signature: signature.into(),
                        parameters: Vec::new(),
                        return_type: None,
                        type_parameters: Vec::new(),
                        thrown_types: Vec::new(),
                        modifiers: Vec::new(),
                        visibility: None,
                        documentation: documentation.map(Into::into),
                    },
                    &*by,
                ))
            }
            Reply::Silent(silence) => {
                self.remark(silence.remark());
                own
            }
            _ => own,
        }
    }
}

/// The code and the prose of a description in Markdown.
fn parts(markdown: &str) -> (String, Option<String>) {
    let (mut code, mut prose, mut is_code) = (Vec::new(), Vec::new(), false);
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            code.push(line.trim());
        } else {
            prose.push(line);
        }
    }
    let prose = prose.join("\n").trim().trim_start_matches("---").trim().to_owned();
    if code.is_empty() {
        return (
            prose.lines().next().unwrap_or("").to_owned(),
            Some(prose).filter(|prose| prose.contains('\n')),
        );
    }
    (code.join(" "), Some(prose).filter(|prose| !prose.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_falls_into_signature_and_prose() {
        let (signature, documentation) = parts("```go\nfunc F(a int)\n```\n\n---\n\nSays it.\n");
        assert_eq!((&*signature, documentation.as_deref()), ("func F(a int)", Some("Says it.")));
        assert_eq!(parts("plain"), ("plain".to_owned(), None));
    }
}
