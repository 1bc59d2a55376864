//! `ide_find_class`: types by name.

use ide_model::SearchKind;
use schemars::JsonSchema;
use serde::Serialize;

use super::symbol_search::{Args, Head, search, text};
use crate::ToolError;
use crate::page::Page;
use crate::symbols::SymbolRow;
use crate::tool::{Call, Tool};

pub(crate) struct FindClass;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    classes: Vec<SymbolRow>,
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    page: Page,
}

impl Tool for FindClass {
    const NAME: &'static str = "ide_find_class";
    const ABOUT: &'static str = "Types (class, interface, struct, trait, enum) by name, best match first; \
        e.g. USvc finds UserService.";
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let cut = search(call, Self::NAME, &args, SearchKind::Types)?;
        Ok(Output { classes: cut.items, head: cut.head, page: cut.page })
    }

    fn text(output: &Output) -> Option<String> {
        Some(text("types", &output.classes, &output.head, &output.page))
    }
}
