//! Definitions, references, hovers and highlights.

use gen_lsp_types::{
    Contents, DocumentHighlight, DocumentHighlightKind, Hover, HoverParams, Location, MarkupContent,
    MarkupKind, ReferenceParams, TextDocumentPositionParams,
};
use ide_model::{Access, Confidence, FileMeta, Symbol, SymbolKind, Target};

use crate::query::{Failure, Place, Query, or_nothing};

/// A search for uses ends behind a file when it has found so many.
const MOST_REFERENCES: usize = 5_000;

pub(crate) fn definition(
    q: &Query<'_>,
    params: TextDocumentPositionParams,
) -> Result<Vec<Location>, Failure> {
    let (place, offset) = q.at(&params)?;
    Ok(place.locations(q.cx, &place.symbols(q.cx, offset)?))
}

/// The types of the value at a position.
pub(crate) fn type_definition(
    q: &Query<'_>,
    params: TextDocumentPositionParams,
) -> Result<Vec<Location>, Failure> {
    let (place, offset) = q.at(&params)?;
    let symbols = place.symbols(q.cx, offset)?;
    if symbols.iter().any(|symbol| symbol.kind.is_type()) {
        return Ok(place.locations(q.cx, &symbols));
    }
    let Some(text) = or_nothing(place.snapshot.value_type(q.cx, &place.file, offset))?.flatten() else {
        return Ok(Vec::new());
    };
    // The names in the text of the type, as the language of the file knows them.
    let mut found = Vec::new();
    for name in text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|name| !name.is_empty()) {
        let query = ide_model::SymbolQuery {
            pattern: name,
            mode: ide_model::MatchMode::Exact,
            kind: ide_model::SearchKind::Types,
            language: symbols.first().map(|symbol| symbol.language),
            filter: &|_: &FileMeta| true,
            with_libraries: true,
            limit: 5,
        };
        let matches = place.snapshot.search(q.cx, &query)?.value.items;
        found.extend(place.locations(q.cx, matches.iter().map(|hit| &hit.symbol)));
        if !found.is_empty() {
            break;
        }
    }
    Ok(found)
}

pub(crate) fn implementation(
    q: &Query<'_>,
    params: TextDocumentPositionParams,
) -> Result<Vec<Location>, Failure> {
    let (place, offset) = q.at(&params)?;
    let mut found = Vec::new();
    for symbol in place.symbols(q.cx, offset)? {
        let all = or_nothing(place.snapshot.implementations(q.cx, &symbol, &|_| true))?;
        let all = all.map(|answer| answer.value).unwrap_or_default();
        found.extend(place.locations(q.cx, all.iter().map(|(symbol, _)| symbol)));
    }
    Ok(found)
}

/// Uses that are certain or inferred; those by name only are left out, as an editor has no way to mark them.
pub(crate) fn references(q: &Query<'_>, params: ReferenceParams) -> Result<Vec<Location>, Failure> {
    let (place, offset) = q.at(&params.text_document_position_params)?;
    let mut found = Vec::new();
    for symbol in place.symbols(q.cx, offset)? {
        if params.context.include_declaration {
            found.extend(place.locations(q.cx, [&symbol]));
        }
        let uses = place.snapshot.references(q.cx, &symbol, &|_| true, MOST_REFERENCES)?.value;
        let certain = uses.references.into_iter().filter(|r| r.confidence < Confidence::NameOnly);
        found.extend(certain.filter_map(|r| place.location(&r.file, r.range)));
    }
    found.dedup();
    Ok(found)
}

pub(crate) fn highlight(
    q: &Query<'_>,
    params: TextDocumentPositionParams,
) -> Result<Vec<DocumentHighlight>, Failure> {
    let (place, offset) = q.at(&params)?;
    let mut found = Vec::new();
    for symbol in place.symbols(q.cx, offset)? {
        let here = |meta: &FileMeta| meta.path == place.file;
        let uses = place.snapshot.references(q.cx, &symbol, &here, usize::MAX)?.value;
        if symbol.file == place.file {
            let range = place.range(symbol.name_range);
            found.push(DocumentHighlight { range, kind: Some(DocumentHighlightKind::Write) });
        }
        found.extend(uses.references.into_iter().filter(|r| r.confidence < Confidence::NameOnly).map(|r| {
            let kind = match r.access {
                Access::Write | Access::ReadWrite => DocumentHighlightKind::Write,
                _ => DocumentHighlightKind::Read,
            };
            DocumentHighlight { range: place.range(r.range), kind: Some(kind) }
        }));
    }
    Ok(found)
}

pub(crate) fn hover(q: &Query<'_>, params: HoverParams) -> Result<Option<Hover>, Failure> {
    let (place, offset) = q.at(&params.text_document_position_params)?;
    let Some(word) = place.word(offset) else { return Ok(None) };
    let Some(symbol) = place.symbols(q.cx, offset)?.into_iter().next() else { return Ok(None) };
    let value = described(q, &place, &symbol, offset)?;
    let contents = Contents::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value });
    Ok(Some(Hover { contents, range: Some(place.range(word)) }))
}

fn described(q: &Query<'_>, place: &Place, symbol: &Symbol, offset: u32) -> Result<String, Failure> {
    let description = or_nothing(place.snapshot.describe(q.cx, symbol))?.map(|answer| answer.value);
    let compiled = or_nothing(place.snapshot.source(q.cx, symbol))?.flatten();
    if let Some(source) = compiled.filter(|source| !source.signature.is_empty()) {
        return Ok(code(symbol, &source.signature) + &facts(symbol, source.documentation.as_deref()));
    }
    let mut text = match &description {
        Some(description) => code(symbol, &description.signature),
        None => code(symbol, symbol.qualified_name.as_ref().unwrap_or(&symbol.name)),
    };
    let is_variable =
        matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Parameter | SymbolKind::Constant);
    let says_type = description.as_ref().is_some_and(|d| d.return_type.is_some());
    if is_variable
        && !says_type
        && let Some(ty) = or_nothing(place.snapshot.value_type(q.cx, &place.file, offset))?.flatten()
    {
        text = code(symbol, &format!("{}: {ty}", symbol.name));
    }
    text.push_str(&facts(symbol, description.as_ref().and_then(|d| d.documentation.as_deref())));
    Ok(text)
}

fn code(symbol: &Symbol, text: &str) -> String {
    // A fence longer than any in the text cannot be closed by it.
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{}\n{text}\n{fence}\n", symbol.language.name().to_lowercase())
}

fn facts(symbol: &Symbol, documentation: Option<&str>) -> String {
    let mut text = String::new();
    if let Some(container) = symbol.container.as_ref().filter(|name| !name.is_empty()) {
        text.push_str(&format!("\nin `{container}`\n"));
    }
    if let Some(documentation) = documentation {
        text.push_str(&format!("\n---\n{documentation}\n"));
    }
    text
}

/// The declaration that a rename or a hierarchy starts from; the first of several.
pub(crate) fn one_symbol(q: &Query<'_>, place: &Place, offset: u32) -> Result<Option<Symbol>, Failure> {
    // An import's own name is not the name of what it imports.
    let target = Target::Variable { file: place.file.clone(), offset };
    Ok(place.named(q.cx, offset, &target)?.into_iter().next())
}

/// The declaration that has the name at an offset: of a construction the class.
pub(crate) fn bearer(q: &Query<'_>, place: &Place, offset: u32) -> Result<Option<Symbol>, Failure> {
    let target = Target::Name { file: place.file.clone(), offset };
    Ok(place.named(q.cx, offset, &target)?.into_iter().next())
}
