//! The second half of `cargo xtask e2e`: our client against servers written with the official SDKs, over every wire and
//! in every era that they speak.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::ci::Counts;
use crate::e2e::{Runtime, program};
use crate::foreign::{self, Listening, Missing};
use crate::repo;

/// A server that others' libraries make: a folder below `e2e/` with a script `server.mjs` or `server.py WIRE`.
struct Server {
    folder: &'static str,
    runtime: Runtime,
    runs: &'static [Run],
}

/// One way to use it.
struct Run {
    wire: &'static str,
    /// The revision that the client offers in a handshake; without one it finds out.
    offer: Option<&'static str>,
    /// The revision that they agree on.
    agreed: &'static str,
    /// Whether the server's library lets a tool ask its client back there.
    asks: bool,
    /// Whether it has log messages there.
    logs: bool,
}

const fn run(wire: &'static str, offer: Option<&'static str>, agreed: &'static str) -> Run {
    Run { wire, offer, agreed, asks: true, logs: true }
}

const OLD: [Run; 4] = [
    run("stdio", None, "2025-11-25"),
    run("http", None, "2025-11-25"),
    run("http", Some("2025-06-18"), "2025-06-18"),
    run("sse", None, "2025-11-25"),
];
/// A server of this library keeps no sessions for older clients, so it cannot ask them.
const NEW_JS: [Run; 4] = [
    run("stdio", None, "2026-07-28"),
    run("stdio", Some("2025-11-25"), "2025-11-25"),
    run("http", None, "2026-07-28"),
    Run { asks: false, ..run("http", Some("2025-11-25"), "2025-11-25") },
];
/// Tools of this library ask by requests only, which the newest revision does not have, and do not log in it.
const NEW_PY: [Run; 5] = [
    Run { asks: false, logs: false, ..run("stdio", None, "2026-07-28") },
    run("stdio", Some("2025-11-25"), "2025-11-25"),
    Run { asks: false, logs: false, ..run("http", None, "2026-07-28") },
    run("http", Some("2025-11-25"), "2025-11-25"),
    run("sse", None, "2025-11-25"),
];

const SERVERS: [Server; 4] = [
    Server { folder: "proof/e2e/js-v1", runtime: Runtime::Node, runs: &OLD },
    Server { folder: "proof/e2e/js-v2", runtime: Runtime::Node, runs: &NEW_JS },
    Server { folder: "proof/e2e/py-v1", runtime: Runtime::Python, runs: &OLD },
    Server { folder: "proof/e2e/py-v2", runtime: Runtime::Python, runs: &NEW_PY },
];

const DEADLINE: Duration = Duration::from_secs(120);

/// Tools that ask their client something before they answer.
const ASKING: [&str; 3] = ["ask", "roots", "sample"];

/// Our client against every server, every way.
pub(crate) fn run_all() -> Result<Counts> {
    let client = repo::example("ideindex-mcp-auth", "es256,loopback", "client")?;
    let mut counts = Counts::default();
    for server in &SERVERS {
        let program = match program(server.folder, server.runtime, "server")? {
            Ok(program) => program,
            Err(Missing(why)) => {
                counts.add(Counts::skipped(&format!("our client against {}", server.folder), &why));
                continue;
            }
        };
        for run in server.runs {
            let begun = Instant::now();
            let name = format!("our client against {} over {} ({})", server.folder, run.wire, run.agreed);
            match one(&client, &program, server.folder, run) {
                Ok(()) => {
                    println!("ok {name}: {:.1} s", begun.elapsed().as_secs_f64());
                    counts.passed += 1;
                }
                Err(error) => counts.add(Counts::failed(&name, &format!("{error:#}"))),
            }
        }
    }
    Ok(counts)
}

fn one(client: &Path, program: &[PathBuf], folder: &str, run: &Run) -> Result<()> {
    let name = format!(
        "server-{}-{}-{}",
        folder.rsplit('/').next().expect("a split has a part"),
        run.wire,
        run.agreed
    );
    let log = repo::cache("e2e/run")?.join(format!("{name}.log"));
    let mut command = Command::new(client);
    let listening = if run.wire == "stdio" {
        let words: Vec<Value> = program.iter().map(|p| json!(p)).chain([json!("stdio")]).collect();
        command.args(["stdio", &Value::from(words).to_string()]);
        None
    } else {
        let mut server = Command::new(&program[0]);
        server.args(&program[1..]).arg(run.wire);
        let listening = Listening::start(&mut server, &log.with_extension("server.log"))?;
        command.args(["http", listening.url()]);
        Some(listening)
    };
    command.args(run.offer);
    let printed = foreign::output_within(&mut command, DEADLINE, &log)?;
    drop(listening);
    let line = printed.lines().last().context("the client printed nothing")?;
    let found: Value =
        serde_json::from_str(line).with_context(|| format!("the client printed {line:.300}"))?;
    judge(&found, run)
}

fn judge(found: &Value, run: &Run) -> Result<()> {
    let mut expected = json!({
        "version": run.agreed,
        "tools": {"add": "3", "ask": "Hello, Ann", "chatty": "done", "roots": "file:///workspace", "sample": "Paris"},
        "resources": ["test://a"], "resource": "A",
        "templates": ["test://{id}/data"], "template": "data 7", "missing": true,
        "prompts": ["greet"], "prompt": "Hello, Ann", "completed": ["Ann", "Anna"],
        "heard": ["info \"working\"", "progress 1 of 2", "progress 2 of 2"],
    });
    let mut found = found.clone();
    if !run.asks {
        // these tools answer an error, each library in its own words
        for tool in ASKING {
            expected["tools"][tool] = Value::Null;
            found["tools"][tool] = Value::Null;
        }
    }
    if !run.logs {
        expected["heard"] = json!(["progress 1 of 2", "progress 2 of 2"]);
    }
    // messages on different streams have no order
    if let Some(heard) = found["heard"].as_array_mut() {
        heard.sort_by_key(Value::to_string);
    }
    ensure!(found == expected, "found {found}\n  instead of {expected}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_judged_whole() {
        let complete = json!({
            "version": "2026-07-28",
            "tools": {"add": "3", "ask": "error: no", "chatty": "done", "roots": "error: no", "sample": "error: no"},
            "resources": ["test://a"], "resource": "A",
            "templates": ["test://{id}/data"], "template": "data 7", "missing": true,
            "prompts": ["greet"], "prompt": "Hello, Ann", "completed": ["Ann", "Anna"],
            "heard": ["progress 1 of 2", "info \"working\"", "progress 2 of 2"],
        });
        let silent = Run { asks: false, ..run("stdio", None, "2026-07-28") };
        assert!(judge(&complete, &silent).is_ok());
        assert!(judge(&complete, &run("stdio", None, "2026-07-28")).is_err());
        for key in ["version", "tools", "resource", "heard", "missing"] {
            let mut other = complete.clone();
            other[key] = json!({"ask": 1, "roots": 1, "sample": 1});
            assert!(judge(&other, &silent).is_err(), "{key}");
        }
    }
}
