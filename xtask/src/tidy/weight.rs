//! How many crates an embedder gets: a budget for what is to stay light, counted as cargo resolves it by itself.

use std::collections::BTreeSet;

use anyhow::Result;

use super::Finding;
use crate::repo;

/// Package without its optional features, and the most crates in its tree, itself included.
const BUDGETS: [(&str, usize); 2] = [
    // a server with Streamable HTTP, without the runtime that carries it
    ("ideindex-mcp-transport-http", 25),
    ("ideindex-mcp-transport-stdio", 20),
];

pub(super) fn check() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (package, most) in BUDGETS {
        let arguments =
            ["tree", "--offline", "--no-default-features", "--edges", "normal", "--prefix", "none"];
        let tree = repo::output(repo::cargo().args(arguments).args(["--package", package]))?;
        let crates = crates(&tree);
        if crates.len() > most {
            let message = format!("{package} brings {} crates, {most} are allowed: {crates:?}", crates.len());
            findings.push(Finding::new("Cargo.lock", 0, message));
        }
    }
    Ok(findings)
}

/// Name and version of every line; a crate that stands in two versions counts twice.
fn crates(tree: &str) -> BTreeSet<&str> {
    tree.lines()
        .map(|line| line.split(" (").next().unwrap_or(line).trim())
        .filter(|l| !l.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_counts_once_and_two_versions_twice() {
        let tree = "a v1.0.0 (/here)\nb v1.0.0\nsyn v2.0.0 (proc-macro)\nsyn v3.0.0\nb v1.0.0 (*)\n";
        assert_eq!(crates(tree).len(), 4);
    }
}
