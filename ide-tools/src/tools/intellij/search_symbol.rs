//! `search_symbol`: declarations by a part of their name, of one kind or of all.

use ide_model::{FileMeta, MatchMode, SearchKind, SymbolKind, SymbolQuery};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{InProject, LineRange, kind};
use crate::ToolError;
use crate::page::HARD_CAP;
use crate::tool::{Call, Tool};
use crate::tools::symbol_search::matchable;

const MOST: usize = 50;

pub(crate) struct SearchSymbol;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    /// A part of the name, in any case
    query: String,
    /// Default all
    #[schemars(extend("enum" = ["all", "class", "method", "field"]))]
    symbol_type: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    query: String,
    total_found: usize,
    truncated: bool,
    symbols: Vec<Row>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    containing_class: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    file_path: String,
    line_range: Option<LineRange>,
}

impl Tool for SearchSymbol {
    const NAME: &'static str = "search_symbol";
    const ABOUT: &'static str = "Classes, methods and fields by a part of their name, the best 50.";
    const SAME_AS: Option<&'static str> = Some("ide_find_symbol");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let query = args.query.trim();
        matchable(query, "give a part of the name")?;
        let filter = |_: &FileMeta| true;
        let search = SymbolQuery {
            pattern: query,
            mode: MatchMode::Substring,
            kind: if args.symbol_type.as_deref() == Some("class") {
                SearchKind::Types
            } else {
                SearchKind::All
            },
            language: None,
            filter: &filter,
            with_libraries: false,
            limit: HARD_CAP + 1,
        };
        let found = session.snapshot.search(session.cx, &search)?.value;
        let wanted = found
            .items
            .iter()
            .map(|hit| &hit.symbol)
            .filter(|symbol| is_of(args.symbol_type.as_deref(), symbol.kind));
        let wanted: Vec<_> = wanted.collect();
        if found.cut {
            session.told.note(format!("more than {HARD_CAP} declarations match; the count is a lower bound"));
        }
        let mut symbols = Vec::new();
        for symbol in wanted.iter().take(MOST) {
            session.cx.check()?;
            symbols.push(Row {
                name: symbol.name.to_string(),
                kind: kind(symbol.kind),
                containing_class: session.containing_class(symbol)?,
                signature: session.signature(symbol)?,
                file_path: session.absolute_path(&symbol.file),
                line_range: session.lines_of_symbol(symbol)?,
            });
        }
        Ok(Output {
            query: args.query,
            total_found: wanted.len(),
            truncated: found.cut || wanted.len() > MOST,
            symbols,
        })
    }
}

fn is_of(wanted: Option<&str>, kind: SymbolKind) -> bool {
    match wanted {
        Some("class") => kind.is_type(),
        Some("method") => kind.is_callable(),
        Some("field") => matches!(
            kind,
            SymbolKind::Field
                | SymbolKind::Property
                | SymbolKind::EnumCase
                | SymbolKind::Constant
                | SymbolKind::Variable
        ),
        _ => true,
    }
}
