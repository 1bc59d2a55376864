//! `ide_refactor_rename`: another name for a symbol and everything that means it (index-tools §3.12).

use ide_model::{EditPlan, FilePath, Refactoring, Symbol, TextContext, TextEdit, TextQuery, TextRange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::{ProjectArg, TargetArgs};
use crate::edits::{EditResult, WRITES, WriteArgs};
use crate::session::Session;
use crate::symbols::ResolvedSymbol;
use crate::tool::{Call, Hints, Tool};

/// Most text occurrences that are looked at.
const MAX_TEXT: usize = 5_000;
/// Files that a warning names.
const SHOWN: usize = 5;

pub(crate) struct RefactorRename;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    #[serde(flatten)]
    target: TargetArgs,
    new_name: String,
    /// Default rename_base: overridden and overriding methods too
    #[schemars(extend("enum" = ["rename_base", "rename_only_current"], "x-hidden" = true))]
    override_strategy: Option<String>,
    #[schemars(extend("x-hidden" = true))]
    include_text: Option<bool>,
    /// In spite of doubtful uses; errors name it
    #[schemars(extend("x-hidden" = true))]
    force: Option<bool>,
    #[serde(flatten)]
    write: WriteArgs,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    #[serde(flatten)]
    result: EditResult,
    /// After the change; in a dry run before it
    updated_symbol: ResolvedSymbol,
}

impl Tool for RefactorRename {
    const NAME: &'static str = "ide_refactor_rename";
    const ABOUT: &'static str = "Renames a symbol with all uses, overriding methods and its file where needed; conflicts \
        are found beforehand, then nothing is written.";
    const HINTS: Hints = WRITES;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, args.target.symbol_id.as_deref())?;
        let found = args.target.resolve(&session)?;
        let symbol = found.symbol;
        let new_name = args.new_name.trim();
        let with_family = args.override_strategy.as_deref() != Some("rename_only_current");
        let what = Refactoring::Rename { symbol: &symbol, new_name, with_family };
        let mut planned = session.plan(&what, args.force.unwrap_or(false))?;
        let rest = session.text_occurrences(&symbol, &planned.plan)?;
        if args.include_text.unwrap_or(false) {
            session.add_text(&mut planned.plan, &rest, new_name)?;
        } else if let Some(warning) = told(&rest, &symbol) {
            planned.warnings.push(warning);
        }
        let landmarks = planned.landmarks;
        let result = session.carry_out(planned.plan, &args.write, planned.warnings)?;
        if args.write.is_dry() {
            let updated_symbol = session.resolved_symbol(&symbol, found.confidence)?;
            return Ok(Output { result, updated_symbol });
        }
        let updated_symbol = session.at_landmarks(&landmarks, result.edit_id.as_deref())?;
        Ok(Output { result, updated_symbol })
    }
}

/// The name in comments and strings.
struct TextOccurrence {
    file: FilePath,
    range: TextRange,
}

impl Session<'_> {
    /// Where the name of a symbol stands as a whole word in comments and strings, outside of what a plan changes already.
    fn text_occurrences(&self, symbol: &Symbol, plan: &EditPlan) -> Result<Vec<TextOccurrence>, ToolError> {
        let is_planned = |file: &FilePath, range: TextRange| {
            let change = plan.changes.iter().find(|change| change.file() == file);
            change.is_some_and(|change| change.edits().iter().any(|e| e.range.start < range.end && range.start < e.range.end))
        };
        let mut found = Vec::new();
        for context in [TextContext::Comment, TextContext::StringLiteral] {
            let query = TextQuery {
                pattern: symbol.name.trim_start_matches('$'),
                is_regex: false,
                case_sensitive: true,
                whole_word: true,
                context: Some(context),
                filter: &|file| file.language.is_some_and(|language| language.family() == symbol.language.family()),
                limit: MAX_TEXT,
            };
            for hit in self.snapshot.search_text(self.cx, &query)?.value.matches.items {
                if !is_planned(&hit.file, hit.range) {
                    found.push(TextOccurrence { file: hit.file, range: hit.range });
                }
            }
        }
        Ok(found)
    }

    fn add_text(
        &self,
        plan: &mut EditPlan,
        occurrences: &[TextOccurrence],
        new_name: &str,
    ) -> Result<(), ToolError> {
        for found in occurrences {
            let hash = self.project.hash(&found.file)?;
            let edit = TextEdit::new(found.range, new_name);
            plan.edit(&found.file, hash, vec![edit])
                .map_err(|error| ToolError::argument(format!("`{}` {}", error.file, error.message)))?;
        }
        Ok(())
    }
}

fn told(rest: &[TextOccurrence], symbol: &Symbol) -> Option<String> {
    let mut files: Vec<&str> = rest.iter().map(|found| found.file.as_str()).collect();
    files.dedup();
    let shown = files.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    (!files.is_empty()).then(|| {
        format!(
            "`{}` stays in {} comments and strings ({shown}); `includeText` changes them too",
            symbol.name,
            rest.len()
        )
    })
}
