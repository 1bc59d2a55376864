//! The Model Context Protocol as a sans-IO state machine: every published revision, bytes and time in, bytes and calls
//! out. There is no runtime, no socket, no clock and no thread in here; the transport crates (and tests) bring those.
//!
//! # A server in ten lines
//!
//! ```
//! use mcp_protocol::{Json, Server, model::{CallToolResult, Implementation, Tool}};
//!
//! let schema = Json::parse(r#"{"type":"object","properties":{"name":{"type":"string"}}}"#)?;
//! let server = Server::builder(Implementation::new("greeter", "1.0"))
//!     .tool(Tool::new("greet", "Says hello.", schema), |cx, arguments| async move {
//!         let name = arguments.get("name");
//!         let name = name.as_ref().and_then(Json::as_text).unwrap_or_default();
//!         cx.progress(1.0, Some(1.0), Some("greeted"));
//!         Ok(CallToolResult::text(format!("Hello, {name}!")))
//!     })
//!     .build()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The same server then runs on every transport, also at once: `mcp_transport_stdio::serve_stdio(&server, …)`,
//! `mcp_transport_http::StreamableHttp::new(server, …)`, `mcp_transport_sse`.
//!
//! # A client in ten lines
//!
//! ```
//! use mcp_protocol::{
//!     client::{ClientBuilder, ClientError, ClientExt as _, Handlers, Transport},
//!     model::{Implementation, Tool},
//! };
//!
//! // `mcp_transport_http::HttpTransport`, `mcp_transport_stdio::StdioTransport`, `mcp_transport_ws::WebSocketTransport`, …
//! async fn tools(transport: impl Transport) -> Result<Vec<Tool>, ClientError> {
//!     // what the client declares follows from what is registered
//!     let handlers = Handlers::new().on_list_changed(|list| drop(list.to_owned()));
//!     let client = ClientBuilder::new(Implementation::new("agent", "1.0"))
//!         .handlers(handlers)
//!         .connect(transport)
//!         .await?;
//!     client.list_tools().await
//! }
//! ```
//!
//! # Handlers
//!
//! * [`tool`](server::ServerBuilder::tool) takes an async function. It is polled where the message was read; if it is
//!   ready at once, no task is involved.
//! * [`tool_inline`](server::ServerBuilder::tool_inline) takes a quick plain function: the fastest kind.
//! * [`tool_blocking`](server::ServerBuilder::tool_blocking) takes a function that computes or blocks; it runs on the
//!   [`Runtime`](server::Runtime) given to the builder.
//! * `typed` (feature `schemars`) takes an async function of a struct; schema and decoding follow from the struct.
//! * [`tools`](server::ServerBuilder::tools) takes a [`ToolProvider`](server::ToolProvider): a set of tools that is
//!   asked anew for every `tools/list`. Say [`Server::tools_changed`] when it changed.
//!
//! All of them get a [`Context`]: cancellation, progress, log messages, who is asking, the revision, and ways to ask
//! the client back. A tool that fails returns [`CallToolResult::error`](model::CallToolResult::error), which the model
//! reads; an [`RpcError`] is for calls that make no sense. Arguments, schemas and metadata are [`Json`]: the bytes as
//! they came, decoded only when a handler does so.
//!
//! Capabilities follow from what was registered. Nothing is sent to a client that its revision does not know.
//!
//! # Driving a server
//!
//! A byte stream needs a [`Connection`](server::Connection): give it messages, take its output, poll it when woken.
//! HTTP transports use the layer below: [`Incoming::decode`], [`Server::accept`] with the right
//! [`Peer`](server::Peer), and the [`Exchange`](server::Exchange) that comes back.
//!
//! # Where it is specified
//!
//! `Spec: 2025-11-25 server/tools` in the documentation of an item names the page it follows,
//! `https://modelcontextprotocol.io/specification/2025-11-25/server/tools`: the newest revision that has it, and an older one
//! where that differs. `none` is what Rust needs and no page has.
#![deny(missing_docs)]

pub mod client;
#[cfg(feature = "http")]
pub mod endpoint;
mod envelope;
mod error;
pub mod framing;
mod json;
pub mod model;
pub mod server;
mod time;
mod version;
pub mod web;

pub use envelope::{Incoming, Message, Refusal};
pub use error::RpcError;
pub use json::Json;
pub use server::{Context, Server};
pub use time::UnixMillis;
pub use version::Version;
