//! Composer: `composer.json` and `composer.lock`.

use std::collections::BTreeMap;
use std::io;

use serde_json::Value;

use super::{Declared, DependencyScope, Findings, Folder, Graph, invalid};

const SECTIONS: [(&str, &str, DependencyScope); 2] = [
    ("require", "packages", DependencyScope::Compile),
    ("require-dev", "packages-dev", DependencyScope::Test),
];

pub(super) fn read(folder: &Folder<'_>, found: &mut Findings) -> io::Result<()> {
    let Some(package) = folder.json("composer.json")? else { return Ok(()) };
    for (section, _, scope) in SECTIONS {
        for (name, requirement) in package[section].as_object().into_iter().flatten() {
            let asks = Declared::new(name.as_str(), scope).asks(requirement.as_str());
            match (is_platform(name), folder.is_module(name)) {
                (true, _) => {}
                (false, true) => found.declared.push(asks.module()),
                (false, false) => found.declared.push(asks),
            }
        }
    }
    if let Some(text) = folder.text("composer.lock")? {
        let lock: Value = serde_json::from_str(&text).map_err(|e| invalid("composer.lock", &e))?;
        found.locked = Some(graph(&lock));
    }
    Ok(())
}

/// PHP itself, its extensions and libraries: nothing that Composer installs.
fn is_platform(name: &str) -> bool {
    !name.contains('/')
}

fn graph(lock: &Value) -> Graph {
    let mut graph = Graph::default();
    let mut by_name = BTreeMap::new();
    let packages =
        || SECTIONS.iter().flat_map(|(_, section, _)| lock[*section].as_array().into_iter().flatten());
    for package in packages() {
        let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
        let at = graph.add(text("name"), text("version").trim_start_matches('v'));
        by_name.insert(text("name"), at);
        for other in ["replace", "provide"] {
            for name in package[other].as_object().into_iter().flatten().map(|(name, _)| name) {
                by_name.entry(name.clone()).or_insert(at);
            }
        }
    }
    for (at, package) in packages().enumerate() {
        let needs = package["require"].as_object().into_iter().flatten();
        graph.packages[at].needs = needs.filter_map(|(name, _)| by_name.get(name).copied()).collect();
    }
    graph.direct = by_name;
    graph
}
