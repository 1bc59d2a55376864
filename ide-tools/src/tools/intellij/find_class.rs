//! `find_class`: classes by simple or qualified name.

use ide_model::{FileMeta, MatchMode, SearchKind, Symbol, SymbolQuery};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{ClassInfo, InProject};
use crate::ToolError;
use crate::session::Session;
use crate::tool::{Call, Tool};
use crate::tools::symbol_search::matchable;

/// Most classes of one result.
const MOST: usize = 200;

pub(crate) struct FindClass;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    /// Simple or qualified
    class_name: String,
    include_libraries: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    search_query: String,
    /// exact; or similar, where nothing is called so
    match_mode: &'static str,
    classes: Vec<ClassInfo>,
    truncated: bool,
}

impl Tool for FindClass {
    const NAME: &'static str = "find_class";
    const ABOUT: &'static str =
        "Classes and other types of a simple or qualified name; similar ones where none has it.";
    const SAME_AS: Option<&'static str> = Some("ide_find_class");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let name = args.class_name.trim();
        matchable(name, "give the name of a class")?;
        let libraries = args.include_libraries.unwrap_or(false);
        let last = name.rsplit(['.', '#', ':', '/', '\\']).next().unwrap_or(name);
        let bare = name.trim_start_matches('\\');
        let mut found = session.classes(last, MatchMode::Exact, libraries)?;
        if last != name {
            let has_it = |symbol: &Symbol| {
                symbol.qualified_name.as_deref().is_some_and(|own| own == name || own == bare)
            };
            if found.iter().any(has_it) {
                found.retain(has_it);
            } else {
                // `Outer.Inner`, or the end of a package
                found = session.classes(name, MatchMode::Exact, libraries)?;
            }
        }
        let match_mode = if found.is_empty() { "similar" } else { "exact" };
        if found.is_empty() {
            found = session.classes(name, MatchMode::Substring, libraries)?;
        }
        let truncated = found.len() > MOST;
        found.truncate(MOST);
        let classes = found.iter().map(|symbol| session.class_info(symbol)).collect::<Result<_, _>>()?;
        Ok(Output { search_query: args.class_name, match_mode, classes, truncated })
    }
}

impl Session<'_> {
    fn classes(&self, pattern: &str, mode: MatchMode, libraries: bool) -> Result<Vec<Symbol>, ToolError> {
        let filter = |_: &FileMeta| true;
        let query = SymbolQuery {
            pattern,
            mode,
            kind: SearchKind::Types,
            language: None,
            filter: &filter,
            with_libraries: libraries,
            limit: MOST + 1,
        };
        let found = self.snapshot.search(self.cx, &query)?.value.items.into_iter();
        Ok(found.map(|hit| hit.symbol).filter(|symbol| libraries || !symbol.is_library).collect())
    }
}
