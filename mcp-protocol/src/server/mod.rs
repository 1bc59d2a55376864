//! The server: what was registered, and the dispatcher that turns a message into an answer or an exchange.

mod asked_tasks;
mod audience;
mod builder;
mod connection;
mod exchange;
mod features;
mod headers;
mod method;
mod peer;
mod reply;
mod request;
mod respond;
mod seal;
mod tasks;
#[cfg(feature = "schemars")]
mod typed;

use std::{
    sync::{Arc, Mutex, OnceLock, atomic::AtomicBool},
    time::Duration,
};

use bytes::Bytes;
use serde_json::value::RawValue;

pub use builder::{BuildError, CacheScope, CompletionRequest, ReadRequest, ServerBuilder, ToolProvider};
pub use connection::Connection;
pub use exchange::Exchange;
pub use headers::{
    Header, Headers, MirroredArgument, encode_header_value, mirrored_arguments, mirrored_value,
};
pub use peer::Peer;
pub use reply::{Answer, BoxFuture, InputRequest, InputRequired, InputResponses, Reply, Runtime};
pub use request::{Context, Outgoing};
pub use tasks::TaskOptions;
#[cfg(feature = "schemars")]
pub use typed::{Structured, ToolOutput, typed_tool};

use crate::{
    envelope::{Incoming, Kind, Message, Params, Refusal},
    error::RpcError,
    json::{Json, text_of, write_str},
    model::{ClientCapabilities, Encode as _, Implementation, LogLevel},
    time::UnixMillis,
    version::Version,
};
use audience::Audience;
use builder::{MethodHandler, Parts};
use method::Method;
use request::Running;
use respond::Caching;

/// An MCP server: tools, resources and prompts, without a wire. Clones are the same server.
///
/// Feed it messages with [`Server::accept`], or let a [`Connection`] or a transport crate do so. It keeps nothing
/// about clients; that is in their [`Peer`]s.
///
/// Spec: 2026-07-28 server; 2026-07-28 basic/versioning.
#[derive(Clone)]
pub struct Server(Arc<Inner>);

struct Inner {
    parts: Parts,
    audience: Mutex<Audience>,
}

/// The facts about a message that only the transport knows.
///
/// Spec: 2026-07-28 basic.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Received<'h> {
    /// The time.
    pub now: UnixMillis,
    /// The request's headers, when it came over HTTP: they are then checked against the body.
    pub headers: Option<&'h dyn Headers>,
    /// The principal that the transport authenticated.
    pub principal: Option<Arc<str>>,
}

impl<'h> Received<'h> {
    /// A message that came at that time, of which nothing more is known.
    #[must_use]
    pub fn at(now: UnixMillis) -> Self {
        Self { now, ..Self::default() }
    }

    /// The same with the headers of its request.
    #[must_use]
    pub fn with_headers(mut self, headers: &'h dyn Headers) -> Self {
        self.headers = Some(headers);
        self
    }

    /// The same with the principal that the transport authenticated, if there is one.
    #[must_use]
    pub fn with_principal(mut self, principal: Option<Arc<str>>) -> Self {
        self.principal = principal;
        self
    }
}

/// The outcome of taking in a message.
///
/// Spec: 2026-07-28 basic.
pub enum Accepted {
    /// It was taken in; there is nothing to answer.
    Nothing,
    /// It is a request; poll the exchange for what to send.
    Exchange(Exchange),
}

impl Server {
    /// Starts building a server of that name and version.
    #[must_use]
    pub fn builder(info: Implementation) -> ServerBuilder {
        ServerBuilder::new(info)
    }

    pub(crate) fn from_parts(parts: Parts) -> Self {
        Self(Arc::new(Inner { parts, audience: Mutex::default() }))
    }

    fn parts(&self) -> &Parts {
        &self.0.parts
    }

    pub(crate) fn has_logging(&self) -> bool {
        self.parts().logging
    }

    /// The runtime the server was built with; transports use it for exchanges that outlive their connection.
    #[must_use]
    pub fn runtime(&self) -> Option<&Arc<dyn Runtime>> {
        self.parts().runtime.as_ref()
    }

    pub(crate) fn cache_hint(&self) -> (Duration, CacheScope) {
        self.parts().cache
    }

    pub(crate) fn encoded_info(&self) -> &Json {
        &self.parts().encoded_info
    }

    pub(crate) fn tasks(&self) -> Option<&tasks::Tasks> {
        self.parts().tasks.as_ref()
    }

    pub(crate) fn state_key(&self) -> Option<&[u8]> {
        self.parts().state_key.as_deref()
    }

    /// The revisions this server speaks, oldest first.
    #[must_use]
    pub fn versions(&self) -> &[Version] {
        &self.parts().versions
    }

    /// The answer to bytes that are no message, as [`Incoming::decode`] reported them.
    #[must_use]
    pub fn refuse(&self, refusal: &Refusal<'_>, version: Version) -> Outgoing {
        respond::error_to(refusal.id.map(RawValue::get), version, &refusal.error)
    }

    /// Decodes and accepts whatever the bytes hold: a message, a batch, or neither (which is answered too).
    pub fn accept_bytes(&self, peer: &Peer, bytes: &Bytes, received: &Received<'_>) -> Accepted {
        match Incoming::decode(bytes) {
            Ok(incoming) => self.accept(peer, incoming, received),
            Err(refusal) => self.accept_refusal(peer, &refusal, received),
        }
    }

    fn accept_refusal(&self, peer: &Peer, refusal: &Refusal<'_>, received: &Received<'_>) -> Accepted {
        // without an agreed revision JSON-RPC 2.0 itself decides: the id is null
        let version = peer.version().unwrap_or(Version::V2024_11_05);
        let id = Json::parse(refusal.id.map_or("null", RawValue::get)).expect("it was decoded before");
        let running = self.running(peer, version, id, Json::empty_object(), received);
        Accepted::Exchange(Exchange::answered(running, self.refuse(refusal, version)))
    }

    /// Takes in a decoded message. Notifications and the client's answers have done their work when this returns; a
    /// request gives an exchange, whose handler has been called and polled once.
    pub fn accept(&self, peer: &Peer, incoming: Incoming<'_>, received: &Received<'_>) -> Accepted {
        match incoming {
            Incoming::One(message) => self.accept_one(peer, &message, received),
            Incoming::Batch(messages) => self.accept_batch(peer, &messages, received),
        }
    }

    fn accept_batch(
        &self,
        peer: &Peer,
        messages: &[Result<Message<'_>, Refusal<'_>>],
        received: &Received<'_>,
    ) -> Accepted {
        let version = peer.version().unwrap_or(Version::V2024_11_05);
        if !version.has_batches() {
            let refusal = Refusal {
                id: None,
                error: RpcError::invalid_request("This revision has no batches of messages"),
            };
            return self.accept_refusal(peer, &refusal, received);
        }
        let mut members = Vec::new();
        let mut answers = Vec::new();
        for message in messages {
            let error = match message {
                Ok(m) => match &m.kind {
                    Kind::Request { id, method } if method == "initialize" => {
                        Some((Some(*id), RpcError::invalid_request("initialize must not be part of a batch")))
                    }
                    _ => None,
                },
                Err(refusal) => Some((refusal.id, refusal.error.clone())),
            };
            match (error, message) {
                (Some((id, error)), _) => {
                    if let Outgoing::Answer { bytes, .. } =
                        respond::error_to(id.map(RawValue::get), version, &error)
                    {
                        answers.push(bytes);
                    }
                }
                (None, Ok(message)) => {
                    if let Accepted::Exchange(exchange) = self.accept_one(peer, message, received) {
                        members.push(exchange);
                    }
                }
                (None, Err(_)) => {}
            }
        }
        if members.is_empty() && answers.is_empty() {
            Accepted::Nothing
        } else {
            Accepted::Exchange(Exchange::batch(members, answers))
        }
    }

    fn accept_one(&self, peer: &Peer, message: &Message<'_>, received: &Received<'_>) -> Accepted {
        match &message.kind {
            Kind::Request { id, method } => {
                Accepted::Exchange(self.request(peer, message, id, method, received))
            }
            Kind::Notification { method } => {
                self.notification(peer, message, method);
                Accepted::Nothing
            }
            Kind::Result { id, result } => {
                peer.answered(id.get(), Ok(Json::slice(message.bytes, result)));
                Accepted::Nothing
            }
            Kind::Error { id, error } => {
                if let Some(id) = id {
                    peer.answered(id.get(), Err(client_error(error)));
                }
                Accepted::Nothing
            }
        }
    }

    fn notification(&self, peer: &Peer, message: &Message<'_>, method: &str) {
        match method {
            "notifications/cancelled" => {
                if let Some(id) = message.params.request {
                    peer.cancel(id.get());
                }
            }
            "notifications/initialized" => self.audience().join(peer),
            _ => {
                if let Some(handler) = &self.parts().on_notification {
                    handler(peer, method, Json::slice_text(message.bytes, message.text).get("params"));
                }
            }
        }
    }

    fn running(
        &self,
        peer: &Peer,
        version: Version,
        id: Json,
        message: Json,
        received: &Received<'_>,
    ) -> Arc<Running> {
        self.running_for(peer, version, id, message, received, None, None, None, None)
    }

    #[expect(clippy::too_many_arguments, reason = "the one constructor of a struct of facts")]
    fn running_for(
        &self,
        peer: &Peer,
        version: Version,
        id: Json,
        message: Json,
        received: &Received<'_>,
        capabilities: Option<Json>,
        client: Option<Json>,
        progress_token: Option<Json>,
        log_level: Option<LogLevel>,
    ) -> Arc<Running> {
        Arc::new(Running {
            server: self.clone(),
            peer: peer.clone(),
            version,
            id,
            message,
            now: received.now,
            principal: received.principal.clone(),
            progress_token,
            log_level,
            capabilities,
            client,
            cancelled: AtomicBool::new(false),
            task: OnceLock::new(),
            outbox: Mutex::default(),
        })
    }

    fn request(
        &self,
        peer: &Peer,
        message: &Message<'_>,
        id: &RawValue,
        method: &str,
        received: &Received<'_>,
    ) -> Exchange {
        let json = |raw: Option<&RawValue>| raw.map(|raw| Json::slice(message.bytes, raw));
        let id = Json::slice(message.bytes, id);
        let text = Json::slice_text(message.bytes, message.text);
        let meta = message.params.meta.as_ref();
        let token = meta.and_then(|m| m.progress_token).filter(|t| peer::IdKey::of(t.get()).is_some());
        let modern = self.modern(message, received);
        let (agreed, capabilities, client) = if modern {
            let (capabilities, client) = (meta.and_then(|m| m.capabilities), meta.and_then(|m| m.client));
            (Some(Version::V2026_07_28), json(capabilities), json(client))
        } else {
            peer.agreement()
        };
        let version = agreed.unwrap_or(Version::LATEST_HANDSHAKE);
        let log_level = meta.and_then(|m| m.log_level).and_then(|l| text_of(l.get()));
        let known_level = log_level.as_deref().and_then(LogLevel::parse);
        let running = self.running_for(
            peer,
            version,
            id,
            text,
            received,
            capabilities,
            client,
            json(token),
            known_level,
        );
        let checked = if modern {
            self.check_modern(message, method, received).and_then(|()| match (&log_level, known_level) {
                (Some(level), None) => Err(RpcError::invalid_params(format!("Unknown log level: {level}"))),
                _ => Ok(()),
            })
        } else {
            check_handshake(agreed, method)
        };
        if let Some((_, answer)) = self.method_of_extension(method, version) {
            let params = || running.message.get("params").unwrap_or_else(Json::empty_object);
            let result = checked.and_then(|()| answer(&params()));
            let answer = match &result {
                Ok(result) => respond::result(&running, Caching::Hinted, None, |o| o.members(result)),
                Err(error) => respond::error(&running, error),
            };
            return Exchange::answered(running, answer);
        }
        let found = checked.and_then(|()| {
            let method_not_found = || RpcError::method_not_found(method);
            let found = Method::find(method, version).ok_or_else(method_not_found)?;
            if message.params.not_an_object {
                return Err(RpcError::invalid_params("\"params\" must be an object"));
            }
            if self.has_capability(found) { Ok(found) } else { Err(method_not_found()) }
        });
        let started = found.and_then(|method| self.start(&running, method, message, received));
        match started {
            Ok(exchange) => exchange,
            Err(error) => {
                let answer = respond::error(&running, &error);
                Exchange::answered(running, answer)
            }
        }
    }

    fn method_of_extension(&self, name: &str, version: Version) -> Option<&(String, MethodHandler)> {
        let is_known = !version.is_stateless() || Method::find(name, version).is_some();
        self.parts().methods.iter().find(|(known, _)| !is_known && known == name)
    }

    /// Whether the request speaks 2026-07-28: by its metadata, or by its header.
    fn modern(&self, message: &Message<'_>, received: &Received<'_>) -> bool {
        if message.params.meta.as_ref().is_some_and(|m| m.version.is_some()) {
            return true;
        }
        let header = received.headers.and_then(|h| headers::hint(h, "mcp-protocol-version"));
        header.and_then(Version::parse).is_some_and(Version::is_stateless)
    }

    fn check_modern(
        &self,
        message: &Message<'_>,
        method: &str,
        received: &Received<'_>,
    ) -> Result<(), RpcError> {
        let bad =
            |what: &str| RpcError::invalid_params(format!("\"_meta\" must have {what}")).with_status(400);
        let meta = message.params.meta.as_ref().filter(|m| !m.not_an_object);
        let meta = meta.ok_or_else(|| bad("the protocol version and the client's capabilities"))?;
        let asked = meta.version.and_then(|v| text_of(v.get()));
        let asked = asked.ok_or_else(|| bad("io.modelcontextprotocol/protocolVersion, a string"))?;
        if meta.capabilities.is_none_or(|c| !c.get().starts_with('{')) {
            return Err(bad("io.modelcontextprotocol/clientCapabilities, an object"));
        }
        if let Some(headers) = received.headers {
            headers::require(headers, "mcp-protocol-version", &asked)?;
            headers::require(headers, "mcp-method", method)?;
        }
        let version = Version::parse(&asked).filter(|v| v.is_stateless() && self.versions().contains(v));
        if version.is_none() {
            return Err(self.unsupported_version(&asked));
        }
        Ok(())
    }

    pub(crate) fn unsupported_version(&self, asked: &str) -> RpcError {
        let data = Json::object(|o| {
            o.array("supported", self.versions(), |v, out| write_str(out, v.as_str()));
            o.str("requested", asked);
        });
        RpcError::new(RpcError::UNSUPPORTED_VERSION, format!("Unsupported protocol version: {asked}"))
            .with_data(data)
    }

    fn has_capability(&self, method: Method) -> bool {
        let parts = self.parts();
        match method {
            Method::Initialize | Method::Discover | Method::Ping | Method::Listen => true,
            Method::ToolsList | Method::ToolsCall => parts.has_tools,
            Method::ResourcesList
            | Method::TemplatesList
            | Method::ResourcesRead
            | Method::Subscribe
            | Method::Unsubscribe => parts.has_resources,
            Method::PromptsList | Method::PromptsGet => !parts.prompts.is_empty(),
            Method::Complete => parts.completion.is_some(),
            Method::SetLevel => parts.logging,
            Method::TasksGet
            | Method::TasksResult
            | Method::TasksList
            | Method::TasksUpdate
            | Method::TasksCancel => parts.tasks.is_some(),
        }
    }

    fn start(
        &self,
        running: &Arc<Running>,
        method: Method,
        message: &Message<'_>,
        received: &Received<'_>,
    ) -> Result<Exchange, RpcError> {
        let p = &message.params;
        let answered = |answer| Ok(Exchange::answered(Arc::clone(running), answer));
        let empty = || respond::result(running, Caching::No, None, |_| {});
        match method {
            Method::Initialize => answered(self.initialize(running, message)?),
            Method::Discover => answered(self.discover(running)),
            Method::Ping => answered(empty()),
            Method::ToolsList => answered(self.list_tools(running, p)?),
            Method::ResourcesList => answered(self.list_resources(running, p)?),
            Method::TemplatesList => answered(self.list_templates(running, p)?),
            Method::PromptsList => answered(self.list_prompts(running, p)?),
            Method::SetLevel => {
                let level = p.level.and_then(|l| text_of(l.get()));
                let level = level.as_deref().and_then(LogLevel::parse);
                running
                    .peer
                    .set_log_level(level.ok_or_else(|| RpcError::invalid_params("Unknown log level"))?);
                answered(empty())
            }
            Method::Subscribe => {
                running.peer.subscribe(required(p.uri, "uri")?);
                answered(empty())
            }
            Method::Unsubscribe => {
                running.peer.unsubscribe(&required(p.uri, "uri")?);
                answered(empty())
            }
            Method::ToolsCall => self.call_tool(running, message, received),
            Method::PromptsGet => self.get_prompt(running, message, received),
            Method::ResourcesRead => self.read_resource(running, message, received),
            Method::Complete => self.complete(running, message),
            Method::Listen => self.listen(running, p),
            Method::TasksGet => answered(self.get_task(running, p, received)?),
            Method::TasksResult => self.task_result(running, p),
            Method::TasksList => answered(self.list_tasks(running, p)?),
            Method::TasksUpdate => answered(self.update_task(running, message, received)?),
            Method::TasksCancel => answered(self.cancel_task(running, p, received)?),
        }
    }

    fn initialize(&self, running: &Running, message: &Message<'_>) -> Result<Outgoing, RpcError> {
        let p: &Params<'_> = &message.params;
        let asked = required(p.version, "protocolVersion")?;
        // copies: a slice would keep the transport's buffer for as long as the peer lives
        let json = |raw: Option<&RawValue>| raw.map(Json::copy).filter(Json::is_object);
        let capabilities = json(p.capabilities)
            .ok_or_else(|| RpcError::invalid_params("\"capabilities\" must be an object"))?;
        let served = || self.versions().iter().copied().filter(|v| !v.is_stateless());
        let wished = Version::parse(&asked).filter(|v| served().any(|s| s == *v));
        let Some(version) = wished.or_else(|| served().next_back()) else {
            return Err(self.unsupported_version(&asked));
        };
        running.peer.shake_hands(version, Some(capabilities), json(p.client));
        let rules = version.rules();
        let mut out = Vec::with_capacity(512);
        let mut o = crate::json::Object::open(&mut out);
        o.str("jsonrpc", "2.0");
        o.json("id", &running.id);
        o.object("result", |o| {
            o.str("protocolVersion", version.as_str());
            self.capabilities(version, o.key("capabilities"));
            self.parts().info.encode(rules, o.key("serverInfo"));
            o.opt_str("instructions", self.parts().instructions.as_deref());
        });
        o.close();
        Ok(Outgoing::Answer { bytes: out, status: 200 })
    }

    fn discover(&self, running: &Running) -> Outgoing {
        respond::result(running, Caching::Hinted, None, |o| {
            o.array("supportedVersions", self.versions(), |v, out| write_str(out, v.as_str()));
            self.capabilities(running.version, o.key("capabilities"));
            o.opt_str("instructions", self.parts().instructions.as_deref());
        })
    }

    fn capabilities(&self, version: Version, out: &mut Vec<u8>) {
        let parts = self.parts();
        let rules = version.rules();
        let mut o = crate::json::Object::open(out);
        if parts.has_tools {
            o.object("tools", |o| o.bool("listChanged", true));
        }
        if parts.has_resources {
            o.object("resources", |o| {
                o.bool("subscribe", true);
                o.bool("listChanged", true);
            });
        }
        if !parts.prompts.is_empty() {
            o.object("prompts", |o| o.bool("listChanged", true));
        }
        if parts.completion.is_some() && rules.completions_capability {
            o.object("completions", |_| {});
        }
        if parts.logging {
            o.object("logging", |_| {});
        }
        if rules.core_tasks && parts.tasks.is_some() {
            o.object("tasks", |o| {
                o.object("list", |_| {});
                o.object("cancel", |_| {});
                o.object("requests", |o| o.object("tools", |o| o.object("call", |_| {})));
            });
        }
        if rules.stateless && !parts.extensions.is_empty() {
            o.object("extensions", |o| {
                for (identifier, settings) in &parts.extensions {
                    o.json(identifier, settings);
                }
            });
        }
        o.close();
    }
}

/// Before the handshake a peer can only shake hands and ping.
fn check_handshake(agreed: Option<Version>, method: &str) -> Result<(), RpcError> {
    if agreed.is_some() || matches!(method, "initialize" | "ping") {
        Ok(())
    } else {
        Err(RpcError::invalid_request(
            "Send initialize first, or the metadata of 2026-07-28 with every request",
        ))
    }
}

/// A parameter that must be a string.
pub(crate) fn required(raw: Option<&RawValue>, name: &str) -> Result<String, RpcError> {
    raw.and_then(|raw| text_of(raw.get()))
        .map(std::borrow::Cow::into_owned)
        .ok_or_else(|| RpcError::invalid_params(format!("\"{name}\" must be a string")))
}

/// An error object as the client sent it.
fn client_error(raw: &RawValue) -> RpcError {
    #[derive(serde::Deserialize)]
    struct Wire {
        code: i64,
        message: String,
    }
    match serde_json::from_str::<Wire>(raw.get()) {
        Ok(wire) => RpcError::new(wire.code, wire.message),
        Err(_) => RpcError::internal("The client answered with a malformed error"),
    }
}

impl Context {
    /// An error if the client did not declare a capability; `required` names it as the capabilities object does.
    ///
    /// # Errors
    /// -32021 with what is missing.
    pub fn require(
        &self,
        there: impl FnOnce(&ClientCapabilities) -> bool,
        required: &Json,
    ) -> Result<(), RpcError> {
        if there(&self.client_capabilities()) {
            Ok(())
        } else {
            Err(RpcError::missing_client_capability(required))
        }
    }
}
