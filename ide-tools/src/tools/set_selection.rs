//! `ide_set_selection`: shows the person a place of a file.

use ide_model::Selection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::args::ProjectArg;
use crate::surface::{absolute, attached, failure, position, shown};
use crate::tool::{Call, Tool};
use crate::{ProjectSelector, ToolError};

pub(crate) struct SetSelection;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    /// Default: the active file
    file: Option<String>,
    start_line: i64,
    /// Default 1
    start_column: Option<i64>,
    /// Default: startLine
    end_line: Option<i64>,
    /// Exclusive; default: the end of endLine, or a caret without endLine
    end_column: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    file: String,
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

impl Tool for SetSelection {
    const NAME: &'static str = "ide_set_selection";
    const ABOUT: &'static str = "Selects a range in the user's editor and scrolls to it.";
    const NEEDS_SURFACE: bool = true;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let which =
            args.project.project_path.as_deref().map_or(ProjectSelector::Default, ProjectSelector::Path);
        let project = call.services.project(call.cx, which)?;
        let named = args.file.as_deref().map(|file| project.locate(file)).transpose()?;
        let surface = attached(call)?;
        let file = match named {
            Some(file) => file,
            None => {
                let active = surface.open_editors().into_iter().find(|editor| editor.is_active);
                let active = active.ok_or_else(|| failure(ide_model::SurfaceError::NothingActive))?;
                project.locate(&active.path)?
            }
        };
        let text = project.read(&file)?.text;
        let start = position(&text, ("startLine", args.start_line), ("startColumn", args.start_column))?;
        let end = match (args.end_line, args.end_column) {
            (None, None) => start,
            (line, column) => {
                let column = column.or(Some(i64::from(u32::MAX)));
                position(&text, ("endLine", line.unwrap_or(args.start_line)), ("endColumn", column))?
            }
        };
        if end < start {
            return Err(
                ToolError::argument("the selection ends before it starts").with("parameter", "endLine")
            );
        }
        let path = absolute(&*project, &file);
        let editor = surface.set_selection(Some(&path), Selection { start, end }).map_err(failure)?;
        Ok(Output {
            file: shown(&*project, &editor.path),
            start_line: start.line,
            start_column: start.column,
            end_line: end.line,
            end_column: end.column,
        })
    }
}

#[cfg(test)]
mod tests {
    use ide_model::EditorSurface as _;
    use serde_json::json;

    use crate::testing::TestServer;

    const SOURCE: &str = "//- Main.java\nclass Main {\n  int x;\n}\n";

    #[test]
    fn ranges_lines_and_carets_are_selected() {
        let server = TestServer::new(SOURCE).with_surface();
        let of = |end: (u32, u32), start: (u32, u32)| {
            json!({"file": "Main.java", "startLine": start.0, "startColumn": start.1, "endLine": end.0,
                "endColumn": end.1})
        };
        let select = |args| server.ok("ide_set_selection", args);
        assert_eq!(select(json!({"file": "Main.java", "startLine": 2})), of((2, 1), (2, 1)));
        // the active file, whole lines
        assert_eq!(select(json!({"startLine": 1, "endLine": 2})), of((2, 9), (1, 1)));
        assert_eq!(select(json!({"startLine": 2, "startColumn": 3, "endColumn": 6})), of((2, 6), (2, 3)));
        let selected = server.surface.as_ref().unwrap().open_editors()[0].selected_text.clone();
        assert_eq!(&*selected, "int");
    }

    #[test]
    fn ranges_outside_of_the_file_are_refused() {
        let server = TestServer::new(SOURCE).with_surface();
        assert_eq!(server.err("ide_set_selection", json!({"startLine": 1}))["error"], "invalid_argument");
        for args in [
            json!({"file": "Main.java", "startLine": 9}),
            json!({"file": "Main.java", "startLine": 2, "endLine": 1}),
            json!({"file": "Main.java", "startLine": 2, "startColumn": 5, "endColumn": 3}),
        ] {
            assert_eq!(server.err("ide_set_selection", args.clone())["error"], "invalid_argument", "{args}");
        }
    }
}
