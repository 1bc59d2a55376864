//! `add_inline_comment`: a note above a line of the person's editor; the file stays as it is.

use ide_model::Comment;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::InProject;
use crate::ToolError;
use crate::surface::{absolute, failure, position};
use crate::tool::{Call, Tool};

/// Longest comment in bytes.
const MAX_COMMENT: usize = 16 << 10;

pub(crate) struct AddInlineComment;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    file_path: String,
    line: i64,
    /// Markdown
    comment: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    comment_id: String,
    file_path: String,
    line: u32,
    comment: String,
    message: String,
}

impl Tool for AddInlineComment {
    const NAME: &'static str = "add_inline_comment";
    const ABOUT: &'static str = "Shows a comment above a line in the user's editor. The file is not changed.";
    const SAME_AS: Option<&'static str> = Some("add_inline_comment");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let project = call.project(&args.project.arg(), None)?;
        let file = project.locate(&args.file_path)?;
        let line = position(&project.read(&file)?.text, ("line", args.line), ("column", None))?.line;
        if args.comment.len() > MAX_COMMENT {
            let message = format!("the comment is longer than {MAX_COMMENT} bytes");
            return Err(ToolError::argument(message).with("parameter", "comment"));
        }
        let surface = call.services.surface().ok_or_else(|| failure(ide_model::SurfaceError::NotAttached))?;
        let path = absolute(&*project, &file);
        let comment =
            Comment { path: path.clone(), line, text: args.comment.clone(), author: "agent".to_owned() };
        let id = surface.add_comment(comment).map_err(failure)?;
        let message = if surface.is_attached() {
            format!("shown above line {line}")
        } else {
            format!(
                "kept for line {line}; it is shown when the user opens the editor that `ide-index-mcp dashboard` names"
            )
        };
        Ok(Output {
            comment_id: format!("comment-{}", id.0),
            file_path: path,
            line,
            comment: args.comment,
            message,
        })
    }
}
