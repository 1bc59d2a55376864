//! `cargo xtask fuzz`: libFuzzer over the targets of `fuzz/`, with the stable compiler.
//!
//! Coverage is asked of LLVM directly, so no nightly flags are needed. New inputs go to
//! `.cache/fuzz/<target>/corpus`, findings to `.cache/fuzz/<target>/findings`; a finding belongs into
//! `fuzz/corpus/<target>`, where the tests replay it for ever.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

use crate::{metadata, repo};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// One target; without it every one, one after another.
    target: Option<String>,
    /// How long for each target.
    #[arg(long, default_value_t = 60)]
    seconds: u32,
}

/// Instrumentation that libFuzzer reads.
const COVERAGE: [&str; 6] = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// An error when anything was found.
pub(crate) fn run(options: &Options) -> Result<()> {
    let known = targets()?;
    let chosen: Vec<&String> = match &options.target {
        None => known.iter().collect(),
        Some(name) => vec![known.get(name).with_context(|| format!("no such target; there are {known:?}"))?],
    };
    let driver = build()?;
    let mut found = Vec::new();
    for target in chosen {
        found.extend(fuzz(&driver, target, options.seconds)?);
    }
    if found.is_empty() {
        return Ok(());
    }
    let found: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
    bail!("{} findings; mend them and keep them in fuzz/corpus:\n{}", found.len(), found.join("\n"))
}

/// The corpora; a test of `fuzz` holds them against its list of targets.
fn targets() -> Result<BTreeSet<String>> {
    let folder = repo::root().join("fuzz/corpus");
    let names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    names.collect()
}

/// Builds the driver, everything in it instrumented; build scripts and macros are not, because a platform is named.
fn build() -> Result<PathBuf> {
    let host = metadata::host()?;
    let target_dir = repo::target_dir()?.join("fuzz");
    repo::run(
        repo::cargo()
            .args([
                "build",
                "--quiet",
                "--release",
                "--manifest-path",
                "fuzz/driver/Cargo.toml",
                "--target",
                &host,
            ])
            .env("CARGO_TARGET_DIR", &target_dir)
            .env("RUSTFLAGS", COVERAGE.join(" ")),
    )?;
    Ok(target_dir.join(host).join("release/fuzz-driver"))
}

/// Fuzzes one target; gives what it found.
fn fuzz(driver: &Path, target: &str, seconds: u32) -> Result<Vec<PathBuf>> {
    let corpus = repo::cache(&format!("fuzz/{target}/corpus"))?;
    let findings = repo::cache(&format!("fuzz/{target}/findings"))?;
    let before = files(&findings)?;
    println!("--- {target}: {seconds} s");
    let mut command = Command::new(driver);
    command
        .env("FUZZ_TARGET", target)
        .args(["-timeout=20", "-rss_limit_mb=2048", "-max_len=4096", "-print_final_stats=1", "-verbosity=0"])
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/", findings.display()))
        .args([corpus, repo::root().join("fuzz/corpus").join(target)])
        .stdin(Stdio::null());
    let status = command.status().context("cannot start the driver")?;
    let found: Vec<PathBuf> = files(&findings)?.difference(&before).cloned().collect();
    ensure!(status.success() || !found.is_empty(), "{target}: the driver failed without a finding: {status}");
    Ok(found)
}

fn files(folder: &Path) -> Result<BTreeSet<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}
