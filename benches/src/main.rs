//! Side-by-side measurements of the index: `cargo run --profile dist -p benches -- speed` writes `docs/speed.md`.
//!
//! Nothing is fetched here: `cargo xtask corpora` brings the trees of `benches/corpora.json` with the ordinary clients of
//! their registries. Each row of a corpus is taken by a process of its own, so that memory and CPU time are those of the
//! row; rows that are compared run in turns, and what is reported is the median. CPU time is the measure: it survives a
//! machine that others use too, wall time does not.

#![expect(
    clippy::disallowed_methods,
    reason = "a measurement reads the clock and the disk, and starts programs"
)]
#![expect(clippy::print_stdout, reason = "the result of a measurement is printed")]

mod completion;
mod grammars;
mod machine;
mod mixed;
mod phases;
mod questions;
mod report;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

type Failure = Box<dyn std::error::Error>;

#[derive(Parser)]
#[command(name = "benches", about = "Measures the index beside reading, parsing, ctags and ripgrep")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure every corpus that was fetched.
    Speed {
        /// Only these of benches/corpora.json.
        ids: Vec<String>,
        /// How often rows of seconds are taken; the median counts.
        #[arg(long, default_value_t = 3)]
        runs: usize,
        /// Write docs/speed.md from what was measured, now and before.
        #[arg(long)]
        write: bool,
    },
    /// Measure one tree of your own.
    Tree {
        root: PathBuf,
        /// Its main language, as the table of languages names it.
        language: String,
    },
    /// How often the name that really stands somewhere is proposed there.
    Completion {
        root: PathBuf,
        /// Its main language, as the table of languages names it.
        language: String,
        /// Places that are tried.
        #[arg(long, default_value_t = 1_000)]
        places: usize,
    },
    /// Sixty-four clients read and write at once.
    Mixed {
        /// The built server.
        program: PathBuf,
        /// The tree; a copy of it is worked on.
        root: PathBuf,
        language: String,
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Write docs/speed.md anew with this table.
        #[arg(long)]
        write: bool,
    },
    /// One row; what other commands start.
    #[command(hide = true)]
    Phase { name: phases::Phase, root: PathBuf, language: String, cache: PathBuf },
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> Result<(), Failure> {
    match Args::parse().command {
        Command::Speed { ids, runs, write } => report::speed(&ids, runs, write),
        Command::Tree { root, language } => report::tree(&root, &language),
        Command::Completion { root, language, places } => completion::completion(&root, &language, places),
        Command::Mixed { program, root, language, seconds, write } => {
            report::keep_mixed(&mixed::mixed(&program, &root, &language, seconds)?, write)
        }
        Command::Phase { name, root, language, cache } => phases::run(name, &root, &language, &cache),
    }
}
