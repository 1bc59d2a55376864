//! `cargo xtask catalogue`: every tool of the intellij-mcp catalogue on a real project of Java, each field of each result held
//! against a file.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::ci::Counts;
use crate::mcp::Client;
use crate::{accuracy, foreign, repo};

/// The project, one of `proof/accuracy/projects.json`.
pub(crate) const PROJECT: &str = "jsoup";
/// Tools with their arguments, in the order in which they are called: later calls see what earlier ones wrote.
const CALLS: &str = "proof/catalogue/calls.json";
const GOLDEN: &str = "proof/catalogue/jsoup.golden.json";
const TIMEOUT: Duration = Duration::from_secs(60);

/// Counts one for the whole; a difference is an error.
pub(crate) fn run() -> Result<Counts> {
    let calls: Vec<(String, Value)> =
        serde_json::from_str(&fs::read_to_string(repo::root().join(CALLS))?).context(CALLS)?;
    let project = repo::cache("catalogue")?.join(PROJECT);
    foreign::copy_folder(&accuracy::tree(PROJECT)?, &project)?;
    let root = project.canonicalize()?;
    // Its own branch, not the one of this repository.
    fs::create_dir_all(project.join(".git"))?;
    fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n")?;
    let mut server = repo::isolated(&repo::server_binary(false)?)?;
    server.args(["stdio", "--catalogue", "intellij", "--project"]).arg(&project);
    let mut client = Client::start(&mut server, TIMEOUT)?;
    let listed = client.tools()?;
    let names: BTreeSet<&str> = listed.iter().filter_map(|tool| tool["name"].as_str()).collect();
    let called: BTreeSet<&str> = calls.iter().map(|(tool, _)| &**tool).collect();
    let uncalled: Vec<_> = names.difference(&called).collect();
    ensure!(uncalled.is_empty(), "{CALLS} calls no {uncalled:?}");
    let takes_project = |tool: &str| {
        let named = listed.iter().find(|listed| listed["name"] == tool);
        named.is_some_and(|listed| !listed["inputSchema"]["properties"]["projectPath"].is_null())
    };
    let mut results = Vec::new();
    for (tool, arguments) in &calls {
        let mut given = arguments.clone();
        if takes_project(tool) {
            given["projectPath"] = root.to_string_lossy().into();
        }
        let answer = client.call(tool, &given)?;
        results.push(
            json!({"tool": tool, "arguments": arguments, "isError": answer.is_error, "result": answer.value}),
        );
    }
    client.kill();
    let text =
        without_project(&format!("{:#}\n", Value::from(results)).replace(&*root.to_string_lossy(), "$ROOT"));
    let golden = repo::root().join(GOLDEN);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, &text)?;
    }
    let expected = fs::read_to_string(&golden).with_context(|| format!("{GOLDEN} cannot be read"))?;
    let differs = expected.lines().zip(text.lines()).position(|(expected, got)| expected != got);
    ensure!(
        expected == text,
        "{GOLDEN} differs from line {}: read the difference after UPDATE_GOLDEN=1",
        differs.map_or(0, |line| line + 1)
    );
    println!("catalogue: {} calls of {} tools on {PROJECT}", calls.len(), listed.len());
    Ok(Counts { passed: 1, ..Counts::default() })
}

/// A handle of a symbol begins with a number that follows from where the project lies.
fn without_project(text: &str) -> String {
    const HANDLE: &str = "\"symbolId\": \"";
    let mut parts = text.split(HANDLE);
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, rest) = part.split_once('.').unwrap_or(("", part));
        all.extend([HANDLE, "$PROJECT.", rest]);
    }
    all
}
