//! Streamable HTTP for MCP: a [`mcp_protocol::Server`] as a service over `http` and `http-body`, for any runtime.
//!
//! One service answers every revision at once: 2026-07-28 requests statelessly, older clients with sessions (or
//! without, see [`Config::sessions`]).
//!
//! # A server
//!
#![cfg_attr(feature = "hyper-client", doc = "```no_run")]
#![cfg_attr(not(feature = "hyper-client"), doc = "```ignore")]
//! use mcp_protocol::{Context, RpcError, Server, model::Implementation};
//! use mcp_transport_http::{Config, StreamableHttp, Tokio, serve};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Greet {
//!     /// Whom to greet.
//!     name: String,
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let server = Server::builder(Implementation::new("greeter", "1.0"))
//!         // what blocking handlers run on, and streams whose connection broke
//!         .runtime(Tokio::current())
//!         // feature `schemars` of the protocol crate: the tool's schema follows from the struct
//!         .typed("greet", "Says hello.", |_: Context, greet: Greet| async move {
//!             Ok::<_, RpcError>(format!("Hello, {}!", greet.name))
//!         })
//!         .build()?;
//!     let service = StreamableHttp::new(server, Config::default());
//!     let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
//!     // a feature: `hyper-server`
//!     serve(listener, move |request| service.handle(request), std::future::pending()).await;
//!     Ok(())
//! }
//! ```
//!
//! In axum, beside routes of the application (`examples/in-axum.rs` is the whole program); the same in a
//! `tower::service_fn`:
//!
//! ```
//! use axum::{Router, extract::Request, routing::any};
//! use mcp_protocol::{Server, model::Implementation};
//! use mcp_transport_http::{Config, StreamableHttp};
//!
//! let server = Server::builder(Implementation::new("greeter", "1.0")).build()?;
//! let service = StreamableHttp::new(server, Config::default());
//! let app: Router = Router::new().route("/mcp", any(move |request: Request| service.handle(request)));
//! # drop(app);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A client
//!
#![cfg_attr(feature = "hyper-client", doc = "```no_run")]
#![cfg_attr(not(feature = "hyper-client"), doc = "```ignore")]
//! use mcp_protocol::{Json, client::{ClientBuilder, ClientExt as _, Handlers}, model::Implementation};
//! use mcp_transport_http::{HttpTransport, Hyper, Tokio};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let handlers = Handlers::new().on_progress(|progress| drop(progress.message));
//!     let uri = "http://127.0.0.1:8080/mcp".parse()?;
//!     // the newest revision that the server knows; `Hyper` is a feature, `hyper-client`
//!     let client = ClientBuilder::new(Implementation::new("agent", "1.0"))
//!         .handlers(handlers)
//!         .connect(HttpTransport::new(Hyper::default(), uri, Tokio::current()))
//!         .await?;
//!     for tool in client.list_tools().await? {
//!         drop(client.call_tool(&tool.name, &Json::empty_object()).await?.into_result()?);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! Servers from before 2025-03-26 know only the pair of endpoints: `.connect(http.or(sse))` with the `SseTransport` of
//! `mcp_transport_sse` finds out.
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
mod named;
mod news;
mod service;
mod session;
mod stream;

pub use client::{HttpClient, HttpTransport};
pub use config::Config;
#[cfg(feature = "hyper-client")]
pub use hyper_client::Hyper;
#[cfg(feature = "hyper-server")]
pub use hyper_server::{Tokio, serve};
pub use mcp_protocol::client::{ResponseBody, SendHttp};
pub use service::StreamableHttp;
