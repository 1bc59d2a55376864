//! `get_project_modules`: the modules with their folders.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::InProject;
use crate::tool::{Call, Tool};
use crate::{RootUse, ToolError};

pub(crate) struct GetProjectModules;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    modules: Vec<Row>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    path: String,
    /// The build system
    r#type: String,
    source_folders: Vec<String>,
    resource_folders: Vec<String>,
    test_source_folders: Vec<String>,
    test_resource_folders: Vec<String>,
}

impl Tool for GetProjectModules {
    const NAME: &'static str = "get_project_modules";
    const ABOUT: &'static str =
        "The modules of a project with their source, resource and test folders, relative to it.";
    const SAME_AS: Option<&'static str> = Some("ide_project_structure");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let project = call.project(&args.project.arg(), None)?;
        let row = |module: crate::ModuleRow| Row {
            source_folders: module.roots_of(&[RootUse::Source, RootUse::Generated]),
            resource_folders: module.roots_of(&[RootUse::Resource]),
            test_source_folders: module.roots_of(&[RootUse::Test, RootUse::GeneratedTest]),
            test_resource_folders: module.roots_of(&[RootUse::TestResource]),
            r#type: if module.build_systems.is_empty() {
                "plain".to_owned()
            } else {
                module.build_systems.join("+")
            },
            path: if module.path.is_empty() { ".".to_owned() } else { module.path },
            name: module.name,
        };
        Ok(Output { modules: project.structure().modules.into_iter().map(row).collect() })
    }
}
