//! The lock files of npm, pnpm, yarn (both forms) and bun.

use std::collections::BTreeMap;
use std::io;

use serde_json::Value;

use super::text::{entries, plain_json};
use super::{Declared, Folder, Graph, invalid};

/// Reads the nearest lock file for a module.
pub(super) fn read(folder: &Folder<'_>, declared: &[Declared]) -> io::Result<Option<Graph>> {
    let names = [
        "package-lock.json",
        "npm-shrinkwrap.json",
        "pnpm-lock.yaml",
        "yarn.lock",
        "bun.lock",
        "node_modules/.package-lock.json",
    ];
    let Some((name, text, module)) = folder.nearest(&names)? else { return Ok(None) };
    let json = |text: &str| serde_json::from_str::<Value>(text).map_err(|e| invalid(name, &e));
    Ok(Some(match name {
        "pnpm-lock.yaml" => pnpm(&text, if module.is_empty() { "." } else { &module }),
        "yarn.lock" => yarn(&text, declared),
        "bun.lock" => bun(&json(&plain_json(&text))?, declared),
        _ => npm(&json(&text)?, &module, declared),
    }))
}

/// Requirements of a package by its sections, in a lock file that is JSON.
fn needed(package: &Value) -> impl Iterator<Item = (&str, &str)> {
    let sections = ["dependencies", "optionalDependencies", "peerDependencies"];
    let tables = sections.into_iter().filter_map(|section| package[section].as_object());
    tables.flatten().map(|(name, spec)| (name.as_str(), spec.as_str().unwrap_or_default()))
}

/// npm. Packages stand under the directories in which they are installed, nested ones inside of those that need them.
fn npm(lock: &Value, module: &str, declared: &[Declared]) -> Graph {
    let mut graph = Graph::default();
    let mut at: BTreeMap<String, usize> = BTreeMap::new();
    let Some(packages) = lock["packages"].as_object() else { return npm_of_old(lock) };
    for (path, package) in packages {
        let Some((_, name)) = path.rsplit_once("node_modules/") else { continue };
        let real = package["resolved"].as_str().filter(|_| package["link"] == true);
        let version = real.map_or(package, |real| &packages[real])["version"].as_str().unwrap_or_default();
        let index = graph.add(package["name"].as_str().unwrap_or(name), version);
        graph.packages[index].is_module = real.is_some();
        at.insert(path.clone(), index);
    }
    // As node looks for a package: in its own directory, then in those around.
    let found = |from: &str, name: &str| {
        let mut dir = Some(from);
        while let Some(here) = dir {
            let path = if here.is_empty() {
                format!("node_modules/{name}")
            } else {
                format!("{here}/node_modules/{name}")
            };
            if let Some(index) = at.get(&path) {
                return Some(*index);
            }
            dir = match here.rsplit_once('/') {
                Some((above, _)) => Some(above),
                None if here.is_empty() => None,
                None => Some(""),
            };
        }
        None
    };
    for (path, index) in &at {
        let package = &packages[path.as_str()];
        let from = package["resolved"].as_str().filter(|_| package["link"] == true).unwrap_or(path);
        graph.packages[*index].needs =
            needed(&packages[from]).filter_map(|(name, _)| found(from, name)).collect();
    }
    let direct =
        declared.iter().filter_map(|declared| Some((declared.name.clone(), found(module, &declared.name)?)));
    graph.direct = direct.collect();
    graph
}

/// npm before version 7: packages nested in those that need them.
fn npm_of_old(lock: &Value) -> Graph {
    fn add(
        graph: &mut Graph,
        table: &Value,
        around: &[BTreeMap<String, usize>],
        depth: usize,
    ) -> BTreeMap<String, usize> {
        let packages = || table["dependencies"].as_object().into_iter().flatten();
        let mut here = BTreeMap::new();
        for (name, package) in packages() {
            let index = graph.add(name.as_str(), package["version"].as_str().unwrap_or_default());
            here.insert(name.clone(), index);
        }
        let mut scopes = around.to_vec();
        scopes.push(here.clone());
        for (name, package) in packages() {
            let inner = if depth > 0 { add(graph, package, &scopes, depth - 1) } else { BTreeMap::new() };
            let look = |name: &String| {
                inner.get(name).or_else(|| scopes.iter().rev().find_map(|scope| scope.get(name)))
            };
            let needs = package["requires"].as_object().into_iter().flatten();
            graph.packages[here[name]].needs = needs.filter_map(|(name, _)| look(name).copied()).collect();
        }
        here
    }
    let mut graph = Graph::default();
    graph.direct = add(&mut graph, lock, &[], 100);
    graph
}

/// pnpm: `importers` by module, `packages` and `snapshots` by name and version.
fn pnpm(text: &str, module: &str) -> Graph {
    let mut graph = Graph::default();
    let mut at: BTreeMap<String, usize> = BTreeMap::new();
    let mut asked: Vec<(String, String)> = Vec::new();
    let mut needs: Vec<(String, String, String)> = Vec::new();
    let is_section = |word: &str| matches!(word, "dependencies" | "optionalDependencies" | "devDependencies");
    for entry in entries(text) {
        if let Some([key]) = entry.below("packages").or_else(|| entry.below("snapshots")) {
            let key = plain_key(key);
            if let Some((name, version)) = split_name(&key) {
                at.entry(key.clone()).or_insert_with(|| graph.add(name, version));
            }
        } else if let Some([key, section, name]) =
            entry.below("packages").or_else(|| entry.below("snapshots"))
        {
            if is_section(section) {
                needs.push((plain_key(key), name.clone(), entry.value));
            }
        } else if let Some([own, section, name, word]) = entry.below("importers") {
            if own == module && is_section(section) && word == "version" {
                asked.push((name.clone(), entry.value));
            }
        } else if let [section, name] = &entry.path[..] {
            // A project of one module in older files.
            if is_section(section) && !entry.value.is_empty() {
                asked.push((name.clone(), entry.value));
            }
        } else if let [section, name, word] = &entry.path[..]
            && is_section(section)
            && word == "version"
        {
            asked.push((name.clone(), entry.value));
        }
    }
    let find = |name: &str, version: &str| {
        // An alias names what it really is.
        at.get(&format!("{name}@{}", without_peers(version))).or_else(|| at.get(&plain_key(version))).copied()
    };
    for (from, name, version) in needs {
        if let (Some(from), Some(to)) = (at.get(&from), find(&name, &version)) {
            graph.packages[*from].needs.push(to);
        }
    }
    let direct = asked.into_iter().filter_map(|(name, version)| {
        let index = find(&name, &version)?;
        Some((name, index))
    });
    graph.direct = direct.collect();
    graph
}

/// `name@version` of a key as the versions of pnpm write it: `/name/1.0.0`, `/name@1.0.0(peer@2.0.0)`, `name@1.0.0`.
fn plain_key(key: &str) -> String {
    let (is_rooted, key) = (key.starts_with('/'), key.trim_start_matches('/'));
    let key = key.split('(').next().unwrap_or(key);
    match key.rsplit_once('/') {
        Some((name, version)) if is_rooted && version.starts_with(|c: char| c.is_ascii_digit()) => {
            format!("{name}@{}", without_peers(version))
        }
        _ => key.to_owned(),
    }
}

/// A version without what it was resolved beside.
fn without_peers(version: &str) -> &str {
    version.split(['(', '_']).next().unwrap_or(version)
}

/// Name and version around the `@` that is no scope's.
fn split_name(key: &str) -> Option<(&str, &str)> {
    let at = key[usize::from(key.starts_with('@'))..].find('@')? + usize::from(key.starts_with('@'));
    Some((&key[..at], &key[at + 1..]))
}

/// yarn: packages under all requirements that they answer.
fn yarn(text: &str, declared: &[Declared]) -> Graph {
    let mut graph = Graph::default();
    let mut at: BTreeMap<String, usize> = BTreeMap::new();
    let mut needs: Vec<(String, String, String)> = Vec::new();
    for entry in entries(text) {
        match &entry.path[..] {
            [head, word] if word == "version" && head != "__metadata" => {
                let first = head.split(", ").next().unwrap_or(head);
                let Some((name, _)) = split_name(first) else { continue };
                let index = graph.add(name, entry.value);
                graph.packages[index].is_module = head.contains("@workspace:");
                at.extend(head.split(", ").map(|key| (without_protocol(key), index)));
            }
            [head, section, name] if matches!(section.as_str(), "dependencies" | "optionalDependencies") => {
                needs.push((head.clone(), name.clone(), entry.value));
            }
            _ => {}
        }
    }
    let find = |name: &str, spec: &str| at.get(&without_protocol(&format!("{name}@{spec}"))).copied();
    for (from, name, spec) in needs {
        let from = from.split(", ").next().and_then(|first| at.get(&without_protocol(first)));
        if let (Some(from), Some(to)) = (from, find(&name, &spec)) {
            graph.packages[*from].needs.push(to);
        }
    }
    let direct = declared.iter().filter_map(|declared| {
        let spec = declared.requirement.as_deref().unwrap_or_default();
        Some((declared.name.clone(), find(&declared.name, spec)?))
    });
    graph.direct = direct.collect();
    graph
}

/// A requirement without the word for the registry, which the newer form writes and the older does not.
fn without_protocol(key: &str) -> String {
    key.replacen("@npm:", "@", 1)
}

/// bun: packages under their names, nested ones behind those that need them (`a/b`).
fn bun(lock: &Value, declared: &[Declared]) -> Graph {
    let mut graph = Graph::default();
    let mut at: BTreeMap<&str, usize> = BTreeMap::new();
    let packages = || lock["packages"].as_object().into_iter().flatten();
    for (key, package) in packages() {
        let Some((name, version)) = package[0].as_str().and_then(split_name) else { continue };
        let index = graph.add(name, version);
        graph.packages[index].is_module = version.starts_with("workspace:");
        at.insert(key, index);
    }
    for (key, package) in packages() {
        let Some(index) = at.get(key.as_str()) else { continue };
        let facts = package.as_array().into_iter().flatten().find(|part| part.is_object());
        let needs = facts.into_iter().flat_map(needed);
        let found =
            needs.filter_map(|(name, _)| at.get(&*format!("{key}/{name}")).or_else(|| at.get(name)).copied());
        graph.packages[*index].needs = found.collect();
    }
    let direct =
        declared.iter().filter_map(|declared| Some((declared.name.clone(), *at.get(&*declared.name)?)));
    graph.direct = direct.collect();
    graph
}
