//! The native half of the plugin under load and faults: a JVM with a host that fails in every way, and the official client.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};

use crate::ci::Counts;
use crate::e2e::{self, Runtime};
use crate::foreign::{self, Missing};
use crate::repo;

/// Calls in all JVMs together.
const CALLS: usize = 10_000;
/// The calls of one JVM.
const DEADLINE: Duration = Duration::from_secs(400);

/// Drives the library in some JVMs. `java` gives the command of the process that `proof/plugin/boot` is, for a JDK.
pub(crate) fn run(jdks: &[&Path], project: &Path, java: impl Fn(&Path) -> Command) -> Result<Counts> {
    let program = match e2e::program("proof/plugin/client", Runtime::Node, "soak")? {
        Ok(program) => program,
        Err(Missing(why)) => return Ok(Counts::skipped("the plugin under load", &why)),
    };
    let mut counts = Counts::default();
    for jdk in jdks {
        let java = java(jdk);
        let mut words = vec![java.get_program().to_string_lossy().into_owned()];
        words.extend(java.get_args().map(|word| word.to_string_lossy().into_owned()));
        let mut node = Command::new(&program[0]);
        node.args(&program[1..]).arg(serde_json::to_string(&words)?);
        node.arg(repo::root().join("proof/e2e/calls.json"))
            .arg(project)
            .arg((CALLS / jdks.len()).to_string());
        node.envs(java.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let log = repo::cache("plugin")?.join("soak.log");
        let printed = foreign::output_within(&mut node, DEADLINE, &log)?;
        println!("{}:\n{}", jdk.display(), printed.trim_end());
        ensure!(
            printed.lines().last() == Some("done"),
            "the client did not come to its end\n{}",
            foreign::tail(&log)?
        );
        counts.passed += printed.lines().filter(|line| line.starts_with("ok ")).count();
        for failure in printed.lines().filter_map(|line| line.strip_prefix("FAILED ")) {
            counts.add(Counts::failed("the plugin under load", failure));
        }
    }
    Ok(counts)
}
