//! `ide_preview_edits`: what several changes together would do to the problems of a project.

use ide_model::{FileChange, counted};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ToolError;
use crate::args::ProjectArg;
use crate::edits::{EditResult, WriteArgs};
use crate::session::Session;
use crate::tool::{Call, Tool};

use super::replace_text_in_file::{Edit, planned};

pub(crate) struct PreviewEdits;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    /// Replacements in files, as ide_replace_text_in_file takes them
    edits: Option<Vec<Edit>>,
    /// Files that would be made
    create: Option<Vec<NewFile>>,
    /// Files that would be deleted
    delete: Option<Vec<String>>,
    include_diff: Option<bool>,
    #[schemars(extend("x-hidden" = true))]
    diff_offset: Option<i64>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NewFile {
    file: String,
    content: String,
}

impl Tool for PreviewEdits {
    const NAME: &'static str = "ide_preview_edits";
    const ABOUT: &'static str = "Says which problems a plan of edits, new and deleted files would bring, take away and \
        leave, in the changed files and in those that use what changes. Writes nothing.";
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = EditResult;

    fn run(call: &Call<'_>, args: Args) -> Result<EditResult, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let (mut plan, _) = planned(&session, None, &args.edits.unwrap_or_default())?;
        for NewFile { file, content } in args.create.unwrap_or_default() {
            let file = session.project.place(&file)?;
            plan.changes.push(FileChange::Create { file, text: content.into() });
        }
        for file in args.delete.unwrap_or_default() {
            let file = session.locate(&file)?;
            let before = session.project.hash(&file)?;
            plan.changes.push(FileChange::Delete { file, before });
        }
        if plan.is_empty() {
            return Err(ToolError::argument("nothing to look at: give `edits`, `create` or `delete`"));
        }
        plan.title = format!("change {}", counted(plan.changes.len(), "file"));
        let write =
            WriteArgs { dry_run: Some(true), include_diff: args.include_diff, diff_offset: args.diff_offset };
        session.carry_out(plan, &write, Vec::new())
    }

    fn text(output: &EditResult) -> Option<String> {
        Some(output.text())
    }
}
