//! The facts that cargo knows about the workspace and everything below it.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Context as _, Result};
use serde::Deserialize;

use crate::repo;

#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) workspace_members: Vec<String>,
    pub(crate) resolve: Resolve,
}

#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) manifest_path: String,
    pub(crate) license: Option<String>,
    pub(crate) features: BTreeMap<String, Vec<String>>,
    /// The registries it may go to: none, some, or (absent) any.
    publish: Option<Vec<String>>,
}

impl Package {
    /// Whether it is meant for a registry.
    pub(crate) fn is_published(&self) -> bool {
        self.publish.as_ref().is_none_or(|registries| !registries.is_empty())
    }
}

#[derive(Deserialize)]
pub(crate) struct Resolve {
    pub(crate) nodes: Vec<Node>,
}

#[derive(Deserialize)]
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) deps: Vec<NodeDep>,
}

#[derive(Deserialize)]
pub(crate) struct NodeDep {
    pub(crate) pkg: String,
    pub(crate) dep_kinds: Vec<DepKind>,
}

#[derive(Deserialize)]
pub(crate) struct DepKind {
    pub(crate) kind: Option<String>,
}

/// The workspace as cargo resolves it for this platform: what others need has not been downloaded.
pub(crate) fn workspace() -> Result<Metadata> {
    let arguments = ["metadata", "--format-version=1", "--offline", "--filter-platform"];
    let text = repo::output(repo::cargo().args(arguments).arg(host()?))?;
    serde_json::from_str(&text).context("cargo metadata has another form")
}

/// The platform's name as cargo knows it.
pub(crate) fn host() -> Result<String> {
    let version = repo::output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|l| l.strip_prefix("host: ")).context("rustc names no host")?;
    Ok(host.to_owned())
}
