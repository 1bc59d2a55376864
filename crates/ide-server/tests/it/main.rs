//! The whole stack over the real index: tools, messages on a stream, requests on a socket.

mod http;
mod stdio;
mod support;
mod tools;
