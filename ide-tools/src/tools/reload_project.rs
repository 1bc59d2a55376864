//! `ide_reload_project`: reads the build files of a project again.

use std::collections::BTreeSet;

use ide_model::counted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::open_project::opened;
use crate::args::ProjectArg;
use crate::tool::{Call, Tool};
use crate::{Project, ProjectSelector, ToolError};

pub(crate) struct ReloadProject;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    /// Default 45, at most 50
    wait_seconds: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// ready or running
    status: &'static str,
    path: String,
    modules: Vec<String>,
    added: Vec<String>,
    removed: Vec<String>,
    message: String,
}

impl Tool for ReloadProject {
    const NAME: &'static str = "ide_reload_project";
    const ABOUT: &'static str = "Reads the build files again: modules, source roots, exclusions. After a build file has \
        changed in a way that adds or removes modules.";
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let which =
            args.project.project_path.as_deref().map_or(ProjectSelector::Default, ProjectSelector::Path);
        let project = call.services.project(call.cx, which)?;
        let names = |project: &dyn Project| -> BTreeSet<String> {
            project.structure().modules.into_iter().map(|module| module.name).collect()
        };
        let before = names(&*project);
        let project = call.services.reload(call.cx, project.root())?;
        let after = names(&*project);
        let status = opened(call, &*project, args.wait_seconds)?.status;
        let minus = |a: &BTreeSet<String>, b: &BTreeSet<String>| -> Vec<String> {
            a.difference(b).cloned().collect()
        };
        let (added, removed) = (minus(&after, &before), minus(&before, &after));
        let modules = counted(after.len(), "module");
        let message = if added.is_empty() && removed.is_empty() {
            format!("{modules} as before")
        } else {
            format!("{modules}: {} new, {} gone", added.len(), removed.len())
        };
        Ok(Output {
            status,
            path: project.root().to_owned(),
            modules: after.into_iter().collect(),
            added,
            removed,
            message,
        })
    }

    fn text(output: &Output) -> Option<String> {
        Some(format!("{}: {}\n", output.path, output.message))
    }
}
