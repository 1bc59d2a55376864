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
//! It shakes hands over any connected stream, and lets a future move its messages.
//!
//! ```
//! use futures_io::{AsyncRead, AsyncWrite};
//! use mcp_protocol::{
//!     client::{Connection, Session},
//!     model::{ClientCapabilities, Implementation},
//! };
//! use mcp_transport_ws::{connect, drive_client};
//!
//! async fn talk(stream: impl AsyncRead + AsyncWrite + Unpin) -> Result<(), Box<dyn std::error::Error>> {
//!     let request = http::Request::get("ws://127.0.0.1:8080/ws").body(())?;
//!     let socket = connect(stream, request, 16 << 20).await?;
//!     let session = Session::new(Implementation::new("agent", "1.0"), ClientCapabilities::default());
//!     let (client, wire) = Connection::new(session, ());
//!     let agreed = async {
//!         let agreed = client.negotiate(None, None).await;
//!         client.close("nothing more to ask");
//!         agreed
//!     };
//!     let (agreed, ()) = futures_util::future::join(agreed, drive_client(wire, socket)).await;
//!     Ok(agreed?)
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

pub use client::{ConnectError, connect, drive_client};
pub use handshake::{SUBPROTOCOL, switch};
#[cfg(feature = "hyper-server")]
pub use hyper_server::Stream;
pub use service::{Config, Upgraded, WebSockets};
pub use socket::{End, Socket};
