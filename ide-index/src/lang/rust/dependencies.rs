//! The dependencies of packages, as their manifests declare them.

use std::collections::hash_map::Entry;

use ide_model::paths;
use rustc_hash::FxHashMap;
use semver::{Version, VersionReq};
use toml::{Table, Value};

use super::crates::identifier;

/// A dependency as a manifest declares it.
#[derive(Clone)]
pub(super) struct Dependency {
    /// The package's own name.
    pub(super) package: String,
    /// Which versions of it; any where that is not said, or not to be understood.
    versions: Option<VersionReq>,
    /// The directory, if it is named by path.
    pub(super) directory: Option<String>,
    /// Whether dependents of the package use it too: false for dependencies that only tests and build scripts
    /// need.
    pub(super) is_passed_on: bool,
}

/// Dependencies by their names in code.
pub(super) type Dependencies = FxHashMap<String, Dependency>;

impl Dependency {
    fn read(key: &str, value: &Value, directory: &str, is_passed_on: bool) -> Self {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        Self {
            package: text("package").unwrap_or(key).to_owned(),
            versions: value.as_str().or_else(|| text("version")).and_then(|v| VersionReq::parse(v).ok()),
            directory: text("path").map(|path| paths::normal(&paths::join(directory, path))),
            is_passed_on,
        }
    }

    /// Whether a package of this version may be meant.
    pub(super) fn fits(&self, version: Option<&Version>) -> bool {
        self.versions.as_ref().zip(version).is_none_or(|(wanted, version)| wanted.matches(version))
    }
}

/// The dependencies that a workspace lists for its members.
pub(super) fn of_workspace(manifest: &Table, directory: &str) -> Option<Dependencies> {
    let list = manifest.get("workspace")?.get("dependencies")?.as_table()?;
    let read =
        |(key, value): (&String, &Value)| (identifier(key), Dependency::read(key, value, directory, true));
    Some(list.iter().map(read).collect())
}

/// The dependencies of a package, on whatever system; `workspaces` are those that it may belong to.
pub(super) fn of_package(manifest: &Table, directory: &str, workspaces: &[&Dependencies]) -> Dependencies {
    let mut all = Dependencies::default();
    let platforms = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let holders = std::iter::once(manifest).chain(platforms.filter_map(Value::as_table));
    for holder in holders {
        for (kind, is_passed_on) in
            [("dependencies", true), ("dev-dependencies", false), ("build-dependencies", false)]
        {
            for (key, value) in holder.get(kind).and_then(Value::as_table).into_iter().flatten() {
                let name = identifier(key);
                let is_shared = value.get("workspace").and_then(Value::as_bool) == Some(true);
                let shared = || workspaces.iter().find_map(|known| known.get(&name));
                let dependency = match is_shared.then(shared).flatten() {
                    Some(shared) => Dependency { is_passed_on, ..shared.clone() },
                    None => Dependency::read(key, value, directory, is_passed_on),
                };
                match all.entry(name) {
                    Entry::Occupied(known) if known.get().is_passed_on => {}
                    Entry::Occupied(mut known) => drop(known.insert(dependency)),
                    Entry::Vacant(free) => drop(free.insert(dependency)),
                }
            }
        }
    }
    all
}

/// Features that a manifest asks of others, each with the package that has it.
pub(super) fn asked_features(manifest: &Table) -> Vec<(String, String)> {
    let platforms = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let holders = std::iter::once(manifest)
        .chain(platforms.chain(manifest.get("workspace")).filter_map(Value::as_table));
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    let lists = holders.flat_map(|holder| kinds.map(|kind| holder.get(kind)));
    let all = lists.flatten().filter_map(Value::as_table).flatten();
    let mut asked = Vec::new();
    let mut packages = FxHashMap::default();
    for (key, value) in all {
        let package = value.get("package").and_then(Value::as_str).unwrap_or(key);
        packages.insert(key.as_str(), package);
        let features = value.get("features").and_then(Value::as_array).into_iter().flatten();
        asked.extend(features.filter_map(|f| Some((package.to_owned(), f.as_str()?.to_owned()))));
    }
    // `name/feature`, `name?/feature` among the own ones.
    let own = manifest.get("features").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let entries = own.filter_map(Value::as_array).flatten().filter_map(Value::as_str);
    asked.extend(entries.filter_map(|entry| entry.split_once('/')).map(|(key, feature)| {
        let key = key.trim_end_matches('?');
        (packages.get(key).copied().unwrap_or(key).to_owned(), feature.to_owned())
    }));
    asked
}

/// The version that a package gives itself; `None` where its workspace gives it.
pub(super) fn version_of(package: &Table) -> Option<Version> {
    Version::parse(package.get("version")?.as_str()?).ok()
}
