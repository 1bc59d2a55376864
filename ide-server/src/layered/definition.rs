//! The declaration of a name, by a provider and the index.

use ide_model::{
    Answer, Confidence, Cx, FilePath, Location, Provider, QueryError, Relation, Symbol, SymbolKind, Target,
};

use super::LayeredSnapshot;
use super::places::{is_of, symbol_at, touch};

type Definitions = Vec<(Symbol, Confidence)>;

impl LayeredSnapshot {
    pub(super) fn resolve_at(
        &self,
        cx: Cx<'_>,
        target: &Target,
        file: &FilePath,
        offset: u32,
    ) -> Result<Answer<Definitions>, QueryError> {
        let own = || self.index.resolve(cx, target);
        let Some(language) = self.provided(file) else { return own() };
        let name = match ide_model::Snapshot::name_at(self, file, offset) {
            Ok(Some(name)) => name,
            _ => return own(),
        };
        if name.is_declaration {
            let own = own();
            let here = Location { file: file.clone(), range: name.range };
            let is_itself = |answer: &Answer<Definitions>| {
                answer.value.first().is_some_and(|(symbol, _)| is_of(&here, symbol))
            };
            if own.as_ref().is_ok_and(is_itself) {
                return own;
            }
        }
        let asked = {
            let (file, start) = (file.clone(), name.range.start);
            self.providers.ask(&self.index, language, move |provider, cx, snapshot| {
                provider.places(cx, snapshot, Relation::Definition, &file, start)
            })
        };
        let here = Location { file: file.clone(), range: name.range };
        let own = own();
        let failure = own.as_ref().err().cloned();
        let answer = self.merged(cx, asked, own, |own, mut places, by| {
            // That a name is declared where it stands says nothing.
            places.retain(|place| place.file != here.file || !touch(place.range, here.range));
            match own {
                Some(own) if places.is_empty() => Ok(own),
                own => self.settled(cx, own, places, by),
            }
        })?;
        match (answer.value.is_empty(), failure) {
            (true, Some(error)) => Err(error),
            _ => Ok(answer),
        }
    }

    /// One answer of what the index found and the places of a provider.
    fn settled(
        &self,
        cx: Cx<'_>,
        own: Option<Answer<Definitions>>,
        places: Vec<Location>,
        by: &dyn Provider,
    ) -> Result<Answer<Definitions>, QueryError> {
        let own = own.map_or_else(Vec::new, |answer| answer.value);
        let mut agreed = vec![false; own.len()];
        let mut others: Definitions = Vec::new();
        for place in &places {
            if let Some(at) = own.iter().position(|(symbol, _)| is_of(place, symbol)) {
                agreed[at] = true;
                continue;
            }
            let symbol = symbol_at(&self.providers, &*self.index, cx, place)?;
            let same = |(known, _): &(Symbol, Confidence)| known.key == symbol.key || are_kin(known, &symbol);
            match own.iter().position(same) {
                Some(at) => agreed[at] = true,
                None if others.iter().any(|(known, _)| known.key == symbol.key) => {}
                None => others.push((symbol, Confidence::Exact)),
            }
        }
        if let (Some((theirs, _)), Some((ours, _)), false) =
            (others.first(), own.first(), agreed.contains(&true))
        {
            self.remark(format!(
                "{} and the index disagree: the definition is that of {}, {}; the index takes {} for it",
                by.name(),
                by.name(),
                self.shown(theirs),
                self.shown(ours),
            ));
        }
        let (same, different): (Vec<_>, Vec<_>) =
            own.into_iter().zip(agreed).partition(|(_, agreed)| *agreed);
        let mut value: Definitions =
            same.into_iter().map(|((symbol, _), _)| (symbol, Confidence::Exact)).collect();
        value.append(&mut others);
        // The index alone is sure of these, which is not enough.
        value.extend(
            different.into_iter().map(|((symbol, known), _)| (symbol, known.max(Confidence::Ambiguous))),
        );
        Ok(self.answer(value, by))
    }

    /// The place of a symbol's declaration, for reading.
    pub(super) fn shown(&self, symbol: &Symbol) -> String {
        let place = Location { file: symbol.file.clone(), range: symbol.name_range };
        self.shown_place(&place)
    }

    pub(super) fn shown_place(&self, place: &Location) -> String {
        match ide_model::Snapshot::text(self, &place.file) {
            Ok(text) => format!("{}:{}", place.file, text.position(place.range.start).line),
            Err(_) => place.file.to_string(),
        }
    }
}

/// Whether two declarations are one in the eyes of some engines: a type and its constructor, a library's declaration and
/// its stub.
fn are_kin(a: &Symbol, b: &Symbol) -> bool {
    let makes = |inner: &Symbol, outer: &Symbol| {
        inner.kind == SymbolKind::Constructor
            && inner.file == outer.file
            && outer.kind.is_type()
            && outer.full_range.encloses(inner.full_range)
    };
    makes(a, b) || makes(b, a) || a.is_library && b.is_library && a.name == b.name
}
