//! `cargo xtask agents`: coding agents that others wrote use the built server, led by a script in place of a language model.
//! `proof/agents/README.md` says what is shown.

use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use crate::accuracy;
use crate::ci::Counts;
use crate::e2e::{Runtime, program};
use crate::foreign::{self, Missing};
use crate::repo;

const FOLDER: &str = "proof/agents";
/// The project that agents work in, one of `proof/accuracy/projects.json`.
const PROJECT: &str = "requests";
const DEADLINE: Duration = Duration::from_mins(12);

/// Runs every agent that can be installed here.
pub(crate) fn run() -> Result<Counts> {
    let program = match program(FOLDER, Runtime::Node, "run")? {
        Ok(program) => program,
        Err(Missing(why)) => return Ok(Counts::skipped(FOLDER, &why)),
    };
    let project = match accuracy::tree(PROJECT) {
        Ok(project) => project,
        Err(error) => return Ok(Counts::skipped(FOLDER, &format!("{PROJECT} cannot be had: {error:#}"))),
    };
    let log = repo::cache("e2e/run")?.join("agents.log");
    let ours = repo::root().join(FOLDER);
    let mut command = Command::new(&program[0]);
    command.args(&program[1..]).arg(repo::server_binary(false)?).arg(project);
    command.arg(ours.join("calls.json")).arg(&ours);
    match foreign::output_within(&mut command, DEADLINE, &log) {
        Ok(said) => {
            let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("ok ")).collect();
            println!("{}", lines.join("\n"));
            Ok(Counts { passed: lines.len(), ..Counts::default() })
        }
        Err(error) => {
            println!("FAILED {FOLDER}: {error:#}\n{}", fs::read_to_string(&log).unwrap_or_default());
            Ok(Counts { failed: 1, ..Counts::default() })
        }
    }
}
