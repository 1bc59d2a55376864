//! `ide_find_symbol`: declarations by name.

use ide_model::SearchKind;
use schemars::JsonSchema;
use serde::Serialize;

use super::symbol_search::{Args, Head, search, text};
use crate::ToolError;
use crate::page::Page;
use crate::symbols::SymbolRow;
use crate::tool::{Call, Tool};

pub(crate) struct FindSymbol;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    symbols: Vec<SymbolRow>,
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    page: Page,
}

impl Tool for FindSymbol {
    const NAME: &'static str = "ide_find_symbol";
    const ABOUT: &'static str = "Any declaration (function, method, field, constant, type) by name, best match \
        first. Use it instead of grep when a name is known.";
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let cut = search(call, Self::NAME, &args, SearchKind::All)?;
        Ok(Output { symbols: cut.items, head: cut.head, page: cut.page })
    }

    fn text(output: &Output) -> Option<String> {
        Some(text("symbols", &output.symbols, &output.head, &output.page))
    }
}
