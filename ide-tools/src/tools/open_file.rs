//! `ide_open_file`: shows a file to the person.

use ide_model::{OpenRequest, Selection};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::args::ProjectArg;
use crate::surface::{absolute, attached, failure, position};
use crate::tool::{Call, Tool, missing};
use crate::{ProjectSelector, ToolError};

pub(crate) struct OpenFile;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    file: String,
    line: Option<i64>,
    /// With line
    column: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    file: String,
    opened: bool,
    message: String,
}

impl Tool for OpenFile {
    const NAME: &'static str = "ide_open_file";
    const ABOUT: &'static str = "Opens a file in the user's editor, at a line if given.";
    const NEEDS_SURFACE: bool = true;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let which =
            args.project.project_path.as_deref().map_or(ProjectSelector::Default, ProjectSelector::Path);
        let project = call.services.project(call.cx, which)?;
        let file = project.locate(&args.file)?;
        let at = match (args.line, args.column) {
            (None, Some(_)) => return Err(missing("line")),
            (None, None) => None,
            (Some(line), column) => {
                Some(position(&project.read(&file)?.text, ("line", line), ("column", column))?)
            }
        };
        let surface = attached(call)?;
        let path = absolute(&*project, &file);
        let request = OpenRequest {
            path: &path,
            selection: at.map(Selection::caret),
            activate: true,
            is_preview: false,
        };
        surface.open_file(&request).map_err(failure)?;
        let place = at.map_or_else(String::new, |at| format!(" at {}:{}", at.line, at.column));
        Ok(Output { message: format!("opened {file}{place}"), file: file.to_string(), opened: true })
    }
}

#[cfg(test)]
mod tests {
    use ide_model::EditorSurface as _;
    use serde_json::json;

    use crate::testing::TestServer;

    const SOURCE: &str = "//- a/Main.java\nclass Main {\n  int x;\n}\n";

    #[test]
    fn a_file_is_opened_where_it_is_asked_for() {
        let server = TestServer::new(SOURCE).with_surface();
        let args = json!({"file": "a/Main.java", "line": 2, "column": 999});
        assert_eq!(
            server.ok("ide_open_file", args),
            json!({"file": "a/Main.java", "opened": true, "message": "opened a/Main.java at 2:9"})
        );
        let editors = server.surface.as_ref().unwrap().open_editors();
        assert_eq!(editors.len(), 1);
        assert_eq!(&*editors[0].path, "/projects/sample/a/Main.java");
        assert_eq!(editors[0].selection.unwrap().start.column, 9);
    }

    #[test]
    fn what_is_not_there_is_not_opened() {
        let server = TestServer::new(SOURCE).with_surface();
        for (args, error) in [
            (json!({"file": "b.java"}), "file_not_found"),
            (json!({"file": "a/Main.java", "column": 1}), "invalid_argument"),
            (json!({"file": "a/Main.java", "line": 0}), "invalid_argument"),
            (json!({"file": "a/Main.java", "line": 4}), "invalid_argument"),
            (json!({"file": "a/Main.java", "line": 1, "column": 0}), "invalid_argument"),
        ] {
            assert_eq!(server.err("ide_open_file", args.clone())["error"], error, "{args}");
        }
        assert!(server.surface.as_ref().unwrap().open_editors().is_empty());
        let nobody = TestServer::new(SOURCE).err("ide_open_file", json!({"file": "a/Main.java"}));
        assert_eq!(nobody["error"], "no_editor");
    }
}
