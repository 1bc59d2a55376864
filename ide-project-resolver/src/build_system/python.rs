//! Python: `pyproject.toml` of setuptools, Poetry, Hatch and uv, and the two usual layouts.

use std::io;

use super::{At, Described, dig, toml_strings};
use crate::model::RootKind;

pub(super) fn read(at: &At<'_>, described: &mut Described) -> io::Result<()> {
    let project = at.toml("pyproject.toml")?.unwrap_or_default();
    let name = |keys: &[&str]| dig(&project, keys).and_then(|v| v.as_str()).map(str::to_owned);
    described.name = name(&["project", "name"]).or_else(|| name(&["tool", "poetry", "name"]));
    let workspace = &["tool", "uv", "workspace"];
    let members = toml_strings(dig(&project, &[workspace, &["members"][..]].concat()));
    let excluded = toml_strings(dig(&project, &[workspace, &["exclude"][..]].concat()));
    let excluded: Vec<String> = excluded.iter().map(|pattern| format!("!{pattern}")).collect();
    let patterns = members.into_iter().chain(excluded.iter().map(String::as_str));
    described.members = at.members(patterns, &["pyproject.toml"]);

    let mut sources: Vec<String> = declared_sources(&project);
    sources.retain(|dir| at.is_dir(dir));
    if sources.is_empty() {
        let src_layout = at.is_dir("src") && !at.is_file("src/__init__.py");
        sources.push(if src_layout { "src" } else { "" }.to_owned());
    }
    sources.sort();
    sources.dedup();
    described.roots = sources.into_iter().map(|dir| (dir, RootKind::Source)).collect();
    let declared = toml_strings(dig(&project, &["tool", "pytest", "ini_options", "testpaths"]));
    let tests: Vec<&str> = if declared.is_empty() { vec!["tests", "test"] } else { declared };
    described.roots.extend(at.existing(&tests, RootKind::Test));
    Ok(())
}

/// The directories in front of the packages, as the build back ends name them.
fn declared_sources(project: &toml::Table) -> Vec<String> {
    let tool = |keys: &[&str]| dig(project, &[&["tool"], keys].concat());
    let mut found: Vec<String> = toml_strings(tool(&["setuptools", "packages", "find", "where"]))
        .into_iter()
        .map(str::to_owned)
        .collect();
    let package_dir = tool(&["setuptools", "package-dir"]).and_then(|v| v.as_table());
    found.extend(package_dir.and_then(|dirs| dirs.get("")?.as_str()).map(str::to_owned));
    let poetry = tool(&["poetry", "packages"]).and_then(|v| v.as_array());
    found.extend(poetry.into_iter().flatten().filter_map(|p| p.get("from")?.as_str()).map(str::to_owned));
    let hatch = toml_strings(tool(&["hatch", "build", "targets", "wheel", "packages"]));
    found.extend(hatch.into_iter().map(|p| p.rsplit_once('/').map_or("", |(dir, _)| dir).to_owned()));
    found
        .iter()
        .map(|dir| if dir == "." { String::new() } else { dir.trim_start_matches("./").to_owned() })
        .collect()
}
