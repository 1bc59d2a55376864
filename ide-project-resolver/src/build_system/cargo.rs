//! Cargo: `Cargo.toml` with workspaces and path dependencies.

use std::io;

use super::{At, Described, dig, invalid, toml_strings};
use crate::model::RootKind;

/// How the heads of tables begin that say nothing of modules. They are most of many manifests.
const BESIDE: &[&str] = &[
    "[features]",
    "[package.metadata",
    "[target.",
    "[lints",
    "[profile.",
    "[[test]]",
    "[[bench]]",
    "[badges",
];

/// How the heads of tables begin that describe one dependency: those that have no path lie elsewhere.
const DEPENDENCIES: &[&str] =
    &["[dependencies.", "[dev-dependencies.", "[build-dependencies.", "[workspace.dependencies."];

pub(super) fn read(at: &At<'_>, described: &mut Described) -> io::Result<()> {
    described.roots = at.existing(&["src", "examples"], RootKind::Source);
    described.roots.extend(at.existing(&["tests", "benches"], RootKind::Test));
    let Some(text) = at.text("Cargo.toml")? else { return Ok(()) };
    let manifest = parse(&text).map_err(|e| invalid("Cargo.toml", &e))?;
    described.name = dig(&manifest, &["package", "name"]).and_then(|v| v.as_str()).map(str::to_owned);
    let targets = ["bin", "example"]
        .iter()
        .flat_map(|kind| manifest.get(*kind).and_then(|v| v.as_array()).into_iter().flatten())
        .chain(manifest.get("lib"));
    for path in targets.filter_map(|target| target.get("path")?.as_str()) {
        let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir).to_owned();
        if !described.roots.iter().any(|(root, _)| dir == *root || dir.starts_with(&format!("{root}/"))) {
            described.roots.push((dir, RootKind::Source));
        }
    }
    let members = toml_strings(dig(&manifest, &["workspace", "members"]));
    described.members = at.members(members, &["Cargo.toml"]);
    let excluded = toml_strings(dig(&manifest, &["workspace", "exclude"]));
    let excluded = at.members(excluded, &[]);
    // Cargo itself counts path dependencies inside the workspace as members; those outside are read as well.
    let tables = [
        manifest.get("dependencies"),
        manifest.get("dev-dependencies"),
        manifest.get("build-dependencies"),
        dig(&manifest, &["workspace", "dependencies"]),
    ];
    let paths = tables
        .iter()
        .flatten()
        .filter_map(|table| table.as_table())
        .flat_map(|table| table.values())
        .filter_map(|dependency| dependency.get("path")?.as_str())
        .filter(|path| at.is_file(&format!("{path}/Cargo.toml")));
    described.members.extend(paths.map(str::to_owned));
    described.members.retain(|member| !excluded.contains(member));
    Ok(())
}

/// The tables of a manifest, perhaps without those [`BESIDE`], which take longer to parse than to step over.
fn parse(text: &str) -> Result<toml::Table, toml::de::Error> {
    // A line of a text may look like a head. One within an array may as well, but then the rest of the array is no TOML.
    if text.contains("\"\"\"") || text.contains("'''") {
        return text.parse();
    }
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    while !rest.is_empty() {
        let (table, behind) = rest.split_at(rest.find("\n[").map_or(rest.len(), |at| at + 1));
        rest = behind;
        let is_elsewhere =
            || DEPENDENCIES.iter().any(|head| table.starts_with(head)) && !table.contains("path");
        if !BESIDE.iter().any(|head| table.starts_with(head)) && !is_elsewhere() {
            kept.push_str(table);
        }
    }
    kept.parse().or_else(|_| text.parse())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn what_a_manifest_says_of_modules_is_read_whatever_stands_beside() {
        let text = "[package]\nname = 'a'\n[package.metadata.x]\ny = [\n[1],\n]\n[features]\nz = []\n[lib]\npath = 'b'\n";
        let whole: toml::Table = text.parse().unwrap();
        assert_eq!(parse(text).unwrap(), whole, "an array goes on behind what looks like a head");
        let plain = text.replace("[\n[1],\n]", "1");
        let read = parse(&plain).unwrap();
        assert_eq!((&read["package"]["name"], &read["lib"]), (&whole["package"]["name"], &whole["lib"]));
        assert!(!read.contains_key("features"));
        let dependencies = "[dependencies.a]\nversion = '1'\n[dependencies.b]\npath = '../b'\n";
        assert_eq!(parse(dependencies).unwrap(), "dependencies.b.path = '../b'".parse().unwrap());
        let quoted = "[package]\nname = '''\n[features]\n'''\n";
        assert_eq!(parse(quoted).unwrap()["package"]["name"].as_str(), Some("[features]\n"));
        assert!(parse("[package]\nname = [").is_err());
    }
}
