//! Code by its shape, over the files of a snapshot.

#[cfg(feature = "tree-sitter")]
use ide_model::Snapshot;
use ide_model::{Cx, QueryError, StructureQuery, StructureResult};

use crate::snapshot::StoreSnapshot;

#[cfg(not(feature = "tree-sitter"))]
pub(crate) fn search(
    _: Cx<'_>,
    query: &StructureQuery<'_>,
    _: &StoreSnapshot,
) -> Result<StructureResult, QueryError> {
    Err(QueryError::Unsupported {
        query: "searching by shape",
        language: Some(query.language),
        supported: Vec::new(),
    })
}

/// Every match in the files of the language that pass the filter.
///
/// # Errors
/// The errors of [`ide_model::Snapshot::search_structure`].
#[cfg(feature = "tree-sitter")]
pub(crate) fn search(
    cx: Cx<'_>,
    query: &StructureQuery<'_>,
    snapshot: &StoreSnapshot,
) -> Result<StructureResult, QueryError> {
    use ide_index::parallel::each;
    use ide_index::shape::Shape;
    use ide_model::{Capped, FilePath, StructureMatch, TextEdit};

    let language = query.language;
    let is_meant = |file: &ide_model::FileMeta| file.language == Some(language) && (query.filter)(file);
    let files = snapshot.files(cx, &is_meant)?;
    let plain = Shape::new(language, "", query.pattern, query.rewrite);
    // Dialects are told by the ending of the name; a pattern may be code of one of them only.
    let tsx = Shape::new(language, "a.tsx", query.pattern, query.rewrite);
    if let (Err(error), Err(_)) = (&plain, &tsx) {
        return Err(error.clone());
    }
    type Part = (Vec<StructureMatch>, Option<(FilePath, u32)>);
    let look = |file: &FilePath| -> Result<Part, QueryError> {
        cx.check()?;
        let shape = if file.as_str().ends_with(".tsx") { &tsx } else { &plain };
        let Ok(shape) = shape else { return Ok((Vec::new(), None)) };
        let text = match snapshot.text(file) {
            Err(QueryError::NotRead { .. }) => return Ok((Vec::new(), None)),
            text => text?,
        };
        if !text.text.contains(&*shape.needle()) {
            return Ok((Vec::new(), None));
        }
        let found = shape.find(&text.text);
        let edits: Vec<TextEdit> = found
            .iter()
            .filter_map(|found| Some(TextEdit::new(found.range, found.replacement.as_deref()?)))
            .collect();
        let torn = found.iter().find(|found| found.is_torn);
        let torn = torn.map(|found| text.text[..found.range.start as usize].matches('\n').count() as u32 + 1);
        let broken = if edits.is_empty() { None } else { torn.or_else(|| shape.breaks(&text.text, &edits)) };
        let matches = found.into_iter().map(|found| StructureMatch {
            file: file.clone(),
            range: found.range,
            captures: found.captures.into_iter().map(|(name, range)| (name.into(), range)).collect(),
            replacement: found.replacement.map(Into::into),
        });
        Ok((matches.collect(), broken.map(|line| (file.clone(), line))))
    };
    let parts: Vec<Result<Part, QueryError>> = each(&files, |file| look(&file.path));
    let mut matches = Vec::new();
    let mut broken = Vec::new();
    for part in parts {
        let (found, line) = part?;
        matches.extend(found);
        broken.extend(line);
    }
    let limit = if query.rewrite.is_some() { usize::MAX } else { query.limit };
    Ok(StructureResult { matches: Capped::cut_at(matches, limit), files: files.len(), broken })
}
