//! JSON-RPC errors: the codes of the specification, and which HTTP status each one travels with.

use std::fmt;

use crate::json::{Json, Object};

/// An error that is sent to the peer as a JSON-RPC error object.
///
/// Make one with the constructor that names the situation; [`RpcError::new`] is for codes of your own, which must lie
/// outside -32768..=-32000.
///
/// Spec: 2026-07-28 basic; JSON-RPC 2.0 section 5.1.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcError {
    /// The JSON-RPC code.
    pub code: i64,
    /// One sentence for a person or a model.
    pub message: String,
    /// Machine-readable details.
    pub data: Option<Json>,
    pub(crate) status: u16,
}

impl RpcError {
    /// Unparsable JSON.
    pub const PARSE: i64 = -32700;
    /// JSON that is not a JSON-RPC message.
    pub const INVALID_REQUEST: i64 = -32600;
    /// A method that does not exist, or not in this revision, or whose capability is not advertised.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// Parameters that do not fit the method.
    pub const INVALID_PARAMS: i64 = -32602;
    /// A failure inside the server.
    pub const INTERNAL: i64 = -32603;
    /// Resource not found, up to 2025-11-25.
    pub const RESOURCE_NOT_FOUND: i64 = -32002;
    /// The client must open URLs first (2025-11-25 only).
    pub const URL_ELICITATION_REQUIRED: i64 = -32042;
    /// A header differs from the body (2026-07-28).
    pub const HEADER_MISMATCH: i64 = -32020;
    /// The request needs a client capability that it did not declare (2026-07-28).
    pub const MISSING_CLIENT_CAPABILITY: i64 = -32021;
    /// The revision is not served (2026-07-28).
    pub const UNSUPPORTED_VERSION: i64 = -32022;

    /// An error with a code of the application's own.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        let status = match code {
            Self::HEADER_MISMATCH | Self::MISSING_CLIENT_CAPABILITY | Self::UNSUPPORTED_VERSION => 400,
            _ => 200,
        };
        Self { code, message: message.into(), data: None, status }
    }

    /// The same error with details.
    #[must_use]
    pub fn with_data(mut self, data: Json) -> Self {
        self.data = Some(data);
        self
    }

    pub(crate) fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// -32602: the parameters do not fit.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(Self::INVALID_PARAMS, message)
    }

    /// -32603: the server failed.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Self::INTERNAL, message)
    }

    /// Resource not found: the code is chosen by the revision of the peer when the error is sent.
    pub fn resource_not_found(uri: &str) -> Self {
        Self::new(Self::RESOURCE_NOT_FOUND, format!("Resource not found: {uri}"))
            .with_data(Json::object(|o| o.str("uri", uri)))
    }

    /// -32021: `required` is an object of the shape of the client capabilities, such as `{"sampling":{}}`.
    #[must_use]
    pub fn missing_client_capability(required: &Json) -> Self {
        Self::new(
            Self::MISSING_CLIENT_CAPABILITY,
            "The request needs a client capability that was not declared on it",
        )
        .with_data(Json::object(|o| o.json("requiredCapabilities", required)))
    }

    /// -32042: the client must first complete the elicitations (a JSON array of url elicitation parameters).
    #[must_use]
    pub fn url_elicitation_required(elicitations: &Json) -> Self {
        Self::new(Self::URL_ELICITATION_REQUIRED, "The request needs the user to open a URL first")
            .with_data(Json::object(|o| o.json("elicitations", elicitations)))
    }

    pub(crate) fn parse(message: impl Into<String>) -> Self {
        Self::new(Self::PARSE, message).with_status(400)
    }

    pub(crate) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(Self::INVALID_REQUEST, message).with_status(400)
    }

    pub(crate) fn method_not_found(method: &str) -> Self {
        Self::new(Self::METHOD_NOT_FOUND, format!("Method not found: {method}"))
    }

    pub(crate) fn header_mismatch(message: impl Into<String>) -> Self {
        Self::new(Self::HEADER_MISMATCH, message)
    }

    /// The HTTP status with which the error travels when it is known before the response head is written.
    #[must_use]
    pub fn http_status(&self) -> u16 {
        self.status
    }

    pub(crate) fn encode(&self, code: i64, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        o.i64("code", code);
        o.str("message", &self.message);
        if let Some(data) = &self.data {
            o.json("data", data);
        }
        o.close();
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for RpcError {}

/// A decoding error is an error of the parameters: it lets handlers write `arguments.to::<Arguments>()?`.
impl From<serde_json::Error> for RpcError {
    fn from(e: serde_json::Error) -> Self {
        Self::invalid_params(e.to_string())
    }
}
