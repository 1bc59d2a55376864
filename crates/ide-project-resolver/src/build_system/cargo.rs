//! Cargo: `Cargo.toml` with workspaces and path dependencies.

use std::io;

use super::{At, Described, dig, toml_strings};
use crate::model::RootKind;

pub(super) fn read(at: &At<'_>, described: &mut Described) -> io::Result<()> {
    described.roots = at.existing(&["src", "examples"], RootKind::Source);
    described.roots.extend(at.existing(&["tests", "benches"], RootKind::Test));
    let Some(manifest) = at.toml("Cargo.toml")? else { return Ok(()) };
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
