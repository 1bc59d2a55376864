//! `open_file`: shows a file to the person.

use ide_model::OpenRequest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::InProject;
use crate::ToolError;
use crate::surface::{absolute, attached, failure};
use crate::tool::{Call, Tool};

pub(crate) struct OpenFile;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    file_path: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    message: String,
}

impl Tool for OpenFile {
    const NAME: &'static str = "open_file";
    const ABOUT: &'static str = "Opens a file in the user's editor.";
    const NEEDS_SURFACE: bool = true;
    const SAME_AS: Option<&'static str> = Some("ide_open_file");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let project = call.project(&args.project.arg(), None)?;
        let file = project.locate(&args.file_path)?;
        let path = absolute(&*project, &file);
        let request = OpenRequest { path: &path, selection: None, activate: true, is_preview: false };
        attached(call)?.open_file(&request).map_err(failure)?;
        Ok(Output { message: format!("opened {path}") })
    }
}
