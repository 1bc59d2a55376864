//! `cargo xtask tidy`: project rules that neither the compiler nor clippy checks.

mod manifests;
mod ratchet;
mod rules;
mod sections;
mod tests_assert;
mod weight;
mod wording;

use anyhow::{Context as _, Result, ensure};

use crate::source::Source;
use crate::{layers, metadata, repo};

/// A broken rule. The line is 1-based; 0 means the file as a whole.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl Finding {
    pub(crate) fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}

/// Checks the whole repository; an error that lists what is wrong.
pub(crate) fn run() -> Result<()> {
    let files = repo::files()?;
    let mut findings = Vec::new();
    let mut sources = Vec::new();
    let mut cargo_files = Vec::new();
    for path in &files {
        let bytes = std::fs::read(repo::root().join(path)).with_context(|| format!("cannot read {path}"))?;
        // a file that is not text is data: no rule looks inside
        let Ok(text) = String::from_utf8(bytes) else { continue };
        findings.extend(rules::portable(path, &text));
        if path.ends_with(".rs") {
            sources.push(Source::parse(path, &text)?);
        } else if path.ends_with("/Cargo.toml") {
            cargo_files.push((&**path, text));
        }
    }
    for source in &sources {
        findings.extend(rules::of_source(source));
    }
    findings.extend(rules::test_binaries(&files));
    findings.extend(tests_assert::check(&sources));
    findings.extend(sections::check(&sources));
    findings.extend(ratchet::check(&sources)?);
    findings.extend(wording::check(&sources)?);
    let metadata = metadata::workspace()?;
    findings.extend(manifests::check(&metadata, cargo_files.iter().map(|(path, text)| (*path, &**text))));
    let graph = layers::Graph::of(&metadata);
    let layers = layers::check(&graph).into_iter().chain(layers::unused(&graph));
    findings.extend(layers.map(|m| Finding::new("Cargo.toml", 0, m)));
    let map = std::fs::read_to_string(repo::root().join("ARCHITECTURE.md"))
        .context("cannot read ARCHITECTURE.md")?;
    findings.extend(graph.missing_in(&map).into_iter().map(|m| Finding::new("ARCHITECTURE.md", 0, m)));
    findings.extend(weight::check()?);
    findings.sort();
    let lines: Vec<String> =
        findings.iter().map(|f| format!("{}:{}: {}", f.path, f.line, f.message)).collect();
    ensure!(lines.is_empty(), "{} broken rules\n{}", lines.len(), lines.join("\n"));
    println!("tidy: {} files, {} of Rust", files.len(), sources.len());
    Ok(())
}
