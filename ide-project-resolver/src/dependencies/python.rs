//! Python: `pyproject.toml` of every tool, `requirements.txt`, `setup.cfg`, the lists in `setup.py`, `Pipfile`; and the lock files
//! of uv, Poetry, PDM, Pipenv and of the standard (`pylock.toml`).

use std::io;

use serde_json::Value;

use super::{Declared, DependencyScope, Findings, Folder, Graph, invalid};

/// Files of requirements that include each other further down are a cycle.
const MAX_INCLUDED: usize = 8;

pub(super) fn read(folder: &Folder<'_>, found: &mut Findings) -> io::Result<()> {
    if let Some(project) = folder.toml("pyproject.toml")? {
        pyproject(folder, &project, found);
    }
    if let Some(pipfile) = folder.toml("Pipfile")? {
        for (section, scope) in
            [("packages", DependencyScope::Compile), ("dev-packages", DependencyScope::Test)]
        {
            table(folder, pipfile.get(section), scope, found);
        }
    }
    if let Some(text) = folder.text("setup.cfg")? {
        setup_cfg(folder, &text, found);
    }
    if let Some(text) = folder.text("setup.py")? {
        for (list, scope) in
            [("install_requires", DependencyScope::Compile), ("tests_require", DependencyScope::Test)]
        {
            literal_list(&text, list).iter().for_each(|line| add(folder, line, scope, found));
        }
    }
    for place in ["", "requirements/"] {
        let names = folder.files(place);
        let lists = names
            .iter()
            .filter(|name| name.ends_with(".txt") && (!place.is_empty() || name.contains("requirements")));
        for name in lists {
            let is_test = ["dev", "test", "lint", "docs", "typing"].iter().any(|word| name.contains(word));
            let scope = if is_test { DependencyScope::Test } else { DependencyScope::Compile };
            requirements(folder, &format!("{place}{name}"), scope, found, 0)?;
        }
    }
    found.declared.sort_by(|a, b| (&a.name, a.scope).cmp(&(&b.name, b.scope)));
    found.declared.dedup_by(|a, b| a.name == b.name);
    found.locked = lock(folder, &found.declared)?;
    Ok(())
}

fn pyproject(folder: &Folder<'_>, project: &toml::Table, found: &mut Findings) {
    let strings = |value: Option<&toml::Value>| -> Vec<String> {
        let list = value.and_then(toml::Value::as_array).into_iter().flatten();
        list.filter_map(toml::Value::as_str).map(str::to_owned).collect()
    };
    let get = |path: &[&str]| {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(project.get(*first)?, |value, key| value.get(key))
    };
    let lists = |path: &[&str]| -> Vec<String> {
        let groups = get(path).and_then(toml::Value::as_table).into_iter().flat_map(|groups| groups.values());
        groups.flat_map(|group| strings(Some(group))).collect()
    };
    let mut all: Vec<(String, DependencyScope)> = Vec::new();
    let mut take = |lines: Vec<String>, scope| all.extend(lines.into_iter().map(|line| (line, scope)));
    take(strings(get(&["project", "dependencies"])), DependencyScope::Compile);
    take(lists(&["project", "optional-dependencies"]), DependencyScope::Runtime);
    take(lists(&["dependency-groups"]), DependencyScope::Test);
    take(lists(&["tool", "pdm", "dev-dependencies"]), DependencyScope::Test);
    take(strings(get(&["tool", "uv", "dev-dependencies"])), DependencyScope::Test);
    all.iter().for_each(|(line, scope)| add(folder, line, *scope, found));
    table(folder, get(&["tool", "poetry", "dependencies"]), DependencyScope::Compile, found);
    table(folder, get(&["tool", "poetry", "dev-dependencies"]), DependencyScope::Test, found);
    let groups = get(&["tool", "poetry", "group"]).and_then(toml::Value::as_table);
    for group in groups.into_iter().flat_map(|groups| groups.values()) {
        table(folder, group.get("dependencies"), DependencyScope::Test, found);
    }
}

/// A table of Poetry or Pipenv: names with versions, or with tables that hold them.
fn table(folder: &Folder<'_>, table: Option<&toml::Value>, scope: DependencyScope, found: &mut Findings) {
    for (name, value) in table.and_then(toml::Value::as_table).into_iter().flatten() {
        if name == "python" {
            continue;
        }
        let text = |key: &str| value.get(key).and_then(toml::Value::as_str);
        let requirement = value.as_str().or_else(|| text("version")).or_else(|| text("git"));
        let scope = match value.get("optional").and_then(toml::Value::as_bool) {
            Some(true) => scope.max(DependencyScope::Runtime),
            _ => scope,
        };
        let is_here = text("path").is_some() || folder.is_module(name);
        let mut declared = Declared::new(normal(name), scope).asks(requirement);
        declared.version = requirement.and_then(pinned);
        found.declared.push(if is_here { declared.module() } else { declared });
    }
}

/// One requirement as PEP 508 writes it.
fn add(folder: &Folder<'_>, line: &str, scope: DependencyScope, found: &mut Findings) {
    let line = line.split(';').next().unwrap_or(line);
    let line = line.split(" #").next().unwrap_or(line).split(" --").next().unwrap_or(line).trim();
    let end = line
        .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '.'))
        .unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    if name.is_empty() {
        return;
    }
    let rest = rest.trim();
    let rest = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((_, behind)) => behind.trim(),
        None => rest,
    };
    let requirement = rest.trim_start_matches('@').trim().trim_matches(['(', ')']);
    let mut declared = Declared::new(normal(name), scope).asks(Some(requirement));
    declared.version = pinned(requirement);
    found.declared.push(if folder.is_module(name) { declared.module() } else { declared });
}

/// The version of a requirement that only one can meet.
fn pinned(requirement: &str) -> Option<String> {
    let version = requirement.strip_prefix("===").or_else(|| requirement.strip_prefix("=="))?.trim();
    (!version.contains(['*', ','])).then(|| version.to_owned())
}

/// Names that differ in case and separators are one (PEP 503).
fn normal(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    for c in name.trim().chars() {
        match c {
            '-' | '_' | '.' if normal.ends_with('-') => {}
            '-' | '_' | '.' => normal.push('-'),
            c => normal.push(c.to_ascii_lowercase()),
        }
    }
    normal
}

/// A file of requirements with those that it includes.
fn requirements(
    folder: &Folder<'_>,
    path: &str,
    scope: DependencyScope,
    found: &mut Findings,
    depth: usize,
) -> io::Result<()> {
    let Some(text) = folder.text(path)? else { return Ok(()) };
    for line in text.replace("\\\n", " ").lines().map(str::trim) {
        let included = ["-r ", "--requirement ", "-r"].iter().find_map(|word| line.strip_prefix(word));
        if let Some(included) = included.map(str::trim).filter(|_| depth < MAX_INCLUDED) {
            let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
            let next = if dir.is_empty() { included.to_owned() } else { format!("{dir}/{included}") };
            if !next.split('/').any(|part| part == "..") && next != path {
                requirements(folder, &next, scope, found, depth + 1)?;
            }
        } else if !line.is_empty() && !line.starts_with(['#', '-']) && !line.contains("://") {
            add(folder, line, scope, found);
        }
    }
    Ok(())
}

/// `install_requires` and the extras of a `setup.cfg`.
fn setup_cfg(folder: &Folder<'_>, text: &str, found: &mut Findings) {
    let mut section = "";
    let mut list: Option<DependencyScope> = None;
    for line in text.lines().filter(|line| !line.trim_start().starts_with(['#', ';'])) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            (section, list) = (name, None);
        } else if line.starts_with(char::is_whitespace) {
            if let Some(scope) = list {
                add(folder, line.trim(), scope, found);
            }
        } else if let Some((key, value)) = line.split_once('=') {
            list = match (section, key.trim()) {
                ("options", "install_requires") => Some(DependencyScope::Compile),
                ("options", "tests_require") => Some(DependencyScope::Test),
                ("options.extras_require", _) => Some(DependencyScope::Runtime),
                _ => None,
            };
            if let Some(scope) = list {
                add(folder, value.trim(), scope, found);
            }
        }
    }
}

/// The texts of `name=[…]`; what is computed cannot be known without running it.
fn literal_list(text: &str, name: &str) -> Vec<String> {
    let Some((_, rest)) = text.split_once(name) else { return Vec::new() };
    let rest = rest.trim_start().strip_prefix('=').map(str::trim_start);
    let Some(mut rest) = rest.and_then(|rest| rest.strip_prefix('[')) else { return Vec::new() };
    let mut found = Vec::new();
    while let Some(at) = rest.find(['"', '\'', ']', '#']) {
        let (mark, behind) = (rest.as_bytes()[at], &rest[at + 1..]);
        match mark {
            b']' => break,
            b'#' => rest = behind.split_once('\n').map_or("", |(_, next)| next),
            quote => {
                let Some((item, next)) = behind.split_once(char::from(quote)) else { break };
                found.push(item.to_owned());
                rest = next;
            }
        }
    }
    found
}

/// Reads the nearest lock file.
fn lock(folder: &Folder<'_>, declared: &[Declared]) -> io::Result<Option<Graph>> {
    let names = ["uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "Pipfile.lock"];
    let Some((name, text, _)) = folder.nearest(&names)? else { return Ok(None) };
    if name == "Pipfile.lock" {
        let lock: Value = serde_json::from_str(&text).map_err(|e| invalid(name, &e))?;
        return Ok(Some(pipfile_lock(&lock, declared)));
    }
    let lock: toml::Table = text.parse().map_err(|e| invalid(name, &e))?;
    Ok(Some(packages(&lock)))
}

/// The tables that uv, Poetry, PDM and the standard have in common: `package` or `packages`, each with `dependencies`.
fn packages(lock: &toml::Table) -> Graph {
    let list = lock.get("package").or_else(|| lock.get("packages")).and_then(toml::Value::as_array);
    let list: Vec<&toml::Value> = list.into_iter().flatten().collect();
    let text =
        |value: &toml::Value, key: &str| value.get(key).and_then(toml::Value::as_str).map(str::to_owned);
    let mut graph = Graph::default();
    for package in &list {
        let name = normal(&text(package, "name").unwrap_or_default());
        let at = graph.add(name.clone(), text(package, "version").unwrap_or_default());
        let source = package.get("source");
        let is_here = |key: &str| source.is_some_and(|source| source.get(key).is_some());
        graph.packages[at].is_module = is_here("editable") || is_here("virtual") || is_here("directory");
        graph.direct.entry(name).or_insert(at);
    }
    let needed = |package: &toml::Value| -> Vec<String> {
        match package.get("dependencies") {
            Some(toml::Value::Array(list)) => list
                .iter()
                .filter_map(|item| match item.as_str() {
                    // PDM writes whole requirements.
                    Some(line) => line
                        .split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '.'))
                        .next()
                        .map(str::to_owned),
                    None => text(item, "name"),
                })
                .collect(),
            Some(toml::Value::Table(table)) => table.keys().cloned().collect(),
            _ => Vec::new(),
        }
    };
    for (at, package) in list.iter().enumerate() {
        let needs = needed(package);
        let needs = needs.iter().filter_map(|name| graph.direct.get(&normal(name)).copied()).collect();
        graph.packages[at].needs = needs;
    }
    graph
}

/// Pipenv's lock file says which section a package is for, and not who needs it.
fn pipfile_lock(lock: &Value, declared: &[Declared]) -> Graph {
    let mut graph = Graph::default();
    for (section, scope) in [("default", DependencyScope::Compile), ("develop", DependencyScope::Test)] {
        for (name, package) in lock[section].as_object().into_iter().flatten() {
            let version = package["version"].as_str().unwrap_or_default().trim_start_matches('=');
            let name = normal(name);
            let at = graph.add(name.clone(), version);
            if declared.iter().all(|declared| declared.name != name) {
                graph.others.push((at, scope));
            }
            graph.direct.entry(name).or_insert(at);
        }
    }
    graph
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_a_setup_script_are_read_as_they_are_written() {
        let script = "setup(\n  name='x',\n  install_requires=[\n    'a>=1', # 'not'\n    \"b[c]\",\n  ],\n  tests_require=load(),\n)\n";
        assert_eq!(literal_list(script, "install_requires"), ["a>=1", "b[c]"]);
        assert!(literal_list(script, "tests_require").is_empty());
    }

    #[test]
    fn names_are_compared_as_the_registry_does() {
        assert_eq!(normal("Foo__Bar.baz"), "foo-bar-baz");
        assert_eq!((pinned("==1.2"), pinned("==1.*"), pinned(">=1")), (Some("1.2".to_owned()), None, None));
    }
}
