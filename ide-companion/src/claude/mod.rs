//! Claude Code's protocol: JSON-RPC messages, one in each text frame of a WebSocket.

mod diffs;
mod handshake;
mod rpc;
mod schemas;
mod session;
mod tools;

pub use handshake::{Admission, Budget, Head, Secret, SleepWatch, keyed_hash, same_secret};
pub use session::{Job, Session, Speaker};

/// The two forms of the protocol. The path of the connection chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The protocol of Claude Code and the ports of its plugins, at `/`.
    Claude,
    /// The form of an early description, at `/mcp`: further tools, notifications of another shape beside the real ones.
    Described,
}

/// The dialect that is spoken at a path.
pub(crate) fn dialect_of_path(path: &str) -> Option<Dialect> {
    match path {
        "/" => Some(Dialect::Claude),
        "/mcp" => Some(Dialect::Described),
        _ => None,
    }
}
