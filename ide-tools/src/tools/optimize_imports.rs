//! `ide_optimize_imports`: imports without those that nothing uses, in the order of the project.

use ide_model::{EditPlan, Engine, FilePath, Refactoring};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reformat_code::line_edits;
use crate::ToolError;
use crate::args::ProjectArg;
use crate::edits::{EditResult, Force, WRITES, WriteArgs, first_said};
use crate::session::Session;
use crate::tool::{Call, Hints, Tool};

/// The name of the index as the one that answered.
const INDEX: &str = "the index";

pub(crate) struct OptimizeImports;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    file: String,
    #[serde(flatten)]
    write: WriteArgs,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    #[serde(flatten)]
    result: EditResult,
    /// False: the imports were in order
    changed: bool,
    /// An IDE, a language server, or the index
    by: String,
}

impl Tool for OptimizeImports {
    const NAME: &'static str = "ide_optimize_imports";
    const ABOUT: &'static str = "Removes the imports of a file that nothing uses and orders the rest as the project \
        does; refuses where it cannot know what is used.";
    const HINTS: Hints = WRITES;
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let file = session.indexed(&args.file)?;
        let mut warnings = Vec::new();
        let provided = session.imports_by(Engine::Ide, &file, &mut warnings)?;
        let (plan, by) = match provided {
            Some(done) => done,
            None => match session.plan(&Refactoring::OptimizeImports { file: &file }, Force::None) {
                Ok(planned) => {
                    warnings.extend(planned.warnings);
                    (planned.plan, INDEX.to_owned())
                }
                // A language server may know imports that the index cannot.
                Err(error) => {
                    session.imports_by(Engine::LanguageServer, &file, &mut warnings)?.ok_or(error)?
                }
            },
        };
        let changed = !plan.is_empty();
        let result = if changed {
            session.carry_out(plan, &args.write, warnings)?
        } else {
            EditResult::unchanged(format!("the imports of {file} are in order"), &args.write, warnings)
        };
        Ok(Output { result, changed, by })
    }

    fn text(output: &Output) -> Option<String> {
        Some(format!("{}by {}\n", output.result.text(), output.by))
    }
}

impl Session<'_> {
    /// The plan of the first provider of an engine, and its name.
    fn imports_by(
        &self,
        engine: Engine,
        file: &FilePath,
        warnings: &mut Vec<String>,
    ) -> Result<Option<(EditPlan, String)>, ToolError> {
        let Some(providers) = self.snapshot.providers() else { return Ok(None) };
        let content = self.project.read(file)?;
        let text = content.text.strip_prefix('\u{feff}').unwrap_or(&content.text);
        let mark = (content.text.len() - text.len()) as u32;
        let all = providers.with_imports(self.cx, engine, file, &text.into())?;
        let Some((by, tidied)) = first_said(all, "put the imports in order", warnings) else {
            return Ok(None);
        };
        let mut plan = EditPlan::new(format!("optimize the imports of {file}"));
        let edits = line_edits(text, tidied.strip_prefix('\u{feff}').unwrap_or(&tidied), None, mark);
        if !edits.is_empty() {
            plan.edit(file, content.hash, edits).map_err(|error| ToolError::argument(error.message))?;
        }
        Ok(Some((plan, by)))
    }
}
