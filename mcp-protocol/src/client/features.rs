//! The requests of a client, the same over every transport: each method under the name of the spoken revision.

use std::{future::Future, sync::Arc, time::Duration};

use serde::de::DeserializeOwned;

use super::{ClientError, ClientHandler, InputRequiredResult, Session};
use crate::{
    error::RpcError,
    json::{Json, Object},
    model::{
        CallToolResult, Completion, CompletionReference, GetPromptResult, LogLevel, Prompt, Resource,
        ResourceContents, ResourceTemplate, Task, Tool,
    },
    server::BoxFuture,
    time::millis,
};

/// How often a server may correct or ask back within one call.
pub(crate) const ATTEMPTS: usize = 16;

/// A connected client, whatever moves its messages. Its requests are in [`ClientExt`].
///
/// Spec: 2026-07-28 basic.
pub trait Client: Send + Sync + 'static {
    /// The session as it is: the revision, and what the server said about itself.
    fn session(&self) -> Session;

    /// Asks for log messages of that level with every further request (2026-07-28).
    fn set_log_level(&self, level: Option<LogLevel>);

    /// Calls a method; `params` is an object without `_meta`, `meta` what goes into that. Requests of the server
    /// that arrive meanwhile are answered. Dropping the future takes the request back.
    fn call(&self, method: &str, params: Json, meta: Option<Json>) -> BoxFuture<Result<Json, ClientError>>;

    /// Sends a notification.
    fn notify(&self, method: &str, params: &Json) -> BoxFuture<Result<(), ClientError>>;

    /// Whether the tool can be called over this transport.
    fn can_call(&self, _tool: &Tool) -> bool {
        true
    }
}

impl<C: Client + ?Sized> Client for Arc<C> {
    fn session(&self) -> Session {
        (**self).session()
    }
    fn set_log_level(&self, level: Option<LogLevel>) {
        (**self).set_log_level(level);
    }
    fn call(&self, method: &str, params: Json, meta: Option<Json>) -> BoxFuture<Result<Json, ClientError>> {
        (**self).call(method, params, meta)
    }
    fn notify(&self, method: &str, params: &Json) -> BoxFuture<Result<(), ClientError>> {
        (**self).notify(method, params)
    }
    fn can_call(&self, tool: &Tool) -> bool {
        (**self).can_call(tool)
    }
}

/// Repeats a request with what its results ask for, until one is complete ("Multi Round-Trip Requests" of 2026-07-28).
///
/// Spec: 2026-07-28 basic/patterns/mrtr.
///
/// # Errors
/// The errors of `once` and of the answers, and an error when the server does not stop asking.
pub async fn with_input<F>(
    answers: &dyn ClientHandler,
    params: &Json,
    mut once: F,
) -> Result<Json, ClientError>
where
    F: FnMut(Json) -> BoxFuture<Result<Json, ClientError>> + Send,
{
    let mut asked = params.clone();
    for _ in 0..ATTEMPTS {
        let result = once(asked).await?;
        let Some(needed) = InputRequiredResult::from_result(&result)? else { return Ok(result) };
        let mut given = Vec::with_capacity(needed.requests.len());
        for (key, method, question) in &needed.requests {
            given.push((key.clone(), answers.handle_request(method, question.clone()).await?));
        }
        asked = needed.repeat(params, &given);
    }
    Err(ClientError::Protocol("The server keeps asking for input".into()))
}

fn to<T: DeserializeOwned>(json: &Json, what: &str) -> Result<T, ClientError> {
    json.to().map_err(|e| ClientError::malformed(what, &e))
}

fn member<T: DeserializeOwned>(json: &Json, key: &str) -> Result<T, ClientError> {
    let value =
        json.get(key).ok_or_else(|| ClientError::Protocol(format!("The server's answer has no {key:?}")))?;
    to(&value, key)
}

/// The answer to a tool call: its result, or a task that will have it.
///
/// Spec: 2025-11-25 basic/utilities/tasks; extension io.modelcontextprotocol/tasks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ToolCallOutcome {
    /// The result.
    Result(CallToolResult),
    /// The call goes on as a task: see [`ClientExt::wait_for_task`].
    Task(Task),
}

/// The requests of a client; every [`Client`] has them.
///
/// The lists come whole, all their pages; [`ClientExt::list_all`] gives them one by one. A method that the revision does not
/// have is refused by the server, or, where the revision has another word for it, said in that.
///
/// Spec: per method.
pub trait ClientExt: Client {
    /// Every entry of a list: `method` with all its cursors ("Pagination").
    ///
    /// Spec: 2026-07-28 server/utilities/pagination.
    fn list_all<T: DeserializeOwned + Send>(
        &self,
        method: &'static str,
        key: &'static str,
    ) -> impl Future<Output = Result<Vec<T>, ClientError>> + Send {
        async move {
            let mut all = Vec::new();
            let mut params = Json::empty_object();
            loop {
                let page = self.call(method, params, None).await?;
                let entries: Vec<T> = member(&page, key)?;
                all.extend(entries);
                // an empty cursor is one too
                match page.get("nextCursor").filter(|c| !c.is_null()) {
                    Some(cursor) => params = Json::object(|o| o.json("cursor", &cursor)),
                    None => return Ok(all),
                }
            }
        }
    }

    /// The server's tools ("Tools"), without those that cannot be called over this transport.
    ///
    /// Spec: 2026-07-28 server/tools.
    fn list_tools(&self) -> impl Future<Output = Result<Vec<Tool>, ClientError>> + Send {
        async move {
            let mut tools: Vec<Tool> = self.list_all("tools/list", "tools").await?;
            tools.retain(|tool| self.can_call(tool));
            Ok(tools)
        }
    }

    /// Calls a tool with arguments (an object) and waits for its result.
    ///
    /// Spec: 2026-07-28 server/tools.
    fn call_tool(
        &self,
        name: &str,
        arguments: &Json,
    ) -> impl Future<Output = Result<ToolCallOutcome, ClientError>> + Send {
        let call = self.call("tools/call", tool_call(name, arguments, |_| {}), None);
        async move { called(&call.await?) }
    }

    /// Calls a tool as a task. In 2025-11-25 the client asks for that, with the time that the task
    /// should be kept; from 2026-07-28 on the server decides ("Tasks", SEP-2663), if the client declares the extension.
    ///
    /// Spec: 2025-11-25 basic/utilities/tasks; extension io.modelcontextprotocol/tasks.
    fn call_tool_as_task(
        &self,
        name: &str,
        arguments: &Json,
        ttl: Option<Duration>,
    ) -> impl Future<Output = Result<ToolCallOutcome, ClientError>> + Send {
        let asks = self.session().version().rules().core_tasks;
        let params = tool_call(name, arguments, |o| {
            if asks {
                o.object("task", |o| {
                    if let Some(ttl) = ttl {
                        o.u64("ttl", millis(ttl));
                    }
                });
            }
        });
        let call = self.call("tools/call", params, None);
        async move { called(&call.await?) }
    }

    /// How a task stands.
    ///
    /// Spec: 2025-11-25 basic/utilities/tasks; extension io.modelcontextprotocol/tasks.
    fn get_task(&self, id: &str) -> impl Future<Output = Result<Task, ClientError>> + Send {
        let call = self.call("tasks/get", named("taskId", id), None);
        async move { to(&call.await?, "task") }
    }

    /// The tasks of this client (2025-11-25).
    ///
    /// Spec: 2025-11-25 basic/utilities/tasks.
    fn list_tasks(&self) -> impl Future<Output = Result<Vec<Task>, ClientError>> + Send {
        self.list_all("tasks/list", "tasks")
    }

    /// Cancels a task.
    ///
    /// Spec: 2025-11-25 basic/utilities/tasks; extension io.modelcontextprotocol/tasks.
    fn cancel_task(&self, id: &str) -> impl Future<Output = Result<(), ClientError>> + Send {
        let call = self.call("tasks/cancel", named("taskId", id), None);
        async move { call.await.map(drop) }
    }

    /// Waits for the end of a task and gives its result. In 2025-11-25 one request waits for it; in 2026-07-28 the
    /// task's state is asked for again and again, with `sleep` in between, and what the task wants to
    /// know is answered by `answers`.
    ///
    /// Spec: 2025-11-25 basic/utilities/tasks; extension io.modelcontextprotocol/tasks.
    fn wait_for_task<S>(
        &self,
        task: Task,
        answers: &dyn ClientHandler,
        sleep: S,
    ) -> impl Future<Output = Result<CallToolResult, ClientError>> + Send
    where
        S: Fn(Duration) -> BoxFuture<()> + Send + Sync,
    {
        async move {
            if !self.session().version().is_stateless() {
                let result = self.call("tasks/result", named("taskId", &task.task_id), None).await?;
                return to(&result, "result");
            }
            let mut task = task;
            let mut answered: Vec<String> = Vec::new();
            loop {
                if let Some(result) = &task.result {
                    return to(result, "result");
                }
                if let Some(error) = task.rpc_error() {
                    return Err(error.into());
                }
                if task.status.is_final() {
                    return Err(ClientError::Protocol(format!("The task ended as {:?}", task.status)));
                }
                let mut given = Vec::new();
                for (key, method, params) in task.open_requests() {
                    if !answered.contains(&key) {
                        given.push((key.clone(), answers.handle_request(&method, params).await?));
                        answered.push(key);
                    }
                }
                if given.is_empty() {
                    sleep(task.poll_interval.unwrap_or(POLL_INTERVAL)).await;
                } else {
                    let params = Json::object(|o| {
                        o.str("taskId", &task.task_id);
                        o.object("inputResponses", |o| {
                            for (key, answer) in &given {
                                o.json(key, answer);
                            }
                        });
                    });
                    self.call("tasks/update", params, None).await?;
                }
                task = self.get_task(&task.task_id).await?;
            }
        }
    }

    /// The server's resources ("Resources").
    ///
    /// Spec: 2026-07-28 server/resources.
    fn list_resources(&self) -> impl Future<Output = Result<Vec<Resource>, ClientError>> + Send {
        self.list_all("resources/list", "resources")
    }

    /// The server's resource templates.
    ///
    /// Spec: 2026-07-28 server/resources.
    fn list_resource_templates(
        &self,
    ) -> impl Future<Output = Result<Vec<ResourceTemplate>, ClientError>> + Send {
        self.list_all("resources/templates/list", "resourceTemplates")
    }

    /// The contents of a resource.
    ///
    /// Spec: 2026-07-28 server/resources.
    fn read_resource(
        &self,
        uri: &str,
    ) -> impl Future<Output = Result<Vec<ResourceContents>, ClientError>> + Send {
        let call = self.call("resources/read", named("uri", uri), None);
        async move { member(&call.await?, "contents") }
    }

    /// Asks to be told when a resource changes; see [`ClientHandler::handle_notification`]. With a handshake this returns when the server
    /// has agreed. In 2026-07-28 it lasts as long as the subscription does, and dropping it ends that
    /// ("Subscriptions").
    ///
    /// Spec: 2025-11-25 server/resources; 2026-07-28 basic/patterns/subscriptions.
    fn subscribe(&self, uri: &str) -> impl Future<Output = Result<(), ClientError>> + Send {
        let call = if self.session().version().is_stateless() {
            let uris = [uri];
            self.call(
                "subscriptions/listen",
                Json::object(|o| {
                    o.object("notifications", |o| {
                        o.array("resourceSubscriptions", uris, |u, out| crate::json::write_str(out, u));
                    });
                }),
                None,
            )
        } else {
            self.call("resources/subscribe", named("uri", uri), None)
        };
        async move { call.await.map(drop) }
    }

    /// Takes a subscription back, in revisions with a handshake.
    ///
    /// Spec: 2025-11-25 server/resources.
    fn unsubscribe(&self, uri: &str) -> impl Future<Output = Result<(), ClientError>> + Send {
        let call = self.call("resources/unsubscribe", named("uri", uri), None);
        async move { call.await.map(drop) }
    }

    /// Listens for changes of the lists of tools, prompts and resources, until the server ends it or the future is
    /// dropped. In revisions with a handshake servers tell without being asked, and this returns at once.
    ///
    /// Spec: 2026-07-28 basic/patterns/subscriptions.
    fn listen_to_lists(&self) -> impl Future<Output = Result<(), ClientError>> + Send {
        let params = Json::object(|o| {
            o.object("notifications", |o| {
                for key in ["toolsListChanged", "promptsListChanged", "resourcesListChanged"] {
                    o.bool(key, true);
                }
            });
        });
        let is_modern = self.session().version().is_stateless();
        let call = is_modern.then(|| self.call("subscriptions/listen", params, None));
        async move {
            match call {
                Some(call) => call.await.map(drop),
                None => Ok(()),
            }
        }
    }

    /// The server's prompts ("Prompts").
    ///
    /// Spec: 2026-07-28 server/prompts.
    fn list_prompts(&self) -> impl Future<Output = Result<Vec<Prompt>, ClientError>> + Send {
        self.list_all("prompts/list", "prompts")
    }

    /// A prompt with its arguments.
    ///
    /// Spec: 2026-07-28 server/prompts.
    fn get_prompt(
        &self,
        name: &str,
        arguments: &[(&str, &str)],
    ) -> impl Future<Output = Result<GetPromptResult, ClientError>> + Send {
        let params = Json::object(|o| {
            o.str("name", name);
            o.object("arguments", |o| arguments.iter().for_each(|(key, value)| o.str(key, value)));
        });
        let call = self.call("prompts/get", params, None);
        async move { to(&call.await?, "prompt") }
    }

    /// Completions for an argument of a prompt or a resource template; `given` are the arguments that are already
    /// there ("Completion").
    ///
    /// Spec: 2026-07-28 server/utilities/completion.
    fn complete(
        &self,
        reference: &CompletionReference,
        argument: &str,
        value: &str,
        given: &[(&str, &str)],
    ) -> impl Future<Output = Result<Completion, ClientError>> + Send {
        let params = Json::object(|o| {
            o.object("ref", |o| match reference {
                CompletionReference::Prompt(name) => {
                    o.str("type", "ref/prompt");
                    o.str("name", name);
                }
                CompletionReference::Resource(uri) => {
                    o.str("type", "ref/resource");
                    o.str("uri", uri);
                }
            });
            o.object("argument", |o| {
                o.str("name", argument);
                o.str("value", value);
            });
            if !given.is_empty() {
                o.object("context", |o| {
                    o.object("arguments", |o| given.iter().for_each(|(key, value)| o.str(key, value)));
                });
            }
        });
        let call = self.call("completion/complete", params, None);
        async move { member(&call.await?, "completion") }
    }

    /// Asks for log messages from that level on ("Logging").
    ///
    /// Spec: 2026-07-28 server/utilities/logging.
    fn log_from(&self, level: LogLevel) -> impl Future<Output = Result<(), ClientError>> + Send {
        let call = if self.session().version().is_stateless() {
            self.set_log_level(Some(level));
            None
        } else {
            Some(self.call("logging/setLevel", named("level", level.as_str()), None))
        };
        async move {
            match call {
                Some(call) => call.await.map(drop),
                None => Ok(()),
            }
        }
    }

    /// Whether the server is alive: "Ping", and where that is gone, `server/discover`.
    ///
    /// Spec: 2025-11-25 basic/utilities/ping; 2026-07-28 server/discover.
    fn ping(&self) -> impl Future<Output = Result<(), ClientError>> + Send {
        let method = if self.session().version().is_stateless() { "server/discover" } else { "ping" };
        let call = self.call(method, Json::empty_object(), None);
        async move { call.await.map(drop) }
    }

    /// Tells the server that the roots changed, in revisions with a handshake ("Roots").
    ///
    /// Spec: 2025-11-25 client/roots.
    fn roots_changed(&self) -> impl Future<Output = Result<(), ClientError>> + Send {
        self.notify("notifications/roots/list_changed", &Json::empty_object())
    }
}

impl<C: Client + ?Sized> ClientExt for C {}

/// The wait between two looks at a task when its server named none.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

fn named(key: &str, value: &str) -> Json {
    Json::object(|o| o.str(key, value))
}

fn tool_call(name: &str, arguments: &Json, more: impl FnOnce(&mut Object<'_>)) -> Json {
    Json::object(|o| {
        o.str("name", name);
        o.json("arguments", arguments);
        more(o);
    })
}

fn called(result: &Json) -> Result<ToolCallOutcome, ClientError> {
    let is_task = result.get("resultType").is_some_and(|t| t.as_text().as_deref() == Some("task"));
    if is_task {
        return to(result, "task").map(ToolCallOutcome::Task);
    }
    match result.get("task").filter(|_| result.get("content").is_none()) {
        Some(task) => to(&task, "task").map(ToolCallOutcome::Task),
        None => to(result, "result").map(ToolCallOutcome::Result),
    }
}

impl ToolCallOutcome {
    /// The result, for callers that asked for no task.
    ///
    /// # Errors
    /// When the server made a task of it.
    pub fn into_result(self) -> Result<CallToolResult, ClientError> {
        match self {
            Self::Result(result) => Ok(result),
            Self::Task(task) => {
                let error = RpcError::internal(format!("The call became the task {}", task.task_id));
                Err(ClientError::Rpc(error))
            }
        }
    }
}
