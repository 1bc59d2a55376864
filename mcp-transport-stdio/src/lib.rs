//! MCP over standard input and output: one message per line.
//!
//! # A server
//!
//! ```no_run
//! use mcp_protocol::{Context, RpcError, Server, model::Implementation};
//! use mcp_transport_stdio::{Options, Threads, serve_stdio};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Greet {
//!     /// Whom to greet.
//!     name: String,
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let server = Server::builder(Implementation::new("greeter", "1.0"))
//!         // threads for handlers that block, started when there is one
//!         .runtime(Threads::new(4))
//!         // feature `schemars` of the protocol crate: the tool's schema follows from the struct
//!         .typed("greet", "Says hello.", |_: Context, greet: Greet| async move {
//!             Ok::<_, RpcError>(format!("Hello, {}!", greet.name))
//!         })
//!         .build()?;
//!     serve_stdio(&server, &Options::default())?;
//!     Ok(())
//! }
//! ```
//!
//! # Client and server in one process
//!
//! Byte streams may be anything; these are in memory, and the executor is whatever polls the futures.
//!
//! ```
//! use mcp_protocol::{
//!     Json, Server,
//!     client::{ClientBuilder, ClientExt as _},
//!     model::{CallToolResult, Implementation, Tool},
//! };
//! use mcp_transport_stdio::{Options, StdioTransport, serve};
//!
//! let schema = Json::parse(r#"{"type":"object"}"#)?;
//! let server = Server::builder(Implementation::new("server", "1.0"))
//!     .tool_inline(Tool::new("hello", "Says hello.", schema), |_, _| Ok(CallToolResult::text("Hello!")))
//!     .build()?;
//! let ((server_in, client_out), (client_in, server_out)) = (std::io::pipe()?, std::io::pipe()?);
//! std::thread::spawn(move || serve(&server, &Options::default(), server_in, server_out));
//!
//! let said = smol::block_on(async {
//!     // the newest revision that both know
//!     let client = ClientBuilder::new(Implementation::new("client", "1.0"))
//!         .connect(StdioTransport::new(client_in, client_out))
//!         .await?;
//!     client.call_tool("hello", &Json::empty_object()).await?.into_result()
//! })?;
//! assert_eq!(said.content[0].as_text(), Some("Hello!"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What there is
//!
//! [`serve`] does the same on any pair of blocking streams, [`serve_streams`] on any pair of async ones (the traits of
//! `futures-io`: sockets, pipes, or [`duplex`] in memory). Everything that is ready when a read returns is answered
//! with a single write. Handlers that block run on [`Threads`] (or any other [`mcp_protocol::server::Runtime`]);
//! without a runtime they run on the reading thread. Standard output belongs to the protocol: log to standard error.
#![deny(missing_docs)]

mod blocking;
mod client;
mod duplex;
mod streams;
mod threads;

pub use blocking::{Options, serve, serve_stdio};
pub use client::{StdioTransport, drive_client};
pub use duplex::{Duplex, Reader, Writer, duplex};
pub use streams::serve_streams;
pub use threads::Threads;
