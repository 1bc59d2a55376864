//! `ide_get_active_file`: what the person looks at.

use ide_model::{Language, OpenEditor};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::args::ProjectArg;
use crate::surface::shown;
use crate::tool::{Call, Tool};
use crate::{Project, ProjectSelector, ToolError};

pub(crate) struct GetActiveFile;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    active_files: Vec<ActiveFile>,
    /// False when nobody looks at an editor
    #[serde(skip_serializing_if = "is_true")]
    editor_attached: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActiveFile {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "str::is_empty")]
    selected_text: String,
    has_selection: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
}

fn is_true(value: &bool) -> bool {
    *value
}

impl Tool for GetActiveFile {
    const NAME: &'static str = "ide_get_active_file";
    const ABOUT: &'static str = "The file, caret and selection that the user looks at.";
    const NEEDS_SURFACE: bool = true;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let which =
            args.project.project_path.as_deref().map_or(ProjectSelector::Default, ProjectSelector::Path);
        let project = call.services.project(call.cx, which)?;
        let Some(surface) = call.services.surface().filter(|surface| surface.is_attached()) else {
            return Ok(Output { active_files: Vec::new(), editor_attached: false });
        };
        let limit = call.services.response_budget();
        let active = surface.open_editors().into_iter().filter(|editor| editor.is_active);
        let active_files = active.map(|editor| active_file(&*project, &editor, limit)).collect();
        Ok(Output { active_files, editor_attached: true })
    }
}

fn active_file(project: &dyn Project, editor: &OpenEditor, limit: usize) -> ActiveFile {
    let end = (0..=limit.min(editor.selected_text.len()))
        .rev()
        .find(|end| editor.selected_text.is_char_boundary(*end))
        .expect("0 is a boundary");
    let start = editor.selection.map(|selection| selection.start);
    ActiveFile {
        file: shown(project, &editor.path),
        line: start.map(|at| at.line),
        column: start.map(|at| at.column),
        selected_text: editor.selected_text[..end].to_owned(),
        has_selection: editor.selection.is_some_and(|selection| !selection.is_caret()),
        language: editor.language.map(Language::name),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::TestServer;

    const SOURCE: &str = "//- a/Main.java\nclass Main {\n  int x;\n}\n//- b.py\nx = 1\n";

    #[test]
    fn the_active_file_is_told_with_its_selection() {
        let server = TestServer::new(SOURCE).with_surface();
        assert_eq!(server.ok("ide_get_active_file", json!({})), json!({"activeFiles": []}));
        server.ok("ide_open_file", json!({"file": "b.py"}));
        server.ok(
            "ide_set_selection",
            json!({"file": "a/Main.java", "startLine": 1, "startColumn": 7, "endLine": 1, "endColumn": 11}),
        );
        assert_eq!(
            server.ok("ide_get_active_file", json!({})),
            json!({"activeFiles": [{"file": "a/Main.java", "line": 1, "column": 7, "selectedText": "Main",
                "hasSelection": true, "language": "Java"}]})
        );
    }

    #[test]
    fn nobody_looking_is_said() {
        let answer = TestServer::new(SOURCE).ok("ide_get_active_file", json!({}));
        assert_eq!(answer, json!({"activeFiles": [], "editorAttached": false}));
    }
}
