//! `add_inline_comment`: a note above a line of the person's editor; the file stays as it is.

use ide_model::Comment;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::args::ProjectArg;
use crate::surface::{absolute, attached, failure, position};
use crate::tool::{Call, Tool};
use crate::{ProjectSelector, ToolError};

/// Longest comment in bytes.
const MAX_COMMENT: usize = 16 << 10;

pub(crate) struct AddInlineComment;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
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
    const NEEDS_SURFACE: bool = true;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let which =
            args.project.project_path.as_deref().map_or(ProjectSelector::Default, ProjectSelector::Path);
        let project = call.services.project(call.cx, which)?;
        let file = project.locate(&args.file_path)?;
        let surface = attached(call)?;
        let line = position(&project.read(&file)?.text, ("line", args.line), ("column", None))?.line;
        if args.comment.len() > MAX_COMMENT {
            let message = format!("the comment is longer than {MAX_COMMENT} bytes");
            return Err(ToolError::argument(message).with("parameter", "comment"));
        }
        let comment = Comment {
            path: absolute(&*project, &file),
            line,
            text: args.comment.clone(),
            author: "agent".to_owned(),
        };
        let id = surface.add_comment(comment).map_err(failure)?;
        Ok(Output {
            comment_id: format!("comment-{}", id.0),
            message: format!("shown above line {line}"),
            file_path: file.to_string(),
            line,
            comment: args.comment,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::TestServer;

    #[test]
    fn a_comment_stands_above_its_line() {
        let server = TestServer::new("//- Main.java\nclass Main {\n}\n").with_surface();
        let args = json!({"file_path": "Main.java", "line": 2, "comment": "**why**?"});
        let answer = server.ok("add_inline_comment", args);
        assert_eq!(
            answer,
            json!({"commentId": "comment-1", "filePath": "Main.java", "line": 2, "comment": "**why**?",
                "message": "shown above line 2"})
        );
        let comments = server.surface.as_ref().unwrap().comments();
        assert_eq!((comments[0].1.line, &*comments[0].1.path), (2, "/projects/sample/Main.java"));
        let beyond = json!({"filePath": "Main.java", "line": 3, "comment": "x"});
        assert_eq!(server.err("add_inline_comment", beyond)["error"], "invalid_argument");
    }
}
