//! The server as a pure function: messages in, messages out.

mod cancel;
mod chunks;
mod features;
mod handshake;
mod malformed;
mod script;
mod tasks;
