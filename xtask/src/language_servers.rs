//! `cargo xtask language-servers`: real language servers answer every question about small projects, beside the index.
//!
//! The servers are installed at pinned versions; `ide-lsp/examples/real` asks them. Then servers are killed, and ours ends in
//! every way (`language_servers/ends.rs`).

mod client;
mod ends;
mod table;

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::ci::Counts;
use crate::debian;
use crate::foreign::{self, Missing};
use crate::repo;

/// The newest that the Go of this year builds; older Gos build older ones.
const GOPLS: [&str; 2] = ["v0.23.0", "v0.21.1"];

/// The servers that are there, each with its directory.
fn installed(counts: &mut Counts) -> Result<Vec<(&'static str, PathBuf)>> {
    let mut asked: Vec<(&str, PathBuf)> = Vec::new();
    match foreign::npm_folder("proof/language-servers/node")? {
        Ok(folder) => {
            let programs = folder.join("node_modules/.bin");
            asked.extend(
                ["pyright", "typescript-language-server", "intelephense"]
                    .map(|test| (test, programs.clone())),
            );
        }
        Err(Missing(why)) => {
            counts.add(Counts::skipped("pyright, typescript-language-server, intelephense", &why))
        }
    }
    match foreign::python_folder("proof/language-servers/python")? {
        Ok(folder) => asked.push(("jdtls", folder.join("venv/bin"))),
        Err(Missing(why)) => counts.add(Counts::skipped("jdtls", &why)),
    }
    match gopls()? {
        Ok(folder) => asked.push(("gopls", folder)),
        Err(Missing(why)) => counts.add(Counts::skipped("gopls", &why)),
    }
    match rust_analyzer()? {
        Ok(folder) => asked.push(("rust-analyzer", folder)),
        Err(Missing(why)) => counts.add(Counts::skipped("rust-analyzer", &why)),
    }
    Ok(asked)
}

/// Measures the servers that are there beside ours.
pub(crate) fn table(only: &[String], places: usize) -> Result<()> {
    let asked = installed(&mut Counts::default())?;
    table::run(&env::join_paths(asked.iter().map(|(_, folder)| folder))?, only, places)
}

/// Installs what is missing and asks every server that is there.
pub(crate) fn run() -> Result<Counts> {
    let mut counts = Counts::default();
    let asked = installed(&mut counts)?;
    let search_path = env::join_paths(asked.iter().map(|(_, folder)| folder))?;
    let real = repo::example("ideindex-lsp", "", "real")?;
    for (test, _) in &asked {
        let mut asking = Command::new(&real);
        asking.arg(test).current_dir(repo::root()).env("LANGUAGE_SERVERS", &search_path);
        match repo::output(&mut asking) {
            Ok(said) => {
                said.lines().filter(|line| line.contains(" after ")).for_each(|line| println!("{line}"));
                counts.passed += 1;
            }
            Err(error) => counts.add(Counts::failed(test, &format!("{error:#}"))),
        }
    }
    let installed = asked.iter().map(|(name, _)| *name).collect();
    counts.add(ends::run(&installed, &search_path)?);
    Ok(counts)
}

fn gopls() -> Result<Result<PathBuf, Missing>> {
    if !repo::has_program("go") {
        return Ok(Err(Missing("Go is not installed".to_owned())));
    }
    let folder = repo::cache("proof/language-servers/go")?;
    if folder.join("gopls").is_file() {
        return Ok(Ok(folder));
    }
    let mut last = String::new();
    for version in GOPLS {
        let module = format!("golang.org/x/tools/gopls@{version}");
        let mut go = Command::new("go");
        match repo::output(go.args(["install", &module]).env("GOBIN", &folder)) {
            Ok(_) => return Ok(Ok(folder)),
            Err(error) => last = format!("{error:#}"),
        }
    }
    Ok(Err(Missing(format!("cannot be installed: {last}"))))
}

/// The directory of the toolchain's own server, else of Debian's. The program that `rustup` puts on the search path may only say that
/// there is none.
fn rust_analyzer() -> Result<Result<PathBuf, Missing>> {
    match repo::output(Command::new("rustup").args(["which", "rust-analyzer"])) {
        Ok(program) => {
            let folder = Path::new(program.trim()).parent();
            Ok(folder.map(PathBuf::from).ok_or_else(|| Missing("it has no directory".to_owned())))
        }
        Err(_) => debian::program("rust-analyzer"),
    }
}
