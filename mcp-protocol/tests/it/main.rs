//! The server as a pure function: messages in, messages out.

mod asked_tasks;
mod cancel;
mod chunks;
mod client;
mod handshake;
mod models;
mod questions;
mod script;
mod spec;
mod suite;
mod tasks;
