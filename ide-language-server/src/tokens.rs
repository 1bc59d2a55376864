//! Semantic tokens and inlay hints.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use gen_lsp_types::{
    InlayHint, InlayHintKind, InlayHintParams, Label, SemanticToken, SemanticTokens, SemanticTokensDelta,
    SemanticTokensDeltaParams, SemanticTokensDeltaResponse, SemanticTokensEdit, SemanticTokensParams,
    SemanticTokensRangeParams, Uri,
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

/// The tokens that each file was last given, for a client that asks for what is different.
#[derive(Default)]
pub(crate) struct Given(Mutex<GivenTokens>);

/// The id that tokens were given under, with them.
type Known = (String, Vec<SemanticToken>);

#[derive(Default)]
struct GivenTokens {
    next: u64,
    by_file: HashMap<PathBuf, Known>,
}

impl Given {
    /// Keeps tokens under a new id, and gives back those that the file had under an older one.
    fn keep(&self, path: PathBuf, tokens: &[SemanticToken]) -> (String, Option<Known>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.next += 1;
        let id = all.next.to_string();
        let before = all.by_file.insert(path, (id.clone(), tokens.to_vec()));
        (id, before)
    }

    /// Forgets the tokens of a file that is closed.
    pub(crate) fn forget(&self, path: &Path) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).by_file.remove(path);
    }
}

pub(crate) fn full(q: &Query<'_>, params: SemanticTokensParams) -> Result<SemanticTokens, Failure> {
    Ok(whole(q, &params.text_document.uri)?.0)
}

fn whole(q: &Query<'_>, uri: &Uri) -> Result<(SemanticTokens, Option<Known>), Failure> {
    let place = q.file(uri)?;
    let range = TextRange::new(0, place.text.text.len() as u32);
    let mut tokens = tokens(q, &place, range)?;
    let (id, before) = q.shared.tokens.keep(place.root().join(place.file.as_str()), &tokens.data);
    tokens.result_id = Some(id);
    Ok((tokens, before))
}

/// The difference to the tokens that the client names; all tokens when those are not known any more.
pub(crate) fn delta(
    q: &Query<'_>,
    params: SemanticTokensDeltaParams,
) -> Result<SemanticTokensDeltaResponse, Failure> {
    let (tokens, before) = whole(q, &params.text_document.uri)?;
    let Some((_, old)) = before.filter(|(id, _)| *id == params.previous_result_id) else {
        return Ok(tokens.into());
    };
    let edits = difference(&old, &tokens.data).into_iter().collect();
    Ok(SemanticTokensDelta { result_id: tokens.result_id, edits }.into())
}

/// The numbers between what two lists of tokens have in common at their ends; each token is five numbers.
fn difference(old: &[SemanticToken], new: &[SemanticToken]) -> Option<SemanticTokensEdit> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[start..], &new[start..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
    let numbers = |token: &SemanticToken| {
        [token.delta_line, token.delta_start, token.length, token.token_type, token.token_modifiers_bitset]
    };
    (!old.is_empty() || !new.is_empty()).then(|| SemanticTokensEdit {
        start: 5 * start as u32,
        delete_count: 5 * old.len() as u32,
        data: Some(new.iter().flat_map(numbers).collect()),
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn token(delta_line: u32) -> SemanticToken {
        SemanticToken { delta_line, delta_start: 1, length: 2, token_type: 3, token_modifiers_bitset: 4 }
    }

    #[test]
    fn only_what_changed_is_told_again() {
        let old: Vec<SemanticToken> = [1, 2, 2, 3].into_iter().map(token).collect();
        let new: Vec<SemanticToken> = [1, 2, 9, 2, 3].into_iter().map(token).collect();
        let edit = difference(&old, &new).expect("one is new");
        assert_eq!((edit.start, edit.delete_count, edit.data), (10, 0, Some(vec![9, 1, 2, 3, 4])));
        let edit = difference(&new, &old).expect("one is gone");
        assert_eq!((edit.start, edit.delete_count, edit.data), (10, 5, Some(vec![])));
        assert_eq!(difference(&old, &old), None);
    }
}
