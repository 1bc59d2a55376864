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
//! The path is not looked at, so mount it where you like, next to others on the same listener. The same checks as in
//! Streamable HTTP stand before the body: method, `Host`, `Origin`, authorization, content type, size. The stream
//! closing ends the session and cancels what runs; nothing can be resumed.
#![deny(missing_docs)]

mod service;
mod session;

pub use service::{Config, HttpSse};
