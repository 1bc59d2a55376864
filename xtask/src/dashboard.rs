//! `cargo xtask dashboard`: the dashboard of the built server in a browser, through all of its controls; and
//! `cargo xtask viewer`, which makes the one file of the page that is not ours.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};

use crate::ci::Counts;
use crate::e2e::{Runtime, program};
use crate::foreign::{self, Missing};
use crate::repo;

const FOLDER: &str = "proof/dashboard";
const VIEWER: &str = "ide-server/viewer";
const DEADLINE: Duration = Duration::from_mins(8);
pub(crate) const NO_BROWSER: &str = "no Chromium is installed; CHROMIUM names one";

/// Runs the browser, where there is one.
pub(crate) fn run() -> Result<Counts> {
    with_screenshots(None)
}

/// The same; with a picture of every view in a folder.
pub(crate) fn with_screenshots(folder: Option<&Path>) -> Result<Counts> {
    let Some(browser) = browser() else {
        return Ok(Counts::skipped(FOLDER, NO_BROWSER));
    };
    let program = match program(FOLDER, Runtime::Node, "run")? {
        Ok(program) => program,
        Err(Missing(why)) => return Ok(Counts::skipped(FOLDER, &why)),
    };
    let log = repo::cache("e2e/run")?.join("dashboard.log");
    let mut command = Command::new(&program[0]);
    command.args(&program[1..]).arg(repo::server_binary(false)?).arg(browser);
    command.args(folder.map(std::path::absolute).transpose()?);
    match foreign::output_within(&mut command, DEADLINE, &log) {
        Ok(said) => println!("ok {}", said.trim()),
        Err(error) => {
            let said = fs::read_to_string(&log).unwrap_or_default();
            return Ok(Counts::failed(FOLDER, &format!("{error:#}\n{said}")));
        }
    }
    Ok(Counts { passed: 1, ..Counts::default() })
}

/// The browser of this machine.
pub(crate) fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Some(named.into());
    }
    let folders = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&folders)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.is_file())
}

/// Builds the viewer anew from the packages that `ide-server/viewer/package.json` pins.
pub(crate) fn viewer() -> Result<()> {
    let folder = match foreign::npm_folder(VIEWER)? {
        Ok(folder) => folder,
        Err(Missing(why)) => bail!("{why}"),
    };
    let mut esbuild = Command::new(folder.join("node_modules/.bin/esbuild"));
    esbuild.args([
        "viewer.js",
        "--bundle",
        "--minify",
        "--charset=utf8",
        "--format=esm",
        "--legal-comments=none",
        "--log-level=error",
    ]);
    let text = repo::output(esbuild.current_dir(&folder)).context("esbuild")?;
    ensure!(!text.is_empty(), "esbuild wrote nothing");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(text.as_bytes())?;
    let after = packed.finish()?;
    let bundle = repo::root().join("ide-server/src/dashboard/assets/viewer.min.js.gz");
    let is_new = fs::read(&bundle).ok().as_ref() != Some(&after);
    fs::write(&bundle, &after)?;
    println!(
        "{} kB, compressed {} kB, {}",
        text.len() / 1000,
        after.len() / 1000,
        if is_new { "another than before" } else { "as it was" }
    );
    Ok(())
}
