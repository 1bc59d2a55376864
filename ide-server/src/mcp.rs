//! The catalogue on an MCP server: which tools are listed, and how calls and results travel.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context as TaskContext, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use ide_model::{EditorSurface as _, SurfaceEvent, SurfaceListener};
use ide_tools::{Reply, ToolError, ToolSpec};
use mcp_protocol::model::{CallToolResult, Content, Implementation, Tool, ToolAnnotations};
use mcp_protocol::server::{
    Answer, BuildError, InputRequest, InputRequired, Reply as Handled, Runtime, ToolProvider,
};
use mcp_protocol::{Context, Json, Server, Version};
use serde_json::Value;

use crate::config::{Config, ResponseFormat};
use crate::house::{House, Session};

/// What a model should know about the server as a whole.
const INSTRUCTIONS: &str = "Code intelligence over an index that is always current: no sync calls, no waiting. \
    Prefer these tools to grep for anything that has a name: ide_find_symbol to locate, ide_find_definition \
    (fullElementPreview) to read, ide_find_references before a change, ide_call_hierarchy for its reach, \
    ide_file_structure before a long file. Lines and columns count from 1. Results say when they are a lower bound \
    or only possible.";

/// An MCP server that offers the catalogue. The same server can run on several transports at once.
///
/// # Errors
/// When a tool's schema is not one that MCP takes.
pub fn mcp_server(house: &Arc<House>, runtime: impl Runtime) -> Result<Server, BuildError> {
    let mut info = Implementation::new("ide-index-mcp", env!("CARGO_PKG_VERSION"));
    info.title = Some("IDE index".to_owned());
    Server::builder(info)
        .instructions(INSTRUCTIONS)
        .tools(Catalogue::new(house.clone())?)
        .runtime(runtime)
        .build()
}

/// Tells clients that other tools are listed, when somebody begins to look at the editor or looks away.
pub(crate) struct ToolNews(Server);

impl ToolNews {
    /// Tells for as long as it lives.
    pub(crate) fn of(house: &House, server: &Server) -> Arc<Self> {
        let news = Arc::new(Self(server.clone()));
        let listener: Weak<dyn SurfaceListener> = Arc::<Self>::downgrade(&news);
        house.desk().subscribe(listener);
        news
    }
}

impl SurfaceListener for ToolNews {
    fn on_event(&self, event: &SurfaceEvent) {
        if *event == SurfaceEvent::AttachmentChanged {
            self.0.tools_changed();
        }
    }
}

struct Catalogue {
    house: Arc<House>,
    /// Clients that did not say in time which folders they work in.
    silent: Arc<Mutex<HashSet<String>>>,
    /// What the settings offer, each with its tool.
    listed: Vec<(&'static ToolSpec, Arc<Tool>)>,
}

impl Catalogue {
    fn new(house: Arc<House>) -> Result<Self, BuildError> {
        let offered = ide_tools::all().iter().filter(|tool| house.config().offers(tool));
        let listed = offered.map(|tool| (tool, Arc::new(listed(tool, house.config())))).collect();
        Ok(Self { house, silent: Arc::default(), listed })
    }
}

impl ToolProvider for Catalogue {
    fn list(&self, _: &Context) -> Vec<Arc<Tool>> {
        let offered = self.listed.iter().filter(|(spec, _)| self.house.offers(spec));
        offered.map(|(_, tool)| tool.clone()).collect()
    }

    /// Old names are found too, and names that mean nothing: both are answered by [`Self::call`], because an unknown
    /// tool is an error that the model should read (index-tools §2).
    fn find(&self, _: &Context, name: &str) -> Option<Arc<Tool>> {
        let today = ide_tools::find(name).map_or(name, |tool| tool.name);
        self.listed.iter().find(|(spec, _)| spec.name == today).map(|(_, tool)| tool.clone())
    }

    fn call(&self, cx: Context, name: &str, arguments: Json) -> Option<Handled<Answer<CallToolResult>>> {
        let house = self.house.clone();
        let silent = self.silent.clone();
        let format = house.config().response_format;
        let with_structure = cx.version() >= Version::V2025_06_18;
        let refused = |error: &ToolError| {
            Some(Handled::Ready(Ok(result(Reply::from(error), format, with_structure).into())))
        };
        let tool = match ide_tools::find(name) {
            Ok(tool) => tool,
            Err(error) => return refused(&error),
        };
        let arguments: Value = match arguments.to() {
            Ok(arguments) => arguments,
            Err(error) => {
                return refused(&ToolError::new(
                    "invalid_argument",
                    format!("the arguments cannot be read: {error}"),
                ));
            }
        };
        Some(Handled::Blocking(Box::new(move || {
            let client = client_of(&cx);
            let told = cx.inputs().get(ROOTS);
            let can_ask = told.is_none()
                && cx.client_capabilities().roots.is_some()
                && !silent.lock().unwrap_or_else(PoisonError::into_inner).contains(&client);
            let mut session = house.session(&client, told.map_or_else(Vec::new, folders));
            if can_ask {
                session = session.before_asking();
            }
            let call =
                |session: &Session, arguments| session.call(tool, arguments, Some(Box::pin(cx.cancelled())));
            let reply = call(&session, arguments.clone());
            if !session.needs_roots() {
                return Ok(result(reply, format, with_structure).into());
            }
            if cx.version().is_stateless() {
                return Ok(InputRequired::new().ask(ROOTS, InputRequest::roots()).into());
            }
            // What the client refuses to say, or does not say in time, the working directory says.
            let roots = match within(ROOTS_LIMIT, cx.list_roots()) {
                Some(answer) => answer.as_ref().map_or_else(|_| Vec::new(), folders),
                None => {
                    silent.lock().unwrap_or_else(PoisonError::into_inner).insert(client.clone());
                    Vec::new()
                }
            };
            let reply = call(&house.session(&client, roots), arguments);
            Ok(result(reply, format, with_structure).into())
        })))
    }
}

/// The question which folders the client works in.
const ROOTS: &str = "roots";

/// How long a client may take to say it.
const ROOTS_LIMIT: Duration = Duration::from_secs(2);

/// Runs a future on this thread; `None` where it takes too long.
fn within<T>(limit: Duration, future: impl Future<Output = T>) -> Option<T> {
    struct Unpark(std::thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let until = Instant::now() + limit;
    let mut future = std::pin::pin!(future);
    loop {
        if let Poll::Ready(done) = future.as_mut().poll(&mut TaskContext::from_waker(&waker)) {
            return Some(done);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        std::thread::park_timeout(left);
    }
}

/// The folders of a `roots/list` result. Roots that are no files are none of our business.
fn folders(result: &Json) -> Vec<String> {
    let Ok(result) = result.to::<Value>() else { return Vec::new() };
    let roots = result["roots"].as_array().into_iter().flatten();
    roots.filter_map(|root| ide_tools::file_uri_path(root["uri"].as_str()?)).collect()
}

/// Whose kept pages are whose: the authenticated principal, else the program that asks.
fn client_of(cx: &Context) -> String {
    if let Some(principal) = cx.principal() {
        return format!("principal {principal}");
    }
    cx.client_info().map_or_else(String::new, |info| format!("{} {}", info.name, info.version))
}

fn listed(tool: &ToolSpec, config: &Config) -> Tool {
    let json = |schema: &Value| Json::from(schema).expect("a value is JSON");
    let hints = tool.hints;
    let with_output = config.output_schemas && config.response_format != ResponseFormat::Text;
    let listed =
        Tool::new(tool.name, tool.about, json(&tool.input_schema)).with_annotations(ToolAnnotations {
            title: None,
            read_only_hint: Some(hints.read_only),
            destructive_hint: Some(hints.destructive),
            idempotent_hint: Some(hints.idempotent),
            open_world_hint: Some(hints.open_world),
        });
    if with_output { listed.with_output_schema(json(&tool.output_schema)) } else { listed }
}

/// A reply as the client's revision and the settings want it.
fn result(reply: Reply, format: ResponseFormat, with_structure: bool) -> CallToolResult {
    let structured = with_structure && format != ResponseFormat::Text;
    let short = match format {
        ResponseFormat::Json => None,
        ResponseFormat::Auto if !structured => None,
        _ => reply.text,
    };
    let mut result = CallToolResult {
        content: Vec::new(),
        structured_content: None,
        is_error: reply.is_error,
        meta: None,
    };
    if structured {
        result.structured_content = Some(Json::parse(&reply.json).expect("the catalogue writes JSON"));
    }
    result.content = vec![Content::text(short.unwrap_or(reply.json))];
    result
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reply() -> Reply {
        Reply { json: r#"{"a":1}"#.to_owned(), text: Some("a is 1".to_owned()), is_error: false }
    }

    #[test]
    fn roots_are_folders_of_this_machine() {
        let roots = json!({"roots": [
            {"uri": "file:///home/a%20b/%C3%BC"}, {"uri": "file://localhost/x#top"}, {"uri": "file:///c%3A/w"},
            {"uri": "file:///C:/w"}, {"uri": "https://example.org/y"}, {"uri": "file://server/share"},
            {"uri": "file:///bad%2"}, {"uri": "file:///bad%ff"}, {"name": "no uri"},
        ]});
        let found = folders(&Json::from(&roots).unwrap());
        assert_eq!(found, ["/home/a b/ü", "/x", "c:/w", "C:/w"]);
        assert!(folders(&Json::parse("[]").unwrap()).is_empty());
    }

    #[test]
    fn results_fit_the_revision_and_the_setting() {
        let shown = |format, with_structure| {
            let result = result(reply(), format, with_structure);
            let text = result.content[0].as_text().unwrap().to_owned();
            (text, result.structured_content.map(|json| json.as_str().to_owned()))
        };
        let (json, text) = (r#"{"a":1}"#.to_owned(), "a is 1".to_owned());
        assert_eq!(shown(ResponseFormat::Auto, true), (text.clone(), Some(json.clone())));
        assert_eq!(shown(ResponseFormat::Auto, false), (json.clone(), None));
        assert_eq!(shown(ResponseFormat::Json, true), (json.clone(), Some(json)));
        assert_eq!(shown(ResponseFormat::Text, true), (text.clone(), None));
        assert_eq!(shown(ResponseFormat::Text, false), (text, None));
    }
}
