//! `read_file`: the text of a file, which alone says which project is meant.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::args::ProjectArg;
use crate::session::Session;
use crate::surface::absolute;
use crate::tool::{Call, Tool};
use crate::tools::read_file::{MAX_BYTES, read};
use crate::{ProjectSelector, ToolError};

pub(crate) struct ReadFile;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    /// Absolute, below an open project
    file_path: String,
    /// Default 1
    start_line: Option<i64>,
    /// Included; default the last
    end_line: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    file_path: String,
    content: String,
    total_lines: u32,
    start_line: u32,
    end_line: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

impl Tool for ReadFile {
    const NAME: &'static str = "read_file";
    const ABOUT: &'static str = "The text of a file of an open project, or lines startLine to endLine of it.";
    const SAME_AS: Option<&'static str> = Some("ide_read_file");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let path = args.file_path.trim();
        let project = call.services.project(call.cx, ProjectSelector::Holding(path))?;
        let file = match project.locate(path) {
            Err(error) if error.slug == "file_not_found" => {
                let by_path = ProjectArg { project_path: Some(project.root().to_owned()) };
                let session = Session::open(call, &by_path, None);
                return Err(session.map_or(error.clone(), |session| session.with_near_paths(error, path)));
            }
            found => found?,
        };
        let limit = MAX_BYTES.min(call.services.response_budget());
        let read = read(&*project, &file, args.start_line, args.end_line, limit)?;
        Ok(Output {
            file_path: absolute(&*project, &file),
            content: read.content,
            total_lines: read.line_count,
            start_line: read.start_line,
            end_line: read.end_line,
            truncated: read.truncated,
        })
    }
}
