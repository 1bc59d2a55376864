//! `ide_list_dependencies`: the dependencies of the modules, from build and lock files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::args::{PageArgs, ProjectArg};
use crate::page::{Page, ResultSet, paged};
use crate::session::Session;
use crate::tool::{Call, Tool};
use crate::{Available, Dependencies, DependencyRow, ToolError};

const DEFAULT_PAGE: usize = 100;

pub(crate) struct ListDependencies;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    module_name: Option<String>,
    /// Only what build files ask for themselves
    direct_only: Option<bool>,
    #[serde(flatten)]
    page: PageArgs,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    dependencies: Vec<Row>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    incomplete: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
    #[serde(flatten)]
    page: Page,
}

/// A dependency of any number of modules.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row {
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) declared: Option<String>,
    pub(crate) scope: &'static str,
    pub(crate) direct: bool,
    pub(crate) build_system: String,
    pub(crate) modules: Vec<String>,
    /// Another module of this project
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_module: bool,
    /// source, declarations or missing
    pub(crate) available: String,
}

impl Tool for ListDependencies {
    const NAME: &'static str = "ide_list_dependencies";
    const ABOUT: &'static str = "The dependencies of the project, from build and lock files: version asked for and used, \
        scope (TEST: for tests and development only), direct or needed in turn, and whether its source is at hand.";
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let cut = paged(&session, Self::NAME, &args.page, DEFAULT_PAGE, || {
            let found = session.dependencies_of(args.module_name.as_deref())?;
            let rows = merged(&found, args.direct_only.unwrap_or(false));
            Ok(ResultSet::new(&session, (found.unlocked, found.problems), rows, true))
        })?;
        let (unlocked, problems) = cut.head;
        let incomplete =
            |of: String| format!("{of}: no lock file, so what is needed in turn is not or not wholly known");
        Ok(Output {
            dependencies: cut.items,
            incomplete: unlocked.into_iter().map(incomplete).collect(),
            problems,
            page: cut.page,
        })
    }

    fn text(output: &Output) -> Option<String> {
        let mut text = String::new();
        for row in &output.dependencies {
            let version = row.version.as_deref().or(row.declared.as_deref()).unwrap_or("?");
            let asked = row.declared.as_deref().filter(|asked| *asked != version);
            let asked = asked.map_or_else(String::new, |asked| format!(" (asks for {asked})"));
            let how = if row.is_module {
                " module"
            } else if row.direct {
                ""
            } else {
                " in turn"
            };
            let of = row.modules.join(",");
            text.push_str(&format!(
                "{} {version}{asked} {}{how} {} <- {of}\n",
                row.name, row.scope, row.available
            ));
        }
        if output.dependencies.is_empty() {
            text.push_str("no dependencies\n");
        }
        output.page.write_end(&mut text);
        for line in output.incomplete.iter().chain(&output.problems) {
            text.push_str(&format!("note: {line}\n"));
        }
        Some(text)
    }
}

impl Session<'_> {
    /// The dependencies of the modules of a name, or of all.
    ///
    /// # Errors
    /// `invalid_argument` for a name that no module has.
    pub(crate) fn dependencies_of(&self, module: Option<&str>) -> Result<Dependencies, ToolError> {
        if let Some(name) = module {
            let modules = self.project.structure().modules;
            if modules.iter().all(|module| module.name != name) {
                let names: Vec<String> = modules.into_iter().map(|module| module.name).collect();
                let error = ToolError::argument(format!("no module is called `{name}`"));
                return Err(error.hint("use one of `supportedValues`").with("supportedValues", names));
            }
        }
        Ok(self.project.dependencies(module))
    }
}

/// One row for each dependency and version, with all modules that have it.
pub(crate) fn merged(found: &Dependencies, direct_only: bool) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut widest: Vec<(usize, Available)> = Vec::new();
    for one in found.rows.iter().filter(|one| one.is_direct || !direct_only) {
        let is_same = |row: &Row| {
            row.name == one.name && row.version == one.version && row.build_system == one.build_system
        };
        match rows.iter().position(is_same) {
            Some(at) => {
                let row = &mut rows[at];
                row.direct |= one.is_direct;
                row.declared = row.declared.take().or_else(|| one.declared.clone());
                if rank(one.scope) < rank(row.scope) {
                    row.scope = one.scope;
                }
                if !row.modules.contains(&one.module) {
                    row.modules.push(one.module.clone());
                }
                widest[at].1 = widest[at].1.min(one.available);
                row.available = widest[at].1.to_string();
            }
            None => {
                widest.push((rows.len(), one.available));
                rows.push(row(one));
            }
        }
    }
    rows
}

fn rank(scope: &str) -> Option<usize> {
    ["COMPILE", "RUNTIME", "PROVIDED", "TEST"].iter().position(|known| *known == scope)
}

fn row(one: &DependencyRow) -> Row {
    Row {
        name: one.name.clone(),
        version: one.version.clone(),
        declared: one.declared.clone(),
        scope: one.scope,
        direct: one.is_direct,
        build_system: one.build_system.clone(),
        modules: vec![one.module.clone()],
        is_module: one.is_module,
        available: one.available.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::TestServer;

    #[test]
    fn modules_with_the_same_dependency_share_a_row() {
        let server = TestServer::new("//- a.py\nx = 1\n# <- def x\n");
        let answer = server.ok("ide_list_dependencies", json!({}));
        let a = json!({"name": "g:a", "version": "1.0", "declared": "${v}", "scope": "COMPILE", "direct": true,
            "buildSystem": "maven", "modules": ["app", "core"], "available": "source"});
        let b = json!({"name": "g:b", "scope": "RUNTIME", "direct": false, "buildSystem": "maven",
            "modules": ["core"], "available": "missing"});
        assert_eq!(answer["dependencies"], json!([a, b]));
        assert_eq!(answer["totalCount"], 2);
        assert!(answer["incomplete"][0].as_str().unwrap().starts_with("core (maven): no lock file"));
        let direct = server.ok("ide_get_dependencies", json!({"moduleName": "app", "directOnly": true}));
        assert_eq!((&direct["dependencies"][0]["scope"], &direct["totalCount"]), (&json!("TEST"), &json!(1)));
        let unknown = server.err("ide_list_dependencies", json!({"moduleName": "nowhere"}));
        assert_eq!(unknown["supportedValues"], json!(["app"]));
    }
}
