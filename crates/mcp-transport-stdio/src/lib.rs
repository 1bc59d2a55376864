//! MCP over standard input and output: one message per line.
//!
//! ```ignore
//! let server = Server::builder(Implementation::new("name", "1.0")).runtime(Threads::new(4))./* tools */build()?;
//! mcp_transport_stdio::serve_stdio(&server, &Options::default())?;
//! ```
//!
//! [`serve`] does the same on any pair of blocking streams, [`serve_streams`] on any pair of async ones (the traits of
//! `futures-io`: sockets, pipes, or [`duplex`] in memory). Whatever is ready when a read returns is answered with a single
//! write. Handlers that block run on [`Threads`] (or any other [`mcp_protocol::server::Runtime`]); without a
//! runtime they run on the reading thread. Standard output belongs to the protocol: log to standard error.
#![deny(missing_docs)]

mod blocking;
mod client;
mod duplex;
mod streams;
mod threads;

pub use blocking::{Options, serve, serve_stdio};
pub use client::drive_client;
pub use duplex::{Duplex, Reader, Writer, duplex};
pub use streams::serve_streams;
pub use threads::Threads;
