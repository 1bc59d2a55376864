//! `cargo xtask e2e`: the built server against clients that others wrote, over every wire they speak; then our client
//! against servers that others' libraries make (`servers.rs`), and how long calls take that somebody else's client makes in
//! somebody else's application (`stalls.rs`).
//!
//! `e2e/README.md` has the contract of the client scripts and of `calls.json`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::ci::Counts;
use crate::foreign::{self, Missing};
use crate::{mcp, repo, servers, stalls};

/// A foreign client: a folder below `e2e/` with a script that follows the contract.
struct Client {
    folder: &'static str,
    runtime: Runtime,
    /// Wire and protocol era.
    speaks: &'static [(&'static str, &'static str)],
}

#[derive(Clone, Copy)]
pub(crate) enum Runtime {
    Node,
    Python,
}

const LEGACY: [(&str, &str); 4] =
    [("stdio", "legacy"), ("http", "legacy"), ("sse", "legacy"), ("ws", "legacy")];
const BOTH_ERAS: [(&str, &str); 5] =
    [("stdio", "legacy"), ("http", "legacy"), ("sse", "legacy"), ("stdio", "modern"), ("http", "modern")];

const CLIENTS: [Client; 5] = [
    Client { folder: "proof/e2e/js-v1", runtime: Runtime::Node, speaks: &LEGACY },
    Client { folder: "proof/e2e/js-v2", runtime: Runtime::Node, speaks: &BOTH_ERAS },
    Client { folder: "proof/e2e/py-v1", runtime: Runtime::Python, speaks: &LEGACY },
    Client { folder: "proof/e2e/py-v2", runtime: Runtime::Python, speaks: &BOTH_ERAS },
    Client { folder: "proof/e2e/inspector", runtime: Runtime::Node, speaks: &BOTH_ERAS },
];

/// One client, all tools, one wire.
const DEADLINE: Duration = Duration::from_secs(300);

/// One entry of `calls.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    tool: String,
    #[expect(dead_code, reason = "the client scripts read it; here its presence is checked")]
    arguments: Value,
    /// Each must occur in the answer.
    expect: Vec<String>,
}

/// The output of a client script.
#[derive(Deserialize)]
struct Report {
    tools: Vec<String>,
    answers: Vec<Answer>,
}

#[derive(Deserialize)]
struct Answer {
    tool: String,
    result: Value,
}

/// Every client on every wire, and the other way round.
pub(crate) fn run() -> Result<Counts> {
    let binary = repo::server_binary(false)?;
    let listed = listed_tools(&binary)?;
    let calls: Vec<Call> =
        serde_json::from_str(&fs::read_to_string(calls_file())?).context("in e2e/calls.json")?;
    every_tool_is_called(&listed, &calls)?;
    let mut counts = Counts { passed: 1, ..Counts::default() };
    for client in &CLIENTS {
        let program = match program(client.folder, client.runtime, "client")? {
            Ok(program) => program,
            Err(Missing(why)) => {
                counts.add(Counts::skipped(client.folder, &why));
                continue;
            }
        };
        for (wire, era) in client.speaks {
            let begun = Instant::now();
            let name = format!("{} over {wire} ({era})", client.folder);
            match one(client, &program, &binary, wire, era).and_then(|report| judge(&report, &listed, &calls))
            {
                Ok(()) => {
                    println!("ok {name}: {} calls, {:.1} s", calls.len(), begun.elapsed().as_secs_f64());
                    counts.passed += 1;
                }
                Err(error) => counts.add(Counts::failed(&name, &format!("{error:#}"))),
            }
        }
    }
    counts.add(servers::run_all()?);
    counts.add(stalls::run()?);
    Ok(counts)
}

fn calls_file() -> PathBuf {
    repo::root().join("proof/e2e/calls.json")
}

/// How a script of a folder is started, once what it needs is installed.
pub(crate) fn program(folder: &str, runtime: Runtime, script: &str) -> Result<Result<Vec<PathBuf>, Missing>> {
    match runtime {
        Runtime::Python => {
            // files that are the same in all folders lie beside them
            let shared = repo::root().join(format!("proof/e2e/{script}.py"));
            let script =
                |f: &Path| if shared.is_file() { shared.clone() } else { f.join(format!("{script}.py")) };
            Ok(foreign::python_folder(folder)?.map(|f| vec![f.join("venv/bin/python"), script(&f)]))
        }
        Runtime::Node => {
            let node = match foreign::node()? {
                Ok(node) => node,
                Err(missing) => return Ok(Err(missing)),
            };
            Ok(foreign::npm_folder(folder)?.map(|f| vec![node, f.join(format!("{script}.mjs"))]))
        }
    }
}

fn listed_tools(binary: &Path) -> Result<BTreeSet<String>> {
    let project = fresh_project("listing")?;
    let mut client = mcp::Client::start(
        repo::isolated(binary)?.args(["stdio", "--project"]).arg(&project).stderr(Stdio::null()),
        Duration::from_secs(60),
    )?;
    let tools = client.tools()?;
    tools.iter().map(|t| t["name"].as_str().map(str::to_owned).context("a tool without a name")).collect()
}

/// `calls.json` calls every listed tool once and no other.
fn every_tool_is_called(listed: &BTreeSet<String>, calls: &[Call]) -> Result<()> {
    let called: BTreeSet<&String> = calls.iter().map(|c| &c.tool).collect();
    let uncalled: Vec<&String> = listed.iter().filter(|t| !called.contains(t)).collect();
    let unlisted: Vec<&&String> = called.iter().filter(|t| !listed.contains(**t)).collect();
    ensure!(uncalled.is_empty(), "proof/e2e/calls.json does not call {uncalled:?}");
    ensure!(unlisted.is_empty(), "proof/e2e/calls.json calls {unlisted:?}, which the server does not list");
    ensure!(called.len() == calls.len(), "proof/e2e/calls.json calls a tool twice");
    Ok(())
}

fn fresh_project(name: &str) -> Result<PathBuf> {
    let project = repo::cache("e2e/run")?.join(name);
    foreign::copy_folder(&repo::root().join("proof/e2e/project"), &project)?;
    Ok(project)
}

fn one(client: &Client, program: &[PathBuf], binary: &Path, wire: &str, era: &str) -> Result<Report> {
    let name = format!("{}-{wire}-{era}", client.folder.rsplit('/').next().expect("a split has a part"));
    let project = fresh_project(&name)?;
    repo::empty_home()?;
    let log = repo::cache("e2e/run")?.join(format!("{name}.log"));
    let (server, target) = if wire == "stdio" {
        (None, json!([binary, "stdio", "--project", project]).to_string())
    } else {
        let mut command = repo::isolated(binary)?;
        command.args(["serve", "--port", "0", "--project"]).arg(&project);
        let server = foreign::Listening::start(&mut command, &log.with_extension("server.log"))?;
        let (scheme, path) = match wire {
            "sse" => ("http", "/index-mcp/sse"),
            "ws" => ("ws", "/index-mcp/ws"),
            _ => ("http", "/index-mcp/streamable-http"),
        };
        let url = format!("{scheme}://{}{path}", server.authority());
        (Some(server), url)
    };
    let mut command = repo::isolated(&program[0])?;
    command.args(&program[1..]).args([wire, &target]).arg(calls_file()).arg(era);
    let printed = foreign::output_within(&mut command, DEADLINE, &log)?;
    drop(server);
    let line = printed.lines().last().context("the client printed nothing")?;
    serde_json::from_str(line).with_context(|| format!("the client printed {line:.300}"))
}

fn judge(report: &Report, listed: &BTreeSet<String>, calls: &[Call]) -> Result<()> {
    let seen: BTreeSet<String> = report.tools.iter().cloned().collect();
    ensure!(
        seen == *listed && report.tools.len() == listed.len(),
        "another list of tools: {:?}",
        report.tools
    );
    ensure!(
        report.answers.len() == calls.len(),
        "{} answers for {} calls",
        report.answers.len(),
        calls.len()
    );
    let mut wrong = Vec::new();
    for (answer, call) in report.answers.iter().zip(calls) {
        ensure!(answer.tool == call.tool, "an answer of {} for {}", answer.tool, call.tool);
        let text = answer.result.to_string();
        let is_empty = answer.result["content"].as_array().is_none_or(Vec::is_empty);
        let absent = call.expect.iter().find(|e| !text.contains(json!(e).to_string().trim_matches('"')));
        if answer.result["isError"] == true || is_empty || absent.is_some() {
            let why = absent.map_or_else(|| "an error or nothing".to_owned(), |e| format!("no `{e}`"));
            wrong.push(format!("{}: {why} in {text:.300}", call.tool));
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n  "));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(tool: &str, expect: &[&str]) -> Call {
        Call {
            tool: tool.to_owned(),
            arguments: json!({}),
            expect: expect.iter().map(|e| (*e).to_owned()).collect(),
        }
    }

    fn verdict(tools: &[&str], result: &Value) -> bool {
        let report = Report {
            tools: tools.iter().map(|t| (*t).to_owned()).collect(),
            answers: vec![Answer { tool: "a".to_owned(), result: result.clone() }],
        };
        judge(&report, &BTreeSet::from(["a".to_owned()]), &[call("a", &["x \"y\""])]).is_ok()
    }

    #[test]
    fn an_answer_is_judged_by_list_error_emptiness_and_content() {
        let good = json!({"content": [{"type": "text", "text": "the x \"y\" here"}]});
        assert!(verdict(&["a"], &good));
        assert!(!verdict(&["a", "b"], &good));
        assert!(!verdict(&["a", "a"], &good));
        assert!(!verdict(&["a"], &json!({"content": []})));
        assert!(!verdict(&["a"], &json!({"content": [{"type": "text", "text": "else"}]})));
        assert!(!verdict(
            &["a"],
            &json!({"content": [{"type": "text", "text": "the x \"y\" here"}], "isError": true})
        ));
    }

    #[test]
    fn every_listed_tool_is_called_once() {
        let listed = BTreeSet::from(["a".to_owned(), "b".to_owned()]);
        let check = |tools: &[&str]| {
            every_tool_is_called(&listed, &tools.iter().map(|t| call(t, &[])).collect::<Vec<_>>()).is_ok()
        };
        assert!(check(&["a", "b"]));
        assert!(!check(&["a"]));
        assert!(!check(&["a", "b", "c"]));
        assert!(!check(&["a", "b", "b"]));
    }
}
