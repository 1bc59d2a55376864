//! Call and type hierarchies.

use gen_lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, TextDocumentPositionParams,
    TypeHierarchyItem, TypeHierarchySubtypesParams, TypeHierarchySupertypesParams, Uri,
};
use ide_model::{CallEdge, Symbol, SymbolKey, Target};
use serde_json::Value;

use crate::navigation::one_symbol;
use crate::position::uri_of;
use crate::query::{Failure, Place, Query, or_nothing};
use crate::symbols::kind;

/// The place of an item with the symbol that its `data` names.
fn item(q: &Query<'_>, uri: &Uri, data: Option<&Value>) -> Result<(Place, Symbol), Failure> {
    let place = q.entry(uri)?;
    let key = data.and_then(Value::as_str);
    let key = key.ok_or_else(|| Failure::invalid("the item has no `data`; prepare the hierarchy again"))?;
    let found = place.snapshot.resolve(q.cx, &Target::Key(SymbolKey(key.into())))?.value;
    let symbol = found.into_iter().next().map(|(symbol, _)| symbol);
    Ok((place, symbol.ok_or_else(|| Failure::failed("the declaration is gone"))?))
}

fn data(symbol: &Symbol) -> Option<Value> {
    Some(Value::from(&*symbol.key.0))
}

fn call_item(q: &Query<'_>, place: &Place, symbol: &Symbol) -> Option<CallHierarchyItem> {
    let declared = place.declared(q.cx, symbol)?;
    Some(CallHierarchyItem {
        name: symbol.name.to_string(),
        kind: kind(symbol.kind),
        tags: None,
        detail: symbol.container.as_ref().map(ToString::to_string),
        uri: declared.uri,
        range: declared.whole,
        selection_range: declared.name,
        data: data(symbol),
    })
}

fn type_item(q: &Query<'_>, place: &Place, symbol: &Symbol) -> Option<TypeHierarchyItem> {
    let call = call_item(q, place, symbol)?;
    Some(TypeHierarchyItem {
        name: call.name,
        kind: call.kind,
        tags: None,
        detail: call.detail,
        uri: call.uri,
        range: call.range,
        selection_range: call.selection_range,
        data: call.data,
    })
}

pub(crate) fn prepare_calls(
    q: &Query<'_>,
    params: TextDocumentPositionParams,
) -> Result<Vec<CallHierarchyItem>, Failure> {
    let (place, offset) = q.at(&params)?;
    let symbol = one_symbol(q, &place, offset)?.filter(|symbol| symbol.kind.is_callable());
    Ok(symbol.iter().filter_map(|symbol| call_item(q, &place, symbol)).collect())
}

pub(crate) fn incoming(
    q: &Query<'_>,
    params: CallHierarchyIncomingCallsParams,
) -> Result<Vec<CallHierarchyIncomingCall>, Failure> {
    let (place, symbol) = item(q, &params.item.uri, params.item.data.as_ref())?;
    let edges = place.snapshot.callers(q.cx, &symbol, &|_| true)?.value;
    let call = |edge: &CallEdge| {
        // Calls outside of every declaration belong to the file.
        let from = match &edge.symbol {
            Some(caller) => call_item(q, &place, caller)?,
            None => CallHierarchyItem {
                name: edge.file.file_name().to_owned(),
                kind: gen_lsp_types::SymbolKind::File,
                tags: None,
                detail: None,
                uri: uri_of(place.root(), &edge.file)?,
                range: gen_lsp_types::Range::default(),
                selection_range: gen_lsp_types::Range::default(),
                data: None,
            },
        };
        Some(CallHierarchyIncomingCall { from, from_ranges: ranges(&place, edge) })
    };
    Ok(edges.iter().filter_map(call).collect())
}

pub(crate) fn outgoing(
    q: &Query<'_>,
    params: CallHierarchyOutgoingCallsParams,
) -> Result<Vec<CallHierarchyOutgoingCall>, Failure> {
    let (place, symbol) = item(q, &params.item.uri, params.item.data.as_ref())?;
    let edges = place.snapshot.callees(q.cx, &symbol)?.value;
    let call = |edge: &CallEdge| {
        let to = call_item(q, &place, edge.symbol.as_ref()?)?;
        Some(CallHierarchyOutgoingCall { to, from_ranges: ranges(&place, edge) })
    };
    Ok(edges.iter().filter_map(call).collect())
}

fn ranges(place: &Place, edge: &CallEdge) -> Vec<gen_lsp_types::Range> {
    let sites = edge.sites.iter().filter_map(|site| place.location(&edge.file, *site));
    sites.map(|location| location.range).collect()
}

pub(crate) fn prepare_types(
    q: &Query<'_>,
    params: TextDocumentPositionParams,
) -> Result<Vec<TypeHierarchyItem>, Failure> {
    let (place, offset) = q.at(&params)?;
    let symbol = one_symbol(q, &place, offset)?.filter(|symbol| symbol.kind.is_type());
    Ok(symbol.iter().filter_map(|symbol| type_item(q, &place, symbol)).collect())
}

pub(crate) fn supertypes(
    q: &Query<'_>,
    params: TypeHierarchySupertypesParams,
) -> Result<Vec<TypeHierarchyItem>, Failure> {
    let (place, symbol) = item(q, &params.item.uri, params.item.data.as_ref())?;
    let links = or_nothing(place.snapshot.supertypes(q.cx, &symbol))?.map(|answer| answer.value);
    let symbols = links.unwrap_or_default().into_iter().filter_map(|link| link.symbol);
    Ok(symbols.filter_map(|symbol| type_item(q, &place, &symbol)).collect())
}

pub(crate) fn subtypes(
    q: &Query<'_>,
    params: TypeHierarchySubtypesParams,
) -> Result<Vec<TypeHierarchyItem>, Failure> {
    let (place, symbol) = item(q, &params.item.uri, params.item.data.as_ref())?;
    let links = or_nothing(place.snapshot.subtypes(q.cx, &symbol, &|_| true))?.map(|answer| answer.value);
    let symbols = links.unwrap_or_default().into_iter().filter_map(|link| link.symbol);
    Ok(symbols.filter_map(|symbol| type_item(q, &place, &symbol)).collect())
}
