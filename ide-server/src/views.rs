//! Resources and prompts: thin views over the tools, for clients that show them to people.

use std::sync::Arc;

use ide_project_resolver::RootKind;
use ide_tools::{ProjectSelector, Reply, ToolSpec};
use mcp_protocol::model::{
    Content, GetPromptResult, Prompt, PromptMessage, Resource, ResourceContents, ResourceTemplate,
};
use mcp_protocol::server::{Answer, BoxFuture, ReadRequest, Runtime as _, ServerBuilder};
use mcp_protocol::{Context, Json, RpcError};
use serde_json::{Map, Value, json};

use crate::agents::SKILL;
use crate::app_state::{AppState, Session};
use crate::apps::SKILL_URI;

/// Characters of a resource: clients ask for one by its name and want it whole.
const LONGEST: usize = 1_000_000;

const STATUS: &str = "index://status";
const STRUCTURE: &str = "project://structure";

/// Adds every resource and prompt.
pub(crate) fn with_views(builder: ServerBuilder, app: &Arc<AppState>) -> ServerBuilder {
    let reads = |view: fn(&Session, &ReadRequest) -> Result<View, RpcError>| {
        let app = app.clone();
        move |cx: Context, request: ReadRequest| read(app.clone(), cx, request, view)
    };
    let json = "application/json";
    let builder = builder
        .resource(Resource::new(STATUS, "status", "How far the index is").with_mime_type(json), reads(status))
        .resource(
            Resource::new(STRUCTURE, "structure", "Modules, content roots and source roots of the project")
                .with_mime_type(json),
            reads(structure),
        )
        .resource(
            Resource::new(SKILL_URI, "ide-index", "When to use which tool").with_mime_type("text/markdown"),
            reads(|_, _| Ok(View { text: SKILL.to_owned(), mime: "text/markdown" })),
        )
        .resource_template(
            ResourceTemplate::new(
                "index://status?project={+project}",
                "status-of",
                "The same of one of several projects",
            )
            .with_mime_type(json),
            reads(status),
        )
        .resource_template(
            ResourceTemplate::new(
                "project://structure?project={+project}",
                "structure-of",
                "The same of one of several projects",
            )
            .with_mime_type(json),
            reads(structure),
        )
        .resource_template(
            ResourceTemplate::new(
                "file://content/{+path}",
                "file",
                "A file of the project, with its encoding and size",
            ),
            reads(file),
        )
        .resource_template(
            ResourceTemplate::new(
                "symbol://info/{+fqn}",
                "symbol",
                "A symbol by its qualified name: kind, signature, documentation, place",
            )
            .with_mime_type(json),
            reads(symbol),
        );
    PROMPTS.iter().fold(builder, |builder, prompt| {
        builder.prompt(prompt.listed(), move |_, arguments| prompt.get(&arguments))
    })
}

/// The content of a resource.
struct View {
    text: String,
    mime: &'static str,
}

impl View {
    fn json(value: &Value) -> Self {
        Self { text: value.to_string(), mime: "application/json" }
    }
}

/// Reads a resource on a thread where waiting for the index is allowed.
fn read(
    app: Arc<AppState>,
    cx: Context,
    request: ReadRequest,
    view: fn(&Session, &ReadRequest) -> Result<View, RpcError>,
) -> BoxFuture<Result<Answer<Vec<ResourceContents>>, RpcError>> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let runtime = cx.server().runtime().cloned();
    let job = move || {
        let client = cx.client_info().map_or_else(String::new, |info| info.name);
        let session = app.session(&client, Vec::new()).with_budget(LONGEST);
        let contents = view(&session, &request)
            .map(|view| vec![ResourceContents::text(request.uri.clone(), view.mime, view.text)]);
        // The receiver may have gone.
        sender.send(contents).unwrap_or_default();
    };
    match runtime {
        Some(runtime) => runtime.spawn_blocking(Box::new(job)),
        None => job(),
    }
    Box::pin(async move {
        let contents = receiver.await.map_err(|_| RpcError::internal("the resource was not read"))?;
        contents.map(Answer::from)
    })
}

/// The part of an address behind `?project=`, and what stands before it.
fn of_project(text: &str) -> (&str, Option<&str>) {
    match text.split_once("?project=") {
        Some((before, project)) if !project.is_empty() => (before, Some(project)),
        Some((before, _)) => (before, None),
        None => (text, None),
    }
}

/// A text without percent-encoding.
fn decoded(text: &str) -> Result<String, RpcError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    let mut is_whole = true;
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        match digit().and_then(|high| Some(high * 16 + digit()?)).and_then(|byte| u8::try_from(byte).ok()) {
            Some(byte) => bytes.push(byte),
            None => is_whole = false,
        }
    }
    let text = String::from_utf8(bytes).ok().filter(|_| is_whole);
    text.ok_or_else(|| RpcError::invalid_params("the address is not percent-encoded UTF-8"))
}

/// The project that an address names, as an argument.
fn arguments(request: &ReadRequest) -> Result<Map<String, Value>, RpcError> {
    let mut arguments = Map::new();
    if let (_, Some(project)) = of_project(&request.uri) {
        arguments.insert("project_path".to_owned(), decoded(project)?.into());
    }
    Ok(arguments)
}

/// The answer of a tool, whether the settings list it or not.
fn ask(session: &Session, tool: &str, arguments: Map<String, Value>) -> Result<Value, RpcError> {
    let spec: &ToolSpec = ide_tools::find(tool).map_err(|error| RpcError::internal(error.message))?;
    let reply: Reply = session.call_any(spec, Value::Object(arguments), None);
    let value: Value =
        serde_json::from_str(&reply.json).map_err(|error| RpcError::internal(error.to_string()))?;
    if reply.is_error { Err(error_of(&value)) } else { Ok(value) }
}

/// MCP's number for a resource that is not there.
const NOT_FOUND: i64 = -32002;

/// An error of a tool as one of the protocol, with its words as data.
fn error_of(error: &Value) -> RpcError {
    let word = |key: &str| error[key].as_str().unwrap_or_default();
    let message = word("message").to_owned();
    let is_missing = matches!(word("error"), "file_not_found" | "symbol_not_found" | "project_not_found");
    let told = if is_missing { RpcError::new(NOT_FOUND, message) } else { RpcError::invalid_params(message) };
    match Json::from(error) {
        Ok(data) => told.with_data(data),
        Err(_) => told,
    }
}

fn missing(slug: &str, what: &str) -> RpcError {
    error_of(&json!({"error": slug, "message": format!("the address names no {what}")}))
}

fn status(session: &Session, request: &ReadRequest) -> Result<View, RpcError> {
    Ok(View::json(&ask(session, "ide_index_status", arguments(request)?)?))
}

fn structure(session: &Session, request: &ReadRequest) -> Result<View, RpcError> {
    let arguments = arguments(request)?;
    let which = arguments
        .get("project_path")
        .and_then(Value::as_str)
        .map_or(ProjectSelector::Default, ProjectSelector::Path);
    let project = session
        .find(which)
        .map_err(|error| error_of(&serde_json::from_str(&error.to_json()).unwrap_or_default()))?;
    let layout = project.layout();
    let module = |module: &ide_project_resolver::Module| {
        let of = |kinds: &[RootKind]| -> Vec<&str> {
            kinds.iter().flat_map(|kind| module.roots_of(*kind)).collect()
        };
        let sources = of(&[RootKind::Source, RootKind::Test]);
        json!({"name": module.name, "contentRoots": [module.root.as_str()], "sourceRoots": sources})
    };
    Ok(View::json(&json!({
        "name": layout.name(),
        "basePath": layout.root().spelling(),
        "modules": layout.modules().iter().map(module).collect::<Vec<_>>(),
    })))
}

fn file(session: &Session, request: &ReadRequest) -> Result<View, RpcError> {
    let path = request.variable("path").unwrap_or_default();
    let path = decoded(of_project(path).0)?;
    if path.trim().is_empty() {
        return Err(missing("path_required", "path"));
    }
    let mut arguments = arguments(request)?;
    arguments.insert("file".to_owned(), path.clone().into());
    let read = ask(session, "ide_read_file", arguments)?;
    let content = read["content"].as_str().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let mut view = json!({
        "path": read["file"], "content": content, "size": content.len(), "extension": extension,
        "encoding": read["encoding"],
    });
    if read["truncated"] == true {
        view["truncated"] = true.into();
    }
    Ok(View { text: view.to_string(), mime: mime_of(extension) })
}

/// The media type of a file by its extension.
fn mime_of(extension: &str) -> &'static str {
    match extension.to_lowercase().as_str() {
        "java" => "text/x-java",
        "kt" | "kts" => "text/x-kotlin",
        "py" | "pyi" => "text/x-python",
        "js" | "mjs" | "cjs" | "jsx" => "text/javascript",
        "ts" | "mts" | "cts" | "tsx" => "text/x-typescript",
        "go" => "text/x-go",
        "php" => "text/x-php",
        "rs" => "text/x-rust",
        "json" => "application/json",
        "md" => "text/markdown",
        "html" | "htm" => "text/html",
        "xml" => "application/xml",
        "css" => "text/css",
        "toml" => "application/toml",
        "yaml" | "yml" => "application/yaml",
        _ => "text/plain",
    }
}

fn symbol(session: &Session, request: &ReadRequest) -> Result<View, RpcError> {
    let name = request.variable("fqn").unwrap_or_default();
    let name = decoded(of_project(name).0)?;
    if name.trim().is_empty() {
        return Err(missing("fqn_required", "qualified name"));
    }
    let bare = |name: &str| {
        name.split('(').next().unwrap_or_default().replace(['#', '\\', '$'], ".").replace("::", ".")
    };
    let wanted = bare(name.trim());
    let last = wanted.rsplit('.').next().unwrap_or_default().to_owned();
    let mut search = arguments(request)?;
    search.insert("query".to_owned(), last.into());
    search.insert("matchMode".to_owned(), "exact".into());
    search.insert("pageSize".to_owned(), 500.into());
    let found = ask(session, "ide_find_symbol", search)?;
    let rows = found["symbols"].as_array().into_iter().flatten();
    let is_it = |row: &&Value| {
        let qualified = bare(row["qualifiedName"].as_str().unwrap_or_default());
        qualified == wanted
            || qualified.ends_with(&format!(".{wanted}"))
            || wanted.ends_with(&format!(".{qualified}"))
    };
    let exact = |row: &&Value| bare(row["qualifiedName"].as_str().unwrap_or_default()) == wanted;
    let candidates: Vec<&Value> = rows.filter(is_it).collect();
    let row = candidates.iter().find(|row| exact(row)).or(candidates.first());
    let row = row.ok_or_else(|| {
        error_of(&json!({"error": "symbol_not_found", "message": format!("there is no symbol `{name}`")}))
    })?;
    let mut target = arguments(request)?;
    for key in ["file", "line", "column"] {
        target.insert(key.to_owned(), row[key].clone());
    }
    let info = ask(session, "ide_symbol_info", target)?;
    Ok(View::json(&json!({
        "name": info["name"],
        "qualifiedName": info["qualifiedName"],
        "kind": info["kind"],
        "type": info["returnType"],
        "modifiers": info.get("modifiers").cloned().unwrap_or_else(|| json!([])),
        "documentation": info["documentation"],
        "file": info["file"],
        "line": info["line"],
        "containingClass": info["containingDeclaration"],
        "signature": info["signature"],
    })))
}

/// A prompt: a few lines over the tools.
struct Words {
    name: &'static str,
    about: &'static str,
    /// Its argument and what that is.
    argument: (&'static str, &'static str),
    required: bool,
    /// `{}` is the argument.
    text: &'static str,
}

static PROMPTS: [Words; 4] = [
    Words {
        name: "explain_symbol",
        about: "Explain what a symbol is, does, and how it is used",
        argument: ("symbol", "A name, a qualified name, or file:line:column"),
        required: true,
        text: "Explain `{}`. Find it with ide_find_symbol if the name is not complete; read its declaration with \
            ide_find_definition (fullElementPreview), where it stands with ide_type_hierarchy or ide_find_super_methods, and \
            a few uses with ide_find_references. Say what it is for, what it takes and gives, what it changes, and how the \
            code around uses it. Name files and lines.",
    },
    Words {
        name: "impact_of_change",
        about: "Find what a change of a symbol would affect",
        argument: ("symbol", "A name, a qualified name, or file:line:column"),
        required: true,
        text: "What is affected when `{}` changes? Collect every use with ide_find_references, all pages; who calls it, two \
            levels up, with ide_call_hierarchy; what overrides or implements it with ide_find_implementations. Group by \
            production code and tests, tell certain uses from possible ones, and name the riskiest places with file and line. \
            Change nothing.",
    },
    Words {
        name: "find_dead_code",
        about: "Find declarations that nothing uses",
        argument: ("path", "A file or directory; without it the whole project"),
        required: false,
        text: "Find declarations without uses in `{}`. List declarations with ide_file_structure, and ask for each that is not \
            public ide_find_references. Before calling one dead rule out: uses that are only possible, overrides \
            (ide_find_super_methods), entry points, tests, reflection, configuration (ide_search_text for the name as text). \
            Report certain ones and doubtful ones apart, with file and line. ide_refactor_safe_delete with dryRun confirms one.",
    },
    Words {
        name: "ide_index_skill",
        about: "When to use which tool",
        argument: ("task", "The work to do"),
        required: false,
        text: "",
    },
];

impl Words {
    fn listed(&self) -> Prompt {
        let (name, about) = self.argument;
        Prompt::new(self.name, self.about).with_argument(name, about, self.required)
    }

    fn get(&self, arguments: &Json) -> std::future::Ready<Result<GetPromptResult, RpcError>> {
        let arguments: Value = arguments.to().unwrap_or_default();
        let given = arguments[self.argument.0].as_str().map(str::trim).filter(|given| !given.is_empty());
        let text = match (self.text, given) {
            ("", None) => SKILL.to_owned(),
            ("", Some(task)) => format!("{SKILL}\nThe task: {task}\n"),
            (text, given) => text.replacen("{}", given.unwrap_or("the project"), 1),
        };
        let result =
            GetPromptResult::new(vec![PromptMessage::user(Content::text(text))]).with_description(self.about);
        std::future::ready(Ok(result))
    }
}
