//! Views of results inside of the applications that call tools (the extension `io.modelcontextprotocol/ui`), and the skill as
//! the extension `io.modelcontextprotocol/skills` serves it.
//!
//! A client that does not have the extension gets tools and results as ever. To one that has it, tools name their view, and
//! the data of a view travel in the metadata of a result, which models do not read.

mod review;

use ide_tools::ToolSpec;
use mcp_protocol::model::{Resource, ResourceContents};
use mcp_protocol::server::{Answer, ReadRequest, ServerBuilder};
use mcp_protocol::{Context, Json, RpcError};
use serde_json::{Value, json};

use crate::agents::SKILL;
use crate::app_state::AppState;
use crate::steps::with_diffs;

pub(crate) use review::{REVIEW, call as review, tool as review_tool};

/// The extension of views.
const UI: &str = "io.modelcontextprotocol/ui";
const SKILLS: &str = "io.modelcontextprotocol/skills";
const MIME: &str = "text/html;profile=mcp-app";
/// Under these names the data of a view, and the project that they are of, stand in the metadata of a result.
const DATA: &str = "ide-index/view";
const PROJECT: &str = "ide-index/project";
/// The address of the skill.
pub(crate) const SKILL_URI: &str = "skill://ide-index/SKILL.md";

const PAGE: &str = include_str!("view.html");
const SCRIPT: &str = include_str!("view.js");
/// The script that the dashboard has too.
const PARTS: &str = include_str!("../dashboard/assets/parts.js");

/// A view, and the tool whose results it shows; the first one shows those of every tool that tells which files it changed.
struct View {
    name: &'static str,
    about: &'static str,
    tool: Option<&'static str>,
}

static VIEWS: [View; 4] = [
    View {
        name: "changes",
        about: "Changes of files with their differences, to look at and to take back",
        tool: None,
    },
    View { name: "calls", about: "Callers or callees as a tree", tool: Some("ide_call_hierarchy") },
    View { name: "types", about: "Supertypes and subtypes as trees", tool: Some("ide_type_hierarchy") },
    View { name: "references", about: "Uses of a symbol by file", tool: Some("ide_find_references") },
];

impl View {
    /// The view for the results of a tool.
    fn of(tool: &ToolSpec) -> Option<&'static Self> {
        let changes = !tool.hints.read_only && tool.reports_edits;
        VIEWS.iter().find(|view| view.tool.map_or(changes, |name| name == tool.name))
    }

    fn uri(&self) -> String {
        format!("ui://ide-index/{}", self.name)
    }

    fn page(&self) -> String {
        // a script of the page, not a module: it has no address to import from
        let parts = PARTS.replace("\nexport function", "\nfunction");
        PAGE.replace("{{title}}", self.about)
            .replace("{{view}}", self.name)
            .replace("{{script}}", &format!("{parts}\n{SCRIPT}"))
    }
}

/// Whether the client shows views.
pub(crate) fn shows_views(cx: &Context) -> bool {
    cx.client_capabilities().has_extension(UI)
}

/// The `_meta` of a tool's description about its view, where it has one.
pub(crate) fn tool_meta(tool: &ToolSpec) -> Option<Value> {
    Some(json!({"ui": {"resourceUri": View::of(tool)?.uri()}}))
}

/// The metadata that carry a result to its view, with differences that models do not get unasked.
pub(crate) fn result_meta(
    app: &AppState,
    project: Option<&str>,
    tool: &ToolSpec,
    json: &str,
) -> Option<Json> {
    View::of(tool)?;
    let whole = with_diffs(app, project, tool.name, json).map(|result| result.to_string());
    let project = project.map_or_else(String::new, |root| format!(",\"{PROJECT}\":{}", json!(root)));
    Json::parse(&format!("{{\"{DATA}\":{}{project}}}", whole.as_deref().unwrap_or(json))).ok()
}

/// Adds the views and the skill.
pub(crate) fn with_apps(builder: ServerBuilder) -> ServerBuilder {
    let ui = Json::from(&json!({"mimeTypes": [MIME]})).expect("a value is JSON");
    let builder = VIEWS.iter().fold(builder.extension(UI, ui), |builder, view| {
        let resource = Resource::new(view.uri(), view.name, view.about).with_mime_type(MIME);
        builder.resource(resource, move |_: Context, request: ReadRequest| async move {
            let page = ResourceContents::text(request.uri.clone(), MIME, view.page());
            Ok::<Answer<Vec<ResourceContents>>, RpcError>(vec![page].into())
        })
    });
    builder
        .extension(SKILLS, Json::empty_object())
        .method("skills/list", |_| Ok(Json::from(&json!({"skills": [skill()]})).expect("a value is JSON")))
        .method("skills/get", |params| {
            let params: Value = params.to().unwrap_or_default();
            match params["uri"].as_str() {
                Some(SKILL_URI) => Ok(Json::from(&json!({"skill": skill()})).expect("a value is JSON")),
                Some(other) => Err(RpcError::invalid_params(format!("there is no skill `{other}`"))),
                None => Err(RpcError::invalid_params("`uri` must be a string")),
            }
        })
}

/// The entry of the skill that `install` writes too.
fn skill() -> Value {
    let digest: String =
        hmac_sha256::Hash::hash(SKILL.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let frontmatter: serde_json::Map<String, Value> = SKILL
        .lines()
        .skip(1)
        .take_while(|line| *line != "---")
        .filter_map(|line| line.split_once(": "))
        .map(|(key, value)| (key.to_owned(), value.into()))
        .collect();
    let file = json!({"uri": SKILL_URI, "digest": format!("sha256:{digest}"), "size": SKILL.len()});
    json!({"uri": SKILL_URI, "frontmatter": frontmatter, "resources": [file]})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_is_one_page_that_loads_nothing() {
        for view in &VIEWS {
            let page = view.page();
            assert!(page.contains("function diffText") && page.contains("ui/initialize"), "{}", view.name);
            for word in ["{{", "import ", "export ", "src=", "href=", "https:"] {
                assert!(!page.contains(word) || word == "href=", "{word} in {}", view.name);
            }
            assert!(view.tool.is_none_or(|tool| ide_tools::find(tool).is_ok_and(|found| found.name == tool)));
        }
    }

    #[test]
    fn the_skill_says_what_its_file_says() {
        let skill = skill();
        assert_eq!(skill["frontmatter"]["name"], "ide-index");
        assert!(skill["frontmatter"]["description"].as_str().unwrap().starts_with("Navigate"));
        assert_eq!(skill["resources"][0]["size"], SKILL.len());
        let digest = skill["resources"][0]["digest"].as_str().unwrap();
        assert_eq!(digest.len(), "sha256:".len() + 64, "{digest}");
    }
}
