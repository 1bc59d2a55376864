//! The catalogue on an MCP server: which tools are listed, and how calls and results travel.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context as TaskContext, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use history::{Client, NewCall, Outcome, Received};
use ide_model::{SurfaceEvent, SurfaceListener};
use ide_tools::{Catalogue, Reply, ToolError, ToolSpec};
use mcp_protocol::model::{CallToolResult, Content, Implementation, ListRootsResult, Tool, ToolAnnotations};
use mcp_protocol::server::{
    Answer, BuildError, InputRequest, InputRequired, Reply as Handled, Runtime, ToolProvider,
};
use mcp_protocol::{Context, Json, Server, Version};
use serde_json::{Value, json};

use crate::app_state::{AppState, Listener, Session};
use crate::apps;
use crate::config::{Config, ResponseFormat};
use crate::readers::{Form, reader_of};
use crate::records::{Running, affected_files};
use crate::views::with_views;

/// Instructions that tell a model about the server as a whole.
const INSTRUCTIONS: &str = "\
    Code intelligence over an index that is always current: what you or others wrote a moment ago is in every answer; no \
    sync calls, no waiting. Prefer these tools to grep, and to reading whole files, for anything that has a name.\n\
    \n\
    Workflow:\n\
    1. Name a symbol. ide_find_symbol or ide_find_class finds it by a part of its name or its humps (`USvc`); \
    ide_file_structure lists what a file declares; ide_search_text and ide_find_file find the rest.\n\
    2. Ask about it. Every tool takes file+line+column, or language+symbol (`com.shop.Cart#add`, `shop.cart.Cart.add`, \
    `crate::cart::Cart::add`), or the symbolId of an earlier answer. ide_find_definition shows it, ide_find_references \
    its uses, ide_call_hierarchy who calls it, ide_type_hierarchy and ide_find_implementations what stands above and \
    below it, ide_diagnostics what is broken.\n\
    3. Change with a dry run. ide_refactor_rename, ide_move_file and ide_refactor_safe_delete change every use at once; \
    `dryRun: true` lists the files first, with `includeDiff: true` the lines, and nothing is written when something speaks against it.\n\
    4. Undo. ide_undo takes back the last change as a whole.\n\
    \n\
    Reading answers: lines and columns count from 1, paths are relative to the project. An empty list means that there is \
    nothing; `at least`, `possible` and confidence words mean that it is a lower bound or only likely. When an answer \
    ends with `cursor=…`, pass that as `cursor` to the same tool for the next page. Several projects open: pass \
    project_path.";

/// The same for the other catalogue.
const INTELLIJ_INSTRUCTIONS: &str = "\
    Code intelligence over an index that is always current: what you or others wrote a moment ago is in every answer. \
    list_projects names the open projects; every other tool takes the basePath of one as projectPath. Symbols are named by \
    className (qualified, of any language; the name of a module for what stands in none) and memberName, of overloads with \
    their parameter types, as in `add(int, String)`. Paths are absolute, lines count from 1. `truncated` and notes say \
    where there is more.";

/// An MCP server that offers a catalogue. The same server can run on several transports at once.
///
/// # Errors
/// When a tool's schema is not one that MCP takes.
pub fn mcp_server(
    app: &Arc<AppState>,
    runtime: impl Runtime,
    served: Catalogue,
) -> Result<Server, BuildError> {
    let mut info = Implementation::new("ide-index-mcp", env!("CARGO_PKG_VERSION"));
    info.title = Some("IDE index".to_owned());
    let instructions = match served {
        Catalogue::Ide => INSTRUCTIONS,
        Catalogue::Intellij => INTELLIJ_INSTRUCTIONS,
    };
    let builder = Server::builder(info)
        .instructions(instructions)
        .tools(Listed::new(app.clone(), served)?)
        .runtime(runtime);
    apps::with_apps(with_views(builder, app)).build()
}

/// Longer results are complained of by clients that heed `anthropic/maxResultSizeChars`, unless it says so.
const EXPECTED_CHARS: usize = 40_000;

/// Tells clients that other tools are listed, when somebody begins to look at the editor or looks away.
pub(crate) struct ToolNews(Server);

impl ToolNews {
    /// Tells for as long as it lives.
    pub(crate) fn of(app: &AppState, server: &Server) -> Arc<Self> {
        let news = Arc::new(Self(server.clone()));
        let listener: Weak<dyn SurfaceListener> = Arc::<Self>::downgrade(&news);
        app.surface().subscribe(listener);
        app.on_switch(Arc::downgrade(&news));
        news
    }

    pub(crate) fn tell(&self) {
        self.0.tools_changed();
    }
}

impl SurfaceListener for ToolNews {
    fn on_event(&self, event: &SurfaceEvent) {
        if *event == SurfaceEvent::AttachmentChanged {
            self.tell();
        }
    }
}

struct Listed {
    app: Arc<AppState>,
    served: Catalogue,
    /// Every tool as it is listed when it is offered.
    listed: Vec<(&'static ToolSpec, Arc<Tool>)>,
}

impl Listed {
    fn new(app: Arc<AppState>, served: Catalogue) -> Result<Self, BuildError> {
        let config = app.config();
        let ide = if served == Catalogue::Ide { ide_tools::all() } else { &[] };
        let every = ide.iter().chain(ide_tools::intellij());
        let listed = every.map(|tool| (tool, Arc::new(listed(tool, &config)))).collect();
        Ok(Self { app, served, listed })
    }

    /// The tool that a name means here. Where both catalogues are offered, and both have a name, the other one's counts: its
    /// client asked for it.
    fn spec(&self, name: &str) -> Result<&'static ToolSpec, ToolError> {
        let other = ide_tools::find_in(Catalogue::Intellij, name);
        match self.served {
            Catalogue::Intellij => other,
            Catalogue::Ide => match other {
                Ok(tool) if self.app.is_switched_on(tool) => Ok(tool),
                other => ide_tools::find(name).or_else(|error| other.map_err(|_| error)),
            },
        }
    }
}

/// Under this name clients find how long results of a tool may be.
const RESULT_SIZE: &str = "anthropic/maxResultSizeChars";

impl ToolProvider for Listed {
    fn list(&self, cx: &Context) -> Vec<Arc<Tool>> {
        let is_meant = |spec: &ToolSpec| self.spec(spec.name).is_ok_and(|meant| std::ptr::eq(meant, spec));
        let offered =
            self.listed.iter().filter(|(spec, _)| self.app.offers(spec, self.served) && is_meant(spec));
        let heeds = || cx.client_info().is_some_and(|info| reader_of(&info.name).heeds_result_size);
        let budget = Form::new(&self.app.config(), "claude-code", true, None).budget;
        let is_long = budget > EXPECTED_CHARS && heeds();
        let size = is_long.then(|| json!(budget));
        let shows_views = apps::shows_views(cx);
        let meta = |spec: &ToolSpec| {
            let mut meta = if shows_views { apps::tool_meta(spec) } else { None };
            if let Some(size) = &size {
                meta.get_or_insert_with(|| json!({}))[RESULT_SIZE] = size.clone();
            }
            meta.and_then(|meta| Json::from(&meta).ok())
        };
        let review = shows_views.then(|| Arc::new(apps::review_tool()));
        offered
            .map(|(spec, tool)| match meta(spec) {
                None => tool.clone(),
                Some(meta) => Arc::new(Tool::clone(tool).with_meta(meta)),
            })
            .chain(review)
            .collect()
    }

    /// Old names are found too, and names that mean nothing: both are answered by [`Self::call`], because an unknown
    /// tool is an error that the model should read.
    fn find(&self, cx: &Context, name: &str) -> Option<Arc<Tool>> {
        if name == apps::REVIEW && apps::shows_views(cx) {
            return Some(Arc::new(apps::review_tool()));
        }
        let meant = self.spec(name).ok()?;
        self.listed.iter().find(|(spec, _)| std::ptr::eq(*spec, meant)).map(|(_, tool)| tool.clone())
    }

    fn call(&self, cx: Context, name: &str, arguments: Json) -> Option<Handled<Answer<CallToolResult>>> {
        let app = self.app.clone();
        if name == apps::REVIEW && apps::shows_views(&cx) {
            return Some(Handled::Blocking(Box::new(move || Ok(apps::review(&app, &arguments).into()))));
        }
        let form = form(&app.config(), &cx);
        let (tool, served) = (self.spec(name), self.served);
        let arguments = arguments.to::<Value>();
        let running = app.records().begin(NewCall {
            tool_name: tool.as_ref().map_or(name, |tool| tool.name).to_owned(),
            parameters: arguments.as_ref().cloned().unwrap_or_default(),
            project_path: None,
            client: caller(&cx),
            replay_of: None,
        });
        let (tool, arguments) = match (tool, arguments) {
            (Ok(tool), Ok(arguments)) => (tool, arguments),
            (Err(error), _) => return Some(refused(&app, running, &error, form)),
            (_, Err(error)) => {
                let message = format!("the arguments cannot be read: {error}");
                let error = ToolError::new("invalid_argument", message);
                return Some(refused(&app, running, &error, form));
            }
        };
        Some(Handled::Blocking(Box::new(move || {
            let client = client_of(&cx);
            // Roots that cannot be read are none, as where the client refuses them: the working directory counts.
            let told = cx.inputs().get(ROOTS).map(|told| told.to().unwrap_or_default());
            let agent = cx.client_info().map_or_else(|| "an agent".to_owned(), |info| info.name);
            let open = |roots| {
                let session = app.session(&client, roots).with_budget(form.json_budget(tool.name));
                let session = session.of_agent(&agent).serving(served);
                if cx.wants_progress() { session.with_listener(listener(&cx)) } else { session }
            };
            let call =
                |session: &Session, args: Value| session.call(tool, args, Some(Box::pin(cx.cancelled())));
            let mut session = open(told.as_ref().map_or_else(Vec::new, folders));
            if told.is_none() && cx.client_capabilities().roots.is_some() && !app.is_silent(&client) {
                session = session.before_asking();
            }
            let mut reply = call(&session, arguments.clone());
            if session.needs_roots() && cx.version().is_stateless() {
                if let Some(running) = running {
                    app.records().withdraw(running);
                }
                return Ok(InputRequired::new().with_request(ROOTS, InputRequest::roots()).into());
            }
            if session.needs_roots() {
                // The working directory takes the place of roots that the client refuses, or does not send in
                // time.
                let answer = within(ROOTS_LIMIT, cx.list_roots());
                if answer.is_none() {
                    app.remember_silent(&client);
                }
                session = open(answer.and_then(Result::ok).as_ref().map_or_else(Vec::new, folders));
                reply = call(&session, arguments);
            }
            let changed = if tool.hints.read_only { None } else { affected_files(&reply) };
            if let Some(files) = &changed {
                session.has_changed(files);
            }
            let project = session.resolved();
            let view = if apps::shows_views(&cx) && !reply.is_error {
                apps::result_meta(&app, project.as_deref(), tool, &reply.json)
            } else {
                None
            };
            let (mut result, received) = form.result(reply);
            result.meta = result.meta.or(view);
            ended(&app, running, &result, received, changed, project);
            Ok(result.into())
        })))
    }
}

/// Passes on how far a call is. Every message is a step; how many there will be is not known.
fn listener(cx: &Context) -> Box<Listener> {
    let (cx, steps) = (cx.clone(), AtomicU32::new(0));
    Box::new(move |message| {
        let step = steps.fetch_add(1, Ordering::Relaxed) + 1;
        cx.progress(f64::from(step), None, Some(message));
    })
}

/// The answer to a call that reaches no tool.
fn refused(
    app: &AppState,
    running: Option<Running>,
    error: &ToolError,
    form: Form,
) -> Handled<Answer<CallToolResult>> {
    let (result, received) = form.result(Reply::from(error));
    ended(app, running, &result, received, None, None);
    Handled::Ready(Ok(result.into()))
}

/// Tells the history what the client got.
fn ended(
    app: &AppState,
    running: Option<Running>,
    result: &CallToolResult,
    received: Received,
    affected_files: Option<Vec<String>>,
    project_path: Option<String>,
) {
    let Some(running) = running else { return };
    let text = result.content.first().and_then(Content::as_text).unwrap_or_default().to_owned();
    let structured = result.structured_content.as_ref().map(|json| json.as_str().to_owned());
    let outcome = Outcome {
        result: if result.is_error { Err(text) } else { Ok(text) },
        structured,
        received,
        duration: running.elapsed(),
        affected_files,
        project_path,
    };
    app.records().end(running, outcome);
}

/// A call says by this how long its answer may be.
const MAX_CHARS: &str = "ide-index/maxResponseChars";

/// How answers are written for whoever calls.
fn form(config: &Config, cx: &Context) -> Form {
    let client = cx.client_info().map_or_else(String::new, |info| info.name);
    let asked = cx.meta(MAX_CHARS).and_then(|chars| chars.to::<usize>().ok());
    Form::new(config, &client, cx.version() >= Version::V2025_06_18, asked)
}

/// The program that calls.
fn caller(cx: &Context) -> Option<Client> {
    cx.client_info().map(|info| Client { name: info.name, version: info.version })
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
fn folders(result: &ListRootsResult) -> Vec<String> {
    result.roots.iter().filter_map(|root| ide_tools::file_uri_path(&root.uri)).collect()
}

/// The owner of kept pages: the authenticated principal, else the name of the client.
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
    let mut annotations = ToolAnnotations::writing(hints.destructive, hints.idempotent, hints.open_world);
    annotations.read_only_hint = Some(hints.read_only);
    let listed = Tool::new(tool.name, tool.about, json(&tool.input_schema())).with_annotations(annotations);
    if with_output { listed.with_output_schema(json(&tool.output_schema())) } else { listed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_folders_of_this_machine() {
        let roots = json!({"roots": [
            {"uri": "file:///home/a%20b/%C3%BC"}, {"uri": "file://localhost/x#top"}, {"uri": "file:///c%3A/w"},
            {"uri": "file:///C:/w"}, {"uri": "https://example.org/y"}, {"uri": "file://server/share"},
            {"uri": "file:///bad%2"}, {"uri": "file:///bad%ff"}, {"name": "no uri"},
        ]});
        let roots: ListRootsResult = Json::from(&roots).unwrap().to().unwrap();
        let found = folders(&roots);
        assert_eq!(found, ["/home/a b/ü", "/x", "c:/w", "C:/w"]);
    }

    #[test]
    fn instructions_are_not_cut() {
        assert!(INSTRUCTIONS.chars().count() <= 2_000, "{}", INSTRUCTIONS.chars().count());
        let words = INSTRUCTIONS.split(|c: char| !c.is_alphanumeric() && c != '_');
        for name in words.filter(|word| word.starts_with("ide_")) {
            assert_eq!(ide_tools::find(name).unwrap().name, name);
        }
    }
}
