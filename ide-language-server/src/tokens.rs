//! Semantic tokens and inlay hints.

use gen_lsp_types::{
    InlayHint, InlayHintKind, InlayHintParams, Label, SemanticToken, SemanticTokens, SemanticTokensParams,
    SemanticTokensRangeParams,
};
use ide_model::{NameUse, SymbolKind, TextRange};

use crate::query::{Failure, Place, Query, or_nothing};

/// The types of tokens, in the order of their numbers.
pub(crate) const TYPES: [&str; 14] = [
    "namespace",
    "type",
    "class",
    "enum",
    "interface",
    "struct",
    "typeParameter",
    "parameter",
    "variable",
    "property",
    "enumMember",
    "function",
    "method",
    "macro",
];
/// The modifiers of tokens, in the order of their bits.
pub(crate) const MODIFIERS: [&str; 6] =
    ["declaration", "readonly", "static", "deprecated", "modification", "defaultLibrary"];

fn type_of(kind: SymbolKind) -> Option<&'static str> {
    Some(match kind {
        SymbolKind::Module | SymbolKind::Namespace | SymbolKind::Package => "namespace",
        SymbolKind::TypeAlias => "type",
        SymbolKind::Class | SymbolKind::AbstractClass | SymbolKind::Record | SymbolKind::Object => "class",
        SymbolKind::Enum => "enum",
        SymbolKind::Interface | SymbolKind::Trait | SymbolKind::Annotation => "interface",
        SymbolKind::Struct | SymbolKind::Union => "struct",
        SymbolKind::TypeParameter => "typeParameter",
        SymbolKind::Parameter => "parameter",
        SymbolKind::Variable | SymbolKind::Constant => "variable",
        SymbolKind::Field | SymbolKind::Property => "property",
        SymbolKind::EnumCase => "enumMember",
        SymbolKind::Function => "function",
        SymbolKind::Method | SymbolKind::Constructor => "method",
        SymbolKind::Macro => "macro",
        _ => return None,
    })
}

fn modifiers(name: &NameUse) -> u32 {
    let set = [
        name.is_declaration,
        name.is_readonly || name.kind == SymbolKind::Constant,
        name.is_static,
        name.is_deprecated,
        name.is_write,
        name.is_library,
    ];
    set.iter().enumerate().map(|(bit, is_set)| u32::from(*is_set) << bit).sum()
}

pub(crate) fn full(q: &Query<'_>, params: SemanticTokensParams) -> Result<SemanticTokens, Failure> {
    let place = q.file(&params.text_document.uri)?;
    let whole = TextRange::new(0, place.text.text.len() as u32);
    tokens(q, &place, whole)
}

pub(crate) fn range(q: &Query<'_>, params: SemanticTokensRangeParams) -> Result<SemanticTokens, Failure> {
    let place = q.file(&params.text_document.uri)?;
    let range = place.bytes(params.range);
    tokens(q, &place, range)
}

fn tokens(q: &Query<'_>, place: &Place, range: TextRange) -> Result<SemanticTokens, Failure> {
    let names = or_nothing(place.snapshot.names(q.cx, &place.file, range))?.map(|answer| answer.value);
    let mut data = Vec::new();
    let (mut line, mut start) = (0, 0);
    for name in names.unwrap_or_default() {
        let at = place.range(name.range);
        let Some(token_type) =
            type_of(name.kind).and_then(|word| TYPES.iter().position(|other| *other == word))
        else {
            continue;
        };
        // A token lies on one line, behind the one before it.
        if at.start.line != at.end.line || (at.start.line == line && at.start.character < start) {
            continue;
        }
        let is_same_line = at.start.line == line;
        data.push(SemanticToken {
            delta_line: at.start.line - line,
            delta_start: if is_same_line { at.start.character - start } else { at.start.character },
            length: at.end.character - at.start.character,
            token_type: token_type as u32,
            token_modifiers_bitset: modifiers(&name),
        });
        (line, start) = (at.start.line, at.start.character);
    }
    Ok(SemanticTokens { result_id: None, data })
}

pub(crate) fn inlay_hints(q: &Query<'_>, params: InlayHintParams) -> Result<Vec<InlayHint>, Failure> {
    let place = q.file(&params.text_document.uri)?;
    let range = place.bytes(params.range);
    let names = or_nothing(place.snapshot.names(q.cx, &place.file, range))?.map(|answer| answer.value);
    let hint = |name: NameUse| {
        let ty = name.inferred_type?;
        let position = place.range(name.range).end;
        let label = Label::String(format!(": {ty}"));
        Some(InlayHint {
            position,
            label,
            kind: Some(InlayHintKind::Type),
            text_edits: None,
            tooltip: None,
            padding_left: None,
            padding_right: None,
            data: None,
        })
    };
    Ok(names.unwrap_or_default().into_iter().filter_map(hint).collect())
}
