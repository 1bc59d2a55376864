//! The answer of a handler: at once, later, or from another thread; a result, or a request for more input.

use std::{future::Future, pin::Pin, time::Duration};

use serde::de::DeserializeOwned;

use crate::{
    envelope::members_of,
    error::RpcError,
    json::{Json, Object},
    model::{
        CallToolResult, ClientCapabilities, CreateMessageRequest, ElicitRequest, FormElicitation, FormSchema,
        GetPromptResult, ResourceContents, ToWire as _, UrlElicitation,
    },
    version::Version,
};

/// A boxed future, as executors take them.
///
/// Spec: none.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send + 'static>>;

/// How a handler answers.
///
/// Spec: none.
pub enum Reply<T> {
    /// The answer is there. Costs no task and no allocation.
    Ready(Result<T, RpcError>),
    /// The answer comes when the future is done.
    Future(BoxFuture<Result<T, RpcError>>),
    /// The answer takes a thread: the job runs on the [`Runtime`]'s pool, or in place when there is none.
    Blocking(Box<dyn FnOnce() -> Result<T, RpcError> + Send + 'static>),
}

/// An answer to a request that may ask back: the result, or what is needed first.
///
/// Spec: 2026-07-28 basic/patterns/mrtr.
#[derive(Debug)]
pub enum Answer<T> {
    /// The result.
    Complete(T),
    /// The handler needs input from the client and will be called again with it.
    InputRequired(InputRequired),
}

macro_rules! answers {
    ($($t:ty),*) => {$(
        impl From<$t> for Answer<$t> {
            fn from(result: $t) -> Self {
                Self::Complete(result)
            }
        }
        impl From<InputRequired> for Answer<$t> {
            fn from(needed: InputRequired) -> Self {
                Self::InputRequired(needed)
            }
        }
    )*};
}
answers!(CallToolResult, GetPromptResult, Vec<ResourceContents>);

/// The input that a handler needs from the client before it can go on.
///
/// To a 2026-07-28 client this is the result of the request, and the client repeats the request with the answers. To
/// an older one the server asks each question itself and then calls the handler again: handlers need not care.
///
/// Spec: 2026-07-28 basic/patterns/mrtr.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputRequired {
    pub(crate) requests: Vec<(String, InputRequest)>,
    pub(crate) state: Option<Vec<u8>>,
}

impl InputRequired {
    /// Nothing yet; add a question or a state, or both.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks one question; the answer is found under `key`.
    #[must_use]
    pub fn with_request(mut self, key: impl Into<String>, request: InputRequest) -> Self {
        self.requests.push((key.into(), request));
        self
    }

    /// Bytes to get back with the answers. They travel through the client, sealed against change and bound to the
    /// method, the name and the principal; they are not secret.
    #[must_use]
    pub fn with_state(mut self, state: impl Into<Vec<u8>>) -> Self {
        self.state = Some(state.into());
        self
    }
}

/// One question to the client.
///
/// Spec: 2026-07-28 basic/patterns/mrtr.
#[derive(Clone, Debug, PartialEq)]
pub struct InputRequest {
    pub(crate) method: &'static str,
    pub(crate) params: Json,
}

impl InputRequest {
    /// A form for the user. The answer is an [`ElicitResult`](crate::model::ElicitResult).
    #[must_use]
    pub fn form(message: &str, schema: &FormSchema) -> Self {
        Self::elicitation(&FormElicitation::new(message, schema.clone()).into())
    }

    /// A URL for the user to open. The answer is an [`ElicitResult`](crate::model::ElicitResult).
    #[must_use]
    pub fn url(message: &str, url: &str) -> Self {
        Self::elicitation(&UrlElicitation::new(message, url).into())
    }

    /// A question to the user. The answer is an [`ElicitResult`](crate::model::ElicitResult).
    #[must_use]
    pub fn elicitation(request: &ElicitRequest) -> Self {
        Self { method: "elicitation/create", params: request.to_wire(Version::LATEST) }
    }

    /// A question to the client's model. The answer is a [`CreateMessageResult`](crate::model::CreateMessageResult).
    #[must_use]
    pub fn sampling(request: &CreateMessageRequest) -> Self {
        Self { method: "sampling/createMessage", params: request.to_wire(Version::LATEST) }
    }

    /// The client's roots. The answer is a [`ListRootsResult`](crate::model::ListRootsResult).
    #[must_use]
    pub fn roots() -> Self {
        Self { method: "roots/list", params: Json::empty_object() }
    }

    /// The capability that is missing to ask this; `None` if it was declared.
    pub(crate) fn missing(&self, c: &ClientCapabilities) -> Option<Json> {
        let need = |inner: &'static str, text: &'static str, there: bool| {
            (!there).then(|| Json::object(|o| o.json(inner, &Json::parse(text).expect("a literal"))))
        };
        match self.method {
            "elicitation/create" if self.params.get("url").is_some() => {
                need("elicitation", r#"{"url":{}}"#, c.elicits_urls())
            }
            "elicitation/create" => need("elicitation", "{}", c.elicits_forms()),
            "sampling/createMessage" if self.params.get("tools").is_some() => {
                need("sampling", r#"{"tools":{}}"#, c.samples_with_tools())
            }
            "sampling/createMessage" => need("sampling", "{}", c.sampling.is_some()),
            _ => need("roots", "{}", c.roots.is_some()),
        }
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        o.str("method", self.method);
        o.json("params", &self.params);
        o.close();
    }
}

/// The client's answers to an [`InputRequired`]. Empty on the first call of a handler.
///
/// Spec: 2026-07-28 basic/patterns/mrtr.
#[derive(Clone, Debug, Default)]
pub struct InputResponses {
    pub(crate) answers: Vec<(String, Json)>,
    pub(crate) state: Option<Vec<u8>>,
}

impl InputResponses {
    /// The answer to the question `key`: the result object of that request. Answers to questions that were not asked
    /// may be among them; a missing answer is asked for again by returning the same [`InputRequired`].
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.answers.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// The answer to the question `key`, decoded; `None` if it is missing.
    ///
    /// ```
    /// use mcp_protocol::{Context, RpcError, model::{ElicitResult, FormSchema, StringSchema}};
    /// use mcp_protocol::{model::CallToolResult, server::{Answer, InputRequest, InputRequired}};
    ///
    /// async fn greet(cx: Context) -> Result<Answer<CallToolResult>, RpcError> {
    ///     let Some(answer) = cx.inputs().to::<ElicitResult>("name")? else {
    ///         let form = FormSchema::new().with_required("name", StringSchema::new());
    ///         return Ok(InputRequired::new().with_request("name", InputRequest::form("Who are you?", &form)).into());
    ///     };
    ///     Ok(CallToolResult::text(format!("{:?}", answer.action)).into())
    /// }
    /// ```
    ///
    /// # Errors
    /// When the answer has another shape than `T`.
    pub fn to<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, RpcError> {
        self.get(key).map(Json::to).transpose().map_err(Into::into)
    }

    /// The remembered state, as it was given; its seal has been checked.
    #[must_use]
    pub fn state(&self) -> Option<&[u8]> {
        self.state.as_deref()
    }

    /// Whether this is the first call.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty() && self.state.is_none()
    }

    pub(crate) fn decode(responses: Option<&Json>) -> Result<Vec<(String, Json)>, RpcError> {
        let Some(responses) = responses else { return Ok(Vec::new()) };
        members_of(responses.as_str())
            .map(|all| all.into_iter().map(|(k, v)| (k.into_owned(), Json::copy(v))).collect())
            .map_err(|_| RpcError::invalid_params("\"inputResponses\" must be an object"))
    }
}

/// The executor for work of handlers that does not fit into the caller's poll.
///
/// Without one, blocking handlers run in place and nothing outlives its connection.
///
/// Spec: none.
pub trait Runtime: Send + Sync + 'static {
    /// Runs a future to its end, detached.
    fn spawn(&self, task: BoxFuture<()>);
    /// Runs a job on a thread where blocking is allowed.
    fn spawn_blocking(&self, job: Box<dyn FnOnce() + Send + 'static>);
    /// Ready after that time; `None` if the runtime has no timer, and then silent streams stay silent.
    fn sleep(&self, _duration: Duration) -> Option<BoxFuture<()>> {
        None
    }
}

impl<R: Runtime + ?Sized> Runtime for std::sync::Arc<R> {
    fn spawn(&self, task: BoxFuture<()>) {
        (**self).spawn(task);
    }
    fn spawn_blocking(&self, job: Box<dyn FnOnce() + Send + 'static>) {
        (**self).spawn_blocking(job);
    }
    fn sleep(&self, duration: Duration) -> Option<BoxFuture<()>> {
        (**self).sleep(duration)
    }
}
