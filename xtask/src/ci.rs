//! `cargo xtask ci`: everything that must hold before a change lands, from a clean clone, without standard input.
//!
//! Caches lie in the repository's ignored folders only. The last line is always `N passed, N failed, N skipped`: the
//! steps themselves, plus every single test that a step counted.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use crate::{
    accuracy, agents, attack, catalogue, conformance, dashboard, docs, e2e, edit_loop, editors, ide_plugin,
    language_servers, metadata, plugin, repo, supply, tidy,
};

/// Failures by the order in which they were seen, for the summary: the output before it may be longer than anybody keeps.
static FAILURES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Characters of a failure that the summary repeats.
const SHOWN: usize = 1_500;

/// The counts of a step.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
}

type Step = (&'static str, fn() -> Result<Counts>);

/// In the order in which a mistake is cheapest to find.
const STEPS: [Step; 17] = [
    ("dependencies", dependencies),
    ("format", || cargo("fmt", &["--all", "--check"])),
    ("build", || repo::build().map(|()| Counts::default())),
    ("generated documents", || docs::run(true).map(|()| Counts::default())),
    ("tests", tests),
    ("attack", attack::in_ci),
    ("conformance", conformance::run),
    ("end to end", e2e::run),
    ("edit, build, test", || edit_loop::run(&[])),
    ("agents", agents::run),
    ("language servers", language_servers::run),
    ("editors", editors::in_ci),
    ("dashboard", dashboard::run),
    ("plugin", plugin::in_jvms),
    ("IDE plugin", ide_plugin::run),
    ("dependency policy", supply::dependency_policy),
    ("compatibility", supply::compatibility),
];

/// Steps that take the time that the steps from [`BESIDE_FROM`] on leave: those mostly wait for processes, and call no cargo once
/// everything is built. The steps from [`BESIDE_TO`] on measure times, and are left alone.
const BESIDE: [Step; 7] = [
    ("tidy", || tidy::run().map(|()| Counts::default())),
    ("clippy", || {
        cargo("clippy", &["--locked", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])
    }),
    ("features", features),
    ("documentation", documentation),
    ("without an operating system", supply::wasm),
    ("packages", supply::packages),
    ("accuracy", accuracy),
];
const BESIDE_FROM: &str = "attack";
const BESIDE_TO: &str = "IDE plugin";

/// The whole must end within an hour: steps that build a tool first are not begun later than this.
const LATEST: [(&str, Duration); 2] =
    [("dependency policy", Duration::from_mins(45)), ("compatibility", Duration::from_mins(35))];

/// Small projects, one or two of each registry.
const ACCURACY: [&str; 7] = ["requests", "flask", "express", "serde_json", "cobra", "monolog", "jsoup"];

/// Runs every step, also after one failed; an error when anything failed.
pub(crate) fn run() -> Result<()> {
    repo::build_once();
    let started = Instant::now();
    let mut ended: Vec<(Counts, String)> = Vec::new();
    let mut beside: Option<JoinHandle<Vec<(Counts, String)>>> = None;
    for step in STEPS {
        if step.0 == BESIDE_FROM {
            beside = Some(std::thread::spawn(move || {
                repo::yield_to_others();
                BESIDE.into_iter().map(|step| perform(step, started)).collect()
            }));
        }
        if step.0 == BESIDE_TO
            && let Some(beside) = beside.take()
        {
            ended.extend(beside.join().map_err(|_| anyhow::anyhow!("a step panicked"))?);
        }
        ended.push(perform(step, started));
    }
    println!("---");
    for failure in FAILURES.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        println!("{failure}");
    }
    let mut total = Counts::default();
    for (counts, line) in ended {
        total.add(counts);
        println!("{line}");
    }
    println!("{:14.1} s  in all", started.elapsed().as_secs_f64());
    println!("{} passed, {} failed, {} skipped", total.passed, total.failed, total.skipped);
    if total.failed > 0 {
        std::process::exit(1);
    }
    Ok(())
}

/// Runs a step, says how it ended, and returns that line too.
fn perform((name, step): Step, started: Instant) -> (Counts, String) {
    println!("--- {name}");
    let begun = Instant::now();
    let passed = begun.duration_since(started);
    let is_late = LATEST.iter().any(|(of, latest)| *of == name && passed > *latest);
    let done = if is_late { Ok(Counts::skipped(name, "no time is left for it")) } else { step() };
    let (counts, verdict) = judged(name, done);
    let line = format!("{verdict:7} {:6.1} s  {name}", begun.elapsed().as_secs_f64());
    println!("{line}");
    (counts, line)
}

/// A step that counted nothing is one check itself; one that only skipped is skipped.
fn judged(name: &str, done: Result<Counts>) -> (Counts, &'static str) {
    match done {
        Ok(counts) if counts.failed > 0 => (counts, "FAILED"),
        Ok(counts) if counts.passed == 0 && counts.skipped > 0 => (counts, "skipped"),
        Ok(counts) => (Counts { passed: counts.passed + 1, ..counts }, "passed"),
        Err(error) => (Counts::failed(name, &format!("{error:#}")), "FAILED"),
    }
}

impl Counts {
    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// Says the sums; an error when anything failed.
    pub(crate) fn verdict(self) -> Result<()> {
        println!("{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped);
        ensure!(self.failed == 0, "{} failed", self.failed);
        Ok(())
    }

    /// One thing that failed, and why: said where it happens, and its end again in the summary.
    pub(crate) fn failed(what: &str, why: &str) -> Self {
        println!("FAILED {what}: {why}");
        let end = why.char_indices().rev().nth(SHOWN).map_or(why, |(at, _)| &why[at..]);
        remember(&format!("FAILED {what}: {end}"));
        Self { failed: 1, ..Self::default() }
    }

    /// One thing that was not done, and why: said where it happens.
    pub(crate) fn skipped(what: &str, why: &str) -> Self {
        println!("SKIPPED {what}: {why}");
        Self { skipped: 1, ..Self::default() }
    }
}

/// Shows a line in the summary once more.
pub(crate) fn remember(failure: &str) {
    FAILURES.lock().unwrap_or_else(PoisonError::into_inner).push(failure.to_owned());
}

fn cargo(subcommand: &str, arguments: &[&str]) -> Result<Counts> {
    let is_component = subcommand == "fmt" || subcommand == "clippy";
    if is_component && repo::output(repo::cargo().args([subcommand, "--version"])).is_err() {
        return Ok(Counts::skipped(
            subcommand,
            "this toolchain has no such component (rustup component add)",
        ));
    }
    repo::run(repo::cargo().arg(subcommand).args(arguments))?;
    Ok(Counts::default())
}

/// Downloads what this platform needs; later steps read cargo's metadata without the network.
fn dependencies() -> Result<Counts> {
    repo::run(repo::cargo().args(["fetch", "--locked", "--quiet", "--target", &metadata::host()?]))?;
    Ok(Counts::default())
}

/// Crates whose features mostly forward to `ide-index`, which is too large to be compiled for each of them.
const AROUND_INDEX: [&str; 3] = ["ide-index-mcp", "ideindex-index", "ideindex-store"];

/// All crates compile together with all features, and each alone with none and with every feature that brings code of its own:
/// one that turns on others, of its crate or of crates of the workspace, is among all.
fn features() -> Result<Counts> {
    let metadata = metadata::workspace()?;
    let mut counts = Counts::default();
    let mut check = |arguments: &[&str]| {
        println!("{}", arguments.join(" "));
        counts.passed += 1;
        repo::run(repo::cargo().args(["check", "--locked", "--quiet"]).args(arguments))
    };
    check(&["--workspace", "--all-features"])?;
    let around_index: Vec<&str> = AROUND_INDEX.iter().flat_map(|name| ["--package", name]).collect();
    check(&[&around_index[..], &["--no-default-features"]].concat())?;
    for package in &metadata.packages {
        if !metadata.workspace_members.contains(&package.id) || package.features.is_empty() {
            continue;
        }
        let alone = ["--package", &package.name, "--no-default-features"];
        if !AROUND_INDEX.contains(&&*package.name) {
            check(&alone)?;
        }
        let is_other = |on: &String| {
            package.features.contains_key(on) || on.trim_start_matches("dep:").starts_with("ide-")
        };
        for (feature, turned_on) in &package.features {
            if feature != "default" && !turned_on.iter().any(is_other) {
                check(&[&alone[..], &["--features", feature]].concat())?;
            }
        }
    }
    Ok(counts)
}

fn documentation() -> Result<Counts> {
    repo::run(
        repo::cargo()
            .args(["doc", "--locked", "--workspace", "--no-deps", "--quiet"])
            .env("RUSTDOCFLAGS", "-Dwarnings"),
    )?;
    Ok(Counts::default())
}

/// `cargo test`, shown as it runs and counted by its own summary lines.
fn tests() -> Result<Counts> {
    let mut command = repo::cargo();
    command
        .args(["test", "--locked", "--no-fail-fast"])
        .args(repo::WHOLE)
        .env("IDE_INDEX_THOROUGH_TESTS", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut child = command.spawn().context("cannot start cargo test")?;
    let stdout = child.stdout.take().expect("stdout was piped");
    let mut counts = Counts::default();
    for line in BufReader::new(stdout).lines() {
        let line = line?;
        println!("{line}");
        if line.starts_with("test ") && line.ends_with("FAILED") {
            remember(&line);
        }
        counts.add(summary_line(&line).unwrap_or_default());
    }
    let status = child.wait()?;
    ensure!(status.success() || counts.failed > 0, "cargo test ended before its tests did: {status}");
    ensure!(counts.passed > 0, "cargo test ran no test");
    Ok(counts)
}

/// `test result: ok. 3 passed; 0 failed; 1 ignored; …`
fn summary_line(line: &str) -> Option<Counts> {
    let (_, figures) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let figure = |name| figures.split("; ").find_map(|part| part.strip_suffix(name)?.trim().parse().ok());
    Some(Counts { passed: figure("passed")?, failed: figure("failed")?, skipped: figure("ignored")? })
}

/// The projects that this machine can fetch, against the baseline.
fn accuracy() -> Result<Counts> {
    let mut counts = Counts::default();
    let mut there = Vec::new();
    for (project, obstacle) in accuracy::fetched(&ACCURACY)? {
        match obstacle {
            Some(reason) => counts.add(Counts::skipped(&project, &reason)),
            None => there.push(project),
        }
    }
    counts.passed += there.len();
    if there.iter().any(|project| project == catalogue::PROJECT) {
        counts.add(catalogue::run()?);
    }
    if !there.is_empty() {
        accuracy::run(&accuracy::Options::smoke(there))?;
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_lines_are_counted() {
        let line = "test result: FAILED. 22 passed; 4 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.21s";
        assert_eq!(summary_line(line), Some(Counts { passed: 22, failed: 4, skipped: 1 }));
        assert_eq!(summary_line("test rules::head ... ok"), None);
    }

    #[test]
    fn a_step_counts_as_one_check() {
        let counts = |passed, failed, skipped| Counts { passed, failed, skipped };
        assert_eq!(judged("a step", Ok(counts(0, 0, 0))), (counts(1, 0, 0), "passed"));
        assert_eq!(judged("a step", Ok(counts(5, 0, 1))), (counts(6, 0, 1), "passed"));
        assert_eq!(judged("a step", Ok(counts(0, 0, 2))), (counts(0, 0, 2), "skipped"));
        assert_eq!(judged("a step", Ok(counts(5, 2, 0))), (counts(5, 2, 0), "FAILED"));
        assert_eq!(judged("a step", Err(anyhow::anyhow!("broken"))), (counts(0, 1, 0), "FAILED"));
    }
}
