//! The HTTP+SSE transport of 2024-11-05, for clients that know no other: a GET opens an event stream whose first event
//! names the address to POST messages to; every answer travels on the stream.
//!
//! ```
//! use mcp_protocol::{Server, model::Implementation};
//! use mcp_transport_sse::{Config, HttpSse};
//!
//! let server = Server::builder(Implementation::new("greeter", "1.0")).build()?;
//! let sse = HttpSse::new(server, Config::new("/messages"));
//! // one service for both addresses: GET /sse and POST /messages?sessionId=…
//! let answer = move |request: http::Request<http_body_util::Full<bytes::Bytes>>| sse.handle(request);
//! # drop(answer);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The client's end is a transport like any other; most servers also speak a newer one, which
//! [`Transport::or`](mcp_protocol::client::Transport::or) tries first.
//!
//! ```
//! use mcp_protocol::{
//!     client::{ClientBuilder, ClientError, ClientExt as _, SendHttp},
//!     model::{Implementation, Tool},
//!     server::Runtime,
//! };
//! use mcp_transport_sse::SseTransport;
//!
//! async fn tools(http: impl SendHttp, runtime: impl Runtime) -> Result<Vec<Tool>, ClientError> {
//!     let uri = http::Uri::from_static("http://127.0.0.1:8080/sse");
//!     let client = ClientBuilder::new(Implementation::new("agent", "1.0"))
//!         .connect(SseTransport::new(http, uri, runtime))
//!         .await?;
//!     client.list_tools().await
//! }
//! ```
//!
//! The path is not looked at, so mount it where you like, next to others on the same listener. The same checks as in
//! Streamable HTTP stand before the body: method, `Host`, `Origin`, authorization, content type, size. The stream
//! closing ends the session and cancels what runs; nothing can be resumed.
#![deny(missing_docs)]

mod client;
mod service;
mod session;

pub use client::SseTransport;
pub use service::{Config, HttpSse};
