//! Completions and signature help.

use gen_lsp_types::{
    ActiveParameter, CompletionItem, CompletionItemKind, CompletionItemLabelDetails, CompletionList,
    CompletionParams, Documentation, InsertReplaceEdit, InsertTextFormat, MarkupContent, MarkupKind,
    ParameterInformation, Position, Range, SignatureHelp, SignatureHelpParams, SignatureInformation,
    TextEdit, Uri,
};
use ide_model::{
    Capped, Description, FileChange, Importable, Refactoring, Symbol, SymbolKey, SymbolKind, Target,
    TextRange,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::query::{Failure, Place, Query, or_nothing};

/// Items of one list; it is marked incomplete when there are more, so that the editor asks again with a longer prefix.
const MOST_ITEMS: usize = 200;
/// Items that bring an import with them.
const MOST_IMPORTS: usize = 40;
/// Of those, for clients that must have the imports in the list.
const MOST_IMPORTS_AT_ONCE: usize = 15;
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
    let uri = &params.text_document_position_params.text_document.uri;
    let slot = Slot::around(q, &place, offset);
    let mut items: Vec<CompletionItem> = Vec::new();
    for (rank, completion) in found.items.iter().enumerate() {
        let symbol = completion.symbol.as_ref();
        let text = format!("{}{}", completion.name, completion.mark);
        let mut item = slot.item(&text, completion.takes_arguments);
        // Editors filter by what is typed, which may lack the `$` of a variable.
        item.filter_text = text.strip_prefix('$').map(str::to_owned);
        item.kind = Some(match symbol {
            Some(symbol) => kind(symbol.kind),
            None if completion.is_keyword => CompletionItemKind::Keyword,
            None => CompletionItemKind::Text,
        });
        item.detail = symbol.and_then(|s| s.container.as_ref()).map(ToString::to_string);
        // The order is ours: editors sort by this text.
        item.sort_text = Some(format!("0{rank:04}"));
        item.data = symbol.map(|symbol| json!({ "uri": uri, "key": &*symbol.key.0 }));
        items.push(item);
    }
    let more = or_nothing(place.snapshot.importable(q.cx, &place.file, offset, MOST_IMPORTS))?;
    let more = more.map_or_else(|| Capped::whole(Vec::new()), |answer| answer.value);
    let mut is_incomplete = found.cut || more.cut;
    for (rank, what) in more.items.iter().enumerate() {
        let mut item = slot.item(&what.written, what.takes_arguments);
        item.label = what.name.to_string();
        item.filter_text = Some(what.name.to_string());
        let description = Some(what.module.to_string());
        item.label_details = Some(CompletionItemLabelDetails { detail: None, description });
        item.kind = Some(what.symbol.as_ref().map_or(CompletionItemKind::Module, |symbol| kind(symbol.kind)));
        item.detail = Some(what.statement.to_string());
        item.sort_text = Some(format!("1{rank:04}"));
        if q.shared.client.resolves_imports {
            item.data = Some(slot.import_data(uri, what));
        } else if rank < MOST_IMPORTS_AT_ONCE {
            item.additional_text_edits = import_edits(q, &place, slot.insert, what)?;
            item.data = what.symbol.as_ref().map(|symbol| json!({ "uri": uri, "key": &*symbol.key.0 }));
            if item.additional_text_edits.is_none() {
                continue;
            }
        } else {
            is_incomplete = true;
            break;
        }
        items.push(item);
    }
    Ok(CompletionList { is_incomplete, items, ..CompletionList::default() })
}

/// The place that completions are put into.
struct Slot {
    /// The part of the name that is typed already.
    insert: TextRange,
    insert_range: Range,
    /// With the rest of the name behind the caret, for clients that ask for it.
    replace_range: Option<Range>,
    takes_snippets: bool,
}

impl Slot {
    fn around(q: &Query<'_>, place: &Place, offset: u32) -> Self {
        let insert = TextRange::new(prefix_start(place, offset), offset);
        let rest = place.text.text[offset as usize..].chars().take_while(|c| place.has_in_names(*c));
        let end = offset + rest.map(char::len_utf8).sum::<usize>() as u32;
        let replaces = q.shared.client.takes_replacements;
        Self {
            insert,
            insert_range: place.range(insert),
            replace_range: replaces.then(|| place.range(TextRange::new(insert.start, end))),
            takes_snippets: q.shared.client.takes_snippets,
        }
    }

    /// An item that puts a text into the place; one that is called comes with brackets.
    fn item(&self, text: &str, takes_arguments: Option<bool>) -> CompletionItem {
        let call = takes_arguments.filter(|_| self.takes_snippets);
        let new_text = match call {
            Some(true) => format!("{text}($0)"),
            Some(false) => format!("{text}()$0"),
            None => text.to_owned(),
        };
        let edit = match self.replace_range {
            Some(replace) => InsertReplaceEdit { new_text, insert: self.insert_range, replace }.into(),
            None => TextEdit { range: self.insert_range, new_text }.into(),
        };
        CompletionItem {
            insert_text_format: call.map(|_| InsertTextFormat::Snippet),
            text_edit: Some(edit),
            label: text.to_owned(),
            ..CompletionItem::default()
        }
    }

    /// The data from which an import is worked out when its item is chosen.
    fn import_data(&self, uri: &Uri, what: &Importable) -> Value {
        json!({
            "uri": uri,
            "key": what.symbol.as_ref().map(|symbol| &*symbol.key.0),
            "at": self.insert_range.start,
            "name": &*what.name,
            "written": &*what.written,
            "statement": &*what.statement,
        })
    }
}

/// The edits that import a declaration; `None` when it cannot be proved that they do no harm.
fn import_edits(
    q: &Query<'_>,
    place: &Place,
    range: TextRange,
    what: &Importable,
) -> Result<Option<Vec<TextEdit>>, Failure> {
    let refactoring = Refactoring::Import { file: &place.file, place: range, what };
    let Some(planned) = or_nothing(place.snapshot.refactor(q.cx, &refactoring))? else { return Ok(None) };
    if !planned.value.conflicts.is_empty() {
        return Ok(None);
    }
    let edits = planned.value.plan.changes.iter().flat_map(FileChange::edits);
    let one = |edit: &ide_model::TextEdit| TextEdit {
        range: place.range(edit.range),
        new_text: edit.text.to_string(),
    };
    Ok(Some(edits.map(one).collect()))
}

fn prefix_start(place: &Place, offset: u32) -> u32 {
    let before = &place.text.text[..offset as usize];
    let prefix = before.chars().rev().take_while(|c| place.has_in_names(*c));
    offset - prefix.map(char::len_utf8).sum::<usize>() as u32
}

/// The parts of an item's data.
#[derive(Deserialize)]
struct ItemData {
    uri: Uri,
    key: Option<String>,
    #[serde(flatten)]
    import: Option<ImportData>,
}

#[derive(Deserialize)]
struct ImportData {
    /// The start of the place.
    at: Position,
    name: String,
    written: String,
    statement: String,
}

/// Adds signature, documentation and imports to an item of an earlier list; an item whose declaration is gone stays as it is.
pub(crate) fn resolve(q: &Query<'_>, mut item: CompletionItem) -> Result<CompletionItem, Failure> {
    let Some(data) = item.data.clone() else { return Ok(item) };
    let data: ItemData = serde_json::from_value(data).map_err(|error| Failure::invalid(error.to_string()))?;
    let place = q.file(&data.uri)?;
    let symbol = match &data.key {
        Some(key) => symbol_of(q, &place, key)?,
        None => None,
    };
    if let Some(import) = data.import.filter(|_| symbol.is_some() || data.key.is_none()) {
        let start = place.offset(import.at);
        let typed = place.text.text[start as usize..].chars().take_while(|c| place.has_in_names(*c));
        let end = start + typed.map(char::len_utf8).sum::<usize>() as u32;
        let what = Importable {
            written: import.written.into(),
            name: import.name.into(),
            symbol: symbol.clone(),
            statement: import.statement.into(),
            module: "".into(),
            takes_arguments: None,
        };
        item.additional_text_edits = import_edits(q, &place, TextRange::new(start, end), &what)?;
    }
    let Some(symbol) = symbol else { return Ok(item) };
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
