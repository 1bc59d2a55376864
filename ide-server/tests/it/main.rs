//! The whole stack over the real index: tools, messages on a stream, requests on a socket.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot set its scene has failed; the scene is on disk"
)]

mod apps;
mod checkers;
mod companion;
mod dashboard;
mod history;
mod http;
mod intellij;
mod lsp;
mod members;
mod problems;
mod process;
mod recorded;
mod review;
mod shell;
mod stdio;
mod support;
mod surface;
mod there_and_back;
mod tools;
mod views;
mod writers;
mod writes;
