//! The plan of the index for a new name, held against the edits of a provider.

use std::collections::BTreeMap;
use std::sync::Arc;

use ide_model::{
    Answer, Conflict, ConflictKind, ContentHash, Cx, EditPlan, FilePath, FileText, Location, Provider,
    QueryError, Refactored, Refactoring, Relation, Standing, Symbol, TextEdit, TextRange, counted, edited,
};

use super::LayeredSnapshot;
use super::ask::Reply;
use super::places::{is_of, touch, word_at};

/// Most places of the plan that the provider is asked about one by one.
const MAX_CHECKED: usize = 40;

/// Edits by file.
type Edits = Vec<(FilePath, Vec<TextEdit>)>;

impl LayeredSnapshot {
    pub(super) fn rename(
        &self,
        cx: Cx<'_>,
        what: &Refactoring<'_>,
        symbol: &Symbol,
        new_name: &str,
    ) -> Result<Answer<Refactored>, QueryError> {
        if symbol.name_range.is_empty() || self.provided(&symbol.file).is_none() {
            return self.index.refactor(cx, what);
        }
        let asked = {
            let (file, offset) = (symbol.file.clone(), symbol.name_range.start);
            let name = new_name.to_owned();
            self.providers.ask(&self.index, symbol.language, move |provider, cx, snapshot| {
                provider.rename(cx, snapshot, &file, offset, &name)
            })
        };
        let own = self.index.refactor(cx, what);
        match asked.heard(cx)? {
            Reply::Nothing => own,
            Reply::Silent(silence) => {
                self.remark(silence.remark());
                own
            }
            Reply::Said { by, value } => {
                let mut answer = own?;
                self.held_against(cx, &mut answer.value, &value, (symbol, new_name), &by)?;
                answer.by = by.engine();
                Ok(answer)
            }
        }
    }

    /// Adds to a plan what the provider knows beyond it, and a conflict for each contradiction.
    fn held_against(
        &self,
        cx: Cx<'_>,
        own: &mut Refactored,
        theirs: &Edits,
        (symbol, new_name): (&Symbol, &str),
        by: &Arc<dyn Provider>,
    ) -> Result<(), QueryError> {
        let planned = planned(&own.plan);
        let mut added = 0;
        for (file, edits) in theirs {
            cx.check()?;
            let text = self.index.text(file)?;
            let ours = planned.get(file).map_or(&[][..], Vec::as_slice);
            if is_same_text(&text, ours, edits) {
                continue;
            }
            for edit in edits {
                let token = token(&text, edit.range);
                let span = span(token, ours, edits);
                let (Some(was), Some(our_text), Some(their_text)) =
                    (text.slice(span), within(&text, span, ours), within(&text, span, edits))
                else {
                    own.conflicts.push(contradiction(
                        by,
                        file,
                        edit,
                        "does not lie on characters of the text",
                    ));
                    continue;
                };
                if our_text == their_text {
                    continue;
                }
                if our_text == was && bare(was) == bare(&symbol.name) && bare(&their_text) == bare(new_name) {
                    let edit = TextEdit::new(span, their_text);
                    let hash = self.hash_of(&own.plan, file, &text)?;
                    let failed = |error: ide_model::PlanError| QueryError::Failed { message: error.message };
                    own.plan.edit(file, hash, vec![edit]).map_err(failed)?;
                    own.conflicts.retain(|conflict| !is_doubt_about(conflict, file, span));
                    added += 1;
                    continue;
                }
                let said =
                    format!("writes `{their_text}` for `{was}` where the plan of the index has `{our_text}`");
                own.conflicts.push(contradiction(by, file, edit, &said));
            }
        }
        let decides = |at: &Location| {
            let language = self.index.file(&at.file).and_then(|meta| meta.language);
            language.is_some_and(|language| by.is_complete(language, Relation::References))
        };
        own.conflicts.retain(|conflict| {
            conflict.kind != ConflictKind::Unresolved || !conflict.at.as_ref().is_some_and(decides)
        });
        own.plan.tidy().map_err(|error| QueryError::Failed { message: error.message })?;
        let unnamed = self.unnamed(cx, &planned, theirs, by);
        self.check_unnamed(cx, own, &planned, &unnamed, symbol, by)?;
        self.remark(match (added, unnamed.len()) {
            (0, 0) => format!("{} plans the same edits", by.name()),
            (more, 0) => format!("{} knows {}, changed too", by.name(), counted(more, "more use")),
            (more, fewer) => {
                format!(
                    "{} knows {}, changed too, and does not name {}",
                    by.name(),
                    counted(more, "more use"),
                    counted(fewer, "other")
                )
            }
        });
        Ok(())
    }

    /// Places of the plan that the provider's edits leave out, in files that it reads.
    fn unnamed(
        &self,
        cx: Cx<'_>,
        planned: &BTreeMap<FilePath, Vec<TextEdit>>,
        theirs: &Edits,
        by: &Arc<dyn Provider>,
    ) -> Vec<Location> {
        let mut unnamed = Vec::new();
        for (file, edits) in planned {
            let language = self.index.file(file).and_then(|meta| meta.language);
            let is_its = language.is_some_and(|language| by.standing(language, false) == Standing::Ready);
            if !is_its || cx.check().is_err() {
                continue;
            }
            let named = theirs.iter().find(|(other, _)| other == file).map_or(&[][..], |(_, edits)| edits);
            let is_named = |edit: &TextEdit| named.iter().any(|other| touch(edit.range, other.range));
            let left = edits.iter().filter(|edit| !is_named(edit));
            unnamed.extend(left.map(|edit| Location { file: file.clone(), range: edit.range }));
        }
        unnamed
    }

    /// A place that the provider knows to mean something else is a contradiction.
    fn check_unnamed(
        &self,
        cx: Cx<'_>,
        own: &mut Refactored,
        planned: &BTreeMap<FilePath, Vec<TextEdit>>,
        unnamed: &[Location],
        symbol: &Symbol,
        by: &Arc<dyn Provider>,
    ) -> Result<(), QueryError> {
        if unnamed.len() > MAX_CHECKED {
            let rest = unnamed.len() - MAX_CHECKED;
            self.remark(format!("{} was not asked what {rest} of the renamed places mean", by.name()));
        }
        let is_renamed = |place: &Location| {
            is_of(place, symbol)
                || planned
                    .get(&place.file)
                    .is_some_and(|edits| edits.iter().any(|edit| touch(edit.range, place.range)))
        };
        for place in unnamed.iter().take(MAX_CHECKED) {
            let Ok(Some(name)) = self.index.name_at(&place.file, place.range.start) else { continue };
            if name.is_declaration {
                continue;
            }
            let (file, start) = (place.file.clone(), name.range.start);
            let language =
                self.index.file(&place.file).and_then(|meta| meta.language).unwrap_or(symbol.language);
            let asked = self.providers.ask(&self.index, language, move |provider, cx, snapshot| {
                provider.places(cx, snapshot, Relation::Definition, &file, start)
            });
            if let Reply::Said { value, .. } = asked.heard(cx)?
                && let Some(other) = value.first()
                && !value.iter().any(is_renamed)
            {
                let message = format!(
                    "the index renames {} as a use of the symbol; by {} it means {}",
                    self.shown_place(place),
                    by.name(),
                    self.shown_place(other)
                );
                own.conflicts.push(Conflict {
                    kind: ConflictKind::Meaning,
                    message,
                    at: Some(place.clone()),
                });
            }
        }
        Ok(())
    }

    /// The hash of the bytes of a file whose text is as the snapshot has it.
    fn hash_of(&self, plan: &EditPlan, file: &FilePath, text: &FileText) -> Result<ContentHash, QueryError> {
        use ide_model::FileChange::{Edit, Move};
        let bound = plan.changes.iter().find_map(|change| match change {
            Edit { file: known, before, .. } | Move { from: known, before, .. } if known == file => {
                Some(*before)
            }
            _ => None,
        });
        if let Some(hash) = bound {
            return Ok(hash);
        }
        let changed = || QueryError::Changed { path: file.to_string() };
        let path = self.providers.root.join(file.as_str());
        let bytes = ide_store::read_regular(&path, ide_store::MAX_TEXT_BYTES).map_err(|_| changed())?;
        match ide_store::decode(&bytes) {
            Some(now) if *now == *text.text => Ok(ide_edit::content_hash(&bytes)),
            _ => Err(changed()),
        }
    }
}

fn planned(plan: &EditPlan) -> BTreeMap<FilePath, Vec<TextEdit>> {
    let mut edits: BTreeMap<FilePath, Vec<TextEdit>> = BTreeMap::new();
    for change in &plan.changes {
        edits.entry(change.file().clone()).or_default().extend(change.edits().iter().cloned());
    }
    edits
}

fn ordered(edits: &[TextEdit]) -> Vec<TextEdit> {
    let mut edits = edits.to_vec();
    edits.sort();
    edits.dedup();
    edits
}

fn is_same_text(text: &FileText, a: &[TextEdit], b: &[TextEdit]) -> bool {
    let after = |edits: &[TextEdit]| edited(&text.text, &ordered(edits));
    after(a).is_some_and(|a| after(b).is_some_and(|b| a == b))
}

/// The name that an edit changes, or the range of the edit.
fn token(text: &FileText, range: TextRange) -> TextRange {
    match word_at(&text.text, range.start) {
        Some(word) if word.encloses(range) => word,
        _ => range,
    }
}

/// A range with every edit that touches it.
fn span(range: TextRange, a: &[TextEdit], b: &[TextEdit]) -> TextRange {
    let mut span = range;
    for edit in a.iter().chain(b) {
        if edit.range.start <= span.end && span.start <= edit.range.end {
            span = TextRange::new(span.start.min(edit.range.start), span.end.max(edit.range.end));
        }
    }
    span
}

/// The text of a span after the edits inside of it.
fn within(text: &FileText, span: TextRange, edits: &[TextEdit]) -> Option<String> {
    let inside = ordered(edits).into_iter().filter(|edit| span.encloses(edit.range));
    let moved = inside.map(|TextEdit { range, text }| TextEdit {
        range: TextRange::new(range.start - span.start, range.end - span.start),
        text,
    });
    edited(text.slice(span)?, &moved.collect::<Vec<_>>())
}

/// A name without the marks that languages write around it.
fn bare(name: &str) -> &str {
    name.trim_start_matches(['$', '#', '@']).trim_start_matches("r#").trim_matches('`')
}

/// Whether a conflict says of a place that nothing certain is known of it.
fn is_doubt_about(conflict: &Conflict, file: &FilePath, range: TextRange) -> bool {
    conflict.kind == ConflictKind::Unresolved
        && conflict.at.as_ref().is_some_and(|at| at.file == *file && touch(at.range, range))
}

fn contradiction(by: &Arc<dyn Provider>, file: &FilePath, edit: &TextEdit, said: &str) -> Conflict {
    let at = Some(Location { file: file.clone(), range: edit.range });
    Conflict { kind: ConflictKind::Meaning, message: format!("{} {said}", by.name()), at }
}
