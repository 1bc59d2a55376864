//! Completions and signature help.

use gen_lsp_types::{
    ActiveParameter, CompletionItem, CompletionItemKind, CompletionList, CompletionParams, Documentation,
    MarkupContent, MarkupKind, ParameterInformation, SignatureHelp, SignatureHelpParams,
    SignatureInformation, TextEdit,
};
use ide_model::{Description, Symbol, SymbolKey, SymbolKind, Target, TextRange};
use serde_json::{Value, json};

use crate::query::{Failure, Place, Query, or_nothing};

/// Items of one list; it is marked incomplete when there are more, so that the editor asks again with a longer prefix.
const MOST_ITEMS: usize = 200;
/// Bytes before the caret in which the call around it is looked for.
const LONGEST_CALL: usize = 4_000;

fn kind(kind: SymbolKind) -> CompletionItemKind {
    match kind {
        SymbolKind::Class | SymbolKind::AbstractClass | SymbolKind::Record | SymbolKind::Object => {
            CompletionItemKind::Class
        }
        SymbolKind::Interface | SymbolKind::Trait | SymbolKind::Annotation => CompletionItemKind::Interface,
        SymbolKind::Enum => CompletionItemKind::Enum,
        SymbolKind::Struct | SymbolKind::Union => CompletionItemKind::Struct,
        SymbolKind::TypeAlias | SymbolKind::TypeParameter => CompletionItemKind::TypeParameter,
        SymbolKind::Module | SymbolKind::Namespace | SymbolKind::Package => CompletionItemKind::Module,
        SymbolKind::Method => CompletionItemKind::Method,
        SymbolKind::Function | SymbolKind::Macro => CompletionItemKind::Function,
        SymbolKind::Constructor => CompletionItemKind::Constructor,
        SymbolKind::Field => CompletionItemKind::Field,
        SymbolKind::Property => CompletionItemKind::Property,
        SymbolKind::EnumCase => CompletionItemKind::EnumMember,
        SymbolKind::Constant => CompletionItemKind::Constant,
        SymbolKind::Variable | SymbolKind::Parameter | SymbolKind::Import => CompletionItemKind::Variable,
        _ => CompletionItemKind::Text,
    }
}

pub(crate) fn complete(q: &Query<'_>, params: CompletionParams) -> Result<CompletionList, Failure> {
    let (place, offset) = q.at(&params.text_document_position_params)?;
    let found = or_nothing(place.snapshot.complete(q.cx, &place.file, offset, MOST_ITEMS))?;
    let Some(found) = found.map(|answer| answer.value) else {
        return Ok(CompletionList::default());
    };
    let start = prefix_start(&place, offset);
    let range = place.range(TextRange::new(start, offset));
    let uri = &params.text_document_position_params.text_document.uri;
    let items = found.items.iter().enumerate().map(|(rank, completion)| {
        let symbol = completion.symbol.as_ref();
        let data = symbol.map(|symbol| json!({ "uri": uri, "key": &*symbol.key.0 }));
        CompletionItem {
            kind: Some(match symbol {
                Some(symbol) => kind(symbol.kind),
                None if completion.is_keyword => CompletionItemKind::Keyword,
                None => CompletionItemKind::Text,
            }),
            detail: symbol.and_then(|s| s.container.as_ref()).map(ToString::to_string),
            // The order is ours: editors sort by this text.
            sort_text: Some(format!("{rank:04}")),
            text_edit: Some(TextEdit { range, new_text: completion.name.to_string() }.into()),
            data,
            label: completion.name.to_string(),
            ..CompletionItem::default()
        }
    });
    Ok(CompletionList { is_incomplete: found.cut, items: items.collect(), ..CompletionList::default() })
}

fn prefix_start(place: &Place, offset: u32) -> u32 {
    let before = &place.text.text[..offset as usize];
    let prefix = before.chars().rev().take_while(|c| c.is_alphanumeric() || *c == '_');
    offset - prefix.map(char::len_utf8).sum::<usize>() as u32
}

/// Adds signature and documentation to an item of an earlier list; an item whose declaration is gone stays as it is.
pub(crate) fn resolve(q: &Query<'_>, mut item: CompletionItem) -> Result<CompletionItem, Failure> {
    let field = |name: &str| item.data.as_ref().and_then(|data| data.get(name)).and_then(Value::as_str);
    let (Some(uri), Some(key)) = (field("uri"), field("key")) else { return Ok(item) };
    let uri = uri.parse().map_err(|_| Failure::invalid("`data.uri` is no address"))?;
    let place = q.file(&uri)?;
    let Some(symbol) = symbol_of(q, &place, key)? else { return Ok(item) };
    let Some(description) = or_nothing(place.snapshot.describe(q.cx, &symbol))? else { return Ok(item) };
    item.detail = Some(description.value.signature.to_string());
    item.documentation = description.value.documentation.map(|text| markdown(&text));
    Ok(item)
}

fn symbol_of(q: &Query<'_>, place: &Place, key: &str) -> Result<Option<Symbol>, Failure> {
    let found = or_nothing(place.snapshot.resolve(q.cx, &Target::Key(SymbolKey(key.into()))))?;
    Ok(found.and_then(|answer| answer.value.into_iter().next()).map(|(symbol, _)| symbol))
}

fn markdown(text: &str) -> Documentation {
    Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value: text.to_owned() })
}

pub(crate) fn signature_help(
    q: &Query<'_>,
    params: SignatureHelpParams,
) -> Result<Option<SignatureHelp>, Failure> {
    let (place, offset) = q.at(&params.text_document_position_params)?;
    let Some((callee, argument)) = call_around(&place.text.text[..offset as usize]) else { return Ok(None) };
    let mut signatures = Vec::new();
    for symbol in place.symbols(q.cx, callee)? {
        if let Some(answer) = or_nothing(place.snapshot.describe(q.cx, &symbol))? {
            signatures.push(signature(&answer.value));
        }
    }
    if signatures.is_empty() {
        return Ok(None);
    }
    // The first overload with room for the argument.
    let has_room =
        |s: &SignatureInformation| s.parameters.as_ref().is_some_and(|p| p.len() > argument as usize);
    let active = signatures.iter().position(has_room).unwrap_or(0);
    Ok(Some(SignatureHelp {
        signatures,
        active_signature: Some(active as u32),
        active_parameter: Some(ActiveParameter::Int(argument)),
    }))
}

fn signature(description: &Description) -> SignatureInformation {
    let parameters = description.parameters.iter().map(|parameter| {
        let name = parameter.name.as_deref().unwrap_or_default();
        // A label must be part of the signature's text.
        let text = parameter
            .type_text
            .as_deref()
            .map(|ty| [format!("{name}: {ty}"), format!("{ty} {name}"), format!("{name} {ty}")]);
        let written = text.iter().flatten().find(|text| description.signature.contains(text.as_str()));
        let label = written.cloned().unwrap_or_else(|| name.to_owned()).into();
        ParameterInformation { label, documentation: None }
    });
    SignatureInformation {
        parameters: Some(parameters.collect()),
        documentation: description.documentation.as_deref().map(markdown),
        label: description.signature.to_string(),
        ..SignatureInformation::default()
    }
}

/// The offset of the name of the call whose argument list is open at the end of a text, and the number of the argument.
fn call_around(before: &str) -> Option<(u32, u32)> {
    let from = before.ceil_char_boundary(before.len().saturating_sub(LONGEST_CALL));
    let (mut depth, mut commas) = (0_u32, 0);
    for (at, c) in before[from..].char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' if depth == 0 => {
                let head = before[..from + at].trim_end();
                let is_name = head.ends_with(|c: char| c.is_alphanumeric() || c == '_');
                return is_name.then(|| (head.len() as u32 - 1, commas)).map(|(end, n)| {
                    // Names end at a whole character.
                    (before.floor_char_boundary(end as usize) as u32, n)
                });
            }
            '[' | '{' if depth == 0 => return None,
            '(' | '[' | '{' => depth -= 1,
            ',' if depth == 0 => commas += 1,
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_call_around_the_caret_is_found() {
        assert_eq!(call_around("f(a, g(b, c), "), Some((0, 2)));
        assert_eq!(call_around("x.foo(a, [1, 2"), None);
        assert_eq!(call_around("x.foo (a"), Some((4, 0)));
        assert_eq!(call_around("if (f(a); b"), None);
        assert_eq!(call_around("nothing"), None);
    }
}
