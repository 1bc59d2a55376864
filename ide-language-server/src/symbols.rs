//! Outlines, symbol search, and the kinds of the protocol.

use gen_lsp_types::{
    BaseSymbolInformation, DocumentSymbol, DocumentSymbolParams, SymbolKind as Kind, WorkspaceSymbol,
    WorkspaceSymbolParams,
};
use ide_model::{FileMeta, MatchMode, OutlineNode, SearchKind, SymbolKind, SymbolQuery};

use crate::position::{Encoding, uri_of};
use crate::query::{Failure, Place, Query, or_nothing};

const MOST_SYMBOLS: usize = 200;

pub(crate) fn kind(kind: SymbolKind) -> Kind {
    match kind {
        SymbolKind::Class | SymbolKind::AbstractClass | SymbolKind::Record | SymbolKind::Impl => Kind::Class,
        SymbolKind::Interface | SymbolKind::Trait | SymbolKind::Annotation => Kind::Interface,
        SymbolKind::Enum => Kind::Enum,
        SymbolKind::Struct | SymbolKind::Union => Kind::Struct,
        SymbolKind::Object => Kind::Object,
        SymbolKind::TypeAlias | SymbolKind::TypeParameter => Kind::TypeParameter,
        SymbolKind::Module => Kind::Module,
        SymbolKind::Namespace => Kind::Namespace,
        SymbolKind::Package => Kind::Package,
        SymbolKind::Method => Kind::Method,
        SymbolKind::Function | SymbolKind::Macro => Kind::Function,
        SymbolKind::Constructor => Kind::Constructor,
        SymbolKind::Field => Kind::Field,
        SymbolKind::Property => Kind::Property,
        SymbolKind::EnumCase => Kind::EnumMember,
        SymbolKind::Constant => Kind::Constant,
        SymbolKind::Variable | SymbolKind::Parameter | SymbolKind::Import => Kind::Variable,
        SymbolKind::Label | SymbolKind::Key | SymbolKind::Symbol => Kind::Key,
        SymbolKind::Heading => Kind::String,
    }
}

pub(crate) fn document(q: &Query<'_>, params: DocumentSymbolParams) -> Result<Vec<DocumentSymbol>, Failure> {
    let place = q.file(&params.text_document.uri)?;
    let outline = or_nothing(place.snapshot.outline(q.cx, &place.file))?;
    Ok(outline.map(|answer| nodes(&place, &answer.value)).unwrap_or_default())
}

fn nodes(place: &Place, level: &[OutlineNode]) -> Vec<DocumentSymbol> {
    level.iter().map(|node| one(place, node)).collect()
}

#[expect(deprecated, reason = "a structure must be given all its fields")]
fn one(place: &Place, node: &OutlineNode) -> DocumentSymbol {
    let name = if node.symbol.name.is_empty() { &node.keyword } else { &node.symbol.name };
    let children = nodes(place, &node.children);
    DocumentSymbol {
        detail: (!node.signature.is_empty()).then(|| node.signature.to_string()),
        children: (!children.is_empty()).then_some(children),
        name: name.to_string(),
        kind: kind(node.symbol.kind),
        range: place.range(node.symbol.full_range),
        selection_range: place.range(node.symbol.name_range),
        tags: None,
        deprecated: None,
    }
}

pub(crate) fn workspace(
    q: &Query<'_>,
    params: WorkspaceSymbolParams,
) -> Result<Vec<WorkspaceSymbol>, Failure> {
    let mut found = Vec::new();
    for project in q.shared.host.projects() {
        let snapshot = q.snapshot(&project)?;
        let query = SymbolQuery {
            pattern: &params.query,
            mode: MatchMode::Substring,
            kind: SearchKind::All,
            language: None,
            filter: &|_: &FileMeta| true,
            with_libraries: false,
            limit: MOST_SYMBOLS,
        };
        let encoding: Encoding = q.encoding();
        for hit in snapshot.search(q.cx, &query)?.value.items {
            let symbol = hit.symbol;
            let (Some(uri), Ok(text)) = (uri_of(&project.root, &symbol.file), snapshot.text(&symbol.file))
            else {
                continue;
            };
            let location = gen_lsp_types::Location { uri, range: encoding.range(&text, symbol.name_range) };
            let base = BaseSymbolInformation {
                container_name: symbol.container.as_ref().map(ToString::to_string),
                name: symbol.name.to_string(),
                kind: kind(symbol.kind),
                tags: None,
            };
            found.push(WorkspaceSymbol {
                location: location.into(),
                data: None,
                base_symbol_information: base,
            });
        }
    }
    Ok(found)
}
