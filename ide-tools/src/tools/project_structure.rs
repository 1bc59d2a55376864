//! `ide_project_structure`: modules, roots, build systems and exclusions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::args::ProjectArg;
use crate::tool::{Call, Tool};
use crate::{ProjectSelector, RootUse, ToolError};

pub(crate) struct ProjectStructure;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    name: String,
    base_path: String,
    modules: Vec<Row>,
    languages: Vec<Language>,
    /// Left out of the index, besides what git ignores
    excluded: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    content_roots: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    build_systems: Vec<String>,
    source_roots: Vec<String>,
    test_roots: Vec<String>,
    resource_roots: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    test_resource_roots: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    generated_roots: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Language {
    language: &'static str,
    files: usize,
}

impl Tool for ProjectStructure {
    const NAME: &'static str = "ide_project_structure";
    const ABOUT: &'static str =
        "Modules with their source, test and resource roots, build systems, languages, and what is left out.";
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let which =
            args.project.project_path.as_deref().map_or(ProjectSelector::Default, ProjectSelector::Path);
        let project = call.services.project(call.cx, which)?;
        let structure = project.structure();
        let modules = structure.modules.into_iter().map(|module| Row {
            content_roots: vec![if module.path.is_empty() { ".".to_owned() } else { module.path.clone() }],
            source_roots: module.roots_of(&[RootUse::Source]),
            test_roots: module.roots_of(&[RootUse::Test]),
            resource_roots: module.roots_of(&[RootUse::Resource]),
            test_resource_roots: module.roots_of(&[RootUse::TestResource]),
            generated_roots: module.roots_of(&[RootUse::Generated, RootUse::GeneratedTest]),
            name: module.name,
            build_systems: module.build_systems,
        });
        let states = project.backend().status().languages.into_iter();
        Ok(Output {
            name: project.name().to_owned(),
            base_path: project.root().to_owned(),
            modules: modules.collect(),
            languages: states
                .filter(|state| state.files > 0)
                .map(|state| Language { language: state.language.name(), files: state.files })
                .collect(),
            excluded: structure.excluded,
            problems: structure.problems,
        })
    }

    fn text(output: &Output) -> Option<String> {
        let mut text = format!("{} {}\n", output.name, output.base_path);
        for module in &output.modules {
            let build = module.build_systems.join("+");
            text.push_str(&format!("module {} {} {build}\n", module.name, module.content_roots.join(" ")));
            for (word, roots) in [
                ("source", &module.source_roots),
                ("test", &module.test_roots),
                ("resource", &module.resource_roots),
                ("test resource", &module.test_resource_roots),
                ("generated", &module.generated_roots),
            ] {
                if !roots.is_empty() {
                    text.push_str(&format!("  {word}: {}\n", roots.join(" ")));
                }
            }
        }
        let languages: Vec<String> =
            output.languages.iter().map(|l| format!("{} {}", l.language, l.files)).collect();
        text.push_str(&format!(
            "files: {}\nleft out: {}\n",
            languages.join(", "),
            output.excluded.join(", ")
        ));
        output.problems.iter().for_each(|problem| text.push_str(&format!("problem: {problem}\n")));
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::TestServer;

    #[test]
    fn modules_with_their_roots() {
        let server = TestServer::new("//- src/a.py\nx = 1\n# <- def x\n");
        let answer = server.ok("ide_project_structure", json!({}));
        assert_eq!(answer["basePath"], "/projects/sample");
        let module = json!({"name": "app", "contentRoots": ["."], "buildSystems": ["maven"], "sourceRoots": ["src"],
            "testRoots": ["test"], "resourceRoots": ["res"], "testResourceRoots": ["test-res"], "generatedRoots": ["gen"]});
        assert_eq!(answer["modules"], json!([module]));
        assert_eq!(answer["languages"], json!([{"language": "Python", "files": 1}]));
        assert_eq!(answer["excluded"], json!(["**/node_modules (installed packages)"]));
        let old = server.call("ide_get_project_structure", json!({})).text.unwrap();
        assert!(old.contains("module app . maven\n  source: src\n  test: test\n"), "{old}");
    }
}
