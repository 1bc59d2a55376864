//! The client's side: as sans-IO as the server's, transports move the bytes.
//!
//! * [`Handlers`] are what a client does for its server (roots, sampling, elicitation) and what it wants to be told
//!   (progress, log messages, changes); its declared capabilities follow from them.
//! * [`Client`] is a connected client over whatever transport, and [`ClientExt`] what can be asked of the server, in the
//!   words of each revision: "Tools", "Resources", "Prompts", "Completion", "Logging", "Tasks", "Subscriptions".
//! * [`ClientBuilder`] puts a client together and connects it over a [`Transport`]; each transport's crate has its own.
//! * [`Connection`] is the client of a byte stream; the HTTP client is in `mcp_transport_http`.
//! * [`Session`] is what they share: which revision is spoken, and the bytes of every message. A transport asks it for a
//!   [`Request`], sends that, and gives whatever comes back to [`Session::receive`]. After the first request
//!   ([`Session::probe`]) [`Session::judge_probe`] says how to go on ("Protocol Version Negotiation" of 2026-07-28):
//!   [`Probe::Modern`]: every request stands alone; [`Probe::Again`]: repeat it, the revision was corrected;
//!   [`Probe::Handshake`]: send [`Session::initialize`], give the result to [`Session::initialized`] and send what that
//!   returns ("Lifecycle" of the revisions before).

mod builder;
mod connection;
mod error;
mod features;
mod handlers;
#[cfg(feature = "http-client")]
mod http;
mod input;
mod session;
mod tools;

pub use builder::{ClientBuilder, ClientOptions, Or, Transport};
pub use connection::{Connection, Wire};
pub use error::{BoxError, ClientError};
pub use features::{Client, ClientExt, ToolCallOutcome, with_input};
pub use handlers::{Handlers, Progress};
#[cfg(feature = "http-client")]
pub use http::{ResponseBody, SendHttp, body_of, read_body};
pub use input::{InputRequiredResult, with_form_defaults};
pub use session::{Inbound, Probe, Request, ServerInfo, Session};
pub use tools::ToolDirectory;

use crate::{error::RpcError, json::Json, server::BoxFuture};

/// The client's side of what its server asks and reports: its user, its model, its roots.
///
/// `()` refuses everything; it is for clients that declare no capabilities.
///
/// Spec: 2025-11-25 basic; 2026-07-28 basic/patterns/mrtr.
pub trait ClientHandler: Send + Sync + 'static {
    /// Answers `elicitation/create`, `sampling/createMessage`, `roots/list`, or refuses.
    fn handle_request(&self, method: &str, params: Json) -> BoxFuture<Result<Json, RpcError>>;

    /// Takes a notification of the server: progress, a log message, a change.
    fn handle_notification(&self, _method: &str, _params: Option<Json>) {}

    /// Takes the error of a message that is none, or that this revision does not have. The message is ignored.
    fn handle_malformed(&self, _error: &RpcError) {}
}

impl ClientHandler for () {
    fn handle_request(&self, method: &str, _params: Json) -> BoxFuture<Result<Json, RpcError>> {
        let error = RpcError::method_not_found(method);
        Box::pin(async move { Err(error) })
    }
}
