//! `cargo xtask agents`: coding agents that others wrote use the built server, led by a script in place of a language model;
//! then their editor clients use the dashboard, at which a script sits in place of a person.
//! `proof/agents/README.md` and `proof/companion/README.md` say what is shown.

use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use crate::ci::Counts;
use crate::e2e::{Runtime, program};
use crate::foreign::{self, Missing};
use crate::{accuracy, dashboard, repo};

const FOLDER: &str = "proof/agents";
const EDITOR: &str = "proof/companion";
/// The project that agents work in, one of `proof/accuracy/projects.json`.
const PROJECT: &str = "requests";
const DEADLINE: Duration = Duration::from_mins(12);

/// Both.
pub(crate) fn run() -> Result<Counts> {
    let mut counts = tools()?;
    counts.add(editor()?);
    Ok(counts)
}

/// Every agent that can be installed here calls every tool.
fn tools() -> Result<Counts> {
    let program = match program(FOLDER, Runtime::Node, "run")? {
        Ok(program) => program,
        Err(Missing(why)) => return Ok(Counts::skipped(FOLDER, &why)),
    };
    let project = match accuracy::tree(PROJECT) {
        Ok(project) => project,
        Err(error) => return Ok(Counts::skipped(FOLDER, &format!("{PROJECT} cannot be had: {error:#}"))),
    };
    let ours = repo::root().join(FOLDER);
    let mut command = Command::new(&program[0]);
    command.args(&program[1..]).arg(repo::server_binary(false)?).arg(project);
    command.arg(ours.join("calls.json")).arg(&ours);
    counted(FOLDER, &mut command)
}

/// Clients of the editor find the server and agree with the person about changes.
fn editor() -> Result<Counts> {
    let Some(browser) = dashboard::browser() else {
        return Ok(Counts::skipped(EDITOR, dashboard::NO_BROWSER));
    };
    let all = [program(EDITOR, Runtime::Node, "run")?, program(EDITOR, Runtime::Python, "peer")?];
    let [Ok(node), Ok(python)] = all else {
        return Ok(Counts::skipped(EDITOR, "its clients cannot be installed"));
    };
    let agents = match foreign::npm_folder(FOLDER)? {
        Ok(folder) => folder,
        Err(Missing(why)) => return Ok(Counts::skipped(EDITOR, &why)),
    };
    let mut command = Command::new(&node[0]);
    command.args(&node[1..]).arg(repo::server_binary(false)?).arg(browser).arg(&python[0]);
    command.arg(agents);
    counted(EDITOR, &mut command)
}

/// Runs a script that prints a line `ok …` for everything that holds.
fn counted(folder: &str, command: &mut Command) -> Result<Counts> {
    let log = repo::cache("e2e/run")?.join(format!("{}.log", folder.replace('/', "-")));
    match foreign::output_within(command, DEADLINE, &log) {
        Ok(said) => {
            let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("ok ")).collect();
            println!("{}", lines.join("\n"));
            Ok(Counts { passed: lines.len(), ..Counts::default() })
        }
        Err(error) => {
            let said = fs::read_to_string(&log).unwrap_or_default();
            Ok(Counts::failed(folder, &format!("{error:#}\n{said}")))
        }
    }
}
