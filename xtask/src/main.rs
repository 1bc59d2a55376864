//! The repository's own tool: everything that checks, measures and generates, started as `cargo xtask …`.
#![expect(
    clippy::disallowed_methods,
    reason = "a build tool starts programs, reads files, settings and the clock"
)]
#![expect(clippy::print_stdout, reason = "its output is for the terminal")]

mod accuracy;
mod agents;
mod alarms;
mod archive;
mod attack;
mod cases;
mod catalogue;
mod ci;
mod conformance;
mod dashboard;
mod debian;
mod docs;
mod e2e;
mod edit_loop;
mod editors;
mod foreign;
mod fuzz;
mod hunt;
mod ide_plugin;
mod language_servers;
mod layers;
mod library;
mod mcp;
mod metadata;
mod peers;
mod plugin;
mod refactor;
mod repo;
mod servers;
mod soak;
mod source;
mod stalls;
mod supply;
mod syntax;
mod tidy;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "xtask", about = "Checks, measures and generates what belongs to this repository")]
struct Args {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Hold the server's answers against compilers' on real projects.
    Accuracy(accuracy::Options),
    /// Count what the checks report of code that compiles.
    Alarms(alarms::Options),
    /// Do to the built server what nobody would do.
    Attack(attack::Options),
    /// Fetch the trees that `benches` measures, with the clients of their registries.
    Corpora {
        /// The corpora to measure, as named in benches/corpora.json; none means all.
        ids: Vec<String>,
    },
    /// Change real projects at random, let compilers judge, take it back.
    Refactor(refactor::Options),
    /// Change single tokens of real files, let compilers judge, and see whether the diagnostics find what they refuse.
    Syntax(syntax::Options),
    /// Run folders of small projects with what is expected of commands in them, as a table to read.
    Cases(cases::Options),
    /// Call every tool of the intellij-mcp catalogue on a real project, and hold each result against a file.
    Catalogue,
    /// Measure other servers, and this one beside them.
    Peers(peers::Options),
    /// Everything that must hold before a change lands; ends with `N passed, N failed, N skipped`.
    Ci,
    /// Run the official protocol suite against our crates.
    Conformance,
    /// Let clients that others wrote use the built server.
    E2e,
    /// Edit, build and test a small project of every language as an agent does.
    Loop {
        /// Folders below proof/loop, or `long`; none means all.
        only: Vec<String>,
    },
    /// Let coding agents that others wrote use the built server, led by a script.
    Agents,
    /// Ask real language servers every question about small projects, beside the index.
    LanguageServers {
        /// Instead measure them beside ours on real projects and write docs/language-servers.md.
        #[arg(long)]
        table: bool,
        /// Places of each project at which completion is asked for.
        #[arg(long, default_value_t = 1000)]
        places: usize,
        /// Projects of the table; none means all, and the rows of others stay.
        only: Vec<String>,
    },
    /// Let editors that others wrote use the built binary as their language server.
    Editors(editors::Options),
    /// Stand between an editor and its server: `relay LOG FOLDER PROGRAM ARGUMENTS…`.
    #[command(hide = true)]
    Relay {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<std::path::PathBuf>,
    },
    /// Use every control of the dashboard in a browser.
    Dashboard {
        /// Also write a picture of every view into this folder.
        #[arg(long, value_name = "FOLDER")]
        screenshots: Option<std::path::PathBuf>,
    },
    /// Build the dashboard's code viewer anew from its npm packages.
    Viewer,
    /// Ask every tool at random places of several hundred packages; report crashes, hangs, internal errors and slow answers.
    Hunt(hunt::Options),
    /// Look for inputs that break what reads them.
    Fuzz(fuzz::Options),
    /// Compile the plugin's JVM side, hold it against real classes of the platform, run it where there is one.
    IdePlugin,
    /// Write the documents that follow from code and data.
    Docs {
        /// Fail where a document is out of date, write nothing.
        #[arg(long)]
        check: bool,
    },
    /// Make the archives of bundled library declarations anew from the registries.
    Library {
        /// The one to make; all without it.
        name: Option<String>,
    },
    /// Everything about publishing but the upload: each crate is packed, and built from its archive.
    Publish,
    /// Build the archive of the plugin, or load its native half into the JVMs of this machine.
    Plugin(plugin::Options),
    /// Check what compilers and clippy do not: file heads, sizes, layers, tests that assert.
    Tidy,
}

fn main() -> ExitCode {
    let done = match Args::parse().command {
        Task::Accuracy(options) => accuracy::run(&options),
        Task::Alarms(options) => alarms::run(&options),
        Task::Attack(options) => attack::run(&options),
        Task::Corpora { ids } => accuracy::fetch_corpora(&ids),
        Task::Refactor(options) => refactor::run(&options),
        Task::Syntax(options) => syntax::run(&options),
        Task::Cases(options) => cases::run(&options),
        Task::Catalogue => catalogue::run().map(drop),
        Task::Peers(options) => peers::run(&options),
        Task::Ci => ci::run(),
        Task::Conformance => conformance::run().and_then(ci::Counts::verdict),
        Task::E2e => e2e::run().and_then(ci::Counts::verdict),
        Task::Loop { only } => edit_loop::run(&only).and_then(ci::Counts::verdict),
        Task::Agents => agents::run().and_then(ci::Counts::verdict),
        Task::LanguageServers { table: true, only, places } => language_servers::table(&only, places),
        Task::LanguageServers { .. } => language_servers::run().and_then(ci::Counts::verdict),
        Task::Editors(options) => editors::run(&options).and_then(ci::Counts::verdict),
        Task::Relay { words } => editors::relay(&words),
        Task::Dashboard { screenshots } => {
            dashboard::with_screenshots(screenshots.as_deref()).and_then(ci::Counts::verdict)
        }
        Task::Viewer => dashboard::viewer(),
        Task::Hunt(options) => hunt::run(&options),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::IdePlugin => ide_plugin::run().and_then(ci::Counts::verdict),
        Task::Docs { check } => docs::run(check),
        Task::Library { name } => library::run(name.as_deref()),
        Task::Plugin(options) => plugin::run(&options),
        Task::Publish => supply::publish(supply::Verify::Yes).and_then(ci::Counts::verdict),
        Task::Tidy => tidy::run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
