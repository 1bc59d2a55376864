//! `cargo xtask attack`: what nobody would do, against the built server.
//!
//! `writers` lets two writers loose on one project, in one server and in two.

mod writers;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Two writers at once: what is left is what one would have left after the other.
    Writers(writers::Options),
}

pub(crate) fn run(options: &Options) -> Result<()> {
    match &options.what {
        What::Writers(options) => writers::run(options)?.verdict(),
    }
}
