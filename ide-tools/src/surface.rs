//! The common parts of the tools for the editor: its files by the paths that results show, and its failures.

use ide_model::{EditorSurface, FilePath, LineColumn, LineIndex, SurfaceError};

use crate::{Call, Project, ToolError, file_not_found};

/// The editor that a person looks at.
///
/// # Errors
/// `no_editor` when nobody does.
pub(crate) fn attached<'a>(call: &Call<'a>) -> Result<&'a dyn EditorSurface, ToolError> {
    call.services
        .surface()
        .filter(|surface| surface.is_attached())
        .ok_or_else(|| failure(SurfaceError::NotAttached))
}

/// The absolute path of a file as snapshots name it.
pub(crate) fn absolute(project: &dyn Project, file: &FilePath) -> String {
    let is_relative = !file.as_str().starts_with('/') && !file.as_str().contains(':');
    if is_relative { format!("{}/{file}", project.root()) } else { file.to_string() }
}

/// A path of the editor as results show it: relative inside of the project.
pub(crate) fn shown(project: &dyn Project, path: &str) -> String {
    let inside = path.strip_prefix(project.root()).and_then(|rest| rest.strip_prefix('/'));
    inside.unwrap_or(path).to_owned()
}

pub(crate) fn failure(error: SurfaceError) -> ToolError {
    match error {
        SurfaceError::NotAttached => {
            ToolError::new("no_editor", "no editor is attached: nobody would see it")
                .hint("ask the user to open the address that `ide-index-mcp dashboard` prints")
                .retryable()
        }
        SurfaceError::NoFile(path) => file_not_found(&path),
        SurfaceError::OutOfRange { .. } | SurfaceError::NothingActive => {
            ToolError::argument(error.to_string())
        }
        SurfaceError::NotOpen(_) | SurfaceError::Unreadable { .. } | SurfaceError::Failed(_) => {
            ToolError::new("editor_failed", error.to_string())
        }
    }
}

/// A position of a file from the arguments of a call. A column may stand behind the end of its line; it means the end.
///
/// # Errors
/// `invalid_argument` for what is not in the text.
pub(crate) fn position(
    text: &str,
    (line_name, line): (&str, i64),
    (column_name, column): (&str, Option<i64>),
) -> Result<LineColumn, ToolError> {
    let lines = LineIndex::new(text);
    let refuse = |name: &str, value: i64, what: &str| {
        Err(ToolError::argument(format!("`{name}` is {value}; {what}")).with("parameter", name))
    };
    let last = lines.line_count();
    let Some(line) = u32::try_from(line).ok().filter(|line| (1..=last).contains(line)) else {
        return refuse(line_name, line, &format!("the file has lines 1 to {last}"));
    };
    let column = column.unwrap_or(1);
    let Some(column) = u32::try_from(column).ok().filter(|column| *column >= 1) else {
        return refuse(column_name, column, "columns count from 1");
    };
    let at = LineColumn { line, column };
    let offset = lines.offset(text, at).expect("the line is in the text");
    Ok(lines.position(text, offset))
}
