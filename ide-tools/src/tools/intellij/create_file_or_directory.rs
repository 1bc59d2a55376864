//! `create_file_or_directory`: a new file or directory, known to the index in the same call.

use ide_model::{EditPlan, FileChange, FilePath, TextEdit, TextRange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::InProject;
use crate::edits::{WRITES, WriteArgs};
use crate::session::Session;
use crate::surface::shown;
use crate::tool::{Call, Hints, Tool};
use crate::{EntryKind, ToolError};

pub(crate) struct CreateFileOrDirectory;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    /// Relative to the project
    path: String,
    is_directory: bool,
    /// The text of a file
    content: Option<String>,
    /// Default true
    create_parents: Option<bool>,
    /// Replaces a file that is there
    overwrite: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// Relative to the project
    path: String,
    is_directory: bool,
    success: bool,
    message: String,
    affected_files: Vec<String>,
}

impl Tool for CreateFileOrDirectory {
    const NAME: &'static str = "create_file_or_directory";
    const ABOUT: &'static str = "Creates a file with content, or a directory, with the directories above it.";
    const HINTS: Hints = WRITES;
    const SAME_AS: Option<&'static str> = Some("ide_create_file");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let (file, there) = session.project.entry(&args.path)?;
        let path = shown(&*session.project, file.as_str());
        if !args.create_parents.unwrap_or(true) {
            let above = file.directory();
            let is_there =
                above.is_empty() || matches!(session.project.entry(above)?, (_, Some(EntryKind::Directory)));
            if !is_there {
                let error = ToolError::new("file_not_found", format!("there is no directory `{above}`"));
                return Err(error.hint("create it first, or leave `createParents` out"));
            }
        }
        let message = if args.is_directory {
            session.make_directory(&path, there)?
        } else {
            session.make_file(&file, there, &args)?
        };
        let affected_files = if args.is_directory { Vec::new() } else { vec![path.clone()] };
        Ok(Output { path, is_directory: args.is_directory, success: true, message, affected_files })
    }
}

impl Session<'_> {
    fn make_directory(&self, path: &str, there: Option<EntryKind>) -> Result<String, ToolError> {
        match there {
            Some(EntryKind::Directory) => Ok(format!("the directory {path} is there already")),
            Some(EntryKind::File) => Err(exists(path).hint("choose another name")),
            None => {
                self.project.make_directory(path)?;
                Ok(format!("created the directory {path}"))
            }
        }
    }

    fn make_file(&self, file: &FilePath, there: Option<EntryKind>, args: &Args) -> Result<String, ToolError> {
        let text = args.content.clone().unwrap_or_default();
        let mut plan = EditPlan::new(format!("create {file}"));
        match there {
            None => plan.changes.push(FileChange::Create { file: file.clone(), text: text.into() }),
            Some(EntryKind::File) if args.overwrite.unwrap_or(false) => {
                plan.title = format!("overwrite {file}");
                let old = self.project.read(file)?;
                if *old.text == *text {
                    return Ok(format!("{file} has this content already"));
                }
                let whole = TextRange::new(0, old.text.len() as u32);
                plan.edit(file, old.hash, vec![TextEdit::new(whole, text)])
                    .map_err(|error| ToolError::argument(format!("`{}` {}", error.file, error.message)))?;
            }
            Some(EntryKind::File) => return Err(exists(file.as_str()).hint("pass `overwrite` to replace it")),
            Some(EntryKind::Directory) => {
                return Err(exists(file.as_str()).hint("it is a directory; choose another name"));
            }
        }
        Ok(self.carry_out(plan, &WriteArgs::default(), Vec::new())?.message)
    }
}

fn exists(path: &str) -> ToolError {
    ToolError::new("file_exists", format!("`{path}` exists already"))
}
