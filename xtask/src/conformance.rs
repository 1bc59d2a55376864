//! `cargo xtask conformance`: the official suite against our crates, strict both ways against
//! `conformance/expected-failures.yml`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use crate::ci::Counts;
use crate::foreign::{self, Listening, Missing};
use crate::repo;

/// A program under test: an example of one of our packages.
struct Example {
    package: &'static str,
    features: &'static str,
    name: &'static str,
}

impl Example {
    fn build(&self) -> Result<PathBuf> {
        repo::example(self.package, self.features, self.name)
    }
}

/// Says on standard error where it listens.
const SERVER: Example =
    Example { package: "ideindex-mcp-transport-http", features: "hyper-server", name: "conformance-server" };
/// Takes the suite's address as its last argument.
const CLIENT: Example =
    Example { package: "ideindex-mcp-auth", features: "es256,loopback", name: "conformance-client" };

/// The selections of the suite's scenarios: a revision's requirements, or every scenario that an older
/// revision knows.
const SELECTIONS: [&[&str]; 6] = [
    &["--requirements", "2025-11-25"],
    &["--requirements", "2026-07-28"],
    &["--suite", "all", "--spec-version", "2026-07-28"],
    &["--suite", "all", "--spec-version", "2025-11-25"],
    &["--suite", "all", "--spec-version", "2025-06-18"],
    &["--suite", "all", "--spec-version", "2025-03-26"],
];

const DEADLINE: Duration = Duration::from_secs(300);

/// Every selection, against the server and, where we have one, the client.
pub(crate) fn run() -> Result<Counts> {
    let node = match foreign::node()? {
        Ok(node) => node,
        Err(Missing(why)) => return Ok(Counts::skipped("conformance", &why)),
    };
    let suite = match foreign::npm_folder("proof/conformance")? {
        Ok(folder) => folder,
        Err(Missing(why)) => return Ok(Counts::skipped("conformance", &why)),
    };
    let script = suite.join("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    let out = repo::cache("conformance/out")?;
    let ask = |leg: &str, under_test: &[&str], selection: &[&str]| {
        let name = format!("{leg} {}", selection.join(" "));
        let mut command = Command::new(&node);
        command.arg(&script).arg(leg).args(under_test).args(selection);
        command.arg("--expected-failures").arg(repo::root().join("proof/conformance/expected-failures.yml"));
        command.arg("-o").arg(out.join(name.replace(' ', "-"))).current_dir(&out);
        judged(&name, &mut command, &out.join("suite.log"))
    };
    let mut counts = Counts::default();
    let server = SERVER.build()?;
    for selection in SELECTIONS {
        // a server of its own for each selection: what one leaves behind is not the next one's matter
        let listening = Listening::start(Command::new(&server).arg("0"), &out.join("server.log"))?;
        counts.add(ask("server", &["--url", listening.url()], selection)?);
    }
    let client = CLIENT.build()?;
    let client = client.to_str().context("the target folder is not UTF-8")?;
    for selection in SELECTIONS {
        counts.add(ask("client", &["--command", client], selection)?);
    }
    Ok(counts)
}

fn judged(name: &str, command: &mut Command, log: &Path) -> Result<Counts> {
    let begun = Instant::now();
    let printed = foreign::output_within(command, DEADLINE, log);
    let seconds = begun.elapsed().as_secs_f64();
    match printed {
        Ok(text) => {
            let scenarios = passed_scenarios(&text);
            // The suite was content, so what failed stands in the list of expected failures.
            let expected = failed_scenarios(&text).count();
            ensure!(scenarios + expected > 0, "{name}: the suite ran nothing\n{text}");
            println!(
                "ok {name}: {scenarios} scenarios, {expected} not yet (expected-failures.yml), {seconds:.1} s"
            );
            Ok(Counts { passed: scenarios, skipped: expected, ..Counts::default() })
        }
        Err(error) => {
            let text = fs::read_to_string(log.with_extension("out"))?;
            let failed: Vec<&str> = failed_scenarios(&text).collect();
            let told = Counts::failed(name, &format!("{error:#}\n{}", failed.join("\n")));
            Ok(Counts { passed: passed_scenarios(&text), failed: failed.len().max(1), ..told })
        }
    }
}

/// Lines `✓ scenario: …` of the suite's summary.
fn passed_scenarios(text: &str) -> usize {
    text.lines().filter(|l| l.starts_with('✓')).count()
}

/// Lines `✗ scenario: …` of the suite's summary.
fn failed_scenarios(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|l| l.starts_with('✗'))
}
