//! Streamable HTTP for MCP: a [`mcp_protocol::Server`] as a service over `http` and `http-body`, for any runtime.
//!
//! One service answers every revision at once: 2026-07-28 requests statelessly, older clients with sessions (or
//! without, see [`Config::sessions`]).
//!
//! ```ignore
//! let service = StreamableHttp::new(server, Config::default());
//! let listener = TcpListener::bind("127.0.0.1:8080").await?;
//! // feature "hyper-server"; route by path to mount several services on one listener
//! serve(listener, move |request| service.handle(request), shutdown).await;
//! ```
//!
//! In axum: `Router::new().route("/mcp", any(move |request| async move { service.handle(request).await }))`; the same
//! in a `tower::service_fn`. For streams to survive a broken connection, and for blocking handlers, give the server
//! builder a runtime: `.runtime(Tokio::current())`.
//!
//! # What it decides
//!
//! * Method, `Host`, `Origin`, authorization, content type, `Accept` and size are checked, in that order, before any
//!   of the body is used. By default only loopback names pass ([`mcp_protocol::web::Gate`]).
//! * The answer is one JSON object unless the handler says something before it; then it is an event stream. Everything
//!   that is ready leaves in one chunk, so no client waits for a delayed acknowledgement.
//! * Session streams have event ids and are kept: a client that lost its connection comes back with `Last-Event-ID`.
//! * Sessions are capped, expire, and are bound to the principal; an idle one has no task and no channel.
#![deny(missing_docs)]

mod client;
mod config;
#[cfg(feature = "hyper-client")]
mod hyper_client;
#[cfg(feature = "hyper-server")]
mod hyper_server;
mod news;
mod service;
mod session;
mod sse_client;
mod stream;

pub use client::{HttpClient, ResponseBody, SendHttp};
pub use config::Config;
#[cfg(feature = "hyper-client")]
pub use hyper_client::Hyper;
#[cfg(feature = "hyper-server")]
pub use hyper_server::{Tokio, serve};
pub use service::StreamableHttp;
pub use sse_client::{connect_any, connect_sse};
