//! The service without a socket: requests in, responses out, bodies frame by frame.

mod admission;
mod client;
mod clients;
#[cfg(feature = "hyper-server")]
mod listener;
mod modern;
mod scripts;
mod sessions;
mod streams;
#[path = "../../../mcp-protocol/tests/it/suite.rs"]
mod suite;
