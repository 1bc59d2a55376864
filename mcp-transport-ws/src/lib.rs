//! MCP over WebSocket: one message per text frame, subprotocol `mcp`. No revision of the protocol names this transport;
//! it is what the official TypeScript and Python clients speak, and what editors offer to coding agents.
//!
//! The frames are those of `tungstenite`, kept in memory; bytes move through the traits of `futures-io`, so any runtime
//! does.
//!
//! # A server
//!
//! With anything that speaks HTTP/1.1 and hands over its connection; the feature `hyper-server` does both in one call,
//! [`WebSockets`]`::handle`.
//!
//! ```
//! use futures_io::{AsyncRead, AsyncWrite};
//! use http::{Response, request::Parts};
//! use mcp_protocol::endpoint::Body;
//! use mcp_transport_ws::WebSockets;
//!
//! async fn upgrade(
//!     sockets: &WebSockets,
//!     request: &Parts,
//!     send: impl AsyncFnOnce(Response<Body>),
//!     stream: impl AsyncRead + AsyncWrite + Unpin,
//! ) {
//!     match sockets.upgrade(request) {
//!         Ok((response, upgraded)) => {
//!             send(response).await;
//!             upgraded.serve(stream).await;
//!         }
//!         Err(refused) => send(*refused).await,
//!     }
//! }
//! ```
//!
//! # A client
//!
//! It shakes hands over any connected stream; a task of the runtime moves its messages.
//!
//! ```
//! use futures_io::{AsyncRead, AsyncWrite};
//! use mcp_protocol::{
//!     client::{ClientBuilder, ClientExt as _},
//!     model::{Implementation, Tool},
//!     server::Runtime,
//! };
//! use mcp_transport_ws::WebSocketTransport;
//!
//! async fn tools(
//!     stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
//!     runtime: impl Runtime,
//! ) -> Result<Vec<Tool>, Box<dyn std::error::Error>> {
//!     let request = http::Request::get("ws://127.0.0.1:8080/ws").body(())?;
//!     let client = ClientBuilder::new(Implementation::new("agent", "1.0"))
//!         .connect(WebSocketTransport::new(stream, request, runtime))
//!         .await?;
//!     Ok(client.list_tools().await?)
//! }
//! ```
//!
//! # What it decides
//!
//! * `Host`, `Origin` and authorization are checked before the upgrade, as in the HTTP transports
//!   ([`mcp_protocol::endpoint::Admission`]; its `authorize` sees every header).
//! * Messages longer than the admission's limit end the connection with 1009, binary ones with 1003, text that is not
//!   UTF-8 with 1007, other breaches with 1002. A server that shuts down says 1001. Extensions are declined.
//! * A connection is pinged and given up when nothing was heard for two intervals, if the server's runtime can sleep.
//! * While the client does not read what it was sent, nothing more is read from it.
//! * The end of the connection ends the session and cancels what runs.
#![deny(missing_docs)]

mod client;
mod handshake;
#[cfg(feature = "hyper-server")]
mod hyper_server;
mod serve;
mod service;
mod socket;

pub use client::{ConnectError, WebSocketTransport, drive_client};
pub use handshake::{SUBPROTOCOL, switch};
#[cfg(feature = "hyper-server")]
pub use hyper_server::Stream;
pub use service::{Config, Upgraded, WebSockets};
pub use socket::{End, Socket};
