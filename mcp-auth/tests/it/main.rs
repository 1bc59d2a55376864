//! Clients and servers over real sockets: an authorization server, a protected MCP server, and clients of both.

mod authority;
mod client;
mod proofs;
mod server;
