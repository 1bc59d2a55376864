//! `cargo xtask attack`: what nobody would do, against the built server.
//!
//! `damage` spoils what a server keeps between two runs. `writers` lets two writers loose on one project, in one server and in two.
//! `undo` makes and takes back random changes by servers that are killed. `growth` asks every tool about files
//! that nest, chain, repeat, double or grow, and prints the seconds at a size and at twice that.

pub(crate) mod asking;
mod damage;
mod growth;
mod shapes;
mod soup;
mod table;
mod undo;
mod writers;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::ci::Counts;

#[derive(Parser)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Two writers at once: what is left is what one would have left after the other.
    Writers(writers::Options),
    /// Damaged caches, and edits with restarts between them.
    Damage(damage::Options),
    /// Random changes, taken back in random order by servers that are killed: at the end everything is as it was.
    Undo(undo::Options),
    /// Shapes of any size: the seconds of the slowest answer at a size and at twice that.
    Growth(growth::Options),
}

pub(crate) fn run(options: &Options) -> Result<()> {
    match &options.what {
        What::Writers(options) => writers::run(options)?.verdict(),
        What::Damage(options) => options.run()?.verdict(),
        What::Undo(options) => options.run()?.verdict(),
        What::Growth(options) => options.run()?.verdict(),
    }
}

/// The part that `cargo xtask ci` runs: a few rounds of each.
pub(crate) fn in_ci() -> Result<Counts> {
    let mut counts = growth::in_ci()?;
    counts.add(writers::run(&writers::Options { binary: None, rounds: 8, seed: 1 })?);
    counts.add(damage::Options { binary: None, rounds: 6, seed: 1 }.run()?);
    counts.add(undo::Options { binary: None, rounds: 6, servers: 4, seed: 1 }.run()?);
    Ok(counts)
}
