//! MCP over WebSocket: one message per text frame, subprotocol `mcp`. No revision of the protocol names this transport;
//! it is what the official TypeScript and Python clients speak, and what editors offer to coding agents.
//!
//! The frames are those of `tungstenite`, kept in memory; bytes move through the traits of `futures-io`, so any runtime
//! does.
//!
//! ```ignore
//! let sockets = WebSockets::new(server, Config::default());
//! // feature "hyper-server": answers the upgrade and serves what follows on the server's runtime
//! let response = sockets.handle(request);
//! // or with anything else that speaks HTTP/1.1:
//! let (response, upgraded) = sockets.upgrade(&parts)?;
//! upgraded.serve(stream).await;
//! ```
//!
//! A client shakes hands over any connected stream ([`connect`]) and lets a future move its messages:
//!
//! ```ignore
//! let socket = connect(stream, Request::get("ws://127.0.0.1:29190/index-mcp/ws").body(())?, 16 << 20).await?;
//! let (client, wire) = Connection::new(session, NoAnswers);
//! spawn(drive_client(wire, socket));
//! client.agree(None, None).await?;
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
pub use handshake::SUBPROTOCOL;
pub use service::{Config, Upgraded, WebSockets};
pub use socket::{End, Socket};
