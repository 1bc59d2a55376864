//! The command line.

mod agents;
mod call;
mod dashboard;
mod doctor;
mod history;
mod index;
mod review;
mod settings;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use serde_json::{Value, json};

use crate::app_state::AppState;
use crate::calls::log;
use crate::companion::CompanionPlaces;
use crate::config::{Config, Places};
use crate::embed;
use crate::engine::embedded;
use crate::serve::{Listening, ServeError, stdio};
use crate::trust::Trust;

/// Exit codes, as `--help` documents them.
pub(crate) mod exit {
    /// The tool answered with an error, or `doctor` found something broken.
    pub(crate) const FAILED: u8 = 1;
    /// An invalid setting or project.
    pub(crate) const SETTING: u8 = 3;
    /// The port is taken.
    pub(crate) const PORT: u8 = 4;
    /// A bug of ours or of the machine.
    pub(crate) const INTERNAL: u8 = 70;
}

const EXIT_CODES: &str = "Exit codes: 0 fine, 1 the tool answered with an error or did not do it, 2 wrong usage, \
    3 an invalid setting or project, 4 the port is taken, 70 an internal failure.";

#[derive(Debug, Parser)]
#[command(name = "ide-index-mcp", version, about, after_help = EXIT_CODES, propagate_version = true)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Debug, clap::Args)]
struct Common {
    /// Settings file instead of the user's own
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A project that is open from the start; may be repeated. Without it, commands about one project take the directory we are in
    #[arg(long, global = true, value_name = "DIR")]
    project: Vec<PathBuf>,
    /// Projects below this directory are opened when a call names them; may be repeated
    #[arg(long, global = true, value_name = "DIR")]
    allow_root: Vec<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve agents over HTTP on one port
    Serve(ServeArgs),
    /// Open the dashboard of a running server in the browser
    Dashboard(dashboard::Args),
    /// Serve one agent on standard input and output
    Stdio {
        /// The names that the tools have
        #[arg(long, value_enum, default_value_t = Names::Ide)]
        catalogue: Names,
    },
    /// Serve one editor as a language server on standard input and output
    Lsp {
        /// Accepted because many clients pass it; it is the only way
        #[arg(long)]
        stdio: bool,
    },
    /// Build the index of a project and say what is in it
    Index,
    /// Show the projects of a running server, or the index of one project
    Status {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Let code of a project run, such as the formatter that it installs: for the directory we are in without a path
    Trust {
        /// The project
        path: Option<PathBuf>,
        /// Show the projects that are trusted, and change nothing
        #[arg(long, conflicts_with = "path")]
        list: bool,
    },
    /// Let no code of a project run any more
    Untrust {
        /// The project; without it the directory we are in
        path: Option<PathBuf>,
    },
    /// Check the installation and say what is wrong
    Doctor {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Put the server into the settings of an agent, or list the agents that are known
    Install(agents::Install),
    /// Take the server out of the settings of an agent
    Uninstall(agents::Uninstall),
    /// Print what an agent's settings should hold, or those of all
    #[command(visible_alias = "config")]
    ClientConfig {
        /// One of the agents that are printed without it
        client: Option<String>,
        #[command(flatten)]
        way: agents::TransportArgs,
    },
    /// The settings file
    Settings {
        #[command(subcommand)]
        command: settings::Command,
    },
    /// Changes that agents made in the project, to keep or to take back
    Review(review::Args),
    /// The calls that agents made
    History {
        #[command(subcommand)]
        command: history::Command,
    },
    /// Print a completion script for a shell
    Completions { shell: clap_complete::Shell },
    /// Print the version
    Version,
    /// The tools of the catalogue
    Tools {
        #[command(subcommand)]
        command: ToolsCommand,
    },
}

/// The catalogues by the words of the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Names {
    Ide,
    Intellij,
}

impl From<Names> for ide_tools::Catalogue {
    fn from(names: Names) -> Self {
        match names {
            Names::Ide => Self::Ide,
            Names::Intellij => Self::Intellij,
        }
    }
}

#[derive(Debug, clap::Args)]
struct ServeArgs {
    /// Port to listen on, 0 for a free one [default: 29190]
    #[arg(long)]
    port: Option<u16>,
    /// Address to listen on [default: 127.0.0.1]
    #[arg(long)]
    host: Option<String>,
    /// File with a bearer token that every request must carry
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum ToolsCommand {
    /// List them
    List {
        /// The whole manifest as JSON
        #[arg(long)]
        json: bool,
    },
}

/// Characters of an answer on a terminal, where no later page can be asked for.
const SHELL_CHARS: usize = 1_000_000;

/// Why a command ends early.
pub(crate) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    pub(crate) fn setting(message: impl ToString) -> Self {
        Self { code: exit::SETTING, message: message.to_string() }
    }

    pub(crate) fn internal(message: impl ToString) -> Self {
        Self { code: exit::INTERNAL, message: message.to_string() }
    }
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        let code = match &error {
            ServeError::Listen(..) => exit::PORT,
            ServeError::Setting(_) => exit::SETTING,
            ServeError::Io(_) => exit::INTERNAL,
        };
        Self { code, message: error.to_string() }
    }
}

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    let matches = command().get_matches();
    let done = match matches.subcommand() {
        Some(("call", call)) => {
            let common = Common::from_arg_matches(&matches);
            common.map_err(Failure::internal).and_then(|common| call::run(&common, call))
        }
        _ => match Cli::from_arg_matches(&matches) {
            Ok(cli) => dispatch(cli),
            Err(error) => error.exit(),
        },
    };
    match done {
        Ok(code) => code,
        Err(failure) => {
            log(&failure.message);
            ExitCode::from(failure.code)
        }
    }
}

/// The whole command line, with a command for every tool of the catalogue.
fn command() -> clap::Command {
    Cli::command().subcommand(call::command())
}

fn dispatch(cli: Cli) -> Result<ExitCode, Failure> {
    let Cli { common, command } = cli;
    match command {
        Command::Serve(args) => run_server(&common, args),
        Command::Dashboard(args) => dashboard::run(&common, &args),
        Command::Stdio { catalogue } => {
            stdio(&connected_app(&common)?, catalogue.into())?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Lsp { .. } => {
            match crate::lsp::serve(connected_app(&common)?) {
                Ok(()) => Ok(ExitCode::SUCCESS),
                // The protocol asks for this code when `exit` comes without `shutdown`.
                Err(ide_language_server::ServeError::Disconnected) => Ok(ExitCode::FAILURE),
                Err(error) => Err(Failure::internal(error)),
            }
        }
        Command::Index => index::run(&common),
        Command::Status { json } => index::status(&common, json),
        Command::Trust { list: true, .. } => list_trusted(&common),
        Command::Trust { path, .. } => set_trust(&common, path, true),
        Command::Untrust { path } => set_trust(&common, path, false),
        Command::Doctor { json } => doctor::run(&common, json),
        Command::Install(args) => agents::install(&common, &args),
        Command::Uninstall(args) => agents::take_out(&common, &args),
        Command::ClientConfig { client, way } => agents::show(&common, client.as_deref(), &way),
        Command::Settings { command } => settings::run(&common, command),
        Command::Review(args) => review::run(&common, args),
        Command::History { command } => history::run(&common, command),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut self::command(), "ide-index-mcp", &mut script);
            print(String::from_utf8_lossy(&script).trim_end());
            Ok(ExitCode::SUCCESS)
        }
        Command::Version => {
            print(&format!("ide-index-mcp {}", env!("CARGO_PKG_VERSION")));
            Ok(ExitCode::SUCCESS)
        }
        Command::Tools { command: ToolsCommand::List { json } } => {
            let config = settings(&common)?.0;
            print(&if json { format!("{:#}", manifest(&config)) } else { tool_table(&config) });
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The settings of the file, changed by the command line.
fn settings(common: &Common) -> Result<(Config, Places), Failure> {
    let places = Places::from_environment();
    let mut config = Config::load(common.config.as_deref(), &places).map_err(Failure::setting)?;
    config.projects.extend(common.project.iter().cloned());
    if !common.allow_root.is_empty() {
        config.allowed_roots.get_or_insert_default().extend(common.allow_root.iter().cloned());
    }
    if config.cache_dir.is_none() {
        config.cache_dir = places.cache_dir.clone();
    }
    if config.state_dir.is_none() {
        config.state_dir = places.state_dir.clone();
    }
    Ok((config, places))
}

/// The server's state for whoever started us, who could read every file anyway: any project can be named, and without one the
/// directory we are in is meant.
fn app(common: &Common) -> Result<Arc<AppState>, Failure> {
    house_offering(common, &[])
}

/// The same with tools that are off unless somebody names them; what the settings switch off stays off.
fn house_offering(common: &Common, tools: &[&str]) -> Result<Arc<AppState>, Failure> {
    let (mut config, places) = settings(common)?;
    config.enabled_tools.extend(tools.iter().map(|tool| (*tool).to_owned()));
    if config.projects.is_empty() {
        config.projects.push(implied_project(&places)?);
    }
    open_app(config, &places)
}

/// The project that is meant where none is named: the repository that holds the directory we are in, or this directory.
fn implied_project(places: &Places) -> Result<PathBuf, Failure> {
    let here = std::env::current_dir().map_err(Failure::setting)?;
    let is_home = |dir: &std::path::Path| places.home.as_deref().is_some_and(|home| home.starts_with(dir));
    let root =
        here.ancestors().find(|dir| dir.join(".git").exists()).filter(|dir| *dir != here && !is_home(dir));
    let Some(root) = root else { return Ok(here) };
    log(&format!("the project is {}, the repository that holds {}", root.display(), here.display()));
    Ok(root.to_owned())
}

/// The server's state for a client that started us. It may know better than the directory we are in what it works on.
fn connected_app(common: &Common) -> Result<Arc<AppState>, Failure> {
    let (mut config, places) = settings(common)?;
    config.working_dir = Some(implied_project(&places)?);
    open_app(config, &places)
}

fn open_app(mut config: Config, places: &Places) -> Result<Arc<AppState>, Failure> {
    let everywhere = if cfg!(windows) { "C:/" } else { "/" };
    config.allowed_roots.get_or_insert_with(|| vec![everywhere.into()]);
    AppState::new(config, places, Box::new(embedded)).map_err(Failure::setting)
}

fn set_trust(common: &Common, path: Option<PathBuf>, is_trusted: bool) -> Result<ExitCode, Failure> {
    let config = settings(common)?.0;
    let path = path.map_or_else(std::env::current_dir, Ok).map_err(Failure::setting)?;
    let trust = Trust::new(config.state_dir.as_deref(), &config.trusted_projects);
    let told = |error: std::io::Error| Failure::setting(format!("{}: {error}", path.display()));
    let (real, changed) = trust.set(&path, is_trusted).map_err(told)?;
    let now = if changed { "" } else { " already" };
    let state = if is_trusted { "trusted: its own programs may be run" } else { "not trusted" };
    print(&format!("{} is{now} {state}", real.display()));
    if trust.holds(&real) && !is_trusted {
        print("a directory around it, or the settings, still say that it is trusted");
    }
    Ok(ExitCode::SUCCESS)
}

fn list_trusted(common: &Common) -> Result<ExitCode, Failure> {
    let config = settings(common)?.0;
    let kept = Trust::new(config.state_dir.as_deref(), &[]).kept().map_err(Failure::setting)?;
    kept.iter().for_each(|path| print(&path.display().to_string()));
    config.trusted_projects.iter().for_each(|path| print(&format!("{} (settings)", path.display())));
    Ok(ExitCode::SUCCESS)
}

fn run_server(common: &Common, args: ServeArgs) -> Result<ExitCode, Failure> {
    let (mut config, places) = settings(common)?;
    config.port = args.port.unwrap_or(config.port);
    config.host = args.host.unwrap_or(config.host);
    config.token_file = args.token_file.or(config.token_file);
    let app = AppState::new(config, &places, Box::new(embedded)).map_err(Failure::setting)?;
    let found_at = CompanionPlaces::from_environment(&app.config(), &places);
    let told = async {
        until_told().await;
        None
    };
    embed::run(app, &found_at, announce, told)?;
    Ok(ExitCode::SUCCESS)
}

/// The line by which scripts know that the server is ready, and for people what to paste.
fn announce(listening: &Listening) {
    match listening.dashboard_link() {
        Ok(link) => link.iter().for_each(|link| log(&format!("dashboard, for one browser: {link}"))),
        Err(error) => log(&format!("nobody can be let into the dashboard: {error}")),
    }
    log(&format!("listening on {}", listening.url()));
    log(&format!("also {} (HTTP+SSE) and {} (WebSocket)", listening.sse_url(), listening.web_socket_url()));
    if std::io::IsTerminal::is_terminal(&std::io::stderr()) {
        log("`ide-index-mcp install AGENT` connects an agent; without AGENT it lists those that are known");
    }
}

/// Ready when the process is asked to end.
async fn until_told() {
    let (tell, told) = tokio::sync::oneshot::channel();
    let is_heard = when_asked_to_end(|| {
        tell.send(()).ok();
    })
    .is_ok();
    if !is_heard || told.await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[cfg(unix)]
fn when_asked_to_end(end: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    let wait = move || {
        if signals.forever().next().is_some() {
            end();
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop)
}

#[cfg(windows)]
fn when_asked_to_end(end: impl FnOnce() + Send + 'static) -> Result<(), ctrlc::Error> {
    let mut end = Some(end);
    ctrlc::set_handler(move || end.take().into_iter().for_each(|end| end()))
}

fn binary() -> String {
    std::env::current_exe().map_or_else(|_| "ide-index-mcp".to_owned(), |path| path.display().to_string())
}

fn here() -> String {
    std::env::current_dir().map_or_else(|_| ".".to_owned(), |path| path.display().to_string())
}

fn tool_table(config: &Config) -> String {
    let line = |tool: &ide_tools::ToolSpec| {
        let mark = if config.offers(tool) { "on " } else { "off" };
        format!("{mark} {:<26} {}", tool.name, tool.about)
    };
    ide_tools::all().iter().map(line).collect::<Vec<_>>().join("\n")
}

fn manifest(config: &Config) -> Value {
    let entry = |tool: &ide_tools::ToolSpec| {
        json!({
            "name": tool.name,
            "description": tool.about,
            "enabled": config.offers(tool),
            "default": tool.default_on,
            "needsEditor": tool.needs_surface,
            "readOnly": tool.hints.read_only,
            "destructive": tool.hints.destructive,
            "idempotent": tool.hints.idempotent,
            "openWorld": tool.hints.open_world,
            "inputSchema": tool.input_schema(),
            "outputSchema": tool.output_schema(),
        })
    };
    json!({ "tools": ide_tools::all().iter().map(entry).collect::<Vec<_>>() })
}

/// A line for whoever reads standard output. A reader that has seen enough ends the program.
pub(crate) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    if let Err(error) = writeln!(out, "{text}").and_then(|()| out.flush()) {
        if error.kind() != std::io::ErrorKind::BrokenPipe {
            log(&format!("standard output: {error}"));
            std::process::exit(exit::INTERNAL.into());
        }
        std::process::exit(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn every_tool_is_a_command_with_its_parameters() {
        let command = command();
        let call = command.find_subcommand("call").unwrap();
        for tool in ide_tools::all() {
            let of_tool = call.find_subcommand(tool.name).unwrap();
            let flags: Vec<_> = of_tool.get_arguments().filter_map(|arg| arg.get_long()).collect();
            assert!(flags.contains(&"json"), "{}", tool.name);
            assert!(flags.len() >= tool.properties().count(), "{}: {flags:?}", tool.name);
        }
    }

    #[test]
    fn the_manifest_names_every_tool() {
        let manifest = manifest(&Config::default());
        assert_eq!(manifest["tools"].as_array().unwrap().len(), ide_tools::all().len());
    }
}
