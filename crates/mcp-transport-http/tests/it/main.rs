//! The service without a socket: requests in, responses out, bodies frame by frame.

mod admission;
mod client;
mod clients;
#[cfg(feature = "hyper-server")]
mod listener;
mod modern;
mod sessions;
mod streams;
