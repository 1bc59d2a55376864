//! `ide_move_file`: another place or name for a file, and its importers told so.

use ide_model::{EditPlan, FileChange, FilePath, Refactored, Refactoring};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::ProjectArg;
use crate::edits::{EditResult, WRITES, WriteArgs};
use crate::session::Session;
use crate::tool::{Call, Hints, Tool};

pub(crate) struct MoveFile;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    file: String,
    destination: String,
    #[schemars(extend("x-hidden" = true))]
    update_references: Option<bool>,
    #[serde(flatten)]
    write: WriteArgs,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    #[serde(flatten)]
    result: EditResult,
    /// False: only the file was moved
    references_updated: bool,
}

impl Tool for MoveFile {
    const NAME: &'static str = "ide_move_file";
    const ABOUT: &'static str = "Moves or renames a file; imports, packages and namespaces follow. Refuses to break names.";
    const HINTS: Hints = WRITES;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let from = session.locate(&args.file)?;
        let to = session.project.place(&target(&from, &args.destination))?;
        let update = args.update_references.unwrap_or(true);
        let Moving { plan, warnings, references_updated } = session.plan_move(&from, &to, update)?;
        Ok(Output { result: session.carry_out(plan, &args.write, warnings)?, references_updated })
    }

    fn text(output: &Output) -> Option<String> {
        Some(output.result.text())
    }
}

/// The plan of a move, and whether others follow it.
pub(crate) struct Moving {
    pub(crate) plan: EditPlan,
    pub(crate) warnings: Vec<String>,
    pub(crate) references_updated: bool,
}

impl Session<'_> {
    /// Plans that a file lies elsewhere. A file of a kind that is not understood moves alone.
    pub(crate) fn plan_move(
        &self,
        from: &FilePath,
        to: &FilePath,
        update: bool,
    ) -> Result<Moving, ToolError> {
        let mut warnings = Vec::new();
        if update && self.snapshot.file(from).is_some() {
            match self.plan(&Refactoring::MoveFile { from, to }, false) {
                Ok(planned) => {
                    let Refactored { plan, warnings, .. } = planned;
                    return Ok(Moving { plan, warnings, references_updated: true });
                }
                Err(error) if error.slug == "unsupported_language" => {
                    warnings.push(
                        "only the file was moved: references in this kind of file are not known".to_owned(),
                    );
                }
                Err(error) => return Err(error),
            }
        }
        let mut plan = EditPlan::new(format!("move {from} to {to}"));
        let before = self.project.hash(from)?;
        plan.changes.push(FileChange::Move { from: from.clone(), to: to.clone(), before, edits: Vec::new() });
        Ok(Moving { plan, warnings, references_updated: false })
    }
}

/// A destination with the ending of the file is the new path, any other one a directory.
fn target(from: &FilePath, destination: &str) -> String {
    let ending = from.file_name().rsplit_once('.').map(|(_, ending)| format!(".{ending}"));
    let name = destination.rsplit(['/', '\\']).next().unwrap_or(destination);
    if ending.is_some_and(|ending| name.len() > ending.len() && name.ends_with(&ending)) {
        return destination.to_owned();
    }
    match destination.trim_end_matches(['/', '\\']) {
        "" | "." => from.file_name().to_owned(),
        directory => format!("{directory}/{}", from.file_name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destinations_are_directories_or_paths() {
        let from = FilePath::new("a/b.d.ts");
        assert_eq!(target(&from, "lib/"), "lib/b.d.ts");
        assert_eq!(target(&from, "."), "b.d.ts");
        assert_eq!(target(&from, "lib/c.ts"), "lib/c.ts");
        assert_eq!(target(&FilePath::new("Makefile"), "x"), "x/Makefile");
    }
}
