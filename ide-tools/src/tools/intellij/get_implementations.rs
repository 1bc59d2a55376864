//! `get_implementations`: everything below a type, with modifiers.

use ide_model::{FileMeta, Symbol, SymbolKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::described::is_abstract;
use super::words::{ClassInfo, InProject, qualified};
use crate::ToolError;
use crate::page::HARD_CAP;
use crate::session::Session;
use crate::symbols::reason;
use crate::tool::{Call, Tool};

pub(crate) struct GetImplementations;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    /// Simple or qualified
    class_name: String,
    /// Default true
    include_abstract: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    target: String,
    implementations: Vec<Row>,
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct Row {
    #[serde(flatten)]
    class: ClassInfo,
    modifiers: Vec<&'static str>,
}

impl Tool for GetImplementations {
    const NAME: &'static str = "get_implementations";
    const ABOUT: &'static str = "All classes below an interface or a class, at every level.";
    const SAME_AS: Option<&'static str> = Some("ide_find_implementations");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let class = session.class(&args.class_name)?;
        let with_abstract = args.include_abstract.unwrap_or(true);
        let mut implementations = Vec::new();
        let (below, truncated) = session.below(&class)?;
        for symbol in &below {
            session.cx.check()?;
            let modifiers = session.modifiers(symbol)?;
            let is_open =
                matches!(symbol.kind, SymbolKind::Interface | SymbolKind::Trait | SymbolKind::AbstractClass);
            if with_abstract || !(is_open || is_abstract(&modifiers)) {
                implementations.push(Row { class: session.class_info(symbol)?, modifiers });
            }
        }
        Ok(Output { target: qualified(&class), implementations, truncated })
    }
}

impl Session<'_> {
    /// The types below one, by file and place.
    fn below(&self, class: &Symbol) -> Result<(Vec<Symbol>, bool), ToolError> {
        let everywhere = |_: &FileMeta| true;
        let mut all: Vec<Symbol> = Vec::new();
        let mut todo = vec![class.clone()];
        while let Some(next) = todo.pop().filter(|_| all.len() <= HARD_CAP) {
            self.cx.check()?;
            let answer = self.snapshot.subtypes(self.cx, &next, &everywhere)?;
            if let Some(because) = reason(answer.completeness) {
                self.told.note(format!("there may be more: {because}"));
            }
            for symbol in answer.value.into_iter().filter_map(|link| link.symbol) {
                if symbol.key != class.key && all.iter().all(|known| known.key != symbol.key) {
                    all.push(symbol.clone());
                    todo.push(symbol);
                }
            }
        }
        all.sort_by(|a, b| (&a.file, a.name_range).cmp(&(&b.file, b.name_range)));
        let truncated = all.len() > HARD_CAP;
        all.truncate(HARD_CAP);
        Ok((all, truncated))
    }
}
