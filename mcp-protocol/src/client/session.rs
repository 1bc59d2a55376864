//! One client's state: who it is, what was agreed, and the ids it has used.

use bytes::Bytes;
use serde_json::value::RawValue;

use crate::{
    envelope::{Incoming, Kind, Message, integral},
    error::RpcError,
    json::{Json, Object, text_of},
    model::{ClientCapabilities, Encode as _, Implementation, LogLevel},
    version::Version,
};

/// A client's session with one server.
///
/// Spec: 2026-07-28 basic/versioning; 2025-11-25 basic/lifecycle.
#[derive(Clone, Debug)]
pub struct Session {
    info: Implementation,
    capabilities: ClientCapabilities,
    version: Version,
    agreed: bool,
    log_level: Option<LogLevel>,
    last_id: i64,
    server: ServerInfo,
}

/// The server's description of itself, in its handshake or in `server/discover`.
///
/// Spec: 2026-07-28 server/discover; 2025-11-25 basic/lifecycle.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ServerInfo {
    /// Its name and version; for display only.
    pub implementation: Option<Implementation>,
    /// The server's capabilities as it sent them: an object.
    pub capabilities: Option<Json>,
    /// How to use it, for the model.
    pub instructions: Option<String>,
}

impl ServerInfo {
    fn of(result: &Json) -> Self {
        let meta = result.get("_meta");
        let info =
            result.get("serverInfo").or_else(|| meta.as_ref()?.get("io.modelcontextprotocol/serverInfo"));
        Self {
            // nonsense names nobody
            implementation: info.and_then(|i| i.to().ok()),
            capabilities: result.get("capabilities"),
            instructions: result.get("instructions").and_then(|i| Some(i.as_text()?.into_owned())),
        }
    }

    /// Whether the server offers something, such as `tools` or `resources`.
    #[must_use]
    pub fn has_capability(&self, capability: &str) -> bool {
        self.capabilities.as_ref().is_some_and(|c| c.get(capability).is_some())
    }
}

/// A request to send.
///
/// Spec: 2026-07-28 basic.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// Its id.
    pub id: i64,
    /// Its method.
    pub method: String,
    /// The name of the target, by which proxies may route: a tool, a prompt, a resource's address, a task.
    pub name: Option<String>,
    /// The message.
    pub bytes: Vec<u8>,
}

/// A message from the server.
///
/// Spec: 2026-07-28 basic.
#[derive(Debug)]
pub enum Inbound {
    /// The end of a request.
    Response {
        /// Of which one.
        id: i64,
        /// Its result or error.
        outcome: Result<Json, RpcError>,
    },
    /// The server asks; answer with [`Session::answer`] under the same id.
    Request {
        /// The id, as it came.
        id: Json,
        /// The method that the server calls.
        method: String,
        /// The parameters, an object.
        params: Json,
    },
    /// The server reports.
    Notification {
        /// The method.
        method: String,
        /// The parameters.
        params: Option<Json>,
    },
}

/// How to go on after a probe.
///
/// Spec: 2026-07-28 basic/versioning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// The server speaks a revision without handshake; it is set.
    Modern,
    /// It speaks another such revision, which is now set: repeat the request.
    Again,
    /// It lives before 2026-07-28: shake hands.
    Handshake,
}

impl Session {
    /// A client of that name and these abilities. It begins by speaking the newest revision.
    #[must_use]
    pub fn new(info: Implementation, capabilities: ClientCapabilities) -> Self {
        Self {
            info,
            capabilities,
            version: Version::LATEST,
            agreed: false,
            log_level: None,
            last_id: 0,
            server: ServerInfo::default(),
        }
    }

    /// The revision that is spoken.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// The server's description of itself.
    #[must_use]
    pub fn server_info(&self) -> &ServerInfo {
        &self.server
    }

    /// Whether probe or handshake have been concluded.
    #[must_use]
    pub fn is_negotiated(&self) -> bool {
        self.agreed
    }

    /// Asks for log messages of that level with every request (2026-07-28).
    pub fn set_log_level(&mut self, level: Option<LogLevel>) {
        self.log_level = level;
    }

    /// The first request: `server/discover`.
    pub fn probe(&mut self) -> Request {
        self.version = Version::LATEST;
        self.request("server/discover", &Json::empty_object(), None)
    }

    /// A request with these parameters (an object without `_meta`) and this further metadata (an object).
    pub fn request(&mut self, method: &str, params: &Json, meta: Option<&Json>) -> Request {
        self.last_id += 1;
        let id = self.last_id;
        let mut bytes = Vec::with_capacity(256 + params.as_bytes().len());
        let mut o = Object::open(&mut bytes);
        o.str("jsonrpc", "2.0");
        o.i64("id", id);
        o.str("method", method);
        o.object("params", |o| {
            o.members(params);
            if self.version.is_stateless() {
                o.object("_meta", |o| {
                    o.str("io.modelcontextprotocol/protocolVersion", self.version.as_str());
                    self.info.encode(self.version.rules(), o.key("io.modelcontextprotocol/clientInfo"));
                    self.capabilities
                        .encode(self.version.rules(), o.key("io.modelcontextprotocol/clientCapabilities"));
                    if let Some(level) = self.log_level {
                        o.str("io.modelcontextprotocol/logLevel", level.as_str());
                    }
                    if let Some(meta) = meta {
                        o.members(meta);
                    }
                });
            } else {
                o.opt_json("_meta", meta);
            }
        });
        o.close();
        let key = match method {
            "tools/call" | "prompts/get" => Some("name"),
            "resources/read" => Some("uri"),
            "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
            _ => None,
        };
        let name = key.and_then(|key| Some(params.get(key)?.as_text()?.into_owned()));
        Request { id, method: method.to_owned(), name, bytes }
    }

    /// A notification.
    #[must_use]
    pub fn notification(&self, method: &str, params: &Json) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(96 + params.as_bytes().len());
        let mut o = Object::open(&mut bytes);
        o.str("jsonrpc", "2.0");
        o.str("method", method);
        o.json("params", params);
        o.close();
        bytes
    }

    /// The notification that takes a request back. Over HTTP a modern client closes the response stream instead.
    #[must_use]
    pub fn cancellation(&self, id: i64, reason: &str) -> Vec<u8> {
        let params = Json::object(|o| {
            o.i64("requestId", id);
            o.str("reason", reason);
        });
        self.notification("notifications/cancelled", &params)
    }

    /// The answer to a request of the server.
    #[must_use]
    pub fn answer(&self, id: &Json, outcome: &Result<Json, RpcError>) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(128);
        let mut o = Object::open(&mut bytes);
        o.str("jsonrpc", "2.0");
        o.json("id", id);
        match outcome {
            Ok(result) => o.json("result", result),
            Err(error) => error.encode(error.code, o.key("error")),
        }
        o.close();
        bytes
    }

    /// The meaning of a probe's outcome. An error that is not one of 2026-07-28's own means a server from before.
    pub fn judge_probe(&mut self, outcome: &Result<Json, RpcError>) -> Probe {
        let named = |json: &Json, key: &str| -> Vec<Version> {
            // a value that is not a list of known names offers nothing
            let names: Vec<String> = json.get(key).and_then(|v| v.to().ok()).unwrap_or_default();
            names.iter().filter_map(|n| Version::parse(n)).collect()
        };
        let modern = |versions: Vec<Version>| versions.into_iter().filter(|v| v.is_stateless()).max();
        match outcome {
            Ok(result) => {
                let offered = named(result, "supportedVersions");
                if offered.is_empty() || modern(offered).is_some() {
                    self.agreed = true;
                    self.server = ServerInfo::of(result);
                    Probe::Modern
                } else {
                    Probe::Handshake
                }
            }
            Err(e) if e.code == RpcError::UNSUPPORTED_VERSION => {
                let offered = e.data.as_ref().map(|d| named(d, "supported")).unwrap_or_default();
                match modern(offered) {
                    Some(version) => {
                        self.version = version;
                        Probe::Again
                    }
                    None => Probe::Handshake,
                }
            }
            Err(e) if matches!(e.code, RpcError::HEADER_MISMATCH | RpcError::MISSING_CLIENT_CAPABILITY) => {
                self.agreed = true;
                Probe::Modern
            }
            Err(_) => Probe::Handshake,
        }
    }

    /// The handshake's request, offering the newest revision that has one, or `offer` if that has one.
    pub fn initialize(&mut self, offer: Option<Version>) -> Request {
        self.version = offer.filter(|v| !v.is_stateless()).unwrap_or(Version::LATEST_HANDSHAKE);
        let rules = self.version.rules();
        let params = Json::object(|o| {
            o.str("protocolVersion", self.version.as_str());
            self.capabilities.encode(rules, o.key("capabilities"));
            self.info.encode(rules, o.key("clientInfo"));
        });
        self.request("initialize", &params, None)
    }

    /// Takes in the handshake's result; returns the notification that concludes it.
    ///
    /// # Errors
    /// When the server chose a revision this client does not speak, or none.
    pub fn initialized(&mut self, result: &Json) -> Result<Vec<u8>, RpcError> {
        let chosen = result.get("protocolVersion");
        let chosen = chosen.as_ref().and_then(Json::as_text).unwrap_or_default();
        let version = Version::parse(&chosen).filter(|v| !v.is_stateless());
        self.version =
            version.ok_or_else(|| RpcError::internal(format!("The server chose the revision {chosen:?}")))?;
        self.agreed = true;
        self.server = ServerInfo::of(result);
        Ok(self.notification("notifications/initialized", &Json::empty_object()))
    }

    /// Reads a message (or a batch of them).
    ///
    /// # Errors
    /// When the bytes are no message; a response with both result and error, or neither, is none.
    pub fn receive(&self, bytes: &Bytes) -> Result<Vec<Inbound>, RpcError> {
        match Incoming::decode(bytes).map_err(|refusal| refusal.error)? {
            Incoming::One(message) => inbound(&message).map(|m| m.into_iter().collect()),
            Incoming::Batch(messages) => {
                let mut all = Vec::with_capacity(messages.len());
                for message in messages {
                    all.extend(inbound(&message.map_err(|refusal| refusal.error)?)?);
                }
                Ok(all)
            }
        }
    }
}

/// `None` for a response to a request that was never made.
fn inbound(message: &Message<'_>) -> Result<Option<Inbound>, RpcError> {
    let params = || Json::slice_text(message.bytes, message.text).get("params");
    Ok(match &message.kind {
        Kind::Request { id, method } => Some(Inbound::Request {
            id: Json::slice(message.bytes, id),
            method: method.clone().into_owned(),
            params: params().unwrap_or_else(Json::empty_object),
        }),
        Kind::Notification { method } => {
            Some(Inbound::Notification { method: method.clone().into_owned(), params: params() })
        }
        Kind::Result { id, result } => integral(id.get())
            .map(|id| Inbound::Response { id, outcome: Ok(Json::slice(message.bytes, result)) }),
        Kind::Error { id, error } => match id.map(RawValue::get) {
            Some(id) => {
                integral(id).map(|id| Inbound::Response { id, outcome: Err(error_of(message.bytes, error)) })
            }
            None => return Err(error_of(message.bytes, error)),
        },
    })
}

/// The error object as it came.
fn error_of(bytes: &Bytes, raw: &RawValue) -> RpcError {
    let json = Json::slice(bytes, raw);
    let code = json.get("code").and_then(|c| integral(c.as_str()));
    let message = json.get("message");
    let message = message.as_ref().and_then(|m| text_of(m.as_str()));
    match (code, message) {
        (Some(code), Some(message)) => RpcError { data: json.get("data"), ..RpcError::new(code, message) },
        _ => RpcError::internal("The server answered with a malformed error"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> Session {
        Session::new(Implementation::new("c", "1"), ClientCapabilities::default())
    }

    #[test]
    fn a_probe_tells_the_eras_apart() {
        let result = |text: &str| Ok(Json::parse(text).expect("a literal"));
        let error =
            |code, data: &str| Err(RpcError::new(code, "").with_data(Json::parse(data).expect("a literal")));
        for (outcome, expected) in [
            (result(r#"{"supportedVersions":["2025-11-25","2026-07-28"]}"#), Probe::Modern),
            (result(r#"{"supportedVersions":["2025-11-25"]}"#), Probe::Handshake),
            (error(-32022, r#"{"supported":["2026-07-28"]}"#), Probe::Again),
            (error(-32022, r#"{"supported":["2024-11-05"]}"#), Probe::Handshake),
            (error(-32020, "{}"), Probe::Modern),
            (error(-32601, "{}"), Probe::Handshake),
            (error(-32000, "{}"), Probe::Handshake),
        ] {
            assert_eq!(session().judge_probe(&outcome), expected, "{outcome:?}");
        }
    }

    #[test]
    fn both_ends_of_the_crate_understand_each_other() {
        use crate::server::{Connection, Server};
        let server = Server::builder(Implementation::new("s", "1")).build().expect("valid");
        let mut connection = Connection::new(server);
        let mut session = session();
        let mut say = |bytes: Vec<u8>, session: &Session| {
            connection.receive(crate::UnixMillis(0), &Bytes::from(bytes));
            let said = Bytes::from(std::mem::take(connection.output()));
            if said.is_empty() { Vec::new() } else { session.receive(&said).expect("a message") }
        };
        let probe = session.probe();
        let Some(Inbound::Response { id, outcome }) = say(probe.bytes, &session).pop() else {
            panic!("an answer")
        };
        assert_eq!((id, session.judge_probe(&outcome)), (probe.id, Probe::Modern));
        let initialize = session.initialize(Some(Version::V2024_11_05));
        let Some(Inbound::Response { outcome: Ok(result), .. }) = say(initialize.bytes, &session).pop()
        else {
            panic!("an answer")
        };
        let done = session.initialized(&result).expect("agreed");
        assert_eq!((say(done, &session).len(), session.version()), (0, Version::V2024_11_05));
    }

    #[test]
    fn what_is_no_response_is_an_error_and_not_a_result() {
        for text in [r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#, r#"{"_meta":{}}"#, "{}", ""] {
            assert!(session().receive(&Bytes::from_static(text.as_bytes())).is_err(), "{text}");
        }
    }
}
