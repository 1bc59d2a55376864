//! The server as a pure function: messages in, messages out.

mod handshake;
mod script;
