//! What leaves the house and what comes in: packages, the dependency policy, promises to those who depend on us.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::ci::Counts;
use crate::foreign::Missing;
use crate::{metadata, repo};

/// Every crate that is meant for the registry can be packed: metadata, versions of its siblings, files.
///
/// Packages are not built again from their archives: that would build every dependency of each once more.
pub(crate) fn packages() -> Result<Counts> {
    let metadata = metadata::workspace()?;
    let ours = metadata.packages.iter().filter(|p| metadata.workspace_members.contains(&p.id));
    let (meant, kept): (Vec<_>, Vec<_>) = ours.partition(|p| p.is_published());
    let mut command = repo::cargo();
    command.args(["package", "--quiet", "--workspace", "--locked", "--allow-dirty", "--no-verify"]);
    for package in kept {
        command.args(["--exclude", &package.name]);
    }
    repo::run(&mut command)?;
    Ok(Counts { passed: meant.len(), ..Counts::default() })
}

/// `deny.toml`: licences, sources and bans; known vulnerabilities where their database can be had.
pub(crate) fn dependency_policy() -> Result<Counts> {
    let deny = match tool("cargo-deny", "0.20.2") {
        Ok(deny) => deny,
        Err(Missing(why)) => return Ok(Counts::skipped("dependency policy", &why)),
    };
    let check = |what: &[&str]| {
        let mut command = Command::new(&deny);
        command.current_dir(repo::root()).args(["--log-level", "error", "--locked", "check"]).args(what);
        command
    };
    repo::run(&mut check(&["licenses", "bans", "sources"]))?;
    let mut counts = Counts { passed: 3, ..Counts::default() };
    let mut fetch = Command::new(&deny);
    fetch.current_dir(repo::root()).args(["fetch", "db"]);
    match repo::output(&mut fetch) {
        Ok(_) => {
            repo::run(&mut check(&["advisories"]))?;
            counts.passed += 1;
        }
        Err(error) => counts.add(Counts::skipped("advisories", &format!("no database: {error:#}"))),
    }
    Ok(counts)
}

/// What was released last stays usable: held against the last tag.
pub(crate) fn compatibility() -> Result<Counts> {
    let last =
        Command::new("git").args(["describe", "--tags", "--abbrev=0"]).current_dir(repo::root()).output();
    let last = last.context("cannot start git")?;
    if !last.status.success() {
        return Ok(Counts::skipped(
            "compatibility",
            "nothing was released yet: there is no tag to compare with",
        ));
    }
    let tag = String::from_utf8_lossy(&last.stdout).trim().to_owned();
    let checks = match tool("cargo-semver-checks", "0.51.0") {
        Ok(checks) => checks,
        Err(Missing(why)) => return Ok(Counts::skipped("compatibility", &why)),
    };
    let mut command = Command::new(checks);
    command.current_dir(repo::root()).args(["semver-checks", "--workspace", "--baseline-rev", &tag]);
    repo::run(&mut command)?;
    Ok(Counts { passed: 1, ..Counts::default() })
}

/// The protocol's core compiles where there is no operating system.
pub(crate) fn wasm() -> Result<Counts> {
    const PLATFORM: &str = "wasm32-unknown-unknown";
    let installed =
        |listing: Result<String>| listing.is_ok_and(|all| all.lines().any(|line| line == PLATFORM));
    let list = || repo::output(Command::new("rustup").args(["target", "list", "--installed"]));
    if !installed(list()) {
        let added = repo::output(Command::new("rustup").args(["target", "add", PLATFORM]));
        if let Err(error) = added {
            return Ok(Counts::skipped(PLATFORM, &format!("its standard library cannot be had: {error:#}")));
        }
    }
    let arguments =
        ["check", "--locked", "--quiet", "--target", PLATFORM, "--package", "ideindex-mcp-protocol"];
    for features in [&[][..], &["--all-features"]] {
        repo::run(repo::cargo().args(arguments).args(features))?;
    }
    Ok(Counts { passed: 2, ..Counts::default() })
}

/// A program of cargo's, if this machine has it: building one takes longer than everything else here.
fn tool(name: &str, version: &str) -> Result<PathBuf, Missing> {
    if repo::has_program(name) {
        return Ok(PathBuf::from(name));
    }
    Err(Missing(format!("`cargo install --locked {name} --version {version}` makes it available")))
}
