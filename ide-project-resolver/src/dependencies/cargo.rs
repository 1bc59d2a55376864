//! Cargo: `Cargo.toml` with what it inherits from its workspace, and `Cargo.lock`.

use std::collections::BTreeMap;
use std::io;

use super::{Declared, DependencyScope, Findings, Folder, Graph, invalid};

const TABLES: [(&str, DependencyScope); 3] = [
    ("dependencies", DependencyScope::Compile),
    ("build-dependencies", DependencyScope::Compile),
    ("dev-dependencies", DependencyScope::Test),
];

pub(super) fn read(folder: &Folder<'_>, found: &mut Findings) -> io::Result<()> {
    let Some(manifest) = folder.toml("Cargo.toml")? else { return Ok(()) };
    let workspace = inherited(folder, &manifest)?;
    let targets = manifest.get("target").and_then(toml::Value::as_table);
    let targets = targets.into_iter().flat_map(|table| table.values()).filter_map(toml::Value::as_table);
    let places: Vec<&toml::Table> = std::iter::once(&manifest).chain(targets).collect();
    for (table, scope) in TABLES {
        let tables = places.iter().filter_map(|place| place.get(table)?.as_table());
        for (key, value) in tables.flatten() {
            found.declared.push(declared(folder, key, value, &workspace, scope));
        }
    }
    if let Some((_, text, _)) = folder.nearest(&["Cargo.lock"])? {
        let lock: toml::Table = text.parse().map_err(|e| invalid("Cargo.lock", &e))?;
        found.locked = Some(graph(&lock, folder.module.name.as_str()));
    }
    Ok(())
}

/// The dependencies that members may inherit: of the own file, or of the nearest workspace around.
fn inherited(folder: &Folder<'_>, own: &toml::Table) -> io::Result<toml::Table> {
    let of = |manifest: &toml::Table| manifest.get("workspace")?.get("dependencies")?.as_table().cloned();
    if own.contains_key("workspace") {
        return Ok(of(own).unwrap_or_default());
    }
    for (dir, text) in folder.around("Cargo.toml")? {
        let manifest: toml::Table = text.parse().map_err(|e| invalid(&format!("{dir}/Cargo.toml"), &e))?;
        if manifest.contains_key("workspace") {
            return Ok(of(&manifest).unwrap_or_default());
        }
    }
    Ok(toml::Table::new())
}

fn declared(
    folder: &Folder<'_>,
    key: &str,
    value: &toml::Value,
    workspace: &toml::Table,
    scope: DependencyScope,
) -> Declared {
    let inherits = value.get("workspace").and_then(toml::Value::as_bool) == Some(true);
    let value = if inherits { workspace.get(key).unwrap_or(value) } else { value };
    let text = |name: &str| value.get(name).and_then(toml::Value::as_str);
    let name = text("package").unwrap_or(key);
    let requirement = value.as_str().or_else(|| text("version"));
    let asks = Declared::new(name, scope).asks(requirement.or_else(|| text("git")));
    if text("path").is_some() && folder.is_module(name) { asks.module() } else { asks }
}

/// The packages of a lock file, with those that `module` needs itself.
fn graph(lock: &toml::Table, module: &str) -> Graph {
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let packages: Vec<&toml::Value> = packages.into_iter().flatten().collect();
    let text = |package: &toml::Value, key: &str| {
        package.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_owned()
    };
    let mut graph = Graph::default();
    let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for package in &packages {
        let at = graph.add(text(package, "name"), text(package, "version"));
        graph.packages[at].is_module = package.get("source").is_none();
        by_name.entry(text(package, "name")).or_default().push(at);
    }
    let needs: Vec<Vec<usize>> = packages
        .iter()
        .map(|package| {
            let named = package.get("dependencies").and_then(toml::Value::as_array);
            let named = named.into_iter().flatten().filter_map(toml::Value::as_str);
            named
                .filter_map(|named| {
                    // "name", or "name version" where there are several
                    let (name, version) = named.split_once(' ').unwrap_or((named, ""));
                    let version = version.split(' ').next().unwrap_or_default();
                    let fits = |at: &&usize| version.is_empty() || graph.packages[**at].version == version;
                    by_name.get(name)?.iter().find(fits).copied()
                })
                .collect()
        })
        .collect();
    for (package, needs) in graph.packages.iter_mut().zip(needs) {
        package.needs = needs;
    }
    let own = graph.packages.iter().position(|package| package.is_module && package.name == module);
    if let Some(own) = own {
        let needs = graph.packages[own].needs.clone();
        graph.direct = needs.into_iter().map(|at| (graph.packages[at].name.clone(), at)).collect();
    }
    graph
}
