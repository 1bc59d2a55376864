//! The services of a client for its server, put together from functions: roots, sampling, elicitation, and the
//! notifications that it wants. Its declared capabilities follow from the registered functions.

use std::{
    future::ready,
    sync::{Arc, Mutex, PoisonError},
};

use super::{ClientHandler, with_form_defaults};
use crate::{
    error::RpcError,
    json::{Json, Object},
    model::{
        ClientCapabilities, CreateMessageRequest, CreateMessageResult, ElicitAction, ElicitRequest,
        ElicitResult, FormElicitation, ListRootsResult, LogLevel, Root, ToWire, UrlElicitation,
    },
    server::BoxFuture,
    version::Version,
};

/// The progress of a call as the server reports it ("Progress").
///
/// Spec: 2026-07-28 basic/patterns/progress.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The token that was sent with the call.
    pub token: Json,
    /// How far it is.
    pub progress: f64,
    /// How far it goes.
    pub total: Option<f64>,
    /// The present step, in words.
    pub message: Option<String>,
}

type Ask<Q> = Box<dyn Fn(Q) -> BoxFuture<Result<ElicitResult, RpcError>> + Send + Sync>;
type Sample =
    Box<dyn Fn(CreateMessageRequest) -> BoxFuture<Result<CreateMessageResult, RpcError>> + Send + Sync>;
type Listen = Box<dyn Fn(&str, Option<&Json>) + Send + Sync>;

/// A client's abilities. Make a [`Session`](super::Session) with [`Handlers::capabilities`] of it, and give it to the
/// transport.
///
/// Spec: per method.
#[derive(Default)]
pub struct Handlers {
    roots: Option<Arc<Mutex<Vec<Root>>>>,
    sampling: Option<(Sample, bool)>,
    form: Option<Ask<FormElicitation>>,
    visit: Option<Ask<UrlElicitation>>,
    listeners: Vec<Listen>,
    extensions: Vec<(String, Json)>,
}

impl Handlers {
    /// A client that can do nothing for its server.
    ///
    /// Spec: 2026-07-28 basic.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lists roots. They may change: say [`ClientExt::roots_changed`](super::ClientExt::roots_changed) then.
    ///
    /// Spec: 2026-07-28 client/roots.
    #[must_use]
    pub fn roots(mut self, roots: Arc<Mutex<Vec<Root>>>) -> Self {
        self.roots = Some(roots);
        self
    }

    /// Asks its model ("Sampling"). `with_tools`: the model may be given tools (from 2025-11-25).
    ///
    /// ```
    /// use mcp_protocol::{client::Handlers, model::{Content, CreateMessageResult}};
    ///
    /// let handlers = Handlers::new().sampling(false, |request| async move {
    ///     let said = format!("{} messages, and I know no answer", request.messages.len());
    ///     Ok(CreateMessageResult::new("parrot-1", Content::text(said)))
    /// });
    /// # drop(handlers);
    /// ```
    ///
    /// Spec: 2026-07-28 client/sampling.
    #[must_use]
    pub fn sampling<F, Fut>(mut self, with_tools: bool, sample: F) -> Self
    where
        F: Fn(CreateMessageRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<CreateMessageResult, RpcError>> + Send + 'static,
    {
        self.sampling = Some((Box::new(move |request| Box::pin(sample(request))), with_tools));
        self
    }

    /// Puts forms to its user.
    ///
    /// Spec: 2026-07-28 client/elicitation.
    #[must_use]
    pub fn form_elicitation<F, Fut>(mut self, ask: F) -> Self
    where
        F: Fn(FormElicitation) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ElicitResult, RpcError>> + Send + 'static,
    {
        self.form = Some(Box::new(move |form| Box::pin(ask(form))));
        self
    }

    /// Sends its user to addresses (from 2025-11-25).
    ///
    /// Spec: 2026-07-28 client/elicitation.
    #[must_use]
    pub fn url_elicitation<F, Fut>(mut self, ask: F) -> Self
    where
        F: Fn(UrlElicitation) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ElicitResult, RpcError>> + Send + 'static,
    {
        self.visit = Some(Box::new(move |visit| Box::pin(ask(visit))));
        self
    }

    /// Declares an extension with its settings, an object (2026-07-28).
    ///
    /// Spec: 2026-07-28 basic.
    #[must_use]
    pub fn extension(mut self, identifier: impl Into<String>, settings: Json) -> Self {
        self.extensions.push((identifier.into(), settings));
        self
    }

    /// Is told every notification: its method and its parameters.
    ///
    /// Spec: 2026-07-28 basic.
    #[must_use]
    pub fn on_notification(mut self, listen: impl Fn(&str, Option<&Json>) + Send + Sync + 'static) -> Self {
        self.listeners.push(Box::new(listen));
        self
    }

    /// Is told the progress of calls that were made with a `progressToken` in their metadata.
    ///
    /// Spec: 2026-07-28 basic/patterns/progress.
    #[must_use]
    pub fn on_progress(self, listen: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.on_notification(move |method, params| {
            if let Some(params) = params.filter(|_| method == "notifications/progress")
                && let (Some(token), Some(progress)) =
                    (params.get("progressToken"), number(params, "progress"))
            {
                listen(Progress {
                    token,
                    progress,
                    total: number(params, "total"),
                    message: params.get("message").and_then(|m| Some(m.as_text()?.into_owned())),
                });
            }
        })
    }

    /// Is told log messages: level, logger, data ("Logging").
    ///
    /// Spec: 2026-07-28 server/utilities/logging.
    #[must_use]
    pub fn on_log(self, listen: impl Fn(LogLevel, Option<&str>, Json) + Send + Sync + 'static) -> Self {
        self.on_notification(move |method, params| {
            let Some(params) = params.filter(|_| method == "notifications/message") else { return };
            let level = params.get("level").and_then(|l| LogLevel::parse(&l.as_text()?));
            let logger = params.get("logger");
            let logger = logger.as_ref().and_then(Json::as_text);
            if let (Some(level), Some(data)) = (level, params.get("data")) {
                listen(level, logger.as_deref(), data);
            }
        })
    }

    /// Is told that a list changed, `tools`, `prompts` or `resources`: fetch it again.
    ///
    /// Spec: 2026-07-28 basic/patterns/subscriptions.
    #[must_use]
    pub fn on_list_changed(self, listen: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_notification(move |method, _| {
            let list = method.strip_prefix("notifications/").and_then(|m| m.strip_suffix("/list_changed"));
            if let Some(list) = list {
                listen(list);
            }
        })
    }

    /// Is told the address of a resource that changed.
    ///
    /// Spec: 2026-07-28 server/resources.
    #[must_use]
    pub fn on_resource_updated(self, listen: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_notification(move |method, params| {
            let uri =
                params.filter(|_| method == "notifications/resources/updated").and_then(|p| p.get("uri"));
            if let Some(uri) = uri.as_ref().and_then(Json::as_text) {
                listen(&uri);
            }
        })
    }

    /// The client's capabilities ("Capabilities"); each revision is told those that it knows.
    ///
    /// Spec: 2026-07-28 basic.
    #[must_use]
    pub fn capabilities(&self) -> ClientCapabilities {
        let object = |fill: &dyn Fn(&mut Object<'_>)| Json::object(fill);
        let mark = |o: &mut Object<'_>, key: &str, there: bool| {
            if there {
                o.object(key, |_| {});
            }
        };
        let elicits = self.form.is_some() || self.visit.is_some();
        ClientCapabilities {
            roots: self.roots.as_ref().map(|_| object(&|o| o.bool("listChanged", true))),
            sampling: self.sampling.as_ref().map(|(_, tools)| object(&|o| mark(o, "tools", *tools))),
            elicitation: elicits.then(|| {
                object(&|o| {
                    mark(o, "form", self.form.is_some());
                    mark(o, "url", self.visit.is_some());
                })
            }),
            extensions: (!self.extensions.is_empty())
                .then(|| object(&|o| self.extensions.iter().for_each(|(id, settings)| o.json(id, settings)))),
            ..ClientCapabilities::default()
        }
    }

    fn elicit(&self, params: &Json) -> BoxFuture<Result<Json, RpcError>> {
        let asked = match (params.to(), &self.form, &self.visit) {
            (Ok(ElicitRequest::Url(url)), _, Some(ask)) => ask(url),
            (Ok(ElicitRequest::Form(form)), Some(ask), _) => {
                let schema = params.get("requestedSchema").unwrap_or_else(Json::empty_object);
                let asked = ask(form);
                return Box::pin(async move {
                    let mut result = asked.await?;
                    if result.action == ElicitAction::Accept {
                        let content = result.content.unwrap_or_else(Json::empty_object);
                        result.content = Some(with_form_defaults(&schema, &content));
                    }
                    Ok(written(&result))
                });
            }
            (Ok(ElicitRequest::Url(_)), ..) => return refused("elicitation by URL"),
            (Ok(ElicitRequest::Form(_)), ..) => return refused("elicitation by forms"),
            (Err(e), ..) => return Box::pin(ready(Err(e.into()))),
        };
        Box::pin(async move {
            // there is nothing to fill in
            Ok(written(&ElicitResult { content: None, ..asked.await? }))
        })
    }
}

/// A result as it is sent. The results of a client are the same in every revision.
fn written(result: &impl ToWire) -> Json {
    result.to_wire(Version::LATEST)
}

fn number(params: &Json, key: &str) -> Option<f64> {
    params.get(key)?.to().ok()
}

fn refused(what: &str) -> BoxFuture<Result<Json, RpcError>> {
    let error = RpcError::invalid_params(format!("The client was not declared to offer {what}"));
    Box::pin(ready(Err(error)))
}

impl ClientHandler for Handlers {
    fn handle_request(&self, method: &str, params: Json) -> BoxFuture<Result<Json, RpcError>> {
        match (method, &self.roots, &self.sampling) {
            ("roots/list", Some(roots), _) => {
                let roots = roots.lock().unwrap_or_else(PoisonError::into_inner);
                let result = written(&ListRootsResult::new(roots.clone()));
                Box::pin(ready(Ok(result)))
            }
            ("sampling/createMessage", _, Some((sample, _))) => match params.to() {
                Ok(request) => {
                    let sampled = sample(request);
                    Box::pin(async move { Ok(written(&sampled.await?)) })
                }
                Err(e) => Box::pin(ready(Err(e.into()))),
            },
            ("elicitation/create", ..) if self.form.is_some() || self.visit.is_some() => self.elicit(&params),
            _ => Box::pin(ready(Err(RpcError::method_not_found(method)))),
        }
    }

    fn handle_notification(&self, method: &str, params: Option<Json>) {
        for listen in &self.listeners {
            listen(method, params.as_ref());
        }
    }
}

impl<A: ClientHandler + ?Sized> ClientHandler for Arc<A> {
    fn handle_request(&self, method: &str, params: Json) -> BoxFuture<Result<Json, RpcError>> {
        (**self).handle_request(method, params)
    }
    fn handle_notification(&self, method: &str, params: Option<Json>) {
        (**self).handle_notification(method, params);
    }
    fn handle_malformed(&self, error: &RpcError) {
        (**self).handle_malformed(error);
    }
}
