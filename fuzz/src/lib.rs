//! The targets of `cargo xtask fuzz`: functions that take any bytes, each with its conditions.
//!
//! A target is a function that panics when something is wrong. libFuzzer drives it (`driver/`); the committed corpus
//! in `corpus/<target>/` is replayed by this crate's test, so that a finding stays found.

mod codecs;
mod damage;
mod endpoint;
mod index;
mod server;
mod stores;
mod websocket;

/// Something to feed.
pub struct Target {
    /// Its name on the command line, and of its corpus.
    pub name: &'static str,
    /// Takes one input; panics when it finds something.
    pub run: fn(&[u8]),
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target { name: "envelope", run: codecs::envelope },
    Target { name: "lines", run: codecs::lines },
    Target { name: "events", run: codecs::events },
    Target { name: "server", run: server::conversation },
    Target { name: "http", run: endpoint::streamable },
    Target { name: "sse", run: endpoint::sse },
    Target { name: "websocket", run: websocket::connection },
    Target { name: "facts", run: index::facts },
    Target { name: "segment", run: index::segment },
    Target { name: "kept", run: index::kept },
    Target { name: "journal", run: index::journal },
    Target { name: "front_end", run: index::front_end },
    Target { name: "resolve", run: index::resolve },
    Target { name: "class_file", run: index::class_file },
    Target { name: "symbol_key", run: index::symbol_key },
    Target { name: "text", run: stores::text },
    Target { name: "cursor", run: stores::cursor },
    Target { name: "project", run: stores::project },
];
