//! `delete_file_or_directory`: removes a file, or a directory with what is in it.

use ide_model::{EditPlan, FileChange, FileMeta, FilePath, QueryError, SourceKind, counted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::InProject;
use crate::edits::{WRITES, WriteArgs};
use crate::session::Session;
use crate::surface::shown;
use crate::tool::{Call, Hints, Tool};
use crate::{EntryKind, ToolError, file_not_found};

/// Most files that are removed at once.
const MOST: usize = 2_000;
/// Declarations of a file whose uses are looked for.
const MAX_LOOKED: usize = 50;

pub(crate) struct DeleteFileOrDirectory;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    /// Relative to the project
    path: String,
    /// A directory with what is in it
    recursive: Option<bool>,
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

impl Tool for DeleteFileOrDirectory {
    const NAME: &'static str = "delete_file_or_directory";
    const ABOUT: &'static str = "Deletes a file, whoever uses it, or a directory.";
    const HINTS: Hints = WRITES;
    const SAME_AS: Option<&'static str> = Some("ide_delete_file");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let (file, there) = session.project.entry(&args.path)?;
        let path = shown(&*session.project, file.as_str());
        let is_directory = there == Some(EntryKind::Directory);
        let (message, affected_files) = match there {
            None => {
                return Err(session.with_near_paths(file_not_found(&args.path), &args.path));
            }
            Some(EntryKind::File) => {
                session.warn_of_uses(&file)?;
                session.delete(format!("delete {file}"), std::slice::from_ref(&file))?
            }
            Some(EntryKind::Directory) => session.delete_directory(&path, args.recursive.unwrap_or(false))?,
        };
        Ok(Output { path, is_directory, success: true, message, affected_files })
    }
}

impl Session<'_> {
    fn delete(&self, title: String, files: &[FilePath]) -> Result<(String, Vec<String>), ToolError> {
        let mut plan = EditPlan::new(title);
        for file in files {
            self.cx.check()?;
            let before = self.project.hash(file)?;
            plan.changes.push(FileChange::Delete { file: file.clone(), before });
        }
        let done = self.carry_out(plan, &WriteArgs::default(), Vec::new())?;
        Ok((done.message, done.affected_files))
    }

    fn delete_directory(&self, path: &str, recursive: bool) -> Result<(String, Vec<String>), ToolError> {
        let files = self.project.files_below(path, MOST + 1)?;
        if !files.is_empty() && !recursive {
            let error =
                ToolError::new("not_empty", format!("`{path}` holds {}", counted(files.len(), "file")));
            return Err(error.hint("pass `recursive` to delete them too"));
        }
        if files.len() > MOST {
            return Err(ToolError::argument(format!("`{path}` holds more than {MOST} files"))
                .hint("delete its directories one by one"));
        }
        let mut done = (format!("delete {path}"), Vec::new());
        if !files.is_empty() {
            done = self.delete(format!("delete {path} with {}", counted(files.len(), "file")), &files)?;
        }
        self.project.remove_directories(path)?;
        Ok(done)
    }

    /// Tells whether other files use what a file declares.
    fn warn_of_uses(&self, file: &FilePath) -> Result<(), ToolError> {
        let outline = match self.snapshot.outline(self.cx, file) {
            Ok(outline) => outline.value,
            Err(QueryError::NoFile { .. } | QueryError::Unsupported { .. } | QueryError::NotRead { .. }) => {
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let elsewhere = |other: &FileMeta| other.path != *file && other.source != SourceKind::Library;
        for node in outline.iter().take(MAX_LOOKED) {
            let answer = match self.snapshot.references(self.cx, &node.symbol, &elsewhere, 1) {
                Ok(answer) => answer.value,
                Err(QueryError::Unsupported { .. }) => return Ok(()),
                Err(error) => return Err(error.into()),
            };
            if let Some(first) = answer.references.first() {
                self.told.note(format!(
                    "`{}` was used by {}; ide_refactor_safe_delete would have refused; ide_undo takes the deletion back",
                    node.symbol.name, first.file
                ));
                return Ok(());
            }
        }
        Ok(())
    }
}
