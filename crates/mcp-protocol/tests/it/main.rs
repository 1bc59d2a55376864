//! The server as a pure function: messages in, messages out.

mod asked_tasks;
mod cancel;
mod chunks;
mod client;
mod features;
mod handshake;
mod malformed;
mod models;
mod script;
mod tasks;
