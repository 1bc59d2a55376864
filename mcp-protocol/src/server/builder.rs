//! How a server is put together. Capabilities follow from what is registered; there is nothing to declare.

use std::{collections::HashMap, fmt, future::Future, sync::Arc, time::Duration};

use super::{
    Server,
    headers::{MirroredArgument, mirrored_arguments},
    reply::{Answer, Reply, Runtime},
    request::Context,
    tasks::{EXTENSION, TaskOptions, Tasks},
};
use crate::{
    error::RpcError,
    json::Json,
    model::{
        CallToolResult, Completion, CompletionReference, Encode as _, GetPromptResult, Implementation,
        Prompt, Resource, ResourceContents, ResourceTemplate, Tool,
    },
    version::Version,
};

pub(crate) type ToolHandler = Box<dyn Fn(Context, Json) -> Reply<Answer<CallToolResult>> + Send + Sync>;
pub(crate) type PromptHandler = Box<dyn Fn(Context, Json) -> Reply<Answer<GetPromptResult>> + Send + Sync>;
pub(crate) type ReadHandler =
    Box<dyn Fn(Context, ReadRequest) -> Reply<Answer<Vec<ResourceContents>>> + Send + Sync>;
pub(crate) type CompletionHandler =
    Box<dyn Fn(Context, CompletionRequest) -> Reply<Completion> + Send + Sync>;
pub(crate) type NotificationHandler = Box<dyn Fn(&super::Peer, &str, Option<Json>) + Send + Sync>;

/// A set of tools that changes while the server runs. It is asked again for every `tools/list`; say so to connected
/// clients with [`Server::tools_changed`].
///
/// Spec: 2026-07-28 server/tools.
pub trait ToolProvider: Send + Sync + 'static {
    /// The tools this request's sender may see, in a stable order.
    fn list(&self, cx: &Context) -> Vec<Arc<Tool>>;

    /// One tool by name.
    fn find(&self, cx: &Context, name: &str) -> Option<Arc<Tool>> {
        self.list(cx).into_iter().find(|t| t.name == name)
    }

    /// Calls a tool. `arguments` is an object. `None`: there is no tool of that name.
    fn call(&self, cx: Context, name: &str, arguments: Json) -> Option<Reply<Answer<CallToolResult>>>;
}

/// The parameters of `resources/read`.
///
/// Spec: 2026-07-28 server/resources.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReadRequest {
    /// The address, as the client gave it.
    pub uri: String,
    /// The variables of the template that matched, by name; empty for a plain resource.
    pub variables: Vec<(String, String)>,
}

impl ReadRequest {
    /// The value of a template variable.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }
}

/// The parameters of `completion/complete`.
///
/// Spec: 2026-07-28 server/utilities/completion.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CompletionRequest {
    /// The prompt or resource template that the argument belongs to.
    pub reference: CompletionReference,
    /// The argument's name.
    pub argument: String,
    /// The part that was typed.
    pub value: String,
    /// The arguments already given: an object of strings (from 2025-06-18).
    pub arguments: Option<Json>,
}

/// How far a cached list may be shared.
///
/// Spec: 2026-07-28 server/utilities/caching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheScope {
    /// Between all users.
    Public,
    /// Within one authorization.
    Private,
}

impl CacheScope {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Private => "private",
        }
    }
}

pub(crate) struct ToolEntry {
    pub(crate) tool: Arc<Tool>,
    pub(crate) mirrored: Vec<MirroredArgument>,
    pub(crate) call: ToolHandler,
}

pub(crate) struct TemplateEntry {
    pub(crate) template: ResourceTemplate,
    pub(crate) read: ReadHandler,
}

/// Answers a method of an extension.
pub(crate) type MethodHandler = Box<dyn Fn(&Json) -> Result<Json, RpcError> + Send + Sync>;

pub(crate) struct Parts {
    pub(crate) info: Implementation,
    pub(crate) encoded_info: Json,
    pub(crate) instructions: Option<String>,
    pub(crate) versions: Vec<Version>,
    pub(crate) has_tools: bool,
    pub(crate) tools: Vec<ToolEntry>,
    pub(crate) tool_index: HashMap<String, usize>,
    pub(crate) providers: Vec<Box<dyn ToolProvider>>,
    pub(crate) has_resources: bool,
    pub(crate) resources: Vec<(Resource, ReadHandler)>,
    pub(crate) templates: Vec<TemplateEntry>,
    pub(crate) prompts: Vec<(Prompt, PromptHandler)>,
    pub(crate) completion: Option<CompletionHandler>,
    pub(crate) on_notification: Option<NotificationHandler>,
    pub(crate) logging: bool,
    pub(crate) page_size: Option<usize>,
    pub(crate) cache: (Duration, CacheScope),
    pub(crate) extensions: Vec<(String, Json)>,
    pub(crate) methods: Vec<(String, MethodHandler)>,
    pub(crate) runtime: Option<Arc<dyn Runtime>>,
    pub(crate) state_key: Option<Vec<u8>>,
    pub(crate) tasks: Option<Tasks>,
}

/// Puts a [`Server`] together.
///
/// Spec: per method.
pub struct ServerBuilder {
    parts: Parts,
}

/// Why a server cannot be built.
///
/// Spec: none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError(String);

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BuildError {}

impl ServerBuilder {
    pub(crate) fn new(info: Implementation) -> Self {
        Self {
            parts: Parts {
                info,
                encoded_info: Json::empty_object(),
                instructions: None,
                versions: Version::ALL.to_vec(),
                has_tools: false,
                tools: Vec::new(),
                tool_index: HashMap::new(),
                providers: Vec::new(),
                has_resources: false,
                resources: Vec::new(),
                templates: Vec::new(),
                prompts: Vec::new(),
                completion: None,
                on_notification: None,
                logging: false,
                page_size: None,
                cache: (Duration::ZERO, CacheScope::Private),
                extensions: Vec::new(),
                methods: Vec::new(),
                runtime: None,
                state_key: None,
                tasks: None,
            },
        }
    }

    /// Sets the text that tells a model about the server as a whole.
    ///
    /// Spec: 2026-07-28 server/discover; 2025-11-25 basic/lifecycle.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.parts.instructions = Some(text.into());
        self
    }

    /// Adds a tool whose handler is a future. If the future is ready when it is first polled, no task is involved.
    ///
    /// Spec: 2026-07-28 server/tools.
    #[must_use]
    pub fn tool<F, Fut, R>(self, tool: Tool, handler: F) -> Self
    where
        F: Fn(Context, Json) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, RpcError>> + Send + 'static,
        R: Into<Answer<CallToolResult>>,
    {
        self.tool_entry(tool, Box::new(move |cx, args| Reply::Future(into_answer(handler(cx, args)))))
    }

    /// Adds a tool whose handler answers in place. It must be quick: it runs on the thread that reads messages.
    ///
    /// Spec: 2026-07-28 server/tools.
    #[must_use]
    pub fn tool_inline<F, R>(self, tool: Tool, handler: F) -> Self
    where
        F: Fn(&Context, Json) -> Result<R, RpcError> + Send + Sync + 'static,
        R: Into<Answer<CallToolResult>>,
    {
        self.tool_entry(tool, Box::new(move |cx, args| Reply::Ready(handler(&cx, args).map(Into::into))))
    }

    /// Adds a tool whose handler computes or blocks. It runs on the [`Runtime`]'s pool.
    ///
    /// Spec: 2026-07-28 server/tools.
    #[must_use]
    pub fn tool_blocking<F, R>(self, tool: Tool, handler: F) -> Self
    where
        F: Fn(&Context, Json) -> Result<R, RpcError> + Send + Sync + 'static,
        R: Into<Answer<CallToolResult>>,
    {
        let handler = Arc::new(handler);
        let call = move |cx: Context, args: Json| {
            let handler = Arc::clone(&handler);
            Reply::Blocking(Box::new(move || handler(&cx, args).map(Into::into)) as Box<_>)
        };
        self.tool_entry(tool, Box::new(call))
    }

    fn tool_entry(mut self, tool: Tool, call: ToolHandler) -> Self {
        self.parts.has_tools = true;
        self.parts.tools.push(ToolEntry { tool: Arc::new(tool), mirrored: Vec::new(), call });
        self
    }

    /// Adds a set of tools that may change.
    ///
    /// Spec: 2026-07-28 server/tools.
    #[must_use]
    pub fn tools(mut self, provider: impl ToolProvider) -> Self {
        self.parts.has_tools = true;
        self.parts.providers.push(Box::new(provider));
        self
    }

    /// Adds a resource and how it is read.
    ///
    /// Spec: 2026-07-28 server/resources.
    #[must_use]
    pub fn resource<F, Fut, R>(mut self, resource: Resource, read: F) -> Self
    where
        F: Fn(Context, ReadRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, RpcError>> + Send + 'static,
        R: Into<Answer<Vec<ResourceContents>>>,
    {
        self.parts.has_resources = true;
        let read = move |cx, request| Reply::Future(into_answer(read(cx, request)));
        self.parts.resources.push((resource, Box::new(read)));
        self
    }

    /// Adds a family of resources. Its template may have `{name}` (anything but a slash) and `{+name}` (anything).
    ///
    /// Spec: 2026-07-28 server/resources.
    #[must_use]
    pub fn resource_template<F, Fut, R>(mut self, template: ResourceTemplate, read: F) -> Self
    where
        F: Fn(Context, ReadRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, RpcError>> + Send + 'static,
        R: Into<Answer<Vec<ResourceContents>>>,
    {
        self.parts.has_resources = true;
        let read = Box::new(move |cx, request| Reply::Future(into_answer(read(cx, request))));
        self.parts.templates.push(TemplateEntry { template, read });
        self
    }

    /// Adds a prompt. The handler gets its arguments as an object of strings; required ones are there.
    ///
    /// Spec: 2026-07-28 server/prompts.
    #[must_use]
    pub fn prompt<F, Fut, R>(mut self, prompt: Prompt, get: F) -> Self
    where
        F: Fn(Context, Json) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, RpcError>> + Send + 'static,
        R: Into<Answer<GetPromptResult>>,
    {
        let get = move |cx, args| Reply::Future(into_answer(get(cx, args)));
        self.parts.prompts.push((prompt, Box::new(get)));
        self
    }

    /// Completes arguments of prompts and resource templates.
    ///
    /// Spec: 2026-07-28 server/utilities/completion.
    #[must_use]
    pub fn completion<F, Fut>(mut self, complete: F) -> Self
    where
        F: Fn(Context, CompletionRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Completion, RpcError>> + Send + 'static,
    {
        self.parts.completion =
            Some(Box::new(move |cx, request| Reply::Future(Box::pin(complete(cx, request)))));
        self
    }

    /// Is told every notification that the crate itself gives no meaning to, before any later message is looked at:
    /// the peer, the method, the parameters.
    ///
    /// Spec: 2026-07-28 basic.
    #[must_use]
    pub fn on_notification(
        mut self,
        handler: impl Fn(&super::Peer, &str, Option<Json>) + Send + Sync + 'static,
    ) -> Self {
        self.parts.on_notification = Some(Box::new(handler));
        self
    }

    /// Lets handlers send log messages.
    ///
    /// Spec: 2026-07-28 server/utilities/logging.
    #[must_use]
    pub fn logging(mut self) -> Self {
        self.parts.logging = true;
        self
    }

    /// Serves only these revisions.
    ///
    /// Spec: 2026-07-28 basic/versioning.
    #[must_use]
    pub fn versions(mut self, versions: &[Version]) -> Self {
        self.parts.versions = versions.to_vec();
        self.parts.versions.sort_unstable();
        self.parts.versions.dedup();
        self
    }

    /// At most that many entries on a page of a list; without it lists come whole.
    ///
    /// Spec: 2026-07-28 server/utilities/pagination.
    #[must_use]
    pub fn page_size(mut self, entries: usize) -> Self {
        self.parts.page_size = Some(entries.max(1));
        self
    }

    /// How long and how widely clients may cache lists and resources. By default they may not.
    ///
    /// Spec: 2026-07-28 server/utilities/caching.
    #[must_use]
    pub fn cache_hint(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.parts.cache = (ttl, scope);
        self
    }

    /// Advertises an extension (2026-07-28) with its settings, an object.
    ///
    /// Spec: 2026-07-28 basic.
    #[must_use]
    pub fn extension(mut self, identifier: impl Into<String>, settings: Json) -> Self {
        self.parts.extensions.push((identifier.into(), settings));
        self
    }

    /// Answers a method of an extension (2026-07-28): it is given the parameters, and gives the members of the result, which
    /// clients may cache like a list. Methods of the protocol itself come first.
    ///
    /// Spec: 2026-07-28 basic.
    #[must_use]
    pub fn method(
        mut self,
        name: impl Into<String>,
        answer: impl Fn(&Json) -> Result<Json, RpcError> + Send + Sync + 'static,
    ) -> Self {
        self.parts.methods.push((name.into(), Box::new(answer)));
        self
    }

    /// Sets the runtime for blocking handlers and for work that outlives its connection.
    ///
    /// Spec: none.
    #[must_use]
    pub fn runtime(mut self, runtime: impl Runtime) -> Self {
        self.parts.runtime = Some(Arc::new(runtime));
        self
    }

    /// The key that seals request state: at least 32 random bytes, the same on every instance that may see a retry.
    ///
    /// Spec: 2026-07-28 basic/patterns/mrtr.
    #[must_use]
    pub fn state_key(mut self, key: impl Into<Vec<u8>>) -> Self {
        self.parts.state_key = Some(key.into());
        self
    }

    /// Lets tools whose [`TaskSupport`](crate::model::TaskSupport) allows it go on as tasks, for clients that declare
    /// the extension `io.modelcontextprotocol/tasks` (2026-07-28). A call that is ready at the first poll is answered
    /// at once. Needs a [`Runtime`].
    ///
    /// Spec: 2025-11-25 basic/utilities/tasks; extension io.modelcontextprotocol/tasks.
    #[must_use]
    pub fn tasks(mut self, options: TaskOptions) -> Self {
        self.parts.tasks = Some(Tasks::new(options));
        self.extension(EXTENSION, Json::empty_object())
    }

    /// Checks everything and builds the server.
    ///
    /// Spec: 2026-07-28 server/discover; 2025-11-25 basic/lifecycle.
    ///
    /// # Errors
    /// When a tool is registered twice, its schema is not an object schema, one of its `x-mcp-header` annotations is
    /// invalid, the key is short, tasks have no runtime, or no revision is left.
    pub fn build(mut self) -> Result<Server, BuildError> {
        let parts = &mut self.parts;
        for (n, entry) in parts.tools.iter_mut().enumerate() {
            let name = &entry.tool.name;
            check_schema(&entry.tool)?;
            entry.mirrored =
                mirrored_arguments(&entry.tool).map_err(|why| BuildError(format!("tool {name}: {why}")))?;
            if parts.tool_index.insert(name.clone(), n).is_some() {
                return Err(BuildError(format!("tool {name} is registered twice")));
            }
        }
        if parts.versions.is_empty() {
            return Err(BuildError("no revision to serve".into()));
        }
        if parts.tasks.is_some() && parts.runtime.is_none() {
            return Err(BuildError("tasks need a runtime".into()));
        }
        if parts.state_key.as_ref().is_some_and(|k| k.len() < 32) {
            return Err(BuildError("the state key is shorter than 32 bytes".into()));
        }
        let mut info = Vec::new();
        parts.info.encode(Version::LATEST.rules(), &mut info);
        parts.encoded_info = Json::from_written(info);
        Ok(Server::from_parts(self.parts))
    }
}

fn check_schema(tool: &Tool) -> Result<(), BuildError> {
    let name = &tool.name;
    if name.is_empty() {
        return Err(BuildError("a tool without a name".into()));
    }
    match tool.input_schema.get("type") {
        Some(t) if t.as_str() == "\"object\"" => Ok(()),
        _ => Err(BuildError(format!(
            "tool {name}: the root of the input schema must have \"type\": \"object\""
        ))),
    }
}

fn into_answer<T, R: Into<Answer<T>>>(
    future: impl Future<Output = Result<R, RpcError>> + Send + 'static,
) -> super::reply::BoxFuture<Result<Answer<T>, RpcError>> {
    Box::pin(async move { future.await.map(Into::into) })
}
