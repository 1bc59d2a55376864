//! `install`, `uninstall` and `client-config`: agents that are to use the server.

use std::path::PathBuf;
use std::process::ExitCode;

use super::{Common, Failure, binary, here, print, settings};
use crate::agents::{AGENTS, Agent, NAME, Plan, ServerEndpoint, UserDirectories, Wanted, plan, uninstall};
use crate::config::Config;
use crate::products::Product;
use crate::serve::STREAMABLE_PATHS;

/// How the agent reaches the server.
#[derive(Debug, clap::Args)]
pub(super) struct TransportArgs {
    /// Address of the server
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Let the agent start the server itself, over standard input and output
    #[arg(long)]
    stdio: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct Install {
    /// The agent; without it the known ones are listed
    client: Option<String>,
    #[command(flatten)]
    way: TransportArgs,
    /// A section for the project's file of rules too (AGENTS.md, CLAUDE.md)
    #[arg(long)]
    rules: bool,
    /// The skill too, where the agent has skills
    #[arg(long)]
    skill: bool,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct Uninstall {
    /// The agent
    client: String,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
}

fn directories() -> Result<UserDirectories, Failure> {
    UserDirectories::new(|name| std::env::var_os(name))
        .ok_or_else(|| Failure::setting("there is no home directory"))
}

fn agent(id: &str) -> Result<&'static Agent, Failure> {
    Agent::of(id).ok_or_else(|| {
        let known: Vec<&str> = AGENTS.iter().map(|agent| agent.id).collect();
        Failure::setting(format!("no agent `{id}`; known are {}", known.join(", ")))
    })
}

/// Everything that a [`ServerEndpoint`] borrows.
struct OwnedEndpoint {
    name: &'static str,
    url: String,
    binary: String,
    project: Option<String>,
    stdio: bool,
}

impl OwnedEndpoint {
    fn of(common: &Common, config: &Config, way: &TransportArgs) -> Self {
        let url = || format!("http://{}:{}{}", config.host, config.port, STREAMABLE_PATHS[0]);
        Self {
            name: server_name(config),
            url: way.url.clone().unwrap_or_else(url),
            binary: binary(),
            project: common.project.first().map(|path| path.display().to_string()),
            stdio: way.stdio,
        }
    }

    fn reach(&self) -> ServerEndpoint<'_> {
        ServerEndpoint {
            name: self.name,
            url: &self.url,
            binary: &self.binary,
            project: self.project.as_deref(),
            stdio: self.stdio,
        }
    }
}

/// Shows what an agent's settings should hold, or those of all.
pub(super) fn show(common: &Common, client: Option<&str>, way: &TransportArgs) -> Result<ExitCode, Failure> {
    let config = settings(common)?.0;
    let ends = OwnedEndpoint::of(common, &config, way);
    let directories = directories()?;
    let place = |agent: &Agent| match agent.file(&directories) {
        Some(file) => file.display().to_string(),
        None => agent.by_hand().to_owned(),
    };
    match client {
        None => {
            for agent in AGENTS {
                let snippet = agent.snippet(&ends.reach());
                print(&format!("# {} [{}] - {}\n{snippet}\n", agent.title, agent.id, place(agent)));
                if let Some(command) = agent.command(&ends.reach()) {
                    print(&format!("# or in a terminal\n{command}\n"));
                }
            }
        }
        Some(id) => {
            let snippet = agent(id)?.snippet(&ends.reach());
            print(snippet.trim_end());
            // How the agent starts the server itself, where that is written in another way.
            let started = agent(id)?.snippet(&ServerEndpoint { stdio: true, ..ends.reach() });
            if started != snippet {
                print(&format!(
                    "\n# or over standard input and output, started by the agent\n{}",
                    started.trim_end()
                ));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(directories: &UserDirectories) -> ExitCode {
    let mut lines = vec!["Agents that are known, and whether they seem to be installed:".to_owned()];
    for agent in AGENTS.iter().filter(|agent| agent.file(directories).is_some()) {
        let mark = if agent.is_there(directories) { "found" } else { "" };
        lines.push(format!("{mark:<6} {:<15} {}", agent.id, agent.title));
    }
    print(&lines.join("\n"));
    ExitCode::SUCCESS
}

/// Puts the server into an agent's settings.
pub(super) fn install(common: &Common, args: &Install) -> Result<ExitCode, Failure> {
    let (config, _) = settings(common)?;
    let directories = directories()?;
    let Some(client) = &args.client else { return Ok(list(&directories)) };
    let agent = agent(client)?;
    let ends = OwnedEndpoint::of(common, &config, &args.way);
    if agent.file(&directories).is_none() {
        print(&format!("{}:\n{}", agent.by_hand(), agent.snippet(&ends.reach())));
        return Ok(ExitCode::SUCCESS);
    }
    if !agent.is_there(&directories) {
        print(&format!(
            "{} does not seem to be installed; its settings are written all the same",
            agent.title
        ));
    }
    let project = common.project.first().cloned().unwrap_or_else(|| PathBuf::from(here()));
    let project = std::path::absolute(project).map_err(Failure::setting)?;
    let wanted = Wanted { rules: args.rules.then_some(project.as_path()), skill: args.skill };
    let state = state(&config)?;
    let plan = plan(agent, &ends.reach(), wanted, &directories, &state).map_err(Failure::setting)?;
    carry_out(&plan, &directories, &state, args.dry_run)?;
    if !args.dry_run && config.token_file.is_some() && !args.way.stdio {
        print("The server asks for a token: add a header `Authorization: Bearer …` to this entry.");
    }
    Ok(ExitCode::SUCCESS)
}

/// Takes the server out of an agent's settings.
pub(super) fn take_out(common: &Common, args: &Uninstall) -> Result<ExitCode, Failure> {
    let (config, _) = settings(common)?;
    let (directories, state) = (directories()?, state(&config)?);
    let name = server_name(&config);
    let plan = uninstall(agent(&args.client)?, name, &directories, &state).map_err(Failure::setting)?;
    carry_out(&plan, &directories, &state, args.dry_run)?;
    Ok(ExitCode::SUCCESS)
}

/// The name under which agents know the server.
fn server_name(config: &Config) -> &'static str {
    Product::of(&config.product).map_or(NAME, |product| product.server)
}

fn state(config: &Config) -> Result<PathBuf, Failure> {
    config
        .state_dir
        .clone()
        .ok_or_else(|| Failure::setting("there is no directory for state: set `state_dir`"))
}

fn carry_out(
    plan: &Plan,
    directories: &UserDirectories,
    state: &std::path::Path,
    dry_run: bool,
) -> Result<(), Failure> {
    if plan.is_nothing() {
        print("Nothing to change.");
    } else {
        print(plan.diff(directories).trim_end());
    }
    if dry_run { Ok(()) } else { plan.apply(state).map_err(Failure::setting) }
}
