//! Checks of outgoing and incoming packages: their contents, the dependency policy, promises to those who depend
//! on us.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::ci::Counts;
use crate::foreign::Missing;
use crate::{metadata, repo};

/// Every crate that is meant for the registry can be published: metadata, versions of its siblings, files. Nothing is
/// uploaded.
pub(crate) fn packages() -> Result<Counts> {
    publish(Verify::No)
}

/// Whether what was packed is built from its archive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verify {
    /// It costs a further build of everything below our crates.
    Yes,
    No,
}

/// `cargo publish --dry-run` for every crate at once: siblings that are on no registry yet are taken from their archives.
pub(crate) fn publish(verify: Verify) -> Result<Counts> {
    let metadata = metadata::workspace()?;
    let ours = metadata.packages.iter().filter(|p| metadata.workspace_members.contains(&p.id));
    let (meant, kept): (Vec<_>, Vec<_>) = ours.partition(|p| p.is_published());
    let mut command = repo::cargo();
    command.args(["publish", "--dry-run", "--quiet", "--workspace", "--locked", "--allow-dirty"]);
    if verify == Verify::No {
        command.arg("--no-verify");
    }
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

/// The crates whose interface is a promise to others: those of the protocol.
const PROMISED: [&str; 6] = [
    "ideindex-mcp-protocol",
    "ideindex-mcp-auth",
    "ideindex-mcp-transport-http",
    "ideindex-mcp-transport-sse",
    "ideindex-mcp-transport-ws",
    "ideindex-mcp-transport-stdio",
];

/// Holds the interfaces against the last promise: the last tag, or before the first one the revision that the
/// workspace names.
pub(crate) fn compatibility() -> Result<Counts> {
    let git = |arguments: &[&str]| {
        let all = ["-c", "safe.directory=*"].iter().chain(arguments);
        repo::output(Command::new("git").args(all).current_dir(repo::root()))
    };
    let baseline = match git(&["describe", "--tags", "--abbrev=0"]) {
        Ok(tag) => tag.trim().to_owned(),
        Err(_) => promised_revision()?,
    };
    if let Err(error) = git(&["cat-file", "-e", &format!("{baseline}^{{commit}}")]) {
        let why = format!("this copy has not the history to compare with ({baseline}): {error:#}");
        return Ok(Counts::skipped("compatibility", &why));
    }
    let checks = match tool("cargo-semver-checks", "0.51.0") {
        Ok(checks) => checks,
        Err(Missing(why)) => return Ok(Counts::skipped("compatibility", &why)),
    };
    let mut command = Command::new(checks);
    command.current_dir(repo::root()).args(["semver-checks", "--baseline-rev", &baseline]);
    for package in PROMISED {
        command.args(["--package", package]);
    }
    repo::run(&mut command)?;
    Ok(Counts { passed: PROMISED.len(), ..Counts::default() })
}

/// `workspace.metadata.promised` of the root manifest: raised, with a word in the change log, by whoever breaks a promise
/// before the first release.
fn promised_revision() -> Result<String> {
    let manifest = std::fs::read_to_string(repo::root().join("Cargo.toml"))?;
    let manifest: toml::Table = manifest.parse().context("in Cargo.toml")?;
    let named =
        manifest["workspace"].get("metadata").and_then(|m| m.get("promised")).and_then(|p| p.as_str());
    Ok(named.context("Cargo.toml names no workspace.metadata.promised")?.to_owned())
}

/// The protocol's core compiles where there is no operating system.
pub(crate) fn wasm() -> Result<Counts> {
    const PLATFORM: &str = "wasm32-unknown-unknown";
    if let Err(Missing(why)) = standard_library(PLATFORM) {
        return Ok(Counts::skipped(PLATFORM, &why));
    }
    let arguments =
        ["check", "--locked", "--quiet", "--target", PLATFORM, "--package", "ideindex-mcp-protocol"];
    for features in [&[][..], &["--all-features"]] {
        repo::run(repo::cargo().args(arguments).args(features))?;
    }
    Ok(Counts { passed: 2, ..Counts::default() })
}

/// Has rustup install the standard library of a platform.
pub(crate) fn standard_library(platform: &str) -> Result<(), Missing> {
    let rustup = |arguments: &[&str]| repo::output(Command::new("rustup").arg("target").args(arguments));
    if rustup(&["list", "--installed"]).is_ok_and(|all| all.lines().any(|line| line == platform)) {
        return Ok(());
    }
    rustup(&["add", platform])
        .map(drop)
        .map_err(|error| Missing(format!("its standard library cannot be had: {error:#}")))
}

/// A program of cargo's: this machine's, or one that is built once into `.cache`, for speed of building rather than of
/// running.
fn tool(name: &str, version: &str) -> Result<PathBuf, Missing> {
    if repo::has_program(name) {
        return Ok(PathBuf::from(name));
    }
    install(name, version).map_err(|error| Missing(format!("{name} {version} cannot be had: {error:#}")))
}

fn install(name: &str, version: &str) -> Result<PathBuf> {
    let home = repo::cache("tools")?.join(format!("{name}-{version}"));
    let program = home.join("bin").join(name);
    if program.is_file() {
        return Ok(program);
    }
    println!("building {name} {version} into .cache/tools, once");
    let built = repo::cache("tools")?.join("target");
    let mut install = repo::cargo();
    install.args(["install", "--quiet", "--locked", "--debug", "--version", version, name]);
    // its own manifest may want its libraries optimised all the same
    install.args(["--config", r#"profile.dev.package."*".opt-level=0"#]);
    install.arg("--root").arg(&home).arg("--target-dir").arg(&built);
    // the flags of the workspace's build are not for a tool
    install.env_remove("RUSTFLAGS");
    repo::output(&mut install)?;
    std::fs::remove_dir_all(built)?;
    Ok(program)
}
